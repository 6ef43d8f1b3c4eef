/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VolumeZone: a node must stand in a zone and region that the pod's bound volumes are labelled
 * with. Labels of volumes may name several zones, joined by "__".
 *
 * Volumes that get their claim from the pod itself (ephemeral ones) are not looked at, as
 * upstream does not.
 */

#include "plugins/volume_priv.h"
#include "plugins/hints.h"

enum { ZONE_LABELS = 4 /* in the order of struct kube_pv */ };

struct zone_demand {
	uint32_t label; /* 0..ZONE_LABELS-1 */
	const uint32_t
		*values; /* ids; those that nothing else uses are left out: no node has them */
	uint32_t value_count;
};

struct volume_zone_state {
	uint32_t keys[ZONE_LABELS]; /* ids */
	struct zone_demand *demands;
	uint32_t demand_count;
};

/* The key that stands in for a beta label on nodes that lack it. */
static uint32_t zone_label_now(uint32_t label)
{
	return label < 2 ? label + 2 : label;
}

/* One label of a volume. False when scratch is exhausted; a malformed label demands nothing. */
static bool zone_demand_label(
	struct cycle_state *d, struct volume_zone_state *state, uint32_t label, struct text value)
{
	uint32_t parts = 0;
	struct text rest = value;
	for (struct text zone; volume_cut_zone(&rest, &zone); parts++) {
		if (zone.size == 0)
			return true;
	}
	uint32_t *values = SCRATCH_ARRAY(d->scratch, uint32_t, parts);
	if (values == NULL)
		return false;
	struct zone_demand *demand = &state->demands[state->demand_count++];
	*demand = (struct zone_demand){label, values, 0};
	rest = value;
	for (struct text zone; volume_cut_zone(&rest, &zone);) {
		uint32_t id;
		if (intern_find(&d->cache->strings, zone, &id))
			values[demand->value_count++] = id;
	}
	return true;
}

static bool zone_demand_volume(
	struct cycle_state *d, struct volume_zone_state *state, const struct kube_pv *pv)
{
	for (uint32_t label = 0; label < ZONE_LABELS; label++) {
		if ((pv->has_label_zone >> label & 1) == 0)
			continue;
		struct text value = cache_text(d->cache, pv->labels_zone[label]);
		if (!zone_demand_label(d, state, label, value))
			return false;
	}
	return true;
}

/* An unbound claim is no matter of zones yet when its class waits for the pod. */
static enum plugin_code zone_unbound(
	struct cycle_state *d, const struct kube_pvc *claim, struct plugin_reasons *why)
{
	if (claim->class == 0) {
		plugin_because(why, "PersistentVolumeClaim had no pv name and storageClass name");
		return PLUGIN_UNRESOLVABLE;
	}
	struct text name = cache_text(d->cache, claim->class);
	const struct kube_storage_class *class = volume_class(d->cache, claim->class);
	if (class == NULL)
		return plugin_misses(
			d->cache, KUBE_STORAGE_CLASS, "storageclass.storage.k8s.io", name, why);
	if (class->binding_mode == KUBE_BINDING_UNSET) {
		plugin_because_of(why, "VolumeBindingMode not set for StorageClass \"%.*s\"",
			TEXT_ARGS(name));
		return PLUGIN_UNRESOLVABLE;
	}
	if (class->binding_mode == KUBE_BINDING_WAIT)
		return PLUGIN_SUCCESS;
	plugin_because(why, "PersistentVolume had no name");
	return PLUGIN_UNRESOLVABLE;
}

static enum plugin_code zone_claim(struct cycle_state *d, struct volume_zone_state *state,
	const struct kube_volume *volume, struct plugin_reasons *why)
{
	if (volume->name == 0) {
		plugin_because(why, "PersistentVolumeClaim had no name");
		return PLUGIN_UNRESOLVABLE;
	}
	struct volume_pod pod = volume_pod_decided(d);
	uint32_t object = volume_find_claim(d->cache, &pod, volume);
	if (object == 0)
		return volume_misses_claim(d->cache, cache_text(d->cache, volume->name), why);
	const struct kube_pvc *claim = volume_blob(d->cache, object);
	if (claim->volume_name == 0)
		return zone_unbound(d, claim, why);
	uint32_t pv = volume_find_pv(d->cache, claim->volume_name);
	if (pv == 0)
		return plugin_misses(d->cache, KUBE_PV, "persistentvolume",
			cache_text(d->cache, claim->volume_name), why);
	if (!zone_demand_volume(d, state, volume_blob(d->cache, pv)))
		return volume_no_room(d);
	return PLUGIN_SUCCESS;
}

