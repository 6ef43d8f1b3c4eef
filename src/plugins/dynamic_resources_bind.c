/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DynamicResources after the choice of a node.
 *
 * Reserve looks for the devices again and takes them in memory (cache/devices.h): from then on
 * no other claim gets them, until the claim shows its allocation, or it is known that it never
 * will. PreBind writes claim after claim. All writes can be repeated (see
 * dynamic_resources_body.c), so one of which nothing is known is: after the watch had some time to
 * show it.
 */
#include "plugins/dynamic_resources_bind.h"

#include <string.h>

#include "base/hash.h"
#include "json/json.h"
#include "kube/time.h"

enum { ALLOCATION_MAX = 15 * 1024 /* what a call can carry */ };

static enum plugin_code reserve_fails(struct cycle_state *d, const char *error)
{
	d->error = error;
	return PLUGIN_ERROR;
}

/* ---- reserve ---- */

static bool keep_text(struct plugin_binding *b, struct text t, uint32_t *id)
{
	return t.at != NULL && intern_take(&b->cache->strings, t, id);
}

static uint32_t keep_id(const struct plugin_binding *b, uint32_t id)
{
	intern_keep(&b->cache->strings, id);
	return id;
}

/* When the devices were chosen, from which on binding conditions have their time. */
static void stamp_allocation(const struct dra_run *run, struct wall now, struct writer *out)
{
	if (!run->features.binding_conditions || now.us == 0 || out->overflowed)
		return;
	CHECK(out->used > 2 && out->at[out->used - 1] == '}');
	out->used--;
	write_z(out, ",\"allocationTimestamp\":\"");
	kube_time_print(now, out);
	write_z(out, "\"}");
}

/* The allocation becomes a fact that counts. */
static bool take_devices(struct cycle_state *d, struct plugin_binding *b,
	const struct devices_state *state, uint32_t asked, const struct dra_result *result,
	uint32_t object, struct devices_piece *piece)
{
	const struct cache_node *node =
		cache_node_at(b->cache, cache_find_node_id(b->cache, b->node));
	char *bytes = scratch_take(d->scratch, ALLOCATION_MAX);
	struct json_value json;
	struct writer out;
	if (bytes == NULL)
		return false;
	writer_init(&out, bytes, ALLOCATION_MAX);
	dra_write_allocation(&state->run, &state->asked[asked], result->picks[asked],
		result->count[asked], node, &out);
	stamp_allocation(&state->run, b->wall, &out);
	if (out.overflowed || json_parse(writer_text(&out), d->scratch, &json) != JSON_PARSED)
		return false;
	struct kube_build build;
	kube_build_init(&build, &b->cache->strings, d->scratch);
	const struct kube_allocated *allocated = kube_allocated_build(&build, json);
	if (allocated == NULL)
		return false;
	const struct devices_bind *bind = plugin_kept(b, PLUGIN_DYNAMIC_RESOURCES);
	piece->pending =
		cache_pending_add(b->cache, object, bind->namespace, piece->name, allocated);
	if (piece->pending != 0)
		piece->serial = cache_pending_at(b->cache, piece->pending)->serial;
	return piece->pending != 0;
}

static void make_devices_piece(
	struct plugin_binding *b, const struct devices_claim *claim, struct devices_piece *piece)
{
	const struct kube_claim *facts = claim->facts;
	*piece = (struct devices_piece){.name = keep_id(b, facts->name),
		.uid = keep_id(b, facts->uid),
		.has_finalizer = facts->has_finalizer != 0,
		.is_reserved = devices_is_reserved(b->cache, facts, b->uid)};
}

/*
 * The name that the claim of a pod's extended resources gets: always the same for the same pod, so
 * that it is made once, whatever becomes of the answer.
 */
