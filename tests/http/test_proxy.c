/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Servers behind proxies: tunnels by CONNECT, also through a proxy that speaks TLS, and by SOCKS5;
 * requests with the whole URL; credentials; what a proxy refuses; and which proxy the environment
 * means.
 *
 * test_proxy http|https|socks5 is such a proxy for tests of whole programs: it says its port and
 * the authority of its certificate, and wants user "us@er" with the password "p:w".
 */
// deps: net/*.c tls/*.c http/*.c base/*.c tests/http/other_end.c tests/http/fixture.c
#include "unity.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "http/fixture.h"
#include "http/proxy.h"

static struct fixture f;
static struct fixture_request r[4];
static struct server proxy;
static char url[256];

void setUp(void)
{
	fixture_init(&f);
	memset(r, 0, sizeof(r));
}

void tearDown(void)
{
	fixture_close(&f);
	server_stop(&proxy);
}

static bool open_through(const char *before_port, bool https, const struct server_setup *setup)
{
	f.target.https = https;
	f.tls_connections_max = 16;
	fixture_serve(&f, &(struct server_setup){.certificate = https ? &fixture_server : NULL});
	server_start(&proxy, setup);
	snprintf(url, sizeof(url), "%s:%u", before_port, (unsigned)proxy.port);
	f.target.proxy = text_of(url);
	return fixture_open(&f) != NULL;
}

static void through(const char *before_port, bool https, const struct server_setup *setup)
{
	TEST_ASSERT_TRUE_MESSAGE(open_through(before_port, https, setup), f.fault);
}

static void has(const struct fixture_request *one, const char *part)
{
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(one->body, part), one->body);
}

static void answers(struct fixture_request *one, const char *path)
{
	fixture_get(&f, one, path);
	TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", net_result_name(one->end.result), one->end.detail);
	TEST_ASSERT_EQUAL_UINT16(200, one->end.status);
}

static void fails(const char *detail)
{
	fixture_get(&f, &r[0], "/echo");
	TEST_ASSERT_EQUAL_STRING("connect-failed", net_result_name(r[0].end.result));
	TEST_ASSERT_EQUAL_STRING(detail, r[0].end.detail);
	TEST_ASSERT_FALSE(r[0].end.sent);
	TEST_ASSERT_EQUAL_UINT32(0, f.server.counts->requests);
}

/* ---- CONNECT ---- */

static void test_proxy_when_the_server_has_tls_then_a_tunnel(void)
{
	through("http://127.0.0.1", true, &(struct server_setup){.certificate = NULL});
	answers(&r[0], "/echo");
	has(&r[0], "tls=TLSv1.3 proxy-auth=-");
	TEST_ASSERT_EQUAL_UINT32(1, proxy.counts->connections);
	TEST_ASSERT_EQUAL_UINT32(1, f.server.counts->connections);
	answers(&r[0], "/echo");
	has(&r[0], "connection=1 request=2");
	answers(&r[1], "/size/300000");
	TEST_ASSERT_EQUAL_UINT64(300000, r[1].end.body_size);
}

static void test_proxy_when_the_name_is_known_to_it_alone_then_a_tunnel(void)
{
	f.target.host = TEXT("api.example.net");
	through("127.0.0.1", true, &(struct server_setup){.certificate = NULL});
	answers(&r[0], "/echo");
	has(&r[0], "host=api.example.net:");
}

static void test_proxy_when_it_wants_credentials_then_those_of_its_address(void)
{
	/* us@er:p:w */
	through("http://us%40er:p%3Aw@127.0.0.1", true,
		&(struct server_setup){.proxy_user = "dXNAZXI6cDp3"});
	answers(&r[0], "/echo");
	has(&r[0], "proxy-auth=-");
}

static void test_proxy_when_the_credentials_are_others_then_it_fails(void)
{
	through("http://us%40er:other@127.0.0.1", true,
		&(struct server_setup){.proxy_user = "dXNAZXI6cDp3"});
	fails("the proxy wants other credentials (407)");
}

