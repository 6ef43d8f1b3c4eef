/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dump: nodes and pods as `berth simulate` and `berth explain` read them, from the picture.
 *
 * The picture keeps what decides, not what was written, so a dump is thinner than what kubectl
 * prints: requests are one container's sum; volumes, claims, images, disruption budgets, (anti-)
 * affinity and spreading are left out. For a whole picture ask kubectl; this one is there without
 * any permission on the cluster.
 */
#include "status/private.h"

enum { PART_NODES, PART_PODS, PART_END };

static void status_dump_member(struct json_writer *j, const char *key, struct text value)
{
	if (value.size > 0)
		json_member_text(j, key, value);
}

static void open_at(struct json_writer *j, const char *key)
{
	json_member_object(j, key);
}

static void put_labels(const struct cache *cache, uint32_t labels, struct json_writer *j)
{
	const struct kube_labels *set = cache_labels_at(cache, labels);
	if (set == NULL)
		return;
	const struct kube_label *pairs = KUBE_AT(set, set->pairs, struct kube_label);
	open_at(j, "labels");
	for (uint32_t i = 0; i < set->pairs.count; i++) {
		json_key_text(j, cache_text(cache, pairs[i].key));
		json_put_text(j, cache_text(cache, pairs[i].value));
	}
	json_close_object(j);
}

static void put_amount(struct json_writer *j, const char *key, int64_t value, const char *unit)
{
	char text[32];
	struct writer w;
	writer_init(&w, text, sizeof(text));
	write_i64(&w, value);
	write_z(&w, unit);
	json_member_text(j, key, writer_text(&w));
}

static void put_resources(const struct cache *cache, const struct kube_blob *blob,
	const struct kube_resources *r, bool of_node, struct json_writer *j)
{
	const struct kube_scalar *scalars = KUBE_AT(blob, r->scalars, struct kube_scalar);
	if (of_node || r->cpu_milli != 0)
		put_amount(j, "cpu", r->cpu_milli, "m");
	if (of_node || r->memory_bytes != 0)
		put_amount(j, "memory", r->memory_bytes, "");
	if (r->storage_bytes != 0)
		put_amount(j, "ephemeral-storage", r->storage_bytes, "");
	if (of_node)
		put_amount(j, "pods", r->pods, "");
	for (uint32_t i = 0; i < r->scalars.count; i++) {
		json_key_text(j, cache_text(cache, scalars[i].name));
		json_put_i64(j, scalars[i].value);
	}
}