static bool make_extended(struct cycle_state *d, struct plugin_binding *b,
	const struct dra_extended *extended, struct devices_piece *piece)
{
	char bytes[256];
	struct writer w;
	const struct text tail = TEXT("-extended-resources-");
	struct text name = text_first(d->pod.name,
		d->pod.name.size < 253 - tail.size - 8 ? d->pod.name.size : 253 - tail.size - 8);
	writer_init(&w, bytes, sizeof(bytes));
	write_text(&w, name);
	write_text(&w, tail);
	write_format(&w, "%08x",
		(unsigned)hash_more(
			(uint32_t)(b->uid.high ^ b->uid.low), (uint32_t)(b->uid.low >> 32)));
	return keep_text(b, writer_text(&w), &piece->name) &&
		keep_text(b, devices_write_spec(d->scratch, b->cache, extended, false),
			&piece->spec) &&
		keep_text(b, devices_write_spec(d->scratch, b->cache, extended, true),
			&piece->mappings);
}

static bool make_pieces(struct cycle_state *d, struct plugin_binding *b,
	struct devices_state *state, const struct dra_extended *extended,
	const struct dra_result *result)
{
	struct devices_bind *bind = plugin_kept(b, PLUGIN_DYNAMIC_RESOURCES);
	for (uint32_t i = 0; i < state->claim_count; i++)
		make_devices_piece(b, &state->claims[i], &bind->pieces[i]);
	for (uint32_t i = 0; i < state->asked_count; i++) {
		uint32_t at = state->asked_of[i];
		if (!take_devices(
			    d, b, state, i, result, state->claims[at].object, &bind->pieces[at]))
			return false;
	}
	if (extended->claim.request_count == 0)
		return true;
	struct devices_piece *piece = &bind->pieces[state->claim_count];
	return make_extended(d, b, extended, piece) &&
		take_devices(d, b, state, state->asked_count, result, 0, piece);
}

enum plugin_code devices_reserve(
	struct cycle_state *d, struct plugin_binding *b, struct plugin_reasons *why)
{
	struct devices_state *state = d->state[PLUGIN_DYNAMIC_RESOURCES];
	struct dra_extended extended;
	struct dra_result result = {0};
	if (state == NULL || plugin_set_has(&d->skip_filter, PLUGIN_DYNAMIC_RESOURCES))
		return PLUGIN_SUCCESS;
	const struct cache_node *node =
		cache_node_at(b->cache, cache_find_node_id(b->cache, b->node));
	(void)why;
	if (!devices_extend(d, state, node, &extended))
		return reserve_fails(d, "out of memory");
	uint32_t count = state->claim_count + (extended.claim.request_count > 0);
	if (count == 0)
		return PLUGIN_SUCCESS;
	state->run.steps = DEVICES_TIMEOUT_MAX_MS * DRA_STEPS_PER_MS;
	if (state->run.claim_count > 0 && dra_allocate(&state->run, node, &result) != DRA_FITS)
		return reserve_fails(d, "claim allocation not found for node");
	struct devices_bind *bind = plugin_keep(b, PLUGIN_DYNAMIC_RESOURCES,
		sizeof(*bind) + (size_t)count * sizeof(bind->pieces[0]));
	if (bind == NULL)
		return reserve_fails(d, "not enough memory to allocate the pod's claims");
	bind->count = count;
	bind->step = state->claim_count == 0 ? DEVICES_CREATE : DEVICES_FINALIZER;
	bind->namespace = keep_id(b, d->pod.class->namespace);
	bind->pod_name = keep_id(b, cache_pod_at(b->cache, b->pod)->name);
	return make_pieces(d, b, state, &extended, &result)
		? PLUGIN_SUCCESS
		: reserve_fails(d, "not enough memory to allocate the pod's claims");
}

/* On a node by what the apiserver says: its claims are its own. */
static bool is_bound_by_now(const struct plugin_binding *b)
{
	const struct cache_pod *pod = b->pod == 0 ? NULL : cache_pod_at(b->cache, b->pod);
	return pod != NULL && pod->node != 0 && (pod->flags & CACHE_POD_ASSUMED) == 0;
}

/* What was sent, and not refused, counts until the watch says what became of it. */
void devices_unreserve(struct plugin_binding *b)
{
	struct devices_bind *bind = plugin_kept(b, PLUGIN_DYNAMIC_RESOURCES);
	for (uint32_t i = 0; bind != NULL && i < bind->count; i++) {
		struct devices_piece *piece = &bind->pieces[i];
		if (!piece->is_sent)
			cache_pending_drop(b->cache, piece->pending, piece->serial);
		if ((piece->is_sent || piece->is_reserved) && !is_bound_by_now(b))
			devices_take_back(b, piece);
	}
}

