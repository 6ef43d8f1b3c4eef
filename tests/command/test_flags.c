/* SPDX-License-Identifier: GPL-2.0-only */
/* Flags: every form they come in, and what is said about slips. */
// deps: base/*.c command/flags.c base/nearest.c kube/quantity.c kube/quantity_parse.c
// deps: kube/quantity_big.c kube/quantity_print.c
#include <string.h>

#include "command/flags.h"
#include "unity.h"

struct got {
	bool yes;
	const char *text;
	uint64_t bytes;
	uint32_t choice;
	const char *list[2];
	struct flag_list files;
};
static struct got got;

static const struct flag table[] = {
	{"yes", 'y', FLAG_BOOL, offsetof(struct got, yes), NULL, "do it"},
	{"config", 0, FLAG_TEXT, offsetof(struct got, text), "FILE", "a file"},
	{"memory", 'm', FLAG_BYTES, offsetof(struct got, bytes), "SIZE", "how much"},
	{"output", 'o', FLAG_CHOICE, offsetof(struct got, choice), "table|json", "how"},
	{"cluster", 0, FLAG_LIST, offsetof(struct got, files), "FILE", "more files"},
};

static char fault[256];
static char *args[16];
static int words;

void setUp(void)
{
	memset(&got, 0, sizeof(got));
	got.files = (struct flag_list){got.list, 0, 2};
}

void tearDown(void)
{
}

/* Arguments separated by single spaces. */
static enum flags_result read_line(const char *line)
{
	static char copy[256];
	int argc = 1;
	struct writer w;
	strncpy(copy, line, sizeof(copy) - 1);
	args[0] = copy;
	for (char *at = copy; (at = strchr(at, ' ')) != NULL;) {
		*at++ = '\0';
		args[argc++] = at;
	}
	args[argc] = NULL;
	writer_init(&w, fault, sizeof(fault) - 1);
	words = -1;
	enum flags_result result =
		flags_read(table, ARRAY_COUNT(table), &got, argc, args, &words, &w);
	fault[w.used] = '\0';
	return result;
}

static void refused(const char *line, const char *why)
{
	TEST_ASSERT_EQUAL_MESSAGE(FLAGS_WRONG, read_line(line), line);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(why, fault, line);
}

static void test_nothing_given_nothing_set(void)
{
	TEST_ASSERT_EQUAL(FLAGS_READ, read_line("berth"));
	TEST_ASSERT_EQUAL(0, words);
	TEST_ASSERT_FALSE(got.yes);
	TEST_ASSERT_NULL(got.text);
	TEST_ASSERT_EQUAL_UINT64(0, got.bytes);
}

static void test_value_behind_or_apart(void)
{
	TEST_ASSERT_EQUAL(FLAGS_READ, read_line("berth --config=a --memory 64Mi -o json"));
	TEST_ASSERT_EQUAL_STRING("a", got.text);
	TEST_ASSERT_EQUAL_UINT64(64 << 20, got.bytes);
	TEST_ASSERT_EQUAL(1, got.choice);
	TEST_ASSERT_EQUAL(FLAGS_READ, read_line("berth -otable -ojson"));
	TEST_ASSERT_EQUAL(1, got.choice);
	TEST_ASSERT_EQUAL(FLAGS_READ, read_line("berth --config b=c -o=table -m 1G"));
	TEST_ASSERT_EQUAL_STRING("b=c", got.text);
	TEST_ASSERT_EQUAL(0, got.choice);
	TEST_ASSERT_EQUAL_UINT64(1000000000, got.bytes);
}

static void test_values_may_look_like_flags(void)
{
	TEST_ASSERT_EQUAL(FLAGS_READ, read_line("berth --config --yes"));
	TEST_ASSERT_EQUAL_STRING("--yes", got.text);
	TEST_ASSERT_FALSE(got.yes);
	TEST_ASSERT_EQUAL(FLAGS_READ, read_line("berth --config="));
	TEST_ASSERT_EQUAL_STRING("", got.text);
}

static void test_booleans(void)
{
	TEST_ASSERT_EQUAL(FLAGS_READ, read_line("berth --yes"));
	TEST_ASSERT_TRUE(got.yes);
	TEST_ASSERT_EQUAL(FLAGS_READ, read_line("berth --yes=false"));
	TEST_ASSERT_FALSE(got.yes);
	TEST_ASSERT_EQUAL(FLAGS_READ, read_line("berth -y true"));
	TEST_ASSERT_TRUE(got.yes);
	TEST_ASSERT_EQUAL(1, words); /* "true" is a word, not its value */
	refused("berth --yes=perhaps", "--yes: 'perhaps' is not true or false");
}

