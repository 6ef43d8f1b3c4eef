/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * simulate: places all pending pods of a dump, one after the other.
 *
 * What kube-scheduler does with a pod that has to preempt: it deletes the victims, nominates the
 * node, and takes the pod up again when they are gone; meanwhile others are decided.
 *
 * What we do: victims are gone at once and the pod is decided again at once. Controllers do not
 * recreate the victims, and disruption budgets keep the allowance that the dump says: both are the
 * work of controllers, which are not here.
 */
#include "command/change.h"
#include "command/cluster.h"
#include "command/offline.h"
#include "command/table.h"
#include "command/waiting.h"
#include "cycle/refusal.h"
#include "json/json.h"

enum {
	ROUNDS_MAX = 8, /* preemptions for one pod: each makes the next one less likely */
	NODE_WIDTH_MAX = 64,
	SCORE_WIDTH = sizeof("SCORE") - 1
};

enum outcome {
	OUTCOME_PLACED,
	OUTCOME_PREEMPTING, /* placed, and others had to leave */
	OUTCOME_UNSCHEDULABLE,
	OUTCOME_GATED,
	OUTCOME_FOREIGN,  /* no profile has the scheduler's name that the pod asks for */
	OUTCOME_DELETING, /* schedulers leave it alone */
	OUTCOME_EXCLUDED, /* a DaemonSet's pod for a node that it is not for: none would be made */
	OUTCOMES
};

static const char *const outcome_names[OUTCOMES] = {
	[OUTCOME_PLACED] = "placed",
	[OUTCOME_PREEMPTING] = "preempting",
	[OUTCOME_UNSCHEDULABLE] = "unschedulable",
	[OUTCOME_GATED] = "gated",
	[OUTCOME_FOREIGN] = "foreign",
	[OUTCOME_DELETING] = "deleting",
	[OUTCOME_EXCLUDED] = "excluded",
};

struct answer { /* about one pod; texts live in words */
	enum outcome outcome;
	struct text pod;
	struct text node; /* TEXT_NONE: none */
	struct text message;
	struct text *victims;
	uint32_t victim_count;
	uint32_t victim_room;
	uint32_t feasible_count;
	bool is_scored; /* there was a choice */
	bool is_diff;   /* its victims are changes */
	int64_t score;
};

struct simulation {
	struct offline *o;
	const struct waiting *list;
	uint32_t count;
	uint32_t counts[OUTCOMES];
	uint32_t victims;
	uint32_t changes[CHANGES];
	bool is_cut_off; /* there was no room for all of them */
	uint32_t stuck;  /* of those that were asked about */
	bool is_diff;
	size_t pod_width;
	size_t node_width;
	struct writer row; /* JSON of one pod */
};

/* ---- one pod ---- */

static struct text simulate_keep_decision(struct offline *o, struct text t)
{
	char *at = scratch_take(&o->words, t.size);
	if (at == NULL)
		return TEXT("(too long)");
	if (t.size > 0)
		memcpy(at, t.at, t.size);
	return (struct text){at, t.size};
}

/* Pods that no cycle ever sees. */
static bool set_aside(struct offline *o, uint32_t index, struct answer *a)
{
	const struct cache_pod *pod = cache_pod_at(&o->cache, index);
	const struct kube_pod_template *class = cache_template_of(&o->cache, pod);
	const struct plugin_profile *profile = cycle_profile_of(&o->cycle, index);
	if (profile == NULL) {
		a->outcome = OUTCOME_FOREIGN;
		a->message = cache_text(&o->cache, class->scheduler_name);
		return true;
	}
	struct plugin_reasons why = {.scratch = &o->words};
	if (plugin_gate_of(&o->cache, profile, index, &why, NULL) < PLUGIN_COUNT) {
		a->outcome = OUTCOME_GATED;
		a->message = why.count > 0 ? why.list[0] : TEXT("held back");
		return true;
	}
	if ((pod->flags & CACHE_POD_DELETING) != 0) {
		a->outcome = OUTCOME_DELETING;
		a->message = TEXT("is being deleted");
		return true;
	}
	return false;
}

static void add_victim(struct offline *o, struct answer *a, uint32_t pod)
{
	if (a->victim_count < a->victim_room) {
		struct text name = offline_pod_name(o, pod);
		a->victims[a->victim_count++] = name.at == NULL ? TEXT("?") : name;
	}
}

