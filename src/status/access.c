/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access: may who asks have the answer?
 *
 * What kube-scheduler does: front proxies that say who asks, certificates of clients, tokens
 * (TokenReview), else anonymous; what was shown and does not hold is a 401. Then group
 * system:masters, paths that are always allowed, else SubjectAccessReview.
 * What we do: the same, and besides
 *   - who is on this machine and shows no credentials may look;
 *   - the page's own files are everybody's, they know nothing; --page-access says who may see
 *     what it shows;
 *   - a path is asked about only when there is something behind it;
 *   - what needs no credentials needs the right name: a page from elsewhere that got its own name
 *     resolved to 127.0.0.1 says that name in its Host header. And what a browser says to be asked
 *     for by another site is refused whoever asks: certificates are shown without being asked for.
 *
 * Answers are remembered for as long as the options say, few of them: a stranger with many tokens
 * costs the apiserver REVIEWS requests at a time and pushes out nobody's connection; who shows
 * nothing at all has half of them.
 */
#include <strings.h>

#include "base/log.h"
#include "http/http.h"
#include "status/private.h"

enum {
	REVIEWS = 4,     /* at a time */
	REMEMBERED = 32, /* users, and what they may */
	TOKEN_MAX = 4096,
	USER_MAX = 256,
	GROUPS_MAX = 2048, /* as JSON */
	EXTRA_MAX = 1024,
	BODY_MAX = TOKEN_MAX + GROUPS_MAX + EXTRA_MAX + USER_MAX + 512,
	PIECE_MAX = 8 * 1024,
	SCRATCH_MAX = 32 * 1024
};

struct user {
	char name[USER_MAX];
	char groups[GROUPS_MAX]; /* JSON: ["a","b"] */
	char extra[EXTRA_MAX];   /* JSON: {"a":["b"]}, or "" */
	bool is_master;
	bool is_anonymous;
};

/* What a token, or a user and what he wants, were told. */
struct memory {
	struct mono until;
	bool good;
	bool about_access; /* else about the token */
	size_t token_size;
	char token[TOKEN_MAX]; /* or verb, path and name */
	struct user user;
};

struct status_review {
	struct access *access;
	struct status_answer *answer; /* NULL: free, or who asked has gone */
	bool about_access;            /* else about the token */
	struct api_call call;
	struct user user;
	size_t token_size;
	char token[TOKEN_MAX];
	char body[BODY_MAX];
	struct json_cut *cut;
	bool is_read;
	bool yes;
};

struct access {
	struct status *status;
	struct api_caller caller;
	struct status_review reviews[REVIEWS];
	struct memory memories[REMEMBERED];
	uint32_t next; /* to be forgotten */
	struct scratch scratch;
};

static const struct json_want want_user[] = {
	{"username", NULL}, {"groups", NULL}, {"extra", NULL}, {NULL, NULL}};
static const struct json_want want_status[] = {
	{"authenticated", NULL}, {"allowed", NULL}, {"user", want_user}, {NULL, NULL}};
static const struct json_want want_review[] = {{"status", want_status}, {NULL, NULL}};

static void access_reviewed(struct api_call *call, enum api_verdict verdict);

/* ---- setting up ---- */

size_t access_size(void)
{
	return sizeof(struct access) + REVIEWS * (json_cut_size(PIECE_MAX) + 32) + SCRATCH_MAX + 64;
}

struct access *access_open(struct status *status, struct arena *arena)
{
	struct access *access = ARENA_ARRAY(arena, struct access, 1);
	access->status = status;
	access->caller = (struct api_caller){
		.client = status->setup.scheduler->api, .name = "reviews", .done = access_reviewed};
	api_caller_init(&access->caller);
	scratch_init(&access->scratch, arena_take_raw(arena, SCRATCH_MAX), SCRATCH_MAX);
	for (uint32_t i = 0; i < REVIEWS; i++) {
		size_t size = json_cut_size(PIECE_MAX);
		access->reviews[i].access = access;
		access->reviews[i].cut = json_cut_init(arena_take(arena, size), size, PIECE_MAX);
	}
	return access;
}

void access_close(struct access *access)
{
	api_caller_close(&access->caller);
}

