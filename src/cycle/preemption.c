/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DefaultPreemption: whom could the pod push off a node, and where does it hurt least?
 *
 * For each node whose refusal removing pods can cure: take all pods of lower priority off in
 * thought; when the pod fits then, put them back one by one, the most important first, as long as
 * it still fits. Those who could not come back are the victims.
 *
 * kube-scheduler starts its search at a random node and takes a random one of equal candidates;
 * we start at the first and take the first.
 */
#include "cycle/evaluation.h"
#include "cycle/victims.h"

static const char not_helpful[] = "Preemption is not helpful for scheduling";

static struct text prefixed(struct evaluation *e, struct text message)
{
	size_t room = message.size + sizeof("preemption: ");
	char *at = scratch_take(e->d.scratch, room);
	if (at == NULL)
		return message;
	struct writer w;
	writer_init(&w, at, room);
	write_z(&w, "preemption: ");
	write_text(&w, message);
	return writer_text(&w);
}

/* Since v1.37 a success has its words, too. */
static struct text found_message(struct evaluation *e, const struct cycle_preemption *p)
{
	const struct cache *cache = e->cycle->cache;
	struct text node = cache_text(cache, cache_node_at(cache, p->node)->name);
	size_t room = node.size + 128;
	char *at = scratch_take(e->d.scratch, room);
	if (at == NULL)
		return TEXT_NONE;
	struct writer w;
	writer_init(&w, at, room);
	write_format(&w,
		"preemption: found a potential placement for pod on node %.*s, preempting %u "
		"victims",
		TEXT_ARGS(node), (unsigned)p->victim_count);
	return writer_text(&w);
}

/* ---- may the pod preempt at all? ---- */

static enum plugin_code status_of_node(const struct evaluation *e, uint32_t node)
{
	if (e->prefilter_rejected)
		return e->prefilter.code;
	if (e->statuses != NULL && e->statuses[node].code != PLUGIN_SUCCESS)
		return e->statuses[node].code;
	return e->absent.code;
}

/* It preempted before, and a victim is still leaving: wait. */
static bool waits_for_victims(const struct evaluation *e)
{
	const struct cache *cache = e->cycle->cache;
	uint32_t name = cache_pod_at(cache, e->d.pod.index)->nominated;
	uint32_t node = name == 0 ? 0 : cache_find_node_id(cache, name);
	if (node == 0 || cache_node_at(cache, node)->facts == NULL ||
		status_of_node(e, node) == PLUGIN_UNRESOLVABLE)
		return false;
	uint16_t leaving = CACHE_POD_DELETING | CACHE_POD_DISRUPTION_TARGET;
	for (uint32_t p = cache_node_at(cache, node)->first_pod; p != 0;
		p = cache_pod_at(cache, p)->next) {
		const struct cache_pod *pod = cache_pod_at(cache, p);
		if (cache_template_of(cache, pod)->priority < e->d.pod.class->priority &&
			((pod->flags & leaving) == leaving ||
				(pod->flags & CACHE_POD_EVICTED) != 0))
			return true;
	}
	return false;
}

/* ---- candidates ---- */

static void fail_message(
	struct evaluation *e, struct cycle_preemption *p, const struct cycle_status *statuses)
{
	static struct text reason = {not_helpful, sizeof(not_helpful) - 1};
	struct cycle_status absent = {PLUGIN_UNRESOLVABLE, PLUGIN_DEFAULT_PREEMPTION, 1, &reason};
	p->clear_nomination = true;
	p->message = prefixed(e, fit_error_text(e, statuses, &absent, TEXT_NONE, TEXT_NONE));
}

/* Nodes where removing pods can help, in the nodes' order. */
static uint32_t potential_nodes(const struct evaluation *e, uint32_t *nodes)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < e->node_count; i++)
		if (status_of_node(e, e->nodes[i]) == PLUGIN_UNSCHEDULABLE)
			nodes[count++] = e->nodes[i];
	return count;
}

static uint32_t candidates_wanted(const struct evaluation *e, uint32_t potential)
{
	const struct preemption_args *args =
		PLUGIN_ARGS(e->d.profile, DEFAULT_PREEMPTION, preemption_args);
	int64_t wanted = (int64_t)potential * args->min_candidate_percentage / 100;
	if (wanted < args->min_candidate_absolute)
		wanted = args->min_candidate_absolute;
	return wanted > potential ? potential : (uint32_t)wanted;
}

