/* SPDX-License-Identifier: GPL-2.0-only */
/* Replacing, patching and deleting what is there. */
#include "apisim/api_private.h"

#include "apisim/merge.h"
#include "kube/time.h"

/* ---- update ---- */

static void modified(struct apisim_call *call, struct text name)
{
	apisim_conflict(call, name,
		TEXT("the object has been modified; please apply your changes to the latest "
		     "version "
		     "and try again"));
}

bool apisim_preconditions(
	struct apisim_call *call, uint32_t old, struct text uid, struct text version)
{
	const struct revision *state = registry_revision(&call->api->registry, old);
	struct text name = revision_name(state);
	struct text uid_now = tree_text(apisim_read(call, old), "metadata.uid");
	struct text version_now = apisim_print(call, "%llu", (unsigned long long)state->version);
	const char *what = NULL;

	if (uid.size > 0 && !text_is(uid, uid_now))
		what = "UID";
	else if (version.size > 0 && !text_is(version, version_now))
		what = "ResourceVersion";
	if (what == NULL)
		return true;
	apisim_conflict(call, name,
		apisim_print(call,
			"StorageError: invalid object, Code: 4, Key: /registry/%s/%.*s, "
			"ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: %s in "
			"precondition: %.*s, %s in object meta: %.*s",
			resources[call->resource].key, TEXT_ARGS(revision_key(state)), what,
			TEXT_ARGS(what[0] == 'U' ? uid : version), what,
			TEXT_ARGS(what[0] == 'U' ? uid_now : version_now)));
	return false;
}

/* A member of `object` becomes what it is in `from`, or goes. */
static void take_over(struct tree *object, const char *key, struct tree *from)
{
	struct tree *value = tree_take(from, key);

	if (value != NULL)
		tree_put(object, text_of(key), value);
	else
		tree_take(object, key);
}

static bool same(struct apisim_call *call, const struct tree *a, const struct tree *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return text_is(tree_print(a, &call->api->scratch), tree_print(b, &call->api->scratch));
}

/*
 * Makes of what was sent what becomes of the object: identity stays, the status changes by its own
 * door only, and a changed spec has a new generation.
 */
static struct tree *settle(struct apisim_call *call, struct tree *object, struct tree *was)
{
	static const char *const stays[] = {"name", "namespace", "uid", "creationTimestamp",
		"deletionTimestamp", "deletionGracePeriodSeconds", "generation", "generateName"};
	uint32_t traits = resources[call->resource].traits;
	struct tree *meta = tree_get(object, "metadata"), *meta_was = tree_get(was, "metadata");
	int64_t generation = tree_i64(was, "metadata.generation", 0);

	if (call->subresource.size > 0) {
		take_over(was, "status", object);
		take_over(meta_was, "labels", meta);
		take_over(meta_was, "annotations", meta);
		return was;
	}
	for (size_t i = 0; i < ARRAY_COUNT(stays); i++)
		take_over(meta, stays[i], meta_was);
	if ((traits & RESOURCE_HAS_STATUS) != 0)
		take_over(object, "status", was);
	if (apisim_has_generation(call) &&
		!same(call, tree_get(object, "spec"), tree_get(was, "spec")))
		tree_put_i64(meta, "generation", generation + 1, &call->api->scratch);
	return object;
}

/* The last finalizer of an object that is to go has gone. */
static bool is_finished(const struct tree *object)
{
	return tree_has(object, "metadata.deletionTimestamp") &&
		tree_count(tree_path(object, "metadata.finalizers")) == 0 &&
		tree_i64(object, "metadata.deletionGracePeriodSeconds", 0) == 0;
}

enum { CONSUMERS_MAX = 256 /* of a claim */ };

/*
 * A claim that has devices keeps them until it has none, and only who has some can be reserved; one
 * that is to go gets no new consumers. False: answered.
 */
