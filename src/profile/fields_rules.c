/* SPDX-License-Identifier: GPL-2.0-only */
/* Structs by tables: the rules that rows have, and how values are written. */
#include "kube/time.h"
#include "profile/fields.h"

/* ---- rules ---- */

/* Among "\"A\", \"B\"". */
static bool is_choice(const char *choices, struct text value)
{
	struct text rest = text_of(choices);
	struct text choice;
	while (text_cut(&rest, ',', &choice)) {
		size_t quote = text_find(choice, '"');
		choice = text_from(choice, quote + 1);
		if (text_is(text_first(choice, choice.size - 1), value))
			return true;
	}
	return false;
}

static void check_number(struct reading *r, const struct field *field, int64_t value)
{
	bool is_time = field->type == FIELD_DURATION || field->type == FIELD_TIMEOUT;
	if (field->why == NULL || (value >= field->least && value <= field->greatest))
		return;
	if (is_time)
		refuse_us(r, "", value, field->why);
	else
		refuse_i64(r, "", value, field->why);
}

static void check_value(struct reading *r, const struct field *field, const char *from)
{
	switch ((enum field_type)field->type) {
	case FIELD_I32: check_number(r, field, *(const int32_t *)(const void *)from); break;
	case FIELD_I64:
	case FIELD_WEIGHT:
	case FIELD_DURATION:
	case FIELD_TIMEOUT:
	case FIELD_NANOS: check_number(r, field, *(const int64_t *)(const void *)from); break;
	case FIELD_TEXT: {
		struct text text = *(const struct text *)(const void *)from;
		if (field->choices != NULL && text.size > 0 && !is_choice(field->choices, text))
			refuse_unsupported(r, "", text, field->choices);
		break;
	}
	case FIELD_OBJECT: fields_check(r, field->inside, from); break;
	case FIELD_POINTER: {
		const void *inside = *(const void *const *)(const void *)from;
		if (inside != NULL)
			fields_check(r, field->inside, inside);
		break;
	}
	case FIELD_LIST: {
		const struct config_list *list = (const struct config_list *)(const void *)from;
		for (uint32_t i = 0; i < list->count; i++) {
			size_t before = reading_enter_index(r, i);
			fields_check(r, field->inside,
				(const char *)list->items + i * field->inside->size);
			reading_leave(r, before);
		}
		break;
	}
	case FIELD_BOOL:
	case FIELD_OPTIONAL:
	case FIELD_REAL:
	case FIELD_BASE64:
	case FIELD_TEXTS:
	case FIELD_NODE:
	case FIELD_UNSUPPORTED:
	case FIELD_FORBIDDEN: break;
	}
}

void fields_check(struct reading *r, const struct fields *fields, const void *from)
{
	for (uint32_t i = 0; i < fields->count; i++) {
		size_t before = reading_enter(r, fields->list[i].name);
		check_value(r, &fields->list[i], (const char *)from + fields->list[i].at);
		reading_leave(r, before);
	}
}

/* ---- writing ---- */

static bool is_written(const struct field *field, const void *from)
{
	const struct config_list *list = from;
	switch ((enum field_type)field->type) {
	case FIELD_TEXT: return field->is_shown || ((const struct text *)from)->size > 0;
	case FIELD_OPTIONAL: return ((const struct config_optional *)from)->given;
	case FIELD_TEXTS:
	case FIELD_LIST: return field->is_shown || list->count > 0;
	case FIELD_POINTER: return *(const void *const *)from != NULL;
	case FIELD_NODE:
	case FIELD_UNSUPPORTED:
	case FIELD_FORBIDDEN: return false;
	case FIELD_BOOL:
	case FIELD_I32:
	case FIELD_I64:
	case FIELD_WEIGHT:
	case FIELD_REAL:
	case FIELD_BASE64:
	case FIELD_DURATION:
	case FIELD_TIMEOUT:
	case FIELD_NANOS:
	case FIELD_OBJECT: break;
	}
	return true;
}

