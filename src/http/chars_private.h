/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Characters of HTTP, shared by the readers of answers and of requests.
 */
#ifndef BERTH_HTTP_CHARS_PRIVATE_H
#define BERTH_HTTP_CHARS_PRIVATE_H

#include <stdbool.h>

#include "base/text.h"
#include "base/chars.h"

static inline bool http_is_token(char c)
{
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
		return true;
	return c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL;
}

/* Of values and reasons: anything but control characters. */
static inline bool http_is_text(char c)
{
	return (unsigned char)c >= 0x20 ? c != 0x7f : c == '\t';
}

static inline bool http_is_space(char c)
{
	return c == ' ' || c == '\t';
}

#endif
