/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client's connection: from accepted to closed, one step per state. A step does what bytes and
 * budgets allow and says what it waits for; the driver below turns that into the next call.
 */
#include <string.h>

#include "base/log.h"
#include "base/trace.h"
#include "http/server_private.h"

enum want {
	WANT_BYTES, /* or time, or room: nothing more to do in this turn */
	WANT_STEP   /* the state changed: step again */
};

static struct mono server_now(const struct server_connection *c)
{
	return net_now(c->server->net);
}

static void enter_state(struct server_connection *c, enum server_state state, int64_t timeout_ms)
{
	c->state = state;
	c->since = c->moved = server_now(c);
	c->stuck = false;
	c->due = timeout_ms < 0 ? MONO_NEVER : mono_after_ms(server_now(c), timeout_ms);
}

void server_connection_open(struct server_connection *c, uint32_t stream,
	const struct net_address *peer, enum server_standing standing)
{
	const struct net_server_setup *setup = &c->server->setup;

	CHECK(c->state == SERVER_CLOSED);
	CHECK(c->exchange == NULL);
	stream_open(&c->stream, net_bytes(c->server->net), stream);
	c->peer = *peer;
	c->standing = standing;
	c->used = c->ended = c->again = false;
	c->ahead_from = c->ahead_size = 0;
	enter_state(c, setup->https ? SERVER_QUEUEING : SERVER_IDLE, setup->head_timeout_ms);
	c->server->stats.connections++;
	c->server->stats.open++;
}

/* ---- the end of an exchange, and of the connection ---- */

static void end_exchange(struct server_connection *c, bool complete)
{
	struct server_exchange *x = c->exchange;
	struct net_server *server = c->server;

	/* What on_done may still call has no effect. */
	x->aborted = true;
	if (x->handed && !complete)
		server->stats.cut++;
	if (x->handed && x->exchange.on_done != NULL)
		x->exchange.on_done(&x->exchange, complete);
	/* A token may have stood in it. */
	explicit_bzero(x->head, x->request.headers.used);
	c->exchange = NULL;
	c->used = true;
	x->connection = NULL;
	list_add_last(&server->free_exchanges, &x->link);
	server->stats.busy--;
	if (server->exchange_wanted)
		server->member.dirty = true;
	server->exchange_wanted = false;
}

void server_connection_close(struct server_connection *c)
{
	if (c->state == SERVER_CLOSED)
		return;
	if (c->exchange != NULL)
		end_exchange(c, false);
	stream_close(&c->stream);
	c->state = SERVER_CLOSED;
	c->due = MONO_NEVER;
	c->server->stats.open--;
}

/* It took a place and asked for nothing, or takes no answer. */
void server_connection_close_wasted(struct server_connection *c)
{
	bool asked = c->used || (c->exchange != NULL && c->exchange->handed);

	if (c->state != SERVER_CLOSED && (!asked || c->stuck))
		server_peer_wasted(&c->server->peers, &c->peer, server_now(c));
	server_connection_close(c);
}

static enum want closed(struct server_connection *c)
{
	server_connection_close_wasted(c);
	return WANT_BYTES;
}

static enum want has_timed_out(struct server_connection *c)
{
	c->server->stats.timeouts++;
	return closed(c);
}

static bool is_due(const struct server_connection *c)
{
	return mono_reached(server_now(c), c->due);
}

/* ---- reading and writing ---- */

static void spend(struct server_connection *c, size_t size)
{
	c->budget -= size < c->budget ? size : c->budget;
}

/*
 * What came and was not taken yet, good until the next call for this connection. Never more than
 * the budget has left.
 */
static enum stream_flow peek(struct server_connection *c, struct text *part)
{
	enum stream_flow flow = STREAM_MOVED;
	size_t got;

	if (c->ahead_from == c->ahead_size) {
		flow = stream_read(&c->stream, c->ahead, sizeof(c->ahead), &got);
		c->ahead_from = 0;
		c->ahead_size = (uint32_t)got;
	}
	*part = (struct text){c->ahead + c->ahead_from, c->ahead_size - c->ahead_from};
	if (part->size > c->budget)
		*part = text_first(*part, c->budget);
	return flow;
}