static enum plugin_code volume_zone_pre_filter(struct cycle_state *d, struct plugin_reasons *why)
{
	const struct kube_pod_template *class = d->pod.class;
	if (class->volumes.count == 0)
		return PLUGIN_SKIP;
	struct volume_zone_state *state = plugin_take_state(d, PLUGIN_VOLUME_ZONE);
	if (state == NULL)
		return volume_no_room(d);
	state->demands = SCRATCH_ARRAY(
		d->scratch, struct zone_demand, (size_t) class->volumes.count * ZONE_LABELS);
	if (state->demands == NULL)
		return volume_no_room(d);
	const struct cache_names *names = &d->cache->names;
	state->keys[0] = names->beta_zone;
	state->keys[1] = names->beta_region;
	state->keys[2] = names->zone;
	state->keys[3] = names->region;
	const struct kube_volume *volumes = volume_list(class);
	for (uint32_t i = 0; i < class->volumes.count; i++) {
		if (volumes[i].kind != KUBE_VOLUME_CLAIM)
			continue;
		enum plugin_code code = zone_claim(d, state, &volumes[i], why);
		if (code != PLUGIN_SUCCESS)
			return code;
	}
	if (state->demand_count == 0)
		return PLUGIN_SKIP;
	return PLUGIN_SUCCESS;
}

static bool zone_demand_met(
	const struct zone_demand *demand, const bool *has, const uint32_t *values)
{
	uint32_t label = has[demand->label] ? demand->label : zone_label_now(demand->label);
	if (!has[label])
		return false;
	for (uint32_t i = 0; i < demand->value_count; i++) {
		if (demand->values[i] == values[label])
			return true;
	}
	return false;
}

static enum plugin_code volume_zone_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	const struct volume_zone_state *state = d->state[PLUGIN_VOLUME_ZONE];
	CHECK(state != NULL);
	const struct kube_labels *labels = cache_labels_at(d->cache, view->node->labels);
	bool has[ZONE_LABELS];
	uint32_t values[ZONE_LABELS];
	bool has_any = false;
	for (uint32_t i = 0; i < ZONE_LABELS; i++) {
		has[i] = kube_labels_get(labels, state->keys[i], &values[i]);
		has_any = has_any || has[i];
	}
	/* Clusters of a single zone need not label their nodes. */
	if (!has_any)
		return PLUGIN_SUCCESS;
	for (uint32_t i = 0; i < state->demand_count; i++) {
		if (!zone_demand_met(&state->demands[i], has, values)) {
			plugin_because(why, "node(s) had no available volume zone");
			return PLUGIN_UNRESOLVABLE;
		}
	}
	return PLUGIN_SUCCESS;
}

/* ---- hints ---- */

static enum plugin_hint zone_hint_class(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	(void)action;
	const struct kube_storage_class *now =
		(const struct kube_storage_class *)(const void *)event->now.blob;
	return hint_if(now->binding_mode == KUBE_BINDING_WAIT);
}

static enum plugin_hint zone_hint_claim(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(hint_names_claim(w, event, false));
}

static enum plugin_hint zone_hint_volume(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	if (action == CACHE_ADD)
		return PLUGIN_HINT_QUEUE;
	const struct kube_pv *old = (const struct kube_pv *)(const void *)event->old.blob;
	const struct kube_pv *now = (const struct kube_pv *)(const void *)event->now.blob;
	return hint_if(old->has_label_zone != now->has_label_zone ||
		memcmp(old->labels_zone, now->labels_zone, sizeof(now->labels_zone)) != 0);
}

const struct plugin plugin_volume_zone = {.name = "VolumeZone",
	.v1beta2 = {0, 7, 0, 0},
	.defaults = PLUGIN_IN_ALL,
	.helps = PLUGIN_HELPS({"", "A node in the zone of the volume."}),
	.state_size = sizeof(struct volume_zone_state),
	.kinds = volume_kinds,
	.pre_filter = volume_zone_pre_filter,
	.filter = volume_zone_filter,
	.events = PLUGIN_EVENTS({KUBE_STORAGE_CLASS, CACHE_ADD, zone_hint_class},
		{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL, NULL},
		{KUBE_PVC, CACHE_ADD | CACHE_UPDATE, zone_hint_claim},
		{KUBE_PV, CACHE_ADD | CACHE_UPDATE, zone_hint_volume})};
