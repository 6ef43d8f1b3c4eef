#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 240
#
# The apiserver is killed in the middle of bindings and comes back; nodes and pods go away under the
# scheduler; a namespace is emptied while its pods wait.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

up
"$e2e/load" nodes 0 30
berth_start berth --leader-elect=false
berth_ready berth

note "killed while it binds"
for i in 0 1 2; do
	"$e2e/load" pods $((i * 300)) 300 >/dev/null || true
	kill_hard apiserver
	sleep 1
	apiserver_start
done
there=$(api GET /api/v1/pods | jq '.items | length')
((there >= 800)) || fail "only $there pods were made"
eventually 60 "all $there pods are bound" all_bound "$there"
no_overcommit
bindings_are_single

note "nodes are followed again: one that comes is seen"
node fresh 1 '{"fresh": "yes"}'
pod fresh '.spec.nodeSelector = {fresh: "yes"}'
soon fresh 15000
there=$((there + 1))

note "a node goes with pods on it"
api DELETE /api/v1/nodes/node-3 >/dev/null
"$e2e/load" pods 2000 100
eventually 20 "the rest is bound" all_bound $((there + 100))
[ "$(api GET /api/v1/pods | jq '[.items[] | select(.metadata.name | test("^pod-20[0-9][0-9]$")) |
	select(.spec.nodeName == "node-3")] | length')" = 0 ] || fail "bound to a node that is gone"

note "waiting pods of a namespace go"
kc create namespace doomed
NAMESPACE=doomed
for i in 1 2 3; do pod "waits-$i" "$(requests_cpu 100)"; done
rejected waits-3 "Insufficient cpu"
kc -n doomed delete pods --all --wait=false --grace-period=0 --force
NAMESPACE=default
kc delete namespace doomed --wait=false
sleep 1
signal berth USR2
eventually 10 "the picture is compared" berth_says berth 'cache-match kind=pods missed=0 redundant=0'
! grep -q 'dump-pod' "$CLUSTER/berth.log" || fail "pods that are gone are in the queue: $(grep dump-pod "$CLUSTER/berth.log" | tail -n 3)"
berth_stop berth
