/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tls - a secured stream over a stream of bytes, by mbedTLS, which only this folder knows. Every
 * step says what it waits for; nothing blocks. A client verifies the server by its CA and by its
 * name or address; a server verifies the certificate of a client who shows one, and says what came
 * of it. tls/stream.h is the stream that may be plain as well.
 *
 * Memory: mbedTLS allocates in a fence of tls_setup_size() bytes; the sum is in tls.c.
 */
#ifndef BERTH_TLS_TLS_H
#define BERTH_TLS_TLS_H

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
	TLS_FAULT_MAX = 96,
	TLS_WRITE_MAX = MBEDTLS_SSL_OUT_CONTENT_LEN, /* bytes of a record that is sent */
	/* Handshakes need far more memory than open connections: so many at a time. */
	TLS_HANDSHAKES_MAX = 2,
	/* Those of our clients are counted apart: strangers must not keep us from the apiserver. */
	TLS_SERVER_HANDSHAKES_MAX = 12,
	TLS_ORGANIZATIONS_MAX = 16
};

/* ---- the process ---- */

/* Once, before anything here is used; for no connections it does nothing, and https cannot be. */
void tls_setup(struct arena *arena, uint32_t connections_max, struct entropy entropy);
size_t tls_setup_size(uint32_t connections_max);
void tls_teardown(void); /* tests; harmless without a setup */
bool tls_is_set_up(void);
uint32_t tls_handshakes(bool server); /* under way */
struct store *tls_fence(void);
/*
 * Part of the fence that connections of our servers may use, whatever their clients send: the
 * rest is for berth's own connections.
 */
void tls_reserve(uint32_t server_connections);
void tls_release(uint32_t server_connections);
int tls_random(void *context, unsigned char *output, size_t size); /* as mbedTLS wants it */

/* ---- who we are, and whom we trust ---- */

/* What a server allows of what there is; names and numbers stay the caller's. */
struct tls_limits {
	bool tls_1_3; /* and nothing older */
	const struct text *suites, *curves;
	uint32_t suite_count, curve_count; /* 0: all */
};
enum { TLS_SUITES_MAX = 16, TLS_CURVES_MAX = 4, TLS_NAMED_MAX = 4 };

struct tls_identity {
	mbedtls_ssl_config config;
	mbedtls_x509_crt ca; /* a server's: those of clients, then those of front proxies */
	mbedtls_x509_crt certificate;
	mbedtls_pk_context key;
	uint32_t client_ca_count;
	bool server;
	bool made;
	bool any_time;
	struct wall valid_from, valid_to; /* any_time: of all certificates that were shown */
	uint32_t users;                   /* connections */
	int suites[TLS_SUITES_MAX + 1];   /* a server's, when they are limited */
	uint16_t groups[TLS_CURVES_MAX + 1];
	struct text names; /* of a certificate for names: see tls_named() */
	struct tls_identity *next;
};

/* PEM text with its terminating zero counted in size, as mbedTLS wants it; or TEXT_NONE. */
struct tls_pem {
	struct text ca, certificate, key;
	bool insecure_skip_verify;
	bool any_time;        /* of a client whose clock may be wrong: see tls_valid_at() */
	bool server;          /* then `ca` is that of clients, who may come without a certificate */
	struct text proxy_ca; /* of front proxies */
	const struct tls_limits *limits; /* of a server */
	struct text names;
	struct tls_identity *named; /* others, whose certificates are for names */
};

/* False with one line in `fault`; nothing is held then. */
MUST_USE bool tls_identity_make(
	struct tls_identity *identity, const struct tls_pem *pem, struct writer *fault);
void tls_identity_drop(struct tls_identity *identity);
/* limits.c: before the first handshake. */
MUST_USE bool tls_limit(
	struct tls_identity *identity, const struct tls_limits *limits, struct writer *fault);
/* named.c: the first of them that is for this name, the best before others; NULL: none. */
struct tls_identity *tls_named(struct tls_identity *first, struct text name);
void tls_named_use(struct tls_identity *identity, const struct tls_pem *pem);
/*
 * Of an identity that was made with any_time, once a handshake is done: whether the server's
 * certificates and their authority were good then. Everything else about them is proven.
 */
bool tls_valid_at(const struct tls_identity *identity, struct wall when);

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
	bool nameless; /* the server's certificate has no subject alternative name */
	bool by_client_ca, by_proxy_ca; /* of a client's certificate: who signed it */
	bool resumed;
	bool handshaking; /* counts in tls_handshakes() */
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

enum tls_proof {
	TLS_PROOF_NONE, /* no certificate was shown */
	TLS_PROOF_GOOD,
	TLS_PROOF_BAD /* one was shown that does not hold: no anonymous user either */
};
struct tls_client_names {
	enum tls_proof proof;
	bool by_client_ca, by_proxy_ca;
	struct text common_name;
	struct text organizations[TLS_ORGANIZATIONS_MAX];
	uint32_t organization_count;
};
/* What the client's certificate says; the texts are good for as long as the connection. */
void tls_client_names(const struct tls *tls, struct tls_client_names *names);
/* Says goodbye if there is room for it, and gives all memory back. Does not close the stream. */
void tls_stop(struct tls *tls);

#endif
