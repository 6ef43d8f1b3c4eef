#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 240
#
# Every plugin rejects a pod and accepts it after the one change that should wake it, well before
# any flush; and changes that do not help wake nobody.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

patch()
{
	api PATCH "$1" apiserver -H "Content-Type: ${3:-application/merge-patch+json}" -d "$2" >/dev/null
}

up
berth_start berth --leader-elect=false
berth_ready berth

note "no nodes at all"
pod lonely
rejected lonely "no nodes available to schedule pods"
node n1 2
soon lonely 12000 "after a node came"

note "NodeResourcesFit: room comes by a node, by a deleted pod"
pod big "$(requests_cpu 3)"
rejected big "Insufficient cpu"
node n2 4
soon big 1500
pod second "$(requests_cpu 3)"
rejected second "Insufficient cpu"
api DELETE '/api/v1/namespaces/default/pods/big?gracePeriodSeconds=0' >/dev/null
soon second 1500

note "NodeResourcesFit: allocatable grows"
pod third "$(requests_cpu 7)"
rejected third "Insufficient cpu"
patch /api/v1/nodes/n1/status '{"status":{"allocatable":{"cpu":"8"},"capacity":{"cpu":"8"}}}'
soon third 1500

note "NodeAffinity: a label comes"
pod chosen '.spec.nodeSelector = {disk: "ssd"}'
rejected chosen "didn't match Pod's node affinity/selector"
patch /api/v1/nodes/n2 '{"metadata":{"labels":{"disk":"ssd"}}}'
soon chosen 1500

note "TaintToleration: a taint goes"
patch /api/v1/nodes/n1 '{"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}}'
patch /api/v1/nodes/n2 '{"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}}'
pod pure
rejected pure "had untolerated taint"
patch /api/v1/nodes/n2 '{"spec":{"taints":null}}'
soon pure 1500
patch /api/v1/nodes/n1 '{"spec":{"taints":null}}'

note "NodeUnschedulable: uncordoned"
patch /api/v1/nodes/n1 '{"spec":{"unschedulable":true}}'
patch /api/v1/nodes/n2 '{"spec":{"unschedulable":true}}'
pod cordoned
rejected cordoned "were unschedulable"
patch /api/v1/nodes/n1 '{"spec":{"unschedulable":null}}'
soon cordoned 1500
patch /api/v1/nodes/n2 '{"spec":{"unschedulable":null}}'

note "NodePorts: the port is free"
for i in 1 2; do
	pod "port-$i" '.spec.containers[0].ports = [{containerPort: 80, hostPort: 8080}]'
	soon "port-$i" 1500
done
pod port-3 '.spec.containers[0].ports = [{containerPort: 80, hostPort: 8080}]'
rejected port-3 "didn't have free ports"
api DELETE '/api/v1/namespaces/default/pods/port-1?gracePeriodSeconds=0' >/dev/null
soon port-3 1500

note "InterPodAffinity: the friend comes; the enemy goes"
pod friend '.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution = [
	{topologyKey: "kubernetes.io/hostname", labelSelector: {matchLabels: {app: "host"}}}]'
rejected friend "didn't match pod affinity rules"
pod host
soon friend 1500
enemy='.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution = [
	{topologyKey: "kubernetes.io/hostname", labelSelector: {matchLabels: {group: "enemy"}}}] |
	.metadata.labels.group = "enemy"'
pod enemy-1 "$enemy"
pod enemy-2 "$enemy"
soon enemy-1 1500
soon enemy-2 1500
pod enemy-3 "$enemy"
rejected enemy-3 "didn't match pod anti-affinity rules"
api DELETE '/api/v1/namespaces/default/pods/enemy-1?gracePeriodSeconds=0' >/dev/null
soon enemy-3 1500

note "PodTopologySpread: another pod evens it out"
spread='.metadata.labels.app = "even" | .spec.topologySpreadConstraints = [{maxSkew: 1,
	topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: {matchLabels: {app: "even"}}}]'
patch /api/v1/nodes/n1 '{"metadata":{"labels":{"zone":"a"}}}'
patch /api/v1/nodes/n2 '{"metadata":{"labels":{"zone":"b"}}}'
pod even-1 "$spread"
soon even-1 1500
where=$(node_of even-1)
other=$([ "$where" = n1 ] && echo n2 || echo n1)
patch "/api/v1/nodes/$other" '{"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}}'
pod even-2 "$spread"
rejected even-2 "didn't match pod topology spread constraints"
pod even-3 "$spread | .spec.tolerations = [{operator: \"Exists\"}]"
soon even-3 1500
soon even-2 1500
is_on even-3 "$other" || fail "even-3 is on $(node_of even-3)"
patch "/api/v1/nodes/$other" '{"spec":{"taints":null}}'

note "VolumeBinding: the claim comes, bound to a volume"
pod claimant '.spec.volumes = [{name: "v", persistentVolumeClaim: {claimName: "data"}}]'
rejected claimant 'persistentvolumeclaim "data" not found'
api POST /api/v1/persistentvolumes apiserver -H 'Content-Type: application/json' -d '{
	"metadata":{"name":"pv-data"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],
	"claimRef":{"namespace":"default","name":"data"},"hostPath":{"path":"/data"}}}' >/dev/null
api POST /api/v1/namespaces/default/persistentvolumeclaims apiserver -H 'Content-Type: application/json' -d '{
	"metadata":{"name":"data","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},
	"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"","volumeName":"pv-data",
	"resources":{"requests":{"storage":"1Gi"}}}}' >/dev/null
soon claimant 2500

[ -z "$(kc get events -o name --field-selector reason=Preempted)" ] || fail "somebody was preempted"
no_overcommit
bindings_are_single
berth_stop berth
