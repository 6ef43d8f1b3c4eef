/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way of an order, as a table: what is done in a state, and which state follows what is heard.
 *
 * What kube-scheduler does: one POST; whatever goes wrong with it is an error of the pod, which is
 * scheduled anew, and when the binding had happened nevertheless, the watch is hoped to be faster.
 *
 * What we do: a binding that may have happened keeps its place until it is known. The pod is read;
 * if it waits as before, the very same binding goes out again - to the same node, so that the one
 * that may still be under way does no harm. Two answers are not taken at their word: a conflict,
 * which may be the success of a try before it, or of the process before us, and a refusal after a
 * doubt. Both times the pod says what is true.
 *
 * An extender that binds in the apiserver's place is asked the same way, and not believed either:
 * it binds by some other client, so its refusal, too, may come after the deed. It is asked twice at
 * most; that it cannot be reached is the end, as upstream.
 *
 * Pauses grow per order, up to half a minute. When the server was away and is back, those who wait
 * for it do not sit out their pause.
 */
#include "base/log.h"
#include "base/trace.h"
#include "bind/binder_private.h"

typedef void binder_enter_fn(struct binder_flight *flight);
static binder_enter_fn post, check, rest, tell;

struct binder_step {
	const char *name;
	binder_enter_fn *enter;
	enum binder_state on[BINDER_WORDS]; /* BINDER_FREE: cannot be */
};

static const struct binder_step steps[BINDER_STATES] = {
	[BINDER_FREE] = {.name = "free"},
	[BINDER_POST] = {"post", post,
		{[BINDER_SAYS_BOUND] = BINDER_END,
			[BINDER_SAYS_LOST] = BINDER_END,
			[BINDER_SAYS_REFUSED] = BINDER_END,
			[BINDER_SAYS_CONFLICT] = BINDER_CHECK,
			[BINDER_SAYS_LATER] = BINDER_AGAIN,
			[BINDER_SAYS_UNSENT] = BINDER_AGAIN,
			[BINDER_SAYS_UNCLEAR] = BINDER_DOUBT}},
	[BINDER_AGAIN] = {"again", rest, {[BINDER_SAYS_TIME] = BINDER_POST}},
	[BINDER_CHECK] = {"check", check,
		{[BINDER_SAYS_BOUND] = BINDER_END,
			[BINDER_SAYS_LOST] = BINDER_END,
			[BINDER_SAYS_REFUSED] = BINDER_END,
			[BINDER_SAYS_UNBOUND] = BINDER_POST,
			[BINDER_SAYS_NOTHING] = BINDER_DOUBT}},
	[BINDER_DOUBT] = {"doubt", rest, {[BINDER_SAYS_TIME] = BINDER_CHECK}},
	[BINDER_END] = {"end", tell, {[BINDER_SAYS_TIME] = BINDER_END}},
};

const char *binder_state_name(enum binder_state state)
{
	return steps[state].name;
}

/* ---- entering ---- */

/* Of an extender's pace the window knows nothing; who is unclear is out of it anyway. */
static uint32_t outside(const struct binder_flight *flight, enum binder_state state)
{
	return flight->via.client != NULL && state != BINDER_FREE && !binder_is_unclear(state);
}

static void set_state(struct binder_flight *flight, enum binder_state state)
{
	struct binder *binder = flight->binder;

	CHECK(!net_is_active(&flight->request));
	CHECK(!net_timer_is_armed(&flight->timer));
	binder->stats.unclear -= binder_is_unclear(flight->state) ? 1 : 0;
	binder->stats.unclear += binder_is_unclear(state) ? 1 : 0;
	CHECK(binder->stats.unclear <= pool_used(&binder->flights));
	binder->vias_outside += outside(flight, state) - outside(flight, flight->state);
	flight->state = state;
	trace("binder", (uint32_t)flight->tag, (uint32_t)state);
}

void binder_enter(struct binder_flight *flight, enum binder_state state)
{
	CHECK(state != BINDER_FREE);
	set_state(flight, state);
	steps[state].enter(flight);
}

static void send(struct binder_flight *flight)
{
	binder_listen_end(flight);
	flight->stranded = false;
	flight->retry_after_ms = -1;
	net_send(binder_is_via(flight) ? flight->via.client : flight->binder->client,
		&flight->request);
}

/* A process that was stopped after it had decided must not write when it goes on. */
static bool may_send(const struct net_request *request)
{
	const struct binder_flight *flight =
		LIST_OWNER((struct net_request *)(uintptr_t)request, struct binder_flight, request);

	return flight->seen != BINDER_SEEN_LOST &&
		(flight->binder->may_write == NULL ||
			flight->binder->may_write(flight->binder->self));
}

