/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flags. A word that is no flag of the table is answered with the name it resembles most.
 */
#include "command/flags.h"

#include "base/nearest.h"
#include "kube/quantity.h"

enum { HELP_COLUMN = 26 };

struct reading {
	const struct flag *flags;
	uint32_t count;
	char *to;
	char **argv;
	int argc;
	int at;
	int words;
	struct writer *fault;
};

/* ---- names ---- */

static enum flags_result flags_refuse_name(struct reading *r, const char *dashes, struct text name)
{
	struct nearest nearest;
	nearest_init(&nearest, name);
	for (uint32_t i = 0; i < r->count; i++)
		nearest_try(&nearest, r->flags[i].name);
	write_format(r->fault, "unknown flag '%s%.*s'", dashes, TEXT_ARGS(name));
	if (nearest.best != NULL)
		write_format(r->fault, " (did you mean '--%s'?)", nearest.best);
	return FLAGS_WRONG;
}

static const struct flag *flags_find_flag(
	const struct reading *r, const char *dashes, struct text name)
{
	bool is_letter = dashes[1] == '\0';
	for (uint32_t i = 0; i < r->count; i++)
		if (is_letter ? r->flags[i].letter == name.at[0]
			      : text_is_z(name, r->flags[i].name))
			return &r->flags[i];
	return NULL;
}

/* ---- values ---- */

static void *place_of_flag(const struct reading *r, const struct flag *flag)
{
	return r->to + flag->at;
}

static enum flags_result flags_refuse_value(
	struct reading *r, const struct flag *flag, const char *value, const char *right)
{
	write_format(r->fault, "--%s: '%s' is not %s", flag->name, value, right);
	return FLAGS_WRONG;
}

static enum flags_result flags_set_bool(
	struct reading *r, const struct flag *flag, const char *value)
{
	bool is_true = value == NULL || strcmp(value, "true") == 0;
	if (!is_true && strcmp(value, "false") != 0)
		return flags_refuse_value(r, flag, value, "true or false");
	*(bool *)place_of_flag(r, flag) = is_true;
	return FLAGS_READ;
}

static enum flags_result set_bytes(struct reading *r, const struct flag *flag, const char *value)
{
	struct quantity q;
	if (quantity_parse(text_of(value), &q) != QUANTITY_OK || quantity_value(&q) <= 0)
		return flags_refuse_value(r, flag, value, "a size like 256Mi");
	*(uint64_t *)place_of_flag(r, flag) = (uint64_t)quantity_value(&q);
	return FLAGS_READ;
}

static enum flags_result flags_set_choice(
	struct reading *r, const struct flag *flag, const char *value)
{
	struct text rest = text_of(flag->value);
	struct text choice;
	for (uint32_t i = 0; text_cut(&rest, '|', &choice); i++) {
		if (text_is_z(choice, value)) {
			*(uint32_t *)place_of_flag(r, flag) = i;
			return FLAGS_READ;
		}
	}
	return flags_refuse_value(r, flag, value, flag->value);
}

bool flag_list_add(struct flag_list *list, const char *value)
{
	if (list->count == list->room)
		return false;
	list->at[list->count++] = value;
	return true;
}

static enum flags_result flags_set_value(
	struct reading *r, const struct flag *flag, const char *value)
{
	switch ((enum flag_type)flag->type) {
	case FLAG_BOOL: return flags_set_bool(r, flag, value);
	case FLAG_BYTES: return set_bytes(r, flag, value);
	case FLAG_CHOICE: return flags_set_choice(r, flag, value);
	case FLAG_TEXT: *(const char **)place_of_flag(r, flag) = value; return FLAGS_READ;
	case FLAG_LIST: break;
	}
	if (flag_list_add(place_of_flag(r, flag), value))
		return FLAGS_READ;
	write_format(r->fault, "--%s is given too often", flag->name);
	return FLAGS_WRONG;
}

/* ---- reading ---- */

/* "--name", "--name=value"; "-n", "-n=value", "-nvalue". */
static enum flags_result flags_read_flag(struct reading *r, const char *dashes, struct text rest)
{
	bool is_letter = dashes[1] == '\0';
	size_t end = is_letter ? 1 : text_find(rest, '=');
	struct text name = text_first(rest, end);
	const char *value = end < rest.size ? rest.at + end + (rest.at[end] == '=') : NULL;
	if (text_is(name, is_letter ? TEXT("h") : TEXT("help")))
		return FLAGS_HELP;
	const struct flag *flag = flags_find_flag(r, dashes, name);
	if (flag == NULL)
		return flags_refuse_name(r, dashes, name);
	if (value == NULL && flag->type != FLAG_BOOL) {
		if (r->at + 1 >= r->argc) {
			write_format(r->fault, "--%s needs a value: %s", flag->name, flag->value);
			return FLAGS_WRONG;
		}
		value = r->argv[++r->at];
	}
	return flags_set_value(r, flag, value);
}

enum flags_result flags_read(const struct flag *flags, uint32_t count, void *to, int argc,
	char **argv, int *words, struct writer *fault)
{
	struct reading r = {.flags = flags,
		.count = count,
		.to = to,
		.argv = argv,
		.argc = argc,
		.fault = fault};
	bool only_words = false;
	enum flags_result result = FLAGS_READ;
	for (r.at = 1; r.at < argc && result == FLAGS_READ; r.at++) {
		char *arg = argv[r.at];
		if (only_words || arg[0] != '-' || arg[1] == '\0') /* "-" is a file's name */
			argv[1 + r.words++] = arg;
		else if (strcmp(arg, "--") == 0)
			only_words = true;
		else if (arg[1] == '-')
			result = flags_read_flag(&r, "--", text_of(arg + 2));
		else
			result = flags_read_flag(&r, "-", text_of(arg + 1));
	}
	*words = r.words;
	return result;
}

static void write_default(const struct flag *f, const char *at, struct writer *out)
{
	struct text rest = text_of(f->value), choice = TEXT_NONE;
	if (f->type == FLAG_CHOICE)
		for (uint32_t i = *(const uint32_t *)(const void *)at + 1; i > 0; i--)
			(void)text_cut(&rest, '|', &choice);
	if (f->type == FLAG_TEXT)
		choice = text_of(*(const char *const *)(const void *)at);
	if (f->type == FLAG_BYTES)
		write_format(out, " (default %lluMi)",
			(unsigned long long)*(const uint64_t *)(const void *)at >> 20);
	if (choice.size > 0)
		write_format(out, " (default %.*s)", TEXT_ARGS(choice));
}

void flags_help(const struct flag *flags, uint32_t count, const void *defaults, struct writer *out)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct flag *f = &flags[i];
		size_t start = out->used;
		if (f->letter != '\0')
			write_format(out, "  -%c, --%s", f->letter, f->name);
		else
			write_format(out, "  --%s", f->name);
		if (f->type != FLAG_BOOL)
			write_format(out, " %s", f->value);
		size_t width = out->used - start;
		if (width > HELP_COLUMN) {
			write_char(out, '\n');
			width = 0;
		}
		write_format(out, "%*s  %s", (int)(HELP_COLUMN - width), "", f->help);
		write_default(f, (const char *)defaults + f->at, out);
		write_char(out, '\n');
	}
}
