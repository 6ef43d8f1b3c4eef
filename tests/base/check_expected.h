/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A broken invariant as something a test can ask for. The report of a failure that is wanted is
 * thrown away.
 *
 *	CHECK_EXPECTED(pool_at(&pool, 0));
 *	CHECK_EXPECTED((pool_give(&pool, 0), 0));     what has no value gets one
 */
#ifndef BERTH_TESTS_BASE_CHECK_EXPECTED_H
#define BERTH_TESTS_BASE_CHECK_EXPECTED_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/check.h"
#include "unity.h"

static struct {
	jmp_buf back;
	volatile bool failed;
	volatile bool returned; /* what a MUST_USE function wants somebody to look at */
	int stderr_kept;
} check_expected;

static void check_expected_jump(void)
{
	longjmp(check_expected.back, 1);
}

static inline void check_expected_start(void)
{
	int nowhere = open("/dev/null", O_WRONLY);
	check_expected.stderr_kept = dup(STDERR_FILENO);
	dup2(nowhere, STDERR_FILENO);
	close(nowhere);
	check_on_failure(check_expected_jump);
	check_expected.failed = true;
}

static inline void check_expected_end(void)
{
	check_on_failure(NULL);
	dup2(check_expected.stderr_kept, STDERR_FILENO);
	close(check_expected.stderr_kept);
}

#define CHECK_EXPECTED(statement)                                                         \
	do {                                                                              \
		check_expected_start();                                                   \
		if (setjmp(check_expected.back) == 0) {                                   \
			check_expected.returned = (statement) != 0;                       \
			check_expected.failed = false;                                    \
		}                                                                         \
		check_expected_end();                                                     \
		TEST_ASSERT_TRUE_MESSAGE(check_expected.failed, "no CHECK: " #statement); \
	} while (0)

#endif
