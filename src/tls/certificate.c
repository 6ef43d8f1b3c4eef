/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Certificates made by mbedTLS: version 3, EC P-256, SHA-256.
 */
#include "tls/certificate.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mbedtls/ecp.h>
#include <mbedtls/oid.h>
#include <mbedtls/pk.h>
#include <mbedtls/platform_util.h>
#include <mbedtls/x509_crt.h>

#include "tls/tls.h"

enum {
	SERIAL_SIZE = 16,
	ATTRIBUTE_MAX = 256,
	ISSUER_MAX = 512,
	TIME_MAX = sizeof("20060102150405"),
	BEFORE_S = 3600 /* clocks differ */
};

struct maker {
	mbedtls_x509write_cert certificate;
	mbedtls_pk_context key, issuer_key;
	mbedtls_x509_crt issuer;
	char issued_by[ISSUER_MAX];
	mbedtls_x509_san_list names[TLS_CERTIFICATE_NAMES_MAX];
	struct net_address addresses[TLS_CERTIFICATE_NAMES_MAX];
};

static void maker_init(struct maker *m)
{
	mbedtls_x509write_crt_init(&m->certificate);
	mbedtls_pk_init(&m->key);
	mbedtls_pk_init(&m->issuer_key);
	mbedtls_x509_crt_init(&m->issuer);
}

static void maker_free(struct maker *m)
{
	mbedtls_x509write_crt_free(&m->certificate);
	mbedtls_pk_free(&m->key);
	mbedtls_pk_free(&m->issuer_key);
	mbedtls_x509_crt_free(&m->issuer);
}

/* mbedTLS reads names as "CN=a,O=b", with a backslash before what would end one. */
static bool add_attribute(mbedtls_asn1_named_data **names, const char *kind, const char *value)
{
	char text[ATTRIBUTE_MAX];
	struct writer w;

	writer_init(&w, text, sizeof(text) - 1);
	write_z(&w, kind);
	for (; *value != '\0'; value++) {
		if (strchr(",=+<>#;\"\\", *value) != NULL)
			write_char(&w, '\\');
		write_char(&w, *value);
	}
	text[w.used] = '\0';
	/* One at a time and put last: of two of a kind in one text it keeps the second only. */
	while (*names != NULL)
		names = &(*names)->next;
	return !w.overflowed && mbedtls_x509_string_to_names(names, text) == 0;
}

/* Written from its end, so what comes last is added first. */
static bool make_name(
	mbedtls_asn1_named_data **names, const struct tls_certificate_request *request)
{
	uint32_t count = 0;

	if (request->common_name != NULL && !add_attribute(names, "CN=", request->common_name))
		return false;
	while (request->organizations != NULL && request->organizations[count] != NULL)
		count++;
	while (count-- > 0)
		if (!add_attribute(names, "O=", request->organizations[count]))
			return false;
	return true;
}

static bool set_issuer(struct maker *m, const struct tls_certificate_request *request)
{
	const struct tls_certificate *issuer = request->issuer;

	if (issuer == NULL) {
		mbedtls_x509write_crt_set_issuer_key(&m->certificate, &m->key);
		return make_name(&m->certificate.MBEDTLS_PRIVATE(issuer), request);
	}
	mbedtls_x509write_crt_set_issuer_key(&m->certificate, &m->issuer_key);
	return mbedtls_x509_crt_parse(&m->issuer, (const unsigned char *)issuer->certificate,
		       strlen(issuer->certificate) + 1) == 0 &&
		mbedtls_pk_parse_key(&m->issuer_key, (const unsigned char *)issuer->key,
			strlen(issuer->key) + 1, NULL, 0, tls_random, NULL) == 0 &&
		mbedtls_x509_dn_gets(m->issued_by, sizeof(m->issued_by), &m->issuer.subject) > 0 &&
		mbedtls_x509write_crt_set_issuer_name(&m->certificate, m->issued_by) == 0;
}

static bool set_names(struct maker *m, const char *const *names)
{
	uint32_t count = 0;

	for (; names != NULL && *names != NULL; names++, count++) {
		if (count == TLS_CERTIFICATE_NAMES_MAX)
			return false;
		mbedtls_x509_subject_alternative_name *node = &m->names[count].node;
		struct net_address *address = &m->addresses[count];
		if (net_address_parse(text_of(*names), 0, address)) {
			node->type = MBEDTLS_X509_SAN_IP_ADDRESS;
			node->san.unstructured_name.p = address->bytes;
			node->san.unstructured_name.len = address->family == 6 ? 16 : 4;
		} else {
			/* mbedTLS does not say that it only reads it */
			node->type = MBEDTLS_X509_SAN_DNS_NAME;
			node->san.unstructured_name.p = (unsigned char *)(uintptr_t)*names;
			node->san.unstructured_name.len = strlen(*names);
		}
		if (count > 0)
			m->names[count - 1].next = &m->names[count];
	}
	return count == 0 ||
		mbedtls_x509write_crt_set_subject_alternative_name(&m->certificate, m->names) == 0;
}

