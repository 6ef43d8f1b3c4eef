/* SPDX-License-Identifier: GPL-2.0-only */
/* Overview: how it is, in one small object; the page gets it each second. */
#include "base/budget.h"
#include "status/private.h"

enum { NOTICE_MAX = 512 };

static enum overview_nodes overview_state_of(const struct cache_node *n)
{
	if (n->facts == NULL)
		return OVERVIEW_MISSING;
	if ((n->facts->troubles & KUBE_NODE_NOT_READY) != 0)
		return OVERVIEW_NOT_READY;
	return n->facts->unschedulable != 0 ? OVERVIEW_CORDONED : OVERVIEW_READY;
}

void overview_sum(const struct cache *cache, struct overview_sums *sums)
{
	memset(sums, 0, sizeof(*sums));
	for (uint32_t i = 0; (i = pool_next(&cache->nodes, i)) != 0;) {
		const struct cache_node *n = cache_node_at(cache, i);
		enum overview_nodes state = overview_state_of(n);
		if (sums->count[state] < OVERVIEW_NAMES)
			sums->first[state][sums->count[state]] = i;
		sums->count[state]++;
		if (state != OVERVIEW_READY)
			continue;
		const int64_t used[] = {n->sums.cpu_milli, n->sums.memory_bytes, n->sums.pods};
		const struct kube_resources *all = &n->facts->allocatable;
		const int64_t room[] = {all->cpu_milli, all->memory_bytes, all->pods};
		for (size_t k = 0; k < ARRAY_COUNT(used); k++) {
			sums->requested[k] += used[k];
			sums->allocatable[k] += room[k];
		}
	}
}

/* Nodes by state, the first names of each, and the capacity of those that take pods. */
static void put_node_counts(const struct cache *cache, struct json_writer *j)
{
	static const char *const resources[] = {"cpuMilli", "memory", "pods"};
	static const char *const states[] = {"ready", "notReady", "cordoned", "missing"};
	struct overview_sums sums;
	overview_sum(cache, &sums);
	json_member_object(j, "capacity");
	for (size_t k = 0; k < ARRAY_COUNT(resources); k++)
		rows_put_pair(j, resources[k], sums.requested[k], sums.allocatable[k]);
	json_close_object(j);
	json_member_object(j, "nodeStates");
	for (uint32_t state = 0; state < OVERVIEW_NODES; state++) {
		json_member_object(j, states[state]);
		json_member_i64(j, "count", sums.count[state]);
		json_member_array(j, "first");
		for (uint32_t i = 0;
			state != OVERVIEW_READY && i < sums.count[state] && i < OVERVIEW_NAMES; i++)
			json_put_text(j,
				cache_text(
					cache, cache_node_at(cache, sums.first[state][i])->name));
		json_close_array(j);
		json_close_object(j);
	}
	json_close_object(j);
}

static void put_cluster(struct status *status, struct json_writer *j)
{
	const struct scheduler *s = status->s;
	const uint32_t *pods = s->queue.pods;
	int64_t others = s->cache.pods_pending;
	for (uint32_t i = 0; i < QUEUE_STATES; i++)
		others -= pods[i];
	json_member_object(j, "queue");
	json_member_i64(j, "active", pods[QUEUE_ACTIVE]);
	json_member_i64(j, "backoff", pods[QUEUE_BACKOFF] + pods[QUEUE_ERROR_BACKOFF]);
	json_member_i64(j, "unschedulable", pods[QUEUE_UNSCHEDULABLE]);
	json_member_i64(j, "gated", pods[QUEUE_GATED]);
	json_member_i64(j, "noMemory", scheduler_pods_without_memory(s));
	json_member_i64(j, "binding", pool_used(&s->bindings.pool));
	json_member_i64(j, "otherSchedulers", others > 0 ? others : 0);
	json_close_object(j);
	json_member_object(j, "cluster");
	json_member_i64(j, "nodes", s->cache.order.count);
	json_member_i64(j, "pods", pool_used(&s->cache.pods));
	json_member_i64(j, "pending", scheduler_pods_pending(s));
	json_member_i64(j, "assumed", s->cache.pods_assumed);
	json_member_i64(j, "refused", (int64_t)s->cache.refused);
	json_member_bool(
		j, "nodesMissing", (scheduler_kinds_damaged(s) & WATCH_KIND(KUBE_NODE)) != 0);
	put_node_counts(&s->cache, j);
	json_close_object(j);
}

static void put_lease(const struct scheduler *s, struct json_writer *j)
{
	json_key(j, "lease");
	if (s->lease == NULL) {
		json_put_null(j);
		return;
	}
	struct lease_stats lease = lease_stats(s->lease);
	bool leads = lease_holds(s->lease, clock_mono(&s->setup.clock));
	/* One of ours that could not be renewed is not somebody else's. */
	if (!leads && text_is(lease.holder, s->setup.lease.identity))
		lease.holder = TEXT("");
	json_open_object(j);
	json_member_z(j, "state", lease.state);
	json_member_text(j, "holder", lease.holder);
	json_member_bool(j, "leading", leads);
	json_close_object(j);
}

