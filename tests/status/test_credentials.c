/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who asks, by certificates: of clients, of front proxies that say who asks, and by authorities
 * that the cluster tells or files have; and what must not be asked for.
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
#include <sys/stat.h>
#include <unistd.h>

#include <unity.h>

#include "status/visitor.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: status.example\r\nConnection: close\r\n"

static struct visitor visitor;
static struct tls_certificate ca, other_ca, jane, root, proxy, impostor;
static char map[8192];

static void make(struct tls_certificate *to, const char *name, const char *group,
	const struct tls_certificate *issuer)
{
	const char *const groups[] = {group, NULL};
	char words[256];
	struct writer fault;
	writer_init(&fault, words, sizeof(words));
	TEST_ASSERT_TRUE(tls_certificate_make(bed_net,
		&(struct tls_certificate_request){.common_name = name,
			.organizations = group != NULL ? groups : NULL,
			.days = 3650, /* the clock of the bed is not that of mbedTLS */
			.for_client = issuer != NULL,
			.is_ca = issuer == NULL,
			.issuer = issuer},
		to, &fault));
}

static void put_pem(struct writer *w, const char *key, const struct tls_certificate *c)
{
	write_format(w, "\"%s\":\"", key);
	for (const char *at = c->certificate; *at != '\0'; at++)
		if (*at == '\n')
			write_z(w, "\\n");
		else
			write_char(w, *at);
	write_z(w, "\"");
}

/* names: JSON in JSON. */
static void set_map(const char *names)
{
	struct writer w;
	writer_init(&w, map, sizeof(map) - 1);
	write_z(&w, "{\"kind\":\"ConfigMap\",\"data\":{");
	put_pem(&w, "client-ca-file", &ca);
	write_char(&w, ',');
	put_pem(&w, "requestheader-client-ca-file", &other_ca);
	write_format(&w,
		",\"requestheader-allowed-names\":\"%s\",\"requestheader-username-headers\":"
		"\"[\\\"X-Remote-User\\\"]\",\"requestheader-group-headers\":\"[\\\"X-Remote-Group"
		"\\\"]\",\"requestheader-extra-headers-prefix\":\"[\\\"X-Remote-Extra-\\\"]\","
		"\"requestheader-uid-headers\":\"[\\\"X-Remote-Uid\\\"]\"}}",
		names);
	map[w.used] = '\0';
	bed_map = map;
}

void setUp(void)
{
	bed_init();
	bed_options.secure_port = BED_SECURE;
}
void tearDown(void)
{
	bed_close();
}

static void open_it(void)
{
	bed_open();
	bed_fill();
	make(&ca, "clients", NULL, NULL);
	make(&other_ca, "proxies", NULL, NULL);
	make(&jane, "carla", "people", &ca);
	make(&root, "root", "system:masters", &ca);
	make(&proxy, "front-proxy", NULL, &other_ca);
	make(&impostor, "other", NULL, &other_ca);
}

static void open_with_map(const char *names)
{
	open_it();
	set_map(names);
	bed_turns(50);
}

static void expect(uint32_t code, const struct tls_certificate *own, const char *request)
{
	char message[512];
	uint32_t is = visitor_ask(&visitor, own, request);
	snprintf(message, sizeof(message), "%.200s -> %.200s", request, visitor.heard);
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(code, is, message);
}

static void test_authorities_of_the_cluster(void)
{
	open_with_map("[\\\"front-proxy\\\"]");
	expect(200, &jane, GET("/metrics") "\r\n");
	TEST_ASSERT_NOT_NULL(strstr(bed_asked, "\"path\":\"/metrics\",\"verb\":\"get\"}"));
	TEST_ASSERT_NOT_NULL(strstr(bed_asked,
		"\"user\":\"carla\",\"groups\":[\"people\",\"system:authenticated\"]}}"));
	expect(403, &jane, GET("/configz") "\r\n");
	expect(200, &root, GET("/configz") "\r\n");
	TEST_ASSERT_EQUAL_UINT32(2, bed_accesses);
}

