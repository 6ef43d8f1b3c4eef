/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VolumeBinding after the choice of a node: claims that waited for their first consumer are bound
 * before the pod is.
 *
 * Reserve takes what the pod was promised: later decisions see the volumes as taken and the claims
 * on their way (cache/assumed.h). PreBind gives each volume its claim and each claim its node to be
 * provisioned for, one after the other, and waits until the watch shows every claim bound. Whatever
 * goes wrong gives back what was not written yet; what was written stays assumed until the watch
 * shows it, as in upstream's assume cache: it is so, we only have not seen it yet.
 *
 * What kube-scheduler does: every answer but a success is the error that the pod fails with, though
 * the write may have happened.
 *
 * What we do: the same where it is certain that nothing happened. Where it is not (silence, a
 * broken connection, 5xx, a conflict after a try that may have gone through), the watch is given
 * some time to show it, and nothing is sent again.
 */
#include "plugins/volume_bind.h"

#include "cache/assumed.h"
#include "plugins/volume_choice.h"

/* ---- reserve ---- */

static uint32_t keep_string(const struct plugin_binding *b, uint32_t string)
{
	intern_keep(&b->cache->strings, string);
	return string;
}

/* What a write will find, and what it changes there. */
static void look_at_volume(
	const struct plugin_binding *b, uint32_t index, struct volume_piece *piece)
{
	const struct cache_object *object = volume_object(b->cache, index);
	const struct kube_pv *pv = volume_blob(b->cache, index);
	bool same_name = pv->has_claim && pv->claim_name == piece->claim &&
		pv->claim_namespace == piece->namespace;
	bool same_uid = pv->claim_uid == piece->claim_uid;
	bool promised = same_name && (same_uid || pv->claim_uid == INTERN_EMPTY);
	piece->pv = object->name;
	piece->uid = pv->uid;
	piece->version = object->version;
	piece->changes = !same_name || !same_uid;
	piece->marks = !promised && !pv->bound_by_controller;
}

static void make_piece(const struct plugin_binding *b, const struct volume_choice *choice,
	struct volume_piece *piece)
{
	const struct cache_object *claim = volume_object(b->cache, choice->claim);
	const struct kube_pvc *pvc = volume_blob(b->cache, choice->claim);
	CHECK(claim->kind == KUBE_PVC);
	piece->object = choice->pv == 0 ? choice->claim : choice->pv;
	piece->namespace = claim->namespace;
	piece->claim = claim->name;
	piece->claim_uid = pvc->uid;
	piece->claim_version = claim->version;
	if (choice->pv != 0) {
		look_at_volume(b, choice->pv, piece);
	} else {
		piece->uid = pvc->uid;
		piece->version = claim->version;
		piece->changes = !pvc->has_selected_node || pvc->selected_node != b->node;
	}
	(void)keep_string(b, piece->pv);
	(void)keep_string(b, piece->uid);
	(void)keep_string(b, piece->namespace);
	(void)keep_string(b, piece->claim);
	(void)keep_string(b, piece->claim_uid);
}

/* All of it, or Unreserve gives back what was assumed so far. */
static bool assume_pieces(
	struct plugin_binding *b, struct volume_bind *bind, const struct volume_choice *choices)
{
	for (uint32_t i = 0; i < bind->count; i++) {
		struct volume_piece *piece = &bind->pieces[i];
		if (!piece->changes)
			continue;
		enum cache_result result = choices[i].pv == 0
			? cache_assume_provision(b->cache, choices[i].claim, b->node)
			: cache_assume_volume(b->cache, choices[i].pv, choices[i].claim);
		if (result != CACHE_OK)
			return false;
		piece->assumed = true;
	}
	return true;
}

enum plugin_code volume_bind_reserve(
	struct cycle_state *d, struct plugin_binding *b, struct plugin_reasons *why)
{
	const struct volume_choice *choices;
	uint32_t count;
	(void)why;
	if (d->state[PLUGIN_VOLUME_BINDING] == NULL ||
		plugin_set_has(&d->skip_filter, PLUGIN_VOLUME_BINDING))
		return PLUGIN_SUCCESS;
	enum plugin_code code =
		volume_binding_choice(d, cache_find_node_id(b->cache, b->node), &choices, &count);
	if (code == PLUGIN_ERROR || count == 0)
		return code == PLUGIN_ERROR ? PLUGIN_ERROR : PLUGIN_SUCCESS;
	struct volume_bind *bind = plugin_keep(
		b, PLUGIN_VOLUME_BINDING, sizeof(*bind) + (size_t)count * sizeof(bind->pieces[0]));
	if (bind != NULL) {
		bind->count = count;
		for (uint32_t i = 0; i < count; i++)
			make_piece(b, &choices[i], &bind->pieces[i]);
	}
	if (bind != NULL && assume_pieces(b, bind, choices))
		return PLUGIN_SUCCESS;
	return volume_failed(d, "not enough memory to bind the pod's volumes");
}

void volume_bind_unreserve(struct plugin_binding *b)
{
	struct volume_bind *bind = plugin_kept(b, PLUGIN_VOLUME_BINDING);
	for (uint32_t i = 0; bind != NULL && i < bind->count; i++) {
		struct volume_piece *piece = &bind->pieces[i];
		if (piece->assumed && !piece->written)
			cache_forget_assumed(b->cache, piece->object, piece->version);
		piece->assumed = false;
	}
}

void volume_bind_release(const struct plugin_binding *b, void *kept)
{
	struct intern *strings = &b->cache->strings;
	const struct volume_bind *bind = kept;
	for (uint32_t i = 0; i < bind->count; i++) {
		const struct volume_piece *piece = &bind->pieces[i];
		intern_give(strings, piece->pv);
		intern_give(strings, piece->uid);
		intern_give(strings, piece->namespace);
		intern_give(strings, piece->claim);
		intern_give(strings, piece->claim_uid);
	}
}

