/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What rules see: a pod and a node as maps of CEL that live in the cache. Nothing is copied; only
 * counts over the pods of a node are made, when a rule asks for them.
 */
#include "plugins/rules.h"

#include "base/hash.h"

enum { RULES_STEPS = 1 << 16, RULES_KEYED = 1 << 31 };

/* Things by the low bits of a value's own number; above them an index. */
enum thing {
	THING_POD,
	THING_NODE,
	THING_POD_LABELS,
	THING_NODE_SELECTOR,
	THING_NODE_LABELS,
	THING_POD_ANNOTATIONS,
	THING_NODE_ANNOTATIONS,
	THING_REQUESTS,
	THING_ALLOCATABLE,
	THING_REQUESTED,
	THING_COUNTS,
	THING_IMAGES,
	THING_TAINTS,
	THING_TAINT,
	THING_BITS = 4
};

/* ---- declarations: the fields in the order of pod_field(), node_field() and taint_field() ---- */

static const struct cel_field pod_fields[] = {{"namespace", "string"},
	{"labels", "map(string, string)"}, {"ownerKind", "string"}, {"ownerName", "string"},
	{"priority", "int"}, {"images", "list(string)"}, {"nodeSelector", "map(string, string)"},
	{"requests", "map(string, int)"}, {"annotations", "map(string, string)"}};
static const struct cel_field node_fields[] = {{"name", "string"},
	{"labels", "map(string, string)"}, {"annotations", "map(string, string)"},
	{"taints", "list(Taint)"}, {"unschedulable", "bool"}, {"ready", "bool"},
	{"allocatable", "map(string, int)"}, {"requested", "map(string, int)"}, {"podCount", "int"},
	{"podLabels", "map(string, map(string, int))"}, {"podNamespaces", "map(string, int)"}};
static const struct cel_field taint_fields[] = {
	{"key", "string"}, {"value", "string"}, {"effect", "string"}};

static const uint32_t pod_reads[ARRAY_COUNT(pod_fields)] = {RULES_READ_TEMPLATE, RULES_READ_LABELS,
	RULES_READ_LABELS, RULES_READ_LABELS, RULES_READ_TEMPLATE, RULES_READ_TEMPLATE, 0, 0,
	RULES_READ_TEMPLATE | RULES_KEYED};
static const uint32_t node_reads[ARRAY_COUNT(node_fields)] = {[2] = RULES_KEYED,
	[7] = RULES_READ_PODS,
	[8] = RULES_READ_PODS,
	[9] = RULES_READ_PODS | RULES_KEYED,
	[10] = RULES_READ_PODS};

static const struct cel_object rules_objects[] = {{"Pod", pod_fields, ARRAY_COUNT(pod_fields)},
	{"Node", node_fields, ARRAY_COUNT(node_fields)},
	{"Taint", taint_fields, ARRAY_COUNT(taint_fields)}};
static const struct cel_field rules_variables[RULES_VARIABLES] = {
	{"pod", "Pod"}, {"node", "Node"}, {"now", "timestamp"}};
#define RULES_DECLARED(with_now)                                                         \
	{                                                                                \
		.variables = rules_variables, .variables_count = RULES_NOW + (with_now), \
		.objects = rules_objects, .objects_count = ARRAY_COUNT(rules_objects),   \
	}
const struct cel_declarations rules_declarations[2] = {RULES_DECLARED(0), RULES_DECLARED(1)};

static uint32_t find_field(const struct cel_object *object, struct text name)
{
	uint32_t i = 0;
	while (i < object->count && !text_is_z(name, object->fields[i].name))
		i++;
	return i;
}

static uint32_t field_bits(enum rules_variable variable, struct text field)
{
	uint32_t i = find_field(&rules_objects[variable], field);
	if (i == rules_objects[variable].count)
		return UINT32_MAX;
	return variable == RULES_POD ? pod_reads[i] : node_reads[i];
}

