/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Live: a scheduler with a cluster. Everything is carved out of one block whose size is the
 * budget; after that nothing is allocated any more.
 */
#ifndef BERTH_COMMAND_LIVE_H
#define BERTH_COMMAND_LIVE_H

#include <stdbool.h>

#include "base/pages.h"
#include "base/sandbox.h"
#include "command/command.h"
#include "command/output.h"
#include "config/kubeconfig.h"
#include "config/options.h"
#include "scheduler/scheduler.h"
#include "status/status.h"

enum {
	LIVE_IDENTITY_MAX = 320, /* host name, '_', UUID */
	LIVE_HOST_MAX = 256,
	LIVE_ASKERS = 2
};

struct live {
	const struct command_io *io;
	struct output err;
	struct arena arena;
	struct scratch setup; /* while things are set up; texts of options live in it */
	struct options options;
	int decision_log; /* a descriptor; 0: none */
	struct scheduler_limits limits;
	size_t space; /* address space, of which no more than the budget is used */
	struct page_budget budget;
	struct kubeconfig kubeconfig;
	struct net_bytes bytes;
	struct net *net;
	struct net_client *client;
	/* Of --authentication-kubeconfig and --authorization-kubeconfig; NULL: `client`. */
	struct net_client *askers[LIVE_ASKERS];
	struct plugin_profile *profiles; /* of each release, unless one is settled */
	bool follows_release;
	struct scheduler scheduler;
	struct status *status; /* NULL: no port */
	char identity[LIVE_IDENTITY_MAX];
	char host[LIVE_HOST_MAX];
	char sandbox[SANDBOX_WORDS_MAX]; /* what is in force */
};

/* NULL: *status is the exit status; what was wrong was told, or help was given. */
struct live *live_open(const struct command_io *io, int argc, char **argv, int *status);
void live_close(struct live *live);

#endif
