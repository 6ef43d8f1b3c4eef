/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers: bytes are cut into pieces, a piece becomes a value, the sink is told. Whatever the
 * bytes are, the worst that happens is a word of judgement (judge.c); what comes of that is
 * decided when the answer has ended (steps.c).
 *
 * A sink may stop or restart the very reflector that calls it: r->turn is another one then, and
 * nothing of the answer is looked at any more.
 */
#include "base/log.h"
#include "watch/reflector.h"

enum {
	SHOWN_NAME_MAX = 320, /* a namespace and a name */
	BRIEF_PIECE_MAX = 4096
};

static const struct json_want want_resource[] = {{"name", NULL}, {NULL, NULL}};
static const struct json_want want_resources[] = {{"resources", want_resource}, {NULL, NULL}};
static const struct json_want want_nothing[] = {{"kind", NULL}, {NULL, NULL}};

/* ---- telling ---- */

static void begin_list(struct watch_reflector *r)
{
	if (r->listing)
		return;
	r->listing = true;
	r->stats.lists++;
	r->listed = 0;
	r->watch->sink.list_begin(r->watch->sink.self, r->kind);
}

static void tell(struct watch_reflector *r, enum kube_watch_type type, struct json_value value)
{
	const struct watch_object object = {.kind = r->kind,
		.type = type,
		.value = value,
		.api_version = reflector_api_version(r)};

	r->stats.objects++;
	r->listed++;
	if (!r->watch->sink.object(r->watch->sink.self, &object, r->watch->scratch))
		r->stats.refused++;
}

/* The cutter writes a line's members as they come, and every server sends the type first. */
static enum kube_watch_type type_of_broken_line(struct text line)
{
	if (text_starts(line, TEXT("{\"type\":\"DELETED\"")))
		return KUBE_WATCH_DELETED;
	if (text_starts(line, TEXT("{\"type\":\"MODIFIED\"")))
		return KUBE_WATCH_MODIFIED;
	return KUBE_WATCH_ADDED;
}

const char *const watch_brief[] = {"type", "object", "metadata", "name", "namespace", "uid",
	"resourceVersion", "spec", "nodeName", "schedulerName", "priority", "status", "phase",
	NULL};

static void too_big(struct watch_reflector *r, struct text piece, const char *why)
{
	char name[SHOWN_NAME_MAX];
	struct watch_too_big object = {.kind = r->kind,
		.type = type_of_broken_line(piece),
		.name = json_scan_name(piece, name, sizeof(name))};
	struct json_value root;

	if (json_parse(piece, r->watch->scratch, &root) == JSON_PARSED)
		object.value = r->state == WATCH_LIST ? root : json_get(root, "object");

	if (r->state != WATCH_FOLLOW)
		begin_list(r);
	r->stats.refused++;
	log_warn("watch", "refused", "kind=%s name=%.*s why=\"%s\" bytes=%zu", reflector_plural(r),
		TEXT_ARGS(object.name), why, piece.size);
	r->watch->sink.too_big(r->watch->sink.self, &object);
}

static bool on_brief(void *self, struct json_piece piece)
{
	too_big(self, piece.text, "too many values");
	return false;
}

/*
 * More values than one object may have are cut once more, to what says which object it is. What
 * cannot be cut, for whatever reason, is an object of which nothing is known.
 */
static void too_many(struct watch_reflector *r, struct text piece)
{
	size_t size = json_cut_size(BRIEF_PIECE_MAX);
	void *block = scratch_take(r->watch->scratch, size);
	if (block != NULL) {
		struct json_cut *cut = json_cut_init(block, size, BRIEF_PIECE_MAX);
		json_cut_start(cut, JSON_CUT_LINES, r->state == WATCH_LIST ? r->want : r->line_want,
			NULL, on_brief, r);
		json_cut_brief(cut, watch_brief);
		if (json_cut_feed(cut, piece) == JSON_CUT_STOPPED)
			return;
	}
	too_big(r, piece, "too many values");
}

void watch_tell_synced(struct watch *watch)
{
	bool any = false;

	if (watch->synced_told)
		return;
	for (uint32_t kind = 0; kind < KUBE_KINDS; kind++) {
		const struct watch_reflector *r = watch->by_kind[kind];

		if (r == NULL || r->state == WATCH_OFF)
			continue;
		if (!r->synced)
			return;
		any = true;
	}
	if (!any)
		return;
	watch->synced_told = true;
	watch->sink.synced(watch->sink.self);
}

