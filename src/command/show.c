/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * status, pending, nodes, history, headroom: what a running berth shows, in a terminal.
 */
#include <unistd.h>

#include "base/sort.h"
#include "command/ask.h"
#include "command/canonical.h"
#include "command/table.h"
#include "command/yaml_out.h"
#include "config/file.h"
#include "kube/time.h"
#include "scheduler/history.h"

enum { SHOW_PATH_MAX = 2048, WATCH_US = 2 * 1000 * 1000, OTHERS_S = 300 };
#define DAY_US ((int64_t)86400 * CLOCK_S_US)
enum show_form { SHOW_TABLE, SHOW_WIDE, SHOW_JSON, SHOW_YAML };

struct show_flags {
	struct ask_flags ask;
	const char *namespace;
	uint32_t form; /* enum show_form */
	bool watch;
	bool each;
	bool pods;
	bool loss;
	bool better;
	uint32_t kind; /* 0: all; else 1 + enum history_kind */
	const char *since, *until;
};

/* One run of a command, or one round of --watch. */
struct show {
	const struct command_io *io;
	const struct command *command;
	const struct show_flags *flags;
	struct ask *ask;
	struct output out;
	int words;
	char **argv;
};

/* ---- rows ---- */

static bool is_of_namespace(struct show *s, struct text row)
{
	const char *namespace = s->flags->namespace;
	struct scratch_mark mark = scratch_mark(&s->ask->scratch);
	struct json_value v = canonical_parse(row, &s->ask->scratch);
	struct text has = json_text(json_get(v, "namespace"));
	struct text pod = json_text(json_get(v, "pod")); /* of history "NAMESPACE/NAME" */
	has = has.size > 0 ? has : text_first(pod, text_find(pod, '/'));
	bool is = namespace == NULL || s->command == &headroom_command || text_is_z(has, namespace);
	scratch_rewind(&s->ask->scratch, mark);
	return is;
}

/*
 * Rows begin with the name, or namespace and name: sorted they are found again. Of what happened
 * the newest comes first and is shown last.
 */
enum show_order { SHOW_AS_IT_CAME, SHOW_SORTED, SHOW_REVERSED };

static bool show_rows(struct show *s, struct text json, const struct table_column *columns,
	uint32_t column_count, enum show_order order)
{
	uint32_t count = 0, all = canonical_count(json);
	struct text row, rest = json;
	struct scratch *scratch = &s->ask->scratch;
	const struct clock clock = clock_system();
	struct text *rows = SCRATCH_ARRAY(scratch, struct text, (size_t)all + 1);
	if (rows == NULL) {
		ask_complain(s->ask, TEXT("the answer is too large"));
		return false;
	}
	while (count < all && canonical_next_element(&rest, &row))
		if (is_of_namespace(s, row))
			rows[order == SHOW_REVERSED ? all - ++count : count++] = row;
	rows += order == SHOW_REVERSED ? all - count : 0;
	if (order == SHOW_SORTED)
		sort_texts(rows, count);
	const struct table table = {.io = s->io,
		.out = &s->out,
		.scratch = scratch,
		.columns = columns,
		.count = column_count,
		.is_wide = s->flags->form == SHOW_WIDE,
		.now_ms = clock_wall(&clock).us / CLOCK_MS_US};
	if (count == 0)
		output_z(&s->out, "none\n");
	else
		table_print(&table, rows, count);
	return true;
}

/* Those of the namespace, as an array again. */
static struct text of_namespace(struct show *s, struct text json)
{
	struct text row, rest = json;
	struct writer w;
	if (s->flags->namespace == NULL)
		return json;
	char *room = scratch_take(&s->ask->scratch, json.size + 1);
	writer_init(&w, room, room == NULL ? 0 : json.size + 1);
	write_char(&w, '[');
	while (canonical_next_element(&rest, &row)) {
		if (!is_of_namespace(s, row))
			continue;
		write_z(&w, w.used > 1 ? "," : "");
		write_text(&w, row);
	}
	write_char(&w, ']');
	return writer_text(&w);
}

