/* SPDX-License-Identifier: GPL-2.0-only */
/* explain --server: what another berth answers, and what anybody else may. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c command/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c queue/*.c
// deps: api/*.c bind/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c update/*.c
// deps: tests/command/run.c tests/command/server.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/run.h"
#include "command/server.h"
#include "unity.h"

static struct said said;

void setUp(void)
{
}

void tearDown(void)
{
	serve_no_more();
}

#define ASK(...)                                                                \
	do {                                                                    \
		serve((const char *const[]){__VA_ARGS__, NULL});                \
		RUN(&said, explain_run, NULL, "shop/we b", "--server", server); \
	} while (0)

static void test_no_node(void)
{
	ASK(HEAD("200 OK") "{\"rejected\":{\"n1\":{\"plugin\":\"NodeName\",\"code\":"
			   "\"Unschedulable\","
			   "\"reasons\":[\"no\"]}},\"message\":\"0/1 nodes\",\"requests\":{}}\n");
	TEST_ASSERT_EQUAL_STRING("", said.err);
	TEST_ASSERT_EQUAL_STRING("Pod shop/we b: no node.\n0/1 nodes\n"
				 "\nNODE  VERDICT        PLUGIN    REASONS\n"
				 "n1    Unschedulable  NodeName  no\n",
		said.out);
	TEST_ASSERT_EQUAL(0, said.status);
	const char *request = server_heard();
	TEST_ASSERT_NOT_NULL(
		strstr(request, "GET /berth/v1/explain?pod=shop%2Fwe%20b HTTP/1.1\r\n"));
	TEST_ASSERT_NULL(strstr(request, "uthorization"));
}

static void test_a_node(void)
{
	ASK(HEAD("200 OK") "{\"choice\":\"n\\u001b1\",\"scores\":{\"n1\":{\"total\":7,\"plugins\":"
			   "{\"ImageLocality\":7}}}}");
	TEST_ASSERT_EQUAL_STRING("Pod shop/we b: goes to n?1.\n"
				 "\nNODE  VERDICT     PLUGIN  REASONS\n"
				 "n1    score 7             ImageLocality 7\n",
		said.out);
	TEST_ASSERT_EQUAL(0, said.status);
}

static void test_a_pod_that_runs(void)
{
	ASK(HEAD("200 OK") "{\"choice\":\"n2\",\"scores\":{\"n1\":{\"total\":7},\"n2\":{\"total\":"
			   "9}},"
			   "\"assigned\":{\"node\":\"n1\",\"score\":7,\"to\":\"n2\",\"best\":9,"
			   "\"stays\":false},\"decided\":{\"atMs\":1790000000123,"
			   "\"feasible\":3,\"best\":[[\"n1\",312],[\"n2\",300]]}}");
	TEST_ASSERT_EQUAL_STRING(
		"Pod shop/we b: is on n1.\n"
		"It would go elsewhere now, to n2: 9 points, its node has 7.\n"
		"It came there at 2026-09-21T14:13:20Z; feasible nodes: 3; n1 312; n2 300.\n"
		"\nNODE  VERDICT     PLUGIN  REASONS\n"
		"n2    score 9             \n"
		"n1    score 7             \n",
		said.out);
	ASK(HEAD("200 OK") "{\"choice\":\"n1\",\"assigned\":{\"node\":\"n1\",\"to\":\"n1\","
			   "\"stays\":true}}");
	TEST_ASSERT_EQUAL_STRING("Pod shop/we b: is on n1.\nIt would go there again.\n"
				 "When it came there is not in berth's history.\n",
		said.out);
	ASK(HEAD("200 OK") "{\"message\":\"0/1 "
			   "nodes\",\"assigned\":{\"node\":\"n1\",\"stays\":false}}");
	TEST_ASSERT_EQUAL_STRING(
		"Pod shop/we b: is on n1.\nNo node would take it now, its own neither.\n"
		"When it came there is not in berth's history.\n0/1 nodes\n",
		said.out);
	ASK(HEAD("200 OK") "{\"assigned\":7,\"decided\":[1],\"choice\":null}");
	TEST_ASSERT_EQUAL(0, said.status);
	ASK(HEAD("200 OK") "{\"assigned\":{},\"decided\":{\"best\":[7,[],[{}],[\"a\",\"b\"]]}}");
	TEST_ASSERT_EQUAL(0, said.status);
}

static void test_json_is_what_came(void)
{
	serve((const char *const[]){HEAD("200 OK") "{ \"choice\": \"n1\" }\n", NULL});
	RUN(&said, explain_run, NULL, "web", "--server", server, "-o", "json");
	TEST_ASSERT_EQUAL_STRING("{\"choice\":\"n1\"}\n", said.out);
}

static void test_it_is_asked_again_when_it_has_no_time(void)
{
	ASK(HEAD("503 Service Unavailable") "{\"error\":\"ask again\"}\n",
		HEAD("200 OK") "{\"choice\":\"n1\"}");
	TEST_ASSERT_EQUAL_STRING("Pod shop/we b: goes to n1.\n", said.out);
}

static void test_a_proxy_of_the_apiserver_is_none_of_berth(void)
{
	static const char kubeconfig[] =
		"{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: "
		"{cluster: c, user: u}}], users: [{name: u, user: {}}], clusters: [{name: c, "
		"cluster: {server: 'http://10.0.0.1', proxy-url: 'http://127.0.0.1:1'}}]}";
	char path[] = "/tmp/berth-ask-XXXXXX";
	int file = mkstemp(path);
	TEST_ASSERT_EQUAL(sizeof(kubeconfig) - 1, write(file, kubeconfig, sizeof(kubeconfig) - 1));
	(void)close(file);
	serve((const char *const[]){HEAD("200 OK") "{\"choice\":\"n1\"}\n", NULL});
	RUN(&said, explain_run, NULL, "web", "--server", server, "--kubeconfig", path);
	(void)unlink(path);
	TEST_ASSERT_EQUAL_STRING("", said.err);
	TEST_ASSERT_EQUAL_STRING("Pod default/web: goes to n1.\n", said.out);
}

static void complains(const char *words)
{
	char expected[256];
	(void)snprintf(expected, sizeof(expected), "berth: %s: %s\n", server, words);
	TEST_ASSERT_EQUAL_STRING(expected, said.err);
	TEST_ASSERT_EQUAL(1, said.status);
}

static void test_refusals_are_told(void)
{
	ASK(HEAD("404 Not Found") "{\"error\":\"there is no such pod\"}\n");
	complains("404 there is no such pod");
	tearDown();
	ASK(HEAD("403 Forbidden") "{\"kind\":\"Status\",\"message\":\"forbidden: you\"}\n");
	complains("403 forbidden: you");
	TEST_ASSERT_EQUAL_STRING("", said.out);
}

/* Escapes at the end of texts, and members that are read twice. */
static void test_explain_when_a_server_escapes_then_all_is_printed(void)
{
	ASK(HEAD("200 OK") "{\"preemption\":{\"eligible\":true,\"message\":\"\"},"
			   "\"message\":\"no \\\"dra/one\\\".\",\"gates\":[\"a\\\"\",\"b\"],"
			   "\"rejected\":{\"n\\\"\":{\"code\":\"\\\"\",\"plugin\":\"\\u0041\","
			   "\"reasons\":[\"\\\\\"]}}}");
	TEST_ASSERT_EQUAL_STRING("", said.err);
	TEST_ASSERT_EQUAL(0, said.status);
	TEST_ASSERT_NOT_NULL(strstr(said.out, "no \"dra/one\".\n"));
	TEST_ASSERT_NOT_NULL(strstr(said.out, "waits for its scheduling gates [a\", b];"));
}

