/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as the configmap of the authorities. Byte 0 is the size of slices, the rest the answer.
 * authorities.c stands inside, with the few things that it asks of others played here.
 *
 * Whatever comes: what was read lies in the set, and what has no names and is no empty list is not
 * taken for "any name".
 */
// deps: base/*.c json/*.c kube/*.c api/*.c net/backoff.c
// deps: tests/fuzz/fuzz.c
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "http/counts.h"
#include "status/authorities.c"

enum { INPUT_MAX = 1 << 17 };

static struct authorities world;
static struct options options;
static _Alignas(16) uint8_t scratch_block[SCRATCH_MAX], cut_block[1 << 19];

/* ---- what authorities.c asks of others ---- */

bool net_server_trust(struct net_server *server, struct text client_ca, struct text proxy_ca,
	struct writer *fault)
{
	(void)server;
	CHECK(client_ca.size <= CA_MAX && proxy_ca.size <= CA_MAX);
	if (text_starts(client_ca, TEXT("bad")))
		write_z(fault, "bad");
	return fault->used == 0;
}
void net_send(struct net_client *client, struct net_request *request)
{
	(void)client;
	(void)request;
}
void net_client_count_retry(struct net_client *client, const struct net_request *request)
{
	(void)client;
	(void)request;
}
void net_cancel(struct net_request *request)
{
	(void)request;
}
void net_timer_init(struct net_timer *timer, void (*fire)(struct net_timer *timer, struct mono now))
{
	list_init(&timer->link);
	(void)fire;
}
void net_timer_arm(struct net *net, struct net_timer *timer, struct mono at)
{
	(void)net;
	(void)timer;
	(void)at;
}
void net_timer_disarm(struct net_timer *timer)
{
	(void)timer;
}
struct mono net_now(const struct net *net)
{
	(void)net;
	return (struct mono){0};
}
const char *net_result_name(enum net_result result)
{
	(void)result;
	return "";
}

/* ---- the engine of calls, over a net that is played here ---- */

static struct api_client *client_once(void)
{
	static _Alignas(16) uint8_t block[1 << 18];
	static struct api_client *client;
	static struct random random;
	struct arena arena;
	if (client != NULL)
		return client;
	random_init(&random, 1);
	CHECK(api_client_size(1) <= sizeof(block));
	arena_init(&arena, block, sizeof(block));
	client = api_client_open(&(struct api_setup){
		.arena = &arena, .entropy = entropy_seeded(&random), .answers_max = 1});
	return client;
}

static void feed(struct net_request *request, struct text answer, size_t slice)
{
	request->answer = (struct net_answer){.result = NET_OK, .status = 200, .sent = true};
	for (struct text rest = answer; rest.size > 0;) {
		size_t part = rest.size < slice ? rest.size : slice;
		CHECK(request->on_body(request, text_first(rest, part)) == NET_MORE);
		rest = text_from(rest, part);
	}
}

/* ---- what must hold ---- */

static void check_words(const struct authority_set *set, uint32_t which, struct text json)
{
	const struct options_words *words = &set->words[which];
	CHECK(words->count <= OPTIONS_WORDS_MAX);
	for (uint32_t i = 0; i < words->count; i++) {
		struct text word = words->list[i];
		CHECK(word.at >= set->room && word.at + word.size <= set->room + set->room_used);
	}
	CHECK(words->count > 0 || json.size == 0 || text_is_z(json, "null") ||
		text_is_z(json, "[]"));
}

/* The answer as the cutter leaves it. */
static char piece_block[PIECE_MAX];
static struct text piece;

static bool keep_piece(void *self, struct json_piece found)
{
	(void)self;
	if (found.kind == JSON_PIECE_LINE) {
		memcpy(piece_block, found.text.at, found.text.size);
		piece = (struct text){piece_block, found.text.size};
	}
	return false;
}

static void check_set(struct text answer)
{
	static _Alignas(16) uint8_t block[SCRATCH_MAX];
	const struct authority_set *set = &world.sets[1 - world.current];
	struct scratch scratch;
	struct json_value root;
	scratch_init(&scratch, block, sizeof(block));
	piece = TEXT_NONE;
	json_cut_start(world.cut, JSON_CUT_LINES, want_map, NULL, keep_piece, NULL);
	(void)!json_cut_feed(world.cut, answer);
	CHECK(json_parse(piece, &scratch, &root) == JSON_PARSED);
	struct json_value data = json_get(root, "data");
	CHECK(set->room_used <= sizeof(set->room));
	CHECK(text_is((struct text){set->client, set->client_size},
		json_text(json_get(data, "client-ca-file"))));
	for (uint32_t i = 0; i < AUTHORITY_WORDS && set->proxy_size > 0; i++)
		check_words(set, i, json_text(json_get(data, want_data[2 + i].key)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct status status;
	static struct scheduler scheduler;
	if (size < 1 || size > INPUT_MAX)
		return 0;
	log_to(-1);
	memset(&world, 0, sizeof(world));
	CHECK(json_cut_size(PIECE_MAX) <= sizeof(cut_block));
	world.status = &status;
	scheduler.api = client_once();
	status.setup.scheduler = &scheduler;
	status.setup.options = &options;
	world.caller = (struct api_caller){.client = scheduler.api, .done = authorities_answered};
	api_caller_init(&world.caller);
	world.cut = json_cut_init(cut_block, json_cut_size(PIECE_MAX), PIECE_MAX);
	scratch_init(&world.scratch, scratch_block, sizeof(scratch_block));
	look_at_authorities(&world.timer, (struct mono){0});
	struct text answer = {(const char *)data + 1, size - 1};
	feed(&world.call.request, answer, data[0] == 0 ? size : data[0]);
	CHECK(world.scratch.used == 0);
	if (world.is_read)
		check_set(answer);
	world.call.request.on_done(&world.call.request);
	CHECK(api_call_is_over(&world.call));
	CHECK(world.current == 0 || world.is_read);
	api_caller_close(&world.caller);
	return 0;
}
