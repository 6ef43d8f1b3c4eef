/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the picture shows of what was written.
 *
 * What kube-scheduler does: it looks once a second, the first time after one, until every claim is
 * bound, something is beyond hope, or time is up.
 *
 * What we do: we look when something has changed, in the turn after: the same questions in the
 * same order, of what the apiserver says (nothing assumed), and a second less to wait.
 *
 * Which version is ours need not be read from the answers: a write is taken only when the object
 * has the version that it names, so the version that the watch shows next is what we wrote, or
 * came after it.
 */
#include "bind/volumes_private.h"
#include "kube/volume.h"

enum verdict { NOT_YET, FINE, HOPELESS };

static const struct kube_pv *volume_of(const struct cache_object *object)
{
	return (const struct kube_pv *)(const void *)object->blob;
}

static const struct kube_pvc *claim_of(const struct cache_object *object)
{
	return (const struct kube_pvc *)(const void *)object->blob;
}

static const struct cache_object *find_volume(const struct volumes *volumes, uint32_t name)
{
	return name == INTERN_EMPTY ? NULL : volumes_find(volumes, KUBE_PV, INTERN_EMPTY, name);
}

static const struct cache_object *find_claim(
	const struct volumes *volumes, const struct volumes_piece *piece)
{
	return volumes_find(volumes, KUBE_PVC, piece->namespace, piece->claim);
}

/* Of a time before our write. */
static bool is_older(const struct cache_object *object, const struct volumes_piece *piece)
{
	return object->version < piece->version ||
		(object->version == piece->version && piece->changes);
}

static bool is_bound(const struct cache_object *claim)
{
	return claim_of(claim)->volume_name != INTERN_EMPTY && claim_of(claim)->bind_completed;
}

/* ---- waiting for claims ---- */

static enum verdict volume_not_found(struct volumes_flight *flight, uint32_t name)
{
	volumes_say(flight,
		"binding volumes: failed to check binding: persistentvolumes \"%.*s\" not found",
		TEXT_ARGS(volumes_text(flight->volumes, name)));
	return HOPELESS;
}

static enum verdict claim_not_found(
	struct volumes_flight *flight, const struct volumes_piece *piece, const char *doing)
{
	volumes_say(flight, "binding volumes: %s: persistentvolumeclaims \"%.*s/%.*s\" not found",
		doing, TEXT_ARGS(volumes_text(flight->volumes, piece->namespace)),
		TEXT_ARGS(volumes_text(flight->volumes, piece->claim)));
	return HOPELESS;
}

/* `doing`: what upstream says it was doing when a volume cannot be translated. */
static enum verdict check_reach(struct volumes_flight *flight, const struct cache_object *pv,
	uint32_t node, const char *doing)
{
	struct volumes *volumes = flight->volumes;
	const struct cache *cache = volumes->setup.cache;
	const char *fault;
	uint32_t index = cache_find_object(cache, KUBE_PV, INTERN_EMPTY, pv->name);
	scratch_reset(&volumes->scratch);
	switch (volume_reach_of(cache, index, node, &volumes->scratch, &fault)) {
	case VOLUME_REACHES: return FINE;
	case VOLUME_OUT_OF_REACH:
		volumes_say(flight,
			"binding volumes: pv \"%.*s\" node affinity doesn't match node \"%.*s\": "
			"no matching NodeSelectorTerms",
			TEXT_ARGS(volumes_text(volumes, pv->name)),
			TEXT_ARGS(volumes_text(volumes, flight->node)));
		return HOPELESS;
	case VOLUME_UNTRANSLATABLE:
		volumes_say(flight, "binding volumes: %scould not translate pv: %s", doing, fault);
		return HOPELESS;
	case VOLUME_NO_SCRATCH: break;
	}
	volumes_say(flight, "binding volumes: not enough memory to look at the volume");
	return HOPELESS;
}

static enum verdict check_volume(
	struct volumes_flight *flight, const struct volumes_piece *piece, uint32_t node)
{
	const struct volumes *volumes = flight->volumes;
	const struct cache_object *pv = find_volume(volumes, piece->pv);
	const struct cache_object *claim = find_claim(volumes, piece);
	if (pv == NULL)
		return volume_not_found(flight, piece->pv);
	if (claim == NULL)
		return claim_not_found(flight, piece, "failed to check binding");
	if (is_older(pv, piece))
		return NOT_YET;
	enum verdict verdict = check_reach(flight, pv, node, "failed to translate pv to csi: ");
	if (verdict != FINE)
		return verdict;
	if (!volume_of(pv)->has_claim || volume_of(pv)->claim_uid == INTERN_EMPTY) {
		volumes_say(flight, "binding volumes: ClaimRef got reset for pv \"%.*s\"",
			TEXT_ARGS(volumes_text(volumes, piece->pv)));
		return HOPELESS;
	}
	return is_bound(claim) ? FINE : NOT_YET;
}

