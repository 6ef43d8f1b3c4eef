#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tests/firmware/test_recipes.sh [build]   the recipes for OpenWrt, Buildroot and Yocto, by stand-ins of these tools
#
# Each recipe is read by a stand-in that knows the names the tool gives it and runs what it says: on the sources of
# tools/dist, with a compiler of the tool's name, without a network. With `build` (minutes for each) the programs are made,
# installed and started; without it only what make would be asked for is looked at. The tools themselves are not run.
set -u
cd "$(dirname "$0")/../.." || exit 1
whole=${1:-}
. tests/tools/report.sh
tree=$PWD
recipes=$tree/firmware/package
version=$(sed -n 's/^VERSION := //p' Makefile)
built build/x86_64/berth
say_make=make
if [ -z "$whole" ]; then
	say_make=$work/make-asked
	printf '#!/bin/sh\necho "make: $*"\n' >"$say_make"
	chmod +x "$say_make"
fi

# ---- the sources ----
tools/dist "$work/one" build/vendor >"$work/dist" || cat "$work/dist"
(umask 077 && TZ=Asia/Tokyo tools/dist "$work/two" build/vendor >/dev/null)
claim 'sources: twice the same bytes' cmp "$work/one/berth-$version.tar.gz" "$work/two/berth-$version.tar.gz"
claim 'sources: the hash that is printed' sh -c "grep -q \"\$(sha256sum <'$work/one/berth-$version.tar.gz' | cut -d' ' -f1)\" '$work/dist'"

# compilers NAME-: a toolchain of this machine under the tool's name
compilers() { # compilers PREFIX REAL-PREFIX
	mkdir -p "$work/toolchain"
	for program in gcc gcc-ar ar objcopy readelf ranlib nm; do
		printf '#!/bin/sh\necho %s >>%s/asked\nexec %s%s "$@"\n' "$1$program" "$work" "$2" "$program" >"$work/toolchain/$1$program"
		chmod +x "$work/toolchain/$1$program"
	done
}
alone() { # alone COMMAND...: without a network, where that can be had, and without the tree's cache
	if unshare -n true 2>/dev/null; then unshare -n env BERTH_CACHE=/nowhere PATH="$work/toolchain:$PATH" "$@"
	else env BERTH_CACHE=/nowhere PATH="$work/toolchain:$PATH" "$@"; fi
}
unpack() { rm -rf "$work/src" && mkdir "$work/src" && tar -xzf "$work/one/berth-$version.tar.gz" -C "$work/src" && rm -f "$work/asked"; }
# What was made is for the machine and starts; or else, make would have been asked in that folder for that board by that compiler.
made() { # made PREFIX BOARD EMULATOR LOG
	if [ -z "$whole" ]; then
		cat "$4"
		grep -q -- "^make: -C $work/src/berth-$version BOARD=$2 CROSS=$1\( CPU=.*\)\?\$" "$4" && [ -f "board/$2/board.mk" ]
	else
		grep -q "^$1gcc\$" "$work/asked" && $3 "$work/src/berth-$version/build/$2/berth" version
	fi
}

