/* SPDX-License-Identifier: GPL-2.0-only */
/* Devices: slices, classes, claims and rules of taints. */
// deps: base/*.c json/*.c kube/*.c
#include "kube/one_object.h"

#include "kube/resource.h"

#define CLAIM(devices, status) META ",\"spec\":{\"devices\":{" devices "}},\"status\":{" status "}}"
#define SLICE(spec)            META ",\"spec\":{\"driver\":\"d\"," spec "}}"

static void test_claim_when_full_then_all_is_read(void)
{
	const struct kube_claim *claim = decode_full(KUBE_RESOURCE_CLAIM);
	const struct kube_device_request *requests =
		KUBE_AT(claim, claim->requests, struct kube_device_request);
	const struct kube_device_ask *ask =
		KUBE_AT(claim, requests[0].asks, struct kube_device_ask);
	fixture_is("u-claim", claim->uid);
	fixture_is("o1", claim->owner_uid);
	TEST_ASSERT_EQUAL(1, claim->deleting);
	TEST_ASSERT_EQUAL(1, claim->allocated);
	TEST_ASSERT_EQUAL(1, claim->is_extended);
	TEST_ASSERT_EQUAL(0, claim->has_finalizer);
	TEST_ASSERT_EQUAL(2, claim->requests.count);
	fixture_is("gpu", ask->class_name);
	TEST_ASSERT_EQUAL(2, ask->count);
	TEST_ASSERT_EQUAL(1, ask->admin);
	TEST_ASSERT_EQUAL(1, ask->tolerations.count);
	fixture_is("1Gi", KUBE_AT(claim, ask->capacity, struct kube_amount)->value);
	fixture_is("device.driver == 'd'", *KUBE_AT(claim, ask->selectors, uint32_t));
	TEST_ASSERT_EQUAL(1, requests[1].is_list);
	ask = KUBE_AT(claim, requests[1].asks, struct kube_device_ask);
	TEST_ASSERT_EQUAL(KUBE_DEVICES_ALL, ask->mode);
	fixture_is("s0", ask->name);
	const struct kube_device_constraint *constraints =
		KUBE_AT(claim, claim->constraints, struct kube_device_constraint);
	TEST_ASSERT_EQUAL(KUBE_CONSTRAINT_MATCH, constraints[0].kind);
	TEST_ASSERT_EQUAL(KUBE_CONSTRAINT_DISTINCT, constraints[1].kind);
	fixture_is("{\"driver\":\"d\",\"parameters\":{\"a\":1}}",
		KUBE_AT(claim, claim->configs, struct kube_device_config)->opaque);
	const struct kube_device_result *result =
		KUBE_AT(claim, claim->allocation.results, struct kube_device_result);
	fixture_is("dev-0", result->device);
	fixture_is("s-1", result->share);
	TEST_ASSERT_EQUAL_INT64(INT64_C(1794988800000000), claim->allocation.allocated_us);
	fixture_is("u-p", KUBE_AT(claim, claim->reserved_for, struct kube_consumer)->uid);
	const struct kube_device_condition *condition =
		KUBE_AT(claim, claim->conditions, struct kube_device_condition);
	fixture_is("ready", condition->type);
	TEST_ASSERT_EQUAL(1, condition->is_true);
}

static void test_claim_when_little_is_there_then_defaults(void)
{
	const struct kube_claim *claim = decode(KUBE_RESOURCE_CLAIM,
		CLAIM("\"requests\":[{\"name\":\"r\"}]", "\"allocation\":null"));
	TEST_ASSERT_EQUAL(0, claim->allocated);
	TEST_ASSERT_EQUAL(
		0, KUBE_AT(claim, claim->requests, struct kube_device_request)->asks.count);
	claim = decode(KUBE_RESOURCE_CLAIM, META ",\"status\":{\"allocation\":{}}}");
	TEST_ASSERT_EQUAL(1, claim->allocated);
	claim = decode(KUBE_RESOURCE_CLAIM,
		CLAIM("\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"c\"}}]",
			""));
	const struct kube_device_request *request =
		KUBE_AT(claim, claim->requests, struct kube_device_request);
	TEST_ASSERT_EQUAL(1, KUBE_AT(claim, request->asks, struct kube_device_ask)->count);
}

