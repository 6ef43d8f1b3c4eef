/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Semantic versions. For cel/ only; hosts make theirs by cel_semver_value().
 */
#ifndef BERTH_CEL_SEMVER_H
#define BERTH_CEL_SEMVER_H

#include "cel/cel.h"

/* NULL, or what is wrong (cel_write_reason()), and with which part of the text. */
const char *cel_semver_parse(struct text t, struct cel_semver *semver, struct text *part);
int cel_semver_compare(const struct cel_semver *a, const struct cel_semver *b); /* -1, 0, 1 */
/* What people write to what the library reads; false when it says too little. */
MUST_USE bool cel_semver_normalize(struct text t, struct writer *out);

#endif
