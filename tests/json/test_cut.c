/* SPDX-License-Identifier: GPL-2.0-only */
/* Pieces and wants: what comes out of the cutter, in which order, and what does not fit. */
// deps: json/cut.c json/cut_run.c json/cut_step.c json/name.c
// deps: base/text.c base/format.c base/check.c base/budget.c base/trace.c
#include <unity.h>

#include "json/collect.h"
#include "json/pod_want.h"

static struct collect collect;

void setUp(void)
{
	collect.stop_after = 0;
}

void tearDown(void)
{
}

static void expect(struct collect_job job, const char *text, const char *expected)
{
	collect_all_slicings(&collect, job, text_of(text));
	collect.out[collect.used] = '\0';
	TEST_ASSERT_EQUAL_STRING(expected, collect.out);
}

static struct collect_job lines(const struct json_want *want)
{
	return (struct collect_job){JSON_CUT_LINES, want, NULL, 4096};
}

static struct collect_job list(const struct json_want *want, const struct json_want *envelope)
{
	return (struct collect_job){JSON_CUT_LIST, want, envelope, 4096};
}

/* ---- shapes ---- */

static void test_lines(void)
{
	expect(lines(NULL), "", "");
	TEST_ASSERT_TRUE(collect.ended);
	expect(lines(NULL), "\n \n", "");
	TEST_ASSERT_TRUE(collect.ended);
	expect(lines(NULL), "{\"a\":1}\n{\"b\":2}\n", "L{\"a\":1}\nL{\"b\":2}\n");
	TEST_ASSERT_TRUE(collect.ended);
	expect(lines(NULL), "{}{}[]\"a\"[ ]", "L{}\nL{}\nL[]\nL\"a\"\nL[]\n");
	TEST_ASSERT_TRUE(collect.ended);
	expect(lines(NULL), "1 2\ntrue null \"x\" -1.5", "L1\nL2\nLtrue\nLnull\nL\"x\"\nL-1.5\n");
	TEST_ASSERT_TRUE(collect.ended);
}

static void test_line_comes_with_its_last_byte(void)
{
	struct json_cut *cut = collect_cutter(4096);

	collect.used = collect.pieces = 0;
	json_cut_start(cut, JSON_CUT_LINES, NULL, NULL, collect_piece, &collect);
	TEST_ASSERT_EQUAL(JSON_CUT_MORE, collect_feed(cut, "{\"a\":1", 6));
	TEST_ASSERT_FALSE(json_cut_end(cut));
	TEST_ASSERT_EQUAL(0, collect.pieces);
	TEST_ASSERT_EQUAL(JSON_CUT_MORE, collect_feed(cut, "}", 1));
	TEST_ASSERT_EQUAL(1, collect.pieces);
	TEST_ASSERT_TRUE(json_cut_end(cut));
	TEST_ASSERT_EQUAL(7, json_cut_offset(cut));
	TEST_ASSERT_EQUAL(JSON_CUT_MORE, json_cut_feed(cut, TEXT_NONE));
	free(cut);
}

static void test_number_is_complete_at_the_end(void)
{
	expect(lines(NULL), "12", "L12\n");
	TEST_ASSERT_TRUE(collect.ended);
	expect(lines(NULL), "1e", "");
	TEST_ASSERT_FALSE(collect.ended);
	expect(lines(NULL), "[12", "");
	TEST_ASSERT_FALSE(collect.ended);
}

static void test_list(void)
{
	expect(list(NULL, NULL),
		"{\"kind\":\"L\",\"items\":[{\"a\":1},{\"b\":[2]},3,\"x\",[4],null]}",
		"I{\"a\":1}\nI{\"b\":[2]}\nI3\nI\"x\"\nI[4]\nInull\nE{\"kind\":\"L\"}\n");
	TEST_ASSERT_TRUE(collect.ended);
	expect(list(NULL, NULL), "{\"items\":[]}", "E{}\n");
	expect(list(NULL, NULL), "{\"items\": [ ] }\n", "E{}\n");
	expect(list(NULL, NULL), "{\"items\":null,\"a\":1}", "E{\"a\":1}\n");
	expect(list(NULL, NULL), " {\"a\":1,\"items\" : [ 1 , 2 ] ,\"b\":2} \n",
		"I1\nI2\nE{\"a\":1,\"b\":2}\n");
	expect(list(NULL, NULL), "{}", "E{}\n");
	expect(list(NULL, NULL), "{\"it\\u0065ms\":[1]}", "I1\nE{}\n");
	expect(list(NULL, NULL), "{\"items\":[1],\"items\":[2]}", "I1\nI2\nE{}\n");
	expect(list(NULL, NULL), "{\"a\":{\"items\":[1]},\"items\":[{\"items\":[2]}]}",
		"I{\"items\":[2]}\nE{\"a\":{\"items\":[1]}}\n");
	TEST_ASSERT_TRUE(collect.ended);
}

