/* SPDX-License-Identifier: GPL-2.0-only */
/* Pods of workloads, as text that is read like any other object. */
#include "command/workload.h"

#include "base/memory.h"
#include "base/sort.h"
#include "cache/feed.h"
#include "command/change.h"

enum {
	REPLICAS_MAX = 10000, /* of one workload: more are cut off, with a line about it */
	CLASSES_MAX = 64,
	NAME_MAX_BYTES = 253
};

enum workload_kind {
	WORKLOAD_POD,
	WORKLOAD_PRIORITY_CLASS,
	WORKLOAD_CLAIM,
	WORKLOAD_DEPLOYMENT,
	WORKLOAD_REPLICA_SET,
	WORKLOAD_REPLICATION_CONTROLLER,
	WORKLOAD_STATEFUL_SET,
	WORKLOAD_DAEMON_SET,
	WORKLOAD_JOB,
	WORKLOAD_CRON_JOB
};

static const struct workload_row {
	const char *kind;
	const char *template; /* where that of the pods is */
	const char *owner;    /* kind of the pods' controller */
} rows[] = {
	[WORKLOAD_POD] = {"Pod", NULL, NULL},
	[WORKLOAD_PRIORITY_CLASS] = {"PriorityClass", NULL, NULL},
	[WORKLOAD_CLAIM] = {"PersistentVolumeClaim", NULL, NULL},
	[WORKLOAD_DEPLOYMENT] = {"Deployment", "spec.template", "ReplicaSet"},
	[WORKLOAD_REPLICA_SET] = {"ReplicaSet", "spec.template", "ReplicaSet"},
	[WORKLOAD_REPLICATION_CONTROLLER] = {"ReplicationController", "spec.template",
		"ReplicationController"},
	[WORKLOAD_STATEFUL_SET] = {"StatefulSet", "spec.template", "StatefulSet"},
	[WORKLOAD_DAEMON_SET] = {"DaemonSet", "spec.template", "DaemonSet"},
	[WORKLOAD_JOB] = {"Job", "spec.template", "Job"},
	[WORKLOAD_CRON_JOB] = {"CronJob", "spec.jobTemplate.spec.template", "Job"},
};

struct priority_class {
	struct text name;
	int64_t value;
	struct text preemption;
	bool is_default;
};

struct expansion {
	struct dump *d;
	struct source source;
	enum workload_kind kind;
	struct json_value object;
	struct json_value spec; /* of the pods */
	struct text namespace, name;
	struct priority_class classes[CLASSES_MAX + 2];
	uint32_t class_count;
	uint32_t made;   /* the last object */
	bool tolerates;  /* as an apiserver lets every pod: what runs does */
	struct writer w; /* an object under construction, in the room for input */
	struct json_writer j;
};

/* What is kept: followed by the bytes of the piece. */
struct kept {
	uint64_t line;
	const char *file;
	uint32_t kind;
	uint32_t size;
};

static bool kind_of(struct text name, enum workload_kind *kind)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		*kind = (enum workload_kind)i;
		if (text_is_z(name, rows[i].kind))
			return true;
	}
	return false;
}

static bool has_limits(struct json_value spec, const char *list)
{
	struct json_walk walk = json_walk(json_get(spec, list));
	bool limits = false;
	while (!limits && json_walk_next(&walk))
		limits = json_type(json_path(walk.value, "resources.limits")) == JSON_OBJECT;
	return limits;
}

bool workload_is_one(struct text name, struct json_value object, bool asked)
{
	enum workload_kind kind;
	if (!kind_of(name, &kind))
		return false;
	if (kind == WORKLOAD_PRIORITY_CLASS)
		return true;
	struct json_value spec = json_get(object, "spec");
	bool is_new = json_type(json_path(object, "metadata.uid")) == JSON_NONE;
	if (kind == WORKLOAD_CLAIM) /* until the default StorageClass is known */
		return is_new && json_type(json_get(spec, "storageClassName")) == JSON_NONE;
	if (kind == WORKLOAD_POD)
		return (json_type(json_get(spec, "priorityClassName")) == JSON_STRING &&
			       json_type(json_get(spec, "priority")) == JSON_NONE) ||
			(is_new && json_type(json_get(spec, "nodeName")) == JSON_NONE &&
				(has_limits(spec, "containers") ||
					has_limits(spec, "initContainers")));
	return asked || is_new;
}

