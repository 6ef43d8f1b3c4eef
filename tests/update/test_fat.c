/* SPDX-License-Identifier: GPL-2.0-only */
/* FAT32: what is found and read, and a file system that is damaged. */
// deps: update/fat.c update/disk.c tests/update/fat_image.c base/text.c base/format.c
// deps: base/check.c base/budget.c
// deps: base/trace.c
#include "update/fat.h"

#include <stdlib.h>
#include <unistd.h>

#include "unity.h"
#include "update/fat_image.h"

static struct fat_image image;
static struct fat fat;
static struct fat_file file;
static char words[128], content[16 * DISK_SECTOR], got[16 * DISK_SECTOR];
static size_t got_size;

void setUp(void)
{
	fat_image_make(&image);
	for (size_t i = 0; i < sizeof(content); i++)
		content[i] = (char)(i * 7 + i / 512);
}

void tearDown(void)
{
}

static bool open_it(void)
{
	struct writer fault;

	writer_init(&fault, words, sizeof(words));
	return fat_open(&fat, &image.disk, &fault);
}

static void test_fat_when_files_are_there_then_they_are_found_by_any_case(void)
{
	fat_image_file(&image, "kubeconfig", "one", 3);
	fat_image_folder(&image, "SLOTS");
	fat_image_folder(&image, "SLOTS/A");
	fat_image_file(&image, "SLOTS/A/a-name-that-needs-two-parts", content, 2000);
	TEST_ASSERT_TRUE(open_it());
	TEST_ASSERT_TRUE(fat_find(&fat, TEXT("KubeConfig"), &file));
	TEST_ASSERT_TRUE(fat_read(&fat, &file, got, sizeof(got), &got_size));
	TEST_ASSERT_EQUAL_size_t(3, got_size);
	TEST_ASSERT_EQUAL_MEMORY("one", got, 3);
	TEST_ASSERT_TRUE(fat_find(&fat, TEXT("slots/a/a-name-that-needs-two-parts"), &file));
	TEST_ASSERT_TRUE(fat_read(&fat, &file, got, sizeof(got), &got_size));
	TEST_ASSERT_EQUAL_size_t(2000, got_size);
	TEST_ASSERT_EQUAL_MEMORY(content, got, 2000);
	TEST_ASSERT_FALSE(fat_find(&fat, TEXT("slots/b"), &file));
	TEST_ASSERT_FALSE(fat_find(&fat, TEXT("kubeconfig/a"), &file));
	TEST_ASSERT_FALSE(fat_find(&fat, TEXT("kubeconfi"), &file));
}

static void test_fat_when_a_file_lies_in_pieces_then_it_is_read_whole(void)
{
	image.gap = 1;
	fat_image_file(&image, "pieces", content, sizeof(content));
	TEST_ASSERT_TRUE(open_it());
	TEST_ASSERT_TRUE(fat_find(&fat, TEXT("pieces"), &file));
	TEST_ASSERT_TRUE(fat_read(&fat, &file, got, sizeof(got), &got_size));
	TEST_ASSERT_EQUAL_MEMORY(content, got, sizeof(content));
	TEST_ASSERT_FALSE(fat_read(&fat, &file, got, sizeof(got) - 1, &got_size));
}

static void test_fat_when_a_file_lies_together_then_it_is_one_run(void)
{
	struct fat_place place;
	uint64_t at;

	fat_image_file(&image, "whole", content, 4000);
	TEST_ASSERT_TRUE(open_it());
	TEST_ASSERT_TRUE(fat_find(&fat, TEXT("whole"), &file));
	place = fat_start(&file);
	TEST_ASSERT_EQUAL_UINT32(4096, fat_next(&fat, &place, 64 * 1024, &at));
	TEST_ASSERT_EQUAL_UINT32(0, fat_next(&fat, &place, 64 * 1024, &at));
	place = fat_start(&file);
	TEST_ASSERT_EQUAL_UINT32(1024, fat_next(&fat, &place, 1024, &at));
}

static void test_fat_when_a_chain_is_a_ring_then_reading_ends(void)
{
	uint8_t *table = image.bytes + FAT_IMAGE_RESERVED * DISK_SECTOR;

	fat_image_file(&image, "ring", content, 1024);
	memcpy(table + 4 * 4, "\x03\x00\x00\x00", 4); /* back to its first */
	image.bytes[(FAT_IMAGE_RESERVED + FAT_IMAGE_TABLE) * DISK_SECTOR + 32 + 31] = 0x7f;
	TEST_ASSERT_TRUE(open_it());
	TEST_ASSERT_TRUE(fat_find(&fat, TEXT("ring"), &file));
	struct fat_place place = fat_start(&file);
	uint64_t at;
	uint32_t runs = 0;
	while (fat_next(&fat, &place, 512, &at) > 0)
		runs++;
	TEST_ASSERT_TRUE(runs <= 512);
	TEST_ASSERT_TRUE(place.left > 0);
}

