/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to watch/: one reflector, and what its files do for each other.
 *
 *   steps.c    which state follows which: the table, and the driver of requests and pauses
 *   ask.c      paths and queries
 *   listen.c   answers: bytes to pieces, pieces to the sink
 *   judge.c    what an answer that did not work means
 *   fetch.c    pods asked for by name
 */
#ifndef BERTH_WATCH_REFLECTOR_H
#define BERTH_WATCH_REFLECTOR_H

#include "base/pages.h"
#include "json/json.h"
#include "net/backoff.h"
#include "watch/kinds.h"
#include "watch/watch.h"

enum {
	WATCH_VERSION_MAX = 64,                /* of a resource version */
	WATCH_TOKEN_MAX = 1024,                /* of a continue token, escaped */
	WATCH_PATH_MAX = WATCH_TOKEN_MAX + 384 /* group, plural, selector, numbers */
};

enum watch_state {
	WATCH_OFF,      /* not wanted */
	WATCH_DISCOVER, /* which version of the group is served */
	WATCH_ABSENT,   /* none; looked for again now and then */
	WATCH_STREAM,   /* a list as the beginning of a watch */
	WATCH_LIST,     /* a list in pages */
	WATCH_FOLLOW,   /* changes since `version` */
	WATCH_PROBE     /* is the server's version older than ours? */
};
enum { WATCH_STATES = WATCH_PROBE + 1 };

enum watch_outcome {
	WATCH_FINE,      /* a complete answer, as it should be */
	WATCH_EXPIRED,   /* 410 in one of its forms: where we are is known no more */
	WATCH_REFUSED,   /* this way of asking is not understood */
	WATCH_NOT_FOUND, /* the path is not served */
	WATCH_ODD,       /* an answer that cannot be used; perhaps the next one can */
	WATCH_TROUBLE    /* it will pass: network, throttling, permission, restarts */
};
enum { WATCH_OUTCOMES = WATCH_TROUBLE + 1 };

/* Memory of a cutter: grows with an object that is large, where pages are counted. */
struct watch_cutter {
	struct page_span span;
	void *block;
	size_t piece_max;
};

struct watch_reflector {
	struct net_request request;
	struct net_timer timer; /* of a pause */
	struct watch *watch;
	const struct watch_kind *row;
	enum kube_kind kind;
	enum watch_state state; /* while waiting: what comes after the pause */
	bool waiting;
	bool synced;
	bool was_served; /* it had a list once */
	bool bookmarks;  /* the server sends them */
	bool doubt;      /* the server may have lost what we know: nothing helps but a list */
	bool short_before;
	bool whole;       /* no pages: their tokens expire too soon, or are too long */
	bool page_first;  /* until a list was told, or found to have more than a page */
	uint32_t served;  /* index in row->served */
	uint32_t turn;    /* one more with each request: tells a callback that it was cancelled */
	uint32_t stuck;   /* odd answers in a row */
	uint32_t expired; /* lists in a row that were too slow for their token */
	struct net_backoff backoff;

	/* The list under way. */
	bool listing;    /* list_begin was told, list_end was not */
	uint64_t listed; /* objects of it */
	char version[WATCH_VERSION_MAX];
	size_t version_size;
	char token[WATCH_TOKEN_MAX];
	size_t token_size; /* 0: the first page */

	/* The answer under way. */
	struct watch_cutter cutter;
	struct json_cut *cut;         /* the cutter's; NULL: was never wanted */
	const struct json_want *want; /* of an object */
	struct json_want line_want[3];
	bool cutting;  /* the cutter was started for it */
	bool deaf;     /* an error's body that is not JSON */
	bool complete; /* the list's envelope came; the version was found */
	uint64_t lines;
	struct mono asked;
	struct mono heard;     /* the last word about this kind */
	struct mono caught_up; /* the last list's end, or bookmark */
	struct mono confirmed; /* when the last watch that was taken up was asked for */
	enum watch_outcome outcome;
	int64_t retry_after_ms; /* -1: not said */

	struct watch_stats stats;
	char path[WATCH_PATH_MAX];
	char error[WATCH_ERROR_MAX];
};

struct watch_fetch {
	struct net_request request;
	struct watch *watch;
	uint64_t tag;
	struct watch_cutter cutter;
	struct json_cut *cut;
	bool told;
	char path[WATCH_PATH_MAX];
};

struct watch {
	struct net *net;
	struct net_client *client;
	struct scratch *scratch;
	struct watch_sink sink;
	struct random random;
	struct mono stream_again; /* streaming lists are not tried before */
	bool synced_told;
	uint32_t kinds;
	struct watch_reflector *by_kind[KUBE_KINDS]; /* NULL: not among ours */
	struct watch_fetch fetches[WATCH_FETCHES];
};

static inline const char *reflector_api_version(const struct watch_reflector *r)
{
	return r->row->served[r->served];
}
static inline const char *reflector_plural(const struct watch_reflector *r)
{
	return kube_kinds[r->kind].plural;
}
static inline struct text reflector_version(const struct watch_reflector *r)
{
	return (struct text){r->version, r->version_size};
}

/* ---- watch.c ---- */

void watch_cutter_take(struct watch_cutter *cutter, struct arena *arena, size_t piece_max);
struct json_cut *watch_cutter_open(struct watch_cutter *cutter);

/* ---- steps.c ---- */

const char *watch_state_name(enum watch_state state);
/* Into the state, now or after a pause of the backoff. */
void watch_enter(struct watch_reflector *r, enum watch_state state);
void watch_stop(struct watch_reflector *r);
void watch_answered(struct net_request *request);
void watch_pause_over(struct net_timer *timer, struct mono now);

/* ---- ask.c ---- */

typedef void watch_ask_fn(struct watch_reflector *r, struct writer *path);
watch_ask_fn watch_ask_discover, watch_ask_stream, watch_ask_page, watch_ask_follow,
	watch_ask_probe;

/* ---- listen.c ---- */

enum net_flow watch_listen(struct net_request *request, struct text bytes);
/* The answer is there: false when it ended in the middle of something. */
bool watch_listen_end(struct watch_reflector *r);
void watch_list_told(struct watch_reflector *r); /* the list is complete */
void watch_tell_synced(struct watch *watch);

/* ---- fetch.c ---- */

void watch_fetch_init(struct watch *watch, struct arena *arena);
size_t watch_fetch_size(void);

/* ---- judge.c ---- */

/* What a Status says, be it an answer of its own or a line of a watch. */
void watch_judge_status(struct watch_reflector *r, const struct kube_status *status);
/* What the answer as a whole says, when no Status did. */
void watch_judge_answer(struct watch_reflector *r);
/* First word wins. */
void watch_judge(struct watch_reflector *r, enum watch_outcome outcome, const char *format, ...)
	PRINTF_LIKE(3, 4);

#endif
