/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Certificates of version 3, EC P-256, SHA-256 (RFC 5280), written here because mbedTLS's writer
 * keeps one organization of several, and takes names as text with escapes.
 */
#include "tls/certificate.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mbedtls/asn1write.h>
#include <mbedtls/ecp.h>
#include <mbedtls/oid.h>
#include <mbedtls/pk.h>
#include <mbedtls/pem.h>
#include <mbedtls/platform_util.h>
#include <mbedtls/sha256.h>
#include <mbedtls/x509_crt.h>

#include "tls/tls.h"

enum {
	SERIAL_SIZE = 16,
	DER_MAX = TLS_PEM_MAX * 3 / 4,
	TIME_MAX = sizeof("20060102150405Z"),
	BEFORE_S = 3600, /* clocks differ */
	HASH_SIZE = 32,
	EXPLICIT = MBEDTLS_ASN1_CONTEXT_SPECIFIC | MBEDTLS_ASN1_CONSTRUCTED,
	SEQUENCE = MBEDTLS_ASN1_SEQUENCE | MBEDTLS_ASN1_CONSTRUCTED
};

/* What is written from its end to its beginning, as lengths come before what they count. */
struct der {
	unsigned char *at;
	bool failed;
	unsigned char bytes[DER_MAX];
};

static void der_init(struct der *der)
{
	der->at = der->bytes + sizeof(der->bytes);
	der->failed = false;
}

static size_t der_size(const struct der *der)
{
	return (size_t)(der->bytes + sizeof(der->bytes) - der->at);
}

static void der_put(struct der *der, int tag, const void *at, size_t size)
{
	der->failed = der->failed ||
		mbedtls_asn1_write_raw_buffer(&der->at, der->bytes, at, size) < 0 ||
		mbedtls_asn1_write_len(&der->at, der->bytes, size) < 0 ||
		mbedtls_asn1_write_tag(&der->at, der->bytes, (unsigned char)tag) < 0;
}

/* All that was written since the size was `before` becomes the contents of this. */
static void der_wrap(struct der *der, int tag, size_t before)
{
	der->failed = der->failed ||
		mbedtls_asn1_write_len(&der->at, der->bytes, der_size(der) - before) < 0 ||
		mbedtls_asn1_write_tag(&der->at, der->bytes, (unsigned char)tag) < 0;
}

static void der_wrap_extension(struct der *der, struct text oid, bool critical, size_t before)
{
	der_wrap(der, MBEDTLS_ASN1_OCTET_STRING, before);
	if (critical)
		der->failed = der->failed || mbedtls_asn1_write_bool(&der->at, der->bytes, 1) < 0;
	der_put(der, MBEDTLS_ASN1_OID, oid.at, oid.size);
	der_wrap(der, SEQUENCE, before);
}

static void put_attribute(struct der *der, struct text oid, const char *value)
{
	size_t before = der_size(der);

	der_put(der, MBEDTLS_ASN1_UTF8_STRING, value, strlen(value));
	der_put(der, MBEDTLS_ASN1_OID, oid.at, oid.size);
	der_wrap(der, SEQUENCE, before);
	der_wrap(der, MBEDTLS_ASN1_SET | MBEDTLS_ASN1_CONSTRUCTED, before);
}

static void put_subject(struct der *der, const struct tls_certificate_request *request)
{
	size_t before = der_size(der);
	uint32_t count = 0;

	if (request->common_name != NULL)
		put_attribute(der, TEXT(MBEDTLS_OID_AT_CN), request->common_name);
	while (request->organizations != NULL && request->organizations[count] != NULL)
		count++;
	while (count-- > 0)
		put_attribute(
			der, TEXT(MBEDTLS_OID_AT_ORGANIZATION), request->organizations[count]);
	der_wrap(der, SEQUENCE, before);
}

static void put_alternative_names(struct der *der, const char *const *names)
{
	size_t before = der_size(der);
	uint32_t count = 0;

	while (names != NULL && names[count] != NULL)
		count++;
	if (count == 0)
		return;
	while (count-- > 0) {
		struct net_address address;

		if (net_address_parse(text_of(names[count]), 0, &address))
			der_put(der, MBEDTLS_ASN1_CONTEXT_SPECIFIC | MBEDTLS_X509_SAN_IP_ADDRESS,
				address.bytes, address.family == 6 ? 16 : 4);
		else
			der_put(der, MBEDTLS_ASN1_CONTEXT_SPECIFIC | MBEDTLS_X509_SAN_DNS_NAME,
				names[count], strlen(names[count]));
	}
	der_wrap(der, SEQUENCE, before);
	der_wrap_extension(der, TEXT(MBEDTLS_OID_SUBJECT_ALT_NAME), false, before);
}

