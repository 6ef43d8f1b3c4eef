/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of JSON as columns. */
#include "command/table.h"

#include "command/canonical.h"
#include "kube/time.h"

enum { BETWEEN = 2, WIDTH_LEAST = 6, UNITS = 1024 };

/* ---- values ---- */

void table_write_time(struct writer *w, int64_t s)
{
	static const struct {
		int64_t seconds;
		char unit;
	} units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
	size_t i = 0;
	s = s < 0 ? 0 : s;
	while (i + 1 < ARRAY_COUNT(units) && s < 2 * units[i].seconds)
		i++;
	write_i64(w, s / units[i].seconds);
	write_char(w, units[i].unit);
	int64_t rest = s % units[i].seconds;
	if (i + 1 < ARRAY_COUNT(units) && s < 10 * units[i].seconds &&
		rest >= units[i + 1].seconds) {
		write_i64(w, rest / units[i + 1].seconds);
		write_char(w, units[i + 1].unit);
	}
}

/* With one digit behind the point below 100. */
static void write_tenths(struct writer *w, int64_t value, int64_t unit)
{
	int64_t whole = value / unit, tenths = value % unit / (unit / 10 > 0 ? unit / 10 : 1);
	write_i64(w, whole);
	if (whole < 100 && tenths > 0 && tenths < 10) {
		write_char(w, '.');
		write_i64(w, tenths);
	}
}

void table_write_bytes(struct writer *w, int64_t bytes)
{
	static const char units[] = "KMGTP";
	int64_t unit = 1;
	size_t i = 0;
	while (i < sizeof(units) - 1 && bytes / unit >= UNITS) {
		unit *= UNITS;
		i++;
	}
	write_tenths(w, bytes, unit);
	if (i > 0) {
		write_char(w, units[i - 1]);
		write_char(w, 'i');
	}
}

static void write_amount(struct writer *w, enum table_cell cell, int64_t amount)
{
	amount = amount < 0 ? 0 : amount;
	if (cell == CELL_BYTES)
		table_write_bytes(w, amount);
	else if (cell == CELL_CPU && amount > 0 && amount < 1000)
		write_format(w, "%um", (unsigned)amount);
	else
		write_tenths(w, amount, cell == CELL_CPU ? 1000 : 1);
}

/* One, or "used/all part%". */
static void write_amounts(struct writer *w, enum table_cell cell, struct json_value v)
{
	struct json_walk walk = json_walk(v);
	int64_t used, all;
	if (json_i64(v, &used)) {
		write_amount(w, cell, used);
		return;
	}
	if (json_type(v) != JSON_ARRAY || !json_walk_next(&walk) || !json_i64(walk.value, &used) ||
		!json_walk_next(&walk) || !json_i64(walk.value, &all))
		return;
	write_amount(w, cell, used);
	write_char(w, '/');
	write_amount(w, cell, all);
	if (all > 0 && used >= 0)
		write_format(
			w, " %u%%", (unsigned)((double)used / (double)all * 100 + 0.5) % 10000);
}

static void write_joined(struct writer *w, struct json_value list)
{
	struct json_walk walk = json_walk(list);
	for (const char *between = ""; json_walk_next(&walk); between = "; ") {
		write_z(w, between);
		write_text(w, json_scalar(walk.value));
	}
}

/* "unschedulable", or "60 unschedulable, 1 active" */
static void write_states(struct writer *w, struct json_value states)
{
	struct json_walk walk = json_walk(states);
	for (const char *between = ""; json_walk_next(&walk); between = ", ") {
		write_z(w, between);
		if (json_count(states) > 1)
			write_format(w, "%.*s ", TEXT_ARGS(json_scalar(walk.value)));
		write_text(w, walk.key);
	}
}

static void write_node_state(struct writer *w, struct json_value row)
{
	struct json_value conditions = json_get(row, "conditions");
	if (json_bool(json_get(row, "ghost"), false))
		write_z(w, "Missing");
	else if (!json_bool(json_get(row, "ready"), true))
		write_z(w, "NotReady");
	else if (json_count(conditions) > 0)
		write_joined(w, conditions);
	else
		write_z(w, "Ready");
	if (json_bool(json_get(row, "unschedulable"), false))
		write_z(w, ",SchedulingDisabled");
}

static struct json_value find_cell(struct json_value row, const char *path)
{
	char key[64];
	struct text rest = text_of(path), one;
	struct json_value v = JSON_VALUE_NONE;
	struct json_walk walk = json_walk(row);
	if (path[0] >= '0' && path[0] <= '9') { /* a row that is an array */
		for (int i = '0'; i <= path[0]; i++)
			v = json_walk_next(&walk) ? walk.value : JSON_VALUE_NONE;
		return v;
	}
	while (json_type(v) == JSON_NONE && text_cut(&rest, '|', &one))
		if (text_copy(one, key, sizeof(key)))
			v = json_path(row, key);
	return v;
}

void table_write_cell(const struct table *t, const struct table_column *c, struct json_value row,
	struct writer *w)
{
	struct json_value v = find_cell(row, c->path);
	int64_t number = 0;
	size_t start = w->used;
	bool is_number = json_i64(v, &number);
	switch ((enum table_cell)c->cell) {
	case CELL_SCALAR:
	case CELL_STATE: write_text(w, json_scalar(v)); break;
	case CELL_STATES: write_states(w, v); break;
	case CELL_NODE_STATE: write_node_state(w, row); break;
	case CELL_LIST: write_joined(w, v); break;
	case CELL_SECONDS:
		if (is_number && number >= 0)
			table_write_time(w, number);
		break;
	case CELL_SINCE_MS:
		if (is_number && number > 0 && number < t->now_ms)
			table_write_time(w, (t->now_ms - number) / 1000);
		break;
	case CELL_TIME_MS:
		if (is_number && number > 0 && number < INT64_MAX / CLOCK_MS_US)
			kube_time_print((struct wall){number * CLOCK_MS_US}, w);
		break;
	case CELL_CPU:
	case CELL_BYTES:
	case CELL_COUNT: write_amounts(w, c->cell, v); break;
	}
	if (w->used == start)
		write_char(w, '-');
}

