/* SPDX-License-Identifier: GPL-2.0-only */
/* Shelf: small records, found by name, in one heap. */
#include "queue/shelf.h"

#include <string.h>

#include "base/hash.h"

enum { SAMPLE = 64 /* of the last half of the heap, where the least important are */ };

/* ---- order ---- */

static bool shelf_goes_before(const struct shelf_pod *x, const struct shelf_pod *y)
{
	bool x_asked = (x->flags & SHELF_ASKED) != 0;
	bool y_asked = (y->flags & SHELF_ASKED) != 0;
	if (x_asked != y_asked)
		return y_asked;
	bool x_gated = (x->flags & SHELF_GATED) != 0;
	bool y_gated = (y->flags & SHELF_GATED) != 0;
	if (x_gated != y_gated)
		return y_gated;
	if (x->priority != y->priority)
		return x->priority > y->priority;
	bool x_tried = (x->flags & SHELF_TRIED) != 0;
	bool y_tried = (y->flags & SHELF_TRIED) != 0;
	if (x_tried != y_tried)
		return y_tried;
	return (int32_t)(x->ticket - y->ticket) < 0;
}

static bool shelf_before(const void *self, uint32_t a, uint32_t b)
{
	const struct shelf_pod *x = shelf_pod_at(self, a);
	const struct shelf_pod *y = shelf_pod_at(self, b);
	return shelf_goes_before(x, y) || (a < b && !shelf_goes_before(y, x));
}

static void shelf_moved(void *self, uint32_t index, uint32_t position)
{
	shelf_pod_at(self, index)->position = position;
}

size_t shelf_size(uint32_t capacity)
{
	return pool_size(sizeof(struct shelf_pod), capacity) + map_size(capacity) +
		heap_size(capacity);
}

void shelf_init(struct shelf *shelf, struct arena *arena, struct intern *strings, uint32_t capacity,
	struct mono now)
{
	*shelf = (struct shelf){.strings = strings, .made = now};
	pool_init(&shelf->pods, arena, "shelved pods", sizeof(struct shelf_pod), capacity);
	map_init_for(&shelf->by_name, arena, &shelf->pods);
	heap_init_for(&shelf->order, arena, &shelf->pods, shelf_before, shelf_moved, shelf);
}

/* ---- turns ---- */

static struct shelf_turn *shelf_turn_of(struct shelf *shelf, uint32_t namespace)
{
	return &shelf->turns[hash_pair(namespace, 0) % SHELF_NAMESPACES];
}

static uint32_t shelf_next_ticket(struct shelf *shelf, uint32_t namespace)
{
	const struct shelf_turn *last = shelf_turn_of(shelf, namespace);
	bool is_ahead = last->namespace == namespace && (int32_t)(last->ticket - shelf->turn) > 0;
	return (is_ahead ? last->ticket : shelf->turn) + 1;
}

static uint32_t shelf_take_ticket(struct shelf *shelf, uint32_t namespace)
{
	uint32_t ticket = shelf_next_ticket(shelf, namespace);
	*shelf_turn_of(shelf, namespace) = (struct shelf_turn){namespace, ticket};
	return ticket;
}

/* ---- names ---- */

static size_t shelf_tail_size(const struct shelf_pod *pod)
{
	return strnlen(pod->tail, SHELF_TAIL);
}

/* Of "web-5d8f9-x2x4z": "web-5d8f9-". A name without a short end is stored as a whole. */
static struct text shelf_head(struct text name)
{
	size_t tail = 0;
	while (tail < name.size && tail <= SHELF_TAIL && name.at[name.size - 1 - tail] != '-')
		tail++;
	return tail == name.size || tail > SHELF_TAIL ? name : text_first(name, name.size - tail);
}

struct text shelf_name(
	const struct shelf *shelf, const struct shelf_pod *pod, char room[SHELF_NAME_MAX])
{
	struct text head = intern_text(shelf->strings, pod->head);
	size_t tail = shelf_tail_size(pod);
	if (tail == 0)
		return head;
	CHECK(head.size + tail <= SHELF_NAME_MAX);
	memcpy(room, head.at, head.size);
	memcpy(room + head.size, pod->tail, tail);
	return (struct text){room, head.size + tail};
}

struct shelf_entry shelf_entry_of(
	const struct shelf *shelf, uint32_t index, char room[SHELF_NAME_MAX])
{
	const struct shelf_pod *pod = shelf_pod_at(shelf, index);
	return (struct shelf_entry){.namespace = shelf_namespace(shelf, pod),
		.name = shelf_name(shelf, pod, room),
		.uid = {pod->uid[0], pod->uid[1]},
		.priority = pod->priority,
		.seen = pod->seen,
		.flags = pod->flags};
}