static void take_bytes(struct server_connection *c, size_t size)
{
	c->server->stats.bytes_in += size;
	if (size > 0)
		c->moved = server_now(c);
	spend(c, size);
	/* A token may have stood in it. */
	explicit_bzero(c->ahead + c->ahead_from, size);
	c->ahead_from += (uint32_t)size;
}

/*
 * STREAM_MOVED: all that was written is sent. A piece is as large the second time as it was the
 * first time, which TLS wants, so the budget decides between pieces only.
 */
static enum stream_flow flush(struct server_connection *c)
{
	struct text part;

	while ((part = server_exchange_next(c->exchange)).size > 0) {
		size_t sent = 0;

		if (c->budget == 0) {
			c->again = true;
			return STREAM_WAIT;
		}
		if (part.size > TLS_WRITE_MAX)
			part.size = TLS_WRITE_MAX;
		enum stream_flow flow = stream_write(&c->stream, part, &sent);
		server_exchange_sent(c->exchange, sent);
		c->server->stats.bytes_out += sent;
		spend(c, sent);
		if (sent > 0)
			c->moved = server_now(c);
		if (flow != STREAM_MOVED)
			return flow;
	}
	c->moved = server_now(c);
	return STREAM_MOVED;
}

/* ---- the answer is written ---- */

static enum want linger(struct server_connection *c)
{
	/* What still comes is not looked at, so it need not be deciphered. */
	stream_stop_tls(&c->stream);
	enter_state(c, SERVER_LINGERING, SERVER_LINGER_MS);
	return WANT_STEP;
}

static enum want step_lingering(struct server_connection *c)
{
	const struct net_bytes *bytes = net_bytes(c->server->net);

	stream_drop_received(&c->stream);
	if (is_due(c) || stream_state(&c->stream) != NET_STREAM_OPEN)
		return closed(c);
	if (c->ended || bytes->unsent(bytes->self, c->stream.number) > 0)
		return WANT_BYTES;
	if (bytes->end == NULL)
		return closed(c);
	bytes->end(bytes->self, c->stream.number);
	c->ended = true;
	return WANT_BYTES;
}

/* ---- TLS ---- */

/* What Go's servers say; people know it. */
static enum want answer_plainly(struct server_connection *c)
{
	static const char answer[] =
		"HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
		"Connection: close\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
	size_t sent;

	c->server->stats.handshake_failures++;
	(void)stream_write(&c->stream, TEXT(answer), &sent);
	return linger(c);
}

/* What one that waits for us needs: a handshake or exchange in which nothing moves. */
static void displace_silent(const struct server_connection *newcomer)
{
	struct net_server *server = newcomer->server;
	bool handshake = newcomer->state == SERVER_QUEUEING;
	bool own = server_connection_is_own(newcomer);
	int64_t grace_ms = !own ? SERVER_GRACE_MS
		: handshake     ? SERVER_OWN_HANDSHAKE_MS
				: SERVER_OWN_GRACE_MS;
	struct server_connection *slow = NULL;

	for (uint32_t i = 0; i < server->setup.connections_max; i++) {
		struct server_connection *c = &server->connections[i];

		if ((handshake ? c->state == SERVER_SHAKING && server_connection_is_own(c) == own
			       : c->exchange != NULL) &&
			server_connection_claim(
				c, server_connection_is_own(c) ? grace_ms : SERVER_GRACE_MS) ==
				SERVER_SILENT &&
			(slow == NULL || c->moved.us < slow->moved.us))
			slow = c;
	}
	if (slow != NULL) {
		server->stats.timeouts++;
		server_connection_close_wasted(slow);
	}
}

static bool server_may_start_handshake(const struct server_connection *c)
{
	const struct net_server *server = c->server;
	bool own = server_connection_is_own(c);
	uint32_t max = TLS_SERVER_HANDSHAKES_MAX, count = 0;

	if (server->setup.own_places > 0)
		max -= own ? SERVER_OTHER_HANDSHAKES : SERVER_OWN_HANDSHAKES;
	if (c->standing == SERVER_PEER_WASTEFUL)
		max -= SERVER_BETTER_HANDSHAKES;
	for (uint32_t i = 0; i < server->setup.connections_max; i++)
		count += server->connections[i].state == SERVER_SHAKING &&
			server_connection_is_own(&server->connections[i]) == own;
	return count < max && tls_handshakes(true) < TLS_SERVER_HANDSHAKES_MAX;
}

