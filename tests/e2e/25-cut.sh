#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The line to a healthy apiserver is cut, silent, and gone for a while. A watch that lost its
# connection goes on where it was: a new list for each would be a burden at 5,000 nodes.

# shellcheck source-path=SCRIPTDIR source=cluster
. "$(dirname "$0")/cluster"

# Lists, be they pages or the streaming kind.
lists()
{
	local me='"username":"system:kube-scheduler"' complete='"stage":"ResponseComplete"'
	echo $(($(requests "$me" '"verb":"list"' "$complete") +
		$(requests "$me" sendInitialEvents=true '"stage":"ResponseStarted"')))
}

watches()
{
	requests '"username":"system:kube-scheduler"' '"verb":"watch"' '"stage":"ResponseStarted"'
}

up
"$e2e/load" nodes 0 100
"$e2e/load" pods 0 1000 100
proxy_start line apiserver
kubeconfig_cert by-line "$(server_of line)" ca scheduler
follow_start berth --kubeconfig "$CLUSTER/kubeconfig/by-line"
follow_settles berth 20 100 1000
lists_before=$(lists)
watches_before=$(watches)
[ "$lists_before" -ge 2 ] || fail "$lists_before lists in the audit log, of pods and of nodes"

note "cut five times"
for i in 1 2 3 4 5; do
	"$e2e/load" label pods 700 200 "$i" >/dev/null
	proxy_signal line KILL
	"$e2e/load" delete pods $((i * 100)) 50 >/dev/null
	follow_settles berth 40 100 $((1000 - i * 50))
done
[ "$(watches)" -ge $((watches_before + 2)) ] || fail "no new watch, the cuts did not cut"
[ "$(lists)" = "$lists_before" ] ||
	fail "$(($(lists) - lists_before)) lists after cuts; a watch should go on where it was"

note "silent for ten seconds"
proxy_signal line STOP
"$e2e/load" delete pods 150 50
sleep 10
proxy_signal line CONT
follow_settles berth 40 100 700

note "silent, then cut"
proxy_signal line STOP
"$e2e/load" delete pods 250 50
sleep 2
proxy_signal line KILL
follow_settles berth 40 100 650

note "no line at all for five seconds"
proxy_stop line
"$e2e/load" delete nodes 90 10
sleep 5
proxy_start line apiserver
follow_settles berth 40 90 650
follow_stop berth
