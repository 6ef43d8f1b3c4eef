/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Client: which request gets which connection, and when a new connection is made.
 *
 * A request is bound to a connection only once that is open: until then it may be served by
 * another one that becomes free, and a request of higher priority may overtake it.
 */
#include "http/client_private.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/log.h"
#include "base/sandbox.h"

static const char *const result_names[] = {
	[NET_OK] = "ok",
	[NET_CONNECT_FAILED] = "connect-failed",
	[NET_TLS_FAILED] = "tls-failed",
	[NET_TIMEOUT] = "timeout",
	[NET_RESET] = "reset",
	[NET_BROKEN] = "broken",
	[NET_TOO_BIG] = "too-big",
	[NET_CANCELLED] = "cancelled",
};

const char *net_result_name(enum net_result result)
{
	return result_names[result];
}

static struct net_request *request_of(struct list *link)
{
	return LIST_OWNER(link, struct net_request, link);
}

/* ---- the end of a request ---- */

static void finish(struct net_client *client, struct net_request *request, enum net_result result,
	const char *detail)
{
	struct net_answer *answer = &request->answer;

	answer->result = result;
	answer->took_us = mono_since_us(net_now(client->net), request->asked);
	fault_copy(answer->detail, sizeof(answer->detail), detail);
	request->client = NULL;
	request->connection = 0;
	net_count(&client->counts, request);
	request->on_done(request);
}

static void finish_queued(struct net_client *client, struct net_request *request,
	enum net_result result, const char *detail)
{
	list_remove(&request->link);
	client->queued--;
	finish(client, request, result, detail);
}

/* All that wait now; not those that callbacks add. */
static void finish_all_queued(
	struct net_client *client, bool watch, enum net_result result, const char *detail)
{
	struct list over;
	struct list *link;

	list_init(&over);
	for (uint32_t i = 0; i < NET_CLASSES; i++) {
		if ((i == NET_WATCH) != watch)
			continue;
		while ((link = list_first(&client->queues[i])) != NULL) {
			list_remove(link);
			list_add_last(&over, link);
		}
	}
	while ((link = list_first(&over)) != NULL)
		finish_queued(client, request_of(link), result, detail);
}

static void queue(struct net_client *client, struct net_request *request, bool first)
{
	struct list *list = &client->queues[request->class];

	if (first)
		list_add_first(list, &request->link);
	else
		list_add_last(list, &request->link);
	client->queued++;
	if (request->timeout_ms > 0)
		client->queue_due = mono_earlier(
			client->queue_due, mono_after_ms(request->asked, request->timeout_ms));
	client->member.dirty = true;
}

/*
 * A kept-alive connection may be closed by the server just when a request is on its way. If the
 * server cannot have begun to answer, and doing it twice does no harm, it is sent again.
 */
static bool may_retry(const struct net_connection *connection, enum net_result result)
{
	const struct net_request *request = connection->request;

	return result == NET_RESET && connection->reused && !connection->heard &&
		!request->retried && (request->method == NET_GET || !request->answer.sent);
}

void client_done(struct net_client *client, struct net_connection *connection,
	enum net_result result, const char *detail, bool keep)
{
	struct net_request *request = connection->request;
	bool retry = may_retry(connection, result);
	char kept[sizeof(request->answer.detail)];

	/* The detail may live in the connection that is about to go. */
	fault_copy(kept, sizeof(kept), detail);
	connection->request = NULL;
	request->connection = 0;
	client->member.dirty = true;
	if (keep && !connection->stale) {
		connection->state = CONNECTION_IDLE;
		connection->reused = true;
		connection->due = mono_after_ms(net_now(client->net), IDLE_MAX_MS);
	} else {
		connection_close(connection);
	}
	if (retry) {
		request->retried = true;
		request->answer.sent = false;
		queue(client, request, true);
		return;
	}
	finish(client, request, result, kept);
}

/* ---- the end of an attempt to connect ---- */

