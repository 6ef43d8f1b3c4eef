/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Characters of HTTP, shared by the readers of answers and of requests.
 */
#ifndef BERTH_HTTP_CHARS_PRIVATE_H
#define BERTH_HTTP_CHARS_PRIVATE_H

#include <stdbool.h>

#include "base/text.h"

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

static inline int http_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* `word` is in small letters. */
static inline bool http_same_word(struct text t, const char *word)
{
	if (t.size != strlen(word))
		return false;
	for (size_t i = 0; i < t.size; i++) {
		char c = t.at[i] >= 'A' && t.at[i] <= 'Z' ? (char)(t.at[i] - 'A' + 'a') : t.at[i];
		if (c != word[i])
			return false;
	}
	return true;
}

#endif
