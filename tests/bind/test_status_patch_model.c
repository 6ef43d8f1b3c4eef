/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Many pods, many words, and a server that fails in every way it can: against a model that applies
 * the patches. Whatever was answered as done must be in the model at that moment, and nothing may
 * be left out because of words that were overtaken.
 */
// deps: api/*.c bind/status_patch*.c bind/eviction.c bind/body_binding.c bind/body_status.c
// deps: net/*.c tls/*.c http/*.c json/*.c kube/*.c base/*.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c tests/bind/status_patch_fixture.c
#include "bind/status_patch_cases.h"

enum { PODS = 5, CALLS = 64, STEPS = 300, SEEDS = 40, WORD_MAX = 32, SCHEDULED = 0, TARGET = 1 };

struct said {
	bool there;
	char reason[WORD_MAX];
	char message[128];
	int64_t generation;
};

struct state {
	struct said conditions[2];
	char nominated[WORD_MAX];
};

struct call {
	uint64_t tag;
	bool condition, nominated;
	struct state words;
};

struct model_pod {
	char name[8];
	bool exists;
	struct state is;   /* at the server */
	struct state seen; /* as the watch showed it last */
	struct call calls[CALLS];
	uint32_t called, heard;
	bool victim;         /* an eviction is on its way */
	bool was_told;       /* it has arrived: the patch */
	bool deletion_final; /* a deletion was answered, and not with "later" */
};

static struct model_pod pods[PODS];
static struct random dice;
static uint64_t tags;
static uint32_t victims;

void setUp(void)
{
}

void tearDown(void)
{
	fixture_end();
	bed_stop(&bed);
}

static bool one_in(uint32_t n)
{
	return random_below(&dice, n) == 0;
}

/* ---- the server ---- */

static struct model_pod *pod_of(const char *line)
{
	struct text rest = text_of(strstr(line, "/pods/") + strlen("/pods/"));
	struct text name;

	TEST_ASSERT_TRUE(text_cut(&rest, '/', &name));
	for (uint32_t i = 0; i < PODS; i++)
		if (text_is_z(name, pods[i].name))
			return &pods[i];
	TEST_FAIL_MESSAGE(line);
	return NULL;
}

static void merge_text(struct json_value object, const char *key, char *to, size_t size)
{
	struct json_value v = json_get(object, key);

	if (json_type(v) == JSON_NULL)
		to[0] = '\0';
	else if (json_type(v) == JSON_STRING)
		TEST_ASSERT_TRUE(text_copy(json_text(v), to, size));
}

static void merge(struct model_pod *pod, const char *body)
{
	struct scratch_mark mark = scratch_mark(&fixture.scratch);
	struct json_value status = json_get(fixture_json(body, NULL), "status");
	struct json_walk walk = json_walk(json_get(status, "conditions"));

	while (json_walk_next(&walk)) {
		bool target =
			text_is_z(json_text(json_get(walk.value, "type")), "DisruptionTarget");
		struct said *said = &pod->is.conditions[target ? TARGET : SCHEDULED];

		if (!said->there) /* the server refuses a condition without one */
			TEST_ASSERT_EQUAL_INT(
				JSON_STRING, json_type(json_get(walk.value, "status")));
		said->there = true;
		merge_text(walk.value, "reason", said->reason, sizeof(said->reason));
		merge_text(walk.value, "message", said->message, sizeof(said->message));
		struct json_value generation = json_get(walk.value, "observedGeneration");

		TEST_ASSERT_TRUE(json_type(generation) == JSON_NONE ||
			json_i64(generation, &said->generation));
	}
	merge_text(status, "nominatedNodeName", pod->is.nominated, sizeof(pod->is.nominated));
	scratch_rewind(&fixture.scratch, mark);
}

static void carry_out(struct model_pod *pod, const struct bed_seen *seen)
{
	if (strncmp(seen->line, "DELETE ", 7) == 0)
		pod->exists = false;
	else
		merge(pod, seen->body);
}

static const struct bed_reply ways[] = {
	{BED_ANSWER, 500, "", "{}"},
	{BED_ANSWER, 503, "", ""},
	{BED_ANSWER, 409, "", "{}"},
	{BED_ANSWER, 403, "", "{}"},
	{BED_ANSWER, 404, "", "not here"},
	{BED_ANSWER, 429, "Retry-After: 1\r\n", "{}"},
	{BED_ANSWER, 503, "Retry-After: 1\r\n", "{}"},
	{BED_CUT, 0, "", ""},
	{BED_SILENT, 0, "", ""},
	{BED_HALF, 0, "", ""},
};