static void log_reachable(struct net_client *client)
{
	if (!client->reachable)
		log_info(
			"net", "reachable", "target=%s host=%s", client->target.name, client->host);
	client->reachable = true;
	client->unreachable = false;
}

static void log_unreachable(
	struct net_client *client, const struct net_address *address, const char *fault)
{
	char line[NET_ADDRESS_TEXT_MAX];
	struct writer w;

	writer_init(&w, line, sizeof(line));
	if (address != NULL)
		net_address_write(&w, address);
	if (!client->unreachable)
		log_warn("net", "unreachable", "target=%s host=%s address=%.*s fault=\"%s\"",
			client->target.name, client->host, TEXT_ARGS(writer_text(&w)), fault);
	client->unreachable = true;
	client->reachable = false;
}

void client_opened(struct net_client *client, struct net_connection *connection)
{
	client->good_address = connection->address;
	client->handshake_us = connection->shaking_us;
	if (!connection->for_watch)
		client->short_until = MONO_NEVER;
	client->open_after[connection->for_watch] = (struct mono){0};
	client->member.dirty = true;
	log_reachable(client);
}

static bool any_open(const struct net_client *client, bool for_watch)
{
	for (uint32_t i = 0; i < client->connection_count; i++)
		if (client->connections[i].for_watch == for_watch &&
			client->connections[i].state >= CONNECTION_IDLE)
			return true;
	return false;
}

void client_not_opened(struct net_client *client, struct net_connection *connection,
	enum net_result result, const char *fault)
{
	bool watch = connection->for_watch;

	client->open_after[watch] = mono_after_ms(net_now(client->net), RECONNECT_PAUSE_MS);
	client->away = net_now(client->net);
	client->resolve_wanted = true;
	client->member.dirty = true;
	log_unreachable(client, &client->resolve.addresses[connection->address], fault);
	if (watch || !any_open(client, false))
		finish_all_queued(client, watch, result, fault);
}

/* ---- opening connections ---- */

static void close_stale(struct net_client *client, enum credentials_news news)
{
	const struct tls_identity *current = credentials_identity(&client->credentials);

	for (uint32_t i = 0; i < client->connection_count; i++) {
		struct net_connection *connection = &client->connections[i];

		if (connection->stream.tls.identity == NULL)
			continue;
		/* Changed twice while a watch lasted: now it has to go. */
		if (news == CREDENTIALS_BLOCKED && connection->stream.tls.identity != current) {
			if (connection->state == CONNECTION_BUSY)
				client_done(client, connection, NET_RESET,
					"the credentials changed twice", false);
			else
				connection_close(connection);
		} else if (news == CREDENTIALS_CHANGED) {
			connection->stale = true;
		}
	}
}

static void refresh(struct net_client *client)
{
	enum credentials_news news =
		credentials_refresh(&client->credentials, net_now(client->net));

	if (news == CREDENTIALS_BLOCKED) {
		close_stale(client, news);
		news = credentials_refresh(&client->credentials, net_now(client->net));
	}
	if (news == CREDENTIALS_CHANGED)
		close_stale(client, news);
}

/* False: not now, the name is being asked for. */
static bool has_addresses(struct net_client *client)
{
	struct net *net = client->net;

	if (client->resolve.running)
		return false;
	if (client->resolve.count > 0 &&
		(!client->resolve_wanted ||
			mono_since_us(net_now(net), client->resolved) <
				(int64_t)RESOLVE_AGAIN_MS * CLOCK_MS_US))
		return true;
	client->resolve_wanted = false;
	client->resolved = net_now(net);
	resolve_start(&client->resolve, net_now(net));
	return false;
}

static struct net_connection *find_connection(
	struct net_client *client, bool for_watch, enum connection_state state)
{
	struct net_connection *best = NULL;

	for (uint32_t i = 0; i < client->connection_count; i++) {
		struct net_connection *connection = &client->connections[i];

		if (connection->for_watch != for_watch || connection->state != state ||
			connection->stale)
			continue;
		/* The one used last: the others grow old and close. */
		if (best == NULL || connection->due.us > best->due.us)
			best = connection;
	}
	return best;
}

