/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as objects: cut, parsed and given to a decoder. Byte 0 chooses the kind (or the
 * passing ones), byte 1 what is kept and how much scratch there is; the rest is the text.
 *
 * Whatever comes: no crash, a blob or a reason, all references given back, the same facts when the
 * same text is decoded again, and matching never looks outside of a blob.
 */
// deps: base/*.c json/*.c kube/*.c
// deps: tests/fuzz/fuzz.c
#include <string.h>

#include "fuzz/fuzz.h"
#include "kube/node.h"
#include "kube/object.h"
#include "kube/passing.h"
#include "kube/pod.h"
#include "kube/volume.h"

enum {
	STRINGS_MAX = 4096,
	STORE_SIZE = 1 << 20,
	PIECE_MAX = 1 << 16,
	SCRATCH_SIZE = 1 << 18,
	ARENA_SIZE = 4 << 20
};

static _Alignas(16) uint8_t arena_block[ARENA_SIZE];
static _Alignas(16) uint8_t scratch_block[SCRATCH_SIZE];

static struct world {
	struct arena arena;
	struct store store;
	struct intern strings;
	struct scratch scratch;
	struct json_cut *cut;
	struct kube_build b;
	bool ready;
	uint8_t kind;
	bool little;
} world;

struct blobs {
	enum kube_result result;
	const struct kube_blob *facts;
	const struct kube_labels *labels;
};

static void world_start(void)
{
	struct world *w = &world;
	size_t cut_size = json_cut_size(PIECE_MAX);
	arena_init(&w->arena, arena_block, sizeof(arena_block));
	store_init(&w->store, "fuzz", arena_take(&w->arena, STORE_SIZE), STORE_SIZE);
	intern_init(&w->strings, &w->arena, &w->store, STRINGS_MAX);
	w->cut = json_cut_init(arena_take(&w->arena, cut_size), cut_size, PIECE_MAX);
	w->ready = true;
}

/* ---- using what came out ---- */

static void match_selector(
	const void *blob, const struct kube_selector *selector, const struct kube_labels *labels)
{
	bool matches = kube_selector_matches(blob, selector, labels);
	CHECK(!matches || selector->state == KUBE_SELECTOR_SET);
	CHECK((selector->error != 0) == (selector->state == KUBE_SELECTOR_INVALID));
}

static void match_node_terms(
	const void *blob, const struct kube_span *span, const struct kube_labels *labels)
{
	const struct kube_node_match node = {&world.strings, labels, 0, 0};
	const struct kube_node_term *terms = KUBE_AT(blob, *span, struct kube_node_term);
	for (uint32_t i = 0; i < span->count; i++)
		CHECK(!kube_node_term_matches(blob, &terms[i], &node) || terms[i].error == 0);
}

static void match_pod_terms(
	const void *blob, const struct kube_span *span, const struct kube_labels *labels)
{
	const struct kube_pod_term *terms = KUBE_AT(blob, *span, struct kube_pod_term);
	for (uint32_t i = 0; i < span->count; i++) {
		match_selector(blob, &terms[i].selector, labels);
		match_selector(blob, &terms[i].namespace_selector, labels);
	}
}

static void use_pod(const struct kube_pod *pod)
{
	const struct kube_pod_template *class = pod->class;
	match_pod_terms(class, &class->affinity, pod->labels);
	match_pod_terms(class, &class->anti_affinity, pod->labels);
	match_pod_terms(class, &class->preferred_affinity, pod->labels);
	match_pod_terms(class, &class->preferred_anti_affinity, pod->labels);
	match_node_terms(class, &class->required_nodes, pod->labels);
	const struct kube_spread *spread = KUBE_AT(class, class->spread, struct kube_spread);
	for (uint32_t i = 0; i < class->spread.count; i++)
		match_selector(class, &spread[i].selector, pod->labels);
	const struct kube_toleration *tolerations =
		KUBE_AT(class, class->tolerations, struct kube_toleration);
	const struct kube_taint taint = {.effect = KUBE_NO_SCHEDULE};
	for (uint32_t i = 0; i < class->tolerations.count; i++)
		(void)kube_tolerates(&tolerations[i], &taint);
	CHECK(class->scheduler_name != 0);
	CHECK(pod->meta.name.size > 0);
}

