/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lease: a try is at most a write, a look and another write; between tries a timer runs.
 *
 * What kube-scheduler does: the holder of the Lease writes renewTime into it every retry period.
 * Others look at it now and then, and take it over when its record has not changed for as long as
 * it says itself, by their own clock; times in the record are for people. A resourceVersion in
 * each write makes sure that no replica overwrites what it has not seen. A holder that cannot renew
 * for renewDeadline, counted from the first try that failed, gives up and exits. Until then it
 * leads, even if it has just read the name of another holder.
 *
 * What we do: the same on the wire. We lead until renewDeadline after the last good renewal was
 * sent, which is earlier, and stop at once when a look shows that the record is not ours any more
 * (it was edited or deleted by hand). Having lost it we stand by and keep trying; nothing is given
 * up then, since a server that we can reach to give it up will as well take our renewal. A record
 * of another holder that disappears is waited out like one that stays: that holder does not know
 * yet.
 *
 * Why two never lead at once: a renewal is seen by others when it has reached the server, so not
 * before it was sent, and they wait for `duration` from then on; we stop `renewDeadline` after it
 * was sent. The difference of both is what clocks may be wrong by meanwhile.
 */
#include "lease/lease.h"

#include "base/log.h"
#include "base/scratch.h"
#include "base/trace.h"

enum {
	LEASE_PATH_MAX = 2 * 3 * LEASE_NAME_MAX + 128,
	/* What is kept of the object, and an identity with each byte as \u00XX. */
	LEASE_BODY_MAX = 2 * LEASE_OBJECT_MAX + 6 * LEASE_IDENTITY_MAX,
	LEASE_SCRATCH = 64 * 1024,
	LEASE_TIMEOUT_MIN_MS = 1000,
	LEASE_RELEASE_PAUSE_MS = 200, /* after a failure that took no time */
	LEASE_UID_MAX = 64,
	LEASE_VERSION_MAX = 64
};

enum lease_state { LEASE_OFF, LEASE_WAITING, LEASE_LEADING, LEASE_RELEASING, LEASE_RELEASED };

static const char *const state_names[] = {
	[LEASE_OFF] = "off",
	[LEASE_WAITING] = "waiting",
	[LEASE_LEADING] = "leading",
	[LEASE_RELEASING] = "releasing",
	[LEASE_RELEASED] = "released",
};

/* A short text of one's own. */
struct lease_text {
	size_t size;
	char bytes[LEASE_IDENTITY_MAX];
};

/* The record as it was last read or written. */
struct lease_seen {
	bool there; /* one was read, and it was not found to be gone */
	bool mine;
	bool nobodys;
	struct mono at;   /* first seen so: from here on we wait, if it is another's */
	int64_t valid_ms; /* so long */
	struct lease_text holder, uid, version;
	size_t size;
	char bytes[LEASE_OBJECT_MAX]; /* the object, never read in place: reading unescapes */
};

struct lease {
	struct lease_setup setup;
	struct net *net;
	struct random random;
	enum lease_state state;
	struct mono renewed_at; /* leading: the last good renewal was sent */

	/* The try under way. */
	struct api_caller caller;
	struct api_call call;
	bool writes; /* what is asked is a write, not a look */
	bool looked; /* the record was read in this try */
	struct mono try_at;
	struct mono sent_at;
	size_t heard_size;

	struct lease_seen seen;
	bool doubt;      /* a write may have happened that was not seen since */
	bool told_other; /* the callback knows of `holder` */
	bool troubled;   /* the last try failed, as logged */
	bool tell_lost;  /* given up while leading */
	void (*released)(void *self);

