/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of pods per domain. Every change of a pod or node visits the counters it may concern:
 * those of the pod's namespace and the few that look at several namespaces.
 */
#include "cache/private.h"

enum { NODE_SLOT = 0 };

static int32_t *counts_at(const struct cache *cache, uint32_t handle)
{
	return handle == 0 ? NULL : store_at(&cache->store, handle);
}

/* The one namespace that all terms are about, or 0 when there are several. */
static uint32_t only_namespace(const struct cache_query *query)
{
	const struct cache_term *terms = KUBE_AT(query, query->terms, struct cache_term);
	uint32_t only = 0;
	for (uint32_t i = 0; i < query->terms.count; i++) {
		if (terms[i].all_namespaces != 0 || terms[i].namespaces.count != 1 ||
			terms[i].namespace_selector.state != KUBE_SELECTOR_NONE)
			return 0;
		uint32_t namespace = KUBE_AT(query, terms[i].namespaces, uint32_t)[0];
		if (only != 0 && namespace != only)
			return 0;
		only = namespace;
	}
	return only;
}

static struct list *bucket_of(struct cache_counters *counters, uint32_t kind, uint32_t namespace)
{
	uint32_t side = kind == CACHE_MATCH ? 0 : 1;
	return namespace == 0 ? &counters->everywhere[side]
			      : &counters->buckets[side][namespace % CACHE_COUNTER_BUCKETS];
}

/* ---- room of the arrays ---- */

static bool grow_one(struct cache *cache, uint32_t *handle, uint32_t old_room, uint32_t room)
{
	uint32_t grown = store_take(&cache->store, room * sizeof(int32_t));
	if (grown == 0)
		return false;
	int32_t *to = store_at(&cache->store, grown);
	memset(to, 0, room * sizeof(int32_t));
	if (*handle != 0) {
		memcpy(to, store_at(&cache->store, *handle), old_room * sizeof(int32_t));
		store_give(&cache->store, *handle);
	}
	*handle = grown;
	return true;
}

/* Entries 0..top + 1 must exist: one domain more than there are, for the next node. */
static bool make_room_for_counts(struct cache *cache, struct cache_counter *counter)
{
	uint32_t all = cache->topology.node_capacity + 2;
	uint32_t top;
	(void)cache_domains_of(cache, counter->slot, &top);
	uint32_t room = counter->room == 0 ? 8 : counter->room;
	while (room <= top + 1)
		room *= 2;
	if (room > all)
		room = all;
	if (room == counter->room)
		return true;
	if (!grow_one(cache, &counter->pods_handle, counter->room, room))
		return false;
	if (counter->query->count_nodes != 0 &&
		!grow_one(cache, &counter->nodes_handle, counter->room, room))
		return false;
	counter->room = room;
	return true;
}

/* ---- making and giving up ---- */

static uint32_t find_counter(const struct cache *cache, const struct cache_query *query)
{
	const struct map *map = &cache->counters.by_hash;
	struct map_walk walk = map_walk(map, query->blob.hash);
	for (uint32_t i; (i = map_next(map, &walk)) != 0;)
		if (kube_blob_is(&cache_counter_at(cache, i)->query->blob, &query->blob))
			return i;
	return 0;
}

static void drop_counter(struct cache *cache, uint32_t index)
{
	struct cache_counter *counter = cache_counter_at(cache, index);
	map_remove(&cache->counters.by_hash, counter->query->blob.hash, index);
	list_remove(&counter->link);
	list_remove(&counter->recent);
	if (counter->pods_handle != 0)
		store_give(&cache->store, counter->pods_handle);
	if (counter->nodes_handle != 0)
		store_give(&cache->store, counter->nodes_handle);
	cache_domains_release(cache, counter->slot);
	cache_free_blob(cache, &counter->query->blob, counter->query_handle);
	pool_give(&cache->counters.pool, index);
}

static void drop_match(struct cache *cache, struct cache_counter *counter)
{
	uint32_t class = counter->query->class;
	drop_counter(cache, find_counter(cache, counter->query));
	if (class != 0)
		cache_unshare_template(cache, class);
}

