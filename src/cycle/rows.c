/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows: a node-local rule gives the same answer for the same class and the same node until that
 * node changes. So after a binding one node is worked out again, not all of them. When there are
 * more kinds of pods than rows all nodes are, so that is done block by block, plugin by plugin.
 */
#include "cycle/rows.h"

#include "base/hash.h"

static bool has_scale(const struct plugin *plugin)
{
	return plugin->score_is_local && plugin->normalise != PLUGIN_RAW;
}

static uint32_t count_scales(void)
{
	uint32_t count = 0;
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++)
		count += has_scale(plugins[id]);
	CHECK(count <= CYCLE_SCALES_MAX);
	return count;
}

/* ---- rows come and go ---- */

enum { ROWS_MIN = 16 };

static size_t rows_rounded(size_t size)
{
	return (size + 15) / 16 * 16;
}

/* The parts of a row that has room for so many nodes, one behind the other. */
struct rows_parts {
	size_t best, worth, fit, raw[CYCLE_SCALES_MAX], size;
};

static struct rows_parts rows_parts(uint32_t room, uint32_t scale_count)
{
	struct rows_parts parts = {.best = CYCLE_LOCAL_MAX};
	parts.worth =
		parts.best + rows_rounded(((size_t)room / CYCLE_BLOCK + 1) * sizeof(uint32_t));
	parts.fit = parts.worth + rows_rounded((size_t)room * sizeof(int32_t));
	parts.size = parts.fit + rows_rounded((size_t)room * sizeof(uint32_t));
	for (uint32_t k = 0; k < scale_count; k++) {
		parts.raw[k] = parts.size;
		parts.size += rows_rounded((size_t)room * sizeof(uint16_t));
	}
	return parts;
}

static size_t rows_memory_size(const struct cycle_limits *limits)
{
	size_t row = rows_parts(limits->nodes + 1, count_scales()).size;
	if (limits->rows_bytes == 0 || limits->rows <= ROWS_MIN)
		return limits->rows * row;
	size_t least = ROWS_MIN * row;
	return limits->rows_bytes > least ? limits->rows_bytes : least;
}

size_t cycle_rows_size(const struct cycle_limits *limits)
{
	return sizeof(struct cycle_rows) + limits->rows * sizeof(struct cycle_row) + 96 +
		((size_t)limits->nodes / CYCLE_BLOCK + 1) * sizeof(uint64_t) +
		arena_span_size(rows_memory_size(limits));
}

/* The memory is needed elsewhere: half of what is remembered is forgotten. */
static bool rows_shed(void *self)
{
	struct cycle_rows *rows = self;
	if (rows->used == 0)
		return false;
	rows->used /= 2;
	rows->latest = 0;
	page_span_shrink(
		&rows->memory, rows->used * rows_parts(rows->room, rows->scale_count).size);
	return true;
}

struct cycle_rows *cycle_rows_make(struct arena *arena, const struct cycle_limits *limits)
{
	struct cycle_rows *rows = arena_take(arena, sizeof(*rows));
	rows->rows = ARENA_ARRAY(arena, struct cycle_row, limits->rows);
	rows->count = limits->rows;
	memset(rows->scale_of, CYCLE_SCALES_MAX, sizeof(rows->scale_of));
	rows->bytes_max = rows_memory_size(limits);
	if (limits->rows_bytes != 0)
		rows->bytes_max = limits->rows_bytes;
	rows->room_max = limits->nodes + 1;
	rows->touched = ARENA_ARRAY(arena, uint64_t, limits->nodes / CYCLE_BLOCK + 1);
	arena_take_span(arena, &rows->memory, rows_memory_size(limits));
	if (arena->budget != NULL)
		page_budget_add_shedder(arena->budget, &rows->shedder, rows_shed, rows);
	return rows;
}

/* A scale for each score that a profile asks for and that needs one. */
static bool rows_have_scales(const struct cycle_rows *rows, const struct plugin_profile *profile)
{
	const struct plugin_uses *uses = &profile->at[PLUGIN_AT_SCORE];
	bool have = true;
	for (uint32_t k = 0; k < uses->count && have; k++)
		have = !has_scale(plugins[uses->list[k].id]) ||
			rows->scale_of[uses->list[k].id] < CYCLE_SCALES_MAX;
	return have;
}

