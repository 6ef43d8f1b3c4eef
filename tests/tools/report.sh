# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the test scripts: each claim is one test, reported like Unity does.

tests=0 failures=0 skipped=0
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
# skipped_unless NAME COMMAND...: the claim of that name cannot be made here, and is counted as skipped; unless the command says
# that this machine could do it after all: then it is a failure, for nothing that can be proven is left out.
skipped_unless() {
	name=$1; shift
	if "$@" >/dev/null 2>&1; then
		claim "$name (skipped, though this machine could)" false
		return
	fi
	skipped=$((skipped + 1))
	echo "$name:SKIP"
}
is_root() { [ "$(id -u)" = 0 ]; }
could_be_root() { is_root || sudo -n true; }
finish() {
	echo "$tests Tests $failures Failures 0 Ignored $skipped Skipped"
	[ $failures -eq 0 ]
}
