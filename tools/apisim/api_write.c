/* SPDX-License-Identifier: GPL-2.0-only */
/* Bodies, names, and what is new. */
#include "apisim/api_private.h"

#include "kube/time.h"

#define NAME_RULE                                                                                 \
	"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' " \
	"or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "     \
	"regex used for validation is "                                                           \
	"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

enum { APISIM_NAME_MAX = 253, APISIM_SUMMARY_MAX = 30, APISIM_GENERATED = 5 };

/* ---- bodies ---- */

static struct text summary(struct apisim_call *call, struct text body)
{
	if (body.size == 0)
		return TEXT("<empty>");
	if (body.size <= APISIM_SUMMARY_MAX)
		return body;
	return apisim_print(call, "%.*s ...", APISIM_SUMMARY_MAX, body.at);
}

static bool kind_fits(struct apisim_call *call, struct tree *object, const char *kind)
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
		apisim_violates(call, "a body without kind or apiVersion");
	if (version.size > 0 && !text_is(version, writer_text(&w))) {
		apisim_bad_request(call,
			apisim_print(call,
				"%.*s in version \"%.*s\" cannot be handled as a %s: no kind "
				"\"%.*s\" is registered for version \"%.*s\" in scheme "
				"\"pkg/api/legacyscheme/scheme.go:30\"",
				TEXT_ARGS(said), TEXT_ARGS(version), kind, TEXT_ARGS(said),
				TEXT_ARGS(version)));
		return false;
	}
	if (said.size == 0 || text_is_z(said, kind))
		return true;
	apisim_bad_request(call,
		apisim_print(call, "%.*s in version \"%.*s\" cannot be handled as a %s",
			TEXT_ARGS(said), TEXT_ARGS(version), kind));
	return false;
}

struct tree *apisim_parse(struct apisim_call *call, const char *kind)
{
	struct text body = call->request->body;
	const char *fault = NULL;
	struct tree *object;

	if (body.size > TREE_TEXT_MAX) {
		apisim_status(call, 413, "RequestEntityTooLarge", NULL,
			apisim_print(call, "Request entity too large: limit is %d", TREE_TEXT_MAX));
		return NULL;
	}
	object = call->request->inside
		? tree_read(body, &call->api->scratch)
		: tree_parse(body, call->api->cut, &call->api->scratch, &fault);
	if (object != NULL && object->type == JSON_OBJECT)
		return object;
	apisim_bad_request(call,
		apisim_print(call,
			"the object provided is unrecognized (must be of type %s): couldn't get "
			"version/kind; json parse error: %s (%.*s)",
			kind, fault == NULL ? "not an object" : fault,
			TEXT_ARGS(summary(call, body))));
	apisim_violates(call, "a body that is no JSON object");
	return NULL;
}

void apisim_no_such_format(struct apisim_call *call, const char *accepted)
{
	apisim_status(call, 415, "UnsupportedMediaType", NULL,
		apisim_print(call,
			"the body of the request was in an unknown format - accepted media types "
			"include: %s",
			accepted));
}

struct tree *apisim_body(struct apisim_call *call, const char *kind)
{
	struct text type = call->request->content_type;
	struct tree *object;

	if (type.size > 0 && !text_starts(type, TEXT("application/json"))) {
		apisim_no_such_format(call,
			"application/json, application/yaml, application/vnd.kubernetes.protobuf, "
			"application/cbor");
		return NULL;
	}
	object = apisim_parse(call, kind);
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

	if (name.size == 0 || name.size > APISIM_NAME_MAX)
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

static struct text generate(struct apisim_call *call, struct text prefix)
{
	static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
	char tail[APISIM_GENERATED + 1] = "";

	for (size_t i = 0; i < APISIM_GENERATED; i++)
		tail[i] = letters[random_below(&call->api->random, sizeof(letters) - 1)];
	return apisim_print(call, "%.*s%s", TEXT_ARGS(prefix), tail);
}

/* False: answered. */
static bool name_it(struct apisim_call *call, struct tree *meta)
{
	struct apisim_details details = {.causes = 0};
	struct text name = tree_text(meta, "name"), prefix = tree_text(meta, "generateName");

	if (name.size == 0 && prefix.size > 0) {
		name = generate(call, prefix);
		tree_put_text(meta, "name", name, &call->api->scratch);
	}
	if (is_name(name))
		return true;
	if (name.size == 0)
		apisim_cause(&details, "metadata.name", "FieldValueRequired",
			TEXT("Required value: name or generateName is required"));
	else
		apisim_cause(&details, "metadata.name", "FieldValueInvalid",
			apisim_print(call, "Invalid value: \"%.*s\": " NAME_RULE, TEXT_ARGS(name)));
	apisim_invalid(call, name, &details);
	return false;
}

static bool namespace_it(struct apisim_call *call, struct tree *meta)
{
	struct text said = tree_text(meta, "namespace");

	if ((resources[call->resource].traits & RESOURCE_NAMESPACED) == 0) {
		tree_take(meta, "namespace");
		return true;
	}
	if (said.size > 0 && !text_is(said, call->namespace)) {
		apisim_bad_request(call,
			TEXT("the namespace of the provided object does not match the namespace "
			     "sent on the request"));
		return false;
	}
	tree_put_text(meta, "namespace", call->namespace, &call->api->scratch);
	if (registry_find(&call->api->registry, RESOURCE_NAMESPACES, call->namespace) != 0)
		return true;
	apisim_not_found(call, RESOURCE_NAMESPACES, call->namespace);
	return false;
}

static struct text make_uid(struct apisim_call *call)
{
	struct random *random = &call->api->random;
	uint64_t a = random_next(random), b = random_next(random);

