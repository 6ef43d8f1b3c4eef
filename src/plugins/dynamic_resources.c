/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DynamicResources: a pod's claims get their devices on the node where it goes. Claims that have
 * theirs say where that can be; for the others the allocator (dra/) looks whether the node has
 * what they ask for.
 *
 * What kube-scheduler does: it keeps what it allocates on each feasible node until one is chosen.
 * What we do: the score of each node is kept, and the devices of the chosen one are looked for
 * again, which gives the same ones.
 */
#include <string.h>

#include "plugins/dynamic_resources_bind.h"

static struct devices_state *devices_state_of(const struct cycle_state *d)
{
	return d->state[PLUGIN_DYNAMIC_RESOURCES];
}

static enum plugin_code devices_fail(struct cycle_state *d, const char *error)
{
	d->error = error;
	return PLUGIN_ERROR;
}

static struct dra_features features_of(const struct feature_gates *gates)
{
	return (struct dra_features){.admin_access = feature_enabled(gates, FEATURE_DRAAdminAccess),
		.binding_conditions = feature_enabled(gates, FEATURE_DRADeviceBindingConditions) &&
			feature_enabled(gates, FEATURE_DRAResourceClaimDeviceStatus),
		.counters = feature_enabled(gates, FEATURE_DRAPartitionableDevices),
		.shares = feature_enabled(gates, FEATURE_DRAConsumableCapacity),
		.taints = feature_enabled(gates, FEATURE_DRADeviceTaints),
		.taint_rules = feature_enabled(gates, FEATURE_DRADeviceTaintRules),
		.prioritized = feature_enabled(gates, FEATURE_DRAPrioritizedList),
		.fractional = feature_enabled(gates, FEATURE_DRAFractionalCapacityRange),
		.names_device = gates->release >= KUBE_1_37};
}

/* ---- PreEnqueue ---- */

static enum plugin_code dynamic_resources_pre_enqueue(
	const struct cache *cache, uint32_t index, struct plugin_reasons *why)
{
	const struct cache_pod *pod = cache_pod_at(cache, index);
	const struct plugin_pod of = {.index = index,
		.class = cache_template_of(cache, pod),
		.name = cache_text(cache, pod->name),
		.uid = pod->uid};
	return devices_each_claim(cache, &of, why, NULL, NULL) ? PLUGIN_SUCCESS
							       : PLUGIN_UNRESOLVABLE;
}

/* ---- PreFilter ---- */

static void collect_claim(void *arg, uint32_t object, const struct kube_claim *claim)
{
	struct devices_state *state = arg;
	for (uint32_t i = 0; i < state->claim_count; i++)
		if (state->claims[i].object == object)
			return; /* named twice, it is still one */
	state->claims[state->claim_count++] =
		(struct devices_claim){.object = object, .facts = claim};
}

/* Classes must be there before any node is looked at. */
static bool check_classes(struct cycle_state *d, const struct kube_claim *facts,
	const struct dra_claim *claim, struct plugin_reasons *why)
{
	for (uint32_t i = 0; i < claim->request_count; i++) {
		const struct dra_request *request = &claim->requests[i];
		const struct kube_device_request *of =
			KUBE_AT(facts, facts->requests, struct kube_device_request) + i;
		const struct kube_device_ask *asks =
			KUBE_AT(facts, of->asks, struct kube_device_ask);
		if (request->ask_count == 0) {
			plugin_because_of(why,
				"resource claim %.*s/%.*s, request %.*s: unknown request type",
				TEXT_ARGS(claim->namespace), TEXT_ARGS(claim->name),
				TEXT_ARGS(request->name));
			return false;
		}
		for (uint32_t k = 0; k < request->ask_count; k++) {
			if (request->asks[k].class != NULL)
				continue;
			plugin_because_of(why,
				"request %.*s%s%.*s: device class %.*s does not exist",
				TEXT_ARGS(request->name), request->is_list ? "/" : "",
				TEXT_ARGS(request->is_list ? request->asks[k].name : TEXT("")),
				TEXT_ARGS(cache_text(d->cache, asks[k].class_name)));
			return false;
		}
	}
	return true;
}

