/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps of resource names to quantities.
 */
#include "kube/resource_list.h"

#include "base/hash.h"
#include "kube/pod_requests.h"
#include "kube/requirement.h"

/* ---- names ---- */

/*
 * What kube-scheduler does: besides the four it knows it counts extended resources (with a domain
 * that is not Kubernetes' own, and usable as a quota name), and of its own only huge pages,
 * attachable volumes and whatever stands below kubernetes.io/. Other names it does not see.
 */
static bool is_extended(struct text name)
{
	static const struct text quota = {"requests.", 9};
	char bytes[512]; /* a qualified name is shorter */
	struct writer w;

	if (text_find(name, '/') == name.size || text_contains(name, TEXT("kubernetes.io/")) ||
		text_starts(name, quota))
		return false;
	writer_init(&w, bytes, sizeof(bytes));
	write_text(&w, quota);
	write_text(&w, name);
	return !w.overflowed && kube_is_qualified_name(writer_text(&w));
}

bool kube_resource_is_tracked(struct text name, bool *extended)
{
	*extended = is_extended(name);
	return *extended || text_starts(name, TEXT("hugepages-")) ||
		text_starts(name, TEXT("attachable-volumes-")) ||
		text_contains(name, TEXT("kubernetes.io/"));
}

void resource_names_init(struct resource_names *names, struct kube_build *b)
{
	static const struct text fixed[] = {
		[RESOURCE_CPU] = {"cpu", 3},
		[RESOURCE_MEMORY] = {"memory", 6},
		[RESOURCE_STORAGE] = {"ephemeral-storage", 17},
		[RESOURCE_PODS] = {"pods", 4},
	};

	_Static_assert(ARRAY_COUNT(fixed) == RESOURCE_FIXED, "each has its text");
	*names = (struct resource_names){.b = b, .count = RESOURCE_FIXED};
	for (uint32_t i = 0; i < RESOURCE_FIXED; i++)
		names->fixed[i] = (struct resource_name){
			.text = fixed[i],
			.index = i,
			.is_tracked = true,
			.is_pod_level = i == RESOURCE_CPU || i == RESOURCE_MEMORY,
		};
}

static struct resource_name *name_add(struct resource_names *names, struct text text)
{
	if (names->count == KUBE_RESOURCE_NAMES_MAX) {
		kube_build_malformed(
			names->b, "resources", "more names than KUBE_RESOURCE_NAMES_MAX");
		return NULL;
	}
	struct resource_name *name = SCRATCH_ONE(names->b->scratch, struct resource_name);
	if (name == NULL) {
		kube_build_full(names->b);
		return NULL;
	}
	name->text = text;
	name->index = names->count++;
	name->is_tracked = kube_resource_is_tracked(text, &name->is_extended);
	name->is_pod_level = text_starts(text, TEXT("hugepages-"));
	if (names->last == NULL)
		names->first = name;
	else
		names->last->next = name;
	names->last = name;
	return name;
}

struct resource_name *resource_name_of(struct resource_names *names, struct text text)
{
	for (uint32_t i = 0; i < RESOURCE_FIXED; i++)
		if (text_is(names->fixed[i].text, text))
			return &names->fixed[i];
	struct resource_name **bucket =
		&names->buckets[hash_bytes(text.at, text.size) % RESOURCE_BUCKETS];
	for (struct resource_name *name = *bucket; name != NULL; name = name->bucket_next)
		if (text_is(name->text, text))
			return name;
	struct resource_name *name = name_add(names, text);
	if (name != NULL) {
		name->bucket_next = *bucket;
		*bucket = name;
	}
	return name;
}

/* ---- lists ---- */

void resource_list_init(struct resource_names *names, uint32_t room, struct resource_list *list)
{
	*list = (struct resource_list){.room = room};
	if (room == 0)
		return;
	list->entries = SCRATCH_ARRAY(names->b->scratch, struct resource_entry, room);
	if (list->entries == NULL) {
		list->room = 0;
		kube_build_full(names->b);
	}
}

struct quantity *resource_list_find(
	const struct resource_list *list, const struct resource_name *name)
{
	if (name->index < RESOURCE_FIXED && (list->has & 1u << name->index) == 0)
		return NULL;
	for (uint32_t i = 0; i < list->count; i++)
		if (list->entries[i].name == name)
			return &list->entries[i].amount;
	return NULL;
}

static struct quantity *list_append(struct resource_list *list, struct resource_name *name)
{
	CHECK(list->count < list->room);
	struct resource_entry *entry = &list->entries[list->count++];

	entry->name = name;
	if (name->index < RESOURCE_FIXED)
		list->has |= 1u << name->index;
	return &entry->amount;
}

/* A null is a quantity of 0 here, and white space around one is cut off. */
static bool amount_read(
	struct kube_build *b, struct json_value v, const char *field, struct quantity *amount)
{
	enum json_type type = json_type(v);

	*amount = quantity_zero();
	if (type == JSON_NULL)
		return true;
	if (type != JSON_STRING && type != JSON_NUMBER) {
		kube_build_malformed(b, field, "not a quantity");
		return false;
	}
	enum quantity_result result = quantity_parse(text_trim(json_scalar(v)), amount);
	if (result != QUANTITY_OK)
		kube_build_malformed(b, field, quantity_error(result));
	return result == QUANTITY_OK;
}

void resource_list_read(struct resource_names *names, struct json_value map, const char *field,
	struct resource_list *list)
{
	struct json_walk walk = kube_read_object(names->b, map, field);
	struct quantity amount;