static void test_a_front_proxy_says_who_asks(void)
{
	open_with_map("[\\\"front-proxy\\\"]");
	expect(200, &proxy,
		GET("/metrics") "X-Remote-User: carla\r\nX-Remote-Group: people\r\n"
				"X-Remote-Uid: u-\"1\r\nX-Remote-Uid: other\r\n"
				"X-Remote-Extra-Scopes%2fA: one \"1\"\r\n"
				"x-remote-extra-scopes%2fa: two\r\n\r\n");
	TEST_ASSERT_NOT_NULL(strstr(bed_asked,
		"\"user\":\"carla\",\"groups\":[\"people\",\"system:"
		"authenticated\"],"
		"\"uid\":\"u-\\\"1\",\"extra\":{\"scopes/a\":[\"one \\\"1\\\"\",\"two\"]}}}"));
	expect(200, &proxy,
		GET("/configz") "X-Remote-User: x\r\nX-Remote-Group: a\r\n"
				"X-Remote-Group: system:masters\r\n\r\n");
	/* Without a user it is a certificate that speaks for nobody. */
	expect(401, &proxy, GET("/metrics") "\r\n");
	expect(401, &proxy, GET("/metrics") "X-Remote-Group: system:masters\r\n\r\n");
	/* Signed by the right authority, but not by that name. */
	expect(401, &impostor, GET("/metrics") "X-Remote-User: carla\r\n\r\n");
	/* The headers of anybody else are words. */
	expect(403, NULL,
		GET("/configz") "X-Remote-User: root\r\nX-Remote-Group: system:masters\r\n\r\n");
	TEST_ASSERT_NOT_NULL(strstr(visitor.heard, "system:anonymous"));
	expect(403, &jane,
		GET("/configz") "X-Remote-User: root\r\nX-Remote-Group: system:masters\r\n\r\n");
	TEST_ASSERT_NOT_NULL(strstr(visitor.heard, "User \\\"carla\\\""));
}

/* As kube-scheduler's authenticator: whom a proxy calls anonymous is not authenticated. */
static void test_an_anonymous_user_of_a_proxy_is_not_authenticated(void)
{
	bed_options.page = OPTIONS_PAGE_TOKEN;
	open_with_map("[\\\"front-proxy\\\"]");
	expect(200, &proxy, GET("/berth/v1/overview") "X-Remote-User: joe\r\n\r\n");
	expect(403, &proxy, GET("/berth/v1/overview") "X-Remote-User: system:anonymous\r\n\r\n");
	TEST_ASSERT_NULL(strstr(bed_asked, "system:authenticated"));
	expect(403, &proxy,
		GET("/berth/v1/overview") "X-Remote-User: joe\r\n"
					  "X-Remote-Group: system:unauthenticated\r\n\r\n");
	TEST_ASSERT_NOT_NULL(
		strstr(bed_asked, "\"user\":\"joe\",\"groups\":[\"system:unauthenticated\"]"));
}

static void test_a_certificate_without_a_name_is_nobodys(void)
{
	static struct tls_certificate nameless;
	open_with_map("[]");
	make(&nameless, NULL, "system:masters", &ca);
	expect(401, &nameless, GET("/metrics") "\r\n");
	TEST_ASSERT_EQUAL_UINT32(0, bed_accesses);
}

static void test_no_names_are_any_name(void)
{
	open_with_map("[]");
	expect(200, &impostor,
		GET("/metrics") "X-Remote-User: carla\r\nX-Remote-Group: people\r\n\r\n");
}

/* What cannot be read as a list of names must not become "any name". */
static void test_names_that_cannot_be_read_change_nothing(void)
{
	open_with_map("[\\\"front\\\\\\\"-proxy\\\"]");
	expect(403, &impostor, GET("/metrics") "X-Remote-User: carla\r\n\r\n");
	set_map("[\\\"front-proxy\\\"]");
	bed_loopback.now_us += 61 * CLOCK_S_US;
	bed_turns(50);
	expect(401, &impostor, GET("/metrics") "X-Remote-User: carla\r\n\r\n");
}

static void test_authorities_change(void)
{
	open_it();
	expect(403, &jane, GET("/metrics") "\r\n"); /* nobody was asked for a certificate */
	set_map("[]");
	bed_loopback.now_us += 61 * CLOCK_S_US;
	bed_turns(50);
	expect(200, &jane, GET("/metrics") "\r\n");
	ca = other_ca;
	set_map("[]");
	bed_loopback.now_us += 61 * CLOCK_S_US;
	bed_turns(50);
	expect(401, &jane, GET("/metrics") "\r\n");
	bed_map = NULL; /* what was known goes on */
	bed_loopback.now_us += 61 * CLOCK_S_US;
	bed_turns(50);
	expect(401, &jane, GET("/metrics") "\r\n");
	TEST_ASSERT_FALSE(status_has_failed(bed_status));
}

