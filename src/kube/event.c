/* SPDX-License-Identifier: GPL-2.0-only */
/* Event, as far as an answer to our own writing of one is read. */
#include "kube/decode.h"
#include "kube/passing.h"

static const struct json_want want_metadata[] = {
	{"name", NULL},
	{"namespace", NULL},
	{NULL, NULL},
};

static const struct json_want want_series[] = {
	{"count", NULL},
	{NULL, NULL},
};

const struct json_want kube_event_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"note", NULL},
	{"series", want_series},
	{"status", NULL}, /* of a Status */
	{NULL, NULL},
};

bool kube_event_decode(struct json_value object, struct kube_event *event)
{
	int64_t count;
	*event = (struct kube_event){.name = json_text(json_path(object, "metadata.name"))};
	event->namespace = json_text(json_path(object, "metadata.namespace"));
	event->reason = json_text(json_get(object, "reason"));
	event->note = json_text(json_get(object, "note"));
	/* In the core group it is called message. */
	if (event->note.at == NULL)
		event->note = json_text(json_get(object, "message"));
	if (json_i64(json_path(object, "series.count"), &count) && count > 0 && count <= INT32_MAX)
		event->series_count = (int32_t)count;
	return text_is_z(json_text(json_get(object, "kind")), "Event") && event->name.size > 0;
}
