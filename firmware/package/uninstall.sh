#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# uninstall.sh [--keep-config]   gives the cluster back to the scheduler of k3s and removes berth
#
# berth is stopped before k3s starts with its own scheduler, because a k3s on sqlite runs that one without a lease: there
# are never two. May be run again.
set -eu

keep=''
k3s_config=/etc/rancher/k3s

say() { echo "uninstall.sh: $*"; }
fail() { echo "uninstall.sh: $*" >&2; exit 1; }

case ${1:-} in
'') ;;
--keep-config) keep=yes ;;
*) fail "unknown flag $1; there is --keep-config, which leaves /etc/berth and the settings" ;;
esac
[ "$(id -u)" = 0 ] || fail "must run as root"

if [ -d /run/systemd/system ]; then
	systemctl disable --quiet --now berth 2>/dev/null || true
	rm -f /etc/systemd/system/berth.service /etc/systemd/system/berth.service.d/k3s.conf
	rmdir /etc/systemd/system/berth.service.d 2>/dev/null || true
	systemctl daemon-reload
	restart_k3s() { systemctl restart k3s; }
else
	rc-service berth stop >/dev/null 2>&1 || true
	rc-update del berth default >/dev/null 2>&1 || true
	rm -f /etc/init.d/berth
	restart_k3s() { rc-service k3s restart; }
fi

if [ -f "$k3s_config/config.yaml.d/berth.yaml" ]; then
	rm -f "$k3s_config/config.yaml.d/berth.yaml"
	say "restarting k3s with its own scheduler"
	restart_k3s || fail "k3s did not restart; its log says why"
fi
if cat "$k3s_config/config.yaml" "$k3s_config"/config.yaml.d/*.yaml 2>/dev/null | grep -qE '^disable-scheduler:[[:space:]]*["'\'']?true'; then
	say "warning: $k3s_config still says disable-scheduler: true, written by somebody else; no scheduler runs until it goes" >&2
fi

rm -f /usr/bin/berth /usr/lib/berth/k3s-credentials /usr/share/man/man1/berth*.1* \
	/usr/share/bash-completion/completions/berth /usr/share/zsh/vendor-completions/_berth \
	/usr/share/fish/vendor_completions.d/berth.fish
rm -rf /usr/share/doc/berth /run/berth
[ -n "$keep" ] || rm -rf /etc/berth /etc/default/berth /etc/conf.d/berth
if grep -q '^berth:' /etc/passwd 2>/dev/null; then
	userdel berth >/dev/null 2>&1 || deluser berth >/dev/null 2>&1 || true
fi
rm -f /usr/lib/berth/uninstall.sh
rmdir /usr/lib/berth 2>/dev/null || true
say "berth is removed"
