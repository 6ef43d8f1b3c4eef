/* SPDX-License-Identifier: GPL-2.0-only */
#include "firmware/init/dhcp.h"

#include <string.h>

enum {
	AT_XID = 4,
	AT_SECONDS = 8,
	AT_FLAGS = 10,
	AT_OURS = 12,
	AT_YOURS = 16,
	AT_HARDWARE = 28,
	AT_COOKIE = 236,
	AT_OPTIONS = 240,
	MESSAGE_MIN = 300, /* some relays drop shorter ones */
	OPTION_MASK = 1,
	OPTION_ROUTER = 3,
	OPTION_DNS = 6,
	OPTION_HOSTNAME = 12,
	OPTION_ADDRESS = 50,
	OPTION_SECONDS = 51,
	OPTION_TYPE = 53,
	OPTION_SERVER = 54,
	OPTION_WANTED = 55,
	OPTION_END = 255,
	PAUSE_MS = 1000,
	PAUSE_MAX_MS = 32 * 1000,
	ASKED_MAX = 4,
	LEASE_MIN_S = 60
};

static const uint8_t cookie[4] = {99, 130, 83, 99};

static uint32_t number32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put32(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 24);
	at[1] = (uint8_t)(value >> 16);
	at[2] = (uint8_t)(value >> 8);
	at[3] = (uint8_t)value;
}

/* ---- what is heard ---- */

static void take_option(uint8_t code, const uint8_t *value, uint32_t size, struct dhcp_lease *lease,
	enum dhcp_type *type)
{
	if (code == OPTION_TYPE && size == 1 && value[0] >= DHCP_OFFER && value[0] <= DHCP_NAK)
		*type = (enum dhcp_type)value[0];
	if (size < 4)
		return;
	switch (code) {
	case OPTION_MASK: lease->mask = number32(value); break;
	case OPTION_ROUTER: lease->router = number32(value); break;
	case OPTION_SECONDS: lease->seconds = number32(value); break;
	case OPTION_SERVER: lease->server = number32(value); break;
	case OPTION_DNS:
		for (uint32_t i = 0; i + 4 <= size && lease->dns_count < DHCP_SERVERS_MAX; i += 4)
			lease->dns[lease->dns_count++] = number32(value + i);
		break;
	default: break;
	}
}

/* Of one machine, not of a group, nobody and everybody. */
static bool is_host(uint32_t address)
{
	return address >> 24 != 0 && address >> 24 != 127 && address >> 24 < 224;
}

static bool is_mask(uint32_t mask)
{
	return mask != 0 && (~mask & (~mask + 1)) == 0;
}

enum dhcp_type dhcp_parse(const uint8_t *message, size_t size, uint32_t exchange,
	const uint8_t hardware[6], struct dhcp_lease *lease)
{
	enum dhcp_type type = DHCP_NONE;

	memset(lease, 0, sizeof(*lease));
	if (size < AT_OPTIONS || message[0] != 2 || message[1] != 1 || message[2] != 6 ||
		number32(message + AT_XID) != exchange ||
		memcmp(message + AT_HARDWARE, hardware, 6) != 0 ||
		memcmp(message + AT_COOKIE, cookie, sizeof(cookie)) != 0)
		return DHCP_NONE;
	lease->address = number32(message + AT_YOURS);
	for (size_t at = AT_OPTIONS; at < size && message[at] != OPTION_END;) {
		if (message[at] == 0) { /* padding */
			at++;
			continue;
		}
		if (at + 2 > size || at + 2 + message[at + 1] > size)
			return DHCP_NONE; /* cut off: nothing of it is believed */
		take_option(message[at], message + at + 2, message[at + 1], lease, &type);
		at += 2 + (size_t)message[at + 1];
	}
	if (type == DHCP_NAK)
		return type;
	if (type != DHCP_OFFER && type != DHCP_ACK)
		return DHCP_NONE;
	if (!is_host(lease->address) || !is_host(lease->server))
		return DHCP_NONE;
	if (!is_mask(lease->mask))
		lease->mask = 0xffffff00;
	if (!is_host(lease->router))
		lease->router = 0;
	if (lease->seconds < LEASE_MIN_S)
		lease->seconds = LEASE_MIN_S;
	return type;
}

/* ---- what is said ---- */

static uint8_t *put_option(uint8_t *at, uint8_t code, const void *value, size_t size)
{
	*at++ = code;
	*at++ = (uint8_t)size;
	memcpy(at, value, size);
	return at + size;
}

static uint8_t *put_address(uint8_t *at, uint8_t code, uint32_t address)
{
	uint8_t bytes[4];

	put32(bytes, address);
	return put_option(at, code, bytes, sizeof(bytes));
}

