/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a pod asks for.
 *
 * What kube-scheduler does: the containers and sidecars (init containers that restart) are added
 * up. While an init container runs, it and the sidecars before it are there; of all those moments
 * and the sum the largest counts, for each resource by itself. Requests of the whole pod then
 * replace the sum where they are given, and the pod's overhead comes on top. On a node, containers
 * count with what the kubelet says they have, if that is more than what is asked for (or instead
 * of it, when the kubelet called a wanted resize infeasible). For the sake of scoring, containers
 * without a cpu or memory request count as if they had a small one. It computes this several
 * times for different ends, each time from the beginning.
 *
 * Until v1.36 the largest of what is asked for, there and allocated counts container by container;
 * since v1.37 each of the three is summed up over the pod, and the largest sum counts. Where the
 * pod's own status has sums of what is there and allocated, those are taken.
 *
 * What we do: the same sums, but the lists are read once, and a sum that cannot differ from one
 * that is there already is not computed again.
 */
#include "kube/pod_requests.h"

#include "kube/resource_list.h"

enum { DEFAULT_CPU_MILLI = 100, DEFAULT_MEMORY_BYTES = 200 * 1024 * 1024, MILLI = -3 };

enum { DEFAULT_CPU = 1 << RESOURCE_CPU, DEFAULT_MEMORY = 1 << RESOURCE_MEMORY };
enum { DEFAULT_BOTH = DEFAULT_CPU | DEFAULT_MEMORY };

struct container {
	struct resource_list asked; /* as the spec says */
	struct resource_list used; /* as the status makes of it, if it says anything: until v1.36 */
	struct resource_list allocated, actual; /* since v1.37 */
	bool is_init;
	bool is_sidecar;
};

struct status {
	struct text name;
	struct json_value resources; /* it matters that it is set, even if empty */
	struct json_value allocated;
};

struct pod_lists {
	struct kube_build *b;
	struct resource_names names;
	struct container *containers; /* ordinary ones first, then init containers */
	uint32_t container_count;
	struct status *statuses;
	uint32_t status_count;
	bool resize_infeasible;
	struct resource_list pod_asked; /* of the pod level, names that are allowed there */
	struct resource_list pod_used;
	struct resource_list all_allocated, all_actual; /* of the pod's status, since v1.37 ... */
	bool has_all;                                   /* ... where it has both */
	struct resource_list overhead;
	int64_t limits[2];    /* cpu in thousandths, memory */
	bool used_differs;    /* some used list is not what was asked for */
	bool lacks_a_default; /* some container has no cpu or no memory request */
};

/* Members of the pod that are read here. */
struct pod_members {
	struct json_value containers;
	struct json_value init_containers;
	struct json_value resources;
	struct json_value overhead;
	struct json_value container_statuses;
	struct json_value init_container_statuses;
	struct json_value status_resources;
	struct json_value status_allocated;
	struct json_value conditions;
};

static const struct kube_field spec_members[] = {
	KUBE_FIELD("spec.initContainers", pod_members, init_containers),
	KUBE_FIELD("spec.containers", pod_members, containers),
	KUBE_FIELD("spec.overhead", pod_members, overhead),
	KUBE_FIELD("spec.resources", pod_members, resources),
};

static const struct kube_field status_members[] = {
	KUBE_FIELD("status.conditions", pod_members, conditions),
	KUBE_FIELD("status.initContainerStatuses", pod_members, init_container_statuses),
	KUBE_FIELD("status.containerStatuses", pod_members, container_statuses),
	KUBE_FIELD("status.allocatedResources", pod_members, status_allocated),
	KUBE_FIELD("status.resources", pod_members, status_resources),
};

static void members_read(struct kube_build *b, struct json_value pod, struct pod_members *members)
{
	*members = (struct pod_members){.containers = JSON_VALUE_NONE};
	KUBE_READ_FIELDS(b, json_get(pod, "spec"), "spec", spec_members, members);
	KUBE_READ_FIELDS(b, json_get(pod, "status"), "status", status_members, members);
}

static bool is_newer(const struct pod_lists *pod)
{
	return pod->b->release >= KUBE_1_37;
}

