/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plugins, private: what plugins.c puts into the table.
 */
#ifndef BERTH_PLUGINS_TABLE_H
#define BERTH_PLUGINS_TABLE_H

#include "plugins/plugins.h"

enum plugin_code node_unschedulable_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);

uint32_t node_unschedulable_keep(struct cycle_state *d, uint32_t *nodes, uint32_t count);

enum plugin_code node_name_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);

enum plugin_code taint_toleration_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);
uint32_t taint_toleration_keep(struct cycle_state *d, uint32_t *nodes, uint32_t count);
int64_t taint_toleration_score(struct cycle_state *d, uint32_t node);
void taint_toleration_scores(
	struct cycle_state *d, const uint32_t *nodes, uint32_t count, int64_t *scores);
void taint_toleration_normalize(struct cycle_state *d, int64_t *scores, uint32_t count);

enum plugin_code node_affinity_prefilter(struct cycle_state *d, struct plugin_reasons *why);
enum plugin_code node_affinity_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);
enum plugin_code node_affinity_prescore(struct cycle_state *d);
int64_t node_affinity_score(struct cycle_state *d, uint32_t node);
void node_affinity_normalize(struct cycle_state *d, int64_t *scores, uint32_t count);

enum plugin_code node_ports_prefilter(struct cycle_state *d, struct plugin_reasons *why);
enum plugin_code node_ports_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);

/* Do two pods want the same host port? */
bool node_ports_conflict(const struct cache *cache, const struct kube_pod_template *a,
	const struct kube_pod_template *b);

enum plugin_code fit_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);
uint32_t fit_keep(struct cycle_state *d, uint32_t *nodes, uint32_t count);
int64_t fit_score(struct cycle_state *d, uint32_t node);
void fit_scores(struct cycle_state *d, const uint32_t *nodes, uint32_t count, int64_t *scores);

enum plugin_code balanced_prescore(struct cycle_state *d);
int64_t balanced_score(struct cycle_state *d, uint32_t node);
void balanced_scores(struct cycle_state *d, const uint32_t *nodes, uint32_t count, int64_t *scores);

int64_t image_locality_score(struct cycle_state *d, uint32_t node);
bool image_locality_is_idle(const struct cycle_state *d);
bool image_locality_add_scores(struct cycle_state *d, int64_t weight, int64_t *totals);

enum plugin_code dynamic_resources_prefilter(struct cycle_state *d, struct plugin_reasons *why);

enum plugin_code node_declared_features_prefilter(
	struct cycle_state *d, struct plugin_reasons *why);
enum plugin_code node_declared_features_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);

enum plugin_code spread_prefilter(struct cycle_state *d, struct plugin_reasons *why);
enum plugin_code spread_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);
const struct plugin_rule *spread_rules_of(struct cycle_state *d, uint32_t *count);
enum plugin_code spread_prescore(struct cycle_state *d);
int64_t spread_score(struct cycle_state *d, uint32_t node);
bool spread_add_scores(struct cycle_state *d, int64_t weight, int64_t *totals);
void spread_normalize(struct cycle_state *d, int64_t *scores, uint32_t count);
void spread_pod_moved(struct cycle_state *d, const struct cache_view *view, uint32_t pod, int sign);
void spread_pods_forgotten(struct cycle_state *d);

enum plugin_code inter_pod_affinity_prefilter(struct cycle_state *d, struct plugin_reasons *why);
enum plugin_code inter_pod_affinity_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);
const struct plugin_rule *inter_pod_affinity_rules(struct cycle_state *d, uint32_t *count);
enum plugin_code inter_pod_affinity_prescore(struct cycle_state *d);
int64_t inter_pod_affinity_score(struct cycle_state *d, uint32_t node);
bool inter_pod_affinity_add_scores(struct cycle_state *d, int64_t weight, int64_t *totals);
void inter_pod_affinity_normalize(struct cycle_state *d, int64_t *scores, uint32_t count);
void inter_pod_affinity_pod_moved(
	struct cycle_state *d, const struct cache_view *view, uint32_t pod, int sign);
void inter_pod_affinity_pods_forgotten(struct cycle_state *d);

/* ---- of older releases ---- */

bool node_label_fits(const struct node_label_args *args, const struct kube_labels *labels);
enum plugin_code node_label_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);
int64_t node_label_score(struct cycle_state *d, uint32_t node);

enum plugin_code service_affinity_prefilter(struct cycle_state *d, struct plugin_reasons *why);
enum plugin_code service_affinity_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);
void service_affinity_pod_moved(
	struct cycle_state *d, const struct cache_view *view, uint32_t pod, int sign);
void service_affinity_pods_forgotten(struct cycle_state *d);
enum plugin_code service_affinity_prescore(struct cycle_state *d);
int64_t service_affinity_score(struct cycle_state *d, uint32_t node);
void service_affinity_normalize(struct cycle_state *d, int64_t *scores, uint32_t count);

enum plugin_code selector_spread_prescore(struct cycle_state *d);
int64_t selector_spread_score(struct cycle_state *d, uint32_t node);
void selector_spread_normalize(struct cycle_state *d, int64_t *scores, uint32_t count);

int64_t node_prefer_avoid_pods_score(struct cycle_state *d, uint32_t node);
int64_t node_resource_limits_score(struct cycle_state *d, uint32_t node);
int64_t least_allocated_score(struct cycle_state *d, uint32_t node);
int64_t most_allocated_score(struct cycle_state *d, uint32_t node);

enum plugin_code node_condition_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);
enum plugin_code memory_pressure_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);
enum plugin_code disk_pressure_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);
enum plugin_code pid_pressure_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);

#endif
