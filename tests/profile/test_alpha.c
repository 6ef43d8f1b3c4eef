/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles of v1alpha1 and v1alpha2. */
// deps: yaml/*.c profile/*.c
// deps: plugins/*.c cache/*.c kube/*.c json/*.c base/*.c tests/plugins/picture.c
// deps: dra/*.c cel/*.c
#include "profile/profile_fixture.h"

#define ALPHA(version, rest)                                    \
	"apiVersion: kubescheduler.config.k8s.io/" version "\n" \
	"kind: KubeSchedulerConfiguration\n" rest

/* What stands at the top there is a profile's today. */
static void test_v1alpha(void)
{
	struct plugin_profile *p = &profiles[0];
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(ALPHA("v1alpha1",
			"schedulerName: own\nhardPodAffinitySymmetricWeight: 7\n"
			"disablePreemption: true\nbindTimeoutSeconds: 30\n"
			"plugins: {score: {disabled: [{name: ImageLocality}]}}\n"
			"pluginConfig: [{name: PodTopologySpread, args: {defaultingType: List}}]\n"
			"algorithmSource: {provider: ClusterAutoscalerProvider}\n")));
	is_string("own", p->scheduler_name);
	TEST_ASSERT_EQUAL_STRING(
		"NodeResourcesBalancedAllocation=1 InterPodAffinity=1 NodeAffinity=1 "
		"NodePreferAvoidPods=10000 PodTopologySpread=2 TaintToleration=1 "
		"DynamicResources=2 NodeResourcesMostAllocated=1",
		show(&p->at[PLUGIN_AT_SCORE], true));
	TEST_ASSERT_EQUAL_STRING("DynamicResources", show(&p->at[PLUGIN_AT_POST_FILTER], false));
	TEST_ASSERT_EQUAL_INT32(
		7, PLUGIN_ARGS_OF(p, INTER_POD_AFFINITY, inter_pod_affinity_args)->hard_weight);
	TEST_ASSERT_EQUAL_INT64(
		30, PLUGIN_ARGS_OF(p, VOLUME_BINDING, volume_binding_args)->bind_timeout_seconds);
	TEST_ASSERT_EQUAL_UINT32(0, PLUGIN_ARGS_OF(p, SPREAD, spread_args)->constraint_count);
	/* A profile's own argument counts more, and each profile gets what was said for all. */
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(ALPHA("v1alpha2",
			"bindTimeoutSeconds: 30\nprofiles:\n- schedulerName: a\n  pluginConfig: "
			"[{name: VolumeBinding, args: {bindTimeoutSeconds: 5}}]\n- schedulerName: "
			"b\n")));
	TEST_ASSERT_EQUAL_INT64(
		5, PLUGIN_ARGS_OF(p, VOLUME_BINDING, volume_binding_args)->bind_timeout_seconds);
	TEST_ASSERT_EQUAL_INT64(30,
		PLUGIN_ARGS_OF(&profiles[1], VOLUME_BINDING, volume_binding_args)
			->bind_timeout_seconds);
	TEST_ASSERT_EQUAL_STRING(
		"DynamicResources DefaultPreemption", show(&p->at[PLUGIN_AT_POST_FILTER], false));
	TEST_ASSERT_EQUAL(PROFILE_OK, build(ALPHA("v1alpha1", "")));
	is_string("default-scheduler", p->scheduler_name);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_v1alpha);
	return UNITY_END();
}