static void test_words_move_to_the_front_in_order(void)
{
	TEST_ASSERT_EQUAL(FLAGS_READ, read_line("berth a --yes b --config c - d"));
	TEST_ASSERT_EQUAL(4, words);
	TEST_ASSERT_EQUAL_STRING("a", args[1]);
	TEST_ASSERT_EQUAL_STRING("b", args[2]);
	TEST_ASSERT_EQUAL_STRING("-", args[3]);
	TEST_ASSERT_EQUAL_STRING("d", args[4]);
	TEST_ASSERT_EQUAL_STRING("c", got.text);
}

static void test_two_dashes_end_flags(void)
{
	TEST_ASSERT_EQUAL(FLAGS_READ, read_line("berth a -- --yes --"));
	TEST_ASSERT_EQUAL(3, words);
	TEST_ASSERT_EQUAL_STRING("--yes", args[2]);
	TEST_ASSERT_EQUAL_STRING("--", args[3]);
	TEST_ASSERT_FALSE(got.yes);
}

static void test_list(void)
{
	TEST_ASSERT_EQUAL(FLAGS_READ, read_line("berth --cluster a --cluster=b"));
	TEST_ASSERT_EQUAL(2, got.files.count);
	TEST_ASSERT_EQUAL_STRING("a", got.files.at[0]);
	TEST_ASSERT_EQUAL_STRING("b", got.files.at[1]);
	refused("berth --cluster c", "--cluster is given too often");
}

static void test_help_wherever_it_stands(void)
{
	TEST_ASSERT_EQUAL(FLAGS_HELP, read_line("berth --help"));
	TEST_ASSERT_EQUAL(FLAGS_HELP, read_line("berth a -h --nonsense"));
	refused("berth --h", "unknown flag '--h'");
}

static void test_unknown_flags_name_the_nearest(void)
{
	refused("berth --confg x", "unknown flag '--confg' (did you mean '--config'?)");
	refused("berth --memroy=1", "unknown flag '--memroy' (did you mean '--memory'?)");
	refused("berth --outputs", "unknown flag '--outputs' (did you mean '--output'?)");
	refused("berth --leader-elect", "unknown flag '--leader-elect'");
	refused("berth -x", "unknown flag '-x'");
	refused("berth --y", "unknown flag '--y'");
	refused("berth -output json", "--output: 'utput' is not table|json");
	refused("berth --=", "unknown flag '--'");
}

static void test_very_long_names_are_unknown(void)
{
	char line[200] = "berth --";
	memset(line + 8, 'o', 150);
	TEST_ASSERT_EQUAL(FLAGS_WRONG, read_line(line));
	TEST_ASSERT_NULL(strstr(fault, "mean"));
}

static void test_values_that_are_wrong(void)
{
	refused("berth --memory much", "--memory: 'much' is not a size like 256Mi");
	refused("berth --memory -5", "--memory: '-5' is not a size like 256Mi");
	refused("berth --memory 0", "--memory: '0' is not a size like 256Mi");
	refused("berth -o yaml", "--output: 'yaml' is not table|json");
	refused("berth -o tabl", "--output: 'tabl' is not table|json");
	refused("berth --config", "--config needs a value: FILE");
}

static void test_help_lists_every_flag(void)
{
	char text[1024];
	struct writer w;
	writer_init(&w, text, sizeof(text));
	got.bytes = 64 << 20;
	got.choice = 1;
	flags_help(table, ARRAY_COUNT(table), &got, &w);
	TEST_ASSERT_FALSE(w.overflowed);
	text[w.used] = '\0';
	TEST_ASSERT_NOT_NULL(strstr(text, "  -y, --yes                 do it\n"));
	TEST_ASSERT_NOT_NULL(strstr(text, "  --config FILE             a file\n"));
	TEST_ASSERT_NOT_NULL(strstr(text, "  -m, --memory SIZE         how much (default 64Mi)\n"));
	TEST_ASSERT_NOT_NULL(strstr(text, "  -o, --output table|json   how (default json)\n"));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_nothing_given_nothing_set);
	RUN_TEST(test_value_behind_or_apart);
	RUN_TEST(test_values_may_look_like_flags);
	RUN_TEST(test_booleans);
	RUN_TEST(test_words_move_to_the_front_in_order);
	RUN_TEST(test_two_dashes_end_flags);
	RUN_TEST(test_list);
	RUN_TEST(test_help_wherever_it_stands);
	RUN_TEST(test_unknown_flags_name_the_nearest);
	RUN_TEST(test_very_long_names_are_unknown);
	RUN_TEST(test_values_that_are_wrong);
	RUN_TEST(test_help_lists_every_flag);
	return UNITY_END();
}
