/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Offline: a scheduler without a cluster. The picture comes from files, decisions go to a reader.
 * Everything is carved out of one block of address space whose size is the budget; what a small
 * dump does not touch costs nothing.
 */
#ifndef BERTH_COMMAND_OFFLINE_H
#define BERTH_COMMAND_OFFLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "cache/cache.h"
#include "command/command.h"
#include "command/dump.h"
#include "command/flags.h"
#include "command/output.h"
#include "command/progress.h"
#include "cycle/cycle.h"
#include "plugins/args.h"

struct offline_limits {
	struct cache_limits cache;
	struct cycle_limits cycle;
	struct dump_limits dump;
	size_t words_bytes;  /* for texts of answers: offline.words */
	size_t answer_bytes; /* for a whole answer, and for lists: what a command takes by itself */
};

/* The flags that all offline commands have. */
struct offline_flags {
	const char *config;
	uint32_t form; /* enum offline_form */
	uint64_t memory_bytes;
	bool skip_broken;
};
enum offline_form { OFFLINE_TABLE, OFFLINE_JSON };

/* Of a struct of flags that has them as `offline`. */
#define OFFLINE_FLAGS(type)                                                              \
	{"config", 0, FLAG_TEXT, offsetof(type, offline.config), "FILE",                 \
		"a KubeSchedulerConfiguration, YAML or JSON"},                           \
		{"output", 'o', FLAG_CHOICE, offsetof(type, offline.form), "table|json", \
			"how to say it"},                                                \
		{"memory", 0, FLAG_BYTES, offsetof(type, offline.memory_bytes), "SIZE",  \
			"memory budget"},                                                \
	{                                                                                \
		"skip-broken", 0, FLAG_BOOL, offsetof(type, offline.skip_broken), NULL,  \
			"exit 0 in spite of broken objects"                              \
	}

struct offline {
	const struct command_io *io;
	struct output out;
	struct output err;
	struct progress progress;
	struct offline_limits limits;
	struct arena arena;
	struct cache cache;
	struct dump dump;
	struct cycle cycle;
	struct plugin_profile *profiles;
	uint32_t profile_count;
	struct scratch words;
	bool skip_broken;
	void *block;
	size_t block_size;
};

/* A budget that is no less than this is one; the default follows from the board's. */
uint64_t offline_memory_default(void);

/* What fits into the budget; false: nothing does. */
bool offline_plan(uint64_t memory_bytes, struct offline_limits *limits);

/*
 * Memory, profiles. NULL: *status is the exit status, what was wrong is told. What is printed
 * goes to o->out and o->err.
 */
struct offline *offline_open(const struct command_io *io, const struct offline_flags *flags,
	enum kube_release release, int *status);
/*
 * Reads the cluster of a kubeconfig (NULL: none), then the files ("-": standard input), and seals
 * the memory. False: told, exit 1.
 */
bool offline_read(
	struct offline *o, const char *kubeconfig, const char *const *files, uint32_t count);
/* Flushes and gives everything back. The exit status. */
int offline_close(struct offline *o, bool failed);

/* "default/web" of a pod, in `words`; TEXT_NONE when there is no room. */
struct text offline_pod_name(struct offline *o, uint32_t pod);

#endif
