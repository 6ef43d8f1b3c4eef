/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Log: one line to stderr per state change, as text or JSON. It never blocks (a full pipe drops
 * and counts), is limited in rate per call site, and survives a closed stderr.
 *
 *	log_warn("watch", "relist", "kind=%s reason=%s", kind, reason);
 *
 * module and event are plain words; the rest is key=value pairs, printed as they are in text form
 * and as members of their own in JSON form: numbers where the format says %u or the like, strings
 * otherwise. Keys are found in the format, so that no value can make one; text before the first key
 * is the member "message". Control characters and what is not UTF-8 are escaped; what exceeds
 * LOG_LINE_MAX ends in "...".
 */
#ifndef BERTH_BASE_LOG_H
#define BERTH_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/text.h"

/*
 * From LOG_DECISION on one line for each pod that is decided, or that its decision begins, and for
 * each object that comes, goes or changes: in upstream's words, and none of them held back.
 */
enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DECISION, LOG_ATTEMPT, LOG_CHANGE, LOG_DEBUG };
enum log_form { LOG_AS_TEXT, LOG_AS_JSON };
enum {
	LOG_LINE_MAX = 1024,
	LOG_SITE_BURST = 20, /* lines per site in ten seconds */
	LOG_MODULES_MAX = 8
};

/* Modules with a level of their own; the first pattern that fits counts: * any text, ? a byte. */
struct log_modules {
	uint32_t count;
	struct {
		struct text pattern;
		enum log_level level;
	} list[LOG_MODULES_MAX];
};

/* One per call site; counts what was held back and says so in the next line that passes. */
struct log_site {
	int64_t window_start_us;
	uint32_t lines;
	uint32_t held_back;
};

/*
 * Before it lines go out as text at LOG_INFO with the system's clock. A stderr that is closed at
 * this moment stays closed for the log, whatever the descriptor becomes later. SIGPIPE and
 * SIGXFSZ are ignored from here on, unless the program has its own handlers.
 */
void log_setup(enum log_level level, enum log_form form, struct clock clock);
bool log_enabled(enum log_level level);
void log_set_level(enum log_level level);
/* What -v stands for: decisions from 2 on, attempts 3, changes 4, from 6 on everything. */
enum log_level log_level_of(int32_t verbosity);
/* Of "PATTERN=VERBOSITY,...", whose text has to stay; false: it is no such list, or too long. */
MUST_USE bool log_modules_of(struct text list, struct log_modules *modules);
/* Their lines go out where the level of all holds them back. */
void log_set_modules(const struct log_modules *modules);
void log_to(int fd);        /* tests */
uint64_t log_dropped(void); /* lines that could not be written */
void log_line(struct log_site *site, enum log_level level, const char *module, const char *event,
	const char *format, ...) PRINTF_LIKE(5, 6);

#define LOG_AT(level, module, event, ...)                                                  \
	do {                                                                               \
		static struct log_site log_site_here;                                      \
		if (log_enabled(level))                                                    \
			log_line(&log_site_here, (level), (module), (event), __VA_ARGS__); \
	} while (0)
#define log_error(module, event, ...)    LOG_AT(LOG_ERROR, module, event, __VA_ARGS__)
#define log_warn(module, event, ...)     LOG_AT(LOG_WARN, module, event, __VA_ARGS__)
#define log_info(module, event, ...)     LOG_AT(LOG_INFO, module, event, __VA_ARGS__)
#define log_decision(module, event, ...) LOG_AT(LOG_DECISION, module, event, __VA_ARGS__)
#define log_debug(module, event, ...)    LOG_AT(LOG_DEBUG, module, event, __VA_ARGS__)

#endif
