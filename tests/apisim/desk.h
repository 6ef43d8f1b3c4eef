/* SPDX-License-Identifier: GPL-2.0-only */
/* A desk in front of the API: requests in a line of C, answers as trees, a clock that is set. */
#ifndef BERTH_TESTS_APISIM_DESK_H
#define BERTH_TESTS_APISIM_DESK_H

#include "apisim/api.h"

enum { DESK_BODY_MAX = 1 << 20 };

struct desk {
	void *block;
	size_t size;
	struct apisim *api;
	int64_t now_us;
	uint32_t told; /* violations */
	char authorization[64];
	/* The last answer. */
	struct apisim_answer answer;
	char body[DESK_BODY_MAX + 1];
	size_t body_size;
	enum apisim_stream_result stream_is;
	/* Where trees are read to. */
	uint8_t *memory;
	struct scratch scratch;
};

void desk_open(struct desk *desk, uint32_t history);
/* `token`: what requests must say, and say; NULL: nothing. */
void desk_open_release(struct desk *desk, uint32_t history, uint32_t release, const char *token);
void desk_close(struct desk *desk);
struct clock desk_clock(struct desk *desk);
/* The path may have a query. Lists are read to their end; of watches what they say at once. */
int desk_ask(struct desk *desk, const char *method, const char *path, const char *body);
int desk_patch(struct desk *desk, const char *type, const char *path, const char *body);
/* What the stream of the last watch, or of that number, says since. */
void desk_listen(struct desk *desk, uint32_t stream);
/* A value of the last body, by its dotted path; "" when it is not there. */
const char *desk_value(struct desk *desk, const char *dotted);
bool desk_has(const struct desk *desk, const char *part);
uint32_t desk_lines(const struct desk *desk);

#endif
