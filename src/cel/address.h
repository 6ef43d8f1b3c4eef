/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of the net and ranges of them. For cel/ only.
 */
#ifndef BERTH_CEL_ADDRESS_H
#define BERTH_CEL_ADDRESS_H

#include "cel/value.h"

/* The shortest form, as RFC 5952 has it; with the prefix when it is a range. */
void cel_address_print(const struct cel_address *address, bool range, struct writer *out);

#endif
