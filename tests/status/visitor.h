/* SPDX-License-Identifier: GPL-2.0-only */
/* A client of the bed that speaks TLS and says whatever bytes it likes. */
#ifndef BERTH_TESTS_STATUS_VISITOR_H
#define BERTH_TESTS_STATUS_VISITOR_H

#include "tls/tls.h"
#include "status/bed.h"

struct visitor {
	struct tls_identity identity;
	struct tls_peer peer;
	struct tls_ticket ticket;
	struct tls tls;
	uint32_t stream;
	bool ended;
	size_t size;
	char heard[BED_HEARD_MAX];
};

/* `own`: its certificate, or NULL. False: no handshake. */
bool visitor_come(struct visitor *v, const struct tls_certificate *own);
/* As much as is taken within some turns: the rest is dropped. */
void visitor_say(struct visitor *v, const char *bytes, size_t size);
void visitor_hear(struct visitor *v, uint32_t turns); /* ends early with the connection */
void visitor_go(struct visitor *v);

/* Comes, says it, hears the end, goes. The code of the (first) answer; 0: none. */
uint32_t visitor_ask(struct visitor *v, const struct tls_certificate *own, const char *request);

#endif