static enum plugin_code ask_claim(
	struct cycle_state *d, struct devices_state *state, uint32_t at, struct plugin_reasons *why)
{
	const struct kube_claim *facts = state->claims[at].facts;
	struct dra_claim *claim = &state->asked[state->asked_count];
	if (cache_pending_of(d->cache, state->claims[at].object) != 0) {
		plugin_because_of(why,
			"resource claim %.*s/%.*s is in the process of being allocated",
			TEXT_ARGS(cache_text(d->cache, facts->namespace)),
			TEXT_ARGS(cache_text(d->cache, facts->name)));
		return PLUGIN_UNRESOLVABLE;
	}
	if (!dra_claim_read(d->cache, d->scratch, facts, claim))
		return devices_fail(d, "out of memory");
	if (!check_classes(d, facts, claim, why))
		return PLUGIN_UNRESOLVABLE;
	state->asked_of[state->asked_count++] = at;
	return PLUGIN_SUCCESS;
}

static struct devices_state *make_state(struct cycle_state *d)
{
	struct devices_state *state = plugin_take_state(d, PLUGIN_DYNAMIC_RESOURCES);
	size_t count = (size_t)d->pod.class->resource_claims.count + 1;
	if (state == NULL)
		return NULL;
	state->claims = SCRATCH_ARRAY(d->scratch, struct devices_claim, count);
	state->asked = SCRATCH_ARRAY(d->scratch, struct dra_claim, count);
	state->asked_of = SCRATCH_ARRAY(d->scratch, uint32_t, count);
	state->scores = SCRATCH_ARRAY(d->scratch, int64_t, (size_t)pool_top(&d->cache->nodes) + 1);
	return d->scratch->overflowed ? NULL : state;
}

static void begin_run(struct cycle_state *d, struct devices_state *state)
{
	const struct dynamic_resources_args *args =
		PLUGIN_ARGS(d->profile, DYNAMIC_RESOURCES, dynamic_resources_args);
	int64_t timeout_ms = args->filter_timeout_us / 1000;
	bool has_timeout = timeout_ms > 0 &&
		feature_enabled(&d->profile->gates, FEATURE_DRASchedulerFilterTimeout);
	/* There is an end to everything, whatever the configuration says. */
	int64_t most = has_timeout && timeout_ms < DEVICES_TIMEOUT_MAX_MS ? timeout_ms
									  : DEVICES_TIMEOUT_MAX_MS;
	int64_t nodes = pool_used(&d->cache->nodes);
	int64_t steps = most * DRA_STEPS_PER_MS + nodes * DRA_STEPS_PER_NODE;
	if (d->dra != NULL)
		steps = dra_patience(d->dra, d->pod.class->namespace, steps) +
			nodes * DRA_STEPS_LEAST;
	state->detail_steps = DEVICES_DETAIL_MAX_MS * DRA_STEPS_PER_MS;
	state->run = (struct dra_run){.cache = d->cache,
		.dra = d->dra,
		.scratch = d->scratch,
		.features = features_of(&d->profile->gates),
		.steps = steps,
		.claims = state->asked,
		.claim_count = state->asked_count};
}

/* What came out for pods that ask for the same. */
static void remember(const struct cycle_state *d, struct devices_state *state)
{
	struct dra_shape shape;
	bool is_shared = d->pod.template_index != 0;
	memset(&shape, 0, sizeof(shape));
	if (d->dra == NULL || state->stale != 0 || state->asked_count > DRA_SHAPE_CLAIMS ||
		(state->has_extended ? !is_shared : state->asked_count == 0))
		return;
	shape.profile = d->profile;
	if (state->has_extended)
		shape.template = ((const struct cache_shared *)pool_at(
					  &d->cache->classes, d->pod.template_index))
					 ->serial;
	shape.count = state->asked_count;
	for (uint32_t i = 0; i < state->asked_count; i++)
		shape.claims[i] = state->claims[state->asked_of[i]].facts->shape;
	state->seen = dra_seen_of(d->dra, &shape);
}

