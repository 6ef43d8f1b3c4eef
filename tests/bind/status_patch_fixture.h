/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A patcher over a wire, and a server that writes down what it is asked and answers as it is told.
 */
#ifndef BERTH_TESTS_BIND_STATUS_PATCH_FIXTURE_H
#define BERTH_TESTS_BIND_STATUS_PATCH_FIXTURE_H

#include "bind/eviction.h"
#include "bind/status_patch.h"
#include "apisim/fake_server.h"

enum {
	BED_SEEN_MAX = 512,
	BED_TOLD_MAX = 4096,
	BED_CONNECTIONS = 4,
	BED_PATCHES = 8,
	BED_VICTIMS = 4
};

enum bed_way {
	BED_ANSWER,
	BED_CUT,          /* the connection breaks, the request was read */
	BED_SILENT,       /* never an answer */
	BED_HALF,         /* a head of 200 and part of the body, then the connection breaks */
	BED_NO_ANSWER_YET /* until bed_release() */
};

/* What happens to the next request. */
struct bed_reply {
	enum bed_way way;
	int status;
	const char *headers; /* "" or lines with CRLF */
	const char *body;
};

struct bed_seen {
	int64_t at_us;
	char line[640]; /* "PATCH /api/..." */
	char type[64];  /* content type */
	char *body;
	size_t body_size;
	uint32_t stream;
};

struct bed_told {
	uint64_t tag;
	enum api_verdict outcome; /* API_REFUSED stands for every failure */
	bool evicted;
};

struct bed {
	struct fake_server wire;
	uint8_t *memory;
	struct arena arena;
	struct net *net;
	struct net_client *client;
	struct random random;
	struct api_client *api;
	struct status_patcher *patcher;
	struct evictor *evictor;
	int64_t reply_at_us[FAKE_STREAMS + 1]; /* 0: none is due */
	struct bed_reply due[FAKE_STREAMS + 1];
	struct bed_seen seen[BED_SEEN_MAX];
	uint32_t seen_count;
	struct bed_told told[BED_TOLD_MAX];
	uint32_t told_count;
	const struct bed_reply *replies; /* in turn; when they are used up: 200 */
	uint32_t reply_count, reply_at;
	/* Instead of `replies`. The answer is due at *at_us. */
	struct bed_reply (*answer)(struct bed *bed, const struct bed_seen *seen, int64_t *at_us);
	void (*on_told)(struct bed *bed, const struct bed_told *told);
	bool remembers; /* requests, in `seen` */
};

void bed_start(struct bed *bed, uint32_t patches, uint32_t victims, uint64_t seed);
void bed_stop(struct bed *bed);
void bed_open_writers(struct bed *bed, uint32_t patches, uint32_t victims, bool tells);
void bed_close_writers(struct bed *bed);
struct bed_stats {
	uint32_t patches, victims;
	uint64_t sent, unchanged, failed, evicted, evict_failed, retried;
};
struct bed_stats bed_stats(const struct bed *bed);
bool bed_is_idle(const struct bed *bed);
void bed_run(struct bed *bed, int64_t ms);
void bed_until_idle(struct bed *bed, int64_t ms); /* fails when it is not by then */
void bed_replies(struct bed *bed, const struct bed_reply *replies, uint32_t count);
/* Answers what was held back, the oldest first. */
void bed_release(struct bed *bed, int status);
uint32_t bed_asked(const struct bed *bed, const char *line); /* how often */

#define BED_NOT_FOUND                                                                        \
	"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\"," \
	"\"message\":\"pods \\\"a\\\" not "                                                  \
	"found\",\"reason\":\"NotFound\",\"details\":{\"name\":\"a\","                       \
	"\"kind\":\"pods\"},\"code\":404}"

#endif
