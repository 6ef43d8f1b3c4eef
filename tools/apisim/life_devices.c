/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Devices: a driver offers two on every node that can have them, says of one now and then that it
 * is hot (a taint, and gone again), and ends what claims of pods that are gone hold. Two of three
 * nodes have large devices; pods want those, or take a small one where they may.
 */
#include "apisim/life_private.h"

#define GROUP  "/apis/resource.k8s.io/v1"
#define HEAD   "\"apiVersion\":\"resource.k8s.io/v1\""
#define DRIVER "gpu.example.com"
#define CLAIMS GROUP "/namespaces/%.*s/resourceclaims/%.*s"

enum { LIFE_DEVICES_EACH = 2, LIFE_PUBLISHED_AT_ONCE = 20, LIFE_HOT_ONE_IN = 30 };

/* `hot`: the device that is tainted; more than there are: none. */
static const char *slice_of(
	struct life *life, const char *node, uint32_t number, uint32_t generation, uint32_t hot)
{
	const char *size = number % 3 == 0 ? "small" : "large";
	char list[1024];
	struct writer w;

	writer_init(&w, list, sizeof(list) - 1);
	for (uint32_t i = 0; i < LIFE_DEVICES_EACH; i++)
		write_format(&w,
			"%s{\"name\":\"gpu-%u\",\"attributes\":{\"size\":{\"string\":\"%s\"},"
			"\"driverVersion\":{\"version\":\"1.%u.0\"}},\"capacity\":{\"memory\":{"
			"\"value\":\"%uGi\"}}%s}",
			i == 0 ? "" : ",", (unsigned)i, size, (unsigned)(number % 4),
			number % 3 == 0 ? 8U : 24U,
			i != hot ? ""
				 : ",\"taints\":[{\"key\":\"" DRIVER
				   "/hot\",\"effect\":\"NoSchedule\"}]");
	CHECK(!w.overflowed);
	list[w.used] = '\0';
	return life_body(life,
		"{\"kind\":\"ResourceSlice\"," HEAD ",\"metadata\":{\"name\":\"gpu-%s\"},\"spec\":{"
		"\"driver\":\"" DRIVER "\",\"nodeName\":\"%s\",\"pool\":{\"name\":\"%s\","
		"\"generation\":%u,\"resourceSliceCount\":1},\"devices\":[%s]}}",
		node, node, node, (unsigned)generation, list);
}

static uint32_t number_of(const struct life_node *n)
{
	uint64_t number = 0;
	size_t dash = text_find_last(text_of(n->name), '-');

	return text_to_u64(text_from(text_of(n->name), dash + 1), &number) ? (uint32_t)number : 0;
}

/* The slice of a node that has none yet; or of one that has become hot, or cold. */
static bool publish(struct life *life, const struct life_node *n)
{
	const struct registry *r = apisim_registry(life->api);
	struct scratch *scratch = apisim_scratch(life->api);
	char name[80];
	struct writer w;
	uint32_t number = number_of(n);
	uint64_t generation = 0;

	writer_init(&w, name, sizeof(name));
	write_format(&w, "gpu-%s", n->name);
	uint32_t slice = registry_find(r, RESOURCE_SLICES, writer_text(&w));
	if (slice == 0) {
		life_ask(life, "POST", LIFE_JSON, GROUP "/resourceslices",
			slice_of(life, n->name, number, 1, LIFE_DEVICES_EACH));
		return true;
	}
	if (life->calm || random_below(&life->random, LIFE_HOT_ONE_IN) != 0)
		return false;
	scratch_reset(scratch);
	const struct text json = revision_json(registry_revision(r, slice));
	bool hot = text_contains(json, TEXT("\"taints\""));
	const struct tree *at = tree_path(tree_read(json, scratch), "spec.pool.generation");
	if (at == NULL || !text_to_u64(at->text, &generation))
		return false;
	const char *body = slice_of(life, n->name, number, (uint32_t)generation + 1,
		hot ? LIFE_DEVICES_EACH : random_below(&life->random, LIFE_DEVICES_EACH));
	life_ask(life, "PATCH", LIFE_MERGE,
		life_path(life, GROUP "/resourceslices/gpu-%s", n->name), body);
	return true;
}

