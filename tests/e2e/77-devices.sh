#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Devices: a claim and an extended resource get one each, nobody gets one twice. Needs a server that
# serves resource.k8s.io/v1 (APISERVER=); with an older one there is nothing to show.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

up
R=/apis/resource.k8s.io/v1
if ! api GET "$R" >/dev/null 2>&1; then
	note "the server has no devices"
	exit 0
fi
post() { api POST "$1" apiserver -H 'Content-Type: application/json' -d "$2" >/dev/null; }
claim() { post "$R/namespaces/default/resourceclaims" '{"apiVersion":"resource.k8s.io/v1",
	"kind":"ResourceClaim","metadata":{"name":"'"$1"'"},"spec":{"devices":{"requests":[{"name":"r",
	"exactly":{"deviceClassName":"any"}}]}}}'; }
given() { api GET "$R/namespaces/default/resourceclaims" |
	jq -r '.items[].status.allocation.devices.results[]?.device' | sort | xargs; }

node n1 4
post "$R/deviceclasses" '{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"any"},
	"spec":{"selectors":[{"cel":{"expression":"device.driver == \"d.example.com\""}}],
	"extendedResourceName":"example.com/dev"}}'
post "$R/resourceslices" '{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"},
	"spec":{"driver":"d.example.com","nodeName":"n1","pool":{"name":"n1","generation":1,
	"resourceSliceCount":1},"devices":[{"name":"a"},{"name":"b"}]}}'
claim one
claim late
berth_start berth
berth_ready berth

note "an extended resource gets a device before any pod has a claim, and a claim another"
pod second '.spec.containers[0].resources = {requests: {"example.com/dev": "1"}, limits: {"example.com/dev": "1"}}'
soon second 5000
pod first '.spec.resourceClaims = [{name: "x", resourceClaimName: "one"}]'
soon first 5000
[ "$(given)" = "a b" ] || fail "given: $(given)"

note "there is no third"
pod third '.spec.resourceClaims = [{name: "x", resourceClaimName: "late"}]'
rejected third "cannot allocate all claims"
[ "$(given)" = "a b" ] || fail "given: $(given)"

note "devices on a node that is no more are given back, and others are got"
claim stale
merge() { api PATCH "$1" apiserver -H 'Content-Type: application/merge-patch+json' -d "$2" >/dev/null; }
merge "$R/namespaces/default/resourceclaims/stale/status" '{"status":{"allocation":{"devices":{"results":[
	{"request":"r","driver":"d.example.com","pool":"gone","device":"z"}]},"nodeSelector":{"nodeSelectorTerms":[
	{"matchFields":[{"key":"metadata.name","operator":"In","values":["gone"]}]}]}}}}'
api DELETE /api/v1/namespaces/default/pods/third?gracePeriodSeconds=0 >/dev/null
api DELETE /api/v1/namespaces/default/pods/first?gracePeriodSeconds=0 >/dev/null
merge "$R/namespaces/default/resourceclaims/one/status" '{"status":{"allocation":null,"reservedFor":null}}'
pod fourth '.spec.resourceClaims = [{name: "x", resourceClaimName: "stale"}]'
soon fourth 15000
[ "$(given)" = "a b" ] || fail "given: $(given)"
berth_stop berth
