#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 240
#
# Two instances and one lease: one works, the other stands by. The leader is stopped in the middle of
# its work and goes on when another one leads; nothing is placed twice.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

holder() { kc -n kube-system get lease kube-scheduler -o jsonpath='{.spec.holderIdentity}'; }
is_ready() { grep -q 'INFO scheduler ready' "$CLUSTER/$1.log"; }
flags=(--leader-elect-lease-duration=6s --leader-elect-renew-deadline=4s --leader-elect-retry-period=1s)

up
"$e2e/load" nodes 0 20
berth_start one "${flags[@]}"
berth_ready one
berth_start two "${flags[@]}"
"$e2e/load" pods 0 300
eventually 20 "300 pods are bound" all_bound 300
! is_ready two || fail "both lead"

note "the leader is stopped while pods come"
first=$(holder)
"$e2e/load" pods 300 200 &
sleep 0.1
signal one STOP
wait $!
eventually 30 "the other one leads" eval '[ "$(holder)" != "$first" ]'
eventually 30 "500 pods are bound" all_bound 500
"$e2e/load" pods 500 200 &
signal one CONT
wait $!
eventually 20 "700 pods are bound" all_bound 700
eventually 20 "the stopped one has noticed" berth_says one 'scheduler not-leading'
no_overcommit
bindings_are_single

note "the leader ends in order, the other one takes over at once"
berth_stop two
"$e2e/load" pods 700 50
eventually 10 "750 pods are bound" all_bound 750
no_overcommit
bindings_are_single
berth_stop one