uint32_t rules_field_reads(enum rules_variable variable, struct text field)
{
	uint32_t bits = field_bits(variable, field);
	return bits == UINT32_MAX ? bits : bits & ~RULES_KEYED;
}

bool rules_field_is_keyed(enum rules_variable variable, struct text field)
{
	return (field_bits(variable, field) & RULES_KEYED) != 0;
}

/* ---- counts: pods of the node by the value of a label, or by namespace ---- */

struct rules_entry {
	uint32_t value; /* string id */
	uint32_t count;
};
struct rules_tally {
	struct rules_tally *next;
	const struct rules_view *view;
	struct rules_entry *entries; /* in order of arrival */
	uint32_t *slots;             /* by hash of the value: 1 + its entry; 0: none */
	uint32_t room;               /* entries; of slots a power of two, twice as many or more */
	uint32_t mask;
	uint32_t count;
	uint32_t key; /* of the label; 0: namespaces */
};

static uint32_t tally_size(const struct cel_value *of)
{
	const struct rules_tally *tally = of->self;
	return tally->count;
}

static void tally_at(
	const struct cel_value *of, uint32_t index, struct cel_value *key, struct cel_value *value)
{
	const struct rules_tally *tally = of->self;
	const struct rules_entry *e = &tally->entries[index];
	*key = cel_string(cache_text(tally->view->cache, e->value));
	*value = cel_int(e->count);
}

/* Where the value is, or would be. */
static uint32_t *tally_slot(const struct rules_tally *tally, uint32_t value)
{
	uint32_t at = hash_pair(value, 0) & tally->mask;
	while (tally->slots[at] != 0 && tally->entries[tally->slots[at] - 1].value != value)
		at = (at + 1) & tally->mask;
	return &tally->slots[at];
}

static bool key_id(const struct rules_view *view, const struct cel_value *key, uint32_t *id)
{
	const struct text t = {key->text, key->size};
	return key->kind == CEL_STRING && intern_find(&view->cache->strings, t, id);
}

static bool tally_get(
	const struct cel_value *of, const struct cel_value *key, struct cel_value *value)
{
	const struct rules_tally *tally = of->self;
	uint32_t id;
	if (!key_id(tally->view, key, &id))
		return false;
	uint32_t entry = *tally_slot(tally, id);
	*value = cel_int(entry == 0 ? 0 : tally->entries[entry - 1].count);
	return entry != 0;
}

static const struct cel_host tally_host = {tally_size, tally_at, tally_get};

static bool tally_make_room(struct rules_view *view, struct rules_tally *tally)
{
	int64_t pods = view->node->sums->pods;
	if (pods < 0 || pods > view->steps)
		return false;
	tally->room = (uint32_t)pods;
	for (tally->mask = 7; tally->mask < 2 * tally->room;)
		tally->mask = tally->mask * 2 + 1;
	tally->entries = SCRATCH_ARRAY(view->scratch, struct rules_entry, tally->room + 1);
	tally->slots = SCRATCH_ARRAY(view->scratch, uint32_t, (size_t)tally->mask + 1);
	return tally->entries != NULL && tally->slots != NULL;
}

static bool rules_tally_add(struct rules_view *view, struct rules_tally *tally, uint32_t value)
{
	uint32_t *slot = tally_slot(tally, value);
	if (view->steps == 0 || (*slot == 0 && tally->count == tally->room))
		return false;
	view->steps--;
	if (*slot == 0) {
		tally->entries[tally->count] = (struct rules_entry){value, 0};
		*slot = ++tally->count;
	}
	tally->entries[*slot - 1].count++;
	return true;
}

static bool tally_fill(struct rules_view *view, struct rules_tally *tally)
{
	const struct cache *cache = view->cache;
	struct cache_view_walk walk = {0};
	for (uint32_t p; (p = cache_view_next_pod(cache, view->node, &walk)) != 0;) {
		const struct cache_pod *pod = cache_pod_at(cache, p);
		uint32_t value = cache_template_of(cache, pod)->namespace;
		if (tally->key != 0 &&
			!kube_labels_get(cache_labels_at(cache, pod->labels), tally->key, &value))
			continue;
		if (!rules_tally_add(view, tally, value))
			return false;
	}
	return true;
}