/* For programs it is what came. */
static bool show_raw(struct show *s, struct text json)
{
	json = of_namespace(s, json);
	if (s->flags->form == SHOW_YAML) {
		yaml_out(json, &s->out);
	} else {
		output_bytes(&s->out, json);
		output_z(&s->out, "\n");
	}
	return true;
}

/* ---- nodes ---- */

static const struct table_column node_columns[] = {
	{"NAME", "name", CELL_SCALAR, false},
	{"STATUS", "", CELL_NODE_STATE, false},
	{"SINCE", "readySinceMs", CELL_SINCE_MS, true},
	{"ZONE", "zone", CELL_SCALAR, false},
	{"PODS", "pods", CELL_COUNT, false},
	{"CPU", "cpuMilli", CELL_CPU, false},
	{"MEMORY", "memory", CELL_BYTES, false},
	{"STORAGE", "storage", CELL_BYTES, true},
	{"TAINTS", "taints", CELL_LIST, false},
};

static const struct table_column pod_of_node_columns[] = {
	{"NAMESPACE", "namespace", CELL_SCALAR, false},
	{"NAME", "name", CELL_SCALAR, false},
	{"STATE", "state", CELL_STATE, false},
	{"AGE", "sinceMs", CELL_SINCE_MS, false},
	{"CPU", "cpuMilli", CELL_CPU, false},
	{"MEMORY", "memory", CELL_BYTES, false},
	{"PRIORITY", "priority", CELL_SCALAR, true},
	{"OWNER", "owner", CELL_SCALAR, false},
};

static const struct table_column loss_columns[] = {
	{"NODE", "node", CELL_SCALAR, false},
	{"PODS THAT MOVE", "moves", CELL_SCALAR, false},
	{"WITHOUT A PLACE", "stuck", CELL_SCALAR, false},
	{"LOOKED AT", "ageS", CELL_SECONDS, false},
};

static const struct table_column better_columns[] = {
	{"NAMESPACE", "namespace", CELL_SCALAR, false},
	{"NAME", "name", CELL_SCALAR, false},
	{"OWNER", "owner", CELL_SCALAR, true},
	{"NODE", "node", CELL_SCALAR, false},
	{"SCORE", "score", CELL_SCALAR, true},
	{"WOULD GO TO", "to", CELL_SCALAR, false},
	{"MORE POINTS", "gain", CELL_SCALAR, false},
};

static const struct table_column pod_of_loss_columns[] = {
	{"NAMESPACE", "namespace", CELL_SCALAR, false},
	{"NAME", "name", CELL_SCALAR, false},
	{"PRIORITY", "priority", CELL_SCALAR, true},
	{"WOULD GO TO", "to", CELL_SCALAR, false},
	{"BUDGET", "budget", CELL_SCALAR, false},
	{"OR NOWHERE, BECAUSE", "reason", CELL_SCALAR, false},
};

/* Of one node, whose pods are the value of the last member. */
static bool show_pods_of_node(struct show *s, struct text json)
{
	struct text key, value, pods = TEXT("[]"), rest = json;
	while (canonical_next_member(&rest, &key, &value))
		if (text_is_z(key, "pods") && text_starts(value, TEXT("[{")))
			pods = value;
	if (s->flags->loss)
		return show_rows(s, pods, pod_of_loss_columns, ARRAY_COUNT(pod_of_loss_columns),
			SHOW_AS_IT_CAME);
	return show_rows(
		s, pods, pod_of_node_columns, ARRAY_COUNT(pod_of_node_columns), SHOW_SORTED);
}

static bool show_nodes(struct show *s)
{
	char path[SHOW_PATH_MAX];
	struct writer w;
	struct text json;
	bool loss = s->flags->loss, one = s->flags->pods || (loss && s->words > 0);
	writer_init(&w, path, sizeof(path));
	write_z(&w,
		s->flags->better ? "/berth/v1/better"
			: one    ? "/berth/v1/nodes/"
			: loss   ? "/berth/v1/loss"
				 : "/berth/v1/nodes?q=");
	write_percent_encoded(&w, s->words > 0 ? text_of(s->argv[1]) : TEXT(""), "");
	write_z(&w, one && loss ? "/loss" : "");
	if (!ask_get(s->ask, writer_text(&w), one ? '{' : '[', &json))
		return false;
	if (s->flags->form >= SHOW_JSON)
		return show_raw(s, json);
	if (s->flags->better)
		return show_rows(s, json, better_columns, ARRAY_COUNT(better_columns), SHOW_SORTED);
	if (loss && !one)
		return show_rows(s, json, loss_columns, ARRAY_COUNT(loss_columns), SHOW_AS_IT_CAME);
	return one ? show_pods_of_node(s, json)
		   : show_rows(s, json, node_columns, ARRAY_COUNT(node_columns), SHOW_SORTED);
}

