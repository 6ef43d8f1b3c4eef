/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to api: what its files share.
 */
#ifndef BERTH_API_API_PRIVATE_H
#define BERTH_API_API_PRIVATE_H

#include "api/api.h"

enum { API_SCRATCH = 16 * 1024 /* tokens of an object */ };

struct api_client {
	struct api_setup setup;
	struct random random;
	struct pool cuts;
	struct scratch scratch;
	struct list callers;
	bool is_away;   /* the server did not answer last */
	bool is_closed; /* its connections are: nothing more is sent */
};

/* ---- api_answer.c ---- */

enum net_flow api_answer_take(struct net_request *request, struct text bytes);
void api_answer_end(struct api_call *call); /* the cutter goes back */
void api_answer_reset(struct api_call *call);
/* What the answer as a whole means, to a request or to its verification. */
enum api_verdict api_answer_judge(struct api_call *call);

#endif
