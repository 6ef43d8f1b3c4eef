/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From raw scores to 0..100.
 */
#include "plugins/plugins.h"

enum { SCORE_MAX = 100, TABLE_MAX = 1 << 16 /* different raw scores that a table is made for */ };

const char plugin_out_of_range[] = "a plugin returned a score outside of 0..100";

void plugin_normalize_default(int64_t *scores, uint32_t count, bool reverse)
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

/* One by one; 0 in the table: not met yet. NULL: no table. */
static bool add_each(struct decision *d, const int64_t *raw, plugin_normal_fn *normal,
	int64_t least, int64_t most, uint8_t *table, int64_t weight, int64_t *totals)
{
	for (uint32_t i = 0; i < d->feasible_count; i++) {
		uint8_t *known = table == NULL ? NULL : &table[raw[i] - least];
		if (known != NULL && *known != 0) {
			totals[i] += weight * (*known - 1);
			continue;
		}
		int64_t score = normal(raw[i], least, most);
		if (score < 0 || score > SCORE_MAX) {
			d->error = plugin_out_of_range;
			return false;
		}
		if (known != NULL)
			*known = (uint8_t)(score + 1);
		totals[i] += weight * score;
	}
	return true;
}

bool plugin_add_normalized(struct decision *d, const int64_t *raw, plugin_normal_fn *normal,
	int64_t weight, int64_t *totals)
{
	int64_t least = INT64_MAX;
	int64_t most = INT64_MIN;
	for (uint32_t i = 0; i < d->feasible_count; i++) {
		least = raw[i] < least ? raw[i] : least;
		most = raw[i] > most ? raw[i] : most;
	}
	struct scratch_mark mark = scratch_mark(d->scratch);
	uint64_t span = (uint64_t)most - (uint64_t)least;
	uint8_t *table = NULL;
	if (span < TABLE_MAX) /* without room for it: slower, and the same */
		table = SCRATCH_ARRAY(d->scratch, uint8_t, (size_t)span + 1);
	bool added = add_each(d, raw, normal, least, most, table, weight, totals);
	scratch_rewind(d->scratch, mark);
	return added;
}
