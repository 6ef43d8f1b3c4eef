/* SPDX-License-Identifier: GPL-2.0-only */
/* Access: what the apiserver said before, and which peers it said no about. */
#include <string.h>

#include "status/access_private.h"

/* ---- answers ---- */

const struct access_memory *access_recall(const struct access_memories *memories,
	enum access_table table, const struct tls_digest *key, struct mono now)
{
	for (uint32_t i = 0; i < ACCESS_REMEMBERED; i++) {
		const struct access_memory *m = &memories->list[table][i];
		if (!mono_reached(now, m->until) && memcmp(&m->key, key, sizeof(*key)) == 0)
			return m;
	}
	return NULL;
}

void access_remember(struct access_memories *memories, enum access_table table,
	const struct tls_digest *key, struct mono now, int64_t ttl_us,
	const struct access_user *user)
{
	uint32_t place = 0;
	if (ttl_us <= 0)
		return;
	for (uint32_t i = 0; i < ACCESS_REMEMBERED; i++) {
		const struct access_memory *m = &memories->list[table][i];
		if (memcmp(&m->key, key, sizeof(*key)) == 0) {
			place = i;
			break;
		}
		if (m->until.us < memories->list[table][place].until.us)
			place = i;
	}
	struct access_memory *m = &memories->list[table][place];
	*m = (struct access_memory){.until = {now.us + ttl_us}, .key = *key};
	if (table != ACCESS_TOKENS_GOOD)
		return;
	m->user = access_user_digest(user);
	m->is_master = user->is_master;
	m->is_anonymous = user->is_anonymous;
	memcpy(memories->names[place], user->name, sizeof(user->name));
}

const char *access_name_of(
	const struct access_memories *memories, const struct access_memory *good_token)
{
	return memories->names[good_token - memories->list[ACCESS_TOKENS_GOOD]];
}

/* ---- peers ---- */

const struct access_peer *access_peer_find(
	const struct access_peers *peers, const struct net_address *address, struct mono now)
{
	for (uint32_t i = 0; i < ACCESS_PEERS; i++) {
		const struct access_peer *p = &peers->list[i];
		if (p->address.family != 0 && net_address_is_same_peer(&p->address, address) &&
			!mono_reached(now, mono_after_ms(p->last, ACCESS_PEER_FORGET_MS)))
			return p;
	}
	return NULL;
}

void access_peer_refused(
	struct access_peers *peers, const struct net_address *address, struct mono now)
{
	uint32_t place = 0;
	for (uint32_t i = 0; i < ACCESS_PEERS; i++) {
		const struct access_peer *p = &peers->list[i];
		if (p->address.family != 0 && net_address_is_same_peer(&p->address, address)) {
			place = i;
			break;
		}
		if (p->last.us < peers->list[place].last.us)
			place = i;
	}
	struct access_peer *p = &peers->list[place];
	if (p->address.family == 0 || !net_address_is_same_peer(&p->address, address) ||
		mono_reached(now, mono_after_ms(p->last, ACCESS_PEER_FORGET_MS)))
		*p = (struct access_peer){.address = *address};
	p->refused++;
	p->last = now;
	p->next = mono_after_ms(now, ACCESS_PEER_PAUSE_MS);
}
