/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flags as /flagz shows them: what was given, else what is had without.
 */
#include "base/real.h"
#include "config/options_private.h"
#include "kube/time.h"

uint32_t options_next_flag(uint32_t before)
{
	uint32_t next = OPTIONS_NO_FLAG;
	for (uint32_t i = 0; i < option_count; i++) {
		const struct option *o = &option_table[i];
		bool is_behind =
			before == OPTIONS_NO_FLAG || strcmp(o->name, option_table[before].name) > 0;
		if (is_behind && o->type != OPTION_REFUSED &&
			(next == OPTIONS_NO_FLAG || strcmp(o->name, option_table[next].name) < 0))
			next = i;
	}
	return next;
}

const char *options_flag_name(uint32_t flag)
{
	return option_table[flag].name;
}

const char *options_flag_value(struct text name)
{
	for (uint32_t i = 0; i < option_count; i++)
		if (text_is_z(name, option_table[i].name))
			return option_table[i].value;
	return NULL;
}

static void show_words(const struct options_words *words, struct writer *to)
{
	write_char(to, '[');
	for (uint32_t i = 0; i < words->count; i++) {
		write_z(to, i == 0 ? "" : ",");
		write_text(to, words->list[i]);
	}
	write_char(to, ']');
}

static void show_choice(const struct option *o, uint32_t choice, struct writer *to)
{
	struct text rest = text_of(o->value);
	struct text one;
	for (uint32_t i = 0; text_cut(&rest, '|', &one); i++)
		if (i == choice)
			write_text(to, one);
}

/* Flags of leader election are in the configuration by now. */
static const void *option_place_of(const struct options *options, const struct option *o)
{
	size_t first = offsetof(struct options, given.election);
	size_t behind = first + sizeof(options->given.election);
	size_t at = o->at;
	if (at >= first && at < behind)
		at = at - first + offsetof(struct options, config.leader_election);
	return (const char *)options + at;
}

static void show_value(const struct options *options, const struct option *o, struct writer *to)
{
	const void *at = option_place_of(options, o);
	const char *path;
	switch ((enum option_type)o->type) {
	case OPTION_BOOL: write_z(to, *(const bool *)at ? "true" : "false"); break;
	case OPTION_PATH:
	case OPTION_ADDRESS:
		path = *(const char *const *)at;
		write_z(to, path == NULL ? "" : path);
		break;
	case OPTION_TEXT: write_text(to, *(const struct text *)at); break;
	case OPTION_WORDS: show_words(at, to); break;
	case OPTION_PORT:
	case OPTION_I32: write_i64(to, *(const int32_t *)at); break;
	case OPTION_COUNT: write_u64(to, *(const uint32_t *)at); break;
	case OPTION_REAL: real_write_shortest(to, *(const double *)at); break;
	case OPTION_DURATION: kube_duration_print(*(const int64_t *)at, to); break;
	case OPTION_BYTES: write_u64(to, *(const uint64_t *)at); break;
	case OPTION_CHOICE: show_choice(o, *(const uint32_t *)at, to); break;
	case OPTION_FORM: write_z(to, *(const bool *)at ? "json" : "text"); break;
	case OPTION_NOTHING_BOOL:
	case OPTION_HELP: write_z(to, "false"); break;
	case OPTION_VERSION: write_z(to, "false"); break;
	case OPTION_RULES:
	case OPTION_FEATURES:
	case OPTION_RELEASE:
	case OPTION_NOTHING:
	case OPTION_REFUSED: break;
	}
}

void options_show_flag(const struct options *options, uint32_t flag, struct writer *to)
{
	if (options->given.values[flag] != NULL)
		write_z(to, options->given.values[flag]);
	else
		show_value(options, &option_table[flag], to);
}
