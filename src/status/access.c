/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access: may who asks have the answer?
 *
 * What kube-scheduler does: front proxies that say who asks, certificates of clients, tokens
 * (TokenReview), else anonymous; what was shown and does not hold is a 401. Then group
 * system:masters, paths that are always allowed, else SubjectAccessReview.
 * What we do: the same, and besides
 *   - what the page shows of the cluster is for those who may list pods and nodes of all of it:
 *     that is asked, not whether they may read a path, which is allowed to many without a thought;
 *   - the page's own files are everybody's, they know nothing; --page-access says who else may
 *     read without credentials, such as peers on this machine, and that ends with any sign
 *     of a proxy, since behind one everybody is on this machine;
 *   - what changes something always needs credentials, and is logged;
 *   - a path is asked about only when there is something behind it;
 *   - what needs no credentials needs the right name: a page from elsewhere that got its own name
 *     resolved to 127.0.0.1 says that name in its Host header. And what a browser says to be asked
 *     for by another site is refused for every user: certificates are shown without being asked
 * for.
 *
 * Answers are remembered for as long as the options say. What is not remembered is asked of the
 * apiserver: REVIEWS at a time, one of a peer, so many a second; the others wait, first those whom
 * nothing is known against. Who waits too long, or was refused before and finds others waiting, is
 * asked to come again.
 */
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/rate.h"
#include "http/http.h"
#include "status/access_private.h"

enum {
	REVIEWS = 4, /* at a time; who shows nothing at all has half of them */
	BODY_MAX = ACCESS_GROUPS_MAX + ACCESS_EXTRA_MAX + 4 * ACCESS_USER_MAX + 2 * ACCESS_UID_MAX,
	PIECE_MAX = 24 * 1024,
	SCRATCH_MAX = 64 * 1024,
	WAIT_MS = 3000,
	WAIT_LOOK_MS = 20,
	WAITING_OF_REFUSED = 4, /* so many may wait when one comes who was refused before */
	WAITING_OF_PEER = 6,
	WISH_MAX = 512
};

/* What must be allowed for an answer: of the page both, else only the path. */
static const struct {
	const char *resource;
} page_rights[] = {{"pods"}, {"nodes"}};

struct status_review {
	struct access *access;
	struct status_answer *answer; /* NULL: free, or who asked has gone */
	struct net_address peer;
	bool about_access;       /* else about the token */
	struct tls_digest token; /* that is asked about */
	struct tls_digest right; /* of the user, that is asked about ... */
	uint32_t right_index;    /* ... of those of the answer */
	struct api_call call;
	struct access_user user;
	size_t body_size;
	char *body; /* BODY_MAX bytes */
	struct json_cut *cut;
	bool is_read;
	bool yes;
};

struct access {
	struct status *status;
	struct api_caller caller;
	struct status_review reviews[REVIEWS];
	struct access_memories memories;
	struct access_peers peers;
	struct rate rate;
	struct net_timer look;              /* at those who wait */
	const struct status_answer *chosen; /* of them, to be asked about now */
	struct access_user who;             /* asks, while that is found out */
	struct scratch scratch;
};

static const struct json_want want_user[] = {
	{"username", NULL}, {"uid", NULL}, {"groups", NULL}, {"extra", NULL}, {NULL, NULL}};
static const struct json_want want_status[] = {
	{"authenticated", NULL}, {"allowed", NULL}, {"user", want_user}, {NULL, NULL}};
static const struct json_want want_review[] = {{"status", want_status}, {NULL, NULL}};

static void access_reviewed(struct api_call *call, enum api_verdict verdict);
static void look_at_waiting(struct net_timer *timer, struct mono now);

/* ---- setting up ---- */

size_t access_size(void)
{
	return sizeof(struct access) + REVIEWS * (json_cut_size(PIECE_MAX) + BODY_MAX + 48) +
		SCRATCH_MAX + 64;
}

