/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two slots on the appliance's disk, and the way from one to the other.
 *
 * The file system is never changed (update/fat.h). A slot's files have a fixed size and are
 * overwritten in place; three files are one sector each and written in one piece:
 *
 *	slots/a/about, slots/b/about	what is in the slot; zeros while it is being written
 *	slots/state			what is to be tried, how often it was, and what has failed
 *	loader/loader.conf, config.txt	which slot starts by default: one letter of each
 *
 * The slot that starts by default is never written to, and becomes another one only by that
 * letter, once the other has proven itself. So whenever the power goes, what started before starts
 * again. Where the loader can be told to try a slot once (systemd-boot with firmware that keeps
 * variables), one that does not even start is left by itself; where it cannot (Raspberry Pi,
 * U-Boot), the letter is changed first, and back when the slot is not well.
 */
#ifndef BERTH_UPDATE_SLOTS_H
#define BERTH_UPDATE_SLOTS_H

#include "update/fat.h"
#include "update/package.h"

enum { SLOTS_ATTEMPTS_MAX = 3 };

struct slots_state {
	char trial;        /* 'a', 'b', 0: nothing is tried */
	uint32_t attempts; /* starts of the trial so far */
	bool has_failed;
	uint8_t failed[SIGNATURE_HASH]; /* the package that did last */
};

struct slots_about {
	char version[32];
	int64_t built;
	uint8_t hash[SIGNATURE_HASH]; /* zeros: it came with the image */
};

struct slots {
	const struct disk *disk;
	struct fat fat;
	struct slots_state state;
	char normal; /* the slot that starts by default */
	/*
	 * Tells the loader to start a slot once; false: it cannot be told. Never called for a
	 * disk that lies in another machine.
	 */
	bool (*start_once)(void *self, char slot);
	void *self;
};

MUST_USE bool slots_open(struct slots *slots, const struct disk *disk, struct writer *fault);
/* False: what is in it is not known. */
MUST_USE bool slots_about(struct slots *slots, char slot, struct slots_about *about);

/*
 * Writes the package to the slot that does not start by default, and has it tried next. False with
 * one line in `fault`; then what was there is as good as before.
 */
MUST_USE bool slots_install(struct slots *slots, const struct package *package,
	const struct disk *source, bool downgrade, struct writer *fault);

enum slots_next {
	SLOTS_GO_ON,    /* nothing is to be done */
	SLOTS_ON_TRIAL, /* slots_confirm() or slots_give_up() is to come */
	SLOTS_RESTART   /* the other slot will start */
};
/* Once after each start. What happened goes to `news`. */
enum slots_next slots_started(struct slots *slots, char running, struct writer *news);
/* The slot that runs is well: from now on it starts by default. */
MUST_USE bool slots_confirm(struct slots *slots, char running);
/* It is not: the other one starts again, and this package is not taken any more. */
MUST_USE bool slots_give_up(struct slots *slots, char running);

#endif
