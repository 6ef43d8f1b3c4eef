/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page: the page of a running berth for the browser of this machine, by a port of ours that adds
 * the credentials of the kubeconfig.
 *
 * Who uses that port reads with the credentials it was started with, so it is for one browser
 * alone: it listens on loopback; the address that is printed has a secret that becomes a cookie;
 * the Host header must be ours, for a name from elsewhere may be made to mean 127.0.0.1; and what a
 * browser says to come from another site or another origin is refused. The page's files are those
 * of this binary; of the other one only what is under /berth/v1/ is asked for, and nothing there
 * changes anything.
 */
#include "base/memory.h"
#include "command/ask.h"
#include "http/server.h"
#include "status/status.h"

enum {
	PROXY_EXCHANGES = 2 * ASK_CONNECTIONS,
	PROXY_SECRET = 16, /* bytes, written as hex */
	PROXY_PATH_MAX = 4096,
	PROXY_KEPT =
		64 * 1024, /* what came and cannot be sent yet: a slice, and what was decrypted */
	PROXY_ANSWER_ROOM = 32 * 1024,
	PROXY_SILENCE_MS = 30 * 1000,
	PROXY_NAME_MAX = 32,
	PROXY_HEADERS_MAX = 1024
};

struct proxied {                       /* a request under way */
	struct net_exchange *exchange; /* NULL: none */
	struct net_request request;
	bool has_ended; /* all of the answer came */
	size_t kept_at, kept_size;
	char path[PROXY_PATH_MAX];
	char body[STATUS_BODY_MAX];
	char kept[PROXY_KEPT];
};

struct proxy {
	struct ask *ask;
	struct net_server *server;
	char secret[2 * PROXY_SECRET + 1];
	char hosts[2][PROXY_NAME_MAX]; /* what the Host header may be */
	char cookie[2 * PROXY_NAME_MAX + 2 * PROXY_SECRET];
	struct proxied exchanges[PROXY_EXCHANGES];
};

struct page_flags {
	struct ask_flags ask;
	const char *port;
};

/* ---- who may ask ---- */

/* As long as it takes with any other. */
static bool is_secret(const struct proxy *proxy, struct text t)
{
	uint8_t differs = 0;
	if (t.size != 2 * PROXY_SECRET)
		return false;
	for (size_t i = 0; i < t.size; i++)
		differs |= (uint8_t)(t.at[i] ^ proxy->secret[i]);
	return differs == 0;
}

static bool has_cookie(const struct proxy *proxy, const struct net_exchange *e)
{
	struct text header, one, name = text_of(proxy->cookie);
	for (uint32_t n = 0; (header = net_exchange_header(e, "cookie", n)).at != NULL; n++)
		while (text_cut(&header, ';', &one)) {
			one = text_trim(one);
			if (text_starts(one, name) && is_secret(proxy, text_from(one, name.size)))
				return true;
		}
	return false;
}

static bool is_one_of_us(const struct proxy *proxy, struct text host)
{
	return text_is_z(host, proxy->hosts[0]) || text_is_z(host, proxy->hosts[1]);
}

static bool is_from_our_page(const struct proxy *proxy, const struct net_exchange *e)
{
	struct text host = net_exchange_header(e, "host", 0);
	struct text origin = net_exchange_header(e, "origin", 0);
	struct text site = net_exchange_header(e, "sec-fetch-site", 0);
	bool same_origin = origin.at == NULL ||
		(text_starts(origin, TEXT("http://")) && text_is(text_from(origin, 7), host));
	bool same_site =
		site.at == NULL || text_is_z(site, "same-origin") || text_is_z(site, "none");
	return is_one_of_us(proxy, host) && same_origin && same_site;
}

/* ---- answers of our own ---- */

static void proxy_reply(struct net_exchange *e, uint16_t status, const char *type, const char *more,
	struct text body)
{
	char lines[PROXY_HEADERS_MAX];
	struct writer w;
	writer_init(&w, lines, sizeof(lines));
	write_z(&w, status_headers);
	write_z(&w, more);
	net_exchange_reply(e,
		&(struct net_head){
			.status = status, .content_type = type, .headers = writer_text(&w)},
		body);
}

static void proxy_refuse(struct net_exchange *e, uint16_t status, const char *why)
{
	proxy_reply(e, status, "text/plain; charset=utf-8", "", text_of(why));
}

/* The address that was printed: the secret becomes a cookie, and leaves the address. */
static void give_cookie(const struct proxy *proxy, struct net_exchange *e)
{
	char line[PROXY_HEADERS_MAX / 2];
	struct writer w;
	writer_init(&w, line, sizeof(line) - 1);
	write_format(&w, "Set-Cookie: %s%s; Path=/; HttpOnly; SameSite=Strict\r\nLocation: /\r\n",
		proxy->cookie, proxy->secret);
	line[w.used] = '\0';
	proxy_reply(e, 303, "text/plain; charset=utf-8", line, TEXT("see /\n"));
}