/* ---- status ---- */

/* Only the first condition of that type counts. */
static bool is_resize_infeasible(struct json_value conditions)
{
	struct json_walk walk = json_walk(conditions);

	while (json_walk_next(&walk))
		if (text_is(json_text(json_get(walk.value, "type")), TEXT("PodResizePending")))
			return text_is(
				json_text(json_get(walk.value, "reason")), TEXT("Infeasible"));
	return false;
}

static void statuses_of(struct pod_lists *pod, struct json_value statuses, const char *field)
{
	struct json_walk walk = kube_read_array(pod->b, statuses, field);

	while (!kube_failed(pod->b) && json_walk_next(&walk)) {
		struct status *status = &pod->statuses[pod->status_count++];
		struct json_walk member = kube_read_object(pod->b, walk.value, field);

		while (json_walk_next(&member)) {
			if (KUBE_IS(member.key, "name"))
				status->name = json_text(member.value);
			else if (KUBE_IS(member.key, "resources"))
				status->resources = member.value;
			else if (KUBE_IS(member.key, "allocatedResources"))
				status->allocated = member.value;
		}
	}
}

static void statuses_read(struct pod_lists *pod, const struct pod_members *members)
{
	uint32_t count = kube_read_count(members->container_statuses) +
		kube_read_count(members->init_container_statuses);

	if (count == 0)
		return;
	if (count > 2 * KUBE_POD_CONTAINERS_MAX) {
		kube_build_malformed(pod->b, "status.containerStatuses",
			"more than twice KUBE_POD_CONTAINERS_MAX");
		return;
	}
	pod->statuses = SCRATCH_ARRAY(pod->b->scratch, struct status, count);
	if (pod->statuses == NULL) {
		kube_build_full(pod->b);
		return;
	}
	statuses_of(pod, members->container_statuses, "status.containerStatuses");
	statuses_of(pod, members->init_container_statuses, "status.initContainerStatuses");
}

/* The last one of that name; NULL when it does not say what the container has. */
static const struct status *status_of(const struct pod_lists *pod, struct text name)
{
	for (uint32_t i = pod->status_count; i-- > 0;)
		if (text_is(pod->statuses[i].name, name))
			return kube_is_absent(pod->statuses[i].resources) ? NULL
									  : &pod->statuses[i];
	return NULL;
}

/* The first one of that name, whatever it says. */
static const struct status *first_status_of(const struct pod_lists *pod, struct text name)
{
	for (uint32_t i = 0; i < pod->status_count; i++)
		if (text_is(pod->statuses[i].name, name))
			return &pod->statuses[i];
	return NULL;
}

static bool is_below(
	struct pod_lists *pod, const struct resource_list *asked, const struct resource_list *other)
{
	struct resource_list larger;
	resource_list_init(&pod->names, asked->count + other->count, &larger);
	if (kube_failed(pod->b))
		return true;
	(void)resource_list_max(&larger, asked);
	return !resource_list_max(&larger, other);
}

static bool status_map_read(
	struct pod_lists *pod, struct json_value map, const char *field, struct resource_list *list)
{
	if (kube_is_absent(map))
		return false;
	resource_list_init(&pod->names, json_count(map), list);
	resource_list_read(&pod->names, map, field, list);
	return true;
}

/* Since v1.37: what is allocated to the container and what it has, where the status has them. */
static void container_status_read(struct pod_lists *pod, struct text name, struct container *c)
{
	static const char field[] = "status.containerStatuses.resources";
	static const struct resource_list none = {.count = 0};
	const struct status *status = first_status_of(pod, name);
	c->allocated = c->actual = pod->resize_infeasible ? none : c->asked;
	if (status == NULL || kube_failed(pod->b))
		return;
	struct json_value actual = kube_read_member(pod->b, status->resources, "requests", field);
	if (status_map_read(pod, status->allocated, field, &c->allocated))
		c->actual = c->allocated;
	(void)status_map_read(pod, actual, field, &c->actual);
	/* A list without a cpu that was asked for gets the default one, which may be more. */
	if (!kube_failed(pod->b))
		pod->used_differs |= !is_below(pod, &c->asked, &c->allocated) ||
			!is_below(pod, &c->asked, &c->actual) ||
			(c->asked.has & ~(c->allocated.has & c->actual.has)) != 0;
}

