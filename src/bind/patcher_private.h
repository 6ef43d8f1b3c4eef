/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the patcher: what its files share.
 *
 *   patcher.c         rooms, order, beginning and end of errands
 *   patcher_words.c   what is said: bodies, cut to what fits
 *   patcher_send.c    a request until its fate is known
 *   patcher_answer.c  what an answer means
 */
#ifndef BERTH_BIND_PATCHER_PRIVATE_H
#define BERTH_BIND_PATCHER_PRIVATE_H

#include "base/list.h"
#include "base/pool.h"
#include "base/scratch.h"
#include "bind/patcher.h"
#include "json/json.h"
#include "net/net.h"

enum {
	PATCHER_VICTIM_BODY_MAX = 4096,
	PATCHER_VICTIM_MESSAGE_MAX = 1024,
	PATCHER_ANSWER_KEPT = 1024, /* of an error; longer ones are known by their code only */
	PATCHER_DELETE_MAX = 128,
	PATCHER_SCRATCH = 8192
};

enum patcher_step { PATCHER_PATCH, PATCHER_DELETE };

/* One pod to be told: a patch, or a victim's patch and deletion. */
struct patcher_errand {
	struct net_request request;
	struct net_timer timer; /* between tries */
	struct list link;       /* in patcher->patching or patcher->evicting, oldest first */
	struct patcher *patcher;
	uint64_t tag;
	uint32_t index;
	uint32_t said; /* hash of the words of a patch */
	uint32_t tries;
	uint32_t waits;
	enum patcher_step step;
	bool is_victim;
	bool is_started; /* false: a patch of the same pod is before it */
	bool is_doomed;  /* no request can be made of it */
	size_t path_size;
	size_t body_size;
	size_t answer_size;
	char path[BODY_PATH_MAX]; /* of the status */
	char answer[PATCHER_ANSWER_KEPT];
};

struct patcher {
	struct patcher_setup setup;
	struct random random;
	struct pool patches; /* struct patcher_errand */
	struct pool victims;
	char *patch_bodies;
	char *victim_bodies;
	struct list patching;
	struct list evicting;
	struct json_cut *cut; /* answers are read one at a time */
	struct scratch scratch;
	struct patcher_stats stats;
	bool closing; /* the client is: nothing more is sent */
	size_t delete_size;
	char delete_body[PATCHER_DELETE_MAX];
};

static inline struct patcher_errand *patcher_errand_of(struct list *link)
{
	return LIST_OWNER(link, struct patcher_errand, link);
}
/* "default/web-0", as it stands in the path. */
struct text patcher_pod_of(const char *path, size_t size, struct text *namespace);

/* ---- patcher.c ---- */

/* The errand is over: its room is free, whoever waited for it goes on, the owner is told. */
void patcher_finish(struct patcher_errand *errand, enum patcher_outcome outcome);

/* ---- patcher_words.c ---- */

enum patcher_words { PATCHER_SAID, PATCHER_NOTHING_NEW, PATCHER_TOO_LONG };

/* As much of the message as takes `escaped_max` bytes in JSON, to the last whole character. */
struct text patcher_cut_message(struct text message, size_t escaped_max);
/* `after`: an earlier patch of the pod is on its way, so `status` shows what is no more. */
enum patcher_words patcher_say(
	const struct body_status *status, bool after, size_t message_max, struct writer *out);
uint32_t patcher_hash_words(const struct body_status *status);

/* ---- patcher_send.c ---- */

void patcher_send(struct patcher_errand *errand);
void patcher_try_again(struct net_timer *timer, struct mono now);

/* ---- patcher_answer.c ---- */

enum patcher_verdict {
	PATCHER_OK,
	PATCHER_NOT_FOUND,
	PATCHER_LATER, /* the server names a time */
	PATCHER_AGAIN, /* as often as PATCHER_TRIES allows */
	PATCHER_HOPELESS
};
enum { PATCHER_FAULT_MAX = 256 };
struct patcher_judged {
	enum patcher_verdict verdict;
	int64_t wait_ms;
	char fault[PATCHER_FAULT_MAX]; /* for the log */
};
void patcher_judge(struct patcher_errand *errand, struct patcher_judged *judged);

#endif