static bool claim_may_be(
	struct apisim_call *call, const struct tree *object, const struct tree *was)
{
	const struct tree *now = tree_path(object, "status.allocation");
	const struct tree *before = tree_path(was, "status.allocation");
	size_t consumers = tree_count(tree_path(object, "status.reservedFor"));
	struct apisim_details details = {.causes = 0};
	const char *field = NULL;

	if (now != NULL && before != NULL && !same(call, now, before))
		field = "status.allocation";
	else if (consumers > 0 &&
		(now == NULL ||
			(tree_has(was, "metadata.deletionTimestamp") &&
				consumers > tree_count(tree_path(was, "status.reservedFor")))))
		field = "status.reservedFor";
	if (field == NULL && consumers > CONSUMERS_MAX)
		apisim_cause(&details, "status.reservedFor", "FieldValueTooMany",
			TEXT("Too many: must have at most 256 items"));
	else if (field != NULL)
		apisim_cause(&details, field, "FieldValueInvalid", TEXT("Invalid value: not now"));
	else
		return true;
	apisim_invalid(call, call->name, &details);
	return false;
}

static void change(struct apisim_call *call, struct tree *object, uint32_t old)
{
	struct tree *was = apisim_read(call, old);
	bool goes = !is_finished(was);
	uint32_t revision;

	if (call->stored == RESOURCE_CLAIMS && call->subresource.size > 0 &&
		!claim_may_be(call, object, was))
		return;
	object = settle(call, object, was);
	goes = goes && is_finished(object);
	revision = apisim_commit(call, object, old);
	if (revision == 0)
		return;
	apisim_object(call, 200, revision);
	if (goes)
		(void)apisim_remove(call, revision, apisim_read(call, revision));
}

/* False: answered. */
static bool is_this(struct apisim_call *call, const struct tree *object)
{
	struct text name = tree_text(object, "metadata.name");
	struct text namespace = tree_text(object, "metadata.namespace");

	if (!text_is(name, call->name)) {
		apisim_bad_request(call,
			apisim_print(call,
				"the name of the object (%.*s) does not match the name on the URL "
				"(%.*s)",
				TEXT_ARGS(name), TEXT_ARGS(call->name)));
		return false;
	}
	if (namespace.size > 0 && !text_is(namespace, call->namespace)) {
		apisim_bad_request(call,
			TEXT("the namespace of the provided object does not match the namespace "
			     "sent on the request"));
		return false;
	}
	return true;
}

/* False: answered. */
static bool version_fits(struct apisim_call *call, const struct tree *object, uint32_t old)
{
	struct text version = tree_text(object, "metadata.resourceVersion");
	struct apisim_details details = {.causes = 0};
	uint64_t number;

	if (version.size == 0 || text_is(version, TEXT("0"))) {
		if ((resources[call->resource].traits & RESOURCE_NEEDS_VERSION) == 0)
			return true;
		apisim_cause(&details, "metadata.resourceVersion", "FieldValueInvalid",
			TEXT("Invalid value: 0: must be specified for an update"));
		apisim_invalid(call, call->name, &details);
		return false;
	}
	if (!text_to_u64(version, &number)) {
		apisim_cause(&details, "metadata.resourceVersion", "FieldValueInvalid",
			apisim_print(call,
				"Invalid value: \"%.*s\": strconv.ParseUint: parsing "
				"\"%.*s\": invalid syntax",
				TEXT_ARGS(version), TEXT_ARGS(version)));
		apisim_invalid(call, call->name, &details);
		return false;
	}
	if (number == registry_revision(&call->api->registry, old)->version)
		return true;
	modified(call, call->name);
	return false;
}

void apisim_update(struct apisim_call *call)
{
	struct tree *object = apisim_body(call, resources[call->resource].kind);
	uint32_t old;

	apisim_count(call, &call->api->counts.updates);
	if (object == NULL || !is_this(call, object))
		return;
	old = registry_find(
		&call->api->registry, call->stored, apisim_key(call, call->namespace, call->name));
	if (old == 0) {
		if ((resources[call->resource].traits & RESOURCE_CREATED_BY_PUT) == 0) {
			apisim_not_found(call, call->resource, call->name);
			return;
		}
		tree_take(tree_get(object, "metadata"), "resourceVersion");
		apisim_make(call, object);
		return;
	}
	if (!apisim_preconditions(call, old, tree_text(object, "metadata.uid"), TEXT_NONE) ||
		!version_fits(call, object, old))
		return;
	if (call->stored == RESOURCE_EVENTS && !apisim_event_new(call, object))
		return;
	if (call->resource == RESOURCE_PODS)
		apisim_violates(call, "a pod is replaced");
	change(call, object, old);
}

