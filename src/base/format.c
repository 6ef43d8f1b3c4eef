/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Format: one conversion after the other, each as sign, zeros, digits or text in a field.
 */
#include "base/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { DIGITS_MAX = 20 /* of 64 bits, in tens */ };

struct format_end {
	char *to;
	size_t size;
	size_t used; /* may be more than size */
};

struct conversion {
	bool left, zeros;
	int width, precision; /* precision < 0: none */
	int longs;            /* how many l; z and j count as two */
};

static void format_put(struct format_end *end, const char *bytes, size_t size)
{
	if (end->used < end->size) {
		size_t room = end->size - end->used;
		memcpy(end->to + end->used, bytes, size < room ? size : room);
	}
	end->used += size;
}

static void format_pad(struct format_end *end, char with, size_t from, int to)
{
	for (; to > 0 && from < (size_t)to; from++)
		format_put(end, &with, 1);
}

static void put_field(
	struct format_end *end, const struct conversion *c, const char *text, size_t size)
{
	if (!c->left)
		format_pad(end, ' ', size, c->width);
	format_put(end, text, size);
	if (c->left)
		format_pad(end, ' ', size, c->width);
}

static void format_put_number(struct format_end *end, struct conversion *c, uint64_t value,
	unsigned int base, const char *digits, bool minus)
{
	char text[DIGITS_MAX + 1];
	size_t at = sizeof(text);

	do
		text[--at] = digits[value % base];
	while ((value /= base) > 0);
	if (minus && c->zeros && !c->left) {
		format_put(end, "-", 1);
		c->width--;
	} else if (minus) {
		text[--at] = '-';
	}
	if (c->zeros && !c->left) {
		format_pad(end, '0', sizeof(text) - at, c->width);
		c->width = 0;
	}
	put_field(end, c, text + at, sizeof(text) - at);
}

/* A number, or the `*` for which one is given. */
static int read_size(const char **at, va_list *args)
{
	int size = 0;

	if (**at == '*') {
		(*at)++;
		return va_arg(*args, int);
	}
	for (; **at >= '0' && **at <= '9'; (*at)++)
		size = size * 10 + (**at - '0');
	return size;
}

static struct conversion read_conversion(const char **at, va_list *args)
{
	struct conversion c = {.precision = -1};

	for (; **at == '-' || **at == '0'; (*at)++) {
		c.left |= **at == '-';
		c.zeros |= **at == '0';
	}
	c.width = read_size(at, args);
	if (c.width < 0) {
		c.left = true;
		c.width = -c.width;
	}
	if (**at == '.') {
		(*at)++;
		c.precision = read_size(at, args);
	}
	for (; **at == 'l' || **at == 'z' || **at == 'j' || **at == 'h'; (*at)++)
		c.longs += **at == 'l' ? 1 : **at == 'h' ? 0 : 2;
	return c;
}

/* size_t and intmax_t: as long as a pointer, and as long as they come. */
static uint64_t read_unsigned(const struct conversion *c, char length, va_list *args)
{
	if (length == 'z')
		return va_arg(*args, size_t);
	return c->longs > 1     ? va_arg(*args, unsigned long long)
		: c->longs == 1 ? va_arg(*args, unsigned long)
				: va_arg(*args, unsigned int);
}

static void put_signed(struct format_end *end, struct conversion *c, char length, va_list *args)
{
	int64_t value;

	if (length == 'z')
		value = (int64_t)va_arg(*args, ptrdiff_t);
	else
		value = c->longs > 1    ? va_arg(*args, long long)
			: c->longs == 1 ? va_arg(*args, long)
					: va_arg(*args, int);
	format_put_number(end, c, value < 0 ? -(uint64_t)value : (uint64_t)value, 10, "0123456789",
		value < 0);
}

static void put_string(struct format_end *end, const struct conversion *c, const char *text)
{
	if (text == NULL)
		text = "(null)";
	put_field(end, c, text,
		c->precision < 0 ? strlen(text) : strnlen(text, (size_t)c->precision));
}

static const char *put_conversion(struct format_end *end, const char *at, va_list *args)
{
	const char *from = at++;
	struct conversion c = read_conversion(&at, args);
	char length = at[-1], one;

	switch (*at) {
	case 'd':
	case 'i': put_signed(end, &c, length, args); break;
	case 'u':
		format_put_number(
			end, &c, read_unsigned(&c, length, args), 10, "0123456789", false);
		break;
	case 'x':
		format_put_number(
			end, &c, read_unsigned(&c, length, args), 16, "0123456789abcdef", false);
		break;
	case 'X':
		format_put_number(
			end, &c, read_unsigned(&c, length, args), 16, "0123456789ABCDEF", false);
		break;
	case 'c':
		one = (char)va_arg(*args, int);
		put_field(end, &c, &one, 1);
		break;
	case 's': put_string(end, &c, va_arg(*args, const char *)); break;
	case 'p':
		format_put(end, "0x", 2);
		format_put_number(
			end, &c, (uintptr_t)va_arg(*args, void *), 16, "0123456789abcdef", false);
		break;
	case '%': format_put(end, "%", 1); break;
	case '\0': return at;
	default: format_put(end, from, (size_t)(at - from) + 1); /* shown as it is written */
	}
	return at + 1;
}

size_t format_part(char *to, size_t size, const char *format, size_t format_size, va_list *args)
{
	struct format_end end = {to, size, 0};
	const char *at = format, *stop = format + format_size, *plain;

	while (at < stop) {
		for (plain = at; at < stop && *at != '%'; at++)
			continue;
		format_put(&end, plain, (size_t)(at - plain));
		if (at < stop)
			at = put_conversion(&end, at, args);
	}
	return end.used;
}

size_t format_into(char *to, size_t size, const char *format, va_list args)
{
	va_list rest;

	va_copy(rest, args);
	size_t used = format_part(to, size, format, strlen(format), &rest);
	va_end(rest);
	return used;
}
