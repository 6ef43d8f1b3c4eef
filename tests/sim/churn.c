/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Churn: pods and nodes of many shapes come, change and go, beside what tools/apisim/life does.
 * No node ever has less room than before, but for what a power cut takes back: then a scheduler
 * whose picture is a little old may bind to the wrong node, but never more than the node holds.
 */
#include "sim/world.h"

#include <stdio.h>

#define JSON  "application/json"
#define MERGE "application/merge-patch+json"
#define PODS  "/api/v1/namespaces/%s/pods"

enum { BODY_MAX = 64 * 1024, POD_COUNT = 12 };

static const char *const namespaces[] = {"default", "team-a", "team-b"};

struct line {
	char at[BODY_MAX];
};

static const char *print(struct line *line, const char *format, ...) PRINTF_LIKE(2, 3);
static const char *print(struct line *line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int size = vsnprintf(line->at, sizeof(line->at), format, args);
	va_end(args);
	CHECK(size >= 0 && (size_t)size < sizeof(line->at));
	return line->at;
}

/* ---- finding ---- */

/* A random one whose name begins so; false: none was met. The key is copied. */
bool churn_some_object(
	struct world *w, uint32_t resource, const char *prefix, char *key, size_t size)
{
	const struct registry *r = apisim_registry(w->api);
	uint32_t count = registry_count(r, resource);
	uint32_t first = count == 0 ? 0 : world_below(w, count);

	for (uint32_t i = 0; i < count; i++) {
		const struct revision *state =
			registry_revision(r, registry_nth(r, resource, (first + i) % count));

		if (text_starts(revision_name(state), text_of(prefix)))
			return text_copy(revision_key(state), key, size);
	}
	return false;
}

static const char *pod_path(struct line *line, const char *key, const char *sub)
{
	struct text whole = text_of(key), namespace;

	CHECK(text_cut(&whole, '/', &namespace));
	return print(line, "/api/v1/namespaces/%.*s/pods/%.*s%s", TEXT_ARGS(namespace),
		TEXT_ARGS(whole), sub);
}

/* ---- pods ---- */

static void make_claim(struct world *w, const char *namespace, const char *name)
{
	struct line path, body;
	bool now = world_below(w, 3) == 0;

	(void)world_ask(w, "POST", JSON,
		print(&path, "/api/v1/namespaces/%s/persistentvolumeclaims", namespace),
		print(&body,
			"{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\",\"metadata\":{"
			"\"name\":\"%s\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
			"\"storageClassName\":\"%s\",\"resources\":{\"requests\":{\"storage\":"
			"\"1Gi\"}}}}",
			name, now ? "nobody" : "local-path"));
}

static void make_pods(struct world *w)
{
	uint32_t count = world_below(w, 3) == 0 ? 1 + world_below(w, POD_COUNT) : 1;
	const char *namespace = namespaces[world_below(w, ARRAY_COUNT(namespaces))];
	struct random shape = w->random;
	struct line path, body;

	print(&path, PODS, namespace);
	for (uint32_t i = 0; i < count; i++) {
		char name[32];
		struct writer out;

		/* Those of one burst are of one shape. */
		w->random = shape;
		snprintf(name, sizeof(name), "p-%u", (unsigned)w->serial++);
		writer_init(&out, body.at, sizeof(body.at) - 1);
		shapes_pod(w, &out, name);
		CHECK(!out.overflowed);
		body.at[out.used] = '\0';
		if (text_contains(writer_text(&out), TEXT("claimName")) &&
			!text_contains(writer_text(&out), TEXT("\"shared\"")) &&
			world_below(w, 8) != 0)
			make_claim(w, namespace, name);
		if (text_contains(writer_text(&out), TEXT("resourceClaimName")) &&
			world_below(w, 8) != 0)
			devices_make_claim(w, namespace, name);
		int status = world_ask(w, "POST", JSON, path.at, body.at);
		CHECK(status == 201);
	}
}

