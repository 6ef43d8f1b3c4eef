#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 240
#
# Lists and follows 1,000 nodes and 5,000 pods: one follower from the empty cluster on, so that
# everything comes to it as a change, one that starts when all is there, so that it comes as a list.

# shellcheck source-path=SCRIPTDIR source=cluster
. "$(dirname "$0")/cluster"

up
follow_start early --kubeconfig "$CLUSTER/kubeconfig/scheduler"
follow_settles early 20 0 0
"$e2e/load" nodes 0 1000
"$e2e/load" pods 0 4000 1000
"$e2e/load" pods 4000 1000
follow_settles early 30 1000 5000
follow_start late --kubeconfig "$CLUSTER/kubeconfig/scheduler-files"
follow_settles late 30 1000 5000

note "changes of every kind"
"$e2e/load" bind 4000 800 1000
"$e2e/load" delete pods 0 500
"$e2e/load" delete nodes 0 50
"$e2e/load" label pods 1000 500 1
"$e2e/load" label nodes 100 100 1
"$e2e/load" finish 2000 200
follow_settles early 30 950 4300
follow_settles late 30 950 4300

note "names that come again are other objects"
"$e2e/load" pods 0 100 50
"$e2e/load" nodes 0 50
"$e2e/load" delete pods 0 100
"$e2e/load" pods 0 100
NAMESPACE=kube-system "$e2e/load" pods 0 100
follow_settles early 30 1000 4500
follow_settles late 30 1000 4500

note "and everything goes"
"$e2e/load" delete pods 2500 2500
follow_settles early 30 1000 2000
follow_stop late
follow_stop early
