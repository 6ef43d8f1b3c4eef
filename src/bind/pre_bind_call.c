/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls, one at a time for each order, and what their answers mean.
 *
 * What kube-scheduler does: 429 and 5xx with a Retry-After are sent again, ten times; all else is
 * an answer.
 *
 * What we do: the same, and the plugin is told whether a try before may have been carried out. A
 * call that waits for its turn is not kept: the plugin is asked again when it has it, and says what
 * is to be done by then. A failure of the nomination is logged and nothing else.
 */
#include "base/log.h"
#include "bind/pre_bind_private.h"
#include "kube/object.h"

static struct text run_text(const struct pre_bind_run *run, uint32_t string)
{
	return cache_text(run->owner->setup.cache, string);
}

/* ---- turns ---- */

void pre_bind_make_ready(struct pre_bind_run *run, bool first)
{
	CHECK(run->state == PRE_BIND_NOMINATES || run->state == PRE_BIND_STEPS);
	CHECK(list_is_empty(&run->link));
	if (first)
		list_add_first(&run->owner->ready, &run->link);
	else
		list_add_last(&run->owner->ready, &run->link);
}

/* Of the run's namespace there are as many calls as it may have. */
static bool peers_have_their_share(const struct pre_bind_run *run)
{
	const struct pre_bind *pre_bind = run->owner;
	uint32_t count = 0;
	for (uint32_t i = pool_next(&pre_bind->slots, 0); i != 0;
		i = pool_next(&pre_bind->slots, i)) {
		const struct pre_bind_slot *slot = pool_at(&pre_bind->slots, i);
		count += pre_bind_run_at(pre_bind, slot->run)->namespace == run->namespace;
	}
	return count >= PRE_BIND_CALLS_OF_A_PEER;
}

static struct pre_bind_run *next_ready(const struct pre_bind *pre_bind)
{
	for (struct list *l = pre_bind->ready.next; l != &pre_bind->ready; l = l->next) {
		struct pre_bind_run *run = LIST_OWNER(l, struct pre_bind_run, link);
		if (!peers_have_their_share(run))
			return run;
	}
	return NULL;
}

/* ---- sending ---- */

static bool write_nomination(const void *self, struct writer *out)
{
	const struct pre_bind_run *run = self;
	const struct body_status status = {
		.set_nominated = true,
		.nominated = run_text(run, run->points->b.node),
		.old_nominated = TEXT(""), /* it is another one, or nothing would be sent */
	};
	return body_status_patch(&status, out);
}

static bool write_call_body(const void *self, struct writer *out)
{
	const struct pre_bind_slot *slot = self;
	if (slot->write_body != NULL)
		return slot->write_body(&pre_bind_run_at(slot->owner, slot->run)->points->b, out);
	write_text(out, slot->body);
	return !out->overflowed;
}

static struct pre_bind_slot *take_slot(struct pre_bind_run *run)
{
	struct pre_bind *pre_bind = run->owner;
	CHECK(run->slot == 0);
	run->slot = pool_take(&pre_bind->slots);
	CHECK(run->slot != 0); /* asked for before */
	struct pre_bind_slot *slot = pool_at(&pre_bind->slots, run->slot);
	slot->owner = pre_bind;
	slot->index = run->slot;
	slot->run = run->index;
	return slot;
}

static void start_call(struct pre_bind_slot *slot, struct api_request request)
{
	struct pre_bind *pre_bind = slot->owner;
	request.purpose = API_PLUGIN_CALL;
	request.room = pre_bind->bodies + (size_t)(slot->index - 1) * PRE_BIND_BODY_MAX;
	request.room_size = PRE_BIND_BODY_MAX;
	api_call_start(&slot->call, &pre_bind->calls, &request);
}

static void send_nomination(struct pre_bind_run *run)
{
	start_call(take_slot(run),
		(struct api_request){.method = NET_PATCH,
			.object = {"/api/v1", run_text(run, run->namespace), "pods",
				run_text(run, run->pod), "status"},
			.content_type = TEXT("application/strategic-merge-patch+json"),
			.write = write_nomination,
			.self = run});
}

static enum net_method method_of(enum plugin_verb verb)
{
	switch (verb) {
	case PLUGIN_PUT: return NET_PUT;
	case PLUGIN_PATCH:
	case PLUGIN_STRATEGIC_PATCH: return NET_PATCH;
	case PLUGIN_POST: return NET_POST;
	case PLUGIN_DELETE: return NET_DELETE;
	}
	CHECK_NEVER("a verb of plugins");
}

static struct text type_of(enum plugin_verb verb)
{
	return verb == PLUGIN_PATCH              ? TEXT("application/merge-patch+json")
		: verb == PLUGIN_STRATEGIC_PATCH ? TEXT("application/strategic-merge-patch+json")
						 : TEXT_NONE;
}

/* "/api/v1", "/apis/resource.k8s.io/v1" */
static void write_api_group(
	const struct pre_bind *pre_bind, enum kube_kind kind, char *room, size_t size)
{
	const struct pre_bind_setup *setup = &pre_bind->setup;
	const char *version = setup->version_of == NULL ? "" : setup->version_of(setup->self, kind);
	if (*version == '\0')
		version = kube_kinds[kind].api_version;
	struct writer w;
	writer_init(&w, room, size - 1);
	write_z(&w, strchr(version, '/') == NULL ? "/api/" : "/apis/");
	write_z(&w, version);
	CHECK(!w.overflowed);
	room[w.used] = '\0';
}

