/* SPDX-License-Identifier: GPL-2.0-only */
/* Pods: what a new one gets, binding, and how one ends. */
#include "apisim/api_private.h"

#include "kube/time.h"

/* ---- a new one ---- */

static void put_if_absent(
	struct tree *object, const char *key, const char *json, struct scratch *scratch)
{
	if (tree_get(object, key) == NULL)
		tree_put_raw(object, key, json, scratch);
}

/* Limits are requests where none are made. */
static void request_limits(struct tree *container, struct scratch *scratch)
{
	struct tree *resources_of = tree_want(container, "resources", JSON_OBJECT, scratch);
	const struct tree *limits = tree_get(resources_of, "limits");

	if (limits == NULL || limits->first == NULL)
		return;
	struct tree *requests = tree_want(resources_of, "requests", JSON_OBJECT, scratch);
	for (const struct tree *l = limits->first; l != NULL; l = l->next)
		if (tree_get_text(requests, l->key) == NULL)
			tree_put(requests, l->key, tree_make_text(l->text, scratch));
}

static void default_containers(struct tree *list, struct scratch *scratch)
{
	if (list == NULL)
		return;
	for (struct tree *c = list->first; c != NULL; c = c->next) {
		struct text image = tree_text(c, "image");
		struct text tag = text_from(image,
			text_find_last(image, ':') < image.size ? text_find_last(image, ':')
								: image.size);
		bool latest = tag.size == 0 || text_is(tag, TEXT(":latest"));

		if (c->type != JSON_OBJECT)
			continue;
		request_limits(c, scratch);
		put_if_absent(c, "terminationMessagePath", "\"/dev/termination-log\"", scratch);
		put_if_absent(c, "terminationMessagePolicy", "\"File\"", scratch);
		put_if_absent(
			c, "imagePullPolicy", latest ? "\"Always\"" : "\"IfNotPresent\"", scratch);
	}
}

static void default_tolerations(struct tree *spec, struct scratch *scratch)
{
	static const char *const keys[] = {
		"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"};
	struct tree *list = tree_want(spec, "tolerations", JSON_ARRAY, scratch);

	for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
		bool there = false;

		for (const struct tree *t = list->first; t != NULL; t = t->next) {
			struct text key = tree_text(t, "key"), effect = tree_text(t, "effect");

			there |= (key.size == 0 || text_is_z(key, keys[i])) &&
				(effect.size == 0 || text_is(effect, TEXT("NoExecute")));
		}
		if (there)
			continue;
		struct tree *t = tree_make(JSON_OBJECT, scratch);
		tree_put_text(t, "key", text_of(keys[i]), scratch);
		tree_put_text(t, "operator", TEXT("Exists"), scratch);
		tree_put_text(t, "effect", TEXT("NoExecute"), scratch);
		tree_put_i64(t, "tolerationSeconds", 300, scratch);
		tree_append(list, t);
	}
}

/* The class of pods that name none, if there is one. */
static struct tree *default_class(struct apisim_call *call)
{
	const struct registry *r = &call->api->registry;

	for (uint32_t i = 0; i < registry_count(r, RESOURCE_PRIORITY_CLASSES); i++) {
		struct tree *row = apisim_read(call, registry_nth(r, RESOURCE_PRIORITY_CLASSES, i));
		const struct tree *global = tree_get(row, "globalDefault");

		if (global != NULL && text_is(global->text, TEXT("true")))
			return row;
	}
	return NULL;
}

/* False: answered. */
static bool resolve_priority(struct apisim_call *call, const struct tree *pod, struct tree *spec)
{
	struct text name = tree_text(spec, "priorityClassName");
	struct tree *row = NULL;
	struct scratch *scratch = &call->api->scratch;

	if (name.size > 0) {
		uint32_t revision =
			registry_find(&call->api->registry, RESOURCE_PRIORITY_CLASSES, name);

		if (revision == 0) {
			struct text pod_name = tree_text(pod, "metadata.name");

			apisim_status(call, 403, "Forbidden",
				&(struct apisim_details){.name = pod_name, .kind = TEXT("pods")},
				apisim_print(call,
					"pods \"%.*s\" is forbidden: no PriorityClass with name "
					"%.*s was found",
					TEXT_ARGS(pod_name), TEXT_ARGS(name)));
			return false;
		}
		row = apisim_read(call, revision);
	} else {
		row = default_class(call);
		if (row != NULL)
			tree_put_text(spec, "priorityClassName", tree_text(row, "metadata.name"),
				scratch);
	}
	if (row != NULL || tree_get(spec, "priority") == NULL)
		tree_put_i64(spec, "priority", tree_i64(row, "value", 0), scratch);
	if (tree_get(spec, "preemptionPolicy") == NULL) {
		struct text policy = tree_text(row, "preemptionPolicy");

		tree_put_text(spec, "preemptionPolicy",
			policy.size > 0 ? policy : TEXT("PreemptLowerPriority"), scratch);
	}
	return true;
}

