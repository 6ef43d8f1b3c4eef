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
	{"_==_", "=(A, A)bool", cel_is_equal},
	{"_!=_", "=(A, A)bool", cel_is_unequal},
	{"_<_", "<" ORDERED, cel_is_less},
	{"_<=_", "<" ORDERED, cel_is_at_most},
	{"_>_", "<" ORDERED, cel_is_more},
	{"_>=_", "<" ORDERED, cel_is_at_least},
	{"_+_",
		"+(bytes, bytes)bytes; (double, double)double; (duration, duration)duration; "
		"(duration, timestamp)timestamp; (timestamp, duration)timestamp; (int, int)int; "
		"(list(A), list(A))list(A); (string, string)string; (uint, uint)uint",
		cel_add},
	{"_-_",
		"1(double, double)double; (duration, duration)duration; (int, int)int; (timestamp, "
		"duration)timestamp; (timestamp, timestamp)duration; (uint, uint)uint",
		cel_subtract},
	{"_*_", "1(double, double)double; (int, int)int; (uint, uint)uint", cel_multiply},
	{"_/_", "1(double, double)double; (int, int)int; (uint, uint)uint", cel_divide},
	{"_%_", "1(int, int)int; (uint, uint)uint", cel_modulo},
	{"-_", "1(double)double; (int)int", cel_negate},
	{"!_", "1(bool)bool", cel_not},
	{"@in", "i(A, list(A))bool; (A, map(A, B))bool", cel_in},
	/* The evaluator's own; the rows are their types. */
	{"_?_:_", "0(bool, A, A)A", NULL},
	{"_[_]",
		"0(list(A), int)A; (map(A, B), A)B; (optional_type(list(A)), int)optional_type(A); "
		"(optional_type(map(A, B)), A)optional_type(B)",
		NULL},
	{"_[?_]",
		"0(list(A), int)optional_type(A); (optional_type(list(A)), int)optional_type(A); "
		"(map(A, B), A)optional_type(B); (optional_type(map(A, B)), A)optional_type(B)",
		NULL},
	/* ---- conversions ---- */
	{"type", "1(A)type(A)", cel_to_type},
	{"dyn", "1(A)dyn", cel_to_dyn},
	{"bool", "1(bool)bool; (string)bool", cel_to_bool},
	{"bytes", "1(bytes)bytes", cel_to_bytes},
	{"bytes", "T(string)bytes", cel_to_bytes},
	{"double", "1(double)double; (int)double; (string)double; (uint)double", cel_to_double},
	{"duration", "1(duration)duration; (int)duration; (string)duration", cel_to_duration},
	{"int", "1(int)int; (double)int; (duration)int; (string)int; (timestamp)int; (uint)int",
		cel_to_int},
	{"string", "1(string)string; (bool)string", cel_to_string},
	{"string", "T(bytes)string", cel_to_string},
	{"string",
		"1(double)string; (duration)string; (int)string; (timestamp)string; (uint)string; "
		"(net.IP)string; (net.CIDR)string",
		cel_to_string},
	{"timestamp", "1(timestamp)timestamp; (int)timestamp; (string)timestamp", cel_to_timestamp},
	{"uint", "1(uint)uint; (double)uint; (int)uint; (string)uint", cel_to_uint},
	/* ---- times ---- */
	{"getFullYear", "1" CALENDAR, cel_get_year},
	{"getMonth", "1" CALENDAR, cel_get_month},
	{"getDayOfYear", "1" CALENDAR, cel_get_year_day},
	{"getDayOfMonth", "1" CALENDAR, cel_get_month_day},
	{"getDate", "1" CALENDAR, cel_get_date},
	{"getDayOfWeek", "1" CALENDAR, cel_get_week_day},
	{"getHours", "1" CALENDAR "; duration.()int", cel_get_hours},
	{"getMinutes", "1" CALENDAR "; duration.()int", cel_get_minutes},
	{"getSeconds", "1" CALENDAR "; duration.()int", cel_get_seconds},
	{"getMilliseconds", "1" CALENDAR "; duration.()int", cel_get_millis},
	/* ---- sizes and text ---- */
	{"size",
		"1(bytes)int; bytes.()int; (list(A))int; list(A).()int; (map(A, B))int; map(A, "
		"B).()int; (string)int; string.()int",
		cel_count},
	{"contains", "*string.(string)bool", cel_contains},
	{"endsWith", "fstring.(string)bool", cel_ends_with},
	{"startsWith", "fstring.(string)bool", cel_starts_with},
	{"matches", "1(string, string)bool", cel_matches},
	{"matches", "xstring.(string)bool", cel_matches},
	{"charAt", "1string.(int)string", cel_char_at},
	{"indexOf", "tstring.(string)int; string.(string, int)int; list(A).(A)int", cel_index_of},
	{"lastIndexOf", "tstring.(string)int; string.(string, int)int; list(A).(A)int",
		cel_last_index_of},
	{"join", "Rlist(string).()string; list(string).(string)string", cel_join},
	{"lowerAscii", "fstring.()string", cel_lower},
	{"replace", "Fstring.(string, string)string; string.(string, string, int)string",
		cel_replace},
	{"split", "Fstring.(string)list(string); string.(string, int)list(string)", cel_split},
	{"substring", "fstring.(int)string; string.(int, int)string", cel_substring},
	{"trim", "fstring.()string", cel_trim},
	{"upperAscii", "fstring.()string", cel_upper},
	{"format", "fstring.(list(dyn))string", cel_format},
	{"strings.quote", "f(string)string", cel_quote},
	{"find", "xstring.(string)string", cel_regex_find},
	{"findAll", "xstring.(string)list(string); string.(string, int)list(string)",
		cel_regex_find_all},
	/* ---- lists and sets ---- */
	{"isSorted", "t" COMPARABLES(AS_BOOL), cel_is_sorted},
	{"sum", "tlist(int).()int", cel_sum_ints},
	{"sum", "tlist(uint).()uint", cel_sum_uints},
	{"sum", "tlist(double).()double", cel_sum_doubles},
	{"sum", "tlist(duration).()duration", cel_sum_durations},
	{"min", "t" COMPARABLES(AS_IS), cel_min},
	{"max", "t" COMPARABLES(AS_IS), cel_max},
	{"includes", "tdyn.(dyn)bool", cel_includes},
	{"slice", "nlist(A).(int, int)list(A)", cel_slice},
	{"flatten", "llist(list(A)).()list(A); list(dyn).(int)list(dyn)", cel_flatten},
	{"sort", "o" COMPARABLES(AS_LIST), cel_sort},
	{"@sortByAssociatedKeys",
		"klist(A).(list(int))list(A); list(A).(list(uint))list(A); "
		"list(A).(list(double))list(A); list(A).(list(bool))list(A); "
		"list(A).(list(duration))list(A); list(A).(list(timestamp))list(A); "
		"list(A).(list(string))list(A); list(A).(list(bytes))list(A)",
		cel_sort_by},
	{"lists.range", "n(int)list(int)", cel_range},
	{"reverse", "nlist(A).()list(A)", cel_reverse},
	{"distinct", "olist(A).()list(A)", cel_distinct},
	{"first", "1list(A).()optional_type(A)", cel_first},
	{"last", "1list(A).()optional_type(A)", cel_last},
	{"sets.contains", "s(list(A), list(A))bool", cel_set_contains},
	{"sets.equivalent", "S(list(A), list(A))bool", cel_set_equivalent},
	{"sets.intersects", "s(list(A), list(A))bool", cel_set_intersects},
	/* ---- optional values ---- */
	{"optional.of", "1(A)optional_type(A)", cel_optional_of},
	{"optional.ofNonZeroValue", "1(A)optional_type(A)", cel_optional_of_non_zero},
	{"optional.none", "1()optional_type(A)", cel_optional_none},
	{"optional.unwrap", "1(list(optional_type(A)))list(A)", cel_unwrap},
	{"unwrapOpt", "1list(optional_type(A)).()list(A)", cel_unwrap},
	{"hasValue", "1optional_type(A).()bool", cel_has_value},
	{"value", "1optional_type(A).()A", cel_value_of},
	{"or", "0optional_type(A).(optional_type(A))optional_type(A)", cel_or},
	{"orValue", "0optional_type(A).(A)A", cel_or_value},
	/* ---- quantities and versions ---- */
	{"quantity", "f(string)kubernetes.Quantity", cel_new_quantity},
	{"isQuantity", "f(string)bool", cel_is_quantity},
	{"sign", "1(kubernetes.Quantity)int", cel_sign},
	{"asApproximateFloat", "1kubernetes.Quantity.()double", cel_approximate},
	{"asInteger", "1kubernetes.Quantity.()int", cel_as_integer},
	{"isInteger", "1kubernetes.Quantity.()bool", cel_is_integer},
	{"add",
		"1kubernetes.Quantity.(kubernetes.Quantity)kubernetes.Quantity; "
		"kubernetes.Quantity.(int)kubernetes.Quantity",
		cel_plus},
	{"sub",
		"1kubernetes.Quantity.(kubernetes.Quantity)kubernetes.Quantity; "
		"kubernetes.Quantity.(int)kubernetes.Quantity",
		cel_minus},
	{"isGreaterThan",
		"1kubernetes.Quantity.(kubernetes.Quantity)bool; "
		"kubernetes.Semver.(kubernetes.Semver)bool",
		cel_is_greater},
	{"isLessThan",
		"1kubernetes.Quantity.(kubernetes.Quantity)bool; "
		"kubernetes.Semver.(kubernetes.Semver)bool",
		cel_is_lower},
	{"compareTo",
		"1kubernetes.Quantity.(kubernetes.Quantity)int; "
		"kubernetes.Semver.(kubernetes.Semver)int",
		cel_compare_to},
	{"semver", "f(string)kubernetes.Semver; (string, bool)kubernetes.Semver", cel_new_semver},
	{"isSemver", "f(string)bool; (string, bool)bool", cel_is_semver},
	{"major", "1kubernetes.Semver.()int", cel_major},
	{"minor", "1kubernetes.Semver.()int", cel_minor},
	{"patch", "1kubernetes.Semver.()int", cel_patch},
	/* ---- addresses ---- */
	{"ip", "f(string)net.IP", cel_new_ip},
	{"ip", "1net.CIDR.()net.IP", cel_new_ip},
	{"isIP", "f(string)bool", cel_is_ip},
	{"ip.isCanonical", "F(string)bool", cel_is_canonical},
	{"family", "1net.IP.()int", cel_family},
	{"isUnspecified", "1net.IP.()bool", cel_is_unspecified},
	{"isLoopback", "1net.IP.()bool", cel_is_loopback},
	{"isLinkLocalMulticast", "1net.IP.()bool", cel_is_local_multicast},
	{"isLinkLocalUnicast", "1net.IP.()bool", cel_is_local_unicast},
	{"isGlobalUnicast", "1net.IP.()bool", cel_is_global_unicast},
	{"cidr", "f(string)net.CIDR", cel_new_cidr},
	{"isCIDR", "f(string)bool", cel_is_cidr},
	{"containsIP", "cnet.CIDR.(string)bool; net.CIDR.(net.IP)bool", cel_contains_ip},
	{"containsCIDR", "cnet.CIDR.(string)bool; net.CIDR.(net.CIDR)bool", cel_contains_cidr},
	{"prefixLength", "1net.CIDR.()int", cel_prefix_length},
	{"masked", "1net.CIDR.()net.CIDR", cel_masked},
	{"url", "f(string)kubernetes.URL", cel_new_url},
	{"isURL", "1(string)bool", cel_is_url},
	{"getScheme", "1kubernetes.URL.()string", cel_get_scheme},
	{"getHost", "1kubernetes.URL.()string", cel_get_host},
	{"getHostname", "1kubernetes.URL.()string", cel_get_hostname},
	{"getPort", "1kubernetes.URL.()string", cel_get_port},
	{"getEscapedPath", "1kubernetes.URL.()string", cel_get_path},
	{"format.named", "1(string)optional_type(kubernetes.NamedFormat)", cel_named_format},
	{"validate", "vkubernetes.NamedFormat.(string)optional_type(list(string))", cel_validate},
	{"getQuery", "1kubernetes.URL.()map(string, list(string))", cel_get_query},
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
