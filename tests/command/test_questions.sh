#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The questions of the day of the README: each command of the table answers, against a berth that schedules the bundled cluster. What
# the page answers is tests/page/test.js, what alerts say tests/firmware/test_monitoring.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh
built build/x86_64/berth build/x86_64/apisim
berth=build/x86_64/berth
apisim_pid='' berth_pid=''
end() {
	kill -CONT $apisim_pid
	for pid in $berth_pid $apisim_pid; do kill "$pid" && wait "$pid"; done 2>/dev/null
	rm -rf "$work"
}
trap end EXIT

# until_it SECONDS COMMAND...
until_it() {
	local end=$((SECONDS + $1)); shift
	until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $end ] || return 1; sleep 0.2; done
}
export KUBECONFIG=$work/kubeconfig
build/x86_64/apisim --port 0 --plain --kubeconfig-out "$KUBECONFIG" >"$work/apisim.log" 2>&1 &
apisim_pid=$!
until_it 10 test -s "$KUBECONFIG"
server=$(sed -n 's/.*server: *//p' "$KUBECONFIG" | tr -d "'\"}")
# tell METHOD PATH OBJECT
tell() { curl -sfk -X "$1" -H 'Content-Type: application/json' "$server$2" --data "${3:-}" >/dev/null || echo "refused: $*" >&2; }
node() { # NAME CPU STATUS-OF-READY [TAINTS]
	tell POST /api/v1/nodes '{"apiVersion":"v1","kind":"Node","metadata":{"name":"'$1'","labels":{"kubernetes.io/hostname":"'$1'"}},"spec":{'${4:-}'},
		"status":{"allocatable":{"cpu":"'$2'","memory":"8Gi","pods":"110"},"conditions":[{"type":"Ready","status":"'$3'","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}'
}
pod() { # NAME CPU [SPEC]
	tell POST /api/v1/namespaces/shop/pods '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"'$1'","namespace":"shop"},
		"spec":{'${3:-}'"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"'$2'","memory":"64Mi"}}}]}}'
}
tell POST /api/v1/namespaces '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}' 2>/dev/null
node n1 4 True
node n2 2 True
node gone 8 Unknown '"taints":[{"key":"node.kubernetes.io/unreachable","effect":"NoSchedule"}]'

port=$((20000 + RANDOM % 20000))
$berth run --kubeconfig "$KUBECONFIG" --bind-address 127.0.0.1 --secure-port $port --page-access loopback --decision-log stderr \
	--leader-elect-lease-duration 3s --leader-elect-renew-deadline 2s --leader-elect-retry-period 500ms >"$work/log" 2>&1 &
berth_pid=$!
export BERTH_SERVER=https://127.0.0.1:$port
until_it 20 grep -q 'Successfully bound\|scheduler synced' "$work/log"
pod filler 3500m
pod web-0 500m
pod high 1500m '"priority":9,'
until_it 10 sh -c "$berth pending -o json | grep -q web-0 || $berth nodes n1 --pods | grep -q filler"
pod big 3
pod urgent 1900m '"priority":100,'
until_it 20 sh -c "$berth pending | grep -q shop"
cat >"$work/new.yaml" <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: {name: new, namespace: shop}
spec: {replicas: 20, selector: {matchLabels: {app: new}}, template: {metadata: {labels: {app: new}}, spec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}}}
END

# says WORDS COMMAND...: all of it is there, and the exit status is 0
says() {
	local words=$1; shift
	"$@" >"$work/said" 2>&1 || { echo "status $?:"; cat "$work/said"; return 1; }
	grep -Eq -- "$words" "$work/said" || { echo "not there: $words"; cat "$work/said"; return 1; }
}
until_it 20 sh -c "$berth history --since 1h | grep -q preemption"
node sick 1 False
pod owned 10m '"nodeName":"n2",'
tell POST /api/v1/namespaces/shop/pods '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"of-a-set","namespace":"shop","ownerReferences":[{"apiVersion":"apps/v1",
	"kind":"ReplicaSet","name":"set","uid":"u","controller":true}]},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"300m"}}}]}}'
