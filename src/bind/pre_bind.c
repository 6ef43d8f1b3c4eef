/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Orders come in, take their steps, and end.
 */
#include "bind/pre_bind.h"

#include "bind/pre_bind_private.h"

static const char no_words[] = "not enough memory to keep what the apiserver said";

/* ---- setting up ---- */

static void pre_bind_dump(const void *self)
{
	const struct pre_bind_stats stats = pre_bind_stats(self);
	check_print(
		"%u under way, %u waiting\n", (unsigned)stats.under_way, (unsigned)stats.waiting);
}

static void look_due(struct net_timer *timer, struct mono now)
{
	struct pre_bind *pre_bind = LIST_OWNER(timer, struct pre_bind, look);
	const struct pool *runs = &pre_bind->runs;
	(void)now;
	for (uint32_t i = pool_next(runs, 0); i != 0; i = pool_next(runs, i)) {
		struct pre_bind_run *run = pre_bind_run_at(pre_bind, i);
		if (!run->looks)
			continue;
		run->looks = false;
		pre_bind_step(run, PLUGIN_ANSWER_NONE);
	}
	pre_bind_send_next(pre_bind);
}

struct pre_bind *pre_bind_init(const struct pre_bind_setup *setup)
{
	struct pre_bind *pre_bind = ARENA_ARRAY(setup->arena, struct pre_bind, 1);
	CHECK(setup->orders_max > 0);
	CHECK(setup->done != NULL);
	pre_bind->setup = *setup;
	pre_bind->net = api_client_net(setup->client);
	pre_bind->calls = (struct api_caller){
		.client = setup->client, .name = "calls of plugins", .done = pre_bind_answered};
	api_caller_init(&pre_bind->calls);
	pool_init(&pre_bind->runs, setup->arena, "pods before their binding",
		sizeof(struct pre_bind_run), setup->orders_max);
	pool_init_fixed(&pre_bind->slots, setup->arena, "calls of plugins",
		sizeof(struct pre_bind_slot), PRE_BIND_CALLS);
	pre_bind->bodies = arena_take_raw(setup->arena, (size_t)PRE_BIND_CALLS * PRE_BIND_BODY_MAX);
	list_init(&pre_bind->ready);
	net_timer_init(&pre_bind->look, look_due);
	scratch_init(&pre_bind->scratch, arena_take_raw(setup->arena, PRE_BIND_SCRATCH),
		PRE_BIND_SCRATCH);
	check_register((struct check_dump){"pre-bind", pre_bind_dump, pre_bind});
	return pre_bind;
}

size_t pre_bind_size(uint32_t orders_max)
{
	return sizeof(struct pre_bind) + pool_size(sizeof(struct pre_bind_run), orders_max) +
		pool_size(sizeof(struct pre_bind_slot), PRE_BIND_CALLS) +
		(size_t)PRE_BIND_CALLS * PRE_BIND_BODY_MAX + PRE_BIND_SCRATCH + 5 * 16;
}

/* ---- messages ---- */

struct text pre_bind_message(const struct pre_bind_run *run)
{
	if (run->message == 0)
		return run->message_size == 0 ? TEXT("") : text_of(no_words);
	return (struct text){
		store_at(&run->owner->setup.cache->store, run->message), run->message_size};
}

void pre_bind_keep_message(struct pre_bind_run *run, struct text message)
{
	struct store *store = &run->owner->setup.cache->store;
	if (run->message != 0)
		store_give(store, run->message);
	run->message = message.size == 0 ? 0 : store_take(store, message.size);
	run->message_size = (uint32_t)message.size;
	if (run->message != 0)
		memcpy(store_at(store, run->message), message.at, message.size);
}

/* ---- the end of an order ---- */

void pre_bind_give_back(struct pre_bind_run *run)
{
	struct pre_bind *pre_bind = run->owner;
	struct intern *strings = &pre_bind->setup.cache->strings;
	pre_bind_drop_slot(run);
	net_timer_disarm(&run->timer);
	list_remove(&run->link);
	pre_bind_keep_message(run, TEXT(""));
	if (run->one_off != 0)
		store_give(&pre_bind->setup.cache->store, run->one_off);
	intern_give(strings, run->namespace);
	intern_give(strings, run->pod);
	pool_give(&pre_bind->runs, run->index);
}

