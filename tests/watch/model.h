/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of an apiserver: pods and nodes that come, change and go; lists in pages and as streams,
 * watches with bookmarks, compaction. And everything it may do to those who ask: each answer may
 * be an error, be late, be cut at any byte, or be garbage, by a seed.
 */
#ifndef BERTH_TESTS_WATCH_MODEL_H
#define BERTH_TESTS_WATCH_MODEL_H

#include "base/entropy.h"
#include "watch/bed.h"

enum {
	MODEL_NAMES = 40, /* objects there may be of each kind */
	MODEL_KINDS = 2,  /* pods, nodes */
	MODEL_LOG = 20000,
	MODEL_PAGE = 7 /* whatever limit is asked for */
};

struct model_change {
	uint64_t version;
	uint8_t kind;
	uint8_t name;
	bool deleted;
};

struct model_stream {
	bool watching;
	bool initial; /* the end of the initial events is not said yet */
	uint8_t kind;
	uint64_t since;
	int64_t ends_us, bookmark_us;
};

struct model {
	struct bed *bed;
	struct random random;
	struct model_change log[MODEL_LOG];
	uint32_t changes;
	uint64_t compacted; /* versions before are forgotten */
	bool streams_lists;
	bool closes_early; /* a proxy: 30 s for each watch */
	uint32_t fault_percent;
	bool picture[MODEL_KINDS][MODEL_NAMES]; /* what is there now */
	uint64_t versions[MODEL_KINDS][MODEL_NAMES];
	struct model_stream streams[FAKE_STREAMS + 1];
	uint64_t lists, watches, faults, expired;
};

void model_init(struct model *model, struct bed *bed, uint64_t seed);
void model_change(struct model *model); /* one object, at random */
void model_compact(struct model *model);
/* The bed's picture is the model's. */
void model_compare(const struct model *model, struct bed *bed);

#endif
