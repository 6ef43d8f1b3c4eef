/* SPDX-License-Identifier: GPL-2.0-only */
/* A small apiserver with a bad character. */
#include "watch/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

enum { MODEL_FIRST_VERSION = 100, MODEL_BODY_MAX = 64 * 1024 };

static const char *const plurals[MODEL_KINDS] = {"pods", "nodes"};

static uint32_t below(struct model *m, uint32_t bound)
{
	return random_below(&m->random, bound);
}

static uint64_t now_version(const struct model *m)
{
	return MODEL_FIRST_VERSION + m->changes;
}

/* ---- objects ---- */

void model_change(struct model *m)
{
	struct model_change *change = &m->log[m->changes];

	TEST_ASSERT_TRUE(m->changes < MODEL_LOG);
	change->kind = (uint8_t)below(m, MODEL_KINDS);
	change->name = (uint8_t)below(m, MODEL_NAMES);
	change->deleted = m->picture[change->kind][change->name] && below(m, 3) == 0;
	m->changes++;
	change->version = now_version(m);
	m->picture[change->kind][change->name] = !change->deleted;
	m->versions[change->kind][change->name] = change->version;
}

void model_compact(struct model *m)
{
	m->compacted = now_version(m);
}

static void write_object(struct writer *w, uint32_t kind, uint32_t name, uint64_t version)
{
	write_format(w,
		"{\"kind\":\"%s\",\"metadata\":{\"name\":\"%s-%u\",%s\"resourceVersion\":\"%llu\","
		"\"managedFields\":[{\"f\":\"\\u00e9 }{\"}]},\"spec\":{}}",
		kind == 0 ? "Pod" : "Node", plurals[kind], (unsigned)name,
		kind == 0 ? "\"namespace\":\"d\"," : "", (unsigned long long)version);
}

/* The version of the object as it was then; 0: it was not there. */
static uint64_t version_then(const struct model *m, uint32_t kind, uint32_t name, uint64_t then)
{
	uint64_t version = 0;

	for (uint32_t i = 0; i < m->changes && m->log[i].version <= then; i++)
		if (m->log[i].kind == kind && m->log[i].name == name)
			version = m->log[i].deleted ? 0 : m->log[i].version;
	return version;
}

/* ---- requests ---- */

/* The number behind `key`, or `otherwise`. */
static uint64_t parameter(const char *path, const char *key, uint64_t otherwise)
{
	const char *at = strstr(path, key);

	return at == NULL ? otherwise : strtoull(at + strlen(key), NULL, 10);
}

static void expired(struct model *m, struct fake_server *wire, uint32_t stream)
{
	m->expired++;
	fake_server_reply(wire, stream, 410, "",
		TEXT("{\"kind\":\"Status\",\"reason\":\"Expired\",\"code\":410}"));
}

static void answer_list(
	struct model *m, struct fake_server *wire, uint32_t stream, const char *path, uint32_t kind)
{
	static char body[MODEL_BODY_MAX];
	struct writer w;
	uint64_t version = parameter(path, "continue=", now_version(m));
	const char *from_at = strstr(path, "_from_");
	uint32_t name = from_at == NULL ? 0 : (uint32_t)strtoul(from_at + 6, NULL, 10);
	bool paged = strstr(path, "limit=") != NULL;
	uint32_t count = 0;

	m->lists++;
	if (version < m->compacted) {
		expired(m, wire, stream);
		return;
	}
	writer_init(&w, body, sizeof(body));
	write_z(&w, "{\"items\":[");
	for (; name < MODEL_NAMES && (!paged || count < MODEL_PAGE); name++) {
		uint64_t then = version_then(m, kind, name, version);

		if (then == 0)
			continue;
		if (count++ > 0)
			write_char(&w, ',');
		write_object(&w, kind, name, then);
	}
	write_format(
		&w, "],\"metadata\":{\"resourceVersion\":\"%llu\"", (unsigned long long)version);
	if (name < MODEL_NAMES)
		write_format(&w, ",\"continue\":\"%llu_from_%u\"", (unsigned long long)version,
			(unsigned)name);
	write_z(&w, "}}");
	TEST_ASSERT_FALSE(w.overflowed);
	fake_server_reply(wire, stream, 200, "", writer_text(&w));
}

