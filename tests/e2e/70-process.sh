#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 180
#
# berth as a process: SIGTERM ends it with status 0 and gives the lease back, be there work or not; a
# second one ends it at once; SIGUSR2 shows what it knows. A log that cannot be written, no log at
# all and few file descriptors are survived.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

holder() { kc -n kube-system get lease kube-scheduler -o jsonpath='{.spec.holderIdentity}'; }
holds() { [ -n "$(holder)" ]; }

# start: berth as a child of this shell, so that its status is known; $pid.
start()
{
	"$bin/berth" run --secure-port 0 --kubeconfig "$CLUSTER/kubeconfig/scheduler" \
		>>"$CLUSTER/berth.log" 2>&1 </dev/null &
	pid=$!
	remember berth "$pid"
}

# ends SECONDS STATUS: it ends within that time, and so.
ends()
{
	local status=0 began
	began=$(date +%s%3N)
	eventually "$1" "it ends" gone berth
	wait "$pid" || status=$?
	[ "$status" = "$2" ] || fail "it ended with status $status, not $2: $(tail -n 3 "$CLUSTER/berth.log")"
	note "ended after $(($(date +%s%3N) - began)) ms"
}

# leads TIMES: so many have led.
leads()
{
	running berth || fail "berth ended: $(wait "$pid" || echo "status $?")"
	[ "$(grep -c 'INFO lease leading' "$CLUSTER/berth.log")" = "$1" ]
}

# works SECONDS: one more pod is bound.
pods=0
works()
{
	pods=$((pods + 1))
	pod "p$pods"
	eventually "$1" "p$pods is bound" is_bound "p$pods"
}

up
"$e2e/load" nodes 0 10

note "SIGTERM while idle"
start
works 20
holds || fail "nobody holds the lease"
kill -TERM "$pid"
ends 3 0
[ "$(holder)" = "" ] || fail "the lease was not given back: $(holder)"
[ "$(kc -n kube-system get lease kube-scheduler -o jsonpath='{.spec.leaseDurationSeconds}')" = 1 ] ||
	fail "the lease still lasts"

note "SIGINT while there is work"
NAMESPACE=kube-public "$e2e/load" pods 0 400
start
eventually 20 "it has begun" eval '[ "$(requests binding /kube-public/)" -gt 20 ]'
kill -INT "$pid"
ends 5 0
[ "$(holder)" = "" ] || fail "the lease was not given back"
bindings_are_single
no_overcommit

note "SIGTERM while the apiserver is silent: no longer than it takes to try"
start
works 20
signal apiserver STOP
kill -TERM "$pid"
ends 20 0
signal apiserver CONT
sleep 1

note "a second SIGTERM ends it at once"
start
eventually 30 "it leads" leads 4
signal apiserver STOP
sleep 0.5
kill -TERM "$pid"
sleep 0.3
running berth || note "it had nothing to wait for"
! running berth || { kill -TERM "$pid"; ends 1 1; }
signal apiserver CONT

note "SIGUSR2"
start
works 40 # the lease must run out first
eventually 20 "all pods are bound" eval '[ "$(pods_bound)" = '$((400 + pods))' ]'
kill -USR2 "$pid"
eventually 5 "nodes are shown" berth_says berth 'dump-node name=node-4'
eventually 5 "the queue is shown" berth_says berth 'dump-queue activeQ:0; backoffQ:0; unschedulablePods:0'
eventually 5 "pods are compared" berth_says berth 'cache-match kind=pods missed=0 redundant=0'
eventually 5 "nodes are compared" berth_says berth 'cache-match kind=nodes missed=0 redundant=0'
works 5
kill -TERM "$pid"
ends 3 0

note "the disk of the log is full"
"$bin/berth" run --secure-port 0 --kubeconfig "$CLUSTER/kubeconfig/scheduler" >/dev/full 2>&1 </dev/null &
pid=$!
remember berth "$pid"
works 20
kill -USR2 "$pid"
works 5
kill -TERM "$pid"
ends 3 0

note "no standard input, output or error at all"
"$bin/berth" run --secure-port 0 --kubeconfig "$CLUSTER/kubeconfig/scheduler" <&- >&- 2>&- &
pid=$!
remember berth "$pid"
works 20
kill -USR2 "$pid"
works 5
kill -TERM "$pid"
ends 3 0

note "nobody reads the log"
mkfifo "$CLUSTER/pipe"
sleep 60 <"$CLUSTER/pipe" &
reader=$!
"$bin/berth" run --secure-port 0 -v 5 --kubeconfig "$CLUSTER/kubeconfig/scheduler" >"$CLUSTER/pipe" 2>&1 </dev/null &
pid=$!
remember berth "$pid"
works 20
for i in {1..30}; do
	kill -USR2 "$pid"
	sleep 0.05
done
works 5
note "$i dumps into a pipe that is full"
kill "$reader"
works 5
kill -TERM "$pid"
ends 3 0

for limit in 32 14; do
	note "$limit file descriptors"
	(
		ulimit -n $limit
		exec "$bin/berth" run --secure-port 0 --kubeconfig "$CLUSTER/kubeconfig/scheduler" >>"$CLUSTER/limit-$limit.log" 2>&1 </dev/null
	) &
	pid=$!
	remember berth "$pid"
	works 60
	NAMESPACE=kube-public "$e2e/load" pods $((limit * 1000)) 100
	NAMESPACE=kube-public eventually 60 "the last is bound" is_bound "pod-$((limit * 1000 + 99))"
	works 10
	kill -TERM "$pid"
	ends 10 0
done
no_overcommit
bindings_are_single
! grep -l 'broken invariant' "$CLUSTER"/*.log || fail "a broken invariant"