static void make_victim_room(struct offline *o, struct answer *a, uint32_t more)
{
	uint32_t room = a->victim_count + more;
	struct text *list = SCRATCH_ARRAY(&o->words, struct text, room);
	if (list == NULL)
		return;
	if (a->victim_count > 0)
		memcpy(list, a->victims, a->victim_count * sizeof(*list));
	a->victims = list;
	a->victim_room = room;
}

/* Less important pods that hoped for the node have to look again. */
static void clear_nominations(struct offline *o, uint32_t node_name, int32_t priority)
{
	struct list *link = o->cache.nominated.next;
	while (link != &o->cache.nominated) {
		struct cache_pod *pod = LIST_OWNER(link, struct cache_pod, nominated_link);
		link = link->next;
		if (pod->nominated == node_name &&
			cache_template_of(&o->cache, pod)->priority < priority)
			cache_nominate(&o->cache, cache_pod_index(&o->cache, pod), INTERN_EMPTY);
	}
}

static void simulate_preempt(struct offline *o, uint32_t pod,
	const struct cycle_preemption *preemption, struct answer *a)
{
	uint32_t node_name = cache_node_at(&o->cache, preemption->node)->name;
	make_victim_room(o, a, preemption->victim_count);
	clear_nominations(
		o, node_name, cache_template_of(&o->cache, cache_pod_at(&o->cache, pod))->priority);
	cache_nominate(&o->cache, pod, node_name);
	for (uint32_t i = 0; i < preemption->victim_count; i++) {
		add_victim(o, a, preemption->victims[i]);
		if (a->is_diff)
			change_preempted(&o->dump, preemption->victims[i], a->pod);
		(void)cache_remove_pod(&o->cache, preemption->victims[i]);
	}
}

/* What it reserves is no longer there for those after it. False: `refused` says why not. */
static bool simulate_reserve(struct offline *o, uint32_t pod, const struct schedule_result *d,
	struct schedule_result *refused)
{
	struct binding_waiting waiting;
	struct binding_points points;
	struct plugin_reasons why = {.scratch = &o->cycle.scratch};
	binding_waiting_init(&waiting);
	binding_begin(&points, &waiting,
		&(struct plugin_binding){.cache = &o->cache,
			.profile = d->state->profile,
			.scratch = &o->cycle.scratch,
			.tag = pod,
			.pod = pod,
			.node = cache_node_at(&o->cache, d->node)->name});
	enum plugin_code code = binding_reserve(&points, d->state, &why);
	if (code == PLUGIN_SUCCESS)
		plugin_release(&points.b); /* nothing is written: it stays as it is */
	else
		cycle_refused(&points, code, "Reserve", &why, &o->cycle.scratch, refused);
	return code == PLUGIN_SUCCESS;
}

static void simulate_assume(
	struct offline *o, uint32_t pod, const struct schedule_result *d, struct answer *a)
{
	uint32_t node = d->node;
	struct schedule_result refused;
	if (cache_assume(&o->cache, pod, node) != CACHE_OK) {
		a->outcome = OUTCOME_UNSCHEDULABLE;
		a->message = TEXT("not enough memory to assume it; raise --memory");
		return;
	}
	if (!simulate_reserve(o, pod, d, &refused)) {
		CHECK(cache_forget(&o->cache, pod) == CACHE_OK);
		a->outcome = OUTCOME_UNSCHEDULABLE;
		a->message = simulate_keep_decision(o, refused.message);
		return;
	}
	cycle_chosen(&o->cycle, node);
	change_placed(&o->dump, pod);
	a->outcome = a->victim_count > 0 ? OUTCOME_PREEMPTING : OUTCOME_PLACED;
	a->node = cache_text(&o->cache, cache_node_at(&o->cache, node)->name);
}

/* The DaemonSet's controller asks so much itself before it makes a pod. */
static bool simulate_is_excluded(
	const struct offline *o, uint32_t pod, const struct plugin_set *rejectors)
{
	struct plugin_set left = *rejectors;
	if (!o->dump.pods[pod].is_made || cache_pod_at(&o->cache, pod)->for_node == 0)
		return false;
	while (!plugin_set_is_empty(&left)) {
		uint32_t id = plugin_set_take(&left);
		if (id != PLUGIN_NODE_AFFINITY && id != PLUGIN_TAINT_TOLERATION &&
			id != PLUGIN_NODE_UNSCHEDULABLE && id != PLUGIN_NODE_NAME)
			return false;
	}
	return true;
}

