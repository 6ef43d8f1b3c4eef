/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The panic report. It may run when anything is broken, so it allocates nothing, trusts little
 * (a second failure inside the report ends it at once) and never waits long for whoever reads
 * stderr: a supervisor that does not read must not keep a dead scheduler alive.
 */
#include "base/check.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/format.h"
#include "base/trace.h"

enum { CHECK_PRINT_MAX = 512, CHECK_WAIT_MS = 200 };

static struct {
	struct check_dump dumps[CHECK_DUMPS_MAX];
	uint32_t count;
	const char *version;
	void (*instead_of_exit)(void);
	bool reporting;
	bool mute; /* nobody reads */
} state;

static void check_write(const char *at, size_t size)
{
	while (size > 0 && !state.mute) {
		struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};
		int ready = poll(&fd, 1, CHECK_WAIT_MS);
		if (ready < 0 && errno == EINTR)
			continue;
		state.mute = ready != 1 || (fd.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
		if (state.mute)
			return;
		ssize_t written = write(STDERR_FILENO, at, size);
		if (written < 0 && errno == EINTR)
			continue;
		state.mute = written <= 0;
		if (state.mute)
			return;
		at += written;
		size -= (size_t)written;
	}
}

void check_print(const char *format, ...)
{
	char line[CHECK_PRINT_MAX];
	va_list args;
	va_start(args, format);
	size_t size = format_into(line, sizeof(line), format, args);
	va_end(args);
	if (size > sizeof(line)) {
		static const char cut[] = {'.', '.', '.', '\n'};
		size = sizeof(line);
		memcpy(line + size - sizeof(cut), cut, sizeof(cut));
	}
	check_write(line, size);
}

void check_version(const char *version)
{
	state.version = version;
}

void check_register(struct check_dump dump)
{
	CHECK(dump.name != NULL);
	CHECK(dump.print != NULL);
	CHECK(state.count < CHECK_DUMPS_MAX);
	state.dumps[state.count++] = dump;
}

void check_unregister(const void *self)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < state.count; i++) {
		if (state.dumps[i].self != self)
			state.dumps[kept++] = state.dumps[i];
	}
	state.count = kept;
}

void check_on_failure(void (*instead_of_exit)(void))
{
	state.instead_of_exit = instead_of_exit;
}

static void check_print_budgets(void)
{
	if (budget_first() != NULL)
		check_print("budgets (used/most/capacity, refused):\n");
	for (const struct budget *b = budget_first(); b != NULL; b = budget_next(b)) {
		check_print("  %s: %" PRIu64 "/%" PRIu64 "/%" PRIu64 " %s, %" PRIu64 "\n", b->name,
			b->used, b->used_max, b->capacity, b->unit, b->refused);
	}
}

static NORETURN void check_end(void)
{
	state.reporting = false;
	if (state.instead_of_exit != NULL)
		state.instead_of_exit();
	_exit(CHECK_EXIT_STATUS);
}

void check_failed(const char *fact, const char *file, int line)
{
	if (state.reporting) {
		check_print("and while reporting it: %s at %s:%d\n", fact, file, line);
		check_end();
	}
	state.reporting = true;
	state.mute = false;
	check_print("\nberth %s: broken invariant: %s at %s:%d\n",
		state.version == NULL ? "(unknown version)" : state.version, fact, file, line);
	for (uint32_t i = 0; i < state.count; i++) {
		check_print("%s:\n", state.dumps[i].name);
		state.dumps[i].print(state.dumps[i].self);
	}
	check_print_budgets();
	trace_print();
	check_end();
}
