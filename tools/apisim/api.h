/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * api - the API of an apiserver as far as a scheduler meets it, without any transport: a request
 * goes in, an answer comes out. Answers are worded as kube-apiserver v1.36 words them.
 *
 * Lists and watches are streams: their answer has a number, and apisim_stream_read() gives their
 * bytes as far as there are any and there is room. Bytes of a stream are cut anywhere.
 *
 * It is stricter than a real one: what a scheduler has no reason to send is answered as usual,
 * but counted and told as a violation.
 */
#ifndef BERTH_TOOLS_APISIM_API_H
#define BERTH_TOOLS_APISIM_API_H

#include "apisim/registry.h"
#include "apisim/resources.h"
#include "apisim/selection.h"
#include "apisim/tree.h"
#include "base/clock.h"
#include "base/entropy.h"

enum {
	APISIM_STREAMS_MAX = 256,
	APISIM_RELEASE = 36,         /* 1.36 */
	APISIM_HISTORY = 100 * 1000, /* changes that are remembered, if the setup does not say */
	APISIM_VIOLATION_MAX = 256,
	APISIM_VIOLATIONS_KEPT = 16,
	APISIM_SCRATCH = 48 << 20,
	APISIM_MEMORY_MIN = 96 << 20
};

struct apisim_request {
	struct text method; /* "GET" */
	struct text path;   /* without the query */
	struct text query;  /* without '?' */
	struct text content_type;
	struct text accept;
	struct text authorization;
	struct text user_agent;
	struct text body;
	bool inside; /* of the cluster's own machinery: neither judged nor kept out */
};

struct apisim_answer {
	int status;
	const char *content_type;
	uint32_t retry_after_s; /* 0: no such header */
	struct text body;       /* good until the next apisim_ask() */
	uint32_t stream;        /* 0, or where the body comes from */
};

enum apisim_stream_result {
	APISIM_STREAM_MORE,  /* the room was too small */
	APISIM_STREAM_WAITS, /* nothing more now */
	APISIM_STREAM_ENDED  /* and is closed */
};

struct apisim_setup {
	void *block; /* zeroed; APISIM_MEMORY_MIN bytes or more */
	size_t size;
	uint32_t history; /* 0: APISIM_HISTORY */
	uint64_t first_version;
	struct clock clock;
	uint32_t release;  /* plays 1.<release>, from 20 on; 0: APISIM_RELEASE */
	uint64_t seed;     /* of identities */
	struct text token; /* a bearer token that must be said; empty: none */
	bool no_streaming_lists;
	bool no_access; /* what tokenreviews and subjectaccessreviews answer */
	void (*on_violation)(void *self, const char *text);
	void *self;
};

struct apisim; /* in the block */

struct apisim *apisim_init(const struct apisim_setup *setup);
void apisim_ask(
	struct apisim *api, const struct apisim_request *request, struct apisim_answer *answer);

enum apisim_stream_result apisim_stream_read(
	struct apisim *api, uint32_t stream, struct writer *out);
/* A text as a stream: a copy that is good as long as it takes. 0: no room. */
MUST_USE uint32_t apisim_keep(struct apisim *api, struct text text);
void apisim_stream_close(struct apisim *api, uint32_t stream);
/* A stream has something to say now, or only when time passes: then until when. */
bool apisim_stream_has_news(const struct apisim *api, uint32_t stream);
struct mono apisim_stream_next(const struct apisim *api, uint32_t stream);

/* Once in a while: old events go. */
void apisim_tick(struct apisim *api);

/* ---- moods ---- */

/* The next requests (of those outside) are answered 429 with Retry-After. */
void apisim_throttle(struct apisim *api, uint32_t requests, uint32_t retry_after_s);
/*
 * So many of the last changes were never written to the disk when the power went. All connections
 * have to be cut, too: watches are not told.
 */
void apisim_lose(struct apisim *api, uint32_t changes);
/* Forgets the past: watches from before are told 410. */
void apisim_compact(struct apisim *api);
void apisim_streaming_lists(struct apisim *api, bool offered);

/* ---- looking ---- */

struct apisim_counts {
	uint64_t requests, lists, watches, creates, updates, patches, deletes;
	uint64_t bindings, binding_conflicts, throttled, failures /* status >= 400 */;
	uint64_t violations;
};
const struct apisim_counts *apisim_counts(const struct apisim *api);
/* The last ones, 0 the newest; NULL when there are not so many. */
const char *apisim_violation(const struct apisim *api, uint32_t i);
struct registry *apisim_registry(struct apisim *api);
struct scratch *apisim_scratch(
	struct apisim *api); /* free to use between calls; reset by apisim_ask() */

/*
 * Puts an object in as it is, as of a dump: with its uid, status and times if it has any. The
 * namespace is made when it is missing. False: it is no object of a kind that is served.
 */
MUST_USE bool apisim_load(struct apisim *api, struct text json, const char **fault);

#endif
