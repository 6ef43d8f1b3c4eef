/* SPDX-License-Identifier: GPL-2.0-only */
/* Url: scheme, host, port, path; nothing else is accepted. */
#include "base/url.h"

static bool fail(const char **fault, const char *what)
{
	*fault = what;
	return false;
}

static bool take_scheme(struct text *t, bool secure_by_default, struct url *url, const char **fault)
{
	url->https = secure_by_default;
	if (text_starts(*t, TEXT("https://"))) {
		url->https = true;
		*t = text_from(*t, 8);
	} else if (text_starts(*t, TEXT("http://"))) {
		url->https = false;
		*t = text_from(*t, 7);
	} else if (text_contains(*t, TEXT("://"))) {
		return fail(fault, "begins with neither https:// nor http://");
	}
	url->port = url->https ? 443 : 80;
	return true;
}

static bool take_port(struct text t, struct url *url, const char **fault)
{
	uint64_t port;

	if (t.size == 0)
		return true;
	if (t.at[0] != ':')
		return fail(fault, "has something else than a port after ]");
	if (!text_to_u64(text_from(t, 1), &port) || port == 0 || port > 65535)
		return fail(fault, "has a port that is not a number from 1 to 65535");
	url->port = (uint16_t)port;
	return true;
}

static bool take_host(struct text t, struct url *url, const char **fault)
{
	size_t end = text_find_last(t, ':');

	if (text_find(t, '@') < t.size)
		return fail(fault, "has a user name in it");
	if (t.size > 0 && t.at[0] == '[') {
		size_t close = text_find(t, ']');
		if (close == t.size)
			return fail(fault, "has a [ without ]");
		url->host = text_from(text_first(t, close), 1);
		t = text_from(t, close + 1);
	} else {
		if (text_find(t, ':') != end)
			return fail(fault, "has an IPv6 address without [ ]");
		url->host = text_first(t, end);
		t = text_from(t, end);
	}
	if (url->host.size == 0)
		return fail(fault, "has no host");
	if (text_contains(url->host, TEXT("[")) || text_contains(url->host, TEXT("]")))
		return fail(fault, "has a bracket in the host");
	return take_port(t, url, fault);
}

bool url_parse(struct text t, bool secure_by_default, struct url *url, const char **fault)
{
	for (size_t i = 0; i < t.size; i++) {
		if (t.at[i] <= ' ' || t.at[i] >= 0x7f)
			return fail(fault, "has a character that belongs in no address");
		if (t.at[i] == '?' || t.at[i] == '#')
			return fail(fault, "has a query or a fragment");
	}
	if (!take_scheme(&t, secure_by_default, url, fault))
		return false;
	size_t slash = text_find(t, '/');
	url->path = text_from(t, slash);
	while (url->path.size > 0 && url->path.at[url->path.size - 1] == '/')
		url->path = text_first(url->path, url->path.size - 1);
	return take_host(text_first(t, slash), url, fault);
}
