#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 180
#
# The scheduler is killed again and again while pods with claims come, in the middle of what it writes
# before their bindings: no device is given twice, none is lost, every pod gets its own in the end.
# Needs a server that serves resource.k8s.io/v1 (APISERVER=).

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

up
R=/apis/resource.k8s.io/v1
if ! api GET "$R" >/dev/null 2>&1; then
	note "the server has no devices"
	exit 0
fi
NODES=6 EACH=8
PODS=$((NODES * EACH))
post() { api POST "$1" apiserver -H 'Content-Type: application/json' -d "$2" >/dev/null; }
claims() { api GET "$R/namespaces/default/resourceclaims"; }
given_twice() { claims | jq -r '.items[].status.allocation.devices.results[]? | .pool + "/" + .device' | sort | uniq -d; }
claims_given() { claims | jq '[.items[] | select(.status.allocation)] | length'; }
all_given() { [ "$(claims_given)" = "$PODS" ]; }

post "$R/deviceclasses" '{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"any"},
	"spec":{"extendedResourceName":"example.com/dev"}}'
for ((i = 0; i < NODES; i++)); do
	node "n$i" 16
	post "$R/resourceslices" "$(jq -nc --arg n "n$i" --argjson each $EACH '{apiVersion: "resource.k8s.io/v1",
		kind: "ResourceSlice", metadata: {name: $n}, spec: {driver: "d.example.com", nodeName: $n,
		pool: {name: $n, generation: 1, resourceSliceCount: 1},
		devices: [range($each) | {name: "dev-\(.)"}]}}')"
done

# Every second one by a claim, the others by an extended resource.
come()
{
	local i
	for ((i = 0; i < PODS; i++)); do
		if ((i % 2)); then
			pod "p$i" '.spec.containers[0].resources = {requests: {"example.com/dev": "1"},
				limits: {"example.com/dev": "1"}}'
			continue
		fi
		post "$R/namespaces/default/resourceclaims" '{"apiVersion":"resource.k8s.io/v1",
			"kind":"ResourceClaim","metadata":{"name":"c'$i'"},"spec":{"devices":{"requests":[
			{"name":"r","exactly":{"deviceClassName":"any"}}]}}}'
		pod "p$i" '.spec.resourceClaims = [{name: "x", resourceClaimName: "c'$i'"}]'
	done
}

berth_start berth --leader-elect=false
berth_ready berth
come &
comes=$!
kills=0
while kill -0 $comes 2>/dev/null; do
	sleep "0.$((RANDOM % 5 + 2))"
	kill_hard berth
	kills=$((kills + 1))
	[ -z "$(given_twice)" ] || fail "given twice: $(given_twice)"
	berth_start berth --leader-elect=false
done
wait $comes
note "killed $kills times"
eventually 60 "all $PODS pods are bound" all_bound $PODS
eventually 10 "every claim has its device" all_given
[ -z "$(given_twice)" ] || fail "given twice: $(given_twice)"
[ "$(claims | jq '.items | length')" = "$PODS" ] || fail "$(claims | jq '.items | length') claims for $PODS pods"
bindings_are_single
berth_stop berth
