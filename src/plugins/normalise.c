/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From raw scores to 0..100.
 */
#include "plugins/plugins.h"

enum { SCORE_MAX = 100, TABLE_MAX = 1 << 16 /* different raw scores that a table is made for */ };

const char plugin_out_of_range[] = "a plugin returned a score outside of 0..100";

static void normalise_by_highest(int64_t *scores, uint32_t count, bool reverse)
{
	int64_t most = 0;
	for (uint32_t i = 0; i < count; i++)
		most = scores[i] > most ? scores[i] : most;
	for (uint32_t i = 0; i < count; i++) {
		int64_t scaled = most == 0 ? scores[i] : SCORE_MAX * scores[i] / most;
		if (reverse)
			scaled = most == 0 ? SCORE_MAX : SCORE_MAX - scaled;
		scores[i] = scaled;
	}
}

void plugin_normalise(
	const struct plugin *plugin, struct cycle_state *d, int64_t *scores, uint32_t count)
{
	switch (plugin->normalise) {
	case PLUGIN_RAW: return;
	case PLUGIN_BY_HIGHEST: normalise_by_highest(scores, count, false); return;
	case PLUGIN_BY_LOWEST: normalise_by_highest(scores, count, true); return;
	case PLUGIN_NORMALISE_OWN: plugin->normalise_own(d, scores, count); return;
	}
}

struct range {
	int64_t least;
	int64_t most;
};

static struct range range_of(const int64_t *raw, uint32_t count)
{
	struct range range = {INT64_MAX, INT64_MIN};
	for (uint32_t i = 0; i < count; i++) {
		range.least = raw[i] < range.least ? raw[i] : range.least;
		range.most = raw[i] > range.most ? raw[i] : range.most;
	}
	return range;
}

static bool is_in_range(struct cycle_state *d, int64_t score)
{
	if (score >= 0 && score <= SCORE_MAX)
		return true;
	d->error = plugin_out_of_range;
	return false;
}

/* The table has one more than the score by raw score above the least; 0: not met yet. */
static bool add_by_table(struct cycle_state *d, const int64_t *raw, plugin_normal_fn *normal,
	struct range range, uint8_t *table, int64_t weight, int64_t *totals)
{
	for (uint32_t i = 0; i < d->feasible_count; i++) {
		uint8_t known = table[raw[i] - range.least];
		if (known == 0) {
			int64_t score = normal(raw[i], range.least, range.most);
			if (!is_in_range(d, score))
				return false;
			known = (uint8_t)(score + 1);
			table[raw[i] - range.least] = known;
		}
		totals[i] += weight * (known - 1);
	}
	return true;
}

static bool add_each(struct cycle_state *d, const int64_t *raw, plugin_normal_fn *normal,
	struct range range, int64_t weight, int64_t *totals)
{
	for (uint32_t i = 0; i < d->feasible_count; i++) {
		int64_t score = normal(raw[i], range.least, range.most);
		if (!is_in_range(d, score))
			return false;
		totals[i] += weight * score;
	}
	return true;
}

bool plugin_add_normalized(struct cycle_state *d, const int64_t *raw, plugin_normal_fn *normal,
	int64_t weight, int64_t *totals)
{
	struct range range = range_of(raw, d->feasible_count);
	struct scratch_mark mark = scratch_mark(d->scratch);
	uint64_t span = (uint64_t)range.most - (uint64_t)range.least;
	uint8_t *table = NULL;
	if (span < TABLE_MAX) /* without room for it: slower, and the same */
		table = SCRATCH_ARRAY(d->scratch, uint8_t, (size_t)span + 1);
	bool added = table != NULL ? add_by_table(d, raw, normal, range, table, weight, totals)
				   : add_each(d, raw, normal, range, weight, totals);
	scratch_rewind(d->scratch, mark);
	return added;
}

bool plugin_add_one_by_one(
	struct cycle_state *d, const struct plugin *plugin, int64_t weight, int64_t *totals)
{
	struct scratch_mark mark = scratch_mark(d->scratch);
	int64_t *scores = SCRATCH_ARRAY(d->scratch, int64_t, (size_t)d->feasible_count + 1);
	bool added = scores != NULL;
	if (!added)
		d->error = "no room for scores";
	for (uint32_t i = 0; added && i < d->feasible_count; i++)
		scores[i] = plugin->score(d, d->feasible[i]);
	if (added)
		plugin_normalise(plugin, d, scores, d->feasible_count);
	for (uint32_t i = 0; added && i < d->feasible_count; i++) {
		added = is_in_range(d, scores[i]);
		totals[i] += weight * scores[i];
	}
	scratch_rewind(d->scratch, mark);
	return added;
}