static void put_connection(const struct status *status, struct json_writer *j)
{
	struct net_client_stats net = net_client_stats(status->setup.client);
	uint32_t synced = 0;
	uint32_t wanted = 0;
	const char *error = "";
	for (uint32_t kind = KUBE_NO_KIND + 1; kind < KUBE_KINDS; kind++) {
		if ((scheduler_kinds_wanted(status->s) & WATCH_KIND(kind)) == 0)
			continue;
		struct watch_stats watch = watch_stats(status->s->watch, (enum kube_kind)kind);
		wanted++;
		synced += watch.synced;
		if (watch.error[0] != '\0')
			error = watch.error;
	}
	json_member_object(j, "connection");
	json_member_i64(j, "open", net.open);
	json_member_i64(j, "queued", net.queued);
	json_member_i64(j, "failures", (int64_t)net.connect_failures);
	json_member_i64(j, "watches", wanted);
	json_member_i64(j, "synced", synced);
	json_member_z(j, "error", error);
	json_close_object(j);
}

/* Of the decisions of the last second, as far as they are kept: how long half of them took, and the
 * slowest. */
static void put_latest(const struct scheduler *s, struct json_writer *j)
{
	const struct scheduler_metrics *m = &s->metrics;
	const struct scheduler_record *r;
	int64_t after_us = clock_wall(&s->setup.clock).us - CLOCK_S_US;
	int64_t took[SCHEDULER_RECORDS];
	uint32_t count = 0;
	for (uint64_t serial = m->serial; (r = scheduler_record_at(m, serial)) != NULL; serial--) {
		if (r->at.us <= after_us)
			break;
		uint32_t i = count++;
		for (; i > 0 && took[i - 1] > r->took_us; i--)
			took[i] = took[i - 1];
		took[i] = r->took_us;
	}
	json_member_object(j, "latest");
	json_member_i64(j, "count", count);
	json_member_i64(j, "medianUs", count > 0 ? took[count / 2] : 0);
	json_member_i64(j, "mostUs", count > 0 ? took[count - 1] : 0);
	json_close_object(j);
}

static void overview_put_decisions(const struct scheduler *s, struct json_writer *j)
{
	const struct scheduler_histogram *h = &s->metrics.algorithm;
	uint64_t count = 0;
	for (uint32_t i = 0; i <= scheduler_scale_attempt.count; i++)
		count += h->counts[i];
	json_member_object(j, "decisions");
	json_member_i64(j, "count", (int64_t)count);
	json_member_i64(j, "meanUs", count > 0 ? (int64_t)(h->sum / count) : 0);
	put_latest(s, j);
	json_member_i64(j, "bound", (int64_t)s->stats.bound);
	json_member_i64(j, "unschedulable", (int64_t)s->stats.attempts[SCHEDULER_UNSCHEDULABLE]);
	json_member_i64(j, "errors", (int64_t)s->stats.attempts[SCHEDULER_ERROR]);
	json_member_i64(j, "preemptions", (int64_t)s->stats.preemptions);
	json_member_i64(j, "boundByOthers", (int64_t)s->others.bindings);
	json_member_i64(j, "othersSecondsAgo",
		s->others.bindings == 0
			? -1
			: mono_since_us(scheduler_now(s), s->others.latest) / CLOCK_S_US);
	json_member_i64(j, "turnUsMax", s->metrics.turn_us_max);
	json_close_object(j);
}

static void put_memory(const struct status *status, struct json_writer *j)
{
	const struct budget *fullest = NULL;
	uint64_t refused = 0;
	for (const struct budget *b = budget_first(); b != NULL; b = budget_next(b)) {
		refused += b->refused;
		if (b->capacity > 0 &&
			(fullest == NULL ||
				(double)b->used_max / (double)b->capacity >
					(double)fullest->used_max / (double)fullest->capacity))
			fullest = b;
	}
	struct process_facts process;
	process_facts(&status->process, &process);
	json_member_object(j, "memory");
	json_member_i64(j, "resident", (int64_t)process.resident_bytes);
	json_member_i64(j, "refused", (int64_t)refused);
	if (fullest != NULL) {
		json_member_z(j, "fullest", fullest->name);
		json_member_i64(j, "fullestUsed", (int64_t)fullest->used_max);
		json_member_i64(j, "fullestCapacity", (int64_t)fullest->capacity);
	}
	json_close_object(j);
}

static void put_events(const struct scheduler *s, struct json_writer *j)
{
	struct recorder_stats stats = recorder_stats(s->recorder);
	json_member_object(j, "events");
	json_member_i64(j, "sent", (int64_t)stats.sent);
	json_member_i64(j, "dropped", (int64_t)(stats.dropped_full + stats.dropped_rate));
	json_close_object(j);
}

void overview_put(struct status *status, struct json_writer *j)
{
	const struct scheduler *s = status->s;
	json_open_object(j);
	json_member_z(j, "version", BERTH_VERSION);
	json_member_z(j, "release", kube_release_name(scheduler_release(s)));
	json_member_z(j, "state", scheduler_wait_name(scheduler_state(s)));
	/* It may be as long as a command line, and the object has to fit. */
	if (status->setup.options->notice != NULL)
		json_member_text(j, "notice",
			text_utf8_first(text_of(status->setup.options->notice), NOTICE_MAX));
	json_member_i64(
		j, "upS", mono_since_us(net_now(status->setup.net), status->started) / CLOCK_S_US);
	json_member_i64(j, "nowMs", clock_wall(&s->setup.clock).us / CLOCK_MS_US);
	put_lease(s, j);
	put_connection(status, j);
	put_cluster(status, j);
	overview_put_decisions(s, j);
	put_events(s, j);
	put_memory(status, j);
	loss_put_summary(status, j);
	json_close_object(j);
}

void overview_answer(struct status_answer *a)
{
	struct writer w;
	struct json_writer j;
	writer_init(&w, a->piece, sizeof(a->piece));
	json_write_init(&j, &w);
	overview_put(a->status, &j);
	write_char(&w, '\n');
	status_reply(a, 200, status_json, writer_text(&w));
}
