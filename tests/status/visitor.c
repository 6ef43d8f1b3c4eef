/* SPDX-License-Identifier: GPL-2.0-only */
/* A stranger's TLS, by berth's own. */
#include "status/visitor.h"

#include <stdlib.h>
#include <string.h>

#include <unity.h>

enum { TURNS = 3000 };

bool visitor_come(struct visitor *v, const struct tls_certificate *own)
{
	char words[256];
	struct writer fault;
	struct net_address to;
	struct tls_pem pem = {.insecure_skip_verify = true};
	enum tls_step step = TLS_WAIT;
	memset(v, 0, offsetof(struct visitor, heard));
	v->heard[0] = '\0';
	if (own != NULL) {
		pem.certificate = (struct text){own->certificate, strlen(own->certificate) + 1};
		pem.key = (struct text){own->key, strlen(own->key) + 1};
	}
	writer_init(&fault, words, sizeof(words));
	TEST_ASSERT_TRUE(tls_identity_make(&v->identity, &pem, &fault));
	TEST_ASSERT_TRUE(tls_peer_set(&v->peer, TEXT("127.0.0.1")));
	TEST_ASSERT_TRUE(net_address_parse(TEXT("127.0.0.1"), status_port(bed_status, true), &to));
	v->stream = bed_bytes.open(bed_bytes.self, NET_STREAM_TCP, &to);
	TEST_ASSERT_NOT_EQUAL(0, v->stream);
	for (uint32_t i = 0;
		i < TURNS && bed_bytes.state(bed_bytes.self, v->stream) == NET_STREAM_CONNECTING;
		i++)
		bed_turns(1);
	TEST_ASSERT_TRUE(tls_start(&v->tls, &v->identity, &v->peer, &v->ticket, &bed_bytes,
		v->stream, net_now(bed_net)));
	for (uint32_t i = 0; i < TURNS && step == TLS_WAIT; i++) {
		step = tls_handshake(&v->tls, net_now(bed_net));
		bed_turns(1);
	}
	return step == TLS_DONE;
}

void visitor_say(struct visitor *v, const char *bytes, size_t size)
{
	for (uint32_t i = 0; size > 0 && i < TURNS; i++) {
		size_t sent = 0;
		enum tls_step step = tls_write(&v->tls, bytes, size < 4096 ? size : 4096, &sent);
		bytes += sent;
		size -= sent;
		if (step != TLS_DONE && step != TLS_WAIT)
			return;
		if (step == TLS_WAIT)
			bed_turns(1);
	}
}

void visitor_hear(struct visitor *v, uint32_t turns)
{
	while (turns > 0 && !v->ended) {
		size_t got = 0;
		TEST_ASSERT_TRUE(v->size + 1 < BED_HEARD_MAX);
		enum tls_step step =
			tls_read(&v->tls, v->heard + v->size, BED_HEARD_MAX - 1 - v->size, &got);
		v->size += got;
		v->heard[v->size] = '\0';
		v->ended = step == TLS_END || step == TLS_FAILED;
		if (step == TLS_WAIT) {
			bed_turns(1);
			turns--;
		}
	}
}

void visitor_go(struct visitor *v)
{
	tls_stop(&v->tls);
	tls_identity_drop(&v->identity);
	bed_bytes.close(bed_bytes.self, v->stream);
	bed_turns(3);
}

uint32_t visitor_ask(struct visitor *v, const struct tls_certificate *own, const char *request)
{
	TEST_ASSERT_TRUE_MESSAGE(visitor_come(v, own), v->tls.fault);
	visitor_say(v, request, strlen(request));
	visitor_hear(v, TURNS);
	visitor_go(v);
	return v->size > 9 ? (uint32_t)strtoul(v->heard + 9, NULL, 10) : 0;
}
