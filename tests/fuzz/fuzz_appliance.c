/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the appliance reads before there is a berth: berth.conf, answers of DHCP servers, a FAT
 * file system. Byte 0 chooses.
 */
// deps: firmware/init/conf.c firmware/init/dhcp.c update/fat.c
// deps: base/text.c base/format.c base/check.c base/budget.c base/trace.c
// deps: tests/fuzz/fuzz.c
#include <string.h>

#include "firmware/init/conf.h"
#include "firmware/init/dhcp.h"
#include "fuzz/fuzz.h"
#include "update/fat.h"

static void fuzz_conf(struct text t)
{
	static struct conf conf;
	char words[4096];
	struct writer faults;

	writer_init(&faults, words, sizeof(words));
	conf_defaults(&conf);
	CHECK(conf_parse(&conf, t, &faults) == (faults.used == 0));
	CHECK(conf.flags_count <= CONF_FLAGS_MAX && conf.flags[conf.flags_count] == NULL);
	CHECK(conf.dns_count <= CONF_SERVERS_MAX);
}

/* Messages as they come, two bytes of size before each. */
static void fuzz_dhcp(const uint8_t *bytes, size_t size)
{
	static const uint8_t card[6];
	uint8_t message[DHCP_MESSAGE_MAX];
	struct dhcp dhcp;
	int64_t now = 0;

	dhcp_start(&dhcp, card, "berth", 0, now);
	while (size >= 2) {
		size_t part = (size_t)bytes[0] << 8 | bytes[1];

		bytes += 2;
		size -= 2;
		part = part < size ? part : size;
		CHECK(dhcp_turn(&dhcp, now, message) <= sizeof(message));
		(void)dhcp_received(&dhcp, bytes, part, now);
		CHECK(!dhcp.leased || (dhcp.lease.address != 0 && dhcp.lease.mask != 0));
		CHECK(dhcp.due_ms >= now);
		now = dhcp.due_ms;
		bytes += part;
		size -= part;
	}
}

struct fuzz_disk {
	const uint8_t *bytes;
	size_t size;
};

static bool fuzz_disk_read(void *self, uint64_t at, void *to, size_t size)
{
	const struct fuzz_disk *disk = self;

	CHECK(at % DISK_SECTOR == 0 && size % DISK_SECTOR == 0);
	if (at > disk->size || size > disk->size - at)
		return false;
	memcpy(to, disk->bytes + at, size);
	return true;
}

static bool fuzz_visit(void *self, struct text name, const struct fat_file *file)
{
	struct fat *fat = self;
	struct fat_file found;
	char content[2048];
	size_t size;

	CHECK(name.size > 0);
	if (fat_read(fat, file, content, sizeof(content), &size))
		CHECK(size == file->size);
	if (fat_find(fat, TEXT("slots/a/vmlinuz"), &found))
		CHECK(found.cluster < (1u << 28));
	return true;
}

static void fuzz_fat(const uint8_t *bytes, size_t size)
{
	static struct fat fat;
	char words[64];
	struct writer fault;
	struct fuzz_disk at = {bytes, size};
	const struct disk disk = {.read = fuzz_disk_read, .self = &at};

	writer_init(&fault, words, sizeof(words));
	if (fat_open(&fat, &disk, &fault))
		fat_each(&fat, fuzz_visit, &fat);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	switch (bytes[0] % 3) {
	case 0: fuzz_conf((struct text){(const char *)bytes + 1, size - 1}); break;
	case 1: fuzz_dhcp(bytes + 1, size - 1); break;
	default: fuzz_fat(bytes + 1, size - 1); break;
	}
	return 0;
}
