/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading by tables.
 *
 * What kube-scheduler does: YAML becomes JSON, JSON becomes structs, strictly: what is unknown,
 * double or of another type is an error, and a null is the same as leaving the field out.
 * What we do: the same rules on the document itself, so that each fault knows its line.
 */
#include "profile/fields.h"

#include "base/nearest.h"
#include "base/real.h"
#include "kube/requirement.h"
#include "kube/time.h"
#include "base/base64.h"
#include "yaml/scalar.h"

enum { PLAIN_SIZE = 48, LABEL_SHOWN = 320 };

void reading_init(struct reading *r, const struct yaml_node *root, struct scratch *scratch,
	struct config_faults *faults, struct config_faults *notes)
{
	r->root = root;
	r->source = TEXT_NONE;
	r->scratch = scratch;
	r->faults = faults;
	r->notes = notes;
	writer_init(&r->path, r->path_bytes, sizeof(r->path_bytes));
}

/* ---- where we are ---- */

size_t reading_enter(struct reading *r, const char *name)
{
	size_t before = r->path.used;
	if (before > 0 && name[0] != '\0')
		write_char(&r->path, '.');
	write_z(&r->path, name);
	return before;
}

size_t reading_enter_index(struct reading *r, uint32_t index)
{
	size_t before = r->path.used;
	write_format(&r->path, "[%u]", index);
	return before;
}

void reading_leave(struct reading *r, size_t before)
{
	CHECK(before <= r->path.used);
	r->path.used = before;
	r->path.overflowed = false;
}

static struct config_place field_place_of(const struct yaml_node *node)
{
	return (struct config_place){node->line, node->column};
}

/* The first step of a path: a name, or a number in brackets (then *is_index). */
static struct text take_step(struct text *path, bool *is_index)
{
	size_t end = 1;
	*is_index = path->at[0] == '[';
	size_t start = *is_index || path->at[0] == '.' ? 1 : 0;
	while (end < path->size && path->at[end] != '.' && path->at[end] != '[')
		end++;
	struct text step = text_from(text_first(*path, end), start);
	if (*is_index && step.size > 0)
		step = text_first(step, step.size - 1);
	*path = text_from(*path, end);
	return step;
}

static const struct yaml_node *step_down(
	const struct yaml_node *node, struct text step, bool is_index)
{
	const struct yaml_node *at = node->first;
	uint64_t index = 0;
	if (node->kind != (is_index ? YAML_LIST : YAML_MAP))
		return NULL;
	if (is_index && !text_to_u64(step, &index))
		return NULL;
	for (; at != NULL; at = at->next)
		if (is_index ? index-- == 0 : text_is(at->key->text, step))
			return at;
	return NULL;
}

/* As far down as the document goes: what is missing is missing where it should have been. */
struct config_place reading_place(const struct reading *r)
{
	const struct yaml_node *node = r->root;
	struct text path = writer_text(&r->path);
	while (path.size > 0) {
		bool is_index;
		struct text step = take_step(&path, &is_index);
		const struct yaml_node *next = step_down(node, step, is_index);
		if (next == NULL)
			break;
		node = next;
	}
	return field_place_of(node);
}

/* ---- rules ---- */

/* NULL when the value could not be read, which was said already. */
static struct writer *refusal(struct reading *r, const char *child)
{
	struct writer *out = NULL;
	size_t before = reading_enter(r, child);
	if (!config_fault_is_below_unread(r->faults, writer_text(&r->path)))
		out = config_fault_begin(r->faults, reading_place(r), writer_text(&r->path));
	reading_leave(r, before);
	return out;
}

void refuse_v(struct reading *r, const char *child, const char *format, va_list args)
{
	struct writer *out = refusal(r, child);
	if (out == NULL)
		return;
	write_format_v(out, format, args);
	config_fault_end(r->faults);
}

void refuse(struct reading *r, const char *child, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	refuse_v(r, child, format, args);
	va_end(args);
}

void refuse_i64(struct reading *r, const char *child, int64_t value, const char *why)
{
	refuse(r, child, "Invalid value: %lld: %s", (long long)value, why);
}

void refuse_us(struct reading *r, const char *child, int64_t us, const char *why)
{
	struct writer *out = refusal(r, child);
	if (out == NULL)
		return;
	write_z(out, "Invalid value: ");
	kube_duration_print(us, out);
	write_format(out, ": %s", why);
	config_fault_end(r->faults);
}

struct about { /* a message around a value of the file */
	const char *kind;
	struct text value;
	const char *before_why;
	const char *why;
};

static void refuse_field_value(struct reading *r, const char *child, const struct about *about)
{
	struct writer *out = refusal(r, child);
	if (out == NULL)
		return;
	write_z(out, about->kind);
	config_write_quoted(out, about->value);
	write_z(out, about->before_why);
	write_z(out, about->why);
	config_fault_end(r->faults);
}

