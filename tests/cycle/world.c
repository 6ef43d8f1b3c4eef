/* SPDX-License-Identifier: GPL-2.0-only */
/* A cluster that changes at random: nodes, pods, and the way to the cache. */
#include "cycle/world.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"

uint32_t world_below(struct world *w, uint32_t bound)
{
	return random_below(&w->random, bound);
}

bool world_chance(struct world *w, uint32_t one_in)
{
	return random_below(&w->random, one_in) == 0;
}

/* ---- the way to the cache ---- */

void world_begin(struct world *w)
{
	writer_init(&w->out, w->json, sizeof(w->json));
}

void world_feed(struct world *w, enum kube_kind kind)
{
	CHECK(!w->out.overflowed);
	for (size_t i = 0; i < w->out.used; i++)
		if (w->json[i] == '\'')
			w->json[i] = '"';
	if (w->talks)
		printf("%s %.*s\n", kube_kinds[kind].kind, TEXT_ARGS(writer_text(&w->out)));
	struct json_value root;
	scratch_reset(&w->decode);
	CHECK(json_parse(writer_text(&w->out), &w->decode, &root) == JSON_PARSED);
	struct cache_fed fed;
	bool taken = cache_feed(w->cache, &w->decode, kind, root, &fed);
	if (!taken && fed.decoded == KUBE_MALFORMED)
		printf("%s: %s\n", fed.fault_field, fed.fault_reason);
	CHECK(fed.decoded != KUBE_MALFORMED);
	CHECK(taken || fed.decoded == KUBE_FULL || fed.put == CACHE_FULL);
	w->fed++;
	w->refused += !taken;
}

void world_unfeed(struct world *w, enum kube_kind kind, const char *namespace, const char *name)
{
	if (w->talks)
		printf("remove %s %s/%s\n", kube_kinds[kind].kind, namespace, name);
	(void)cache_unfeed(w->cache, kind, text_of(namespace), text_of(name));
}

/* ---- nodes ---- */

static void write_label(struct world *w, bool *any, const char *key, const char *value, uint32_t n)
{
	if (n == 0)
		return;
	write_format(&w->out, "%s'%s':'%s%u'", *any ? "," : "", key, value, n);
	*any = true;
}

static const char *const taint_texts[] = {
	"{'key':'t0','effect':'NoSchedule'}",
	"{'key':'t1','value':'v','effect':'NoSchedule'}",
	"{'key':'t2','effect':'PreferNoSchedule'}",
	"{'key':'t3','effect':'PreferNoSchedule'}",
	"{'key':'t4','effect':'NoExecute'}",
};

static void write_node_labels(struct world *w, const struct world_node *node)
{
	bool any = false;
	write_z(&w->out, ",'labels':{");
	write_label(w, &any, "topology.kubernetes.io/zone", "z", node->zone);
	write_label(w, &any, "topology.kubernetes.io/region", "g", node->region);
	write_label(w, &any, "rack", "r", node->rack);
	write_label(w, &any, "disk", "d", node->disk);
	write_label(w, &any, "size", "", node->size);
	write_label(w, &any, "kubernetes.io/hostname", "n", node->host);
	write_char(&w->out, '}');
}

static void write_node_status(struct world *w, const struct world_node *node)
{
	bool absurd = w->is_absurd && node->size == 3;
	write_format(&w->out, "'status':{'allocatable':{'cpu':'%um','memory':'%u%s','pods':'%u'",
		node->cpu_milli, node->memory_mib, absurd ? "Ti" : "Mi", node->pods);
	if (absurd)
		write_z(&w->out, ",'cpu':'9223372036854775807','example.com/r1':'8Ei'");
	write_z(&w->out, ",'ephemeral-storage':'1Gi','hugepages-2Mi':'4Mi'");
	if (node->gpus > 0)
		write_format(&w->out, ",'example.com/gpu':'%u'", node->gpus - 1);
	write_z(&w->out, "},'images':[");
	bool any = false;
	for (uint32_t i = 0; i < 5; i++) {
		if ((node->images >> i & 1) == 0)
			continue;
		write_format(&w->out, "%s{'names':['i%u:latest'],'sizeBytes':%u}", any ? "," : "",
			i, (i + 1) * 300000000);
		any = true;
	}
	write_format(&w->out,
		"],'conditions':[{'type':'MemoryPressure','status':'%s'},"
		"{'type':'Ready','status':'%s'}],'declaredFeatures':[%s]}",
		node->disk == 1 ? "True" : "False", node->disk == 2 ? "Unknown" : "True",
		node->features != 0 ? "'UserNamespacesHostNetworkSupport'" : "");
}

