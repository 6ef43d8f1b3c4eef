/* SPDX-License-Identifier: GPL-2.0-only */
/* World: what there is, and how time passes. */
#include "sim/world.h"

#include <stdio.h>

#include "base/budget.h"
#include "base/hash.h"
#include "base/memory.h"

enum {
	WORLD_MEMORY = 96 << 20,
	APISIM_SIZE = APISIM_MEMORY_MIN + (64 << 20),
	SCRATCH = 8 << 20,
	BUSY_TURNS_MAX = 400 * 1000, /* in a second */
	JUDGE_SHARE = 400,           /* one turn of so many is judged */
	WAITING_SHARE = 300,         /* of so many, one is followed by a look at who waits */
	FOLLOW_MS = 1000,            /* until controllers and kubelets look at what is new */
	DOWN_S = 2400,               /* until the last node is back */
	SETTLE_S = 240,
	CONFUSED_S = 180, /* until all that was lost was asked for again */
	/* A watch that fell silent before its first bookmark is missed when it should have ended.
	 */
	SILENT_S = 700,
	/* Room is noticed with the next list. */
	CROWDED_S = SCHEDULER_RELIST_MAX_MS / 1000 + SETTLE_S,
	/* A patch that was lost is made again when the pod is tried again. */
	EXPLAIN_S = 700
};

/* ---- telling ---- */

