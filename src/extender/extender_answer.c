/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What came back: ExtenderFilterResult, HostPriorityList, ExtenderPreemptionResult. Keys are
 * compared as Go does, without regard to case; older extenders write them in their own.
 *
 * What kube-scheduler does: an answer of the wrong types is an error, and so is a node that was
 * not asked about; one that is named twice is there twice.
 * What we do: the same, but a node is there once; and of nodes that failed only those that were
 * asked about are counted. Nodes that come back as whole objects are taken for their names: what
 * is decided goes by the picture, not by what an extender made of it.
 */
#include <strings.h>

#include "extender/private.h"

static const struct json_want want_meta[] = {{"name", NULL}, {NULL, NULL}};
static const struct json_want want_node[] = {{"metadata", want_meta}, {NULL, NULL}};
static const struct json_want want_nodes[] = {{"items", want_node}, {NULL, NULL}};
const struct json_want extender_want_filter[] = {
	{"Nodes", want_nodes}, {"nodes", want_nodes}, {"*", NULL}, {NULL, NULL}};

struct hearing {
	struct extender_ask *ask;
	const struct extender *extender;
	enum extender_verb verb;
	bool ok;
};

static bool is_key(struct text key, const char *name)
{
	return key.size == strlen(name) && strncasecmp(key.at, name, key.size) == 0;
}

static void mistrust(struct hearing *r, const char *what)
{
	struct text url = extender_url(r->extender, r->verb);
	if (r->ok)
		extender_ask_fail(r->ask, "failed %.*s with extender at URL %.*s: %s",
			TEXT_ARGS(text_from(url, r->extender->path_at + 1)), TEXT_ARGS(url), what);
	r->ok = false;
}

/* A value of the type, or null, which is nothing; anything else is refused. */
static bool is_there(struct hearing *r, struct json_value v, enum json_type type, const char *what)
{
	enum json_type is = json_type(v);
	if (is == type)
		return true;
	if (is != JSON_NONE && is != JSON_NULL)
		mistrust(r, what);
	return false;
}

/* ---- nodes ---- */

/* The index of a node that was asked about, gone though it may be; 0: there was none. */
static uint32_t find_node(const struct extender_ask *ask, struct text name)
{
	const struct cache *cache = ask->all->setup.cache;
	uint32_t id;
	if (name.size == 0 || !intern_find(&cache->strings, name, &id))
		return 0;
	uint32_t node = cache_find_node_id(cache, id);
	if (node != 0 && node <= ask->words.top && ask->words.of_node[node].name == id)
		return node;
	for (uint32_t i = 0; i < ask->node_count; i++)
		if (ask->words.of_node[ask->nodes[i]].name == id)
			return ask->nodes[i];
	return 0;
}

static uint16_t keep_reason(struct extender_ask *ask, struct text reason)
{
	struct extender_words *words = &ask->words;
	for (uint32_t i = 0; i < words->reason_count; i++)
		if (text_is(words->reasons[i], reason))
			return (uint16_t)i;
	bool last = words->reason_count >= EXTENDER_REASONS_MAX - 1 ||
		reason.size > sizeof(ask->reasons) - ask->reasons_size;
	if (last)
		reason = TEXT("other reasons of extenders");
	if (words->reason_count == EXTENDER_REASONS_MAX)
		return EXTENDER_REASONS_MAX - 1;
	if (!last) {
		if (reason.size > 0)
			memcpy(ask->reasons + ask->reasons_size, reason.at, reason.size);
		reason.at = ask->reasons + ask->reasons_size;
		ask->reasons_size += reason.size;
	}
	words->reasons[words->reason_count] = reason;
	return (uint16_t)words->reason_count++;
}

/* ---- filter ---- */

static void keep_name(struct hearing *r, struct json_value value)
{
	struct extender_ask *ask = r->ask;
	struct text name = json_text(value);
	char words[512];
	struct writer w;
	uint32_t node = find_node(ask, name);
	uint16_t *verdict = &ask->words.of_node[node].verdict;
	if (node != 0 && (*verdict == EXTENDER_LISTED || *verdict == EXTENDER_KEPT)) {
		*verdict = EXTENDER_KEPT;
		return;
	}
	if (r->ok) {
		writer_init(&w, words, sizeof(words));
		write_format(&w,
			"extender \"%.*s\" claims a filtered node \"%.*s\" which is not found in "
			"the input node list",
			TEXT_ARGS(r->extender->config->url_prefix),
			(int)(name.size < 253 ? name.size : 253), name.at == NULL ? "" : name.at);
		extender_ask_fail(ask, "%.*s", TEXT_ARGS(writer_text(&w)));
	}
	r->ok = false;
}

