/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VolumeBinding: bound claims tie the pod to where their volumes are; claims that wait for their
 * first consumer are matched with free volumes, or with a class that can make one, node by node.
 *
 * What kube-scheduler does, for every node: it asks for the node affinity of each bound volume,
 * then goes through all volumes of a claim's class for the smallest that fits, then through all
 * capacities of the class's driver.
 * What we do: everything that does not depend on the node is asked once. What is left per node is
 * the affinity of bound volumes, and a search in options sorted by node label (volume_match.h).
 * Of equally small volumes the one that came first is taken; upstream has no order among them.
 *
 * The order of the claims is upstream's: those to match by requested size, of equals as the pod
 * names them; then claims that have to be provisioned. A claim that the pod names twice is matched
 * twice, as upstream does it.
 */
#include "cache/assumed.h"
#include "plugins/csi_translation.h"
#include "plugins/volume_capacity.h"
#include "plugins/volume_match.h"
#include "plugins/volume_bind.h"
#include "plugins/volume_choice.h"

struct binding_bound {
	const struct kube_pv *pv; /* NULL: the claim names a volume that is not there */
	uint32_t plugin;          /* its type's name, when nodes may treat it as CSI; else 0 */
	struct csi_affinity affinity;
	const char *fault; /* why it cannot be translated */
};

struct binding_claim {
	const struct kube_pvc *claim;
	uint32_t object;
	const struct kube_storage_class *class;
	bool provisions; /* the class has a provisioner that can make volumes */
	bool asks_capacity;
	const struct volume_option
		*own_last; /* volumes that name this claim, backwards from here */
	uint32_t own_count;
	struct volume_options volumes;
	struct volume_options capacities;
};

struct binding_state {
	struct binding_bound *bound;
	uint32_t bound_count;
	struct binding_claim *selected; /* claims with a selected node, as the pod names them */
	uint32_t selected_count;
	struct binding_claim *unmatched; /* the others, by size */
	uint32_t unmatched_count;
	struct csi_names names;
	/* Of the node looked at last: volumes to bind, then claims to provision. */
	struct volume_choice *choices;
	uint32_t choice_count;
	const struct binding_claim **provision;
	const struct kube_csi_capacity **provided; /* out of which; NULL: not asked for */
	uint32_t provision_count;
	struct volume_capacity *capacities; /* by class, of the node that is scored */
};

static struct binding_state *binding_state_of(const struct cycle_state *d)
{
	return d->state[PLUGIN_VOLUME_BINDING];
}

struct binding_verdict {
	bool off_node; /* a bound volume is elsewhere */
	bool no_volume;
	bool no_space;
	bool missing_volume;
};

/*
 * ---- what is read: claims and volumes that other pods were promised show as if they had them ----
 */

static const struct kube_pvc *binding_read_claim(const struct cycle_state *d, uint32_t object)
{
	return cache_assumed_blob(d->cache, object);
}

static const struct kube_pv *binding_read_volume(const struct cycle_state *d, uint32_t object)
{
	return cache_assumed_blob(d->cache, object);
}

/* ---- prefilter: the pod's claims ---- */