/* ---- pre-bind ---- */

enum plugin_code volume_bind_pre_flight(struct plugin_binding *b)
{
	return plugin_kept(b, PLUGIN_VOLUME_BINDING) == NULL ? PLUGIN_SKIP : PLUGIN_SUCCESS;
}

/* What a step works with. */
struct volume_step {
	struct plugin_binding *b;
	struct volume_bind *bind;
	struct plugin_progress *progress;
	struct plugin_reasons *why;
};

/* The apiserver's own words as they are: they are upstream's error. */
static enum plugin_step step_fails(const struct volume_step *s)
{
	plugin_because_of(s->why, "%.*s", TEXT_ARGS(s->progress->message));
	return PLUGIN_STEP_FAILED;
}

static enum plugin_step step_waits(const struct volume_step *s, uint32_t kinds)
{
	s->progress->kinds = kinds;
	s->progress->wait_until = s->bind->until;
	return PLUGIN_STEP_WAIT;
}

static enum plugin_step wait_for_claims(const struct volume_step *s)
{
	switch (volume_bind_check(s->b, s->bind, s->why)) {
	case VOLUME_FINE: return PLUGIN_STEP_DONE;
	case VOLUME_HOPELESS: return PLUGIN_STEP_FAILED;
	case VOLUME_NOT_YET: break;
	}
	if (mono_reached(s->b->now, s->bind->until)) {
		plugin_because(s->why, "binding volumes: context deadline exceeded");
		return PLUGIN_STEP_FAILED;
	}
	return step_waits(s,
		PLUGIN_KIND(KUBE_PV) | PLUGIN_KIND(KUBE_PVC) | PLUGIN_KIND(KUBE_NODE) |
			PLUGIN_KIND(KUBE_CSI_NODE));
}

static int64_t bind_timeout_ms(const struct plugin_binding *b)
{
	return PLUGIN_ARGS(b->profile, VOLUME_BINDING, volume_binding_args)->bind_timeout_seconds *
		1000;
}

/* The next write, or the wait for what was written. */
static enum plugin_step step_next(const struct volume_step *s)
{
	struct volume_bind *bind = s->bind;
	if (bind->at < bind->count) {
		bind->state = VOLUME_BIND_WRITE;
		s->progress->call = volume_bind_call(s->b, bind);
		return PLUGIN_STEP_CALL;
	}
	bind->state = VOLUME_BIND_WAIT;
	bind->until = mono_after_ms(s->b->now, bind_timeout_ms(s->b));
	return wait_for_claims(s);
}

static enum plugin_step step_written(const struct volume_step *s)
{
	s->bind->pieces[s->bind->at++].written = true;
	return step_next(s);
}

static enum plugin_step look_in_doubt(const struct volume_step *s)
{
	switch (volume_bind_see(s->b, &s->bind->pieces[s->bind->at])) {
	case VOLUME_OURS: return step_written(s);
	case VOLUME_OTHERS: return step_fails(s);
	case VOLUME_UNCHANGED: break;
	}
	/* The words are those of the answer that left the doubt. */
	if (mono_reached(s->b->now, s->bind->until))
		return step_fails(s);
	return step_waits(s, PLUGIN_KIND(KUBE_PV) | PLUGIN_KIND(KUBE_PVC));
}

static enum plugin_step step_doubts(const struct volume_step *s)
{
	if (!s->bind->pieces[s->bind->at].changes)
		return step_written(s); /* done or not, it is the same */
	s->bind->state = VOLUME_BIND_DOUBT;
	s->bind->until = mono_after_ms(s->b->now, VOLUME_DOUBT_MS);
	return look_in_doubt(s);
}

static enum plugin_step step_answered(const struct volume_step *s)
{
	switch (s->progress->answer) {
	case PLUGIN_ANSWER_NONE: return step_next(s);
	case PLUGIN_ANSWER_OK: return step_written(s);
	case PLUGIN_ANSWER_UNCLEAR: return step_doubts(s);
	case PLUGIN_ANSWER_CONFLICT:
	case PLUGIN_ANSWER_GONE:
		if (volume_bind_see(s->b, &s->bind->pieces[s->bind->at]) == VOLUME_OURS)
			return step_written(s);
		break;
	case PLUGIN_ANSWER_REFUSED: break;
	}
	return s->progress->may_be_done ? step_doubts(s) : step_fails(s);
}

enum plugin_step volume_bind_pre_bind(
	struct plugin_binding *b, struct plugin_progress *progress, struct plugin_reasons *why)
{
	const struct volume_step s = {b, plugin_kept(b, PLUGIN_VOLUME_BINDING), progress, why};
	CHECK(s.bind != NULL);
	switch (s.bind->state) {
	case VOLUME_BIND_WRITE: return step_answered(&s);
	case VOLUME_BIND_DOUBT: return look_in_doubt(&s);
	case VOLUME_BIND_WAIT: return wait_for_claims(&s);
	}
	CHECK_NEVER("a state of binding volumes");
}

bool volume_bind_concerns(const struct plugin_binding *b, const struct cache_event *event)
{
	const struct volume_bind *bind = plugin_kept(b, PLUGIN_VOLUME_BINDING);
	CHECK(bind != NULL);
	switch (event->kind) {
	case KUBE_NODE:
	case KUBE_CSI_NODE: return event->name == b->node;
	case KUBE_PV: return true; /* a provisioned one is known by its claim only */
	default: break;
	}
	for (uint32_t i = 0; i < bind->count; i++)
		if (bind->pieces[i].claim == event->name &&
			bind->pieces[i].namespace == event->namespace)
			return true;
	return false;
}
