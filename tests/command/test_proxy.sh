#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The binary reaches the bundled apiserver through each kind of proxy, in its sandbox: the server has a name that nobody
# but the proxy makes anything of.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh
. tests/tools/bundled.sh
built build/test/http/test_proxy
unset HTTPS_PROXY https_proxy HTTP_PROXY http_proxy NO_PROXY no_proxy
way=''

# between KIND: a proxy of the kind; $way is its address with what it wants to know.
between() {
	[ -z "$way" ] || kill "$way_pid"
	: >"$work/proxy" # the certificate of the one before
	build/test/http/test_proxy "$1" >"$work/proxy" &
	way_pid=$!
	disown
	eventually 10 grep -q 'END CERTIFICATE' "$work/proxy"
	way="$1://us%40er:p%3Aw@127.0.0.1:$(head -n 1 "$work/proxy")"
	{ tail -n +2 "$work/proxy"
	sed -n 's/.*certificate-authority-data: //p' "$work/made" | base64 -d; } >"$work/ca.crt"
}

# start_through PROXY-URL HOST [VARIABLE...]
start_through() {
	local proxy=$1 host=$2
	shift 2
	cat >"$work/kubeconfig" <<-END
		apiVersion: v1
		kind: Config
		clusters: [{name: c, cluster: {server: "https://$host:$port", certificate-authority: ca.crt,
		  tls-server-name: 127.0.0.1, proxy-url: "$proxy"}}]
		users: [{name: u, user: {token: one}}]
		contexts: [{name: x, context: {cluster: c, user: u}}]
		current-context: x
	END
	: >"$work/log"
	env "$@" "$berth" run --kubeconfig "$work/kubeconfig" --secure-port "$page" --bind-address 127.0.0.1 \
		--page-access loopback >>"$work/log" 2>&1 </dev/null &
	pid=$!
	eventually 20 says 'INFO scheduler synced'
}
works() {
	claim "$1: synced" start_through "${@:2}"
	claim "$1: pods are bound" eventually 20 binds_more_than 3
	claim "$1: which is said" says "INFO net through-proxy target=apiserver proxy=127.0.0.1 port=${way##*:}"
	claim "$1: without the password" eval '! says p%3Aw && ! says p:w'
	claim "$1: ends in order" stop
}

chmod 755 "$work"
serve --token one --life --hurry 20 --nodes 5
for kind in http https socks5; do
	between $kind
	works "proxy-url $kind" "$way" apiserver.invalid
done
between http
works 'HTTPS_PROXY' '' apiserver.invalid "HTTPS_PROXY=$way"
works 'https_proxy, with exceptions for others' '' apiserver.invalid "https_proxy=$way" NO_PROXY=10.0.0.0/8,valid
claim 'NO_PROXY: directly' start_through '' 127.0.0.1 "HTTPS_PROXY=$way" NO_PROXY=127.0.0.0/8
claim 'NO_PROXY: no word of a proxy' eval '! says through-proxy'
claim 'NO_PROXY: ends in order' stop
refused() {
	"$berth" run --kubeconfig "$work/kubeconfig" 2>"$work/err" || [ $? = 1 ] || return 1
	cat "$work/err"
	grep -q 'cluster.proxy-url: unsupported scheme, must be http, https, or socks5' "$work/err"
}
cat >"$work/config" <<-END
	apiVersion: kubescheduler.config.k8s.io/v1
	kind: KubeSchedulerConfiguration
	clientConnection: {kubeconfig: $work/kubeconfig}
	leaderElection: {leaderElect: false}
	extenders: [{urlPrefix: "http://extender.invalid:1", filterVerb: filter, ignorable: true, httpTimeout: 2s}]
END
: >"$work/log"
HTTP_PROXY=$way "$berth" run --config "$work/config" --secure-port "$page" --bind-address 127.0.0.1 \
	--page-access loopback >>"$work/log" 2>&1 </dev/null &
pid=$!
# The proxy answers with words that no extender has.
claim 'extenders: asked by HTTP_PROXY' eventually 20 says 'target=extender-0 proxy=127.0.0.1'
claim 'extenders: it was heard' eventually 20 says 'with extender at URL http:.*not JSON'
claim 'extenders: ends in order' stop
sed -i 's#proxy-url: ".*"#proxy-url: "ftp://p"#' "$work/kubeconfig"
claim 'another scheme: refused at start' refused
kill "$way_pid"
finish