/* Address space of its own: most dumps need none. */
bool workload_open(struct dump *d)
{
	if (d->kept_block == NULL) {
		size_t list = DUMP_WORKLOADS_MAX * sizeof(*d->workloads);
		d->kept_block = memory_reserve(DUMP_KEPT + list);
		if (d->kept_block == NULL)
			return false;
		d->workloads = d->kept_block;
		scratch_init(&d->kept, (uint8_t *)d->kept_block + list, DUMP_KEPT);
	}
	return true;
}

void workload_close(struct dump *d)
{
	if (d->kept_block != NULL)
		memory_release(
			d->kept_block, DUMP_KEPT + DUMP_WORKLOADS_MAX * sizeof(*d->workloads));
	d->kept_block = NULL;
}

void workload_keep(struct source *s, struct text name, struct text piece)
{
	struct kept kept = {.line = s->piece_line, .file = s->name, .size = (uint32_t)piece.size};
	enum workload_kind kind;
	CHECK(kind_of(name, &kind));
	kept.kind = (uint32_t)kind;
	if (!workload_open(s->dump)) {
		dump_broken(s, s->piece_line, "the system has no memory to keep workloads");
		return;
	}
	uint8_t *at = scratch_take(&s->dump->kept, sizeof(kept) + piece.size);
	if (at == NULL) {
		dump_broken(s, s->piece_line, "more than %d KiB of workloads and priority classes",
			DUMP_KEPT >> 10);
		return;
	}
	memcpy(at, &kept, sizeof(kept));
	memcpy(at + sizeof(kept), piece.at, piece.size);
}

/* ---- priority classes ---- */

static int64_t workload_number(struct json_value object, const char *key, int64_t otherwise)
{
	int64_t value;
	return json_i64(json_get(object, key), &value) ? value : otherwise;
}

static void class_add(struct expansion *x)
{
	if (x->class_count == ARRAY_COUNT(x->classes)) {
		dump_broken(
			&x->source, x->source.line, "more than %d priority classes", CLASSES_MAX);
		return;
	}
	x->classes[x->class_count++] = (struct priority_class){.name = x->name,
		.value = workload_number(x->object, "value", 0),
		.preemption = json_text(json_get(x->object, "preemptionPolicy")),
		.is_default = json_bool(json_get(x->object, "globalDefault"), false)};
}

/* NULL: none, or it was said that there is none of this name. */
static const struct priority_class *priority_class_of(struct expansion *x)
{
	struct text name = json_text(json_get(x->spec, "priorityClassName"));
	if (json_type(json_get(x->spec, "priority")) != JSON_NONE)
		return NULL;
	for (uint32_t i = x->class_count; i > 0; i--)
		if (name.size > 0 ? text_is(x->classes[i - 1].name, name)
				  : x->classes[i - 1].is_default)
			return &x->classes[i - 1];
	if (name.size > 0)
		dump_broken(&x->source, x->source.line,
			"%s %.*s: spec.priorityClassName: no PriorityClass %.*s is given",
			rows[x->kind].kind, TEXT_ARGS(x->name), TEXT_ARGS(name));
	return NULL;
}

/* ---- writing an object ---- */

static void put_raw_member(struct json_writer *j, struct text key, struct json_value value)
{
	json_key_text(j, key);
	json_put_raw(j, json_raw(value));
}

static void begin_object(struct expansion *x, const char *kind, struct text name)
{
	writer_init(&x->w, x->d->input, DUMP_INPUT);
	json_write_init(&x->j, &x->w);
	json_open_object(&x->j);
	json_member_z(&x->j, "kind", kind);
	json_member_object(&x->j, "metadata");
	json_member_text(&x->j, "namespace", x->namespace);
	json_member_text(&x->j, "name", name);
	json_member_text(&x->j, "uid", name);
}

