/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What strangers send, over TLS on sockets of the system: broken heads, tricks with paths, hosts
 * and sites, several requests at once, bodies without end. Each is refused or harmless, and the
 * server answers the next one.
 */
// deps: base/*.c json/*.c kube/*.c net/*.c tls/*.c http/*.c cache/*.c queue/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: watch/*.c api/*.c bind/*.c cycle/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c
// deps: tests/status/bed.c tests/status/visitor.c tests/net/loopback.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "status/visitor.h"

#define HERE      "Host: 127.0.0.1:1\r\nConnection: close\r\n"
#define GET(path) "GET " path " HTTP/1.1\r\n" HERE
#define END       "\r\n"

static struct visitor visitor;

void setUp(void)
{
	bed_init();
	bed_real = true;
	bed_options.secure_port = BED_SECURE;
	bed_options.page = OPTIONS_PAGE_LOOPBACK;
	bed_open();
	bed_fill();
}
void tearDown(void)
{
	bed_close();
}

struct attack {
	uint32_t code; /* 0: no answer */
	const char *request;
	const char *says; /* NULL: anything */
};

static void expect(const struct attack *a)
{
	char message[512];
	uint32_t code = visitor_ask(&visitor, NULL, a->request);
	snprintf(message, sizeof(message), "%.200s -> %.200s", a->request, visitor.heard);
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(a->code, code, message);
	if (a->says != NULL)
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(visitor.heard, a->says), message);
	TEST_ASSERT_NULL_MESSAGE(strstr(visitor.heard, "Access-Control-"), message);
}

