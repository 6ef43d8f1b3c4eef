#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# vendor/fetch with archives of our own making: what is verified, what stops the build, what works without a network.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh

# A library with a licence, as an archive in a private cache, and a recipe that accepts it. apt is out of reach on
# purpose: an apt-get that fails stands first in the path.
mkdir -p "$work/bin" "$work/cache/archives" "$work/vendor/box" "$work/box-1.0/src"
printf '#!/bin/sh\nexit 100\n' >"$work/bin/apt-get"
printf '#!/bin/sh\nexit 0\n' >"$work/bin/sleep"
cp "$work/bin/apt-get" "$work/bin/apt-cache"
chmod +x "$work/bin"/*
cp vendor/fetch "$work/vendor/fetch"
echo 'be kind' >"$work/box-1.0/LICENSE"
echo 'int box;' >"$work/box-1.0/src/box.c"
archive=$work/cache/archives/box_1.0.orig.tar
pack() { tar -C "$work" -cf "$archive" box-1.0; }
hash_of() { sha256sum "$1" | cut -d' ' -f1; }
recipe() { # $1 hash of the archive, $2 hash of the licence
	printf 'source box 1.0 %s\nlicence LICENSE %s\nkeep src\n' "$1" "$2" >"$work/vendor/box/recipe"
}
fetch() { rm -rf "$work/out" && PATH=$work/bin:$PATH BERTH_CACHE=$work/cache "$work/vendor/fetch" box "$work/out/box"; }
# refuses WORDS: fetch fails, says WORDS, and unpacks nothing
refuses() {
	fetch >"$work/said" 2>&1 && { echo 'it was accepted'; return 1; }
	[ ! -e "$work/out/box" ] || { echo 'it was unpacked'; return 1; }
	grep -qF "$1" "$work/said" || { echo "it does not say '$1':"; cat "$work/said"; return 1; }
}
unpacked() { fetch && [ "$(cat "$work/out/box/src/box.c")" = "$1" ] && [ "$(cat "$work/out/box/.version")" = 'box 1.0' ] && [ ! -e "$work/out/box/LICENSE" ]; }

pack
recipe "$(hash_of "$archive")" "$(hash_of "$work/box-1.0/LICENSE")"
claim 'a cached archive needs no network' unpacked 'int box;'

mkdir -p "$work/p/a/src" "$work/p/b/src"
echo 'int box;' >"$work/p/a/src/box.c"; echo 'int lid;' >"$work/p/b/src/box.c"
(cd "$work/p" && diff -u a/src/box.c b/src/box.c >"$work/vendor/box/lid.patch")
claim 'a patch is applied' unpacked 'int lid;'
sed -i 's/^-int box;/-int bag;/' "$work/vendor/box/lid.patch"
claim 'a patch that does not fit stops the build' refuses 'lid.patch does not apply'
rm "$work/vendor/box/lid.patch"

echo 'exit 3' >"$work/vendor/box/cut"; echo 'cut cut' >>"$work/vendor/box/recipe"
claim 'a cut that does not fit stops the build' refuses 'cut does not fit'
rm "$work/vendor/box/cut"

recipe "$(hash_of "$archive")" "$(echo 'be nice' | sha256sum | cut -d' ' -f1)"
claim 'a changed licence stops the build' refuses 'is not the one that was agreed to'

recipe "$(hash_of "$archive")" "$(hash_of "$work/box-1.0/LICENSE")"
printf 'x' >>"$archive"
claim 'a tampered archive stops the build' refuses 'Nothing was unpacked'

pack
cat >"$work/bin/apt-cache" <<END
#!/bin/sh
echo 'Version: 1.0-3'
END
cat >"$work/bin/apt-get" <<END
#!/bin/sh
case "\$*" in *source*box=1.0-3) cp "$work/fetched" box_1.0.orig.tar.gz ;; esac
END
fetched() { mv "$archive" "$work/fetched"; unpacked 'int box;'; }
claim 'what is fetched is called as what was cached' fetched
printf '#!/bin/sh\nexit 100\n' >"$work/bin/apt-get"

rm "$archive"
claim 'without archive and network the message says what was wanted' refuses 'none of the accepted archives of box could be had (box 1.0)'

echo 'int box;' >"$work/box-1.0/src/box.c"
pack
{
	echo "source box 2.0 $(printf 0 | sha256sum | cut -d' ' -f1)"
	echo "source box 1.0 $(hash_of "$archive") flawed: known to be old"
	echo "licence LICENSE $(hash_of "$work/box-1.0/LICENSE")"
	echo 'keep src'
} >"$work/vendor/box/recipe"
claim 'a second choice with known flaws stops the build' refuses 'box 1.0 has known flaws (flawed: known to be old)'
allowed() { BERTH_ALLOW_FLAWED=1 fetch >"$work/said" 2>&1 && grep -F 'WARNING: box 1.0 is flawed: known to be old' "$work/said" && [ -f "$work/out/box/.flawed" ]; }
claim 'it is taken with a warning where that is asked for' allowed
shipped() { "$work/vendor/fetch" --flawless "$work/out" >"$work/said" 2>&1; }
not_shipped() { ! shipped && grep -qF 'nothing is shipped' "$work/said"; }
claim 'and is never shipped' not_shipped
sed -i 's/ flawed: known to be old//' "$work/vendor/box/recipe"
flawless() { unpacked 'int box;' && shipped; }
claim 'a second choice without known flaws is taken and shipped' flawless

finish