static void send_line(struct fake_server *wire, uint32_t stream, const char *type, uint32_t kind,
	uint32_t name, uint64_t version)
{
	char line[512];
	struct writer w;

	writer_init(&w, line, sizeof(line));
	write_format(&w, "{\"type\":\"%s\",\"object\":", type);
	write_object(&w, kind, name, version);
	write_z(&w, "}\n");
	TEST_ASSERT_FALSE(w.overflowed);
	/* Chunks know nothing of lines. */
	size_t cut = (size_t)(version * 37 + name) % w.used;
	if (cut > 0)
		fake_server_chunk(wire, stream, (struct text){line, cut});
	fake_server_chunk(wire, stream, (struct text){line + cut, w.used - cut});
}

static void send_bookmark(
	struct fake_server *wire, uint32_t stream, uint64_t version, bool initial_end)
{
	char line[256];

	snprintf(line, sizeof(line),
		"{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"%llu\"%s}}}"
		"\n",
		(unsigned long long)version,
		initial_end ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "");
	fake_server_chunk(wire, stream, text_of(line));
}

static void answer_watch(
	struct model *m, struct fake_server *wire, uint32_t stream, const char *path, uint32_t kind)
{
	bool list = strstr(path, "sendInitialEvents=true") != NULL;
	struct model_stream *s = &m->streams[stream];
	uint64_t seconds = parameter(path, "timeoutSeconds=", 60);

	m->watches++;
	if (list && !m->streams_lists) {
		fake_server_reply(
			wire, stream, 422, "", TEXT("{\"kind\":\"Status\",\"code\":422}"));
		return;
	}
	*s = (struct model_stream){.watching = true,
		.kind = (uint8_t)kind,
		.since = list ? now_version(m) : parameter(path, "&resourceVersion=", 0),
		.ends_us = wire->network.now_us +
			(int64_t)(m->closes_early ? 30 : seconds) * CLOCK_S_US,
		.bookmark_us = wire->network.now_us + 60 * CLOCK_S_US};
	if (!list && s->since < m->compacted) {
		s->watching = false;
		if (below(m, 2) == 0) {
			expired(m, wire, stream);
			return;
		}
		m->expired++;
		fake_server_open(wire, stream);
		fake_server_chunk(wire, stream,
			TEXT("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"message\":"
			     "\"too old resource version: 5 (232)\",\"reason\":\"Expired\","
			     "\"code\":410}}\n"));
		fake_server_finish(wire, stream);
		return;
	}
	fake_server_open(wire, stream);
	for (uint32_t name = 0; list && name < MODEL_NAMES; name++)
		if (m->picture[kind][name])
			send_line(wire, stream, "ADDED", kind, name, m->versions[kind][name]);
	if (list)
		send_bookmark(wire, stream, s->since, true);
}

/* True when the answer is a fault of its own. */
static bool answer_badly(struct model *m, struct fake_server *wire, uint32_t stream)
{
	static const int codes[] = {429, 500, 502, 503, 504, 401, 403, 400, 404};

	if (below(m, 100) >= m->fault_percent)
		return false;
	m->faults++;
	switch (below(m, 6)) {
	case 0:
		fake_server_reply(wire, stream, codes[below(m, ARRAY_COUNT(codes))],
			below(m, 2) == 0 ? "Retry-After: 1\r\n" : "", TEXT("no"));
		return true;
	case 1: fake_server_send_z(wire, stream, "no HTTP\r\n\r\n"); return true;
	case 2:
		fake_server_open(wire, stream);
		fake_server_chunk(wire, stream, TEXT("{\"type\":\"ADDED\",\"object\":{\"a\": }}"));
		fake_server_finish(wire, stream);
		return true;
	case 3: fake_server_cut(wire, stream); return true;
	default:
		/* A good answer, but only so many bytes of it. */
		wire->streams[stream].cut_after = below(m, 4000);
		return false;
	}
}

