/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A watch over a wire, and a sink that writes down what it is told and keeps a picture of it.
 *
 *	begin pods / + pods default/a 5 / ~ pods default/a 6 / - pods default/a 7 / end pods
 *	big pods default/a / synced
 */
#ifndef BERTH_TESTS_WATCH_BED_H
#define BERTH_TESTS_WATCH_BED_H

#include "http/http.h"
#include "watch/watch.h"
#include "apisim/fake_server.h"

enum {
	BED_OBJECTS = 4096,
	BED_NAME_MAX = 96,
	BED_JOURNAL_MAX = 1 << 20,
	BED_CONNECTIONS = 4,
	BED_WATCHES = 8
};

struct bed_object {
	char name[BED_NAME_MAX]; /* "pods default/a" */
	uint64_t version;
	bool seen;
};

struct bed {
	struct fake_server wire;
	uint8_t *memory;
	struct arena arena;
	struct scratch scratch;
	struct net *net;
	struct net_client *client;
	struct random random;
	struct watch *watch;
	struct bed_object objects[BED_OBJECTS];
	uint32_t count;
	char journal[BED_JOURNAL_MAX];
	size_t journal_size;
	bool page_first;                                      /* of the setup; before bed_start() */
	bool quiet;                                           /* no journal */
	char refuses[BED_NAME_MAX];                           /* objects of this name are refused */
	void (*on_object)(struct bed *bed, const char *name); /* NULL: nothing more */
	void (*on_list_end)(struct bed *bed, enum kube_kind kind);
	uint32_t synced, lists_asked;
	uint32_t doubtful; /* lists that began while what was known was in doubt */
};

/* The wire's server is set by the caller before bed_start(). */
void bed_init(struct bed *bed);
void bed_start(struct bed *bed, uint32_t kinds, uint64_t seed);
void bed_stop(struct bed *bed);
void bed_run(struct bed *bed, int64_t ms);
/* Runs until the kind is in that state, asking; fails after `ms`. */
void bed_until(struct bed *bed, enum kube_kind kind, const char *state, int64_t ms);
struct bed_object *bed_find(struct bed *bed, const char *name);
bool bed_has(const struct bed *bed, const char *part); /* in the journal */
void bed_forget(struct bed *bed);                      /* empties the journal */

#endif
