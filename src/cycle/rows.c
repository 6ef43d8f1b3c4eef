/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows: a node-local rule gives the same answer for the same class and the same node until that
 * node changes. So after a binding one node is worked out again, not all of them.
 */
#include "cycle/rows.h"

static size_t row_bytes(uint32_t nodes)
{
	size_t by_node = sizeof(uint8_t) + (2 + CYCLE_SCALES) * sizeof(int32_t) + sizeof(uint32_t);
	return (size_t)(nodes + 1) * by_node + (nodes / CYCLE_BLOCK + 1) * sizeof(uint32_t) + 160;
}

size_t cycle_rows_size(const struct cycle_limits *limits)
{
	return sizeof(struct cycle_rows) + limits->rows * sizeof(struct cycle_row) + 64 +
		limits->rows * row_bytes(limits->nodes);
}

struct cycle_rows *cycle_rows_make(struct arena *arena, const struct cycle_limits *limits)
{
	struct cycle_rows *rows = arena_take(arena, sizeof(*rows));
	rows->rows = ARENA_ARRAY(arena, struct cycle_row, limits->rows);
	rows->count = limits->rows;
	rows->nodes = limits->nodes;
	for (uint32_t i = 0; i < rows->count; i++) {
		struct cycle_row *row = &rows->rows[i];
		row->best =
			arena_take_raw(arena, (limits->nodes / CYCLE_BLOCK + 1) * sizeof(uint32_t));
		row->verdict = arena_take_raw(arena, limits->nodes + 1);
		row->fixed = arena_take_raw(arena, (limits->nodes + 1) * sizeof(int32_t));
		row->worth = arena_take_raw(arena, (limits->nodes + 1) * sizeof(int32_t));
		row->fit = arena_take_raw(arena, (limits->nodes + 1) * sizeof(uint32_t));
		for (uint32_t k = 0; k < CYCLE_SCALES; k++)
			row->scales[k].raw =
				arena_take_raw(arena, (limits->nodes + 1) * sizeof(int32_t));
	}
	return rows;
}

/* ---- working out one node ---- */

bool cycle_row_has_filter(const struct plugin_uses *filters, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (plugins[filters->list[i].id].filter_needs_state)
			return false;
	return plugins[filters->list[at].id].filter_is_local;
}

static uint8_t verdict_of(struct evaluation *e, uint32_t node)
{
	const struct plugin_uses *uses = &e->d.profile->filter;
	struct cache_view view = cache_view_of(e->cycle->cache, node);
	for (uint32_t i = 0; i < uses->count; i++) {
		const struct plugin *plugin = &plugins[uses->list[i].id];
		if (plugin->filter_needs_state)
			break;
		if (plugin->filter_is_local && plugin->filter(&e->d, &view, NULL) != PLUGIN_SUCCESS)
			return (uint8_t)(uses->list[i].id + 1);
	}
	return 0;
}

/* CYCLE_SCALES: its scores are final as they are. */
static uint32_t scale_of(uint8_t plugin)
{
	if (plugin == PLUGIN_TAINT_TOLERATION)
		return CYCLE_TAINTS;
	return plugin == PLUGIN_NODE_AFFINITY ? CYCLE_PREFERENCE : CYCLE_SCALES;
}

int64_t cycle_scaled(const struct cycle_row *row, uint32_t scale, uint32_t node, int32_t most)
{
	const struct cycle_scale *s = &row->scales[scale];
	int64_t score = most == 0 ? 0 : (int64_t)CYCLE_SCORE_MAX * s->raw[node] / most;
	return s->weight * (scale == CYCLE_TAINTS ? CYCLE_SCORE_MAX - score : score);
}

static void find_worth(struct cycle_row *row, uint32_t node)
{
	int64_t worth = row->fixed[node];
	for (uint32_t k = 0; k < CYCLE_SCALES; k++)
		if (row->scales[k].is_held)
			worth += cycle_scaled(row, k, node, row->scales[k].settled);
	row->worth[node] = (int32_t)worth;
}