static void test_proxy_when_it_does_not_reach_the_server_then_it_fails(void)
{
	through("http://127.0.0.1", true, &(struct server_setup){.certificate = NULL});
	server_stop(&f.server);
	fixture_get(&f, &r[0], "/echo");
	TEST_ASSERT_EQUAL_STRING("connect-failed", net_result_name(r[0].end.result));
	TEST_ASSERT_EQUAL_STRING("the proxy does not reach the server (502)", r[0].end.detail);
}

static void test_proxy_when_it_is_silent_then_it_fails_in_time(void)
{
	f.target.connect_timeout_ms = 200;
	through("http://127.0.0.1", true, &(struct server_setup){.no_handshake = true});
	fails("no answer from the proxy in time");
}

static void test_proxy_when_nobody_listens_then_it_fails(void)
{
	through("http://127.0.0.1", true, &(struct server_setup){.certificate = NULL});
	server_stop(&proxy);
	fixture_get(&f, &r[0], "/echo");
	TEST_ASSERT_EQUAL_STRING("connect-failed", net_result_name(r[0].end.result));
}

static void test_proxy_when_the_server_is_not_who_it_should_be_then_tls_fails(void)
{
	f.target.ca = text_of(fixture_other_ca.certificate);
	through("http://127.0.0.1", true, &(struct server_setup){.certificate = NULL});
	fixture_get(&f, &r[0], "/echo");
	TEST_ASSERT_EQUAL_STRING("tls-failed", net_result_name(r[0].end.result));
}

/* ---- a proxy that speaks TLS ---- */

static void test_proxy_when_it_speaks_tls_then_tls_goes_inside(void)
{
	char body[100000];

	through("https://user:pw@127.0.0.1", true,
		&(struct server_setup){
			.certificate = &fixture_server, .proxy_user = "dXNlcjpwdw=="});
	answers(&r[0], "/echo");
	has(&r[0], "tls=TLSv1.3 proxy-auth=-");
	memset(body, 'b', sizeof(body));
	r[1].request.body = (struct text){body, sizeof(body)};
	fixture_send(&f, &r[1], NET_POST, "/echo");
	fixture_send(&f, &r[2], NET_GET, "/chunked/1000000");
	r[3].request.class = NET_WATCH;
	fixture_send(&f, &r[3], NET_GET, "/slow/50");
	for (uint32_t i = 1; i < 4; i++) {
		TEST_ASSERT_TRUE(fixture_wait(&f, &r[i]));
		TEST_ASSERT_EQUAL_STRING("ok", net_result_name(r[i].end.result));
	}
	has(&r[1], "body=100000");
	TEST_ASSERT_EQUAL_UINT64(1000000, r[2].end.body_size);
	has(&r[3], "slow");
	TEST_ASSERT_EQUAL_UINT32(proxy.counts->connections, f.server.counts->connections);
	/* And again on what is open, or was closed by time. */
	f.clock_ahead_us = (int64_t)120 * 1000000;
	answers(&r[0], "/echo");
}

static void test_proxy_when_its_certificate_is_of_others_then_it_fails(void)
{
	static struct server_certificate own;

	server_make_certificate(&own,
		&(struct server_name){
			.common = "proxy", .names = "ip:127.0.0.1", .from_days = -1, .to_days = 10},
		&fixture_other_ca);
	through("https://127.0.0.1", true, &(struct server_setup){.certificate = &own});
	fixture_get(&f, &r[0], "/echo");
	TEST_ASSERT_EQUAL_STRING("connect-failed", net_result_name(r[0].end.result));
	TEST_ASSERT_EQUAL_STRING_LEN("the proxy: server certificate: ", r[0].end.detail, 31);
	TEST_ASSERT_EQUAL_UINT32(0, f.server.counts->connections);
}

/* ---- servers without TLS ---- */

static void test_proxy_when_the_server_is_plain_then_it_gets_the_whole_url(void)
{
	char host[64];

	through("http://user:pw@127.0.0.1", false, &(struct server_setup){.certificate = NULL});
	answers(&r[0], "/echo?a=b");
	has(&r[0], "proxy-auth=Basic dXNlcjpwdw==");
	snprintf(host, sizeof(host), "host=127.0.0.1:%u", (unsigned)f.server.port);
	has(&r[0], host);
	TEST_ASSERT_EQUAL_UINT32(0, f.server.counts->connections);
	TEST_ASSERT_EQUAL_UINT32(1, proxy.counts->requests);
}