void refuse_text(struct reading *r, const char *child, struct text value, const char *why)
{
	const struct about about = {"Invalid value: ", value, ": ", why};
	refuse_field_value(r, child, &about);
}

static void write_meant(struct writer *out, const struct nearest *nearest)
{
	if (nearest->best != NULL)
		write_format(out, ", did you mean \"%s\"?", nearest->best);
}

void refuse_misnamed(struct reading *r, const char *child, struct text name, const char *why,
	const struct nearest *nearest)
{
	struct writer *out = refusal(r, child);
	if (out == NULL)
		return;
	write_z(out, "Invalid value: ");
	config_write_quoted(out, name);
	write_format(out, ": %s", why);
	write_meant(out, nearest);
	config_fault_end(r->faults);
}

/* A label key is the key of a requirement, whose message begins with the field's name. */
static void write_label_fault(struct writer *out, struct text name)
{
	static const struct requirement_place nowhere = {.path = NULL};
	struct requirement_errors errors;
	const struct requirement r = {.key = name};
	requirement_errors_init(&errors);
	requirement_explain(&errors, &nowhere, &r, KUBE_EXISTS);
	CHECK(errors.count == 1);
	struct text message = requirement_errors_text(&errors);
	write_text(out, text_from(message, strlen("key: ")));
}

/* Of names that are longer than any label key no other error is given. */
bool require_label_name(struct reading *r, const char *child, struct text name)
{
	if (kube_is_qualified_name(name))
		return true;
	if (name.size > LABEL_SHOWN) {
		refuse_text(r, child, name, "name part must be no more than 63 bytes");
		return false;
	}
	struct writer *out = refusal(r, child);
	if (out == NULL)
		return false;
	write_label_fault(out, name);
	config_fault_end(r->faults);
	return false;
}

void refuse_missing(struct reading *r, const char *child, const char *why)
{
	refuse(r, child, "Required value%s%s", why[0] == '\0' ? "" : ": ", why);
}

void refuse_duplicate(struct reading *r, const char *child, struct text value)
{
	const struct about about = {"Duplicate value: ", value, "", ""};
	refuse_field_value(r, child, &about);
}

void refuse_unsupported(
	struct reading *r, const char *child, struct text value, const char *supported)
{
	const struct about about = {
		"Unsupported value: ", value, ": supported values: ", supported};
	refuse_field_value(r, child, &about);
}

void remark(struct reading *r, const char *child, const char *what)
{
	size_t before = reading_enter(r, child);
	config_fault(r->notes, reading_place(r), writer_text(&r->path), "%s", what);
	reading_leave(r, before);
}

/* ---- scalars ---- */

/* A number or truth value as JSON says it: 0x10 is 16, yes is true. */
static struct text plain_of(const struct yaml_node *node, char *to, size_t size)
{
	struct writer w;
	writer_init(&w, to, size - 1);
	if (!yaml_scalar_write(node->kind, node->text, &w))
		return TEXT_NONE;
	to[w.used] = '\0';
	return writer_text(&w);
}

/* 3.0 and 1e3 are whole numbers too: on the way through JSON they become 3 and 1000. */
static bool is_whole(const struct yaml_node *node, int64_t *value)
{
	char plain[PLAIN_SIZE];
	return (node->kind == YAML_INTEGER || node->kind == YAML_FLOAT) &&
		text_to_i64(plain_of(node, plain, sizeof(plain)), value);
}

static bool is_truth(const struct yaml_node *node, bool *value)
{
	char plain[PLAIN_SIZE];
	if (node->kind != YAML_BOOL)
		return false;
	*value = text_is_z(plain_of(node, plain, sizeof(plain)), "true");
	return true;
}

static bool is_real(const struct yaml_node *node, double *value)
{
	char plain[PLAIN_SIZE];
	if (node->kind != YAML_INTEGER && node->kind != YAML_FLOAT)
		return false;
	return real_parse(plain_of(node, plain, sizeof(plain)), value);
}

static void write_found(struct writer *out, const struct yaml_node *node)
{
	switch (node->kind) {
	case YAML_MAP: write_z(out, "an object"); break;
	case YAML_LIST: write_z(out, "a list"); break;
	case YAML_NULL: write_z(out, "null"); break;
	case YAML_TEXT:
		write_z(out, "the string ");
		config_write_quoted(out, node->text);
		break;
	case YAML_BOOL:
	case YAML_INTEGER:
	case YAML_FLOAT: write_text(out, node->text); break;
	}
}

static bool refuse_type(struct reading *r, const struct yaml_node *node, const char *wanted)
{
	struct writer *out =
		config_fault_begin(r->faults, field_place_of(node), writer_text(&r->path));
	write_format(out, "must be %s, found ", wanted);
	write_found(out, node);
	config_fault_end(r->faults);
	config_fault_mark_unread(r->faults);
	return false;
}

