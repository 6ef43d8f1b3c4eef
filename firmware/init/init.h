/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first process of the appliance: one loop over the parts below, no thread, nothing allocated.
 *
 *	system     mounts, files, restart of the machine
 *	modules    drivers for what the machine has
 *	medium     the FAT partition with configuration and credentials
 *	conf       berth.conf
 *	net, dhcp  the cable, addresses
 *	child      programs that are started, and what they print
 *	service    berth itself: started again when it ends, judged by its log
 *	updater    the two slots
 *	timekeeper the clock
 *	screen     the console
 */
#ifndef BERTH_INIT_INIT_H
#define BERTH_INIT_INIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/check.h"
#include "base/text.h"
#include "firmware/init/conf.h"

#define BERTH_PROGRAM    "/usr/bin/berth"
#define RUN_FOLDER       "/run/berth"
#define RUN_KUBECONFIG   RUN_FOLDER "/kubeconfig"
#define RUN_SCHEDULER    RUN_FOLDER "/berth.yaml"
#define MODULES_FOLDER   "/lib/modules"
#define RESOLV_CONF      "/run/net/resolv.conf"
#define BUILT_FILE       "/etc/berth/built" /* seconds since 1970 */
#define BERTH_USER       65534
#define NEVER_MS         INT64_MAX
#define INIT_BROKEN_CONF "the machine runs with defaults until berth.conf is mended"

/* ---- system.c ---- */
int64_t now_ms(void); /* since the kernel's start, sleep included */
void system_mount(void);
void system_mount_variables(void); /* of UEFI, once their driver is there */
void system_open_standard(void);   /* or a pipe would get one of their numbers */
void system_seal(void);            /* nothing can be written below / any more, but in /run */
/* Of a small file, without its last line feed. -1: it cannot be read. */
ssize_t file_read(const char *path, char *to, size_t size);
bool file_write(const char *path, struct text content, mode_t mode, uid_t owner);
/* Of a file of /sys or /proc that holds one number; -1: none. */
int64_t file_number(const char *path);
void file_path(char *to, size_t size, const char *folder, const char *name, const char *more);
NORETURN void system_restart(const char *why);
void watchdog_open(uint32_t seconds);
void watchdog_feed(void); /* harmless without one */
const char *watchdog_name(void);

/* ---- modules.c ---- */
uint32_t modules_load(void); /* for devices that have none yet; how many were loaded */

/* ---- medium.c ---- */
struct medium {
	char device[32]; /* "/dev/mmcblk0"; "": none was found */
	bool has_kubeconfig, has_scheduler;
	uint32_t files;
};
/* Copies what is small at the top of the partition to RUN_FOLDER. */
bool medium_find(struct medium *medium);

/* ---- net.c ---- */
enum net_origin { NET_NOTHING, NET_DHCP, NET_STATIC, NET_IPV6 };
struct net_state {
	char interface[16]; /* "": no cable */
	bool carrier, usable;
	enum net_origin origin;
	uint32_t address, mask, gateway;
};
void net_open(const struct conf *conf);
/* Descriptors to wait for; -1: none. */
int net_link_socket(void);
int net_dhcp_socket(void);
/* Returns when it wants to be called again. */
int64_t net_turn(int64_t now);
const struct net_state *net_state(void);

/* ---- child.c ---- */
enum { CHILD_LINE_MAX = 1024 };
struct child {
	pid_t pid;  /* 0: does not run */
	int output; /* -1: none */
	int status; /* of the last one, as wait() has it */
	char line[CHILD_LINE_MAX];
	size_t used;
};
void child_init(struct child *child);
/* `input`: its standard input, which stays ours, too; -1: it has none. */
bool child_start(struct child *child, char *const argv[], uid_t user, int input);
/* Hands on whole lines. */
void child_drain(struct child *child, void (*line)(void *self, struct text line), void *self);
void child_end(struct child *child, int signal_number);
/* All that ended, ours and what became ours. True: it was this one. */
void child_reap(struct child *const children[], size_t count);

/* ---- service.c ---- */
enum service_state { SERVICE_WAITING, SERVICE_STARTING, SERVICE_READY, SERVICE_STANDBY };
struct service {
	struct child child;
	int updates; /* our end of the socket on which it hands on updates; -1: none */
	enum service_state state;
	bool lists, holder;        /* the picture is whole; another one leads */
	uint32_t starts, failures; /* failures in a row, without health between them */
	int64_t due_ms;            /* of the next start */
	int64_t healthy_ms;        /* since when; NEVER_MS: it is not */
	char detail[96];           /* its counts, or its last complaint */
	char what[16];             /* "scheduler ready" ... */
	char notice[1024];         /* what is wrong with the machine's files, for the page */
};
void service_init(struct service *service, struct text faults);
int64_t service_turn(struct service *service, const struct conf *conf, const struct medium *medium,
	bool network, int64_t now);
void service_drain(struct service *service);
bool service_is_healthy(const struct service *service);

/* ---- updater.c ---- */
/* Does not return when the other slot is to start. */
void updater_start(const struct conf *conf, const struct medium *medium, char *slot);
int64_t updater_turn(const struct medium *medium, struct service *service, char *slot, int64_t now);
bool updater_takes_any(void);      /* there is a disk, and it is known which slot runs */
struct child *updater_child(void); /* writes an update that comes over the port */
void updater_drain(void);
const char *updater_news(void); /* "" */

/* ---- timekeeper.c ---- */
enum clock_origin { CLOCK_UNSET, CLOCK_HARDWARE, CLOCK_IMAGE, CLOCK_APISERVER };
void timekeeper_floor(void); /* the clock is not before the image was built */
enum clock_origin timekeeper_origin(void);
const char *timekeeper_fault(void);
struct child *timekeeper_child(void);
int64_t timekeeper_turn(bool network, bool kubeconfig, int64_t now);
void timekeeper_drain(void);

/* ---- screen.c ---- */
void screen_open(void);
/* A line with the seconds since the kernel's start. */
void say(const char *format, ...) PRINTF_LIKE(1, 2);
struct screen {
	const struct conf *conf;
	const struct medium *medium;
	const struct service *service;
	const char *slot;
	struct text faults; /* lines */
	const char *update;
};
/* Draws the status when it has changed. */
int64_t screen_turn(const struct screen *screen, int64_t now);

#endif
