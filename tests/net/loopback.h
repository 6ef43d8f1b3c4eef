/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A network inside one process: the bytes interface of net/, where what is opened comes out of
 * accept(), with a clock that moves only when nothing can be delivered. Not
 * tools/apisim/network.h, which delivers by time: here each turn delivers so many bytes into pipes
 * as small as the test wants them, which is what a parser and a server are tried with.
 */
#ifndef BERTH_TESTS_NET_LOOPBACK_H
#define BERTH_TESTS_NET_LOOPBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/text.h"
#include "net/bytes.h"

enum { LOOPBACK_STREAMS = 512, LOOPBACK_PIPE = 8 * 1024 };

/* What one end has received: on its way, then here. */
struct loopback_stream {
	bool taken, listens, accepted;
	enum net_stream_state state;
	uint32_t peer;     /* 0: it has gone */
	uint32_t listener; /* waits to be accepted by this one */
	uint16_t port;
	bool end_sent, cut_sent; /* by the peer */
	size_t size, here;       /* bytes in the pipe; of those, delivered */
	char pipe[LOOPBACK_PIPE];
};

struct loopback {
	int64_t now_us;
	size_t slice;     /* bytes delivered at a time; 0: all */
	size_t pipe_room; /* of each end; 0: LOOPBACK_PIPE */
	uint64_t waits;
	bool dropped;     /* somebody has room again */
	bool has_end;     /* the interface can say that no more comes */
	uint32_t highest; /* stream that was ever taken */
	struct loopback_stream streams[LOOPBACK_STREAMS + 1];
};

void loopback_init(struct loopback *loopback);
struct net_bytes loopback_bytes(struct loopback *loopback);
struct clock loopback_clock(struct loopback *loopback);

#endif
