/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bindings: what is asked for, what the pod says of it, and how many there are at a time.
 *
 * What kube-scheduler does: one POST; whatever goes wrong with it is an error of the pod, which is
 * scheduled again, and when the binding had happened nevertheless, the watch is hoped to be faster.
 *
 * What we do: a binding that may have happened keeps its place until it is known (api/api_call.c):
 * the pod is read, and if it waits as before, the very same binding goes out again - to the same
 * node, so that the one that may still be under way does no harm.
 *
 * An extender that binds in the apiserver's place is asked the same way, and not believed either.
 * Calls that wait for certainty do not count against the window: they cost the apiserver nothing,
 * and a pod that may not be read must not stop the others. Calls that wait to be sent again do.
 */
#include "bind/binder.h"

#include "base/pool.h"
#include "bind/binder_private.h"

enum {
	BINDER_NODE_MAX = 253,
	BINDER_UID_MAX = 128,
	BINDER_BODY_MAX = 1280 /* a binding of the longest valid names */
};

struct binding {
	struct api_call call;
	struct binder *binder;
	uint32_t index; /* in the pool */
	uint64_t tag;
	struct text via_url, via_path; /* of an extender */
	struct mono started;
	size_t node_size, uid_size;
	char node[BINDER_NODE_MAX];
	char uid[BINDER_UID_MAX];
	char body[BINDER_BODY_MAX];
};

struct binder {
	struct api_client *client;
	struct net *net;
	void (*done)(void *self, const struct binder_result *result);
	void *self;
	struct pool bindings;
	struct api_caller direct, via;
	struct binder_window window;
	struct net_timer pause; /* nothing new before */
	struct binder_stats stats;
};

static struct binding *binding_of(struct api_call *call)
{
	return LIST_OWNER(call, struct binding, call);
}

/* ---- what the pod says ---- */

static const struct json_want want_pod_metadata[] = {
	{"uid", NULL}, {"deletionTimestamp", NULL}, {NULL, NULL}};
static const struct json_want want_pod_spec[] = {{"nodeName", NULL}, {NULL, NULL}};
static const struct json_want want_bound_pod[] = {
	{"kind", NULL}, {"metadata", want_pod_metadata}, {"spec", want_pod_spec}, {NULL, NULL}};

static void binding_read_pod(struct api_call *call, struct text json)
{
	const struct binding *binding = binding_of(call);
	struct json_value root;

	if (json_parse(json, api_client_scratch(call->caller->client), &root) != JSON_PARSED)
		return;
	struct text uid = json_text(json_path(root, "metadata.uid"));
	struct text node = json_text(json_path(root, "spec.nodeName"));
	bool is_ours = text_is(node, (struct text){binding->node, binding->node_size});

	if (!text_is_z(json_text(json_get(root, "kind")), "Pod") || uid.size == 0)
		return;
	if (binding->uid_size > 0 &&
		!text_is(uid, (struct text){binding->uid, binding->uid_size})) {
		api_call_explain(call, "another pod has its name: its uid is %.*s", TEXT_ARGS(uid));
		api_call_judge(call, API_GONE);
	} else if (node.size > 0 && is_ours) {
		api_call_judge(call, API_DONE);
	} else if (node.size > 0) {
		api_call_explain(call, "the pod is on node %.*s", TEXT_ARGS(node));
		api_call_judge(call, API_GONE);
	} else if (json_type(json_path(root, "metadata.deletionTimestamp")) == JSON_STRING) {
		api_call_explain(call, "the pod is being deleted");
		api_call_judge(call, API_GONE);
	} else {
		api_call_judge(call, API_RETRY);
	}
}

/* ---- what an extender says ---- */

static const struct json_want want_binding_result[] = {
	{"Error", NULL}, {"error", NULL}, {NULL, NULL}};

static void binding_read_result(struct api_call *call, struct text json)
{
	struct json_value root;

	if (json_parse(json, api_client_scratch(call->caller->client), &root) != JSON_PARSED)
		return;
	struct json_value error = json_get(root, "Error");

	if (json_type(error) == JSON_NONE)
		error = json_get(root, "error");
	api_call_judge(call, json_text(error).size > 0 ? API_CONFLICT : API_DONE);
	if (json_text(error).size > 0)
		api_call_keep_message(call, json_text(error));
}

/* In upstream's words, as far as there are some. */
static enum api_verdict binding_judge_extender(struct api_call *call)
{
	const struct binding *binding = binding_of(call);
	const struct net_answer *answer = &call->request.answer;