/* The largest of what was asked for, what is there and what is allocated. */
static void used_read(struct pod_lists *pod, const struct resource_list *asked,
	const struct status *status, const char *field, struct resource_list *used)
{
	struct json_value actual = kube_read_member(pod->b, status->resources, "requests", field);
	struct resource_list list;

	resource_list_init(&pod->names,
		asked->count + json_count(actual) + json_count(status->allocated), used);
	if (kube_failed(pod->b))
		return;
	if (pod->resize_infeasible)
		pod->used_differs = true;
	else
		resource_list_max(used, asked);

	const struct json_value maps[] = {actual, status->allocated};
	for (size_t i = 0; i < ARRAY_COUNT(maps); i++) {
		resource_list_init(&pod->names, json_count(maps[i]), &list);
		resource_list_read(&pod->names, maps[i], field, &list);
		if (kube_failed(pod->b))
			return;
		if (resource_list_max(used, &list))
			pod->used_differs = true;
	}
}

/* ---- spec ---- */

/* Ordinary containers come first: theirs are added up, the largest of the others counts too. */
static void limit_add(struct pod_lists *pod, uint32_t which, int64_t limit, bool is_init)
{
	int64_t *sum = &pod->limits[which];

	if (!is_init)
		*sum = (int64_t)((uint64_t)*sum + (uint64_t)limit);
	else if (limit > *sum)
		*sum = limit;
}

static void limits_read(
	struct pod_lists *pod, struct json_value map, const char *field, bool is_init)
{
	struct json_walk walk = kube_read_object(pod->b, map, field);

	while (!kube_failed(pod->b) && json_walk_next(&walk)) {
		struct resource_name *name = resource_name_of(&pod->names, walk.key);
		struct quantity q;

		if (name == NULL)
			return;
		name->is_mentioned = true;
		if (name->index <= RESOURCE_MEMORY &&
			kube_read_quantity(pod->b, walk.value, &q, field))
			limit_add(pod, name->index,
				name->index == RESOURCE_CPU ? quantity_milli(&q)
							    : quantity_value(&q),
				is_init);
	}
}

static void container_requests_read(struct pod_lists *pod, struct json_value v, bool is_init)
{
	struct container *c = &pod->containers[pod->container_count++];
	struct json_value resources = JSON_VALUE_NONE, requests, limits;
	struct text name = TEXT_NONE;
	const char *field = is_init ? "spec.initContainers.resources" : "spec.containers.resources";
	struct json_walk walk = kube_read_object(pod->b, v, field);

	c->is_init = is_init;
	while (json_walk_next(&walk)) {
		if (KUBE_IS(walk.key, "name"))
			name = json_text(walk.value);
		else if (KUBE_IS(walk.key, "resources"))
			resources = walk.value;
		else if (is_init && KUBE_IS(walk.key, "restartPolicy"))
			c->is_sidecar = text_is(json_text(walk.value), TEXT("Always"));
	}
	requests = kube_read_member(pod->b, resources, "requests", field);
	limits = kube_read_member(pod->b, resources, "limits", field);
	field = is_init ? "spec.initContainers.resources.requests"
			: "spec.containers.resources.requests";
	resource_list_init(&pod->names, json_count(requests), &c->asked);
	pod->names.mentions = true;
	resource_list_read(&pod->names, requests, field, &c->asked);
	pod->names.mentions = false;
	limits_read(pod, limits,
		is_init ? "spec.initContainers.resources.limits"
			: "spec.containers.resources.limits",
		is_init);

	const struct status *status = is_init && !c->is_sidecar ? NULL : status_of(pod, name);
	c->used = c->asked;
	if (is_newer(pod))
		container_status_read(pod, name, c);
	else if (status != NULL)
		used_read(pod, &c->asked, status, "status.containerStatuses.resources", &c->used);
	if ((c->asked.has & DEFAULT_BOTH) != DEFAULT_BOTH)
		pod->lacks_a_default = true;
}

