/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tests, bench and fuzzer evaluate in: a device as drivers describe it, and some variables of
 * each kind.
 */
#ifndef BERTH_TESTS_CEL_WORLD_H
#define BERTH_TESTS_CEL_WORLD_H

#include "cel/cel.h"

enum { WORLD_WORK = 1 << 20, WORLD_KEEP = 1 << 18, WORLD_SCRATCH = 1 << 20 };

struct world {
	struct scratch work;
	struct scratch keep;
	struct scratch scratch;
	const struct cel_declarations *declarations;
	const struct cel_value *variables;
	char text[8192]; /* what was printed last */
};

void world_init(struct world *w);
/* NULL: w->text has the errors. */
const struct cel_program *world_compile(struct world *w, struct text source);
/* "value", "error: ..." or "refused: ..."; *cost as upstream counts it. */
const char *world_answer(struct world *w, struct text source, uint64_t cost_max, uint64_t *cost);

#endif
