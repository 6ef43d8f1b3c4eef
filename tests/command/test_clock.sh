#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# berth clock: the apiserver's time, and when it is not to be believed.
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh
built build/x86_64/berth build/x86_64/apisim

ask() { build/x86_64/berth clock --kubeconfig "$1"; }
serve() { # serve NAME [FLAG...]
	name=$1
	shift
	build/x86_64/apisim --port 0 --kubeconfig-out "$work/$name" "$@" >"$work/$name.log" 2>&1 &
	pids="$pids $!"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ ! -s "$work/$name" ] || break
		sleep 0.2
	done
}
says() { # says WORDS COMMAND...: it fails, with these words
	words=$1
	shift
	"$@" >"$work/said" 2>&1 && return 1
	cat "$work/said"
	grep -qF "$words" "$work/said"
}
is_now() {
	said=$(ask "$1") && now=$(date +%s)
	echo "said $said, now $now"
	[ $((said - now)) -le 1 ] && [ $((now - said)) -le 3 ]
}

pids=
serve tls
serve plain --plain
serve other
claim 'it is now' is_now "$work/tls"
claim 'no credentials are needed' sh -c "sed '/token:/d; s/user:\$/user: {}/' '$work/tls' >'$work/nobody' && build/x86_64/berth clock --kubeconfig '$work/nobody'"
claim 'without TLS it is not believed' says 'does not have the apiserver proven' ask "$work/plain"
sed '/certificate-authority-data/s/.*/    insecure-skip-tls-verify: true/' "$work/tls" >"$work/skip"
claim 'without proof it is not believed' says 'does not have the apiserver proven' ask "$work/skip"
sed "s|certificate-authority-data: .*|$(grep -o 'certificate-authority-data: .*' "$work/other")|" "$work/tls" >"$work/wrong"
claim 'behind another authority it is not believed' says 'not signed by the certificate authority' ask "$work/wrong"
claim 'arguments are refused' says 'takes no argument' build/x86_64/berth clock now
for pid in $pids; do kill "$pid"; done
finish
