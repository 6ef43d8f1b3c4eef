#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 300
#
# Who watches: Prometheus' own promtool reads what berth says, kube-scheduler's way of asking who may works
# against a real apiserver (tokens, client certificates by the authorities of the cluster), and a
# certificate of the server that is replaced is the one that is shown.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

"$e2e/packages" metrics
up
port=$(free_port)
https=https://127.0.0.1:$port
cp "$CLUSTER/pki/server.crt" "$CLUSTER/served.crt"
cp "$CLUSTER/pki/server.key" "$CLUSTER/served.key"
berth_start berth --secure-port "$port" --bind-address 127.0.0.1 --page-access loopback \
	--tls-cert-file "$CLUSTER/served.crt" --tls-private-key-file "$CLUSTER/served.key" --tls-min-version VersionTLS13 \
	--authentication-kubeconfig "$CLUSTER/kubeconfig/admin" --authorization-kubeconfig "$CLUSTER/kubeconfig/admin"
berth_ready berth

# ask CODE PATH CURL-ARGS...: what berth answers somebody who does not seem to be on this machine.
ask()
{
	local code
	code=$(curl -sk -o "$CLUSTER/answer" -w '%{http_code}' -H 'Host: status.example' "${@:3}" "$https$2")
	[ "$code" = "$1" ] || fail "$2: $code, not $1: $(head -c 300 "$CLUSTER/answer")"
}
asked() { [ "$(curl -sk -o "$CLUSTER/answer" -w '%{http_code}' -H 'Host: status.example' "${@:3}" "$https$2")" = "$1" ]; }
certificate() { echo --cert "$CLUSTER/pki/$1.crt" --key "$CLUSTER/pki/$1.key"; }

note "metrics are what Prometheus wants"
"$e2e/load" nodes 0 5
"$e2e/load" pods 0 20
pod huge "$(requests_cpu 5000)"
eventually 20 "all are bound" all_bound 20
rejected huge
for path in /metrics /metrics/resources /metrics/slis; do
	curl -sk "$https/readyz" >/dev/null
	curl -sk "$https$path" >"$CLUSTER/metrics.out"
	[ -s "$CLUSTER/metrics.out" ] || fail "$path says nothing"
	promtool check metrics <"$CLUSTER/metrics.out" >"$CLUSTER/promtool.out" 2>&1 ||
		fail "promtool about $path: $(cat "$CLUSTER/promtool.out")"
done
curl -sk "$https/metrics" >"$CLUSTER/metrics.out"
grep -q '^rest_client_requests_total{code="201",.*method="POST"} ' "$CLUSTER/metrics.out" ||
	fail "bindings are not counted as requests"

note "who may"
ask 200 /healthz
ask 403 /metrics
ask 401 /metrics -H 'Authorization: Bearer void'
ask 403 /metrics -H 'Authorization: Bearer scheduler-token-1'
kc create clusterrole metrics --verb=get --non-resource-url=/metrics
kc create clusterrolebinding metrics --clusterrole=metrics --user=system:kube-scheduler
eventually 20 "a role is seen" asked 200 /metrics -H 'Authorization: Bearer scheduler-token-1'
ask 403 /configz -H 'Authorization: Bearer scheduler-token-1'
# shellcheck disable=SC2046 # several words
{
	note "certificates, by what the apiserver says of its authorities"
	eventually 70 "the authorities are known" asked 200 /configz $(certificate admin)
	ask 200 /metrics $(certificate scheduler)
	ask 403 /metrics $(certificate nobody)
	ask 401 /metrics $(certificate scheduler-expired)
	ask 403 /metrics $(certificate nobody) -H 'X-Remote-User: admin' -H 'X-Remote-Group: system:masters'
}

note "another site, another name"
ask 403 /metrics -H 'Origin: https://evil.example' -H 'Authorization: Bearer scheduler-token-1'
[ "$(curl -sk -o /dev/null -w '%{http_code}' "$https/berth/v1/overview")" = 200 ] || fail "who is here may not look"

note "the certificate is replaced; TLS 1.2 is too old"
! curl -sk --tls-max 1.2 "$https/healthz" >/dev/null || fail "TLS 1.2 is spoken"
shown() { openssl s_client -connect "127.0.0.1:$port" </dev/null 2>/dev/null | openssl x509 -noout -subject; }
[[ $(shown) == *kube-apiserver* ]] || fail "not the certificate that was given"
pki_leaf other-server server /CN=berth-renewed >/dev/null 2>&1
cp "$CLUSTER/pki/other-server.key" "$CLUSTER/served.key"
cp "$CLUSTER/pki/other-server.crt" "$CLUSTER/served.crt"
renewed() { [[ $(shown) == *berth-renewed* ]]; }
eventually 30 "the new certificate is shown" renewed
berth_stop berth
