/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TLS by mbedTLS: handshake, reading, writing, resumption.
 *
 * The fence, as measured against a Go server and by tests/net/test_tls.c (64-bit):
 *
 *	an open connection	27.2 kB: the receive buffer of one record, 16.7 kB (a server may
 *				send that much); the send buffer, 4.4 kB; keys, session and the
 *				server's chain, 6 kB
 *	of our server		24.3 kB: the same buffers, no chain of the other side; up to 31 kB
 *				when the client showed a certificate with an RSA key of 2048
 *				bits, 34 kB with 4096
 *	a handshake under way	3 kB more with EC certificates, 6 kB with RSA; at most
 *				TLS_HANDSHAKES_MAX of our clients at a time, and as many of
 *				our servers as TLS_SERVER_HANDSHAKES_MAX says
 *	an identity		2 kB (EC) to 5 kB (RSA) for each client: CA, own chain, key;
 *				twice while it is replaced
 *	base			PEM files while they are read (SECRET_PEM_MAX), identities,
 *				fragmentation
 */
#include "tls/tls.h"

#include <stdarg.h>
#include <string.h>

#include <mbedtls/asn1.h>
#include <mbedtls/error.h>
#include <mbedtls/oid.h>
#include <mbedtls/platform.h>
#include <psa/crypto.h>

#include "base/check.h"
#include "base/format.h"
#include "base/fence.h"

enum {
	TLS_CONNECTION_SIZE = 28 * 1024,
	/* More than its part of the sum, out of the base: clients with RSA certificates need it. */
	TLS_SERVED_SIZE = 32 * 1024,
	TLS_HANDSHAKE_SIZE = 12 * 1024,
	TLS_BASE_SIZE = 96 * 1024,
	TLS_STALLS_MAX = 4
};

/* mbedTLS has one allocator and one source of entropy per process, and so have we. */
static struct {
	struct fence fence;
	struct entropy entropy;
	bool set;
	uint32_t reserved;      /* connections of servers */
	uint32_t serving;       /* of them, under way */
	uint64_t served;        /* bytes that these use */
	uint64_t before;        /* bytes that all used when a call began */
	uint32_t handshakes[2]; /* under way: of clients, of servers */
} process;

static void *tls_calloc(size_t count, size_t size)
{
	return fence_take(&process.fence, count, size);
}

static void tls_free(void *pointer)
{
	fence_give(&process.fence, pointer);
}

psa_status_t mbedtls_psa_external_get_random(mbedtls_psa_external_random_context_t *context,
	uint8_t *output, size_t output_size, size_t *output_length)
{
	(void)context;
	if (!process.entropy.fill(process.entropy.self, output, output_size))
		return PSA_ERROR_INSUFFICIENT_ENTROPY;
	*output_length = output_size;
	return PSA_SUCCESS;
}

/* What mbedTLS has for snprintf(): see vendor/mbedtls/mbedtls_config.h. */
int tls_format(char *to, size_t size, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	size_t used = size == 0 ? 0 : format_into(to, size - 1, format, args);
	va_end(args);
	if (size > 0)
		to[used < size ? used : size - 1] = '\0';
	return (int)used;
}

int tls_random(void *context, unsigned char *output, size_t size)
{
	(void)context;
	if (!process.entropy.fill(process.entropy.self, output, size))
		return MBEDTLS_ERR_SSL_INTERNAL_ERROR;
	return 0;
}

static size_t tls_fence_size(uint32_t connections_max)
{
	return (size_t)connections_max * TLS_CONNECTION_SIZE +
		(TLS_HANDSHAKES_MAX + TLS_SERVER_HANDSHAKES_MAX) * TLS_HANDSHAKE_SIZE +
		TLS_BASE_SIZE;
}

size_t tls_setup_size(uint32_t connections_max)
{
	return connections_max == 0 ? 0 : tls_fence_size(connections_max) + 16;
}

void tls_setup(struct arena *arena, uint32_t connections_max, struct entropy entropy)
{
	size_t size = tls_fence_size(connections_max);

	CHECK(!process.set);
	if (connections_max == 0)
		return;
	process.set = true;
	process.entropy = entropy;
	process.reserved = process.serving = 0;
	process.served = 0;
	process.handshakes[0] = process.handshakes[1] = 0;
	fence_init(&process.fence, "tls", arena_take(arena, size), size);
	mbedtls_platform_set_calloc_free(tls_calloc, tls_free);
	CHECK(psa_crypto_init() == PSA_SUCCESS);
}

