/* SPDX-License-Identifier: GPL-2.0-only */
#include "kube/name_rule.h"

#define LABEL "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define NAME  "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"

static const struct {
	const char *pattern;
	const char *asks;
	const char *examples;
} name_rules[KUBE_NAME_RULES] = {
	[KUBE_DNS_LABEL] = {LABEL,
		"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or "
		"'-', and must start and end with an alphanumeric character",
		"'my-name',  or '123-abc'"},
	[KUBE_DNS_SUBDOMAIN] = {LABEL "(\\." LABEL ")*",
		"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
		"characters, '-' or '.', and must start and end with an alphanumeric character",
		"'example.com'"},
	[KUBE_DNS_LABEL_1035] = {"[a-z]([-a-z0-9]*[a-z0-9])?",
		"a DNS-1035 label must consist of lower case alphanumeric characters or '-', start "
		"with an alphabetic character, and end with an alphanumeric character",
		"'my-name',  or 'abc-123'"},
	[KUBE_QUALIFIED_NAME] = {NAME,
		"must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
		"with an alphanumeric character",
		"'MyName',  or 'my.name',  or '123-abc'"},
	[KUBE_LABEL_VALUE] = {"(" NAME ")?",
		"a valid label must be an empty string or consist of alphanumeric characters, "
		"'-', '_' or '.', and must start and end with an alphanumeric character",
		"'MyValue',  or 'my_value',  or '12345'"}};

const char *kube_name_pattern(enum kube_name_rule rule)
{
	return name_rules[rule].pattern;
}

void kube_name_write_rule(enum kube_name_rule rule, struct writer *out)
{
	write_format(out, "%s (e.g. %s, regex used for validation is '%s')", name_rules[rule].asks,
		name_rules[rule].examples, name_rules[rule].pattern);
}