/* ---- answers of the other berth ---- */

static void proxy_finish(struct proxied *p)
{
	if (p->has_ended && p->kept_size == 0)
		net_exchange_finish(p->exchange);
}

static void proxy_begin(struct proxied *p, uint16_t status)
{
	bool is_stream = p->request.class == NET_WATCH && status == 200;
	net_exchange_begin(p->exchange,
		&(struct net_head){.status = status,
			.content_type = is_stream ? "text/event-stream" : "application/json",
			.headers = text_of(status_headers),
			.size = NET_SIZE_UNKNOWN});
}

static enum net_flow proxy_on_body(struct net_request *request, struct text bytes)
{
	struct proxied *p = LIST_OWNER(request, struct proxied, request);
	if (!net_exchange_has_begun(p->exchange))
		proxy_begin(p, request->answer.status);
	if (p->kept_size == 0) {
		p->kept_at = 0;
		bytes = text_from(bytes, net_exchange_write(p->exchange, bytes));
	}
	if (bytes.size > PROXY_KEPT - p->kept_at - p->kept_size)
		return NET_STOP;
	memcpy(p->kept + p->kept_at + p->kept_size, bytes.at, bytes.size);
	p->kept_size += bytes.size;
	return p->kept_size > 0 ? NET_PAUSE : NET_MORE;
}

static void proxy_on_done(struct net_request *request)
{
	struct proxied *p = LIST_OWNER(request, struct proxied, request);
	const struct net_answer *answer = &request->answer;
	p->has_ended = true;
	if (answer->result == NET_OK) {
		if (!net_exchange_has_begun(p->exchange))
			proxy_begin(p, answer->status);
		proxy_finish(p);
	} else if (net_exchange_has_begun(p->exchange)) {
		net_exchange_abort(p->exchange);
	} else {
		proxy_reply(p->exchange, 502, "application/json", "",
			TEXT("{\"error\":\"berth is not reached\"}\n"));
	}
}

static void proxy_on_room(struct net_exchange *e)
{
	struct proxied *p = e->user;
	size_t sent = net_exchange_write(e, (struct text){p->kept + p->kept_at, p->kept_size});
	p->kept_at += sent;
	p->kept_size -= sent;
	if (p->kept_size > 0)
		return;
	proxy_finish(p);
	if (!p->has_ended)
		net_resume(&p->request);
}

static void proxy_on_gone(struct net_exchange *e, bool complete)
{
	struct proxied *p = e->user;
	(void)complete;
	if (net_is_active(&p->request))
		net_cancel(&p->request);
	p->exchange = NULL;
}

/* ---- requests ---- */

static void proxy_pass_on(struct proxy *proxy, struct net_exchange *e)
{
	struct proxied *p = &proxy->exchanges[e->index];
	struct writer w;
	writer_init(&w, p->path, sizeof(p->path));
	write_text(&w, e->path);
	if (e->query.at != NULL)
		write_char(&w, '?');
	write_text(&w, e->query);
	if (w.overflowed || e->body.size > sizeof(p->body)) {
		proxy_refuse(e, 414, "that is too long\n");
		return;
	}
	bool is_stream = text_is_z(e->path, "/berth/v1/events");
	if (e->body.size > 0)
		memcpy(p->body, e->body.at, e->body.size);
	p->exchange = e;
	p->has_ended = false;
	p->kept_at = p->kept_size = 0;
	p->request = (struct net_request){.class = is_stream ? NET_WATCH : NET_READ,
		.method = e->method,
		.path = writer_text(&w),
		.body = {p->body, e->body.size},
		.idle_timeout_ms = PROXY_SILENCE_MS,
		.on_body = proxy_on_body,
		.on_done = proxy_on_done};
	e->user = p;
	e->on_room = proxy_on_room;
	e->on_done = proxy_on_gone;
	net_send(proxy->ask->client, &p->request);
}

static void proxy_on_request(struct net_exchange *e)
{
	struct proxy *proxy = e->self;
	const char *type;
	struct text file;
	bool is_api = text_starts(e->path, TEXT("/berth/v1/"));
	if (!is_from_our_page(proxy, e))
		proxy_refuse(e, 403, "this is not asked for by the page\n");
	else if (e->method == NET_GET && is_secret(proxy, text_from(e->path, 1)))
		give_cookie(proxy, e);
	else if (!has_cookie(proxy, e))
		proxy_refuse(e, 403, "open the address that 'berth page' printed\n");
	else if (e->method != NET_GET && !(e->method == NET_POST && is_api))
		proxy_refuse(e, 405, "only reading\n");
	else if (is_api)
		proxy_pass_on(proxy, e);
	else if (status_page_file(e->path, &type, &file))
		proxy_reply(e, 200, type, "Content-Encoding: gzip\r\n", file);
	else
		proxy_refuse(e, 404, "404 page not found\n");
}