/* PLUGIN_UNRESOLVABLE for a claim with which no node will do. */
static enum plugin_code binding_refuse(struct cycle_state *d, const struct kube_volume *v,
	uint32_t *object, struct plugin_reasons *why)
{
	struct volume_pod pod = volume_pod_decided(d);
	struct volume_claim_name room;
	struct text name = volume_claim_name(d->cache, &pod, v, &room);
	bool ephemeral = v->kind == KUBE_VOLUME_EPHEMERAL;
	*object = volume_find_claim(d->cache, &pod, v);
	if (*object == 0) {
		if (!ephemeral || (d->cache->incomplete & PLUGIN_KIND(KUBE_PVC)) != 0)
			return volume_misses_claim(d->cache, name, why);
		plugin_because_of(why,
			"waiting for ephemeral volume controller to create the "
			"persistentvolumeclaim \"%.*s\"",
			TEXT_ARGS(name));
		return PLUGIN_UNRESOLVABLE;
	}
	const struct kube_pvc *claim = volume_blob(d->cache, *object);
	if (claim->phase == d->cache->names.lost) {
		plugin_because_of(why,
			"persistentvolumeclaim \"%.*s\" bound to non-existent "
			"persistentvolume \"%.*s\"",
			TEXT_ARGS(name), TEXT_ARGS(cache_text(d->cache, claim->volume_name)));
		return PLUGIN_UNRESOLVABLE;
	}
	if (claim->deleting) {
		plugin_because_of(
			why, "persistentvolumeclaim \"%.*s\" is being deleted", TEXT_ARGS(name));
		return PLUGIN_UNRESOLVABLE;
	}
	if (ephemeral && !volume_is_for_pod(d->cache, claim, &pod)) {
		plugin_because_of(
			why, VOLUME_NOT_OWNED, VOLUME_NOT_OWNED_ARGS(d->cache, &pod, name));
		return PLUGIN_UNRESOLVABLE;
	}
	return PLUGIN_SUCCESS;
}

static enum plugin_code binding_add_bound(struct cycle_state *d, const struct kube_pvc *claim)
{
	struct binding_state *state = binding_state_of(d);
	struct binding_bound *bound = &state->bound[state->bound_count++];
	uint32_t object = volume_find_pv(d->cache, claim->volume_name);
	if (object == 0)
		return PLUGIN_SUCCESS;
	bound->pv = binding_read_volume(d, object);
	enum kube_volume_source source = (enum kube_volume_source)bound->pv->source;
	if (!csi_is_switched(source))
		return PLUGIN_SUCCESS;
	bound->plugin = state->names.plugin[source];
	csi_pv_affinity(d->cache, &state->names, bound->pv, &bound->affinity);
	struct csi_handle handle;
	enum csi_result result = csi_pv_handle(d->cache, bound->pv, d->scratch, &handle);
	if (result == CSI_FULL)
		return volume_no_room(d);
	bound->fault = result == CSI_FAILED ? handle.fault : NULL;
	return PLUGIN_SUCCESS;
}

static void binding_add_delayed(struct binding_state *state, const struct binding_claim *added)
{
	if (added->claim->has_selected_node) {
		state->selected[state->selected_count++] = *added;
		return;
	}
	uint32_t at = state->unmatched_count++;
	for (; at > 0; at--) {
		if (state->unmatched[at - 1].claim->request_bytes <= added->claim->request_bytes)
			break;
		state->unmatched[at] = state->unmatched[at - 1];
	}
	state->unmatched[at] = *added;
}

/* Bound, delayed or immediate; the last kind is counted only. */
static enum plugin_code binding_classify(
	struct cycle_state *d, uint32_t object, uint32_t *immediate)
{
	const struct kube_pvc *claim = binding_read_claim(d, object);
	if (claim->volume_name != 0 && claim->bind_completed)
		return binding_add_bound(d, claim);
	const struct kube_storage_class *class = volume_class(d->cache, claim->class);
	if (class != NULL && class->binding_mode == KUBE_BINDING_UNSET)
		return volume_failed(d, "VolumeBindingMode not set for StorageClass \"%.*s\"",
			TEXT_ARGS(cache_text(d->cache, claim->class)));
	if (class == NULL || class->binding_mode != KUBE_BINDING_WAIT || claim->volume_name != 0) {
		++*immediate;
		return PLUGIN_SUCCESS;
	}
	struct binding_claim added = {.claim = claim, .object = object, .class = class};
	added.provisions =
		class->provisioner != 0 && class->provisioner != d->cache->names.no_provisioner;
	binding_add_delayed(binding_state_of(d), &added);
	return PLUGIN_SUCCESS;
}

/* ---- prefilter: what the claims could get ---- */

static bool binding_names_claim(
	const struct cycle_state *d, const struct kube_pv *pv, const struct binding_claim *c)
{
	const struct cache_object *claim = volume_object(d->cache, c->object);
	return pv->has_claim && pv->claim_name == claim->name &&
		pv->claim_namespace == claim->namespace &&
		(pv->claim_uid == 0 || pv->claim_uid == c->claim->uid);
}

