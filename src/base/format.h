/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Format: what printf() does of what berth uses. It is not the C library's for two reasons: crash
 * reports are written from signal handlers, where that one may not be called, and the log takes a
 * line's fields from its format, part by part. Conversions: d i u x X c s p and %, with '-', '0', a
 * width and, for s, a precision; lengths h l ll z j. Real numbers are written by base/real.h.
 */
#ifndef BERTH_BASE_FORMAT_H
#define BERTH_BASE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

#include "base/check.h"

/* Writes what fits of it, no terminating zero; returns the bytes that all of it takes. */
size_t format_into(char *to, size_t size, const char *format, va_list args) PRINTF_LIKE(3, 0);

/* The same of a part of a format, which does not end within a conversion. *args moves on. */
size_t format_part(char *to, size_t size, const char *format, size_t format_size, va_list *args);

#endif
