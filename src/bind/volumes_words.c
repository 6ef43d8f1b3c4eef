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
 * same reason that it stands in a PUT: an object that was made anew under the name is another one.
 * The rights are the same as well: system:volume-scheduler allows update and patch alike.
 */
#include "bind/volumes_private.h"
#include "kube/volume.h"

#define ANNOTATION_BOUND    "pv.kubernetes.io/bound-by-controller"
#define ANNOTATION_SELECTED "volume.kubernetes.io/selected-node"

/* A version that is no number is known by its hash alone. */
static bool is_number(uint64_t version)
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

static void write_uid(const struct volumes *volumes, struct json_writer *j, uint32_t uid)
{
	if (uid != INTERN_EMPTY)
		json_member_text(j, "uid", volumes_text(volumes, uid));
}

/* "metadata":{..., annotations} */
static void write_metadata(const struct volumes *volumes, const struct volumes_piece *piece,
	const char *annotation, struct text value, struct json_writer *j)
{
	json_key(j, "metadata");
	json_open_object(j);
	write_uid(volumes, j, piece->uid);
	write_version(j, piece->version);
	if (annotation != NULL) {
		json_key(j, "annotations");
		json_open_object(j);
		json_member_text(j, annotation, value);
		json_close_object(j);
	}
	json_close_object(j);
}

/* The whole reference: what a user wrote there before does not stay. */
static void write_claim_ref(
	const struct volumes *volumes, const struct volumes_piece *piece, struct json_writer *j)
{
	json_key(j, "spec");
	json_open_object(j);
	json_key(j, "claimRef");
	json_open_object(j);
	json_member_z(j, "kind", "PersistentVolumeClaim");
	json_member_text(j, "namespace", volumes_text(volumes, piece->namespace));
	json_member_text(j, "name", volumes_text(volumes, piece->claim));
	write_uid(volumes, j, piece->claim_uid);
	json_member_z(j, "apiVersion", "v1");
	write_version(j, piece->claim_version);
	json_key(j, "fieldPath");
	json_put_null(j);
	json_close_object(j);
	json_close_object(j);
}

static void write_volume(
	const struct volumes *volumes, const struct volumes_piece *piece, struct writer *body)
{
	struct json_writer j;
	json_write_init(&j, body);
	json_open_object(&j);
	write_metadata(volumes, piece, piece->marks ? ANNOTATION_BOUND : NULL, TEXT("yes"), &j);
	if (piece->changes)
		write_claim_ref(volumes, piece, &j);
	json_close_object(&j);
}

static void write_claim(const struct volumes *volumes, const struct volumes_piece *piece,
	uint32_t node, struct writer *body)
{
	struct json_writer j;
	json_write_init(&j, body);
	json_open_object(&j);
	write_metadata(volumes, piece, ANNOTATION_SELECTED, volumes_text(volumes, node), &j);
	json_close_object(&j);
}

struct api_object volumes_piece_object(
	const struct volumes *volumes, const struct volumes_piece *piece)
{
	if (piece->pv != 0)
		return (struct api_object){.group = "/api/v1",
			.resource = "persistentvolumes",
			.name = volumes_text(volumes, piece->pv)};
	return (struct api_object){.group = "/api/v1",
		.namespace = volumes_text(volumes, piece->namespace),
		.resource = "persistentvolumeclaims",
		.name = volumes_text(volumes, piece->claim)};
}

bool volumes_write_piece(const struct volumes *volumes, const struct volumes_piece *piece,
	uint32_t node, struct writer *body)
{
	if (!is_number(piece->version) || (piece->pv != 0 && !is_number(piece->claim_version)))
		return false;
	if (piece->pv != 0)
		write_volume(volumes, piece, body);
	else
		write_claim(volumes, piece, node, body);
	return true;
}

struct api_object volumes_pod_object(const struct volumes_flight *flight)
{
	const struct volumes *volumes = flight->volumes;

	return (struct api_object){"/api/v1", volumes_text(volumes, flight->namespace), "pods",
		volumes_text(volumes, flight->pod), "status"};
}

bool volumes_write_nomination(const struct volumes_flight *flight, struct writer *body)
{
	const struct body_status status = {
		.set_nominated = true,
		.nominated = volumes_text(flight->volumes, flight->node),
		.old_nominated = TEXT(""), /* it is another one, or nothing would be sent */
	};
	return body_status_patch(&status, body);
}
