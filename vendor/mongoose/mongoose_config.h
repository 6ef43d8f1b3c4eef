/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mongoose as berth has it: event loop, sockets and HTTP/1.1. What has no switch here is removed by
 * vendor/mongoose/cut.
 */
#ifndef BERTH_MONGOOSE_CONFIG_H
#define BERTH_MONGOOSE_CONFIG_H

#include <stddef.h>

/* TLS is net/tls.c's, above the streams of bytes: mongoose's own glue is left out. */
#define MG_TLS 0

/*
 * poll(), not epoll: with epoll a connection that is held back (is_full) still counts as readable,
 * and the loop would spin for as long as the reader is slow.
 */
#define MG_ENABLE_EPOLL 0
#define MG_ENABLE_IPV6  1

/* Entropy and time come through the interfaces of base/, so mg_random() and mg_millis() are ours.
 */
#define MG_ENABLE_CUSTOM_RANDOM 1
#define MG_ENABLE_CUSTOM_MILLIS 1

/* Errors arrive as events and are logged by those who know what they mean. */
#define MG_ENABLE_LOG      0

#define MG_ENABLE_SSI      0
#define MG_ENABLE_DIRLIST  0
#define MG_ENABLE_POSIX_FS 0
#define MG_ENABLE_MD5      0

/*
 * Buffers grow in these steps by allocate, copy, free. A TLS record is at most 16 kB, so one step
 * holds one record and a watch line seldom needs a second one.
 */
#define MG_IO_SIZE 16384
/* An object may be 1.5 MB, but json/ consumes it while it arrives: this much unread input means a
 * reader that stalls. */
#define MG_MAX_RECV_SIZE (256u * 1024)
/* The apiserver sends about 10 headers, a browser about 20. */
#define MG_MAX_HTTP_HEADERS 32

/* Allocation over the fenced heap of src/net. */
void *mg_calloc(size_t count, size_t size);
void mg_free(void *pointer);

#endif
