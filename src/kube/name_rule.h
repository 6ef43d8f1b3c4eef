/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What Kubernetes asks of names and labels: the pattern, and the words in which upstream says that
 * a text does not match it.
 */
#ifndef BERTH_KUBE_NAME_RULE_H
#define BERTH_KUBE_NAME_RULE_H

#include "base/text.h"

enum kube_name_rule {
	KUBE_DNS_LABEL,
	KUBE_DNS_SUBDOMAIN,
	KUBE_DNS_LABEL_1035,
	KUBE_QUALIFIED_NAME, /* without its prefix */
	KUBE_LABEL_VALUE,
	KUBE_NAME_RULES
};

enum { KUBE_NAME_MAX = 63, KUBE_SUBDOMAIN_MAX = 253 }; /* bytes */

/* Of all of the text. */
const char *kube_name_pattern(enum kube_name_rule rule);
/* "must consist of ... (e.g. 'MyName', regex used for validation is '...')" */
void kube_name_write_rule(enum kube_name_rule rule, struct writer *out);

#endif
