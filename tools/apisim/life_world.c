/* SPDX-License-Identifier: GPL-2.0-only */
/* What people and weather do. */
#include "apisim/life_private.h"

#include <stdio.h>

#include "kube/time.h"

enum {
	LIFE_CREATED_AT_ONCE = 50,
	LIFE_JOB_PODS_MAX = 12,
	LIFE_FLAVOURS = 10,
	LIFE_WITH_CLAIM = 8,
	LIFE_WITH_DEVICE = LIFE_FLAVOURS, /* only where there are some */
	LIFE_DEVICE_PODS_MAX = 8,
	LIFE_NEVER_PODS = 2,
	LIFE_NODES_MIN = 3
};

static uint32_t below(struct life *life, uint32_t bound)
{
	return random_below(&life->random, bound);
}

/* ---- nodes ---- */

static void make_node(struct life *life)
{
	static const struct {
		uint32_t cpu, memory_gib, pods;
		const char *type, *arch;
	} sizes[] = {{2, 2, 60, "gateway", "arm64"}, {4, 8, 110, "pi5", "arm64"},
		{8, 16, 110, "nuc", "amd64"}, {32, 128, 250, "server", "amd64"}};
	uint32_t number = life->node_number++;
	bool control_plane = number == 0;
	uint32_t size = control_plane ? 1 : below(life, 10) == 0 ? 3 : below(life, 3);
	char time[KUBE_TIME_SIZE];

	life_time(life, time, sizeof(time));
#define RESOURCES_OF_NODE \
	"{\"cpu\":\"%u\",\"memory\":\"%uMi\",\"ephemeral-storage\":\"100Gi\",\"pods\":\"%u\"}"
	life_ask(life, "POST", LIFE_JSON, "/api/v1/nodes",
		life_body(life,
			"{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
			"\"node-%05u\",\"labels\":{\"kubernetes.io/hostname\":\"node-%05u\","
			"\"kubernetes.io/arch\":\"%s\",\"kubernetes.io/os\":\"linux\","
			"\"node.kubernetes.io/instance-type\":\"%s\","
			"\"topology.kubernetes.io/region\":\"edge\","
			"\"topology.kubernetes.io/zone\":\"site-%u\"%s}},\"spec\":{%s},\"status\":{"
			"\"capacity\":" RESOURCES_OF_NODE ",\"allocatable\":" RESOURCES_OF_NODE
			",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"reason\":"
			"\"KubeletReady\",\"lastHeartbeatTime\":\"%s\",\"lastTransitionTime\":"
			"\"%s\"}],\"images\":[{\"names\":[\"registry.example/app:1\"],"
			"\"sizeBytes\":%u}]}}",
			(unsigned)number, (unsigned)number, sizes[size].arch, sizes[size].type,
			(unsigned)(number % LIFE_ZONES),
			control_plane ? ",\"node-role.kubernetes.io/control-plane\":\"\"" : "",
			control_plane ? "\"taints\":[{\"key\":"
					"\"node-role.kubernetes.io/control-plane\",\"effect\":"
					"\"NoSchedule\"}]"
				      : "",
			(unsigned)sizes[size].cpu, (unsigned)sizes[size].memory_gib * 1024,
			(unsigned)sizes[size].pods, (unsigned)sizes[size].cpu,
			(unsigned)(sizes[size].memory_gib * 1024 - 256), (unsigned)sizes[size].pods,
			time, time, (unsigned)(20 + below(life, 400)) * 1000000));
	life->counts.nodes_added++;
}

/* A node that is up and not needed for something else; 0: none was met. */
static uint32_t some_node(struct life *life)
{
	uint32_t top = pool_top(&life->nodes);

	for (uint32_t i = 0; top > 0 && i < 20; i++) {
		uint32_t node = 1 + below(life, top);

		if (!pool_is_taken(&life->nodes, node))
			continue;
		const struct life_node *n = life_node(life, node);
		if (n->up && !n->control_plane && !n->draining)
			return node;
	}
	return 0;
}

