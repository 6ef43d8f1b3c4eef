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

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fields.h"
#include "base/nearest.h"
#include "base/scratch.h"
#include "base/text.h"
#include "profile/faults.h"
#include "yaml/write.h"
#include "yaml/yaml.h"

enum { FIELDS_PATH_MAX = 512 };

struct reading {
	const struct yaml_node *root;
	struct text source; /* the document's bytes; TEXT_NONE: not at hand */
	struct scratch *scratch;
	struct config_faults *faults;
	struct config_faults *notes;
	struct writer path; /* of what is being looked at */
	char path_bytes[FIELDS_PATH_MAX];
};

void reading_init(struct reading *r, const struct yaml_node *root, struct scratch *scratch,
	struct config_faults *faults, struct config_faults *notes);

/* What the struct is when the document says nothing. */
void fields_prepare(const struct fields *fields, void *to);
/* Reads an object into the struct, which is prepared first. A null is an empty object. */
void fields_read(
	struct reading *r, const struct yaml_node *node, const struct fields *fields, void *to);
/* The rules of the rows, below where we are. */
void fields_check(struct reading *r, const struct fields *fields, const void *from);
/* The members of an object, in the order of the alphabet; read again they are the same. */
void fields_write(struct yaml_writer *y, const struct fields *fields, const void *from);

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
void refuse_v(struct reading *r, const char *child, const char *format, va_list args)
	PRINTF_LIKE(3, 0);
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
