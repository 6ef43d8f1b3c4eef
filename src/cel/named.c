/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Named formats: what Kubernetes asks of names, labels and some other texts. What one is can be
 * said by a pattern most often, and upstream's errors show it; so the pattern decides here, too.
 */
#include "cel/named.h"
#include "cel/function.h"
#include "cel/regex.h"
#include "kube/name_rule.h"
#include "kube/time.h"

enum {
	NAMED_TEXT = 1024,
	NAMED_FAULTS = 4,
	NAMED_PATTERN = 160,
	NAMED_DATE_SIZE = 10,
	NAMED_PREFIXES = KUBE_QUALIFIED_NAME /* the first formats are those of prefixes, too */
};

enum { NAMED_URI = KUBE_NAME_RULES, NAMED_UUID, NAMED_BYTE, NAMED_DATE, NAMED_DATETIME };

struct cel_format {
	const char *name;
	const char *pattern; /* of all of the text; those of names stand in kube/name_rule.c */
	const char *fault;   /* the error when it does not match */
	uint16_t cost;       /* the size of the pattern, as upstream counts it */
	uint8_t size_max;    /* 0: any */
};

static const struct cel_format named_formats[] = {
	[KUBE_DNS_LABEL] = {"dns1123Label", NULL, NULL, 30, KUBE_NAME_MAX},
	[KUBE_DNS_SUBDOMAIN] = {"dns1123Subdomain", NULL, NULL, 60, KUBE_SUBDOMAIN_MAX},
	[KUBE_DNS_LABEL_1035] = {"dns1035Label", NULL, NULL, 30, KUBE_NAME_MAX},
	[KUBE_QUALIFIED_NAME] = {"qualifiedName", NULL, NULL, 60, KUBE_NAME_MAX},
	[KUBE_LABEL_VALUE] = {"labelValue", NULL, NULL, 40, KUBE_NAME_MAX},
	[NAMED_URI] = {"uri", "", "", 1103, 0},
	[NAMED_UUID] = {"uuid", "(?i)[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}",
		"does not match the UUID format", 70, 0},
	[NAMED_BYTE] = {"byte",
		"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})",
		"invalid base64", 84, 0},
	[NAMED_DATE] = {"date", "[0-9]{4}-[0-9]{2}-[0-9]{2}", "invalid date", 71, 0},
	[NAMED_DATETIME] = {"datetime",
		"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})",
		"invalid datetime", 71, 0}};

/* `size` of the value says that something is going to be appended to the texts. */
bool cel_format_find(struct text name, struct cel_value *format)
{
	struct text suffix = TEXT("Prefix");
	bool prefix = text_ends(name, suffix);

	if (prefix)
		name.size -= suffix.size;
	for (size_t i = 0; i < (prefix ? NAMED_PREFIXES : ARRAY_COUNT(named_formats)); i++)
		if (text_is_z(name, named_formats[i].name)) {
			*format = (struct cel_value){
				.kind = CEL_FORMAT, .size = prefix, .format = &named_formats[i]};
			return true;
		}
	return false;
}

uint32_t cel_format_cost(const struct cel_value *format)
{
	return format->format->cost;
}

/* ---- faults ---- */

struct named_faults {
	struct cel_run *run;
	struct cel_value items[NAMED_FAULTS];
	uint32_t count;
	struct writer out; /* of the next one */
	char text[NAMED_TEXT];
};

static void named_add(struct named_faults *faults)
{
	CHECK(faults->count < NAMED_FAULTS);
	faults->items[faults->count++] = cel_new_string(faults->run,
		faults->out.overflowed ? TEXT("(a text too long)") : writer_text(&faults->out));
	writer_init(&faults->out, faults->text, sizeof(faults->text));
}

static void named_say(struct named_faults *faults, const char *text)
{
	write_z(&faults->out, text);
	named_add(faults);
}

static bool named_matches(struct named_faults *faults, uint32_t rule, struct text t)
{
	struct cel_run *run = faults->run;
	struct scratch_mark mark = scratch_mark(run->scratch);
	const struct cel_regex *regex;
	struct cel_regex_error error;
	char pattern[NAMED_PATTERN];
	struct writer out;
	bool matches;

	writer_init(&out, pattern, sizeof(pattern));
	write_format(&out, "^(%s)$",
		rule < KUBE_NAME_RULES ? kube_name_pattern((enum kube_name_rule)rule)
				       : named_formats[rule].pattern);
	regex = cel_regex_compile(writer_text(&out), run->scratch, &error);
	if (regex == NULL)
		run->stopped = CEL_FAULT_MEMORY;
	matches = regex != NULL && cel_regex_search(run, regex, t, 0, NULL);
	scratch_rewind(run->scratch, mark);
	return matches;
}

