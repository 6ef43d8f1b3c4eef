/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Proxies of the environment. NO_PROXY is a list of
 *
 *	*			everything
 *	10.0.0.0/8		addresses; names are not looked up for it
 *	10.0.0.1, [::1]:443	one address; with a port, that port of it
 *	example.com		the name and all below it
 *	.example.com		all below it; *.example.com is the same
 */
#include "http/proxy.h"

#include <stdlib.h>

static char proxy_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool ends_in(struct text name, struct text end)
{
	if (end.size > name.size)
		return false;
	name = text_from(name, name.size - end.size);
	for (size_t i = 0; i < end.size; i++)
		if (proxy_lower(name.at[i]) != proxy_lower(end.at[i]))
			return false;
	return true;
}

static bool is_loopback(const struct net_address *address)
{
	static const uint8_t one[16] = {[15] = 1};

	return address->family == 4 ? address->bytes[0] == 127
				    : memcmp(address->bytes, one, sizeof(one)) == 0;
}

static bool is_in_network(struct text range, const struct net_address *address)
{
	struct net_address base;
	uint64_t bits;
	size_t slash = text_find(range, '/');

	if (slash == range.size || !net_address_parse(text_first(range, slash), 0, &base) ||
		!text_to_u64(text_from(range, slash + 1), &bits) ||
		base.family != address->family || bits > (base.family == 4 ? 32 : 128))
		return false;
	for (size_t i = 0; i < bits; i++)
		if (((base.bytes[i / 8] ^ address->bytes[i / 8]) & (0x80 >> i % 8)) != 0)
			return false;
	return true;
}

/* "host:port" or "[address]:port"; what is neither is a host with any port. */
static bool split_port(struct text *entry, uint64_t *port)
{
	size_t colon = text_find_last(*entry, ':');
	struct text host = text_first(*entry, colon);
	bool bracketed = host.size > 1 && host.at[0] == '[' && host.at[host.size - 1] == ']';

	*port = 0;
	if (colon == entry->size || (!bracketed && text_find(host, ':') < host.size))
		return true;
	struct text number = text_from(*entry, colon + 1);
	*entry = bracketed ? text_from(text_first(host, host.size - 1), 1) : host;
	return number.size == 0 || text_to_u64(number, port);
}

static bool is_excepted(
	struct text entry, const struct net_target *target, const struct net_address *address)
{
	struct net_address other;
	uint64_t port;

	if (text_is_z(entry, "*"))
		return true;
	if (address->family != 0 && is_in_network(entry, address))
		return true;
	if (!split_port(&entry, &port) || entry.size == 0 || (port != 0 && port != target->port))
		return false;
	if (net_address_parse(entry, address->port, &other))
		return net_address_is(&other, address);
	if (text_starts(entry, TEXT("*.")))
		entry = text_from(entry, 1);
	if (!ends_in(target->host, entry))
		return false;
	return entry.at[0] == '.' || target->host.size == entry.size ||
		target->host.at[target->host.size - entry.size - 1] == '.';
}

static struct text first_of(
	const char *(*environment)(const char *name), const char *upper, const char *other)
{
	const char *value = environment(upper);

	if (value == NULL || value[0] == '\0')
		value = environment(other);
	return text_trim(text_of(value));
}

static const char *from_system(const char *name)
{
	return getenv(name);
}

struct text proxy_of_environment(
	const struct net_target *target, const char *(*environment)(const char *name))
{
	struct net_address address = {.family = 0};

	environment = environment == NULL ? from_system : environment;
	struct text proxy = target->https ? first_of(environment, "HTTPS_PROXY", "https_proxy")
					  : first_of(environment, "HTTP_PROXY", "http_proxy");
	struct text list = first_of(environment, "NO_PROXY", "no_proxy"), entry;
	if (proxy.size == 0 || text_is_z(target->host, "localhost") ||
		(net_address_parse(target->host, target->port, &address) && is_loopback(&address)))
		return TEXT_NONE;
	while (text_cut(&list, ',', &entry))
		if (is_excepted(text_trim(entry), target, &address))
			return TEXT_NONE;
	return proxy;
}
