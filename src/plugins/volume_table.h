/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to plugins/: the four plugins about volumes, as the table needs them; and what
 * VolumeBinding decided for a node, as binding needs it.
 */
#ifndef BERTH_PLUGINS_VOLUME_TABLE_H
#define BERTH_PLUGINS_VOLUME_TABLE_H

#include "base/check.h"
#include "plugins/plugins.h"

enum plugin_code volume_restrictions_prefilter(struct decision *d, struct plugin_reasons *why);
enum plugin_code volume_restrictions_filter(
	struct decision *d, const struct cache_view *view, struct plugin_reasons *why);
void volume_restrictions_pod_moved(
	struct decision *d, const struct cache_view *view, uint32_t pod, int sign);
void volume_restrictions_pods_forgotten(struct decision *d);

/* Does one of the in-line disks of a pod keep that of another from the same node? */
bool volume_restrictions_conflict(const struct kube_pod_class *a, const struct kube_pod_class *b);

enum plugin_code node_volume_limits_prefilter(struct decision *d, struct plugin_reasons *why);
enum plugin_code node_volume_limits_filter(
	struct decision *d, const struct cache_view *view, struct plugin_reasons *why);

enum plugin_code volume_binding_prefilter(struct decision *d, struct plugin_reasons *why);
enum plugin_code volume_binding_filter(
	struct decision *d, const struct cache_view *view, struct plugin_reasons *why);
/* Scoring by storage capacity is an alpha feature of upstream: always PLUGIN_SKIP and 0. */
enum plugin_code volume_binding_prescore(struct decision *d);
int64_t volume_binding_score(struct decision *d, uint32_t node);

enum plugin_code volume_zone_prefilter(struct decision *d, struct plugin_reasons *why);
enum plugin_code volume_zone_filter(
	struct decision *d, const struct cache_view *view, struct plugin_reasons *why);

/* A claim that waits for its first consumer, and what it gets. Both are object indexes. */
struct volume_choice {
	uint32_t claim;
	uint32_t pv; /* 0: the claim's class provisions a volume for the chosen node */
};

/*
 * What the pod's claims get on the node: volumes to bind first, then claims to provision, in
 * upstream's order of writing. count is 0 when every claim is bound already. To be called after
 * volume_binding_prefilter(); any code but PLUGIN_SUCCESS is what the filter says about the node.
 * The list is good until the next filter or choice of the same decision.
 */
MUST_USE enum plugin_code volume_binding_choice(
	struct decision *d, uint32_t node, const struct volume_choice **list, uint32_t *count);

#endif