static enum plugin_code dynamic_resources_pre_filter(
	struct cycle_state *d, struct plugin_reasons *why)
{
	bool has_extended = feature_enabled(&d->profile->gates, FEATURE_DRAExtendedResource) &&
		dra_backs_pod(d->cache, d->pod.class);
	if (d->pod.class->resource_claims.count == 0 && !has_extended)
		return PLUGIN_SKIP;
	struct devices_state *state = make_state(d);
	if (state == NULL)
		return devices_fail(d, "out of memory");
	if (!devices_each_claim(d->cache, &d->pod, why, collect_claim, state))
		return PLUGIN_UNRESOLVABLE;
	if (state->claim_count == 0 && !has_extended)
		return PLUGIN_SKIP;
	state->has_extended = has_extended;
	state->stale = has_extended ? devices_find_extended(d) : 0;
	for (uint32_t i = 0; i < state->claim_count; i++) {
		const struct kube_claim *facts = state->claims[i].facts;
		if (facts->allocated != 0) {
			state->given_score += dra_score_of(d->cache, facts);
			continue;
		}
		enum plugin_code code = ask_claim(d, state, i, why);
		if (code != PLUGIN_SUCCESS)
			return code;
	}
	begin_run(d, state);
	remember(d, state);
	return PLUGIN_SUCCESS;
}

/* ---- Filter ---- */

static int64_t given_timeout_us(const struct plugin_profile *profile)
{
	return PLUGIN_ARGS(profile, DYNAMIC_RESOURCES, dynamic_resources_args)->binding_timeout_us;
}

/* Its devices are, or will be, what was asked for: no failure, and still in time. */
static bool given_is_good(const struct cycle_state *d, const struct kube_claim *facts)
{
	const struct kube_device_condition *failed;
	if (devices_are_bound(facts, &failed))
		return true;
	return failed == NULL &&
		(d->clock == NULL ||
			!devices_are_late(&facts->allocation, facts, given_timeout_us(d->profile),
				clock_wall(d->clock)));
}

/* Of claims that have devices: are they here, and good? Notes those that are not. */
static bool given_are_here(
	struct cycle_state *d, struct devices_state *state, const struct cache_node *node)
{
	bool all = true;
	for (uint32_t i = 0; i < state->claim_count; i++) {
		const struct kube_claim *facts = state->claims[i].facts;
		if (facts->allocated == 0)
			continue;
		bool here = facts->allocation.reach.selector == 0 ||
			dra_reaches(d->cache, facts, &facts->allocation.reach, node);
		if (here && (!state->run.features.binding_conditions || given_is_good(d, facts)))
			continue;
		state->claims[i].is_unavailable = true;
		all = false;
	}
	return all;
}

static void devices_fail_node(struct cycle_state *d, const struct devices_state *state,
	const struct cache_node *node, enum dra_verdict verdict)
{
	char bytes[512];
	struct writer w;
	d->error = state->run.error;
	if (verdict == DRA_ERROR)
		return;
	writer_init(&w, bytes, sizeof(bytes) - 1);
	write_format(&w, "node %.*s: timed out trying to allocate devices",
		TEXT_ARGS(cache_text(d->cache, node->name)));
	char *kept = scratch_take(d->scratch, w.used + 1);
	if (kept != NULL)
		memcpy(kept, bytes, w.used);
	d->error = kept == NULL ? "out of memory" : kept;
}

bool devices_extend(struct cycle_state *d, struct devices_state *state,
	const struct cache_node *node, struct dra_extended *extended)
{
	*extended = (struct dra_extended){.is_lacking = false};
	state->run.claim_count = state->asked_count;
	if (!state->has_extended)
		return true;
	if (!dra_extend(d->cache, d->scratch, d->pod.class, node, extended))
		return false;
	if (extended->claim.request_count > 0)
		state->asked[state->run.claim_count++] = extended->claim;
	return true;
}

