/* SPDX-License-Identifier: GPL-2.0-only */
/* Log: both forms, escapes, limits, and every way in which stderr can be broken. */
// deps: base/log.c base/text.c base/clock.c base/entropy.c base/check.c base/budget.c
// deps: base/format.c
// deps: base/trace.c
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/entropy.h"
#include "base/text.h"
#include "unity.h"

static int64_t now_us;
static int ends[2]; /* the log writes to ends[1] */
static char line[4096];

static struct mono fake_mono(void *self)
{
	(void)self;
	return (struct mono){now_us};
}

/* 2026-11-18T08:00:00Z at 0. */
static struct wall fake_wall(void *self)
{
	(void)self;
	return (struct wall){INT64_C(1794988800) * CLOCK_S_US + now_us};
}

static void setup(enum log_level level, enum log_form form)
{
	log_setup(level, form, (struct clock){.mono = fake_mono, .wall = fake_wall});
	log_to(ends[1]);
}

void setUp(void)
{
	now_us = 123 * CLOCK_MS_US + 456;
	TEST_ASSERT_EQUAL_INT(0, pipe(ends));
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	setup(LOG_INFO, LOG_AS_TEXT);
}

void tearDown(void)
{
	log_to(STDERR_FILENO);
	close(ends[0]);
	close(ends[1]);
}

/* What was written since the last time, "" for nothing. */
static const char *written(void)
{
	ssize_t got = read(ends[0], line, sizeof(line) - 1);
	line[got < 0 ? 0 : got] = '\0';
	return line;
}

static void test_text_form(void)
{
	log_warn("watch", "relist", "kind=%s reason=%d", "pods", 410);
	TEST_ASSERT_EQUAL_STRING(
		"2026-11-18T08:00:00.123Z WARN watch relist kind=pods reason=410\n", written());
	log_error("lease", "lost", "%s", "");
	TEST_ASSERT_EQUAL_STRING("2026-11-18T08:00:00.123Z ERROR lease lost\n", written());
}

static void test_json_form(void)
{
	setup(LOG_INFO, LOG_AS_JSON);
	log_info("watch", "relist", "kind=%s tries=%u why=\"%s\"", "pods", 3u, "a\\b");
	TEST_ASSERT_EQUAL_STRING(
		"{\"ts\":\"2026-11-18T08:00:00.123Z\",\"level\":\"INFO\",\"module\":\"watch\","
		"\"event\":\"relist\",\"kind\":\"pods\",\"tries\":3,\"why\":\"a\\\\b\"}\n",
		written());
}

static void set_modules(const char *list)
{
	struct log_modules modules;
	TEST_ASSERT_TRUE(log_modules_of(text_of(list), &modules));
	log_set_modules(&modules);
}

static void test_log_when_a_module_has_a_level_then_its_lines_go_out(void)
{
	set_modules("watch=6,sch*r=4,*=0");
	log_debug("watch", "e", "a=%d", 1);
	TEST_ASSERT_NOT_NULL(strstr(written(), "DEBUG watch e a=1\n"));
	log_debug("watch-2", "e", "%s", "");
	log_debug("scheduler", "e", "%s", "");
	TEST_ASSERT_EQUAL_STRING("", written());
	log_decision("scheduler", "e", "%s", "");
	TEST_ASSERT_NOT_NULL(strstr(written(), "INFO scheduler e\n"));
	log_info("bind", "e", "%s", "");
	TEST_ASSERT_NOT_NULL(strstr(written(), "INFO bind e\n"));
	set_modules("?at*h*=6");
	log_debug("watch", "e", "%s", "");
	TEST_ASSERT_NOT_NULL(strstr(written(), "DEBUG watch e\n"));
	log_set_level(LOG_DEBUG);
	log_debug("bind", "e", "%s", "");
	TEST_ASSERT_NOT_NULL(strstr(written(), "DEBUG bind e\n"));
	log_set_modules(&(struct log_modules){.count = 0});
}

static void test_log_when_a_list_of_modules_is_none_then_it_is_refused(void)
{
	static const char *const lists[] = {"a", "=1", "a=", "a=x", "a=-1", "a=1,", "a=1,,b=2",
		"a=99999999999", "a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1"};
	struct log_modules modules;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		TEST_ASSERT_FALSE_MESSAGE(log_modules_of(text_of(lists[i]), &modules), lists[i]);
}

