/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of quantity.jsonl: what a quantity is worth and how it is printed, or why it is none.
 */
#ifndef BERTH_TESTS_VECTORS_AMOUNTS_H
#define BERTH_TESTS_VECTORS_AMOUNTS_H

#include <stdbool.h>

#include "json/json.h"

/* Prints every difference, led by the quantity. */
bool amounts_agree(struct json_value line);

#endif
