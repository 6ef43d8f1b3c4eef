/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A server that plays: each request must be the one that comes next, and gets its answer. When
 * the play is over, requests get none.
 */
#ifndef BERTH_TESTS_WATCH_PLAY_H
#define BERTH_TESTS_WATCH_PLAY_H

#include "watch/bed.h"

enum play_act {
	PLAY_ANSWER, /* status and body */
	PLAY_WATCH,  /* 200, and the body as a chunk; the watch stays open */
	PLAY_ENDS,   /* the same, and it ends in order */
	PLAY_CUT,    /* the same, and the connection is cut */
	PLAY_RAW,    /* the body is all of the answer */
	PLAY_HANG    /* nothing */
};

struct play_scene {
	const char *path; /* parts of the request's path, separated by spaces; "!part": not in it */
	enum play_act act;
	const char *body;
	int status; /* 0: 200 */
	const char *headers;
};

enum { PLAY_SCENES_MAX = 64, PLAY_PATH_MAX = 2048 };

struct play {
	const struct play_scene *scenes;
	uint32_t count;
	uint32_t at;     /* the next scene */
	uint32_t extra;  /* requests after the end */
	uint32_t stream; /* of the last request */
	int64_t asked_us[PLAY_SCENES_MAX];
	char path[PLAY_PATH_MAX]; /* of the last request */
};

void play_start(
	struct play *play, struct bed *bed, const struct play_scene *scenes, uint32_t count);
/* Milliseconds between two requests. */
int64_t play_between_ms(const struct play *play, uint32_t earlier, uint32_t later);

#endif