/* Gives up the counter that was not used for longest; false when all are in use right now. */
static bool give_up_one(struct cache *cache)
{
	struct list *oldest = list_first(&cache->counters.recent);
	if (oldest == NULL)
		return false;
	struct cache_counter *counter = LIST_OWNER(oldest, struct cache_counter, recent);
	if (counter->decision == cache->counters.decision)
		return false;
	drop_match(cache, counter);
	return true;
}

static uint32_t try_make(struct cache *cache, const struct cache_query *query)
{
	struct cache_counters *counters = &cache->counters;
	uint32_t slot = NODE_SLOT;
	if (query->topology_key != CACHE_KEY_NODE) {
		slot = cache_domains_hold(cache, query->topology_key);
		if (slot == 0)
			return 0;
	}
	uint32_t handle = store_take(&cache->store, query->blob.size);
	uint32_t index = handle == 0 ? 0 : pool_take(&counters->pool);
	if (index == 0) {
		if (handle != 0)
			store_give(&cache->store, handle);
		cache_domains_release(cache, slot);
		return 0;
	}
	struct cache_query *kept = store_at(&cache->store, handle);
	memcpy(kept, query, query->blob.size);
	struct cache_counter *counter = cache_counter_at(cache, index);
	counter->query = kept;
	counter->query_handle = handle;
	counter->slot = slot;
	if (!make_room_for_counts(cache, counter)) {
		if (counter->pods_handle != 0)
			store_give(&cache->store, counter->pods_handle);
		store_give(&cache->store, handle);
		cache_domains_release(cache, slot);
		pool_give(&counters->pool, index);
		return 0;
	}
	list_init(&counter->link);
	list_init(&counter->recent);
	map_add(&counters->by_hash, kept->blob.hash, index);
	list_add_last(bucket_of(counters, kept->kind, only_namespace(kept)), &counter->link);
	uint32_t top;
	const uint32_t *of_node = cache_domains_of(cache, slot, &top);
	/* The first pod with an own term is about to be counted. */
	if (kept->kind == CACHE_MATCH)
		counter->total =
			cache_recount(cache, kept, of_node, counts_at(cache, counter->pods_handle),
				counts_at(cache, counter->nodes_handle));
	return index;
}

/*
 * The counter of the query, made when it is not there. Takes over the query's references, or
 * gives them back when the counter was there already; on 0 they stay with the caller.
 */
static uint32_t hold_counter(struct cache *cache, const struct cache_query *query)
{
	uint32_t index = find_counter(cache, query);
	if (index != 0) {
		kube_blob_drop(&query->blob, &cache->strings);
		return index;
	}
	do {
		index = try_make(cache, query);
	} while (index == 0 && give_up_one(cache));
	return index;
}

/* ---- what classes own ---- */

static void copy_selector(
	struct kube_build *b, const void *from_blob, const struct kube_selector *from, size_t to_at)
{
	struct kube_span span;
	const struct kube_requirement *list =
		KUBE_AT(from_blob, from->requirements, struct kube_requirement);
	struct kube_requirement *copy =
		kube_build_array(b, sizeof(*copy), from->requirements.count, &span);
	for (uint32_t i = 0; copy != NULL && i < from->requirements.count; i++) {
		copy[i].key = kube_build_id(b, list[i].key);
		copy[i].op = list[i].op;
		copy[i].number = list[i].number;
		kube_build_ids(b, KUBE_AT(from_blob, list[i].values, uint32_t),
			list[i].values.count, &copy[i].values);
	}
	struct kube_selector *to =
		(struct kube_selector *)(void *)((uint8_t *)(void *)b->blob + to_at);
	to->state = from->state;
	to->requirements = span;
}

void cache_query_term(struct kube_build *b, const void *from_blob,
	const struct kube_selector *namespace_selector, const struct kube_selector *selector,
	size_t term_at)
{
	if (b->result != KUBE_OK)
		return;
	copy_selector(b, from_blob, selector, term_at + offsetof(struct cache_term, selector));
	if (namespace_selector != NULL)
		copy_selector(b, from_blob, namespace_selector,
			term_at + offsetof(struct cache_term, namespace_selector));
}

