/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One node with everything that is known of it.
 *
 * /berth/v1/nodes/NAME is what the node's row of /berth/v1/nodes has, and:
 *
 *	"labels":{"kubernetes.io/hostname":"gw-1",...}
 *	"pods":[{"namespace":"d","name":"web-1","owner":"ReplicaSet/web-7d","state":"bound",
 *	         "cpuMilli":100,"memory":1048576,"priority":0,"sinceMs":1790000000000},...]
 *
 * States of a pod: "bound"; "binding", by us and not confirmed yet; "terminating"; and of pods that
 * wait: "nominated", for the places of victims here; "pinned", for this node alone (a DaemonSet's).
 */
#include "status/private.h"

enum { NODE_HEAD, NODE_LABELS, NODE_PODS, NODE_PODS_LOOKS = 2048, NODE_NAME_MAX = 256 };

void status_put_owner(const struct cache *cache, const struct cache_pod *p, struct json_writer *j)
{
	struct kube_owner_ids owner = kube_labels_owner(cache_labels_at(cache, p->labels));
	char words[512];
	struct writer w;
	if (owner.kind == 0)
		return;
	writer_init(&w, words, sizeof(words));
	write_text(&w, cache_text(cache, owner.kind));
	if (owner.name != 0) {
		write_char(&w, '/');
		write_text(&w, cache_text(cache, owner.name));
	}
	json_member_text(j, "owner", writer_text(&w));
}

/* NULL: it has nothing to do with the node. */
static const char *node_pod_state(
	const struct cache *cache, const struct cache_pod *p, uint32_t node)
{
	if (p->node == node)
		return (p->flags & CACHE_POD_DELETING) != 0   ? "terminating"
			: (p->flags & CACHE_POD_ASSUMED) != 0 ? "binding"
							      : "bound";
	uint32_t name = cache_node_at(cache, node)->name;
	if (p->node != 0 || (p->flags & CACHE_POD_IMAGINED) != 0)
		return NULL;
	return p->nominated == name ? "nominated" : p->for_node == name ? "pinned" : NULL;
}

static void node_put_pod(
	const struct cache *cache, const struct cache_pod *p, const char *state, struct writer *w)
{
	const struct kube_pod_template *template = cache_template_of(cache, p);
	struct json_writer j;
	json_write_init(&j, w);
	json_open_object(&j);
	json_member_text(&j, "namespace", cache_text(cache, template->namespace));
	json_member_text(&j, "name", cache_text(cache, p->name));
	status_put_owner(cache, p, &j);
	json_member_z(&j, "state", state);
	json_member_i64(&j, "cpuMilli", template->used.cpu_milli);
	json_member_i64(&j, "memory", template->used.memory_bytes);
	json_member_i64(&j, "priority", template->priority);
	if ((p->flags & CACHE_POD_HAS_START) != 0)
		json_member_i64(&j, "sinceMs", p->start_us / CLOCK_MS_US);
	json_close_object(&j);
}

static void next_element(struct status_answer *a, struct writer *w)
{
	write_z(w, a->any ? ",\n" : "\n");
	a->any = true;
}

static void node_next_part(struct status_answer *a, struct writer *w, const char *between)
{
	write_z(w, between);
	a->part++;
	a->at = 0;
	a->any = false;
}

static bool node_pods_step(struct status_answer *a, struct writer *w)
{
	const struct cache *cache = &a->status->s->cache;
	for (uint32_t looks = 0; looks < NODE_PODS_LOOKS; looks++) {
		a->at = pool_is_taken(&cache->nodes, a->row) ? pool_next(&cache->pods, a->at) : 0;
		if (a->at == 0) {
			write_z(w, "\n]}\n");
			return false;
		}
		const struct cache_pod *p = cache_pod_at(cache, a->at);
		const char *state = node_pod_state(cache, p, a->row);
		if (state == NULL)
			continue;
		next_element(a, w);
		node_put_pod(cache, p, state, w);
		return true;
	}
	return true;
}

/* A label each time: there may be more of them than fit into a piece. */
static bool node_label_step(struct status_answer *a, struct writer *w)
{
	const struct cache *cache = &a->status->s->cache;
	const struct kube_labels *set = pool_is_taken(&cache->nodes, a->row)
		? cache_labels_at(cache, cache_node_at(cache, a->row)->labels)
		: NULL;
	struct json_writer j;
	if (set == NULL || a->at >= set->pairs.count) {
		node_next_part(a, w, "},\n\"pods\":[");
		return true;
	}
	const struct kube_label *label = KUBE_AT(set, set->pairs, struct kube_label) + a->at++;
	next_element(a, w);
	json_write_init(&j, w);
	json_put_text(&j, cache_text(cache, label->key));
	write_char(w, ':');
	json_write_init(&j, w);
	json_put_text(&j, cache_text(cache, label->value));
	return true;
}

static bool node_detail_step(struct status_answer *a, struct writer *w)
{
	const struct cache *cache = &a->status->s->cache;
	struct json_writer j;
	if (a->part == NODE_PODS)
		return node_pods_step(a, w);
	if (a->part == NODE_LABELS)
		return node_label_step(a, w);
	json_write_init(&j, w);
	json_open_object(&j);
	if (pool_is_taken(&cache->nodes, a->row))
		rows_put_node(cache, a->row, 0, &j);
	node_next_part(a, w, ",\n\"labels\":{");
	return true;
}

/* Of "/berth/v1/nodes/NAME/what"; 0: it was refused. */
static uint32_t node_of_path(struct status_answer *a, struct text *what)
{
	struct text name = text_from(a->exchange->path, strlen(a->route->path));
	char room[NODE_NAME_MAX];
	struct writer w;
	size_t end = text_find(name, '/');
	*what = end < name.size ? text_from(name, end + 1) : TEXT_NONE;
	writer_init(&w, room, sizeof(room));
	uint32_t node = net_unescape(text_first(name, end), false, &w)
		? cache_find_node(&a->status->s->cache, writer_text(&w))
		: 0;
	if (node == 0)
		status_refuse(a, 404, "node not found");
	return node;
}

void node_answer(struct status_answer *a)
{
	struct text what;
	uint32_t node = node_of_path(a, &what);
	if (node == 0)
		return;
	if (text_is_z(what, "loss")) {
		loss_answer(a, node);
		return;
	}
	if (what.at != NULL) {
		status_refuse(a, 404, "of a node there is nothing of this name");
		return;
	}
	a->row = node;
	status_stream(a, status_json, node_detail_step);
}