/*
 * The volume's labels as a set that selectors can look at; NULL when scratch is exhausted. Made
 * again for each volume, in the same place.
 */
static const struct kube_labels *binding_labels(const struct kube_pv *pv, struct scratch *scratch)
{
	size_t size = pv->labels.count * sizeof(struct kube_label);
	struct kube_labels *labels = scratch_take(scratch, sizeof(*labels) + size);
	if (labels == NULL)
		return NULL;
	labels->pairs = (struct kube_span){sizeof(*labels), pv->labels.count};
	if (size > 0)
		memcpy(labels + 1, KUBE_AT(pv, pv->labels, struct kube_label), size);
	return labels;
}

enum binding_use { BINDING_NO_USE, BINDING_FREE, BINDING_OWN, BINDING_NO_ROOM };

static enum binding_use binding_selected(
	struct cycle_state *d, const struct kube_pvc *claim, const struct kube_pv *pv)
{
	if (claim->selector.state == KUBE_SELECTOR_NONE)
		return BINDING_FREE;
	struct scratch_mark mark = scratch_mark(d->scratch);
	const struct kube_labels *labels = binding_labels(pv, d->scratch);
	if (labels == NULL)
		return BINDING_NO_ROOM;
	bool matches = kube_selector_matches(claim, &claim->selector, labels);
	scratch_rewind(d->scratch, mark);
	return matches ? BINDING_FREE : BINDING_NO_USE;
}

/* All that does not depend on the node. */
static enum binding_use binding_usable(
	struct cycle_state *d, const struct binding_claim *c, const struct kube_pv *pv)
{
	const struct kube_pvc *claim = c->claim;
	if (pv->class != claim->class)
		return BINDING_NO_USE;
	bool own = binding_names_claim(d, pv, c);
	if (pv->has_claim && !own)
		return BINDING_NO_USE;
	if (pv->capacity_bytes < claim->request_bytes || pv->volume_mode != claim->volume_mode ||
		pv->attributes_class != claim->attributes_class || pv->deleting)
		return BINDING_NO_USE;
	if (own)
		return BINDING_OWN;
	if (pv->phase != d->cache->names.available || (claim->access & ~pv->access) != 0)
		return BINDING_NO_USE;
	return binding_selected(d, claim, pv);
}

static struct volume_option binding_option(
	const struct kube_pv *pv, uint32_t object, uint32_t order)
{
	struct volume_option option = {
		.size = pv->capacity_bytes, .order = order, .object = object, .blob = pv};
	if (pv->has_node_affinity && pv->node_terms.count == 1) {
		const struct kube_node_term *term =
			KUBE_AT(pv, pv->node_terms, struct kube_node_term);
		volume_option_tie(pv, term->expressions, &option);
	}
	return option;
}

static bool binding_find_volumes(struct cycle_state *d, struct binding_claim *c, uint32_t room)
{
	struct volume_option *options = SCRATCH_ARRAY(d->scratch, struct volume_option, room);
	if (options == NULL)
		return false;
	/* The claim's own volumes grow from the end, so that both lists share the room. */
	uint32_t own = room;
	uint32_t order = 0;
	for (uint32_t o = 0; (o = volume_next(d->cache, KUBE_PV, o)) != 0; order++) {
		const struct kube_pv *pv = binding_read_volume(d, o);
		enum binding_use use = binding_usable(d, c, pv);
		if (use == BINDING_NO_ROOM)
			return false;
		if (use == BINDING_OWN)
			options[--own] = binding_option(pv, o, order);
		else if (use == BINDING_FREE)
			options[c->volumes.count++] = binding_option(pv, o, order);
		CHECK(c->volumes.count <= own);
	}
	c->own_last = &options[room];
	c->own_count = room - own;
	c->volumes.list = options;
	return volume_options_finish(&c->volumes, d->scratch);
}

static bool binding_capacity_fits(const struct binding_claim *c, const struct kube_csi_capacity *of)
{
	int64_t limit = of->has_maximum ? of->maximum_bytes : of->capacity_bytes;
	return of->class == c->claim->class && of->topology.state == KUBE_SELECTOR_SET &&
		(of->has_maximum || of->has_capacity) && limit >= c->claim->request_bytes;
}

