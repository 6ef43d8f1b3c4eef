/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metrics: /metrics as Prometheus reads it.
 *
 * Names, labels and buckets are kube-scheduler's wherever the same thing is counted, so that its
 * dashboards and alerts go on working; what only berth has begins with berth_. What depends on how
 * kube-scheduler is built (Go's runtime, durations by plugin, and by extension points that decide:
 * here all plugins run in one pass over remembered answers) is left out rather than faked.
 *
 * Rows of a family are a part of it that fits into a piece: one line, or one histogram.
 */
#include "base/budget.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/real.h"
#include "http/counts.h"
#include "status/private.h"

enum type { COUNTER, GAUGE, HISTOGRAM };

struct family {
	const char *name;
	const char *help;
	/* False: there is no such row. The head of the family stands before its first row. */
	bool (*put)(struct status_answer *a, uint32_t row, struct writer *w);
	uint8_t type;
	uint8_t which; /* of families that look alike */
};

static const struct family *family_of(const struct status_answer *a);

/* ---- parts of a line ---- */

static void put_head(struct writer *w, const char *name, const char *help, enum type type)
{
	static const char *const types[] = {"counter", "gauge", "histogram"};
	write_format(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, types[type]);
}

static const char *name_of(struct status_answer *a, struct writer *w)
{
	const struct family *f = family_of(a);
	if (!a->any)
		put_head(w, f->name, f->help, (enum type)f->type);
	a->any = true;
	return f->name;
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

struct labels {
	char room[768];
	struct writer w;
};

static struct writer *labels_begin(struct labels *l)
{
	writer_init(&l->w, l->room, sizeof(l->room));
	return &l->w;
}

/* Up to two labels; the second one's name may be NULL. */
static void put_row(struct status_answer *a, struct writer *w, const char *name, struct text value,
	const char *second, struct text second_value, uint64_t count)
{
	write_z(w, name_of(a, w));
	metrics_label(w, '{', name, value);
	if (second != NULL)
		metrics_label(w, ',', second, second_value);
	write_char(w, '}');
	put_value(w, count);
}

static struct text profile_name(const struct status_answer *a, uint32_t profile)
{
	const struct scheduler *s = a->status->s;
	return cache_text(&s->cache, s->profiles[profile].scheduler_name);
}

/* ---- histograms ---- */

/* Values count millionths when `divided`. */
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

/* Labels are "a=\"b\",..." or nothing. */
static bool put_histogram(struct status_answer *a, struct writer *w, const uint64_t *counts,
	uint64_t whole, const uint64_t *bounds, uint32_t bound_count, bool divided,
	struct text labels)
{
	const char *name = name_of(a, w);
	bool any = labels.size > 0;
	uint64_t sum = 0;
	for (uint32_t i = 0; i <= bound_count; i++) {
		sum += counts[i];
		write_format(w, "%s_bucket{%.*s%sle=\"", name, TEXT_ARGS(labels), any ? "," : "");
		if (i < bound_count)
			put_real(w, bounds[i], divided);
		else
			write_z(w, "+Inf");
		write_z(w, "\"}");
		put_value(w, sum);
	}
	for (uint32_t i = 0; i < 2; i++) {
		write_format(w, any ? "%s_%s{%.*s} " : "%s_%s%.*s ", name, i == 0 ? "sum" : "count",
			TEXT_ARGS(labels));
		put_real(w, i == 0 ? whole : sum, i == 0 && divided);
		write_char(w, '\n');
	}
	return true;
}

static bool put_scaled(struct status_answer *a, struct writer *w,
	const struct scheduler_histogram *h, const struct scheduler_scale *scale,
	struct text labels)
{
	uint64_t bounds[SCHEDULER_BUCKETS_MAX];
	for (uint32_t i = 0; i < scale->count; i++)
		bounds[i] = scale->first << i;
	return put_histogram(
		a, w, h->counts, h->sum, bounds, scale->count, scale->first > 1, labels);
}

static bool metrics_is_empty(const uint64_t *counts, uint32_t count)
{
	while (count > 0 && counts[count - 1] == 0)
		count--;
	return count == 0;
}

/* ---- kube-scheduler's ---- */

static bool put_attempts(struct status_answer *a, uint32_t row, struct writer *w)
{
	static const char *const results[SCHEDULER_RESULTS] = {
		"scheduled", "unschedulable", "error"};
	const struct scheduler_metrics *m = &a->status->s->metrics;
	uint32_t profile = row / SCHEDULER_RESULTS, result = row % SCHEDULER_RESULTS;
	struct labels l;
	if (profile >= a->status->s->profile_count)
		return false;
	if (m->attempts[profile][result] == 0)
		return true;
	struct writer *labels = labels_begin(&l);
	metrics_label(labels, ',', "profile", profile_name(a, profile));
	metrics_label(labels, ',', "result", text_of(results[result]));
	struct text words = text_from(writer_text(labels), 1);
	if (family_of(a)->type == HISTOGRAM)
		return put_scaled(
			a, w, &m->attempt[profile][result], &scheduler_scale_attempt, words);
	write_format(w, "%s{%.*s}", name_of(a, w), TEXT_ARGS(words));
	put_value(w, m->attempts[profile][result]);
	return true;
}

static bool put_plain_histogram(struct status_answer *a, uint32_t row, struct writer *w)
{
	const struct scheduler_metrics *m = &a->status->s->metrics;
	const struct {
		const struct scheduler_histogram *h;
		const struct scheduler_scale *scale;
	} all[] = {{&m->algorithm, &scheduler_scale_attempt}, {&m->tries, &scheduler_scale_tries},
		{&m->victims, &scheduler_scale_victims}};
	uint32_t which = family_of(a)->which;
	return row == 0 && put_scaled(a, w, all[which].h, all[which].scale, TEXT_NONE);
}

static bool put_sli(struct status_answer *a, uint32_t row, struct writer *w)
{
	struct labels l;
	if (row >= SCHEDULER_ATTEMPTS_MAX)
		return false;
	const struct scheduler_histogram *h = &a->status->s->metrics.sli[row];
	if (metrics_is_empty(h->counts, SCHEDULER_BUCKETS_MAX + 1))
		return true;
	write_format(labels_begin(&l), "attempts=\"%u%s\"", row + 1,
		row + 1 == SCHEDULER_ATTEMPTS_MAX ? "+" : "");
	return put_scaled(a, w, h, &scheduler_scale_sli, writer_text(&l.w));
}

static const char *const queue_names[] = {"active", "backoff", "unschedulable", "gated"};

static bool put_pending(struct status_answer *a, uint32_t row, struct writer *w)
{
	const uint32_t *pods = a->status->s->queue.pods;
	const uint32_t counts[] = {pods[QUEUE_ACTIVE],
		pods[QUEUE_BACKOFF] + pods[QUEUE_ERROR_BACKOFF], pods[QUEUE_UNSCHEDULABLE],
		pods[QUEUE_GATED]};
	if (row >= ARRAY_COUNT(queue_names))
		return false;
	put_row(a, w, "queue", text_of(queue_names[row]), NULL, TEXT_NONE, counts[row]);
	return true;
}

static void put_incoming_row(struct status_answer *a, struct writer *w, uint32_t queue,
	struct text event, uint64_t count)
{
	if (count > 0)
		put_row(a, w, "event", event, "queue", text_of(queue_names[queue]), count);
}

static void put_event(struct writer *e, uint32_t kind, uint32_t action)
{
	static const char *const actions[SCHEDULER_EVENT_ACTIONS] = {"Add", "Delete",
		"UpdateNodeAllocatable", "UpdateNodeLabel", "UpdateNodeTaint",
		"UpdateNodeCondition", "UpdateNodeAnnotation", "UpdateNodeDeclaredFeature",
		"UpdatePodLabel", "UpdatePodScaleDown", "UpdatePodToleration",
		"UpdatePodSchedulingGatesEliminated", "UpdatePodGeneratedResourceClaim"};
	/* Below are actions of nodes: the lowest bit of an update of a pod that is none in
	 * particular. */
	bool is_update = action > 1 && kind != KUBE_NODE && (kind != KUBE_POD || action < 8);
	struct text version = text_of(kube_kinds[kind].api_version);
	if (text_starts(version, TEXT("storage.k8s.io/")) ||
		text_starts(version, TEXT("resource.k8s.io/")))
		write_text(e, text_first(version, text_find(version, '/') + 1));
	write_z(e,
		kind == KUBE_NO_KIND       ? "UnscheduledPod"
			: kind == KUBE_POD ? "AssignedPod"
					   : kube_kinds[kind].kind);
	write_z(e, is_update ? "Update" : actions[action]);
}

static bool put_incoming(struct status_answer *a, uint32_t row, struct writer *w)
{
	static const char *const causes[SCHEDULER_CAUSES] = {"UnscheduledPodAdd",
		"UnscheduledPodUpdate", "ScheduleAttemptFailure", "BackoffComplete",
		"UnschedulableTimeout"};
	const struct scheduler_metrics *m = &a->status->s->metrics;
	uint32_t kind = row / SCHEDULER_EVENT_ACTIONS;
	uint32_t action = row % SCHEDULER_EVENT_ACTIONS;
	for (uint32_t i = 0; row == 0 && i < SCHEDULER_CAUSES * 3; i++)
		put_incoming_row(a, w, i % 3, text_of(causes[i / 3]), m->incoming[i / 3][i % 3]);
	if (row == 0)
		put_incoming_row(
			a, w, 0, TEXT("PopFromBackoffQ"), a->status->s->queue.popped_early);
	if (kind >= KUBE_KINDS)
		return false;
	/* Every update of these has one label; the lowest bit of CACHE_UPDATE stands for it. */
	for (uint32_t queue = 0; queue < 2; queue++)
		if (m->woken[kind][action][queue] > 0) {
			struct labels event;
			put_event(labels_begin(&event), kind, action);
			put_incoming_row(
				a, w, queue, writer_text(&event.w), m->woken[kind][action][queue]);
		}
	return true;
}

static bool put_handled(struct status_answer *a, uint32_t row, struct writer *w)
{
	const struct scheduler_handled *h = &a->status->s->metrics.handled[row];
	struct labels l;
	if (row == SCHEDULER_HANDLED || !h->taken)
		return false;
	write_z(labels_begin(&l), "event=\"");
	put_event(&l.w, h->kind, h->action);
	write_char(&l.w, '"');
	return put_scaled(a, w, &h->took, &scheduler_scale_point, writer_text(&l.w));
}

static bool put_stages(struct status_answer *a, uint32_t row, struct writer *w)
{
	static const char *const stages[SCHEDULER_STAGES] = {"PreBind", "Bind"};
	uint32_t profile = row / (SCHEDULER_STAGES * 2), stage = row / 2 % SCHEDULER_STAGES;
	struct labels l;
	if (profile >= a->status->s->profile_count)
		return false;
	const struct scheduler_histogram *h =
		&a->status->s->metrics.stages[profile][stage][row % 2];
	if (metrics_is_empty(h->counts, SCHEDULER_BUCKETS_MAX + 1))
		return true;
	metrics_label(labels_begin(&l), ',', "extension_point", text_of(stages[stage]));
	metrics_label(&l.w, ',', "profile", profile_name(a, profile));
	metrics_label(&l.w, ',', "status", row % 2 == 0 ? TEXT("Success") : TEXT("Error"));
	return put_scaled(a, w, h, &scheduler_scale_point, text_from(writer_text(&l.w), 1));
}

static bool put_evaluated(struct status_answer *a, uint32_t row, struct writer *w)
{
	static const struct {
		const char *name;
		enum plugin_point at;
	} points[CYCLE_POINTS] = {{"PreFilter", PLUGIN_AT_PRE_FILTER}, {"Filter", PLUGIN_AT_FILTER},
		{"PreScore", PLUGIN_AT_PRE_SCORE}, {"Score", PLUGIN_AT_SCORE}};
	const struct scheduler *s = a->status->s;
	uint32_t profile = row / CYCLE_POINTS, point = row % CYCLE_POINTS;
	if (profile >= s->profile_count)
		return false;
	const struct plugin_uses *uses = &s->profiles[profile].at[points[point].at];
	for (uint32_t i = 0; i < uses->count; i++) {
		uint8_t id = uses->list[i].id;
		write_z(w, name_of(a, w));
		metrics_label(w, '{', "extension_point", text_of(points[point].name));
		metrics_label(w, ',', "plugin", text_of(plugins[id]->name));
		metrics_label(w, ',', "profile", profile_name(a, profile));
		write_char(w, '}');
		put_value(w, s->metrics.evaluated[profile][point][id]);
	}
	return true;
}

static bool put_goroutines(struct status_answer *a, uint32_t row, struct writer *w)
{
	if (row == 0)
		put_row(a, w, "operation", TEXT("binding"), NULL, TEXT_NONE,
			pool_used(&a->status->s->flights));
	return row == 0;
}

static bool put_cache_size(struct status_answer *a, uint32_t row, struct writer *w)
{
	static const char *const types[] = {"assumed_pods", "nodes", "pods"};
	const struct cache *cache = &a->status->s->cache;
	const uint32_t counts[] = {cache->pods_assumed, pool_used(&cache->nodes),
		pool_used(&cache->pods) - cache->pods_pending};
	if (row >= ARRAY_COUNT(types))
		return false;
	put_row(a, w, "type", text_of(types[row]), NULL, TEXT_NONE, counts[row]);
	return true;
}

static bool put_unschedulable(struct status_answer *a, uint32_t row, struct writer *w)
{
	/* the last of each profile are its extenders */
	uint32_t profile = row / (PLUGIN_COUNT + 1), plugin = row % (PLUGIN_COUNT + 1);
	bool extender = plugin == PLUGIN_COUNT;
	if (profile >= a->status->s->profile_count)
		return false;
	const struct queue *queue = &a->status->s->queue;
	uint32_t count = extender ? queue->rejected_by_other[profile][QUEUE_EXTENDER]
				  : queue->rejected[profile][plugin];
	if (count > 0)
		put_row(a, w, "plugin", text_of(extender ? "Extender" : plugins[plugin]->name),
			"profile", profile_name(a, profile), count);
	return true;
}

static bool put_master(struct status_answer *a, uint32_t row, struct writer *w)
{
	const struct scheduler *s = a->status->s;
	if (row > 0 || s->lease == NULL)
		return false;
	put_row(a, w, "name", s->setup.lease.name, NULL, TEXT_NONE,
		lease_holds(s->lease, clock_mono(&s->setup.clock)));
	return true;
}

/* ---- requests to the apiserver ---- */

static bool put_requests(struct status_answer *a, uint32_t row, struct writer *w)
{
	const struct net_client *client = a->status->setup.client;
	const struct net_counts *counts = net_client_counts(client);
	char code[16] = "<error>";
	struct writer c;
	if (row >= NET_COUNTED_CODES || counts->codes[row].count == 0)
		return false;
	const struct net_code_count *n = &counts->codes[row];
	if (n->status != 0) {
		writer_init(&c, code, sizeof(code) - 1);
		write_u64(&c, n->status);
		code[c.used] = '\0';
	}
	write_z(w, name_of(a, w));
	metrics_label(w, '{', "code", text_of(code));
	metrics_label(w, ',', "host", text_of(net_client_host(client)));
	metrics_label(w, ',', "method", text_of(net_method_names[n->method]));
	write_char(w, '}');
	put_value(w, n->count);
	return true;
}

static bool put_request_histogram(struct status_answer *a, uint32_t row, struct writer *w)
{
	const struct net_client *client = a->status->setup.client;
	uint32_t which = family_of(a)->which;
	struct labels l;
	if (row >= NET_COUNTED_VERBS)
		return false;
	const struct net_histogram *h = &net_client_counts(client)->verbs[row][which];
	uint32_t count = which == NET_TOOK ? NET_TOOK_BOUNDS : NET_SIZE_BOUNDS;
	if (metrics_is_empty(h->counts, count + 1))
		return true;
	struct writer *labels = labels_begin(&l);
	metrics_label(labels, ',', "host", text_of(net_client_host(client)));
	metrics_label(labels, ',', "verb", text_of(net_method_names[row]));
	return put_histogram(a, w, h->counts, h->sum,
		which == NET_TOOK ? net_took_bounds : net_size_bounds, count, which == NET_TOOK,
		text_from(writer_text(labels), 1));
}

/* ---- berth's own ---- */

static bool put_build(struct status_answer *a, uint32_t row, struct writer *w)
{
	if (row == 0)
		put_row(a, w, "board", TEXT(BERTH_BOARD), "version", TEXT(BERTH_VERSION), 1);
	return row == 0;
}

/* Names may come twice (a queue of each server): then they are numbered. */
static bool put_budget(struct status_answer *a, uint32_t row, struct writer *w)
{
	const struct budget *b = budget_first();
	uint32_t same = 0;
	for (uint32_t i = 0; b != NULL && i < row; i++)
		b = budget_next(b);
	if (b == NULL)
		return false;
	for (const struct budget *o = budget_first(); o != b; o = budget_next(o))
		same += strcmp(o->name, b->name) == 0;
	const uint64_t values[] = {b->used, b->used_max, b->capacity, b->refused};
	write_z(w, name_of(a, w));
	metrics_label(w, '{', "name", text_of(b->name));
	if (same > 0)
		write_format(w, ",number=\"%u\"", same);
	metrics_label(w, ',', "unit", text_of(b->unit));
	write_char(w, '}');
	put_value(w, values[family_of(a)->which]);
	return true;
}

static bool put_watch(struct status_answer *a, uint32_t row, struct writer *w)
{
	const struct scheduler *s = a->status->s;
	uint32_t kind = KUBE_NO_KIND + 1 + row;
	if (kind >= KUBE_KINDS)
		return false;
	if ((s->wanted & WATCH_KIND(kind)) == 0)
		return true;
	struct watch_stats stats = watch_stats(s->watch, (enum kube_kind)kind);
	const uint64_t values[] = {
		stats.synced, stats.objects, stats.lists, stats.failures, stats.refused};
	put_row(a, w, "resource", text_of(kube_kinds[kind].plural), NULL, TEXT_NONE,
		values[family_of(a)->which]);
	return true;
}

static bool put_waits(struct status_answer *a, uint32_t row, struct writer *w)
{
	if (row > SCHEDULER_STOPPING)
		return false;
	put_row(a, w, "state", text_of(scheduler_wait_name((enum scheduler_wait)row)), NULL,
		TEXT_NONE, a->status->s->waits == (enum scheduler_wait)row);
	return true;
}

/* ---- single values: all of one kind of row, each a family of its own ---- */

struct single {
	const char *name;
	const char *help;
	uint8_t type;
};

/* In the order that single_values() has them. */
static const struct single singles[] = {
	{"process_cpu_seconds_total", "CPU time in seconds.", COUNTER},
	{"process_resident_memory_bytes", "Resident memory size in bytes.", GAUGE},
	{"process_virtual_memory_bytes", "Virtual memory size in bytes.", GAUGE},
	{"process_virtual_memory_max_bytes", "Virtual memory at most.", GAUGE},
	{"process_open_fds", "Open file descriptors; 0: not known.", GAUGE},
	{"process_max_fds", "Open file descriptors at most.", GAUGE},
	{"process_start_time_seconds", "Start of the process since unix epoch in seconds.", GAUGE},
	{"berth_bindings_total", "Pods bound.", COUNTER},
	{"berth_bindings_lost_total", "Pods bound or deleted by others.", COUNTER},
	{"berth_bindings_refused_total", "Bindings refused for good.", COUNTER},
	{"berth_bindings_throttled_total", "Answers 429 to bindings.", COUNTER},
	{"berth_bindings_in_doubt_total", "Bindings without a clear answer.", COUNTER},
	{"berth_binding_window", "Bindings in flight at most.", GAUGE},
	{"berth_preemptions_total", "Preemptions begun.", COUNTER},
	{"berth_victims_total", "Pods that were told to go.", COUNTER},
	{"berth_pods_woken_total", "Waiting pods moved by events.", COUNTER},
	{"berth_queue_full_total", "Pods without room in the queue.", COUNTER},
	{"berth_turns_total", "Turns of the loop.", COUNTER},
	{"berth_status_patches_total", "Status patches taken.", COUNTER},
	{"berth_status_patches_unchanged_total", "Status patches with nothing new.", COUNTER},
	{"berth_status_patches_failed_total", "Status patches given up.", COUNTER},
	{"berth_events_sent_total", "Events taken.", COUNTER},
	{"berth_events_joined_total", "Events added to a series.", COUNTER},
	{"berth_events_dropped_total", "Events without room, or too many.", COUNTER},
	{"berth_cache_refused_total", "Objects without room in the picture.", COUNTER},
	{"berth_nodes_missing", "1: a node is not in the picture.", GAUGE},
	{"berth_pods_missing", "1: a pod is not: nothing is bound.", GAUGE},
	{"berth_connections_open", "Connections to the apiserver.", GAUGE},
	{"berth_connects_total", "Connections to the apiserver begun.", COUNTER},
	{"berth_connect_failures_total", "Connections that failed.", COUNTER},
	{"berth_requests_total", "Requests to the apiserver.", COUNTER},
	{"berth_requests_queued", "Requests without a connection.", GAUGE},
	{"berth_received_bytes_total", "Bytes from the apiserver.", COUNTER},
	{"berth_sent_bytes_total", "Bytes to the apiserver.", COUNTER},
	{"berth_log_dropped_total", "Log lines not written.", COUNTER},
	{"berth_late_allocations_total", "Requests to malloc after start.", COUNTER},
	{"berth_status_listeners", "Who listens to events.", GAUGE},
	{"scheduler_preemption_attempts_total", "[STABLE] Attempts to preempt until now.", COUNTER},
	{"scheduler_pod_scheduled_after_flush_total", "[ALPHA] Never counted, as in v1.36.",
		COUNTER},
	{"berth_turn_seconds_max", "Longest turn without its sleep.", GAUGE},
	{"berth_busy_seconds_total", "Time in turns, without their sleep.", COUNTER},
	{"berth_busy_network_seconds_total", "Of it: to read, to apply it, to answer.", COUNTER},
	{"berth_busy_decide_seconds_total", "Of it: to decide.", COUNTER},
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
		(double)p.virtual_max_bytes, (double)p.files_open, (double)p.files_max,
		(double)status->started_at.us / 1e6, (double)s->stats.bound,
		(double)s->stats.bind_lost, (double)s->stats.bind_refused, (double)binder.throttled,
		(double)binder.doubted, binder.window, (double)s->stats.preemptions,
		(double)s->stats.victims, (double)s->stats.woken, (double)s->stats.queue_full,
		(double)s->stats.turns, (double)patcher.sent, (double)patcher.unchanged,
		(double)patcher.failed, (double)recorder.sent, (double)recorder.joined,
		(double)(recorder.dropped_full + recorder.dropped_rate), (double)s->cache.refused,
		(s->damaged & WATCH_KIND(KUBE_NODE)) != 0, (s->damaged & WATCH_KIND(KUBE_POD)) != 0,
		net.open, (double)net.connects, (double)net.connect_failures, (double)net.requests,
		net.queued, (double)net.bytes_in, (double)net.bytes_out, (double)log_dropped(),
		(double)memory_late_requests(), status->listeners,
		(double)s->metrics.preemption_attempts, 0, (double)s->metrics.turn_us_max / 1e6,
		(double)s->metrics.busy_us / 1e6, (double)s->metrics.network_us / 1e6,
		(double)s->metrics.decide_us / 1e6};
	_Static_assert(sizeof(values) / sizeof(values[0]) == ARRAY_COUNT(singles), "one each");
	memcpy(v, values, sizeof(values));
}

