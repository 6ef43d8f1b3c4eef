/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * extender, private: what the files of this folder do for each other.
 */
#ifndef BERTH_EXTENDER_PRIVATE_H
#define BERTH_EXTENDER_PRIVATE_H

#include "base/list.h"
#include "base/pages.h"
#include "base/pool.h"
#include "base/scratch.h"
#include "extender/extender.h"
#include "json/json.h"

enum {
	EXTENDER_URL_MAX = 1024, /* urlPrefix and a verb */
	EXTENDER_ANSWER_LEAST = 256 * 1024,
	EXTENDER_ANSWER_BY_NODE = 256, /* its name, and why not, of every node */
	/* Address space for victims as whole pods; memory is taken for those that are read. */
	EXTENDER_WHOLE_PODS_MAX = 32 << 20,
	EXTENDER_PATH_MAX = 512,
	EXTENDER_AUTHORITIES_MAX = 64 * 1024 /* of a file; as for any other PEM */
};

struct extender_call {    /* one question of an ask to one extender */
	struct list link; /* while it waits for a line */
	struct extender_ask *ask;
	struct extender *extender;
	struct extender_line *line; /* NULL: none yet */
	enum extender_verb verb;
	bool open;
};

struct extender_line {
	struct api_call api;
	struct extender_call *call; /* NULL: free */
	struct json_cut *cut;
	struct text answer; /* in the cutter; TEXT_NONE: not all there */
};

struct extender {
	struct extenders *all;
	const struct scheduler_extender *config;
	struct net_target target;
	struct net_client *client;
	struct api_caller caller;
	struct list waiting; /* calls */
	struct extender_line lines[EXTENDER_LINES];
	uint32_t managed[SCHEDULER_MANAGED_MAX]; /* string ids */
	char name[24];                           /* "extender-0" */
	char url[EXTENDER_VERBS][EXTENDER_URL_MAX];
	size_t url_size[EXTENDER_VERBS]; /* 0: the verb is not there */
	size_t path_at;                  /* of the verb with its slash, in the URL */
};

/* Milliseconds, of which a part is one: to net/ none means that it may take for ever. */
static inline int64_t extender_timeout_ms(const struct scheduler_extender *config)
{
	return (config->timeout_us + CLOCK_MS_US - 1) / CLOCK_MS_US;
}

enum extender_step {
	EXTENDER_READS,
	EXTENDER_LOOKS, /* waits for whole nodes */
	EXTENDER_FILTERS,
	EXTENDER_SCORES,
	EXTENDER_READS_VICTIMS,
	EXTENDER_PREEMPTS,
	EXTENDER_DONE
};

struct extender_ask {
	struct extenders *all;
	uint32_t index;
	enum extender_step step;
	enum extender_step first; /* after the pod was read */
	bool offers_kept;         /* names of their nodes are */
	bool has_nodes;           /* whole ones */
	uint32_t care;            /* bits: extenders that care for the pod ... */
	uint32_t heard;           /* ... and of those the ones that are asked about it */
	uint32_t next;            /* extender to be asked, of those in turn */
	uint32_t open;            /* calls under way */
	struct extender_call calls[SCHEDULER_EXTENDERS_MAX];
	uint32_t *nodes; /* left, in order */
	uint32_t node_count;
	struct extender_words words;
	struct extender_offers *offers;
	size_t reasons_size;
	char reasons[EXTENDER_WORDS_MAX];
	struct api_call read;
	struct json_cut *cut;
	struct text read_json; /* in the cutter */
	struct text pod_json;  /* in the cutter, or with the victims */
	struct extender_whole {
		struct page_span span;
		size_t used;
		uint32_t next; /* victim to be read */
	} whole;               /* victims as whole pods */
	size_t path_size;
	char path[EXTENDER_PATH_MAX];
	size_t error_size;
	char error[EXTENDER_ERROR_MAX];
};

struct extenders {
	struct extenders_setup setup;
	struct api_caller reads; /* of pods */
	uint32_t count;
	uint32_t node_room;
	struct extender *list; /* those that cannot be ignored first, as upstream asks them */
	struct extender_ask *asks;
	struct extender_nodes *nodes; /* NULL: not wanted */
	uint32_t asks_used;           /* bits, by index */
	struct scratch scratch;       /* tokens of an answer */
	struct extenders_stats stats;
};

/* ---- extender_ask.c ---- */

void extender_asks_open(struct extenders *x);
void extender_ask_fail(struct extender_ask *ask, const char *format, ...) PRINTF_LIKE(2, 3);
/* A call ended; `ok` or the ask has an error. */
void extender_ask_heard(struct extender_ask *ask, struct extender_call *call, bool ok);

/* Nodes have been read, or not: those that wait for them go on. */
void extender_asks_look(struct extenders *x, bool good);
extern const struct json_want extender_want_metadata[]; /* all but managedFields */

/* ---- extender_victims.c ---- */

/* Do they go to an extender as whole pods? */
bool extender_wants_whole_victims(const struct extender_ask *ask);
void extender_victims_read(struct extender_ask *ask); /* extender_ask_preempts() then */
/* A pod of the ask has been read, or not. */
void extender_victim_done(struct extender_ask *ask, enum api_verdict verdict);
void extender_ask_preempts(struct extender_ask *ask);
void extender_ask_finish(struct extender_ask *ask);
void extender_ask_read(struct extender_ask *ask, struct text path);

/* ---- extender_nodes.c ---- */

struct extender_nodes *extender_nodes_open(struct extenders *x);
size_t extender_nodes_size(uint32_t nodes);
void extender_nodes_close(struct extender_nodes *n);
/* False: they are, or will be, read; extender_asks_look() then. */
bool extender_nodes_take(struct extender_nodes *n);
void extender_nodes_give(struct extender_nodes *n);
/* A whole node as JSON; empty when it is not known. */
struct text extender_node_text(const struct extender_nodes *n, uint32_t node, uint32_t name);

/* ---- extender_call.c ---- */

void extender_calls_open(struct extender *e);
void extender_call_begin(
	struct extender_ask *ask, struct extender *extender, enum extender_verb verb);
void extender_call_cancel(struct extender_call *call);

static inline struct text extender_url(const struct extender *e, enum extender_verb verb)
{
	return (struct text){e->url[verb], e->url_size[verb]};
}

/* ---- extender_body.c ---- */

/*
 * A part of what is sent, as much as `size` takes, from the byte `from` on. Returns the size of all
 * when size is 0.
 */
size_t extender_body(const struct extender_call *call, size_t from, char *to, size_t size);

/* ---- extender_answer.c ---- */

/* False: nothing is changed, and the ask has an error that says why. */
MUST_USE bool extender_answer(struct extender_ask *ask, const struct extender *extender,
	enum extender_verb verb, struct text answer);
extern const struct json_want extender_want_filter[];

#endif
