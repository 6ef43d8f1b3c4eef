/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as the answer of the apiserver to any kind of call. Bytes 0 to 3 are the code of the
 * answer and its Retry-After, byte 4 says how it ended; the rest is the body.
 *
 * Whatever comes: something counts as done only where the server says so, a wait has an end, and
 * what may have been done is not repeated blindly.
 */
// deps: base/*.c json/*.c kube/*.c api/api_judge.c api/api_policies.c
// deps: tests/fuzz/fuzz.c
#include <string.h>

#include "api/api.h"
#include "fuzz/fuzz.h"
#include "kube/passing.h"

enum { HEAD = 5, INPUT_MAX = 1 << 14, SCRATCH_SIZE = 1 << 16, CODES = 600 };

static _Alignas(16) uint8_t cut_block[1 << 17];
static _Alignas(16) uint8_t scratch_block[SCRATCH_SIZE];
static struct json_cut *cut;
static struct scratch scratch;
static struct kube_status status;
static bool is_status;

static bool on_piece(void *self, struct json_piece piece)
{
	struct json_value root;
	(void)self;
	if (piece.kind == JSON_PIECE_LINE && json_parse(piece.text, &scratch, &root) == JSON_PARSED)
		is_status = kube_status_decode(root, &status);
	return false;
}

static struct api_status read_body(struct text body)
{
	CHECK(json_cut_size(INPUT_MAX) <= sizeof(cut_block));
	if (cut == NULL)
		cut = json_cut_init(cut_block, json_cut_size(INPUT_MAX), INPUT_MAX);
	scratch_init(&scratch, scratch_block, sizeof(scratch_block));
	is_status = false;
	json_cut_start(cut, JSON_CUT_LINES, kube_status_want, NULL, on_piece, NULL);
	(void)!json_cut_feed(cut, body);
	return is_status ? api_status_of(&status) : (struct api_status){.is_there = false};
}

static void judge(const struct api_policy *policy, const struct net_answer *answer,
	const struct api_status *read)
{
	int64_t wait_ms;
	enum api_verdict verdict = api_answer_means(policy, answer, read, &wait_ms);
	uint16_t code = answer->status;
	bool is_success = code >= 200 && code < 300;
	bool is_whole = answer->result == NET_OK;
	CHECK(wait_ms >= -1 && wait_ms <= policy->wait_max_ms);
	CHECK(wait_ms < 0 || verdict == API_RETRY);
	CHECK(verdict != API_DONE || is_success);
	CHECK(!is_success || !is_whole || verdict == API_DONE || read->is_failure);
	CHECK(verdict != API_GONE || code == 404 || (code == 409 && read->is_uid_mismatch));
	CHECK(verdict != API_GONE || code != 404 || policy->trusts_404 || read->is_not_found);
	CHECK(code != 429 || verdict == API_RETRY);
	CHECK(code != 0 || verdict == API_UNCLEAR || verdict == API_RETRY);
	/* What may have been done is repeated only where that does no harm, or is verified. */
	CHECK(verdict != API_RETRY || !answer->sent || code != 0 || policy->repeats_lost);
	CHECK(!api_answer_is_refusal(answer) || !answer->sent || (code >= 400 && code < 500));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEAD || size > INPUT_MAX)
		return 0;
	struct text body = {(const char *)data + HEAD, size - HEAD};
	uint16_t code = (uint16_t)((data[0] << 8 | data[1]) % CODES);
	int32_t header = (int32_t)(int16_t)(data[2] << 8 | data[3]);
	code = code < 100 ? 0 : code;
	const struct net_answer answer = {
		.result = code == 0 ? NET_RESET : (enum net_result)(data[4] >> 4 & 3),
		.status = code,
		.sent = code != 0 || (data[4] & 2) != 0,
		.retry_after_ms = header < 0 ? -1 : (int64_t)header * 1000};
	struct api_status read = read_body(body);
	for (uint32_t i = 0; i < API_PURPOSES; i++)
		judge(&api_policies[i], &answer, &read);
	return 0;
}