static void simulate_decide(struct offline *o, uint32_t pod, struct answer *a)
{
	struct schedule_result d = {0};
	if (!change_step(&o->dump, pod)) {
		a->outcome = OUTCOME_UNSCHEDULABLE;
		a->message = TEXT("the rollout waits: maxUnavailable and maxSurge allow no more");
		return;
	}
	for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
		cycle_decide(&o->cycle, pod, CACHE_COUNT_FAST, &d);
		if (d.outcome != CYCLE_REJECTED || !d.preemption.found ||
			d.preemption.victim_count == 0)
			break;
		simulate_preempt(o, pod, &d.preemption, a);
	}
	a->feasible_count = d.feasible_count;
	a->is_scored = d.is_scored;
	a->score = d.score;
	if (d.outcome == CYCLE_PLACED) {
		simulate_assume(o, pod, &d, a);
		return;
	}
	a->outcome = simulate_is_excluded(o, pod, &d.rejectors) ? OUTCOME_EXCLUDED
								: OUTCOME_UNSCHEDULABLE;
	a->message = simulate_keep_decision(o, d.message);
	if (d.preemption.clear_nomination)
		cache_nominate(&o->cache, pod, INTERN_EMPTY);
}

/* ---- for people ---- */

static void put_why(struct output *out, const struct answer *a)
{
	switch (a->outcome) {
	case OUTCOME_PLACED:
	case OUTCOME_PREEMPTING: break;
	case OUTCOME_FOREIGN:
		output_z(out, "is for the scheduler ");
		output_text(out, a->message);
		return;
	case OUTCOME_UNSCHEDULABLE:
	case OUTCOME_GATED:
	case OUTCOME_DELETING:
	case OUTCOME_EXCLUDED:
	case OUTCOMES: output_text(out, a->message); return;
	}
	if (a->feasible_count == 1)
		output_z(out, a->victim_count > 0 ? "nominated" : "the only feasible node");
	else
		output_format(out, "best of %u feasible nodes", a->feasible_count);
	for (uint32_t i = 0; i < a->victim_count; i++) {
		output_z(out, i == 0 ? ", preempting " : ", ");
		output_text(out, a->victims[i]);
	}
}

/* Where there was no choice nothing is scored. */
static void simulate_put_score(struct output *out, const struct answer *a)
{
	if (a->is_scored)
		output_format(out, "%-*lld  ", SCORE_WIDTH, (long long)a->score);
	else
		output_column(out, TEXT("-"), SCORE_WIDTH + 2);
}

static void put_table_row(struct simulation *s, const struct answer *a)
{
	struct output *out = &s->o->out;
	output_column(out, a->pod, s->pod_width + 2);
	output_column(out, a->node.at == NULL ? TEXT("-") : a->node, s->node_width + 2);
	simulate_put_score(out, a);
	put_why(out, a);
	output_z(out, "\n");
}

static void put_table_head(struct simulation *s)
{
	const struct cache *cache = &s->o->cache;
	s->pod_width = sizeof("POD") - 1;
	s->node_width = sizeof("NODE") - 1;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct cache_pod *pod = cache_pod_at(cache, s->list[i].pod);
		size_t width = output_width(cache_text(cache, pod->name)) + 1 +
			output_width(cache_text(cache, cache_template_of(cache, pod)->namespace));
		s->pod_width = width > s->pod_width ? width : s->pod_width;
	}
	for (uint32_t i = pool_next(&cache->nodes, 0); i != 0; i = pool_next(&cache->nodes, i)) {
		size_t width = output_width(cache_text(cache, cache_node_at(cache, i)->name));
		s->node_width = width > s->node_width ? width : s->node_width;
	}
	s->node_width = s->node_width > NODE_WIDTH_MAX ? NODE_WIDTH_MAX : s->node_width;
	if (s->count == 0)
		return;
	output_column(&s->o->out, TEXT("POD"), s->pod_width + 2);
	output_column(&s->o->out, TEXT("NODE"), s->node_width + 2);
	output_column(&s->o->out, TEXT("SCORE"), SCORE_WIDTH + 2);
	output_z(&s->o->out, "WHY\n");
}

