/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VolumeRestrictions: disks named in the pod itself that cannot be mounted twice, and claims of
 * access mode ReadWriteOncePod, which one pod at a time may use.
 *
 * What kube-scheduler does, and we do: whether such a claim is in use is asked for the cluster
 * as a whole, not for a node, as one number; pods put on or taken off in thought change it by
 * the claims they name, without looking at their namespace.
 */

#include "plugins/volume_priv.h"
#include "plugins/hints.h"

struct restrictions_state {
	const uint32_t
		*single_claims; /* name ids of the pod's ReadWriteOncePod claims, no doubles */
	uint32_t single_count;
	int64_t in_use_before; /* how many of them some pod uses */
	int64_t in_use;        /* with the pods moved in thought */
	bool has_disks;
};

static bool restrictions_is_disk(const struct kube_volume *volume)
{
	return volume->kind == KUBE_VOLUME_GCE || volume->kind == KUBE_VOLUME_EBS ||
		volume->kind == KUBE_VOLUME_ISCSI || volume->kind == KUBE_VOLUME_RBD;
}

static bool restrictions_is_single(const struct restrictions_state *state, uint32_t claim)
{
	for (uint32_t i = 0; i < state->single_count; i++) {
		if (state->single_claims[i] == claim)
			return true;
	}
	return false;
}

/* How many of the class's volumes are among the claims. */
static uint32_t restrictions_uses(
	const struct restrictions_state *state, const struct kube_pod_template *class)
{
	const struct kube_volume *volumes = volume_list(class);
	uint32_t uses = 0;
	for (uint32_t i = 0; i < class->volumes.count; i++) {
		if (volumes[i].kind == KUBE_VOLUME_CLAIM)
			uses += restrictions_is_single(state, volumes[i].name);
	}
	return uses;
}

/* Is one claim of the namespace used by a pod on a node that is really there? */
static bool restrictions_is_used(const struct cache *cache, uint32_t namespace, uint32_t claim)
{
	struct restrictions_state one = {.single_claims = &claim, .single_count = 1};
	for (uint32_t n = pool_next(&cache->nodes, 0); n != 0; n = pool_next(&cache->nodes, n)) {
		const struct cache_node *node = cache_node_at(cache, n);
		if (node->facts == NULL || node->sums.volume_pods == 0)
			continue;
		for (uint32_t p = node->first_pod; p != 0; p = cache_pod_at(cache, p)->next) {
			const struct kube_pod_template *class =
				cache_template_of(cache, cache_pod_at(cache, p));
			if (class->namespace == namespace && restrictions_uses(&one, class) != 0)
				return true;
		}
	}
	return false;
}

/* Fills the list of ReadWriteOncePod claims; the first missing claim ends it. */
static enum plugin_code restrictions_find_single(struct cycle_state *d,
	struct restrictions_state *state, uint32_t *single, struct plugin_reasons *why)
{
	struct volume_pod pod = volume_pod_decided(d);
	const struct kube_volume *volumes = volume_list(pod.class);
	state->single_claims = single;
	for (uint32_t i = 0; i < pod.class->volumes.count; i++) {
		state->has_disks = state->has_disks || restrictions_is_disk(&volumes[i]);
		if (volumes[i].kind != KUBE_VOLUME_CLAIM)
			continue;
		uint32_t object = volume_find_claim(d->cache, &pod, &volumes[i]);
		if (object == 0)
			return volume_misses_claim(
				d->cache, cache_text(d->cache, volumes[i].name), why);
		const struct kube_pvc *claim = volume_blob(d->cache, object);
		if ((claim->access & KUBE_RWOP) != 0 &&
			!restrictions_is_single(state, volumes[i].name))
			single[state->single_count++] = volumes[i].name;
	}
	return PLUGIN_SUCCESS;
}

static enum plugin_code volume_restrictions_pre_filter(
	struct cycle_state *d, struct plugin_reasons *why)
{
	const struct kube_pod_template *class = d->pod.class;
	if (class->volumes.count == 0)
		return PLUGIN_SKIP;
	struct restrictions_state *state = plugin_take_state(d, PLUGIN_VOLUME_RESTRICTIONS);
	uint32_t *single = SCRATCH_ARRAY(d->scratch, uint32_t, class->volumes.count);
	if (state == NULL || single == NULL)
		return volume_no_room(d);
	enum plugin_code code = restrictions_find_single(d, state, single, why);
	if (code != PLUGIN_SUCCESS)
		return code;
	for (uint32_t i = 0; i < state->single_count; i++)
		state->in_use_before += restrictions_is_used(d->cache, class->namespace, single[i]);
	state->in_use = state->in_use_before;
	if (!state->has_disks && state->in_use == 0)
		return PLUGIN_SKIP;
	return PLUGIN_SUCCESS;
}

static bool restrictions_monitors_overlap(
	const void *blob_a, struct kube_span a, const void *blob_b, struct kube_span b)
{
	const uint32_t *list = KUBE_AT(blob_a, a, uint32_t);
	for (uint32_t i = 0; i < a.count; i++) {
		if (volume_id_in(blob_b, b, list[i]))
			return true;
	}
	return false;
}