/* The record with the client's first message: before all of it is there, nothing is begun. */
static bool hello_is_whole(struct text received)
{
	enum { RECORD_HEAD = 5, LARGE_ENOUGH = 4 * 1024 };

	if (received.size < RECORD_HEAD)
		return false;
	size_t size = (size_t)(uint8_t)received.at[3] << 8 | (uint8_t)received.at[4];
	return received.size >= LARGE_ENOUGH || received.size >= RECORD_HEAD + size;
}

static enum want step_waiting_for_hello(struct server_connection *c)
{
	enum { TLS_HANDSHAKE_RECORD = 22 };
	struct text first = stream_received(&c->stream);

	if (is_due(c))
		return has_timed_out(c);
	if (first.size == 0)
		return stream_state(&c->stream) == NET_STREAM_OPEN ? WANT_BYTES : closed(c);
	if ((uint8_t)first.at[0] != TLS_HANDSHAKE_RECORD)
		return answer_plainly(c);
	if (!hello_is_whole(first))
		return stream_state(&c->stream) == NET_STREAM_OPEN ? WANT_BYTES : closed(c);
	if (!server_may_start_handshake(c))
		displace_silent(c);
	if (!server_may_start_handshake(c))
		return stream_state(&c->stream) == NET_STREAM_OPEN ? WANT_BYTES : closed(c);
	struct mono due = c->due;
	enter_state(c, SERVER_SHAKING, 0);
	c->due = due;
	if (stream_start_server(
		    &c->stream, server_identity_current(&c->server->identity), server_now(c)))
		return WANT_STEP;
	log_warn("net", "handshake-failed", "server=%s fault=\"%s\"", c->server->setup.name,
		stream_fault(&c->stream));
	c->server->stats.handshake_failures++;
	return closed(c);
}

/*
 * While the loop is hurried: so many times as long as a step took, others have none, apart for each
 * standing. Strangers must not have more of the time, however slow the processor is; a peer
 * that is known has its whole handshake within a quarter of a second all the same.
 */
static void rest_after_handshake(struct server_handshakes *share, enum server_standing standing,
	struct mono began, struct mono ended)
{
	static const int64_t times[SERVER_STANDINGS] = {[SERVER_PEER_WASTEFUL] = 48,
		[SERVER_PEER_NEW] = 24,
		[SERVER_PEER_VOUCHED] = 4,
		[SERVER_PEER_OWN] = 8};
	enum { REST_OF_KNOWN_US = 50 * 1000 };
	int64_t rest_us = mono_since_us(ended, began) * times[standing];

	if (standing >= SERVER_PEER_VOUCHED && rest_us > REST_OF_KNOWN_US)
		rest_us = REST_OF_KNOWN_US;
	share->rested.us = ended.us + rest_us;
}

static enum want step_handshake(struct server_connection *c)
{
	struct mono due = c->due;

	if (is_due(c))
		return has_timed_out(c);
	struct server_handshakes *share = &c->server->handshakes[c->standing];
	if (share->steps == 0) {
		c->again = true;
		return WANT_BYTES;
	}
	const struct clock *clock = net_clock(c->server->net);
	struct mono began = clock_mono(clock);
	enum tls_step step = tls_handshake(&c->stream.tls, server_now(c));
	struct mono ended = clock_mono(clock);
	rest_after_handshake(share, c->standing, began, ended);
	if (step == TLS_WAIT)
		return WANT_BYTES;
	c->moved = server_now(c);
	share->steps--;
	if (step == TLS_AGAIN)
		return WANT_STEP;
	if (step != TLS_DONE) {
		log_debug("net", "handshake-failed", "server=%s fault=\"%s\"",
			c->server->setup.name, stream_fault(&c->stream));
		c->server->stats.handshake_failures++;
		return closed(c);
	}
	c->server->stats.handshakes++;
	net_wake(c->server->net);
	enter_state(c, SERVER_IDLE, 0);
	c->due = due;
	return WANT_STEP;
}

