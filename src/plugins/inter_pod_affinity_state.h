/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * InterPodAffinity, private: what the terms of one pod, and of the pods that are there, count.
 */
#ifndef BERTH_PLUGINS_INTER_POD_AFFINITY_STATE_H
#define BERTH_PLUGINS_INTER_POD_AFFINITY_STATE_H

#include "plugins/plugins.h"

struct affinity_count {
	const struct cache_query *query;
	struct cache_tally tally;
	int64_t weight; /* score only */
	int32_t moved;  /* filter only: pods put on or taken off the one node changed in thought */
};

struct affinity_state {
	struct affinity_count *affinity; /* the pod's required terms */
	uint32_t affinity_count;
	struct affinity_count *anti;
	uint32_t anti_count;
	struct affinity_count
		*existing; /* required anti-affinity of pods there that match the pod */
	uint32_t existing_count;
	uint32_t existing_room;
	struct scratch *scratch;
	uint32_t extra_count; /* the same of pods put on the one node in thought */
	uint32_t moved_node;
	bool self; /* the pod matches all its own required affinity terms */
	bool failed;
};

/*
 * A MATCH query of the pod's own terms first..first + count - 1 of the span, counted by the
 * topology key given. NULL when there is no room.
 */
struct cache_query *affinity_query(struct cycle_state *d, struct kube_span terms, uint32_t first,
	uint32_t count, uint32_t topology_key);
/* Room for one more; *list may move. */
bool affinity_grow(
	struct scratch *scratch, struct affinity_count **list, uint32_t count, uint32_t *room);
bool affinity_tally(struct cycle_state *d, struct affinity_count *count, struct cache_query *query);
/* Does the term take a pod of the namespace with the labels? namespace_labels may be NULL. */
bool affinity_term_takes(const struct kube_pod_template *owner, const struct kube_pod_term *term,
	uint32_t namespace, const struct kube_labels *namespace_labels,
	const struct kube_labels *labels);
/* Terms of the kind owned by pods there that match the pod, through d->way. */
bool affinity_each_owned(struct cycle_state *d, enum cache_counter_kind kind,
	void (*fn)(void *self, const struct cache_query *query, const struct cache_tally *tally),
	void *self);

/* inter_pod_affinity_score.c */
enum plugin_code inter_pod_affinity_pre_score(struct cycle_state *d);
int64_t inter_pod_affinity_score(struct cycle_state *d, uint32_t node);
bool inter_pod_affinity_add_scores(struct cycle_state *d, int64_t weight, int64_t *totals);
void inter_pod_affinity_normalise(struct cycle_state *d, int64_t *scores, uint32_t count);

/* inter_pod_affinity_hints.c */
extern const struct plugin_registration inter_pod_affinity_events[];
bool inter_pod_affinity_helps_beyond_hint(
	const struct plugin_waiting *w, const struct cache_event *event);

#endif
