/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Orders come in and end; what they assume; memory.
 *
 * What an order that failed has written stays assumed until the watch shows it, as in upstream's
 * assume cache: it is so, we only have not seen it yet.
 */
#include "bind/volumes.h"

#include <stdarg.h>

#include "bind/volumes_private.h"
#include "cache/assumed.h"
#include "kube/volume.h"

static const char too_long[] = "binding volumes failed, and the words for it are too long";

static uint32_t pieces_max(uint32_t orders_max)
{
	/* Two per order, and always as many as one order may ask for. */
	return orders_max * 2 + VOLUMES_CHOICES_MAX;
}

static void timer_due(struct net_timer *timer, struct mono now)
{
	struct volumes_flight *flight = LIST_OWNER(timer, struct volumes_flight, timer);
	struct volumes *volumes = flight->volumes;
	(void)now;
	switch (flight->state) {
	case VOLUMES_NOMINATE:
	case VOLUMES_WRITE:
		volumes_make_ready(flight, true);
		volumes_send_next(volumes);
		return;
	case VOLUMES_WAIT: volumes_say(flight, "binding volumes: context deadline exceeded"); break;
	case VOLUMES_DOUBT: /* it keeps the words of the answer that left the doubt */
	case VOLUMES_FAILED: break;
	}
	volumes_finish(flight, false);
}

static void dump(const void *self)
{
	const struct volumes *volumes = self;
	const struct volumes_stats stats = volumes_stats(volumes);
	check_print("%u under way, %u waiting, %u in doubt, %u pieces\n", (unsigned)stats.under_way,
		(unsigned)stats.waiting, (unsigned)stats.in_doubt,
		(unsigned)pool_used(&volumes->pieces));
}

struct volumes *volumes_init(const struct volumes_setup *setup)
{
	struct volumes *volumes = ARENA_ARRAY(setup->arena, struct volumes, 1);
	CHECK(setup->orders_max > 0);
	CHECK(setup->done != NULL);
	volumes->setup = *setup;
	volumes->net = api_client_net(setup->client);
	volumes->writes = (struct api_caller){
		.client = setup->client, .name = "volume writes", .done = volumes_answered};
	api_caller_init(&volumes->writes);
	pool_init(&volumes->flights, setup->arena, "pods whose volumes are bound",
		sizeof(struct volumes_flight), setup->orders_max);
	pool_init(&volumes->pieces, setup->arena, "volumes being bound",
		sizeof(struct volumes_piece), pieces_max(setup->orders_max));
	pool_init(&volumes->slots, setup->arena, "writes of volumes", sizeof(struct volumes_slot),
		VOLUMES_SLOTS);
	list_init(&volumes->ready);
	net_timer_init(&volumes->look, volumes_look_due);
	scratch_init(
		&volumes->scratch, arena_take_raw(setup->arena, VOLUMES_SCRATCH), VOLUMES_SCRATCH);
	check_register((struct check_dump){"volumes", dump, volumes});
	return volumes;
}

size_t volumes_size(uint32_t orders_max)
{
	return sizeof(struct volumes) + pool_size(sizeof(struct volumes_flight), orders_max) +
		pool_size(sizeof(struct volumes_piece), pieces_max(orders_max)) +
		pool_size(sizeof(struct volumes_slot), VOLUMES_SLOTS) + VOLUMES_SCRATCH + 5 * 16;
}

/* ---- words ---- */

void volumes_say(struct volumes_flight *flight, const char *format, ...)
{
	struct writer w;
	va_list args;
	writer_init(&w, flight->message, sizeof(flight->message));
	va_start(args, format);
	write_format_v(&w, format, args);
	va_end(args);
	if (w.overflowed) {
		writer_init(&w, flight->message, sizeof(flight->message));
		write_z(&w, too_long);
	}
	flight->message_size = w.used;
}

/* ---- an order's end ---- */

static void give_piece(struct volumes *volumes, uint32_t index)
{
	struct cache *cache = volumes->setup.cache;
	struct volumes_piece *piece = volumes_piece_at(volumes, index);
	if (piece->assumed && !piece->written)
		cache_forget_assumed(cache, piece->object, piece->version);
	intern_give(&cache->strings, piece->pv);
	intern_give(&cache->strings, piece->uid);
	intern_give(&cache->strings, piece->namespace);
	intern_give(&cache->strings, piece->claim);
	intern_give(&cache->strings, piece->claim_uid);
	pool_give(&volumes->pieces, index);
}

