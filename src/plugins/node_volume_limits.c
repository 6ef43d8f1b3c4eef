/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeVolumeLimits: how many volumes of a CSI driver a node can have attached.
 *
 * What kube-scheduler does, for every node: it looks up all volumes of the pod and of all pods
 * there, and all attachments of the cluster.
 * What we do: the pod's own volumes are looked up once (twice: types that drivers took over count
 * only on nodes with a CSINode), attachments are sorted by node once; and the volumes of the
 * pods on a node are only looked up when there are so many that the limit could be reached. The
 * looking up itself can fail, which fails the pod; so where some pod is of a kind whose volumes
 * can fail, they are always looked up.
 */

#include "base/hash.h"
#include "base/map.h"
#include "plugins/csi_translation.h"
#include "plugins/volume_priv.h"
#include "plugins/hints.h"

/* One volume as the driver knows it: two are the same when all of it is. */
enum limits_identity {
	LIMITS_HANDLE, /* id: string */
	LIMITS_CLAIM,  /* not made yet. id: object of the claim that it will be made for */
	LIMITS_TEXT    /* a translated handle that nothing else uses. text */
};
struct limits_volume {
	uint32_t driver;
	uint32_t identity;
	uint32_t id;
	struct text text;
};

enum limits_verdict {
	LIMITS_COUNTED,
	LIMITS_NOT_COUNTED,
	LIMITS_NO_CLAIM, /* the claim is missing */
	LIMITS_FAILED    /* d->error says why */
};

/* The pod's own volumes, without doubles. */
struct limits_own {
	enum plugin_code code;
	const char *error; /* with PLUGIN_ERROR */
	uint32_t missing;  /* with PLUGIN_UNRESOLVABLE: the volume whose claim is missing */
	struct limits_volume *list;
	uint32_t count;
};

struct limits_state {
	struct csi_names names;
	struct limits_own own[2]; /* [1]: on nodes with a CSINode */
	bool can_fail;            /* for some pods looking up volumes can fail */
	/* Attachments: object indexes, chained by node index. NULL when there are none. */
	bool attachments_sorted;
	uint32_t *first_attachment;
	uint32_t *next_attachment;
};

static bool limits_same(const struct limits_volume *a, const struct limits_volume *b)
{
	return a->driver == b->driver && a->identity == b->identity && a->id == b->id &&
		(a->identity != LIMITS_TEXT || text_is(a->text, b->text));
}

static enum limits_verdict limits_counted(struct limits_volume *volume)
{
	return volume->driver == 0 ? LIMITS_NOT_COUNTED : LIMITS_COUNTED;
}

static void limits_set_handle(struct limits_volume *volume, const struct csi_handle *handle)
{
	volume->identity = handle->id != 0 ? LIMITS_HANDLE : LIMITS_TEXT;
	volume->id = handle->id;
	volume->text = handle->text;
}

static struct limits_state *limits_state_of(const struct cycle_state *d)
{
	return d->state[PLUGIN_NODE_VOLUME_LIMITS];
}

/* A volume that does not exist yet will be made by the class's provisioner. */
static enum limits_verdict limits_unmade(const struct cycle_state *d, const struct kube_pvc *claim,
	uint32_t object, bool on_csi_node, struct limits_volume *volume)
{
	const struct csi_names *names = &limits_state_of(d)->names;
	const struct kube_storage_class *class = volume_class(d->cache, claim->class);
	if (class == NULL)
		return LIMITS_NOT_COUNTED;
	*volume = (struct limits_volume){class->provisioner, LIMITS_CLAIM, object, TEXT_NONE};
	enum kube_volume_source source = csi_source_of_provisioner(names, class->provisioner);
	if (source == KUBE_SOURCE_OTHER)
		return limits_counted(volume);
	if (!on_csi_node || !csi_is_switched(source))
		return LIMITS_NOT_COUNTED;
	volume->driver = names->driver[source];
	return limits_counted(volume);
}

