/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Quantities against what kube-scheduler computed for 972 texts (data/quantity.jsonl), and
 * random ones against arithmetic on decimal digits, which is slow but plainly right.
 */
// deps: base/*.c kube/quantity.c kube/quantity_big.c kube/quantity_parse.c kube/quantity_print.c
#include "kube/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "unity.h"

enum { LINE_MAX_SIZE = 512, ROUNDS = 30 * 1000 };

void setUp(void)
{
}

void tearDown(void)
{
}

static struct quantity parsed(const char *text)
{
	struct quantity q;

	TEST_ASSERT_EQUAL_INT_MESSAGE(QUANTITY_OK, quantity_parse(text_of(text), &q), text);
	return q;
}

static const char *printed(const struct quantity *q)
{
	static char text[256];
	struct writer out;

	writer_init(&out, text, sizeof(text) - 1);
	quantity_print(q, &out);
	TEST_ASSERT_FALSE(out.overflowed);
	text[out.used] = '\0';
	return text;
}

/* ---- what kube-scheduler computed ---- */

/* The member's text without quotes; the file has neither escapes nor nested values. */
static bool member(const char *line, const char *key, char *to, size_t size)
{
	char pattern[32];
	const char *at;
	size_t used;

	snprintf(pattern, sizeof(pattern), "\"%s\":", key);
	at = strstr(line, pattern);
	if (at == NULL)
		return false;
	at += strlen(pattern);
	if (*at == '"') {
		at++;
		used = strcspn(at, "\"");
	} else {
		used = strcspn(at, ",}");
	}
	TEST_ASSERT_LESS_THAN(size, used);
	memcpy(to, at, used);
	to[used] = '\0';
	return true;
}

static void check_line(const char *line)
{
	char in[LINE_MAX_SIZE];
	char expected[LINE_MAX_SIZE];
	char canonical[LINE_MAX_SIZE];
	struct quantity q;
	struct writer out;

	TEST_ASSERT_TRUE(member(line, "in", in, sizeof(in)));
	enum quantity_result result = quantity_parse(text_of(in), &q);
	if (member(line, "error", expected, sizeof(expected))) {
		TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, quantity_error(result), line);
		return;
	}
	TEST_ASSERT_EQUAL_INT_MESSAGE(QUANTITY_OK, result, line);
	TEST_ASSERT_TRUE(member(line, "value", expected, sizeof(expected)));
	TEST_ASSERT_EQUAL_INT64_MESSAGE(strtoll(expected, NULL, 10), quantity_value(&q), line);
	TEST_ASSERT_TRUE(member(line, "milli", expected, sizeof(expected)));
	TEST_ASSERT_EQUAL_INT64_MESSAGE(strtoll(expected, NULL, 10), quantity_milli(&q), line);
	TEST_ASSERT_TRUE(member(line, "canonical", expected, sizeof(expected)));
	writer_init(&out, canonical, sizeof(canonical) - 1);
	quantity_print_parsed(&q, text_of(in), &out);
	canonical[out.used] = '\0';
	TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, canonical, line);
}

static void test_as_kube_scheduler_computes(void)
{
	char line[LINE_MAX_SIZE];
	int lines = 0;
	FILE *file = fopen("tests/kube/data/quantity.jsonl", "r");

	TEST_ASSERT_NOT_NULL(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		check_line(line);
		lines++;
	}
	fclose(file);
	TEST_ASSERT_EQUAL_INT(972, lines);
}

/* ---- tables ---- */

static void test_lenient_forms(void)
{
	static const struct {
		const char *text;
		int64_t milli;
	} rows[] = {
		{".", 0},
		{"-", 0},
		{"+", 0},
		{"k", 0},
		{"-.", 0},
		{"-k", 0},
		{"e3", 0},
		{".Mi", 0},
		{"0.", 0},
		{"00", 0},
		{"-0", 0},
		{"1.k", 1000 * 1000},
		{".5k", 500 * 1000},
		{"5.Ki", 5120 * 1000},
		{"0.5Ki", 512 * 1000},
		{"1e4294967296", 1000} /* the exponent is cut to 32 bits */,
		{"1e-4294967293", 1000 * 1000},
		{"0e999", 0},
		{"0.000000000000000000000", 0},
		{"1e-2147483648", 1},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct quantity q = parsed(rows[i].text);

		TEST_ASSERT_EQUAL_INT64_MESSAGE(rows[i].milli, quantity_milli(&q), rows[i].text);
	}
}

