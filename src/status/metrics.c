/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metrics: /metrics as Prometheus reads it.
 *
 * Names, labels and buckets are kube-scheduler's wherever the same thing is counted, so that its
 * dashboards and alerts go on working; what only berth has begins with berth_. What depends on how
 * kube-scheduler is built (Go's runtime, durations by extension point and plugin: here all plugins
 * run in one pass over remembered answers) is left out rather than faked.
 *
 * Rows of a family are a part of it that fits into a piece: one line, or one histogram.
 */
#include "base/budget.h"
#include "base/log.h"
#include "base/memory.h"
#include "status/private.h"

struct family {
	const char *name;
	const char *type;
	const char *help;
	/* False: there is no such row. The head of the family stands before its first row. */
	bool (*put)(struct status_answer *a, uint32_t row, struct writer *w);
};

static const char *const results[SCHEDULER_RESULTS] = {"scheduled", "unschedulable", "error"};
static const struct family *family_of(const struct status_answer *a);

/* ---- parts of a line ---- */

static void head(struct status_answer *a, struct writer *w)
{
	const struct family *f = family_of(a);
	if (a->any)
		return;
	a->any = true;
	write_format(w, "# HELP %s %s\n# TYPE %s %s\n", f->name, f->help, f->name, f->type);
}

static void put_name(struct status_answer *a, struct writer *w)
{
	head(a, w);
	write_z(w, family_of(a)->name);
}

static void put_escaped(struct writer *w, struct text value)
{
	for (size_t i = 0; i < value.size; i++) {
		char c = value.at[i];
		if (c == '\\' || c == '"')
			write_char(w, '\\');
		if (c == '\n')
			write_z(w, "\\n");
		else
			write_char(w, c);
	}
}

static void put_label(struct writer *w, const char *before, const char *name, struct text value)
{
	write_z(w, before);
	write_z(w, name);
	write_z(w, "=\"");
	put_escaped(w, value);
	write_char(w, '"');
}

static void put_value(struct writer *w, uint64_t value)
{
	write_char(w, ' ');
	write_u64(w, value);
	write_char(w, '\n');
}

static struct text profile_name(const struct status_answer *a, uint32_t profile)
{
	const struct scheduler *s = a->status->s;
	return cache_text(&s->cache, s->profiles[profile].scheduler_name);
}

/* ---- histograms ---- */

/* Values count millionths when `divided`; labels: without braces, "" for none. */
static void put_real(struct writer *w, uint64_t value, bool divided)
{
	if (!divided) {
		write_u64(w, value);
		return;
	}
	write_format(w, "%llu.%06llu", (unsigned long long)(value / 1000000),
		(unsigned long long)(value % 1000000));
	while (w->at[w->used - 1] == '0' && !w->overflowed)
		w->used--;
	if (w->at[w->used - 1] == '.' && !w->overflowed)
		w->used--;
}

static bool put_histogram(struct status_answer *a, struct writer *w,
	const struct scheduler_histogram *h, const struct scheduler_scale *scale, bool divided,
	struct text labels)
{
	const char *name = family_of(a)->name;
	const char *comma = labels.size > 0 ? "," : "";
	const char *open = labels.size > 0 ? "{" : "";
	const char *close = labels.size > 0 ? "}" : "";
	uint64_t sum = 0;
	uint64_t bound = scale->first;
	head(a, w);
	for (uint32_t i = 0; i <= scale->count; i++, bound *= 2) {
		sum += h->counts[i];
		write_format(w, "%s_bucket{%.*s%sle=\"", name, TEXT_ARGS(labels), comma);
		if (i < scale->count)
			put_real(w, bound, divided);
		else
			write_z(w, "+Inf");
		write_char(w, '"');
		write_char(w, '}');
		put_value(w, sum);
	}
	write_format(w, "%s_sum%s%.*s%s ", name, open, TEXT_ARGS(labels), close);
	put_real(w, h->sum, divided);
	write_format(w, "\n%s_count%s%.*s%s", name, open, TEXT_ARGS(labels), close);
	put_value(w, sum);
	return true;
}

/* ---- kube-scheduler's ---- */

static bool is_result(const struct status_answer *a, uint32_t row, uint32_t *profile,
	enum scheduler_result *result)
{
	*profile = row / SCHEDULER_RESULTS;
	*result = (enum scheduler_result)(row % SCHEDULER_RESULTS);
	return *profile < a->status->s->profile_count;
}