/* Whatever listens there: nothing of it is believed. */
static void test_others(void)
{
	static const char *const odd[] = {"{\"rejected\":\"\",\"scores\":\"\\\"\"}",
		"{\"rejected\":[\"a\"],\"scores\":[],\"preFilter\":\"x\",\"preemption\":[1]}",
		"{\"rejected\":{\"a\":7,\"b\":\"\",\"c\":[]},\"scores\":{\"a\":null}}",
		"{\"choice\":[],\"message\":{}}", "{}"};
	ASK(HEAD("200 OK") "<html>");
	complains("the answer is not JSON; is this the address of berth's page, with http:// or "
		  "https:// as it is served?");
	tearDown();
	ASK(HEAD("200 OK") "[]");
	complains("status 200, and not an answer of berth");
	tearDown();
	ASK("SSH-2.0\r\n");
	TEST_ASSERT_EQUAL(1, said.status);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		char words[512];
		tearDown();
		(void)snprintf(words, sizeof(words), HEAD("200 OK") "%s", odd[i]);
		ASK(words);
		TEST_ASSERT_EQUAL_STRING("", said.err);
	}
}

static void test_misuse(void)
{
	RUN(&said, explain_run, NULL, "web", "--server", "a", "--cluster", "b");
	TEST_ASSERT_EQUAL(2, said.status);
	RUN(&said, explain_run, NULL, "web", "--server", "ftp://a");
	TEST_ASSERT_EQUAL_STRING(
		"berth: ftp://a: begins with neither https:// nor http://\n", said.err);
	RUN(&said, explain_run, NULL, "web", "--server", "http://a", "--memory", "1Mi");
	TEST_ASSERT_EQUAL(1, said.status);
	RUN(&said, explain_run, NULL, "web", "--server", "http://a", "--kubeconfig", "/nowhere");
	TEST_ASSERT_NOT_NULL(strstr(said.err, "/nowhere"));
	TEST_ASSERT_EQUAL(1, said.status);
}

