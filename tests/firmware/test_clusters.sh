#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Manifests and drop-ins for other clusters than k3s: they parse, berth knows every flag in them, systemd knows every line, a
# pod of them can read what it is given and no more, and only rbac.yaml, viewer.yaml and updater.yaml give rights.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh
tools/packages jq python3-yaml systemd >"$work/apt" 2>&1 || cat "$work/apt"
built build/x86_64/berth
berth=$PWD/build/x86_64/berth
package=firmware/package

# berth_knows FLAG...: of `berth run`, but for files, which are not here
berth_knows() {
	local flags=()
	while [ $# -gt 0 ]; do
		case $1 in
		--kubeconfig | --config | --cert-dir) shift ;;
		*) flags+=("$1") ;;
		esac
		shift
	done
	"$berth" run "${flags[@]}" --kubeconfig /nowhere/kubeconfig >"$work/said" 2>&1
	# All of them were understood when the file is the first thing that is missing.
	cat "$work/said"
	grep -q '/nowhere/kubeconfig' "$work/said" && ! grep -q 'flag' "$work/said"
}
claim 'a flag that is none is noticed' sh -c "! \"$berth\" run --bind-adress ::1 --kubeconfig /nowhere/kubeconfig 2>&1 | grep -q nowhere"

# ---- static pods ----
yaml() { /usr/bin/python3 -c 'import json, sys, yaml; json.dump(list(yaml.safe_load_all(open(sys.argv[1]))), sys.stdout)' "$1"; }
each_mount_is_a_volume() { [ "$(jq -c '[.[0].spec.containers[0].volumeMounts[] | {name, path: .mountPath}] | sort' "$1")" = "$(jq -c '[.[0].spec.volumes[] | {name, path: .hostPath.path}] | sort' "$1")" ]; }
each_mount_is_read_only() { jq -e 'all(.[0].spec.containers[0].volumeMounts[]; .readOnly == true)' "$1"; }
gives_up_rights() {
	jq -e '.[0].spec.containers[0].securityContext | .readOnlyRootFilesystem and .allowPrivilegeEscalation == false and
		.capabilities == {"drop": ["ALL"], "add": ["DAC_READ_SEARCH", "SETUID", "SETGID"]}' "$1"
}
# The kubelet knows the container by these: system-node-critical is for kube-system alone, a static pod has no account.
is_static() { jq -e '.[0] | .kind == "Pod" and .metadata.namespace == "kube-system" and (.spec.serviceAccountName | not) and .spec.hostNetwork' "$1"; }
names_what_it_mounts() { # the kubeconfig that is asked for is one of the mounts
	jq -e '.[0].spec.containers[0] | (.args | .[index("--kubeconfig") + 1]) as $file | any(.volumeMounts[]; .mountPath == $file)' "$1"
}
probes_its_port() { jq -e '.[0].spec.containers[0] | [.livenessProbe, .readinessProbe] | all(.[]; .httpGet.port == 10259 and .httpGet.scheme == "HTTPS")' "$1"; }
version=$(sed -n 's/^VERSION := //p' Makefile)
for pod in static-pod rke2-static-pod; do
	claim "$pod: it is YAML" yaml $package/$pod.yaml
	yaml $package/$pod.yaml >"$work/$pod.json"
	mapfile -t args < <(jq -r '.[0].spec.containers[0].args[1:][]' "$work/$pod.json")
	claim "$pod: berth knows its flags" berth_knows "${args[@]}"
	claim "$pod: a static pod of kube-system" is_static "$work/$pod.json"
	claim "$pod: each mount is a volume" each_mount_is_a_volume "$work/$pod.json"
	claim "$pod: each of them read-only" each_mount_is_read_only "$work/$pod.json"
	claim "$pod: the kubeconfig is among them" names_what_it_mounts "$work/$pod.json"
	claim "$pod: no right but to read and to become another user" gives_up_rights "$work/$pod.json"
	claim "$pod: its probes ask its port" probes_its_port "$work/$pod.json"
	claim "$pod: the image of this version" [ "$(jq -r '.[0].spec.containers[0].image' "$work/$pod.json")" = "localhost/berth:$version" ]
done

