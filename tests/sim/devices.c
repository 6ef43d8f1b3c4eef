/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Devices: drivers offer some on each node and a few that all nodes reach, report conditions, and
 * the controller of claims takes them from pods that are gone. No device is given twice, no counter
 * exceeded, by what the apiserver's store says after each write of a claim.
 */
#include <stdio.h>

#include "sim/world.h"

#define JSON   "application/json"
#define MERGE  "application/merge-patch+json"
#define GROUP  "/apis/resource.k8s.io/v1"
#define CLAIM  GROUP "/namespaces/%.*s/resourceclaims/%.*s"
#define HEAD   "\"apiVersion\":\"resource.k8s.io/v1\""
#define DRIVER "sim.example.com"

enum { PARTS = 5, UNITS = 8, GIVEN_MAX = 512, TEXT_ROOM = 4096, TURN_MS = 1500 };

struct buffer {
	char at[TEXT_ROOM];
};

static const char *say(struct buffer *buffer, const char *format, ...) PRINTF_LIKE(2, 3);
static const char *say(struct buffer *buffer, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int size = vsnprintf(buffer->at, sizeof(buffer->at), format, args);
	va_end(args);
	CHECK(size >= 0 && (size_t)size < sizeof(buffer->at));
	return buffer->at;
}

/* ---- drivers ---- */

static void make_class(struct world *w, const char *name, const char *driver)
{
	struct buffer body;

	(void)world_ask(w, "POST", JSON, GROUP "/deviceclasses",
		say(&body,
			"{\"kind\":\"DeviceClass\"," HEAD ",\"metadata\":{\"name\":\"%s\"},"
			"\"spec\":{\"selectors\":[{\"cel\":{\"expression\":\"device.driver == "
			"\\\"%s\\\"\"}}]}}",
			name, driver));
}

void devices_begin(struct world *w)
{
	struct buffer body, list;
	size_t used = 0;

	make_class(w, "any", DRIVER);
	make_class(w, "part", "net.example.com");
	for (uint32_t i = 1; i <= PARTS; i++)
		used += (size_t)snprintf(list.at + used, sizeof(list.at) - used,
			"%s{\"name\":\"part-%u\",\"consumesCounters\":[{\"counterSet\":\"set\","
			"\"counters\":{\"units\":{\"value\":\"%u\"}}}]}",
			i == 1 ? "" : ",", (unsigned)i, (unsigned)i);
#define NET_SLICE(name, rest)                                                                  \
	"{\"kind\":\"ResourceSlice\"," HEAD ",\"metadata\":{\"name\":\"" name "\"},\"spec\":{" \
	"\"driver\":\"net.example.com\",\"allNodes\":true,\"pool\":{\"name\":\"net\","         \
	"\"generation\":1,\"resourceSliceCount\":2}," rest "}}"
	(void)world_ask(w, "POST", JSON, GROUP "/resourceslices",
		say(&body, NET_SLICE("net-1", "\"devices\":[%s]"), list.at));
	(void)world_ask(w, "POST", JSON, GROUP "/resourceslices",
		say(&body,
			NET_SLICE("net-2",
				"\"sharedCounters\":[{\"name\":\"set\",\"counters\":{"
				"\"units\":{\"value\":\"%u\"}}}]"),
			(unsigned)UNITS));
	w->devices_us = w->network.now_us;
}

/* As many devices as the node's name says; of some nodes they are got ready after they were given.
 */
static void offer(struct world *w, struct text node)
{
	struct buffer body, list;
	size_t used = 0;
	uint32_t last = (uint32_t)(uint8_t)node.at[node.size - 1];

	for (uint32_t i = 0; i <= last % 3; i++)
		used += (size_t)snprintf(list.at + used, sizeof(list.at) - used,
			"%s{\"name\":\"dev-%u\"%s}", i == 0 ? "" : ",", (unsigned)i,
			last % 4 != 0 ? ""
				      : ",\"bindsToNode\":true,\"bindingConditions\":[\"up\"],"
					"\"bindingFailureConditions\":[\"down\"]");
	(void)world_ask(w, "POST", JSON, GROUP "/resourceslices",
		say(&body,
			"{\"kind\":\"ResourceSlice\"," HEAD ",\"metadata\":{\"name\":\"on-%.*s\"},"
			"\"spec\":{\"driver\":\"" DRIVER "\",\"nodeName\":\"%.*s\",\"pool\":{"
			"\"name\":\"%.*s\",\"generation\":1,\"resourceSliceCount\":1},\"devices\":"
			"[%s]}}",
			TEXT_ARGS(node), TEXT_ARGS(node), TEXT_ARGS(node), list.at));
}

