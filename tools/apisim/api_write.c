/* SPDX-License-Identifier: GPL-2.0-only */
/* Creating, changing and deleting. */
#include "apisim/api_private.h"

#include "apisim/merge.h"
#include "kube/time.h"

#define NAME_RULE                                                                                 \
	"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' " \
	"or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "     \
	"regex used for validation is "                                                           \
	"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

enum { API_NAME_MAX = 253, API_SUMMARY_MAX = 30, API_GENERATED = 5 };

/* ---- bodies ---- */

static struct text summary(struct api_call *call, struct text body)
{
	if (body.size == 0)
		return TEXT("<empty>");
	if (body.size <= API_SUMMARY_MAX)
		return body;
	return api_print(call, "%.*s ...", API_SUMMARY_MAX, body.at);
}

static bool kind_fits(struct api_call *call, struct tree *object, const char *kind)
{
	struct text said = tree_text(object, "kind"), version = tree_text(object, "apiVersion");
	char expected[128];
	struct writer w;

	writer_init(&w, expected, sizeof(expected));
	if (call->subresource.size > 0 && kind != resources[call->resource].kind)
		write_z(&w, "v1");
	else
		resource_api_version(call->resource, &w);
	if (said.size == 0 || version.size == 0)
		api_violates(call, "a body without kind or apiVersion");
	if (version.size > 0 && !text_is(version, writer_text(&w))) {
		api_bad_request(call,
			api_print(call,
				"the API version in the data (%.*s) does not match the expected "
				"API version (%.*s)",
				TEXT_ARGS(version), TEXT_ARGS(writer_text(&w))));
		return false;
	}
	if (said.size == 0 || text_is_z(said, kind))
		return true;
	api_bad_request(call,
		api_print(call, "%.*s in version \"%.*s\" cannot be handled as a %s",
			TEXT_ARGS(said), TEXT_ARGS(version), kind));
	return false;
}

static struct tree *parse_body(struct api_call *call, const char *kind)
{
	struct text body = call->request->body;
	const char *fault = NULL;
	struct tree *object;

	if (body.size > TREE_TEXT_MAX) {
		api_status(call, 413, "RequestEntityTooLarge", NULL,
			api_print(call, "Request entity too large: limit is %d", TREE_TEXT_MAX));
		return NULL;
	}
	object = tree_parse(body, call->api->cut, &call->api->scratch, &fault);
	if (object != NULL && object->type == JSON_OBJECT)
		return object;
	api_bad_request(call,
		api_print(call,
			"the object provided is unrecognized (must be of type %s): couldn't get "
			"version/kind; json parse error: %s (%.*s)",
			kind, fault == NULL ? "not an object" : fault,
			TEXT_ARGS(summary(call, body))));
	api_violates(call, "a body that is no JSON object");
	return NULL;
}

static void no_such_format(struct api_call *call, const char *accepted)
{
	api_status(call, 415, "UnsupportedMediaType", NULL,
		api_print(call,
			"the body of the request was in an unknown format - accepted media types "
			"include: %s",
			accepted));
}

struct tree *api_body(struct api_call *call, const char *kind)
{
	struct text type = call->request->content_type;
	struct tree *object;

	if (type.size > 0 && !text_starts(type, TEXT("application/json"))) {
		no_such_format(call,
			"application/json, application/yaml, application/vnd.kubernetes.protobuf, "
			"application/cbor");
		return NULL;
	}
	object = parse_body(call, kind);
	if (object == NULL || !kind_fits(call, object, kind))
		return NULL;
	if (object->first != NULL && tree_get(object, "metadata") == NULL)
		tree_put(object, TEXT("metadata"), tree_make(JSON_OBJECT, &call->api->scratch));
	return object;
}

/* ---- names ---- */

