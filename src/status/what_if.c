/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What if there were this pod, or these? They are put into the picture as some that are only
 * imagined, placed one after the other and taken out again within one call: no change is logged, so
 * the queue never sees them, and nothing is written. What is remembered of templates and counts may
 * stay as long as there is room; it is right for others as well.
 *
 * POST /berth/v1/whatif: pods and workloads, YAML documents or JSON, also as a List. The answer is
 * the explanation of the first pod that finds no node, else of the last one, and
 *	"headroom":{...}                             of that pod, as headroom.c has it
 *	"workloads":[{"kind":"Deployment","namespace":"d","name":"web","wanted":3,"lookedAt":3,
 *	              "placed":2,"nodes":{"n1":1,"n2":1}}]
 *
 * Claims that are sent, and those of StatefulSets, are imagined as well unless they are there; a
 * volume is not reserved, so two pods may be placed with the last one.
 */
#include "cache/feed.h"
#include "kube/quantity.h"
#include "status/private.h"
#include "yaml/yaml.h"

enum {
	WHAT_IF_UNITS = 16,
	WHAT_IF_PODS = 128,
	WHAT_IF_CLAIMS = 256,
	WHAT_IF_US = 5000 /* of placing, after which no more are looked at: pods wait meanwhile */
};

/* A pod, or a workload with so many. */
struct unit {
	struct yaml_node *object;
	struct yaml_node *pod;     /* or the template of the pods */
	struct yaml_node *volumes; /* of its claims, the last of the pod's */
	const char *kind;
	uint32_t wanted;
	uint32_t first, looked_at, placed; /* of wish.pods */
	bool is_daemon;                    /* one for each node that would have it */
};

struct wish {
	struct status_answer *a;
	struct scratch *scratch;
	struct unit units[WHAT_IF_UNITS];
	struct yaml_node *classes[WHAT_IF_UNITS]; /* PriorityClasses */
	struct yaml_node *given[WHAT_IF_UNITS];   /* PersistentVolumeClaims */
	uint32_t unit_count, class_count, given_count;
	uint32_t claims[WHAT_IF_CLAIMS]; /* in thought */
	uint32_t claim_count;
	struct mono start;
	uint32_t pods[WHAT_IF_PODS], to[WHAT_IF_PODS]; /* 0: no node will do */
	uint32_t count;
	uint32_t other_line;          /* of an object that is neither, 0: there was none */
	const struct yaml_node *root; /* of the pod that is read */
	struct kube_build build;
	struct kube_pod pod;
	struct json_value value;
	enum json_parse_result parsed;
	char name[320];
};

/* ---- what was sent ---- */

static const struct wish_row {
	const char *kind;
	const char *template; /* where that of the pods is */
	const char *count;
} wish_rows[] = {
	{"Pod", "", ""},
	{"Deployment", "spec.template", "spec.replicas"},
	{"ReplicaSet", "spec.template", "spec.replicas"},
	{"ReplicationController", "spec.template", "spec.replicas"},
	{"StatefulSet", "spec.template", "spec.replicas"},
	{"Job", "spec.template", "spec.parallelism"},
	{"CronJob", "spec.jobTemplate.spec.template", "spec.jobTemplate.spec.parallelism"},
	{"DaemonSet", "spec.template", ""},
};

static struct yaml_node *node_at(struct yaml_node *node, const char *path)
{
	struct text rest = text_of(path), part;
	char key[32];
	while (node != NULL && rest.size > 0 && text_cut(&rest, '.', &part))
		node = text_copy(part, key, sizeof(key)) ? yaml_get(node, key) : NULL;
	return node;
}

static bool has_text(const struct yaml_node *node, const char *text)
{
	return node != NULL && text_is_z(node->text, text);
}

static bool refuse_line(struct wish *wish, uint32_t line, const char *what)
{
	status_refuse(wish->a, 400, "line %u: %s", (unsigned)line, what);
	return false;
}

