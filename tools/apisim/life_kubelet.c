/* SPDX-License-Identifier: GPL-2.0-only */
/* What becomes of pods on nodes, and of nodes. */
#include "apisim/life_private.h"

#include "kube/time.h"

enum {
	LIFE_NOTICED_S = 40,   /* a node is silent so long before it is not ready */
	LIFE_TOLERATED_S = 300 /* and its pods are evicted so much later */
};

/* ---- pods ---- */

void life_consider(struct life *life, uint32_t pod)
{
	struct life_pod *p = life_pod(life, pod);
	bool up = p->node != 0 && life_node(life, p->node)->up;

	if (p->ending) {
		/*
		 * Without a kubelet it stays: the node may come back. Without a node the garbage
		 * collector sees to it, sooner or later.
		 */
		if (up || p->node == 0)
			life_pod_due(life, pod, LIFE_ENDS, life_between(life, 200, 3000));
		else
			life_pod_due(life, pod, LIFE_NOTHING, 0);
	} else if (p->over) {
		if (p->app != 0)
			life_pod_due(life, pod, LIFE_GOES, life_between(life, 30000, 60000));
	} else if (p->gated) {
		life_pod_due(life, pod, LIFE_UNGATES, life_between(life, 5000, 20000));
	} else if (!up) {
		life_pod_due(life, pod, LIFE_NOTHING, 0);
	} else if (!p->running) {
		life_pod_due(life, pod, LIFE_STARTS, life_between(life, 300, 4000));
	} else if (p->app != 0 && life->apps[p->app].kind == LIFE_JOB) {
		life_pod_due(life, pod, LIFE_COMPLETES, life_between(life, 10000, 240000));
	} else {
		life_pod_due(life, pod, LIFE_NOTHING, 0);
	}
}

static const char *path_of(struct life *life, const struct life_pod *p, const char *sub)
{
	struct text key = text_of(p->key);
	struct text namespace = text_first(key, text_find(key, '/'));

	return life_path(life, "/api/v1/namespaces/%.*s/pods%s%s", TEXT_ARGS(namespace),
		p->key + namespace.size, sub);
}

static void start(struct life *life, const struct life_pod *p)
{
	char time[KUBE_TIME_SIZE];
	uint32_t ip = random_below(&life->random, 1 << 16);

	life_time(life, time, sizeof(time));
#define TRUE_SINCE(type)                                                     \
	"{\"type\":\"" type "\",\"status\":\"True\",\"lastProbeTime\":null," \
	"\"lastTransitionTime\":\"%s\"}"
	life_ask(life, "PATCH", LIFE_STRATEGIC, path_of(life, p, "/status"),
		life_body(life,
			"{\"status\":{\"phase\":\"Running\",\"startTime\":\"%s\",\"podIP\":"
			"\"10.42.%u.%u\",\"podIPs\":[{\"ip\":\"10.42.%u.%u\"}],\"conditions\":"
			"[" TRUE_SINCE("PodReadyToStartContainers") "," TRUE_SINCE(
				"Initialized") "," TRUE_SINCE("Ready") "," TRUE_SINCE("ContainersRe"
										      "ady") "]}}",
			time, (unsigned)(ip >> 8), (unsigned)(ip & 255), (unsigned)(ip >> 8),
			(unsigned)(ip & 255), time, time, time, time));
	life->counts.started++;
}

void life_act(struct life *life, uint32_t pod)
{
	struct life_pod *p = life_pod(life, pod);
	enum life_action action = p->action;

	life_pod_due(life, pod, LIFE_NOTHING, 0);
	switch (action) {
	case LIFE_STARTS: start(life, p); break;
	case LIFE_COMPLETES:
		life_ask(life, "PATCH", LIFE_MERGE, path_of(life, p, "/status"),
			"{\"status\":{\"phase\":\"Succeeded\"}}");
		life->counts.completed++;
		break;
	case LIFE_ENDS:
		life_ask(life, "DELETE", LIFE_JSON, path_of(life, p, ""),
			"{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
			"\"gracePeriodSeconds\":0}");
		life->counts.ended++;
		break;
	case LIFE_GOES: life_ask(life, "DELETE", LIFE_JSON, path_of(life, p, ""), NULL); break;
	case LIFE_UNGATES:
		life_ask(life, "PATCH", LIFE_MERGE, path_of(life, p, ""),
			"{\"spec\":{\"schedulingGates\":null}}");
		break;
	default: break;
	}
}