static void test_list_is_one_object(void)
{
	static const char *const not_lists[] = {"[]", "null", "1", "\"items\"", "{}{}", "{} 1",
		"{\"items\":{}}", "{\"items\":1}", "{\"items\":\"\"}", "{\"items\":true}",
		"{\"items\":nil}", "{\"items\"}", "{\"items\":}", "{\"items\":[1,]}"};
	static const char *const unfinished[] = {"", " ", "{", "{\"items\":[", "{\"items\":[1",
		"{\"items\":[]", "{\"items\":nul", "{\"items\":[{},"};

	for (size_t i = 0; i < ARRAY_COUNT(not_lists); i++) {
		collect_all_slicings(&collect, list(NULL, NULL), text_of(not_lists[i]));
		TEST_ASSERT_EQUAL_MESSAGE(JSON_CUT_BROKEN, collect.result, not_lists[i]);
	}
	for (size_t i = 0; i < ARRAY_COUNT(unfinished); i++) {
		collect_all_slicings(&collect, list(NULL, NULL), text_of(unfinished[i]));
		TEST_ASSERT_EQUAL_MESSAGE(JSON_CUT_MORE, collect.result, unfinished[i]);
		TEST_ASSERT_FALSE_MESSAGE(collect.ended, unfinished[i]);
	}
}

static void test_status_in_place_of_a_list(void)
{
	static const struct json_want envelope[] = {{"kind", NULL}, {"code", NULL}, WANT_END};

	expect(list(pod_want, envelope),
		"{\"kind\":\"Status\",\"metadata\":{},\"message\":\"no\",\"code\":410}",
		"E{\"kind\":\"Status\",\"code\":410}\n");
	TEST_ASSERT_TRUE(collect.ended);
}

/* ---- wants ---- */

static const struct json_want want_b[] = {{"b", NULL}, WANT_END};
static const struct json_want want_ab[] = {{"a", want_b}, {"c", NULL}, WANT_END};
static const struct json_want want_any_b[] = {{"a", NULL}, {"*", want_b}, {"z", NULL}, WANT_END};
static const struct json_want want_none[] = {WANT_END};

static void test_wanted_members_stay(void)
{
	expect(lines(want_ab),
		"{\"a\":{\"a\":1,\"b\":2,\"c\":3},\"b\":4,\"c\":{\"x\":[5]},\"d\":6}",
		"L{\"a\":{\"b\":2},\"c\":{\"x\":[5]}}\n");
	expect(lines(want_ab), "{\"b\":{},\"d\":[{}],\"e\":\"\",\"c\":1}", "L{\"c\":1}\n");
	expect(lines(want_ab), "{\"aa\":1,\"\":2,\"cc\":3,\"A\":4,\"c\":5}", "L{\"c\":5}\n");
	expect(lines(want_ab), "{\"\\u0063\":1,\"\\u0064\":2}", "L{\"c\":1}\n");
}

static void test_empty_is_not_missing(void)
{
	expect(lines(want_ab), "{\"c\":{}}", "L{\"c\":{}}\n");
	expect(lines(want_ab), "{\"c\":[]}", "L{\"c\":[]}\n");
	expect(lines(want_ab), "{\"c\":null}", "L{\"c\":null}\n");
	expect(lines(want_ab), "{\"c\":\"\"}", "L{\"c\":\"\"}\n");
	expect(lines(want_ab), "{\"a\":{}}", "L{\"a\":{}}\n");
	expect(lines(want_ab), "{\"a\":{\"x\":1}}", "L{\"a\":{}}\n");
	expect(lines(want_ab), "{\"a\":null}", "L{\"a\":null}\n");
	expect(lines(want_ab), "{\"x\":1}", "L{}\n");
	expect(lines(want_none), "{\"a\":{\"b\":1},\"c\":2}", "L{}\n");
}