static void post(struct binder_flight *flight)
{
	struct net_request *request = &flight->request;
	struct binder *binder = flight->binder;

	flight->refused = false;
	flight->message_size = 0;
	flight->sent = net_now(binder->net);
	if (flight->posts++ > 0)
		binder->stats.again++;
	request->class = NET_BIND;
	request->method = NET_POST;
	request->may_send = may_send;
	request->path = (struct text){flight->path, flight->path_size};
	request->body = (struct text){flight->body, flight->body_size};
	request->timeout_ms = BINDER_POST_MS;
	request->body_max = BINDER_ANSWER_MAX;
	if (binder_is_via(flight)) {
		request->class = NET_LEASE; /* which may have every connection */
		request->path = flight->via.path;
		request->timeout_ms = flight->via.timeout_ms;
	}
	send(flight);
}

static void check(struct binder_flight *flight)
{
	struct net_request *request = &flight->request;

	/* Certainty about a binding comes before the next one; reads may wait for all of them. */
	request->may_send = NULL;
	request->class = NET_BIND;
	request->method = NET_GET;
	request->path = (struct text){flight->path, flight->pod_path_size};
	request->body = TEXT_NONE;
	request->timeout_ms = BINDER_READ_MS;
	request->body_max = BINDER_POD_MAX;
	send(flight);
}

static void rest(struct binder_flight *flight)
{
	struct binder *binder = flight->binder;
	struct mono now = net_now(binder->net);
	int64_t asked_ms = flight->retry_after_ms;

	/* All that were sent away at once were told the same time. */
	if (asked_ms > 0)
		asked_ms += random_below(&binder->random, (uint32_t)(asked_ms / 4) + 1);
	int64_t ms = net_backoff_next_ms(&flight->backoff, now, &binder->random, asked_ms);

	net_timer_arm(binder->net, &flight->timer, mono_after_ms(now, ms));
}

/* ---- the end ---- */

void binder_forget(struct binder_flight *flight)
{
	struct binder *binder = flight->binder;

	net_cancel(&flight->request);
	net_timer_disarm(&flight->timer);
	binder_listen_end(flight);
	set_state(flight, BINDER_FREE);
	list_remove(&flight->link);
	binder->vias -= flight->via.client != NULL ? 1 : 0;
	pool_give(&binder->flights, flight->index);
}

static enum binder_outcome outcome_of(enum binder_word word)
{
	switch (word) {
	case BINDER_SAYS_BOUND: return BINDER_BOUND;
	case BINDER_SAYS_LOST: return BINDER_LOST;
	case BINDER_SAYS_REFUSED: return BINDER_REFUSED;
	default: CHECK_NEVER("an order ends when its fate is known");
	}
}

static void tell(struct binder_flight *flight)
{
	struct binder *binder = flight->binder;
	struct binder_result result = {.tag = flight->tag,
		.outcome = outcome_of(flight->heard),
		.took_us = mono_since_us(net_now(binder->net), flight->started)};

	binder->stats.bound += result.outcome == BINDER_BOUND ? 1 : 0;
	binder->stats.lost += result.outcome == BINDER_LOST ? 1 : 0;
	binder->stats.refused += result.outcome == BINDER_REFUSED ? 1 : 0;
	if (result.outcome != BINDER_BOUND) {
		/* done() may take the order's memory for another one. */
		memcpy(binder->message, flight->message, flight->message_size);
		result.message = (struct text){binder->message, flight->message_size};
	}
	binder_forget(flight);
	binder->done(binder->self, &result);
}

void binder_settle(struct binder_flight *flight, enum binder_word word)
{
	struct binder *binder = flight->binder;

	CHECK(!net_is_active(&flight->request));
	CHECK(steps[BINDER_POST].on[word] == BINDER_END);
	net_timer_disarm(&flight->timer);
	set_state(flight, BINDER_END);
	flight->heard = word;
	net_timer_arm(binder->net, &flight->timer, net_now(binder->net));
}

/* ---- the driver ---- */

/* What the watch has seen, or `otherwise`. */
static enum binder_word seen(struct binder_flight *flight, enum binder_word otherwise)
{
	if (flight->seen == BINDER_SEEN_NOTHING)
		return otherwise;
	if (flight->seen == BINDER_SEEN_OURS)
		return BINDER_SAYS_BOUND;
	binder_explain(flight, "the watch saw that the pod is not ours to bind any more");
	return BINDER_SAYS_LOST;
}

/* What is heard may mean more, for what was heard before. */
static enum binder_word weigh(struct binder_flight *flight, enum binder_word word)
{
	if (flight->state == BINDER_POST && word == BINDER_SAYS_REFUSED && flight->doubted)
		word = BINDER_SAYS_CONFLICT;
	if (word == BINDER_SAYS_UNBOUND && (flight->refused || flight->faults >= BINDER_FAULTS_MAX))
		word = BINDER_SAYS_REFUSED;
	if (word == BINDER_SAYS_LATER && flight->faults >= BINDER_FAULTS_MAX)
		word = BINDER_SAYS_UNCLEAR;
	/* The watch may have seen what this answer leaves open. */
	return steps[flight->state].on[word] == BINDER_END ? word : seen(flight, word);
}

