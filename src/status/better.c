/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which running pods would go elsewhere now? Each is taken off its node in thought, scored as if it
 * were pending, and put back; nothing is evicted or written. Pods of DaemonSets, mirror pods, those
 * that are going anyway, and those that their own node would not take any more are left out.
 *
 * /berth/v1/better?min=POINTS
 *	[{"namespace":"d","name":"web-1","owner":"ReplicaSet/web-7d","node":"n1","score":210,
 *	  "to":"n2","best":380,"gain":170},...]      each alone: after one has moved it is another
 *	                                             question
 */
#include "status/private.h"

enum { BETTER_GAIN = 20, BETTER_SLICE_US = 1000 };

/* False: it is where it would go, or there is no telling. */
static bool would_gain(
	struct scheduler *s, uint32_t pod, struct schedule_result *result, int64_t *score)
{
	struct cache *cache = &s->cache;
	uint32_t node = cache_pod_at(cache, pod)->node;
	cache_imagine_off(cache, pod);
	cycle_place(&s->cycle, pod, false, result);
	bool better = result->outcome == CYCLE_PLACED && result->node != node &&
		cycle_score_of(&s->cycle, node, score);
	cache_imagine_back(cache, pod, node);
	return better;
}

static bool is_movable(const struct scheduler *s, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	return p->node != 0 && (p->flags & CACHE_POD_ASSUMED) == 0 &&
		cache_node_at(&s->cache, p->node)->facts != NULL &&
		!loss_needs_no_place(&s->cache, p) && cycle_profile_of(&s->cycle, pod) != NULL;
}

static bool better_step(struct status_answer *a, struct writer *w)
{
	struct scheduler *s = a->status->s;
	const struct cache *cache = &s->cache;
	struct mono start = clock_mono(&s->setup.clock);
	struct schedule_result result;
	struct json_writer j;
	int64_t score;
	while (mono_since_us(clock_mono(&s->setup.clock), start) < BETTER_SLICE_US) {
		a->at = pool_next(&cache->pods, a->at);
		if (a->at == 0)
			return rows_end(a, w);
		if (!is_movable(s, a->at) || !would_gain(s, a->at, &result, &score) ||
			result.score - score < a->limit)
			continue;
		const struct cache_pod *p = cache_pod_at(cache, a->at);
		rows_begin(a, w, &j);
		json_member_text(
			&j, "namespace", cache_text(cache, cache_template_of(cache, p)->namespace));
		json_member_text(&j, "name", cache_text(cache, p->name));
		status_put_owner(cache, p, &j);
		json_member_text(
			&j, "node", cache_text(cache, cache_node_at(cache, p->node)->name));
		json_member_i64(&j, "score", score);
		json_member_text(
			&j, "to", cache_text(cache, cache_node_at(cache, result.node)->name));
		json_member_i64(&j, "best", result.score);
		json_member_i64(&j, "gain", result.score - score);
		json_close_object(&j);
		break;
	}
	a->is_enough = true;
	return true;
}

void better_answer(struct status_answer *a)
{
	if ((scheduler_kinds_known(a->status->s) & SCHEDULER_VITAL_KINDS) != SCHEDULER_VITAL_KINDS)
		status_refuse(a, 503, "the initial lists are not complete yet");
	else if (explain_take_words(a)) {
		a->limit = status_number(a, "min", BETTER_GAIN);
		status_stream(a, status_json, better_step);
	}
}