static bool too_large(struct wish *wish)
{
	status_refuse(wish->a, 413, "the pod is too large for a what-if request");
	return false;
}

static bool take_unit(struct wish *wish, struct yaml_node *object, const struct wish_row *row)
{
	int64_t wanted = 1;
	const struct yaml_node *count = row->count[0] == '\0' ? NULL : node_at(object, row->count);
	struct unit *unit = &wish->units[wish->unit_count];
	if (wish->unit_count == WHAT_IF_UNITS)
		return refuse_line(wish, object->line, "too many pods and workloads at a time");
	*unit = (struct unit){.object = object,
		.pod = node_at(object, row->template),
		.kind = row->kind,
		.is_daemon = row == &wish_rows[ARRAY_COUNT(wish_rows) - 1]};
	if (unit->pod == NULL || unit->pod->kind != YAML_MAP)
		return refuse_line(wish, object->line, "there is no template of pods");
	if (count != NULL && (!text_to_i64(count->text, &wanted) || wanted < 0))
		return refuse_line(wish, count->line, "not a number of pods");
	unit->wanted = wanted < INT32_MAX ? (uint32_t)wanted : INT32_MAX;
	wish->unit_count++;
	return true;
}

static bool take_object(struct wish *wish, struct yaml_node *object)
{
	const struct yaml_node *kind = yaml_get(object, "kind");
	struct yaml_node *items = yaml_get(object, "items");
	if (object->kind == YAML_NULL)
		return true;
	if (object->kind != YAML_MAP)
		return refuse_line(wish, object->line, "not an object");
	for (size_t i = 0; i < ARRAY_COUNT(wish_rows); i++)
		if (has_text(kind, wish_rows[i].kind))
			return take_unit(wish, object, &wish_rows[i]);
	if (has_text(kind, "PriorityClass") && wish->class_count < WHAT_IF_UNITS)
		wish->classes[wish->class_count++] = object;
	else if (has_text(kind, "PersistentVolumeClaim") && wish->given_count < WHAT_IF_UNITS)
		wish->given[wish->given_count++] = object;
	else if (!has_text(kind, "List"))
		wish->other_line = kind != NULL ? kind->line : object->line;
	else
		for (items = items == NULL ? NULL : items->first; items != NULL;
			items = items->next)
			if (yaml_get(items, "items") != NULL)
				return refuse_line(wish, items->line, "a list in a list");
			else if (!take_object(wish, items))
				return false;
	return true;
}

static bool read_wishes(struct wish *wish)
{
	const struct status *status = wish->a->status;
	struct text body = {status->body, status->body_size};
	struct yaml_fault fault = {0};
	struct yaml_node *root;
	enum yaml_result result = YAML_END;
	struct yaml_reader *reader = yaml_open(body, wish->scratch);
	bool ok = reader != NULL;
	if (!ok)
		(void)too_large(wish);
	while (ok && (result = yaml_next(reader, wish->scratch, &root, &fault)) == YAML_DOCUMENT)
		ok = take_object(wish, root);
	if (reader != NULL)
		yaml_close(reader);
	if (!ok)
		return false;
	if (result == YAML_BROKEN)
		return refuse_line(wish, fault.line, fault.what);
	if (wish->unit_count > 0)
		return true;
	return wish->other_line > 0
		? refuse_line(wish, wish->other_line, "kind: must be Pod, or a workload")
		: refuse_line(wish, 1, "no document");
}

/* ---- a template becomes a pod ---- */

static void append_node(struct yaml_node *to, struct yaml_node *nodes)
{
	struct yaml_node **last = &to->first;
	while (*last != NULL)
		last = &(*last)->next;
	*last = nodes;
}