# ---- OpenWrt ----
prefix=arm-openwrt-linux-muslgnueabi-
compilers $prefix arm-linux-gnueabihf-
openwrt=$work/openwrt
mkdir -p "$openwrt/include"
cat >"$openwrt/rules.mk" <<END
TARGET_CROSS := $prefix
ARCH := arm
INCLUDE_DIR := $openwrt/include
INSTALL_DIR := install -d -m 755
INSTALL_BIN := install -m 755
INSTALL_CONF := install -m 600
END
cat >"$openwrt/include/package.mk" <<END
PKG_BUILD_DIR := $work/src/\$(PKG_NAME)-\$(PKG_VERSION)
define BuildPackage
.PHONY: compile install-\$(1)
compile:
\$(Build/Compile)
install-\$(1):
\$(call Package/\$(1)/install,\$(work)/root)
endef
END
unpack
alone make -C "$recipes/openwrt" TOPDIR="$openwrt" MAKE="$say_make" compile >"$work/log" 2>&1
claim 'openwrt: with its compiler, without a network' made $prefix gateway-armv7 qemu-arm-static "$work/log"
claim 'openwrt: the sources of this version' grep -q "^PKG_VERSION:=$version\$" "$recipes/openwrt/Makefile"
[ -n "$whole" ] || { mkdir -p "$work/src/berth-$version/build/gateway-armv7" && cp build/x86_64/berth "$work/src/berth-$version/build/gateway-armv7/"; }
# Its program has ARMv7 instructions, and floating point in hardware.
older_arm() { ! sed -n 's/^ *DEPENDS:=@//p' "$recipes/openwrt/Makefile" | sed 's/(arm_v7&&HAS_FPU)//' | grep -w arm; }
claim 'openwrt: not for older ARM, where the program would crash' older_arm
claim 'openwrt: it installs' make -C "$recipes/openwrt" TOPDIR="$openwrt" work="$work" install-berth
claim 'openwrt: what belongs there' [ "$(cd "$work/root" && find . -type f | sort | tr '\n' ' ')" = './etc/berth/berth.yaml ./etc/config/berth ./etc/init.d/berth ./usr/bin/berth ' ]
# Its init script with stand-ins of what rc.common and procd give it.
cat >"$work/procd" <<'END'
config_load() { :; }
config_get_bool() { eval "$1=1"; }
config_get() { case $3 in kubeconfig) eval "$1='$work/given'" ;; flags) eval "$1='--memory 16Mi --bind-address 127.0.0.1'" ;; *) eval "$1='${4:-}'" ;; esac; }
procd_open_instance() { :; }
procd_close_instance() { echo closed; }
procd_set_param() { echo "$*"; }
chown() { echo "chown $*"; }
END
procd_starts() {
	echo 'apiVersion: v1' >"$work/given"
	sed "s|/var/run/berth|$work/run-openwrt|g" "$work/root/etc/init.d/berth" >"$work/init"
	work=$work sh -c ". $work/procd; . $work/init; start_service" >"$work/procd.said" && cat "$work/procd.said" &&
		grep -q '^command /usr/bin/berth run --kubeconfig .* --memory 16Mi --bind-address 127.0.0.1$' "$work/procd.said" &&
		grep -q '^user berth$' "$work/procd.said" && grep -q '^closed$' "$work/procd.said" && cmp "$work/given" "$work/run-openwrt/kubeconfig"
}
claim 'openwrt: its init script starts it as its user' procd_starts
claim 'openwrt: root writes where berth cannot put a link' sh -c "grep -qx 'chown root:berth $work/run-openwrt' '$work/procd.said' &&
	grep -q -- '--cert-dir $work/run-openwrt/tls ' '$work/procd.said'"

# ---- Buildroot ----
prefix=aarch64-buildroot-linux-gnu-
compilers $prefix aarch64-linux-gnu-
cat >"$work/buildroot.mk" <<END
TARGET_CROSS := $prefix
BR2_aarch64 := y
INSTALL := install
TARGET_DIR := $work/target
BERTH_PKGDIR := $recipes/buildroot
generic-package =
include $recipes/buildroot/berth.mk
.PHONY: build install
build install: @D := $work/src/berth-$version
build:
	\$(BERTH_BUILD_CMDS)
install:
	\$(BERTH_INSTALL_TARGET_CMDS)
	\$(BERTH_INSTALL_INIT_SYSV)
