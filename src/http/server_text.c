/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words of HTTP: reasons, dates, queries.
 */
#include <string.h>

#include "http/chars_private.h"
#include "http/server_private.h"

const char *server_reason(uint16_t status)
{
	static const struct {
		uint16_t status;
		const char *reason;
	} reasons[] = {
		{200, "OK"},
		{201, "Created"},
		{202, "Accepted"},
		{204, "No Content"},
		{301, "Moved Permanently"},
		{302, "Found"},
		{303, "See Other"},
		{304, "Not Modified"},
		{307, "Temporary Redirect"},
		{308, "Permanent Redirect"},
		{400, "Bad Request"},
		{401, "Unauthorized"},
		{403, "Forbidden"},
		{404, "Not Found"},
		{405, "Method Not Allowed"},
		{406, "Not Acceptable"},
		{408, "Request Timeout"},
		{409, "Conflict"},
		{410, "Gone"},
		{413, "Request Entity Too Large"},
		{414, "Request URI Too Long"},
		{415, "Unsupported Media Type"},
		{417, "Expectation Failed"},
		{422, "Unprocessable Entity"},
		{429, "Too Many Requests"},
		{431, "Request Header Fields Too Large"},
		{500, "Internal Server Error"},
		{501, "Not Implemented"},
		{503, "Service Unavailable"},
		{504, "Gateway Timeout"},
		{505, "HTTP Version Not Supported"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Unknown";
}

/* Sun, 06 Nov 1994 08:49:37 GMT */
void server_write_date(struct writer *w, struct wall now)
{
	static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
	static const char months[][4] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	struct wall_date date = wall_date(now);
	/* 1970 began on a Thursday; a clock that is before it shows a wrong day and no more. */
	int64_t day = now.us / CLOCK_S_US / 86400 + 4;

	write_format(w, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[(uint64_t)day % 7],
		(int)date.day, months[(uint32_t)(date.month - 1) % 12], (int)date.year,
		(int)date.hour, (int)date.minute, (int)date.second);
}

struct text net_query_find(struct text query, const char *name)
{
	struct text part;

	if (query.at == NULL)
		return TEXT_NONE;
	while (text_cut(&query, '&', &part)) {
		size_t equals = text_find(part, '=');

		if (text_is_z(text_first(part, equals), name))
			return equals == part.size ? (struct text){"", 0}
						   : text_from(part, equals + 1);
	}
	return TEXT_NONE;
}

bool net_unescape(struct text escaped, bool in_query, struct writer *to)
{
	for (size_t i = 0; i < escaped.size; i++) {
		char c = escaped.at[i];

		if (c == '%') {
			int high = i + 2 < escaped.size ? char_hex(escaped.at[i + 1]) : -1;
			int low = i + 2 < escaped.size ? char_hex(escaped.at[i + 2]) : -1;

			if (high < 0 || low < 0)
				return false;
			c = (char)(high * 16 + low);
			i += 2;
		} else if (c == '+' && in_query) {
			c = ' ';
		}
		write_char(to, c);
	}
	return !to->overflowed;
}
