/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands in a test: three files stand for the standard three. */
#include "command/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/memory.h"
#include "unity.h"

struct terminal terminal;

static FILE *file_with(const char *text)
{
	FILE *file = tmpfile();
	if (file == NULL || (text != NULL && fputs(text, file) == EOF) || fflush(file) != 0)
		abort();
	rewind(file);
	return file;
}

static void take(FILE *file, char *to)
{
	(void)fseek(file, 0, SEEK_SET);
	to[fread(to, 1, SAID_MAX - 1, file)] = '\0';
	(void)fclose(file);
}

static int copy(const char *const *argv, char **to)
{
	int argc = 0;
	while (argv[argc] != NULL && argc < ARGUMENTS_MAX) {
		to[argc] = strdup(argv[argc]);
		argc++;
	}
	to[argc] = NULL;
	return argc;
}

void run(struct said *said, command_fn *fn, const char *input, const char *const *argv)
{
	FILE *in = file_with(input);
	FILE *out = file_with(NULL);
	FILE *err = file_with(NULL);
	char *arguments[ARGUMENTS_MAX + 1];
	char *kept[ARGUMENTS_MAX + 1];
	int argc = copy(argv, arguments);
	memcpy(kept, arguments, sizeof(kept)); /* the command moves words about */
	const struct command_io io = {.in = fileno(in),
		.out = fileno(out),
		.err = fileno(err),
		.colour = terminal.colour,
		.width = terminal.width};
	budget_reset();
	memory_unseal();
	said->status = fn(&io, argc, arguments);
	budget_reset();
	memory_unseal();
	for (int i = 0; i < argc; i++)
		free(kept[i]);
	(void)fclose(in);
	take(out, said->out);
	take(err, said->err);
}

void run_program(struct said *said, const char *program, const char *input, const char *const *argv)
{
	FILE *in = file_with(input);
	FILE *out = file_with(NULL);
	FILE *err = file_with(NULL);
	char *arguments[ARGUMENTS_MAX + 1];
	int argc = copy(argv, arguments);
	pid_t child = fork();
	if (child == 0) {
		(void)dup2(fileno(in), STDIN_FILENO);
		(void)dup2(fileno(out), STDOUT_FILENO);
		(void)dup2(fileno(err), STDERR_FILENO);
		(void)execv(program, arguments);
		_exit(127);
	}
	int status = 0;
	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
	said->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	for (int i = 0; i < argc; i++)
		free(arguments[i]);
	(void)fclose(in);
	take(out, said->out);
	take(err, said->err);
}

void compare_with_file(const struct said *said, const char *path)
{
	static char expected[SAID_MAX];
	static char got[2 * SAID_MAX + 64];
	(void)snprintf(got, sizeof(got), "%s%s%sexit %d\n", said->out,
		said->err[0] == '\0' ? "" : "--- stderr\n", said->err, said->status);
	if (getenv("WRITE_OK") != NULL) {
		FILE *file = fopen(path, "w");
		TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
		TEST_ASSERT_TRUE(fputs(got, file) >= 0);
		(void)fclose(file);
	}
	FILE *file = fopen(path, "r");
	TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
	expected[fread(expected, 1, sizeof(expected) - 1, file)] = '\0';
	(void)fclose(file);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, got, path);
}
