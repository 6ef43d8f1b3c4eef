/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values: lists and maps of both worlds (ours and the hosts'), comparison, errors. For cel/ only.
 */
#ifndef BERTH_CEL_VALUE_H
#define BERTH_CEL_VALUE_H

#include "cel/cel.h"

/* Of nodes and values together; what is evaluated takes two thirds at most. */
enum { CEL_STACK_MAX = 3 * CEL_DEPTH_MAX };

/* The texts are upstream's; %v is the value that the error is about. */
enum cel_fault {
	CEL_FAULT_TEXT, /* the value's own text */
	CEL_FAULT_NO_OVERLOAD,
	CEL_FAULT_NO_KEY,
	CEL_FAULT_NO_INDEX,
	CEL_FAULT_DIVISION,
	CEL_FAULT_MODULUS,
	CEL_FAULT_INT,
	CEL_FAULT_UINT,
	CEL_FAULT_DURATION,
	CEL_FAULT_TIMESTAMP,
	CEL_FAULT_NAN,
	CEL_FAULT_NO_VALUE,
	CEL_FAULT_UTF8,
	CEL_FAULT_COST,
	CEL_FAULT_MEMORY
};

struct cel_entry {
	struct cel_value key;
	struct cel_value value;
};

/* Larger ones have a table of indexes, so that many keys cost no more than few. */
struct cel_map {
	struct cel_entry *entries;
	uint32_t *table; /* index + 1, or 0; NULL: few entries */
	uint32_t table_size;
	uint32_t count;
	uint32_t max;
};

struct cel_address {
	uint8_t bytes[16];
	uint8_t size;   /* 4 or 16 */
	uint8_t prefix; /* CEL_CIDR */
};

struct cel_url {
	struct text scheme;
	struct text host; /* with port */
	struct text path; /* as it stands */
	struct text query;
};

/*
 * One evaluation. Once `stopped` says why (cost, memory), everything ends with that error: no
 * operator may absorb it.
 */
struct cel_run {
	const struct cel_program *program;
	const struct cel_value *variables;
	struct cel_value *locals;
	struct scratch *scratch;
	uint64_t cost;
	uint64_t cost_max;
	const void *regex; /* of the call that is made: its pattern, compiled */
	uint64_t work;     /* what is left of the bound on work that has no cost */
	uint32_t lazy;     /* names worked out so far */
	uint32_t depth;
	uint8_t stopped; /* CEL_FAULT_COST, CEL_FAULT_MEMORY, or 0 */
};

/* Work of so many elements or 16 bytes each; false (and stopped) when it was too much. */
MUST_USE bool cel_work(struct cel_run *run, uint64_t amount);
/* NULL (and stopped) when there is no room. Not zeroed in effect: callers fill it. */
void *cel_take(struct cel_run *run, uint64_t count, size_t size);

struct cel_value cel_fault(enum cel_fault fault);
struct cel_value cel_fault_about(enum cel_fault fault, struct cel_value about);
/* A text of its own, in the run's memory. */
struct cel_value cel_fault_text(struct cel_run *run, const char *format, ...) PRINTF_LIKE(2, 3);
/* The reason, with `part` in the place of its '%', if it has one. */
void cel_write_reason(struct writer *out, const char *reason, struct text part);
/* What ended the run. */
struct cel_value cel_stopped(const struct cel_run *run);

static inline struct text cel_text(const struct cel_value *v)
{
	return (struct text){v->text, v->size};
}
static inline struct cel_value cel_typed(enum cel_kind kind, int64_t integer, uint32_t size)
{
	return (struct cel_value){.kind = (uint8_t)kind, .size = size, .integer = integer};
}
static inline struct cel_value cel_list_of(const struct cel_value *items, uint32_t count)
{
	return (struct cel_value){.kind = CEL_LIST, .size = count, .items = items};
}

/* A copy of the text; an error when there is no room. */
struct cel_value cel_new_string(struct cel_run *run, struct text t);
struct cel_value cel_new_optional(struct cel_run *run, const struct cel_value *value);

/* "int", "list", "google.protobuf.Duration", ... */
struct text cel_kind_name(enum cel_kind kind);

/* Elements of a list, entries of a map, code points of a string, bytes; 1 of all others. */
uint32_t cel_size(const struct cel_value *v);
/* Element of a list. `index` must be in range. */
struct cel_value cel_at(const struct cel_value *list, uint32_t index);
void cel_entry_at(const struct cel_value *map, uint32_t index, struct cel_value *key,
	struct cel_value *value);
bool cel_find(struct cel_run *run, const struct cel_value *map, const struct cel_value *key,
	struct cel_value *value);
/* Appends; an error value when the key is there already or cannot be one. */
struct cel_value cel_map_init(struct cel_run *run, uint32_t max, struct cel_map **map);
struct cel_value cel_map_put(
	struct cel_run *run, struct cel_map *map, struct cel_value key, struct cel_value value);
/* For a key that is there. */
struct cel_value cel_map_replace(
	struct cel_run *run, struct cel_map *map, struct cel_value key, struct cel_value value);
/* Room for twice as many. */
struct cel_value cel_map_grow(struct cel_run *run, struct cel_map *map);

/* Equality across kinds: false, never an error, unless the run stops. */
bool cel_equal(struct cel_run *run, const struct cel_value *a, const struct cel_value *b);
enum cel_order { CEL_LESS = -1, CEL_SAME = 0, CEL_MORE = 1, CEL_UNORDERED, CEL_INCOMPARABLE };
enum cel_order cel_compare(const struct cel_value *a, const struct cel_value *b);
bool cel_is_number(const struct cel_value *v);

/* As %v of upstream's language shows it: text without quotes. */
void cel_print_plain(const struct cel_value *value, struct writer *out);

/* The number of code points; an odd byte counts as one. */
uint32_t cel_points(struct text t);
/* Takes one code point off the front (0xfffd for an odd byte); t must not be empty. */
uint32_t cel_point(struct text *t);

#endif
