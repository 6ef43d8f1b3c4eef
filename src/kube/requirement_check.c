/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is a valid requirement, and the words for what is not.
 *
 * What kube-scheduler does: labels.NewRequirement checks key, number of values and each value,
 * and returns all faults of the requirement at once as field errors: `key: Invalid value: "a b":
 * name part must consist of ...`. Several are joined as "[a, b]". These texts reach people in
 * events and statuses, so they are the same here.
 */
#include "kube/requirement.h"
#include "base/chars.h"
#include "kube/name_rule.h"

static bool is_lower_or_digit(char c)
{
	return char_is_lower(c) || char_is_digit(c);
}

static bool is_alphanumeric(char c)
{
	return char_is_letter(c) || char_is_digit(c);
}

/* The form of names and non-empty label values, whatever their length. */
static bool has_name_form(struct text t)
{
	if (t.size == 0 || !is_alphanumeric(t.at[0]) || !is_alphanumeric(t.at[t.size - 1]))
		return false;
	for (size_t i = 0; i < t.size; i++) {
		char c = t.at[i];
		if (!is_alphanumeric(c) && c != '-' && c != '_' && c != '.')
			return false;
	}
	return true;
}

static bool has_subdomain_form(struct text t)
{
	struct text label;
	bool any = false;
	while (text_cut(&t, '.', &label)) {
		any = true;
		if (label.size == 0 || !is_lower_or_digit(label.at[0]) ||
			!is_lower_or_digit(label.at[label.size - 1]))
			return false;
		for (size_t i = 0; i < label.size; i++) {
			if (!is_lower_or_digit(label.at[i]) && label.at[i] != '-')
				return false;
		}
	}
	return any;
}

bool kube_is_qualified_name(struct text t)
{
	size_t slash = text_find(t, '/');
	if (slash == t.size)
		return t.size <= KUBE_NAME_MAX && has_name_form(t);
	struct text prefix = text_first(t, slash);
	struct text name = text_from(t, slash + 1);
	return prefix.size <= KUBE_SUBDOMAIN_MAX && has_subdomain_form(prefix) &&
		name.size <= KUBE_NAME_MAX && has_name_form(name);
}

bool kube_is_label_value(struct text t)
{
	return t.size == 0 || (t.size <= KUBE_NAME_MAX && has_name_form(t));
}

void requirement_errors_init(struct requirement_errors *errors)
{
	errors->count = 0;
	writer_init(&errors->out, errors->bytes, sizeof(errors->bytes));
	write_char(&errors->out, '[');
}

struct text requirement_errors_text(struct requirement_errors *errors)
{
	CHECK(errors->count > 0);
	if (errors->count == 1)
		return text_from(writer_text(&errors->out), 1);
	write_char(&errors->out, ']');
	return writer_text(&errors->out);
}

/* A string as Go's %q prints it, as far as labels have reason to: quotes and control characters. */
void requirement_write_quoted(struct writer *out, struct text t)
{
	write_char(out, '"');
	for (size_t i = 0; i < t.size; i++) {
		unsigned char c = (unsigned char)t.at[i];
		if (c == '"' || c == '\\') {
			write_char(out, '\\');
			write_char(out, (char)c);
		} else if (c == '\n') {
			write_z(out, "\\n");
		} else if (c == '\t') {
			write_z(out, "\\t");
		} else if (c == '\r') {
			write_z(out, "\\r");
		} else if (c < 0x20 || c == 0x7f) {
			write_format(out, "\\x%02x", c);
		} else {
			write_char(out, (char)c);
		}
	}
	write_char(out, '"');
}

/* Begins an error: "path[1].matchExpressions[0].child". */
static struct writer *error_begin(
	struct requirement_errors *errors, const struct requirement_place *place, const char *child)
{
	struct writer *out = &errors->out;
	if (errors->count++ > 0)
		write_z(out, ", ");
	if (place->path != NULL)
		write_format(out, "%s[%u].", place->path, place->term);
	if (place->list != NULL)
		write_format(out, "%s[%u].", place->list, place->index);
	write_z(out, child);
	return out;
}

/* Faults of one thing are joined by "; " behind the first ": ". */
struct faults {
	struct writer *out;
	bool any;
};

static struct writer *fault_begin(struct faults *faults)
{
	write_z(faults->out, faults->any ? "; " : ": ");
	faults->any = true;
	return faults->out;
}

static void write_name_rule(struct writer *out, const char *part, enum kube_name_rule rule)
{
	write_z(out, part);
	kube_name_write_rule(rule, out);
}

static void explain_prefix(struct faults *faults, struct text prefix)
{
	if (prefix.size == 0) {
		write_z(fault_begin(faults), "prefix part must be non-empty");
		return;
	}
	if (prefix.size > KUBE_SUBDOMAIN_MAX)
		write_format(fault_begin(faults), "prefix part must be no more than %d bytes",
			KUBE_SUBDOMAIN_MAX);
	if (!has_subdomain_form(prefix))
		write_name_rule(fault_begin(faults), "prefix part ", KUBE_DNS_SUBDOMAIN);
}

