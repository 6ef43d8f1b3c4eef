#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# install.sh and uninstall.sh on a stand-in of k3s that has its files, its services and both ways of leading, with the
# bundled apiserver behind it. A copy of this machine's file system that is thrown away takes what they write: an overlay
# in a mount namespace of its own.
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != inside ]; then
	tools/packages openssl curl util-linux >/dev/null || exit 1
	exec unshare -m --propagation private "$0" inside
fi
. tests/tools/report.sh
. tests/tools/bundled.sh

# Not below $work: what is mounted goes with the namespace, and nothing that removes $work may reach into it.
mount -t tmpfs none /mnt || exit 1
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root || exit 1
root=/mnt/root
mount -t proc proc "$root/proc"
mount -t tmpfs none "$root/run"
mount -t tmpfs none "$root/tmp"
mount -t tmpfs none "$root/dev"
while read -r name mode major minor; do mknod -m "$mode" "$root/dev/$name" c "$major" "$minor"; done <<END
null 666 1 3
zero 666 1 5
random 666 1 8
urandom 666 1 9
END
ln -s /proc/self/fd "$root/dev/fd"
mkdir -p "$root/run/systemd/system" "$root/standin" "$root/etc/rancher/k3s"
end_inside() {
	for one in berth builtin; do
		[ ! -s "$root/standin/$one.pid" ] || kill -KILL "$(cat "$root/standin/$one.pid")" 2>/dev/null
	done
	end
}
trap end_inside EXIT

standin=tests/firmware/standin
install -m 755 $standin/systemctl "$root/usr/bin/systemctl"
install -m 755 $standin/k3s "$root/usr/local/bin/k3s"
install -m 755 $standin/k3s-server "$root/standin/k3s-server"
install -m 755 "$berth" "$root/standin/builtin"
printf '[Service]\nExecStart=/usr/local/bin/k3s \\\n    server \\\n' >"$root/etc/systemd/system/k3s.service"

serve --no-life --nodes 3 --pods 0
sed -n 's/.*server: //p' "$work/made" >"$root/standin/server"
sed -n 's/.*certificate-authority-data: //p' "$work/made" | base64 -d >"$root/standin/ca.crt"
echo false >"$root/standin/leader-elect"

firmware/packages x86_64 "$berth" "$work/packages" >/dev/null || exit 1
archive=$(basename "$work"/packages/berth-*-x86_64.tar.gz)
version=$(sed -n 's/^VERSION := //p' Makefile)
mkdir -p "$root/archive" && tar -xzf "$work/packages/$archive" -C "$root/archive" --strip-components 1
cp -r "$work/packages" "$root/packages"

inside() { chroot "$root" env -u K3S_DATA_DIR PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
journal() { cat "$root/standin/journal"; }
install_here() { inside /archive/install.sh --wait 20 "$@" >"$work/out" 2>&1; }
says() { grep -q -- "$1" "$work/out" || { cat "$work/out"; return 1; }; }
refused() { # refused WORDS COMMAND...: it fails, says so, and changes nothing
	local words=$1 before
	shift
	before=$(state_of)
	if "$@" >"$work/out" 2>&1; then cat "$work/out"; return 1; fi
	says "$words" && [ "$before" = "$(state_of)" ]
}
state_of() { (cd "$root" && find etc/rancher etc/berth etc/systemd/system usr/bin/berth standin/berth.pid standin/builtin.pid -type f 2>/dev/null | sort | xargs -r sha256sum); }
up() { inside systemctl is-active --quiet "$1"; }
runs() { [ -s "$root/standin/$1.pid" ] && kill -0 "$(cat "$root/standin/$1.pid")" 2>/dev/null; }
berth_alone() { runs berth && ! runs builtin; }
builtin_alone() { runs builtin && ! runs berth; }
never_two() { ! journal | grep -q 'TWO SCHEDULERS'; }
binds() { # binds SCHEDULER: a pod of that scheduler gets a node
	local pods name=pod-$RANDOM$RANDOM
	pods=$(cat "$root/standin/server")/api/v1/namespaces/default/pods
	curl -sf --cacert "$root/standin/ca.crt" -H 'Content-Type: application/json' -o /dev/null "$pods" -d '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"'$name'"},"spec":{"schedulerName":"'"$1"'","containers":[{"name":"a","image":"x"}]}}' || return 1
	eventually 10 has_node "$pods/$name"
}
has_node() { curl -sf --cacert "$root/standin/ca.crt" "$1" | grep -q '"nodeName":"'; }
nothing_left() {
	local left
	left=$(cd /mnt/upper && find . -path ./archive -prune -o -path ./packages -prune -o -path ./standin -prune -o -path ./bad -prune -o -path ./damaged -prune -o -type f -print |
		grep -i berth | grep -v -e '/cache/' -e '/tests/')
	[ -z "$left" ] || { echo "$left"; return 1; }
}

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