static void give_back(struct volumes_flight *flight)
{
	struct volumes *volumes = flight->volumes;
	struct intern *strings = &volumes->setup.cache->strings;
	volumes_drop_slot(flight);
	net_timer_disarm(&flight->timer);
	list_remove(&flight->link);
	for (uint32_t i = flight->first, next; i != 0; i = next) {
		next = volumes_piece_at(volumes, i)->next;
		give_piece(volumes, i);
	}
	intern_give(strings, flight->namespace);
	intern_give(strings, flight->pod);
	intern_give(strings, flight->node);
	pool_give(&volumes->flights, flight->index);
}

void volumes_finish(struct volumes_flight *flight, bool ok)
{
	struct volumes *volumes = flight->volumes;
	char message[VOLUMES_MESSAGE_MAX];
	struct volumes_result result = {.tag = flight->tag, .ok = ok, .message = TEXT("")};
	if (ok) {
		volumes->stats.bound++;
	} else {
		CHECK(flight->message_size > 0);
		memcpy(message, flight->message, flight->message_size);
		result.message = (struct text){message, flight->message_size};
		volumes->stats.failed++;
	}
	give_back(flight);
	volumes->setup.done(volumes->setup.self, &result);
}

void volumes_fail_soon(struct volumes_flight *flight)
{
	flight->state = VOLUMES_FAILED;
	net_timer_arm(flight->volumes->net, &flight->timer, net_now(flight->volumes->net));
}

/* ---- an order's beginning ---- */

static uint32_t keep(struct volumes *volumes, uint32_t string)
{
	intern_keep(&volumes->setup.cache->strings, string);
	return string;
}