static void test_proxy_when_only_it_speaks_tls_then_the_request_is_secured(void)
{
	through("https://127.0.0.1", false, &(struct server_setup){.certificate = &fixture_server});
	answers(&r[0], "/echo");
	has(&r[0], "tls=TLSv1.3");
}

/* ---- SOCKS5 ---- */

static void test_proxy_when_it_speaks_socks_then_a_tunnel(void)
{
	through("socks5://127.0.0.1", true, &(struct server_setup){.socks = true});
	answers(&r[0], "/echo");
	has(&r[0], "tls=TLSv1.3");
	TEST_ASSERT_EQUAL_UINT32(1, proxy.counts->connections);
}

static void test_proxy_when_it_speaks_socks_then_plain_servers_are_tunnelled_to(void)
{
	f.target.host = TEXT("api.example.net");
	through("socks5h://127.0.0.1", false, &(struct server_setup){.socks = true});
	answers(&r[0], "/echo");
	has(&r[0], "tls=-");
	TEST_ASSERT_EQUAL_UINT32(1, f.server.counts->requests);
}

static void test_proxy_when_socks_wants_credentials_then_those_of_its_address(void)
{
	through("socks5://us%40er:p%3Aw@127.0.0.1", true,
		&(struct server_setup){.socks = true, .proxy_user = "us@er:p:w"});
	answers(&r[0], "/echo");
}

static void test_proxy_when_socks_credentials_are_others_then_it_fails(void)
{
	through("socks5://a:b@127.0.0.1", true,
		&(struct server_setup){.socks = true, .proxy_user = "us@er:p:w"});
	fails("the proxy does not take the user and password (1)");
}

static void test_proxy_when_socks_credentials_are_missing_then_it_fails(void)
{
	through("socks5://127.0.0.1", true,
		&(struct server_setup){.socks = true, .proxy_user = "us@er:p:w"});
	fails("the proxy wants credentials of another kind (255)");
}

static void test_proxy_when_socks_does_not_reach_the_server_then_it_fails(void)
{
	through("socks5://127.0.0.1", true, &(struct server_setup){.socks = true});
	server_stop(&f.server);
	fixture_get(&f, &r[0], "/echo");
	TEST_ASSERT_EQUAL_STRING("the proxy does not reach the server (5)", r[0].end.detail);
}

/* ---- addresses ---- */

static void test_proxy_address_when_it_is_wrong_then_the_client_is_refused(void)
{
	TEST_ASSERT_FALSE(open_through("ftp://h", true, &(struct server_setup){.socks = true}));
	TEST_ASSERT_EQUAL_STRING(
		"the proxy's address: unsupported scheme, must be http, https, or socks5", f.fault);
}

