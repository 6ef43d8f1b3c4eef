/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * api - the API of an apiserver as far as a scheduler meets it, without any transport: a request
 * goes in, an answer comes out. Answers are worded as kube-apiserver v1.36 words them.
 *
 * Lists and watches are streams: their answer has a number, and api_stream_read() gives their
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
	API_STREAMS_MAX = 256,
	API_RELEASE = 36,         /* 1.36 */
	API_HISTORY = 100 * 1000, /* changes that are remembered, if the setup does not say */
	API_VIOLATION_MAX = 256,
	API_VIOLATIONS_KEPT = 16,
	API_SCRATCH = 48 << 20,
	API_MEMORY_MIN = 96 << 20
};

struct api_request {
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

struct api_answer {
	int status;
	const char *content_type;
	uint32_t retry_after_s; /* 0: no such header */
	struct text body;       /* good until the next api_ask() */
	uint32_t stream;        /* 0, or where the body comes from */
};

enum api_stream_result {
	API_STREAM_MORE,  /* the room was too small */
	API_STREAM_WAITS, /* nothing more now */
	API_STREAM_ENDED  /* and is closed */
};

struct api_setup {
	void *block; /* zeroed; API_MEMORY_MIN bytes or more */
	size_t size;
	uint32_t history; /* 0: API_HISTORY */
	uint64_t first_version;
	struct clock clock;
	uint32_t release;  /* plays 1.<release>, from 20 on; 0: API_RELEASE */
	uint64_t seed;     /* of identities */
	struct text token; /* a bearer token that must be said; empty: none */
	bool no_streaming_lists;
	bool no_access; /* what tokenreviews and subjectaccessreviews answer */
	void (*on_violation)(void *self, const char *text);
	void *self;
};

struct api; /* in the block */

struct api *api_init(const struct api_setup *setup);
void api_ask(struct api *api, const struct api_request *request, struct api_answer *answer);

enum api_stream_result api_stream_read(struct api *api, uint32_t stream, struct writer *out);
/* A text as a stream: a copy that is good as long as it takes. 0: no room. */
MUST_USE uint32_t api_keep(struct api *api, struct text text);
void api_stream_close(struct api *api, uint32_t stream);
/* A stream has something to say now, or only when time passes: then until when. */
bool api_stream_has_news(const struct api *api, uint32_t stream);
struct mono api_stream_next(const struct api *api, uint32_t stream);

/* Once in a while: old events go. */
void api_tick(struct api *api);

/* ---- moods ---- */

/* The next requests (of those outside) are answered 429 with Retry-After. */
void api_throttle(struct api *api, uint32_t requests, uint32_t retry_after_s);
/*
 * So many of the last changes were never written to the disk when the power went. All connections
 * have to be cut, too: watches are not told.
 */
void api_lose(struct api *api, uint32_t changes);
/* Forgets the past: watches from before are told 410. */
void api_compact(struct api *api);
void api_streaming_lists(struct api *api, bool offered);

/* ---- looking ---- */

struct api_counts {
	uint64_t requests, lists, watches, creates, updates, patches, deletes;
	uint64_t bindings, binding_conflicts, throttled, failures /* status >= 400 */;
	uint64_t violations;
};
const struct api_counts *api_counts(const struct api *api);
/* The last ones, 0 the newest; NULL when there are not so many. */
const char *api_violation(const struct api *api, uint32_t i);
struct registry *api_registry(struct api *api);
struct scratch *api_scratch(struct api *api); /* free to use between calls; reset by api_ask() */

/*
 * Puts an object in as it is, as of a dump: with its uid, status and times if it has any. The
 * namespace is made when it is missing. False: it is no object of a kind that is served.
 */
MUST_USE bool api_load(struct api *api, struct text json, const char **fault);

#endif
