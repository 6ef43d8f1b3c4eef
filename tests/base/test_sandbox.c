/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sandbox, seen from outside: a child enters it and tries something, the parent looks how it
 * ends. Where the system has no seccomp or Landlock (qemu's user mode), it must say so, and the
 * tests look at that instead.
 */
// deps: base/sandbox.c base/check.c base/format.c base/budget.c base/trace.c base/text.c
/* The counts of `make coverage` are files; inside the sandbox nobody writes them. */
#undef _exit

#include "base/sandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unity.h"

enum { REPORT_MAX = 64 * 1024, REFUSED = 3, PATH_SIZE = 256 };

static char report[REPORT_MAX];
static int child_status;
static char folder[PATH_SIZE];
static bool has_calls;     /* seccomp is in force */
static int landlock;       /* its version */
static int ends[2], go[2]; /* pipes: the report; a child waits for a byte */

static char *path_of(const char *name)
{
	static char paths[8][PATH_SIZE + 64];
	static unsigned next;
	char *path = paths[next++ % ARRAY_COUNT(paths)];
	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static void put(const char *name, const char *content, mode_t mode)
{
	FILE *file = fopen(path_of(name), "w");
	TEST_ASSERT_NOT_NULL(file);
	fputs(content, file);
	fclose(file);
	TEST_ASSERT_EQUAL_INT(0, chmod(path_of(name), mode));
}

static void clear_folder(void)
{
	char command[PATH_SIZE + 16];
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command) != 0)
		abort();
}

void setUp(void)
{
	strcpy(folder, "/tmp/berth-sandbox-XXXXXX");
	if (mkdtemp(folder) == NULL || chmod(folder, 0755) != 0)
		abort();
}

void tearDown(void)
{
	clear_folder();
}

/* ---- children ---- */

static void enter(void)
{
	char in_force[SANDBOX_WORDS_MAX], missing[512];
	struct writer a, b;
	writer_init(&a, in_force, sizeof(in_force));
	writer_init(&b, missing, sizeof(missing));
	sandbox_enter(&a, &b);
	check_print("in force: %.*s\nmissing: %.*s\n", TEXT_ARGS(writer_text(&a)),
		TEXT_ARGS(writer_text(&b)));
}

static void leave(void)
{
	_exit(CHECK_EXIT_STATUS);
}

static pid_t start(void (*needs)(void), void (*work)(void))
{
	TEST_ASSERT_EQUAL_INT(0, pipe(ends));
	TEST_ASSERT_EQUAL_INT(0, pipe(go));
	pid_t child = fork();
	TEST_ASSERT_TRUE(child >= 0);
	if (child == 0) {
		check_on_failure(leave);
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		close(go[1]);
		if (needs != NULL)
			needs();
		enter();
		work();
		_exit(0);
	}
	close(ends[1]);
	close(go[0]);
	return child;
}

static void end(pid_t child)
{
	size_t used = 0;
	close(go[1]);
	for (ssize_t got; (got = read(ends[0], report + used, sizeof(report) - 1 - used)) > 0;)
		used += (size_t)got;
	report[used] = '\0';
	close(ends[0]);
	TEST_ASSERT_EQUAL(child, waitpid(child, &child_status, 0));
}

static void run(void (*needs)(void), void (*work)(void))
{
	end(start(needs, work));
}

static void wait_for_the_end(void)
{
	char byte;
	(void)!read(go[0], &byte, 1);
}

static void succeeds(void)
{
	TEST_ASSERT_TRUE_MESSAGE(WIFEXITED(child_status), report);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, WEXITSTATUS(child_status), report);
}

static void need(bool fact, int line)
{
	if (!fact) {
		check_print("line %d: errno %d\n", line, errno);
		_exit(REFUSED);
	}
}
#define NEED(fact) need(fact, __LINE__)

static void nothing(void)
{
}

static const char *said(const char *part)
{
	return strstr(report, part);
}

/* ---- system calls ---- */