	struct net_timer pause;    /* the next try */
	struct net_timer deadline; /* leading: it is lost; releasing: enough of it */
	struct json_cut *cut;
	struct scratch scratch;
	struct lease_stats stats;
	struct text identity, namespace, name;
	struct text path_one, path_all;
	char identity_bytes[LEASE_IDENTITY_MAX];
	char namespace_bytes[LEASE_NAME_MAX], name_bytes[LEASE_NAME_MAX];
	char path_one_bytes[LEASE_PATH_MAX], path_all_bytes[LEASE_PATH_MAX];
	char heard[LEASE_OBJECT_MAX]; /* the answer's object, as it came */
	char work[LEASE_OBJECT_MAX];  /* a copy of one, to be read */
	char body[LEASE_BODY_MAX];
};

static void look_at_lease(struct lease *lease);
static void write_record(struct lease *lease);

static struct mono lease_now(const struct lease *lease)
{
	return clock_mono(&lease->setup.clock);
}

static struct mono hold_ends(const struct lease *lease)
{
	return mono_after_ms(lease->renewed_at, lease->setup.renew_deadline_ms);
}

static void keep_lease_text(struct lease_text *to, struct text t, size_t max)
{
	to->size = t.size < max ? t.size : max;
	if (to->size > 0)
		memcpy(to->bytes, t.at, to->size);
}

static struct text kept(const struct lease_text *t)
{
	return (struct text){t->bytes, t->size};
}

/* ---- the record ---- */

/*
 * The slices are good until the next call. A Lease has nothing that would be interned, so the
 * builder has no strings.
 */
static bool decode(struct lease *lease, const char *bytes, size_t size, struct kube_lease *k)
{
	struct kube_build build = {.scratch = &lease->scratch};
	struct json_value root;

	if (size == 0)
		return false;
	memcpy(lease->work, bytes, size);
	scratch_reset(&lease->scratch);
	if (json_parse((struct text){lease->work, size}, &lease->scratch, &root) != JSON_PARSED)
		return false;
	if (text_is_z(json_text(json_get(root, "kind")), "Status"))
		return false;
	return kube_lease_decode(&build, root, k) == KUBE_OK && k->resource_version.size > 0;
}

static void tell_holder(struct lease *lease)
{
	bool news = !lease->told_other;

	lease->told_other = !lease->seen.mine;
	if (lease->seen.mine || !news)
		return;
	log_info("lease", "holder", "holder=%.*s", TEXT_ARGS(kept(&lease->seen.holder)));
	if (lease->setup.holder != NULL)
		lease->setup.holder(lease->setup.self,
			lease->seen.nobodys ? TEXT_NONE : kept(&lease->seen.holder));
}

/* Any change is a sign of life, not only one of renewTime. */
static void observe(struct lease *lease, const struct kube_lease *k, struct mono now)
{
	struct lease_seen *seen = &lease->seen;

	lease->doubt = false;
	if (seen->there && seen->size == lease->heard_size &&
		memcmp(seen->bytes, lease->heard, seen->size) == 0)
		return;
	if (!seen->there || !text_is(kept(&seen->holder), k->holder))
		lease->told_other = false;
	seen->there = true;
	seen->mine = text_is(k->holder, lease->identity);
	seen->nobodys = k->holder.size == 0;
	seen->at = now;
	seen->valid_ms = (int64_t)k->duration_seconds * 1000;
	keep_lease_text(&seen->holder, k->holder, LEASE_IDENTITY_MAX);
	keep_lease_text(&seen->uid, k->uid, LEASE_UID_MAX);
	keep_lease_text(&seen->version, k->resource_version, LEASE_VERSION_MAX);
	seen->size = lease->heard_size;
	memcpy(seen->bytes, lease->heard, seen->size);
	tell_holder(lease);
}

/* By our own clock alone. */
static bool is_valid(const struct lease *lease, struct mono now)
{
	return lease->seen.there && !lease->seen.nobodys &&
		!mono_reached(now, mono_after_ms(lease->seen.at, lease->seen.valid_ms));
}

/* ---- leading and losing ---- */

