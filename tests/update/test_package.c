/* SPDX-License-Identifier: GPL-2.0-only */
/* Updates as files: who signed them, and lines that cannot be. */
// deps: update/package.c net/*.c tls/*.c base/*.c
// libs: mbedtls
#include "update/package.h"

#include "base/memory.h"
#include "tls/tls.h"
#include "unity.h"

/* Made by openssl, as firmware/update-file does; the private halves are gone. */
static const char key_one[] = "-----BEGIN PUBLIC KEY-----\n"
			      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEoDM8DdTs9u1XH/ooLLxiw3zE+K8B\n"
			      "ipb2YOvSi6XCO8n05Zzuhg1sMUlU65g4s6UE2oaQ1d97XahhppaH8HzhaQ==\n"
			      "-----END PUBLIC KEY-----\n";
static const char key_two[] = "-----BEGIN PUBLIC KEY-----\n"
			      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAErUPS1sVvAjaYggRBepz4e3yPElLd\n"
			      "9YOjtzEVE005uqhn8uL8B/v2SlVunRJW+YB+TDSLqh+jJBTGKb4grAq/qg==\n"
			      "-----END PUBLIC KEY-----\n";
static const char lines[] =
	"berth-update 1\n"
	"version 9.9.9\n"
	"built 2000000000\n"
	"board x86_64\n"
	"file vmlinuz 6 6923dd1bc0460082c5d55a831908c24a282860b7f1cd6c2b79cf1bc8857c639c\n"
	"file initrd 4 4813494d137e1631bba301d5acab6e7bb7aa74ce1185d456565ef51d737677b2\n"
	"end\n";
static const char signature_one[] =
	"3046022100cae173784a04b7e6583881e67cbda8c9ea27d64428ff61ab497619"
	"802c08d21d022100c282bbf7e86fbc8c240673b723abeaff27eb0279d8546489"
	"edb34fb784c397ed";
static const char signature_two[] =
	"3045022100e77b01cd0f1d4d24685744a5029b975ee922ad2c0670b73a588ca1"
	"0f706f5ee402200957c062cbc243bee454e911f17cf55073f35330d425a7b18f"
	"3e35d9a225b65e";

enum { MEMORY = 1 << 20 };
static struct arena arena;
static void *block;
static char file[PACKAGE_DATA];
static struct package package;
static char words[256];
static struct writer fault;

static bool file_read_at(void *self, uint64_t at, void *to, size_t size)
{
	(void)self;
	if (at + size > sizeof(file))
		return false;
	memcpy(to, file + at, size);
	return true;
}
static const struct disk source = {.read = file_read_at};

static void compose(const char *text, const char *signature)
{
	memset(file, 0, sizeof(file));
	memcpy(file, text, strlen(text));
	memcpy(file + PACKAGE_HEAD, signature, strlen(signature));
}

void setUp(void)
{
	block = memory_reserve(MEMORY);
	arena_init_zeroed(&arena, block, MEMORY);
	tls_setup(&arena, 1, entropy_system());
	memset(words, 0, sizeof(words));
	writer_init(&fault, words, sizeof(words) - 1);
	compose(lines, signature_one);
}

void tearDown(void)
{
	tls_teardown();
	memory_release(block, MEMORY);
}

static void refused(struct text keys, const char *why)
{
	fault.used = 0;
	memset(words, 0, sizeof(words));
	TEST_ASSERT_FALSE(package_open(&package, &source, keys, &fault));
	TEST_ASSERT_EQUAL_STRING(why, words);
}

static void test_package_when_signed_by_a_key_then_it_is_read(void)
{
	TEST_ASSERT_TRUE_MESSAGE(package_open(&package, &source, text_of(key_one), &fault), words);
	TEST_ASSERT_EQUAL_STRING("9.9.9", package.version);
	TEST_ASSERT_EQUAL_STRING("x86_64", package.board);
	TEST_ASSERT_EQUAL_INT64(2000000000, package.built);
	TEST_ASSERT_EQUAL_UINT32(2, package.count);
	TEST_ASSERT_EQUAL_STRING("initrd", package.files[1].name);
	TEST_ASSERT_EQUAL_UINT64(PACKAGE_DATA + 512, package.files[1].at);
}

/* Keys are changed by having both for a time. */
static void test_package_when_there_are_more_keys_then_any_will_do(void)
{
	char both[2048] = "";

	strcat(strcat(strcat(both, "# old and new\n"), key_two), key_one);
	TEST_ASSERT_TRUE_MESSAGE(package_open(&package, &source, text_of(both), &fault), words);
	compose(lines, signature_two);
	TEST_ASSERT_TRUE_MESSAGE(package_open(&package, &source, text_of(both), &fault), words);
}

static void test_package_when_signed_by_another_then_it_is_refused(void)
{
	const char *why = "its signature is by none of the keys that are trusted here";

	refused(text_of(key_two), why);
	refused(TEXT("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"), why);
	refused(TEXT("nothing"), why);
	refused(TEXT(""), "there are no keys that could prove it");
}

static void test_package_when_one_bit_is_changed_then_it_is_refused(void)
{
	for (size_t at = 0; at < PACKAGE_HEAD; at += 97) {
		compose(lines, signature_one);
		file[at] = (char)(file[at] ^ 1);
		refused(text_of(key_one),
			"its signature is by none of the keys that are trusted here");
	}
}

static void test_package_when_there_is_no_signature_then_it_is_refused(void)
{
	compose(lines, "");
	refused(text_of(key_one), "it has no signature");
	compose(lines, "abc");
	refused(text_of(key_one), "it has no signature");
}

static void test_package_when_lines_are_wrong_then_it_says_which(void)
{
	static const struct {
		const char *lines, *why;
	} wrong[] = {
		{"", "it is not an update of a kind that this berth knows"},
		{"berth-update 2\nend\n", "it is not an update of a kind that this berth knows"},
		{"berth-update 1\nend\n", "its head is not complete"},
		{"berth-update 1\nversion 1\n", "its line '' cannot be read"},
		{"berth-update 1\nbuilt soon\nend\n", "its line 'built soon' cannot be read"},
		{"berth-update 1\nfile ../x 1 00\nend\n",
			"its line 'file ../x 1 00' cannot be read"},
		{"berth-update 1\nfile x 1 00\nend\n", "its line 'file x 1 00' cannot be read"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
		fault.used = 0;
		memset(words, 0, sizeof(words));
		TEST_ASSERT_FALSE(package_parse(&package, text_of(wrong[i].lines), &fault));
		TEST_ASSERT_EQUAL_STRING(wrong[i].why, words);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_package_when_signed_by_a_key_then_it_is_read);
	RUN_TEST(test_package_when_there_are_more_keys_then_any_will_do);
	RUN_TEST(test_package_when_signed_by_another_then_it_is_refused);
	RUN_TEST(test_package_when_one_bit_is_changed_then_it_is_refused);
	RUN_TEST(test_package_when_there_is_no_signature_then_it_is_refused);
	RUN_TEST(test_package_when_lines_are_wrong_then_it_says_which);
	return UNITY_END();
}
