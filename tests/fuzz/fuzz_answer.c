/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as what the apiserver says to a binding, a patch or a deletion. Bytes 0 to 3 are the
 * code of the answer and its Retry-After, byte 4 what was asked and how it ended; the rest is the
 * body.
 *
 * Whatever comes: a pod counts as bound only where the server says so, whoever is to wait waits for
 * a time that has an end, and what is told in the log is a line of text that ends.
 */
// deps: base/*.c json/*.c kube/*.c bind/body_answer.c bind/patcher_answer.c
// deps: tests/fuzz/fuzz.c
#include <string.h>

#include "bind/patcher_private.h"
#include "fuzz/fuzz.h"
#include "kube/passing.h"

enum { HEAD = 5, INPUT_MAX = 1 << 14, SCRATCH_SIZE = 1 << 16, CODES = 600 };

static _Alignas(16) uint8_t cut_block[1 << 17], patcher_block[1 << 14];
static _Alignas(16) uint8_t scratch_block[SCRATCH_SIZE], patcher_scratch[PATCHER_SCRATCH];
static struct json_cut *cut;
static struct scratch scratch;
static struct patcher patcher;
static struct patcher_errand errand;
static struct kube_status status;
static bool is_status;

const char *net_result_name(enum net_result result)
{
	return result == NET_TIMEOUT ? "timeout" : "";
}

static bool on_piece(void *self, struct json_piece piece)
{
	struct json_value root;
	(void)self;
	if (piece.kind == JSON_PIECE_LINE && json_parse(piece.text, &scratch, &root) == JSON_PARSED)
		is_status = kube_status_decode(root, &status);
	return false;
}

static void start(void)
{
	if (cut != NULL)
		return;
	CHECK(json_cut_size(INPUT_MAX) <= sizeof(cut_block));
	CHECK(json_cut_size(PATCHER_ANSWER_KEPT) <= sizeof(patcher_block));
	cut = json_cut_init(cut_block, json_cut_size(INPUT_MAX), INPUT_MAX);
	patcher.cut = json_cut_init(
		patcher_block, json_cut_size(PATCHER_ANSWER_KEPT), PATCHER_ANSWER_KEPT);
	scratch_init(&patcher.scratch, patcher_scratch, sizeof(patcher_scratch));
	errand.patcher = &patcher;
}

static void judge_binding(struct text body, uint16_t code, int32_t header)
{
	struct body_reply reply = {.http = code, .retry_after_seconds = header};
	uint32_t wait;
	scratch_init(&scratch, scratch_block, sizeof(scratch_block));
	is_status = false;
	json_cut_start(cut, JSON_CUT_LINES, kube_status_want, NULL, on_piece, NULL);
	(void)!json_cut_feed(cut, body);
	reply.status = is_status ? &status : NULL;
	enum bind_answer answer = bind_answer(&reply, &wait);
	bool is_done = code >= 200 && code < 300;
	CHECK(wait <= BODY_RETRY_MAX_S);
	CHECK(wait == 0 || answer == BIND_RETRY_LATER);
	CHECK(answer != BIND_DONE || is_done);
	CHECK(!is_done || answer == BIND_DONE || text_is_z(status.status, "Failure"));
	CHECK(answer != BIND_GONE || (code == 404 && is_status));
	CHECK(answer != BIND_UID_MISMATCH || (code == 409 && is_status));
	CHECK(code != 429 || answer == BIND_RETRY_LATER);
	CHECK(code != 0 || answer == BIND_UNCLEAR);
}

static void judge_patch(struct text body, uint16_t code, int32_t header, uint8_t choice)
{
	struct patcher_judged judged;
	struct net_answer *answer = &errand.request.answer;
	memset(&judged, 0xff, sizeof(judged));
	*answer = (struct net_answer){.result = (enum net_result)(choice >> 4 & 3),
		.status = code,
		.sent = code != 0 || (choice & 2) != 0,
		.retry_after_ms = header < 0 ? -1 : (int64_t)header * 1000};
	errand.step = (choice & 1) != 0 ? PATCHER_PATCH : PATCHER_DELETE;
	errand.answer_size = body.size < PATCHER_ANSWER_KEPT ? body.size : PATCHER_ANSWER_KEPT;
	memcpy(errand.answer, body.at, errand.answer_size);
	patcher_judge(&errand, &judged);
	CHECK(memchr(judged.fault, '\0', sizeof(judged.fault)) != NULL);
	CHECK((judged.verdict == PATCHER_OK) == (code >= 200 && code < 300));
	CHECK((judged.verdict == PATCHER_OK) == (judged.fault[0] == '\0'));
	CHECK(judged.verdict != PATCHER_LATER || judged.wait_ms >= 0);
	CHECK(judged.verdict != PATCHER_NOT_FOUND || code == 404);
	CHECK(judged.wait_ms >= -1 && judged.wait_ms <= (int64_t)INT32_MAX * 1000);
	/* another pod may have the name by now */
	CHECK(judged.verdict != PATCHER_AGAIN || errand.step == PATCHER_PATCH || !answer->sent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEAD || size > INPUT_MAX)
		return 0;
	start();
	struct text body = {(const char *)data + HEAD, size - HEAD};
	uint16_t code = (uint16_t)((data[0] << 8 | data[1]) % CODES);
	int32_t header = (int32_t)(int16_t)(data[2] << 8 | data[3]);
	code = code < 100 ? 0 : code;
	judge_binding(body, code, header < 0 ? -1 : header);
	judge_patch(body, code, header, data[4]);
	return 0;
}
