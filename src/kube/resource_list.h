/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to kube/: maps of resource names to quantities, and their sums. The names of one object
 * are numbered as they come, so that a sum is an array. All of it lives in the builder's scratch.
 */
#ifndef BERTH_KUBE_RESOURCE_LIST_H
#define BERTH_KUBE_RESOURCE_LIST_H

#include "kube/decode.h"

enum resource_fixed { /* names that have members of their own in struct kube_resources */
	RESOURCE_CPU,
	RESOURCE_MEMORY,
	RESOURCE_STORAGE,
	RESOURCE_PODS,
	RESOURCE_FIXED
};

struct resource_entry;

struct resource_name {
	struct resource_name *next;
	struct resource_name *bucket_next;
	struct resource_entry *entry; /* where it was read last, ... */
	struct resource_entry *of;    /* ... in the list that begins there */
	struct text text;
	uint32_t index;
	uint32_t id;     /* set by resource_names_intern() */
	bool is_tracked; /* by kube_resource_is_tracked(); the fixed ones all */
	bool is_extended;
	bool is_pod_level; /* may stand in spec.resources */
	bool is_mentioned;
};

enum { RESOURCE_BUCKETS = 64 };

struct resource_names {
	struct kube_build *b;
	struct resource_name *buckets[RESOURCE_BUCKETS]; /* the others, by a hash of their text */
	struct resource_name fixed[RESOURCE_FIXED];
	struct resource_name *first; /* of the others */
	struct resource_name *last;
	uint32_t count; /* with the fixed ones */
	bool mentions;  /* names that are read now are mentioned */
};

void resource_names_init(struct resource_names *names, struct kube_build *b);
/* NULL when something failed (said in the builder). */
struct resource_name *resource_name_of(struct resource_names *names, struct text text);

/* One map as it stands in the object, without names that are not tracked. */
struct resource_entry {
	struct resource_name *name;
	struct quantity amount;
};
struct resource_list {
	struct resource_entry *entries;
	uint32_t count;
	uint32_t room;
	uint32_t has; /* bits by enum resource_fixed */
};

/* Empty, with room for `room` names. */
void resource_list_init(struct resource_names *names, uint32_t room, struct resource_list *list);
/* Adds the map's entries; of two with one name the last counts. Needs room for all of them. */
void resource_list_read(struct resource_names *names, struct json_value map, const char *field,
	struct resource_list *list);
struct quantity *resource_list_find(
	const struct resource_list *list, const struct resource_name *name);
/* The larger of each, also what is only in one. True when that changed something. */
bool resource_list_max(struct resource_list *list, const struct resource_list *other);

/* Sums by the index of the name; made when all names are known. */
struct resource_sums {
	struct quantity *amounts;
	bool *has;
	uint32_t count;
};

void resource_sums_init(const struct resource_names *names, struct resource_sums *sums);
void resource_sums_clear(struct resource_sums *sums);
void resource_sums_add_one(struct resource_sums *sums, uint32_t index, const struct quantity *q);
void resource_sums_add_list(struct resource_sums *sums, const struct resource_list *list);
void resource_sums_add(struct resource_sums *sums, const struct resource_sums *other);
void resource_sums_max(struct resource_sums *sums, const struct resource_sums *other);

/* Puts all tracked and mentioned names that are no fixed ones into the blob, once each. */
void resource_names_intern(struct resource_names *names);
/* The integers, rounded up, and the scalars in the order of their names' ids. */
void resource_sums_build(const struct resource_names *names, const struct resource_sums *sums,
	struct kube_resources *out);

#endif
