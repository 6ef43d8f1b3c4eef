/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * update: a signed update onto a disk of the appliance, and what the appliance itself asks around
 * it. The exit status says to its first process what is next.
 *
 *	berth update FILE --disk DISK      from any machine; it is tried at the next start
 *	berth update - --disk DISK --started a   one that comes over the page's port, in slot a
 *	berth update --disk DISK --started a     once after each start, in slot a
 *	berth update --disk DISK --confirm b     slot b is well
 *	berth update --disk DISK --give-up b     it is not
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "command/command.h"
#include "command/flags.h"
#include "command/output.h"
#include "tls/tls.h"
#include "update/slots.h"

enum {
	UPDATE_MEMORY = 1 << 20, /* for keys while they are parsed */
	UPDATE_KEYS_MAX = 16 * 1024,
	UPDATE_WORDS_MAX = 512,
	UPDATE_RESTART = 3,
	UPDATE_ON_TRIAL = 4
};

struct update_flags {
	const char *disk, *keys, *started, *confirm, *give_up, *file;
	bool downgrade;
};

struct updating {
	struct update_flags flags;
	struct output out;
	struct output err;
	struct slots slots;
	struct package package;
	char keys[UPDATE_KEYS_MAX + 1];
	char words[UPDATE_WORDS_MAX];
	struct writer fault;
	bool is_written;
};

static struct updating updating;

/* ---- an update that lies on the disk itself ---- */

struct fat_source {
	struct fat fat;
	struct fat_file file;
	struct fat_place place;
	uint64_t from, to, at; /* the run that was reached: bytes of the file, place on the disk */
};

/* Forward it is a step, back a walk from the start. */
static bool fat_source_read(void *self, uint64_t from, void *to, size_t size)
{
	struct fat_source *source = self;
	char *byte = to;

	if (from < source->from) {
		source->place = fat_start(&source->file);
		source->from = source->to = 0;
	}
	while (size > 0) {
		if (from >= source->to) {
			uint32_t run =
				fat_next(&source->fat, &source->place, 64 * 1024, &source->at);
			if (run == 0)
				return false;
			source->from = source->to;
			source->to += run;
			continue;
		}
		size_t part = size < source->to - from ? size : (size_t)(source->to - from);
		if (!source->fat.disk->read(
			    source->fat.disk->self, source->at + (from - source->from), byte, part))
			return false;
		byte += part;
		from += part;
		size -= part;
	}
	return true;
}

/* ---- one that comes by standard input, forward only ---- */

struct stream_source {
	uint64_t at; /* of the first byte in hand */
	char *from;
	size_t in_hand;
	bool ended;
	char room[16 * 1024]; /* a packet has half of it at most */
};

static struct stream_source stream;

static bool stream_fill(struct stream_source *source)
{
	ssize_t n;
	do
		n = source->ended ? 0 : read(STDIN_FILENO, source->room, sizeof(source->room));
	while (n < 0 && errno == EINTR);
	source->ended = n <= 0;
	source->from = source->room;
	source->in_hand = n > 0 ? (size_t)n : 0;
	return !source->ended;
}

static bool stream_read_at(void *self, uint64_t from, void *to, size_t size)
{
	struct stream_source *source = self;
	char *byte = to;
	while (size > 0) {
		if (source->in_hand == 0 && !stream_fill(source))
			return false;
		CHECK(from >= source->at);
		bool is_wanted = from == source->at;
		uint64_t part = is_wanted ? size : from - source->at;
		part = part < source->in_hand ? part : source->in_hand;
		if (is_wanted) {
			memcpy(byte, source->from, part);
			byte += part;
			from += part;
			size -= part;
		}
		source->from += part;
		source->in_hand -= part;
		source->at += part;
	}
	return true;
}

/* ---- the loader of this machine ---- */

#define EFI_VARIABLES "/sys/firmware/efi/efivars/"
#define EFI_LOADER    "-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"

/* systemd-boot takes the entry of this name once, and forgets it before it starts it. */
static bool update_start_once(void *self, char slot)
{
	static const char name[] = "berth-?.conf";
	uint8_t value[4 + 2 * sizeof(name)] = {7}; /* kept, and seen by the loader */
	(void)self;
	for (size_t i = 0; i < sizeof(name); i++)
		value[4 + 2 * i] = (uint8_t)(name[i] == '?' ? slot : name[i]);
	if (access(EFI_VARIABLES "LoaderInfo" EFI_LOADER, F_OK) != 0)
		return false;
	int fd = open(EFI_VARIABLES "LoaderEntryOneShot" EFI_LOADER, O_WRONLY | O_CREAT, 0644);
	if (fd < 0)
		return false;
	bool written = write(fd, value, sizeof(value)) == (ssize_t)sizeof(value);
	(void)close(fd);
	return written;
}

/* ---- the work ---- */