/* ---- between requests ---- */

static enum want step_between_requests(struct server_connection *c)
{
	struct net_server *server = c->server;
	struct text part;

	if (is_due(c))
		return has_timed_out(c);
	if (c->budget == 0 || c->had_request || server->requests == 0) {
		c->again = true;
		return WANT_BYTES;
	}
	enum stream_flow flow = peek(c, &part);
	if (flow == STREAM_ENDED || flow == STREAM_CUT)
		return closed(c);
	if (part.size == 0)
		return WANT_BYTES;
	uint32_t kept = server_connection_is_own(c) ? 0 : server->setup.own_places;
	if (server->stats.busy + kept >= server->setup.exchanges_max)
		displace_silent(c);
	if (server->stats.busy + kept >= server->setup.exchanges_max) {
		server->exchange_wanted = true;
		return WANT_BYTES;
	}
	struct mono due = c->due;
	struct list *link = list_first(&server->free_exchanges);
	list_remove(link);
	server->stats.busy++;
	server->requests--;
	c->had_request = true;
	c->exchange = LIST_OWNER(link, struct server_exchange, link);
	server_exchange_start(c->exchange, c);
	enter_state(c, SERVER_READING_HEAD, server->setup.head_timeout_ms);
	/* The first request has the time that is left of the connection's beginning. */
	if (!c->used)
		c->due = due;
	return WANT_STEP;
}

/* ---- a request ---- */

static enum want answer(struct server_connection *c)
{
	enter_state(c, SERVER_ANSWERING, -1);
	c->moved = server_now(c);
	return WANT_STEP;
}

static enum want refuse_request(struct server_connection *c, uint16_t status, const char *fault)
{
	if (!c->exchange->answer.begun)
		server_exchange_refuse(c->exchange, status, fault);
	return answer(c);
}

static enum want request_arrived(struct server_connection *c)
{
	struct server_exchange *x = c->exchange;

	(void)answer(c);
	x->handed = true;
	c->server->setup.on_request(&x->exchange);
	return WANT_STEP;
}

static uint64_t body_limit(const struct server_connection *c)
{
	const struct net_server_setup *setup = &c->server->setup;

	const struct net_exchange *exchange = &c->exchange->exchange;

	if (exchange->body_max > 0)
		return exchange->body_max;
	return exchange->on_body != NULL || exchange->holds_body ? setup->body_max
								 : setup->body_room;
}

static void invite_body(struct server_answer *a)
{
	static const char invitation[] = "HTTP/1.1 100 Continue\r\n\r\n";

	CHECK(a->used == 0);
	memcpy(a->out, invitation, sizeof(invitation) - 1);
	a->used = a->sealed = sizeof(invitation) - 1;
}

static enum want head_arrived(struct server_connection *c)
{
	struct server_exchange *x = c->exchange;
	const struct server_request *request = &x->request;
	const struct net_server_setup *setup = &c->server->setup;

	c->server->stats.requests++;
	trace("net served", c->stream.number, x->exchange.index);
	x->exchange.method = request->method;
	x->exchange.path = request->path;
	x->exchange.query = request->query;
	x->exchange.http_1_0 = request->http_1_0;
	x->exchange.body = (struct text){x->collected, 0};
	http_start_body(&x->body, request->framing.chunked, request->framing.length);
	enter_state(c, SERVER_READING_BODY, setup->body_timeout_ms);
	if (setup->on_head != NULL) {
		x->handed = true;
		setup->on_head(&x->exchange);
	}
	if (x->answer.begun || x->aborted)
		return answer(c);
	if (x->body.state == HTTP_FINISHED)
		return request_arrived(c);
	if (request->framing.length > body_limit(c))
		return refuse_request(c, 413, "the body is too large");
	return WANT_STEP;
}

static enum want step_reading_head(struct server_connection *c)
{
	struct server_exchange *x = c->exchange;
	struct text part;

