/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments of plugins.
 *
 * What kube-scheduler does: the args of plugin X are an object of kind XArgs, whose apiVersion
 * and kind may be left out; when there is no such kind the args are kept for a program that may
 * know them, and no in-tree plugin does.
 */
#include "profile/arguments.h"
#include "profile/scheduler_private.h"

enum { ARGS_FIELDS_MAX = 8 /* of one plugin */ };

/* ---- what plugins report ---- */

static struct reading *reading_of(struct args_report *report)
{
	return ((struct args_reading *)(void *)report)->r;
}

PRINTF_LIKE(3, 4)
static void report_refuse(struct args_report *report, const char *path, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	refuse_v(reading_of(report), path, format, args);
	va_end(args);
}

static void report_text(
	struct args_report *report, const char *path, struct text value, const char *why)
{
	refuse_text(reading_of(report), path, value, why);
}

static void report_duplicate(struct args_report *report, const char *path, struct text value)
{
	refuse_duplicate(reading_of(report), path, value);
}

static void report_unsupported(
	struct args_report *report, const char *path, struct text value, const char *supported)
{
	refuse_unsupported(reading_of(report), path, value, supported);
}

static bool report_label(struct args_report *report, const char *path, struct text name)
{
	return require_label_name(reading_of(report), path, name);
}

static void report_remark(struct args_report *report, const char *path, const char *what)
{
	remark(reading_of(report), path, what);
}

/* ---- inside of a text ---- */

struct spot { /* in the document */
	struct text rest;
	struct config_place place;
};

static void spot_step(struct spot *s)
{
	char c = s->rest.at[0];
	s->rest = text_from(s->rest, 1);
	if (c == '\n')
		s->place = (struct config_place){s->place.line + 1, 1};
	else if (s->rest.size > 0 && ((unsigned char)s->rest.at[0] & 0xc0) != 0x80)
		s->place.column++;
}

static void spot_skip_spaces(struct spot *s)
{
	while (s->rest.size > 0 && s->rest.at[0] == ' ')
		spot_step(s);
}

/* To where the value begins; a block ("|", ">") begins in the next line. */
static void spot_begin(struct spot *s, struct config_place at)
{
	while (s->rest.size > 0 &&
		(s->place.line < at.line ||
			(s->place.line == at.line && s->place.column < at.column)))
		spot_step(s);
	if (s->rest.size == 0 || (s->rest.at[0] != '|' && s->rest.at[0] != '>'))
		return;
	while (s->rest.size > 0 && s->place.line == at.line)
		spot_step(s);
	spot_skip_spaces(s);
}

/*
 * The place of the value's byte `offset`. The document shows the same bytes, with quotes, escapes
 * and indentation in between; where it does not, `at` has to do.
 */
static struct config_place place_within(
	struct text source, struct config_place at, struct text value, size_t offset)
{
	struct spot s = {source, {1, 1}};
	size_t odd = 0;
	spot_begin(&s, at);
	for (size_t i = 0; i < offset && i < value.size; i++) {
		char c = value.at[i];
		bool is_space = c == ' ' || c == '\n';
		while (!is_space && s.rest.size > 0 && s.rest.at[0] != c && odd++ <= offset + 4)
			spot_step(&s);
		if (s.rest.size == 0 || odd > offset + 4)
			return at;
		bool is_break = s.rest.at[0] == '\n';
		if (is_space && s.rest.at[0] != ' ' && !is_break)
			continue;
		spot_step(&s);
		if (is_break)
			spot_skip_spaces(&s);
	}
	return s.place;
}

static void report_refuse_in(struct args_report *report, const char *path, struct text value,
	size_t offset, struct text what)
{
	struct reading *r = reading_of(report);
	size_t before = reading_enter(r, path);
	struct config_place at = reading_place(r);
	if (r->source.at != NULL)
		at = place_within(r->source, at, value, offset);
	config_fault(r->faults, at, writer_text(&r->path), "%.*s", TEXT_ARGS(what));
	reading_leave(r, before);
}

struct args_report *args_report_on(struct args_reading *to, struct reading *r)
{
	*to = (struct args_reading){.report = {.refuse = report_refuse,
					    .refuse_text = report_text,
					    .refuse_duplicate = report_duplicate,
					    .refuse_unsupported = report_unsupported,
					    .require_label = report_label,
					    .remark = report_remark,
					    .refuse_in = report_refuse_in,
					    .scratch = r->scratch},
		.r = r};
	return &to->report;
}

/* ---- reading ---- */

