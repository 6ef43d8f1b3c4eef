/* SPDX-License-Identifier: GPL-2.0-only */
/* A server that answers what a test says. */
#include "command/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

char server[64];
int asked[2];
static pid_t child;

/* Answers once for each of the answers, on a connection of its own. */
static void answer(int listener, const char *const *answers)
{
	char request[4096];
	for (; *answers != NULL; answers++) {
		int peer = accept(listener, NULL, NULL);
		ssize_t size = read(peer, request, sizeof(request));
		if (write(asked[1], request, (size_t)(size < 0 ? 0 : size)) < 0 ||
			write(peer, *answers, strlen(*answers)) < 0)
			_exit(1);
		(void)shutdown(peer, SHUT_WR);
		while (read(peer, request, sizeof(request)) > 0)
			;
		(void)close(peer);
	}
	_exit(0);
}

void serve(const char *const *answers)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int failed = bind(listener, (struct sockaddr *)&at, size) != 0 ||
		listen(listener, 4) != 0 ||
		getsockname(listener, (struct sockaddr *)&at, &size) != 0 || pipe(asked) != 0;
	if (failed)
		abort();
	(void)snprintf(server, sizeof(server), "http://127.0.0.1:%u", ntohs(at.sin_port));
	child = fork();
	if (child < 0)
		abort();
	if (child == 0)
		answer(listener, answers);
	(void)close(listener);
	(void)close(asked[1]);
}

void serve_no_more(void)
{
	if (child > 0) {
		(void)kill(child, SIGKILL);
		(void)waitpid(child, NULL, 0);
	}
	child = 0;
}

const char *server_heard(void)
{
	static char request[4096];
	ssize_t size = read(asked[0], request, sizeof(request) - 1);

	request[size < 0 ? 0 : size] = '\0';
	return request;
}
