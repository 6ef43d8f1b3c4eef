#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The binary from outside: how it is linked, what it says, and that two builds in two places are the same bytes.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh

berth=build/x86_64/berth
built "$berth"

# says STATUS WORDS COMMAND...: the exit status, and WORDS among what is printed
says() {
	status=$1 words=$2; shift 2
	"$@" >"$work/said" 2>&1
	got=$?
	[ $got -eq "$status" ] || { echo "exit $got instead of $status:"; cat "$work/said"; return 1; }
	grep -qF -e "$words" "$work/said" || { echo "not among what it says: $words"; cat "$work/said"; return 1; }
}
linked() { file "$berth" | grep -F 'static-pie linked'; }
# A debugger, a core dump and an inventory of packages find the symbols by the id, and the parts by the section table.
mapped() { file "$berth" | grep -F 'BuildID' | grep -F ', stripped' && readelf -SW "$berth" | grep -wF .rodata; }
# Constants cannot be executed: no segment with code holds them.
apart() { ! readelf -lW "$berth" | awk '$1 ~ /^[0-9]+$/' | grep -w '\.text' | grep -E '\.(ro)?data'; }
no_loader() { ! readelf -lW "$berth" | grep INTERP && ! readelf -dW "$berth" | grep NEEDED; }
# GNU_RELRO covers the table of functions only when binding is done at start.
relro() { readelf -lW "$berth" | grep GNU_RELRO && readelf -dW "$berth" | grep -E 'FLAGS_1.*NOW'; }
stack() { readelf -lW "$berth" | grep GNU_STACK | grep -v RWE; }
protected() { nm build/x86_64/berth.debug | grep __stack_chk_fail; }
one_line() { "$@" 2>&1 | awk 'END { exit NR != 1 }'; }
lines() { "$@" | awk '/\?/ { odd = 1 } END { exit odd || NR != 8 }'; }
screen() { "$berth" --help | awk 'length > 80 { exit 1 } END { exit NR > 24 || NR < 3 }'; }
same_bytes() {
	mkdir "$work/elsewhere"
	tar -cf - --exclude=./build --exclude=./.git . | tar -C "$work/elsewhere" -xf - || return 1
	make -s -C "$work/elsewhere" -j "$(nproc)" || return 1
	cmp "$berth" "$work/elsewhere/$berth"
}

claim 'file says statically linked, position independent' linked
claim 'no loader, no shared library' no_loader
claim 'relocations are read-only, binding is done at start' relro
claim 'the stack is not executable' stack
claim 'stack protector' protected
claim 'build id and section table' mapped
claim 'code and data on pages of their own' apart
claim 'version' says 0 'board x86_64' "$berth" version
claim 'version, budget' says 0 'memory budget 72 MiB' "$berth" version
claim 'version, a line for each' lines "$berth" version
for library in 'mbedTLS 3.' 'mongoose 7.' 'jsmn 1.' 'libyaml 0.' 'musl 1.'; do
	claim "version, $library" says 0 "$library" "$berth" version
done
claim 'help fits a screen' screen
claim 'unknown command' says 2 "unknown command 'fly'" "$berth" fly
claim 'unknown command, one line' one_line "$berth" fly
claim 'unknown flag' says 2 "unknown flag '--fly'" "$berth" --fly
claim 'unknown flag, one line' one_line "$berth" --fly
claim 'an argument too many' says 2 'version takes no argument' "$berth" version fly
ln -s "$PWD/$berth" "$work/kube-scheduler"
claim 'under the name of kube-scheduler it runs' says 2 'unknown flag --fly' "$work/kube-scheduler" --fly
claim 'and has its flags' says 0 '--leader-elect-lease-duration' "$work/kube-scheduler" --help
claim 'two builds in two places are the same bytes' same_bytes

finish
