# SPDX-License-Identifier: GPL-2.0-only
# Sourced by test scripts (bash, after report.sh) that run the binary against the bundled apiserver.

built build/x86_64/berth build/x86_64/apisim
berth=$PWD/build/x86_64/berth apisim=$PWD/build/x86_64/apisim
api='' pid='' port=0
page=$((20000 + $$ % 10000)) # of berth
touch "$work/log"

end() {
	for p in $pid $api; do
		kill -CONT "$p" 2>/dev/null
		kill -KILL "$p" 2>/dev/null && wait "$p" 2>/dev/null
	done
	rm -rf "$work"
}
trap end EXIT

# eventually SECONDS COMMAND...
eventually() {
	local ends=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $ends ] || { echo "not in time: $*"; tail -n 20 "$work/log"; return 1; }
		sleep 0.2
	done
}

# serve FLAGS...: an apiserver with another authority each time, always at the same port; $work/made is its kubeconfig.
serve() {
	[ -z "$api" ] || { kill "$api"; wait "$api" 2>/dev/null; }
	rm -f "$work/made"
	"$apisim" --port "$port" --kubeconfig-out "$work/made" "$@" >"$work/apisim" 2>&1 &
	api=$!
	eventually 10 test -s "$work/made"
	port=$(sed -n 's/.*server: .*:\([0-9]*\)$/\1/p' "$work/made")
}

# stop: asked to end, it ends in order.
stop() {
	local status=0
	kill -TERM "$pid"
	wait "$pid" || status=$?
	pid=''
	[ $status = 0 ] || { echo "it ended with status $status"; tail -n 20 "$work/log"; return 1; }
}

# says PATTERN: in its log. ask PATH: of its page. process NAME VALUE: in /proc.
says() { grep -q -- "$1" "$work/log"; }
ask() { curl -sk --max-time 5 "https://127.0.0.1:$page$1"; }
metric() { ask /metrics | awk -v name="$1" '$1 == name { print $2 }'; }
binds_more_than() { [ "$(metric berth_bindings_total)" -gt "$1" ] 2>/dev/null; }
process() { [ "$(sed -n "s/^$1:[[:space:]]*//p" "/proc/$pid/status" | cut -f1)" = "$2" ]; }
