/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is sent: ExtenderArgs and ExtenderPreemptionArgs, with the keys of Go's fields.
 *
 * A body is a row of parts that exist anyway - the pod, names of nodes - so it is never put
 * together: the piece that the connection can take next is copied out of them, walking from the
 * beginning. That is quadratic in the pieces, of which there are a few dozen for 5,000 nodes, and
 * costs no memory at all.
 */
#include "extender/private.h"

/* A window on the body. */
struct slice {
	size_t from; /* bytes still to be skipped */
	char *to;
	size_t size; /* 0: only counting */
	size_t used;
	size_t all;
};

static void put(struct slice *s, struct text part)
{
	s->all += part.size;
	if (s->from >= part.size) {
		s->from -= part.size;
		return;
	}
	part = text_from(part, s->from);
	s->from = 0;
	if (part.size > s->size - s->used)
		part = text_first(part, s->size - s->used);
	if (part.size > 0)
		memcpy(s->to + s->used, part.at, part.size);
	s->used += part.size;
}

static bool is_full(const struct slice *s)
{
	return s->size > 0 && s->used == s->size;
}

/* Names are looked at before they are asked about: nothing in them has to be escaped. */
static void put_names(struct slice *s, const struct extender_ask *ask)
{
	const struct cache *cache = ask->all->setup.cache;
	put(s, TEXT("["));
	for (uint32_t i = 0; i < ask->node_count && !is_full(s); i++) {
		put(s, i == 0 ? TEXT("\"") : TEXT(",\""));
		put(s, cache_text(cache, ask->words.of_node[ask->nodes[i]].name));
		put(s, TEXT("\""));
	}
	put(s, TEXT("]"));
}

/* As a NodeList; those that are not known are not offered. */
static void put_nodes(struct slice *s, const struct extender_ask *ask)
{
	bool first = true;
	put(s, TEXT("{\"metadata\":{},\"items\":["));
	for (uint32_t i = 0; i < ask->node_count && !is_full(s); i++) {
		struct text node = extender_node_text(
			ask->all->nodes, ask->nodes[i], ask->words.of_node[ask->nodes[i]].name);
		if (node.size == 0)
			continue;
		if (!first)
			put(s, TEXT(","));
		first = false;
		put(s, node);
	}
	put(s, TEXT("]}"));
}

static void put_i64(struct slice *s, int64_t value)
{
	char room[24];
	struct writer w;
	writer_init(&w, room, sizeof(room));
	write_i64(&w, value);
	put(s, writer_text(&w));
}

/*
 * A victim by its uid; or as the whole pod that was read, or, where it was gone by then, as what
 * makes it this victim and no other, and what it is worth.
 */
static void put_victim(struct slice *s, const struct extender_ask *ask,
	const struct extender_victim *victim, bool by_uid)
{
	const struct cache *cache = ask->all->setup.cache;
	char room[3072];
	char uid[128];
	struct writer w;
	struct writer u;
	struct json_writer j;
	if (!by_uid && victim->whole_size > 0) {
		put(s,
			(struct text){(const char *)ask->whole.span.base + victim->whole_at,
				victim->whole_size});
		return;
	}
	writer_init(&w, room, sizeof(room));
	writer_init(&u, uid, sizeof(uid));
	json_write_init(&j, &w);
	cache_print_uid(cache, victim->uid, &u);
	if (by_uid) {
		json_open_object(&j);
		json_member_text(&j, "UID", writer_text(&u));
		json_close_object(&j);
		put(s, writer_text(&w));
		return;
	}
	json_open_object(&j);
	json_member_object(&j, "metadata");
	json_member_text(&j, "name", cache_text(cache, victim->name));
	json_member_text(&j, "namespace", cache_text(cache, victim->namespace));
	json_member_text(&j, "uid", writer_text(&u));
	json_close_object(&j);
	json_member_object(&j, "spec");
	json_member_i64(&j, "priority", victim->priority);
	json_close_object(&j);
	json_close_object(&j);
	put(s, writer_text(&w));
}

static void put_victims(struct slice *s, const struct extender_call *call, bool by_uid)
{
	const struct extender_offers *offers = call->ask->offers;
	const struct cache *cache = call->ask->all->setup.cache;
	bool first = true;
	put(s, TEXT("{"));
	for (uint32_t i = 0; i < offers->count && !is_full(s); i++) {
		const struct extender_offer *offer = &offers->list[i];
		if (!offer->chosen)
			continue;
		put(s, first ? TEXT("\"") : TEXT(",\""));
		first = false;
		put(s, cache_text(cache, offer->name));
		put(s, TEXT("\":{\"Pods\":["));
		bool first_pod = true;
		for (uint32_t v = offer->first; v < offer->first + offer->count; v++) {
			if (!offers->victims[v].chosen)
				continue;
			if (!first_pod)
				put(s, TEXT(","));
			first_pod = false;
			put_victim(s, call->ask, &offers->victims[v], by_uid);
		}
		put(s, TEXT("],\"NumPDBViolations\":"));
		put_i64(s, offer->violations);
		put(s, TEXT("}"));
	}
	put(s, TEXT("}"));
}

size_t extender_body(const struct extender_call *call, size_t from, char *to, size_t size)
{
	struct slice s = {.from = size == 0 ? SIZE_MAX : from, .to = to, .size = size};
	bool capable = call->extender->config->node_cache_capable;
	put(&s, TEXT("{\"Pod\":"));
	put(&s, call->ask->pod_json);
	if (call->verb == EXTENDER_PREEMPT) {
		put(&s,
			capable ? TEXT(",\"NodeNameToVictims\":null,\"NodeNameToMetaVictims\":")
				: TEXT(",\"NodeNameToMetaVictims\":null,\"NodeNameToVictims\":"));
		put_victims(&s, call, capable);
	} else if (capable) {
		put(&s, TEXT(",\"Nodes\":null,\"NodeNames\":"));
		put_names(&s, call->ask);
	} else {
		put(&s, TEXT(",\"Nodes\":"));
		put_nodes(&s, call->ask);
		put(&s, TEXT(",\"NodeNames\":null"));
	}
	put(&s, TEXT("}"));
	return size == 0 ? s.all : s.used;
}
