# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tests of the installer, in mount and network namespaces of their own: a copy of this machine's file system that is
# thrown away (an overlay) with a stand-in of k3s in it, the bundled apiserver behind that, and words for what must be so. The
# usual ports are theirs, whatever else runs on this machine.
. tests/tools/report.sh
. tests/tools/bundled.sh

ip link set lo up || exit 1
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
mkdir -p "$root/standin" "$root/etc/rancher/k3s"
end_inside() {
	for one in berth builtin; do
		[ ! -s "$root/standin/$one.pid" ] || kill -KILL "$(cat "$root/standin/$one.pid")" 2>/dev/null
	done
	end
}
trap end_inside EXIT

standin=tests/firmware/standin
install -m 755 $standin/k3s "$root/usr/local/bin/k3s"
install -m 755 $standin/k3s-server "$root/standin/k3s-server"
install -m 755 "$berth" "$root/standin/builtin"

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
state_of() { (cd "$root" && find etc/rancher etc/berth etc/systemd/system etc/init.d usr/bin/berth standin/berth.pid standin/builtin.pid -type f 2>/dev/null | sort | xargs -r sha256sum); }
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