void *scheduler_args_defaults(
	enum plugin_id id, struct scratch *scratch, struct scheduler_args *args)
{
	CHECK(id < PLUGIN_COUNT && plugins[id]->args != NULL);
	const struct fields *fields = plugins[id]->args->fields;
	void *values = scratch_take(scratch, fields->size);
	if (values != NULL)
		fields_prepare(fields, values);
	*args = (struct scheduler_args){
		.plugin = text_of(plugins[id]->name), .id = id, .values = values};
	return values;
}

struct head { /* behind the plugin's own struct */
	struct text api_version;
	struct text kind;
};

/* The plugin's fields behind those that every object has. NULL: out of scratch. */
static const struct head *arguments_read_object(struct reading *r, const struct yaml_node *node,
	const struct fields *own, const void **values)
{
	size_t at = (own->size + 7) / 8 * 8;
	struct field *rows = SCRATCH_ARRAY(r->scratch, struct field, own->count + 2);
	char *to = scratch_take(r->scratch, at + sizeof(struct head));
	if (rows == NULL || to == NULL)
		return NULL;
	rows[0] = (struct field)FIELD("apiVersion", FIELD_TEXT,
		(uint16_t)(at + offsetof(struct head, api_version)), NULL, 0);
	rows[1] = (struct field)FIELD(
		"kind", FIELD_TEXT, (uint16_t)(at + offsetof(struct head, kind)), NULL, 0);
	memcpy(&rows[2], own->list, own->count * sizeof(*rows));
	struct fields framed = *own;
	framed.list = rows;
	framed.count = own->count + 2;
	framed.size = at + sizeof(struct head);
	fields_prepare(&framed, to);
	if (node != NULL)
		fields_read(r, node, &framed, to);
	*values = to;
	return (const struct head *)(const void *)(to + at);
}

static bool check_head(struct reading *r, const struct head *head, const char *plugin)
{
	char kind[96];
	struct writer w;
	enum scheduler_version version;
	writer_init(&w, kind, sizeof(kind) - 1);
	write_format(&w, "%sArgs", plugin);
	kind[w.used] = '\0';
	if (head->kind.size > 0 && !text_is_z(head->kind, kind))
		refuse_unsupported(r, "kind", head->kind, kind);
	else if (head->api_version.size > 0 && !scheduler_version(head->api_version, &version))
		refuse_unsupported(r, "apiVersion", head->api_version, SCHEDULER_VERSIONS);
	else
		return true;
	return false;
}

void scheduler_args_read(
	struct reading *r, const struct scheduler_plugin_config *from, struct scheduler_args *args)
{
	enum plugin_id id = plugin_find(from->name);
	if (id < PLUGIN_COUNT && plugins[id]->args == NULL)
		id = PLUGIN_COUNT;
	*args = (struct scheduler_args){.plugin = from->name, .id = id, .raw = from->args};
	if (from->name.size == 0)
		refuse_missing(r, "name", "the name of a plugin");
	if (id == PLUGIN_COUNT && from->args != NULL)
		remark(r, "args", "have no effect: no plugin reads them");
	if (id == PLUGIN_COUNT)
		return;
	const struct plugin_args *table = plugins[id]->args;
	size_t before = reading_enter(r, "args");
	const struct head *head =
		arguments_read_object(r, from->args, table->fields, &args->values);
	if (head != NULL && check_head(r, head, plugins[id]->name) && !r->scratch->overflowed) {
		struct args_reading reading;
		fields_check(r, table->fields, args->values);
		if (table->check != NULL)
			table->check(args_report_on(&reading, r), args->values);
	}
	reading_leave(r, before);
}

/* ---- at run time ---- */

/* For plugins that the file says nothing about. */
struct default_values {
	_Alignas(16) char bytes[SCHEDULER_ARGS_BYTES];
};

static struct scheduler_args default_args(enum plugin_id id, struct default_values *values)
{
	const struct fields *fields = plugins[id]->args->fields;
	CHECK(fields->size <= sizeof(values->bytes));
	*values = (struct default_values){{0}};
	fields_prepare(fields, values->bytes);
	return (struct scheduler_args){
		.plugin = text_of(plugins[id]->name), .id = id, .values = values->bytes};
}

/* What shuts the field out while a feature is off; NULL: nothing does. */
static const struct args_gated *closed_by(
	const struct plugin_args *table, const struct feature_gates *gates, const char *field)
{
	const struct args_gated *row = table->gated;
	while (row != NULL && row->field != NULL && strcmp(row->field, field) != 0)
		row++;
	bool is_open = row == NULL || row->field == NULL ||
		(feature_enabled(gates, row->needs[0]) && feature_enabled(gates, row->needs[1]));
	return is_open ? NULL : row;
}

