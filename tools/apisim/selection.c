/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selectors. Most lists ask for a phase, a node or a name, which the registry keeps beside the
 * text; what is asked by anything else costs a parse of each object.
 */
#include "apisim/selection.h"

/* What can be asked for besides metadata.name and metadata.namespace. */
static const struct known_field {
	enum resource_number resource;
	const char *field;
	const char *path; /* where it stands in what is kept, if elsewhere */
} known_fields[] = {
	{RESOURCE_PODS, "spec.nodeName", NULL},
	{RESOURCE_PODS, "spec.restartPolicy", NULL},
	{RESOURCE_PODS, "spec.schedulerName", NULL},
	{RESOURCE_PODS, "spec.serviceAccountName", NULL},
	{RESOURCE_PODS, "spec.hostNetwork", NULL},
	{RESOURCE_PODS, "status.phase", NULL},
	{RESOURCE_PODS, "status.podIP", NULL},
	{RESOURCE_PODS, "status.nominatedNodeName", NULL},
	{RESOURCE_NODES, "spec.unschedulable", NULL},
	{RESOURCE_NAMESPACES, "status.phase", NULL},
	{RESOURCE_EVENTS, "regarding.kind", NULL},
	{RESOURCE_EVENTS, "regarding.namespace", NULL},
	{RESOURCE_EVENTS, "regarding.name", NULL},
	{RESOURCE_EVENTS, "regarding.uid", NULL},
	{RESOURCE_EVENTS, "reason", NULL},
	{RESOURCE_EVENTS, "reportingController", NULL},
	{RESOURCE_EVENTS, "type", NULL},
	{RESOURCE_CORE_EVENTS, "involvedObject.kind", "regarding.kind"},
	{RESOURCE_CORE_EVENTS, "involvedObject.namespace", "regarding.namespace"},
	{RESOURCE_CORE_EVENTS, "involvedObject.name", "regarding.name"},
	{RESOURCE_CORE_EVENTS, "involvedObject.uid", "regarding.uid"},
	{RESOURCE_CORE_EVENTS, "reason", NULL},
	{RESOURCE_CORE_EVENTS, "reportingComponent", "reportingController"},
	{RESOURCE_CORE_EVENTS, "type", NULL},
};

static bool resolve_field(enum resource_number resource, struct text *field, struct writer *fault)
{
	bool has_more = false;

	if (text_is_z(*field, "metadata.name") || text_is_z(*field, "metadata.namespace"))
		return true;
	for (size_t i = 0; i < ARRAY_COUNT(known_fields); i++) {
		const struct known_field *known = &known_fields[i];

		if (known->resource != resource)
			continue;
		has_more = true;
		if (!text_is_z(*field, known->field))
			continue;
		if (known->path != NULL)
			*field = text_of(known->path);
		return true;
	}
	if (has_more)
		write_format(fault, "field label not supported: %.*s", TEXT_ARGS(*field));
	else
		write_format(fault,
			"\"%.*s\" is not a known field selector: only \"metadata.name\", "
			"\"metadata.namespace\"",
			TEXT_ARGS(*field));
	return false;
}

static bool keep(struct selection *s, struct text from, struct text *to)
{
	if (from.size > sizeof(s->text) - s->used)
		return false;
	if (from.size > 0)
		memcpy(s->text + s->used, from.at, from.size);
	*to = (struct text){s->text + s->used, from.size};
	s->used += from.size;
	return true;
}

static bool add(struct selection *s, struct selection_term term, struct writer *fault)
{
	struct selection_term *to = &s->terms[s->count];

	if (s->count == SELECTION_TERMS_MAX) {
		write_z(fault, "too many selectors");
		return false;
	}
	*to = term;
	if (!keep(s, term.key, &to->key) || !keep(s, term.value, &to->value)) {
		write_z(fault, "the selector is too long");
		return false;
	}
	s->count++;
	return true;
}