/* ---- pending ---- */

static const struct table_column group_columns[] = {
	{"NAMESPACE", "namespace", CELL_SCALAR, false},
	{"OWNER", "owner|pod", CELL_SCALAR, false},
	{"PODS", "count", CELL_SCALAR, false},
	{"STATE", "states", CELL_STATES, false},
	{"AGE", "sinceS", CELL_SECONDS, false},
	{"PRIORITY", "priority", CELL_SCALAR, true},
	{"CPU", "cpuMilli", CELL_CPU, true},
	{"MEMORY", "memory", CELL_BYTES, true},
	{"REASON", "reason", CELL_SCALAR, false},
	{"WHAT WOULD HELP", "help", CELL_LIST, false},
};

static const struct table_column pod_columns[] = {
	{"NAMESPACE", "namespace", CELL_SCALAR, false},
	{"NAME", "name", CELL_SCALAR, false},
	{"STATE", "state", CELL_STATE, false},
	{"AGE", "sinceS", CELL_SECONDS, false},
	{"NEXT TRY", "nextTryS", CELL_SECONDS, false},
	{"TRIES", "attempts", CELL_SCALAR, false},
	{"PRIORITY", "priority", CELL_SCALAR, true},
	{"CPU", "cpuMilli", CELL_CPU, true},
	{"MEMORY", "memory", CELL_BYTES, true},
	{"PLUGINS", "plugins", CELL_LIST, true},
	{"REASON", "reason", CELL_SCALAR, false},
};

static bool show_pending(struct show *s)
{
	char path[SHOW_PATH_MAX];
	struct writer w;
	struct text json;
	bool each = s->flags->each || s->words > 0;
	writer_init(&w, path, sizeof(path));
	write_z(&w, each ? "/berth/v1/pods?limit=1000000&q=" : "/berth/v1/pending");
	if (s->words > 0)
		write_percent_encoded(&w, text_of(s->argv[1]), "");
	if (!ask_get(s->ask, writer_text(&w), '[', &json))
		return false;
	if (s->flags->form >= SHOW_JSON)
		return show_raw(s, json);
	return each
		? show_rows(s, json, pod_columns, ARRAY_COUNT(pod_columns), SHOW_SORTED)
		: show_rows(s, json, group_columns, ARRAY_COUNT(group_columns), SHOW_AS_IT_CAME);
}

/* ---- history ---- */

static const struct table_column history_columns[] = {
	{"TIME", "atMs", CELL_TIME_MS, false},
	{"WHAT", "kind", CELL_STATE, false},
	{"POD", "pod", CELL_SCALAR, false},
	{"NODE", "node", CELL_SCALAR, false},
	{"FEASIBLE", "feasible", CELL_SCALAR, true},
	{"TOOK US", "tookUs", CELL_SCALAR, true},
	{"WHY, OR VICTIMS", "message|victims", CELL_SCALAR, false},
};

/* "2h" before now, "03:00" of the last day, or a whole time. */
static bool read_time(const char *word, struct wall now, struct wall *at)
{
	char room[KUBE_TIME_SIZE];
	struct text t = text_of(word);
	struct writer w;
	int64_t ago;
	if (kube_duration_parse(t, &ago)) {
		at->us = now.us - ago;
		return true;
	}
	writer_init(&w, room, sizeof(room));
	kube_time_print(now, &w);
	if (t.size == sizeof("03:00") - 1) {
		memcpy(room + sizeof("2026-11-20T") - 1, t.at, t.size);
		memcpy(room + sizeof("2026-11-20T03:00:") - 1, "00", 2);
		t = writer_text(&w);
	}
	if (!kube_time_parse(t, at))
		return false;
	at->us -= t.at == room && at->us > now.us ? DAY_US : 0;
	return true;
}

