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

/* A signal between two turns is seen no later than this; a short turn is for who is impatient. */
enum { TURN_MAX_US = 5 * 1000 * 1000, TURN_SHORT_US = 1000 * 1000 };

/* The first time; each pause is twice the one before. */
enum { PATIENCE_MS = 3000, PATIENCE_MAX_MS = 60 * 1000 };

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

struct patience {
	struct mono due;
	int64_t pause_ms;
};

/*
 * All that can be silent - name server, network, apiserver, a proxy before it - is told when its
 * own time is up, which may be half a minute. Who has just started berth is not left alone so long.
 * True: there is something to wait for.
 */
static bool tell_wait(const struct scheduler *s, struct patience *patience)
{
	struct mono now = net_now(s->net);
	bool waits = scheduler_state(s) == SCHEDULER_NOT_SYNCED ||
		(scheduler_state(s) == SCHEDULER_NOT_LEADING &&
			lease_stats(s->lease).holder.size == 0);
	if (!waits || patience->pause_ms == 0)
		*patience = (struct patience){mono_after_ms(now, PATIENCE_MS), PATIENCE_MS};
	if (!mono_reached(now, patience->due))
		return waits;
	struct net_client_stats net = net_client_stats(s->setup.client);
	log_info("run", "waiting",
		"for=%s connections=%u connects=%llu failures=%llu requests=%llu queued=%u "
		"received=%llu",
		scheduler_state(s) == SCHEDULER_NOT_SYNCED ? "lists" : "lease", (unsigned)net.open,
		(unsigned long long)net.connects, (unsigned long long)net.connect_failures,
		(unsigned long long)net.requests, (unsigned)net.queued,
		(unsigned long long)net.bytes_in);
	patience->pause_ms *= 2;
	if (patience->pause_ms > PATIENCE_MAX_MS)
		patience->pause_ms = PATIENCE_MAX_MS;
	patience->due = mono_after_ms(now, patience->pause_ms);
	return waits;
}

int run_run(const struct command_io *io, int argc, char **argv)
{
	int status;
	bool failed = false, waits = true;
	struct patience patience = {.pause_ms = 0};
	listen_to_signals(); /* first, or one that comes early is the end without an order */
	struct live *live = live_open(io, argc, argv, &status);
	if (live == NULL)
		return status;
	struct scheduler *s = &live->scheduler;
	log_info("run", "Starting Kubernetes Scheduler", "version=" BERTH_VERSION);
	log_info("run", "started", "server=%.*s:%u identity=%s emulated_version=%s",
		TEXT_ARGS(live->kubeconfig.server.host), (unsigned)live->kubeconfig.server.port,
		live->identity,
		live->follows_release ? "of-the-apiserver"
				      : kube_release_name(scheduler_release(s)));
	while (!scheduler_is_stopped(s)) {
		scheduler_turn(s, waits ? TURN_SHORT_US : TURN_MAX_US);
		waits = tell_wait(s, &patience);
		failed = failed || (live->status != NULL && status_has_failed(live->status));
		if (ends_asked != 0 || failed)
			scheduler_stop(s);
		if (dumps_asked != 0) {
			dumps_asked = 0;
			scheduler_dump(s);
		}
	}
	log_info("run", "stopped", "bound=%llu unschedulable=%llu errors=%llu",
		(unsigned long long)s->stats.bound,
		(unsigned long long)s->stats.attempts[SCHEDULER_UNSCHEDULABLE],
		(unsigned long long)s->stats.attempts[SCHEDULER_ERROR]);
	live_close(live);
	return failed ? COMMAND_FAILED : COMMAND_DONE;
}

const struct command run_command = {.name = "run",
	.what = "schedule a cluster",
	.arguments = "[--kubeconfig FILE] [--config FILE] [flags]",
	.about = "Schedules a cluster until it is asked to end: SIGTERM and SIGINT end in order,\n"
		 "a second one at once; SIGUSR2 logs nodes and queue. Flags and configuration\n"
		 "are kube-scheduler's, and some more. Those of its flags that have no meaning\n"
		 "here are accepted; 'berth help run --all' lists them.\n",
	.examples = "berth run --kubeconfig /etc/kubernetes/scheduler.conf\n"
		    "berth run --config berth.yaml --memory 16Mi --bind-address 127.0.0.1\n",
	.run = run_run};
