#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the binary that is shipped says when it breaks, while it schedules the bundled cluster: by a signal that stands
# for a fault, and by an invariant that a system which forbids what cannot fail breaks.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh
. tests/tools/bundled.sh

start() {
	: >"$work/log"
	"$berth" run --kubeconfig "$work/made" --secure-port "$page" --bind-address 127.0.0.1 --page-access loopback "$@" >>"$work/log" 2>&1 </dev/null &
	pid=$!
}
# crash SIGNAL STATUS: it reports and ends with that status.
crash() {
	local status=0
	kill "-$1" "$pid"
	wait "$pid" || status=$?
	pid=''
	sed -n '/^berth .*SIG/,$p' "$work/log" >"$work/report"
	[ "$status" = "$2" ] || { echo "it ended with status $status"; cat "$work/report"; return 1; }
}
# reports PATTERN: in the report
reports() { grep -qE -- "$1" "$work/report" || { echo "not in the report: $1"; cat "$work/report"; return 1; }; }
# The newest records are younger than a minute, on the clock that counts from the start of the machine.
times_are_real() {
	awk -v up="$(cut -d. -f1 /proc/uptime)" '
		/^trace \(/ { on = 1; next }
		on && ($1 > up + 1 || $1 < up - 60) { print "not now: " $0; bad = 1 }
		on { n++ }
		END { exit bad || n < 10 }' "$work/report"
}
# without_signals COMMAND...: sigaction() is forbidden, as no kernel would
without_signals() {
	gcc -x c -o "$work/without" - <<'END' || return 1
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {4, steps};
	return argc > 1 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 && execv(argv[1], argv + 1) != 0;
}
END
	"$work/without" "$@"
}
breaks_an_invariant() {
	local status=0
	without_signals "$berth" version >"$work/report" 2>&1 || status=$?
	[ "$status" = 70 ] || { echo "it ended with status $status"; cat "$work/report"; return 1; }
}

serve --life --hurry 20 --nodes 5
claim 'it starts' start
claim 'it works' eventually 30 binds_more_than 3
claim 'SIGABRT: it ends with 70' crash ABRT 70
claim 'the report names version and board' reports '^berth [0-9.]+ \(x86_64\): SIGABRT sent by process [0-9]+, code at \+0x[0-9a-f]+$'
for module in scheduler cache queue cycle net watch binder; do
	claim "the report has a part of $module" reports "^$module:"
done
claim 'the cache in it' reports '^  pods [0-9]+, of them pending [0-9]+, assumed [0-9]+; nodes 5$'
claim 'the queue in it' reports '^  active [0-9]+, backoff [0-9]+, '
claim 'the cycle in it' reports '^  pods placed [1-9][0-9]*, profiles 1, '
claim 'the loop in it' reports '^  now [0-9]+ us, members [0-9]+, '
claim 'budgets in it' reports '^  pods: [0-9]+/[0-9]+/[0-9]+ '
for record in 'cycle decide' 'cache assume' 'binding'; do
	claim "the trace in it: $record" reports "^  [0-9]+\.[0-9]{6} $record [0-9]+ [0-9]+$"
done
claim 'times in it are real' times_are_real

claim 'it starts again' start
claim 'it has the cluster again' eventually 30 says 'INFO scheduler synced' # the lease is still the dead one's
claim 'SIGSEGV that somebody sent: it ends with 70' crash SEGV 70
claim 'the report names it' reports ': SIGSEGV sent by process'

claim 'a broken invariant: it ends with 70' breaks_an_invariant
claim 'its text, file and line' reports 'broken invariant: sigaction\(.*\) == 0 at src/base/check\.c:[0-9]+$'

finish
