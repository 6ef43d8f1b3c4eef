/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Documents into structs, by tables of fields. Strict: a field that no table knows or of a wrong
 * type is a fault; reading goes on behind it, so that all faults are found.
 *
 * What is checked after reading names fields by their path; the path leads back to the place in
 * the document, so plain structs carry no positions.
 */
#ifndef BERTH_PROFILE_FIELDS_H
#define BERTH_PROFILE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/nearest.h"
#include "base/scratch.h"
#include "base/text.h"
#include "profile/faults.h"
#include "yaml/yaml.h"

struct config_list {
	const void *items;
	uint32_t count;
};
#define CONFIG_LIST(list, type) ((const type *)(list).items)

struct config_optional {
	bool given;
	int32_t value;
};

enum field_type {
	FIELD_BOOL,       /* bool */
	FIELD_I32,        /* int32_t */
	FIELD_I64,        /* int64_t */
	FIELD_WEIGHT,     /* int64_t: a 0 is as good as leaving it out */
	FIELD_OPTIONAL,   /* struct config_optional */
	FIELD_REAL,       /* double */
	FIELD_TEXT,       /* struct text */
	FIELD_BASE64,     /* struct text: the bytes */
	FIELD_DURATION,   /* int64_t: microseconds */
	FIELD_TIMEOUT,    /* the same; a 0 is as good as leaving it out */
	FIELD_NANOS,      /* the same, but written as a number of nanoseconds */
	FIELD_TEXTS,      /* struct config_list of struct text */
	FIELD_OBJECT,     /* a struct as a member */
	FIELD_POINTER,    /* a pointer to a struct, NULL when not given */
	FIELD_LIST,       /* struct config_list of structs; empty is as good as leaving it out */
	FIELD_NODE,       /* const struct yaml_node *: to be read later */
	FIELD_UNSUPPORTED /* known to kube-scheduler, not to us */
};

struct fields;

struct field {
	const char *name;
	uint8_t type; /* enum field_type */
	uint16_t at;  /* in the struct */
	const struct fields *inside;
	uint16_t most; /* elements of a list */
};

struct fields {
	const struct field *list;
	uint32_t count;
	size_t size;               /* of the struct */
	void (*prepare)(void *to); /* fills in what an absent field means; NULL: zero */
	bool any_case;             /* as Go's own decoder: "URLPREFIX" is urlPrefix */
	bool lenient;              /* what is not known is remarked, not refused */
};

enum { FIELDS_PATH_MAX = 512 };

struct reading {
	const struct yaml_node *root;
	struct scratch *scratch;
	struct config_faults *faults;
	struct config_faults *notes;
	struct writer path; /* of what is being looked at */
	char path_bytes[FIELDS_PATH_MAX];
};

void reading_init(struct reading *r, const struct yaml_node *root, struct scratch *scratch,
	struct config_faults *faults, struct config_faults *notes);

/* Reads an object into the struct, which is prepared first. A null is an empty object. */
void fields_read(
	struct reading *r, const struct yaml_node *node, const struct fields *fields, void *to);

/* ---- where we are; reading_leave() takes what the two return ---- */

size_t reading_enter(struct reading *r, const char *name);
size_t reading_enter_index(struct reading *r, uint32_t index);
void reading_leave(struct reading *r, size_t before);
struct config_place reading_place(const struct reading *r);

/*
 * ---- rules: `child` is a field below where we are, "" for just there ----
 * The words in front are those of kube-scheduler's field errors.
 */

void refuse(struct reading *r, const char *child, const char *format, ...) PRINTF_LIKE(3, 4);
void refuse_i64(struct reading *r, const char *child, int64_t value, const char *why);
void refuse_us(struct reading *r, const char *child, int64_t us, const char *why);
void refuse_text(struct reading *r, const char *child, struct text value, const char *why);
/* True when it is a label key. */
bool require_label_name(struct reading *r, const char *child, struct text name);
void refuse_missing(struct reading *r, const char *child, const char *why); /* why may be "" */
void refuse_duplicate(struct reading *r, const char *child, struct text value);
/* The why, and which name may have been meant. */
void refuse_misnamed(struct reading *r, const char *child, struct text name, const char *why,
	const struct nearest *nearest);
void refuse_unsupported(
	struct reading *r, const char *child, struct text value, const char *supported);
void remark(struct reading *r, const char *child, const char *what); /* a note, no fault */

#endif