/* ---- patch ---- */

/* What a scheduler patches: a status, or the series of an event. */
static void judge_patch(struct apisim_call *call, const struct tree *patch)
{
	if (call->stored == RESOURCE_EVENTS)
		return;
	if (call->resource == RESOURCE_PODS && call->subresource.size == 0)
		apisim_violates(call, "a pod is patched, not its status");
	if (call->subresource.size == 0)
		return;
	for (const struct tree *p = patch->first; p != NULL; p = p->next)
		if (!text_is(p->key, TEXT("status")) && !text_is(p->key, TEXT("metadata")))
			apisim_violates(call, "a patch of status with %.*s", TEXT_ARGS(p->key));
	const struct tree *conditions = tree_path(patch, "status.conditions");
	if (conditions == NULL)
		return;
	for (const struct tree *c = conditions->first; c != NULL; c = c->next) {
		struct text time = tree_text(c, "lastTransitionTime");
		struct wall wall;

		if (time.size > 0 && !kube_time_parse(time, &wall))
			apisim_violates(call, "lastTransitionTime %.*s", TEXT_ARGS(time));
		if (tree_text(c, "type").size == 0)
			apisim_violates(call, "a condition without type");
	}
}

/* NULL: answered. */
static struct tree *merged(struct apisim_call *call, struct tree *target, struct tree *patch)
{
	struct text type = call->request->content_type;
	struct scratch *scratch = &call->api->scratch;
	const char *fault = NULL;
	struct tree *object;

	if (text_starts(type, TEXT("application/merge-patch+json"))) {
		object = merge_patch(target, patch, scratch);
	} else if (text_starts(type, TEXT("application/strategic-merge-patch+json"))) {
		object = merge_strategic(
			target, patch, text_of(resources[call->resource].kind), scratch, &fault);
	} else {
		apisim_no_such_format(call,
			"application/json-patch+json, application/merge-patch+json, "
			"application/strategic-merge-patch+json, application/apply-patch+yaml, "
			"application/apply-patch+cbor");
		return NULL;
	}
	if (object == NULL || object->type != JSON_OBJECT) {
		apisim_violates(call, "%s", fault == NULL ? "not an object" : fault);
		apisim_unknown(call, text_of(fault == NULL ? "not an object" : fault));
		return NULL;
	}
	tree_want(object, "metadata", JSON_OBJECT, scratch);
	return object;
}

void apisim_patch(struct apisim_call *call)
{
	struct apisim *api = call->api;
	uint32_t old = registry_find(
		&api->registry, call->stored, apisim_key(call, call->namespace, call->name));
	struct tree *patch, *object;

	apisim_count(call, &api->counts.patches);
	patch = apisim_parse(call, resources[call->resource].kind);
	if (patch == NULL)
		return;
	if (old == 0) {
		apisim_not_found(call, call->resource, call->name);
		return;
	}
	judge_patch(call, patch);
	struct text uid = tree_text(patch, "metadata.uid");
	struct text version = tree_text(patch, "metadata.resourceVersion");
	if (version.size > 0 && !version_fits(call, patch, old))
		return;
	if (!apisim_preconditions(call, old, uid, TEXT_NONE))
		return;
	object = apisim_read(call, old);
	if (call->resource == RESOURCE_CORE_EVENTS)
		apisim_event_to_core(object, &api->scratch);
	object = merged(call, object, patch);
	if (object == NULL)
		return;
	if (call->resource == RESOURCE_CORE_EVENTS)
		apisim_event_from_core(object, &api->scratch);
	change(call, object, old);
}

