/* SPDX-License-Identifier: GPL-2.0-only */
#include "plugins/decide.h"

#include <stdio.h>
#include <unity.h>

#include "plugins/picture.h"

const char *decide_in(struct cycle *cycle, uint32_t pod)
{
	static char words[4096];
	struct schedule_result slow, fast;
	cycle_decide(cycle, pod, CACHE_COUNT_RECOUNT, &slow);
	uint32_t node = slow.node;
	enum cycle_outcome outcome = slow.outcome;
	cycle_decide(cycle, pod, CACHE_COUNT_FAST, &fast);
	TEST_ASSERT_EQUAL(outcome, fast.outcome);
	TEST_ASSERT_EQUAL_UINT32(node, fast.node);
	struct text says = fast.outcome != CYCLE_PLACED
		? fast.message
		: cache_text(&picture.cache, cache_node_at(&picture.cache, node)->name);
	snprintf(words, sizeof(words), "%.*s", TEXT_ARGS(says));
	return words;
}
