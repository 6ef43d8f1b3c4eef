/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small picture of a cluster for tests of plugins: objects given as JSON go the program's own
 * way (cut, thinned, decoded, put into the cache), and a pod of it can be decided.
 *
 *	picture_start();
 *	picture_add("{'kind':'Node','metadata':{'name':'n1'}}");
 *	picture_add("{'kind':'Pod','metadata':{'name':'p'},'spec':{...}}");
 *	struct cycle_state *d = picture_decide("default", "p");
 *	code = some_filter(d, picture_view("n1"), picture_why());
 *	TEST_ASSERT_EQUAL_STRING("reason, other reason", picture_reasons());
 *	picture_end();
 *
 * ' stands for " in all JSON given here. Namespaced objects that name no namespace are in
 * "default"; a name is needed, all else may be left out.
 */
#ifndef BERTH_TESTS_PLUGINS_PICTURE_H
#define BERTH_TESTS_PLUGINS_PICTURE_H

#include <stdint.h>

#include "base/scratch.h"
#include "cache/cache.h"
#include "plugins/args.h"
#include "plugins/plugins.h"

struct picture {
	void *block;
	struct cache cache;
	struct scratch decode; /* of one object */
	struct scratch work;   /* of one decision */
	struct json_cut *cut;
	struct plugin_profile profile; /* all zero at first */
	struct plugin_reasons why;
	struct cache_view view;
	struct cycle_state decision;
	uint32_t added;                                   /* what the last object became */
	void (*changed)(const struct cache_event *event); /* called for each change when not NULL */
};

extern struct picture picture;

void picture_start(void);
/* The profile behaves as that release does, with its features; at first it is v1.36 with none. */
void picture_release(enum kube_release release);
void picture_end(
	void); /* audits the cache; nothing may be left of the interner but its own names */

/* Puts an object of any kind; its index among pods, nodes or objects. Faults fail the test. */
uint32_t picture_add(const char *json);
/* The same with a printf format. */
uint32_t picture_addf(const char *format, ...) PRINTF_LIKE(1, 2);
void picture_remove(enum kube_kind kind, const char *namespace, const char *name);
/* The change log; whoever changes the cache by itself calls it. */
void picture_work_off(void);

uint32_t picture_pod(const char *namespace, const char *name);
uint32_t picture_node(const char *name);

/* A decision about a pod of the picture, in fresh scratch; the one before ends. */
struct cycle_state *picture_decide(const char *namespace, const char *name);
/* The node as it is; one at a time. */
const struct cache_view *picture_view(const char *node);

/* Empty reasons to be filled; and what they are, joined by ", ". */
struct plugin_reasons *picture_why(void);
const char *picture_reasons(void);

#endif
