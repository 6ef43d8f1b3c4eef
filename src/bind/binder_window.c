/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many bindings at a time.
 *
 * What kube-scheduler does: 50 requests a second, whatever the server could take.
 *
 * What we do: as TCP does. One more after each window of good answers, as long as the window is
 * used at all; half as many when the server says that it is too much, once per round trip, since
 * all that was under way then tells the same. A server that does not complain but gets slow - a
 * gateway with its database on an SD card - gets a little less. Slow is what is clearly above the
 * best it has shown: a busy server answers later and still does more, so the bound is generous.
 * Alone in the window a binding shows the best again, so a server that has grown slow for good, or
 * moved away, does not make us crawl for long.
 */
#include "bind/binder_private.h"

enum {
	WINDOW_SLOW_FACTOR = 4,
	WINDOW_SLOW_US = 50 * 1000, /* on top: a few ms more or less say nothing */
	WINDOW_SMOOTH = 8,          /* answers that the mean looks back */
	WINDOW_LESS = 8             /* of so many one goes when it gets slow */
};

void binder_window_init(struct binder_window *window, uint32_t max)
{
	CHECK(max > 0);
	*window = (struct binder_window){
		.size = max < BINDER_WINDOW_FIRST ? max : BINDER_WINDOW_FIRST,
		.max = max,
		.cut = {INT64_MIN / 2}};
}

static void measure(struct binder_window *window, int64_t took_us, bool alone)
{
	if (took_us < 1)
		took_us = 1;
	if (window->lowest_us == 0) {
		window->lowest_us = window->smooth_us = took_us;
		return;
	}
	if (took_us < window->lowest_us || alone)
		window->lowest_us = took_us;
	window->smooth_us += (took_us - window->smooth_us) / WINDOW_SMOOTH;
}

void binder_window_good(struct binder_window *window, int64_t took_us, uint32_t used)
{
	measure(window, took_us, window->size == 1 && used <= 1);
	/* A window that is not used up proves nothing. */
	if (used * 2 <= window->size && used < window->size)
		return;
	if (++window->good < window->size)
		return;
	window->good = 0;
	if (window->smooth_us > window->lowest_us * WINDOW_SLOW_FACTOR + WINDOW_SLOW_US)
		window->size -= window->size > 1 ? 1 + (window->size - 2) / WINDOW_LESS : 0;
	else if (window->size < window->max)
		window->size++;
	CHECK(window->size >= 1);
	CHECK(window->size <= window->max);
}

void binder_window_cut(struct binder_window *window, struct mono sent, struct mono now)
{
	if (sent.us < window->cut.us)
		return;
	window->cut = now;
	window->good = 0;
	window->size = window->size > 1 ? window->size / 2 : 1;
	CHECK(window->size >= 1);
}
