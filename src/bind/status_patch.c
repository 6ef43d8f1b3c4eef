/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Status patches: room, and the order of those of one pod.
 */
#include "bind/status_patch.h"

#include "base/log.h"
#include "base/pool.h"

struct status_patch {
	struct api_call call;
	struct list link; /* in patcher->patches, oldest first */
	struct status_patcher *patcher;
	uint64_t tag;
	uint32_t index;
	uint32_t hash;               /* of its text */
	struct text namespace, name; /* in `names` */
	size_t body_size;
	char names[STATUS_PATCH_NAMES_MAX];
};

struct status_patcher {
	struct status_patcher_setup setup;
	struct api_caller caller;
	struct pool pool;
	struct list patches;
	char *bodies;
	struct status_patcher_stats stats;
};

static struct status_patch *status_patch_of(struct list *link)
{
	return LIST_OWNER(link, struct status_patch, link);
}

static char *body_of_patch(const struct status_patch *patch)
{
	return patch->patcher->bodies + (size_t)(patch->index - 1) * STATUS_PATCH_BODY_MAX;
}

/* ---- sending ---- */

static void status_patch_start(struct status_patch *patch)
{
	api_call_start(&patch->call, &patch->patcher->caller,
		&(struct api_request){.purpose = API_STATUS_PATCH,
			.method = NET_PATCH,
			.object = {"/api/v1", patch->namespace, "pods", patch->name, "status"},
			.content_type = TEXT("application/strategic-merge-patch+json"),
			.body = {body_of_patch(patch), patch->body_size}});
}

static bool is_same_pod(const struct status_patch *a, const struct status_patch *b)
{
	return text_is(a->namespace, b->namespace) && text_is(a->name, b->name);
}

/* The last one of the pod that was asked for before. */
static const struct status_patch *status_patch_before(const struct status_patch *patch)
{
	const struct list *patches = &patch->patcher->patches;

	for (struct list *link = patches->prev; link != patches; link = link->prev)
		if (is_same_pod(status_patch_of(link), patch))
			return status_patch_of(link);
	return NULL;
}

static void status_patch_start_next(const struct status_patch *patch)
{
	const struct list *patches = &patch->patcher->patches;

	for (struct list *link = patch->link.next; link != patches; link = link->next) {
		struct status_patch *next = status_patch_of(link);

		if (!is_same_pod(next, patch))
			continue;
		CHECK(api_call_is_over(&next->call)); /* it has not begun */
		status_patch_start(next);
		return;
	}
}

static void status_patch_done(struct api_call *call, enum api_verdict verdict)
{
	struct status_patch *patch = LIST_OWNER(call, struct status_patch, call);
	struct status_patcher *patcher = patch->patcher;
	uint64_t tag = patch->tag;

	if (verdict == API_DONE || verdict == API_GONE) {
		patcher->stats.sent++;
	} else {
		patcher->stats.failed++;
		log_warn("bind", "status-patch-failed",
			"pod=%.*s/%.*s requests=%u status=%u error=\"%.*s\"",
			TEXT_ARGS(patch->namespace), TEXT_ARGS(patch->name), (unsigned)call->sends,
			(unsigned)call->request.answer.status, TEXT_ARGS(api_call_message(call)));
	}
	status_patch_start_next(patch);
	list_remove(&patch->link);
	pool_give(&patcher->pool, patch->index);
	if (patcher->setup.patched != NULL)
		patcher->setup.patched(patcher->setup.self, tag, verdict);
}

/* ---- what callers do ---- */

struct status_patcher *status_patcher_init(const struct status_patcher_setup *setup)
{
	struct status_patcher *patcher = arena_take(setup->arena, sizeof(*patcher));

	CHECK(setup->patches_max > 0);
	patcher->setup = *setup;
	patcher->caller = (struct api_caller){
		.client = setup->client, .name = "status patches", .done = status_patch_done};
	api_caller_init(&patcher->caller);
	pool_init_fixed(&patcher->pool, setup->arena, "status patches", sizeof(struct status_patch),
		setup->patches_max);
	/* Raw: few bodies are as long as they may be. */
	patcher->bodies =
		arena_take_raw(setup->arena, (size_t)setup->patches_max * STATUS_PATCH_BODY_MAX);
	list_init(&patcher->patches);
	return patcher;
}

