# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the test scripts: each claim is one test, reported like Unity does.

tests=0 failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# built TARGET...: up to date. One make at a time, for scripts that run side by side would write over each other's programs.
built() {
	mkdir -p build
	flock build make -s "$@" >"$work/make" 2>&1 || cat "$work/make"
}

# claim NAME COMMAND...: the command must succeed
claim() {
	name=$1; shift
	tests=$((tests + 1))
	if "$@" >"$work/claim.out" 2>&1; then
		echo "$name:PASS"
	else
		failures=$((failures + 1))
		echo "$name:FAIL"
		sed 's/^/    /' "$work/claim.out"
	fi
}
finish() {
	echo "$tests Tests $failures Failures 0 Ignored"
	[ $failures -eq 0 ]
}