/* Of nodes that are not kept. */
static void fail_nodes(struct hearing *r, struct json_value map, enum extender_verdict verdict)
{
	struct json_walk walk = json_walk(map);
	while (json_walk_next(&walk)) {
		uint32_t node = find_node(r->ask, walk.key);
		struct extender_word *word = &r->ask->words.of_node[node];
		if (json_type(walk.value) != JSON_STRING)
			mistrust(r, "a reason is no text");
		if (node == 0 || word->verdict != EXTENDER_LISTED)
			continue;
		word->reason = keep_reason(r->ask, json_text(walk.value));
		word->verdict = (uint16_t)verdict;
	}
}

struct filter_result {
	struct json_value nodes, names, failed, unresolvable, error;
};

static void keep_nodes(struct hearing *r, const struct filter_result *result)
{
	bool by_name = r->extender->config->node_cache_capable &&
		is_there(r, result->names, JSON_ARRAY, "NodeNames is no list");
	struct json_walk walk = {0};
	if (by_name)
		walk = json_walk(result->names);
	else if (is_there(r, result->nodes, JSON_OBJECT, "Nodes is no list of nodes"))
		walk = json_walk(json_get(result->nodes, "items"));
	else
		return;
	while (json_walk_next(&walk))
		keep_name(r, by_name ? walk.value : json_path(walk.value, "metadata.name"));
}

/* Who is left, in the same order. */
static void leave_kept(struct extender_ask *ask)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < ask->node_count; i++) {
		struct extender_word *word = &ask->words.of_node[ask->nodes[i]];
		if (word->verdict == EXTENDER_KEPT)
			ask->nodes[count++] = ask->nodes[i];
		else if (word->verdict == EXTENDER_LISTED)
			word->verdict = EXTENDER_DROPPED;
	}
	ask->words.removed += ask->node_count - count;
	ask->words.kept = count;
	ask->node_count = count;
}

static void set_all(struct extender_ask *ask, enum extender_verdict verdict)
{
	for (uint32_t i = 0; i < ask->node_count; i++)
		ask->words.of_node[ask->nodes[i]].verdict = (uint16_t)verdict;
}

static void read_filter(struct hearing *r, struct json_value root)
{
	struct filter_result result = {JSON_VALUE_NONE, JSON_VALUE_NONE, JSON_VALUE_NONE,
		JSON_VALUE_NONE, JSON_VALUE_NONE};
	struct json_walk walk = json_walk(root);
	while (json_walk_next(&walk)) {
		static const char *const keys[] = {
			"nodes", "nodenames", "failednodes", "failedandunresolvablenodes", "error"};
		struct json_value *const values[] = {&result.nodes, &result.names, &result.failed,
			&result.unresolvable, &result.error};
		for (uint32_t i = 0; i < ARRAY_COUNT(keys); i++)
			if (is_key(walk.key, keys[i]))
				*values[i] = walk.value;
	}
	(void)is_there(r, root, JSON_OBJECT, "the answer is no ExtenderFilterResult");
	if (is_there(r, result.error, JSON_STRING, "Error is no text") &&
		json_text(result.error).size > 0 && r->ok) {
		extender_ask_fail(r->ask, "%.*s", TEXT_ARGS(json_text(result.error)));
		r->ok = false;
	}
	if (!r->ok)
		return;
	set_all(r->ask, EXTENDER_LISTED);
	keep_nodes(r, &result);
	if (is_there(r, result.unresolvable, JSON_OBJECT, "FailedAndUnresolvableNodes is no map"))
		fail_nodes(r, result.unresolvable, EXTENDER_UNRESOLVABLE);
	if (is_there(r, result.failed, JSON_OBJECT, "FailedNodes is no map"))
		fail_nodes(r, result.failed, EXTENDER_FAILED);
	if (r->ok)
		leave_kept(r->ask);
	else
		set_all(r->ask, EXTENDER_KEPT);
}

/* ---- scores ---- */

static int64_t weighted(int64_t score, int64_t weight)
{
	return cache_times(cache_times(score, weight), 10);
}

/* First all of it is read, then it counts: half a list is none. */
static void read_scores(struct hearing *r, struct json_value root)
{
	(void)is_there(r, root, JSON_ARRAY, "the answer is no HostPriorityList");
	for (uint32_t pass = 0; pass < 2 && r->ok; pass++) {
		struct json_walk hosts = json_walk(root);
		while (json_walk_next(&hosts)) {
			struct text host = TEXT_NONE;
			int64_t score = 0;
			struct json_walk walk = json_walk(hosts.value);
			while (json_walk_next(&walk)) {
				if (is_key(walk.key, "host") &&
					is_there(r, walk.value, JSON_STRING, "Host is no text"))
					host = json_text(walk.value);
				if (is_key(walk.key, "score") &&
					is_there(
						r, walk.value, JSON_NUMBER, "Score is no number") &&
					!json_i64(walk.value, &score))
					mistrust(r, "Score is no whole number");
			}
			uint32_t node = pass == 0 ? 0 : find_node(r->ask, host);
			if (node == 0)
				continue;
			int64_t *total = &r->ask->words.of_node[node].score;
			*total = cache_plus(*total, weighted(score, r->extender->config->weight));
		}
	}
}