static void follow(struct binder_flight *flight, enum binder_word word)
{
	struct binder *binder = flight->binder;
	enum binder_state next = steps[flight->state].on[word];

	CHECK(next != BINDER_FREE);
	/* Another one may decide about the pod by now. */
	if (next == BINDER_POST && binder->may_write != NULL && !binder->may_write(binder->self))
		next = BINDER_AGAIN;
	switch (word) {
	case BINDER_SAYS_CONFLICT: flight->refused = true; break;
	case BINDER_SAYS_UNCLEAR:
		flight->doubted = true;
		binder->stats.doubted++;
		log_warn("binder", "unclear", "pod=%.*s node=%.*s result=%s status=%u error=\"%s\"",
			(int)flight->pod_path_size, flight->path, (int)flight->node_size,
			flight->node, net_result_name(flight->request.answer.result),
			(unsigned)flight->request.answer.status, flight->request.answer.detail);
		break;
	default: break;
	}
	if (next == BINDER_END)
		flight->heard = word;
	binder_enter(flight, next);
}

/* The server answers again: those who wait for it need not wait longer. */
static void is_back(struct binder *binder)
{
	struct mono now = net_now(binder->net);

	binder->away = false;
	for (struct list *link = binder->in_flight.next; link != &binder->in_flight;
		link = link->next) {
		struct binder_flight *flight = LIST_OWNER(link, struct binder_flight, link);
		struct mono soon =
			mono_after_ms(now, random_below(&binder->random, BINDER_BACK_MS));

		if (flight->stranded && net_timer_is_armed(&flight->timer) &&
			flight->timer.due.us > soon.us)
			net_timer_arm(binder->net, &flight->timer, soon);
	}
}

/* A reset is the fate of one request; who cannot be reached, or says nothing, is away for all. */
static void note_server(struct binder_flight *flight)
{
	struct binder *binder = flight->binder;
	const struct net_answer *answer = &flight->request.answer;

	flight->stranded = answer->status == 0 &&
		(answer->result == NET_CONNECT_FAILED || answer->result == NET_TLS_FAILED ||
			answer->result == NET_TIMEOUT);
	if (flight->stranded)
		binder->away = true;
	else if (answer->status != 0 && binder->away)
		is_back(binder);
}

/* What an answer to a binding says about the server. */
static void note_load(struct binder_flight *flight, enum binder_word word)
{
	struct binder *binder = flight->binder;
	const struct net_answer *answer = &flight->request.answer;
	struct mono now = net_now(binder->net);

	if (answer->status >= 500) {
		flight->faults++;
		flight->doubted = true;
	}
	if (word == BINDER_SAYS_BOUND)
		binder_window_good(&binder->window, answer->took_us,
			pool_used(&binder->flights) - binder->stats.unclear);
	if (word == BINDER_SAYS_LATER || (answer->result == NET_TIMEOUT && answer->sent))
		binder_window_cut(&binder->window, flight->sent, now);
	if (word != BINDER_SAYS_LATER)
		return;
	struct mono until = mono_after_ms(now, flight->retry_after_ms);

	binder->stats.throttled++;
	if (flight->retry_after_ms > 0 &&
		(!net_timer_is_armed(&binder->pause) || binder->pause.due.us < until.us))
		net_timer_arm(binder->net, &binder->pause, until);
}

void binder_look(struct binder_flight *flight)
{
	enum binder_word word = seen(flight, BINDER_SAYS_NOTHING);

	if (word != BINDER_SAYS_NOTHING)
		binder_settle(flight, word);
}

void binder_answered(struct net_request *request)
{
	struct binder_flight *flight = LIST_OWNER(request, struct binder_flight, request);
	enum binder_word word;

	if (request->answer.result == NET_CANCELLED) { /* the client was closed */
		binder_forget(flight);
		return;
	}
	word = binder_judge(flight);
	binder_listen_end(flight);
	if (binder_is_via(flight)) {
		flight->faults += word == BINDER_SAYS_UNCLEAR ? BINDER_FAULTS_VIA : 0;
	} else {
		note_server(flight);
		if (flight->state == BINDER_POST)
			note_load(flight, word);
	}
	follow(flight, weigh(flight, word));
}

void binder_time(struct net_timer *timer, struct mono now)
{
	struct binder_flight *flight = LIST_OWNER(timer, struct binder_flight, timer);

	(void)now;
	if (flight->state == BINDER_END)
		tell(flight);
	else
		follow(flight, BINDER_SAYS_TIME);
}
