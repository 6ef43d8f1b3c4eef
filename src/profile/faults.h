/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is wrong with a file that a person wrote: each fault with its place, the field's path, and
 * what would be right. All of them are collected, so that a file is mended in one go.
 */
#ifndef BERTH_PROFILE_FAULTS_H
#define BERTH_PROFILE_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/text.h"

enum {
	CONFIG_FAULTS_MAX = 64,
	CONFIG_FAULTS_BYTES = 16 * 1024, /* of all paths and messages together */
	CONFIG_VALUE_SHOWN = 64          /* bytes of a value that are repeated in a message */
};

struct config_place {
	uint32_t line; /* from 1; 0: the file as a whole */
	uint32_t column;
};

struct config_fault {
	struct text source; /* the file; TEXT_NONE: whatever was read */
	struct config_place place;
	struct text path;    /* "profiles[0].schedulerName"; empty for the whole file */
	struct text message; /* "Invalid value: 0: must be greater than 0" */
	bool unread;         /* the value is of a wrong type: no rule can say more about it */
};

/* One list for what makes a file unusable, another one for what is only worth a line in the log. */
struct config_faults {
	struct config_fault list[CONFIG_FAULTS_MAX];
	uint32_t count;
	uint32_t dropped;   /* found no room in the list */
	struct text source; /* of faults from here on; the text stays where it is */
	struct writer out;
	char bytes[CONFIG_FAULTS_BYTES];
};

void config_faults_init(struct config_faults *faults);

/* Those that found no room, too. */
static inline uint32_t config_faults_count(const struct config_faults *faults)
{
	return faults->count + faults->dropped;
}

/*
 * Opens the next fault and returns the writer of its message; config_fault_end() closes it.
 * Control characters become '?': faults are shown in terminals.
 */
struct writer *config_fault_begin(
	struct config_faults *faults, struct config_place place, struct text path);
void config_fault_end(struct config_faults *faults);
void config_fault(struct config_faults *faults, struct config_place place, struct text path,
	const char *format, ...) PRINTF_LIKE(4, 5);

/* For printf: at most CONFIG_VALUE_SHOWN bytes of the text. */
#define CONFIG_SHOWN(t)                                                               \
	(int)((t).size < CONFIG_VALUE_SHOWN ? (t).size : (size_t)CONFIG_VALUE_SHOWN), \
		(t).at == NULL ? "" : (t).at

/* The fault that was ended last is of that kind. */
void config_fault_mark_unread(struct config_faults *faults);
/* Is the path at or below a value that was not read? */
bool config_fault_is_below_unread(const struct config_faults *faults, struct text path);

/* In the order of the file, those of no place first; rules find them in an order of their own. */
void config_faults_sort(struct config_faults *faults);

/* "text", with escapes for what does not print, cut off after CONFIG_VALUE_SHOWN bytes. */
void config_write_quoted(struct writer *out, struct text t);

/* A line each: "FILE:LINE:COLUMN: path: message". `file` is that of faults without source. */
void config_faults_print(const struct config_faults *faults, struct text file, struct writer *out);

#endif
