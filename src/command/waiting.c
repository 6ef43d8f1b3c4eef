/* SPDX-License-Identifier: GPL-2.0-only */
/* The pods that wait, in the queue's order. */
#include "command/waiting.h"
#include "base/sort.h"

static int waiting_compare_pods(const void *a, const void *b)
{
	const struct waiting *x = a;
	const struct waiting *y = b;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->created_us != y->created_us)
		return x->created_us < y->created_us ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

uint32_t waiting_collect(const struct offline *o, struct waiting *list)
{
	const struct cache *cache = &o->cache;
	uint32_t count = 0;
	for (uint32_t i = pool_next(&cache->pods, 0); i != 0; i = pool_next(&cache->pods, i)) {
		const struct cache_pod *pod = cache_pod_at(cache, i);
		const struct dump_pod *from = &o->dump.pods[i];
		if (pod->node == 0)
			list[count++] = (struct waiting){from->created_us, i, from->order,
				cache_template_of(cache, pod)->priority};
	}
	CHECK(count == cache->pods_pending);
	sort(list, count, sizeof(*list), waiting_compare_pods);
	return count;
}
