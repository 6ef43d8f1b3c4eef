/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flags, read by the table.
 *
 * What kube-scheduler's flags are: --flag=value, --flag value, -v=2, -v 2, -v2; a yes or no takes
 * its value only behind '='; '_' is '-'; of a flag that is there twice the last one counts; words
 * that are no flags are refused. What we do: go on behind a fault, so that all of them are told.
 */
#include <arpa/inet.h>

#include "base/nearest.h"
#include "base/real.h"
#include "config/options_private.h"
#include "kube/quantity.h"
#include "kube/time.h"

struct flags_reading {
	struct options *to;
	const struct options_question *question;
	int at;
	const struct option *option; /* what is being read */
	const char *value;
};

/* ---- faults: the flag is where a file's path of fields would be ---- */

static struct writer *refuse_begin(struct flags_reading *r)
{
	char name[NEAREST_NAME_MAX + 8];
	struct writer w;
	writer_init(&w, name, sizeof(name));
	write_format(&w, "--%s", r->option->name);
	return config_fault_begin(
		r->question->faults, (struct config_place){0, 0}, writer_text(&w));
}

static bool refuse_value(struct flags_reading *r, const char *right)
{
	struct writer *out = refuse_begin(r);
	write_z(out, "Invalid value: ");
	config_write_quoted(out, text_of(r->value));
	write_format(out, ": must be %s", right);
	config_fault_end(r->question->faults);
	return false;
}

static bool refuse_this_flag(struct flags_reading *r)
{
	struct writer *out = refuse_begin(r);
	write_z(out, "Invalid value: ");
	config_write_quoted(out, text_of(r->value));
	write_format(out, ": not supported: %s", r->option->help);
	config_fault_end(r->question->faults);
	return false;
}

static void refuse_word(struct flags_reading *r, const char *word)
{
	struct writer *out =
		config_fault_begin(r->question->faults, (struct config_place){0, 0}, TEXT_NONE);
	write_z(out, "unexpected argument ");
	config_write_quoted(out, text_of(word));
	write_z(out, ": flags begin with --");
	const struct option *before = r->option;
	bool is_truth = before != NULL && before->type == OPTION_BOOL &&
		(strcmp(word, "true") == 0 || strcmp(word, "false") == 0);
	if (is_truth)
		write_format(out, " (did you mean --%s=%s?)", before->name, word);
	config_fault_end(r->question->faults);
}

static void refuse_name(struct flags_reading *r, const char *dashes, struct text name)
{
	struct nearest nearest;
	nearest_init(&nearest, name);
	for (uint32_t i = 0; i < option_count; i++)
		nearest_try(&nearest, option_table[i].name);
	struct writer *out =
		config_fault_begin(r->question->faults, (struct config_place){0, 0}, TEXT_NONE);
	write_z(out, "unknown flag ");
	write_z(out, dashes);
	write_format(out, "%.*s", CONFIG_SHOWN(name));
	if (nearest.best != NULL)
		write_format(out, " (did you mean --%s?)", nearest.best);
	config_fault_end(r->question->faults);
}

/* ---- values ---- */

static bool set_bool(struct flags_reading *r, bool *to)
{
	return text_to_bool(text_of(r->value), to) || refuse_value(r, "true or false");
}

static bool set_i32(struct flags_reading *r, int64_t least, int64_t most, const char *right)
{
	int64_t number;
	if (!text_to_i64(text_of(r->value), &number) || number < least || number > most)
		return refuse_value(r, right);
	int32_t stored = (int32_t)number;
	memcpy((char *)r->to + r->option->at, &stored, sizeof(stored));
	return true;
}

static bool set_real(struct flags_reading *r, double *to)
{
	if (!real_parse(text_of(r->value), to) || *to > 1e9 || *to < -1e9)
		return refuse_value(r, "a number");
	return true;
}

static bool set_address(struct flags_reading *r, const char **to)
{
	uint8_t address[16];
	if (inet_pton(AF_INET, r->value, address) != 1 &&
		inet_pton(AF_INET6, r->value, address) != 1)
		return refuse_value(r, "an IP address");
	*to = r->value;
	return true;
}

static bool set_choice(struct flags_reading *r, uint32_t *to)
{
	struct text rest = text_of(r->option->value);
	struct text choice;
	for (uint32_t i = 0; text_cut(&rest, '|', &choice); i++) {
		if (!text_is_z(choice, r->value))
			continue;
		*to = i;
		return true;
	}
	char right[96];
	struct writer w;
	writer_init(&w, right, sizeof(right) - 1);
	write_format(&w, "one of %s", r->option->value);
	right[w.used] = '\0';
	return refuse_value(r, right);
}

