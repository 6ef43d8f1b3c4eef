/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The states of a reflector, as a table: what is asked for, and what follows from each outcome.
 *
 * What client-go does: a watch that ends for a reason it does not know is followed by a new list,
 * and every failure waits. What we do: a list is read again only when it must be - the place where
 * we were is known no more (410), or the same place has given odd answers WATCH_STUCK_MAX times in
 * a row, or the server was away. Whatever else happens to a watch, it goes on from the last
 * version. One that had lasted is opened again at once, one that had not after a pause.
 *
 * A server that was away may have lost its last seconds with the power, or be a restored one. The
 * same versions may mean something else by then, unannounced: hence the list.
 *
 * Streaming lists: a server that cannot says so as 400 or 422, as 500 inside a 200 answer, or by
 * never ending the list; then all kinds take pages for a while (WATCH_STREAM_AGAIN_MS; it may be
 * upgraded). A list that was cut off is told from its beginning, a page of one is asked for again.
 */
#include "base/log.h"
#include "base/trace.h"
#include "watch/reflector.h"

/* What follows a complete answer. */
typedef void watch_fine_fn(struct watch_reflector *r);
static watch_fine_fn discovered, page_told, follow_ended, probed;

struct watch_step {
	const char *name;
	enum net_class class;
	watch_ask_fn *ask;                   /* NULL: nothing is asked */
	watch_fine_fn *fine;                 /* NULL: this answer has no good end */
	enum watch_state on[WATCH_OUTCOMES]; /* where to, after a pause */
};

static const struct watch_step steps[WATCH_STATES] = {
	[WATCH_OFF] = {.name = "off"},
	[WATCH_DISCOVER] = {"discover", NET_READ, watch_ask_discover, discovered,
		{[WATCH_EXPIRED] = WATCH_DISCOVER,
			[WATCH_REFUSED] = WATCH_DISCOVER,
			[WATCH_NOT_FOUND] = WATCH_DISCOVER,
			[WATCH_ODD] = WATCH_DISCOVER,
			[WATCH_TROUBLE] = WATCH_DISCOVER}},
	[WATCH_ABSENT] = {.name = "absent"},
	[WATCH_STREAM] = {"stream", NET_WATCH, watch_ask_stream, NULL,
		{[WATCH_EXPIRED] = WATCH_STREAM,
			[WATCH_REFUSED] = WATCH_LIST,
			[WATCH_NOT_FOUND] = WATCH_DISCOVER,
			[WATCH_ODD] = WATCH_STREAM,
			[WATCH_TROUBLE] = WATCH_STREAM}},
	[WATCH_LIST] = {"list", NET_READ, watch_ask_page, page_told,
		{[WATCH_EXPIRED] = WATCH_LIST,
			[WATCH_REFUSED] = WATCH_LIST,
			[WATCH_NOT_FOUND] = WATCH_DISCOVER,
			[WATCH_ODD] = WATCH_LIST,
			[WATCH_TROUBLE] = WATCH_LIST}},
	[WATCH_FOLLOW] = {"follow", NET_WATCH, watch_ask_follow, follow_ended,
		{[WATCH_EXPIRED] = WATCH_STREAM,
			[WATCH_REFUSED] = WATCH_STREAM,
			[WATCH_NOT_FOUND] = WATCH_DISCOVER,
			[WATCH_ODD] = WATCH_FOLLOW,
			[WATCH_TROUBLE] = WATCH_FOLLOW}},
	[WATCH_PROBE] = {"probe", NET_READ, watch_ask_probe, probed,
		{[WATCH_EXPIRED] = WATCH_STREAM,
			[WATCH_REFUSED] = WATCH_STREAM,
			[WATCH_NOT_FOUND] = WATCH_DISCOVER,
			[WATCH_ODD] = WATCH_PROBE,
			[WATCH_TROUBLE] = WATCH_PROBE}},
};

const char *watch_state_name(enum watch_state state)
{
	return steps[state].name;
}

/* ---- entering ---- */

static void forget_list(struct watch_reflector *r)
{
	r->listing = false;
	r->token_size = 0;
}

/*
 * The server did not answer since the last word about the kind; or we were stopped since we asked,
 * and cannot know.
 */
