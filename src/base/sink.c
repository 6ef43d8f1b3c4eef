/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines written to a descriptor only as far as it takes them at once. */
#include "base/sink.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <sys/socket.h>

void sink_open(struct sink *sink, int fd)
{
	sink->fd = fd;
	sink->dropped = sink->dropped_all = sink->left = 0;
}

/*
 * The descriptor's flags are shared with other processes that have it, so it stays as it is. A
 * socket is asked not to wait; a pipe that can be written to takes PIPE_BUF bytes as a whole; a
 * file never waits for long. Returns how many bytes were taken.
 */
static size_t sink_write(const struct sink *sink, struct text bytes)
{
	struct pollfd ready = {.fd = sink->fd, .events = POLLOUT};
	ssize_t taken = send(sink->fd, bytes.at, bytes.size, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (taken < 0 && errno == ENOTSOCK && poll(&ready, 1, 0) == 1 &&
		(ready.revents & (POLLERR | POLLNVAL | POLLHUP)) == 0)
		taken = write(sink->fd, bytes.at, bytes.size);
	return taken < 0 ? 0 : (size_t)taken;
}

static bool sink_finish(struct sink *sink)
{
	size_t taken =
		sink->left == 0 ? 0 : sink_write(sink, (struct text){sink->rest, sink->left});
	sink->left -= taken;
	memmove(sink->rest, sink->rest + taken, sink->left);
	return sink->left == 0;
}

void sink_put(struct sink *sink, struct text line)
{
	size_t taken = 0;
	if (line.size > 0 && line.size <= SINK_LINE_MAX && sink_finish(sink))
		taken = sink_write(sink, line);
	if (taken == 0) {
		sink->dropped++;
		sink->dropped_all++;
		return;
	}
	sink->dropped = 0;
	sink->left = line.size - taken;
	memcpy(sink->rest, line.at + taken, sink->left);
}