static bool read_whole(struct reading *r, const struct yaml_node *node, int64_t least, int64_t most,
	int64_t *value)
{
	if (is_whole(node, value) && *value >= least && *value <= most)
		return true;
	return refuse_type(
		r, node, most == INT32_MAX ? "an integer of 32 bits" : "an integer of 64 bits");
}

static void read_duration(struct reading *r, const struct yaml_node *node, int64_t *us)
{
	int64_t value;
	if (node->kind == YAML_TEXT && kube_duration_parse(node->text, &value))
		*us = value;
	else
		refuse_type(r, node, "a duration like \"15s\" or \"1m30s\"");
}

static void read_base64(struct reading *r, const struct yaml_node *node, struct text *to)
{
	size_t size;
	char *bytes = NULL;
	if (node->kind == YAML_TEXT)
		bytes = scratch_take(r->scratch, base64_room(node->text));
	if (bytes != NULL && base64_decode(node->text, bytes, &size))
		*to = (struct text){bytes, size};
	else if (!r->scratch->overflowed)
		refuse_type(r, node, "a string in base64");
}

static void read_texts(
	struct reading *r, const struct yaml_node *node, uint32_t most, struct config_list *list)
{
	if (node->kind != YAML_LIST) {
		refuse_type(r, node, "a list of strings");
		return;
	}
	if (node->count > most) {
		refuse(r, "", "has %u elements, at most %u are possible", node->count, most);
		return;
	}
	struct text *texts = SCRATCH_ARRAY(r->scratch, struct text, node->count + 1);
	uint32_t at = 0;
	for (const struct yaml_node *n = node->first; n != NULL && texts != NULL; n = n->next) {
		size_t before = reading_enter_index(r, at);
		texts[at++] = n->text;
		if (n->kind != YAML_TEXT)
			refuse_type(r, n, "a string");
		reading_leave(r, before);
	}
	*list = (struct config_list){texts, texts == NULL ? 0 : at};
}

/* ---- structs ---- */

static void read_list(struct reading *r, const struct yaml_node *node, const struct field *field,
	struct config_list *list)
{
	if (node->kind != YAML_LIST) {
		refuse_type(r, node, "a list");
		return;
	}
	if (node->count > field->most) {
		refuse(r, "", "has %u elements, at most %u are possible", node->count, field->most);
		return;
	}
	if (node->count == 0)
		return;
	size_t size = field->inside->size;
	char *items = scratch_take_array(r->scratch, node->count, size);
	uint32_t at = 0;
	for (const struct yaml_node *n = node->first; n != NULL && items != NULL; n = n->next) {
		size_t before = reading_enter_index(r, at);
		fields_read(r, n, field->inside, items + size * at++);
		reading_leave(r, before);
	}
	*list = (struct config_list){items, items == NULL ? 0 : at};
}

static void read_pointer(
	struct reading *r, const struct yaml_node *node, const struct field *field, void *to)
{
	void *inside = scratch_take(r->scratch, field->inside->size);
	memcpy(to, &inside, sizeof(inside)); /* a pointer to whatever struct */
	if (inside != NULL)
		fields_read(r, node, field->inside, inside);
}

static void read_scalar(
	struct reading *r, const struct yaml_node *node, enum field_type type, char *to)
{
	int64_t number;
	switch (type) {
	case FIELD_BOOL:
		if (!is_truth(node, (bool *)(void *)to))
			refuse_type(r, node, "true or false");
		break;
	case FIELD_I32:
		if (read_whole(r, node, INT32_MIN, INT32_MAX, &number))
			*(int32_t *)(void *)to = (int32_t)number;
		break;
	case FIELD_OPTIONAL:
		if (read_whole(r, node, INT32_MIN, INT32_MAX, &number))
			*(struct config_optional *)(void *)to =
				(struct config_optional){true, (int32_t)number};
		break;
	case FIELD_I64:
		if (read_whole(r, node, INT64_MIN, INT64_MAX, &number))
			*(int64_t *)(void *)to = number;
		break;
	case FIELD_WEIGHT:
		if (read_whole(r, node, INT64_MIN, INT64_MAX, &number) && number != 0)
			*(int64_t *)(void *)to = number;
		break;
	case FIELD_REAL:
		if (!is_real(node, (double *)(void *)to))
			refuse_type(r, node, "a number");
		break;
	case FIELD_TEXT:
		if (node->kind == YAML_TEXT)
			*(struct text *)(void *)to = node->text;
		else
			refuse_type(r, node, "a string");
		break;
	case FIELD_BASE64: read_base64(r, node, (struct text *)(void *)to); break;
	case FIELD_DURATION: read_duration(r, node, (int64_t *)(void *)to); break;
	case FIELD_NANOS:
		if (read_whole(r, node, INT64_MIN, INT64_MAX, &number) && number != 0)
			*(int64_t *)(void *)to = number / 1000 + (number % 1000 > 0);
		break;
	case FIELD_TIMEOUT:
		number = 0;
		read_duration(r, node, &number);
		if (number != 0)
			*(int64_t *)(void *)to = number;
		break;
	default: CHECK_NEVER("a scalar");
	}
}

