/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opening the doors, finding who answers, and sending answers piece by piece.
 */
#include "status/status.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "tls/certificate.h"
#include "http/http.h"
#include "status/private.h"

enum {
	ANSWER_ROOM = 8 * 1024,
	HEAD_MAX = 16 * 1024,       /* tokens of large identity providers have 12 kB */
	BODY_TIMEOUT_MS = 5 * 1000, /* there is room for one body */
	DAYS = 365,
	DAYS_KEPT = 10 * 365, /* of a certificate that outlives the process */
	PATHS = 2 * 4096 + 512 + sizeof(struct tls_certificate)
};

const char status_json[] = "application/json";
const char status_plain[] = "text/plain; charset=utf-8";

const char status_headers[] =
	"Cache-Control: no-store\r\n"
	"Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
	"img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
	"frame-ancestors 'none'\r\n"
	"Cross-Origin-Resource-Policy: same-origin\r\n"
	"Referrer-Policy: no-referrer\r\n"
	"X-Content-Type-Options: nosniff\r\n"
	"X-Frame-Options: DENY\r\n";

/* ---- routes ---- */

#define BIT(method) (UINT32_C(1) << (method))
enum {
	READ = BIT(NET_GET) | BIT(NET_HEAD),
	HAVE_BODIES = BIT(NET_POST) | BIT(NET_PUT),
};

const struct status_route status_routes[] = {
	{"/healthz", READ, STATUS_FOR_HEALTH, health_answer, NULL},
	{"/healthz/", READ, STATUS_FOR_HEALTH, health_answer, NULL},
	{"/livez", READ, STATUS_FOR_HEALTH, health_answer, NULL},
	{"/livez/", READ, STATUS_FOR_HEALTH, health_answer, NULL},
	{"/readyz", READ, STATUS_FOR_HEALTH, health_answer, NULL},
	{"/readyz/", READ, STATUS_FOR_HEALTH, health_answer, NULL},
	{"/metrics", READ | BIT(NET_DELETE), STATUS_FOR_METRICS, metrics_answer, NULL},
	{"/metrics/resources", READ, STATUS_FOR_METRICS, resources_answer, NULL},
	{"/metrics/slis", READ, STATUS_FOR_METRICS, slis_answer, NULL},
	{"/debug/", READ, STATUS_FOR_METRICS, about_debug, NULL},
	{"/debug/flags/v", BIT(NET_PUT), STATUS_FOR_METRICS, about_verbosity, NULL},
	{"/configz", READ, STATUS_FOR_METRICS, about_configz, NULL},
	{"/version", READ, STATUS_FOR_METRICS, about_version, NULL},
	{"/statusz", READ, STATUS_FOR_METRICS, about_statusz, NULL},
	{"/flagz", READ, STATUS_FOR_METRICS, about_flagz, NULL},
	{"/berth/v1/", READ, STATUS_FOR_API, about_api, NULL},
	{"/berth/v1/overview", READ, STATUS_FOR_API, overview_answer,
		"leader, connection, queue, decisions, memory: one small object"},
	{"/berth/v1/nodes", READ, STATUS_FOR_API, nodes_answer,
		"an object per node; pairs are [requested, allocatable]. ?q=TEXT of name or zone, "
		"?limit=N&after=ID for pages, ?label=KEY (or * for all) for labels"},
	{"/berth/v1/nodes/", READ, STATUS_FOR_API, node_answer,
		"NAME: one node with all labels and its pods, those included that wait for it "
		"alone; NAME/loss: where they would go without it"},
	{"/berth/v1/pods", READ, STATUS_FOR_API, pods_answer,
		"pending pods: state, reason, plugins, since, next try (-1: an event); at the end "
		"those of other schedulers. ?q= ?limit= ?after="},
	{"/berth/v1/pending", READ, STATUS_FOR_API, pending_answer,
		"pending pods by owner and cause, the most first: count, states, one of them, "
		"reason, what would help"},
	{"/berth/v1/explain", READ, STATUS_FOR_API, explain_answer,
		"?pod=NAMESPACE/NAME, pending: why, by node and plugin; what it requests"},
	{"/berth/v1/whatif", BIT(NET_POST), STATUS_FOR_API, what_if_answer,
		"POST pods and workloads, JSON or YAML: what would be decided now, how many more "
		"fit. Nothing is written anywhere"},
	{"/berth/v1/decisions", READ, STATUS_FOR_API, decisions_answer,
		"the latest first; best: scores of the best nodes, of some decisions "
		"while /berth/v1/events has clients"},
	{"/berth/v1/headroom", READ, STATUS_FOR_API, headroom_answer,
		"?pod=NAMESPACE/NAME: how many more like it fit, and what runs out first where"},
	{"/berth/v1/loss", READ, STATUS_FOR_API, losses_answer,
		"of each node: how many pods would find another place if it died, and how many "
		"not"},
	{"/berth/v1/better", READ, STATUS_FOR_API, better_answer,
		"running pods that would go elsewhere now, each alone: its score, the best, the "
		"gain. "
		"?min=POINTS"},
	{"/berth/v1/history", READ, STATUS_FOR_API, history_answer,
		"the last day, a sample a minute, as rows of columns. ?from= ?to= in ms"},
	{"/berth/v1/history/events", READ, STATUS_FOR_API, history_events_answer,
		"decisions, preemptions, lost bindings, changes of nodes, the newest first. ?from= "
		"?to= in ms, ?kind=A,B ?q=TEXT of pod or node ?before=SERIAL ?limit="},
	{"/berth/v1/memory", READ, STATUS_FOR_API, memory_answer,
		"every pool: used, maximum used, capacity, refused"},
	{"/berth/v1/events", READ, STATUS_FOR_API, events_answer,
		"server-sent events: overview each second, decision"},
	{"/berth/v1/dump", READ, STATUS_FOR_API, dump_answer,
		"nodes and pods as `berth simulate` reads them, as far as they are kept: without "
		"volumes, claims, images, budgets, affinity and spreading"},
	{"/berth/v1/update", BIT(NET_PUT), STATUS_FOR_METRICS, update_answer,
		"PUT a signed update, on the appliance: written to the slot that does not run, "
		"then tried"},
	{"/", READ, STATUS_FOR_PAGE, page_answer, NULL},
	{"/page.css", READ, STATUS_FOR_PAGE, page_answer, NULL},
	{"/page.js", READ, STATUS_FOR_PAGE, page_answer, NULL},
	{"/icon.svg", READ, STATUS_FOR_PAGE, page_answer, NULL},
};
const size_t status_route_count = sizeof(status_routes) / sizeof(status_routes[0]);

