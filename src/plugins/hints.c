/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who waits for what: the table of registrations, one list per plugin.
 *
 * Upstream gives every plugin that registers Node/Add without Node/UpdateNodeTaint the latter as
 * well, without a hint: a taint that goes may uncover a node that was never looked at.
 */
#include "plugins/hints_private.h"

#define LIST(...)                             \
	(const struct plugin_registration[])  \
	{                                     \
		__VA_ARGS__,                  \
		{                             \
			KUBE_NO_KIND, 0, NULL \
		}                             \
	}
#define TAINT_TOO                                        \
	{                                                \
		KUBE_NODE, CACHE_UPDATE_NODE_TAINT, NULL \
	}

#define CONDITIONS                                                                          \
	LIST({KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_CONDITION | CACHE_UPDATE_NODE_TAINT, \
		hint_condition_node})

static const struct plugin_registration *const registrations[PLUGIN_COUNT] = {
	[PLUGIN_SCHEDULING_GATES] = LIST({KUBE_POD, CACHE_UPDATE_POD_GATES, hint_self}),
	[PLUGIN_NODE_UNSCHEDULABLE] =
		LIST({KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_TAINT, hint_unschedulable_node},
			{KUBE_POD, CACHE_UPDATE_POD_TOLERATION, hint_unschedulable_pod}),
	[PLUGIN_NODE_NAME] = LIST({KUBE_NODE, CACHE_ADD, NULL}, TAINT_TOO),
	[PLUGIN_TAINT_TOLERATION] =
		LIST({KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_TAINT, hint_taint_node},
			{KUBE_POD, CACHE_UPDATE_POD_TOLERATION, hint_self}),
	[PLUGIN_NODE_AFFINITY] = LIST(
		{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL, hint_affinity_node}, TAINT_TOO),
	[PLUGIN_NODE_PORTS] = LIST(
		{KUBE_POD, CACHE_DELETE, hint_ports_pod}, {KUBE_NODE, CACHE_ADD, NULL}, TAINT_TOO),
	[PLUGIN_FIT] = LIST({KUBE_POD, CACHE_DELETE | CACHE_UPDATE_POD_SCALE_DOWN, hint_fit_pod},
		{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_ALLOCATABLE, hint_fit_node}, TAINT_TOO,
		{KUBE_DEVICE_CLASS, CACHE_ADD | CACHE_UPDATE, hint_fit_class}),
	[PLUGIN_VOLUME_RESTRICTIONS] =
		LIST({KUBE_POD, CACHE_DELETE, hint_restrictions_pod}, {KUBE_NODE, CACHE_ADD, NULL},
			TAINT_TOO, {KUBE_PVC, CACHE_ADD, hint_restrictions_claim}),
	[PLUGIN_NODE_VOLUME_LIMITS] = LIST({KUBE_CSI_NODE, CACHE_ADD, NULL},
		{KUBE_CSI_NODE, CACHE_UPDATE, hint_limits_csi_node},
		{KUBE_POD, CACHE_DELETE, hint_limits_pod}, {KUBE_PVC, CACHE_ADD, hint_limits_claim},
		{KUBE_VOLUME_ATTACHMENT, CACHE_DELETE, hint_limits_attachment}),
	[PLUGIN_VOLUME_BINDING] =
		LIST({KUBE_STORAGE_CLASS, CACHE_ADD | CACHE_UPDATE, hint_binding_class},
			{KUBE_PVC, CACHE_ADD | CACHE_UPDATE, hint_binding_claim},
			{KUBE_PV, CACHE_ADD | CACHE_UPDATE, NULL},
			{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL, NULL}, TAINT_TOO,
			{KUBE_CSI_NODE, CACHE_ADD | CACHE_UPDATE, hint_binding_csi_node},
			{KUBE_CSI_DRIVER, CACHE_UPDATE, hint_binding_csi_driver},
			{KUBE_CSI_CAPACITY, CACHE_ADD | CACHE_UPDATE, hint_binding_capacity}),
	[PLUGIN_VOLUME_ZONE] = LIST({KUBE_STORAGE_CLASS, CACHE_ADD, hint_zone_class},
		{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL, NULL}, TAINT_TOO,
		{KUBE_PVC, CACHE_ADD | CACHE_UPDATE, hint_zone_claim},
		{KUBE_PV, CACHE_ADD | CACHE_UPDATE, hint_zone_volume}),
	[PLUGIN_SPREAD] = LIST({KUBE_POD,
				       CACHE_ADD | CACHE_DELETE | CACHE_UPDATE_POD_LABEL |
					       CACHE_UPDATE_POD_TOLERATION,
				       hint_spread_pod},
		{KUBE_NODE,
			CACHE_ADD | CACHE_DELETE | CACHE_UPDATE_NODE_LABEL |
				CACHE_UPDATE_NODE_TAINT,
			hint_spread_node}),
	[PLUGIN_INTER_POD_AFFINITY] = LIST(
		{KUBE_POD, CACHE_ADD | CACHE_DELETE | CACHE_UPDATE_POD_LABEL, hint_inter_pod},
		{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL, hint_inter_pod_node}, TAINT_TOO),
	[PLUGIN_DYNAMIC_RESOURCES] = LIST(
		{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL | CACHE_UPDATE_NODE_ALLOCATABLE,
			NULL},
		TAINT_TOO, {KUBE_RESOURCE_CLAIM, CACHE_ADD | CACHE_UPDATE, NULL},
		{KUBE_POD, CACHE_UPDATE_POD_CLAIMS, hint_self},
		{KUBE_DEVICE_CLASS, CACHE_ADD | CACHE_UPDATE, NULL},
		{KUBE_RESOURCE_SLICE, CACHE_ADD | CACHE_UPDATE, NULL}),
	[PLUGIN_DEFAULT_PREEMPTION] = LIST({KUBE_POD, CACHE_DELETE, hint_never}),
	[PLUGIN_NODE_DECLARED_FEATURES] =
		LIST({KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_FEATURE, hint_features_node},
			TAINT_TOO, {KUBE_POD, CACHE_UPDATE, hint_features_pod}),
	[PLUGIN_NODE_LABEL] =
		LIST({KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL, hint_label_node}, TAINT_TOO),
	[PLUGIN_SERVICE_AFFINITY] = LIST({KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL, NULL},
		TAINT_TOO,
		{KUBE_POD, CACHE_ADD | CACHE_DELETE | CACHE_UPDATE_POD_LABEL, hint_service_pod},
		{KUBE_SERVICE, CACHE_ADD | CACHE_DELETE | CACHE_UPDATE, NULL}),
	[PLUGIN_NODE_CONDITION] = CONDITIONS,
	[PLUGIN_MEMORY_PRESSURE] = CONDITIONS,
	[PLUGIN_DISK_PRESSURE] = CONDITIONS,
	[PLUGIN_PID_PRESSURE] = CONDITIONS,
};

