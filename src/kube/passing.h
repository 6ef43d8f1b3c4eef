/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects that pass through and are not kept: Status, Lease, Event; and the envelope of lists and
 * watch lines. Text slices point into the piece.
 */
#ifndef BERTH_KUBE_PASSING_H
#define BERTH_KUBE_PASSING_H

#include "kube/kube.h"

struct kube_status {
	struct text status; /* "Success", "Failure" */
	struct text message;
	struct text reason;          /* "Expired", "Conflict", "NotFound", ... */
	int32_t code;                /* 0 when absent */
	int32_t retry_after_seconds; /* details.retryAfterSeconds; 0 when absent */
	bool cause_uid_mismatch;     /* precondition failed because the uid differs */
};
extern const struct json_want kube_status_want[];
/* False when the object is not a Status. */
bool kube_status_decode(struct json_value object, struct kube_status *status);

/* What an apiserver says at /version: which kube-scheduler belongs to it. False: nothing. */
MUST_USE bool kube_release_decode(struct json_value version, enum kube_release *release);

struct kube_list_meta {
	struct text kind;
	struct text resource_version;
	struct text continue_token;
	int64_t remaining;
};
extern const struct json_want kube_list_want[]; /* list envelope and Status in one */
void kube_list_meta_decode(struct json_value envelope, struct kube_list_meta *meta);

enum kube_watch_type {
	KUBE_WATCH_ADDED,
	KUBE_WATCH_MODIFIED,
	KUBE_WATCH_DELETED,
	KUBE_WATCH_BOOKMARK,
	KUBE_WATCH_ERROR,
	KUBE_WATCH_UNKNOWN
};
struct kube_watch_line {
	enum kube_watch_type type;
	struct json_value object;
	struct text resource_version; /* of the object, also of bookmarks */
	bool initial_events_end;      /* bookmark annotated k8s.io/initial-events-end=true */
};
/* A watch line wants {type, object{the kind's}}; every kind's want holds what is needed here. */
bool kube_watch_line_decode(struct json_value line, struct kube_watch_line *out);

struct kube_lease {
	struct text name;
	struct text resource_version;
	struct text uid;
	struct text holder;
	bool has_holder;
	int32_t duration_seconds;
	struct text acquire_time;
	struct text renew_time;
	int32_t transitions;
	struct json_value labels; /* kept unchanged on PUT */
	struct json_value annotations;
};
extern const struct json_want kube_lease_want[];
MUST_USE enum kube_result kube_lease_decode(
	struct kube_build *b, struct json_value object, struct kube_lease *lease);

#endif
