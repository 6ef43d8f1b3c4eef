/* SPDX-License-Identifier: GPL-2.0-only */
/* Base64: strict but for line breaks, which people and tools put in. */
#include "config/base64.h"

static int value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool base64_decode(struct text t, char *to, size_t *size)
{
	uint32_t group = 0, digits = 0, padding = 0;
	size_t used = 0;

	for (size_t i = 0; i < t.size; i++) {
		char c = t.at[i];
		int value = value_of(c);

		if (c == '\n' || c == '\r')
			continue;
		if (c == '=' && digits + padding >= 2 && digits + padding < 4) {
			padding++;
			continue;
		}
		if (value < 0 || padding > 0)
			return false;
		group = group << 6 | (uint32_t)value;
		if (++digits < 4)
			continue;
		to[used++] = (char)(group >> 16);
		to[used++] = (char)(group >> 8);
		to[used++] = (char)group;
		group = digits = 0;
	}
	if (digits + padding != 0 && digits + padding != 4)
		return false;
	if (digits >= 2)
		to[used++] = (char)(group >> (digits * 6 - 8));
	if (digits == 3)
		to[used++] = (char)(group >> 2);
	*size = used;
	return true;
}
