/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Victims on one node, and which node's victims are the least loss.
 */

#include "cycle/victims.h"
#include "base/sort.h"

/* ---- importance ---- */

struct ranked {
	uint32_t pod;
	int32_t priority;
	int64_t start_us;
	bool violates;
};

/* A pod that has not started counts as starting now: later than every other. */
static int64_t start_of(const struct cache_pod *pod)
{
	return (pod->flags & CACHE_POD_HAS_START) != 0 ? pod->start_us : INT64_MAX;
}

static int compare_importance(const void *left, const void *right)
{
	const struct ranked *a = left;
	const struct ranked *b = right;
	if (a->priority != b->priority)
		return a->priority > b->priority ? -1 : 1;
	if (a->start_us != b->start_us)
		return a->start_us < b->start_us ? -1 : 1;
	return (a->pod > b->pod) - (a->pod < b->pod);
}

static struct ranked *lower_pods(struct evaluation *e, uint32_t node, uint32_t *count)
{
	const struct cache *cache = e->cycle->cache;
	const struct cache_node *at = cache_node_at(cache, node);
	struct ranked *list = SCRATCH_ARRAY(e->d.scratch, struct ranked, (size_t)at->sums.pods + 1);
	*count = 0;
	for (uint32_t p = at->first_pod; list != NULL && p != 0; p = cache_pod_at(cache, p)->next) {
		const struct cache_pod *pod = cache_pod_at(cache, p);
		int32_t priority = cache_template_of(cache, pod)->priority;
		if (priority < e->d.pod.class->priority)
			list[(*count)++] = (struct ranked){p, priority, start_of(pod), false};
	}
	if (list != NULL)
		sort(list, *count, sizeof(*list), compare_importance);
	return list;
}

/* ---- disruption budgets ---- */

struct allowance {
	const struct kube_pdb *budget;
	uint32_t namespace;
	int32_t left;
};

static uint32_t count_budgets(const struct cache *cache)
{
	uint32_t count = 0;
	const struct list *all = &cache->by_kind[KUBE_PDB];
	for (const struct list *l = all->next; l != all; l = l->next)
		count++;
	return count;
}

static bool is_disrupted(const struct kube_pdb *budget, uint32_t name)
{
	const uint32_t *names = KUBE_AT(budget, budget->disrupted, uint32_t);
	for (uint32_t i = 0; i < budget->disrupted.count; i++)
		if (names[i] == name)
			return true;
	return false;
}

/* A null or empty selector matches nothing here. */
bool cycle_budget_protects(
	const struct cache *cache, const struct kube_pdb *budget, uint32_t namespace, uint32_t pod)
{
	const struct cache_pod *record = cache_pod_at(cache, pod);
	const struct kube_labels *labels = cache_labels_at(cache, record->labels);
	return labels != NULL && labels->pairs.count > 0 &&
		namespace == cache_template_of(cache, record)->namespace &&
		budget->selector.requirements.count > 0 &&
		kube_selector_matches(budget, &budget->selector, labels) &&
		!is_disrupted(budget, record->name);
}

/* Every budget that protects the pod pays for it; one that cannot makes it a violation. */
static bool split_by_budget(struct evaluation *e, struct ranked *list, uint32_t count)
{
	struct cache *cache = e->cycle->cache;
	uint32_t budgets = count_budgets(cache);
	if (budgets == 0)
		return true;
	struct allowance *left = SCRATCH_ARRAY(e->d.scratch, struct allowance, budgets);
	if (left == NULL)
		return false;
	struct list *all = &cache->by_kind[KUBE_PDB];
	uint32_t at = 0;
	for (struct list *l = all->next; l != all; l = l->next) {
		const struct cache_object *object = LIST_OWNER(l, struct cache_object, link);
		const struct kube_pdb *budget = (const struct kube_pdb *)(const void *)object->blob;
		left[at++] =
			(struct allowance){budget, object->namespace, budget->disruptions_allowed};
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t b = 0; b < budgets; b++)
			if (cycle_budget_protects(
				    cache, left[b].budget, left[b].namespace, list[i].pod) &&
				--left[b].left < 0)
				list[i].violates = true;
	return true;
}