static bool was_away(const struct watch_reflector *r)
{
	return net_client_away(r->watch->client).us > r->heard.us ||
		net_stopped(r->watch->net).us > r->asked.us;
}

static bool reflector_follows(const struct watch_reflector *r)
{
	return r->state == WATCH_FOLLOW && !r->waiting && r->request.answer.status == 200;
}

struct mono watch_confirmed(const struct watch *watch, enum kube_kind kind)
{
	const struct watch_reflector *r = watch->by_kind[kind];
	struct mono at = r->heard;

	if (r->confirmed.us > at.us)
		at = r->confirmed;
	return reflector_follows(r) && r->asked.us > at.us ? r->asked : at;
}

struct mono watch_caught_up(const struct watch *watch, enum kube_kind kind)
{
	return watch->by_kind[kind]->caught_up;
}

bool watch_is_in_doubt(const struct watch *watch, enum kube_kind kind)
{
	const struct watch_reflector *r = watch->by_kind[kind];

	return r->doubt || (r->synced && was_away(r) && !reflector_follows(r));
}

/* A step may choose another way to do what it is asked to. */
static enum watch_state choose_step(struct watch_reflector *r, enum watch_state state)
{
	struct mono now = net_now(r->watch->net);

	if (was_away(r)) {
		r->doubt = true;
		forget_list(r);
	}
	if (r->doubt && (state == WATCH_FOLLOW || state == WATCH_PROBE))
		state = WATCH_STREAM;
	if (state == WATCH_STREAM) {
		forget_list(r);
		if (!mono_reached(now, r->watch->stream_again) || r->stuck >= WATCH_STUCK_MAX ||
			r->page_first)
			return WATCH_LIST;
	}
	/* Whatever a cut-off first page has told, it is not of the version that comes now. */
	if (state == WATCH_LIST && r->token_size == 0)
		r->listing = false;
	if (state == WATCH_FOLLOW &&
		mono_since_us(now, r->heard) >= (int64_t)WATCH_DOUBT_MS * CLOCK_MS_US)
		return WATCH_PROBE;
	return state;
}

static void ask_for_list(struct watch_reflector *r)
{
	struct watch *watch = r->watch;
	struct writer path;

	r->state = choose_step(r, r->state);
	if (r->state == WATCH_FOLLOW)
		r->stats.follows++;
	r->waiting = false;
	r->turn++;
	r->cutting = r->deaf = r->complete = false;
	r->lines = 0;
	r->outcome = WATCH_FINE;
	r->retry_after_ms = -1;
	r->asked = net_now(watch->net);
	r->request.class = steps[r->state].class;
	r->request.timeout_ms = 0;
	r->request.idle_timeout_ms = 0;
	writer_init(&path, r->path, sizeof(r->path));
	bool begins = r->state == WATCH_STREAM || (r->state == WATCH_LIST && r->token_size == 0);
	if (begins && watch->sink.list_asked != NULL)
		watch->sink.list_asked(watch->sink.self, r->kind);
	steps[r->state].ask(r, &path);
	CHECK(!path.overflowed);
	r->request.path = writer_text(&path);
	trace("watch ask", (uint32_t)r->kind, (uint32_t)r->state);
	net_send(watch->client, &r->request);
}

static void pause_ms(struct watch_reflector *r, enum watch_state state, int64_t ms)
{
	r->state = state;
	r->waiting = true;
	net_timer_arm(r->watch->net, &r->timer, mono_after_ms(net_now(r->watch->net), ms));
}

/* What is not served has no objects, and nothing waits for them. */
static void absent(struct watch_reflector *r)
{
	bool news = !r->synced || r->was_served;

	pause_ms(r, WATCH_ABSENT, WATCH_ABSENT_MS);
	if (!news)
		return;
	log_info("watch", "absent", "kind=%s", reflector_plural(r));
	r->version_size = 0;
	r->error[0] = '\0';
	forget_list(r);
	watch_list_told(r);
}

void watch_enter(struct watch_reflector *r, enum watch_state state)
{
	CHECK(!net_is_active(&r->request));
	CHECK(!net_timer_is_armed(&r->timer));
	r->state = state;
	if (state == WATCH_ABSENT)
		absent(r);
	else
		ask_for_list(r);
}

