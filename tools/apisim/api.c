/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a request goes. */
#include "apisim/api_private.h"

#include <stdio.h>

#include "base/log.h"
#include "kube/time.h"

enum { APISIM_EVENT_LIFE_S = 3600, APISIM_EVENTS_YOUNG = 16 };

_Static_assert(APISIM_SCRATCH >= 2 * TREE_SCRATCH_MIN, "an object, and what is to become of it");

/* ---- setting up ---- */

static uint8_t *carve(uint8_t **at, size_t size)
{
	uint8_t *block = *at;

	*at += (size + 63) & ~(size_t)63;
	return block;
}

static void make_first_objects(struct apisim *api)
{
	static const char *const namespaces[] = {
		"default", "kube-node-lease", "kube-public", "kube-system"};
	static const char *const classes[] = {
		"{\"kind\":\"PriorityClass\",\"apiVersion\":\"scheduling.k8s.io/v1\",\"metadata\":"
		"{\"name\":\"system-cluster-critical\"},\"value\":2000000000,\"description\":\"Used"
		" for system critical pods that must run in the cluster, but can be moved to "
		"another"
		" node if necessary.\",\"preemptionPolicy\":\"PreemptLowerPriority\"}",
		"{\"kind\":\"PriorityClass\",\"apiVersion\":\"scheduling.k8s.io/v1\",\"metadata\":"
		"{\"name\":\"system-node-critical\"},\"value\":2000001000,\"description\":\"Used "
		"for"
		" system critical pods that must not be moved from their current node.\","
		"\"preemptionPolicy\":\"PreemptLowerPriority\"}"};
	const char *fault;

	for (size_t i = 0; i < ARRAY_COUNT(namespaces); i++)
		CHECK(apisim_make_namespace(api, text_of(namespaces[i])));
	for (size_t i = 0; i < ARRAY_COUNT(classes); i++)
		CHECK(apisim_load(api, text_of(classes[i]), &fault));
}

struct apisim *apisim_init(const struct apisim_setup *setup)
{
	uint8_t *at = setup->block, *end = at + setup->size;
	size_t cut_size = json_cut_size(TREE_TEXT_MAX);

	CHECK(setup->size >= APISIM_MEMORY_MIN);
	struct apisim *api = (void *)carve(&at, sizeof(*api));
	memset(api, 0, sizeof(*api));
	api->cut = json_cut_init(carve(&at, cut_size), cut_size, TREE_TEXT_MAX);
	scratch_init(&api->scratch, carve(&at, APISIM_SCRATCH), APISIM_SCRATCH);
	registry_init(&api->registry, at, (size_t)(end - at),
		setup->history == 0 ? APISIM_HISTORY : setup->history, setup->first_version);
	api->clock = setup->clock;
	random_init(&api->random, setup->seed);
	CHECK(text_copy(setup->token, api->token, sizeof(api->token)));
	api->release = setup->release == 0 ? APISIM_RELEASE : setup->release;
	api->streaming_lists = !setup->no_streaming_lists;
	api->no_access = setup->no_access;
	make_first_objects(api);
	api->on_violation = setup->on_violation;
	api->self = setup->self;
	return api;
}

/* ---- moods, looking ---- */

void apisim_throttle(struct apisim *api, uint32_t requests, uint32_t retry_after_s)
{
	api->throttle = requests;
	api->throttle_retry_s = retry_after_s;
}

void apisim_compact(struct apisim *api)
{
	registry_compact(&api->registry, api->registry.version);
}

void apisim_lose(struct apisim *api, uint32_t changes)
{
	struct registry *r = &api->registry;

	registry_set_back(r, r->version > changes ? r->version - changes : 0);
}

void apisim_streaming_lists(struct apisim *api, bool offered)
{
	api->streaming_lists = offered;
}

const struct apisim_counts *apisim_counts(const struct apisim *api)
{
	return &api->counts;
}

