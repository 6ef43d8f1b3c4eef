/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as the answer of an extender. Byte 0 chooses the question and who answers; the rest is
 * the text, cut as it is for a line.
 *
 * Whatever comes: no crash; an answer that is refused changes nothing and says why; of one that is
 * taken only nodes and victims that were asked about are spoken of, and those that are left are
 * the ones that are kept.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c extender/extender_answer.c
// deps: tests/fuzz/fuzz.c
#include <stdio.h>
#include <string.h>

#include "cache/feed.h"
#include "extender/private.h"
#include "fuzz/fuzz.h"

enum { ARENA_SIZE = 8 << 20, SCRATCH_SIZE = 1 << 18, PIECE_MAX = 1 << 16, NODES = 5 };

static _Alignas(16) uint8_t arena_block[ARENA_SIZE];
static const struct cache_limits limits = {.nodes = 8,
	.pods = 8,
	.objects = 8,
	.classes = 8,
	.label_sets = 8,
	.strings = 256,
	.images = 8,
	.counters = 8,
	.store_bytes = 1 << 16};

static struct world {
	struct arena arena;
	struct cache cache;
	struct scratch scratch;
	struct json_cut *cut;
	struct extenders all;
	struct extender extender;
	struct scheduler_extender config;
	struct extender_ask ask;
	struct extender_word words[16];
	struct extender_offers offers;
	uint32_t nodes[NODES];
	uint32_t left[NODES];
	struct text answer;
	bool ready;
} world;

void extender_ask_fail(struct extender_ask *ask, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int size = vsnprintf(ask->error, sizeof(ask->error), format, args);
	va_end(args);
	CHECK(size > 0);
	ask->error_size = 1;
}

/* ---- one pod of a small cluster ---- */

static bool on_node(void *self, struct json_piece piece)
{
	struct json_value value;
	struct cache_fed fed;
	uint32_t *index = self;
	CHECK(json_parse(piece.text, &world.scratch, &value) == JSON_PARSED);
	CHECK(cache_feed(&world.cache, &world.scratch, KUBE_NODE, value, &fed));
	*index = fed.index;
	return true;
}

static void world_start(void)
{
	struct world *w = &world;
	size_t cut_size = json_cut_size(PIECE_MAX);
	arena_init(&w->arena, arena_block, sizeof(arena_block));
	cache_init(&w->cache, &w->arena, &limits);
	scratch_init(&w->scratch, arena_take(&w->arena, SCRATCH_SIZE), SCRATCH_SIZE);
	w->cut = json_cut_init(arena_take(&w->arena, cut_size), cut_size, PIECE_MAX);
	for (uint32_t i = 0; i < NODES; i++) {
		char json[64];
		snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"n%u\"}}", (unsigned)i);
		json_cut_start(w->cut, JSON_CUT_LINES, NULL, NULL, on_node, &w->nodes[i]);
		CHECK(json_cut_feed(w->cut, text_of(json)) == JSON_CUT_MORE);
		scratch_reset(&w->scratch);
	}
	w->all.setup.cache = &w->cache;
	w->all.scratch = w->scratch;
	w->extender.config = &w->config;
	for (uint32_t verb = 0; verb < EXTENDER_VERBS; verb++) {
		memcpy(w->extender.url[verb], "/x", 2);
		w->extender.url_size[verb] = 2;
	}
	w->config.url_prefix = TEXT("http://x");
	w->config.weight = 3;
	w->ready = true;
}

/* All nodes but the last are asked about; n0 has been dropped by somebody before. */
static void ask_anew(struct world *w)
{
	struct extender_ask *ask = &w->ask;
	memset(ask, 0, sizeof(*ask));
	memset(w->words, 0, sizeof(w->words));
	w->offers = (struct extender_offers){0};
	ask->all = &w->all;
	memcpy(w->left, w->nodes + 1, sizeof(w->left) - sizeof(w->left[0]));
	ask->nodes = w->left;
	ask->offers = &w->offers;
	ask->words.of_node = w->words;
	ask->words.top = pool_top(&w->cache.nodes);
	for (uint32_t i = 0; i < NODES - 1; i++)
		w->words[w->nodes[i]] =
			(struct extender_word){.name = cache_node_at(&w->cache, w->nodes[i])->name,
				.verdict = i == 0 ? EXTENDER_DROPPED : EXTENDER_KEPT};
	ask->node_count = ask->words.kept = NODES - 2;
	for (uint32_t i = 0; i < 2; i++) {
		w->offers.list[i] = (struct extender_offer){.node = w->nodes[i],
			.name = w->words[w->nodes[i]].name,
			.first = i,
			.count = 1,
			.chosen = true};
		w->offers.victims[i] = (struct extender_victim){.uid = {i, i}, .chosen = 1};
	}
	w->offers.count = w->offers.victim_count = 2;
}

static bool on_piece(void *self, struct json_piece piece)
{
	(void)self;
	if (piece.kind != JSON_PIECE_TOO_BIG)
		world.answer = piece.text;
	return false;
}

/* ---- what must hold ---- */

static void check_filter(const struct world *w, bool ok)
{
	const struct extender_ask *ask = &w->ask;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < NODES; i++) {
		const struct extender_word *word = &w->words[w->nodes[i]];
		CHECK(word->verdict != EXTENDER_LISTED);
		CHECK((i == NODES - 1) == (word->verdict == EXTENDER_NOT_ASKED));
		CHECK(word->verdict < EXTENDER_FAILED || word->reason < ask->words.reason_count);
		kept += word->verdict == EXTENDER_KEPT;
	}
	CHECK(w->words[w->nodes[0]].verdict == EXTENDER_DROPPED);
	CHECK(kept == ask->node_count);
	CHECK(ask->words.kept == kept);
	CHECK(ok || kept == NODES - 2);
	CHECK(ask->words.reason_count <= EXTENDER_REASONS_MAX);
	CHECK(ask->reasons_size <= sizeof(ask->reasons));
}

static void check_victims(const struct world *w, bool ok)
{
	for (uint32_t i = 0; i < w->offers.count; i++) {
		const struct extender_offer *offer = &w->offers.list[i];
		CHECK(w->offers.victims[i].chosen <= 1);
		CHECK(ok || (offer->chosen && w->offers.victims[i].chosen == 1));
		CHECK(!ok || !offer->chosen || w->offers.victims[i].chosen == 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world *w = &world;
	struct text bytes = {(const char *)data, size};
	if (size < 1)
		return 0;
	if (!w->ready)
		world_start();
	enum extender_verb verb = (enum extender_verb)(data[0] % EXTENDER_BIND);
	w->config.node_cache_capable = (data[0] & 4) != 0;
	w->config.ignorable = (data[0] & 8) != 0;
	ask_anew(w);
	w->answer = TEXT_NONE;
	json_cut_start(w->cut, JSON_CUT_LINES,
		verb == EXTENDER_FILTER ? extender_want_filter : NULL, NULL, on_piece, NULL);
	if (json_cut_feed(w->cut, text_from(bytes, 1)) == JSON_CUT_BROKEN || w->answer.at == NULL)
		return 0;
	bool ok = extender_answer(&w->ask, &w->extender, verb, w->answer);
	CHECK(ok == (w->ask.error_size == 0));
	check_filter(w, ok || verb != EXTENDER_FILTER);
	check_victims(w, ok && verb == EXTENDER_PREEMPT);
	return 0;
}