/* Of a node that is gone. */
static void withdraw(struct life *life, uint32_t revision)
{
	const struct registry *r = apisim_registry(life->api);
	struct text name = revision_name(registry_revision(r, revision));

	if (!text_starts(name, TEXT("gpu-")) || life_find_node(life, text_from(name, 4)) != 0)
		return;
	life_ask(life, "DELETE", LIFE_JSON,
		life_path(life, GROUP "/resourceslices/%.*s", TEXT_ARGS(name)), NULL);
}

/* Of a pod that is gone: first the devices go back, then the claim goes. */
static void end_claim(struct life *life, uint32_t revision)
{
	const struct registry *r = apisim_registry(life->api);
	const struct revision *state = registry_revision(r, revision);
	struct text namespace = revision_namespace(state), name = revision_name(state);
	struct text json = revision_json(state);

	if (!text_contains(json, TEXT("\"life-app\"")) ||
		registry_find(r, RESOURCE_PODS, revision_key(state)) != 0)
		return;
	if (text_contains(json, TEXT("\"allocation\"")))
		life_ask(life, "PATCH", LIFE_MERGE,
			life_path(life, CLAIMS "/status", TEXT_ARGS(namespace), TEXT_ARGS(name)),
			"{\"status\":{\"allocation\":null,\"reservedFor\":null}}");
	life_ask(life, "PATCH", LIFE_MERGE,
		life_path(life, CLAIMS, TEXT_ARGS(namespace), TEXT_ARGS(name)),
		"{\"metadata\":{\"finalizers\":null}}");
	life_ask(life, "DELETE", LIFE_JSON,
		life_path(life, CLAIMS, TEXT_ARGS(namespace), TEXT_ARGS(name)), NULL);
}

void life_devices(struct life *life)
{
	uint32_t published = 0;

	for (uint32_t i = pool_next(&life->nodes, 0); i != 0 && published < LIFE_PUBLISHED_AT_ONCE;
		i = pool_next(&life->nodes, i))
		if (life_node(life, i)->up && !life_node(life, i)->control_plane)
			published += publish(life, life_node(life, i));
	life_each(life, RESOURCE_SLICES, NULL, withdraw);
	life_each(life, RESOURCE_CLAIMS, NULL, end_claim);
}

void life_make_device_class(struct life *life)
{
	life_ask(life, "POST", LIFE_JSON, GROUP "/deviceclasses",
		"{\"kind\":\"DeviceClass\"," HEAD ",\"metadata\":{\"name\":\"gpu\"},\"spec\":{"
		"\"selectors\":[{\"cel\":{\"expression\":\"device.driver == '" DRIVER "'\"}}]}}");
}

/* A large one, or else any whose driver is not too old. */
void life_make_device_claim(struct life *life, uint32_t app, const char *name)
{
#define ALTERNATIVE(name, selector)                                              \
	"{\"name\":\"" name "\",\"deviceClassName\":\"gpu\",\"allocationMode\":" \
	"\"ExactCount\",\"count\":1,\"selectors\":[{\"cel\":{\"expression\":\"" selector "\"}}]}"
	life_ask(life, "POST", LIFE_JSON, GROUP "/namespaces/default/resourceclaims",
		life_body(life,
			"{\"kind\":\"ResourceClaim\"," HEAD ",\"metadata\":{\"name\":\"%s\","
			"\"labels\":{\"life-app\":\"%u\"}},\"spec\":{\"devices\":{\"requests\":[{"
			"\"name\":\"gpu\",\"firstAvailable\":[" ALTERNATIVE("large",
				"device.capacity['" DRIVER
				"'].memory.compareTo(quantity('16Gi')) >= 0") "," ALTERNATIVE("new",
				"device.attributes['" DRIVER
				"'].driverVersion.isGreaterThan(semver('1.0.0'))") "]}]}}}",
			name, (unsigned)app));
}
