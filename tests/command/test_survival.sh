#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The binary where the system gives little: memory, files, a place for the log, /proc, devices, IPv6, an answer. It
# works, or says in a line why not.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh
. tests/tools/bundled.sh

# start COMMAND [FLAG...]: the command, a function that ends in exec, runs berth with its log where $log says.
log=$work/log
plain() { exec "$berth" "$@"; }
start() {
	local command=$1
	shift
	: >"$work/log"
	"$command" run --kubeconfig "$work/made" --secure-port "$page" --bind-address 127.0.0.1 --page-access loopback "$@" >>"$log" 2>&1 </dev/null &
	pid=$!
}
works() { eventually 30 binds_more_than 3; }
# refuses WORDS COMMAND [FLAG...]: it ends with 1 and says so in one line.
refuses() {
	local words=$1 status=0
	shift
	(start "$@"; wait "$pid") || status=$?
	cat "$work/log"
	[ $status = 1 ] && [ "$(wc -l <"$work/log")" = 1 ] && says "$words"
}
files_32() { ulimit -n 32; exec "$berth" "$@"; }
space_20() { ulimit -v 20000; exec "$berth" "$@"; }
space_100() { ulimit -v 100000; exec "$berth" "$@"; }
stack_64() { ulimit -s 64; exec "$berth" "$@"; }
files_do_not_grow() { ulimit -f 0; exec "$berth" "$@"; }
# shellcheck disable=SC2317
closed() { exec "$berth" "$@" <&- >&- 2>&-; }
# Nothing of /proc and /dev, in particular no /dev/urandom.
bare() {
	# shellcheck disable=SC2016  # the inner shell's
	exec unshare -m sh -c 'mount -t tmpfs none /dev; mount -t tmpfs none /proc; exec "$@"' sh "$berth" "$@"
}

# shellcheck disable=SC2016
read_only() { exec unshare -m sh -c 'mount -o remount,bind,ro / && exec "$@"' sh "$berth" "$@"; }
# shellcheck disable=SC2016
nameless() { exec unshare -u sh -c 'echo >/proc/sys/kernel/hostname && exec "$@"' sh "$berth" "$@"; }
# At most so many bytes of memory, whatever the version of cgroups; the kernel kills who takes more.
group=/sys/fs/cgroup/memory/berth-$$ limit=memory.limit_in_bytes
[ -d /sys/fs/cgroup/memory ] || group=/sys/fs/cgroup/berth-$$ limit=memory.max
group_12M() {
	# shellcheck disable=SC2016
	exec sh -c 'echo 12M >"$0/$1" && shift && echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$limit" "$berth" "$@"
}

serve --life --hurry 20 --nodes 5

claim '32 files: it starts' start files_32
claim '32 files: it works' works
claim '32 files: it ends in order' stop

claim 'address space for nothing: it says so' refuses 'does not provide .* MiB' space_20
claim 'address space for little: it starts' start space_100 --memory 16Mi
claim 'address space for little: it works' works
claim 'address space for little: it tells how much fits' says 'INFO run address-space-limited memory=16Mi'
claim 'address space for little: it ends in order' stop
claim 'a budget for nothing: it says so' refuses 'too small for any cluster: with these flags it takes' plain --memory 64Ki

claim 'a small stack: it starts' start stack_64
claim 'a small stack: it works' works
claim 'a small stack: it ends in order' stop

# lease LEASE RENEW RETRY: times that the rules allow
lease() { start plain --leader-elect-lease-duration "$1" --leader-elect-renew-deadline "$2" --leader-elect-retry-period "$3"; }
for lease in '3us 2us 1us' '10.0005s 10.0001s 2s' '2562047h 2562046h 2s'; do
	# shellcheck disable=SC2086
	claim "a lease of $lease: it starts" lease $lease
	claim "a lease of $lease: it leads and works" works
	claim "a lease of $lease: it ends in order" stop
done

log=/dev/full
claim 'a full disk for the log: it starts' start plain
claim 'a full disk for the log: it works' works
lines_are_counted() { [ "$(metric berth_log_dropped_total)" -gt 3 ]; }
claim 'a full disk for the log: lost lines are counted' lines_are_counted
claim 'a full disk for the log: it ends in order' stop

log=$work/log
claim 'a log that may not grow: it starts' start files_do_not_grow
claim 'a log that may not grow: it works' works
claim 'a log that may not grow: lost lines are counted' lines_are_counted
claim 'a log that may not grow: it ends in order' stop

