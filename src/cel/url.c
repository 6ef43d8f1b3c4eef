/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * URLs, taken apart as upstream's language does it for requests: absolute, or an absolute path.
 */
#include "base/chars.h"
#include "cel/function.h"
#include "cel/named.h"

enum url_place { URL_HOST, URL_PATH, URL_QUERY };
enum { URL_REASON = 1024 };

/* The byte of %xx at the beginning; -1: none. */
static int url_escape(struct text t)
{
	if (t.size < 3 || t.at[0] != '%' || char_hex(t.at[1]) < 0 || char_hex(t.at[2]) < 0)
		return -1;
	return char_hex(t.at[1]) << 4 | char_hex(t.at[2]);
}

/* Whether each '%' begins an escape; *odd is the first that does not. */
static bool url_is_escaped(struct text t, struct text *odd)
{
	for (size_t i = 0; i < t.size; i++)
		if (t.at[i] == '%' && url_escape(text_from(t, i)) < 0) {
			*odd = text_from(t, i);
			if (odd->size > 3)
				odd->size = 3;
			return false;
		}
	return true;
}

/* The scheme in front of the first colon; empty: none. False: a colon with nothing before it. */
static bool url_scheme(struct text t, struct text *scheme)
{
	*scheme = TEXT("");
	for (size_t i = 0; i < t.size; i++) {
		char c = t.at[i];

		if (c == ':') {
			*scheme = text_first(t, i);
			return i > 0;
		}
		if (!char_is_letter(c) &&
			(i == 0 || !(char_is_digit(c) || c == '+' || c == '-' || c == '.')))
			return true;
	}
	return true;
}

static bool url_host_is_fine(struct text host, const char **error, struct text *part)
{
	size_t colon = text_find_last(host, ':');
	struct text port = text_from(host, colon);

	if (host.size > 0 && host.at[0] == '[') {
		size_t end = text_find_last(host, ']');

		if (end == host.size) {
			*error = "missing ']' in host";
			return false;
		}
		port = text_from(host, end + 1);
	}
	for (size_t i = 0; i < port.size; i++)
		if (i == 0 ? port.at[0] != ':' : !char_is_digit(port.at[i])) {
			*error = "invalid port \"%\" after host";
			*part = port;
			return false;
		}
	for (size_t i = 0; i < host.size; i++)
		if (host.at[i] == ' ' || host.at[i] == '<' || host.at[i] == '>' ||
			host.at[i] == '"' || host.at[i] == '\\' || host.at[i] == '^' ||
			host.at[i] == '`' || host.at[i] == '{' || host.at[i] == '|' ||
			host.at[i] == '}') {
			*error = "invalid character \"%\" in host name";
			*part = (struct text){host.at + i, 1};
			return false;
		}
	return true;
}

/* //user@host:port in front of the path. */
static bool url_authority(
	struct text *rest, struct cel_url *url, const char **error, struct text *part)
{
	struct text whole = text_from(*rest, 2);
	size_t end = text_find(whole, '/');
	struct text authority = text_first(whole, end);
	size_t at = text_find_last(authority, '@');

	*rest = text_from(whole, end);
	url->host = at == authority.size ? authority : text_from(authority, at + 1);
	return url_host_is_fine(url->host, error, part);
}

/* NULL, or upstream's reason, which may have a place for `part`. */
static const char *url_read(struct text t, struct cel_url *url, struct text *part)
{
	const char *error = NULL;
	struct text rest = t;
	size_t question;

	*url = (struct cel_url){TEXT(""), TEXT(""), TEXT(""), TEXT("")};
	for (size_t i = 0; i < t.size; i++)
		if ((uint8_t)t.at[i] < 0x20 || t.at[i] == 0x7f)
			return "net/url: invalid control character in URL";
	if (t.size == 0)
		return "empty url";
	if (text_is_z(t, "*")) {
		url->path = t;
		return NULL;
	}
	if (!url_scheme(t, &url->scheme))
		return "missing protocol scheme";
	if (url->scheme.size > 0)
		rest = text_from(t, url->scheme.size + 1);
	question = text_find(rest, '?');
	if (question != rest.size)
		url->query = text_from(rest, question + 1);
	rest = text_first(rest, question);
	if (rest.size == 0 || rest.at[0] != '/')
		return url->scheme.size > 0 ? NULL : "invalid URI for request";
	if (url->scheme.size > 0 && text_starts(rest, TEXT("//")) &&
		!url_authority(&rest, url, &error, part))
		return error;
	url->path = rest;
	return url_is_escaped(rest, part) && url_is_escaped(url->host, part)
		? NULL
		: "invalid URL escape \"%\"";
}