static void test_claim_when_v1beta1_then_the_request_itself_is_the_exact_one(void)
{
	const struct kube_claim *claim = decode(KUBE_RESOURCE_CLAIM,
		CLAIM("\"requests\":[{\"name\":\"r\",\"deviceClassName\":\"gpu\","
		      "\"allocationMode\":"
		      "\"ExactCount\",\"count\":3}]",
			""));
	const struct kube_device_request *request =
		KUBE_AT(claim, claim->requests, struct kube_device_request);
	const struct kube_device_ask *ask = KUBE_AT(claim, request->asks, struct kube_device_ask);
	TEST_ASSERT_EQUAL(0, request->is_list);
	TEST_ASSERT_EQUAL(3, ask->count);
	fixture_is("gpu", ask->class_name);
}

static void test_claims_when_they_ask_for_the_same_then_of_one_shape(void)
{
#define ASK "\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"gpu\"}}]"
	struct kube_object one = fixture_decode(KUBE_RESOURCE_CLAIM,
		"{\"metadata\":{\"name\":\"a\"},\"spec\":{\"devices\":{" ASK "}}}");
	struct kube_object other = fixture_decode(KUBE_RESOURCE_CLAIM,
		"{\"metadata\":{\"name\":\"b\",\"uid\":\"u\"},\"spec\":{\"devices\":{" ASK
		"}},\"status\":{\"allocation\":{}}}");
	struct kube_object third = fixture_decode(KUBE_RESOURCE_CLAIM,
		"{\"metadata\":{\"name\":\"a\"},\"spec\":{\"devices\":{" ASK
		",\"constraints\":[{\"matchAttribute\":\"d/x\"}]}}}");
	const struct kube_claim *a = (const void *)one.blob;
	const struct kube_claim *b = (const void *)other.blob, *c = (const void *)third.blob;
	TEST_ASSERT_EQUAL(a->shape.requests, b->shape.requests);
	TEST_ASSERT_EQUAL(a->shape.constraints, b->shape.constraints);
	TEST_ASSERT_EQUAL(a->shape.requests, c->shape.requests);
	TEST_ASSERT_NOT_EQUAL(a->shape.constraints, c->shape.constraints);
	fixture_drop(&one);
	fixture_drop(&other);
	fixture_drop(&third);
}

static void test_slice_when_full_then_all_is_read(void)
{
	const struct kube_slice *slice = decode_full(KUBE_RESOURCE_SLICE);
	const struct kube_device *devices = KUBE_AT(slice, slice->devices, struct kube_device);
	const struct kube_attribute *attributes =
		KUBE_AT(slice, devices[0].attributes, struct kube_attribute);
	fixture_is("d", slice->driver);
	fixture_is("p", slice->pool);
	TEST_ASSERT_EQUAL(3, slice->generation);
	TEST_ASSERT_EQUAL(2, slice->slice_count);
	TEST_ASSERT_EQUAL(1, slice->has_counters);
	TEST_ASSERT_EQUAL(4, devices[0].attributes.count);
	fixture_is("a1", (uint32_t)attributes[0].value);
	TEST_ASSERT_EQUAL(KUBE_ATTRIBUTE_VERSION, attributes[1].kind);
	TEST_ASSERT_EQUAL_INT64(4, attributes[2].value);
	TEST_ASSERT_EQUAL(KUBE_ATTRIBUTE_BOOL, attributes[3].kind);
	const struct kube_device_more *more = kube_device_more(slice, &devices[0]);
	TEST_ASSERT_EQUAL(1, more->is_shared);
	TEST_ASSERT_EQUAL(1, more->has_conditions);
	TEST_ASSERT_EQUAL(1, more->taints.count);
	TEST_ASSERT_EQUAL(1, more->consumes.count);
	TEST_ASSERT_NULL(kube_device_more(slice, &devices[1]));
	TEST_ASSERT_EQUAL(1, devices[1].attributes.count); /* of v1beta1's basic */
}

/* What eight devices with five attributes and a capacity each cost, with the words they share. */
static void test_slice_when_usual_then_small(void)
{
	static char json[16384];
	struct writer out;
	writer_init(&out, json, sizeof(json) - 1);
	write_z(&out,
		META ",\"spec\":{\"driver\":\"gpu.example.com\",\"pool\":{\"name\":\"node-1\","
		     "\"generation\":1,\"resourceSliceCount\":1},\"nodeName\":\"node-1\","
		     "\"devices\":[");
	for (int i = 0; i < 8; i++)
		write_format(&out,
			"%s{\"name\":\"gpu-%d\",\"attributes\":{\"model\":{\"string\":\"a1\"},"
			"\"driverVersion\":{\"version\":\"1.2.3\"},\"numa\":{\"int\":%d},\"ecc\":{"
			"\"bool\":true},\"uuid\":{\"string\":\"GPU-%d\"}},\"capacity\":{\"memory\":"
			"{"
			"\"value\":\"16Gi\"}}}",
			i == 0 ? "" : ",", i, i / 4, i);
	write_z(&out, "]}}");
	json[out.used] = '\0';
	const struct kube_slice *slice = decode(KUBE_RESOURCE_SLICE, json);
	TEST_ASSERT_EQUAL(8, slice->devices.count);
	TEST_ASSERT_LESS_THAN(200 * 8, slice->blob.size);
}