/* Guaranteed: cpu and memory are limited and asked for alike, in all containers. */
static const char *quality(const struct tree *spec)
{
	const struct tree *list = tree_get(spec, "containers");
	bool any = false, all = list != NULL && list->first != NULL;

	if (list == NULL)
		return "BestEffort";
	for (const struct tree *c = list->first; c != NULL; c = c->next) {
		static const char *const names[] = {"cpu", "memory"};

		for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
			const struct tree *request =
				tree_get(tree_path(c, "resources.requests"), names[i]);
			const struct tree *limit =
				tree_get(tree_path(c, "resources.limits"), names[i]);

			any |= request != NULL || limit != NULL;
			all &= request != NULL && limit != NULL &&
				text_is(request->text, limit->text);
		}
	}
	return all ? "Guaranteed" : any ? "Burstable" : "BestEffort";
}

static struct text now_text(struct apisim_call *call, int64_t seconds_more)
{
	char *to = scratch_take(&call->api->scratch, KUBE_TIME_SIZE);
	struct writer w;

	CHECK(to != NULL);
	writer_init(&w, to, KUBE_TIME_SIZE);
	kube_time_print((struct wall){apisim_wall(call).us + seconds_more * CLOCK_S_US}, &w);
	return writer_text(&w);
}

static struct tree *condition(
	struct apisim_call *call, const char *type, const char *status, int64_t generation)
{
	struct scratch *scratch = &call->api->scratch;
	struct tree *c = tree_make(JSON_OBJECT, scratch);

	tree_put_text(c, "type", text_of(type), scratch);
	if (generation > 0)
		tree_put_i64(c, "observedGeneration", generation, scratch);
	tree_put_text(c, "status", text_of(status), scratch);
	tree_put_raw(c, "lastProbeTime", "null", scratch);
	tree_put_text(c, "lastTransitionTime", now_text(call, 0), scratch);
	return c;
}

static bool spec_is_valid(struct apisim_call *call, struct tree *pod)
{
	struct apisim_details details = {.causes = 0};
	const struct tree *containers = tree_path(pod, "spec.containers");

	if (containers == NULL || containers->first == NULL)
		apisim_cause(
			&details, "spec.containers", "FieldValueRequired", TEXT("Required value"));
	else
		for (const struct tree *c = containers->first; c != NULL; c = c->next)
			if (tree_text(c, "name").size == 0)
				apisim_cause(&details, "spec.containers[0].name",
					"FieldValueRequired", TEXT("Required value"));
	if (tree_has(pod, "spec.nodeName") &&
		tree_count(tree_path(pod, "spec.schedulingGates")) > 0)
		apisim_cause(&details, "spec.nodeName", "FieldValueForbidden",
			TEXT("Forbidden: cannot be set until all schedulingGates have been "
			     "cleared"));
	if (details.causes == 0)
		return true;
	apisim_invalid(call, tree_text(pod, "metadata.name"), &details);
	return false;
}

bool apisim_pod_new(struct apisim_call *call, struct tree *pod)
{
	struct scratch *scratch = &call->api->scratch;
	struct tree *spec, *status, *gated;

	if (!spec_is_valid(call, pod))
		return false;
	spec = tree_want(pod, "spec", JSON_OBJECT, scratch);
	default_containers(tree_get(spec, "initContainers"), scratch);
	default_containers(tree_get(spec, "containers"), scratch);
	put_if_absent(spec, "restartPolicy", "\"Always\"", scratch);
	put_if_absent(spec, "terminationGracePeriodSeconds", "30", scratch);
	put_if_absent(spec, "dnsPolicy", "\"ClusterFirst\"", scratch);
	put_if_absent(spec, "securityContext", "{}", scratch);
	put_if_absent(spec, "schedulerName", "\"default-scheduler\"", scratch);
	put_if_absent(spec, "enableServiceLinks", "true", scratch);
	default_tolerations(spec, scratch);
	if (!resolve_priority(call, pod, spec))
		return false;
	status = tree_make(JSON_OBJECT, scratch);
	tree_put(pod, TEXT("status"), status);
	tree_put_text(status, "phase", TEXT("Pending"), scratch);
	if (tree_count(tree_get(spec, "schedulingGates")) > 0) {
		gated = condition(call, "PodScheduled", "False", 0);
		tree_put_text(gated, "reason", TEXT("SchedulingGated"), scratch);
		tree_put_text(gated, "message",
			TEXT("Scheduling is blocked due to non-empty scheduling gates"), scratch);
		tree_append(tree_want(status, "conditions", JSON_ARRAY, scratch), gated);
	}
	tree_put_text(status, "qosClass", text_of(quality(spec)), scratch);
	return true;
}

