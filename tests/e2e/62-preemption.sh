#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Important pods take the place of less important ones, with regard to disruption budgets; victims
# are told why, and their place is kept until they are gone.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

priority()
{
	api POST /apis/scheduling.k8s.io/v1/priorityclasses apiserver -H 'Content-Type: application/json' \
		-d "{\"metadata\":{\"name\":\"$1\"},\"value\":$2,\"preemptionPolicy\":\"${3:-PreemptLowerPriority}\"}" >/dev/null
}
is_leaving()
{
	[ "$(api GET "/api/v1/namespaces/default/pods/$1" | jq -r .metadata.deletionTimestamp)" != null ]
}

up
priority low 100
priority high 1000
priority higher 2000 Never
node n1 4
node n2 4
berth_start berth --leader-elect=false
berth_ready berth

low='.spec.priorityClassName = "low"'
for i in 1 2 3 4; do
	pod "low-$i" "$low | $(requests_cpu 2) | .metadata.labels.guarded = \"$((i % 2))\""
	soon "low-$i" 2000
done
policy=v1
[ "$(minor_version)" -gt 20 ] || policy=v1beta1
api POST /apis/policy/$policy/namespaces/default/poddisruptionbudgets apiserver \
	-H 'Content-Type: application/json' -d '{"metadata":{"name":"guard"},"spec":{"minAvailable":2,
	"selector":{"matchLabels":{"guarded":"1"}}}}' >/dev/null
sleep 0.5

note "a victim that no budget guards"
pod high-1 ".spec.priorityClassName = \"high\" | $(requests_cpu 2)"
eventually 10 "an unguarded pod is asked to go" eval 'is_leaving low-2 || is_leaving low-4'
! is_leaving low-1 || fail "low-1 is guarded by a budget"
! is_leaving low-3 || fail "low-3 is guarded by a budget"
victim=$(is_leaving low-2 && echo low-2 || echo low-4)
nominated=$(api GET /api/v1/namespaces/default/pods/high-1 | jq -r .status.nominatedNodeName)
[ "$nominated" = "$(node_of "$victim")" ] || fail "high-1 is nominated to '$nominated'"
eventually 10 "the victim is told" eval \
	'kc get events --field-selector "reason=Preempted,involvedObject.name=$victim" | grep -q "Preempted by"'
[ -n "$(api GET "/api/v1/namespaces/default/pods/$victim" |
	jq -r '.status.conditions[] | select(.type == "DisruptionTarget") | .reason')" ] ||
	fail "$victim has no condition DisruptionTarget"

note "its place is kept from pods of lower priority, and taken when it is gone"
pod sneaky "$(requests_cpu 2)"
rejected sneaky "Insufficient cpu"
! is_bound high-1 || fail "high-1 is bound before its victim is gone"
api DELETE "/api/v1/namespaces/default/pods/$victim?gracePeriodSeconds=0" >/dev/null
soon high-1 2500
is_on high-1 "$nominated" || fail "high-1 is on $(node_of high-1)"
! is_bound sneaky || fail "sneaky took the place"

note "never, when the pod says so"
pod polite ".spec.priorityClassName = \"higher\" | $(requests_cpu 2)"
rejected polite "not eligible due to preemptionPolicy=Never"
no_overcommit
bindings_are_single
berth_stop berth
