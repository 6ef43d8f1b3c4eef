/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of functions: the language's own, then Kubernetes' libraries in their versions of
 * 1.36 and 1.37. Overloads stand in the order in which upstream tries them; those that are computed
 * and paid for alike share a row.
 */
#include "cel/function.h"

/* Overloads of comparisons, of getters of times, of functions of lists whose elements compare. */
#define ORDERED                                                                                    \
	"(bool, bool)bool; (int, int)bool; (int, double)bool; (int, uint)bool; (uint, uint)bool; " \
	"(uint, double)bool; (uint, int)bool; (double, double)bool; (double, int)bool; "           \
	"(double, uint)bool; (string, string)bool; (bytes, bytes)bool; "                           \
	"(timestamp, timestamp)bool; (duration, duration)bool"
#define CALENDAR        "timestamp.()int; timestamp.(string)int"
#define LIST(type, as)  "list(" type ").()" as(type) "; "
#define NUMBERS(as)     LIST("int", as) LIST("uint", as) LIST("double", as)
#define TIMES(as)       LIST("duration", as) LIST("timestamp", as)
#define COMPARABLES(as) NUMBERS(as) LIST("bool", as) TIMES(as) LIST("string", as) LIST("bytes", as)
#define AS_BOOL(type)   "bool"
#define AS_IS(type)     type
#define AS_LIST(type)   "list(" type ")"

