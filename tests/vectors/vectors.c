/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vectors [--release 1.36|1.37] DIR [FAMILY] - decides the clusters of DIR/NAME.jsonl (or
 * .jsonl.xz) as berth does and compares each key of `expect` with what kube-scheduler decided.
 * Twice: with counters and rows, and with everything recounted. Lines with an `event` are about
 * what it wakes; lines with `in` are quantities. Prints each mismatch as a readable difference.
 *
 * A line may name its release itself. The files of this folder have those of both releases, one
 * beside the other, since they hardly differ:
 *   paste -d '\n' A B, where A and B are a file of each release,
 *   sed 's/^{/{"release":"1.36",/' before that, xz -9e behind it.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c yaml/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
// deps: tests/vectors/compare.c tests/vectors/hints.c tests/vectors/lines.c
// deps: tests/vectors/amounts.c tests/vectors/dra.c
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "cache/feed.h"
#include "cycle/cycle.h"
#include "profile/profile.h"
#include "vectors/amounts.h"
#include "vectors/compare.h"
#include "vectors/dra.h"
#include "vectors/hints.h"
#include "vectors/lines.h"

enum {
	LINE_MAX_BYTES = 4 << 20,
	SCRATCH_BYTES = 16 << 20,
	ANSWER_BYTES = 1 << 20,
	ARENA_BYTES = 96 << 20
};

static const struct cache_limits limits = {.nodes = 64,
	.pods = 512,
	.objects = 1024,
	.classes = 512,
	.label_sets = 512,
	.strings = 16384,
	.images = 512,
	.counters = 256,
	.changes = CACHE_LOG_MIN,
	.store_bytes = 16 << 20};
static const struct cycle_limits cycle_limits = {.nodes = 64, .rows = 4, .scratch_bytes = 8 << 20};

struct bench { /* what one case needs */
	void *block;
	struct scratch parse;
	struct scratch decode;
	char *answer;
	enum kube_release release; /* of lines that name none */
};

static void say(const char *name, const char *what, struct text detail)
{
	printf("%s: %s: %.*s\n", name, what, TEXT_ARGS(detail));
}

static bool load(
	struct bench *bench, struct cache *cache, struct json_value objects, const char *name)
{
	struct json_walk walk = json_walk(objects);
	while (json_walk_next(&walk)) {
		struct text kind_name = json_text(json_get(walk.value, "kind"));
		enum kube_kind kind = kube_kind_of(kind_name);
		if (kind == KUBE_NO_KIND) {
			say(name, "unknown kind", kind_name);
			return false;
		}
		struct cache_fed fed;
		scratch_reset(&bench->decode);
		if (!cache_feed(cache, &bench->decode, kind, walk.value, &fed)) {
			say(name, "object refused", fed.name);
			if (fed.fault_field != NULL)
				printf("    %s: %s\n", fed.fault_field, fed.fault_reason);
			return false;
		}
		hints_work_off(cache);
	}
	cache_audit(cache);
	return true;
}

static uint32_t find_pod(const struct cache *cache, struct text name)
{
	size_t slash = text_find(name, '/');
	return cache_find_pod(cache, text_first(name, slash), text_from(name, slash + 1));
}

static bool compare_way(struct bench *bench, struct cycle *cycle, uint32_t pod,
	enum cache_count_mode way, struct json_value expect, const char *name)
{
	struct writer out;
	writer_init(&out, bench->answer, ANSWER_BYTES);
	cycle_explain(cycle, pod, way, &out);
	struct json_value answer;
	scratch_reset(&bench->decode);
	if (out.overflowed ||
		json_parse(writer_text(&out), &bench->decode, &answer) != JSON_PARSED) {
		say(name, "answer is not JSON", writer_text(&out));
		return false;
	}
	return compare_answers(name, expect, answer);
}

/* The decision itself, without words, must be one that explain calls right. */
static bool compare_decision(
	struct cycle *cycle, uint32_t pod, struct json_value expect, const char *name)
{
	struct schedule_result decision;
	cycle_decide(cycle, pod, CACHE_COUNT_FAST, &decision);
	if (decision.outcome != CYCLE_PLACED) {
		struct text message = json_text(json_get(expect, "message"));
		if (decision.outcome == CYCLE_REJECTED &&
			compare_message(message, decision.preemption.found, decision.message))
			return true;
		if (decision.outcome == CYCLE_FAILED &&
			text_is(json_text(json_get(expect, "error")), decision.message))
			return true;
		say(name, "decided", decision.message);
		return false;
	}
	struct text node =
		cache_text(cycle->cache, cache_node_at(cycle->cache, decision.node)->name);
	/* A nominated node that will do is taken without looking for a better one. */
	bool nominated = cache_pod_at(cycle->cache, pod)->nominated != 0;
	struct json_walk walk = json_walk(json_get(expect, nominated ? "feasible" : "best"));
	while (json_walk_next(&walk))
		if (text_is(json_text(walk.value), node))
			return true;
	say(name, "chose", node);
	return false;
}

static bool read_release(struct text version, enum kube_release *release)
{
	char words[256];
	struct writer fault;
	writer_init(&fault, words, sizeof(words));
	return kube_release_read(version, release, &fault);
}

