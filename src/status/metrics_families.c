/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Families that kube-scheduler has, and where their rows come from.
 */
#include "http/counts.h"
#include "plugins/hints.h"
#include "status/metrics.h"

static struct text profile_name(const struct status *status, uint32_t profile)
{
	const struct scheduler *s = status->s;
	return cache_text(&s->cache, s->profiles[profile].scheduler_name);
}

/* ---- attempts ---- */

static enum metric_at row_attempts(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	static const char *const results[SCHEDULER_RESULTS] = {
		"scheduled", "unschedulable", "error"};
	const struct scheduler_metrics *m = &status->s->metrics;
	uint32_t profile = at / SCHEDULER_RESULTS, result = at % SCHEDULER_RESULTS;
	if (profile >= status->s->profile_count)
		return METRIC_AT_END;
	metric_label(row, "profile", profile_name(status, profile));
	metric_label(row, "result", text_of(results[result]));
	row->value = m->attempts[profile][result];
	if (which == 1)
		(void)metric_histogram(row, &m->attempt[profile][result], &scheduler_scale_attempt);
	return row->value == 0 ? METRIC_AT_NOTHING : METRIC_AT_ROW;
}

static enum metric_at row_plain_histogram(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	const struct scheduler_metrics *m = &status->s->metrics;
	const struct {
		const struct scheduler_histogram *h;
		const struct scheduler_scale *scale;
	} all[] = {{&m->algorithm, &scheduler_scale_attempt}, {&m->tries, &scheduler_scale_tries},
		{&m->victims, &scheduler_scale_victims}};
	if (at > 0)
		return METRIC_AT_END;
	(void)metric_histogram(row, all[which].h, all[which].scale);
	return METRIC_AT_ROW;
}

static enum metric_at row_sli(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	(void)which;
	if (at >= SCHEDULER_ATTEMPTS_MAX)
		return METRIC_AT_END;
	write_format(&row->made, "%u%s", at + 1, at + 1 == SCHEDULER_ATTEMPTS_MAX ? "+" : "");
	metric_label(row, "attempts", metric_made(row, 0));
	return metric_histogram(row, &status->s->metrics.sli[at], &scheduler_scale_sli)
		? METRIC_AT_ROW
		: METRIC_AT_NOTHING;
}

/* ---- the queue ---- */

static bool is_1_37(const struct status *status)
{
	return scheduler_release(status->s) == KUBE_1_37;
}

/* The last two are of groups of pods, since v1.37. */
static const char *const queue_names[] = {
	"active", "backoff", "unschedulable", "gated", "incomplete", "pending"};

/* `which`: 1 for v1.37's queued_entities, where pods of no group are one each. */
static enum metric_at row_pending(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	const uint32_t *pods = status->s->queue.pods;
	const struct shelf *shelf = scheduler_shelf(status->s);
	const uint32_t counts[] = {pods[QUEUE_ACTIVE],
		pods[QUEUE_BACKOFF] + pods[QUEUE_ERROR_BACKOFF],
		pods[QUEUE_UNSCHEDULABLE] + shelf_count(shelf) - shelf->gated +
			status->s->cache.unreads.pending + status->s->pressure.missing,
		pods[QUEUE_GATED] + shelf->gated, 0, 0};
	if (at >= (which == 0 && is_1_37(status) ? 6u : 4u))
		return METRIC_AT_END;
	metric_label(row, "queue", text_of(queue_names[at]));
	if (which == 1)
		metric_label(row, "type", TEXT("pod"));
	row->value = counts[at];
	return METRIC_AT_ROW;
}

