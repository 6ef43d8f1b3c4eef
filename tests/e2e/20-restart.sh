#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 180
#
# The apiserver dies and comes back, in every way it can, while a second one lets the cluster go
# on changing: what was deleted meanwhile must be gone from the picture afterwards.

# shellcheck source-path=SCRIPTDIR source=cluster
. "$(dirname "$0")/cluster"

up
apiserver_start second
export SERVER=second
"$e2e/load" nodes 0 1000
"$e2e/load" pods 0 4500 1000
"$e2e/load" pods 4500 500
follow_start berth --kubeconfig "$CLUSTER/kubeconfig/scheduler"
follow_settles berth 30 1000 5000

note "killed; the world changes; back"
kill_hard apiserver
"$e2e/load" delete pods 0 500
"$e2e/load" delete nodes 0 50
"$e2e/load" pods 5000 300 1000
"$e2e/load" bind 4500 100 1000
running berth || fail "berth ended when the apiserver was killed"
follow_picture berth >"$CLUSTER/stale.picture"
[ "$(grep -c ^pod "$CLUSTER/stale.picture")" = 5000 ] ||
	fail "what berth knew is no more while the apiserver is away"
apiserver_start
follow_settles berth 45 950 4800

note "killed in the middle of changes"
"$e2e/load" label pods 500 2000 1 >"$CLUSTER/load.log" 2>&1 &
load=$!
sleep 0.7
kill_hard apiserver
sleep 0.5
apiserver_start
wait "$load" || fail "the changes: $(cat "$CLUSTER/load.log")"
follow_settles berth 45 950 4800

note "etcd killed under both"
kill_hard etcd
sleep 1
etcd_start
wait_ready
wait_ready second
"$e2e/load" delete pods 5000 300
follow_settles berth 45 950 4500

note "stopped for eight seconds: silence, no error"
signal apiserver STOP
"$e2e/load" delete pods 4500 100
sleep 8
signal apiserver CONT
follow_settles berth 45 950 4400

note "ended in order"
end apiserver
"$e2e/load" finish 500 100
apiserver_start
follow_settles berth 45 950 4300
follow_stop berth