/* Blob of one owned term, in scratch memory of the caller; NULL when it does not fit. */
static struct cache_query *own_query(struct cache *cache, struct scratch *scratch,
	const struct kube_pod_template *class, const struct kube_pod_term *term,
	enum cache_counter_kind kind)
{
	struct kube_build b;
	kube_build_init(&b, &cache->strings, scratch);
	struct cache_query *query = kube_build_start(&b, sizeof(*query));
	if (query == NULL)
		return NULL;
	query->kind = kind;
	query->topology_key = kube_build_id(&b, term->topology_key);
	struct cache_term *own = kube_build_array(&b, sizeof(*own), 1, &query->terms);
	if (own != NULL) {
		kube_build_ids(&b, KUBE_AT(class, term->namespaces, uint32_t),
			term->namespaces.count, &own->namespaces);
		cache_query_term(
			&b, class, &term->namespace_selector, &term->selector, query->terms.at);
	}
	return (struct cache_query *)(void *)kube_build_finish(&b);
}

static bool own_term(struct cache *cache, struct cache_shared *shared,
	const struct kube_pod_term *term, enum cache_counter_kind kind, int32_t weight)
{
	scratch_reset(cache->work);
	if (term->topology_key == INTERN_EMPTY)
		return true; /* no node has such a label, so it counts nowhere */
	const struct kube_pod_template *class =
		(const struct kube_pod_template *)(const void *)shared->blob;
	struct cache_query *query = own_query(cache, cache->work, class, term, kind);
	if (query == NULL)
		return false;
	uint32_t index = hold_counter(cache, query);
	if (index == 0) {
		kube_blob_drop(&query->blob, &cache->strings);
		return false;
	}
	struct cache_counter *counter = cache_counter_at(cache, index);
	uint32_t o = pool_take(&cache->counters.owned);
	if (o == 0) {
		if (counter->references == 0)
			drop_counter(cache, index);
		return false;
	}
	counter->references++;
	*(struct cache_owned *)pool_at(&cache->counters.owned, o) =
		(struct cache_owned){index, weight, shared->first_owned};
	shared->first_owned = o;
	return true;
}

static bool own_terms(struct cache *cache, struct cache_shared *shared, struct kube_span terms,
	enum cache_counter_kind kind, int32_t sign)
{
	const struct kube_pod_term *list = KUBE_AT(shared->blob, terms, struct kube_pod_term);
	for (uint32_t i = 0; i < terms.count; i++) {
		uint32_t weight = (uint32_t)sign * (uint32_t)list[i].weight;
		if (!own_term(cache, shared, &list[i], kind,
			    kind == CACHE_OWN_PREFERRED ? (int32_t)weight : 1))
			return false;
	}
	return true;
}

static void template_terms_release(struct cache *cache, uint32_t class)
{
	struct cache_shared *shared = pool_at(&cache->classes, class);
	while (shared->first_owned != 0) {
		uint32_t o = shared->first_owned;
		const struct cache_owned *owned = pool_at(&cache->counters.owned, o);
		uint32_t index = owned->counter;
		shared->first_owned = owned->next;
		pool_give(&cache->counters.owned, o);
		struct cache_counter *counter = cache_counter_at(cache, index);
		CHECK(counter->references > 0);
		if (--counter->references == 0) {
			CHECK(counter->total.parts == 0);
			drop_counter(cache, index);
		}
	}
}

static bool template_terms_hold(struct cache *cache, uint32_t class)
{
	struct cache_shared *shared = pool_at(&cache->classes, class);
	const struct kube_pod_template *spec = cache_template_at(cache, class);
	CHECK(shared->first_owned == 0);
	cache_begin_decision(cache); /* no decision is under way: any counter may go */
	if (spec->has_pod_affinity == 0)
		return true;
	if (own_terms(cache, shared, spec->anti_affinity, CACHE_OWN_ANTI, 1) &&
		own_terms(cache, shared, spec->affinity, CACHE_OWN_AFFINITY, 1) &&
		own_terms(cache, shared, spec->preferred_affinity, CACHE_OWN_PREFERRED, 1) &&
		own_terms(cache, shared, spec->preferred_anti_affinity, CACHE_OWN_PREFERRED, -1))
		return true;
	template_terms_release(cache, class);
	return false;
}