static bool workload_feed(struct expansion *x, enum kube_kind kind, struct text name, bool is_made)
{
	struct dump *d = x->d;
	struct cache_fed fed = {.decoded = KUBE_FULL};
	struct json_value value;
	struct scratch_mark mark = scratch_mark(&d->scratch);
	json_close_object(&x->j);
	bool ok = !x->w.overflowed &&
		json_parse(writer_text(&x->w), &d->scratch, &value) == JSON_PARSED &&
		cache_feed(d->cache, &d->scratch, kind, value, &fed);
	scratch_rewind(&d->scratch, mark);
	x->made = ok ? fed.index : 0;
	if (ok && kind == KUBE_POD)
		d->pods[fed.index] = (struct dump_pod){is_made ? INT64_MAX : 0, d->order++,
			is_made && d->workload_count < DUMP_WORKLOADS_MAX
				? (uint16_t)(d->workload_count + 1)
				: 0,
			is_made};
	else if (!ok && fed.decoded == KUBE_MALFORMED)
		dump_broken(&x->source, x->source.line, "%s %.*s/%.*s: %s: %s", rows[x->kind].kind,
			TEXT_ARGS(x->namespace), TEXT_ARGS(name), fed.fault_field,
			fed.fault_reason);
	else if (!ok)
		dump_broken(&x->source, x->source.line,
			"%s %.*s/%.*s: no room for its pods; raise --memory", rows[x->kind].kind,
			TEXT_ARGS(x->namespace), TEXT_ARGS(name));
	d->objects += ok;
	return ok;
}

/* ---- pods ---- */

static void put_owner(struct expansion *x)
{
	struct json_writer *j = &x->j;
	const char *kind = rows[x->kind].owner;
	json_member_array(j, "ownerReferences");
	json_open_object(j);
	json_member_z(j, "apiVersion",
		text_is_z(TEXT("Job"), kind)                         ? "batch/v1"
			: x->kind == WORKLOAD_REPLICATION_CONTROLLER ? "v1"
								     : "apps/v1");
	json_member_z(j, "kind", kind);
	json_member_text(j, "name", x->name);
	json_member_text(j, "uid", x->name);
	json_member_bool(j, "controller", true);
	json_close_object(j);
	json_close_array(j);
}

/* A term of the template's, on that node alone. */
static void put_node_term(struct json_writer *j, struct json_value term, struct text node)
{
	struct json_value expressions = json_get(term, "matchExpressions");
	json_open_object(j);
	if (json_type(expressions) == JSON_ARRAY)
		put_raw_member(j, TEXT("matchExpressions"), expressions);
	kube_node_term_put(j, node);
	json_close_object(j);
}

/* As the DaemonSet's controller does it: for one node, whatever is wrong with the node. */
static void put_daemon_members(struct expansion *x, struct text node)
{
	static const char required[] = "requiredDuringSchedulingIgnoredDuringExecution";
	struct json_writer *j = &x->j;
	struct json_value affinity = json_get(x->spec, "affinity");
	struct json_value terms = json_get(
		json_get(json_get(affinity, "nodeAffinity"), required), "nodeSelectorTerms");
	json_member_object(j, "affinity");
	for (struct json_walk walk = json_walk(affinity); json_walk_next(&walk);)
		if (!text_is_z(walk.key, "nodeAffinity"))
			put_raw_member(j, walk.key, walk.value);
	json_member_object(j, "nodeAffinity");
	json_member_object(j, required);
	json_member_array(j, "nodeSelectorTerms");
	if (json_count(terms) == 0)
		put_node_term(j, JSON_VALUE_NONE, node);
	for (struct json_walk walk = json_walk(terms); json_walk_next(&walk);)
		put_node_term(j, walk.value, node);
	json_close_array(j);
	json_close_object(j);
	json_close_object(j);
	json_close_object(j);
}

