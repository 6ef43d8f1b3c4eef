/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A server's certificate and key, from text or from files that cert-manager, kubeadm or an
 * administrator replaces. Two files do not change at once: a pair that does not fit is tried
 * again, and until then the old pair serves.
 */
#include "http/server_identity_private.h"

#include <string.h>

struct part {
	struct text text;
	const char *file; /* NULL: none; text wins */
};

static struct part part_of(const struct net_server_setup *setup, uint32_t part)
{
	const struct part parts[SERVER_IDENTITY_PARTS] = {
		{setup->certificate, setup->certificate_file}, {setup->key, setup->key_file},
		{setup->client_ca, setup->client_ca_file}, {setup->proxy_ca, setup->proxy_ca_file}};

	return parts[part];
}

bool server_identity_load(struct server_identity *identity, struct writer *fault)
{
	struct tls_identity *into = server_identity_previous(identity);
	struct tls_pem pem = {.server = true, .tls_1_3 = identity->setup->tls_1_3};
	struct text *const texts[] = {&pem.certificate, &pem.key, &pem.ca, &pem.proxy_ca};
	struct secret_file files[SERVER_IDENTITY_PARTS];
	bool made = true;

	CHECK(into->users == 0);
	tls_identity_drop(into);
	memcpy(files, identity->files, sizeof(files));
	for (uint32_t i = 0; i < SERVER_IDENTITY_PARTS && made; i++) {
		struct part part = part_of(identity->setup, i);

		made = secret_pem_load(part.text, part.file, &files[i], texts[i], fault);
	}
	made = made && tls_identity_make(into, &pem, fault);
	for (uint32_t i = 0; i < SERVER_IDENTITY_PARTS; i++)
		secret_pem_give(texts[i]);
	if (!made)
		return false;
	memcpy(identity->files, files, sizeof(files));
	identity->current = 1 - identity->current;
	return true;
}

bool server_identity_init(struct server_identity *identity, const struct net_server_setup *setup,
	struct mono now, struct writer *fault)
{
	identity->setup = setup;
	identity->checked = now;
	if (!setup->https)
		return true;
	if ((setup->certificate.at == NULL && setup->certificate_file == NULL) ||
		(setup->key.at == NULL && setup->key_file == NULL)) {
		write_z(fault, "https needs a certificate and its key");
		return false;
	}
	return server_identity_load(identity, fault);
}

bool server_identity_is_outdated(struct server_identity *identity, struct mono now)
{
	const struct net_server_setup *setup = identity->setup;

	if (!setup->https ||
		mono_since_us(now, identity->checked) <
			(int64_t)SERVER_IDENTITY_CHECK_MS * CLOCK_MS_US)
		return false;
	identity->checked = now;
	for (uint32_t i = 0; i < SERVER_IDENTITY_PARTS; i++) {
		struct part part = part_of(setup, i);

		if (part.text.at == NULL && secret_file_changed(part.file, &identity->files[i]))
			return true;
	}
	return false;
}

void server_identity_close(struct server_identity *identity)
{
	tls_identity_drop(&identity->identities[0]);
	tls_identity_drop(&identity->identities[1]);
}
