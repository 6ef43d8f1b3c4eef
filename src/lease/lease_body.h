/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is written to a Lease: who leads, since when, until when. Pure: paths and JSON bodies; too
 * little room shows in the writer.
 */
#ifndef BERTH_LEASE_LEASE_BODY_H
#define BERTH_LEASE_LEASE_BODY_H

#include "base/clock.h"
#include "base/text.h"
#include "kube/passing.h"

struct lease_record {
	struct text holder; /* empty: it was given up */
	int32_t duration_seconds;
	bool has_acquired; /* false: a holder before us never said */
	struct wall acquired;
	struct wall renewed;
	int32_t transitions;
};

/*
 * What to write so that `me` holds it. `old` is what is there, NULL when there is none: a new
 * holder starts the time and counts a transition, the same holder keeps both.
 */
struct lease_record lease_record_hold(
	const struct kube_lease *old, struct text me, int32_t duration_seconds, struct wall now);
/* What to write so that the next one need not wait. */
struct lease_record lease_record_release(const struct kube_lease *old, struct wall now);

/*
 * A name of TEXT_NONE: where leases are created. timeout_seconds is asked of the apiserver, 0: not.
 * False, and nothing written, when a name cannot be part of a path.
 */
MUST_USE bool lease_path(
	struct text namespace, struct text name, uint32_t timeout_seconds, struct writer *out);
void lease_body_create(struct text namespace, struct text name, const struct lease_record *record,
	struct writer *out);
/*
 * PUT over `old`, as it was decoded: labels and annotations stay, its resourceVersion guards
 * against a write in between.
 */
void lease_body_update(struct text namespace, const struct kube_lease *old,
	const struct lease_record *record, struct writer *out);

#endif
