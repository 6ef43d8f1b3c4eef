/* SPDX-License-Identifier: GPL-2.0-only */
/* HTTP in front of the API. */
#include "apisim/face.h"

enum { FACE_PART = 16 * 1024, FACE_ANSWER_ROOM = 48 * 1024 };

/* ---- answers ---- */

static void over(struct face *face, struct net_exchange *e)
{
	face->watchers[e->index].stream = 0;
}

static void pump(struct net_exchange *e)
{
	struct face *face = e->self;
	char part[FACE_PART];

	face->watchers[e->index].has_room = false;
	for (;;) {
		uint32_t stream = face->watchers[e->index].stream;
		size_t room = net_exchange_room(e);
		struct writer w;

		if (stream == 0)
			return;
		if (room == 0) {
			net_exchange_want_room(e);
			return;
		}
		writer_init(&w, part, room < sizeof(part) ? room : sizeof(part));
		enum apisim_stream_result result = apisim_stream_read(face->api, stream, &w);
		if (w.used > 0)
			CHECK(net_exchange_write(e, writer_text(&w)) == w.used);
		if (result == APISIM_STREAM_WAITS) {
			face->watchers[e->index].has_room = true;
			return;
		}
		if (result == APISIM_STREAM_ENDED) {
			over(face, e);
			net_exchange_finish(e);
			return;
		}
	}
}

static void on_done(struct net_exchange *e, bool complete)
{
	struct face *face = e->self;
	uint32_t stream = face->watchers[e->index].stream;

	(void)complete;
	if (stream != 0)
		apisim_stream_close(face->api, stream);
	over(face, e);
	face->watchers[e->index].exchange = NULL;
}

static void answer(struct net_exchange *e, const struct apisim_answer *from)
{
	struct face *face = e->self;
	char line[64];
	struct writer w;
	struct net_head head = {.status = (uint16_t)from->status,
		.content_type = from->content_type,
		.size = from->body.size};

	writer_init(&w, line, sizeof(line));
	if (from->retry_after_s > 0)
		write_format(&w, "Retry-After: %u\r\n", (unsigned)from->retry_after_s);
	head.headers = writer_text(&w);
	face->watchers[e->index].exchange = e;
	face->watchers[e->index].stream = 0;
	face->top = e->index < face->top ? face->top : e->index + 1;
	e->on_done = on_done;
	if (from->stream == 0 && from->body.size <= NET_REPLY_COPIED) {
		net_exchange_reply(e, &head, from->body);
		return;
	}
	uint32_t stream = from->stream;
	if (stream == 0)
		stream = apisim_keep(face->api, from->body);
	else
		head.size = NET_SIZE_UNKNOWN;
	if (stream == 0) {
		net_exchange_reply(e, &(struct net_head){.status = 503}, TEXT_NONE);
		return;
	}
	face->watchers[e->index].stream = stream;
	e->on_room = pump;
	net_exchange_begin(e, &head);
}

/* ---- requests ---- */

static void on_request(struct net_exchange *e)
{
	static const char *const methods[] = {
		"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"};
	struct face *face = e->self;
	struct apisim_request request = {.method = text_of(methods[e->method]),
		.path = e->path,
		.query = e->query,
		.content_type = net_exchange_header(e, "content-type", 0),
		.accept = net_exchange_header(e, "accept", 0),
		.authorization = net_exchange_header(e, "authorization", 0),
		.user_agent = net_exchange_header(e, "user-agent", 0),
		.body = e->body};
	struct apisim_answer from;

	if (face->ask != NULL)
		face->ask(face->self, face->api, &request, &from);
	else
		apisim_ask(face->api, &request, &from);
	answer(e, &from);
}

/* ---- */

static struct net_server_setup server_setup(const struct face_setup *setup)
{
	CHECK(setup->connections_max <= FACE_EXCHANGES_MAX);
	return (struct net_server_setup){.name = "apisim",
		.address = setup->address,
		.https = setup->certificate.at != NULL,
		.certificate = setup->certificate,
		.key = setup->key,
		.connections_max = setup->connections_max,
		.body_room = setup->body_room == 0 ? FACE_BODY_ROOM : setup->body_room,
		.answer_room = FACE_ANSWER_ROOM,
		.on_request = on_request};
}

uint32_t face_streams(const struct face_setup *setup)
{
	struct net_server_setup server = server_setup(setup);

	return net_server_streams(&server);
}

size_t face_size(const struct face_setup *setup)
{
	struct net_server_setup server = server_setup(setup);

	return sizeof(struct face) + 64 + net_server_size(&server);
}

struct face *face_open(struct apisim *api, struct net *net, struct arena *arena,
	const struct face_setup *setup, struct writer *fault)
{
	struct face *face = ARENA_ARRAY(arena, struct face, 1);
	struct net_server_setup server = server_setup(setup);

	face->api = api;
	face->net = net;
	face->ask = setup->ask;
	face->self = setup->self;
	server.self = face;
	face->server = net_server_open(net, arena, &server, fault);
	return face->server == NULL ? NULL : face;
}

bool face_turn(struct face *face)
{
	bool any = false;

	for (uint32_t i = 0; i < face->top; i++)
		if (face->watchers[i].exchange != NULL && face->watchers[i].stream != 0 &&
			face->watchers[i].has_room &&
			apisim_stream_has_news(face->api, face->watchers[i].stream)) {
			pump(face->watchers[i].exchange);
			any = true;
		}
	return any;
}

struct mono face_next(const struct face *face)
{
	struct mono next = MONO_NEVER;

	/* Who does not read is waited for. */
	for (uint32_t i = 0; i < face->top; i++) {
		if (face->watchers[i].exchange == NULL || face->watchers[i].stream == 0 ||
			!face->watchers[i].has_room)
			continue;
		struct mono due = apisim_stream_next(face->api, face->watchers[i].stream);
		next = due.us < next.us ? due : next;
	}
	return next;
}

uint16_t face_port(const struct face *face)
{
	return net_server_port(face->server);
}

void face_close(struct face *face)
{
	net_server_close(face->server);
}
