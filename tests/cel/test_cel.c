/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What compiling and evaluating promise besides values: errors with their places, bounds on memory,
 * work and depth, and that nothing is kept that need not be.
 */
// deps: base/*.c kube/quantity.c kube/quantity_big.c kube/quantity_parse.c kube/quantity_print.c
// deps: kube/time.c kube/duration.c kube/name_rule.c cel/*.c tests/cel/world.c
#include <stdio.h>
#include <stdlib.h>

#include "cel/world.h"
#include "unity.h"

static struct world world;

void setUp(void)
{
	world_init(&world);
}

void tearDown(void)
{
}

static const char *answer(const char *source)
{
	uint64_t cost = 0;

	return world_answer(&world, text_of(source), CEL_COST_MAX, &cost);
}

static void test_compile_of_several_errors_then_all_are_told_in_order_with_their_lines(void)
{
	TEST_ASSERT_EQUAL_STRING(
		"refused: compilation failed: "
		"ERROR: <input>:1:1: undeclared reference to 'a' (in container '')\n"
		" | a &&\n"
		" | ^\n"
		"ERROR: <input>:2:8: undeclared reference to 'b' (in container '')\n"
		" | '\xc3\xa9' == b\n"
		" | .\xef\xbc\x8e.....^",
		answer("a &&\n'\xc3\xa9' == b"));
}

static void test_evaluate_over_the_cost_limit_then_it_ends_and_nothing_absorbs_that(void)
{
	uint64_t cost = 0;

	TEST_ASSERT_EQUAL_STRING("error: operation cancelled: actual cost limit exceeded",
		world_answer(&world, TEXT("numbers.exists(n, n > 9) || true"), 10, &cost));
	TEST_ASSERT_EQUAL_STRING(
		"true", world_answer(&world, TEXT("numbers.exists(n, n > 9) || true"), 100, &cost));
	TEST_ASSERT_TRUE(cost > 10 && cost <= 100);
}

static void test_evaluate_without_room_then_it_says_so(void)
{
	const struct cel_program *program =
		world_compile(&world, TEXT("(s + s).size() == 8 || true"));
	static _Alignas(16) uint8_t little[16];
	struct scratch scratch;
	struct cel_value value;
	char text[200];
	struct writer out;

	scratch_init(&scratch, little, sizeof(little));
	TEST_ASSERT_TRUE(scratch_take(&scratch, 16) != NULL);
	value = cel_evaluate(program, world.variables, CEL_COST_MAX, &scratch, NULL);
	writer_init(&out, text, sizeof(text));
	cel_print(&value, &out);
	TEST_ASSERT_TRUE(text_is_z(
		writer_text(&out), "operation cancelled: it needs more memory than it may take"));
}

static void test_compile_without_room_then_it_says_so_and_takes_none(void)
{
	struct writer out;
	char text[2000];

	for (size_t size = 0; size < 6000; size += 64) {
		struct scratch keep;

		scratch_init(&keep, world.keep.base, size);
		writer_init(&out, text, sizeof(text));
		if (cel_compile(world.declarations,
			    TEXT("s.matches('[a-z]+') && quantity('1').isInteger()"), &world.work,
			    &keep, &out) != NULL)
			return;
		TEST_ASSERT_EQUAL_size_t(0, keep.used);
		TEST_ASSERT_TRUE(text_contains(writer_text(&out), TEXT("out of memory")));
	}
	TEST_FAIL_MESSAGE("6 kB are enough");
}

/* `count` times `unit`, then `middle`, then `count` times `end`. */
static const char *nested(const char *unit, const char *middle, const char *end, int count)
{
	static char text[40000];
	struct writer out;

	writer_init(&out, text, sizeof(text) - 1);
	for (int i = 0; i < count; i++)
		write_z(&out, unit);
	write_z(&out, middle);
	for (int i = 0; i < count; i++)
		write_z(&out, end);
	TEST_ASSERT_FALSE(out.overflowed);
	text[out.used] = '\0';
	return text;
}

static void test_compile_too_deep_then_it_is_refused(void)
{
	static const char refused[] =
		"refused: compilation failed: ERROR: <input>:-1:0: expression "
		"recursion limit exceeded: 250";

	TEST_ASSERT_EQUAL_STRING("1", answer(nested("(", "1", ")", 240)));
	TEST_ASSERT_EQUAL_STRING(refused, answer(nested("(", "1", ")", 260)));
	TEST_ASSERT_EQUAL_STRING(refused, answer(nested("[", "1", "]", 2000)));
	TEST_ASSERT_EQUAL_STRING("241", answer(nested("1 + ", "1", "", 240)));
	TEST_ASSERT_EQUAL_STRING(refused, answer(nested("1 + ", "1", "", 260)));
	TEST_ASSERT_EQUAL_STRING(refused, answer(nested("", "1", " + 1", 260)));
	TEST_ASSERT_EQUAL_STRING("true", answer(nested("true && ", "true", "", 2000)));
	TEST_ASSERT_EQUAL_STRING("true", answer(nested("!", "true", "", 2000)));
}

/* Values that hold others twice look small, and are not. */
static void test_evaluate_of_values_that_double_then_work_is_bounded(void)
{
	static const char cost[] = "error: operation cancelled: actual cost limit exceeded";

	TEST_ASSERT_EQUAL_STRING(cost,
		answer("cel.bind(a, [i], cel.bind(b, [a, a], cel.bind(c, [b, b], cel.bind(d, [c, "
		       "c], "
		       "cel.bind(e, [d, d], cel.bind(f, [e, e], cel.bind(g, [f, f], cel.bind(h, "
		       "[g, g], "
		       "cel.bind(j, [h, h], cel.bind(k, [j, j, j, j, j, j, j, j], "
		       "cel.bind(l, [k, k, k, k, k, k, k, k], cel.bind(m, [l, l, l, l, l, l, l, "
		       "l], "
		       "cel.bind(n, [m, m, m, m, m, m, m, m], cel.bind(o, [n, n, n, n, n, n, n, "
		       "n], "
		       "cel.bind(p, [o, o, o, o, o, o, o, o], cel.bind(q, [p, p, p, p, p, p, p, "
		       "p], "
		       "[q] == [q + []] && [q] == [[p, p, p, p, p, p, p, p + []]] "
		       "))))))))))))))))"));
}