static void test_fat_when_it_is_in_a_partition_then_it_is_found(void)
{
	static uint8_t moved[sizeof(image.bytes)];
	uint8_t *table = image.bytes + 446;

	fat_image_file(&image, "kubeconfig", "one", 3);
	memcpy(moved, image.bytes, sizeof(moved));
	memset(image.bytes, 0, 4 * DISK_SECTOR);
	memcpy(image.bytes + 4 * DISK_SECTOR, moved, sizeof(moved) - 4 * DISK_SECTOR);
	table[4] = 0x0c;
	table[8] = 4;
	memcpy(image.bytes + 510, "\x55\xaa", 2);
	TEST_ASSERT_TRUE(open_it());
	TEST_ASSERT_TRUE(fat_find(&fat, TEXT("kubeconfig"), &file));
	TEST_ASSERT_TRUE(fat_read(&fat, &file, got, sizeof(got), &got_size));
	TEST_ASSERT_EQUAL_MEMORY("one", got, 3);
}

/* The same from a file, as a laptop would see the card. */
static void test_fat_when_it_is_a_file_then_it_is_read_and_written(void)
{
	char path[] = "build/fat.XXXXXX";
	char sector[DISK_SECTOR] = "two";
	int fd = mkstemp(path);

	TEST_ASSERT_TRUE(fd >= 0);
	unlink(path);
	fat_image_file(&image, "kubeconfig", "one", 3);
	const struct disk disk = disk_of_descriptor(&fd);
	TEST_ASSERT_TRUE(disk.write(disk.self, 0, image.bytes, sizeof(image.bytes)));
	TEST_ASSERT_TRUE(disk.sync(disk.self));
	TEST_ASSERT_FALSE(disk.read(disk.self, sizeof(image.bytes), sector, sizeof(sector)));
	struct writer fault;
	writer_init(&fault, words, sizeof(words));
	TEST_ASSERT_TRUE(fat_open(&fat, &disk, &fault));
	TEST_ASSERT_TRUE(fat_find(&fat, TEXT("kubeconfig"), &file));
	struct fat_place place = fat_start(&file);
	uint64_t at;
	TEST_ASSERT_EQUAL_UINT32(DISK_SECTOR, fat_next(&fat, &place, 4096, &at));
	TEST_ASSERT_TRUE(disk.write(disk.self, at, "two", 0));
	memset(sector, 0, sizeof(sector));
	memcpy(sector, "two", 3);
	TEST_ASSERT_TRUE(disk.write(disk.self, at, sector, sizeof(sector)));
	TEST_ASSERT_TRUE(fat_read(&fat, &file, got, sizeof(got), &got_size));
	TEST_ASSERT_EQUAL_MEMORY("two", got, 3);
	close(fd);
}

static void test_fat_when_there_is_none_then_it_says_so(void)
{
	memset(image.bytes, 0, sizeof(image.bytes));
	TEST_ASSERT_FALSE(open_it());
	TEST_ASSERT_EQUAL_STRING_LEN("there is no FAT32", words, 17);
}

/* Any byte of the boot sector, the table and the folders may be anything. */
static void test_fat_when_bytes_are_changed_then_nothing_breaks(void)
{
	static uint8_t before[sizeof(image.bytes)];
	uint32_t state = 1;

	image.gap = 1;
	fat_image_file(&image, "kubeconfig", content, 5000);
	fat_image_folder(&image, "SLOTS");
	memcpy(before, image.bytes, sizeof(before));
	for (int i = 0; i < 20000; i++) {
		memcpy(image.bytes, before, sizeof(before));
		for (int n = 0; n < 3; n++) {
			state = state * 1664525 + 1013904223;
			uint32_t at = (state >> 8) %
				((FAT_IMAGE_RESERVED + FAT_IMAGE_TABLE + 1) * DISK_SECTOR);
			image.bytes[at] = (uint8_t)(state >> 3);
		}
		if (open_it() && fat_find(&fat, TEXT("kubeconfig"), &file) &&
			fat_read(&fat, &file, got, sizeof(got), &got_size))
			TEST_ASSERT_TRUE(got_size <= sizeof(got));
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_fat_when_files_are_there_then_they_are_found_by_any_case);
	RUN_TEST(test_fat_when_a_file_lies_in_pieces_then_it_is_read_whole);
	RUN_TEST(test_fat_when_a_file_lies_together_then_it_is_one_run);
	RUN_TEST(test_fat_when_a_chain_is_a_ring_then_reading_ends);
	RUN_TEST(test_fat_when_it_is_in_a_partition_then_it_is_found);
	RUN_TEST(test_fat_when_it_is_a_file_then_it_is_read_and_written);
	RUN_TEST(test_fat_when_there_is_none_then_it_says_so);
	RUN_TEST(test_fat_when_bytes_are_changed_then_nothing_breaks);
	return UNITY_END();
}