static bool write_history_time(struct show *s, const char *name, const char *word, struct writer *w)
{
	const struct clock clock = clock_system();
	struct wall at;
	if (word == NULL)
		return true;
	if (!read_time(word, clock_wall(&clock), &at)) {
		output_format(&s->ask->err,
			"berth: '%s' is no time: 2h, 03:00 and 2026-11-20T03:00:00Z are\n", word);
		return false;
	}
	write_format(w, "&%s=%lld", name, (long long)at.us / CLOCK_MS_US);
	return true;
}

static bool show_history(struct show *s)
{
	char path[SHOW_PATH_MAX];
	struct writer w;
	struct text json, words = text_of(s->words > 0 ? s->argv[1] : "");
	writer_init(&w, path, sizeof(path));
	write_format(&w, "/berth/v1/history/events?limit=%d&q=", HISTORY_EVENTS);
	write_percent_encoded(&w, text_from(words, text_starts(words, TEXT("pod/")) ? 3 : 0), "");
	if (s->flags->kind > 0)
		write_format(&w, "&kind=%s", history_kind_names[s->flags->kind - 1]);
	if (!write_history_time(s, "from", s->flags->since, &w) ||
		!write_history_time(s, "to", s->flags->until, &w) ||
		!ask_get(s->ask, writer_text(&w), '[', &json))
		return false;
	if (s->flags->form >= SHOW_JSON)
		return show_raw(s, json);
	return show_rows(s, json, history_columns, ARRAY_COUNT(history_columns), SHOW_REVERSED);
}

/* ---- status ---- */

static void put_title(struct show *s, const char *name)
{
	output_column(&s->out, text_of(name), sizeof("decisions ") - 1);
}

/* In the order of the cells; each with its words before it. */
struct status_cell {
	const char *before;
	struct table_column column;
};

static void put_cells(struct show *s, struct json_value overview, const char *name,
	const struct status_cell *cells, size_t count)
{
	char room[TABLE_CELL_MAX];
	struct writer w;
	const struct table none = {.now_ms = 0};
	put_title(s, name);
	for (size_t i = 0; i < count; i++) {
		writer_init(&w, room, sizeof(room));
		table_write_cell(&none, &cells[i].column, overview, &w);
		output_z(&s->out, cells[i].before);
		output_text(&s->out, writer_text(&w));
	}
	output_z(&s->out, "\n");
}

static int64_t number_at(struct json_value v, const char *path)
{
	int64_t number = 0;
	(void)!json_i64(json_path(v, path), &number);
	return number;
}

/* One word that is green only when pods are being scheduled. */
static void put_headline(struct show *s, struct json_value v)
{
	static const char *const states[][2] = {{"ready", "scheduling"},
		{"not-leading", "standby: another one leads"},
		{"not-synced", "reading the cluster"},
		{"stale", "paused: nothing was heard of the cluster for minutes"},
		{"incomplete", "paused: some objects are missing"},
		{"yielding", "standby: another scheduler is at work"}};
	struct text state = json_text(json_get(v, "state"));
	struct text words = state;
	for (size_t i = 0; i < ARRAY_COUNT(states); i++)
		if (text_is_z(state, states[i][0]))
			words = text_of(states[i][1]);
	if (text_is_z(state, "not-leading") && json_text(json_path(v, "lease.holder")).size == 0)
		words = TEXT("waits for the lease");
	if (text_is_z(state, "ready") && number_at(v, "decisions.boundByOthers") > 0 &&
		number_at(v, "decisions.othersSecondsAgo") < OTHERS_S)
		words = TEXT("another scheduler binds the same pods: stop one of the two");
	if (number_at(v, "connection.open") == 0)
		words = TEXT("the apiserver is not reached");
	put_title(s, "state");
	table_put_state(s->io, &s->out, words, words);
	output_z(&s->out, "\n");
}