static void delete_pod(struct world *w)
{
	char key[128];
	struct line path;

	if (!churn_some_object(w, RESOURCE_PODS, "p-", key, sizeof(key)))
		return;
	(void)world_ask(w, "DELETE", JSON, pod_path(&path, key, ""), NULL);
	if (world_below(w, 4) == 0 ||
		registry_find(apisim_registry(w->api), RESOURCE_PVCS, text_of(key)) == 0)
		return;
	struct text name = text_of(key), namespace;
	CHECK(text_cut(&name, '/', &namespace));
	(void)world_ask(w, "DELETE", JSON,
		print(&path, "/api/v1/namespaces/%.*s/persistentvolumeclaims/%.*s",
			TEXT_ARGS(namespace), TEXT_ARGS(name)),
		NULL);
}

static void change_pod(struct world *w)
{
	char key[128];
	struct line path, body;

	if (!churn_some_object(w, RESOURCE_PODS, "p-", key, sizeof(key)))
		return;
	(void)world_ask(w, "PATCH", MERGE, pod_path(&path, key, ""),
		print(&body, "{\"metadata\":{\"labels\":{\"app\":\"g-%u\"}}}",
			(unsigned)world_below(w, 8)));
}

static void end_pod(struct world *w)
{
	char key[128];
	struct line path, body;
	const struct registry *r = apisim_registry(w->api);

	if (!churn_some_object(w, RESOURCE_PODS, "p-", key, sizeof(key)))
		return;
	uint32_t revision = registry_find(r, RESOURCE_PODS, text_of(key));
	/* What has ended does not start again. */
	if (!text_is(revision_phase(registry_revision(r, revision)), TEXT("Running")))
		return;
	(void)world_ask(w, "PATCH", MERGE, pod_path(&path, key, "/status"),
		print(&body, "{\"status\":{\"phase\":\"%s\"}}",
			world_below(w, 2) == 0 ? "Failed" : "Succeeded"));
}

/* ---- nodes ---- */

static void make_node(struct world *w)
{
	static const char *const sizes[] = {
		"{\"cpu\":\"2\",\"memory\":\"2Gi\",\"pods\":\"8\"}",
		("{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"110\",\"ephemeral-storage\":"
		 "\"10Gi\"}"),
		"{\"cpu\":\"1500m\",\"memory\":\"1Gi\",\"pods\":\"30\"}",
	};
	const char *size = sizes[world_below(w, ARRAY_COUNT(sizes))];
	/* Where there is one zone, who is kept away from it has to wait for another one. */
	uint32_t number = w->serial++, zones = 1 + (uint32_t)(w->seed % 4);
	struct line body;

	(void)world_ask(w, "POST", JSON, "/api/v1/nodes",
		print(&body,
			"{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"own-%"
			"u\","
			"\"labels\":{\"kubernetes.io/hostname\":\"own-%u\",%s\"topology.kubernetes."
			"io/zone\":\"site-%u\"}},\"spec\":{%s},\"status\":{\"capacity\":%s,"
			"\"allocatable\":%s}}",
			(unsigned)number, (unsigned)number,
			world_below(w, 3) == 0           ? ""
				: world_below(w, 2) == 0 ? "\"disk\":\"ssd\","
							 : "\"disk\":\"hdd\",",
			(unsigned)world_below(w, zones),
			world_below(w, 5) == 0
				? "\"taints\":[{\"key\":\"dedicated\",\"value\":\"x\",\"effect\":"
				  "\"NoSchedule\"}]"
				: "",
			size, size));
}

