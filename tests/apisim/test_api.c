/* SPDX-License-Identifier: GPL-2.0-only */
/* The API: what is answered, as kube-apiserver v1.36 answered the same. */
// deps: base/*.c json/*.c kube/time.c kube/duration.c tools/apisim/api*.c
// deps: tools/apisim/tree.c tools/apisim/merge.c tools/apisim/registry.c
// deps: tools/apisim/resources.c tools/apisim/selection.c tests/apisim/desk.c
#include "apisim/desk.h"

#include <stdio.h>
#include <stdlib.h>

#include <unity.h>

#define POD(name)                                                                \
	"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name \
	"\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"pause:3.10\"}]}}"
#define NODE(name, zone)                                                          \
	"{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name \
	"\",\"labels\":{\"topology.kubernetes.io/zone\":\"" zone "\"}}}"
#define PODS   "/api/v1/namespaces/default/pods"
#define LEASES "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"

static struct desk *desk;

void setUp(void)
{
	desk = calloc(1, sizeof(*desk));
	desk_open(desk, 1000);
}

void tearDown(void)
{
	desk_close(desk);
	free(desk);
}

static void expect(int status, const char *method, const char *path, const char *body)
{
	int got = desk_ask(desk, method, path, body);

	TEST_ASSERT_EQUAL_INT_MESSAGE(status, got, desk->body);
}

static void expect_value(const char *value, const char *dotted)
{
	TEST_ASSERT_EQUAL_STRING(value, desk_value(desk, dotted));
}

static void expect_part(const char *part)
{
	TEST_ASSERT_TRUE_MESSAGE(desk_has(desk, part), desk->body);
}

/* ---- binding ---- */

static void bind(int status, const char *pod, const char *uid, const char *node)
{
	char path[128], body[512];

	snprintf(path, sizeof(path), PODS "/%s/binding", pod);
	snprintf(body, sizeof(body),
		"{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":\"%s\","
		"\"namespace\":\"default\"%s%s%s},\"target\":{\"kind\":\"Node\",\"name\":\"%s\"}}",
		pod, uid == NULL ? "" : ",\"uid\":\"", uid == NULL ? "" : uid,
		uid == NULL ? "" : "\"", node);
	expect(status, "POST", path, body);
}

static void a_pod_is_bound_once(void)
{
	char uid[64];

	expect(201, "POST", "/api/v1/nodes", NODE("node-00001", "z1"));
	expect(201, "POST", PODS, POD("b1"));
	expect_value("Pending", "status.phase");
	snprintf(uid, sizeof(uid), "%s", desk_value(desk, "metadata.uid"));
	bind(201, "b1", uid, "node-00001");
	TEST_ASSERT_EQUAL_STRING("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
				 "\"status\":\"Success\",\"code\":201}\n",
		desk->body);
	expect(200, "GET", PODS "/b1", NULL);
	expect_value("node-00001", "spec.nodeName");
	expect_part("\"topology.kubernetes.io/zone\":\"z1\"");
	expect_part("\"type\":\"PodScheduled\",\"status\":\"True\"");
	bind(409, "b1", uid, "node-00001");
	expect_value("Operation cannot be fulfilled on pods/binding \"b1\": pod b1 is already "
		     "assigned to node \"node-00001\"",
		"message");
	expect_value("{\"name\":\"b1\",\"kind\":\"pods/binding\"}", "details");
	TEST_ASSERT_EQUAL_UINT64(1, apisim_counts(desk->api)->bindings);
	TEST_ASSERT_EQUAL_UINT32(0, desk->told);
}

