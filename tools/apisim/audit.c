/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests are summed as a scheduler sums them: the containers, or the largest init container if
 * that is more; sidecars stay. Pods that have run to their end take nothing.
 */
#include "apisim/audit.h"

#include <stdio.h>

#include "kube/quantity.h"

enum audit_resource { AUDIT_CPU, AUDIT_MEMORY, AUDIT_PODS, AUDIT_RESOURCES };

static const char *const names[AUDIT_RESOURCES] = {"cpu", "memory", "pods"};

struct sums {
	struct quantity of[AUDIT_RESOURCES];
};

struct audited_node {
	struct text name;
	struct sums has, asked;
	uint32_t first; /* pod there, 0: none; index into pods */
};

struct audited_pod {
	uint32_t next; /* on the same node */
	struct text key, app;
	bool alone; /* must be the only one of its app on a host */
};

struct auditor {
	struct apisim *api;
	struct audit *result;
	struct audited_node *nodes;
	struct audited_pod *pods;
};

static void say(struct auditor *a, const char *format, ...) PRINTF_LIKE(2, 3);
static void say(struct auditor *a, const char *format, ...)
{
	va_list args;

	if (a->result->words[0] != '\0')
		return;
	va_start(args, format);
	vsnprintf(a->result->words, sizeof(a->result->words), format, args);
	va_end(args);
}

static struct quantity quantity_of_text(struct text t)
{
	struct quantity q;

	if (t.size == 0 || quantity_parse(t, &q) != QUANTITY_OK)
		return quantity_zero();
	return q;
}

static struct quantity member(const struct tree *list, const char *key)
{
	const struct tree *value = tree_get(list, key);

	return quantity_of_text(value == NULL ? TEXT_NONE : value->text);
}

/* What the pod takes of one resource. */
static struct quantity takes(const struct tree *pod, const char *key)
{
	const struct tree *containers = tree_path(pod, "spec.containers");
	const struct tree *init = tree_path(pod, "spec.initContainers");
	const struct tree none = {.type = JSON_ARRAY};
	struct quantity sum = quantity_zero(), sidecars = quantity_zero(),
			largest = quantity_zero();

	if (init == NULL)
		init = &none;
	if (containers == NULL)
		containers = &none;
	for (const struct tree *c = init->first; c != NULL; c = c->next) {
		struct quantity one = member(tree_path(c, "resources.requests"), key);

		if (text_is(tree_text(c, "restartPolicy"), TEXT("Always"))) {
			quantity_add(&sidecars, &one);
			one = sidecars;
		} else {
			quantity_add(&one, &sidecars);
		}
		quantity_max(&largest, &one);
	}
	for (const struct tree *c = containers->first; c != NULL; c = c->next) {
		struct quantity one = member(tree_path(c, "resources.requests"), key);

		quantity_add(&sum, &one);
	}
	quantity_add(&sum, &sidecars);
	quantity_max(&sum, &largest);
	struct quantity overhead = member(tree_path(pod, "spec.overhead"), key);
	quantity_add(&sum, &overhead);
	return sum;
}

/* A required anti-affinity by host whose selector is the pod's own label `app`. */
static bool is_alone(const struct tree *pod, struct text app)
{
	const struct tree *terms = tree_path(pod,
		"spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution");

	if (terms == NULL || app.size == 0)
		return false;
	for (const struct tree *t = terms->first; t != NULL; t = t->next)
		if (text_is(tree_text(t, "topologyKey"), TEXT("kubernetes.io/hostname")) &&
			text_is(tree_text(t, "labelSelector.matchLabels.app"), app) &&
			tree_count(tree_path(t, "labelSelector.matchLabels")) == 1 &&
			!tree_has(t, "labelSelector.matchExpressions"))
			return true;
	return false;
}

static struct audited_node *node_of(struct auditor *a, struct text name)
{
	uint32_t low = 0, high = a->result->nodes;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = text_compare(a->nodes[middle].name, name);

