/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of functions: the language's own, then Kubernetes' libraries in their versions of
 * 1.36 and 1.37. Overloads stand in the order in which upstream tries them.
 */
#include "cel/function.h"

#define ORDERED(name, call)                                                        \
	{name, "(bool, bool)bool", call, CEL_COST_ORDER, false},                   \
		{name, "(int, int)bool", call, CEL_COST_ORDER, false},             \
		{name, "(int, double)bool", call, CEL_COST_ORDER, false},          \
		{name, "(int, uint)bool", call, CEL_COST_ORDER, false},            \
		{name, "(uint, uint)bool", call, CEL_COST_ORDER, false},           \
		{name, "(uint, double)bool", call, CEL_COST_ORDER, false},         \
		{name, "(uint, int)bool", call, CEL_COST_ORDER, false},            \
		{name, "(double, double)bool", call, CEL_COST_ORDER, false},       \
		{name, "(double, int)bool", call, CEL_COST_ORDER, false},          \
		{name, "(double, uint)bool", call, CEL_COST_ORDER, false},         \
		{name, "(string, string)bool", call, CEL_COST_ORDER, false},       \
		{name, "(bytes, bytes)bool", call, CEL_COST_ORDER, false},         \
		{name, "(timestamp, timestamp)bool", call, CEL_COST_ORDER, false}, \
	{                                                                          \
		name, "(duration, duration)bool", call, CEL_COST_ORDER, false      \
	}

#define CALENDAR(name, call)                                             \
	{name, "timestamp.()int", call, CEL_COST_ONE, false},            \
	{                                                                \
		name, "timestamp.(string)int", call, CEL_COST_ONE, false \
	}

#define COMPARABLES(name, args, result_of, call, cost)                                          \
	{name, "list(int).(" args ")" result_of("int"), call, cost, false},                     \
		{name, "list(uint).(" args ")" result_of("uint"), call, cost, false},           \
		{name, "list(double).(" args ")" result_of("double"), call, cost, false},       \
		{name, "list(bool).(" args ")" result_of("bool"), call, cost, false},           \
		{name, "list(duration).(" args ")" result_of("duration"), call, cost, false},   \
		{name, "list(timestamp).(" args ")" result_of("timestamp"), call, cost, false}, \
		{name, "list(string).(" args ")" result_of("string"), call, cost, false},       \
	{                                                                                       \
		name, "list(bytes).(" args ")" result_of("bytes"), call, cost, false            \
	}
#define AS_BOOL(type) "bool"
#define AS_IS(type)   type
#define AS_LIST(type) "list(" type ")"

#define SORT_BY(type)                                                                    \
	{                                                                                \
		"@sortByAssociatedKeys", "list(A).(list(" type "))list(A)", cel_sort_by, \
			CEL_COST_SORT_KEYS, false                                        \
	}

