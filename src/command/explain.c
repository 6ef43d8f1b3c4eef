/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * explain: one pod of a dump, node by node and plugin by plugin.
 *
 * A pod that is on a node already is decided as if it were not: it comes into the picture without
 * its node, so nothing of it is counted anywhere.
 */
#include "command/ask.h"
#include "command/explanation.h"
#include "command/offline.h"

enum { FILES_MAX = 64 };

struct question {
	struct text namespace;
	struct text name;
	struct text pod; /* as it was asked */
};

/* ---- the answer ---- */

static void explain_put_pod(struct offline *o, const struct question *q)
{
	output_z(&o->out, "Pod ");
	output_text(&o->out, q->namespace);
	output_z(&o->out, "/");
	output_text(&o->out, q->name);
}

/* What keeps the pod from being decided at all. */
static void put_obstacles(struct offline *o, uint32_t index)
{
	const struct cache_pod *pod = cache_pod_at(&o->cache, index);
	if (o->dump.was_on[0] != '\0') {
		output_z(&o->out, "It is on ");
		output_text(&o->out, text_of(o->dump.was_on));
		output_z(&o->out, "; this is what would be decided if it were not.\n");
	}
	const struct plugin_profile *profile = cycle_profile_of(&o->cycle, index);
	struct plugin_reasons why = {.scratch = &o->words};
	if (profile != NULL && plugin_gate_of(&o->cache, profile, index, &why) < PLUGIN_COUNT) {
		output_z(&o->out, "It is not decided now: ");
		output_text(&o->out, why.count > 0 ? why.list[0] : TEXT("it is held back"));
		output_z(&o->out, "; this is what would be decided without them.\n");
	}
	if ((pod->flags & CACHE_POD_DELETING) != 0)
		output_z(&o->out, "It is being deleted: schedulers leave it alone.\n");
}

static void explain_put_decision(struct offline *o, const struct question *q, uint32_t pod)
{
	struct schedule_result d;
	cycle_decide(&o->cycle, pod, CACHE_COUNT_FAST, &d);
	explain_put_pod(o, q);
	if (d.outcome != CYCLE_PLACED) {
		output_z(&o->out,
			d.outcome == CYCLE_FAILED ? ": cannot be decided.\n" : ": no node.\n");
		output_text(&o->out, d.message);
		output_z(&o->out, "\n");
		return;
	}
	struct text node = cache_text(&o->cache, cache_node_at(&o->cache, d.node)->name);
	bool nominated = cache_pod_at(&o->cache, pod)->nominated != 0 && d.evaluated_count == 1;
	output_z(&o->out, ": goes to ");
	output_text(&o->out, node);
	if (nominated)
		output_z(&o->out, ", for which it is nominated.\n");
	else if (d.feasible_count == 1)
		output_format(
			&o->out, ", the only one of %u nodes that will do.\n", d.evaluated_count);
	else
		output_format(&o->out, ", the best of %u feasible nodes (%u looked at).\n",
			d.feasible_count, d.evaluated_count);
}

static bool explain_fail(struct offline *o, const struct question *q, const char *what)
{
	progress_clear(&o->progress);
	output_z(&o->err, "berth: ");
	output_text(&o->err, q->pod);
	output_format(&o->err, ": %s\n", what);
	return false;
}

static bool explain_pod(struct offline *o, const struct question *q, bool as_json, struct writer *w)
{
	uint32_t pod = cache_find_pod(&o->cache, q->namespace, q->name);
	if (pod == 0)
		return explain_fail(o, q,
			o->dump.finished > 0 ? "no such pod in the dump, or it has finished"
					     : "no such pod in the dump");
	if (cache_pod_at(&o->cache, pod)->node != 0)
		return explain_fail(o, q, "its spec.nodeName cannot be taken away");
	if (cycle_profile_of(&o->cycle, pod) == NULL)
		return explain_fail(o, q, "no profile has the name in spec.schedulerName");
	if (!as_json) {
		explain_put_decision(o, q, pod);
		put_obstacles(o, pod);
	}
	cycle_explain(&o->cycle, pod, CACHE_COUNT_FAST, w);
	if (w->overflowed)
		return explain_fail(o, q, "the answer is too large; raise --memory");
	if (as_json) {
		output_bytes(&o->out, writer_text(w));
		output_z(&o->out, "\n");
		return true;
	}
	scratch_reset(&o->words);
	return explanation_print(writer_text(w), &o->words, &o->out) ||
		explain_fail(o, q, "the table is too large; raise --memory");
}

/* ---- the command ---- */

