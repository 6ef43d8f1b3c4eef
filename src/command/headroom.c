/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * headroom: how many more of a pod fit, and what runs out first on which node. A running berth is
 * asked: about a pod that it knows, or what-if of a file.
 */
#include "command/ask.h"
#include "command/canonical.h"
#include "config/file.h"

enum { HEADROOM_PATH_MAX = 2048, NODE_COLUMN = 4, COUNT_COLUMN = 6 };

struct headroom_flags {
	struct ask_flags ask;
	const char *namespace;
	const char *file;
	uint32_t form; /* 0: for people; 1: JSON */
};

struct room {
	struct ask *ask;
	struct output out;
};

/* An array's, as text for people. */
static struct json_value element_at(struct json_value array, uint32_t at)
{
	struct json_walk walk = json_walk(array);
	while (json_walk_next(&walk))
		if (at-- == 0)
			return walk.value;
	return JSON_VALUE_NONE;
}

static int64_t headroom_number(struct json_value v)
{
	int64_t number;
	(void)!json_i64(v, &number);
	return number;
}

/* "Deployment shop/web: 3 of 3 find a node" */
static bool put_unit_lines(struct room *r, struct text workloads)
{
	struct text one;
	bool all = true;
	while (canonical_next_element(&workloads, &one)) {
		struct json_value v = canonical_parse(one, &r->ask->scratch);
		int64_t wanted = headroom_number(json_get(v, "wanted"));
		int64_t placed = headroom_number(json_get(v, "placed"));
		int64_t looked_at = headroom_number(json_get(v, "lookedAt"));
		output_text(&r->out, json_text(json_get(v, "kind")));
		output_z(&r->out, " ");
		output_text(&r->out, json_text(json_get(v, "namespace")));
		output_z(&r->out, "/");
		output_text(&r->out, json_text(json_get(v, "name")));
		output_format(&r->out, ": %lld of %lld find a node", (long long)placed,
			(long long)wanted);
		if (placed == looked_at && looked_at < wanted)
			output_z(&r->out, ", more were not looked at");
		output_z(&r->out, "\n");
		all = all && placed == looked_at;
	}
	return all;
}

static void put_nodes_of(struct room *r, struct json_value nodes)
{
	size_t width = NODE_COLUMN;
	struct json_walk walk = json_walk(nodes);
	while (json_walk_next(&walk)) {
		size_t name = output_width(json_text(element_at(walk.value, 0)));
		width = name > width ? name : width;
	}
	if (json_count(nodes) == 0)
		return;
	output_z(&r->out, "\n");
	output_column(&r->out, TEXT("NODE"), width + 2);
	output_z(&r->out, "MORE  RUNS OUT FIRST\n");
	for (walk = json_walk(nodes); json_walk_next(&walk);) {
		output_column(&r->out, json_text(element_at(walk.value, 0)), width + 2);
		output_format(&r->out, "%-*lld", COUNT_COLUMN,
			(long long)headroom_number(element_at(walk.value, 1)));
		output_text(&r->out, json_text(element_at(walk.value, 2)));
		output_z(&r->out, "\n");
	}
}

/* `taken`: one that fits is one of those that were asked about. */
static void put_headroom(struct room *r, struct text json, bool taken)
{
	struct json_value v = canonical_parse(json, &r->ask->scratch);
	struct json_walk first = json_walk(json_get(v, "first"));
	int64_t fits = headroom_number(json_get(v, "fits"));
	bool is_bound = json_bool(json_get(v, "isUpperBound"), false);
	output_format(&r->out, "%s%lld more %s", is_bound ? "At most " : "",
		(long long)(fits - (taken && fits > 0)), fits == 1 + taken ? "fits" : "fit");
	output_format(
		&r->out, ", on %lld nodes", (long long)headroom_number(json_get(v, "feasible")));
	for (const char *before = "; what runs out first: "; json_walk_next(&first);
		before = ", ") {
		output_z(&r->out, before);
		output_text(&r->out, first.key);
		output_format(&r->out, " on %lld", (long long)headroom_number(first.value));
	}
	output_z(&r->out, ".\n");
	put_nodes_of(r, json_get(v, "nodes"));
}

