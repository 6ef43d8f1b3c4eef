/* SPDX-License-Identifier: GPL-2.0-only */
#include "firmware/init/conf.h"

#include <stddef.h>

enum { WATCHDOG_S = 60, WATCHDOG_MAX_S = 600, CONFIRM_MINUTES = 10, CONFIRM_MAX_MINUTES = 24 * 60 };

void conf_defaults(struct conf *conf)
{
	memset(conf, 0, sizeof(*conf));
	CHECK(text_copy(TEXT("berth"), conf->hostname, sizeof(conf->hostname)));
	conf->watchdog_s = WATCHDOG_S;
	conf->confirm_minutes = CONFIRM_MINUTES;
}

bool conf_ipv4(struct text t, uint32_t *address)
{
	struct text part;
	uint64_t number;
	int parts = 0;

	*address = 0;
	for (; text_cut(&t, '.', &part); parts++) {
		if (part.size > 3 || !text_to_u64(part, &number) || number > 255)
			return false;
		*address = *address << 8 | (uint32_t)number;
	}
	return parts == 4;
}

/* ---- one key each: NULL, or what it should have been ---- */

static const char *set_hostname(struct conf *conf, struct text value)
{
	for (size_t i = 0; i < value.size; i++) {
		char c = value.at[i];
		bool inner = i > 0 && i + 1 < value.size && (c == '-' || c == '.');

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || inner))
			return "lower-case letters, digits and '-'";
	}
	return value.size > 0 && value.size < CONF_HOST_MAX &&
			text_copy(value, conf->hostname, sizeof(conf->hostname))
		? NULL
		: "a name of at most 63 characters";
}

static const char *set_interface(struct conf *conf, struct text value)
{
	if (text_find(value, '/') != value.size ||
		!text_copy(value, conf->interface, sizeof(conf->interface)))
		return "the name of an interface, such as eth0";
	return NULL;
}

static const char *set_address(struct conf *conf, struct text value)
{
	size_t slash = text_find(value, '/');
	uint32_t address;
	uint64_t bits;

	if (text_is_z(value, "dhcp") || text_is_z(value, "none")) {
		conf->how = text_is_z(value, "dhcp") ? CONF_DHCP : CONF_NO_IPV4;
		return NULL;
	}
	if (slash == value.size || !conf_ipv4(text_first(value, slash), &address) ||
		!text_to_u64(text_from(value, slash + 1), &bits) || bits < 1 || bits > 32)
		return "dhcp, none (IPv6 alone), or an address with its prefix: 192.168.1.9/24";
	conf->how = CONF_STATIC;
	conf->address = address;
	conf->mask = UINT32_MAX << (32 - bits);
	return NULL;
}

static const char *set_gateway(struct conf *conf, struct text value)
{
	uint32_t address;

	if (!conf_ipv4(value, &address))
		return "an address: 192.168.1.1";
	conf->gateway = address;
	return NULL;
}

static const char *set_dns(struct conf *conf, struct text value)
{
	uint32_t servers[CONF_SERVERS_MAX], count = 0;
	struct text part;

	while (text_cut(&value, ',', &part)) {
		if (count == CONF_SERVERS_MAX || !conf_ipv4(text_trim(part), &servers[count]))
			return "one to three addresses: 192.168.1.1,9.9.9.9";
		count++;
	}
	memcpy(conf->dns, servers, sizeof(servers));
	conf->dns_count = count;
	return NULL;
}

static const char *number_of(struct text value, uint64_t max, uint32_t *to, const char *words)
{
	uint64_t number;

	if (!text_to_u64(value, &number) || number > max)
		return words;
	*to = (uint32_t)number;
	return NULL;
}

static const char *set_watchdog(struct conf *conf, struct text value)
{
	return number_of(value, WATCHDOG_MAX_S, &conf->watchdog_s, "seconds up to 600; 0: none");
}

static const char *set_confirm(struct conf *conf, struct text value)
{
	return number_of(value, CONFIRM_MAX_MINUTES, &conf->confirm_minutes, "minutes up to 1440");
}

static const char *set_downgrade(struct conf *conf, struct text value)
{
	return text_to_bool(value, &conf->downgrade) ? NULL : "true or false";
}

/* Words that a blank parts; there is no quoting. */
static const char *set_flags(struct conf *conf, struct text value)
{
	char *room = conf->flag_room;
	struct text word;

	conf->flags_count = 0;
	conf->flags[0] = NULL;
	if (value.size >= sizeof(conf->flag_room))
		return "at most 1023 characters";
	while (text_cut(&value, ' ', &word)) {
		if (word.size == 0)
			continue;
		if (conf->flags_count == CONF_FLAGS_MAX)
			return "at most 32 words";
		memcpy(room, word.at, word.size);
		room[word.size] = '\0';
		conf->flags[conf->flags_count++] = room;
		conf->flags[conf->flags_count] = NULL;
		room += word.size + 1;
	}
	return NULL;
}

static const struct {
	const char *name;
	const char *(*set)(struct conf *conf, struct text value);
} keys[] = {
	{"hostname", set_hostname},
	{"interface", set_interface},
	{"address", set_address},
	{"gateway", set_gateway},
	{"dns", set_dns},
	{"flags", set_flags},
	{"watchdog", set_watchdog},
	{"confirm-minutes", set_confirm},
	{"downgrade", set_downgrade},
};

static const char *parse_line(struct conf *conf, struct text line)
{
	size_t equals = text_find(line, '=');

	if (equals == line.size)
		return "key = value";
	struct text name = text_trim(text_first(line, equals));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (text_is_z(name, keys[i].name))
			return keys[i].set(conf, text_trim(text_from(line, equals + 1)));
	return "one of the keys: hostname, interface, address, gateway, dns, flags, watchdog, "
	       "confirm-minutes, downgrade";
}

bool conf_parse(struct conf *conf, struct text file, struct writer *faults)
{
	struct text line;
	uint32_t number = 0, wrong = 0;
	enum { TOLD_MAX = 5, SHOWN_MAX = 40 };

	if (!text_is_utf8(file) || text_find(file, '\0') != file.size) {
		write_z(faults, "berth.conf is damaged: it is not text; defaults are used\n");
		return false;
	}
	while (text_cut(&file, '\n', &line)) {
		number++;
		line = text_trim(text_first(line, text_find(line, '#')));
		const char *expected = line.size == 0 ? NULL : parse_line(conf, line);
		if (expected == NULL)
			continue;
		if (wrong++ < TOLD_MAX)
			write_format(faults, "berth.conf line %u: '%.*s' is not %s\n", number,
				TEXT_ARGS(text_utf8_first(line, SHOWN_MAX)), expected);
	}
	if (wrong > TOLD_MAX)
		write_format(faults, "berth.conf: %u more lines are wrong\n", wrong - TOLD_MAX);
	return wrong == 0;
}