static void rows_take_scales(struct cycle_rows *rows, const struct plugin_profile *profile)
{
	const struct plugin_uses *uses = &profile->at[PLUGIN_AT_SCORE];
	for (uint32_t k = 0; k < uses->count; k++)
		if (has_scale(plugins[uses->list[k].id]) &&
			rows->scale_of[uses->list[k].id] == CYCLE_SCALES_MAX)
			rows->scale_of[uses->list[k].id] = (uint8_t)rows->scale_count++;
	CHECK(rows->scale_count <= count_scales());
}

/* There are more nodes, or more scales, than rows have room for: all rows are made again. */
static void rows_widen(struct cycle_rows *rows, uint32_t top)
{
	CHECK(top < rows->room_max);
	uint32_t room = top + top / 4 + CYCLE_BLOCK;
	rows->room = room < rows->room_max ? room : rows->room_max;
	rows->used = 0;
	rows->latest = 0;
}

static void rows_lay(struct cycle_rows *rows, uint32_t index)
{
	struct rows_parts parts = rows_parts(rows->room, rows->scale_count);
	uint8_t *at = rows->memory.base + index * parts.size;
	struct cycle_row *row = &rows->rows[index];
	row->local = (struct kube_pod_template *)(void *)at;
	row->best = (uint32_t *)(void *)(at + parts.best);
	row->worth = (int32_t *)(void *)(at + parts.worth);
	row->fit = (uint32_t *)(void *)(at + parts.fit);
	row->scale_count = rows->scale_count;
	for (uint32_t k = 0; k < row->scale_count; k++)
		row->scales[k].raw = (uint16_t *)(void *)(at + parts.raw[k]);
}

/* ---- working out some nodes ---- */

bool cycle_row_has_filter(const struct plugin_uses *filters, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (plugins[filters->list[i].id]->state_size > 0)
			return false;
	return plugins[filters->list[at].id]->filter_is_local;
}

static uint32_t keep_one_by_one(
	struct evaluation *e, const struct plugin *plugin, uint32_t *nodes, uint32_t count)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct cache_view view = cache_view_of(e->cycle->cache, nodes[i]);
		nodes[kept] = nodes[i];
		kept += plugin->filter(&e->d, &view, NULL) == PLUGIN_SUCCESS;
	}
	return kept;
}

/* Keeps the nodes to which no local plugin objects; how many. */
static uint32_t keep_fitting(struct evaluation *e, uint32_t *nodes, uint32_t count)
{
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_FILTER];
	for (uint32_t i = 0; i < uses->count && count > 0; i++) {
		const struct plugin *plugin = plugins[uses->list[i].id];
		if (plugin->state_size > 0)
			break;
		if (!plugin->filter_is_local || plugin_set_has(&e->d.skip_filter, uses->list[i].id))
			continue;
		struct mono since = plugin_timer_start(e->plugin_timer);
		count = plugin->keep != NULL ? plugin->keep(&e->d, nodes, count)
					     : keep_one_by_one(e, plugin, nodes, count);
		plugin_timer_took(e->plugin_timer, uses->list[i].id, PLUGIN_AT_FILTER,
			count == 0 ? PLUGIN_UNSCHEDULABLE : PLUGIN_SUCCESS, &since);
	}
	return count;
}

int64_t cycle_scaled(const struct cycle_row *row, uint32_t scale, uint32_t node, int32_t most)
{
	const struct cycle_scale *s = &row->scales[scale];
	int64_t score = most == 0 ? 0 : (int64_t)CYCLE_SCORE_MAX * s->raw[node] / most;
	return s->weight * (s->is_reversed ? CYCLE_SCORE_MAX - score : score);
}

/* `scale` is CYCLE_SCALES_MAX where raw scores are final. */
static void add_scores(struct cycle_row *row, uint32_t scale, int64_t weight, const uint32_t *nodes,
	uint32_t count, const int64_t *scores)
{
	int64_t most = scale < CYCLE_SCALES_MAX ? UINT16_MAX : CYCLE_SCORE_MAX;
	for (uint32_t i = 0; i < count; i++) {
		int64_t score = scores[i];
		if (score < 0 || score > most) {
			row->is_strange = true;
			score = 0;
		}
		if (scale == CYCLE_SCALES_MAX) {
			row->worth[nodes[i]] += (int32_t)(score * weight);
			continue;
		}
		uint16_t *raw = &row->scales[scale].raw[nodes[i]];
		if (*raw != score)
			*raw = (uint16_t)score;
		row->worth[nodes[i]] +=
			(int32_t)cycle_scaled(row, scale, nodes[i], row->scales[scale].settled);
	}
}

