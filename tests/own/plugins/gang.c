/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gang: pods with the same label "example.com/gang" are bound together, or not at all. Permit holds
 * each until enough of them have a place; when that takes too long all of them give theirs back.
 * With `together` those that are pending are decided about at once.
 *
 *	pluginConfig: [{name: Gang, args: {members: 3, timeoutSeconds: 30, together: true}}]
 */
#include "plugins/hints.h"

struct gang_config {
	struct text label;
	int32_t members;
	int32_t timeout_seconds;
	bool together;
};
struct gang_args {
	uint32_t label; /* string id */
	int32_t members;
	int32_t timeout_seconds;
	bool together;
};

/* The pod's gang, as a string id of its name; false: it is in none. */
static bool gang_name(const struct plugin_profile *profile, const struct cache *cache, uint32_t pod,
	uint32_t *gang)
{
	const struct cache_pod *p = cache_pod_at(cache, pod);
	return kube_labels_get(cache_labels_at(cache, p->labels),
		PLUGIN_ARGS(profile, GANG, gang_args)->label, gang);
}

static bool gang_of(const struct plugin_binding *b, uint32_t pod, uint32_t *gang)
{
	return gang_name(b->profile, b->cache, pod, gang);
}

/* What is kept for a pod on its way: the pod itself may be gone when it is asked for. */
struct gang_kept {
	uint32_t gang;
	uint32_t namespace;
};

static bool gang_is_same(const struct plugin_binding *b, uint32_t pod, const struct gang_kept *kept)
{
	uint32_t gang;
	return cache_template_of(b->cache, cache_pod_at(b->cache, pod))->namespace ==
		kept->namespace &&
		gang_of(b, pod, &gang) && gang == kept->gang;
}

/* Those that are bound, or have a place that they wait with. */
static int32_t gang_count_placed(const struct plugin_binding *b, const struct gang_kept *kept)
{
	const struct pool *pods = &b->cache->pods;
	int32_t count = 0;
	for (uint32_t p = pool_next(pods, 0); p != 0; p = pool_next(pods, p))
		count += cache_pod_at(b->cache, p)->node != 0 && gang_is_same(b, p, kept);
	return count;
}

struct gang_call {
	const struct plugin_binding *by;
	const struct gang_kept *kept;
};

static void gang_allow(void *arg, const struct plugin_binding *waiting)
{
	const struct gang_call *call = arg;
	if (gang_is_same(call->by, waiting->pod, call->kept))
		call->by->handle->allow(call->by->handle->self, waiting->tag, PLUGIN_GANG);
}

static void gang_reject(void *arg, const struct plugin_binding *waiting)
{
	const struct gang_call *call = arg;
	if (waiting->tag != call->by->tag && gang_is_same(call->by, waiting->pod, call->kept))
		call->by->handle->reject(call->by->handle->self, waiting->tag, PLUGIN_GANG,
			"another pod of the gang was rejected");
}

/* The place is reserved by being assumed; whose it is, is kept. */
static enum plugin_code gang_reserve(
	struct cycle_state *d, struct plugin_binding *b, struct plugin_reasons *why)
{
	uint32_t gang;
	(void)d;
	if (!gang_of(b, b->pod, &gang))
		return PLUGIN_SUCCESS;
	struct gang_kept *kept = plugin_keep(b, PLUGIN_GANG, sizeof(*kept));
	if (kept == NULL) {
		plugin_because(why, "not enough memory for the gang");
		return PLUGIN_ERROR;
	}
	kept->gang = gang;
	kept->namespace = cache_template_of(b->cache, cache_pod_at(b->cache, b->pod))->namespace;
	return PLUGIN_SUCCESS;
}

/* One that fails takes the others along. */
static void gang_unreserve(struct plugin_binding *b)
{
	struct gang_call call = {b, plugin_kept(b, PLUGIN_GANG)};
	if (call.kept != NULL)
		b->handle->each_waiting(b->handle->self, gang_reject, &call);
}

static enum plugin_code gang_permit(
	struct plugin_binding *b, int64_t *timeout_ms, struct plugin_reasons *why)
{
	const struct gang_args *args = PLUGIN_ARGS(b->profile, GANG, gang_args);
	struct gang_call call = {b, plugin_kept(b, PLUGIN_GANG)};
	(void)why;
	if (call.kept == NULL)
		return PLUGIN_SUCCESS;
	*timeout_ms = (int64_t)args->timeout_seconds * 1000;
	if (gang_count_placed(b, call.kept) < args->members)
		return PLUGIN_WAIT;
	b->handle->each_waiting(b->handle->self, gang_allow, &call);
	return PLUGIN_SUCCESS;
}

/* All that are pending. */
static uint32_t gang_group(const struct plugin_profile *profile, const struct cache *cache,
	uint32_t pod, uint32_t *pods, uint32_t room)
{
	uint32_t ours, theirs, count = 0;
	const struct kube_pod_template *class = cache_template_of(cache, cache_pod_at(cache, pod));
	if (!PLUGIN_ARGS(profile, GANG, gang_args)->together ||
		!gang_name(profile, cache, pod, &ours))
		return 0;
	for (uint32_t p = pool_next(&cache->pods, 0); p != 0; p = pool_next(&cache->pods, p)) {
		const struct cache_pod *other = cache_pod_at(cache, p);
		if (other->node != 0 || !gang_name(profile, cache, p, &theirs) || theirs != ours ||
			cache_template_of(cache, other)->namespace != class->namespace)
			continue;
		if (count < room)
			pods[count] = p;
		count++;
	}
	return count;
}

static const struct field gang_fields[] = {
	{.name = "label",
		.type = FIELD_TEXT,
		.at = offsetof(struct gang_config, label),
		.text = "example.com/gang"},
	{.name = "members",
		.type = FIELD_I32,
		.at = offsetof(struct gang_config, members),
		.value = 3,
		.least = 1,
		.greatest = 10000,
		.why = "not in valid range [1, 10000]"},
	{.name = "timeoutSeconds",
		.type = FIELD_I32,
		.at = offsetof(struct gang_config, timeout_seconds),
		.value = 30,
		.least = 1,
		.greatest = 900,
		.why = "not in valid range [1, 900]"},
	{.name = "together",
		.type = FIELD_BOOL,
		.at = offsetof(struct gang_config, together),
		.value = 0},
};

static enum args_result gang_args_make(const struct args_making *m, const void *config, void *args)
{
	const struct gang_config *from = config;
	struct gang_args *to = args;
	to->members = from->members;
	to->timeout_seconds = from->timeout_seconds;
	to->together = from->together;
	return args_intern(m, from->label, &to->label) ? ARGS_MADE : ARGS_FULL;
}

static const struct fields gang_form = {
	.list = gang_fields, .count = ARRAY_COUNT(gang_fields), .size = sizeof(struct gang_config)};
static const struct plugin_args gang_arguments = {
	.fields = &gang_form, .size = sizeof(struct gang_args), .make = gang_args_make};

const struct plugin plugin_gang = {.name = "Gang",
	.args = &gang_arguments,
	.helps = PLUGIN_HELPS({"", "Room for enough pods of the gang at the same time."}),
	.reserve = gang_reserve,
	.unreserve = gang_unreserve,
	.permit = gang_permit,
	.group = gang_group,
	.events = PLUGIN_EVENTS({KUBE_POD, CACHE_ADD | CACHE_DELETE, NULL})};