/* ---- headroom ---- */

#define HEADROOM(fits, bound, nodes)                    \
	"{\"fits\":" fits ",\"isUpperBound\":" bound    \
	",\"feasible\":2,\"first\":{\"cpu\":1,\"pods\"" \
	":1},\"nodes\":" nodes "}"

static void test_headroom_of_a_pod(void)
{
	serve((const char *const[]){HEAD("200 OK") HEADROOM("7", "false",
					    "[[\"n1\",4,\"cpu\"],[\"node-2\",3,\"pods\"]]"),
		NULL});
	RUN(&said, headroom_run, NULL, "pod/web", "-n", "shop", "--server", server);
	TEST_ASSERT_EQUAL_STRING(
		"more fit  7; feasible nodes: 2; what runs out first: 1 cpu, 1 pods\n"
		"NODE    FIT  RUNS OUT FIRST\n"
		"n1      4    cpu\n"
		"node-2  3    pods\n",
		said.out);
	const char *request = server_heard();
	TEST_ASSERT_NOT_NULL(strstr(request, "GET /berth/v1/headroom?pod=shop%2Fweb HTTP/1.1\r\n"));
	serve((const char *const[]){HEAD("200 OK") HEADROOM("1", "true", "[]"), NULL});
	RUN(&said, headroom_run, NULL, "web", "--server", server);
	TEST_ASSERT_EQUAL_STRING(
		"at most   1; feasible nodes: 2; what runs out first: 1 cpu, 1 pods\n", said.out);
	serve((const char *const[]){
		HEAD("200 OK") "{\"first\":7,\"nodes\":[7,[],[{}],[\"a\",\"b\",1]]}", NULL});
	RUN(&said, headroom_run, NULL, "web", "--server", server);
	TEST_ASSERT_EQUAL(0, said.status);
}

static void test_headroom_of_a_file(void)
{
	serve((const char *const[]){
		HEAD("200 OK") "{\"choice\":\"n1\",\"headroom\":" HEADROOM("7", "false",
			"[]") ",\"workloads\":[{\"kind\":\"Deployment\",\"namespace\":\"shop\","
			      "\"name\":"
			      "\"web\",\"wanted\":3,\"lookedAt\":3,\"placed\":3,\"nodes\":{}}]}",
		NULL});
	RUN(&said, headroom_run, "kind: Deployment\n", "-", "--server", server);
	TEST_ASSERT_EQUAL_STRING(
		"KIND        NAMESPACE  NAME  WANTED  LOOKED AT  WITH A NODE\n"
		"Deployment  shop       web   3       3          3\n"
		"fit       7; feasible nodes: 2; what runs out first: 1 cpu, 1 pods\n",
		said.out);
	const char *request = server_heard();
	TEST_ASSERT_NOT_NULL(strstr(request, "POST /berth/v1/whatif HTTP/1.1\r\n"));
	serve((const char *const[]){HEAD("200 OK") "{\"headroom\":{},\"workloads\":[]}", NULL});
	RUN(&said, headroom_run, "kind: Pod\n", "-", "-o", "json", "--server", server);
	TEST_ASSERT_EQUAL_STRING("{}\n", said.out);
}

static void test_headroom_that_is_misused(void)
{
	RUN(&said, headroom_run, NULL, "web", "x.yaml");
	TEST_ASSERT_EQUAL(2, said.status);
	RUN(&said, headroom_run, NULL, "--server", server);
	TEST_ASSERT_EQUAL(2, said.status);
	RUN(&said, headroom_run, NULL, "a/b/c", "--server", server);
	TEST_ASSERT_EQUAL(1, said.status);
	TEST_ASSERT_EQUAL_STRING("berth: a/b/c: is no NAMESPACE/POD\n", said.err);
	RUN(&said, headroom_run, NULL, "/none.yaml", "--server", server);
	TEST_ASSERT_EQUAL(1, said.status);
	TEST_ASSERT_EQUAL_STRING("berth: /none.yaml: No such file or directory\n", said.err);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_no_node);
	RUN_TEST(test_a_node);
	RUN_TEST(test_a_pod_that_runs);
	RUN_TEST(test_json_is_what_came);
	RUN_TEST(test_it_is_asked_again_when_it_has_no_time);
	RUN_TEST(test_a_proxy_of_the_apiserver_is_none_of_berth);
	RUN_TEST(test_refusals_are_told);
	RUN_TEST(test_explain_when_a_server_escapes_then_all_is_printed);
	RUN_TEST(test_others);
	RUN_TEST(test_misuse);
	RUN_TEST(test_headroom_of_a_pod);
	RUN_TEST(test_headroom_of_a_file);
	RUN_TEST(test_headroom_that_is_misused);
	return UNITY_END();
}