/* A scalar, under that key. One with children could hold what it is put into, by an alias. */
static bool graft(
	struct wish *wish, struct yaml_node *map, const struct yaml_node *scalar, const char *name)
{
	struct yaml_node *list = SCRATCH_ARRAY(wish->scratch, struct yaml_node, 2);
	if (scalar->kind >= YAML_LIST)
		return refuse_line(wish, scalar->line, "must not be a map or a list");
	if (list == NULL)
		return too_large(wish);
	list[1] =
		(struct yaml_node){.kind = YAML_TEXT, .text = text_of(name), .line = scalar->line};
	list[0] = *scalar;
	list[0].key = &list[1];
	list[0].next = NULL;
	append_node(map, list);
	return true;
}

/* The first member of a map that we wrote ourselves. */
static struct yaml_node *own_member(struct wish *wish, struct text words)
{
	struct yaml_node *root;
	struct yaml_fault fault;
	if (yaml_read(words, wish->scratch, &root, &fault) == YAML_DOCUMENT)
		return root->first;
	(void)too_large(wish);
	return NULL;
}

static const struct yaml_node *class_named(const struct wish *wish, struct text name)
{
	for (uint32_t i = 0; i < wish->class_count; i++) {
		const struct yaml_node *has = node_at(wish->classes[i], "metadata.name");
		if (has != NULL && text_is(has->text, name))
			return wish->classes[i];
	}
	return NULL;
}

/* What the apiserver makes of the name; only what was sent is looked at. */
static bool resolve_class(struct wish *wish, struct yaml_node *spec)
{
	struct yaml_node priority = {.kind = YAML_INTEGER, .text = TEXT("2000000000")};
	const struct yaml_node *name = yaml_get(spec, "priorityClassName");
	if (name == NULL || name->text.size == 0 || yaml_get(spec, "priority") != NULL)
		return true;
	if (has_text(name, "system-node-critical"))
		priority.text = TEXT("2000001000");
	else if (!has_text(name, "system-cluster-critical")) {
		const struct yaml_node *class = class_named(wish, name->text);
		const struct yaml_node *value = class == NULL ? NULL : yaml_get(class, "value");
		const struct yaml_node *policy =
			class == NULL ? NULL : yaml_get(class, "preemptionPolicy");
		if (value == NULL)
			return refuse_line(wish, name->line,
				"spec.priorityClassName: send that PriorityClass, too, or give "
				"spec.priority");
		if (policy != NULL && !graft(wish, spec, policy, "preemptionPolicy"))
			return false;
		priority = *value;
	}
	return graft(wish, spec, &priority, "priority");
}

/* As the DaemonSet's controller does it. */
static bool tolerate_as_daemon(struct wish *wish, struct yaml_node *spec)
{
	enum { TOLERATIONS_TEXT = 1024 };
	char *room = scratch_take(wish->scratch, TOLERATIONS_TEXT);
	struct writer w;
	struct json_writer j;
	if (room == NULL)
		return too_large(wish);
	writer_init(&w, room, TOLERATIONS_TEXT);
	json_write_init(&j, &w);
	json_open_object(&j);
	json_member_array(&j, "tolerations");
	kube_daemon_tolerations_put(
		&j, KUBE_DAEMON_TOLERATIONS - !has_text(yaml_get(spec, "hostNetwork"), "true"));
	json_close_array(&j);
	json_close_object(&j);
	struct yaml_node *has = yaml_get(spec, "tolerations");
	struct yaml_node *more = own_member(wish, writer_text(&w));
	if (more == NULL)
		return false;
	if (has != NULL && has->kind == YAML_LIST)
		append_node(has, more->first);
	else
		append_node(spec, more);
	return true;
}

static bool has_member(const struct yaml_node *map, struct text key)
{
	const struct yaml_node *member = map->kind == YAML_MAP ? map->first : NULL;
	while (member != NULL && !text_is(member->key->text, key))
		member = member->next;
	return member != NULL;
}