/* Each state that has some, with the first names. */
static void put_node_states(struct show *s, struct json_value v)
{
	static const char *const states[][2] = {{"ready", "ready"}, {"notReady", "not ready"},
		{"cordoned", "cordoned"}, {"missing", "missing"}};
	const char *between = "";
	put_title(s, "nodes");
	for (size_t i = 0; i < ARRAY_COUNT(states); i++) {
		struct json_value of = json_get(json_path(v, "cluster.nodeStates"), states[i][0]);
		struct json_walk walk = json_walk(json_get(of, "first"));
		int64_t count = number_at(of, "count");
		if (count == 0 && i > 0)
			continue;
		output_format(&s->out, "%s%lld %s", between, (long long)count, states[i][1]);
		between = " (";
		for (int64_t named = 1; json_walk_next(&walk); named++, between = ", ") {
			output_z(&s->out, between);
			output_text(&s->out, json_text(walk.value));
		}
		output_z(&s->out, text_is_z(TEXT(", "), between) ? ")" : "");
		between = ", ";
	}
	output_z(&s->out, "\n");
}

static void put_warning(struct show *s, int64_t count, const char *words)
{
	char room[128];
	struct writer w;
	if (count <= 0)
		return;
	writer_init(&w, room, sizeof(room));
	write_format(&w, "%lld %s", (long long)count, words);
	put_title(s, "warning");
	table_put_state(s->io, &s->out, TEXT(""), writer_text(&w));
	output_z(&s->out, "\n");
}

#define CELL(before, path, cell)              \
	{                                     \
		before,                       \
		{                             \
			"", path, cell, false \
		}                             \
	}
static const struct status_cell about_cells[] = {CELL("", "version", CELL_SCALAR),
	CELL(" as kube-scheduler ", "release", CELL_SCALAR), CELL(", up ", "upS", CELL_SECONDS),
	CELL(", resident ", "memory.resident", CELL_BYTES)};
static const struct status_cell lease_cells[] = {
	CELL("", "lease.state", CELL_SCALAR), CELL(", held by ", "lease.holder", CELL_SCALAR)};
static const struct status_cell connection_cells[] = {CELL("", "connection.synced", CELL_SCALAR),
	CELL(" of ", "connection.watches", CELL_SCALAR),
	CELL(" watches complete, requests queued: ", "connection.queued", CELL_SCALAR)};
static const struct status_cell capacity_cells[] = {
	CELL("CPU ", "cluster.capacity.cpuMilli", CELL_CPU),
	CELL(", memory ", "cluster.capacity.memory", CELL_BYTES),
	CELL(", pods ", "cluster.capacity.pods", CELL_COUNT)};
static const struct status_cell loss_cells[] = {
	CELL("the loss of any one of ", "loss.survives", CELL_SCALAR),
	CELL(" nodes; looked at: ", "loss.known", CELL_SCALAR),
	CELL(" of ", "loss.nodes", CELL_SCALAR)};
static const struct status_cell pending_cells[] = {CELL("", "cluster.pending", CELL_SCALAR),
	CELL(": active ", "queue.active", CELL_SCALAR),
	CELL(", backoff ", "queue.backoff", CELL_SCALAR),
	CELL(", unschedulable ", "queue.unschedulable", CELL_SCALAR),
	CELL(", gated ", "queue.gated", CELL_SCALAR),
	CELL(", no memory ", "queue.noMemory", CELL_SCALAR),
	CELL(", of other schedulers ", "queue.otherSchedulers", CELL_SCALAR)};
static const struct status_cell decision_cells[] = {CELL("", "decisions.bound", CELL_SCALAR),
	CELL(" bound, ", "decisions.unschedulable", CELL_SCALAR),
	CELL(" attempts without a node, ", "decisions.errors", CELL_SCALAR),
	CELL(" errors, preemptions ", "decisions.preemptions", CELL_SCALAR)};