static void put_table_end(struct simulation *s)
{
	struct output *out = &s->o->out;
	uint32_t placed = s->counts[OUTCOME_PLACED] + s->counts[OUTCOME_PREEMPTING];
	if (s->count > 0)
		output_z(out, "\n");
	output_format(out, "%u pending: %u placed, %u unschedulable", s->count, placed,
		s->counts[OUTCOME_UNSCHEDULABLE]);
	for (uint32_t i = OUTCOME_GATED; i < OUTCOMES; i++)
		if (s->counts[i] > 0)
			output_format(out, ", %u %s", s->counts[i], outcome_names[i]);
	if (s->victims > 0)
		output_format(out, "; %u preempted", s->victims);
	output_z(out, "\n");
	for (uint32_t i = 0; i < s->o->dump.workload_count; i++) {
		const struct dump_workload *w = &s->o->dump.workloads[i];
		output_format(out, "%s %.*s/%.*s: %u wanted, %u running, %u new", w->kind,
			TEXT_ARGS(w->namespace), TEXT_ARGS(w->name), w->wanted, w->running,
			w->made);
		uint32_t gone = change_gone(&s->o->dump, i);
		output_format(out, gone > 0 ? ", %u gone\n" : "\n", gone);
	}
}

/* ---- for programs ---- */

static void put_json(struct simulation *s, const struct answer *a, struct text message)
{
	struct json_writer j;
	s->row.used = 0;
	s->row.overflowed = false;
	json_write_init(&j, &s->row);
	json_open_object(&j);
	json_member_text(&j, "pod", a->pod);
	json_key(&j, "node");
	if (a->node.at == NULL)
		json_put_null(&j);
	else
		json_put_text(&j, a->node);
	json_member_z(&j, "outcome", outcome_names[a->outcome]);
	json_member_text(&j, "message", message);
	json_member_array(&j, "victims");
	for (uint32_t i = 0; i < a->victim_count; i++)
		json_put_text(&j, a->victims[i]);
	json_close_array(&j);
	json_member_i64(&j, "feasible", a->feasible_count);
	if (a->is_scored)
		json_member_i64(&j, "total", a->score); /* as in explain's "scores" */
	json_close_object(&j);
}

static void put_json_row(struct simulation *s, uint32_t number, const struct answer *a)
{
	put_json(s, a, a->message.at == NULL ? TEXT("") : a->message);
	if (s->row.overflowed)
		put_json(s, a, TEXT("(too long)"));
	if (s->row.overflowed) { /* then it is the victims that are too many to name */
		struct answer without = *a;
		without.victim_count = 0;
		put_json(s, &without, TEXT("(too many victims to name)"));
	}
	output_z(&s->o->out, number == 0 ? "\n" : ",\n");
	output_bytes(&s->o->out, writer_text(&s->row));
}

static void put_json_workloads(struct simulation *s)
{
	for (uint32_t i = 0; i < s->o->dump.workload_count; i++) {
		const struct dump_workload *workload = &s->o->dump.workloads[i];
		char room[1024];
		struct writer w;
		struct json_writer j;
		writer_init(&w, room, sizeof(room));
		json_write_init(&j, &w);
		json_open_object(&j);
		json_member_z(&j, "kind", workload->kind);
		json_member_text(&j, "namespace", workload->namespace);
		json_member_text(&j, "name", workload->name);
		json_member_i64(&j, "wanted", workload->wanted);
		json_member_i64(&j, "running", workload->running);
		json_member_i64(&j, "new", workload->made);
		json_member_i64(&j, "gone", change_gone(&s->o->dump, i));
		json_close_object(&j);
		output_z(&s->o->out, i == 0 ? "\n" : ",\n");
		output_bytes(&s->o->out, w.overflowed ? TEXT("null") : writer_text(&w));
	}
}