struct access *access_open(struct status *status, struct arena *arena)
{
	struct access *access = ARENA_ARRAY(arena, struct access, 1);
	access->status = status;
	access->caller = (struct api_caller){
		.client = status->setup.scheduler->api, .name = "reviews", .done = access_reviewed};
	api_caller_init(&access->caller);
	net_timer_init(&access->look, look_at_waiting);
	scratch_init(&access->scratch, arena_take_raw(arena, SCRATCH_MAX), SCRATCH_MAX);
	for (uint32_t i = 0; i < REVIEWS; i++) {
		size_t size = json_cut_size(PIECE_MAX);
		access->reviews[i].access = access;
		access->reviews[i].body = arena_take_raw(arena, BODY_MAX);
		access->reviews[i].cut = json_cut_init(arena_take(arena, size), size, PIECE_MAX);
	}
	return access;
}

void access_close(struct access *access)
{
	net_timer_disarm(&access->look);
	api_caller_close(&access->caller);
}

void access_forget(struct status_answer *a)
{
	if (a->review != NULL)
		a->review->answer = NULL; /* the apiserver's answer is remembered all the same */
	a->review = NULL;
	a->waits = false;
}

/* ---- what is wanted ---- */

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

static bool is_about_page(const struct status_answer *a)
{
	return a->route->access == STATUS_FOR_API;
}

static uint32_t rights_of(const struct status_answer *a)
{
	return is_about_page(a) ? ARRAY_COUNT(page_rights) : 1;
}

/* What is read or only computed changes nothing. */
static bool would_change(const struct status_answer *a)
{
	return a->exchange->method == NET_PUT || a->exchange->method == NET_DELETE ||
		a->exchange->method == NET_PATCH;
}

/* The nth thing that must be allowed, as it is remembered of this user. */
static struct tls_digest right_of(
	const struct status_answer *a, uint32_t n, const struct tls_digest *user)
{
	const char *first = is_about_page(a) ? "list" : verb_of(a);
	struct text second =
		is_about_page(a) ? text_of(page_rights[n].resource) : a->exchange->path;
	const struct text texts[] = {
		{(const char *)user->bytes, sizeof(user->bytes)}, text_of(first), second};
	return tls_digest(texts, ARRAY_COUNT(texts));
}

/* ---- refusing ---- */

static void access_put_status(struct status_answer *a, uint16_t code, const char *reason,
	struct text message, const char *headers)
{
	struct writer w;
	struct json_writer j;
	writer_init(&w, a->piece, sizeof(a->piece));
	json_write_init(&j, &w);
	json_open_object(&j);
	json_member_z(&j, "kind", "Status");
	json_member_z(&j, "apiVersion", "v1");
	json_member_object(&j, "metadata");
	json_close_object(&j);
	json_member_z(&j, "status", "Failure");
	json_member_text(&j, "message", message);
	json_member_z(&j, "reason", reason);
	if (code == 403) {
		json_member_object(&j, "details");
		json_close_object(&j);
	}
	json_member_i64(&j, "code", code);
	json_close_object(&j);
	status_reply_with(a, code, status_json, headers, writer_text(&w));
}

static void turn_down(struct status_answer *a)
{
	access_put_status(
		a, 401, "Unauthorized", TEXT("Unauthorized"), "WWW-Authenticate: Bearer\r\n");
}

/* As kube-scheduler and the apiserver say it. */
static void forbid(struct status_answer *a, uint32_t right, const char *user)
{
	char message[ACCESS_USER_MAX + 512];
	struct writer m;
	writer_init(&m, message, sizeof(message));
	if (is_about_page(a))
		write_format(&m,
			"forbidden: User \"%s\" cannot list resource \"%s\" in API group \"\" at "
			"the cluster scope",
			user, page_rights[right].resource);
	else
		write_format(&m, "forbidden: User \"%s\" cannot %s path \"%.*s\"", user, verb_of(a),
			TEXT_ARGS(a->exchange->path));
	access_put_status(
		a, 403, "Forbidden", m.overflowed ? TEXT("forbidden") : writer_text(&m), "");
}

static void come_again(struct status_answer *a)
{
	status_refuse(a, 429, "too many reviews are under way; retry");
}

/* ---- letting in ---- */

