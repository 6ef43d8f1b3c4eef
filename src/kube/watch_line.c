/* SPDX-License-Identifier: GPL-2.0-only */
/* One line of a watch: what happened, and to which object. */
#include "kube/decode.h"
#include "kube/passing.h"

static enum kube_watch_type watch_type(struct text type)
{
	static const char *const names[] = {
		[KUBE_WATCH_ADDED] = "ADDED",
		[KUBE_WATCH_MODIFIED] = "MODIFIED",
		[KUBE_WATCH_DELETED] = "DELETED",
		[KUBE_WATCH_BOOKMARK] = "BOOKMARK",
		[KUBE_WATCH_ERROR] = "ERROR",
	};
	for (uint32_t i = 0; i < ARRAY_COUNT(names); i++) {
		if (text_is_z(type, names[i]))
			return (enum kube_watch_type)i;
	}
	return KUBE_WATCH_UNKNOWN;
}

bool kube_watch_line_decode(struct json_value line, struct kube_watch_line *out)
{
	struct json_value type = json_get(line, "type");
	*out = (struct kube_watch_line){.object = json_get(line, "object")};
	out->type = watch_type(json_text(type));
	if (json_type(type) != JSON_STRING || json_type(out->object) != JSON_OBJECT)
		return false;
	struct json_value metadata = json_get(out->object, "metadata");
	out->resource_version = json_text(json_get(metadata, "resourceVersion"));
	if (out->type == KUBE_WATCH_BOOKMARK)
		out->initial_events_end =
			text_is_z(json_text(json_get(json_get(metadata, "annotations"),
					  "k8s.io/initial-events-end")),
				"true");
	return true;
}