static bool show_status(struct show *s)
{
	struct text json;
	if (!ask_get(s->ask, TEXT("/berth/v1/overview"), '{', &json))
		return false;
	if (s->flags->form >= SHOW_JSON)
		return show_raw(s, json);
	struct json_value v = canonical_parse(json, &s->ask->scratch);
	put_headline(s, v);
	put_cells(s, v, "berth", about_cells, ARRAY_COUNT(about_cells));
	put_cells(s, v, "lease", lease_cells, ARRAY_COUNT(lease_cells));
	put_cells(s, v, "apiserver", connection_cells, ARRAY_COUNT(connection_cells));
	put_node_states(s, v);
	put_cells(s, v, "requested", capacity_cells, ARRAY_COUNT(capacity_cells));
	put_cells(s, v, "survives", loss_cells, ARRAY_COUNT(loss_cells));
	put_cells(s, v, "pending", pending_cells, ARRAY_COUNT(pending_cells));
	put_cells(s, v, "decisions", decision_cells, ARRAY_COUNT(decision_cells));
	struct text error = json_text(json_path(v, "connection.error"));
	if (error.size > 0) {
		put_title(s, "error");
		output_text(&s->out, error);
		output_z(&s->out, "\n");
	}
	put_warning(s, number_at(v, "decisions.boundByOthers"),
		"pods were bound by another scheduler: two must not run at once");
	put_warning(s, number_at(v, "events.dropped"), "events were dropped: there were too many");
	put_warning(s, number_at(v, "memory.refused"), "times there was no memory: raise --memory");
	return true;
}

/* ---- headroom ---- */

static const struct table_column unit_columns[] = {
	{"KIND", "kind", CELL_SCALAR, false},
	{"NAMESPACE", "namespace", CELL_SCALAR, false},
	{"NAME", "name", CELL_SCALAR, false},
	{"WANTED", "wanted", CELL_SCALAR, false},
	{"LOOKED AT", "lookedAt", CELL_SCALAR, false},
	{"WITH A NODE", "placed", CELL_SCALAR, false},
};
static const struct table_column headroom_columns[] = {
	{"NODE", "0", CELL_SCALAR, false},
	{"FIT", "1", CELL_SCALAR, false},
	{"RUNS OUT FIRST", "2", CELL_SCALAR, false},
};
static const struct status_cell headroom_cells[] = {CELL("", "fits", CELL_SCALAR),
	CELL("; feasible nodes: ", "feasible", CELL_SCALAR),
	CELL("; what runs out first: ", "first", CELL_STATES)};

static bool is_file(struct text word)
{
	return text_is_z(word, "-") || text_ends(word, TEXT(".yaml")) ||
		text_ends(word, TEXT(".yml")) || text_ends(word, TEXT(".json"));
}

/* Path and body of the question about argv[1]; false: it was said what is wrong. */
static bool ask_headroom(struct show *s, struct writer *w)
{
	struct ask_pod pod;
	struct scratch *scratch = &s->ask->scratch;
	const char *word = s->argv[1], *fault = "is no NAMESPACE/POD";
	bool ok;
	if (is_file(text_of(word))) {
		write_z(w, "/berth/v1/whatif");
		ok = word[0] == '-' ? config_fd_read(s->io->in, scratch, &s->ask->body, &fault)
				    : config_file_read(word, scratch, &s->ask->body, &fault);
	} else {
		ok = ask_pod_named(word, s->flags->namespace, &pod);
		write_z(w, "/berth/v1/headroom?pod=");
		write_percent_encoded(w, ok ? pod.namespace : TEXT(""), "");
		write_z(w, "%2F");
		write_percent_encoded(w, ok ? pod.name : TEXT(""), "");
	}
	if (!ok)
		output_format(&s->ask->err, "berth: %s: %s\n", word, fault);
	return ok;
}

