#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Devices that nobody should have: slices with thousands of devices, counters beyond measure and in circles, expressions
# that are wrong or have no end, claims that ask for thousands. Each costs the pods that ask for it, with words that say
# what is wrong; the pods beside them get their devices.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh
. tests/tools/bundled.sh

R=resource.k8s.io/v1
# Objects are lines of JSON; jq makes them, with what they have in common.
class() { jq -nc --arg n "$1" --arg e "$2" '{apiVersion: "resource.k8s.io/v1", kind: "DeviceClass", metadata: {name: $n},
	spec: {selectors: [{cel: {expression: $e}}]}}'; }
# slice DRIVER FILTER: for all nodes, and what the filter makes of spec
slice() { jq -nc --arg n "$1" '{apiVersion: "resource.k8s.io/v1", kind: "ResourceSlice", metadata: {name: $n}, spec: {driver: $n,
	allNodes: true, pool: {name: $n, generation: 1, resourceSliceCount: 1}, devices: []}} | .spec |= ('"$2"')'; }
# asks NAME FILTER: a claim, and a pod that has it; the filter is for spec.devices
asks() { jq -nc --arg n "$1" '({apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata: {name: $n, namespace: "default"},
	spec: {devices: ({requests: [{name: "r", exactly: {deviceClassName: $n, allocationMode: "ExactCount", count: 1}}]} | '"$2"')}},
	{apiVersion: "v1", kind: "Pod", metadata: {name: $n, namespace: "default"}, spec: {schedulerName: "default-scheduler",
	containers: [{name: "c", image: "i"}], resourceClaims: [{name: "x", resourceClaimName: $n}]}})'; }
both() { class "$1" "device.driver == \"$1\""; slice "$1" "$2"; asks "$1" "${3:-.}"; }
good='.requests[0].exactly.deviceClassName = "good"'
wrong() { class "$1" "$2"; asks "$1" .; asks "$1-claim" "$good"' | .requests[0].exactly.selectors = [{cel: {expression: '"$(jq -n --arg e "$2" '$e')"'}}]'; }

objects() {
	for n in a b c; do
		jq -nc --arg n $n '{apiVersion: "v1", kind: "Node", metadata: {name: $n}, status: {allocatable: {cpu: "9", memory: "9Gi",
			pods: "110"}, conditions: [{type: "Ready", status: "True"}]}}'
	done
	both good '.devices = [range(40) | {name: "g\(.)"}]'
	both crowded '.devices = [range(10000) | {name: "d\(.)"}]'
	both counted 'del(.allNodes) | .nodeName = "c" | .devices = [range(20) | {name: "d\(.)", consumesCounters: [{counterSet: "s", counters: {c: {value: "999999999999999999999999"}}}]}]
		| .sharedCounters = [{name: "s", counters: {c: {value: "-5"}}}]'
	both wordy '.devices = [{name: "d", attributes: ([range(1500) | {key: "d\(.).x/a", value: {int: .}}] | from_entries)}]' \
		'.requests[0].exactly.selectors = [{cel: {expression: "device.attributes.all(d, d == \"wordy\" || device.attributes[d].a >= 0)"}}]'
	wrong syntax 'device.driver =='
	wrong kind 1
	wrong unknown 'nosuch == 1'
	wrong absent 'device.attributes["x"].y == 1'
	wrong endless "$(jq -nr '[range(30)] | tojson as $l | reduce range(6) as $i ("true"; $l + ".all(v\($i), " + . + ")")')"
	asks thousands '.requests = [range(4000) | {name: "r\(.)", exactly: {deviceClassName: "good", count: 1}}]'
	asks hundreds '.requests = [range(300) | {name: "r\(.)", exactly: {deviceClassName: "good", count: 1}}]'
	asks huge "$good"' | .requests[0].exactly.count = 4000000000000'
	asks bound "$good"' | .constraints = [range(2000) | {matchAttribute: "good/a\(.)"}]'
	for i in 1 2 3 4 5; do asks "good$i" "$good"; done
	asks many "$good" | jq -c 'if .kind == "Pod" then .spec.resourceClaims[0] as $c | range(259) as $i | .metadata.name = "many\($i)" else . end'
	class parts 'device.driver == "parts"' | jq -c '.spec.extendedResourceName = "example.com/part"'
	slice parts '.devices = [range(8) | {name: "p\(.)"}]'
	for n in parts:1,3,2 toomany:1,7,2; do extended "${n%:*}" "[${n#*:}]"; done
}
# extended NAME [INIT,CONTAINER,CONTAINER]: so many parts for each
extended() { jq -nc --arg n "$1" --argjson of "$2" 'def c($name; $count): {name: $name, image: "i", resources: {requests:
	{"example.com/part": "\($count)"}, limits: {"example.com/part": "\($count)"}}};
	{apiVersion: "v1", kind: "Pod", metadata: {name: $n, namespace: "default"}, spec: {schedulerName: "default-scheduler",
	initContainers: [c("before"; $of[0])], containers: [c("one"; $of[1]), c("two"; $of[2])]}}'; }
objects | jq -sc '{kind: "List", apiVersion: "v1", items: .}' >"$work/objects.json"

api() { curl -sk -H "Authorization: Bearer $token" "$server$1" "${@:2}"; }
# told POD WORDS: its condition says so; placed POD
told() { api "/api/v1/namespaces/default/pods/$1" | jq -r '.status.conditions[]? | select(.type == "PodScheduled").message' |
	grep -qF -- "$2"; }
placed() { [ -n "$(api "/api/v1/namespaces/default/pods/$1" | jq -r '.spec.nodeName // empty')" ]; }
says_of() { claim "$1: $2" eventually 20 told "$1" "$2"; }