static void drain(struct life *life, uint32_t node)
{
	struct life_node *n = life_node(life, node);

	n->draining = true;
	life_ask(life, "PATCH", LIFE_MERGE, life_path(life, "/api/v1/nodes/%s", n->name),
		"{\"spec\":{\"unschedulable\":true,\"taints\":[{\"key\":"
		"\"node.kubernetes.io/unschedulable\",\"effect\":\"NoSchedule\"}]}}");
	for (uint32_t i = pool_next(&life->pods, 0); i != 0; i = pool_next(&life->pods, i))
		if (life_pod(life, i)->node == node && !life_pod(life, i)->ending)
			life_pod_due(life, i, LIFE_GOES, life_between(life, 0, 20000));
}

/* One that is being drained goes; else one comes, or a drain begins. */
static void change_nodes(struct life *life)
{
	for (uint32_t i = pool_next(&life->nodes, 0); i != 0; i = pool_next(&life->nodes, i)) {
		if (!life_node(life, i)->draining)
			continue;
		life_ask(life, "DELETE", LIFE_JSON,
			life_path(life, "/api/v1/nodes/%s", life_node(life, i)->name), NULL);
		life->counts.nodes_removed++;
		return;
	}
	if (life->counts.nodes <= life->setup.nodes) {
		make_node(life);
	} else if (life->counts.nodes > LIFE_NODES_MIN) {
		uint32_t node = some_node(life);

		if (node != 0)
			drain(life, node);
	}
}

static void heartbeat(struct life *life)
{
	uint32_t node = some_node(life);
	char time[KUBE_TIME_SIZE];

	if (node == 0)
		return;
	life_time(life, time, sizeof(time));
	life_ask(life, "PATCH", LIFE_STRATEGIC,
		life_path(life, "/api/v1/nodes/%s/status", life_node(life, node)->name),
		life_body(life,
			"{\"status\":{\"conditions\":[{\"type\":\"Ready\","
			"\"lastHeartbeatTime\":\"%s\"}]}}",
			time));
}

static void power_cut(struct life *life)
{
	uint32_t zone = below(life, LIFE_ZONES);
	int64_t lasts = life_hurried(life, life_between(life, 60 * 1000, 900 * 1000));

	life->counts.power_cuts++;
	for (uint32_t i = pool_next(&life->nodes, 0); i != 0; i = pool_next(&life->nodes, i))
		if (life_node(life, i)->zone == zone)
			life_node_goes_down(life, i, lasts + life_between(life, 1000, 30 * 1000));
	if (life->setup.on_power_cut != NULL)
		life->setup.on_power_cut(life->setup.self, zone);
}

/* ---- apps ---- */

/* What a pod of this flavour has besides its container; `app` is the value of its labels. */
static const char *flavour_of(const struct life_app *app)
{
#define OF_APP  "{\"matchLabels\":{\"app\":\"app-%u\"}}"
#define NOWHERE "\"nodeSelector\":{\"example.com/disk\":\"unobtainable\"},"
	switch (app->flavour) {
	case 1:
		return "\"topologySpreadConstraints\":[{\"maxSkew\":2,\"topologyKey\":"
		       "\"topology.kubernetes.io/zone\",\"whenUnsatisfiable\":\"DoNotSchedule\","
		       "\"labelSelector\":" OF_APP "}],";
	case 2:
		return "\"affinity\":{\"podAntiAffinity\":{"
		       "\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":100,"
		       "\"podAffinityTerm\":{\"topologyKey\":\"kubernetes.io/hostname\","
		       "\"labelSelector\":" OF_APP "}}]}},";
	case 3:
		return "\"affinity\":{\"podAntiAffinity\":{"
		       "\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"topologyKey\":"
		       "\"kubernetes.io/hostname\",\"labelSelector\":" OF_APP "}]}},";
	case 4: return "\"priorityClassName\":\"life-high\",";
	case 5: return "\"nodeSelector\":{\"kubernetes.io/arch\":\"arm64\"},";
	case 6:
		return "\"tolerations\":[{\"key\":\"node-role.kubernetes.io/control-plane\","
		       "\"operator\":\"Exists\",\"effect\":\"NoSchedule\"}],";
	case 7: return "\"schedulingGates\":[{\"name\":\"example.com/approval\"}],";
	case LIFE_FLAVOURS - 1: return NOWHERE;
	default: return "";
	}
}