static void put_result_labels(const struct status_answer *a, struct writer *w, uint32_t profile,
	enum scheduler_result result)
{
	put_label(w, "", "profile", profile_name(a, profile));
	put_label(w, ",", "result", text_of(results[result]));
}

static bool put_attempts(struct status_answer *a, uint32_t row, struct writer *w)
{
	uint32_t profile;
	enum scheduler_result result;
	if (!is_result(a, row, &profile, &result))
		return false;
	uint64_t count = a->status->s->metrics.attempts[profile][result];
	if (count == 0)
		return true;
	put_name(a, w);
	write_char(w, '{');
	put_result_labels(a, w, profile, result);
	write_char(w, '}');
	put_value(w, count);
	return true;
}

static bool put_attempt_duration(struct status_answer *a, uint32_t row, struct writer *w)
{
	char room[1024];
	struct writer labels;
	uint32_t profile;
	enum scheduler_result result;
	if (!is_result(a, row, &profile, &result))
		return false;
	if (a->status->s->metrics.attempts[profile][result] == 0)
		return true;
	writer_init(&labels, room, sizeof(room));
	put_result_labels(a, &labels, profile, result);
	return put_histogram(a, w, &a->status->s->metrics.attempt[profile][result],
		&scheduler_scale_attempt, true, writer_text(&labels));
}

static bool put_algorithm(struct status_answer *a, uint32_t row, struct writer *w)
{
	return row == 0 &&
		put_histogram(a, w, &a->status->s->metrics.algorithm, &scheduler_scale_attempt,
			true, TEXT_NONE);
}
static bool put_tries(struct status_answer *a, uint32_t row, struct writer *w)
{
	return row == 0 &&
		put_histogram(a, w, &a->status->s->metrics.tries, &scheduler_scale_tries, false,
			TEXT_NONE);
}
static bool put_victims(struct status_answer *a, uint32_t row, struct writer *w)
{
	return row == 0 &&
		put_histogram(a, w, &a->status->s->metrics.victims, &scheduler_scale_victims, false,
			TEXT_NONE);
}

static bool put_sli(struct status_answer *a, uint32_t row, struct writer *w)
{
	char room[32];
	struct writer labels;
	if (row >= SCHEDULER_ATTEMPTS_MAX)
		return false;
	const struct scheduler_histogram *h = &a->status->s->metrics.sli[row];
	bool any = h->sum > 0;
	for (uint32_t i = 0; i <= SCHEDULER_BUCKETS_MAX && !any; i++)
		any = h->counts[i] > 0;
	if (!any)
		return true;
	writer_init(&labels, room, sizeof(room));
	write_format(&labels, "attempts=\"%u%s\"", row + 1,
		row + 1 == SCHEDULER_ATTEMPTS_MAX ? "+" : "");
	return put_histogram(a, w, h, &scheduler_scale_sli, true, writer_text(&labels));
}

static bool put_pending(struct status_answer *a, uint32_t row, struct writer *w)
{
	static const char *const queues[] = {"active", "backoff", "gated", "unschedulable"};
	const uint32_t *pods = a->status->s->queue.pods;
	const uint32_t counts[] = {pods[QUEUE_ACTIVE],
		pods[QUEUE_BACKOFF] + pods[QUEUE_ERROR_BACKOFF], pods[QUEUE_GATED],
		pods[QUEUE_UNSCHEDULABLE]};
	if (row >= ARRAY_COUNT(queues))
		return false;
	put_name(a, w);
	put_label(w, "{", "queue", text_of(queues[row]));
	write_char(w, '}');
	put_value(w, counts[row]);
	return true;
}

static const char *const queue_names[] = {"active", "backoff", "unschedulable"};

static void put_incoming_row(
	struct status_answer *a, struct writer *w, const char *queue, const char *event)
{
	put_name(a, w);
	put_label(w, "{", "event", text_of(event));
	put_label(w, ",", "queue", text_of(queue));
	write_char(w, '}');
}

