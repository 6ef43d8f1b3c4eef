#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 600
#
# A tenant who may handle pods in one namespace, and nothing else, tries to stop everybody, on a berth with little
# memory. Whatever he has made, a pod of another team that fits is bound within seconds, also after a restart.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

tenant_pods=/api/v1/namespaces/tenant/pods
# as_tenant METHOD PATH [FILE]: the status.
as_tenant()
{
	curl -sk --max-time 60 -o "$CLUSTER/answer" -w '%{http_code}' --cert "$CLUSTER/pki/nobody.crt" \
		--key "$CLUSTER/pki/nobody.key" -X "$1" -H 'Content-Type: application/json' ${3:+--data-binary "@$3"} \
		"$(server_of)$2"
}
# makes NAME JQ-FILTER: a pod of the tenant's, of a program and its filter.
makes()
{
	local code
	jq -n --arg name "$1" '{apiVersion: "v1", kind: "Pod", metadata: {name: $name},
		spec: {containers: [{name: "main", image: "example/program:1"}]}} | '"$2" >"$CLUSTER/pod.json"
	code=$(as_tenant POST "$tenant_pods" "$CLUSTER/pod.json")
	[ "$code" = 201 ] || fail "$1 of $(wc -c <"$CLUSTER/pod.json") bytes: $code $(head -c 300 "$CLUSTER/answer")"
	note "$1: $(wc -c <"$CLUSTER/pod.json") bytes"
}
# makes_many COUNT SPEC: of a printf format for awk, with the number where %d stands, twice at most.
makes_many()
{
	awk -v path="$tenant_pods" -v count="$2" -v name="$1" -v spec="$3" 'BEGIN {
		for (i = 0; i < count; i++)
			printf "POST\t%s\t{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s-%d\"},\"spec\":{" \
				spec ",\"containers\":[{\"name\":\"main\",\"image\":\"i\",\"resources\":{\"requests\":{" \
				"\"cpu\":\"%s\"}}}]}}\n", path, name, i, i, (name == "huge" ? "1000" : "1m")
	}' | NAMESPACE=tenant CERTIFICATE=nobody "$tree/tests/e2e/load" send
}
goes()
{
	local code
	code=$(as_tenant DELETE "$tenant_pods/$1?gracePeriodSeconds=0")
	[ "$code" = 200 ] || fail "$1 is not deleted: $code"
}
probes=0
# others [FILTER [MS]]: another team's pod is bound.
others()
{
	probes=$((probes + 1))
	NAMESPACE=team pod "probe-$probes" "${1:-.}"
	NAMESPACE=team soon "probe-$probes" "${2:-5000}" 'beside all that'
}
ready() { [ "$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/readyz")" = 200 ]; }
names() { echo "[range($1)] | map({key: \"$2\(.)\", value: \"$3\"}) | from_entries"; }
beside() { echo "{topologyKey: $1, labelSelector: {matchLabels: {app: \"x\"}}}"; }

up
kc create namespace tenant >/dev/null
kc create namespace team >/dev/null
kc create role pods --verb='*' --resource=pods -n tenant >/dev/null
kc create rolebinding pods --role=pods --user=nobody -n tenant >/dev/null
may() { [ "$(as_tenant GET "$tenant_pods")" = 200 ]; }
eventually 20 "the tenant's role is seen" may
for path in /api/v1/nodes /api/v1/namespaces/team/pods; do
	[ "$(as_tenant GET "$path")" = 403 ] || fail "the tenant may read $path"
done
for n in n1 n2 n3 n4; do
	node "$n" 64 '{"topology.kubernetes.io/zone": "z"}'
	api PATCH "/api/v1/nodes/$n/status" apiserver -H 'Content-Type: application/merge-patch+json' \
		-d '{"status":{"allocatable":{"pods":"2500"}}}' >/dev/null
done
port=$(free_port)
start() { berth_start berth --memory 12Mi --http-port "$port"; }
start
berth_ready berth
others

note "big pods: labels, node names, one value, values of requests"
makes labels ".metadata.labels = ($(names 3000 'x.example/label-' value))"
others
makes hosts '.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms =
	[{matchExpressions: [{key: "kubernetes.io/hostname", operator: "NotIn",
	values: [range(4000) | "host-\(.).example.com"]}]}]'
others
makes value '.spec.containers[0].env = [{name: "A", value: ("x" * 1200000)}]'
others
makes volumes '.spec.volumes = [range(9000) | {name: "v\(.)", emptyDir: {}}]'
others
makes containers '.spec.containers = [range(2000) | {name: "c\(.)", image: "i", resources: {requests: {cpu: "1m"}}}]'
others

note "deep ones, in what nobody reads"
for depth in 100 3000; do
	{
		printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"deep-%d","managedFields":[{"manager":"me",' $depth
		printf '"operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":'
		for ((i = 0; i < depth; i++)); do printf '{"f:a":'; done
		printf '{}'
		for ((i = 0; i < depth; i++)); do printf '}'; done
		printf '}]},"spec":{"containers":[{"name":"main","image":"i"}]}}'
	} >"$CLUSTER/pod.json"
	note "depth $depth: $(as_tenant POST "$tenant_pods" "$CLUSTER/pod.json")"
	others
done
[ "$(as_tenant GET "$tenant_pods/deep-100")" = 200 ] || fail "the server did not take a pod of depth 100"

note "topology keys, terms and resources"
makes keys ".spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution =
	[range(60) | {weight: 1, podAffinityTerm: $(beside '"x\(.).example/k"')}]"
makes terms ".spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution =
	[range(450) | $(beside '"kubernetes.io/hostname"') | .labelSelector.matchLabels.app = \"y\" | .namespaces = [\"a\"]]"
others
zone=".metadata.labels.app = \"apart\" | .spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution =
	[$(beside '"topology.kubernetes.io/zone"')]"
others "$zone"
for n in 65 1000; do
	many="($(names $n example.com/r 1))"
	makes "wants-$n" ".spec.containers[0].resources = {requests: $many, limits: $many}"
	makes "nowhere-$n" ".spec.nodeName = \"nowhere\" | .spec.containers[0].resources = {requests: $many, limits: $many}"
	others
done
makes_many own 1500 '"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"a%d"}}}]}}'
others . 30000 # 1,500 pods that can be bound have come before it

note "a pod on a node that cannot be read closes that node, and nothing else"
many="($(names 5000 example.com/r 1))"
makes unreadable ".spec.nodeName = \"n1\" | .spec.containers[0].resources = {requests: $many, limits: $many}"
on_n1='.spec.nodeSelector = {"kubernetes.io/hostname": "n1"}'
NAMESPACE=team pod wants-n1 "$on_n1"
others
NAMESPACE=team rejected wants-n1 'a pod that cannot be read'
says_closed() { api GET /api/v1/namespaces/tenant/events | jq -e '.items[] | select(.reason == "NodeClosed")' >/dev/null; }
eventually 60 "an event says that the node is closed" says_closed
goes unreadable
NAMESPACE=team soon wants-n1 5000

note "pods on nodes that are not there"
makes_many ghost 6000 '"nodeName":"ghost-%d"'
others
ready || fail "not ready: $(curl -s "http://127.0.0.1:$port/readyz?verbose")"

note "more unschedulable pods than there is memory for; what is important comes first"
makes_many huge 4000 '"nodeSelector":{"no":"n%d"}'
others
NAMESPACE=kube-system pod critical '.spec.priorityClassName = "system-node-critical"'
NAMESPACE=kube-system soon critical 5000

note "claims whose provisioner hangs"
jq -n '{metadata: {name: "hangs"}, provisioner: "csi.example.com", volumeBindingMode: "WaitForFirstConsumer"}' |
	api POST /apis/storage.k8s.io/v1/storageclasses apiserver -H 'Content-Type: application/json' -d @- >/dev/null
awk 'BEGIN { for (i = 0; i < 200; i++) printf "POST\t/api/v1/namespaces/tenant/persistentvolumeclaims\t{\"metadata\":{\"name\":" \
	"\"claim-%d\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"storageClassName\":\"hangs\",\"resources\":{\"requests\":{" \
	"\"storage\":\"1Gi\"}}}}\n", i }' | "$tree/tests/e2e/load" send
makes_many claims 200 '"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"claim-%d"}}]'
others . 15000

note "a restart with all of it"
kill_hard berth # it is to end at once, whatever waits
start
is_ready_again() { [ "$(grep -c 'INFO scheduler ready' "$CLUSTER/berth.log")" -ge 2 ]; }
eventually 60 "it leads and decides" is_ready_again
others . 30000 # all pods that wait are tried once
others "$zone | .metadata.labels.app = \"again\""
ready || fail "not ready: $(curl -s "http://127.0.0.1:$port/readyz?verbose")"
for depth in 100 3000; do as_tenant DELETE "$tenant_pods/deep-$depth?gracePeriodSeconds=0" >/dev/null; done # jq
no_overcommit
bindings_are_single
berth_stop berth
