/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the choice of a node to the binding, point by point, in the profile's order.
 */
#include "cycle/binding_points.h"

#include "kube/time.h"

static const struct plugin_uses *uses_at(
	const struct binding_points *points, enum plugin_point point)
{
	return &points->b.profile->at[point];
}

void binding_begin(struct binding_points *points, const struct binding_waiting *waiting,
	const struct plugin_binding *b)
{
	CHECK(b->profile != NULL);
	CHECK(b->pod != 0 && b->node != 0);
	*points = (struct binding_points){.b = *b, .rejector = (uint8_t)PLUGIN_COUNT};
	points->b.handle = &waiting->handle;
	points->b.uid = cache_pod_at(b->cache, b->pod)->uid;
	points->b.kept = 0;
	list_init(&points->link);
}

/* Plugins must not meet another pod where theirs was. */
static void binding_look_for_pod(struct binding_points *points)
{
	struct plugin_binding *b = &points->b;
	if (b->pod == 0)
		return;
	bool is_there = pool_is_taken(&b->cache->pods, b->pod);
	if (is_there) {
		struct cache_uid uid = cache_pod_at(b->cache, b->pod)->uid;
		is_there = uid.high == b->uid.high && uid.low == b->uid.low;
	}
	if (!is_there)
		b->pod = 0;
}

/* Upstream calls every plugin's Unreserve, also of those whose Reserve was not reached. */
static void binding_unreserve(struct binding_points *points)
{
	const struct plugin_uses *uses = uses_at(points, PLUGIN_AT_RESERVE);
	struct mono since = plugin_timer_start(points->timer);
	binding_look_for_pod(points);
	for (uint32_t i = uses->count; i > 0; i--) {
		uint8_t id = uses->list[i - 1].id;
		if (plugins[id]->unreserve == NULL)
			continue;
		plugins[id]->unreserve(&points->b);
		plugin_timer_took(
			points->timer, id, PLUGIN_TIMED_UNRESERVE, PLUGIN_SUCCESS, &since);
	}
}

static void points_end(struct binding_points *points)
{
	points->stage = BINDING_ENDED;
	plugin_release(&points->b);
}

enum plugin_code binding_reserve(
	struct binding_points *points, struct cycle_state *d, struct plugin_reasons *why)
{
	CHECK(points->stage == BINDING_BEGUN);
	const struct plugin_uses *uses = uses_at(points, PLUGIN_AT_RESERVE);
	struct mono since = plugin_timer_start(points->timer);
	for (uint32_t i = 0; i < uses->count; i++) {
		const struct plugin *plugin = plugins[uses->list[i].id];
		if (plugin->reserve == NULL)
			continue;
		enum plugin_code code = plugin->reserve(d, &points->b, why);
		plugin_timer_took(points->timer, uses->list[i].id, PLUGIN_AT_RESERVE, code, &since);
		CHECK(code != PLUGIN_WAIT && code != PLUGIN_SKIP);
		if (code == PLUGIN_SUCCESS)
			continue;
		points->rejector = uses->list[i].id;
		if (code == PLUGIN_ERROR && why->count == 0 && d->error != NULL)
			plugin_because(why, d->error);
		binding_unreserve(points);
		points_end(points);
		return code;
	}
	points->stage = BINDING_RESERVED;
	return PLUGIN_SUCCESS;
}

/* ---- permit ---- */

static void binding_hold(struct binding_points *points, uint8_t id, int64_t timeout_ms)
{
	const int64_t most_ms = (int64_t)BINDING_PERMIT_MAX_S * 1000;
	bool is_given = timeout_ms > 0 && timeout_ms < most_ms;
	CHECK(points->holder_count < PLUGIN_HOLDERS_MAX);
	timeout_ms = is_given ? timeout_ms : most_ms;
	points->holders[points->holder_count++] =
		(struct binding_holder){id, timeout_ms, mono_after_ms(points->b.now, timeout_ms)};
}