/* Size and pattern; `part` stands in front of the error. */
static void named_check(struct named_faults *faults, uint32_t rule, struct text t, const char *part)
{
	uint32_t most = named_formats[rule].size_max;

	if (most > 0 && t.size > most) {
		write_format(&faults->out, "%smust be no more than %u bytes", part, (unsigned)most);
		named_add(faults);
	}
	if (named_matches(faults, rule, t))
		return;
	write_z(&faults->out, part);
	if (rule == KUBE_DNS_LABEL && named_matches(faults, KUBE_DNS_SUBDOMAIN, t))
		write_z(&faults->out, "must not contain dots");
	else if (rule < KUBE_NAME_RULES)
		kube_name_write_rule((enum kube_name_rule)rule, &faults->out);
	else
		write_z(&faults->out, named_formats[rule].fault);
	named_add(faults);
}

/* [prefix/]name */
static void named_check_qualified(struct named_faults *faults, struct text t)
{
	size_t slash = text_find(t, '/');
	struct text name = slash == t.size ? t : text_from(t, slash + 1);

	if (text_find(name, '/') != name.size) {
		write_z(&faults->out, "a valid label key ");
		kube_name_write_rule(KUBE_QUALIFIED_NAME, &faults->out);
		named_say(faults,
			" with an optional DNS subdomain prefix and '/' (e.g. "
			"'example.com/MyName')");
		return;
	}
	if (slash == 0 && t.size > 0)
		named_say(faults, "prefix part must be non-empty");
	else if (slash != t.size)
		named_check(faults, KUBE_DNS_SUBDOMAIN, text_first(t, slash), "prefix part ");
	if (name.size == 0)
		named_say(faults, "name part must be non-empty");
	named_check(faults, KUBE_QUALIFIED_NAME, name, "name part ");
}

/* The day must be one of the calendar. */
static bool named_is_date(struct named_faults *faults, struct text t)
{
	char text[NAMED_DATE_SIZE + 10];
	struct writer out;
	struct wall wall;

	writer_init(&out, text, sizeof(text));
	write_format(&out, "%.*sT00:00:00Z", TEXT_ARGS(t));
	return named_matches(faults, NAMED_DATE, t) && kube_time_parse(writer_text(&out), &wall);
}

/* Upstream looks at what stands between the first t and the second. */
static bool named_is_datetime(struct named_faults *faults, const struct cel_value *value)
{
	struct cel_value low = cel_lower(faults->run, value, 1);
	struct text rest = cel_text(&low);
	struct text date;
	struct text time;

	return low.kind == CEL_STRING && text_cut(&rest, 't', &date) &&
		text_cut(&rest, 't', &time) && named_is_date(faults, date) &&
		named_matches(faults, NAMED_DATETIME, time);
}

static void named_check_all(
	struct named_faults *faults, uint32_t rule, const struct cel_value *value)
{
	struct text t = cel_text(value);
	struct cel_url url;
	bool fine;

	switch (rule) {
	case KUBE_QUALIFIED_NAME: named_check_qualified(faults, t); return;
	case NAMED_URI: fine = cel_url_check(t, &url, &faults->out); break;
	case NAMED_DATE: fine = named_is_date(faults, t); break;
	case NAMED_DATETIME: fine = named_is_datetime(faults, value); break;
	default: named_check(faults, rule, t, ""); return;
	}
	if (!fine)
		named_say(faults, named_formats[rule].fault);
}

/* ---- functions ---- */

struct cel_value cel_named_format(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value format;

	(void)count;
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	return cel_new_optional(run, cel_format_find(cel_text(&args[0]), &format) ? &format : NULL);
}

struct cel_value cel_validate(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct named_faults faults = {.run = run};
	struct cel_value value = args[1];
	struct cel_value pair[2] = {value, cel_string(TEXT("a"))};
	struct cel_value *items;

	(void)count;
	if (args[0].kind != CEL_FORMAT || value.kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	/* A hyphen at the end of a prefix takes the character before it along: upstream's quirk. */
	pair[0].size -= 2;
	if (args[0].size != 0 && value.size > 1 && value.text[value.size - 1] == '-')
		value = cel_add(run, pair, 2);
	writer_init(&faults.out, faults.text, sizeof(faults.text));
	if (run->stopped == 0)
		named_check_all(&faults, (uint32_t)(args[0].format - named_formats), &value);
	if (faults.count == 0 && run->stopped == 0)
		return cel_new_optional(run, NULL);
	items = cel_take(run, NAMED_FAULTS, sizeof(*items));
	if (run->stopped != 0)
		return cel_stopped(run);
	memcpy(items, faults.items, sizeof(faults.items));
	value = cel_list_of(items, faults.count);
	return cel_new_optional(run, &value);
}
