/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A server's certificate and key, from text or from files that cert-manager, kubeadm or an
 * administrator replaces. Two files do not change at once: a pair that does not fit is tried
 * again, and until then the old pair serves.
 */
#include "net/server_identity.h"

#include "base/log.h"

bool server_identity_load(struct server_identity *identity, struct writer *fault)
{
	const struct net_server_setup *setup = identity->setup;
	struct tls_identity *into = server_identity_previous(identity);
	struct tls_pem pem = {.server = true};
	struct secret_file certificate = identity->certificate, key = identity->key, none;

	CHECK(into->users == 0);
	tls_identity_drop(into);
	bool made = secret_pem_load(setup->certificate, setup->certificate_file, &certificate,
			    &pem.certificate, fault) &&
		secret_pem_load(setup->key, setup->key_file, &key, &pem.key, fault) &&
		secret_pem_load(setup->client_ca, NULL, &none, &pem.ca, fault) &&
		secret_pem_load(setup->proxy_ca, NULL, &none, &pem.proxy_ca, fault) &&
		tls_identity_make(into, &pem, fault);
	secret_pem_give(&pem.certificate);
	secret_pem_give(&pem.key);
	secret_pem_give(&pem.ca);
	secret_pem_give(&pem.proxy_ca);
	if (!made)
		return false;
	identity->certificate = certificate;
	identity->key = key;
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
	return (setup->certificate.at == NULL &&
		       secret_file_changed(setup->certificate_file, &identity->certificate)) ||
		(setup->key.at == NULL && secret_file_changed(setup->key_file, &identity->key));
}

void server_identity_close(struct server_identity *identity)
{
	tls_identity_drop(&identity->identities[0]);
	tls_identity_drop(&identity->identities[1]);
}