static void score_one(struct evaluation *e, struct cycle_row *row, uint32_t node)
{
	const struct plugin_uses *uses = &e->d.profile->score;
	int64_t fixed = 0;
	for (uint32_t k = 0; k < uses->count; k++) {
		if ((row->scored >> k & 1) == 0)
			continue;
		int64_t score = plugins[uses->list[k].id].score(&e->d, node);
		bool is_raw = plugins[uses->list[k].id].normalize != NULL;
		if (score < 0 || score > (is_raw ? INT32_MAX : CYCLE_SCORE_MAX)) {
			row->is_strange = true;
			score = 0;
		}
		uint32_t scale = scale_of(uses->list[k].id);
		if (scale < CYCLE_SCALES)
			row->scales[scale].raw[node] = (int32_t)score;
		else
			fixed += score * uses->list[k].weight;
	}
	row->fixed[node] = (int32_t)fixed;
}

static void count_fit(struct cycle_row *row, uint32_t node, int sign)
{
	if (row->verdict[node] != 0)
		return;
	row->fit_count += (uint32_t)sign;
	for (uint32_t k = 0; k < CYCLE_SCALES; k++) {
		struct cycle_scale *scale = &row->scales[k];
		if (!scale->is_held)
			continue;
		if (scale->raw[node] == scale->most) {
			scale->holders += (uint32_t)sign;
		} else if (scale->raw[node] > scale->most) {
			CHECK(sign > 0);
			scale->most = scale->raw[node];
			scale->holders = 1;
		}
	}
}

static void work_out(struct evaluation *e, struct cycle_row *row, uint32_t node)
{
	const struct cache *cache = e->cycle->cache;
	bool did_fit = row->verdict[node] == 0;
	count_fit(row, node, -1);
	bool there =
		pool_is_taken(&cache->nodes, node) && cache_node_at(cache, node)->facts != NULL;
	row->verdict[node] = there ? verdict_of(e, node) : PLUGIN_COUNT;
	/* A score is only asked for where the pod fits. */
	if (row->verdict[node] == 0) {
		score_one(e, row, node);
		find_worth(row, node);
	}
	count_fit(row, node, 1);
	if (did_fit != (row->verdict[node] == 0))
		row->fit_version = 0;
}

/* ---- following the cache ---- */

static void find_most(const struct evaluation *e, struct cycle_row *row, struct cycle_scale *scale)
{
	scale->most = 0;
	scale->holders = 0;
	for (uint32_t i = 0; i < e->node_count; i++) {
		uint32_t node = e->nodes[i];
		if (row->verdict[node] != 0 || scale->raw[node] < scale->most)
			continue;
		scale->holders = scale->raw[node] > scale->most ? 1 : scale->holders + 1;
		scale->most = scale->raw[node];
	}
}

/* All scores follow the highest; true when that is another one now. */
static bool scales_follow(const struct evaluation *e, struct cycle_row *row)
{
	bool changed = false;
	for (uint32_t k = 0; k < CYCLE_SCALES; k++) {
		struct cycle_scale *scale = &row->scales[k];
		if (!scale->is_held)
			continue;
		if (scale->holders == 0 && scale->most > 0)
			find_most(e, row, scale);
		changed = changed || scale->settled != scale->most;
		scale->settled = scale->most;
	}
	return changed;
}

static void forget_nodes(struct cycle_row *row, uint32_t nodes)
{
	memset(row->verdict, PLUGIN_COUNT, (size_t)nodes + 1);
	row->fit_count = 0;
	row->fit_version = 0;
	for (uint32_t k = 0; k < CYCLE_SCALES; k++) {
		row->scales[k].most = 0;
		row->scales[k].holders = 0;
	}
}

static void settle_all(struct evaluation *e, struct cycle_row *row)
{
	uint32_t blocks = pool_top(&e->cycle->cache->nodes) / CYCLE_BLOCK + 1;
	(void)scales_follow(e, row);
	for (uint32_t i = 0; i < e->node_count; i++)
		if (row->verdict[e->nodes[i]] == 0)
			find_worth(row, e->nodes[i]);
	for (uint32_t block = 0; block < blocks; block++)
		cycle_row_settle(e, row, block);
	row->order_version = e->cycle->cache->order.version;
}

static bool is_last_of_its_run(const struct cache *cache, uint64_t change)
{
	return change + 1 == cache->change_count ||
		cache->changes[(change + 1) % CACHE_CHANGE_LOG] !=
		cache->changes[change % CACHE_CHANGE_LOG];
}