static void lose(struct lease *lease, const char *why)
{
	CHECK(lease->state == LEASE_LEADING);
	lease->state = LEASE_WAITING;
	lease->stats.lost++;
	net_timer_disarm(&lease->deadline);
	log_warn("lease", "lost", "identity=%.*s why=\"%s\"", TEXT_ARGS(lease->identity), why);
	trace("lease lost", 0, 0);
	lease->setup.changed(lease->setup.self, false);
}

static void expire(struct lease *lease, struct mono now)
{
	if (lease->state == LEASE_LEADING && mono_reached(now, hold_ends(lease)))
		lose(lease, "not renewed in time");
}

static bool is_trying(const struct lease *lease)
{
	return lease->state == LEASE_WAITING || lease->state == LEASE_LEADING;
}

static void finish_release(struct lease *lease, const char *how)
{
	CHECK(lease->state == LEASE_RELEASING);
	api_call_cancel(&lease->call);
	net_timer_disarm(&lease->pause);
	net_timer_disarm(&lease->deadline);
	lease->state = LEASE_RELEASED;
	log_info("lease", "released", "identity=%.*s how=\"%s\"", TEXT_ARGS(lease->identity), how);
	lease->released(lease->setup.self);
}

/* ---- the end of a try ---- */

static void rest(struct lease *lease, struct mono now)
{
	int64_t period = lease->setup.retry_period_ms;
	struct mono due = mono_after_ms(lease->try_at, period);

	if (lease->state == LEASE_RELEASING) {
		due = mono_after_ms(now, LEASE_RELEASE_PAUSE_MS);
	} else if (lease->state == LEASE_WAITING) {
		uint32_t spread = (uint32_t)(period * LEASE_JITTER_PERMILLE / 1000);
		due = mono_after_ms(now, period + random_below(&lease->random, spread + 1));
		/* Only here: who leads has to be heard. */
		if (lease->call.request.answer.retry_after_ms > period)
			due = mono_after_ms(now,
				lease->call.request.answer.retry_after_ms < lease->setup.duration_ms
					? lease->call.request.answer.retry_after_ms
					: lease->setup.duration_ms);
	}
	net_timer_arm(lease->net, &lease->pause, due);
}

static void fail(struct lease *lease, struct mono now, const char *what)
{
	const struct net_answer *answer = &lease->call.request.answer;

	lease->stats.failures++;
	if (!lease->troubled)
		log_warn("lease", "trouble", "what=\"%s\" result=%s status=%u %s", what,
			net_result_name(answer->result), (unsigned)answer->status, answer->detail);
	lease->troubled = true;
	rest(lease, now);
}

static void renewed(struct lease *lease, struct mono now)
{
	bool news = lease->state == LEASE_WAITING;

	lease->troubled = false;
	/* We were stopped meanwhile, or the answer was: the hold is over before it began. */
	if (mono_reached(now, mono_after_ms(lease->sent_at, lease->setup.renew_deadline_ms))) {
		fail(lease, now, "the answer came too late");
		net_timer_arm(lease->net, &lease->pause, now);
		return;
	}
	lease->renewed_at = lease->sent_at;
	lease->stats.renewed++;
	lease->state = LEASE_LEADING;
	net_timer_arm(lease->net, &lease->deadline, hold_ends(lease));
	rest(lease, now);
	if (!news)
		return;
	lease->stats.acquired++;
	log_info("lease", "leading", "identity=%.*s", TEXT_ARGS(lease->identity));
	trace("lease leads", 0, 0);
	lease->setup.changed(lease->setup.self, true);
}

/* ---- answers ---- */

static void lease_read(struct api_call *call, struct text json)
{
	struct lease *lease = LIST_OWNER(call, struct lease, call);

	CHECK(json.size <= sizeof(lease->heard));
	memcpy(lease->heard, json.at, json.size);
	lease->heard_size = json.size;
}