/* ---- what one sees ---- */

static const char *colour_of(struct text state)
{
	static const char *const good[] = {
		"Ready", "active", "bound", "binding", "scheduling", "scheduled"};
	static const char *const bad[] = {"NotReady", "Missing", "unschedulable", "other scheduler",
		"no memory", "unreadable", "not reached", "another scheduler binds", "paused",
		"error", "preemption", "lost", "unbound"};
	for (size_t i = 0; i < ARRAY_COUNT(bad); i++)
		if (text_contains(state, text_of(bad[i])))
			return "\033[31m";
	for (size_t i = 0; i < ARRAY_COUNT(good); i++)
		if (text_is_z(state, good[i]))
			return "\033[32m";
	return "\033[33m";
}

void table_put_state(
	const struct command_io *io, struct output *out, struct text state, struct text shown)
{
	if (io->colour)
		output_bytes(out, text_of(colour_of(state)));
	output_text(out, shown);
	if (io->colour)
		output_bytes(out, TEXT("\033[0m"));
}

/* The first `width` characters, the last of them an ellipsis when there are more. */
static void put_cut(
	struct output *out, const struct command_io *io, struct text t, size_t width, bool is_state)
{
	size_t have = output_width(t), size = 0, columns = 0;
	bool is_cut = have > width;
	while (is_cut && size < t.size) {
		columns += ((uint8_t)t.at[size] & 0xc0) != 0x80;
		if (columns == width)
			break;
		size++;
	}
	struct text shown = is_cut ? text_first(t, size) : t;
	if (is_state)
		table_put_state(io, out, t, shown);
	else
		output_text(out, shown);
	if (is_cut)
		output_z(out, "\u2026");
}

struct widths {
	size_t at[TABLE_COLUMNS_MAX];
};

/* The widest gives way until all fit the terminal. */
static void narrow(const struct table *t, struct widths *widths)
{
	size_t sum = 0;
	for (uint32_t i = 0; i < t->count; i++)
		sum += widths->at[i] > 0 ? widths->at[i] + BETWEEN : 0;
	while (sum > (size_t)t->io->width + BETWEEN) {
		uint32_t widest = 0;
		for (uint32_t i = 1; i < t->count; i++)
			if (widths->at[i] > widths->at[widest])
				widest = i;
		if (widths->at[widest] <= WIDTH_LEAST)
			return;
		widths->at[widest]--;
		sum--;
	}
}

static void table_put_row(const struct table *t, const struct widths *widths, struct json_value row)
{
	char room[TABLE_CELL_MAX];
	struct writer w;
	size_t blanks = 0; /* not behind the last column */
	for (uint32_t i = 0; i < t->count; i++) {
		const struct table_column *c = &t->columns[i];
		if (widths->at[i] == 0)
			continue;
		writer_init(&w, room, sizeof(room));
		if (json_type(row) == JSON_NONE)
			write_z(&w, c->title);
		else
			table_write_cell(t, c, row, &w);
		struct text cell = writer_text(&w);
		for (; blanks > 0; blanks--)
			output_bytes(t->out, TEXT(" "));
		put_cut(t->out, t->io, cell, widths->at[i],
			json_type(row) != JSON_NONE && c->cell >= CELL_STATE &&
				c->cell <= CELL_NODE_STATE);
		size_t width = output_width(cell);
		blanks = BETWEEN + (width < widths->at[i] ? widths->at[i] - width : 0);
	}
	output_bytes(t->out, TEXT("\n"));
}

static void table_measure(const struct table *t, struct json_value row, struct widths *widths)
{
	char room[TABLE_CELL_MAX];
	struct writer w;
	for (uint32_t i = 0; i < t->count; i++) {
		writer_init(&w, room, sizeof(room));
		table_write_cell(t, &t->columns[i], row, &w);
		size_t width = output_width(writer_text(&w));
		widths->at[i] = width > widths->at[i] ? width : widths->at[i];
	}
}

void table_print(const struct table *t, const struct text *rows, uint32_t count)
{
	struct widths widths = {{0}};
	struct scratch_mark mark = scratch_mark(t->scratch);
	for (uint32_t i = 0; i < count; i++) {
		table_measure(t, canonical_parse(rows[i], t->scratch), &widths);
		scratch_rewind(t->scratch, mark);
	}
	for (uint32_t i = 0; i < t->count; i++) {
		size_t title = strlen(t->columns[i].title);
		widths.at[i] = widths.at[i] > title ? widths.at[i] : title;
		if (t->columns[i].is_wide && !t->is_wide)
			widths.at[i] = 0;
	}
	if (t->io->width > 0 && !t->is_wide)
		narrow(t, &widths);
	table_put_row(t, &widths, JSON_VALUE_NONE);
	for (uint32_t i = 0; i < count; i++) {
		struct json_value row = canonical_parse(rows[i], t->scratch);
		if (json_count(row) > 0)
			table_put_row(t, &widths, row);
		scratch_rewind(t->scratch, mark);
	}
}