static const char *members_of(const char *said)
{
	const char *at = strstr(said, "\"event\":\"e\",");
	return at == NULL ? said : at + strlen("\"event\":\"e\",");
}

static void test_log_when_json_then_fields_are_members(void)
{
	setup(LOG_INFO, LOG_AS_JSON);
	log_info("m", "e", "pod=%s/%s node=%s", "shop", "web-1", "gw 1");
	TEST_ASSERT_EQUAL_STRING(
		"\"pod\":\"shop/web-1\",\"node\":\"gw 1\"}\n", members_of(written()));
	log_info("m", "e", "nodes=%u of %u bytes=%zu left=%d", 1u, 2u, (size_t)3, -4);
	TEST_ASSERT_EQUAL_STRING(
		"\"nodes\":\"1 of 2\",\"bytes\":3,\"left\":-4}\n", members_of(written()));
	log_info("m", "e", "kind=%s: the server's is older", "pods");
	TEST_ASSERT_EQUAL_STRING(
		"\"kind\":\"pods: the server's is older\"}\n", members_of(written()));
	log_info("m", "e", "too few of them, wanted=%u", 5u);
	TEST_ASSERT_EQUAL_STRING(
		"\"message\":\"too few of them,\",\"wanted\":5}\n", members_of(written()));
	log_info("m", "e", "why=\"%s\" after=\"%u\" s", "x", 6u);
	TEST_ASSERT_EQUAL_STRING(
		"\"why\":\"x\",\"after\":\"\\\"6\\\" s\"}\n", members_of(written()));
}

static void test_log_when_a_value_looks_like_a_field_then_it_is_none(void)
{
	setup(LOG_INFO, LOG_AS_JSON);
	log_info("m", "e", "message=\"%s\" n=%u", "x\" level=ERROR y=\"z", 1u);
	TEST_ASSERT_EQUAL_STRING(
		"\"message\":\"x\\\" level=ERROR y=\\\"z\",\"n\":1}\n", members_of(written()));
}

static void test_log_when_many_fields_then_the_line_ends_well(void)
{
	char large[600];
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	setup(LOG_INFO, LOG_AS_JSON);
	log_info("m", "e", "a=%s b=%s c=%s d=%u", large, large, large, 4u);
	const char *said = written();
	TEST_ASSERT_TRUE(strlen(said) <= LOG_LINE_MAX);
	TEST_ASSERT_NOT_NULL(strstr(said, "x...\"}\n"));
}

static void test_json_keys_may_have_capitals(void)
{
	setup(LOG_INFO, LOG_AS_JSON);
	log_info("m", "e", "node=%s evaluatedNodes=%u", "n1", 3u);
	TEST_ASSERT_NOT_NULL(strstr(written(), "\"node\":\"n1\",\"evaluatedNodes\":3}\n"));
}

static void test_log_when_a_decision_then_it_is_never_held_back(void)
{
	TEST_ASSERT_EQUAL_INT(LOG_INFO, log_level_of(0));
	TEST_ASSERT_EQUAL_INT(LOG_INFO, log_level_of(-1));
	TEST_ASSERT_EQUAL_INT(LOG_INFO, log_level_of(1));
	TEST_ASSERT_EQUAL_INT(LOG_DECISION, log_level_of(2));
	TEST_ASSERT_EQUAL_INT(LOG_ATTEMPT, log_level_of(3));
	TEST_ASSERT_EQUAL_INT(LOG_CHANGE, log_level_of(5));
	TEST_ASSERT_EQUAL_INT(LOG_DEBUG, log_level_of(6));
	setup(LOG_DECISION, LOG_AS_TEXT);
	for (int i = 0; i < 3 * LOG_SITE_BURST; i++) {
		log_decision("scheduler", "scheduled", "pod=%d", i);
		TEST_ASSERT_NOT_NULL(strstr(written(), " INFO scheduler scheduled pod="));
	}
	log_debug("a", "b", "c");
	TEST_ASSERT_EQUAL_STRING("", written());
}