static void test_proxy_address_when_parsed_then_its_parts(void)
{
	static const struct {
		const char *url;
		enum url_proxy_kind kind;
		const char *host;
		uint16_t port;
		const char *user, *password;
	} good[] = {
		{"http://proxy", URL_PROXY_HTTP, "proxy", 80, NULL, NULL},
		{"proxy:3128", URL_PROXY_HTTP, "proxy", 3128, NULL, NULL},
		{"https://proxy/", URL_PROXY_HTTPS, "proxy", 443, NULL, NULL},
		{"socks5://proxy", URL_PROXY_SOCKS5, "proxy", 1080, NULL, NULL},
		{"socks5://proxy:80", URL_PROXY_SOCKS5, "proxy", 80, NULL, NULL},
		{"socks5h://[::1]", URL_PROXY_SOCKS5, "::1", 1080, NULL, NULL},
		{"http://[::1]:8/x@y", URL_PROXY_HTTP, "::1", 8, NULL, NULL},
		{"http://u@p", URL_PROXY_HTTP, "p", 80, "u", ""},
		{"http://u:a:b@p", URL_PROXY_HTTP, "p", 80, "u", "a:b"},
		{"http://u:a@b@p", URL_PROXY_HTTP, "p", 80, "u", "a@b"},
		{"http://@p", URL_PROXY_HTTP, "p", 80, "", ""},
	};
	static const char *const bad[] = {"", "http://", "http://u%4:p@h", "http://u%zz@h",
		"http://h:0", "http://h:x", "socks4://h", "http://h h"};
	struct url_proxy parsed;
	const char *fault;

	for (size_t i = 0; i < ARRAY_COUNT(good); i++) {
		TEST_ASSERT_TRUE_MESSAGE(
			url_parse_proxy(text_of(good[i].url), &parsed, &fault), good[i].url);
		TEST_ASSERT_EQUAL_MESSAGE(good[i].kind, parsed.kind, good[i].url);
		TEST_ASSERT_TRUE_MESSAGE(text_is_z(parsed.host, good[i].host), good[i].url);
		TEST_ASSERT_EQUAL_UINT16_MESSAGE(good[i].port, parsed.port, good[i].url);
		TEST_ASSERT_EQUAL_MESSAGE(
			good[i].user == NULL, parsed.user.at == NULL, good[i].url);
		if (good[i].user == NULL)
			continue;
		TEST_ASSERT_TRUE_MESSAGE(text_is_z(parsed.user, good[i].user), good[i].url);
		TEST_ASSERT_TRUE_MESSAGE(text_is_z(parsed.password, good[i].password), good[i].url);
	}
	for (size_t i = 0; i < ARRAY_COUNT(bad); i++)
		TEST_ASSERT_FALSE_MESSAGE(
			url_parse_proxy(text_of(bad[i]), &parsed, &fault), bad[i]);
}

/* ---- the environment ---- */

static const char *of_https, *of_http, *of_none;

static const char *pretend(const char *name)
{
	if (strcmp(name, "HTTPS_PROXY") == 0)
		return of_https;
	if (strcmp(name, "http_proxy") == 0)
		return of_http;
	return strcmp(name, "NO_PROXY") == 0 ? of_none : NULL;
}

static bool is_direct(const char *host, uint16_t port, const char *none)
{
	struct net_target target = {.https = true, .host = text_of(host), .port = port};

	of_https = "http://p";
	of_none = none;
	struct text found = proxy_of_environment(&target, pretend);
	TEST_ASSERT_TRUE(found.at == NULL || text_is_z(found, "http://p"));
	return found.at == NULL;
}

static void test_environment_when_asked_then_the_proxy_of_the_scheme(void)
{
	struct net_target target = {.https = true, .host = TEXT("h"), .port = 1};

	of_https = " http://one ";
	of_http = "two";
	of_none = NULL;
	TEST_ASSERT_TRUE(text_is_z(proxy_of_environment(&target, pretend), "http://one"));
	target.https = false;
	TEST_ASSERT_TRUE(text_is_z(proxy_of_environment(&target, pretend), "two"));
	of_http = "";
	TEST_ASSERT_NULL(proxy_of_environment(&target, pretend).at);
}

static void test_environment_when_the_server_is_on_this_machine_then_direct(void)
{
	TEST_ASSERT_TRUE(is_direct("127.0.0.1", 6443, NULL));
	TEST_ASSERT_TRUE(is_direct("127.9.9.9", 6443, NULL));
	TEST_ASSERT_TRUE(is_direct("::1", 6443, ""));
	TEST_ASSERT_TRUE(is_direct("localhost", 6443, ""));
	TEST_ASSERT_FALSE(is_direct("localhost.example.com", 6443, ""));
	TEST_ASSERT_FALSE(is_direct("10.0.0.1", 6443, ""));
}

