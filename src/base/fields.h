/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What may stand in a document of a person, as tables: a field's name, its type, where it lands in
 * a struct, what it is when it is left out, and simple rules. Who reads such documents, says what
 * is wrong with them and writes them is profile/fields.h.
 */
#ifndef BERTH_BASE_FIELDS_H
#define BERTH_BASE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

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
	FIELD_BOOL,        /* bool */
	FIELD_I32,         /* int32_t */
	FIELD_I64,         /* int64_t */
	FIELD_WEIGHT,      /* int64_t: a 0 is as good as leaving it out */
	FIELD_OPTIONAL,    /* struct config_optional */
	FIELD_REAL,        /* double */
	FIELD_TEXT,        /* struct text */
	FIELD_BASE64,      /* struct text: the bytes */
	FIELD_DURATION,    /* int64_t: microseconds */
	FIELD_TIMEOUT,     /* the same; a 0 is as good as leaving it out */
	FIELD_NANOS,       /* the same, but written as a number of nanoseconds */
	FIELD_TEXTS,       /* struct config_list of struct text */
	FIELD_OBJECT,      /* a struct as a member */
	FIELD_POINTER,     /* a pointer to a struct, NULL when not given */
	FIELD_LIST,        /* struct config_list of structs; empty is as good as leaving it out */
	FIELD_NODE,        /* const struct yaml_node *: to be read later */
	FIELD_UNSUPPORTED, /* known to kube-scheduler, not to us */
	FIELD_FORBIDDEN    /* must not be there: `why` */
};

struct fields;

struct field {
	const char *name;
	uint8_t type;  /* enum field_type */
	bool is_shown; /* of lists and texts: also written when it is empty */
	uint16_t at;   /* in the struct */
	uint16_t most; /* elements of a list */
	union {
		/* FIELD_OBJECT, FIELD_POINTER, FIELD_LIST */
		const struct fields *inside;
		/* FIELD_TEXT */
		struct {
			const char *text;    /* when it is left out */
			const char *choices; /* not empty, one of "\"A\", \"B\""; NULL: any */
		};
		/* Numbers, durations and truths; FIELD_FORBIDDEN has but `why` */
		struct {
			int64_t value;           /* when it is left out */
			int64_t least, greatest; /* else `why`; NULL: any */
			const char *why;
		};
	};
};
#define FIELD(field_name, field_type, field_at, field_inside, field_most)     \
	{                                                                     \
		.name = (field_name), .type = (field_type), .at = (field_at), \
		.inside = (field_inside), .most = (field_most)                \
	}

struct fields {
	const struct field *list;
	uint32_t count;
	size_t size;               /* of the struct */
	void (*prepare)(void *to); /* fills in what an absent field means; NULL: the rows do */
	bool any_case;             /* as Go's own decoder: "URLPREFIX" is urlPrefix */
	bool lenient;              /* what is not known is remarked, not refused */
};

#endif
