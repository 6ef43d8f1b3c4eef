#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# firmware/package/monitoring against what the binary really shows: promtool reads its metrics, the alerts are valid and fire for
# what they are for, and every metric that an alert or the dashboard names is there.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh
. tests/tools/bundled.sh
files=firmware/package/monitoring
command -v promtool >/dev/null || tools/packages prometheus || exit 1

serve --nodes 3 --life --hurry 20
"$berth" run --kubeconfig "$work/made" --secure-port 0 --http-port "$page" >"$work/log" 2>&1 </dev/null &
pid=$!
fetched() {
	curl -s --max-time 5 "http://127.0.0.1:$page/metrics" >"$work/metrics"
	grep -q '^scheduler_pod_scheduling_sli_duration_seconds_count{.*} [1-9]' "$work/metrics"
}
claim 'a pod is bound' eventually 30 fetched
claim 'promtool check metrics' eval "promtool check metrics <'$work/metrics'"
claim 'promtool check rules' promtool check rules "$files/alerts.yaml"
cp "$files/alerts.yaml" tests/firmware/alerts.test.yaml "$work"
fires() { (cd "$work" && promtool test rules alerts.test.yaml); }
claim 'each alert fires, and none when all is well' fires
all_tested() {
	for name in $(sed -n 's/^ *- alert: //p' "$files/alerts.yaml"); do
		[ "$(grep -c "alertname: $name" tests/firmware/alerts.test.yaml)" = 2 ] || { echo "$name"; return 1; }
	done
}
claim 'of every alert both is tested' all_tested

# The expressions of the dashboard as rules, so that promtool reads them.
sed -n 's/^ *"expr": "\(.*\)",\{0,1\}$/\1/p' "$files/dashboard.json" | sed 's/\\"/"/g; s/\$job/berth/g; s/\$instance/.*/g' >"$work/expressions"
claim 'the dashboard has expressions' test "$(wc -l <"$work/expressions")" -ge 20
{
	printf 'groups:\n- name: dashboard\n  rules:\n'
	n=0
	while IFS= read -r expression; do
		n=$((n + 1))
		printf "  - {record: 'panel:%s', expr: '%s'}\n" $n "$expression"
	done <"$work/expressions"
} >"$work/rules.yaml"
claim 'that Prometheus understands' promtool check rules "$work/rules.yaml"
valid_json() {
	if command -v node >/dev/null; then
		node -e "JSON.parse(require('fs').readFileSync('$files/dashboard.json'))"
	else
		python3 -m json.tool "$files/dashboard.json"
	fi
}
claim 'the dashboard is JSON' valid_json
there() {
	local missing=0 name family
	for name in $(grep -ohE '\b(berth|scheduler|process|leader)_[a-z_]+' "$work/expressions" "$files/alerts.yaml" | sort -u); do
		family=${name%_bucket}
		grep -q "^# TYPE $family " "$work/metrics" || { echo "$name is not shown"; missing=1; }
	done
	return $missing
}
claim 'every metric that is named is shown' there
values() { # of a label that is picked out
	local missing=0 pair
	for pair in $(grep -ohE '(state|queue|name)="[a-z-]+"' "$work/expressions" "$files/alerts.yaml" | sort -u); do
		grep -qF "$pair" "$work/metrics" || { echo "$pair"; missing=1; }
	done
	return $missing
}
claim 'and every label' values
claim 'the monitor asks the port that is served' eval "! grep -n 'port: [0-9]' $files/service-monitor.yaml | grep -v 10259"
stop
finish
