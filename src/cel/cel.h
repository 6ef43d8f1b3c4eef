/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CEL - the Common Expression Language with Kubernetes' libraries, as its scheduler has them.
 *
 * An expression is compiled once against declared variables (parsed, type-checked, constants worked
 * out) and evaluated as often as wanted, with values for the variables. Neither needs
 * memory but what it is given, and nothing recurses deeper than CEL_DEPTH_MAX.
 *
 * What the language has and this does not: protocol messages (`Name{field: 1}`), time zones by name
 * other than UTC, and Kubernetes' authorizer. Such expressions are refused with a text. Times are
 * held in UTC, whatever zone they were written in.
 */
#ifndef BERTH_CEL_CEL_H
#define BERTH_CEL_CEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/scratch.h"
#include "base/text.h"
#include "kube/quantity.h"

enum {
	CEL_DEPTH_MAX = 250, /* of nested expressions, as upstream's parser has it */
	CEL_SOURCE_MAX = 64 * 1024,
	CEL_COST_MAX = 1000 * 1000, /* what upstream lets one selector or rule cost */
	CEL_NANOS = 1000 * 1000 * 1000
};

/* ---- values ---- */

enum cel_kind {
	CEL_ERROR,
	CEL_NULL,
	CEL_BOOL,
	CEL_INT,
	CEL_UINT,
	CEL_DOUBLE,
	CEL_STRING,
	CEL_BYTES,
	CEL_DURATION,
	CEL_TIMESTAMP,
	CEL_LIST,
	CEL_MAP,
	CEL_TYPE,
	CEL_OPTIONAL,
	CEL_QUANTITY,
	CEL_SEMVER,
	CEL_IP,
	CEL_CIDR,
	CEL_URL,
	CEL_FORMAT,
	CEL_LAZY, /* not a value: what a name stands for before it is read */
	CEL_KINDS
};

struct cel_map;
struct cel_semver;
struct cel_address;
struct cel_url;
struct cel_format;

struct cel_value {
	uint8_t kind;
	uint8_t fault; /* CEL_ERROR: which (cel/value.h) */
	uint8_t about; /* CEL_ERROR: kind of the value that it is about, kept below */
	uint32_t size; /* bytes; elements; nanoseconds of a timestamp; a host's own number */
	union {
		bool truth;
		int64_t integer; /* CEL_DURATION: nanoseconds; CEL_TIMESTAMP: seconds since 1970 */
		uint64_t natural;
		double real;
		const char *text;              /* CEL_STRING, CEL_BYTES, CEL_TYPE */
		const struct cel_value *items; /* CEL_LIST; CEL_OPTIONAL: one or NULL */
		const struct cel_map *map;
		const struct quantity *quantity;
		const struct cel_semver *semver;
		const struct cel_address *address; /* CEL_IP, CEL_CIDR */
		const struct cel_url *url;
		const struct cel_format *format;
		const void *self; /* of a host */
	};
	const struct cel_host *host; /* CEL_LIST and CEL_MAP that live elsewhere; else NULL */
};

/*
 * A list or map of the caller's, looked at where it is. `of` is the value itself, with its `self`
 * and `size`, which CEL hands around without looking. Nothing may change while an expression is
 * evaluated, and what the functions give must outlive the result.
 */
struct cel_host {
	uint32_t (*count)(const struct cel_value *of);
	/* Entry `index` below count(), in any fixed order. A list's key is ignored. */
	void (*at)(const struct cel_value *of, uint32_t index, struct cel_value *key,
		struct cel_value *value);
	/* Maps only: false when there is no such key, of whatever kind it is. */
	bool (*find)(
		const struct cel_value *of, const struct cel_value *key, struct cel_value *value);
};

