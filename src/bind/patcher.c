/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rooms, the order of what is said to one pod, and the ends of errands.
 */
#include "bind/patcher.h"

#include "base/log.h"
#include "bind/patcher_private.h"

static size_t cut_size(void)
{
	return json_cut_size(PATCHER_ANSWER_KEPT);
}

size_t patcher_size(uint32_t patches_max, uint32_t victims_max)
{
	return sizeof(struct patcher) + pool_size(sizeof(struct patcher_errand), patches_max) +
		pool_size(sizeof(struct patcher_errand), victims_max) +
		(size_t)patches_max * PATCHER_BODY_MAX +
		(size_t)victims_max * PATCHER_VICTIM_BODY_MAX + cut_size() + PATCHER_SCRATCH +
		8 * 16;
}

static void dump(const void *self)
{
	const struct patcher *patcher = self;

	check_print("patches %u of %u, victims %u of %u, failed %llu and %llu\n",
		(unsigned)pool_used(&patcher->patches), (unsigned)patcher->patches.capacity,
		(unsigned)pool_used(&patcher->victims), (unsigned)patcher->victims.capacity,
		(unsigned long long)patcher->stats.failed,
		(unsigned long long)patcher->stats.evict_failed);
}

struct patcher *patcher_init(const struct patcher_setup *setup)
{
	struct arena *arena = setup->arena;
	struct patcher *patcher = arena_take(arena, sizeof(*patcher));
	struct writer out;
	uint64_t seed = 1;

	CHECK(setup->patches_max > 0);
	CHECK(setup->victims_max > 0);
	patcher->setup = *setup;
	/* Without entropy jitter is merely the same for each start. */
	(void)setup->entropy.fill(setup->entropy.self, &seed, sizeof(seed));
	random_init(&patcher->random, seed);
	pool_init(&patcher->patches, arena, "status patches", sizeof(struct patcher_errand),
		setup->patches_max);
	pool_init(&patcher->victims, arena, "evictions", sizeof(struct patcher_errand),
		setup->victims_max);
	/* Raw: few bodies are as long as they may be. */
	patcher->patch_bodies =
		arena_take_raw(arena, (size_t)setup->patches_max * PATCHER_BODY_MAX);
	patcher->victim_bodies =
		arena_take_raw(arena, (size_t)setup->victims_max * PATCHER_VICTIM_BODY_MAX);
	list_init(&patcher->patching);
	list_init(&patcher->evicting);
	patcher->cut =
		json_cut_init(arena_take(arena, cut_size()), cut_size(), PATCHER_ANSWER_KEPT);
	scratch_init(&patcher->scratch, arena_take(arena, PATCHER_SCRATCH), PATCHER_SCRATCH);
	writer_init(&out, patcher->delete_body, sizeof(patcher->delete_body));
	body_delete(&out);
	CHECK(!out.overflowed);
	patcher->delete_size = out.used;
	check_register((struct check_dump){"patcher", dump, patcher});
	return patcher;
}

static void give_up(struct patcher *patcher, struct list *errands)
{
	struct list *link;

	while ((link = list_first(errands)) != NULL) {
		struct patcher_errand *errand = patcher_errand_of(link);

		net_cancel(&errand->request);
		net_timer_disarm(&errand->timer);
		list_remove(link);
		pool_give(errands == &patcher->evicting ? &patcher->victims : &patcher->patches,
			errand->index);
	}
}

void patcher_close(struct patcher *patcher)
{
	patcher->closing = true;
	give_up(patcher, &patcher->patching);
	give_up(patcher, &patcher->evicting);
	check_unregister(patcher);
}

/* ---- room ---- */

uint32_t patcher_room(const struct patcher *patcher)
{
	return patcher->patches.capacity - pool_used(&patcher->patches);
}

uint32_t patcher_room_victims(const struct patcher *patcher)
{
	return patcher->victims.capacity - pool_used(&patcher->victims);
}

struct patcher_stats patcher_stats(const struct patcher *patcher)
{
	struct patcher_stats stats = patcher->stats;

	stats.patches = pool_used(&patcher->patches);
	stats.victims = pool_used(&patcher->victims);
	return stats;
}

bool patcher_is_idle(const struct patcher *patcher)
{
	return pool_used(&patcher->patches) == 0 && pool_used(&patcher->victims) == 0;
}

/* ---- beginning ---- */

/* In no list yet. */
static struct patcher_errand *begin(
	struct patcher *patcher, struct pool *pool, const struct body_pod *pod, uint64_t tag)
{
	uint32_t index = pool_take(pool);
	struct patcher_errand *errand;
	struct writer path;

	CHECK(index != 0);
	errand = pool_at(pool, index);
	errand->patcher = patcher;
	errand->tag = tag;
	errand->index = index;
	errand->is_victim = pool == &patcher->victims;
	list_init(&errand->link);
	net_timer_init(&errand->timer, patcher_try_again);
	writer_init(&path, errand->path, sizeof(errand->path));
	errand->is_doomed =
		!body_path_pod_status(pod->namespace, pod->name, &path) || path.overflowed;
	errand->path_size = path.used;
	return errand;
}

static bool is_same_pod(const struct patcher_errand *a, const struct patcher_errand *b)
{
	return a->path_size == b->path_size && memcmp(a->path, b->path, a->path_size) == 0;
}