/* A slice with more than any apiserver lets through costs itself only. */
static void test_slice_when_ten_thousand_devices_then_refused(void)
{
	size_t size = 10000 * 64 + 256;
	char *json = malloc(size);
	struct writer out;
	TEST_ASSERT_NOT_NULL(json);
	writer_init(&out, json, size);
	write_z(&out, META ",\"spec\":{\"driver\":\"d\",\"devices\":[");
	for (int i = 0; i < 10000; i++)
		write_format(&out, "%s{\"name\":\"d%d\"}", i == 0 ? "" : ",", i);
	write_z(&out, "]}}");
	enum json_parse_result parsed =
		json_parse(writer_text(&out), &fixture.scratch, &fixture.root);
	if (parsed == JSON_PARSED)
		TEST_ASSERT_NOT_EQUAL(KUBE_OK, fixture_try(KUBE_RESOURCE_SLICE, fixture.root));
	free(json);
}

static void test_slice_when_a_quantity_is_absurd_then_malformed(void)
{
	FIXTURE_FAULTS(KUBE_RESOURCE_SLICE,
		{SLICE("\"sharedCounters\":[{\"name\":\"s\",\"counters\":{\"c\":{\"value\":\"x\"}}}"
		       "]"),
			"spec.sharedCounters"},
		{SLICE("\"devices\":[{\"name\":\"d\",\"capacity\":{\"c\":{\"value\":\"1e999\"}}}]"),
			"spec.devices.capacity"});
}

static void test_class_and_rule_when_full_then_all_is_read(void)
{
	const struct kube_device_class *class = decode_full(KUBE_DEVICE_CLASS);
	fixture_is("example.com/dev", class->extended_resource);
	fixture_is("class", class->name);
	TEST_ASSERT_EQUAL(1, class->selectors.count);
	TEST_ASSERT_EQUAL(1, class->configs.count);
	TEST_ASSERT_EQUAL_INT64(INT64_C(1794985200000000), class->created_us);
	class = decode(KUBE_DEVICE_CLASS, META "}");
	TEST_ASSERT_EQUAL(0, class->extended_resource);
	TEST_ASSERT_EQUAL(0, class->created_us);
	const struct kube_taint_rule *rule = decode_full(KUBE_TAINT_RULE);
	fixture_is("d", rule->driver);
	fixture_is("broken", rule->taint.key);
	TEST_ASSERT_EQUAL(KUBE_NO_EXECUTE, rule->taint.effect);
	drop();
	FIXTURE_FAULTS(KUBE_DEVICE_CLASS,
		{"{\"metadata\":{\"name\":\"x\",\"creationTimestamp\":\"now\"}}",
			"metadata.creationTimestamp"});
}

static void test_allocated_when_built_then_as_in_a_claim(void)
{
	struct json_value v = fixture_json(
		"{\"devices\":{\"results\":[{\"request\":\"r\",\"driver\":\"d\",\"pool\":\"p\","
		"\"device\":\"x\"}]}}",
		NULL);
	struct kube_allocated *allocated = kube_allocated_build(&fixture.b, v);
	TEST_ASSERT_NOT_NULL(allocated);
	TEST_ASSERT_EQUAL(1, allocated->allocation.results.count);
	TEST_ASSERT_TRUE(text_is(json_raw(v), intern_text(&fixture.strings, allocated->json)));
	kube_blob_drop(&allocated->blob, &fixture.strings);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_claim_when_full_then_all_is_read);
	RUN_TEST(test_claim_when_little_is_there_then_defaults);
	RUN_TEST(test_claim_when_v1beta1_then_the_request_itself_is_the_exact_one);
	RUN_TEST(test_claims_when_they_ask_for_the_same_then_of_one_shape);
	RUN_TEST(test_slice_when_full_then_all_is_read);
	RUN_TEST(test_slice_when_usual_then_small);
	RUN_TEST(test_slice_when_ten_thousand_devices_then_refused);
	RUN_TEST(test_slice_when_a_quantity_is_absurd_then_malformed);
	RUN_TEST(test_class_and_rule_when_full_then_all_is_read);
	RUN_TEST(test_allocated_when_built_then_as_in_a_claim);
	return UNITY_END();
}
