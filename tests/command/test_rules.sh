#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The three rules of src/plugins/RULES.md, as they stand there, in the program itself: where pods go, in which words they
# are refused, and where an error in one of them is. A pod with as many labels as it may have costs a bounded decision.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh
built build/x86_64/berth
berth=build/x86_64/berth

sed -n '/^    apiVersion: kubescheduler/,/^$/s/^    //p' src/plugins/RULES.md | sed '/^$/q' >"$work/rules.yaml"

# node NAME ANNOTATIONS; pod NAME LABELS [NODE]
node() { jq -nc --arg n "$1" --argjson a "$2" '{apiVersion: "v1", kind: "Node", metadata: {name: $n, annotations: $a},
	status: {allocatable: {cpu: "9", memory: "9Gi", pods: "110"}, conditions: [{type: "Ready", status: "True"}]}}'; }
pod() { jq -nc --arg n "$1" --argjson l "$2" --arg on "${3:-}" '{apiVersion: "v1", kind: "Pod",
	metadata: {name: $n, namespace: "default", labels: $l}, spec: ({containers: [{name: "c", image: "i",
	resources: {requests: {cpu: "1"}}}]} + (if $on == "" then {} else {nodeName: $on} end))}'; }
list() { jq -sc '{kind: "List", apiVersion: "v1", items: .}' >"$work/$1.json"; }
# where FILE: "pod node" of each, and words of those that have none
where() { "$berth" simulate "$work/$1.json" --config "$work/rules.yaml" -o json |
	jq -r '.. | objects | select(has("pod")) | "\(.pod) \(.node // .message)"'; }
goes() { where "$1" | tee "$work/where" | grep -qxF -- "$2" || { cat "$work/where"; false; }; }
says() { where "$1" | tee "$work/where" | grep -qF -- "$2" || { cat "$work/where"; false; }; }

battery='{"example.com/power":"battery"}' cool='{"example.com/temperature":"cool"}'
{ node mains '{}'; node battery "$battery"; pod big '{}' mains; pod batch '{"workload":"batch"}'; } | list one
claim "batch work goes where there is no battery" goes one "default/batch mains"
{ node battery "$battery"; pod batch '{"workload":"batch"}'; pod web '{}'; } | list two
claim "batch work without another node is refused in the rule's words" says two \
	"default/batch 0/1 nodes are available: 1 node(s) refused by rule batch-off-battery: no batch work on batteries"
claim "other work goes on a battery" goes two "default/web battery"
{ node a '{}'; node b "$cool"; node c '{}'; pod p '{}'; } | list three
claim "a node that is cool comes first" goes three "default/p b"
{ node a '{}'; node b '{}'; pod old '{"customer":"x"}' a; pod new '{"customer":"x"}'; } | list four
claim "two pods of a customer are on two hosts" goes four "default/new b"
{ node a '{}'; pod old '{"customer":"x"}' a; pod new '{"customer":"x"}'; pod both '{"customer":"x","shared":"yes"}'
	pod other '{"customer":"y"}'; } | list five
claim "a third host there is not" says five "refused by rule one-per-customer"
claim "but a pod that is shared has a place" goes five "default/both a"
claim "and so has another customer's" goes five "default/other a"

sed "s/pod.labels.customer in/pod.lables.customer in/" "$work/rules.yaml" >"$work/wrong.yaml"
place() { "$berth" check-config "$work/wrong.yaml" 2>&1 | tee "$work/said" |
	grep -qE "wrong.yaml:$(grep -n lables "$work/wrong.yaml" | cut -d: -f1):[0-9]+: .*undefined field 'lables'" ||
	{ cat "$work/said"; false; }; }
claim "an error is told with its line in the file" place

# 5,000 nodes, and a pod whose labels a rule goes through for each: its decision ends within the bound.
{ for i in $(seq 5000); do echo "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n$i\"},\"status\":{\"allocatable\":\
{\"cpu\":\"9\",\"memory\":\"9Gi\",\"pods\":\"110\"},\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}"; done
	pod heavy "$(jq -nc '[range(2000) | {key: "l\(.)", value: "v"}] | from_entries')"; pod light '{}'; } | list many
cat >"$work/rules.yaml" <<-END
	apiVersion: kubescheduler.config.k8s.io/v1
	kind: KubeSchedulerConfiguration
	profiles: [{pluginConfig: [{name: Rules, args: {rules: [{name: all, filter: "pod.labels.all(k, v, k != v)"}]}}]}]
END
claim "a rule that costs too much for a pod refuses that pod" says many \
	"default/heavy 0/5000 nodes are available: 5000 node(s) where rule all failed: operation cancelled: actual cost limit exceeded"
claim "and another pod has its node" says many "default/light n"

cat >"$work/rules.yaml" <<-END
	apiVersion: kubescheduler.config.k8s.io/v1
	kind: KubeSchedulerConfiguration
	profiles: [{pluginConfig: [{name: Rules, args: {rules: [{name: own, filter: "pod.annotations['to'] == node.name"}]}}]}]
END
{ node a '{}'; node b '{}'; for to in b a c; do pod "to-$to" '{}' | jq -c --arg to $to '.metadata.annotations = {to: $to, x: $to}'; done; } |
	list own
for to in a b; do claim "a pod's annotation says where it goes: $to" goes own "default/to-$to $to"; done
claim "a pod's annotation names no node" says own "default/to-c 0/2 nodes are available: 2 node(s) refused by rule own"
finish