/* A complete answer that is a Lease. */
static bool lease_hear(struct lease *lease, enum api_verdict verdict, struct kube_lease *k)
{
	return verdict == API_DONE && lease->call.has_object &&
		decode(lease, lease->heard, lease->heard_size, k);
}

static void looked_for_release(struct lease *lease, struct mono now, bool found)
{
	if (!found)
		rest(lease, now);
	else if (lease->seen.there && lease->seen.mine)
		write_record(lease);
	else
		finish_release(lease, "it is not ours");
}

static void answered_look(struct lease *lease, enum api_verdict verdict, struct mono now)
{
	struct kube_lease k;
	bool found = lease_hear(lease, verdict, &k);
	bool missing = !found && verdict == API_GONE;

	lease->looked = true;
	if (found)
		observe(lease, &k, now);
	if (missing && (lease->seen.mine || !is_valid(lease, now)))
		lease->seen.there = lease->seen.mine = false;
	if (missing)
		lease->doubt = false;
	if (lease->state == LEASE_LEADING && (missing || (found && !lease->seen.mine)))
		lose(lease, missing ? "it was deleted" : "somebody else has it");
	/* The callback may have given it up. */
	if (net_timer_is_armed(&lease->pause))
		return;
	if (lease->state == LEASE_RELEASING)
		looked_for_release(lease, now, found || missing);
	else if (!found && !missing)
		fail(lease, now, "it cannot be read");
	else if (lease->seen.mine || !is_valid(lease, now))
		write_record(lease);
	else {
		lease->troubled = false;
		rest(lease, now);
	}
}

static void answered_write(struct lease *lease, enum api_verdict verdict, struct mono now)
{
	struct kube_lease k;

	if (!lease_hear(lease, verdict, &k)) {
		/* A look settles what became of it, and who was faster. */
		bool again = !lease->looked ||
			(lease->state == LEASE_RELEASING &&
				lease->call.request.answer.status == 409);
		if (again)
			look_at_lease(lease);
		else
			fail(lease, now, "it cannot be written");
		return;
	}
	observe(lease, &k, now);
	if (lease->state == LEASE_RELEASING && !lease->seen.mine)
		finish_release(lease, "given up");
	else if (lease->state == LEASE_RELEASING || !lease->seen.mine)
		fail(lease, now, "what was written is not there");
	else
		renewed(lease, now);
}

static void lease_answered(struct api_call *call, enum api_verdict verdict)
{
	struct lease *lease = LIST_OWNER(call, struct lease, call);
	struct mono now = lease_now(lease);

	if (lease->writes && !api_answer_is_refusal(&call->request.answer))
		lease->doubt = true;
	expire(lease, now);
	/* The callback may have given it up. */
	if (!api_call_is_over(call) || net_timer_is_armed(&lease->pause))
		return;
	if (lease->writes)
		answered_write(lease, verdict, now);
	else
		answered_look(lease, verdict, now);
}

/* ---- questions ---- */

static void lease_send(
	struct lease *lease, enum net_method method, struct text path, struct text body)
{
	int64_t timeout_ms = lease->setup.renew_deadline_ms / 2;

	lease->heard_size = 0;
	lease->sent_at = lease_now(lease);
	api_call_start(&lease->call, &lease->caller,
		&(struct api_request){.purpose = API_LEASE,
			.method = method,
			.path = path,
			.body = body,
			.reader = {kube_lease_want, lease_read, lease->cut},
			.timeout_ms = timeout_ms < LEASE_TIMEOUT_MIN_MS ? LEASE_TIMEOUT_MIN_MS
									: timeout_ms});
}

static void look_at_lease(struct lease *lease)
{
	lease->writes = false;
	lease->stats.looked += lease->state == LEASE_LEADING;
	lease_send(lease, NET_GET, lease->path_one, TEXT_NONE);
}