/* The answer about a file has it as a member, among many others. */
static bool headroom_show(struct room *r, const struct headroom_flags *flags, struct text json)
{
	struct text rest = json, key, value, workloads = TEXT("[]"), headroom = json;
	while (flags->file != NULL && canonical_next_member(&rest, &key, &value))
		if (text_is_z(key, "workloads"))
			workloads = value;
		else if (text_is_z(key, "headroom"))
			headroom = value;
	if (flags->form != 0) {
		output_bytes(&r->out, headroom);
		output_z(&r->out, "\n");
		return true;
	}
	bool all = put_unit_lines(r, workloads);
	put_headroom(r, headroom, all && flags->file != NULL);
	return !r->ask->scratch.overflowed;
}

/* The path; of a file its bytes are what is sent. */
static bool write_question(const struct command_io *io, struct room *r,
	const struct headroom_flags *flags, const struct ask_pod *pod, struct writer *w)
{
	const char *fault;
	if (flags->file == NULL) {
		write_z(w, "/berth/v1/headroom?pod=");
		write_percent_encoded(w, pod->namespace, "");
		write_z(w, "%2F");
		write_percent_encoded(w, pod->name, "");
		return true;
	}
	write_z(w, "/berth/v1/whatif");
	bool is_input = text_is_z(TEXT("-"), flags->file);
	bool is_read = is_input
		? config_fd_read(io->in, &r->ask->scratch, &r->ask->body, &fault)
		: config_file_read(flags->file, &r->ask->scratch, &r->ask->body, &fault);
	if (!is_read)
		output_format(&r->ask->err, "berth: %s: %s\n", flags->file, fault);
	return is_read;
}

int headroom_run(const struct command_io *io, int argc, char **argv)
{
	struct headroom_flags flags = {.namespace = NULL};
	struct ask_pod pod = {TEXT_NONE, TEXT_NONE};
	char path[HEADROOM_PATH_MAX];
	struct room r;
	struct writer w;
	struct text json;
	int words, status;
	if (!command_begin(io, &headroom_command, &flags, argc, argv, &words, &status))
		return status;
	if (words != (flags.file == NULL) ||
		(words == 1 && !ask_pod_named(argv[1], flags.namespace, &pod)))
		return command_misused(io, &headroom_command,
			TEXT("name a pod as NAMESPACE/POD or POD, or a file with --file"));
	writer_init(&w, path, sizeof(path));
	output_init(&r.out, io->out);
	r.ask = ask_open(io, &flags.ask, ASK_MEMORY, 0);
	bool done = r.ask != NULL && write_question(io, &r, &flags, &pod, &w) &&
		ask_get(r.ask, writer_text(&w), '{', &json) && headroom_show(&r, &flags, json);
	output_flush(&r.out);
	if (r.ask != NULL)
		ask_close(r.ask);
	return done && r.out.error == 0 ? COMMAND_DONE : COMMAND_FAILED;
}

static const struct flag headroom_flags[] = {
	{"file", 'f', FLAG_TEXT, offsetof(struct headroom_flags, file), "FILE",
		"pods and workloads that are not there yet, YAML or JSON"},
	{"namespace", 'n', FLAG_TEXT, offsetof(struct headroom_flags, namespace), "NAME",
		"namespace of a pod that is named without"},
	{"output", 'o', FLAG_CHOICE, offsetof(struct headroom_flags, form), "table|json", "form"},
	ASK_FLAGS(struct headroom_flags)};

const struct command headroom_command = {.name = "headroom",
	.what = "how many more of a pod fit, and what runs out first",
	.arguments = "NAMESPACE/POD [flags]\n--file FILE [flags]",
	.about = "Says how many more of a pod fit that runs or waits, or after those of FILE, and\n"
		 "what runs out first on which node. Exact where nothing but the nodes has a say;\n"
		 "with spreading, affinity, volumes or claims it is an upper bound.\n" ABOUT_ASKING,
	.examples = "berth headroom shop/web-0\nberth headroom -f deployment.yaml\n",
	.flags = headroom_flags,
	.flag_count = ARRAY_COUNT(headroom_flags),
	.run = headroom_run};