static const struct status_route *status_find_endpoint(const struct net_exchange *e)
{
	const struct status_route *found = NULL;
	size_t most = 0; /* the longest of those that everything below belongs to */
	for (size_t i = 0; i < status_route_count; i++) {
		struct text path = text_of(status_routes[i].path);
		bool below = path.size > 1 && text_ends(path, TEXT("/"));
		if (text_is(e->path, path))
			return &status_routes[i];
		if (below && path.size > most && text_starts(e->path, path)) {
			found = &status_routes[i];
			most = path.size;
		}
	}
	return found;
}

/* ---- whole answers ---- */

void status_reply_with(struct status_answer *a, uint16_t code, const char *type, const char *more,
	struct text body)
{
	char lines[sizeof(status_headers) + 128];
	struct writer w;
	writer_init(&w, lines, sizeof(lines));
	write_z(&w, status_headers);
	write_z(&w, more);
	CHECK(!w.overflowed);
	a->status->answers[code / 100 % 6]++;
	net_exchange_reply(a->exchange,
		&(struct net_head){
			.status = code, .content_type = type, .headers = writer_text(&w)},
		body);
}

void status_reply(struct status_answer *a, uint16_t code, const char *type, struct text body)
{
	status_reply_with(a, code, type, "", body);
}

void status_refuse(struct status_answer *a, uint16_t code, const char *format, ...)
{
	char words[512];
	struct writer w;
	struct writer out;
	struct json_writer j;
	va_list args;
	writer_init(&w, words, sizeof(words));
	va_start(args, format);
	write_format_v(&w, format, args);
	va_end(args);
	writer_init(&out, a->piece, sizeof(a->piece));
	json_write_init(&j, &out);
	json_open_object(&j);
	json_member_text(&j, "error",
		w.overflowed ? TEXT("too much is wrong to say it here") : writer_text(&w));
	json_close_object(&j);
	write_char(&out, '\n');
	const char *more = code == 503 || code == 429 ? "Retry-After: 1\r\n" : "";
	status_reply_with(a, code, status_json, more, writer_text(&out));
}