static void feed_node(struct world *w, uint32_t number)
{
	const struct world_node *node = &w->nodes[number];
	world_begin(w);
	write_format(&w->out, "{'metadata':{'name':'n%u','uid':'node-%u','resourceVersion':'%llu'",
		number, number, (unsigned long long)++w->version);
	write_node_labels(w, node);
	if (node->rack == 1)
		write_z(&w->out,
			",'annotations':{'scheduler.alpha.kubernetes.io/preferAvoidPods':'"
			"{\\\"preferAvoidPods\\\":[{\\\"podSignature\\\":{\\\"podController\\\":{"
			"\\\"kind\\\":\\\"ReplicaSet\\\",\\\"uid\\\":\\\"o\\\"}}}]}'}");
	write_format(&w->out, "},'spec':{'unschedulable':%s,'taints':[",
		node->unschedulable ? "true" : "false");
	bool any = false;
	for (uint32_t t = 0; t < ARRAY_COUNT(taint_texts); t++) {
		if ((node->taints >> t & 1) == 0)
			continue;
		write_format(&w->out, "%s%s", any ? "," : "", taint_texts[t]);
		any = true;
	}
	write_z(&w->out, "]},");
	write_node_status(w, node);
	write_char(&w->out, '}');
	world_feed(w, KUBE_NODE);
}

static void draw_labels(struct world *w, uint32_t number)
{
	struct world_node *node = &w->nodes[number];
	node->zone = (uint8_t)(world_chance(w, 12) ? 0 : 1 + world_below(w, 3));
	node->region = (uint8_t)(world_chance(w, 3) ? 1 + world_below(w, 2) : 0);
	node->rack = (uint8_t)world_below(w, 4);
	node->disk = (uint8_t)world_below(w, 3);
	node->size = (uint8_t)world_below(w, 4);
	node->host = (uint8_t)(world_chance(w, 15) ? 0 : number + 1);
	if (world_chance(w, 30))
		node->host = 1; /* two nodes that say they are the same host */
}

static void draw_taints(struct world *w, struct world_node *node)
{
	node->taints = (uint8_t)(world_chance(w, 4) ? 1u << world_below(w, 5) : 0);
	if (world_chance(w, 6))
		node->taints |= (uint8_t)(1u << world_below(w, 5));
	node->unschedulable = world_chance(w, 20);
}

static void draw_allocatable(struct world *w, struct world_node *node)
{
	node->cpu_milli = (uint16_t)(1000 + 1000 * world_below(w, 8));
	node->memory_mib = (uint16_t)(1024 + 1024 * world_below(w, 8));
	node->pods = (uint8_t)(world_chance(w, 10) ? 2 + world_below(w, 3) : 110);
	node->gpus = (uint8_t)world_below(w, 6);
}

static void draw_images(struct world *w, struct world_node *node)
{
	node->images = (uint8_t)(world_below(w, 32) & world_below(w, 32));
	node->features = (uint8_t)world_chance(w, 3);
}

static void change_node(struct world *w)
{
	uint32_t number = world_below(w, w->node_room);
	struct world_node *node = &w->nodes[number];
	if (!node->there || world_chance(w, 8)) {
		node->there = !node->there;
		if (!node->there) {
			char name[16];
			snprintf(name, sizeof(name), "n%u", number);
			world_unfeed(w, KUBE_NODE, "", name);
			return;
		}
		draw_labels(w, number);
		draw_taints(w, node);
		draw_allocatable(w, node);
		draw_images(w, node);
	} else {
		switch (world_below(w, 6)) {
		case 0:
		case 1: draw_labels(w, number); break;
		case 2: draw_taints(w, node); break;
		case 3: draw_allocatable(w, node); break;
		case 4: draw_images(w, node); break;
		default: break; /* the same again, with another version */
		}
	}
	feed_node(w, number);
}

