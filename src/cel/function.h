/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions: the table of what can be called, with signatures. For cel/ only.
 *
 * A function looks at what it gets, since the checker may know nothing about it, and answers
 * CEL_FAULT_NO_OVERLOAD for what no overload takes (the caller words that). Errors among the
 * arguments never reach it, nor does a number of arguments that none of its overloads has: the
 * checker let none such pass.
 */
#ifndef BERTH_CEL_FUNCTION_H
#define BERTH_CEL_FUNCTION_H

#include "cel/value.h"

typedef struct cel_value cel_function_fn(
	struct cel_run *run, const struct cel_value *args, uint32_t count);

/* What a call costs besides its arguments; sizes are cel_size(). */
enum cel_cost {
	CEL_COST_ONE = '1',
	CEL_COST_NONE = '0',
	CEL_COST_FIRST = 'f', /* a tenth of the first argument */
	CEL_COST_FIRST_TWICE = 'F',
	CEL_COST_RESULT_TWICE = 'R',
	CEL_COST_EQUAL = '=', /* a tenth of the smaller of two; 1 for fixed sizes */
	CEL_COST_ORDER = '<', /* the same for text, 1 for others */
	CEL_COST_ADD = '+',   /* a tenth of both for text, 1 for others */
	CEL_COST_IN = 'i',    /* the list's elements; 1 for maps */
	CEL_COST_REGEX = 'x',
	CEL_COST_PRODUCT = '*',  /* contains */
	CEL_COST_TRAVERSE = 't', /* all that the first argument holds */
	CEL_COST_SET = 's',      /* product of the sizes */
	CEL_COST_SET_TWICE = 'S',
	CEL_COST_NEW_RESULT = 'n', /* a new list of the result's size */
	CEL_COST_FLATTEN = 'l',
	CEL_COST_SORT = 'o',
	CEL_COST_SORT_KEYS = 'k',
	CEL_COST_IN_CIDR = 'c',
	CEL_COST_VALIDATE = 'v',
	CEL_COST_TEXT = 'T' /* a tenth of text that is converted, 1 for others */
};

struct cel_function {
	const char *name;
	const char *overloads; /* enum cel_cost, then "(int, int)int; string.(int)string" */
	cel_function_fn *call;
};

/* Rows; those of one name stand together. */
const struct cel_function *cel_function_at(uint32_t number);
/* The first row of the name, or -1. */
int32_t cel_function_find(struct text name);
/* The overload that follows in the row; "": none. */
const char *cel_overload_after(const char *overload);
/* Whether the next row has the same name. */
bool cel_function_goes_on(uint32_t number);

/* cel/cost.c */
uint64_t cel_call_cost(struct cel_run *run, const struct cel_function *function,
	const struct cel_value *args, uint32_t count, const struct cel_value *result);
bool cel_is_regex(const struct cel_function *function); /* its second argument is a pattern */

/* cel/operator.c */
cel_function_fn cel_add, cel_subtract, cel_multiply, cel_divide, cel_modulo, cel_negate, cel_not,
	cel_is_equal, cel_is_unequal, cel_is_less, cel_is_more, cel_is_at_most, cel_is_at_least,
	cel_in;
/* cel/convert.c */
cel_function_fn cel_to_bool, cel_to_bytes, cel_to_double, cel_to_duration, cel_to_dyn, cel_to_int,
	cel_to_string, cel_to_timestamp, cel_to_type, cel_to_uint;
/* cel/calendar.c */
cel_function_fn cel_get_year, cel_get_month, cel_get_year_day, cel_get_month_day, cel_get_date,
	cel_get_week_day, cel_get_hours, cel_get_minutes, cel_get_seconds, cel_get_millis;
/* cel/string.c */
cel_function_fn cel_count, cel_contains, cel_starts_with, cel_ends_with, cel_char_at, cel_index_of,
	cel_last_index_of, cel_lower, cel_upper, cel_replace, cel_split, cel_substring, cel_trim,
	cel_join, cel_quote;
/* cel/print.c */
cel_function_fn cel_format;
/* cel/match.c */
cel_function_fn cel_matches, cel_regex_find, cel_regex_find_all;
/* cel/sequence.c */
cel_function_fn cel_is_sorted, cel_sum_ints, cel_sum_uints, cel_sum_doubles, cel_sum_durations,
	cel_min, cel_max, cel_includes, cel_slice, cel_flatten, cel_range, cel_distinct,
	cel_reverse, cel_sort, cel_sort_by, cel_first, cel_last, cel_set_contains,
	cel_set_equivalent, cel_set_intersects;
/* cel/optional.c */
cel_function_fn cel_optional_of, cel_optional_of_non_zero, cel_optional_none, cel_has_value,
	cel_value_of, cel_or, cel_or_value, cel_unwrap;
/* cel/amount.c */
cel_function_fn cel_new_quantity, cel_is_quantity, cel_sign, cel_is_greater, cel_is_lower,
	cel_compare_to, cel_approximate, cel_as_integer, cel_is_integer, cel_plus, cel_minus,
	cel_new_semver, cel_is_semver, cel_major, cel_minor, cel_patch;
/* cel/address.c */
cel_function_fn cel_new_ip, cel_is_ip, cel_is_canonical, cel_family, cel_is_unspecified,
	cel_is_loopback, cel_is_local_unicast, cel_is_local_multicast, cel_is_global_unicast,
	cel_new_cidr, cel_is_cidr, cel_contains_ip, cel_contains_cidr, cel_prefix_length,
	cel_masked;
/* cel/url.c */
cel_function_fn cel_new_url, cel_is_url, cel_get_scheme, cel_get_host, cel_get_hostname,
	cel_get_port, cel_get_path, cel_get_query;
/* cel/named.c */
cel_function_fn cel_named_format, cel_validate;

#endif
