/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of a claim, sorted by the one node label that most of them ask for. */
#include "plugins/volume_match.h"

void volume_option_tie(
	const void *blob, struct kube_span requirements, struct volume_option *option)
{
	const struct kube_requirement *r = KUBE_AT(blob, requirements, struct kube_requirement);
	option->key = 0;
	option->value = 0;
	for (uint32_t i = 0; i < requirements.count; i++) {
		if (r[i].op != KUBE_IN || r[i].values.count != 1)
			continue;
		option->key = r[i].key;
		option->value = KUBE_AT(blob, r[i].values, uint32_t)[0];
		return;
	}
}

static bool option_before(const struct volume_option *a, const struct volume_option *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	if (a->value != b->value)
		return a->value < b->value;
	if (a->size != b->size)
		return a->size < b->size;
	return a->order < b->order;
}

static void option_swap(struct volume_option *a, struct volume_option *b)
{
	struct volume_option t = *a;
	*a = *b;
	*b = t;
}

/* Heap sort: the last entries come to the top of the heap first. */
static void option_sink(struct volume_option *list, uint32_t at, uint32_t count)
{
	for (;;) {
		uint32_t child = 2 * at + 1;
		if (child >= count)
			return;
		if (child + 1 < count && option_before(&list[child], &list[child + 1]))
			child++;
		if (!option_before(&list[at], &list[child]))
			return;
		option_swap(&list[at], &list[child]);
		at = child;
	}
}

static void options_sort(struct volume_option *list, uint32_t count)
{
	for (uint32_t i = count / 2; i-- > 0;)
		option_sink(list, i, count);
	for (uint32_t left = count; left > 1; left--) {
		option_swap(&list[0], &list[left - 1]);
		option_sink(list, 0, left - 1);
	}
}

bool volume_options_finish(struct volume_options *options, struct scratch *scratch)
{
	options_sort(options->list, options->count);
	uint32_t keys = 0;
	for (uint32_t i = 0; i < options->count; i++)
		keys += i == 0 || options->list[i].key != options->list[i - 1].key;
	options->groups = SCRATCH_ARRAY(scratch, struct volume_option_group, keys);
	if (options->groups == NULL)
		return false;
	options->group_count = 0;
	for (uint32_t i = 0; i < options->count; i++) {
		if (i == 0 || options->list[i].key != options->list[i - 1].key)
			options->groups[options->group_count++] =
				(struct volume_option_group){options->list[i].key, i, 0};
		options->groups[options->group_count - 1].count++;
	}
	CHECK(options->group_count == keys);
	return true;
}

/* The first option of the group with this value or a later one. */
static uint32_t options_find(const struct volume_options *options,
	const struct volume_option_group *group, uint32_t value)
{
	uint32_t low = group->first;
	uint32_t high = group->first + group->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (options->list[middle].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool option_is_better(const struct volume_option *a, const struct volume_option *best)
{
	if (best == NULL || a->size != best->size)
		return best == NULL || a->size < best->size;
	return a->order < best->order;
}

const struct volume_option *volume_options_best(const struct volume_options *options,
	const struct kube_labels *node_labels, volume_option_fn *fn, void *self)
{
	const struct volume_option *best = NULL;
	for (uint32_t g = 0; g < options->group_count; g++) {
		const struct volume_option_group *group = &options->groups[g];
		uint32_t end = group->first + group->count;
		uint32_t value = 0;
		if (group->key != 0 && !kube_labels_get(node_labels, group->key, &value))
			continue;
		for (uint32_t i = options_find(options, group, value); i < end; i++) {
			const struct volume_option *option = &options->list[i];
			if (option->value != value || !option_is_better(option, best))
				break;
			if (fn(self, option)) {
				best = option;
				break;
			}
		}
	}
	return best;
}
