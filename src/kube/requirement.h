/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to kube/: what label selectors and node selectors have in common. One requirement is
 * checked as upstream checks it, and errors have upstream's words.
 */
#ifndef BERTH_KUBE_REQUIREMENT_H
#define BERTH_KUBE_REQUIREMENT_H

#include "kube/decode.h"

bool kube_is_qualified_name(struct text t); /* a label key: [DNS subdomain/]name */
bool kube_is_label_value(struct text t);

enum { REQUIREMENT_ERRORS_SIZE = 2048 /* what is longer is cut off */ };

/* The errors of one selector, written one after the other. */
struct requirement_errors {
	char bytes[REQUIREMENT_ERRORS_SIZE];
	struct writer out;
	uint32_t count;
};
void requirement_errors_init(struct requirement_errors *errors);
/* "a" or "[a, b]" */
struct text requirement_errors_text(struct requirement_errors *errors);

/* A string as Go's %q prints it. */
void requirement_write_quoted(struct writer *out, struct text t);

/* Where a requirement stands, for the errors: path[term].list[index], or nothing at all. */
struct requirement_place {
	const char *path; /* NULL: the list is the first thing; "" is possible */
	uint32_t term;
	const char *list; /* NULL: no place (label selectors) */
	uint32_t index;
};

/* One requirement as it stands in JSON. */
struct requirement {
	struct text key;
	struct text operator;
	struct json_value values; /* an array or absent; or, when single, one string or null */
	bool single;
};
/* False when the element, or something in it, is of a wrong type. */
bool requirement_read(
	struct kube_build *b, struct json_value v, bool of_node, struct requirement *r);

/* False for an operator that is none; label selectors have no Gt and Lt. */
bool requirement_op(struct text operator, bool of_node, uint32_t *op);

/* The two say the same; the second in words, which are appended. */
bool requirement_is_valid(const struct requirement *r, uint32_t op);
void requirement_explain(struct requirement_errors *errors, const struct requirement_place *place,
	const struct requirement *r, uint32_t op);
void requirement_error_operator(struct requirement_errors *errors,
	const struct requirement_place *place, struct text operator, const char * supported);
void requirement_error_values(struct requirement_errors *errors,
	const struct requirement_place *place, struct json_value values, const char *detail);

/*
 * Requirements are put in order before their values are written, so that equal selectors give
 * equal bytes. Until then a requirement remembers its values by their JSON token.
 */
void requirement_remember(struct kube_requirement *requirement, const struct requirement *r);
void requirements_finish(struct kube_build *b, const struct json_doc *doc,
	const struct kube_span *span, const char *field);

/* The rule of one requirement on a set of labels. */
bool requirement_matches(const void *blob, const struct kube_requirement *requirement,
	const struct kube_labels *labels, const struct intern *strings);

#endif