static void a_binding_is_looked_at(void)
{
	expect(201, "POST", "/api/v1/nodes", NODE("node-00001", "z1"));
	bind(404, "nosuch", NULL, "node-00001");
	expect_value("pods \"nosuch\" not found", "message");
	expect_value("{\"name\":\"nosuch\",\"kind\":\"pods\"}", "details");
	expect(201, "POST", PODS, POD("nofit"));
	bind(409, "nofit", "00000000-0000-0000-0000-000000000000", "node-00001");
	expect_part("Operation cannot be fulfilled on pods \\\"nofit\\\": StorageError: invalid "
		    "object, Code: 4, Key: /registry/pods/default/nofit, ResourceVersion: 0, "
		    "AdditionalErrorMsg: Precondition failed: UID in precondition: "
		    "00000000-0000-0000-0000-000000000000, UID in object meta: ");
	expect(400, "POST", PODS "/nofit/binding", "{\"bad json");
	expect_value("the object provided is unrecognized (must be of type Binding): couldn't get "
		     "version/kind; json parse error: unexpected end of JSON input ({\"bad json)",
		"message");
	expect(400, "POST", PODS "/nofit/binding",
		"{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":\"other\"},"
		"\"target\":{\"kind\":\"Node\",\"name\":\"node-00001\"}}");
	expect_value("name in URL does not match name in Binding object", "message");
	expect(500, "POST", PODS "/nofit/binding",
		"{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":\"nofit\"},"
		"\"target\":{\"kind\":\"Pod\"}}");
	expect_value("[target.kind: Unsupported value: \"Pod\": supported values: \"Node\", "
		     "\"<empty>\", target.name: Required value]",
		"message");
	bind(201, "nofit", NULL, "nowhere");
	TEST_ASSERT_TRUE(desk->told >= 2);
	expect_part("201");
	TEST_ASSERT_NOT_NULL(strstr(apisim_violation(desk->api, 0), "nowhere"));
}

static void gated_and_ending_pods_are_not_bound(void)
{
	expect(201, "POST", "/api/v1/nodes", NODE("n", "z1"));
	expect(201, "POST", PODS,
		"{\"metadata\":{\"name\":\"g\"},\"spec\":{\"containers\":[{\"name\":\"c\"}],"
		"\"schedulingGates\":[{\"name\":\"example.com/hold\"}]}}");
	expect_part("\"reason\":\"SchedulingGated\"");
	bind(409, "g", NULL, "n");
	expect_part("pod g has non-empty .spec.schedulingGates");
	expect(201, "POST", PODS,
		"{\"metadata\":{\"name\":\"e\",\"finalizers\":[\"x/y\"]},\"spec\":{\"containers\":"
		"[{\"name\":\"c\"}]}}");
	expect(200, "DELETE", PODS "/e", NULL);
	bind(409, "e", NULL, "n");
	expect_part("pod e is being deleted, cannot be assigned to a host");
}

/* ---- lists ---- */

static void lists_have_pages_of_one_moment(void)
{
	char path[512];

	for (int i = 0; i < 7; i++) {
		char pod[256];

		snprintf(pod, sizeof(pod),
			"{\"metadata\":{\"name\":\"p%d\",\"labels\":{\"odd\":\"%d\"}},"
			"\"spec\":{\"containers\":[{\"name\":\"c\"}]}}",
			i, i % 2);
		expect(201, "POST", PODS, pod);
	}
	expect(200, "GET", "/api/v1/pods?limit=3", NULL);
	expect_value("4", "metadata.remainingItemCount");
	expect_part("\"p2\"");
	TEST_ASSERT_FALSE(desk_has(desk, "\"p3\""));
	snprintf(path, sizeof(path), "/api/v1/pods?limit=3&continue=%s",
		desk_value(desk, "metadata.continue"));
	/* Changes after the first page are not seen in the next. */
	expect(200, "DELETE", PODS "/p3", NULL);
	expect(201, "POST", PODS, POD("p33"));
	expect(200, "GET", path, NULL);
	expect_part("\"p3\"");
	expect_part("\"p5\"");
	TEST_ASSERT_FALSE(desk_has(desk, "\"p33\""));
	TEST_ASSERT_FALSE(desk_has(desk, "\"p2\""));
	expect_value("1", "metadata.remainingItemCount");
	apisim_compact(desk->api);
	expect(410, "GET", path, NULL);
	expect_value("Expired", "reason");
	expect(200, "GET", "/api/v1/pods?labelSelector=odd%3D1&limit=500&resourceVersion=0", NULL);
	expect_part("\"p1\"");
	TEST_ASSERT_FALSE(desk_has(desk, "\"p2\""));
	expect_value("", "metadata.continue");
	expect(200, "GET", "/api/v1/pods?fieldSelector=metadata.name%3Dp6", NULL);
	expect_part("\"p6\"");
	TEST_ASSERT_FALSE(desk_has(desk, "\"p1\""));
	expect(422, "GET", "/api/v1/pods?resourceVersionMatch=Exact", NULL);
	expect(422, "GET", "/api/v1/pods?resourceVersionMatch=Exact&resourceVersion=0", NULL);
	expect(422, "GET", "/api/v1/pods?watch=true&resourceVersionMatch=NotOlderThan", NULL);
	expect(422, "GET", "/api/v1/pods?watch=true&sendInitialEvents=true", NULL);
	expect(400, "GET", "/api/v1/pods?fieldSelector=spec.color%3Dred", NULL);
	expect_value("field label not supported: spec.color", "message");
	expect(200, "GET", "/api/v1/nodes", NULL);
	expect_value("[]", "items");
	expect_value("NodeList", "kind");
}