static void test_result_type_of_an_attribute_then_it_is_any(void)
{
	const struct cel_program *program =
		world_compile(&world, TEXT("device.attributes['gpu.example.com'].ecc"));

	TEST_ASSERT_TRUE(text_is_z(cel_result_type(program), "any"));
	program = world_compile(&world, TEXT("{'a': [1.5]}"));
	TEST_ASSERT_TRUE(text_is_z(cel_result_type(program), "map(string, list(double))"));
}

static void test_loops_over_long_lists_then_memory_does_not_grow(void)
{
	uint64_t cost = 0;

	world.scratch.size = 4096;
	TEST_ASSERT_EQUAL_STRING("true",
		world_answer(&world,
			TEXT("many.all(n, ('x' + string(n)).size() > 1 && [n, n][0] == n)"),
			CEL_COST_MAX, &cost));
}

struct reads {
	char text[512];
	struct writer out;
};

static void note_read(void *self, struct text field, struct text key)
{
	struct reads *reads = self;

	write_format(&reads->out, "%s%.*s[%.*s]", reads->out.used == 0 ? "" : " ",
		field.at == NULL ? 1 : (int)field.size, field.at == NULL ? "*" : field.at,
		key.at == NULL ? 1 : (int)key.size, key.at == NULL ? "*" : key.at);
}

static const char *reads_of(const char *source)
{
	static const struct cel_field fields[] = {{"a", "map(string, int)"},
		{"b", "map(string, map(string, int))"}, {"c", "int"}, {"l", "list(int)"}};
	static const struct cel_object objects[] = {{"Thing", fields, ARRAY_COUNT(fields)}};
	static const struct cel_field variables[] = {{"other", "int"}, {"x", "Thing"}};
	static const struct cel_declarations declarations = {.variables = variables,
		.variables_count = ARRAY_COUNT(variables),
		.objects = objects,
		.objects_count = ARRAY_COUNT(objects)};
	static struct reads reads;
	const struct cel_program *program;

	world.declarations = &declarations;
	program = world_compile(&world, text_of(source));
	TEST_ASSERT_NOT_NULL_MESSAGE(program, world.text);
	writer_init(&reads.out, reads.text, sizeof(reads.text) - 1);
	cel_each_read(program, 1, note_read, &reads);
	reads.text[reads.out.used] = '\0';
	return reads.text;
}

static void test_reads_of_a_program_then_each_place_has_its_field_and_key(void)
{
	TEST_ASSERT_EQUAL_STRING("", reads_of("other == 1"));
	TEST_ASSERT_EQUAL_STRING("c[*]", reads_of("x.c"));
	TEST_ASSERT_EQUAL_STRING("a[k]", reads_of("x.a.k == 1"));
	TEST_ASSERT_EQUAL_STRING("a[k] a[m]", reads_of("x.a['k'] == 1 || has(x.a.m)"));
	TEST_ASSERT_EQUAL_STRING("a[k] a[m]", reads_of("'k' in x.a && x.a[?'m'].orValue(1) > 0"));
	TEST_ASSERT_EQUAL_STRING("a[kl]", reads_of("x.a['k' + 'l']"));
	TEST_ASSERT_EQUAL_STRING("b[k]", reads_of("x.b.k.all(v, n, n > 1)"));
	TEST_ASSERT_EQUAL_STRING("a[*]", reads_of("x.a[string(other)]"));
	TEST_ASSERT_EQUAL_STRING("a[*]", reads_of("string(other) in x.a"));
	TEST_ASSERT_EQUAL_STRING("a[*]", reads_of("x.a.all(k, k == 'a')"));
	TEST_ASSERT_EQUAL_STRING("a[*]", reads_of("size(x.a)"));
	TEST_ASSERT_EQUAL_STRING("a[*]", reads_of("cel.bind(m, x.a, m['k'])"));
	TEST_ASSERT_EQUAL_STRING("l[*] c[*]", reads_of("x.l.exists(n, n == x.c)"));
	TEST_ASSERT_EQUAL_STRING("*[*]", reads_of("[x].size()"));
	TEST_ASSERT_EQUAL_STRING("*[*]", reads_of("cel.bind(y, x, y.c)"));
	TEST_ASSERT_EQUAL_STRING("*[*]", reads_of("dyn(x).c"));
	TEST_ASSERT_EQUAL_STRING("*[*]", reads_of("x"));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_compile_of_several_errors_then_all_are_told_in_order_with_their_lines);
	RUN_TEST(test_evaluate_over_the_cost_limit_then_it_ends_and_nothing_absorbs_that);
	RUN_TEST(test_evaluate_without_room_then_it_says_so);
	RUN_TEST(test_compile_without_room_then_it_says_so_and_takes_none);
	RUN_TEST(test_compile_too_deep_then_it_is_refused);
	RUN_TEST(test_evaluate_of_values_that_double_then_work_is_bounded);
	RUN_TEST(test_result_type_of_an_attribute_then_it_is_any);
	RUN_TEST(test_loops_over_long_lists_then_memory_does_not_grow);
	RUN_TEST(test_reads_of_a_program_then_each_place_has_its_field_and_key);
	return UNITY_END();
}
