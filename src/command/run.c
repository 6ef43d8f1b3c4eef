/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * berth run: schedules a cluster until it is asked to end.
 *
 *	SIGTERM, SIGINT   ends in order; a second one at once
 *	SIGUSR2           logs nodes and queue, and compares the picture with the apiserver
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "command/live.h"

/* A signal between two turns is seen no later than this. */
enum { TURN_MAX_US = 1000 * 1000 };

static volatile sig_atomic_t ends_asked;
static volatile sig_atomic_t dumps_asked;

static void on_signal(int number)
{
	if (number == SIGUSR2) {
		dumps_asked = 1;
		return;
	}
	if (ends_asked != 0)
		_exit(COMMAND_FAILED);
	ends_asked = 1;
}

static void listen_to_signals(void)
{
	struct sigaction action;
	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	sigemptyset(&action.sa_mask);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGUSR2, &action, NULL);
}

int run_run(const struct command_io *io, int argc, char **argv)
{
	int status;
	bool failed = false;
	listen_to_signals(); /* first, or one that comes early is the end without an order */
	struct live *live = live_open(io, argc, argv, &status);
	if (live == NULL)
		return status;
	struct scheduler *s = &live->scheduler;
	log_info("run", "starts", "server=%.*s:%u identity=%s",
		TEXT_ARGS(live->kubeconfig.server.host), (unsigned)live->kubeconfig.server.port,
		live->identity);
	while (!scheduler_is_stopped(s)) {
		scheduler_turn(s, TURN_MAX_US);
		failed = failed || (live->status != NULL && status_has_failed(live->status));
		if (ends_asked != 0 || failed)
			scheduler_stop(s);
		if (dumps_asked != 0) {
			dumps_asked = 0;
			scheduler_dump(s);
		}
	}
	log_info("run", "ends", "bound=%llu unschedulable=%llu errors=%llu",
		(unsigned long long)s->stats.bound,
		(unsigned long long)s->stats.attempts[SCHEDULER_UNSCHEDULABLE],
		(unsigned long long)s->stats.attempts[SCHEDULER_ERROR]);
	live_close(live);
	return failed ? COMMAND_FAILED : COMMAND_DONE;
}
