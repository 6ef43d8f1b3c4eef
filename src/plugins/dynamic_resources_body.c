/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is written of claims.
 *
 * What kube-scheduler does: it PUTs the whole object, once for the finalizer and once for the
 * status, and again after a conflict.
 *
 * What we do: a strategic merge patch of just that. Finalizers and consumers are merged by the
 * apiserver, an allocation that is there already cannot be changed (it refuses that), and the uid
 * makes sure that the claim is still the same one: there is nothing left to conflict about, and
 * what is not known to have happened can be sent again.
 */
#include <string.h>

#include "base/hash.h"
#include "json/json.h"
#include "plugins/dynamic_resources_bind.h"

#define ANNOTATION_EXTENDED "resource.kubernetes.io/extended-resource-claim"

static const struct devices_bind *bind_of(const struct plugin_binding *b)
{
	return plugin_kept(b, PLUGIN_DYNAMIC_RESOURCES);
}

static const struct devices_piece *piece_of(const struct plugin_binding *b)
{
	const struct devices_bind *bind = bind_of(b);
	CHECK(bind->at < bind->count);
	return &bind->pieces[bind->at];
}

static void put_uid(const struct plugin_binding *b, const char *key, struct json_writer *j)
{
	char bytes[256];
	struct writer w;
	writer_init(&w, bytes, sizeof(bytes));
	cache_print_uid(b->cache, b->uid, &w);
	json_member_text(j, key, writer_text(&w));
}

/* "metadata":{"uid":...}: of the claim as it was decided about. */
static void put_same(
	const struct plugin_binding *b, const struct devices_piece *piece, struct json_writer *j)
{
	json_member_object(j, "metadata");
	if (piece->uid != 0)
		json_member_text(j, "uid", cache_text(b->cache, piece->uid));
}

static void put_finalizer(const struct plugin_binding *b, struct json_writer *j)
{
	put_same(b, piece_of(b), j);
	json_member_array(j, "finalizers");
	json_put_z(j, KUBE_CLAIM_FINALIZER);
	json_close_array(j);
	json_close_object(j);
}

static void put_claim_status(const struct plugin_binding *b, struct json_writer *j)
{
	const struct devices_bind *bind = bind_of(b);
	const struct devices_piece *piece = piece_of(b);
	put_same(b, piece, j);
	json_close_object(j);
	json_member_object(j, "status");
	const struct cache_pending *pending =
		cache_pending_find(b->cache, piece->pending, piece->serial);
	if (pending != NULL) {
		json_key(j, "allocation");
		json_put_raw(j, cache_text(b->cache, pending->allocated->json));
	}
	json_member_array(j, "reservedFor");
	json_open_object(j);
	json_member_z(j, "resource", "pods");
	json_member_text(j, "name", cache_text(b->cache, bind->pod_name));
	put_uid(b, "uid", j);
	json_close_object(j);
	json_close_array(j);
	json_close_object(j);
}

/* ---- the claim of extended resources ---- */

static void put_extended_claim(const struct plugin_binding *b, struct json_writer *j)
{
	const struct devices_bind *bind = bind_of(b);
	const struct devices_piece *piece = piece_of(b);
	json_member_z(j, "kind", "ResourceClaim");
	json_member_z(j, "apiVersion", "resource.k8s.io/v1");
	json_member_object(j, "metadata");
	json_member_text(j, "name", cache_text(b->cache, piece->name));
	json_member_text(j, "namespace", cache_text(b->cache, bind->namespace));
	json_member_object(j, "annotations");
	json_member_z(j, ANNOTATION_EXTENDED, "true");
	json_close_object(j);
	json_member_array(j, "ownerReferences");
	json_open_object(j);
	json_member_z(j, "apiVersion", "v1");
	json_member_z(j, "kind", "Pod");
	json_member_text(j, "name", cache_text(b->cache, bind->pod_name));
	put_uid(b, "uid", j);
	json_member_bool(j, "controller", true);
	json_close_object(j);
	json_close_array(j);
	json_close_object(j);
	json_key(j, "spec");
	json_put_raw(j, cache_text(b->cache, piece->spec));
}

static void put_pod_status(const struct plugin_binding *b, struct json_writer *j)
{
	const struct devices_bind *bind = bind_of(b);
	const struct devices_piece *piece = &bind->pieces[bind->count - 1];
	json_member_object(j, "metadata");
	put_uid(b, "uid", j);
	json_close_object(j);
	json_member_object(j, "status");
	json_member_object(j, "extendedResourceClaimStatus");
	json_key(j, "requestMappings");
	json_put_raw(j, cache_text(b->cache, piece->mappings));
	json_member_text(j, "resourceClaimName", cache_text(b->cache, piece->name));
	json_close_object(j);
	json_close_object(j);
}