/* What the field is when it is left out, if its row says so. */
static void field_prepare(const struct field *field, void *to)
{
	switch ((enum field_type)field->type) {
	case FIELD_TEXT:
		if (field->text != NULL)
			*(struct text *)to = text_of(field->text);
		break;
	case FIELD_BOOL: *(bool *)to |= field->value != 0; break;
	case FIELD_I32:
		if (field->value != 0)
			*(int32_t *)to = (int32_t)field->value;
		break;
	case FIELD_I64:
	case FIELD_WEIGHT:
	case FIELD_DURATION:
	case FIELD_TIMEOUT:
	case FIELD_NANOS:
		if (field->value != 0)
			*(int64_t *)to = field->value;
		break;
	default: break; /* nothing */
	}
}

static void read_field(
	struct reading *r, const struct yaml_node *node, const struct field *field, char *to)
{
	enum field_type type = (enum field_type)field->type;
	switch (type) {
	case FIELD_TEXTS: read_texts(r, node, field->most, (struct config_list *)(void *)to); break;
	case FIELD_OBJECT: fields_read(r, node, field->inside, to); break;
	case FIELD_POINTER: read_pointer(r, node, field, to); break;
	case FIELD_LIST: read_list(r, node, field, (struct config_list *)(void *)to); break;
	case FIELD_NODE: *(const struct yaml_node **)(void *)to = node; break;
	case FIELD_UNSUPPORTED:
		if ((node->kind != YAML_LIST && node->kind != YAML_MAP) || node->count > 0)
			refuse(r, "", "is not supported, remove it");
		break;
	case FIELD_FORBIDDEN: refuse(r, "", "%s", field->why); break;
	default: read_scalar(r, node, type, to); break;
	}
	if (type == FIELD_TEXT && ((struct text *)(void *)to)->size == 0)
		field_prepare(field, to); /* as good as leaving it out */
}

void fields_prepare(const struct fields *fields, void *to)
{
	for (uint32_t i = 0; i < fields->count; i++)
		field_prepare(&fields->list[i], (char *)to + fields->list[i].at);
	if (fields->prepare != NULL)
		fields->prepare(to);
}

/* ---- unknown fields ---- */

static void refuse_unknown(
	struct reading *r, const struct yaml_node *key, const struct fields *fields)
{
	struct nearest nearest;
	struct config_faults *to = fields->lenient ? r->notes : r->faults;
	nearest_init(&nearest, key->text);
	for (uint32_t i = 0; i < fields->count; i++)
		nearest_try(&nearest, fields->list[i].name);
	struct writer *out = config_fault_begin(to, field_place_of(key), writer_text(&r->path));
	write_z(out, "unknown field ");
	config_write_quoted(out, key->text);
	write_meant(out, &nearest);
	for (uint32_t i = 0; i < fields->count && nearest.best == NULL; i++)
		write_format(out, "%s%s", i == 0 ? ", known are " : ", ", fields->list[i].name);
	config_fault_end(to);
}

static bool is_field_name(const struct fields *fields, uint32_t i, struct text key)
{
	const char *name = fields->list[i].name;
	if (!fields->any_case)
		return text_is_z(key, name);
	if (key.size != strlen(name))
		return false;
	for (size_t k = 0; k < key.size; k++)
		if ((key.at[k] | 0x20) != (name[k] | 0x20))
			return false;
	return true;
}

void fields_read(
	struct reading *r, const struct yaml_node *node, const struct fields *fields, void *to)
{
	fields_prepare(fields, to);
	if (node->kind == YAML_NULL)
		return;
	if (node->kind != YAML_MAP) {
		refuse_type(r, node, "an object");
		return;
	}
	for (const struct yaml_node *member = node->first; member != NULL; member = member->next) {
		const struct yaml_node *key = member->key;
		uint32_t i = fields->count;
		while (i > 0 && !is_field_name(fields, i - 1, key->text))
			i--;
		if (key->kind != YAML_TEXT || i == 0) {
			refuse_unknown(r, key, fields);
			continue;
		}
		i--; /* of two with one name the later one */
		size_t before = reading_enter(r, fields->list[i].name);
		if (member->kind != YAML_NULL)
			read_field(r, member, &fields->list[i], (char *)to + fields->list[i].at);
		reading_leave(r, before);
	}
}