/* ---- binding ---- */

/* What kube-apiserver looks at before it looks at the pod. False: answered. */
static bool binding_is_valid(struct apisim_call *call, const struct tree *binding)
{
	struct text kind = tree_text(binding, "target.kind");
	struct text namespace = tree_text(binding, "metadata.namespace");
	struct text fault = TEXT("");

	if (namespace.size > 0 && !text_is(namespace, call->namespace)) {
		apisim_bad_request(call,
			TEXT("the namespace of the provided object does not match the namespace "
			     "sent on the request"));
		return false;
	}
	if (!text_is(tree_text(binding, "metadata.name"), call->name)) {
		apisim_bad_request(call, TEXT("name in URL does not match name in Binding object"));
		return false;
	}
	if (kind.size > 0 && !text_is(kind, TEXT("Node")))
		fault = apisim_print(call,
			"target.kind: Unsupported value: \"%.*s\": supported values: \"Node\", "
			"\"<empty>\"",
			TEXT_ARGS(kind));
	if (tree_text(binding, "target.name").size == 0)
		fault = apisim_print(call, fault.size > 0 ? "[%.*s, %s]" : "%.*s%s",
			TEXT_ARGS(fault), "target.name: Required value");
	if (fault.size == 0)
		return true;
	apisim_unknown(call, fault);
	return false;
}

static void judge_binding(struct apisim_call *call, const struct tree *binding)
{
	static const char *const known[] = {"apiVersion", "kind", "metadata", "target"};
	struct text node = tree_text(binding, "target.name");

	for (const struct tree *b = binding->first; b != NULL; b = b->next) {
		bool found = false;

		for (size_t i = 0; i < ARRAY_COUNT(known); i++)
			found |= text_is_z(b->key, known[i]);
		if (!found)
			apisim_violates(call, "a binding with %.*s", TEXT_ARGS(b->key));
	}
	if (tree_text(binding, "metadata.uid").size == 0)
		apisim_violates(call, "a binding without the pod's uid");
	if (registry_find(&call->api->registry, RESOURCE_NODES, node) == 0)
		apisim_violates(call, "a binding to %.*s, which is not there", TEXT_ARGS(node));
}

/* Pods carry the zone of their node. */
static void take_topology(struct apisim_call *call, struct tree *meta, struct text node)
{
	static const char *const keys[] = {
		"topology.kubernetes.io/region", "topology.kubernetes.io/zone"};
	struct scratch *scratch = &call->api->scratch;
	uint32_t revision = registry_find(&call->api->registry, RESOURCE_NODES, node);

	if (revision == 0 || call->api->release < APISIM_PODS_KNOW_THEIR_ZONE)
		return;
	const struct tree *labels = tree_path(apisim_read(call, revision), "metadata.labels");
	for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
		const struct tree *label = tree_get(labels, keys[i]);

		if (label != NULL)
			tree_put_text(tree_want(meta, "labels", JSON_OBJECT, scratch), keys[i],
				label->text, scratch);
	}
}

static void assign(struct apisim_call *call, struct tree *pod, const struct tree *binding)
{
	struct scratch *scratch = &call->api->scratch;
	struct tree *status = tree_want(pod, "status", JSON_OBJECT, scratch);
	struct tree *conditions = tree_want(status, "conditions", JSON_ARRAY, scratch);
	struct tree *meta = tree_get(pod, "metadata");
	const struct tree *notes = tree_path(binding, "metadata.annotations");
	struct text node = tree_text(binding, "target.name");

	tree_put_text(tree_want(pod, "spec", JSON_OBJECT, scratch), "nodeName", node, scratch);
	tree_take(status, "nominatedNodeName");
	for (struct tree *c = conditions->first; c != NULL; c = c->next) {
		if (!text_is(tree_text(c, "type"), TEXT("PodScheduled")))
			continue;
		tree_take_child(conditions, c);
		break;
	}
	tree_append(conditions, condition(call, "PodScheduled", "True", 0));
	if (notes != NULL)
		for (const struct tree *a = notes->first; a != NULL; a = a->next)
			tree_put(tree_want(meta, "annotations", JSON_OBJECT, scratch), a->key,
				tree_make_text(a->text, scratch));
	take_topology(call, meta, node);
}

