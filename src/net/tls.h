/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TLS: a secured stream over a stream of bytes, by mbedTLS. Every step says what it waits for;
 * nothing blocks. A client verifies the server by its CA and by its name or address; a server
 * verifies the certificate of a client who shows one, and says what came of it.
 *
 * Memory: mbedTLS allocates in a fence of tls_setup_size() bytes; the sum is in tls.c.
 */
#ifndef BERTH_NET_TLS_H
#define BERTH_NET_TLS_H

#include <stdbool.h>
#include <stdint.h>

#include <mbedtls/pk.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "base/text.h"
#include "net/bytes.h"

enum {
	TLS_NAME_MAX = 253,
	TLS_TICKET_MAX = 6 * 1024,
	TLS_TICKET_AGE_MAX_S = 3600, /* then the server's certificate is looked at again */
	TLS_FAULT_MAX = 96
};

/* ---- the process ---- */

void tls_setup(struct arena *arena, uint32_t connections_max, struct entropy entropy);
size_t tls_setup_size(uint32_t connections_max);
void tls_teardown(void);
struct store *tls_fence(void);
/*
 * Part of the fence that connections of our servers may use, whatever their clients send: the
 * rest is for berth's own connections.
 */
void tls_reserve(uint32_t server_connections);
void tls_release(uint32_t server_connections);
int tls_random(void *context, unsigned char *output, size_t size); /* as mbedTLS wants it */

/* ---- who we are, and whom we trust ---- */

struct tls_identity {
	mbedtls_ssl_config config;
	mbedtls_x509_crt ca; /* a server's: those of clients, then those of front proxies */
	mbedtls_x509_crt certificate;
	mbedtls_pk_context key;
	uint32_t client_ca_count;
	bool server;
	bool made;
	uint32_t users; /* connections */
};

/* PEM text with its terminating zero counted in size, as mbedTLS wants it; or TEXT_NONE. */
struct tls_pem {
	struct text ca, certificate, key;
	bool insecure_skip_verify;
	bool server;          /* then `ca` is that of clients, who may come without a certificate */
	struct text proxy_ca; /* of front proxies */
	bool tls_1_3;         /* of a server: and nothing older */
};

/* False with one line in `fault`; nothing is held then. */
MUST_USE bool tls_identity_make(
	struct tls_identity *identity, const struct tls_pem *pem, struct writer *fault);
void tls_identity_drop(struct tls_identity *identity);

/* ---- one connection ---- */

/* The name or the address that the server's certificate must have. */
struct tls_peer {
	char name[TLS_NAME_MAX + 1];
	struct net_address address; /* family 0: it is a name */
};
MUST_USE bool tls_peer_set(struct tls_peer *peer, struct text name);

/* What lets the next connection leave out most of the handshake. */
struct tls_ticket {
	size_t size; /* 0: none */
	struct mono since;
	uint8_t bytes[TLS_TICKET_MAX];
};

enum tls_step {
	TLS_DONE,
	TLS_WAIT,  /* for bytes, or for room to send */
	TLS_AGAIN, /* of a server's handshake: there is more to do, but others may come first */
	TLS_END,   /* the peer ended the stream in order */
	TLS_FAILED /* tls->fault says why */
};

struct tls {
	mbedtls_ssl_context ssl;
	const struct net_bytes *bytes;
	uint32_t stream;
	struct tls_identity *identity; /* NULL: not in use */
	const struct tls_peer *peer;   /* these two are a client's */
	struct tls_ticket *ticket;
	struct mono now;
	bool certificate_seen;
	bool by_client_ca, by_proxy_ca; /* of a client's certificate: who signed it */
	bool resumed;
	char fault[TLS_FAULT_MAX];
};

MUST_USE bool tls_start(struct tls *tls, struct tls_identity *identity, const struct tls_peer *peer,
	struct tls_ticket *ticket, const struct net_bytes *bytes, uint32_t stream, struct mono now);
/* The other side of it; the client speaks first. */
MUST_USE bool tls_start_server(struct tls *tls, struct tls_identity *identity,
	const struct net_bytes *bytes, uint32_t stream, struct mono now);
MUST_USE enum tls_step tls_handshake(struct tls *tls, struct mono now);
MUST_USE enum tls_step tls_read(struct tls *tls, void *to, size_t size, size_t *got);
/* After TLS_WAIT call again with the same bytes; *sent counts what is done with. */
MUST_USE enum tls_step tls_write(struct tls *tls, const void *bytes, size_t size, size_t *sent);
/* The client's certificate: NULL when it showed none. *good: it holds. */
const mbedtls_x509_crt *tls_client_certificate(const struct tls *tls, bool *good);
/* Decrypted bytes that wait to be read. */
bool tls_has_more(const struct tls *tls);
/* Says goodbye if there is room for it, and gives all memory back. Does not close the stream. */
void tls_stop(struct tls *tls);

#endif
