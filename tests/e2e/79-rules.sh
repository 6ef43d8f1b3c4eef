#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 240
#
# Rules of people's own: the three of src/plugins/RULES.md as they stand there, what they say in conditions and
# events, what wakes a pod that they refused, time that is refreshed, and a configuration with a mistake.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

annotate()
{
	api PATCH "/api/v1/nodes/$1" apiserver -H 'Content-Type: application/merge-patch+json' \
		-d "{\"metadata\":{\"annotations\":{\"$2\":\"$3\"}}}" >/dev/null
}
label_pod()
{
	api PATCH "/api/v1/namespaces/default/pods/$1" apiserver -H 'Content-Type: application/merge-patch+json' \
		-d "{\"metadata\":{\"labels\":{\"$2\":\"$3\"}}}" >/dev/null
}
of() { echo ".metadata.labels[\"$1\"] = \"$2\""; }
event_of()
{
	api GET /api/v1/namespaces/default/events |
		jq -r --arg pod "$1" '.items[] | select(.involvedObject.name == $pod) | .message'
}

# The first block of the document, without its indentation.
document=$(dirname "$0")/../../src/plugins/RULES.md
awk '/^    / {print substr($0, 5); on = 1; next} on {exit}' "$document" >"$CLUSTER/rules.yaml"

note "a mistake is told by line and column, and berth does not start"
sed 's/pod\.labels\.shared/pod.lables.shared/' "$CLUSTER/rules.yaml" >"$CLUSTER/wrong.yaml"
line=$(grep -n lables "$CLUSTER/wrong.yaml" | cut -d: -f1)
said=$("$bin/berth" check-config "$CLUSTER/wrong.yaml" 2>&1) && fail "a wrong rule is not refused"
[[ $said == *"wrong.yaml:$line:"*".rules[2].filter: undefined field 'lables'"* ]] || fail "$said"
"$bin/berth" check-config "$CLUSTER/rules.yaml" >/dev/null || fail "the document's rules are refused"

up
node a 4
node b 4
annotate a example.com/power battery
annotate b example.com/temperature cool
berth_start berth --leader-elect=false --config "$CLUSTER/rules.yaml"
berth_ready berth

note "cool nodes come first"
for i in 1 2 3; do
	pod "plain-$i"
	soon "plain-$i" 4000
	is_on "plain-$i" b || fail "plain-$i is on $(node_of "plain-$i")"
done

note "batch stays off batteries, and its annotation wakes the pod"
annotate b example.com/power battery
sleep 0.5
pod batch "$(of workload batch)"
rejected batch "2 node(s) refused by rule batch-off-battery: no batch work on batteries."
has_event() { [[ $(event_of batch) == *"refused by rule batch-off-battery"* ]]; }
eventually 10 "the event names the rule" has_event
annotate a example.com/rack 7
sleep 1
! is_bound batch || fail "an annotation that no rule reads let it through"
annotate a example.com/power mains
soon batch 4000 "after a node is off its battery"
is_on batch a || fail "batch is on $(node_of batch)"

note "one pod of a customer on each host, unless it is labelled"
for i in 1 2; do
	pod "acme-$i" "$(of customer acme)"
	soon "acme-$i" 4000
done
[ "$(node_of acme-1)" != "$(node_of acme-2)" ] || fail "both are on $(node_of acme-1)"
pod acme-3 "$(of customer acme)"
rejected acme-3 "2 node(s) refused by rule one-per-customer."
pod acme-4 "$(of customer acme) | $(of shared yes)"
soon acme-4 4000
label_pod acme-3 shared yes
soon acme-3 4000 "after its own label came"
pod acme-5 "$(of customer acme)"
rejected acme-5 "refused by rule one-per-customer"
where=$(node_of acme-1)
for name in acme-1 acme-2 acme-3 acme-4; do
	! is_on $name "$where" ||
		api DELETE "/api/v1/namespaces/default/pods/$name?gracePeriodSeconds=0" >/dev/null
done
soon acme-5 4000 "after the others left a host"
is_on acme-5 "$where" || fail "acme-5 is on $(node_of acme-5)"
berth_stop berth

note "a pod's own annotation decides, and wakes it"
cat >"$CLUSTER/own.yaml" <<'EOF'
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: Rules
    args:
      rules:
      - {name: own, filter: "pod.annotations[?'example.com/node'].orValue(node.name) == node.name"}
EOF
berth_start own --leader-elect=false --config "$CLUSTER/own.yaml"
berth_ready own
count=0
for name in a b a b; do
	pod "to-$name-$((++count))" ".metadata.annotations = {\"example.com/node\": \"$name\", \"example.com/other\": \"$count\"}"
	soon "to-$name-$count" 4000
	is_on "to-$name-$count" "$name" || fail "to-$name-$count is on $(node_of "to-$name-$count")"
done
pod nowhere '.metadata.annotations = {"example.com/node": "c"}'
rejected nowhere "2 node(s) refused by rule own."
api PATCH /api/v1/namespaces/default/pods/nowhere apiserver -H 'Content-Type: application/merge-patch+json' \
	-d '{"metadata":{"annotations":{"example.com/node":"b"}}}' >/dev/null
soon nowhere 4000 "after its annotation changed"
is_on nowhere b || fail "nowhere is on $(node_of nowhere)"
berth_stop own

note "time goes on for pods that wait"
cat >"$CLUSTER/time.yaml" <<'EOF'
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: Rules
    args:
      refresh: 10s
      rules:
      - {name: later, filter: "now >= timestamp(node.annotations['example.com/from'])"}
EOF
from=$(date -u -d '+30 seconds' +%Y-%m-%dT%H:%M:%SZ)
annotate a example.com/from "$from"
berth_start timed --leader-elect=false --config "$CLUSTER/time.yaml"
berth_ready timed
pod patient
rejected patient "1 node(s) refused by rule later"
has_message patient "1 node(s) where rule later failed: no such key: example.com/from" || fail "$(condition_of patient)"
soon patient 70000 "after a refresh"
[[ ! $(date -u +%Y-%m-%dT%H:%M:%SZ) < $from ]] || fail "it was too early"
berth_stop timed
no_overcommit
bindings_are_single
