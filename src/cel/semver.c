/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Semantic versions, as the library that upstream uses reads them.
 */
#include "cel/semver.h"

#define SEMVER_NO_NUMBER "strconv.ParseUint: parsing \"%\": invalid syntax"
#define SEMVER_TOO_LARGE "strconv.ParseUint: parsing \"%\": value out of range"

static bool semver_only(struct text t, bool letters)
{
	for (size_t i = 0; i < t.size; i++) {
		char c = t.at[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';

		if (!(c >= '0' && c <= '9') && !(letters && letter))
			return false;
	}
	return true;
}

static bool semver_zeroes(struct text t)
{
	return t.size > 1 && t.at[0] == '0';
}

static const char *semver_number(struct text t, uint32_t which, uint64_t *number)
{
	static const char *const odd[] = {"Invalid character(s) found in major number \"%\"",
		"Invalid character(s) found in minor number \"%\"",
		"Invalid character(s) found in patch number \"%\""};
	static const char *const zero[] = {"Major number must not contain leading zeroes \"%\"",
		"Minor number must not contain leading zeroes \"%\"",
		"Patch number must not contain leading zeroes \"%\""};

	if (!semver_only(t, false))
		return odd[which];
	if (semver_zeroes(t))
		return zero[which];
	return text_to_u64(t, number) ? NULL : t.size == 0 ? SEMVER_NO_NUMBER : SEMVER_TOO_LARGE;
}

static const char *semver_pre(struct text pre, struct text *part)
{
	while (text_cut(&pre, '.', part)) {
		bool number = semver_only(*part, false);
		uint64_t value;

		if (part->size == 0)
			return "Prerelease is empty";
		if (number && semver_zeroes(*part))
			return "Numeric PreRelease version must not contain leading zeroes \"%\"";
		if (number && !text_to_u64(*part, &value))
			return SEMVER_TOO_LARGE;
		if (!number && !semver_only(*part, true))
			return "Invalid character(s) found in prerelease \"%\"";
	}
	return NULL;
}

static const char *semver_build(struct text build, struct text *part)
{
	while (text_cut(&build, '.', part)) {
		if (part->size == 0)
			return "Build meta data is empty";
		if (!semver_only(*part, true))
			return "Invalid character(s) found in build meta data \"%\"";
	}
	return NULL;
}

const char *cel_semver_parse(struct text t, struct cel_semver *semver, struct text *part)
{
	struct text rest = t;
	struct text parts[3];
	const char *error = NULL;

	*semver = (struct cel_semver){.pre = TEXT_NONE, .build = TEXT_NONE};
	*part = TEXT_NONE;
	if (t.size == 0)
		return "Version string empty";
	if (!text_cut(&rest, '.', &parts[0]) || !text_cut(&rest, '.', &parts[1]) || rest.at == NULL)
		return "No Major.Minor.Patch elements found";
	parts[2] = rest;
	if (text_find(parts[2], '+') != parts[2].size) {
		semver->build = text_from(parts[2], text_find(parts[2], '+') + 1);
		parts[2].size -= semver->build.size + 1;
	}
	if (text_find(parts[2], '-') != parts[2].size) {
		semver->pre = text_from(parts[2], text_find(parts[2], '-') + 1);
		parts[2].size -= semver->pre.size + 1;
	}
	for (uint32_t i = 0; i < 3 && error == NULL; i++) {
		*part = parts[i];
		error = semver_number(parts[i], i, &semver->number[i]);
	}
	if (error == NULL && semver->pre.at != NULL)
		error = semver_pre(semver->pre, part);
	if (error == NULL && semver->build.at != NULL)
		error = semver_build(semver->build, part);
	return error;
}

/* One part of a prerelease; numbers come before names. */
static int semver_compare_part(struct text a, struct text b)
{
	bool numbers[2] = {semver_only(a, false), semver_only(b, false)};

	if (numbers[0] != numbers[1])
		return numbers[0] ? -1 : 1;
	if (numbers[0] && a.size != b.size)
		return a.size < b.size ? -1 : 1;
	return text_compare(a, b);
}

int cel_semver_compare(const struct cel_semver *a, const struct cel_semver *b)
{
	struct text rest[2] = {a->pre, b->pre};
	struct text part[2];

	for (uint32_t i = 0; i < 3; i++)
		if (a->number[i] != b->number[i])
			return a->number[i] < b->number[i] ? -1 : 1;
	if (a->pre.at == NULL || b->pre.at == NULL)
		return (a->pre.at == NULL) - (b->pre.at == NULL);
	for (;;) {
		bool more[2] = {
			text_cut(&rest[0], '.', &part[0]), text_cut(&rest[1], '.', &part[1])};
		int order;

		if (!more[0] || !more[1])
			return (int)more[0] - (int)more[1];
		order = semver_compare_part(part[0], part[1]);
		if (order != 0)
			return order < 0 ? -1 : 1;
	}
}

bool cel_semver_value(struct text t, struct cel_semver *semver, struct cel_value *value)
{
	struct text part;

	*value = (struct cel_value){.kind = CEL_SEMVER, .semver = semver};
	return cel_semver_parse(t, semver, &part) == NULL;
}

/* "v1.2" -> "1.2.0", "01.2.3" -> "1.2.3": only what goes in front of a hyphen changes. */
bool cel_semver_normalize(struct text t, struct writer *out)
{
	struct text rest = t;
	struct text part;
	struct text parts[3];
	uint32_t count = 0;

	if (rest.size > 0 && rest.at[0] == 'v')
		rest = text_from(rest, 1);
	while (count < 2 && text_cut(&rest, '.', &part))
		parts[count++] = part;
	if (rest.at != NULL)
		parts[count++] = rest;
	for (uint32_t i = 0; i < count; i++) {
		bool trims = parts[i].size > 1;

		part = parts[i];
		while (trims && part.size > 0 && part.at[0] == '0')
			part = text_from(part, 1);
		write_z(out, i > 0 ? "." : "");
		if (trims && (part.size == 0 || part.at[0] < '0' || part.at[0] > '9'))
			write_char(out, '0');
		write_text(out, part);
	}
	/* Too few numbers, and nothing behind them that would make the missing ones strange. */
	if (count < 3 && count > 0 && text_find(parts[count - 1], '+') == parts[count - 1].size &&
		text_find(parts[count - 1], '-') == parts[count - 1].size)
		for (; count < 3; count++)
			write_z(out, ".0");
	else if (count < 3)
		return false;
	return !out->overflowed;
}