/* Besides its own: a DaemonSet's, or what an apiserver lets every pod tolerate for a while. */
static void put_tolerations(struct expansion *x)
{
	struct json_writer *j = &x->j;
	uint32_t count = x->tolerates ? KUBE_ANY_TOLERATIONS : 0;
	if (x->kind == WORKLOAD_DAEMON_SET)
		count = KUBE_DAEMON_TOLERATIONS -
			!json_bool(json_get(x->spec, "hostNetwork"), false);
	json_member_array(j, "tolerations");
	struct json_value given = json_get(x->spec, "tolerations");
	for (struct json_walk walk = json_walk(given); json_walk_next(&walk);)
		json_put_raw(j, json_raw(walk.value));
	kube_daemon_tolerations_put(j, count);
	json_close_array(j);
}

/* Claims of the StatefulSet's own take the place of volumes of the same name. */
static void put_volumes(struct expansion *x, struct text pod)
{
	struct json_value templates = json_path(x->object, "spec.volumeClaimTemplates");
	struct json_writer *j = &x->j;
	json_member_array(j, "volumes");
	struct json_value given = json_get(x->spec, "volumes");
	for (struct json_walk walk = json_walk(given); json_walk_next(&walk);)
		json_put_raw(j, json_raw(walk.value));
	for (struct json_walk walk = json_walk(templates); json_walk_next(&walk);) {
		char claim[2 * NAME_MAX_BYTES];
		struct text name = json_text(json_path(walk.value, "metadata.name"));
		struct writer w;
		writer_init(&w, claim, sizeof(claim));
		write_format(&w, "%.*s-%.*s", TEXT_ARGS(name), TEXT_ARGS(pod));
		json_open_object(j);
		json_member_text(j, "name", name);
		json_member_object(j, "persistentVolumeClaim");
		json_member_text(j, "claimName", writer_text(&w));
		json_close_object(j);
		json_close_object(j);
	}
	json_close_array(j);
}

/* As an apiserver does it: who limits a resource and requests none of it requests that much. */
static void put_defaulted(struct json_writer *j, struct json_value container)
{
	struct json_value resources = json_get(container, "resources");
	struct json_value limits = json_get(resources, "limits");
	struct json_value requests = json_get(resources, "requests");
	json_open_object(j);
	for (struct json_walk walk = json_walk(container); json_walk_next(&walk);)
		if (!text_is_z(walk.key, "resources"))
			put_raw_member(j, walk.key, walk.value);
	json_member_object(j, "resources");
	for (struct json_walk walk = json_walk(resources); json_walk_next(&walk);)
		if (!text_is_z(walk.key, "requests"))
			put_raw_member(j, walk.key, walk.value);
	json_member_object(j, "requests");
	for (struct json_walk walk = json_walk(requests); json_walk_next(&walk);)
		put_raw_member(j, walk.key, walk.value);
	for (struct json_walk walk = json_walk(limits); json_walk_next(&walk);) {
		struct json_walk has = json_walk(requests);
		bool is_there = false;
		while (!is_there && json_walk_next(&has))
			is_there = text_is(has.key, walk.key);
		if (!is_there)
			put_raw_member(j, walk.key, walk.value);
	}
	json_close_object(j);
	json_close_object(j);
	json_close_object(j);
}

static void put_containers(struct json_writer *j, struct text key, struct json_value list)
{
	json_key_text(j, key);
	json_open_array(j);
	for (struct json_walk walk = json_walk(list); json_walk_next(&walk);)
		if (json_type(json_path(walk.value, "resources.limits")) == JSON_OBJECT)
			put_defaulted(j, walk.value);
		else
			json_put_raw(j, json_raw(walk.value));
	json_close_array(j);
}

static void put_pod_spec(
	struct expansion *x, const struct priority_class *class, struct text pod, struct text node)
{
	struct json_writer *j = &x->j;
	json_member_object(j, "spec");
	if (class != NULL) {
		json_member_i64(j, "priority", class->value);
		if (class->preemption.size > 0)
			json_member_text(j, "preemptionPolicy", class->preemption);
	}
	if (x->kind == WORKLOAD_DAEMON_SET)
		put_daemon_members(x, node);
	else if (x->kind == WORKLOAD_STATEFUL_SET)
		put_volumes(x, pod);
	put_tolerations(x);
	for (struct json_walk walk = json_walk(x->spec); json_walk_next(&walk);) {
		bool is_written = text_is_z(walk.key, "tolerations") ||
			(x->kind == WORKLOAD_DAEMON_SET && text_is_z(walk.key, "affinity")) ||
			(x->kind == WORKLOAD_STATEFUL_SET && text_is_z(walk.key, "volumes"));
		if (text_ends(walk.key, TEXT("ontainers")) && json_type(walk.value) == JSON_ARRAY)
			put_containers(j, walk.key, walk.value);
		else if (!is_written && !text_is_z(walk.key, "priorityClassName"))
			put_raw_member(j, walk.key, walk.value);
	}
	json_close_object(j);
}

