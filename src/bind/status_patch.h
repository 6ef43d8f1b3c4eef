/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * status_patch - writes conditions and nominations into the status of pods that were not placed.
 * Bounded: callers ask for room before they write.
 *
 * Patches are sent below bindings. What was written is final with the callback; a patch that
 * failed is not kept, since the pod's next attempt has newer text.
 */
#ifndef BERTH_BIND_STATUS_PATCH_H
#define BERTH_BIND_STATUS_PATCH_H

#include "api/api.h"
#include "bind/body.h"

enum {
	STATUS_PATCH_BODY_MAX = 16 * 1024,    /* bytes of a patch */
	STATUS_PATCH_MESSAGE_MAX = 12 * 1024, /* of its message, escaped; the rest is cut off */
	STATUS_PATCH_NAMES_MAX = API_PATH_MAX /* of the pod's namespace and name */
};

struct status_patcher_setup {
	struct api_client *client;
	struct arena *arena;
	uint32_t patches_max; /* on their way or waiting */
	/*
	 * NULL, or: API_DONE, API_GONE (as good as done), or anything else: failed, and logged.
	 * From inside net_poll(), the room is free again by then. May send another one.
	 */
	void (*patched)(void *self, uint64_t tag, enum api_verdict verdict);
	void *self;
};

struct status_patcher;

struct status_patcher *status_patcher_init(const struct status_patcher_setup *setup);
size_t status_patcher_size(uint32_t patches_max);
/* What is on its way is given up, patched() is not called. Before the api client is closed. */
void status_patcher_close(struct status_patcher *patcher);

uint32_t status_patcher_room(const struct status_patcher *patcher);

/*
 * Nothing is sent, patched() will not be called, and false is returned when the pod's status says
 * all of it already or will soon, because the same text is on its way; also (logged, counted as
 * failed) when no request can be made of it. Patches of one pod reach the server in the order of
 * the calls, each in full where the one before may have changed what `status` shows as old.
 * All text is copied. CHECKs the room. Cost: linear in the patches on their way.
 */
bool status_patcher_send(struct status_patcher *patcher, const struct body_pod *pod,
	const struct body_status *status, uint64_t tag);

struct status_patcher_stats {
	uint32_t patches;   /* now */
	uint64_t sent;      /* that the server took */
	uint64_t unchanged; /* not sent, there was nothing new in them */
	uint64_t failed;
	uint64_t retried; /* requests sent once more */
};
struct status_patcher_stats status_patcher_stats(const struct status_patcher *patcher);

/* ---- the text of patches ---- */

enum status_patch_text { STATUS_PATCH_WRITTEN, STATUS_PATCH_UNCHANGED, STATUS_PATCH_TOO_LONG };

/* As much of the message as takes `escaped_max` bytes in JSON, to the last whole character. */
struct text status_patch_cut_message(struct text message, size_t escaped_max);
/* `after`: an earlier patch of the pod is on its way, so `status` shows what is no more. */
enum status_patch_text status_patch_write(
	const struct body_status *status, bool after, size_t message_max, struct writer *out);
uint32_t status_patch_hash(const struct body_status *status);

#endif