static void make_pod(struct life *life, uint32_t index, const char *name, const char *more)
{
	const struct life_app *app = &life->apps[index];
	char flavour[512];
	struct text rest = text_of(flavour_of(app));
	struct writer w;
	struct text part;

	/* The app's number where the flavour names it. */
	writer_init(&w, flavour, sizeof(flavour) - 1);
	for (bool first = true; text_cut(&rest, '%', &part); first = false) {
		if (!first) {
			write_u64(&w, index);
			part = text_from(part, 1);
		}
		write_text(&w, part);
	}
	CHECK(!w.overflowed);
	flavour[w.used] = '\0';
	int status = life_ask(life, "POST", LIFE_JSON, "/api/v1/namespaces/default/pods",
		life_body(life,
			"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\","
			"\"labels\":{\"app\":\"app-%u\",\"life-app\":\"%u\"}},\"spec\":{%s%s"
			"\"schedulerName\":\"%s\",\"restartPolicy\":\"%s\",\"containers\":[{"
			"\"name\":\"main\",\"image\":\"registry.example/app:1\",\"resources\":{"
			"\"requests\":{\"cpu\":\"%um\",\"memory\":\"%uMi\"}}}]}}",
			name, (unsigned)index, (unsigned)index, flavour, more,
			life->setup.scheduler_name, app->kind == LIFE_JOB ? "Never" : "Always",
			(unsigned)app->cpu_milli, (unsigned)app->memory_mib));
	if (status == 201)
		life->counts.created++;
}

/* By their numbers and chance, as the names of replica sets look. */
static void make_replica(struct life *life, uint32_t index)
{
	char name[64], more[256];
	struct writer w;

	writer_init(&w, name, sizeof(name) - 1);
	write_format(&w, "app-%u-%u-%05x", (unsigned)index, (unsigned)life->apps[index].number++,
		(unsigned)below(life, 1 << 20));
	name[w.used] = '\0';
	more[0] = '\0';
	if (life->apps[index].flavour == LIFE_WITH_CLAIM) {
		life_make_claim(life, index, name);
		snprintf(more, sizeof(more),
			"\"volumes\":[{\"name\":\"data\",\"persistentVolumeClaim\":{"
			"\"claimName\":\"%s\"}}],",
			name);
	}
	if (life->apps[index].flavour == LIFE_WITH_DEVICE) {
		life_make_device_claim(life, index, name);
		snprintf(more, sizeof(more),
			"\"resourceClaims\":[{\"name\":\"gpu\",\"resourceClaimName\":\"%s\"}],",
			name);
	}
	make_pod(life, index, name, more);
}

static void remove_replicas(struct life *life, uint32_t index, uint32_t count)
{
	uint32_t top = pool_top(&life->pods), first = top == 0 ? 0 : below(life, top);

	for (uint32_t i = 0; i < top && count > 0; i++) {
		uint32_t pod = 1 + (first + i) % top;

		if (!pool_is_taken(&life->pods, pod))
			continue;
		struct life_pod *p = life_pod(life, pod);
		if (p->app != index || p->ending || p->over || p->action == LIFE_GOES)
			continue;
		life_pod_due(life, pod, LIFE_GOES, life_between(life, 0, 2000));
		count--;
	}
}