/* `as`: whose name its claims and its node have; that of the pod, or of the one it is compared to.
 */
static bool make_pod_as(struct expansion *x, const struct priority_class *class, struct text name,
	struct text as, struct text node)
{
	const char *place = rows[x->kind].template;
	struct json_value labels = json_get(
		json_get(place == NULL ? x->object : json_path(x->object, place), "metadata"),
		"labels");
	begin_object(x, "Pod", name);
	if (json_type(labels) == JSON_OBJECT)
		put_raw_member(&x->j, TEXT("labels"), labels);
	if (rows[x->kind].owner != NULL)
		put_owner(x);
	json_close_object(&x->j);
	put_pod_spec(x, class, as, node);
	return workload_feed(x, KUBE_POD, name, rows[x->kind].owner != NULL);
}

static bool make_workload_pod(
	struct expansion *x, const struct priority_class *class, struct text name, struct text node)
{
	return make_pod_as(x, class, name, name, node);
}

/* Those that are not there. */
static bool make_claims(struct expansion *x, struct text pod)
{
	struct json_value templates = json_path(x->object, "spec.volumeClaimTemplates");
	for (struct json_walk walk = json_walk(templates); json_walk_next(&walk);) {
		char room[2 * NAME_MAX_BYTES];
		struct writer w;
		uint32_t namespace, name;
		const struct cache *cache = x->d->cache;
		writer_init(&w, room, sizeof(room));
		write_format(&w, "%.*s-%.*s",
			TEXT_ARGS(json_text(json_path(walk.value, "metadata.name"))),
			TEXT_ARGS(pod));
		if (intern_find(&cache->strings, x->namespace, &namespace) &&
			intern_find(&cache->strings, writer_text(&w), &name) &&
			cache_find_object(cache, KUBE_PVC, namespace, name) != 0)
			continue;
		begin_object(x, "PersistentVolumeClaim", writer_text(&w));
		json_close_object(&x->j);
		put_raw_member(&x->j, TEXT("spec"), json_get(walk.value, "spec"));
		if (!workload_feed(x, KUBE_PVC, writer_text(&w), false))
			return false;
	}
	return true;
}

/* ---- which pods are its own ---- */

static bool is_selected(const struct cache *cache, uint32_t pod, struct json_value wanted)
{
	const struct kube_labels *labels = cache_labels_at(cache, cache_pod_at(cache, pod)->labels);
	for (struct json_walk walk = json_walk(wanted); json_walk_next(&walk);) {
		uint32_t key, value, has;
		if (!intern_find(&cache->strings, walk.key, &key) ||
			!intern_find(&cache->strings, json_text(walk.value), &value) ||
			!kube_labels_get(labels, key, &has) || has != value)
			return false;
	}
	return json_count(wanted) > 0;
}

static uint32_t count_wanted(struct expansion *x)
{
	struct json_value spec = x->kind == WORKLOAD_CRON_JOB
		? json_path(x->object, "spec.jobTemplate.spec")
		: json_get(x->object, "spec");
	bool is_job = x->kind == WORKLOAD_JOB || x->kind == WORKLOAD_CRON_JOB;
	int64_t count = workload_number(spec, is_job ? "parallelism" : "replicas", 1);
	int64_t most = is_job ? workload_number(spec, "completions", INT64_MAX) : INT64_MAX;
	count = count < most ? count : most;
	if (count > REPLICAS_MAX)
		dump_warn(&x->source, x->source.line, "%s %.*s: only %d of its pods are made",
			rows[x->kind].kind, TEXT_ARGS(x->name), REPLICAS_MAX);
	return count < 0 ? 0 : count < REPLICAS_MAX ? (uint32_t)count : REPLICAS_MAX;
}