static void offer_all(struct world *w)
{
	const struct registry *r = apisim_registry(w->api);
	struct buffer name;

	for (uint32_t i = 0; i < registry_count(r, RESOURCE_NODES); i++) {
		const struct revision *node =
			registry_revision(r, registry_nth(r, RESOURCE_NODES, i));

		say(&name, "on-%.*s", TEXT_ARGS(revision_name(node)));
		if (registry_find(r, RESOURCE_SLICES, text_of(name.at)) == 0) {
			offer(w, text_of(name.at + 3));
			return; /* the list is another one now */
		}
	}
}

/* ---- the controller of claims ---- */

void devices_make_claim(struct world *w, const char *namespace, const char *name)
{
	struct buffer path, body;
	bool part = world_below(w, 4) == 0;

	(void)world_ask(w, "POST", JSON,
		say(&path, GROUP "/namespaces/%s/resourceclaims", namespace),
		say(&body,
			"{\"kind\":\"ResourceClaim\"," HEAD ",\"metadata\":{\"name\":\"%s\"},"
			"\"spec\":{\"devices\":{\"requests\":[{\"name\":\"r\",\"exactly\":{"
			"\"deviceClassName\":\"%s\",\"allocationMode\":\"ExactCount\",\"count\":%u}"
			"}]}}}",
			name, part ? "part" : "any", part ? 1 : 1 + (unsigned)world_below(w, 2)));
}

/* The pod of the claim's name is there and runs, or may. */
static bool has_consumer(struct world *w, struct text key)
{
	const struct registry *r = apisim_registry(w->api);
	uint32_t pod = registry_find(r, RESOURCE_PODS, key);

	if (pod == 0)
		return false;
	struct text phase = revision_phase(registry_revision(r, pod));
	return !text_is(phase, TEXT("Succeeded")) && !text_is(phase, TEXT("Failed"));
}

/* Its driver says that the devices are ready, or mostly. */
static bool report_conditions(struct world *w, const struct tree *claim, const char *status_path)
{
	const struct tree *results = tree_path(claim, "status.allocation.devices.results");
	struct buffer body;
	size_t used = 0;

	if (tree_has(claim, "status.devices") || results == NULL)
		return false;
	used += (size_t)snprintf(body.at, sizeof(body.at), "{\"status\":{\"devices\":[");
	size_t start = used;
	for (const struct tree *t = results->first; t != NULL; t = t->next) {
		if (!tree_has(t, "bindingConditions"))
			continue;
		used += (size_t)snprintf(body.at + used, sizeof(body.at) - used,
			"%s{\"driver\":\"%.*s\",\"pool\":\"%.*s\",\"device\":\"%.*s\","
			"\"conditions\":[{\"type\":\"%s\",\"status\":\"True\",\"reason\":\"Sim\","
			"\"message\":\"\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}",
			used == start ? "" : ",", TEXT_ARGS(tree_text(t, "driver")),
			TEXT_ARGS(tree_text(t, "pool")), TEXT_ARGS(tree_text(t, "device")),
			world_below(w, 6) == 0 ? "down" : "up");
	}
	if (used == start)
		return false;
	CHECK((size_t)snprintf(body.at + used, sizeof(body.at) - used, "]}}") <
		sizeof(body.at) - used);
	(void)world_ask(w, "PATCH", MERGE, status_path, body.at);
	return true;
}

/* True: something was written, and the list is another one now. */
static bool look_after(struct world *w, uint32_t revision)
{
	const struct revision *state = registry_revision(apisim_registry(w->api), revision);
	struct text key = revision_key(state), namespace = revision_namespace(state);
	struct text name = revision_name(state);
	struct buffer path, status;

	scratch_reset(&w->scratch);
	const struct tree *claim = tree_read(revision_json(state), &w->scratch);
	bool goes = tree_has(claim, "metadata.deletionTimestamp");
	bool given = tree_has(claim, "status.allocation");
	say(&path, CLAIM, TEXT_ARGS(namespace), TEXT_ARGS(name));
	say(&status, CLAIM "/status", TEXT_ARGS(namespace), TEXT_ARGS(name));
	if (has_consumer(w, key)) {
		if (given && report_conditions(w, claim, status.at))
			return true;
		/* Somebody takes it away in the midst of it all. */
		if (goes || w->is_calm || world_below(w, 400) != 0)
			return false;
	}
	if (given)
		(void)world_ask(w, "PATCH", MERGE, status.at,
			"{\"status\":{\"allocation\":null,\"reservedFor\":null,\"devices\":null}}");
	else if (goes)
		(void)world_ask(w, "PATCH", MERGE, path.at, "{\"metadata\":{\"finalizers\":null}}");
	else
		(void)world_ask(w, "DELETE", JSON, path.at, NULL);
	return true;
}