static bool binding_find_capacities(struct cycle_state *d, struct binding_claim *c, uint32_t room)
{
	const struct kube_csi_driver *driver =
		cache_object_blob(d->cache, KUBE_CSI_DRIVER, 0, c->class->provisioner);
	c->asks_capacity = c->claim->has_request && driver != NULL && driver->storage_capacity;
	if (!c->asks_capacity)
		return true;
	struct volume_option *options = SCRATCH_ARRAY(d->scratch, struct volume_option, room);
	if (options == NULL)
		return false;
	c->capacities.list = options;
	for (uint32_t o = 0; (o = volume_next(d->cache, KUBE_CSI_CAPACITY, o)) != 0;) {
		const struct kube_csi_capacity *capacity = volume_blob(d->cache, o);
		if (!binding_capacity_fits(c, capacity))
			continue;
		struct volume_option *option = &options[c->capacities.count++];
		*option = (struct volume_option){.object = o, .blob = capacity};
		volume_option_tie(capacity, capacity->topology.requirements, option);
	}
	return volume_options_finish(&c->capacities, d->scratch);
}

static uint32_t binding_count(const struct cache *cache, enum kube_kind kind)
{
	uint32_t count = 0;
	for (uint32_t o = 0; (o = volume_next(cache, kind, o)) != 0;)
		count++;
	return count;
}

/* What each delayed claim could get, on whatever node. */
static bool binding_find_options(struct cycle_state *d)
{
	struct binding_state *state = binding_state_of(d);
	uint32_t delayed = state->selected_count + state->unmatched_count;
	if (delayed == 0)
		return true;
	uint32_t volumes = state->unmatched_count == 0 ? 0 : binding_count(d->cache, KUBE_PV);
	uint32_t capacities = binding_count(d->cache, KUBE_CSI_CAPACITY);
	for (uint32_t i = 0; i < delayed; i++) {
		bool selected = i < state->selected_count;
		struct binding_claim *c = selected ? &state->selected[i]
						   : &state->unmatched[i - state->selected_count];
		if (!selected && !binding_find_volumes(d, c, volumes))
			return false;
		if (c->provisions && !binding_find_capacities(d, c, capacities))
			return false;
	}
	return true;
}

static bool binding_make_state(struct cycle_state *d, uint32_t volumes)
{
	struct scratch *scratch = d->scratch;
	struct binding_state *state = plugin_take_state(d, PLUGIN_VOLUME_BINDING);
	if (state == NULL)
		return false;
	state->bound = SCRATCH_ARRAY(scratch, struct binding_bound, volumes);
	state->selected = SCRATCH_ARRAY(scratch, struct binding_claim, volumes);
	state->unmatched = SCRATCH_ARRAY(scratch, struct binding_claim, volumes);
	state->choices = SCRATCH_ARRAY(scratch, struct volume_choice, volumes);
	state->provision = SCRATCH_ARRAY(scratch, const struct binding_claim *, volumes);
	state->provided = SCRATCH_ARRAY(scratch, const struct kube_csi_capacity *, volumes);
	state->capacities = SCRATCH_ARRAY(scratch, struct volume_capacity, volumes);
	return state->capacities != NULL;
}

static enum plugin_code volume_binding_pre_filter(struct cycle_state *d, struct plugin_reasons *why)
{
	const struct kube_pod_template *class = d->pod.class;
	const struct kube_volume *volumes = volume_list(class);
	uint32_t count = class->volumes.count;
	if (count == 0)
		return PLUGIN_SKIP;
	uint32_t *claims = SCRATCH_ARRAY(d->scratch, uint32_t, count);
	if (!binding_make_state(d, count) || claims == NULL)
		return volume_no_room(d);
	uint32_t claim_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!volume_has_claim(&volumes[i]))
			continue;
		enum plugin_code code = binding_refuse(d, &volumes[i], &claims[claim_count++], why);
		if (code != PLUGIN_SUCCESS)
			return code;
	}
	if (claim_count == 0)
		return PLUGIN_SKIP;
	csi_names_find(d->cache, &binding_state_of(d)->names);
	uint32_t immediate = 0;
	for (uint32_t i = 0; i < claim_count; i++) {
		enum plugin_code code = binding_classify(d, claims[i], &immediate);
		if (code != PLUGIN_SUCCESS)
			return code;
	}
	if (immediate > 0) {
		plugin_because(why, "pod has unbound immediate PersistentVolumeClaims");
		return PLUGIN_UNRESOLVABLE;
	}
	return binding_find_options(d) ? PLUGIN_SUCCESS : volume_no_room(d);
}