static void test_scalar_in_place_of_an_object_stays(void)
{
	expect(lines(want_ab), "{\"a\":\"text\"}", "L{\"a\":\"text\"}\n");
	expect(lines(want_ab), "{\"a\":1}", "L{\"a\":1}\n");
	expect(lines(want_ab), "3", "L3\n");
}

static void test_arrays_are_transparent(void)
{
	expect(lines(want_ab), "{\"a\":[{\"b\":1,\"x\":2},[{\"x\":3},{\"b\":4}],5,{}]}",
		"L{\"a\":[{\"b\":1},[{},{\"b\":4}],5,{}]}\n");
	expect(lines(want_ab), "[{\"c\":1,\"x\":2}]", "L[{\"c\":1}]\n");
	expect(lines(want_ab), "{\"a\":[{\"x\":[1]},{\"x\":{}}],\"c\":0}",
		"L{\"a\":[{},{}],\"c\":0}\n");
}

static void test_star(void)
{
	expect(lines(want_any_b),
		"{\"a\":{\"x\":1},\"q\":{\"x\":1,\"b\":2},\"z\":{\"x\":3,\"b\":4}}",
		"L{\"a\":{\"x\":1},\"q\":{\"b\":2},\"z\":{\"b\":4}}\n");
	expect(lines(want_any_b), "{\"*\":{\"x\":1},\"\":{\"b\":1}}",
		"L{\"*\":{},\"\":{\"b\":1}}\n");
}

static void test_duplicate_keys_stay(void)
{
	expect(lines(want_ab), "{\"c\":1,\"x\":2,\"c\":3}", "L{\"c\":1,\"c\":3}\n");
}

static void test_watch_line(void)
{
	static const struct json_want line[] = {{"type", NULL}, {"object", pod_want}, WANT_END};

	expect(lines(line),
		"{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\","
		"\"managedFields\":[{\"fieldsV1\":{\"f:metadata\":{\"k:{\\\"name\\\":\\\"c\\\"}\":{"
		"}}}}]},"
		"\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{},\"env\":[{\"name\":"
		"\"x\"}]}],"
		"\"dnsPolicy\":\"ClusterFirst\"},\"status\":{}}}\n",
		"L{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"},"
		"\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{}}]},\"status\":{}}}\n");
}

/* ---- keys ---- */

/* {"kkk...":1,"a":2} with a key of `size` bytes, `escape` in front of it. */
static const char *with_key(const char *escape, size_t size)
{
	static char text[2 * JSON_KEY_MAX];
	size_t used = (size_t)snprintf(text, sizeof(text), "{\"%s", escape);

	memset(text + used, 'k', size);
	snprintf(text + used + size, sizeof(text) - used - size, "\":1,\"a\":2}");
	return text;
}

static void test_long_keys_are_dropped(void)
{
	static const struct json_want *const wants[] = {NULL, want_any_b};

	for (size_t i = 0; i < ARRAY_COUNT(wants); i++) {
		expect(lines(wants[i]), with_key("", JSON_KEY_MAX + 1), "L{\"a\":2}\n");
		expect(lines(wants[i]), with_key("\\\"", JSON_KEY_MAX), "L{\"a\":2}\n");
		expect(lines(wants[i]), with_key("\\u00e9", JSON_KEY_MAX), "L{\"a\":2}\n");
		expect(lines(wants[i]), with_key("", JSON_KEY_MAX), collect.out);
		TEST_ASSERT_EQUAL(JSON_KEY_MAX + 14, collect.used);
		expect(lines(wants[i]), with_key("\\u0041", JSON_KEY_MAX - 1), collect.out);
		TEST_ASSERT_EQUAL(JSON_KEY_MAX + 14, collect.used);
	}
}

/* ---- what does not fit ---- */

static struct collect_job small(enum json_cut_shape shape, const struct json_want *want, size_t max)
{
	return (struct collect_job){shape, want, NULL, max};
}

/* ["aaa..."] so that the piece has `size` bytes. */
static struct text sized(char *to, size_t size)
{
	memset(to, 'a', size);
	memcpy(to, "[\"", 2);
	memcpy(to + size - 2, "\"]", 2);
	to[size] = '\0';
	return (struct text){to, size};
}