	return apisim_print(call, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(a >> 32),
		(unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xfff),
		(unsigned)((b >> 48 & 0x3fff) | 0x8000), (unsigned long long)(b & 0xffffffffffff));
}

struct text apisim_print_time(struct apisim_call *call, struct wall time)
{
	char text[KUBE_TIME_SIZE];
	struct writer w;

	writer_init(&w, text, sizeof(text));
	kube_time_print(time, &w);
	return apisim_print(call, "%.*s", TEXT_ARGS(writer_text(&w)));
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
	tree_take(meta, "selfLink");
	for (size_t i = 0; i < ARRAY_COUNT(order); i++)
		tree_lead(meta, order[i]);
	tree_lead(object, "metadata");
}

/* What Go writes even when it is not set. */
static void complete(struct apisim_call *call, struct tree *object)
{
	const char *first = call->stored == RESOURCE_PODS ? "lastProbeTime"
		: call->stored == RESOURCE_NODES          ? "lastHeartbeatTime"
							  : NULL;
	const char *const keys[] = {first, "lastTransitionTime"};
	struct tree *conditions = tree_path(object, "status.conditions");

	if ((resources[call->resource].traits & RESOURCE_HAS_STATUS) != 0 ||
		call->resource == RESOURCE_LEASES) {
		tree_want(object, "spec", JSON_OBJECT, &call->api->scratch);
		if (call->resource != RESOURCE_LEASES)
			tree_want(object, "status", JSON_OBJECT, &call->api->scratch);
	}
	if (first == NULL || conditions == NULL)
		return;
	for (struct tree *c = conditions->first; c != NULL; c = c->next)
		for (size_t i = 0; c->type == JSON_OBJECT && i < ARRAY_COUNT(keys); i++)
			if (tree_get(c, keys[i]) == NULL)
				tree_put_raw(c, keys[i], "null", &call->api->scratch);
}

static struct text print_version(struct apisim_call *call, struct tree *object, uint64_t version)
{
	struct scratch *scratch = &call->api->scratch;

	tree_put_text(tree_get(object, "metadata"), "resourceVersion",
		apisim_print(call, "%llu", (unsigned long long)version), scratch);
	return tree_print(object, scratch);
}

uint32_t apisim_commit(struct apisim_call *call, struct tree *object, uint32_t old)
{
	struct registry *r = &call->api->registry;
	struct tree *meta = tree_want(object, "metadata", JSON_OBJECT, &call->api->scratch);

	tree_put_text(meta, "resourceVersion", TEXT(""), &call->api->scratch);
	put_in_shape(object, &call->api->scratch);
	complete(call, object);
	struct registry_state state = {
		.key = apisim_key(call, tree_text(meta, "namespace"), tree_text(meta, "name")),
		.node = tree_text(object, "spec.nodeName"),
		.phase = tree_text(object, "status.phase")};
	if (state.key.size > REGISTRY_KEY_MAX) {
		apisim_bad_request(call, TEXT("the name is too long"));
		return 0;
	}
	if (old != 0) {
		const struct revision *was = registry_revision(r, old);

		if (text_is(print_version(call, object, was->version), revision_json(was)))
			return old;
	}
	state.json = print_version(call, object, r->version + 1);
	if (!registry_put(r, call->stored, &state)) {
		apisim_no_room(call);
		return 0;
	}
	return registry_find(r, call->stored, state.key);
}

bool apisim_remove(struct apisim_call *call, uint32_t old, struct tree *object)
{
	struct registry *r = &call->api->registry;

	put_in_shape(object, &call->api->scratch);
	if (registry_delete(r, call->stored, revision_key(registry_revision(r, old)),
		    print_version(call, object, r->version + 1)))
		return true;
	apisim_no_room(call);
	return false;
}

struct tree *apisim_read(struct apisim_call *call, uint32_t revision)
{
	struct tree *object =
		tree_read(revision_json(registry_revision(&call->api->registry, revision)),
			&call->api->scratch);