static void write_event(const struct status *status, struct writer *e, uint32_t event)
{
	static const char *const actions[SERIES_EVENT_ACTIONS] = {"Add", "Delete",
		"UpdateNodeAllocatable", "UpdateNodeLabel", "UpdateNodeTaint",
		"UpdateNodeCondition", "UpdateNodeAnnotation", "UpdateNodeDeclaredFeature",
		"UpdatePodLabel", "UpdatePodScaleDown", "UpdatePodToleration",
		"UpdatePodSchedulingGatesEliminated", "UpdatePodGeneratedResourceClaim"};
	uint32_t kind = event / SERIES_EVENT_ACTIONS, action = event % SERIES_EVENT_ACTIONS;
	/* Below are actions of nodes: the lowest bit of an update of a pod that is none in
	 * particular. */
	bool is_pending = kind == SERIES_PENDING_POD || kind == SERIES_TARGET_POD;
	bool is_pod = is_pending || kind == KUBE_POD;
	bool is_update = action > 1 && kind != KUBE_NODE && (!is_pod || action < 8);
	struct text version = is_pending ? TEXT_NONE : text_of(kube_kinds[kind].api_version);
	if (text_starts(version, TEXT("storage.k8s.io/")) ||
		text_starts(version, TEXT("resource.k8s.io/")))
		write_text(e, text_first(version, text_find(version, '/') + 1));
	if (is_pending)
		write_z(e,
			!is_1_37(status)                    ? "UnschedulablePod"
				: kind == SERIES_TARGET_POD ? "TargetPod"
							    : "UnscheduledPod");
	else
		write_z(e, kind == KUBE_POD ? "AssignedPod" : kube_kinds[kind].kind);
	write_z(e, is_update ? "Update" : actions[action]);
}

static void label_event(const struct status *status, struct metric_row *row, uint32_t event)
{
	size_t from = row->made.used;
	write_event(status, &row->made, event);
	metric_label(row, "event", metric_made(row, from));
}

enum { INCOMING_CAUSES = SCHEDULER_CAUSES * 3, INCOMING_FIRST = INCOMING_CAUSES + 1 };

/* What is no event of the cluster: why pods came, by the queue that they came to. */
static void label_cause(const struct status *status, struct metric_row *row, uint32_t at)
{
	static const char *const causes[SCHEDULER_CAUSES] = {
		"PodAdd", "ScheduleAttemptFailure", "BackoffComplete", "UnschedulableTimeout"};
	uint32_t cause = at / 3;
	if (cause == SCHEDULER_POD_ADDED)
		write_z(&row->made, is_1_37(status) ? "Unscheduled" : "Unschedulable");
	write_z(&row->made, causes[cause]);
	metric_label(row, "event", metric_made(row, 0));
	metric_label(row, "queue", text_of(queue_names[at % 3]));
	row->value = status->s->metrics.incoming[cause][at % 3];
}

/* `which`: 1 for v1.37's queue_incoming_entities_total. */
static enum metric_at row_incoming(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	const struct scheduler_metrics *m = &status->s->metrics;
	uint32_t event = (at - INCOMING_FIRST) / 2, queue = (at - INCOMING_FIRST) % 2;
	if (which == 1)
		metric_label(row, "type", TEXT("pod"));
	if (at < INCOMING_CAUSES) {
		label_cause(status, row, at);
	} else if (at == INCOMING_CAUSES) {
		metric_label(row, "event", TEXT("PopFromBackoffQ"));
		metric_label(row, "queue", TEXT("active"));
		row->value = status->s->queue.popped_early;
	} else if (event / SERIES_EVENT_ACTIONS >= SERIES_EVENT_KINDS) {
		return METRIC_AT_END;
	} else {
		row->value =
			m->woken[event / SERIES_EVENT_ACTIONS][event % SERIES_EVENT_ACTIONS][queue];
		if (row->value == 0)
			return METRIC_AT_NOTHING;
		label_event(status, row, event);
		metric_label(row, "queue", text_of(queue_names[queue]));
	}
	return row->value == 0 ? METRIC_AT_NOTHING : METRIC_AT_ROW;
}

/* Upstream keeps what happens while a pod is decided about; here nothing happens meanwhile. */
static enum metric_at row_in_flight(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	(void)which;
	if (at > 0)
		return METRIC_AT_END;
	metric_label(row, "event", TEXT("PodPopped"));
	row->value = status->s->queue.pods[QUEUE_IN_FLIGHT];
	return METRIC_AT_ROW;
}

