/* SPDX-License-Identifier: GPL-2.0-only */
/* What commands say, and how far they are: bytes, columns, control characters, full disks. */
// deps: base/*.c command/output.c command/progress.c
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/output.h"
#include "command/progress.h"
#include "unity.h"

static FILE *file;
static struct output o;
static char said[1 << 16];

void setUp(void)
{
	file = tmpfile();
	TEST_ASSERT_NOT_NULL(file);
	output_init(&o, fileno(file));
}

void tearDown(void)
{
	(void)fclose(file);
}

static const char *what_was_said(void)
{
	output_flush(&o);
	(void)fseek(file, 0, SEEK_SET);
	said[fread(said, 1, sizeof(said) - 1, file)] = '\0';
	return said;
}

static void test_collects_until_flushed(void)
{
	output_z(&o, "a");
	output_bytes(&o, TEXT("b"));
	TEST_ASSERT_EQUAL(0, lseek(fileno(file), 0, SEEK_END));
	TEST_ASSERT_EQUAL_STRING("ab", what_was_said());
}

static void test_more_than_the_buffer(void)
{
	static char large[OUTPUT_BUFFER + 100];
	memset(large, 'x', sizeof(large));
	output_z(&o, "before ");
	output_bytes(&o, (struct text){large, sizeof(large)});
	for (int i = 0; i < 1000; i++)
		output_z(&o, "0123456789");
	TEST_ASSERT_EQUAL(7 + sizeof(large) + 10000, strlen(what_was_said()));
}

static void test_control_characters_become_question_marks(void)
{
	output_text(&o, TEXT("a\x1b[31m\nb\x7f\t\xc2\x9b\xc3\xa9"));
	TEST_ASSERT_EQUAL_STRING("a?[31m?b???\xc3\xa9", what_was_said());
}

static void test_half_a_character_at_the_end(void)
{
	output_text(&o, TEXT("a\xc2"));
	TEST_ASSERT_EQUAL_STRING("a\xc2", what_was_said());
}

static void test_format_is_one_line(void)
{
	output_format(&o, "%s: %d\n", "x\ny", 7);
	TEST_ASSERT_EQUAL_STRING("x?y: 7\n", what_was_said());
}

static void test_long_format_is_cut_off(void)
{
	output_format(&o, "%*s", OUTPUT_FORMAT_MAX * 2, "x");
	TEST_ASSERT_EQUAL(OUTPUT_FORMAT_MAX, strlen(what_was_said()));
}

static void test_columns_count_characters(void)
{
	output_column(&o, TEXT("ab"), 4);
	output_column(&o, TEXT("\xc3\xa9\xc3\xa9\xc3\xa9"), 4);
	output_column(&o, TEXT("abcdef"), 4);
	output_z(&o, "|");
	TEST_ASSERT_EQUAL_STRING("ab  \xc3\xa9\xc3\xa9\xc3\xa9 abcdef|", what_was_said());
}

static void test_failed_write_is_remembered(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	if (fd < 0) { /* no such device here: a descriptor that cannot be written will do */
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	}
	output_init(&o, fd);
	output_z(&o, "x");
	TEST_ASSERT_EQUAL(0, o.error);
	output_flush(&o);
	TEST_ASSERT_TRUE(o.error == ENOSPC || o.error == EBADF);
	output_z(&o, "y");
	output_flush(&o); /* nothing more is tried */
	(void)close(fd);
	o.fd = fileno(file);
}

/* ---- progress ---- */

static int64_t now_us;
static struct mono fake_mono(void *self)
{
	(void)self;
	return (struct mono){now_us};
}
static const struct clock fake = {fake_mono, NULL, NULL};

static void test_progress_waits_and_clears(void)
{
	struct progress p;
	now_us = 1000;
	progress_init(&p, &o, fake, true);
	progress_tell(&p, "reading", "f", 1, 4);
	progress_clear(&p);
	TEST_ASSERT_EQUAL_STRING("", what_was_said());
	now_us += PROGRESS_EVERY_US;
	progress_tell(&p, "reading", "f", 1, 4);
	progress_tell(&p, "reading", "f", 2, 4);
	TEST_ASSERT_EQUAL_STRING("\rberth: reading f: 25 %\x1b[K", what_was_said());
	progress_clear(&p);
	TEST_ASSERT_EQUAL_STRING("\rberth: reading f: 25 %\x1b[K\r\x1b[K", what_was_said());
}

static void test_progress_of_unknown_size(void)
{
	struct progress p;
	progress_init(&p, &o, fake, true);
	now_us += PROGRESS_EVERY_US;
	progress_tell(&p, "reading", "f", 5 << 20, 0);
	TEST_ASSERT_EQUAL_STRING("\rberth: reading f: 5 MiB\x1b[K", what_was_said());
}

static void test_progress_nobody_looks_at(void)
{
	struct progress p;
	progress_init(&p, &o, (struct clock){NULL, NULL, NULL}, false);
	progress_tell(&p, "reading", "f", 1, 2);
	progress_clear(&p);
	TEST_ASSERT_EQUAL_STRING("", what_was_said());
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_collects_until_flushed);
	RUN_TEST(test_more_than_the_buffer);
	RUN_TEST(test_control_characters_become_question_marks);
	RUN_TEST(test_half_a_character_at_the_end);
	RUN_TEST(test_format_is_one_line);
	RUN_TEST(test_long_format_is_cut_off);
	RUN_TEST(test_columns_count_characters);
	RUN_TEST(test_failed_write_is_remembered);
	RUN_TEST(test_progress_waits_and_clears);
	RUN_TEST(test_progress_of_unknown_size);
	RUN_TEST(test_progress_nobody_looks_at);
	return UNITY_END();
}
