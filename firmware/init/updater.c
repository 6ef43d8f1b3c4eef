/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Updates. `berth update` does the work and judges signatures; here it is asked at the right
 * moments: once at the start, and when a slot on trial has shown whether it is well.
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
	PATIENCE_MS = 10 * 60 * 1000 /* a card may be slow */
};

static struct {
	bool on_trial;
	int64_t due_ms, deadline_ms;
	char news[160];
} updater;

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
	struct child *const children[] = {&child};
	char device[sizeof(medium->device)];
	char *argv[] = {BERTH_PROGRAM, "update", "--disk", device, what, slot,
		downgrade ? "--downgrade" : NULL, NULL};
	int64_t ends = now_ms() + PATIENCE_MS;

	memcpy(device, medium->device, sizeof(device));
	child_init(&child);
	if (!child_start(&child, argv, 0))
		return -1;
	while (child.pid > 0) {
		struct pollfd wanted = {.fd = child.output, .events = POLLIN};

		(void)poll(&wanted, 1, STEP_MS);
		child_drain(&child, take_news, NULL);
		child_reap(children, 1);
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
	switch (ask_berth(medium, "--started", slot, conf->downgrade)) {
	case RESTART: system_restart("the other slot is tried");
	case ON_TRIAL:
		updater.on_trial = true;
		updater.deadline_ms = now_ms() + (int64_t)conf->confirm_minutes * 60 * 1000;
		break;
	default: break;
	}
}

int64_t updater_turn(
	const struct medium *medium, const struct service *service, char *slot, int64_t now)
{
	if (!updater.on_trial)
		return NEVER_MS;
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