bool cache_template_place(struct cache *cache, uint32_t class)
{
	struct cache_shared *shared = pool_at(&cache->classes, class);
	if (shared->placed == 0 && !template_terms_hold(cache, class))
		return false;
	shared->placed++;
	return true;
}

void cache_template_displace(struct cache *cache, uint32_t class)
{
	struct cache_shared *shared = pool_at(&cache->classes, class);
	CHECK(shared->placed > 0);
	if (--shared->placed == 0)
		template_terms_release(cache, class);
}

/* ---- following the pods ---- */

static void count_on(
	struct cache *cache, struct cache_counter *counter, uint32_t node, int64_t weight, int sign)
{
	uint32_t top;
	uint32_t domain = cache_domains_of(cache, counter->slot, &top)[node];
	if (domain == 0)
		return;
	CHECK(domain < counter->room);
	cache_count(&counts_at(cache, counter->pods_handle)[domain], sign * weight);
	counter->total.sum += sign * weight;
	counter->total.parts += sign;
}

static void match_bucket(struct cache *cache, const struct list *bucket,
	const struct cache_pod *pod, uint32_t node, int sign)
{
	const struct kube_pod_template *class = cache_template_of(cache, pod);
	const struct kube_labels *labels = cache_labels_at(cache, pod->labels);
	for (struct list *l = bucket->next; l != bucket; l = l->next) {
		struct cache_counter *counter = LIST_OWNER(l, struct cache_counter, link);
		const struct cache_query *query = counter->query;
		if (query->skip_deleting != 0 && (pod->flags & CACHE_POD_DELETING) != 0)
			continue;
		if (cache_query_matches(cache, query, class, labels) &&
			cache_query_includes(cache, query, node))
			count_on(cache, counter, node, 1, sign);
	}
}

void cache_counters_pod(struct cache *cache, const struct cache_pod *pod, uint32_t node, int sign)
{
	uint32_t namespace = cache_template_of(cache, pod)->namespace;
	match_bucket(cache, bucket_of(&cache->counters, CACHE_MATCH, namespace), pod, node, sign);
	match_bucket(cache, bucket_of(&cache->counters, CACHE_MATCH, 0), pod, node, sign);
	const struct cache_shared *shared = pool_at(&cache->classes, pod->class);
	for (uint32_t o = shared->first_owned; o != 0;) {
		const struct cache_owned *owned = pool_at(&cache->counters.owned, o);
		count_on(cache, cache_counter_at(cache, owned->counter), node, owned->weight, sign);
		o = owned->next;
	}
}

static void count_node(struct cache *cache, uint32_t node, int32_t sign)
{
	struct cache_counters *counters = &cache->counters;
	for (struct list *l = counters->recent.next; l != &counters->recent; l = l->next) {
		struct cache_counter *counter = LIST_OWNER(l, struct cache_counter, recent);
		if (counter->nodes_handle == 0 ||
			!cache_query_includes(cache, counter->query, node))
			continue;
		uint32_t top;
		uint32_t domain = cache_domains_of(cache, counter->slot, &top)[node];
		if (domain != 0)
			counts_at(cache, counter->nodes_handle)[domain] += sign;
	}
}

static void count_pods_of(struct cache *cache, uint32_t node, int sign)
{
	for (uint32_t p = cache_node_at(cache, node)->first_pod; p != 0;
		p = cache_pod_at(cache, p)->next)
		cache_counters_pod(cache, cache_pod_at(cache, p), node, sign);
}

void cache_counters_node_out(struct cache *cache, uint32_t node)
{
	count_pods_of(cache, node, -1);
	count_node(cache, node, -1);
	cache_domains_node(cache, node, false);
}

