/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Comparing an answer of `explain` with the `expect` of a vector.
 */
#ifndef BERTH_TESTS_VECTORS_COMPARE_H
#define BERTH_TESTS_VECTORS_COMPARE_H

#include <stdbool.h>

#include "json/json.h"

/* The text of a FailedScheduling event; one of a pod that preempts says in v1.37 where. */
bool compare_message(struct text want, bool is_preempting, struct text got);
bool compare_answers(const char *name, struct json_value expect, struct json_value answer);

#endif
