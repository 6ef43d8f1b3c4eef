/* SPDX-License-Identifier: GPL-2.0-only */
/* Setting up, turns, following what others do. */
#include "apisim/life_private.h"

#include <stdio.h>

#include "base/hash.h"
#include "kube/time.h"

enum { LIFE_ACTIONS_PER_TURN = 2000 };

/* ---- asking ---- */

const char *life_path(struct life *life, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int size = vsnprintf(life->path, sizeof(life->path), format, args);
	va_end(args);
	CHECK(size >= 0 && (size_t)size < sizeof(life->path));
	return life->path;
}

const char *life_body(struct life *life, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int size = vsnprintf(life->body, sizeof(life->body), format, args);
	va_end(args);
	CHECK(size >= 0 && (size_t)size < sizeof(life->body));
	return life->body;
}

int life_ask(
	struct life *life, const char *method, const char *type, const char *path, const char *body)
{
	struct apisim_request request = {.method = text_of(method),
		.path = text_of(path),
		.content_type = text_of(type),
		.body = body == NULL ? TEXT("") : text_of(body),
		.inside = true};
	struct apisim_answer answer;

	apisim_ask(life->api, &request, &answer);
	if (answer.stream != 0)
		apisim_stream_close(life->api, answer.stream);
	if (answer.status >= 400 && answer.status != 404 && answer.status != 409)
		life->counts.refused++;
	return answer.status;
}

int64_t life_hurried(const struct life *life, int64_t us)
{
	return us / life->setup.hurry + 1;
}

int64_t life_between(struct life *life, uint32_t from_ms, uint32_t to_ms)
{
	return (int64_t)(from_ms + random_below(&life->random, to_ms - from_ms + 1)) * CLOCK_MS_US;
}

const char *life_time(struct life *life, char *to, size_t size)
{
	struct writer w;

	writer_init(&w, to, size - 1);
	kube_time_print(clock_wall(&life->setup.clock), &w);
	to[w.used] = '\0';
	return to;
}

/* ---- pods and nodes that are known ---- */

static bool before(const void *self, uint32_t a, uint32_t b)
{
	const struct life *life = self;
	const struct life_pod *x = pool_at(&life->pods, a), *y = pool_at(&life->pods, b);

	return x->due_us != y->due_us ? x->due_us < y->due_us : a < b;
}

static void moved(void *self, uint32_t entry, uint32_t position)
{
	life_pod(self, entry)->position = position;
}

void life_pod_due(struct life *life, uint32_t pod, enum life_action action, int64_t in_us)
{
	struct life_pod *p = life_pod(life, pod);

	if (p->action == action)
		return;
	if (p->position != HEAP_OUT)
		heap_remove(&life->due, p->position);
	p->action = (uint8_t)action;
	if (action == LIFE_NOTHING)
		return;
	p->due_us = life->now_us + in_us;
	CHECK(heap_add(&life->due, pod));
}

static uint32_t find_pod(struct life *life, struct text key)
{
	struct map_walk walk = map_walk(&life->pods_by_key, hash_bytes(key.at, key.size));

	for (uint32_t i; (i = map_next(&life->pods_by_key, &walk)) != 0;)
		if (text_is_z(key, life_pod(life, i)->key))
			return i;
	return 0;
}

uint32_t life_find_node(struct life *life, struct text name)
{
	struct map_walk walk = map_walk(&life->nodes_by_name, hash_bytes(name.at, name.size));

	for (uint32_t i; (i = map_next(&life->nodes_by_name, &walk)) != 0;)
		if (text_is_z(name, life_node(life, i)->name))
			return i;
	return 0;
}

static void count_pod(struct life *life, const struct life_pod *p, int by)
{
	life->counts.pods += (uint32_t)by;
	if (p->running)
		life->counts.pods_running += (uint32_t)by;
	if (p->node == 0 && !p->over)
		life->counts.pods_pending += (uint32_t)by;
	if (p->app != 0 && !p->ending && !p->over)
		life->apps[p->app].have += (uint32_t)by;
}

static void forget_pod(struct life *life, uint32_t pod)
{
	struct life_pod *p = life_pod(life, pod);

	count_pod(life, p, -1);
	life_pod_due(life, pod, LIFE_NOTHING, 0);
	map_remove(&life->pods_by_key, hash_bytes(p->key, strlen(p->key)), pod);
	pool_give(&life->pods, pod);
}