/* What a write will find, and what it changes there. */
static void look_at_volume(
	const struct volumes *volumes, uint32_t index, struct volumes_piece *piece)
{
	const struct cache_object *object = pool_at(&volumes->setup.cache->objects, index);
	const struct kube_pv *pv = (const struct kube_pv *)(const void *)object->blob;
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

static void make_piece(
	struct volumes_flight *flight, const struct volume_choice *choice, uint32_t *link)
{
	struct volumes *volumes = flight->volumes;
	const struct cache_object *claim = pool_at(&volumes->setup.cache->objects, choice->claim);
	const struct kube_pvc *pvc = (const struct kube_pvc *)(const void *)claim->blob;
	uint32_t index = pool_take(&volumes->pieces);
	CHECK(index != 0); /* volumes_has_room() */
	CHECK(claim->kind == KUBE_PVC);
	struct volumes_piece *piece = volumes_piece_at(volumes, index);
	*link = index;
	piece->object = choice->pv == 0 ? choice->claim : choice->pv;
	piece->namespace = claim->namespace;
	piece->claim = claim->name;
	piece->claim_uid = pvc->uid;
	piece->claim_version = claim->version;
	if (choice->pv != 0) {
		look_at_volume(volumes, choice->pv, piece);
	} else {
		piece->uid = pvc->uid;
		piece->version = claim->version;
		piece->changes = !pvc->has_selected_node || pvc->selected_node != flight->node;
	}
	(void)keep(volumes, piece->pv);
	(void)keep(volumes, piece->uid);
	(void)keep(volumes, piece->namespace);
	(void)keep(volumes, piece->claim);
	(void)keep(volumes, piece->claim_uid);
}

/* Upstream's Reserve: all of it or nothing. */
static bool assume(struct volumes_flight *flight, const struct volumes_order *order)
{
	struct volumes *volumes = flight->volumes;
	struct cache *cache = volumes->setup.cache;
	uint32_t p = flight->first;
	for (uint32_t i = 0; i < order->choice_count; i++) {
		const struct volume_choice *choice = &order->choices[i];
		struct volumes_piece *piece = volumes_piece_at(volumes, p);
		p = piece->next;
		if (!piece->changes)
			continue;
		enum cache_result result = choice->pv == 0
			? cache_assume_provision(cache, choice->claim, flight->node)
			: cache_assume_volume(cache, choice->pv, choice->claim);
		if (result != CACHE_OK)
			return false;
		piece->assumed = true;
	}
	return true;
}

static void take_promises(struct volumes_flight *flight, const struct volumes_order *order)
{
	if (order->choice_count > VOLUMES_CHOICES_MAX) {
		volumes_say(flight, "the pod has %u claims to bind, of at most %u",
			(unsigned)order->choice_count, (unsigned)VOLUMES_CHOICES_MAX);
		volumes_fail_soon(flight);
		return;
	}
	uint32_t *link = &flight->first;
	for (uint32_t i = 0; i < order->choice_count; i++) {
		make_piece(flight, &order->choices[i], link);
		link = &volumes_piece_at(flight->volumes, *link)->next;
	}
	flight->at = flight->first;
	if (assume(flight, order)) {
		volumes_make_ready(flight, false);
		return;
	}
	volumes_say(flight, "not enough memory to bind the pod's volumes");
	volumes_fail_soon(flight);
}

bool volumes_has_room(const struct volumes *volumes)
{
	return pool_used(&volumes->flights) < volumes->flights.capacity &&
		volumes->pieces.capacity - pool_used(&volumes->pieces) >= VOLUMES_CHOICES_MAX;
}

static struct volumes_flight *find(const struct volumes *volumes, uint64_t tag)
{
	const struct pool *flights = &volumes->flights;
	for (uint32_t i = pool_next(flights, 0); i != 0; i = pool_next(flights, i))
		if (volumes_flight_at(volumes, i)->tag == tag)
			return volumes_flight_at(volumes, i);
	return NULL;
}

void volumes_begin(struct volumes *volumes, const struct volumes_order *order)
{
	const struct cache *cache = volumes->setup.cache;
	const struct cache_pod *pod = cache_pod_at(cache, order->pod);
	CHECK(volumes_has_room(volumes));
	CHECK(order->choice_count > 0);
	CHECK(find(volumes, order->tag) == NULL);
	uint32_t index = pool_take(&volumes->flights);
	struct volumes_flight *flight = volumes_flight_at(volumes, index);
	flight->volumes = volumes;
	flight->index = index;
	flight->tag = order->tag;
	flight->timeout_ms = order->timeout_ms;
	flight->namespace = keep(volumes, cache_template_of(cache, pod)->namespace);
	flight->pod = keep(volumes, pod->name);
	flight->node = keep(volumes, cache_node_at(cache, order->node)->name);
	flight->state = order->nominated == flight->node ? VOLUMES_WRITE : VOLUMES_NOMINATE;
	list_init(&flight->link);
	net_timer_init(&flight->timer, timer_due);
	volumes->stats.begun++;
	take_promises(flight, order);
	volumes_send_next(volumes);
}

void volumes_cancel(struct volumes *volumes, uint64_t tag)
{
	struct volumes_flight *flight = find(volumes, tag);
	if (flight == NULL)
		return;
	volumes->stats.cancelled++;
	give_back(flight);
	volumes_send_next(volumes);
}

void volumes_close(struct volumes *volumes)
{
	const struct pool *flights = &volumes->flights;
	for (uint32_t i = pool_next(flights, 0); i != 0; i = pool_next(flights, i)) {
		volumes->stats.cancelled++;
		give_back(volumes_flight_at(volumes, i));
	}
	net_timer_disarm(&volumes->look);
	api_caller_close(&volumes->writes);
	CHECK(list_is_empty(&volumes->ready));
	CHECK(pool_used(&volumes->pieces) == 0);
	CHECK(pool_used(&volumes->slots) == 0);
	budget_unregister(&volumes->flights.budget);
	budget_unregister(&volumes->pieces.budget);
	budget_unregister(&volumes->slots.budget);
	check_unregister(volumes);
}

struct volumes_stats volumes_stats(const struct volumes *volumes)
{
	struct volumes_stats stats = volumes->stats;
	const struct pool *flights = &volumes->flights;
	stats.under_way = pool_used(flights);
	for (uint32_t i = pool_next(flights, 0); i != 0; i = pool_next(flights, i)) {
		stats.waiting += volumes_flight_at(volumes, i)->state == VOLUMES_WAIT;
		stats.in_doubt += volumes_flight_at(volumes, i)->state == VOLUMES_DOUBT;
	}
	return stats;
}