static void write_record(struct lease *lease)
{
	const struct lease_seen *seen = &lease->seen;
	struct wall wall = clock_wall(&lease->setup.clock);
	struct lease_record record;
	struct kube_lease k;
	struct writer body;
	const struct kube_lease *old = NULL;

	if (seen->there) {
		bool good = decode(lease, seen->bytes, seen->size, &k);
		CHECK(good); /* it was decoded once */
		old = &k;
	}
	writer_init(&body, lease->body, sizeof(lease->body));
	if (lease->state == LEASE_RELEASING) {
		CHECK(old != NULL);
		record = lease_record_release(old, wall);
	} else {
		record = lease_record_hold(old, lease->identity,
			(int32_t)((lease->setup.duration_ms + 999) / 1000), wall);
	}
	if (old != NULL)
		lease_body_update(lease->namespace, old, &record, &body);
	else
		lease_body_create(lease->namespace, lease->name, &record, &body);
	if (body.overflowed) {
		fail(lease, lease_now(lease), "it has too much in it");
		return;
	}
	lease->writes = true;
	lease_send(lease, old != NULL ? NET_PUT : NET_POST,
		old != NULL ? lease->path_one : lease->path_all, writer_text(&body));
}

/* ---- timers ---- */

static void begin_release(struct lease *lease)
{
	bool tell = lease->tell_lost;

	lease->tell_lost = false;
	if (tell)
		lease->setup.changed(lease->setup.self, false);
	if ((lease->seen.there && lease->seen.mine) || lease->doubt)
		look_at_lease(lease);
	else
		finish_release(lease, "nothing to give up");
}

static void on_pause_over(struct net_timer *timer, struct mono turn)
{
	struct lease *lease = LIST_OWNER(timer, struct lease, pause);
	struct mono now = lease_now(lease);

	(void)turn;
	if (lease->state == LEASE_RELEASING) {
		begin_release(lease);
		return;
	}
	expire(lease, now);
	/* The callback may have given it up. */
	if (!is_trying(lease))
		return;
	lease->try_at = now;
	lease->looked = false;
	if (lease->seen.mine && is_valid(lease, now))
		write_record(lease);
	else
		look_at_lease(lease);
}

static void on_deadline(struct net_timer *timer, struct mono turn)
{
	struct lease *lease = LIST_OWNER(timer, struct lease, deadline);

	(void)turn;
	if (lease->state == LEASE_RELEASING)
		finish_release(lease, "no time is left");
	else
		expire(lease, lease_now(lease));
}

/* ---- what callers do ---- */

static void lease_dump(const void *self)
{
	const struct lease *lease = self;

	check_print("  state %s, holder %.*s, acquired %llu, lost %llu\n",
		state_names[lease->state], TEXT_ARGS(kept(&lease->seen.holder)),
		(unsigned long long)lease->stats.acquired, (unsigned long long)lease->stats.lost);
}

static bool keep_holder(struct text t, char *to, size_t max, struct text *kept_as)
{
	if (t.size == 0 || t.size > max)
		return false;
	memcpy(to, t.at, t.size);
	*kept_as = (struct text){to, t.size};
	return true;
}

static bool keep_names(struct lease *lease, const struct lease_setup *setup)
{
	int64_t timeout_ms = setup->renew_deadline_ms / 2;
	uint32_t timeout_s =
		(uint32_t)(timeout_ms < LEASE_TIMEOUT_MIN_MS ? 1 : (timeout_ms + 999) / 1000);
	struct writer one, all;

	if (!keep_holder(
		    setup->identity, lease->identity_bytes, LEASE_IDENTITY_MAX, &lease->identity) ||
		!keep_holder(setup->namespace, lease->namespace_bytes, LEASE_NAME_MAX,
			&lease->namespace) ||
		!keep_holder(setup->name, lease->name_bytes, LEASE_NAME_MAX, &lease->name))
		return false;
	writer_init(&one, lease->path_one_bytes, sizeof(lease->path_one_bytes));
	writer_init(&all, lease->path_all_bytes, sizeof(lease->path_all_bytes));
	if (!lease_path(lease->namespace, lease->name, timeout_s, &one) ||
		!lease_path(lease->namespace, TEXT_NONE, timeout_s, &all))
		return false;
	CHECK(!one.overflowed);
	CHECK(!all.overflowed);
	lease->path_one = writer_text(&one);
	lease->path_all = writer_text(&all);
	return true;
}

