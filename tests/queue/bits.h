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
/* One bit, or none. */
static inline struct queue_gate bits_gate(uint32_t bits)
{
	CHECK((bits & (bits - 1)) == 0);
	return bits == 0 ? (struct queue_gate){.closed = false}
			 : queue_gate_of_plugin((uint32_t)__builtin_ctz(bits));
}
static inline uint32_t bits_of_gate(struct queue_gate gate)
{
	CHECK(!gate.is_other);
	return gate.closed ? UINT32_C(1) << gate.by : 0;
}

#endif
