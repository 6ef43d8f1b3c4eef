/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * YAML, written line by line, as people write it: maps and lists in blocks, texts without quotes
 * where they stay texts. What is written is read back as the same.
 */
#ifndef BERTH_YAML_WRITE_H
#define BERTH_YAML_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct yaml_writer {
	struct writer *out; /* its overflow is looked at once, at the end */
	uint32_t depth;
	bool is_item; /* the next line begins an element of a list */
};

void yaml_write_init(struct yaml_writer *y, struct writer *out);
/* "key:" with a map or a list below, whose lines come until yaml_write_up(). */
void yaml_write_down(struct yaml_writer *y, const char *key);
void yaml_write_up(struct yaml_writer *y);
/* An element that is a map: its members come until yaml_write_up(). */
void yaml_write_item(struct yaml_writer *y);
void yaml_write_item_text(struct yaml_writer *y, struct text t);

/* "key: " without an end of line, for callers that write the value themselves. */
struct writer *yaml_write_key(struct yaml_writer *y, const char *key);
void yaml_write_text(struct yaml_writer *y, const char *key, struct text t);
void yaml_write_i64(struct yaml_writer *y, const char *key, int64_t value);
void yaml_write_real(struct yaml_writer *y, const char *key, double value);
void yaml_write_bool(struct yaml_writer *y, const char *key, bool value);
void yaml_write_none(struct yaml_writer *y, const char *key, const char *what); /* "[]", "{}" */

#endif
