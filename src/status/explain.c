/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Explain: one pod, node by node and plugin by plugin. One with a node is taken off it in thought:
 * it is explained as if it were decided now, and besides
 *	"assigned":{"node":"n1","score":210,"to":"n2","best":380,"stays":false}
 *	      no score: nothing else is feasible, or its own is not; no "to": none would
 *	"decided":{"atMs":...,"node":"n1","feasible":3,"best":[["n1",312],["n2",300]],...}
 *	      when it came there, as far as the history goes back
 *
 * The picture changes with every turn, so an explanation is made in one go and kept until it is
 * read. There is one room for it: one at a time, and a pause between two, so that a page that asks
 * again and again costs no more than a decision now and then.
 */
#include "plugins/args.h"
#include "status/private.h"

bool explain_take_words(struct status_answer *a)
{
	struct status *status = a->status;
	struct mono now = net_now(status->setup.net);
	if (status->words_of != NULL ||
		!mono_reached(now, mono_after_ms(status->explained, STATUS_PAUSE_MS))) {
		status_refuse(a, 503, "another explanation is in progress; retry");
		return false;
	}
	status->explained = now;
	status->words_of = a;
	return true;
}

void explain_give_words(struct status_answer *a)
{
	if (a->status->words_of == a)
		a->status->words_of = NULL;
}

/* What the pod asks for, and who is asked about a node, in order: what a reader needs to say more.
 */
static void status_explain_put_pod(const struct cache *cache, const struct kube_pod_template *class,
	const struct plugin_profile *profile, struct writer *w)
{
	const struct kube_resources *r = &class->fit;
	const struct kube_scalar *scalars = KUBE_AT(class, r->scalars, struct kube_scalar);
	struct json_writer j;
	json_reopen_object(&j, w);
	json_member_object(&j, "requests");
	json_member_i64(&j, "cpu", r->cpu_milli);
	json_member_i64(&j, "memory", r->memory_bytes);
	json_member_i64(&j, "ephemeral-storage", r->storage_bytes);
	for (uint32_t i = 0; i < r->scalars.count; i++) {
		json_key_text(&j, cache_text(cache, scalars[i].name));
		json_put_i64(&j, scalars[i].value);
	}
	json_close_object(&j);
	json_member_array(&j, "filters");
	const struct plugin_uses *filters = &profile->at[PLUGIN_AT_FILTER];
	for (uint32_t i = 0; i < filters->count; i++)
		json_put_z(&j, plugins[filters->list[i].id]->name);
	json_close_array(&j);
	if (class->node_selector.count > 0) {
		const struct kube_label *labels =
			KUBE_AT(class, class->node_selector, struct kube_label);
		json_member_object(&j, "nodeSelector");
		for (uint32_t i = 0; i < class->node_selector.count; i++) {
			json_key_text(&j, cache_text(cache, labels[i].key));
			json_put_text(&j, cache_text(cache, labels[i].value));
		}
		json_close_object(&j);
	}
	if (class->gates.count > 0) {
		const uint32_t *gates = KUBE_AT(class, class->gates, uint32_t);
		json_member_array(&j, "gates");
		for (uint32_t i = 0; i < class->gates.count; i++)
			json_put_text(&j, cache_text(cache, gates[i]));
		json_close_array(&j);
	}
	json_close_object(&j);
}

/* How it came to be on that node; false: it is not kept. */
static bool find_decided(
	const struct scheduler *s, uint32_t pod, struct text node, struct history_event *event)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	struct text name = cache_text(&s->cache, p->name);
	struct text namespace = cache_text(&s->cache, cache_template_of(&s->cache, p)->namespace);
	struct history_walk walk = {0, 0};
	while (history_older(&s->history, &walk, event)) {
		size_t slash = text_find(event->pod, '/');
		if (event->kind == HISTORY_SCHEDULED && slash < event->pod.size &&
			text_is(text_first(event->pod, slash), namespace) &&
			text_is(text_from(event->pod, slash + 1), name) &&
			text_is(event->node, node))
			return true;
	}
	return false;
}

