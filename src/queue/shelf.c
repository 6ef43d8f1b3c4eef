/* SPDX-License-Identifier: GPL-2.0-only */
/* Shelf: small records, found by name, in one heap. */
#include "queue/shelf.h"

#include <string.h>

#include "base/hash.h"

enum { TENTH_US = CLOCK_S_US / 10 };

/* ---- order ---- */

static bool shelf_before(const void *self, uint32_t a, uint32_t b)
{
	const struct shelf_pod *x = shelf_pod_at(self, a);
	const struct shelf_pod *y = shelf_pod_at(self, b);
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
	return x->since_ds != y->since_ds ? x->since_ds < y->since_ds : a < b;
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

/* ---- names ---- */

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
	if (pod->tail_size == 0)
		return head;
	CHECK(head.size + pod->tail_size <= SHELF_NAME_MAX);
	memcpy(room, head.at, head.size);
	memcpy(room + head.size, pod->tail, pod->tail_size);
	return (struct text){room, head.size + pod->tail_size};
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
	return name.size == head.size + pod->tail_size &&
		text_is(text_first(name, head.size), head) &&
		memcmp(name.at + head.size, pod->tail, pod->tail_size) == 0;
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

static uint32_t shelf_tenths(const struct shelf *shelf, struct mono now)
{
	int64_t tenths = mono_since_us(now, shelf->made) / TENTH_US;
	return tenths < 0 ? 0 : (uint32_t)tenths;
}

int64_t shelf_waited_us(const struct shelf *shelf, const struct shelf_pod *pod, struct mono now)
{
	return mono_since_us(now, shelf->made) - (int64_t)pod->since_ds * TENTH_US;
}

static void shelf_count_flags(struct shelf *shelf, uint32_t flags, int sign)
{
	/* Whoever is gated waits for that, wherever it is. */
	if ((flags & (SHELF_REPORTED | SHELF_GATED)) == 0)
		shelf->unreported += (uint32_t)sign;
	if ((flags & SHELF_GATED) != 0)
		shelf->gated += (uint32_t)sign;
}

void shelf_set(struct shelf *shelf, uint32_t index, uint32_t flags, bool on)
{
	struct shelf_pod *pod = shelf_pod_at(shelf, index);
	shelf_count_flags(shelf, pod->flags, -1);
	pod->flags = (uint8_t)(on ? pod->flags | flags : pod->flags & ~flags);
	shelf_count_flags(shelf, pod->flags, 1);
	heap_changed(&shelf->order, pod->position);
}

void shelf_send_back(struct shelf *shelf, uint32_t index, struct mono now)
{
	struct shelf_pod *pod = shelf_pod_at(shelf, index);
	pod->since_ds = shelf_tenths(shelf, now);
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

uint32_t shelf_put(struct shelf *shelf, const struct shelf_entry *entry, struct mono now)
{
	uint32_t index = shelf_find(shelf, entry->namespace, entry->name);
	if (index != 0) {
		shelf_renew(shelf, index, entry);
		return index;
	}
	struct shelf_pod added = {.priority = entry->priority,
		.since_ds = shelf_tenths(shelf, now),
		.seen = entry->seen,
		.flags = entry->flags};
	struct text head = shelf_head(entry->name);
	if (entry->name.size >= SHELF_NAME_MAX)
		return 0;
	added.tail_size = (uint8_t)(entry->name.size - head.size);
	memcpy(added.tail, entry->name.at + head.size, added.tail_size);
	memcpy(added.uid, entry->uid, sizeof(added.uid));
	if (!intern_take(shelf->strings, entry->namespace, &added.namespace))
		return 0;
	if (!intern_take(shelf->strings, head, &added.head)) {
		intern_give(shelf->strings, added.namespace);
		return 0;
	}
	index = pool_take(&shelf->pods);
	if (index == 0) {
		intern_give(shelf->strings, added.namespace);
		intern_give(shelf->strings, added.head);
		return 0;
	}
	*shelf_pod_at(shelf, index) = added;
	map_add(&shelf->by_name, shelf_hash_of(shelf, &added), index);
	shelf_count_flags(shelf, added.flags, 1);
	CHECK(heap_add(&shelf->order, index)); /* it has room for all of the pool */
	return index;
}

void shelf_remove(struct shelf *shelf, uint32_t index)
{
	const struct shelf_pod pod = *shelf_pod_at(shelf, index);
	heap_remove(&shelf->order, pod.position);
	map_remove(&shelf->by_name, shelf_hash_of(shelf, &pod), index);
	shelf_count_flags(shelf, pod.flags, -1);
	pool_give(&shelf->pods, index);
	intern_give(shelf->strings, pod.namespace);
	intern_give(shelf->strings, pod.head);
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