static uint32_t count(const struct net_client *client, bool for_watch, enum connection_state from,
	enum connection_state to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < client->connection_count; i++) {
		const struct net_connection *connection = &client->connections[i];
		n += connection->for_watch == for_watch && connection->state >= from &&
			connection->state <= to;
	}
	return n;
}

/* Opens as many as are wanted and allowed; those still opening are on their way already. */
static void open_connections(struct net_client *client, bool for_watch, uint32_t wanted)
{
	uint32_t opening = count(client, for_watch, CONNECTION_OPENING, CONNECTION_SHAKING);
	struct net_connection *connection;

	if (wanted <= opening || net_now(client->net).us < client->open_after[for_watch].us)
		return;
	if (!has_addresses(client))
		return;
	refresh(client);
	while (opening < wanted &&
		(connection = find_connection(client, for_watch, CONNECTION_CLOSED)) != NULL) {
		connection_open(connection);
		opening++;
	}
}

/* ---- giving requests to connections ---- */

static uint32_t class_limit(const struct net_client *client, enum net_class rank)
{
	uint32_t shared = client->target.connections, kept = (uint32_t)rank;

	return shared > kept ? shared - kept : 1;
}

static void give(
	struct net_client *client, struct net_connection *connection, struct net_request *request)
{
	list_remove(&request->link);
	client->queued--;
	request->connection = 1 + (uint32_t)(connection - client->connections);
	request->waited_us = mono_since_us(net_now(client->net), request->asked);
	if (request->waited_us < 0)
		request->waited_us = 0; /* the turn began before it was asked for */
	connection_take(connection, request);
}

static bool may_send(const struct net_request *request)
{
	return request->may_send == NULL || request->may_send(request);
}

/* Ends at the next turn. */
static void refuse(struct net_client *client, struct net_request *request)
{
	list_remove(&request->link);
	list_add_last(&client->refused, &request->link);
	client->member.dirty = true;
}

/*
 * How many shared connections to have on their way. At first one alone; while there is one,
 * requests wait for it a moment before others are opened.
 */
static uint32_t patient(struct net_client *client, uint32_t wanted)
{
	struct mono now = net_now(client->net);
	bool open = any_open(client, false);

	if (wanted == 0)
		client->short_until = MONO_NEVER;
	else if (client->short_until.us == MONO_NEVER.us)
		/* Not from the turn's beginning: a handshake of this turn would use it up. */
		client->short_until = mono_after_ms(clock_mono(net_clock(client->net)),
			open ? client_patience_ms(client) : PATIENCE_MAX_MS);
	if (wanted == 0 || mono_reached(now, client->short_until))
		return wanted;
	return open ? 0 : 1;
}

bool client_is_asking(const struct net_client *client)
{
	for (uint32_t i = 0; i < NET_WATCH; i++)
		if (list_first(&client->queues[i]) != NULL)
			return true;
	return count(client, false, CONNECTION_BUSY, CONNECTION_BUSY) > 0;
}

/* Gives what it can of one class; returns how many connections more it could use. */
static uint32_t dispatch_class(struct net_client *client, enum net_class rank, uint32_t active)
{
	bool watch = rank == NET_WATCH;
	uint32_t limit = watch ? client->target.watch_connections : class_limit(client, rank),
		 wanted = 0;
	struct list *link = client->queues[rank].next, *next;
	struct net_connection *idle;

	for (; link != &client->queues[rank] && active < limit; link = next) {
		next = link->next;
		if (!may_send(request_of(link))) {
			refuse(client, request_of(link));
			continue;
		}
		active++;
		if (wanted == 0 && (idle = find_connection(client, watch, CONNECTION_IDLE)) != NULL)
			give(client, idle, request_of(link));
		else
			wanted++;
	}
	return wanted;
}

static bool any_half_sent(const struct net_client *client)
{
	for (uint32_t i = 0; i < client->connection_count; i++)
		if (client->connections[i].state == CONNECTION_BUSY &&
			client->connections[i].sent < client->connections[i].size)
			return true;
	return false;
}