static void test_refused_forms(void)
{
	static const struct {
		const char *text;
		enum quantity_result result;
	} rows[] = {
		{"", QUANTITY_EMPTY_OR_MALFORMED},
		{" 1", QUANTITY_EMPTY_OR_MALFORMED},
		{"1 ", QUANTITY_EMPTY_OR_MALFORMED},
		{"true", QUANTITY_EMPTY_OR_MALFORMED},
		{"1Kii5x", QUANTITY_EMPTY_OR_MALFORMED},
		{"1e", QUANTITY_BAD_SUFFIX},
		{"1e+", QUANTITY_BAD_SUFFIX},
		{"1ee3", QUANTITY_BAD_SUFFIX},
		{"1+3", QUANTITY_BAD_SUFFIX},
		{"1k3", QUANTITY_BAD_SUFFIX},
		{"1ni", QUANTITY_BAD_SUFFIX},
		{"1ki", QUANTITY_BAD_SUFFIX},
		{"1e9223372036854775808", QUANTITY_BAD_SUFFIX},
		{"Pi", QUANTITY_BAD_NUMBER},
		{"-.Ei", QUANTITY_BAD_NUMBER},
		{"1e102", QUANTITY_TOO_LONG},
		{"1e2147483647", QUANTITY_TOO_LONG},
		{"1234567890123456789e90", QUANTITY_TOO_LONG},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct quantity q;

		TEST_ASSERT_EQUAL_INT_MESSAGE(
			rows[i].result, quantity_parse(text_of(rows[i].text), &q), rows[i].text);
		TEST_ASSERT_TRUE(quantity_is_zero(&q));
		TEST_ASSERT_NOT_EQUAL(0, strlen(quantity_error(rows[i].result)));
	}
}

static void test_text_with_a_zero_byte(void)
{
	struct quantity q;

	TEST_ASSERT_EQUAL_INT(QUANTITY_EMPTY_OR_MALFORMED, quantity_parse(TEXT("1\0"), &q));
	TEST_ASSERT_EQUAL_INT(QUANTITY_EMPTY_OR_MALFORMED, quantity_parse(TEXT("1K\0i"), &q));
}

static void test_sum_goes_on_in_the_long_form(void)
{
	struct quantity sum = parsed("999999999999999999");
	struct quantity one = parsed("1");
	struct quantity nano = parsed("1n");

	for (int i = 0; i < 10; i++) {
		struct quantity more = parsed("999999999999999999");

		quantity_add(&sum, &more);
	}
	TEST_ASSERT_TRUE(sum.is_big);
	TEST_ASSERT_EQUAL_STRING("10999999999999999989", printed(&sum));
	/* wrapped to 64 bits */
	TEST_ASSERT_EQUAL_INT64((int64_t)UINT64_C(10999999999999999989), quantity_value(&sum));
	quantity_add(&sum, &nano);
	TEST_ASSERT_EQUAL_STRING("10999999999999999989000000001n", printed(&sum));
	quantity_add(&sum, &one);
	TEST_ASSERT_EQUAL_INT64((int64_t)UINT64_C(10999999999999999991), quantity_value(&sum));

	/* a scale apart that int64 cannot bridge */
	sum = parsed("100E");
	TEST_ASSERT_EQUAL_INT64(0, quantity_value(&sum));
	quantity_add(&sum, &one);
	TEST_ASSERT_TRUE(sum.is_big);
	TEST_ASSERT_EQUAL_STRING("100000000000000000001", printed(&sum));
}

static void test_sum_format(void)
{
	struct quantity sum = quantity_zero();
	struct quantity gibi = parsed("1Gi");
	struct quantity half = parsed("0.5");

	quantity_add(&sum, &gibi);
	TEST_ASSERT_EQUAL_STRING("1Gi", printed(&sum));
	quantity_add(&sum, &half);
	TEST_ASSERT_EQUAL_STRING("1073741824500m", printed(&sum));
	sum = parsed("2000E");
	TEST_ASSERT_EQUAL_STRING("2", printed(&sum)); /* there is no suffix for 10^21 */
}

static void test_subtraction_by_negative_numbers(void)
{
	struct quantity sum = parsed("123456789012345678901234567890");
	struct quantity less = parsed("-123456789012345678901234567891");
	struct quantity one = parsed("1");

	quantity_add(&sum, &less);
	TEST_ASSERT_EQUAL_STRING("-1", printed(&sum));
	TEST_ASSERT_EQUAL_INT64(-1, quantity_value(&sum));
	quantity_add(&sum, &one);
	TEST_ASSERT_TRUE(quantity_is_zero(&sum));
	TEST_ASSERT_EQUAL_STRING("0", printed(&sum));
	TEST_ASSERT_FALSE(sum.is_negative);
}

