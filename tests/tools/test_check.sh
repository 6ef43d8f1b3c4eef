#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Every rule of tools/check: a small tree that keeps them all, and one violation of each, which must be found at its place
# and under its name.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh

good() {
	rm -rf "$work/tree" && mkdir -p "$work/tree/src/base" "$work/tree/src/net" "$work/tree/tests/base" "$work/tree/tools" "$work/tree/vendor/yaml"
	cp tools/check tools/check.awk tools/layers "$work/tree/tools/"
	cp .clang-format "$work/tree/"
	cp vendor/yaml/recipe "$work/tree/vendor/yaml/"
	echo '# SPDX-License-Identifier: GPL-2.0-only' >"$work/tree/tools/uncalled"
	printf '%s   only this test calls it\n' arena_take socket_open >>"$work/tree/tools/uncalled"
	cat >"$work/tree/src/base/arena.h" <<'END'
/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BERTH_BASE_ARENA_H
#define BERTH_BASE_ARENA_H

int arena_take(int size);

#endif
END
	cat >"$work/tree/src/base/arena.c" <<'END'
/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/arena.h"

/* Never malloc(); says "sprintf(x)" in a string. */
int arena_take(int size)
{
	const char *text = "strcpy(a, b) // no comment";

	return size + text[0];
}
END
	cat >"$work/tree/tests/base/test_arena.c" <<'END'
/* SPDX-License-Identifier: GPL-2.0-only */
// deps: base/*.c
#include "base/arena.h"

int main(void)
{
	return arena_take(0);
}
END
}

passes() { "$work/tree/tools/check"; }
# breaks RULE PLACE: check fails, and the finding stands at PLACE under the name RULE
breaks() {
	"$work/tree/tools/check" >"$work/findings" && { echo "check is content"; return 1; }
	grep -qF "$2: $1: " "$work/findings" || { echo "no finding '$2: $1: ' in:"; cat "$work/findings"; return 1; }
	[ "$(grep -cE '^[^ ]+:[0-9]+: ' "$work/findings")" -eq "$(grep -cE "^[^ ]+:[0-9]+: $1: " "$work/findings")" ] || { echo "other rules speak too:"; cat "$work/findings"; return 1; }
	grep -q "^  ($1: " "$work/findings" || { echo 'no reason given'; return 1; }
}
# In FILE, put TEXT before the last line that begins with `}`.
into() { awk -v text="$2" '{ line[NR] = $0 } /^}/ { last = NR } END { for (i = 1; i <= NR; i++) { if (i == last) print text; print line[i] } }' "$1" >"$1.new" && mv "$1.new" "$1"; }

arena=$work/tree/src/base/arena.c

good; claim 'a tree that keeps every rule passes' passes

if command -v clang-format >/dev/null; then
	good; into "$arena" '        size++;'; claim format breaks format src/base/arena.c:9
fi
good; for _ in $(seq 71); do into "$arena" '	size++;'; done; claim function-length breaks function-length src/base/arena.c:81
good; for _ in $(seq 800); do echo 'extern int more;'; done >>"$arena"; claim file-length breaks file-length src/base/arena.c:801
good; into "$arena" "	size += 1; /* $(printf '%090d' 0) */"; "$work/tree/tools/check" columns >"$work/findings"
claim columns grep -q 'src/base/arena.c:10: columns: ' "$work/findings"
good; echo 'text ' >"$work/tree/NOTES.md"; claim whitespace breaks whitespace NOTES.md:1
good; sed -i 1d "$arena"; claim 'spdx, in C' breaks spdx src/base/arena.c:1
good; printf '#!/bin/sh\necho\n' >"$work/tree/tools/run.sh"; claim 'spdx, in a script' breaks spdx tools/run.sh:1
for call in strcpy sprintf strtok atoi assert alloca localtime gmtime setjmp rand malloc free getaddrinfo; do
	good; into "$arena" "	$call(size);"; claim "banned-call $call" breaks banned-call src/base/arena.c:10