static void change_node(struct world *w)
{
	static const char *const patches[] = {
		"{\"spec\":{\"unschedulable\":true}}",
		"{\"spec\":{\"unschedulable\":null}}",
		"{\"spec\":{\"unschedulable\":null,\"taints\":null}}",
		"{\"spec\":{\"taints\":[{\"key\":\"dedicated\",\"value\":\"x\",\"effect\":"
		"\"NoSchedule\"}]}}",
		"{\"spec\":{\"taints\":[{\"key\":\"dedicated\",\"value\":\"y\",\"effect\":"
		"\"NoExecute\"}]}}",
		"{\"spec\":{\"taints\":[{\"key\":\"soft\",\"effect\":\"PreferNoSchedule\"}]}}",
		"{\"metadata\":{\"labels\":{\"disk\":\"ssd\"}}}",
		"{\"metadata\":{\"labels\":{\"disk\":\"hdd\"}}}",
		"{\"metadata\":{\"labels\":{\"disk\":null}}}",
		"{\"metadata\":{\"labels\":{\"topology.kubernetes.io/zone\":\"site-2\"}}}",
		"{\"metadata\":{\"labels\":{\"topology.kubernetes.io/zone\":\"site-3\"}}}",
		"{\"metadata\":{\"labels\":{\"topology.kubernetes.io/zone\":\"site-0\"}}}",
	};
	char key[128];
	struct line path;
	uint32_t what = world_below(w, ARRAY_COUNT(patches) + 4);

	if (what == ARRAY_COUNT(patches)) {
		make_node(w);
		return;
	}
	if (!churn_some_object(w, RESOURCE_NODES, "own-", key, sizeof(key)))
		return;
	print(&path, "/api/v1/nodes/%s", key);
	if (what < ARRAY_COUNT(patches))
		(void)world_ask(w, "PATCH", MERGE, path.at, patches[what]);
	else if (what == ARRAY_COUNT(patches) + 1)
		(void)world_ask(w, "DELETE", JSON, path.at, NULL);
	else
		(void)world_ask(w, "PATCH", MERGE, print(&path, "/api/v1/nodes/%s/status", key),
			"{\"status\":{\"allocatable\":{\"cpu\":\"6\",\"memory\":\"12Gi\",\"pods\":"
			"\"120\"}}}");
}

/* ---- the rest ---- */

static void change_budget(struct world *w)
{
	const char *namespace = namespaces[world_below(w, ARRAY_COUNT(namespaces))];
	uint32_t number = world_below(w, 4);
	struct line path, body;

	print(&path, "/apis/policy/v1/namespaces/%s/poddisruptionbudgets/b-%u", namespace,
		(unsigned)number);
	if (world_ask(w, "DELETE", JSON, path.at, NULL) == 200 && world_below(w, 2) == 0)
		return;
	print(&path, "/apis/policy/v1/namespaces/%s/poddisruptionbudgets", namespace);
	(void)world_ask(w, "POST", JSON, path.at,
		print(&body,
			"{\"kind\":\"PodDisruptionBudget\",\"apiVersion\":\"policy/v1\","
			"\"metadata\":{\"name\":\"b-%u\"},\"spec\":{\"minAvailable\":1,"
			"\"selector\":{\"matchLabels\":{\"app\":\"g-%u\"}}},\"status\":{"
			"\"disruptionsAllowed\":%u,\"currentHealthy\":1,\"desiredHealthy\":1,"
			"\"expectedPods\":1}}",
			(unsigned)number, (unsigned)world_below(w, 8),
			(unsigned)world_below(w, 3)));
}

static void change_namespace(struct world *w)
{
	struct line path, body;

	print(&path, "/api/v1/namespaces/%s", namespaces[1 + world_below(w, 2)]);
	(void)world_ask(w, "PATCH", MERGE, path.at,
		print(&body, "{\"metadata\":{\"labels\":{\"team\":\"%c\"}}}",
			"ab"[world_below(w, 2)]));
}

static void ungate(struct world *w)
{
	char key[128];
	struct line path;

	if (!churn_some_object(w, RESOURCE_PODS, "p-", key, sizeof(key)))
		return;
	(void)world_ask(w, "PATCH", MERGE, pod_path(&path, key, ""),
		"{\"spec\":{\"schedulingGates\":null}}");
}

void churn_turn(struct world *w)
{
	uint32_t pods = registry_count(apisim_registry(w->api), RESOURCE_PODS);
	uint32_t what = world_below(w, 100);

	w->churn_us = w->network.now_us + 1 + world_below(w, (uint32_t)(2 * w->plan.churn_us));
	if (pods > w->plan.pods * 2 + 40 && what < 60)
		delete_pod(w);
	else if (what < 45)
		make_pods(w);
	else if (what < 62)
		delete_pod(w);
	else if (what < 67)
		change_pod(w);
	else if (what < 72)
		end_pod(w);
	else if (what < 80)
		ungate(w);
	else if (what < 83 && w->plan.namespaces_change)
		change_namespace(w);
	else if (what < 88 && w->plan.budgets)
		change_budget(w);
	else if (what >= 88 && w->plan.nodes_change) {
		change_node(w);
		world_look_soon(w);
	}
}