static void test_compare(void)
{
	/* in rising order; a row's texts are equal */
	static const char *const rows[][3] = {
		{"-1e101", "-1e101", "-10e100"},
		{"-9223372036854775809", "-9223372036854775809", "-9223372036854775809.0"},
		{"-1", "-1000m", "-1.0000000000"},
		{"-1n", "-0.0000000001", "-1e-9"},
		{"0", "-0", "0.00000000000"},
		{"1n", "0.1n", "0.000000001"},
		{"1m", "1000u", "1e-3"},
		{"1Ki", "1024", "1.024k"},
		{"1Mi", "1024Ki", "1048576"},
		{"999999999999999999", "999999999999999999000m", "999999999999999999.0"},
		{"1E", "1000P", "1000000000000000000"},
		{"9223372036854775807", "8Ei", "100Ei"},
		{"100E", "0.1e21", "100000000000000000000"},
		{"1e101", "10e100", "100e99"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		for (size_t k = 0; k < ARRAY_COUNT(rows); k++)
			for (size_t n = 0; n < 9; n++) {
				struct quantity a = parsed(rows[i][n % 3]);
				struct quantity b = parsed(rows[k][n / 3]);

				TEST_ASSERT_EQUAL_INT_MESSAGE((i > k) - (i < k),
					quantity_compare(&a, &b), rows[i][n % 3]);
			}
}

static void test_max_keeps_the_long_form(void)
{
	struct quantity largest = parsed("1.5Gi");
	struct quantity huge = parsed("100E");
	struct quantity small = parsed("1");

	TEST_ASSERT_TRUE(largest.is_big);
	quantity_max(&largest, &small);
	TEST_ASSERT_EQUAL_STRING("1536Mi", printed(&largest));
	quantity_max(&largest, &huge);
	TEST_ASSERT_EQUAL_STRING("100E", printed(&largest));
	TEST_ASSERT_EQUAL_INT64(
		INT64_C(7766279631452241920), quantity_value(&largest)); /* 10^20, wrapped */
}

static void test_most_that_one_object_can_hold_adds_up(void)
{
	struct quantity most = parsed("6e101");
	struct quantity sum = quantity_zero();

	for (int i = 0; i < (1 << QUANTITY_SPARE_BITS); i++)
		quantity_add(&sum, &most);
	TEST_ASSERT_EQUAL_STRING("39321600e99", printed(&sum));
	TEST_ASSERT_EQUAL_INT(1, quantity_compare(&sum, &most));
}

/* ---- decimal digits ---- */

enum { DIGITS = 160, NANO = 9 };

struct naive { /* billionths, one digit a byte, least first */
	bool negative;
	uint8_t digit[DIGITS];
};

static void naive_times(struct naive *n, unsigned factor)
{
	unsigned carry = 0;

	for (int i = 0; i < DIGITS; i++) {
		carry += n->digit[i] * factor;
		n->digit[i] = (uint8_t)(carry % 10);
		carry /= 10;
	}
	TEST_ASSERT_EQUAL_UINT(0, carry);
}

static int naive_compare_magnitude(const struct naive *a, const struct naive *b)
{
	for (int i = DIGITS; i-- > 0;)
		if (a->digit[i] != b->digit[i])
			return a->digit[i] < b->digit[i] ? -1 : 1;
	return 0;
}

static void naive_add(struct naive *sum, const struct naive *n)
{
	struct naive large = *sum;
	struct naive small = *n;
	int carry = 0;

	if (naive_compare_magnitude(sum, n) < 0) {
		large = *n;
		small = *sum;
	}
	int sign = large.negative == small.negative ? 1 : -1;
	for (int i = 0; i < DIGITS; i++) {
		int digit = large.digit[i] + sign * small.digit[i] + carry;

		carry = digit < 0 ? -1 : digit / 10;
		large.digit[i] = (uint8_t)((digit + 10) % 10);
	}
	TEST_ASSERT_EQUAL_INT(0, carry);
	*sum = large;
}

/* As a plain decimal number, which quantity_parse() reads without a suffix. */
static void naive_text(const struct naive *n, char *to)
{
	int at = DIGITS - 1;

	while (at > NANO && n->digit[at] == 0)
		at--;
	if (n->negative)
		*to++ = '-';
	for (; at >= 0; at--) {
		*to++ = (char)('0' + n->digit[at]);
		if (at == NANO)
			*to++ = '.';
	}
	*to = '\0';
}

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint32_t random_below(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32) % below;
}

/* To 2^63-1. */
static void naive_cap(struct naive *n)
{
	static const char most[] = "9223372036854775807";
	struct naive cap = {.negative = n->negative};

	for (int i = 0; i < 19; i++)
		cap.digit[NANO + i] = (uint8_t)(most[18 - i] - '0');
	if (naive_compare_magnitude(n, &cap) > 0)
		*n = cap;
}

/* A random text and its value, worked out by digits. */
static struct naive random_quantity(char *text)
{
	static const struct {
		const char *suffix;
		int tens;
		int twos;
	} suffixes[] = {
		{"", 0, 0},
		{"n", -9, 0},
		{"u", -6, 0},
		{"m", -3, 0},
		{"k", 3, 0},
		{"M", 6, 0},
		{"G", 9, 0},
		{"T", 12, 0},
		{"P", 15, 0},
		{"E", 18, 0},
		{"e-2", -2, 0},
		{"E4", 4, 0},
		{"e+20", 20, 0},
		{"Ki", 0, 10},
		{"Mi", 0, 20},
		{"Gi", 0, 30},
		{"Ti", 0, 40},
		{"Pi", 0, 50},
		{"Ei", 0, 60},
	};
	enum { POINT = 60 };
	uint32_t which = random_below(ARRAY_COUNT(suffixes));
	int whole = (int)random_below(random_below(2) ? 8 : 25);
	int fraction = (int)random_below(2) * (int)random_below(20);
	struct naive shifted = {.negative = random_below(4) == 0};
	struct naive n = {.negative = shifted.negative};
	char *to = text;

	if (n.negative)
		*to++ = '-';
	for (int i = whole; i-- > -fraction;) {
		uint8_t digit = (uint8_t)(random_below(3) ? random_below(10) : 0);

		if (i == -1)
			*to++ = '.';
		*to++ = (char)('0' + digit);
		shifted.digit[POINT + i] = digit;
	}
	const char *end = suffixes[which].suffix;
	if (whole + fraction == 0 && (suffixes[which].twos >= 50 || suffixes[which].tens == 0))
		end = "0"; /* where digits are asked for */
	memcpy(to, end, strlen(end) + 1);

	for (int i = 0; i < suffixes[which].twos; i++)
		naive_times(&shifted, 2);
	bool rest = false;
	for (int i = 0; i < DIGITS; i++) {
		int at = i - POINT + NANO + suffixes[which].tens;

		if (at >= 0 && at < DIGITS)
			n.digit[at] = shifted.digit[i];
		else
			rest |= shifted.digit[i] != 0;
	}
	if (rest) {
		struct naive one = {.negative = n.negative, .digit = {1}};

		naive_add(&n, &one);
	}
	if (suffixes[which].twos > 0)
		naive_cap(&n);
	return n;
}

static bool naive_is_zero(const struct naive *n)
{
	static const struct naive zero;

	return naive_compare_magnitude(n, &zero) == 0;
}

/* The value rounded up at 10^-decimals when it is positive and far from an overflow. */
static bool naive_rounded(const struct naive *n, int decimals, int64_t *value)
{
	uint64_t number = 0;
	bool rest = false;

	for (int i = 0; i < NANO - decimals; i++)
		rest |= n->digit[i] != 0;
	for (int i = DIGITS; i-- > NANO - decimals;) {
		number = number * 10 + n->digit[i];
		if (number > INT64_MAX / 100)
			return false;
	}
	*value = (int64_t)number + rest;
	return !n->negative;
}

static void check_against(const struct quantity *q, const struct naive *n, const char *text)
{
	char plain[DIGITS + 8];
	int64_t expected;

	naive_text(n, plain);
	struct quantity again = parsed(plain);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, quantity_compare(q, &again), text);
	TEST_ASSERT_EQUAL_MESSAGE(naive_is_zero(n), quantity_is_zero(q), text);
	if (naive_rounded(n, 0, &expected))
		TEST_ASSERT_EQUAL_INT64_MESSAGE(expected, quantity_value(q), text);
	if (naive_rounded(n, 3, &expected))
		TEST_ASSERT_EQUAL_INT64_MESSAGE(expected, quantity_milli(q), text);
}

