/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Url: the address of a server, or of a proxy, as configuration files name it, in parts.
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

enum url_proxy_kind { URL_PROXY_NONE, URL_PROXY_HTTP, URL_PROXY_HTTPS, URL_PROXY_SOCKS5 };

enum { URL_PROXY_MAX = 1024, URL_PROXY_NAME_MAX = 255 };

struct url_proxy {
	enum url_proxy_kind kind;
	struct text host; /* without brackets */
	uint16_t port;    /* 80, 443 or 1080 when none is named */
	/* With their %XX; TEXT_NONE: none. Neither has more than URL_PROXY_NAME_MAX bytes. */
	struct text user, password;
};

/*
 * [SCHEME://][USER[:PASSWORD]@]HOST[:PORT], http:// unless it says another; what is behind a slash
 * counts for nothing, as in Go.
 */
MUST_USE bool url_parse_proxy(struct text t, struct url_proxy *proxy, const char **fault);
/* False: a % without two digits. */
MUST_USE bool url_write_decoded(struct writer *w, struct text t);

#endif
