/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A server's certificate and the CAs of its clients, kept up to date while files change. What
 * cannot be used leaves what was there before. Private to net/.
 */
#ifndef BERTH_HTTP_SERVER_IDENTITY_PRIVATE_H
#define BERTH_HTTP_SERVER_IDENTITY_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/text.h"
#include "tls/secret.h"
#include "http/server.h"
#include "tls/tls.h"

enum { SERVER_IDENTITY_CHECK_MS = 10 * 1000 };

/* A certificate for clients that ask for one of its names. */
struct server_named {
	struct secret_part parts[SECRET_PARTS];
	struct text names;
	struct tls_identity identities[2]; /* as those of the server */
};

struct server_identity {
	const struct net_server_setup *setup;
	struct tls_identity
		identities[2]; /* the current one, and the one before while it is used */
	uint32_t current;
	bool failed; /* the last load: part of it may be seen already */
	struct secret_part parts[SECRET_PARTS];
	struct server_named *named;
	uint32_t named_count;
	struct mono checked;
};

MUST_USE bool server_identity_init(struct server_identity *identity,
	const struct net_server_setup *setup, struct arena *arena, struct mono now,
	struct writer *fault);
size_t server_identity_size(const struct net_server_setup *setup); /* arena bytes */
void server_identity_close(struct server_identity *identity);

/* There is a new one to be loaded. Some stat() every SERVER_IDENTITY_CHECK_MS. */
bool server_identity_is_outdated(struct server_identity *identity, struct mono now);
/* The one before is still used by connections: they must be closed before a load. */
static inline struct tls_identity *server_identity_previous(struct server_identity *identity)
{
	return &identity->identities[1 - identity->current];
}
static inline struct tls_identity *server_identity_current(struct server_identity *identity)
{
	return &identity->identities[identity->current];
}
/* From the setup's texts and files, as they are now. */
MUST_USE bool server_identity_load(struct server_identity *identity, struct writer *fault);

#endif
