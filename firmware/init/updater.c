/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Updates. `berth update` does the work and judges signatures; here it is asked at the right
 * moments: once at the start, when a slot on trial has shown whether it is well, and when berth
 * hands on one that came over its port, which is written while berth goes on scheduling.
 */
#include "firmware/init/init.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum {
	RESTART = 3,
	ON_TRIAL = 4,
	WELL_MS = 10 * 1000, /* so long it must be well */
	AGAIN_MS = 60 * 1000,
	STEP_MS = 500,
	PORT_MS = 60 * 60 * 1000,    /* and a link */
	ANSWER_MS = 2000,            /* for berth to tell the sender how it went */
	PATIENCE_MS = 10 * 60 * 1000 /* a card may be slow */
};

static struct {
	bool on_trial;
	int64_t due_ms, deadline_ms;
	char news[160];
	struct child child; /* writes one that came over the port */
	bool takes_any, is_writing, downgrade;
	int64_t ends_ms, restart_ms;
} updater = {.child.output = -1, .restart_ms = NEVER_MS};

const char *updater_news(void)
{
	return updater.news;
}

static void take_news(void *self, struct text line)
{
	(void)self;
	say("update: %.*s", TEXT_ARGS(line));
	(void)snprintf(updater.news, sizeof(updater.news), "%.*s", TEXT_ARGS(line));
}

/* Nothing else happens meanwhile; -1: it was ended by a signal, or not at all. */
static int ask_berth(const struct medium *medium, char *what, char *slot, bool downgrade)
{
	static struct child child;
	char device[sizeof(medium->device)];
	char *argv[] = {BERTH_PROGRAM, "update", "--disk", device, what, slot,
		downgrade ? "--downgrade" : NULL, NULL};
	int64_t ends = now_ms() + PATIENCE_MS;

	memcpy(device, medium->device, sizeof(device));
	child_init(&child);
	if (!child_start(&child, argv, 0, -1))
		return -1;
	while (child.pid > 0) {
		struct pollfd wanted = {.fd = child.output, .events = POLLIN};

		(void)poll(&wanted, 1, STEP_MS);
		child_drain(&child, take_news, NULL);
		/* Not the others: theirs is the loop. */
		if (waitpid(child.pid, &child.status, WNOHANG) == child.pid)
			child.pid = 0;
		watchdog_feed();
		if (now_ms() > ends)
			child_end(&child, SIGKILL);
	}
	child_drain(&child, take_news, NULL);
	return WIFEXITED(child.status) ? WEXITSTATUS(child.status) : -1;
}

void updater_start(const struct conf *conf, const struct medium *medium, char *slot)
{
	if (medium->device[0] == '\0' || slot[0] == '?')
		return;
	updater.takes_any = true;
	updater.downgrade = conf->downgrade;
	switch (ask_berth(medium, "--started", slot, conf->downgrade)) {
	case RESTART: system_restart("the other slot is tried");
	case ON_TRIAL:
		updater.on_trial = true;
		updater.deadline_ms = now_ms() + (int64_t)conf->confirm_minutes * 60 * 1000;
		break;
	default: break;
	}
}

/* ---- the slot on trial ---- */

static int64_t judge_trial(
	const struct medium *medium, const struct service *service, char *slot, int64_t now)
{
	bool well = service_is_healthy(service);
	int64_t well_at = well ? service->healthy_ms + WELL_MS : NEVER_MS;
	if (now >= updater.deadline_ms && now < well_at) {
		(void)ask_berth(medium, "--give-up", slot, false);
		system_restart("the slot on trial is not well");
	}
	int64_t due = well_at > updater.due_ms ? well_at : updater.due_ms;
	if (now < due)
		return due < updater.deadline_ms ? due : updater.deadline_ms;
	if (ask_berth(medium, "--confirm", slot, false) == 0)
		updater.on_trial = false;
	updater.due_ms = now + AGAIN_MS;
	return updater.due_ms;
}

/* ---- one that comes over the port ---- */

bool updater_takes_any(void)
{
	return updater.takes_any;
}

struct child *updater_child(void)
{
	return &updater.child;
}

void updater_drain(void)
{
	child_drain(&updater.child, take_news, NULL);
}

static void start_writing(
	const struct medium *medium, const struct service *service, char *slot, int64_t now)
{
	char device[sizeof(medium->device)];
	char *argv[] = {BERTH_PROGRAM, "update", "-", "--disk", device, "--started", slot,
		updater.downgrade ? "--downgrade" : NULL, NULL};

	memcpy(device, medium->device, sizeof(device));
	say("update: one comes over the port");
	updater.is_writing = child_start(&updater.child, argv, 0, service->updates);
	updater.ends_ms = now + PORT_MS;
}

/* What was left of the update is lost with the socket, so berth gets another one. */
static void end_writing(struct service *service, int64_t now)
{
	int status = updater.child.status;

	updater_drain();
	updater.is_writing = false;
	if (!WIFEXITED(status))
		child_end(&service->child, SIGTERM);
	else if (WEXITSTATUS(status) == RESTART)
		updater.restart_ms = now + ANSWER_MS;
}

int64_t updater_turn(const struct medium *medium, struct service *service, char *slot, int64_t now)
{
	struct pollfd comes = {.fd = service->updates, .events = POLLIN};

	if (now >= updater.restart_ms) {
		/* So that it gives its lease up, which the next one would have to wait for. */
		child_end(&service->child, SIGTERM);
		system_restart("the other slot is tried");
	}
	if (updater.is_writing && updater.child.pid == 0)
		end_writing(service, now);
	else if (updater.is_writing && now >= updater.ends_ms)
		child_end(&updater.child, SIGKILL);
	else if (!updater.is_writing && service->child.pid > 0 && poll(&comes, 1, 0) == 1 &&
		(comes.revents & POLLIN) != 0)
		start_writing(medium, service, slot, now);
	int64_t due = updater.on_trial ? judge_trial(medium, service, slot, now) : NEVER_MS;
	if (updater.is_writing && updater.ends_ms < due)
		due = updater.ends_ms;
	return updater.restart_ms < due ? updater.restart_ms : due;
}
