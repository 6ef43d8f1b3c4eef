/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dump: a cluster as files, put into the picture. JSON as `kubectl get -o json` prints it, lists
 * as the API answers them (their items do not say their kind), single objects, many of them one
 * after the other, or an array; all of it streamed in fixed memory. YAML as kubectl prints it.
 * What a file is, its bytes say, not its name.
 *
 * What cannot be read as an object is told and left out, and reading goes on. What makes the rest
 * of a file unreadable, and a picture without room, end the reading: half a cluster is none.
 */
#ifndef BERTH_COMMAND_DUMP_H
#define BERTH_COMMAND_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "cache/cache.h"
#include "command/output.h"
#include "command/progress.h"
#include "json/json.h"

enum {
	DUMP_PIECE_MAX = 1 << 20,   /* an object without what is not read */
	DUMP_SCRATCH = 4 << 20,     /* its tokens, and what is decoded from it */
	DUMP_INPUT = 256 << 10,     /* bytes of a file at a time */
	DUMP_KEPT = 8 << 20,        /* workloads and priority classes, until all is read */
	DUMP_WORKLOADS_MAX = 256,   /* told about */
	DUMP_MESSAGES_MAX = 20,     /* lines about broken objects; as many warnings */
	DUMP_SKIPPED_KINDS_MAX = 32 /* kinds told apart */
};

/* Where the pod stood: what the queue's order needs and the picture does not keep. */
struct dump_pod {
	int64_t created_us;
	uint32_t order;    /* in the dump */
	uint16_t workload; /* 1 + index in dump.workloads, 0: of none that was given */
	bool is_made;      /* of a workload */
};

/* What became of a workload that was given; texts live in dump.kept. */
struct dump_workload {
	const char *kind;
	struct text namespace;
	struct text name;
	uint32_t wanted;
	uint32_t running; /* pods that are there for it */
	uint32_t made;
	/* Pods of another template go as new ones come: so many may be too many, or too few. */
	uint32_t surge, unavailable;
	uint32_t there; /* of it now, old and new, while they are placed */
	uint32_t available;
};

struct dump_skipped {
	char kind[64];
	uint32_t count;
};

struct dump_limits {
	uint32_t pods;
	uint64_t
		memory_bytes; /* the budget: what YAML may take meanwhile, and what messages name */
};

struct dump {
	struct cache *cache;
	struct scratch scratch;
	struct json_cut *cut;
	char *input;
	struct dump_pod *pods; /* by index of the pod */
	struct output *err;
	struct progress *progress;
	struct dump_limits limits;
	void *kept_block; /* NULL: there is nothing in `kept` */
	struct scratch kept;
	struct dump_workload *workloads; /* in memory of its own, DUMP_WORKLOADS_MAX */
	uint32_t workload_count;
	struct dump_change *changes, **changes_end; /* command/change.h */
	/*
	 * Pods from that order on are asked about. More than 0: a cluster came before, and what
	 * the files have counts, even if a server has seen it.
	 */
	uint32_t asked_order;

	/* A pod that is put into the picture as if it were not on a node; TEXT_NONE: none. */
	struct text pending_namespace;
	struct text pending_name;
	char was_on[256]; /* the node it is on, "" when it is pending */

	/* What was read. */
	uint32_t objects;
	uint32_t broken;
	uint32_t warnings;
	uint32_t doubles;
	uint32_t finished; /* pods that have run to their end: they take no room */
	uint32_t skipped;
	struct dump_skipped skipped_kinds[DUMP_SKIPPED_KINDS_MAX];
	uint32_t skipped_kind_count;
	uint32_t order;
	bool full;
};

enum dump_result {
	DUMP_READ,
	DUMP_UNREADABLE, /* what was told on err */
	DUMP_FULL
};

size_t dump_size(const struct dump_limits *limits);
void dump_init(struct dump *d, struct arena *arena, const struct dump_limits *limits,
	struct cache *cache, struct output *err, struct progress *progress);

/* `fd` is read to its end; `name` is for messages. YAML needs malloc: memory is not sealed yet. */
MUST_USE enum dump_result dump_read(struct dump *d, const char *name, int fd);

/* After the last file: tells what was too much to tell, what was skipped, and ghosts. */
void dump_end(struct dump *d);

#endif