/* ---- one node ---- */

static enum victims_result none(struct evaluation *e, struct scratch_mark mark,
	struct victims *found, enum plugin_code code, uint8_t plugin,
	const struct plugin_reasons *why)
{
	bool kept = evaluation_keep_status(e, mark, why, code, plugin, &found->status);
	return kept ? VICTIMS_NONE : VICTIMS_FAILED;
}

/* Puts back who can come back, first those whose leaving breaks a budget. */
static void reprieve(struct what_if *w, struct ranked *list, uint32_t count, bool violating,
	bool *gone, struct victims *found)
{
	uint8_t plugin;
	for (uint32_t i = 0; i < count; i++) {
		if (list[i].violates != violating)
			continue;
		what_if_restore(w, list[i].pod);
		if (what_if_filter(w, NULL, &plugin) == PLUGIN_SUCCESS)
			continue;
		what_if_remove(w, list[i].pod);
		gone[i] = true;
		found->count++;
		found->violations += violating;
	}
}

static enum victims_result choose_victims(struct evaluation *e, struct what_if *w,
	struct ranked *list, uint32_t count, struct victims *found, struct plugin_reasons *why,
	uint8_t *plugin, enum plugin_code *code)
{
	bool *gone = SCRATCH_ARRAY(e->d.scratch, bool, (size_t)count + 1);
	if (e->d.scratch->overflowed || !split_by_budget(e, list, count))
		return VICTIMS_FAILED;
	for (uint32_t i = 0; i < count; i++)
		what_if_remove(w, list[i].pod);
	*code = what_if_filter(w, why, plugin);
	if (*code != PLUGIN_SUCCESS)
		return VICTIMS_NONE;
	reprieve(w, list, count, true, gone, found);
	reprieve(w, list, count, false, gone, found);
	found->pods = SCRATCH_ARRAY(e->d.scratch, uint32_t, (size_t)found->count + 1);
	if (found->pods == NULL)
		return VICTIMS_FAILED;
	found->count = 0;
	for (uint32_t i = 0; i < count; i++)
		if (gone[i])
			found->pods[found->count++] = list[i].pod;
	return VICTIMS_FOUND;
}

enum victims_result victims_on_node(struct evaluation *e, uint32_t node, struct victims *found)
{
	struct scratch_mark mark = scratch_mark(e->d.scratch);
	struct plugin_reasons why = {.scratch = e->d.scratch};
	enum plugin_code code = PLUGIN_UNRESOLVABLE;
	uint8_t plugin = PLUGIN_DEFAULT_PREEMPTION;
	*found = (struct victims){.node = node};
	uint32_t count;
	struct ranked *list = lower_pods(e, node, &count);
	if (list == NULL)
		return VICTIMS_FAILED;
	if (count == 0) {
		plugin_because(&why, "No preemption victims found for incoming pod");
		return none(e, mark, found, code, plugin, &why);
	}
	struct what_if w;
	if (!what_if_begin(&w, e, node, count + e->nominated_count))
		return VICTIMS_FAILED;
	enum victims_result result =
		choose_victims(e, &w, list, count, found, &why, &plugin, &code);
	what_if_end(&w);
	if (result == VICTIMS_FOUND && found->count == 0) {
		/* It fits as it is, so taking a pod away is no cure. */
		plugin_because_of(&why, "expected at least one victim pod on node \"%.*s\"",
			TEXT_ARGS(cache_text(e->cycle->cache, w.view.node->name)));
		return none(e, mark, found, PLUGIN_ERROR, PLUGIN_DEFAULT_PREEMPTION, &why);
	}
	return result == VICTIMS_NONE ? none(e, mark, found, code, plugin, &why) : result;
}

