/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Credentials: what a target's texts and files say about us and about whom to trust, kept up to
 * date while the files change. A file that cannot be used leaves what was there before.
 */
#ifndef BERTH_HTTP_CREDENTIALS_PRIVATE_H
#define BERTH_HTTP_CREDENTIALS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/text.h"
#include "http/http.h"
#include "tls/secret.h"
#include "tls/tls.h"

enum {
	CREDENTIALS_TOKEN_MAX = 16 * 1024,
	CREDENTIALS_CHECK_MS = 10 * 1000, /* how often files are looked at, at most */
	CREDENTIALS_TOKEN_CHECK_MS = 60 * 1000
};

struct credentials {
	const struct net_target *target;
	bool secured; /* the connection's stream is; by the server, or by a proxy before it */
	struct tls_peer peer;
	struct tls_ticket ticket;
	struct tls_identity
		identities[2]; /* the current one, and the one before while it is in use */
	uint32_t current;
	struct secret_part parts[SECRET_PARTS];
	struct secret_file token;
	struct mono checked, token_checked;
	bool token_doubted;  /* the server said 401 */
	char *authorization; /* value of the header; size 0: none */
	size_t authorization_size, authorization_room;
};

size_t credentials_size(const struct net_target *target);
/* `proxy`: whose TLS it is when a server without TLS is behind a proxy with it; or TEXT_NONE. */
MUST_USE bool credentials_init(struct credentials *c, struct arena *arena,
	const struct net_target *target, struct text proxy, struct mono now, struct writer *fault);
void credentials_close(struct credentials *c);

enum credentials_news {
	CREDENTIALS_SAME,
	CREDENTIALS_CHANGED, /* connections made before should not be used again */
	CREDENTIALS_BLOCKED  /* changed, but connections still hold the identity before last */
};
/* Before a connection is made. Costs three stat() every CREDENTIALS_CHECK_MS. */
enum credentials_news credentials_refresh(struct credentials *c, struct mono now);

/* Before a request is sent, while no other one is half sent. */
void credentials_refresh_token(struct credentials *c, struct mono now);

static inline bool credentials_are_secured(const struct credentials *c)
{
	return c->secured;
}
static inline struct tls_identity *credentials_identity(struct credentials *c)
{
	return &c->identities[c->current];
}

#endif