/* 0: there is no room for one more. */
static uint32_t meet_pod(struct life *life, struct text key)
{
	uint32_t pod = key.size < LIFE_KEY_MAX ? pool_take(&life->pods) : 0;

	if (pod == 0) {
		life->counts.refused++;
		return 0;
	}
	struct life_pod *p = life_pod(life, pod);
	CHECK(text_copy(key, p->key, sizeof(p->key)));
	p->position = HEAP_OUT;
	map_add(&life->pods_by_key, hash_bytes(key.at, key.size), pod);
	count_pod(life, p, 1);
	return pod;
}

static void see_pod(struct life *life, uint32_t revision)
{
	const struct revision *state = registry_revision(apisim_registry(life->api), revision);
	struct scratch *scratch = apisim_scratch(life->api);
	struct text phase = revision_phase(state);
	uint32_t pod = find_pod(life, revision_key(state));
	uint64_t app = 0;

	scratch_reset(scratch);
	if (pod == 0)
		pod = meet_pod(life, revision_key(state));
	if (pod == 0)
		return;
	struct life_pod *p = life_pod(life, pod);
	const struct tree *tree = tree_read(revision_json(state), scratch);
	count_pod(life, p, -1);
	if (!text_to_u64(tree_text(tree, "metadata.labels.life-app"), &app) ||
		app > life->apps_count)
		app = 0;
	p->app = (uint16_t)app;
	p->node = life_find_node(life, revision_node(state));
	p->ending = tree_has(tree, "metadata.deletionTimestamp");
	p->running = text_is(phase, TEXT("Running"));
	p->over = text_is(phase, TEXT("Succeeded")) || text_is(phase, TEXT("Failed"));
	p->gated = tree_count(tree_path(tree, "spec.schedulingGates")) > 0;
	count_pod(life, p, 1);
	life_consider(life, pod);
}

static void see_node(struct life *life, uint32_t revision)
{
	const struct revision *state = registry_revision(apisim_registry(life->api), revision);
	struct text name = revision_name(state);
	struct scratch *scratch = apisim_scratch(life->api);
	uint64_t zone = 0;

	if (life_find_node(life, name) != 0)
		return;
	uint32_t node = name.size < sizeof(life_node(life, 1)->name) ? pool_take(&life->nodes) : 0;
	if (node == 0) {
		life->counts.refused++;
		return;
	}
	struct life_node *n = life_node(life, node);
	CHECK(text_copy(name, n->name, sizeof(n->name)));
	map_add(&life->nodes_by_name, hash_bytes(name.at, name.size), node);
	scratch_reset(scratch);
	const struct tree *tree = tree_read(revision_json(state), scratch);
	const struct tree *label =
		tree_get(tree_path(tree, "metadata.labels"), "topology.kubernetes.io/zone");
	if (label != NULL && label->text.size > 0 &&
		text_to_u64(text_from(label->text, label->text.size - 1), &zone))
		n->zone = (uint32_t)zone;
	label = tree_get(
		tree_path(tree, "metadata.labels"), "node-role.kubernetes.io/control-plane");
	n->control_plane = label != NULL;
	n->up = true;
	n->change_us = INT64_MAX;
	life->counts.nodes++;
}

static void lose_node(struct life *life, struct text name)
{
	uint32_t node = life_find_node(life, name);

	if (node == 0)
		return;
	map_remove(&life->nodes_by_name, hash_bytes(name.at, name.size), node);
	life->counts.nodes--;
	if (!life_node(life, node)->up)
		life->counts.nodes_down--;
	/* Whoever was there goes without a kubelet. */
	for (uint32_t i = pool_next(&life->pods, 0); i != 0; i = pool_next(&life->pods, i))
		if (life_pod(life, i)->node == node) {
			life_pod(life, i)->node = 0;
			life_pod_due(life, i, LIFE_ENDS, life_between(life, 1000, 5000));
		}
	pool_give(&life->nodes, node);
}

static void see(struct life *life, const struct registry_change *change)
{
	const struct revision *state = registry_revision(apisim_registry(life->api), change->after);

	life->news |= change->resource != RESOURCE_LEASES && change->resource != RESOURCE_EVENTS;
	if (change->resource == RESOURCE_NODES) {
		if (change->deleted)
			lose_node(life, revision_name(state));
		else
			see_node(life, change->after);
	} else if (change->resource == RESOURCE_PODS) {
		uint32_t pod = find_pod(life, revision_key(state));

		if (!change->deleted)
			see_pod(life, change->after);
		else if (pod != 0)
			forget_pod(life, pod);
	}
}

