/* SPDX-License-Identifier: GPL-2.0-only */
/* The panic report, seen from outside: a child fails, the parent reads its stderr. */
// deps: base/check.c base/format.c base/budget.c base/trace.c
#include "base/check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/trace.h"
#include "check_expected.h"
#include "unity.h"

enum { REPORT_MAX = 64 * 1024 };

static char report[REPORT_MAX];
static int child_status;

void setUp(void)
{
	budget_reset();
	trace_reset();
}

void tearDown(void)
{
	check_unregister(&report);
	check_version(NULL);
}

/* Runs `work` in a child and keeps what it says on stderr. */
static void run(void (*work)(void))
{
	int ends[2];
	TEST_ASSERT_EQUAL_INT(0, pipe(ends));
	pid_t child = fork();
	TEST_ASSERT_TRUE(child >= 0);
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		work();
		_exit(0);
	}
	close(ends[1]);
	size_t used = 0;
	for (ssize_t got; (got = read(ends[0], report + used, sizeof(report) - 1 - used)) > 0;)
		used += (size_t)got;
	report[used] = '\0';
	close(ends[0]);
	TEST_ASSERT_EQUAL(child, waitpid(child, &child_status, 0));
}

static void says(const char *part)
{
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(report, part), part);
}

static void says_not(const char *part)
{
	TEST_ASSERT_NULL_MESSAGE(strstr(report, part), part);
}

static void exited_broken(void)
{
	TEST_ASSERT_TRUE(WIFEXITED(child_status));
	TEST_ASSERT_EQUAL_INT(CHECK_EXIT_STATUS, WEXITSTATUS(child_status));
}

static void print_cycle(const void *self)
{
	check_print("  pod %s\n", (const char *)self);
}

static void fail_with_everything(void)
{
	static struct budget pods;
	static const char pod[] = "shop/web-1";
	check_version("1.2.3");
	budget_register(&pods, "pods", "count", 100);
	TEST_ASSERT_TRUE(budget_take(&pods, 40));
	budget_give(&pods, 10);
	TEST_ASSERT_FALSE(budget_take(&pods, 71));
	check_register((struct check_dump){"cycle", print_cycle, pod});
	trace_now((struct mono){2 * CLOCK_S_US + 345});
	trace("cycle bound", 7, 8);
	int one = 1;
	CHECK(one == 2);
}

static void test_report_says_everything(void)
{
	run(fail_with_everything);
	exited_broken();
	says("berth 1.2.3: broken invariant: one == 2 at ");
	says("test_check.c:");
	says("cycle:\n  pod shop/web-1\n");
	says("pods: 30/40/100 count, 1\n");
	says("trace (1 records");
	says("2.000345 cycle bound 7 8\n");
}

static void fail_bare(void)
{
	CHECK_NEVER("fell out of the table");
}

static void test_report_without_anything(void)
{
	run(fail_bare);
	exited_broken();
	says("berth (unknown version): broken invariant: fell out of the table");
	says_not("budgets");
	says("trace (0 records");
}

static void hold_true(void)
{
	int one = 1;
	CHECK(one == 1);
}

static void test_true_facts_say_nothing(void)
{
	run(hold_true);
	TEST_ASSERT_TRUE(WIFEXITED(child_status));
	TEST_ASSERT_EQUAL_INT(0, WEXITSTATUS(child_status));
	TEST_ASSERT_EQUAL_STRING("", report);
}

static void print_broken(const void *self)
{
	check_print("  before\n");
	CHECK(self == NULL);
	check_print("  behind\n");
}

static void fail_twice(void)
{
	check_register((struct check_dump){"broken", print_broken, report});
	CHECK_NEVER("first");
}

static void test_failure_inside_the_report_ends_it(void)
{
	run(fail_twice);
	exited_broken();
	says("broken invariant: first");
	says("  before\n");
	says("and while reporting it: self == NULL");
	says_not("  behind");
	says_not("trace (");
}

static void print_long_line(void)
{
	char text[2000];
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	check_print("%s", text);
	check_print("next %d\n", 5);
}

static void test_long_lines_are_cut(void)
{
	run(print_long_line);
	says("xxx...\nnext 5\n");
	TEST_ASSERT_TRUE(strlen(report) < 600);
}

static void unregister_one(void)
{
	static const char other[] = "other";
	check_register((struct check_dump){"gone", print_cycle, report});
	check_register((struct check_dump){"stays", print_cycle, other});
	check_register((struct check_dump){"gone too", print_cycle, report});
	check_unregister(report);
	CHECK_NEVER("now");
}

static void test_unregistered_dumps_are_silent(void)
{
	run(unregister_one);
	says("stays:\n  pod other\n");
	says_not("gone");
}

