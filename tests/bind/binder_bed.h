/* SPDX-License-Identifier: GPL-2.0-only */
/* A binder and its apiserver on a wire; what the binder told is written down. */
#ifndef BERTH_TESTS_BIND_BINDER_BED_H
#define BERTH_TESTS_BIND_BINDER_BED_H

#include "bind/binder.h"
#include "bind/binder_server.h"

enum { BED_RESULTS = 8192, BED_CONNECTIONS = 12 };

struct bed_result {
	uint32_t count; /* how often it was told */
	enum binder_outcome outcome;
	char message[API_MESSAGE_MAX + 1];
	int64_t took_us;
	int64_t at_us;
};

struct binder_bed {
	struct server server;
	uint8_t *memory;
	struct arena arena;
	struct net *net;
	struct net_client *client;
	struct random random;
	struct api_client *api;
	struct binder *binder;
	struct bed_result results[BED_RESULTS]; /* by tag */
	void (*on_done)(struct binder_bed *bed, const struct binder_result *result);
	bool inside;       /* net_poll() */
	bool stands_by;    /* may not write */
	uint32_t asked_to; /* write */
};

void bed_start(struct binder_bed *bed, uint32_t orders_max, uint32_t connections, uint64_t seed);
void bed_stop(struct binder_bed *bed);
void bed_close_binder(struct binder_bed *bed);
void bed_bind(
	struct binder_bed *bed, uint64_t tag, const char *name, const char *uid, const char *node);
void bed_run(struct binder_bed *bed, int64_t ms);
/* Runs until nothing is in flight; fails after `ms`. */
void bed_settle(struct binder_bed *bed, int64_t ms);
/* It was told once, so; `message` is a part of what was said (NULL: whatever). */
void bed_expect(
	struct binder_bed *bed, uint64_t tag, enum binder_outcome outcome, const char *message);

#endif