void access_forget(struct status_answer *a)
{
	if (a->review != NULL)
		a->review->answer = NULL; /* the apiserver's answer is remembered all the same */
	a->review = NULL;
}

/* ---- who and what ---- */

const char *const status_verbs[] = {[NET_GET] = "get",
	[NET_POST] = "post",
	[NET_PUT] = "put",
	[NET_PATCH] = "patch",
	[NET_DELETE] = "delete",
	[NET_HEAD] = "head",
	[NET_OPTIONS] = "options"};

static const char *verb_of(const struct status_answer *a)
{
	return status_verbs[a->exchange->method];
}

struct groups {
	struct user *user;
	struct writer w;
	struct json_writer j;
	bool has_usual; /* who is somebody is in this one */
};

static void groups_begin(struct groups *g, struct user *user)
{
	*g = (struct groups){.user = user};
	user->is_master = false;
	writer_init(&g->w, user->groups, sizeof(user->groups) - 1);
	json_write_init(&g->j, &g->w);
	json_open_array(&g->j);
}

static void groups_add(struct groups *g, struct text name)
{
	g->user->is_master = g->user->is_master || text_is_z(name, "system:masters");
	g->has_usual = g->has_usual || text_is_z(name, "system:authenticated");
	json_put_text(&g->j, name);
}

/* False: there is no room for all of them. */
static bool groups_end(struct groups *g)
{
	if (!g->has_usual && !g->user->is_anonymous)
		json_put_z(&g->j, "system:authenticated");
	json_close_array(&g->j);
	g->user->groups[g->w.used] = '\0';
	return !g->w.overflowed;
}

/* ---- refusing ---- */

/* As kube-scheduler answers: a Status. */
static void turn_down(struct status_answer *a, uint16_t code, const char *reason, const char *user)
{
	char message[USER_MAX + 512];
	struct writer m;
	struct writer w;
	struct json_writer j;
	writer_init(&m, message, sizeof(message));
	if (code == 401)
		write_z(&m, "Unauthorized");
	else
		write_format(&m, "forbidden: User \"%s\" cannot %s path \"%.*s\"", user, verb_of(a),
			TEXT_ARGS(a->exchange->path));
	writer_init(&w, a->piece, sizeof(a->piece));
	json_write_init(&j, &w);
	json_open_object(&j);
	json_member_z(&j, "kind", "Status");
	json_member_z(&j, "apiVersion", "v1");
	json_key(&j, "metadata");
	json_open_object(&j);
	json_close_object(&j);
	json_member_z(&j, "status", "Failure");
	json_member_text(&j, "message", m.overflowed ? TEXT("forbidden") : writer_text(&m));
	json_member_z(&j, "reason", reason);
	if (code == 403) {
		json_key(&j, "details");
		json_open_object(&j);
		json_close_object(&j);
	}
	json_member_i64(&j, "code", code);
	json_close_object(&j);
	status_reply_with(a, code, status_json, code == 401 ? "WWW-Authenticate: Bearer\r\n" : "",
		writer_text(&w));
}

/* ---- memory ---- */

static struct memory *recall(struct access *access, struct text token, bool about_access)
{
	struct mono now = net_now(access->status->setup.net);
	for (uint32_t i = 0; i < REMEMBERED; i++) {
		struct memory *m = &access->memories[i];
		if (m->token_size == token.size && m->about_access == about_access &&
			token.size > 0 && memcmp(m->token, token.at, token.size) == 0 &&
			!mono_reached(now, m->until))
			return m;
	}
	return NULL;
}

static void remember(struct access *access, struct text token, bool about_access, bool good,
	const struct user *user)
{
	const struct options *o = access->status->setup.options;
	int64_t ttl_us = !about_access ? o->token_ttl_us
		: good                 ? o->authorized_ttl_us
				       : o->unauthorized_ttl_us;
	struct memory *m = &access->memories[access->next++ % REMEMBERED];
	if (ttl_us <= 0 || token.size > sizeof(m->token))
		return;
	m->until.us = net_now(access->status->setup.net).us + ttl_us;
	m->good = good;
	m->about_access = about_access;
	m->user = *user;
	m->token_size = token.size;
	memcpy(m->token, token.at, token.size);
}

