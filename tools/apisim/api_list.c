/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading: one object, lists, watches.
 *
 * A list is a snapshot: revisions are held and written one by one as there is room, so a list of
 * any length costs four bytes an object. A watch is a place in the history; one that is so slow
 * that the history has gone on without it is ended.
 */
#include "apisim/api_private.h"

enum {
	APISIM_BOOKMARK_S = 60,
	APISIM_LAST_BOOKMARK_S = 2, /* before the end */
	APISIM_TIMEOUT_MIN_S = 1800 /* of a watch that names none: from here to twice as much */
};

static const char expired_text[] =
	"The provided continue parameter is too old to display a consistent list result. You can "
	"start a new list without the continue parameter, or use the continue token in this "
	"response to retrieve the remainder of the results. Continuing with the provided token "
	"results in an inconsistent list - objects that were created, modified, or deleted between "
	"the time the first chunk was returned and now may show up in the list.";

void apisim_get(struct apisim_call *call)
{
	uint32_t revision = registry_find(
		&call->api->registry, call->stored, apisim_key(call, call->namespace, call->name));

	if (revision == 0)
		apisim_not_found(call, call->resource, call->name);
	else
		apisim_object(call, 200, revision);
}

/* ---- options ---- */

static void forbid(struct apisim_details *details, const char *field, const char *why)
{
	apisim_cause(details, field, "FieldValueForbidden", text_of(why));
}

static void check_watch(const struct apisim_call *call, struct apisim_details *details)
{
	bool initial = apisim_query(call, "sendInitialEvents").size > 0;
	struct text match = apisim_query(call, "resourceVersionMatch");

	if (initial && !text_is(match, TEXT("NotOlderThan")))
		forbid(details, "resourceVersionMatch",
			"Forbidden: sendInitialEvents requires setting resourceVersionMatch to "
			"NotOlderThan");
	if (initial && call->api->release < APISIM_OFFERS_STREAMING_LISTS)
		forbid(details, "sendInitialEvents",
			"Forbidden: sendInitialEvents is forbidden for watch unless the WatchList "
			"feature gate is enabled");
	if (!initial && match.size > 0)
		forbid(details, "resourceVersionMatch",
			"Forbidden: resourceVersionMatch is forbidden for watch unless "
			"sendInitialEvents is provided");
}

static void check_list(const struct apisim_call *call, struct apisim_details *details)
{
	struct text match = apisim_query(call, "resourceVersionMatch");
	struct text version = apisim_query(call, "resourceVersion");
	bool exact = text_is(match, TEXT("Exact"));

	if (match.size > 0 && version.size == 0)
		forbid(details, "resourceVersionMatch",
			"Forbidden: resourceVersionMatch is forbidden unless resourceVersion is "
			"provided");
	if (match.size > 0 && apisim_query(call, "continue").size > 0)
		forbid(details, "resourceVersionMatch",
			"Forbidden: resourceVersionMatch is forbidden when continue is provided");
	if (match.size > 0 && !exact && !text_is(match, TEXT("NotOlderThan")))
		apisim_cause(details, "resourceVersionMatch", "FieldValueNotSupported",
			TEXT("Unsupported value: supported values: \"Exact\", \"NotOlderThan\", "
			     "\"\""));
	if (exact && text_is(version, TEXT("0")))
		forbid(details, "resourceVersionMatch",
			"Forbidden: resourceVersionMatch \"exact\" is forbidden for "
			"resourceVersion \"0\"");
	if (call->api->release >= APISIM_KNOWS_STREAMING_LISTS &&
		apisim_query(call, "sendInitialEvents").size > 0)
		forbid(details, "sendInitialEvents",
			"Forbidden: sendInitialEvents is forbidden for list");
}

/* False: answered. */
static bool options_are_valid(struct apisim_call *call, enum apisim_stream_kind kind)
{
	struct apisim_details details = {.causes = 0};

	/* Releases that know no streaming lists do not tell a watch from a list here. */
	if (kind == APISIM_WATCH && call->api->release >= APISIM_KNOWS_STREAMING_LISTS) {
		check_watch(call, &details);
	} else {
		if (kind == APISIM_WATCH && apisim_query(call, "resourceVersionMatch").size > 0)
			forbid(&details, "resourceVersionMatch",
				"Forbidden: resourceVersionMatch is forbidden for watch");
		check_list(call, &details);
	}
	if (details.causes == 0)
		return true;
	apisim_invalid_of(call, TEXT("ListOptions"), TEXT("meta.k8s.io"), TEXT(""), &details);
	return false;
}