static void refuse_method(struct status_answer *a)
{
	char allow[64];
	struct writer w;
	writer_init(&w, allow, sizeof(allow) - 1);
	for (uint32_t method = 0; method <= NET_OPTIONS; method++) {
		if ((a->route->methods & BIT(method)) == 0)
			continue;
		write_z(&w, w.used == 0 ? "Allow: " : ", ");
		for (const char *c = status_verbs[method]; *c != '\0'; c++)
			write_char(&w, (char)(*c - 32));
	}
	write_z(&w, "\r\n");
	allow[w.used] = '\0';
	status_reply_with(a, 405, status_json, allow,
		TEXT("{\"error\":\"this path is not for that method\"}\n"));
}

/* ---- answers in pieces ---- */

/* What all requests together may take of this turn. */
static bool has_time(struct status *status)
{
	struct mono now = net_now(status->setup.net);
	if (now.us != status->turn.us) {
		status->turn = now;
		status->spent_us = 0;
	}
	/* Turns are short while answers to bindings come in: what counts is the share of the time.
	 */
	if (net_is_hurried(status->setup.net))
		return mono_reached(now, status->rested);
	return status->spent_us < STATUS_TURN_US;
}

/* As many rows as fit; one that does not fit alone is left out. */
static void status_write_piece(struct status_answer *a)
{
	struct writer w;
	scheduler_requeue_for_changes(a->status->s); /* rows show cache and queue of one moment */
	writer_init(&w, a->piece, sizeof(a->piece));
	a->size = a->sent = 0;
	a->is_enough = false;
	for (uint32_t i = 0; i < STATUS_LOOKS_MAX && a->step != NULL &&
		a->size < sizeof(a->piece) / 2 && !a->is_enough;
		i++) {
		struct status_answer before = {.at = a->at,
			.part = a->part,
			.row = a->row,
			.any = a->any,
			.serial = a->serial};
		bool more = a->step(a, &w);
		if (w.overflowed && a->size > 0) {
			a->at = before.at;
			a->part = before.part;
			a->row = before.row;
			a->any = before.any;
			a->serial = before.serial;
			return;
		}
		if (w.overflowed) {
			writer_init(&w, a->piece, sizeof(a->piece));
			a->any = before.any;
		}
		a->size = w.used;
		if (!more)
			a->step = NULL;
	}
}

void status_go_on(struct status_answer *a)
{
	struct status *status = a->status;
	const struct clock *clock = &status->s->setup.clock;
	struct net_exchange *e = a->exchange;
	while (has_time(status)) {
		if (a->sent == a->size) {
			if (a->step == NULL) {
				if (!a->listens)
					net_exchange_finish(e);
				return;
			}
			struct mono start = clock_mono(clock);
			status_write_piece(a);
			struct mono end = clock_mono(clock);
			int64_t took_us = mono_since_us(end, start);
			status->spent_us += took_us + 1;
			int64_t rest_us = took_us * STATUS_REST;
			status->rested.us = end.us +
				(rest_us < STATUS_REST_MAX_US ? rest_us : STATUS_REST_MAX_US);
		}
		a->sent +=
			net_exchange_write(e, (struct text){a->piece + a->sent, a->size - a->sent});
		if (a->sent < a->size)
			return; /* on_room comes */
	}
	/* Room is there, time is not: asking for room would be answered in this very turn. A loop
	 * that turned for nothing meanwhile would cost more than the answers.
	 */
	a->is_put_off = true;
	if (!net_timer_is_armed(&status->later))
		net_timer_arm(status->setup.net, &status->later,
			net_is_hurried(status->setup.net)
				? status->rested
				: (struct mono){net_now(status->setup.net).us + 1});
}

