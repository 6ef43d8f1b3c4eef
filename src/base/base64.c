/* SPDX-License-Identifier: GPL-2.0-only */
/* Base64: strict but for line breaks, which people and tools put in. */
#include "base/base64.h"

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

void base64_write(struct text bytes, struct writer *out)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < bytes.size; i += 3) {
		size_t left = bytes.size - i;
		uint32_t bits = (uint32_t)(unsigned char)bytes.at[i] << 16;
		if (left > 1)
			bits |= (uint32_t)(unsigned char)bytes.at[i + 1] << 8;
		if (left > 2)
			bits |= (unsigned char)bytes.at[i + 2];
		write_char(out, letters[bits >> 18 & 63]);
		write_char(out, letters[bits >> 12 & 63]);
		write_char(out, left > 1 ? letters[bits >> 6 & 63] : '=');
		write_char(out, left > 2 ? letters[bits & 63] : '=');
	}
}
