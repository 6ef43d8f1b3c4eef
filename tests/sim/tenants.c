/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tenants: who shares the cluster, means harm or has no luck, and may do no more than handle pods
 * and claims in a namespace. What they make is big, deep, many, odd, or never ends; none of it may
 * cost others more than neighbours.c says.
 */
#include "sim/world.h"

#include <stdio.h>

#define JSON  "application/json"
#define MERGE "application/merge-patch+json"

enum {
	BODY_ROOM = 1 << 20,
	PATH_ROOM = 512,
	BURST = 16,
	FLOOD = 80,
	GHOSTS = 24,     /* names of nodes that are not there */
	WIDE = 70,       /* extended resources; one word of bits and some */
	ODD = 17 * 1000, /* names in one term: more than a pod may refer to */
	SHUT_CPU = 3900
};

struct tenant_path {
	char at[PATH_ROOM];
};

static const char *const tenant_namespaces[] = {"rent-a", "rent-b", "rent-c", "rent-d"};

static const char *tenant_namespace(enum sim_tenant tenant)
{
	return tenant_namespaces[(uint32_t)tenant % ARRAY_COUNT(tenant_namespaces)];
}

bool tenants_own(struct text namespace)
{
	return text_starts(namespace, TEXT("rent-"));
}

/* ---- what their pods look like ---- */

static void write_metadata(struct world *w, struct writer *out, enum sim_tenant tenant)
{
	if (tenant == TENANT_LABELS || (tenant == TENANT_GATED && world_below(w, 2) == 0))
		for (uint32_t i = 1 + world_below(w, 800); i > 0; i--)
			write_format(out, ",\"l%u.rent/%u\":\"v%u\"", (unsigned)i,
				(unsigned)w->serial, (unsigned)world_below(w, 1000));
	write_char(out, '}');
	if (tenant == TENANT_BIG) {
		write_z(out, ",\"annotations\":{\"ballast\":\"");
		for (uint32_t i = world_below(w, 300 * 1000); i > 0; i--)
			write_char(out, 'a' + (char)(i % 26));
		write_z(out, "\"}");
	}
	if (tenant == TENANT_DEEP) {
		uint32_t depth = 1 + world_below(w, world_below(w, 2) == 0 ? 200 : 9000);

		write_z(out, ",\"managedFields\":[{\"manager\":\"x\",\"fieldsV1\":");
		for (uint32_t i = 0; i < depth; i++)
			write_z(out, "{\"f\":");
		write_z(out, "{}");
		for (uint32_t i = 0; i < depth; i++)
			write_char(out, '}');
		write_z(out, "}]");
	}
	if (tenant == TENANT_HELD)
		write_z(out, ",\"finalizers\":[\"rent/hold\"]");
}

/* Only wishes: what somebody forbids others is theirs to forbid. */
static void write_terms(struct world *w, struct writer *out)
{
	uint32_t count = 1 + world_below(w, 60);

	write_z(out,
		",\"affinity\":{\"podAntiAffinity\":{"
		"\"preferredDuringSchedulingIgnoredDuringExecution\":[");
	for (uint32_t i = 0; i < count; i++)
		write_format(out,
			"%s{\"weight\":1,\"podAffinityTerm\":{\"topologyKey\":\"k%u.rent/%u\","
			"\"labelSelector\":{\"matchLabels\":{\"x\":\"%u\"}}}}",
			i == 0 ? "" : ",", (unsigned)i, (unsigned)world_below(w, 40),
			(unsigned)world_below(w, 1000));
	write_z(out, "]}},\"topologySpreadConstraints\":[");
	count = 1 + world_below(w, 20);
	for (uint32_t i = 0; i < count; i++)
		write_format(out,
			"%s{\"maxSkew\":1,\"topologyKey\":\"s%u.rent/%u\",\"whenUnsatisfiable\":"
			"\"ScheduleAnyway\",\"labelSelector\":{\"matchLabels\":{\"x\":\"1\"}}}",
			i == 0 ? "" : ",", (unsigned)i, (unsigned)world_below(w, 40));
	write_char(out, ']');
}

/* More names than there is room for: it cannot be read. */
static void write_odd(struct writer *out)
{
	write_z(out,
		",\"affinity\":{\"nodeAffinity\":{"
		"\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{"
		"\"matchExpressions\":[{\"key\":\"kubernetes.io/hostname\",\"operator\":\"NotIn\","
		"\"values\":[");
	for (uint32_t i = 0; i < ODD; i++)
		write_format(out, "%s\"not-%u\"", i == 0 ? "" : ",", (unsigned)i);
	write_z(out, "]}]}]}}}");
}

static void write_wide(struct writer *out, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		write_format(out, ",\"x%u.rent/unit\":\"1\"", (unsigned)i);
}

