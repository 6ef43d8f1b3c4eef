/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the binder: how many bindings at a time.
 */
#ifndef BERTH_BIND_BINDER_PRIVATE_H
#define BERTH_BIND_BINDER_PRIVATE_H

#include "bind/binder.h"

enum { BINDER_WINDOW_FIRST = 8 };

struct binder_window {
	uint32_t size;
	uint32_t max;
	uint32_t good;     /* answers since the size was last looked at */
	int64_t lowest_us; /* latency; 0: not known yet */
	int64_t smooth_us;
	struct mono cut;
};

void binder_window_init(struct binder_window *window, uint32_t max);
/* A binding happened. `used`: how many were under way with it. */
void binder_window_good(struct binder_window *window, int64_t took_us, uint32_t used);
/* The server has too much to do; what was sent before the last time said nothing new. */
void binder_window_cut(struct binder_window *window, struct mono sent, struct mono now);

#endif
