/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A server that answers what a test says, whatever it is asked: once for each answer, each on a
 * connection of its own, over plain HTTP.
 */
#ifndef BERTH_TESTS_COMMAND_SERVER_H
#define BERTH_TESTS_COMMAND_SERVER_H

extern char server[64]; /* its address */
extern int asked[2];    /* what it was asked comes out here */

/* NULL ends the answers. */
void serve(const char *const *answers);
void serve_no_more(void); /* harmless without one */
/* The first bytes that it was asked and that were not heard yet. */
const char *server_heard(void);

#define HEAD(status) \
	"HTTP/1.1 " status "\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"

#endif