static size_t compose(const struct dhcp *dhcp, int64_t now_ms, uint8_t to[DHCP_MESSAGE_MAX])
{
	static const uint8_t wanted[] = {OPTION_MASK, OPTION_ROUTER, OPTION_DNS, OPTION_SECONDS};
	uint8_t type = dhcp->state == DHCP_LOOKING ? DHCP_DISCOVER : DHCP_REQUEST;
	int64_t seconds = (now_ms - dhcp->started_ms) / 1000;
	size_t name = strlen(dhcp->hostname);

	memset(to, 0, DHCP_MESSAGE_MAX);
	to[0] = 1; /* asks */
	to[1] = 1; /* Ethernet */
	to[2] = 6;
	put32(to + AT_XID, dhcp->exchange);
	to[AT_SECONDS] = (uint8_t)((seconds < 0xffff ? seconds : 0xffff) >> 8);
	to[AT_SECONDS + 1] = (uint8_t)(seconds < 0xffff ? seconds : 0xffff);
	memcpy(to + AT_HARDWARE, dhcp->hardware, 6);
	memcpy(to + AT_COOKIE, cookie, sizeof(cookie));
	uint8_t *at = put_option(to + AT_OPTIONS, OPTION_TYPE, &type, 1);
	if (dhcp->state == DHCP_RENEWING)
		put32(to + AT_OURS, dhcp->lease.address);
	else
		to[AT_FLAGS] = 0x80; /* answer to everybody: we have no address yet */
	if (dhcp->state == DHCP_ASKING) {
		at = put_address(at, OPTION_ADDRESS, dhcp->offer.address);
		at = put_address(at, OPTION_SERVER, dhcp->offer.server);
	}
	at = put_option(at, OPTION_HOSTNAME, dhcp->hostname, name < 63 ? name : 63);
	at = put_option(at, OPTION_WANTED, wanted, sizeof(wanted));
	*at++ = OPTION_END;
	return (size_t)(at - to) < MESSAGE_MIN ? MESSAGE_MIN : (size_t)(at - to);
}

/* ---- when ---- */

void dhcp_start(struct dhcp *dhcp, const uint8_t hardware[6], const char *hostname,
	uint32_t exchange, int64_t now_ms)
{
	memset(dhcp, 0, sizeof(*dhcp));
	memcpy(dhcp->hardware, hardware, 6);
	dhcp->hostname = hostname;
	dhcp->exchange = exchange;
	dhcp->started_ms = dhcp->due_ms = now_ms;
	dhcp->pause_ms = PAUSE_MS;
}

static void look_again(struct dhcp *dhcp, int64_t now_ms)
{
	dhcp->state = DHCP_LOOKING;
	dhcp->leased = false;
	dhcp->exchange++;
	dhcp->pause_ms = PAUSE_MS;
	dhcp->due_ms = dhcp->started_ms = now_ms;
}

size_t dhcp_turn(struct dhcp *dhcp, int64_t now_ms, uint8_t to[DHCP_MESSAGE_MAX])
{
	if (now_ms < dhcp->due_ms)
		return 0;
	if (dhcp->state == DHCP_BOUND) {
		dhcp->state = DHCP_RENEWING;
		dhcp->exchange++;
		dhcp->started_ms = now_ms;
	}
	/* All of the time that is left is used, then the address must not be. */
	if (dhcp->state == DHCP_RENEWING &&
		now_ms - dhcp->bound_ms >= (int64_t)dhcp->lease.seconds * 1000)
		look_again(dhcp, now_ms);
	if (dhcp->state == DHCP_ASKING && dhcp->pause_ms > PAUSE_MS << ASKED_MAX)
		look_again(dhcp, now_ms); /* the server that made the offer is silent */
	size_t size = compose(dhcp, now_ms, to);
	if (dhcp->state == DHCP_RENEWING) {
		int64_t left = dhcp->bound_ms + (int64_t)dhcp->lease.seconds * 1000 - now_ms;

		dhcp->due_ms = now_ms + (left / 4 > PAUSE_MAX_MS ? left / 4 : PAUSE_MAX_MS);
		return size;
	}
	dhcp->due_ms = now_ms + dhcp->pause_ms;
	if (dhcp->pause_ms < PAUSE_MAX_MS)
		dhcp->pause_ms *= 2;
	return size;
}

bool dhcp_received(struct dhcp *dhcp, const uint8_t *message, size_t size, int64_t now_ms)
{
	struct dhcp_lease lease;
	enum dhcp_type type = dhcp_parse(message, size, dhcp->exchange, dhcp->hardware, &lease);

	if (type == DHCP_OFFER && dhcp->state == DHCP_LOOKING) {
		dhcp->offer = lease;
		dhcp->state = DHCP_ASKING;
		dhcp->pause_ms = PAUSE_MS;
		dhcp->due_ms = now_ms;
		return false;
	}
	if (dhcp->state != DHCP_ASKING && dhcp->state != DHCP_RENEWING)
		return false;
	if (type == DHCP_NAK) {
		look_again(dhcp, now_ms);
		return true;
	}
	if (type != DHCP_ACK)
		return false;
	dhcp->lease = lease;
	dhcp->leased = true;
	dhcp->state = DHCP_BOUND;
	dhcp->bound_ms = now_ms;
	dhcp->due_ms = now_ms + (int64_t)lease.seconds * 500;
	return true;
}
