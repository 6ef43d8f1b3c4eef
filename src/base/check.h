/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CHECK: a broken invariant. Always compiled in. It prints what the process was doing (every
 * registered dump, every budget, the last trace records) and exits: berth is rebuilt from the
 * apiserver by a relist, so dying is cheap and going on with a wrong picture is not.
 *
 * Bytes from the network or from files never reach a CHECK; they end in a result value.
 */
#ifndef BERTH_BASE_CHECK_H
#define BERTH_BASE_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#define MUST_USE                 __attribute__((warn_unused_result))
#define NORETURN                 __attribute__((__noreturn__))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#define ARRAY_COUNT(array)       (sizeof(array) / sizeof((array)[0]))

#define CHECK(fact)                                              \
	do {                                                     \
		if (__builtin_expect(!(fact), 0))                \
			check_failed(#fact, __FILE__, __LINE__); \
	} while (0)

/* A place that control flow cannot reach. */
#define CHECK_NEVER(why) check_failed(why, __FILE__, __LINE__)

enum { CHECK_EXIT_STATUS = 70, CHECK_DUMPS_MAX = 64 };

/* The version that the report names; the string is kept, not copied. */
void check_version(const char *version);

/* Prints the panic report to stderr without allocating and exits with CHECK_EXIT_STATUS. */
NORETURN void check_failed(const char *fact, const char *file, int line);

/*
 * From here on SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT print the same report. After it a fault
 * ends the process as it would have without, so that core dumps are made; a signal from another
 * process, by exiting with CHECK_EXIT_STATUS.
 */
void check_catch_signals(void);

/*
 * A module's own part of the report: under 20 lines, written with check_print(). Modules
 * register at start; more than CHECK_DUMPS_MAX is itself a broken invariant.
 */
struct check_dump {
	const char *name;
	void (*print)(const void *self);
	const void *self;
};
void check_register(struct check_dump dump);
void check_unregister(const void *self); /* tests and simulator: an instance goes away */

/* For use inside dumps: formatted, bounded, unbuffered, to stderr. */
void check_print(const char *format, ...) PRINTF_LIKE(1, 2);

/* Tests replace the end of the process by their own jump; NULL restores it. */
void check_on_failure(void (*instead_of_exit)(void));

#endif
