/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text of status patches.
 *
 * What kube-scheduler does: it waits for the answer to each patch before it schedules the next
 * pod, so no two patches of a pod are under way; a message has any length.
 *
 * What we do: patches wait for connections while pods are scheduled, and a pod may have its next
 * attempt before the last one's patch has arrived. What differs from the status that the watch
 * showed is then not what differs from the status that the patch will meet. So all of it is
 * written, whether it looks new or not. The time of the transition stays out of it when the
 * condition had that status before, as all patches of a condition give it the same.
 *
 * A message is cut at a place that depends on it alone, not on the rest of the patch, so that the
 * same long message is found unchanged the next time.
 */
#include "base/hash.h"
#include "bind/status_patch.h"
#include "json/json.h"

enum { CONDITIONS_MAX = 16, ESCAPED_MAX = 6 /* bytes that a byte can become */ };

static size_t escaped_size(struct text part)
{
	char bytes[4 * ESCAPED_MAX + 2];
	struct writer out;
	struct json_writer j;

	writer_init(&out, bytes, sizeof(bytes));
	json_write_init(&j, &out);
	json_put_text(&j, part);
	CHECK(!out.overflowed);
	return out.used - 2;
}

struct text status_patch_cut_message(struct text message, size_t escaped_max)
{
	size_t used = 0;
	size_t at = 0;

	if (message.size <= escaped_max / ESCAPED_MAX)
		return message;
	while (at < message.size) {
		size_t size = text_utf8_next(text_from(message, at));

		if (size == 0)
			size = 1;
		used += escaped_size(text_first(text_from(message, at), size));
		if (used > escaped_max)
			break;
		at += size;
	}
	return text_first(message, at);
}

/* A condition as it is, but for words that are none of ours. */
static void unmatch_condition(
	const struct body_status *status, struct kube_condition *room, struct body_status *to)
{
	CHECK(status->condition != NULL);
	for (uint32_t i = 0; i < status->old_count; i++)
		room[i] = status->old[i];
	to->old = room;
	for (uint32_t i = 0; i < status->old_count; i++) {
		if (!text_is(room[i].type, status->condition->type))
			continue;
		room[i].reason = TEXT(" ");
		room[i].message = TEXT(" ");
		room[i].observed_generation = -1;
		return;
	}
}

static bool write_patch(const struct body_status *status, struct writer *out, bool *fits)
{
	struct writer start = *out;
	bool news = body_status_patch(status, out);

	*fits = !out->overflowed;
	if (!*fits)
		*out = start;
	return news;
}

enum status_patch_text status_patch_write(
	const struct body_status *status, bool after, size_t message_max, struct writer *out)
{
	struct body_status to = *status;
	struct body_condition condition;
	struct kube_condition room[CONDITIONS_MAX];
	bool fits;

	if (status->condition != NULL) {
		condition = *status->condition;
		condition.message = status_patch_cut_message(condition.message, message_max);
		to.condition = &condition;
	}
	if (after && to.condition != NULL && to.old_count <= CONDITIONS_MAX)
		unmatch_condition(status, room, &to);
	if (after && to.set_nominated)
		to.old_nominated = TEXT(" ");
	if (!write_patch(&to, out, &fits))
		return STATUS_PATCH_UNCHANGED;
	if (fits)
		return STATUS_PATCH_WRITTEN;
	/* Conditions of others whose types alone fill it: then in any order, and ours in full. */
	to.old_count = 0;
	(void)write_patch(&to, out, &fits);
	return fits ? STATUS_PATCH_WRITTEN : STATUS_PATCH_TOO_LONG;
}

static uint32_t hash_text(uint32_t hash, struct text t)
{
	hash = hash_more(hash, (uint32_t)t.size);
	return hash_more(hash, hash_bytes(t.at, t.size));
}

/* Not the generation: it alone is no reason to send anything. */
uint32_t status_patch_hash(const struct body_status *status)
{
	uint32_t hash = hash_more(status->condition != NULL, status->set_nominated);

	if (status->condition != NULL) {
		hash = hash_text(hash, status->condition->type);
		hash = hash_text(hash, status->condition->status);
		hash = hash_text(hash, status->condition->reason);
		hash = hash_text(hash, status->condition->message);
	}
	return status->set_nominated ? hash_text(hash, status->nominated) : hash;
}
