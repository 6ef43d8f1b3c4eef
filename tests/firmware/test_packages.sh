#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What firmware/packages makes: the same bytes twice, a Debian package that comes and goes without a trace, an image that
# is what the OCI layout says it is. The package is installed in an overlay over this machine that is thrown away.
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != inside ]; then
	exec unshare -m --propagation private "$0" inside
fi
. tests/tools/report.sh
built build/x86_64/berth
berth=build/x86_64/berth
version=$(sed -n 's/^VERSION := //p' Makefile)

firmware/packages x86_64 $berth "$work/one" >/dev/null || exit 1
mkdir "$work/elsewhere" && cp $berth "$work/elsewhere/berth" && touch -d 2001-01-01 "$work/elsewhere/berth"
(umask 077 && TZ=Asia/Tokyo firmware/packages x86_64 "$work/elsewhere/berth" "$work/two" >/dev/null)
claim 'two builds: the same bytes' diff -r "$work/one" "$work/two"
claim 'the sums are those of the files' sh -c "cd '$work/one' && sha256sum -c --quiet SHA256SUMS"

# ---- Debian ----
mount -t tmpfs none /mnt || exit 1
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root || exit 1
root=/mnt/root
mount -t tmpfs none "$root/run"
mkdir -p "$root/run/systemd/system" "$root/packages"
cp "$work"/one/*.deb "$root/packages/old.deb"
cat >"$root/usr/bin/systemctl" <<'END'
#!/bin/sh
echo "$*" >>/packages/systemctl
END
chmod 755 "$root/usr/bin/systemctl"
mkdir "$work/newer"
sed 's/^VERSION := .*/VERSION := 99.0.0/' Makefile >"$work/Makefile"
dpkg-deb -R "$work/one/berth_${version}_amd64.deb" "$work/newer/tree"
sed -i 's/^Version: .*/Version: 99.0.0/' "$work/newer/tree/DEBIAN/control"
dpkg-deb --root-owner-group -b "$work/newer/tree" "$root/packages/new.deb" >/dev/null
inside() { chroot "$root" env PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
asked() { grep -qx -- "$1" "$root/packages/systemctl"; }
gone() { ! (cd /mnt/upper && find . -path ./packages -prune -o -type f -print | grep -i berth | grep -v -e var/lib/dpkg -e var/log); }

claim 'it installs' inside dpkg -i /packages/old.deb
claim 'it runs' inside berth version
claim 'it is not started by itself: the cluster may have a scheduler' sh -c "! grep -E 'start|enable' '$root/packages/systemctl'"
claim 'its configuration is valid' inside berth check-config /etc/berth/berth.yaml
echo '# mine' >>"$root/etc/berth/berth.yaml"
claim 'it is upgraded' inside dpkg -i --force-confold /packages/new.deb
claim 'a running one is restarted' asked 'try-restart berth.service'
claim 'the changed configuration stays' grep -q '^# mine' "$root/etc/berth/berth.yaml"
claim 'it is removed' inside dpkg -r berth
claim 'it was stopped before' asked 'disable --now berth.service'
claim 'the changed configuration still stays' grep -q '^# mine' "$root/etc/berth/berth.yaml"
claim 'it is purged' inside dpkg -P berth
claim 'nothing is left' gone

tools/packages lintian >"$work/apt" 2>&1 || cat "$work/apt"
claim 'lintian finds nothing' lintian --allow-root --fail-on error,warning "$work"/one/*.deb

# ---- the image ----
image=$work/image
mkdir "$image" && tar -xf "$work/one/berth-$version-x86_64.oci.tar" -C "$image"
value() { # value FIELD FILE: of a field that stands once
	grep -o "\"$1\":\"[^\"]*\"" "$2" | head -n 1 | cut -d'"' -f4
}
blob() { echo "$image/blobs/${1/:/\/}"; }
each_blob_is_its_name() {
	local f
	for f in "$image"/blobs/sha256/*; do [ "$(sha256sum <"$f" | cut -d' ' -f1)" = "$(basename "$f")" ] || return 1; done
}
claim 'each blob has the name of its content' each_blob_is_its_name
claim 'every JSON of it is JSON' sh -c 'for f; do node -e "JSON.parse(require(\"fs\").readFileSync(process.argv[1]))" "$f" || exit 1; done' sh \
	"$image/index.json" "$image/oci-layout" "$image/manifest.json"
manifest=$(blob "$(value digest "$image/index.json")")
config=$(blob "$(value digest "$manifest")")
layer=$(blob "$(grep -o '"digest":"[^"]*"' "$manifest" | tail -n 1 | cut -d'"' -f4)")
claim 'it holds one file' [ "$(tar -tzf "$layer" | grep -vc '/$')" = 1 ]
claim 'which is berth' cmp <(tar -xOzf "$layer" ./usr/bin/berth) $berth
claim 'its configuration names the uncompressed layer' [ "$(grep -o '"diff_ids":\["[^"]*"' "$config" | cut -d'"' -f4)" = "sha256:$(gzip -dc "$layer" | sha256sum | cut -d' ' -f1)" ]
claim 'it runs as nobody' grep -q '"User":"65534:65534"' "$config"
mkdir "$work/all" && tar -xf "$work/one/berth-$version-all.oci.tar" -C "$work/all"
claim 'the index of all boards leads to it' grep -q "$(value digest "$image/index.json")" "$work/all/blobs/sha256/$(value digest "$work/all/index.json" | cut -d: -f2)"
finish