/* ---- filter: one node ---- */

static enum plugin_code binding_bound_fits(struct cycle_state *d, const struct binding_bound *bound,
	const struct kube_csi_node *csi_node, const struct kube_labels *labels, bool *fits)
{
	if (bound->plugin == 0 || csi_node == NULL ||
		!volume_id_in(csi_node, csi_node->migrated, bound->plugin)) {
		*fits = volume_reaches(d->cache, bound->pv, labels);
		return PLUGIN_SUCCESS;
	}
	if (bound->fault != NULL)
		return volume_failed(d, "could not translate pv: %s", bound->fault);
	if (csi_pv_reaches(d->cache, bound->pv, &bound->affinity, labels, d->scratch, fits) !=
		CSI_OK)
		return volume_no_room(d);
	return PLUGIN_SUCCESS;
}

/* Stops at the first claim with which the node will not do. */
static enum plugin_code binding_check_bound(
	struct cycle_state *d, const struct cache_node *node, struct binding_verdict *verdict)
{
	const struct binding_state *state = binding_state_of(d);
	if (state->bound_count == 0)
		return PLUGIN_SUCCESS;
	const struct kube_labels *labels = cache_labels_at(d->cache, node->labels);
	const struct kube_csi_node *csi_node = volume_csi_node(d->cache, node);
	for (uint32_t i = 0; i < state->bound_count; i++) {
		if (state->bound[i].pv == NULL) {
			verdict->missing_volume = true;
			return PLUGIN_SUCCESS;
		}
		bool fits = false;
		enum plugin_code code =
			binding_bound_fits(d, &state->bound[i], csi_node, labels, &fits);
		if (code != PLUGIN_SUCCESS)
			return code;
		if (!fits) {
			verdict->off_node = true;
			return PLUGIN_SUCCESS;
		}
	}
	return PLUGIN_SUCCESS;
}

struct binding_look {
	const struct cycle_state *d;
	const struct kube_labels *labels;
};

static bool binding_is_taken(const struct binding_state *state, uint32_t object)
{
	for (uint32_t i = 0; i < state->choice_count; i++) {
		if (state->choices[i].pv == object)
			return true;
	}
	return false;
}

static bool binding_volume_fits(void *self, const struct volume_option *option)
{
	const struct binding_look *look = self;
	return !binding_is_taken(binding_state_of(look->d), option->object) &&
		volume_reaches(look->d->cache, option->blob, look->labels);
}

static bool binding_capacity_reaches(void *self, const struct volume_option *option)
{
	const struct binding_look *look = self;
	const struct kube_csi_capacity *capacity = option->blob;
	return kube_selector_matches(capacity, &capacity->topology, look->labels);
}

/* A volume that names the claim is the only one it can get; it is good or there is none. */
static const struct volume_option *binding_match(
	const struct binding_claim *c, struct binding_look *look)
{
	for (uint32_t i = 1; i <= c->own_count; i++) {
		const struct volume_option *own = c->own_last - i;
		if (!binding_is_taken(binding_state_of(look->d), own->object))
			return binding_volume_fits(look, own) ? own : NULL;
	}
	return volume_options_best(&c->volumes, look->labels, binding_volume_fits, look);
}

