/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Log. A line is made in one buffer and goes out in one write, or not at all: the loop must not
 * wait for a journal that is stuck, and the flags of stderr are not ours to change (a terminal is
 * shared with the shell). So we ask with poll() first; what is at most a page goes into a pipe
 * that says it is writable without waiting.
 */
#include "base/log.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "base/text.h"

enum {
	LOG_TAIL = 64, /* kept free of detail: "...", what was held back, closing, newline */
	LOG_WINDOW_US = 10 * CLOCK_S_US
};
_Static_assert(LOG_LINE_MAX <= 4096, "a writable pipe takes a page without waiting");

static struct {
	enum log_level level;
	enum log_form form;
	struct clock clock; /* .wall is NULL before log_setup() */
	int fd;
	bool is_socket;
	uint64_t dropped;
} state = {.level = LOG_INFO, .form = LOG_AS_TEXT, .fd = STDERR_FILENO};

static const char *const level_names[] = {
	[LOG_ERROR] = "ERROR",
	[LOG_WARN] = "WARN",
	[LOG_INFO] = "INFO",
	[LOG_DEBUG] = "DEBUG",
};

void log_to(int fd)
{
	struct stat about;
	bool open = fstat(fd, &about) == 0;
	state.fd = open ? fd : -1;
	state.is_socket = open && S_ISSOCK(about.st_mode);
}

static void log_ignore_signal(int number)
{
	struct sigaction action;
	CHECK(sigaction(number, NULL, &action) == 0);
	if (action.sa_handler != SIG_DFL)
		return;
	action.sa_handler = SIG_IGN;
	CHECK(sigaction(number, &action, NULL) == 0);
}

void log_setup(enum log_level level, enum log_form form, struct clock clock)
{
	CHECK(level <= LOG_DEBUG);
	state.level = level;
	state.form = form;
	state.clock = clock;
	log_to(STDERR_FILENO);
	log_ignore_signal(SIGPIPE);
	log_ignore_signal(SIGXFSZ); /* a file that may grow no more is as good as a full disk */
}

void log_set_level(enum log_level level)
{
	state.level = level;
}

bool log_enabled(enum log_level level)
{
	return level <= state.level;
}

uint64_t log_dropped(void)
{
	return state.dropped;
}

/* ---- one line ---- */

static void log_escape_byte(struct writer *w, unsigned char byte)
{
	if (byte == '\n')
		write_z(w, "\\n");
	else if (byte == '\r')
		write_z(w, "\\r");
	else if (byte == '\t')
		write_z(w, "\\t");
	else if (state.form == LOG_AS_JSON)
		write_format(w, "\\u%04x", byte);
	else
		write_format(w, "\\x%02x", byte);
}

/* One character, or one byte that is none. A terminal obeys U+0080 to U+009F as it obeys ESC. */
static size_t log_escape_next(struct writer *w, struct text t)
{
	unsigned char first = (unsigned char)t.at[0];
	size_t size = text_utf8_next(t);
	if (size == 0 && state.form == LOG_AS_JSON)
		write_z(w, "\\ufffd");
	else if (size == 0 || first < 0x20 || first == 0x7f)
		log_escape_byte(w, first);
	else if (first == 0xc2 && (unsigned char)t.at[1] < 0xa0)
		write_format(w, "\\u%04x", (unsigned char)t.at[1]);
	else if (state.form == LOG_AS_JSON && (first == '"' || first == '\\'))
		write_format(w, "\\%c", first);
	else
		write_bytes(w, t.at, size);
	return size == 0 ? 1 : size;
}

static void log_escape(struct writer *w, struct text t)
{
	while (t.size > 0 && !w->overflowed)
		t = text_from(t, log_escape_next(w, t));
}

static void log_write_time(struct writer *w, struct wall now)
{
	struct wall_date date = wall_date(now);
	write_format(w, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", (int)date.year, (int)date.month,
		(int)date.day, (int)date.hour, (int)date.minute, (int)date.second,
		(int)(date.us / CLOCK_MS_US));
}