/* ---- what runs, and what of it goes ---- */

/* A pod that is there for it already. */
static bool is_its_pod(const struct expansion *x, uint32_t pod)
{
	const struct cache *cache = x->d->cache;
	struct json_value selector = json_path(x->object, "spec.selector");
	struct text namespace =
		cache_text(cache, cache_template_of(cache, cache_pod_at(cache, pod))->namespace);
	return text_is(namespace, x->namespace) && !x->d->pods[pod].is_made &&
		is_selected(cache, pod,
			x->kind == WORKLOAD_REPLICATION_CONTROLLER
				? selector
				: json_get(selector, "matchLabels"));
}

struct its_pod {
	int64_t key; /* the youngest goes first, before it those without a node */
	uint32_t pod;
};

static int goes_before(const void *a, const void *b)
{
	const struct its_pod *x = a, *y = b;
	return (x->key < y->key) - (x->key > y->key);
}

/* NULL: it was said that there is no room. */
static struct its_pod *list_its_pods(struct expansion *x, uint32_t *count)
{
	const struct dump *d = x->d;
	const struct pool *pods = &d->cache->pods;
	*count = 0;
	for (uint32_t i = pool_next(pods, 0); i != 0; i = pool_next(pods, i))
		*count += is_its_pod(x, i);
	struct its_pod *list = SCRATCH_ARRAY(&x->d->kept, struct its_pod, (size_t)*count + 1);
	if (list == NULL)
		dump_broken(&x->source, x->source.line, "%s %.*s: too many pods",
			rows[x->kind].kind, TEXT_ARGS(x->name));
	for (uint32_t i = pool_next(pods, 0), n = 0; list != NULL && i != 0; i = pool_next(pods, i))
		if (is_its_pod(x, i))
			list[n++] = (struct its_pod){cache_pod_at(d->cache, i)->node == 0
					? INT64_MAX
					: d->pods[i].created_us,
				i};
	if (list != NULL)
		sort(list, *count, sizeof(*list), goes_before);
	return list;
}

/* Its template is not what the workload's is now, with what an apiserver adds or without. */
static bool is_outdated(struct expansion *x, const struct priority_class *class, uint32_t pod)
{
	struct cache *cache = x->d->cache;
	const struct cache_pod *p = cache_pod_at(cache, pod);
	uint32_t node = p->for_node != 0 || p->node == 0 ? p->for_node
							 : cache_node_at(cache, p->node)->name;
	bool differs = true;
	for (int i = 0; differs && i < (x->kind == WORKLOAD_DAEMON_SET ? 1 : 2); i++) {
		if (!make_pod_as(x, class, TEXT("what would be made"), cache_text(cache, p->name),
			    cache_text(cache, node)))
			return false;
		differs = cache_pod_at(cache, x->made)->class != p->class;
		(void)cache_remove_pod(cache, x->made);
		x->d->objects--;
		x->tolerates ^= differs;
	}
	return differs;
}

/* It goes, now or when it is its turn. False: there is no room to say so. */
static bool workload_retire(struct expansion *x, uint32_t pod, bool is_replaced, bool now)
{
	struct dump *d = x->d;
	struct dump_change *change = d->workload_count == DUMP_WORKLOADS_MAX
		? NULL
		: dump_change(d, pod, is_replaced ? CHANGE_REPLACED : CHANGE_SURPLUS);
	if (change == NULL)
		return false;
	change->workload = (uint16_t)(d->workload_count + 1);
	if (now) {
		change->pod = 0;
		(void)cache_remove_pod(d->cache, pod);
	}
	return true;
}

/* ---- how many ---- */

static void workload_note(const struct expansion *x, struct dump_workload note)
{
	struct dump *d = x->d;
	note.kind = rows[x->kind].kind;
	note.namespace = x->namespace;
	note.name = x->name;
	if (d->workload_count < DUMP_WORKLOADS_MAX)
		d->workloads[d->workload_count++] = note;
}