enum plugin_hint hint_self(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(hint_is_self(w, event));
}

enum plugin_hint hint_never(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	(void)event;
	(void)action;
	return PLUGIN_HINT_SKIP;
}

/* The registered mask must cover what came: a plain update is only seen by who sees them all. */
static bool covers(const struct plugin_registration *r, enum kube_kind kind, uint32_t action)
{
	return r->kind == kind && (r->actions & action) != 0 && action <= r->actions;
}

/* The next single action of the set: upstream fires one event for each; an update is one. */
static uint32_t next_action(uint32_t *actions)
{
	uint32_t action = *actions == CACHE_UPDATE ? CACHE_UPDATE : *actions & -*actions;
	*actions &= ~action;
	return action;
}

bool plugin_hint_of(enum plugin_id id, const struct plugin_waiting *w,
	const struct cache_event *event, enum plugin_hint *hint)
{
	CHECK(id < PLUGIN_COUNT);
	bool registered = false;
	*hint = PLUGIN_HINT_SKIP;
	uint32_t left = event->actions;
	while (left != 0) {
		uint32_t action = next_action(&left);
		const struct plugin_registration *r = registrations[id];
		for (; r != NULL && r->kind != KUBE_NO_KIND; r++) {
			if (!covers(r, event->kind, action))
				continue;
			registered = true;
			if (r->hint == NULL || r->hint(w, event, action) == PLUGIN_HINT_QUEUE)
				*hint = PLUGIN_HINT_QUEUE;
		}
	}
	return registered;
}

uint32_t plugin_waiters(enum kube_kind kind, uint32_t actions)
{
	uint32_t waiters = 0, left = actions;
	while (left != 0) {
		uint32_t action = next_action(&left);
		for (uint32_t id = 0; id < PLUGIN_COUNT; id++) {
			const struct plugin_registration *r = registrations[id];
			for (; r != NULL && r->kind != KUBE_NO_KIND; r++)
				if (covers(r, kind, action))
					waiters |= UINT32_C(1) << id;
		}
	}
	return waiters;
}