		if (order == 0)
			return &a->nodes[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Kept texts are those of revisions: they stay while nothing changes. */
static void read_node(struct auditor *a, uint32_t i)
{
	const struct registry *r = apisim_registry(a->api);
	struct scratch *scratch = apisim_scratch(a->api);
	struct scratch_mark mark = scratch_mark(scratch);
	const struct revision *state = registry_revision(r, registry_nth(r, RESOURCE_NODES, i));
	const struct tree *tree = tree_read(revision_json(state), scratch);

	a->nodes[i].name = revision_name(state);
	for (uint32_t k = 0; k < AUDIT_RESOURCES; k++) {
		a->nodes[i].has.of[k] = member(tree_path(tree, "status.allocatable"), names[k]);
		a->nodes[i].asked.of[k] = quantity_zero();
	}
	scratch_rewind(scratch, mark);
}

/* The label's text within the revision, which outlives the tree. */
static struct text app_of(struct text json, const struct tree *tree)
{
	struct text app = tree_text(tree, "metadata.labels.app");

	for (size_t at = 0; app.size > 0 && at + app.size <= json.size; at++)
		if (memcmp(json.at + at, app.at, app.size) == 0)
			return (struct text){json.at + at, app.size};
	return TEXT("");
}

static void read_pod(struct auditor *a, uint32_t i)
{
	const struct registry *r = apisim_registry(a->api);
	struct scratch *scratch = apisim_scratch(a->api);
	struct scratch_mark mark = scratch_mark(scratch);
	const struct revision *state = registry_revision(r, registry_nth(r, RESOURCE_PODS, i));
	struct text phase = revision_phase(state);
	struct audited_pod *pod = &a->pods[i + 1];

	if (text_is(phase, TEXT("Succeeded")) || text_is(phase, TEXT("Failed")))
		return;
	if (revision_node(state).size == 0) {
		a->result->pending++;
		return;
	}
	struct audited_node *node = node_of(a, revision_node(state));
	if (node == NULL) {
		a->result->lost++;
		say(a, "%.*s is on %.*s, which is not there", TEXT_ARGS(revision_key(state)),
			TEXT_ARGS(revision_node(state)));
		return;
	}
	const struct tree *tree = tree_read(revision_json(state), scratch);
	struct quantity one = quantity_of(1, 0);
	for (uint32_t k = 0; k < AUDIT_RESOURCES; k++) {
		struct quantity more = k == AUDIT_PODS ? one : takes(tree, names[k]);

		quantity_add(&node->asked.of[k], &more);
	}
	pod->key = revision_key(state);
	pod->app = app_of(revision_json(state), tree);
	pod->alone = is_alone(tree, pod->app);
	pod->next = node->first;
	node->first = i + 1;
	scratch_rewind(scratch, mark);
}

static void judge_node(struct auditor *a, const struct audited_node *node)
{
	for (uint32_t k = 0; k < AUDIT_RESOURCES; k++) {
		if (quantity_compare(&node->asked.of[k], &node->has.of[k]) <= 0)
			continue;
		a->result->overcommitted++;
		say(a, "%.*s is asked for %lld of %s and has %lld", TEXT_ARGS(node->name),
			(long long)quantity_value(&node->asked.of[k]), names[k],
			(long long)quantity_value(&node->has.of[k]));
		break;
	}
	for (uint32_t i = node->first; i != 0; i = a->pods[i].next)
		for (uint32_t k = a->pods[i].next; k != 0; k = a->pods[k].next) {
			if ((!a->pods[i].alone && !a->pods[k].alone) ||
				!text_is(a->pods[i].app, a->pods[k].app))
				continue;
			a->result->too_close++;
			say(a, "%.*s and %.*s are both on %.*s", TEXT_ARGS(a->pods[i].key),
				TEXT_ARGS(a->pods[k].key), TEXT_ARGS(node->name));
		}
}

void audit(struct apisim *api, struct audit *result)
{
	const struct registry *r = apisim_registry(api);
	struct scratch *scratch = apisim_scratch(api);
	struct auditor a = {.api = api, .result = result};

	*result = (struct audit){.nodes = registry_count(r, RESOURCE_NODES),
		.pods = registry_count(r, RESOURCE_PODS)};
	scratch_reset(scratch);
	a.nodes = SCRATCH_ARRAY(scratch, struct audited_node, result->nodes + 1);
	a.pods = SCRATCH_ARRAY(scratch, struct audited_pod, result->pods + 1);
	if (a.nodes == NULL || a.pods == NULL) {
		say(&a, "too many objects for an audit");
		result->lost++;
		scratch_reset(scratch);
		return;
	}
	for (uint32_t i = 0; i < result->nodes; i++)
		read_node(&a, i);
	for (uint32_t i = 0; i < result->pods; i++)
		read_pod(&a, i);
	for (uint32_t i = 0; i < result->nodes; i++)
		judge_node(&a, &a.nodes[i]);
	scratch_reset(scratch);
}
