/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing JSON. Wrong nesting is a bug of the caller and ends in a CHECK; too little room is
 * kept by the text writer below and asked for once, at the end.
 */
#include "json/json.h"

#include "json/utf8.h"

void json_write_init(struct json_writer *j, struct writer *out)
{
	CHECK(out != NULL);
	*j = (struct json_writer){.out = out};
}

void json_reopen_object(struct json_writer *j, struct writer *out)
{
	CHECK(out->used > 0);
	out->used--;
	*j = (struct json_writer){.out = out, .depth = 1, .has_members = 1, .is_object = 1};
}

static uint64_t innermost(const struct json_writer *j)
{
	CHECK(j->depth > 0);
	return UINT64_C(1) << (j->depth - 1);
}

static void separate(struct json_writer *j)
{
	if ((j->has_members & innermost(j)) != 0)
		write_char(j->out, ',');
	j->has_members |= innermost(j);
}

/* A value comes, behind its key or as an element. */
static void begin_value(struct json_writer *j)
{
	if (j->after_key) {
		j->after_key = false;
	} else if (j->depth > 0) {
		CHECK((j->is_object & innermost(j)) == 0);
		separate(j);
	}
}

static void open_container(struct json_writer *j, bool object)
{
	CHECK(j->depth < JSON_DEPTH_MAX);
	begin_value(j);
	write_char(j->out, object ? '{' : '[');
	j->depth++;
	j->has_members &= ~innermost(j);
	j->is_object &= ~innermost(j);
	j->is_object |= object ? innermost(j) : 0;
}

static void close_container(struct json_writer *j, bool object)
{
	CHECK(!j->after_key);
	CHECK(((j->is_object & innermost(j)) != 0) == object);
	j->depth--;
	write_char(j->out, object ? '}' : ']');
}

void json_open_object(struct json_writer *j)
{
	open_container(j, true);
}

void json_close_object(struct json_writer *j)
{
	close_container(j, true);
}

void json_open_array(struct json_writer *j)
{
	open_container(j, false);
}

void json_close_array(struct json_writer *j)
{
	close_container(j, false);
}

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* One character that is not plain; returns how many bytes of the text it was. */
static size_t write_special(struct writer *out, const char *at, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	static const char letters[] = "btn?fr"; /* from \b on; \v has none */
	uint8_t c = (uint8_t)at[0];
	size_t bytes;

	if (c >= 0x80) {
		bytes = utf8_size(at, size);
		if (bytes == 0)
			write_z(out, "\xef\xbf\xbd");
		else
			write_bytes(out, at, bytes);
		return bytes == 0 ? 1 : bytes;
	}
	if (c == 0x7f) {
		write_char(out, (char)c);
		return 1;
	}
	write_char(out, '\\');
	if (c >= 0x20) {
		write_char(out, (char)c);
	} else if (c >= '\b' && c <= '\r' && c != '\v') {
		write_char(out, letters[c - '\b']);
	} else {
		write_z(out, "u00");
		write_char(out, digits[c >> 4]);
		write_char(out, digits[c & 15]);
	}
	return 1;
}

static void write_string(struct writer *out, struct text t)
{
	size_t at = 0;

	write_char(out, '"');
	while (at < t.size) {
		size_t from = at;

		while (at < t.size && is_plain(t.at[at]))
			at++;
		write_bytes(out, t.at + from, at - from);
		if (at < t.size)
			at += write_special(out, t.at + at, t.size - at);
	}
	write_char(out, '"');
}

void json_key_text(struct json_writer *j, struct text key)
{
	CHECK(!j->after_key);
	CHECK((j->is_object & innermost(j)) != 0);
	separate(j);
	write_string(j->out, key);
	write_char(j->out, ':');
	j->after_key = true;
}

void json_key(struct json_writer *j, const char *key)
{
	json_key_text(j, text_of(key));
}

void json_put_text(struct json_writer *j, struct text value)
{
	begin_value(j);
	write_string(j->out, value);
}

void json_put_z(struct json_writer *j, const char *value)
{
	json_put_text(j, text_of(value));
}

void json_put_i64(struct json_writer *j, int64_t value)
{
	begin_value(j);
	write_i64(j->out, value);
}

void json_put_bool(struct json_writer *j, bool value)
{
	begin_value(j);
	write_z(j->out, value ? "true" : "false");
}

void json_put_null(struct json_writer *j)
{
	begin_value(j);
	write_z(j->out, "null");
}

void json_put_raw(struct json_writer *j, struct text json)
{
	CHECK(json.size > 0);
	begin_value(j);
	write_text(j->out, json);
}

void json_member_text(struct json_writer *j, const char *key, struct text value)
{
	json_key(j, key);
	json_put_text(j, value);
}

void json_member_z(struct json_writer *j, const char *key, const char *value)
{
	json_key(j, key);
	json_put_z(j, value);
}

void json_member_i64(struct json_writer *j, const char *key, int64_t value)
{
	json_key(j, key);
	json_put_i64(j, value);
}

void json_member_bool(struct json_writer *j, const char *key, bool value)
{
	json_key(j, key);
	json_put_bool(j, value);
}

void json_member_object(struct json_writer *j, const char *key)
{
	json_key(j, key);
	json_open_object(j);
}

void json_member_array(struct json_writer *j, const char *key)
{
	json_key(j, key);
	json_open_array(j);
}
