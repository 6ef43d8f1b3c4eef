#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A policy of older releases: nodes by their labels and conditions, a service that stays in one
# region and spreads over racks, a controller whose pods a node would rather not have; the words
# with all reasons; and a pace that is kept.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

labels() { jq -cn --arg region "$1" --arg rack "$2" '{zone: "z", region: $region, rack: $rack}'; }
of_web() { echo '.metadata.labels.app = "web"'; }
patch_node()
{
	api PATCH "/api/v1/nodes/$1$2" apiserver \
		-H 'Content-Type: application/strategic-merge-patch+json' -d "$3" >/dev/null
}

up
cat >"$CLUSTER/policy.json" <<'EOF'
{"kind": "Policy", "apiVersion": "v1", "alwaysCheckAllPredicates": true,
 "predicates": [
  {"name": "CheckNodeCondition"}, {"name": "GeneralPredicates"},
  {"name": "InZone", "argument": {"labelsPresence": {"labels": ["zone"], "presence": true}}},
  {"name": "OneRegion", "argument": {"serviceAffinity": {"labels": ["region"]}}}],
 "priorities": [
  {"name": "Racks", "weight": 1, "argument": {"serviceAntiAffinity": {"label": "rack"}}},
  {"name": "SelectorSpreadPriority", "weight": 1},
  {"name": "NodePreferAvoidPodsPriority", "weight": 10000}]}
EOF
node bare 4
node a1 4 "$(labels a 1)"
node a2 4 "$(labels a 2)"
node b1 4 "$(labels b 1)"
jq -n '{metadata: {name: "web"}, spec: {selector: {app: "web"}, ports: [{port: 80}]}}' |
	api POST /api/v1/namespaces/default/services apiserver -H 'Content-Type: application/json' -d @- >/dev/null

berth_start berth --leader-elect=false --policy-config-file "$CLUSTER/policy.json"
berth_ready berth
! grep -q 'no effect' "$CLUSTER/berth.log" || fail "something of the policy has no effect"

note "the first pod of a service says which region; the others spread over its racks"
pod web-1 "$(of_web) | .spec.nodeSelector = {region: \"a\", rack: \"1\"}"
soon web-1 2000
is_on web-1 a1 || fail "web-1 is on $(node_of web-1)"
pod web-2 "$(of_web)"
soon web-2 2000
is_on web-2 a2 || fail "web-2 is on $(node_of web-2), not in the other rack of the region"

note "all reasons are told, and each node that could help wakes the pod"
pod web-3 "$(of_web) | .spec.nodeSelector = {region: \"c\"} | $(requests_cpu 3)"
rejected web-3 "1 node(s) didn't have the requested labels"
has_message web-3 "4 node(s) didn't match service affinity" || fail "$(condition_of web-3)"
has_message web-3 "4 node(s) didn't match Pod's node affinity/selector" || fail "$(condition_of web-3)"
node c1 4 "$(labels c 1)"
soon web-3 2000 "after a node of its own region"

note "a node that is not ready is none, until it is"
patch_node b1 /status '{"status": {"conditions": [{"type": "Ready", "status": "False"}]}}'
sleep 0.5
pod late '.spec.nodeSelector = {region: "b"}'
rejected late "1 node(s) were not ready"
patch_node b1 /status '{"status": {"conditions": [{"type": "Ready", "status": "True"}]}}'
soon late 2000 "after its node is ready"

note "a node that would rather not have the pods of a controller"
owner=$(jq -cn '{apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid: "u-1", controller: true}')
annotation=$(jq -cn --argjson owner "$owner" '{preferAvoidPods: [{podSignature: {podController: $owner}}]}')
patch_node a1 "" "$(jq -cn --arg a "$annotation" \
	'{metadata: {annotations: {"scheduler.alpha.kubernetes.io/preferAvoidPods": $a}}}')"
sleep 0.5
for i in 1 2 3 4; do
	pod "own-$i" ".metadata.ownerReferences = [$owner] | .spec.nodeSelector = {region: \"a\"}"
	soon "own-$i" 2000
	is_on "own-$i" a2 || fail "own-$i is on $(node_of "own-$i")"
done
berth_stop berth

note "15 bindings a second were the pace of v1.0; here it is 4, and 2 at once"
berth_start slow --leader-elect=false --bind-pods-qps 4 --bind-pods-burst 2
berth_ready slow
bound=$(pods_bound)
began=$(date +%s%3N)
for i in $(seq 10); do pod "slow-$i"; done
eventually 20 "ten pods are bound" all_bound $((bound + 10))
took=$(($(date +%s%3N) - began))
note "ten pods took $took ms"
((took >= 1900 && took <= 6000)) || fail "ten pods took $took ms"
bindings_are_single
berth_stop slow
