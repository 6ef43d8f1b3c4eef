/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Named formats: what Kubernetes asks of names, labels and some other texts. What one is can be
 * said by a pattern most often, and upstream's errors show it; so the pattern decides here, too.
 */
#include "cel/function.h"
#include "cel/named.h"
#include "cel/regex.h"
#include "kube/time.h"

#define LABEL     "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define SUBDOMAIN LABEL "(\\." LABEL ")*"
#define NAME      "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
#define NAME_RULE                                                                           \
	"must consist of alphanumeric characters, '-', '_' or '.', and must start and end " \
	"with an alphanumeric character"
#define NAME_EXAMPLES "'MyName',  or 'my.name',  or '123-abc', "

enum {
	NAMED_TEXT = 1024, /* longest error, but for those that repeat a text */
	NAMED_FAULTS = 4,
	NAMED_DATE = 10
};

struct cel_format {
	const char *name;
	const char *pattern; /* of all of the text */
	const char *rule; /* what is said when it does not match; with examples, if there are any */
	const char *examples;
	uint16_t size_max;
	uint16_t cost; /* the size of the pattern, as upstream counts it */
};

enum {
	NAMED_LABEL,
	NAMED_SUBDOMAIN,
	NAMED_LABEL_1035,
	NAMED_NAME,
	NAMED_VALUE,
	NAMED_URI,
	NAMED_UUID,
	NAMED_BYTE,
	NAMED_DATE_ONLY,
	NAMED_DATETIME
};

static const struct cel_format named_formats[] = {
	[NAMED_LABEL] = {"dns1123Label", LABEL,
		"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or "
		"'-', and must start and end with an alphanumeric character",
		"'my-name',  or '123-abc', ", 63, 30},
	[NAMED_SUBDOMAIN] = {"dns1123Subdomain", SUBDOMAIN,
		"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
		"characters, '-' or '.', and must start and end with an alphanumeric character",
		"'example.com', ", 253, 60},
	[NAMED_LABEL_1035] = {"dns1035Label", "[a-z]([-a-z0-9]*[a-z0-9])?",
		"a DNS-1035 label must consist of lower case alphanumeric characters or '-', start "
		"with an alphabetic character, and end with an alphanumeric character",
		"'my-name',  or 'abc-123', ", 63, 30},
	[NAMED_NAME] = {"qualifiedName", NAME, NAME_RULE, NAME_EXAMPLES, 63, 60},
	[NAMED_VALUE] = {"labelValue", "(" NAME ")?",
		"a valid label must be an empty string or consist of alphanumeric characters, "
		"'-', '_' or '.', and must start and end with an alphanumeric character",
		"'MyValue',  or 'my_value',  or '12345', ", 63, 40},
	[NAMED_URI] = {"uri", NULL, NULL, NULL, 0, 1103},
	[NAMED_UUID] = {"uuid",
		"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}",
		"does not match the UUID format", NULL, UINT16_MAX, 70},
	[NAMED_BYTE] = {"byte",
		"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})",
		"invalid base64", NULL, UINT16_MAX, 84},
	[NAMED_DATE_ONLY] = {"date", "[0-9]{4}-[0-9]{2}-[0-9]{2}", "invalid date", NULL, UINT16_MAX,
		71},
	[NAMED_DATETIME] = {"datetime",
		"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})",
		"invalid datetime", NULL, UINT16_MAX, 71}};

/* A format whose texts get something appended: `size` of the value says so. */
bool cel_format_find(struct text name, struct cel_value *format)
{
	struct text suffix = TEXT("Prefix");
	bool prefix = text_ends(name, suffix);

	if (prefix)
		name.size -= suffix.size;
	for (size_t i = 0; i < (prefix ? NAMED_NAME : ARRAY_COUNT(named_formats)); i++)
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
};

static void named_add(struct named_faults *faults, const struct writer *out)
{
	CHECK(faults->count < NAMED_FAULTS);
	faults->items[faults->count++] = cel_new_string(
		faults->run, out->overflowed ? TEXT("(a text too long)") : writer_text(out));
}

static bool named_matches(struct cel_run *run, const struct cel_format *format, struct text t)
{
	struct scratch_mark mark = scratch_mark(run->scratch);
	const struct cel_regex *regex;
	const char *error;
	char pattern[200];
	struct writer out;
	bool matches;

	writer_init(&out, pattern, sizeof(pattern));
	write_format(&out, "^(?:%s)$", format->pattern);
	regex = cel_regex_compile(writer_text(&out), run->scratch, &error);
	if (regex == NULL)
		run->stopped = CEL_FAULT_MEMORY;
	matches = regex != NULL && cel_regex_search(run, regex, t, 0, NULL);
	scratch_rewind(run->scratch, mark);
	return matches;
}

static void named_write_rule(const struct cel_format *format, struct writer *out)
{
	write_z(out, format->rule);
	if (format->examples != NULL)
		write_format(out, " (e.g. %sregex used for validation is '%s')", format->examples,
			format->pattern);
}