static void put_incoming_event(
	struct status_answer *a, struct writer *w, uint32_t kind, uint32_t action, uint32_t queue)
{
	static const char *const actions[SCHEDULER_EVENT_ACTIONS] = {"Add", "Delete",
		"UpdateNodeAllocatable", "UpdateNodeLabel", "UpdateNodeTaint",
		"UpdateNodeCondition", "UpdateNodeAnnotation", "UpdateNodeDeclaredFeature",
		"UpdatePodLabel", "UpdatePodScaleDown", "UpdatePodToleration",
		"UpdatePodSchedulingGatesEliminated", "UpdatePodGeneratedResourceClaim"};
	char event[160];
	struct writer e;
	bool is_update = action > 1 && kind != KUBE_NODE && kind != KUBE_POD;
	const char *version = kube_kinds[kind].api_version;
	writer_init(&e, event, sizeof(event) - 1);
	if (text_starts(text_of(version), TEXT("storage.k8s.io/")))
		write_z(&e, "storage.k8s.io/");
	if (text_starts(text_of(version), TEXT("resource.k8s.io/")))
		write_z(&e, "resource.k8s.io/");
	write_z(&e, kind == KUBE_POD ? "AssignedPod" : kube_kinds[kind].kind);
	write_z(&e, is_update ? "Update" : actions[action]);
	event[e.used] = '\0';
	put_incoming_row(a, w, queue_names[queue], event);
	put_value(w, a->status->s->metrics.woken[kind][action][queue]);
}

static bool put_incoming(struct status_answer *a, uint32_t row, struct writer *w)
{
	static const char *const causes[SCHEDULER_CAUSES] = {"UnscheduledPodAdd",
		"UnscheduledPodUpdate", "ScheduleAttemptFailure", "BackoffComplete",
		"UnschedulableTimeout"};
	const struct scheduler_metrics *m = &a->status->s->metrics;
	uint32_t kind = row / SCHEDULER_EVENT_ACTIONS;
	uint32_t action = row % SCHEDULER_EVENT_ACTIONS;
	if (row == 0)
		for (uint32_t i = 0; i < SCHEDULER_CAUSES * 3; i++) {
			if (m->incoming[i / 3][i % 3] == 0)
				continue;
			put_incoming_row(a, w, queue_names[i % 3], causes[i / 3]);
			put_value(w, m->incoming[i / 3][i % 3]);
		}
	if (row == 0 && a->status->s->queue.popped_early > 0) {
		put_incoming_row(a, w, "active", "PopFromBackoffQ");
		put_value(w, a->status->s->queue.popped_early);
	}
	if (kind >= KUBE_KINDS)
		return false;
	/* Every update of these has one label; the lowest bit of CACHE_UPDATE stands for it. */
	for (uint32_t queue = 0; queue < 2; queue++)
		if (m->woken[kind][action][queue] > 0)
			put_incoming_event(a, w, kind, action, queue);
	return true;
}

static bool put_goroutines(struct status_answer *a, uint32_t row, struct writer *w)
{
	if (row > 0)
		return false;
	put_name(a, w);
	write_z(w, "{operation=\"binding\"}");
	put_value(w, pool_used(&a->status->s->flights));
	return true;
}

static bool put_cache_size(struct status_answer *a, uint32_t row, struct writer *w)
{
	static const char *const types[] = {"assumed_pods", "nodes", "pods"};
	const struct cache *cache = &a->status->s->cache;
	const uint32_t counts[] = {cache->pods_assumed, pool_used(&cache->nodes),
		pool_used(&cache->pods) - cache->pods_pending};
	if (row >= ARRAY_COUNT(types))
		return false;
	put_name(a, w);
	put_label(w, "{", "type", text_of(types[row]));
	write_char(w, '}');
	put_value(w, counts[row]);
	return true;
}

static bool put_unschedulable(struct status_answer *a, uint32_t row, struct writer *w)
{
	uint32_t profile = row / PLUGIN_COUNT;
	uint32_t plugin = row % PLUGIN_COUNT;
	if (profile >= a->status->s->profile_count)
		return false;
	uint32_t count = a->status->s->queue.rejected[profile][plugin];
	if (count == 0)
		return true;
	put_name(a, w);
	put_label(w, "{", "plugin", text_of(plugins[plugin].name));
	put_label(w, ",", "profile", profile_name(a, profile));
	write_char(w, '}');
	put_value(w, count);
	return true;
}

static bool put_master(struct status_answer *a, uint32_t row, struct writer *w)
{
	const struct scheduler *s = a->status->s;
	if (row > 0 || s->lease == NULL)
		return false;
	put_name(a, w);
	put_label(w, "{", "name", s->setup.lease.name);
	write_char(w, '}');
	put_value(w, lease_holds(s->lease, clock_mono(&s->setup.clock)));
	return true;
}

