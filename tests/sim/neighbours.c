/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Neighbours: plain pods of quiet namespaces, some of them important, beside tenants that fill what
 * they can. While there is a node with room, and nothing but tenants in the way, such a pod has its
 * node within
 *
 *	PLAIN_S (IMPORTANT_S) seconds, and what it takes to send one request for each pod that
 *	waits, over as many connections as conditions may have
 *
 * of virtual time, however many others wait, whatever they look like and however little memory
 * there is. Requests are counted because one that takes 100 ms on one connection is not ours to
 * make faster, and each class of requests leaves one connection more to those that are more urgent
 * (http/client.c).
 */
#include "sim/world.h"

#include <stdio.h>

#define JSON "application/json"

enum {
	PLAIN_S = 20,
	IMPORTANT_S = 5,
	BEGIN_S = 60, /* until schedulers are up, and lead */
	LOOK_MS = 500,
	EVERY = 6,      /* of so many looks one makes a pod */
	STAYS = 20,     /* of so many, one removes a pod that has its place */
	PLACES_MIN = 6, /* that others may be about to take */
	NODES_LOOKED_AT = 256,
	SLICE_MIN = 1000 /* bytes */
};

static const char *const quiet[] = {"quiet-a", "quiet-b"};

void neighbours_begin(struct world *w)
{
	char body[128];

	for (uint32_t i = 0; i < ARRAY_COUNT(quiet); i++) {
		snprintf(body, sizeof(body),
			"{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
			"\"%s\"}}",
			quiet[i]);
		(void)world_ask(w, "POST", JSON, "/api/v1/namespaces", body);
	}
	w->probes_us = w->network.now_us + (int64_t)BEGIN_S * CLOCK_S_US;
}

/* ---- is there room? ---- */

static bool keeps_away(const struct tree *node)
{
	const struct tree *taints = tree_path(node, "spec.taints");

	if (text_is(tree_path(node, "spec.unschedulable") == NULL
			    ? TEXT("")
			    : tree_path(node, "spec.unschedulable")->text,
		    TEXT("true")))
		return true;
	for (const struct tree *t = taints == NULL ? NULL : taints->first; t != NULL; t = t->next)
		if (!text_is(tree_text(t, "effect"), TEXT("PreferNoSchedule")))
			return true;
	return false;
}

/* Pods on each node, by its place in the list; how many wait, and may be about to have one. */
static void count_pods(
	const struct world *w, uint32_t on[NODES_LOOKED_AT], uint32_t *waiting, uint32_t *coming)
{
	const struct registry *r = apisim_registry(w->api);
	uint32_t nodes = registry_count(r, RESOURCE_NODES);

	*waiting = *coming = 0;
	memset(on, 0, NODES_LOOKED_AT * sizeof(on[0]));
	for (uint32_t i = 0; i < registry_count(r, RESOURCE_PODS); i++) {
		const struct revision *pod =
			registry_revision(r, registry_nth(r, RESOURCE_PODS, i));
		struct text node = revision_node(pod);

		if (node.size == 0) {
			(*waiting)++;
			*coming += text_contains(revision_json(pod), TEXT("nominatedNodeName")) ||
				text_contains(revision_json(pod), TEXT("claimName"));
			continue;
		}
		for (uint32_t n = 0; n < nodes && n < NODES_LOOKED_AT; n++)
			if (text_is(revision_name(registry_revision(
					    r, registry_nth(r, RESOURCE_NODES, n))),
				    node))
				/* What cannot be read closes its node. */
				on[n] += text_contains(revision_json(pod), TEXT("\"not-1\""))
					? UINT32_C(1) << 16
					: 1;
	}
}

/* For one more that asks for nothing. */
static bool has_room(struct world *w, uint32_t *waiting)
{
	const struct registry *r = apisim_registry(w->api);
	uint32_t on[NODES_LOOKED_AT], coming, nodes = registry_count(r, RESOURCE_NODES);

	count_pods(w, on, waiting, &coming);
	for (uint32_t n = 0; n < nodes && n < NODES_LOOKED_AT; n++) {
		scratch_reset(&w->scratch);
		const struct tree *node = tree_read(
			revision_json(registry_revision(r, registry_nth(r, RESOURCE_NODES, n))),
			&w->scratch);
		uint64_t places = 0;

		if (!keeps_away(node) &&
			text_to_u64(tree_text(node, "status.allocatable.pods"), &places) &&
			places > (uint64_t)on[n] + coming + PLACES_MIN)
			return true;
	}
	return false;
}

/* ---- how long may it wait? ---- */