void tls_teardown(void)
{
	if (!process.set)
		return;
	mbedtls_psa_crypto_free();
	fence_close(&process.fence);
	process.set = false;
}

bool tls_is_set_up(void)
{
	return process.set;
}

uint32_t tls_handshakes(bool server)
{
	return process.handshakes[server];
}

struct store *tls_fence(void)
{
	CHECK(process.set);
	return &process.fence.store;
}

/* ---- strangers' share ---- */

void tls_reserve(uint32_t server_connections)
{
	process.reserved += server_connections;
}

void tls_release(uint32_t server_connections)
{
	CHECK(process.reserved >= server_connections);
	process.reserved -= server_connections;
}

/*
 * mbedTLS keeps a client's chain, up to 16 kB of certificates of anybody's making, and does not
 * say so before. What calls for a server's connection take and give is counted between these two.
 */
static void begin_call(const struct tls *tls)
{
	uint64_t share = (uint64_t)process.reserved * TLS_SERVED_SIZE +
		(process.reserved > 0 ? TLS_SERVER_HANDSHAKES_MAX * TLS_HANDSHAKE_SIZE : 0);

	process.before = process.fence.store.budget.used;
	if (tls->identity->server)
		fence_limit(&process.fence,
			process.before + (share > process.served ? share - process.served : 0));
}

static void end_call(const struct tls *tls)
{
	uint64_t after = process.fence.store.budget.used;

	if (!tls->identity->server)
		return;
	fence_limit(&process.fence, UINT64_MAX);
	if (after >= process.before)
		process.served += after - process.before;
	else
		process.served -= process.before - after < process.served ? process.before - after
									  : process.served;
}

/* ---- identity ---- */

static const char *pem_fault(int code)
{
	if (code == MBEDTLS_ERR_X509_ALLOC_FAILED || code == MBEDTLS_ERR_PK_ALLOC_FAILED)
		return "no memory";
	if (code == MBEDTLS_ERR_PK_PASSWORD_REQUIRED || code == MBEDTLS_ERR_PK_PASSWORD_MISMATCH)
		return "it is encrypted";
	return "not PEM, or of a kind that is not supported";
}

static bool make_chain(
	mbedtls_x509_crt *chain, struct text pem, const char *what, struct writer *fault)
{
	int code = mbedtls_x509_crt_parse(chain, (const unsigned char *)pem.at, pem.size);

	if (code == 0)
		return true;
	if (code > 0)
		write_format(fault, "%s: %d of its certificates cannot be read", what, code);
	else
		write_format(fault, "%s: %s", what, pem_fault(code));
	return false;
}

static bool make_own(struct tls_identity *identity, const struct tls_pem *pem, struct writer *fault)
{
	const char *who = pem->server ? "server" : "client";

	if (!make_chain(&identity->certificate, pem->certificate,
		    pem->server ? "server certificate" : "client certificate", fault))
		return false;
	int code = mbedtls_pk_parse_key(&identity->key, (const unsigned char *)pem->key.at,
		pem->key.size, NULL, 0, tls_random, NULL);
	if (code != 0) {
		write_format(fault, "%s key: %s", who, pem_fault(code));
		return false;
	}
	if (mbedtls_pk_check_pair(&identity->certificate.pk, &identity->key, tls_random, NULL) !=
		0) {
		write_format(fault, "%s key: it does not belong to the %s certificate", who, who);
		return false;
	}
	if (mbedtls_ssl_conf_own_cert(&identity->config, &identity->certificate, &identity->key) !=
		0) {
		write_format(fault, "%s certificate: no memory", who);
		return false;
	}
	return true;
}

