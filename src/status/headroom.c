/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many more pods like this one fit, and what runs out first? Of each node that takes the pod
 * now: how often its requests go into what is left. Exact for pods about which nothing but the
 * nodes themselves has a say; spreading, (anti-)affinity, volumes and claims can only make it less.
 *
 * /berth/v1/headroom?pod=NAMESPACE/NAME, pending or with a node
 *	{"fits":7,"isUpperBound":false,"feasible":2,
 *	 "first":{"cpu":1,"pods":1},                      nodes by what runs out first there
 *	 "nodes":[["n1",4,"cpu"],["n2",3,"pods"]]}        the first of them
 */
#include "status/private.h"

enum { HEADROOM_NODES = 100 };

struct headroom {
	int64_t count;
	const char *first;   /* what runs out */
	uint32_t first_name; /* string id, of other resources; 0: `first` says it */
};

static void headroom_limit(
	struct headroom *h, int64_t free, int64_t request, const char *what, uint32_t name)
{
	int64_t count = request <= 0 ? INT32_MAX : free <= 0 ? 0 : free / request;
	if (count >= h->count)
		return;
	*h = (struct headroom){count, what, name};
}

static struct headroom headroom_of(
	const struct cache *cache, uint32_t node, const struct kube_pod_template *template)
{
	const struct cache_node *n = cache_node_at(cache, node);
	const struct kube_resources *has = &n->facts->allocatable, *wants = &template->fit;
	const struct kube_scalar *scalars = KUBE_AT(template, wants->scalars, struct kube_scalar);
	struct headroom h = {INT32_MAX, "", 0};
	headroom_limit(
		&h, cache_minus(has->cpu_milli, n->sums.cpu_milli), wants->cpu_milli, "cpu", 0);
	headroom_limit(&h, cache_minus(has->memory_bytes, n->sums.memory_bytes),
		wants->memory_bytes, "memory", 0);
	headroom_limit(&h, cache_minus(has->storage_bytes, n->sums.storage_bytes),
		wants->storage_bytes, "ephemeral-storage", 0);
	headroom_limit(&h, cache_minus(has->pods, n->sums.pods), 1, "pods", 0);
	if (template->host_ports.count > 0)
		headroom_limit(&h, 1, 1, "host ports", 0);
	for (uint32_t i = 0; i < wants->scalars.count; i++)
		for (uint32_t k = 0; k < n->sums.scalar_count; k++)
			if (n->sums.scalars[k].name == scalars[i].name)
				headroom_limit(&h,
					cache_minus(n->sums.scalars[k].allocatable,
						n->sums.scalars[k].used),
					scalars[i].value, NULL, scalars[i].name);
	return h;
}

static bool others_have_a_say(const struct kube_pod_template *t)
{
	return t->spread.count + t->affinity.count + t->anti_affinity.count + t->volumes.count +
		t->resource_claims.count + t->extended.count >
		0;
}

static struct text headroom_what(const struct cache *cache, const struct headroom *h)
{
	return h->first_name != 0 ? cache_text(cache, h->first_name) : text_of(h->first);
}

/* Of the resources that everything has; any other one is "other". */
static void put_first(const struct cache *cache, const struct kube_pod_template *template,
	const uint32_t *nodes, uint32_t count, struct json_writer *j)
{
	static const char *const names[] = {
		"cpu", "memory", "ephemeral-storage", "pods", "host ports", "other"};
	uint32_t counts[ARRAY_COUNT(names)] = {0};
	for (uint32_t i = 0; i < count; i++) {
		struct headroom h = headroom_of(cache, nodes[i], template);
		uint32_t at = 0;
		while (at + 1 < ARRAY_COUNT(names) &&
			(h.first_name != 0 || !text_is_z(text_of(h.first), names[at])))
			at++;
		counts[at]++;
	}
	json_member_object(j, "first");
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (counts[i] > 0)
			json_member_i64(j, names[i], counts[i]);
	json_close_object(j);
}

void headroom_put(struct status *status, uint32_t pod, struct json_writer *j)
{
	struct scheduler *s = status->s;
	const struct cache *cache = &s->cache;
	const struct kube_pod_template *template =
		cache_template_of(cache, cache_pod_at(cache, pod));
	uint32_t count;
	int64_t fits = 0;
	const uint32_t *nodes = cycle_feasible(&s->cycle, pod, &count);
	for (uint32_t i = 0; i < count; i++)
		fits += headroom_of(cache, nodes[i], template).count;
	json_open_object(j);
	json_member_i64(j, "fits", fits);
	json_member_bool(j, "isUpperBound", others_have_a_say(template));
	json_member_i64(j, "feasible", count);
	put_first(cache, template, nodes, count, j);
	json_member_array(j, "nodes");
	for (uint32_t i = 0; i < count && i < HEADROOM_NODES; i++) {
		struct headroom h = headroom_of(cache, nodes[i], template);
		json_open_array(j);
		json_put_text(j, cache_text(cache, cache_node_at(cache, nodes[i])->name));
		json_put_i64(j, h.count);
		json_put_text(j, headroom_what(cache, &h));
		json_close_array(j);
	}
	json_close_array(j);
	json_close_object(j);
}