/*
 * Only tenants are in the way, and what takes no time. A network whose packets are tiny is full of
 * what tenants write, before the scheduler reads it.
 */
static bool is_undisturbed(const struct world *w)
{
	const uint32_t mild = 1 << SIM_RATES | 1 << SIM_WALL_JUMPS;

	return (w->plan.troubles & ~mild) == 0 &&
		(w->plan.slice == 0 || w->plan.slice >= SLICE_MIN);
}

static int64_t bound_us(const struct world *w, const struct sim_probe *probe, uint32_t waiting)
{
	int64_t trip = 2 * (w->plan.delay_us + w->plan.jitter_us) + CLOCK_MS_US;
	uint32_t connections = (uint32_t)w->plan.connections;
	int64_t per_pod = trip / (connections > NET_READ ? connections - NET_READ : 1);

	return (int64_t)(probe->is_important ? IMPORTANT_S : PLAIN_S) * CLOCK_S_US + 2 * trip +
		(int64_t)waiting * per_pod;
}

static void make_probe(struct world *w, struct sim_probe *probe)
{
	const char *namespace = quiet[world_below(w, ARRAY_COUNT(quiet))];
	char path[64], body[512];
	uint32_t serial = w->serial++;

	probe->is_important = world_below(w, 3) == 0;
	probe->since_us = w->network.now_us;
	snprintf(probe->key, sizeof(probe->key), "%s/plain-%u", namespace, (unsigned)serial);
	snprintf(path, sizeof(path), "/api/v1/namespaces/%s/pods", namespace);
	snprintf(body, sizeof(body),
		"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"plain-%u\","
		"\"labels\":{\"app\":\"plain\"}},\"spec\":{%s\"containers\":[{\"name\":\"main\","
		"\"image\":\"registry.example/plain:1\"}]}}",
		(unsigned)serial, probe->is_important ? "\"priorityClassName\":\"sim-huge\"," : "");
	int status = world_ask(w, "POST", JSON, path, body);
	CHECK(status == 201);
	w->counts.probes++;
}

static void remove_probe(struct world *w, struct sim_probe *probe)
{
	char path[128];
	struct text name = text_of(probe->key), namespace;

	CHECK(text_cut(&name, '/', &namespace));
	snprintf(path, sizeof(path), "/api/v1/namespaces/%.*s/pods/%.*s", TEXT_ARGS(namespace),
		TEXT_ARGS(name));
	(void)world_ask(w, "DELETE", JSON, path, NULL);
	probe->key[0] = '\0';
}

static void look_at(struct world *w, struct sim_probe *probe)
{
	const struct registry *r = apisim_registry(w->api);
	uint32_t pod = registry_find(r, RESOURCE_PODS, text_of(probe->key)), waiting = 0;
	int64_t now = w->network.now_us;

	if (pod == 0) { /* somebody more important has its place, or a power cut took it */
		probe->key[0] = '\0';
	} else if (revision_node(registry_revision(r, pod)).size > 0) {
		if (!w->is_calm && world_below(w, STAYS) == 0)
			remove_probe(w, probe);
	} else if (!has_room(w, &waiting)) {
		probe->since_us = now;
	} else if (is_undisturbed(w) && now - probe->since_us > bound_us(w, probe, waiting)) {
		world_found(w, "%s waits for %lld ms, beside %u, though there is room", probe->key,
			(long long)((now - probe->since_us) / CLOCK_MS_US), (unsigned)waiting);
	}
}

void neighbours_turn(struct world *w)
{
	w->probes_us = w->network.now_us + (int64_t)(1 + world_below(w, 2 * LOOK_MS)) * CLOCK_MS_US;
	for (uint32_t i = 0; i < SIM_PROBES; i++) {
		struct sim_probe *probe = &w->probes[i];

		if (probe->key[0] != '\0')
			look_at(w, probe);
		else if (!w->is_calm && world_below(w, EVERY * SIM_PROBES) == 0)
			make_probe(w, probe);
	}
}

const char *neighbours_settled(struct world *w)
{
	const struct registry *r = apisim_registry(w->api);
	uint32_t waiting;

	for (uint32_t i = 0; i < SIM_PROBES; i++) {
		uint32_t pod = w->probes[i].key[0] == '\0'
			? 0
			: registry_find(r, RESOURCE_PODS, text_of(w->probes[i].key));

		if (pod != 0 && revision_node(registry_revision(r, pod)).size == 0 &&
			has_room(w, &waiting))
			return w->probes[i].key;
	}
	return NULL;
}