void cache_counters_node_in(struct cache *cache, uint32_t node)
{
	cache_domains_node(cache, node, true);
	count_node(cache, node, 1);
	count_pods_of(cache, node, 1);
}

bool cache_counters_reserve(struct cache *cache)
{
	struct cache_counters *counters = &cache->counters;
	for (uint32_t i = 1; i <= pool_top(&counters->pool); i++) {
		if (!pool_is_taken(&counters->pool, i))
			continue;
		while (!make_room_for_counts(cache, cache_counter_at(cache, i))) {
			cache_begin_decision(cache); /* between decisions all may go */
			if (!give_up_one(cache))
				return false;
			if (!pool_is_taken(&counters->pool, i))
				break;
		}
	}
	return true;
}

bool cache_counters_yield(struct cache *cache)
{
	cache_begin_decision(cache);
	return give_up_one(cache);
}

void cache_counters_trim(struct cache *cache)
{
	while (cache_counters_yield(cache))
		continue;
}

uint32_t cache_store_take(struct cache *cache, size_t size)
{
	uint32_t handle;
	do {
		handle = store_take(&cache->store, size);
	} while (handle == 0 && cache_counters_yield(cache));
	return handle;
}

bool cache_intern_take(struct cache *cache, struct text t, uint32_t *id)
{
	bool taken;
	do {
		taken = intern_take(&cache->strings, t, id);
	} while (!taken && t.size <= INTERN_SIZE_MAX && cache_counters_yield(cache));
	return taken;
}

/* ---- asking ---- */

void cache_begin_decision(struct cache *cache)
{
	cache->counters.decision++;
}

static void tally_of(
	const struct cache *cache, const struct cache_counter *counter, struct cache_tally *tally)
{
	tally->of_node = cache_domains_of(cache, counter->slot, &tally->top);
	tally->pods = counts_at(cache, counter->pods_handle);
	tally->nodes = counts_at(cache, counter->nodes_handle);
	tally->total = counter->total;
	tally->filled = cache->order.count;
	tally->lacking = 0;
	if (counter->slot != NODE_SLOT) {
		const struct cache_domains *domains = cache_domains_at(cache, counter->slot);
		CHECK(domains->members <= cache->order.count);
		tally->filled = domains->filled;
		tally->lacking = cache->order.count - domains->members;
	}
	CHECK(tally->top < counter->room);
}

static bool recount_tally(struct cache *cache, const struct cache_query *query,
	const uint32_t *of_node, uint32_t top, struct scratch *scratch, struct cache_tally *tally)
{
	int32_t *pods = SCRATCH_ARRAY(scratch, int32_t, top + 1);
	int32_t *nodes = NULL;
	if (query->count_nodes != 0)
		nodes = SCRATCH_ARRAY(scratch, int32_t, top + 1);
	if (scratch->overflowed)
		return false;
	tally->total = cache_recount(cache, query, of_node, pods, nodes);
	tally->of_node = of_node;
	tally->pods = pods;
	tally->nodes = nodes;
	tally->top = top;
	tally->filled = CACHE_NOT_COUNTED;
	tally->lacking = CACHE_NOT_COUNTED;
	return true;
}

/* Domains of any key without a counter that holds it: worked out into scratch. */
static const uint32_t *loose_domains(
	const struct cache *cache, uint32_t key, struct scratch *scratch, uint32_t *top)
{
	uint32_t nodes = pool_top(&cache->nodes);
	*top = nodes;
	if (key == CACHE_KEY_NODE)
		return cache->topology.identity;
	uint32_t *of_node = SCRATCH_ARRAY(scratch, uint32_t, nodes + 1);
	uint32_t *values = SCRATCH_ARRAY(scratch, uint32_t, nodes + 2);
	if (scratch->overflowed)
		return NULL;
	*top = 0;
	for (uint32_t n = 1; n <= nodes; n++) {
		uint32_t value;
		if (!pool_is_taken(&cache->nodes, n) || cache_node_at(cache, n)->facts == NULL ||
			!kube_labels_get(cache_labels_at(cache, cache_node_at(cache, n)->labels),
				key, &value))
			continue;
		uint32_t d = 1;
		while (d <= *top && values[d] != value)
			d++;
		values[d] = value;
		of_node[n] = d;
		if (d > *top)
			*top = d;
	}
	return of_node;
}