static void score_fitting(
	struct evaluation *e, struct cycle_row *row, const uint32_t *nodes, uint32_t count)
{
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_SCORE];
	int64_t *scores = e->cycle->rows->scores;
	for (uint32_t i = 0; i < count; i++)
		row->worth[nodes[i]] = 0;
	for (uint32_t k = 0; k < uses->count; k++) {
		const struct plugin *plugin = plugins[uses->list[k].id];
		if (!plugin_set_has(&row->scored, uses->list[k].id))
			continue;
		struct mono since = plugin_timer_start(e->plugin_timer);
		for (uint32_t i = 0; plugin->scores == NULL && i < count; i++)
			scores[i] = plugin->score(&e->d, nodes[i]);
		if (plugin->scores != NULL)
			plugin->scores(&e->d, nodes, count, scores);
		if (count > 0)
			plugin_timer_took(e->plugin_timer, uses->list[k].id, PLUGIN_AT_SCORE,
				PLUGIN_SUCCESS, &since);
		add_scores(row, e->cycle->rows->scale_of[uses->list[k].id], uses->list[k].weight,
			nodes, count, scores);
	}
}

static void count_fit(struct cycle_row *row, uint32_t node, int sign)
{
	row->fit_count += (uint32_t)sign;
	for (uint32_t k = 0; k < row->scale_count; k++) {
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

/* The nodes are CYCLE_BLOCK at most. */
static void work_out(
	struct evaluation *e, struct cycle_row *row, const uint32_t *nodes, uint32_t count)
{
	const struct cache *cache = e->cycle->cache;
	uint32_t *fitting = e->cycle->rows->fitting;
	uint32_t did_fit = row->fit_count;
	uint32_t there = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (row->worth[nodes[i]] != CYCLE_UNFIT)
			count_fit(row, nodes[i], -1);
		row->worth[nodes[i]] = CYCLE_UNFIT;
		if (pool_is_taken(&cache->nodes, nodes[i]) &&
			cache_node_at(cache, nodes[i])->facts != NULL &&
			cache_node_at(cache, nodes[i])->unread_pods == 0)
			fitting[there++] = nodes[i];
	}
	uint32_t fit = keep_fitting(e, fitting, there);
	/* A score is only asked for where the pod fits. */
	score_fitting(e, row, fitting, fit);
	for (uint32_t i = 0; i < fit; i++)
		count_fit(row, fitting[i], 1);
	if (count > 1 || did_fit != row->fit_count)
		row->fit_version = 0;
}

/* ---- following the cache ---- */

static void find_most(const struct evaluation *e, struct cycle_row *row, struct cycle_scale *scale)
{
	scale->most = 0;
	scale->holders = 0;
	for (uint32_t i = 0; i < e->node_count; i++) {
		uint32_t node = e->nodes[i];
		if (row->worth[node] == CYCLE_UNFIT || scale->raw[node] < scale->most)
			continue;
		scale->holders = scale->raw[node] > scale->most ? 1 : scale->holders + 1;
		scale->most = scale->raw[node];
	}
}

/* All scores follow the highest; true when that is another one now. */
static bool scales_follow(const struct evaluation *e, struct cycle_row *row)
{
	bool changed = false;
	for (uint32_t k = 0; k < row->scale_count; k++) {
		struct cycle_scale *scale = &row->scales[k];
		if (scale->is_held && scale->holders == 0 && scale->most > 0)
			find_most(e, row, scale);
		if (!scale->is_held || scale->settled == scale->most)
			continue;
		for (uint32_t i = 0; i < e->node_count; i++)
			if (row->worth[e->nodes[i]] != CYCLE_UNFIT)
				row->worth[e->nodes[i]] +=
					(int32_t)(cycle_scaled(row, k, e->nodes[i], scale->most) -
						cycle_scaled(row, k, e->nodes[i], scale->settled));
		scale->settled = scale->most;
		changed = true;
	}
	return changed;
}

static void settle_all(const struct evaluation *e, struct cycle_row *row)
{
	for (uint32_t block = 0; block <= row->top / CYCLE_BLOCK; block++)
		cycle_row_settle(e, row, block);
	row->order_version = e->cycle->cache->order.version;
}

/* New nodes may have got higher indexes than there were. */
static void reach(struct cycle_row *row, uint32_t from, uint32_t top)
{
	for (uint32_t node = from; node <= top; node++)
		row->worth[node] = CYCLE_UNFIT;
	for (uint32_t block = (from + CYCLE_BLOCK - 1) / CYCLE_BLOCK; block <= top / CYCLE_BLOCK;
		block++)
		row->best[block] = 0;
	row->top = top;
}

/* All touched nodes of a block at once: one that went away may have been the best of it. */
static void work_out_touched(struct evaluation *e, struct cycle_row *row)
{
	uint32_t nodes[CYCLE_BLOCK];
	uint64_t *touched = e->cycle->rows->touched;
	for (uint32_t block = 0; block <= row->top / CYCLE_BLOCK; block++) {
		uint32_t count = 0;
		for (; touched[block] != 0; touched[block] &= touched[block] - 1)
			nodes[count++] =
				block * CYCLE_BLOCK + (uint32_t)__builtin_ctzll(touched[block]);
		if (count == 0)
			continue;
		work_out(e, row, nodes, count);
		cycle_row_settle(e, row, block);
	}
}

static void work_out_all(struct evaluation *e, struct cycle_row *row)
{
	uint64_t *touched = e->cycle->rows->touched;
	row->fit_count = 0;
	row->fit_version = 0;
	for (uint32_t k = 0; k < row->scale_count; k++) {
		row->scales[k].most = 0;
		row->scales[k].settled = 0;
		row->scales[k].holders = 0;
	}
	reach(row, 0, pool_top(&e->cycle->cache->nodes));
	for (uint32_t node = 1; node <= row->top; node++)
		touched[node / CYCLE_BLOCK] |= UINT64_C(1) << (node % CYCLE_BLOCK);
	work_out_touched(e, row);
	row->order_version = e->cycle->cache->order.version;
}

static void follow(struct evaluation *e, struct cycle_row *row)
{
	const struct cache *cache = e->cycle->cache;
	uint64_t *touched = e->cycle->rows->touched;
	uint64_t change = row->followed;
	uint32_t top = pool_top(&cache->nodes);
	if (top > row->top)
		reach(row, row->top + 1, top);
	if (cache->change_count - change >= CACHE_CHANGE_LOG) {
		work_out_all(e, row);
	} else if (change < cache->change_count) {
		for (; change < cache->change_count; change++) {
			uint32_t node = cache->changes[change % CACHE_CHANGE_LOG];
			/* It came and went; when it comes again it is in the log again. */
			if (node > row->top)
				continue;
			touched[node / CYCLE_BLOCK] |= UINT64_C(1) << (node % CYCLE_BLOCK);
		}
		work_out_touched(e, row);
	}
	row->followed = cache->change_count;
	if (scales_follow(e, row) || row->order_version != cache->order.version)
		settle_all(e, row);
}

/* Which scores the row holds: local ones that do not skip this class. */
static void hold_scores(struct evaluation *e, struct cycle_row *row)
{
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_SCORE];
	row->scored = (struct plugin_set){{0}};
	row->is_strange = false;
	for (uint32_t k = 0; k < uses->count; k++) {
		const struct plugin *plugin = plugins[uses->list[k].id];
		if (!plugin->score_is_local)
			continue;
		enum plugin_code code = PLUGIN_SUCCESS;
		if (evaluation_has_pre_score(e, uses->list[k].id))
			code = plugin->pre_score(&e->d);
		if (code == PLUGIN_SUCCESS)
			plugin_set_add(&row->scored, uses->list[k].id);
		else if (code != PLUGIN_SKIP)
			row->is_strange = true;
	}
	e->d.error = NULL; /* who cannot score says so again when it comes to scoring */
}

