#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The commands as the binary has them: the cases of data/ again, as a program of its own.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh

built build/x86_64/berth build/test/command/test_dumps

dumps() { BERTH=build/x86_64/berth build/test/command/test_dumps; }
# A pipe that nobody reads any more is an end like others, without a word.
closed_pipe() { build/x86_64/berth simulate tests/command/data/nodes.json tests/command/data/pods.yaml | :; }
full_disk() { ! build/x86_64/berth simulate tests/command/data/nodes.json >/dev/full; }

claim 'the cases of tests/command/data' dumps
claim 'a pipe that is closed early' closed_pipe
claim 'an answer that cannot be written' full_disk

finish
