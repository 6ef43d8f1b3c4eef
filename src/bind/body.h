/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is written to the apiserver: JSON bodies, as kube-scheduler sends them. Pure: text in, text
 * out. Too little room shows in the writer, which is asked once, at the end.
 */
#ifndef BERTH_BIND_BODY_H
#define BERTH_BIND_BODY_H

#include "base/clock.h"
#include "base/text.h"
#include "kube/passing.h"
#include "kube/pod.h"

enum {
	BODY_NOTE_MAX = 1024,      /* bytes of an event's note that an apiserver takes */
	BODY_EVENT_NAME_MAX = 253, /* bytes of an event's name */
	BODY_RANDOM = 16           /* bytes of an event's fallback name */
};

/* ---- pods ---- */

struct body_pod {
	struct text namespace;
	struct text name;
	struct text uid;
};

void body_binding(const struct body_pod *pod, struct text node, struct writer *out);
/* ExtenderBindingArgs. */
void body_extender_binding(const struct body_pod *pod, struct text node, struct writer *out);
/* With the pod's own grace period. */
void body_delete(struct writer *out);

struct body_condition {
	struct text type;
	struct text status; /* "True", "False" */
	struct text reason;
	struct text message;
	int64_t observed_generation; /* 0: left out */
};

struct body_status {
	const struct kube_condition *old; /* all of the pod's, as they came */
	uint32_t old_count;
	struct text old_nominated;              /* status.nominatedNodeName; empty: none */
	const struct body_condition *condition; /* NULL: none is set */
	bool set_nominated;
	struct text nominated; /* empty clears */
	struct wall now;
};

/*
 * A strategic merge patch for a pod's status. False, and nothing written, when the pod says all
 * of it already: no request is due.
 */
MUST_USE bool body_status_patch(const struct body_status *status, struct writer *out);

/* What a victim of preemption is told; the message is written to `message` and points there. */
struct body_condition body_disruption_target(
	struct text preemptor_scheduler, int64_t generation, struct writer *message);

/* ---- events ---- */

struct body_reference {
	struct text api_version;
	struct text kind;
	struct text namespace;
	struct text name;
	struct text uid;
	struct text resource_version;
};

struct body_event {
	struct text name; /* body_event_name() */
	struct body_reference regarding;
	struct wall time;
	struct text type; /* "Normal", "Warning" */
	struct text reason;
	struct text action; /* not in the core group */
	struct text note;   /* cut to BODY_NOTE_MAX */
	struct text reporting_controller;
	struct text reporting_instance; /* not in the core group */
};

/*
 * <regarding>.<hex of nanos>; where that is not a valid name, a UUID of `random`, filled
 * again for each event.
 */
void body_event_name(struct text regarding, uint64_t nanos, const uint8_t random[BODY_RANDOM],
	struct writer *out);
/* An event lives where its object does; objects without a namespace: in "default". */
struct text body_event_namespace(const struct body_reference *regarding);
void body_event(const struct body_event *event, struct writer *out);      /* events.k8s.io/v1 */
void body_core_event(const struct body_event *event, struct writer *out); /* v1 */
void body_event_series(uint32_t count, struct wall last_observed, struct writer *out); /* PATCH */

/* Notes; of any length, the event cuts them. */
void body_note_scheduled(const struct body_pod *pod, struct text node, struct writer *out);
void body_note_preempted(
	struct text preemptor_uid, struct text node, bool in_memory, struct writer *out);

#endif
