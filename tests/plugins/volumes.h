/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects that the tests of the volume plugins need again and again. ' stands for " as in
 * picture.h.
 */
#ifndef BERTH_TESTS_PLUGINS_VOLUMES_H
#define BERTH_TESTS_PLUGINS_VOLUMES_H

#include <unity.h>

#include "plugins/picture.h"
#include "plugins/volume_choice.h"

static inline void add_node(const char *name, const char *labels)
{
	picture_addf("{'kind':'Node','metadata':{'name':'%s','labels':{%s}}}", name, labels);
}

/* A pod with volumes; on a node, or pending when that is "". Its uid is its name. */
static inline void add_pod(const char *name, const char *node, const char *volumes)
{
	picture_addf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default','uid':'%s'},"
		     "'spec':{'nodeName':'%s','containers':[{'name':'c'}],'volumes':[%s]}}",
		name, name, node, volumes);
}

#define CLAIM(name)     "{'name':'v-" name "','persistentVolumeClaim':{'claimName':'" name "'}}"
#define EPHEMERAL(name) "{'name':'" name "','ephemeral':{'volumeClaimTemplate':{}}}"

/* metadata and spec: members to add, each with a comma behind it. */
static inline void add_claim(const char *name, const char *metadata, const char *spec)
{
	picture_addf("{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default',%s"
		     "'name':'%s','uid':'uid-%s'},'spec':{%s'volumeMode':'Filesystem'}}",
		metadata, name, name, spec);
}

/* A claim that is bound to the volume. */
static inline void add_bound_claim(const char *name, const char *volume)
{
	picture_addf("{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default',"
		     "'name':'%s','annotations':{'pv.kubernetes.io/bind-completed':'yes'}},"
		     "'spec':{'volumeName':'%s'},'status':{'phase':'Bound'}}",
		name, volume);
}

static inline void add_volume(const char *name, const char *metadata, const char *spec)
{
	picture_addf("{'kind':'PersistentVolume','metadata':{%s'name':'%s'},"
		     "'spec':{%s'accessModes':['ReadWriteOnce']},'status':{'phase':'Available'}}",
		metadata, name, spec);
}

#define CSI(driver, handle)   "'csi':{'driver':'" driver "','volumeHandle':'" handle "'},"
#define AFFINITY(terms)       "'nodeAffinity':{'required':{'nodeSelectorTerms':[" terms "]}},"
#define LABEL_IN(key, values) "{'key':'" key "','operator':'In','values':[" values "]}"
#define ON_NODES(values) \
	AFFINITY("{'matchExpressions':[" LABEL_IN("kubernetes.io/hostname", values) "]}")

static inline void add_class(const char *name, const char *provisioner, const char *more)
{
	picture_addf("{'kind':'StorageClass','metadata':{'name':'%s'},'provisioner':'%s',%s"
		     "'reclaimPolicy':'Delete'}",
		name, provisioner, more);
}
#define WAIT      "'volumeBindingMode':'WaitForFirstConsumer',"
#define IMMEDIATE "'volumeBindingMode':'Immediate',"

/* The node's CSINode; drivers as JSON, migrated the annotation's value. */
static inline void add_csi_node(const char *node, const char *migrated, const char *drivers)
{
	picture_addf("{'kind':'CSINode','metadata':{'name':'%s','annotations':"
		     "{'storage.alpha.kubernetes.io/migrated-plugins':'%s'}},"
		     "'spec':{'drivers':[%s]}}",
		node, migrated, drivers);
}
#define LIMIT(driver, count) "{'name':'" driver "','nodeID':'n','allocatable':{'count':" #count "}}"

/* Code and words in one. */
#define ASSERT_SAYS(expected_code, expected_words, actual)                   \
	do {                                                                 \
		enum plugin_code actual_code = (actual);                     \
		TEST_ASSERT_EQUAL_STRING(expected_words, picture_reasons()); \
		TEST_ASSERT_EQUAL(expected_code, actual_code);               \
	} while (0)

#define ASSERT_FAILS(expected_words, actual)                                      \
	do {                                                                      \
		TEST_ASSERT_EQUAL(PLUGIN_ERROR, actual);                          \
		TEST_ASSERT_EQUAL_STRING(expected_words, picture.decision.error); \
	} while (0)

/* A plugin that is short of memory says so, wherever it happens; with enough it goes on. */
static inline void try_all_scratches(
	enum plugin_code (*prefilter)(struct cycle_state *d, struct plugin_reasons *why),
	enum plugin_code (*filter)(
		struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why),
	const char *pod, const char *node)
{
	enum plugin_code good = prefilter(picture_decide("default", pod), NULL);
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, good);
	good = filter(&picture.decision, picture_view(node), NULL);
	TEST_ASSERT_NOT_EQUAL(PLUGIN_ERROR, good);
	uint32_t errors = 0;
	for (size_t size = 0;; size += 16) {
		struct cycle_state *d = picture_decide("default", pod);
		struct scratch little;
		scratch_init(&little, picture.work.base, size);
		d->scratch = &little;
		enum plugin_code code = prefilter(d, NULL);
		if (code == PLUGIN_SUCCESS)
			code = filter(d, picture_view(node), NULL);
		bool overflowed = little.overflowed;
		scratch_init(&picture.work, picture.work.base, picture.work.size);
		if (code != PLUGIN_ERROR) {
			TEST_ASSERT_EQUAL(good, code);
			TEST_ASSERT_FALSE(overflowed);
			break;
		}
		TEST_ASSERT_EQUAL_STRING(
			"not enough memory to decide about the pod's volumes", d->error);
		errors++;
	}
	TEST_ASSERT_TRUE(errors > 0);
}

#endif
