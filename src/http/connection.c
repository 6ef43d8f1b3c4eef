/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connection: from closed to a request answered, one step per state. A step does what the bytes
 * allow and says what it waits for; the driver below turns that into the next call.
 */
#include <string.h>

#include "base/trace.h"
#include "http/client_private.h"

enum want {
	WANT_BYTES, /* or time: nothing more to do in this turn */
	WANT_STEP   /* the state changed: step again */
};

static struct mono now_of(const struct net_connection *connection)
{
	return net_now(connection->client->net);
}

static void set_due(struct net_connection *connection, int64_t ms)
{
	connection->due = mono_after_ms(now_of(connection), ms);
}

static int64_t connect_timeout_ms(const struct net_connection *connection)
{
	int64_t ms = connection->client->target.connect_timeout_ms;

	return ms > 0 ? ms : CONNECT_TIMEOUT_MS;
}

void connection_close(struct net_connection *connection)
{
	/* Others may wait for their handshake. */
	if (connection->state == CONNECTION_SHAKING || connection->state == CONNECTION_TUNNELLING)
		net_wake(connection->client->net);
	stream_close(&connection->stream);
	tunnel_close(connection);
	connection->state = CONNECTION_CLOSED;
	connection->stale = connection->reused = connection->again = false;
	connection->due = MONO_NEVER;
	if (connection->request != NULL) {
		connection->request->connection = 0;
		connection->request = NULL;
	}
}

/* ---- opening ---- */

static void open_stream(struct net_connection *connection)
{
	struct net_client *client = connection->client;
	const struct net_bytes *bytes = net_bytes(client->net);

	CHECK(connection->address < client->resolve.count);
	client->stats.connects++;
	connection->state = CONNECTION_OPENING;
	stream_open(tunnel_way(connection), bytes,
		bytes->open(bytes->self, NET_STREAM_TCP,
			&client->resolve.addresses[connection->address]));
	set_due(connection, connect_timeout_ms(connection));
	client->member.dirty = true;
}

void connection_open(struct net_connection *connection)
{
	CHECK(connection->state == CONNECTION_CLOSED);
	CHECK(!stream_is_open(&connection->stream) && !stream_is_open(tunnel_way(connection)));
	connection->tried = 0;
	connection->address = connection->client->good_address % connection->client->resolve.count;
	open_stream(connection);
}

/* The next address, or the end of this attempt. A server that refuses us does so everywhere. */
static enum want opening_failed(
	struct net_connection *connection, enum net_result result, const char *fault)
{
	struct net_client *client = connection->client;
	char kept[TLS_FAULT_MAX];
	uint32_t tried = connection->tried + 1, address = connection->address;

	fault_copy(kept, sizeof(kept), fault);
	client->stats.connect_failures++;
	connection_close(connection);
	connection->tried = tried;
	if (tried < client->resolve.count && result != NET_TLS_FAILED) {
		connection->address = (address + 1) % client->resolve.count;
		open_stream(connection);
		return WANT_BYTES;
	}
	connection->address = address;
	client_not_opened(client, connection, result, kept);
	return WANT_BYTES;
}

static enum want opened(struct net_connection *connection)
{
	connection->state = CONNECTION_IDLE;
	set_due(connection, IDLE_MAX_MS);
	client_opened(connection->client, connection);
	return WANT_STEP;
}

static enum want way_is_open(struct net_connection *connection)
{
	if (!credentials_are_secured(&connection->client->credentials))
		return opened(connection);
	connection->state = CONNECTION_QUEUEING;
	connection->yields_until = now_of(connection);
	if (connection->for_watch)
		connection->yields_until = mono_after_ms(now_of(connection),
			PATIENCE_OF_WATCHES * client_patience_ms(connection->client));
	return WANT_STEP;
}

static enum want step_opening(struct net_connection *connection)
{
	struct tls_stream *way = tunnel_way(connection);