const char *apisim_violation(const struct apisim *api, uint32_t i)
{
	if (i >= api->counts.violations || i >= APISIM_VIOLATIONS_KEPT)
		return NULL;
	return api->violations[(api->counts.violations - 1 - i) % APISIM_VIOLATIONS_KEPT];
}

struct registry *apisim_registry(struct apisim *api)
{
	return &api->registry;
}

struct scratch *apisim_scratch(struct apisim *api)
{
	return &api->scratch;
}

void apisim_violates(struct apisim_call *call, const char *format, ...)
{
	struct apisim *api = call->api;
	char *to = api->violations[api->counts.violations % APISIM_VIOLATIONS_KEPT];
	struct writer w;
	va_list args;

	if (call->request->inside)
		return;
	api->counts.violations++;
	writer_init(&w, to, APISIM_VIOLATION_MAX - 1);
	write_format(&w, "%.*s %.*s: ", TEXT_ARGS(call->request->method),
		(int)(call->request->path.size < 120 ? call->request->path.size : 120),
		call->request->path.at);
	va_start(args, format);
	write_format_v(&w, format, args);
	va_end(args);
	to[w.used] = '\0';
	log_warn("apisim", "violation", "%s", to);
	if (api->on_violation != NULL)
		api->on_violation(api->self, to);
}

/* ---- a request's parts ---- */

struct wall apisim_wall(const struct apisim_call *call)
{
	return clock_wall(&call->api->clock);
}

struct text apisim_print(struct apisim_call *call, const char *format, ...)
{
	va_list args, again;
	struct writer w;

	va_start(args, format);
	va_copy(again, args);
	int size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	CHECK(size >= 0);
	char *to = scratch_take(&call->api->scratch, (size_t)size + 1);
	CHECK(to != NULL);
	writer_init(&w, to, (size_t)size + 1);
	write_format_v(&w, format, again);
	va_end(again);
	CHECK(!w.overflowed);
	return writer_text(&w);
}

struct text apisim_key(struct apisim_call *call, struct text namespace, struct text name)
{
	if (namespace.size == 0)
		return name;
	return apisim_print(call, "%.*s/%.*s", TEXT_ARGS(namespace), TEXT_ARGS(name));
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static struct text unescape(struct apisim *api, struct text t, bool plus_is_space)
{
	char *to = scratch_take(&api->scratch, t.size + 1);
	size_t used = 0;

	CHECK(to != NULL);
	for (size_t i = 0; i < t.size; i++) {
		char c = t.at[i];

		if (c == '%' && i + 2 < t.size && hex(t.at[i + 1]) >= 0 && hex(t.at[i + 2]) >= 0) {
			c = (char)(hex(t.at[i + 1]) * 16 + hex(t.at[i + 2]));
			i += 2;
		} else if (c == '+' && plus_is_space) {
			c = ' ';
		}
		to[used++] = c;
	}
	return (struct text){to, used};
}

struct text apisim_query(const struct apisim_call *call, const char *key)
{
	struct text rest = call->request->query, part;

	if (rest.size == 0)
		return TEXT_NONE;
	while (text_cut(&rest, '&', &part)) {
		size_t at = text_find(part, '=');

		if (text_is_z(text_first(part, at), key))
			return unescape(
				call->api, text_from(part, at < part.size ? at + 1 : at), true);
	}
	return TEXT_NONE;
}

bool apisim_query_true(const struct apisim_call *call, const char *key)
{
	struct text value = apisim_query(call, key);

	return text_is(value, TEXT("true")) || text_is(value, TEXT("1"));
}

/* The next segment of the path; "" when there is none. */
static struct text segment(struct apisim *api, struct text *path)
{
	struct text part;