/* All nodes first: one that went away may share a block with the first that changed. */
static void replay(struct evaluation *e, struct cycle_row *row)
{
	const struct cache *cache = e->cycle->cache;
	for (uint64_t c = row->followed; c < cache->change_count; c++)
		if (is_last_of_its_run(cache, c)) /* chosen, then assumed: once is enough */
			work_out(e, row, cache->changes[c % CACHE_CHANGE_LOG]);
	for (uint64_t c = row->followed; c < cache->change_count; c++)
		if (is_last_of_its_run(cache, c))
			cycle_row_settle(
				e, row, cache->changes[c % CACHE_CHANGE_LOG] / CYCLE_BLOCK);
}

static void follow(struct evaluation *e, struct cycle_row *row)
{
	const struct cache *cache = e->cycle->cache;
	uint64_t behind = cache->change_count - row->followed;
	if (behind >= CACHE_CHANGE_LOG || behind > e->node_count) {
		forget_nodes(row, e->cycle->rows->nodes);
		for (uint32_t i = 0; i < e->node_count; i++)
			work_out(e, row, e->nodes[i]);
		settle_all(e, row);
	} else {
		replay(e, row);
	}
	row->followed = cache->change_count;
	if (scales_follow(e, row) || row->order_version != cache->order.version)
		settle_all(e, row);
}

/* Which scores the row holds: local ones that do not skip this class. */
static void hold_scores(struct evaluation *e, struct cycle_row *row)
{
	const struct plugin_uses *uses = &e->d.profile->score;
	row->scored = 0;
	row->is_strange = false;
	for (uint32_t k = 0; k < uses->count; k++) {
		const struct plugin *plugin = &plugins[uses->list[k].id];
		if (!plugin->score_is_local)
			continue;
		enum plugin_code code = PLUGIN_SUCCESS;
		if (plugin->prescore != NULL && evaluation_has_prescore(e, uses->list[k].id))
			code = plugin->prescore(&e->d);
		if (code == PLUGIN_SUCCESS)
			row->scored |= UINT32_C(1) << k;
		else if (code != PLUGIN_SKIP)
			row->is_strange = true;
	}
	e->d.error = NULL; /* who cannot score says so again when it comes to scoring */
}

static void hold_scales(const struct evaluation *e, struct cycle_row *row)
{
	const struct plugin_uses *uses = &e->d.profile->score;
	for (uint32_t k = 0; k < CYCLE_SCALES; k++)
		row->scales[k].is_held = false;
	for (uint32_t k = 0; k < uses->count; k++) {
		uint32_t scale = scale_of(uses->list[k].id);
		if (scale == CYCLE_SCALES || (row->scored >> k & 1) == 0)
			continue;
		row->scales[scale].is_held = true;
		row->scales[scale].weight = uses->list[k].weight;
	}
}

const uint32_t *cycle_row_fit(const struct evaluation *e, struct cycle_row *row)
{
	uint64_t version = e->cycle->cache->order.version;
	if (row->fit_version == version)
		return row->fit;
	uint32_t count = 0;
	for (uint32_t i = 0; i < e->node_count; i++) {
		row->fit[count] = e->nodes[i];
		count += row->verdict[e->nodes[i]] == 0;
	}
	CHECK(count == row->fit_count);
	row->fit_version = version;
	return row->fit;
}

struct cycle_row *cycle_row_of(struct evaluation *e)
{
	struct cycle_rows *rows = e->cycle->rows;
	const struct cache_shared *class = pool_at(&e->cycle->cache->classes, e->d.pod.class_index);
	struct cycle_row *row = NULL;
	for (uint32_t i = 0; i < rows->count; i++) {
		struct cycle_row *at = &rows->rows[i];
		if (at->serial == class->serial && at->profile == e->d.profile) {
			row = at;
			break;
		}
		if (row == NULL || at->used < row->used)
			row = at;
	}
	row->used = ++rows->uses;
	if (row->serial != class->serial || row->profile != e->d.profile) {
		row->serial = class->serial;
		row->profile = e->d.profile;
		hold_scores(e, row);
		hold_scales(e, row);
		forget_nodes(row, rows->nodes);
		row->followed = e->cycle->cache->change_count;
		for (uint32_t i = 0; i < e->node_count; i++)
			work_out(e, row, e->nodes[i]);
		settle_all(e, row);
	}
	follow(e, row);
	return row;
}