static enum limits_verdict limits_of_pv(struct cycle_state *d, const struct kube_pv *pv,
	bool on_csi_node, struct limits_volume *volume)
{
	if (pv->source == KUBE_SOURCE_CSI) {
		*volume = (struct limits_volume){pv->driver, LIMITS_HANDLE, pv->handle, TEXT_NONE};
		return pv->handle == 0 ? LIMITS_NOT_COUNTED : limits_counted(volume);
	}
	enum kube_volume_source source = (enum kube_volume_source)pv->source;
	if (!on_csi_node || !csi_is_switched(source))
		return LIMITS_NOT_COUNTED;
	struct csi_handle handle;
	enum csi_result result = csi_pv_handle(d->cache, pv, d->scratch, &handle);
	if (result == CSI_FULL) {
		volume_no_room(d);
		return LIMITS_FAILED;
	}
	if (result == CSI_FAILED || handle.text.size == 0)
		return LIMITS_NOT_COUNTED;
	*volume = (struct limits_volume){.driver = limits_state_of(d)->names.driver[source]};
	limits_set_handle(volume, &handle);
	return limits_counted(volume);
}

static enum limits_verdict limits_of_claim(struct cycle_state *d, const struct volume_pod *pod,
	const struct kube_volume *v, bool on_csi_node, struct limits_volume *volume)
{
	if (v->kind == KUBE_VOLUME_CLAIM && v->name == 0) {
		volume_failed(d, "PersistentVolumeClaim had no name");
		return LIMITS_FAILED;
	}
	uint32_t object = volume_find_claim(d->cache, pod, v);
	if (object == 0)
		return LIMITS_NO_CLAIM;
	const struct kube_pvc *claim = volume_blob(d->cache, object);
	if (v->kind == KUBE_VOLUME_EPHEMERAL && !volume_is_for_pod(d->cache, claim, pod)) {
		struct volume_claim_name room;
		struct text name = volume_claim_name(d->cache, pod, v, &room);
		volume_failed(d, VOLUME_NOT_OWNED, VOLUME_NOT_OWNED_ARGS(d->cache, pod, name));
		return LIMITS_FAILED;
	}
	uint32_t pv = volume_find_pv(d->cache, claim->volume_name);
	if (pv == 0)
		return limits_unmade(d, claim, object, on_csi_node, volume);
	return limits_of_pv(d, volume_blob(d->cache, pv), on_csi_node, volume);
}

static enum limits_verdict limits_of(struct cycle_state *d, const struct volume_pod *pod,
	const struct kube_volume *v, bool on_csi_node, struct limits_volume *volume)
{
	if (volume_has_claim(v))
		return limits_of_claim(d, pod, v, on_csi_node, volume);
	enum kube_volume_source source = csi_source_of_volume(v->kind);
	if (!on_csi_node || !csi_is_switched(source))
		return LIMITS_NOT_COUNTED;
	struct csi_handle handle;
	enum csi_result result = csi_inline_handle(d->cache, v, d->scratch, &handle);
	if (result != CSI_OK) {
		if (result == CSI_FULL)
			volume_no_room(d);
		else
			volume_failed(d, "converting volume(%.*s) from inline to csi: %s",
				TEXT_ARGS(cache_text(d->cache, v->name)), handle.fault);
		return LIMITS_FAILED;
	}
	*volume = (struct limits_volume){.driver = limits_state_of(d)->names.driver[source]};
	limits_set_handle(volume, &handle);
	return limits_counted(volume);
}

static void limits_own_add(struct limits_own *own, const struct limits_volume *volume)
{
	for (uint32_t i = 0; i < own->count; i++) {
		if (limits_same(&own->list[i], volume))
			return;
	}
	own->list[own->count++] = *volume;
}