static const struct cel_function functions[] = {
	{"_==_", "(A, A)bool", cel_is_equal, CEL_COST_EQUAL, false},
	{"_!=_", "(A, A)bool", cel_is_unequal, CEL_COST_EQUAL, false},
	ORDERED("_<_", cel_is_less),
	ORDERED("_<=_", cel_is_at_most),
	ORDERED("_>_", cel_is_more),
	ORDERED("_>=_", cel_is_at_least),
	{"_+_", "(bytes, bytes)bytes", cel_add, CEL_COST_ADD, false},
	{"_+_", "(double, double)double", cel_add, CEL_COST_ADD, false},
	{"_+_", "(duration, duration)duration", cel_add, CEL_COST_ADD, false},
	{"_+_", "(duration, timestamp)timestamp", cel_add, CEL_COST_ADD, false},
	{"_+_", "(timestamp, duration)timestamp", cel_add, CEL_COST_ADD, false},
	{"_+_", "(int, int)int", cel_add, CEL_COST_ADD, false},
	{"_+_", "(list(A), list(A))list(A)", cel_add, CEL_COST_ADD, false},
	{"_+_", "(string, string)string", cel_add, CEL_COST_ADD, false},
	{"_+_", "(uint, uint)uint", cel_add, CEL_COST_ADD, false},
	{"_-_", "(double, double)double", cel_subtract, CEL_COST_ONE, false},
	{"_-_", "(duration, duration)duration", cel_subtract, CEL_COST_ONE, false},
	{"_-_", "(int, int)int", cel_subtract, CEL_COST_ONE, false},
	{"_-_", "(timestamp, duration)timestamp", cel_subtract, CEL_COST_ONE, false},
	{"_-_", "(timestamp, timestamp)duration", cel_subtract, CEL_COST_ONE, false},
	{"_-_", "(uint, uint)uint", cel_subtract, CEL_COST_ONE, false},
	{"_*_", "(double, double)double", cel_multiply, CEL_COST_ONE, false},
	{"_*_", "(int, int)int", cel_multiply, CEL_COST_ONE, false},
	{"_*_", "(uint, uint)uint", cel_multiply, CEL_COST_ONE, false},
	{"_/_", "(double, double)double", cel_divide, CEL_COST_ONE, false},
	{"_/_", "(int, int)int", cel_divide, CEL_COST_ONE, false},
	{"_/_", "(uint, uint)uint", cel_divide, CEL_COST_ONE, false},
	{"_%_", "(int, int)int", cel_modulo, CEL_COST_ONE, false},
	{"_%_", "(uint, uint)uint", cel_modulo, CEL_COST_ONE, false},
	{"-_", "(double)double", cel_negate, CEL_COST_ONE, false},
	{"-_", "(int)int", cel_negate, CEL_COST_ONE, false},
	{"!_", "(bool)bool", cel_not, CEL_COST_ONE, false},
	{"@in", "(A, list(A))bool", cel_in, CEL_COST_IN, false},
	{"@in", "(A, map(A, B))bool", cel_in, CEL_COST_IN, false},
	/* The evaluator's own; the rows are their types. */
	{"_?_:_", "(bool, A, A)A", NULL, CEL_COST_NONE, false},
	{"_[_]", "(list(A), int)A", NULL, CEL_COST_NONE, false},
	{"_[_]", "(map(A, B), A)B", NULL, CEL_COST_NONE, false},
	{"_[_]", "(optional_type(list(A)), int)optional_type(A)", NULL, CEL_COST_NONE, false},
	{"_[_]", "(optional_type(map(A, B)), A)optional_type(B)", NULL, CEL_COST_NONE, false},
	{"_[?_]", "(list(A), int)optional_type(A)", NULL, CEL_COST_NONE, false},
	{"_[?_]", "(optional_type(list(A)), int)optional_type(A)", NULL, CEL_COST_NONE, false},
	{"_[?_]", "(map(A, B), A)optional_type(B)", NULL, CEL_COST_NONE, false},
	{"_[?_]", "(optional_type(map(A, B)), A)optional_type(B)", NULL, CEL_COST_NONE, false},
	/* ---- conversions ---- */
	{"type", "(A)type(A)", cel_to_type, CEL_COST_ONE, false},
	{"dyn", "(A)dyn", cel_to_dyn, CEL_COST_ONE, false},
	{"bool", "(bool)bool", cel_to_bool, CEL_COST_ONE, false},
	{"bool", "(string)bool", cel_to_bool, CEL_COST_ONE, false},
	{"bytes", "(bytes)bytes", cel_to_bytes, CEL_COST_ONE, false},
	{"bytes", "(string)bytes", cel_to_bytes, CEL_COST_TEXT, false},
	{"double", "(double)double", cel_to_double, CEL_COST_ONE, false},
	{"double", "(int)double", cel_to_double, CEL_COST_ONE, false},
	{"double", "(string)double", cel_to_double, CEL_COST_ONE, false},
	{"double", "(uint)double", cel_to_double, CEL_COST_ONE, false},
	{"duration", "(duration)duration", cel_to_duration, CEL_COST_ONE, false},
	{"duration", "(int)duration", cel_to_duration, CEL_COST_ONE, false},
	{"duration", "(string)duration", cel_to_duration, CEL_COST_ONE, false},
	{"int", "(int)int", cel_to_int, CEL_COST_ONE, false},
	{"int", "(double)int", cel_to_int, CEL_COST_ONE, false},
	{"int", "(duration)int", cel_to_int, CEL_COST_ONE, false},
	{"int", "(string)int", cel_to_int, CEL_COST_ONE, false},
	{"int", "(timestamp)int", cel_to_int, CEL_COST_ONE, false},
	{"int", "(uint)int", cel_to_int, CEL_COST_ONE, false},
	{"string", "(string)string", cel_to_string, CEL_COST_ONE, false},
	{"string", "(bool)string", cel_to_string, CEL_COST_ONE, false},
	{"string", "(bytes)string", cel_to_string, CEL_COST_TEXT, false},
	{"string", "(double)string", cel_to_string, CEL_COST_ONE, false},
	{"string", "(duration)string", cel_to_string, CEL_COST_ONE, false},
	{"string", "(int)string", cel_to_string, CEL_COST_ONE, false},
	{"string", "(timestamp)string", cel_to_string, CEL_COST_ONE, false},
	{"string", "(uint)string", cel_to_string, CEL_COST_ONE, false},
	{"string", "(net.IP)string", cel_to_string, CEL_COST_ONE, false},
	{"string", "(net.CIDR)string", cel_to_string, CEL_COST_ONE, false},
	{"timestamp", "(timestamp)timestamp", cel_to_timestamp, CEL_COST_ONE, false},
	{"timestamp", "(int)timestamp", cel_to_timestamp, CEL_COST_ONE, false},
	{"timestamp", "(string)timestamp", cel_to_timestamp, CEL_COST_ONE, false},
	{"uint", "(uint)uint", cel_to_uint, CEL_COST_ONE, false},
	{"uint", "(double)uint", cel_to_uint, CEL_COST_ONE, false},
	{"uint", "(int)uint", cel_to_uint, CEL_COST_ONE, false},
	{"uint", "(string)uint", cel_to_uint, CEL_COST_ONE, false},
	/* ---- times ---- */
	CALENDAR("getFullYear", cel_get_year),
	CALENDAR("getMonth", cel_get_month),
	CALENDAR("getDayOfYear", cel_get_year_day),
	CALENDAR("getDayOfMonth", cel_get_month_day),
	CALENDAR("getDate", cel_get_date),
	CALENDAR("getDayOfWeek", cel_get_week_day),
	CALENDAR("getHours", cel_get_hours),
	{"getHours", "duration.()int", cel_get_hours, CEL_COST_ONE, false},
	CALENDAR("getMinutes", cel_get_minutes),
	{"getMinutes", "duration.()int", cel_get_minutes, CEL_COST_ONE, false},
	CALENDAR("getSeconds", cel_get_seconds),
	{"getSeconds", "duration.()int", cel_get_seconds, CEL_COST_ONE, false},
	CALENDAR("getMilliseconds", cel_get_millis),
	{"getMilliseconds", "duration.()int", cel_get_millis, CEL_COST_ONE, false},
	/* ---- sizes and text ---- */
	{"size", "(bytes)int", cel_count, CEL_COST_ONE, false},
	{"size", "bytes.()int", cel_count, CEL_COST_ONE, false},
	{"size", "(list(A))int", cel_count, CEL_COST_ONE, false},
	{"size", "list(A).()int", cel_count, CEL_COST_ONE, false},
	{"size", "(map(A, B))int", cel_count, CEL_COST_ONE, false},
	{"size", "map(A, B).()int", cel_count, CEL_COST_ONE, false},
	{"size", "(string)int", cel_count, CEL_COST_ONE, false},
	{"size", "string.()int", cel_count, CEL_COST_ONE, false},
	{"contains", "string.(string)bool", cel_contains, CEL_COST_PRODUCT, false},
	{"endsWith", "string.(string)bool", cel_ends_with, CEL_COST_FIRST, false},
	{"startsWith", "string.(string)bool", cel_starts_with, CEL_COST_FIRST, false},
	{"matches", "(string, string)bool", cel_matches, CEL_COST_ONE, false},
	{"matches", "string.(string)bool", cel_matches, CEL_COST_REGEX, false},
	{"charAt", "string.(int)string", cel_char_at, CEL_COST_ONE, false},
	{"indexOf", "string.(string)int", cel_index_of, CEL_COST_TRAVERSE, false},
	{"indexOf", "string.(string, int)int", cel_index_of, CEL_COST_TRAVERSE, false},
	{"indexOf", "list(A).(A)int", cel_index_of, CEL_COST_TRAVERSE, false},
	{"lastIndexOf", "string.(string)int", cel_last_index_of, CEL_COST_TRAVERSE, false},
	{"lastIndexOf", "string.(string, int)int", cel_last_index_of, CEL_COST_TRAVERSE, false},
	{"lastIndexOf", "list(A).(A)int", cel_last_index_of, CEL_COST_TRAVERSE, false},
	{"join", "list(string).()string", cel_join, CEL_COST_RESULT_TWICE, false},
	{"join", "list(string).(string)string", cel_join, CEL_COST_RESULT_TWICE, false},
	{"lowerAscii", "string.()string", cel_lower, CEL_COST_FIRST, false},
	{"replace", "string.(string, string)string", cel_replace, CEL_COST_FIRST_TWICE, false},
	{"replace", "string.(string, string, int)string", cel_replace, CEL_COST_FIRST_TWICE, false},
	{"split", "string.(string)list(string)", cel_split, CEL_COST_FIRST_TWICE, false},
	{"split", "string.(string, int)list(string)", cel_split, CEL_COST_FIRST_TWICE, false},
	{"substring", "string.(int)string", cel_substring, CEL_COST_FIRST, false},
	{"substring", "string.(int, int)string", cel_substring, CEL_COST_FIRST, false},
	{"trim", "string.()string", cel_trim, CEL_COST_FIRST, false},
	{"upperAscii", "string.()string", cel_upper, CEL_COST_FIRST, false},
	{"format", "string.(list(dyn))string", cel_format, CEL_COST_FIRST, false},
	{"strings.quote", "(string)string", cel_quote, CEL_COST_FIRST, false},
	{"find", "string.(string)string", cel_regex_find, CEL_COST_REGEX, false},
	{"findAll", "string.(string)list(string)", cel_regex_find_all, CEL_COST_REGEX, false},
	{"findAll", "string.(string, int)list(string)", cel_regex_find_all, CEL_COST_REGEX, false},
	/* ---- lists and sets ---- */
	COMPARABLES("isSorted", "", AS_BOOL, cel_is_sorted, CEL_COST_TRAVERSE),
	{"sum", "list(int).()int", cel_sum_ints, CEL_COST_TRAVERSE, false},
	{"sum", "list(uint).()uint", cel_sum_uints, CEL_COST_TRAVERSE, false},
	{"sum", "list(double).()double", cel_sum_doubles, CEL_COST_TRAVERSE, false},
	{"sum", "list(duration).()duration", cel_sum_durations, CEL_COST_TRAVERSE, false},
	COMPARABLES("min", "", AS_IS, cel_min, CEL_COST_TRAVERSE),
	COMPARABLES("max", "", AS_IS, cel_max, CEL_COST_TRAVERSE),
	{"includes", "dyn.(dyn)bool", cel_includes, CEL_COST_TRAVERSE, true},
	{"slice", "list(A).(int, int)list(A)", cel_slice, CEL_COST_NEW_RESULT, false},
	{"flatten", "list(list(A)).()list(A)", cel_flatten, CEL_COST_FLATTEN, false},
	{"flatten", "list(dyn).(int)list(dyn)", cel_flatten, CEL_COST_FLATTEN, false},
	COMPARABLES("sort", "", AS_LIST, cel_sort, CEL_COST_SORT),
	SORT_BY("int"),
	SORT_BY("uint"),
	SORT_BY("double"),
	SORT_BY("bool"),
	SORT_BY("duration"),
	SORT_BY("timestamp"),
	SORT_BY("string"),
	SORT_BY("bytes"),
	{"lists.range", "(int)list(int)", cel_range, CEL_COST_NEW_RESULT, false},
	{"reverse", "list(A).()list(A)", cel_reverse, CEL_COST_NEW_RESULT, false},
	{"distinct", "list(A).()list(A)", cel_distinct, CEL_COST_SORT, false},
	{"first", "list(A).()optional_type(A)", cel_first, CEL_COST_ONE, false},
	{"last", "list(A).()optional_type(A)", cel_last, CEL_COST_ONE, false},
	{"sets.contains", "(list(A), list(A))bool", cel_set_contains, CEL_COST_SET, false},
	{"sets.equivalent", "(list(A), list(A))bool", cel_set_equivalent, CEL_COST_SET_TWICE,
		false},
	{"sets.intersects", "(list(A), list(A))bool", cel_set_intersects, CEL_COST_SET, false},
	/* ---- optional values ---- */
	{"optional.of", "(A)optional_type(A)", cel_optional_of, CEL_COST_ONE, false},
	{"optional.ofNonZeroValue", "(A)optional_type(A)", cel_optional_of_non_zero, CEL_COST_ONE,
		false},
	{"optional.none", "()optional_type(A)", cel_optional_none, CEL_COST_ONE, false},
	{"optional.unwrap", "(list(optional_type(A)))list(A)", cel_unwrap, CEL_COST_ONE, false},
	{"unwrapOpt", "list(optional_type(A)).()list(A)", cel_unwrap, CEL_COST_ONE, false},
	{"hasValue", "optional_type(A).()bool", cel_has_value, CEL_COST_ONE, false},
	{"value", "optional_type(A).()A", cel_value_of, CEL_COST_ONE, false},
	{"or", "optional_type(A).(optional_type(A))optional_type(A)", cel_or, CEL_COST_NONE, false},
	{"orValue", "optional_type(A).(A)A", cel_or_value, CEL_COST_NONE, false},
	/* ---- quantities and versions ---- */
	{"quantity", "(string)kubernetes.Quantity", cel_new_quantity, CEL_COST_FIRST, false},
	{"isQuantity", "(string)bool", cel_is_quantity, CEL_COST_FIRST, false},
	{"sign", "(kubernetes.Quantity)int", cel_sign, CEL_COST_ONE, false},
	{"asApproximateFloat", "kubernetes.Quantity.()double", cel_approximate, CEL_COST_ONE,
		false},
	{"asInteger", "kubernetes.Quantity.()int", cel_as_integer, CEL_COST_ONE, false},
	{"isInteger", "kubernetes.Quantity.()bool", cel_is_integer, CEL_COST_ONE, false},
	{"add", "kubernetes.Quantity.(kubernetes.Quantity)kubernetes.Quantity", cel_plus,
		CEL_COST_ONE, false},
	{"add", "kubernetes.Quantity.(int)kubernetes.Quantity", cel_plus, CEL_COST_ONE, false},
	{"sub", "kubernetes.Quantity.(kubernetes.Quantity)kubernetes.Quantity", cel_minus,
		CEL_COST_ONE, false},
	{"sub", "kubernetes.Quantity.(int)kubernetes.Quantity", cel_minus, CEL_COST_ONE, false},
	{"isGreaterThan", "kubernetes.Quantity.(kubernetes.Quantity)bool", cel_is_greater,
		CEL_COST_ONE, false},
	{"isGreaterThan", "kubernetes.Semver.(kubernetes.Semver)bool", cel_is_greater, CEL_COST_ONE,
		false},
	{"isLessThan", "kubernetes.Quantity.(kubernetes.Quantity)bool", cel_is_lower, CEL_COST_ONE,
		false},
	{"isLessThan", "kubernetes.Semver.(kubernetes.Semver)bool", cel_is_lower, CEL_COST_ONE,
		false},
	{"compareTo", "kubernetes.Quantity.(kubernetes.Quantity)int", cel_compare_to, CEL_COST_ONE,
		false},
	{"compareTo", "kubernetes.Semver.(kubernetes.Semver)int", cel_compare_to, CEL_COST_ONE,
		false},
	{"semver", "(string)kubernetes.Semver", cel_new_semver, CEL_COST_FIRST, false},
	{"semver", "(string, bool)kubernetes.Semver", cel_new_semver, CEL_COST_FIRST, false},
	{"isSemver", "(string)bool", cel_is_semver, CEL_COST_FIRST, false},
	{"isSemver", "(string, bool)bool", cel_is_semver, CEL_COST_FIRST, false},
	{"major", "kubernetes.Semver.()int", cel_major, CEL_COST_ONE, false},
	{"minor", "kubernetes.Semver.()int", cel_minor, CEL_COST_ONE, false},
	{"patch", "kubernetes.Semver.()int", cel_patch, CEL_COST_ONE, false},
	/* ---- addresses ---- */
	{"ip", "(string)net.IP", cel_new_ip, CEL_COST_FIRST, false},
	{"ip", "net.CIDR.()net.IP", cel_new_ip, CEL_COST_ONE, false},
	{"isIP", "(string)bool", cel_is_ip, CEL_COST_FIRST, false},
	{"ip.isCanonical", "(string)bool", cel_is_canonical, CEL_COST_FIRST_TWICE, false},
	{"family", "net.IP.()int", cel_family, CEL_COST_ONE, false},
	{"isUnspecified", "net.IP.()bool", cel_is_unspecified, CEL_COST_ONE, false},
	{"isLoopback", "net.IP.()bool", cel_is_loopback, CEL_COST_ONE, false},
	{"isLinkLocalMulticast", "net.IP.()bool", cel_is_local_multicast, CEL_COST_ONE, false},
	{"isLinkLocalUnicast", "net.IP.()bool", cel_is_local_unicast, CEL_COST_ONE, false},
	{"isGlobalUnicast", "net.IP.()bool", cel_is_global_unicast, CEL_COST_ONE, false},
	{"cidr", "(string)net.CIDR", cel_new_cidr, CEL_COST_FIRST, false},
	{"isCIDR", "(string)bool", cel_is_cidr, CEL_COST_FIRST, false},
	{"containsIP", "net.CIDR.(string)bool", cel_contains_ip, CEL_COST_IN_CIDR, false},
	{"containsIP", "net.CIDR.(net.IP)bool", cel_contains_ip, CEL_COST_IN_CIDR, false},
	{"containsCIDR", "net.CIDR.(string)bool", cel_contains_cidr, CEL_COST_IN_CIDR, false},
	{"containsCIDR", "net.CIDR.(net.CIDR)bool", cel_contains_cidr, CEL_COST_IN_CIDR, false},
	{"prefixLength", "net.CIDR.()int", cel_prefix_length, CEL_COST_ONE, false},
	{"masked", "net.CIDR.()net.CIDR", cel_masked, CEL_COST_ONE, false},
	{"url", "(string)kubernetes.URL", cel_new_url, CEL_COST_FIRST, false},
	{"isURL", "(string)bool", cel_is_url, CEL_COST_ONE, false},
	{"getScheme", "kubernetes.URL.()string", cel_get_scheme, CEL_COST_ONE, false},
	{"getHost", "kubernetes.URL.()string", cel_get_host, CEL_COST_ONE, false},
	{"getHostname", "kubernetes.URL.()string", cel_get_hostname, CEL_COST_ONE, false},
	{"getPort", "kubernetes.URL.()string", cel_get_port, CEL_COST_ONE, false},
	{"getEscapedPath", "kubernetes.URL.()string", cel_get_path, CEL_COST_ONE, false},
	{"getQuery", "kubernetes.URL.()map(string, list(string))", cel_get_query, CEL_COST_ONE,
		false},
};

const struct cel_function *cel_function_at(uint32_t number)
{
	CHECK(number < ARRAY_COUNT(functions));
	return &functions[number];
}

int32_t cel_function_find(struct text name)
{
	for (size_t i = 0; i < ARRAY_COUNT(functions); i++)
		if (functions[i].name[0] == (name.size > 0 ? name.at[0] : '\0') &&
			text_is_z(name, functions[i].name))
			return (int32_t)i;
	return -1;
}

bool cel_function_goes_on(uint32_t number)
{
	return number + 1 < ARRAY_COUNT(functions) &&
		strcmp(functions[number].name, functions[number + 1].name) == 0;
}
