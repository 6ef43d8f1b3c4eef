/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who a client is by its certificate: read out of what mbedTLS keeps of it anyway.
 */
#include <mbedtls/oid.h>

#include "tls/tls.h"

/* Only text that all programs read alike: a name decides what a user may do. */
static bool client_name_is_text(const mbedtls_asn1_buf *value)
{
	struct text name = {(const char *)value->p, value->len};

	if (value->tag != MBEDTLS_ASN1_UTF8_STRING && value->tag != MBEDTLS_ASN1_PRINTABLE_STRING &&
		value->tag != MBEDTLS_ASN1_IA5_STRING)
		return false;
	for (size_t i = 0; i < name.size; i++)
		if ((unsigned char)name.at[i] < 0x20 || name.at[i] == 0x7f)
			return false;
	return name.size > 0 && text_is_utf8(name);
}

static bool client_attribute_is(const mbedtls_x509_name *attribute, const char *oid, size_t size)
{
	return attribute->oid.len == size && memcmp(attribute->oid.p, oid, size) == 0;
}

static bool client_names_read(const mbedtls_x509_name *subject, struct tls_client_names *names)
{
	for (; subject != NULL; subject = subject->next) {
		bool common = client_attribute_is(
			subject, MBEDTLS_OID_AT_CN, MBEDTLS_OID_SIZE(MBEDTLS_OID_AT_CN));
		bool organization = client_attribute_is(subject, MBEDTLS_OID_AT_ORGANIZATION,
			MBEDTLS_OID_SIZE(MBEDTLS_OID_AT_ORGANIZATION));
		struct text value = {(const char *)subject->val.p, subject->val.len};

		if (!common && !organization)
			continue;
		if (!client_name_is_text(&subject->val))
			return false;
		if (common) {
			names->common_name = value;
			continue;
		}
		if (names->organization_count == TLS_ORGANIZATIONS_MAX)
			return false;
		names->organizations[names->organization_count++] = value;
	}
	return true;
}

void tls_client_names(const struct tls *tls, struct tls_client_names *names)
{
	*names = (struct tls_client_names){.proof = TLS_PROOF_NONE};
	if (tls->identity == NULL || tls->identity->ca.raw.p == NULL)
		return;
	const mbedtls_x509_crt *certificate = mbedtls_ssl_get_peer_cert(&tls->ssl);
	if (certificate == NULL)
		return;
	if (mbedtls_ssl_get_verify_result(&tls->ssl) != 0 ||
		!client_names_read(&certificate->subject, names)) {
		*names = (struct tls_client_names){.proof = TLS_PROOF_BAD};
		return;
	}
	names->proof = TLS_PROOF_GOOD;
	names->by_client_ca = tls->by_client_ca;
	names->by_proxy_ca = tls->by_proxy_ca;
}
