/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * YAML: documents as trees of nodes that know their line, typed as Kubernetes types them
 * (YAML 1.1: plain `true`, `no`, `~`, `0x10` and `1e3` are not text, quoted ones are).
 *
 * libyaml allocates in memory of its own that is fixed (memory.c). Everything else lives in the
 * caller's scratch. JSON is read as well: it is YAML.
 */
#ifndef BERTH_YAML_YAML_H
#define BERTH_YAML_YAML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/scratch.h"
#include "base/text.h"

enum {
	YAML_DEPTH_MAX = 64,
	YAML_KEYS_MAX = 4096,    /* of one map */
	YAML_ALIASED_MAX = 10000 /* nodes of a document that stand there by alias only */
};

enum yaml_kind {
	YAML_NULL,
	YAML_BOOL,
	YAML_INTEGER,
	YAML_FLOAT, /* or an integer that needs more than 64 bits */
	YAML_TEXT,
	YAML_LIST,
	YAML_MAP
};

struct yaml_node {
	enum yaml_kind kind;
	struct text text; /* of scalars, as it stands there, unquoted */
	uint32_t line;    /* from 1 */
	uint32_t column;
	uint32_t count;          /* elements, members */
	struct yaml_node *first; /* children in the order of the file */
	struct yaml_node *next;
	struct yaml_node *key; /* of a member of a map: a scalar; else NULL */
};

/* What is wrong with the file, for one line of output. */
struct yaml_fault {
	uint32_t line;
	uint32_t column;
	char what[160];
};

struct yaml_reader; /* over one text, document by document */

enum yaml_result { YAML_DOCUMENT, YAML_END, YAML_BROKEN };

/* NULL when memory is short. The reader lives in scratch; the text is needed until yaml_close(). */
struct yaml_reader *yaml_open(struct text text, struct scratch *scratch);
/* The next document's root, in scratch. An empty document is a YAML_NULL. */
MUST_USE enum yaml_result yaml_next(struct yaml_reader *reader, struct scratch *scratch,
	struct yaml_node **root, struct yaml_fault *fault);
void yaml_close(struct yaml_reader *reader);

/*
 * For files with one document: YAML_END when there is none, more than one is YAML_BROKEN. Empty
 * ones behind it do not count.
 */
MUST_USE enum yaml_result yaml_read(struct text text, struct scratch *scratch,
	struct yaml_node **root, struct yaml_fault *fault);

/* NULL when it is not there, or `map` is not a map (NULL included). */
struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);
/*
 * The same values in the same order; NULL is the same as nothing. What aliases have made deeper
 * than YAML_DEPTH_MAX is the same as nothing at all.
 */
bool yaml_is_same(const struct yaml_node *a, const struct yaml_node *b);
const char *yaml_kind_name(enum yaml_kind kind); /* "a map" */

/*
 * One line of JSON of the node: members in the order of the file, keys as text (`yes: 1` becomes
 * {"true":1}), numbers in decimal. False when it cannot be said in JSON (.nan, a null as key).
 */
MUST_USE bool yaml_write_json(
	const struct yaml_node *node, struct writer *out, struct yaml_fault *fault);

#endif