static void test_too_big(void)
{
	static char text[1024];

	for (size_t max = JSON_PIECE_MIN; max < JSON_PIECE_MIN + 40; max++) {
		for (size_t size = max - 20; size <= max; size++) {
			collect_all_slicings(
				&collect, small(JSON_CUT_LINES, NULL, max), sized(text, size));
			TEST_ASSERT_EQUAL('L', collect.out[0]);
			TEST_ASSERT_EQUAL(size + 2, collect.used);
		}
		for (size_t size = max + 1; size < max + 40; size += 3) {
			collect_all_slicings(
				&collect, small(JSON_CUT_LINES, NULL, max), sized(text, size));
			TEST_ASSERT_EQUAL('B', collect.out[0]);
			TEST_ASSERT_EQUAL(max + 2, collect.used);
			TEST_ASSERT_EQUAL_MEMORY(text, collect.out + 1, max);
			TEST_ASSERT_TRUE(collect.ended);
		}
	}
}

static void test_too_big_leaves_the_others_alone(void)
{
	static char text[1024];
	char expected[256];

	snprintf(text, sizeof(text),
		"{\"a\":1,\"items\":[1,{\"x\":[{\"y\":\"%0100d\"}],\"z\":{}},{\"b\":2}],"
		"\"c\":3}",
		0);
	snprintf(expected, sizeof(expected), "I1\nB{\"x\":[{}]}\nI{\"b\":2}\nE{\"a\":1,\"c\":3}\n");
	expect(small(JSON_CUT_LIST, NULL, JSON_PIECE_MIN), text, expected);
	TEST_ASSERT_TRUE(collect.ended);
}

/* The member that is too much is left out, and all behind it but what is brief. */
static void test_too_big_keeps_what_is_brief(void)
{
	static const char *const keys[] = {"metadata", "name", "spec", "node", NULL};
	static char text[4096];
	static char expected[1024];
	size_t size = json_cut_size(256);
	struct json_cut *cut = json_cut_init(malloc(size), size, 256);

	snprintf(text, sizeof(text),
		"{\"items\":[{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"y\",\"name\":"
		"\"%0300d\",\"z\":\"z\"},\"uid\":\"u\"},\"spec\":{\"list\":[{\"name\":\"c\"}],"
		"\"node\":\"n1\",\"more\":{\"node\":7}},\"other\":{\"name\":3}},{\"spec\":{"
		"\"node\":"
		"\"%01000d\",\"name\":\"b\"}},{\"spec\":1}]}",
		0, 0);
	snprintf(expected, sizeof(expected),
		"B{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"y\"}},\"spec\":{\"node\":"
		"\"n1\"}}\n"
		"B{\"spec\":{\"name\":\"b\"}}\nI{\"spec\":1}\nE{}\n");
	static const struct json_want inside[] = {{"*", NULL}, {NULL, NULL}};
	static const struct json_want want[] = {
		{"metadata", inside}, {"spec", inside}, {NULL, NULL}};
	for (size_t slice = 1; slice < 40; slice++) {
		memset(&collect, 0, sizeof(collect));
		json_cut_start(cut, JSON_CUT_LIST, want, want, collect_piece, &collect);
		json_cut_brief(cut, keys);
		for (size_t at = 0; at < strlen(text); at += slice) {
			size_t left = strlen(text) - at;
			TEST_ASSERT_EQUAL(JSON_CUT_MORE,
				collect_feed(cut, text + at, left < slice ? left : slice));
		}
		TEST_ASSERT_TRUE(json_cut_end(cut));
		collect.out[collect.used] = '\0';
		TEST_ASSERT_EQUAL_STRING(expected, collect.out);
	}
	free(cut);
}

/* Valid whatever its size: brackets have room of their own. */
static void test_too_big_is_valid_at_every_size(void)
{
	static char text[1024];
	for (uint32_t fill = 0; fill < 120; fill++) {
		snprintf(text, sizeof(text),
			"{\"a\":{\"b\":{\"c\":{\"d\":\"%0*d\"},\"e\":[{\"f\":{}}]},\"g\":1},\"h\":"
			"2}",
			(int)fill + 1, 0);
		collect_all_slicings(
			&collect, small(JSON_CUT_LINES, NULL, JSON_PIECE_MIN), text_of(text));
		TEST_ASSERT_EQUAL(1, collect.pieces);
		TEST_ASSERT_EQUAL(strlen(text) > JSON_PIECE_MIN ? 'B' : 'L', collect.out[0]);
		int depth = 0;
		for (size_t i = 1; i < collect.used; i++)
			depth += (collect.out[i] == '{') - (collect.out[i] == '}');
		TEST_ASSERT_EQUAL_INT(0, depth);
	}
}