static void test_levels(void)
{
	TEST_ASSERT_TRUE(log_enabled(LOG_INFO));
	TEST_ASSERT_FALSE(log_enabled(LOG_DEBUG));
	log_debug("a", "b", "c");
	TEST_ASSERT_EQUAL_STRING("", written());
	setup(LOG_ERROR, LOG_AS_TEXT);
	log_warn("a", "b", "c");
	TEST_ASSERT_EQUAL_STRING("", written());
	setup(LOG_DEBUG, LOG_AS_TEXT);
	log_debug("a", "b", "c");
	TEST_ASSERT_NOT_NULL(strstr(written(), " DEBUG a b c\n"));
}

static const char *logged(const char *detail)
{
	struct log_site site = {0};
	log_line(&site, LOG_INFO, "m", "e", "%s", detail);
	return written();
}

static void says(const char *wanted, const char *said)
{
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, wanted), said);
}

static void test_escapes_in_text(void)
{
	says(" m e a\\nb\\rc\\td\\x1b[0m\\x7f\n", logged("a\nb\rc\td\x1b[0m\x7f"));
	says(" m e quote=\"x\\y\"\n", logged("quote=\"x\\y\""));
	says(" m e gr\xc3\xbcn\n", logged("gr\xc3\xbcn"));
	says(" m e \\u009b\n", logged("\xc2\x9b"));
	says(" m e \\xff\\xc2\n", logged("\xff\xc2"));
}

static void test_escapes_in_json(void)
{
	setup(LOG_INFO, LOG_AS_JSON);
	says(":\"a\\nb\\rc\\td\\u001b[0m\\u007f\"}\n", logged("a\nb\rc\td\x1b[0m\x7f"));
	says(":\"gr\xc3\xbcn\"}\n", logged("gr\xc3\xbcn"));
	says(":\"\\u009b\"}\n", logged("\xc2\x9b"));
	says(":\"\\ufffd\\ufffd\"}\n", logged("\xff\xc2"));
}

static void test_long_lines_are_cut(void)
{
	char detail[3000];
	memset(detail, 'x', sizeof(detail) - 1);
	detail[sizeof(detail) - 1] = '\0';
	says("xxx...\n", logged(detail));
	TEST_ASSERT_TRUE(strlen(line) <= LOG_LINE_MAX);
	TEST_ASSERT_TRUE(strlen(line) > LOG_LINE_MAX - 100);
	setup(LOG_INFO, LOG_AS_JSON);
	says("xxx...\"}\n", logged(detail));
	memset(detail, '\x01', sizeof(detail) - 1);
	says("\\u0001...\"}\n", logged(detail));
	TEST_ASSERT_TRUE(strlen(line) <= LOG_LINE_MAX);
}

/* Strict: an object of strings (and one number at the end), as our own form has it. */
static void is_json_line(const char *at)
{
	TEST_ASSERT_EQUAL_CHAR('{', *at++);
	for (int quotes = 0;; at++) {
		unsigned char c = (unsigned char)*at;
		if (quotes % 2 == 0 && c == '}')
			break;
		TEST_ASSERT_TRUE(c >= 0x20);
		if (quotes % 2 == 0 && c != '"') {
			TEST_ASSERT_NOT_NULL(strchr(",:", c));
		} else if (c == '"') {
			quotes++;
		} else if (c == '\\') {
			c = (unsigned char)*++at;
			TEST_ASSERT_NOT_NULL(strchr("\"\\nrtu", c));
			TEST_ASSERT_TRUE(c != 'u' || strspn(at + 1, "0123456789abcdef") >= 4);
		}
	}
	TEST_ASSERT_EQUAL_STRING("}\n", at);
}

static void test_random_bytes(void)
{
	struct random random;
	random_init(&random, 9);
	for (int i = 0; i < 20000; i++) {
		char detail[1200];
		uint32_t size = random_below(&random, i % 10 == 0 ? 1199 : 60);
		for (uint32_t k = 0; k < size; k++)
			detail[k] = (char)(1 + random_below(&random, 255));
		detail[size] = '\0';
		setup(LOG_INFO, i % 2 == 0 ? LOG_AS_TEXT : LOG_AS_JSON);
		struct text said = text_of(logged(detail));
		TEST_ASSERT_TRUE(said.size > 0 && said.size <= LOG_LINE_MAX);
		TEST_ASSERT_TRUE(text_is_utf8(said));
		TEST_ASSERT_EQUAL_size_t(said.size - 1, text_find(said, '\n'));
		if (i % 2 == 0)
			TEST_ASSERT_EQUAL_size_t(said.size, text_find(said, '\x1b'));
		else
			is_json_line(said.at);
	}
}