static void dispatch(struct net_client *client)
{
	uint32_t wanted = 0;

	if (client->queued == 0) {
		client->short_until = MONO_NEVER;
		return;
	}
	/* The server may have closed one of those we are about to use. */
	for (uint32_t i = 0; i < client->connection_count; i++)
		if (client->connections[i].state == CONNECTION_IDLE)
			(void)connection_turn(&client->connections[i]);
	if (!any_half_sent(client))
		credentials_refresh_token(&client->credentials, net_now(client->net));
	for (uint32_t i = 0; i < NET_WATCH; i++)
		wanted += dispatch_class(client, (enum net_class)i,
			count(client, false, CONNECTION_BUSY, CONNECTION_BUSY) + wanted);
	wanted = patient(client, wanted);
	if (wanted > 0)
		open_connections(client, false, wanted);
	wanted = dispatch_class(
		client, NET_WATCH, count(client, true, CONNECTION_BUSY, CONNECTION_BUSY));
	if (wanted > 0)
		open_connections(client, true, wanted);
}

/* ---- the turn ---- */

static void turn_resolve(struct net_client *client)
{
	enum resolve_step step;

	if (!client->resolve.running)
		return;
	step = resolve_step(&client->resolve, net_now(client->net));
	if (step == RESOLVE_WAIT)
		return;
	client->resolved = net_now(client->net);
	client->member.dirty = true;
	client->good_address = 0;
	if (step == RESOLVE_DONE || client->resolve.count > 0)
		return;
	client->resolve_wanted = true;
	for (uint32_t watch = 0; watch < 2; watch++)
		client->open_after[watch] = mono_after_ms(net_now(client->net), RECONNECT_PAUSE_MS);
	log_unreachable(client, NULL, client->resolve.fault);
	for (uint32_t watch = 0; watch < 2; watch++)
		if (watch == 1 || !any_open(client, false))
			finish_all_queued(
				client, watch == 1, NET_CONNECT_FAILED, client->resolve.fault);
}

static void expire_queued(struct net_client *client)
{
	struct mono now = net_now(client->net), due = MONO_NEVER;
	struct list over;
	struct list *link, *next;

	if (!mono_reached(now, client->queue_due))
		return;
	list_init(&over);
	for (uint32_t i = 0; i < NET_CLASSES; i++) {
		for (link = client->queues[i].next; link != &client->queues[i]; link = next) {
			const struct net_request *request = request_of(link);
			struct mono end = mono_after_ms(request->asked, request->timeout_ms);

			next = link->next;
			if (request->timeout_ms <= 0)
				continue;
			if (mono_reached(now, end)) {
				list_remove(link);
				list_add_last(&over, link);
			} else {
				due = mono_earlier(due, end);
			}
		}
	}
	client->queue_due = due;
	while ((link = list_first(&over)) != NULL)
		finish_queued(client, request_of(link), NET_TIMEOUT, "no connection in time");
}

static void finish_refused(struct net_client *client)
{
	struct list over;
	struct list *link;

	list_init(&over);
	while ((link = list_first(&client->refused)) != NULL) {
		list_remove(link);
		list_add_last(&over, link);
	}
	while ((link = list_first(&over)) != NULL) {
		const char *fault = request_fault(request_of(link));

		if (fault != NULL)
			finish_queued(client, request_of(link), NET_BROKEN, fault);
		else
			finish_queued(client, request_of(link), NET_CONNECT_FAILED,
				"not allowed to be sent any more");
	}
}

static struct mono turn_connections(struct net_client *client)
{
	struct mono due = MONO_NEVER;

	for (uint32_t i = 0; i < client->connection_count; i++)
		due = mono_earlier(due, connection_turn(&client->connections[i]));
	return due;
}

static struct mono client_turn(struct net_member *member, struct mono now)
{
	struct net_client *client = LIST_OWNER(member, struct net_client, member);
	struct mono due;