void churn_begin(struct world *w)
{
	static const struct {
		const char *name, *rest;
	} classes[] = {{"sim-low", "\"value\":-10"}, {"sim-high", "\"value\":1000"},
		{"sim-polite", "\"value\":500,\"preemptionPolicy\":\"Never\""},
		{"sim-huge", "\"value\":100000"}};
	struct line body, path;

	for (uint32_t i = 0; i < ARRAY_COUNT(classes); i++)
		(void)world_ask(w, "POST", JSON, "/apis/scheduling.k8s.io/v1/priorityclasses",
			print(&body,
				"{\"kind\":\"PriorityClass\",\"apiVersion\":"
				"\"scheduling.k8s.io/v1\",\"metadata\":{\"name\":\"%s\"},%s}",
				classes[i].name, classes[i].rest));
	for (uint32_t i = 0; i < ARRAY_COUNT(namespaces); i++) {
		(void)world_ask(w, "POST", JSON, "/api/v1/namespaces",
			print(&body,
				"{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{"
				"\"name\":\"%s\",\"labels\":{\"team\":\"%c\"}}}",
				namespaces[i], "xab"[i]));
		make_claim(w, namespaces[i], "shared");
		(void)world_ask(w, "POST", JSON,
			print(&path, "/api/v1/namespaces/%s/services", namespaces[i]),
			"{\"kind\":\"Service\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
			"\"front\"},\"spec\":{\"selector\":{\"app\":\"g-1\"}}}");
	}
	if (w->plan.devices)
		devices_begin(w);
	if (w->plan.tenants != 0) {
		tenants_begin(w);
		neighbours_begin(w);
	}
	if (w->plan.nodes == 0)
		(void)world_ask(w, "POST", JSON, "/apis/storage.k8s.io/v1/storageclasses",
			"{\"kind\":\"StorageClass\",\"apiVersion\":\"storage.k8s.io/v1\","
			"\"metadata\":{\"name\":\"local-path\"},\"provisioner\":"
			"\"rancher.io/"
			"local-path\",\"volumeBindingMode\":\"WaitForFirstConsumer\"}");
	for (uint32_t i = 0; i < w->plan.own_nodes; i++)
		make_node(w);
	w->churn_us = w->network.now_us + 1;
}

/* ---- the end ---- */

static void remove_all(struct world *w, uint32_t resource, const char *group, const char *plural)
{
	char key[256];
	struct line path;

	while (churn_some_object(w, resource, "", key, sizeof(key))) {
		struct text name = text_of(key), namespace;

		if (text_contains(name, TEXT("/"))) {
			CHECK(text_cut(&name, '/', &namespace));
			print(&path, "%s/namespaces/%.*s/%s/%.*s", group, TEXT_ARGS(namespace),
				plural, TEXT_ARGS(name));
		} else {
			print(&path, "%s/%s/%s", group, plural, key);
		}
		int status = world_ask(w, "DELETE", JSON, path.at,
			"{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"gracePeriodSeconds\":"
			"0}");
		CHECK(status == 200);
	}
}

void churn_end(struct world *w)
{
	devices_end(w);
	tenants_end(w);
	remove_all(w, RESOURCE_CLAIMS, "/apis/resource.k8s.io/v1", "resourceclaims");
	remove_all(w, RESOURCE_SLICES, "/apis/resource.k8s.io/v1", "resourceslices");
	remove_all(w, RESOURCE_DEVICE_CLASSES, "/apis/resource.k8s.io/v1", "deviceclasses");
	remove_all(w, RESOURCE_PODS, "/api/v1", "pods");
	remove_all(w, RESOURCE_NODES, "/api/v1", "nodes");
	remove_all(w, RESOURCE_PDBS, "/apis/policy/v1", "poddisruptionbudgets");
	remove_all(w, RESOURCE_PVCS, "/api/v1", "persistentvolumeclaims");
	remove_all(w, RESOURCE_PVS, "/api/v1", "persistentvolumes");
	remove_all(w, RESOURCE_SERVICES, "/api/v1", "services");
	remove_all(w, RESOURCE_STORAGE_CLASSES, "/apis/storage.k8s.io/v1", "storageclasses");
	remove_all(w, RESOURCE_NAMESPACES, "/api/v1", "namespaces");
}
