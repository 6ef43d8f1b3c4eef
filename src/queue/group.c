/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups: waiting pods that give equal answers, found by content when a pod joins and by plugin
 * when an event comes.
 *
 * What kube-scheduler does: one map of all unschedulable pods, walked for every event.
 * What we do: groups, filed by the set of plugins they wait for. Of 20 plugins clusters show a
 * few dozen sets at a time, so an event looks at QUEUE_SETS_MAX masks and then only at groups it
 * may concern. More sets than that share one place, whose groups are told apart one by one:
 * slower, never wrong.
 */
#include "base/hash.h"
#include "queue/private.h"

enum { SET_MIXED = QUEUE_SETS_MAX };

size_t queue_group_size(uint32_t capacity)
{
	return pool_size(sizeof(struct queue_group), capacity) + map_size(capacity);
}

void queue_group_init(struct queue *queue, struct arena *arena)
{
	/* There are no more groups than pods. */
	pool_init_along(
		&queue->groups, arena, "queue groups", sizeof(struct queue_group), &queue->entries);
	map_init_for(&queue->groups_by_content, arena, &queue->entries);
	for (uint32_t i = 0; i < ARRAY_COUNT(queue->sets); i++)
		list_init(&queue->sets[i].groups);
}

static const struct queue_entry *group_first(const struct queue_group *group)
{
	CHECK(!list_is_empty(&group->pods));
	return queue_entry_of(group->pods.next);
}

/* ---- sets ---- */

static uint32_t set_for(struct queue *queue, struct queue_waits waits)
{
	uint32_t free = SET_MIXED;
	for (uint32_t i = QUEUE_SETS_MAX; i-- > 0;) {
		if (list_is_empty(&queue->sets[i].groups))
			free = i;
		else if (queue_waits_is(&queue->sets[i].waits, &waits))
			return i;
	}
	if (free != SET_MIXED)
		queue->sets[free].waits = waits;
	return free;
}

/* ---- joining and leaving ---- */

static uint32_t hash_set(uint32_t hash, const struct plugin_set *set)
{
	for (uint32_t i = 0; i < PLUGIN_SET_WORDS; i++)
		hash = hash_more(
			hash_more(hash, (uint32_t)(set->words[i] >> 32)), (uint32_t)set->words[i]);
	return hash;
}

static uint32_t hash_of(const struct queue_entry *e)
{
	uint32_t hash = hash_pair((uint32_t)(e->key >> 32), (uint32_t)e->key);
	uint32_t gate = (uint32_t)e->gate.is_other << 8 | e->gate.by;
	hash = hash_set(hash_set(hash, &e->rejectors), &e->pending);
	return hash_more(
		hash, (uint32_t)e->other_rejectors << 16 | (e->gate.closed ? 1 << 9 | gate : 0));
}

static bool belongs(const struct queue_group *group, const struct queue_entry *e)
{
	const struct queue_entry *first = group_first(group);
	return first->key == e->key && plugin_set_is(&first->rejectors, &e->rejectors) &&
		plugin_set_is(&first->pending, &e->pending) &&
		first->other_rejectors == e->other_rejectors && queue_gate_is(first->gate, e->gate);
}

static uint32_t find_group(const struct queue *queue, const struct queue_entry *e, uint32_t hash)
{
	struct map_walk walk = map_walk(&queue->groups_by_content, hash);
	for (uint32_t i; (i = map_next(&queue->groups_by_content, &walk)) != 0;)
		if (belongs(queue_group(queue, i), e))
			return i;
	return 0;
}

static uint32_t make_group(struct queue *queue, const struct queue_entry *e, uint32_t hash)
{
	uint32_t index = pool_take(&queue->groups);
	CHECK(index != 0); /* a group has a pod, and there are as many groups as pods */
	struct queue_group *group = queue_group(queue, index);
	group->serial = queue->next_serial++;
	const struct queue_waits waits = queue_entry_waits(e);
	CHECK(!queue_waits_is_empty(&waits));
	list_init(&group->pods);
	group->set = set_for(queue, waits);
	list_add_last(&queue->sets[group->set].groups, &group->link);
	map_add(&queue->groups_by_content, hash, index);
	return index;
}

void queue_group_join(struct queue *queue, struct queue_entry *e)
{
	CHECK(e->group == 0);
	uint32_t hash = hash_of(e);
	e->group = find_group(queue, e, hash);
	if (e->group == 0)
		e->group = make_group(queue, e, hash);
	struct queue_group *group = queue_group(queue, e->group);
	list_add_last(&group->pods, &e->link);
	group->count++;
}