static void test_too_big_is_checked_to_its_end(void)
{
	static char text[1024];

	snprintf(text, sizeof(text), "{\"x\":\"%0100d\",\"y\": }", 0);
	collect_all_slicings(&collect, small(JSON_CUT_LINES, NULL, JSON_PIECE_MIN), text_of(text));
	TEST_ASSERT_EQUAL(JSON_CUT_BROKEN, collect.result);
	TEST_ASSERT_EQUAL(0, collect.pieces);
}

static void test_what_is_dropped_does_not_count(void)
{
	static char text[4096];

	snprintf(
		text, sizeof(text), "{\"x\":\"%02000d\",\"a\":{\"y\":[\"%0500d\"],\"b\":7}}", 0, 0);
	expect(small(JSON_CUT_LINES, want_ab, JSON_PIECE_MIN), text, "L{\"a\":{\"b\":7}}\n");
}

static void test_envelope_too_big(void)
{
	static char text[2 * JSON_ENVELOPE_MAX];
	char expected[256];

	/* without room for it the items still come */
	snprintf(text, sizeof(text),
		"{\"a\":\"%0100d\",\"x\":{\"y\":[1]},\"items\":[1,{\"b\":2}],\"c\":3}", 0);
	snprintf(expected, sizeof(expected), "I1\nI{\"b\":2}\nB{\"a\":\"%058d\n", 0);
	expect(small(JSON_CUT_LIST, NULL, JSON_PIECE_MIN), text, expected);
	TEST_ASSERT_TRUE(collect.ended);

	/* the part before the items has a bound of its own */
	snprintf(
		text, sizeof(text), "{\"a\":\"%0*d\",\"items\":[1],\"c\":3}", JSON_ENVELOPE_MAX, 0);
	collect_all_slicings(
		&collect, small(JSON_CUT_LIST, NULL, 2 * JSON_ENVELOPE_MAX), text_of(text));
	TEST_ASSERT_EQUAL(2, collect.pieces);
	TEST_ASSERT_EQUAL('B', collect.out[3]);
	TEST_ASSERT_EQUAL(3 + 1 + JSON_ENVELOPE_MAX + 1, collect.used);

	snprintf(text, sizeof(text), "{\"a\":\"%0*d\",\"items\":[1],\"c\":3}",
		JSON_ENVELOPE_MAX - 7, 0);
	collect_all_slicings(
		&collect, small(JSON_CUT_LIST, NULL, 2 * JSON_ENVELOPE_MAX), text_of(text));
	TEST_ASSERT_EQUAL(2, collect.pieces);
	TEST_ASSERT_EQUAL('E', collect.out[3]);
}

/* ---- stopping ---- */

static void test_stops(void)
{
	collect.stop_after = 2;
	expect(lines(NULL), "{}[]{}{}", "L{}\nL[]\n");
	TEST_ASSERT_EQUAL(JSON_CUT_STOPPED, collect.result);
	TEST_ASSERT_EQUAL(4, collect.offset);
	collect.stop_after = 1;
	expect(list(NULL, NULL), "{\"items\":[{\"a\":1},{\"b\":2}]}", "I{\"a\":1}\n");
	TEST_ASSERT_EQUAL(JSON_CUT_STOPPED, collect.result);
	expect(list(NULL, NULL), "{\"items\":[{\"a\":1},{\"b\":\x80", "I{\"a\":1}\n");
	TEST_ASSERT_EQUAL(JSON_CUT_STOPPED, collect.result);
	expect(list(NULL, NULL), "{\"items\":[1,2]}", "I1\n");
	TEST_ASSERT_EQUAL(JSON_CUT_STOPPED, collect.result);
}