static void test_random_sums_against_digits(void)
{
	for (int round = 0; round < ROUNDS / 10; round++) {
		struct quantity sum = quantity_zero();
		struct naive naive_sum = {.negative = false};
		uint32_t count = 1 + random_below(10);

		for (uint32_t i = 0; i < count; i++) {
			char text[64];
			struct naive n = random_quantity(text);
			struct quantity q = parsed(text);

			check_against(&q, &n, text);
			quantity_add(&sum, &q);
			naive_add(&naive_sum, &n);
			check_against(&sum, &naive_sum, text);
		}
	}
}

static void test_random_order_against_digits(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		char texts[2][64];
		struct naive n[2];
		struct quantity q[2];

		for (int i = 0; i < 2; i++) {
			n[i] = random_quantity(texts[i]);
			q[i] = parsed(texts[i]);
			if (naive_is_zero(&n[i]))
				n[i].negative = false;
		}
		int expected = naive_compare_magnitude(&n[0], &n[1]);
		if (n[0].negative != n[1].negative)
			expected = n[0].negative ? -1 : 1;
		else if (n[0].negative)
			expected = -expected;
		TEST_ASSERT_EQUAL_INT_MESSAGE(expected, quantity_compare(&q[0], &q[1]), texts[0]);

		struct quantity largest = q[0];
		quantity_max(&largest, &q[1]);
		TEST_ASSERT_EQUAL_INT(0, quantity_compare(&largest, &q[expected >= 0 ? 0 : 1]));
	}
}