static enum verdict check_claim(
	struct volumes_flight *flight, const struct volumes_piece *piece, uint32_t node)
{
	const struct volumes *volumes = flight->volumes;
	const struct cache_object *claim = find_claim(volumes, piece);
	const char *reset = NULL;
	if (claim == NULL)
		return claim_not_found(flight, piece, "failed to check provisioning pvc");
	if (is_older(claim, piece))
		return NOT_YET;
	if (!claim_of(claim)->has_annotations)
		reset = "selectedNode annotation reset";
	else if (claim_of(claim)->selected_node != flight->node)
		reset = "provisioning failed";
	if (reset != NULL) {
		volumes_say(flight, "binding volumes: %s for PVC \"%.*s\"", reset,
			TEXT_ARGS(volumes_text(volumes, piece->claim)));
		return HOPELESS;
	}
	if (claim_of(claim)->volume_name != INTERN_EMPTY) {
		const struct cache_object *pv = find_volume(volumes, claim_of(claim)->volume_name);
		if (pv == NULL)
			return NOT_YET;
		enum verdict verdict = check_reach(flight, pv, node, "");
		if (verdict != FINE)
			return verdict;
	}
	return is_bound(claim) ? FINE : NOT_YET;
}

static enum verdict check(struct volumes_flight *flight)
{
	struct volumes *volumes = flight->volumes;
	const struct cache *cache = volumes->setup.cache;
	uint32_t node = cache_find_node_id(cache, flight->node);
	if (node == 0 || cache_node_at(cache, node)->facts == NULL) {
		struct text name = volumes_text(volumes, flight->node);
		volumes_say(flight,
			"binding volumes: failed to get node \"%.*s\": node \"%.*s\" not found",
			TEXT_ARGS(name), TEXT_ARGS(name));
		return HOPELESS;
	}
	for (uint32_t i = flight->first; i != 0; i = volumes_piece_at(volumes, i)->next) {
		const struct volumes_piece *piece = volumes_piece_at(volumes, i);
		enum verdict verdict = piece->pv != 0 ? check_volume(flight, piece, node)
						      : check_claim(flight, piece, node);
		if (verdict != FINE)
			return verdict;
	}
	return FINE;
}

/* ---- doubt ---- */

enum volumes_sight volumes_see(const struct volumes_flight *flight)
{
	const struct volumes *volumes = flight->volumes;
	const struct volumes_piece *piece = volumes_piece_at(volumes, flight->at);
	const struct cache_object *object =
		piece->pv != 0 ? find_volume(volumes, piece->pv) : find_claim(volumes, piece);
	if (object == NULL)
		return VOLUMES_OTHERS;
	if (object->version <= piece->version)
		return VOLUMES_UNCHANGED;
	bool ours;
	if (piece->pv != 0) {
		const struct kube_pv *pv = volume_of(object);
		ours = pv->has_claim && pv->claim_namespace == piece->namespace &&
			pv->claim_name == piece->claim && pv->claim_uid == piece->claim_uid;
	} else {
		ours = claim_of(object)->selected_node == flight->node;
	}
	return ours ? VOLUMES_OURS : VOLUMES_OTHERS;
}

static void look_in_doubt(struct volumes_flight *flight)
{
	switch (volumes_see(flight)) {
	case VOLUMES_UNCHANGED: return;
	case VOLUMES_OURS: volumes_go_on(flight); return;
	case VOLUMES_OTHERS: volumes_finish(flight, false); return;
	}
}

/* ---- when to look ---- */

static void look(struct volumes_flight *flight)
{
	flight->look = false;
	if (flight->state == VOLUMES_DOUBT) {
		look_in_doubt(flight);
	} else if (flight->state == VOLUMES_WAIT) {
		enum verdict verdict = check(flight);
		if (verdict != NOT_YET)
			volumes_finish(flight, verdict == FINE);
	}
}

void volumes_look_due(struct net_timer *timer, struct mono now)
{
	struct volumes *volumes = LIST_OWNER(timer, struct volumes, look);
	const struct pool *flights = &volumes->flights;
	(void)now;
	for (uint32_t i = pool_next(flights, 0); i != 0; i = pool_next(flights, i))
		if (volumes_flight_at(volumes, i)->look)
			look(volumes_flight_at(volumes, i));
	volumes_send_next(volumes);
}

void volumes_look_soon(struct volumes_flight *flight)
{
	struct volumes *volumes = flight->volumes;
	flight->look = true;
	if (!net_timer_is_armed(&volumes->look))
		net_timer_arm(volumes->net, &volumes->look, net_now(volumes->net));
}

static bool concerns(const struct volumes_flight *flight, const struct cache_event *event)
{
	const struct volumes *volumes = flight->volumes;
	switch (event->kind) {
	case KUBE_NODE:
	case KUBE_CSI_NODE: return event->name == flight->node;
	case KUBE_PV: return true; /* a provisioned one is known by its claim only */
	default: break;
	}
	for (uint32_t i = flight->first; i != 0; i = volumes_piece_at(volumes, i)->next) {
		const struct volumes_piece *piece = volumes_piece_at(volumes, i);
		if (piece->claim == event->name && piece->namespace == event->namespace)
			return true;
	}
	return false;
}

void volumes_changed(struct volumes *volumes, const struct cache_event *event)
{
	const struct pool *flights = &volumes->flights;
	if (event->kind != KUBE_PV && event->kind != KUBE_PVC && event->kind != KUBE_NODE &&
		event->kind != KUBE_CSI_NODE)
		return;
	for (uint32_t i = pool_next(flights, 0); i != 0; i = pool_next(flights, i)) {
		struct volumes_flight *flight = volumes_flight_at(volumes, i);
		bool waits = flight->state == VOLUMES_WAIT || flight->state == VOLUMES_DOUBT;
		if (waits && !flight->look && concerns(flight, event))
			volumes_look_soon(flight);
	}
}