	if (path->size == 0 || path->at[0] != '/')
		return TEXT("");
	*path = text_from(*path, 1);
	part = text_first(*path, text_find(*path, '/'));
	*path = text_from(*path, part.size);
	return unescape(api, part, false);
}

/* ---- where it goes ---- */

static void no_method(struct apisim_call *call)
{
	apisim_status(call, 405, "MethodNotAllowed", &(struct apisim_details){.kind = TEXT("")},
		TEXT("the server does not allow this method on the requested resource"));
}

static void no_resource(struct apisim_call *call)
{
	apisim_status(call, 404, "NotFound", &(struct apisim_details){.kind = TEXT("")},
		TEXT("the server could not find the requested resource"));
}

static void at_subresource(struct apisim_call *call)
{
	bool status = text_is(call->subresource, TEXT("status")) &&
		(resources[call->resource].traits & RESOURCE_HAS_STATUS) != 0;

	if (call->resource == RESOURCE_PODS && text_is(call->subresource, TEXT("binding"))) {
		if (call->verb == APISIM_POST)
			apisim_bind(call);
		else
			no_method(call);
		return;
	}
	if (!status) {
		no_resource(call);
		return;
	}
	switch (call->verb) {
	case APISIM_GET: apisim_get(call); break;
	case APISIM_PUT: apisim_update(call); break;
	case APISIM_PATCH: apisim_patch(call); break;
	default: no_method(call);
	}
}

static void at_object(struct apisim_call *call)
{
	if (call->subresource.size > 0) {
		at_subresource(call);
		return;
	}
	switch (call->verb) {
	case APISIM_GET: apisim_get(call); break;
	case APISIM_PUT: apisim_update(call); break;
	case APISIM_PATCH: apisim_patch(call); break;
	case APISIM_DELETE: apisim_delete(call); break;
	default: no_method(call);
	}
}

static void at_collection(struct apisim_call *call)
{
	bool namespaced = (resources[call->resource].traits & RESOURCE_NAMESPACED) != 0;

	if (call->verb == APISIM_GET) {
		if (apisim_query_true(call, "watch"))
			apisim_watch(call);
		else
			apisim_list(call);
	} else if (call->verb == APISIM_POST && (!namespaced || call->namespace.size > 0)) {
		apisim_create(call);
	} else {
		no_method(call);
	}
}

/*
 * /api/v1/nodes[/NAME[/SUB]], /api/v1/namespaces/NS/pods[/NAME[/SUB]], and in the place of
 * /api/v1 /apis/GROUP/VERSION. False: no such resource.
 */
static bool find_resource(struct apisim_call *call, struct text path)
{
	struct apisim *api = call->api;
	struct text group = TEXT(""), version, plural;

	if (!text_is(segment(api, &path), TEXT("api")))
		group = segment(api, &path);
	version = segment(api, &path);
	plural = segment(api, &path);
	call->namespace = call->name = call->subresource = TEXT("");
	if (text_is(plural, TEXT("namespaces")) && group.size + version.size > 0) {
		struct text namespace = segment(api, &path);
		struct text next = segment(api, &path);

		if (next.size == 0 || text_is(next, TEXT("status")) ||
			text_is(next, TEXT("finalize"))) {
			call->name = namespace;
			call->subresource = next;
		} else {
			call->namespace = namespace;
			plural = next;
		}
	}
	call->resource = resource_find(group, version, plural, api->release);
	call->stored = resource_stored(call->resource);
	if (call->resource == RESOURCE_NONE)
		return false;
	if (call->name.size == 0) {
		call->name = segment(api, &path);
		call->subresource = segment(api, &path);
	}
	return path.size == 0 || text_is(path, TEXT("/"));
}

static void route(struct apisim_call *call)
{
	struct text path = call->request->path;

	if (call->verb == APISIM_GET && apisim_discover(call, path))
		return;
	if (call->verb == APISIM_POST && apisim_review(call, path))
		return;
	if (!text_starts(path, TEXT("/api/")) && !text_starts(path, TEXT("/apis/"))) {
		apisim_plain(call, 404, TEXT("404 page not found\n"));
		return;
	}
	if (!find_resource(call, path)) {
		struct text rest = path, group = TEXT("");

		if (!text_is(segment(call->api, &rest), TEXT("api")))
			group = segment(call->api, &rest);
		if (resource_group_served(group, segment(call->api, &rest), call->api->release))
			no_resource(call);
		else
			apisim_plain(call, 404, TEXT("404 page not found\n"));
		return;
	}
	if (call->namespace.size > 0 &&
		(resources[call->resource].traits & RESOURCE_NAMESPACED) == 0)
		no_resource(call);
	else if (call->name.size > 0)
		at_object(call);
	else
		at_collection(call);
}

static bool find_verb(struct apisim_call *call)
{
	static const struct {
		const char *method;
		enum apisim_verb verb;
	} verbs[] = {{"GET", APISIM_GET}, {"POST", APISIM_POST}, {"PUT", APISIM_PUT},
		{"PATCH", APISIM_PATCH}, {"DELETE", APISIM_DELETE}};

	for (size_t i = 0; i < ARRAY_COUNT(verbs); i++) {
		if (!text_is_z(call->request->method, verbs[i].method))
			continue;
		call->verb = verbs[i].verb;
		return true;
	}
	return false;
}

/* False: answered. */
static bool let_in(struct apisim_call *call)
{
	struct apisim *api = call->api;
	struct text said = call->request->authorization;

	if (call->request->inside)
		return true;
	if (api->token[0] != '\0' &&
		(!text_starts(said, TEXT("Bearer ")) ||
			!text_is_z(text_from(said, strlen("Bearer ")), api->token))) {
		apisim_status(call, 401, "Unauthorized", NULL, TEXT("Unauthorized"));
		return false;
	}
	if (api->throttle > 0) {
		api->throttle--;
		api->counts.throttled++;
		apisim_plain(call, 429, TEXT("Too many requests, please try again later.\n"));
		call->answer->retry_after_s = api->throttle_retry_s;
		return false;
	}
	return true;
}

/* What any client of ours says of itself. */
static void judge_headers(struct apisim_call *call)
{
	const struct apisim_request *request = call->request;

	if (request->user_agent.size == 0)
		apisim_violates(call, "no User-Agent");
	if (request->accept.size > 0 && !text_contains(request->accept, TEXT("json")) &&
		!text_contains(request->accept, TEXT("*/*")))
		apisim_violates(call, "does not accept JSON");
	if (request->body.size > 0 && request->content_type.size == 0)
		apisim_violates(call, "a body without Content-Type");
	if (request->body.size > 0 && call->verb == APISIM_GET)
		apisim_violates(call, "GET with a body");
}

void apisim_ask(
	struct apisim *api, const struct apisim_request *request, struct apisim_answer *answer)
{
	struct apisim_call call = {.api = api, .request = request, .answer = answer};

