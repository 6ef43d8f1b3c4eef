/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access: may who asks have the answer?
 *
 * What kube-scheduler does: certificates of clients, then tokens (TokenReview), else anonymous;
 * then group system:masters, paths that are always allowed, else SubjectAccessReview.
 * What we do: the same, and besides
 *   - who is on this machine, shows no credentials and names this machine in the Host header (a
 *     page from elsewhere that got its name resolved to 127.0.0.1 does not) may look;
 *   - the page's own files are everybody's, they know nothing; --page-access says who may see
 *     what it shows;
 *   - a path is asked about only when there is something behind it.
 *
 * Answers are remembered for as long as the options say, few of them: a stranger with many tokens
 * costs the apiserver REVIEWS requests at a time and pushes out nobody's connection.
 */
#include <fcntl.h>
#include <strings.h>
#include <unistd.h>

#include "base/log.h"
#include "net/net.h"
#include "status/private.h"

enum {
	REVIEWS = 4,     /* at a time */
	REMEMBERED = 32, /* users, and what they may */
	TOKEN_MAX = 4096,
	USER_MAX = 256,
	GROUPS_MAX = 2048, /* as JSON */
	BODY_MAX = TOKEN_MAX + 512,
	PIECE_MAX = 8 * 1024,
	SCRATCH_MAX = 32 * 1024,
	CA_MAX = 64 * 1024,
	TIMEOUT_MS = 10 * 1000
};

struct user {
	char name[USER_MAX];
	char groups[GROUPS_MAX]; /* JSON: ["a","b"] */
	bool is_master;
};

/* What a token, or a user and a path, were told. */
struct memory {
	struct mono until;
	bool good;
	const struct status_route *route; /* NULL: about the token */
	size_t token_size;
	char token[TOKEN_MAX]; /* or the user's name */
	struct user user;
};

struct status_review {
	struct access *access;
	struct status_answer *answer; /* NULL: free, or who asked has gone */
	bool under_way;
	bool about_access; /* else about the token */
	struct net_request request;
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
	struct status_review reviews[REVIEWS];
	struct memory memories[REMEMBERED];
	uint32_t next; /* to be forgotten */
	struct scratch scratch;
};

static const struct json_want want_user[] = {{"username", NULL}, {"groups", NULL}, {NULL, NULL}};
static const struct json_want want_status[] = {
	{"authenticated", NULL}, {"allowed", NULL}, {"user", want_user}, {NULL, NULL}};
static const struct json_want want_review[] = {{"status", want_status}, {NULL, NULL}};

/* ---- setting up ---- */

size_t access_size(void)
{
	return sizeof(struct access) + REVIEWS * (json_cut_size(PIECE_MAX) + 32) + SCRATCH_MAX +
		2 * CA_MAX + 64;
}

struct access *access_open(struct status *status, struct arena *arena)
{
	struct access *access = ARENA_ARRAY(arena, struct access, 1);
	access->status = status;
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
	for (uint32_t i = 0; i < REVIEWS; i++)
		if (access->reviews[i].under_way)
			net_cancel(&access->reviews[i].request);
}

void access_forget(struct status_answer *a)
{
	if (a->review != NULL)
		a->review->answer = NULL; /* the apiserver's answer is remembered all the same */
	a->review = NULL;
}

bool access_read_ca(const char *path, struct arena *arena, struct text *pem, struct writer *fault)
{
	char *to = arena_take_raw(arena, CA_MAX);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, to, CA_MAX);
	if (fd >= 0)
		(void)close(fd);
	if (got <= 0 || got == CA_MAX) {
		write_format(fault, "%s: cannot be read, or is too large", path);
		return false;
	}
	*pem = (struct text){to, (size_t)got};
	return true;
}

/* ---- refusing ---- */