/* ---- pods ---- */

static void write_owner(struct world *w, const struct world_pod *pod)
{
	static const char *const owners[] = {
		"'apiVersion':'apps/v1','kind':'ReplicaSet','name':'rs%u'",
		"'apiVersion':'apps/v1','kind':'StatefulSet','name':'ss%u'",
		"'apiVersion':'v1','kind':'ReplicationController','name':'rc%u'",
	};
	if (pod->template % 4 == 3)
		return;
	write_z(&w->out, ",'ownerReferences':[{'controller':true,'uid':'o',");
	uint32_t which = pod->template % 2u;
	const char *owner = owners[pod->template % 4];
	write_bytes(&w->out, owner, strlen(owner) - 3);
	write_format(&w->out, "%u'}]", which);
}

static void write_pod_status(struct world *w, const struct world_pod *pod)
{
	write_z(&w->out, "'status':{'phase':'Pending'");
	if (pod->nominated > 0)
		write_format(&w->out, ",'nominatedNodeName':'n%u'", pod->nominated - 1u);
	if (pod->started > 0)
		write_format(&w->out, ",'startTime':'2026-01-01T00:00:%02uZ'", pod->started % 60u);
	if (pod->preempted)
		write_z(&w->out,
			",'conditions':[{'type':'DisruptionTarget','status':'True',"
			"'reason':'PreemptionByScheduler'}]");
	write_char(&w->out, '}');
}

/* '@' stands for the number of the one node that each of the template's pods is for. */
static void write_template(struct world *w, uint32_t number)
{
	for (const char *c = w->templates[w->pods[number].template]; *c != '\0'; c++) {
		if (*c == '@')
			write_format(&w->out, "%u", number % w->node_room);
		else
			write_char(&w->out, *c);
	}
}

static void feed_pod(struct world *w, uint32_t number)
{
	const struct world_pod *pod = &w->pods[number];
	world_begin(w);
	write_format(&w->out,
		"{'metadata':{'namespace':'ns%u','name':'p%u',"
		"'uid':'00000000-0000-0000-%04u-%012u','resourceVersion':'%llu'",
		number % WORLD_NAMESPACES, number, number, pod->life,
		(unsigned long long)++w->version);
	bool any = false;
	write_z(&w->out, ",'labels':{");
	write_label(w, &any, "app", "a", pod->app);
	write_label(w, &any, "tier", "t", pod->tier);
	write_label(w, &any, "release", "r", pod->release);
	write_char(&w->out, '}');
	write_owner(w, pod);
	if (pod->deleting)
		write_z(&w->out, ",'deletionTimestamp':'2026-01-01T00:00:00Z'");
	write_z(&w->out, "},'spec':{");
	if (pod->node > 0)
		write_format(&w->out, "'nodeName':'n%u',", pod->node - 1u);
	write_template(w, number);
	write_z(&w->out, "},");
	write_pod_status(w, pod);
	write_char(&w->out, '}');
	world_feed(w, KUBE_POD);
}

static void draw_pod_labels(struct world *w, struct world_pod *pod)
{
	pod->app = (uint8_t)(world_chance(w, 10) ? 0 : 1 + world_below(w, 3));
	pod->tier = (uint8_t)world_below(w, 3);
	pod->release = (uint8_t)world_below(w, 3);
}

static void new_pod(struct world *w, struct world_pod *pod)
{
	*pod = (struct world_pod){.there = true, .life = pod->life + 1};
	pod->template = (uint8_t)world_below(w, WORLD_TEMPLATES);
	draw_pod_labels(w, pod);
	if (world_chance(w, 2)) /* half of them run somewhere already; the node may not be there */
		pod->node = (uint16_t)(1 + world_below(w, w->node_room));
	if (world_chance(w, 2))
		pod->started = (uint8_t)(1 + world_below(w, 50));
	pod->deleting = world_chance(w, 12);
	pod->preempted = pod->deleting && world_chance(w, 2);
	if (pod->node == 0 && world_chance(w, 8))
		pod->nominated = (uint16_t)(1 + world_below(w, w->node_room));
}