/* ---- asking the apiserver ---- */

/* False: this user is too much for us. */
/* A zero inside would make it the shorter name of somebody else. */
static bool take_name(struct text name, struct user *user)
{
	return text_find(name, '\0') == name.size &&
		text_copy(name, user->name, sizeof(user->name));
}

static bool read_user(struct json_value value, struct user *user)
{
	struct groups groups;
	struct json_value list = json_get(value, "groups");
	struct json_value extra = json_get(value, "extra");
	struct json_walk walk = json_walk(list);
	/* First: what had escapes is no JSON any more when it has been read. */
	bool fits =
		text_copy(json_type(extra) == JSON_OBJECT && json_count(extra) > 0 ? json_raw(extra)
										   : TEXT(""),
			user->extra, sizeof(user->extra));
	groups_begin(&groups, user);
	while (json_walk_next(&walk))
		groups_add(&groups, json_text(walk.value));
	return groups_end(&groups) && fits &&
		take_name(json_text(json_get(value, "username")), user);
}

static void review_read(struct api_call *call, struct text json)
{
	struct status_review *review = LIST_OWNER(call, struct status_review, call);
	struct scratch *scratch = &review->access->scratch;
	struct scratch_mark mark = scratch_mark(scratch);
	struct json_value root;
	if (json_parse(json, scratch, &root) == JSON_PARSED) {
		struct json_value status = json_get(root, "status");
		review->is_read = true;
		review->yes = review->about_access
			? json_bool(json_get(status, "allowed"), false)
			: json_bool(json_get(status, "authenticated"), false) &&
				read_user(json_get(status, "user"), &review->user);
	}
	scratch_rewind(scratch, mark);
}

static void review_send(struct status_review *review, const char *path, const struct writer *body)
{
	const struct status_setup *setup = &review->access->status->setup;
	review->is_read = review->yes = false;
	api_call_start(&review->call, &review->access->caller,
		&(struct api_request){.purpose = API_REVIEW,
			.method = NET_POST,
			.path = text_of(path),
			.body = writer_text(body),
			.reader = {want_review, review_read, review->cut},
			.server = review->about_access ? setup->authorization
						       : setup->authentication});
}

static void begin_review(struct status_review *review, struct writer *w, struct json_writer *j,
	const char *version, const char *kind)
{
	writer_init(w, review->body, sizeof(review->body));
	json_write_init(j, w);
	json_open_object(j);
	json_member_z(j, "apiVersion", version);
	json_member_z(j, "kind", kind);
	json_key(j, "spec");
	json_open_object(j);
}

static void ask_token(struct status_review *review)
{
	struct writer w;
	struct json_writer j;
	review->about_access = false;
	begin_review(review, &w, &j, "authentication.k8s.io/v1", "TokenReview");
	json_member_text(&j, "token", (struct text){review->token, review->token_size});
	json_close_object(&j);
	json_close_object(&j);
	review_send(review, "/apis/authentication.k8s.io/v1/tokenreviews", &w);
}

static void ask_access(struct status_review *review)
{
	struct writer w;
	struct json_writer j;
	const struct status_answer *a = review->answer;
	review->about_access = true;
	begin_review(review, &w, &j, "authorization.k8s.io/v1", "SubjectAccessReview");
	json_key(&j, "nonResourceAttributes");
	json_open_object(&j);
	json_member_text(&j, "path", a->exchange->path);
	json_member_z(&j, "verb", verb_of(a));
	json_close_object(&j);
	json_member_z(&j, "user", review->user.name);
	json_key(&j, "groups");
	json_put_raw(&j, text_of(review->user.groups));
	if (review->user.extra[0] != '\0') {
		json_key(&j, "extra");
		json_put_raw(&j, text_of(review->user.extra));
	}
	json_close_object(&j);
	json_close_object(&j);
	review_send(review, "/apis/authorization.k8s.io/v1/subjectaccessreviews", &w);
}

/* ---- deciding ---- */

static void release(struct status_review *review)
{
	if (review->answer != NULL)
		review->answer->review = NULL;
	review->answer = NULL;
	memset(review->token, 0, review->token_size);
	review->token_size = 0;
}

