/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flags of a command, by table: --flag=value, --flag value, -f value, -f=value, -fvalue; a flag
 * that is a yes or no needs no value. "--" ends them; what is not a flag is a word, wherever it
 * stands.
 */
#ifndef BERTH_COMMAND_FLAGS_H
#define BERTH_COMMAND_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/text.h"

enum flag_type {
	FLAG_BOOL,   /* bool */
	FLAG_TEXT,   /* const char *, as it stands in argv */
	FLAG_BYTES,  /* uint64_t: a quantity, "256Mi" */
	FLAG_CHOICE, /* uint32_t: which of the alternatives in `value`, "table|json" */
	FLAG_LIST    /* struct flag_list: may come more than once */
};

struct flag_list {
	const char **at; /* the caller's */
	uint32_t count;
	uint32_t room;
};

struct flag {
	const char *name;
	char letter;       /* 0: none */
	uint8_t type;      /* enum flag_type */
	uint16_t at;       /* in the struct that flags_read() fills */
	const char *value; /* what stands for it in the help; the alternatives of a choice */
	const char *help;
};

enum flags_result {
	FLAGS_READ,
	FLAGS_HELP, /* --help or -h was among them */
	FLAGS_WRONG /* the fault says what */
};

/*
 * Words move to the front of argv[1..], in order, and *words is how many there are. What no flag
 * sets stays as it was.
 */
MUST_USE enum flags_result flags_read(const struct flag *flags, uint32_t count, void *to, int argc,
	char **argv, int *words, struct writer *fault);

/* False when there is no room. */
MUST_USE bool flag_list_add(struct flag_list *list, const char *value);

/* A line or two for each flag, with what it is in `defaults` when it is not given. */
void flags_help(const struct flag *flags, uint32_t count, const void *defaults, struct writer *out);

#endif
