/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A block device as the appliance's update sees it: sectors that are written whole or not at all,
 * in any order until sync() has returned. A file or a device; a fake one in tests.
 */
#ifndef BERTH_UPDATE_DISK_H
#define BERTH_UPDATE_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

enum { DISK_SECTOR = 512 };

struct disk {
	/* `at` and `size` are multiples of DISK_SECTOR. False: it cannot be done. */
	bool (*read)(void *self, uint64_t at, void *to, size_t size);
	bool (*write)(void *self, uint64_t at, const void *from, size_t size);
	bool (*sync)(void *self);
	void *self;
};

/* Of an open file or device. */
struct disk disk_of_descriptor(int *fd);

#endif