/* ---- watches ---- */

static void a_watch_tells_what_comes(void)
{
	char path[256];
	uint32_t stream;

	expect(201, "POST", PODS, POD("seen"));
	snprintf(path, sizeof(path),
		"/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=%s"
		"&timeoutSeconds=90&fieldSelector=status.phase%%21%%3DSucceeded%%2C"
		"status.phase%%21%%3DFailed",
		desk_value(desk, "metadata.resourceVersion"));
	expect(200, "GET", path, NULL);
	stream = desk->answer.stream;
	TEST_ASSERT_TRUE(stream != 0);
	TEST_ASSERT_EQUAL_size_t(0, desk->body_size);
	expect(201, "POST", PODS, POD("new"));
	expect(200, "DELETE", PODS "/new", NULL);
	desk_listen(desk, stream);
	TEST_ASSERT_EQUAL_UINT32(3, desk_lines(desk));
	expect_part("{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",");
	expect_part("{\"type\":\"MODIFIED\"");
	expect_part("\"deletionGracePeriodSeconds\":0");
	expect_part("{\"type\":\"DELETED\"");
	/* What ends leaves the selection. */
	TEST_ASSERT_EQUAL_INT(200,
		desk_patch(desk, "application/merge-patch+json", PODS "/seen/status",
			"{\"status\":{\"phase\":\"Succeeded\"}}"));
	desk_listen(desk, stream);
	TEST_ASSERT_EQUAL_UINT32(1, desk_lines(desk));
	expect_part("{\"type\":\"DELETED\"");
	expect_part("\"phase\":\"Pending\"");
	TEST_ASSERT_FALSE(apisim_stream_has_news(desk->api, stream));
	desk->now_us = 60 * CLOCK_S_US;
	desk_listen(desk, stream);
	expect_part("{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
		    "\"metadata\":{\"resourceVersion\":\"");
	expect_part("},\"spec\":{\"containers\":null},\"status\":{}}}\n");
	desk->now_us = 89 * CLOCK_S_US;
	desk_listen(desk, stream);
	TEST_ASSERT_EQUAL_UINT32(1, desk_lines(desk));
	TEST_ASSERT_EQUAL_INT(APISIM_STREAM_WAITS, desk->stream_is);
	desk->now_us = 90 * CLOCK_S_US;
	desk_listen(desk, stream);
	TEST_ASSERT_EQUAL_size_t(0, desk->body_size);
	TEST_ASSERT_EQUAL_INT(APISIM_STREAM_ENDED, desk->stream_is);
}

static void a_streaming_list_ends_with_a_bookmark(void)
{
	const char *path = "/api/v1/nodes?allowWatchBookmarks=true&resourceVersionMatch="
			   "NotOlderThan&sendInitialEvents=true&timeoutSeconds=2&watch=true";

	expect(201, "POST", "/api/v1/nodes", NODE("a", "z"));
	expect(201, "POST", "/api/v1/nodes", NODE("b", "z"));
	expect(200, "GET", path, NULL);
	TEST_ASSERT_EQUAL_UINT32(4, desk_lines(desk)); /* and the bookmark of the end */
	expect_part("\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}");
	apisim_stream_close(desk->api, desk->answer.stream);
	apisim_streaming_lists(desk->api, false);
	expect(200, "GET", path, NULL);
	TEST_ASSERT_EQUAL_INT(APISIM_STREAM_ENDED, desk->stream_is);
	TEST_ASSERT_EQUAL_STRING(
		"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
		"\"metadata\":{},\"status\":\"Failure\",\"message\":\"a watch stream was requested "
		"by the client but the required storage feature RequestWatchProgress is "
		"disabled\",\"reason\":\"InternalError\",\"code\":500}}\n",
		desk->body);
}

static void the_past_is_forgotten(void)
{
	for (int i = 0; i < 20; i++) {
		expect(201, "POST", PODS, POD("p"));
		expect(200, "DELETE", PODS "/p", NULL);
	}
	apisim_compact(desk->api);
	expect(200, "GET", "/api/v1/pods?watch=true&resourceVersion=5&timeoutSeconds=2", NULL);
	TEST_ASSERT_EQUAL_INT(APISIM_STREAM_ENDED, desk->stream_is);
	TEST_ASSERT_EQUAL_STRING(
		"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
		"\"metadata\":{},\"status\":\"Failure\",\"message\":\"too old resource version: 5 "
		"(66)\",\"reason\":\"Expired\",\"code\":410}}\n",
		desk->body);
	/* A version still to come is waited for. */
	expect(200, "GET", "/api/v1/pods?watch=true&resourceVersion=99999999&timeoutSeconds=2",
		NULL);
	TEST_ASSERT_EQUAL_INT(APISIM_STREAM_WAITS, desk->stream_is);
	TEST_ASSERT_EQUAL_size_t(0, desk->body_size);
	desk->now_us = 2 * CLOCK_S_US;
	desk_listen(desk, desk->answer.stream);
	TEST_ASSERT_EQUAL_INT(APISIM_STREAM_ENDED, desk->stream_is);
	expect(504, "GET", "/api/v1/pods?resourceVersion=99999999", NULL);
}

/* ---- writing ---- */

static void lease_body(char *body, size_t size, const char *version, const char *holder)
{
	snprintf(body, size,
		"{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\","
		"\"metadata\":{\"name\":\"kube-scheduler\",\"namespace\":"
		"\"kube-system\",\"resourceVersion\":\"%s\"},\"spec\":{"
		"\"holderIdentity\":\"%s\"}}",
		version, holder);
}

static void a_lease_is_kept_by_its_version(void)
{
	char body[512], version[32];

	expect(404, "GET", LEASES "/kube-scheduler", NULL);
	expect_value("leases.coordination.k8s.io \"kube-scheduler\" not found", "message");
	expect_value("{\"name\":\"kube-scheduler\",\"group\":\"coordination.k8s.io\",\"kind\":"
		     "\"leases\"}",
		"details");
	lease_body(body, sizeof(body), "", "a");
	expect(201, "POST", LEASES, body);
	snprintf(version, sizeof(version), "%s", desk_value(desk, "metadata.resourceVersion"));
	expect(409, "POST", LEASES, body);
	expect_value("leases.coordination.k8s.io \"kube-scheduler\" already exists", "message");
	expect(422, "PUT", LEASES "/kube-scheduler", body);
	lease_body(body, sizeof(body), "1", "b");
	expect(409, "PUT", LEASES "/kube-scheduler", body);
	expect_value("Operation cannot be fulfilled on leases.coordination.k8s.io "
		     "\"kube-scheduler\": the object has been modified; please apply your changes "
		     "to the latest version and try again",
		"message");
	lease_body(body, sizeof(body), version, "b");
	expect(200, "PUT", LEASES "/kube-scheduler", body);
	expect_value("b", "spec.holderIdentity");
	/* What changes nothing is no change. */
	snprintf(version, sizeof(version), "%s", desk_value(desk, "metadata.resourceVersion"));
	lease_body(body, sizeof(body), version, "b");
	expect(200, "PUT", LEASES "/kube-scheduler", body);
	expect_value(version, "metadata.resourceVersion");
}

static void a_status_is_patched(void)
{
	const char *type = "application/strategic-merge-patch+json";

	expect(201, "POST", PODS, POD("nofit"));
	TEST_ASSERT_EQUAL_INT(200,
		desk_patch(desk, type, PODS "/nofit/status",
			"{\"status\":{\"conditions\":[{\"lastProbeTime\":null,"
			"\"lastTransitionTime\":\"2026-11-18T10:37:11Z\",\"message\":\"m\","
			"\"observedGeneration\":1,\"reason\":\"Unschedulable\",\"status\":"
			"\"False\",\"type\":\"PodScheduled\"}],\"nominatedNodeName\":\"n\"}}"));
	expect_value("n", "status.nominatedNodeName");
	expect_part("\"lastProbeTime\":null");
	TEST_ASSERT_EQUAL_INT(200,
		desk_patch(desk, type, PODS "/nofit/status",
			"{\"status\":{\"$setElementOrder/conditions\":[{\"type\":"
			"\"PodScheduled\"}],\"conditions\":[{\"type\":\"PodScheduled\","
			"\"message\":\"hello\"}],\"nominatedNodeName\":null}}"));
	expect_value("", "status.nominatedNodeName");
	expect_part("\"message\":\"hello\"");
	expect_part("\"reason\":\"Unschedulable\"");
	expect_value("1", "metadata.generation");
	TEST_ASSERT_EQUAL_INT(404, desk_patch(desk, type, PODS "/gone/status", "{}"));
	TEST_ASSERT_EQUAL_INT(
		415, desk_patch(desk, "application/json", PODS "/nofit/status", "{}"));
	TEST_ASSERT_EQUAL_UINT32(0, desk->told);
	/* The spec has another door. */
	desk_patch(desk, type, PODS "/nofit/status", "{\"spec\":{\"nodeName\":\"x\"}}");
	expect_value("", "spec.nodeName");
	TEST_ASSERT_EQUAL_UINT32(1, desk->told);
}

static void a_pod_on_a_node_has_its_grace(void)
{
	expect(201, "POST", "/api/v1/nodes", NODE("n", "z1"));
	expect(201, "POST", PODS, POD("low"));
	bind(201, "low", NULL, "n");
	expect(409, "DELETE", PODS "/low",
		"{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"preconditions\":{\"uid\":"
		"\"nope\"}}");
	expect_part("Operation cannot be fulfilled on Pod \\\"low\\\": the UID in the precondition "
		    "(nope) does not match the UID in record (");
	expect_part("The object might have been deleted and then recreated");
	expect(200, "DELETE", PODS "/low", "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\"}");
	expect_value("30", "metadata.deletionGracePeriodSeconds");
	expect_value("2", "metadata.generation");
	expect(200, "GET", PODS "/low", NULL);
	expect(200, "DELETE", PODS "/low",
		"{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"gracePeriodSeconds\":0}");
	expect(404, "GET", PODS "/low", NULL);
	expect(200, "DELETE", "/api/v1/nodes/n", NULL);
	expect_value("Success", "status");
	expect_value("n", "details.name");
}

static void priorities_are_resolved(void)
{
	expect(201, "POST", "/apis/scheduling.k8s.io/v1/priorityclasses",
		"{\"apiVersion\":\"scheduling.k8s.io/v1\",\"kind\":\"PriorityClass\","
		"\"metadata\":{\"name\":\"high\"},\"value\":1000,\"preemptionPolicy\":\"Never\"}");
	expect(201, "POST", PODS,
		"{\"metadata\":{\"name\":\"vip\"},\"spec\":{\"priorityClassName\":\"high\","
		"\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{\"cpu\":\"1\"}}}]}}");
	expect_value("1000", "spec.priority");
	expect_value("Never", "spec.preemptionPolicy");
	expect_value("Burstable", "status.qosClass");
	expect_part("\"requests\":{\"cpu\":\"1\"}");
	expect(201, "POST", PODS, POD("low"));
	expect_value("0", "spec.priority");
	expect_value("PreemptLowerPriority", "spec.preemptionPolicy");
	expect(403, "POST", PODS,
		"{\"metadata\":{\"name\":\"x\"},\"spec\":{\"priorityClassName\":\"nosuch\","
		"\"containers\":[{\"name\":\"c\"}]}}");
}

static void events_have_two_shapes(void)
{
	const char *event =
		"{\"action\":\"Binding\",\"apiVersion\":\"events.k8s.io/v1\","
		"\"eventTime\":\"2026-11-18T10:37:11.016360Z\",\"kind\":\"Event\",\"metadata\":"
		"{\"name\":\"ok.18e9\",\"namespace\":\"default\"},\"note\":\"assigned\",\"reason\":"
		"\"Scheduled\",\"regarding\":{\"kind\":\"Pod\",\"name\":\"ok\",\"namespace\":"
		"\"default\"},\"reportingController\":\"s\",\"reportingInstance\":\"s-1\",\"type\":"
		"\"Normal\"}";

	expect(201, "POST", "/apis/events.k8s.io/v1/namespaces/default/events", event);
	expect(200, "GET", "/api/v1/namespaces/default/events/ok.18e9", NULL);
	expect_value("assigned", "message");
	expect_value("Pod", "involvedObject.kind");
	TEST_ASSERT_EQUAL_INT(200,
		desk_patch(desk, "application/strategic-merge-patch+json",
			"/apis/events.k8s.io/v1/namespaces/default/events/ok.18e9",
			"{\"series\":{\"count\":2,\"lastObservedTime\":"
			"\"2026-11-18T10:37:12.016360Z\"}}"));
	expect_value("2", "series.count");
	TEST_ASSERT_EQUAL_UINT32(0, desk->told);
	expect(422, "POST", "/apis/events.k8s.io/v1/namespaces/default/events",
		"{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{\"name\":"
		"\"bad\"}}");
	expect_value("Invalid", "reason");
	expect_part("reportingController: Required value");
	TEST_ASSERT_EQUAL_UINT32(1, desk->told);
	desk->now_us = INT64_C(3700) * CLOCK_S_US;
	for (int i = 0; i < 20; i++)
		apisim_tick(desk->api);
	expect(404, "GET", "/api/v1/namespaces/default/events/ok.18e9", NULL);
}

/* ---- the rest ---- */

static void what_is_served_is_told(void)
{
	expect(200, "GET", "/apis/events.k8s.io/v1", NULL);
	expect_value("events.k8s.io/v1", "groupVersion");
	expect(200, "GET", "/api", NULL);
	expect(200, "GET", "/api/v1", NULL);
	expect_part("\"pods/binding\"");
	expect(200, "GET", "/apis", NULL);
	expect_part("\"coordination.k8s.io/v1\"");
	expect(200, "GET", "/apis/apps", NULL);
	expect(200, "GET", "/version", NULL);
	expect_value("36", "minor");
	expect(200, "GET", "/readyz", NULL);
	expect(404, "GET", "/apis/nosuch.k8s.io/v1/things", NULL);
	TEST_ASSERT_EQUAL_STRING("404 page not found\n", desk->body);
	expect(404, "GET", "/api/v1/things", NULL);
	expect_value("the server could not find the requested resource", "message");
	expect(405, "POST", "/api/v1/pods", POD("x"));
	expect(404, "POST", "/api/v1/namespaces/nosuch/pods", POD("x"));
	expect_value("namespaces \"nosuch\" not found", "message");
	expect(422, "POST", PODS, POD("No"));
	expect(201, "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
		"{\"kind\":\"SubjectAccessReview\",\"apiVersion\":\"authorization.k8s.io/v1\","
		"\"spec\":{}}");
	expect_value("true", "status.allowed");
}

static void reopen(uint32_t release)
{
	desk_close(desk);
	desk_open_release(desk, 1000, release, NULL);
}

static void older_releases_serve_less(void)
{
	const char *streaming = "/api/v1/nodes?allowWatchBookmarks=true&resourceVersionMatch="
				"NotOlderThan&sendInitialEvents=true&watch=true";

	expect(200, "GET", "/apis/policy/v1", NULL);
	expect(404, "GET", "/apis/policy/v1beta1", NULL);
	expect(200, "GET", "/apis/resource.k8s.io", NULL);
	expect_value("v1", "preferredVersion.version");
	expect_part("resource.k8s.io/v1beta1");
	reopen(20);
	expect(200, "GET", "/version", NULL);
	expect_value("20", "minor");
	expect(404, "GET", "/apis/policy/v1", NULL);
	expect(404, "GET", "/apis/policy/v1/poddisruptionbudgets", NULL);
	expect(404, "GET", "/apis/resource.k8s.io", NULL);
	expect(404, "GET", "/apis/storage.k8s.io/v1/csistoragecapacities", NULL);
	expect(201, "POST", "/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets",
		"{\"kind\":\"PodDisruptionBudget\",\"apiVersion\":\"policy/v1beta1\",\"metadata\":{"
		"\"name\":\"b\"},\"spec\":{}}");
	expect(200, "GET", "/apis/policy/v1beta1/poddisruptionbudgets", NULL);
	expect_value("policy/v1beta1", "apiVersion");
	expect_part("\"b\"");
	expect(201, "POST", PODS, POD("p"));
	expect_value("", "metadata.generation");
	expect(422, "GET", streaming, NULL);
	expect_part(
		"[resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch, "
		"resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless "
		"resourceVersion is provided]");
	/* What is not known is not seen: the list comes, but not the word that it has come. */
	expect(201, "POST", "/api/v1/nodes", NODE("n", "z"));
	expect(200, "GET", "/api/v1/nodes?watch=true&sendInitialEvents=true", NULL);
	TEST_ASSERT_EQUAL_INT(APISIM_STREAM_WAITS, desk->stream_is);
	TEST_ASSERT_EQUAL_UINT32(1, desk_lines(desk));
	reopen(30);
	expect(422, "GET", streaming, NULL);
	expect_value(
		"ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: "
		"sendInitialEvents is forbidden for watch unless the WatchList feature gate is "
		"enabled",
		"message");
	expect(200, "GET", "/apis/storage.k8s.io/v1/csistoragecapacities", NULL);
}

static void who_does_not_know_the_token_is_told(void)
{
	desk_close(desk);
	desk_open_release(desk, 1000, 0, "s3cret");
	expect(200, "GET", "/api/v1/nodes", NULL);
	expect(201, "POST", "/apis/authentication.k8s.io/v1/tokenreviews",
		"{\"kind\":\"TokenReview\",\"apiVersion\":\"authentication.k8s.io/v1\",\"spec\":{"
		"\"token\":\"s3cret\"}}");
	expect_value("true", "status.authenticated");
	desk->authorization[0] = '\0';
	expect(401, "GET", "/api/v1/nodes", NULL);
	TEST_ASSERT_EQUAL_STRING("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
				 "\"status\":\"Failure\",\"message\":\"Unauthorized\",\"reason\":"
				 "\"Unauthorized\",\"code\":401}\n",
		desk->body);
	snprintf(desk->authorization, sizeof(desk->authorization), "Bearer wrong");
	expect(401, "GET", "/api/v1/nodes", NULL);
}

static void who_is_too_busy_says_so(void)
{
	apisim_throttle(desk->api, 1, 1);
	expect(429, "GET", "/api/v1/nodes", NULL);
	TEST_ASSERT_EQUAL_STRING("Too many requests, please try again later.\n", desk->body);
	TEST_ASSERT_EQUAL_UINT32(1, desk->answer.retry_after_s);
	expect(200, "GET", "/api/v1/nodes", NULL);
}

static void a_full_store_forgets_and_then_refuses(void)
{
	static char body[600 * 1024];
	int made = 0, status = 201;

	for (; made < 200 && status == 201; made++) {
		int head = snprintf(body, sizeof(body),
			"{\"metadata\":{\"name\":\"m%d\"},\"data\":{\"x\":\"", made);

		memset(body + head, 'x', 500 * 1024);
		snprintf(body + head + 500 * 1024, 8, "\"}}");
		status = desk_ask(desk, "POST", "/api/v1/namespaces/default/configmaps", body);
	}
	TEST_ASSERT_EQUAL_INT(500, status);
	expect_value("etcdserver: mvcc: database space exceeded", "message");
	TEST_ASSERT_TRUE(made > 10);
	expect(200, "DELETE", "/api/v1/namespaces/kube-system", NULL);
	expect(200, "GET", "/api/v1/namespaces/default", NULL);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(a_pod_is_bound_once);
	RUN_TEST(a_binding_is_looked_at);
	RUN_TEST(gated_and_ending_pods_are_not_bound);
	RUN_TEST(lists_have_pages_of_one_moment);
	RUN_TEST(a_watch_tells_what_comes);
	RUN_TEST(a_streaming_list_ends_with_a_bookmark);
	RUN_TEST(the_past_is_forgotten);
	RUN_TEST(a_lease_is_kept_by_its_version);
	RUN_TEST(a_status_is_patched);
	RUN_TEST(a_pod_on_a_node_has_its_grace);
	RUN_TEST(priorities_are_resolved);
	RUN_TEST(events_have_two_shapes);
	RUN_TEST(what_is_served_is_told);
	RUN_TEST(older_releases_serve_less);
	RUN_TEST(who_does_not_know_the_token_is_told);
	RUN_TEST(who_is_too_busy_says_so);
	RUN_TEST(a_full_store_forgets_and_then_refuses);
	return UNITY_END();
}
