/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cache of any size for tests of the cache itself: objects are JSON with ' for ", every change
 * is followed by an audit, and at the end nothing may be left.
 *
 *	bed_start(NULL);
 *	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n1", "'zone':'a'"));
 *	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n1", "'app':'a'", "100m"));
 *	bed_end();
 */
#ifndef BERTH_TESTS_CACHE_BED_H
#define BERTH_TESTS_CACHE_BED_H

#include "base/scratch.h"
#include "cache/cache.h"
#include "cache/feed.h"

enum { BED_POOLS = 10 };

struct bed {
	void *block;
	struct cache cache;
	struct scratch decode; /* of one object */
	struct scratch work;   /* of queries and recounts */
	struct cache_fed fed;  /* what became of the last object */
	uint64_t baseline[BED_POOLS];
	struct cache_tally tally;
};

extern struct bed bed;

void bed_start(const struct cache_limits *limits); /* NULL: room for everything, no change log */
const struct cache_limits *bed_roomy(void);
/* Removes everything and gives up counters; all pools must be as after bed_start(). */
void bed_clear(void);
void bed_end(void);
void bed_audit(void);

/* A pod of that name in "default", as bed_pod() puts it, that is in no cache. */
void bed_decode_pod(const char *name, struct kube_pod *pod);
/* The object, of the kind that it names; CACHE_FULL also when there was no room to decode it. */
enum cache_result bed_put(const char *json);
enum cache_result bed_putf(const char *format, ...) PRINTF_LIKE(1, 2);
/* Removes it; CACHE_UNKNOWN when it is not there. */
enum cache_result bed_remove(enum kube_kind kind, const char *namespace, const char *name);

/* Short ways; labels are JSON members. */
enum cache_result bed_node(const char *name, const char *labels);
/* In "default", its uid is its name; node "" is pending. */
enum cache_result bed_pod(const char *name, const char *node, const char *labels, const char *cpu);
enum cache_result bed_assume(const char *pod, const char *node);
enum cache_result bed_forget(const char *pod);

/* Never 0 and never NULL: a missing one fails the test. */
uint32_t bed_pod_index(const char *name);
uint32_t bed_node_index(const char *name);
struct cache_pod *bed_pod_of(const char *name);
struct cache_node *bed_node_of(const char *name);
uint32_t bed_id(const char *text); /* of a string that is known */

/*
 * Pods of "default" that the selector of the service matches, by topology key ("": by node).
 * Fast and recounted must agree; bed.tally is the fast one.
 */
void bed_count(const char *service, const char *key);
/* How many of them the last bed_count() found in the node's domain. */
int32_t bed_counted(const char *node);

#endif