	turn_resolve(client);
	finish_refused(client);
	expire_queued(client);
	dispatch(client);
	due = turn_connections(client);
	if (client->queued > 0) {
		due = mono_earlier(due, client->queue_due);
		if (client->short_until.us > now.us)
			due = mono_earlier(due, client->short_until);
		/* A pause after a failure: then try again. */
		for (uint32_t watch = 0; watch < 2; watch++)
			if (client->open_after[watch].us > now.us)
				due = mono_earlier(due, client->open_after[watch]);
	}
	return mono_earlier(due, resolve_due(&client->resolve));
}

/* ---- what callers do ---- */

void net_send(struct net_client *client, struct net_request *request)
{
	CHECK(request->client == NULL);
	CHECK(!client->closing);
	CHECK(request->class <= NET_WATCH);
	request->client = client;
	request->connection = 0;
	request->asked = clock_mono(net_clock(client->net));
	request->retried = false;
	request->waited_us = 0;
	request->answer = (struct net_answer){.retry_after_ms = -1, .date_s = -1};
	list_init(&request->link);
	if (request_fault(request) == NULL) {
		queue(client, request, false);
		return;
	}
	list_add_last(&client->refused, &request->link);
	client->queued++;
	client->member.dirty = true;
}

static struct net_connection *connection_of(const struct net_request *request)
{
	if (request->connection == 0)
		return NULL;
	return &request->client->connections[request->connection - 1];
}

void net_cancel(struct net_request *request)
{
	struct net_connection *connection;

	if (request->client == NULL)
		return;
	connection = connection_of(request);
	request->client->member.dirty = true;
	if (connection != NULL) {
		connection_close(connection);
	} else {
		list_remove(&request->link);
		request->client->queued--;
	}
	request->client = NULL;
	request->connection = 0;
}

void net_resume(struct net_request *request)
{
	struct net_connection *connection;

	if (request->client == NULL || (connection = connection_of(request)) == NULL)
		return;
	connection->paused = false;
	connection->heard_at = clock_mono(net_clock(request->client->net));
	request->client->member.dirty = true;
}

struct net_client_stats net_client_stats(const struct net_client *client)
{
	struct net_client_stats stats = client->stats;

	for (uint32_t watch = 0; watch < 2; watch++) {
		stats.open += count(client, watch == 1, CONNECTION_IDLE, CONNECTION_BUSY);
		stats.busy += count(client, watch == 1, CONNECTION_BUSY, CONNECTION_BUSY);
	}
	stats.queued = client->queued;
	return stats;
}

struct mono net_client_away(const struct net_client *client)
{
	return client->away;
}

/* ---- opening and closing a client ---- */

/* Machines by the names that Kubernetes has for them. */
static const char *machine_name(const char *machine)
{
	static const struct {
		const char *machine;
		const char *name;
	} names[] = {{"x86_64", "amd64"}, {"aarch64", "arm64"}, {"armv8l", "arm"},
		{"armv7l", "arm"}, {"armv6l", "arm"}, {"i686", "386"}};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (strcmp(names[i].machine, machine) == 0)
			return names[i].name;
	return machine;
}

static bool make_head(struct net_client *client, struct writer *fault)
{
	const struct net_target *target = &client->target;
	struct net_address address;
	struct utsname machine;
	struct writer host, head;

	writer_init(&host, client->host, sizeof(client->host) - 1);
	if (net_address_parse(target->host, target->port, &address)) {
		address.scope = 0;
		net_address_write(&host, &address);
	} else {
		write_format(&host, "%.*s:%u", TEXT_ARGS(target->host), (unsigned)target->port);
	}
	client->host[host.used] = '\0';
	writer_init(&head, client->head, sizeof(client->head));
	write_format(&head,
		"Host: %s\r\nUser-Agent: berth/%s (linux/%s)\r\nAccept: application/json\r\n",
		client->host, BERTH_VERSION,
		uname(&machine) == 0 ? machine_name(machine.machine) : "unknown");
	client->head_size = head.used;
	if (host.overflowed || head.overflowed) {
		write_z(fault, "the server's name is too long");
		return false;
	}
	return true;
}

