/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values. Memory of a run is only given back in the middle of it where nothing can point there any
 * more (cel/loop.c); so what takes much of it stops at its end or at the bound on work.
 */
#include "cel/value.h"

#include <math.h>

#include "base/hash.h"

enum {
	WORK_BYTES = 16, /* bytes that are one unit of work */
	MAP_FEW = 8,     /* entries that are found soonest by looking at each */
	ODD_BYTE = 0xfffd
};

bool cel_work(struct cel_run *run, uint64_t amount)
{
	if (run->stopped != 0)
		return false;
	if (amount > run->work) {
		run->stopped = CEL_FAULT_COST;
		return false;
	}
	run->work -= amount;
	return true;
}

void *cel_take(struct cel_run *run, uint64_t count, size_t size)
{
	void *at;

	if (!cel_work(run, (count * size) / WORK_BYTES + 1))
		return NULL;
	at = scratch_take_array(run->scratch, (size_t)count, size);
	if (at == NULL)
		run->stopped = CEL_FAULT_MEMORY;
	return at;
}

struct cel_value cel_fault(enum cel_fault fault)
{
	return (struct cel_value){.kind = CEL_ERROR, .fault = (uint8_t)fault};
}

struct cel_value cel_fault_about(enum cel_fault fault, struct cel_value about)
{
	about.fault = (uint8_t)fault;
	about.about = about.kind;
	about.kind = CEL_ERROR;
	return about;
}

struct cel_value cel_stopped(const struct cel_run *run)
{
	return cel_fault(run->stopped == 0 ? CEL_FAULT_MEMORY : (enum cel_fault)run->stopped);
}

struct cel_value cel_new_string(struct cel_run *run, struct text t)
{
	char *at = cel_take(run, t.size + 1, 1);

	if (at == NULL)
		return cel_stopped(run);
	if (t.size > 0)
		memcpy(at, t.at, t.size);
	return cel_string((struct text){at, t.size});
}

struct cel_value cel_fault_text(struct cel_run *run, const char *format, ...)
{
	char text[512];
	struct writer out;
	struct cel_value fault;
	va_list args;

	writer_init(&out, text, sizeof(text));
	va_start(args, format);
	write_format_v(&out, format, args);
	va_end(args);
	fault = cel_new_string(run, out.overflowed ? TEXT("(a text too long)") : writer_text(&out));
	return fault.kind == CEL_ERROR ? fault : cel_fault_about(CEL_FAULT_TEXT, fault);
}

void cel_write_reason(struct writer *out, const char *reason, struct text part)
{
	struct text t = text_of(reason);
	size_t place = text_find(t, '%');

	write_text(out, text_first(t, place));
	if (place == t.size)
		return;
	write_text(out, part);
	write_text(out, text_from(t, place + 1));
}

struct cel_value cel_new_optional(struct cel_run *run, const struct cel_value *value)
{
	struct cel_value optional = {.kind = CEL_OPTIONAL};
	struct cel_value *copy;

	if (value == NULL)
		return optional;
	copy = cel_take(run, 1, sizeof(*copy));
	if (copy == NULL)
		return cel_stopped(run);
	*copy = *value;
	optional.items = copy;
	return optional;
}

struct text cel_kind_name(enum cel_kind kind)
{
	static const char *const names[CEL_KINDS] = {
		[CEL_ERROR] = "error",
		[CEL_NULL] = "null_type",
		[CEL_BOOL] = "bool",
		[CEL_INT] = "int",
		[CEL_UINT] = "uint",
		[CEL_DOUBLE] = "double",
		[CEL_STRING] = "string",
		[CEL_BYTES] = "bytes",
		[CEL_DURATION] = "google.protobuf.Duration",
		[CEL_TIMESTAMP] = "google.protobuf.Timestamp",
		[CEL_LIST] = "list",
		[CEL_MAP] = "map",
		[CEL_TYPE] = "type",
		[CEL_OPTIONAL] = "optional_type",
		[CEL_QUANTITY] = "kubernetes.Quantity",
		[CEL_SEMVER] = "kubernetes.Semver",
		[CEL_IP] = "net.IP",
		[CEL_CIDR] = "net.CIDR",
		[CEL_URL] = "kubernetes.URL",
		[CEL_FORMAT] = "kubernetes.NamedFormat",
		[CEL_LAZY] = "error",
	};
	return text_of(names[kind]);
}