/* As an apiserver does it: who limits a resource and requests none of it requests that much. */
static bool complete_container(struct wish *wish, struct yaml_node *container)
{
	struct yaml_node *resources = yaml_get(container, "resources");
	struct yaml_node *limits = resources == NULL ? NULL : yaml_get(resources, "limits");
	struct yaml_node *requests = resources == NULL ? NULL : yaml_get(resources, "requests");
	if (limits == NULL || limits->kind != YAML_MAP)
		return true;
	if (requests == NULL) {
		requests = own_member(wish, TEXT("requests: {}"));
		if (requests == NULL)
			return false;
		append_node(resources, requests);
	}
	for (const struct yaml_node *limit = limits->first;
		limit != NULL && requests->kind == YAML_MAP; limit = limit->next) {
		if (limit->kind >= YAML_LIST || has_member(requests, limit->key->text))
			continue;
		struct yaml_node *copy = SCRATCH_ONE(wish->scratch, struct yaml_node);
		if (copy == NULL)
			return too_large(wish);
		*copy = *limit;
		copy->next = NULL;
		append_node(requests, copy);
	}
	return true;
}

static bool complete_containers(struct wish *wish, struct yaml_node *list)
{
	struct yaml_node *one = list != NULL && list->kind == YAML_LIST ? list->first : NULL;
	while (one != NULL && complete_container(wish, one))
		one = one->next;
	return one == NULL;
}

/* Name and namespace are those of the workload. */
static bool complete_unit(struct wish *wish, const struct unit *unit)
{
	const struct yaml_node *from = yaml_get(unit->object, "metadata");
	struct yaml_node *to = yaml_get(unit->pod, "metadata");
	struct yaml_node *spec = yaml_get(unit->pod, "spec");
	static const char *const names[] = {"name", "namespace"};
	if (to == NULL) {
		to = own_member(wish, TEXT("metadata: {}"));
		if (to == NULL)
			return false;
		append_node(unit->pod, to);
	}
	for (size_t i = 0; to->kind == YAML_MAP && i < ARRAY_COUNT(names); i++) {
		const struct yaml_node *member = yaml_get(from, names[i]);
		if (member != NULL && yaml_get(to, names[i]) == NULL &&
			!graft(wish, to, member, names[i]))
			return false;
	}
	if (spec == NULL || spec->kind != YAML_MAP)
		return true; /* the decoder says it */
	return complete_containers(wish, yaml_get(spec, "containers")) &&
		complete_containers(wish, yaml_get(spec, "initContainers")) &&
		resolve_class(wish, spec) && (!unit->is_daemon || tolerate_as_daemon(wish, spec));
}

struct place {
	struct text field;
	uint32_t depth;
	uint32_t line;
};

/* What a list of amounts has for a quantity and is none. */
static const struct yaml_node *broken_amount(const struct yaml_node *amounts)
{
	struct quantity quantity;
	const struct yaml_node *amount = amounts->kind == YAML_MAP ? amounts->first : NULL;
	while (amount != NULL && quantity_parse(amount->text, &quantity) == QUANTITY_OK)
		amount = amount->next;
	return amount;
}

/*
 * Where the field is, or as far as it is there. Of a list the decoder does not say which element
 * it was: the first, unless an amount of another cannot be read. True: it can be no other.
 */
static bool find_place(
	const struct yaml_node *node, struct text rest, uint32_t depth, struct place *place)
{
	struct text part;
	char key[64];
	for (const struct yaml_node *n = node->kind == YAML_LIST ? node->first : NULL; n != NULL;
		n = n->next)
		if (find_place(n, rest, depth, place))
			return true;
	if (node->kind == YAML_LIST)
		return false;
	if (!text_cut(&rest, '.', &part)) {
		const struct yaml_node *broken = text_ends(place->field, TEXT(".requests")) ||
				text_ends(place->field, TEXT(".limits"))
			? broken_amount(node)
			: NULL;
		if (broken != NULL)
			place->line = broken->key->line;
		return broken != NULL;
	}
	const struct yaml_node *member =
		text_copy(part, key, sizeof(key)) ? yaml_get(node, key) : NULL;
	if (member == NULL)
		return false;
	if (depth >= place->depth) {
		place->depth = depth + 1;
		place->line = member->key->line;
	}
	return find_place(member, rest, depth + 1, place);
}

