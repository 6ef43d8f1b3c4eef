#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# etcd forgets the revisions a watch would need to go on: 410, and a new list, from which what
# was deleted meanwhile is missing.

# shellcheck source-path=SCRIPTDIR source=cluster
. "$(dirname "$0")/cluster"

old_revision_gone()
{
	grep -q '"code":410' <<<"$(api GET \
		"/api/v1/pods?watch=1&timeoutSeconds=1&resourceVersion=$revision" 2>&1)"
}

up
"$e2e/load" nodes 0 1000
"$e2e/load" pods 0 5000 1000
follow_start berth --kubeconfig "$CLUSTER/kubeconfig/scheduler"
follow_settles berth 30 1000 5000

note "compacted under a watch that lives: nothing happens"
etcd_compact
"$e2e/load" label pods 0 100 1
follow_settles berth 20 1000 5000

note "compacted while berth sleeps"
revision=$(kc get --raw '/api/v1/pods?limit=1' | jq -r .metadata.resourceVersion)
signal berth STOP
kill_hard apiserver
apiserver_start
"$e2e/load" delete pods 1000 700
"$e2e/load" delete nodes 500 20
"$e2e/load" pods 6000 100
"$e2e/load" label pods 0 200 2
etcd_compact
kill_hard apiserver
apiserver_start
eventually 5 "the server says 410 to the old revision" old_revision_gone
signal berth CONT
follow_settles berth 45 980 4400

note "and it follows again"
"$e2e/load" delete pods 6000 100
follow_settles berth 20 980 4300
follow_stop berth