	while (c->budget > 0) {
		enum stream_flow flow = peek(c, &part);
		if (flow == STREAM_ENDED || flow == STREAM_CUT)
			return closed(c);
		if (part.size == 0)
			return is_due(c) ? has_timed_out(c) : WANT_BYTES;
		struct text rest = part;
		enum server_request_step step = server_request_feed(&x->request, &rest);
		take_bytes(c, part.size - rest.size);
		if (step == SERVER_REQUEST_REFUSED)
			return refuse_request(c, x->request.status, x->request.fault);
		if (step == SERVER_REQUEST_DONE)
			return head_arrived(c);
	}
	c->again = true;
	return is_due(c) ? has_timed_out(c) : WANT_BYTES;
}

/* ---- its body ---- */

/* False when it is too large. */
static bool pass_request_body(struct server_connection *c, struct text body)
{
	struct net_exchange *exchange = &c->exchange->exchange;

	exchange->body_size += body.size;
	if (exchange->body_size > body_limit(c))
		return false;
	if (exchange->body_max > 0)
		c->due = mono_after_ms(server_now(c), c->server->setup.body_timeout_ms);
	if (exchange->on_body != NULL) {
		exchange->on_body(exchange, body);
		return true;
	}
	memcpy(c->exchange->collected + exchange->body.size, body.at, body.size);
	exchange->body.size += body.size;
	return true;
}

/* WANT_BYTES: the part is taken and the body goes on. */
static enum want feed_body(struct server_connection *c, struct text *rest)
{
	struct server_exchange *x = c->exchange;
	struct text body;

	for (;;) {
		enum http_step step = http_feed(&x->body, rest, &body);

		if (step == HTTP_BODY) {
			if (!pass_request_body(c, body))
				return refuse_request(c, 413, "the body is too large");
			if (x->answer.begun || x->aborted)
				return answer(c);
			continue;
		}
		switch (step) {
		case HTTP_DONE: return WANT_STEP;
		case HTTP_BROKEN: return refuse_request(c, 400, x->body.fault);
		case HTTP_TOO_BIG: return refuse_request(c, 431, x->body.fault);
		default: return WANT_BYTES;
		}
	}
}

void net_exchange_take_body(struct net_exchange *exchange)
{
	struct server_connection *c = server_exchange_of(exchange)->connection;

	exchange->holds_body = false;
	enter_state(c, SERVER_READING_BODY, c->server->setup.body_timeout_ms);
	c->server->member.dirty = true;
}

static enum want hold_body(struct server_connection *c)
{
	c->due = MONO_NEVER;
	return stream_state(&c->stream) == NET_STREAM_OPEN ? WANT_BYTES : closed(c);
}

static enum want step_reading_body(struct server_connection *c)
{
	struct server_exchange *x = c->exchange;
	struct text part;

	if (x->answer.begun || x->aborted)
		return answer(c);
	if (x->exchange.holds_body)
		return hold_body(c);
	if (x->request.expects_continue)
		invite_body(&x->answer);
	x->request.expects_continue = false;
	if (flush(c) == STREAM_CUT)
		return closed(c);
	while (c->budget > 0) {
		enum stream_flow flow = peek(c, &part);
		if (flow == STREAM_ENDED || flow == STREAM_CUT)
			return closed(c);
		if (part.size == 0)
			return is_due(c) ? has_timed_out(c) : WANT_BYTES;
		struct text rest = part;
		enum want want = feed_body(c, &rest);
		take_bytes(c, part.size - rest.size);
		if (want == WANT_STEP && c->state == SERVER_READING_BODY)
			return request_arrived(c);
		if (want == WANT_STEP)
			return WANT_STEP;
		if (x->exchange.holds_body)
			return hold_body(c);
	}
	c->again = true;
	return is_due(c) ? has_timed_out(c) : WANT_BYTES;
}

/* ---- its answer ---- */

static enum want answered(struct server_connection *c)
{
	bool close = c->exchange->answer.close;

	end_exchange(c, true);
	if (close)
		return linger(c);
	enter_state(c, SERVER_IDLE, c->server->setup.idle_timeout_ms);
	return WANT_STEP;
}