static void limits_find_own(struct cycle_state *d, bool on_csi_node, struct limits_own *own)
{
	struct volume_pod pod = volume_pod_decided(d);
	const struct kube_volume *volumes = volume_list(pod.class);
	own->code = PLUGIN_SUCCESS;
	for (uint32_t i = 0; i < pod.class->volumes.count; i++) {
		struct limits_volume volume;
		enum limits_verdict verdict = limits_of(d, &pod, &volumes[i], on_csi_node, &volume);
		if (verdict == LIMITS_COUNTED)
			limits_own_add(own, &volume);
		if (verdict == LIMITS_NO_CLAIM) {
			own->code = PLUGIN_UNRESOLVABLE;
			own->missing = i;
			return;
		}
		if (verdict == LIMITS_FAILED) {
			own->code = PLUGIN_ERROR;
			own->error = d->error;
			d->error = NULL;
			return;
		}
	}
}

static bool limits_class_can_fail(const struct kube_pod_template *class)
{
	const struct kube_volume *volumes = volume_list(class);
	for (uint32_t i = 0; i < class->volumes.count; i++) {
		if (volumes[i].kind != KUBE_VOLUME_CLAIM || volumes[i].name == 0) {
			if (volumes[i].kind == KUBE_VOLUME_EBS || volume_has_claim(&volumes[i]))
				return true;
		}
	}
	return false;
}

static bool limits_any_can_fail(const struct cache *cache)
{
	const struct pool *classes = &cache->classes;
	for (uint32_t i = pool_next(classes, 0); i != 0; i = pool_next(classes, i)) {
		if (limits_class_can_fail(cache_template_at(cache, i)))
			return true;
	}
	return false;
}

static enum plugin_code node_volume_limits_pre_filter(
	struct cycle_state *d, struct plugin_reasons *why)
{
	(void)why;
	const struct kube_pod_template *class = d->pod.class;
	const struct kube_volume *volumes = volume_list(class);
	bool concerned = false;
	for (uint32_t i = 0; i < class->volumes.count; i++)
		concerned = concerned || volume_has_claim(&volumes[i]) ||
			csi_source_of_volume(volumes[i].kind) != KUBE_SOURCE_OTHER;
	if (!concerned)
		return PLUGIN_SKIP;

	struct limits_state *state = plugin_take_state(d, PLUGIN_NODE_VOLUME_LIMITS);
	if (state == NULL)
		return volume_no_room(d);
	csi_names_find(d->cache, &state->names);
	state->can_fail = limits_any_can_fail(d->cache);
	for (uint32_t i = 0; i < 2; i++) {
		state->own[i].list =
			SCRATCH_ARRAY(d->scratch, struct limits_volume, class->volumes.count);
		if (state->own[i].list == NULL)
			return volume_no_room(d);
		limits_find_own(d, i == 1, &state->own[i]);
	}
	if (list_is_empty(&d->cache->by_kind[KUBE_VOLUME_ATTACHMENT]))
		return PLUGIN_SUCCESS;
	state->first_attachment =
		SCRATCH_ARRAY(d->scratch, uint32_t, (size_t)pool_top(&d->cache->nodes) + 1);
	state->next_attachment =
		SCRATCH_ARRAY(d->scratch, uint32_t, (size_t)pool_top(&d->cache->objects) + 1);
	return state->next_attachment == NULL ? volume_no_room(d) : PLUGIN_SUCCESS;
}

/* ---- attachments ---- */

static void limits_sort_attachments(const struct cache *cache, struct limits_state *state)
{
	state->attachments_sorted = true;
	for (uint32_t o = 0; (o = volume_next(cache, KUBE_VOLUME_ATTACHMENT, o)) != 0;) {
		const struct kube_volume_attachment *attachment = volume_blob(cache, o);
		uint32_t node = cache_find_node_id(cache, attachment->node);
		if (node == 0 || attachment->attacher == 0)
			continue;
		state->next_attachment[o] = state->first_attachment[node];
		state->first_attachment[node] = o;
	}
}

/* The first attachment of a node; 0: none. */
static uint32_t limits_attachments(const struct cycle_state *d, uint32_t node)
{
	struct limits_state *state = limits_state_of(d);
	if (state->first_attachment == NULL)
		return 0;
	if (!state->attachments_sorted)
		limits_sort_attachments(d->cache, state);
	CHECK(node <= pool_top(&d->cache->nodes));
	return state->first_attachment[node];
}

