/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What takes the place of mongoose's DNS client: a connection goes to a literal address or nowhere.
 * Names are resolved by net/ before it connects.
 */
#include <mongoose.h>

void mg_resolve(struct mg_connection *c, const char *url)
{
	struct mg_str host = mg_url_host(url);

	c->rem.port = mg_htons(mg_url_port(url));
	if (mg_aton(host, &c->rem))
		mg_connect_resolved(c);
	else
		mg_error(c, "not an address: %.*s", (int)host.len, host.buf);
}

void mg_resolve_cancel(struct mg_connection *c)
{
	(void)c;
}
