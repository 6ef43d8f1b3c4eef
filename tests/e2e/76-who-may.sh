#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 180
#
# Who may see the page, asked of a real apiserver with its own roles: a tenant's service account, which system:discovery
# lets read whatever begins with /api/, sees nothing of other namespaces; a viewer with firmware/package/viewer.yaml sees the
# page and the metrics and changes nothing; who is on this machine needs credentials, too.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

# token_of NAMESPACE NAME: of a service account that is made for it.
token_of()
{
	jq -n --arg name "$2" '{metadata: {name: $name}}' | api POST "/api/v1/namespaces/$1/serviceaccounts" apiserver \
		-H 'Content-Type: application/json' -d @- >/dev/null
	api POST "/api/v1/namespaces/$1/serviceaccounts/$2/token" apiserver -H 'Content-Type: application/json' -d \
		'{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}' |
		jq -r .status.token
}

# ask CODE PATH TOKEN CURL-ARGS...
ask()
{
	local code
	code=$(curl -sk -o "$CLUSTER/answer" -w '%{http_code}' ${3:+-H "Authorization: Bearer $3"} "${@:4}" "$https$2")
	[ "$code" = "$1" ] || fail "$2 ${*:4}: $code, not $1: $(head -c 300 "$CLUSTER/answer")"
}
asked() { [ "$(curl -sk -o "$CLUSTER/answer" -w '%{http_code}' -H "Authorization: Bearer $3" "$https$2")" = "$1" ]; }

up
port=$(free_port)
https=https://127.0.0.1:$port
berth_start berth --secure-port "$port" --bind-address 127.0.0.1 \
	--authentication-kubeconfig "$CLUSTER/kubeconfig/admin" --authorization-kubeconfig "$CLUSTER/kubeconfig/admin"
berth_ready berth
node n1 4
pod secret "$(requests_cpu 1)"
soon secret 5000

kc create namespace tenant >/dev/null
tenant=$(token_of tenant plain)
viewer=$(token_of kube-system viewer)
page='/berth/v1/overview /berth/v1/pods /berth/v1/nodes /berth/v1/decisions /berth/v1/memory /berth/v1/dump'

note "a tenant who may do everything in a namespace of his own"
kc create role all --verb='*' --resource='pods' -n tenant >/dev/null
kc create rolebinding all --role=all --serviceaccount=tenant:plain -n tenant >/dev/null
for path in $page /metrics /configz; do ask 403 "$path" "$tenant"; done
ask 403 /berth/v1/whatif "$tenant" -X POST -d '{}'
grep -q 'cannot list resource' "$CLUSTER/answer" || fail "a tenant is told: $(cat "$CLUSTER/answer")"
for path in /api/overview /api/dump; do ask 404 "$path" "$tenant"; done

note "pods alone are not enough, for the page shows nodes"
kc create clusterrole pods --verb=list --resource=pods >/dev/null
kc create clusterrolebinding pods --clusterrole=pods --serviceaccount=tenant:plain >/dev/null
nodes_are_wanting() { asked 403 /berth/v1/overview "$tenant" && grep -q 'resource \\"nodes\\"' "$CLUSTER/answer"; }
eventually 20 "the right to list pods is seen" nodes_are_wanting

note "a viewer"
kc apply -f "$tree/firmware/package/viewer.yaml" >/dev/null
kc create clusterrolebinding viewer --clusterrole=berth-viewer --serviceaccount=kube-system:viewer >/dev/null
eventually 20 "the role is seen" asked 200 /berth/v1/overview "$viewer"
for path in $page /metrics /metrics/resources /configz /flagz /statusz /version; do ask 200 "$path" "$viewer"; done
ask 400 /berth/v1/whatif "$viewer" -X POST -d '{}' # it may ask, and says nothing
ask 403 /metrics "$viewer" -X DELETE
ask 403 /debug/flags/v "$viewer" -X PUT -d 4

note "nobody, who is on this machine"
for path in $page /metrics; do ask 403 "$path" ''; done
ask 200 /healthz ''
ask 200 / '' --compressed
ask 401 /metrics '' -X DELETE
ask 401 /metrics made-up

note "an administrator changes something, and that is written down"
kc create clusterrole reset --verb=delete --non-resource-url=/metrics >/dev/null
kc create clusterrolebinding reset --clusterrole=reset --serviceaccount=kube-system:viewer >/dev/null
resets() { [ "$(curl -sk -o "$CLUSTER/answer" -w '%{http_code}' -X DELETE -H "Authorization: Bearer $viewer" "$https/metrics")" = 200 ]; }
eventually 20 "the right to reset is seen" resets
berth_says berth 'INFO status changed-by-request user="system:serviceaccount:kube-system:viewer" verb=delete path="/metrics"' ||
	fail "a reset is not in the log"
berth_stop berth