void world_remove_pod(struct world *w, uint32_t number)
{
	char namespace[16];
	char name[16];
	snprintf(namespace, sizeof(namespace), "ns%u", number % WORLD_NAMESPACES);
	snprintf(name, sizeof(name), "p%u", number);
	w->pods[number].there = false;
	world_unfeed(w, KUBE_POD, namespace, name);
}

void world_bind(struct world *w, uint32_t number, uint32_t node)
{
	w->pods[number].node = (uint16_t)(node + 1);
	feed_pod(w, number);
}

uint32_t world_pod_number(const struct world *w, uint32_t pod)
{
	struct text name = cache_text(w->cache, cache_pod_at(w->cache, pod)->name);
	uint64_t number;
	CHECK(text_to_u64(text_from(name, 1), &number));
	CHECK(number < w->pod_room);
	return (uint32_t)number;
}

static void change_pod(struct world *w)
{
	uint32_t number = world_below(w, w->pod_room);
	struct world_pod *pod = &w->pods[number];
	if (!pod->there) {
		new_pod(w, pod);
	} else {
		switch (world_below(w, 8)) {
		case 0:
		case 1:
		case 2: world_remove_pod(w, number); return;
		case 3: new_pod(w, pod); break; /* the old one's end was never seen */
		case 4: draw_pod_labels(w, pod); break;
		case 5:
			pod->deleting = true;
			pod->preempted = world_chance(w, 2);
			break;
		case 6:
			if (pod->node == 0)
				pod->nominated = (uint16_t)world_below(w, w->node_room + 1);
			break;
		default:
			if (pod->node == 0 && world_chance(w, 2))
				pod->node = (uint16_t)(1 + world_below(w, w->node_room));
			break;
		}
	}
	feed_pod(w, number);
}

static void change_template(struct world *w)
{
	uint32_t template = world_below(w, WORLD_TEMPLATES);
	struct writer out;
	writer_init(&out, w->templates[template], WORLD_TEMPLATE_SIZE - 1);
	world_write_spec(w, &out);
	CHECK(!out.overflowed);
	w->templates[template][out.used] = '\0';
}

/* ---- all of it ---- */

void world_init(struct world *w, struct cache *cache, uint64_t seed)
{
	struct arena whole;
	arena_init(&whole, w->decode_block, sizeof(w->decode_block)); /* lifts the poison */
	memset(w, 0, offsetof(struct world, json));
	random_init(&w->random, seed);
	w->cache = cache;
	scratch_init(&w->decode, w->decode_block, sizeof(w->decode_block));
	w->node_room = 8;
	w->pod_room = 40;
}

void world_fill(struct world *w)
{
	for (uint32_t i = 0; i < 3 * WORLD_TEMPLATES; i++)
		change_template(w);
	for (uint32_t i = 0; i < 60; i++)
		world_change_object(w);
	for (uint32_t i = 0; i < w->node_room; i++)
		change_node(w);
	for (uint32_t i = 0; i < w->pod_room; i++)
		change_pod(w);
}

void world_change(struct world *w)
{
	switch (world_below(w, 20)) {
	case 0: change_template(w); break;
	case 1:
	case 2: world_change_object(w); break;
	case 3:
	case 4:
	case 5:
	case 6:
	case 7: change_node(w); break;
	default: change_pod(w); break;
	}
}

void world_clear(struct world *w)
{
	for (uint32_t i = 0; i < w->pod_room; i++)
		if (w->pods[i].there)
			world_remove_pod(w, i);
	for (uint32_t i = 0; i < w->node_room; i++) {
		char name[16];
		snprintf(name, sizeof(name), "n%u", i);
		world_unfeed(w, KUBE_NODE, "", name);
		w->nodes[i].there = false;
	}
	world_clear_objects(w);
}