	if (answer->result == NET_OK && answer->status == 200 && call->is_judged)
		return call->judged;
	if (answer->result == NET_OK) {
		api_call_explain(call,
			answer->status == 200
				? "failed %.*s with extender at URL %.*s, code %u: not JSON"
				: "failed %.*s with extender at URL %.*s, code %u",
			TEXT_ARGS(text_from(binding->via_path, 1)), TEXT_ARGS(binding->via_url),
			(unsigned)answer->status);
		return API_CONFLICT;
	}
	api_call_explain(call, "Post \"%.*s\": %s: %s", TEXT_ARGS(binding->via_url),
		net_result_name(answer->result), answer->detail);
	return answer->sent ? API_UNCLEAR : API_REFUSED;
}

/* ---- answers ---- */

static void binding_throttled(struct binder *binder, const struct api_call *call, struct mono now)
{
	struct mono until = mono_after_ms(now, call->wait_ms);

	binder->stats.throttled++;
	if (call->wait_ms > 0 &&
		(!net_timer_is_armed(&binder->pause) || binder->pause.due.us < until.us))
		net_timer_arm(binder->net, &binder->pause, until);
}

/* What an answer says about the server. */
static void binding_answered(struct api_call *call, enum api_verdict verdict)
{
	struct binder *binder = binding_of(call)->binder;
	const struct net_answer *answer = &call->request.answer;
	struct mono now = net_now(binder->net);
	bool is_throttled = verdict == API_RETRY && call->wait_ms >= 0;

	if (verdict == API_DONE)
		binder_window_good(&binder->window, answer->took_us,
			binder->direct.count - binder->direct.unclear);
	if (is_throttled || (answer->result == NET_TIMEOUT && answer->sent))
		binder_window_cut(&binder->window, call->sent_at, now);
	if (is_throttled)
		binding_throttled(binder, call, now);
}

static enum binder_outcome outcome_of(enum api_verdict verdict)
{
	switch (verdict) {
	case API_DONE: return BINDER_BOUND;
	case API_GONE: return BINDER_LOST;
	case API_REFUSED: return BINDER_REFUSED;
	default: CHECK_NEVER("a binding ends when its fate is known");
	}
}

static void binding_done(struct api_call *call, enum api_verdict verdict)
{
	struct binding *binding = binding_of(call);
	struct binder *binder = binding->binder;
	char message[API_MESSAGE_MAX];
	struct binder_result result = {.tag = binding->tag,
		.outcome = outcome_of(verdict),
		.took_us = mono_since_us(net_now(binder->net), binding->started)};

	binder->stats.bound += verdict == API_DONE ? 1 : 0;
	binder->stats.lost += verdict == API_GONE ? 1 : 0;
	binder->stats.refused += verdict == API_REFUSED ? 1 : 0;
	if (verdict != API_DONE) {
		/* done() may take the binding's memory for another one. */
		memcpy(message, call->message, call->message_size);
		result.message = (struct text){message, call->message_size};
	}
	pool_give(&binder->bindings, binding->index);
	binder->done(binder->self, &result);
}

/* ---- setting up ---- */

static void binder_dump(const void *self)
{
	const struct binder_stats stats = binder_stats(self);

	check_print("bindings %u, window %u, unclear %u\n", (unsigned)stats.in_flight,
		(unsigned)stats.window, (unsigned)stats.unclear);
}

static void binder_pause_over(struct net_timer *timer, struct mono now)
{
	(void)timer;
	(void)now;
}

struct binder *binder_init(const struct binder_setup *setup)
{
	struct binder *binder = arena_take(setup->arena, sizeof(*binder));

	CHECK(setup->orders_max > 0);
	CHECK(setup->done != NULL);
	binder->client = setup->client;
	binder->net = api_client_net(setup->client);
	binder->done = setup->done;
	binder->self = setup->self;
	binder->direct = (struct api_caller){
		.client = setup->client, .done = binding_done, .answered = binding_answered};
	binder->via = (struct api_caller){
		.client = setup->client, .done = binding_done, .judge = binding_judge_extender};
	api_caller_init(&binder->direct);
	api_caller_init(&binder->via);
	pool_init_fixed(&binder->bindings, setup->arena, "bindings", sizeof(struct binding),
		setup->orders_max);
	binder_window_init(&binder->window, setup->orders_max);
	net_timer_init(&binder->pause, binder_pause_over);
	check_register((struct check_dump){"binder", binder_dump, binder});
	return binder;
}