/* What is asked about a file is among what was asked: the last pod, or the first without a node. */
static bool show_headroom(struct show *s)
{
	char path[SHOW_PATH_MAX];
	struct writer w;
	struct text json, rest, key, value, units = TEXT_NONE, nodes = TEXT("[]");
	writer_init(&w, path, sizeof(path));
	if (!ask_headroom(s, &w) || !ask_get(s->ask, writer_text(&w), '{', &json))
		return false;
	for (rest = json; canonical_next_member(&rest, &key, &value);)
		if (text_is_z(key, "workloads"))
			units = value;
		else if (text_is_z(key, "headroom"))
			json = value;
	if (s->flags->form >= SHOW_JSON)
		return show_raw(s, json);
	for (rest = json; canonical_next_member(&rest, &key, &value);)
		if (text_is_z(key, "nodes"))
			nodes = value;
	struct json_value v = canonical_parse(json, &s->ask->scratch);
	bool shown = units.at == NULL ||
		show_rows(s, units, unit_columns, ARRAY_COUNT(unit_columns), SHOW_AS_IT_CAME);
	put_cells(s, v,
		json_bool(json_get(v, "isUpperBound"), false) ? "at most"
			: units.at != NULL                    ? "fit"
							      : "more fit",
		headroom_cells, ARRAY_COUNT(headroom_cells));
	return shown &&
		(canonical_count(nodes) == 0 ||
			show_rows(s, nodes, headroom_columns, ARRAY_COUNT(headroom_columns),
				SHOW_AS_IT_CAME));
}

/* ---- the commands ---- */

static bool show_round(struct show *s)
{
	struct scratch_mark mark = scratch_mark(&s->ask->scratch);
	bool shown = s->command == &status_command ? show_status(s)
		: s->command == &nodes_command     ? show_nodes(s)
		: s->command == &history_command   ? show_history(s)
		: s->command == &headroom_command  ? show_headroom(s)
						   : show_pending(s);
	output_flush(&s->out);
	scratch_rewind(&s->ask->scratch, mark);
	return shown && s->out.error == 0;
}

static int show_run(
	const struct command_io *io, const struct command *command, int argc, char **argv)
{
	struct show_flags flags = {.namespace = NULL};
	struct show s = {.io = io, .command = command, .flags = &flags, .argv = argv};
	int status;
	if (!command_begin(io, command, &flags, argc, argv, &s.words, &status))
		return status;
	if (s.words > (command == &status_command || flags.better ? 0 : 1) ||
		((flags.pods || command == &headroom_command) && s.words == 0))
		return command_misused(io, command,
			s.words > 0          ? TEXT("there are too many arguments")
				: flags.pods ? TEXT("--pods needs the name of a node")
					     : TEXT("headroom needs a pod or a file"));
	output_init(&s.out, io->out);
	s.ask = ask_open(io, &flags.ask, ASK_MEMORY, 0);
	bool shown = s.ask != NULL && show_round(&s);
	while (shown && flags.watch) {
		net_poll(s.ask->net, WATCH_US);
		output_bytes(&s.out, io->width > 0 ? TEXT("\033[H\033[2J") : TEXT("\n"));
		shown = show_round(&s);
	}
	if (s.ask != NULL)
		ask_close(s.ask);
	return shown ? COMMAND_DONE : COMMAND_FAILED;
}

int status_run(const struct command_io *io, int argc, char **argv)
{
	return show_run(io, &status_command, argc, argv);
}

int headroom_run(const struct command_io *io, int argc, char **argv)
{
	return show_run(io, &headroom_command, argc, argv);
}

int pending_run(const struct command_io *io, int argc, char **argv)
{
	return show_run(io, &pending_command, argc, argv);
}

int nodes_run(const struct command_io *io, int argc, char **argv)
{
	return show_run(io, &nodes_command, argc, argv);
}

int history_run(const struct command_io *io, int argc, char **argv)
{
	return show_run(io, &history_command, argc, argv);
}

/* status has those in the middle, the others some at an end, too. */
static const struct flag show_flags[] = {
	{"each", 0, FLAG_BOOL, offsetof(struct show_flags, each), NULL,
		"a row for each pod, not for each owner and reason"},
	{"namespace", 'n', FLAG_TEXT, offsetof(struct show_flags, namespace), "NAME",
		"only pods of that namespace"},
	{"output", 'o', FLAG_CHOICE, offsetof(struct show_flags, form), "table|wide|json|yaml",
		"form; wide: all columns, not cut"},
	{"watch", 'w', FLAG_BOOL, offsetof(struct show_flags, watch), NULL, "every 2 seconds"},
	ASK_FLAGS(struct show_flags),
	{"pods", 0, FLAG_BOOL, offsetof(struct show_flags, pods), NULL,
		"the pods of the node of that name"},
	{"loss", 0, FLAG_BOOL, offsetof(struct show_flags, loss), NULL,
		"what if it dies or is drained; of all: the worst first"},
	{"better", 0, FLAG_BOOL, offsetof(struct show_flags, better), NULL,
		"running pods that would go elsewhere now, and by how much"},
};
enum { OF_PENDING = 2, OF_NODES = 3 };