static struct cel_value rules_tally_of(struct rules_view *view, uint32_t key)
{
	struct rules_tally *tally = view->tallies;
	while (tally != NULL && tally->key != key)
		tally = tally->next;
	if (tally == NULL) {
		tally = SCRATCH_ONE(view->scratch, struct rules_tally);
		if (tally == NULL)
			return cel_error(TEXT("no memory to count the node's pods"));
		*tally = (struct rules_tally){.view = view, .key = key};
		if (!tally_make_room(view, tally) || !tally_fill(view, tally))
			return cel_error(TEXT("the node's pods are too many to be counted"));
		tally->next = view->tallies;
		view->tallies = tally;
	}
	return cel_host_map(&tally_host, tally, 0);
}

/* ---- pairs: labels, annotations ---- */

static const struct kube_label *pairs_of(
	const struct rules_view *view, enum thing thing, uint32_t *count)
{
	const struct kube_node_facts *facts = view->node->node->facts;
	const struct kube_pod_template *class = view->pod->class;
	const struct kube_labels *labels = thing == THING_NODE_LABELS
		? cache_labels_at(view->cache, view->node->node->labels)
		: view->pod->labels;
	const void *blob = class;
	struct kube_span span = {0, 0};
	switch (thing) {
	case THING_NODE_SELECTOR: span = class->node_selector; break;
	case THING_POD_ANNOTATIONS: span = class->annotations; break;
	case THING_NODE_ANNOTATIONS:
		blob = facts;
		span = facts->annotations;
		break;
	default:
		if (labels == NULL)
			break;
		blob = labels;
		span = labels->pairs;
	}
	*count = span.count;
	return KUBE_AT(blob, span, struct kube_label);
}

/* They are sorted by key. */
static const struct kube_label *pair_find(
	const struct kube_label *pairs, uint32_t count, uint32_t key)
{
	while (count > 0) {
		const struct kube_label *middle = &pairs[count / 2];
		if (middle->key == key)
			return middle;
		if (middle->key < key) {
			pairs = middle + 1;
			count -= count / 2 + 1;
		} else {
			count /= 2;
		}
	}
	return NULL;
}

/* ---- amounts: cpu in thousandths, all else in whole units ---- */

enum { AMOUNTS_FIXED = 4 };
static const char *const amount_names[AMOUNTS_FIXED] = {
	"cpu", "memory", "ephemeral-storage", "pods"};

struct rules_amounts {
	int64_t fixed[AMOUNTS_FIXED];
	const struct kube_scalar *offered; /* or ... */
	const struct cache_node_scalar *used;
	uint32_t count;
};

static struct rules_amounts rules_amounts_of(const struct rules_view *view, enum thing thing)
{
	const struct kube_node_facts *facts = view->node->node->facts;
	const struct kube_pod_template *class = view->pod->class;
	const struct cache_sums *sums = view->node->sums;
	if (thing == THING_REQUESTED)
		return (struct rules_amounts){
			{sums->cpu_milli, sums->memory_bytes, sums->storage_bytes, sums->pods},
			NULL, sums->scalars, sums->scalar_count};
	bool is_pod = thing == THING_REQUESTS;
	const struct kube_resources *r = is_pod ? &class->fit : &facts->allocatable;
	const void *blob = is_pod ? (const void *)class : (const void *)facts;
	return (struct rules_amounts){
		{r->cpu_milli, r->memory_bytes, r->storage_bytes, is_pod ? 1 : r->pods},
		KUBE_AT(blob, r->scalars, struct kube_scalar), NULL, r->scalars.count};
}

static void rules_amount_at(const struct rules_view *view, const struct rules_amounts *a,
	uint32_t i, struct cel_value *key, struct cel_value *value)
{
	if (i < AMOUNTS_FIXED) {
		*key = cel_string(text_of(amount_names[i]));
		*value = cel_int(a->fixed[i]);
		return;
	}
	i -= AMOUNTS_FIXED;
	uint32_t name = a->used != NULL ? a->used[i].name : a->offered[i].name;
	*key = cel_string(cache_text(view->cache, name));
	*value = cel_int(a->used != NULL ? a->used[i].used : a->offered[i].value);
}