	CHECK(object != NULL);
	return object;
}

/* ---- create ---- */

bool apisim_has_generation(const struct apisim_call *call)
{
	return (resources[call->resource].traits & RESOURCE_HAS_GENERATION) != 0 &&
		(call->resource != RESOURCE_PODS ||
			call->api->release >= APISIM_COUNTS_PODS_CHANGES);
}

static void birth(struct apisim_call *call, struct tree *object)
{
	struct scratch *scratch = &call->api->scratch;
	struct tree *meta = tree_get(object, "metadata");
	static const char *const not_of_new[] = {"deletionTimestamp", "deletionGracePeriodSeconds",
		"selfLink", "managedFields", "generation"};

	for (size_t i = 0; i < ARRAY_COUNT(not_of_new); i++)
		tree_take(meta, not_of_new[i]);
	tree_put_text(meta, "uid", make_uid(call), scratch);
	tree_put_text(
		meta, "creationTimestamp", apisim_print_time(call, apisim_wall(call)), scratch);
	if (apisim_has_generation(call))
		tree_put_i64(meta, "generation", 1, scratch);
}

/* What the strategies of the kinds do with a new object. False: answered. */
static bool prepare(struct apisim_call *call, struct tree *object)
{
	struct scratch *scratch = &call->api->scratch;

	switch (call->resource) {
	case RESOURCE_PODS: return apisim_pod_new(call, object);
	case RESOURCE_EVENTS:
	case RESOURCE_CORE_EVENTS: return apisim_event_new(call, object);
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

void apisim_make(struct apisim_call *call, struct tree *object)
{
	struct tree *meta = tree_get(object, "metadata");
	struct apisim_details details = {.group = text_of(resources[call->resource].group),
		.kind = text_of(resources[call->resource].plural)};
	uint32_t revision;

	if (meta == NULL || meta->type != JSON_OBJECT) {
		apisim_bad_request(call, TEXT("metadata is missing"));
		return;
	}
	if (!namespace_it(call, meta) || !name_it(call, meta))
		return;
	if (tree_text(meta, "resourceVersion").size > 0) {
		apisim_unknown(
			call, TEXT("resourceVersion should not be set on objects to be created"));
		return;
	}
	details.name = tree_text(meta, "name");
	birth(call, object);
	if (!prepare(call, object))
		return;
	if (registry_find(&call->api->registry, call->stored,
		    apisim_key(call, call->namespace, details.name)) != 0) {
		apisim_status(call, 409, "AlreadyExists", &details,
			apisim_print(call, "%.*s \"%.*s\" already exists",
				TEXT_ARGS(apisim_resource_name(call)), TEXT_ARGS(details.name)));
		return;
	}
	revision = apisim_commit(call, object, 0);
	if (revision != 0)
		apisim_object(call, 201, revision);
}

void apisim_create(struct apisim_call *call)
{
	struct tree *object = apisim_body(call, resources[call->resource].kind);

	apisim_count(call, &call->api->counts.creates);
	if (object != NULL)
		apisim_make(call, object);
}

bool apisim_make_namespace(struct apisim *api, struct text name)
{
	struct apisim_request request = {.inside = true};
	struct apisim_answer answer;
	struct apisim_call call = {.api = api,
		.request = &request,
		.answer = &answer,
		.resource = RESOURCE_NAMESPACES,
		.stored = RESOURCE_NAMESPACES};
	struct tree *object = tree_make(JSON_OBJECT, &api->scratch);
	struct tree *meta = tree_want(object, "metadata", JSON_OBJECT, &api->scratch);

	if (registry_find(&api->registry, RESOURCE_NAMESPACES, name) != 0)
		return true;
	tree_put_text(meta, "name", name, &api->scratch);
	apisim_make(&call, object);
	return answer.status == 201;
}

/* ---- dumps ---- */

bool apisim_load(struct apisim *api, struct text json, const char **fault)
{
	struct apisim_request request = {.inside = true};
	struct apisim_answer answer;
	struct apisim_call call = {.api = api, .request = &request, .answer = &answer};
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
		if (!is_name(call.namespace) || !apisim_make_namespace(api, call.namespace))
			return false;
	}
	if (tree_text(meta, "uid").size == 0)
		tree_put_text(meta, "uid", make_uid(&call), &api->scratch);
	if (tree_text(meta, "creationTimestamp").size == 0)
		tree_put_text(meta, "creationTimestamp",
			apisim_print_time(&call, apisim_wall(&call)), &api->scratch);
	if (call.resource == RESOURCE_PODS && !tree_has(object, "status") &&
		!apisim_pod_new(&call, object))
		return false;
	if (call.resource == RESOURCE_CORE_EVENTS)
		apisim_event_from_core(object, &api->scratch);
	*fault = "there is no room";
	return apisim_commit(&call, object,
		       registry_find(&api->registry, call.stored,
			       apisim_key(&call, call.namespace, tree_text(meta, "name")))) != 0;
}