static bool is_still_there(
	const struct evaluation *e, const struct extender_victim *victim, uint32_t node)
{
	const struct cache *cache = e->cycle->cache;
	if (victim->chosen == 0 || !pool_is_taken(&cache->pods, victim->pod))
		return false;
	const struct cache_pod *pod = cache_pod_at(cache, victim->pod);
	return pod->uid.high == victim->uid.high && pod->uid.low == victim->uid.low &&
		pod->node == node &&
		cache_template_of(cache, pod)->priority < e->d.pod.class->priority;
}

enum victims_result victims_of_offer(struct evaluation *e, const struct extender_offers *offers,
	const struct extender_offer *offer, struct victims *found)
{
	const struct cache *cache = e->cycle->cache;
	struct what_if w;
	uint8_t plugin;
	*found = (struct victims){.node = offer->node, .violations = (uint32_t)offer->violations};
	if (!pool_is_taken(&cache->nodes, offer->node) ||
		cache_node_at(cache, offer->node)->name != offer->name ||
		cache_node_at(cache, offer->node)->facts == NULL)
		return VICTIMS_NONE;
	found->pods = SCRATCH_ARRAY(e->d.scratch, uint32_t, (size_t)offer->count + 1);
	if (found->pods == NULL ||
		!what_if_begin(&w, e, offer->node, offer->count + e->nominated_count))
		return VICTIMS_FAILED;
	for (uint32_t i = offer->first; i < offer->first + offer->count; i++) {
		if (!is_still_there(e, &offers->victims[i], offer->node))
			continue;
		found->pods[found->count++] = offers->victims[i].pod;
		what_if_remove(&w, offers->victims[i].pod);
	}
	enum plugin_code code = what_if_filter(&w, NULL, &plugin);
	what_if_end(&w);
	return found->count > 0 && code == PLUGIN_SUCCESS ? VICTIMS_FOUND : VICTIMS_NONE;
}

bool victims_keep(struct evaluation *e, struct scratch_mark mark, struct victims *found)
{
	uint32_t *from = found->pods;
	scratch_rewind(e->d.scratch, mark);
	size_t size;
	uint32_t *to = scratch_take_rest(e->d.scratch, &size);
	if (to == NULL || size < found->count * sizeof(*to))
		return false;
	memmove(to, from, found->count * sizeof(*to)); /* down, within the same memory */
	scratch_keep(e->d.scratch, to, found->count * sizeof(*to));
	found->pods = to;
	return true;
}

/* ---- the least loss ---- */

static int32_t priority_of(const struct evaluation *e, uint32_t pod)
{
	const struct cache *cache = e->cycle->cache;
	return cache_template_of(cache, cache_pod_at(cache, pod))->priority;
}

static int64_t priority_sum(const struct evaluation *e, const struct victims *v)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < v->count; i++)
		sum += (int64_t)priority_of(e, v->pods[i]) + INT32_MAX + 1;
	return sum;
}

/* The earliest start among the victims of the highest priority. */
static int64_t earliest_start(const struct evaluation *e, const struct victims *v)
{
	int32_t highest = priority_of(e, v->pods[0]);
	int64_t earliest = INT64_MAX;
	for (uint32_t i = 0; i < v->count; i++) {
		int64_t start = start_of(cache_pod_at(e->cycle->cache, v->pods[i]));
		if (priority_of(e, v->pods[i]) == highest && start < earliest)
			earliest = start;
	}
	return earliest;
}

bool victims_better(const struct evaluation *e, const struct victims *a, const struct victims *b)
{
	/* 1. fewest broken budgets */
	if (a->violations != b->violations)
		return a->violations < b->violations;
	/* 2. the most important victim is the least important */
	int32_t first_a = priority_of(e, a->pods[0]);
	int32_t first_b = priority_of(e, b->pods[0]);
	if (first_a != first_b)
		return first_a < first_b;
	/* 3. smallest sum of priorities */
	int64_t sum_a = priority_sum(e, a);
	int64_t sum_b = priority_sum(e, b);
	if (sum_a != sum_b)
		return sum_a < sum_b;
	/* 4. fewest victims */
	if (a->count != b->count)
		return a->count < b->count;
	/* 5. the longest-running important victim started last; 6. the first found stays */
	return earliest_start(e, a) > earliest_start(e, b);
}
