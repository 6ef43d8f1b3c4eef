#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a test program reports is added up honestly: failures, what ended early, and claims that could not be made here.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh

# program LINES...: a test that prints these. added PATTERN: what run-tests says of it.
program() {
	{ echo '#!/bin/sh'; echo "cat <<'END'"; printf '%s\n' "$@"; echo END; } >"$work/program"
	chmod +x "$work/program"
}
added() { tools/run-tests "$work/program" >"$work/added"; cat "$work/added"; grep -q -- "$1" "$work/added"; }

program 'a:PASS' 'b:SKIP' '1 Tests 0 Failures 0 Ignored 1 Skipped'
claim 'what was skipped is counted' added '^1 claims could not be made on this machine$'
claim 'and named' added '^ *skipped: b$'
claim 'and no test' added '^1 passed, 0 failed$'
program '2 Tests 0 Failures 0 Ignored'
claim 'programs that skip nothing say nothing of it' eval "! added Skipped && added '^2 passed, 0 failed\$'"
program 'something'
claim 'a program without a sum is a failure' added '^0 passed, 1 failed$'
program '2 Tests 0 Failures 1 Ignored'
claim 'what is ignored is a failure' added '^1 passed, 1 failed$'

# In a shell of its own: it counts for itself.
skips() { (. tests/tools/report.sh; skipped_unless 'a claim' "$1"; finish); }
claim 'a claim that cannot be made is skipped' eval "skips false | grep -q '^0 Tests 0 Failures 0 Ignored 1 Skipped'"
claim 'one that could be made is a failure' eval "skips true | grep -q '^1 Tests 1 Failures 0 Ignored 0 Skipped'"
finish
