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
#include "base/real.h"
#include "http/counts.h"
#include "status/private.h"
#include "status/readings.h"

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

static void put_head(struct writer *w, const char *name, const char *help, enum metric_type type)
{
	static const char *const types[] = {"counter", "gauge", "histogram"};
	write_format(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, types[type]);
}

static const char *name_of(struct status_answer *a, struct writer *w)
{
	const struct family *f = family_of(a);
	if (!a->any)
		put_head(w, f->name, f->help, (enum metric_type)f->type);
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

/* As Go writes a float: from a million on with an exponent. Label values are compared as text. */
static void put_bound(struct writer *w, uint64_t bound, bool divided)
{
	uint64_t unit = 1000000;
	int exponent = 6;
	if (divided || bound < unit) {
		put_real(w, bound, divided);
		return;
	}
	for (; bound / unit >= 10; exponent++)
		unit *= 10;
	write_format(w, "%llu", (unsigned long long)(bound / unit));
	if (bound % unit != 0)
		write_char(w, '.');
	for (uint64_t rest = bound % unit; rest != 0; rest %= unit) {
		unit /= 10;
		write_format(w, "%llu", (unsigned long long)(rest / unit));
	}
	write_format(w, "e+%02d", exponent);
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
			put_bound(w, bounds[i], divided);
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
	if (family_of(a)->type == METRIC_HISTOGRAM)
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
			pool_used(&a->status->s->bindings.pool));
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
	if ((scheduler_kinds_wanted(s) & WATCH_KIND(kind)) == 0)
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
		TEXT_NONE, scheduler_state(a->status->s) == (enum scheduler_wait)row);
	return true;
}

/* ---- single values ---- */

/* A part of them fits into a piece; what they are read from is gathered once for each part. */
static bool put_readings(struct status_answer *a, uint32_t row, struct writer *w)
{
	struct metric_readings readings;
	uint32_t first = row * READINGS_IN_ROW;
	if (first >= readings_count)
		return false;
	readings_gather(a->status, &readings);
	for (uint32_t i = first; i < first + READINGS_IN_ROW && i < readings_count; i++) {
		const struct metric_reading *reading = &readings_table[i];
		put_head(w, reading->name, reading->help, reading->type);
		write_format(w, "%s ", reading->name);
		real_write(w, readings_value(&readings, reading), 15);
		write_char(w, '\n');
	}
	return true;
}

/* ---- all of them ---- */