static void end(struct status_review *review, bool good)
{
	struct status_answer *a = review->answer;
	char name[USER_MAX];
	memcpy(name, review->user.name, sizeof(name));
	release(review);
	if (a == NULL)
		return;
	if (good)
		status_route(a);
	else
		turn_down(a, 403, "Forbidden", name);
}

/* What the user wants, as it is remembered; empty: it is too long. */
static struct text wish_of(struct status_review *review)
{
	const struct status_answer *a = review->answer;
	struct writer w;
	memset(review->token, 0, sizeof(review->token));
	writer_init(&w, review->token, sizeof(review->token));
	write_format(&w, "%s %.*s %s", verb_of(a), TEXT_ARGS(a->exchange->path), review->user.name);
	review->token_size = w.overflowed ? 0 : w.used;
	return (struct text){review->token, review->token_size};
}

/* The user is known; may he? */
static void judge(struct status_review *review)
{
	struct access *access = review->access;
	const struct user *user = &review->user;
	const struct status_answer *a = review->answer;
	if (a == NULL) {
		release(review);
		return;
	}
	if (user->is_master ||
		(!user->is_anonymous && a->route->access == STATUS_FOR_API &&
			access->status->setup.options->page == OPTIONS_PAGE_TOKEN)) {
		end(review, true);
		return;
	}
	const struct memory *m = recall(access, wish_of(review), true);
	if (m != NULL && strcmp(m->user.groups, user->groups) == 0 &&
		strcmp(m->user.extra, user->extra) == 0)
		end(review, m->good);
	else if (review->token_size == 0)
		end(review, false); /* too long to be asked about */
	else
		ask_access(review);
}

static void access_reviewed(struct api_call *call, enum api_verdict verdict)
{
	struct status_review *review = LIST_OWNER(call, struct status_review, call);
	struct status_answer *a = review->answer;
	struct access *access = review->access;
	if (verdict != API_DONE || !review->is_read) {
		log_warn("status", "review-failed", "status=%u error=\"%.*s\"",
			(unsigned)call->request.answer.status, TEXT_ARGS(api_call_message(call)));
		release(review);
		if (a != NULL)
			status_refuse(a, 503, "the review by the apiserver failed");
	} else if (review->about_access) {
		remember(access, (struct text){review->token, review->token_size}, true,
			review->yes, &review->user);
		end(review, review->yes);
	} else {
		remember(access, (struct text){review->token, review->token_size}, false,
			review->yes, &review->user);
		if (review->yes) {
			judge(review);
			return;
		}
		release(review);
		if (a != NULL)
			turn_down(a, 401, "Unauthorized", "");
	}
}

/* NULL: none is free, and that was said. */
static struct status_review *take_review(struct status_answer *a, uint32_t first)
{
	struct access *access = a->status->access;
	for (uint32_t i = first; i < REVIEWS; i++) {
		struct status_review *review = &access->reviews[i];
		if (!api_call_is_over(&review->call))
			continue;
		review->answer = a;
		review->token_size = 0;
		a->review = review;
		return review;
	}
	status_refuse(a, 503, "too many reviews are under way");
	return NULL;
}

/* ---- who asks ---- */

static bool is_allowed_path(const struct status_answer *a)
{
	const struct options_words *paths = &a->status->setup.options->always_allow_paths;
	struct text path = a->exchange->path;
	for (uint32_t i = 0; i < paths->count; i++) {
		struct text p = paths->list[i];
		bool below = text_ends(p, TEXT("*"));
		if (below ? text_starts(path, text_first(p, p.size - 1)) : text_is(path, p))
			return true;
	}
	return false;
}

static struct text header(const struct status_answer *a, const char *name)
{
	return net_exchange_header(a->exchange, name, 0);
}

/* A browser says for whom it asks. Links may lead here from anywhere. */
static bool is_cross_site(const struct status_answer *a)
{
	struct text site = header(a, "sec-fetch-site"), origin = header(a, "origin");
	size_t colon = text_find(origin, ':');
	if (origin.at != NULL &&
		(origin.size < colon + 3 ||
			!text_is(text_from(origin, colon + 3), header(a, "host"))))
		return true;
	return site.at != NULL && !text_is_z(site, "same-origin") && !text_is_z(site, "none") &&
		(a->exchange->method != NET_GET ||
			!text_is_z(header(a, "sec-fetch-mode"), "navigate"));
}