/* ---- streams ---- */

static struct apisim_stream *stream_at(struct apisim *api, uint32_t stream)
{
	CHECK(stream >= 1 && stream <= APISIM_STREAMS_MAX && api->streams[stream].taken);
	return &api->streams[stream];
}

static void drop_items(struct apisim *api, struct apisim_stream *s)
{
	if (s->items == 0)
		return;
	const uint32_t *items = store_at(&api->registry.store, s->items);
	for (uint32_t i = s->item_at; i < s->item_count; i++)
		registry_let_go(&api->registry, items[i]);
	store_give(&api->registry.store, s->items);
	s->items = 0;
}

void apisim_stream_close(struct apisim *api, uint32_t stream)
{
	struct apisim_stream *s = stream_at(api, stream);

	drop_items(api, s);
	if (s->last != 0)
		registry_let_go(&api->registry, s->last);
	if (s->line != 0)
		store_give(&api->registry.store, s->line);
	s->taken = false;
}

/* 0: all are taken. */
static uint32_t take_stream(
	struct apisim *api, enum apisim_stream_kind kind, enum resource_number resource)
{
	for (uint32_t i = 1; i <= APISIM_STREAMS_MAX; i++) {
		struct apisim_stream *s = &api->streams[i];

		if (s->taken)
			continue;
		memset(s, 0, sizeof(*s));
		s->taken = true;
		s->kind = kind;
		s->resource = resource;
		s->ends = s->bookmark = MONO_NEVER;
		return i;
	}
	return 0;
}

/* 0: answered. */
static uint32_t open_stream(struct apisim_call *call, enum apisim_stream_kind kind)
{
	uint32_t stream = take_stream(call->api, kind, call->resource);

	if (stream != 0)
		return stream;
	apisim_plain(call, 429, TEXT("Too many requests, please try again later.\n"));
	call->answer->retry_after_s = 1;
	return 0;
}

static void answer_with(struct apisim_call *call, uint32_t stream)
{
	call->answer->status = 200;
	call->answer->stream = stream;
}

/* False: answered. */
static bool select_for(struct apisim_call *call, struct apisim_stream *s)
{
	char words[256];
	struct writer fault;

	writer_init(&fault, words, sizeof(words));
	if (selection_parse(&s->selection, call->resource, call->namespace,
		    apisim_query(call, "fieldSelector"), apisim_query(call, "labelSelector"),
		    &fault))
		return true;
	apisim_bad_request(call, apisim_print(call, "%.*s", TEXT_ARGS(writer_text(&fault))));
	return false;
}

/*
 * Takes the objects that are asked for at that version, from the key on that is behind `after`,
 * at most `limit` of them (0: all). False: no room, answered.
 */
static bool take_snapshot(struct apisim_call *call, struct apisim_stream *s, uint64_t version,
	struct text after, uint64_t limit)
{
	struct registry *r = &call->api->registry;
	struct scratch *scratch = &call->api->scratch;
	uint32_t count, used = 0;
	uint32_t *all = registry_at(r, call->stored, version, scratch, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct text key = revision_key(registry_revision(r, all[i]));

		if (after.size > 0 && text_compare(key, after) <= 0)
			continue;
		if (!selection_has(&s->selection, r, all[i], scratch))
			continue;
		if (limit > 0 && used == limit)
			s->remaining++;
		else
			all[used++] = all[i];
	}
	s->list_version = version;
	s->item_count = used;
	if (used == 0)
		return true;
	for (uint32_t i = 0; i < used; i++)
		registry_hold(r, all[i]);
	s->items = registry_take(r, sizeof(uint32_t) * (size_t)used);
	if (s->items == 0) {
		for (uint32_t i = 0; i < used; i++)
			registry_let_go(r, all[i]);
		apisim_no_room(call);
		return false;
	}
	memcpy(store_at(&r->store, s->items), all, sizeof(uint32_t) * (size_t)used);
	if (s->remaining > 0) {
		s->last = all[used - 1];
		registry_hold(r, s->last);
	}
	return true;
}

/* ---- continue tokens: "v<version>/<last key>" in hexadecimal ---- */