/* ---- text ---- */

uint32_t cel_point(struct text *t)
{
	static const uint8_t marks[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	size_t size = text_utf8_next(*t);
	uint32_t point;

	if (size == 0) {
		*t = text_from(*t, 1);
		return ODD_BYTE;
	}
	point = (uint8_t)t->at[0] & marks[size];
	for (size_t i = 1; i < size; i++)
		point = point << 6 | ((uint8_t)t->at[i] & 0x3f);
	*t = text_from(*t, size);
	return point;
}

uint32_t cel_points(struct text t)
{
	uint32_t count = 0;

	while (t.size > 0) {
		if ((uint8_t)t.at[0] < 0x80)
			t = text_from(t, 1);
		else
			(void)cel_point(&t);
		count++;
	}
	return count;
}

/* ---- lists and maps ---- */

uint32_t cel_size(const struct cel_value *v)
{
	switch (v->kind) {
	case CEL_STRING: return cel_points(cel_text(v));
	case CEL_BYTES: return v->size;
	case CEL_LIST: return v->host != NULL ? v->host->count(v) : v->size;
	case CEL_MAP: return v->host != NULL ? v->host->count(v) : v->map->count;
	case CEL_CIDR: return (v->address->prefix + 7U) / 8; /* as upstream sizes it up */
	case CEL_IP: return v->address->size;
	case CEL_OPTIONAL: return v->items != NULL ? cel_size(v->items) : 1;
	default: return 1;
	}
}

struct cel_value cel_at(const struct cel_value *list, uint32_t index)
{
	struct cel_value key;
	struct cel_value value = CEL_VALUE_NULL;

	if (list->host == NULL)
		return list->items[index];
	list->host->at(list, index, &key, &value);
	return value;
}

void cel_entry_at(
	const struct cel_value *map, uint32_t index, struct cel_value *key, struct cel_value *value)
{
	if (map->host != NULL) {
		map->host->at(map, index, key, value);
		return;
	}
	*key = map->map->entries[index].key;
	*value = map->map->entries[index].value;
}

/* Equal numbers of different kinds have one hash. */
static uint32_t value_hash(const struct cel_value *v)
{
	int64_t whole = v->integer;

	switch (v->kind) {
	case CEL_STRING: return hash_bytes(v->text, v->size);
	case CEL_BOOL: whole = v->truth; break;
	case CEL_DOUBLE: whole = v->real >= -9e18 && v->real <= 9e18 ? (int64_t)v->real : 0; break;
	default: break;
	}
	return hash_bytes(&whole, sizeof(whole));
}

static const struct cel_entry *map_search(
	struct cel_run *run, const struct cel_map *map, const struct cel_value *key)
{
	uint32_t at;

	if (map->table == NULL) {
		for (uint32_t i = 0; i < map->count; i++)
			if (cel_equal(run, &map->entries[i].key, key))
				return &map->entries[i];
		return NULL;
	}
	at = value_hash(key) & (map->table_size - 1);
	for (; map->table[at] != 0; at = (at + 1) & (map->table_size - 1))
		if (cel_equal(run, &map->entries[map->table[at] - 1].key, key))
			return &map->entries[map->table[at] - 1];
	return NULL;
}

static bool value_is_key(const struct cel_value *v)
{
	return v->kind == CEL_STRING || v->kind == CEL_BOOL || cel_is_number(v);
}

bool cel_find(struct cel_run *run, const struct cel_value *map, const struct cel_value *key,
	struct cel_value *value)
{
	const struct cel_entry *entry;

	if (map->host != NULL)
		return map->host->find(map, key, value);
	if (!value_is_key(key))
		return false;
	entry = map_search(run, map->map, key);
	if (entry == NULL || run->stopped != 0)
		return false;
	*value = entry->value;
	return true;
}

struct cel_value cel_map_init(struct cel_run *run, uint32_t max, struct cel_map **result)
{
	struct cel_map *map = cel_take(run, 1, sizeof(*map));
	uint32_t size = MAP_FEW;

	if (map == NULL)
		return cel_stopped(run);
	map->entries = cel_take(run, max, sizeof(*map->entries));
	map->max = max;
	if (max > MAP_FEW) {
		while (size < max * 2)
			size *= 2;
		map->table = cel_take(run, size, sizeof(*map->table));
		map->table_size = size;
	}
	if (run->stopped != 0)
		return cel_stopped(run);
	*result = map;
	return (struct cel_value){.kind = CEL_MAP, .map = map};
}

struct cel_value cel_map_put(
	struct cel_run *run, struct cel_map *map, struct cel_value key, struct cel_value value)
{
	uint32_t at;

	if (!value_is_key(&key))
		return cel_fault_text(run, "unsupported key type: %s", cel_kind_name(key.kind).at);
	if (map_search(run, map, &key) != NULL)
		return cel_fault_about(CEL_FAULT_NO_KEY, key);
	if (run->stopped != 0)
		return cel_stopped(run);
	CHECK(map->count < map->max);
	map->entries[map->count++] = (struct cel_entry){key, value};
	if (map->table != NULL) {
		at = value_hash(&key) & (map->table_size - 1);
		while (map->table[at] != 0)
			at = (at + 1) & (map->table_size - 1);
		map->table[at] = map->count;
	}
	return CEL_VALUE_NULL;
}

struct cel_value cel_map_replace(
	struct cel_run *run, struct cel_map *map, struct cel_value key, struct cel_value value)
{
	const struct cel_entry *entry = map_search(run, map, &key);

	if (run->stopped != 0 || entry == NULL)
		return cel_stopped(run);
	map->entries[entry - map->entries].value = value;
	return CEL_VALUE_NULL;
}

struct cel_value cel_map_grow(struct cel_run *run, struct cel_map *map)
{
	struct cel_map *larger;
	struct cel_value made =
		cel_map_init(run, map->max < MAP_FEW ? MAP_FEW : map->max * 2, &larger);

	for (uint32_t i = 0; i < map->count && made.kind != CEL_ERROR; i++) {
		struct cel_value put =
			cel_map_put(run, larger, map->entries[i].key, map->entries[i].value);

		if (put.kind == CEL_ERROR)
			return put;
	}
	if (made.kind != CEL_ERROR)
		*map = *larger;
	return made;
}

/* ---- comparison ---- */

bool cel_is_number(const struct cel_value *v)
{
	return v->kind == CEL_INT || v->kind == CEL_UINT || v->kind == CEL_DOUBLE;
}

static enum cel_order order_of_doubles(double a, double b)
{
	if (isnan(a) || isnan(b))
		return CEL_UNORDERED;
	return a < b ? CEL_LESS : a > b ? CEL_MORE : CEL_SAME;
}

static enum cel_order order_of_numbers(const struct cel_value *a, const struct cel_value *b)
{
	if (a->kind == CEL_DOUBLE || b->kind == CEL_DOUBLE) {
		double left = a->kind == CEL_DOUBLE ? a->real
			: a->kind == CEL_INT        ? (double)a->integer
						    : (double)a->natural;
		double right = b->kind == CEL_DOUBLE ? b->real
			: b->kind == CEL_INT         ? (double)b->integer
						     : (double)b->natural;
		return order_of_doubles(left, right);
	}
	if (a->kind == CEL_INT && a->integer < 0 && b->kind == CEL_UINT)
		return CEL_LESS;
	if (b->kind == CEL_INT && b->integer < 0 && a->kind == CEL_UINT)
		return CEL_MORE;
	if (a->kind == CEL_INT && b->kind == CEL_INT)
		return a->integer < b->integer    ? CEL_LESS
			: a->integer > b->integer ? CEL_MORE
						  : CEL_SAME;
	return a->natural < b->natural ? CEL_LESS : a->natural > b->natural ? CEL_MORE : CEL_SAME;
}

enum cel_order cel_compare(const struct cel_value *a, const struct cel_value *b)
{
	int order;

	if (cel_is_number(a) && cel_is_number(b))
		return order_of_numbers(a, b);
	if (a->kind != b->kind)
		return CEL_INCOMPARABLE;
	switch (a->kind) {
	case CEL_STRING:
	case CEL_BYTES: order = text_compare(cel_text(a), cel_text(b)); break;
	case CEL_BOOL: order = (int)a->truth - (int)b->truth; break;
	case CEL_DURATION: order = (a->integer > b->integer) - (a->integer < b->integer); break;
	case CEL_TIMESTAMP:
		order = (a->integer > b->integer) - (a->integer < b->integer);
		if (order == 0)
			order = (a->size > b->size) - (a->size < b->size);
		break;
	default: return CEL_INCOMPARABLE;
	}
	return order < 0 ? CEL_LESS : order > 0 ? CEL_MORE : CEL_SAME;
}

static bool equal_lists(struct cel_run *run, const struct cel_value *a, const struct cel_value *b)
{
	uint32_t count = cel_size(a);

	if (count != cel_size(b))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct cel_value left = cel_at(a, i);
		struct cel_value right = cel_at(b, i);

		if (!cel_equal(run, &left, &right))
			return false;
	}
	return true;
}

