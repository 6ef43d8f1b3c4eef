/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as /etc/hosts, as /etc/resolv.conf and as what name servers send: parts between bytes
 * 0xff, in this order, the rest are messages one after the other.
 *
 * Whatever comes: it ends, with addresses or with words, and no more of them than there is room.
 */
// deps: net/resolve.c net/dns.c net/address.c base/*.c
// deps: tests/fuzz/fuzz.c
#define _GNU_SOURCE /* memfd_create() */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "net/dns.h"
#include "net/resolve.h"

enum { INPUT_MAX = 1 << 14, STEPS_MAX = 4000, STREAM = 7 };

static struct text messages; /* that are still to come */
static char *message;        /* the one that is there */
static size_t message_size;
static bool is_open;
static uint8_t asked[2]; /* id of the last question */

static uint32_t fuzz_open(void *self, enum net_stream_kind kind, const struct net_address *to)
{
	(void)self;
	CHECK(kind == NET_STREAM_UDP);
	CHECK(to->family == 4 || to->family == 6);
	CHECK(!is_open);
	is_open = true;
	return STREAM;
}

static enum net_stream_state fuzz_state(void *self, uint32_t stream)
{
	(void)self;
	CHECK(stream == STREAM && is_open);
	return NET_STREAM_OPEN;
}

/* Half of the messages have the id of the question. */
static struct text fuzz_received(void *self, uint32_t stream)
{
	struct text part;

	(void)self;
	CHECK(stream == STREAM && is_open);
	while (message == NULL && messages.at != NULL && text_cut(&messages, (char)0xff, &part)) {
		if (part.size == 0)
			continue;
		message_size = part.size;
		message = malloc(part.size);
		memcpy(message, part.at, part.size);
		if (part.size > 2 && (part.at[0] & 1) == 0)
			memcpy(message, asked, sizeof(asked));
	}
	return message == NULL ? TEXT_NONE : (struct text){message, message_size};
}

static void fuzz_drop(void *self, uint32_t stream, size_t size)
{
	(void)self;
	CHECK(stream == STREAM && size == message_size);
	free(message);
	message = NULL;
	message_size = 0;
}

static size_t fuzz_send(void *self, uint32_t stream, const void *bytes, size_t size)
{
	(void)self;
	CHECK(stream == STREAM && is_open);
	CHECK(size > 12 && size <= DNS_QUERY_MAX);
	memcpy(asked, bytes, sizeof(asked));
	return size;
}

static void fuzz_close(void *self, uint32_t stream)
{
	(void)self;
	CHECK(stream == STREAM && is_open);
	is_open = false;
	free(message);
	message = NULL;
	message_size = 0;
}

static const char *file_of(int *fd, char *path, struct text text)
{
	if (*fd < 0)
		*fd = memfd_create("resolve", 0);
	CHECK(*fd >= 0);
	CHECK(ftruncate(*fd, 0) == 0);
	CHECK(pwrite(*fd, text.at, text.size, 0) == (ssize_t)text.size);
	snprintf(path, 64, "/proc/self/fd/%d", *fd);
	return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct net_bytes bytes = {.open = fuzz_open,
		.state = fuzz_state,
		.received = fuzz_received,
		.drop = fuzz_drop,
		.send = fuzz_send,
		.close = fuzz_close};
	static int fds[2] = {-1, -1};
	static char paths[2][64];
	static struct resolve r;
	struct random random;
	struct text rest = {(const char *)data, size}, part[2] = {TEXT_NONE, TEXT_NONE};
	struct mono now = {1000};
	enum resolve_step step = RESOLVE_WAIT;

	if (size == 0 || size > INPUT_MAX)
		return 0;
	for (int i = 0; i < 2 && rest.at != NULL; i++)
		(void)!text_cut(&rest, (char)0xff, &part[i]);
	messages = rest;
	random_init(&random, size);
	CHECK(resolve_init(&r, &bytes, entropy_seeded(&random), TEXT("api.example"), 6443));
	r.hosts_path = file_of(&fds[0], paths[0], part[0]);
	r.servers_path = file_of(&fds[1], paths[1], part[1]);
	resolve_start(&r, now);
	for (uint32_t steps = 0; step == RESOLVE_WAIT; steps++) {
		CHECK(steps < STEPS_MAX);
		step = resolve_step(&r, now);
		struct mono due = resolve_due(&r);
		if (step == RESOLVE_WAIT && messages.at == NULL && message == NULL)
			now = due.us > now.us ? due : now;
	}
	CHECK(r.server_count <= RESOLVE_SERVERS_MAX && r.search_count <= RESOLVE_SEARCH_MAX);
	CHECK(r.ndots <= 15 && r.count <= RESOLVE_ADDRESSES_MAX);
	CHECK((step == RESOLVE_DONE) <= (r.count > 0));
	CHECK(step == RESOLVE_DONE || r.fault != NULL);
	for (uint32_t i = 0; i < r.count; i++)
		CHECK(r.addresses[i].family == 4 || r.addresses[i].family == 6);
	resolve_stop(&r);
	CHECK(!is_open);
	return 0;
}
