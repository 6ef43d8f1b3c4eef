/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access, private: users, and what is remembered of what the apiserver said about them.
 */
#ifndef BERTH_STATUS_ACCESS_PRIVATE_H
#define BERTH_STATUS_ACCESS_PRIVATE_H

#include "http/server.h"
#include "status/private.h"
#include "tls/digest.h"

enum {
	/* A token with 200 groups of 36 characters, as large identity providers make them. */
	ACCESS_TOKEN_MAX = 14 * 1024,
	ACCESS_USER_MAX = 512,
	ACCESS_GROUPS_MAX = 16 * 1024, /* as JSON */
	ACCESS_UID_MAX = 256,
	ACCESS_EXTRA_MAX = 2048,
	ACCESS_REMEMBERED = 64 /* of each table */
};

/* ---- access_users.c: who asks ---- */

struct access_user {
	char name[ACCESS_USER_MAX];
	char groups[ACCESS_GROUPS_MAX]; /* JSON: ["a","b"] */
	char uid[ACCESS_UID_MAX];       /* "": not said */
	char extra[ACCESS_EXTRA_MAX];   /* JSON: {"a":["b"]}, or "" */
	bool is_master;
	bool is_anonymous; /* by name or by group, of whatever authenticator */
};

/* Of a TokenReview. False: no user, or too much for us. */
bool access_read_reviewed(struct json_value value, struct access_user *user);
/* A front proxy says who asks. False: it does not, or is not one of those that may. */
bool access_read_proxied(const struct status_answer *a, const struct tls_client_names *names,
	struct access_user *user);
/* True: the certificate names a user, who is filled in. */
bool access_read_certificate(const struct tls_client_names *names, struct access_user *user);
void access_read_nobody(struct access_user *user);
struct tls_digest access_user_digest(const struct access_user *user);

/* ---- access_memory.c: what was said before ---- */

/*
 * No token is kept, only what tells it from others. What was refused has tables of its own, so
 * that strangers' tokens do not push out those of users who may read.
 */
enum access_table { ACCESS_TOKENS_BAD, ACCESS_TOKENS_GOOD, ACCESS_RIGHTS_BAD, ACCESS_RIGHTS_GOOD };
enum { ACCESS_TABLES = ACCESS_RIGHTS_GOOD + 1 };

struct access_memory {
	struct mono until;
	struct tls_digest key;
	struct tls_digest user; /* of a good token */
	bool is_master, is_anonymous;
};
struct access_memories {
	struct access_memory list[ACCESS_TABLES][ACCESS_REMEMBERED];
	char names[ACCESS_REMEMBERED][ACCESS_USER_MAX]; /* of good tokens */
};

/* NULL: nothing is known, or no longer. */
const struct access_memory *access_recall(const struct access_memories *memories,
	enum access_table table, const struct tls_digest *key, struct mono now);
/* What would be forgotten first gives way. Not kept: a time to live of nothing. */
void access_remember(struct access_memories *memories, enum access_table table,
	const struct tls_digest *key, struct mono now, int64_t ttl_us,
	const struct access_user *user);
const char *access_name_of(
	const struct access_memories *memories, const struct access_memory *good_token);

/* ---- access_peers.c: who is asked about next ---- */

enum {
	ACCESS_PEERS = 64,
	ACCESS_PEER_PAUSE_MS = 500, /* between two questions of a peer when they are answered no */
	ACCESS_PEER_FORGET_MS = 60 * 1000,
	ACCESS_RATE_US = 50 * 1000, /* of questions of all peers ... */
	ACCESS_BURST = 20           /* ... so many at once */
};

struct access_peer {
	struct net_address address; /* family 0: free */
	uint32_t refused;           /* questions that were answered no */
	struct mono last, next;     /* refused; may be asked about again */
};
struct access_peers {
	struct access_peer list[ACCESS_PEERS];
};

/* NULL: nothing is held against it. */
const struct access_peer *access_peer_find(
	const struct access_peers *peers, const struct net_address *address, struct mono now);
void access_peer_refused(
	struct access_peers *peers, const struct net_address *address, struct mono now);

#endif