static const char usage[] =
	"usage: berth explain NAMESPACE/POD --cluster FILE... [flags]\n"
	"       berth explain NAMESPACE/POD --server URL [flags]\n\n"
	"Says for one pod of a dump, node by node and plugin by plugin, why it goes\n"
	"where it goes, or why it goes nowhere. A pod that is on a node is decided as if\n"
	"it were not. FILE is what 'berth simulate' reads; '-' is standard input. Of a\n"
	"running berth (URL is its status page) it can be asked about pods that wait.\n\n";

static const char usage_end[] =
	"\nJSON has these keys, as far as they apply: preFilter (a plugin refused before\n"
	"any node was looked at), preFilterNodes (the only ones that were), rejected (by\n"
	"node: plugin, code, reasons), feasible, scores (by node: total, plugins), best\n"
	"(all nodes with the highest total), choice (which of them), preemption\n"
	"(eligible, and picks or message), message (of the event), error.\n";

static int explain_dump(const struct command_io *io, const struct offline_flags *flags,
	const struct question *q, const char *const *files, uint32_t file_count)
{
	int status;
	struct offline *o = offline_open(io, flags, &status);
	if (o == NULL)
		return status;
	struct writer w;
	writer_init(&w, arena_take_raw(&o->arena, o->limits.answer_bytes), o->limits.answer_bytes);
	o->dump.pending_namespace = q->namespace;
	o->dump.pending_name = q->name;
	bool done = offline_read(o, files, file_count) &&
		explain_pod(o, q, flags->form == OFFLINE_JSON, &w);
	return offline_close(o, !done);
}

static int run_with(const struct command_io *io, const struct offline_flags *flags,
	const struct question *q, struct ask *ask)
{
	char pod[ASK_POD_MAX];
	struct writer w;
	writer_init(&w, pod, sizeof(pod));
	write_format(&w, "%.*s/%.*s", TEXT_ARGS(q->namespace), TEXT_ARGS(q->name));
	if (w.overflowed)
		return offline_misused(io, "explain", TEXT("not a valid pod name"));
	ask->pod = writer_text(&w);
	return ask_server(io, flags, ask);
}

static int explain_print(const struct command_io *io, const struct offline_flags *flags,
	const char *word, const char *const *files, uint32_t file_count, struct ask *ask)
{
	struct question q = {.pod = text_of(word)};
	size_t slash = text_find(q.pod, '/');
	if (slash < q.pod.size) {
		q.namespace = text_first(q.pod, slash);
		q.name = text_from(q.pod, slash + 1);
	} else {
		q.namespace = TEXT("default");
		q.name = q.pod;
	}
	if (q.namespace.size == 0 || q.name.size == 0 || text_find(q.name, '/') < q.name.size)
		return offline_misused(io, "explain", TEXT("name the pod as NAMESPACE/POD or POD"));
	if ((file_count == 0) == (ask->server == NULL))
		return offline_misused(
			io, "explain", TEXT("explain needs --cluster FILE, or '-', or --server"));
	if (file_count == 0)
		return run_with(io, flags, &q, ask);
	return explain_dump(io, flags, &q, files, file_count);
}

int explain_run(const struct command_io *io, int argc, char **argv)
{
	const char *list[FILES_MAX];
	struct flag_list clusters = {list, 0, FILES_MAX};
	struct offline_flags flags = {.memory_bytes = offline_memory_default()};
	struct ask question = {.server = NULL};
	const struct flag table[] = {
		{"cluster", 0, FLAG_LIST, &clusters, "FILE", "the dump; more files may follow"},
		{"server", 0, FLAG_TEXT, &question.server, "URL",
			"a running berth, as https://127.0.0.1:10259"},
		{"kubeconfig", 0, FLAG_TEXT, &question.kubeconfig, "FILE",
			"credentials for it, and its CA"},
		{"ca", 0, FLAG_TEXT, &question.ca, "FILE",
			"CA of its certificate, or that itself, PEM"},
		OFFLINE_FLAGS(&flags)};
	char words[512];
	struct writer fault;
	int count;
	writer_init(&fault, words, sizeof(words));
	switch (flags_read(table, ARRAY_COUNT(table), argc, argv, &count, &fault)) {
	case FLAGS_WRONG: return offline_misused(io, "explain", writer_text(&fault));
	case FLAGS_HELP: return offline_help(io, usage, table, ARRAY_COUNT(table), usage_end);
	case FLAGS_READ: break;
	}
	if (count == 0)
		return offline_misused(io, "explain", TEXT("explain needs a pod"));
	for (int i = 2; i <= count; i++)
		if (!flag_list_add(&clusters, argv[i]))
			return offline_misused(io, "explain", TEXT("too many files"));
	return explain_print(io, &flags, argv[1], list, clusters.count, &question);
}
