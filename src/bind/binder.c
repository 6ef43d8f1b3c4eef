/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Orders come in; memory, numbers.
 *
 * Whoever waits for certainty does not count against the window: it keeps nobody busy, and a pod
 * that may not be read must not stop the others. Whoever waits to be sent again does.
 */
#include "bind/binder.h"

#include "bind/binder_private.h"

static const struct net_backoff backoff = {
	.first_ms = 100, .max_ms = 20000, .reset_ms = 3600 * 1000, .jitter_percent = 50};

/* Slots of a pool keep the alignment that their size has. */
static size_t cut_slot(void)
{
	return (json_cut_size(BINDER_PIECE_MAX) + 15) / 16 * 16;
}

static void pause_over(struct net_timer *timer, struct mono now)
{
	(void)timer;
	(void)now;
}

static void dump(const void *self)
{
	const struct binder *binder = self;

	check_print("%u in flight, window %u, unclear %u\n", (unsigned)pool_used(&binder->flights),
		(unsigned)binder->window.size, (unsigned)binder->stats.unclear);
}

struct binder *binder_init(const struct binder_setup *setup)
{
	struct binder *binder = arena_take(setup->arena, sizeof(*binder));
	uint64_t seed = 1;

	CHECK(setup->orders_max > 0);
	CHECK(setup->done != NULL);
	binder->net = setup->net;
	binder->client = setup->client;
	binder->may_write = setup->may_write;
	binder->done = setup->done;
	binder->self = setup->self;
	/* Without entropy jitter is merely the same for each start. */
	(void)setup->entropy.fill(setup->entropy.self, &seed, sizeof(seed));
	random_init(&binder->random, seed);
	pool_init(&binder->flights, setup->arena, "bindings", sizeof(struct binder_flight),
		setup->orders_max);
	pool_init(&binder->cuts, setup->arena, "binding answers", cut_slot(), setup->orders_max);
	list_init(&binder->in_flight);
	scratch_init(
		&binder->scratch, arena_take_raw(setup->arena, BINDER_SCRATCH), BINDER_SCRATCH);
	binder_window_init(&binder->window, setup->orders_max);
	net_timer_init(&binder->pause, pause_over);
	check_register((struct check_dump){"binder", dump, binder});
	return binder;
}

size_t binder_size(uint32_t orders_max)
{
	return sizeof(struct binder) + pool_size(sizeof(struct binder_flight), orders_max) +
		pool_size(cut_slot(), orders_max) + BINDER_SCRATCH + 6 * 16;
}

static struct binder_flight *flight_of(struct list *link)
{
	return LIST_OWNER(link, struct binder_flight, link);
}

void binder_close(struct binder *binder)
{
	struct list *link;

	while ((link = list_first(&binder->in_flight)) != NULL)
		binder_forget(flight_of(link));
	net_timer_disarm(&binder->pause);
	CHECK(pool_used(&binder->flights) == 0);
	CHECK(pool_used(&binder->cuts) == 0);
	CHECK(binder->stats.unclear == 0);
	CHECK(binder->vias + binder->vias_outside == 0);
	budget_unregister(&binder->flights.budget);
	budget_unregister(&binder->cuts.budget);
	check_unregister(binder);
}

static struct binder_flight *find(const struct binder *binder, uint64_t tag)
{
	for (struct list *link = binder->in_flight.next; link != &binder->in_flight;
		link = link->next)
		if (flight_of(link)->tag == tag)
			return flight_of(link);
	return NULL;
}

bool binder_has_room(const struct binder *binder)
{
	uint32_t in_flight = pool_used(&binder->flights);

	return in_flight < binder->window.max &&
		in_flight - binder->stats.unclear - binder->vias_outside < binder->window.size &&
		!net_timer_is_armed(&binder->pause);
}

bool binder_has_room_via(const struct binder *binder)
{
	return pool_used(&binder->flights) < binder->window.max && binder->vias < BINDER_VIAS_MAX;
}

/* False: names like these are not for sending. They come from the apiserver, so anything goes. */
static bool write_order(struct binder_flight *flight, const struct binder_order *order)
{
	struct writer path, pod_path, body;

	if (order->node.size == 0 || order->node.size > sizeof(flight->node) ||
		order->pod.uid.size > sizeof(flight->uid))
		return false;
	writer_init(&pod_path, flight->path, sizeof(flight->path));
	if (!body_path_pod(order->pod.namespace, order->pod.name, &pod_path))
		return false;
	writer_init(&path, flight->path, sizeof(flight->path));
	if (!body_path_binding(order->pod.namespace, order->pod.name, &path) || path.overflowed)
		return false;
	writer_init(&body, flight->body, sizeof(flight->body));
	if (order->via.client != NULL)
		body_extender_binding(&order->pod, order->node, &body);
	else
		body_binding(&order->pod, order->node, &body);
	if (body.overflowed)
		return false;
	CHECK(pod_path.used < path.used);
	flight->path_size = path.used;
	flight->pod_path_size = pod_path.used;
	flight->body_size = body.used;
	memcpy(flight->node, order->node.at, order->node.size);
	flight->node_size = order->node.size;
	if (order->pod.uid.size > 0)
		memcpy(flight->uid, order->pod.uid.at, order->pod.uid.size);
	flight->uid_size = order->pod.uid.size;
	return true;
}

void binder_bind(struct binder *binder, const struct binder_order *order)
{
	CHECK(order->via.client != NULL ? binder_has_room_via(binder) : binder_has_room(binder));
	CHECK(find(binder, order->tag) == NULL);
	uint32_t index = pool_take(&binder->flights);
	CHECK(index != 0);
	struct binder_flight *flight = pool_at(&binder->flights, index);

	flight->binder = binder;
	flight->index = index;
	flight->tag = order->tag;
	flight->via = order->via;
	binder->vias += order->via.client != NULL ? 1 : 0;
	flight->started = net_now(binder->net);
	flight->backoff = backoff;
	flight->retry_after_ms = -1;
	flight->request.on_body = binder_listen;
	flight->request.on_done = binder_answered;
	net_timer_init(&flight->timer, binder_time);
	list_add_last(&binder->in_flight, &flight->link);
	if (pool_used(&binder->flights) > binder->stats.in_flight_max)
		binder->stats.in_flight_max = pool_used(&binder->flights);
	if (write_order(flight, order)) {
		binder_enter(flight, BINDER_POST);
		return;
	}
	binder_keep_message(flight, TEXT("the names of the pod and the node make no request"));
	binder_settle(flight, BINDER_SAYS_REFUSED);
}

void binder_seen(struct binder *binder, uint64_t tag, bool ours)
{
	struct binder_flight *flight = find(binder, tag);

	if (flight == NULL || flight->state == BINDER_END)
		return;
	flight->seen = ours ? BINDER_SEEN_OURS : BINDER_SEEN_LOST;
	if (!net_is_active(&flight->request))
		binder_look(flight);
}

struct binder_stats binder_stats(const struct binder *binder)
{
	struct binder_stats stats = binder->stats;

	stats.in_flight = pool_used(&binder->flights);
	stats.window = binder->window.size;
	return stats;
}