static enum args_result make_args(const struct args_making *m, const struct scheduler_args *args,
	struct plugin_profile *profile)
{
	const struct plugin_args *table = plugins[args->id]->args;
	void *to = plugin_args_of(profile, args->id);
	for (uint32_t i = 0; i < table->fields->count; i++) {
		const char *name = table->fields->list[i].name;
		const struct args_gated *closed = closed_by(table, m->gates, name);
		const struct yaml_node *given = closed == NULL ? NULL : yaml_get(args->raw, name);
		if (given == NULL || given->kind == YAML_NULL)
			continue;
		write_format(m->fault, "initializing plugin \"%s\": %s: %s",
			plugins[args->id]->name, name, closed->why);
		return ARGS_REFUSED;
	}
	if (table->make != NULL)
		return table->make(m, args->values, to);
	memcpy(to, args->values, table->size);
	return ARGS_MADE;
}

enum args_result scheduler_args_make_all(const struct args_making *m,
	const struct config_list *given, struct plugin_profile *profile)
{
	const struct scheduler_args *list = CONFIG_LIST(*given, struct scheduler_args);
	enum args_result result = ARGS_MADE;
	plugin_args_place(profile);
	for (uint32_t id = 0; id < PLUGIN_COUNT && result == ARGS_MADE; id++) {
		struct default_values values;
		if (plugins[id]->args == NULL)
			continue;
		struct scheduler_args args = default_args((enum plugin_id)id, &values);
		for (uint32_t i = 0; i < given->count; i++)
			if (list[i].id == id)
				args = list[i];
		result = make_args(m, &args, profile);
	}
	return result;
}

/* ---- writing ---- */

/* But what is shut out: it could not be read again. */
static void write_plugin_config(
	struct yaml_writer *y, const struct feature_gates *gates, const struct scheduler_args *args)
{
	const struct plugin_args *table = plugins[args->id]->args;
	struct field rows[ARGS_FIELDS_MAX];
	struct fields open = *table->fields;
	char kind[96];
	struct writer out;
	CHECK(open.count <= ARGS_FIELDS_MAX);
	open.list = rows;
	open.count = 0;
	for (uint32_t i = 0; i < table->fields->count; i++)
		if (closed_by(table, gates, table->fields->list[i].name) == NULL)
			rows[open.count++] = table->fields->list[i];
	writer_init(&out, kind, sizeof(kind) - 1);
	write_format(&out, "%sArgs", plugins[args->id]->name);
	kind[out.used] = '\0';
	yaml_write_item(y);
	yaml_write_down(y, "args");
	yaml_write_text(y, "apiVersion", TEXT(SCHEDULER_CONFIG_VERSION));
	yaml_write_text(y, "kind", text_of(kind));
	fields_write(y, &open, args->values);
	yaml_write_up(y);
	yaml_write_text(y, "name", args->plugin);
	yaml_write_up(y);
}

/* The one with the next place; PLUGIN_COUNT: there is none. */
static enum plugin_id next_with_args(uint32_t place)
{
	uint32_t next = PLUGIN_COUNT;
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++)
		if (plugins[id]->args != NULL && plugins[id]->args->place > place &&
			(next == PLUGIN_COUNT ||
				plugins[id]->args->place < plugins[next]->args->place))
			next = id;
	return (enum plugin_id)next;
}

void scheduler_args_write(
	struct yaml_writer *y, const struct feature_gates *gates, const struct config_list *given)
{
	const struct scheduler_args *list = CONFIG_LIST(*given, struct scheduler_args);
	struct plugin_set seen = {{0}};
	yaml_write_down(y, "pluginConfig");
	yaml_write_up(y);
	for (uint32_t i = 0; i < given->count; i++) {
		if (list[i].id == PLUGIN_COUNT)
			continue;
		write_plugin_config(y, gates, &list[i]);
		plugin_set_add(&seen, list[i].id);
	}
	for (uint32_t place = 0; next_with_args(place) < PLUGIN_COUNT;) {
		enum plugin_id id = next_with_args(place);
		place = plugins[id]->args->place;
		struct default_values values;
		const struct scheduler_args args = default_args(id, &values);
		if (!plugin_set_has(&seen, id))
			write_plugin_config(y, gates, &args);
	}
}
