/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metrics: /metrics as Prometheus reads it.
 *
 * Names, labels and buckets are kube-scheduler's of the release whose behaviour is had, wherever
 * the same thing is counted, so that its dashboards and alerts go on working; what only berth has
 * begins with berth_. What depends on how kube-scheduler is built (Go's runtime and libraries) is
 * left out rather than faked: tests/compat.md has the list.
 */
#include "status/metrics.h"

#include "base/real.h"
#include "http/counts.h"

enum { ROW_MAX = 1024 /* bytes of all labels of a row */ };

/* ---- parts of a row ---- */

void metric_label(struct metric_row *row, const char *name, struct text value)
{
	uint32_t at = row->label_count++;
	CHECK(at < METRIC_LABELS_MAX);
	for (; at > 0 && strcmp(row->labels[at - 1].name, name) > 0; at--)
		row->labels[at] = row->labels[at - 1];
	row->labels[at] = (struct metric_label){name, value};
}

struct text metric_made(struct metric_row *row, size_t from)
{
	return text_from(writer_text(&row->made), from);
}

bool metric_histogram(struct metric_row *row, const struct scheduler_histogram *h,
	const struct scheduler_scale *scale)
{
	uint64_t any = 0;
	double bound = scale->first;
	for (uint32_t i = 0; i <= scale->count; i++)
		any |= h->counts[i];
	for (uint32_t i = 0; i < scale->count; i++, bound *= scale->factor)
		row->bounds[i] = bound;
	row->bound_count = scale->count;
	row->counts = h->counts;
	row->sum = h->sum;
	row->is_time = scale->is_time;
	return any != 0;
}

/* ---- writing ---- */

static void put_head(struct writer *w, const char *name, const char *level, const char *help,
	enum metric_type type)
{
	static const char *const types[] = {"counter", "gauge", "histogram"};
	write_format(w, "# HELP %s %s%s\n# TYPE %s %s\n", name, level, help, name, types[type]);
}

void metrics_label(struct writer *w, char before, const char *name, struct text value)
{
	write_char(w, before);
	write_z(w, name);
	write_z(w, "=\"");
	for (size_t i = 0; i < value.size; i++) {
		char c = value.at[i];
		if (c == '\\' || c == '"')
			write_char(w, '\\');
		if (c == '\n')
			write_z(w, "\\n");
		else
			write_char(w, c);
	}
	write_char(w, '"');
}

static void put_value(struct writer *w, uint64_t value)
{
	write_char(w, ' ');
	write_u64(w, value);
	write_char(w, '\n');
}

/* As Go writes a float: below 0.0001 and from a million on with an exponent. */
static void write_bound(struct writer *w, double bound)
{
	char room[40];
	struct writer digits;
	if (bound < 1e6) {
		real_write_shortest(w, bound);
		return;
	}
	uint32_t exponent = 0;
	for (double rest = bound; rest >= 10; rest /= 10)
		exponent++;
	writer_init(&digits, room, sizeof(room));
	write_u64(&digits, (uint64_t)bound); /* buckets that large are whole numbers */
	while (digits.used > 1 && room[digits.used - 1] == '0')
		digits.used--;
	write_char(w, room[0]);
	if (digits.used > 1)
		write_char(w, '.');
	write_text(w, text_from(writer_text(&digits), 1));
	write_format(w, "e+%02u", exponent);
}

/* Written once: to find the shortest text of a number takes microseconds. */
static void put_bound(struct status *status, struct writer *w, double bound)
{
	uint64_t bits;
	memcpy(&bits, &bound, sizeof(bits));
	struct status_bound *kept =
		&status->bounds[(bits * UINT64_C(0x9e3779b97f4a7c15)) >> 56 & (STATUS_BOUNDS - 1)];
	if (kept->size == 0 || memcmp(&kept->bound, &bound, sizeof(bound)) != 0) {
		struct writer t;
		writer_init(&t, kept->room, sizeof(kept->room));
		write_bound(&t, bound);
		kept->bound = bound;
		kept->size = (uint8_t)t.used;
	}
	write_text(w, (struct text){kept->room, kept->size});
}

/* Labels are "a=\"b\",..." or nothing. */
static void put_histogram(struct status *status, struct writer *w, const char *name,
	const struct metric_row *row, struct text labels)
{
	bool any = labels.size > 0;
	uint64_t sum = 0;
	for (uint32_t i = 0; i <= row->bound_count; i++) {
		sum += row->counts[i];
		write_format(w, "%s_bucket{%.*s%sle=\"", name, TEXT_ARGS(labels), any ? "," : "");
		if (i < row->bound_count)
			put_bound(status, w, row->bounds[i]);
		else
			write_z(w, "+Inf");
		write_z(w, "\"}");
		put_value(w, sum);
	}
	write_format(w, any ? "%s_sum{%.*s} " : "%s_sum%.*s ", name, TEXT_ARGS(labels));
	if (row->is_time)
		real_write(w, (double)row->sum / 1e6, 15);
	else
		write_u64(w, row->sum);
	write_format(w, any ? "\n%s_count{%.*s}" : "\n%s_count%.*s", name, TEXT_ARGS(labels));
	put_value(w, sum);
}

static void put_row(struct status *status, struct writer *w, const struct metric_family *f,
	const struct metric_row *row)
{
	char room[ROW_MAX];
	struct writer l;
	writer_init(&l, room, sizeof(room));
	for (uint32_t i = 0; i < row->label_count; i++)
		metrics_label(&l, ',', row->labels[i].name, row->labels[i].value);
	struct text labels = writer_text(&l);
	if (labels.size > 0)
		labels = text_from(labels, 1);
	if (f->type == METRIC_HISTOGRAM) {
		put_histogram(status, w, f->name, row, labels);
		return;
	}
	write_format(w, labels.size > 0 ? "%s{%.*s}" : "%s%.*s", f->name, TEXT_ARGS(labels));
	put_value(w, row->value);
}

/* ---- which are shown ---- */

static enum kube_release release_of(const struct status *status)
{
	return scheduler_release(status->s);
}

static bool is_metric_disabled(const struct status *status, const char *name)
{
	const struct options_words *words = &status->setup.options->metrics.disabled;
	for (uint32_t i = 0; i < words->count; i++)
		if (text_is_z(words->list[i], name))
			return true;
	return false;
}

static bool is_shown(const struct status *status, const struct metric_family *f)
{
	uint32_t level = f->levels[release_of(status)];
	return level != METRIC_ABSENT && !is_metric_disabled(status, f->name) &&
		(level != METRIC_HIDDEN || status->setup.options->metrics.show_hidden);
}

static void put_family_head(
	const struct status *status, struct writer *w, const struct metric_family *f)
{
	static const char *const levels[] = {[METRIC_ABSENT] = "",
		[METRIC_OWN] = "",
		[METRIC_ALPHA] = "[ALPHA] ",
		[METRIC_BETA] = "[BETA] ",
		[METRIC_STABLE] = "[STABLE] ",
		[METRIC_HIDDEN] = "[ALPHA] (Deprecated) "};
	put_head(w, f->name, levels[f->levels[release_of(status)]], f->help,
		(enum metric_type)f->type);
}

/* ---- labels that may have some values only (--allow-metric-labels) ---- */

static bool has_value(struct text list, struct text value)
{
	struct text one;
	while (text_cut(&list, ',', &one))
		if (text_is(one, value))
			return true;
	return false;
}

/* True: there are rules for the family. Values that are not allowed become "unexpected". */
static bool restrict_labels(
	const struct status *status, const struct metric_family *f, struct metric_row *row)
{
	const struct options_metrics *m = &status->setup.options->metrics;
	bool any = false;
	for (uint32_t i = 0; i < m->rule_count; i++) {
		const struct options_metric_rule *rule = &m->rules[i];
		if (!text_is_z(rule->metric, f->name))
			continue;
		any = true;
		for (uint32_t k = 0; k < row->label_count; k++)
			if (text_is_z(rule->label, row->labels[k].name) &&
				!has_value(rule->values, row->labels[k].value))
				row->labels[k].value = TEXT("unexpected");
	}
	return any;
}

static bool has_same_labels(const struct metric_row *a, const struct metric_row *b)
{
	if (a->label_count != b->label_count)
		return false;
	for (uint32_t i = 0; i < a->label_count; i++)
		if (!text_is(a->labels[i].value, b->labels[i].value))
			return false;
	return true;
}

static enum metric_at family_row(const struct status *status, const struct metric_family *f,
	uint32_t at, struct metric_row *row, bool *has_rules)
{
	row->label_count = 0;
	writer_init(&row->made, row->made_room, sizeof(row->made_room));
	enum metric_at found = f->row(status, at, f->which, row);
	*has_rules = found == METRIC_AT_ROW && restrict_labels(status, f, row);
	return found;
}

/*
 * Rows that look the same by now are one: the first of them is it, with the sum of all. They are
 * few, and rules are rare: nothing is remembered between two of them.
 */
static bool join_rows(const struct status *status, const struct metric_family *f, uint32_t at,
	struct metric_row *row, uint64_t *counts)
{
	struct metric_row other;
	bool has_rules;
	for (uint32_t i = 0; i < at; i++)
		if (family_row(status, f, i, &other, &has_rules) == METRIC_AT_ROW &&
			has_same_labels(row, &other))
			return false;
	for (uint32_t i = 0; f->type == METRIC_HISTOGRAM && i <= row->bound_count; i++)
		counts[i] = row->counts[i];
	if (f->type == METRIC_HISTOGRAM)
		row->counts = counts;
	enum metric_at found;
	for (uint32_t i = at + 1;
		(found = family_row(status, f, i, &other, &has_rules)) != METRIC_AT_END; i++) {
		if (found != METRIC_AT_ROW || !has_same_labels(row, &other))
			continue;
		row->value += other.value;
		row->sum += other.sum;
		for (uint32_t k = 0; f->type == METRIC_HISTOGRAM && k <= row->bound_count; k++)
			counts[k] += other.counts[k];
	}
	return true;
}

/* False: there is no such row. The head of the family stands before its first one. */
static bool put_family_row(struct status_answer *a, const struct metric_family *f, struct writer *w)
{
	uint64_t counts[METRIC_BOUNDS_MAX + 1];
	struct metric_row row;
	bool has_rules;
	row.value = row.sum = 0;
	enum metric_at found = family_row(a->status, f, a->row, &row, &has_rules);
	if (found == METRIC_AT_ROW &&
		(!has_rules || join_rows(a->status, f, a->row, &row, counts))) {
		if (!a->any)
			put_family_head(a->status, w, f);
		a->any = true;
		put_row(a->status, w, f, &row);
	}
	return found != METRIC_AT_END;
}

/* ---- single values ---- */

/* A part of them fits into a piece; what they are read from is gathered once for each part. */
static bool put_readings(struct status_answer *a, struct writer *w)
{
	struct metric_readings readings;
	uint32_t first = a->row * READINGS_IN_ROW;
	if (first >= readings_count)
		return false;
	readings_gather(a->status, &readings);
	for (uint32_t i = first; i < first + READINGS_IN_ROW && i < readings_count; i++) {
		const struct metric_reading *reading = &readings_table[i];
		if (is_metric_disabled(a->status, reading->name))
			continue;
		put_head(w, reading->name, "", reading->help, reading->type);
		write_format(w, "%s ", reading->name);
		real_write(w, readings_value(&readings, reading), 15);
		write_char(w, '\n');
	}
	return true;
}

/* ---- all of them ---- */

/* NULL behind the last one, where the single values are. */
static const struct metric_family *family_at(uint32_t at)
{
	if (at < metric_family_count)
		return &metric_families[at];
	at -= metric_family_count;
	return at < metric_own_family_count ? &metric_own_families[at] : NULL;
}

static bool metrics_step(struct status_answer *a, struct writer *w)
{
	const struct metric_family *f = family_at(a->part);
	if (a->part > metric_family_count + metric_own_family_count)
		return false;
	if (f == NULL ? put_readings(a, w) : is_shown(a->status, f) && put_family_row(a, f, w)) {
		a->row++;
		return true;
	}
	a->part++;
	a->row = 0;
	a->any = false;
	return true;
}

const char metrics_type[] = "text/plain; version=0.0.4; charset=utf-8";

void metrics_answer(struct status_answer *a)
{
	if (a->exchange->method == NET_DELETE) {
		scheduler_metrics_reset(&a->status->s->metrics);
		net_client_counts_reset(a->status->setup.client);
		status_reply(a, 200, status_plain, TEXT("metrics reset\n"));
		return;
	}
	status_stream(a, metrics_type, metrics_step);
}