# ---- drop-ins ----
unit=$work/units/berth.service
mkdir -p "$work/units" "$work/bin"
for dropin in k3s k0s microk8s; do
	rm -rf "$unit.d"
	mkdir "$unit.d"
	cp $package/berth.service "$unit"
	cp $package/$dropin.conf "$unit.d/"
	# What it runs is elsewhere here.
	sed -i "s|/usr/bin/berth|$berth|; s|/usr/lib/berth|$PWD/$package|" "$unit" "$unit.d/$dropin.conf"
	systemd-analyze verify --man=no "$unit" >"$work/verified" 2>&1
	claim "$dropin.conf: systemd knows every line" sh -c "cat '$work/verified'; ! grep -E 'berth.service' '$work/verified' | grep -vE 'landlock|MemorySwapMax|ProcSubset|does not exist|not found'"
	mapfile -t args < <(sed -n '/^ExecStart=\//,$p' $package/$dropin.conf | sed '/^$/,$d' | tr -s '\\\t\n ' '\n' | sed '1,2d; /^\$/d; /^$/d')
	claim "$dropin.conf: berth knows its flags" berth_knows "${args[@]}"
done
copies_for_its_user() { # the line that copies a kubeconfig, run with the paths of a test
	mkdir -p "$work/run" "$work/from"
	echo "apiVersion: v1 # of $1" >"$work/from/kubeconfig"
	chmod 600 "$work/from/kubeconfig"
	! is_root || chown 12345 "$work/run"
	line=$(sed -n "s|^ExecStartPre=+/bin/sh -c '\(.*\)'\$|\1|p" $package/"$1".conf | sed "s|\\\$\\\$|\$|g; s|%%|%|g; s|/run/berth|$work/run|g; s| /var[^ ]* | $work/from/kubeconfig |")
	sh -c "$line" && cmp "$work/from/kubeconfig" "$work/run/kubeconfig" &&
		[ "$(stat -c '%u %a' "$work/run/kubeconfig")" = "$(stat -c %u "$work/run") 400" ]
}
claim 'k0s.conf: hands the kubeconfig to the user of the folder' copies_for_its_user k0s
claim 'microk8s.conf: hands the kubeconfig to the user of the folder' copies_for_its_user microk8s
claim 'microk8s: what its scheduler is given is a configuration' "$berth" check-config $package/microk8s-scheduler.yaml
claim 'microk8s: under a name and a lease that are not berth'\''s' sh -c "! grep -E '(schedulerName|resourceName): *(default-scheduler|kube-scheduler|berth)\$' $package/microk8s-scheduler.yaml"

# ---- rights ----
gives_rights() { grep -lE '^kind: *(Cluster)?Role' $package/*.yaml | xargs -n 1 basename | sort | tr '\n' ' '; }
claim 'only three files give rights' [ "$(gives_rights)" = 'rbac.yaml updater.yaml viewer.yaml ' ]
yaml $package/rbac.yaml >"$work/rbac.json"
yaml $package/viewer.yaml >"$work/viewer.json"
yaml $package/updater.yaml >"$work/updater.json"
no_star() { jq -e '[.[] | select(.rules) | .rules[] | (.verbs + (.resources // []) + (.apiGroups // []))[]] | index("*") | not' "$1"; }
claim 'rbac.yaml: nothing is given with a star' no_star "$work/rbac.json"
claim 'viewer.yaml: nothing is given with a star' no_star "$work/viewer.json"
claim 'rbac.yaml: no secret, no configuration, no impersonation' jq -e '[.[] | select(.rules) | .rules[] | ((.resources // []) + .verbs)[]] | any(.[]; . == "secrets" or . == "configmaps" or . == "impersonate" or . == "escalate") | not' "$work/rbac.json"
claim 'updater.yaml: to put an update and nothing else' jq -e '[.[] | select(.rules) | .rules[]] == [{"nonResourceURLs": ["/berth/v1/update"], "verbs": ["put"]}]' "$work/updater.json"
claim 'viewer.yaml: only to look' jq -e '[.[] | select(.rules) | .rules[].verbs[]] | unique - ["get", "list", "post"] | length == 0' "$work/viewer.json"
finish
