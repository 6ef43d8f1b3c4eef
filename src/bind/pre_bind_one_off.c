/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls that no order waits for: what Unreserve takes back at the apiserver, what PostFilter frees
 * for the next attempt. They take turns with the others.
 *
 * What kube-scheduler does: it makes them right there, and the cycle waits for the answers.
 * What we do: they are kept as bytes, and go out when it is their namespace's turn.
 */
#include "base/log.h"
#include "bind/pre_bind_private.h"

enum { ONE_OFF_TRIES = 6, ONE_OFF_PAUSE_MS = 500 /* and twice as long each time */ };

struct one_off_call {
	const char *subresource;
	uint32_t namespace_size, name_size, body_size; /* of the bytes that follow all calls */
	uint8_t verb, kind;
};
struct one_off {
	struct cache_uid uid;
	uint32_t pod;
	uint32_t at, count;
	uint32_t tries;
	bool is_undo;
	struct one_off_call calls[];
};

static struct one_off *one_off_of(const struct pre_bind_run *run)
{
	return store_at(&run->owner->setup.cache->store, run->one_off);
}

static char *keep_bytes(char *to, struct text t, uint32_t *size)
{
	*size = (uint32_t)t.size;
	if (t.size > 0)
		memcpy(to, t.at, t.size);
	return to + t.size;
}

static void keep_calls(struct one_off *kept, const struct pre_bind_one_off *from)
{
	char *bytes = (char *)(kept->calls + from->count);
	*kept = (struct one_off){
		.uid = from->uid, .pod = from->pod, .count = from->count, .is_undo = from->is_undo};
	for (uint32_t i = 0; i < from->count; i++) {
		const struct plugin_call *call = &from->calls[i];
		struct one_off_call *to = &kept->calls[i];
		*to = (struct one_off_call){.subresource = call->subresource,
			.verb = (uint8_t)call->verb,
			.kind = (uint8_t)call->kind};
		bytes = keep_bytes(bytes, call->namespace, &to->namespace_size);
		bytes = keep_bytes(bytes, call->name, &to->name_size);
		bytes = keep_bytes(bytes, call->body, &to->body_size);
	}
}

static size_t size_of_calls(const struct pre_bind_one_off *from)
{
	size_t size = sizeof(struct one_off) + from->count * sizeof(struct one_off_call);
	for (uint32_t i = 0; i < from->count; i++)
		size += from->calls[i].namespace.size + from->calls[i].name.size +
			from->calls[i].body.size;
	return size;
}

bool pre_bind_send(struct pre_bind *pre_bind, const struct pre_bind_one_off *one_off)
{
	struct cache *cache = pre_bind->setup.cache;
	uint32_t index = pool_take(&pre_bind->runs);
	uint32_t handle = index == 0
		? 0
		: store_take_aligned(&cache->store, size_of_calls(one_off), sizeof(uint64_t));
	if (handle == 0) {
		if (index != 0)
			pool_give(&pre_bind->runs, index);
		return false;
	}
	keep_calls(store_at(&cache->store, handle), one_off);
	struct pre_bind_run *run = pre_bind_run_at(pre_bind, index);
	*run = (struct pre_bind_run){.owner = pre_bind,
		.index = index,
		.one_off = handle,
		.namespace = one_off->namespace,
		.state = PRE_BIND_STEPS};
	intern_keep(&cache->strings, run->namespace);
	list_init(&run->link);
	net_timer_init(&run->timer, pre_bind_run_due);
	/* Later, not within this call: an answer may end the binding that the caller works on. */
	pre_bind_step_soon(run);
	return true;
}

static void one_off_ends(struct pre_bind_run *run, bool ok)
{
	struct pre_bind *pre_bind = run->owner;
	const struct one_off kept = *one_off_of(run);
	pre_bind_give_back(run);
	if (!ok && pre_bind->setup.refused != NULL)
		pre_bind->setup.refused(pre_bind->setup.self, kept.pod, kept.uid);
}

bool pre_bind_undoes(const struct pre_bind *pre_bind, struct cache_uid uid)
{
	const struct pool *slots = &pre_bind->slots;
	for (uint32_t i = pool_next(slots, 0); i != 0; i = pool_next(slots, i)) {
		const struct pre_bind_slot *slot = pool_at(slots, i);
		const struct pre_bind_run *run = pre_bind_run_at(pre_bind, slot->run);
		if (run->one_off != 0 && one_off_of(run)->is_undo &&
			memcmp(&one_off_of(run)->uid, &uid, sizeof(uid)) == 0)
			return true;
	}
	return false;
}

/* It has a place again, and what it took for that must stay. */
static bool is_late(const struct pre_bind_run *run)
{
	const struct one_off *kept = one_off_of(run);
	const struct cache *cache = run->owner->setup.cache;
	if (!pool_is_taken(&cache->pods, kept->pod))
		return false;
	const struct cache_pod *pod = cache_pod_at(cache, kept->pod);
	return pod->node != 0 && memcmp(&kept->uid, &pod->uid, sizeof(pod->uid)) == 0;
}

void one_off_step(struct pre_bind_run *run)
{
	const struct one_off *kept = one_off_of(run);
	const char *bytes = (const char *)(kept->calls + kept->count);
	const struct one_off_call *call = kept->calls;
	if (is_late(run)) {
		one_off_ends(run, true);
		return;
	}
	for (uint32_t i = 0; i < kept->at; i++, call++)
		bytes += call->namespace_size + call->name_size + call->body_size;
	pre_bind_call(run,
		&(struct plugin_call){.verb = (enum plugin_verb)call->verb,
			.kind = (enum kube_kind)call->kind,
			.namespace = {bytes, call->namespace_size},
			.name = {bytes + call->namespace_size, call->name_size},
			.subresource = call->subresource,
			.body = {bytes + call->namespace_size + call->name_size, call->body_size}});
}

static void one_off_refused(struct pre_bind_run *run)
{
	const struct one_off *kept = one_off_of(run);
	struct text object = {(const char *)(kept->calls + kept->count),
		kept->calls[0].namespace_size + kept->calls[0].name_size};
	log_warn("bind", "call-refused", "kind=%s object=%.*s/%.*s call=%u error=\"%.*s\"",
		kube_kinds[kept->calls[0].kind].plural,
		TEXT_ARGS(text_first(object, kept->calls[0].namespace_size)),
		TEXT_ARGS(text_from(object, kept->calls[0].namespace_size)), (unsigned)kept->at,
		TEXT_ARGS(pre_bind_message(run)));
	one_off_ends(run, false);
}

void one_off_answered(struct pre_bind_run *run, enum api_verdict verdict)
{
	struct one_off *kept = one_off_of(run);
	struct pre_bind *pre_bind = run->owner;
	run->waits = 0;
	if (verdict == API_DONE || verdict == API_GONE) {
		kept->tries = 0;
		kept->at++;
		pre_bind->stats.written += verdict == API_DONE;
		if (kept->at == kept->count)
			one_off_ends(run, true);
		else
			pre_bind_make_ready(run, true);
	} else if ((verdict == API_UNCLEAR || verdict == API_RETRY) &&
		++kept->tries < ONE_OFF_TRIES) {
		net_timer_arm(pre_bind->net, &run->timer,
			mono_after_ms(net_now(pre_bind->net), ONE_OFF_PAUSE_MS << kept->tries));
	} else {
		one_off_refused(run);
	}
}
