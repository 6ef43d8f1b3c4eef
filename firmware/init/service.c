/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * berth, kept alive. What it prints goes to the console, and says how it is: leading with a whole
 * picture of the cluster, or standing by behind another.
 */
#include "firmware/init/init.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PAUSE_MS = 500,
	PAUSE_MAX_MS = 30 * 1000,
	PATIENCE_MS = 15 * 1000, /* for a network, at the start */
	ARGUMENTS_MAX = 10 + CONF_FLAGS_MAX
};

void service_init(struct service *service, struct text faults)
{
	memset(service, 0, sizeof(*service));
	for (size_t i = 0; i + 1 < faults.size && i + 1 < sizeof(service->notice); i++)
		service->notice[i] = faults.at[i] == '\n' ? ';' : faults.at[i];
	child_init(&service->child);
	service->updates = -1;
	service->healthy_ms = NEVER_MS;
}

bool service_is_healthy(const struct service *service)
{
	return service->healthy_ms != NEVER_MS;
}

static void judge(struct service *service, enum service_state state)
{
	bool healthy = state == SERVICE_READY || state == SERVICE_STANDBY;

	service->state = state;
	if (!healthy)
		service->healthy_ms = NEVER_MS;
	else if (service->healthy_ms == NEVER_MS)
		service->healthy_ms = now_ms();
	if (healthy)
		service->failures = 0;
}

/* "2026-11-19T20:40:03.987Z INFO scheduler ready pods=5 pending=5 nodes=3" */
static void read_log_line(void *self, struct text line)
{
	struct service *service = self;
	struct text rest = line, time, level, part, event;

	say("%.*s", TEXT_ARGS(line));
	if (!text_cut(&rest, ' ', &time) || !text_cut(&rest, ' ', &level) ||
		!text_cut(&rest, ' ', &part) || !text_cut(&rest, ' ', &event))
		return;
	if (text_is_z(level, "ERROR") || text_starts(line, TEXT("berth:")))
		(void)snprintf(service->detail, sizeof(service->detail), "%.*s", TEXT_ARGS(line));
	if (text_is_z(part, "lease")) {
		service->holder = text_is_z(event, "holder");
		if (service->holder && service->state == SERVICE_STARTING)
			judge(service, SERVICE_STANDBY);
		return;
	}
	if (!text_is_z(part, "scheduler"))
		return;
	if (text_is_z(event, "ready")) {
		judge(service, SERVICE_READY);
		if (!text_copy(rest, service->detail, sizeof(service->detail)))
			service->detail[0] = '\0';
	} else if (text_is_z(event, "not-leading")) {
		judge(service, service->holder ? SERVICE_STANDBY : SERVICE_STARTING);
	} else if (text_is_z(event, "not-synced") || text_is_z(event, "incomplete") ||
		text_is_z(event, "stopping")) {
		judge(service, SERVICE_STARTING);
	}
}

void service_drain(struct service *service)
{
	child_drain(&service->child, read_log_line, service);
}

/* A new one each time: of an update that its last process handed on nothing is left. */
static int open_updates(struct service *service)
{
	int ends[2];

	if (service->updates >= 0)
		(void)close(service->updates);
	service->updates = -1;
	if (!updater_takes_any() ||
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return -1;
	service->updates = ends[0];
	return ends[1];
}

static void start(struct service *service, const struct conf *conf, const struct medium *medium)
{
	char *argv[ARGUMENTS_MAX] = {BERTH_PROGRAM, "run", "--kubeconfig", RUN_KUBECONFIG};
	uint32_t count = 4;
	int theirs = open_updates(service);

	if (theirs >= 0)
		argv[count++] = "--update-socket";

	if (service->notice[0] != '\0') {
		argv[count++] = "--notice";
		argv[count++] = service->notice;
	}
	if (medium->has_scheduler) {
		argv[count++] = "--config";
		argv[count++] = RUN_SCHEDULER;
	}
	for (uint32_t i = 0; i < conf->flags_count; i++)
		argv[count++] = conf->flags[i];
	argv[count] = NULL;
	judge(service, SERVICE_STARTING);
	service->holder = false;
	service->detail[0] = '\0';
	if (!child_start(&service->child, argv, BERTH_USER, theirs))
		say("berth cannot be started");
	if (theirs >= 0)
		(void)close(theirs);
	service->starts++;
}

static void note_end(struct service *service, int64_t now)
{
	int64_t pause = PAUSE_MS;
	int status = service->child.status;

	service_drain(service);
	for (uint32_t i = 0; i < service->failures && pause < PAUSE_MAX_MS; i++)
		pause *= 2;
	pause = pause < PAUSE_MAX_MS ? pause : PAUSE_MAX_MS;
	service->failures++;
	service->due_ms = now + pause;
	judge(service, SERVICE_WAITING);
	if (WIFSIGNALED(status))
		say("berth ended by signal %d; again in %d ms", WTERMSIG(status), (int)pause);
	else
		say("berth ended with status %d; again in %d ms", WEXITSTATUS(status), (int)pause);
}

int64_t service_turn(struct service *service, const struct conf *conf, const struct medium *medium,
	bool network, int64_t now)
{
	if (service->child.pid > 0 || !medium->has_kubeconfig)
		return NEVER_MS;
	if (service->state != SERVICE_WAITING)
		note_end(service, now);
	/* Its pauses after a failed connection are longer than ours for the network. */
	if (service->starts == 0 && !network && now < PATIENCE_MS)
		return PATIENCE_MS;
	if (now < service->due_ms)
		return service->due_ms;
	start(service, conf, medium);
	return NEVER_MS;
}