until_it 20 sh -c "$berth nodes n1 --pods | grep -q of-a-set && $berth nodes n1 --loss | grep -q of-a-set && $berth nodes --loss | grep -Eq 'n1 +1'"

claim '1. a node that dies: of each node how many pods would move' says 'n1 +1 +1 ' $berth nodes --loss
claim '1. and of one, which find no place' says 'shop +of-a-set' $berth nodes n1 --loss
claim '2. how many more of a pod that is there' says 'what runs out first: cpu' $berth headroom shop/web-0
claim '2. and of one that is not' says 'Deployment +shop +new +20 ' $berth headroom "$work/new.yaml"
claim '3. what happened' says '(Z +scheduled +shop/web-0 +n2)' $berth history --since 1h --until 1s
claim '3. and as lines of JSON for journald' says '^\{.*"pod":"shop/web-0"' cat "$work/log"
claim '4. which pods are on a node' says 'shop +urgent .*1\.9' $berth nodes n1 --pods
claim '5. which pod preempted mine' says 'preemption +shop/urgent +n1 +shop/filler' $berth history --kind preemption --since 1h
claim '6. why a running pod is there, and would it go elsewhere' says 'n2' $berth explain shop/web-0
claim '7. which gateway is NotReady' says 'not ready \(.*sick' $berth status
claim '7. and since when' says 'sick +NotReady +[0-9]+d' $berth nodes -o wide
claim '8. will this roll-out fit' says '^\+ +new +shop/new-0 ' $berth simulate --kubeconfig "$KUBECONFIG" "$work/new.yaml" --diff
sed 's/cpu: 100m/cpu: 1/' "$work/new.yaml" >"$work/large.yaml"
no_fit() { says 'stuck' $berth simulate --kubeconfig "$KUBECONFIG" "$work/large.yaml" --diff --fail-on-unschedulable && return 1; grep -q '^status 3' "$work/claim.out"; }
claim '8. and when it does not, CI fails' no_fit
claim '13. why a pod waits' says 'shop +big +1 +unschedulable .*Insufficient cpu' $berth pending
claim '13. node by node' says 'n1 +Unschedulable +NodeResourcesFit' $berth explain shop/big
claim '14. how full the cluster is' says '^requested +CPU [0-9.]+/6 ' $berth status
node large 32 True
better() { $berth nodes --better | grep -E 'shop.*n[12].*large'; }
claim '12. what would be better placed' until_it 20 better
pod taken 64 '"schedulerName":"default-scheduler",'
sleep 4 # it has to be the one that decides for longer than a lease lasts
until_it 10 sh -c "$berth pending | grep -q taken"
tell POST /api/v1/namespaces/shop/pods/taken/binding '{"apiVersion":"v1","kind":"Binding","metadata":{"name":"taken"},"target":{"kind":"Node","name":"n2"}}'
until_it 10 sh -c "$berth status | grep -qi 'another scheduler'"
claim '9. another scheduler at work' says '[Aa]nother scheduler' $berth status
kill -STOP $apisim_pid
lost() { $berth status | grep -E '^state +waits for the lease'; }
claim 'a silent apiserver is no other leader' until_it 20 lost
kill -CONT $apisim_pid
asked() { # each question has a claim here, or names its test
	local n
	for n in $(grep -oE '^\| [0-9]+\. ' README.md | tr -dc '0-9\n'); do
		grep -q "claim '$n\. " "$0" || case $n in 10) grep -q 'alert: BerthPodsPending' firmware/package/monitoring/alerts.yaml ;; 11) grep -q 'decision-log' README.md ;; *) false ;; esac ||
			{ echo "question $n"; return 1; }
	done
}
claim 'every question of the table' asked
finish