static bool read_config(struct bench *bench, struct profile_memory *memory, struct text json,
	struct plugin_profile *profile, const char *name)
{
	static struct config_faults faults;
	static struct config_faults notes;
	static struct scheduler_config config;
	static struct plugin_profile profiles[SCHEDULER_PROFILES_MAX];
	char words[256];
	struct writer fault;
	writer_init(&fault, words, sizeof(words));
	scratch_reset(&bench->decode);
	const struct feature_gates gates = profile->gates;
	if (scheduler_config_read(json, &bench->decode, &config, &faults, &notes) !=
		SCHEDULER_CONFIG_OK) {
		config_faults_print(&faults, text_of(name), &fault);
		say(name, "config refused", writer_text(&fault));
		return false;
	}
	config.gates = gates;
	if (profiles_build(memory, &config, profiles, &fault) != PROFILE_OK) {
		say(name, "config refused", writer_text(&fault));
		return false;
	}
	*profile = profiles[0];
	return true;
}

static bool run_case(struct bench *bench, struct json_value line, const char *name)
{
	struct arena arena;
	arena_init(&arena, bench->block, ARENA_BYTES);
	budget_reset();
	struct cache cache;
	struct cycle cycle;
	static struct plugin_profile profile;
	cache_init(&cache, &arena, &limits);
	const struct feature_choices no_choices = {.given = {0}};
	enum kube_release release = bench->release;
	struct json_value version = json_get(line, "release");
	if (json_type(version) == JSON_STRING && !read_release(json_text(version), &release)) {
		say(name, "unknown release", json_text(version));
		return false;
	}
	struct feature_gates gates;
	feature_gates_set(&gates, &no_choices, release);
	profile_defaults_with(&cache, &gates, &profile);
	cache.release = release;
	struct json_value config = json_get(line, "config");
	struct profile_memory memory = {&cache, &arena, &bench->decode};
	if (json_type(config) == JSON_OBJECT &&
		!read_config(bench, &memory, json_raw(config), &profile, name))
		return false;
	cycle_init(&cycle, &arena, &cycle_limits, &cache, &profile, 1);
	struct json_value expect = json_get(line, "expect");
	struct json_value event = json_get(line, "event");
	if (json_type(event) == JSON_OBJECT)
		hints_before(&cache, &bench->decode, event);
	if (!load(bench, &cache, json_get(line, "objects"), name))
		return false;
	uint32_t pod = find_pod(&cache, json_text(json_get(line, "pod")));
	if (pod == 0) {
		say(name, "no pod", json_text(json_get(line, "pod")));
		return false;
	}
	if (json_type(event) == JSON_OBJECT) {
		struct hints hints = {
			.cache = &cache, .profile = &profile, .pod = pod, .name = name};
		return hints_agree(&hints, &bench->decode, event, expect);
	}
	return compare_way(bench, &cycle, pod, CACHE_COUNT_RECOUNT, expect, name) &&
		compare_way(bench, &cycle, pod, CACHE_COUNT_FAST, expect, name) &&
		compare_decision(&cycle, pod, expect, name) &&
		dra_gate_agrees(&cycle, pod, expect, name) && dra_agrees(&cycle, pod, expect, name);
}

struct score {
	uint32_t right;
	uint32_t wrong;
	struct bench *bench;
};

static void run_line(void *self, struct text text)
{
	struct score *score = self;
	struct json_value line;
	scratch_reset(&score->bench->parse);
	char name[128] = "?";
	bool right = false;
	if (json_parse(text, &score->bench->parse, &line) == JSON_PARSED) {
		snprintf(name, sizeof(name), "%.*s %.*s",
			TEXT_ARGS(json_text(json_get(line, "name"))),
			TEXT_ARGS(json_text(json_get(line, "release"))));
		right = json_type(json_get(line, "in")) == JSON_STRING
			? amounts_agree(line)
			: run_case(score->bench, line, name);
	} else {
		printf("a line of %zu bytes does not parse\n", text.size);
	}
	score->right += right;
	score->wrong += !right;
}

int main(int argc, char **argv)
{
	struct bench bench = {.block = memory_reserve(ARENA_BYTES),
		.answer = memory_reserve(ANSWER_BYTES),
		.release = KUBE_RELEASE_DEFAULT};
	bool is_right = true;
	if (argc > 2 && strcmp(argv[1], "--release") == 0) {
		is_right = read_release(text_of(argv[2]), &bench.release);
		argv += 2;
		argc -= 2;
	}
	if (argc < 2 || !is_right) {
		fprintf(stderr, "usage: vectors [--release 1.36|1.37] DIR [FAMILY]\n");
		return 2;
	}
	scratch_init(&bench.parse, memory_reserve(SCRATCH_BYTES), SCRATCH_BYTES);
	scratch_init(&bench.decode, memory_reserve(SCRATCH_BYTES), SCRATCH_BYTES);
	struct score score = {.bench = &bench};
	bool read = lines_each_file(
		argv[1], argc > 2 ? argv[2] : NULL, LINE_MAX_BYTES, run_line, &score);
	printf("%u Tests %u Failures 0 Ignored\n", score.right + score.wrong, score.wrong);
	return read && score.wrong == 0 && score.right > 0 ? 0 : 1;
}