static struct text write_token(struct apisim *api, uint64_t version, struct text key)
{
	char plain[REGISTRY_KEY_MAX + 32];
	struct writer w, out;

	writer_init(&w, plain, sizeof(plain));
	write_char(&w, 'v');
	write_u64(&w, version);
	write_char(&w, '/');
	write_text(&w, key);
	CHECK(!w.overflowed);
	char *to = scratch_take(&api->scratch, w.used * 2 + 1);
	CHECK(to != NULL);
	writer_init(&out, to, w.used * 2 + 1);
	for (size_t i = 0; i < w.used; i++)
		write_format(&out, "%02x", (unsigned)(unsigned char)plain[i]);
	return writer_text(&out);
}

static bool read_token(
	struct apisim_call *call, struct text token, uint64_t *version, struct text *key)
{
	char *to = scratch_take(&call->api->scratch, token.size / 2 + 1);
	size_t used = 0;

	CHECK(to != NULL);
	for (size_t i = 0; i + 1 < token.size; i += 2) {
		unsigned byte = 0;

		for (size_t k = 0; k < 2; k++) {
			char c = token.at[i + k];

			if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
				return false;
			byte = byte * 16 + (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
		}
		to[used++] = (char)byte;
	}
	struct text plain = {to, used};
	size_t slash = text_find(plain, '/');
	if (slash == used || to[0] != 'v' || token.size % 2 != 0)
		return false;
	*key = text_from(plain, slash + 1);
	return text_to_u64(text_from(text_first(plain, slash), 1), version);
}

/* ---- versions ---- */

/* False: answered. An absent one is 0. */
static bool version_asked(struct apisim_call *call, uint64_t *version, bool *said)
{
	struct text asked = apisim_query(call, "resourceVersion");

	*version = 0;
	*said = asked.size > 0;
	if (!*said || text_to_u64(asked, version))
		return true;
	struct text what = apisim_print(call,
		"resourceVersion: Invalid value: \"%.*s\": strconv.ParseUint: parsing "
		"\"%.*s\": invalid syntax",
		TEXT_ARGS(asked), TEXT_ARGS(asked));
	/* Seen at 1.20 and at 1.37. */
	if (call->api->release < 37)
		apisim_unknown(call, what);
	else
		apisim_bad_request(call,
			apisim_print(call, "invalid resource version: %.*s", TEXT_ARGS(what)));
	return false;
}

static void too_new(struct apisim_call *call, uint64_t asked)
{
	struct apisim_details details = {.retry_after_s = 1};

	apisim_cause(&details, NULL, "ResourceVersionTooLarge", TEXT("Too large resource version"));
	apisim_status(call, 504, "Timeout", &details,
		apisim_print(call, "Too large resource version: %llu, current: %llu",
			(unsigned long long)asked,
			(unsigned long long)call->api->registry.version));
	call->answer->retry_after_s = 1;
}

/* ---- list ---- */

/* False: answered. */
static bool place_of_list(struct apisim_call *call, uint64_t *version, struct text *after)
{
	const struct registry *r = &call->api->registry;
	struct text token = apisim_query(call, "continue");
	struct text match = apisim_query(call, "resourceVersionMatch");
	uint64_t asked;
	bool said;

	*version = r->version;
	*after = TEXT("");
	if (!version_asked(call, &asked, &said))
		return false;
	if (token.size > 0) {
		if (!read_token(call, token, version, after)) {
			apisim_bad_request(call, TEXT("continue key is not valid: illegal token"));
			return false;
		}
		if (said && asked != 0)
			apisim_violates(call, "resourceVersion with continue");
	} else if (asked > r->version) {
		too_new(call, asked);
		return false;
	} else if (text_is(match, TEXT("Exact"))) {
		*version = asked;
	}
	if (*version > r->version || *version + 1 >= r->oldest)
		return true;
	apisim_status(call, 410, "Expired", NULL,
		token.size > 0 ? text_of(expired_text)
			       : TEXT("The resourceVersion for the provided list is too old."));
	return false;
}

void apisim_list(struct apisim_call *call)
{
	struct apisim *api = call->api;
	struct text limit_text = apisim_query(call, "limit");
	uint64_t limit = 0, version;
	struct text after;

	apisim_count(call, &api->counts.lists);
	if (!options_are_valid(call, APISIM_LIST))
		return;
	if (limit_text.size > 0 && !text_to_u64(limit_text, &limit)) {
		apisim_bad_request(call, TEXT("limit: invalid syntax"));
		return;
	}
	if (!place_of_list(call, &version, &after))
		return;
	uint32_t stream = open_stream(call, APISIM_LIST);
	if (stream == 0)
		return;
	struct apisim_stream *s = stream_at(api, stream);
	s->head_due = s->tail_due = true;
	if (!select_for(call, s) || !take_snapshot(call, s, version, after, limit))
		apisim_stream_close(api, stream);
	else
		answer_with(call, stream);
}

/* ---- watch ---- */

static bool set_line(struct apisim *api, struct apisim_stream *s, struct text line)
{
	CHECK(s->line == 0);
	s->line = registry_take(&api->registry, line.size);
	if (s->line == 0)
		return false;
	memcpy(store_at(&api->registry.store, s->line), line.at, line.size);
	s->line_size = (uint32_t)line.size;
	s->line_at = 0;
	return true;
}

/* {"type":T,"object":O}, a line. */
static struct text event_line(struct apisim *api, const char *type, struct text object)
{
	size_t room = object.size + 64;
	char *to = scratch_take(&api->scratch, room);
	struct writer w;