/* ---- histograms by labels ---- */

static const char *const code_names[] = {[PLUGIN_SUCCESS] = "Success",
	[PLUGIN_ERROR] = "Error",
	[PLUGIN_UNSCHEDULABLE] = "Unschedulable",
	[PLUGIN_UNRESOLVABLE] = "UnschedulableAndUnresolvable",
	[PLUGIN_WAIT] = "Wait",
	[PLUGIN_SKIP] = "Skip",
	[PLUGIN_PENDING] = "Pending"};

static const char *const point_names[SERIES_POINTS] = {[SERIES_PRE_ENQUEUE] = "PreEnqueue",
	[SERIES_PRE_FILTER] = "PreFilter",
	[SERIES_FILTER] = "Filter",
	[SERIES_POST_FILTER] = "PostFilter",
	[SERIES_PRE_SCORE] = "PreScore",
	[SERIES_SCORE] = "Score",
	[SERIES_RESERVE] = "Reserve",
	[SERIES_UNRESERVE] = "Unreserve",
	[SERIES_PERMIT_POINT] = "Permit",
	[SERIES_PRE_BIND_PRE_FLIGHT] = "PreBindPreFlight",
	[SERIES_PRE_BIND] = "PreBind",
	[SERIES_BIND] = "Bind",
	[SERIES_POST_BIND] = "PostBind"};

static void label_series(
	const struct status *status, struct metric_row *row, const struct series_labels *labels)
{
	struct text code = text_of(code_names[labels->result]);
	switch ((enum series_family)labels->family) {
	case SERIES_POINT:
		metric_label(row, "profile", profile_name(status, labels->group));
		metric_label(row, "extension_point", text_of(point_names[labels->what]));
		metric_label(row, "status", code);
		break;
	case SERIES_PLUGIN:
		metric_label(row, "plugin", text_of(plugins[labels->group]->name));
		metric_label(row, "extension_point", text_of(point_names[labels->what]));
		metric_label(row, "status", code);
		break;
	case SERIES_HINT:
		metric_label(row, "plugin", text_of(plugins[labels->group]->name));
		label_event(status, row, labels->what);
		metric_label(row, "hint",
			labels->result == SERIES_QUEUE ? TEXT("Queue") : TEXT("QueueSkip"));
		break;
	case SERIES_EVENT: label_event(status, row, labels->what); break;
	case SERIES_PERMIT: metric_label(row, "result", code); break;
	default:
		metric_label(row, "result",
			labels->result == PLUGIN_SUCCESS ? TEXT("success") : TEXT("error"));
		break;
	}
}

static enum metric_at row_series(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	const struct series *series = &status->s->metrics.series;
	if (at >= series->count)
		return METRIC_AT_END;
	const struct series_row *from = &series->rows[at];
	if (from->labels.family != which)
		return METRIC_AT_NOTHING;
	label_series(status, row, &from->labels);
	(void)metric_histogram(row, &from->histogram, &series_scales[which]);
	return METRIC_AT_ROW;
}

static enum metric_at row_evictions(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	(void)which;
	if (at > 1)
		return METRIC_AT_END;
	metric_label(row, "result", at == 0 ? TEXT("success") : TEXT("error"));
	row->value = status->s->metrics.evictions[at];
	return row->value == 0 ? METRIC_AT_NOTHING : METRIC_AT_ROW;
}

/* ---- plugins ---- */

static enum metric_at row_evaluated(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	static const struct {
		const char *name;
		enum plugin_point at;
	} points[CYCLE_POINTS] = {{"PreFilter", PLUGIN_AT_PRE_FILTER}, {"Filter", PLUGIN_AT_FILTER},
		{"PreScore", PLUGIN_AT_PRE_SCORE}, {"Score", PLUGIN_AT_SCORE}};
	const struct scheduler *s = status->s;
	uint32_t id = at % PLUGIN_COUNT;
	uint32_t point = at / PLUGIN_COUNT % CYCLE_POINTS;
	uint32_t profile = at / (PLUGIN_COUNT * CYCLE_POINTS);
	(void)which;
	if (profile >= s->profile_count)
		return METRIC_AT_END;
	if (!plugin_set_has(&s->profiles[profile].at[points[point].at].set, id))
		return METRIC_AT_NOTHING;
	metric_label(row, "extension_point", text_of(points[point].name));
	metric_label(row, "plugin", text_of(plugins[id]->name));
	metric_label(row, "profile", profile_name(status, profile));
	row->value = s->metrics.evaluated[profile][point][id];
	return METRIC_AT_ROW;
}

