/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Proxy: which one a server is reached by when only the environment says so, as Go's clients read
 * HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
 */
#ifndef BERTH_HTTP_PROXY_H
#define BERTH_HTTP_PROXY_H

#include "base/text.h"
#include "http/http.h"

/*
 * The proxy's address for target->proxy, good for as long as the environment; TEXT_NONE: none.
 * Loopback and "localhost" are reached directly, whatever it says. NULL: getenv().
 */
struct text proxy_of_environment(
	const struct net_target *target, const char *(*environment)(const char *name));

#endif