static void go_on_door(struct status_door *door)
{
	for (uint32_t i = 0; i < door->answer_count; i++) {
		struct status_answer *a = &door->answers[i];
		if (a->exchange == NULL || !a->is_put_off)
			continue;
		a->is_put_off = false;
		status_go_on(a);
	}
}

static void on_later(struct net_timer *timer, struct mono now)
{
	struct status *status = LIST_OWNER(timer, struct status, later);
	(void)now;
	go_on_door(&status->secure);
	go_on_door(&status->plain);
}

static struct status_answer *answer_of(struct net_exchange *e)
{
	struct status_door *door = e->self;
	CHECK(e->index < door->answer_count);
	return &door->answers[e->index];
}

static void on_room(struct net_exchange *e)
{
	status_go_on(answer_of(e));
}

void status_stream(struct status_answer *a, const char *type, status_step_fn *step)
{
	a->step = step;
	a->size = a->sent = 0;
	a->exchange->on_room = on_room;
	a->status->answers[2]++;
	net_exchange_begin(a->exchange,
		&(struct net_head){.status = 200,
			.content_type = type,
			.headers = text_of(status_headers),
			.size = NET_SIZE_UNKNOWN});
}

/* ---- requests ---- */

static void status_on_done(struct net_exchange *e, bool complete)
{
	struct status_answer *a = answer_of(e);
	struct status_door *door = e->self;
	(void)complete;
	if (door->status->body_of == e)
		door->status->body_of = NULL;
	if (a->exchange == NULL)
		return; /* it did not come to a request */
	access_forget(a);
	explain_give_words(a);
	update_forget(a);
	if (a->listens)
		a->status->listeners--;
	a->listens = false;
	a->exchange = NULL;
}

static void status_on_body(struct net_exchange *e, struct text bytes)
{
	struct status *status = answer_of(e)->status;
	if (bytes.size > STATUS_BODY_MAX - status->body_size)
		return; /* body_max refuses it */
	memcpy(status->body + status->body_size, bytes.at, bytes.size);
	status->body_size += bytes.size;
}

static void answer_route(struct status_answer *a)
{
	scheduler_requeue_for_changes(a->status->s); /* so that cache and queue are of one moment */
	a->route->answer(a);
}

/* There is room for one body; an update only passes through. */
void status_route(struct status_answer *a)
{
	struct status *status = a->status;
	if ((BIT(a->exchange->method) & HAVE_BODIES) != 0 && a->route->answer != update_answer) {
		if (status->body_of != NULL) {
			status_refuse(a, 503, "another what-if request is in progress; retry");
			return;
		}
		status->body_of = a->exchange;
		status->body_size = 0;
		a->exchange->on_body = status_on_body;
		if (!a->has_arrived) {
			net_exchange_take_body(a->exchange);
			return;
		}
	}
	answer_route(a);
}

static void on_head(struct net_exchange *e)
{
	struct status_door *door = e->self;
	struct status_answer *a = answer_of(e);
	CHECK(a->exchange == NULL);
	memset(a, 0, offsetof(struct status_answer, filter));
	a->filter[0] = '\0';
	a->status = door->status;
	a->exchange = e;
	e->on_done = status_on_done;
	e->holds_body = true;
	a->route = status_find_endpoint(e);
	if (a->route != NULL && a->route->answer == update_answer)
		e->body_max = STATUS_UPDATE_MAX;
	if (a->route == NULL)
		status_reply(a, 404, status_plain, TEXT("404 page not found\n"));
	else if ((BIT(e->method) & a->route->methods) == 0)
		refuse_method(a);
	else
		access_ask(a);
}

/* The body is there; who sent it may still be asked about. */
static void on_request(struct net_exchange *e)
{
	struct status_answer *a = answer_of(e);
	a->has_arrived = true;
	if (a->status->body_of == e)
		answer_route(a);
}

struct text status_parameter(const struct status_answer *a, const char *name, char *to, size_t size)
{
	struct text value = net_query_find(a->exchange->query, name);
	struct writer w;
	if (value.at == NULL)
		return TEXT_NONE;
	writer_init(&w, to, size);
	return net_unescape(value, true, &w) ? writer_text(&w) : TEXT_NONE;
}