static uint32_t line_of(const struct yaml_node *root, const char *field)
{
	struct place place = {.field = text_of(field), .line = root->line};
	(void)find_place(root, place.field, 0, &place);
	return place.line;
}

static bool what_if_on_piece(void *self, struct json_piece piece)
{
	struct wish *wish = self;
	if (piece.kind == JSON_PIECE_LINE)
		wish->parsed = json_parse(piece.text, wish->scratch, &wish->value);
	return false;
}

static bool read_json(struct wish *wish, const struct yaml_node *root, const struct json_want *want)
{
	struct scratch *scratch = wish->scratch;
	struct yaml_fault fault = {0};
	size_t size = json_cut_size(2 * STATUS_BODY_MAX);
	char *to = scratch_take(scratch, 2 * STATUS_BODY_MAX);
	void *block = scratch_take(scratch, size);
	struct writer w;
	if (block == NULL)
		return too_large(wish);
	writer_init(&w, to, 2 * STATUS_BODY_MAX);
	if (!yaml_write_json(root, &w, &fault))
		return refuse_line(wish, fault.line, fault.what);
	struct json_cut *cut = json_cut_init(block, size, 2 * STATUS_BODY_MAX);
	wish->parsed = JSON_PARSE_BROKEN;
	json_cut_start(cut, JSON_CUT_LINES, want, NULL, what_if_on_piece, wish);
	enum json_cut_result result = json_cut_feed(cut, writer_text(&w));
	if (wish->parsed == JSON_PARSED)
		return true;
	if (wish->parsed == JSON_PARSE_FULL || w.overflowed)
		return too_large(wish);
	return refuse_line(
		wish, 1, result == JSON_CUT_BROKEN ? json_cut_fault(cut) : "not an object");
}

static bool what_if_decode(struct wish *wish)
{
	struct kube_build *b = &wish->build;
	kube_build_init(b, &wish->a->status->s->cache.strings, wish->scratch);
	switch (kube_pod_decode(b, wish->value, &wish->pod)) {
	case KUBE_OK: return true;
	case KUBE_FULL:
		status_refuse(wish->a, 507, "not enough memory for the pod; raise --memory");
		return false;
	case KUBE_MALFORMED: break;
	}
	status_refuse(wish->a, 400, "line %u: %s: %s",
		(unsigned)line_of(wish->root, b->fault_field), b->fault_field, b->fault_reason);
	return false;
}

/* A name that no pod has, so that a pod that is there can be asked about as well. */
static void make_it_wait(struct wish *wish)
{
	struct kube_pod *pod = &wish->pod;
	struct writer w;
	writer_init(&w, wish->name, sizeof(wish->name));
	write_text(&w, pod->meta.name);
	write_format(&w, " (what if %llu)", (unsigned long long)++wish->a->status->what_ifs);
	pod->meta.name = writer_text(&w);
	pod->meta.uid = writer_text(&w);
	pod->meta.resource_version = TEXT("1");
	if (pod->meta.namespace.size == 0)
		pod->meta.namespace = TEXT("default");
	pod->meta.deleting = false;
	pod->node_name = pod->nominated_node_name = TEXT_NONE;
	pod->phase = TEXT("Pending");
	pod->has_start_time = false;
	pod->condition_count = 0;
	pod->disruption_target = 0;
}

/* ---- claims ---- */

