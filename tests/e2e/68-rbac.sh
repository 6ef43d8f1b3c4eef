#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 180
#
# berth as a service account that has what firmware/package/rbac.yaml gives and nothing else: it
# follows, binds, preempts, binds claims, writes events and its lease, and is never refused. And
# nothing is given that nothing uses, but for what old servers and others' clients want.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

post() { api POST "$1" apiserver -H 'Content-Type: application/json' -d @- >/dev/null; }
mend() { api PATCH "$1" apiserver -H 'Content-Type: application/merge-patch+json' -d "$2" >/dev/null; }
account=system:serviceaccount:kube-system:berth

# used: what was asked as the account, "GROUP RESOURCE VERB" a line.
used()
{
	grep -F "\"username\":\"$account\"" "$CLUSTER/audit.log" | jq -r 'select(.objectRef.resource) |
		.verb as $verb | .objectRef |
		"\(.apiGroup // "-") \(.resource)\(if .subresource then "/" + .subresource else "" end) \($verb)"' |
		sort -u
}

up
kc apply -f "$tree/firmware/package/rbac.yaml" >/dev/null
api POST /api/v1/namespaces/kube-system/serviceaccounts/berth/token apiserver \
	-H 'Content-Type: application/json' -d '{"apiVersion": "authentication.k8s.io/v1",
	"kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}' | jq -r .status.token >"$CLUSTER/berth-token"
kubeconfig berth "$(server_of)" "certificate-authority-data: $(pki_data ca.crt)" -- "tokenFile: ../berth-token"
KUBECONFIG_OF=$CLUSTER/kubeconfig/berth
export KUBECONFIG_OF

node n1 4
node n2 4
berth_start berth --config "$tree/firmware/package/beside.yaml"
berth_ready berth
mine='.spec.schedulerName = "berth"'

note "a pod is bound, another scheduler's is not"
pod other "$(requests_cpu 1)"
pod plain "$mine | $(requests_cpu 1)"
soon plain 5000
! is_bound other || fail "a pod of another scheduler is bound"

note "a claim is bound with its pod"
jq -n '{metadata: {name: "local"}, provisioner: "kubernetes.io/no-provisioner",
	volumeBindingMode: "WaitForFirstConsumer"}' | post /apis/storage.k8s.io/v1/storageclasses
jq -n '{metadata: {name: "disk"}, spec: {capacity: {storage: "10Gi"}, accessModes: ["ReadWriteOnce"],
	storageClassName: "local", local: {path: "/disk"}, nodeAffinity: {required: {nodeSelectorTerms: [
	{matchExpressions: [{key: "kubernetes.io/hostname", operator: "In", values: ["n2"]}]}]}}}}' |
	post /api/v1/persistentvolumes
mend /api/v1/persistentvolumes/disk/status '{"status":{"phase":"Available"}}'
jq -n '{metadata: {name: "claim"}, spec: {accessModes: ["ReadWriteOnce"], storageClassName: "local",
	resources: {requests: {storage: "1Gi"}}}}' | post /api/v1/namespaces/default/persistentvolumeclaims
pod claiming "$mine | .spec.volumes = [{name: \"v\", persistentVolumeClaim: {claimName: \"claim\"}}]"
claims_disk() { [ "$(api GET /api/v1/persistentvolumes/disk | jq -r '.spec.claimRef.name // empty')" = claim ]; }
eventually 15 "the volume is reserved" claims_disk
mend /api/v1/namespaces/default/persistentvolumeclaims/claim '{"metadata":{"annotations":{
	"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":"disk"}}'
soon claiming 10000
is_on claiming n2 || fail "claiming is on $(node_of claiming)"

note "a claim is given to a provisioner with its pod's node"
jq -n '{metadata: {name: "made"}, provisioner: "example.com/maker", volumeBindingMode: "WaitForFirstConsumer"}' |
	post /apis/storage.k8s.io/v1/storageclasses
jq -n '{metadata: {name: "wish"}, spec: {accessModes: ["ReadWriteOnce"], storageClassName: "made",
	resources: {requests: {storage: "1Gi"}}}}' | post /api/v1/namespaces/default/persistentvolumeclaims
pod wishing "$mine | .spec.volumes = [{name: \"v\", persistentVolumeClaim: {claimName: \"wish\"}}]"
selected() { api GET /api/v1/namespaces/default/persistentvolumeclaims/wish |
	jq -e '.metadata.annotations["volume.kubernetes.io/selected-node"]' >/dev/null; }
eventually 15 "the provisioner is told the node" selected
api DELETE '/api/v1/namespaces/default/pods/wishing?gracePeriodSeconds=0' >/dev/null

note "a pod is preempted"
for class in low:100 high:1000; do
	jq -n --arg class "$class" '($class / ":") as [$name, $value] | {metadata: {name: $name},
		value: ($value | tonumber)}' | post /apis/scheduling.k8s.io/v1/priorityclasses
done
for i in 1 2; do
	pod "low-$i" "$mine | .spec.priorityClassName = \"low\" | $(requests_cpu 3)"
	soon "low-$i" 5000
done
pod high "$mine | .spec.priorityClassName = \"high\" | $(requests_cpu 3)"
leaving() { api GET /api/v1/pods | jq -r '.items[] | select(.metadata.deletionTimestamp) | .metadata.name'; }
eventually 15 "a victim is asked to go" eval '[ -n "$(leaving)" ]'
api DELETE "/api/v1/namespaces/default/pods/$(leaving)?gracePeriodSeconds=0" >/dev/null
soon high 10000

note "a pod waits, and is told"
pod waits "$mine | $(requests_cpu 100)"
rejected waits "Insufficient cpu"
eventually 10 "the event" eval 'kc get events --field-selector reason=FailedScheduling -o name | grep -q .'
[ "$(kc -n kube-system get lease berth -o jsonpath='{.spec.holderIdentity}')" != "" ] || fail "nobody has the lease"
berth_stop berth
[ "$(kc -n kube-system get lease berth -o jsonpath='{.spec.holderIdentity}')" = "" ] || fail "the lease was not given back"

refused=$(grep -F "\"username\":\"$account\"" "$CLUSTER/audit.log" | grep -c '"code":403' || true)
[ "$refused" = 0 ] || fail "refused $refused times: $(grep -F "\"username\":\"$account\"" "$CLUSTER/audit.log" |
	grep '"code":403' | jq -r '"\(.verb) \(.requestURI)"' | sort -u | head -n 5)"

note "what the role gives, and was not used here:"
kc get clusterrole/berth -o json | jq -r '.rules[] | .apiGroups[] as $group | .resources[] as $resource |
	.verbs[] as $verb | "\(if $group == "" then "-" else $group end) \($resource) \($verb)"' |
	sort -u >"$CLUSTER/given"
used >"$CLUSTER/used"
comm -23 "$CLUSTER/given" "$CLUSTER/used" | tee "$CLUSTER/unused.out"
# Reading is given as a whole. Writes: core events are of servers before 1.19 and of the lease; the
# reviews are asked when somebody looks at the metrics; devices are of servers from 1.32 on.
extra=$(grep -vE ' (get|list|watch)$' "$CLUSTER/unused.out" |
	grep -vE '^- events |events.k8s.io events patch|^(authentication|authorization|resource)\.k8s\.io ' || true)
[ -z "$extra" ] || fail "given and never used: $extra"
