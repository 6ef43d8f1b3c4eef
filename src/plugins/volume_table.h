/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to plugins/: the four plugins about volumes, as the table needs them.
 */
#ifndef BERTH_PLUGINS_VOLUME_TABLE_H
#define BERTH_PLUGINS_VOLUME_TABLE_H

#include "plugins/plugins.h"
#include "plugins/volume_choice.h"

enum plugin_code volume_restrictions_prefilter(struct cycle_state *d, struct plugin_reasons *why);
enum plugin_code volume_restrictions_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);
void volume_restrictions_pod_moved(
	struct cycle_state *d, const struct cache_view *view, uint32_t pod, int sign);
void volume_restrictions_pods_forgotten(struct cycle_state *d);

/* Does one of the in-line disks of a pod keep that of another from the same node? */
bool volume_restrictions_conflict(
	const struct kube_pod_template *a, const struct kube_pod_template *b);

enum plugin_code node_volume_limits_prefilter(struct cycle_state *d, struct plugin_reasons *why);
enum plugin_code node_volume_limits_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);

enum plugin_code volume_binding_prefilter(struct cycle_state *d, struct plugin_reasons *why);
enum plugin_code volume_binding_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);
/* Scoring by storage capacity is an alpha feature of upstream: always PLUGIN_SKIP and 0. */
enum plugin_code volume_binding_prescore(struct cycle_state *d);
int64_t volume_binding_score(struct cycle_state *d, uint32_t node);

enum plugin_code volume_zone_prefilter(struct cycle_state *d, struct plugin_reasons *why);
enum plugin_code volume_zone_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);

#endif
