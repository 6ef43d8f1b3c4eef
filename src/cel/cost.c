/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What calls cost, in upstream's units.
 */
#include "cel/function.h"
#include "cel/named.h"

enum { TENTH = 10, REGEX_LENGTH = 4, NEW_LIST = 10, KEPT_MAX = 1 << 20 };

bool cel_is_regex(const struct cel_function *function)
{
	return function->call == cel_matches || function->call == cel_regex_find ||
		function->call == cel_regex_find_all;
}

static uint64_t cost_tenth(uint64_t size)
{
	return (size + TENTH - 1) / TENTH;
}

static bool cost_is_text(const struct cel_value *v)
{
	return v->kind == CEL_STRING || v->kind == CEL_BYTES;
}

/* All that it holds: text a tenth of its bytes, other values 1. */
static uint64_t cost_of_traversal(struct cel_run *run, const struct cel_value *v)
{
	uint64_t cost = 0;
	uint32_t count;

	if (cost_is_text(v))
		return v->size / TENTH;
	if ((v->kind != CEL_LIST && v->kind != CEL_MAP) || !cel_work(run, 1) ||
		run->depth >= CEL_STACK_MAX)
		return 1;
	run->depth++;
	count = cel_size(v);
	for (uint32_t i = 0; i < count && run->stopped == 0; i++) {
		struct cel_value key;
		struct cel_value value;

		if (v->kind == CEL_LIST) {
			value = cel_at(v, i);
		} else {
			cel_entry_at(v, i, &key, &value);
			cost += cost_of_traversal(run, &key);
		}
		cost += cost_of_traversal(run, &value);
	}
	run->depth--;
	return cost;
}

static uint64_t cost_of_equality(const struct cel_value *args)
{
	uint64_t left = cel_size(&args[0]);
	uint64_t right = cel_size(&args[1]);

	switch (args[0].kind) {
	case CEL_QUANTITY:
	case CEL_SEMVER:
	case CEL_IP:
	case CEL_CIDR:
	case CEL_URL:
	case CEL_FORMAT: return 1;
	default: return cost_tenth(left < right ? left : right);
	}
}

/* Elements compared with each other; more for text. */
static uint64_t cost_of_sorting(const struct cel_value *list)
{
	uint64_t size = list->kind == CEL_LIST ? cel_size(list) : 1;
	struct cel_value first =
		size > 0 && list->kind == CEL_LIST ? cel_at(list, 0) : CEL_VALUE_NULL;
	uint64_t pairs = size * size;

	return 1 + NEW_LIST + pairs * 2 + (cost_is_text(&first) ? pairs / TENTH : 0);
}

static uint64_t cost_of_flattening(const struct cel_value *args, uint32_t count)
{
	uint64_t depth = count > 1 && args[1].integer > 0 ? args[1].natural : count > 1 ? 0 : 1;
	uint64_t size = cel_size(&args[0]);

	return 1 + NEW_LIST +
		(size < KEPT_MAX ? size : KEPT_MAX) * (depth < KEPT_MAX ? depth : KEPT_MAX);
}

static uint64_t cost_of_address(const struct cel_function *function, const struct cel_value *args)
{
	uint64_t cidr = cel_size(&args[0]);
	uint64_t cost = cost_tenth(cidr * 2);

	if (args[1].kind == CEL_STRING)
		cost += cost_tenth(cel_size(&args[1]));
	if (function->call == cel_contains_cidr)
		cost += cost_tenth(cidr) + 1;
	return cost;
}

static uint64_t cost_of_pattern(const struct cel_value *text, uint64_t pattern)
{
	return cost_tenth(1 + (uint64_t)cel_size(text)) *
		((pattern + REGEX_LENGTH - 1) / REGEX_LENGTH);
}

uint64_t cel_call_cost(struct cel_run *run, const struct cel_function *function,
	const struct cel_value *args, uint32_t count, const struct cel_value *result)
{
	uint64_t product;

	switch ((enum cel_cost)function->overloads[0]) {
	case CEL_COST_ONE: return 1;
	case CEL_COST_NONE: return 0;
	case CEL_COST_FIRST: return cost_tenth(cel_size(&args[0]));
	case CEL_COST_FIRST_TWICE: return cost_tenth((uint64_t)cel_size(&args[0]) * 2);
	case CEL_COST_RESULT_TWICE: return cost_tenth((uint64_t)cel_size(result) * 2);
	case CEL_COST_EQUAL: return cost_of_equality(args);
	case CEL_COST_ORDER: return cost_is_text(&args[0]) ? cost_of_equality(args) : 1;
	case CEL_COST_ADD:
		return !cost_is_text(&args[0])
			? 1
			: cost_tenth((uint64_t)cel_size(&args[0]) + cel_size(&args[1]));
	case CEL_COST_IN: return args[1].kind == CEL_LIST ? cel_size(&args[1]) : 1;
	case CEL_COST_REGEX: return cost_of_pattern(&args[0], cel_size(&args[1]));
	case CEL_COST_PRODUCT:
		return cost_tenth(cel_size(&args[0])) * cost_tenth(cel_size(&args[1]));
	case CEL_COST_TRAVERSE: return cost_of_traversal(run, &args[0]);
	case CEL_COST_SET:
	case CEL_COST_SET_TWICE:
		product = (uint64_t)cel_size(&args[0]) * cel_size(&args[1]);
		return 1 + product * (function->overloads[0] == CEL_COST_SET ? 1 : 2);
	case CEL_COST_NEW_RESULT:
		return 1 + NEW_LIST + (result->kind == CEL_LIST ? cel_size(result) : 1);
	case CEL_COST_FLATTEN: return cost_of_flattening(args, count);
	case CEL_COST_SORT: return cost_of_sorting(&args[0]);
	case CEL_COST_SORT_KEYS: return cost_of_sorting(&args[1]);
	case CEL_COST_IN_CIDR: return cost_of_address(function, args);
	case CEL_COST_VALIDATE:
		return args[0].kind == CEL_FORMAT
			? cost_of_pattern(&args[1], cel_format_cost(&args[0]))
			: 1;
	case CEL_COST_TEXT: return cost_is_text(&args[0]) ? cost_tenth(cel_size(&args[0])) : 1;
	}
	CHECK_NEVER("a cost has a rule");
}