static bool put_build(struct status_answer *a, uint32_t row, struct writer *w)
{
	if (row > 0)
		return false;
	put_name(a, w);
	write_z(w, "{board=\"" BERTH_BOARD "\",version=\"" BERTH_VERSION "\"} 1\n");
	return true;
}

/* ---- budgets, watches ---- */

static const struct budget *nth_budget(uint32_t row)
{
	const struct budget *b = budget_first();
	while (b != NULL && row-- > 0)
		b = budget_next(b);
	return b;
}

/* Names may come twice (a queue of each server): then they are numbered. */
static bool put_budget(struct status_answer *a, uint32_t row, struct writer *w, const char *what)
{
	const struct budget *b = nth_budget(row);
	uint32_t same = 0;
	if (b == NULL)
		return false;
	for (const struct budget *o = budget_first(); o != b; o = budget_next(o))
		same += strcmp(o->name, b->name) == 0;
	put_name(a, w);
	put_label(w, "{", "name", text_of(b->name));
	if (same > 0)
		write_format(w, ",number=\"%u\"", same);
	put_label(w, ",", "unit", text_of(b->unit));
	write_char(w, '}');
	put_value(w,
		what[0] == 'u'           ? b->used
			: what[0] == 'm' ? b->used_max
			: what[0] == 'c' ? b->capacity
					 : b->refused);
	return true;
}
static bool put_budget_used(struct status_answer *a, uint32_t row, struct writer *w)
{
	return put_budget(a, row, w, "used");
}
static bool put_budget_most(struct status_answer *a, uint32_t row, struct writer *w)
{
	return put_budget(a, row, w, "most");
}
static bool put_budget_capacity(struct status_answer *a, uint32_t row, struct writer *w)
{
	return put_budget(a, row, w, "capacity");
}
static bool put_budget_refused(struct status_answer *a, uint32_t row, struct writer *w)
{
	return put_budget(a, row, w, "refused");
}

static bool put_watch(struct status_answer *a, uint32_t row, struct writer *w, const char *what)
{
	const struct scheduler *s = a->status->s;
	uint32_t kind = KUBE_NO_KIND + 1 + row;
	if (kind >= KUBE_KINDS)
		return false;
	if ((s->wanted & WATCH_KIND(kind)) == 0)
		return true;
	struct watch_stats stats = watch_stats(s->watch, (enum kube_kind)kind);
	put_name(a, w);
	put_label(w, "{", "resource", text_of(kube_kinds[kind].plural));
	write_char(w, '}');
	put_value(w,
		what[0] == 's'           ? stats.synced
			: what[0] == 'o' ? stats.objects
			: what[0] == 'l' ? stats.lists
			: what[0] == 'f' ? stats.failures
					 : stats.refused);
	return true;
}
static bool put_watch_synced(struct status_answer *a, uint32_t row, struct writer *w)
{
	return put_watch(a, row, w, "synced");
}
static bool put_watch_objects(struct status_answer *a, uint32_t row, struct writer *w)
{
	return put_watch(a, row, w, "objects");
}
static bool put_watch_lists(struct status_answer *a, uint32_t row, struct writer *w)
{
	return put_watch(a, row, w, "lists");
}
static bool put_watch_failures(struct status_answer *a, uint32_t row, struct writer *w)
{
	return put_watch(a, row, w, "failures");
}
static bool put_watch_refused(struct status_answer *a, uint32_t row, struct writer *w)
{
	return put_watch(a, row, w, "refused");
}

static bool put_waits(struct status_answer *a, uint32_t row, struct writer *w)
{
	if (row > SCHEDULER_STOPPING)
		return false;
	put_name(a, w);
	put_label(w, "{", "state", text_of(scheduler_wait_name((enum scheduler_wait)row)));
	write_char(w, '}');
	put_value(w, a->status->s->waits == (enum scheduler_wait)row);
	return true;
}

static bool put_turn_max(struct status_answer *a, uint32_t row, struct writer *w)
{
	if (row > 0)
		return false;
	put_name(a, w);
	write_char(w, ' ');
	put_real(w, (uint64_t)a->status->s->metrics.turn_us_max, true);
	write_char(w, '\n');
	return true;
}
static bool put_busy(struct status_answer *a, uint32_t row, struct writer *w)
{
	if (row > 0)
		return false;
	put_name(a, w);
	write_char(w, ' ');
	put_real(w, a->status->s->metrics.busy_us, true);
	write_char(w, '\n');
	return true;
}

