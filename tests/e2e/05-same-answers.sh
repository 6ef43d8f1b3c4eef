#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The same requests to kube-apiserver and to apisim, the apiserver of the simulator: the answers
# must be the same, but for what is chance (uids, versions, times) and what kube-apiserver writes
# down that apisim has no use for (managedFields, zeroes of its types).

# shellcheck source-path=SCRIPTDIR source=cluster
. "$(dirname "$0")/cluster"

# apisim plays the release of the server that is here. What it does not know of old ones: that they
# did not look at uid and namespace of a binding.
normal='
def chance: if type == "object" then
		del(.managedFields, .selfLink, .uid, .resourceVersion, .creationTimestamp,
			.daemonEndpoints, .nodeInfo, .retryAfterSeconds)
		| with_entries(if (.key | test("Time$|Timestamp$")) and .value != null
			then .value = "T" else . end)
	elif type == "string" then
		gsub("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"; "U")
		| gsub("\"[a-z0-9./]*legacyscheme"; "\"legacyscheme")
		| gsub("version: [0-9]+( \\([0-9]+\\))?"; "version: N") | gsub("current: [0-9]+"; "current: N")
	else . end;
walk(chance) | if .metadata?.continue? then .metadata.continue = "C" else . end'

# ask SERVER METHOD PATH TYPE BODY: the status on a line, and the answer as it is compared. What a
# stream says is one line per object.
ask()
{
	local out=$CLUSTER/answer.$1 code url
	local args=(-sk --max-time 10 -o "$out" -w '%{http_code}' -X "$2")
	[ -z "$5" ] || args+=(-H "Content-Type: $4" --data-binary "$5")
	if [ "$1" = real ]; then
		args+=(--cert "$CLUSTER/pki/admin.crt" --key "$CLUSTER/pki/admin.key")
		url=$(server_of)
	else
		url=http://127.0.0.1:$(port_of apisim)
	fi
	: >"$out"
	code=$(curl "${args[@]}" -H 'User-Agent: same-answers' "$url$3") || code="$code cut"
	echo "$code"
	jq -S -c "$normal" "$out" 2>/dev/null || cat "$out"
}

asked=0
different=0

# same METHOD PATH [BODY [TYPE]]
same()
{
	local body=${3:-} type=${4:-application/json}
	asked=$((asked + 1))
	ask real "$1" "$2" "$type" "$body" >"$CLUSTER/real.out"
	ask apisim "$1" "$2" "$type" "$body" >"$CLUSTER/apisim.out"
	if ! diff "$CLUSTER/real.out" "$CLUSTER/apisim.out" >"$CLUSTER/$asked.diff"; then
		different=$((different + 1))
		note "different: $1 $2 $body"
		cat "$CLUSTER/$asked.diff"
	else
		rm "$CLUSTER/$asked.diff"
	fi
}

merge=application/merge-patch+json
strategic=application/strategic-merge-patch+json
pods=/api/v1/namespaces/default/pods
leases=/apis/coordination.k8s.io/v1/namespaces/kube-system/leases
events=/apis/events.k8s.io/v1/namespaces/default/events

pod()
{
	echo '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"'"$1"'"},"spec":{"containers":[{"name":"c",
		"image":"registry.k8s.io/pause:3.10"'"${2:+,$2}"'}]'"${3:+,$3}"'}}'
}

binding()
{
	echo '{"kind":"Binding","apiVersion":"v1","metadata":{"name":"'"$1"'"'"${3:+,$3}"'},
		"target":{"kind":"Node","name":"'"$2"'"}}'
}

condition()
{
	echo '{"status":{'"${3:-}"'"conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-11-18T10:37:11Z",
		"message":"'"$2"'","reason":"Unschedulable","status":"False","type":"'"$1"'"}]}}'
}

[ -x "$bin/apisim" ] || fail "no $bin/apisim: make it first"
up
release=$(api GET /version | jq -r .minor | tr -cd 0-9)
launch apisim "$bin/apisim" --plain --no-life --release "$release" --port "$(port_of apisim)"
eventually 10 "apisim listens" grep -q listening "$CLUSTER/apisim.log"

note "nodes and pods"
same POST /api/v1/nodes '{"kind":"Node","apiVersion":"v1","metadata":{"name":"node-1","labels":
	{"topology.kubernetes.io/zone":"z1"}},"status":{"capacity":{"cpu":"4"},"allocatable":{"cpu":"4"},
	"conditions":[{"type":"Ready","status":"True"}]}}'
same POST /api/v1/nodes '{"kind":"Node","apiVersion":"v1","metadata":{"name":"node-1"}}'
same POST $pods "$(pod a)"
same POST $pods "$(pod a)"
same POST $pods "$(pod b '"resources":{"requests":{"cpu":"1"},"limits":{"cpu":"2","memory":"1Gi"}}')"
same POST $pods "$(pod c '"resources":{"limits":{"cpu":"2","memory":"1Gi"}}' \
	'"priorityClassName":"system-node-critical"')"