	switch (stream_state(way)) {
	case NET_STREAM_OPEN: break;
	case NET_STREAM_CONNECTING:
		if (!mono_reached(now_of(connection), connection->due))
			return WANT_BYTES;
		return opening_failed(connection, NET_CONNECT_FAILED, "no answer in time");
	default: return opening_failed(connection, NET_CONNECT_FAILED, stream_fault(way));
	}
	if (!tunnel_is_wanted(connection->client))
		return way_is_open(connection);
	connection->state = CONNECTION_TUNNELLING;
	tunnel_begin(connection);
	return WANT_STEP;
}

static enum want step_tunnelling(struct net_connection *connection)
{
	char line[TLS_FAULT_MAX];
	struct writer fault;

	writer_init(&fault, line, sizeof(line) - 1);
	enum tls_step step = tunnel_step(connection, &fault);
	if (step == TLS_WAIT && !mono_reached(now_of(connection), connection->due))
		return WANT_BYTES;
	if (step == TLS_WAIT)
		write_z(&fault, "no answer from the proxy in time");
	line[fault.used] = '\0';
	if (step != TLS_DONE)
		return opening_failed(connection, NET_CONNECT_FAILED, line);
	tunnel_enter(connection);
	return way_is_open(connection);
}

/*
 * With a ticket there is no certificate to verify and nothing to sign, which is most of a
 * handshake. So a client that opens several connections shakes hands on the first of them and gives
 * its ticket a moment to come before it goes on with the others.
 */
static bool may_start_handshake(struct net_connection *connection)
{
	const struct net_client *client = connection->client;
	bool first = client->credentials.ticket.size == 0;

	connection->due = MONO_NEVER;
	if (tls_handshakes(false) >= TLS_HANDSHAKES_MAX)
		return false;
	for (uint32_t i = 0; first && i < client->connection_count; i++)
		if (client->connections[i].state == CONNECTION_SHAKING)
			return false;
	if (first && !mono_reached(now_of(connection), client->ticket_due)) {
		connection->due = client->ticket_due;
		return false;
	}
	/* What is listed and bound before a watch is there need not wait for its arithmetic. */
	if (!mono_reached(now_of(connection), connection->yields_until) &&
		client_is_asking(client)) {
		connection->due = connection->yields_until;
		return false;
	}
	return true;
}

static enum want step_queueing(struct net_connection *connection)
{
	struct net_client *client = connection->client;

	if (!may_start_handshake(connection)) {
		if (stream_state(&connection->stream) == NET_STREAM_OPEN)
			return WANT_BYTES;
		return opening_failed(
			connection, NET_CONNECT_FAILED, "closed before the handshake");
	}
	bool started =
		stream_start_client(&connection->stream, credentials_identity(&client->credentials),
			&client->credentials.peer, &client->credentials.ticket, now_of(connection));
	connection->state = CONNECTION_SHAKING;
	connection->shaking_us = 0;
	set_due(connection, connect_timeout_ms(connection));
	if (!started)
		return opening_failed(
			connection, NET_TLS_FAILED, stream_fault(&connection->stream));
	return WANT_STEP;
}

static enum want step_shaking(struct net_connection *connection)
{
	struct net_client *client = connection->client;
	struct mono before = clock_mono(net_clock(client->net));
	enum tls_step step = tls_handshake(&connection->stream.tls, now_of(connection));

	connection->shaking_us += mono_since_us(clock_mono(net_clock(client->net)), before);
	if (step == TLS_WAIT) {
		if (!mono_reached(now_of(connection), connection->due))
			return WANT_BYTES;
		return opening_failed(connection, NET_CONNECT_FAILED, "no TLS handshake in time");
	}
	if (step != TLS_DONE)
		return opening_failed(
			connection, NET_TLS_FAILED, stream_fault(&connection->stream));
	client->stats.handshakes++;
	client->stats.resumptions += connection->stream.tls.resumed ? 1 : 0;
	if (client->stats.handshakes == 1)
		client->ticket_due = mono_after_ms(now_of(connection), TICKET_PAUSE_MS);
	net_wake(client->net);
	return opened(connection);
}

