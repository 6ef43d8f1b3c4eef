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

enum { FILES_MAX = 64, PATH_MAX_BYTES = 1024 };

struct question {
	struct text namespace;
	struct text name;
	struct text pod; /* as it was asked */
};

struct explain_flags {
	struct offline_flags offline;
	struct ask_flags ask;
	const char *namespace;
	struct flag_list clusters;
	const char *list[FILES_MAX];
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
	if (profile != NULL &&
		plugin_gate_of(&o->cache, profile, index, &why, NULL) < PLUGIN_COUNT) {
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

static int explain_dump(const struct command_io *io, const struct offline_flags *flags,
	const struct question *q, const char *const *files, uint32_t file_count)
{
	int status;
	struct offline *o = offline_open(io, flags, KUBE_RELEASE_DEFAULT, &status);
	if (o == NULL)
		return status;
	struct writer w;
	writer_init(&w, arena_take_raw(&o->arena, o->limits.answer_bytes), o->limits.answer_bytes);
	o->dump.pending_namespace = q->namespace;
	o->dump.pending_name = q->name;
	bool done = offline_read(o, NULL, files, file_count) &&
		explain_pod(o, q, flags->form == OFFLINE_JSON, &w);
	return offline_close(o, !done);
}

/* Of a berth that runs. */
static int explain_ask(
	const struct command_io *io, const struct explain_flags *flags, const struct question *q)
{
	char path[PATH_MAX_BYTES];
	struct writer w;
	struct output out;
	struct text json;
	writer_init(&w, path, sizeof(path));
	write_z(&w, "/berth/v1/explain?pod=");
	write_percent_encoded(&w, q->namespace, "");
	write_z(&w, "%2F");
	write_percent_encoded(&w, q->name, "");
	if (w.overflowed)
		return command_misused(io, &explain_command, TEXT("not a valid pod name"));
	struct ask *ask = ask_open(io, &flags->ask, flags->offline.memory_bytes, 0);
	bool done = ask != NULL && ask_get(ask, writer_text(&w), '{', &json);
	output_init(&out, io->out);
	if (done && flags->offline.form == OFFLINE_JSON) {
		output_bytes(&out, json);
		output_z(&out, "\n");
	} else if (done) {
		output_format(&out, "Pod %.*s/%.*s", TEXT_ARGS(q->namespace), TEXT_ARGS(q->name));
		done = explanation_print_outcome(json, &ask->scratch, &out) &&
			explanation_print(json, &ask->scratch, &out);
		if (!done)
			ask_complain(ask, TEXT("the table is too large; raise --memory"));
	}
	output_flush(&out);
	if (ask != NULL)
		ask_close(ask);
	return done && out.error == 0 ? COMMAND_DONE : COMMAND_FAILED;
}

static const struct flag explain_flags[] = {
	{"namespace", 'n', FLAG_TEXT, offsetof(struct explain_flags, namespace), "NAME",
		"namespace of a pod that is named without"},
	{"cluster", 0, FLAG_LIST, offsetof(struct explain_flags, clusters), "FILE",
		"a dump instead of a running berth, more may follow"},
	ASK_FLAGS(struct explain_flags), OFFLINE_FLAGS(struct explain_flags)};

static void explain_set_defaults(void *to)
{
	struct explain_flags *flags = to;
	flags->offline.memory_bytes = offline_memory_default();
	flags->clusters = (struct flag_list){flags->list, 0, FILES_MAX};
}

int explain_run(const struct command_io *io, int argc, char **argv)
{
	struct explain_flags flags = {.namespace = NULL};
	struct ask_pod pod;
	int count, status;
	if (!command_begin(io, &explain_command, &flags, argc, argv, &count, &status))
		return status;
	if (count == 0)
		return command_misused(io, &explain_command, TEXT("explain needs a pod"));
	if (!ask_pod_named(argv[1], flags.namespace, &pod))
		return command_misused(
			io, &explain_command, TEXT("name the pod as NAMESPACE/POD or POD"));
	for (int i = 2; i <= count; i++)
		if (!flag_list_add(&flags.clusters, argv[i]))
			return command_misused(io, &explain_command, TEXT("too many files"));
	if (flags.clusters.count > 0 && flags.ask.server != NULL)
		return command_misused(
			io, &explain_command, TEXT("--cluster and --server exclude each other"));
	struct question q = {pod.namespace, pod.name, text_of(argv[1])};
	if (flags.clusters.count == 0)
		return explain_ask(io, &flags, &q);
	return explain_dump(io, &flags.offline, &q, flags.list, flags.clusters.count);
}

_Static_assert(sizeof(struct explain_flags) <= COMMAND_FLAGS_MAX, "help shows their defaults");

const struct command explain_command = {.name = "explain",
	.what = "why a pod goes where it goes, or nowhere",
	.arguments = "NAMESPACE/POD [flags]\nNAMESPACE/POD --cluster FILE... [flags]",
	.about = "Says for one pod, node by node and plugin by plugin, why it goes where it goes,\n"
		 "or nowhere; of one that runs, how it came there, and whether it would go\n"
		 "elsewhere now. With --cluster it is a pod of a dump, and one on a node is\n"
		 "decided as if it were not; FILE is what 'berth simulate' reads.\n\n"
		 "JSON has, as far as they apply: preFilter (refused before any node was looked\n"
		 "at), preFilterNodes (the only ones that were), rejected (by node), feasible,\n"
		 "scores (by node), best (all with the highest total), choice, preemption,\n"
		 "message (of the event), error, assigned (of a pod that runs: node, score, to,\n"
		 "best, stays), decided (as in the history).\n",
	.examples = "berth explain shop/web-0\n"
		    "berth explain pod/web-0 -n shop --server https://gw-7:10259 --ca gw-7.crt\n"
		    "kubectl get no,po -A -o json | berth explain shop/web-0 --cluster -\n",
	.flags = explain_flags,
	.flag_count = ARRAY_COUNT(explain_flags),
	.set_defaults = explain_set_defaults,
	.run = explain_run};
