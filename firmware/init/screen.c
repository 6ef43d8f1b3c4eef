/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The console: a line for each thing that happens, and a block with how things are whenever that
 * has changed. Plain lines, because a serial console may be a recorder.
 */
#include "firmware/init/init.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/format.h"

enum { DRAW_MS = 1000, SCREEN_MAX = 2048, LINE_MAX_BYTES = 1200 };

static int console = STDERR_FILENO;
static char drawn[SCREEN_MAX];
static size_t drawn_size;
static int64_t drawn_ms = -DRAW_MS;

void screen_open(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0)
		console = fd;
}

static void put_line(struct writer *w)
{
	/* Bytes of others get no control over a terminal. */
	for (size_t i = 0; i < w->used; i++)
		if ((uint8_t)w->at[i] < ' ' && w->at[i] != '\n')
			w->at[i] = '?';
	write_z(w, "\n");
	(void)!write(console, w->at, w->used);
}

void say(const char *format, ...)
{
	char line[LINE_MAX_BYTES];
	struct writer w;
	va_list args;
	int64_t now = now_ms();

	writer_init(&w, line, sizeof(line) - 1);
	write_format(&w, "[%u.%03u] ", (unsigned)(now / 1000), (unsigned)(now % 1000));
	va_start(args, format);
	write_format_v(&w, format, args);
	va_end(args);
	if (w.overflowed) {
		w.overflowed = false;
		w.size = sizeof(line);
	}
	put_line(&w);
}

static void write_address(struct writer *w, uint32_t address)
{
	write_format(w, "%u.%u.%u.%u", address >> 24, address >> 16 & 255, address >> 8 & 255,
		address & 255);
}

static void write_network(struct writer *w)
{
	static const char *const origins[] = {[NET_NOTHING] = "no address yet",
		[NET_DHCP] = "by DHCP",
		[NET_STATIC] = "by berth.conf",
		[NET_IPV6] = "IPv6 alone"};
	const struct net_state *net = net_state();
	uint32_t bits = 0;

	if (net->interface[0] == '\0') {
		write_z(w, "no interface has a link; is the cable in?");
		return;
	}
	write_format(w, "%s%s ", net->interface, net->carrier ? "" : " (its link is down)");
	if (net->address != 0) {
		for (uint32_t m = net->mask; m != 0; m <<= 1)
			bits++;
		write_address(w, net->address);
		write_format(w, "/%u ", bits);
	}
	write_z(w, origins[net->origin]);
	if (net->gateway != 0) {
		write_z(w, ", gateway ");
		write_address(w, net->gateway);
	}
}

static void write_clock(struct writer *w)
{
	static const char *const origins[] = {[CLOCK_UNSET] = "not set",
		[CLOCK_HARDWARE] = "of the hardware; the apiserver has not said yet",
		[CLOCK_IMAGE] = "of the image; the apiserver has not said yet",
		[CLOCK_APISERVER] = "by the apiserver"};

	write_z(w, origins[timekeeper_origin()]);
	if (timekeeper_fault()[0] != '\0')
		write_format(w, " (%s)", timekeeper_fault());
}

static void write_berth(struct writer *w, const struct screen *screen)
{
	static const char *const states[] = {[SERVICE_WAITING] = "not running",
		[SERVICE_STARTING] = "connecting",
		[SERVICE_READY] = "scheduling",
		[SERVICE_STANDBY] = "standing by behind another scheduler"};
	const struct service *service = screen->service;

	if (!screen->medium->has_kubeconfig) {
		write_z(w,
			"waits for a file 'kubeconfig' on the partition BERTH: put it there and "
			"start again");
		return;
	}
	write_z(w, states[service->state]);
	if (service->state == SERVICE_WAITING && service->starts > 0)
		write_format(w, ", ended %u times in a row", service->failures);
	else if (service->starts > 1)
		write_format(w, ", start %u", service->starts);
	if (service->detail[0] != '\0')
		write_format(w, "\n  %-9s %s", "", service->detail);
}

static void compose(const struct screen *screen, struct writer *w)
{
	struct text faults = screen->faults, line;

	write_format(
		w, "---- berth %s on %s, slot %s ----", BERTH_VERSION, BERTH_BOARD, screen->slot);
	write_format(w, "\n  %-9s %s", "host", screen->conf->hostname);
	write_format(w, "\n  %-9s ", "network");
	write_network(w);
	write_format(w, "\n  %-9s ", "clock");
	write_clock(w);
	write_format(w, "\n  %-9s ", "berth");
	write_berth(w, screen);
	write_format(w, "\n  %-9s %s", "disk",
		screen->medium->device[0] == '\0' ? "no partition BERTH was found"
						  : screen->medium->device);
	write_format(w, "\n  %-9s %s", "watchdog", watchdog_name());
	if (screen->update != NULL && screen->update[0] != '\0')
		write_format(w, "\n  %-9s %s", "update", screen->update);
	while (text_cut(&faults, '\n', &line))
		if (line.size > 0)
			write_format(w, "\n  %-9s %.*s", "WRONG", TEXT_ARGS(line));
	write_z(w, "\n----");
}

int64_t screen_turn(const struct screen *screen, int64_t now)
{
	char content[SCREEN_MAX];
	struct writer w;

	writer_init(&w, content, sizeof(content) - 1);
	compose(screen, &w);
	if (w.used == drawn_size && memcmp(drawn, content, drawn_size) == 0)
		return NEVER_MS;
	if (now - drawn_ms < DRAW_MS)
		return drawn_ms + DRAW_MS;
	memcpy(drawn, content, w.used);
	drawn_size = w.used;
	drawn_ms = now;
	w.size = sizeof(content);
	put_line(&w);
	return NEVER_MS;
}
