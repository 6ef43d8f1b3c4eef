/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kubernetes' named formats. For cel/ only.
 */
#ifndef BERTH_CEL_NAMED_H
#define BERTH_CEL_NAMED_H

#include "cel/value.h"

/* The value that format.name() is. */
MUST_USE bool cel_format_find(struct text name, struct cel_value *format);
/* The size of its pattern, as upstream counts it. */
uint32_t cel_format_cost(const struct cel_value *format);

/* cel/url.c: is it one that can be requested? Or else why not, in upstream's words. */
MUST_USE bool cel_url_check(struct text t, struct cel_url *url, struct writer *why);

#endif