static bool keep_best(struct evaluation *e, struct victims *best, const struct victims *found)
{
	if (best->node != 0 && !victims_better(e, found, best))
		return true;
	best->node = found->node;
	best->count = found->count;
	best->violations = found->violations;
	if (found->count > best->room) {
		best->pods = SCRATCH_ARRAY(e->d.scratch, uint32_t, found->count);
		best->room = found->count;
		if (best->pods == NULL)
			return false;
	}
	memcpy(best->pods, found->pods, found->count * sizeof(*found->pods));
	return true;
}

/* For extenders to look at; false: there is room for no more. */
static bool offer(struct evaluation *e, const struct victims *found)
{
	struct extender_offers *offers = e->extension->offers;
	const struct cache *cache = e->cycle->cache;
	if (offers->count == EXTENDER_OFFERS_MAX ||
		found->count > EXTENDER_VICTIMS_MAX - offers->victim_count)
		return false;
	offers->list[offers->count++] = (struct extender_offer){
		.node = found->node,
		.name = cache_node_at(cache, found->node)->name,
		.first = offers->victim_count,
		.count = found->count,
		.violations = found->violations,
		.chosen = true,
	};
	for (uint32_t i = 0; i < found->count; i++) {
		const struct cache_pod *pod = cache_pod_at(cache, found->pods[i]);
		const struct kube_pod_template *class = cache_template_of(cache, pod);
		offers->victims[offers->victim_count++] = (struct extender_victim){
			.uid = pod->uid,
			.pod = found->pods[i],
			.name = pod->name,
			.namespace = class->namespace,
			.priority = class->priority,
			.chosen = 1,
		};
	}
	return true;
}

static bool makes_offers(const struct evaluation *e)
{
	return e->extension != NULL && e->extension->offers != NULL && !e->extension->chosen;
}

/* Looks for candidates; statuses tells why a node is none. False: out of scratch. */
static bool search(struct evaluation *e, const uint32_t *potential, uint32_t count,
	struct cycle_status *statuses, struct victims *best)
{
	uint32_t wanted = candidates_wanted(e, count);
	uint32_t violating = 0;
	uint32_t harmless = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (harmless > 0 && harmless + violating >= wanted)
			break;
		struct victims found;
		struct scratch_mark mark = scratch_mark(e->d.scratch);
		enum victims_result result = victims_on_node(e, potential[i], &found);
		if (result == VICTIMS_FOUND) {
			harmless += found.violations == 0;
			violating += found.violations > 0;
			if (makes_offers(e)) {
				bool more = offer(e, &found);
				scratch_rewind(e->d.scratch, mark);
				if (!more)
					break;
				continue;
			}
			/* What is kept must lie below the mark: copy after giving scratch back. */
			if (!victims_keep(e, mark, &found) || !keep_best(e, best, &found))
				return false;
		} else if (result == VICTIMS_NONE) {
			statuses[potential[i]] = found.status;
		} else {
			return false;
		}
	}
	return true;
}

/* Of what extenders left, what still holds. */
static bool search_chosen(struct evaluation *e, struct cycle_preemption *p, struct victims *best)
{
	const struct extender_offers *offers = e->extension->offers;
	bool any = false;
	for (uint32_t i = 0; i < offers->count; i++) {
		struct victims found;
		struct scratch_mark mark = scratch_mark(e->d.scratch);
		if (!offers->list[i].chosen)
			continue;
		any = true;
		switch (victims_of_offer(e, offers, &offers->list[i], &found)) {
		case VICTIMS_FAILED: return false;
		case VICTIMS_NONE: scratch_rewind(e->d.scratch, mark); break;
		case VICTIMS_FOUND:
			if (!victims_keep(e, mark, &found) || !keep_best(e, best, &found))
				return false;
			break;
		}
	}
	p->stale = any && best->node == 0;
	if (!any)
		p->message = prefixed(e, TEXT("no candidate node for preemption"));
	return true;
}