void devices_release(const struct plugin_binding *b, void *kept)
{
	struct intern *strings = &b->cache->strings;
	const struct devices_bind *bind = kept;
	for (uint32_t i = 0; i < bind->count; i++) {
		cache_pending_leave(b->cache, bind->pieces[i].pending, bind->pieces[i].serial);
		intern_give(strings, bind->pieces[i].name);
		intern_give(strings, bind->pieces[i].uid);
		intern_give(strings, bind->pieces[i].spec);
		intern_give(strings, bind->pieces[i].mappings);
	}
	intern_give(strings, bind->namespace);
	intern_give(strings, bind->pod_name);
}

/* ---- pre-bind ---- */

enum plugin_code devices_pre_flight(struct plugin_binding *b)
{
	return plugin_kept(b, PLUGIN_DYNAMIC_RESOURCES) == NULL ? PLUGIN_SKIP : PLUGIN_SUCCESS;
}

struct devices_work {
	struct plugin_binding *b;
	struct devices_bind *bind;
	struct plugin_progress *progress;
	struct plugin_reasons *why;
};

/* The claim as the watch shows it; NULL: it is gone, or another one. */
static const struct kube_claim *shown(
	const struct devices_work *w, const struct devices_piece *piece)
{
	const struct kube_claim *claim = cache_object_blob(
		w->b->cache, KUBE_RESOURCE_CLAIM, w->bind->namespace, piece->name);
	bool is_it = claim != NULL &&
		(piece->uid == 0 ? devices_uid_is(w->b->cache, w->b->uid, claim->owner_uid)
				 : claim->uid == piece->uid);
	return is_it ? claim : NULL;
}

static enum plugin_step work_waits(const struct devices_work *w)
{
	w->progress->kinds = PLUGIN_KIND(KUBE_RESOURCE_CLAIM);
	w->progress->wait_until = w->bind->until;
	return PLUGIN_STEP_WAIT;
}

static enum plugin_step work_fails(const struct devices_work *w, const char *what)
{
	plugin_because_of(w->why, "%s%.*s", what, TEXT_ARGS(w->progress->message));
	return PLUGIN_STEP_FAILED;
}

/* ---- binding conditions ---- */

static int64_t wait_for_devices_us(const struct plugin_binding *b)
{
	return PLUGIN_ARGS(b->profile, DYNAMIC_RESOURCES, dynamic_resources_args)
		->binding_timeout_us;
}

/* Not yet: also when the watch does not show the allocation that was written. */
static bool waits_for_conditions(const struct devices_work *w, const struct devices_piece *piece)
{
	const struct kube_claim *claim = shown(w, piece);
	if (claim == NULL || claim->allocated != 0)
		return claim != NULL && devices_have_conditions(&claim->allocation, claim);
	const struct cache_pending *pending =
		cache_pending_find(w->b->cache, piece->pending, piece->serial);
	return pending != NULL &&
		devices_have_conditions(&pending->allocated->allocation, pending->allocated);
}

/* As kube-scheduler says it once, whether there is anything to wait for by now or not. */
static void begin_waiting(const struct devices_work *w)
{
	char note[512];
	struct writer out;
	const struct plugin_binding *b = w->b;
	w->bind->is_begun = true;
	w->bind->until = mono_after_ms(b->now, wait_for_devices_us(b) / CLOCK_MS_US);
	writer_init(&out, note, sizeof(note));
	write_format(&out, "waiting for binding conditions for device on node %.*s",
		TEXT_ARGS(cache_text(b->cache, b->node)));
	b->handle->event(b->handle->self, b, "BindingConditionsPending", writer_text(&out));
}

