/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Certificates for names: which one a client is shown by the name that it asks for (SNI).
 *
 * What kube-apiserver does: a name as it is before one whose first label is '*', which stands for
 * one label; of equal ones that which was written down before that of a certificate, then the
 * first. What we do: the names of a certificate are its alternative names alone, as for clients.
 */
#include <mbedtls/asn1.h>

#include "tls/tls.h"

/* 4: it is the name, 2: it stands for it, 0: neither. */
static uint32_t pattern_rank(struct text pattern, struct text name)
{
	if (!text_starts(pattern, TEXT("*")))
		return text_is_folded(pattern, name) ? 4 : 0;
	return text_is_folded(text_from(pattern, 1), text_from(name, text_find(name, '.'))) ? 2 : 0;
}

static uint32_t named_rank(const struct tls_identity *named, struct text name)
{
	struct text rest = named->names, pattern;
	uint32_t best = 0, rank;

	while (text_cut(&rest, ',', &pattern))
		if ((rank = pattern_rank(pattern, name)) > best)
			best = rank;
	if (named->names.at != NULL)
		return best;
	for (const mbedtls_x509_sequence *s = &named->certificate.subject_alt_names; s != NULL;
		s = s->next) {
		pattern = (struct text){(const char *)s->buf.p, s->buf.len};
		if (s->buf.tag == (MBEDTLS_ASN1_CONTEXT_SPECIFIC | MBEDTLS_X509_SAN_DNS_NAME) &&
			(rank = pattern_rank(pattern, name)) > best)
			best = rank;
	}
	return best > 0 ? best - 1 : 0;
}

struct tls_identity *tls_named(struct tls_identity *first, struct text name)
{
	struct tls_identity *best = NULL;
	uint32_t best_rank = 0;

	for (; first != NULL; first = first->next) {
		uint32_t rank = named_rank(first, name);

		if (rank <= best_rank)
			continue;
		best_rank = rank;
		best = first;
	}
	return best;
}

/* A failure would end the handshake: without one for this name it is that of the server. */
static int show_named(void *self, mbedtls_ssl_context *ssl, const unsigned char *name, size_t size)
{
	struct tls_identity *identity = self;
	struct tls_identity *named =
		tls_named(identity->next, (struct text){(const char *)name, size});

	return named == NULL ? 0
			     : mbedtls_ssl_set_hs_own_cert(ssl, &named->certificate, &named->key);
}

void tls_named_use(struct tls_identity *identity, const struct tls_pem *pem)
{
	identity->names = pem->names;
	identity->next = pem->named;
	if (identity->next != NULL)
		mbedtls_ssl_conf_sni(&identity->config, show_named, identity);
}
