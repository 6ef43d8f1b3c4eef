/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of YAML. */
#include "yaml/write.h"

#include "base/real.h"
#include "yaml/scalar.h"

void yaml_write_init(struct yaml_writer *y, struct writer *out)
{
	*y = (struct yaml_writer){.out = out};
}

static void begin_line(struct yaml_writer *y)
{
	uint32_t spaces = y->is_item ? y->depth - 1 : y->depth;
	for (uint32_t i = 0; i < spaces; i++)
		write_z(y->out, "  ");
	if (y->is_item)
		write_z(y->out, "- ");
	y->is_item = false;
}

/* Letters, digits and what never means anything in the middle of a word. */
static bool is_plain_scalar(struct text t)
{
	enum yaml_kind kind;
	for (size_t i = 0; i < t.size; i++) {
		char c = t.at[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		bool is_digit = c >= '0' && c <= '9';
		if (!is_letter && !is_digit && c != '_' && c != '/' &&
			(i == 0 || (c != '-' && c != '.')))
			return false;
	}
	return yaml_scalar_kind(t, NULL, true, &kind) && kind == YAML_TEXT;
}

static void write_scalar(struct writer *out, struct text t)
{
	if (is_plain_scalar(t))
		write_text(out, t);
	else
		yaml_write_quoted(t, out);
}

struct writer *yaml_write_key(struct yaml_writer *y, const char *key)
{
	begin_line(y);
	write_z(y->out, key);
	write_z(y->out, ": ");
	return y->out;
}

void yaml_write_down(struct yaml_writer *y, const char *key)
{
	begin_line(y);
	write_z(y->out, key);
	write_z(y->out, ":\n");
	y->depth++;
}

void yaml_write_up(struct yaml_writer *y)
{
	CHECK(y->depth > 0);
	y->depth--;
}

void yaml_write_item(struct yaml_writer *y)
{
	y->is_item = true;
	y->depth++;
}

void yaml_write_item_text(struct yaml_writer *y, struct text t)
{
	yaml_write_item(y);
	begin_line(y);
	write_scalar(y->out, t);
	write_char(y->out, '\n');
	yaml_write_up(y);
}

void yaml_write_text(struct yaml_writer *y, const char *key, struct text t)
{
	write_scalar(yaml_write_key(y, key), t);
	write_char(y->out, '\n');
}

void yaml_write_i64(struct yaml_writer *y, const char *key, int64_t value)
{
	write_i64(yaml_write_key(y, key), value);
	write_char(y->out, '\n');
}

void yaml_write_real(struct yaml_writer *y, const char *key, double value)
{
	char digits[40];
	struct writer w;
	writer_init(&w, digits, sizeof(digits));
	real_write_shortest(&w, value);
	CHECK(yaml_scalar_write(YAML_FLOAT, writer_text(&w), yaml_write_key(y, key)));
	write_char(y->out, '\n');
}

void yaml_write_bool(struct yaml_writer *y, const char *key, bool value)
{
	write_z(yaml_write_key(y, key), value ? "true\n" : "false\n");
}

void yaml_write_none(struct yaml_writer *y, const char *key, const char *what)
{
	write_z(yaml_write_key(y, key), what);
	write_char(y->out, '\n');
}
