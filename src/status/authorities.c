/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Authorities: whose certificates speak for clients and for front proxies, by what names the
 * proxies are known, and in which headers they say who asks.
 *
 * What kube-scheduler does: the flags; what they leave open is in the configmap
 * kube-system/extension-apiserver-authentication, which it watches.
 * What we do: the same, but the configmap is read once a minute: a watch would keep a connection
 * of 27 kB open for something that changes once a year. Files are followed by net/.
 *
 * What cannot be read leaves what was there before.
 */
#include "base/log.h"
#include "http/http.h"
#include "status/private.h"

enum {
	CA_MAX = 32 * 1024,
	WORDS_MAX = 2 * 1024,
	PIECE_MAX = 2 * CA_MAX + 2 * WORDS_MAX,
	SCRATCH_MAX = 8 * 1024,
	LOOK_MS = 60 * 1000,
	AGAIN_MS = 5 * 1000 /* no answer */
};

struct authority_set {
	size_t client_size, proxy_size, room_used;
	struct options_words words[AUTHORITY_WORDS];
	char client[CA_MAX], proxy[CA_MAX], room[WORDS_MAX];
};

struct authorities {
	struct status *status;
	struct net_timer timer;
	struct api_caller caller;
	struct api_call call;
	struct json_cut *cut;
	struct scratch scratch;
	bool is_read, failing, looked;
	uint32_t current;
	struct authority_set sets[2]; /* the server keeps looking into the current one */
};

static const struct json_want want_data[] = {{"client-ca-file", NULL},
	{"requestheader-client-ca-file", NULL}, {"requestheader-allowed-names", NULL},
	{"requestheader-username-headers", NULL}, {"requestheader-group-headers", NULL},
	{"requestheader-extra-headers-prefix", NULL}, {"requestheader-uid-headers", NULL},
	{NULL, NULL}};
static const struct json_want want_map[] = {{"data", want_data}, {NULL, NULL}};

/* ---- reading ---- */

/* A list of strings as JSON, in a string. What has escapes is no name of anything. */
static bool read_words(struct authority_set *set, struct text json, struct options_words *to)
{
	struct text part;
	bool inside = false;
	struct writer w;
	to->count = 0;
	if (text_find(json, '\\') != json.size || json.size >= WORDS_MAX - set->room_used)
		return false;
	writer_init(&w, set->room + set->room_used, json.size + 1);
	for (; text_cut(&json, '"', &part); inside = !inside) {
		if (!inside)
			continue;
		if (to->count == OPTIONS_WORDS_MAX)
			return false;
		to->list[to->count++] = (struct text){w.at + w.used, part.size};
		write_text(&w, part);
		write_char(&w, '\n');
	}
	write_char(&w, '\n'); /* sets are compared by this text */
	set->room_used += w.used;
	return inside;
}

static bool read_ca(struct json_value data, const char *key, char *to, size_t *size)
{
	struct text pem = json_text(json_get(data, key));
	*size = pem.size;
	if (pem.size > CA_MAX)
		return false;
	if (pem.size > 0)
		memcpy(to, pem.at, pem.size);
	return true;
}

static bool read_set(const struct options *o, struct json_value data, struct authority_set *set)
{
	set->client_size = set->proxy_size = set->room_used = 0;
	if (o->client_ca_file == NULL &&
		!read_ca(data, want_data[0].key, set->client, &set->client_size))
		return false;
	if (o->requestheader_client_ca_file != NULL)
		return true;
	if (!read_ca(data, want_data[1].key, set->proxy, &set->proxy_size))
		return false;
	for (uint32_t i = 0; i < AUTHORITY_WORDS && set->proxy_size > 0; i++) {
		struct text json = json_text(json_get(data, want_data[2 + i].key));
		/* Names that cannot be read must not become "any name". */
		set->words[i].count = 0;
		if (json.size > 0 && !text_is_z(json, "null") && !text_is_z(json, "[]") &&
			(!read_words(set, json, &set->words[i]) || set->words[i].count == 0))
			return false;
	}
	return true;
}

static void authorities_read(struct api_call *call, struct text json)
{
	struct authorities *t = LIST_OWNER(call, struct authorities, call);
	struct scratch_mark mark = scratch_mark(&t->scratch);
	struct json_value root;
	if (json_parse(json, &t->scratch, &root) == JSON_PARSED)
		t->is_read = read_set(
			t->status->setup.options, json_get(root, "data"), &t->sets[1 - t->current]);
	scratch_rewind(&t->scratch, mark);
}

/* ---- what was read counts ---- */

