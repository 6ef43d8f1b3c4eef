/* SPDX-License-Identifier: GPL-2.0-only */
/* Readings: the table, and how a number is found. */
#include "status/readings.h"

#include "base/log.h"
#include "base/memory.h"

enum { FORM_U64, FORM_U32, FORM_BOOL, FORM_DOUBLE, FORM_MICROSECONDS };

#define FORM_OF(field)                                             \
	_Generic(((struct metric_readings *)NULL)->field, uint64_t \
		 : FORM_U64, uint32_t                              \
		 : FORM_U32, bool                                  \
		 : FORM_BOOL, double                               \
		 : FORM_DOUBLE)
#define AT(field) offsetof(struct metric_readings, field), FORM_OF(field)
/* Counted in microseconds, shown in seconds. */
#define AT_US(field) offsetof(struct metric_readings, field), FORM_MICROSECONDS

/* clang-format off: a metric is a row */
const struct metric_reading readings_table[] = {
	{"process_cpu_seconds_total", "Total user and system CPU time spent in seconds.",
		METRIC_COUNTER, AT(process.cpu_s)},
	{"process_resident_memory_bytes", "Resident memory size in bytes.", METRIC_GAUGE,
		AT(process.resident_bytes)},
	{"process_virtual_memory_bytes", "Virtual memory size in bytes.", METRIC_GAUGE,
		AT(process.virtual_bytes)},
	{"process_virtual_memory_max_bytes", "Maximum amount of virtual memory available in bytes.",
		METRIC_GAUGE, AT(process.virtual_max_bytes)},
	{"process_open_fds", "Number of open file descriptors.", METRIC_GAUGE,
		AT(process.files_open)},
	{"process_max_fds", "Maximum number of open file descriptors.", METRIC_GAUGE,
		AT(process.files_max)},
	{"process_start_time_seconds", "Start time of the process since unix epoch in seconds.",
		METRIC_GAUGE, AT(started_s)},
	{"berth_bindings_total", "Pods bound by this scheduler.", METRIC_COUNTER,
		AT(scheduler.bound)},
	{"berth_bindings_lost_total",
		"Bindings that came too late: the pod was bound by another "
		"scheduler or deleted.",
		METRIC_COUNTER, AT(scheduler.bind_lost)},
	{"berth_bindings_by_others_total",
		"Pods of ours that another scheduler bound while this one led.", METRIC_COUNTER,
		AT(bound_by_others)},
	{"berth_bindings_refused_total", "Bindings that the apiserver refused for good.",
		METRIC_COUNTER, AT(scheduler.bind_refused)},
	{"berth_bindings_throttled_total", "Bindings answered with 429 Too Many Requests.",
		METRIC_COUNTER, AT(binder.throttled)},
	{"berth_bindings_in_doubt_total", "Bindings without a clear answer, verified afterwards.",
		METRIC_COUNTER, AT(binder.doubted)},
	{"berth_binding_window", "Maximum number of bindings in flight, adapted to the apiserver.",
		METRIC_GAUGE, AT(binder.window)},
	{"berth_preemptions_total", "Preemptions started.", METRIC_COUNTER,
		AT(scheduler.preemptions)},
	{"berth_victims_total", "Pods evicted by preemption.", METRIC_COUNTER,
		AT(scheduler.victims)},
	{"berth_pods_woken_total", "Pods moved to the active or backoff queue by events.",
		METRIC_COUNTER, AT(scheduler.requeued)},
	{"berth_queue_full_total", "Pods that found the queue full.", METRIC_COUNTER,
		AT(scheduler.queue_full)},
	{"berth_turns_total", "Turns of the event loop.", METRIC_COUNTER, AT(scheduler.turns)},
	{"berth_status_patches_total", "Patches of pod statuses that the apiserver accepted.",
		METRIC_COUNTER, AT(status_patcher.sent)},
	{"berth_status_patches_unchanged_total",
		"Patches of pod statuses that were not sent "
		"because they changed nothing.",
		METRIC_COUNTER, AT(status_patcher.unchanged)},
	{"berth_status_patches_failed_total", "Patches of pod statuses that were given up.",
		METRIC_COUNTER, AT(status_patcher.failed)},
	{"berth_events_sent_total", "Events that the apiserver accepted.", METRIC_COUNTER,
		AT(recorder.sent)},
	{"berth_events_joined_total", "Events that were counted in an earlier one's series.",
		METRIC_COUNTER, AT(recorder.joined)},
	{"berth_events_dropped_total", "Events not sent: too many at once, or about one object.",
		METRIC_COUNTER, AT(events_dropped)},
	{"berth_decision_log_dropped_total", "Lines of --decision-log that were not taken at once.",
		METRIC_COUNTER, AT(decisions_dropped)},
	{"berth_cache_refused_total", "Objects that did not fit into the cache.", METRIC_COUNTER,
		AT(cache_refused)},
	{"berth_nodes_missing", "1 if a node could not be stored or decoded.", METRIC_GAUGE,
		AT(nodes_missing)},
	{"berth_pods_missing",
		"1 if an assigned pod could not be stored or decoded; nothing is "
		"bound meanwhile.",
		METRIC_GAUGE, AT(pods_missing)},
	{"berth_connections_open", "Open connections to the apiserver.", METRIC_GAUGE,
		AT(net.open)},
	{"berth_connects_total", "Connections to the apiserver started.", METRIC_COUNTER,
		AT(net.connects)},
	{"berth_connect_failures_total", "Connections to the apiserver that failed.",
		METRIC_COUNTER, AT(net.connect_failures)},
	{"berth_requests_total", "Requests to the apiserver.", METRIC_COUNTER, AT(net.requests)},
	{"berth_requests_queued", "Requests that wait for a connection.", METRIC_GAUGE,
		AT(net.queued)},
	{"berth_received_bytes_total", "Bytes received from the apiserver.", METRIC_COUNTER,
		AT(net.bytes_in)},
	{"berth_sent_bytes_total", "Bytes sent to the apiserver.", METRIC_COUNTER,
		AT(net.bytes_out)},
	{"berth_log_dropped_total", "Log lines that could not be written.", METRIC_COUNTER,
		AT(log_dropped)},
	{"berth_late_allocations_total", "Calls of malloc after the start, which are refused.",
		METRIC_COUNTER, AT(late_allocations)},
	{"berth_status_listeners", "Clients of /berth/v1/events.", METRIC_GAUGE, AT(subscribers)},
	{"scheduler_preemption_attempts_total",
		"[STABLE] Total preemption attempts in the cluster "
		"till now",
		METRIC_COUNTER, AT(preemption_attempts)},
	/* Never counted by v1.36 itself. */
	{"scheduler_pod_scheduled_after_flush_total",
		"[ALPHA] Number of pods that were "
		"successfully scheduled after being flushed from unschedulablePods due to timeout. "
		"This metric helps detect potential queueing hint misconfigurations or event "
		"handling issues.",
		METRIC_COUNTER, AT(none)},
	{"berth_turn_seconds_max", "Longest turn of the event loop in seconds, without its wait.",
		METRIC_GAUGE, AT_US(turn_us_max)},
	{"berth_busy_seconds_total", "Time spent in turns of the event loop, without their waits.",
		METRIC_COUNTER, AT_US(busy_us)},
	{"berth_busy_network_seconds_total",
		"Part of it spent reading, applying changes and "
		"answering.",
		METRIC_COUNTER, AT_US(network_us)},
	{"berth_busy_decide_seconds_total", "Part of it spent deciding.", METRIC_COUNTER,
		AT_US(decide_us)},
};
/* clang-format on */

