/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as the Lease that is there. Byte 0 chooses who we are and how much room there is, byte
 * 1 how much scratch; the rest is the object, cut as lease.c does.
 *
 * Whatever comes: no crash; what is written to hold it and to give it up is JSON that says so, has
 * the version it was read with, and keeps the labels and annotations of others.
 */
// deps: base/*.c json/*.c kube/*.c api/api_path.c lease/lease_body.c
// deps: tests/fuzz/fuzz.c
#include <string.h>

#include "fuzz/fuzz.h"
#include "json/json.h"
#include "kube/time.h"
#include "lease/lease_body.h"

enum { HEAD = 2, PIECE_MAX = 8 * 1024, BODY_MAX = 8 * PIECE_MAX, SCRATCH_SIZE = 1 << 18 };

static _Alignas(16) uint8_t cut_block[2][1 << 18], scratch_block[2][SCRATCH_SIZE];
static struct json_cut *cuts[2];
static char piece[PIECE_MAX], body[BODY_MAX], path[2048];

struct reading {
	struct scratch scratch;
	struct kube_lease lease;
	bool is_lease;
};

static bool on_piece(void *self, struct json_piece found)
{
	struct reading *r = self;
	struct kube_build build = {.scratch = &r->scratch};
	struct json_value root;
	if (found.kind == JSON_PIECE_LINE &&
		json_parse(found.text, &r->scratch, &root) == JSON_PARSED &&
		!text_is_z(json_text(json_get(root, "kind")), "Status"))
		r->is_lease = kube_lease_decode(&build, root, &r->lease) == KUBE_OK &&
			r->lease.resource_version.size > 0;
	return false;
}

static void read_lease(struct reading *r, int which, size_t memory, struct text bytes)
{
	size_t size = json_cut_size(which == 0 ? PIECE_MAX : BODY_MAX);
	if (cuts[which] == NULL) {
		CHECK(size <= sizeof(cut_block[which]));
		cuts[which] =
			json_cut_init(cut_block[which], size, which == 0 ? PIECE_MAX : BODY_MAX);
	}
	r->is_lease = false;
	scratch_init(&r->scratch, scratch_block[which], memory);
	json_cut_start(cuts[which], JSON_CUT_LINES, kube_lease_want, NULL, on_piece, r);
	(void)!json_cut_feed(cuts[which], bytes);
}

/* null is the same as nothing, and what is no string is written as "". */
static void check_map(struct json_value before, struct json_value after)
{
	struct json_walk walk = json_walk(before);
	if (json_type(before) != JSON_OBJECT || json_count(before) == 0) {
		CHECK(json_type(after) != JSON_OBJECT);
		return;
	}
	CHECK(json_count(before) == json_count(after));
	struct json_walk written = json_walk(after);
	while (json_walk_next(&walk)) {
		CHECK(json_walk_next(&written));
		CHECK(text_is(walk.key, written.key));
		CHECK(text_is(json_text(walk.value), json_text(written.value)));
	}
}

static void check_written(const struct reading *old, const struct lease_record *record)
{
	static struct reading again;
	struct wall time;
	struct writer w;
	writer_init(&w, body, sizeof(body));
	lease_body_update(TEXT("kube-system"), &old->lease, record, &w);
	CHECK(!w.overflowed);
	read_lease(&again, 1, SCRATCH_SIZE, writer_text(&w));
	CHECK(again.is_lease);
	const struct kube_lease *a = &again.lease;
	CHECK(text_is(a->holder, record->holder));
	CHECK(text_is(a->resource_version, old->lease.resource_version));
	CHECK(text_is(a->uid, old->lease.uid));
	CHECK(text_is(a->name, old->lease.name));
	CHECK(a->duration_seconds == record->duration_seconds);
	CHECK(a->transitions == record->transitions && a->transitions >= 0);
	CHECK(kube_time_parse(a->renew_time, &time));
	CHECK((a->acquire_time.size > 0) == record->has_acquired);
	CHECK(!record->has_acquired || kube_time_parse(a->acquire_time, &time));
	check_map(old->lease.labels, a->labels);
	check_map(old->lease.annotations, a->annotations);
}

static void check_path(struct text namespace, struct text name)
{
	struct writer w;
	writer_init(&w, path, sizeof(path));
	if (!lease_path(namespace, name, 5, &w)) {
		CHECK(w.used == 0);
		return;
	}
	for (size_t i = 0; i < w.used; i++)
		CHECK(path[i] > ' ' && (unsigned char)path[i] < 0x7f && path[i] != '#');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct reading old;
	const struct wall now = {1700000000000005};
	if (size < HEAD || size > 2 * PIECE_MAX)
		return 0;
	struct text bytes = {(const char *)data + HEAD, size - HEAD};
	size_t memory = data[1] < 32 ? (size_t)data[1] * 64 : SCRATCH_SIZE;
	read_lease(&old, 0, memory, bytes);
	if (!old.is_lease)
		return 0;
	struct text me =
		(data[0] & 1) != 0 && old.lease.holder.size > 0 ? old.lease.holder : TEXT("me_1");
	struct lease_record record = lease_record_hold(&old.lease, me, 15, now);
	check_written(&old, &record);
	record = lease_record_release(&old.lease, now);
	check_written(&old, &record);
	check_path(old.lease.name, old.lease.uid);
	/* too little room shows, and nothing is written behind it */
	struct writer w;
	memset(piece, 'x', sizeof(piece));
	size_t room = (size_t)data[0] * 4;
	writer_init(&w, piece, room);
	lease_body_update(TEXT("kube-system"), &old.lease, &record, &w);
	CHECK(w.used <= room && piece[room] == 'x');
	return 0;
}
