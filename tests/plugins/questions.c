/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests of most plugins ask. */
#include "plugins/questions.h"

#include <stdio.h>

#include <unity.h>

#include "plugins/picture.h"

enum { QUESTIONS_LINE = 4096, SCORED_NODES = 8 };

static bool passes_rules(struct cycle_state *d, const struct plugin *plugin, uint32_t node)
{
	uint32_t count;
	const struct plugin_rule *rules = plugin->rules(d, &count);
	TEST_ASSERT_NOT_NULL(rules);
	bool passes = true;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t domain = rules[i].of_node[node];
		passes = passes && rules[i].counts[domain] >= rules[i].least &&
			rules[i].counts[domain] <= rules[i].most &&
			(domain != 0 || !rules[i].needs_key);
	}
	return passes;
}

const char *questions_verdict(enum plugin_id id, const char *node)
{
	static const char *const codes[] = {[PLUGIN_SUCCESS] = "fits",
		[PLUGIN_ERROR] = "error",
		[PLUGIN_UNSCHEDULABLE] = "unschedulable",
		[PLUGIN_UNRESOLVABLE] = "unresolvable",
		[PLUGIN_SKIP] = "skip"};
	static char line[QUESTIONS_LINE];
	const struct plugin *plugin = plugins[id];
	struct cycle_state *d = picture_decide("default", "p");
	enum plugin_code code =
		plugin->pre_filter == NULL ? PLUGIN_SUCCESS : plugin->pre_filter(d, picture_why());
	if (code == PLUGIN_SUCCESS) {
		code = plugin->filter(d, picture_view(node), picture_why());
		if (plugin->rules != NULL)
			TEST_ASSERT_EQUAL(code == PLUGIN_SUCCESS,
				passes_rules(d, plugin, picture_node(node)));
	}
	const char *words = picture_reasons();
	if (words[0] == '\0')
		return codes[code];
	snprintf(line, sizeof(line), "%s: %s", codes[code], words);
	return line;
}

static void same_when_added(
	struct cycle_state *d, const struct plugin *plugin, const int64_t *scores)
{
	int64_t totals[SCORED_NODES] = {0};
	TEST_ASSERT_TRUE(plugin->add_scores != NULL ? plugin->add_scores(d, 3, totals)
						    : plugin_add_one_by_one(d, plugin, 3, totals));
	for (uint32_t i = 0; i < d->feasible_count; i++)
		TEST_ASSERT_EQUAL_INT64(3 * scores[i], totals[i]);
}

static void write_scores(struct writer *w, const int64_t *scores, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		write_format(w, "%s%lld", w->used == 0 ? "" : " ", (long long)scores[i]);
}

const char *questions_scores(enum plugin_id id)
{
	static char line[QUESTIONS_LINE];
	static uint32_t nodes[SCORED_NODES + 1];
	const char *names[SCORED_NODES] = {"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"};
	const struct plugin *plugin = plugins[id];
	struct cycle_state *d = picture_decide("default", "p");
	int64_t scores[SCORED_NODES] = {0};
	d->feasible = nodes;
	while (d->feasible_count < SCORED_NODES &&
		(nodes[d->feasible_count] = cache_find_node(
			 &picture.cache, text_of(names[d->feasible_count]))) != 0)
		d->feasible_count++;
	enum plugin_code code = plugin->pre_score == NULL ? PLUGIN_SUCCESS : plugin->pre_score(d);
	if (code != PLUGIN_SUCCESS)
		return code == PLUGIN_SKIP ? "skip" : "error";
	for (uint32_t i = 0; i < d->feasible_count; i++)
		scores[i] = plugin->score(d, nodes[i]);
	struct writer w;
	writer_init(&w, line, sizeof(line) - 1);
	write_scores(&w, scores, d->feasible_count);
	if (plugin->normalise != PLUGIN_RAW) {
		plugin_normalise(plugin, d, scores, d->feasible_count);
		write_z(&w, " ->");
		write_scores(&w, scores, d->feasible_count);
	}
	same_when_added(d, plugin, scores);
	line[w.used] = '\0';
	return line;
}