mkfifo "$work/pipe"
exec 9<>"$work/pipe"
log=$work/pipe
claim 'a log that nobody reads: it starts' start plain -v 5
claim 'a log that nobody reads: it works' works
for _ in {1..40}; do kill -USR2 "$pid"; sleep 0.02; done
before=$(metric berth_bindings_total)
claim 'a log that nobody reads: it goes on' eventually 20 binds_more_than "$before"
claim 'a log that nobody reads: it ends in order' stop
exec 9<&-

log=$work/log
claim 'no standard files: it starts' start closed
claim 'no standard files: it works' works
claim 'no standard files: it ends in order' stop

# A mount namespace of its own needs root.
if [ "$(id -u)" = 0 ]; then
	claim 'no /proc, no /dev: it starts' start bare
	claim 'no /proc, no /dev: it works' works
	memory_is_unknown() { [ "$(metric process_resident_memory_bytes)" = 0 ]; }
	claim 'no /proc, no /dev: it says what it does not know' memory_is_unknown
	claim 'no /proc, no /dev: it ends in order' stop

	claim 'nothing can be written: it starts' start read_only
	claim 'nothing can be written: it works' works
	claim 'nothing can be written: it ends in order' stop

	claim 'a machine without a name: it starts' start nameless
	claim 'a machine without a name: it works' works
	claim 'a machine without a name: it calls itself localhost' says 'identity=localhost_'
	claim 'a machine without a name: it ends in order' stop
else
	skipped_unless 'no /proc, no /dev: it works' could_be_root
	skipped_unless 'nothing can be written: it works' could_be_root
	skipped_unless 'a machine without a name: it works' could_be_root
fi
if [ "$(id -u)" = 0 ] && mkdir "$group" 2>/dev/null; then
	claim '12 MB for everything: it starts' start group_12M
	claim '12 MB for everything: it works' works
	claim '12 MB for everything: it ends in order' stop
	rmdir "$group"
else
	could_have_a_group() { could_be_root && [ -w "$(dirname "$group")" ]; }
	skipped_unless '12 MB for everything: it works' could_have_a_group
fi

serve --nodes 40 --pods 10
claim 'more nodes than there is room for: it starts' start plain --nodes-max 16
nodes_are_missing() { [ "$(metric berth_nodes_missing)" = 1 ]; }
claim 'more nodes than there is room for: metrics say so' eventually 20 nodes_are_missing
not_ready() { ask '/readyz?verbose' | grep -q '^\[-\]picture failed'; }
claim 'more nodes than there is room for: readyz says so' not_ready
overview_says() { ask /berth/v1/overview | grep -q '"nodesMissing":true'; }
claim 'more nodes than there is room for: the page says so' overview_says
claim 'more nodes than there is room for: the log names them' says 'WARN scheduler refused kind=nodes name=.* reason="no memory for it"'
claim 'more nodes than there is room for: it ends in order' stop

kill -STOP "$api"
claim 'an apiserver that is silent: it starts' start plain
claim 'an apiserver that is silent: it says what it waits for' eventually 5 says 'INFO run waiting for=lease'
kill -CONT "$api"
claim 'an apiserver that is silent, and speaks: it goes on' eventually 30 says 'INFO scheduler ready'
claim 'an apiserver that is silent, and speaks: it ends in order' stop

# A network of its own, with the apiserver in it, that has never heard of IPv6.
if [ "$(id -u)" = 0 ] && tools/packages iproute2; then
	kill "$api"; wait "$api" 2>/dev/null
	api=''
	unshare -n sleep 600 &
	there=$!
	inside() { nsenter -t "$there" -n "$@"; }
	ask() { inside curl -sk --max-time 5 "https://127.0.0.1:$page$1"; }
	four_only() { exec nsenter -t "$there" -n "$berth" "$@"; }
	printf '#!/bin/sh\nexec nsenter -t %s -n "%s" "$@"\n' "$there" "$apisim" >"$work/there"
	chmod 755 "$work/there"
	apisim=$work/there
	eventually 10 test ! "/proc/$there/ns/net" -ef /proc/self/ns/net
	inside sh -c 'ip link set lo up && echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6' 2>/dev/null
	serve --life --hurry 20 --nodes 5
	claim 'no IPv6: it starts' start four_only
	claim 'no IPv6: it works' works
	claim 'no IPv6: it ends in order' stop
	claim 'no IPv6, and it shall listen there: it says why not' refuses 'cannot listen on \[::1\]:[0-9]*: .' four_only --bind-address ::1
	sed -i 's/127.0.0.1/[::1]/' "$work/made"
	claim 'no IPv6, and the apiserver is there: it starts' start four_only
	claim 'no IPv6, and the apiserver is there: it says what does not work' eventually 10 says 'WARN net unreachable .*host=\[::1\]'
	claim 'no IPv6, and the apiserver is there: it ends in order' stop
	kill "$there"
fi

finish