/* ---- reading ---- */

/* *part is good until the next call for any connection. */
static enum stream_flow read_some(struct net_connection *connection, struct text *part)
{
	char *scratch = net_scratch(connection->client->net);
	size_t got;
	enum stream_flow flow = stream_read(&connection->stream, scratch, NET_SCRATCH_SIZE, &got);

	*part = (struct text){scratch, got};
	return flow;
}

/* ---- idle ---- */

/* Between requests only tickets and the end may come; anything else is not HTTP. */
static enum want step_idle(struct net_connection *connection)
{
	struct text part;

	if (mono_reached(now_of(connection), connection->due) || connection->stale ||
		read_some(connection, &part) != STREAM_WAIT) {
		connection_close(connection);
		connection->client->member.dirty = true;
	}
	return WANT_BYTES;
}

/* ---- busy ---- */

static enum stream_flow send_request(struct net_connection *connection)
{
	struct net_request *request = connection->request;
	char piece[TLS_WRITE_MAX];
	enum stream_flow flow = STREAM_MOVED;

	while (connection->sent < connection->size && flow == STREAM_MOVED) {
		size_t sent = 0;
		size_t size = request_copy(
			connection->client, request, connection->sent, piece, sizeof(piece));

		/* From here on the server may know of it, whatever we are told. */
		request->answer.sent = true;
		flow = stream_write(&connection->stream, (struct text){piece, size}, &sent);
		connection->sent += sent;
		connection->client->stats.bytes_out += sent;
		if (sent > 0)
			connection->heard_at = now_of(connection);
	}
	return flow;
}

void connection_take(struct net_connection *connection, struct net_request *request)
{
	CHECK(connection->state == CONNECTION_IDLE);
	CHECK(connection->request == NULL);
	connection->state = CONNECTION_BUSY;
	connection->request = request;
	connection->sent = 0;
	connection->size = request_size(connection->client, request);
	connection->heard = connection->paused = connection->again = false;
	connection->heard_at = now_of(connection);
	http_start(&connection->http);
	connection->client->stats.requests++;
	trace("net request", (uint32_t)request->class, request->connection);
	/*
	 * At once: that it may still be sent was asked for this moment, and a
	 * process may be stopped in the next. What fails here fails again in the turn.
	 */
	(void)send_request(connection);
}

static void note_head(struct net_connection *connection)
{
	struct net_answer *answer = &connection->request->answer;

	if (answer->status != 0 || connection->http.status == 0)
		return;
	answer->status = connection->http.status;
	if (connection->request->class == NET_WATCH)
		net_count_answer(&connection->client->counts, connection->request);
	answer->date_s = connection->http.date_s;
	if (connection->http.retry_after_s >= 0)
		answer->retry_after_ms = connection->http.retry_after_s * 1000;
	if (answer->status == 401) {
		connection->client->credentials.token_doubted = true;
		/* A certificate lasts as long as its connection: only a new one shows another. */
		connection->stale = true;
	}
}

static void done(
	struct net_connection *connection, enum net_result result, const char *detail, bool keep)
{
	client_done(connection->client, connection, result, detail, keep);
}

/* False when the request is over, one way or the other. */
static bool pass_body(struct net_connection *connection, struct text body)
{
	struct net_request *request = connection->request;

	if (request->body_max != 0 && body.size > request->body_max - request->answer.body_size) {
		done(connection, NET_TOO_BIG, "the answer is too big", false);
		return false;
	}
	request->answer.body_size += body.size;
	if (request->on_body == NULL)
		return true;
	enum net_flow flow = request->on_body(request, body);
	if (connection->request != request)
		return false; /* it cancelled itself */
	if (flow == NET_STOP) {
		done(connection, NET_CANCELLED, "stopped by the reader", false);
		return false;
	}
	connection->paused = connection->paused || flow == NET_PAUSE;
	return true;
}