static void explain_key(
	struct requirement_errors *errors, const struct requirement_place *place, struct text key)
{
	if (kube_is_qualified_name(key))
		return;
	struct faults faults = {error_begin(errors, place, "key: Invalid value: "), false};
	requirement_write_quoted(faults.out, key);
	struct text name = key;
	size_t slash = text_find(key, '/');
	if (slash < key.size) {
		name = text_from(key, slash + 1);
		if (text_find(name, '/') < name.size) {
			write_name_rule(
				fault_begin(&faults), "a valid label key ", KUBE_QUALIFIED_NAME);
			write_z(faults.out,
				" with an optional DNS subdomain prefix and '/' "
				"(e.g. 'example.com/MyName')");
			return;
		}
		explain_prefix(&faults, text_first(key, slash));
	}
	if (name.size == 0)
		write_z(fault_begin(&faults), "name part must be non-empty");
	else if (name.size > KUBE_NAME_MAX)
		write_format(fault_begin(&faults), "name part must be no more than %d bytes",
			KUBE_NAME_MAX);
	if (!has_name_form(name))
		write_name_rule(fault_begin(&faults), "name part ", KUBE_QUALIFIED_NAME);
}

static void explain_value(struct requirement_errors *errors, const struct requirement_place *place,
	struct text key, struct text value, uint32_t index)
{
	if (kube_is_label_value(value))
		return;
	struct faults faults = {error_begin(errors, place, "values"), false};
	write_format(faults.out, "[%u][", index);
	write_text(faults.out, key);
	write_z(faults.out, "]: Invalid value: ");
	requirement_write_quoted(faults.out, value);
	if (value.size > KUBE_NAME_MAX)
		write_format(fault_begin(&faults), "must be no more than %d bytes", KUBE_NAME_MAX);
	if (!has_name_form(value))
		write_name_rule(fault_begin(&faults), "", KUBE_LABEL_VALUE);
}

void requirement_error_values(struct requirement_errors *errors,
	const struct requirement_place *place, struct json_value values, const char *detail)
{
	struct writer *out = error_begin(errors, place, "values: Invalid value: ");
	struct json_walk walk = json_walk(values);
	char separator = '[';
	while (json_walk_next(&walk)) {
		write_char(out, separator);
		requirement_write_quoted(out, json_text(walk.value));
		separator = ',';
	}
	write_z(out, separator == '[' ? "null: " : "]: ");
	write_z(out, detail);
}

void requirement_error_operator(struct requirement_errors *errors,
	const struct requirement_place *place, struct text operator, const char * supported)
{
	struct writer *out = error_begin(errors, place, "operator: Unsupported value: ");
	requirement_write_quoted(out, operator);
	write_z(out, ": supported values: ");
	write_z(out, supported);
}

static void explain_numbers(struct requirement_errors *errors,
	const struct requirement_place *place, struct json_value values)
{
	if (json_count(values) != 1)
		requirement_error_values(errors, place, values,
			"for 'Gt', 'Lt' operators, exactly one value is required");
	struct json_walk walk = json_walk(values);
	for (uint32_t i = 0; json_walk_next(&walk); i++) {
		int64_t number;
		struct text value = json_text(walk.value);
		if (text_to_i64(value, &number))
			continue;
		struct writer *out = error_begin(errors, place, "values");
		write_format(out, "[%u]: Invalid value: ", i);
		requirement_write_quoted(out, value);
		write_z(out, ": for 'Gt', 'Lt' operators, the value must be an integer");
	}
}

bool requirement_is_valid(const struct requirement *r, uint32_t op)
{
	if (!kube_is_qualified_name(r->key))
		return false;
	if (r->single)
		return kube_is_label_value(json_text(r->values));
	uint32_t count = json_count(r->values);
	bool is_number = op == KUBE_GT || op == KUBE_LT;
	bool is_set = op == KUBE_IN || op == KUBE_NOT_IN;
	if (is_number ? count != 1 : is_set != (count > 0))
		return false;
	struct json_walk walk = json_walk(r->values);
	while (json_walk_next(&walk)) {
		int64_t number;
		struct text value = json_text(walk.value);
		if (!kube_is_label_value(value) || (is_number && !text_to_i64(value, &number)))
			return false;
	}
	return true;
}

void requirement_explain(struct requirement_errors *errors, const struct requirement_place *place,
	const struct requirement *r, uint32_t op)
{
	explain_key(errors, place, r->key);
	if (r->single) {
		explain_value(errors, place, r->key, json_text(r->values), 0);
		return;
	}
	uint32_t count = json_count(r->values);
	switch ((enum kube_op)op) {
	case KUBE_IN:
	case KUBE_NOT_IN:
		if (count == 0)
			requirement_error_values(errors, place, r->values,
				"for 'in', 'notin' operators, values set can't be empty");
		break;
	case KUBE_EXISTS:
	case KUBE_DOES_NOT_EXIST:
		if (count != 0)
			requirement_error_values(errors, place, r->values,
				"values set must be empty for exists and does not exist");
		break;
	case KUBE_GT:
	case KUBE_LT: explain_numbers(errors, place, r->values); break;
	}
	struct json_walk walk = json_walk(r->values);
	for (uint32_t i = 0; json_walk_next(&walk); i++)
		explain_value(errors, place, r->key, json_text(walk.value), i);
}
