/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Evictions: a patch, then a deletion.
 */
#include "bind/eviction.h"

#include "base/log.h"
#include "base/pool.h"
#include "bind/status_patch.h"

enum { EVICTION_BODY_MAX = 4096, EVICTION_MESSAGE_MAX = 1024 };

struct eviction {
	struct api_call call;
	struct evictor *evictor;
	uint64_t tag;
	uint32_t index;
	bool deletes; /* the call under way does */
	size_t namespace_size, name_size;
	char names[EVICTION_NAMES_MAX];
	char body[EVICTION_BODY_MAX];
};

struct evictor {
	struct evictor_setup setup;
	struct api_caller caller;
	struct pool pool;
	struct evictor_stats stats;
};

static struct text eviction_namespace(const struct eviction *eviction)
{
	return (struct text){eviction->names, eviction->namespace_size};
}

static struct text eviction_name(const struct eviction *eviction)
{
	return (struct text){eviction->names + eviction->namespace_size, eviction->name_size};
}

/* ---- requests ---- */

static enum status_patch_text eviction_write_condition(
	const struct eviction *eviction, const struct eviction_order *order, struct writer *body)
{
	char message[EVICTION_MESSAGE_MAX];
	struct body_status status = {.old = order->old, .old_count = order->old_count};
	struct writer text;

	writer_init(&text, message, sizeof(message));
	struct body_condition condition = body_disruption_target(
		status_patch_cut_message(order->preemptor_scheduler, sizeof(message) / 2),
		order->generation, &text);
	CHECK(!text.overflowed);
	status.condition = &condition;
	status.now = clock_wall(&eviction->evictor->setup.clock);
	return status_patch_write(&status, false, EVICTION_MESSAGE_MAX, body);
}

static bool refuse_body(const void *self, struct writer *out)
{
	(void)self;
	(void)out;
	return false;
}

/* A body of TEXT_NONE: it does not fit, and no request can be made of it. */
static void eviction_patch(struct eviction *eviction, struct text body)
{
	api_call_start(&eviction->call, &eviction->evictor->caller,
		&(struct api_request){.purpose = API_EVICTION_PATCH,
			.method = NET_PATCH,
			.object = {"/api/v1", eviction_namespace(eviction), "pods",
				eviction_name(eviction), "status"},
			.content_type = TEXT("application/strategic-merge-patch+json"),
			.body = body,
			.write = body.at == NULL ? refuse_body : NULL});
}

static bool write_delete_options(const void *self, struct writer *out)
{
	(void)self;
	body_delete(out);
	return true;
}

static void eviction_delete(struct eviction *eviction)
{
	eviction->deletes = true;
	api_call_start(&eviction->call, &eviction->evictor->caller,
		&(struct api_request){.purpose = API_EVICTION_DELETE,
			.method = NET_DELETE,
			.object = {"/api/v1", eviction_namespace(eviction), "pods",
				eviction_name(eviction), NULL},
			.write = write_delete_options,
			.room = eviction->body,
			.room_size = sizeof(eviction->body)});
}

static void eviction_done(struct api_call *call, enum api_verdict verdict)
{
	struct eviction *eviction = LIST_OWNER(call, struct eviction, call);
	struct evictor *evictor = eviction->evictor;
	struct eviction_result result = {.tag = eviction->tag, .verdict = verdict};
	char names[EVICTION_NAMES_MAX];

	if (verdict == API_DONE && !eviction->deletes) {
		eviction_delete(eviction);
		return;
	}
	if (verdict == API_DONE || verdict == API_GONE) {
		evictor->stats.evicted++;
	} else {
		evictor->stats.failed++;
		log_warn("bind", "eviction-failed",
			"pod=%.*s/%.*s step=%s requests=%u status=%u error=\"%.*s\"",
			TEXT_ARGS(eviction_namespace(eviction)), TEXT_ARGS(eviction_name(eviction)),
			eviction->deletes ? "delete" : "patch", (unsigned)call->sends,
			(unsigned)call->request.answer.status, TEXT_ARGS(api_call_message(call)));
	}
	/* Its place is free for another one when evicted() is called. */
	memcpy(names, eviction->names, sizeof(names));
	result.namespace = (struct text){names, eviction->namespace_size};
	result.name = (struct text){names + eviction->namespace_size, eviction->name_size};
	pool_give(&evictor->pool, eviction->index);
	evictor->setup.evicted(evictor->setup.self, &result);
}

/* ---- what callers do ---- */

struct evictor *evictor_init(const struct evictor_setup *setup)
{
	struct evictor *evictor = arena_take(setup->arena, sizeof(*evictor));

	CHECK(setup->victims_max > 0);
	CHECK(setup->evicted != NULL);
	evictor->setup = *setup;
	evictor->caller = (struct api_caller){
		.client = setup->client, .name = "evictions", .done = eviction_done};
	api_caller_init(&evictor->caller);
	pool_init_fixed(&evictor->pool, setup->arena, "evictions", sizeof(struct eviction),
		setup->victims_max);
	return evictor;
}

size_t evictor_size(uint32_t victims_max)
{
	return sizeof(struct evictor) + pool_size(sizeof(struct eviction), victims_max) + 3 * 16;
}

void evictor_close(struct evictor *evictor)
{
	api_caller_close(&evictor->caller);
	for (uint32_t i = pool_next(&evictor->pool, 0); i != 0; i = pool_next(&evictor->pool, i))
		pool_give(&evictor->pool, i);
	budget_unregister(&evictor->pool.budget);
}

uint32_t evictor_room(const struct evictor *evictor)
{
	return evictor->pool.capacity - pool_used(&evictor->pool);
}

void evictor_evict(struct evictor *evictor, const struct eviction_order *order)
{
	CHECK(evictor_room(evictor) > 0);
	uint32_t index = pool_take(&evictor->pool);
	struct eviction *eviction = pool_at(&evictor->pool, index);
	struct writer names, body;

	eviction->evictor = evictor;
	eviction->index = index;
	eviction->tag = order->tag;
	writer_init(&names, eviction->names, sizeof(eviction->names));
	write_text(&names, order->pod.namespace);
	write_text(&names, order->pod.name);
	/* Names too long for any pod there is: none, of which no request can be made. */
	eviction->namespace_size = names.overflowed ? 0 : order->pod.namespace.size;
	eviction->name_size = names.overflowed ? 0 : order->pod.name.size;
	writer_init(&body, eviction->body, sizeof(eviction->body));
	enum status_patch_text text = order->has_condition
		? STATUS_PATCH_UNCHANGED
		: eviction_write_condition(eviction, order, &body);

	if (text == STATUS_PATCH_UNCHANGED)
		eviction_delete(eviction);
	else
		eviction_patch(
			eviction, text == STATUS_PATCH_WRITTEN ? writer_text(&body) : TEXT_NONE);
}

struct evictor_stats evictor_stats(const struct evictor *evictor)
{
	struct evictor_stats stats = evictor->stats;

	stats.victims = pool_used(&evictor->pool);
	stats.retried = evictor->caller.repeated;
	return stats;
}