uint32_t status_number(const struct status_answer *a, const char *name, uint32_t otherwise)
{
	uint64_t value;
	struct text text = net_query_find(a->exchange->query, name);
	return text.size > 0 && text_to_u64(text, &value) && value <= UINT32_MAX ? (uint32_t)value
										 : otherwise;
}

/* ---- doors ---- */

bool status_is_wanted(const struct options *options)
{
	return options->secure_port != 0 || options->http_port != 0;
}

uint32_t status_tls_connections(const struct options *options)
{
	return options->secure_port != 0 ? STATUS_CONNECTIONS : 0;
}

/* Without the first certificate: it does not change the size. */
static struct net_server_setup setup_of(const struct options *o, bool secure)
{
	return (struct net_server_setup){
		.name = secure ? "status" : "status-plain",
		.https = secure,
		.named = o->tls_named.list,
		.named_count = secure ? o->tls_named.count : 0,
		.connections_max = secure ? STATUS_CONNECTIONS : STATUS_PLAIN_CONNECTIONS,
		.own_places = STATUS_OWN_PLACES,
		.exchanges_max = secure ? STATUS_EXCHANGES : STATUS_PLAIN_CONNECTIONS,
		.head_max = HEAD_MAX,
		.body_max = STATUS_BODY_MAX,
		.body_timeout_ms = BODY_TIMEOUT_MS,
		.answer_room = ANSWER_ROOM,
		.on_head = on_head,
		.on_request = on_request,
	};
}

static size_t door_size(const struct options *options, bool secure)
{
	struct net_server_setup setup = setup_of(options, secure);
	return net_server_size(&setup) + sizeof(struct status_answer) * setup.exchanges_max + 64;
}

size_t status_size(const struct options *options, size_t explanation_bytes)
{
	if (!status_is_wanted(options))
		return 0;
	return sizeof(struct status) + sizeof(struct tls_certificate) + access_size() +
		authorities_size() + pending_size() + loss_size() + explanation_bytes +
		STATUS_BODY_MAX + about_size() +
		(options->secure_port != 0 ? door_size(options, true) : 0) +
		(options->http_port != 0 ? door_size(options, false) : 0) + PATHS;
}

uint32_t status_streams(const struct options *options)
{
	struct net_server_setup secure = setup_of(options, true), plain = setup_of(options, false);
	return (options->secure_port != 0 ? net_server_streams(&secure) : 0) +
		(options->http_port != 0 ? net_server_streams(&plain) : 0);
}

static const char *path_in(struct status *status, const char *folder, const char *name)
{
	struct writer w;
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = arena_take(status->setup.arena, size);
	writer_init(&w, path, size - 1);
	write_z(&w, folder);
	write_char(&w, '/');
	write_z(&w, name);
	return path;
}

static bool make_certificate(struct status *status, uint32_t days, struct writer *fault)
{
	static const char *const names[] = {"localhost", "127.0.0.1", "::1", NULL};
	status->made = ARENA_ARRAY(status->setup.arena, struct tls_certificate, 1);
	return tls_certificate_make(status->setup.net,
		&(struct tls_certificate_request){
			.common_name = "kube-scheduler", .names = names, .days = days},
		status->made, fault);
}

/*
 * The files of --cert-dir; when they are not there, made, and kept there: a browser that has
 * accepted the certificate once need not do so after each start. False: it is for this process
 * alone.
 */
static bool keep_certificate(struct status *status, struct net_server_setup *setup)
{
	const char *folder = status->setup.options->cert_dir;
	const char *certificate = path_in(status, folder, "kube-scheduler.crt");
	const char *key = path_in(status, folder, "kube-scheduler.key");
	char line[256];
	struct writer fault;
	writer_init(&fault, line, sizeof(line));
	if (access(certificate, R_OK) != 0 || access(key, R_OK) != 0) {
		if (!make_certificate(status, DAYS_KEPT, &fault) ||
			!tls_certificate_save(status->made, certificate, key, &fault)) {
			log_warn("status", "certificate-not-kept",
				"fault=\"%.*s\"; browsers will ask again after each start",
				TEXT_ARGS(writer_text(&fault)));
			return false;
		}
		explicit_bzero(status->made, sizeof(*status->made));
		log_info("status", "certificate-made", "file=\"%s\"", certificate);
	}
	setup->certificate_file = certificate;
	setup->key_file = key;
	return true;
}

