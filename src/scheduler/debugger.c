/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The debugger: what SIGUSR2 shows, as kube-scheduler does: each node with its sums, the
 * queue; and pods and nodes are listed again and compared with the picture.
 */
#include "base/log.h"
#include "scheduler/private.h"

/* Each line has a site of its own: a dump is wanted whole. */
#define DUMP_LINE(event, ...)                                                 \
	do {                                                                  \
		struct log_site site = {0};                                   \
		log_line(&site, LOG_INFO, "scheduler", (event), __VA_ARGS__); \
	} while (0)

static void debugger_nodes(const struct scheduler *s)
{
	const struct pool *nodes = &s->cache.nodes;
	for (uint32_t i = pool_next(nodes, 0); i != 0; i = pool_next(nodes, i)) {
		const struct cache_node *n = cache_node_at(&s->cache, i);
		DUMP_LINE("dump-node",
			"name=%.*s ghost=%d pods=%u cpu_milli=%lld/%lld memory=%lld/%lld",
			TEXT_ARGS(cache_text(&s->cache, n->name)), n->facts == NULL,
			(unsigned)n->sums.pods, (long long)n->sums.cpu_milli,
			n->facts == NULL ? 0LL : (long long)n->facts->allocatable.cpu_milli,
			(long long)n->sums.memory_bytes,
			n->facts == NULL ? 0LL : (long long)n->facts->allocatable.memory_bytes);
	}
}

static void debugger_queue(const struct scheduler *s)
{
	static const char *const states[QUEUE_STATES] = {
		"active", "backoff", "error-backoff", "unschedulable", "gated", "in-flight"};
	const struct pool *entries = &s->queue.entries;
	for (uint32_t i = pool_next(entries, 0); i != 0; i = pool_next(entries, i)) {
		const struct queue_entry *e = queue_entry_at(&s->queue, i);
		const struct cache_pod *p = cache_pod_at(&s->cache, e->pod);
		DUMP_LINE("dump-pod", "name=%.*s/%.*s state=%s attempts=%u rejectors=%llx",
			TEXT_ARGS(
				cache_text(&s->cache, cache_template_of(&s->cache, p)->namespace)),
			TEXT_ARGS(cache_text(&s->cache, p->name)), states[e->state],
			(unsigned)e->attempts, (unsigned long long)e->rejectors.words[0]);
	}
	DUMP_LINE("dump-queue", "activeQ:%u; backoffQ:%u; unschedulablePods:%u",
		(unsigned)s->queue.pods[QUEUE_ACTIVE],
		(unsigned)(s->queue.pods[QUEUE_BACKOFF] + s->queue.pods[QUEUE_ERROR_BACKOFF]),
		(unsigned)(s->queue.pods[QUEUE_UNSCHEDULABLE] + s->queue.pods[QUEUE_GATED]));
}

void scheduler_compare_next(struct scheduler *s)
{
	if (s->sync.compare_left == 0)
		return;
	enum kube_kind kind = (enum kube_kind)__builtin_ctz(s->sync.compare_left);
	watch_list_anew(s->watch, kind);
}

void scheduler_dump(struct scheduler *s)
{
	debugger_nodes(s);
	debugger_queue(s);
	uint32_t kinds = s->sync.wanted & (WATCH_KIND(KUBE_POD) | WATCH_KIND(KUBE_NODE));
	s->sync.compare_left = kinds & s->sync.known;
	scheduler_compare_next(s);
}

/* ---- audit ---- */

static void debugger_audit_pod(const struct scheduler *s, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	bool is_assumed = (p->flags & CACHE_POD_ASSUMED) != 0;
	bool is_pending = p->node == 0 || is_assumed;
	bool is_ours = cycle_profile_of(&s->cycle, pod) != NULL;
	if (p->waiting != 0) {
		const struct queue_entry *e = queue_entry_at(&s->queue, p->waiting);
		CHECK(e->pod == pod);
		CHECK(is_pending);
		CHECK(is_ours);
		CHECK(is_assumed == (e->state == QUEUE_IN_FLIGHT) || !is_assumed);
		return;
	}
	/* Left the queue for one of four reasons. */
	CHECK(!is_pending || !is_ours || is_assumed || s->requeue.unqueued > 0 ||
		(p->flags & CACHE_POD_DELETING) != 0);
}

void scheduler_audit(const struct scheduler *s)
{
	const struct pool *pods = &s->cache.pods;
	cache_audit(&s->cache);
	queue_audit(&s->queue);
	shelf_audit(&s->queue.shelf);
	for (uint32_t i = pool_next(pods, 0); i != 0; i = pool_next(pods, i))
		debugger_audit_pod(s, i);
}