static enum metric_at row_unschedulable(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	/* the last of each profile are its extenders */
	const struct queue *queue = &status->s->queue;
	uint32_t profile = at / (PLUGIN_COUNT + 1), plugin = at % (PLUGIN_COUNT + 1);
	bool extender = plugin == PLUGIN_COUNT;
	(void)which;
	if (profile >= status->s->profile_count)
		return METRIC_AT_END;
	row->value = extender ? queue->rejected_by_other[profile][QUEUE_EXTENDER]
			      : queue->rejected[profile][plugin];
	metric_label(row, "plugin", text_of(extender ? "Extender" : plugins[plugin]->name));
	metric_label(row, "profile", profile_name(status, profile));
	return row->value == 0 ? METRIC_AT_NOTHING : METRIC_AT_ROW;
}

static enum metric_at row_volume_errors(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	static const char *const steps[SCHEDULER_VOLUME_STEPS] = {"predicate", "assume", "bind"};
	(void)which;
	if (at >= SCHEDULER_VOLUME_STEPS)
		return METRIC_AT_END;
	metric_label(row, "operation", text_of(steps[at]));
	row->value = status->s->metrics.volume_errors[at];
	return row->value == 0 ? METRIC_AT_NOTHING : METRIC_AT_ROW;
}

/* ---- the cache, and what is under way ---- */

static enum metric_at row_goroutines(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	(void)which;
	if (at > 0)
		return METRIC_AT_END;
	metric_label(row, "operation", TEXT("binding"));
	row->value = pool_used(&status->s->bindings.pool);
	return METRIC_AT_ROW;
}

static enum metric_at row_cache_size(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	static const char *const types[] = {"assumed_pods", "nodes", "pods"};
	const struct cache *cache = &status->s->cache;
	const uint32_t counts[] = {cache->pods_assumed, pool_used(&cache->nodes),
		pool_used(&cache->pods) - cache->pods_pending};
	(void)which;
	if (at >= ARRAY_COUNT(types))
		return METRIC_AT_END;
	metric_label(row, "type", text_of(types[at]));
	row->value = counts[at];
	return METRIC_AT_ROW;
}

/* `which`: 0 whether we lead, 1 how often a renewal had to read the lease first. */
static enum metric_at row_election(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	const struct scheduler *s = status->s;
	if (at > 0 || s->lease == NULL)
		return METRIC_AT_END;
	metric_label(row, "name", s->setup.lease.name);
	row->value = which == 0 ? lease_holds(s->lease, clock_mono(&s->setup.clock))
				: lease_stats(s->lease).looked;
	return which == 1 && row->value == 0 ? METRIC_AT_NOTHING : METRIC_AT_ROW;
}

/* ---- requests to the apiserver ---- */

/* `which`: 0 all of them, 1 those that were followed by another try. */
static enum metric_at row_requests(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	const struct net_client *client = status->setup.client;
	const struct net_counts *counts = net_client_counts(client);
	uint32_t method = at / NET_COUNTED_CODES, code = at % NET_COUNTED_CODES;
	if (method >= NET_COUNTED_VERBS)
		return METRIC_AT_END;
	row->value = which == 0 ? counts->codes[method][code] : counts->retries[method][code];
	if (row->value == 0)
		return METRIC_AT_NOTHING;
	if (code == 0)
		write_z(&row->made, "<error>");
	else
		write_u64(&row->made, net_counted_code(code));
	metric_label(row, "code", metric_made(row, 0));
	metric_label(row, "host", text_of(net_client_host(client)));
	metric_label(row, which == 0 ? "method" : "verb", text_of(net_method_names[method]));
	return METRIC_AT_ROW;
}