/* ---- single values: all of one kind of row, each a family of its own ---- */

struct single {
	const char *name;
	bool is_gauge;
	const char *help;
};

/* In the order in which single_values() has them. */
static const struct single singles[] = {
	{"process_cpu_seconds_total", false, "Total user and system CPU time spent in seconds."},
	{"process_resident_memory_bytes", true, "Resident memory size in bytes."},
	{"process_virtual_memory_bytes", true, "Virtual memory size in bytes."},
	{"process_max_fds", true, "Maximum number of open file descriptors."},
	{"process_start_time_seconds", true,
		"Start time of the process since unix epoch in seconds."},
	{"berth_bindings_total", false, "Pods bound."},
	{"berth_bindings_lost_total", false, "Pods that somebody else had bound or deleted."},
	{"berth_bindings_refused_total", false, "Bindings that the apiserver refused for good."},
	{"berth_bindings_throttled_total", false, "Answers 429 to bindings."},
	{"berth_bindings_in_doubt_total", false, "Bindings without a clear answer, looked up."},
	{"berth_binding_window", true, "Bindings that may be in flight at a time."},
	{"berth_preemptions_total", false, "Preemptions begun."},
	{"berth_victims_total", false, "Pods that were told to go."},
	{"berth_pods_woken_total", false, "Waiting pods moved by events."},
	{"berth_queue_full_total", false, "Pods that found no room in the queue."},
	{"berth_turns_total", false, "Turns of the loop."},
	{"berth_status_patches_total", false, "Status patches that the apiserver took."},
	{"berth_status_patches_unchanged_total", false, "Status patches that said nothing new."},
	{"berth_status_patches_failed_total", false, "Status patches given up."},
	{"berth_events_sent_total", false, "Events that the apiserver took."},
	{"berth_events_joined_total", false, "Events added to a series."},
	{"berth_events_dropped_total", false, "Events for which there was no room, or too many."},
	{"berth_cache_refused_total", false, "Objects that did not fit into the picture."},
	{"berth_nodes_missing", true, "1: a node is not in the picture, as its log says."},
	{"berth_pods_missing", true, "1: a pod on a node is not, and nothing is bound."},
	{"berth_connections_open", true, "Connections to the apiserver."},
	{"berth_connects_total", false, "Connections to the apiserver begun."},
	{"berth_connect_failures_total", false, "Connections that failed."},
	{"berth_requests_total", false, "Requests to the apiserver."},
	{"berth_requests_queued", true, "Requests that wait for a connection."},
	{"berth_received_bytes_total", false, "Bytes from the apiserver."},
	{"berth_sent_bytes_total", false, "Bytes to the apiserver."},
	{"berth_log_dropped_total", false, "Log lines that could not be written."},
	{"berth_late_allocations_total", false, "Requests to malloc after start."},
	{"berth_status_listeners", true, "Who listens to events of the page."},
};

static void single_values(const struct status *status, double *v)
{
	const struct scheduler *s = status->s;
	struct binder_stats binder = binder_stats(s->binder);
	struct patcher_stats patcher = patcher_stats(s->patcher);
	struct recorder_stats recorder = recorder_stats(s->recorder);
	struct net_client_stats net = net_client_stats(status->setup.client);
	struct process_facts p;
	process_facts(&status->process, &p);
	const double values[] = {p.cpu_s, (double)p.resident_bytes, (double)p.virtual_bytes,
		(double)p.files_max, (double)status->started_at.us / 1e6, (double)s->stats.bound,
		(double)s->stats.bind_lost, (double)s->stats.bind_refused, (double)binder.throttled,
		(double)binder.doubted, binder.window, (double)s->stats.preemptions,
		(double)s->stats.victims, (double)s->stats.woken, (double)s->stats.queue_full,
		(double)s->stats.turns, (double)patcher.sent, (double)patcher.unchanged,
		(double)patcher.failed, (double)recorder.sent, (double)recorder.joined,
		(double)(recorder.dropped_full + recorder.dropped_rate), (double)s->cache.refused,
		(s->damaged & WATCH_KIND(KUBE_NODE)) != 0, (s->damaged & WATCH_KIND(KUBE_POD)) != 0,
		net.open, (double)net.connects, (double)net.connect_failures, (double)net.requests,
		net.queued, (double)net.bytes_in, (double)net.bytes_out, (double)log_dropped(),
		(double)memory_late_requests(), status->listeners};
	_Static_assert(sizeof(values) / sizeof(values[0]) == ARRAY_COUNT(singles), "one each");
	memcpy(v, values, sizeof(values));
}