bool cache_tally(struct cache *cache, struct cache_query *query, enum cache_count_mode way,
	struct scratch *scratch, struct cache_tally *tally)
{
	CHECK(query->kind == CACHE_MATCH);
	if (way == CACHE_COUNT_FAST) {
		bool is_new = find_counter(cache, query) == 0;
		uint32_t index = hold_counter(cache, query);
		if (index != 0) {
			struct cache_counter *counter = cache_counter_at(cache, index);
			if (is_new && query->class != 0)
				((struct cache_shared *)pool_at(&cache->classes, query->class))
					->references++;
			counter->decision = cache->counters.decision;
			list_remove(&counter->recent);
			list_add_last(&cache->counters.recent, &counter->recent);
			tally_of(cache, counter, tally);
			return true;
		}
	}
	uint32_t top;
	const uint32_t *of_node = loose_domains(cache, query->topology_key, scratch, &top);
	bool done = of_node != NULL && recount_tally(cache, query, of_node, top, scratch, tally);
	kube_blob_drop(&query->blob, &cache->strings);
	return done;
}

static void each_in_bucket(struct cache *cache, const struct list *bucket,
	enum cache_counter_kind kind, uint32_t namespace,
	const struct kube_labels *namespace_labels, const struct kube_labels *labels,
	void (*fn)(void *self, const struct cache_query *query, const struct cache_tally *tally),
	void *self)
{
	for (struct list *l = bucket->next; l != bucket; l = l->next) {
		const struct cache_counter *counter = LIST_OWNER(l, struct cache_counter, link);
		const struct cache_query *query = counter->query;
		if (query->kind != kind || counter->total.parts == 0)
			continue;
		if (!cache_term_matches(query, KUBE_AT(query, query->terms, struct cache_term),
			    namespace, namespace_labels, labels))
			continue;
		struct cache_tally tally;
		tally_of(cache, counter, &tally);
		fn(self, query, &tally);
	}
}

void cache_each_owned(struct cache *cache, enum cache_counter_kind kind, uint32_t namespace,
	const struct kube_labels *namespace_labels, const struct kube_labels *labels,
	void (*fn)(void *self, const struct cache_query *query, const struct cache_tally *tally),
	void *self)
{
	CHECK(kind != CACHE_MATCH);
	each_in_bucket(cache, bucket_of(&cache->counters, kind, namespace), kind, namespace,
		namespace_labels, labels, fn, self);
	each_in_bucket(cache, bucket_of(&cache->counters, kind, 0), kind, namespace,
		namespace_labels, labels, fn, self);
}

bool cache_each_owned_recount(struct cache *cache, enum cache_counter_kind kind, uint32_t namespace,
	const struct kube_labels *namespace_labels, const struct kube_labels *labels,
	struct scratch *scratch,
	void (*fn)(void *self, const struct cache_query *query, const struct cache_tally *tally),
	void *self)
{
	for (uint32_t i = 1; i <= pool_top(&cache->counters.pool); i++) {
		if (!pool_is_taken(&cache->counters.pool, i))
			continue;
		const struct cache_query *query = cache_counter_at(cache, i)->query;
		if (query->kind != kind ||
			!cache_term_matches(query, KUBE_AT(query, query->terms, struct cache_term),
				namespace, namespace_labels, labels))
			continue;
		uint32_t top;
		struct cache_tally tally;
		const uint32_t *of_node = loose_domains(cache, query->topology_key, scratch, &top);
		if (of_node == NULL || !recount_tally(cache, query, of_node, top, scratch, &tally))
			return false;
		if (tally.total.parts != 0)
			fn(self, query, &tally);
	}
	return true;
}