void devices_turn(struct world *w)
{
	const struct registry *r = apisim_registry(w->api);
	uint32_t count = registry_count(r, RESOURCE_CLAIMS);
	uint32_t first = count == 0 ? 0 : world_below(w, count);

	w->devices_us = w->network.now_us + 1 +
		(int64_t)world_below(w, 2 * TURN_MS) * CLOCK_MS_US / (count / 4 + 1);
	offer_all(w);
	for (uint32_t i = 0; i < count; i++)
		if (look_after(w, registry_nth(r, RESOURCE_CLAIMS, (first + i) % count)))
			return;
}

void devices_end(struct world *w)
{
	const struct registry *r = apisim_registry(w->api);
	struct buffer path;

	for (uint32_t i = 0; i < registry_count(r, RESOURCE_CLAIMS); i++) {
		const struct revision *claim =
			registry_revision(r, registry_nth(r, RESOURCE_CLAIMS, i));

		say(&path, CLAIM, TEXT_ARGS(revision_namespace(claim)),
			TEXT_ARGS(revision_name(claim)));
		if (text_contains(revision_json(claim), TEXT("delete-protection"))) {
			(void)world_ask(
				w, "PATCH", MERGE, path.at, "{\"metadata\":{\"finalizers\":null}}");
			i = UINT32_MAX; /* from the beginning: one may be gone */
		}
	}
	w->plan.devices = false;
}

/* ---- what must hold ---- */

struct given {
	struct text driver, pool, device, claim;
};

/*
 * What a power cut brought back may have been given to somebody else meanwhile: so after one only
 * the claim that is written is judged.
 */
static void note_given(struct world *w, struct given *list, uint32_t *count,
	const struct tree *result, struct text claim, struct text written)
{
	struct given g = {tree_text(result, "driver"), tree_text(result, "pool"),
		tree_text(result, "device"), claim};

	for (uint32_t i = 0; i < *count; i++)
		if (text_is(list[i].device, g.device) && text_is(list[i].pool, g.pool) &&
			text_is(list[i].driver, g.driver) &&
			(w->counts.losses == 0 || text_is(list[i].claim, written) ||
				text_is(claim, written)))
			world_found(w, "device %.*s of %.*s is given to %.*s and to %.*s",
				TEXT_ARGS(g.device), TEXT_ARGS(g.pool), TEXT_ARGS(list[i].claim),
				TEXT_ARGS(claim));
	CHECK(*count < GIVEN_MAX);
	list[(*count)++] = g;
}

void devices_judge(struct world *w, struct text written)
{
	const struct registry *r = apisim_registry(w->api);
	static struct given list[GIVEN_MAX];
	uint32_t count = 0, units = 0;

	if (w->network.now_us < w->lost_until_us)
		return;
	scratch_reset(&w->scratch);
	for (uint32_t i = 0; i < registry_count(r, RESOURCE_CLAIMS); i++) {
		const struct revision *state =
			registry_revision(r, registry_nth(r, RESOURCE_CLAIMS, i));

		if (!text_contains(revision_json(state), TEXT("\"allocation\"")))
			continue;
		const struct tree *claim = tree_read(revision_json(state), &w->scratch);
		const struct tree *results = tree_path(claim, "status.allocation.devices.results");
		for (const struct tree *t = results == NULL ? NULL : results->first; t != NULL;
			t = t->next) {
			note_given(w, list, &count, t, revision_name(state), written);
			struct text device = tree_text(t, "device");
			if (text_starts(device, TEXT("part-")))
				units += (uint32_t)(device.at[5] - '0');
		}
	}
	if (units > UNITS && w->counts.losses == 0)
		world_found(w, "%u of %u units of the shared counter are given", (unsigned)units,
			(unsigned)UNITS);
	w->counts.checks++;
}

/* ---- what is taken back ---- */

