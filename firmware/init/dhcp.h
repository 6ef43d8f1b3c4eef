/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DHCP for IPv4 (RFC 2131, 2132), the client's side: what is sent, what an answer says, and what
 * is done when. It knows no socket and no clock: net.c carries its messages.
 */
#ifndef BERTH_INIT_DHCP_H
#define BERTH_INIT_DHCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DHCP_MESSAGE_MAX = 576, DHCP_SERVERS_MAX = 3 };

struct dhcp_lease {
	uint32_t address, mask, router; /* router 0: none */
	uint32_t dns[DHCP_SERVERS_MAX];
	uint32_t dns_count;
	uint32_t server;
	uint32_t seconds;
};

enum dhcp_type {
	DHCP_NONE, /* no message for us */
	DHCP_DISCOVER = 1,
	DHCP_OFFER,
	DHCP_REQUEST,
	DHCP_DECLINE,
	DHCP_ACK,
	DHCP_NAK
};

/* What a server's message for this exchange says. Any bytes may be given. */
enum dhcp_type dhcp_parse(const uint8_t *message, size_t size, uint32_t exchange,
	const uint8_t hardware[6], struct dhcp_lease *lease);

enum dhcp_state { DHCP_LOOKING, DHCP_ASKING, DHCP_BOUND, DHCP_RENEWING };

struct dhcp {
	enum dhcp_state state;
	uint8_t hardware[6];
	const char *hostname;
	uint32_t exchange; /* transaction number */
	struct dhcp_lease offer;
	struct dhcp_lease lease; /* good from DHCP_BOUND on */
	bool leased;
	int64_t started_ms, bound_ms;
	int64_t due_ms; /* dhcp_turn() wants to be called then */
	int64_t pause_ms;
};

void dhcp_start(struct dhcp *dhcp, const uint8_t hardware[6], const char *hostname,
	uint32_t exchange, int64_t now_ms);
/* The message that is to be sent now, to everybody, in `to`; 0: none. */
size_t dhcp_turn(struct dhcp *dhcp, int64_t now_ms, uint8_t to[DHCP_MESSAGE_MAX]);
/* True: `lease` or `leased` has changed. */
bool dhcp_received(struct dhcp *dhcp, const uint8_t *message, size_t size, int64_t now_ms);

#endif