/* It is off that node in thought. */
static void put_assigned(struct scheduler *s, uint32_t pod, uint32_t node, struct writer *w)
{
	const struct cache *cache = &s->cache;
	struct text name = cache_text(cache, cache_node_at(cache, node)->name);
	struct json_writer j;
	struct schedule_result now;
	struct history_event event;
	int64_t score = 0;
	cycle_place(&s->cycle, pod, false, &now);
	bool is_placed = now.outcome == CYCLE_PLACED;
	bool is_scored = is_placed && cycle_score_of(&s->cycle, node, &score);
	json_reopen_object(&j, w);
	json_member_object(&j, "assigned");
	json_member_text(&j, "node", name);
	if (is_scored)
		json_member_i64(&j, "score", score);
	if (is_placed)
		json_member_text(&j, "to", cache_text(cache, cache_node_at(cache, now.node)->name));
	if (is_scored)
		json_member_i64(&j, "best", now.score);
	json_member_bool(
		&j, "stays", is_placed && (now.node == node || (is_scored && score >= now.score)));
	json_close_object(&j);
	if (find_decided(s, pod, name, &event)) {
		json_member_object(&j, "decided");
		history_put_event(&event, &j);
		json_close_object(&j);
	}
	json_close_object(&j);
}

bool explain_put(struct status *status, uint32_t pod, struct writer *w)
{
	struct scheduler *s = status->s;
	uint32_t node = cache_pod_at(&s->cache, pod)->node;
	if (node != 0)
		cache_imagine_off(&s->cache, pod);
	cycle_explain(&s->cycle, pod, CACHE_COUNT_FAST, w);
	if (node != 0 && !w->overflowed)
		put_assigned(s, pod, node, w);
	if (node != 0)
		cache_imagine_back(&s->cache, pod, node);
	if (!w->overflowed)
		status_explain_put_pod(&s->cache,
			cache_template_of(&s->cache, cache_pod_at(&s->cache, pod)),
			cycle_profile_of(&s->cycle, pod), w);
	return !w->overflowed;
}

void explain_send(struct status_answer *a, const struct writer *w)
{
	if (w->overflowed)
		status_refuse(a, 507, "the answer is too large; raise --memory");
	else
		status_reply(a, 200, status_json, writer_text(w));
}

/* Why nothing is said of it; NULL: nothing speaks against it. */
static const char *status_explain_refusal(
	const struct scheduler *s, uint32_t pod, bool is_explained)
{
	if (pod == 0)
		return "pod not found";
	if (is_explained && (cache_pod_at(&s->cache, pod)->flags & CACHE_POD_ASSUMED) != 0)
		return "the pod is being bound now";
	if (cycle_profile_of(&s->cycle, pod) == NULL)
		return "no profile has the name in spec.schedulerName";
	return NULL;
}

/* Explained, or how many more of it fit: then one with a node stays where it is. */
static void answer_about_pod(struct status_answer *a, bool is_explained)
{
	struct status *status = a->status;
	struct scheduler *s = status->s;
	char name[512];
	struct text pod = status_parameter(a, "pod", name, sizeof(name));
	size_t slash = text_find(pod, '/');
	if (slash == pod.size) {
		status_refuse(a, 400, "name the pod as ?pod=NAMESPACE/NAME");
		return;
	}
	if (!is_explained &&
		(scheduler_kinds_known(s) & SCHEDULER_VITAL_KINDS) != SCHEDULER_VITAL_KINDS) {
		status_refuse(a, 503, "the initial lists are not complete yet");
		return;
	}
	uint32_t index =
		cache_find_pod(&s->cache, text_first(pod, slash), text_from(pod, slash + 1));
	const char *fault = status_explain_refusal(s, index, is_explained);
	if (fault != NULL) {
		status_refuse(a, index == 0 ? 404 : 409, "%s", fault);
		return;
	}
	if (explain_take_words(a)) {
		struct writer w;
		struct json_writer j;
		writer_init(&w, status->words, status->words_size);
		json_write_init(&j, &w);
		if (is_explained) {
			(void)explain_put(status, index, &w);
		} else {
			headroom_put(status, index, &j);
			write_char(&w, '\n');
		}
		explain_send(a, &w);
	}
}

void explain_answer(struct status_answer *a)
{
	answer_about_pod(a, true);
}

void headroom_answer(struct status_answer *a)
{
	answer_about_pod(a, false);
}
