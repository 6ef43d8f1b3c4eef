/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set of plugins, by their ids. Here because the queue, which knows nothing else of plugins,
 * files waiting pods by the plugins that rejected them.
 */
#ifndef BERTH_BASE_PLUGIN_SET_H
#define BERTH_BASE_PLUGIN_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { PLUGIN_SET_WORDS = 2, PLUGIN_SET_MAX = PLUGIN_SET_WORDS * 64 };

struct plugin_set {
	uint64_t words[PLUGIN_SET_WORDS];
};

static inline bool plugin_set_has(const struct plugin_set *set, uint32_t id)
{
	return (set->words[id / 64] >> (id % 64) & 1) != 0;
}
static inline void plugin_set_add(struct plugin_set *set, uint32_t id)
{
	set->words[id / 64] |= UINT64_C(1) << (id % 64);
}
static inline void plugin_set_remove(struct plugin_set *set, uint32_t id)
{
	set->words[id / 64] &= ~(UINT64_C(1) << (id % 64));
}
static inline struct plugin_set plugin_set_of(uint32_t id)
{
	struct plugin_set set = {{0}};
	plugin_set_add(&set, id);
	return set;
}
static inline bool plugin_set_is_empty(const struct plugin_set *set)
{
	return (set->words[0] | set->words[1]) == 0;
}
static inline bool plugin_set_is(const struct plugin_set *a, const struct plugin_set *b)
{
	return a->words[0] == b->words[0] && a->words[1] == b->words[1];
}
static inline bool plugin_set_meets(const struct plugin_set *a, const struct plugin_set *b)
{
	return ((a->words[0] & b->words[0]) | (a->words[1] & b->words[1])) != 0;
}
static inline struct plugin_set plugin_set_union(
	const struct plugin_set *a, const struct plugin_set *b)
{
	return (struct plugin_set){{a->words[0] | b->words[0], a->words[1] | b->words[1]}};
}
static inline struct plugin_set plugin_set_without(
	const struct plugin_set *a, const struct plugin_set *b)
{
	return (struct plugin_set){{a->words[0] & ~b->words[0], a->words[1] & ~b->words[1]}};
}
static inline bool plugin_set_within(const struct plugin_set *a, const struct plugin_set *b)
{
	const struct plugin_set rest = plugin_set_without(a, b);
	return plugin_set_is_empty(&rest);
}

/*
 * Takes the lowest id out of the set, which is not empty.
 *
 *	for (struct plugin_set left = *set; !plugin_set_is_empty(&left);)
 *		use(plugin_set_take(&left));
 */
static inline uint32_t plugin_set_take(struct plugin_set *set)
{
	uint32_t word = set->words[0] != 0 ? 0 : 1;
	uint32_t bit = (uint32_t)__builtin_ctzll(set->words[word]);
	set->words[word] &= set->words[word] - 1;
	return word * 64 + bit;
}

#endif