static void pre_bind_finish(struct pre_bind_run *run, enum plugin_step step, struct text why)
{
	struct pre_bind *pre_bind = run->owner;
	char message[API_MESSAGE_MAX];
	struct pre_bind_result result = {.tag = run->points->b.tag, .step = step};
	/* A plugin's message is cut where the apiserver's would be. */
	why = text_first(why, why.size < sizeof(message) ? why.size : sizeof(message));
	if (why.size > 0)
		memcpy(message, why.at, why.size);
	result.message = (struct text){message, why.size};
	if (step == PLUGIN_STEP_DONE)
		pre_bind->stats.done++;
	else
		pre_bind->stats.failed++;
	pre_bind_give_back(run);
	pre_bind->setup.done(pre_bind->setup.self, &result);
}

/* ---- steps ---- */

static void step_wait(struct pre_bind_run *run, const struct plugin_progress *progress)
{
	struct pre_bind *pre_bind = run->owner;
	run->state = PRE_BIND_WAITS_FOR;
	run->kinds = progress->kinds;
	pre_bind->kinds |= run->kinds;
	if (progress->wait_until.us != MONO_NEVER.us)
		net_timer_arm(pre_bind->net, &run->timer, progress->wait_until);
}

void pre_bind_step(struct pre_bind_run *run, enum plugin_answer answer)
{
	struct pre_bind *pre_bind = run->owner;
	struct plugin_reasons why = {.scratch = &pre_bind->scratch};
	struct plugin_progress progress = {.answer = answer,
		.may_be_done = run->may_be_done,
		.message = pre_bind_message(run)};
	if (run->one_off != 0) {
		one_off_step(run);
		return;
	}
	if (run->state == PRE_BIND_FAILS) {
		pre_bind_finish(run, run->ends_as, progress.message);
		return;
	}
	if (!run->points->has_work) {
		pre_bind_finish(run, PLUGIN_STEP_DONE, TEXT(""));
		return;
	}
	scratch_reset(&pre_bind->scratch);
	net_timer_disarm(&run->timer);
	run->state = PRE_BIND_STEPS;
	run->points->b.now = net_now(pre_bind->net);
	run->points->b.wall = clock_wall(&pre_bind->setup.clock);
	run->points->b.scratch = &pre_bind->scratch;
	enum plugin_step step = binding_pre_bind(run->points, &progress, &why);
	if (answer != PLUGIN_ANSWER_NONE) {
		run->waits = 0;
		run->may_be_done = false;
	}
	switch (step) {
	case PLUGIN_STEP_CALL: pre_bind_call(run, &progress.call); return;
	case PLUGIN_STEP_WAIT: step_wait(run, &progress); return;
	case PLUGIN_STEP_DONE: pre_bind_finish(run, step, TEXT("")); return;
	case PLUGIN_STEP_REJECTED:
	case PLUGIN_STEP_FAILED:
		pre_bind_finish(run, step, why.count > 0 ? why.list[0] : text_of(no_words));
		return;
	}
}

void pre_bind_step_soon(struct pre_bind_run *run)
{
	struct pre_bind *pre_bind = run->owner;
	run->looks = true;
	if (!net_timer_is_armed(&pre_bind->look))
		net_timer_arm(pre_bind->net, &pre_bind->look, net_now(pre_bind->net));
}

void pre_bind_run_due(struct net_timer *timer, struct mono now)
{
	struct pre_bind_run *run = LIST_OWNER(timer, struct pre_bind_run, timer);
	struct pre_bind *pre_bind = run->owner;
	(void)now;
	if (run->state == PRE_BIND_NOMINATES || run->state == PRE_BIND_STEPS)
		pre_bind_make_ready(run, true); /* it is sent again */
	else
		pre_bind_step(run, PLUGIN_ANSWER_NONE);
	pre_bind_send_next(pre_bind);
}

void pre_bind_nominated(struct pre_bind_run *run)
{
	run->waits = 0;
	run->may_be_done = false;
	if (run->is_failing) {
		run->state = PRE_BIND_FAILS;
		pre_bind_step_soon(run);
	} else if (run->points->stage == BINDING_PERMITTED) {
		pre_bind_step(run, PLUGIN_ANSWER_NONE);
	} else {
		run->state = PRE_BIND_PERMIT;
	}
}

/* ---- what the owner of the orders says ---- */