static void write_time(char *to, struct wall at)
{
	struct wall_date date = wall_date(at);
	struct writer w;

	writer_init(&w, to, TIME_MAX + 1);
	write_format(&w, "%04d%02d%02d%02d%02d%02d", (int)date.year, (int)date.month, (int)date.day,
		(int)date.hour, (int)date.minute, (int)date.second);
	to[w.used] = '\0';
}

static bool set_validity(struct maker *m, struct wall now, uint32_t days)
{
	char from[TIME_MAX + 1], to[TIME_MAX + 1];

	write_time(from, (struct wall){now.us - (int64_t)BEFORE_S * CLOCK_S_US});
	write_time(to, (struct wall){now.us + (int64_t)days * 86400 * CLOCK_S_US});
	return mbedtls_x509write_crt_set_validity(&m->certificate, from, to) == 0;
}

static bool set_use(struct maker *m, const struct tls_certificate_request *request)
{
	unsigned usage = request->is_ca ? MBEDTLS_X509_KU_KEY_CERT_SIGN | MBEDTLS_X509_KU_CRL_SIGN
					: MBEDTLS_X509_KU_DIGITAL_SIGNATURE;
	mbedtls_asn1_sequence use = {.next = NULL};

	use.buf.tag = MBEDTLS_ASN1_OID;
	if (request->for_client) {
		use.buf.p = (unsigned char *)(uintptr_t)MBEDTLS_OID_CLIENT_AUTH;
		use.buf.len = MBEDTLS_OID_SIZE(MBEDTLS_OID_CLIENT_AUTH);
	} else {
		use.buf.p = (unsigned char *)(uintptr_t)MBEDTLS_OID_SERVER_AUTH;
		use.buf.len = MBEDTLS_OID_SIZE(MBEDTLS_OID_SERVER_AUTH);
	}
	return mbedtls_x509write_crt_set_basic_constraints(&m->certificate, request->is_ca, -1) ==
		0 &&
		mbedtls_x509write_crt_set_key_usage(&m->certificate, usage) == 0 &&
		(request->is_ca ||
			mbedtls_x509write_crt_set_ext_key_usage(&m->certificate, &use) == 0);
}

static bool make_key(struct maker *m)
{
	return mbedtls_pk_setup(&m->key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY)) == 0 &&
		mbedtls_ecp_gen_key(
			MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(m->key), tls_random, NULL) == 0;
}

static bool make(struct net *net, struct maker *m, const struct tls_certificate_request *request,
	struct tls_certificate *made)
{
	unsigned char serial[SERIAL_SIZE];

	if (!make_key(m) || tls_random(NULL, serial, sizeof(serial)) != 0)
		return false;
	serial[0] = (serial[0] & 0x7f) | 0x40; /* positive, of one length */
	mbedtls_x509write_crt_set_version(&m->certificate, MBEDTLS_X509_CRT_VERSION_3);
	mbedtls_x509write_crt_set_md_alg(&m->certificate, MBEDTLS_MD_SHA256);
	mbedtls_x509write_crt_set_subject_key(&m->certificate, &m->key);
	return make_name(&m->certificate.MBEDTLS_PRIVATE(subject), request) &&
		set_issuer(m, request) && set_names(m, request->names) &&
		set_validity(m, clock_wall(net_clock(net)), request->days) && set_use(m, request) &&
		mbedtls_x509write_crt_set_serial_raw(&m->certificate, serial, sizeof(serial)) ==
		0 &&
		mbedtls_x509write_crt_pem(&m->certificate, (unsigned char *)made->certificate,
			sizeof(made->certificate), tls_random, NULL) == 0 &&
		mbedtls_pk_write_key_pem(&m->key, (unsigned char *)made->key, sizeof(made->key)) ==
		0;
}

bool tls_certificate_make(struct net *net, const struct tls_certificate_request *request,
	struct tls_certificate *made, struct writer *fault)
{
	struct maker m = {.names = {{.next = NULL}}};

	CHECK(tls_is_set_up());
	maker_init(&m);
	bool good = make(net, &m, request, made);
	maker_free(&m);
	if (!good) {
		mbedtls_platform_zeroize(made, sizeof(*made));
		write_format(fault, "no certificate can be made for %s",
			request->common_name == NULL ? "nobody" : request->common_name);
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