/* False: refused. One that is there stays as it is. */
static bool imagine_claim(struct wish *wish, struct yaml_node *object)
{
	struct cache *cache = &wish->a->status->s->cache;
	struct cache_fed fed = {.decoded = KUBE_FULL};
	struct scratch_mark mark = scratch_mark(wish->scratch);
	const struct yaml_node *name = node_at(object, "metadata.name");
	const struct yaml_node *namespace = node_at(object, "metadata.namespace");
	uint32_t in, of;
	if (name == NULL || wish->claim_count == WHAT_IF_CLAIMS)
		return refuse_line(wish, object->line, "a claim without a name, or too many");
	if (intern_find(
		    &cache->strings, namespace == NULL ? TEXT("default") : namespace->text, &in) &&
		intern_find(&cache->strings, name->text, &of) &&
		cache_find_object(cache, KUBE_PVC, in, of) != 0)
		return true;
	bool ok = read_json(wish, object, kube_kinds[KUBE_PVC].want);
	cache_imagine_objects(cache, true);
	bool is_fed = ok && cache_feed(cache, wish->scratch, KUBE_PVC, wish->value, &fed);
	cache_imagine_objects(cache, false);
	if (is_fed)
		wish->claims[wish->claim_count++] = fed.index;
	else if (ok)
		(void)refuse_line(wish, object->line,
			fed.decoded == KUBE_MALFORMED ? fed.fault_reason
						      : "no memory for the claim");
	scratch_rewind(wish->scratch, mark);
	return is_fed;
}

static struct yaml_node *unit_claims(const struct unit *unit)
{
	struct yaml_node *list = node_at(unit->object, "spec.volumeClaimTemplates");
	return list != NULL && list->kind == YAML_LIST ? list->first : NULL;
}

/* A volume of the pod for each of its templates; the names of the claims come later. */
static bool add_claim_volumes(struct wish *wish, struct unit *unit)
{
	struct yaml_node *spec = yaml_get(unit->pod, "spec");
	struct yaml_node *claim = unit_claims(unit);
	const struct yaml_node *namespace = node_at(unit->object, "metadata.namespace");
	for (; claim != NULL && spec != NULL && spec->kind == YAML_MAP; claim = claim->next) {
		const struct yaml_node *name = node_at(claim, "metadata.name");
		struct yaml_node *has = yaml_get(spec, "volumes");
		struct yaml_node *list = own_member(
			wish, TEXT("volumes: [{name: x, persistentVolumeClaim: {claimName: x}}]"));
		if (list == NULL)
			return false;
		if (name == NULL || name->kind >= YAML_LIST)
			return refuse_line(wish, claim->line, "the claim has no name");
		if (namespace != NULL && node_at(claim, "metadata.namespace") == NULL &&
			!graft(wish, yaml_get(claim, "metadata"), namespace, "namespace"))
			return false;
		struct yaml_node *volume = list->first;
		volume->first->text = name->text;
		if (has == NULL)
			append_node(spec, list);
		else if (has->kind == YAML_LIST)
			append_node(has, volume);
		else
			return refuse_line(wish, has->line, "not a list");
		if (unit->volumes == NULL)
			unit->volumes = volume;
	}
	return true;
}

/* "data-db-3" */
static bool name_claim(
	struct wish *wish, struct yaml_node *claim, const struct unit *unit, struct text *name)
{
	const struct yaml_node *of = node_at(unit->object, "metadata.name");
	struct text first = node_at(claim, "metadata.name")->text;
	struct text second = of == NULL ? TEXT("") : of->text;
	size_t size = first.size + second.size + 16;
	char *at = scratch_take(wish->scratch, size);
	struct writer w;
	if (at == NULL)
		return too_large(wish);
	writer_init(&w, at, size);
	write_text(&w, first);
	write_char(&w, '-');
	write_text(&w, second);
	write_format(&w, "-%u", (unsigned)unit->looked_at);
	*name = writer_text(&w);
	return true;
}

