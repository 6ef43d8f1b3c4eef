/* SPDX-License-Identifier: GPL-2.0-only */
/* simulate --kubeconfig: what an apiserver answers, and what anything else may. */
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
#include "kube/object.h"
#include "unity.h"

static struct said said;
static char kubeconfig[] = "/tmp/berth-test-XXXXXX";

void setUp(void)
{
}

void tearDown(void)
{
	serve_no_more();
}

static void write_kubeconfig(void)
{
	FILE *f = fopen(kubeconfig, "w");
	TEST_ASSERT_NOT_NULL(f);
	fprintf(f,
		"apiVersion: v1\nkind: Config\ncurrent-context: c\n"
		"contexts: [{name: c, context: {cluster: c, user: u}}]\n"
		"clusters: [{name: c, cluster: {server: '%s'}}]\nusers: [{name: u, user: {}}]\n",
		server);
	fclose(f);
}

#define OK                HEAD("200 OK")
#define NOT_FOUND         HEAD("404 Not Found") "{\"kind\":\"Status\",\"message\":\"no such path\"}"
#define POD(name)         "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"d\"},\"spec\":{}}"
#define MORE(token)       "\"metadata\":{\"continue\":\"" token "\"},\"items\":["
#define PODS(token, list) OK "{\"kind\":\"PodList\"," MORE(token) list "]}"
#define NODES                                                                               \
	OK "{\"kind\":\"NodeList\",\"items\":[{\"metadata\":{\"name\":\"n1\"},\"status\":{" \
	   "\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"10\"}}}]}"

static const char *version = NOT_FOUND;

/* The first answers behind that to /version, and that nothing more is there. */
static void read_cluster(const char *a, const char *b, const char *c)
{
	const char *answers[64] = {version, a, b, c};
	uint32_t count = c != NULL ? 4 : b != NULL ? 3 : 2;
	for (uint32_t i = 0; c != NULL && i < 40; i++)
		answers[count++] = NOT_FOUND;
	answers[count] = NULL;
	serve(answers);
	write_kubeconfig();
	RUN(&said, simulate_run, NULL, "--kubeconfig", kubeconfig);
	serve_no_more();
}

static void test_pages_are_read_one_after_the_other(void)
{
	read_cluster(PODS("a/b", POD("p") "," POD("q")), PODS("", POD("r")), NODES);
	TEST_ASSERT_EQUAL_STRING("", said.err);
	TEST_ASSERT_NOT_NULL_MESSAGE(
		strstr(said.out, "3 pending: 3 placed, 0 unschedulable\n"), said.out);
	const char *request = server_heard();
	TEST_ASSERT_NOT_NULL(strstr(request, "GET /api/v1/pods?limit=500&fieldSelector="));
}

static void test_what_may_not_be_read_is_said(void)
{
	read_cluster(
		HEAD("403 Forbidden") "{\"kind\":\"Status\",\"message\":\"pods is forbidden\"}",
		NULL, NULL);
	TEST_ASSERT_EQUAL(1, said.status);
	TEST_ASSERT_EQUAL_STRING("berth: pods: pods is forbidden\n", said.err);
	TEST_ASSERT_EQUAL_STRING("", said.out);
	read_cluster(PODS("", POD("p")), NODES,
		HEAD("403 Forbidden") "{\"kind\":\"Status\",\"message\":\"not for you\"}");
	TEST_ASSERT_EQUAL(0, said.status);
	TEST_ASSERT_EQUAL_STRING("berth: namespaces: warning: not for you; it is as if there were "
				 "none\n",
		said.err);
}

static void test_what_is_no_list_is_said(void)
{
	read_cluster(HEAD("200 OK") "<html>", NULL, NULL);
	TEST_ASSERT_EQUAL(1, said.status);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said.err, "berth: pods: 200, not JSON: "), said.err);
	read_cluster(HEAD("200 OK") "{\"items\":[{\"metadata\":", NULL, NULL);
	TEST_ASSERT_EQUAL(1, said.status);
	read_cluster(HEAD("502 Bad Gateway") "{}", NULL, NULL);
	TEST_ASSERT_EQUAL_STRING("berth: pods: the apiserver answered 502\n", said.err);
}

/* 1.37 counts volumes of images as it counts containers: the node's image is a smaller share. */
static int score_with(const char *said_version)
{
	static const char pods[] = PODS("",
		"{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"image\":\"i\"}],"
		"\"volumes\":[{\"name\":\"v\",\"image\":{\"reference\":\"j\"}}]}}");
	static const char nodes[] = OK
		"{\"kind\":\"NodeList\",\"items\":[{\"metadata\":{\"name\":\"n1\"},\"status\":{"
		"\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"10\"},\"images\":[{"
		"\"names\":[\"i:latest\"],\"sizeBytes\":800000000}]}},{\"metadata\":{\"name\":"
		"\"n2\"},"
		"\"status\":{\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"10\"}}}]"
		"}";
	char request[4096];
	int score = 0;
	version = said_version;
	read_cluster(pods, nodes, NOT_FOUND);
	version = NOT_FOUND;
	TEST_ASSERT_EQUAL_STRING("", said.err);
	ssize_t size = read(asked[0], request, sizeof(request) - 1);
	request[size < 0 ? 0 : size] = '\0';
	TEST_ASSERT_NOT_NULL(strstr(request, "GET /version "));
	const char *row = strstr(said.out, "default/p  n1    ");
	TEST_ASSERT_NOT_NULL_MESSAGE(row, said.out);
	TEST_ASSERT_EQUAL(1, sscanf(row, "default/p  n1    %d", &score));
	return score;
}

#define VERSION(minor) \
	OK "{\"major\":\"1\",\"minor\":\"" minor "\",\"gitVersion\":\"v1." minor "\"}"

static void test_the_release_is_that_of_the_apiserver(void)
{
	int older = score_with(VERSION("36")), newer = score_with(VERSION("37"));
	TEST_ASSERT_GREATER_THAN(newer, older);
	TEST_ASSERT_EQUAL(older, score_with(VERSION("29+")));
	TEST_ASSERT_EQUAL(newer, score_with(NOT_FOUND));
	TEST_ASSERT_EQUAL(newer, score_with(HEAD("200 OK") "<html>"));
}

static void test_no_cluster_at_all(void)
{
	write_kubeconfig(); /* of the server that is gone */
	RUN(&said, simulate_run, NULL, "--kubeconfig", kubeconfig);
	TEST_ASSERT_EQUAL(1, said.status);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said.err, ": connect-failed"), said.err);
	RUN(&said, simulate_run, NULL, "--kubeconfig", "/none");
	TEST_ASSERT_EQUAL(1, said.status);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said.err, "berth: /none: No such"), said.err);
}

int main(void)
{
	int fd = mkstemp(kubeconfig);
	if (fd >= 0)
		close(fd);
	UNITY_BEGIN();
	RUN_TEST(test_pages_are_read_one_after_the_other);
	RUN_TEST(test_what_may_not_be_read_is_said);
	RUN_TEST(test_what_is_no_list_is_said);
	RUN_TEST(test_the_release_is_that_of_the_apiserver);
	RUN_TEST(test_no_cluster_at_all);
	unlink(kubeconfig);
	return UNITY_END();
}
