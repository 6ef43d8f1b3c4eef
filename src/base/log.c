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
	enum log_level level_max; /* of that and of the modules' */
	struct log_modules modules;
	enum log_form form;
	struct clock clock; /* .wall is NULL before log_setup() */
	int fd;
	bool is_socket;
	uint64_t dropped;
} state = {.level = LOG_INFO, .level_max = LOG_INFO, .form = LOG_AS_TEXT, .fd = STDERR_FILENO};

static const char *const level_names[] = {
	[LOG_ERROR] = "ERROR",
	[LOG_WARN] = "WARN",
	[LOG_INFO] = "INFO",
	/* for readers they are more lines, not other severities */
	[LOG_DECISION] = "INFO",
	[LOG_ATTEMPT] = "INFO",
	[LOG_CHANGE] = "INFO",
	[LOG_DEBUG] = "DEBUG",
};

void log_to(int fd)
{
	struct stat about;
	bool open = fstat(fd, &about) == 0;
	state.fd = open ? fd : -1;
	state.is_socket = open && S_ISSOCK(about.st_mode);
}

/* ---- levels ---- */

void log_set_level(enum log_level level)
{
	state.level = level;
	state.level_max = level;
	for (uint32_t i = 0; i < state.modules.count; i++)
		if (state.modules.list[i].level > state.level_max)
			state.level_max = state.modules.list[i].level;
}

bool log_modules_of(struct text list, struct log_modules *modules)
{
	struct text one;
	modules->count = 0;
	while (text_cut(&list, ',', &one)) {
		int64_t verbosity;
		size_t at = text_find(one, '=');
		if (at == 0 || at == one.size || modules->count == LOG_MODULES_MAX ||
			!text_to_i64(text_from(one, at + 1), &verbosity) || verbosity < 0 ||
			verbosity > INT32_MAX)
			return false;
		modules->list[modules->count].pattern = text_first(one, at);
		modules->list[modules->count++].level = log_level_of((int32_t)verbosity);
	}
	return true;
}

void log_set_modules(const struct log_modules *modules)
{
	state.modules = *modules;
	log_set_level(state.level);
}

static bool log_pattern_fits(struct text pattern, struct text name)
{
	size_t p = 0, n = 0, star = SIZE_MAX, taken = 0;
	while (n < name.size) {
		if (p < pattern.size && pattern.at[p] == '*') {
			star = p++;
			taken = n;
		} else if (p < pattern.size &&
			(pattern.at[p] == '?' || pattern.at[p] == name.at[n])) {
			p++;
			n++;
		} else if (star != SIZE_MAX) {
			p = star + 1; /* the star takes one byte more */
			n = ++taken;
		} else {
			return false;
		}
	}
	while (p < pattern.size && pattern.at[p] == '*')
		p++;
	return p == pattern.size;
}

static bool log_module_admits(enum log_level level, const char *module)
{
	for (uint32_t i = 0; i < state.modules.count; i++)
		if (log_pattern_fits(state.modules.list[i].pattern, text_of(module)))
			return level <= state.modules.list[i].level;
	return false;
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
	log_set_level(level);
	state.form = form;
	state.clock = clock;
	log_to(STDERR_FILENO);
	log_ignore_signal(SIGPIPE);
	log_ignore_signal(SIGXFSZ); /* a file that may grow no more is as good as a full disk */
}

enum log_level log_level_of(int32_t verbosity)
{
	static const uint8_t levels[] = {
		LOG_INFO, LOG_INFO, LOG_DECISION, LOG_ATTEMPT, LOG_CHANGE, LOG_CHANGE};
	if (verbosity >= (int32_t)ARRAY_COUNT(levels))
		return LOG_DEBUG;
	return (enum log_level)levels[verbosity < 0 ? 0 : verbosity];
}

bool log_enabled(enum log_level level)
{
	return level <= state.level_max;
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
	const char *module;
	const char *event;
	uint32_t held_back;
};

/* Text of unknown size is cut where it does not fit; what comes after it always has its room. */
static void log_write_cut(struct writer *w, struct text t)
{
	w->size -= LOG_TAIL;
	log_escape(w, t);
	w->size += LOG_TAIL;
	if (w->overflowed) {
		w->overflowed = false;
		write_z(w, "...");
	}
}