/* Older and newer TLS than we speak: what we speak is what comes closest. */
static bool set_tls(struct flags_reading *r, uint32_t *to)
{
	bool is_old =
		strcmp(r->value, "VersionTLS10") == 0 || strcmp(r->value, "VersionTLS11") == 0;
	if (!is_old)
		return set_choice(r, to);
	*to = OPTIONS_TLS_1_2;
	return true;
}

static bool set_words(struct flags_reading *r, struct options_words *to)
{
	struct text rest = text_of(r->value);
	struct text word;
	if (!options_given(r->to, r->option->at))
		to->count = 0;
	/* Files and names of a certificate belong together. */
	char between = to == &r->to->tls_named ? ';' : ',';
	while (text_cut(&rest, between, &word)) {
		if (word.size == 0)
			continue;
		if (to->count == OPTIONS_WORDS_MAX)
			return refuse_value(r, "fewer: at most 32 are possible");
		to->list[to->count++] = word;
	}
	return true;
}

static bool set_count(struct flags_reading *r)
{
	return set_i32(r, 1, INT32_MAX, "a number from 1 to 2147483647");
}

static bool read_bytes(struct text t, uint64_t *bytes)
{
	struct quantity q;
	if (quantity_parse(t, &q) != QUANTITY_OK || quantity_value(&q) <= 0)
		return false;
	*bytes = (uint64_t)quantity_value(&q);
	return true;
}

/* In upstream's words, which hold the value. */
static bool refuse_in_words(struct flags_reading *r, struct text words)
{
	write_text(refuse_begin(r), words);
	config_fault_end(r->question->faults);
	return false;
}

static bool set_features(struct flags_reading *r, struct feature_choices *to)
{
	char words[OPTIONS_WORDS_SIZE];
	struct writer w;
	writer_init(&w, words, sizeof(words));
	return feature_choices_read(to, text_of(r->value), &w) ||
		refuse_in_words(r, writer_text(&w));
}

static bool set_release(struct flags_reading *r, uint32_t *to)
{
	char words[OPTIONS_WORDS_SIZE];
	enum kube_release release = (enum kube_release) * to;
	struct writer w;
	writer_init(&w, words, sizeof(words));
	if (!kube_release_read(text_of(r->value), &release, &w))
		return refuse_in_words(r, writer_text(&w));
	*to = release;
	return true;
}

/* "metric,label=a,b"; several as CSV, each in quotation marks. */
static bool set_rules(struct flags_reading *r)
{
	struct text rest = text_of(r->value);
	bool is_one = strchr(r->value, '=') == strrchr(r->value, '=');
	do {
		struct text rule = rest;
		const char *fault = "of the form METRIC,LABEL=VALUE,VALUE";
		if (!is_one && rest.size > 0 && rest.at[0] == '"') {
			rest = text_from(rest, 1);
			rule = text_first(rest, text_find(rest, '"'));
			rest = text_from(rest, rule.size < rest.size ? rule.size + 1 : rule.size);
			if (rest.size > 0)
				rest = text_from(rest, rest.at[0] == ',' ? 1 : 0);
		} else {
			rest = TEXT("");
		}
		size_t sign = text_find(rule, '=');
		if (sign == rule.size ||
			!options_metric_rule(&r->to->metrics, text_first(rule, sign),
				text_from(rule, sign + 1), &fault))
			return refuse_value(r, fault);
	} while (rest.size > 0);
	return true;
}

static bool set(struct flags_reading *r)
{
	void *to = (char *)r->to + r->option->at;
	struct text value = text_of(r->value);
	switch ((enum option_type)r->option->type) {
	case OPTION_BOOL: return set_bool(r, to);
	case OPTION_PATH: *(const char **)to = r->value[0] == '\0' ? NULL : r->value; return true;
	case OPTION_ADDRESS: return set_address(r, to);
	case OPTION_TEXT: *(struct text *)to = value; return true;
	case OPTION_WORDS: return set_words(r, to);
	case OPTION_PORT: return set_i32(r, 0, 65535, "a number from 0 to 65535; 0 turns it off");
	case OPTION_I32: return set_i32(r, INT32_MIN, INT32_MAX, "an integer of 32 bits");
	case OPTION_COUNT: return set_count(r);
	case OPTION_REAL: return set_real(r, to);
	case OPTION_DURATION:
		return kube_duration_parse(value, to) ||
			refuse_value(r, "a duration like \"15s\" or \"1m30s\"");
	case OPTION_BYTES: return read_bytes(value, to) || refuse_value(r, "a size like \"256Mi\"");
	case OPTION_CHOICE:
		return r->option->at == offsetof(struct options, tls_min) ? set_tls(r, to)
									  : set_choice(r, to);
	case OPTION_FORM:
		*(bool *)to = strcmp(r->value, "json") == 0;
		return *(bool *)to || strcmp(r->value, "text") == 0 ||
			refuse_value(r, "text or json");
	case OPTION_FEATURES: return set_features(r, to);
	case OPTION_RELEASE: return set_release(r, to);
	case OPTION_RULES: return set_rules(r);
	case OPTION_REFUSED: return refuse_this_flag(r);
	case OPTION_NOTHING:
	case OPTION_NOTHING_BOOL:
	case OPTION_HELP:
	case OPTION_VERSION: break;
	}
	return true;
}

