/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of a machine that may have none.
 *
 *	1. It is never before the moment at which the image was built.
 *	2. `berth clock` asks the apiserver, over TLS that proves everything but the dates, and
 *	   with no credentials sent: the answer counts if it lies within the validity of all
 *	   certificates that were shown, and not before 1.
 *	3. It is asked again every some hours, and until it answers every few seconds.
 *
 * So a clock that says 1970 or 2040 does not lock the machine out, and who holds an old
 * certificate of the cluster can at most make the clock stand where that one was valid.
 */
#include "firmware/init/init.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

enum {
	ASK_MS = 2000,
	ASK_MAX_MS = 60 * 1000,
	AGAIN_MS = 6 * 60 * 60 * 1000,
	PATIENCE_MS = 30 * 1000,
	SHIFT_S = 2,                     /* a header has whole seconds, and took its time */
	LIFE_S = 20 * 366 * 24 * 60 * 60 /* an image is not in use for longer */
};

static struct {
	struct child child;
	enum clock_origin origin;
	int64_t built, due_ms, ends_ms, pause_ms;
	bool asked;
	char fault[120];
} timekeeper = {.child.output = -1, .pause_ms = ASK_MS};

enum clock_origin timekeeper_origin(void)
{
	return timekeeper.origin;
}

const char *timekeeper_fault(void)
{
	return timekeeper.fault;
}

struct child *timekeeper_child(void)
{
	return &timekeeper.child;
}

static void set_clock(int64_t seconds)
{
	const struct timespec t = {.tv_sec = (time_t)seconds};

	if (clock_settime(CLOCK_REALTIME, &t) != 0)
		say("clock: it cannot be set");
}

void timekeeper_floor(void)
{
	int64_t now = (int64_t)time(NULL);

	timekeeper.built = file_number(BUILT_FILE);
	timekeeper.origin = CLOCK_HARDWARE;
	if (timekeeper.built > 0 && (now < timekeeper.built || now - timekeeper.built > LIFE_S)) {
		set_clock(timekeeper.built);
		timekeeper.origin = CLOCK_IMAGE;
		say("clock: it said second %lld; the time of the image is used until the apiserver "
		    "says better",
			(long long)now);
	}
}

static void read_answer(void *self, struct text line)
{
	int64_t said, now = (int64_t)time(NULL);

	(void)self;
	if (!text_to_i64(line, &said)) {
		(void)snprintf(timekeeper.fault, sizeof(timekeeper.fault), "%.*s", TEXT_ARGS(line));
		return;
	}
	if (said < timekeeper.built) {
		(void)snprintf(timekeeper.fault, sizeof(timekeeper.fault),
			"the apiserver's time is before this image was built");
		return;
	}
	timekeeper.fault[0] = '\0';
	if (said - now > SHIFT_S || now - said > SHIFT_S) {
		say("clock: set by the apiserver, %lld s %s",
			(long long)(said > now ? said - now : now - said),
			said > now ? "forward" : "back");
		set_clock(said);
	}
	timekeeper.origin = CLOCK_APISERVER;
}

void timekeeper_drain(void)
{
	child_drain(&timekeeper.child, read_answer, NULL);
}

static void timekeeper_end(int64_t now)
{
	timekeeper_drain();
	timekeeper.asked = false;
	if (timekeeper.child.status == 0) {
		timekeeper.due_ms = now + AGAIN_MS;
		timekeeper.pause_ms = ASK_MS;
		return;
	}
	timekeeper.due_ms = now + timekeeper.pause_ms;
	if (timekeeper.pause_ms < ASK_MAX_MS)
		timekeeper.pause_ms *= 2;
}

int64_t timekeeper_turn(bool network, bool kubeconfig, int64_t now)
{
	static char *argv[] = {BERTH_PROGRAM, "clock", "--kubeconfig", RUN_KUBECONFIG, NULL};

	if (timekeeper.child.pid > 0) {
		if (now >= timekeeper.ends_ms)
			child_end(&timekeeper.child, SIGKILL);
		return timekeeper.ends_ms;
	}
	if (timekeeper.asked)
		timekeeper_end(now);
	if (!network || !kubeconfig)
		return NEVER_MS;
	if (now < timekeeper.due_ms)
		return timekeeper.due_ms;
	timekeeper.asked = child_start(&timekeeper.child, argv, BERTH_USER, -1);
	timekeeper.ends_ms = now + PATIENCE_MS;
	return timekeeper.ends_ms;
}