/* The volume of an attachment; false when it cannot be told which one it is. */
static bool limits_attached(
	const struct cache *cache, uint32_t object, struct limits_volume *volume)
{
	const struct kube_volume_attachment *attachment = volume_blob(cache, object);
	uint32_t pv = volume_find_pv(cache, attachment->pv);
	if (pv == 0)
		return false;
	const struct kube_pv *of = volume_blob(cache, pv);
	*volume =
		(struct limits_volume){attachment->attacher, LIMITS_HANDLE, of->handle, TEXT_NONE};
	return of->source == KUBE_SOURCE_CSI;
}

/* ---- counting on one node ---- */

struct limits_count {
	struct cycle_state *d;
	const struct cache_view *view;
	const struct kube_csi_node *csi_node;
	const struct limits_own *own;
	struct limits_volume *seen; /* the volumes of our drivers, without doubles */
	uint32_t seen_count;
	uint32_t room;
	struct map by_hash; /* index in seen + 1 */
};

/* -1: the driver has none */
static int64_t limits_of_driver(const struct kube_csi_node *csi_node, uint32_t driver)
{
	const struct kube_csi_node_driver *drivers =
		KUBE_AT(csi_node, csi_node->drivers, struct kube_csi_node_driver);
	int64_t limit = -1;
	/* Of a driver named twice upstream keeps what came last. */
	for (uint32_t i = 0; i < csi_node->drivers.count; i++) {
		if (drivers[i].name == driver && drivers[i].limit >= 0)
			limit = drivers[i].limit;
	}
	return limit;
}

static bool limits_has_any(const struct kube_csi_node *csi_node)
{
	const struct kube_csi_node_driver *drivers =
		KUBE_AT(csi_node, csi_node->drivers, struct kube_csi_node_driver);
	for (uint32_t i = 0; i < csi_node->drivers.count; i++) {
		if (drivers[i].limit >= 0)
			return true;
	}
	return false;
}

/* The lowest limit of the pod's drivers; INT64_MAX when none has one. */
static int64_t limits_lowest(const struct kube_csi_node *csi_node, const struct limits_own *own)
{
	int64_t lowest = INT64_MAX;
	for (uint32_t i = 0; i < own->count; i++) {
		int64_t limit = limits_of_driver(csi_node, own->list[i].driver);
		if (limit >= 0 && limit < lowest)
			lowest = limit;
	}
	return lowest;
}

/* The view's pods, unless none of them has volumes. */
static uint32_t limits_next_pod(
	const struct cycle_state *d, const struct cache_view *view, struct cache_view_walk *walk)
{
	return view->sums->volume_pods == 0 ? 0 : cache_view_next_pod(d->cache, view, walk);
}

/* As many volumes as could be on the node at most; and whether looking them up could fail. */
static uint32_t limits_at_most(
	const struct cycle_state *d, const struct cache_view *view, bool *can_fail)
{
	uint32_t volumes = 0;
	*can_fail = false;
	struct cache_view_walk walk = {0};
	for (uint32_t p; (p = limits_next_pod(d, view, &walk)) != 0;) {
		const struct kube_pod_template *class =
			cache_template_of(d->cache, cache_pod_at(d->cache, p));
		volumes += class->volumes.count;
		*can_fail =
			*can_fail || (limits_state_of(d)->can_fail && limits_class_can_fail(class));
	}
	for (uint32_t a = limits_attachments(d, view->index); a != 0;
		a = limits_state_of(d)->next_attachment[a])
		volumes++;
	return volumes;
}

static uint32_t limits_hash(const struct limits_volume *volume)
{
	uint32_t hash = hash_more(hash_pair(volume->driver, volume->identity), volume->id);
	if (volume->identity == LIMITS_TEXT)
		hash = hash_more(hash, hash_bytes(volume->text.at, volume->text.size));
	return hash;
}