void watch_stop(struct watch_reflector *r)
{
	net_cancel(&r->request);
	net_timer_disarm(&r->timer);
	r->turn++;
	r->state = WATCH_OFF;
	r->waiting = r->synced = r->listing = false;
}

void watch_pause_over(struct net_timer *timer, struct mono now)
{
	struct watch_reflector *r = LIST_OWNER(timer, struct watch_reflector, timer);

	(void)now;
	CHECK(r->waiting);
	CHECK(r->state != WATCH_OFF);
	r->waiting = false;
	watch_enter(r, r->state == WATCH_ABSENT ? WATCH_DISCOVER : r->state);
}

/* ---- what follows a complete answer ---- */

static void works(struct watch_reflector *r)
{
	r->error[0] = '\0';
	r->stuck = 0;
}

static void discovered(struct watch_reflector *r)
{
	works(r);
	watch_enter(r, WATCH_STREAM);
}

static void page_told(struct watch_reflector *r)
{
	uint32_t turn = r->turn;

	works(r);
	r->heard = net_now(r->watch->net);
	if (r->token_size > 0) {
		bool streams = r->page_first;

		r->page_first = false;
		watch_enter(r, streams ? WATCH_STREAM : WATCH_LIST);
		return;
	}
	r->page_first = false;
	watch_list_told(r);
	if (r->turn == turn)
		watch_enter(r, WATCH_FOLLOW);
}

static bool lasted(const struct watch_reflector *r)
{
	return mono_since_us(net_now(r->watch->net), r->asked) >=
		(int64_t)WATCH_SHORT_MS * CLOCK_MS_US;
}

static void step_failed(struct watch_reflector *r, enum watch_state next);

static void follow_ended(struct watch_reflector *r)
{
	bool is_short = !lasted(r);
	bool was_short = r->short_before;

	r->short_before = is_short;
	if (is_short && (r->lines == 0 || was_short)) {
		watch_judge(r, WATCH_TROUBLE, "a watch that ended at once");
		step_failed(r, WATCH_FOLLOW);
		return;
	}
	works(r);
	if (!is_short)
		net_backoff_reset(&r->backoff);
	watch_enter(r, WATCH_FOLLOW);
}

static void probed(struct watch_reflector *r)
{
	works(r);
	r->heard = net_now(r->watch->net);
	if (!r->doubt) {
		watch_enter(r, WATCH_FOLLOW);
		return;
	}
	log_warn("watch", "set-back", "kind=%s version=%.*s: the server's is older",
		reflector_plural(r), TEXT_ARGS(reflector_version(r)));
	watch_enter(r, WATCH_STREAM);
}

/* ---- what follows one that did not work ---- */

static void step_failed(struct watch_reflector *r, enum watch_state next)
{
	struct watch *watch = r->watch;
	int64_t ms = net_backoff_next_ms(
		&r->backoff, net_now(watch->net), &watch->random, r->retry_after_ms);

	r->stats.failures++;
	log_warn("watch", "trouble", "kind=%s state=%s error=\"%s\" next=%s retry_ms=%lld",
		reflector_plural(r), steps[r->state].name, r->error, steps[next].name,
		(long long)ms);
	pause_ms(r, next, ms);
}

/* The next version of the group, or none is left. */
static void not_discovered(struct watch_reflector *r)
{
	/* A server that starts up, or what stands before it, may say 404 to everything. */
	bool doubtful = r->was_served || r->row->certain;
	bool vital = r->kind == KUBE_POD || r->kind == KUBE_NODE;

	if (r->served + 1 < WATCH_SERVED_MAX && r->row->served[r->served + 1] != NULL) {
		r->served++;
		watch_enter(r, WATCH_DISCOVER);
		return;
	}
	r->served = 0;
	if (vital || (doubtful && ++r->stuck < WATCH_STUCK_MAX)) {
		step_failed(r, WATCH_DISCOVER);
		return;
	}
	r->stuck = 0;
	watch_enter(r, WATCH_ABSENT);
}

static void not_streamed(struct watch_reflector *r)
{
	struct mono now = net_now(r->watch->net);

	if (mono_reached(now, r->watch->stream_again))
		log_info("watch", "pages", "kind=%s: no streaming lists: %s", reflector_plural(r),
			r->error);
	r->watch->stream_again = mono_after_ms(now, WATCH_STREAM_AGAIN_MS);
	r->error[0] = '\0';
	forget_list(r);
	watch_enter(r, WATCH_LIST);
}