	while (!kube_failed(names->b) && json_walk_next(&walk)) {
		struct resource_name *name = resource_name_of(names, walk.key);

		if (name == NULL || !amount_read(names->b, walk.value, field, &amount))
			return;
		name->is_mentioned |= names->mentions;
		if (!name->is_tracked)
			continue;
		if (name->of != list->entries) {
			(void)list_append(list, name);
			name->entry = &list->entries[list->count - 1];
			name->of = list->entries;
		}
		name->entry->amount = amount;
	}
}

bool resource_list_max(struct resource_list *list, const struct resource_list *other)
{
	bool changed = false;

	for (uint32_t i = 0; i < other->count; i++) {
		const struct resource_entry *entry = &other->entries[i];
		struct quantity *amount = resource_list_find(list, entry->name);

		if (amount == NULL) {
			*list_append(list, entry->name) = entry->amount;
			changed = true;
		} else if (quantity_compare(&entry->amount, amount) > 0) {
			quantity_max(amount, &entry->amount);
			changed = true;
		}
	}
	return changed;
}

/* ---- sums ---- */

void resource_sums_init(const struct resource_names *names, struct resource_sums *sums)
{
	*sums = (struct resource_sums){
		.amounts = SCRATCH_ARRAY(names->b->scratch, struct quantity, names->count),
		.has = SCRATCH_ARRAY(names->b->scratch, bool, names->count),
		.count = names->count,
	};
	if (sums->has == NULL) {
		sums->count = 0;
		kube_build_full(names->b);
	}
}

void resource_sums_clear(struct resource_sums *sums)
{
	for (uint32_t i = 0; i < sums->count; i++)
		sums->has[i] = false;
}

void resource_sums_add_one(struct resource_sums *sums, uint32_t index, const struct quantity *q)
{
	CHECK(index < sums->count);
	if (sums->has[index])
		quantity_add(&sums->amounts[index], q);
	else
		sums->amounts[index] = *q;
	sums->has[index] = true;
}

void resource_sums_add_list(struct resource_sums *sums, const struct resource_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		resource_sums_add_one(sums, list->entries[i].name->index, &list->entries[i].amount);
}

void resource_sums_add(struct resource_sums *sums, const struct resource_sums *other)
{
	for (uint32_t i = 0; i < other->count; i++)
		if (other->has[i])
			resource_sums_add_one(sums, i, &other->amounts[i]);
}

void resource_sums_max(struct resource_sums *sums, const struct resource_sums *other)
{
	CHECK(sums->count == other->count);
	for (uint32_t i = 0; i < other->count; i++) {
		if (!other->has[i])
			continue;
		if (sums->has[i])
			quantity_max(&sums->amounts[i], &other->amounts[i]);
		else
			sums->amounts[i] = other->amounts[i];
		sums->has[i] = true;
	}
}

/* ---- building ---- */

void resource_names_intern(struct resource_names *names)
{
	for (uint32_t i = 0; i < RESOURCE_FIXED; i++)
		if (names->fixed[i].is_mentioned)
			names->fixed[i].id = kube_build_string(names->b, names->fixed[i].text);
	for (struct resource_name *name = names->first; name != NULL; name = name->next)
		if (name->is_tracked || name->is_mentioned)
			name->id = kube_build_string(names->b, name->text);
}

static void scalars_build(const struct resource_names *names, const struct resource_sums *sums,
	struct kube_span *span)
{
	uint32_t count = 0;

	for (uint32_t i = RESOURCE_FIXED; i < sums->count; i++)
		count += sums->has[i];
	struct kube_scalar *scalars = kube_build_array(names->b, sizeof(*scalars), count, span);
	if (scalars == NULL)
		return;

	uint32_t at = 0;
	for (const struct resource_name *name = names->first; name != NULL; name = name->next)
		if (sums->has[name->index])
			scalars[at++] = (struct kube_scalar){
				.name = name->id,
				.is_extended = name->is_extended,
				.value = quantity_value(&sums->amounts[name->index]),
			};
	CHECK(at == count);
	kube_sort(scalars, sizeof(*scalars), 1, count);
}

void resource_sums_build(const struct resource_names *names, const struct resource_sums *sums,
	struct kube_resources *out)
{
	*out = (struct kube_resources){.names = 0};
	if (kube_failed(names->b))
		return;
	CHECK(sums->count == names->count);
	if (sums->has[RESOURCE_CPU])
		out->cpu_milli = quantity_milli(&sums->amounts[RESOURCE_CPU]);
	if (sums->has[RESOURCE_MEMORY])
		out->memory_bytes = quantity_value(&sums->amounts[RESOURCE_MEMORY]);
	if (sums->has[RESOURCE_STORAGE])
		out->storage_bytes = quantity_value(&sums->amounts[RESOURCE_STORAGE]);
	for (uint32_t i = RESOURCE_CPU; i <= RESOURCE_STORAGE; i++)
		out->names |= sums->has[i] ? 1u << i : 0;
	scalars_build(names, sums, &out->scalars);
}

void kube_resource_list(
	struct kube_build *b, struct json_value map, const char *field, struct kube_resources *out)
{
	struct resource_names names;
	struct resource_list list;
	struct resource_sums sums;

	*out = (struct kube_resources){.names = 0};
	resource_names_init(&names, b);
	resource_list_init(&names, json_count(map), &list);
	resource_list_read(&names, map, field, &list);
	resource_sums_init(&names, &sums);
	if (kube_failed(b))
		return;
	resource_sums_add_list(&sums, &list);
	resource_names_intern(&names);
	resource_sums_build(&names, &sums, out);
	if (sums.has[RESOURCE_PODS])
		out->pods = quantity_value(&sums.amounts[RESOURCE_PODS]);
}