/* `user`: NULL when no user was asked for. */
static void let_in(struct status_answer *a, const char *user)
{
	if (would_change(a)) {
		char from[64];
		struct writer w;
		CHECK(user != NULL);
		writer_init(&w, from, sizeof(from));
		net_address_write(&w, &a->exchange->peer);
		log_info("status", "changed-by-request",
			"user=\"%s\" verb=%s path=\"%.*s\" from=%.*s", user, verb_of(a),
			TEXT_ARGS(a->exchange->path), TEXT_ARGS(writer_text(&w)));
	}
	status_route(a);
}

struct subject {
	struct tls_digest digest;
	const char *name;
	bool is_master, is_anonymous;
};

static struct subject subject_of(const struct access_user *user)
{
	return (struct subject){.digest = access_user_digest(user),
		.name = user->name,
		.is_master = user->is_master,
		.is_anonymous = user->is_anonymous};
}

/* From this right on. False: the apiserver has to be asked about the one that it ends at. */
static bool judge(struct status_answer *a, const struct subject *who, uint32_t *right)
{
	const struct access *access = a->status->access;
	struct mono now = net_now(a->status->setup.net);
	bool anybody = is_about_page(a) && a->status->setup.options->page == OPTIONS_PAGE_TOKEN;
	if (who->is_master || (anybody && !who->is_anonymous))
		*right = rights_of(a);
	for (; *right < rights_of(a); (*right)++) {
		struct tls_digest key = right_of(a, *right, &who->digest);
		if (access_recall(&access->memories, ACCESS_RIGHTS_BAD, &key, now) != NULL) {
			forbid(a, *right, who->name);
			return true;
		}
		if (access_recall(&access->memories, ACCESS_RIGHTS_GOOD, &key, now) == NULL)
			return false;
	}
	if (!who->is_anonymous)
		net_exchange_vouch(a->exchange);
	let_in(a, who->name);
	return true;
}

/* ---- asking the apiserver ---- */

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
				access_read_reviewed(json_get(status, "user"), &review->user);
	}
	scratch_rewind(scratch, mark);
}

static void review_begin(struct status_review *review, struct writer *w, struct json_writer *j,
	const char *version, const char *kind)
{
	writer_init(w, review->body, BODY_MAX);
	json_write_init(j, w);
	json_open_object(j);
	json_member_z(j, "apiVersion", version);
	json_member_z(j, "kind", kind);
	json_member_object(j, "spec");
}

/* False: it is too much to be asked. */
static bool review_send(struct status_review *review, const char *path, const struct writer *body)
{
	const struct status_setup *setup = &review->access->status->setup;
	review->is_read = review->yes = false;
	review->body_size = body->used;
	if (body->overflowed)
		return false;
	api_call_start(&review->call, &review->access->caller,
		&(struct api_request){.purpose = API_REVIEW,
			.method = NET_POST,
			.path = text_of(path),
			.body = writer_text(body),
			.reader = {want_review, review_read, review->cut},
			.server = review->about_access ? setup->authorization
						       : setup->authentication});
	return true;
}

static bool ask_token(struct status_review *review, struct text token)
{
	struct writer w;
	struct json_writer j;
	review->about_access = false;
	review_begin(review, &w, &j, "authentication.k8s.io/v1", "TokenReview");
	json_member_text(&j, "token", token);
	json_close_object(&j);
	json_close_object(&j);
	return review_send(review, "/apis/authentication.k8s.io/v1/tokenreviews", &w);
}

static void put_attributes(struct json_writer *j, const struct status_answer *a, uint32_t right)
{
	if (is_about_page(a)) {
		json_member_object(j, "resourceAttributes");
		json_member_z(j, "verb", "list");
		json_member_z(j, "version", "v1");
		json_member_z(j, "resource", page_rights[right].resource);
	} else {
		json_member_object(j, "nonResourceAttributes");
		json_member_text(j, "path", a->exchange->path);
		json_member_z(j, "verb", verb_of(a));
	}
	json_close_object(j);
}