static bool limits_is_seen(const struct limits_count *c, const struct limits_volume *volume)
{
	struct map_walk walk = map_walk(&c->by_hash, limits_hash(volume));
	for (uint32_t i; (i = map_next(&c->by_hash, &walk)) != 0;) {
		if (limits_same(&c->seen[i - 1], volume))
			return true;
	}
	return false;
}

static void limits_see(struct limits_count *c, const struct limits_volume *volume)
{
	bool ours = false;
	for (uint32_t i = 0; i < c->own->count && !ours; i++)
		ours = c->own->list[i].driver == volume->driver;
	if (!ours || limits_is_seen(c, volume))
		return;
	CHECK(c->seen_count < c->room);
	c->seen[c->seen_count++] = *volume;
	map_add(&c->by_hash, limits_hash(volume), c->seen_count);
}

/* False when looking something up failed: d->error. */
static bool limits_see_pods(struct limits_count *c)
{
	struct cycle_state *d = c->d;
	struct cache_view_walk walk = {0};
	for (uint32_t p; (p = limits_next_pod(d, c->view, &walk)) != 0;) {
		struct volume_pod pod = volume_pod_at(d->cache, p);
		const struct kube_volume *volumes = volume_list(pod.class);
		for (uint32_t i = 0; i < pod.class->volumes.count; i++) {
			struct limits_volume volume;
			enum limits_verdict verdict =
				limits_of(d, &pod, &volumes[i], true, &volume);
			if (verdict == LIMITS_FAILED)
				return false;
			if (verdict == LIMITS_COUNTED)
				limits_see(c, &volume);
		}
	}
	return true;
}

/*
 * Upstream takes off the new volumes what pods on the node have already, but not what only an
 * attachment tells of: such a volume counts twice.
 */
static bool limits_exceeded(struct limits_count *c, const bool *is_new)
{
	for (uint32_t i = 0; i < c->own->count; i++) {
		uint32_t driver = c->own->list[i].driver;
		int64_t limit = is_new[i] ? limits_of_driver(c->csi_node, driver) : -1;
		if (limit < 0)
			continue;
		int64_t total = 0;
		for (uint32_t j = 0; j < c->own->count; j++)
			total += is_new[j] && c->own->list[j].driver == driver;
		for (uint32_t j = 0; j < c->seen_count; j++)
			total += c->seen[j].driver == driver;
		if (total > limit)
			return true;
	}
	return false;
}

static enum plugin_code limits_count(struct limits_count *c, uint32_t at_most)
{
	struct cycle_state *d = c->d;
	c->room = at_most;
	c->seen = SCRATCH_ARRAY(d->scratch, struct limits_volume, c->room);
	void *block = scratch_take(d->scratch, map_size(c->room));
	bool *is_new = SCRATCH_ARRAY(d->scratch, bool, c->own->count);
	if (is_new == NULL)
		return volume_no_room(d);
	map_init_in(&c->by_hash, block, c->room);
	if (!limits_see_pods(c))
		return PLUGIN_ERROR;
	for (uint32_t i = 0; i < c->own->count; i++)
		is_new[i] = !limits_is_seen(c, &c->own->list[i]);
	for (uint32_t a = limits_attachments(d, c->view->index); a != 0;
		a = limits_state_of(d)->next_attachment[a]) {
		struct limits_volume volume;
		if (limits_attached(d->cache, a, &volume))
			limits_see(c, &volume);
	}
	return limits_exceeded(c, is_new) ? PLUGIN_UNSCHEDULABLE : PLUGIN_SUCCESS;
}

