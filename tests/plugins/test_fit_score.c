/* SPDX-License-Identifier: GPL-2.0-only */
/* NodeResourcesFit and NodeResourcesBalancedAllocation, the scores. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/questions.c
// deps: yaml/*.c profile/*.c
#include <unity.h>

#include "profile/profile.h"
#include "plugins/picture.h"
#include "plugins/questions.h"

void setUp(void)
{
	picture_start();
}

void tearDown(void)
{
	picture_end();
}

static void add(const char *requests)
{
	profile_defaults(&picture.cache, &picture.profile);
	picture_add("{'kind':'Node','metadata':{'name':'n1'},'status':{'allocatable':"
		    "{'pods':'9','cpu':'4','memory':'8Gi'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'n2'},'status':{'allocatable':"
		    "{'pods':'9','cpu':'2','memory':'8Gi'}}}");
	picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},'spec':"
		     "{'containers':[{'name':'c','resources':{'requests':{%s}}}]}}",
		requests);
}

static void test_strategies(void)
{
	add("'cpu':'1','memory':'2Gi'");
	struct fit_args *fit = PLUGIN_ARGS_OF(&picture.profile, FIT, fit_args);
	TEST_ASSERT_EQUAL_STRING("75 62", questions_scores(PLUGIN_FIT));
	fit->strategy = FIT_MOST_ALLOCATED;
	TEST_ASSERT_EQUAL_STRING("25 37", questions_scores(PLUGIN_FIT));
	fit->strategy = FIT_REQUESTED_TO_CAPACITY_RATIO;
	fit->shape.points[0] = (struct plugin_shape_point){0, 0};
	fit->shape.points[1] = (struct plugin_shape_point){100, 10};
	fit->shape.count = 2;
	TEST_ASSERT_EQUAL_STRING("25 38", questions_scores(PLUGIN_FIT));
	fit->shape.points[0] = (struct plugin_shape_point){25, 10};
	fit->shape.points[1] = (struct plugin_shape_point){50, 4};
	TEST_ASSERT_EQUAL_STRING("100 70", questions_scores(PLUGIN_FIT));
}

/* Where a node has none of a resource itself, the devices of its class count. */
static void test_devices_that_stand_for_a_resource(void)
{
	add("'cpu':'1','example.com/dev':'1'");
	picture_add("{'kind':'DeviceClass','metadata':{'name':'any'},'spec':{'selectors':[{'cel':{"
		    "'expression':'device.driver == \\'d\\''}}],'extendedResourceName':"
		    "'example.com/dev'}}");
	picture_add("{'kind':'ResourceSlice','metadata':{'name':'s1'},'spec':{'driver':'d',"
		    "'nodeName':'n1','pool':{'name':'n1','generation':1,'resourceSliceCount':1},"
		    "'devices':[{'name':'a'},{'name':'b'},{'name':'e'},{'name':'f'}]}}");
	picture_add("{'kind':'ResourceSlice','metadata':{'name':'s2'},'spec':{'driver':'d',"
		    "'nodeName':'n2','pool':{'name':'n2','generation':1,'resourceSliceCount':1},"
		    "'devices':[{'name':'a'}]}}");
	picture_add("{'kind':'ResourceSlice','metadata':{'name':'x'},'spec':{'driver':'x',"
		    "'allNodes':true,'pool':{'name':'x','generation':1,'resourceSliceCount':1},"
		    "'devices':[{'name':'a'}]}}");
	picture_add("{'kind':'ResourceClaim','metadata':{'name':'c'},'spec':{'devices':{"
		    "'requests':[]}},'status':{'allocation':{'devices':{'results':[{'request':"
		    "'r','driver':'d','pool':'n1','device':'b'}]}}}}");
	struct fit_args *fit = PLUGIN_ARGS_OF(&picture.profile, FIT, fit_args);
	fit->resource_count = 1;
	fit->resources[0].weight = 1;
	TEST_ASSERT_TRUE(intern_find(
		&picture.cache.strings, TEXT("example.com/dev"), &fit->resources[0].name));
	TEST_ASSERT_EQUAL_STRING("50 0", questions_scores(PLUGIN_FIT));
	fit->strategy = FIT_MOST_ALLOCATED;
	TEST_ASSERT_EQUAL_STRING("50 100", questions_scores(PLUGIN_FIT));
	picture.profile.gates = (struct feature_gates){.release = KUBE_1_36};
	TEST_ASSERT_EQUAL_STRING("0 0", questions_scores(PLUGIN_FIT));
}

static void test_balanced(void)
{
	add("'cpu':'1','memory':'2Gi'");
	TEST_ASSERT_EQUAL_STRING("75 68", questions_scores(PLUGIN_BALANCED));
}

static void test_without_requests(void)
{
	add("");
	TEST_ASSERT_EQUAL_STRING("97 96", questions_scores(PLUGIN_FIT)); /* as if 100m and 200Mi */
	TEST_ASSERT_EQUAL_STRING("skip", questions_scores(PLUGIN_BALANCED));
}

/* A third resource, that one of the nodes does not have: there it does not count. */
static void test_three_resources(void)
{
	profile_defaults(&picture.cache, &picture.profile);
	picture_add("{'kind':'Node','metadata':{'name':'n1'},'status':{'allocatable':"
		    "{'pods':'9','cpu':'4','memory':'8Gi','example.com/gpu':'4'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'n2'},'status':{'allocatable':"
		    "{'pods':'9','cpu':'2','memory':'8Gi'}}}");
	picture_add("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},'spec':"
		    "{'containers':[{'name':'c','resources':{'requests':{'cpu':'1',"
		    "'memory':'2Gi','example.com/gpu':'2'}}}]}}");
	uint32_t gpu;
	TEST_ASSERT_TRUE(intern_find(&picture.cache.strings, TEXT("example.com/gpu"), &gpu));
	struct plugin_profile *profile = &picture.profile;
	PLUGIN_ARGS_OF(profile, FIT, fit_args)->resources[2] =
		(struct plugin_resource_weight){gpu, 3};
	PLUGIN_ARGS_OF(profile, FIT, fit_args)->resource_count = 3;
	PLUGIN_ARGS_OF(profile, BALANCED, balanced_args)->resources[2] =
		(struct plugin_resource_weight){gpu, 1};
	PLUGIN_ARGS_OF(profile, BALANCED, balanced_args)->resource_count = 3;
	/* (75 + 75 + 3 * 50) / 5; (50 + 75) / 2 */
	TEST_ASSERT_EQUAL_STRING("60 62", questions_scores(PLUGIN_FIT));
	PLUGIN_ARGS_OF(profile, FIT, fit_args)->strategy = FIT_MOST_ALLOCATED;
	TEST_ASSERT_EQUAL_STRING("40 37", questions_scores(PLUGIN_FIT));
	/* Deviation of 1/4, 1/4, 1/2: 0.1178; half the distance of 1/2 and 1/4 */
	TEST_ASSERT_EQUAL_STRING("69 68", questions_scores(PLUGIN_BALANCED));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_strategies);
	RUN_TEST(test_devices_that_stand_for_a_resource);
	RUN_TEST(test_balanced);
	RUN_TEST(test_three_resources);
	RUN_TEST(test_without_requests);
	return UNITY_END();
}
