/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Budgets. The list is an array of pointers rather than links inside the budgets, so that an
 * owner that died without a word (a test's stack) is never written to.
 */
#include "base/budget.h"

#include <stddef.h>

#include "base/check.h"

static struct {
	struct budget *budgets[BUDGETS_MAX];
	uint32_t count;
} registry;

static uint32_t budget_place(const struct budget *budget)
{
	uint32_t i = 0;
	while (i < registry.count && registry.budgets[i] != budget)
		i++;
	return i;
}

void budget_register(struct budget *budget, const char *name, const char *unit, uint64_t capacity)
{
	CHECK(name != NULL);
	CHECK(unit != NULL);
	uint32_t i = budget_place(budget);
	if (i == registry.count) {
		CHECK(registry.count < BUDGETS_MAX);
		registry.budgets[registry.count++] = budget;
	}
	*budget = (struct budget){.name = name, .unit = unit, .capacity = capacity};
}

void budget_unregister(struct budget *budget)
{
	uint32_t i = budget_place(budget);
	CHECK(i < registry.count);
	registry.count--;
	for (; i < registry.count; i++)
		registry.budgets[i] = registry.budgets[i + 1];
}

void budget_reset(void)
{
	registry.count = 0;
}

const struct budget *budget_first(void)
{
	return registry.count == 0 ? NULL : registry.budgets[0];
}

const struct budget *budget_next(const struct budget *budget)
{
	uint32_t i = budget_place(budget);
	return i + 1 < registry.count ? registry.budgets[i + 1] : NULL;
}

bool budget_take(struct budget *budget, uint64_t amount)
{
	CHECK(budget->used <= budget->capacity);
	if (amount > budget->capacity - budget->used) {
		budget->refused++;
		return false;
	}
	budget->used += amount;
	if (budget->used_max < budget->used)
		budget->used_max = budget->used;
	return true;
}

void budget_give(struct budget *budget, uint64_t amount)
{
	CHECK(amount <= budget->used);
	budget->used -= amount;
}