	CHECK(to != NULL);
	writer_init(&w, to, room);
	write_format(&w, "{\"type\":\"%s\",\"object\":", type);
	write_text(&w, object);
	write_z(&w, "}\n");
	CHECK(!w.overflowed);
	return writer_text(&w);
}

static bool set_error(struct apisim *api, struct apisim_stream *s, int status, const char *reason,
	struct text message)
{
	char object[512];
	struct writer w;
	struct json_writer j;

	writer_init(&w, object, sizeof(object));
	json_write_init(&j, &w);
	apisim_write_status_object(&j, status, reason, NULL, message);
	CHECK(!w.overflowed);
	s->last_words = true;
	return set_line(api, s, event_line(api, "ERROR", writer_text(&w)));
}

/* What a watch begins with. False: answered, or nothing of it can be kept. */
static bool begin_watch(struct apisim_call *call, struct apisim_stream *s)
{
	struct registry *r = &call->api->registry;
	bool initial = apisim_query_true(call, "sendInitialEvents"), said;
	uint64_t asked;

	if (!version_asked(call, &asked, &said))
		return false;
	if (initial && call->api->release < APISIM_KNOWS_STREAMING_LISTS)
		initial = false;
	if (initial && !call->api->streaming_lists)
		return set_error(call->api, s, 500, "InternalError",
			TEXT("a watch stream was requested by the client but the required storage "
			     "feature RequestWatchProgress is disabled"));
	if (initial && asked > r->version) {
		too_new(call, asked);
		return false;
	}
	if (initial || asked == 0) {
		s->next = r->version + 1;
		s->initial_end_due = initial;
		return take_snapshot(call, s, r->version, TEXT(""), 0);
	}
	s->next = asked + 1;
	if (s->next >= r->oldest)
		return true;
	return set_error(call->api, s, 410, "Expired",
		apisim_print(call, "too old resource version: %llu (%llu)",
			(unsigned long long)asked, (unsigned long long)(r->oldest - 1)));
}

static void set_times(struct apisim_call *call, struct apisim_stream *s)
{
	struct apisim *api = call->api;
	struct mono now = clock_mono(&api->clock);
	uint64_t seconds = 0;
	struct text asked = apisim_query(call, "timeoutSeconds");

	if (asked.size > 0 && !text_to_u64(asked, &seconds))
		apisim_violates(call, "timeoutSeconds=%.*s", TEXT_ARGS(asked));
	if (seconds == 0 || seconds > 24 * 3600)
		seconds = APISIM_TIMEOUT_MIN_S + random_below(&api->random, APISIM_TIMEOUT_MIN_S);
	s->ends = mono_after_ms(now, (int64_t)seconds * 1000);
	if (!s->bookmarks)
		return;
	s->bookmark = mono_after_ms(now, APISIM_BOOKMARK_S * 1000);
	if (s->bookmark.us > s->ends.us - APISIM_LAST_BOOKMARK_S * CLOCK_S_US)
		s->bookmark.us = s->ends.us - APISIM_LAST_BOOKMARK_S * CLOCK_S_US;
	if (s->bookmark.us < now.us)
		s->bookmark = now;
}

void apisim_watch(struct apisim_call *call)
{
	struct apisim *api = call->api;
	uint32_t stream;

	apisim_count(call, &api->counts.watches);
	if (!options_are_valid(call, APISIM_WATCH))
		return;
	stream = open_stream(call, APISIM_WATCH);
	if (stream == 0)
		return;
	struct apisim_stream *s = stream_at(api, stream);
	s->bookmarks = apisim_query_true(call, "allowWatchBookmarks");
	if (apisim_query(call, "limit").size > 0)
		apisim_violates(call, "a watch with a limit");
	if (!select_for(call, s) || !begin_watch(call, s)) {
		apisim_stream_close(api, stream);
		return;
	}
	set_times(call, s);
	answer_with(call, stream);
}

/* ---- what a stream says next ---- */

static struct text list_head(struct apisim *api, const struct apisim_stream *s)
{
	struct text token = TEXT("");
	struct writer w;