static bool binding_topology_allows(
	const struct kube_storage_class *class, const struct kube_labels *labels)
{
	const struct kube_topology_term *terms =
		KUBE_AT(class, class->allowed_topologies, struct kube_topology_term);
	for (uint32_t t = 0; t < class->allowed_topologies.count; t++) {
		const struct kube_topology_expression *e =
			KUBE_AT(class, terms[t].expressions, struct kube_topology_expression);
		uint32_t met = 0;
		for (uint32_t i = 0; i < terms[t].expressions.count; i++) {
			uint32_t value;
			met += kube_labels_get(labels, e[i].key, &value) &&
				volume_id_in(class, e[i].values, value);
		}
		if (met > 0 && met == terms[t].expressions.count)
			return true;
	}
	return class->allowed_topologies.count == 0;
}

/* Can the claims' classes make volumes for the node? Stops at the first that cannot. */
static void binding_check_provision(const struct binding_state *state, struct binding_look *look,
	struct binding_verdict *verdict)
{
	for (uint32_t i = 0; i < state->provision_count; i++) {
		const struct binding_claim *c = state->provision[i];
		if (!c->provisions || !binding_topology_allows(c->class, look->labels)) {
			verdict->no_volume = true;
			return;
		}
		state->provided[i] = NULL;
		if (!c->asks_capacity)
			continue;
		const struct volume_option *room = volume_options_best(
			&c->capacities, look->labels, binding_capacity_reaches, look);
		if (room == NULL) {
			verdict->no_space = true;
			return;
		}
		state->provided[i] = room->blob;
	}
}

static enum plugin_code binding_bad_selector(struct cycle_state *d, const struct binding_claim *c)
{
	const struct cache_object *claim = volume_object(d->cache, c->object);
	return volume_failed(d, "error creating internal label selector for claim: %.*s/%.*s: %.*s",
		TEXT_ARGS(cache_text(d->cache, claim->namespace)),
		TEXT_ARGS(cache_text(d->cache, claim->name)),
		TEXT_ARGS(cache_text(d->cache, c->claim->selector.error)));
}

/* Leaves the choices and what is to be provisioned in the state. */
static enum plugin_code binding_check_delayed(
	struct cycle_state *d, const struct cache_node *node, struct binding_verdict *verdict)
{
	struct binding_state *state = binding_state_of(d);
	state->choice_count = 0;
	state->provision_count = 0;
	for (uint32_t i = 0; i < state->selected_count; i++) {
		if (state->selected[i].claim->selected_node != node->name) {
			verdict->no_volume = true;
			return PLUGIN_SUCCESS;
		}
		state->provision[state->provision_count++] = &state->selected[i];
	}
	struct binding_look look = {d, cache_labels_at(d->cache, node->labels)};
	for (uint32_t i = 0; i < state->unmatched_count; i++) {
		const struct binding_claim *c = &state->unmatched[i];
		if (c->claim->selector.state == KUBE_SELECTOR_INVALID)
			return binding_bad_selector(d, c);
		const struct volume_option *match = binding_match(c, &look);
		if (match == NULL)
			state->provision[state->provision_count++] = c;
		else
			state->choices[state->choice_count++] =
				(struct volume_choice){c->object, match->object};
	}
	binding_check_provision(state, &look, verdict);
	return PLUGIN_SUCCESS;
}

static enum plugin_code binding_check(
	struct cycle_state *d, const struct cache_node *node, struct plugin_reasons *why)
{
	CHECK(binding_state_of(d) != NULL);
	struct binding_verdict verdict = {false, false, false, false};
	enum plugin_code code = binding_check_bound(d, node, &verdict);
	if (code == PLUGIN_SUCCESS)
		code = binding_check_delayed(d, node, &verdict);
	if (code != PLUGIN_SUCCESS)
		return code;
	if (verdict.off_node)
		plugin_because(why, "node(s) didn't match PersistentVolume's node affinity");
	if (verdict.no_volume)
		plugin_because(why, "node(s) didn't find available persistent volumes to bind");
	if (verdict.no_space)
		plugin_because(why, "node(s) did not have enough free storage");
	if (verdict.missing_volume)
		plugin_because(why,
			"node(s) unavailable due to one or more pvc(s) bound to "
			"non-existent pv(s)");
	bool good = !verdict.off_node && !verdict.no_volume && !verdict.no_space &&
		!verdict.missing_volume;
	return good ? PLUGIN_SUCCESS : PLUGIN_UNRESOLVABLE;
}