void queue_group_leave(struct queue *queue, struct queue_entry *e)
{
	uint32_t index = e->group;
	struct queue_group *group = queue_group(queue, index);
	CHECK(group->count > 0);
	uint32_t hash = hash_of(e); /* of the group, too: it leaves as it joined */
	CHECK(belongs(group, e));
	list_remove(&e->link);
	e->group = 0;
	group->count--;
	if (group->count > 0)
		return;
	CHECK(list_is_empty(&group->pods));
	map_remove(&queue->groups_by_content, hash, index);
	list_remove(&group->link);
	pool_give(&queue->groups, index);
}

/* ---- an event ---- */

struct queue_walk queue_walk(const struct queue *queue, struct queue_waits mask)
{
	return (struct queue_walk){.serials = queue->next_serial, .mask = mask};
}

static struct queue_group *group_of(struct list *link)
{
	return LIST_OWNER(link, struct queue_group, link);
}

/*
 * walk->next is the group after the one returned last, so that this one may go: NULL when the set
 * has not been entered, its head at the end.
 */
uint32_t queue_next_group(struct queue *queue, struct queue_walk *walk)
{
	for (; walk->set <= SET_MIXED; walk->set++, walk->next = NULL) {
		struct queue_set *set = &queue->sets[walk->set];
		if (walk->next == NULL) {
			if (walk->set != SET_MIXED && !queue_waits_meets(&set->waits, &walk->mask))
				continue;
			walk->next = set->groups.next;
		}
		while (walk->next != &set->groups) {
			const struct queue_group *group = group_of(walk->next);
			walk->next = group->link.next;
			queue->groups_visited++;
			const struct queue_waits waits = queue_entry_waits(group_first(group));
			if (group->serial >= walk->serials ||
				!queue_waits_meets(&waits, &walk->mask))
				continue;
			return queue_entry_of(list_first(&group->pods))->group;
		}
	}
	return 0;
}

const struct queue_entry *queue_group_entry(const struct queue *queue, uint32_t group)
{
	return group_first(queue_group(queue, group));
}

struct queue_moved queue_requeue_group(
	struct queue *queue, uint32_t group, enum queue_how how, struct mono now)
{
	struct queue_moved moved = {0};
	struct queue_group *g = queue_group(queue, group);
	struct list *next = g->pods.next;
	/* Counted, because the group goes with its last pod and those still gated stay. */
	for (uint32_t left = g->count; left > 0; left--) {
		uint32_t entry = queue->waiting.entries[queue_entry_of(next)->position];
		next = next->next;
		queue_count_moved(&moved, queue_requeue(queue, entry, how, now));
	}
	return moved;
}

/* ---- audit ---- */

static void audit_one(const struct queue *queue, uint32_t index)
{
	const struct queue_group *group = queue_group(queue, index);
	const struct queue_set *set = &queue->sets[group->set];
	const struct queue_waits waits = queue_entry_waits(group_first(group));
	CHECK(group->set == SET_MIXED || queue_waits_is(&set->waits, &waits));
	CHECK(group->serial < queue->next_serial);
	CHECK(group->count > 0);
	uint32_t count = 0;
	for (struct list *at = group->pods.next; at != &group->pods; at = at->next) {
		const struct queue_entry *e = queue_entry_of(at);
		CHECK(e->group == index);
		CHECK(belongs(group, e));
		CHECK(queue_is_waiting(e));
		count++;
	}
	CHECK(count == group->count);
	CHECK(find_group(queue, queue_entry_of(group->pods.next), hash_of(group_first(group))) ==
		index);
}

void queue_group_audit(const struct queue *queue)
{
	uint32_t groups = 0;
	uint32_t pods = 0;
	for (uint32_t i = pool_next(&queue->groups, 0); i != 0; i = pool_next(&queue->groups, i)) {
		audit_one(queue, i);
		groups++;
		pods += queue_group(queue, i)->count;
	}
	CHECK(groups == pool_used(&queue->groups));
	CHECK(groups == queue->groups_by_content.used);
	CHECK(pods == queue->waiting.count);
	for (uint32_t s = 0; s <= SET_MIXED; s++) {
		const struct list *head = &queue->sets[s].groups;
		for (struct list *at = head->next; at != head; at = at->next) {
			CHECK(group_of(at)->set == s);
			groups--;
		}
	}
	CHECK(groups == 0);
	pool_audit(&queue->groups);
	map_audit(&queue->groups_by_content);
}