static bool is_from_here(const struct net_address *peer)
{
	static const uint8_t six[16] = {[15] = 1},
			     mapped[13] = {[10] = 255, [11] = 255, [12] = 127};
	return peer->family == 4
		? peer->bytes[0] == 127
		: memcmp(peer->bytes, six, 16) == 0 || memcmp(peer->bytes, mapped, 13) == 0;
}

static bool is_named_here(struct text host)
{
	static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		struct text name = text_of(names[i]);
		if (text_starts(host, name) &&
			(host.size == name.size || host.at[name.size] == ':'))
			return true;
	}
	return false;
}

/* Whoever asks, without a question; `anonymous`: no credentials were shown. */
static bool is_open(const struct status_answer *a, bool anonymous)
{
	bool here = is_from_here(&a->exchange->peer);
	bool api = a->route->access == STATUS_FOR_API;
	if (here && !is_named_here(header(a, "host")))
		return false;
	/* Plain HTTP is what it was: whoever reaches the port may read metrics. */
	if (api ? a->status->setup.options->page == OPTIONS_PAGE_OPEN
		: !a->exchange->https &&
				(a->exchange->method == NET_GET || a->exchange->method == NET_HEAD))
		return true;
	/* Behind a proxy everybody is on this machine. */
	return here && anonymous && header(a, "x-forwarded-for").at == NULL &&
		header(a, "forwarded").at == NULL;
}

/* ---- credentials ---- */

static const struct options_words *words_of(
	const struct status_answer *a, enum authority_words which)
{
	return authorities_words(a->status->authorities, which);
}

/* {"scopes":["a","b"]} of all headers with one of the prefixes; each name once. */
static bool read_extra(const struct status_answer *a, struct user *user)
{
	const struct options_words *prefixes = words_of(a, AUTHORITY_EXTRAS);
	struct writer w;
	struct json_writer j;
	struct text line;
	bool any = false;
	writer_init(&w, user->extra, sizeof(user->extra) - 1);
	json_write_init(&j, &w);
	json_open_object(&j);
	for (uint32_t n = 0; (line = net_exchange_line(a->exchange, n)).at != NULL; n++) {
		char key[256];
		struct writer k;
		struct text name = text_first(line, text_find(line, ':'));
		uint32_t p = 0;
		while (p < prefixes->count && !text_starts(name, prefixes->list[p]))
			p++;
		if (p == prefixes->count)
			continue;
		bool again = false;
		for (uint32_t before = 0; before < n && !again; before++) {
			struct text other = net_exchange_line(a->exchange, before);
			again = text_is(text_first(other, text_find(other, ':')), name);
		}
		if (again)
			continue;
		writer_init(&k, key, sizeof(key));
		if (!net_unescape(text_from(name, prefixes->list[p].size), false, &k))
			return false;
		any = true;
		json_key_text(&j, writer_text(&k));
		json_open_array(&j);
		for (uint32_t m = n; (line = net_exchange_line(a->exchange, m)).at != NULL; m++)
			if (text_is(text_first(line, text_find(line, ':')), name))
				json_put_text(&j, text_from(line, name.size + 1));
		json_close_array(&j);
	}
	json_close_object(&j);
	user->extra[any ? w.used : 0] = '\0';
	return !w.overflowed;
}

/* A front proxy says who asks. False: it does not, or is not one of those that may. */
static bool read_proxied(
	const struct status_answer *a, const struct tls_client_names *names, struct user *user)
{
	const struct options_words *allowed = words_of(a, AUTHORITY_NAMES);
	const struct options_words *headers = words_of(a, AUTHORITY_USERS);
	struct groups groups;
	struct text value = TEXT_NONE;
	bool may = allowed->count == 0;
	char name[128];
	for (uint32_t i = 0; i < allowed->count && !may; i++)
		may = text_is(names->common_name, allowed->list[i]);
	if (!may || names->proof != TLS_PROOF_GOOD || !names->by_proxy_ca)
		return false;
	for (uint32_t i = 0; i < headers->count && value.size == 0; i++)
		if (text_copy(headers->list[i], name, sizeof(name)))
			value = header(a, name);
	if (value.size == 0 || !text_copy(value, user->name, sizeof(user->name)))
		return false;
	headers = words_of(a, AUTHORITY_GROUPS);
	groups_begin(&groups, user);
	for (uint32_t i = 0; i < headers->count; i++)
		for (uint32_t n = 0; text_copy(headers->list[i], name, sizeof(name)) &&
			(value = net_exchange_header(a->exchange, name, n)).at != NULL;
			n++)
			groups_add(&groups, value);
	return groups_end(&groups) && read_extra(a, user);
}