const uint32_t readings_count = ARRAY_COUNT(readings_table);

void readings_gather(const struct status *status, struct metric_readings *r)
{
	const struct scheduler *s = status->s;
	*r = (struct metric_readings){
		.binder = binder_stats(s->binder),
		.status_patcher = status_patcher_stats(s->status_patcher),
		.recorder = recorder_stats(s->recorder),
		.net = net_client_stats(status->setup.client),
		.scheduler = s->stats,
		.started_s = (double)status->started_at.us / 1e6,
		.cache_refused = s->cache.refused,
		.log_dropped = log_dropped(),
		.late_allocations = memory_late_requests(),
		.bound_by_others = s->others.bindings,
		.preemption_attempts = s->metrics.preemption_attempts,
		.turn_us_max = (uint64_t)s->metrics.turn_us_max,
		.busy_us = (uint64_t)s->metrics.busy_us,
		.network_us = (uint64_t)s->metrics.network_us,
		.decide_us = (uint64_t)s->metrics.decide_us,
		.subscribers = status->listeners,
		.nodes_missing = (scheduler_kinds_damaged(s) & WATCH_KIND(KUBE_NODE)) != 0,
		.pods_missing = (scheduler_kinds_damaged(s) & WATCH_KIND(KUBE_POD)) != 0,
	};
	r->decisions_dropped = s->decision_log.dropped_all;
	r->events_dropped = r->recorder.dropped_full + r->recorder.dropped_rate;
	process_facts(&status->process, &r->process);
}

double readings_value(const struct metric_readings *r, const struct metric_reading *reading)
{
	const char *at = (const char *)r + reading->offset;
	double real;
	uint64_t u64;
	uint32_t u32;
	bool is_set;
	switch (reading->form) {
	case FORM_DOUBLE: memcpy(&real, at, sizeof(real)); return real;
	case FORM_U32: memcpy(&u32, at, sizeof(u32)); return u32;
	case FORM_BOOL: memcpy(&is_set, at, sizeof(is_set)); return is_set;
	default: memcpy(&u64, at, sizeof(u64)); break;
	}
	return reading->form == FORM_MICROSECONDS ? (double)u64 / 1e6 : (double)u64;
}
