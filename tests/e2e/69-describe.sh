#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 180
#
# What people read: the event FailedScheduling in `kubectl describe pod` and the condition
# PodScheduled, word for word as kube-scheduler says them, for a row of situations; pods of two
# profiles in one process, each told of by its own scheduler.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

# described NAME FROM TEXT: the event's message is TEXT, its source FROM; so is the condition.
described()
{
	local event condition
	eventually 15 "$1 is rejected" is_rejected "$1"
	condition=$(api GET "/api/v1/namespaces/default/pods/$1" | jq -r '.status.conditions[] |
		select(.type == "PodScheduled") | "\(.status) \(.reason) \(.message)"')
	[ "$condition" = "False Unschedulable $3" ] ||
		fail "$1: the condition is '$condition', not 'False Unschedulable $3'"
	eventually 15 "$1 has an event" eval 'kc describe pod '"$1"' | grep -q FailedScheduling'
	event=$(kc describe pod "$1" | sed -n 's/^  Warning  FailedScheduling  [^ ]* *//p' | head -n 1)
	[ "$event" = "$2  $3" ] || fail "$1: the event is '$event', not '$2  $3'"
	note "$1: $3"
}
class()
{
	jq -n --arg name "$1" --argjson value "$2" --arg policy "$3" '{metadata: {name: $name}, value: $value,
		preemptionPolicy: $policy}' | api POST /apis/scheduling.k8s.io/v1/priorityclasses apiserver \
		-H 'Content-Type: application/json' -d @- >/dev/null
}

up
cat >"$CLUSTER/two.yaml" <<'YAML'
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: false
profiles:
- schedulerName: default-scheduler
- schedulerName: berth
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
YAML
berth_start berth --config "$CLUSTER/two.yaml"
berth_ready berth
main=default-scheduler
# Of a pod without claims v1.37 says nothing about claims.
none='no new claims to deallocate, preemption:'
[ "$(minor_version)" -lt 37 ] || none='preemption:'

note "no node"
pod none
described none $main "no nodes available to schedule pods"

note "taints, labels, room, ports"
node a 4 '{"zone":"x"}'
node b 4 '{"zone":"x"}'
node c 2 '{"zone":"y"}' '[{"key":"k","value":"v","effect":"NoSchedule"}]'
soon none 5000 "once there is a node"
api DELETE '/api/v1/namespaces/default/pods/none?gracePeriodSeconds=0' >/dev/null
pod big "$(requests_cpu 100)"
described big $main "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. $none 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
pod labels '.spec.nodeSelector = {zone: "z"}'
described labels $main "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match Pod's node affinity/selector. $none 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
tolerates='.spec.tolerations = [{operator: "Exists"}]'
port='.spec.containers[0].ports = [{containerPort: 80, hostPort: 80}]'
for i in 1 2 3; do
	pod "port-$i" "$port | $tolerates"
	soon "port-$i" 5000
done
pod port-4 "$port | $tolerates"
described port-4 $main "0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports. $none 0/3 nodes are available: 3 No preemption victims found for incoming pod."

note "other pods"
pod apart-1 '.metadata.labels = {app: "apart"} | .spec.affinity.podAntiAffinity = {
	requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "zone", labelSelector: {matchLabels: {app: "apart"}}}]}'
soon apart-1 5000
pod apart-2 '.metadata.labels = {app: "apart"} | .spec.affinity.podAntiAffinity = {
	requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "zone", labelSelector: {matchLabels: {app: "apart"}}}]}'
described apart-2 $main "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match pod anti-affinity rules. $none 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod."
pod near '.spec.affinity.podAffinity = {requiredDuringSchedulingIgnoredDuringExecution: [
	{topologyKey: "zone", labelSelector: {matchLabels: {app: "nobody"}}}]}'
described near $main "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match pod affinity rules. $none 0/3 nodes are available: 3 Preemption is not helpful for scheduling."

note "claims"
pod claimless '.spec.volumes = [{name: "v", persistentVolumeClaim: {claimName: "gone"}}]'
described claimless $main '0/3 nodes are available: persistentvolumeclaim "gone" not found. not found'

note "cordoned, and a pod that never preempts"
class polite 1000 Never
for name in a b; do
	api PATCH "/api/v1/nodes/$name" apiserver -H 'Content-Type: application/merge-patch+json' \
		-d '{"spec":{"unschedulable":true}}' >/dev/null
done
sleep 1
pod cordoned
described cordoned $main "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) were unschedulable. $none 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
pod polite ".spec.priorityClassName = \"polite\" | $tolerates | $(requests_cpu 50)"
described polite $main "0/3 nodes are available: 3 Insufficient cpu. $none not eligible due to preemptionPolicy=Never."

note "the other profile, and a scheduler that nobody is"
pod second ".spec.schedulerName = \"berth\" | $(requests_cpu 90) | $tolerates"
described second berth "0/3 nodes are available: 3 Insufficient cpu. $none 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
pod stranger '.spec.schedulerName = "stranger"'
pod packed-1 ".spec.schedulerName = \"berth\" | $(requests_cpu 1) | $tolerates"
soon packed-1 5000
pod packed-2 ".spec.schedulerName = \"berth\" | $(requests_cpu 500m) | $tolerates"
soon packed-2 5000
is_on packed-2 "$(node_of packed-1)" || fail "MostAllocated of the second profile has no effect"
kc describe pod packed-2 | grep -q "Scheduled .* berth  Successfully assigned default/packed-2 to $(node_of packed-2)" ||
	fail "packed-2 is not said to be berth's: $(kc describe pod packed-2 | tail -n 3)"
! is_bound stranger || fail "a stranger's pod is bound"
! is_rejected stranger || fail "a stranger's pod is rejected"
berth_stop berth