/* The history has gone on without us, or back: everything is looked at anew. */
static void see_all(struct life *life)
{
	const struct registry *r = apisim_registry(life->api);

	for (uint32_t i = pool_next(&life->nodes, 0); i != 0; i = pool_next(&life->nodes, i))
		if (registry_find(r, RESOURCE_NODES, text_of(life_node(life, i)->name)) == 0)
			lose_node(life, text_of(life_node(life, i)->name));
	for (uint32_t i = 0; i < registry_count(r, RESOURCE_NODES); i++)
		see_node(life, registry_nth(r, RESOURCE_NODES, i));
	for (uint32_t i = pool_next(&life->pods, 0); i != 0; i = pool_next(&life->pods, i))
		if (registry_find(r, RESOURCE_PODS, text_of(life_pod(life, i)->key)) == 0)
			forget_pod(life, i);
	for (uint32_t i = 0; i < registry_count(r, RESOURCE_PODS); i++)
		see_pod(life, registry_nth(r, RESOURCE_PODS, i));
}

void life_look_again(struct life *life)
{
	life->seen = apisim_registry(life->api)->version;
	life->news = true;
	see_all(life);
}

static void follow(struct life *life)
{
	const struct registry *r = apisim_registry(life->api);

	while (life->seen < r->version) {
		const struct registry_change *change = registry_change(r, life->seen + 1);

		if (change == NULL) {
			life_look_again(life);
			return;
		}
		life->seen++;
		see(life, change);
	}
}

/* ---- turns ---- */

struct mono life_turn(struct life *life)
{
	int64_t next = life_nodes_next(life);

	life->now_us = clock_mono(&life->setup.clock).us;
	follow(life);
	for (uint32_t i = 0; i < LIFE_ACTIONS_PER_TURN && life->due.count > 0; i++) {
		uint32_t pod = heap_first(&life->due);

		if (life_pod(life, pod)->due_us > life->now_us)
			break;
		life_act(life, pod);
	}
	life_nodes_turn(life);
	follow(life);
	for (uint32_t i = 0; i < LIFE_EVENTS; i++)
		if (life->events[i] <= life->now_us)
			life_event(life, i);
	follow(life);
	next = life_nodes_next(life);
	if (life->due.count > 0 && life_pod(life, heap_first(&life->due))->due_us < next)
		next = life_pod(life, heap_first(&life->due))->due_us;
	for (uint32_t i = 0; i < LIFE_EVENTS; i++)
		next = life->events[i] < next ? life->events[i] : next;
	return (struct mono){next};
}

const struct life_counts *life_counts(const struct life *life)
{
	return &life->counts;
}

void life_calm(struct life *life, bool is_calm)
{
	life->calm = is_calm;
}

/* ---- setting up ---- */

static struct life_setup filled(const struct life_setup *setup)
{
	struct life_setup s = *setup;

	s.nodes_max = s.nodes_max == 0 ? s.nodes * 2 + 16 : s.nodes_max;
	s.pods_max = s.pods_max == 0 ? s.pods * 2 + 1024 : s.pods_max;
	s.hurry = s.hurry < 1 ? 1 : s.hurry;
	if (s.scheduler_name == NULL)
		s.scheduler_name = "default-scheduler";
	return s;
}

size_t life_size(const struct life_setup *setup)
{
	struct life_setup s = filled(setup);

	return sizeof(struct life) + pool_size(sizeof(struct life_pod), s.pods_max) +
		pool_size(sizeof(struct life_node), s.nodes_max) + map_size(s.pods_max) +
		map_size(s.nodes_max) + heap_size(s.pods_max) + 1024;
}

struct life *life_init(const struct life_setup *setup)
{
	struct life *life = ARENA_ARRAY(setup->arena, struct life, 1);

	life->setup = filled(setup);
	life->api = setup->api;
	life->calm = setup->calm;
	random_init(&life->random, setup->seed);
	pool_init(&life->pods, setup->arena, "life pods", sizeof(struct life_pod),
		life->setup.pods_max);
	pool_init(&life->nodes, setup->arena, "life nodes", sizeof(struct life_node),
		life->setup.nodes_max);
	map_init(&life->pods_by_key, setup->arena, life->setup.pods_max);
	map_init(&life->nodes_by_name, setup->arena, life->setup.nodes_max);
	heap_init(&life->due, setup->arena, life->setup.pods_max, before, moved, life);
	life->now_us = clock_mono(&setup->clock).us;
	life->seen = apisim_registry(life->api)->version;
	see_all(life);
	life_make_world(life);
	follow(life);
	return life;
}