size_t status_patcher_size(uint32_t patches_max)
{
	return sizeof(struct status_patcher) + pool_size(sizeof(struct status_patch), patches_max) +
		(size_t)patches_max * STATUS_PATCH_BODY_MAX + 4 * 16;
}

void status_patcher_close(struct status_patcher *patcher)
{
	struct list *link;

	api_caller_close(&patcher->caller);
	while ((link = list_first(&patcher->patches)) != NULL) {
		list_remove(link);
		pool_give(&patcher->pool, status_patch_of(link)->index);
	}
	CHECK(pool_used(&patcher->pool) == 0);
	budget_unregister(&patcher->pool.budget);
}

uint32_t status_patcher_room(const struct status_patcher *patcher)
{
	return patcher->pool.capacity - pool_used(&patcher->pool);
}

/* False: no request can be made of them. */
static bool status_patch_take_names(struct status_patch *patch, const struct body_pod *pod)
{
	const struct api_object object = {"/api/v1", pod->namespace, "pods", pod->name, "status"};
	char path_bytes[API_PATH_MAX];
	struct writer names, path;

	writer_init(&path, path_bytes, sizeof(path_bytes));
	if (!api_path_write(&object, &path) || path.overflowed)
		return false;
	writer_init(&names, patch->names, sizeof(patch->names));
	write_text(&names, pod->namespace);
	write_text(&names, pod->name);
	CHECK(!names.overflowed); /* a path has room for both, and more */
	patch->namespace = text_first(writer_text(&names), pod->namespace.size);
	patch->name = text_from(writer_text(&names), pod->namespace.size);
	return true;
}

static enum status_patch_text status_patch_describe(struct status_patch *patch,
	const struct status_patch *earlier, const struct body_status *status)
{
	enum status_patch_text result = STATUS_PATCH_TOO_LONG;
	struct writer body;

	writer_init(&body, body_of_patch(patch), STATUS_PATCH_BODY_MAX);
	patch->hash = status_patch_hash(status);
	if (earlier != NULL && earlier->hash == patch->hash)
		result = STATUS_PATCH_UNCHANGED;
	else
		result = status_patch_write(
			status, earlier != NULL, STATUS_PATCH_MESSAGE_MAX, &body);
	patch->body_size = body.used;
	return result;
}

bool status_patcher_send(struct status_patcher *patcher, const struct body_pod *pod,
	const struct body_status *status, uint64_t tag)
{
	CHECK(status_patcher_room(patcher) > 0);
	uint32_t index = pool_take(&patcher->pool);
	if (index == 0) { /* there is no page for it; the next attempt says it again */
		patcher->stats.failed++;
		return false;
	}
	struct status_patch *patch = pool_at(&patcher->pool, index);

	patch->patcher = patcher;
	patch->index = index;
	patch->tag = tag;
	list_init(&patch->link);
	bool has_names = status_patch_take_names(patch, pod);
	const struct status_patch *earlier = has_names ? status_patch_before(patch) : NULL;
	enum status_patch_text text =
		has_names ? status_patch_describe(patch, earlier, status) : STATUS_PATCH_TOO_LONG;

	if (text != STATUS_PATCH_WRITTEN) {
		patcher->stats.unchanged += text == STATUS_PATCH_UNCHANGED;
		patcher->stats.failed += text == STATUS_PATCH_TOO_LONG;
		if (text == STATUS_PATCH_TOO_LONG)
			log_warn("bind", "status-patch-failed",
				"pod=%.*s/%.*s error=\"no request can be made of it\"",
				TEXT_ARGS(pod->namespace), TEXT_ARGS(pod->name));
		pool_give(&patcher->pool, index);
		return false;
	}
	list_add_last(&patcher->patches, &patch->link);
	if (earlier == NULL)
		status_patch_start(patch);
	return true;
}

struct status_patcher_stats status_patcher_stats(const struct status_patcher *patcher)
{
	struct status_patcher_stats stats = patcher->stats;

	stats.patches = pool_used(&patcher->pool);
	stats.retried = patcher->caller.repeated;
	return stats;
}