	if (s->remaining > 0)
		token = write_token(api, s->list_version,
			revision_key(registry_revision(&api->registry, s->last)));
	size_t room = token.size + APISIM_LINE_HEAD_MAX;
	char *to = scratch_take(&api->scratch, room);
	CHECK(to != NULL);
	writer_init(&w, to, room);
	write_format(&w, "{\"kind\":\"%sList\",\"apiVersion\":\"", resources[s->resource].kind);
	resource_api_version(s->resource, &w);
	write_format(&w, "\",\"metadata\":{\"resourceVersion\":\"%llu\"",
		(unsigned long long)s->list_version);
	if (token.size > 0)
		write_format(&w, ",\"continue\":\"%.*s\"", TEXT_ARGS(token));
	/* The apiserver does not count what a selector would have to look at. */
	if (token.size > 0 && s->selection.count == 0)
		write_format(&w, ",\"remainingItemCount\":%llu", (unsigned long long)s->remaining);
	write_z(&w, "},\"items\":[");
	CHECK(!w.overflowed);
	return writer_text(&w);
}

static uint32_t next_item(struct apisim *api, struct apisim_stream *s)
{
	if (s->item_at == s->item_count)
		return 0;
	return ((const uint32_t *)store_at(&api->registry.store, s->items))[s->item_at];
}

static void item_done(struct apisim *api, struct apisim_stream *s, uint32_t revision)
{
	s->item_at++;
	registry_let_go(&api->registry, revision);
	if (s->item_at == s->item_count)
		drop_items(api, s);
}

/* TEXT_NONE: that was all. */
static struct text list_line(struct apisim *api, struct apisim_stream *s)
{
	uint32_t item = next_item(api, s);

	if (s->head_due) {
		s->head_due = false;
		return list_head(api, s);
	}
	if (item != 0) {
		struct text json = apisim_render(api, s->resource, item, false, 0);
		bool first = s->item_at == 0;
		char *line = scratch_take(&api->scratch, json.size + 1);

		CHECK(line != NULL);
		line[0] = ',';
		memcpy(line + 1, json.at, json.size);
		item_done(api, s, item);
		return (struct text){line + first, json.size + 1 - first};
	}
	if (!s->tail_due)
		return TEXT_NONE;
	s->tail_due = false;
	return TEXT("]}\n");
}

static struct text bookmark_line(
	struct apisim *api, const struct apisim_stream *s, bool initial_end)
{
	char object[1024];
	struct writer w;

	writer_init(&w, object, sizeof(object));
	write_format(&w, "{\"kind\":\"%s\",\"apiVersion\":\"", resources[s->resource].kind);
	resource_api_version(s->resource, &w);
	write_format(&w, "\",\"metadata\":{\"resourceVersion\":\"%llu\"%s}%s}",
		(unsigned long long)(s->next - 1),
		initial_end ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "",
		resources[s->resource].bookmark);
	CHECK(!w.overflowed);
	return event_line(api, "BOOKMARK", writer_text(&w));
}

/* The next change that concerns the stream, or TEXT_NONE when there is none. */
static struct text change_line(struct apisim *api, struct apisim_stream *s)
{
	struct registry *r = &api->registry;
	enum resource_number stored = resource_stored(s->resource);