static struct bed_reply answer(struct bed *b, const struct bed_seen *seen, int64_t *at_us)
{
	struct model_pod *pod = pod_of(seen->line);
	bool deletion = strncmp(seen->line, "DELETE ", 7) == 0;
	struct bed_reply reply = {BED_ANSWER, 200, "", "{\"kind\":\"Pod\"}"};

	*at_us += random_below(&dice, 40 * CLOCK_MS_US);
	if (one_in(40))
		b->wire.refuses = !b->wire.refuses;
	if (deletion) {
		TEST_ASSERT_TRUE(pod->victim);
		TEST_ASSERT_TRUE(pod->was_told);
		TEST_ASSERT_FALSE(pod->deletion_final);
	}
	if (one_in(3))
		reply = ways[random_below(&dice, ARRAY_COUNT(ways))];
	bool later = reply.headers[0] != '\0';
	bool good = reply.status == 200 || reply.way == BED_HALF;

	pod->deletion_final = pod->deletion_final || (deletion && !later);
	if (!pod->exists && good)
		return (struct bed_reply){BED_ANSWER, 404, "", BED_NOT_FOUND};
	/* What was not answered well may have been done nevertheless. */
	if (pod->exists && (good || (!later && one_in(2))))
		carry_out(pod, seen);
	pod->was_told = pod->was_told || (good && strstr(seen->body, "DisruptionTarget") != NULL);
	return reply;
}

/* ---- what is said ---- */

static void check_state(const struct state *is, const struct call *call)
{
	if (call->condition) {
		TEST_ASSERT_EQUAL_STRING(call->words.conditions[SCHEDULED].message,
			is->conditions[SCHEDULED].message);
		TEST_ASSERT_EQUAL_STRING(
			call->words.conditions[SCHEDULED].reason, is->conditions[SCHEDULED].reason);
	}
	if (call->nominated)
		TEST_ASSERT_EQUAL_STRING(call->words.nominated, is->nominated);
}

static void draw_call(struct call *call)
{
	struct said *said = &call->words.conditions[SCHEDULED];

	*call = (struct call){.tag = ++tags};
	call->condition = !one_in(4);
	call->nominated = !call->condition || one_in(3);
	snprintf(said->reason, sizeof(said->reason), "%s",
		one_in(3) ? "SchedulerError" : "Unschedulable");
	snprintf(said->message, sizeof(said->message), "message %u", random_below(&dice, 3));
	said->generation = 1 + random_below(&dice, 3);
	if (!one_in(3))
		snprintf(call->words.nominated, sizeof(call->words.nominated), "node-%u",
			random_below(&dice, 2));
}

static bool say_call(const struct model_pod *to, const struct call *call)
{
	const struct said *words = &call->words.conditions[SCHEDULED];
	const struct said *old = &to->seen.conditions[SCHEDULED];
	const struct body_condition condition = {.type = TEXT("PodScheduled"),
		.status = TEXT("False"),
		.reason = text_of(words->reason),
		.message = text_of(words->message),
		.observed_generation = words->generation};
	const struct kube_condition olds[] = {
		{.type = TEXT("Ready"), .status = TEXT("False")},
		{.type = TEXT("PodScheduled"),
			.status = TEXT("False"),
			.reason = text_of(old->reason),
			.message = text_of(old->message),
			.observed_generation = old->generation},
	};
	const struct body_status status = {.old = olds,
		.old_count = old->there ? 2 : 1,
		.old_nominated = text_of(to->seen.nominated),
		.condition = call->condition ? &condition : NULL,
		.set_nominated = call->nominated,
		.nominated = text_of(call->words.nominated),
		.now = now()};
	const struct body_pod body = pod(to->name);

	return status_patcher_send(bed.patcher, &body, &status, call->tag);
}

static void say_something(struct model_pod *to)
{
	struct call call;

	if (status_patcher_room(bed.patcher) == 0 || to->called - to->heard == CALLS)
		return;
	draw_call(&call);
	if (to->called == to->heard)
		to->seen =
			to->is; /* the watch lags behind what is on its way, not behind the past */
	if (say_call(to, &call)) {
		to->calls[to->called++ % CALLS] = call;
		return;
	}
	if (to->called == to->heard)
		check_state(&to->is, &call);
	else
		check_state(&to->calls[(to->called - 1) % CALLS].words, &call);
}

