#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The port of the shipped binary as a scanner sees it, by the openssl client: versions, ciphers, curves, renegotiation; the
# certificate that is kept; who may without credentials; and a client that verifies, or says that it does not.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh
. tests/tools/bundled.sh

# start FLAGS...
start() {
	: >"$work/log"
	"$berth" run --kubeconfig "$work/made" --secure-port "$page" --bind-address 127.0.0.1 "$@" >>"$work/log" 2>&1 </dev/null &
	pid=$!
	eventually 20 says 'INFO scheduler ready'
}
# hello FLAGS...: what the openssl client says of a handshake. It may use what it holds to be too weak.
hello() { timeout 10 openssl s_client -connect "127.0.0.1:$page" -cipher 'ALL:@SECLEVEL=0' "$@" </dev/null 2>&1; }
shakes() { hello "$@" | grep -Eq '^(New, TLSv|    Cipher    : [A-Z]).*[0-9]' && ! hello "$@" | grep -q 'Cipher is (NONE)'; }
refuses() { ! shakes "$@"; }
fingerprint() { hello | openssl x509 -noout -fingerprint -sha256; }
# code WANTED CURL-ARGUMENTS... PATH
code() {
	local got
	got=$(curl -sk --max-time 10 -o /dev/null -w '%{http_code}' "${@:2:$#-2}" "https://127.0.0.1:$page${*: -1}")
	[ "$got" = "$1" ] || { echo "$got, not $1"; return 1; }
}
# ends_with STATUS WORDS FLAGS...: refused before anything starts
ends_with() {
	local status=0
	"$berth" run "${@:3}" >"$work/refusal" 2>&1 || status=$?
	cat "$work/refusal"
	[ "$status" = "$1" ] && grep -q -- "$2" "$work/refusal"
}

serve --token one --nodes 3
# limited_wrongly WORDS FLAG: what is not there is refused, with what is
limited_wrongly() { ends_with 1 "$1" --kubeconfig "$work/made" --secure-port "$page" --bind-address 127.0.0.1 "$2"; }
claim 'a cipher suite that is not there is refused' limited_wrongly 'TLS_RSA_WITH_AES_128_CBC_SHA is not one of .*TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384' \
	--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_RSA_WITH_AES_128_CBC_SHA
claim 'a curve that is not there is refused' limited_wrongly '4588 is not one of .*29 (X25519)' --tls-curve-preferences=29,4588
claim 'it starts with one suite of TLS 1.2 and one curve' start --cert-dir "$work" --tls-curve-preferences 24 \
	--tls-cipher-suites TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
claim 'that suite' shakes -tls1_2 -cipher ECDHE-ECDSA-AES256-GCM-SHA384
claim 'no other one' refuses -tls1_2 -cipher 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305'
claim 'TLS 1.3 as it was' shakes -tls1_3 -ciphersuites TLS_AES_128_GCM_SHA256
claim 'that curve' shakes -tls1_3 -groups P-384
claim 'no other one of TLS 1.3' refuses -tls1_3 -groups X25519:P-256:P-521
claim 'no other one of TLS 1.2' refuses -tls1_2 -groups X25519:P-521
claim 'it ends' stop
claim 'it starts with suites of TLS 1.3' start --cert-dir "$work" \
	--tls-cipher-suites=TLS_AES_256_GCM_SHA384 --tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305
claim 'that of TLS 1.3' shakes -tls1_3 -ciphersuites TLS_AES_256_GCM_SHA384
claim 'no other of TLS 1.3' refuses -tls1_3 -ciphersuites TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256
claim 'that of TLS 1.2 by its older name' shakes -tls1_2 -cipher ECDHE-ECDSA-CHACHA20-POLY1305
claim 'no other of TLS 1.2' refuses -tls1_2 -cipher 'ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256'
claim 'it ends again' stop
mkdir "$work/certificates"
chmod 777 "$work/certificates"
claim 'it starts' start --cert-dir "$work/certificates"
claim 'TLS 1.3' shakes -tls1_3
claim 'TLS 1.2' shakes -tls1_2
claim 'no TLS 1.1' refuses -tls1_1
claim 'no TLS 1.0' refuses -tls1
for cipher in AES128-SHA AES128-GCM-SHA256 DES-CBC3-SHA ECDHE-ECDSA-AES128-SHA ECDHE-ECDSA-AES128-SHA256 RC4-SHA NULL-SHA \
	ECDHE-ECDSA-NULL-SHA AECDH-AES128-SHA DHE-RSA-AES128-GCM-SHA256 PSK-AES128-GCM-SHA256; do
	openssl ciphers "$cipher:@SECLEVEL=0" >/dev/null 2>&1 || continue
	claim "TLS 1.2 without $cipher" refuses -tls1_2 -cipher "$cipher:@SECLEVEL=0"
done
for cipher in ECDHE-ECDSA-AES128-GCM-SHA256 ECDHE-ECDSA-AES256-GCM-SHA384 ECDHE-ECDSA-CHACHA20-POLY1305; do
	claim "TLS 1.2 with $cipher" shakes -tls1_2 -cipher "$cipher"
done
for curve in X25519 P-256 P-384; do claim "the curve $curve" shakes -tls1_3 -groups "$curve"; done
claim 'no finite fields' refuses -tls1_3 -groups ffdhe2048
no_renegotiation() { ! (sleep 1; echo R; sleep 1) | timeout 10 openssl s_client -connect "127.0.0.1:$page" -tls1_2 2>&1 | grep -q '^RENEGOTIATING$.*verify return'; }
claim 'no renegotiation by the client' no_renegotiation
no_compression() { hello -tls1_2 | grep -q '^Compression: NONE'; }
claim 'no compression' no_compression
no_h2() { ! hello -alpn h2 | grep -q 'ALPN protocol: h2'; }
claim 'no protocol that it does not speak' no_h2