void pre_bind_call(struct pre_bind_run *run, const struct plugin_call *call)
{
	struct pre_bind *pre_bind = run->owner;
	if (pool_used(&pre_bind->slots) == PRE_BIND_CALLS || peers_have_their_share(run)) {
		pre_bind_make_ready(run, false);
		return;
	}
	const struct kube_kind_row *kind = &kube_kinds[call->kind];
	struct pre_bind_slot *slot = take_slot(run);
	slot->write_body = call->write_body;
	slot->body = call->body;
	write_api_group(pre_bind, call->kind, slot->group, sizeof(slot->group));
	start_call(slot,
		(struct api_request){.method = method_of(call->verb),
			.object = {slot->group, kind->namespaced ? call->namespace : TEXT_NONE,
				kind->plural, call->name.size > 0 ? call->name : TEXT_NONE,
				call->subresource},
			.content_type = type_of(call->verb),
			.write = call->write_body == NULL && call->body.size == 0 ? NULL
										  : write_call_body,
			.self = slot});
}

void pre_bind_send_next(struct pre_bind *pre_bind)
{
	struct pre_bind_run *run;
	while (pool_used(&pre_bind->slots) < PRE_BIND_CALLS &&
		(run = next_ready(pre_bind)) != NULL) {
		list_remove(&run->link);
		if (run->state == PRE_BIND_NOMINATES)
			send_nomination(run);
		else
			pre_bind_step(run, PLUGIN_ANSWER_NONE);
	}
}

void pre_bind_drop_slot(struct pre_bind_run *run)
{
	struct pre_bind *pre_bind = run->owner;
	if (run->slot == 0)
		return;
	struct pre_bind_slot *slot = pool_at(&pre_bind->slots, run->slot);
	api_call_cancel(&slot->call);
	pool_give(&pre_bind->slots, run->slot);
	run->slot = 0;
}

/* ---- answers ---- */

static enum plugin_answer plugin_answer_of(enum api_verdict verdict)
{
	switch (verdict) {
	case API_DONE: return PLUGIN_ANSWER_OK;
	case API_CONFLICT: return PLUGIN_ANSWER_CONFLICT;
	case API_GONE: return PLUGIN_ANSWER_GONE;
	case API_UNCLEAR: return PLUGIN_ANSWER_UNCLEAR;
	case API_RETRY:
	case API_REFUSED: break;
	}
	return PLUGIN_ANSWER_REFUSED;
}

static void nomination_answered(struct pre_bind_run *run, enum api_verdict verdict)
{
	if (verdict != API_DONE)
		log_warn("bind", "nomination-failed", "pod=%.*s/%.*s node=%.*s error=\"%.*s\"",
			TEXT_ARGS(run_text(run, run->namespace)),
			TEXT_ARGS(run_text(run, run->pod)),
			TEXT_ARGS(run_text(run, run->points->b.node)),
			TEXT_ARGS(pre_bind_message(run)));
	pre_bind_nominated(run);
}

static void plugin_call_answered(
	struct pre_bind_run *run, enum api_verdict verdict, uint16_t status, int64_t wait_ms)
{
	struct pre_bind *pre_bind = run->owner;
	bool is_nomination = run->state == PRE_BIND_NOMINATES;
	if (verdict == API_RETRY && wait_ms >= 0 && run->waits < PRE_BIND_WAITS &&
		!run->is_failing) {
		run->may_be_done |= status != 429;
		run->waits++;
		net_timer_arm(
			pre_bind->net, &run->timer, mono_after_ms(net_now(pre_bind->net), wait_ms));
		return;
	}
	if (is_nomination) {
		nomination_answered(run, verdict);
		return;
	}
	if (run->one_off != 0) {
		one_off_answered(run, verdict);
		return;
	}
	pre_bind->stats.written += verdict == API_DONE;
	pre_bind->stats.conflicts += verdict == API_CONFLICT || verdict == API_GONE;
	pre_bind->stats.unclear += verdict == API_UNCLEAR;
	pre_bind_step(run, plugin_answer_of(verdict));
}

void pre_bind_answered(struct api_call *call, enum api_verdict verdict)
{
	struct pre_bind_slot *slot = LIST_OWNER(call, struct pre_bind_slot, call);
	struct pre_bind *pre_bind = slot->owner;
	struct pre_bind_run *run = pre_bind_run_at(pre_bind, slot->run);
	CHECK(run->slot == slot->index);
	uint16_t status = call->request.answer.status;
	int64_t wait_ms = call->wait_ms;
	/* While it fails its message is why. */
	if (!run->is_failing)
		pre_bind_keep_message(run, verdict == API_DONE ? TEXT("") : api_call_message(call));
	run->slot = 0;
	pool_give(&pre_bind->slots, slot->index);
	plugin_call_answered(run, verdict, status, wait_ms);
	pre_bind_send_next(pre_bind);
}