/* Asks for more of the answer. False: there is none now. */
static bool ask_for_more(struct server_connection *c)
{
	struct server_exchange *x = c->exchange;

	if (!server_exchange_has_room(x) || x->exchange.on_room == NULL)
		return false;
	x->answer.wants_room = false;
	x->exchange.on_room(&x->exchange);
	return true;
}

static enum want step_answering(struct server_connection *c)
{
	struct server_exchange *x = c->exchange;
	enum stream_flow flow;

	do {
		if (x->aborted)
			return closed(c);
		flow = flush(c);
		if (flow == STREAM_MOVED && server_exchange_is_over(x))
			return answered(c);
	} while (flow == STREAM_MOVED && ask_for_more(c));
	/* A client that has closed gets no answer any more, whatever it may have asked before. */
	if (flow == STREAM_CUT || flow == STREAM_ENDED ||
		stream_state(&c->stream) != NET_STREAM_OPEN || x->aborted)
		return closed(c);
	c->due = MONO_NEVER;
	c->stuck = flow == STREAM_WAIT && !c->again;
	if (c->stuck) {
		c->due = mono_after_ms(c->moved, c->server->setup.stall_timeout_ms);
		if (is_due(c))
			return has_timed_out(c);
	}
	return WANT_BYTES;
}

/* ---- the driver ---- */

static enum want (*const steps[SERVER_STATES])(struct server_connection *) = {
	[SERVER_QUEUEING] = step_waiting_for_hello,
	[SERVER_SHAKING] = step_handshake,
	[SERVER_IDLE] = step_between_requests,
	[SERVER_READING_HEAD] = step_reading_head,
	[SERVER_READING_BODY] = step_reading_body,
	[SERVER_ANSWERING] = step_answering,
	[SERVER_LINGERING] = step_lingering,
};

struct mono server_connection_turn(struct server_connection *c)
{
	struct net_server *server = c->server;
	size_t budget =
		server->budget < SERVER_CONNECTION_BYTES ? server->budget : SERVER_CONNECTION_BYTES;
	enum want want = WANT_STEP;

	c->budget = budget;
	c->again = c->had_request = false;
	server->turning = c;
	while (want == WANT_STEP && c->state != SERVER_CLOSED)
		want = steps[c->state](c);
	server->turning = NULL;
	server->budget -= budget - c->budget;
	if (!c->again || c->state == SERVER_CLOSED)
		return c->due;
	/* A loop that turned for nothing until then would cost more than the handshakes. */
	return c->state == SERVER_SHAKING && net_is_hurried(server->net)
		? server->handshakes[c->standing].rested
		: server_now(c);
}

enum server_claim server_connection_claim(const struct server_connection *c, int64_t grace_ms)
{
	bool quiet = mono_reached(server_now(c), mono_after_ms(c->moved, grace_ms));
	bool slow = mono_reached(server_now(c), mono_after_ms(c->since, SERVER_BEGINNING_MAX_MS));

	switch (c->state) {
	case SERVER_LINGERING: return SERVER_LEAVES;
	case SERVER_QUEUEING:
		if (hello_is_whole(stream_received(&c->stream)))
			return SERVER_WAITS;
		return quiet ? SERVER_SILENT : SERVER_WAITS;
	case SERVER_SHAKING:
		if (stream_received(&c->stream).size > 0)
			return SERVER_WAITS;
		return quiet || slow ? SERVER_SILENT : SERVER_WAITS;
	case SERVER_IDLE:
		if (c->ahead_from < c->ahead_size || stream_received(&c->stream).size > 0)
			return SERVER_WAITS;
		if (!quiet)
			return SERVER_WAITS;
		return c->used ? SERVER_RESTS : SERVER_SILENT;
	case SERVER_READING_HEAD: return quiet || slow ? SERVER_SILENT : SERVER_WAITS;
	case SERVER_READING_BODY:
		return quiet && !c->exchange->exchange.holds_body ? SERVER_SILENT : SERVER_HOLDS;
	case SERVER_ANSWERING: return quiet && c->stuck ? SERVER_SILENT : SERVER_HOLDS;
	default: return SERVER_HOLDS;
	}
}