/* ---- victims ---- */

enum { NAMED = 2 }; /* added to a victim's `chosen` while an answer is read */

static struct extender_offer *find_offer(
	struct extender_offers *offers, const struct cache *cache, struct text name)
{
	for (uint32_t i = 0; i < offers->count; i++)
		if (offers->list[i].chosen &&
			text_is(cache_text(cache, offers->list[i].name), name))
			return &offers->list[i];
	return NULL;
}

/* Of the victims that were shown; the list's texts are compared as they are printed. */
static bool choose_victim(struct hearing *r, const struct extender_offer *offer, struct text uid)
{
	struct extender_offers *offers = r->ask->offers;
	for (uint32_t v = offer->first; v < offer->first + offer->count; v++) {
		char room[128];
		struct writer w;
		writer_init(&w, room, sizeof(room));
		cache_print_uid(r->ask->all->setup.cache, offers->victims[v].uid, &w);
		if (!text_is(writer_text(&w), uid))
			continue;
		offers->victims[v].chosen |= NAMED;
		return true;
	}
	return false;
}

/* True: it has victims. */
static bool read_offer(struct hearing *r, const struct extender_offer *offer,
	struct json_value victims, int64_t *violations)
{
	bool any = false;
	struct json_walk walk = json_walk(victims);
	while (json_walk_next(&walk)) {
		if (is_key(walk.key, "numpdbviolations") && !json_i64(walk.value, violations))
			mistrust(r, "NumPDBViolations is no whole number");
		if (!is_key(walk.key, "pods") ||
			!is_there(r, walk.value, JSON_ARRAY, "Pods is no list"))
			continue;
		struct json_walk pods = json_walk(walk.value);
		while (json_walk_next(&pods)) {
			struct json_walk pod = json_walk(pods.value);
			struct text uid = TEXT_NONE;
			while (json_walk_next(&pod))
				if (is_key(pod.key, "uid"))
					uid = json_text(pod.value);
			any = true;
			if (!choose_victim(r, offer, uid))
				mistrust(r, "it names a victim that is not on the node");
		}
	}
	return any;
}

static void read_offers(struct hearing *r, struct json_value map)
{
	struct extender_offers *offers = r->ask->offers;
	struct json_walk nodes = json_walk(map);
	while (json_walk_next(&nodes)) {
		struct extender_offer *offer =
			find_offer(offers, r->ask->all->setup.cache, nodes.key);
		if (offer == NULL) {
			mistrust(r, "it names a node that was not asked about");
			continue;
		}
		if (read_offer(r, offer, nodes.value, &offer->named_violations))
			offer->named = true;
		else if (!r->extender->config->ignorable)
			mistrust(r, "it expects at least one victim on a node");
	}
}

static void read_victims(struct hearing *r, struct json_value root)
{
	struct extender_offers *offers = r->ask->offers;
	struct json_walk walk = json_walk(root);
	for (uint32_t i = 0; i < offers->count; i++) {
		offers->list[i].named = false;
		offers->list[i].named_violations = 0;
	}
	(void)is_there(r, root, JSON_OBJECT, "the answer is no ExtenderPreemptionResult");
	while (json_walk_next(&walk))
		if (is_key(walk.key, "nodenametometavictims") &&
			is_there(r, walk.value, JSON_OBJECT, "NodeNameToMetaVictims is no map"))
			read_offers(r, walk.value);
	for (uint32_t i = 0; i < offers->count; i++) {
		struct extender_offer *offer = &offers->list[i];
		if (r->ok && offer->chosen) {
			offer->chosen = offer->named;
			offer->violations = offer->named_violations;
		}
		for (uint32_t v = offer->first; v < offer->first + offer->count; v++) {
			uint32_t *chosen = &offers->victims[v].chosen;
			*chosen = r->ok ? *chosen / NAMED : *chosen % NAMED;
		}
	}
}

/* ---- all of them ---- */

bool extender_answer(struct extender_ask *ask, const struct extender *extender,
	enum extender_verb verb, struct text answer)
{
	static void (*const readers[EXTENDER_VERBS])(struct hearing * r, struct json_value root) = {
		[EXTENDER_FILTER] = read_filter,
		[EXTENDER_SCORE] = read_scores,
		[EXTENDER_PREEMPT] = read_victims,
	};
	struct hearing r = {ask, extender, verb, true};
	struct json_value root;
	scratch_reset(&ask->all->scratch);
	if (json_parse(answer, &ask->all->scratch, &root) == JSON_PARSED)
		readers[verb](&r, root);
	else
		mistrust(&r, "the answer is too big");
	return r.ok;
}