static bool client_init(struct net_client *client, struct arena *arena, struct writer *fault)
{
	const struct net_target *target = &client->target;

	if (!tunnels_init(client, arena, fault))
		return false;
	if (net_target_tls(target) > 0 && !tls_is_set_up()) {
		write_z(fault, "https is not set up");
		return false;
	}
	for (size_t i = 0; i < target->path_prefix.size; i++) {
		if (target->path_prefix.at[i] <= ' ' || target->path_prefix.at[i] >= 0x7f) {
			write_z(fault, "the server's path is not escaped");
			return false;
		}
	}
	bool direct = client->proxy.kind == URL_PROXY_NONE;
	struct text host = direct ? target->host : client->proxy.host;
	uint16_t port = direct ? target->port : client->proxy.port;
	if (!resolve_init(&client->resolve, net_bytes(client->net), net_entropy(client->net), host,
		    port)) {
		write_format(fault, "%.*s: not a host name or address", TEXT_ARGS(host));
		return false;
	}
	sandbox_connects(port);
	if (!direct)
		log_info("net", "through-proxy", "target=%s proxy=%.*s port=%u", target->name,
			TEXT_ARGS(host), (unsigned)port);
	return make_head(client, fault) &&
		credentials_init(&client->credentials, arena, target,
			!target->https && tunnel_is_secured(client) ? host : TEXT_NONE,
			net_now(client->net), fault);
}

struct net_client *net_client_open(
	struct net *net, struct arena *arena, const struct net_target *target, struct writer *fault)
{
	struct net_client *client = arena_take(arena, sizeof(*client));

	CHECK(target->connections > 0);
	sandbox_reads(target->token_file);
	client->net = net;
	client->target = *target;
	if (client->target.path_prefix.size == 1 && client->target.path_prefix.at[0] == '/')
		client->target.path_prefix = TEXT("");
	client->queue_due = client->short_until = MONO_NEVER;
	client->resolved = (struct mono){INT64_MIN / 2};
	list_init(&client->refused);
	for (uint32_t i = 0; i < NET_CLASSES; i++)
		list_init(&client->queues[i]);
	if (!client_init(client, arena, fault)) {
		credentials_close(&client->credentials);
		return NULL;
	}
	client->connection_count = target->connections + target->watch_connections;
	client->connections = ARENA_ARRAY(arena, struct net_connection, client->connection_count);
	for (uint32_t i = 0; i < client->connection_count; i++) {
		client->connections[i].client = client;
		client->connections[i].for_watch = i >= target->connections;
		client->connections[i].due = MONO_NEVER;
		if (client->tunnels != NULL)
			client->connections[i].tunnel = &client->tunnels->each[i];
	}
	client->member.turn = client_turn;
	net_join(net, &client->member);
	return client;
}

bool net_client_was_valid(const struct net_client *client, struct wall when)
{
	const struct credentials *c = &client->credentials;

	return tls_valid_at(&c->identities[c->current], when);
}

size_t net_client_size(const struct net_target *target)
{
	return sizeof(struct net_client) + credentials_size(target) + tunnels_size(target) +
		(target->connections + target->watch_connections) * sizeof(struct net_connection) +
		3 * 16;
}

void net_client_close(struct net_client *client)
{
	client->closing = true;
	for (uint32_t i = 0; i < client->connection_count; i++) {
		struct net_connection *connection = &client->connections[i];

		if (connection->state == CONNECTION_BUSY)
			client_done(
				client, connection, NET_CANCELLED, "the client was closed", false);
		else
			connection_close(connection);
	}
	finish_all_queued(client, false, NET_CANCELLED, "the client was closed");
	finish_all_queued(client, true, NET_CANCELLED, "the client was closed");
	finish_refused(client);
	resolve_stop(&client->resolve);
	net_leave(&client->member);
	credentials_close(&client->credentials);
}