claim 'the certificate is kept' test -s "$work/certificates/kube-scheduler.crt"
private() { [ "$(stat -c %a "$work/certificates/kube-scheduler.key")" = 600 ]; }
claim 'its key is its own' private
first=$(fingerprint)
claim 'it ends in order' stop
claim 'it starts again' start --cert-dir "$work/certificates" --tls-min-version VersionTLS13
same() { [ -n "$first" ] && [ "$(fingerprint)" = "$first" ]; }
claim 'and shows the same certificate' same
claim 'TLS 1.2 is too old when that is said' refuses -tls1_2

# named FILE NAMES [ALTERNATIVES]: a pair of files; its subject is its name
named() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/new.key" -out "$work/new.crt" -subj "/CN=$2" \
		-addext "subjectAltName=DNS:$3" -days 2 2>/dev/null && mv "$work/new.key" "$names/$1.key" && mv "$work/new.crt" "$names/$1.crt"
}
# shows NAME SUBJECT FLAGS...
shows() {
	local subject
	subject=$(hello ${1:+-servername "$1"} "${@:3}" | sed -n 's/^subject=.*CN *= *//p')
	[ "$subject" = "$2" ] || { echo "$subject, not $2"; return 1; }
}
names=$work/names
mkdir "$names"
named first first a.example; named second second '*.b.example'; named third third c.example
claim 'it ends, for names' stop
for wrong in a ,b "$names/first.crt,$names/first.key:127.0.0.1" "$names/first.crt,$names/first.key:"; do
	claim "a certificate for names that is wrong: ${wrong##*/}" limited_wrongly 'is not CERTIFICATE,KEY:NAMES' "--tls-sni-cert-key=$wrong"
done
claim 'a key of another' limited_wrongly 'does not belong' "--tls-sni-cert-key=$names/first.crt,$names/second.key"
claim 'five are too many' limited_wrongly 'more than 4' "--tls-sni-cert-key=a,a;a,a;a,a;a,a;a,a"
claim 'it starts with certificates for names' start --cert-dir "$work/certificates" --tls-sni-cert-key "$names/first.crt,$names/first.key" \
	--tls-sni-cert-key "$names/second.crt,$names/second.key;$names/third.crt,$names/third.key:*.e.example,x.b.example,D.example"
claim 'a name of the certificate' shows a.example first
claim 'and by TLS 1.2' shows a.example first -tls1_2
claim 'capital letters are small ones' shows A.Example first
claim 'an asterisk of the certificate' shows y.b.example second
claim 'a name before an asterisk' shows x.b.example third
claim 'a name that was said' shows d.example third
claim 'an asterisk that was said' shows f.e.example third
claim 'names that were said are all' shows c.example kube-scheduler
claim 'an asterisk is for one label' shows z.y.b.example kube-scheduler
claim 'another name' shows localhost kube-scheduler
claim 'no name' shows '' kube-scheduler -noservername
named first changed a.example
claim 'a certificate for a name that changed' eventually 30 shows a.example changed
claim 'the others stay' shows d.example third
rm "$names/second.key"
claim 'one that is gone' eventually 30 says 'certificate-not-reloaded .*second.key: No such file'
claim 'is shown on' shows y.b.example second
named second back '*.b.example'
claim 'until there is another' eventually 30 shows y.b.example back

claim 'who is here needs credentials' code 403 /berth/v1/overview
claim 'and for metrics' code 403 /metrics
claim 'a token is enough' code 200 -H 'Authorization: Bearer one' /berth/v1/overview
claim 'health needs none' code 200 /livez
claim 'nothing is changed without credentials' code 401 -X DELETE /metrics
claim 'nothing is logged of that' eval '! says changed-by-request'
claim 'something is, with them' code 200 -X DELETE -H 'Authorization: Bearer one' /metrics
claim 'that is logged' says 'INFO status changed-by-request user=.* verb=delete path="/metrics" from=127.0.0.1:'

explain() { "$berth" explain default/none --server "https://127.0.0.1:$page" "$@" >"$work/said" 2>&1; cat "$work/said"; }
unverified() { explain | grep -q 'its certificate is not verified'; }
claim 'explain says what it does not verify' unverified
verified() { explain --ca "$work/certificates/kube-scheduler.crt" | grep -q '403 forbidden' && ! grep -q 'not verified' "$work/said"; }
claim 'explain verifies by --ca' verified
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/other.key" -out "$work/other.crt" \
	-subj /CN=other -days 2 2>/dev/null
mistrusted() { ! explain --ca "$work/other.crt" | grep -q forbidden && grep -q 'not signed' "$work/said"; }
claim 'explain believes no other' mistrusted
claim 'it ends in order, too' stop

claim 'it starts, open to who is here' start --page-access loopback
claim 'who is here may read' code 200 /berth/v1/overview
claim 'and change nothing' code 401 -X DELETE /metrics
for sign in 'Via: 1.1 a' 'X-Real-IP: 192.0.2.1' 'X-Forwarded-For: 192.0.2.1' 'X-Forwarded-Host: a' 'Forwarded: for=192.0.2.1' \
	'CF-Connecting-IP: 192.0.2.1'; do
	claim "but not through a proxy (${sign%%:*})" code 403 -H "$sign" /berth/v1/overview
done
claim 'nor one that speaks HTTP 1.0' code 403 --http1.0 --no-alpn /berth/v1/overview
claim 'it ends in order at last' stop
finish