static enum metric_at row_request_histogram(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	const struct net_client *client = status->setup.client;
	bool is_time = which == NET_TOOK || which == NET_WAITED;
	const uint64_t *bounds = is_time ? net_took_bounds : net_size_bounds;
	uint64_t any = 0;
	if (at >= NET_COUNTED_VERBS)
		return METRIC_AT_END;
	const struct net_histogram *h = &net_client_counts(client)->verbs[at][which];
	row->bound_count = is_time ? NET_TOOK_BOUNDS : NET_SIZE_BOUNDS;
	for (uint32_t i = 0; i < row->bound_count; i++)
		row->bounds[i] = is_time ? (double)bounds[i] / 1e6 : (double)bounds[i];
	for (uint32_t i = 0; i <= row->bound_count; i++)
		any |= h->counts[i];
	row->counts = h->counts;
	row->sum = h->sum;
	row->is_time = is_time;
	metric_label(row, "host", text_of(net_client_host(client)));
	metric_label(row, "verb", text_of(net_method_names[at]));
	return any == 0 ? METRIC_AT_NOTHING : METRIC_AT_ROW;
}

/* ---- the release ---- */

/* As Go names them. */
#if defined(__x86_64__)
#define ARCHITECTURE "amd64"
#elif defined(__aarch64__)
#define ARCHITECTURE "arm64"
#elif defined(__arm__)
#define ARCHITECTURE "arm"
#elif defined(__riscv)
#define ARCHITECTURE "riscv64"
#endif

static enum metric_at row_build_info(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	(void)which;
	if (at > 0)
		return METRIC_AT_END;
	metric_label(row, "major", TEXT("1"));
	metric_label(row, "minor", is_1_37(status) ? TEXT("37") : TEXT("36"));
	metric_label(row, "git_version",
		is_1_37(status) ? TEXT("v1.37.0+berth." BERTH_VERSION)
				: TEXT("v1.36.4+berth." BERTH_VERSION));
	metric_label(row, "git_commit", TEXT(""));
	metric_label(row, "git_tree_state", TEXT(""));
	metric_label(row, "build_date", TEXT(""));
	metric_label(row, "go_version", TEXT(""));
	metric_label(row, "compiler", TEXT("C " __VERSION__));
	metric_label(row, "platform", TEXT("linux/" ARCHITECTURE));
	row->value = 1;
	return METRIC_AT_ROW;
}

static enum metric_at row_features(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	const struct feature_gates *gates = &status->s->profiles[0].gates;
	(void)which;
	if (at >= FEATURES)
		return METRIC_AT_END;
	const char *stage = feature_stage(gates->release, (enum feature)at);
	if (stage == NULL)
		return METRIC_AT_NOTHING;
	metric_label(row, "name", text_of(feature_name((enum feature)at)));
	metric_label(row, "stage", text_of(stage));
	row->value = feature_enabled(gates, (enum feature)at);
	return METRIC_AT_ROW;
}

/* The binary is of the newest release, whichever it behaves as. */
static enum metric_at row_version_info(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	(void)which;
	if (at > 0)
		return METRIC_AT_END;
	metric_label(row, "binary", TEXT("1.37"));
	metric_label(row, "component", TEXT("kube"));
	metric_label(row, "emulation", is_1_37(status) ? TEXT("1.37") : TEXT("1.36"));
	metric_label(row, "min_compat", is_1_37(status) ? TEXT("1.36") : TEXT("1.35"));
	row->value = 1;
	return METRIC_AT_ROW;
}

/* ---- all of them ---- */

#define BOTH(level)              \
	{                        \
		(level), (level) \
	}
#define ONLY_1_37(level)               \
	{                              \
		METRIC_ABSENT, (level) \
	}

