/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of an explanation. The JSON is without white space, as json_cut writes it, but it may
 * come from any server: nothing in it is taken for granted.
 */
#include "command/explanation.h"

#include "base/sort.h"
#include "command/canonical.h"
#include "command/table.h"

struct row {
	struct text name;
	struct text value;
	int64_t total;
};

enum part { /* members of the explanation */
	PART_REJECTED,
	PART_SCORES,
	PART_PREFILTER,
	PART_PREFILTER_NODES,
	PART_PREEMPTION,
	PART_GATES,
	PART_CHOICE,
	PART_MESSAGE,
	PART_ERROR,
	PART_ASSIGNED,
	PART_DECIDED
};
enum { PARTS = PART_DECIDED + 1 };

static const char *const part_names[PARTS] = {"rejected", "scores", "preFilter", "preFilterNodes",
	"preemption", "gates", "choice", "message", "error", "assigned", "decided"};

struct parts {
	struct text part[PARTS];
};

struct printing {
	struct scratch *scratch;
	struct output *out;
	size_t name_width;
	size_t verdict_width;
	size_t plugin_width;
};

/* ---- rows ---- */

static struct parts take_apart(struct text json)
{
	struct parts p = {.part = {TEXT_NONE}};
	struct text key;
	struct text value;
	while (canonical_next_member(&json, &key, &value))
		for (uint32_t i = 0; i < PARTS; i++)
			if (text_is_z(key, part_names[i]))
				p.part[i] = value;
	return p;
}

static struct json_value explanation_parse(struct printing *p, struct text json)
{
	return canonical_parse(json, p->scratch);
}

static int by_total(const void *a, const void *b)
{
	const struct row *x = a;
	const struct row *y = b;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return text_compare(x->name, y->name);
}

/* NULL when there is no room; an empty list is none. */
static struct row *rows_of(struct printing *p, struct text object, uint32_t *count)
{
	*count = canonical_count(object);
	struct row *rows = SCRATCH_ARRAY(p->scratch, struct row, (size_t)*count + 1);
	if (rows == NULL)
		return NULL;
	for (uint32_t i = 0; i < *count; i++) {
		if (!canonical_next_member(&object, &rows[i].name, &rows[i].value)) {
			*count = i; /* not ours: an array */
			break;
		}
		struct scratch_mark mark = scratch_mark(p->scratch);
		(void)!json_i64(
			json_get(explanation_parse(p, rows[i].value), "total"), &rows[i].total);
		scratch_rewind(p->scratch, mark);
		size_t width = output_width(rows[i].name);
		p->name_width = width > p->name_width ? width : p->name_width;
	}
	sort(rows, *count, sizeof(*rows), by_total);
	return rows;
}

static void put_scored(struct printing *p, const struct row *row)
{
	struct json_value v = explanation_parse(p, row->value);
	char total[32];
	struct writer w;
	writer_init(&w, total, sizeof(total));
	write_z(&w, "score ");
	write_i64(&w, row->total);
	output_column(p->out, row->name, p->name_width + 2);
	output_column(p->out, writer_text(&w), p->verdict_width + 2);
	output_column(p->out, TEXT(""), p->plugin_width + 2);
	struct json_walk walk = json_walk(json_get(v, "plugins"));
	const char *between = "";
	while (json_walk_next(&walk)) {
		int64_t part;
		if (!json_i64(walk.value, &part) || part == 0)
			continue;
		output_z(p->out, between);
		output_text(p->out, walk.key);
		output_format(p->out, " %lld", (long long)part);
		between = ", ";
	}
	output_z(p->out, "\n");
}

static void put_texts(struct printing *p, struct json_value list)
{
	struct json_walk walk = json_walk(list);
	for (uint32_t i = 0; json_walk_next(&walk); i++) {
		output_z(p->out, i == 0 ? "" : ", ");
		output_text(p->out, json_text(walk.value));
	}
}

