/* SPDX-License-Identifier: GPL-2.0-only */
/* What kube/ knows about values in configuration files, for config/, which is below it. */
#include "cycle/profile.h"
#include "kube/quantity.h"
#include "kube/requirement.h"
#include "kube/time.h"

static bool read_bytes(struct text t, uint64_t *bytes)
{
	struct quantity q;
	if (quantity_parse(t, &q) != QUANTITY_OK || quantity_value(&q) <= 0)
		return false;
	*bytes = (uint64_t)quantity_value(&q);
	return true;
}

/* A label key is the key of a requirement, whose words begin with the field's name. */
static void write_label_fault(struct text name, struct writer *out)
{
	static const struct requirement_place nowhere = {.path = NULL};
	struct requirement_errors errors;
	const struct requirement r = {.key = name};
	requirement_errors_init(&errors);
	requirement_explain(&errors, &nowhere, &r, KUBE_EXISTS);
	CHECK(errors.count == 1);
	struct text words = requirement_errors_text(&errors);
	write_text(out, text_from(words, strlen("key: ")));
}

const struct config_grammar profile_grammar = {.duration = kube_duration_parse,
	.duration_print = kube_duration_print,
	.label_name = kube_is_qualified_name,
	.label_fault = write_label_fault,
	.bytes = read_bytes};
