# SPDX-License-Identifier: GPL-2.0-only
# Yocto: copy this file to recipes-core/berth of a layer, and berth-VERSION.tar.gz of `make dist` into a folder files beside
# it. berth brings its own C library and links it statically; of the toolchain only the compiler and its libgcc are used.
SUMMARY = "A Kubernetes scheduler, in place of kube-scheduler"
LICENSE = "GPL-2.0-only"
LIC_FILES_CHKSUM = "file://LICENSE;md5=12ddb1bab4b757fe6cdfa85b7888258a"

SRC_URI = "file://berth-${PV}.tar.gz"

inherit systemd

DEPENDS = "libgcc"
COMPATIBLE_HOST = "(x86_64|aarch64|arm|riscv64).*-linux.*"
BERTH_BOARD:x86-64 = "x86_64"
BERTH_BOARD:aarch64 = "rpi4"
BERTH_BOARD:arm = "gateway-armv7"
BERTH_BOARD:riscv64 = "riscv64"

SYSTEMD_SERVICE:${PN} = "berth.service"
# It needs a kubeconfig first: BERTH_FLAGS in /etc/default/berth names it.
SYSTEMD_AUTO_ENABLE = "disable"
CONFFILES:${PN} = "${sysconfdir}/berth/berth.yaml"
# Its own Makefile links and strips it, without the distribution's flags for shared libraries.
INSANE_SKIP:${PN} += "already-stripped ldflags"

do_compile() {
	export BERTH_TOOLS_ARE_HERE=1
	oe_runmake BOARD=${BERTH_BOARD} CROSS=${TARGET_PREFIX} CPU="${TUNE_CCARGS} --sysroot=${STAGING_DIR_TARGET}"
}

do_install() {
	install -D -m 0755 ${S}/build/${BERTH_BOARD}/berth ${D}${bindir}/berth
	install -D -m 0644 ${S}/firmware/package/berth.service ${D}${systemd_system_unitdir}/berth.service
	install -D -m 0644 ${S}/firmware/package/berth.yaml ${D}${sysconfdir}/berth/berth.yaml
}
