/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects, versions, history. */
#include "apisim/registry.h"

#include <stdlib.h>

enum { REGISTRY_SHELF_FIRST = 64 };

/* ---- revisions ---- */

static const char *bytes_of(const struct revision *revision)
{
	return (const char *)(revision + 1);
}

struct text revision_json(const struct revision *revision)
{
	return (struct text){bytes_of(revision), revision->text_size};
}

struct text revision_key(const struct revision *revision)
{
	return (struct text){bytes_of(revision) + revision->text_size, revision->key_size};
}

struct text revision_node(const struct revision *revision)
{
	struct text key = revision_key(revision);

	return (struct text){key.at + key.size, revision->node_size};
}

struct text revision_phase(const struct revision *revision)
{
	struct text node = revision_node(revision);

	return (struct text){node.at + node.size, revision->phase_size};
}

struct text revision_namespace(const struct revision *revision)
{
	struct text key = revision_key(revision);
	size_t slash = text_find(key, '/');

	return slash == key.size ? TEXT("") : text_first(key, slash);
}

struct text revision_name(const struct revision *revision)
{
	struct text key = revision_key(revision);
	size_t slash = text_find(key, '/');

	return slash == key.size ? key : text_from(key, slash + 1);
}

void registry_hold(struct registry *r, uint32_t revision)
{
	registry_revision(r, revision)->references++;
}

void registry_let_go(struct registry *r, uint32_t revision)
{
	struct revision *state = registry_revision(r, revision);

	CHECK(state->references > 0);
	if (--state->references == 0)
		store_give(&r->store, revision);
}

/* ---- history ---- */

static void forget_oldest(struct registry *r)
{
	struct registry_change *change = &r->changes[r->oldest % r->history];

	CHECK(r->oldest <= r->version && change->version == r->oldest);
	if (change->before != 0)
		registry_let_go(r, change->before);
	registry_let_go(r, change->after);
	*change = (struct registry_change){0};
	r->oldest++;
}

void registry_compact(struct registry *r, uint64_t version)
{
	while (r->oldest <= version && r->oldest <= r->version)
		forget_oldest(r);
}

const struct registry_change *registry_change(const struct registry *r, uint64_t version)
{
	if (version < r->oldest || version > r->version)
		return NULL;
	return &r->changes[version % r->history];
}

/* What the change refers to was held by who made it. */
static void remember(struct registry *r, struct registry_change change)
{
	if (r->version - r->oldest + 1 == r->history)
		forget_oldest(r);
	r->version++;
	change.version = r->version;
	r->changes[r->version % r->history] = change;
}

/* Gives up the past for the present. */
uint32_t registry_take(struct registry *r, size_t size)
{
	uint32_t handle;

	while ((handle = store_take(&r->store, size)) == 0) {
		if (r->oldest > r->version)
			return 0;
		forget_oldest(r);
	}
	return handle;
}

void registry_init(struct registry *r, void *block, size_t size, uint32_t history, uint64_t first)
{
	size_t ring = sizeof(struct registry_change) * (size_t)history;

	CHECK(history > 0 && size > ring + 4096);
	memset(r, 0, sizeof(*r));
	r->changes = block;
	r->history = history;
	r->version = first;
	r->oldest = first + 1;
	ring = (ring + 15) & ~(size_t)15;
	store_init(&r->store, "registry", (uint8_t *)block + ring, (size - ring) & ~(size_t)15);
}

/* ---- now ---- */

static uint32_t *list_of(const struct registry *r, uint32_t resource)
{
	const struct registry_shelf *shelf = &r->shelves[resource];

	CHECK(resource < REGISTRY_RESOURCES_MAX);
	return shelf->list == 0 ? NULL : store_at(&r->store, shelf->list);
}

uint32_t registry_nth(const struct registry *r, uint32_t resource, uint32_t i)
{
	CHECK(i < r->shelves[resource].count);
	return list_of(r, resource)[i];
}