static bool has_written(const struct fields *fields, const void *from)
{
	for (uint32_t i = 0; i < fields->count; i++)
		if (is_written(&fields->list[i], (const char *)from + fields->list[i].at))
			return true;
	return false;
}

static void write_object(
	struct yaml_writer *y, const char *name, const struct fields *fields, const void *from)
{
	if (!has_written(fields, from)) {
		yaml_write_none(y, name, "{}");
		return;
	}
	yaml_write_down(y, name);
	fields_write(y, fields, from);
	yaml_write_up(y);
}

static void write_list(
	struct yaml_writer *y, const struct field *field, const struct config_list *list)
{
	if (list->count == 0) {
		yaml_write_none(y, field->name, "[]");
		return;
	}
	yaml_write_down(y, field->name);
	yaml_write_up(y);
	for (uint32_t i = 0; i < list->count; i++) {
		const char *item = (const char *)list->items + i * field->inside->size;
		yaml_write_item(y);
		if (!has_written(field->inside, item)) /* an element has to have something */
			yaml_write_none(y, field->inside->list[0].name, "[]");
		fields_write(y, field->inside, item);
		yaml_write_up(y);
	}
}

static void write_texts(struct yaml_writer *y, const char *name, const struct config_list *list)
{
	const struct text *texts = CONFIG_LIST(*list, struct text);
	yaml_write_down(y, name);
	yaml_write_up(y);
	for (uint32_t i = 0; i < list->count; i++)
		yaml_write_item_text(y, texts[i]);
}

static void write_value(struct yaml_writer *y, const struct field *field, const void *from)
{
	const char *name = field->name;
	switch ((enum field_type)field->type) {
	case FIELD_BOOL: yaml_write_bool(y, name, *(const bool *)from); break;
	case FIELD_I32: yaml_write_i64(y, name, *(const int32_t *)from); break;
	case FIELD_I64:
	case FIELD_WEIGHT:
	case FIELD_NANOS: yaml_write_i64(y, name, *(const int64_t *)from); break;
	case FIELD_OPTIONAL:
		yaml_write_i64(y, name, ((const struct config_optional *)from)->value);
		break;
	case FIELD_REAL: yaml_write_real(y, name, *(const double *)from); break;
	case FIELD_TEXT: yaml_write_text(y, name, *(const struct text *)from); break;
	case FIELD_DURATION:
	case FIELD_TIMEOUT: {
		struct writer *out = yaml_write_key(y, name);
		kube_duration_print(*(const int64_t *)from, out);
		write_char(out, '\n');
		break;
	}
	case FIELD_TEXTS: write_texts(y, name, from); break;
	case FIELD_OBJECT: write_object(y, name, field->inside, from); break;
	case FIELD_POINTER: write_object(y, name, field->inside, *(const void *const *)from); break;
	case FIELD_LIST: write_list(y, field, from); break;
	case FIELD_BASE64:
	case FIELD_NODE:
	case FIELD_UNSUPPORTED:
	case FIELD_FORBIDDEN: CHECK_NEVER("a value that is not written");
	}
}

/* The row whose name comes next in the alphabet; NULL: there is none behind `last`. */
static const struct field *next_row(const struct fields *fields, const char *last)
{
	const struct field *next = NULL;
	for (uint32_t i = 0; i < fields->count; i++) {
		const struct field *field = &fields->list[i];
		if ((last == NULL || strcmp(field->name, last) > 0) &&
			(next == NULL || strcmp(field->name, next->name) < 0))
			next = field;
	}
	return next;
}

void fields_write(struct yaml_writer *y, const struct fields *fields, const void *from)
{
	const struct field *field = next_row(fields, NULL);
	for (; field != NULL; field = next_row(fields, field->name)) {
		const void *at = (const char *)from + field->at;
		if (is_written(field, at))
			write_value(y, field, at);
	}
}