static void use_object(const struct kube_object *object)
{
	const void *blob = object->blob;
	switch (object->kind) {
	case KUBE_SERVICE:
	case KUBE_REPLICATION_CONTROLLER:
	case KUBE_REPLICA_SET:
	case KUBE_STATEFUL_SET:
		match_selector(blob, &((const struct kube_selecting *)blob)->selector, NULL);
		break;
	case KUBE_PDB:
		match_selector(blob, &((const struct kube_pdb *)blob)->selector, NULL);
		break;
	case KUBE_PVC:
		match_selector(blob, &((const struct kube_pvc *)blob)->selector, NULL);
		break;
	case KUBE_CSI_CAPACITY:
		match_selector(blob, &((const struct kube_csi_capacity *)blob)->topology, NULL);
		break;
	case KUBE_PV:
		match_node_terms(blob, &((const struct kube_pv *)blob)->node_terms, NULL);
		break;
	default: break;
	}
}

/* ---- decoding ---- */

static struct blobs decode(enum kube_kind kind, struct json_value v)
{
	struct blobs blobs = {KUBE_OK, NULL, NULL};
	if (kind == KUBE_POD) {
		struct kube_pod pod;
		blobs.result = kube_pod_decode(&world.b, v, &pod);
		if (blobs.result == KUBE_OK)
			use_pod(&pod);
		blobs.facts = pod.class == NULL ? NULL : &pod.class->blob;
		blobs.labels = pod.labels;
	} else if (kind == KUBE_NODE) {
		struct kube_node node;
		blobs.result = kube_node_decode(&world.b, v, &node);
		blobs.facts = node.facts == NULL ? NULL : &node.facts->blob;
		blobs.labels = node.labels;
	} else {
		struct kube_object object;
		blobs.result = kube_kinds[kind].decode(&world.b, v, &object);
		if (blobs.result == KUBE_OK)
			use_object(&object);
		blobs.facts = object.blob;
		blobs.labels = object.labels;
	}
	CHECK(blobs.result == KUBE_OK || (blobs.facts == NULL && blobs.labels == NULL));
	CHECK((blobs.result == KUBE_MALFORMED) == (world.b.fault_field != NULL));
	return blobs;
}

static void drop(struct blobs blobs)
{
	kube_blob_drop(blobs.facts, &world.strings);
	kube_blob_drop(blobs.labels == NULL ? NULL : &blobs.labels->blob, &world.strings);
}

static void passing(struct json_value v)
{
	struct kube_status status;
	struct kube_list_meta meta;
	struct kube_watch_line line;
	struct kube_lease lease;
	(void)kube_status_decode(v, &status);
	kube_list_meta_decode(v, &meta);
	CHECK(meta.remaining >= 0);
	(void)kube_watch_line_decode(v, &line);
	if (kube_lease_decode(&world.b, v, &lease) == KUBE_OK)
		CHECK(lease.name.size > 0);
}

static bool on_piece(void *self, struct json_piece piece)
{
	struct world *w = self;
	struct json_value v;
	if (piece.kind == JSON_PIECE_TOO_BIG)
		return true;
	scratch_init(&w->scratch, scratch_block, w->little ? 8192 : sizeof(scratch_block));
	kube_build_init(&w->b, &w->strings, &w->scratch);
	if (json_parse(piece.text, &w->scratch, &v) != JSON_PARSED)
		return true;
	if (w->kind == KUBE_NO_KIND) {
		passing(v);
		return true;
	}
	struct blobs first = decode((enum kube_kind)w->kind, v);
	struct blobs second = decode((enum kube_kind)w->kind, v);
	/* The second has less scratch left. */
	CHECK(first.result == second.result || second.result == KUBE_FULL);
	if (first.facts != NULL && second.facts != NULL)
		CHECK(kube_blob_is(first.facts, second.facts));
	drop(first);
	drop(second);
	CHECK(pool_used(&w->strings.strings) == 0);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct json_want all[] = {{"*", NULL}, {NULL, NULL}};
	struct world *w = &world;
	if (size < 2)
		return 0;
	if (!w->ready)
		world_start();
	w->kind = data[0] % KUBE_KINDS;
	w->little = (data[1] & 4) != 0;
	const struct json_want *wants[] = {
		all, kube_any_want, kube_kinds[w->kind].want, kube_kinds[w->kind].want};
	const struct json_want *want = w->kind == KUBE_NO_KIND ? all : wants[data[1] & 3];
	json_cut_start(w->cut, JSON_CUT_LINES, want, NULL, on_piece, w);
	if (json_cut_feed(w->cut, (struct text){(const char *)data + 2, size - 2}) == JSON_CUT_MORE)
		(void)!json_cut_end(w->cut);
	CHECK(pool_used(&w->strings.strings) == 0);
	return 0;
}