END
unpack
alone make -f "$work/buildroot.mk" MAKE="$say_make" build >"$work/log" 2>&1
claim 'buildroot: with its compiler, without a network' made $prefix rpi4 qemu-aarch64-static "$work/log"
claim 'buildroot: the sources of this version' grep -q "^BERTH_VERSION = $version\$" "$recipes/buildroot/berth.mk"
[ -n "$whole" ] || { mkdir -p "$work/src/berth-$version/build/rpi4" && cp build/x86_64/berth "$work/src/berth-$version/build/rpi4/"; }
claim 'buildroot: it installs' make -f "$work/buildroot.mk" install
claim 'buildroot: what belongs there' [ "$(cd "$work/target" && find . -type f | sort | tr '\n' ' ')" = './etc/berth/berth.yaml ./etc/init.d/S90berth ./usr/bin/berth ' ]
claim 'buildroot: each symbol of Config.in is closed' sh -c "grep -q '^config BR2_PACKAGE_BERTH\$' '$recipes/buildroot/Config.in' && grep -q '^	bool ' '$recipes/buildroot/Config.in'"
# Its init script, with berth played by a shell that notes what it was given and waits.
init_lives() {
	local folder=$work/run-buildroot
	mkdir -p "$work/etc-buildroot" "$work/tools"
	echo 'apiVersion: v1' >"$work/etc-buildroot/kubeconfig"
	printf '#!/bin/sh\necho "$@" >>%s/given.berth\nexec sleep 60\n' "$work" >"$work/tools/berth"
	printf '#!/bin/sh\nexec cat >>%s/logged\n' "$work" >"$work/tools/logger"
	printf '#!/bin/sh\n:\n' >"$work/tools/chown"
	chmod +x "$work/tools"/*
	# The user is not here: what changes it is left out.
	sed 's/ -c berth:berth / /' "$recipes/buildroot/S90berth" >"$work/S90berth"
	script() { PATH="$work/tools:$PATH" BERTH_FOLDER=$folder BERTH_PROGRAM=$work/tools/berth BERTH_CONFIGURATION=$work/etc-buildroot sh "$work/S90berth" "$1"; }
	script start || return 1
	for _ in $(seq 50); do [ -s "$work/given.berth" ] && break; sleep 0.1; done
	cat "$work/given.berth"
	grep -q -- "^run --kubeconfig $folder/kubeconfig --config $work/etc-buildroot/berth.yaml --cert-dir $folder --memory 16Mi" "$work/given.berth" || return 1
	shell=$(cat "$folder.pid")
	child=$(pgrep -P "$shell" -f 'sleep 60')
	[ -n "$child" ] && kill -9 "$child" # it comes back by itself
	for _ in $(seq 50); do [ "$(wc -l <"$work/given.berth")" = 2 ] && break; sleep 0.1; done
	[ "$(wc -l <"$work/given.berth")" = 2 ] || return 1
	child=$(pgrep -P "$shell" -f 'sleep 60')
	script stop || return 1
	for _ in $(seq 50); do kill -0 "$shell" 2>/dev/null || break; sleep 0.1; done
	! kill -0 "$shell" 2>/dev/null && ! kill -0 "$child" 2>/dev/null
}
claim 'buildroot: its init script starts, starts again, and stops' init_lives

# ---- Yocto ----
prefix=x86_64-poky-linux-
compilers $prefix x86_64-linux-gnu-
recipe=$recipes/yocto/berth_$version.bb
claim 'yocto: the recipe of this version' [ -f "$recipe" ]
claim 'yocto: the hash of the licence' grep -q "LICENSE;md5=$(md5sum <LICENSE | cut -d' ' -f1)" "$recipe"
# function NAME: its body, with bitbake's variables put in
function_of() {
	sed -n "/^$1() {\$/,/^}\$/p" "$recipe" | sed '1d;$d' | sed -e "s|\${BERTH_BOARD}|$(sed -n 's/^BERTH_BOARD:x86-64 = "\(.*\)"/\1/p' "$recipe")|g" \
		-e "s|\${TARGET_PREFIX}|$prefix|g; s|\${TUNE_CCARGS}|-m64 -march=core2|g; s|\${STAGING_DIR_TARGET}|/|g" \
		-e "s|\${S}|$work/src/berth-$version|g; s|\${D}|$work/image|g; s|\${bindir}|/usr/bin|g; s|\${sysconfdir}|/etc|g" \
		-e 's|${systemd_system_unitdir}|/usr/lib/systemd/system|g'
}
claim 'yocto: no variable is left over' sh -c "! { $(declare -f function_of); recipe='$recipe' prefix='$prefix' work='$work' version='$version'; function_of do_compile; function_of do_install; } | grep '\${'"
unpack
alone sh -e -c "oe_runmake() { $say_make -C '$work/src/berth-$version' \"\$@\"; }
$(function_of do_compile)" >"$work/log" 2>&1
claim 'yocto: with its compiler, without a network' made $prefix x86_64 '' "$work/log"
[ -n "$whole" ] || { mkdir -p "$work/src/berth-$version/build/x86_64" && cp build/x86_64/berth "$work/src/berth-$version/build/x86_64/"; }
claim 'yocto: it installs' sh -e -c "$(function_of do_install)"
claim 'yocto: what belongs there' [ "$(cd "$work/image" && find . -type f | sort | tr '\n' ' ')" = './etc/berth/berth.yaml ./usr/bin/berth ./usr/lib/systemd/system/berth.service ' ]
finish
