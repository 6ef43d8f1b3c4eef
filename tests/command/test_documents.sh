#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the documents name is there: files behind links, commands of berth with their flags, targets of make; and the page of the
# manual says what `berth help` says.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh
built build/x86_64/berth
berth=build/x86_64/berth
documents="README.md CHANGELOG.md SECURITY.md CONTRIBUTING.md firmware/README.md firmware/package/README.md src/README.md"

links() {
	local missing=0 file link
	for file in $documents; do
		for link in $(grep -o '](\([^)]*\))' "$file" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^https\{0,1\}:'); do
			[ -e "$(dirname "$file")/$link" ] || { echo "$file: $link"; missing=1; }
		done
	done
	return $missing
}
claim 'every link leads to a file' links

# Command lines: code in blocks and between `, from `berth` on to the end, a comment, or what is piped.
lines() {
	{
		grep -hE '^    .*berth ' $documents
		grep -ohE '`berth [^`]*`' $documents | tr -d '`'
	} | sed 's/ #.*//' | grep -oE '(^ *|[|(/] *)berth [a-z][^|]*' | sed 's/^[^b]*//'
}
commands() {
	local wrong=0 line command flag
	while read -r line; do
		command=$(echo "$line" | cut -d' ' -f2)
		"$berth" completion words | grep -qx -- "$command" || { echo "no command: $line"; wrong=1; continue; }
		for flag in $(echo "$line" | grep -oE -- ' --[a-z][a-z-]*'); do
			"$berth" completion words "$command" | grep -qx -- "$flag" || { echo "no flag $flag: $line"; wrong=1; }
		done
	done < <(lines)
	return $wrong
}
claim 'there are command lines in them' test "$(lines | wc -l)" -ge 25
claim 'every command and every flag is one of berth' commands
targets() {
	local wrong=0 target
	for target in $(grep -ohE '(^    |`)make [a-z][a-z-]*([^a-z/-]|$)' $documents | sed 's/.*make //; s/[^a-z-]$//' | sort -u); do
		grep -qE "^$target:|^\\\$\(.*$target" Makefile || { echo "make $target"; wrong=1; }
	done
	return $wrong
}
claim 'every target is one of make' targets
claim 'the picture is small' test "$(wc -c <tools/page/overview.png)" -lt 150000

manual() { tools/manual "$berth" | diff - firmware/package/berth.1 || { echo "tools/manual $berth >firmware/package/berth.1"; return 1; }; }
claim 'the manual says what help says' manual
if command -v man >/dev/null; then
	claim 'the manual is right roff' sh -c '! man --warnings -E UTF-8 -l -Tutf8 -Z firmware/package/berth.1 2>&1 >/dev/null | grep .'
fi
for script in bash:berth.bash zsh:_berth fish:berth.fish; do
	shell=${script%:*}
	"$berth" completion $shell >"$work/completion"
	claim "the shipped completion of $shell is that of the binary" cmp "$work/completion" "firmware/package/completions/${script#*:}"
	command -v $shell >/dev/null || continue
	claim "$shell reads its completion" $shell -n "$work/completion"
done
finish