static enum plugin_code limits_own_fails(
	struct cycle_state *d, const struct limits_own *own, struct plugin_reasons *why)
{
	if (own->code == PLUGIN_ERROR) {
		d->error = own->error;
		return PLUGIN_ERROR;
	}
	CHECK(own->code == PLUGIN_UNRESOLVABLE);
	struct volume_pod pod = volume_pod_decided(d);
	struct volume_claim_name room;
	struct text name =
		volume_claim_name(d->cache, &pod, &volume_list(pod.class)[own->missing], &room);
	if ((d->cache->incomplete & PLUGIN_KIND(KUBE_PVC)) != 0)
		return volume_misses_claim(d->cache, name, why);
	plugin_because_of(why, "looking up PVC %.*s/%.*s: persistentvolumeclaim \"%.*s\" not found",
		TEXT_ARGS(cache_text(d->cache, pod.class->namespace)), TEXT_ARGS(name),
		TEXT_ARGS(name));
	return PLUGIN_UNRESOLVABLE;
}

static bool limits_is_installed(const struct kube_csi_node *csi_node, uint32_t driver)
{
	if (csi_node == NULL)
		return false;
	const struct kube_csi_node_driver *list =
		KUBE_AT(csi_node, csi_node->drivers, struct kube_csi_node_driver);
	for (uint32_t i = 0; i < csi_node->drivers.count; i++)
		if (list[i].name == driver)
			return true;
	return false;
}

/*
 * VolumeLimitScaling: the first driver of the pod's volumes that wants to be on the node before
 * its pods are, and is not; 0: none.
 */
static uint32_t limits_missing_driver(const struct cycle_state *d, const struct limits_own *own,
	const struct kube_csi_node *csi_node)
{
	for (uint32_t i = 0; i < own->count; i++) {
		uint32_t name = own->list[i].driver;
		const struct kube_csi_driver *driver =
			cache_object_blob(d->cache, KUBE_CSI_DRIVER, 0, name);
		if (driver != NULL && driver->prevent_if_missing != 0 &&
			!limits_is_installed(csi_node, name))
			return name;
	}
	return 0;
}

static enum plugin_code node_volume_limits_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	const struct limits_state *state = limits_state_of(d);
	CHECK(state != NULL);
	const struct kube_csi_node *csi_node = volume_csi_node(d->cache, view->node);
	const struct limits_own *own = &state->own[csi_node != NULL];
	if (own->code != PLUGIN_SUCCESS)
		return limits_own_fails(d, own, why);
	uint32_t missing = feature_enabled(&d->profile->gates, FEATURE_VolumeLimitScaling)
		? limits_missing_driver(d, own, csi_node)
		: 0;
	if (missing != 0) {
		plugin_because_of(why, "%.*s CSI driver is not installed on the node",
			TEXT_ARGS(cache_text(d->cache, missing)));
		return PLUGIN_UNSCHEDULABLE;
	}
	if (own->count == 0 || csi_node == NULL || !limits_has_any(csi_node))
		return PLUGIN_SUCCESS;
	int64_t lowest = limits_lowest(csi_node, own);
	if (lowest == INT64_MAX && !state->can_fail)
		return PLUGIN_SUCCESS;
	bool can_fail;
	uint32_t at_most = limits_at_most(d, view, &can_fail);
	if ((int64_t)at_most + own->count <= lowest && !can_fail)
		return PLUGIN_SUCCESS;

	struct limits_count c = {.d = d, .view = view, .csi_node = csi_node, .own = own};
	struct scratch_mark mark = scratch_mark(d->scratch);
	enum plugin_code code = limits_count(&c, at_most);
	/* An error ends the decision; its words stay in scratch. */
	if (code != PLUGIN_ERROR)
		scratch_rewind(d->scratch, mark);
	if (code == PLUGIN_UNSCHEDULABLE)
		plugin_because(why, "node(s) exceed max volume count");
	return code;
}

/* ---- hints ---- */

static bool limits_is_limited(const struct kube_volume *volume)
{
	return volume_has_claim(volume) || csi_source_of_volume(volume->kind) != KUBE_SOURCE_OTHER;
}

static int32_t limits_limit_of(const struct kube_csi_node *node, uint32_t driver)
{
	const struct kube_csi_node_driver *list =
		KUBE_AT(node, node->drivers, struct kube_csi_node_driver);
	for (uint32_t i = 0; i < node->drivers.count; i++)
		if (list[i].name == driver && list[i].limit > 0)
			return list[i].limit;
	return 0;
}