/* Size and pattern; `part` stands in front of what is said. */
static void named_check(struct named_faults *faults, const struct cel_format *format, struct text t,
	const char *part)
{
	char text[NAMED_TEXT];
	struct writer out;

	writer_init(&out, text, sizeof(text));
	if (t.size > format->size_max && format->size_max != UINT16_MAX) {
		write_format(
			&out, "%smust be no more than %u bytes", part, (unsigned)format->size_max);
		named_add(faults, &out);
	}
	if (named_matches(faults->run, format, t))
		return;
	writer_init(&out, text, sizeof(text));
	write_z(&out, part);
	if (format == &named_formats[NAMED_LABEL] &&
		named_matches(faults->run, &named_formats[NAMED_SUBDOMAIN], t))
		write_z(&out, "must not contain dots");
	else
		named_write_rule(format, &out);
	named_add(faults, &out);
}

/* [prefix/]name */
static void named_check_qualified(struct named_faults *faults, struct text t)
{
	const struct cel_format *format = &named_formats[NAMED_NAME];
	size_t slash = text_find(t, '/');
	struct text name = slash == t.size ? t : text_from(t, slash + 1);
	char text[NAMED_TEXT];
	struct writer out;

	writer_init(&out, text, sizeof(text));
	if (text_find(name, '/') != name.size) {
		write_z(&out, "a valid label key ");
		named_write_rule(format, &out);
		write_z(&out,
			" with an optional DNS subdomain prefix and '/' (e.g. "
			"'example.com/MyName')");
		named_add(faults, &out);
		return;
	}
	if (slash == 0 && t.size > 0) {
		write_z(&out, "prefix part must be non-empty");
		named_add(faults, &out);
	} else if (slash != t.size) {
		named_check(faults, &named_formats[NAMED_SUBDOMAIN], text_first(t, slash),
			"prefix part ");
	}
	writer_init(&out, text, sizeof(text));
	if (name.size == 0) {
		write_z(&out, "name part must be non-empty");
		named_add(faults, &out);
	}
	named_check(faults, format, name, "name part ");
}

/* The day must be one of the calendar. */
static bool named_is_date(struct cel_run *run, struct text t)
{
	char text[NAMED_DATE + 10];
	struct writer out;
	struct wall wall;

	if (t.size != NAMED_DATE || !named_matches(run, &named_formats[NAMED_DATE_ONLY], t))
		return false;
	writer_init(&out, text, sizeof(text));
	write_format(&out, "%.*sT00:00:00Z", TEXT_ARGS(t));
	return kube_time_parse(writer_text(&out), &wall);
}

/* Upstream looks at what stands between the first t and the second. */
static bool named_is_datetime(struct cel_run *run, const struct cel_value *value)
{
	struct cel_value low = cel_lower(run, value, 1);
	struct text rest = cel_text(&low);
	struct text date;
	struct text time;

	return low.kind == CEL_STRING && text_cut(&rest, 't', &date) &&
		text_cut(&rest, 't', &time) && named_is_date(run, date) &&
		named_matches(run, &named_formats[NAMED_DATETIME], time);
}

static void named_check_other(
	struct named_faults *faults, const struct cel_format *format, const struct cel_value *value)
{
	struct text t = cel_text(value);
	char text[NAMED_TEXT];
	struct cel_url url;
	struct writer out;
	bool fine;

	writer_init(&out, text, sizeof(text));
	switch ((int)(format - named_formats)) {
	case NAMED_URI: fine = cel_url_check(t, &url, &out); break;
	case NAMED_DATE_ONLY: fine = named_is_date(faults->run, t); break;
	case NAMED_DATETIME: fine = named_is_datetime(faults->run, value); break;
	default: named_check(faults, format, t, ""); return;
	}
	if (fine)
		return;
	if (format->rule != NULL)
		write_z(&out, format->rule);
	named_add(faults, &out);
}

/* ---- functions ---- */

struct cel_value cel_named_format(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value format;

	CHECK(count == 1);
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	return cel_new_optional(run, cel_format_find(cel_text(&args[0]), &format) ? &format : NULL);
}

/* A hyphen at the end takes the character before it along: upstream's quirk. */
static struct cel_value named_mask(struct cel_run *run, struct text t)
{
	struct cel_value masked = cel_new_string(run, text_first(t, t.size - 1));

	if (masked.kind == CEL_STRING)
		((char *)(uintptr_t)masked.text)[t.size - 2] = 'a';
	return masked;
}

struct cel_value cel_validate(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct named_faults faults = {.run = run};
	struct cel_value value = args[1];
	struct cel_value list;
	struct cel_value *items;

	CHECK(count == 2);
	if (args[0].kind != CEL_FORMAT || value.kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (args[0].size != 0 && value.size > 1 && value.text[value.size - 1] == '-')
		value = named_mask(run, cel_text(&value));
	if (run->stopped == 0 && args[0].format == &named_formats[NAMED_NAME])
		named_check_qualified(&faults, cel_text(&value));
	else if (run->stopped == 0)
		named_check_other(&faults, args[0].format, &value);
	items = faults.count > 0 ? cel_take(run, faults.count, sizeof(*items)) : NULL;
	if (run->stopped != 0)
		return cel_stopped(run);
	if (items == NULL)
		return cel_new_optional(run, NULL);
	memcpy(items, faults.items, faults.count * sizeof(*items));
	list = cel_list_of(items, faults.count);
	return cel_new_optional(run, &list);
}
