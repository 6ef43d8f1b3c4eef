/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is written of volumes and claims.
 *
 * What kube-scheduler does: it PUTs the whole object, with its resourceVersion and uid.
 *
 * What we do: we know no whole objects, only what a scheduler reads of them, so we PATCH the few
 * members that change. It comes to the same: a merge patch that names metadata.resourceVersion is
 * refused with the same 409 and the same words when the object has another version, and where it
 * is taken the object was the one that a PUT would have carried. metadata.uid goes along for the
 * same reason that it stands in a PUT: an object that was made again under the name is another one.
 * The rights are the same as well: system:volume-scheduler allows update and patch alike.
 */
#include "json/json.h"
#include "plugins/volume_bind.h"

#define ANNOTATION_BOUND    "pv.kubernetes.io/bound-by-controller"
#define ANNOTATION_SELECTED "volume.kubernetes.io/selected-node"

/* A version that is no number is known by its hash alone. */
static bool version_is_number(uint64_t version)
{
	return version >> 63 == 0;
}

static void write_version(struct json_writer *j, uint64_t version)
{
	char digits[24];
	struct writer w;
	writer_init(&w, digits, sizeof(digits));
	write_u64(&w, version);
	json_member_text(j, "resourceVersion", writer_text(&w));
}

/* "metadata":{..., annotations} */
static void write_volume_metadata(const struct plugin_binding *b, const struct volume_piece *piece,
	const char *annotation, struct text value, struct json_writer *j)
{
	json_member_object(j, "metadata");
	if (piece->uid != INTERN_EMPTY)
		json_member_text(j, "uid", cache_text(b->cache, piece->uid));
	write_version(j, piece->version);
	if (annotation != NULL) {
		json_member_object(j, "annotations");
		json_member_text(j, annotation, value);
		json_close_object(j);
	}
	json_close_object(j);
}

/* The whole reference: what a user wrote there before does not stay. */
static void write_claim_ref(
	const struct plugin_binding *b, const struct volume_piece *piece, struct json_writer *j)
{
	json_member_object(j, "spec");
	json_member_object(j, "claimRef");
	json_member_z(j, "kind", "PersistentVolumeClaim");
	json_member_text(j, "namespace", cache_text(b->cache, piece->namespace));
	json_member_text(j, "name", cache_text(b->cache, piece->claim));
	if (piece->claim_uid != INTERN_EMPTY)
		json_member_text(j, "uid", cache_text(b->cache, piece->claim_uid));
	json_member_z(j, "apiVersion", "v1");
	write_version(j, piece->claim_version);
	json_key(j, "fieldPath");
	json_put_null(j);
	json_close_object(j);
	json_close_object(j);
}

static const struct volume_piece *piece_written(const struct plugin_binding *b)
{
	const struct volume_bind *bind = plugin_kept(b, PLUGIN_VOLUME_BINDING);
	CHECK(bind->at < bind->count);
	return &bind->pieces[bind->at];
}

/* False: versions like these are not for sending. */
static bool write_volume(const struct plugin_binding *b, struct writer *body)
{
	const struct volume_piece *piece = piece_written(b);
	struct json_writer j;
	if (!version_is_number(piece->version) || !version_is_number(piece->claim_version))
		return false;
	json_write_init(&j, body);
	json_open_object(&j);
	write_volume_metadata(b, piece, piece->marks ? ANNOTATION_BOUND : NULL, TEXT("yes"), &j);
	if (piece->changes)
		write_claim_ref(b, piece, &j);
	json_close_object(&j);
	return true;
}

static bool write_claim(const struct plugin_binding *b, struct writer *body)
{
	const struct volume_piece *piece = piece_written(b);
	struct json_writer j;
	if (!version_is_number(piece->version))
		return false;
	json_write_init(&j, body);
	json_open_object(&j);
	write_volume_metadata(b, piece, ANNOTATION_SELECTED, cache_text(b->cache, b->node), &j);
	json_close_object(&j);
	return true;
}

struct plugin_call volume_bind_call(const struct plugin_binding *b, const struct volume_bind *bind)
{
	const struct volume_piece *piece = &bind->pieces[bind->at];
	bool is_volume = piece->pv != 0;
	return (struct plugin_call){
		.verb = PLUGIN_PATCH,
		.kind = is_volume ? KUBE_PV : KUBE_PVC,
		.namespace = is_volume ? TEXT("") : cache_text(b->cache, piece->namespace),
		.name = cache_text(b->cache, is_volume ? piece->pv : piece->claim),
		.write_body = is_volume ? write_volume : write_claim,
	};
}