/* The most usual ways from a broken process to more. */
static const struct {
	const char *name;
	long number;
	long arguments[4];
} forbidden[] = {
	{"execve", SYS_execve, {0}},
	{"execveat", SYS_execveat, {0}},
	{"clone", SYS_clone, {SIGCHLD}},
	{"ptrace", SYS_ptrace, {16 /* attach */, 1}},
	{"process_vm_readv", SYS_process_vm_readv, {1}},
	{"kill", SYS_kill, {1, 0}},
	{"a unix socket", SYS_socket, {AF_UNIX, SOCK_STREAM}},
	{"a netlink socket", SYS_socket, {AF_NETLINK, SOCK_RAW}},
	{"a packet socket", SYS_socket, {AF_PACKET, SOCK_RAW}},
	{"a vsock socket", SYS_socket, {40, SOCK_STREAM}},
	{"bind", SYS_bind, {3}},
	{"listen", SYS_listen, {3, 1}},
	{"opening to write", SYS_openat, {AT_FDCWD, (long)"/dev/null", O_WRONLY}},
	{"opening to read and write", SYS_openat, {AT_FDCWD, (long)"/dev/null", O_RDWR}},
	{"creating", SYS_openat, {AT_FDCWD, (long)"/dev/null", O_RDONLY | O_CREAT, 0600}},
	{"truncating", SYS_openat, {AT_FDCWD, (long)"/dev/null", O_RDONLY | O_TRUNC}},
	{"unlinkat", SYS_unlinkat, {AT_FDCWD, (long)"/nonexistent"}},
	{"linkat", SYS_linkat, {AT_FDCWD}},
	{"fchmodat", SYS_fchmodat, {AT_FDCWD, (long)"/nonexistent"}},
	{"mprotect", SYS_mprotect, {0, 0, PROT_EXEC}},
	{"memfd_create", SYS_memfd_create, {(long)"", 0}},
	{"setuid", SYS_setuid, {0}},
	{"capset", SYS_capset, {0}},
	{"prctl", SYS_prctl, {4 /* dumpable */, 1}},
	{"seccomp", SYS_seccomp, {0}},
	{"bpf", SYS_bpf, {0}},
	{"keyctl", SYS_keyctl, {0}},
	{"mount", SYS_mount, {0}},
	{"unshare", SYS_unshare, {0x10000000}},
	{"chroot", SYS_chroot, {(long)"/"}},
	{"ioctl", SYS_ioctl, {0, 0x5412 /* types into the terminal */}},
	{"rt_sigaction", SYS_rt_sigaction, {SIGSYS, 0, 0, 8}},
	{"pidfd_getfd", SYS_pidfd_getfd, {0}},
	{"io_uring_setup", SYS_io_uring_setup, {1}},
	{"userfaultfd", SYS_userfaultfd, {0}},
	{"a call that there will be some day", 1023, {0}},
};
static size_t trying;

static void try_it(void)
{
	const long *a = forbidden[trying].arguments;
	(void)syscall(forbidden[trying].number, a[0], a[1], a[2], a[3]);
}

static void test_a_forbidden_call_ends_the_process(void)
{
	for (trying = 0; trying < ARRAY_COUNT(forbidden); trying++) {
		char words[64];
		snprintf(words, sizeof(words), "\nsystem call %ld is none that berth makes\n",
			forbidden[trying].number);
		if (!has_calls)
			break;
		run(NULL, try_it);
		TEST_ASSERT_TRUE_MESSAGE(WIFEXITED(child_status), forbidden[trying].name);
		TEST_ASSERT_EQUAL_INT_MESSAGE(
			CHECK_EXIT_STATUS, WEXITSTATUS(child_status), forbidden[trying].name);
		TEST_ASSERT_NOT_NULL_MESSAGE(said(words), forbidden[trying].name);
		TEST_ASSERT_NOT_NULL(said("broken invariant: a forbidden system call"));
	}
}

/* Who holds the signal back gains nothing. */
static void block_signals(void)
{
	sigset_t all;
	sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, NULL);
}

static void try_execve(void)
{
	(void)syscall(SYS_execve, "/bin/true", NULL, NULL);
}

static void test_a_forbidden_call_with_the_signal_blocked(void)
{
	run(block_signals, try_execve);
	if (!has_calls)
		return;
	TEST_ASSERT_TRUE_MESSAGE(WIFSIGNALED(child_status), report);
	TEST_ASSERT_EQUAL_INT(SIGSYS, WTERMSIG(child_status));
}