/* One for each node, meant for it alone, as the daemon set controller makes them. */
static void look_after_daemons(struct life *life, uint32_t index)
{
	uint32_t made = 0;

	for (uint32_t i = pool_next(&life->nodes, 0); i != 0 && made < LIFE_CREATED_AT_ONCE;
		i = pool_next(&life->nodes, i)) {
		const struct life_node *n = life_node(life, i);
		char name[128], key[160], more[512];
		struct writer w;

		writer_init(&w, name, sizeof(name) - 1);
		write_format(&w, "app-%u-%s", (unsigned)index, n->name);
		name[w.used] = '\0';
		writer_init(&w, key, sizeof(key));
		write_format(&w, "default/%s", name);
		if (n->draining ||
			registry_find(apisim_registry(life->api), RESOURCE_PODS, writer_text(&w)) !=
				0)
			continue;
		writer_init(&w, more, sizeof(more) - 1);
		write_format(&w,
			"\"tolerations\":[{\"operator\":\"Exists\"}],\"affinity\":{"
			"\"nodeAffinity\":"
			"{\"requiredDuringSchedulingIgnoredDuringExecution\":{"
			"\"nodeSelectorTerms\":"
			"[{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\","
			"\"values\":[\"%s\"]}]}]}}},",
			n->name);
		CHECK(!w.overflowed);
		more[w.used] = '\0';
		make_pod(life, index, name, more);
		made++;
	}
}

static void control(struct life *life)
{
	for (uint32_t i = 1; i <= life->apps_count; i++) {
		struct life_app *app = &life->apps[i];
		uint32_t made = 0;

		if (app->kind == LIFE_DAEMON) {
			look_after_daemons(life, i);
			continue;
		}
		if (app->kind == LIFE_JOB) {
			for (; app->wanted > 0; app->wanted--)
				make_replica(life, i);
			continue;
		}
		for (uint32_t have = app->have; have < app->wanted && made < LIFE_CREATED_AT_ONCE;
			have++, made++)
			make_replica(life, i);
		if (app->have > app->wanted)
			remove_replicas(life, i, app->have - app->wanted);
	}
}

static void scale(struct life *life)
{
	if (life->apps_count == 0)
		return;
	struct life_app *app = &life->apps[1 + below(life, life->apps_count)];
	if (app->kind != LIFE_DEPLOYMENT)
		return;
	app->wanted = below(life, app->wanted_max + 1);
	life->counts.scaled++;
}

static void begin_job(struct life *life)
{
	for (uint32_t i = 1; i <= life->apps_count; i++)
		if (life->apps[i].kind == LIFE_JOB && below(life, 2) == 0)
			life->apps[i].wanted = 1 + below(life, LIFE_JOB_PODS_MAX);
}

/* ---- events ---- */

void life_event(struct life *life, enum life_event event)
{
	/* Milliseconds between two of them. */
	static const struct {
		uint32_t from, to;
		uint32_t calm; /* so many times that when it is calm; 0: not then */
	} pace[LIFE_EVENTS] = {[LIFE_EVENT_CONTROL] = {500, 1500, 1},
		[LIFE_EVENT_HEARTBEAT] = {2000, 10000, 10},
		[LIFE_EVENT_SCALE] = {10 * 1000, 60 * 1000, 0},
		[LIFE_EVENT_JOB] = {30 * 1000, 180 * 1000, 0},
		[LIFE_EVENT_FAILURE] = {300 * 1000, 900 * 1000, 0},
		[LIFE_EVENT_POWER_CUT] = {3600 * 1000, 4 * 3600 * 1000, 0},
		[LIFE_EVENT_NODES] = {600 * 1000, 1800 * 1000, 0},
		[LIFE_EVENT_TICK] = {5 * 1000, 5 * 1000, 6}};
	bool first = life->events[event] == 0;
	int64_t wait = life_between(life, pace[event].from, pace[event].to);
	uint32_t node;

	if (pace[event].calm == 0)
		wait = life_hurried(life, wait);
	else if (life->calm)
		wait *= pace[event].calm;
	life->events[event] = life->now_us + wait;
	if (first || (life->calm && pace[event].calm == 0))
		return;
	switch (event) {
	case LIFE_EVENT_CONTROL:
		/* Who has nothing new to look at does not look. */
		if (life->calm && !life->news)
			break;
		life->news = false;
		control(life);
		life_volumes(life);
		if (life->setup.devices)
			life_devices(life);
		life->each_from += LIFE_LOOKED_AT_ONCE;
		break;
	case LIFE_EVENT_HEARTBEAT: heartbeat(life); break;
	case LIFE_EVENT_SCALE: scale(life); break;
	case LIFE_EVENT_JOB: begin_job(life); break;
	case LIFE_EVENT_FAILURE:
		node = some_node(life);
		if (node != 0)
			life_node_goes_down(life, node,
				life_hurried(life, life_between(life, 10 * 1000, 1200 * 1000)));
		break;
	case LIFE_EVENT_POWER_CUT: power_cut(life); break;
	case LIFE_EVENT_NODES: change_nodes(life); break;
	case LIFE_EVENT_TICK: apisim_tick(life->api); break;
	default: break;
	}
}

