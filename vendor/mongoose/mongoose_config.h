/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mongoose as berth has it: the event manager and its sockets, of which vendor/mongoose/cut leaves
 * the source.
 */
#ifndef BERTH_MONGOOSE_CONFIG_H
#define BERTH_MONGOOSE_CONFIG_H

#include <stddef.h>

/* TLS is above the streams of bytes (src/tls): mongoose's own glue is left out. */
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
#define MG_ENABLE_LOG 0

/* Allocation over the fenced heap of src/net. */
void *mg_calloc(size_t count, size_t size);
void mg_free(void *pointer);

#endif