struct log_entry {
	struct wall now;
	enum log_level level;
	struct text module;
	struct text event;
	struct text detail;
	uint32_t held_back;
};

/* Detail is cut where it does not fit; what comes after it always has its room. */
static void log_write_detail(struct writer *w, struct text detail)
{
	w->size -= LOG_TAIL;
	log_escape(w, detail);
	w->size += LOG_TAIL;
	if (w->overflowed) {
		w->overflowed = false;
		write_z(w, "...");
	}
}

static void log_write_text(struct writer *w, const struct log_entry *entry)
{
	log_write_time(w, entry->now);
	write_format(w, " %s ", level_names[entry->level]);
	log_escape(w, entry->module);
	write_char(w, ' ');
	log_escape(w, entry->event);
	if (entry->detail.size > 0)
		write_char(w, ' ');
	log_write_detail(w, entry->detail);
	if (entry->held_back > 0)
		write_format(w, " held_back=%u", (unsigned)entry->held_back);
	write_char(w, '\n');
}

static void log_write_json(struct writer *w, const struct log_entry *entry)
{
	write_z(w, "{\"ts\":\"");
	log_write_time(w, entry->now);
	write_format(w, "\",\"level\":\"%s\",\"module\":\"", level_names[entry->level]);
	log_escape(w, entry->module);
	write_z(w, "\",\"event\":\"");
	log_escape(w, entry->event);
	write_z(w, "\",\"detail\":\"");
	log_write_detail(w, entry->detail);
	write_char(w, '"');
	if (entry->held_back > 0)
		write_format(w, ",\"held_back\":%u", (unsigned)entry->held_back);
	write_z(w, "}\n");
}

/* ---- out ---- */

static bool log_send(const char *line, size_t size)
{
	struct pollfd out = {.fd = state.fd, .events = POLLOUT};
	if (poll(&out, 1, 0) != 1 || out.revents != POLLOUT)
		return false;
	ssize_t sent;
	if (state.is_socket)
		sent = send(state.fd, line, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	else
		sent = write(state.fd, line, size);
	return sent == (ssize_t)size;
}

/* A site may speak LOG_SITE_BURST times per window. */
static bool log_admits(struct log_site *site, struct mono now)
{
	int64_t age_us = now.us - site->window_start_us;
	if (site->lines == 0 || age_us < 0 || age_us >= LOG_WINDOW_US) {
		site->window_start_us = now.us;
		site->lines = 0;
	}
	if (site->lines == LOG_SITE_BURST) {
		site->held_back++;
		return false;
	}
	site->lines++;
	return true;
}

void log_line(struct log_site *site, enum log_level level, const char *module, const char *event,
	const char *format, ...)
{
	CHECK(level <= LOG_DEBUG);
	struct clock clock = state.clock.wall == NULL ? clock_system() : state.clock;
	if (!log_admits(site, clock_mono(&clock)))
		return;
	char detail[LOG_LINE_MAX];
	va_list args;
	va_start(args, format);
	size_t kept = format_into(detail, sizeof(detail), format, args);
	va_end(args);
	if (kept > sizeof(detail))
		kept = sizeof(detail);
	struct log_entry entry = {
		.now = clock_wall(&clock),
		.level = level,
		.module = text_of(module),
		.event = text_of(event),
		.detail = {detail, kept},
		.held_back = site->held_back,
	};
	char line[LOG_LINE_MAX];
	struct writer w;
	writer_init(&w, line, sizeof(line));
	if (state.form == LOG_AS_JSON)
		log_write_json(&w, &entry);
	else
		log_write_text(&w, &entry);
	CHECK(!w.overflowed);
	site->held_back = 0;
	if (!log_send(line, w.used))
		state.dropped++;
}