struct lease *lease_init(const struct lease_setup *setup)
{
	struct lease *lease = arena_take(setup->arena, sizeof(*lease));
	size_t cut_size = json_cut_size(LEASE_OBJECT_MAX);
	uint64_t seed = 1;

	CHECK(setup->changed != NULL);
	CHECK(setup->retry_period_ms > 0);
	CHECK(setup->renew_deadline_ms > setup->retry_period_ms);
	CHECK(setup->duration_ms > setup->renew_deadline_ms);
	CHECK(setup->duration_ms / 1000 < INT32_MAX);
	lease->setup = *setup;
	lease->net = api_client_net(setup->client);
	lease->caller = (struct api_caller){
		.client = setup->client, .name = "lease", .done = lease_answered};
	lease->cut = json_cut_init(arena_take(setup->arena, cut_size), cut_size, LEASE_OBJECT_MAX);
	scratch_init(&lease->scratch, arena_take(setup->arena, LEASE_SCRATCH), LEASE_SCRATCH);
	/* Jitter only has to be spread. */
	(void)setup->entropy.fill(setup->entropy.self, &seed, sizeof(seed));
	random_init(&lease->random, seed);
	net_timer_init(&lease->pause, on_pause_over);
	net_timer_init(&lease->deadline, on_deadline);
	if (!keep_names(lease, setup))
		return NULL;
	api_caller_init(&lease->caller);
	check_register((struct check_dump){"lease", lease_dump, lease});
	return lease;
}

size_t lease_size(void)
{
	return sizeof(struct lease) + json_cut_size(LEASE_OBJECT_MAX) + LEASE_SCRATCH + 3 * 16;
}

void lease_start(struct lease *lease)
{
	CHECK(lease->state == LEASE_OFF || lease->state == LEASE_RELEASED);
	lease->state = LEASE_WAITING;
	net_timer_arm(lease->net, &lease->pause, lease_now(lease));
}

void lease_close(struct lease *lease)
{
	api_caller_close(&lease->caller);
	net_timer_disarm(&lease->pause);
	net_timer_disarm(&lease->deadline);
	lease->state = LEASE_OFF;
	check_unregister(lease);
}

bool lease_holds(const struct lease *lease, struct mono now)
{
	return lease->state == LEASE_LEADING && !mono_reached(now, hold_ends(lease));
}

void lease_release(struct lease *lease, void (*done)(void *self))
{
	struct mono now = lease_now(lease);

	CHECK(done != NULL);
	CHECK(lease->state != LEASE_RELEASING);
	if (!api_call_is_over(&lease->call) && lease->writes)
		lease->doubt = true;
	api_call_cancel(&lease->call);
	lease->tell_lost = lease->state == LEASE_LEADING;
	lease->state = LEASE_RELEASING;
	lease->released = done;
	net_timer_arm(lease->net, &lease->pause, now);
	net_timer_arm(
		lease->net, &lease->deadline, mono_after_ms(now, lease->setup.renew_deadline_ms));
}

struct lease_stats lease_stats(const struct lease *lease)
{
	struct lease_stats stats = lease->stats;

	stats.state = state_names[lease->state];
	if (lease->seen.there) {
		stats.holder = kept(&lease->seen.holder);
		stats.uid = kept(&lease->seen.uid);
		stats.resource_version = kept(&lease->seen.version);
	}
	stats.renewed_at = lease->renewed_at;
	return stats;
}
