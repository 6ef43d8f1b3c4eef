/* SPDX-License-Identifier: GPL-2.0-only */
/* Selection: the field and label selectors of one list or watch. */
#ifndef BERTH_TOOLS_APISIM_SELECTION_H
#define BERTH_TOOLS_APISIM_SELECTION_H

#include "apisim/registry.h"
#include "apisim/resources.h"
#include "apisim/tree.h"

enum { SELECTION_TERMS_MAX = 8, SELECTION_TEXT_MAX = 1024 };

enum selection_op { SELECTION_IS, SELECTION_IS_NOT, SELECTION_EXISTS, SELECTION_ABSENT };

struct selection_term {
	bool label;
	enum selection_op op;
	struct text key, value; /* point into text[] of the selection */
};

/* Must not be copied once terms are in it. */
struct selection {
	uint32_t count;
	struct selection_term terms[SELECTION_TERMS_MAX];
	struct text namespace; /* .at NULL: all */
	char text[SELECTION_TEXT_MAX];
	size_t used;
};

/* False: *fault has the apiserver's words. A selector may be TEXT_NONE. */
MUST_USE bool selection_parse(struct selection *s, enum resource_number resource,
	struct text namespace, struct text fields, struct text labels, struct writer *fault);
bool selection_has(const struct selection *s, const struct registry *r, uint32_t revision,
	struct scratch *scratch);

#endif