static const struct flag history_flags[] = {
	{"kind", 0, FLAG_CHOICE, offsetof(struct show_flags, kind),
		"all|scheduled|unschedulable|error|preemption|lost|unbound|node", "what happened"},
	{"namespace", 'n', FLAG_TEXT, offsetof(struct show_flags, namespace), "NAME",
		"only pods of that namespace"},
	{"output", 'o', FLAG_CHOICE, offsetof(struct show_flags, form), "table|wide|json|yaml",
		"form; wide: all columns, not cut"},
	{"since", 0, FLAG_TEXT, offsetof(struct show_flags, since), "TIME",
		"2h (before now), 03:00 (UTC), or 2026-11-20T03:00:00Z"},
	{"until", 0, FLAG_TEXT, offsetof(struct show_flags, until), "TIME", "the same"},
	ASK_FLAGS(struct show_flags)};

const struct command status_command = {.name = "status",
	.what = "how a running berth is doing",
	.arguments = "[flags]",
	.about = "Says what a running berth does, how full the cluster is, what is wrong.\n",
	.examples =
		"berth status\nberth status --server https://gw-7:10259 --ca gw-7.crt -o yaml\n",
	.flags = show_flags + OF_PENDING,
	.flag_count = ARRAY_COUNT(show_flags) - OF_PENDING - OF_NODES,
	.run = status_run};

const struct command pending_command = {.name = "pending",
	.what = "which pods wait, why, and what would help",
	.arguments = "[TEXT] [flags]",
	.about = "Lists the pods that wait, a row for each owner and reason. With TEXT it lists\n"
		 "each pod with that in its name or namespace.\n",
	.examples = "berth pending -n shop\nberth pending web- -o wide\n",
	.flags = show_flags,
	.flag_count = ARRAY_COUNT(show_flags) - OF_NODES,
	.run = pending_run};

const struct command nodes_command = {.name = "nodes",
	.what = "the nodes, how full they are, and their pods",
	.arguments = "[TEXT] [flags]\nNODE --pods|--loss [flags]\n--better [flags]",
	.about = "Lists the nodes, or those with TEXT in their name or zone, or the pods of "
		 "one.\n",
	.examples = "berth nodes\nberth nodes gw-7 --pods\nberth nodes --loss\nberth nodes gw-7 "
		    "--loss\n",
	.flags = show_flags + OF_PENDING,
	.flag_count = ARRAY_COUNT(show_flags) - OF_PENDING,
	.run = nodes_run};

const struct command headroom_command = {.name = "headroom",
	.what = "how many more of a pod fit, and what runs out first",
	.arguments = "NAMESPACE/POD [flags]\nFILE [flags]",
	.about = "Says how many more fit of a pod that runs or waits, and what runs out first on\n"
		 "which node. FILE (NAME.yaml, NAME.json, '-') has pods and workloads that are\n"
		 "not there yet; what fits of the last pod counts that one, too.\n",
	.examples = "berth headroom shop/web-0\nberth headroom deployment.yaml\n",
	.flags = show_flags + 1,
	.flag_count = ARRAY_COUNT(show_flags) - 1 - OF_NODES,
	.run = headroom_run};

const struct command history_command = {.name = "history",
	.what = "what happened in the last day",
	.arguments = "[TEXT] [flags]",
	.about = "Lists decisions, preemptions, lost bindings and changes of nodes, the newest "
		 "last;\n"
		 "with TEXT those whose pod or node has it in its name. 'pod/NAME' is a pod\n"
		 "whose name begins so.\n",
	.examples = "berth history --since 03:00 --until 03:30\n"
		    "berth history pod/web -n shop -o wide\nberth history --kind preemption\n",
	.flags = history_flags,
	.flag_count = ARRAY_COUNT(history_flags),
	.run = history_run};
