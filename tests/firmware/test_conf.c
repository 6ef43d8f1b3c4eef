/* SPDX-License-Identifier: GPL-2.0-only */
/* berth.conf: what a person may write, and what a mistake costs. */
// deps: firmware/init/conf.c base/text.c base/format.c base/check.c base/budget.c base/trace.c
#include "firmware/init/conf.h"

#include <stdio.h>

#include "unity.h"

static struct conf conf;
static char words[2048];
static struct writer faults;

void setUp(void)
{
	memset(words, 0, sizeof(words));
	writer_init(&faults, words, sizeof(words) - 1);
	conf_defaults(&conf);
}

void tearDown(void)
{
}

static bool parse(const char *file)
{
	return conf_parse(&conf, text_of(file), &faults);
}

static void test_conf_when_empty_then_defaults(void)
{
	TEST_ASSERT_TRUE(parse("# nothing\n\r\n  \n"));
	TEST_ASSERT_EQUAL_STRING("berth", conf.hostname);
	TEST_ASSERT_EQUAL_INT(CONF_DHCP, conf.how);
	TEST_ASSERT_EQUAL_UINT32(60, conf.watchdog_s);
	TEST_ASSERT_EQUAL_UINT32(10, conf.confirm_minutes);
	TEST_ASSERT_FALSE(conf.downgrade);
	TEST_ASSERT_EQUAL_UINT32(0, conf.flags_count);
	TEST_ASSERT_NULL(conf.flags[0]);
}

static void test_conf_when_every_key_is_set_then_all_count(void)
{
	TEST_ASSERT_TRUE_MESSAGE(parse("hostname = edge-7\r\ninterface=eth1\n"
				       "address = 10.1.2.3/22 # at the gate\ngateway=10.1.0.1\n"
				       "dns = 10.1.0.1, 9.9.9.9\nwatchdog=30\nconfirm-minutes=5\n"
				       "downgrade=true\nflags = --v  2 --memory 64Mi\n"),
		words);
	TEST_ASSERT_EQUAL_STRING("edge-7", conf.hostname);
	TEST_ASSERT_EQUAL_STRING("eth1", conf.interface);
	TEST_ASSERT_EQUAL_INT(CONF_STATIC, conf.how);
	TEST_ASSERT_EQUAL_HEX32(0x0a010203, conf.address);
	TEST_ASSERT_EQUAL_HEX32(0xfffffc00, conf.mask);
	TEST_ASSERT_EQUAL_HEX32(0x0a010001, conf.gateway);
	TEST_ASSERT_EQUAL_UINT32(2, conf.dns_count);
	TEST_ASSERT_EQUAL_HEX32(0x09090909, conf.dns[1]);
	TEST_ASSERT_EQUAL_UINT32(30, conf.watchdog_s);
	TEST_ASSERT_EQUAL_UINT32(5, conf.confirm_minutes);
	TEST_ASSERT_TRUE(conf.downgrade);
	TEST_ASSERT_EQUAL_UINT32(4, conf.flags_count);
	TEST_ASSERT_EQUAL_STRING("--v", conf.flags[0]);
	TEST_ASSERT_EQUAL_STRING("64Mi", conf.flags[3]);
	TEST_ASSERT_NULL(conf.flags[4]);
}

static void test_conf_when_a_line_is_wrong_then_it_alone_is_left_out(void)
{
	TEST_ASSERT_FALSE(parse("address = 10.1.2.3\nhostname = Edge_7\nwatchdog = 20\nhost = a\n"
				"words\ngateway = 10.1.2.256\n"));
	TEST_ASSERT_EQUAL_INT(CONF_DHCP, conf.how);
	TEST_ASSERT_EQUAL_STRING("berth", conf.hostname);
	TEST_ASSERT_EQUAL_UINT32(20, conf.watchdog_s);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(words,
					     "berth.conf line 1: 'address = 10.1.2.3' is not dhcp, "
					     "none (IPv6 alone), or an address with its prefix"),
		words);
	TEST_ASSERT_NOT_NULL_MESSAGE(
		strstr(words, "line 4: 'host = a' is not one of the keys: hostname"), words);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(words, "line 5: 'words' is not key = value"), words);
	TEST_ASSERT_EQUAL_UINT32(0, conf.gateway);
}

static void test_conf_when_damaged_then_it_says_so_and_takes_nothing(void)
{
	static const char bytes[] = "hostname = edge\n\xff\xfe\x00\x01";

	TEST_ASSERT_FALSE(conf_parse(&conf, (struct text){bytes, sizeof(bytes) - 1}, &faults));
	TEST_ASSERT_EQUAL_STRING("berth", conf.hostname);
	TEST_ASSERT_EQUAL_STRING(
		"berth.conf is damaged: it is not text; defaults are used\n", words);
}

static void test_conf_when_much_is_wrong_then_the_first_lines_are_told(void)
{
	char file[400] = "";

	for (int i = 0; i < 50; i++)
		strcat(file, "x = y\n");
	TEST_ASSERT_FALSE(parse(file));
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(words, "45 more lines are wrong"), words);
}

static void test_conf_when_flags_are_too_many_then_none_counts(void)
{
	char file[400] = "flags =";

	for (int i = 0; i < 33; i++)
		strcat(file, " -v");
	TEST_ASSERT_FALSE(parse(file));
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(words, "at most 32 words"), words);
}

/* The file that is shipped, as it is, and with each line that is switched off switched on. */
static void test_conf_when_as_shipped_then_nothing_is_wrong(void)
{
	static char file[8192], shipped[8192];
	FILE *f = fopen("firmware/berth.conf", "r");
	size_t size = 0;

	TEST_ASSERT_NOT_NULL(f);
	TEST_ASSERT_TRUE(fread(shipped, 1, sizeof(shipped) - 1, f) > 500);
	fclose(f);
	TEST_ASSERT_TRUE_MESSAGE(parse(shipped), words);
	TEST_ASSERT_EQUAL_UINT32(4, conf.flags_count);
	TEST_ASSERT_EQUAL_STRING("--leader-elect-renew-deadline", conf.flags[0]);
	for (const char *c = shipped; *c != '\0'; c++)
		if (*c != '#' || c[1] == ' ')
			file[size++] = *c;
	TEST_ASSERT_TRUE_MESSAGE(parse(file), words);
	TEST_ASSERT_EQUAL_UINT32(0xc0a80109, conf.address);
	TEST_ASSERT_FALSE(conf.downgrade);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_conf_when_empty_then_defaults);
	RUN_TEST(test_conf_when_every_key_is_set_then_all_count);
	RUN_TEST(test_conf_when_a_line_is_wrong_then_it_alone_is_left_out);
	RUN_TEST(test_conf_when_damaged_then_it_says_so_and_takes_nothing);
	RUN_TEST(test_conf_when_much_is_wrong_then_the_first_lines_are_told);
	RUN_TEST(test_conf_when_flags_are_too_many_then_none_counts);
	RUN_TEST(test_conf_when_as_shipped_then_nothing_is_wrong);
	return UNITY_END();
}