/* Those of the next pod, in its volumes and in thought. */
static bool imagine_claims_of(struct wish *wish, const struct unit *unit)
{
	struct yaml_node *volume = unit->volumes, *claim = unit_claims(unit);
	for (; volume != NULL && claim != NULL; claim = claim->next, volume = volume->next) {
		struct yaml_node *name = node_at(claim, "metadata.name");
		struct text template = name->text, whole;
		if (!name_claim(wish, claim, unit, &whole))
			return false;
		volume->first->next->first->text = whole;
		name->text = whole;
		bool ok = imagine_claim(wish, claim);
		name->text = template;
		if (!ok)
			return false;
	}
	return true;
}

/* ---- one after the other ---- */

/* False: refused. */
static bool put_one(struct wish *wish)
{
	struct scheduler *s = wish->a->status->s;
	struct cache *cache = &s->cache;
	uint32_t pod = 0;
	if (!what_if_decode(wish))
		return false;
	make_it_wait(wish);
	enum cache_result put = cache_put_imagined_pod(cache, &wish->pod, &pod);
	if (put != CACHE_OK || pod == 0) {
		status_refuse(wish->a, 507, "the cache is full; raise --memory");
		return false;
	}
	wish->to[wish->count] = 0;
	wish->pods[wish->count++] = pod;
	if (cycle_profile_of(&s->cycle, pod) == NULL)
		return refuse_line(wish, line_of(wish->root, "spec.schedulerName"),
			"spec.schedulerName: no profile has this name");
	if (!scheduler_knows_kinds(s, cache_pod_at(cache, pod))) {
		status_refuse(wish->a, 503, "what its rules look at is being read; retry");
		return false;
	}
	return true;
}

/* What the one before it has taken is gone for this one. */
static bool place_one(struct wish *wish, struct unit *unit)
{
	struct scheduler *s = wish->a->status->s;
	struct schedule_result result;
	uint32_t before = wish->count - 1;
	if (wish->count > 0 && wish->to[before] != 0 &&
		cache_assume(&s->cache, wish->pods[before], wish->to[before]) != CACHE_OK) {
		status_refuse(wish->a, 507, "the cache is full; raise --memory");
		return false;
	}
	if (!put_one(wish))
		return false;
	cycle_place(&s->cycle, wish->pods[wish->count - 1], false, &result);
	unit->looked_at++;
	if (result.outcome == CYCLE_PLACED) {
		wish->to[wish->count - 1] = result.node;
		unit->placed++;
	}
	return true;
}

/* At least one pod is looked at. */
static bool may_go_on(const struct wish *wish)
{
	const struct clock *clock = &wish->a->status->s->setup.clock;
	return wish->count == 0 || mono_since_us(clock_mono(clock), wish->start) < WHAT_IF_US;
}

/* As far as there are places, and they are not too many to look at. */
static bool place_unit(struct wish *wish, struct unit *unit)
{
	struct scheduler *s = wish->a->status->s;
	wish->root = unit->pod;
	unit->first = wish->count;
	if (!complete_unit(wish, unit))
		return false;
	bool has_claims = unit_claims(unit) != NULL;
	if (has_claims && !add_claim_volumes(wish, unit))
		return false;
	struct scratch_mark before = scratch_mark(wish->scratch);
	bool ok = has_claims || read_json(wish, wish->root, s->cache.pod_wants.object);
	struct scratch_mark mark = scratch_mark(wish->scratch);
	if (unit->is_daemon)
		unit->wanted = 1;
	while (ok && unit->looked_at < unit->wanted && unit->looked_at == unit->placed &&
		wish->count < WHAT_IF_PODS && may_go_on(wish)) {
		ok = (!has_claims ||
			     (imagine_claims_of(wish, unit) &&
				     read_json(wish, wish->root, s->cache.pod_wants.object))) &&
			place_one(wish, unit);
		scratch_rewind(wish->scratch, mark);
	}
	if (ok && unit->is_daemon && unit->looked_at > 0) {
		(void)cycle_feasible(&s->cycle, wish->pods[wish->count - 1], &unit->placed);
		unit->wanted = unit->looked_at = s->cache.order.count;
	}
	scratch_rewind(wish->scratch, before);
	return ok;
}

