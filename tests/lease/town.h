/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A town for tests: several processes with a loop each and one server, in one program with one
 * virtual time. What travels takes its time, may be lost, or arrive when its sender has given up;
 * a process may be stopped, or cut off from the server. Not tools/apisim/network.h: there all
 * hosts have one clock, and here each process has its own, which may stand still or run fast, and
 * the test decides the fate of each request. The server is a function of the test, as a lease is
 * all that it has.
 */
#ifndef BERTH_TESTS_LEASE_TOWN_H
#define BERTH_TESTS_LEASE_TOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/text.h"
#include "net/net.h"
#include "http/http.h"

enum { TOWN_PROCESSES = 4, TOWN_STREAMS = 8, TOWN_REQUEST_MAX = 24 * 1024, TOWN_LETTERS = 512 };

struct town;

struct town_request {
	uint32_t process;
	struct text method, path, body, content_type;
	/* private */
	uint32_t stream, life;
};

/* What becomes of a request. All false and 0: it arrives at once, and so does its answer. */
struct town_fate {
	bool lost;        /* on its way to the server */
	bool answer_lost; /* the connection stays, and is silent */
	bool cut;         /* instead of the answer the connection ends */
	int64_t there_us, back_us;
};

struct town_stream {
	bool taken;
	uint32_t life; /* one more each time it is opened */
	enum net_stream_state state;
	size_t asked_size, reply_size, reply_at;
	char asked[TOWN_REQUEST_MAX];
	char reply[TOWN_REQUEST_MAX];
};

struct town_process {
	struct town *town;
	struct net *net; /* set by the owner; NULL: it does not run */
	int64_t wall_offset_us;
	int64_t rate_permille; /* of its clock: 1000; set before it starts */
	int64_t stopped_until_us;
	bool cut_off; /* nothing arrives, in either direction */
	bool refuses; /* to it the server refuses connections */
	/* private */
	int64_t wake_us, wait_us;
	bool news;
	struct town_stream streams[TOWN_STREAMS + 1];
};

struct town_letter {
	int64_t at_us; /* INT64_MAX: none */
	bool back;
	struct town_fate fate;
	uint32_t process, stream, life;
	size_t size;
	char *bytes;
};

struct town {
	int64_t now_us;
	struct town_process processes[TOWN_PROCESSES];
	struct town_letter letters[TOWN_LETTERS];
	/* The server: calls town_reply() once, or leaves the request without an answer. */
	void (*answer)(void *self, struct town *town, const struct town_request *request);
	struct town_fate (*fate)(void *self, struct town *town, uint32_t process);
	void (*look)(void *self, struct town *town); /* after each step */
	void *self;
	struct town_fate answering;
	uint64_t steps;
};

void town_init(struct town *town);
void town_free(struct town *town);
struct net_bytes town_bytes(struct town *town, uint32_t process);
struct clock town_clock(struct town *town, uint32_t process);
bool town_is_stopped(const struct town *town, uint32_t process);
void town_run(struct town *town, int64_t ms);
/* A whole answer, with a length; `headers` may be "" or lines with CRLF. */
void town_reply(struct town *town, const struct town_request *request, int status,
	const char *headers, struct text body);
/* As it is, head and all. */
void town_reply_raw(struct town *town, const struct town_request *request, struct text bytes);

#endif