	scratch_reset(&api->scratch);
	*answer = (struct apisim_answer){.status = 500, .content_type = "application/json"};
	if (!request->inside)
		api->counts.requests++;
	if (!find_verb(&call)) {
		no_method(&call);
	} else if (let_in(&call)) {
		judge_headers(&call);
		route(&call);
	}
	if (answer->status >= 400 && !request->inside)
		api->counts.failures++;
}

/* ---- old events ---- */

void apisim_tick(struct apisim *api)
{
	struct apisim_request request = {.inside = true};
	struct apisim_answer answer;
	struct apisim_call call = {.api = api,
		.request = &request,
		.answer = &answer,
		.resource = RESOURCE_EVENTS,
		.stored = RESOURCE_EVENTS};
	int64_t limit = apisim_wall(&call).us - (int64_t)APISIM_EVENT_LIFE_S * CLOCK_S_US;

	/* Some are looked at; the more of them are old, the more are looked at. */
	for (uint32_t young = 0; young < APISIM_EVENTS_YOUNG;) {
		uint32_t count = registry_count(&api->registry, RESOURCE_EVENTS);
		struct wall made;

		scratch_reset(&api->scratch);
		if (count == 0)
			return;
		uint32_t revision = registry_nth(
			&api->registry, RESOURCE_EVENTS, random_below(&api->random, count));
		struct tree *event = apisim_read(&call, revision);
		if (!kube_time_parse(tree_text(event, "metadata.creationTimestamp"), &made) ||
			made.us >= limit)
			young++;
		else if (!apisim_remove(&call, revision, event))
			return;
	}
}
