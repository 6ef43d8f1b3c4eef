/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sandbox: user, capabilities, files and ports (Landlock), system calls (seccomp).
 *
 * The structures and numbers are those of the kernel's documented interface; musl has no headers
 * for them. The calls about users are made directly: those of libc stop all threads first, and
 * there is one.
 */
#define _GNU_SOURCE /* O_PATH */
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"

static struct {
	const char *files[SANDBOX_FILES_MAX];
	uint32_t file_count;
	const char *has_read;
	uint16_t ports[SANDBOX_PORTS_MAX];
	uint32_t port_count;
	bool overflowed;
} needs;

void sandbox_reads(const char *path)
{
	if (path == NULL)
		return;
	if (needs.file_count == SANDBOX_FILES_MAX)
		needs.overflowed = true;
	else
		needs.files[needs.file_count++] = path;
}

void sandbox_has_read(const char *path)
{
	needs.has_read = path;
}

void sandbox_connects(uint16_t port)
{
	if (needs.port_count == SANDBOX_PORTS_MAX)
		needs.overflowed = true;
	else
		needs.ports[needs.port_count++] = port;
}

static void sandbox_note_missing(struct writer *missing, const char *what, const char *why)
{
	write_format(missing, "%s%s: %s", missing->used > 0 ? "; " : "", what, why);
}

/* ---- files and ports: Landlock ---- */

enum {
	LANDLOCK_READ_FILE = 1 << 2,
	LANDLOCK_CONNECT = 1 << 1,
	LANDLOCK_NETWORK = 3, /* bind and connect */
	LANDLOCK_SCOPES = 3,  /* abstract sockets and signals of others */
	LANDLOCK_BENEATH = 1, /* rule types */
	LANDLOCK_PORT = 2,
	LINKS_MAX = 8,
	FOLDER_MAX = 1024
};

struct landlock_rules {
	uint64_t files, network, scopes;
};

struct landlock_beneath {
	uint64_t allowed;
	int32_t folder;
} __attribute__((packed));

struct landlock_port {
	uint64_t allowed, port;
};

/* Whom berth goes on as, as far as files are concerned. */
struct reader {
	uint32_t user;
	gid_t groups[64];
	int group_count;
	bool reads_all; /* keeps the right to read what others may not */
	uint32_t narrowed;
	const char *first_narrowed;
};

static bool reader_may_read(const struct reader *r, const struct stat *about)
{
	if (r->reads_all || (about->st_uid == r->user && (about->st_mode & S_IRUSR) != 0))
		return true;
	for (int i = 0; i < r->group_count && (about->st_mode & S_IRGRP) != 0; i++)
		if (r->groups[i] == about->st_gid)
			return true;
	return false;
}

static bool stat_is_of(const struct stat *about, const char *path)
{
	struct stat is;
	return (lstat(path, &is) == 0 && is.st_dev == about->st_dev &&
		       is.st_ino == about->st_ino) ||
		(stat(path, &is) == 0 && is.st_dev == about->st_dev && is.st_ino == about->st_ino);
}

static bool stat_is_needed(const struct stat *about)
{
	for (uint32_t i = 0; i < needs.file_count; i++)
		if (stat_is_of(about, needs.files[i]))
			return true;
	return needs.has_read != NULL && stat_is_of(about, needs.has_read);
}

/* Whether the reader would come by a secret of another program through this entry of a folder. */
static bool entry_is_secret(const struct reader *r, int folder, const char *name)
{
	struct stat about;
	/* "..data" and what it leads to: a volume that kubelet made for us alone. */
	if (name[0] == '.' && (name[1] == '.' || name[1] == '\0'))
		return false;
	if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || S_ISLNK(about.st_mode) ||
		stat_is_needed(&about))
		return false;
	if (S_ISDIR(about.st_mode))
		return r->reads_all || about.st_uid == r->user;
	return (about.st_mode & S_IROTH) == 0 && reader_may_read(r, &about);
}