static bool put_singles(struct status_answer *a, uint32_t row, struct writer *w)
{
	double values[ARRAY_COUNT(singles)];
	if (row > 0)
		return false;
	single_values(a->status, values);
	for (size_t i = 0; i < ARRAY_COUNT(singles); i++)
		write_format(w, "# HELP %s %s\n# TYPE %s %s\n%s %.15g\n", singles[i].name,
			singles[i].help, singles[i].name, singles[i].is_gauge ? "gauge" : "counter",
			singles[i].name, values[i]);
	return true;
}

/* ---- all of them ---- */

static const struct family families[] = {
	{"scheduler_schedule_attempts_total", "counter",
		"[STABLE] Number of attempts to schedule pods, by the result.", put_attempts},
	{"scheduler_scheduling_attempt_duration_seconds", "histogram",
		"[STABLE] Scheduling attempt latency in seconds, binding included.",
		put_attempt_duration},
	{"scheduler_scheduling_algorithm_duration_seconds", "histogram",
		"[ALPHA] Scheduling algorithm latency in seconds.", put_algorithm},
	{"scheduler_pod_scheduling_sli_duration_seconds", "histogram",
		"[BETA] E2e latency for a pod being scheduled, from its first attempt.", put_sli},
	{"scheduler_pod_scheduling_attempts", "histogram",
		"[STABLE] Number of attempts to successfully schedule a pod.", put_tries},
	{"scheduler_preemption_victims", "histogram",
		"[STABLE] Number of selected preemption victims.", put_victims},
	{"scheduler_pending_pods", "gauge", "[STABLE] Number of pending pods, by the queue.",
		put_pending},
	{"scheduler_queue_incoming_pods_total", "counter",
		"[STABLE] Number of pods added to scheduling queues by event and queue.",
		put_incoming},
	{"scheduler_goroutines", "gauge", "[BETA] Bindings under way.", put_goroutines},
	{"scheduler_cache_size", "gauge", "[ALPHA] Number of nodes, pods, and assumed pods.",
		put_cache_size},
	{"scheduler_unschedulable_pods", "gauge",
		"[BETA] Pods that wait, by the plugin that rejected them.", put_unschedulable},
	{"leader_election_master_status", "gauge", "[ALPHA] 1: this process leads.", put_master},
	{"berth_build_info", "gauge", "Version and board.", put_build},
	{"berth_state", "gauge", "1: the state that decisions are in.", put_waits},
	{"berth_budget_used", "gauge", "What is in use of a fixed room.", put_budget_used},
	{"berth_budget_used_max", "gauge", "Most that was ever in use.", put_budget_most},
	{"berth_budget_capacity", "gauge", "What there is room for.", put_budget_capacity},
	{"berth_budget_refused_total", "counter", "What found no room.", put_budget_refused},
	{"berth_watch_synced", "gauge", "1: all of the kind was told.", put_watch_synced},
	{"berth_watch_objects_total", "counter", "Objects told.", put_watch_objects},
	{"berth_watch_lists_total", "counter", "Lists begun.", put_watch_lists},
	{"berth_watch_failures_total", "counter", "Attempts to watch that failed.",
		put_watch_failures},
	{"berth_watch_refused_total", "counter", "Objects that could not be taken.",
		put_watch_refused},
	{"berth_turn_seconds_max", "gauge", "Longest turn of the loop, without its sleep.",
		put_turn_max},
	{"berth_busy_seconds_total", "counter", "Time in turns, without their sleep.", put_busy},
	{NULL, NULL, NULL, put_singles},
};

static const struct family *family_of(const struct status_answer *a)
{
	return &families[a->part];
}

static bool step(struct status_answer *a, struct writer *w)
{
	if (a->part == ARRAY_COUNT(families))
		return false;
	if (families[a->part].put(a, a->row, w)) {
		a->row++;
		return true;
	}
	a->part++;
	a->row = 0;
	a->any = false;
	return true;
}

void metrics_answer(struct status_answer *a)
{
	status_stream(a, "text/plain; version=0.0.4; charset=utf-8", step);
}