/* clang-format off: a family is a row of the table */
const struct metric_family metric_families[] = {
	{"scheduler_schedule_attempts_total",
		"Number of attempts to schedule pods, by the result. 'unschedulable' "
		"means a pod could not be scheduled, while 'error' means an internal scheduler "
		"problem.",
		row_attempts, METRIC_COUNTER, 0, BOTH(METRIC_STABLE)},
	{"scheduler_scheduling_attempt_duration_seconds",
		"Scheduling attempt latency in seconds (scheduling algorithm + binding)",
		row_attempts, METRIC_HISTOGRAM, 1, BOTH(METRIC_STABLE)},
	{"scheduler_scheduling_algorithm_duration_seconds",
		"Scheduling algorithm latency in seconds", row_plain_histogram, METRIC_HISTOGRAM, 0,
		{METRIC_ALPHA, METRIC_BETA}},
	{"scheduler_pod_scheduling_attempts", "Number of attempts to successfully schedule a pod.",
		row_plain_histogram, METRIC_HISTOGRAM, 1, BOTH(METRIC_STABLE)},
	{"scheduler_preemption_victims", "Number of selected preemption victims",
		row_plain_histogram, METRIC_HISTOGRAM, 2, BOTH(METRIC_STABLE)},
	{"scheduler_pod_scheduling_sli_duration_seconds",
		"E2e latency for a pod being scheduled, from the time the pod enters the "
		"scheduling queue and might involve multiple scheduling attempts.",
		row_sli, METRIC_HISTOGRAM, 0, BOTH(METRIC_BETA)},
	{"scheduler_pending_pods",
		"Number of pending pods, by the queue type. 'active' means number of pods "
		"in activeQ; 'backoff' means number of pods in backoffQ; 'unschedulable' means "
		"number of pods in unschedulablePods that the scheduler attempted to schedule and "
		"failed; 'gated' is the number of unschedulable pods that the scheduler never "
		"attempted to schedule because they are gated.",
		row_pending, METRIC_GAUGE, 0, BOTH(METRIC_STABLE)},
	{"scheduler_queued_entities", "Pods that wait, each for itself, by the queue.", row_pending,
		METRIC_GAUGE, 1, ONLY_1_37(METRIC_ALPHA)},
	{"scheduler_queue_incoming_pods_total",
		"Number of pods added to scheduling queues by event and queue type.", row_incoming,
		METRIC_COUNTER, 0, BOTH(METRIC_STABLE)},
	{"scheduler_queue_incoming_entities_total",
		"Pods that came into a queue, each for itself, by the event and the queue.",
		row_incoming, METRIC_COUNTER, 1, ONLY_1_37(METRIC_ALPHA)},
	{"scheduler_inflight_events", "Pods that were taken from the queue and are not done.",
		row_in_flight, METRIC_GAUGE, 0, BOTH(METRIC_ALPHA)},
	{"scheduler_goroutines",
		"Number of running goroutines split by the work they do such as binding.",
		row_goroutines, METRIC_GAUGE, 0, BOTH(METRIC_BETA)},
	{"scheduler_cache_size",
		"Number of nodes, pods, and assumed (bound) pods in the scheduler cache.",
		row_cache_size, METRIC_GAUGE, 0, BOTH(METRIC_ALPHA)},
	{"scheduler_unschedulable_pods",
		"The number of unschedulable pods broken down by plugin name. A pod will "
		"increment the gauge for all plugins that caused it to not schedule and so this "
		"metric have meaning only when broken down by plugin.",
		row_unschedulable, METRIC_GAUGE, 0, BOTH(METRIC_BETA)},
	{"scheduler_event_handling_duration_seconds", "Event handling latency in seconds.",
		row_series, METRIC_HISTOGRAM, SERIES_EVENT, BOTH(METRIC_ALPHA)},
	{"scheduler_framework_extension_point_duration_seconds",
		"Latency for running all plugins of a specific extension point.", row_series,
		METRIC_HISTOGRAM, SERIES_POINT, BOTH(METRIC_STABLE)},
	{"scheduler_plugin_execution_duration_seconds",
		"What a plugin took at an extension point for the nodes it was asked about; of one "
		"pod in ten.",
		row_series, METRIC_HISTOGRAM, SERIES_PLUGIN, {METRIC_ALPHA, METRIC_BETA}},
	{"scheduler_queueing_hint_execution_duration_seconds",
		"What a queueing hint took, for pods that wait for the same.", row_series,
		METRIC_HISTOGRAM, SERIES_HINT, BOTH(METRIC_ALPHA)},
	{"scheduler_permit_wait_duration_seconds", "How long pods were held at Permit.", row_series,
		METRIC_HISTOGRAM, SERIES_PERMIT, BOTH(METRIC_BETA)},
	{"scheduler_preemption_goroutines_duration_seconds",
		"From the choice of victims to the last answer about them.", row_series,
		METRIC_HISTOGRAM, SERIES_EVICTION, {METRIC_ALPHA, METRIC_HIDDEN}},
	{"scheduler_preemption_goroutines_execution_total",
		"Preemptions whose victims were evicted.", row_evictions, METRIC_COUNTER, 0,
		BOTH(METRIC_ALPHA)},
	{"scheduler_plugin_evaluation_total",
		"Number of attempts to schedule pods by each plugin and the extension point "
		"(available only in PreFilter, Filter, PreScore, and Score).",
		row_evaluated, METRIC_COUNTER, 0, BOTH(METRIC_BETA)},
	{"scheduler_volume_scheduling_stage_error_total",
		"Errors while volumes were found, kept or bound.", row_volume_errors,
		METRIC_COUNTER, 0, BOTH(METRIC_ALPHA)},
	{"rest_client_requests_total",
		"Number of HTTP requests, partitioned by status code, method, and host.",
		row_requests, METRIC_COUNTER, 0, BOTH(METRIC_ALPHA)},
	{"rest_client_request_retries_total",
		"Requests that were sent again, by the answer that they had got.", row_requests,
		METRIC_COUNTER, 1, BOTH(METRIC_ALPHA)},
	{"rest_client_request_duration_seconds",
		"Request latency in seconds. Broken down by verb, and host.", row_request_histogram,
		METRIC_HISTOGRAM, NET_TOOK, BOTH(METRIC_ALPHA)},
	{"rest_client_rate_limiter_duration_seconds",
		"How long requests waited here until it was their turn to be sent.",
		row_request_histogram, METRIC_HISTOGRAM, NET_WAITED, BOTH(METRIC_ALPHA)},
	{"rest_client_request_size_bytes", "Request size in bytes. Broken down by verb and host.",
		row_request_histogram, METRIC_HISTOGRAM, NET_SENT, BOTH(METRIC_ALPHA)},
	{"rest_client_response_size_bytes", "Response size in bytes. Broken down by verb and host.",
		row_request_histogram, METRIC_HISTOGRAM, NET_RECEIVED, BOTH(METRIC_ALPHA)},
	{"leader_election_master_status",
		"Gauge of if the reporting system is master of the relevant lease, 0 "
		"indicates backup, 1 indicates master. 'name' is the string used to identify the "
		"lease. Please make sure to group by name.",
		row_election, METRIC_GAUGE, 0, BOTH(METRIC_ALPHA)},
	{"leader_election_slowpath_total", "Renewals of the lease that had to read it first.",
		row_election, METRIC_COUNTER, 1, BOTH(METRIC_ALPHA)},
	{"kubernetes_build_info", "The release of Kubernetes that berth is the scheduler of.",
		row_build_info, METRIC_GAUGE, 0, BOTH(METRIC_BETA)},
	{"version_info", "The release that the binary is of, and the one that it behaves as.",
		row_version_info, METRIC_GAUGE, 0, BOTH(METRIC_ALPHA)},
	{"kubernetes_feature_enabled", "Feature gates: 1 for those that are on.", row_features,
		METRIC_GAUGE, 0, BOTH(METRIC_BETA)},
};
/* clang-format on */
const uint32_t metric_family_count = ARRAY_COUNT(metric_families);
