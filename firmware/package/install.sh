#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# install.sh   makes berth the scheduler of the k3s server on this machine
#
# From an unpacked archive, without a network:
#
#	./install.sh [--beside] [--memory 16Mi] [--no-restart] [--data-dir DIR]
#
# Or by a pipe, with BERTH_URL naming a folder on a web server that holds the archives and SHA256SUMS:
#
#	curl -sfL $BERTH_URL/install.sh | BERTH_URL=$BERTH_URL sh -s - --version 0.2.0
#
# --beside       a careful first step: k3s keeps its scheduler, berth takes pods with `schedulerName: berth`
# --memory SIZE  bounds what berth takes (default 64Mi, of which only what the cluster needs is touched)
# --no-restart   files only; says which commands would finish it
# --data-dir DIR the data folder of k3s, if it is not found by itself
# --wait N       seconds until a pod must have been bound by berth (default 120)
#
# It looks before it changes anything, writes nothing twice, and may be run again, also to upgrade. When berth does not
# bind a test pod in time, everything is put back and k3s runs its own scheduler again. uninstall.sh undoes all of it.
#
# There are never two schedulers: a k3s on sqlite runs its scheduler without a lease, so berth is started only after k3s
# has started without it. Pods that come between the two wait for these seconds; nothing else notices.
set -eu
umask 022

beside='' memory='' restart=yes version=${BERTH_VERSION:-} wait_seconds=120 data_dir=''
k3s_config=/etc/rancher/k3s
drop_in=/etc/systemd/system/berth.service.d/k3s.conf
changed='' undo=''

say() { echo "install.sh: $*"; }
fail() { echo "install.sh: $*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
usage() { sed -n '/^#$/,/^set -eu/{s/^# \{0,1\}//;/^set -eu/d;p;}' "$0" 2>/dev/null; }

read_flags() {
	while [ $# -gt 0 ]; do
		case $1 in
		--beside) beside=yes ;;
		--no-restart) restart='' ;;
		--memory | --version | --data-dir | --wait)
			[ $# -gt 1 ] || fail "$1 needs a value"
			case $1 in
			--memory) memory=$2 ;;
			--version) version=$2 ;;
			--data-dir) data_dir=$2 ;;
			--wait) wait_seconds=$2 ;;
			esac
			shift
			;;
		-h | --help) usage; exit 0 ;;
		*) fail "unknown flag $1 (--help lists what there is)" ;;
		esac
		shift
	done
}

# ---- what machine this is --------------------------------------------------------------------------
board() {
	case $(uname -m) in
	x86_64 | amd64) echo x86_64 ;;
	aarch64 | arm64) echo rpi4 ;;
	armv7* | armv8l) echo gateway-armv7 ;;
	riscv64) echo riscv64 ;;
	armv6*) fail "this is an ARMv6 machine (Raspberry Pi 1, Zero, Zero W): k3s does not run on it, nor does berth" ;;
	*) fail "there is no berth for $(uname -m)" ;;
	esac
}
manager() {
	if [ -d /run/systemd/system ]; then
		echo systemd
	elif have rc-service; then
		echo openrc
	else
		fail "neither systemd nor OpenRC runs here; see README.md for what berth needs"
	fi
}
# at_least HAVE WANT: versions by their first two numbers
at_least() {
	echo "$1 $2" | awk '{ split($1, a, "."); split($2, b, "."); exit !(a[1] > b[1] || (a[1] == b[1] && a[2] + 0 >= b[2] + 0)) }'
}
service() {
	case $manager in
	systemd) systemctl "$1" "$2" ;;
	openrc) rc-service "$2" "$1" ;;
	esac
}
is_active() {
	case $manager in
	systemd) systemctl is-active --quiet "$1" ;;
	openrc) rc-service "$1" status >/dev/null 2>&1 ;;
	esac
}

look_first() {
	[ "$(id -u)" = 0 ] || fail "must run as root (k3s's files belong to root)"
	manager=$(manager)
	[ "$manager" != systemd ] || {
		found=$(systemctl --version | awk 'NR == 1 { print $2 + 0 }')
		[ "$found" -ge 240 ] || fail "systemd $found is older than 240: it cannot run a service as a user of its own safely"
	}
	have k3s || fail "k3s is not installed here (no k3s command)"
	found=$(k3s --version | sed -n 's/^k3s version v\([0-9]*\.[0-9]*\).*/\1/p')
	[ -n "$found" ] || fail "k3s does not say its version"
	at_least "$found" 1.21 || fail "k3s $found is older than 1.21, which reads no config.yaml.d"
	is_active k3s || fail "k3s does not run as a service here; start it first: its scheduler's files are made at its start"
	"$source/root/usr/bin/berth" version >/dev/null 2>&1 || fail "$source/root/usr/bin/berth does not run on this machine"
	K3S_DATA_DIR=$data_dir K3S_CONFIG_DIR=$k3s_config
	export K3S_DATA_DIR K3S_CONFIG_DIR
	data=$(sh "$source/root/usr/lib/berth/k3s-credentials" --print-data-dir)
	[ -r "$data/server/cred/scheduler.kubeconfig" ] ||
		fail "$data/server/cred/scheduler.kubeconfig is not there: an agent needs no scheduler; for another folder: --data-dir"
	say "k3s v$found with its data in $data, $manager"
}