static bool ask_access(struct status_review *review, uint32_t right, const struct tls_digest *user)
{
	struct writer w;
	struct json_writer j;
	const struct status_answer *a = review->answer;
	review->about_access = true;
	review->right = right_of(a, right, user);
	review_begin(review, &w, &j, "authorization.k8s.io/v1", "SubjectAccessReview");
	put_attributes(&j, a, right);
	json_member_z(&j, "user", review->user.name);
	json_key(&j, "groups");
	json_put_raw(&j, text_of(review->user.groups));
	if (review->user.uid[0] != '\0')
		json_member_z(&j, "uid", review->user.uid);
	if (review->user.extra[0] != '\0') {
		json_key(&j, "extra");
		json_put_raw(&j, text_of(review->user.extra));
	}
	json_close_object(&j);
	json_close_object(&j);
	return review_send(review, "/apis/authorization.k8s.io/v1/subjectaccessreviews", &w);
}

/* ---- a review, from taken to released ---- */

static void release(struct status_review *review)
{
	if (review->answer != NULL)
		review->answer->review = NULL;
	review->answer = NULL;
	explicit_bzero(review->body, review->body_size); /* a token stood in it */
	review->body_size = 0;
	review->peer.family = 0;
	if (!net_timer_is_armed(&review->access->look))
		net_timer_arm(review->access->status->setup.net, &review->access->look,
			net_now(review->access->status->setup.net));
}

/* The user is known, and all rights before this one are; may he? */
static void review_user(struct status_review *review, uint32_t right)
{
	struct status_answer *a = review->answer;
	struct subject who = subject_of(&review->user);
	if (a == NULL) {
		release(review);
		return;
	}
	review->answer = NULL;
	a->review = NULL;
	if (judge(a, &who, &right)) {
		release(review);
		return;
	}
	review->answer = a;
	a->review = review;
	review->right_index = right;
	if (ask_access(review, right, &who.digest))
		return;
	release(review);
	forbid(a, right, who.name);
}

static void review_keep(struct status_review *review)
{
	struct access *access = review->access;
	const struct options *o = access->status->setup.options;
	struct mono now = net_now(access->status->setup.net);
	int64_t ttl_us = !review->about_access ? o->token_ttl_us
		: review->yes                  ? o->authorized_ttl_us
					       : o->unauthorized_ttl_us;
	enum access_table table = review->about_access ? ACCESS_RIGHTS_BAD : ACCESS_TOKENS_BAD;
	if (review->yes)
		table++;
	else
		access_peer_refused(&access->peers, &review->peer, now);
	access_remember(&access->memories, table,
		review->about_access ? &review->right : &review->token, now, ttl_us, &review->user);
}

static void access_reviewed(struct api_call *call, enum api_verdict verdict)
{
	struct status_review *review = LIST_OWNER(call, struct status_review, call);
	struct status_answer *a = review->answer;
	if (verdict != API_DONE || !review->is_read) {
		log_warn("status", "review-failed", "status=%u error=\"%.*s\"",
			(unsigned)call->request.answer.status, TEXT_ARGS(api_call_message(call)));
		release(review);
		if (a != NULL)
			status_refuse(a, 503, "the review by the apiserver failed");
		return;
	}
	review_keep(review);
	if (review->yes) {
		review_user(review, review->about_access ? review->right_index + 1 : 0);
		return;
	}
	bool about_access = review->about_access;
	release(review);
	if (a == NULL)
		return;
	if (about_access)
		forbid(a, review->right_index, review->user.name);
	else
		turn_down(a);
}

/* ---- who is asked about next ---- */

static struct status_review *free_review(struct access *access)
{
	for (uint32_t i = 0; i < REVIEWS; i++)
		if (api_call_is_over(&access->reviews[i].call))
			return &access->reviews[i];
	return NULL;
}

/* Asked about no other at the moment, nor refused just now. */
static bool peer_may_be_next(
	const struct access *access, const struct net_address *peer, struct mono now)
{
	const struct access_peer *known = access_peer_find(&access->peers, peer, now);
	for (uint32_t i = 0; i < REVIEWS; i++)
		if (!api_call_is_over(&access->reviews[i].call) &&
			access->reviews[i].peer.family != 0 &&
			net_address_is_same_peer(&access->reviews[i].peer, peer))
			return false;
	return known == NULL || mono_reached(now, known->next);
}