static void hold_scales(const struct evaluation *e, struct cycle_row *row)
{
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_SCORE];
	for (uint32_t k = 0; k < row->scale_count; k++)
		row->scales[k].is_held = false;
	for (uint32_t k = 0; k < uses->count; k++) {
		uint32_t scale = e->cycle->rows->scale_of[uses->list[k].id];
		if (scale == CYCLE_SCALES_MAX || !plugin_set_has(&row->scored, uses->list[k].id))
			continue;
		row->scales[scale].is_held = true;
		row->scales[scale].weight = uses->list[k].weight;
		row->scales[scale].is_reversed =
			plugins[uses->list[k].id]->normalise == PLUGIN_BY_LOWEST;
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
		count += row->worth[e->nodes[i]] != CYCLE_UNFIT;
	}
	CHECK(count == row->fit_count);
	row->fit_version = version;
	return row->fit;
}

/* 0: they are nothing to the profile's local plugins. */
static uint64_t labels_serial(const struct evaluation *e)
{
	const struct cache *cache = e->cycle->cache;
	if ((e->d.profile->local_reads & PLUGIN_READS_LABELS) == 0)
		return 0;
	uint32_t labels = cache_pod_at(cache, e->d.pod.index)->labels;
	const struct cache_shared *shared = pool_at(&cache->label_sets, labels);
	return shared->serial;
}