serve --no-life --load "$work/objects.json"
server=$(sed -n 's/.*server: *//p' "$work/made") token=$(sed -n 's/.*token: *//p' "$work/made")
"$berth" run --kubeconfig "$work/made" --secure-port "$page" --bind-address 127.0.0.1 --page-access loopback >>"$work/log" 2>&1 </dev/null &
pid=$!

for i in '' 1 2 3 4 5; do claim "good$i gets its device" eventually 20 placed "good$i"; done
claim 'a map of 1,500 attributes is looked at' eventually 20 placed wordy
says_of crowded 'cannot allocate all claims'
claim 'the slice of 10,000 devices is told of' says 'kind=resourceslices name=crowded why="too many values"'
for of in syntax syntax-claim; do says_of $of 'Syntax error: mismatched input'; done
for of in kind kind-claim; do says_of $of 'must evaluate to bool or the unknown type, not int'; done
for of in unknown unknown-claim; do says_of $of "undeclared reference to 'nosuch'"; done
for of in absent absent-claim; do says_of $of 'no such key: y'; done
for of in endless endless-claim; do says_of $of 'actual cost limit exceeded'; done
says_of hundreds 'number of requested devices 300 exceeds the claim limit of 32'
says_of huge 'number of requested devices 4000000000000 exceeds the claim limit of 32'
says_of bound 'cannot allocate all claims'
claim 'the claim of 4,000 requests is told of' says 'kind=resourceclaims name=default/thousands why="too many values"'
says_of counted 'cannot allocate all claims'

# An invalid pool with counters is every node's, and the first thing that is said of all of them.
circular() {
	both circular '.devices = [{name: "d", consumesCounters: [{counterSet: "s", counters: {c: {value: "1"}}}]}]
		| .sharedCounters = [range(2) | {name: "s", counters: {c: {value: "1"}}}]'
}
later() {
	local kind
	circular >"$work/circular"
	for kind in DeviceClass ResourceSlice ResourceClaim Pod; do
		jq -c "select(.kind == \"$kind\")" "$work/circular" >"$work/one"
		case $kind in
		Pod) api "/api/v1/namespaces/default/pods" -X POST -H 'Content-Type: application/json' -d @"$work/one" ;;
		ResourceClaim) api "/apis/$R/namespaces/default/resourceclaims" -X POST -H 'Content-Type: application/json' -d @"$work/one" ;;
		DeviceClass) api "/apis/$R/deviceclasses" -X POST -H 'Content-Type: application/json' -d @"$work/one" ;;
		*) api "/apis/$R/resourceslices" -X POST -H 'Content-Type: application/json' -d @"$work/one" ;;
		esac >/dev/null
	done
}
later
says_of circular 'invalid resource pools were encountered'

# Claims that go while their pods wait, and come again: the pods get there all the same.
again() {
	local at=/apis/$R/namespaces/default/resourceclaims pods=/api/v1/namespaces/default/pods i
	for i in $(seq 12); do
		asks "late$i" "$good" | jq -c 'select(.kind == "Pod")' | api "$pods" -X POST -H 'Content-Type: application/json' -d @- >/dev/null
		asks "late$i" "$good" | jq -c 'select(.kind == "ResourceClaim")' >"$work/late"
		api "$at" -X POST -H 'Content-Type: application/json' -d @"$work/late" >/dev/null
		[ $((i % 3)) = 0 ] || sleep "0.0$i"
		api "$at/late$i" -X DELETE >/dev/null
		api "$at/late$i" -X PATCH -H 'Content-Type: application/merge-patch+json' -d '{"metadata":{"finalizers":null}}' >/dev/null
		api "$at" -X POST -H 'Content-Type: application/json' -d @"$work/late" >/dev/null
	done
	for i in $(seq 12); do eventually 30 placed "late$i" || return 1; done
}
claim 'claims that are deleted and made again: nothing is lost' again
once() { api "/apis/$R/resourceclaims" | jq -e '[.items[].status.allocation.devices.results[]? | .driver + "/" + .device] |
	length == (unique | length) and length >= 7' >/dev/null; }
claim 'no device is given twice' once

# A claim is for 256 pods at most: the apiserver refuses the next one, and says so.
held() { [ "$(api "/apis/$R/namespaces/default/resourceclaims/many" | jq '.status.reservedFor | length')" = 256 ]; }
bound() { [ "$(api "/api/v1/namespaces/default/pods" | jq '[.items[] | select(.metadata.name | test("^many")).spec.nodeName // empty] | length')" = 256 ]; }
refused() { api "/api/v1/namespaces/default/pods" | jq -e '[.items[] | select((.metadata.name | test("^many")) and .spec.nodeName == null) |
	.status.conditions[]? | select(.type == "PodScheduled").message | contains("must have at most 256 items")] == [true, true, true]' >/dev/null; }
claim 'a claim is reserved for 256 pods' eventually 60 held
claim 'they are bound' eventually 30 bound
claim 'the others are told why they are not' eventually 30 refused

# Devices behind an extended resource, of several containers: a request for each.
mapped() { api "/api/v1/namespaces/default/pods/parts" | jq -e '.spec.nodeName and ([.status.extendedResourceClaimStatus.requestMappings[] |
	"\(.containerName) \(.resourceName)"] | sort) == ["before example.com/part", "one example.com/part", "two example.com/part"]' >/dev/null; }
counted() { api "/apis/$R/namespaces/default/resourceclaims" | jq -e '[.items[] | select(.metadata.name | test("^parts-")) |
	.status.allocation.devices.results | length] == [5]' >/dev/null; }
claim 'three containers have their parts' eventually 20 mapped
claim 'as many as they ask for, where the first to run leaves its own to the others' counted
claim 'it ends in order' stop
finish
