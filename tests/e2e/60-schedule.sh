#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 2,000 plain pods on 50 nodes: all bound, each once, nothing overcommitted, evenly spread, and each
# told so by an event or by the count of what was left out.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

up
"$e2e/load" nodes 0 50
"$e2e/load" pods 0 1000
berth_start berth --leader-elect=false
berth_ready berth
eventually 30 "1,000 pods that were there are bound" all_bound 1000
"$e2e/load" pods 1000 1000
eventually 30 "1,000 pods that came are bound" all_bound 2000
no_overcommit
bindings_are_single

least=$(api GET /api/v1/pods | jq '[.items[].spec.nodeName] | group_by(.) | map(length) | min')
most=$(api GET /api/v1/pods | jq '[.items[].spec.nodeName] | group_by(.) | map(length) | max')
note "pods on a node: $least to $most"
((most - least <= 8)) || fail "$least to $most pods on a node are not even"

note "what is bound is left alone"
before=$(requests '"username":"system:kube-scheduler"' '"verb":"create"' binding)
"$e2e/load" label pods 0 200 1
sleep 1
[ "$(requests '"username":"system:kube-scheduler"' '"verb":"create"' binding)" = "$before" ] ||
	fail "labels made it bind again"
eventually 10 "the event of a pod" [ -n "$(kc get events --field-selector reason=Scheduled -o name | head -n 1)" ]
kc describe pod pod-1500 | grep -q 'Successfully assigned default/pod-1500 to node-' ||
	note "pod-1500 has no event (dropped for the rate)"
berth_stop berth