/* ---- names ---- */

static bool is_name(struct text written, const char *name)
{
	size_t size = strlen(name);
	if (written.size != size)
		return false;
	for (size_t i = 0; i < size; i++)
		if (written.at[i] != name[i] && !(written.at[i] == '_' && name[i] == '-'))
			return false;
	return true;
}

static const struct option *find_flag(struct text name, bool is_letter)
{
	for (uint32_t i = 0; i < option_count; i++)
		if (is_letter ? option_table[i].letter == name.at[0]
			      : is_name(name, option_table[i].name))
			return &option_table[i];
	return NULL;
}

static bool needs_value(const struct option *o)
{
	return o->type != OPTION_BOOL && o->type != OPTION_NOTHING_BOOL && o->type != OPTION_HELP &&
		o->type != OPTION_VERSION;
}

static void mark_given(struct options *o, const struct option *option)
{
	size_t index = (size_t)(option - option_table);
	o->given.flags[index / 32] |= UINT32_C(1) << (index % 32);
}

bool options_given(const struct options *o, size_t at)
{
	CHECK(at != 0);
	for (uint32_t i = 0; i < option_count; i++)
		if (option_table[i].at == at && (o->given.flags[i / 32] >> (i % 32) & 1) != 0)
			return true;
	return false;
}

/* ---- reading ---- */

static bool read_value(struct flags_reading *r, const char *behind)
{
	r->value = behind;
	if (behind == NULL && needs_value(r->option)) {
		if (r->at + 1 >= r->question->argc) {
			write_format(refuse_begin(r), "Required value: %s", r->option->value);
			config_fault_end(r->question->faults);
			return false;
		}
		r->value = r->question->argv[++r->at];
	}
	if (r->value == NULL)
		r->value = "true";
	if (!set(r))
		return false;
	mark_given(r->to, r->option);
	if (r->option->type != OPTION_WORDS)
		r->to->given.values[r->option - option_table] = r->value;
	return true;
}

/* "--name", "--name=value"; "-v", "-v=value", "-vvalue". */
static enum options_result read_flag(struct flags_reading *r, const char *dashes, const char *rest)
{
	bool is_letter = dashes[1] == '\0';
	size_t end = is_letter ? 1 : strcspn(rest, "=");
	struct text name = {rest, end};
	const char *behind = rest + end;
	if (behind[0] == '=')
		behind++;
	else if (behind[0] == '\0')
		behind = NULL;
	r->option = find_flag(name, is_letter);
	if (r->option == NULL) {
		refuse_name(r, dashes, name);
		return OPTIONS_WRONG;
	}
	if (!read_value(r, behind))
		return OPTIONS_WRONG;
	if (r->option->type == OPTION_HELP)
		return OPTIONS_HELP;
	return r->option->type == OPTION_VERSION ? OPTIONS_VERSION : OPTIONS_READY;
}

enum options_result options_flags_read(
	struct options *options, const struct options_question *question)
{
	struct flags_reading r = {.to = options, .question = question};
	enum options_result result = OPTIONS_READY;
	for (r.at = 1; r.at < question->argc; r.at++) {
		const char *word = question->argv[r.at];
		bool is_flag = word[0] == '-' && word[1] != '\0' && strcmp(word, "--") != 0;
		enum options_result read = OPTIONS_WRONG;
		if (!is_flag)
			refuse_word(&r, word);
		else if (word[1] == '-')
			read = read_flag(&r, "--", word + 2);
		else
			read = read_flag(&r, "-", word + 1);
		if (read == OPTIONS_HELP || read == OPTIONS_VERSION)
			return read;
		if (read == OPTIONS_WRONG)
			result = OPTIONS_WRONG;
	}
	return result;
}
