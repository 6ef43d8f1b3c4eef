/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Url: the address of a server as configuration files name it, in parts.
 */
#ifndef BERTH_BASE_URL_H
#define BERTH_BASE_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/text.h"

struct url {
	bool https;
	struct text host; /* without brackets */
	uint16_t port;    /* 443 or 80 when none is named */
	struct text path; /* "" or "/a/b", no slash at the end */
};

/*
 * http://, https://, or neither: then it is https if `secure_by_default`. The parts are slices
 * of `t`. False with a few words in *fault: user names, queries and fragments have no place here.
 */
MUST_USE bool url_parse(struct text t, bool secure_by_default, struct url *url, const char **fault);

#endif
