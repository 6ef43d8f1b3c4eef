#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A permission is missing (403): berth says so, waits, and works when it is given.

# shellcheck source-path=SCRIPTDIR source=cluster
. "$(dirname "$0")/cluster"

up
"$e2e/load" nodes 0 5
"$e2e/load" pods 0 20 5
follow_start berth --kubeconfig "$CLUSTER/kubeconfig/nobody"
sleep 4
follow_knows_nothing berth || fail "nobody sees the cluster"
running berth || fail "berth ended; a permission may still be given"
[ -s "$CLUSTER/berth.log" ] || fail "berth says nothing about the permission it lacks"
refusals=$(requests '"username":"nobody"' '"code":403')
((refusals > 0 && refusals < 40)) || fail "$refusals attempts in four seconds"

note "nodes alone are allowed"
kc create clusterrole nodes-only --verb=get,list,watch --resource=nodes
kc create clusterrolebinding nodes-only --clusterrole=nodes-only --user=nobody
sleep 4
follow_picture berth >"$CLUSTER/berth.picture"
! grep -q ^pod "$CLUSTER/berth.picture" || fail "pods without permission"

note "and all that a scheduler needs"
kc create clusterrolebinding nobody --clusterrole=system:kube-scheduler --user=nobody
follow_settles berth 60 5 20
"$e2e/load" delete pods 0 5
follow_settles berth 10 5 15
follow_stop berth
