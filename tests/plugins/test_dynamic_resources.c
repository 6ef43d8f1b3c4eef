/* SPDX-License-Identifier: GPL-2.0-only */
/* DynamicResources: a pod with resource claims is held back, and is told why. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
// deps: tests/plugins/questions.c
#include <unity.h>

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

#define NO_DEVICES "unresolvable: berth does not allocate devices: the pod has "

static void test_claims(void)
{
	static const struct {
		const char *claims;
		const char *verdict;
	} rows[] = {
		{"", "skip"},
		{"{'name':'c'}",
			"unresolvable: pod \"default/p\", spec.resourceClaim \"c\": none "
			"of the supported fields are set"},
		{"{'name':'c','resourceClaimTemplateName':'t'}",
			NO_DEVICES "a resource claim template"},
		{"{'name':'c','resourceClaimName':'gone'}",
			"unresolvable: could not find ResourceClaim \"default/gone\""},
		{"{'name':'c','resourceClaimName':'leaving'}",
			"unresolvable: resourceclaim \"leaving\" is being deleted"},
		{"{'name':'c','resourceClaimName':'there'}",
			NO_DEVICES "the resource claim \"there\""},
		{"{'name':'c','resourceClaimName':'elsewhere'}",
			"unresolvable: could not find ResourceClaim \"default/elsewhere\""},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		picture_add("{'kind':'Node','metadata':{'name':'n'}}");
		picture_add("{'kind':'ResourceClaim','metadata':{'name':'there'}}");
		picture_add("{'kind':'ResourceClaim','metadata':{'name':'leaving',"
			    "'deletionTimestamp':'2026-11-18T08:00:00Z'}}");
		picture_add("{'kind':'ResourceClaim','metadata':{'name':'elsewhere','namespace':"
			    "'other'}}");
		picture_addf(
			"{'kind':'Pod','metadata':{'name':'p'},'spec':{'resourceClaims':[%s]}}",
			rows[i].claims);
		TEST_ASSERT_EQUAL_STRING(
			rows[i].verdict, questions_verdict(PLUGIN_DYNAMIC_RESOURCES, "n"));
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_claims);
	return UNITY_END();
}
