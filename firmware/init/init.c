/* SPDX-License-Identifier: GPL-2.0-only */
// deps: base/*.c net/backoff.c update/fat.c update/disk.c firmware/init/*.c
#include "firmware/init/init.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
	DISK_WAIT_MS = 15 * 1000, /* USB takes its time */
	DISK_PAUSE_US = 100 * 1000,
	BEAT_MS = 10 * 1000, /* of the watchdog, at least */
	FAULTS_MAX = 1024
};

static struct {
	struct conf conf;
	struct medium medium;
	struct service service;
	char slot[8];
	char fault_room[FAULTS_MAX];
	struct writer faults;
} init;

/* The word behind `name=` on the kernel's command line. */
static void from_command_line(const char *name, char *to, size_t size)
{
	char line[2048];
	struct text rest = {line, 0}, word;
	ssize_t n = file_read("/proc/cmdline", line, sizeof(line));
	size_t length = strlen(name);

	rest.size = n > 0 ? (size_t)n : 0;
	while (text_cut(&rest, ' ', &word))
		if (word.size > length && memcmp(word.at, name, length) == 0 &&
			word.at[length] == '=' && text_copy(text_from(word, length + 1), to, size))
			return;
}

static void find_medium(void)
{
	while (!medium_find(&init.medium) && now_ms() < DISK_WAIT_MS) {
		(void)modules_load();
		(void)usleep(DISK_PAUSE_US);
	}
	if (init.medium.device[0] == '\0')
		write_z(&init.faults, "no disk has a FAT32 partition with berth.conf\n");
	else
		say("disk: %s, %u files", init.medium.device, init.medium.files);
}

static void read_conf(void)
{
	static char content[64 * 1024 + 1];
	ssize_t size = file_read(RUN_FOLDER "/berth.conf", content, sizeof(content));

	conf_defaults(&init.conf);
	if (size < 0)
		write_z(&init.faults, "there is no berth.conf; defaults are used\n");
	else if (!conf_parse(&init.conf, (struct text){content, (size_t)size}, &init.faults))
		say("berth.conf is wrong; see below");
	if (!init.medium.has_kubeconfig)
		write_z(&init.faults, "there is no kubeconfig; nothing can be scheduled\n");
	if (sethostname(init.conf.hostname, strlen(init.conf.hostname)) != 0)
		say("the hostname cannot be set");
}

static int listen_to_signals(void)
{
	sigset_t wanted;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGCHLD);
	sigaddset(&wanted, SIGINT); /* Ctrl-Alt-Del */
	sigaddset(&wanted, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &wanted, NULL);
	return signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void take_signals(int signals)
{
	struct child *const children[] = {&init.service.child, timekeeper_child(), updater_child()};
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			system_restart("somebody asked for it");
	child_reap(children, ARRAY_COUNT(children));
}

static void wait_for_news(int signals, int64_t due, int64_t now)
{
	struct pollfd wanted[] = {
		{.fd = signals, .events = POLLIN},
		{.fd = net_link_socket(), .events = POLLIN},
		{.fd = net_dhcp_socket(), .events = POLLIN},
		{.fd = init.service.child.output, .events = POLLIN},
		{.fd = timekeeper_child()->output, .events = POLLIN},
		{.fd = updater_child()->output, .events = POLLIN},
		/* While one is written, what comes is not for us. */
		{.fd = updater_child()->pid > 0 ? -1 : init.service.updates, .events = POLLIN},
	};
	int64_t pause = due - now;

	if (pause > BEAT_MS)
		pause = BEAT_MS;
	(void)poll(wanted, ARRAY_COUNT(wanted), pause < 0 ? 0 : (int)pause);
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t turn(void)
{
	struct screen screen = {.conf = &init.conf,
		.medium = &init.medium,
		.service = &init.service,
		.slot = init.slot,
		.update = updater_news(),
		.faults = writer_text(&init.faults)};
	int64_t now = now_ms(), due;

	watchdog_feed();
	service_drain(&init.service);
	timekeeper_drain();
	updater_drain();
	due = net_turn(now);
	due = sooner(due,
		service_turn(&init.service, &init.conf, &init.medium, net_state()->usable, now));
	due = sooner(due, timekeeper_turn(net_state()->usable, init.medium.has_kubeconfig, now));
	due = sooner(due, updater_turn(&init.medium, &init.service, init.slot, now));
	return sooner(due, screen_turn(&screen, now));
}

int main(void)
{
	int signals = listen_to_signals();

	if (getpid() != 1) {
		say("this is the first process of the appliance; it does nothing elsewhere");
		return 1;
	}
	system_mount();
	system_open_standard();
	screen_open();
	say("berth %s on %s starts", BERTH_VERSION, BERTH_BOARD);
	writer_init(&init.faults, init.fault_room, sizeof(init.fault_room));
	(void)snprintf(init.slot, sizeof(init.slot), "?");
	from_command_line("berth.slot", init.slot, sizeof(init.slot));
	timekeeper_floor();
	say("drivers: %u", modules_load());
	system_mount_variables();
	find_medium();
	read_conf();
	watchdog_open(init.conf.watchdog_s);
	updater_start(&init.conf, &init.medium, init.slot);
	service_init(&init.service, writer_text(&init.faults));
	net_open(&init.conf);
	system_seal();
	for (;;) {
		int64_t due = turn();

		wait_for_news(signals, due, now_ms());
		take_signals(signals);
	}
}