static void explanation_put_rejected(struct printing *p, const struct row *row)
{
	struct json_value v = explanation_parse(p, row->value);
	output_column(p->out, row->name, p->name_width + 2);
	output_column(p->out, json_text(json_get(v, "code")), p->verdict_width + 2);
	output_column(p->out, json_text(json_get(v, "plugin")), p->plugin_width + 2);
	put_texts(p, json_get(v, "reasons"));
	struct text detail = json_text(json_get(v, "detail"));
	if (detail.size > 0) {
		output_z(p->out, " (");
		output_text(p->out, detail);
		output_z(p->out, ")");
	}
	output_z(p->out, "\n");
}

/* How wide the middle columns are. */
static void explanation_measure(struct printing *p, const struct row *rejected, uint32_t count)
{
	p->verdict_width = sizeof("score 1000") - 1;
	p->plugin_width = sizeof("PLUGIN") - 1;
	for (uint32_t i = 0; i < count; i++) {
		struct scratch_mark mark = scratch_mark(p->scratch);
		struct json_value v = explanation_parse(p, rejected[i].value);
		size_t code = json_text(json_get(v, "code")).size;
		size_t plugin = json_text(json_get(v, "plugin")).size;
		p->verdict_width = code > p->verdict_width ? code : p->verdict_width;
		p->plugin_width = plugin > p->plugin_width ? plugin : p->plugin_width;
		scratch_rewind(p->scratch, mark);
	}
}

static bool explanation_put_nodes(struct printing *p, const struct parts *parts)
{
	uint32_t scored_count;
	uint32_t rejected_count;
	p->name_width = sizeof("NODE") - 1;
	struct row *scored = rows_of(p, parts->part[PART_SCORES], &scored_count);
	struct row *rejected = rows_of(p, parts->part[PART_REJECTED], &rejected_count);
	if (scored == NULL || rejected == NULL)
		return false;
	if (scored_count + rejected_count == 0)
		return true;
	explanation_measure(p, rejected, rejected_count);
	output_z(p->out, "\n");
	output_column(p->out, TEXT("NODE"), p->name_width + 2);
	output_column(p->out, TEXT("VERDICT"), p->verdict_width + 2);
	output_column(p->out, TEXT("PLUGIN"), p->plugin_width + 2);
	output_z(p->out, "REASONS\n");
	for (uint32_t i = 0; i < scored_count + rejected_count; i++) {
		struct scratch_mark mark = scratch_mark(p->scratch);
		if (i < scored_count)
			put_scored(p, &scored[i]);
		else
			explanation_put_rejected(p, &rejected[i - scored_count]);
		scratch_rewind(p->scratch, mark);
	}
	return true;
}

/* ---- around the table ---- */

static void put_prefilter(struct printing *p, const struct parts *parts)
{
	if (parts->part[PART_PREFILTER].size > 0) {
		struct json_value v = explanation_parse(p, parts->part[PART_PREFILTER]);
		output_z(p->out, "No node was evaluated: ");
		output_text(p->out, json_text(json_get(v, "plugin")));
		output_z(p->out, " says ");
		put_texts(p, json_get(v, "reasons"));
		output_z(p->out, ".\n");
	}
	if (parts->part[PART_PREFILTER_NODES].size > 0) {
		output_z(p->out, "Only these nodes are eligible by name: ");
		put_texts(p, explanation_parse(p, parts->part[PART_PREFILTER_NODES]));
		output_z(p->out, ".\n");
	}
}

static void put_preemption(struct printing *p, const struct parts *parts)
{
	if (parts->part[PART_PREEMPTION].size == 0)
		return;
	struct json_value v = explanation_parse(p, parts->part[PART_PREEMPTION]);
	struct json_walk picks = json_walk(json_get(v, "picks"));
	output_z(p->out, "\nPreemption: ");
	if (json_walk_next(&picks)) {
		int64_t violations = 0;
		(void)!json_i64(json_get(picks.value, "pdbViolations"), &violations);
		output_z(p->out, "the pod would be nominated for ");
		output_text(p->out, json_text(json_get(picks.value, "node")));
		output_z(p->out, "; these pods would be evicted: ");
		put_texts(p, json_get(picks.value, "victims"));
		if (violations > 0)
			output_format(p->out, " (%lld against a disruption budget)",
				(long long)violations);
		output_z(p->out, ".\n");
		return;
	}
	struct text message = json_text(json_get(v, "message"));
	output_text(p->out,
		message.size > 0 ? message
				 : TEXT("no pods with lower priority would make enough space."));
	output_z(p->out, "\n");
}