/* .../namespaces/NAMESPACE/resourceclaims/NAME and what follows; false: none such. */
static bool cut_claim(struct text path, char *key, size_t size)
{
	struct text part, namespace, name;
	struct writer k;

	while (text_cut(&path, '/', &part) && !text_is(part, TEXT("namespaces")))
		;
	if (!text_cut(&path, '/', &namespace) || !text_cut(&path, '/', &part))
		return false;
	if (!text_cut(&path, '/', &name))
		name = path;
	writer_init(&k, key, size - 1);
	write_format(&k, "%.*s/%.*s", TEXT_ARGS(namespace), TEXT_ARGS(name));
	key[k.used] = '\0';
	return !k.overflowed;
}

static void forget_reserved(struct world *w, const char *key)
{
	for (uint32_t i = 0; i < SIM_RESERVED; i++)
		if (strcmp(w->reserved[i].key, key) == 0)
			w->reserved[i].key[0] = '\0';
}

void devices_asked(struct world *w, const struct apisim_request *request, bool let_in)
{
	const struct sim_process *leader = process_leader(w);
	struct sim_reserved *e = &w->reserved[w->reserved_next % SIM_RESERVED];
	char key[sizeof(e->key)];

	if (!cut_claim(request->path, key, sizeof(key)))
		return;
	if (!let_in) {
		forget_reserved(w, key);
		return;
	}
	scratch_reset(&w->scratch);
	const struct tree *list =
		tree_path(tree_read(request->body, &w->scratch), "status.reservedFor");
	if (leader == NULL || list == NULL || list->first == NULL ||
		tree_has(list->first, "$patch"))
		return;
	w->reserved_next++;
	memcpy(e->key, key, sizeof(key));
	CHECK(text_copy(tree_text(list->first, "uid"), e->pod_uid, sizeof(e->pod_uid)));
	e->process = leader->number;
	e->starts = leader->starts;
}

/* By the store. */
static bool is_still_reserved(struct world *w, const struct sim_reserved *e)
{
	const struct registry *r = apisim_registry(w->api);
	uint32_t claim = registry_find(r, RESOURCE_CLAIMS, text_of(e->key));

	if (claim == 0)
		return false;
	scratch_reset(&w->scratch);
	const struct tree *list =
		tree_path(tree_read(revision_json(registry_revision(r, claim)), &w->scratch),
			"status.reservedFor");
	for (const struct tree *t = list == NULL ? NULL : list->first; t != NULL; t = t->next)
		if (text_is(tree_text(t, "uid"), text_of(e->pod_uid)))
			return true;
	return false;
}

/* The pod of that uid; 0: the scheduler does not know it any more. */
static uint32_t pod_of(const struct scheduler *s, const struct sim_reserved *e)
{
	struct text name = text_of(e->key), namespace;
	struct writer u;
	char uid[64];

	CHECK(text_cut(&name, '/', &namespace));
	uint32_t pod = cache_find_pod(&s->cache, namespace, name);
	if (pod == 0)
		return 0;
	writer_init(&u, uid, sizeof(uid));
	cache_print_uid(&s->cache, cache_pod_at(&s->cache, pod)->uid, &u);
	return text_is(writer_text(&u), text_of(e->pod_uid)) ? pod : 0;
}

static bool is_in_flight(const struct scheduler *s, uint32_t pod)
{
	const struct pool *bindings = &s->bindings.pool;

	for (uint32_t i = pool_next(bindings, 0); i != 0; i = pool_next(bindings, i)) {
		const struct scheduler_binding *b = pool_at(bindings, i);
		if (b->points.b.pod == pod)
			return true;
	}
	return false;
}

/*
 * A pod that has a claim is bound, or on its way; else the claim is being taken back, or that was
 * tried. Whoever leads no more, or has no memory to ask, may leave it behind.
 */
void devices_follow(struct sim_process *p)
{
	struct world *w = p->world;
	const struct scheduler *s = p->scheduler;

	for (uint32_t i = 0; i < SIM_RESERVED; i++) {
		struct sim_reserved *e = &w->reserved[i];
		if (e->key[0] == '\0' || e->process != p->number)
			continue;
		uint32_t pod = pod_of(s, e);
		bool is_pending = pod != 0 && cache_pod_at(&s->cache, pod)->node == 0;
		if (is_pending && is_in_flight(s, pod))
			continue;
		if (is_pending && e->starts == p->starts && process_leader(w) == p &&
			pre_bind_stats(s->pre_bind).one_off == 0 &&
			s->cache.store.budget.refused == 0 && is_still_reserved(w, e))
			world_found(w, "claim %s is left to its pod, which is not bound", e->key);
		if (pod == 0 || !is_in_flight(s, pod) || e->starts != p->starts)
			e->key[0] = '\0';
	}
}