/* The nth of all answers, of both doors; NULL: there are no more. */
static struct status_answer *nth_answer(struct status *status, uint32_t n)
{
	const struct status_door *secure = &status->secure, *plain = &status->plain;
	if (n < secure->answer_count)
		return &secure->answers[n];
	n -= secure->answer_count;
	return n < plain->answer_count ? &plain->answers[n] : NULL;
}

static uint32_t count_waiting(struct status *status, const struct net_address *peer)
{
	struct status_answer *a;
	uint32_t count = 0;
	for (uint32_t i = 0; (a = nth_answer(status, i)) != NULL; i++)
		count += a->waits &&
			(peer == NULL || net_address_is_same_peer(&a->exchange->peer, peer));
	return count;
}

static void let_wait(struct status_answer *a)
{
	struct status *status = a->status;
	struct access *access = status->access;
	struct mono now = net_now(status->setup.net);
	const struct net_address *peer = &a->exchange->peer;
	bool refused = access_peer_find(&access->peers, peer, now) != NULL;
	if ((refused && count_waiting(status, NULL) >= WAITING_OF_REFUSED) ||
		count_waiting(status, peer) >= WAITING_OF_PEER) {
		come_again(a);
		return;
	}
	a->waits = true;
	a->waits_since = now;
	if (!net_timer_is_armed(&access->look))
		net_timer_arm(status->setup.net, &access->look, now);
}

/* NULL: it waits, or was told to come again. */
static struct status_review *take_review(struct status_answer *a)
{
	struct access *access = a->status->access;
	struct mono now = net_now(access->status->setup.net);
	struct status_review *review = free_review(access);
	if (a != access->chosen) {
		let_wait(a);
		return NULL;
	}
	CHECK(review != NULL);
	rate_take(&access->rate, now, ACCESS_RATE_US);
	review->answer = a;
	review->peer = a->exchange->peer;
	a->review = review;
	return review;
}

/* First peers with nothing known against them, then those refused least, then those that wait
 * longest. */
static struct status_answer *choose_waiting(struct access *access, struct mono now)
{
	struct status_answer *best = NULL, *a;
	uint32_t best_refused = 0;
	if (free_review(access) == NULL ||
		!mono_reached(now, rate_due(&access->rate, now, ACCESS_RATE_US, ACCESS_BURST)))
		return NULL;
	for (uint32_t i = 0; (a = nth_answer(access->status, i)) != NULL; i++) {
		if (!a->waits || !peer_may_be_next(access, &a->exchange->peer, now))
			continue;
		const struct access_peer *known =
			access_peer_find(&access->peers, &a->exchange->peer, now);
		uint32_t refused = known == NULL ? 0 : known->refused;
		if (best == NULL || refused < best_refused ||
			(refused == best_refused && a->waits_since.us < best->waits_since.us)) {
			best = a;
			best_refused = refused;
		}
	}
	return best;
}

static void ask_credentials(struct status_answer *a);

