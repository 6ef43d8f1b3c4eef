/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of plugins as bits of a number: tests need few of them. */
#ifndef BERTH_TESTS_QUEUE_BITS_H
#define BERTH_TESTS_QUEUE_BITS_H

#include "queue/queue.h"

static inline struct plugin_set bits_set(uint32_t bits)
{
	return (struct plugin_set){{bits}};
}
static inline struct queue_waits bits_waits(uint32_t bits)
{
	return (struct queue_waits){.plugins = bits_set(bits)};
}
static inline uint32_t bits_of_set(const struct plugin_set *set)
{
	CHECK(set->words[0] <= UINT32_MAX && set->words[1] == 0);
	return (uint32_t)set->words[0];
}
static inline uint32_t bits_of_waits(const struct queue_waits *waits)
{
	CHECK(waits->others == 0);
	return bits_of_set(&waits->plugins);
}

#endif
