/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as the apiserver's answer to who somebody is. Byte 0 is the size of slices, the rest
 * the answer. access.c stands inside, with the few things that it asks of others played here.
 *
 * Whatever comes: who is known is the one whom the answer names, and the question what he may do is
 * JSON about him and his groups.
 */
// deps: base/*.c json/*.c kube/*.c api/*.c net/backoff.c http/server_text.c
// deps: status/access_users.c status/access_memory.c tls/digest.c net/address.c
// deps: tests/fuzz/fuzz.c
// libs: mbedtls
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "http/counts.h"
#include "status/access.c"

enum { INPUT_MAX = 1 << 14, WORK_SIZE = 1 << 18 };

static struct access world;
static struct status_review *const review = &world.reviews[0];
static _Alignas(16) uint8_t scratch_block[SCRATCH_MAX], work_block[WORK_SIZE];
static _Alignas(16) uint8_t cut_block[WORK_SIZE];
static char body_block[BODY_MAX];

/* ---- what access.c asks of others ---- */

const char status_json[] = "", status_plain[] = "";

void status_reply(struct status_answer *a, uint16_t code, const char *type, struct text body)
{
	status_reply_with(a, code, type, "", body);
}
void status_reply_with(struct status_answer *a, uint16_t code, const char *type,
	const char *headers, struct text body)
{
	(void)a;
	(void)code;
	(void)type;
	(void)headers;
	(void)body;
}
void status_refuse(struct status_answer *a, uint16_t code, const char *format, ...)
{
	status_reply(a, code, status_plain, text_of(format));
}
void status_route(struct status_answer *a)
{
	(void)a;
}
const struct options_words *authorities_words(
	const struct authorities *authorities, enum authority_words which)
{
	(void)authorities;
	(void)which;
	return NULL;
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
struct text net_exchange_header(const struct net_exchange *e, const char *name, uint32_t nth)
{
	(void)e;
	(void)name;
	(void)nth;
	return TEXT_NONE;
}
struct text net_exchange_line(const struct net_exchange *e, uint32_t n)
{
	(void)e;
	(void)n;
	return TEXT_NONE;
}
void net_exchange_vouch(struct net_exchange *e)
{
	(void)e;
}
void net_exchange_client(const struct net_exchange *e, struct tls_client_names *names)
{
	(void)e;
	*names = (struct tls_client_names){.common_name = TEXT_NONE};
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

/* ---- one answer ---- */

static struct json_value parse(struct text text, struct scratch *scratch)
{
	struct json_value root;

	CHECK(json_parse(text, scratch, &root) == JSON_PARSED);
	return root;
}

/* The answer as the cutter leaves it, with everything that is in it. */
static char answer_block[INPUT_MAX];
static struct text answer_piece;

static bool keep_piece(void *self, struct json_piece piece)
{
	(void)self;
	if (piece.kind == JSON_PIECE_LINE) {
		memcpy(answer_block, piece.text.at, piece.text.size);
		answer_piece = (struct text){answer_block, piece.text.size};
	}
	return false;
}

static void check_question(struct text answer, struct scratch *scratch)
{
	struct net_exchange exchange = {.path = TEXT("/metrics")};
	struct status_route route = {.path = "/metrics", .access = STATUS_FOR_METRICS};
	struct status_answer a = {.exchange = &exchange, .route = &route};
	struct tls_digest who = access_user_digest(&review->user);

	review->answer = &a;
	CHECK(ask_access(review, 0, &who));
	struct json_value asked = parse(review->call.body, scratch);
	struct json_value spec = json_get(asked, "spec");
	CHECK(text_is_z(json_text(json_path(spec, "nonResourceAttributes.path")), "/metrics"));
	CHECK(json_type(json_get(spec, "groups")) == JSON_ARRAY);
	CHECK(json_count(json_get(spec, "groups")) > 0);

	answer_piece = TEXT_NONE;
	json_cut_start(review->cut, JSON_CUT_LINES, want_review, NULL, keep_piece, NULL);
	(void)!json_cut_feed(review->cut, answer);
	struct json_value user = json_path(parse(answer_piece, scratch), "status.user");
	CHECK(text_is(json_text(json_get(spec, "user")), json_text(json_get(user, "username"))));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct status status;
	struct scratch scratch;
	struct writer none;

	if (size < 1 || size > INPUT_MAX)
		return 0;
	memset(review, 0, sizeof(*review));
	review->access = &world;
	world.status = &status;
	world.caller = (struct api_caller){.client = client_once(), .done = access_reviewed};
	api_caller_init(&world.caller);
	review->cut = json_cut_init(cut_block, json_cut_size(PIECE_MAX), PIECE_MAX);
	scratch_init(&world.scratch, scratch_block, sizeof(scratch_block));
	scratch_init(&scratch, work_block, sizeof(work_block));
	review->body = body_block;
	writer_init(&none, review->body, 0);
	CHECK(review_send(review, "/", &none));
	struct text answer = {(const char *)data + 1, size - 1};
	feed(&review->call.request, answer, data[0] == 0 ? size : data[0]);
	api_call_cancel(&review->call);
	CHECK(world.scratch.used == 0);
	CHECK(review->is_read || !review->yes);
	if (review->yes)
		check_question(answer, &scratch);
	api_caller_close(&world.caller);
	return 0;
}
