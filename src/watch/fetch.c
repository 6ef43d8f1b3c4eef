/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pods asked for by name: those that there was no memory for, when there is some again. A list
 * would bring 100,000 others with each of them.
 */
#include "base/log.h"
#include "watch/reflector.h"

size_t watch_fetch_size(void)
{
	return WATCH_FETCHES * (json_cut_size(WATCH_PIECE_FETCHED) + 16);
}

static void fetch_tell(
	struct watch_fetch *f, enum watch_fetch_result result, const struct watch_object *object)
{
	struct watch *watch = f->watch;

	f->told = true;
	if (watch->sink.fetched != NULL)
		watch->sink.fetched(watch->sink.self, f->tag, result, object, watch->scratch);
}

static bool fetch_piece(void *self, struct json_piece piece)
{
	struct watch_fetch *f = self;
	struct scratch *scratch = f->watch->scratch;
	struct scratch_mark mark = scratch_mark(scratch);
	struct watch_object object = {
		.kind = KUBE_POD, .type = KUBE_WATCH_ADDED, .api_version = "v1"};

	if (f->request.answer.status != 200 || f->told)
		return false;
	if (piece.kind == JSON_PIECE_LINE &&
		json_parse(piece.text, scratch, &object.value) == JSON_PARSED)
		fetch_tell(f, WATCH_FETCHED, &object);
	else
		fetch_tell(f, WATCH_FETCH_UNREADABLE, NULL);
	scratch_rewind(scratch, mark);
	return false;
}

static enum net_flow fetch_listen(struct net_request *request, struct text bytes)
{
	struct watch_fetch *f = LIST_OWNER(request, struct watch_fetch, request);

	if (request->answer.status != 200 || f->told)
		return NET_MORE;
	/* What is no JSON tells nothing. To the end, so that the connection is kept. */
	if (json_cut_feed(f->cut, bytes) == JSON_CUT_BROKEN)
		log_debug("watch", "fetch-broken", "%s", json_cut_fault(f->cut));
	return NET_MORE;
}

static void fetch_done(struct net_request *request)
{
	struct watch_fetch *f = LIST_OWNER(request, struct watch_fetch, request);

	if (request->answer.result == NET_CANCELLED || f->told)
		return;
	fetch_tell(f, request->answer.status == 404 ? WATCH_FETCH_GONE : WATCH_FETCH_FAILED, NULL);
}

void watch_fetch_init(struct watch *watch, struct arena *arena)
{
	for (uint32_t i = 0; i < WATCH_FETCHES; i++) {
		struct watch_fetch *f = &watch->fetches[i];

		f->watch = watch;
		f->request.class = NET_READ;
		f->request.method = NET_GET;
		f->request.on_body = fetch_listen;
		f->request.on_done = fetch_done;
		f->request.timeout_ms = WATCH_FETCH_MS;
		watch_cutter_take(&f->cutter, arena, WATCH_PIECE_FETCHED);
	}
}

static uint32_t fetch_free(const struct watch *watch)
{
	uint32_t i = 0;

	while (i < WATCH_FETCHES && net_is_active(&watch->fetches[i].request))
		i++;
	return i;
}

bool watch_may_fetch(const struct watch *watch)
{
	return fetch_free(watch) < WATCH_FETCHES;
}

bool watch_fetch(struct watch *watch, struct text namespace, struct text name, uint64_t tag)
{
	uint32_t free = fetch_free(watch);
	struct watch_fetch *f = &watch->fetches[free];
	struct writer path;

	if (free == WATCH_FETCHES || namespace.size == 0 || name.size == 0)
		return false;
	writer_init(&path, f->path, sizeof(f->path));
	write_z(&path, "/api/v1/namespaces/");
	write_percent_encoded(&path, namespace, "");
	write_z(&path, "/pods/");
	write_percent_encoded(&path, name, "");
	if (path.overflowed)
		return false;
	if (f->cut == NULL)
		f->cut = watch_cutter_open(&f->cutter);
	json_cut_start(
		f->cut, JSON_CUT_LINES, watch->by_kind[KUBE_POD]->want, NULL, fetch_piece, f);
	f->tag = tag;
	f->told = false;
	f->request.path = writer_text(&path);
	net_send(watch->client, &f->request);
	return true;
}

void watch_fetch_cancel(struct watch *watch)
{
	for (uint32_t i = 0; i < WATCH_FETCHES; i++)
		net_cancel(&watch->fetches[i].request);
}
