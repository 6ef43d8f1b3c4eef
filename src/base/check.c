/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The panic report. It may run when anything is broken, so it allocates nothing, trusts little
 * (a second failure inside the report ends it at once) and never waits long for the reader of
 * stderr: a supervisor that does not read must not keep a dead scheduler alive.
 */
#include "base/check.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
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
	bool mute; /* stderr is not read */
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

static void check_report(void)
{
	for (uint32_t i = 0; i < state.count; i++) {
		check_print("%s:\n", state.dumps[i].name);
		state.dumps[i].print(state.dumps[i].self);
	}
	check_print_budgets();
	trace_print();
}

static void check_report_begin(void)
{
	state.reporting = true;
	state.mute = false;
	check_print("\nberth %s: ", state.version == NULL ? "(unknown version)" : state.version);
}

void check_failed(const char *fact, const char *file, int line)
{
	if (state.reporting) {
		check_print("and while reporting it: %s at %s:%d\n", fact, file, line);
		check_end();
	}
	check_report_begin();
	check_print("broken invariant: %s at %s:%d\n", fact, file, line);
	check_report();
	check_end();
}

/* ---- signals ---- */

static const struct {
	int number;
	const char *name;
} check_signals[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGILL, "SIGILL"},
	{SIGFPE, "SIGFPE"}, {SIGABRT, "SIGABRT"}};

/* A stack that ran over is one of the faults. */
static _Alignas(16) char check_stack[32 * 1024];

static const char *check_signal_name(int number)
{
	for (size_t i = 0; i < ARRAY_COUNT(check_signals); i++)
		if (check_signals[i].number == number)
			return check_signals[i].name;
	return "signal";
}

/* Where the process was, from the beginning of the program: `addr2line -e berth.debug` takes it. */
static uintptr_t check_place_of(const ucontext_t *context)
{
	extern const char __ehdr_start __attribute__((visibility("hidden")));
	const mcontext_t *m = &context->uc_mcontext;
#if defined(__x86_64__)
	uintptr_t at = (uintptr_t)m->gregs[16];
#elif defined(__aarch64__)
	uintptr_t at = (uintptr_t)m->pc;
#elif defined(__arm__)
	uintptr_t at = (uintptr_t)m->arm_pc;
#elif defined(__riscv)
	uintptr_t at = (uintptr_t)m->__gregs[0];
#endif
	return at - (uintptr_t)&__ehdr_start;
}

static void check_on_signal(int number, siginfo_t *about, void *context)
{
	bool was_sent = about->si_code <= 0;
	if (state.reporting) {
		check_print("and while reporting it: %s\n", check_signal_name(number));
		check_end();
	}
	check_report_begin();
	check_print("%s", check_signal_name(number));
	if (was_sent)
		check_print(" sent by process %d", (int)about->si_pid);
	else
		check_print(" at address %p", about->si_addr);
	check_print(", code at +0x%lx\n", (unsigned long)check_place_of(context));
	check_report();
	if (was_sent)
		check_end();
	/* The instruction is tried again, and its signal does by now what it does by default. */
}

void check_catch_signals(void)
{
	const stack_t stack = {.ss_sp = check_stack, .ss_size = sizeof(check_stack)};
	struct sigaction action;
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = check_on_signal;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND;
	sigemptyset(&action.sa_mask);
	CHECK(sigaltstack(&stack, NULL) == 0);
	for (size_t i = 0; i < ARRAY_COUNT(check_signals); i++)
		CHECK(sigaction(check_signals[i].number, &action, NULL) == 0);
}
