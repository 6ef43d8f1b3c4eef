/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All reflectors: their memory, what is wanted of them, what they say about themselves.
 */
#include "watch/watch.h"

#include "base/check.h"
#include "watch/reflector.h"

static bool is_our_kind(uint32_t kinds, uint32_t kind)
{
	return kind != KUBE_NO_KIND && (kinds & WATCH_KIND(kind)) != 0;
}

size_t watch_size(uint32_t kinds)
{
	size_t size = sizeof(struct watch) + watch_fetch_size() + 16;

	for (uint32_t kind = 0; kind < KUBE_KINDS; kind++)
		if (is_our_kind(kinds, kind))
			size += sizeof(struct watch_reflector) +
				json_cut_size(watch_kinds[kind].piece_max) + 2 * 16;
	return size;
}

static struct watch_reflector *reflector_init(
	struct watch *watch, const struct watch_setup *setup, enum kube_kind kind)
{
	struct watch_reflector *r = arena_take(setup->arena, sizeof(*r));

	r->watch = watch;
	r->kind = kind;
	r->row = &watch_kinds[kind];
	r->request.method = NET_GET;
	r->request.on_body = watch_listen;
	r->request.on_done = watch_answered;
	r->page_first = setup->page_first;
	r->backoff = NET_BACKOFF_WATCH;
	if (kind == KUBE_POD || kind == KUBE_NODE)
		r->backoff.max_ms = WATCH_VITAL_BACKOFF_MS;
	r->want = kind == KUBE_POD && setup->pod_want != NULL ? setup->pod_want
							      : kube_kinds[kind].want;
	r->line_want[0] = (struct json_want){"type", NULL};
	r->line_want[1] = (struct json_want){"object", r->want};
	net_timer_init(&r->timer, watch_pause_over);
	return r;
}

/* ---- cutters ---- */

static bool cutter_resize(void *self, size_t bytes)
{
	struct watch_cutter *cutter = self;
	struct page_budget *budget = cutter->span.budget;
	if (bytes <= cutter->span.held) {
		page_span_shrink(&cutter->span, bytes);
		return true;
	}
	/* The object is here already, and gone in a moment. */
	enum page_reserve before = budget->may_use;
	budget->may_use = PAGE_RESERVE_ALL;
	bool reached = page_span_reach(&cutter->span, bytes);
	budget->may_use = before;
	return reached;
}

/*
 * Where pages are counted: address space for the largest object, of which what most need is there.
 * Elsewhere that is all there is: raw, since most of it is never used.
 */
void watch_cutter_take(struct watch_cutter *cutter, struct arena *arena, size_t piece_max)
{
	cutter->piece_max = piece_max;
	if (arena->budget == NULL) {
		cutter->block = arena_take_raw(arena, json_cut_size(piece_max));
		return;
	}
	arena_take_span(arena, &cutter->span, json_cut_size(WATCH_PIECE_MOST));
	CHECK(page_span_reach(&cutter->span, json_cut_size(piece_max)));
	cutter->block = cutter->span.base;
}

struct json_cut *watch_cutter_open(struct watch_cutter *cutter)
{
	size_t size = json_cut_size(cutter->piece_max);
	struct json_cut *cut = json_cut_init(cutter->block, size, cutter->piece_max);
	if (cutter->span.budget != NULL)
		json_cut_may_grow(cut, WATCH_PIECE_MOST, cutter_resize, cutter);
	return cut;
}

size_t watch_space(uint32_t kinds)
{
	size_t each = arena_span_size(json_cut_size(WATCH_PIECE_MOST));
	size_t size = WATCH_FETCHES * each;

	for (uint32_t kind = 0; kind < KUBE_KINDS; kind++)
		if (is_our_kind(kinds, kind))
			size += each;
	return size;
}

/* Behind all reflectors: a kind that is not wanted touches no page of it. */
static void take_cutters(struct watch *watch, struct arena *arena)
{
	for (uint32_t kind = 0; kind < KUBE_KINDS; kind++)
		if (watch->by_kind[kind] != NULL)
			watch_cutter_take(
				&watch->by_kind[kind]->cutter, arena, watch_kinds[kind].piece_max);
}