static void test_too_many_dumps_are_a_bug(void)
{
	struct check_dump dump = {"same", print_cycle, report};
	for (int i = 0; i < CHECK_DUMPS_MAX; i++)
		check_register(dump);
	CHECK_EXPECTED((check_register(dump), 0));
	check_unregister(report);
	check_register(dump);
}

static void test_the_hook_gets_control_each_time(void)
{
	CHECK_EXPECTED((check_failed("a", "f", 1), 0));
	CHECK_EXPECTED((check_failed("b", "f", 2), 0));
}

static int hook_calls;

static void hook_that_returns(void)
{
	hook_calls++;
	check_print("hook %d\n", hook_calls);
}

static void fail_with_returning_hook(void)
{
	check_on_failure(hook_that_returns);
	CHECK_NEVER("goes on?");
}

static void test_a_hook_that_returns_does_not_save(void)
{
	run(fail_with_returning_hook);
	exited_broken();
	says("hook 1\n");
	says_not("hook 2\n");
}

/* Many lines, so that an unread pipe is full before the end. */
static void print_much(const void *self)
{
	(void)self;
	for (int i = 0; i < 2000; i++)
		check_print(
			"line %d ........................................................\n", i);
}

static void fail_into(int fd)
{
	pid_t child = fork();
	TEST_ASSERT_TRUE(child >= 0);
	if (child == 0) {
		dup2(fd, STDERR_FILENO);
		signal(SIGPIPE, SIG_DFL);
		check_register((struct check_dump){"much", print_much, report});
		CHECK_NEVER("into the void");
	}
	TEST_ASSERT_EQUAL(child, waitpid(child, &child_status, 0));
}

static void test_nobody_reads(void)
{
	int ends[2];
	struct timespec start;
	struct timespec end;
	TEST_ASSERT_EQUAL_INT(0, pipe(ends));
	clock_gettime(CLOCK_MONOTONIC, &start);
	fail_into(ends[1]);
	clock_gettime(CLOCK_MONOTONIC, &end);
	exited_broken();
	TEST_ASSERT_TRUE(end.tv_sec - start.tv_sec < 10);
	close(ends[0]);
	close(ends[1]);
}

static void test_reader_is_gone(void)
{
	int ends[2];
	TEST_ASSERT_EQUAL_INT(0, pipe(ends));
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	close(ends[0]);
	fail_into(ends[1]);
	exited_broken();
	close(ends[1]);
}

/* ---- signals ---- */

static void be_sent_an_abort(void)
{
	check_version("1.2.3");
	check_catch_signals();
	check_register((struct check_dump){"cycle", print_cycle, "shop/web-1"});
	kill(getpid(), SIGABRT);
}

static void test_check_when_a_signal_is_sent_then_reports_and_exits(void)
{
	run(be_sent_an_abort);
	exited_broken();
	says("berth 1.2.3: SIGABRT sent by process ");
	says(", code at +0x");
	says("cycle:\n  pod shop/web-1\n");
	says("trace (0 records");
}

static void touch_nothing(void)
{
	int *volatile nothing = (int *)16;
	check_catch_signals();
	*nothing = 1;
}

static void test_check_when_memory_is_missing_then_reports_and_dies_of_the_signal(void)
{
	run(touch_nothing);
	TEST_ASSERT_TRUE(WIFSIGNALED(child_status));
	TEST_ASSERT_EQUAL_INT(SIGSEGV, WTERMSIG(child_status));
	says("SIGSEGV at address 0x10, code at +0x");
	says("trace (0 records");
}

static void print_nothing(const void *self)
{
	int *volatile nothing = (int *)16;
	(void)self;
	*nothing = 1;
}

static void fail_and_touch_nothing(void)
{
	check_catch_signals();
	check_register((struct check_dump){"worse", print_nothing, report});
	CHECK_NEVER("first");
}

static void test_check_when_a_dump_faults_then_the_report_ends(void)
{
	run(fail_and_touch_nothing);
	exited_broken();
	says("broken invariant: first");
	says("and while reporting it: SIGSEGV");
	says_not("trace (");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_report_says_everything);
	RUN_TEST(test_report_without_anything);
	RUN_TEST(test_true_facts_say_nothing);
	RUN_TEST(test_failure_inside_the_report_ends_it);
	RUN_TEST(test_long_lines_are_cut);
	RUN_TEST(test_unregistered_dumps_are_silent);
	RUN_TEST(test_too_many_dumps_are_a_bug);
	RUN_TEST(test_the_hook_gets_control_each_time);
	RUN_TEST(test_a_hook_that_returns_does_not_save);
	RUN_TEST(test_nobody_reads);
	RUN_TEST(test_reader_is_gone);
	RUN_TEST(test_check_when_a_signal_is_sent_then_reports_and_exits);
	RUN_TEST(test_check_when_memory_is_missing_then_reports_and_dies_of_the_signal);
	RUN_TEST(test_check_when_a_dump_faults_then_the_report_ends);
	return UNITY_END();
}