static void write_requests(struct world *w, struct writer *out, enum sim_tenant tenant)
{
	write_format(out, ",\"containers\":[{\"name\":\"main\",\"image\":\"rent/i%u:%u\"",
		tenant == TENANT_TEMPLATES ? (unsigned)w->serial : 0, (unsigned)tenant);
	write_z(out, ",\"resources\":{\"requests\":{\"memory\":\"0\"");
	if (tenant == TENANT_FLOOD)
		write_z(out, ",\"cpu\":\"1000\"");
	if (tenant == TENANT_SHUT)
		write_format(out, ",\"cpu\":\"%um\"", (unsigned)SHUT_CPU);
	if (tenant == TENANT_WIDE)
		write_wide(out, WIDE);
	write_z(out, "}}}]");
}

static bool goes_nowhere(struct world *w, enum sim_tenant tenant)
{
	switch (tenant) {
	case TENANT_FLOOD:
	case TENANT_GHOSTS:
	case TENANT_SHUT:
	case TENANT_WIDE: return false; /* by what it asks for, or it is there */
	default: return world_below(w, 8) != 0;
	}
}

static void write_spec(
	struct world *w, struct writer *out, enum sim_tenant tenant, const char *name)
{
	static const char *const classes[] = {"sim-low", "sim-high", "sim-polite"};

	write_z(out, "\"spec\":{\"restartPolicy\":\"Always\"");
	if (goes_nowhere(w, tenant))
		write_z(out, ",\"nodeSelector\":{\"rent\":\"none\"}");
	if (tenant == TENANT_FLOOD && world_below(w, 2) == 0)
		write_format(out, ",\"priorityClassName\":\"%s\"",
			classes[world_below(w, ARRAY_COUNT(classes))]);
	if (tenant == TENANT_GATED)
		write_z(out, ",\"schedulingGates\":[{\"name\":\"rent/gate\"}]");
	if (tenant == TENANT_FOREIGN)
		write_z(out, ",\"schedulerName\":\"other\"");
	if (tenant == TENANT_GHOSTS || tenant == TENANT_WIDE)
		write_format(out, ",\"nodeName\":\"ghost-%u\"", (unsigned)world_below(w, GHOSTS));
	if (tenant == TENANT_SHUT)
		write_z(out, ",\"nodeName\":\"own-shut\"");
	if (tenant == TENANT_VOLUMES)
		write_format(out,
			",\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":"
			"\"%s\"}}]",
			name);
	if (tenant == TENANT_TERMS || (tenant == TENANT_GATED && world_below(w, 2) == 0))
		write_terms(w, out);
	if (tenant == TENANT_ODD || tenant == TENANT_SHUT)
		write_odd(out);
	write_requests(w, out, tenant);
	write_z(out, "}}");
}

/* ---- what they do ---- */

static const char *pods_path(struct tenant_path *path, enum sim_tenant tenant, const char *plural)
{
	snprintf(path->at, sizeof(path->at), "/api/v1/namespaces/%s/%s", tenant_namespace(tenant),
		plural);
	return path->at;
}

static void make_hanging_claim(struct world *w, const char *name)
{
	struct tenant_path path;
	char body[512];

	snprintf(body, sizeof(body),
		"{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
		"\"%s\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"storageClassName\":"
		"\"hangs\",\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}",
		name);
	(void)world_ask(
		w, "POST", JSON, pods_path(&path, TENANT_VOLUMES, "persistentvolumeclaims"), body);
}

static void tenant_make_pod(struct world *w, enum sim_tenant tenant)
{
	static char body[BODY_ROOM];
	struct tenant_path path;
	struct writer out;
	char name[32];

	snprintf(name, sizeof(name), "t-%u", (unsigned)w->serial++);
	if (tenant == TENANT_VOLUMES)
		make_hanging_claim(w, name);
	writer_init(&out, body, sizeof(body) - 1);
	write_format(&out,
		"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"labels\":{"
		"\"tenant\":\"t%u\"",
		name, (unsigned)tenant);
	write_metadata(w, &out, tenant);
	write_z(&out, "},");
	write_spec(w, &out, tenant, name);
	CHECK(!out.overflowed);
	body[out.used] = '\0';
	int status = world_ask(w, "POST", JSON, pods_path(&path, tenant, "pods"), body);
	CHECK(status == 201);
}

static bool some_of_theirs(struct world *w, struct tenant_path *path, char *key, size_t size)
{
	struct text name, namespace;

	if (!churn_some_object(w, RESOURCE_PODS, "t-", key, size))
		return false;
	name = text_of(key);
	CHECK(text_cut(&name, '/', &namespace));
	snprintf(path->at, sizeof(path->at), "/api/v1/namespaces/%.*s/pods/%.*s",
		TEXT_ARGS(namespace), TEXT_ARGS(name));
	return true;
}

static void tenant_delete_some(struct world *w, uint32_t count)
{
	struct tenant_path path;
	char key[128];

	for (; count > 0 && some_of_theirs(w, &path, key, sizeof(key)); count--) {
		(void)world_ask(w, "DELETE", JSON, path.at, NULL);
		if (world_below(w, 2) == 0)
			(void)world_ask(
				w, "PATCH", MERGE, path.at, "{\"metadata\":{\"finalizers\":null}}");
		if (registry_find(apisim_registry(w->api), RESOURCE_PVCS, text_of(key)) == 0)
			continue;
		struct text name = text_of(key), namespace;
		CHECK(text_cut(&name, '/', &namespace));
		snprintf(path.at, sizeof(path.at),
			"/api/v1/namespaces/%.*s/persistentvolumeclaims/%.*s", TEXT_ARGS(namespace),
			TEXT_ARGS(name));
		(void)world_ask(w, "DELETE", JSON, path.at, NULL);
	}
}

