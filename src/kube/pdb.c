/* SPDX-License-Identifier: GPL-2.0-only */
/* PodDisruptionBudget. */
#include "kube/decode.h"

static const struct json_want want_spec[] = {
	{"selector", NULL},
	{NULL, NULL},
};

static const struct json_want want_status[] = {
	{"disruptionsAllowed", NULL},
	{"disruptedPods", NULL},
	{NULL, NULL},
};

const struct json_want kube_pdb_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", kube_want_metadata},
	{"spec", want_spec},
	{"status", want_status},
	{NULL, NULL},
};

/* The keys of a map whose values (times) are not read. */
static void disrupted_build(struct kube_build *b, struct json_value v, struct kube_span *span)
{
	struct json_walk walk = kube_read_object(b, v, "status.disruptedPods");
	uint32_t count = json_type(v) == JSON_OBJECT ? json_count(v) : 0;
	uint32_t *names = kube_build_array(b, sizeof(*names), count, span);
	for (uint32_t i = 0; names != NULL && json_walk_next(&walk); i++)
		names[i] = kube_build_string(b, walk.key);
	if (kube_failed(b) || count < 2)
		return;
	kube_sort(names, sizeof(*names), 1, count);
	kube_build_shorten(
		b, sizeof(*names), kube_sorted_unique(names, sizeof(*names), 1, count), span);
}

static void pdb_fill(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_pdb *pdb = head;
	(void)meta;
	kube_selector_build(b, kube_read_member(b, json_get(object, "spec"), "selector", "spec"),
		&pdb->selector);
	struct json_value status = json_get(object, "status");
	pdb->disruptions_allowed =
		kube_read_i32(b, kube_read_member(b, status, "disruptionsAllowed", "status"), 0,
			"status.disruptionsAllowed");
	disrupted_build(b, json_get(status, "disruptedPods"), &pdb->disrupted);
}

enum kube_result kube_pdb_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(b, object, KUBE_PDB, sizeof(struct kube_pdb), pdb_fill, out);
}