static bool folder_holds_secrets(const struct reader *r, int folder_path)
{
	struct entry {
		uint64_t number, next;
		uint16_t size;
		uint8_t kind;
		char name[];
	};
	_Alignas(8) char room[4096];
	bool any = false;
	long got = 0;
	int folder = openat(folder_path, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return true; /* what cannot be looked at is not given */
	while (!any && (got = syscall(SYS_getdents64, folder, room, sizeof(room))) > 0)
		for (long at = 0; at < got && !any;) {
			const struct entry *e = (const void *)(room + at);
			any = entry_is_secret(r, folder, e->name);
			at += e->size;
		}
	close(folder);
	return any || got < 0;
}

static void sandbox_allow(int rules, int file)
{
	struct landlock_beneath rule = {.allowed = LANDLOCK_READ_FILE, .folder = file};
	if (file >= 0)
		(void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_BENEATH, &rule, 0);
}

/* False: the folder holds what is not ours to read, and was not allowed. */
static bool allow_folder_of(
	int rules, const struct reader *r, const char *path, char folder[FOLDER_MAX])
{
	struct text name = text_of(path);
	size_t slash = text_find_last(name, '/');
	if (slash == name.size)
		name = TEXT(".");
	else
		name = text_first(name, slash == 0 ? 1 : slash);
	if (!text_copy(name, folder, FOLDER_MAX))
		return false;
	int file = open(folder, O_PATH | O_CLOEXEC);
	if (file < 0)
		return true; /* then the file cannot be read either */
	bool given = !folder_holds_secrets(r, file);
	if (given)
		sandbox_allow(rules, file);
	close(file);
	return given;
}

/*
 * Files are rotated by putting another one in their place, so it is the folder that stays
 * readable, and the folder of each link on the way: kubelet's token -> ..data/token -> (..data is
 * what changes), certbot's live/x/key.pem -> ../../archive/x/key7.pem. But a folder that holds
 * other secrets which the reader may read, such as /etc/kubernetes/pki, is not given: there it is
 * the file alone, as it is now, and the log says that its replacement cannot be followed.
 */
static void allow_file(int rules, struct reader *r, const char *path)
{
	char from[FOLDER_MAX], folder[FOLDER_MAX], to[FOLDER_MAX];
	bool all_given = true;
	if (!text_copy(text_of(path), from, sizeof(from)))
		return;
	for (int i = 0; i < LINKS_MAX; i++) {
		struct writer w;
		all_given = allow_folder_of(rules, r, from, folder) && all_given;
		ssize_t size = readlink(from, to, sizeof(to));
		if (size <= 0)
			break;
		writer_init(&w, from, sizeof(from) - 1);
		if (to[0] != '/') {
			write_z(&w, folder);
			write_char(&w, '/');
		}
		write_bytes(&w, to, (size_t)size);
		if (w.overflowed)
			return;
		from[w.used] = '\0';
	}
	if (all_given)
		return;
	int file = open(path, O_PATH | O_CLOEXEC);
	sandbox_allow(rules, file);
	if (file < 0)
		return;
	close(file);
	r->first_narrowed = r->narrowed++ == 0 ? path : r->first_narrowed;
}

static void allow_files(int rules, struct reader *r, struct writer *missing)
{
	for (uint32_t i = 0; i < needs.file_count; i++)
		allow_file(rules, r, needs.files[i]);
	if (r->narrowed == 0)
		return;
	write_format(missing, "%srotation: %s", missing->used > 0 ? "; " : "", r->first_narrowed);
	if (r->narrowed > 1)
		write_format(missing, " and %u more", (unsigned)(r->narrowed - 1));
	write_z(missing,
		": the folder holds other secrets, so a replaced file is not read; a "
		"folder of its own would be");
}

/* 0: not in force; else the version of the interface. */
static int restrict_files(struct reader *reader, struct writer *missing)
{
	int version = needs.overflowed
		? 0
		: (int)syscall(SYS_landlock_create_ruleset, NULL, 0, 1 /* asks for the version */);
	/* Rights that a kernel does not know are refused, and so is a longer structure. */
	int rights = version < 3 ? version + 12 : version < 5 ? 15 : 16;
	struct landlock_rules all = {
		(UINT64_C(1) << rights) - 1, LANDLOCK_NETWORK, LANDLOCK_SCOPES};
	int rules = version <= 0
		? -1
		: (int)syscall(SYS_landlock_create_ruleset, &all,
			  version < 4           ? offsetof(struct landlock_rules, network)
				  : version < 6 ? offsetof(struct landlock_rules, scopes)
						: sizeof(all),
			  0);
	if (rules < 0) {
		sandbox_note_missing(missing, "landlock",
			needs.overflowed ? "too many files and ports" : strerror(errno));
		return 0;
	}
	allow_files(rules, reader, missing);
	for (uint32_t i = 0; i < needs.port_count && version >= 4; i++) {
		struct landlock_port rule = {LANDLOCK_CONNECT, needs.ports[i]};
		(void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_PORT, &rule, 0);
	}
	if (syscall(SYS_landlock_restrict_self, rules, 0) != 0) {
		sandbox_note_missing(missing, "landlock", strerror(errno));
		version = 0;
	}
	close(rules);
	return version;
}

/* ---- user and capabilities ---- */

/* The first are of 16 bits on ARM. */
#ifdef SYS_setresuid32
enum {
	CALL_SETRESUID = SYS_setresuid32,
	CALL_SETRESGID = SYS_setresgid32,
	CALL_SETGROUPS = SYS_setgroups32
};
#else
enum {
	CALL_SETRESUID = SYS_setresuid,
	CALL_SETRESGID = SYS_setresgid,
	CALL_SETGROUPS = SYS_setgroups
};
#endif

enum { CAPABILITY_READ = 1 << 2 /* CAP_DAC_READ_SEARCH */ };

struct capabilities {
	struct {
		uint32_t effective, permitted, inheritable;
	} half[2];
};

static long capabilities_call(long call, struct capabilities *capabilities)
{
	struct {
		uint32_t version;
		int pid;
	} head = {0x20080522, 0};
	return syscall(call, &head, capabilities);
}

/* NULL: the effective user may read all of them. */
static const char *sandbox_first_unreadable(void)
{
	for (uint32_t i = 0; i < needs.file_count; i++) {
		int fd = open(needs.files[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0 && errno == EACCES)
			return needs.files[i];
		if (fd >= 0)
			close(fd);
	}
	return NULL;
}

enum leaving {
	LEAVES_NOT, /* is not root, or has to stay it */
	LEAVES,
	LEAVES_FAILED
};

/*
 * Root becomes the user nobody. For another user start berth as that one; a flag for it would be a
 * second way to say what every service manager says already.
 *
 * What is read again must stay readable, and keys often belong to root (k3s, kubeadm). Then one
 * capability stays, to read what others may not, which Landlock confines to those files. The
 * other way would be to stay root without capabilities: what belongs to root could then be
 * written, which is far more than can be read. Only where a container withholds that capability
 * berth does stay root. Either way it is told, with the file, because a berth that is started as
 * a user who may read his files needs none of this.
 *
 * This much is done before Landlock, which has to know; and still as root, since an
 * account without rights may not be able to enter those folders.
 */
static enum leaving prepare_to_drop_user(
	struct writer *missing, uint32_t *keep, struct reader *reader)
{
	struct capabilities have = {{{0, 0, 0}}};
	const uint32_t user = SANDBOX_USER, same = UINT32_MAX;
	reader->user = geteuid();
	reader->group_count = getgroups(ARRAY_COUNT(reader->groups) - 1, reader->groups);
	reader->group_count = reader->group_count < 0 ? 0 : reader->group_count;
	reader->groups[reader->group_count++] = getegid();
	if (geteuid() != 0)
		return LEAVES_NOT;
	bool dropped = syscall(CALL_SETGROUPS, 0, NULL) == 0 &&
		syscall(CALL_SETRESGID, user, user, user) == 0 &&
		syscall(CALL_SETRESUID, same, user, 0) == 0;
	const char *file = dropped ? sandbox_first_unreadable() : NULL;
	dropped = dropped && syscall(CALL_SETRESUID, same, 0, same) == 0;
	bool may_read = capabilities_call(SYS_capget, &have) == 0 &&
		(have.half[0].permitted & CAPABILITY_READ) != 0;
	reader->reads_all = !dropped || file != NULL;
	if (!dropped)
		return LEAVES_FAILED;
	reader->user = user;
	reader->groups[0] = user;
	reader->group_count = 1;
	if (file == NULL)
		return LEAVES;
	write_format(missing, "%suser: %s is not readable for others, so berth keeps %s",
		missing->used > 0 ? "; " : "", file,
		may_read ? "the right to read" : "running as root");
	*keep = CAPABILITY_READ;
	return may_read ? LEAVES : LEAVES_NOT;
}

static void drop_user(enum leaving leaving, struct writer *missing)
{
	const uint32_t user = SANDBOX_USER;
	if (leaving == LEAVES_NOT)
		return;
	if (leaving == LEAVES_FAILED || prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 ||
		syscall(CALL_SETRESUID, user, user, user) != 0)
		sandbox_note_missing(missing, "user", strerror(errno));
}

static void drop_capabilities(struct writer *missing, uint32_t keep)
{
	struct capabilities c = {{{0, 0, 0}}};
	(void)capabilities_call(SYS_capget, &c);
	if ((c.half[0].permitted | c.half[1].permitted) == 0)
		return; /* a call that a filter of the service manager may well forbid */
	keep &= c.half[0].permitted;
	c = (struct capabilities){{{keep, keep, 0}}};
	if (capabilities_call(SYS_capset, &c) != 0)
		sandbox_note_missing(missing, "capabilities", strerror(errno));
}

/* ---- system calls: seccomp ---- */

/*
 * What the loop does, found by reading and by strace: sockets, poll(), files that are read again,
 * time, randomness, the log, the end. Nothing that makes a process, maps memory or changes its
 * protection, so that code cannot be brought in; nothing about users, files' owners, signals to
 * others, tracing, namespaces, keys.
 *
 * musl makes one libc call by several system calls, the newer one first: all of them are here.
 * 32-bit ARM has time of 64 bits by calls of its own, which old kernels lack.
 */
#if defined(__x86_64__)
#define MACHINE       0xc000003e
#define MACHINE_CALLS SYS_stat, SYS_fstat, SYS_newfstatat, SYS_poll, SYS_clock_gettime
#elif defined(__arm__)
#define MACHINE 0x40000028
/* clock_gettime() of 64 and of 32 bits: libcs do not agree about their names. */
#define MACHINE_CALLS \
	SYS_statx, SYS_stat64, SYS_fstat64, SYS_poll, 403, 263, SYS_fcntl64, SYS_sigreturn
#else
#if defined(__aarch64__)
#define MACHINE 0xc00000b7
#elif defined(__riscv) && __riscv_xlen == 64
#define MACHINE 0xc00000f3
#else
#define MACHINE 0 /* not one that berth is built for */
#endif
#define MACHINE_CALLS SYS_newfstatat, SYS_fstat, SYS_clock_gettime
#endif
static const uint16_t calls[] = {
	MACHINE_CALLS,
#ifdef BERTH_TEST
	SYS_sigaltstack, /* the address sanitizer's, before each function that does not return */
#endif
	SYS_ppoll,
	SYS_fcntl,
	SYS_read,
	SYS_pread64,
	SYS_write,
	SYS_close,
	SYS_connect,
	SYS_accept,
	SYS_shutdown,
	SYS_sendto,
	SYS_recvfrom,
	SYS_setsockopt,
	SYS_getsockopt,
	SYS_getsockname,
	SYS_getpeername,
	SYS_getrandom,
	SYS_getrusage,
	SYS_rt_sigreturn,
	SYS_restart_syscall, /* poll(), after SIGSTOP and SIGCONT */
	SYS_exit_group,
};

enum { WRITES = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND };

/* Allowed when that argument, as far as the mask goes, is the value. */
static const struct call_if {
	uint16_t number;
	uint8_t argument;
	uint8_t value;
	uint32_t mask;
} calls_if[] = {
	{SYS_socket, 0, 2, ~UINT32_C(8)}, /* AF_INET is 2, AF_INET6 is 10 */
	{SYS_openat, 2, O_RDONLY, WRITES},
	{SYS_madvise, 2, 4, ~UINT32_C(0)}, /* MADV_DONTNEED: pages go back */
#ifdef SYS_open
	{SYS_open, 1, O_RDONLY, WRITES},
#endif
};

struct filter_step {
	uint16_t code;
	uint8_t if_true, if_false; /* steps to skip */
	uint32_t value;
};

enum {
	FILTER_LOAD = 0x20,
	FILTER_AND = 0x54,
	FILTER_IS = 0x15,
	FILTER_RETURN = 0x06,
	FILTER_ALLOW = 0x7fff0000,
	FILTER_TRAP = 0x00030000,
	FILTER_AT_NUMBER = 0, /* of what is looked at */
	FILTER_AT_MACHINE = 4,
	FILTER_AT_ARGUMENTS = 16, /* 8 bytes each, the lower half first */
	FILTER_STEPS = 5 + 2 * ARRAY_COUNT(calls) + 6 * ARRAY_COUNT(calls_if)
};
#define FILTER_KILL UINT32_C(0x80000000)
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower half first");

static uint16_t filter_make(struct filter_step *steps)
{
	struct filter_step *to = steps;
	/* Numbers of another machine (of 32 bits on x86) would mean other calls. */
	*to++ = (struct filter_step){FILTER_LOAD, 0, 0, FILTER_AT_MACHINE};
	*to++ = (struct filter_step){FILTER_IS, 1, 0, MACHINE};
	*to++ = (struct filter_step){FILTER_RETURN, 0, 0, FILTER_KILL};
	*to++ = (struct filter_step){FILTER_LOAD, 0, 0, FILTER_AT_NUMBER};
	for (size_t i = 0; i < ARRAY_COUNT(calls); i++) {
		*to++ = (struct filter_step){FILTER_IS, 0, 1, calls[i]};
		*to++ = (struct filter_step){FILTER_RETURN, 0, 0, FILTER_ALLOW};
	}
	for (size_t i = 0; i < ARRAY_COUNT(calls_if); i++) {
		const struct call_if *c = &calls_if[i];
		*to++ = (struct filter_step){FILTER_IS, 0, 5, c->number};
		*to++ = (struct filter_step){
			FILTER_LOAD, 0, 0, FILTER_AT_ARGUMENTS + 8 * (uint32_t)c->argument};
		*to++ = (struct filter_step){FILTER_AND, 0, 0, c->mask};
		*to++ = (struct filter_step){FILTER_IS, 0, 1, c->value};
		*to++ = (struct filter_step){FILTER_RETURN, 0, 0, FILTER_ALLOW};
		*to++ = (struct filter_step){FILTER_RETURN, 0, 0, FILTER_TRAP};
	}
	*to++ = (struct filter_step){FILTER_RETURN, 0, 0, FILTER_TRAP};
	CHECK(to == steps + FILTER_STEPS);
	return FILTER_STEPS;
}

/*
 * A forbidden call is the end of the process, and it is a bug or an attack. To kill it in the
 * kernel would be shorter; but a table like the one above is wrong some day, with a new libc or on
 * a machine it was never tried on, and then an operator needs to read which call it was. So it is a
 * signal and the panic report. An attacker gains nothing by it: the call was not made, the handler
 * cannot be replaced any more, and a call that is forbidden within it, or while the signal is
 * blocked, kills at once.
 */
static void on_forbidden_call(int number, siginfo_t *about, void *context)
{
	(void)number;
	(void)context;
	check_print("\nsystem call %d is none that berth makes\n", about->si_syscall);
	CHECK_NEVER("a forbidden system call");
}

static bool restrict_calls(struct writer *missing)
{
	struct filter_step steps[FILTER_STEPS];
	struct {
		uint16_t count;
		struct filter_step *steps;
	} program = {filter_make(steps), steps};
	struct sigaction action;
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_forbidden_call;
	action.sa_flags = SA_SIGINFO;
	(void)sigaction(SIGSYS, &action, NULL);
	if (MACHINE != 0 && prctl(PR_SET_SECCOMP, 2 /* a filter */, &program, 0, 0) == 0)
		return true;
	sandbox_note_missing(missing, "seccomp", strerror(errno));
	return false;
}

/* ---- all of it ---- */

void sandbox_confine(struct writer *in_force, struct writer *missing)
{
	uint32_t keep = 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		write_z(in_force, "no-new-privileges ");
	else
		sandbox_note_missing(missing, "no-new-privileges", strerror(errno));
	struct reader reader = {.reads_all = false};
	enum leaving leaving = prepare_to_drop_user(missing, &keep, &reader);
	int landlock = restrict_files(&reader, missing);
	drop_user(leaving, missing);
	drop_capabilities(missing, keep);
	/* No core and no tracer, because of the keys; the system forgets it when the user changes.
	 */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		sandbox_note_missing(missing, "not-dumpable", strerror(errno));
	const char *file = sandbox_first_unreadable();
	if (file != NULL)
		sandbox_note_missing(missing, file, "cannot be read again when it is rotated");
	write_format(in_force, "user=%u landlock=%d", (unsigned)geteuid(), landlock);
}

void sandbox_enter(struct writer *in_force, struct writer *missing)
{
	sandbox_confine(in_force, missing);
	if (restrict_calls(missing))
		write_format(in_force, " system-calls=%d",
			(int)(ARRAY_COUNT(calls) + ARRAY_COUNT(calls_if)));
}