static bool is_same(const struct authority_set *a, const struct authority_set *b)
{
	return text_is((struct text){a->client, a->client_size},
		       (struct text){b->client, b->client_size}) &&
		text_is((struct text){a->proxy, a->proxy_size},
			(struct text){b->proxy, b->proxy_size}) &&
		text_is((struct text){a->room, a->room_used}, (struct text){b->room, b->room_used});
}

static struct text pem_of(const char *at, size_t size)
{
	return size > 0 ? (struct text){at, size} : TEXT_NONE;
}

static void apply(struct authorities *t)
{
	const struct authority_set *next = &t->sets[1 - t->current];
	char words[256];
	struct writer fault;
	if (is_same(next, &t->sets[t->current]))
		return;
	writer_init(&fault, words, sizeof(words));
	if (!net_server_trust(t->status->secure.server, pem_of(next->client, next->client_size),
		    pem_of(next->proxy, next->proxy_size), &fault)) {
		log_warn("status", "authorities-refused", "fault=\"%.*s\"",
			TEXT_ARGS(writer_text(&fault)));
		return;
	}
	t->current = 1 - t->current;
	log_info("status", "authorities-read", "clients=%zu proxies=%zu", next->client_size,
		next->proxy_size);
}

static void authorities_fail(struct authorities *t)
{
	const struct net_answer *answer = &t->call.request.answer;
	bool must = !t->looked && !t->status->setup.options->authentication_tolerate_lookup_failure;
	if (!t->failing)
		log_warn("status", "authorities-not-read",
			"configmap=kube-system/extension-apiserver-authentication result=%s "
			"status=%u consequence=\"%s\"",
			net_result_name(answer->result), (unsigned)answer->status,
			must ? "--authentication-tolerate-lookup-failure=false: the end"
			     : "certificates of clients are believed as before");
	t->failing = true;
	t->status->failed = must;
}

static void authorities_answered(struct api_call *call, enum api_verdict verdict)
{
	struct authorities *t = LIST_OWNER(call, struct authorities, call);
	struct net *net = t->status->setup.net;
	bool is_answer = call->request.answer.result == NET_OK;
	if (verdict == API_DONE && t->is_read) {
		t->failing = false;
		apply(t);
	} else {
		authorities_fail(t);
	}
	t->looked = true;
	net_timer_arm(net, &t->timer, mono_after_ms(net_now(net), is_answer ? LOOK_MS : AGAIN_MS));
}

static void look_at_authorities(struct net_timer *timer, struct mono now)
{
	struct authorities *t = LIST_OWNER(timer, struct authorities, timer);
	(void)now;
	t->is_read = false;
	api_call_start(&t->call, &t->caller,
		&(struct api_request){.purpose = API_CONFIG_READ,
			.method = NET_GET,
			.object = {"/api/v1", TEXT("kube-system"), "configmaps",
				TEXT("extension-apiserver-authentication"), NULL},
			.reader = {want_map, authorities_read, t->cut},
			.server = t->status->setup.authentication});
}

/* ---- opening and closing ---- */

size_t authorities_size(void)
{
	return sizeof(struct authorities) + json_cut_size(PIECE_MAX) + SCRATCH_MAX + 64;
}

void authorities_open(struct status *status, struct arena *arena)
{
	const struct options *o = status->setup.options;
	struct authorities *t = ARENA_ARRAY(arena, struct authorities, 1);
	size_t size = json_cut_size(PIECE_MAX);
	const struct options_words *const words[AUTHORITY_WORDS] = {&o->requestheader_allowed_names,
		&o->requestheader_username_headers, &o->requestheader_group_headers,
		&o->requestheader_extra_prefixes, &o->requestheader_uid_headers};
	status->authorities = t;
	t->status = status;
	t->caller = (struct api_caller){.client = status->setup.scheduler->api,
		.name = "configmap",
		.done = authorities_answered};
	api_caller_init(&t->caller);
	t->cut = json_cut_init(arena_take(arena, size), size, PIECE_MAX);
	scratch_init(&t->scratch, arena_take_raw(arena, SCRATCH_MAX), SCRATCH_MAX);
	net_timer_init(&t->timer, look_at_authorities);
	for (uint32_t i = 0; i < AUTHORITY_WORDS; i++)
		t->sets[0].words[i] = t->sets[1].words[i] = *words[i];
	if (!o->authentication_skip_lookup &&
		(o->client_ca_file == NULL || o->requestheader_client_ca_file == NULL))
		net_timer_arm(status->setup.net, &t->timer, net_now(status->setup.net));
}

void authorities_close(struct authorities *t)
{
	net_timer_disarm(&t->timer);
	api_caller_close(&t->caller);
}

const struct options_words *authorities_words(
	const struct authorities *t, enum authority_words which)
{
	return &t->sets[t->current].words[which];
}