/* ---- delete ---- */

/* DeleteOptions; the empty object when nothing is sent. NULL: answered. */
static struct tree *options_of(struct apisim_call *call)
{
	struct text grace = apisim_query(call, "gracePeriodSeconds");
	struct tree *options;
	int64_t seconds;

	if (call->request->body.size > 0) {
		options = apisim_parse(call, "DeleteOptions");
		if (options == NULL)
			return NULL;
		struct text kind = tree_text(options, "kind");
		if (kind.size > 0 && !text_is(kind, TEXT("DeleteOptions"))) {
			apisim_bad_request(call,
				apisim_print(call, "%.*s cannot be handled as a DeleteOptions",
					TEXT_ARGS(kind)));
			return NULL;
		}
	} else {
		options = tree_make(JSON_OBJECT, &call->api->scratch);
	}
	if (grace.size > 0 && text_to_i64(grace, &seconds))
		tree_put_i64(options, "gracePeriodSeconds", seconds, &call->api->scratch);
	return options;
}

/* False: answered. */
static bool may_delete(struct apisim_call *call, uint32_t old, const struct tree *options)
{
	struct text uid = tree_text(options, "preconditions.uid");
	struct text version = tree_text(options, "preconditions.resourceVersion");
	struct text uid_now = tree_text(apisim_read(call, old), "metadata.uid");
	struct text version_now = apisim_print(call, "%llu",
		(unsigned long long)registry_revision(&call->api->registry, old)->version);
	struct apisim_details details = {.name = call->name,
		.group = text_of(resources[call->resource].group),
		.kind = text_of(resources[call->resource].kind)};
	bool of_uid = uid.at != NULL && !text_is(uid, uid_now);

	if (!of_uid && (version.at == NULL || text_is(version, version_now)))
		return true;
	apisim_status(call, 409, "Conflict", &details,
		apisim_print(call,
			"Operation cannot be fulfilled on %s%s%s \"%.*s\": the %s in the "
			"precondition (%.*s) does not match the %s in record (%.*s). The object "
			"might have been %s",
			resources[call->resource].kind,
			resources[call->resource].group[0] == '\0' ? "" : ".",
			resources[call->resource].group, TEXT_ARGS(call->name),
			of_uid ? "UID" : "ResourceVersion", TEXT_ARGS(of_uid ? uid : version),
			of_uid ? "UID" : "ResourceVersion",
			TEXT_ARGS(of_uid ? uid_now : version_now),
			of_uid ? "deleted and then recreated" : "modified"));
	return false;
}

void apisim_delete(struct apisim_call *call)
{
	struct registry *r = &call->api->registry;
	uint32_t old =
		registry_find(r, call->stored, apisim_key(call, call->namespace, call->name));
	struct tree *options = options_of(call), *object;

	apisim_count(call, &call->api->counts.deletes);
	if (options == NULL)
		return;
	if (old == 0) {
		apisim_not_found(call, call->resource, call->name);
		return;
	}
	if (!may_delete(call, old, options))
		return;
	if (call->resource == RESOURCE_PODS && apisim_pod_ends(call, &old, options))
		return;
	object = apisim_read(call, old);
	if (tree_count(tree_path(object, "metadata.finalizers")) > 0) {
		struct tree *meta = tree_get(object, "metadata");

		if (!tree_has(meta, "deletionTimestamp"))
			tree_put_text(meta, "deletionTimestamp",
				apisim_print_time(call, apisim_wall(call)), &call->api->scratch);
		tree_put_i64(meta, "deletionGracePeriodSeconds", 0, &call->api->scratch);
		uint32_t revision = apisim_commit(call, object, old);
		if (revision != 0)
			apisim_object(call, 200, revision);
		return;
	}
	/* The answer first: the revision may go with the object. */
	if ((resources[call->resource].traits & RESOURCE_RETURNS_DELETED) != 0)
		apisim_object(call, 200, old);
	else
		apisim_deleted(call, old);
	(void)apisim_remove(call, old, object);
}
