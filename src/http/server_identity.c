/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A server's certificates and keys, from text or from files that cert-manager, kubeadm or an
 * administrator replaces. Two files do not change at once: a pair that does not fit is tried
 * again, and until then the old pairs serve.
 */
#include "http/server_identity_private.h"

#include <string.h>

static bool refuse_named(struct text rule, struct writer *fault)
{
	write_format(fault, "\"%.*s\" is not CERTIFICATE,KEY:NAMES, or a name is an address",
		TEXT_ARGS(rule));
	return false;
}

/* Names left out: those that the certificate has. Clients do not ask for addresses by name. */
static bool read_named(
	struct server_named *named, struct text rule, struct arena *arena, struct writer *fault)
{
	struct text rest = rule, name;
	struct net_address address;

	for (uint32_t i = SECRET_CERTIFICATE; i <= SECRET_KEY; i++) {
		struct text path;
		(void)text_cut(&rest, i == SECRET_KEY ? ':' : ',', &path);
		if (path.size == 0)
			return refuse_named(rule, fault);
		char *file = memcpy(arena_take(arena, path.size + 1), path.at, path.size);
		secret_part_set(&named->parts[i], TEXT_NONE, file);
	}
	named->names = rest;
	while (text_cut(&rest, ',', &name))
		if (name.size == 0 || net_address_parse(name, 0, &address))
			return refuse_named(rule, fault);
	return true;
}

static bool load_named(struct server_identity *identity, uint32_t slot, struct tls_identity **first,
	struct writer *fault)
{
	for (uint32_t i = identity->named_count; i-- > 0;) {
		struct server_named *n = &identity->named[i];
		struct tls_pem pem = {.server = true, .names = n->names, .named = *first};

		if (!secret_identity_make(&n->identities[slot], n->parts, &pem, fault))
			return false;
		*first = &n->identities[slot];
	}
	return true;
}

bool server_identity_load(struct server_identity *identity, struct writer *fault)
{
	uint32_t slot = 1 - identity->current;
	struct tls_pem pem = {.server = true, .limits = &identity->setup->limits};

	identity->failed = !load_named(identity, slot, &pem.named, fault) ||
		!secret_identity_make(&identity->identities[slot], identity->parts, &pem, fault);
	if (!identity->failed)
		identity->current = slot;
	return !identity->failed;
}

bool server_identity_init(struct server_identity *identity, const struct net_server_setup *setup,
	struct arena *arena, struct mono now, struct writer *fault)
{
	struct secret_part *parts = identity->parts;
	bool whole = secret_part_set(
		&parts[SECRET_CERTIFICATE], setup->certificate, setup->certificate_file);

	whole &= secret_part_set(&parts[SECRET_KEY], setup->key, setup->key_file);
	secret_part_set(&parts[SECRET_CA], setup->client_ca, setup->client_ca_file);
	secret_part_set(&parts[SECRET_PROXY_CA], setup->proxy_ca, setup->proxy_ca_file);
	identity->setup = setup;
	identity->checked = now;
	if (!setup->https)
		return true;
	if (!whole) {
		write_z(fault, "https needs a certificate and its key");
		return false;
	}
	if (setup->named_count > TLS_NAMED_MAX) {
		write_format(fault, "more than %d certificates for names", TLS_NAMED_MAX);
		return false;
	}
	identity->named = ARENA_ARRAY(arena, struct server_named, setup->named_count);
	for (uint32_t i = 0; i < setup->named_count; i++)
		if (!read_named(&identity->named[i], setup->named[i], arena, fault))
			return false;
	identity->named_count = setup->named_count;
	return server_identity_load(identity, fault);
}

size_t server_identity_size(const struct net_server_setup *setup)
{
	size_t size = 0;

	for (uint32_t i = 0; i < setup->named_count; i++)
		size += sizeof(struct server_named) + setup->named[i].size + 3 * 16;
	return size;
}

bool server_identity_is_outdated(struct server_identity *identity, struct mono now)
{
	if (!identity->setup->https ||
		mono_since_us(now, identity->checked) <
			(int64_t)SERVER_IDENTITY_CHECK_MS * CLOCK_MS_US)
		return false;
	identity->checked = now;
	bool changed = identity->failed || secret_parts_changed(identity->parts);
	for (uint32_t i = 0; i < identity->named_count && !changed; i++)
		changed = secret_parts_changed(identity->named[i].parts);
	return changed;
}

void server_identity_close(struct server_identity *identity)
{
	tls_identity_drop(&identity->identities[0]);
	tls_identity_drop(&identity->identities[1]);
	for (uint32_t i = 0; i < identity->named_count; i++) {
		tls_identity_drop(&identity->named[i].identities[0]);
		tls_identity_drop(&identity->named[i].identities[1]);
	}
}