enum plugin_code binding_permit(
	struct binding_points *points, struct binding_waiting *waiting, struct plugin_reasons *why)
{
	CHECK(points->stage == BINDING_RESERVED);
	const struct plugin_uses *uses = uses_at(points, PLUGIN_AT_PERMIT);
	struct mono since = plugin_timer_start(points->timer);
	for (uint32_t i = 0; i < uses->count; i++) {
		const struct plugin *plugin = plugins[uses->list[i].id];
		int64_t timeout_ms = 0;
		if (plugin->permit == NULL)
			continue;
		enum plugin_code code = plugin->permit(&points->b, &timeout_ms, why);
		plugin_timer_took(points->timer, uses->list[i].id, PLUGIN_AT_PERMIT, code, &since);
		if (code == PLUGIN_SUCCESS)
			continue;
		if (code != PLUGIN_WAIT) {
			points->rejector = uses->list[i].id;
			return code;
		}
		binding_hold(points, uses->list[i].id, timeout_ms);
	}
	if (points->holder_count == 0) {
		points->stage = BINDING_PERMITTED;
		return PLUGIN_SUCCESS;
	}
	points->stage = BINDING_WAITS;
	list_add_last(&waiting->pods, &points->link);
	return PLUGIN_WAIT;
}

/* ---- those that wait ---- */

static struct binding_points *points_of(struct list *link)
{
	return LIST_OWNER(link, struct binding_points, link);
}

static void binding_settle(
	struct binding_waiting *waiting, struct binding_points *points, enum plugin_code code)
{
	CHECK(points->stage == BINDING_WAITS);
	points->settled = code;
	points->stage = code == PLUGIN_SUCCESS ? BINDING_PERMITTED : BINDING_RESERVED;
	list_remove(&points->link);
	list_add_last(&waiting->settled, &points->link);
}

static void each_waiting(
	void *self, void (*fn)(void *arg, const struct plugin_binding *waiting), void *arg)
{
	struct binding_waiting *waiting = self;
	for (struct list *l = waiting->pods.next, *next; l != &waiting->pods; l = next) {
		struct binding_points *points = points_of(l);
		next = l->next; /* the plugin may settle this one, and no other, meanwhile */
		binding_look_for_pod(points);
		if (points->b.pod != 0)
			fn(arg, &points->b);
	}
}

/* NULL: it does not wait, or no more. */
static struct binding_points *find_waiting(const struct binding_waiting *waiting, uint64_t tag)
{
	if (waiting->find != NULL) {
		struct binding_points *points = waiting->find(waiting->owner, tag);
		return points == NULL || points->stage != BINDING_WAITS ? NULL : points;
	}
	for (struct list *l = waiting->pods.next; l != &waiting->pods; l = l->next)
		if (points_of(l)->b.tag == tag)
			return points_of(l);
	return NULL;
}

static void binding_allow(void *self, uint64_t tag, enum plugin_id plugin)
{
	struct binding_waiting *waiting = self;
	struct binding_points *points = find_waiting(waiting, tag);
	if (points == NULL)
		return;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < points->holder_count; i++)
		if (points->holders[i].plugin != plugin)
			points->holders[kept++] = points->holders[i];
	points->holder_count = kept;
	if (kept == 0)
		binding_settle(waiting, points, PLUGIN_SUCCESS);
}

static void binding_settle_refused(struct binding_waiting *waiting, struct binding_points *points,
	enum plugin_code code, uint32_t rejector, const char *message)
{
	points->rejector = (uint8_t)rejector;
	points->message = message;
	binding_settle(waiting, points, code);
}

static void binding_reject(void *self, uint64_t tag, enum plugin_id plugin, const char *message)
{
	struct binding_waiting *waiting = self;
	struct binding_points *points = find_waiting(waiting, tag);
	CHECK(plugin < PLUGIN_COUNT);
	CHECK(message != NULL);
	if (points != NULL)
		binding_settle_refused(waiting, points, PLUGIN_UNSCHEDULABLE, plugin, message);
}

static void binding_send_calls(
	void *self, const struct plugin_binding *b, const struct plugin_call *calls, uint32_t count)
{
	const struct binding_waiting *waiting = self;
	CHECK(count > 0 && count <= PLUGIN_CALLS_MAX);
	if (waiting->send != NULL)
		waiting->send(waiting->owner, b, calls, count);
}