/* Where an answer leads that is not used, beyond what the table says. */
static enum watch_state stuck(struct watch_reflector *r, enum watch_state next)
{
	bool stream_cut = r->state == WATCH_STREAM && r->request.answer.status == 200;

	if (r->outcome == WATCH_ODD || stream_cut)
		r->stuck++;
	if (r->state == WATCH_LIST && r->outcome == WATCH_EXPIRED) {
		r->expired++;
		r->whole = r->whole || r->expired >= WATCH_EXPIRED_MAX;
		forget_list(r);
	}
	if (r->state == WATCH_LIST &&
		(r->outcome == WATCH_REFUSED || r->stuck >= WATCH_STUCK_MAX || r->whole))
		forget_list(r);
	if (next == WATCH_DISCOVER && r->state != WATCH_DISCOVER)
		r->served = 0;
	if (r->state == WATCH_FOLLOW && r->stuck >= WATCH_STUCK_MAX) {
		r->stuck = 0;
		return WATCH_STREAM;
	}
	return next;
}

/* An open watch that the network ended, not the server: nothing is wrong with asking again. */
static bool only_cut(const struct watch_reflector *r)
{
	return r->state == WATCH_FOLLOW && r->outcome == WATCH_TROUBLE &&
		r->request.answer.status == 200 && r->request.answer.result != NET_OK &&
		r->request.answer.result != NET_CANCELLED && lasted(r);
}

/* What we may not read and can do without. Once read, it stays as it was while we may not. */
static bool is_spared(const struct watch_reflector *r)
{
	return r->row->spare && !r->was_served && r->request.answer.status == 403;
}

static void judged(struct watch_reflector *r)
{
	if (is_spared(r)) {
		if (!r->synced)
			log_warn("watch", "forbidden", "kind=%s error=\"%s\": goes on without",
				reflector_plural(r), r->error);
		watch_enter(r, WATCH_ABSENT);
		return;
	}
	if (r->state == WATCH_DISCOVER && r->outcome == WATCH_NOT_FOUND) {
		not_discovered(r);
	} else if (r->state == WATCH_STREAM && r->outcome == WATCH_REFUSED) {
		not_streamed(r);
	} else if (only_cut(r)) {
		log_debug("watch", "cut", "kind=%s error=\"%s\"", reflector_plural(r), r->error);
		net_backoff_reset(&r->backoff);
		works(r);
		watch_enter(r, WATCH_FOLLOW);
	} else {
		step_failed(r, stuck(r, steps[r->state].on[r->outcome]));
	}
}

/* An answer that came to its end in order may still lack what it was asked for. */
static void judge_completeness(struct watch_reflector *r)
{
	switch (r->state) {
	case WATCH_DISCOVER:
		if (!r->complete)
			watch_judge(r, WATCH_NOT_FOUND, "%s has no %s", reflector_api_version(r),
				reflector_plural(r));
		break;
	case WATCH_STREAM:
		watch_judge(r, WATCH_ODD, "the list's stream ended before the list");
		break;
	case WATCH_LIST:
	case WATCH_PROBE:
		if (!r->complete)
			watch_judge(r, WATCH_ODD, "the answer is not a list with a version");
		break;
	default: break;
	}
}

void watch_answered(struct net_request *request)
{
	struct watch_reflector *r = LIST_OWNER(request, struct watch_reflector, request);

	if (request->answer.result == NET_CANCELLED && r->outcome == WATCH_FINE) {
		watch_stop(r); /* the client was closed */
		return;
	}
	if (reflector_follows(r) && r->asked.us > r->confirmed.us)
		r->confirmed = r->asked;
	if (r->retry_after_ms < 0)
		r->retry_after_ms = request->answer.retry_after_ms;
	if (r->outcome == WATCH_FINE)
		watch_judge_answer(r);
	if (r->outcome == WATCH_FINE)
		judge_completeness(r);
	if (r->outcome == WATCH_FINE)
		steps[r->state].fine(r);
	else
		judged(r);
}