static void test_stays_stopped_and_broken_until_started(void)
{
	struct json_cut *cut = collect_cutter(4096);

	collect.used = collect.pieces = 0;
	collect.stop_after = 1;
	json_cut_start(cut, JSON_CUT_LINES, NULL, NULL, collect_piece, &collect);
	TEST_ASSERT_EQUAL(JSON_CUT_STOPPED, collect_feed(cut, "{}", 2));
	TEST_ASSERT_EQUAL(JSON_CUT_STOPPED, collect_feed(cut, "{}", 2));
	TEST_ASSERT_EQUAL(1, collect.pieces);
	collect.stop_after = 0;
	json_cut_start(cut, JSON_CUT_LINES, NULL, NULL, collect_piece, &collect);
	TEST_ASSERT_EQUAL(JSON_CUT_BROKEN, collect_feed(cut, "]", 1));
	TEST_ASSERT_EQUAL(JSON_CUT_BROKEN, collect_feed(cut, "{}", 2));
	TEST_ASSERT_FALSE(json_cut_end(cut));
	TEST_ASSERT_EQUAL(0, json_cut_offset(cut));
	json_cut_start(cut, JSON_CUT_LINES, NULL, NULL, collect_piece, &collect);
	TEST_ASSERT_EQUAL(JSON_CUT_MORE, collect_feed(cut, "{}", 2));
	TEST_ASSERT_EQUAL(2, collect.pieces);
	TEST_ASSERT_NULL(json_cut_fault(cut));
	free(cut);
}

static void test_not_started(void)
{
	struct json_cut *cut = collect_cutter(4096);

	TEST_ASSERT_EQUAL(JSON_CUT_BROKEN, collect_feed(cut, "{}", 2));
	TEST_ASSERT_EQUAL_STRING("not started", json_cut_fault(cut));
	free(cut);
}

/* ---- names of what did not fit ---- */

static void expect_name(const char *piece, const char *expected)
{
	char to[32];
	struct text name = json_scan_name(text_of(piece), to, sizeof(to));

	if (expected == NULL) {
		TEST_ASSERT_NULL_MESSAGE(name.at, piece);
		return;
	}
	TEST_ASSERT_TRUE_MESSAGE(text_is_z(name, expected), piece);
}

static void test_scan_name(void)
{
	expect_name("{\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\",\"uid\":\"", "ns/a");
	expect_name(
		"{\"kind\":\"Pod\",\"metadata\":{\"uid\":\"\",\"namespace\":\"ns\",\"name\":\"a\"",
		"ns/a");
	expect_name(
		"{\"metadata\":{\"labels\":{\"name\":\"x\"},\"name\":\"n1\"},\"spec\":{\"x", "n1");
	expect_name(
		"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\"",
		"b/a");
	expect_name("{\"spec\":{\"metadata\":{\"name\":\"x\"}},\"metadata\":{\"name\":\"a\"}", "a");
	expect_name("{\"spec\":[1,{\"a\":null}],\"n\":-1.5,\"metadata\":{\"name\":\"a\"}", "a");
	expect_name("{\"name\":\"x\",\"metadata\":{\"generation\":1,\"name\":\"a\"}", "a");
	expect_name("{\"metadata\":{\"x\":\"\\\"name\\\":\\\\\",\"name\":\"a\"}", "a");
	expect_name("{\"metadata\":{\"ownerReferences\":[{\"name\":\"x\"}],\"name\":\"a\"}", "a");
	expect_name("{\"metadata\":{\"name\":\"a", NULL);
	expect_name("{\"metadata\":{\"name\":\"a\\", NULL);
	expect_name("{\"metadata\":{\"name\":", NULL);
	expect_name("{\"metadata\":{\"uid\":\"name\"},\"name\":\"x\"", NULL);
	expect_name("{\"metadata\":[{\"name\":\"x\"}],\"", NULL);
	expect_name("{\"metadata\":\"name\",\"a\":\"x\"", NULL);
	expect_name("", NULL);
	expect_name("]", NULL);
	expect_name("\"name\"", NULL);
	expect_name("{\"metadata\":{\"name\":\"0123456789012345678901234567890123456789\"}", NULL);
}

/* ---- growing ---- */

struct growing {
	_Alignas(16) char block[1 << 20];
	size_t size, size_most, allowed;
	enum json_piece_kind kind;
	size_t piece_size;
	uint32_t pieces;
};
static struct growing growing;

static bool growing_resize(void *self, size_t bytes)
{
	struct growing *g = self;
	if (bytes > g->allowed)
		return false;
	g->size = bytes;
	if (bytes > g->size_most)
		g->size_most = bytes;
	return true;
}