# ---- where the files come from ---------------------------------------------------------------------
get() { # get URL FILE
	if have curl; then
		curl -sfL -o "$2" "$1"
	elif have wget; then
		wget -q -O "$2" "$1"
	else
		fail "neither curl nor wget is here to fetch $1"
	fi || fail "could not fetch $1"
}
verify() { # verify FOLDER FILE...: by the SHA256SUMS in the folder
	folder=$1
	shift
	for file; do
		line=$(awk -v f="$file" '$2 == f || $2 == "*" f' "$folder/SHA256SUMS")
		[ -n "$line" ] || fail "SHA256SUMS does not name $file"
		(cd "$folder" && echo "$line" | sha256sum -c >/dev/null 2>&1) || fail "$file is not what SHA256SUMS says; nothing was changed"
	done
}
find_source() {
	here=$(dirname "$0")
	if [ -d "$here/root" ] && [ -f "$here/SHA256SUMS" ]; then
		source=$(cd "$here" && pwd)
		# shellcheck disable=SC2046  # a list of names without blanks
		verify "$source" $(awk '{ sub(/^\*/, "", $2); print $2 }' "$source/SHA256SUMS")
		return
	fi
	[ -n "${BERTH_URL:-}" ] || fail "no archive beside this script; set BERTH_URL to where the archives lie"
	[ -n "$version" ] || fail "say which version: --version 0.2.0"
	fetched=$(mktemp -d)
	trap 'rm -rf "$fetched"' EXIT
	archive=berth-$version-$(board).tar.gz
	get "$BERTH_URL/SHA256SUMS" "$fetched/SHA256SUMS"
	get "$BERTH_URL/$archive" "$fetched/$archive"
	verify "$fetched" "$archive"
	tar -xzf "$fetched/$archive" -C "$fetched"
	source=$fetched/berth-$version-$(board)
}

# ---- files -----------------------------------------------------------------------------------------
# put MODE SOURCE TARGET: only when it differs, complete or not at all
put() {
	if cmp -s "$2" "$3"; then return; fi
	mkdir -p "$(dirname "$3")"
	cp "$2" "$3.berth-new"
	chmod "$1" "$3.berth-new"
	mv "$3.berth-new" "$3"
	changed=yes
	say "wrote $3"
}
# keep MODE SOURCE TARGET: a file of the administrator's stays as it is
keep() { [ -e "$3" ] || put "$@"; }

put_files() {
	root=$source/root
	put 755 "$root/usr/bin/berth" /usr/bin/berth
	put 755 "$root/usr/lib/berth/k3s-credentials" /usr/lib/berth/k3s-credentials
	put 755 "$source/uninstall.sh" /usr/lib/berth/uninstall.sh
	for file in README.md LICENSE NOTICE berth.yaml beside.yaml rbac.yaml viewer.yaml; do
		put 644 "$root/usr/share/doc/berth/$file" "/usr/share/doc/berth/$file"
	done
	(cd "$root" && find usr/share/man usr/share/bash-completion usr/share/zsh usr/share/fish -type f 2>/dev/null) |
		while read -r file; do put 644 "$root/$file" "/$file"; done
	kind=berth
	[ -z "$beside" ] || kind=beside
	# Changed from one way to the other: the configuration follows, unless somebody wrote one of his own.
	other=beside
	[ "$kind" = berth ] || other=berth
	if cmp -s "/usr/share/doc/berth/$other.yaml" /etc/berth/berth.yaml; then
		put 644 "$root/usr/share/doc/berth/$kind.yaml" /etc/berth/berth.yaml
	else
		keep 644 "$root/usr/share/doc/berth/$kind.yaml" /etc/berth/berth.yaml
	fi
	flags=''
	[ -z "$memory" ] || flags="--memory $memory"
	# The built-in scheduler has the usual port.
	[ -z "$beside" ] || flags="$flags --secure-port 10269"
	settings=$(mktemp)
	case $manager in
	systemd)
		put 644 "$root/usr/lib/systemd/system/berth.service" /etc/systemd/system/berth.service
		put 644 "$root/usr/share/doc/berth/k3s.conf" "$drop_in"
		{
			[ -z "$data_dir" ] || echo "K3S_DATA_DIR=\"$data_dir\""
			echo "BERTH_FLAGS=\"${flags# }\""
		} >"$settings"
		if [ -n "$flags$data_dir" ]; then put 644 "$settings" /etc/default/berth; else keep 644 "$settings" /etc/default/berth; fi
		;;
	openrc)
		put 755 "$root/etc/init.d/berth" /etc/init.d/berth
		{
			cat "$root/etc/conf.d/berth"
			[ -z "$data_dir" ] || echo "export K3S_DATA_DIR=\"$data_dir\""
			echo "berth_flags=\"${flags# }\""
		} >"$settings"
		if [ -n "$flags$data_dir" ]; then put 644 "$settings" /etc/conf.d/berth; else keep 644 "$settings" /etc/conf.d/berth; fi
		;;
	esac
	rm -f "$settings"
}
put_user() {
	[ "$manager" = openrc ] || return 0 # systemd makes one for the time that berth runs
	if have useradd; then
		grep -q '^berth:' /etc/passwd || useradd -r -M -U -d /nonexistent -s /sbin/nologin berth
		return
	fi
	# busybox, as Alpine has it
	grep -q '^berth:' /etc/group || addgroup -S berth
	grep -q '^berth:' /etc/passwd || adduser -S -D -H -s /sbin/nologin -G berth berth
}