size_t binder_size(uint32_t orders_max)
{
	return sizeof(struct binder) + pool_size(sizeof(struct binding), orders_max) + 3 * 16;
}

void binder_close(struct binder *binder)
{
	api_caller_close(&binder->direct);
	api_caller_close(&binder->via);
	net_timer_disarm(&binder->pause);
	budget_unregister(&binder->bindings.budget);
	check_unregister(binder);
}

/* ---- orders ---- */

static struct binding *binding_find(const struct binder *binder, uint64_t tag)
{
	for (uint32_t i = pool_next(&binder->bindings, 0); i != 0;
		i = pool_next(&binder->bindings, i)) {
		struct binding *binding = pool_at(&binder->bindings, i);

		if (binding->tag == tag)
			return binding;
	}
	return NULL;
}

bool binder_has_room(const struct binder *binder)
{
	return pool_used(&binder->bindings) < binder->window.max &&
		binder->direct.count - binder->direct.unclear < binder->window.size &&
		!net_timer_is_armed(&binder->pause);
}

bool binder_has_room_via(const struct binder *binder)
{
	return pool_used(&binder->bindings) < binder->window.max &&
		binder->via.count < BINDER_VIAS_MAX;
}

/* What is too long is refused, see write_binding(). */
static size_t binding_keep(struct text t, char *to, size_t size)
{
	if (t.size == 0 || t.size > size)
		return 0;
	memcpy(to, t.at, t.size);
	return t.size;
}

static bool write_binding(const void *self, struct writer *out)
{
	const struct binder_order *order = self;

	if (order->node.size == 0 || order->node.size > BINDER_NODE_MAX ||
		order->pod.uid.size > BINDER_UID_MAX)
		return false;
	if (order->via.client != NULL)
		body_extender_binding(&order->pod, order->node, out);
	else
		body_binding(&order->pod, order->node, out);
	return true;
}

void binder_bind(struct binder *binder, const struct binder_order *order)
{
	bool is_via = order->via.client != NULL;
	CHECK(is_via ? binder_has_room_via(binder) : binder_has_room(binder));
	CHECK(binding_find(binder, order->tag) == NULL);
	uint32_t index = pool_take(&binder->bindings);
	CHECK(index != 0);
	struct binding *binding = pool_at(&binder->bindings, index);

	binding->binder = binder;
	binding->index = index;
	binding->tag = order->tag;
	binding->via_url = order->via.url;
	binding->via_path = order->via.path;
	binding->started = net_now(binder->net);
	binding->node_size = binding_keep(order->node, binding->node, sizeof(binding->node));
	binding->uid_size = binding_keep(order->pod.uid, binding->uid, sizeof(binding->uid));
	if (pool_used(&binder->bindings) > binder->stats.in_flight_max)
		binder->stats.in_flight_max = pool_used(&binder->bindings);
	struct api_request request = {
		.purpose = is_via ? API_BINDING_BY_EXTENDER : API_BINDING,
		.method = NET_POST,
		.object = {"/api/v1", order->pod.namespace, "pods", order->pod.name, "binding"},
		.write = write_binding,
		.self = order,
		.room = binding->body,
		.room_size = sizeof(binding->body),
		.verify = {want_bound_pod, binding_read_pod, NULL},
	};
	if (is_via) {
		request.path = order->via.path;
		request.server = order->via.client;
		request.timeout_ms = order->via.timeout_ms;
		request.reader =
			(struct api_reader){want_binding_result, binding_read_result, NULL};
	}
	api_call_start(&binding->call, is_via ? &binder->via : &binder->direct, &request);
}

void binder_seen(struct binder *binder, uint64_t tag, bool ours)
{
	struct binding *binding = binding_find(binder, tag);

	if (binding != NULL)
		api_call_settle(&binding->call, ours ? API_DONE : API_GONE,
			"the watch saw that the pod is not ours to bind any more");
}

struct binder_stats binder_stats(const struct binder *binder)
{
	struct binder_stats stats = binder->stats;

	stats.in_flight = pool_used(&binder->bindings);
	stats.window = binder->window.size;
	stats.unclear = binder->direct.unclear + binder->via.unclear;
	stats.doubted = binder->direct.doubted + binder->via.doubted;
	stats.again = binder->direct.repeated + binder->via.repeated;
	return stats;
}