bool cel_url_check(struct text t, struct cel_url *url, struct writer *why)
{
	struct text part = TEXT_NONE;
	const char *reason = url_read(t, url, &part);

	if (reason == NULL)
		return true;
	write_format(why, "parse \"%.*s\": ", TEXT_ARGS(t));
	cel_write_reason(why, reason, part);
	return false;
}

struct cel_value cel_new_url(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct text text = cel_text(&args[0]);
	size_t fragment = text_find(text, '#');
	char reason[URL_REASON];
	struct writer why;
	struct cel_url *url;

	(void)count;
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	url = cel_take(run, 1, sizeof(*url));
	if (url == NULL)
		return cel_stopped(run);
	writer_init(&why, reason, sizeof(reason));
	/* A fragment is no part of a request, but may stand behind one. */
	if (cel_url_check(text, url, &why) &&
		(fragment == text.size || cel_url_check(text_first(text, fragment), url, &why)))
		return (struct cel_value){.kind = CEL_URL, .url = url};
	return cel_fault_text(run, "URL parse error during conversion from string: %.*s",
		TEXT_ARGS(writer_text(&why)));
}

struct cel_value cel_is_url(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_url url;
	struct text part;

	(void)run;
	(void)count;
	return args[0].kind == CEL_STRING
		? cel_bool(url_read(cel_text(&args[0]), &url, &part) == NULL)
		: cel_fault(CEL_FAULT_NO_OVERLOAD);
}

/* ---- parts ---- */

/* With escapes taken out. */
static struct cel_value url_unescape(struct cel_run *run, struct text t, enum url_place place)
{
	char *to = cel_take(run, t.size + 1, 1);
	size_t size = 0;

	if (to == NULL)
		return cel_stopped(run);
	for (size_t i = 0; i < t.size; size++) {
		int byte = url_escape(text_from(t, i));

		to[size] = byte >= 0                           ? (char)byte
			: place == URL_QUERY && t.at[i] == '+' ? ' '
							       : t.at[i];
		i += byte >= 0 ? 3 : 1;
	}
	return cel_string((struct text){to, size});
}

