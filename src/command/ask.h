/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ask: what a berth that runs says of a pod that waits, from /berth/v1/explain of its status page.
 */
#ifndef BERTH_COMMAND_ASK_H
#define BERTH_COMMAND_ASK_H

#include "command/offline.h"

enum { ASK_POD_MAX = 320 };

struct ask {
	const char *server;     /* https://127.0.0.1:10259 */
	const char *kubeconfig; /* who asks; NULL: nobody in particular */
	const char *ca;         /* who signed its certificate; NULL: as the kubeconfig says */
	struct text pod;        /* NAMESPACE/NAME, no longer than that */
};

/* The exit status. */
int ask_server(
	const struct command_io *io, const struct offline_flags *flags, const struct ask *question);

#endif
