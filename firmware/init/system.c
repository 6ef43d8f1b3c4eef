/* SPDX-License-Identifier: GPL-2.0-only */
#include "firmware/init/init.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- mounts ---- */

static void mount_one(const char *type, const char *at, unsigned long flags, const char *options)
{
	(void)mkdir(at, 0755);
	if (mount(type, at, type, flags, options) != 0 && errno != EBUSY)
		say("%s cannot be mounted: error %d", at, errno);
}

void system_mount(void)
{
	const unsigned long plain = MS_NOSUID | MS_NODEV | MS_NOEXEC;

	mount_one("devtmpfs", "/dev", MS_NOSUID | MS_NOEXEC, "mode=0755");
	mount_one("proc", "/proc", plain, NULL);
	mount_one("sysfs", "/sys", plain, NULL);
	mount_one("tmpfs", "/run", plain, "mode=0755,size=4m");
	(void)mkdir("/run/net", 0755);
	(void)mkdir(RUN_FOLDER, 0755);
}

void system_mount_variables(void)
{
	if (access("/sys/firmware/efi/efivars", F_OK) == 0)
		mount_one("efivarfs", "/sys/firmware/efi/efivars", MS_NOSUID | MS_NODEV | MS_NOEXEC,
			NULL);
}

void system_open_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		(void)close(fd);
}

void system_seal(void)
{
	if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0)
		say("/ stays writable (in memory only): error %d", errno);
}

/* ---- files ---- */

ssize_t file_read(const char *path, char *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, to, size - 1);
	(void)close(fd);
	if (n < 0)
		return -1;
	if (n > 0 && to[n - 1] == '\n')
		n--;
	to[n] = '\0';
	return n;
}

bool file_write(const char *path, struct text content, mode_t mode, uid_t owner)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	if (fd < 0)
		return false;
	bool done = write(fd, content.at, content.size) == (ssize_t)content.size &&
		fchmod(fd, mode) == 0 && (owner == 0 || fchown(fd, owner, owner) == 0);
	(void)close(fd);
	return done;
}

int64_t file_number(const char *path)
{
	char text[32];
	int64_t value;
	ssize_t n = file_read(path, text, sizeof(text));

	if (n <= 0 || !text_to_i64((struct text){text, (size_t)n}, &value))
		return -1;
	return value;
}

void file_path(char *to, size_t size, const char *folder, const char *name, const char *more)
{
	(void)snprintf(to, size, "%s/%s%s%s", folder, name, more == NULL ? "" : "/",
		more == NULL ? "" : more);
}

/* ---- the end ---- */

void system_restart(const char *why)
{
	say("restarting: %s", why);
	sync();
	sleep(1); /* a slow console gets its last line */
	(void)reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

/* ---- the watchdog ---- */

/* As <linux/watchdog.h> has them. */
#define WATCHDOG_KEEPALIVE  _IOR('W', 5, int)
#define WATCHDOG_SETTIMEOUT _IOWR('W', 6, int)

static int watchdog = -1;
static char watchdog_words[64];

void watchdog_open(uint32_t seconds)
{
	char identity[40];
	int timeout = (int)seconds;

	if (seconds == 0)
		return;
	watchdog = open("/dev/watchdog", O_WRONLY | O_CLOEXEC);
	if (watchdog < 0) {
		say("no watchdog: a machine that hangs stays so");
		return;
	}
	(void)ioctl(watchdog, (int)WATCHDOG_SETTIMEOUT, &timeout);
	if (file_read("/sys/class/watchdog/watchdog0/identity", identity, sizeof(identity)) <= 0)
		identity[0] = '\0';
	(void)snprintf(watchdog_words, sizeof(watchdog_words), "%.39s, %d s", identity, timeout);
	say("watchdog: %s", watchdog_words);
}

void watchdog_feed(void)
{
	if (watchdog >= 0)
		(void)ioctl(watchdog, (int)WATCHDOG_KEEPALIVE, 0);
}

const char *watchdog_name(void)
{
	return watchdog < 0 ? "none" : watchdog_words;
}
