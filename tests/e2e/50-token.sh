#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 180
#
# Bearer tokens: in the kubeconfig, in a file it names, in a file of the command line; revoked,
# and replaced by writing the file anew, as a kubelet does for a pod's service account.

# shellcheck source-path=SCRIPTDIR source=cluster
. "$(dirname "$0")/cluster"

# A file that is replaced as a whole, so that nobody reads half of it.
write_token()
{
	cat >"$1.new"
	mv "$1.new" "$1"
}

refused_since()
{
	(($(requests '"code":401') > $1))
}

# revoked_then NAME SECONDS TOKEN-FILE: the token is void now; NAME must notice, keep its picture
# and is then given the new token, which is on stdin.
revoked_then()
{
	local name=$1 file=$3 before
	before=$(requests '"code":401')
	eventually "$2" "$name is answered 401" refused_since "$before"
	sleep 3
	running "$name" || fail "$name ended when its token was revoked"
	(($(requests '"code":401') - before < 60)) || fail "$name hammers with its void token"
	follow_picture "$name" >"$CLUSTER/stale.picture"
	[ -s "$CLUSTER/stale.picture" ] || fail "$name forgot its picture with its token"
	! cmp -s "$CLUSTER/stale.picture" <(cluster_picture) ||
		fail "the picture of $name is new although its token is void"
	write_token "$file"
}

up
"$e2e/load" nodes 0 10
"$e2e/load" pods 0 200 10

follow_start inline --kubeconfig "$CLUSTER/kubeconfig/scheduler-token"
follow_start file --kubeconfig "$CLUSTER/kubeconfig/scheduler-token-file"
follow_settles inline 15 10 200
follow_settles file 15 10 200
follow_stop inline

cp "$CLUSTER/token" "$CLUSTER/token-2"
follow_start flag --kubeconfig "$CLUSTER/kubeconfig/anonymous" --token-file "$CLUSTER/token-2"
follow_settles flag 15 10 200

note "the token is revoked"
kill_hard apiserver
tokens scheduler-token-2
apiserver_start
"$e2e/load" delete pods 0 20
revoked_then file 20 "$CLUSTER/token" <<<scheduler-token-2
revoked_then flag 20 "$CLUSTER/token-2" <<<scheduler-token-2
follow_settles file 60 10 180
follow_settles flag 60 10 180
follow_stop file
follow_stop flag

# The way of a berth that runs in a pod.
account=/api/v1/namespaces/kube-system/serviceaccounts/berth

new_token()
{
	api POST $account/token apiserver -H 'Content-Type: application/json' -d '{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
		"spec": {"expirationSeconds": 3600}}' | jq -r .status.token
}

note "a service account, deleted and made again"
kc create serviceaccount -n kube-system berth
kc create clusterrolebinding berth --clusterrole=system:kube-scheduler \
	--serviceaccount=kube-system:berth
new_token | write_token "$CLUSTER/token-3"
follow_start account --kubeconfig "$CLUSTER/kubeconfig/anonymous" \
	--token-file "$CLUSTER/token-3"
follow_settles account 15 10 180
kc delete serviceaccount -n kube-system berth
kc create serviceaccount -n kube-system berth
kill_hard apiserver
apiserver_start
"$e2e/load" delete pods 20 20
new_token >"$CLUSTER/token-4"
revoked_then account 20 "$CLUSTER/token-3" <"$CLUSTER/token-4"
follow_settles account 60 10 160
follow_stop account