static bool set_client(
	struct tls_identity *identity, const struct tls_pem *pem, struct writer *fault)
{
	/* The share of the first is sent; for P-256 the library needs a quarter less. */
	static const uint16_t groups[] = {MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1,
		MBEDTLS_SSL_IANA_TLS_GROUP_X25519, MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1,
		MBEDTLS_SSL_IANA_TLS_GROUP_SECP521R1, 0};
	mbedtls_ssl_config *config = &identity->config;
	mbedtls_ssl_conf_groups(config, groups);
	mbedtls_ssl_conf_authmode(config,
		pem->insecure_skip_verify ? MBEDTLS_SSL_VERIFY_NONE : MBEDTLS_SSL_VERIFY_REQUIRED);
	mbedtls_ssl_conf_session_tickets(config, MBEDTLS_SSL_SESSION_TICKETS_ENABLED);
	mbedtls_ssl_conf_tls13_enable_signal_new_session_tickets(
		config, MBEDTLS_SSL_TLS1_3_SIGNAL_NEW_SESSION_TICKETS_ENABLED);
	if (pem->ca.at != NULL) {
		if (!make_chain(&identity->ca, pem->ca, "certificate authority", fault))
			return false;
		mbedtls_ssl_conf_ca_chain(config, &identity->ca, NULL);
	}
	return pem->certificate.at == NULL || make_own(identity, pem, fault);
}

static uint32_t chain_count(const mbedtls_x509_crt *chain)
{
	uint32_t count = 0;

	for (; chain != NULL && chain->raw.p != NULL; chain = chain->next)
		count++;
	return count;
}

/*
 * Sessions are not resumed: whom a ticket speaks for would have to be stored with it, and a server
 * of a handful of clients that keep their connections has little to gain.
 */
static bool set_server(
	struct tls_identity *identity, const struct tls_pem *pem, struct writer *fault)
{
	static const char *protocols[] = {"http/1.1", NULL};
	mbedtls_ssl_config *config = &identity->config;

	CHECK(pem->certificate.at != NULL);
	CHECK(pem->key.at != NULL);
	if (mbedtls_ssl_conf_alpn_protocols(config, protocols) != 0) {
		write_z(fault, "TLS: no memory");
		return false;
	}
	if (pem->limits != NULL && !tls_limit(identity, pem->limits, fault))
		return false;
	mbedtls_ssl_conf_authmode(config, MBEDTLS_SSL_VERIFY_NONE);
	if (pem->ca.at != NULL) {
		if (!make_chain(&identity->ca, pem->ca, "certificate authority of clients", fault))
			return false;
		identity->client_ca_count = chain_count(&identity->ca);
	}
	if (pem->proxy_ca.at != NULL &&
		!make_chain(&identity->ca, pem->proxy_ca, "certificate authority of front proxies",
			fault))
		return false;
	/* Optional for mbedTLS: a bad one is answered with 401, which people can read. */
	if (identity->ca.raw.p != NULL) {
		mbedtls_ssl_conf_ca_chain(config, &identity->ca, NULL);
		mbedtls_ssl_conf_authmode(config, MBEDTLS_SSL_VERIFY_OPTIONAL);
	}
	tls_named_use(identity, pem);
	return make_own(identity, pem, fault);
}

static bool make_identity(
	struct tls_identity *identity, const struct tls_pem *pem, struct writer *fault)
{
	int endpoint = pem->server ? MBEDTLS_SSL_IS_SERVER : MBEDTLS_SSL_IS_CLIENT;

	if (mbedtls_ssl_config_defaults(&identity->config, endpoint, MBEDTLS_SSL_TRANSPORT_STREAM,
		    MBEDTLS_SSL_PRESET_DEFAULT) != 0) {
		write_z(fault, "TLS: no memory");
		return false;
	}
	mbedtls_ssl_conf_rng(&identity->config, tls_random, NULL);
	identity->server = pem->server;
	identity->any_time = pem->any_time && !pem->server;
	identity->valid_from = (struct wall){INT64_MIN};
	identity->valid_to = (struct wall){INT64_MAX};
	return pem->server ? set_server(identity, pem, fault) : set_client(identity, pem, fault);
}

bool tls_identity_make(
	struct tls_identity *identity, const struct tls_pem *pem, struct writer *fault)
{
	CHECK(!identity->made);
	memset(identity, 0, sizeof(*identity));
	mbedtls_ssl_config_init(&identity->config);
	mbedtls_x509_crt_init(&identity->ca);
	mbedtls_x509_crt_init(&identity->certificate);
	mbedtls_pk_init(&identity->key);
	identity->made = true;
	if (make_identity(identity, pem, fault))
		return true;
	tls_identity_drop(identity);
	return false;
}

void tls_identity_drop(struct tls_identity *identity)
{
	CHECK(identity->users == 0);
	if (!identity->made)
		return;
	mbedtls_ssl_config_free(&identity->config);
	mbedtls_x509_crt_free(&identity->ca);
	mbedtls_x509_crt_free(&identity->certificate);
	mbedtls_pk_free(&identity->key);
	identity->made = false;
}