static void watch_dump(const void *self)
{
	const struct watch *watch = self;

	for (uint32_t kind = 0; kind < KUBE_KINDS; kind++) {
		const struct watch_reflector *r = watch->by_kind[kind];

		if (r != NULL && r->state != WATCH_OFF)
			check_print("%s %s%s%s version %.*s objects %llu refused %llu %s\n",
				reflector_plural(r), watch_state_name(r->state),
				r->waiting ? " waiting" : "", r->synced ? " synced" : "",
				TEXT_ARGS(reflector_version(r)),
				(unsigned long long)r->stats.objects,
				(unsigned long long)r->stats.refused, r->error);
	}
}

struct watch *watch_init(const struct watch_setup *setup)
{
	struct watch *watch = arena_take(setup->arena, sizeof(*watch));
	uint64_t seed = 1;

	watch->net = setup->net;
	watch->client = setup->client;
	watch->scratch = setup->scratch;
	watch->sink = setup->sink;
	watch->kinds = setup->kinds;
	watch->stream_again = net_now(setup->net);
	/* Without entropy jitter is merely the same for each start. */
	(void)setup->entropy.fill(setup->entropy.self, &seed, sizeof(seed));
	random_init(&watch->random, seed);
	for (uint32_t kind = 0; kind < KUBE_KINDS; kind++)
		if (is_our_kind(setup->kinds, kind))
			watch->by_kind[kind] = reflector_init(watch, setup, (enum kube_kind)kind);
	take_cutters(watch, setup->arena);
	watch_fetch_init(watch, setup->arena);
	check_register((struct check_dump){"watch", watch_dump, watch});
	return watch;
}

void watch_close(struct watch *watch)
{
	watch_fetch_cancel(watch);
	for (uint32_t kind = 0; kind < KUBE_KINDS; kind++)
		if (watch->by_kind[kind] != NULL)
			watch_stop(watch->by_kind[kind]);
	check_unregister(watch);
}

static void start_kind(struct watch_reflector *r)
{
	if (r->cut == NULL)
		r->cut = watch_cutter_open(&r->cutter);
	r->watch->synced_told = false;
	r->stuck = r->expired = 0;
	r->doubt = r->whole = r->short_before = false;
	r->version_size = 0;
	net_backoff_reset(&r->backoff);
	/* Not from here: a callback of net's may be below us, and a pause of nothing is the same.
	 */
	r->state = r->row->certain ? WATCH_STREAM : WATCH_DISCOVER;
	r->waiting = true;
	net_timer_arm(r->watch->net, &r->timer, net_now(r->watch->net));
}

void watch_want(struct watch *watch, enum kube_kind kind, bool wanted)
{
	CHECK(kind > KUBE_NO_KIND);
	CHECK(kind < KUBE_KINDS);
	struct watch_reflector *r = watch->by_kind[kind];

	CHECK(r != NULL);
	if (wanted == (r->state != WATCH_OFF))
		return;
	if (wanted) {
		start_kind(r);
	} else {
		watch_stop(r);
		watch_tell_synced(watch); /* it may have been the one that was missing */
	}
}

void watch_list_anew(struct watch *watch, enum kube_kind kind)
{
	struct watch_reflector *r = watch->by_kind[kind];

	CHECK(r != NULL);
	bool doubt = watch_is_in_doubt(watch, kind);
	watch_stop(r);
	start_kind(r);
	r->doubt = doubt;
}

bool watch_is_synced(const struct watch *watch, enum kube_kind kind)
{
	return watch->by_kind[kind] != NULL && watch->by_kind[kind]->synced;
}

bool watch_is_listing(const struct watch *watch, enum kube_kind kind)
{
	return watch->by_kind[kind] != NULL && watch->by_kind[kind]->listing;
}

struct watch_stats watch_stats(const struct watch *watch, enum kube_kind kind)
{
	const struct watch_reflector *r = watch->by_kind[kind];

	if (r == NULL)
		return (struct watch_stats){.state = "off", .api_version = "", .error = ""};
	struct watch_stats stats = r->stats;

	stats.state = watch_state_name(r->state);
	stats.waiting = r->waiting;
	stats.synced = r->synced;
	if (r->waiting)
		stats.waits_ms = mono_since_us(r->timer.due, net_now(watch->net)) / CLOCK_MS_US;
	stats.api_version = r->synced && r->state != WATCH_ABSENT ? reflector_api_version(r) : "";
	stats.version = reflector_version(r);
	stats.error = r->error;
	return stats;
}
