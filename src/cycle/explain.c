/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything about one pod, node by node and plugin by plugin, as JSON.
 */

#include "base/sort.h"
#include "cycle/evaluation.h"
#include "json/json.h"

enum { DETAIL_MAX = 2048 /* what does not fit any more is left out */ };

static const char *code_name(enum plugin_code code)
{
	switch (code) {
	case PLUGIN_UNSCHEDULABLE: return "Unschedulable";
	case PLUGIN_UNRESOLVABLE: return "UnschedulableAndUnresolvable";
	case PLUGIN_PENDING: return "Pending";
	case PLUGIN_SKIP: return "Skip";
	case PLUGIN_WAIT: return "Wait";
	case PLUGIN_ERROR: return "Error";
	case PLUGIN_SUCCESS: break;
	}
	return "Success";
}

static struct text node_name(const struct evaluation *e, uint32_t node)
{
	return cache_text(e->cycle->cache, cache_node_at(e->cycle->cache, node)->name);
}

static void put_status(struct json_writer *j, const struct cycle_status *status)
{
	json_member_z(
		j, "plugin", status->plugin < PLUGIN_COUNT ? plugins[status->plugin]->name : "");
	json_member_z(j, "code", code_name(status->code));
	json_member_array(j, "reasons");
	for (uint32_t i = 0; i < status->reason_count; i++)
		json_put_text(j, status->reasons[i]);
	json_close_array(j);
}

/* What the plugin knows besides its reasons. */
static void put_detail(struct evaluation *e, struct json_writer *j, uint8_t plugin, uint32_t node)
{
	char words[DETAIL_MAX];
	struct writer w;
	if (plugin >= PLUGIN_COUNT || plugins[plugin]->detail == NULL)
		return;
	struct cache_view view = cache_view_of(e->cycle->cache, node);
	struct scratch_mark mark = scratch_mark(e->d.scratch);
	writer_init(&w, words, sizeof(words));
	plugins[plugin]->detail(&e->d, &view, &w);
	scratch_rewind(e->d.scratch, mark);
	if (w.used > 0)
		json_member_text(j, "detail", writer_text(&w));
}

/* ---- names, sorted ---- */

static void put_sorted(struct json_writer *j, const char *key, struct text *names, uint32_t count)
{
	sort_texts(names, count);
	json_member_array(j, key);
	for (uint32_t i = 0; i < count; i++)
		json_put_text(j, names[i]);
	json_close_array(j);
}

static void put_node_verdicts(struct evaluation *e, struct json_writer *j, const char *key,
	const uint32_t *nodes, uint32_t count)
{
	struct scratch_mark mark = scratch_mark(e->d.scratch);
	struct text *names = SCRATCH_ARRAY(e->d.scratch, struct text, (size_t)count + 1);
	for (uint32_t i = 0; names != NULL && i < count; i++)
		names[i] = node_name(e, nodes[i]);
	if (names != NULL)
		put_sorted(j, key, names, count);
	scratch_rewind(e->d.scratch, mark);
}

/* ---- the parts of the answer ---- */

static void put_prefilter_nodes(struct evaluation *e, struct json_writer *j)
{
	if (e->d.only_nodes == NULL)
		return;
	struct text *names =
		SCRATCH_ARRAY(e->d.scratch, struct text, (size_t)e->d.only_node_count + 1);
	for (uint32_t i = 0; names != NULL && i < e->d.only_node_count; i++)
		names[i] = cache_text(e->cycle->cache, e->d.only_nodes[i]);
	if (names != NULL)
		put_sorted(j, "preFilterNodes", names, e->d.only_node_count);
}

static void put_rejected(struct evaluation *e, struct json_writer *j)
{
	json_member_object(j, "rejected");
	for (uint32_t i = 0; i < e->candidate_count; i++) {
		const struct cycle_status *status = &e->statuses[e->candidates[i]];
		if (status->code == PLUGIN_SUCCESS)
			continue;
		json_key_text(j, node_name(e, e->candidates[i]));
		json_open_object(j);
		put_status(j, status);
		put_detail(e, j, status->plugin, e->candidates[i]);
		json_close_object(j);
	}
	json_close_object(j);
}

static void put_score(const struct evaluation *e, struct json_writer *j, uint32_t i)
{
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_SCORE];
	json_member_i64(j, "total", e->totals[i]);
	json_member_object(j, "plugins");
	for (uint32_t k = 0; k < uses->count; k++)
		if (plugin_set_has(&e->scored, uses->list[k].id))
			json_member_i64(j, plugins[uses->list[k].id]->name,
				e->plugin_scores[(size_t)k * e->feasible_count + i]);
	json_close_object(j);
}

static void put_scores(struct evaluation *e, struct json_writer *j)
{
	json_member_object(j, "scores");
	for (uint32_t i = 0; i < e->feasible_count; i++) {
		json_key_text(j, node_name(e, e->feasible[i]));
		json_open_object(j);
		put_score(e, j, i);
		json_close_object(j);
	}
	json_close_object(j);
}