static void look_at_waiting(struct net_timer *timer, struct mono now)
{
	struct access *access = LIST_OWNER(timer, struct access, look);
	struct status_answer *a;
	while ((a = choose_waiting(access, now)) != NULL) {
		a->waits = false;
		access->chosen = a;
		ask_credentials(a);
		access->chosen = NULL;
	}
	for (uint32_t i = 0; (a = nth_answer(access->status, i)) != NULL; i++) {
		if (!a->waits || !mono_reached(now, mono_after_ms(a->waits_since, WAIT_MS)))
			continue;
		a->waits = false;
		come_again(a);
	}
	if (count_waiting(access->status, NULL) > 0)
		net_timer_arm(
			access->status->setup.net, &access->look, mono_after_ms(now, WAIT_LOOK_MS));
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

/* A proxy passed this on: lines that proxies add begin so. */
static bool is_passed_on(const struct status_answer *a)
{
	static const char *const signs[] = {"via:", "forwarded:", "x-real-ip:", "x-forwarded-",
		"x-original-", "x-client-ip:", "x-envoy-", "true-client-ip:", "cf-", "x-remote-",
		"impersonate-"};
	struct text line;
	for (uint32_t n = 0; (line = net_exchange_line(a->exchange, n)).at != NULL; n++)
		for (size_t i = 0; i < ARRAY_COUNT(signs); i++)
			if (text_starts(line, text_of(signs[i])))
				return true;
	return a->exchange->http_1_0; /* as nginx asks unless it is told otherwise */
}

/* What needs no question to the apiserver; `anonymous`: no credentials were shown. */
static bool is_open(const struct status_answer *a, bool anonymous)
{
	enum options_page page = a->status->setup.options->page;
	bool here = is_from_here(&a->exchange->peer);
	if (would_change(a))
		return false;
	if (here && !is_named_here(header(a, "host")))
		return false;
	if (is_about_page(a) && page == OPTIONS_PAGE_OPEN)
		return true;
	/* Plain HTTP is what it was: every peer that reaches the port may read metrics. */
	if (!is_about_page(a) && !a->exchange->https)
		return true;
	return page == OPTIONS_PAGE_LOOPBACK && here && anonymous && !is_passed_on(a);
}

static struct text bearer_of(const struct status_answer *a)
{
	struct text value = header(a, "authorization");
	if (!a->exchange->https || value.size < 8 || strncasecmp(value.at, "bearer ", 7) != 0)
		return TEXT_NONE;
	return text_trim(text_from(value, 7));
}

static void ask_about_user(struct status_answer *a, const struct access_user *user)
{
	struct subject who = subject_of(user);
	struct status_review *review;
	uint32_t right = 0;
	if (judge(a, &who, &right) || (review = take_review(a)) == NULL)
		return;
	review->user = *user;
	review_user(review, right);
}

static void ask_about_token(struct status_answer *a, struct text token)
{
	struct access *access = a->status->access;
	struct mono now = net_now(a->status->setup.net);
	struct tls_digest key = tls_digest(&token, 1);
	const struct access_memory *m =
		access_recall(&access->memories, ACCESS_TOKENS_GOOD, &key, now);
	struct status_review *review;
	uint32_t right = 0;
	if (m != NULL &&
		judge(a,
			&(struct subject){.digest = m->user,
				.name = access_name_of(&access->memories, m),
				.is_master = m->is_master,
				.is_anonymous = m->is_anonymous},
			&right))
		return;
	if (token.size > ACCESS_TOKEN_MAX ||
		access_recall(&access->memories, ACCESS_TOKENS_BAD, &key, now) != NULL) {
		turn_down(a);
		return;
	}
	if ((review = take_review(a)) == NULL)
		return;
	review->token = key;
	if (ask_token(review, token))
		return;
	release(review);
	turn_down(a);
}

static void ask_credentials(struct status_answer *a)
{
	struct tls_client_names names = {.proof = TLS_PROOF_NONE};
	struct access_user *user = &a->status->access->who;
	struct text token = bearer_of(a);
	if (a->exchange->https)
		net_exchange_client(a->exchange, &names);
	bool is_known = a->exchange->https &&
		(access_read_proxied(a, &names, user) || access_read_certificate(&names, user));
	bool anonymous = !is_known && token.size == 0 && names.proof == TLS_PROOF_NONE;
	if (is_open(a, anonymous)) {
		let_in(a, NULL);
	} else if (is_known) {
		ask_about_user(a, user);
	} else if (token.size > 0) {
		ask_about_token(a, token);
	} else if (!anonymous || would_change(a)) {
		turn_down(a);
	} else {
		access_read_nobody(user);
		/* Of paths below others there are as many as a stranger likes. */
		if (text_is_z(a->exchange->path, a->route->path))
			ask_about_user(a, user);
		else
			forbid(a, 0, user->name);
	}
}

void access_ask(struct status_answer *a)
{
	bool is_page = a->route->access == STATUS_FOR_PAGE || is_about_page(a);
	if (is_page && a->status->setup.options->page == OPTIONS_PAGE_NOBODY)
		status_reply(a, 404, status_plain, TEXT("404 page not found\n"));
	else if (a->route->access == STATUS_FOR_PAGE || (is_allowed_path(a) && !would_change(a)))
		status_route(a);
	else if (is_cross_site(a))
		status_refuse(a, 403, "not from another site");
	else
		ask_credentials(a);
}