void world_note(struct world *w, const char *format, ...)
{
	char *to = w->notes[w->notes_count++ % SIM_NOTES];
	struct writer out;
	va_list args;

	writer_init(&out, to, SIM_NOTE_MAX - 1);
	write_format(&out, "%5llu.%06u ", (unsigned long long)(w->network.now_us / CLOCK_S_US),
		(unsigned int)(w->network.now_us % CLOCK_S_US));
	va_start(args, format);
	int size = vsnprintf(to + out.used, SIM_NOTE_MAX - out.used, format, args);
	va_end(args);
	CHECK(size >= 0);
	if (w->tells)
		fprintf(stderr, "%s\n", to);
	for (const char *c = to; *c != '\0'; c++)
		w->counts.digest = (w->counts.digest ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
}

static void dump(const void *self)
{
	const struct world *w = self;
	uint64_t first = w->notes_count < SIM_NOTES ? 0 : w->notes_count - SIM_NOTES;

	plan_print(&w->plan);
	for (uint64_t i = first; i < w->notes_count; i++)
		check_print("%s\n", w->notes[i % SIM_NOTES]);
	check_print("seed %llu, again: %s --seed %llu --verbose\n", (unsigned long long)w->seed,
		w->command == NULL ? "sim" : w->command, (unsigned long long)w->seed);
}

void world_found(struct world *w, const char *format, ...)
{
	va_list args;
	char words[1024];

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	world_note(w, "FOUND: %.200s", words);
	check_print("\nseed %llu: %s\n", (unsigned long long)w->seed, words);
	CHECK_NEVER("the simulator found what must not be");
}

int world_ask(
	struct world *w, const char *method, const char *type, const char *path, const char *body)
{
	struct apisim_request request = {.method = text_of(method),
		.path = text_of(path),
		.content_type = text_of(type),
		.body = body == NULL ? TEXT("") : text_of(body),
		.inside = true};
	struct apisim_answer answer;

	apisim_ask(w->api, &request, &answer);
	if (answer.stream != 0)
		apisim_stream_close(w->api, answer.stream);
	world_note(w, "world %s %s %d", method, path, answer.status);
	return answer.status;
}

/* ---- time ---- */

static void turn_server(struct world *w)
{
	struct sim_process *p = &w->server;

	p->inside = true;
	net_poll(w->server_net, -1);
	/* What it wrote is sent in the next turn. */
	if (face_turn(w->face))
		p->asleep = false;
	p->inside = false;
	struct mono next = face_next(w->face);
	if (next.us < p->due_us)
		p->due_us = next.us;
}

static void turn(struct world *w, struct sim_process *p)
{
	if (p == &w->server)
		turn_server(w);
	else if (!p->is_up)
		process_start(p);
	else
		process_turn(p);
	w->network.now_us += 1 + world_below(w, 20);
	if (world_below(w, JUDGE_SHARE) == 0)
		judge_always(w);
	if (world_below(w, WAITING_SHARE) == 0)
		judge_waiting(w);
	if (w->network.now_us - w->busy_since_us > CLOCK_S_US) {
		w->busy_since_us = w->network.now_us;
		w->busy_turns = 0;
	}
	if (++w->busy_turns > BUSY_TURNS_MAX)
		world_found(w, "the loop does not come to rest");
}

/* False: nobody has anything to do. */
static bool turn_somebody(struct world *w, const struct sim_process *except)
{
	struct sim_process *ready[1 + SIM_PROCESSES_MAX];
	uint32_t count = 0;

	network_deliver(&w->network);
	if (process_is_ready(&w->server))
		ready[count++] = &w->server;
	for (uint32_t i = 0; i < w->plan.schedulers; i++)
		if (&w->processes[i] != except && process_is_ready(&w->processes[i]))
			ready[count++] = &w->processes[i];
	if (count == 0)
		return false;
	turn(w, ready[world_below(w, count)]);
	return true;
}

/* Much happens for a while, then little: an idle cluster is a state of its own. */
static void change_mood(struct world *w)
{
	int64_t mean = w->is_quiet ? w->plan.busy_us : w->plan.quiet_us, lasts;

	if (w->plan.quiet_us == 0) {
		w->mood_us = INT64_MAX;
		return;
	}
	lasts = 1 + (int64_t)world_below(w, (uint32_t)(2 * mean));
	judge_waiting(w);
	w->is_quiet = !w->is_quiet;
	w->mood_us = w->network.now_us + lasts;
	if (w->is_quiet)
		w->counts.quiet_s += (uint64_t)(lasts / CLOCK_S_US);
	else
		w->churn_us = w->network.now_us;
	if (w->life != NULL)
		life_calm(w->life, w->is_quiet || w->plan.nodes == 0);
}

void world_confuse(struct world *w)
{
	w->confused_until_us = w->network.now_us + CONFUSED_S * CLOCK_S_US;
}

/* Before pods that wait for a while are tried again. */
void world_look_soon(struct world *w)
{
	if (w->look_us == INT64_MAX)
		w->look_us =
			w->network.now_us + 300 * CLOCK_MS_US + world_below(w, 600 * CLOCK_MS_US);
}

static bool do_chores(struct world *w)
{
	int64_t now = w->network.now_us;
	uint64_t version = apisim_registry(w->api)->version;
	bool any = false;

	if (!w->is_calm && now >= w->mood_us)
		change_mood(w);
	if (w->life != NULL && version != w->followed) {
		int64_t soon = now + 1 + world_below(w, FOLLOW_MS * CLOCK_MS_US);

		w->followed = version;
		w->life_us = soon < w->life_us ? soon : w->life_us;
	}
	if (now >= w->look_us) {
		w->look_us = INT64_MAX;
		judge_waiting(w);
	}
	if (w->life != NULL && now >= w->life_us) {
		w->life_us = life_turn(w->life).us;
		any = true;
	}
	if (!w->is_calm && !w->is_quiet && now >= w->churn_us) {
		churn_turn(w);
		any = true;
	}
	if (!w->is_calm && now >= w->trouble_us) {
		trouble_turn(w);
		any = true;
	}
	if (w->plan.tenants != 0 && !w->is_calm && !w->is_quiet && now >= w->tenants_us) {
		tenants_turn(w);
		any = true;
	}
	if (w->plan.tenants != 0 && now >= w->probes_us) {
		neighbours_turn(w);
		any = true;
	}
	if (w->plan.devices && now >= w->devices_us) {
		devices_turn(w);
		any = true;
	}
	w->server.asleep &= apisim_registry(w->api)->version == version;
	return any;
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t next_of(struct world *w, int64_t end_us, const struct sim_process *except)
{
	int64_t next = sooner(sooner(end_us, w->look_us), process_next(&w->server));

	for (uint32_t i = 0; i < w->plan.schedulers; i++)
		if (&w->processes[i] != except)
			next = sooner(next, process_next(&w->processes[i]));
	if (w->life != NULL)
		next = sooner(next, w->life_us);
	if (w->plan.devices)
		next = sooner(next, w->devices_us);
	if (w->plan.tenants != 0)
		next = sooner(next, w->probes_us);
	if (w->plan.tenants != 0 && !w->is_calm && !w->is_quiet)
		next = sooner(next, w->tenants_us);
	if (!w->is_calm)
		next = sooner(next, sooner(w->mood_us, w->trouble_us));
	if (!w->is_calm && !w->is_quiet)
		next = sooner(next, w->churn_us);
	return next;
}

void world_pass(struct world *w, int64_t us, const struct sim_process *except)
{
	int64_t end = w->network.now_us + us;

	while (w->network.now_us < end) {
		if (do_chores(w) || turn_somebody(w, except))
			continue;
		int64_t next = next_of(w, end, except);
		if (next > w->network.now_us)
			network_pass(&w->network, next - w->network.now_us);
		else
			w->network.now_us++;
	}
}

/* ---- the story ---- */

static void wait_until(struct world *w, const char *(*judge)(struct world *w), int64_t seconds)
{
	const char *why = judge(w);

	for (int64_t passed = 0, step = 2; why != NULL && passed < seconds; passed += step) {
		step = 2 + passed / 8;
		world_pass(w, step * CLOCK_S_US, NULL);
		why = judge(w);
		if (judge_lacks_room(w) && seconds < CROWDED_S)
			seconds = CROWDED_S;
	}
	if (why != NULL)
		world_found(w, "after %lld s in calm: %s", (long long)seconds, why);
}

static const char *all_nodes_up(struct world *w)
{
	return w->life != NULL && life_counts(w->life)->nodes_down > 0 ? "a node is down" : NULL;
}

void world_run(struct world *w)
{
	int64_t limit = world_has(w, SIM_SILENCE) ? SILENT_S : SETTLE_S;

	world_pass(w, w->plan.lasts_us, NULL);
	trouble_end(w);
	w->is_calm = true;
	if (w->life != NULL)
		life_calm(w->life, true);
	wait_until(w, all_nodes_up, DOWN_S);
	wait_until(w, judge_settled, limit);
	wait_until(w, judge_explained, EXPLAIN_S);
	w->life = NULL;
	churn_end(w);
	w->server.asleep = false;
	wait_until(w, judge_empty, limit);
	judge_always(w);
}

/* ---- the beginning and the end ---- */

static void on_violation(void *self, const char *text)
{
	struct world *w = self;

	/* It made sense before the store lost its last changes. */
	if (w->network.now_us < w->lost_until_us)
		return;
	/* A node that went a moment ago. */
	if (text_contains(text_of(text), TEXT("which is not there")) &&
		(text_contains(text_of(text), TEXT(" own-")) ||
			text_contains(text_of(text), TEXT(" node-"))))
		return;
	world_found(w, "a request that makes no sense: %s", text);
}

static void open_api(struct world *w)
{
	struct sim_process *p = &w->server;
	struct face_setup setup = {.connections_max = SIM_CONNECTIONS * (1 + w->plan.schedulers),
		.body_room = 64 * 1024,
		.ask = gate_ask,
		.self = w};
	char line[200];
	struct writer fault;

	writer_init(&fault, line, sizeof(line));
	w->apisim_block = memory_reserve(APISIM_SIZE);
	CHECK(w->apisim_block != NULL);
	w->api = apisim_init(&(struct apisim_setup){.block = w->apisim_block,
		.size = APISIM_SIZE,
		.history = w->plan.history,
		.first_version = world_below(w, 2) == 0 ? 0 : 999000 + world_below(w, 2000),
		.clock = network_clock(&w->network),
		.seed = w->seed,
		.no_streaming_lists = !w->plan.streaming_lists,
		.on_violation = on_violation,
		.self = w});
	process_init(p, w, 0);
	p->is_up = true;
	setup.address = p->host->address;
	w->server_net = net_init(&(struct net_setup){.arena = &w->arena,
		.clock = network_clock(&w->network),
		.entropy = entropy_seeded(&p->random),
		.bytes = wires_bytes(p)});
	w->face = face_open(w->api, w->server_net, &w->arena, &setup, &fault);
	CHECK(w->face != NULL);
}

static void open_life(struct world *w)
{
	struct life_setup setup = {.api = w->api,
		.arena = &w->arena,
		.clock = network_clock(&w->network),
		.seed = w->seed,
		.nodes = w->plan.nodes,
		.pods = w->plan.pods,
		.nodes_max = SIM_NODES_MAX,
		.pods_max = SIM_PODS_MAX,
		.calm = w->plan.nodes == 0, /* kubelets alone */
		.hurry = w->plan.hurry};

	w->life = life_init(&setup);
}

void world_open(struct world *w, uint64_t seed, const struct sim_plan *plan)
{
	*w = (struct world){.seed = seed, .plan = *plan, .tells = w->tells, .command = w->command};
	check_register((struct check_dump){"simulator", dump, w});
	random_init(&w->random, seed);
	hash_seed(seed);
	w->block = memory_reserve(WORLD_MEMORY);
	CHECK(w->block != NULL);
	arena_init_zeroed(&w->arena, w->block, WORLD_MEMORY);
	scratch_init(&w->scratch, arena_take_raw(&w->arena, SCRATCH), SCRATCH);
	network_init(&w->network, &w->arena, seed,
		(INT64_C(1794996000) + world_below(w, 100000000)) * CLOCK_S_US);
	w->network.delay_us = plan->delay_us;
	w->network.jitter_us = plan->jitter_us;
	w->network.slice = plan->slice;
	open_api(w);
	open_life(w);
	churn_begin(w);
	w->founded = apisim_registry(w->api)->version;
	w->look_us = INT64_MAX;
	w->trouble_us = w->network.now_us + plan->trouble_us;
	w->mood_us = w->network.now_us + plan->busy_us;
	memory_seal();
	for (uint32_t i = 0; i < plan->schedulers; i++) {
		process_init(&w->processes[i], w, 1 + i);
		w->processes[i].starts_us =
			w->network.now_us + (int64_t)world_below(w, 3000) * CLOCK_MS_US;
	}
}

void world_close(struct world *w)
{
	for (uint32_t i = 0; i < w->plan.schedulers; i++)
		if (w->processes[i].is_up)
			process_kill(&w->processes[i]);
	face_close(w->face);
	net_close(w->server_net);
	memory_unseal();
	budget_reset();
	check_unregister(w);
	memory_release(w->block, WORLD_MEMORY);
	memory_release(w->apisim_block, APISIM_SIZE);
}
