#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# install.sh and uninstall.sh on a stand-in of k3s that has its files, its services and both ways of leading, with the
# bundled apiserver behind it. A copy of this machine's file system that is thrown away takes what they write: an overlay
# in a mount namespace of its own.
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != inside ]; then
	tools/packages openssl curl util-linux iproute2 >/dev/null || exit 1
	exec unshare -m -n --propagation private "$0" inside
fi
. tests/firmware/standin/ground.sh
mkdir -p "$root/run/systemd/system"
install -m 755 $standin/systemctl "$root/usr/bin/systemctl"
printf '[Service]\nExecStart=/usr/local/bin/k3s \\\n    server \\\n' >"$root/etc/systemd/system/k3s.service"

# ---- before anything is changed ----
claim 'k3s that does not run: refused' refused 'does not run as a service' inside /archive/install.sh
inside systemctl start k3s
claim 'the stand-in schedules by itself' binds default-scheduler
claim 'systemd 239: refused' refused 'older than 240' inside env STANDIN_SYSTEMD=239 /archive/install.sh
claim 'k3s 1.20: refused' refused 'older than 1.21' inside env STANDIN_K3S=1.20.15 /archive/install.sh
claim 'another data folder without a scheduler: refused' refused 'is not there' inside /archive/install.sh --data-dir /nowhere
claim 'an unknown flag: refused' refused 'unknown flag --besides' inside /archive/install.sh --besides
cp -r "$root/archive" "$root/damaged" && echo x >>"$root/damaged/root/usr/bin/berth"
claim 'a damaged archive: refused' refused 'not what SHA256SUMS says' inside /damaged/install.sh
claim 'a pipe without an address: refused' refused 'BERTH_URL' inside sh -c 'sh -s - --version 0.1.0 </archive/install.sh'
cp -r "$root/packages" "$root/bad" && echo x >>"$root/bad/$archive"
claim 'a damaged download: refused' refused 'not what SHA256SUMS says' inside env BERTH_URL=file:///bad sh -c "sh -s - --version $version </bad/install.sh"

# ---- beside the built-in one first ----
claim 'beside: it installs' install_here --beside
claim 'beside: k3s keeps its scheduler' runs builtin
claim 'beside: a pod for berth gets a node' binds berth
claim 'beside: a pod for the other one, too' binds default-scheduler

# ---- in its place, k3s on sqlite ----
claim 'in place: it installs over that' install_here --memory 16Mi
claim 'in place: berth runs alone' berth_alone
claim 'in place: a pod gets a node' binds default-scheduler
claim 'in place: never two schedulers' never_two
claim 'in place: its memory is what was asked for' grep -q -- '--memory 16Mi' "$root/etc/default/berth"
claim 'in place: its user can read nothing of k3s' [ "$(stat -c %a "$root/var/lib/rancher/k3s/server/cred/scheduler.kubeconfig")" = 600 ]
claim 'in place: its port is for this machine alone' sh -c "tr '\0' ' ' </proc/$(cat "$root/standin/berth.pid")/cmdline | grep -q -- '--bind-address 127.0.0.1'"
before=$(wc -l <"$root/standin/journal")
claim 'again: it succeeds' install_here --memory 16Mi
claim 'again: nothing was written' sh -c "! grep wrote '$work/out'"
claim 'again: nothing was restarted' [ "$(wc -l <"$root/standin/journal")" = "$before" ]
old=$(sha256sum <"$root/run/berth/client-certificate.pem")
inside systemctl restart k3s
claim 'k3s restarts: berth runs alone again' berth_alone
claim 'k3s restarts: with the renewed certificate' [ "$(sha256sum <"$root/run/berth/client-certificate.pem")" != "$old" ]
claim 'k3s restarts: a pod gets a node' binds default-scheduler

# ---- back ----
claim 'uninstall: it succeeds' inside /usr/lib/berth/uninstall.sh
claim 'uninstall: k3s has its scheduler back' builtin_alone
claim 'uninstall: a pod gets a node' binds default-scheduler
claim 'uninstall: nothing is left' nothing_left
claim 'uninstall: never two schedulers' never_two

# ---- it does not bind: everything is put back ----
mkdir -p "$root/etc/berth"
sed 's/schedulerName: .*/schedulerName: somebody-else/' firmware/package/berth.yaml >"$root/etc/berth/berth.yaml"
claim 'a berth that binds nothing: the installer fails' sh -c '! "$@"' sh chroot "$root" /archive/install.sh --wait 6
claim 'a berth that binds nothing: k3s has its scheduler back' builtin_alone
claim 'a berth that binds nothing: a pod gets a node' binds default-scheduler
claim 'a berth that binds nothing: k3s is not configured without a scheduler' [ ! -e "$root/etc/rancher/k3s/config.yaml.d/berth.yaml" ]
rm -rf "$root/etc/berth"

# ---- k3s with a lease (embedded etcd), its data elsewhere, by a pipe ----
echo true >"$root/standin/leader-elect"
printf 'data-dir: "/srv/k3s"\n' >"$root/etc/rancher/k3s/config.yaml"
inside systemctl restart k3s
claim 'by a pipe: it installs' inside env BERTH_URL=file:///packages sh -c "sh -s - --version $version --wait 30 </packages/install.sh"
claim 'by a pipe: berth runs alone' berth_alone
claim 'by a pipe: a pod gets a node' binds default-scheduler
claim 'by a pipe: it gives the cluster back' inside /usr/lib/berth/uninstall.sh --keep-config
claim 'by a pipe: k3s has its scheduler back' builtin_alone
claim 'with a lease: a pod gets a node' binds default-scheduler
claim 'a kept configuration stays' [ -f "$root/etc/berth/berth.yaml" ]
finish
