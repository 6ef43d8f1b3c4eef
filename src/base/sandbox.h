/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sandbox: what the process gives up for good once it has started, so that an attacker who takes it
 * over by way of the network finds himself with no more than berth needs: a few TCP ports, and the
 * files that are read again when they are rotated.
 *
 * What the system cannot confine: a TCP port is allowed at every address (Landlock knows ports
 * only), and UDP is not confined at all. Where that matters a firewall has to (IPAddressAllow= of
 * systemd).
 */
#ifndef BERTH_BASE_SANDBOX_H
#define BERTH_BASE_SANDBOX_H

#include "base/text.h"

enum {
	SANDBOX_FILES_MAX = 64,
	SANDBOX_PORTS_MAX = 16,
	SANDBOX_USER = 65534, /* nobody, on every system */
	SANDBOX_WORDS_MAX = 512
};

/*
 * What will be needed after the start, said by those who need it; after sandbox_enter() they have
 * no effect. The path, which may be NULL, stays the caller's until then.
 */
void sandbox_reads(const char *path);
void sandbox_connects(uint16_t port);
/* It was read and will not be again: no secret of others beside those that are needed. */
void sandbox_has_read(const char *path);

/*
 * Gives up everything else. What the system does not offer is left out and written to `missing`;
 * what is in force, to `in_force`.
 */
void sandbox_enter(struct writer *in_force, struct writer *missing);
/* The same without the system calls, for who goes on to ask for memory: files, ports, the user. */
void sandbox_confine(struct writer *in_force, struct writer *missing);

#endif