#ifdef __x86_64__
/* 11 is munmap() here and execve() by the numbers of 32 bits. */
static void try_numbers_of_32_bits(void)
{
	long result = 11;
	__asm__ volatile("int $0x80" : "+a"(result) : "b"(0), "c"(0), "d"(0) : "memory");
	_exit(0);
}

static void test_a_call_by_numbers_of_32_bits(void)
{
	run(NULL, try_numbers_of_32_bits);
	if (has_calls)
		TEST_ASSERT_TRUE_MESSAGE(WIFSIGNALED(child_status), report);
}
#endif

static void nop(int number)
{
	(void)number;
}

static void listen_to_alarm(void)
{
	(void)signal(SIGUSR2, nop);
	sandbox_reads(path_of("token"));
}

/* Each kind of thing that the loop does, through libc. */
static void work_as_usual(void)
{
	char byte[16];
	struct timespec now;
	struct stat about;
	struct pollfd none = {.fd = -1};
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
	int udp = socket(AF_INET, SOCK_DGRAM, 0), tcp = socket(AF_INET, SOCK_STREAM, 0);
	int fd = open(path_of("token"), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	NEED(udp >= 0);
	NEED(tcp >= 0);
	NEED(fd >= 0);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	NEED(connect(udp, (const struct sockaddr *)&to, sizeof(to)) == 0);
	NEED(fcntl(tcp, F_SETFL, O_NONBLOCK) == 0);
	NEED(clock_gettime(CLOCK_BOOTTIME, &now) == 0);
	NEED(clock_gettime(CLOCK_REALTIME, &now) == 0);
	NEED(fstat(fd, &about) == 0);
	NEED(stat(path_of("token"), &about) == 0);
	NEED(stat(path_of("nonexistent"), &about) != 0);
	NEED(read(fd, byte, sizeof(byte)) == 5);
	NEED(pread(fd, byte, sizeof(byte), 1) == 4);
	NEED(poll(&none, 1, 1) == 0 || errno == EINTR);
	NEED(close(fd) == 0);
	NEED(socket(AF_INET6, SOCK_STREAM, 0) >= 0 || errno == EAFNOSUPPORT);
	wait_for_the_end();
}

static void test_what_berth_does_is_possible(void)
{
	put("token", "token", 0644);
	pid_t child = start(listen_to_alarm, work_as_usual);
	/* A signal comes and goes, and poll() goes on behind a stop. */
	struct pollfd report_end = {.fd = ends[0], .events = POLLIN};
	TEST_ASSERT_EQUAL_INT(1, poll(&report_end, 1, 10000));
	kill(child, SIGUSR2);
	kill(child, SIGSTOP);
	kill(child, SIGCONT);
	end(child);
	succeeds();
}

static void break_an_invariant(void)
{
	CHECK(folder[0] == '\0');
}

static void test_the_panic_report_is_possible(void)
{
	run(NULL, break_an_invariant);
	TEST_ASSERT_EQUAL_INT(CHECK_EXIT_STATUS, WEXITSTATUS(child_status));
	TEST_ASSERT_NOT_NULL(said("broken invariant: folder[0]"));
}

/* ---- files ---- */

static void need_files(void)
{
	sandbox_reads(NULL);
	sandbox_reads(path_of("mount/token"));
	sandbox_reads(path_of("live/key.pem"));
}

static bool reads(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void look_before_and_after_a_rotation(void)
{
	NEED(reads(path_of("mount/token")));
	NEED(reads(path_of("live/key.pem")));
	wait_for_the_end();
	NEED(reads(path_of("mount/token")));
	NEED(reads(path_of("live/key.pem")));
	if (landlock == 0)
		return;
	NEED(!reads(path_of("other/file")));
	NEED(errno == EACCES);
	NEED(!reads("/etc/passwd"));
	NEED(!reads("/etc/shadow"));
	NEED(!reads("/proc/self/environ"));
}

static void link_to(const char *target, const char *name)
{
	TEST_ASSERT_EQUAL_INT(0, symlink(target, path_of("new")));
	TEST_ASSERT_EQUAL_INT(0, rename(path_of("new"), path_of(name)));
}

/* As kubelet does with volumes, and certbot with certificates. */
static void test_files_that_are_rotated_are_read_again_and_no_others(void)
{
	static const char *const folders[] = {
		"mount", "mount/..1", "mount/..2", "live", "archive", "other"};
	for (size_t i = 0; i < ARRAY_COUNT(folders); i++)
		TEST_ASSERT_EQUAL_INT(0, mkdir(path_of(folders[i]), 0755));
	put("mount/..1/token", "1", 0644);
	put("archive/key1.pem", "1", 0644);
	put("other/file", "1", 0644);
	link_to("..1", "mount/..data");
	link_to("..data/token", "mount/token");
	link_to("../archive/key1.pem", "live/key.pem");
	pid_t child = start(need_files, look_before_and_after_a_rotation);
	struct pollfd report_end = {.fd = ends[0], .events = POLLIN};
	TEST_ASSERT_EQUAL_INT(1, poll(&report_end, 1, 10000));
	put("mount/..2/token", "2", 0644);
	put("archive/key2.pem", "2", 0644);
	link_to("..2", "mount/..data");
	link_to("../archive/key2.pem", "live/key.pem");
	unlink(path_of("mount/..1/token"));
	unlink(path_of("archive/key1.pem"));
	end(child);
	succeeds();
}

/* ---- ports ---- */

static uint16_t allowed_port, other_port;

static int listener(uint16_t *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	TEST_ASSERT_EQUAL_INT(0, bind(fd, (const struct sockaddr *)&at, sizeof(at)));
	TEST_ASSERT_EQUAL_INT(0, listen(fd, 4));
	TEST_ASSERT_EQUAL_INT(0, getsockname(fd, (struct sockaddr *)&at, &size));
	*port = ntohs(at.sin_port);
	return fd;
}

static bool connects(uint16_t port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	return connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0;
}

static void need_a_port(void)
{
	sandbox_connects(allowed_port);
}

static void connect_to_both(void)
{
	NEED(connects(allowed_port));
	NEED(connects(other_port) == (landlock < 4));
}

static void test_only_the_port_of_the_server_can_be_reached(void)
{
	int one = listener(&allowed_port), other = listener(&other_port);
	run(need_a_port, connect_to_both);
	close(one);
	close(other);
	succeeds();
}

/* ---- user ---- */

static char *status_line(pid_t child, const char *name)
{
	static char line[256];
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/status", (int)child);
	FILE *file = fopen(path, "r");
	TEST_ASSERT_NOT_NULL(file);
	while (fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, name, strlen(name)) == 0)
			break;
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return line + strlen(name) + 2;
}

static void need_token(void)
{
	sandbox_reads(path_of("token"));
}

static void wait_and_read(void)
{
	wait_for_the_end();
	NEED(reads(path_of("token")));
}

/* The child has entered; what the system says of it. */
static void looks_like(const char *capabilities)
{
	pid_t child = start(need_token, wait_and_read);
	struct pollfd report_end = {.fd = ends[0], .events = POLLIN};
	TEST_ASSERT_EQUAL_INT(1, poll(&report_end, 1, 10000));
	char user[64];
	snprintf(user, sizeof(user), "%u\t%u\t%u\t%u", SANDBOX_USER, SANDBOX_USER, SANDBOX_USER,
		SANDBOX_USER);
	if (geteuid() == 0 && has_calls) {
		TEST_ASSERT_EQUAL_STRING(user, status_line(child, "Uid"));
		TEST_ASSERT_EQUAL_STRING(user, status_line(child, "Gid"));
		TEST_ASSERT_EQUAL_STRING(capabilities, status_line(child, "CapEff"));
		TEST_ASSERT_EQUAL_STRING(capabilities, status_line(child, "CapPrm"));
	}
	if (has_calls) {
		TEST_ASSERT_EQUAL_STRING("1", status_line(child, "NoNewPrivs"));
		TEST_ASSERT_EQUAL_STRING("2", status_line(child, "Seccomp"));
	}
	end(child);
	succeeds();
}

static void test_root_becomes_nobody(void)
{
	put("token", "token", 0644);
	looks_like("0000000000000000");
	TEST_ASSERT_NULL(said("missing: user"));
}

static void test_root_keeps_the_right_to_read_what_only_root_may_read(void)
{
	put("token", "token", 0600);
	looks_like("0000000000000004");
	if (geteuid() != 0)
		return;
	TEST_ASSERT_NOT_NULL(said("token is not readable for others, so berth keeps the right"));
}

/* ---- folders that hold other secrets ---- */

static void need_certificates(void)
{
	sandbox_reads(path_of("pki/ca.crt"));
	sandbox_reads(path_of("pki/own.key"));
	sandbox_reads(path_of("own/token"));
}

static void read_no_other_secret(void)
{
	wait_for_the_end();
	NEED(reads(path_of("pki/ca.crt")));
	NEED(reads(path_of("pki/own.key")));
	NEED(reads(path_of("own/token")));
	NEED(!reads(path_of("pki/ca.key")) || landlock == 0);
	NEED(!reads(path_of("pki/etcd/ca.key")) || landlock == 0);
}

/* As /etc/kubernetes/pki is: the key of a berth that root starts lies beside that of the CA. */
static void test_the_right_to_read_is_confined_to_files(void)
{
	static const char *const folders[] = {"pki", "pki/etcd", "own"};
	for (size_t i = 0; i < ARRAY_COUNT(folders); i++)
		TEST_ASSERT_EQUAL_INT(0, mkdir(path_of(folders[i]), 0755));
	put("pki/ca.crt", "1", 0644);
	put("pki/own.key", "1", 0600);
	put("pki/ca.key", "1", 0600);
	put("pki/etcd/ca.key", "1", 0600);
	put("own/token", "1", 0600);
	pid_t child = start(need_certificates, read_no_other_secret);
	struct pollfd report_end = {.fd = ends[0], .events = POLLIN};
	TEST_ASSERT_EQUAL_INT(1, poll(&report_end, 1, 10000));
	/* The folder that holds nothing else is followed. */
	put("own/new", "2", 0600);
	TEST_ASSERT_EQUAL_INT(0, rename(path_of("own/new"), path_of("own/token")));
	end(child);
	succeeds();
	if (landlock == 0)
		return;
	TEST_ASSERT_NOT_NULL_MESSAGE(
		said("pki/ca.crt and 1 more: the folder holds other secrets"), report);
}

/* ---- what is missing ---- */

static void need_too_much(void)
{
	for (int i = 0; i < SANDBOX_FILES_MAX + 1; i++)
		sandbox_reads("/etc/hosts");
	for (int i = 0; i < SANDBOX_PORTS_MAX + 1; i++)
		sandbox_connects(1);
}

static void test_more_files_than_there_is_room_for(void)
{
	run(need_too_much, nothing);
	succeeds();
	TEST_ASSERT_NOT_NULL_MESSAGE(said("landlock: too many files and ports"), report);
	TEST_ASSERT_NOT_NULL_MESSAGE(said("landlock=0"), report);
}

/* One or the other is said of each. */
static void test_what_is_in_force_is_told(void)
{
	run(NULL, nothing);
	succeeds();
	TEST_ASSERT_TRUE_MESSAGE(
		(said(" system-calls=") == NULL) == (said("seccomp: ") != NULL), report);
	TEST_ASSERT_TRUE_MESSAGE(
		(said("landlock=0") != NULL) == (said("landlock: ") != NULL), report);
	TEST_ASSERT_NOT_NULL(said("in force: no-new-privileges user="));
	printf("%s", report);
}

int main(void)
{
	UNITY_BEGIN();
	run(NULL, nothing);
	has_calls = said(" system-calls=") != NULL;
	landlock = said("landlock=") == NULL ? 0 : atoi(said("landlock=") + strlen("landlock="));
	RUN_TEST(test_what_is_in_force_is_told);
	RUN_TEST(test_a_forbidden_call_ends_the_process);
	RUN_TEST(test_a_forbidden_call_with_the_signal_blocked);
#ifdef __x86_64__
	RUN_TEST(test_a_call_by_numbers_of_32_bits);
#endif
	RUN_TEST(test_what_berth_does_is_possible);
	RUN_TEST(test_the_panic_report_is_possible);
	RUN_TEST(test_files_that_are_rotated_are_read_again_and_no_others);
	RUN_TEST(test_only_the_port_of_the_server_can_be_reached);
	RUN_TEST(test_root_becomes_nobody);
	RUN_TEST(test_root_keeps_the_right_to_read_what_only_root_may_read);
	RUN_TEST(test_the_right_to_read_is_confined_to_files);
	RUN_TEST(test_more_files_than_there_is_room_for);
	return UNITY_END();
}