static void tenant_touch_some(struct world *w, uint32_t count)
{
	struct tenant_path path;
	char key[128], body[96];

	for (; count > 0 && some_of_theirs(w, &path, key, sizeof(key)); count--) {
		snprintf(body, sizeof(body), "{\"metadata\":{\"labels\":{\"touch\":\"%u\"}}}",
			(unsigned)world_below(w, 1000));
		(void)world_ask(w, "PATCH", MERGE, path.at, body);
	}
}

static uint32_t tenant_pods(const struct world *w)
{
	const struct registry *r = apisim_registry(w->api);
	uint32_t count = 0;

	for (uint32_t i = 0; i < registry_count(r, RESOURCE_PODS); i++)
		count += tenants_own(revision_namespace(
			registry_revision(r, registry_nth(r, RESOURCE_PODS, i))));
	return count;
}

static void tenant_act(struct world *w, enum sim_tenant tenant)
{
	uint32_t count = 1 + world_below(w, tenant == TENANT_FLOOD ? FLOOD : BURST);

	if (tenant == TENANT_SHUT)
		return; /* is there from the beginning */
	if (tenant == TENANT_ODD || tenant == TENANT_BIG || tenant == TENANT_DEEP)
		count = 1 + count / 8;
	if (tenant == TENANT_TOUCH) {
		tenant_touch_some(w, count);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		tenant_make_pod(w, tenant);
	if (tenant == TENANT_CHURN)
		tenant_delete_some(w, count);
}

void tenants_turn(struct world *w)
{
	uint32_t tenant = world_below(w, SIM_TENANTS);

	w->tenants_us =
		w->network.now_us + 1 + world_below(w, (uint32_t)(2 * w->plan.tenants_every_us));
	if (tenant_pods(w) > w->plan.tenant_pods)
		tenant_delete_some(w, 1 + world_below(w, w->plan.tenant_pods / 2));
	else if ((w->plan.tenants >> tenant & 1) != 0)
		tenant_act(w, (enum sim_tenant)tenant);
}

/* ---- the beginning and the end ---- */

static void make_wide_node(struct world *w, const char *name, uint32_t wide)
{
	char body[8192];
	struct writer out;

	writer_init(&out, body, sizeof(body) - 1);
	write_format(&out,
		"{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"labels\":"
		"{\"kubernetes.io/hostname\":\"%s\",\"topology.kubernetes.io/zone\":\"site-0\"}},"
		"\"spec\":{},\"status\":{\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\","
		"\"pods\":"
		"\"110\"",
		name, name);
	write_wide(&out, wide);
	write_z(&out, "}}}");
	CHECK(!out.overflowed);
	body[out.used] = '\0';
	(void)world_ask(w, "POST", JSON, "/api/v1/nodes", body);
}

void tenants_begin(struct world *w)
{
	char body[128];

	for (uint32_t i = 0; i < ARRAY_COUNT(tenant_namespaces); i++) {
		snprintf(body, sizeof(body),
			"{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
			"\"%s\"}}",
			tenant_namespaces[i]);
		(void)world_ask(w, "POST", JSON, "/api/v1/namespaces", body);
	}
	(void)world_ask(w, "POST", JSON, "/apis/storage.k8s.io/v1/storageclasses",
		"{\"kind\":\"StorageClass\",\"apiVersion\":\"storage.k8s.io/v1\",\"metadata\":{"
		"\"name\":\"hangs\"},\"provisioner\":\"rent.example/hangs\",\"volumeBindingMode\":"
		"\"WaitForFirstConsumer\"}");
	if ((w->plan.tenants >> TENANT_WIDE & 1) != 0)
		make_wide_node(w, "own-wide", WIDE);
	/* There before the node is: who sees the one sees the other. */
	if ((w->plan.tenants >> TENANT_SHUT & 1) != 0) {
		tenant_make_pod(w, TENANT_SHUT);
		make_wide_node(w, "own-shut", 0);
	}
	w->tenants_us = w->network.now_us + w->plan.tenants_every_us;
}

void tenants_end(struct world *w)
{
	const struct registry *r = apisim_registry(w->api);

	for (uint32_t i = 0; i < registry_count(r, RESOURCE_PODS); i++) {
		const struct revision *state =
			registry_revision(r, registry_nth(r, RESOURCE_PODS, i));
		struct tenant_path path;

		if (!text_contains(revision_json(state), TEXT("\"rent/hold\"")))
			continue;
		snprintf(path.at, sizeof(path.at), "/api/v1/namespaces/%.*s/pods/%.*s",
			TEXT_ARGS(revision_namespace(state)), TEXT_ARGS(revision_name(state)));
		(void)world_ask(w, "PATCH", MERGE, path.at, "{\"metadata\":{\"finalizers\":null}}");
		i = UINT32_MAX; /* from the beginning: it may be gone */
	}
}
