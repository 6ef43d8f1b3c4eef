#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The binary in its sandbox does all of its work, on the bundled apiserver: decides, serves its page, shows what it
# knows, takes over a new token and new authorities from files that are rotated as kubelet does, and ends in order.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh
. tests/tools/bundled.sh

# rotate N TOKEN: as kubelet does in a volume of a pod.
rotate() {
	mkdir "$work/secrets/..$1"
	sed -n 's/.*certificate-authority-data: //p' "$work/made" | base64 -d >"$work/secrets/..$1/ca.crt"
	echo "$2" >"$work/secrets/..$1/token"
	ln -s "..$1" "$work/secrets/..new"
	mv -T "$work/secrets/..new" "$work/secrets/..data"
	rm -rf "$work/secrets/..$(($1 - 1))"
	ln -sf ..data/token "$work/secrets/token"
	ln -sf ..data/ca.crt "$work/secrets/ca.crt"
}

# start FLAGS...
start() {
	cat >"$work/kubeconfig" <<-END
		apiVersion: v1
		kind: Config
		clusters: [{name: c, cluster: {server: "https://127.0.0.1:$port", certificate-authority: secrets/ca.crt}}]
		users: [{name: u, user: {tokenFile: secrets/token}}]
		contexts: [{name: x, context: {cluster: c, user: u}}]
		current-context: x
	END
	: >"$work/log"
	"$berth" run --kubeconfig "$work/kubeconfig" --secure-port "$page" --bind-address 127.0.0.1 \
		--page-access loopback "$@" \
		>>"$work/log" 2>&1 </dev/null &
	pid=$!
	eventually 20 says 'INFO scheduler synced'
}
chmod 755 "$work"
mkdir "$work/secrets"
serve --token one --life --hurry 20 --nodes 5
rotate 1 one

claim 'it starts, and says what is in force' start
claim 'the system says so, too' process Seccomp 2
claim 'nothing new can be gained' process NoNewPrivs 1
[ "$(id -u)" != 0 ] || claim 'root has become nobody' process Uid 65534
[ "$(id -u)" != 0 ] || claim 'without a capability' process CapPrm 0000000000000000
claim 'the log is about it' says 'INFO run sandboxed no-new-privileges user=[0-9]* landlock=[0-9]* system-calls='
claim 'pods are bound' eventually 20 binds_more_than 5
sandbox_is_shown() { ask /statusz | grep -q '^Sandbox: no-new-privileges user='; }
claim 'statusz is about it' sandbox_is_shown
memory_is_measured() { ask /metrics | grep -q '^process_resident_memory_bytes [1-9]'; }
claim 'its own memory is measured' memory_is_measured
kill -USR2 "$pid"
claim 'what it knows is shown and compared' eventually 10 says 'cache-match kind=pods missed=0 redundant=0'
kill -STOP "$pid"; sleep 0.3; kill -CONT "$pid"
before=$(metric berth_bindings_total)
claim 'stopped and continued, it goes on' eventually 20 binds_more_than "$before"
serve --token two --life --hurry 20 --nodes 5
rotate 2 two
claim 'new authorities are read' eventually 40 says 'certificates-reloaded'
claim 'a new token is read' eventually 40 says 'token-reloaded'
before=$(metric berth_bindings_total)
claim 'and pods are bound' eventually 60 binds_more_than "$before"
claim 'it ends in order' stop

if [ "$(id -u)" = 0 ]; then
	chmod 700 "$work/secrets"
	claim 'files of root: it starts' start
	claim 'files of root: it is told that it keeps a right' says 'WARN run sandbox-incomplete user: .* so berth keeps the right to read$'
	claim 'files of root: it is nobody all the same' process Uid 65534
	claim 'files of root: with this right alone' process CapPrm 0000000000000004
	serve --token three --life --hurry 20 --nodes 5
	rotate 3 three
	claim 'files of root: they are read again' eventually 40 says 'token-reloaded'
	claim 'files of root: it ends in order' stop
else
	for name in 'root has become nobody' 'files of root: with this right alone' 'files of root: they are read again' \
		'simulate: root has become nobody' 'explain: without a capability'; do
		skipped_unless "$name" could_be_root
	done
fi

claim 'without sandbox it starts' start --no-sandbox
claim 'without sandbox it warns' says 'WARN run sandbox-disabled'
claim 'without sandbox there is none' process Seccomp 0
claim 'without sandbox it ends in order' stop

# Commands that read what others wrote. Standard input is a pipe: while it is open, they can be looked at.
mkfifo "$work/pipe"
# asks COMMAND...: it runs, and has read all but the pipe.
asks() {
	"$berth" "$@" <"$work/pipe" >"$work/log" 2>&1 &
	pid=$!
	exec 9>"$work/pipe"
	eventually 5 process NoNewPrivs 1
}
# answers WORDS: to what the pipe says in the end, and is done.
answers() {
	local status=0
	printf '%s\n' '{"kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"1","pods":"9"}}}' \
		'{"kind":"Pod","metadata":{"name":"p","namespace":"d"},"spec":{"containers":[]}}' >&9
	exec 9>&-
	wait "$pid" || status=$?
	pid=''
	cat "$work/log"
	[ $status = 0 ] && says "$1"
}
claim 'simulate has no rights when it reads' asks simulate -
[ "$(id -u)" != 0 ] || claim 'simulate: root has become nobody' process Uid 65534
claim 'simulate works all the same' answers '^d/p .*n'
claim 'explain has no rights when it reads' asks explain d/p --cluster -
[ "$(id -u)" != 0 ] || claim 'explain: without a capability' process CapPrm 0000000000000000
claim 'explain works all the same' answers 'd/p: goes to n'
printf 'kind: Node\nmetadata: {name: one}\n' >"$work/nodes.yaml"
printf 'kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1\n' >"$work/config"
chmod 600 "$work/nodes.yaml" "$work/config"
claim 'simulate reads YAML, and files of root' "$berth" simulate "$work/nodes.yaml" --config "$work/config"
claim 'check-config reads files of root' "$berth" check-config "$work/config"

finish