/* What comes out on the node for the claims that have no devices yet. DRA_UNKNOWN: an error. */
static enum dra_outcome devices_work_out(struct cycle_state *d, struct devices_state *state,
	const struct cache_node *node, int64_t *score)
{
	struct scratch_mark mark = scratch_mark(d->scratch);
	struct dra_extended extended;
	struct dra_result result;
	enum dra_verdict verdict = DRA_FITS;
	*score = 0;
	if (!devices_extend(d, state, node, &extended)) {
		d->error = "out of memory";
		return DRA_UNKNOWN;
	}
	if (!extended.is_lacking && state->run.claim_count > 0)
		verdict = dra_allocate(&state->run, node, &result);
	if (verdict == DRA_TIMEOUT && d->dra != NULL)
		dra_gave_up(d->dra, d->pod.class->namespace);
	if (verdict == DRA_ERROR || verdict == DRA_TIMEOUT) {
		devices_fail_node(d, state, node, verdict);
		return DRA_UNKNOWN;
	}
	for (uint32_t i = 0;
		verdict == DRA_FITS && !extended.is_lacking && i < state->run.claim_count; i++)
		*score += dra_score(&state->asked[i], result.picks[i], result.count[i]);
	scratch_rewind(d->scratch, mark);
	return extended.is_lacking       ? DRA_LACKING
		: verdict == DRA_FITS    ? DRA_DO
		: verdict == DRA_INVALID ? DRA_POOLS_INVALID
					 : DRA_DO_NOT;
}

/* The same, from what is remembered where that is still so. */
static enum dra_outcome look_up(struct cycle_state *d, struct devices_state *state,
	const struct cache_view *view, int64_t *score)
{
	const struct cache_devices *devices = &d->cache->devices;
	struct dra_seen *seen = state->seen == NULL ? NULL : &state->seen[view->index];
	if (seen != NULL && seen->outcome != DRA_UNKNOWN &&
		cache_devices_are_as(devices, view->index, seen->generation)) {
		*score = seen->score;
		return (enum dra_outcome)seen->outcome;
	}
	enum dra_outcome outcome = devices_work_out(d, state, view->node, score);
	if (seen != NULL)
		*seen = (struct dra_seen){devices->generation, (int32_t)*score, outcome};
	return outcome;
}

static enum plugin_code dynamic_resources_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	static const char *const reasons[] = {[DRA_DO_NOT] = "cannot allocate all claims",
		[DRA_POOLS_INVALID] = "invalid resource pools were encountered",
		[DRA_LACKING] = "cannot fit resource"};
	struct devices_state *state = devices_state_of(d);
	int64_t score = 0;
	if (state->stale != 0) {
		plugin_because(why, "cannot schedule extended resource claim");
		return PLUGIN_UNRESOLVABLE;
	}
	if (state->asked_count > 0 || state->has_extended) {
		enum dra_outcome outcome = look_up(d, state, view, &score);
		if (outcome == DRA_UNKNOWN)
			return PLUGIN_ERROR;
		if (outcome != DRA_DO) {
			plugin_because(why, reasons[outcome]);
			return PLUGIN_UNRESOLVABLE;
		}
	}
	state->scores[view->index] = state->given_score + score;
	if (given_are_here(d, state, view->node))
		return PLUGIN_SUCCESS;
	plugin_because(why, "resourceclaim not available on the node");
	return PLUGIN_UNRESOLVABLE;
}

/* ---- PostFilter ---- */

/* The first claim that was no use and that no other pod has: its devices are given back. */
static const struct devices_claim *claim_to_free(
	const struct cycle_state *d, const struct devices_state *state)
{
	for (uint32_t i = 0; i < state->claim_count; i++) {
		const struct kube_claim *facts = state->claims[i].facts;
		if (!state->claims[i].is_unavailable)
			continue;
		if (facts->reserved_for.count == 0 ||
			(facts->reserved_for.count == 1 &&
				devices_is_reserved(d->cache, facts, d->pod.uid)))
			return &state->claims[i];
	}
	return NULL;
}

/*
 * For a pod without claims there is nothing to give back; where pre_filter was never reached there
 * is no state, which ends the chain.
 */