static bool is_for(const struct cycle_row *row, const struct evaluation *e, uint64_t serial)
{
	return row->profile == e->d.profile &&
		row->now_us == plugin_now_us(e->cycle->cache, e->d.profile) &&
		(e->d.profile->local_reads == 0 || row->labels == labels_serial(e)) &&
		(row->serial == serial ||
			(row->local_hash == e->d.pod.class->local_hash && row->local_hash != 0 &&
				kube_pod_is_local_twin(row->local, e->d.pod.class)));
}

/* The row that is there, NULL when there is none. */
static struct cycle_row *rows_find(const struct evaluation *e, uint64_t serial)
{
	struct cycle_rows *rows = e->cycle->rows;
	if (rows->latest < rows->used && is_for(&rows->rows[rows->latest], e, serial))
		return &rows->rows[rows->latest];
	for (uint32_t i = 0; i < rows->used; i++)
		if (is_for(&rows->rows[i], e, serial))
			return &rows->rows[i];
	return NULL;
}

static void rows_begin(struct evaluation *e, struct cycle_row *row, uint64_t serial)
{
	const struct kube_pod_template *class = e->d.pod.class;
	row->serial = serial;
	row->profile = e->d.profile;
	row->labels = labels_serial(e);
	row->now_us = plugin_now_us(e->cycle->cache, e->d.profile);
	row->local_hash = class->local_end > CYCLE_LOCAL_MAX ? 0 : class->local_hash;
	if ((e->d.profile->local_reads & PLUGIN_READS_TEMPLATE) != 0)
		row->local_hash = 0;
	if (row->local_hash != 0)
		memcpy(row->local, class, class->local_end);
	hold_scores(e, row);
	hold_scales(e, row);
	work_out_all(e, row);
	row->followed = e->cycle->cache->change_count;
}

/*
 * One more row while there is memory. Then any row will do: where templates take turns, the one
 * that was used longest ago is the one that is needed next.
 */
static struct cycle_row *rows_add(struct cycle_rows *rows)
{
	size_t size = rows_parts(rows->room, rows->scale_count).size;
	size_t needed = (rows->used + 1) * size;
	bool may = rows->used < rows->count && (rows->used < ROWS_MIN || needed <= rows->bytes_max);
	if (may && page_span_reach(&rows->memory, needed)) {
		rows_lay(rows, rows->used);
		return &rows->rows[rows->used++];
	}
	return rows->used == 0 ? NULL : &rows->rows[hash_pair(rows->made++, 0) % rows->used];
}

struct cycle_row *cycle_row_of(struct evaluation *e)
{
	struct cycle_rows *rows = e->cycle->rows;
	const struct cache_shared *class =
		pool_at(&e->cycle->cache->classes, e->d.pod.template_index);
	uint32_t top = pool_top(&e->cycle->cache->nodes);
	if (top >= rows->room)
		rows_widen(rows, top);
	struct cycle_row *row = rows_find(e, class->serial);
	if (row != NULL) {
		row->serial = class->serial;
	} else {
		if (!rows_have_scales(rows, e->d.profile)) {
			rows_take_scales(rows, e->d.profile);
			rows_widen(rows, top);
		}
		row = rows_add(rows);
		if (row == NULL)
			return NULL;
		rows_begin(e, row, class->serial);
	}
	follow(e, row);
	rows->latest = (uint32_t)(row - rows->rows);
	return row;
}