uint32_t pre_bind_begin(struct pre_bind *pre_bind, const struct pre_bind_order *order)
{
	struct cache *cache = pre_bind->setup.cache;
	const struct cache_pod *pod = cache_pod_at(cache, order->points->b.pod);
	uint32_t index = pool_take(&pre_bind->runs);
	if (index == 0)
		return 0;
	struct pre_bind_run *run = pre_bind_run_at(pre_bind, index);
	run->owner = pre_bind;
	run->index = index;
	run->points = order->points;
	run->namespace = cache_template_of(cache, pod)->namespace;
	run->pod = pod->name;
	intern_keep(&cache->strings, run->namespace);
	intern_keep(&cache->strings, run->pod);
	list_init(&run->link);
	net_timer_init(&run->timer, pre_bind_run_due);
	pre_bind->stats.begun++;
	if (order->nominated != order->points->b.node) {
		run->state = PRE_BIND_NOMINATES;
		pre_bind_make_ready(run, false);
		pre_bind_send_next(pre_bind);
	} else if (order->points->stage == BINDING_PERMITTED) {
		run->state = PRE_BIND_STEPS;
		pre_bind_step_soon(run);
	} else {
		run->state = PRE_BIND_PERMIT;
	}
	return index;
}

void pre_bind_go_on(struct pre_bind *pre_bind, uint32_t order)
{
	struct pre_bind_run *run = pre_bind_run_at(pre_bind, order);
	CHECK(run->points->stage == BINDING_PERMITTED);
	if (run->state == PRE_BIND_PERMIT)
		pre_bind_step_soon(run);
}

void pre_bind_fail(
	struct pre_bind *pre_bind, uint32_t order, enum plugin_step step, struct text message)
{
	struct pre_bind_run *run = pre_bind_run_at(pre_bind, order);
	pre_bind_keep_message(run, message);
	run->ends_as = step;
	run->is_failing = true;
	if (run->state == PRE_BIND_NOMINATES && run->slot != 0)
		return;
	pre_bind_drop_slot(run);
	list_remove(&run->link);
	net_timer_disarm(&run->timer);
	run->state = PRE_BIND_FAILS;
	pre_bind_step_soon(run);
}

void pre_bind_cancel(struct pre_bind *pre_bind, uint32_t order)
{
	if (!pool_is_taken(&pre_bind->runs, order))
		return;
	pre_bind->stats.cancelled++;
	pre_bind_give_back(pre_bind_run_at(pre_bind, order));
	pre_bind_send_next(pre_bind);
}

void pre_bind_changed(struct pre_bind *pre_bind, const struct cache_event *event)
{
	const struct pool *runs = &pre_bind->runs;
	if ((pre_bind->kinds & PLUGIN_KIND(event->kind)) == 0)
		return;
	uint32_t kinds = 0;
	for (uint32_t i = pool_next(runs, 0); i != 0; i = pool_next(runs, i)) {
		struct pre_bind_run *run = pre_bind_run_at(pre_bind, i);
		if (run->state != PRE_BIND_WAITS_FOR)
			continue;
		kinds |= run->kinds;
		if (!run->looks && (run->kinds & PLUGIN_KIND(event->kind)) != 0 &&
			binding_concerns(run->points, event))
			pre_bind_step_soon(run);
	}
	pre_bind->kinds = kinds;
}

void pre_bind_close(struct pre_bind *pre_bind)
{
	const struct pool *runs = &pre_bind->runs;
	for (uint32_t i = pool_next(runs, 0); i != 0; i = pool_next(runs, i)) {
		pre_bind->stats.cancelled += pre_bind_run_at(pre_bind, i)->one_off == 0;
		pre_bind_give_back(pre_bind_run_at(pre_bind, i));
	}
	net_timer_disarm(&pre_bind->look);
	api_caller_close(&pre_bind->calls);
	CHECK(list_is_empty(&pre_bind->ready));
	CHECK(pool_used(&pre_bind->slots) == 0);
	budget_unregister(&pre_bind->runs.budget);
	budget_unregister(&pre_bind->slots.budget);
	check_unregister(pre_bind);
}

struct pre_bind_stats pre_bind_stats(const struct pre_bind *pre_bind)
{
	struct pre_bind_stats stats = pre_bind->stats;
	const struct pool *runs = &pre_bind->runs;
	stats.under_way = pool_used(runs);
	for (uint32_t i = pool_next(runs, 0); i != 0; i = pool_next(runs, i)) {
		stats.waiting += pre_bind_run_at(pre_bind, i)->state == PRE_BIND_WAITS_FOR;
		stats.one_off += pre_bind_run_at(pre_bind, i)->one_off != 0;
	}
	return stats;
}