static void put_best(struct evaluation *e, struct json_writer *j)
{
	int64_t most = e->totals[0];
	for (uint32_t i = 1; i < e->feasible_count; i++)
		most = e->totals[i] > most ? e->totals[i] : most;
	uint32_t *best = SCRATCH_ARRAY(e->d.scratch, uint32_t, e->feasible_count);
	uint32_t count = 0;
	for (uint32_t i = 0; best != NULL && i < e->feasible_count; i++)
		if (e->totals[i] == most)
			best[count++] = e->feasible[i];
	if (best != NULL)
		put_node_verdicts(e, j, "best", best, count);
	json_member_text(j, "choice", node_name(e, e->feasible[evaluation_best(e)]));
}

static void put_pick(
	struct evaluation *e, struct json_writer *j, const struct cycle_preemption *preemption)
{
	const struct cache *cache = e->cycle->cache;
	json_open_object(j);
	json_member_text(j, "node", node_name(e, preemption->node));
	struct text *names =
		SCRATCH_ARRAY(e->d.scratch, struct text, (size_t)preemption->victim_count + 1);
	for (uint32_t i = 0; names != NULL && i < preemption->victim_count; i++) {
		const struct cache_pod *pod = cache_pod_at(cache, preemption->victims[i]);
		struct text namespace = cache_text(cache, cache_template_of(cache, pod)->namespace);
		struct text name = cache_text(cache, pod->name);
		char *at = scratch_take(e->d.scratch, namespace.size + name.size + 1);
		if (at == NULL)
			break;
		struct writer w;
		writer_init(&w, at, namespace.size + name.size + 1);
		write_text(&w, namespace);
		write_char(&w, '/');
		write_text(&w, name);
		names[i] = writer_text(&w);
	}
	if (!e->d.scratch->overflowed)
		put_sorted(j, "victims", names, preemption->victim_count);
	json_member_i64(j, "pdbViolations", preemption->violations);
	json_close_object(j);
}

static void put_rejection(struct evaluation *e, struct json_writer *j)
{
	struct cycle_preemption preemption;
	evaluation_post_filter(e, &preemption);
	struct text before = TEXT_NONE;
	if (e->prefilter_rejected)
		before = cycle_status_message(e, &e->prefilter);
	struct text message =
		fit_error_text(e, e->statuses, &e->absent, before, preemption.message);
	json_member_object(j, "preemption");
	json_member_bool(j, "eligible", preemption.eligible);
	if (preemption.found) {
		json_member_array(j, "picks");
		put_pick(e, j, &preemption);
		json_close_array(j);
	} else {
		json_member_text(j, "message", preemption.message);
	}
	json_close_object(j);
	json_member_text(j, "message", message);
}

static void put_error(struct evaluation *e, struct json_writer *j)
{
	json_member_z(j, "error", e->error == NULL ? "out of scratch memory" : e->error);
}

static void put_decision(struct evaluation *e, struct json_writer *j)
{
	if (e->node_count == 0) {
		json_member_z(j, "message", "no nodes available to schedule pods");
		return;
	}
	if (!evaluation_prefilter(e)) {
		put_error(e, j);
		return;
	}
	if (e->prefilter_rejected) {
		json_member_object(j, "preFilter");
		put_status(j, &e->prefilter);
		json_close_object(j);
		put_rejection(e, j);
		return;
	}
	put_prefilter_nodes(e, j);
	bool filtered = evaluation_filter(e);
	if (filtered || e->statuses != NULL) {
		put_rejected(e, j);
		put_node_verdicts(e, j, "feasible", e->feasible, e->feasible_count);
	}
	if (!filtered)
		put_error(e, j);
	else if (e->feasible_count == 0)
		put_rejection(e, j);
	else if (!evaluation_score(e, true))
		put_error(e, j);
	else {
		put_scores(e, j);
		put_best(e, j);
	}
}

void cycle_explain(struct cycle *cycle, uint32_t pod, enum cache_count_mode way, struct writer *out)
{
	struct evaluation evaluation;
	struct evaluation *e = &evaluation;
	struct json_writer j;
	json_write_init(&j, out);
	json_open_object(&j);
	if (evaluation_begin(e, cycle, pod, way))
		put_decision(e, &j);
	else
		put_error(e, &j);
	json_close_object(&j);
}

void cycle_best(struct cycle *cycle, uint32_t pod, uint32_t most, struct writer *out)
{
	struct evaluation evaluation;
	struct evaluation *e = &evaluation;
	struct json_writer j;
	if (!evaluation_begin(e, cycle, pod, CACHE_COUNT_FAST) || e->node_count == 0 ||
		!evaluation_prefilter(e) || e->prefilter_rejected || !evaluation_filter(e) ||
		e->feasible_count < 2 || !evaluation_score(e, true))
		return;
	json_write_init(&j, out);
	json_open_array(&j);
	for (uint32_t n = 0; n < most && n < e->feasible_count; n++) {
		uint32_t best = evaluation_best(e);
		json_open_object(&j);
		json_member_text(&j, "node", node_name(e, e->feasible[best]));
		put_score(e, &j, best);
		json_close_object(&j);
		e->totals[best] = INT64_MIN;
	}
	json_close_array(&j);
}