/* Of a claim with conditions: PLUGIN_STEP_DONE, FAILED, or WAIT. */
static enum plugin_step look_at_conditions(
	const struct devices_work *w, const struct kube_claim *claim)
{
	const struct kube_device_condition *failed = NULL;
	const struct cache *cache = w->b->cache;
	if (claim->allocated != 0 && devices_are_bound(claim, &failed))
		return PLUGIN_STEP_DONE;
	if (failed != NULL) {
		plugin_because_of(w->why,
			"device binding failed: claim=%.*s, reason=%.*s, message=\"%.*s\"",
			TEXT_ARGS(cache_text(cache, claim->name)),
			TEXT_ARGS(cache_text(cache, failed->reason)),
			TEXT_ARGS(cache_text(cache, failed->message)));
		return PLUGIN_STEP_FAILED;
	}
	if (claim->allocated == 0 ||
		!devices_are_late(&claim->allocation, claim, wait_for_devices_us(w->b), w->b->wall))
		return PLUGIN_STEP_WAIT;
	plugin_because_of(w->why, "device binding timeout: claim=%.*s",
		TEXT_ARGS(cache_text(cache, claim->name)));
	return PLUGIN_STEP_FAILED;
}

static enum plugin_step wait_for_conditions(const struct devices_work *w)
{
	enum plugin_step step = PLUGIN_STEP_DONE;
	for (uint32_t i = 0; i < w->bind->count && step == PLUGIN_STEP_DONE; i++) {
		const struct devices_piece *piece = &w->bind->pieces[i];
		if (w->bind->is_begun && shown(w, piece) == NULL) {
			plugin_because_of(w->why, "resourceclaim \"%.*s\" not found",
				TEXT_ARGS(cache_text(w->b->cache, piece->name)));
			return PLUGIN_STEP_FAILED;
		}
		if (!waits_for_conditions(w, piece))
			continue;
		if (!w->bind->is_begun)
			begin_waiting(w);
		step = look_at_conditions(w, shown(w, piece));
	}
	if (step != PLUGIN_STEP_WAIT)
		return step;
	if (mono_reached(w->b->now, w->bind->until)) {
		plugin_because(w->why, "device binding timeout: context deadline exceeded");
		return PLUGIN_STEP_FAILED;
	}
	w->progress->kinds = PLUGIN_KIND(KUBE_RESOURCE_CLAIM);
	/* What was allocated before may be late before that. */
	w->progress->wait_until =
		mono_earlier(w->bind->until, mono_after_ms(w->b->now, DEVICES_POLL_MS));
	return PLUGIN_STEP_WAIT;
}

/* ---- one write after the other ---- */

static enum plugin_step work_calls(const struct devices_work *w)
{
	if (w->bind->step == DEVICES_CREATE || w->bind->step == DEVICES_STATUS)
		w->bind->pieces[w->bind->at].is_sent = true;
	w->progress->call = devices_call(w->b, w->bind);
	return PLUGIN_STEP_CALL;
}

static void next_piece(const struct devices_work *w)
{
	struct devices_bind *bind = w->bind;
	bind->at++;
	bind->step = bind->at < bind->count && bind->pieces[bind->at].uid == 0 ? DEVICES_CREATE
									       : DEVICES_FINALIZER;
}

/* The allocation is still on its way; or it is there, and is for the pod. */
static bool is_ours(const struct devices_work *w, const struct devices_piece *piece)
{
	const struct kube_claim *claim = shown(w, piece);
	return cache_pending_find(w->b->cache, piece->pending, piece->serial) != NULL ||
		(claim != NULL && devices_is_reserved(w->b->cache, claim, w->b->uid));
}

/* What there is to do now: a write, a wait, or nothing more. */
static enum plugin_step work_on(const struct devices_work *w)
{
	struct devices_bind *bind = w->bind;
	while (bind->at < bind->count) {
		struct devices_piece *piece = &bind->pieces[bind->at];
		if (bind->step == DEVICES_CREATE)
			return work_calls(w);
		if (bind->step == DEVICES_SHOWN) {
			if (shown(w, piece) == NULL) {
				if (mono_reached(w->b->now, bind->until))
					return work_fails(w,
						"the claim for extended resources "
						"does not appear");
				return work_waits(w);
			}
			bind->step = DEVICES_FINALIZER;
		}
		if (piece->is_reserved && piece->pending == 0) {
			next_piece(w);
			continue;
		}
		if (bind->step == DEVICES_FINALIZER &&
			(piece->has_finalizer || piece->pending == 0))
			bind->step = DEVICES_STATUS;
		if (piece->pending != 0 && !is_ours(w, piece))
			return work_fails(w, "claim was allocated elsewhere ");
		return work_calls(w);
	}
	const struct devices_piece *last = &bind->pieces[bind->count - 1];
	if (last->spec != 0 && bind->step != DEVICES_BOUND) {
		bind->step = DEVICES_POD;
		return work_calls(w);
	}
	bind->step = DEVICES_BOUND;
	return wait_for_conditions(w);
}