static const struct cel_function functions[] = {
	{"_==_", "(A, A)bool", cel_is_equal, CEL_COST_EQUAL},
	{"_!=_", "(A, A)bool", cel_is_unequal, CEL_COST_EQUAL},
	{"_<_", ORDERED, cel_is_less, CEL_COST_ORDER},
	{"_<=_", ORDERED, cel_is_at_most, CEL_COST_ORDER},
	{"_>_", ORDERED, cel_is_more, CEL_COST_ORDER},
	{"_>=_", ORDERED, cel_is_at_least, CEL_COST_ORDER},
	{"_+_",
		"(bytes, bytes)bytes; (double, double)double; (duration, duration)duration; "
		"(duration, timestamp)timestamp; (timestamp, duration)timestamp; (int, int)int; "
		"(list(A), list(A))list(A); (string, string)string; (uint, uint)uint",
		cel_add, CEL_COST_ADD},
	{"_-_",
		"(double, double)double; (duration, duration)duration; (int, int)int; (timestamp, "
		"duration)timestamp; (timestamp, timestamp)duration; (uint, uint)uint",
		cel_subtract, CEL_COST_ONE},
	{"_*_", "(double, double)double; (int, int)int; (uint, uint)uint", cel_multiply,
		CEL_COST_ONE},
	{"_/_", "(double, double)double; (int, int)int; (uint, uint)uint", cel_divide,
		CEL_COST_ONE},
	{"_%_", "(int, int)int; (uint, uint)uint", cel_modulo, CEL_COST_ONE},
	{"-_", "(double)double; (int)int", cel_negate, CEL_COST_ONE},
	{"!_", "(bool)bool", cel_not, CEL_COST_ONE},
	{"@in", "(A, list(A))bool; (A, map(A, B))bool", cel_in, CEL_COST_IN},
	/* The evaluator's own; the rows are their types. */
	{"_?_:_", "(bool, A, A)A", NULL, CEL_COST_NONE},
	{"_[_]",
		"(list(A), int)A; (map(A, B), A)B; (optional_type(list(A)), int)optional_type(A); "
		"(optional_type(map(A, B)), A)optional_type(B)",
		NULL, CEL_COST_NONE},
	{"_[?_]",
		"(list(A), int)optional_type(A); (optional_type(list(A)), int)optional_type(A); "
		"(map(A, B), A)optional_type(B); (optional_type(map(A, B)), A)optional_type(B)",
		NULL, CEL_COST_NONE},
	/* ---- conversions ---- */
	{"type", "(A)type(A)", cel_to_type, CEL_COST_ONE},
	{"dyn", "(A)dyn", cel_to_dyn, CEL_COST_ONE},
	{"bool", "(bool)bool; (string)bool", cel_to_bool, CEL_COST_ONE},
	{"bytes", "(bytes)bytes", cel_to_bytes, CEL_COST_ONE},
	{"bytes", "(string)bytes", cel_to_bytes, CEL_COST_TEXT},
	{"double", "(double)double; (int)double; (string)double; (uint)double", cel_to_double,
		CEL_COST_ONE},
	{"duration", "(duration)duration; (int)duration; (string)duration", cel_to_duration,
		CEL_COST_ONE},
	{"int", "(int)int; (double)int; (duration)int; (string)int; (timestamp)int; (uint)int",
		cel_to_int, CEL_COST_ONE},
	{"string", "(string)string; (bool)string", cel_to_string, CEL_COST_ONE},
	{"string", "(bytes)string", cel_to_string, CEL_COST_TEXT},
	{"string",
		"(double)string; (duration)string; (int)string; (timestamp)string; (uint)string; "
		"(net.IP)string; (net.CIDR)string",
		cel_to_string, CEL_COST_ONE},
	{"timestamp", "(timestamp)timestamp; (int)timestamp; (string)timestamp", cel_to_timestamp,
		CEL_COST_ONE},
	{"uint", "(uint)uint; (double)uint; (int)uint; (string)uint", cel_to_uint, CEL_COST_ONE},
	/* ---- times ---- */
	{"getFullYear", CALENDAR, cel_get_year, CEL_COST_ONE},
	{"getMonth", CALENDAR, cel_get_month, CEL_COST_ONE},
	{"getDayOfYear", CALENDAR, cel_get_year_day, CEL_COST_ONE},
	{"getDayOfMonth", CALENDAR, cel_get_month_day, CEL_COST_ONE},
	{"getDate", CALENDAR, cel_get_date, CEL_COST_ONE},
	{"getDayOfWeek", CALENDAR, cel_get_week_day, CEL_COST_ONE},
	{"getHours", CALENDAR "; duration.()int", cel_get_hours, CEL_COST_ONE},
	{"getMinutes", CALENDAR "; duration.()int", cel_get_minutes, CEL_COST_ONE},
	{"getSeconds", CALENDAR "; duration.()int", cel_get_seconds, CEL_COST_ONE},
	{"getMilliseconds", CALENDAR "; duration.()int", cel_get_millis, CEL_COST_ONE},
	/* ---- sizes and text ---- */
	{"size",
		"(bytes)int; bytes.()int; (list(A))int; list(A).()int; (map(A, B))int; map(A, "
		"B).()int; (string)int; string.()int",
		cel_count, CEL_COST_ONE},
	{"contains", "string.(string)bool", cel_contains, CEL_COST_PRODUCT},
	{"endsWith", "string.(string)bool", cel_ends_with, CEL_COST_FIRST},
	{"startsWith", "string.(string)bool", cel_starts_with, CEL_COST_FIRST},
	{"matches", "(string, string)bool", cel_matches, CEL_COST_ONE},
	{"matches", "string.(string)bool", cel_matches, CEL_COST_REGEX},
	{"charAt", "string.(int)string", cel_char_at, CEL_COST_ONE},
	{"indexOf", "string.(string)int; string.(string, int)int; list(A).(A)int", cel_index_of,
		CEL_COST_TRAVERSE},
	{"lastIndexOf", "string.(string)int; string.(string, int)int; list(A).(A)int",
		cel_last_index_of, CEL_COST_TRAVERSE},
	{"join", "list(string).()string; list(string).(string)string", cel_join,
		CEL_COST_RESULT_TWICE},
	{"lowerAscii", "string.()string", cel_lower, CEL_COST_FIRST},
	{"replace", "string.(string, string)string; string.(string, string, int)string",
		cel_replace, CEL_COST_FIRST_TWICE},
	{"split", "string.(string)list(string); string.(string, int)list(string)", cel_split,
		CEL_COST_FIRST_TWICE},
	{"substring", "string.(int)string; string.(int, int)string", cel_substring, CEL_COST_FIRST},
	{"trim", "string.()string", cel_trim, CEL_COST_FIRST},
	{"upperAscii", "string.()string", cel_upper, CEL_COST_FIRST},
	{"format", "string.(list(dyn))string", cel_format, CEL_COST_FIRST},
	{"strings.quote", "(string)string", cel_quote, CEL_COST_FIRST},
	{"find", "string.(string)string", cel_regex_find, CEL_COST_REGEX},
	{"findAll", "string.(string)list(string); string.(string, int)list(string)",
		cel_regex_find_all, CEL_COST_REGEX},
	/* ---- lists and sets ---- */
	{"isSorted", COMPARABLES(AS_BOOL), cel_is_sorted, CEL_COST_TRAVERSE},
	{"sum", "list(int).()int", cel_sum_ints, CEL_COST_TRAVERSE},
	{"sum", "list(uint).()uint", cel_sum_uints, CEL_COST_TRAVERSE},
	{"sum", "list(double).()double", cel_sum_doubles, CEL_COST_TRAVERSE},
	{"sum", "list(duration).()duration", cel_sum_durations, CEL_COST_TRAVERSE},
	{"min", COMPARABLES(AS_IS), cel_min, CEL_COST_TRAVERSE},
	{"max", COMPARABLES(AS_IS), cel_max, CEL_COST_TRAVERSE},
	{"includes", "dyn.(dyn)bool", cel_includes, CEL_COST_TRAVERSE},
	{"slice", "list(A).(int, int)list(A)", cel_slice, CEL_COST_NEW_RESULT},
	{"flatten", "list(list(A)).()list(A); list(dyn).(int)list(dyn)", cel_flatten,
		CEL_COST_FLATTEN},
	{"sort", COMPARABLES(AS_LIST), cel_sort, CEL_COST_SORT},
	{"@sortByAssociatedKeys",
		"list(A).(list(int))list(A); list(A).(list(uint))list(A); "
		"list(A).(list(double))list(A); list(A).(list(bool))list(A); "
		"list(A).(list(duration))list(A); list(A).(list(timestamp))list(A); "
		"list(A).(list(string))list(A); list(A).(list(bytes))list(A)",
		cel_sort_by, CEL_COST_SORT_KEYS},
	{"lists.range", "(int)list(int)", cel_range, CEL_COST_NEW_RESULT},
	{"reverse", "list(A).()list(A)", cel_reverse, CEL_COST_NEW_RESULT},
	{"distinct", "list(A).()list(A)", cel_distinct, CEL_COST_SORT},
	{"first", "list(A).()optional_type(A)", cel_first, CEL_COST_ONE},
	{"last", "list(A).()optional_type(A)", cel_last, CEL_COST_ONE},
	{"sets.contains", "(list(A), list(A))bool", cel_set_contains, CEL_COST_SET},
	{"sets.equivalent", "(list(A), list(A))bool", cel_set_equivalent, CEL_COST_SET_TWICE},
	{"sets.intersects", "(list(A), list(A))bool", cel_set_intersects, CEL_COST_SET},
	/* ---- optional values ---- */
	{"optional.of", "(A)optional_type(A)", cel_optional_of, CEL_COST_ONE},
	{"optional.ofNonZeroValue", "(A)optional_type(A)", cel_optional_of_non_zero, CEL_COST_ONE},
	{"optional.none", "()optional_type(A)", cel_optional_none, CEL_COST_ONE},
	{"optional.unwrap", "(list(optional_type(A)))list(A)", cel_unwrap, CEL_COST_ONE},
	{"unwrapOpt", "list(optional_type(A)).()list(A)", cel_unwrap, CEL_COST_ONE},
	{"hasValue", "optional_type(A).()bool", cel_has_value, CEL_COST_ONE},
	{"value", "optional_type(A).()A", cel_value_of, CEL_COST_ONE},
	{"or", "optional_type(A).(optional_type(A))optional_type(A)", cel_or, CEL_COST_NONE},
	{"orValue", "optional_type(A).(A)A", cel_or_value, CEL_COST_NONE},
	/* ---- quantities and versions ---- */
	{"quantity", "(string)kubernetes.Quantity", cel_new_quantity, CEL_COST_FIRST},
	{"isQuantity", "(string)bool", cel_is_quantity, CEL_COST_FIRST},
	{"sign", "(kubernetes.Quantity)int", cel_sign, CEL_COST_ONE},
	{"asApproximateFloat", "kubernetes.Quantity.()double", cel_approximate, CEL_COST_ONE},
	{"asInteger", "kubernetes.Quantity.()int", cel_as_integer, CEL_COST_ONE},
	{"isInteger", "kubernetes.Quantity.()bool", cel_is_integer, CEL_COST_ONE},
	{"add",
		"kubernetes.Quantity.(kubernetes.Quantity)kubernetes.Quantity; "
		"kubernetes.Quantity.(int)kubernetes.Quantity",
		cel_plus, CEL_COST_ONE},
	{"sub",
		"kubernetes.Quantity.(kubernetes.Quantity)kubernetes.Quantity; "
		"kubernetes.Quantity.(int)kubernetes.Quantity",
		cel_minus, CEL_COST_ONE},
	{"isGreaterThan",
		"kubernetes.Quantity.(kubernetes.Quantity)bool; "
		"kubernetes.Semver.(kubernetes.Semver)bool",
		cel_is_greater, CEL_COST_ONE},
	{"isLessThan",
		"kubernetes.Quantity.(kubernetes.Quantity)bool; "
		"kubernetes.Semver.(kubernetes.Semver)bool",
		cel_is_lower, CEL_COST_ONE},
	{"compareTo",
		"kubernetes.Quantity.(kubernetes.Quantity)int; "
		"kubernetes.Semver.(kubernetes.Semver)int",
		cel_compare_to, CEL_COST_ONE},
	{"semver", "(string)kubernetes.Semver; (string, bool)kubernetes.Semver", cel_new_semver,
		CEL_COST_FIRST},
	{"isSemver", "(string)bool; (string, bool)bool", cel_is_semver, CEL_COST_FIRST},
	{"major", "kubernetes.Semver.()int", cel_major, CEL_COST_ONE},
	{"minor", "kubernetes.Semver.()int", cel_minor, CEL_COST_ONE},
	{"patch", "kubernetes.Semver.()int", cel_patch, CEL_COST_ONE},
	/* ---- addresses ---- */
	{"ip", "(string)net.IP", cel_new_ip, CEL_COST_FIRST},
	{"ip", "net.CIDR.()net.IP", cel_new_ip, CEL_COST_ONE},
	{"isIP", "(string)bool", cel_is_ip, CEL_COST_FIRST},
	{"ip.isCanonical", "(string)bool", cel_is_canonical, CEL_COST_FIRST_TWICE},
	{"family", "net.IP.()int", cel_family, CEL_COST_ONE},
	{"isUnspecified", "net.IP.()bool", cel_is_unspecified, CEL_COST_ONE},
	{"isLoopback", "net.IP.()bool", cel_is_loopback, CEL_COST_ONE},
	{"isLinkLocalMulticast", "net.IP.()bool", cel_is_local_multicast, CEL_COST_ONE},
	{"isLinkLocalUnicast", "net.IP.()bool", cel_is_local_unicast, CEL_COST_ONE},
	{"isGlobalUnicast", "net.IP.()bool", cel_is_global_unicast, CEL_COST_ONE},
	{"cidr", "(string)net.CIDR", cel_new_cidr, CEL_COST_FIRST},
	{"isCIDR", "(string)bool", cel_is_cidr, CEL_COST_FIRST},
	{"containsIP", "net.CIDR.(string)bool; net.CIDR.(net.IP)bool", cel_contains_ip,
		CEL_COST_IN_CIDR},
	{"containsCIDR", "net.CIDR.(string)bool; net.CIDR.(net.CIDR)bool", cel_contains_cidr,
		CEL_COST_IN_CIDR},
	{"prefixLength", "net.CIDR.()int", cel_prefix_length, CEL_COST_ONE},
	{"masked", "net.CIDR.()net.CIDR", cel_masked, CEL_COST_ONE},
	{"url", "(string)kubernetes.URL", cel_new_url, CEL_COST_FIRST},
	{"isURL", "(string)bool", cel_is_url, CEL_COST_ONE},
	{"getScheme", "kubernetes.URL.()string", cel_get_scheme, CEL_COST_ONE},
	{"getHost", "kubernetes.URL.()string", cel_get_host, CEL_COST_ONE},
	{"getHostname", "kubernetes.URL.()string", cel_get_hostname, CEL_COST_ONE},
	{"getPort", "kubernetes.URL.()string", cel_get_port, CEL_COST_ONE},
	{"getEscapedPath", "kubernetes.URL.()string", cel_get_path, CEL_COST_ONE},
	{"format.named", "(string)optional_type(kubernetes.NamedFormat)", cel_named_format,
		CEL_COST_ONE},
	{"validate", "kubernetes.NamedFormat.(string)optional_type(list(string))", cel_validate,
		CEL_COST_VALIDATE},
	{"getQuery", "kubernetes.URL.()map(string, list(string))", cel_get_query, CEL_COST_ONE},
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

const char *cel_overload_after(const char *overload)
{
	const char *end = strchr(overload, ';');
	return end == NULL ? "" : end + strlen("; ");
}

bool cel_function_goes_on(uint32_t number)
{
	return number + 1 < ARRAY_COUNT(functions) &&
		strcmp(functions[number].name, functions[number + 1].name) == 0;
}