/* Where the key is or would be. */
static uint32_t place_of(const struct registry *r, uint32_t resource, struct text key, bool *there)
{
	const uint32_t *list = list_of(r, resource);
	uint32_t low = 0, high = r->shelves[resource].count;

	*there = false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = text_compare(revision_key(registry_revision(r, list[middle])), key);

		if (order == 0) {
			*there = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t registry_find(const struct registry *r, uint32_t resource, struct text key)
{
	bool there;
	uint32_t place = place_of(r, resource, key, &there);

	return there ? registry_nth(r, resource, place) : 0;
}

static bool make_room(struct registry *r, uint32_t resource)
{
	struct registry_shelf *shelf = &r->shelves[resource];
	uint32_t room = shelf->room == 0 ? REGISTRY_SHELF_FIRST : shelf->room * 2;
	uint32_t list;

	if (shelf->count < shelf->room)
		return true;
	list = registry_take(r, sizeof(uint32_t) * (size_t)room);
	if (list == 0)
		return false;
	if (shelf->list != 0) {
		memcpy(store_at(&r->store, list), list_of(r, resource),
			sizeof(uint32_t) * shelf->count);
		store_give(&r->store, shelf->list);
	}
	shelf->list = list;
	shelf->room = room;
	return true;
}

static uint32_t version_place(struct text json, struct text *digits)
{
	struct text key = TEXT("\"resourceVersion\":\"");
	size_t at = 0;

	while (!text_starts(text_from(json, at), key)) {
		at += 1 + text_find(text_from(json, at + 1), '"');
		CHECK(at < json.size);
	}
	*digits = text_from(json, at + key.size);
	*digits = text_first(*digits, text_find(*digits, '"'));
	return (uint32_t)(digits->at - json.at);
}

/* A revision with one reference; 0 when there is no room. */
static uint32_t make_revision(struct registry *r, const struct registry_state *state)
{
	struct text digits;
	uint32_t version_at = version_place(state->json, &digits);
	uint64_t version;

	CHECK(text_to_u64(digits, &version) && version == r->version + 1);
	CHECK(state->key.size > 0 && state->key.size <= REGISTRY_KEY_MAX);
	uint32_t handle = registry_take(r,
		sizeof(struct revision) + state->json.size + state->key.size + state->node.size +
			state->phase.size);
	if (handle == 0)
		return 0;
	struct revision *revision = registry_revision(r, handle);
	char *to = (char *)(revision + 1);
	const struct text parts[] = {state->json, state->key, state->node, state->phase};

	*revision = (struct revision){.version = version,
		.references = 1,
		.text_size = (uint32_t)state->json.size,
		.version_at = version_at,
		.version_size = (uint16_t)digits.size,
		.key_size = (uint16_t)state->key.size,
		.node_size = (uint16_t)state->node.size,
		.phase_size = (uint16_t)state->phase.size};
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
		if (parts[i].size > 0)
			memcpy(to, parts[i].at, parts[i].size);
		to += parts[i].size;
	}
	return handle;
}

bool registry_put(struct registry *r, uint32_t resource, const struct registry_state *state)
{
	struct registry_shelf *shelf = &r->shelves[resource];
	bool there;

	if (!make_room(r, resource))
		return false;
	uint32_t revision = make_revision(r, state);
	if (revision == 0)
		return false;
	uint32_t place = place_of(r, resource, state->key, &there);
	uint32_t *list = list_of(r, resource);
	uint32_t before = there ? list[place] : 0;

	if (!there) {
		memmove(list + place + 1, list + place, sizeof(uint32_t) * (shelf->count - place));
		shelf->count++;
	}
	list[place] = revision;
	/* The picture's reference to what was before becomes the history's. */
	registry_hold(r, revision);
	remember(r,
		(struct registry_change){
			.resource = (uint16_t)resource, .before = before, .after = revision});
	return true;
}

bool registry_delete(struct registry *r, uint32_t resource, struct text key, struct text json)
{
	struct registry_shelf *shelf = &r->shelves[resource];
	bool there;
	uint32_t place = place_of(r, resource, key, &there);

	CHECK(there);
	uint32_t before = registry_nth(r, resource, place);
	const struct revision *state = registry_revision(r, before);
	uint32_t after = make_revision(r,
		&(struct registry_state){.key = key,
			.json = json,
			.node = revision_node(state),
			.phase = revision_phase(state)});
	if (after == 0)
		return false;
	uint32_t *list = list_of(r, resource);
	shelf->count--;
	memmove(list + place, list + place + 1, sizeof(uint32_t) * (shelf->count - place));
	remember(r,
		(struct registry_change){.resource = (uint16_t)resource,
			.deleted = true,
			.before = before,
			.after = after});
	return true;
}

static void take_back(struct registry *r, struct registry_change *change)
{
	struct registry_shelf *shelf = &r->shelves[change->resource];
	bool there;
	uint32_t place = place_of(
		r, change->resource, revision_key(registry_revision(r, change->after)), &there);
	uint32_t *list = list_of(r, change->resource);

	CHECK(there != change->deleted);
	if (change->deleted) {
		CHECK(shelf->count < shelf->room);
		memmove(list + place + 1, list + place, sizeof(uint32_t) * (shelf->count - place));
		shelf->count++;
	} else {
		registry_let_go(r, list[place]);
	}
	/* The history's reference to what was before is the picture's again. */
	if (change->before != 0) {
		list[place] = change->before;
	} else {
		shelf->count--;
		memmove(list + place, list + place + 1, sizeof(uint32_t) * (shelf->count - place));
	}
	registry_let_go(r, change->after);
	*change = (struct registry_change){0};
}

void registry_set_back(struct registry *r, uint64_t version)
{
	while (r->version > version && r->version >= r->oldest) {
		take_back(r, &r->changes[r->version % r->history]);
		r->version--;
	}
}

/* ---- the past ---- */

struct past {
	uint64_t version;
	uint32_t before;
	struct text key;
};

static int by_key_and_version(const void *a, const void *b)
{
	const struct past *x = a, *y = b;
	int order = text_compare(x->key, y->key);

	return order != 0 ? order : (x->version > y->version) - (x->version < y->version);
}

/*
 * What an object was at `version` is what it was before its first change afterwards; what did
 * not change since is as it is now.
 */
static uint32_t changed_since(
	const struct registry *r, uint32_t resource, uint64_t version, struct past *past)
{
	uint32_t count = 0, kept = 0;

	for (uint64_t v = version + 1; v <= r->version; v++) {
		const struct registry_change *change = registry_change(r, v);

		CHECK(change != NULL);
		if (change->resource != resource)
			continue;
		if (past != NULL)
			past[count] = (struct past){v, change->before,
				revision_key(registry_revision(r, change->after))};
		count++;
	}
	if (past == NULL || count == 0)
		return count;
	qsort(past, count, sizeof(*past), by_key_and_version);
	for (uint32_t i = 0; i < count; i++)
		if (kept == 0 || !text_is(past[kept - 1].key, past[i].key))
			past[kept++] = past[i];
	return kept;
}

uint32_t *registry_at(const struct registry *r, uint32_t resource, uint64_t version,
	struct scratch *scratch, uint32_t *count)
{
	const uint32_t *list = list_of(r, resource);
	uint32_t now = r->shelves[resource].count, i = 0, p = 0, used = 0;
	uint32_t changes = version == r->version ? 0 : changed_since(r, resource, version, NULL);
	struct past *past = SCRATCH_ARRAY(scratch, struct past, changes + 1);
	uint32_t *result = SCRATCH_ARRAY(scratch, uint32_t, now + changes + 1);

	CHECK(past != NULL && result != NULL);
	if (changes > 0)
		changes = changed_since(r, resource, version, past);
	while (i < now || p < changes) {
		int order = i == now ? 1
			: p == changes
			? -1
			: text_compare(revision_key(registry_revision(r, list[i])), past[p].key);

		if (order < 0) {
			result[used++] = list[i++];
			continue;
		}
		if (past[p].before != 0)
			result[used++] = past[p].before;
		p++;
		i += order == 0;
	}
	*count = used;
	return result;
}