static uint32_t shelf_hash(uint32_t namespace, struct text name)
{
	return hash_pair(namespace, hash_bytes(name.at, name.size));
}

static uint32_t shelf_hash_of(const struct shelf *shelf, const struct shelf_pod *pod)
{
	char room[SHELF_NAME_MAX];
	return shelf_hash(pod->namespace, shelf_name(shelf, pod, room));
}

static bool shelf_has_name(const struct shelf *shelf, const struct shelf_pod *pod, struct text name)
{
	struct text head = intern_text(shelf->strings, pod->head);
	size_t tail = shelf_tail_size(pod);
	return name.size == head.size + tail && text_is(text_first(name, head.size), head) &&
		memcmp(name.at + head.size, pod->tail, tail) == 0;
}

uint32_t shelf_find(const struct shelf *shelf, struct text namespace, struct text name)
{
	uint32_t id;
	if (shelf_count(shelf) == 0 || !intern_find(shelf->strings, namespace, &id))
		return 0;
	struct map_walk walk = map_walk(&shelf->by_name, shelf_hash(id, name));
	for (uint32_t i; (i = map_next(&shelf->by_name, &walk)) != 0;)
		if (shelf_pod_at(shelf, i)->namespace == id &&
			shelf_has_name(shelf, shelf_pod_at(shelf, i), name))
			return i;
	return 0;
}

/* ---- there and away ---- */

static uint16_t shelf_seconds(const struct shelf *shelf, struct mono now)
{
	return (uint16_t)(mono_since_us(now, shelf->made) / CLOCK_S_US);
}

int64_t shelf_waited_us(const struct shelf *shelf, const struct shelf_pod *pod, struct mono now)
{
	return (uint16_t)(shelf_seconds(shelf, now) - pod->since_s) * (int64_t)CLOCK_S_US;
}

static void shelf_count_flags(struct shelf *shelf, uint32_t flags, int sign)
{
	/* A gated pod waits for that, wherever it is. */
	if ((flags & (SHELF_REPORTED | SHELF_GATED)) == 0)
		shelf->unreported += (uint32_t)sign;
	if ((flags & SHELF_GATED) != 0)
		shelf->gated += (uint32_t)sign;
}

void shelf_set(struct shelf *shelf, uint32_t index, uint32_t flags, bool on)
{
	struct shelf_pod *pod = shelf_pod_at(shelf, index);
	if (on && (flags & SHELF_ASKED) != 0 && (int32_t)(pod->ticket - shelf->turn) > 0)
		shelf->turn = pod->ticket;
	shelf_count_flags(shelf, pod->flags, -1);
	pod->flags = (uint8_t)(on ? pod->flags | flags : pod->flags & ~flags);
	shelf_count_flags(shelf, pod->flags, 1);
	heap_changed(&shelf->order, pod->position);
}

void shelf_report_again(struct shelf *shelf)
{
	for (uint32_t i = pool_next(&shelf->pods, 0); i != 0; i = pool_next(&shelf->pods, i))
		shelf_set(shelf, i, SHELF_REPORTED, false);
}

void shelf_send_back(struct shelf *shelf, uint32_t index, struct mono now)
{
	struct shelf_pod *pod = shelf_pod_at(shelf, index);
	pod->since_s = shelf_seconds(shelf, now);
	pod->ticket = shelf_take_ticket(shelf, pod->namespace);
	heap_changed(&shelf->order, pod->position);
}

/* What is known of it already stays: since when it waits, and what was written. */
static void shelf_renew(struct shelf *shelf, uint32_t index, const struct shelf_entry *entry)
{
	struct shelf_pod *pod = shelf_pod_at(shelf, index);
	bool is_same = pod->uid[0] == entry->uid[0] && pod->uid[1] == entry->uid[1];
	uint32_t kept = is_same ? pod->flags & (SHELF_TRIED | SHELF_REPORTED) : 0;
	memcpy(pod->uid, entry->uid, sizeof(pod->uid));
	pod->priority = entry->priority;
	pod->seen = entry->seen;
	shelf_set(shelf, index, UINT8_MAX, false);
	shelf_set(shelf, index, kept | entry->flags, true);
}

static void shelf_give_names(struct shelf *shelf, const struct shelf_pod *pod)
{
	intern_give(shelf->strings, pod->namespace);
	intern_give(shelf->strings, pod->head);
}

static uint32_t shelf_place(struct shelf *shelf, const struct shelf_pod *pod)
{
	uint32_t index = pool_take(&shelf->pods);
	if (index == 0)
		return 0;
	*shelf_pod_at(shelf, index) = *pod;
	map_add(&shelf->by_name, shelf_hash_of(shelf, pod), index);
	shelf_count_flags(shelf, pod->flags, 1);
	CHECK(heap_add(&shelf->order, index)); /* it has room for all of the pool */
	return index;
}

