/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two slots, and the power cut at each sector that is written: what started before starts again,
 * and in the end one of the two runs, whole.
 */
// deps: update/*.c net/*.c tls/*.c base/*.c tests/update/fat_image.c
// libs: mbedtls
#include "update/slots.h"

#include <stdio.h>

#include "unity.h"
#include "update/fat_image.h"

enum { KERNEL = 3000, ROOT = 1200, ROOM = 8 };

static struct fat_image image, before;
static struct slots slots;
static struct package package;
static char content[KERNEL + ROOT + DISK_SECTOR], words[256];
static struct writer fault;
static char once; /* what the loader was told to start once; 0: nothing */
static bool loader_listens;

static const char loader[] = "# mine\ndefault berth-a.conf\ntimeout 0\n";
static const char about[] = "berth-slot 1\nversion 1.0.0\nbuilt 1000\nend\n";

static bool start_once(void *self, char slot)
{
	(void)self;
	if (loader_listens)
		once = slot;
	return loader_listens;
}

static bool source_read(void *self, uint64_t at, void *to, size_t size)
{
	(void)self;
	if (at < PACKAGE_DATA || at - PACKAGE_DATA + size > sizeof(content) + DISK_SECTOR)
		return false;
	memset(to, 0, size);
	at -= PACKAGE_DATA;
	if (at < sizeof(content))
		memcpy(to, content + at, size < sizeof(content) - at ? size : sizeof(content) - at);
	return true;
}
static const struct disk source = {.read = source_read};

static void add_slot(const char *folder, const char *letter_about)
{
	static char room[ROOM * DISK_SECTOR];
	char path[64], sector[DISK_SECTOR] = {0};

	memset(room, folder[6], sizeof(room));
	strcpy(sector, letter_about);
	fat_image_folder(&image, folder);
	snprintf(path, sizeof(path), "%s/vmlinuz", folder);
	fat_image_file(&image, path, room, sizeof(room));
	snprintf(path, sizeof(path), "%s/initrd", folder);
	fat_image_file(&image, path, room, sizeof(room) / 2);
	snprintf(path, sizeof(path), "%s/about", folder);
	fat_image_file(&image, path, sector, sizeof(sector));
}

static void describe(struct package_file *file, const char *name, uint32_t size, uint32_t from)
{
	struct signature_hash hash;

	strcpy(file->name, name);
	file->size = size;
	file->at = PACKAGE_DATA + from;
	signature_hash_start(&hash);
	signature_hash_add(&hash, content + from, size);
	signature_hash_end(&hash, file->hash);
}

void setUp(void)
{
	static const char zeros[DISK_SECTOR];

	fat_image_make(&image);
	image.gap = 1;
	fat_image_folder(&image, "loader");
	fat_image_file(&image, "loader/loader.conf", loader, sizeof(loader) - 1);
	fat_image_folder(&image, "slots");
	add_slot("slots/a", about);
	add_slot("slots/b", "");
	fat_image_file(&image, "slots/state", zeros, sizeof(zeros));
	for (size_t i = 0; i < sizeof(content); i++)
		content[i] = (char)(i * 13 + 1);
	memset(&package, 0, sizeof(package));
	strcpy(package.version, "2.0.0");
	strcpy(package.board, BERTH_BOARD);
	package.built = 2000;
	package.count = 2;
	memset(package.hash, 7, sizeof(package.hash));
	describe(&package.files[0], "vmlinuz", KERNEL, 0);
	describe(&package.files[1], "initrd", ROOT, (KERNEL + 511) / 512 * 512);
	once = 0;
	loader_listens = true;
	memset(words, 0, sizeof(words));
	writer_init(&fault, words, sizeof(words) - 1);
}

void tearDown(void)
{
}

/* As a start finds the disk. */
static void open_slots(void)
{
	fault.used = 0;
	TEST_ASSERT_TRUE_MESSAGE(slots_open(&slots, &image.disk, &fault), words);
	slots.start_once = start_once;
}

static bool install(bool downgrade)
{
	open_slots();
	memset(words, 0, sizeof(words));
	return slots_install(&slots, &package, &source, downgrade, &fault);
}

/* What the loader does: once what it was told, else what stands in its file. */
static char start(void)
{
	char slot = once != 0 ? once : '?';

	once = 0;
	if (slot == '?') {
		open_slots();
		slot = slots.normal;
	}
	return slot;
}

static void has_content(char slot, bool is_new)
{
	char path[32], got[ROOM * DISK_SECTOR];
	struct fat_file file;
	size_t size;

	snprintf(path, sizeof(path), "slots/%c/vmlinuz", slot);
	TEST_ASSERT_TRUE(fat_find(&slots.fat, text_of(path), &file));
	TEST_ASSERT_TRUE(fat_read(&slots.fat, &file, got, sizeof(got), &size));
	if (is_new)
		TEST_ASSERT_EQUAL_MEMORY(content, got, KERNEL);
	else
		TEST_ASSERT_EACH_EQUAL_CHAR(slot, got, sizeof(got));
}

