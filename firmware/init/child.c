/* SPDX-License-Identifier: GPL-2.0-only */
#include "firmware/init/init.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void child_init(struct child *child)
{
	memset(child, 0, sizeof(*child));
	child->output = -1;
}

static NORETURN void become(char *const argv[], uid_t user, int input, int output)
{
	static char *const environment[] = {NULL};
	sigset_t none;

	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)dup2(input >= 0 ? input : open("/dev/null", O_RDONLY), STDIN_FILENO);
	(void)dup2(output, STDOUT_FILENO);
	(void)dup2(output, STDERR_FILENO);
	(void)setsid();
	if (user != 0 && (setgroups(0, NULL) != 0 || setgid(user) != 0 || setuid(user) != 0))
		_exit(126);
	(void)execve(argv[0], argv, environment);
	_exit(127);
}

bool child_start(struct child *child, char *const argv[], uid_t user, int input)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	pid_t pid = fork();
	if (pid == 0)
		become(argv, user, input, ends[1]);
	(void)close(ends[1]);
	if (pid < 0) {
		(void)close(ends[0]);
		return false;
	}
	if (child->output >= 0)
		(void)close(child->output);
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	child->pid = pid;
	child->output = ends[0];
	child->used = 0;
	return true;
}

/* What is longer than a line may be comes in pieces. */
void child_drain(struct child *child, void (*line)(void *self, struct text line), void *self)
{
	while (child->output >= 0) {
		ssize_t n = read(child->output, child->line + child->used,
			sizeof(child->line) - child->used);

		if (n < 0)
			return;
		child->used += (size_t)n;
		struct text rest = {child->line, child->used};
		size_t end;
		while ((end = text_find(rest, '\n')) < rest.size) {
			line(self, text_first(rest, end));
			rest = text_from(rest, end + 1);
		}
		if (rest.size > 0 && (n == 0 || rest.size == sizeof(child->line))) {
			line(self, rest);
			rest.size = 0;
		}
		memmove(child->line, rest.at, rest.size);
		child->used = rest.size;
		if (n == 0) {
			(void)close(child->output);
			child->output = -1;
		}
	}
}

void child_end(struct child *child, int signal_number)
{
	if (child->pid > 0)
		(void)kill(child->pid, signal_number);
}

void child_reap(struct child *const children[], size_t count)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < count; i++)
			if (children[i]->pid == pid) {
				children[i]->pid = 0;
				children[i]->status = status;
			}
}