/* False when the request is over. */
static bool feed(struct net_connection *connection, struct text part)
{
	struct text body;

	for (;;) {
		enum http_step step = http_feed(&connection->http, &part, &body);

		note_head(connection);
		switch (step) {
		case HTTP_NEED_MORE: return true;
		case HTTP_BODY:
			if (!pass_body(connection, body))
				return false;
			continue;
		case HTTP_DONE:
			/* An answer before the whole request was sent, or bytes behind it: not to
			 * be reused. */
			done(connection, NET_OK, "",
				connection->http.keep_alive && part.size == 0 &&
					connection->sent == connection->size);
			return false;
		case HTTP_BROKEN:
			done(connection, NET_BROKEN, connection->http.fault, false);
			return false;
		case HTTP_TOO_BIG:
			done(connection, NET_TOO_BIG, connection->http.fault, false);
			return false;
		}
	}
}

static void ended(struct net_connection *connection, enum stream_flow flow)
{
	const char *fault = "the server closed the connection";

	if (flow == STREAM_ENDED && connection->heard && http_end(&connection->http) == HTTP_DONE) {
		done(connection, NET_OK, "", false);
		return;
	}
	if (stream_is_secured(&connection->stream) && flow == STREAM_CUT)
		fault = stream_fault(&connection->stream);
	done(connection, NET_RESET, fault, false);
}

static bool timed_out(struct net_connection *connection)
{
	const struct net_request *request = connection->request;
	struct mono now = now_of(connection);

	if (request->timeout_ms > 0 &&
		mono_reached(now, mono_after_ms(request->asked, request->timeout_ms))) {
		done(connection, NET_TIMEOUT, "no complete answer in time", false);
		return true;
	}
	if (request->idle_timeout_ms > 0 && !connection->paused &&
		mono_reached(now, mono_after_ms(connection->heard_at, request->idle_timeout_ms))) {
		done(connection, NET_TIMEOUT, "the server fell silent", false);
		return true;
	}
	return false;
}

static enum want step_busy(struct net_connection *connection)
{
	size_t budget = TURN_BYTES;
	enum stream_flow flow = send_request(connection);
	struct text part;

	connection->again = false;
	while (!connection->paused && budget > 0) {
		flow = read_some(connection, &part);
		if (part.size == 0)
			break;
		budget -= part.size < budget ? part.size : budget;
		connection->heard = true;
		connection->client->ticket_due = now_of(connection); /* it came or never will */
		connection->heard_at = now_of(connection);
		connection->client->stats.bytes_in += part.size;
		if (!feed(connection, part))
			return WANT_BYTES;
	}
	if (!connection->paused && (flow == STREAM_ENDED || flow == STREAM_CUT)) {
		ended(connection, flow);
		return WANT_BYTES;
	}
	connection->again = budget == 0;
	(void)timed_out(connection);
	return WANT_BYTES;
}

/* ---- the driver ---- */

static enum want (*const steps[CONNECTION_STATES])(struct net_connection *) = {
	[CONNECTION_OPENING] = step_opening,
	[CONNECTION_TUNNELLING] = step_tunnelling,
	[CONNECTION_QUEUEING] = step_queueing,
	[CONNECTION_SHAKING] = step_shaking,
	[CONNECTION_IDLE] = step_idle,
	[CONNECTION_BUSY] = step_busy,
};

static struct mono busy_due(const struct net_connection *connection)
{
	const struct net_request *request = connection->request;
	struct mono due = MONO_NEVER;

	if (connection->again)
		return now_of(connection);
	if (request->timeout_ms > 0)
		due = mono_after_ms(request->asked, request->timeout_ms);
	if (request->idle_timeout_ms > 0 && !connection->paused)
		due = mono_earlier(
			due, mono_after_ms(connection->heard_at, request->idle_timeout_ms));
	return due;
}

struct mono connection_turn(struct net_connection *connection)
{
	enum want want = WANT_STEP;

	while (want == WANT_STEP && connection->state != CONNECTION_CLOSED)
		want = steps[connection->state](connection);
	return connection->state == CONNECTION_BUSY ? busy_due(connection) : connection->due;
}
