/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who a client is by his certificate: read out of what mbedTLS keeps of it anyway.
 */
#include <mbedtls/oid.h>

#include "net/server_private.h"

/* Only text that everybody reads alike: a name decides what somebody may do. */
static bool is_name(const mbedtls_asn1_buf *value)
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

static bool is_attribute(const mbedtls_x509_name *attribute, const char *oid, size_t size)
{
	return attribute->oid.len == size && memcmp(attribute->oid.p, oid, size) == 0;
}

static bool read_names(const mbedtls_x509_name *subject, struct net_client_names *names)
{
	for (; subject != NULL; subject = subject->next) {
		bool common = is_attribute(
			subject, MBEDTLS_OID_AT_CN, MBEDTLS_OID_SIZE(MBEDTLS_OID_AT_CN));
		bool organization = is_attribute(subject, MBEDTLS_OID_AT_ORGANIZATION,
			MBEDTLS_OID_SIZE(MBEDTLS_OID_AT_ORGANIZATION));
		struct text value = {(const char *)subject->val.p, subject->val.len};

		if (!common && !organization)
			continue;
		if (!is_name(&subject->val))
			return false;
		if (common) {
			names->common_name = value;
			continue;
		}
		if (names->organization_count == NET_ORGANIZATIONS_MAX)
			return false;
		names->organizations[names->organization_count++] = value;
	}
	return true;
}

void net_exchange_client(const struct net_exchange *exchange, struct net_client_names *names)
{
	const struct server_exchange *x = (const struct server_exchange *)exchange;
	const struct tls *tls = &x->connection->tls;
	const mbedtls_x509_crt *certificate;
	bool good;

	*names = (struct net_client_names){.proof = NET_PROOF_NONE};
	if (tls->identity == NULL || tls->identity->ca.raw.p == NULL)
		return;
	certificate = tls_client_certificate(tls, &good);
	if (certificate == NULL)
		return;
	if (!good || !read_names(&certificate->subject, names)) {
		*names = (struct net_client_names){.proof = NET_PROOF_BAD};
		return;
	}
	names->proof = NET_PROOF_GOOD;
	names->by_client_ca = tls->by_client_ca;
	names->by_proxy_ca = tls->by_proxy_ca;
}
