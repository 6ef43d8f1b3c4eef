/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * berth.conf: `key = value`, one a line, `#` before a comment. A line that cannot be read is told
 * about and costs itself only: the machine comes up with the default in its place, so that a
 * mistake made on a laptop can be seen over the network and on the console.
 */
#ifndef BERTH_INIT_CONF_H
#define BERTH_INIT_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { CONF_FLAGS_MAX = 32, CONF_TEXT_MAX = 1024, CONF_SERVERS_MAX = 3, CONF_HOST_MAX = 64 };

enum conf_address { CONF_DHCP, CONF_STATIC, CONF_NO_IPV4 };

struct conf {
	char hostname[CONF_HOST_MAX];
	char interface[16]; /* "": the first with a cable in it */
	enum conf_address how;
	uint32_t address, mask, gateway; /* as numbers, 10.0.0.1 is 0x0a000001 */
	uint32_t dns[CONF_SERVERS_MAX];
	uint32_t dns_count;
	uint32_t watchdog_s;      /* 0: none */
	uint32_t confirm_minutes; /* a new slot is given up after so long without health */
	bool downgrade;           /* an update may be older than what runs */
	char flag_room[CONF_TEXT_MAX];
	char *flags[CONF_FLAGS_MAX + 1]; /* of berth run; then NULL */
	uint32_t flags_count;
};

void conf_defaults(struct conf *conf);
/* What is wrong goes to `faults`, a line each. True: nothing. */
bool conf_parse(struct conf *conf, struct text file, struct writer *faults);
/* "10.0.0.1" */
bool conf_ipv4(struct text t, uint32_t *address);

#endif