static void test_environment_when_no_proxy_names_it_then_direct(void)
{
	static const struct {
		const char *host, *none;
		bool direct;
	} cases[] = {
		{"h", "*", true},
		{"h", "a, * ,b", true},
		{"10.1.2.3", "10.0.0.0/8", true},
		{"11.1.2.3", "10.0.0.0/8", false},
		{"10.1.2.3", "10.1.2.0/30", true},
		{"10.1.2.4", "10.1.2.0/30", false},
		{"10.1.2.4", "0.0.0.0/0", true},
		{"10.1.2.4", "10.0.0.0/33", false},
		{"fd00:1::5", "fd00::/8", true},
		{"fd00:1::5", "fd00:1::/126", false},
		{"fd00:1::5", "10.0.0.0/8", false},
		{"a.example.com", "10.0.0.0/8", false},
		{"10.1.2.3", "10.1.2.3", true},
		{"10.1.2.3", "10.1.2.3:6443", true},
		{"10.1.2.3", "10.1.2.3:443", false},
		{"fd00::1", "fd00::1", true},
		{"fd00::1", "[fd00::1]:6443", true},
		{"fd00::1", "[fd00::1]:443", false},
		{"example.com", "example.com", true},
		{"a.example.com", "example.com", true},
		{"aexample.com", "example.com", false},
		{"a.Example.com", "x,eXample.com", true},
		{"example.com", ".example.com", false},
		{"a.example.com", ".example.com", true},
		{"a.example.com", "*.example.com", true},
		{"example.com", "*.example.com", false},
		{"a.example.com", "example.com:6443", true},
		{"a.example.com", "example.com:80", false},
		{"a.example.com", "example.com:", true},
		{"a.example.com", ":6443", false},
		{"a.example.com", ",, ,", false},
		{"a.example.com", "b.a.example.com", false},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		TEST_ASSERT_EQUAL_MESSAGE(cases[i].direct,
			is_direct(cases[i].host, 6443, cases[i].none), cases[i].none);
}

static _Noreturn void serve_programs(const char *kind)
{
	bool socks = strcmp(kind, "socks5") == 0;

	server_start(&proxy,
		&(struct server_setup){.socks = socks,
			.certificate = strcmp(kind, "https") == 0 ? &fixture_server : NULL,
			.proxy_user = socks ? "us@er:p:w" : "dXNAZXI6cDp3"});
	printf("%u\n%s", (unsigned)proxy.port, fixture_ca.certificate);
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	fixture_make_certificates();
	if (argc == 2)
		serve_programs(argv[1]);
	UNITY_BEGIN();
	RUN_TEST(test_proxy_when_the_server_has_tls_then_a_tunnel);
	RUN_TEST(test_proxy_when_the_name_is_known_to_it_alone_then_a_tunnel);
	RUN_TEST(test_proxy_when_it_wants_credentials_then_those_of_its_address);
	RUN_TEST(test_proxy_when_the_credentials_are_others_then_it_fails);
	RUN_TEST(test_proxy_when_it_does_not_reach_the_server_then_it_fails);
	RUN_TEST(test_proxy_when_it_is_silent_then_it_fails_in_time);
	RUN_TEST(test_proxy_when_nobody_listens_then_it_fails);
	RUN_TEST(test_proxy_when_the_server_is_not_who_it_should_be_then_tls_fails);
	RUN_TEST(test_proxy_when_it_speaks_tls_then_tls_goes_inside);
	RUN_TEST(test_proxy_when_its_certificate_is_of_others_then_it_fails);
	RUN_TEST(test_proxy_when_the_server_is_plain_then_it_gets_the_whole_url);
	RUN_TEST(test_proxy_when_only_it_speaks_tls_then_the_request_is_secured);
	RUN_TEST(test_proxy_when_it_speaks_socks_then_a_tunnel);
	RUN_TEST(test_proxy_when_it_speaks_socks_then_plain_servers_are_tunnelled_to);
	RUN_TEST(test_proxy_when_socks_wants_credentials_then_those_of_its_address);
	RUN_TEST(test_proxy_when_socks_credentials_are_others_then_it_fails);
	RUN_TEST(test_proxy_when_socks_credentials_are_missing_then_it_fails);
	RUN_TEST(test_proxy_when_socks_does_not_reach_the_server_then_it_fails);
	RUN_TEST(test_proxy_address_when_it_is_wrong_then_the_client_is_refused);
	RUN_TEST(test_proxy_address_when_parsed_then_its_parts);
	RUN_TEST(test_environment_when_asked_then_the_proxy_of_the_scheme);
	RUN_TEST(test_environment_when_the_server_is_on_this_machine_then_direct);
	RUN_TEST(test_environment_when_no_proxy_names_it_then_direct);
	return UNITY_END();
}