static void put_json_end(struct simulation *s)
{
	const struct dump *dump = &s->o->dump;
	struct json_writer j;
	s->row.used = 0;
	s->row.overflowed = false;
	json_write_init(&j, &s->row);
	json_open_object(&j);
	json_member_i64(&j, "pending", s->count);
	for (uint32_t i = 0; i < OUTCOMES; i++)
		json_member_i64(&j, outcome_names[i], s->counts[i]);
	json_member_i64(&j, "victims", s->victims);
	if (s->is_diff)
		for (uint32_t i = 0; i < CHANGES; i++)
			json_member_i64(&j, change_name((enum change)i), s->changes[i]);
	json_member_i64(&j, "objects", dump->objects);
	json_member_i64(&j, "skipped", dump->skipped);
	json_member_i64(&j, "finished", dump->finished);
	json_member_i64(&j, "broken", dump->broken);
	json_close_object(&j);
	if (dump->workload_count > 0) {
		output_z(&s->o->out, "],\n\"workloads\":[");
		put_json_workloads(s);
	}
	output_z(&s->o->out, "],\n\"summary\":");
	output_bytes(&s->o->out, writer_text(&s->row));
	output_z(&s->o->out, "}\n");
}

/* ---- against what runs ---- */

static bool is_asked(const struct offline *o, uint32_t pod)
{
	return o->dump.pods[pod].order >= o->dump.asked_order;
}

static void simulate_note_change(struct simulation *s, uint32_t pod, const struct answer *a)
{
	bool is_placed = a->node.at != NULL;
	if (a->outcome == OUTCOME_EXCLUDED || !is_asked(s->o, pod))
		return;
	struct dump_change *change =
		dump_change(&s->o->dump, pod, is_placed ? CHANGE_NEW : CHANGE_STUCK);
	if (change == NULL)
		s->is_cut_off = true;
	else if (!is_placed)
		change->why = change_keep(&s->o->dump, a->message);
}

static const struct table_column change_columns[] = {
	{"", "sign", CELL_SCALAR, false},
	{"CHANGE", "change", CELL_SCALAR, false},
	{"POD", "pod", CELL_SCALAR, false},
	{"NODE", "node", CELL_SCALAR, false},
	{"WAS ON", "from", CELL_SCALAR, false},
	{"IN PLACE OF, OR WHY", "insteadOf|why", CELL_SCALAR, false},
};

static void put_diff(struct simulation *s, bool as_json)
{
	struct offline *o = s->o;
	struct output *out = &o->out;
	uint32_t count;
	change_pair(&o->dump);
	struct text *rows = change_rows(&o->dump, &count, s->changes);
	const struct table table = {.io = o->io,
		.out = out,
		.scratch = &o->words,
		.columns = change_columns,
		.count = ARRAY_COUNT(change_columns),
		.is_wide = true};
	if (as_json)
		output_z(out, "{\"changes\":[");
	else if (count > 0)
		table_print(&table, rows, count);
	for (uint32_t i = 0; as_json && i < count; i++) {
		output_z(out, i == 0 ? "\n" : ",\n");
		output_bytes(out, rows[i]);
	}
	if (as_json) {
		put_json_end(s);
		return;
	}
	put_table_end(s);
	output_z(out, "changes:");
	for (uint32_t i = 0; i < CHANGES; i++)
		output_format(out, "%s %u %s", i > 0 ? "," : "", s->changes[i],
			change_name((enum change)i));
	output_z(out, s->is_cut_off ? "; not all found room\n" : "\n");
}

/* ---- all of them ---- */

static void simulate_pod(struct simulation *s, uint32_t number, bool as_json)
{
	struct offline *o = s->o;
	uint32_t pod = s->list[number].pod;
	struct answer a = {.message = TEXT_NONE, .node = TEXT_NONE, .is_diff = s->is_diff};
	a.pod = offline_pod_name(o, pod);
	if (!set_aside(o, pod, &a))
		simulate_decide(o, pod, &a);
	s->counts[a.outcome]++;
	s->victims += a.victim_count;
	s->stuck += a.outcome == OUTCOME_UNSCHEDULABLE && is_asked(o, pod);
	if (s->is_diff)
		simulate_note_change(s, pod, &a);
	else if (as_json)
		put_json_row(s, number, &a);
	else
		put_table_row(s, &a);
}

static void simulate_pods(struct simulation *s, bool as_json)
{
	struct offline *o = s->o;
	struct scratch_mark mark = scratch_mark(&o->words);
	if (!s->is_diff && as_json)
		output_z(&o->out, "{\"pods\":[");
	else if (!s->is_diff)
		put_table_head(s);
	for (uint32_t i = 0; i < s->count; i++) {
		simulate_pod(s, i, as_json);
		scratch_rewind(&o->words, mark);
		progress_tell(&o->progress, "placing", "pods", i + 1, s->count);
	}
	if (s->is_diff)
		put_diff(s, as_json);
	else if (as_json)
		put_json_end(s);
	else
		put_table_end(s);
}

