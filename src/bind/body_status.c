/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The patch of a pod's status.
 *
 * What kube-scheduler does: it copies the status, sets the condition and the nomination in the
 * copy, and lets the strategic merge patch between the two be computed. Whether a patch is sent at
 * all is decided before that, by a rule that does not look at observedGeneration; once it is sent,
 * a different observedGeneration goes along. A pod without any condition gets the list as it is;
 * in a list that is there the patch names the types in order, and of a condition that was there
 * only the fields that differ, null for those to be removed.
 *
 * What we do: the same patch, from the conditions as they came; there is only one that can differ.
 * Texts are compared as they would be written, so that a message with broken UTF-8 in it, which
 * the apiserver holds with U+FFFD in its place, is not sent again with every attempt.
 */
#include "bind/body.h"

#include "json/json.h"
#include "kube/time.h"

enum { STATUS_ABSENT = UINT32_MAX };

struct time_text {
	char bytes[KUBE_TIME_SIZE];
	struct text text;
};

static void print_time(struct wall time, struct time_text *to)
{
	struct writer out;
	writer_init(&out, to->bytes, sizeof(to->bytes));
	kube_time_print(time, &out);
	CHECK(!out.overflowed);
	to->text = writer_text(&out);
}

static uint32_t find_condition(const struct body_status *status)
{
	for (uint32_t i = 0; i < status->old_count; i++)
		if (text_is(status->old[i].type, status->condition->type))
			return i;
	return STATUS_ABSENT;
}

/* `there` is what an apiserver keeps of `ours`. */
static bool reads_as(struct text there, struct text ours)
{
	static const struct text replacement = {"\xef\xbf\xbd", 3};
	if (text_is(there, ours))
		return true;
	while (ours.size > 0) {
		size_t size = text_utf8_next(ours);
		struct text part = size == 0 ? replacement : text_first(ours, size);
		if (!text_starts(there, part))
			return false;
		there = text_from(there, part.size);
		ours = text_from(ours, size == 0 ? 1 : size);
	}
	return there.size == 0;
}

static bool is_time(struct text there, struct text ours)
{
	struct wall time;
	struct time_text printed;
	if (!kube_time_parse(there, &time))
		return false;
	print_time(time, &printed);
	return text_is(printed.text, ours);
}

/* Upstream's rule for sending: everything but observedGeneration. */
static bool is_changed(const struct kube_condition *old, const struct body_condition *condition)
{
	return !reads_as(old->status, condition->status) ||
		!reads_as(old->reason, condition->reason) ||
		!reads_as(old->message, condition->message) || old->last_probe_time.size > 0;
}

static void write_whole_status(
	struct json_writer *j, const struct body_condition *condition, struct text now)
{
	json_open_object(j);
	json_key(j, "lastProbeTime");
	json_put_null(j);
	json_member_text(j, "lastTransitionTime", now);
	if (condition->message.size > 0)
		json_member_text(j, "message", condition->message);
	if (condition->observed_generation != 0)
		json_member_i64(j, "observedGeneration", condition->observed_generation);
	if (condition->reason.size > 0)
		json_member_text(j, "reason", condition->reason);
	json_member_text(j, "status", condition->status);
	json_member_text(j, "type", condition->type);
	json_close_object(j);
}

static void write_text_change(
	struct json_writer *j, const char *key, struct text there, struct text ours)
{
	if (reads_as(there, ours))
		return;
	json_key(j, key);
	if (ours.size == 0)
		json_put_null(j);
	else
		json_put_text(j, ours);
}

static void write_changes(struct json_writer *j, const struct kube_condition *old,
	const struct body_condition *condition, struct text now)
{
	json_open_object(j);
	if (old->last_probe_time.size > 0) {
		json_key(j, "lastProbeTime");
		json_put_null(j);
	}
	if (!reads_as(old->status, condition->status) && !is_time(old->last_transition_time, now))
		json_member_text(j, "lastTransitionTime", now);
	write_text_change(j, "message", old->message, condition->message);
	if (old->observed_generation != condition->observed_generation) {
		json_key(j, "observedGeneration");
		if (condition->observed_generation == 0)
			json_put_null(j);
		else
			json_put_i64(j, condition->observed_generation);
	}
	write_text_change(j, "reason", old->reason, condition->reason);
	write_text_change(j, "status", old->status, condition->status);
	json_member_text(j, "type", condition->type);
	json_close_object(j);
}

static void write_type(struct json_writer *j, struct text type)
{
	json_open_object(j);
	json_member_text(j, "type", type);
	json_close_object(j);
}

static void write_condition(struct json_writer *j, const struct body_status *status, uint32_t at)
{
	struct time_text now;
	print_time(status->now, &now);
	if (status->old_count > 0) {
		json_member_array(j, "$setElementOrder/conditions");
		for (uint32_t i = 0; i < status->old_count; i++)
			write_type(j, status->old[i].type);
		if (at == STATUS_ABSENT)
			write_type(j, status->condition->type);
		json_close_array(j);
	}
	json_member_array(j, "conditions");
	if (at == STATUS_ABSENT)
		write_whole_status(j, status->condition, now.text);
	else
		write_changes(j, &status->old[at], status->condition, now.text);
	json_close_array(j);
}

bool body_status_patch(const struct body_status *status, struct writer *out)
{
	const struct body_condition *condition = status->condition;
	uint32_t at = STATUS_ABSENT;
	bool changed = false, differs = false;
	bool nominated =
		status->set_nominated && !text_is(status->nominated, status->old_nominated);
	struct json_writer j;

	if (condition != NULL) {
		CHECK(condition->type.size > 0);
		CHECK(condition->status.size > 0);
		at = find_condition(status);
		changed = at == STATUS_ABSENT || is_changed(&status->old[at], condition);
		differs = changed ||
			status->old[at].observed_generation != condition->observed_generation;
	}
	if (!changed && !nominated)
		return false;
	json_write_init(&j, out);
	json_open_object(&j);
	json_member_object(&j, "status");
	if (differs)
		write_condition(&j, status, at);
	if (nominated) {
		json_key(&j, "nominatedNodeName");
		if (status->nominated.size == 0)
			json_put_null(&j);
		else
			json_put_text(&j, status->nominated);
	}
	json_close_object(&j);
	json_close_object(&j);
	return true;
}

struct body_condition body_disruption_target(
	struct text preemptor_scheduler, int64_t generation, struct writer *message)
{
	size_t from = message->used;
	write_text(message, preemptor_scheduler);
	write_z(message, ": preempting to accommodate a higher priority pod");
	return (struct body_condition){
		.type = TEXT("DisruptionTarget"),
		.status = TEXT("True"),
		.reason = TEXT("PreemptionByScheduler"),
		.message = text_from(writer_text(message), from),
		.observed_generation = generation,
	};
}