static void test_an_intolerable_failure(void)
{
	bed_options.authentication_tolerate_lookup_failure = false;
	open_it();
	bed_turns(50);
	TEST_ASSERT_TRUE(status_has_failed(bed_status));
}

static void test_lookup_can_be_skipped(void)
{
	bed_options.authentication_skip_lookup = true;
	bed_options.authentication_tolerate_lookup_failure = false;
	open_with_map("[]");
	expect(403, &jane, GET("/metrics") "\r\n");
	TEST_ASSERT_FALSE(status_has_failed(bed_status));
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	TEST_ASSERT_NOT_NULL(file);
	TEST_ASSERT_TRUE(fputs(text, file) >= 0);
	TEST_ASSERT_EQUAL(0, fclose(file));
}

/* A file wins over what the cluster says, and is followed. */
/* Names of headers from flags, as people write them. */
static void test_a_front_proxy_by_flags(void)
{
	char folder[] = "build/credentials.XXXXXX";
	char path[64];
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/ca.crt", folder);
	bed_open(); /* certificates need a network */
	make(&other_ca, "others", NULL, NULL);
	make(&proxy, "front-proxy", NULL, &other_ca);
	bed_close();
	write_file(path, other_ca.certificate);
	bed_options.requestheader_client_ca_file = path;
	bed_options.requestheader_username_headers =
		(struct options_words){{TEXT("X-Remote-User")}, 1};
	bed_options.requestheader_extra_prefixes =
		(struct options_words){{TEXT("X-Remote-Extra-")}, 1};
	bed_options.requestheader_uid_headers = (struct options_words){{TEXT("X-Remote-Uid")}, 1};
	bed_open();
	set_map("[]");
	bed_turns(50);
	expect(200, &proxy,
		GET("/metrics") "X-Remote-User: carla\r\nX-Remote-Group: people\r\nX-Remote-Uid: "
				"u-1\r\n"
				"X-Remote-Extra-A: one\r\n\r\n");
	TEST_ASSERT_NOT_NULL(strstr(bed_asked, "\"user\":\"carla\""));
	TEST_ASSERT_NOT_NULL(strstr(bed_asked, "\"uid\":\"u-1\",\"extra\":{\"a\":[\"one\"]}"));
	expect(403, &proxy, GET("/metrics") "X-Remote-User: system:anonymous\r\n\r\n");
	TEST_ASSERT_NOT_NULL(strstr(visitor.heard, "system:anonymous"));
	TEST_ASSERT_EQUAL(0, unlink(path));
	TEST_ASSERT_EQUAL(0, rmdir(folder));
}

static void test_files_of_authorities(void)
{
	char folder[] = "build/credentials.XXXXXX";
	char path[64];
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/ca.crt", folder);
	bed_open(); /* certificates need a network */
	make(&ca, "clients", NULL, NULL);
	make(&other_ca, "others", NULL, NULL);
	make(&jane, "carla", "people", &ca);
	bed_close();
	write_file(path, other_ca.certificate);
	bed_options.client_ca_file = path;
	bed_open();
	set_map("[]");
	bed_turns(50);
	expect(401, &jane, GET("/metrics") "\r\n");
	write_file(path, ca.certificate);
	bed_loopback.now_us += 11 * CLOCK_S_US;
	expect(200, &jane, GET("/metrics") "\r\n");
	TEST_ASSERT_EQUAL(0, unlink(path));
	TEST_ASSERT_EQUAL(0, rmdir(folder));
}

static void read_file(const char *path, char to[TLS_PEM_MAX])
{
	FILE *file = fopen(path, "r");
	TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
	size_t size = fread(to, 1, TLS_PEM_MAX - 1, file);
	to[size] = '\0';
	TEST_ASSERT_EQUAL(0, fclose(file));
}