static void containers_requests_read(struct pod_lists *pod, const struct pod_members *members)
{
	struct json_walk walk;
	uint32_t count =
		kube_read_count(members->containers) + kube_read_count(members->init_containers);

	if (count > KUBE_POD_CONTAINERS_MAX) {
		kube_build_malformed(
			pod->b, "spec.containers", "more than KUBE_POD_CONTAINERS_MAX");
		return;
	}
	if (count == 0)
		return;
	pod->containers = SCRATCH_ARRAY(pod->b->scratch, struct container, count);
	if (pod->containers == NULL) {
		kube_build_full(pod->b);
		return;
	}
	walk = json_walk(members->containers);
	while (!kube_failed(pod->b) && json_walk_next(&walk))
		container_requests_read(pod, walk.value, false);
	walk = json_walk(members->init_containers);
	while (!kube_failed(pod->b) && json_walk_next(&walk))
		container_requests_read(pod, walk.value, true);
}

/* Keeps the names that may stand at the pod level. */
static void keep_pod_level(struct resource_list *list)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < list->count; i++)
		if (list->entries[i].name->is_pod_level)
			list->entries[kept++] = list->entries[i];
	list->count = kept;
}

/* Since v1.37: the status of the pod has sums of its own. */
static void all_status_read(struct pod_lists *pod, const struct status *status)
{
	static const char field[] = "status.resources";
	struct json_value actual = kube_read_member(pod->b, status->resources, "requests", field);
	keep_pod_level(&pod->pod_used);
	if (kube_is_absent(actual) || kube_is_absent(status->allocated))
		return;
	pod->has_all = status_map_read(pod, status->allocated, field, &pod->all_allocated) &&
		status_map_read(pod, actual, field, &pod->all_actual);
	pod->used_differs = true;
}

static void pod_level_read(struct pod_lists *pod, const struct pod_members *members)
{
	struct json_value requests =
		kube_read_member(pod->b, members->resources, "requests", "spec.resources");
	struct status status = {TEXT_NONE, members->status_resources, members->status_allocated};

	resource_list_init(&pod->names, json_count(requests), &pod->pod_asked);
	resource_list_read(&pod->names, requests, "spec.resources.requests", &pod->pod_asked);
	if (kube_failed(pod->b))
		return;
	keep_pod_level(&pod->pod_asked);
	pod->pod_used = pod->pod_asked;
	if (pod->pod_asked.count > 0 && !kube_is_absent(status.resources))
		used_read(pod, &pod->pod_asked, &status, "status.resources", &pod->pod_used);
	if (is_newer(pod) && !kube_failed(pod->b))
		all_status_read(pod, &status);
}

static void lists_read(struct pod_lists *pod, const struct pod_members *members)
{
	pod->resize_infeasible = is_resize_infeasible(members->conditions);
	pod->used_differs = is_newer(pod) && pod->resize_infeasible;
	statuses_read(pod, members);
	if (!kube_failed(pod->b))
		containers_requests_read(pod, members);
	if (!kube_failed(pod->b))
		pod_level_read(pod, members);
	if (kube_failed(pod->b))
		return;
	resource_list_init(&pod->names, json_count(members->overhead), &pod->overhead);
	resource_list_read(&pod->names, members->overhead, "spec.overhead", &pod->overhead);
}

/* ---- sums ---- */

enum variant_source { OF_SPEC, OF_USED, OF_ALLOCATED, OF_ACTUAL };
struct variant {
	bool of_status;    /* with what the containers have */
	uint8_t source;    /* enum variant_source: which list of the containers */
	bool pod_level;    /* with the requests of the whole pod */
	uint32_t defaults; /* which are filled in */
};

struct work { /* memory for one sum after the other */
	struct resource_sums sums;
	struct resource_sums sidecars; /* those so far */
	struct resource_sums moment;   /* while one init container runs */
	struct resource_sums peak;     /* the largest of the moments */
	struct resource_sums largest;  /* of several sums */
};

static void add_container(
	struct resource_sums *sums, const struct container *c, const struct variant *variant)
{
	const struct resource_list *const lists[] = {
		&c->asked, &c->used, &c->allocated, &c->actual};
	const struct resource_list *list = lists[variant->source];
	uint32_t missing = variant->defaults & ~list->has;