static void answer(void *self, struct fake_server *wire, const struct fake_request *request)
{
	uint32_t stream = request->stream;
	struct model *m = self;
	char path[FAKE_REQUEST_MAX];

	TEST_ASSERT_TRUE(text_copy(request->path, path, sizeof(path)));
	uint32_t kind = strstr(path, "/pods?") != NULL ? 0 : 1;
	m->streams[stream].watching = false;
	if (answer_badly(m, wire, stream))
		return;
	if (strchr(path, '?') == NULL)
		fake_server_reply(wire, stream, 200, "",
			TEXT("{\"resources\":[{\"name\":\"pods\"},{\"name\":\"nodes\"}]}"));
	else if (strstr(path, "watch=true") != NULL)
		answer_watch(m, wire, stream, path, kind);
	else
		answer_list(m, wire, stream, path, kind);
}

/* ---- what open watches are told ---- */

static void tell_changes(struct model *m, struct fake_server *wire, uint32_t stream)
{
	struct model_stream *s = &m->streams[stream];
	uint32_t i =
		s->since < MODEL_FIRST_VERSION ? 0 : (uint32_t)(s->since - MODEL_FIRST_VERSION);

	for (; i < m->changes; i++) {
		const struct model_change *change = &m->log[i];

		if (change->kind != s->kind)
			continue;
		bool there = version_then(m, change->kind, change->name, change->version - 1) != 0;
		send_line(wire, stream,
			change->deleted ? "DELETED"
				: there ? "MODIFIED"
					: "ADDED",
			change->kind, change->name, change->version);
	}
	s->since = now_version(m);
}

static int64_t pump(void *self, struct fake_server *wire)
{
	struct model *m = self;
	int64_t next = INT64_MAX;

	for (uint32_t i = 1; i <= FAKE_STREAMS; i++) {
		struct model_stream *s = &m->streams[i];

		if (!s->watching || !wire->streams[i].taken)
			continue;
		tell_changes(m, wire, i);
		if (wire->network.now_us >= s->bookmark_us) {
			s->bookmark_us += 60 * CLOCK_S_US;
			send_bookmark(wire, i, now_version(m), false);
		}
		if (wire->network.now_us >= s->ends_us) {
			s->watching = false;
			fake_server_finish(wire, i);
			continue;
		}
		next = s->ends_us < next ? s->ends_us : next;
		next = s->bookmark_us < next ? s->bookmark_us : next;
	}
	return next;
}

static void closed(void *self, struct fake_server *wire, uint32_t stream)
{
	struct model *m = self;

	(void)wire;
	m->streams[stream].watching = false;
}

/* ---- */

void model_init(struct model *m, struct bed *bed, uint64_t seed)
{
	memset(m, 0, sizeof(*m));
	m->bed = bed;
	random_init(&m->random, seed);
	bed->wire.answer = answer;
	bed->wire.pump = pump;
	bed->wire.closed = closed;
	bed->wire.self = m;
}

void model_compare(const struct model *m, struct bed *bed)
{
	uint32_t count = 0;

	for (uint32_t kind = 0; kind < MODEL_KINDS; kind++) {
		for (uint32_t name = 0; name < MODEL_NAMES; name++) {
			char text[BED_NAME_MAX];

			snprintf(text, sizeof(text), "%s %s%s-%u", plurals[kind],
				kind == 0 ? "d/" : "", plurals[kind], (unsigned)name);
			const struct bed_object *object = bed_find(bed, text);
			TEST_ASSERT_EQUAL_INT_MESSAGE(m->picture[kind][name], object != NULL, text);
			if (object == NULL)
				continue;
			TEST_ASSERT_EQUAL_UINT64_MESSAGE(
				m->versions[kind][name], object->version, text);
			count++;
		}
	}
	TEST_ASSERT_EQUAL_UINT32(count, bed->count);
}