done
good; into "$arena" '	text_free(memory_malloc(x->free(size), _Static_assert(size)));'; claim 'banned-call, names that only end alike' passes
good; mkdir -p "$work/tree/src/net"; sed 's/"base.arena.h"/"base\/arena.h"/; s/arena_take/socket_open/; s/return size/return getaddrinfo(size)/' "$arena" >"$work/tree/src/net/socket.c"; echo '// deps: net/*.c' >>"$work/tree/tests/base/test_arena.c"; claim 'banned-call, getaddrinfo in net' passes
good; sed -i '4a typedef int arena;' "$work/tree/src/base/arena.h"; claim typedef breaks typedef src/base/arena.h:5
good; sed -i '4a typedef int arena_visit(int size);' "$work/tree/src/base/arena.h"; claim 'typedef, of a function' passes
good; sed -i '4a struct arena_t;' "$work/tree/src/base/arena.h"; claim 'typedef, a name in _t' breaks typedef src/base/arena.h:5
good; sed -i 's/BERTH_BASE_ARENA_H/BERTH_ARENA_H/' "$work/tree/src/base/arena.h"; claim guard breaks guard src/base/arena.h:1
good; echo text >"$work/tree/tools/helper.md"; claim file-name breaks file-name tools/helper.md:1
good; echo text >"$work/tree/tools/text_util.md"; claim 'file-name, as a part' breaks file-name tools/text_util.md:1
good; sed -i '2a #include "net/socket.h"' "$arena"; claim 'layer, upwards' breaks layer src/base/arena.c:3
good; mkdir "$work/tree/src/attic"; cp "$arena" "$work/tree/src/attic/old.c"; echo '// deps: attic/old.c' >>"$work/tree/tests/base/test_arena.c"; claim 'layer, a folder without a height' breaks layer src/attic/old.c:2
for header in mongoose.h mbedtls/ssl.h psa/crypto.h jsmn.h yaml.h unity.h; do
	good; sed -i "1a #include <$header>" "$arena"; claim "vendor-header $header" breaks vendor-header src/base/arena.c:2
done
good; sed 's/ARENA/LIST/' "$work/tree/src/base/arena.h" >"$work/tree/src/base/list.h"; claim 'unreferenced, a header' breaks unreferenced src/base/list.h:1
good; sed -i '/deps:/d' "$work/tree/tests/base/test_arena.c"; claim 'unreferenced, a source without a test' breaks unreferenced src/base/arena.c:1
good; echo 'int yaml;' >"$work/tree/vendor/yaml/api.txt"; claim 'third-party, source in vendor' breaks third-party vendor/yaml/api.txt:1
good; : >"$work/tree/jsmn.tar.gz"; claim 'third-party, an archive' breaks third-party jsmn.tar.gz:1
good; sed -i '1a /* Copyright (c) 2010 Somebody */' "$arena"; claim 'third-party, a foreign copyright' breaks third-party src/base/arena.c:2
good; printf 'see /%s/someone/x and /%s/x\n' home work >"$work/tree/NOTES.md"; claim machine-path breaks machine-path NOTES.md:1
host=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -oE 'https?://[^/ ]+' | sed -E 's#https?://##' | head -n 1)
if [ -n "$host" ]; then
	good; echo "get it from $host" >"$work/tree/NOTES.md"; claim archive-host breaks archive-host NOTES.md:1
fi
for word in TO""DO FIX""ME XX""X HA""CK; do
	good; echo "$word: later" >"$work/tree/NOTES.md"; claim "unfinished $word" breaks unfinished NOTES.md:1
done
good; echo 'mktemp /tmp/x.XXXXXX' >"$work/tree/NOTES.md"; claim 'unfinished, not inside a longer word' passes

twin() { sed "s/arena_take/$1/; s/^int/static int/; s|\"base/arena.h\"|<stddef.h>|" "$arena" >"$work/tree/src/base/twin.c"; }
good; twin other; claim 'static-name, of one file' passes
good; sed 's/arena_take/arena_give/; s/size + text\[0\]/arena_take(size) + text[0]/' "$arena" >"$work/tree/src/base/give.c"; claim 'uncalled' breaks uncalled src/base/give.c:5
good; sed -i '$a int arena_give(int size)\n{\n\treturn size;\n}' "$arena"; sed -i '/^{/,/^}/s/size + text/arena_give(size) + text/' "$arena"; claim 'uncalled, one that is called in its own file' passes
good; sed -i '$d' "$work/tree/tools/uncalled"; sed -i '$d' "$work/tree/tools/uncalled"; claim 'uncalled, only in comments and tests' breaks uncalled src/base/arena.c:5

finish