same POST $pods "$(pod d '' '"priorityClassName":"nosuch"')"
same POST $pods "$(pod Bad)"
same POST $pods '{"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":[{"name":"c","image":"x"}]}}'
same POST $pods '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"},"spec":{}}'
same POST $pods '{"kind":"Pod","apiVersion":"v2","metadata":{"name":"x"},"spec":{}}'
same POST $pods '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x","namespace":"other"},"spec":{}}'
same POST /api/v1/namespaces/nosuch/pods "$(pod a)"
same POST $pods '{"bad json'
same GET $pods/a
same GET $pods/nosuch
same GET $pods/a/status
same GET $pods/a/nosuch
same GET /api/v1/nodes
same GET "/api/v1/pods?limit=2"
same GET "/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1"
same GET "/api/v1/pods?fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed&limit=500&resourceVersion=0"
same GET "/api/v1/pods?fieldSelector=spec.color%3Dred"
same GET "/apis/storage.k8s.io/v1/csinodes?fieldSelector=spec.color%3Dred"
same GET "/api/v1/pods?resourceVersion=x"
same GET "/api/v1/pods?resourceVersionMatch=Exact"
same GET "/api/v1/pods?resourceVersionMatch=Exact&resourceVersion=0"
same GET "/api/v1/nodes?watch=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=1"
same GET "/api/v1/nosuch"
same GET /apis/nosuch.k8s.io/v1/things
same POST /api/v1/pods "$(pod a)"

note "binding"
same POST $pods/nosuch/binding "$(binding nosuch node-1)"
same POST $pods/a/binding "$(binding other node-1)"
same POST $pods/a/binding '{"kind":"Binding","apiVersion":"v1","metadata":{"name":"a"},"target":{"kind":"Pod","name":"x"}}'
same POST $pods/a/binding '{"kind":"Binding","apiVersion":"v1","metadata":{"name":"a"},"target":{"kind":"Node"}}'
same POST $pods/a/binding "$(binding a node-1 '"annotations":{"x":"y"}')"
same POST $pods/a/binding "$(binding a node-1)"
same GET $pods/a

note "status"
same PATCH $pods/b/status "$(condition PodScheduled one)" $strategic
same PATCH $pods/b/status "$(condition PodScheduled two '"nominatedNodeName":"node-1",')" $strategic
same PATCH $pods/b/status "$(condition DisruptionTarget three \
	'"$setElementOrder/conditions":[{"type":"PodScheduled"},{"type":"DisruptionTarget"}],')" $strategic
same PATCH $pods/b/status '{"status":{"nominatedNodeName":null}}' $strategic
same PATCH $pods/b/status '{"status":{"$setElementOrder/conditions":[{"type":"DisruptionTarget"}],
	"conditions":[{"$patch":"delete","type":"PodScheduled"}]}}' $strategic
same PATCH $pods/b/status '{"status":{"phase":"Running"}}' $merge
same PATCH $pods/nosuch/status '{"status":{}}' $strategic
same PATCH $pods/b/status '{"metadata":{"resourceVersion":"1"},"status":{"phase":"Running"}}' $merge
same PATCH /api/v1/nodes/node-1 '{"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}}' $merge
same PATCH /api/v1/nodes/node-1/status '{"status":{"conditions":[{"type":"Ready","status":"Unknown"},
	{"type":"DiskPressure","status":"False"}]}}' $strategic

note "leases"
same GET $leases/kube-scheduler
same POST $leases '{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"kube-scheduler"},
	"spec":{"holderIdentity":"a","leaseDurationSeconds":15,"acquireTime":"2026-11-18T10:37:08.919698Z",
	"renewTime":"2026-11-18T10:37:08.919698Z","leaseTransitions":0}}'
same PUT $leases/kube-scheduler '{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":
	{"name":"kube-scheduler","namespace":"kube-system","resourceVersion":"1"},"spec":{"holderIdentity":"b"}}'
same PUT $leases/kube-scheduler '{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":
	{"name":"other","resourceVersion":"1"},"spec":{}}'
same PUT $leases/other '{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"other"},
	"spec":{"holderIdentity":"b"}}'

note "events"
event='{"kind":"Event","apiVersion":"events.k8s.io/v1","metadata":{"name":"e.1","namespace":"default"},
	"eventTime":"2026-11-18T10:37:11.016360Z","action":"Binding","reason":"Scheduled","note":"n","type":"Normal",
	"regarding":{"kind":"Pod","name":"a","namespace":"default"},"reportingController":"s","reportingInstance":"s-1"}'
same POST $events "$event"
same POST $events "$event"
same PATCH $events/e.1 '{"series":{"count":2,"lastObservedTime":"2026-11-18T10:37:12.016360Z"}}' $strategic
same PATCH $events/e.2 '{"series":{"count":2}}' $strategic
same GET /api/v1/namespaces/default/events/e.1

note "ends"
same DELETE $pods/a '{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"nope"}}'
same DELETE $pods/a '{"kind":"DeleteOptions","apiVersion":"v1"}'
same DELETE $pods/a '{"kind":"DeleteOptions","apiVersion":"v1"}'
same POST $pods/a/binding "$(binding a node-1)"
same DELETE $pods/a '{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0}'
same DELETE $pods/b
same DELETE $pods/nosuch
same DELETE /api/v1/nodes/node-1
same GET "/api/v1/pods"

note "watches"
same POST $pods "$(pod w)"
same GET "/api/v1/pods?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dw"
same GET "/api/v1/pods?watch=true&timeoutSeconds=1&resourceVersion=99999999"

note "$asked requests, $different answered differently"
[ $different = 0 ] || fail "$different of $asked answers differ"
grep -q '^apisim' "$CLUSTER/apisim.log"
end apisim