/* key=value, key==value, key!=value; of labels key and !key as well. */
static bool split(struct text part, struct selection_term *term)
{
	size_t at = text_find(part, '=');

	term->op = SELECTION_IS;
	if (at == part.size) {
		bool absent = part.size > 0 && part.at[0] == '!';

		term->op = absent ? SELECTION_ABSENT : SELECTION_EXISTS;
		term->key = text_trim(text_from(part, absent));
		term->value = TEXT("");
		return term->label && term->key.size > 0 &&
			text_find(term->key, ' ') == term->key.size;
	}
	term->key = text_first(part, at);
	term->value = text_from(part, at + 1);
	if (at > 0 && part.at[at - 1] == '!') {
		term->op = SELECTION_IS_NOT;
		term->key = text_first(part, at - 1);
	} else if (term->value.size > 0 && term->value.at[0] == '=') {
		term->value = text_from(term->value, 1);
	}
	term->key = text_trim(term->key);
	term->value = text_trim(term->value);
	return term->key.size > 0;
}

static bool parse(struct selection *s, enum resource_number resource, bool label,
	struct text selector, struct writer *fault)
{
	struct text part;

	while (text_cut(&selector, ',', &part)) {
		struct selection_term term = {.label = label};

		if (text_trim(part).size == 0)
			continue;
		if (!split(text_trim(part), &term)) {
			write_z(fault,
				label ? "unable to parse requirement: " : "invalid selector: ");
			write_text(fault, part);
			return false;
		}
		if (!label && !resolve_field(resource, &term.key, fault))
			return false;
		if (!add(s, term, fault))
			return false;
	}
	return true;
}

bool selection_parse(struct selection *s, enum resource_number resource, struct text namespace,
	struct text fields, struct text labels, struct writer *fault)
{
	s->count = 0;
	s->used = 0;
	s->namespace = TEXT_NONE;
	if (namespace.size > 0 && !keep(s, namespace, &s->namespace)) {
		write_z(fault, "the namespace is too long");
		return false;
	}
	return parse(s, resource, false, fields, fault) && parse(s, resource, true, labels, fault);
}

/* The text of a field; "" when it is not there, as the apiserver has it. */
static struct text field_of(const struct registry *r, uint32_t revision, struct text field,
	struct tree **tree, struct scratch *scratch)
{
	const struct revision *state = registry_revision(r, revision);
	char path[64];

	if (text_is_z(field, "metadata.name"))
		return revision_name(state);
	if (text_is_z(field, "metadata.namespace"))
		return revision_namespace(state);
	if (text_is_z(field, "spec.nodeName"))
		return revision_node(state);
	if (text_is_z(field, "status.phase") && state->phase_size > 0)
		return revision_phase(state);
	if (*tree == NULL)
		*tree = tree_read(revision_json(state), scratch);
	if (!text_copy(field, path, sizeof(path)))
		return TEXT("");
	const struct tree *value = tree_path(*tree, path);
	if (value == NULL)
		return text_ends(field, TEXT("hostNetwork")) ||
				text_ends(field, TEXT("unschedulable"))
			? TEXT("false")
			: TEXT("");
	return value->text;
}

static bool term_holds(const struct selection_term *term, const struct registry *r,
	uint32_t revision, struct tree **tree, struct scratch *scratch)
{
	if (!term->label) {
		bool is = text_is(field_of(r, revision, term->key, tree, scratch), term->value);

		return is == (term->op == SELECTION_IS);
	}
	if (*tree == NULL)
		*tree = tree_read(revision_json(registry_revision(r, revision)), scratch);
	const struct tree *label = tree_get_text(tree_path(*tree, "metadata.labels"), term->key);
	switch (term->op) {
	case SELECTION_EXISTS: return label != NULL;
	case SELECTION_ABSENT: return label == NULL;
	case SELECTION_IS: return label != NULL && text_is(label->text, term->value);
	default: return label == NULL || !text_is(label->text, term->value);
	}
}

bool selection_has(const struct selection *s, const struct registry *r, uint32_t revision,
	struct scratch *scratch)
{
	struct scratch_mark mark = scratch_mark(scratch);
	struct tree *tree = NULL;
	bool holds = true;

	if (s->namespace.at != NULL &&
		!text_is(s->namespace, revision_namespace(registry_revision(r, revision))))
		return false;
	for (uint32_t i = 0; holds && i < s->count; i++)
		holds = term_holds(&s->terms[i], r, revision, &tree, scratch);
	scratch_rewind(scratch, mark);
	return holds;
}