static const struct attack table[] = {
	/* as it should be */
	{200, GET("/berth/v1/overview") END, "\"nodes\":3"},
	{200, GET("/metrics") END, "scheduler_pending_pods"},
	{200, "GET /healthz HTTP/1.0\r\n\r\n", "ok"},
	{200, "HEAD /metrics HTTP/1.1\r\n" HERE END, NULL},
	{200, "\r\n" GET("/healthz") END, NULL},
	/* names of this machine that are not ours: somebody's page, resolved to here */
	{403, "GET /berth/v1/overview HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
		"system:anonymous"},
	{403, "GET /metrics HTTP/1.1\r\nHost: evil.example:10259\r\nConnection: close\r\n\r\n",
		NULL},
	{403, "GET /metrics HTTP/1.1\r\nHost: localhost.evil.example\r\nConnection: close\r\n\r\n",
		NULL},
	{403, "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\nConnection: close\r\n\r\n",
		NULL},
	{403, "GET /metrics HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n", NULL},
	{403, "GET /berth/v1/overview HTTP/1.0\r\n\r\n", NULL},
	{400, "GET /berth/v1/overview HTTP/1.1\r\nConnection: close\r\n\r\n", "no Host"},
	{400, GET("/berth/v1/overview") "Host: evil.example\r\n\r\n", "two Host"},
	{400, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", NULL},
	/* other sites */
	{403, GET("/berth/v1/overview") "Sec-Fetch-Site: cross-site\r\n\r\n", "another site"},
	{403, GET("/berth/v1/overview") "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\n\r\n",
		NULL},
	{403, GET("/metrics") "Origin: https://evil.example\r\n\r\n", NULL},
	{403, GET("/metrics") "Origin: null\r\n\r\n", NULL},
	{403, GET("/metrics") "Origin: 127.0.0.1:1\r\n\r\n", NULL},
	{200,
		GET("/berth/v1/overview") "Sec-Fetch-Site: same-origin\r\nOrigin: "
					  "https://127.0.0.1:1\r\n\r\n",
		NULL},
	{200, GET("/metrics") "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n\r\n",
		NULL},
	{403,
		"POST /berth/v1/whatif HTTP/1.1\r\n" HERE
		"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nContent-Length: "
		"2\r\n\r\n{}",
		NULL},
	{403, "DELETE /metrics HTTP/1.1\r\n" HERE "Origin: https://evil.example\r\n\r\n", NULL},
	/* paths */
	{404, GET("//metrics") END, NULL},
	{404, GET("/metrics/") END, NULL},
	{404, GET("/%6detrics") END, NULL},
	{404, GET("/healthz%2f..%2fmetrics") END, NULL},
	{404, GET("/healthz/../metrics") END, NULL},
	{404, GET("/healthz/%2e%2e/metrics") END, NULL},
	{404, GET("/berth/v1/%2e%2e/metrics") END, NULL},
	{404, GET("/./metrics") END, NULL},
	{404, GET("/metrics%00") END, NULL},
	{404, GET("/page.js/..") END, NULL},
	{404, GET("/METRICS") END, NULL},
	{404, GET("/metrics;a=b") END, NULL},
	{400, GET("http://127.0.0.1/metrics") END, "begin with /"},
	{400, GET("metrics") END, NULL},
	{400, GET("/a\\..\\b") END, NULL},
	{400, GET("/a b") END, NULL},
	{400, GET("/a\x7f") END, NULL},
	{400, GET("/\xc3\xa4") END, NULL},
	{400, GET("/a#b") END, NULL},
	{501, "CONNECT 127.0.0.1:6443 HTTP/1.1\r\n" HERE END, NULL},
	{400, "OPTIONS * HTTP/1.1\r\n" HERE END, NULL},
	/* methods */
	{405, "OPTIONS /metrics HTTP/1.1\r\n" HERE END, "Allow: GET, DELETE, HEAD\r\n"},
	{405, "PUT /metrics HTTP/1.1\r\n" HERE "Content-Length: 3\r\n\r\nabc", NULL},
	{405, "POST /metrics HTTP/1.1\r\n" HERE "Content-Length: 0\r\n\r\n", NULL},
	{405, "DELETE /healthz HTTP/1.1\r\n" HERE END, "Allow: GET, HEAD\r\n"},
	{405, GET("/berth/v1/whatif") END, "Allow: POST\r\n"},
	{501, "TRACE / HTTP/1.1\r\n" HERE END, NULL},
	{501, "BREW / HTTP/1.1\r\n" HERE END, NULL},
	{501, "get / HTTP/1.1\r\n" HERE END, NULL},
	{400, "\x16\x03\x01\x02\x04", NULL},
	{505, "GET / HTTP/2.0\r\n" END, NULL},
	{505, "GET / HTTP/1.2\r\n" END, NULL},
	{400, "GET /healthz\r\n\r\n", NULL},
	{501, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", NULL},
	/* heads that two readers could understand in two ways */
	{400, GET("/metrics") "X : y\r\n\r\n", NULL},
	{400, GET("/metrics") " folded: y\r\n\r\n", NULL},
	{400, GET("/metrics") "X: a\rb\r\n\r\n", NULL},
	{400, "GET /metrics HTTP/1.1\nHost: 127.0.0.1\n\n", NULL},
	{400, GET("/metrics") "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", NULL},
	{400, GET("/metrics") "Content-Length: -1\r\n\r\n", NULL},
	{400, GET("/metrics") "Content-Length: 0x10\r\n\r\n", NULL},
	{400, GET("/metrics") "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		NULL},
	{501, GET("/metrics") "Transfer-Encoding: gzip, chunked\r\n\r\n", NULL},
	{400, GET("/metrics") "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n", NULL},
	{417, GET("/metrics") "Expect: 200-ok\r\n\r\n", NULL},
	/* words that come back */
	{200, GET("/healthz?exclude=%3Cscript%3E%0d%0aX-Evil:%201&verbose") END, "no matches for"},
	{404, GET("/berth/v1/explain?pod=%3Cscript%3E/%00") END, NULL},
	/* bodies */
	{413, "POST /berth/v1/whatif HTTP/1.1\r\n" HERE "Content-Length: 99999999999999999\r\n\r\n",
		NULL},
	{400, "POST /berth/v1/whatif HTTP/1.1\r\n" HERE "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
		NULL},
	{400, "POST /berth/v1/whatif HTTP/1.1\r\n" HERE "Content-Length: 4\r\n\r\n\xff\xfe{}",
		NULL},
};

static void test_the_table(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(table); i++)
		expect(&table[i]);
	TEST_ASSERT_NULL(strstr(visitor.heard, "\nX-Evil"));
	expect(&table[0]);
}

/* Several requests in one go are answered one after the other. */
static void test_pipelining(void)
{
	static char burst[64 * 100];
	char *at = burst;
	for (int i = 0; i < 50; i++)
		at += sprintf(at, "GET /healthz HTTP/1.1\r\nHost: a\r\n%s\r\n",
			i == 49 ? "Connection: close\r\n" : "");
	TEST_ASSERT_EQUAL_UINT32(200, visitor_ask(&visitor, NULL, burst));
	uint32_t count = 0;
	for (const char *part = visitor.heard; (part = strstr(part, "HTTP/1.1 200")) != NULL;
		part++)
		count++;
	TEST_ASSERT_EQUAL_UINT32(50, count);
	/* Behind what is refused nothing is read: it could be anything. */
	TEST_ASSERT_EQUAL_UINT32(
		400, visitor_ask(&visitor, NULL, "GET bad HTTP/1.1\r\n\r\n" GET("/healthz") END));
	TEST_ASSERT_NULL(strstr(visitor.heard, "200 OK"));
	/* Nor behind a body that nobody asked for. */
	TEST_ASSERT_EQUAL_UINT32(200,
		visitor_ask(&visitor, NULL,
			"GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n" GET(
				"/metrics") END));
	TEST_ASSERT_NULL(strstr(visitor.heard, "scheduler_"));
}

static void test_too_much_of_everything(void)
{
	static char big[64 * 1024];
	memset(big, 'a', sizeof(big) - 1);
	memcpy(big, "GET /", 5);
	expect(&(struct attack){414, big, NULL});
	memcpy(big, "GET / HTTP/1.1\r\nX: ", 19);
	expect(&(struct attack){431, big, NULL});
	char *at = big + sprintf(big, "GET / HTTP/1.1\r\n");
	for (int i = 0; i < 200; i++)
		at += sprintf(at, "a: b\r\n");
	expect(&(struct attack){431, big, NULL});
	memset(big, 'a', sizeof(big) - 1);
	at = big +
		sprintf(big,
			"POST /berth/v1/whatif HTTP/1.1\r\n" HERE
			"Transfer-Encoding: chunked\r\n\r\n");
	memcpy(at, "ffff\r\n", 6);
	expect(&(struct attack){413, big, NULL});
	expect(&table[0]);
}

/* A certificate that nobody knows is refused in words, not by an alert. */
static void test_a_certificate_of_ones_own(void)
{
	static struct tls_certificate own;
	char words[256];
	struct writer fault;
	writer_init(&fault, words, sizeof(words));
	TEST_ASSERT_TRUE(tls_certificate_make(bed_net,
		&(struct tls_certificate_request){
			.common_name = "system:masters", .days = 9, .for_client = true},
		&own, &fault));
	/* Nobody asks for certificates here, so it is not even shown. */
	TEST_ASSERT_EQUAL_UINT32(200, visitor_ask(&visitor, &own, GET("/metrics") END));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_table);
	RUN_TEST(test_pipelining);
	RUN_TEST(test_too_much_of_everything);
	RUN_TEST(test_a_certificate_of_ones_own);
	return UNITY_END();
}