uint32_t shelf_put(struct shelf *shelf, const struct shelf_entry *entry, struct mono now)
{
	uint32_t index = shelf_find(shelf, entry->namespace, entry->name);
	if (index != 0) {
		shelf_renew(shelf, index, entry);
		return index;
	}
	struct shelf_pod added = {.priority = entry->priority,
		.since_s = shelf_seconds(shelf, now),
		.seen = entry->seen,
		.flags = entry->flags};
	struct text head = shelf_head(entry->name);
	if (entry->name.size >= SHELF_NAME_MAX)
		return 0;
	memcpy(added.tail, entry->name.at + head.size, entry->name.size - head.size);
	memcpy(added.uid, entry->uid, sizeof(added.uid));
	if (!intern_take(shelf->strings, entry->namespace, &added.namespace))
		return 0;
	if (!intern_take(shelf->strings, head, &added.head)) {
		intern_give(shelf->strings, added.namespace);
		return 0;
	}
	added.ticket = shelf_next_ticket(shelf, added.namespace);
	index = shelf_place(shelf, &added);
	if (index != 0)
		(void)shelf_take_ticket(shelf, added.namespace);
	else
		shelf_give_names(shelf, &added);
	return index;
}

static struct shelf_pod shelf_displace(struct shelf *shelf, uint32_t index)
{
	const struct shelf_pod pod = *shelf_pod_at(shelf, index);
	heap_remove(&shelf->order, pod.position);
	map_remove(&shelf->by_name, shelf_hash_of(shelf, &pod), index);
	shelf_count_flags(shelf, pod.flags, -1);
	pool_give(&shelf->pods, index);
	return pod;
}

void shelf_remove(struct shelf *shelf, uint32_t index)
{
	const struct shelf_pod pod = shelf_displace(shelf, index);
	shelf_give_names(shelf, &pod);
}

/* Nothing stands behind one of the last half of a heap. Others are looked at each time. */
static uint32_t shelf_look_for_least(struct shelf *shelf)
{
	const struct heap *order = &shelf->order;
	uint32_t half = order->count / 2;
	uint32_t left = order->count - half;
	uint32_t least = 0;
	for (uint32_t i = 0; i < SAMPLE && i < left; i++) {
		uint32_t index = order->entries[half + shelf->sampled++ % left];
		if ((shelf_pod_at(shelf, index)->flags & SHELF_ASKED) == 0 &&
			(least == 0 || shelf_before(shelf, least, index)))
			least = index;
	}
	return least;
}

uint32_t shelf_least(struct shelf *shelf, const struct shelf_entry *entry)
{
	struct shelf_pod added = {0};
	uint32_t least = shelf_look_for_least(shelf);
	if (least == 0 || entry == NULL)
		return least;
	(void)intern_find(shelf->strings, entry->namespace, &added.namespace);
	added.priority = entry->priority;
	added.flags = entry->flags;
	added.ticket = shelf_next_ticket(shelf, added.namespace);
	return shelf_goes_before(&added, shelf_pod_at(shelf, least)) ? least : 0;
}

uint32_t shelf_drop(struct shelf *shelf, uint32_t index)
{
	shelf_remove(shelf, index);
	if (pool_top(&shelf->pods) < index)
		return 1;
	/* What is left stays together: the last one takes the place, and its page may go. */
	struct shelf_pod moved = shelf_displace(shelf, pool_top(&shelf->pods));
	moved.flags &= (uint8_t)~SHELF_ASKED; /* the answer does not find it */
	if (shelf_place(shelf, &moved) != 0)
		return 1;
	shelf_give_names(shelf, &moved);
	return 2;
}

uint32_t shelf_first(const struct shelf *shelf)
{
	return shelf->order.count == 0 ? 0 : heap_first(&shelf->order);
}

/* ---- audit ---- */

void shelf_audit(const struct shelf *shelf)
{
	uint32_t unreported = 0;
	uint32_t gated = 0;
	char room[SHELF_NAME_MAX];
	for (uint32_t i = pool_next(&shelf->pods, 0); i != 0; i = pool_next(&shelf->pods, i)) {
		const struct shelf_pod *pod = shelf_pod_at(shelf, i);
		CHECK(shelf->order.entries[pod->position] == i);
		CHECK(shelf_find(shelf, shelf_namespace(shelf, pod),
			      shelf_name(shelf, pod, room)) == i);
		unreported += (pod->flags & (SHELF_REPORTED | SHELF_GATED)) == 0;
		gated += (pod->flags & SHELF_GATED) != 0;
	}
	CHECK(shelf->order.count == shelf_count(shelf));
	CHECK(unreported == shelf->unreported);
	CHECK(gated == shelf->gated);
	heap_audit(&shelf->order);
	pool_audit(&shelf->pods);
	map_audit(&shelf->by_name);
}