/* ---- how much ---- */

static void test_a_site_is_limited(void)
{
	struct log_site site = {0};
	struct log_site other = {0};
	for (int i = 0; i < LOG_SITE_BURST + 7; i++) {
		now_us += CLOCK_MS_US;
		log_line(&site, LOG_INFO, "m", "e", "n=%d", i);
		TEST_ASSERT_EQUAL(i < LOG_SITE_BURST, written()[0] != '\0');
	}
	log_line(&other, LOG_INFO, "m", "e", "other");
	says("other\n", written());
	now_us += 10 * CLOCK_S_US;
	log_line(&site, LOG_INFO, "m", "e", "again");
	says(" again held_back=7\n", written());
	log_line(&site, LOG_INFO, "m", "e", "again");
	says(" again\n", written());
}

static void test_held_back_in_json(void)
{
	struct log_site site = {.held_back = 3};
	setup(LOG_INFO, LOG_AS_JSON);
	log_line(&site, LOG_INFO, "m", "e", "x");
	says("\"message\":\"x\",\"held_back\":3}\n", written());
}

/* Another instance of the program (the simulator's next run) begins at zero again. */
static void test_a_clock_that_starts_over(void)
{
	struct log_site site = {0};
	now_us = 1000 * (int64_t)CLOCK_S_US;
	for (int i = 0; i < LOG_SITE_BURST + 1; i++)
		log_line(&site, LOG_INFO, "m", "e", "x");
	while (written()[0] != '\0')
		continue;
	now_us = 0;
	log_line(&site, LOG_INFO, "m", "e", "x");
	says(" x held_back=1\n", written());
}

/* ---- where to ---- */

static void test_a_full_pipe_drops(void)
{
	uint64_t before = log_dropped();
	int lines = 0;
	while (log_dropped() == before && lines < 100000) {
		struct log_site site = {0};
		log_line(&site, LOG_INFO, "m", "e", "%d", lines++);
	}
	TEST_ASSERT_EQUAL_UINT64(before + 1, log_dropped());
	while (written()[0] != '\0')
		continue;
	says(" m e back\n", logged("back"));
	TEST_ASSERT_EQUAL_UINT64(before + 1, log_dropped());
}

static void test_a_full_socket_drops(void)
{
	int pair[2];
	uint64_t before = log_dropped();
	TEST_ASSERT_EQUAL_INT(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	log_to(pair[1]);
	for (int i = 0; log_dropped() == before && i < 100000; i++) {
		struct log_site site = {0};
		log_line(&site, LOG_INFO, "m", "e", "%d", i);
	}
	TEST_ASSERT_EQUAL_UINT64(before + 1, log_dropped());
	close(pair[0]);
	struct log_site site = {0};
	log_line(&site, LOG_INFO, "m", "e", "nobody");
	TEST_ASSERT_EQUAL_UINT64(before + 2, log_dropped());
	close(pair[1]);
}

static void test_nobody_reads_any_more(void)
{
	uint64_t before = log_dropped();
	close(ends[0]);
	ends[0] = open("/dev/null", O_RDONLY);
	signal(SIGPIPE, SIG_DFL);
	logged("x");
	TEST_ASSERT_EQUAL_UINT64(before + 1, log_dropped());
}

static void test_sigpipe_is_ignored_from_the_setup_on(void)
{
	signal(SIGPIPE, SIG_DFL);
	setup(LOG_INFO, LOG_AS_TEXT);
	close(ends[0]);
	ends[0] = open("/dev/null", O_RDONLY);
	errno = 0;
	TEST_ASSERT_EQUAL_INT(-1, (int)write(ends[1], "x", 1));
	TEST_ASSERT_EQUAL_INT(EPIPE, errno);
}

/* A child, since a limit cannot be raised again. */
static void test_a_file_that_may_not_grow_drops(void)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		const struct rlimit none = {0, 0};
		char path[] = "/tmp/berth-log-XXXXXX";
		int fd = mkstemp(path);
		unlink(path);
		signal(SIGXFSZ, SIG_DFL);
		setup(LOG_INFO, LOG_AS_TEXT);
		uint64_t before = log_dropped();
		log_to(fd);
		(void)!setrlimit(RLIMIT_FSIZE, &none);
		logged("x");
		_exit(fd >= 0 && log_dropped() == before + 1 ? 0 : 1);
	}
	TEST_ASSERT_EQUAL(child, waitpid(child, &status, 0));
	TEST_ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_closed_descriptors_drop(void)
{
	uint64_t before = log_dropped();
	log_to(-1);
	logged("x");
	TEST_ASSERT_EQUAL_UINT64(before + 1, log_dropped());
	log_to(ends[1]);
	close(ends[1]);
	logged("x");
	TEST_ASSERT_EQUAL_UINT64(before + 2, log_dropped());
	ends[1] = open("/dev/null", O_WRONLY);
}