static enum plugin_hint limits_hint_csi_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	(void)action;
	const struct kube_csi_node *old =
		(const struct kube_csi_node *)(const void *)event->old.blob;
	const struct kube_csi_node *now =
		(const struct kube_csi_node *)(const void *)event->now.blob;
	const struct kube_csi_node_driver *list =
		KUBE_AT(now, now->drivers, struct kube_csi_node_driver);
	for (uint32_t i = 0; i < now->drivers.count; i++)
		if (limits_limit_of(now, list[i].name) > limits_limit_of(old, list[i].name))
			return PLUGIN_HINT_QUEUE;
	return PLUGIN_HINT_SKIP;
}

/* Upstream's hint looks at limits; a driver that came without one may be what was missing. */
static bool node_volume_limits_helps_beyond_hint(
	const struct plugin_waiting *w, const struct cache_event *event)
{
	if (event->kind != KUBE_CSI_NODE || !event->old.there || !event->now.there ||
		!feature_enabled(&w->profile->gates, FEATURE_VolumeLimitScaling))
		return false;
	const struct kube_csi_node *old =
		(const struct kube_csi_node *)(const void *)event->old.blob;
	const struct kube_csi_node *now =
		(const struct kube_csi_node *)(const void *)event->now.blob;
	const struct kube_csi_node_driver *list =
		KUBE_AT(now, now->drivers, struct kube_csi_node_driver);
	for (uint32_t i = 0; i < now->drivers.count; i++)
		if (!limits_is_installed(old, list[i].name))
			return true;
	return false;
}

static enum plugin_hint limits_hint_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	(void)action;
	return hint_if(hint_is_placed(&event->old) &&
		hint_has_volume(cache_side_template(&event->old), limits_is_limited));
}

static enum plugin_hint limits_hint_claim(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(hint_names_claim(w, event, true));
}

/* The detached volume's driver is the one that took over one of the pod's in-line volumes. */
static bool limits_has_inline_of(const struct plugin_waiting *w, uint32_t driver)
{
	struct csi_names names;
	csi_names_find(w->cache, &names);
	const struct kube_volume *list = volume_list(w->pod.class);
	for (uint32_t i = 0; i < w->pod.class->volumes.count; i++) {
		enum kube_volume_source source = csi_source_of_volume(list[i].kind);
		if (source != KUBE_SOURCE_OTHER && names.driver[source] == driver)
			return true;
	}
	return false;
}

static enum plugin_hint limits_hint_attachment(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	const struct kube_volume_attachment *gone =
		(const struct kube_volume_attachment *)(const void *)event->old.blob;
	return hint_if(hint_has_volume(w->pod.class, volume_is_claim) ||
		limits_has_inline_of(w, gone->attacher));
}

const struct plugin plugin_node_volume_limits = {.name = "NodeVolumeLimits",
	.defaults = PLUGIN_IN_ALL,
	.helps = PLUGIN_HELPS({"node(s) exceed max volume count", "A node with fewer volumes."},
		{"looking up PVC", "Create the claim."},
		{"", "Install the CSI driver on the node, or wait until it has registered."}),
	.helps_beyond_hint = node_volume_limits_helps_beyond_hint,
	.state_size = sizeof(struct limits_state),
	.kinds = volume_kinds,
	.pre_filter = node_volume_limits_pre_filter,
	.filter = node_volume_limits_filter,
	.events = PLUGIN_EVENTS({KUBE_CSI_NODE, CACHE_ADD, NULL},
		{KUBE_CSI_NODE, CACHE_UPDATE, limits_hint_csi_node},
		{KUBE_POD, CACHE_DELETE, limits_hint_pod}, {KUBE_PVC, CACHE_ADD, limits_hint_claim},
		{KUBE_VOLUME_ATTACHMENT, CACHE_DELETE, limits_hint_attachment})};