/* ---- fields ---- */

static struct cel_value view_text(const struct rules_view *view, uint32_t id)
{
	return cel_string(cache_text(view->cache, id));
}

static struct cel_value pod_field(const struct cel_host *host, struct rules_view *view, uint32_t i)
{
	const struct plugin_pod *pod = view->pod;
	struct kube_owner_ids owner = kube_labels_owner(pod->labels);
	switch (i) {
	case 0: return view_text(view, pod->class->namespace);
	case 1: return cel_host_map(host, view, THING_POD_LABELS);
	case 2: return view_text(view, owner.kind);
	case 3: return view_text(view, owner.name);
	case 4: return cel_int(pod->class->priority);
	case 5: return cel_host_list(host, view, THING_IMAGES);
	case 6: return cel_host_map(host, view, THING_NODE_SELECTOR);
	case 7: return cel_host_map(host, view, THING_REQUESTS);
	default: return cel_host_map(host, view, THING_POD_ANNOTATIONS);
	}
}

static struct cel_value node_field(const struct cel_host *host, struct rules_view *view, uint32_t i)
{
	const struct kube_node_facts *facts = view->node->node->facts;
	switch (i) {
	case 0: return view_text(view, view->node->node->name);
	case 1: return cel_host_map(host, view, THING_NODE_LABELS);
	case 2: return cel_host_map(host, view, THING_NODE_ANNOTATIONS);
	case 3: return cel_host_list(host, view, THING_TAINTS);
	case 4: return cel_bool(facts->unschedulable != 0);
	case 5: return cel_bool((facts->troubles & KUBE_NODE_NOT_READY) == 0);
	case 6: return cel_host_map(host, view, THING_ALLOCATABLE);
	case 7: return cel_host_map(host, view, THING_REQUESTED);
	case 8: return cel_int(view->node->sums->pods);
	case 9: return cel_host_map(host, view, THING_COUNTS);
	default: return rules_tally_of(view, 0);
	}
}

static struct cel_value taint_field(const struct rules_view *view, uint32_t taint, uint32_t i)
{
	static const char *const effects[] = {
		"", "NoSchedule", "PreferNoSchedule", "NoExecute", ""};
	const struct kube_node_facts *facts = view->node->node->facts;
	const struct kube_taint *t = &KUBE_AT(facts, facts->taints, struct kube_taint)[taint];
	if (i == 2)
		return cel_string(text_of(effects[t->effect]));
	return view_text(view, i == 0 ? t->key : t->value);
}

/* ---- the host ---- */

static struct rules_view *view_of(const struct cel_value *of)
{
	return (struct rules_view *)(uintptr_t)of->self; /* counts are added to it */
}

static enum thing thing_of(const struct cel_value *of)
{
	return (enum thing)(of->size & ((1u << THING_BITS) - 1));
}

static const struct cel_object *object_of(enum thing thing)
{
	static const uint8_t rows[] = {[THING_POD] = 1, [THING_NODE] = 2, [THING_TAINT] = 3};
	return rows[thing] == 0 ? NULL : &rules_objects[rows[thing] - 1];
}

static uint32_t view_count(const struct cel_value *of)
{
	const struct rules_view *view = of->self;
	enum thing thing = thing_of(of);
	uint32_t count = 0;
	switch (thing) {
	case THING_COUNTS: return 0; /* it has every label: config refuses to walk it */
	case THING_IMAGES: return view->pod->class->images.count;
	case THING_TAINTS: return view->node->node->facts->taints.count;
	case THING_REQUESTS:
	case THING_ALLOCATABLE:
	case THING_REQUESTED: return AMOUNTS_FIXED + rules_amounts_of(view, thing).count;
	case THING_POD:
	case THING_NODE:
	case THING_TAINT: return object_of(thing)->count;
	default: (void)pairs_of(view, thing, &count); return count;
	}
}