/* The volumes, each in its class's blob. */
static bool restrictions_disks_conflict(const void *blob_a, const struct kube_volume *a,
	const void *blob_b, const struct kube_volume *b)
{
	if (a->kind != b->kind || a->id != b->id)
		return false;
	if (a->kind == KUBE_VOLUME_EBS)
		return true;
	if (a->read_only && b->read_only)
		return false;
	if (a->kind != KUBE_VOLUME_RBD)
		return true;
	return a->pool == b->pool &&
		restrictions_monitors_overlap(blob_a, a->monitors, blob_b, b->monitors);
}

static bool volume_restrictions_conflict(
	const struct kube_pod_template *ours, const struct kube_pod_template *theirs)
{
	const struct kube_volume *our_volumes = volume_list(ours);
	const struct kube_volume *their_volumes = volume_list(theirs);
	for (uint32_t i = 0; i < ours->volumes.count; i++) {
		if (!restrictions_is_disk(&our_volumes[i]))
			continue;
		for (uint32_t j = 0; j < theirs->volumes.count; j++) {
			if (restrictions_disks_conflict(
				    ours, &our_volumes[i], theirs, &their_volumes[j]))
				return true;
		}
	}
	return false;
}

static bool restrictions_disk_is_taken(const struct cycle_state *d, const struct cache_view *view)
{
	if (view->sums->volume_pods == 0)
		return false;
	struct cache_view_walk walk = {0};
	for (uint32_t p; (p = cache_view_next_pod(d->cache, view, &walk)) != 0;) {
		const struct kube_pod_template *class =
			cache_template_of(d->cache, cache_pod_at(d->cache, p));
		if (volume_restrictions_conflict(d->pod.class, class))
			return true;
	}
	return false;
}

static enum plugin_code volume_restrictions_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	const struct restrictions_state *state = d->state[PLUGIN_VOLUME_RESTRICTIONS];
	CHECK(state != NULL);
	if (state->has_disks && restrictions_disk_is_taken(d, view)) {
		plugin_because(why, "node(s) had no available disk");
		return PLUGIN_UNSCHEDULABLE;
	}
	if (state->in_use > 0) {
		plugin_because(why,
			"node(s) unavailable due to PersistentVolumeClaim with "
			"ReadWriteOncePod access mode already in-use by another pod");
		return PLUGIN_UNSCHEDULABLE;
	}
	return PLUGIN_SUCCESS;
}

static void volume_restrictions_pod_moved(
	struct cycle_state *d, const struct cache_view *view, uint32_t pod, int sign)
{
	(void)view;
	CHECK(sign == 1 || sign == -1);
	struct restrictions_state *state = d->state[PLUGIN_VOLUME_RESTRICTIONS];
	if (state == NULL)
		return;
	const struct kube_pod_template *class =
		cache_template_of(d->cache, cache_pod_at(d->cache, pod));
	state->in_use += sign * (int64_t)restrictions_uses(state, class);
}

static void volume_restrictions_pods_forgotten(struct cycle_state *d)
{
	struct restrictions_state *state = d->state[PLUGIN_VOLUME_RESTRICTIONS];
	if (state != NULL)
		state->in_use = state->in_use_before;
}

/* ---- hints ---- */

static bool restrictions_share_claim(
	const struct kube_pod_template *a, const struct kube_pod_template *b)
{
	const struct kube_volume *list_a = volume_list(a);
	const struct kube_volume *list_b = volume_list(b);
	for (uint32_t i = 0; i < a->volumes.count; i++)
		for (uint32_t j = 0; j < b->volumes.count; j++)
			if (volume_is_claim(&list_a[i]) && volume_is_claim(&list_b[j]) &&
				list_a[i].name == list_b[j].name)
				return true;
	return false;
}

static enum plugin_hint restrictions_hint_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	const struct kube_pod_template *gone = cache_side_template(&event->old);
	if (gone->namespace != w->pod.class->namespace)
		return PLUGIN_HINT_SKIP;
	return hint_if(volume_restrictions_conflict(w->pod.class, gone) ||
		restrictions_share_claim(w->pod.class, gone));
}

static enum plugin_hint restrictions_hint_claim(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(hint_names_claim(w, event, false));
}

const struct plugin plugin_volume_restrictions = {.name = "VolumeRestrictions",
	.v1beta2 = {0, 3, 0, 0},
	.defaults = PLUGIN_IN_ALL,
	.helps = PLUGIN_HELPS({"not found", "Create the claim."},
		{"", "Whatever uses the volume has to let it go."}),
	.state_size = sizeof(struct restrictions_state),
	.kinds = volume_kinds,
	.pre_filter = volume_restrictions_pre_filter,
	.filter = volume_restrictions_filter,
	.pod_moved = volume_restrictions_pod_moved,
	.pods_forgotten = volume_restrictions_pods_forgotten,
	.events = PLUGIN_EVENTS({KUBE_POD, CACHE_DELETE, restrictions_hint_pod},
		{KUBE_NODE, CACHE_ADD, NULL}, {KUBE_PVC, CACHE_ADD, restrictions_hint_claim})};