#define CEL_VALUE_NULL ((struct cel_value){.kind = CEL_NULL})
/* An error of a host's; the text stays where it is. */
static inline struct cel_value cel_error(struct text t)
{
	return (struct cel_value){
		.kind = CEL_ERROR, .about = CEL_STRING, .size = (uint32_t)t.size, .text = t.at};
}
static inline struct cel_value cel_bool(bool truth)
{
	return (struct cel_value){.kind = CEL_BOOL, .truth = truth};
}
static inline struct cel_value cel_int(int64_t integer)
{
	return (struct cel_value){.kind = CEL_INT, .integer = integer};
}
static inline struct cel_value cel_uint(uint64_t natural)
{
	return (struct cel_value){.kind = CEL_UINT, .natural = natural};
}
static inline struct cel_value cel_double(double real)
{
	return (struct cel_value){.kind = CEL_DOUBLE, .real = real};
}
static inline struct cel_value cel_string(struct text t)
{
	return (struct cel_value){.kind = CEL_STRING, .size = (uint32_t)t.size, .text = t.at};
}
static inline struct cel_value cel_quantity(const struct quantity *quantity)
{
	return (struct cel_value){.kind = CEL_QUANTITY, .quantity = quantity};
}
static inline struct cel_value cel_host_map(
	const struct cel_host *host, const void *self, uint32_t number)
{
	return (struct cel_value){.kind = CEL_MAP, .size = number, .self = self, .host = host};
}
static inline struct cel_value cel_host_list(
	const struct cel_host *host, const void *self, uint32_t number)
{
	return (struct cel_value){.kind = CEL_LIST, .size = number, .self = self, .host = host};
}

/*
 * A version for attributes: parsed once, into memory of the caller that must outlive the value.
 * The text, too, must stay. False when it is no semantic version.
 */
MUST_USE bool cel_semver_value(struct text t, struct cel_semver *semver, struct cel_value *value);

struct cel_semver {
	uint64_t number[3];
	struct text pre; /* without '-'; TEXT_NONE: none */
	struct text build;
};

/* ---- declarations ---- */

/*
 * Types are written as messages write them: "int", "list(string)", "map(string, dyn)", "any",
 * "kubernetes.Quantity", or the name of a declared object.
 */
struct cel_field {
	const char *name;
	const char *type;
};

/* Fields known by name; at run time a map. */
struct cel_object {
	const char *name;
	const struct cel_field *fields;
	uint32_t count;
};

struct cel_declarations {
	const struct cel_field *variables;
	uint32_t variables_count;
	const struct cel_object *objects;
	uint32_t objects_count;
};

/* ---- programs ---- */

struct cel_program;

/*
 * Compiles. The program goes to `keep` (some 30 bytes for each byte of source) and shares nothing
 * with `source` or `work`, which is as it was before afterwards (32 kB and 200 bytes for each byte
 * of source are enough). NULL when something is wrong: `errors` has upstream's text then, each
 * error with its line and column, and `keep` is as it was before.
 */
MUST_USE const struct cel_program *cel_compile(const struct cel_declarations *declarations,
	struct text source, struct scratch *work, struct scratch *keep, struct writer *errors);

/* The type that the expression has, as messages write it: "bool", "dyn", "list(int)", ... */
struct text cel_result_type(const struct cel_program *program);

/*
 * Calls fn for each place where the expression reads of the variable: `variable.field` or
 * `variable.field[key]`. The key is TEXT_NONE when it is not known, the field, too, when all of the
 * variable may be read.
 */
typedef void cel_read_fn(void *self, struct text field, struct text key);
void cel_each_read(
	const struct cel_program *program, uint32_t variable, cel_read_fn *fn, void *self);

/*
 * Evaluates with the values of all declared variables, in their order. Intermediate and result
 * values live in `scratch`; CEL_ERROR is a result like others. Stops with an error when
 * `cost_max` of upstream's units are used up (*cost, if not NULL, says how many were). Work that
 * upstream's units do not count (deep comparisons, copies) is bounded in proportion.
 */
struct cel_value cel_evaluate(const struct cel_program *program, const struct cel_value *variables,
	uint64_t cost_max, struct scratch *scratch, uint64_t *cost);

/* The text of an error. */
void cel_print_error(const struct cel_value *error, struct writer *out);
/* The value as an expression would write it; for messages and tests. */
void cel_print(const struct cel_value *value, struct writer *out);

#endif