/* True: the certificate names a user, who is filled in. */
static bool read_certificate(const struct tls_client_names *names, struct user *user)
{
	struct groups groups;
	if (names->proof != TLS_PROOF_GOOD || !names->by_client_ca ||
		!take_name(names->common_name, user))
		return false;
	groups_begin(&groups, user);
	for (uint32_t i = 0; i < names->organization_count; i++)
		groups_add(&groups, names->organizations[i]);
	return groups_end(&groups);
}

static void read_nobody(struct user *user)
{
	struct groups groups;
	user->is_anonymous = true;
	CHECK(text_copy(TEXT("system:anonymous"), user->name, sizeof(user->name)));
	groups_begin(&groups, user);
	groups_add(&groups, TEXT("system:unauthenticated"));
	CHECK(groups_end(&groups));
}

static struct text token_of(const struct status_answer *a)
{
	struct text value = header(a, "authorization");
	if (!a->exchange->https || value.size < 8 || strncasecmp(value.at, "bearer ", 7) != 0)
		return TEXT_NONE;
	return text_trim(text_from(value, 7));
}

static void ask_about_user(struct status_answer *a, const struct user *user)
{
	struct status_review *review = take_review(a, user->is_anonymous ? REVIEWS / 2 : 0);
	if (review == NULL)
		return;
	review->user = *user;
	judge(review);
}

static void ask_about_token(struct status_answer *a, struct text token)
{
	const struct memory *m = recall(a->status->access, token, false);
	if (m != NULL && m->good) {
		ask_about_user(a, &m->user);
		return;
	}
	if (token.size > TOKEN_MAX || m != NULL) {
		turn_down(a, 401, "Unauthorized", "");
		return;
	}
	struct status_review *review = take_review(a, 0);
	if (review == NULL)
		return;
	review->user = (struct user){0};
	memcpy(review->token, token.at, token.size);
	review->token_size = token.size;
	ask_token(review);
}

static void ask_credentials(struct status_answer *a)
{
	struct tls_client_names names = {.proof = TLS_PROOF_NONE};
	struct user user = {.is_master = false};
	struct text token = token_of(a);
	if (a->exchange->https)
		net_exchange_client(a->exchange, &names);
	bool is_known = a->exchange->https &&
		(read_proxied(a, &names, &user) || read_certificate(&names, &user));
	bool anonymous = !is_known && token.size == 0 && names.proof == TLS_PROOF_NONE;
	if (is_open(a, anonymous)) {
		status_route(a);
	} else if (is_known) {
		ask_about_user(a, &user);
	} else if (token.size > 0) {
		ask_about_token(a, token);
	} else if (!anonymous) {
		turn_down(a, 401, "Unauthorized", "");
	} else {
		read_nobody(&user);
		/* Of paths below others there are as many as a stranger likes. */
		if (text_is_z(a->exchange->path, a->route->path))
			ask_about_user(a, &user);
		else
			turn_down(a, 403, "Forbidden", user.name);
	}
}

void access_ask(struct status_answer *a)
{
	bool is_page = a->route->access == STATUS_FOR_PAGE || a->route->access == STATUS_FOR_API;
	if (is_page && a->status->setup.options->page == OPTIONS_PAGE_NOBODY)
		status_reply(a, 404, status_plain, TEXT("404 page not found\n"));
	else if (a->route->access == STATUS_FOR_PAGE || is_allowed_path(a))
		status_route(a);
	else if (is_cross_site(a))
		status_refuse(a, 403, "not from another site");
	else
		ask_credentials(a);
}