void watch_list_told(struct watch_reflector *r)
{
	struct watch *watch = r->watch;

	begin_list(r);
	r->listing = r->whole = false;
	r->token_size = 0;
	r->stuck = r->expired = 0;
	r->synced = true;
	r->was_served = r->state != WATCH_ABSENT;
	r->doubt = false;
	r->heard = net_now(watch->net);
	r->caught_up = r->heard;
	net_backoff_reset(&r->backoff);
	if (r->was_served)
		log_info("watch", "listed", "kind=%s objects=%llu version=%.*s how=%s",
			reflector_plural(r), (unsigned long long)r->listed,
			TEXT_ARGS(reflector_version(r)),
			r->state == WATCH_LIST ? "pages" : "stream");
	watch->sink.list_end(watch->sink.self, r->kind);
	watch_tell_synced(watch);
}

/* ---- versions ---- */

static bool keep_version(struct watch_reflector *r, struct text version)
{
	if (version.size == 0 || version.size > sizeof(r->version))
		return false;
	memcpy(r->version, version.at, version.size);
	r->version_size = version.size;
	return true;
}

/* ---- pieces: each handler is false when no more of the answer is wanted ---- */

static bool on_status(struct watch_reflector *r, struct json_value root)
{
	struct kube_status status;

	if (kube_status_decode(root, &status)) {
		if (status.code == 0) /* some proxies leave it out */
			status.code = r->request.answer.status;
		watch_judge_status(r, &status);
	}
	return true;
}

static bool on_discovery(struct watch_reflector *r, struct json_value root)
{
	struct json_walk walk = json_walk(json_get(root, "resources"));

	while (json_walk_next(&walk))
		if (text_is_z(json_text(json_get(walk.value, "name")), reflector_plural(r)))
			r->complete = true;
	return true;
}

static void bookmark(struct watch_reflector *r, const struct kube_watch_line *line)
{
	bool kept = keep_version(r, line->resource_version);

	if (r->state == WATCH_STREAM) {
		if (!line->initial_events_end)
			return;
		if (!kept) {
			watch_judge(r, WATCH_ODD, "the list ends without a resource version");
			return;
		}
		r->state = WATCH_FOLLOW;
		watch_list_told(r);
	} else {
		r->bookmarks = true;
		r->caught_up = r->heard;
	}
	r->request.idle_timeout_ms = r->bookmarks ? WATCH_SILENCE_MS : 0;
}

static bool on_line(struct watch_reflector *r, struct json_value root)
{
	struct kube_watch_line line;
	struct kube_status status;

	if (!kube_watch_line_decode(root, &line)) {
		r->stats.refused++;
		return true;
	}
	if (line.type == KUBE_WATCH_ERROR) {
		if (kube_status_decode(line.object, &status))
			watch_judge_status(r, &status);
		watch_judge(r, WATCH_ODD, "an error without a status");
		return false;
	}
	if (r->state == WATCH_STREAM)
		begin_list(r);
	r->lines++;
	r->heard = net_now(r->watch->net);
	r->error[0] = '\0';
	switch (line.type) {
	case KUBE_WATCH_BOOKMARK: bookmark(r, &line); break;
	case KUBE_WATCH_ADDED:
	case KUBE_WATCH_MODIFIED:
	case KUBE_WATCH_DELETED:
		/* What a list begins with comes in no order of versions. */
		if (r->state == WATCH_FOLLOW) {
			(void)keep_version(r, line.resource_version);
			r->stuck = 0;
		}
		tell(r, line.type, line.object);
		break;
	default: r->stats.refused++; break;
	}
	return r->outcome == WATCH_FINE;
}

static void next_page(struct watch_reflector *r, struct text token)
{
	struct writer w;

	writer_init(&w, r->token, sizeof(r->token));
	write_percent_encoded(&w, token, "");
	r->token_size = w.used;
	if (!w.overflowed)
		return;
	r->token_size = 0;
	r->whole = true;
	watch_judge(r, WATCH_ODD, "a continue token of %zu bytes", token.size);
}

