/* SPDX-License-Identifier: GPL-2.0-only */
/* Url: scheme, host, port, path; of proxies user and password, too. Nothing else is accepted. */
#include "base/url.h"

static bool url_fail(const char **fault, const char *what)
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
		return url_fail(fault, "begins with neither https:// nor http://");
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
		return url_fail(fault, "has something else than a port after ]");
	if (!text_to_u64(text_from(t, 1), &port) || port == 0 || port > 65535)
		return url_fail(fault, "has a port that is not a number from 1 to 65535");
	url->port = (uint16_t)port;
	return true;
}

static bool take_url_host(struct text t, struct url *url, const char **fault)
{
	size_t end = text_find_last(t, ':');

	if (text_find(t, '@') < t.size)
		return url_fail(fault, "has a user name in it");
	if (t.size > 0 && t.at[0] == '[') {
		size_t close = text_find(t, ']');
		if (close == t.size)
			return url_fail(fault, "has a [ without ]");
		url->host = text_from(text_first(t, close), 1);
		t = text_from(t, close + 1);
	} else {
		if (text_find(t, ':') != end)
			return url_fail(fault, "has an IPv6 address without [ ]");
		url->host = text_first(t, end);
		t = text_from(t, end);
	}
	if (url->host.size == 0)
		return url_fail(fault, "has no host");
	if (text_contains(url->host, TEXT("[")) || text_contains(url->host, TEXT("]")))
		return url_fail(fault, "has a bracket in the host");
	return take_port(t, url, fault);
}

bool url_parse(struct text t, bool secure_by_default, struct url *url, const char **fault)
{
	for (size_t i = 0; i < t.size; i++) {
		if (t.at[i] <= ' ' || t.at[i] >= 0x7f)
			return url_fail(fault, "has a character that belongs in no address");
		if (t.at[i] == '?' || t.at[i] == '#')
			return url_fail(fault, "has a query or a fragment");
	}
	if (!take_scheme(&t, secure_by_default, url, fault))
		return false;
	size_t slash = text_find(t, '/');
	url->path = text_from(t, slash);
	while (url->path.size > 0 && url->path.at[url->path.size - 1] == '/')
		url->path = text_first(url->path, url->path.size - 1);
	return take_url_host(text_first(t, slash), url, fault);
}

/* ---- proxies ---- */

static const struct {
	struct text scheme;
	enum url_proxy_kind kind;
	uint16_t port;
} proxy_schemes[] = {
	{{"http://", 7}, URL_PROXY_HTTP, 80},
	{{"https://", 8}, URL_PROXY_HTTPS, 443},
	{{"socks5://", 9}, URL_PROXY_SOCKS5, 1080},
	{{"socks5h://", 10}, URL_PROXY_SOCKS5, 1080},
};

static int url_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool url_write_decoded(struct writer *w, struct text t)
{
	for (size_t i = 0; i < t.size; i++) {
		if (t.at[i] != '%') {
			write_char(w, t.at[i]);
			continue;
		}
		int high = i + 2 < t.size ? url_hex_digit(t.at[i + 1]) : -1;
		int low = i + 2 < t.size ? url_hex_digit(t.at[i + 2]) : -1;
		if (high < 0 || low < 0)
			return false;
		write_char(w, (char)(high * 16 + low));
		i += 2;
	}
	return true;
}

static bool take_user(struct text *t, struct url_proxy *proxy, const char **fault)
{
	char room[URL_PROXY_NAME_MAX];
	size_t at = text_find_last(*t, '@');

	if (at == t->size)
		return true;
	struct text both = text_first(*t, at);
	size_t colon = text_find(both, ':');
	proxy->user = text_first(both, colon);
	proxy->password = text_from(both, colon < both.size ? colon + 1 : colon);
	*t = text_from(*t, at + 1);
	const struct text names[] = {proxy->user, proxy->password};
	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		struct writer w;
		writer_init(&w, room, sizeof(room));
		if (!url_write_decoded(&w, names[i]) || w.overflowed)
			return url_fail(
				fault, "has a user or password with a wrong %XX or over 255 bytes");
	}
	return true;
}

bool url_parse_proxy(struct text t, struct url_proxy *proxy, const char **fault)
{
	struct url url;
	size_t i = 0;

	*proxy = (struct url_proxy){.kind = URL_PROXY_NONE};
	if (t.size > URL_PROXY_MAX)
		return url_fail(fault, "is longer than 1,024 bytes");
	if (text_contains(t, TEXT("://"))) {
		while (i < ARRAY_COUNT(proxy_schemes) && !text_starts(t, proxy_schemes[i].scheme))
			i++;
		if (i == ARRAY_COUNT(proxy_schemes))
			return url_fail(
				fault, "unsupported scheme, must be http, https, or socks5");
		t = text_from(t, proxy_schemes[i].scheme.size);
	}
	t = text_first(t, text_find(t, '/'));
	if (!take_user(&t, proxy, fault) || !url_parse(t, false, &url, fault))
		return false;
	proxy->kind = proxy_schemes[i].kind;
	proxy->host = url.host;
	/* The parser has said 80 where there was none. */
	bool named = text_from(t, (size_t)(url.host.at + url.host.size - t.at)).size > 1;
	proxy->port = named ? url.port : proxy_schemes[i].port;
	return true;
}