static int update_fail(struct updating *u)
{
	output_format(&u->err, "berth: update: %.*s\n", TEXT_ARGS(writer_text(&u->fault)));
	return COMMAND_FAILED;
}

static struct text update_read_keys(struct updating *u)
{
	const char *path = u->flags.keys != NULL ? u->flags.keys : "/etc/berth/update-keys.pem";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, u->keys, UPDATE_KEYS_MAX);
	if (fd >= 0)
		(void)close(fd);
	return (struct text){u->keys, size > 0 ? (size_t)size : 0};
}

static bool update_install(struct updating *u, const struct disk *source)
{
	struct slots_about other;
	struct slots *slots = &u->slots;
	if (!package_open(&u->package, source, update_read_keys(u), &u->fault))
		return false;
	char slot = slots->normal == 'a' ? 'b' : 'a';
	if (slots->state.trial == slot && slots_about(slots, slot, &other) &&
		memcmp(other.hash, u->package.hash, sizeof(other.hash)) == 0)
		return true; /* written already, and to be tried */
	if (!slots_install(slots, &u->package, source, u->flags.downgrade, &u->fault))
		return false;
	output_format(&u->out, "version %s is in slot %.*s and will be tried\n", u->package.version,
		1, &slot);
	return true;
}

static int update_from_file(struct updating *u)
{
	int fd = open(u->flags.file, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		write_format(&u->fault, "%s cannot be opened", u->flags.file);
		return update_fail(u);
	}
	const struct disk source = disk_of_descriptor(&fd);
	bool done = update_install(u, &source);
	(void)close(fd);
	return done ? COMMAND_DONE : update_fail(u);
}

/* Whether what runs, or what has failed, came from this package. */
static bool update_is_known(struct updating *u, const uint8_t hash[SIGNATURE_HASH])
{
	struct slots_about normal;
	const struct slots_state *state = &u->slots.state;
	return (state->has_failed && memcmp(state->failed, hash, SIGNATURE_HASH) == 0) ||
		(slots_about(&u->slots, u->slots.normal, &normal) &&
			memcmp(normal.hash, hash, SIGNATURE_HASH) == 0);
}

/* update.berth at the top of the disk, as a person puts it there. */
static void update_look_on_disk(struct updating *u)
{
	static struct fat_source on_disk;
	static char head[PACKAGE_HEAD];
	struct signature_hash hash;
	uint8_t name[SIGNATURE_HASH];
	on_disk = (struct fat_source){.fat = u->slots.fat};
	if (!fat_find(&on_disk.fat, TEXT("update.berth"), &on_disk.file))
		return;
	on_disk.place = fat_start(&on_disk.file);
	const struct disk source = {.read = fat_source_read, .self = &on_disk};
	if (!fat_source_read(&on_disk, 0, head, sizeof(head))) {
		output_z(&u->out, "update.berth is too short\n");
		return;
	}
	signature_hash_start(&hash);
	signature_hash_add(&hash, head, sizeof(head));
	signature_hash_end(&hash, name);
	if (update_is_known(u, name))
		return;
	if (!update_install(u, &source))
		output_format(&u->out, "update.berth is not taken: %.*s\n",
			TEXT_ARGS(writer_text(&u->fault)));
	u->fault.used = 0;
}

static bool update_is_from_port(const struct updating *u)
{
	return u->flags.started != NULL && u->flags.file != NULL;
}

static bool update_from_port(struct updating *u, char running)
{
	const struct disk source = {.read = stream_read_at, .self = &stream};
	if (u->slots.state.trial == running)
		write_z(&u->fault,
			"the slot that runs is on trial itself; retry when it has passed");
	else
		u->is_written = update_install(u, &source);
	return u->is_written;
}

/*
 * The sender gets an answer as a packet that begins with the code of it; then all that still comes
 * is taken, up to the empty packet that is the end.
 */
static void update_answer_port(struct updating *u)
{
	char said[UPDATE_WORDS_MAX + 64];
	struct writer w;
	writer_init(&w, said, sizeof(said));
	if (u->is_written)
		write_format(&w, "200 version %s is written and will be tried at once",
			u->package.version);
	else
		write_format(&w, "422 %.*s", TEXT_ARGS(writer_text(&u->fault)));
	(void)send(STDIN_FILENO, said, w.used, MSG_NOSIGNAL);
	while (stream_fill(&stream))
		;
}

static int update_started(struct updating *u, char running)
{
	if (update_is_from_port(u) && !update_from_port(u, running))
		return update_fail(u);
	if (u->flags.file == NULL && u->slots.state.trial != running)
		update_look_on_disk(u);
	u->slots.start_once = update_start_once;
	enum slots_next next = slots_started(&u->slots, running, &u->fault);
	if (u->fault.used > 0)
		output_format(&u->out, "%.*s\n", TEXT_ARGS(writer_text(&u->fault)));
	return next == SLOTS_RESTART     ? (int)UPDATE_RESTART
		: next == SLOTS_ON_TRIAL ? (int)UPDATE_ON_TRIAL
					 : (int)COMMAND_DONE;
}