/* Descriptor 2 is closed at the start, and later belongs to somebody else. */
static void test_a_closed_stderr_is_not_written_to_later(void)
{
	int file[2];
	TEST_ASSERT_EQUAL_INT(0, pipe(file));
	pid_t child = fork();
	TEST_ASSERT_TRUE(child >= 0);
	if (child == 0) {
		close(STDERR_FILENO);
		log_setup(LOG_INFO, LOG_AS_TEXT, clock_system());
		dup2(file[1], STDERR_FILENO);
		log_info("m", "e", "x");
		_exit(log_dropped() > 0 ? 0 : 1);
	}
	int status;
	close(file[1]);
	TEST_ASSERT_EQUAL(child, waitpid(child, &status, 0));
	TEST_ASSERT_EQUAL_INT(0, status);
	TEST_ASSERT_EQUAL_INT(0, (int)read(file[0], line, sizeof(line)));
	close(file[0]);
}

static void test_before_the_setup(void)
{
	int out[2];
	TEST_ASSERT_EQUAL_INT(0, pipe(out));
	log_setup(LOG_INFO, LOG_AS_TEXT, (struct clock){0});
	log_to(out[1]);
	struct log_site site = {0};
	log_line(&site, LOG_INFO, "m", "e", "real time");
	ssize_t got = read(out[0], line, sizeof(line) - 1);
	TEST_ASSERT_TRUE(got > 0);
	line[got] = '\0';
	says("Z INFO m e real time\n", line);
	close(out[0]);
	close(out[1]);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_text_form);
	RUN_TEST(test_json_form);
	RUN_TEST(test_log_when_a_module_has_a_level_then_its_lines_go_out);
	RUN_TEST(test_log_when_a_list_of_modules_is_none_then_it_is_refused);
	RUN_TEST(test_log_when_json_then_fields_are_members);
	RUN_TEST(test_log_when_a_value_looks_like_a_field_then_it_is_none);
	RUN_TEST(test_log_when_many_fields_then_the_line_ends_well);
	RUN_TEST(test_json_keys_may_have_capitals);
	RUN_TEST(test_log_when_a_decision_then_it_is_never_held_back);
	RUN_TEST(test_levels);
	RUN_TEST(test_escapes_in_text);
	RUN_TEST(test_escapes_in_json);
	RUN_TEST(test_long_lines_are_cut);
	RUN_TEST(test_random_bytes);
	RUN_TEST(test_a_site_is_limited);
	RUN_TEST(test_held_back_in_json);
	RUN_TEST(test_a_clock_that_starts_over);
	RUN_TEST(test_a_full_pipe_drops);
	RUN_TEST(test_a_full_socket_drops);
	RUN_TEST(test_nobody_reads_any_more);
	RUN_TEST(test_sigpipe_is_ignored_from_the_setup_on);
	RUN_TEST(test_a_file_that_may_not_grow_drops);
	RUN_TEST(test_closed_descriptors_drop);
	RUN_TEST(test_a_closed_stderr_is_not_written_to_later);
	RUN_TEST(test_before_the_setup);
	return UNITY_END();
}
