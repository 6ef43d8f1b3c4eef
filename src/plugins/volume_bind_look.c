/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the cache shows of what was written.
 *
 * What kube-scheduler does: it looks once a second, the first time after one, until every claim is
 * bound, something is beyond hope, or time is up.
 *
 * What we do: we look when something has changed: the same questions in the same order, of what the
 * apiserver says (nothing assumed), and a second less to wait.
 *
 * Which version is ours need not be read from the answers: a write is taken only when the object
 * has the version that it names, so the version that the watch shows next is what we wrote, or
 * came after it.
 */
#include "plugins/volume_bind.h"
#include "plugins/volume_choice.h"

/* ---- objects ---- */

static const struct cache_object *find_object(
	const struct plugin_binding *b, enum kube_kind kind, uint32_t namespace, uint32_t name)
{
	uint32_t object = cache_find_object(b->cache, kind, namespace, name);
	return object == 0 ? NULL : volume_object(b->cache, object);
}

static const struct cache_object *find_volume(const struct plugin_binding *b, uint32_t name)
{
	return name == INTERN_EMPTY ? NULL : find_object(b, KUBE_PV, INTERN_EMPTY, name);
}

static const struct cache_object *find_claim(
	const struct plugin_binding *b, const struct volume_piece *piece)
{
	return find_object(b, KUBE_PVC, piece->namespace, piece->claim);
}

static const struct kube_pv *volume_of(const struct cache_object *object)
{
	return (const struct kube_pv *)(const void *)object->blob;
}

static const struct kube_pvc *claim_of(const struct cache_object *object)
{
	return (const struct kube_pvc *)(const void *)object->blob;
}

/* Of a time before our write. */
static bool is_older(const struct cache_object *object, const struct volume_piece *piece)
{
	return object->version < piece->version ||
		(object->version == piece->version && piece->changes);
}

static bool claim_is_bound(const struct cache_object *claim)
{
	return claim_of(claim)->volume_name != INTERN_EMPTY && claim_of(claim)->bind_completed;
}

/* ---- waiting for claims ---- */

static enum volume_verdict volume_not_found(
	const struct plugin_binding *b, uint32_t name, struct plugin_reasons *why)
{
	plugin_because_of(why,
		"binding volumes: failed to check binding: persistentvolumes \"%.*s\" not found",
		TEXT_ARGS(cache_text(b->cache, name)));
	return VOLUME_HOPELESS;
}

static enum volume_verdict claim_not_found(const struct plugin_binding *b,
	const struct volume_piece *piece, const char *doing, struct plugin_reasons *why)
{
	plugin_because_of(why,
		"binding volumes: %s: persistentvolumeclaims \"%.*s/%.*s\" not found", doing,
		TEXT_ARGS(cache_text(b->cache, piece->namespace)),
		TEXT_ARGS(cache_text(b->cache, piece->claim)));
	return VOLUME_HOPELESS;
}

/* `doing`: what upstream says it was doing when a volume cannot be translated. */
static enum volume_verdict check_reach(const struct plugin_binding *b,
	const struct cache_object *pv, const char *doing, struct plugin_reasons *why)
{
	const char *fault;
	uint32_t index = cache_find_object(b->cache, KUBE_PV, INTERN_EMPTY, pv->name);
	uint32_t node = cache_find_node_id(b->cache, b->node);
	switch (volume_reach_of(b->cache, index, node, b->scratch, &fault)) {
	case VOLUME_REACHES: return VOLUME_FINE;
	case VOLUME_OUT_OF_REACH:
		plugin_because_of(why,
			"binding volumes: pv \"%.*s\" node affinity doesn't match node \"%.*s\": "
			"no matching NodeSelectorTerms",
			TEXT_ARGS(cache_text(b->cache, pv->name)),
			TEXT_ARGS(cache_text(b->cache, b->node)));
		return VOLUME_HOPELESS;
	case VOLUME_UNTRANSLATABLE:
		plugin_because_of(
			why, "binding volumes: %scould not translate pv: %s", doing, fault);
		return VOLUME_HOPELESS;
	case VOLUME_NO_SCRATCH: break;
	}
	plugin_because(why, "binding volumes: not enough memory to look at the volume");
	return VOLUME_HOPELESS;
}

