/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bodies of a Lease. A PUT replaces the whole object: what it does not carry is lost, but for what
 * the apiserver looks after itself (creationTimestamp, managedFields).
 */
#include "lease/lease_body.h"

#include "api/api.h"
#include "json/json.h"
#include "kube/time.h"

enum { RELEASED_DURATION_S = 1 /* 0 is refused by the apiserver */ };

struct lease_record lease_record_hold(
	const struct kube_lease *old, struct text me, int32_t duration_seconds, struct wall now)
{
	struct lease_record record = {
		.holder = me,
		.duration_seconds = duration_seconds,
		.has_acquired = true,
		.acquired = now,
		.renewed = now,
	};
	CHECK(me.size > 0);
	CHECK(duration_seconds > 0);
	if (old == NULL)
		return record;
	record.transitions = old->transitions < 0 ? 0 : old->transitions;
	if (text_is(old->holder, me))
		record.has_acquired = kube_time_parse(old->acquire_time, &record.acquired);
	else if (record.transitions < INT32_MAX)
		record.transitions++;
	return record;
}

struct lease_record lease_record_release(const struct kube_lease *old, struct wall now)
{
	return (struct lease_record){
		.holder = TEXT(""),
		.duration_seconds = RELEASED_DURATION_S,
		.has_acquired = true,
		.acquired = now,
		.renewed = now,
		.transitions = old->transitions < 0 ? 0 : old->transitions,
	};
}

bool lease_path(
	struct text namespace, struct text name, uint32_t timeout_seconds, struct writer *out)
{
	if (!api_path_write(&(struct api_object){"/apis/coordination.k8s.io/v1", namespace,
				    "leases", name, NULL},
		    out))
		return false;
	if (timeout_seconds > 0) {
		write_z(out, "?timeout=");
		write_u64(out, timeout_seconds);
		write_char(out, 's');
	}
	return true;
}

static void write_micro_time(struct json_writer *j, const char *key, struct wall time)
{
	char bytes[KUBE_TIME_SIZE];
	struct writer out;
	writer_init(&out, bytes, sizeof(bytes));
	kube_time_print_micro(time, &out);
	CHECK(!out.overflowed);
	json_member_text(j, key, writer_text(&out));
}

/*
 * Encoded again and not copied: a string that had escapes is no longer JSON once it has been read
 * it. The values of both maps are strings; a null stands for "".
 */
static void write_map(struct json_writer *j, const char *key, struct json_value map)
{
	struct json_walk walk = json_walk(map);
	if (json_type(map) != JSON_OBJECT || json_count(map) == 0)
		return;
	json_member_object(j, key);
	while (json_walk_next(&walk)) {
		json_key_text(j, walk.key);
		json_put_text(j, json_text(walk.value));
	}
	json_close_object(j);
}

static void write_spec(struct json_writer *j, const struct lease_record *record)
{
	json_member_object(j, "spec");
	if (record->has_acquired) {
		write_micro_time(j, "acquireTime", record->acquired);
	} else {
		json_key(j, "acquireTime");
		json_put_null(j);
	}
	json_member_text(j, "holderIdentity", record->holder);
	json_member_i64(j, "leaseDurationSeconds", record->duration_seconds);
	json_member_i64(j, "leaseTransitions", record->transitions);
	write_micro_time(j, "renewTime", record->renewed);
	json_close_object(j);
}

static void write_lease(struct text namespace, struct text name, const struct kube_lease *old,
	const struct lease_record *record, struct writer *out)
{
	struct json_writer j;
	json_write_init(&j, out);
	json_open_object(&j);
	json_member_z(&j, "apiVersion", "coordination.k8s.io/v1");
	json_member_z(&j, "kind", "Lease");
	json_member_object(&j, "metadata");
	if (old != NULL)
		write_map(&j, "annotations", old->annotations);
	if (old != NULL)
		write_map(&j, "labels", old->labels);
	json_member_text(&j, "name", name);
	json_member_text(&j, "namespace", namespace);
	if (old != NULL) {
		json_member_text(&j, "resourceVersion", old->resource_version);
		json_member_text(&j, "uid", old->uid);
	}
	json_close_object(&j);
	write_spec(&j, record);
	json_close_object(&j);
}

void lease_body_create(struct text namespace, struct text name, const struct lease_record *record,
	struct writer *out)
{
	write_lease(namespace, name, NULL, record, out);
}

void lease_body_update(struct text namespace, const struct kube_lease *old,
	const struct lease_record *record, struct writer *out)
{
	write_lease(namespace, old->name, old, record, out);
}