/* ---- the command ---- */

static const struct net_server_setup proxy_setup = {.name = "page",
	.connections_max = PROXY_EXCHANGES,
	.exchanges_max = PROXY_EXCHANGES,
	.body_room = STATUS_BODY_MAX,
	.answer_room = PROXY_ANSWER_ROOM,
	.on_request = proxy_on_request};

static bool make_secret(char *to)
{
	uint8_t bytes[PROXY_SECRET];
	struct entropy entropy = entropy_system();
	struct writer w;
	if (!entropy.fill(entropy.self, bytes, sizeof(bytes)))
		return false;
	writer_init(&w, to, 2 * PROXY_SECRET);
	for (size_t i = 0; i < sizeof(bytes); i++)
		write_format(&w, "%02x", bytes[i]);
	return true;
}

static void write_name(char *to, size_t size, const char *before, uint32_t port, const char *after)
{
	struct writer w;
	writer_init(&w, to, size - 1);
	write_format(&w, "%s%u%s", before, (unsigned)port, after);
	to[w.used] = '\0';
}

/* False with a line in `fault`. */
static bool proxy_open(struct proxy *proxy, struct ask *ask, uint16_t port, struct writer *fault)
{
	struct net_server_setup setup = proxy_setup;
	proxy->ask = ask;
	setup.self = proxy;
	if (!net_address_parse(TEXT("127.0.0.1"), port, &setup.address) ||
		!make_secret(proxy->secret)) {
		write_z(fault, "the system provides no random bytes");
		return false;
	}
	proxy->server = net_server_open(ask->net, &ask->arena, &setup, fault);
	if (proxy->server == NULL)
		return false;
	uint32_t at = net_server_port(proxy->server);
	write_name(proxy->hosts[0], sizeof(proxy->hosts[0]), "127.0.0.1:", at, "");
	write_name(proxy->hosts[1], sizeof(proxy->hosts[1]), "localhost:", at, "");
	write_name(proxy->cookie, sizeof(proxy->cookie), "berth-", at, "=");
	return true;
}

/* Until a signal ends the process. */
static int proxy_serve(
	const struct command_io *io, struct ask *ask, struct proxy *proxy, uint16_t port)
{
	char words[256];
	struct writer fault;
	struct output out;
	struct text overview;
	writer_init(&fault, words, sizeof(words));
	if (!ask_get(ask, TEXT("/berth/v1/overview"), '{', &overview))
		return COMMAND_FAILED; /* the page would only say the same */
	if (!proxy_open(proxy, ask, port, &fault)) {
		ask_complain(ask, writer_text(&fault));
		return COMMAND_FAILED;
	}
	output_init(&out, io->out);
	output_format(&out, "http://%s/%s\n", proxy->hosts[0], proxy->secret);
	output_flush(&out);
	output_format(&ask->err, "berth: the page of %s, for this machine; ctrl-C ends it\n",
		ask->server);
	output_flush(&ask->err);
	while (out.error == 0)
		net_poll(ask->net, -1);
	return COMMAND_FAILED;
}

int page_run(const struct command_io *io, int argc, char **argv)
{
	struct page_flags flags = {.port = NULL};
	int words, status;
	uint64_t port = 0;
	if (!command_begin(io, &page_command, &flags, argc, argv, &words, &status))
		return status;
	if (words > 0 ||
		(flags.port != NULL &&
			(!text_to_u64(text_of(flags.port), &port) || port > UINT16_MAX)))
		return command_misused(io, &page_command,
			words > 0 ? TEXT("page takes no argument") : TEXT("--port is 0 to 65535"));
	struct ask *ask = ask_open(io, &flags.ask, ASK_MEMORY, net_server_streams(&proxy_setup));
	if (ask == NULL)
		return COMMAND_FAILED;
	struct proxy *proxy = arena_take(&ask->arena, sizeof(*proxy));
	status = proxy_serve(io, ask, proxy, (uint16_t)port);
	if (proxy->server != NULL)
		net_server_close(proxy->server);
	ask_close(ask);
	return status;
}

static const struct flag page_flags[] = {ASK_FLAGS(struct page_flags),
	{"port", 0, FLAG_TEXT, offsetof(struct page_flags, port), "PORT",
		"of this machine; else any that is free"}};

const struct command page_command = {.name = "page",
	.what = "a running berth's page, for the browser of this machine",
	.arguments = "[flags]",
	.about = "Prints an address for the browser of this machine and shows the page there with\n"
		 "your credentials until ctrl-C. The address is a secret: who has it and is on\n"
		 "this machine reads as you.\n",
	.examples = "berth page\n"
		    "berth page --server https://gw-7:10259 --ca gw-7.crt\n"
		    "ssh -L 10259:127.0.0.1:10259 gw-7     # then, elsewhere: berth page\n",
	.flags = page_flags,
	.flag_count = ARRAY_COUNT(page_flags),
	.run = page_run};
