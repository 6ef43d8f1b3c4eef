/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as an expression: no crash, the same answer each time, the cost that is counted is the
 * cost that is enough, and errors that can be printed.
 */
// deps: base/*.c kube/quantity.c kube/quantity_big.c kube/quantity_parse.c kube/quantity_print.c
// deps: kube/time.c kube/duration.c kube/name_rule.c cel/*.c tests/cel/world.c tests/fuzz/fuzz.c
#include "cel/world.h"
#include "fuzz/fuzz.h"

enum { COST_MAX = 2000, ANSWER_MAX = 16 * 1024 };

static struct text answer(struct world *w, const struct cel_program *program, uint64_t cost_max,
	char *to, uint64_t *cost)
{
	struct writer out;
	struct cel_value value;

	scratch_reset(&w->scratch);
	value = cel_evaluate(program, w->variables, cost_max, &w->scratch, cost);
	writer_init(&out, to, ANSWER_MAX);
	write_z(&out, value.kind == CEL_ERROR ? "error: " : "");
	cel_print(&value, &out);
	return writer_text(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct world world;
	static char texts[2][ANSWER_MAX];
	const struct cel_program *program;
	struct text first;
	uint64_t cost[2];

	world_init(&world);
	program = world_compile(&world, (struct text){(const char *)bytes, size});
	if (program == NULL) {
		CHECK(world.keep.used == 0);
		CHECK(world.text[0] != '\0' || size > sizeof(world.text) / 4);
		return 0;
	}
	first = answer(&world, program, COST_MAX, texts[0], &cost[0]);
	CHECK(text_is(first, answer(&world, program, COST_MAX, texts[1], &cost[1])));
	CHECK(cost[0] == cost[1]);
	if (cost[0] > 0 && cost[0] <= COST_MAX &&
		!text_starts(first, TEXT("error: operation cancelled")))
		CHECK(text_starts(answer(&world, program, cost[0] - 1, texts[1], &cost[1]),
			TEXT("error: operation cancelled")));
	return 0;
}