/* As kube-scheduler answers: a Status. */
static void turn_down(struct status_answer *a, uint16_t code, const char *reason, const char *user)
{
	char message[USER_MAX + 256];
	struct writer m;
	struct writer w;
	struct json_writer j;
	writer_init(&m, message, sizeof(message));
	if (code == 401)
		write_z(&m, "Unauthorized");
	else
		write_format(&m, "forbidden: User \"%s\" cannot %s path \"%s\"", user,
			a->route->post ? "post" : "get", a->route->path);
	writer_init(&w, a->piece, sizeof(a->piece));
	json_write_init(&j, &w);
	json_open_object(&j);
	json_member_z(&j, "kind", "Status");
	json_member_z(&j, "apiVersion", "v1");
	json_key(&j, "metadata");
	json_open_object(&j);
	json_close_object(&j);
	json_member_z(&j, "status", "Failure");
	json_member_text(&j, "message", writer_text(&m));
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

static struct memory *recall(
	struct access *access, struct text token, const struct status_route *route)
{
	struct mono now = net_now(access->status->setup.net);
	for (uint32_t i = 0; i < REMEMBERED; i++) {
		struct memory *m = &access->memories[i];
		if (m->token_size == token.size && m->route == route && token.size > 0 &&
			memcmp(m->token, token.at, token.size) == 0 && !mono_reached(now, m->until))
			return m;
	}
	return NULL;
}

static void remember(struct access *access, struct text token, const struct status_route *route,
	bool good, const struct user *user)
{
	const struct options *o = access->status->setup.options;
	int64_t ttl_us = route == NULL ? o->token_ttl_us
		: good                 ? o->authorized_ttl_us
				       : o->unauthorized_ttl_us;
	struct memory *m = &access->memories[access->next++ % REMEMBERED];
	if (ttl_us <= 0 || token.size > sizeof(m->token))
		return;
	m->until.us = net_now(access->status->setup.net).us + ttl_us;
	m->good = good;
	m->route = route;
	m->user = *user;
	m->token_size = token.size;
	memcpy(m->token, token.at, token.size);
}

/* ---- asking the apiserver ---- */

static bool on_piece(void *self, struct json_piece piece)
{
	struct status_review *review = self;
	struct scratch *scratch = &review->access->scratch;
	struct scratch_mark mark = scratch_mark(scratch);
	struct json_value root;
	if (piece.kind == JSON_PIECE_LINE &&
		json_parse(piece.text, scratch, &root) == JSON_PARSED) {
		struct user *user = &review->user;
		review->is_read = true;
		review->yes = json_bool(
			json_path(root,
				review->about_access ? "status.allowed" : "status.authenticated"),
			false);
		if (!review->about_access && review->yes) {
			struct json_value groups = json_path(root, "status.user.groups");
			struct text raw = json_raw(groups);
			/* Read below: what had escapes is no JSON afterwards. */
			if (json_type(groups) != JSON_ARRAY || raw.size >= GROUPS_MAX)
				raw = TEXT("[]");
			CHECK(text_copy(raw, user->groups, sizeof(user->groups)));
			user->is_master = false;
			struct json_walk walk = json_walk(groups);
			while (json_walk_next(&walk))
				if (text_is_z(json_text(walk.value), "system:masters"))
					user->is_master = true;
			review->yes = text_copy(json_text(json_path(root, "status.user.username")),
				user->name, sizeof(user->name));
		}
	}
	scratch_rewind(scratch, mark);
	return false;
}

static enum net_flow on_body(struct net_request *request, struct text bytes)
{
	struct status_review *review = LIST_OWNER(request, struct status_review, request);
	if (!review->is_read && json_cut_feed(review->cut, bytes) == JSON_CUT_BROKEN)
		return NET_STOP;
	return NET_MORE;
}

static void on_reviewed(struct net_request *request);

static void send(struct status_review *review, const char *path, const struct writer *body)
{
	review->under_way = true;
	review->is_read = review->yes = false;
	json_cut_start(review->cut, JSON_CUT_LINES, want_review, NULL, on_piece, review);
	review->request = (struct net_request){
		.class = NET_READ,
		.method = NET_POST,
		.path = text_of(path),
		.body = writer_text(body),
		.timeout_ms = TIMEOUT_MS,
		.body_max = 64 * 1024,
		.on_body = on_body,
		.on_done = on_reviewed,
	};
	net_send(review->access->status->setup.client, &review->request);
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
	send(review, "/apis/authentication.k8s.io/v1/tokenreviews", &w);
}

static void ask_access(struct status_review *review)
{
	struct writer w;
	struct json_writer j;
	const struct status_route *route = review->answer->route;
	review->about_access = true;
	begin_review(review, &w, &j, "authorization.k8s.io/v1", "SubjectAccessReview");
	json_key(&j, "nonResourceAttributes");
	json_open_object(&j);
	json_member_z(&j, "path", route->path);
	json_member_z(&j, "verb", route->post ? "post" : "get");
	json_close_object(&j);
	json_member_z(&j, "user", review->user.name);
	json_key(&j, "groups");
	json_put_raw(&j, text_of(review->user.groups));
	json_close_object(&j);
	json_close_object(&j);
	send(review, "/apis/authorization.k8s.io/v1/subjectaccessreviews", &w);
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

/* The user is known; may he? */
static void judge(struct status_review *review)
{
	struct access *access = review->access;
	if (review->answer == NULL) {
		release(review);
		return;
	}
	if (review->user.is_master) {
		end(review, true);
		return;
	}
	const struct memory *m = recall(access, text_of(review->user.name), review->answer->route);
	if (m != NULL && strcmp(m->user.groups, review->user.groups) == 0)
		end(review, m->good);
	else
		ask_access(review);
}

static void on_reviewed(struct net_request *request)
{
	struct status_review *review = LIST_OWNER(request, struct status_review, request);
	struct status_answer *a = review->answer;
	struct access *access = review->access;
	bool is_answer = request->answer.result == NET_OK && request->answer.status / 100 == 2 &&
		review->is_read;
	review->under_way = false;
	if (!is_answer) {
		log_warn("status", "review-failed", "result=%s status=%u",
			net_result_name(request->answer.result), (unsigned)request->answer.status);
		release(review);
		if (a != NULL)
			status_refuse(a, 503, "the apiserver does not say who you are");
	} else if (review->about_access) {
		if (a != NULL)
			remember(access, text_of(review->user.name), a->route, review->yes,
				&review->user);
		end(review, review->yes);
	} else {
		remember(access, (struct text){review->token, review->token_size}, NULL,
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

static struct status_review *take_review(struct status_answer *a)
{
	struct access *access = a->status->access;
	for (uint32_t i = 0; i < REVIEWS; i++) {
		struct status_review *review = &access->reviews[i];
		if (review->under_way)
			continue;
		review->answer = a;
		review->user = (struct user){0};
		review->token_size = 0;
		a->review = review;
		return review;
	}
	status_refuse(a, 503, "too many are being asked who they are");
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

static bool is_this_machine(const struct status_answer *a)
{
	static const char *const hosts[] = {"localhost", "127.0.0.1", "[::1]"};
	struct text host = net_exchange_header(a->exchange, "host", 0);
	const struct net_address *peer = &a->exchange->peer;
	static const uint8_t six[16] = {[15] = 1},
			     mapped[13] = {[10] = 255, [11] = 255, [12] = 127};
	if (peer->family == 4
			? peer->bytes[0] != 127
			: memcmp(peer->bytes, six, 16) != 0 && memcmp(peer->bytes, mapped, 13) != 0)
		return false;
	/* Behind a proxy everybody is on this machine. */
	if (net_exchange_header(a->exchange, "x-forwarded-for", 0).at != NULL ||
		net_exchange_header(a->exchange, "forwarded", 0).at != NULL)
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(hosts); i++) {
		struct text name = text_of(hosts[i]);
		if (text_starts(host, name) &&
			(host.size == name.size || host.at[name.size] == ':'))
			return true;
	}
	return false;
}

/* True: the certificate names a user, who is filled in. */
static bool read_certificate(const struct net_client_names *names, struct user *user)
{
	struct writer w;
	struct json_writer j;
	if (names->proof != NET_PROOF_GOOD || !names->by_client_ca ||
		!text_copy(names->common_name, user->name, sizeof(user->name)))
		return false;
	writer_init(&w, user->groups, sizeof(user->groups) - 1);
	json_write_init(&j, &w);
	json_open_array(&j);
	for (uint32_t i = 0; i < names->organization_count; i++) {
		json_put_text(&j, names->organizations[i]);
		if (text_is_z(names->organizations[i], "system:masters"))
			user->is_master = true;
	}
	json_put_z(&j, "system:authenticated");
	json_close_array(&j);
	user->groups[w.used] = '\0';
	return !w.overflowed;
}

static struct text token_of(const struct status_answer *a)
{
	struct text value = net_exchange_header(a->exchange, "authorization", 0);
	if (!a->exchange->https || value.size < 8 || strncasecmp(value.at, "bearer ", 7) != 0)
		return TEXT_NONE;
	return text_trim(text_from(value, 7));
}

static void ask_about_token(struct status_answer *a, struct text token)
{
	const struct memory *m = recall(a->status->access, token, NULL);
	if (token.size > TOKEN_MAX || (m != NULL && !m->good)) {
		turn_down(a, 401, "Unauthorized", "");
		return;
	}
	struct status_review *review = take_review(a);
	if (review == NULL)
		return;
	if (m != NULL) {
		review->user = m->user;
		judge(review);
		return;
	}
	memcpy(review->token, token.at, token.size);
	review->token_size = token.size;
	ask_token(review);
}

static bool is_open(const struct status_answer *a)
{
	const struct options *o = a->status->setup.options;
	if (a->route->access == STATUS_FOR_PAGE || is_allowed_path(a))
		return true;
	if (a->route->access == STATUS_FOR_API)
		return o->page == OPTIONS_PAGE_ANYONE;
	/* Plain HTTP is what it was: whoever reaches the port may read metrics. */
	return !a->exchange->https;
}

void access_ask(struct status_answer *a)
{
	const struct options *o = a->status->setup.options;
	struct net_client_names names;
	struct user user = {.is_master = false};
	bool is_page = a->route->access == STATUS_FOR_PAGE || a->route->access == STATUS_FOR_API;
	if (is_page && o->page == OPTIONS_PAGE_NOBODY) {
		status_reply(a, 404, status_plain, TEXT("404 page not found\n"));
		return;
	}
	if (is_open(a)) {
		status_route(a);
		return;
	}
	net_exchange_client(a->exchange, &names);
	struct text token = token_of(a);
	if (read_certificate(&names, &user)) {
		struct status_review *review = take_review(a);
		if (review == NULL)
			return;
		review->user = user;
		judge(review);
	} else if (token.size > 0) {
		ask_about_token(a, token);
	} else if (names.proof == NET_PROOF_BAD) {
		turn_down(a, 401, "Unauthorized", "");
	} else if (is_this_machine(a)) {
		status_route(a);
	} else {
		turn_down(a, 403, "Forbidden", "system:anonymous");
	}
}
