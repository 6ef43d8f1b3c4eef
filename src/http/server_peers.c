/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Peers: who has been here lately, and how it went. When places or handshakes are scarce, a peer
 * that showed good credentials comes before a new one, and both before one that took a place and
 * did nothing with it. No peer is kept out by this alone, and everything is forgotten in time.
 */
#include <string.h>

#include "http/server_private.h"

static struct server_peer *find_peer(struct server_peers *peers, const struct net_address *address)
{
	for (uint32_t i = 0; i < SERVER_PEERS; i++)
		if (peers->list[i].address.family != 0 &&
			net_address_is_same_peer(&peers->list[i].address, address))
			return &peers->list[i];
	return NULL;
}

/* A place in the table: its own, a free one, or that of who did nothing for the longest time. */
static struct server_peer *place_of_peer(
	struct server_peers *peers, const struct net_address *address, struct mono now)
{
	struct server_peer *place = find_peer(peers, address);

	if (place == NULL) {
		place = &peers->list[0];
		for (uint32_t i = 1; i < SERVER_PEERS; i++) {
			struct server_peer *p = &peers->list[i];
			bool older = p->seen.us < place->seen.us;

			if (p->vouched == place->vouched ? older : place->vouched)
				place = p;
		}
		*place = (struct server_peer){.address = *address};
	}
	place->seen = now;
	return place;
}

enum server_standing server_peer_standing(
	struct server_peers *peers, const struct net_address *address, struct mono now)
{
	const struct server_peer *p = find_peer(peers, address);

	if (p == NULL || mono_reached(now, mono_after_ms(p->seen, SERVER_PEER_FORGET_MS)))
		return SERVER_PEER_NEW;
	if (p->vouched)
		return SERVER_PEER_VOUCHED;
	return SERVER_PEER_WASTEFUL;
}

void server_peer_wasted(
	struct server_peers *peers, const struct net_address *address, struct mono now)
{
	struct server_peer *p = find_peer(peers, address);

	/* Good credentials are believed until they have not been shown for a while. */
	if (p != NULL && p->vouched &&
		!mono_reached(now, mono_after_ms(p->seen, SERVER_PEER_FORGET_MS)))
		return;
	p = place_of_peer(peers, address, now);
	p->vouched = false;
}

void server_peer_vouched(
	struct server_peers *peers, const struct net_address *address, struct mono now)
{
	place_of_peer(peers, address, now)->vouched = true;
}