# ---- the change of schedulers ----------------------------------------------------------------------
# Without its comments, so that a line that is switched off does not count.
disables_scheduler() {
	cat "$k3s_config/config.yaml" "$k3s_config"/config.yaml.d/*.yaml 2>/dev/null | grep -qE '^disable-scheduler:[[:space:]]*["'\'']?true'
}
# OpenRC compares whole seconds: what is written in the second of its last look would stay unknown to it, and berth would
# not be restarted with k3s.
reload() {
	case $manager in
	systemd) systemctl daemon-reload ;;
	openrc) rc-update -u >/dev/null 2>&1 || true ;;
	esac
}
enable() {
	case $manager in
	systemd) systemctl enable --quiet berth ;;
	openrc) rc-update add berth default >/dev/null ;;
	esac
}
put_back() {
	[ -n "$undo" ] || return 0
	undo=''
	say "putting everything back: k3s runs its own scheduler again" >&2
	service stop berth >/dev/null 2>&1 || true
	case $manager in
	systemd) systemctl disable --quiet berth >/dev/null 2>&1 || true ;;
	openrc) rc-update del berth default >/dev/null 2>&1 || true ;;
	esac
	rm -f "$k3s_config/config.yaml.d/berth.yaml"
	service restart k3s || say "k3s could not be restarted; its log says why" >&2
}
# A pod that nothing but a scheduler holds back; its image is never pulled before it is deleted again.
binds_a_pod() {
	name=berth-check-$$
	scheduler=default-scheduler
	[ -z "$beside" ] || scheduler=berth
	until k3s kubectl create -f - >/dev/null 2>&1 <<END
apiVersion: v1
kind: Pod
metadata: {name: $name, namespace: kube-system, labels: {app.kubernetes.io/managed-by: berth-install}}
spec:
  schedulerName: $scheduler
  terminationGracePeriodSeconds: 0
  automountServiceAccountToken: false
  tolerations: [{operator: Exists}]
  containers: [{name: none, image: rancher/mirrored-pause:3.6}]
END
	do
		[ "$(date +%s)" -lt "$1" ] || return 1
		sleep 1
	done
	bound=1
	while [ "$(date +%s)" -lt "$1" ]; do
		if [ -n "$(k3s kubectl get pod "$name" -n kube-system -o 'jsonpath={.spec.nodeName}' 2>/dev/null)" ]; then
			bound=0
			break
		fi
		sleep 1
	done
	k3s kubectl delete pod "$name" -n kube-system --wait=false >/dev/null 2>&1 || true
	return $bound
}
change_over() {
	deadline=$(($(date +%s) + wait_seconds))
	trap 'put_back' EXIT
	trap 'exit 130' INT TERM HUP
	reload
	if [ -z "$beside" ] && ! disables_scheduler; then
		undo=yes
		service stop berth >/dev/null 2>&1 || true
		mkdir -p "$k3s_config/config.yaml.d"
		echo 'disable-scheduler: true' >"$k3s_config/config.yaml.d/berth.yaml"
		say "restarting k3s without its scheduler"
		service restart k3s || fail "k3s did not restart without its scheduler"
		changed=yes
	elif [ -n "$beside" ] && [ -f "$k3s_config/config.yaml.d/berth.yaml" ]; then
		service stop berth >/dev/null 2>&1 || true
		rm -f "$k3s_config/config.yaml.d/berth.yaml"
		say "restarting k3s with its scheduler"
		service restart k3s || fail "k3s did not restart with its scheduler"
		changed=yes
	fi
	enable
	if [ -n "$changed" ] || ! is_active berth; then
		service restart berth || fail "berth did not start; its log says why"
	fi
	binds_a_pod "$deadline" || {
		show_log >&2
		fail "berth bound no pod within $wait_seconds seconds"
	}
	trap - EXIT
	undo=''
}
show_log() {
	case $manager in
	systemd) journalctl -u berth -n 20 --no-pager 2>/dev/null || true ;;
	openrc) grep berth /var/log/messages 2>/dev/null | tail -n 20 || true ;;
	esac
}

read_flags "$@"
find_source
look_first
put_user
put_files
if [ -z "$restart" ]; then
	say "files are in place; nothing was restarted. To finish: install.sh without --no-restart"
	exit 0
fi
change_over
if [ -n "$beside" ]; then
	say "done: berth binds pods with 'schedulerName: berth'; all others stay with k3s's scheduler"
else
	say "done: berth is the scheduler of this cluster; /usr/lib/berth/uninstall.sh gives it back"
fi