static const struct family families[] = {
	{"scheduler_schedule_attempts_total",
		"[STABLE] Number of attempts to schedule pods, by the result. 'unschedulable' "
		"means a pod could not be scheduled, while 'error' means an internal scheduler "
		"problem.",
		put_attempts, METRIC_COUNTER, 0},
	{"scheduler_scheduling_attempt_duration_seconds",
		"[STABLE] Scheduling attempt latency in seconds (scheduling algorithm + binding)",
		put_attempts, METRIC_HISTOGRAM, 0},
	{"scheduler_scheduling_algorithm_duration_seconds",
		"[ALPHA] Scheduling algorithm latency in seconds", put_plain_histogram,
		METRIC_HISTOGRAM, 0},
	{"scheduler_pod_scheduling_attempts",
		"[STABLE] Number of attempts to successfully schedule a pod.", put_plain_histogram,
		METRIC_HISTOGRAM, 1},
	{"scheduler_preemption_victims", "[STABLE] Number of selected preemption victims",
		put_plain_histogram, METRIC_HISTOGRAM, 2},
	{"scheduler_pod_scheduling_sli_duration_seconds",
		"[BETA] E2e latency for a pod being scheduled, from the time the pod enters the "
		"scheduling queue and might involve multiple scheduling attempts.",
		put_sli, METRIC_HISTOGRAM, 0},
	{"scheduler_pending_pods",
		"[STABLE] Number of pending pods, by the queue type. 'active' means number of pods "
		"in activeQ; 'backoff' means number of pods in backoffQ; 'unschedulable' means "
		"number of pods in unschedulablePods that the scheduler attempted to schedule and "
		"failed; 'gated' is the number of unschedulable pods that the scheduler never "
		"attempted to schedule because they are gated.",
		put_pending, METRIC_GAUGE, 0},
	{"scheduler_queue_incoming_pods_total",
		"[STABLE] Number of pods added to scheduling queues by event and queue type.",
		put_incoming, METRIC_COUNTER, 0},
	{"scheduler_goroutines",
		"[BETA] Number of running goroutines split by the work they do such as binding.",
		put_goroutines, METRIC_GAUGE, 0},
	{"scheduler_cache_size",
		"[ALPHA] Number of nodes, pods, and assumed (bound) pods in the scheduler cache.",
		put_cache_size, METRIC_GAUGE, 0},
	{"scheduler_unschedulable_pods",
		"[BETA] The number of unschedulable pods broken down by plugin name. A pod will "
		"increment the gauge for all plugins that caused it to not schedule and so this "
		"metric have meaning only when broken down by plugin.",
		put_unschedulable, METRIC_GAUGE, 0},
	{"scheduler_event_handling_duration_seconds", "[ALPHA] Event handling latency in seconds.",
		put_handled, METRIC_HISTOGRAM, 0},
	{"scheduler_framework_extension_point_duration_seconds",
		"[STABLE] Latency for running all plugins of a specific extension point.",
		put_stages, METRIC_HISTOGRAM, 0},
	{"scheduler_plugin_evaluation_total",
		"[BETA] Number of attempts to schedule pods by each plugin and the extension point "
		"(available only in PreFilter, Filter, PreScore, and Score).",
		put_evaluated, METRIC_COUNTER, 0},
	{"rest_client_requests_total",
		"[ALPHA] Number of HTTP requests, partitioned by status code, method, and host.",
		put_requests, METRIC_COUNTER, 0},
	{"rest_client_request_duration_seconds",
		"[ALPHA] Request latency in seconds. Broken down by verb, and host.",
		put_request_histogram, METRIC_HISTOGRAM, NET_TOOK},
	{"rest_client_request_size_bytes",
		"[ALPHA] Request size in bytes. Broken down by verb and host.",
		put_request_histogram, METRIC_HISTOGRAM, NET_SENT},
	{"rest_client_response_size_bytes",
		"[ALPHA] Response size in bytes. Broken down by verb and host.",
		put_request_histogram, METRIC_HISTOGRAM, NET_RECEIVED},
	{"leader_election_master_status",
		"[ALPHA] Gauge of if the reporting system is master of the relevant lease, 0 "
		"indicates backup, 1 indicates master. 'name' is the string used to identify the "
		"lease. Please make sure to group by name.",
		put_master, METRIC_GAUGE, 0},
	{"berth_build_info", "Version and board of this binary.", put_build, METRIC_GAUGE, 0},
	{"berth_state", "1 for the state that the scheduler is in, 0 for the others.", put_waits,
		METRIC_GAUGE, 0},
	{"berth_budget_used", "Entries or bytes of a pool in use.", put_budget, METRIC_GAUGE, 0},
	{"berth_budget_used_max", "Maximum of berth_budget_used since the start.", put_budget,
		METRIC_GAUGE, 1},
	{"berth_budget_capacity", "Entries or bytes that a pool can hold.", put_budget,
		METRIC_GAUGE, 2},
	{"berth_budget_refused_total", "Requests that a full pool has refused.", put_budget,
		METRIC_COUNTER, 3},
	{"berth_watch_synced", "1 if the initial list of the resource has completed.", put_watch,
		METRIC_GAUGE, 0},
	{"berth_watch_objects_total", "Objects received in lists and watches.", put_watch,
		METRIC_COUNTER, 1},
	{"berth_watch_lists_total", "Lists started, the first one and relists.", put_watch,
		METRIC_COUNTER, 2},
	{"berth_watch_failures_total", "Lists and watches that failed.", put_watch, METRIC_COUNTER,
		3},
	{"berth_watch_refused_total", "Objects that could not be decoded or stored.", put_watch,
		METRIC_COUNTER, 4},
	{"", "", put_readings, METRIC_GAUGE, 0}, /* have names of their own */
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