static bool is_name(struct text name)
{
	bool edge = true;

	if (name.size == 0 || name.size > API_NAME_MAX)
		return false;
	for (size_t i = 0; i < name.size; i++) {
		char c = name.at[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (!plain && (edge || (c != '-' && c != '.')))
			return false;
		if (!plain && (i + 1 == name.size || name.at[i + 1] == '.'))
			return false;
		edge = c == '.';
	}
	return true;
}

static struct text generate(struct api_call *call, struct text prefix)
{
	static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
	char tail[API_GENERATED + 1] = "";

	for (size_t i = 0; i < API_GENERATED; i++)
		tail[i] = letters[random_below(&call->api->random, sizeof(letters) - 1)];
	return api_print(call, "%.*s%s", TEXT_ARGS(prefix), tail);
}

/* False: answered. */
static bool name_it(struct api_call *call, struct tree *meta)
{
	struct api_details details = {.causes = 0};
	struct text name = tree_text(meta, "name"), prefix = tree_text(meta, "generateName");

	if (name.size == 0 && prefix.size > 0) {
		name = generate(call, prefix);
		tree_put_text(meta, "name", name, &call->api->scratch);
	}
	if (is_name(name))
		return true;
	if (name.size == 0)
		api_cause(&details, "metadata.name", "FieldValueRequired",
			TEXT("Required value: name or generateName is required"));
	else
		api_cause(&details, "metadata.name", "FieldValueInvalid",
			api_print(call, "Invalid value: \"%.*s\": " NAME_RULE, TEXT_ARGS(name)));
	api_invalid(call, name, &details);
	return false;
}

static bool namespace_it(struct api_call *call, struct tree *meta)
{
	struct text said = tree_text(meta, "namespace");

	if ((resources[call->resource].traits & RESOURCE_NAMESPACED) == 0) {
		tree_take(meta, "namespace");
		return true;
	}
	if (said.size > 0 && !text_is(said, call->namespace)) {
		api_bad_request(call,
			TEXT("the namespace of the provided object does not match the namespace "
			     "sent on the request"));
		return false;
	}
	tree_put_text(meta, "namespace", call->namespace, &call->api->scratch);
	if (registry_find(&call->api->registry, RESOURCE_NAMESPACES, call->namespace) != 0)
		return true;
	api_not_found(call, RESOURCE_NAMESPACES, call->namespace);
	return false;
}

static struct text make_uid(struct api_call *call)
{
	struct random *random = &call->api->random;
	uint64_t a = random_next(random), b = random_next(random);

	return api_print(call, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(a >> 32),
		(unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xfff),
		(unsigned)((b >> 48 & 0x3fff) | 0x8000), (unsigned long long)(b & 0xffffffffffff));
}

static struct text print_time(struct api_call *call, struct wall time)
{
	char text[KUBE_TIME_SIZE];
	struct writer w;

	writer_init(&w, text, sizeof(text));
	kube_time_print(time, &w);
	return api_print(call, "%.*s", TEXT_ARGS(writer_text(&w)));
}

/* ---- storing ---- */

static void put_in_shape(struct tree *object, struct scratch *scratch)
{
	static const char *const order[] = {"deletionGracePeriodSeconds", "deletionTimestamp",
		"creationTimestamp", "generation", "resourceVersion", "uid", "namespace",
		"generateName", "name"};
	struct tree *meta = tree_want(object, "metadata", JSON_OBJECT, scratch);

	tree_take(object, "kind");
	tree_take(object, "apiVersion");
	tree_take(meta, "managedFields");
	tree_take(meta, "selfLink");
	for (size_t i = 0; i < ARRAY_COUNT(order); i++)
		tree_lead(meta, order[i]);
	tree_lead(object, "metadata");
}

static struct text print_version(struct api_call *call, struct tree *object, uint64_t version)
{
	struct scratch *scratch = &call->api->scratch;

	tree_put_text(tree_get(object, "metadata"), "resourceVersion",
		api_print(call, "%llu", (unsigned long long)version), scratch);
	return tree_print(object, scratch);
}

uint32_t api_commit(struct api_call *call, struct tree *object, uint32_t old)
{
	struct registry *r = &call->api->registry;
	struct tree *meta = tree_want(object, "metadata", JSON_OBJECT, &call->api->scratch);

	tree_put_text(meta, "resourceVersion", TEXT(""), &call->api->scratch);
	put_in_shape(object, &call->api->scratch);
	struct registry_state state = {
		.key = api_key(call, tree_text(meta, "namespace"), tree_text(meta, "name")),
		.node = tree_text(object, "spec.nodeName"),
		.phase = tree_text(object, "status.phase")};
	if (state.key.size > REGISTRY_KEY_MAX) {
		api_bad_request(call, TEXT("the name is too long"));
		return 0;
	}
	if (old != 0) {
		const struct revision *was = registry_revision(r, old);

		if (text_is(print_version(call, object, was->version), revision_json(was)))
			return old;
	}
	state.json = print_version(call, object, r->version + 1);
	if (!registry_put(r, call->stored, &state)) {
		api_no_room(call);
		return 0;
	}
	return registry_find(r, call->stored, state.key);
}

bool api_remove(struct api_call *call, uint32_t old, struct tree *object)
{
	struct registry *r = &call->api->registry;

	put_in_shape(object, &call->api->scratch);
	if (registry_delete(r, call->stored, revision_key(registry_revision(r, old)),
		    print_version(call, object, r->version + 1)))
		return true;
	api_no_room(call);
	return false;
}

struct tree *api_read(struct api_call *call, uint32_t revision)
{
	struct tree *object =
		tree_read(revision_json(registry_revision(&call->api->registry, revision)),
			&call->api->scratch);

	CHECK(object != NULL);
	return object;
}

/* ---- create ---- */

static void birth(struct api_call *call, struct tree *object)
{
	struct scratch *scratch = &call->api->scratch;
	struct tree *meta = tree_get(object, "metadata");
	static const char *const not_of_new[] = {"deletionTimestamp", "deletionGracePeriodSeconds",
		"selfLink", "managedFields", "generation"};

	for (size_t i = 0; i < ARRAY_COUNT(not_of_new); i++)
		tree_take(meta, not_of_new[i]);
	tree_put_text(meta, "uid", make_uid(call), scratch);
	tree_put_text(meta, "creationTimestamp", print_time(call, api_wall(call)), scratch);
	if ((resources[call->resource].traits & RESOURCE_HAS_GENERATION) != 0)
		tree_put_i64(meta, "generation", 1, scratch);
}

/* What the strategies of the kinds do with a new object. False: answered. */
static bool prepare(struct api_call *call, struct tree *object)
{
	struct scratch *scratch = &call->api->scratch;

	switch (call->resource) {
	case RESOURCE_PODS: return api_pod_new(call, object);
	case RESOURCE_EVENTS:
	case RESOURCE_CORE_EVENTS: return api_event_new(call, object);
	case RESOURCE_NAMESPACES:
		tree_put_raw(object, "status", "{\"phase\":\"Active\"}", scratch);
		tree_put_raw(object, "spec", "{\"finalizers\":[\"kubernetes\"]}", scratch);
		return true;
	case RESOURCE_PVS:
	case RESOURCE_PVCS:
		tree_put_raw(object, "status", "{\"phase\":\"Pending\"}", scratch);
		return true;
	case RESOURCE_NODES: return true;
	default:
		if ((resources[call->resource].traits & RESOURCE_HAS_STATUS) != 0)
			tree_put_raw(object, "status", "{}", scratch);
		return true;
	}
}

static void create(struct api_call *call, struct tree *object)
{
	struct tree *meta = tree_get(object, "metadata");
	struct api_details details = {.group = text_of(resources[call->resource].group),
		.kind = text_of(resources[call->resource].plural)};
	uint32_t revision;

	if (meta == NULL || meta->type != JSON_OBJECT) {
		api_bad_request(call, TEXT("metadata is missing"));
		return;
	}
	if (!namespace_it(call, meta) || !name_it(call, meta))
		return;
	if (tree_text(meta, "resourceVersion").size > 0) {
		api_unknown(
			call, TEXT("resourceVersion should not be set on objects to be created"));
		return;
	}
	details.name = tree_text(meta, "name");
	birth(call, object);
	if (!prepare(call, object))
		return;
	if (registry_find(&call->api->registry, call->stored,
		    api_key(call, call->namespace, details.name)) != 0) {
		api_status(call, 409, "AlreadyExists", &details,
			api_print(call, "%.*s \"%.*s\" already exists",
				TEXT_ARGS(api_resource_name(call)), TEXT_ARGS(details.name)));
		return;
	}
	revision = api_commit(call, object, 0);
	if (revision != 0)
		api_object(call, 201, revision);
}

void api_create(struct api_call *call)
{
	struct tree *object = api_body(call, resources[call->resource].kind);

	call->api->counts.creates++;
	if (object != NULL)
		create(call, object);
}

bool api_make_namespace(struct api *api, struct text name)
{
	struct api_request request = {.inside = true};
	struct api_answer answer;
	struct api_call call = {.api = api,
		.request = &request,
		.answer = &answer,
		.resource = RESOURCE_NAMESPACES,
		.stored = RESOURCE_NAMESPACES};
	struct tree *object = tree_make(JSON_OBJECT, &api->scratch);
	struct tree *meta = tree_want(object, "metadata", JSON_OBJECT, &api->scratch);

	if (registry_find(&api->registry, RESOURCE_NAMESPACES, name) != 0)
		return true;
	tree_put_text(meta, "name", name, &api->scratch);
	create(&call, object);
	return answer.status == 201;
}

/* ---- update ---- */

static void modified(struct api_call *call, struct text name)
{
	api_conflict(call, name,
		TEXT("the object has been modified; please apply your changes to the latest "
		     "version "
		     "and try again"));
}

bool api_preconditions(struct api_call *call, uint32_t old, struct text uid, struct text version)
{
	const struct revision *state = registry_revision(&call->api->registry, old);
	struct text name = revision_name(state);
	struct text uid_now = tree_text(api_read(call, old), "metadata.uid");
	struct text version_now = api_print(call, "%llu", (unsigned long long)state->version);
	const char *what = NULL;

	if (uid.size > 0 && !text_is(uid, uid_now))
		what = "UID";
	else if (version.size > 0 && !text_is(version, version_now))
		what = "ResourceVersion";
	if (what == NULL)
		return true;
	api_conflict(call, name,
		api_print(call,
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

static bool same(struct api_call *call, const struct tree *a, const struct tree *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return text_is(tree_print(a, &call->api->scratch), tree_print(b, &call->api->scratch));
}

/*
 * Makes of what was sent what becomes of the object: identity stays, the status changes by its own
 * door only, and a changed spec has a new generation.
 */
static struct tree *settle(struct api_call *call, struct tree *object, struct tree *was)
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
	if ((traits & RESOURCE_HAS_GENERATION) != 0 &&
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

static void change(struct api_call *call, struct tree *object, uint32_t old)
{
	struct tree *was = api_read(call, old);
	bool goes = !is_finished(was);
	uint32_t revision;

	object = settle(call, object, was);
	goes = goes && is_finished(object);
	revision = api_commit(call, object, old);
	if (revision == 0)
		return;
	api_object(call, 200, revision);
	if (goes)
		(void)api_remove(call, revision, api_read(call, revision));
}

/* False: answered. */
static bool is_this(struct api_call *call, const struct tree *object)
{
	struct text name = tree_text(object, "metadata.name");
	struct text namespace = tree_text(object, "metadata.namespace");

	if (!text_is(name, call->name)) {
		api_bad_request(call,
			api_print(call,
				"the name of the object (%.*s) does not match the name on the URL "
				"(%.*s)",
				TEXT_ARGS(name), TEXT_ARGS(call->name)));
		return false;
	}
	if (namespace.size > 0 && !text_is(namespace, call->namespace)) {
		api_bad_request(call,
			TEXT("the namespace of the provided object does not match the namespace "
			     "sent on the request"));
		return false;
	}
	return true;
}

/* False: answered. */
static bool version_fits(struct api_call *call, const struct tree *object, uint32_t old)
{
	struct text version = tree_text(object, "metadata.resourceVersion");
	struct api_details details = {.causes = 0};
	uint64_t number;

	if (version.size == 0 || text_is(version, TEXT("0"))) {
		if ((resources[call->resource].traits & RESOURCE_NEEDS_VERSION) == 0)
			return true;
		api_cause(&details, "metadata.resourceVersion", "FieldValueInvalid",
			TEXT("Invalid value: 0: must be specified for an update"));
		api_invalid(call, call->name, &details);
		return false;
	}
	if (!text_to_u64(version, &number)) {
		api_cause(&details, "metadata.resourceVersion", "FieldValueInvalid",
			api_print(call,
				"Invalid value: \"%.*s\": strconv.ParseUint: parsing "
				"\"%.*s\": invalid syntax",
				TEXT_ARGS(version), TEXT_ARGS(version)));
		api_invalid(call, call->name, &details);
		return false;
	}
	if (number == registry_revision(&call->api->registry, old)->version)
		return true;
	modified(call, call->name);
	return false;
}

void api_update(struct api_call *call)
{
	struct tree *object = api_body(call, resources[call->resource].kind);
	uint32_t old;

	call->api->counts.updates++;
	if (object == NULL || !is_this(call, object))
		return;
	old = registry_find(
		&call->api->registry, call->stored, api_key(call, call->namespace, call->name));
	if (old == 0) {
		if ((resources[call->resource].traits & RESOURCE_CREATED_BY_PUT) == 0) {
			api_not_found(call, call->resource, call->name);
			return;
		}
		tree_take(tree_get(object, "metadata"), "resourceVersion");
		create(call, object);
		return;
	}
	if (!api_preconditions(call, old, tree_text(object, "metadata.uid"), TEXT_NONE) ||
		!version_fits(call, object, old))
		return;
	if (call->stored == RESOURCE_EVENTS && !api_event_new(call, object))
		return;
	if (call->resource == RESOURCE_PODS)
		api_violates(call, "a pod is replaced");
	change(call, object, old);
}

/* ---- patch ---- */

/* What a scheduler patches: a status, or the series of an event. */
static void judge_patch(struct api_call *call, const struct tree *patch)
{
	if (call->stored == RESOURCE_EVENTS)
		return;
	if (call->resource == RESOURCE_PODS && call->subresource.size == 0)
		api_violates(call, "a pod is patched, not its status");
	if (call->subresource.size == 0)
		return;
	for (const struct tree *p = patch->first; p != NULL; p = p->next)
		if (!text_is(p->key, TEXT("status")) && !text_is(p->key, TEXT("metadata")))
			api_violates(call, "a patch of status with %.*s", TEXT_ARGS(p->key));
	const struct tree *conditions = tree_path(patch, "status.conditions");
	if (conditions == NULL)
		return;
	for (const struct tree *c = conditions->first; c != NULL; c = c->next) {
		struct text time = tree_text(c, "lastTransitionTime");
		struct wall wall;

		if (time.size > 0 && !kube_time_parse(time, &wall))
			api_violates(call, "lastTransitionTime %.*s", TEXT_ARGS(time));
		if (tree_text(c, "type").size == 0)
			api_violates(call, "a condition without type");
	}
}

/* NULL: answered. */
static struct tree *merged(struct api_call *call, struct tree *target, struct tree *patch)
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
		no_such_format(call,
			"application/json-patch+json, application/merge-patch+json, "
			"application/strategic-merge-patch+json, application/apply-patch+yaml, "
			"application/apply-patch+cbor");
		return NULL;
	}
	if (object == NULL || object->type != JSON_OBJECT) {
		api_violates(call, "%s", fault == NULL ? "not an object" : fault);
		api_unknown(call, text_of(fault == NULL ? "not an object" : fault));
		return NULL;
	}
	tree_want(object, "metadata", JSON_OBJECT, scratch);
	return object;
}

void api_patch(struct api_call *call)
{
	struct api *api = call->api;
	uint32_t old = registry_find(
		&api->registry, call->stored, api_key(call, call->namespace, call->name));
	struct tree *patch, *object;

	api->counts.patches++;
	patch = parse_body(call, resources[call->resource].kind);
	if (patch == NULL)
		return;
	if (old == 0) {
		api_not_found(call, call->resource, call->name);
		return;
	}
	judge_patch(call, patch);
	struct text uid = tree_text(patch, "metadata.uid");
	struct text version = tree_text(patch, "metadata.resourceVersion");
	if (version.size > 0 && !version_fits(call, patch, old))
		return;
	if (!api_preconditions(call, old, uid, TEXT_NONE))
		return;
	object = api_read(call, old);
	if (call->resource == RESOURCE_CORE_EVENTS)
		api_event_to_core(object, &api->scratch);
	object = merged(call, object, patch);
	if (object == NULL)
		return;
	if (call->resource == RESOURCE_CORE_EVENTS)
		api_event_from_core(object, &api->scratch);
	change(call, object, old);
}

/* ---- delete ---- */

/* DeleteOptions; the empty object when nothing is sent. NULL: answered. */
static struct tree *options_of(struct api_call *call)
{
	struct text grace = api_query(call, "gracePeriodSeconds");
	struct tree *options;
	int64_t seconds;

	if (call->request->body.size > 0) {
		options = parse_body(call, "DeleteOptions");
		if (options == NULL)
			return NULL;
		struct text kind = tree_text(options, "kind");
		if (kind.size > 0 && !text_is(kind, TEXT("DeleteOptions"))) {
			api_bad_request(call,
				api_print(call, "%.*s cannot be handled as a DeleteOptions",
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
static bool may_delete(struct api_call *call, uint32_t old, const struct tree *options)
{
	struct text uid = tree_text(options, "preconditions.uid");
	struct text version = tree_text(options, "preconditions.resourceVersion");
	struct text uid_now = tree_text(api_read(call, old), "metadata.uid");
	struct text version_now = api_print(call, "%llu",
		(unsigned long long)registry_revision(&call->api->registry, old)->version);
	struct api_details details = {.name = call->name,
		.group = text_of(resources[call->resource].group),
		.kind = text_of(resources[call->resource].kind)};
	bool of_uid = uid.at != NULL && !text_is(uid, uid_now);

	if (!of_uid && (version.at == NULL || text_is(version, version_now)))
		return true;
	api_status(call, 409, "Conflict", &details,
		api_print(call,
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

void api_delete(struct api_call *call)
{
	struct registry *r = &call->api->registry;
	uint32_t old = registry_find(r, call->stored, api_key(call, call->namespace, call->name));
	struct tree *options = options_of(call), *object;

	call->api->counts.deletes++;
	if (options == NULL)
		return;
	if (old == 0) {
		api_not_found(call, call->resource, call->name);
		return;
	}
	if (!may_delete(call, old, options))
		return;
	if (call->resource == RESOURCE_PODS && api_pod_ends(call, &old, options))
		return;
	object = api_read(call, old);
	if (tree_count(tree_path(object, "metadata.finalizers")) > 0) {
		struct tree *meta = tree_get(object, "metadata");

		if (!tree_has(meta, "deletionTimestamp"))
			tree_put_text(meta, "deletionTimestamp", print_time(call, api_wall(call)),
				&call->api->scratch);
		tree_put_i64(meta, "deletionGracePeriodSeconds", 0, &call->api->scratch);
		uint32_t revision = api_commit(call, object, old);
		if (revision != 0)
			api_object(call, 200, revision);
		return;
	}
	/* The answer first: the revision may go with the object. */
	if ((resources[call->resource].traits & RESOURCE_RETURNS_DELETED) != 0)
		api_object(call, 200, old);
	else
		api_deleted(call, old);
	(void)api_remove(call, old, object);
}

/* ---- dumps ---- */

bool api_load(struct api *api, struct text json, const char **fault)
{
	struct api_request request = {.inside = true};
	struct api_answer answer;
	struct api_call call = {.api = api, .request = &request, .answer = &answer};
	struct tree *object, *meta;

	scratch_reset(&api->scratch);
	object = tree_parse(json, api->cut, &api->scratch, fault);
	if (object == NULL)
		return false;
	*fault = "no such kind is served";
	call.resource =
		resource_of_kind(tree_text(object, "apiVersion"), tree_text(object, "kind"));
	call.stored = resource_stored(call.resource);
	if (call.resource == RESOURCE_NONE)
		return false;
	*fault = "no name, or a wrong one";
	meta = tree_want(object, "metadata", JSON_OBJECT, &api->scratch);
	if (!is_name(tree_text(meta, "name")))
		return false;
	if ((resources[call.resource].traits & RESOURCE_NAMESPACED) != 0) {
		if (tree_text(meta, "namespace").size == 0)
			tree_put_text(meta, "namespace", TEXT("default"), &api->scratch);
		call.namespace = tree_text(meta, "namespace");
		if (!is_name(call.namespace) || !api_make_namespace(api, call.namespace))
			return false;
	}
	if (tree_text(meta, "uid").size == 0)
		tree_put_text(meta, "uid", make_uid(&call), &api->scratch);
	if (tree_text(meta, "creationTimestamp").size == 0)
		tree_put_text(meta, "creationTimestamp", print_time(&call, api_wall(&call)),
			&api->scratch);
	if (call.resource == RESOURCE_PODS && !tree_has(object, "status") &&
		!api_pod_new(&call, object))
		return false;
	if (call.resource == RESOURCE_CORE_EVENTS)
		api_event_from_core(object, &api->scratch);
	*fault = "there is no room";
	return api_commit(&call, object,
		       registry_find(&api->registry, call.stored,
			       api_key(&call, call.namespace, tree_text(meta, "name")))) != 0;
}
