#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# status, pending, nodes, history, explain and page of the shipped binary against one that runs: with whose credentials they ask, when a
# token is sent, and who may use the port that `berth page` opens.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh
. tests/tools/bundled.sh

start() {
	: >"$work/log"
	"$berth" run --kubeconfig "$work/made" --secure-port "$page" --bind-address 127.0.0.1 --cert-dir "$work/certificates" \
		>>"$work/log" 2>&1 </dev/null &
	pid=$!
	eventually 20 says 'INFO scheduler ready'
}
# asks EXIT-STATUS WORDS COMMAND...: what is said has the words
asks() {
	local status=0
	"$berth" "${@:3}" >"$work/said" 2>&1 || status=$?
	cat "$work/said"
	[ "$status" = "$1" ] && grep -q -- "$2" "$work/said"
}
# code WANTED CURL-ARGUMENTS... PATH, at the port of `berth page`
code() {
	local got
	got=$(curl -s --max-time 10 -o "$work/got" -w '%{http_code}' "${@:2:$#-2}" "http://$at${*: -1}")
	[ "$got" = "$1" ] || { echo "$got, not $1"; cat "$work/got"; return 1; }
}

unset KUBECONFIG BERTH_SERVER
export HOME="$work"
serve --token one --nodes 3
mkdir "$work/certificates"
chmod 777 "$work/certificates"
claim 'a berth runs' start
server="https://127.0.0.1:$page"
claim 'it says where its page is' says "INFO status page address=$server/"
ca="$work/certificates/kube-scheduler.crt"

claim 'without credentials it says who is wanted' asks 1 '403 .*name a kubeconfig with --kubeconfig' status --server "$server"
cp "$work/made" "$work/with-token"
mkdir "$work/.kube"
cp "$work/with-token" "$work/.kube/config"
claim 'a token is not sent to a certificate that is not proven' asks 1 'no token is sent' status --server "$server"
claim 'so it is anonymous there' grep -q '403' "$work/said"
claim 'it is sent to one that --ca proves' asks 0 '^state  *scheduling' status --server "$server" --ca "$ca"
claim 'and nothing is warned of' eval '! grep -q verified "$work/said"'
claim 'or, when that is wanted, to any' asks 0 'nodes  *3 ready' status --server "$server" --insecure
claim 'a kubeconfig that is named must prove it' asks 1 'not signed' status --server "$server" --kubeconfig "$work/with-token"
export BERTH_SERVER=$server
claim 'nodes' asks 0 '^node-00002  *Ready' nodes --ca "$ca"
claim 'the pods of one' asks 0 '' nodes node-00001 --pods --ca "$ca"
claim 'one that there is not' asks 1 '404 node not found' nodes node-9 --pods --ca "$ca"
claim 'pending' asks 0 '^NAMESPACE  *OWNER' pending --ca "$ca"
claim 'a pod is made' eval 'curl -sfk -H "Authorization: Bearer one" -H "Content-Type: application/json" -o "$work/got" \
	"https://127.0.0.1:$port/api/v1/namespaces/default/pods" \
	-d "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}"'
claim 'what happened to it' eventually 10 asks 0 '^20.*Z  *scheduled  *default/web  *node-0000' history pod/web --ca "$ca" --since 1h
claim 'why it is there' asks 0 '^It came there at 20.*feasible nodes: [23]' explain default/web --ca "$ca"
claim 'how many more fit' asks 0 '^more fit  [1-9][0-9]*; feasible nodes: [23]' headroom default/web --ca "$ca"
cat >"$work/web.yaml" <<'EOF'
kind: Deployment
metadata: {name: front, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: front}}
  template:
    metadata: {labels: {app: front}}
    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: CPU}}}]}
EOF
sed -i 's/CPU/100m/' "$work/web.yaml"
claim 'and of what is not there yet' asks 0 '^Deployment  *default  *front  *2  *2  *2$' headroom "$work/web.yaml" --ca "$ca"
claim 'simulate reads the cluster' asks 0 '^2 pending: 0 placed, 2 unschedulable' simulate --kubeconfig "$work/with-token"
claim 'and says what would change' asks 0 '^+  new .*default/front-1 ' simulate --kubeconfig "$work/with-token" "$work/web.yaml" --diff
sed -i 's/100m/1000/' "$work/web.yaml"
claim 'and fails when asked to' asks 3 '^!  stuck ' simulate --kubeconfig "$work/with-token" "$work/web.yaml" --diff --fail-on-unschedulable
claim 'nothing was written' asks 1 '404' explain default/front-0 --ca "$ca"
claim 'nothing else did' asks 0 '^none' history --ca "$ca" --kind node
claim 'not before it started' asks 0 '^none' history --ca "$ca" --until 1h
claim 'explain asks there, too' asks 1 '404 pod not found' explain pod/none -n default --ca "$ca"
unset BERTH_SERVER
if [ -z "$(ss -Hltn 'sport = :10259')" ]; then
	claim 'elsewhere it is said how to get there' asks 1 'ssh -L 10259' status --kubeconfig "$work/with-token"
	claim 'and on which machine it leads' grep -q "held on $(hostname)" "$work/said"
fi

claim 'page is refused like the rest' asks 1 '403' page --server "$server"
"$berth" page --server "$server" --ca "$ca" >"$work/address" 2>"$work/page" &
proxy=$!
trap 'kill $proxy 2>/dev/null; end' EXIT
claim 'page says its address' eventually 10 test -s "$work/address"
address=$(cat "$work/address")
at=${address#http://}
at=${at%/*}
claim 'nothing without the secret' code 403 /berth/v1/overview
claim 'not even the page' code 403 /
claim 'no other secret' code 403 "/$(printf '0%.0s' $(seq 32))"
claim 'the secret becomes a cookie' code 303 -c "$work/jar" "/${address##*/}"
claim 'that no script reads and no other site sends' grep -q '#HttpOnly_127.0.0.1' "$work/jar"
cookie="-b $work/jar"
claim 'then there is the page' code 200 $cookie --compressed /
claim 'it is the page' grep -q '<title>' "$work/got"
claim 'and what it shows' code 200 $cookie /berth/v1/overview
claim 'of the berth that runs' grep -q '"state":"ready"' "$work/got"
claim 'also what is longer than a buffer' code 200 $cookie /berth/v1/dump
claim 'whole' grep -q '^]}' "$work/got"
claim 'refusals come as they are' code 404 $cookie '/berth/v1/explain?pod=a/b'
claim 'no name from elsewhere' code 403 $cookie -H 'Host: example.com' /
claim 'no page from elsewhere' code 403 $cookie -H 'Origin: http://127.0.0.1:1' /berth/v1/overview
claim 'nor another site' code 403 $cookie -H 'Sec-Fetch-Site: cross-site' /berth/v1/overview
claim 'another cookie is none' code 403 -b "berth-${at#*:}=00" /
claim 'nothing is changed' code 405 $cookie -X DELETE /metrics
claim 'other paths are not for it' code 404 $cookie /metrics
claim 'what would happen to a pod' code 200 $cookie --data-binary $'kind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c}]}' /berth/v1/whatif
events() { timeout 3 curl -sN $cookie "http://$at/berth/v1/events" | grep -q '^event: overview'; }
claim 'events come while they happen' events
claim 'it listens for this machine alone' eval "! ss -Hltn 'sport = :${at#*:}' | grep -v '127.0.0.1:'"
kill -9 $pid
claim 'when berth is gone that is said' eventually 10 code 502 $cookie /berth/v1/overview
kill $proxy
finish