static enum volume_verdict check_volume(const struct plugin_binding *b,
	const struct volume_piece *piece, struct plugin_reasons *why)
{
	const struct cache_object *pv = find_volume(b, piece->pv);
	const struct cache_object *claim = find_claim(b, piece);
	if (pv == NULL)
		return volume_not_found(b, piece->pv, why);
	if (claim == NULL)
		return claim_not_found(b, piece, "failed to check binding", why);
	if (is_older(pv, piece))
		return VOLUME_NOT_YET;
	enum volume_verdict verdict = check_reach(b, pv, "failed to translate pv to csi: ", why);
	if (verdict != VOLUME_FINE)
		return verdict;
	if (!volume_of(pv)->has_claim || volume_of(pv)->claim_uid == INTERN_EMPTY) {
		plugin_because_of(why, "binding volumes: ClaimRef got reset for pv \"%.*s\"",
			TEXT_ARGS(cache_text(b->cache, piece->pv)));
		return VOLUME_HOPELESS;
	}
	return claim_is_bound(claim) ? VOLUME_FINE : VOLUME_NOT_YET;
}

static enum volume_verdict check_claim(const struct plugin_binding *b,
	const struct volume_piece *piece, struct plugin_reasons *why)
{
	const struct cache_object *claim = find_claim(b, piece);
	const char *reset = NULL;
	if (claim == NULL)
		return claim_not_found(b, piece, "failed to check provisioning pvc", why);
	if (is_older(claim, piece))
		return VOLUME_NOT_YET;
	if (!claim_of(claim)->has_annotations)
		reset = "selectedNode annotation reset";
	else if (claim_of(claim)->selected_node != b->node)
		reset = "provisioning failed";
	if (reset != NULL) {
		plugin_because_of(why, "binding volumes: %s for PVC \"%.*s\"", reset,
			TEXT_ARGS(cache_text(b->cache, piece->claim)));
		return VOLUME_HOPELESS;
	}
	if (claim_of(claim)->volume_name != INTERN_EMPTY) {
		const struct cache_object *pv = find_volume(b, claim_of(claim)->volume_name);
		if (pv == NULL)
			return VOLUME_NOT_YET;
		enum volume_verdict verdict = check_reach(b, pv, "", why);
		if (verdict != VOLUME_FINE)
			return verdict;
	}
	return claim_is_bound(claim) ? VOLUME_FINE : VOLUME_NOT_YET;
}

enum volume_verdict volume_bind_check(
	const struct plugin_binding *b, const struct volume_bind *bind, struct plugin_reasons *why)
{
	uint32_t node = cache_find_node_id(b->cache, b->node);
	if (node == 0 || cache_node_at(b->cache, node)->facts == NULL) {
		struct text name = cache_text(b->cache, b->node);
		plugin_because_of(why,
			"binding volumes: failed to get node \"%.*s\": node \"%.*s\" not found",
			TEXT_ARGS(name), TEXT_ARGS(name));
		return VOLUME_HOPELESS;
	}
	for (uint32_t i = 0; i < bind->count; i++) {
		const struct volume_piece *piece = &bind->pieces[i];
		enum volume_verdict verdict =
			piece->pv != 0 ? check_volume(b, piece, why) : check_claim(b, piece, why);
		if (verdict != VOLUME_FINE)
			return verdict;
	}
	return VOLUME_FINE;
}

/* ---- doubt ---- */

enum volume_sight volume_bind_see(const struct plugin_binding *b, const struct volume_piece *piece)
{
	const struct cache_object *object =
		piece->pv != 0 ? find_volume(b, piece->pv) : find_claim(b, piece);
	if (object == NULL)
		return VOLUME_OTHERS;
	if (object->version <= piece->version)
		return VOLUME_UNCHANGED;
	bool ours;
	if (piece->pv != 0) {
		const struct kube_pv *pv = volume_of(object);
		ours = pv->has_claim && pv->claim_namespace == piece->namespace &&
			pv->claim_name == piece->claim && pv->claim_uid == piece->claim_uid;
	} else {
		ours = claim_of(object)->selected_node == b->node;
	}
	return ours ? VOLUME_OURS : VOLUME_OTHERS;
}