static struct cel_value view_field(const struct cel_value *of, uint32_t i)
{
	switch (thing_of(of)) {
	case THING_POD: return pod_field(of->host, view_of(of), i);
	case THING_NODE: return node_field(of->host, view_of(of), i);
	default: return taint_field(of->self, of->size >> THING_BITS, i);
	}
}

static void view_at(
	const struct cel_value *of, uint32_t index, struct cel_value *key, struct cel_value *value)
{
	const struct rules_view *view = of->self;
	enum thing thing = thing_of(of);
	struct rules_amounts amounts;
	uint32_t count;
	switch (thing) {
	case THING_IMAGES: {
		const struct kube_pod_template *class = view->pod->class;
		*value = view_text(view, KUBE_AT(class, class->images, uint32_t)[index]);
		return;
	}
	case THING_TAINTS:
		*value = cel_host_map(of->host, view, THING_TAINT | index << THING_BITS);
		return;
	case THING_REQUESTS:
	case THING_ALLOCATABLE:
	case THING_REQUESTED:
		amounts = rules_amounts_of(view, thing);
		rules_amount_at(view, &amounts, index, key, value);
		return;
	case THING_POD:
	case THING_NODE:
	case THING_TAINT:
		*key = cel_string(text_of(object_of(thing)->fields[index].name));
		*value = view_field(of, index);
		return;
	default: break;
	}
	const struct kube_label *pair = &pairs_of(view, thing, &count)[index];
	*key = view_text(view, pair->key);
	*value = view_text(view, pair->value);
}

static bool amount_find(const struct rules_view *view, enum thing thing,
	const struct cel_value *wanted, struct cel_value *value)
{
	const struct rules_amounts amounts = rules_amounts_of(view, thing);
	const struct text name = {wanted->text, wanted->size};
	for (uint32_t i = 0; i < AMOUNTS_FIXED + amounts.count; i++) {
		struct cel_value key;
		rules_amount_at(view, &amounts, i, &key, value);
		if (text_is(name, (struct text){key.text, key.size}))
			return true;
	}
	return false;
}

static bool view_find(
	const struct cel_value *of, const struct cel_value *key, struct cel_value *value)
{
	struct rules_view *view = view_of(of);
	enum thing thing = thing_of(of);
	const struct cel_object *object = object_of(thing);
	uint32_t id, count;
	if (key->kind != CEL_STRING)
		return false;
	if (object != NULL) {
		uint32_t i = find_field(object, (struct text){key->text, key->size});
		if (i < object->count)
			*value = view_field(of, i);
		return i < object->count;
	}
	if (thing == THING_REQUESTS || thing == THING_ALLOCATABLE || thing == THING_REQUESTED)
		return amount_find(view, thing, key, value);
	bool is_known = key_id(view, key, &id);
	if (thing == THING_COUNTS) {
		/* A label that nothing has is an empty map: no string has the greatest id. */
		*value = rules_tally_of(view, is_known && id != 0 ? id : UINT32_MAX);
		return true;
	}
	const struct kube_label *pairs = pairs_of(view, thing, &count);
	const struct kube_label *pair = is_known ? pair_find(pairs, count, id) : NULL;
	if (pair != NULL)
		*value = view_text(view, pair->value);
	return pair != NULL;
}

static const struct cel_host rules_host = {view_count, view_at, view_find};

void rules_view_init(struct rules_view *view, int64_t now_us, struct cel_value *variables)
{
	const int64_t second = 1000 * 1000;
	view->steps = RULES_STEPS;
	view->tallies = NULL;
	variables[RULES_POD] = cel_host_map(&rules_host, view, THING_POD);
	variables[RULES_NODE] = cel_host_map(&rules_host, view, THING_NODE);
	variables[RULES_NOW] =
		(struct cel_value){.kind = CEL_TIMESTAMP, .integer = now_us / second, .size = 0};
}