/* A number, or "25%" of so many, which is also what it is when it is not given. */
static uint32_t read_share(struct json_value value, uint32_t wanted, bool up)
{
	int64_t number;
	struct text t = json_text(value);
	if (!json_i64(value, &number)) {
		if (t.size == 0 || !text_to_i64(text_first(t, t.size - 1), &number))
			number = 25;
		number = number < 0 ? 0 : number < 100 ? number : 100;
		number = (wanted * number + (up ? 99 : 0)) / 100;
	}
	return number < 0 ? 0 : number < REPLICAS_MAX ? (uint32_t)number : REPLICAS_MAX;
}

/* How many more and how many less there may be meanwhile. False: all old ones go first. */
static bool read_strategy(const struct expansion *x, struct dump_workload *note)
{
	struct json_value strategy = json_path(x->object, "spec.strategy");
	struct json_value rolling = json_get(strategy, "rollingUpdate");
	if (x->kind != WORKLOAD_DEPLOYMENT ||
		text_is_z(json_text(json_get(strategy, "type")), "Recreate"))
		return false;
	note->surge = read_share(json_get(rolling, "maxSurge"), note->wanted, true);
	note->unavailable = read_share(json_get(rolling, "maxUnavailable"), note->wanted, false);
	note->unavailable += note->surge + note->unavailable == 0;
	return true;
}

static struct text numbered(const struct expansion *x, uint32_t number, char *room, size_t size)
{
	struct writer w;
	writer_init(&w, room, size);
	write_format(&w, "%.*s-%u", TEXT_ARGS(x->name), (unsigned)number);
	return writer_text(&w);
}

/* Those that go; what stays of the running. */
static uint32_t retire_replicas(struct expansion *x, const struct priority_class *class,
	struct dump_workload *note, bool rolls, struct its_pod *list)
{
	uint32_t stay = 0;
	bool replaces = x->kind == WORKLOAD_DEPLOYMENT || x->kind == WORKLOAD_STATEFUL_SET;
	for (uint32_t i = 0; i < note->running; i++) {
		bool is_old = replaces && is_outdated(x, class, list[i].pod) &&
			workload_retire(x, list[i].pod, true, !rolls);
		note->there += !is_old || rolls;
		note->available += (!is_old || rolls) && list[i].key != INT64_MAX;
		if (!is_old)
			list[stay++] = list[i];
	}
	uint32_t surplus = stay > note->wanted ? stay - note->wanted : 0;
	note->there -= surplus;
	for (uint32_t i = 0; i < surplus; i++) {
		note->available -= list[i].key != INT64_MAX;
		(void)workload_retire(x, list[i].pod, false, true);
	}
	return stay - surplus;
}

static void make_replicas(struct expansion *x, const struct priority_class *class)
{
	char room[NAME_MAX_BYTES + 16];
	struct dump_workload note = {.wanted = count_wanted(x)};
	bool rolls = read_strategy(x, &note);
	struct its_pod *list = list_its_pods(x, &note.running);
	if (list == NULL)
		return;
	uint32_t stay = retire_replicas(x, class, &note, rolls, list);
	for (uint32_t i = 0; note.made + stay < note.wanted && i < 2 * REPLICAS_MAX; i++) {
		struct text name = numbered(x, i, room, sizeof(room));
		if (cache_find_pod(x->d->cache, x->namespace, name) != 0)
			continue;
		if ((x->kind == WORKLOAD_STATEFUL_SET && !make_claims(x, name)) ||
			!make_workload_pod(x, class, name, TEXT_NONE))
			break;
		note.made++;
	}
	workload_note(x, note);
}

static uint32_t daemon_of(
	const struct expansion *x, const struct its_pod *list, uint32_t count, uint32_t node)
{
	const struct cache *cache = x->d->cache;
	for (uint32_t i = 0; i < count; i++) {
		const struct cache_pod *p = cache_pod_at(cache, list[i].pod);
		if (p->node == node ||
			(p->node == 0 && p->for_node == cache_node_at(cache, node)->name))
			return list[i].pod;
	}
	return 0;
}

