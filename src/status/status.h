/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * status - berth's own server: health, metrics, the page and its JSON. It looks at the scheduler
 * and changes nothing there; a pod of a what-if is in the picture within one call only.
 *
 * Nothing grows: answers of any length are made row by row as there is room to send them, and all
 * requests together get STATUS_TURN_US of a turn of the loop. An explanation cannot be divided, as
 * the picture changes: there is one at a time, and a pause behind it.
 */
#ifndef BERTH_STATUS_STATUS_H
#define BERTH_STATUS_STATUS_H

#include "base/arena.h"
#include "config/options.h"
#include "http/server.h"
#include "scheduler/scheduler.h"

enum {
	STATUS_CONNECTIONS = 26, /* of the secure port, of which ... */
	STATUS_EXCHANGES = 24,   /* ... are answered at a time ... */
	STATUS_OWN_PLACES = 2,   /* ... and so many are for peers on this machine alone ... */
	STATUS_LISTENERS = 20,   /* ... and so many may stay */
	STATUS_PLAIN_CONNECTIONS = 8,
	STATUS_TURN_US = 1500,
	STATUS_REST = 50, /* while pods wait: so many times as long as a piece took ... */
	STATUS_REST_MAX_US = 15 * 1000, /* ... so that all of /metrics is there soon */
	STATUS_BODY_MAX = 32 * 1024,    /* of a pod in a what-if */
	STATUS_UPDATE_MAX = 64 << 20    /* of an update, which passes through */
};

struct status;

struct status_setup {
	struct scheduler *scheduler;
	struct net *net;
	struct net_client *client;
	/* Who knows tokens and authorities, and who may what; NULL: `client`. */
	struct net_client *authentication, *authorization;
	struct arena *arena;
	const struct options *options; /* stay the caller's, as does all they point to */
	size_t explanation_bytes;      /* longest answer about one pod, all nodes */
	const char *sandbox;           /* what is in force, for /statusz; NULL: nothing */
};

/* Options that turn both ports off: nothing is to be opened. */
bool status_is_wanted(const struct options *options);
size_t status_size(const struct options *options, size_t explanation_bytes); /* arena bytes */
/* Connections of mbedTLS, and streams of the bytes interface. */
uint32_t status_tls_connections(const struct options *options);
uint32_t status_streams(const struct options *options);

/* NULL when it cannot listen, or a certificate is broken: one line in `fault`. */
struct status *status_open(const struct status_setup *setup, struct writer *fault);
void status_close(struct status *status);
/* A file of the page, compressed by gzip. False: there is none of that path. */
MUST_USE bool status_page_file(struct text path, const char **type, struct text *file);
/* Headers of every answer: a page that was given hostile text may not run it, among others. */
extern const char status_headers[];
/* It was to know whose certificates to believe and could not find out: it should end. */
bool status_has_failed(const struct status *status);
/* For tests: where it listens; 0: it does not. */
uint16_t status_port(const struct status *status, bool secure);

#endif