struct cel_value cel_get_scheme(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	return args[0].kind == CEL_URL ? cel_lower(run,
						 &(struct cel_value){.kind = CEL_STRING,
							 .size = (uint32_t)args[0].url->scheme.size,
							 .text = args[0].url->scheme.at},
						 1)
				       : cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_get_host(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	return args[0].kind == CEL_URL ? url_unescape(run, args[0].url->host, URL_HOST)
				       : cel_fault(CEL_FAULT_NO_OVERLOAD);
}

/* The host without port and brackets, and the port without its colon. */
static void url_split(struct text host, struct text *name, struct text *port)
{
	size_t end = host.size > 0 && host.at[0] == '[' ? text_find_last(host, ']') : 0;
	size_t colon =
		end < host.size ? end + text_find_last(text_from(host, end), ':') : host.size;

	*name = text_first(host, colon);
	*port = colon < host.size ? text_from(host, colon + 1) : TEXT("");
	if (name->size > 1 && name->at[0] == '[' && name->at[name->size - 1] == ']')
		*name = (struct text){name->at + 1, name->size - 2};
}

struct cel_value cel_get_hostname(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct text name;
	struct text port;

	(void)count;
	if (args[0].kind != CEL_URL)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	url_split(args[0].url->host, &name, &port);
	return url_unescape(run, name, URL_HOST);
}

struct cel_value cel_get_port(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct text name;
	struct text port;

	(void)run;
	(void)count;
	if (args[0].kind != CEL_URL)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	url_split(args[0].url->host, &name, &port);
	return cel_string(port);
}

/* What may stand in a path as it is. */
static bool url_is_plain(char c, bool escaped)
{
	if (char_is_letter(c) || char_is_digit(c) ||
		(c != '\0' && strchr("-_.~$&+,/:;=@", c) != NULL))
		return true;
	return escaped && c != '\0' && strchr("!'()*[]%", c) != NULL;
}

struct cel_value cel_get_path(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct text path;
	bool as_is = true;
	struct cel_value plain;
	struct writer out;
	char *to;

	(void)count;
	if (args[0].kind != CEL_URL)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	path = args[0].url->path;
	for (size_t i = 0; i < path.size; i++)
		as_is = as_is && url_is_plain(path.at[i], true);
	if (as_is)
		return cel_string(path);
	plain = url_unescape(run, path, URL_PATH);
	to = cel_take(run, path.size * 3 + 1, 1);
	if (plain.kind == CEL_ERROR || to == NULL)
		return cel_stopped(run);
	writer_init(&out, to, path.size * 3 + 1);
	for (uint32_t i = 0; i < plain.size; i++)
		if (url_is_plain(plain.text[i], false))
			write_char(&out, plain.text[i]);
		else
			write_format(&out, "%%%02X", (unsigned)(uint8_t)plain.text[i]);
	return cel_string(writer_text(&out));
}

/* ---- query ---- */

/* The next pair that can be read: others are left out, as upstream does. */
static bool url_pair(struct text *rest, struct text *key, struct text *value)
{
	struct text part;
	struct text odd;

	while (text_cut(rest, '&', &part)) {
		size_t equals = text_find(part, '=');

		*key = text_first(part, equals);
		*value = equals == part.size ? TEXT("") : text_from(part, equals + 1);
		if (part.size > 0 && text_find(part, ';') == part.size &&
			url_is_escaped(part, &odd))
			return true;
	}
	return false;
}

/* All values of a key, in their order. */
static struct cel_value url_values(
	struct cel_run *run, struct text query, const struct cel_value *key, uint32_t pairs)
{
	struct cel_value *items = cel_take(run, pairs, sizeof(*items));
	struct text name;
	struct text value;
	uint32_t count = 0;

	if (items == NULL || !cel_work(run, pairs))
		return cel_stopped(run);
	while (url_pair(&query, &name, &value)) {
		struct cel_value other = url_unescape(run, name, URL_QUERY);

		if (other.kind == CEL_ERROR)
			return other;
		if (text_is(cel_text(&other), cel_text(key)))
			items[count++] = url_unescape(run, value, URL_QUERY);
		if (run->stopped != 0)
			return cel_stopped(run);
	}
	return cel_list_of(items, count);
}

struct cel_value cel_get_query(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct text rest;
	struct text key;
	struct text value;
	struct cel_map *map;
	struct cel_value result;
	uint32_t pairs = 0;

	(void)count;
	if (args[0].kind != CEL_URL)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	for (rest = args[0].url->query; url_pair(&rest, &key, &value);)
		pairs++;
	result = cel_map_init(run, pairs, &map);
	for (rest = args[0].url->query; result.kind == CEL_MAP && url_pair(&rest, &key, &value);) {
		struct cel_value name = url_unescape(run, key, URL_QUERY);
		struct cel_value values;

		if (name.kind == CEL_ERROR || cel_find(run, &result, &name, &values))
			continue;
		values = url_values(run, args[0].url->query, &name, pairs);
		if (values.kind != CEL_ERROR)
			values = cel_map_put(run, map, name, values);
		if (run->stopped != 0)
			return cel_stopped(run);
	}
	return result;
}
