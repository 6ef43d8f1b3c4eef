/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every bounded thing testifies: its owner embeds a struct budget and registers it once. The
 * status page, /metrics and the panic report walk the list; this module does not know the owners.
 *
 *	for (const struct budget *b = budget_first(); b != NULL; b = budget_next(b))
 */
#ifndef BERTH_BASE_BUDGET_H
#define BERTH_BASE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

enum { BUDGETS_MAX = 128 };

struct budget {
	const char *name; /* for people: "pods", "strings", "tls" */
	const char *unit; /* "count" or "bytes" */
	uint64_t used;
	uint64_t used_max;
	uint64_t capacity;
	uint64_t refused; /* how often something did not fit */
};

/* Registering the same budget again starts it afresh. More than BUDGETS_MAX is a CHECK. */
void budget_register(struct budget *budget, const char *name, const char *unit, uint64_t capacity);
void budget_unregister(struct budget *budget);
void budget_reset(void); /* tests and simulator: all owners are gone, forget them */
const struct budget *budget_first(void);
const struct budget *budget_next(const struct budget *budget);

/* False and counted as refused when `amount` does not fit. */
bool budget_take(struct budget *budget, uint64_t amount);

/* CHECKs that so much was taken. */
void budget_give(struct budget *budget, uint64_t amount);

#endif