static bool put_singles(struct status_answer *a, uint32_t row, struct writer *w)
{
	double values[ARRAY_COUNT(singles)];
	if (row > 0)
		return false;
	single_values(a->status, values);
	for (size_t i = 0; i < ARRAY_COUNT(singles); i++) {
		const struct single *single = &singles[i];
		put_head(w, single->name, single->help, (enum type)single->type);
		write_format(w, "%s ", single->name);
		real_write(w, values[i], 15);
		write_char(w, '\n');
	}
	return true;
}

/* ---- all of them ---- */

static const struct family families[] = {
	{"scheduler_schedule_attempts_total", "[STABLE] Attempts to schedule pods, by the result.",
		put_attempts, COUNTER, 0},
	{"scheduler_scheduling_attempt_duration_seconds",
		"[STABLE] Attempt latency in seconds, binding included.", put_attempts, HISTOGRAM,
		0},
	{"scheduler_scheduling_algorithm_duration_seconds", "[ALPHA] Algorithm latency in seconds.",
		put_plain_histogram, HISTOGRAM, 0},
	{"scheduler_pod_scheduling_attempts", "[STABLE] Attempts until a pod was scheduled.",
		put_plain_histogram, HISTOGRAM, 1},
	{"scheduler_preemption_victims", "[STABLE] Victims of a preemption.", put_plain_histogram,
		HISTOGRAM, 2},
	{"scheduler_pod_scheduling_sli_duration_seconds",
		"[BETA] Latency from the first attempt in seconds.", put_sli, HISTOGRAM, 0},
	{"scheduler_pending_pods", "[STABLE] Pending pods, by the queue.", put_pending, GAUGE, 0},
	{"scheduler_queue_incoming_pods_total",
		"[STABLE] Pods added to queues, by event and queue.", put_incoming, COUNTER, 0},
	{"scheduler_goroutines", "[BETA] Bindings under way.", put_goroutines, GAUGE, 0},
	{"scheduler_cache_size", "[ALPHA] Nodes, pods, and assumed pods.", put_cache_size, GAUGE,
		0},
	{"scheduler_unschedulable_pods", "[BETA] Pods that wait, by the plugin.", put_unschedulable,
		GAUGE, 0},
	{"scheduler_event_handling_duration_seconds", "[ALPHA] Event handling latency in seconds.",
		put_handled, HISTOGRAM, 0},
	{"scheduler_framework_extension_point_duration_seconds",
		"[STABLE] Latency of what waits for the apiserver.", put_stages, HISTOGRAM, 0},
	{"scheduler_plugin_evaluation_total", "[BETA] Decisions that the plugin had a part in.",
		put_evaluated, COUNTER, 0},
	{"rest_client_requests_total", "[ALPHA] HTTP requests, by code, method and host.",
		put_requests, COUNTER, 0},
	{"rest_client_request_duration_seconds", "[ALPHA] Request latency in seconds.",
		put_request_histogram, HISTOGRAM, NET_TOOK},
	{"rest_client_request_size_bytes", "[ALPHA] Request size in bytes.", put_request_histogram,
		HISTOGRAM, NET_SENT},
	{"rest_client_response_size_bytes", "[ALPHA] Response size in bytes.",
		put_request_histogram, HISTOGRAM, NET_RECEIVED},
	{"leader_election_master_status", "[ALPHA] 1: this process leads.", put_master, GAUGE, 0},
	{"berth_build_info", "Version and board.", put_build, GAUGE, 0},
	{"berth_state", "1: the state that decisions are in.", put_waits, GAUGE, 0},
	{"berth_budget_used", "What is in use of a fixed room.", put_budget, GAUGE, 0},
	{"berth_budget_used_max", "Most that was ever in use.", put_budget, GAUGE, 1},
	{"berth_budget_capacity", "What there is room for.", put_budget, GAUGE, 2},
	{"berth_budget_refused_total", "What found no room.", put_budget, COUNTER, 3},
	{"berth_watch_synced", "1: all of the kind was told.", put_watch, GAUGE, 0},
	{"berth_watch_objects_total", "Objects told.", put_watch, COUNTER, 1},
	{"berth_watch_lists_total", "Lists begun.", put_watch, COUNTER, 2},
	{"berth_watch_failures_total", "Attempts to watch that failed.", put_watch, COUNTER, 3},
	{"berth_watch_refused_total", "Objects that could not be taken.", put_watch, COUNTER, 4},
	{"", "", put_singles, GAUGE, 0},
};

static const struct family *family_of(const struct status_answer *a)
{
	return &families[a->part];
}

static bool metrics_step(struct status_answer *a, struct writer *w)
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