struct simulate_flags {
	struct offline_flags offline;
	const char *kubeconfig;
	bool fails_on_unschedulable;
	bool diff;
};

static int simulate_dump(const struct command_io *io, const struct simulate_flags *flags,
	const char *const *files, uint32_t file_count)
{
	int status;
	struct offline *o =
		offline_open(io, &flags->offline, cluster_release(flags->kubeconfig), &status);
	if (o == NULL)
		return status;
	struct simulation s = {.o = o, .is_diff = flags->diff};
	size_t list_size = (size_t)o->limits.dump.pods * sizeof(struct waiting);
	size_t row_size = o->limits.answer_bytes - list_size;
	struct waiting *list = arena_take_raw(&o->arena, list_size);
	writer_init(&s.row, arena_take_raw(&o->arena, row_size), row_size);
	if (!offline_read(o, flags->kubeconfig, files, file_count))
		return offline_close(o, true);
	s.list = list;
	s.count = waiting_collect(o, list);
	simulate_pods(&s, flags->offline.form == OFFLINE_JSON);
	bool is_stuck = s.stuck > 0 && flags->fails_on_unschedulable;
	status = offline_close(o, false);
	return status == COMMAND_DONE && is_stuck ? COMMAND_UNSCHEDULABLE : status;
}

static const struct flag simulate_flags[] = {
	{"kubeconfig", 0, FLAG_TEXT, offsetof(struct simulate_flags, kubeconfig), "FILE",
		"a cluster, which is only read"},
	{"diff", 0, FLAG_BOOL, offsetof(struct simulate_flags, diff), NULL,
		"pods that would be new, elsewhere or gone"},
	OFFLINE_FLAGS(struct simulate_flags),
	{"fail-on-unschedulable", 0, FLAG_BOOL,
		offsetof(struct simulate_flags, fails_on_unschedulable), NULL,
		"exit with 3 when a pod finds no node"}};

static void simulate_set_defaults(void *flags)
{
	((struct simulate_flags *)flags)->offline.memory_bytes = offline_memory_default();
}

int simulate_run(const struct command_io *io, int argc, char **argv)
{
	struct simulate_flags flags = {.offline = {0}};
	int files, status;
	if (!command_begin(io, &simulate_command, &flags, argc, argv, &files, &status))
		return status;
	if (files == 0 && flags.kubeconfig == NULL)
		return command_misused(io, &simulate_command,
			TEXT("simulate needs a file, or '-', or --kubeconfig"));
	return simulate_dump(io, &flags, (const char *const *)(argv + 1), (uint32_t)files);
}

const struct command simulate_command = {.name = "simulate",
	.what = "what would happen: place pods of a dump, or of a cluster",
	.arguments = "FILE... [flags]\n--kubeconfig FILE [FILE...] [flags]",
	.about = "Places pending pods as they would leave the queue: by priority, then age.\n"
		 "FILE is what 'kubectl get ... -A -o json' or\n"
		 "'-o yaml' prints, a list of the API, or objects; '-' is standard input. With\n"
		 "--kubeconfig the cluster is read before; only FILE's pods count for the exit\n"
		 "status then.\n\n"
		 "Workloads as people write them (without a uid; with --kubeconfig, any) become\n"
		 "the pods that would be made, less those that run for them already. Those of\n"
		 "another template are replaced, within maxSurge and maxUnavailable.\n\n"
		 "Broken objects are named and left out; the exit status is 1 then, unless\n"
		 "--skip-broken is given. Of objects given twice the last one counts. Preempted\n"
		 "pods leave at once and do not come back.\n",
	.examples = "kubectl get no,po,pv,pvc,sc,ns,svc,rs,sts,pdb,csinodes -A -o json >all.json\n"
		    "berth simulate all.json\n"
		    "berth simulate all.json deployment.yaml --fail-on-unschedulable\n"
		    "berth simulate --kubeconfig ~/.kube/config deployment.yaml --diff\n",
	.flags = simulate_flags,
	.flag_count = ARRAY_COUNT(simulate_flags),
	.set_defaults = simulate_set_defaults,
	.run = simulate_run};