static void put_extensions(struct der *der, const struct tls_certificate_request *request)
{
	/* The first byte says how many bits at the end mean nothing. */
	static const unsigned char ca_usage[] = {
		1, MBEDTLS_X509_KU_KEY_CERT_SIGN | MBEDTLS_X509_KU_CRL_SIGN};
	static const unsigned char usage[] = {7, MBEDTLS_X509_KU_DIGITAL_SIGNATURE};
	struct text use =
		request->for_client ? TEXT(MBEDTLS_OID_CLIENT_AUTH) : TEXT(MBEDTLS_OID_SERVER_AUTH);
	size_t all = der_size(der), before;

	put_alternative_names(der, request->names);
	before = der_size(der);
	if (!request->is_ca) {
		der_put(der, MBEDTLS_ASN1_OID, use.at, use.size);
		der_wrap(der, SEQUENCE, before);
		der_wrap_extension(der, TEXT(MBEDTLS_OID_EXTENDED_KEY_USAGE), false, before);
		before = der_size(der);
	}
	der_put(der, MBEDTLS_ASN1_BIT_STRING, request->is_ca ? ca_usage : usage, sizeof(usage));
	der_wrap_extension(der, TEXT(MBEDTLS_OID_KEY_USAGE), true, before);
	before = der_size(der);
	if (request->is_ca)
		der->failed = der->failed || mbedtls_asn1_write_bool(&der->at, der->bytes, 1) < 0;
	der_wrap(der, SEQUENCE, before);
	der_wrap_extension(der, TEXT(MBEDTLS_OID_BASIC_CONSTRAINTS), true, before);
	der_wrap(der, SEQUENCE, all);
	der_wrap(der, EXPLICIT | 3, all);
}

/* RFC 5280: with two digits of the year until 2049. */
static void put_time(struct der *der, struct wall at)
{
	struct wall_date date = wall_date(at);
	bool is_short = date.year < 2050;
	char text[TIME_MAX + 1];
	struct writer w;

	writer_init(&w, text, sizeof(text));
	write_format(&w, "%04d%02d%02d%02d%02d%02dZ", (int)date.year, (int)date.month,
		(int)date.day, (int)date.hour, (int)date.minute, (int)date.second);
	der_put(der, is_short ? MBEDTLS_ASN1_UTC_TIME : MBEDTLS_ASN1_GENERALIZED_TIME,
		text + (is_short ? 2 : 0), w.used - (is_short ? 2 : 0));
}

static void put_validity(struct der *der, struct wall now, uint32_t days)
{
	size_t before = der_size(der);

	put_time(der, (struct wall){now.us + (int64_t)days * 86400 * CLOCK_S_US});
	put_time(der, (struct wall){now.us - (int64_t)BEFORE_S * CLOCK_S_US});
	der_wrap(der, SEQUENCE, before);
}

static void put_algorithm(struct der *der)
{
	size_t before = der_size(der);

	der_put(der, MBEDTLS_ASN1_OID, MBEDTLS_OID_ECDSA_SHA256,
		MBEDTLS_OID_SIZE(MBEDTLS_OID_ECDSA_SHA256));
	der_wrap(der, SEQUENCE, before);
}

struct maker {
	mbedtls_pk_context key, issuer_key;
	mbedtls_x509_crt issuer;
	struct der contents, whole;
};

static void put_public_key(struct der *der, const mbedtls_pk_context *key)
{
	int size = mbedtls_pk_write_pubkey_der(key, der->bytes, (size_t)(der->at - der->bytes));

	der->failed = der->failed || size < 0;
	if (!der->failed)
		der->at -= size;
}

/* What is signed. */
static bool write_contents(
	struct maker *m, const struct tls_certificate_request *request, struct wall now)
{
	struct der *der = &m->contents;
	unsigned char serial[SERIAL_SIZE];
	size_t before;

	if (tls_random(NULL, serial, sizeof(serial)) != 0)
		return false;
	serial[0] = (serial[0] & 0x7f) | 0x40; /* positive, of one length */
	der_init(der);
	put_extensions(der, request);
	put_public_key(der, &m->key);
	put_subject(der, request);
	put_validity(der, now, request->days);
	if (request->issuer == NULL)
		put_subject(der, request);
	else
		der->failed = der->failed ||
			mbedtls_asn1_write_raw_buffer(&der->at, der->bytes, m->issuer.subject_raw.p,
				m->issuer.subject_raw.len) < 0;
	put_algorithm(der);
	der_put(der, MBEDTLS_ASN1_INTEGER, serial, sizeof(serial));
	before = der_size(der);
	der->failed = der->failed || mbedtls_asn1_write_int(&der->at, der->bytes, 2) < 0;
	der_wrap(der, EXPLICIT | 0, before); /* version 3 */
	der_wrap(der, SEQUENCE, 0);
	return !der->failed;
}

