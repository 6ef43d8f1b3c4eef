/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows: a node-local rule gives the same answer for the same class and the same node until that
 * node changes. So after a binding one node is worked out again, not all of them.
 */
#include "cycle/rows.h"

static size_t row_bytes(uint32_t nodes)
{
	return (size_t)(nodes + 1) * (sizeof(uint8_t) + 3 * sizeof(int32_t)) +
		(nodes / CYCLE_BLOCK + 1) * sizeof(uint32_t) + 160;
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
		row->taints = arena_take_raw(arena, (limits->nodes + 1) * sizeof(int32_t));
		row->preference = arena_take_raw(arena, (limits->nodes + 1) * sizeof(int32_t));
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
		if (uses->list[k].id == PLUGIN_TAINT_TOLERATION)
			row->taints[node] = (int32_t)score;
		else if (uses->list[k].id == PLUGIN_NODE_AFFINITY)
			row->preference[node] = (int32_t)score;
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
	if (!row->holds_taints)
		return;
	uint32_t taints = (uint32_t)row->taints[node];
	if (taints > CYCLE_TAINTS_MAX)
		taints = CYCLE_TAINTS_MAX + 1;
	row->taint_counts[taints] += (uint32_t)sign;
}

static void work_out(struct evaluation *e, struct cycle_row *row, uint32_t node)
{
	const struct cache *cache = e->cycle->cache;
	count_fit(row, node, -1);
	if (!pool_is_taken(&cache->nodes, node) || cache_node_at(cache, node)->facts == NULL) {
		row->verdict[node] = PLUGIN_COUNT;
		return;
	}
	row->verdict[node] = verdict_of(e, node);
	/* A score is only asked for where the pod fits. */
	if (row->verdict[node] == 0)
		score_one(e, row, node);
	count_fit(row, node, 1);
}

/* ---- following the cache ---- */

/* All scores follow the highest; true when that is another one now. */
static bool taints_follow(struct cycle_row *row)
{
	uint32_t most = CYCLE_TAINTS_MAX + 1;
	while (most > 0 && row->taint_counts[most] == 0)
		most--;
	bool changed = most != row->taints_most;
	row->taints_most = most;
	return changed;
}

static void forget_nodes(struct cycle_row *row, uint32_t nodes)
{
	memset(row->verdict, PLUGIN_COUNT, (size_t)nodes + 1);
	memset(row->taint_counts, 0, sizeof(row->taint_counts));
	row->fit_count = 0;
}

static void settle_all(struct evaluation *e, struct cycle_row *row)
{
	uint32_t blocks = pool_top(&e->cycle->cache->nodes) / CYCLE_BLOCK + 1;
	(void)taints_follow(row);
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
	if (taints_follow(row) || row->order_version != cache->order.version)
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

static void hold_taints(const struct evaluation *e, struct cycle_row *row)
{
	const struct plugin_uses *uses = &e->d.profile->score;
	row->holds_taints = false;
	for (uint32_t k = 0; k < uses->count; k++) {
		if (uses->list[k].id != PLUGIN_TAINT_TOLERATION || (row->scored >> k & 1) == 0)
			continue;
		row->holds_taints = true;
		row->taints_weight = uses->list[k].weight;
	}
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
		hold_taints(e, row);
		forget_nodes(row, rows->nodes);
		row->followed = e->cycle->cache->change_count;
		for (uint32_t i = 0; i < e->node_count; i++)
			work_out(e, row, e->nodes[i]);
		settle_all(e, row);
	}
	follow(e, row);
	return row;
}
