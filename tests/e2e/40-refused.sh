#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seconds: 180
#
# Certificates that must be refused, by the one side or the other; and that what was refused works
# again, without a restart of berth, when the certificate is a good one.

# shellcheck source-path=SCRIPTDIR source=cluster
. "$(dirname "$0")/cluster"

mine()
{
	requests '"username":"system:kube-scheduler"'
}

# shut_out WHAT KUBECONFIG: after four seconds berth knows nothing, has said why, and has not
# hammered on the server.
shut_out()
{
	local before
	note "$1"
	before=$(requests '"code":401')
	follow_start berth --kubeconfig "$CLUSTER/kubeconfig/$2"
	sleep 4
	follow_knows_nothing berth || fail "$1, and yet berth has a picture"
	[ -s "$CLUSTER/berth.log" ] || fail "$1, and berth says nothing about it"
	(($(requests '"code":401') - before < 40)) ||
		fail "$1: $(($(requests '"code":401') - before)) requests in four seconds"
	tail -n 2 "$CLUSTER/berth.log"
}

# The end of one that could not do its work: its status is its own affair.
dismiss()
{
	end berth
	: >"$CLUSTER/berth.log"
}

up
# The line leads to a server with a good certificate or to one with a bad one, on the same etcd.
apiserver_launch server-expired server-expired
apiserver_launch server-elsewhere server-elsewhere
proxy_start line apiserver
kubeconfig_cert by-line "$(server_of line)" ca scheduler
"$e2e/load" nodes 0 5
"$e2e/load" pods 0 20 5

note "what is allowed"
for who in scheduler scheduler-files scheduler-name; do
	follow_start $who --kubeconfig "$CLUSTER/kubeconfig/$who"
	follow_settles $who 15 5 20
	follow_stop $who
done

shut_out "the client's certificate has expired" scheduler-expired
[ "$(requests '"code":401')" -gt 0 ] || fail "the server saw no attempt"
dismiss

seen=$(mine)
shut_out "another CA" scheduler-wrong-ca
[ "$(mine)" = "$seen" ] || fail "berth sent a request to a server it cannot trust"
dismiss

for server in server-expired server-elsewhere; do
	wait_ready $server
	proxy_to line $server
	seen=$(mine)
	shut_out "the server's certificate: $server" by-line
	[ "$(mine)" = "$seen" ] || fail "berth sent a request to a server it cannot trust"
	running berth || fail "berth ended; a server with a bad certificate may get a good one"
	proxy_to line apiserver
	follow_settles berth 45 5 20
	follow_stop berth
	: >"$CLUSTER/berth.log"
done

note "the server's certificate expires while berth follows"
follow_start berth --kubeconfig "$CLUSTER/kubeconfig/by-line"
follow_settles berth 15 5 20
proxy_to line server-expired
seen=$(mine)
"$e2e/load" delete pods 0 1
sleep 4
follow_picture berth >"$CLUSTER/stale.picture"
grep -q '^pod default/pod-0 ' "$CLUSTER/stale.picture" || fail "berth believes an expired server"
[ "$(mine)" = "$seen" ] || fail "berth sent a request to a server it cannot trust"
proxy_to line apiserver
follow_settles berth 45 5 19
follow_stop berth
: >"$CLUSTER/berth.log"

mkdir "$CLUSTER/rotated"
cp "$CLUSTER/pki/scheduler-expired.crt" "$CLUSTER/rotated/client.crt"
cp "$CLUSTER/pki/scheduler-expired.key" "$CLUSTER/rotated/client.key"
kubeconfig rotated "$(server_of)" "certificate-authority: ../pki/ca.crt" -- \
	"client-certificate: ../rotated/client.crt" "client-key: ../rotated/client.key"
shut_out "certificate files that have expired" rotated
running berth || fail "berth ended; certificate files may be rotated"
note "the files are rotated"
for kind in key crt; do
	cp "$CLUSTER/pki/scheduler.$kind" "$CLUSTER/rotated/client.new"
	mv "$CLUSTER/rotated/client.new" "$CLUSTER/rotated/client.$kind"
done
follow_settles berth 60 5 19
follow_stop berth