static void test_slots_when_an_update_is_well_then_it_stays(void)
{
	TEST_ASSERT_TRUE_MESSAGE(install(false), words);
	TEST_ASSERT_EQUAL_CHAR('a', start());
	TEST_ASSERT_EQUAL_INT(SLOTS_RESTART, slots_started(&slots, 'a', &fault));
	TEST_ASSERT_EQUAL_CHAR('b', start());
	open_slots();
	TEST_ASSERT_EQUAL_INT(SLOTS_ON_TRIAL, slots_started(&slots, 'b', &fault));
	TEST_ASSERT_TRUE(slots_confirm(&slots, 'b'));
	TEST_ASSERT_EQUAL_CHAR('b', start());
	TEST_ASSERT_EQUAL_INT(SLOTS_GO_ON, slots_started(&slots, 'b', &fault));
	has_content('b', true);
	/* And the next one goes to the other slot. */
	package.built = 3000;
	TEST_ASSERT_TRUE_MESSAGE(install(false), words);
	TEST_ASSERT_EQUAL_CHAR('a', slots.state.trial);
	has_content('a', true);
}

static void test_slots_when_an_update_is_not_well_then_the_old_one_starts(void)
{
	for (int listens = 0; listens < 2; listens++) {
		setUp();
		loader_listens = listens != 0;
		TEST_ASSERT_TRUE_MESSAGE(install(false), words);
		TEST_ASSERT_EQUAL_INT(SLOTS_RESTART, slots_started(&slots, 'a', &fault));
		TEST_ASSERT_EQUAL_CHAR('b', start());
		open_slots();
		TEST_ASSERT_EQUAL_INT(SLOTS_ON_TRIAL, slots_started(&slots, 'b', &fault));
		TEST_ASSERT_TRUE(slots_give_up(&slots, 'b'));
		TEST_ASSERT_EQUAL_CHAR('a', start());
		TEST_ASSERT_EQUAL_INT(SLOTS_GO_ON, slots_started(&slots, 'a', &fault));
		TEST_ASSERT_TRUE(slots.state.has_failed);
		TEST_ASSERT_EQUAL_MEMORY(package.hash, slots.state.failed, SIGNATURE_HASH);
		has_content('a', false);
	}
}

/* Where the loader cannot be told, a slot on trial is the default, and the other the way back. */
static void test_slots_when_the_default_is_on_trial_then_nothing_is_written(void)
{
	loader_listens = false;
	TEST_ASSERT_TRUE_MESSAGE(install(false), words);
	TEST_ASSERT_EQUAL_INT(SLOTS_RESTART, slots_started(&slots, 'a', &fault));
	TEST_ASSERT_EQUAL_CHAR('b', start());
	package.built = 3000;
	TEST_ASSERT_FALSE(install(false));
	TEST_ASSERT_NOT_NULL(strstr(words, "on trial itself"));
	has_content('a', false);
	open_slots();
	TEST_ASSERT_EQUAL_INT(SLOTS_ON_TRIAL, slots_started(&slots, 'b', &fault));
	TEST_ASSERT_TRUE(slots_give_up(&slots, 'b'));
	TEST_ASSERT_EQUAL_CHAR('a', start());
}

/* It hangs before it can say anything, and somebody pulls the plug. */
static void test_slots_when_an_update_does_not_start_then_it_is_tried_so_often(void)
{
	TEST_ASSERT_TRUE_MESSAGE(install(false), words);
	for (int i = 0; i < SLOTS_ATTEMPTS_MAX; i++) {
		TEST_ASSERT_EQUAL_CHAR('a', start());
		open_slots();
		TEST_ASSERT_EQUAL_INT(SLOTS_RESTART, slots_started(&slots, 'a', &fault));
		TEST_ASSERT_EQUAL_CHAR('b', start());
	}
	open_slots();
	TEST_ASSERT_EQUAL_INT(SLOTS_GO_ON, slots_started(&slots, 'a', &fault));
	TEST_ASSERT_TRUE(slots.state.has_failed);
	open_slots();
	TEST_ASSERT_EQUAL_CHAR(0, slots.state.trial);
}

static void refused(bool downgrade, const char *why)
{
	memcpy(&before, &image, sizeof(before));
	TEST_ASSERT_FALSE(install(downgrade));
	TEST_ASSERT_EQUAL_STRING(why, words);
	TEST_ASSERT_EQUAL_MEMORY(before.bytes, image.bytes, sizeof(image.bytes));
}

static void test_slots_when_it_is_older_then_it_must_be_asked_for(void)
{
	package.built = 999;
	refused(false, "it is older (2.0.0) than what runs (1.0.0); a downgrade must be asked for");
	TEST_ASSERT_TRUE_MESSAGE(install(true), words);
}