/* ---- faults in words ---- */

static void verify_fault(struct writer *w, uint32_t flags, bool nameless)
{
	static const struct {
		uint32_t flag;
		const char *words;
	} faults[] = {
		{MBEDTLS_X509_BADCERT_EXPIRED, "it has expired"},
		{MBEDTLS_X509_BADCERT_FUTURE, "it is not valid yet (is the clock right?)"},
		{MBEDTLS_X509_BADCERT_NOT_TRUSTED, "it is not signed by the certificate authority"},
		{MBEDTLS_X509_BADCERT_OTHER, "its authority's name constraints are not supported"},
		{MBEDTLS_X509_BADCERT_CN_MISMATCH, "it is for another name"},
		{MBEDTLS_X509_BADCERT_BAD_KEY, "its key is too weak"},
		{MBEDTLS_X509_BADCERT_BAD_MD, "its signature is too weak"},
		{MBEDTLS_X509_BADCERT_KEY_USAGE, "its key may not be used for this"},
		{MBEDTLS_X509_BADCERT_EXT_KEY_USAGE, "it is not for servers"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(faults); i++) {
		if ((flags & faults[i].flag) != 0) {
			write_format(w, "server certificate: %s",
				nameless && faults[i].flag == MBEDTLS_X509_BADCERT_CN_MISMATCH
					? "it names no host (no subject alternative name)"
					: faults[i].words);
			return;
		}
	}
	write_format(w, "server certificate: refused (flags 0x%x)", (unsigned)flags);
}

static const char *other(const struct tls *tls)
{
	return tls->identity->server ? "client" : "server";
}

static void end_handshake(struct tls *tls)
{
	if (tls->handshaking)
		process.handshakes[tls->identity->server]--;
	tls->handshaking = false;
}

static enum tls_step tls_fail(struct tls *tls, int code)
{
	struct writer w;

	writer_init(&w, tls->fault, sizeof(tls->fault) - 1);
	switch (code) {
	case MBEDTLS_ERR_X509_CERT_VERIFY_FAILED:
		verify_fault(&w, mbedtls_ssl_get_verify_result(&tls->ssl), tls->nameless);
		break;
	case MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE:
		write_format(&w, "the %s refused the handshake, or the certificate shown to it",
			other(tls));
		break;
	case MBEDTLS_ERR_SSL_ALLOC_FAILED:
	case MBEDTLS_ERR_X509_ALLOC_FAILED:
	case MBEDTLS_ERR_PK_ALLOC_FAILED:
	case MBEDTLS_ERR_MPI_ALLOC_FAILED:
	case MBEDTLS_ERR_ECP_ALLOC_FAILED: write_z(&w, "no memory in the fence of TLS"); break;
	case MBEDTLS_ERR_SSL_CONN_EOF: write_z(&w, "the connection was cut"); break;
	case MBEDTLS_ERR_SSL_INVALID_RECORD:
		write_format(&w, "the %s does not speak TLS", other(tls));
		break;
	default: write_format(&w, "TLS error -0x%04x", (unsigned)-code); break;
	}
	tls->fault[w.used] = '\0';
	return TLS_FAILED;
}

/* ---- verification of an address ---- */

/*
 * mbedTLS would send an address as the server's name, which RFC 6066 forbids, so it is not told
 * the address; the certificate's subject alternative names are compared here.
 */
static bool has_address(const mbedtls_x509_crt *certificate, const struct net_address *address)
{
	size_t size = address->family == 6 ? 16 : 4;

	for (const mbedtls_x509_sequence *name = &certificate->subject_alt_names; name != NULL;
		name = name->next)
		if (name->buf.tag ==
				(MBEDTLS_ASN1_CONTEXT_SPECIFIC | MBEDTLS_X509_SAN_IP_ADDRESS) &&
			name->buf.len == size && memcmp(name->buf.p, address->bytes, size) == 0)
			return true;
	return false;
}

/* The first one of a chain that we are shown is what it hangs on; it may be in both lists. */
static void note_authority(struct tls *tls, const mbedtls_x509_crt *certificate)
{
	const mbedtls_x509_crt *ca = &tls->identity->ca;

	for (uint32_t i = 0; ca != NULL; ca = ca->next, i++) {
		if (ca->raw.len != certificate->raw.len ||
			memcmp(ca->raw.p, certificate->raw.p, ca->raw.len) != 0)
			continue;
		if (i < tls->identity->client_ca_count)
			tls->by_client_ca = true;
		else
			tls->by_proxy_ca = true;
	}
}

/*
 * mbedTLS refuses a certificate whose name constraints are critical, and does not look at others:
 * an authority that was trusted with some names only would have all of them.
 */
static bool has_name_constraints(const mbedtls_x509_crt *certificate)
{
	static const uint8_t oid[] = {0x55, 0x1d, 0x1e};
	unsigned char *at = certificate->v3_ext.p;
	const unsigned char *end = at == NULL ? NULL : at + certificate->v3_ext.len;
	size_t size;

	if (at == NULL ||
		mbedtls_asn1_get_tag(
			&at, end, &size, MBEDTLS_ASN1_CONSTRUCTED | MBEDTLS_ASN1_SEQUENCE) != 0)
		return false;
	while (at < end &&
		mbedtls_asn1_get_tag(
			&at, end, &size, MBEDTLS_ASN1_CONSTRUCTED | MBEDTLS_ASN1_SEQUENCE) == 0) {
		unsigned char *extension = at;
		const unsigned char *extension_end = at + size;

		at += size;
		if (mbedtls_asn1_get_tag(&extension, extension_end, &size, MBEDTLS_ASN1_OID) == 0 &&
			size == sizeof(oid) && memcmp(extension, oid, size) == 0)
			return true;
	}
	return false;
}

static struct wall wall_of_certificate(const mbedtls_x509_time *t)
{
	return wall_from_date((struct wall_date){.year = t->year,
		.month = t->mon,
		.day = t->day,
		.hour = t->hour,
		.minute = t->min,
		.second = t->sec});
}

static void narrow_validity(struct tls_identity *identity, const mbedtls_x509_crt *certificate)
{
	struct wall from = wall_of_certificate(&certificate->valid_from);
	struct wall to = wall_of_certificate(&certificate->valid_to);

	if (identity->valid_from.us < from.us)
		identity->valid_from = from;
	if (identity->valid_to.us > to.us)
		identity->valid_to = to;
}

bool tls_valid_at(const struct tls_identity *identity, struct wall when)
{
	return identity->any_time && identity->valid_from.us != INT64_MIN &&
		when.us >= identity->valid_from.us && when.us <= identity->valid_to.us;
}

static int verify(void *self, mbedtls_x509_crt *certificate, int depth, uint32_t *flags)
{
	struct tls *tls = self;

	if (depth > 0 && has_name_constraints(certificate))
		*flags |= MBEDTLS_X509_BADCERT_OTHER;
	if (tls->identity->server) {
		if (!tls->certificate_seen)
			note_authority(tls, certificate);
		tls->certificate_seen = true;
		return 0;
	}
	tls->certificate_seen = true;
	if (tls->identity->any_time) {
		narrow_validity(tls->identity, certificate);
		*flags &= ~(uint32_t)(MBEDTLS_X509_BADCERT_EXPIRED | MBEDTLS_X509_BADCERT_FUTURE);
	}
	if (depth == 0 && tls->peer->address.family != 0 &&
		!has_address(certificate, &tls->peer->address))
		*flags |= MBEDTLS_X509_BADCERT_CN_MISMATCH;
	/* mbedTLS would take the common name, which for ten years no other client has. */
	if (depth == 0 &&
		mbedtls_x509_crt_has_ext_type(certificate, MBEDTLS_X509_EXT_SUBJECT_ALT_NAME) ==
			0) {
		tls->nameless = true;
		*flags |= MBEDTLS_X509_BADCERT_CN_MISMATCH;
	}
	return 0;
}

bool tls_peer_set(struct tls_peer *peer, struct text name)
{
	*peer = (struct tls_peer){.address = {.family = 0}};
	if (net_address_parse(name, 0, &peer->address))
		return true;
	/* A trailing dot makes a name absolute for DNS; certificates are without. */
	if (name.size > 0 && name.at[name.size - 1] == '.')
		name = text_first(name, name.size - 1);
	return name.size > 0 && text_find(name, '\0') == name.size &&
		text_copy(name, peer->name, sizeof(peer->name));
}

/* ---- one connection ---- */

static int bio_send(void *self, const unsigned char *bytes, size_t size)
{
	const struct tls *tls = self;
	size_t sent = tls->bytes->send(tls->bytes->self, tls->stream, bytes, size);

	if (sent > 0)
		return (int)sent;
	if (tls->bytes->state(tls->bytes->self, tls->stream) != NET_STREAM_OPEN)
		return MBEDTLS_ERR_SSL_CONN_EOF;
	return MBEDTLS_ERR_SSL_WANT_WRITE;
}

static int bio_receive(void *self, unsigned char *to, size_t size)
{
	const struct tls *tls = self;
	struct text bytes = tls->bytes->received(tls->bytes->self, tls->stream);

	if (bytes.size == 0) {
		if (tls->bytes->state(tls->bytes->self, tls->stream) == NET_STREAM_OPEN)
			return MBEDTLS_ERR_SSL_WANT_READ;
		return MBEDTLS_ERR_SSL_CONN_EOF;
	}
	size = size < bytes.size ? size : bytes.size;
	memcpy(to, bytes.at, size);
	tls->bytes->drop(tls->bytes->self, tls->stream, size);
	return (int)size;
}

static void use_ticket(struct tls *tls)
{
	mbedtls_ssl_session session;

	if (tls->ticket->size == 0)
		return;
	if (mono_since_us(tls->now, tls->ticket->since) >
		(int64_t)TLS_TICKET_AGE_MAX_S * CLOCK_S_US) {
		tls->ticket->size = 0;
		return;
	}
	/* Whatever fails here costs a full handshake and nothing else. */
	mbedtls_ssl_session_init(&session);
	if (mbedtls_ssl_session_load(&session, tls->ticket->bytes, tls->ticket->size) != 0 ||
		mbedtls_ssl_set_session(&tls->ssl, &session) != 0)
		tls->ticket->size = 0;
	mbedtls_ssl_session_free(&session);
}

static void keep_ticket(struct tls *tls)
{
	mbedtls_ssl_session session;
	size_t size = 0;

	mbedtls_ssl_session_init(&session);
	if (mbedtls_ssl_get_session(&tls->ssl, &session) == 0 &&
		mbedtls_ssl_session_save(
			&session, tls->ticket->bytes, sizeof(tls->ticket->bytes), &size) == 0) {
		/* A resumed session goes on from when its certificate was seen. */
		if (tls->certificate_seen || tls->ticket->size == 0)
			tls->ticket->since = tls->now;
		tls->ticket->size = size;
	}
	mbedtls_ssl_session_free(&session);
}

static bool tls_begin(struct tls *tls)
{
	CHECK(tls->identity->made);
	tls->identity->users++;
	tls->handshaking = true;
	process.handshakes[tls->identity->server]++;
	mbedtls_ssl_init(&tls->ssl);
	begin_call(tls);
	int code = mbedtls_ssl_setup(&tls->ssl, &tls->identity->config);
	end_call(tls);
	if (code == 0 && tls->peer != NULL)
		code = mbedtls_ssl_set_hostname(
			&tls->ssl, tls->peer->address.family != 0 ? NULL : tls->peer->name);
	if (code != 0) {
		tls_fail(tls, code);
		return false;
	}
	mbedtls_ssl_set_verify(&tls->ssl, verify, tls);
	mbedtls_ssl_set_bio(&tls->ssl, tls, bio_send, bio_receive, NULL);
	return true;
}

bool tls_start(struct tls *tls, struct tls_identity *identity, const struct tls_peer *peer,
	struct tls_ticket *ticket, const struct net_bytes *bytes, uint32_t stream, struct mono now)
{
	CHECK(tls->identity == NULL);
	CHECK(!identity->server);
	*tls = (struct tls){.bytes = bytes,
		.stream = stream,
		.identity = identity,
		.peer = peer,
		.ticket = ticket,
		.now = now};
	if (!tls_begin(tls))
		return false;
	use_ticket(tls);
	return true;
}

bool tls_start_server(struct tls *tls, struct tls_identity *identity, const struct net_bytes *bytes,
	uint32_t stream, struct mono now)
{
	CHECK(tls->identity == NULL);
	CHECK(identity->server);
	*tls = (struct tls){.bytes = bytes, .stream = stream, .identity = identity, .now = now};
	process.serving++;
	return tls_begin(tls);
}

static bool waits(int code)
{
	return code == MBEDTLS_ERR_SSL_WANT_READ || code == MBEDTLS_ERR_SSL_WANT_WRITE;
}

/*
 * A ticket of TLS 1.3 interrupts whatever call meets it: mbedTLS then says that it wants bytes
 * although it has some, or that there is a ticket; either way the call is to be made again.
 */
static bool call_again(struct tls *tls, int code, size_t *left, uint32_t *stalls)
{
	if (code == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET && tls->ticket != NULL) {
		keep_ticket(tls);
		return true;
	}
	if (code != MBEDTLS_ERR_SSL_WANT_READ)
		return false;
	size_t now = tls->bytes->received(tls->bytes->self, tls->stream).size;
	*stalls = now < *left ? 0 : *stalls + 1;
	*left = now;
	return (now > 0 || mbedtls_ssl_check_pending(&tls->ssl) != 0) && *stalls < TLS_STALLS_MAX;
}

/* One message of it at a time: each may be milliseconds of arithmetic that the peer chose. */
static enum tls_step server_handshake(struct tls *tls)
{
	size_t before = tls->bytes->received(tls->bytes->self, tls->stream).size;
	begin_call(tls);
	int code = mbedtls_ssl_handshake_step(&tls->ssl);
	end_call(tls);
	size_t left = tls->bytes->received(tls->bytes->self, tls->stream).size;

	/* What has been received already will not wake anybody. */
	if (waits(code))
		return left > 0 && left < before ? TLS_AGAIN : TLS_WAIT;
	if (code != 0)
		return tls_fail(tls, code);
	return mbedtls_ssl_is_handshake_over(&tls->ssl) == 1 ? TLS_DONE : TLS_AGAIN;
}

static enum tls_step client_handshake(struct tls *tls)
{
	uint32_t stalls = 0;
	size_t left = 0;
	int code;

	do
		code = mbedtls_ssl_handshake(&tls->ssl);
	while (call_again(tls, code, &left, &stalls));
	if (waits(code))
		return TLS_WAIT;
	if (code != 0) {
		/* A ticket that the server chokes on must not be tried for ever. */
		tls->ticket->size = 0;
		return tls_fail(tls, code);
	}
	tls->resumed = tls->ticket->size > 0 && !tls->certificate_seen;
	if (mbedtls_ssl_get_version_number(&tls->ssl) == MBEDTLS_SSL_VERSION_TLS1_2)
		keep_ticket(tls);
	return TLS_DONE;
}

enum tls_step tls_handshake(struct tls *tls, struct mono now)
{
	tls->now = now;
	enum tls_step step = tls->identity->server ? server_handshake(tls) : client_handshake(tls);
	if (step == TLS_DONE)
		end_handshake(tls);
	return step;
}

enum tls_step tls_read(struct tls *tls, void *to, size_t size, size_t *got)
{
	uint32_t stalls = 0;
	size_t left = 0;
	int code;

	begin_call(tls);
	do
		code = mbedtls_ssl_read(&tls->ssl, to, size);
	while (call_again(tls, code, &left, &stalls));
	end_call(tls);
	*got = code > 0 ? (size_t)code : 0;
	if (code > 0 || waits(code))
		return code > 0 ? TLS_DONE : TLS_WAIT;
	if (code == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY)
		return TLS_END;
	return tls_fail(tls, code == 0 ? MBEDTLS_ERR_SSL_CONN_EOF : code);
}

enum tls_step tls_write(struct tls *tls, const void *bytes, size_t size, size_t *sent)
{
	uint32_t stalls = 0;
	size_t left = 0;
	int code;

	begin_call(tls);
	do
		code = mbedtls_ssl_write(&tls->ssl, bytes, size);
	while (call_again(tls, code, &left, &stalls));
	end_call(tls);
	*sent = code > 0 ? (size_t)code : 0;
	if (code >= 0)
		return TLS_DONE;
	return waits(code) ? TLS_WAIT : tls_fail(tls, code);
}

void tls_stop(struct tls *tls)
{
	if (tls->identity == NULL)
		return;
	end_handshake(tls);
	if (mbedtls_ssl_is_handshake_over(&tls->ssl) == 1)
		(void)mbedtls_ssl_close_notify(&tls->ssl);
	begin_call(tls);
	mbedtls_ssl_free(&tls->ssl);
	end_call(tls);
	/* What PSA keeps for the process has no owner. */
	if (tls->identity->server && --process.serving == 0)
		process.served = 0;
	CHECK(tls->identity->users > 0);
	tls->identity->users--;
	tls->identity = NULL;
}