static void test_a_certificate_of_ones_own_is_kept(void)
{
	char folder[] = "build/certificates.XXXXXX";
	static char first[TLS_PEM_MAX], second[TLS_PEM_MAX];
	char certificate[64], key[64];
	struct stat about;
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(certificate, sizeof(certificate), "%s/kube-scheduler.crt", folder);
	snprintf(key, sizeof(key), "%s/kube-scheduler.key", folder);
	bed_options.cert_dir = folder;
	bed_open();
	expect(200, NULL, GET("/healthz") "\r\n");
	read_file(certificate, first);
	TEST_ASSERT_NOT_NULL(strstr(first, "BEGIN CERTIFICATE"));
	TEST_ASSERT_EQUAL(0, stat(key, &about));
	TEST_ASSERT_EQUAL_UINT32(0600, about.st_mode & 0777);
	bed_close();
	bed_open();
	expect(200, NULL, GET("/healthz") "\r\n");
	read_file(certificate, second);
	TEST_ASSERT_EQUAL_STRING(first, second);
	bed_close();
	/* What is there already is nobody's to replace. */
	TEST_ASSERT_EQUAL(0, unlink(certificate));
	bed_open();
	expect(200, NULL, GET("/healthz") "\r\n");
	TEST_ASSERT_NOT_EQUAL(0, access(certificate, F_OK));
	bed_close();
	TEST_ASSERT_EQUAL(0, unlink(key));
	TEST_ASSERT_EQUAL(0, rmdir(folder));
	bed_open(); /* the folder is not there: for this process alone */
	expect(200, NULL, GET("/healthz") "\r\n");
}

static void test_any_user_may_see_the_page(void)
{
	bed_options.page = OPTIONS_PAGE_TOKEN;
	open_with_map("[]");
	expect(200, &jane, GET("/berth/v1/overview") "\r\n");
	expect(403, &jane, GET("/configz") "\r\n");
	expect(403, NULL, GET("/berth/v1/overview") "\r\n");
}

/* ---- bodies ---- */

#define POST(headers)                                                                             \
	"POST /berth/v1/whatif HTTP/1.1\r\nHost: status.example\r\nConnection: close\r\n" headers \
	"\r"                                                                                      \
	"\n"

static void test_a_body_is_not_read_before_it_may_come(void)
{
	static struct visitor slow;
	open_with_map("[]");
	/* A stranger that only says that much will come is answered at once, and holds nothing. */
	expect(403, NULL, POST("Content-Length: 30000\r\n"));
	TEST_ASSERT_TRUE(visitor_come(&slow, NULL));
	visitor_say(&slow, POST("Content-Length: 30000\r\n"),
		sizeof(POST("Content-Length: 30000\r\n")) - 1);
	expect(400, &root, POST("Content-Length: 2\r\n") "{}");
	visitor_go(&slow);
	/* Who may and is slow has a few seconds. */
	TEST_ASSERT_TRUE(visitor_come(&slow, &root));
	visitor_say(&slow, POST("Content-Length: 30000\r\nExpect: 100-continue\r\n"),
		sizeof(POST("Content-Length: 30000\r\nExpect: 100-continue\r\n")) - 1);
	visitor_hear(&slow, 50);
	TEST_ASSERT_EQUAL_STRING("HTTP/1.1 100 Continue\r\n\r\n", slow.heard);
	expect(503, &root, POST("Content-Length: 2\r\n") "{}");
	bed_loopback.now_us += 6 * CLOCK_S_US;
	bed_turns(20);
	visitor_hear(&slow, 20);
	TEST_ASSERT_TRUE(slow.ended);
	visitor_go(&slow);
	expect(400, &root, POST("Content-Length: 2\r\n") "{}");
	bed_loopback.now_us += CLOCK_S_US;
	expect(400, &root, POST("Content-Length: 0\r\n"));
	expect(413, &root, POST("Content-Length: 32769\r\n"));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_authorities_of_the_cluster);
	RUN_TEST(test_a_front_proxy_says_who_asks);
	RUN_TEST(test_an_anonymous_user_of_a_proxy_is_not_authenticated);
	RUN_TEST(test_a_certificate_without_a_name_is_nobodys);
	RUN_TEST(test_no_names_are_any_name);
	RUN_TEST(test_names_that_cannot_be_read_change_nothing);
	RUN_TEST(test_authorities_change);
	RUN_TEST(test_an_intolerable_failure);
	RUN_TEST(test_lookup_can_be_skipped);
	RUN_TEST(test_a_front_proxy_by_flags);
	RUN_TEST(test_files_of_authorities);
	RUN_TEST(test_a_certificate_of_ones_own_is_kept);
	RUN_TEST(test_any_user_may_see_the_page);
	RUN_TEST(test_a_body_is_not_read_before_it_may_come);
	return UNITY_END();
}
