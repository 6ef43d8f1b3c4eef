/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which container asks for how many of which extended resource: devices may stand for them, and
 * then each container has a request of its own.
 */
#include "kube/decode.h"
#include "kube/pod_requests.h"
#include "kube/resource_list.h"

static const char field[] = "spec.containers.resources.requests";

static bool extended_is_backable(struct text name)
{
	bool extended;
	return (kube_resource_is_tracked(name, &extended) && extended) ||
		text_starts(name, TEXT(KUBE_CLASS_RESOURCE));
}

static struct json_value requests_of(struct kube_build *b, struct json_value container)
{
	struct json_value resources = kube_read_member(b, container, "resources", field);
	return kube_read_member(b, resources, "requests", field);
}

static uint32_t count_backable(struct kube_build *b, struct json_value containers)
{
	uint32_t count = 0;
	struct json_walk walk = kube_read_array(b, containers, field);
	while (json_walk_next(&walk)) {
		struct json_walk each = kube_read_object(b, requests_of(b, walk.value), field);
		while (json_walk_next(&each))
			count += extended_is_backable(each.key);
	}
	return count;
}

/* Its place among the names in order. */
static uint32_t claim_place_of(struct json_value requests, struct text name)
{
	uint32_t place = 0;
	struct json_walk walk = json_walk(requests);
	while (json_walk_next(&walk))
		place += text_compare(walk.key, name) < 0;
	return place;
}

static void extended_add(struct kube_build *b, struct json_value container, uint32_t index,
	bool is_init, struct kube_span *span)
{
	struct json_value requests = requests_of(b, container);
	struct text restart =
		kube_read_text(b, json_get(container, "restartPolicy"), "spec.containers");
	struct json_walk walk = kube_read_object(b, requests, field);
	while (json_walk_next(&walk) && !kube_failed(b)) {
		struct quantity q;
		if (!extended_is_backable(walk.key) ||
			!kube_read_quantity(b, walk.value, &q, field) || quantity_is_zero(&q))
			continue;
		KUBE_BUILT(b, *span, struct kube_extended)
		[span->count++] = (struct kube_extended){.container = index,
			.container_name = kube_read_id(
				b, json_get(container, "name"), "spec.containers.name"),
			.resource = kube_build_string(b, walk.key),
			.place = claim_place_of(requests, walk.key),
			.count = quantity_value(&q),
			.is_short = is_init && !KUBE_IS(restart, "Always")};
	}
}

void kube_pod_extended_build(struct kube_build *b, struct json_value init_containers,
	struct json_value containers, struct kube_pod_template *class)
{
	uint32_t count = count_backable(b, init_containers) + count_backable(b, containers);
	struct kube_span span;
	if (kube_build_array(b, sizeof(struct kube_extended), count, &span) == NULL)
		return;
	uint32_t index = 0;
	span.count = 0;
	struct json_walk init = json_walk(init_containers);
	while (json_walk_next(&init))
		extended_add(b, init.value, index++, true, &span);
	struct json_walk walk = json_walk(containers);
	while (json_walk_next(&walk))
		extended_add(b, walk.value, index++, false, &span);
	if (!kube_failed(b) && span.count > 0)
		class->extended = span;
}
