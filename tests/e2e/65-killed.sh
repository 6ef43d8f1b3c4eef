#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 240
#
# The scheduler is killed every second while 3,000 pods come: none is bound twice, none forgotten,
# no node overcommitted.

# shellcheck source-path=SCRIPTDIR source=scheduling
. "$(dirname "$0")/scheduling"

up
"$e2e/load" nodes 0 40
berth_start berth --leader-elect=false
berth_ready berth
for i in 0 1 2 3 4 5; do
	"$e2e/load" pods $((i * 500)) 500 &
	for _ in 1 2; do
		sleep 0.7
		kill_hard berth
		berth_start berth --leader-elect=false
	done
	wait $!
done
eventually 60 "all 3,000 pods are bound" all_bound 3000
no_overcommit
bindings_are_single
berth_stop berth