static bool on_envelope(struct watch_reflector *r, struct json_value root)
{
	struct kube_list_meta meta;
	struct kube_status status;

	if (kube_status_decode(root, &status)) {
		watch_judge_status(r, &status);
		return true;
	}
	kube_list_meta_decode(root, &meta);
	if (r->state == WATCH_PROBE) {
		uint64_t theirs, ours;

		r->complete = true;
		r->doubt = text_to_u64(meta.resource_version, &theirs) &&
			text_to_u64(reflector_version(r), &ours) && theirs < ours;
		return true;
	}
	begin_list(r);
	/* All pages are of one version; should that change, the oldest one loses nothing. */
	r->complete = r->token_size > 0 || keep_version(r, meta.resource_version);
	next_page(r, meta.continue_token);
	return true;
}

static bool on_item(struct watch_reflector *r, struct json_value root)
{
	if (r->state == WATCH_PROBE)
		return true;
	begin_list(r);
	tell(r, KUBE_WATCH_ADDED, root);
	return true;
}

/* ---- from bytes to pieces ---- */

typedef bool piece_fn(struct watch_reflector *r, struct json_value root);

static piece_fn *piece_handler(const struct watch_reflector *r, enum json_piece_kind kind)
{
	if (r->request.answer.status != 200)
		return on_status;
	switch (r->state) {
	case WATCH_DISCOVER: return on_discovery;
	case WATCH_STREAM:
	case WATCH_FOLLOW: return on_line;
	default: return kind == JSON_PIECE_ITEM ? on_item : on_envelope;
	}
}

static bool tells_objects(const struct watch_reflector *r)
{
	return r->request.answer.status == 200 &&
		(r->state == WATCH_STREAM || r->state == WATCH_FOLLOW || r->state == WATCH_LIST);
}

static bool on_piece(void *self, struct json_piece piece)
{
	struct watch_reflector *r = self;
	struct scratch *scratch = r->watch->scratch;
	struct scratch_mark mark = scratch_mark(scratch);
	struct json_value root;
	uint32_t turn = r->turn;
	bool more = true;

	if (piece.kind == JSON_PIECE_TOO_BIG) {
		if (tells_objects(r))
			too_big(r, piece.text, "too big or too deep, thinned as it is");
		scratch_rewind(scratch, mark);
		return r->turn == turn;
	}
	if (json_parse(piece.text, scratch, &root) == JSON_PARSED)
		more = piece_handler(r, piece.kind)(r, root);
	else if (tells_objects(r))
		too_many(r, piece.text);
	scratch_rewind(scratch, mark);
	return more && r->turn == turn;
}

static void start_cut(struct watch_reflector *r)
{
	r->cutting = true;
	if (r->request.answer.status != 200) {
		json_cut_start(r->cut, JSON_CUT_LINES, kube_status_want, NULL, on_piece, r);
		return;
	}
	switch (r->state) {
	case WATCH_DISCOVER:
		json_cut_start(r->cut, JSON_CUT_LINES, want_resources, NULL, on_piece, r);
		break;
	case WATCH_STREAM:
	case WATCH_FOLLOW:
		json_cut_start(r->cut, JSON_CUT_LINES, r->line_want, NULL, on_piece, r);
		break;
	case WATCH_PROBE:
		json_cut_start(r->cut, JSON_CUT_LIST, want_nothing, kube_list_want, on_piece, r);
		break;
	default: json_cut_start(r->cut, JSON_CUT_LIST, r->want, kube_list_want, on_piece, r); break;
	}
}

static void start_cut_briefly(struct watch_reflector *r)
{
	start_cut(r);
	json_cut_brief(r->cut, watch_brief);
}

enum net_flow watch_listen(struct net_request *request, struct text bytes)
{
	struct watch_reflector *r = LIST_OWNER(request, struct watch_reflector, request);
	uint32_t turn = r->turn;

	if (!r->cutting)
		start_cut_briefly(r);
	if (r->deaf)
		return NET_MORE;
	enum json_cut_result result = json_cut_feed(r->cut, bytes);

	if (r->turn != turn) /* the request is another one now; net knows */
		return NET_MORE;
	if (result == JSON_CUT_MORE)
		return NET_MORE;
	if (request->answer.status != 200) { /* "404 page not found" */
		r->deaf = true;
		return NET_MORE;
	}
	if (result == JSON_CUT_BROKEN)
		watch_judge(r, WATCH_ODD, "not JSON at byte %llu: %s",
			(unsigned long long)json_cut_offset(r->cut), json_cut_fault(r->cut));
	return NET_STOP;
}

bool watch_listen_end(struct watch_reflector *r)
{
	return !r->cutting || r->deaf || json_cut_end(r->cut);
}