static void evict_it(struct model_pod *to)
{
	const struct said *old = &to->is.conditions[TARGET];
	const struct kube_condition olds[] = {{.type = TEXT("DisruptionTarget"),
		.status = TEXT("True"),
		.reason = text_of(old->reason),
		.message = text_of(old->message),
		.observed_generation = old->generation}};
	const struct eviction_order victim = {.pod = pod(to->name),
		.old = olds,
		.old_count = old->there ? 1 : 0,
		.generation = 1,
		.preemptor_scheduler = TEXT("default-scheduler"),
		.tag = (uint64_t)(to - pods)};

	if (evictor_room(bed.evictor) == 0 || to->victim)
		return;
	to->victim = true;
	to->was_told = old->there;
	to->deletion_final = false;
	victims++;
	evictor_evict(bed.evictor, &victim);
}

/* ---- what is heard ---- */

static void evicted_pod(const struct bed_told *told)
{
	struct model_pod *pod = &pods[told->tag];

	TEST_ASSERT_TRUE(pod->victim);
	if (told->outcome != API_REFUSED)
		TEST_ASSERT_FALSE(pod->exists);
	pod->victim = false;
	victims--;
}

static void on_told(struct bed *b, const struct bed_told *told)
{
	b->told_count = 0;
	if (told->evicted) {
		evicted_pod(told);
		return;
	}
	for (uint32_t i = 0; i < PODS; i++) {
		struct model_pod *pod = &pods[i];
		const struct call *call = &pod->calls[pod->heard % CALLS];

		if (pod->called == pod->heard || call->tag != told->tag)
			continue;
		pod->heard++;
		if (told->outcome == API_DONE && pod->exists)
			check_state(&pod->is, call);
		if (told->outcome == API_GONE)
			TEST_ASSERT_FALSE(pod->exists);
		return;
	}
	TEST_FAIL_MESSAGE("told of what nobody said, twice, or out of turn");
}

/* ---- */

static void check_rooms(void)
{
	uint32_t patches = 0;

	for (uint32_t i = 0; i < PODS; i++)
		patches += pods[i].called - pods[i].heard;
	TEST_ASSERT_EQUAL_UINT32(BED_PATCHES - patches, status_patcher_room(bed.patcher));
	TEST_ASSERT_EQUAL_UINT32(BED_VICTIMS - victims, evictor_room(bed.evictor));
	TEST_ASSERT_EQUAL_UINT32(patches, bed_stats(&bed).patches);
	TEST_ASSERT_EQUAL_UINT32(victims, bed_stats(&bed).victims);
}

static void start(uint32_t seed)
{
	log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	bed_start(&bed, BED_PATCHES, BED_VICTIMS, seed);
	fixture_start();
	bed.remembers = false;
	bed.answer = answer;
	bed.on_told = on_told;
	random_init(&dice, seed);
	memset(pods, 0, sizeof(pods));
	victims = 0;
	for (uint32_t i = 0; i < PODS; i++) {
		snprintf(pods[i].name, sizeof(pods[i].name), "pod-%u", i);
		pods[i].exists = true;
	}
}

static void step(void)
{
	struct model_pod *one = &pods[random_below(&dice, PODS)];

	if (!one->exists && !one->victim && one->called == one->heard) {
		memset(&one->is, 0, sizeof(one->is)); /* another one of that name */
		one->exists = true;
	}
	if (one_in(8))
		evict_it(one);
	else
		say_something(one);
	if (one_in(3))
		bed_run(&bed, random_below(&dice, one_in(10) ? 3000 : 60));
	if (one_in(20))
		bed.wire.slice = random_below(&dice, 30);
	check_rooms();
}

static void test_words_arrive_in_their_order_whatever_happens(void)
{
	uint64_t sent = 0, failed = 0, unchanged = 0, evicted = 0, retried = 0;

	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		start(seed);
		for (uint32_t i = 0; i < STEPS; i++)
			step();
		bed.wire.refuses = false;
		bed_until_idle(&bed, 3600 * 1000);
		check_rooms();
		struct bed_stats stats = bed_stats(&bed);

		sent += stats.sent;
		failed += stats.failed;
		unchanged += stats.unchanged;
		evicted += stats.evicted;
		retried += stats.retried;
		if (seed < SEEDS) {
			fixture_end();
			bed_stop(&bed);
		}
	}
	/* All of it was met. */
	TEST_ASSERT_TRUE(sent > 1000);
	TEST_ASSERT_TRUE(failed > 100);
	TEST_ASSERT_TRUE(unchanged > 100);
	TEST_ASSERT_TRUE(evicted > 100);
	TEST_ASSERT_TRUE(retried > 1000);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_words_arrive_in_their_order_whatever_happens);
	return UNITY_END();
}