static bool equal_maps(struct cel_run *run, const struct cel_value *a, const struct cel_value *b)
{
	uint32_t count = cel_size(a);

	if (count != cel_size(b))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct cel_value key;
		struct cel_value left;
		struct cel_value right;

		cel_entry_at(a, i, &key, &left);
		if (!cel_find(run, b, &key, &right) || !cel_equal(run, &left, &right))
			return false;
	}
	return true;
}

static bool equal_semvers(const struct cel_semver *a, const struct cel_semver *b)
{
	/* Upstream compares versions as such: what was built from it does not count. */
	return memcmp(a->number, b->number, sizeof(a->number)) == 0 && text_is(a->pre, b->pre);
}

static bool equal_others(struct cel_run *run, const struct cel_value *a, const struct cel_value *b)
{
	switch (a->kind) {
	case CEL_NULL: return true;
	case CEL_TYPE: return text_is(cel_text(a), cel_text(b));
	case CEL_OPTIONAL:
		if (a->items == NULL || b->items == NULL)
			return a->items == b->items;
		return cel_equal(run, a->items, b->items);
	case CEL_QUANTITY: return quantity_compare(a->quantity, b->quantity) == 0;
	case CEL_SEMVER: return equal_semvers(a->semver, b->semver);
	case CEL_IP:
	case CEL_CIDR:
		return a->address->size == b->address->size &&
			a->address->prefix == b->address->prefix &&
			memcmp(a->address->bytes, b->address->bytes, a->address->size) == 0;
	case CEL_URL:
		return text_is(a->url->scheme, b->url->scheme) &&
			text_is(a->url->host, b->url->host) &&
			text_is(a->url->path, b->url->path) &&
			text_is(a->url->query, b->url->query);
	case CEL_FORMAT: return a->format == b->format && a->size == b->size;
	default: return false;
	}
}

bool cel_equal(struct cel_run *run, const struct cel_value *a, const struct cel_value *b)
{
	bool equal = false;

	if (cel_is_number(a) && cel_is_number(b))
		return order_of_numbers(a, b) == CEL_SAME;
	if (a->kind != b->kind)
		return false;
	if (a->kind == CEL_STRING || a->kind == CEL_BYTES)
		return text_is(cel_text(a), cel_text(b));
	if (a->kind != CEL_LIST && a->kind != CEL_MAP && a->kind != CEL_OPTIONAL) {
		enum cel_order order = cel_compare(a, b);

		return order == CEL_INCOMPARABLE ? equal_others(run, a, b) : order == CEL_SAME;
	}
	if (++run->depth > CEL_STACK_MAX || !cel_work(run, 1))
		run->stopped = run->stopped == 0 ? CEL_FAULT_COST : run->stopped;
	else if (a->kind == CEL_OPTIONAL)
		equal = equal_others(run, a, b);
	else
		equal = a->kind == CEL_LIST ? equal_lists(run, a, b) : equal_maps(run, a, b);
	run->depth--;
	return equal && run->stopped == 0;
}