static void binding_say_event(
	void *self, const struct plugin_binding *b, const char *reason, struct text note)
{
	const struct binding_waiting *waiting = self;
	if (waiting->event != NULL)
		waiting->event(waiting->owner, b, reason, note);
}

void binding_remove_waiting(struct binding_waiting *waiting, struct binding_points *points)
{
	binding_settle_refused(waiting, points, PLUGIN_UNSCHEDULABLE, PLUGIN_COUNT, "removed");
}

void binding_preempt_waiting(struct binding_waiting *waiting, struct binding_points *points)
{
	binding_settle_refused(waiting, points, PLUGIN_ERROR, PLUGIN_COUNT,
		"waiting on permit for pod: preempted");
}

void binding_waiting_init(struct binding_waiting *waiting)
{
	*waiting = (struct binding_waiting){
		.handle = {waiting, each_waiting, binding_allow, binding_reject, binding_send_calls,
			binding_say_event}};
	list_init(&waiting->pods);
	list_init(&waiting->settled);
}

static const struct binding_holder *first_to_end(const struct binding_points *points)
{
	const struct binding_holder *first = &points->holders[0];
	CHECK(points->holder_count > 0);
	for (uint32_t i = 1; i < points->holder_count; i++)
		if (points->holders[i].until.us < first->until.us)
			first = &points->holders[i];
	return first;
}

struct mono binding_timeout(const struct binding_points *points)
{
	return first_to_end(points)->until;
}

struct mono binding_next_timeout(const struct binding_waiting *waiting)
{
	struct mono next = MONO_NEVER;
	for (struct list *l = waiting->pods.next; l != &waiting->pods; l = l->next) {
		struct mono until = binding_timeout(points_of(l));
		next = until.us < next.us ? until : next;
	}
	return next;
}

void binding_expire(struct binding_waiting *waiting, struct mono now)
{
	for (struct list *l = waiting->pods.next, *next; l != &waiting->pods; l = next) {
		struct binding_points *points = points_of(l);
		const struct binding_holder *holder = first_to_end(points);
		next = l->next;
		if (!mono_reached(now, holder->until))
			continue;
		points->holders[0] = *holder; /* of whom the words tell */
		binding_settle_refused(waiting, points, PLUGIN_UNSCHEDULABLE, holder->plugin, NULL);
	}
}

static void binding_say_timeout(const struct binding_holder *holder, struct plugin_reasons *why)
{
	char room[32];
	struct writer w;
	writer_init(&w, room, sizeof(room));
	kube_duration_print(holder->timeout_ms * CLOCK_MS_US, &w);
	plugin_because_of(why, "rejected due to timeout after waiting %.*s at plugin %s",
		TEXT_ARGS(writer_text(&w)), plugins[holder->plugin]->name);
}

struct binding_points *binding_next_settled(
	struct binding_waiting *waiting, struct plugin_reasons *why)
{
	if (list_is_empty(&waiting->settled))
		return NULL;
	struct binding_points *points = points_of(waiting->settled.next);
	list_remove(&points->link);
	if (points->stage == BINDING_PERMITTED)
		return points;
	if (points->message != NULL)
		plugin_because(why, points->message);
	else
		binding_say_timeout(&points->holders[0], why);
	return points;
}

/* ---- pre-bind ---- */

bool binding_pre_flight(struct binding_points *points)
{
	CHECK(points->stage == BINDING_WAITS || points->stage == BINDING_PERMITTED);
	const struct plugin_uses *uses = uses_at(points, PLUGIN_AT_PRE_BIND);
	struct mono since = plugin_timer_start(points->timer);
	for (uint32_t i = 0; i < uses->count; i++) {
		uint8_t id = uses->list[i].id;
		enum plugin_code code = PLUGIN_SKIP;
		if (plugins[id]->pre_bind != NULL) {
			code = plugins[id]->pre_bind_pre_flight(&points->b);
			plugin_timer_took(points->timer, id, PLUGIN_TIMED_PRE_FLIGHT, code, &since);
		}
		if (code == PLUGIN_SKIP)
			plugin_set_add(&points->skipped, id);
		else
			points->has_work = true;
	}
	return points->has_work;
}

