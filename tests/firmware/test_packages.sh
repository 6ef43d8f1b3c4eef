#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What firmware/packages makes: the same bytes twice, a Debian package that comes and goes without a trace, an image that
# is what the OCI layout says it is. The package is installed in overlays that are thrown away: over this machine, and over a
# Debian that has nothing but its base.
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != inside ]; then
	exec unshare -m --propagation private "$0" inside
fi
. tests/tools/report.sh
built build/x86_64/berth
berth=build/x86_64/berth
version=$(sed -n 's/^VERSION := //p' Makefile)

firmware/packages x86_64 $berth "$work/one" >"$work/made" || exit 1
mkdir "$work/elsewhere" && cp $berth "$work/elsewhere/berth" && touch -d 2001-01-01 "$work/elsewhere/berth"
(umask 077 && TZ=Asia/Tokyo firmware/packages x86_64 "$work/elsewhere/berth" "$work/two" >/dev/null)
claim 'two builds: the same bytes' diff -r "$work/one" "$work/two"
claim 'the sums are those of the files' sh -c "cd '$work/one' && sha256sum -c --quiet SHA256SUMS"

digest=$(sha256sum <$berth | cut -d' ' -f1)
claim 'the digest of the binary is said' grep -q "^$digest: " "$work/made"
claim 'and is among the sums of the archive' sh -c "tar -xzOf '$work/one/berth-$version-x86_64.tar.gz' 'berth-$version-x86_64/SHA256SUMS' | grep -qx '$digest  root/usr/bin/berth'"

# ---- the archive ----
completions='usr/share/bash-completion/completions/berth usr/share/zsh/vendor-completions/_berth usr/share/fish/vendor_completions.d/berth.fish'
mkdir "$work/archive" && tar -xzf "$work/one/berth-$version-x86_64.tar.gz" -C "$work/archive" --strip-components 1
for file in usr/share/man/man1/berth.1 $completions; do claim "the archive has $file" test -s "$work/archive/root/$file"; done

# ---- Debian ----
mkdir "$work/newer"
dpkg-deb -R "$work/one/berth_${version}_amd64.deb" "$work/newer/tree"
sed -i 's/^Version: .*/Version: 99.0.0/' "$work/newer/tree/DEBIAN/control"
dpkg-deb --root-owner-group -b "$work/newer/tree" "$work/new.deb" >/dev/null
inside() { chroot "$root" env PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
asked() { grep -qx -- "$1" "$root/packages/systemctl"; }
# Files that are not the lower folder's, but for what dpkg and manuals remember.
files() { (cd /mnt/upper && find . ! -path './packages/*' ! -path './var/lib/dpkg/*' ! -path './var/log/*' ! -path './var/cache/*' ! -path './dev/*' -type f | sort); }
completed() { inside bash -c '. /usr/share/bash-completion/completions/berth; COMP_WORDS=(berth upda); COMP_CWORD=1; _berth; echo "${COMPREPLY[@]}"' | grep -qx update; }
no_trace() {
	files | diff "$work/before" - || return 1
	! ls -d "$root"/{etc,usr/lib,usr/share/doc}/berth "$root"/usr/share/bash-completion/completions/berth 2>/dev/null
}

# lives_in NAME FOLDER: the package comes and goes in an overlay over that folder
lives_in() {
	local where=$1
	mount -t tmpfs none /mnt || return 1
	mkdir /mnt/upper /mnt/work /mnt/root
	mount -t overlay overlay -o lowerdir="$2",upperdir=/mnt/upper,workdir=/mnt/work /mnt/root || return 1
	root=/mnt/root
	mount -t tmpfs none "$root/run"
	mkdir -p "$root/run/systemd/system" "$root/packages"
	cp "$work"/one/*.deb "$root/packages/old.deb"
	cp "$work/new.deb" "$root/packages/new.deb"
	printf '#!/bin/sh\necho "$*" >>/packages/systemctl\n' >"$root/usr/bin/systemctl"
	chmod 755 "$root/usr/bin/systemctl"
	: >"$root/packages/systemctl"
	files >"$work/before"
	claim "$where: it installs" inside dpkg -i /packages/old.deb
	claim "$where: it runs" inside berth version
	claim "$where: it is not started by itself: the cluster may have a scheduler" sh -c "! grep -E 'start|enable' '$root/packages/systemctl'"
	claim "$where: its configuration is valid" inside berth check-config /etc/berth/berth.yaml
	claim "$where: the lease is renewed every 5 s" inside sh -c "berth check-config /etc/berth/berth.yaml | grep -q 'retryPeriod: 5s'"
	claim "$where: a shell completes it" completed
	echo '# mine' >>"$root/etc/berth/berth.yaml"
	claim "$where: it is upgraded" inside dpkg -i --force-confold /packages/new.deb
	claim "$where: a running one is restarted" asked 'try-restart berth.service'
	claim "$where: the changed configuration stays" grep -q '^# mine' "$root/etc/berth/berth.yaml"
	claim "$where: it is removed" inside dpkg -r berth
	claim "$where: it was stopped before" asked 'disable --now berth.service'
	claim "$where: the changed configuration still stays" grep -q '^# mine' "$root/etc/berth/berth.yaml"
	claim "$where: it is purged" inside dpkg -P berth
	claim "$where: nothing is left" no_trace
	umount "$root/run" "$root" /mnt
}
lives_in 'this machine' /

# A Debian in which nothing was ever installed, from the archive that this machine has. It is fetched once.
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release) fresh=$PWD/build/debian
mirror=$(apt-get indextargets --format '$(CODENAME) $(SITE)' | awk -v suite="$suite" '$1 == suite { print $2; exit }')
if [ ! -e "$fresh.made" ]; then
	rm -rf "$fresh"
	tools/packages debootstrap >"$work/apt" 2>&1 || cat "$work/apt"
	timeout 900 debootstrap --variant=minbase "$suite" "$fresh" "$mirror" >"$work/debootstrap" 2>&1 && touch "$fresh.made"
fi
if [ -e "$fresh.made" ]; then
	lives_in 'a fresh Debian' "$fresh"
else
	tail -n 3 "$work/debootstrap"
	skipped_unless 'the package in a fresh Debian' curl -fsSI --max-time 20 "$mirror/dists/$suite/Release"
fi

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