/* ---- the answer ---- */

static void put_unit(const struct wish *wish, const struct unit *unit, struct json_writer *j)
{
	const struct cache *cache = &wish->a->status->s->cache;
	const struct yaml_node *name = node_at(unit->object, "metadata.name");
	const struct yaml_node *namespace = node_at(unit->object, "metadata.namespace");
	json_open_object(j);
	json_member_z(j, "kind", unit->kind);
	json_member_text(j, "namespace", namespace == NULL ? TEXT("default") : namespace->text);
	json_member_text(j, "name", name == NULL ? TEXT("") : name->text);
	json_member_i64(j, "wanted", unit->wanted);
	json_member_i64(j, "lookedAt", unit->looked_at);
	json_member_i64(j, "placed", unit->placed);
	json_member_object(j, "nodes");
	for (uint32_t i = 0; !unit->is_daemon && i < unit->looked_at; i++) {
		const uint32_t *to = wish->to + unit->first;
		uint32_t before = 0, count = 0;
		for (uint32_t k = 0; k < unit->looked_at; k++) {
			before += k < i && to[k] == to[i];
			count += to[k] == to[i];
		}
		if (to[i] == 0 || before > 0)
			continue;
		json_key_text(j, cache_text(cache, cache_node_at(cache, to[i])->name));
		json_put_i64(j, count);
	}
	json_close_object(j);
	json_close_object(j);
}

/* The first that finds no node, else the last one. */
static void what_if_reply(struct wish *wish)
{
	struct status *status = wish->a->status;
	struct writer w;
	struct json_writer j;
	uint32_t shown = 0;
	while (shown + 1 < wish->count && wish->to[shown] != 0)
		shown++;
	if (wish->count == 0) {
		refuse_line(wish, 1, "no pod is wanted");
		return;
	}
	writer_init(&w, status->words, status->words_size);
	if (explain_put(status, wish->pods[shown], &w)) {
		json_reopen_object(&j, &w);
		json_key(&j, "headroom");
		headroom_put(status, wish->pods[shown], &j);
		json_member_array(&j, "workloads");
		for (uint32_t i = 0; i < wish->unit_count; i++)
			put_unit(wish, &wish->units[i], &j);
		json_close_array(&j);
		json_close_object(&j);
	}
	explain_send(wish->a, &w);
}

void what_if_answer(struct status_answer *a)
{
	struct wish *wish;
	struct scratch *scratch = &a->status->s->scratch;
	struct scratch_mark mark = scratch_mark(scratch);
	if ((scheduler_kinds_known(a->status->s) & SCHEDULER_VITAL_KINDS) !=
		SCHEDULER_VITAL_KINDS) {
		status_refuse(a, 503, "the initial lists are not complete yet");
		return;
	}
	if (!explain_take_words(a))
		return;
	wish = scratch_take(scratch, sizeof(*wish));
	if (wish == NULL) {
		status_refuse(a, 507, "not enough memory for the pod; raise --memory");
		return;
	}
	memset(wish, 0, sizeof(*wish));
	wish->a = a;
	wish->scratch = scratch;
	wish->start = clock_mono(&a->status->s->setup.clock);
	bool ok = read_wishes(wish);
	for (uint32_t i = 0; ok && i < wish->given_count; i++)
		ok = imagine_claim(wish, wish->given[i]);
	for (uint32_t i = 0; ok && i < wish->unit_count; i++)
		ok = place_unit(wish, &wish->units[i]);
	if (ok)
		what_if_reply(wish);
	while (wish->count > 0)
		(void)cache_remove_pod(&a->status->s->cache, wish->pods[--wish->count]);
	cache_imagine_objects(&a->status->s->cache, true);
	while (wish->claim_count > 0)
		(void)cache_remove_object(&a->status->s->cache, wish->claims[--wish->claim_count]);
	cache_imagine_objects(&a->status->s->cache, false);
	scratch_rewind(scratch, mark);
}