static bool open_door(struct status *status, struct status_door *door, const char *address,
	int32_t port, struct writer *fault)
{
	const struct options *o = status->setup.options;
	struct net_server_setup setup = setup_of(o, door->secure);
	setup.self = door;
	if (!net_address_parse(text_of(address), (uint16_t)port, &setup.address)) {
		write_format(fault, "%s is not an address to listen at", address);
		return false;
	}
	setup.certificate_file = o->tls_cert_file;
	setup.key_file = o->tls_private_key_file;
	bool is_given = o->tls_cert_file != NULL ||
		(door->secure && o->cert_dir != NULL && keep_certificate(status, &setup));
	if (door->secure && !is_given) {
		if (!make_certificate(status, DAYS, fault))
			return false;
		setup.certificate = text_of(status->made->certificate);
		setup.key = text_of(status->made->key);
	}
	setup.client_ca_file = o->client_ca_file;
	setup.proxy_ca_file = o->requestheader_client_ca_file;
	setup.limits = (struct tls_limits){.tls_1_3 = o->tls_min == OPTIONS_TLS_1_3,
		.suites = o->tls_suites.list,
		.suite_count = o->tls_suites.count,
		.curves = o->tls_curves.list,
		.curve_count = o->tls_curves.count};
	door->status = status;
	door->answer_count = setup.exchanges_max;
	door->answers = ARENA_ARRAY(status->setup.arena, struct status_answer, setup.exchanges_max);
	door->server = net_server_open(status->setup.net, status->setup.arena, &setup, fault);
	return door->server != NULL;
}

struct status *status_open(const struct status_setup *setup, struct writer *fault)
{
	const struct options *o = setup->options;
	struct status *status = ARENA_ARRAY(setup->arena, struct status, 1);
	status->setup = *setup;
	if (setup->authentication == NULL)
		status->setup.authentication = setup->client;
	if (setup->authorization == NULL)
		status->setup.authorization = setup->client;
	status->s = setup->scheduler;
	status->started = net_now(setup->net);
	status->started_at = clock_wall(&status->s->setup.clock);
	status->words_size = setup->explanation_bytes;
	status->words = arena_take_raw(setup->arena, status->words_size);
	status->body = arena_take_raw(setup->arena, STATUS_BODY_MAX);
	status->explained.us = INT64_MIN / 2;
	net_timer_init(&status->beat, events_beat);
	net_timer_init(&status->later, on_later);
	status->access = access_open(status, setup->arena);
	pending_open(status);
	loss_open(status);
	history_open(status);
	about_init(status);
	process_open(&status->process);
	if (o->update_socket && !update_has_writer()) {
		write_z(fault, "--update-socket: standard input is no socket of packets");
		return NULL;
	}
	status->secure.secure = true;
	if (o->secure_port != 0 &&
		!open_door(status, &status->secure, o->bind_address, o->secure_port, fault))
		return NULL;
	if (o->secure_port != 0)
		authorities_open(status, setup->arena);
	if (o->http_port != 0 &&
		!open_door(status, &status->plain, o->http_address, o->http_port, fault)) {
		status_close(status);
		return NULL;
	}
	return status;
}

void status_close(struct status *status)
{
	net_timer_disarm(&status->beat);
	net_timer_disarm(&status->later);
	net_timer_disarm(&status->minute);
	net_timer_disarm(&status->loss_timer);
	update_close(status);
	if (status->authorities != NULL)
		authorities_close(status->authorities);
	if (status->secure.server != NULL)
		net_server_close(status->secure.server);
	if (status->plain.server != NULL)
		net_server_close(status->plain.server);
	access_close(status->access);
	process_close(&status->process);
}

bool status_has_failed(const struct status *status)
{
	return status->failed;
}

uint16_t status_port(const struct status *status, bool secure)
{
	const struct status_door *door = secure ? &status->secure : &status->plain;
	return door->server != NULL ? net_server_port(door->server) : 0;
}