static bool write_signed(struct maker *m, mbedtls_pk_context *key)
{
	unsigned char hash[HASH_SIZE], signature[1 + MBEDTLS_PK_SIGNATURE_MAX_SIZE];
	struct der *der = &m->whole;
	size_t size;

	signature[0] = 0; /* bits at the end that mean nothing */
	if (mbedtls_sha256(m->contents.at, der_size(&m->contents), hash, 0) != 0 ||
		mbedtls_pk_sign(key, MBEDTLS_MD_SHA256, hash, sizeof(hash), signature + 1,
			sizeof(signature) - 1, &size, tls_random, NULL) != 0)
		return false;
	der_init(der);
	der_put(der, MBEDTLS_ASN1_BIT_STRING, signature, 1 + size);
	put_algorithm(der);
	der->failed = der->failed ||
		mbedtls_asn1_write_raw_buffer(
			&der->at, der->bytes, m->contents.at, der_size(&m->contents)) < 0;
	der_wrap(der, SEQUENCE, 0);
	return !der->failed;
}

static bool make_key(struct maker *m)
{
	return mbedtls_pk_setup(&m->key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY)) == 0 &&
		mbedtls_ecp_gen_key(
			MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(m->key), tls_random, NULL) == 0;
}

static bool read_issuer(struct maker *m, const struct tls_certificate *issuer)
{
	return issuer == NULL ||
		(mbedtls_x509_crt_parse(&m->issuer, (const unsigned char *)issuer->certificate,
			 strlen(issuer->certificate) + 1) == 0 &&
			mbedtls_pk_parse_key(&m->issuer_key, (const unsigned char *)issuer->key,
				strlen(issuer->key) + 1, NULL, 0, tls_random, NULL) == 0);
}

static bool certificate_of_key(struct net *net, struct maker *m,
	const struct tls_certificate_request *request, struct tls_certificate *made)
{
	size_t size;

	return make_key(m) && read_issuer(m, request->issuer) &&
		write_contents(m, request, clock_wall(net_clock(net))) &&
		write_signed(m, request->issuer == NULL ? &m->key : &m->issuer_key) &&
		mbedtls_pem_write_buffer("-----BEGIN CERTIFICATE-----\n",
			"-----END CERTIFICATE-----\n", m->whole.at, der_size(&m->whole),
			(unsigned char *)made->certificate, sizeof(made->certificate),
			&size) == 0 &&
		mbedtls_pk_write_key_pem(&m->key, (unsigned char *)made->key, sizeof(made->key)) ==
		0;
}

bool tls_certificate_make(struct net *net, const struct tls_certificate_request *request,
	struct tls_certificate *made, struct writer *fault)
{
	struct maker m;

	CHECK(tls_is_set_up());
	mbedtls_pk_init(&m.key);
	mbedtls_pk_init(&m.issuer_key);
	mbedtls_x509_crt_init(&m.issuer);
	bool good = certificate_of_key(net, &m, request, made);
	mbedtls_pk_free(&m.key);
	mbedtls_pk_free(&m.issuer_key);
	mbedtls_x509_crt_free(&m.issuer);
	if (!good) {
		mbedtls_platform_zeroize(made, sizeof(*made));
		write_format(fault, "no certificate can be made for %s",
			request->common_name == NULL ? "an empty name" : request->common_name);
	}
	return good;
}

/* ---- keeping it ---- */

static bool certificate_write_file(
	const char *path, mode_t mode, const char *pem, struct writer *fault)
{
	size_t size = strlen(pem);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	bool written = fd >= 0 && write(fd, pem, size) == (ssize_t)size && fsync(fd) == 0;

	if (!written)
		write_format(fault, "%s: %s", path, strerror(errno));
	if (fd >= 0 && close(fd) != 0)
		written = false;
	if (fd >= 0 && !written)
		(void)unlink(path);
	return written;
}

bool tls_certificate_save(const struct tls_certificate *made, const char *certificate_file,
	const char *key_file, struct writer *fault)
{
	if (!certificate_write_file(key_file, 0600, made->key, fault))
		return false;
	if (certificate_write_file(certificate_file, 0644, made->certificate, fault))
		return true;
	(void)unlink(key_file);
	return false;
}