static void make_daemons(struct expansion *x, const struct priority_class *class)
{
	char room[2 * NAME_MAX_BYTES + 16];
	const struct cache *cache = x->d->cache;
	struct dump_workload note = {.wanted = 0};
	struct its_pod *list = list_its_pods(x, &note.running);
	for (uint32_t i = pool_next(&cache->nodes, 0); list != NULL && i != 0;
		i = pool_next(&cache->nodes, i)) {
		struct text node = cache_text(cache, cache_node_at(cache, i)->name);
		struct writer w;
		uint32_t has = daemon_of(x, list, note.running, i);
		if (cache_node_at(cache, i)->facts == NULL)
			continue;
		note.wanted++;
		if (has != 0 &&
			(!is_outdated(x, class, has) || !workload_retire(x, has, true, true)))
			continue;
		writer_init(&w, room, sizeof(room));
		write_format(&w, "%.*s-%.*s", TEXT_ARGS(x->name), TEXT_ARGS(node));
		if (!make_workload_pod(x, class, writer_text(&w), node))
			break;
		note.made++;
	}
	workload_note(x, note);
}

/* ---- all of them ---- */

static void expand_one(struct expansion *x)
{
	const char *place = rows[x->kind].template;
	uint32_t broken = x->d->broken;
	x->spec = json_get(place == NULL ? x->object : json_path(x->object, place), "spec");
	const struct priority_class *class = priority_class_of(x);
	if (x->d->broken != broken)
		return;
	if (json_type(x->spec) != JSON_OBJECT || x->name.size == 0 || x->name.size > NAME_MAX_BYTES)
		dump_broken(&x->source, x->source.line, "%s %.*s: no name, or no template of pods",
			rows[x->kind].kind, TEXT_ARGS(text_utf8_first(x->name, NAME_MAX_BYTES)));
	else if (x->kind == WORKLOAD_POD)
		(void)make_workload_pod(x, class, x->name, TEXT_NONE);
	else if (x->kind == WORKLOAD_DAEMON_SET)
		make_daemons(x, class);
	else
		make_replicas(x, class);
}

/* What pods need (`classes`: of priority, and claims), or everything else. */
static void expand_kept(struct expansion *x, size_t end, bool classes)
{
	struct dump *d = x->d;
	for (size_t at = 0; at < end;) {
		struct kept kept;
		memcpy(&kept, d->kept.base + at, sizeof(kept));
		struct text piece = {(const char *)(d->kept.base + at + sizeof(kept)), kept.size};
		at += (sizeof(kept) + kept.size + 15) / 16 * 16;
		x->kind = (enum workload_kind)kept.kind;
		x->source = (struct source){
			.dump = d, .name = kept.file, .line = kept.line, .piece_line = kept.line};
		if ((x->kind == WORKLOAD_PRIORITY_CLASS || x->kind == WORKLOAD_CLAIM) != classes)
			continue;
		if (x->kind == WORKLOAD_CLAIM) {
			d->broken += !dump_piece(&x->source, (struct json_piece){.text = piece});
			continue;
		}
		if (!classes)
			scratch_reset(&d->scratch);
		if (json_parse(piece, &d->scratch, &x->object) != JSON_PARSED) {
			dump_broken(&x->source, kept.line, "%s: too large, or its name has escapes",
				rows[x->kind].kind);
			continue;
		}
		x->name = json_text(json_path(x->object, "metadata.name"));
		x->namespace = json_text(json_path(x->object, "metadata.namespace"));
		if (x->namespace.size == 0)
			x->namespace = TEXT("default");
		if (classes)
			class_add(x);
		else
			expand_one(x);
	}
}

void workload_expand(struct dump *d)
{
	struct expansion x = {.d = d,
		.classes = {{TEXT("system-cluster-critical"), 2000000000, TEXT(""), false},
			{TEXT("system-node-critical"), 2000001000, TEXT(""), false}},
		.class_count = 2};
	size_t end = d->kept.used; /* what is kept of pods comes behind it */
	scratch_reset(&d->scratch);
	cache_imagine_objects(d->cache, true);
	expand_kept(&x, end, true); /* names stay where they are kept: pieces are not moved */
	expand_kept(&x, end, false);
	cache_imagine_objects(d->cache, false);
	change_settle(d);
}