static enum plugin_code dynamic_resources_post_filter(
	struct cycle_state *d, const struct plugin_rescue *rescue, struct plugin_reasons *why)
{
	bool is_newer = d->profile->gates.release >= KUBE_1_37;
	const struct devices_state *state = devices_state_of(d);
	bool is_reached = plugin_set_has(&d->pre_filtered, PLUGIN_DYNAMIC_RESOURCES);
	if (!is_reached) {
		plugin_because(why, "not found");
		return PLUGIN_ERROR;
	}
	bool has_claims = rescue->rejector != PLUGIN_DYNAMIC_RESOURCES && state != NULL &&
		(state->claim_count > 0 || state->has_extended);
	if (!has_claims) {
		if (!is_newer)
			plugin_because(why, "no new claims to deallocate");
		return PLUGIN_UNSCHEDULABLE;
	}
	const struct devices_claim *freed = claim_to_free(d, state);
	struct plugin_call calls[PLUGIN_CALLS_MAX];
	uint32_t count = 0;
	if (freed != NULL)
		count = devices_free_claim(d, freed->facts, calls);
	else if (state->stale != 0)
		count = devices_delete_claim(
			d->scratch, d->cache, cache_claim_at(d->cache, state->stale), calls);
	if (count > 0)
		rescue->send(rescue->self, calls, count);
	if (freed != NULL)
		plugin_because(why, "deallocation of ResourceClaim completed");
	else if (state->stale != 0)
		plugin_because(why, "deletion of ResourceClaim completed");
	else if (!is_newer)
		plugin_because(why, "still not schedulable");
	return PLUGIN_UNSCHEDULABLE;
}

/* ---- Score ---- */

static int64_t dynamic_resources_score(struct cycle_state *d, uint32_t node)
{
	const struct devices_state *state = devices_state_of(d);
	if (state == NULL || plugin_set_has(&d->skip_filter, PLUGIN_DYNAMIC_RESOURCES) ||
		(state->asked_count == 0 && !state->has_extended))
		return 0;
	return state->scores[node];
}

static bool dynamic_resources_score_is_idle(const struct cycle_state *d)
{
	return devices_state_of(d) == NULL ||
		plugin_set_has(&d->skip_filter, PLUGIN_DYNAMIC_RESOURCES);
}

/* ---- hints ---- */

struct looking {
	uint32_t uid;
	bool found;
};

static void look_for_claim(void *arg, uint32_t object, const struct kube_claim *claim)
{
	struct looking *looking = arg;
	(void)object;
	looking->found = looking->found || claim->uid == looking->uid;
}

static enum plugin_hint dynamic_resources_hint_claim(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	const struct kube_claim *old = (const void *)event->old.blob;
	const struct kube_claim *now = (const void *)event->now.blob;
	(void)action;
	if (!event->now.there)
		return hint_if(old->allocated != 0);
	struct looking looking = {.uid = now->uid};
	if (!devices_each_claim(w->cache, &w->pod, NULL, look_for_claim, &looking))
		return PLUGIN_HINT_SKIP;
	if (event->old.there && old->allocated != 0 && now->allocated == 0)
		return PLUGIN_HINT_QUEUE;
	if (!looking.found)
		return PLUGIN_HINT_SKIP;
	return hint_if(!event->old.there || old->status_hash != now->status_hash);
}

static enum plugin_hint dynamic_resources_hint_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(
		hint_is_self(w, event) && devices_each_claim(w->cache, &w->pod, NULL, NULL, NULL));
}

/* ---- what the decision needs ---- */

static uint32_t dynamic_resources_kinds(const struct plugin_demand *pod)
{
	const uint32_t all = PLUGIN_KIND(KUBE_RESOURCE_CLAIM) | PLUGIN_KIND(KUBE_RESOURCE_SLICE) |
		PLUGIN_KIND(KUBE_DEVICE_CLASS);
	bool may_extend = dra_may_back_pod(pod->cache, pod->class) &&
		(pod->profile == NULL ||
			feature_enabled(&pod->profile->gates, FEATURE_DRAExtendedResource));
	if (pod->class->resource_claims.count == 0 && !may_extend)
		return 0;
	/* Only the classes say whether it needs the rest. */
	if (pod->class->resource_claims.count == 0 && !dra_backs_pod(pod->cache, pod->class))
		return PLUGIN_KIND(KUBE_DEVICE_CLASS);
	bool has_rules = pod->profile == NULL ||
		feature_enabled(&pod->profile->gates, FEATURE_DRADeviceTaintRules);
	return all | (has_rules ? PLUGIN_KIND(KUBE_TAINT_RULE) : 0);
}

