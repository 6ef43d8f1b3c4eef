/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers of a hostile server: HTTP in any slicing, and DNS messages. Byte 0 chooses; then the
 * number of slices' sizes, the sizes, the text.
 *
 * In slices, byte by byte and in one go the same must come out, and no body is longer than what
 * was fed.
 */
// deps: http/headers.c http/parser.c base/clock.c net/dns.c net/address.c
// deps: base/text.c base/format.c base/check.c base/budget.c base/trace.c
// deps: tests/fuzz/fuzz.c
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "net/dns.h"
#include "http/parser_private.h"

enum { BODY_MAX = 1 << 20 };

struct run {
	enum http_step step;
	struct http http;
	size_t body_size, taken;
	char body[BODY_MAX];
};

static struct run whole, sliced;

static void feed(struct run *run, struct text bytes)
{
	struct text part;
	size_t before = bytes.size;

	do {
		run->step = http_feed(&run->http, &bytes, &part);
		CHECK(part.size <= sizeof(run->body) - run->body_size);
		if (part.size > 0)
			memcpy(run->body + run->body_size, part.at, part.size);
		run->body_size += part.size;
	} while (run->step == HTTP_BODY);
	CHECK(run->step != HTTP_NEED_MORE || bytes.size == 0);
	CHECK((run->step == HTTP_BROKEN || run->step == HTTP_TOO_BIG) == (run->http.fault != NULL));
	run->taken += before - bytes.size;
}

static void read_sliced(struct run *run, struct text bytes, const uint8_t *sizes, size_t count)
{
	run->step = HTTP_NEED_MORE;
	run->body_size = run->taken = 0;
	http_start(&run->http);
	for (size_t at = 0, i = 0; at < bytes.size && run->step == HTTP_NEED_MORE; i++) {
		size_t size = count == 0 ? bytes.size : sizes[i % count];

		size = size == 0 ? 1 : size;
		size = size > bytes.size - at ? bytes.size - at : size;
		/* a copy of its own: reading behind the slice is seen */
		char *copy = malloc(size);
		memcpy(copy, bytes.at + at, size);
		feed(run, (struct text){copy, size});
		free(copy);
		at += size;
	}
	if (run->step == HTTP_NEED_MORE)
		run->step = http_end(&run->http);
}

static void fuzz_answer(const uint8_t *data, size_t size)
{
	size_t count = size == 0 ? 0 : data[0] % 8u;

	if (size < 1 + count)
		return;
	struct text bytes = {(const char *)data + 1 + count, size - 1 - count};
	read_sliced(&whole, bytes, NULL, 0);
	read_sliced(&sliced, bytes, data + 1, count);
	CHECK(whole.step == sliced.step);
	CHECK(whole.taken == sliced.taken);
	CHECK(whole.body_size == sliced.body_size);
	CHECK(whole.body_size <= bytes.size);
	CHECK(memcmp(whole.body, sliced.body, whole.body_size) == 0);
	CHECK(whole.http.status == sliced.http.status);
	CHECK(whole.http.retry_after_s == sliced.http.retry_after_s);
	CHECK(whole.http.fault == sliced.http.fault);
	CHECK(whole.step != HTTP_DONE || whole.http.status >= 200);
}

static void fuzz_dns(const uint8_t *data, size_t size)
{
	struct net_address found[4];
	uint32_t count = 0;
	uint16_t type = size > 0 && data[0] % 2 == 0 ? DNS_A : DNS_AAAA;

	if (size < 3)
		return;
	/* the id is right, so that more of the message is looked at */
	uint16_t id = (uint16_t)(data[1] << 8 | data[2]);
	char *copy = malloc(size);
	memcpy(copy, data + 1, size - 1);
	enum dns_result result = dns_read((struct text){copy, size - 1}, id, "api.example", type,
		found, ARRAY_COUNT(found), &count);
	CHECK((result == DNS_FOUND) == (count > 0));
	CHECK(count <= ARRAY_COUNT(found));
	for (uint32_t i = 0; i < count; i++)
		CHECK(found[i].family == (type == DNS_A ? 4 : 6));
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0 || size > BODY_MAX)
		return 0;
	if (data[0] % 4 == 0)
		fuzz_dns(data + 1, size - 1);
	else
		fuzz_answer(data + 1, size - 1);
	return 0;
}