void life_reconsider(struct life *life, uint32_t node)
{
	for (uint32_t i = pool_next(&life->pods, 0); i != 0; i = pool_next(&life->pods, i))
		if (life_pod(life, i)->node == node)
			life_consider(life, i);
}

/* ---- nodes ---- */

void life_node_goes_down(struct life *life, uint32_t node, int64_t for_us)
{
	struct life_node *n = life_node(life, node);

	if (!n->up)
		return;
	n->up = false;
	n->told_down = false;
	n->down_us = life->now_us;
	n->change_us = life->now_us + for_us;
	life->counts.nodes_down++;
	life->counts.node_failures++;
	life_reconsider(life, node);
}

/* What the node controller writes: the condition, and the taints that follow from it. */
static void tell(struct life *life, const struct life_node *n, bool ready)
{
	char time[KUBE_TIME_SIZE];
	const char *path = life_path(life, "/api/v1/nodes/%s/status", n->name);
	const char *role = n->control_plane
		? "{\"key\":\"node-role.kubernetes.io/control-plane\",\"effect\":\"NoSchedule\"}"
		: "";

	life_time(life, time, sizeof(time));
	life_ask(life, "PATCH", LIFE_STRATEGIC, path,
		life_body(life,
			"{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\","
			"\"reason\":\"%s\",\"lastTransitionTime\":\"%s\"}]}}",
			ready ? "True" : "Unknown", ready ? "KubeletReady" : "NodeStatusUnknown",
			time));
	life_ask(life, "PATCH", LIFE_MERGE, life_path(life, "/api/v1/nodes/%s", n->name),
		ready ? life_body(life, "{\"spec\":{\"taints\":[%s]}}", role)
		      : life_body(life,
				"{\"spec\":{\"taints\":[%s%s{\"key\":"
				"\"node.kubernetes.io/unreachable\",\"effect\":\"NoSchedule\","
				"\"timeAdded\":\"%s\"},{\"key\":\"node.kubernetes.io/unreachable\","
				"\"effect\":\"NoExecute\",\"timeAdded\":\"%s\"}]}}",
				role, role[0] == '\0' ? "" : ",", time, time));
}

static void evict(struct life *life, uint32_t node)
{
	for (uint32_t i = pool_next(&life->pods, 0); i != 0; i = pool_next(&life->pods, i)) {
		struct life_pod *p = life_pod(life, i);

		if (p->node != node || p->ending ||
			(p->app != 0 && life->apps[p->app].kind == LIFE_DAEMON))
			continue;
		if (p->action != LIFE_GOES)
			life->counts.evicted++;
		life_pod_due(life, i, LIFE_GOES, life_between(life, 0, 1000));
	}
}

static void come_back(struct life *life, uint32_t node)
{
	struct life_node *n = life_node(life, node);

	n->up = true;
	n->change_us = INT64_MAX;
	life->counts.nodes_down--;
	life->counts.node_returns++;
	if (n->told_down)
		tell(life, n, true);
	n->told_down = false;
	life_reconsider(life, node);
}

static int64_t next_of(const struct life *life, const struct life_node *n)
{
	int64_t noticed = n->down_us + life_hurried(life, LIFE_NOTICED_S * CLOCK_S_US);

	if (n->up)
		return INT64_MAX;
	return !n->told_down && noticed < n->change_us ? noticed : n->change_us;
}

int64_t life_nodes_next(struct life *life)
{
	int64_t next = INT64_MAX;

	if (life->counts.nodes_down == 0)
		return next;
	for (uint32_t i = pool_next(&life->nodes, 0); i != 0; i = pool_next(&life->nodes, i)) {
		int64_t due = next_of(life, life_node(life, i));

		next = due < next ? due : next;
	}
	return next;
}

void life_nodes_turn(struct life *life)
{
	int64_t noticed = life_hurried(life, LIFE_NOTICED_S * CLOCK_S_US);
	int64_t evicted = noticed + life_hurried(life, LIFE_TOLERATED_S * CLOCK_S_US);

	if (life->counts.nodes_down == 0)
		return;
	for (uint32_t i = pool_next(&life->nodes, 0); i != 0; i = pool_next(&life->nodes, i)) {
		struct life_node *n = life_node(life, i);
		int64_t down = life->now_us - n->down_us;

		if (n->up)
			continue;
		if (life->now_us >= n->change_us) {
			come_back(life, i);
			continue;
		}
		if (!n->told_down && down >= noticed) {
			n->told_down = true;
			tell(life, n, false);
		}
		if (down >= evicted)
			evict(life, i);
	}
}