/* The write is done. */
static enum plugin_step work_written(const struct devices_work *w)
{
	struct devices_bind *bind = w->bind;
	bind->tries = 0;
	bind->in_doubt = false;
	switch (bind->step) {
	case DEVICES_CREATE:
		bind->pieces[bind->at].is_made = true;
		bind->step = DEVICES_SHOWN;
		bind->until = mono_after_ms(w->b->now, DEVICES_DOUBT_MS);
		break;
	case DEVICES_FINALIZER: bind->step = DEVICES_STATUS; break;
	case DEVICES_STATUS:
		bind->pieces[bind->at].is_written = true;
		next_piece(w);
		break;
	default: bind->step = DEVICES_BOUND; break;
	}
	return work_on(w);
}

/* Does the watch show it? */
static bool is_seen(const struct devices_work *w)
{
	const struct devices_piece *piece =
		w->bind->at < w->bind->count ? &w->bind->pieces[w->bind->at] : NULL;
	const struct kube_claim *claim = piece == NULL ? NULL : shown(w, piece);
	if (claim == NULL)
		return false;
	switch (w->bind->step) {
	case DEVICES_CREATE: return true;
	case DEVICES_FINALIZER: return claim->has_finalizer != 0;
	case DEVICES_STATUS: return devices_is_reserved(w->b->cache, claim, w->b->uid);
	default: return false;
	}
}

static enum plugin_step devices_in_doubt(const struct devices_work *w)
{
	if (is_seen(w))
		return work_written(w);
	if (!mono_reached(w->b->now, w->bind->until))
		return work_waits(w);
	if (++w->bind->tries == DEVICES_TRIES)
		return work_fails(w, "");
	w->bind->in_doubt = false;
	return work_on(w);
}

/* Nothing came of it, if no earlier try did. */
static void work_refused(const struct devices_work *w)
{
	struct devices_bind *bind = w->bind;
	if (bind->at < bind->count && bind->tries == 0 && !w->progress->may_be_done &&
		(bind->step == DEVICES_CREATE || bind->step == DEVICES_STATUS))
		bind->pieces[bind->at].is_sent = bind->pieces[bind->at].is_made;
}

static enum plugin_step work_answered(const struct devices_work *w)
{
	switch (w->progress->answer) {
	case PLUGIN_ANSWER_NONE: return work_on(w);
	case PLUGIN_ANSWER_OK: return work_written(w);
	case PLUGIN_ANSWER_UNCLEAR:
		w->bind->in_doubt = true;
		w->bind->until = mono_after_ms(w->b->now, DEVICES_DOUBT_MS);
		return devices_in_doubt(w);
	case PLUGIN_ANSWER_CONFLICT:
		/* It is there already, by an earlier try of ours: only we use the name. */
		if (w->bind->step == DEVICES_CREATE)
			return work_written(w);
		break;
	default: break;
	}
	if (is_seen(w))
		return work_written(w);
	work_refused(w);
	return work_fails(w, "");
}

enum plugin_step devices_pre_bind(
	struct plugin_binding *b, struct plugin_progress *progress, struct plugin_reasons *why)
{
	const struct devices_work w = {b, plugin_kept(b, PLUGIN_DYNAMIC_RESOURCES), progress, why};
	CHECK(w.bind != NULL);
	return w.bind->in_doubt ? devices_in_doubt(&w) : work_answered(&w);
}

bool devices_concerns(const struct plugin_binding *b, const struct cache_event *event)
{
	const struct devices_bind *bind = plugin_kept(b, PLUGIN_DYNAMIC_RESOURCES);
	CHECK(bind != NULL);
	for (uint32_t i = 0; i < bind->count; i++)
		if (bind->pieces[i].name == event->name && bind->namespace == event->namespace)
			return true;
	return false;
}