static void bind_conflict(struct apisim_call *call, struct text why)
{
	struct apisim_details details = {.name = call->name, .kind = TEXT("pods/binding")};

	apisim_count(call, &call->api->counts.binding_conflicts);
	apisim_status(call, 409, "Conflict", &details,
		apisim_print(call,
			"Operation cannot be fulfilled on pods/binding \"%.*s\": pod %.*s %.*s",
			TEXT_ARGS(call->name), TEXT_ARGS(call->name), TEXT_ARGS(why)));
}

void apisim_bind(struct apisim_call *call)
{
	struct registry *r = &call->api->registry;
	struct tree *binding = apisim_body(call, "Binding"), *pod;
	uint32_t old;

	if (binding == NULL || !binding_is_valid(call, binding))
		return;
	judge_binding(call, binding);
	old = registry_find(r, RESOURCE_PODS, apisim_key(call, call->namespace, call->name));
	if (old == 0) {
		apisim_not_found(call, RESOURCE_PODS, call->name);
		return;
	}
	if (!apisim_preconditions(call, old, tree_text(binding, "metadata.uid"),
		    tree_text(binding, "metadata.resourceVersion"))) {
		apisim_count(call, &call->api->counts.binding_conflicts);
		return;
	}
	pod = apisim_read(call, old);
	if (tree_has(pod, "metadata.deletionTimestamp")) {
		bind_conflict(call, TEXT("is being deleted, cannot be assigned to a host"));
	} else if (tree_text(pod, "spec.nodeName").size > 0) {
		bind_conflict(call,
			apisim_print(call, "is already assigned to node \"%.*s\"",
				TEXT_ARGS(tree_text(pod, "spec.nodeName"))));
	} else if (tree_count(tree_path(pod, "spec.schedulingGates")) > 0) {
		apisim_violates(call, "a gated pod is bound");
		bind_conflict(call, TEXT("has non-empty .spec.schedulingGates"));
	} else {
		assign(call, pod, binding);
		if (apisim_commit(call, pod, old) == 0)
			return;
		apisim_count(call, &call->api->counts.bindings);
		apisim_status(call, 201, NULL, NULL, TEXT(""));
	}
}

/* ---- the end ---- */

/*
 * A pod on a node is given its grace period, for the kubelet to end it; who has no node, or has
 * run to its end, goes at once, but is seen as ending first.
 */
bool apisim_pod_ends(struct apisim_call *call, uint32_t *old, const struct tree *options)
{
	struct scratch *scratch = &call->api->scratch;
	struct tree *pod = apisim_read(call, *old), *meta = tree_get(pod, "metadata");
	struct text phase = tree_text(pod, "status.phase");
	int64_t grace = tree_i64(options, "gracePeriodSeconds", -1);
	int64_t left = tree_i64(meta, "deletionGracePeriodSeconds", INT64_MAX);
	bool ending = tree_has(meta, "deletionTimestamp");

	if (grace < 0)
		grace = tree_i64(pod, "spec.terminationGracePeriodSeconds", 30);
	if (tree_text(pod, "spec.nodeName").size == 0 || text_is(phase, TEXT("Succeeded")) ||
		text_is(phase, TEXT("Failed")))
		grace = 0;
	if (ending && grace > 0 && grace >= left) {
		apisim_object(call, 200, *old);
		return true;
	}
	if (!ending || grace != left) {
		tree_put_text(meta, "deletionTimestamp", now_text(call, grace), scratch);
		tree_put_i64(meta, "deletionGracePeriodSeconds", grace, scratch);
		if (!ending && tree_get(meta, "generation") != NULL)
			tree_put_i64(
				meta, "generation", tree_i64(meta, "generation", 0) + 1, scratch);
		*old = apisim_commit(call, pod, *old);
		if (*old == 0)
			return true;
	}
	if (grace == 0)
		return false;
	apisim_object(call, 200, *old);
	return true;
}