/* ---- the beginning ---- */

static void add_app(struct life *life, enum life_app_kind kind, uint32_t wanted)
{
	static const uint32_t cpus[] = {10, 50, 100, 250, 500, 1000};

	if (life->apps_count == LIFE_APPS)
		return;
	struct life_app *app = &life->apps[++life->apps_count];
	*app = (struct life_app){.kind = kind,
		.flavour = kind == LIFE_NEVER     ? LIFE_FLAVOURS - 1
			: kind == LIFE_DEPLOYMENT ? below(life, LIFE_FLAVOURS - 1)
						  : 0,
		.cpu_milli = kind == LIFE_DAEMON ? 10 : cpus[below(life, ARRAY_COUNT(cpus))],
		.memory_mib = kind == LIFE_DAEMON ? 16 : 16 << below(life, 5),
		.wanted = wanted,
		.wanted_max = wanted * 2};
}

/* A service that grows and shrinks, and jobs; together they want more than there is at times. */
static void add_device_apps(struct life *life)
{
	uint32_t wanted =
		life->setup.nodes < LIFE_DEVICE_PODS_MAX ? life->setup.nodes : LIFE_DEVICE_PODS_MAX;

	life_make_device_class(life);
	add_app(life, LIFE_DEPLOYMENT, wanted);
	life->apps[life->apps_count].flavour = LIFE_WITH_DEVICE;
	add_app(life, LIFE_JOB, 0);
	life->apps[life->apps_count].flavour = LIFE_WITH_DEVICE;
}

void life_make_world(struct life *life)
{
	uint32_t left = life->setup.pods;

	for (uint32_t i = 0; i < LIFE_EVENTS; i++) {
		life->events[i] = 0;
		life_event(life, i);
	}
	if (life->setup.nodes == 0)
		return;
	life_ask(life, "POST", LIFE_JSON, "/apis/scheduling.k8s.io/v1/priorityclasses",
		"{\"kind\":\"PriorityClass\",\"apiVersion\":\"scheduling.k8s.io/v1\",\"metadata\":"
		"{\"name\":\"life-high\"},\"value\":1000}");
	life_make_storage(life);
	for (uint32_t i = 0; i < life->setup.nodes; i++)
		make_node(life);
	add_app(life, LIFE_DAEMON, 0);
	add_app(life, LIFE_JOB, 0);
	add_app(life, LIFE_JOB, 0);
	add_app(life, LIFE_NEVER, LIFE_NEVER_PODS);
	if (life->setup.devices)
		add_device_apps(life);
	while (left > 0 && life->apps_count < LIFE_APPS) {
		uint32_t most = life->setup.pods / 16 + 1;
		uint32_t wanted = life->apps_count == LIFE_APPS - 1 ? left : 1 + below(life, most);

		wanted = wanted < left ? wanted : left;
		add_app(life, LIFE_DEPLOYMENT, wanted);
		left -= wanted;
	}
}