static void log_write_text(
	struct writer *w, const struct log_entry *entry, const char *format, va_list *args)
{
	char detail[LOG_LINE_MAX];
	size_t size = format_part(detail, sizeof(detail), format, strlen(format), args);
	log_write_time(w, entry->now);
	write_format(w, " %s %s %s", level_names[entry->level], entry->module, entry->event);
	if (size > 0)
		write_char(w, ' ');
	log_write_cut(w, (struct text){detail, size < sizeof(detail) ? size : sizeof(detail)});
	if (entry->held_back > 0)
		write_format(w, " held_back=%u", (unsigned)entry->held_back);
	write_char(w, '\n');
}

/* ---- as JSON ---- */

/* A member: `key=%u`, `key="%s of %s"`, or what stands before the first key. */
struct log_field {
	struct text key;
	struct text value; /* a part of the format, without quotes */
	size_t after;      /* closing quote and space */
	bool is_number;
};

/* Bytes of the key that begins here; 0: none does. */
static size_t log_key_size(const char *at)
{
	size_t size = 0;
	while ((at[size] >= 'a' && at[size] <= 'z') || (at[size] >= 'A' && at[size] <= 'Z') ||
		at[size] == '_')
		size++;
	return at[size] == '=' ? size : 0;
}

static struct log_field log_next_field(const char *format)
{
	struct log_field field = {.key = {format, log_key_size(format)}};
	const char *at = format + (field.key.size > 0 ? field.key.size + 1 : 0);
	bool is_quoted = *at == '"';
	at += is_quoted ? 1 : 0;
	field.value.at = at;
	while (*at != '\0' && !(*at == ' ' && log_key_size(at + 1) > 0))
		at++;
	field.value.size = (size_t)(at - field.value.at);
	field.after = *at == ' ' ? 1 : 0;
	if (is_quoted && text_ends(field.value, TEXT("\""))) {
		field.value.size--;
		field.after++;
	} else if (is_quoted) { /* something follows the quotes: they are a part of it */
		field.value = (struct text){field.value.at - 1, field.value.size + 1};
	}
	char last = field.value.size > 0 ? field.value.at[field.value.size - 1] : ' ';
	field.is_number = !is_quoted && text_starts(field.value, TEXT("%")) &&
		text_find_last(field.value, '%') == 0 && (last == 'u' || last == 'd');
	if (field.key.size == 0)
		field.key = TEXT("message");
	return field;
}

/* False: there was no room for it. */
static bool log_write_field(struct writer *w, const struct log_field *field, va_list *args)
{
	char value[LOG_LINE_MAX];
	size_t size = format_part(value, sizeof(value), field->value.at, field->value.size, args);
	if (w->used + field->key.size + 2 * LOG_TAIL > w->size)
		return false;
	write_format(w, ",\"%.*s\":", TEXT_ARGS(field->key));
	if (!field->is_number)
		write_char(w, '"');
	log_write_cut(w, (struct text){value, size < sizeof(value) ? size : sizeof(value)});
	if (!field->is_number)
		write_char(w, '"');
	return true;
}

static void log_write_json(
	struct writer *w, const struct log_entry *entry, const char *format, va_list *args)
{
	write_z(w, "{\"ts\":\"");
	log_write_time(w, entry->now);
	write_format(w, "\",\"level\":\"%s\",\"module\":\"%s\",\"event\":\"%s\"",
		level_names[entry->level], entry->module, entry->event);
	bool fits = true;
	while (*format != '\0' && fits) {
		struct log_field field = log_next_field(format);
		fits = log_write_field(w, &field, args);
		format = field.value.at + field.value.size + field.after;
	}
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
	if (level > state.level && !log_module_admits(level, module))
		return;
	struct clock clock = state.clock.wall == NULL ? clock_system() : state.clock;
	bool each = level >= LOG_DECISION && level <= LOG_CHANGE;
	if (!each && !log_admits(site, clock_mono(&clock)))
		return;
	struct log_entry entry = {
		.now = clock_wall(&clock),
		.level = level,
		.module = module,
		.event = event,
		.held_back = site->held_back,
	};
	char line[LOG_LINE_MAX];
	struct writer w;
	va_list args;
	writer_init(&w, line, sizeof(line));
	va_start(args, format);
	if (state.form == LOG_AS_JSON)
		log_write_json(&w, &entry, format, &args);
	else
		log_write_text(&w, &entry, format, &args);
	va_end(args);
	CHECK(!w.overflowed);
	site->held_back = 0;
	if (!log_send(line, w.used))
		state.dropped++;
}
