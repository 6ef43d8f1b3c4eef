/* SPDX-License-Identifier: GPL-2.0-only */
/* Extenders, their apiserver and a small cluster on a wire with virtual time. */
#ifndef BERTH_TESTS_EXTENDER_BED_H
#define BERTH_TESTS_EXTENDER_BED_H

#include "base/entropy.h"
#include "base/pages.h"
#include "extender/extender.h"
#include "apisim/fake_server.h"

enum { BED_EXTENDERS = 3, BED_SCRIPTS = 40, BED_NODES = 6 };

/* What is answered on a path, as long as it stands. */
struct bed_script {
	char path[160];
	int status;
	char *body;
	int64_t delay_ms;
	int64_t cut_after; /* bytes of the answer; -1: whole */
	uint32_t refuses;  /* so many times the connection ends before an answer */
	uint32_t asked;
	char seen[FAKE_REQUEST_MAX]; /* the body of the last request */
};

struct bed_reply {
	uint32_t stream;
	int64_t due_us;
	struct bed_script *script;
};

struct bed {
	struct fake_server wire;
	uint8_t *memory;
	struct arena arena;
	struct page_budget *budget; /* of the arena; NULL: not counted */
	struct random random;
	struct net *net;
	struct net_client *client;
	struct api_client *api;
	struct cache cache;
	struct scratch scratch;
	struct scheduler_extender configs[BED_EXTENDERS];
	struct config_list list;
	struct extenders *extenders;
	struct bed_script scripts[BED_SCRIPTS];
	uint32_t script_count;
	struct bed_reply replies[FAKE_STREAMS + 1];
	uint32_t done[EXTENDER_ASKS + 1]; /* how often it was told */
	uint32_t nodes[BED_NODES + 1];    /* n1 and on */
	uint32_t pod;
	uint32_t strings; /* interned, before anybody asks */
};

/* One extender "http://127.0.0.1:9/a" that filters by names; others are like it: b, c. */
void bed_init(struct bed *bed, uint32_t extenders);
void bed_open_network(struct bed *bed); /* and nothing else: the caller closes it */
void bed_close_network(struct bed *bed);
void bed_open(struct bed *bed);
void bed_close(struct bed *bed); /* CHECKs that nothing is held */

/* "/a/filter"; quotes in the body may be apostrophes. */
struct bed_script *bed_says(struct bed *bed, const char *path, const char *body);
uint32_t bed_ask(struct bed *bed, uint32_t node_count);
void bed_run(struct bed *bed, int64_t ms);
/* Until the ask is over; fails after `ms`. */
void bed_wait(struct bed *bed, uint32_t ask, int64_t ms);
/* The verdicts about n1..., as letters: K, D, F, U; "-" is not asked. */
const char *bed_verdicts(const struct bed *bed, uint32_t ask);
void bed_expect_error(const struct bed *bed, uint32_t ask, const char *error);
uint32_t bed_feed(struct bed *bed, enum kube_kind kind, const char *json);

#endif