	resource_sums_add_list(sums, list);
	if (missing & DEFAULT_CPU) {
		struct quantity cpu = quantity_of(DEFAULT_CPU_MILLI, MILLI);

		resource_sums_add_one(sums, RESOURCE_CPU, &cpu);
	}
	if (missing & DEFAULT_MEMORY) {
		struct quantity memory = quantity_of(DEFAULT_MEMORY_BYTES, 0);

		resource_sums_add_one(sums, RESOURCE_MEMORY, &memory);
	}
}

static void add_init_containers(
	const struct pod_lists *pod, const struct variant *variant, struct work *work)
{
	resource_sums_clear(&work->sidecars);
	resource_sums_clear(&work->peak);
	for (uint32_t i = 0; i < pod->container_count; i++) {
		const struct container *c = &pod->containers[i];

		if (!c->is_init)
			continue;
		if (c->is_sidecar) {
			add_container(&work->sums, c, variant);
			add_container(&work->sidecars, c, variant);
			resource_sums_max(&work->peak, &work->sidecars);
		} else {
			resource_sums_clear(&work->moment);
			add_container(&work->moment, c, variant);
			resource_sums_add(&work->moment, &work->sidecars);
			resource_sums_max(&work->peak, &work->moment);
		}
	}
	resource_sums_max(&work->sums, &work->peak);
}

static void replace_by_pod_level(
	const struct pod_lists *pod, const struct variant *variant, struct resource_sums *sums)
{
	bool takes_used = variant->of_status && is_newer(pod);
	const struct resource_list *names = takes_used ? &pod->pod_used : &pod->pod_asked;
	for (uint32_t i = 0; i < names->count; i++) {
		struct resource_name *name = names->entries[i].name;
		const struct quantity *amount = &names->entries[i].amount;

		if (variant->of_status && !takes_used)
			amount = resource_list_find(&pod->pod_used, name);
		/* asked for, but neither there nor allocated (an infeasible resize): nothing */
		sums->amounts[name->index] = amount == NULL ? quantity_zero() : *amount;
		sums->has[name->index] = true;
	}
}

static void sum_containers(
	const struct pod_lists *pod, const struct variant *variant, struct work *work)
{
	bool has_init = false;

	resource_sums_clear(&work->sums);
	for (uint32_t i = 0; i < pod->container_count; i++) {
		has_init |= pod->containers[i].is_init;
		if (!pod->containers[i].is_init)
			add_container(&work->sums, &pod->containers[i], variant);
	}
	if (has_init)
		add_init_containers(pod, variant, work);
}

/* The largest of the three sums; leaves it in work->sums. */
static void sum_status(const struct pod_lists *pod, struct variant variant, struct work *work)
{
	static const uint8_t sources[] = {OF_SPEC, OF_ALLOCATED, OF_ACTUAL};
	resource_sums_clear(&work->largest);
	for (size_t i = 0; i < ARRAY_COUNT(sources); i++) {
		variant.source = sources[i];
		if (variant.source == OF_SPEC && pod->resize_infeasible)
			continue;
		if (variant.source != OF_SPEC && pod->has_all) {
			resource_sums_clear(&work->sums);
			resource_sums_add_list(&work->sums,
				variant.source == OF_ALLOCATED ? &pod->all_allocated
							       : &pod->all_actual);
		} else {
			sum_containers(pod, &variant, work);
		}
		resource_sums_max(&work->largest, &work->sums);
	}
	resource_sums_clear(&work->sums);
	resource_sums_max(&work->sums, &work->largest);
}

static void sum_up(const struct pod_lists *pod, struct variant variant, struct work *work)
{
	variant.source = variant.of_status ? OF_USED : OF_SPEC;
	if (variant.of_status && is_newer(pod))
		sum_status(pod, variant, work);
	else
		sum_containers(pod, &variant, work);
	if (variant.pod_level)
		replace_by_pod_level(pod, &variant, &work->sums);
	resource_sums_add_list(&work->sums, &pod->overhead);
}