/* The last one that was asked for before. */
static const struct patcher_errand *before(
	const struct patcher *patcher, const struct patcher_errand *errand)
{
	for (struct list *link = patcher->patching.prev; link != &patcher->patching;
		link = link->prev)
		if (is_same_pod(patcher_errand_of(link), errand))
			return patcher_errand_of(link);
	return NULL;
}

/* False when nothing is to be sent. */
static bool prepare(struct patcher_errand *errand, const struct patcher_errand *earlier,
	const struct body_pod *pod, const struct body_status *status)
{
	struct patcher *patcher = errand->patcher;
	enum patcher_words words = PATCHER_TOO_LONG;
	struct writer body;

	writer_init(&body, patcher->patch_bodies + (size_t)(errand->index - 1) * PATCHER_BODY_MAX,
		PATCHER_BODY_MAX);
	errand->said = patcher_hash_words(status);
	if (earlier != NULL && earlier->said == errand->said)
		words = PATCHER_NOTHING_NEW;
	else if (!errand->is_doomed)
		words = patcher_say(status, earlier != NULL, PATCHER_MESSAGE_MAX, &body);
	errand->body_size = body.used;
	if (words == PATCHER_NOTHING_NEW)
		patcher->stats.unchanged++;
	if (words == PATCHER_TOO_LONG) {
		patcher->stats.failed++;
		log_warn("bind", "status-failed",
			"pod=%.*s/%.*s error=\"no request can be made of it\"",
			TEXT_ARGS(pod->namespace), TEXT_ARGS(pod->name));
	}
	return words == PATCHER_SAID;
}

bool patcher_status(struct patcher *patcher, const struct body_pod *pod,
	const struct body_status *status, uint64_t tag)
{
	CHECK(patcher_room(patcher) > 0);
	struct patcher_errand *errand = begin(patcher, &patcher->patches, pod, tag);
	const struct patcher_errand *earlier = before(patcher, errand);

	if (!prepare(errand, earlier, pod, status)) {
		pool_give(&patcher->patches, errand->index);
		return false;
	}
	list_add_last(&patcher->patching, &errand->link);
	if (earlier == NULL)
		patcher_send(errand);
	return true;
}

void patcher_evict(struct patcher *patcher, const struct patcher_victim *victim)
{
	CHECK(patcher_room_victims(patcher) > 0);
	struct patcher_errand *errand =
		begin(patcher, &patcher->victims, &victim->pod, victim->tag);
	char message[PATCHER_VICTIM_MESSAGE_MAX];
	struct writer text, body;
	struct body_status status = {.old = victim->old, .old_count = victim->old_count};
	enum patcher_words words;

	writer_init(&text, message, sizeof(message));
	struct body_condition condition = body_disruption_target(
		patcher_cut_message(victim->preemptor_scheduler, sizeof(message) / 2),
		victim->generation, &text);
	CHECK(!text.overflowed);
	status.condition = &condition;
	status.now = clock_wall(&patcher->setup.clock);
	writer_init(&body,
		patcher->victim_bodies + (size_t)(errand->index - 1) * PATCHER_VICTIM_BODY_MAX,
		PATCHER_VICTIM_BODY_MAX);
	words = patcher_say(&status, false, PATCHER_VICTIM_MESSAGE_MAX, &body);
	errand->body_size = body.used;
	errand->is_doomed = errand->is_doomed || words == PATCHER_TOO_LONG;
	errand->step =
		words == PATCHER_NOTHING_NEW || victim->is_told ? PATCHER_DELETE : PATCHER_PATCH;
	list_add_last(&patcher->evicting, &errand->link);
	if (errand->is_doomed) /* said from inside net_poll() */
		net_timer_arm(patcher->setup.net, &errand->timer, net_now(patcher->setup.net));
	else
		patcher_send(errand);
}

/* ---- the end ---- */

static void count(struct patcher *patcher, bool is_victim, enum patcher_outcome outcome)
{
	struct patcher_stats *stats = &patcher->stats;

	if (is_victim)
		*(outcome == PATCHER_FAILED ? &stats->evict_failed : &stats->evicted) += 1;
	else if (outcome == PATCHER_FAILED)
		stats->failed++;
	else
		stats->sent++;
}

static void start_next(const struct patcher_errand *errand)
{
	const struct list *head = &errand->patcher->patching;

	for (struct list *link = errand->link.next; link != head; link = link->next) {
		struct patcher_errand *next = patcher_errand_of(link);

		if (!is_same_pod(next, errand))
			continue;
		CHECK(!next->is_started);
		patcher_send(next);
		return;
	}
}

void patcher_finish(struct patcher_errand *errand, enum patcher_outcome outcome)
{
	struct patcher *patcher = errand->patcher;
	struct patcher_result result = {.tag = errand->tag, .outcome = outcome};
	bool is_victim = errand->is_victim;

	CHECK(!net_is_active(&errand->request));
	CHECK(!net_timer_is_armed(&errand->timer));
	/* The errand's place is free for another one when it is told how this one ended. */
	char path[BODY_PATH_MAX];
	memcpy(path, errand->path, errand->path_size);
	result.name = patcher_pod_of(path, errand->path_size, &result.namespace);
	if (!is_victim)
		start_next(errand);
	list_remove(&errand->link);
	pool_give(is_victim ? &patcher->victims : &patcher->patches, errand->index);
	count(patcher, is_victim, outcome);
	if (is_victim && patcher->setup.evicted != NULL)
		patcher->setup.evicted(patcher->setup.self, &result);
	else if (!is_victim && patcher->setup.patched != NULL)
		patcher->setup.patched(patcher->setup.self, &result);
}