static void status_dump_put_node(const struct cache *cache, uint32_t index, struct json_writer *j)
{
	const struct cache_node *n = cache_node_at(cache, index);
	const struct kube_node_facts *f = n->facts;
	const struct kube_taint *taints = KUBE_AT(f, f->taints, struct kube_taint);
	json_member_z(j, "apiVersion", "v1");
	json_member_z(j, "kind", "Node");
	open_at(j, "metadata");
	json_member_text(j, "name", cache_text(cache, n->name));
	put_labels(cache, n->labels, j);
	json_close_object(j);
	open_at(j, "spec");
	if (f->unschedulable != 0)
		json_member_bool(j, "unschedulable", true);
	json_member_array(j, "taints");
	for (uint32_t i = 0; i < f->taints.count; i++) {
		json_open_object(j);
		json_member_text(j, "key", cache_text(cache, taints[i].key));
		status_dump_member(j, "value", cache_text(cache, taints[i].value));
		json_member_z(j, "effect", rows_effect(taints[i].effect));
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
	open_at(j, "status");
	open_at(j, "allocatable");
	put_resources(cache, &f->blob, &f->allocatable, true, j);
	json_close_object(j);
	json_close_object(j);
}

static const char *const operators[] = {"Equal", "Exists", "Never", "Lt", "Gt"};

static void put_spec(
	const struct cache *cache, const struct kube_pod_template *class, struct json_writer *j)
{
	const struct kube_label *selector = KUBE_AT(class, class->node_selector, struct kube_label);
	const struct kube_toleration *tolerations =
		KUBE_AT(class, class->tolerations, struct kube_toleration);
	json_member_text(j, "schedulerName", cache_text(cache, class->scheduler_name));
	json_member_i64(j, "priority", class->priority);
	if (class->preempts == 0)
		json_member_z(j, "preemptionPolicy", "Never");
	open_at(j, "nodeSelector");
	for (uint32_t i = 0; i < class->node_selector.count; i++) {
		json_key_text(j, cache_text(cache, selector[i].key));
		json_put_text(j, cache_text(cache, selector[i].value));
	}
	json_close_object(j);
	json_member_array(j, "tolerations");
	for (uint32_t i = 0; i < class->tolerations.count; i++) {
		const struct kube_toleration *t = &tolerations[i];
		json_open_object(j);
		status_dump_member(j, "key", cache_text(cache, t->key));
		json_member_z(j, "operator", operators[t->operator]);
		if (t->operator!= KUBE_TOLERATES_ALL)
			json_member_text(j, "value", cache_text(cache, t->value));
		status_dump_member(j, "effect", text_of(rows_effect(t->effect)));
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_container(
	const struct cache *cache, const struct kube_pod_template *class, struct json_writer *j)
{
	const struct kube_host_port *ports =
		KUBE_AT(class, class->host_ports, struct kube_host_port);
	json_member_array(j, "containers");
	json_open_object(j);
	json_member_z(j, "name", "sum");
	open_at(j, "resources");
	open_at(j, "requests");
	put_resources(cache, &class->blob, &class->fit, false, j);
	json_close_object(j);
	json_close_object(j);
	json_member_array(j, "ports");
	for (uint32_t i = 0; i < class->host_ports.count; i++) {
		json_open_object(j);
		json_member_text(j, "hostIP", cache_text(cache, ports[i].ip));
		json_member_text(j, "protocol", cache_text(cache, ports[i].protocol));
		json_member_i64(j, "hostPort", ports[i].port);
		json_member_i64(j, "containerPort", ports[i].port);
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
	json_close_array(j);
}

static void status_dump_put_pod(const struct cache *cache, uint32_t index, struct json_writer *j)
{
	const struct cache_pod *p = cache_pod_at(cache, index);
	const struct kube_pod_template *class = cache_template_of(cache, p);
	const uint32_t *gates = KUBE_AT(class, class->gates, uint32_t);
	json_member_z(j, "apiVersion", "v1");
	json_member_z(j, "kind", "Pod");
	open_at(j, "metadata");
	json_member_text(j, "namespace", cache_text(cache, class->namespace));
	json_member_text(j, "name", cache_text(cache, p->name));
	put_labels(cache, p->labels, j);
	json_close_object(j);
	open_at(j, "spec");
	if (p->node != 0)
		json_member_text(
			j, "nodeName", cache_text(cache, cache_node_at(cache, p->node)->name));
	put_spec(cache, class, j);
	put_container(cache, class, j);
	json_member_array(j, "schedulingGates");
	for (uint32_t i = 0; i < class->gates.count; i++) {
		json_open_object(j);
		json_member_text(j, "name", cache_text(cache, gates[i]));
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
	open_at(j, "status");
	json_member_z(j, "phase", p->node != 0 ? "Running" : "Pending");
	status_dump_member(j, "nominatedNodeName", cache_text(cache, p->nominated));
	json_close_object(j);
}

/* simulate warns of what says that it lacks something. */
#define STATUS_DUMP_HEAD "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"lacks\":true,\"items\":["

static bool status_dump_step(struct status_answer *a, struct writer *w)
{
	const struct cache *cache = &a->status->s->cache;
	struct json_writer j;
	if (a->part == PART_END) {
		write_z(w, a->any ? "\n]}\n" : STATUS_DUMP_HEAD "]}\n");
		return false;
	}
	uint32_t next = pool_next(a->part == PART_NODES ? &cache->nodes : &cache->pods, a->at);
	a->at = next;
	if (next == 0) {
		a->part++;
		return true;
	}
	if (a->part == PART_NODES && cache_node_at(cache, next)->facts == NULL)
		return true;
	write_z(w, a->any ? ",\n" : STATUS_DUMP_HEAD "\n");
	a->any = true;
	json_write_init(&j, w);
	json_open_object(&j);
	if (a->part == PART_NODES)
		status_dump_put_node(cache, next, &j);
	else
		status_dump_put_pod(cache, next, &j);
	json_close_object(&j);
	return true;
}

void dump_answer(struct status_answer *a)
{
	status_stream(a, status_json, status_dump_step);
}