/* What the step writes. */
static bool write_body(const struct plugin_binding *b, struct writer *out)
{
	struct json_writer j;
	json_write_init(&j, out);
	json_open_object(&j);
	switch (bind_of(b)->step) {
	case DEVICES_CREATE: put_extended_claim(b, &j); break;
	case DEVICES_FINALIZER: put_finalizer(b, &j); break;
	case DEVICES_STATUS: put_claim_status(b, &j); break;
	default: put_pod_status(b, &j);
	}
	json_close_object(&j);
	return !out->overflowed;
}

static void put_mappings(
	const struct cache *cache, const struct dra_extended *extended, struct json_writer *j)
{
	json_open_array(j);
	for (uint32_t i = 0; i < extended->mapping_count; i++) {
		const struct dra_mapping *mapping = &extended->mappings[i];
		json_open_object(j);
		json_member_text(j, "containerName", cache_text(cache, mapping->container_name));
		json_member_text(j, "resourceName", cache_text(cache, mapping->resource));
		json_member_text(j, "requestName", mapping->request);
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_requests(
	const struct cache *cache, const struct dra_claim *claim, struct json_writer *j)
{
	json_open_object(j);
	json_member_object(j, "devices");
	json_member_array(j, "requests");
	for (uint32_t i = 0; i < claim->request_count; i++) {
		const struct dra_ask *ask = claim->requests[i].asks;
		json_open_object(j);
		json_member_text(j, "name", claim->requests[i].name);
		json_member_object(j, "exactly");
		json_member_text(j, "deviceClassName", cache_text(cache, ask->class->name));
		json_member_z(j, "allocationMode", "ExactCount");
		json_member_i64(j, "count", ask->count);
		json_close_object(j);
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
	json_close_object(j);
}

/* Writes JSON at the end of scratch. */
struct kept_json {
	struct scratch *scratch;
	struct writer out;
	struct json_writer j;
};

static void kept_json_begin(struct kept_json *k, struct scratch *scratch)
{
	size_t size = 0;
	char *rest = scratch_take_rest(scratch, &size);
	k->scratch = scratch;
	writer_init(&k->out, rest, rest == NULL ? 0 : size);
	json_write_init(&k->j, &k->out);
}

/* TEXT_NONE: there was no room. */
static struct text kept_json_end(struct kept_json *k)
{
	if (k->out.at != NULL)
		scratch_keep(k->scratch, k->out.at, k->out.overflowed ? 0 : k->out.used);
	return k->out.overflowed || k->out.at == NULL ? TEXT_NONE : writer_text(&k->out);
}

struct text devices_write_spec(struct scratch *scratch, const struct cache *cache,
	const struct dra_extended *extended, bool mappings)
{
	struct kept_json k;
	kept_json_begin(&k, scratch);
	if (mappings)
		put_mappings(cache, extended, &k.j);
	else
		put_requests(cache, &extended->claim, &k.j);
	return kept_json_end(&k);
}

/* ---- one-off calls ---- */

enum one_off { ONE_OFF_FREE, ONE_OFF_UNRESERVE, ONE_OFF_FINALIZER, ONE_OFF_DELETE };

struct one_off_claim {
	struct text namespace;
	struct text name;
	struct text uid;     /* empty: not known */
	struct text version; /* for ONE_OFF_FREE */
	struct text pod_uid; /* for ONE_OFF_UNRESERVE */
};

static void put_one_off_status(
	const struct one_off_claim *claim, enum one_off what, struct json_writer *j)
{
	json_member_object(j, "status");
	if (what == ONE_OFF_FREE) {
		static const char *const members[] = {"allocation", "reservedFor", "devices"};
		for (uint32_t i = 0; i < ARRAY_COUNT(members); i++) {
			json_key(j, members[i]);
			json_put_raw(j, TEXT("null"));
		}
	} else {
		json_member_array(j, "reservedFor");
		json_open_object(j);
		json_member_z(j, "$patch", "delete");
		json_member_text(j, "uid", claim->pod_uid);
		json_close_object(j);
		json_close_array(j);
	}
	json_close_object(j);
}

static void put_one_off(const struct one_off_claim *claim, enum one_off what, struct json_writer *j)
{
	json_open_object(j);
	if (what == ONE_OFF_DELETE) {
		json_member_z(j, "kind", "DeleteOptions");
		json_member_z(j, "apiVersion", "v1");
	}
	json_member_object(j, what == ONE_OFF_DELETE ? "preconditions" : "metadata");
	if (claim->uid.size > 0)
		json_member_text(j, "uid", claim->uid);
	if (what == ONE_OFF_FREE)
		json_member_text(j, "resourceVersion", claim->version);
	if (what == ONE_OFF_FINALIZER) {
		json_member_array(j, "$deleteFromPrimitiveList/finalizers");
		json_put_z(j, KUBE_CLAIM_FINALIZER);
		json_close_array(j);
	}
	json_close_object(j);
	if (what == ONE_OFF_FREE || what == ONE_OFF_UNRESERVE)
		put_one_off_status(claim, what, j);
	json_close_object(j);
}

static bool make_one_off(struct scratch *scratch, const struct one_off_claim *claim,
	enum one_off what, struct plugin_call *call)
{
	static const enum plugin_verb verbs[] = {
		PLUGIN_PATCH, PLUGIN_STRATEGIC_PATCH, PLUGIN_STRATEGIC_PATCH, PLUGIN_DELETE};
	struct kept_json k;
	kept_json_begin(&k, scratch);
	put_one_off(claim, what, &k.j);
	*call = (struct plugin_call){.verb = verbs[what],
		.kind = KUBE_RESOURCE_CLAIM,
		.namespace = claim->namespace,
		.name = claim->name,
		.subresource = what <= ONE_OFF_UNRESERVE ? "status" : NULL,
		.body = kept_json_end(&k)};
	return call->body.at != NULL;
}

static struct one_off_claim one_off_of_claim(
	const struct cache *cache, const struct kube_claim *claim)
{
	return (struct one_off_claim){.namespace = cache_text(cache, claim->namespace),
		.name = cache_text(cache, claim->name),
		.uid = cache_text(cache, claim->uid),
		.version = cache_text(cache, claim->version)};
}

uint32_t devices_free_claim(
	struct cycle_state *d, const struct kube_claim *claim, struct plugin_call *calls)
{
	const struct one_off_claim of = one_off_of_claim(d->cache, claim);
	return make_one_off(d->scratch, &of, ONE_OFF_FREE, calls) ? 1 : 0;
}

static uint32_t delete_one_off(
	struct scratch *scratch, const struct one_off_claim *of, struct plugin_call *calls)
{
	return make_one_off(scratch, of, ONE_OFF_FINALIZER, &calls[0]) &&
			make_one_off(scratch, of, ONE_OFF_DELETE, &calls[1])
		? 2
		: 0;
}

uint32_t devices_delete_claim(struct scratch *scratch, const struct cache *cache,
	const struct kube_claim *claim, struct plugin_call *calls)
{
	const struct one_off_claim of = one_off_of_claim(cache, claim);
	return delete_one_off(scratch, &of, calls);
}

void devices_take_back(const struct plugin_binding *b, const struct devices_piece *piece)
{
	const struct devices_bind *bind = bind_of(b);
	struct plugin_call calls[PLUGIN_CALLS_MAX];
	char uid[256];
	struct writer w;
	struct scratch_mark mark = scratch_mark(b->scratch);
	writer_init(&w, uid, sizeof(uid));
	cache_print_uid(b->cache, b->uid, &w);
	const struct one_off_claim of = {.namespace = cache_text(b->cache, bind->namespace),
		.name = cache_text(b->cache, piece->name),
		.uid = cache_text(b->cache, piece->uid),
		.pod_uid = writer_text(&w)};
	uint32_t count = piece->spec != 0 ? delete_one_off(b->scratch, &of, calls)
					  : make_one_off(b->scratch, &of, ONE_OFF_UNRESERVE, calls);
	if (count > 0)
		b->handle->send(b->handle->self, b, calls, count);
	scratch_rewind(b->scratch, mark);
}

struct plugin_call devices_call(const struct plugin_binding *b, const struct devices_bind *bind)
{
	struct plugin_call call = {.verb = PLUGIN_STRATEGIC_PATCH,
		.kind = KUBE_RESOURCE_CLAIM,
		.namespace = cache_text(b->cache, bind->namespace),
		.write_body = write_body};
	switch (bind->step) {
	case DEVICES_CREATE: call.verb = PLUGIN_POST; break;
	case DEVICES_FINALIZER: break;
	case DEVICES_STATUS: call.subresource = "status"; break;
	default:
		call.kind = KUBE_POD;
		call.subresource = "status";
		call.name = cache_text(b->cache, bind->pod_name);
		return call;
	}
	if (bind->step != DEVICES_CREATE)
		call.name = cache_text(b->cache, bind->pieces[bind->at].name);
	return call;
}