static void test_slots_when_it_does_not_fit_then_nothing_is_written(void)
{
	strcpy(package.board, "toaster");
	refused(false, "it is for board toaster, and this is " BERTH_BOARD);
	strcpy(package.board, BERTH_BOARD);
	package.files[0].size = ROOM * DISK_SECTOR + 1;
	refused(false, "there is no room for its file vmlinuz on this disk");
	package.files[0].size = KERNEL;
	strcpy(package.files[1].name, "other");
	refused(false, "there is no room for its file other on this disk");
}

static void test_slots_when_it_is_damaged_then_the_other_slot_is_not_tried(void)
{
	content[2000] ^= 1;
	TEST_ASSERT_FALSE(install(false));
	TEST_ASSERT_EQUAL_STRING("its file vmlinuz is damaged; what runs is untouched", words);
	open_slots();
	TEST_ASSERT_EQUAL_CHAR(0, slots.state.trial);
	struct slots_about none;
	TEST_ASSERT_FALSE(slots_about(&slots, 'b', &none));
}

static void test_slots_when_records_are_damaged_then_nothing_is_tried(void)
{
	TEST_ASSERT_TRUE_MESSAGE(install(false), words);
	uint8_t *state = image.bytes;
	while (memcmp(state, "berth-state 1\ntrial", 19) != 0)
		state++;
	memset(state + 25, 0, 10); /* torn */
	open_slots();
	TEST_ASSERT_EQUAL_CHAR(0, slots.state.trial);
	TEST_ASSERT_EQUAL_INT(SLOTS_GO_ON, slots_started(&slots, 'a', &fault));
}

/* ---- the power ---- */

/*
 * One life of the machine: the update is put on, tried, found well or not, with the power gone
 * after so many sectors. False: it was never gone.
 */
static bool live_until_cut(int64_t writes, bool well)
{
	image.writes_left = writes;
	bool done = install(false);
	for (int starts = 0; done && starts < 3; starts++) {
		char running = start();

		open_slots();
		enum slots_next next = slots_started(&slots, running, &fault);
		if (next == SLOTS_ON_TRIAL)
			done = well ? slots_confirm(&slots, running)
				    : slots_give_up(&slots, running);
	}
	bool cut = image.writes_left == 0;
	image.writes_left = INT64_MAX;
	return cut;
}

/* Afterwards: what starts is whole, and it comes to rest. */
static void recovers(bool well)
{
	for (int starts = 0; starts < 12; starts++) {
		char running = start();

		open_slots();
		has_content(running, running == 'b');
		if (running == 'a')
			has_content('a', false);
		switch (slots_started(&slots, running, &fault)) {
		case SLOTS_GO_ON: TEST_ASSERT_EQUAL_CHAR(running, start()); return;
		case SLOTS_ON_TRIAL:
			TEST_ASSERT_TRUE(well ? slots_confirm(&slots, running)
					      : slots_give_up(&slots, running));
			break;
		case SLOTS_RESTART: break;
		}
	}
	TEST_FAIL_MESSAGE("it never comes to rest");
}

static void test_slots_when_the_power_is_cut_at_any_write_then_a_whole_slot_starts(void)
{
	uint32_t cuts = 0;

	for (int way = 0; way < 4; way++) {
		bool well = (way & 1) != 0, cut = true;

		for (int64_t writes = 0; cut; writes++) {
			setUp();
			loader_listens = (way & 2) != 0;
			cut = live_until_cut(writes, well);
			cuts += cut;
			once = 0; /* variables of firmware may be lost, too */
			recovers(well);
			/* The same update again, and this time nothing happens. */
			slots.state.has_failed = false;
			open_slots();
			if (slots.normal == 'a') {
				TEST_ASSERT_TRUE_MESSAGE(install(false), words);
				recovers(true);
			}
			TEST_ASSERT_EQUAL_CHAR('b', start());
		}
	}
	printf("%u cuts\n", (unsigned)cuts);
	TEST_ASSERT_TRUE(cuts > 4 * 12);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_slots_when_an_update_is_well_then_it_stays);
	RUN_TEST(test_slots_when_an_update_is_not_well_then_the_old_one_starts);
	RUN_TEST(test_slots_when_the_default_is_on_trial_then_nothing_is_written);
	RUN_TEST(test_slots_when_an_update_does_not_start_then_it_is_tried_so_often);
	RUN_TEST(test_slots_when_it_is_older_then_it_must_be_asked_for);
	RUN_TEST(test_slots_when_it_does_not_fit_then_nothing_is_written);
	RUN_TEST(test_slots_when_it_is_damaged_then_the_other_slot_is_not_tried);
	RUN_TEST(test_slots_when_records_are_damaged_then_nothing_is_tried);
	RUN_TEST(test_slots_when_the_power_is_cut_at_any_write_then_a_whole_slot_starts);
	return UNITY_END();
}