static int update_act(struct updating *u)
{
	const struct update_flags *f = &u->flags;
	if (f->started != NULL)
		return update_started(u, f->started[0]);
	if (f->file != NULL)
		return update_from_file(u);
	char slot = f->confirm != NULL ? f->confirm[0] : f->give_up[0];
	bool done = f->confirm != NULL ? slots_confirm(&u->slots, slot)
				       : slots_give_up(&u->slots, slot);
	if (done) {
		output_format(&u->out,
			f->confirm != NULL ? "slot %.*s starts from now on\n"
					   : "slot %.*s is given up\n",
			1, &slot);
		return COMMAND_DONE;
	}
	write_format(
		&u->fault, "slot %.*s is not on trial, or the disk cannot be written", 1, &slot);
	return update_fail(u);
}

static int update_with_disk(struct updating *u)
{
	struct arena arena;
	/* Looking must work where nothing can be written. */
	int fd = open(u->flags.disk, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		fd = open(u->flags.disk, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		write_format(&u->fault, "%s cannot be opened", u->flags.disk);
		return update_fail(u);
	}
	void *block = memory_reserve(UPDATE_MEMORY);
	if (block == NULL) {
		write_z(&u->fault, "the system has no memory for it");
		(void)close(fd);
		return update_fail(u);
	}
	arena_init_zeroed(&arena, block, UPDATE_MEMORY);
	tls_setup(&arena, 1, entropy_system());
	const struct disk disk = disk_of_descriptor(&fd);
	int status = slots_open(&u->slots, &disk, &u->fault) ? update_act(u) : update_fail(u);
	tls_teardown();
	memory_release(block, UPDATE_MEMORY);
	(void)close(fd);
	return status;
}

static bool is_slot(const char *word)
{
	return word == NULL || strcmp(word, "a") == 0 || strcmp(word, "b") == 0;
}

static bool update_flags_fit(struct updating *u, int words, char **argv)
{
	struct update_flags *f = &u->flags;
	int actions = (f->started != NULL) + (f->confirm != NULL) + (f->give_up != NULL) + words;
	f->file = words > 0 ? argv[1] : NULL;
	if (f->started != NULL && words == 1 && strcmp(f->file, "-") == 0)
		actions = 1;
	if (f->disk == NULL || actions != 1)
		write_z(&u->fault, "it wants the update's file and --disk");
	else if (!is_slot(f->started) || !is_slot(f->confirm) || !is_slot(f->give_up))
		write_z(&u->fault, "slots are a and b");
	return u->fault.used == 0;
}

static const struct flag update_flags[] = {
	{"disk", 0, FLAG_TEXT, offsetof(struct update_flags, disk), "DISK",
		"the appliance's disk, or its image"},
	{"keys", 0, FLAG_TEXT, offsetof(struct update_flags, keys), "FILE",
		"PEM, in place of /etc/berth/update-keys.pem"},
	{"downgrade", 0, FLAG_BOOL, offsetof(struct update_flags, downgrade), NULL,
		"it may be older than what runs"},
	{"started", 0, FLAG_TEXT, offsetof(struct update_flags, started), "SLOT",
		"the appliance: this slot runs"},
	{"confirm", 0, FLAG_TEXT, offsetof(struct update_flags, confirm), "SLOT",
		"the appliance: it is well"},
	{"give-up", 0, FLAG_TEXT, offsetof(struct update_flags, give_up), "SLOT",
		"the appliance: it is not"},
};

int update_run(const struct command_io *io, int argc, char **argv)
{
	struct updating *u = &updating;
	int words = 0, status;
	memset(u, 0, sizeof(*u));
	output_init(&u->out, io->out);
	output_init(&u->err, io->err);
	writer_init(&u->fault, u->words, sizeof(u->words));
	if (!command_begin(io, &update_command, &u->flags, argc, argv, &words, &status))
		return status;
	if (!update_flags_fit(u, words, argv))
		return command_misused(io, &update_command, writer_text(&u->fault));
	status = update_with_disk(u);
	if (update_is_from_port(u))
		update_answer_port(u);
	output_flush(&u->out);
	output_flush(&u->err);
	return status;
}

const struct command update_command = {.name = "update",
	.what = "put a signed update on a disk of the appliance",
	.arguments = "FILE --disk DISK [flags]\n[-] --disk DISK --started|--confirm|--give-up SLOT",
	.about = "Writes a signed update into the slot that does not run; it is tried at the next\n"
		 "start. The other form is the appliance's own; -: one that comes over the port.\n"
		 "Exit status 3: start again; 4: what runs is on trial.\n",
	.examples = "berth update berth-VERSION-BOARD.update --disk /dev/sdX\n",
	.flags = update_flags,
	.flag_count = ARRAY_COUNT(update_flags),
	.run = update_run};