	for (; s->next <= r->version; s->next++) {
		const struct registry_change *change = registry_change(r, s->next);
		bool before, after;

		CHECK(change != NULL);
		if (change->resource != stored)
			continue;
		before = change->before != 0 &&
			selection_has(&s->selection, r, change->before, &api->scratch);
		after = !change->deleted &&
			selection_has(&s->selection, r, change->after, &api->scratch);
		if (!before && !after)
			continue;
		s->next++;
		if (after)
			return event_line(api, before ? "MODIFIED" : "ADDED",
				apisim_render(api, s->resource, change->after, true, 0));
		/* What left the selection is shown as it was, with the version of leaving. */
		return event_line(api, "DELETED",
			apisim_render(api, s->resource,
				change->deleted ? change->after : change->before, true,
				change->version));
	}
	return TEXT_NONE;
}

static struct text watch_line(struct apisim *api, struct apisim_stream *s)
{
	struct mono now = clock_mono(&api->clock);
	uint32_t item = next_item(api, s);
	struct text line;

	if (item != 0) {
		line = event_line(api, "ADDED", apisim_render(api, s->resource, item, true, 0));
		item_done(api, s, item);
		return line;
	}
	if (s->initial_end_due) {
		/* It speaks of the snapshot; changes since then have yet to be told. */
		line = bookmark_line(api, s, true);
		s->initial_end_due = false;
		return line;
	}
	if (s->next < api->registry.oldest) {
		s->last_words = true;
		return TEXT_NONE;
	}
	line = change_line(api, s);
	if (line.at != NULL)
		return line;
	if (mono_reached(now, s->bookmark)) {
		int64_t last = s->ends.us - APISIM_LAST_BOOKMARK_S * CLOCK_S_US;
		bool again = s->bookmark.us < last;

		s->bookmark.us += APISIM_BOOKMARK_S * CLOCK_S_US;
		if (s->bookmark.us > last)
			s->bookmark = again ? (struct mono){last} : MONO_NEVER;
		return bookmark_line(api, s, false);
	}
	if (mono_reached(now, s->ends))
		s->last_words = true;
	return TEXT_NONE;
}

enum apisim_stream_result apisim_stream_read(
	struct apisim *api, uint32_t stream, struct writer *out)
{
	struct apisim_stream *s = stream_at(api, stream);

	for (;;) {
		if (s->line != 0) {
			const char *line = store_at(&api->registry.store, s->line);
			size_t more = s->line_size - s->line_at, room = out->size - out->used;

			more = more < room ? more : room;
			write_bytes(out, line + s->line_at, more);
			s->line_at += (uint32_t)more;
			if (s->line_at < s->line_size)
				return APISIM_STREAM_MORE;
			store_give(&api->registry.store, s->line);
			s->line = 0;
		}
		if (s->last_words) {
			apisim_stream_close(api, stream);
			return APISIM_STREAM_ENDED;
		}
		struct scratch_mark mark = scratch_mark(&api->scratch);
		struct text line = s->kind == APISIM_LIST ? list_line(api, s) : watch_line(api, s);
		bool kept = line.at != NULL && set_line(api, s, line);
		scratch_rewind(&api->scratch, mark);
		if (line.at == NULL && s->kind == APISIM_WATCH && !s->last_words)
			return APISIM_STREAM_WAITS;
		/* A line that there is no room for ends the stream, as a crash would. */
		if (!kept)
			s->last_words = true;
	}
}

uint32_t apisim_keep(struct apisim *api, struct text text)
{
	uint32_t stream = take_stream(api, APISIM_LIST, RESOURCE_NONE);

	if (stream == 0)
		return 0;
	api->streams[stream].last_words = true;
	if (set_line(api, &api->streams[stream], text))
		return stream;
	apisim_stream_close(api, stream);
	return 0;
}

bool apisim_stream_has_news(const struct apisim *api, uint32_t stream)
{
	const struct apisim_stream *s = &api->streams[stream];
	struct mono now = clock_mono(&api->clock);

	return s->line != 0 || s->kind == APISIM_LIST || s->items != 0 || s->initial_end_due ||
		s->last_words || s->next <= api->registry.version ||
		mono_reached(now, s->bookmark) || mono_reached(now, s->ends);
}

struct mono apisim_stream_next(const struct apisim *api, uint32_t stream)
{
	CHECK(stream >= 1 && stream <= APISIM_STREAMS_MAX && api->streams[stream].taken);
	const struct apisim_stream *s = &api->streams[stream];
	return s->ends.us < s->bookmark.us ? s->ends : s->bookmark;
}