/* ---- arguments ---- */

static const struct field dynamic_resources_fields[] = {
	{.name = "filterTimeout",
		.type = FIELD_DURATION,
		.at = offsetof(struct dynamic_resources_args, filter_timeout_us),
		.value = 10 * INT64_C(1000000),
		.least = 0,
		.greatest = INT64_MAX,
		.why = "must be zero or positive"},
	{.name = "bindingTimeout",
		.type = FIELD_DURATION,
		.at = offsetof(struct dynamic_resources_args, binding_timeout_us),
		.value = 600 * INT64_C(1000000),
		.least = INT64_C(1000000),
		.greatest = INT64_MAX,
		.why = "must be at least 1 second"},
};
static const struct fields dynamic_resources_form = {.list = dynamic_resources_fields,
	.count = ARRAY_COUNT(dynamic_resources_fields),
	.size = sizeof(struct dynamic_resources_args)};
static const struct args_gated dynamic_resources_gated[] = {
	{"filterTimeout", {FEATURE_DRASchedulerFilterTimeout, FEATURE_DRASchedulerFilterTimeout},
		"Forbidden: DRASchedulingFilterTimeout feature gate is disabled"},
	{"bindingTimeout",
		{FEATURE_DRADeviceBindingConditions, FEATURE_DRAResourceClaimDeviceStatus},
		"Forbidden: DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature "
		"gate "
		"is disabled"},
	{.field = NULL}};
static const struct plugin_args dynamic_resources_arguments = {.fields = &dynamic_resources_form,
	.size = sizeof(struct dynamic_resources_args),
	.place = 8,
	.gated = dynamic_resources_gated};

const struct plugin plugin_dynamic_resources = {.name = "DynamicResources",
	.args = &dynamic_resources_arguments,
	.v1beta2 = {2, 0, 0, 0},
	.weight = 2,
	.defaults = PLUGIN_IN_ALL,
	.points_since_1_37 = PLUGIN_AT(POD_GROUP_POST_FILTER),
	.in_every_policy = true,
	.helps =
		PLUGIN_HELPS({"cannot allocate all claims",
				     "Claims that give devices back, or a node with more of them."},
			{"invalid resource pools", "Slices that do not contradict each other."},
			{"resourceclaim not available", "Room on the node of the claim's devices."},
			{"could not find ResourceClaim", "The claim to be made."},
			{"", "A claim, a device class and devices that go together."}),
	.state_size = sizeof(struct devices_state),
	.kinds = dynamic_resources_kinds,
	.pre_enqueue = dynamic_resources_pre_enqueue,
	.pre_filter = dynamic_resources_pre_filter,
	.filter = dynamic_resources_filter,
	.detail = devices_detail,
	.post_filter = dynamic_resources_post_filter,
	.score = dynamic_resources_score,
	.score_is_idle = dynamic_resources_score_is_idle,
	.normalise = PLUGIN_BY_HIGHEST,
	.reserve = devices_reserve,
	.unreserve = devices_unreserve,
	.pre_bind_pre_flight = devices_pre_flight,
	.pre_bind = devices_pre_bind,
	.concerns = devices_concerns,
	.release = devices_release,
	.events = PLUGIN_EVENTS(
		{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL | CACHE_UPDATE_NODE_ALLOCATABLE,
			NULL},
		{KUBE_RESOURCE_CLAIM, CACHE_ADD | CACHE_UPDATE, dynamic_resources_hint_claim},
		{KUBE_RESOURCE_CLAIM, CACHE_DELETE | PLUGIN_SINCE_1_37,
			dynamic_resources_hint_claim},
		{KUBE_POD, CACHE_UPDATE_POD_CLAIMS | PLUGIN_OF_ITSELF, dynamic_resources_hint_pod},
		{KUBE_DEVICE_CLASS, CACHE_ADD | CACHE_UPDATE, NULL},
		{KUBE_RESOURCE_SLICE, CACHE_ADD | CACHE_UPDATE, NULL})};