enum plugin_code binding_code_of(enum plugin_step step)
{
	return step == PLUGIN_STEP_DONE        ? PLUGIN_SUCCESS
		: step == PLUGIN_STEP_REJECTED ? PLUGIN_UNSCHEDULABLE
					       : PLUGIN_ERROR;
}

enum plugin_step binding_pre_bind(
	struct binding_points *points, struct plugin_progress *progress, struct plugin_reasons *why)
{
	CHECK(points->stage == BINDING_PERMITTED || points->stage == BINDING_PRE_BIND);
	CHECK(points->b.pod != 0); /* who goes is undone first */
	const struct plugin_uses *uses = uses_at(points, PLUGIN_AT_PRE_BIND);
	if (points->stage != BINDING_PRE_BIND)
		points->since = plugin_timer_start(points->timer);
	points->stage = BINDING_PRE_BIND;
	for (; points->at < uses->count; points->at++) {
		uint8_t id = uses->list[points->at].id;
		if (plugin_set_has(&points->skipped, id))
			continue;
		progress->wait_until = MONO_NEVER;
		progress->kinds = 0;
		enum plugin_step step = plugins[id]->pre_bind(&points->b, progress, why);
		if (step == PLUGIN_STEP_REJECTED || step == PLUGIN_STEP_FAILED)
			points->rejector = id;
		if (step != PLUGIN_STEP_CALL && step != PLUGIN_STEP_WAIT)
			plugin_timer_took(points->timer, id, PLUGIN_AT_PRE_BIND,
				binding_code_of(step), &points->since);
		if (step != PLUGIN_STEP_DONE)
			return step;
		*progress = (struct plugin_progress){.answer = PLUGIN_ANSWER_NONE};
	}
	points->stage = BINDING_READY;
	return PLUGIN_STEP_DONE;
}

void binding_preempt(struct binding_points *points)
{
	const struct plugin_uses *uses = uses_at(points, PLUGIN_AT_PRE_BIND);
	CHECK(points->stage == BINDING_PERMITTED || points->stage == BINDING_PRE_BIND);
	for (uint32_t i = points->at; i < uses->count; i++)
		if (!plugin_set_has(&points->skipped, uses->list[i].id)) {
			points->rejector = uses->list[i].id;
			return;
		}
}

bool binding_concerns(struct binding_points *points, const struct cache_event *event)
{
	const struct plugin_uses *uses = uses_at(points, PLUGIN_AT_PRE_BIND);
	if (points->stage != BINDING_PRE_BIND)
		return false;
	CHECK(points->at < uses->count);
	const struct plugin *plugin = plugins[uses->list[points->at].id];
	return plugin->concerns == NULL || plugin->concerns(&points->b, event);
}

/* ---- the end ---- */

void binding_bound(struct binding_points *points)
{
	CHECK(points->stage == BINDING_READY ||
		(points->stage == BINDING_PERMITTED && !points->has_work));
	const struct plugin_uses *uses = uses_at(points, PLUGIN_AT_POST_BIND);
	struct mono since = plugin_timer_start(points->timer);
	binding_look_for_pod(points);
	for (uint32_t i = 0; i < uses->count; i++) {
		uint8_t id = uses->list[i].id;
		if (plugins[id]->post_bind == NULL)
			continue;
		plugins[id]->post_bind(&points->b);
		plugin_timer_took(points->timer, id, PLUGIN_AT_POST_BIND, PLUGIN_SUCCESS, &since);
	}
	points_end(points);
}

void binding_undo(struct binding_points *points)
{
	CHECK(points->stage != BINDING_ENDED);
	list_remove(&points->link); /* it may still wait, or be settled */
	enum binding_stage stage = points->stage;
	points->stage = BINDING_RESERVED; /* no plugin finds it waiting any more */
	if (stage != BINDING_BEGUN)
		binding_unreserve(points);
	points_end(points);
}
