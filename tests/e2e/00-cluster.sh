#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The cluster itself, with kubectl and curl in berth's place: every trap the other scenarios set
# must really catch, or they would pass for nothing.

# shellcheck source-path=SCRIPTDIR source=cluster
. "$(dirname "$0")/cluster"

# refused TEXT COMMAND...: it fails and says so.
refused()
{
	local text=$1 said
	shift
	if said=$("$@" 2>&1); then
		fail "not refused: $*"
	fi
	grep -Eqi "$text" <<<"$said" || fail "refused, but not for '$text': $* said $said"
}

said()
{
	grep -q "$1" <<<"$("${@:2}" 2>&1)"
}

# with_token TOKEN: the status of a request with it.
with_token()
{
	curl -sk -o "$CLUSTER/token.out" -w '%{http_code}' -H "Authorization: Bearer $1" \
		"$(server_of)/api/v1/nodes"
}

up
kubeconfig_cert by-proxy "$(server_of proxy)" ca scheduler
"$e2e/load" nodes 0 20
"$e2e/load" pods 0 100 20
"$e2e/load" pods 100 50
"$e2e/load" bind 100 30 20
"$e2e/load" finish 0 10
"$e2e/load" label nodes 0 20 1
"$e2e/load" delete pods 90 10
cluster_picture >"$CLUSTER/first"
[ "$(grep -c ^node "$CLUSTER/first")" = 20 ] || fail "20 nodes were made"
[ "$(grep -c ^pod "$CLUSTER/first")" = 130 ] || fail "100 + 50 - 10 finished - 10 deleted pods"
[ "$(grep -c -- '-$' "$CLUSTER/first")" = 20 ] || fail "20 pods have no node"
[ "$(kc get pods --no-headers | wc -l)" = 140 ] || fail "kubectl does not show 140 pods"
if "$e2e/load" delete pods 90 1 2>/dev/null; then
	fail "load hides that a request failed"
fi

note "who may"
for who in scheduler scheduler-files scheduler-name scheduler-token scheduler-token-file; do
	[ "$(kc_as $who get nodes --no-headers | wc -l)" = 20 ] || fail "$who does not see 20 nodes"
done
before=$(requests '"verb":"list"' '"username":"system:kube-scheduler"' '"resource":"nodes"')
[ "$before" -ge 5 ] || fail "the audit log shows $before of 5 lists"

note "who may not"
refused forbidden kc_as nobody get nodes
refused forbidden kc_as scheduler create namespace elsewhere
refused "logged in|Unauthorized|credentials" kc_as scheduler-expired get nodes
[ "$(requests '"code":401')" -gt 0 ] || fail "the audit log shows no 401"
refused x509 kc_as scheduler-wrong-ca get nodes

note "another token, and a server certificate for elsewhere"
end apiserver
tokens scheduler-token-2
apiserver_start apiserver server-elsewhere
refused x509 kc_as scheduler get nodes
[ "$(with_token scheduler-token-1)" = 401 ] || fail "the first token is not revoked"
[ "$(with_token scheduler-token-2)" = 200 ] || fail "the second token is not taken"

note "a second server, whose certificate has expired"
apiserver_start second server-expired
kubeconfig_cert second "$(server_of second)" ca scheduler
refused x509 kc_as second get nodes
kill_hard apiserver
SERVER=second "$e2e/load" label pods 100 20 2
apiserver_start
kc_as scheduler get nodes >/dev/null

note "a line that is silent, and cut"
proxy_start proxy second
refused x509 kc_as by-proxy get nodes
proxy_to proxy apiserver
kc_as by-proxy get pods -A --watch >"$CLUSTER/watch.out" 2>&1 &
watcher=$!
eventually 10 "the watch shows pods" grep -qs pod-149 "$CLUSTER/watch.out"
[ "$(proxy_children proxy | wc -w)" = 1 ] || fail "not one connection through the proxy"
proxy_signal proxy STOP
SERVER=second "$e2e/load" pods 150 1
sleep 1
! grep -q pod-150 "$CLUSTER/watch.out" || fail "the stopped proxy let something through"
proxy_signal proxy CONT
eventually 10 "the watch shows the new pod" grep -q pod-150 "$CLUSTER/watch.out"
proxy_signal proxy KILL
eventually 10 "the cut connection ends the watch" [ ! -d "/proc/$watcher" ]

note "compaction"
revision=$(kc get pod pod-100 -o 'jsonpath={.metadata.resourceVersion}')
"$e2e/load" label pods 100 50 3
etcd_compact
kill_hard apiserver
apiserver_start
eventually 5 "the old revision is gone" said '"code":410' api GET \
	"/api/v1/pods?watch=1&timeoutSeconds=1&resourceVersion=$revision"

note "etcd killed"
kill_hard etcd
etcd_start
wait_ready
[ "$(kc get pods --no-headers | wc -l)" = 141 ] || fail "etcd lost something"
down
running etcd && fail "etcd still runs"
running second && fail "the second server still runs"
note "done"
