#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# tools/sbom: every library that is compiled in is named with its version, its hash and its licence, twice the same.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh

mkdir "$work/vendor"
for lib in mbedtls mongoose jsmn yaml musl; do
	mkdir "$work/vendor/$lib"
	echo "$lib 1.$lib" >"$work/vendor/$lib/.version"
	echo "box-$lib 2.$lib $(echo $lib | sha256sum | cut -d' ' -f1)" >"$work/vendor/$lib/.archive"
done
echo binary >"$work/berth"
sbom() { tools/sbom 9.9 "$work/vendor" "$work/berth" gcc; }

listed() {
	sbom >"$work/sbom" || return 1
	for lib in mbedtls mongoose jsmn yaml musl; do
		grep -q "\"versionInfo\": \"1.$lib\"" "$work/sbom" && grep -q "$(echo $lib | sha256sum | cut -d' ' -f1)" "$work/sbom" &&
			grep -q "\"relatedSpdxElement\": \"SPDXRef-$lib\"" "$work/sbom" || { echo "$lib is missing"; return 1; }
	done
	[ "$(grep -c '"licenseConcluded"' "$work/sbom")" = 7 ] && grep -q "$(sha256sum "$work/berth" | cut -d' ' -f1)" "$work/sbom"
}
claim 'all that is linked is listed' listed
same() { sbom >"$work/once" && sleep 1 && sbom >"$work/twice" && cmp "$work/once" "$work/twice"; }
claim 'the same build has the same list' same
is_json() { ! command -v jq >/dev/null || jq -e '.spdxVersion == "SPDX-2.3" and (.packages | length) == 7' "$work/sbom"; }
claim 'it is JSON' is_json
lacks() { rm "$work/vendor/jsmn/.archive"; ! sbom >/dev/null 2>&1; }
claim 'a library without a known archive stops it' lacks

finish
