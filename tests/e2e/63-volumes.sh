#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Claims that wait for their first consumer: a volume is chosen with the node, written, waited for;
# then the pod is bound. The volume controller is played by this scenario.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

post() { api POST "$1" apiserver -H 'Content-Type: application/json' -d @- >/dev/null; }
pv_claim() { api GET "/api/v1/persistentvolumes/$1" | jq -r '.spec.claimRef.name // empty'; }

# What the controller does when it sees a volume that names a claim.
bind_claim()
{
	api PATCH "/api/v1/namespaces/default/persistentvolumeclaims/$2" apiserver \
		-H 'Content-Type: application/merge-patch+json' -d "{\"metadata\":{\"annotations\":{
		\"pv.kubernetes.io/bind-completed\":\"yes\"}},\"spec\":{\"volumeName\":\"$1\"}}" >/dev/null
}

up
node n1 4 && node n2 4
jq -n '{metadata: {name: "local"}, provisioner: "kubernetes.io/no-provisioner",
	volumeBindingMode: "WaitForFirstConsumer"}' | post /apis/storage.k8s.io/v1/storageclasses
jq -n '{metadata: {name: "made"}, provisioner: "example.com/maker",
	volumeBindingMode: "WaitForFirstConsumer"}' | post /apis/storage.k8s.io/v1/storageclasses
for i in 1 2; do
	jq -n --arg node "n$i" '{metadata: {name: "disk-\($node)"}, spec: {capacity: {storage: "10Gi"},
		accessModes: ["ReadWriteOnce"], storageClassName: "local", local: {path: "/disk"},
		nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [
			{key: "kubernetes.io/hostname", operator: "In", values: [$node]}]}]}}}}' |
		post /api/v1/persistentvolumes
	api PATCH "/api/v1/persistentvolumes/disk-n$i/status" apiserver \
		-H 'Content-Type: application/merge-patch+json' -d '{"status":{"phase":"Available"}}' >/dev/null
done
claim()
{
	jq -n --arg name "$1" --arg class "$2" '{metadata: {name: $name}, spec: {accessModes: ["ReadWriteOnce"],
		storageClassName: $class, resources: {requests: {storage: "1Gi"}}}}' |
		post /api/v1/namespaces/default/persistentvolumeclaims
}
with_claim() { echo ".spec.volumes = [{name: \"v\", persistentVolumeClaim: {claimName: \"$1\"}}]"; }

berth_start berth --leader-elect=false
berth_ready berth
note "two pods, two disks, each on its node"
for i in 1 2; do
	claim "data-$i" local
	pod "user-$i" "$(with_claim "data-$i")"
done
eventually 10 "a disk is given to the first" eval '[ -n "$(pv_claim disk-n1)" ]'
eventually 10 "the other one to the second" eval '[ -n "$(pv_claim disk-n2)" ]'
[ "$(pv_claim disk-n1)" != "$(pv_claim disk-n2)" ] || fail "both disks to one claim"
! is_bound user-1 && ! is_bound user-2 || fail "bound before its claim"
for i in 1 2; do bind_claim "disk-n$i" "$(pv_claim disk-n$i)"; done
soon user-1 2000
soon user-2 2000
for i in 1 2; do
	claimed=$(pv_claim "disk-n$i")
	is_on "user-${claimed#data-}" "n$i" || fail "user-${claimed#data-} is not where its disk is"
done

note "no disk is left; a provisioner is told the node"
claim data-3 local
pod user-3 "$(with_claim data-3)"
rejected user-3 "didn't find available persistent volumes to bind"
claim data-4 made
pod user-4 "$(with_claim data-4)"
selected() { api GET /api/v1/namespaces/default/persistentvolumeclaims/data-4 |
	jq -r '.metadata.annotations["volume.kubernetes.io/selected-node"] // empty'; }
eventually 10 "the provisioner is told" eval '[ -n "$(selected)" ]'
where=$(selected)
jq -n '{metadata: {name: "made-1"}, spec: {capacity: {storage: "1Gi"}, accessModes: ["ReadWriteOnce"],
	storageClassName: "made", hostPath: {path: "/made"}, claimRef: {namespace: "default", name: "data-4"}}}' |
	post /api/v1/persistentvolumes
bind_claim made-1 data-4
soon user-4 2000
is_on user-4 "$where" || fail "user-4 is not where its volume was made"

note "one whose pod goes is given up"
claim data-5 made
pod user-5 "$(with_claim data-5)"
eventually 10 "the provisioner is told again" eval '[ -n "$(api GET \
	/api/v1/namespaces/default/persistentvolumeclaims/data-5 |
	jq -r ".metadata.annotations[\"volume.kubernetes.io/selected-node\"] // empty")" ]'
api DELETE '/api/v1/namespaces/default/pods/user-5?gracePeriodSeconds=0' >/dev/null
sleep 0.5
bindings_are_single
berth_stop berth
