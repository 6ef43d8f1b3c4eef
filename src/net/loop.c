/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loop: one turn is flush what was asked for, wait, read the clock, move members on, fire timers.
 */
#include "base/check.h"
#include "base/trace.h"
#include "net/net_private.h"

static void net_print(const void *self);

struct net *net_init(const struct net_setup *setup)
{
	struct net *net = arena_take(setup->arena, sizeof(*net));
	uint64_t seed = 1;

	net->clock = setup->clock;
	net->entropy = setup->entropy;
	net->bytes = setup->bytes;
	net->scratch = arena_take(setup->arena, NET_SCRATCH_SIZE);
	net->now = clock_mono(&net->clock);
	net->members_due = MONO_NEVER;
	list_init(&net->timers);
	list_init(&net->members);
	/* Jitter only has to be spread: without entropy it is merely the same for each start. */
	(void)net->entropy.fill(net->entropy.self, &seed, sizeof(seed));
	random_init(&net->random, seed);
	check_register((struct check_dump){"net", net_print, net});
	return net;
}

size_t net_size(void)
{
	return sizeof(struct net) + NET_SCRATCH_SIZE + 2 * 16;
}

void net_close(struct net *net)
{
	CHECK(list_is_empty(&net->members));
	check_unregister(net);
}

struct mono net_stopped(const struct net *net)
{
	return net->stopped;
}

struct mono net_now(const struct net *net)
{
	return net->now;
}

const struct clock *net_clock(const struct net *net)
{
	return &net->clock;
}

struct entropy net_entropy(const struct net *net)
{
	return net->entropy;
}

const struct net_bytes *net_bytes(const struct net *net)
{
	return &net->bytes;
}

char *net_scratch(struct net *net)
{
	return net->scratch;
}

void net_hurry(struct net *net, bool hurried)
{
	net->hurried = hurried;
}

bool net_is_hurried(const struct net *net)
{
	return net->hurried;
}

void net_wake(struct net *net)
{
	net->woken = true;
}

/* ---- timers ---- */

void net_timer_init(struct net_timer *timer, void (*fire)(struct net_timer *timer, struct mono now))
{
	list_init(&timer->link);
	timer->due = MONO_NEVER;
	timer->fire = fire;
}

static struct net_timer *timer_of(struct list *link)
{
	return LIST_OWNER(link, struct net_timer, link);
}

void net_timer_arm(struct net *net, struct net_timer *timer, struct mono due)
{
	list_remove(&timer->link);
	struct list *after = net->timers.prev;
	timer->due = due;
	while (after != &net->timers && timer_of(after)->due.us > due.us)
		after = after->prev;
	list_add_first(after, &timer->link);
}

void net_timer_disarm(struct net_timer *timer)
{
	list_remove(&timer->link);
}

/* Those that were due when the turn began: one that arms itself again waits for the next turn. */
static void fire_timers(struct net *net)
{
	struct list due;
	struct list *link;

	list_init(&due);
	while ((link = list_first(&net->timers)) != NULL &&
		mono_reached(net->now, timer_of(link)->due)) {
		list_remove(link);
		list_add_last(&due, link);
	}
	while ((link = list_first(&due)) != NULL) {
		list_remove(link);
		timer_of(link)->fire(timer_of(link), net->now);
	}
}

/* ---- members and turns ---- */

void net_join(struct net *net, struct net_member *member)
{
	list_init(&member->link);
	list_add_last(&net->members, &member->link);
}

void net_leave(struct net_member *member)
{
	list_remove(&member->link);
}

static struct net_member *member_of(struct list *link)
{
	return LIST_OWNER(link, struct net_member, link);
}

static void turn_members(struct net *net, bool only_dirty)
{
	struct mono due = only_dirty ? net->members_due : MONO_NEVER;

	for (struct list *link = net->members.next, *next; link != &net->members; link = next) {
		struct net_member *member = member_of(link);

		next = link->next;
		if (only_dirty && !member->dirty)
			continue;
		member->dirty = false;
		due = mono_earlier(due, member->turn(member, net->now));
	}
	net->members_due = due;
}

/* A callback asked for something after its client's turn. */
static bool any_dirty(const struct net *net)
{
	for (struct list *link = net->members.next; link != &net->members; link = link->next)
		if (member_of(link)->dirty)
			return true;
	return false;
}

static int64_t sleep_us(const struct net *net, int64_t timeout_us)
{
	struct mono due = net->members_due;
	struct list *first = list_first(&net->timers);

	if (net->woken || any_dirty(net))
		return 0;
	if (first != NULL)
		due = mono_earlier(due, timer_of(first)->due);
	if (due.us == MONO_NEVER.us)
		return timeout_us;
	int64_t wait = mono_since_us(due, clock_mono(&net->clock));
	if (wait < 0)
		wait = 0;
	return timeout_us < 0 || wait < timeout_us ? wait : timeout_us;
}

void net_poll(struct net *net, int64_t timeout_us)
{
	turn_members(net, true);
	int64_t wait = sleep_us(net, timeout_us);
	struct mono before = net->now;
	net->woken = false;
	net->bytes.wait(net->bytes.self, wait);
	net->now = clock_mono(&net->clock);
	trace_now(net->now);
	if (wait >= 0 &&
		mono_since_us(net->now, before) - wait > (int64_t)NET_STOPPED_MS * CLOCK_MS_US)
		net->stopped = net->now;
	turn_members(net, false);
	fire_timers(net);
}

static void net_print(const void *self)
{
	const struct net *net = self;
	uint32_t timers = 0, members = 0, dirty = 0;
	for (const struct list *link = net->timers.next; link != &net->timers; link = link->next)
		timers++;
	for (struct list *link = net->members.next; link != &net->members; link = link->next) {
		members++;
		dirty += member_of(link)->dirty;
	}
	check_print("  now %lld us, members %u, with work %u, timers %u\n", (long long)net->now.us,
		members, dirty, timers);
}