/* ---- class ---- */

static void nonzero_build(
	const struct pod_lists *pod, struct work *work, struct kube_pod_template *class)
{
	struct variant variant = {.of_status = true, .pod_level = true, .defaults = DEFAULT_BOTH};
	const struct kube_resources *sums = &class->score;

	/* With requests of the whole pod only what no container asked for is filled in. */
	if (pod->pod_asked.count > 0) {
		variant.defaults = DEFAULT_BOTH & ~class->used.names;
		sums = &class->used;
	}
	if (pod->pod_asked.count > 0 ? variant.defaults == 0 : !pod->used_differs) {
		class->used_nonzero_cpu_milli = sums->cpu_milli;
		class->used_nonzero_memory_bytes = sums->memory_bytes;
		return;
	}
	sum_up(pod, variant, work);
	if (work->sums.has[RESOURCE_CPU])
		class->used_nonzero_cpu_milli = quantity_milli(&work->sums.amounts[RESOURCE_CPU]);
	if (work->sums.has[RESOURCE_MEMORY])
		class->used_nonzero_memory_bytes =
			quantity_value(&work->sums.amounts[RESOURCE_MEMORY]);
}

static void mentioned_build(const struct pod_lists *pod, struct kube_pod_template *class)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < RESOURCE_FIXED; i++)
		count += pod->names.fixed[i].id != 0;
	for (const struct resource_name *name = pod->names.first; name != NULL; name = name->next)
		count += name->is_mentioned && name->id != 0;
	uint32_t *ids = kube_build_array(pod->b, sizeof(*ids), count, &class->mentioned);
	if (ids == NULL)
		return;

	uint32_t at = 0;
	for (uint32_t i = 0; i < RESOURCE_FIXED; i++)
		if (pod->names.fixed[i].id != 0)
			ids[at++] = pod->names.fixed[i].id;
	for (const struct resource_name *name = pod->names.first; name != NULL; name = name->next)
		if (name->is_mentioned && name->id != 0)
			ids[at++] = name->id;
	CHECK(at == count);
	kube_sort(ids, sizeof(*ids), 1, count);
}

static void work_init(const struct pod_lists *pod, struct work *work)
{
	bool has_init = false;

	for (uint32_t i = 0; i < pod->container_count; i++)
		has_init |= pod->containers[i].is_init;
	*work = (struct work){.sums = {.count = 0}};
	resource_sums_init(&pod->names, &work->sums);
	if (is_newer(pod) && (pod->used_differs || pod->pod_asked.count > 0))
		resource_sums_init(&pod->names, &work->largest);
	if (!has_init)
		return;
	resource_sums_init(&pod->names, &work->sidecars);
	resource_sums_init(&pod->names, &work->moment);
	resource_sums_init(&pod->names, &work->peak);
}

void kube_pod_requests(struct kube_build *b, struct json_value pod, struct kube_pod_template *class)
{
	struct pod_members members;
	struct pod_lists lists = {.b = b};
	struct work work;

	resource_names_init(&lists.names, b);
	members_read(b, pod, &members);
	if (!kube_failed(b))
		lists_read(&lists, &members);
	if (kube_failed(b))
		return;
	work_init(&lists, &work);
	resource_names_intern(&lists.names);
	if (kube_failed(b))
		return;

	sum_up(&lists, (struct variant){.pod_level = true}, &work);
	resource_sums_build(&lists.names, &work.sums, &class->fit);
	class->used = class->fit;
	if (lists.used_differs) {
		sum_up(&lists, (struct variant){.of_status = true, .pod_level = true}, &work);
		resource_sums_build(&lists.names, &work.sums, &class->used);
	}
	class->score = class->fit;
	if (lists.lacks_a_default || lists.pod_asked.count > 0) {
		sum_up(&lists, (struct variant){.defaults = DEFAULT_BOTH}, &work);
		resource_sums_build(&lists.names, &work.sums, &class->score);
	}
	nonzero_build(&lists, &work, class);
	class->limit_cpu_milli = lists.limits[0];
	class->limit_memory_bytes = lists.limits[1];
	mentioned_build(&lists, class);
}