static void preempt(struct evaluation *e, struct cycle_preemption *p)
{
	p->tried = true;
	if (!p->eligible) {
		p->message = prefixed(e,
			e->d.pod.class->preempts == 0
				? TEXT("not eligible due to preemptionPolicy=Never.")
				: TEXT("not eligible due to a terminating pod on the nominated "
				       "node."));
		return;
	}
	size_t top = pool_top(&e->cycle->cache->nodes);
	uint32_t *potential = SCRATCH_ARRAY(e->d.scratch, uint32_t, (size_t)e->node_count + 1);
	struct cycle_status *statuses = SCRATCH_ARRAY(e->d.scratch, struct cycle_status, top + 1);
	struct victims best = {0};
	if (e->d.scratch->overflowed) {
		p->message = prefixed(e, TEXT("no room to look for victims"));
		return;
	}
	uint32_t count = potential_nodes(e, potential);
	bool is_chosen = e->extension != NULL && e->extension->chosen;
	if (!(is_chosen ? search_chosen(e, p, &best)
			: search(e, potential, count, statuses, &best))) {
		p->message = prefixed(e, TEXT("no room to look for victims"));
		return;
	}
	p->offered = makes_offers(e) && e->extension->offers->count > 0;
	if (p->offered || (is_chosen && best.node == 0))
		return;
	if (best.node == 0) {
		fail_message(e, p, statuses);
		return;
	}
	p->found = true;
	p->node = best.node;
	p->victims = best.pods;
	p->victim_count = best.count;
	p->violations = best.violations;
	if (e->d.profile->gates.release >= KUBE_1_37)
		p->message = found_message(e, p);
}

struct rescuing {
	struct evaluation *e;
	struct cycle_preemption *preemption;
};

static enum plugin_code rescue_by_preemption(void *self, struct plugin_reasons *why)
{
	const struct rescuing *rescuing = self;
	struct cycle_preemption *p = rescuing->preemption;
	CHECK(!p->tried);
	preempt(rescuing->e, p);
	if (!p->found && p->message.size > 0 && why->count < PLUGIN_REASONS_MAX)
		why->list[why->count++] = p->message;
	return p->found ? PLUGIN_SUCCESS : PLUGIN_UNSCHEDULABLE;
}

static void rescue_by_calls(void *self, const struct plugin_call *calls, uint32_t count)
{
	struct cycle_preemption *p = ((const struct rescuing *)self)->preemption;
	CHECK(count <= PLUGIN_CALLS_MAX && p->call_count == 0);
	memcpy(p->calls, calls, count * sizeof(*calls));
	p->call_count = count;
}

/* What all of them said, one after the other. */
static struct text joined_reasons(struct evaluation *e, const struct plugin_reasons *why)
{
	size_t room = 2;
	for (uint32_t i = 0; i < why->count; i++)
		room += why->list[i].size + 2;
	char *at = why->count < 2 ? NULL : scratch_take(e->d.scratch, room);
	if (at == NULL)
		return why->count == 0 ? TEXT_NONE : why->list[0];
	struct writer w;
	writer_init(&w, at, room);
	for (uint32_t i = 0; i < why->count; i++) {
		write_z(&w, i == 0 ? "" : ", ");
		write_text(&w, why->list[i]);
	}
	return writer_text(&w);
}

/* PostFilter, in the profile's order, until one helps or ends it. */
void evaluation_post_filter(struct evaluation *e, struct cycle_preemption *p)
{
	*p = (struct cycle_preemption){
		.eligible = e->d.pod.class->preempts != 0 && !waits_for_victims(e)};
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_POST_FILTER];
	struct rescuing rescuing = {e, p};
	const struct plugin_rescue rescue = {.self = &rescuing,
		.rejector = e->prefilter_rejected ? e->prefilter.plugin : (uint8_t)PLUGIN_COUNT,
		.preempt = rescue_by_preemption,
		.send = rescue_by_calls};
	struct plugin_reasons why = {.scratch = e->d.scratch};
	enum plugin_code code = PLUGIN_UNSCHEDULABLE;
	for (uint32_t i = 0; i < uses->count && code == PLUGIN_UNSCHEDULABLE; i++) {
		const struct plugin *plugin = plugins[uses->list[i].id];
		uint32_t before = why.count;
		if (plugin->post_filter == NULL)
			continue;
		struct mono since = plugin_timer_start(e->plugin_timer);
		code = plugin->post_filter(&e->d, &rescue, &why);
		plugin_timer_took(
			e->plugin_timer, uses->list[i].id, PLUGIN_AT_POST_FILTER, code, &since);
		if (code == PLUGIN_ERROR && why.count > before) {
			why.list[0] = why.list[before];
			why.count = 1;
		}
	}
	if (uses->count == 0)
		p->clear_nomination = true;
	if (!p->found)
		p->message = joined_reasons(e, &why);
}