static bool growing_piece(void *self, struct json_piece piece)
{
	struct growing *g = self;
	g->kind = piece.kind;
	g->piece_size = piece.text.size;
	g->pieces++;
	return true;
}

/* Fed whole or in bytes: a piece grows as far as it must, and the next one is small again. */
static void test_cut_when_a_piece_is_large_then_it_grows_and_gives_back(void)
{
	static char text[100 * 1000];
	memset(&growing, 0, sizeof(growing));
	growing.allowed = json_cut_size(256 * 1024);
	struct json_cut *cut = json_cut_init(growing.block, json_cut_size(1024), 1024);
	json_cut_may_grow(cut, 512 * 1024, growing_resize, &growing);
	memset(text, 'x', sizeof(text));
	memcpy(text, "{\"a\":\"", 6);
	memcpy(text + sizeof(text) - 2, "\"}", 2);
	for (uint32_t step = 1; step <= sizeof(text); step *= 317) {
		json_cut_start(cut, JSON_CUT_LINES, NULL, NULL, growing_piece, &growing);
		growing.pieces = 0;
		for (size_t at = 0; at < sizeof(text); at += step)
			TEST_ASSERT_EQUAL(JSON_CUT_MORE,
				json_cut_feed(cut,
					text_first(text_from((struct text){text, sizeof(text)}, at),
						at + step < sizeof(text) ? step
									 : sizeof(text) - at)));
		TEST_ASSERT_EQUAL_UINT32(1, growing.pieces);
		TEST_ASSERT_EQUAL(JSON_PIECE_LINE, growing.kind);
		TEST_ASSERT_EQUAL_size_t(sizeof(text), growing.piece_size);
		TEST_ASSERT_EQUAL_size_t(json_cut_size(128 * 1024), growing.size_most);
		TEST_ASSERT_EQUAL(JSON_CUT_MORE, json_cut_feed(cut, TEXT("{\"b\":1}")));
		TEST_ASSERT_EQUAL_UINT32(2, growing.pieces);
		TEST_ASSERT_EQUAL_size_t(json_cut_size(1024), growing.size);
	}
	/* No memory for it: as if it might not grow. */
	growing.allowed = json_cut_size(4096);
	json_cut_start(cut, JSON_CUT_LINES, NULL, NULL, growing_piece, &growing);
	TEST_ASSERT_EQUAL(JSON_CUT_MORE, json_cut_feed(cut, (struct text){text, sizeof(text)}));
	TEST_ASSERT_EQUAL(JSON_PIECE_TOO_BIG, growing.kind);
	TEST_ASSERT_EQUAL(JSON_CUT_MORE, json_cut_feed(cut, TEXT("{\"b\":1}")));
	TEST_ASSERT_EQUAL(JSON_PIECE_LINE, growing.kind);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_cut_when_a_piece_is_large_then_it_grows_and_gives_back);
	RUN_TEST(test_lines);
	RUN_TEST(test_line_comes_with_its_last_byte);
	RUN_TEST(test_number_is_complete_at_the_end);
	RUN_TEST(test_list);
	RUN_TEST(test_list_is_one_object);
	RUN_TEST(test_status_in_place_of_a_list);
	RUN_TEST(test_wanted_members_stay);
	RUN_TEST(test_empty_is_not_missing);
	RUN_TEST(test_scalar_in_place_of_an_object_stays);
	RUN_TEST(test_arrays_are_transparent);
	RUN_TEST(test_star);
	RUN_TEST(test_duplicate_keys_stay);
	RUN_TEST(test_watch_line);
	RUN_TEST(test_long_keys_are_dropped);
	RUN_TEST(test_too_big);
	RUN_TEST(test_too_big_leaves_the_others_alone);
	RUN_TEST(test_too_big_keeps_what_is_brief);
	RUN_TEST(test_too_big_is_valid_at_every_size);
	RUN_TEST(test_too_big_is_checked_to_its_end);
	RUN_TEST(test_what_is_dropped_does_not_count);
	RUN_TEST(test_envelope_too_big);
	RUN_TEST(test_stops);
	RUN_TEST(test_stays_stopped_and_broken_until_started);
	RUN_TEST(test_not_started);
	RUN_TEST(test_scan_name);
	return UNITY_END();
}