/* What is printed reads as the same value, and prints the same again. */
static void test_random_round_trip(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		char text[64];
		char first[256];
		(void)random_quantity(text);
		struct quantity q = parsed(text);

		snprintf(first, sizeof(first), "%s", printed(&q));
		struct quantity again = parsed(first);
		if (quantity_compare(&q, &again) != 0) { /* beyond the last suffix */
			q.format = QUANTITY_DECIMAL_EXPONENT;
			snprintf(first, sizeof(first), "%s", printed(&q));
			again = parsed(first);
			TEST_ASSERT_EQUAL_INT_MESSAGE(0, quantity_compare(&q, &again), text);
			TEST_ASSERT_NOT_NULL_MESSAGE(strchr(first, 'e'), text);
			TEST_ASSERT_GREATER_OR_EQUAL_MESSAGE(
				21, strtol(strchr(first, 'e') + 1, NULL, 10), text);
		}
		TEST_ASSERT_EQUAL_STRING(first, printed(&again));
	}
}

static void test_negate_then_the_sum_is_zero(void)
{
	static const char *const texts[] = {"0", "5", "-3m", "9223372036854775807",
		"-9223372036854775808", "12345678901234567890123n", "1e30"};

	for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
		struct quantity q = parsed(texts[i]);
		struct quantity sum = q;

		quantity_negate(&q);
		quantity_add(&sum, &q);
		TEST_ASSERT_TRUE_MESSAGE(quantity_is_zero(&sum), texts[i]);
		TEST_ASSERT_TRUE_MESSAGE(quantity_is_storable(&q), texts[i]);
	}
}

static void test_sums_of_sums_then_they_are_no_longer_storable(void)
{
	struct quantity q = parsed("9e90");
	uint32_t doublings = 0;

	for (; quantity_is_storable(&q); doublings++) {
		struct quantity same = q;

		quantity_add(&q, &same);
	}
	TEST_ASSERT_TRUE(doublings > 10 && doublings < 100);
}

static void test_approximate_then_it_is_the_nearest_or_next(void)
{
	struct quantity q = parsed("50.703k");

	TEST_ASSERT_TRUE(quantity_approximate(&q) == 50703.0);
	q = parsed("-500m");
	TEST_ASSERT_TRUE(quantity_approximate(&q) == -0.5);
	q = parsed("12345678901234567890123");
	TEST_ASSERT_TRUE(
		quantity_approximate(&q) > 1.2345e22 && quantity_approximate(&q) < 1.2346e22);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_as_kube_scheduler_computes);
	RUN_TEST(test_negate_then_the_sum_is_zero);
	RUN_TEST(test_sums_of_sums_then_they_are_no_longer_storable);
	RUN_TEST(test_approximate_then_it_is_the_nearest_or_next);
	RUN_TEST(test_lenient_forms);
	RUN_TEST(test_refused_forms);
	RUN_TEST(test_text_with_a_zero_byte);
	RUN_TEST(test_sum_goes_on_in_the_long_form);
	RUN_TEST(test_sum_format);
	RUN_TEST(test_subtraction_by_negative_numbers);
	RUN_TEST(test_compare);
	RUN_TEST(test_max_keeps_the_long_form);
	RUN_TEST(test_most_that_one_object_can_hold_adds_up);
	RUN_TEST(test_random_sums_against_digits);
	RUN_TEST(test_random_order_against_digits);
	RUN_TEST(test_random_round_trip);
	return UNITY_END();
}
