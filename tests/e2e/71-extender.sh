#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Extenders over HTTP and HTTPS: they take nodes away, give points, spare victims, bind; slow, broken
# and absent ones hurt only the pods they are asked about.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

# extender_start NAME ARGS...: build/<arch>/extender, which does as pods tell it.
extender_start()
{
	local name=$1
	shift
	[ -x "$bin/extender" ] || fail "no $bin/extender: make it first"
	"$bin/extender" --kubeconfig "$CLUSTER/kubeconfig/admin" --port "$(port_of "$name")" "$@" \
		>>"$CLUSTER/$name.out" 2>>"$CLUSTER/$name.log" </dev/null &
	remember "$name" $!
	disown $!
}
# cares NAME: the pod has the resource that makes an extender care.
cares() { echo ".spec.containers[0].resources.limits[\"example.com/$1\"] = \"1\""; }
tells() { echo ".metadata.annotations[\"extender/$1\"] = \"$2\""; }
was_asked() { grep -q "$2" "$CLUSTER/$1.out"; }

up
for name in low:100 high:1000; do
	api POST /apis/scheduling.k8s.io/v1/priorityclasses apiserver -H 'Content-Type: application/json' \
		-d "{\"metadata\":{\"name\":\"${name%:*}\"},\"value\":${name#*:}}" >/dev/null
done
node n1 4
node n2 4
node n3 4
extender_start plain
extender_start secret --certificate-out "$CLUSTER/extender.crt"
eventually 10 "the certificate of an extender is there" test -s "$CLUSTER/extender.crt"
cat >"$CLUSTER/extenders.yaml" <<END
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
extenders:
- urlPrefix: http://127.0.0.1:$(port_of plain)/any/
  filterVerb: filter
  prioritizeVerb: prioritize
  preemptVerb: preempt
  weight: 100
  nodeCacheCapable: true
  httpTimeout: 1s
  managedResources: [{name: example.com/asked, ignoredByScheduler: true}]
- urlPrefix: https://127.0.0.1:$(port_of secret)
  enableHTTPS: true
  tlsConfig: {caFile: $CLUSTER/extender.crt}
  filterVerb: filter
  managedResources: [{name: example.com/whole, ignoredByScheduler: true}]
- urlPrefix: http://127.0.0.1:$(port_of plain)
  bindVerb: bind
  nodeCacheCapable: true
  managedResources: [{name: example.com/bound, ignoredByScheduler: true}]
- urlPrefix: http://127.0.0.1:$(port_of nobody)
  filterVerb: filter
  nodeCacheCapable: true
  ignorable: true
  managedResources: [{name: example.com/ignored, ignoredByScheduler: true}]
END
berth_start berth --config "$CLUSTER/extenders.yaml"
berth_ready berth

note "nodes are taken away, points decide"
pod picked "$(cares asked) | $(tells keep n1,n3) | $(tells best n3)"
soon picked 2000
is_on picked n3 || fail "picked is on $(node_of picked)"
was_asked plain "^filter picked [0-9]* names" || fail "the extender was not asked about names"

note "no node is left; a new one wakes the pod"
pod waits "$(cares asked) | $(tells keep n4)"
rejected waits "0/3 nodes are available: 3 not wanted."
node n4 4
soon waits 5000
is_on waits n4 || fail "waits is on $(node_of waits)"

note "trouble is told with the URL"
url=http://127.0.0.1:$(port_of plain)/any/filter
pod trouble-500 "$(cares asked) | $(tells trouble 500)"
pod trouble-garbage "$(cares asked) | $(tells trouble garbage)"
pod trouble-half "$(cares asked) | $(tells trouble half)"
pod trouble-strange "$(cares asked) | $(tells trouble strange)"
rejected trouble-500 "failed filter with extender at URL $url, code 500"
rejected trouble-garbage "failed filter with extender at URL $url: the answer is not JSON"
rejected trouble-half "Post \"$url\""
rejected trouble-strange 'claims a filtered node "nowhere" which is not found in the input node list'

note "a slow one holds up nobody else"
for i in 1 2 3 4 5 6 7 8 9 10; do
	pod "slow-$i" "$(cares asked) | $(tells trouble slow)"
done
eventually 5 "the slow extender is being asked" was_asked plain "^filter slow-"
for i in 1 2 3; do
	pod "plain-$i"
	soon "plain-$i" 1500
done
rejected slow-1 "context deadline exceeded"
for name in trouble-500 trouble-garbage trouble-half trouble-strange slow-{1..10}; do
	api DELETE "/api/v1/namespaces/default/pods/$name?gracePeriodSeconds=0" >/dev/null
done

note "whole nodes, over HTTPS"
pod whole "$(cares whole) | $(tells keep n2)"
soon whole 3000
is_on whole n2 || fail "whole is on $(node_of whole)"
was_asked secret "^filter whole [0-9]* nodes" || fail "the extender did not get whole nodes"

note "an absent one that may be ignored is"
pod ignored "$(cares ignored)"
soon ignored 3000

note "an extender binds; what it says is not believed"
pod bound-1 "$(cares bound)"
soon bound-1 2000
was_asked plain "^bind bound-1" || fail "the extender was not asked to bind"
pod mute-1 "$(cares bound)"
soon mute-1 2000
pod refused-1 "$(cares bound)"
rejected refused-1 "not today"
for pod in bound-1 mute-1; do
	eventually 10 "$pod is said to be scheduled" eval \
		"kc get events --field-selector reason=Scheduled,involvedObject.name=$pod | grep -q 'Successfully assigned'"
done
api DELETE "/api/v1/namespaces/default/pods/refused-1?gracePeriodSeconds=0" >/dev/null

note "victims that an extender spares stay"
for i in 1 2 3 4; do
	pod "low-$i" ".spec.priorityClassName = \"low\" | $(requests_cpu 3500m)"
	soon "low-$i" 2000
done
spared=$(node_of low-1)
pod high ".spec.priorityClassName = \"high\" | $(requests_cpu 2) | $(cares asked) | $(tells spare "$spared")"
rejected high "4 Insufficient cpu"
eventually 10 "an extender was shown the victims" was_asked plain "^preempt high"
nominated() { api GET /api/v1/namespaces/default/pods/high | jq -r '.status.nominatedNodeName // empty'; }
eventually 10 "high is nominated" eval '[ -n "$(nominated)" ]'
[ "$(nominated)" != "$spared" ] || fail "high is nominated to the node that is spared"
[ "$(api GET /api/v1/namespaces/default/pods/low-1 | jq -r .metadata.deletionTimestamp)" = null ] ||
	fail "low-1 is asked to go"

no_overcommit
bindings_are_single
berth_stop berth
end plain
end secret