static enum plugin_code volume_binding_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	return binding_check(d, view->node, why);
}

enum plugin_code volume_binding_choice(
	struct cycle_state *d, uint32_t node, const struct volume_choice **list, uint32_t *count)
{
	*list = NULL;
	*count = 0;
	enum plugin_code code = binding_check(d, cache_node_at(d->cache, node), NULL);
	if (code != PLUGIN_SUCCESS)
		return code;
	struct binding_state *state = binding_state_of(d);
	for (uint32_t i = 0; i < state->provision_count; i++)
		state->choices[state->choice_count++] =
			(struct volume_choice){state->provision[i]->object, 0};
	*list = state->choices;
	*count = state->choice_count;
	return PLUGIN_SUCCESS;
}

/* ---- score: free capacity, where StorageCapacityScoring is on ---- */

static bool binding_may_score(const struct cycle_state *d)
{
	const struct binding_state *state = binding_state_of(d);
	return feature_enabled(&d->profile->gates, FEATURE_StorageCapacityScoring) &&
		state != NULL && state->selected_count + state->unmatched_count > 0;
}

static enum plugin_code volume_binding_pre_score(struct cycle_state *d)
{
	return binding_may_score(d) ? PLUGIN_SUCCESS : PLUGIN_SKIP;
}

/* Volumes that are there, where some are chosen; else what new ones are made of. */
static uint32_t binding_capacities(struct cycle_state *d)
{
	struct binding_state *state = binding_state_of(d);
	uint32_t count = 0;
	for (uint32_t i = 0; i < state->choice_count; i++) {
		const struct kube_pvc *claim = binding_read_claim(d, state->choices[i].claim);
		const struct kube_pv *pv = binding_read_volume(d, state->choices[i].pv);
		struct volume_capacity *of =
			volume_capacity_of(state->capacities, &count, pv->class);
		of->requested = cache_plus(of->requested, claim->request_bytes);
		of->capacity = cache_plus(of->capacity, pv->capacity_bytes);
	}
	for (uint32_t i = 0; i < state->provision_count && state->choice_count == 0; i++) {
		const struct kube_pvc *claim = state->provision[i]->claim;
		if (state->provided[i] == NULL)
			continue;
		struct volume_capacity *of =
			volume_capacity_of(state->capacities, &count, claim->class);
		of->requested = cache_plus(of->requested, claim->request_bytes);
		of->capacity = state->provided[i]->capacity_bytes; /* all of them share it */
	}
	return count;
}

static int64_t volume_binding_score(struct cycle_state *d, uint32_t node)
{
	/* A profile may leave PreScore out; then it is asked about every pod. */
	if (!binding_may_score(d) ||
		binding_check(d, cache_node_at(d->cache, node), NULL) != PLUGIN_SUCCESS)
		return 0;
	uint32_t count = binding_capacities(d);
	return volume_capacity_score(
		&PLUGIN_ARGS(d->profile, VOLUME_BINDING, volume_binding_args)->shape,
		binding_state_of(d)->capacities, count);
}

const struct plugin plugin_volume_binding = {.name = "VolumeBinding",
	.args = &volume_binding_arguments,
	.v1beta2 = {0, 6, 0, 0},
	.weight = 1,
	.defaults = PLUGIN_IN_ALL,
	.helps = PLUGIN_HELPS(
		{"", "A volume or a storage class that a node that will do can have."}),
	.state_size = sizeof(struct binding_state),
	.kinds = volume_kinds,
	.pre_filter = volume_binding_pre_filter,
	.filter = volume_binding_filter,
	.pre_score = volume_binding_pre_score,
	.score = volume_binding_score,
	.reserve = volume_bind_reserve,
	.unreserve = volume_bind_unreserve,
	.pre_bind_pre_flight = volume_bind_pre_flight,
	.pre_bind = volume_bind_pre_bind,
	.concerns = volume_bind_concerns,
	.release = volume_bind_release,
	.events = volume_binding_events};
