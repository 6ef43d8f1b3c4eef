#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# install.sh and uninstall.sh where OpenRC runs the services: Debian's OpenRC, its supervisor and its dependencies, with a
# stand-in of k3s, in a copy of this machine's file system that is thrown away.
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != inside ]; then
	tools/packages openssl curl util-linux iproute2 passwd >/dev/null || exit 1
	for package in openrc librc1 libeinfo1; do firmware/debian amd64 $package build/debian/amd64/$package || exit 1; done
	exec unshare -m -n --propagation private "$0" inside
fi
. tests/firmware/standin/ground.sh

for package in openrc librc1 libeinfo1; do
	tar -C build/debian/amd64/$package -c --exclude ./.version . | tar -C "$root" -x --keep-directory-symlink || exit 1
done
rm -rf "$root/run/systemd"
# What its first steps on a real machine make.
for state in starting started stopping inactive wasinactive failed hotplugged daemons options exclusive scheduled tmp init.d; do
	mkdir -p "$root/run/openrc/$state"
done
touch "$root/run/openrc/softlevel"
# service NAME: an init script from standard input
service() { cat >"$root/etc/init.d/$1" && chmod 755 "$root/etc/init.d/$1"; }
service standin-net <<'END'
#!/sbin/openrc-run
depend() { provide net; }
start() { :; }
END
service k3s <<'END'
#!/sbin/openrc-run
depend() { need net; }
start() { /standin/k3s-server </dev/null >/dev/null 2>&1; }
stop() {
	[ ! -s /standin/builtin.pid ] || kill "$(cat /standin/builtin.pid)"
	rm -f /standin/builtin.pid /standin/k3s.active
}
END
# The one of all berths whose root is ours: the child of the supervisor.
pid_of_berth() {
	local pid
	for pid in $(pgrep -x berth); do
		[ "$(stat -Lc %d:%i "/proc/$pid/root" 2>/dev/null)" != "$(stat -Lc %d:%i "$root")" ] || echo "$pid"
	done
}
berth_runs() { [ -n "$(pid_of_berth)" ]; }
alone() { berth_runs && ! runs builtin; }
given_back() { runs builtin && ! berth_runs; }
(
	while [ -d "$root/standin" ]; do
		if berth_runs && runs builtin && [ ! -e "$root/standin/beside" ]; then echo 'TWO SCHEDULERS' >>"$root/standin/journal"; fi
		sleep 0.2
	done
) &
watcher=$!
end_openrc() {
	kill $watcher 2>/dev/null
	inside rc-service berth stop >/dev/null 2>&1
	end_inside
}
trap end_openrc EXIT
touch "$root/standin/journal"

claim 'k3s that does not run: refused' refused 'does not run as a service' inside /archive/install.sh
claim 'k3s starts' inside rc-service k3s start
claim 'the stand-in schedules by itself' binds default-scheduler

touch "$root/standin/beside"
touch -d '5 seconds' "$root/run/openrc/deptree" # as if OpenRC had looked in the second of the installation
claim 'beside: it installs' install_here --beside
claim 'beside: OpenRC knows what berth needs' grep -q "needsme.*='berth'" "$root/run/openrc/deptree"
cat "$work/out" >>"$work/log"
both_run() { berth_runs && runs builtin; }
claim 'beside: both run' both_run
claim 'beside: a pod for berth gets a node' binds berth
claim 'in place: it installs over that' install_here --memory 16Mi
rm "$root/standin/beside" # the watcher looks from here on
claim 'in place: berth runs alone' alone
claim 'in place: a pod gets a node' binds default-scheduler
claim 'in place: as a user of its own' [ "$(stat -c %u "/proc/$(pid_of_berth)")" = "$(inside id -u berth)" ]
claim 'in place: its memory is what was asked for' sh -c "tr '\0' ' ' </proc/$(pid_of_berth)/cmdline | grep -q -- '--memory 16Mi'"
claim 'in place: with the limit that was asked for' grep -q '^Max open files *1024 *1024' "/proc/$(pid_of_berth)/limits"
claim 'in place: it starts with the machine' [ -L "$root/etc/runlevels/default/berth" ]
old=$(pid_of_berth)
claim 'again: it succeeds' install_here --memory 16Mi
claim 'again: nothing was written' sh -c "! grep wrote '$work/out'"
claim 'again: nothing was restarted' [ "$(pid_of_berth)" = "$old" ]
kill -KILL "$old"
claim 'killed: its supervisor starts it again' eventually 20 alone
claim 'killed: a pod gets a node, once the lease has run out' eventually 60 binds default-scheduler
certificate=$(sha256sum <"$root/run/berth/client-certificate.pem")
claim 'k3s restarts' inside rc-service k3s restart
# berth may still be on its way down when the command has ended.
renewed() { [ -s "$root/run/berth/client-certificate.pem" ] && [ "$(sha256sum <"$root/run/berth/client-certificate.pem")" != "$certificate" ]; }
claim 'k3s restarts: with the renewed certificate' eventually 20 renewed
claim 'k3s restarts: berth runs alone again' eventually 20 alone
claim 'k3s restarts: a pod gets a node' binds default-scheduler
claim 'uninstall: it succeeds' inside /usr/lib/berth/uninstall.sh
claim 'uninstall: k3s has its scheduler back' given_back
claim 'uninstall: a pod gets a node' binds default-scheduler
claim 'uninstall: nothing is left' nothing_left
claim 'uninstall: its user is gone' sh -c "! grep '^berth:' $root/etc/passwd $root/etc/group"

mkdir -p "$root/etc/berth"
sed 's/schedulerName: .*/schedulerName: somebody-else/' firmware/package/berth.yaml >"$root/etc/berth/berth.yaml"
claim 'a berth that binds nothing: the installer fails' sh -c '! "$@"' sh chroot "$root" /archive/install.sh --wait 6
claim 'a berth that binds nothing: k3s has its scheduler back' given_back
claim 'a berth that binds nothing: a pod gets a node' binds default-scheduler
claim 'never two schedulers' never_two
finish