bool explanation_print(struct text json, struct scratch *scratch, struct output *out)
{
	struct printing p = {.scratch = scratch, .out = out};
	struct parts parts = take_apart(json);
	put_prefilter(&p, &parts);
	if (!explanation_put_nodes(&p, &parts))
		return false;
	put_preemption(&p, &parts);
	return !scratch->overflowed;
}

/* Of a pod that runs. */
static void put_whereabouts(struct printing *p, const struct parts *parts)
{
	struct json_value a = explanation_parse(p, parts->part[PART_ASSIGNED]);
	struct json_value d = explanation_parse(p, parts->part[PART_DECIDED]);
	struct text to = json_text(json_get(a, "to")), node = json_text(json_get(a, "node"));
	int64_t score, best;
	bool is_scored =
		json_i64(json_get(a, "score"), &score) && json_i64(json_get(a, "best"), &best);
	bool stays = json_bool(json_get(a, "stays"), false);
	output_format(p->out, ": is on %.*s.\n", TEXT_ARGS(node));
	output_format(p->out, "%s%.*s",
		stays                 ? "It would go there again"
			: to.size > 0 ? "It would go elsewhere now, to "
				      : "No node would take it now, its own neither",
		stays ? 0 : (int)to.size, to.at);
	if (is_scored)
		output_format(p->out,
			score < best ? ": %lld points, its node has %lld" : ": %lld points",
			(long long)best, (long long)score);
	else if (to.size > 0 && !stays)
		output_z(p->out, "; its node would not take it");
	char room[TABLE_CELL_MAX];
	struct writer w;
	const struct table none = {.now_ms = 0};
	const struct table_column when = {"", "atMs", CELL_TIME_MS, false};
	writer_init(&w, room, sizeof(room));
	table_write_cell(&none, &when, d, &w);
	output_z(p->out, ".\n");
	output_format(p->out,
		json_count(d) > 0 ? "It came there at %.*s; feasible nodes: "
				  : "When it came there is not in berth's history",
		TEXT_ARGS(writer_text(&w)));
	output_text(p->out, json_scalar(json_get(d, "feasible")));
	struct json_walk walk = json_walk(json_get(d, "best"));
	while (json_walk_next(&walk)) {
		struct json_walk pair = json_walk(walk.value);
		for (const char *between = "; "; json_walk_next(&pair); between = " ") {
			output_z(p->out, between);
			output_text(p->out, json_scalar(pair.value));
		}
	}
	output_z(p->out, ".\n");
}

bool explanation_print_outcome(struct text json, struct scratch *scratch, struct output *out)
{
	struct printing p = {.scratch = scratch, .out = out};
	struct parts parts = take_apart(json);
	struct text *choice = &parts.part[PART_CHOICE];
	bool fits = choice->size > 0, runs = parts.part[PART_ASSIGNED].size > 0;
	if (runs)
		put_whereabouts(&p, &parts);
	else
		output_z(out, fits ? ": goes to " : ": no node.\n");
	for (uint32_t i = runs ? PART_MESSAGE : PART_CHOICE; i <= PART_ERROR; i++)
		if (parts.part[i].size > 0)
			output_text(out, json_text(explanation_parse(&p, parts.part[i])));
	if (!runs || !fits)
		output_z(out, fits ? ".\n" : "\n");
	if (parts.part[PART_GATES].size > 0) {
		output_z(out, "It is not decided now: it waits for its scheduling gates [");
		put_texts(&p, explanation_parse(&p, parts.part[PART_GATES]));
		output_z(out, "]; this is what would be decided without them.\n");
	}
	return !scratch->overflowed;
}
