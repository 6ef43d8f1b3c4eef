/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TLS and credentials: who is trusted and who is not, resumption, certificates and tokens that
 * change, and a fence that is too small.
 */
// deps: net/*.c tls/*.c http/*.c base/*.c tests/http/other_end.c tests/http/fixture.c
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/store.h"
#include "http/fixture.h"

static struct fixture f;
static struct fixture_request r[12];
static struct server_certificate made;
static char folder[64];
static char path[4][96];

static const char *file(int i, const char *content)
{
	char next[128];

	/* as the kubelet does it: a new file takes the place of the old one */
	snprintf(path[i], sizeof(path[i]), "%s/%d", folder, i);
	snprintf(next, sizeof(next), "%s.next", path[i]);
	FILE *out = fopen(next, "w");
	TEST_ASSERT_NOT_NULL(out);
	fputs(content, out);
	fclose(out);
	TEST_ASSERT_EQUAL_INT(0, rename(next, path[i]));
	return path[i];
}

void setUp(void)
{
	snprintf(folder, sizeof(folder), "build/tls.XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	memset(path, 0, sizeof(path));
	memset(r, 0, sizeof(r));
	fixture_init(&f);
}

void tearDown(void)
{
	for (int i = 0; i < 4; i++)
		if (path[i][0] != '\0')
			unlink(path[i]);
	rmdir(folder);
	fixture_close(&f);
}

static void serve(struct server_setup setup)
{
	if (setup.certificate == NULL)
		setup.certificate = &fixture_server;
	fixture_serve(&f, &setup);
	TEST_ASSERT_NOT_NULL_MESSAGE(fixture_open(&f), f.fault);
}

static void check(const struct fixture_request *q, enum net_result result, int status)
{
	TEST_ASSERT_EQUAL_UINT32(1, q->done);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(
		net_result_name(result), net_result_name(q->end.result), q->end.detail);
	TEST_ASSERT_EQUAL_INT(status, q->end.status);
}

static void has(const struct fixture_request *q, const char *part)
{
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(q->body, part), q->body);
}

static void refused(const char *why)
{
	fixture_get(&f, &r[0], "/echo");
	check(&r[0], NET_TLS_FAILED, 0);
	TEST_ASSERT_EQUAL_STRING(why, r[0].end.detail);
	TEST_ASSERT_FALSE(r[0].end.sent);
	TEST_ASSERT_EQUAL_UINT32(0, f.server.counts->requests);
}

static void make(
	const char *names, int from_days, int to_days, const struct server_certificate *issuer)
{
	server_make_certificate(&made,
		&(struct server_name){.common = "made",
			.names = names,
			.from_days = from_days,
			.to_days = to_days},
		issuer);
}

/* ---- who is trusted ---- */

static void test_both_versions(void)
{
	serve((struct server_setup){.only_tls12 = true});
	fixture_get(&f, &r[0], "/echo");
	check(&r[0], NET_OK, 200);
	has(&r[0], "tls=TLSv1.2");
}

/* A common name is no name of a server, as Go has it. */
static void test_tls_without_alternative_names_is_refused(void)
{
	static struct server_certificate ca, own;

	server_make_certificate(&ca,
		&(struct server_name){.common = "ca", .names = "", .from_days = -1, .to_days = 10},
		NULL);
	server_make_certificate(&own,
		&(struct server_name){
			.common = "localhost", .names = "", .from_days = -1, .to_days = 10},
		&ca);
	f.target.ca = text_of(ca.certificate);
	f.target.server_name = TEXT("localhost");
	serve((struct server_setup){.certificate = &own});
	refused("server certificate: it names no host (no subject alternative name)");
}

static void test_tls_under_name_constraints_is_refused(void)
{
	static struct server_certificate ca, own;

	server_make_certificate(&ca,
		&(struct server_name){.common = "ca",
			.names = "",
			.from_days = -1,
			.to_days = 10,
			.constrained = true},
		NULL);
	server_make_certificate(&own,
		&(struct server_name){
			.common = "s", .names = "dns:localhost", .from_days = -1, .to_days = 10},
		&ca);
	f.target.ca = text_of(ca.certificate);
	f.target.server_name = TEXT("localhost");
	serve((struct server_setup){.certificate = &own});
	refused("server certificate: its authority's name constraints are not supported");
}

static void test_names_and_addresses(void)
{
	static const struct {
		const char *name;
		bool good;
	} names[] = {{"localhost", true}, {"LOCALHOST", true}, {"localhost.", true},
		{"a.example.net", true}, {"127.0.0.1", true}, {"::1", true},
		{"0:0:0:0:0:0:0:1", true}, {"example.net", false}, {"a.b.example.net", false},
		{"127.0.0.2", false}, {"::2", false}, {"localhost.evil", false}, {"server", false}};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		f.target.server_name = text_of(names[i].name);
		serve((struct server_setup){.certificate = NULL});
		fixture_get(&f, &r[0], "/echo");
		TEST_ASSERT_EQUAL_STRING_MESSAGE(names[i].good ? "ok" : "tls-failed",
			net_result_name(r[0].end.result), names[i].name);
		if (!names[i].good)
			TEST_ASSERT_EQUAL_STRING(
				"server certificate: it is for another name", r[0].end.detail);
		fixture_close(&f);
		fixture_init(&f);
	}
}

static void test_another_ca(void)
{
	f.target.ca = text_of(fixture_other_ca.certificate);
	serve((struct server_setup){.certificate = NULL});
	refused("server certificate: it is not signed by the certificate authority");
}

static void test_a_ca_of_the_same_name(void)
{
	server_make_certificate(&made,
		&(struct server_name){.common = "ca", .names = "", .from_days = -1, .to_days = 9},
		NULL);
	f.target.ca = text_of(made.certificate);
	serve((struct server_setup){.certificate = NULL});
	refused("server certificate: it is not signed by the certificate authority");
}

static void test_a_leaf_is_no_ca(void)
{
	static struct server_certificate leaf;

	make("", -1, 10, &fixture_ca);
	server_make_certificate(&leaf,
		&(struct server_name){
			.common = "leaf", .names = "ip:127.0.0.1", .from_days = -1, .to_days = 10},
		&made);
	serve((struct server_setup){.certificate = &leaf});
	refused("server certificate: it is not signed by the certificate authority");
}

static void test_expired(void)
{
	make("ip:127.0.0.1", -10, -1, &fixture_ca);
	serve((struct server_setup){.certificate = &made});
	refused("server certificate: it has expired");
}

static void test_not_valid_yet(void)
{
	make("ip:127.0.0.1", 1, 10, &fixture_ca);
	serve((struct server_setup){.certificate = &made});
	refused("server certificate: it is not valid yet (is the clock right?)");
}

/* A clock that may be wrong: what the dates would have said is asked afterwards. */
static void test_tls_when_any_time_will_do_then_the_dates_are_told(void)
{
	const struct clock clock = clock_system();
	struct wall now = clock_wall(&clock);
	const int64_t day = 86400LL * CLOCK_S_US;

	make("ip:127.0.0.1", -10, -1, &fixture_ca);
	f.target.any_time = true;
	serve((struct server_setup){.certificate = &made});
	fixture_get(&f, &r[0], "/echo");
	check(&r[0], NET_OK, 200);
	TEST_ASSERT_FALSE(net_client_was_valid(f.client, now));
	/* Good from ten days ago to one; its authority from one day ago on. */
	TEST_ASSERT_FALSE(net_client_was_valid(f.client, (struct wall){now.us - 11 * day}));
	TEST_ASSERT_FALSE(net_client_was_valid(f.client, (struct wall){0}));
}

static void test_tls_when_any_time_will_do_then_a_good_one_is_good_now(void)
{
	const struct clock clock = clock_system();
	struct wall now = clock_wall(&clock);

	f.target.any_time = true;
	serve((struct server_setup){.only_tls12 = false});
	fixture_get(&f, &r[0], "/echo");
	check(&r[0], NET_OK, 200);
	TEST_ASSERT_TRUE(net_client_was_valid(f.client, now));
	TEST_ASSERT_FALSE(net_client_was_valid(f.client, (struct wall){INT64_MAX}));
}

static void test_tls_when_any_time_will_do_then_all_else_is_proven(void)
{
	static struct server_certificate other;

	server_make_certificate(&other,
		&(struct server_name){
			.common = "other", .names = "", .from_days = -1, .to_days = 10},
		NULL);
	make("ip:127.0.0.1", -10, -1, &other);
	f.target.any_time = true;
	serve((struct server_setup){.certificate = &made});
	refused("server certificate: it is not signed by the certificate authority");
}

static void test_rsa(void)
{
	static struct server_certificate ca;
	const struct server_name name = {
		.common = "rsa ca", .names = "", .from_days = -1, .to_days = 10, .rsa = true};

	server_make_certificate(&ca, &name, NULL);
	server_make_certificate(&made,
		&(struct server_name){.common = "rsa",
			.names = "ip:127.0.0.1",
			.from_days = -1,
			.to_days = 10,
			.rsa = true},
		&ca);
	f.target.ca = text_of(ca.certificate);
	f.target.certificate = text_of(made.certificate);
	f.target.key = text_of(made.key);
	serve((struct server_setup){.certificate = &made, .client_ca = ca.certificate});
	fixture_get(&f, &r[0], "/echo");
	check(&r[0], NET_OK, 200);
	has(&r[0], "client=CN=rsa ");
}

static void test_insecure(void)
{
	f.target.insecure_skip_verify = true;
	f.target.ca = TEXT_NONE;
	make("dns:other", -10, -1, &fixture_other_ca);
	serve((struct server_setup){.certificate = &made});
	fixture_get(&f, &r[0], "/echo");
	check(&r[0], NET_OK, 200);
}

static void test_not_tls_at_all(void)
{
	fixture_serve(&f, &(struct server_setup){.certificate = NULL});
	f.target.connect_timeout_ms = 300;
	TEST_ASSERT_NOT_NULL(fixture_open(&f));
	fixture_get(&f, &r[0], "/echo");
	TEST_ASSERT_NOT_EQUAL(NET_OK, r[0].end.result);
	TEST_ASSERT_FALSE(r[0].end.sent);
}

/* ---- who we are ---- */

static void test_client_certificate(void)
{
	for (int only_tls12 = 0; only_tls12 < 2; only_tls12++) {
		f.target.certificate = text_of(fixture_user.certificate);
		f.target.key = text_of(fixture_user.key);
		serve((struct server_setup){
			.client_ca = fixture_ca.certificate, .only_tls12 = only_tls12 == 1});
		fixture_get(&f, &r[0], "/echo");
		check(&r[0], NET_OK, 200);
		has(&r[0], "client=CN=system:kube-scheduler ");
		fixture_close(&f);
		fixture_init(&f);
	}
}

/* With TLS 1.3 the client is done before the server has looked at its certificate. */
static void test_client_certificate_is_missing_or_wrong(void)
{
	for (int i = 0; i < 4; i++) {
		if (i >= 2) {
			make("", -1, 10, &fixture_other_ca);
			f.target.certificate = text_of(made.certificate);
			f.target.key = text_of(made.key);
		}
		serve((struct server_setup){
			.client_ca = fixture_ca.certificate, .only_tls12 = i % 2 == 1});
		fixture_get(&f, &r[0], "/echo");
		TEST_ASSERT_EQUAL_STRING(
			i % 2 == 1 ? "tls-failed" : "reset", net_result_name(r[0].end.result));
		if (i == 3)
			TEST_ASSERT_EQUAL_STRING(
				"the server refused the handshake, or the certificate "
				"shown to it",
				r[0].end.detail);
		TEST_ASSERT_EQUAL_UINT32(0, f.server.counts->requests);
		fixture_close(&f);
		fixture_init(&f);
	}
}

static void test_token(void)
{
	f.target.token = TEXT("s.e-c_r+e/t=");
	serve((struct server_setup){.certificate = NULL});
	fixture_get(&f, &r[0], "/echo");
	has(&r[0], "auth=Bearer s.e-c_r+e/t= ");
}

static void test_user_and_password(void)
{
	f.target.username = TEXT("admin");
	f.target.password = TEXT("p:w");
	serve((struct server_setup){.certificate = NULL});
	fixture_get(&f, &r[0], "/echo");
	has(&r[0], "auth=Basic YWRtaW46cDp3 ");
}

/* ---- targets that cannot work ---- */

static void unusable(const char *why)
{
	TEST_ASSERT_NULL(fixture_open(&f));
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(f.fault, why), f.fault);
	fixture_close(&f);
	fixture_init(&f);
	f.target.port = 1;
}

static void test_targets_that_cannot_work(void)
{
	char old[SERVER_PEM_MAX];

	f.target.port = 1;
	f.target.ca = TEXT("no PEM");
	unusable("certificate authority: not PEM");
	f.target.ca = TEXT_NONE;
	unusable("no certificate authority is named");
	f.target.insecure_skip_verify = true;
	unusable("specifying a root certificates file with the insecure flag is not allowed");
	f.target.ca = TEXT_NONE;
	f.target.ca_file = "build/not-there";
	unusable("build/not-there: No such file or directory");
	f.target.ca = TEXT_NONE;
	f.target.ca_file = "build";
	unusable("build: not a regular file");
	f.target.certificate = text_of(fixture_user.certificate);
	unusable("a client certificate without a client key");
	f.target.key = text_of(fixture_user.key);
	unusable("a client key without a client certificate");
	f.target.certificate = text_of(fixture_user.certificate);
	f.target.key = text_of(fixture_server.key);
	unusable("it does not belong to the client certificate");
	f.target.certificate = text_of(fixture_user.certificate);
	f.target.key = TEXT("-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n");
	unusable("client key: not PEM");
	f.target.token = TEXT("a b");
	unusable("token: empty, or with characters that no token has");
	f.target.token_file = file(0, "\n");
	unusable("empty, or with characters that no token has");
	f.target.host = TEXT("not a name");
	unusable("not a name: not a host name or address");
	f.target.host = TEXT("a..b");
	unusable("not a host name or address");
	f.target.path_prefix = TEXT("/a b");
	unusable("the server's path is not escaped");
	snprintf(old, sizeof(old), "%s", fixture_ca.certificate);
	strcpy(old + strlen(old) / 2, "\n-----END CERTIFICATE-----\n");
	f.target.ca = text_of(old);
	unusable("certificate authority: ");
	f.tls_connections_max = 0;
	unusable("https is not set up");
}

/* ---- resumption ---- */

static void check_resumption(bool only_tls12)
{
	struct net_client_stats stats;

	serve((struct server_setup){.only_tls12 = only_tls12});
	for (int i = 0; i < 5; i++) {
		fixture_get(&f, &r[0], "/close");
		check(&r[0], NET_OK, 200);
	}
	stats = net_client_stats(f.client);
	TEST_ASSERT_EQUAL_UINT64(5, stats.handshakes);
	TEST_ASSERT_EQUAL_UINT64(4, stats.resumptions);
	/* an hour later the certificate is looked at again */
	f.clock_ahead_us += (int64_t)(TLS_TICKET_AGE_MAX_S + 1) * 1000000;
	fixture_get(&f, &r[0], "/close");
	stats = net_client_stats(f.client);
	TEST_ASSERT_EQUAL_UINT64(6, stats.handshakes);
	TEST_ASSERT_EQUAL_UINT64(4, stats.resumptions);
}

static void test_resumption_with_tls13(void)
{
	check_resumption(false);
}

static void test_resumption_with_tls12(void)
{
	check_resumption(true);
}

/* Who wants four connections at once shakes hands in full on the first, and the others have its
 * ticket. */
static void test_one_full_handshake_for_all(void)
{
	f.target.connections = 4;
	serve((struct server_setup){.certificate = NULL});
	for (int i = 0; i < 4; i++) {
		r[i].request.class = NET_LEASE;
		fixture_send(&f, &r[i], NET_GET, "/slow/400");
	}
	for (int i = 0; i < 4; i++) {
		TEST_ASSERT_TRUE(fixture_wait(&f, &r[i]));
		check(&r[i], NET_OK, 200);
	}
	TEST_ASSERT_EQUAL_UINT64(4, net_client_stats(f.client).handshakes);
	TEST_ASSERT_EQUAL_UINT64(3, net_client_stats(f.client).resumptions);
}

/* A server that was restarted does not know the ticket: a full handshake, no failure. */
static void test_a_ticket_that_the_server_forgot(void)
{
	for (int only_tls12 = 0; only_tls12 < 2; only_tls12++) {
		struct server_setup setup = {
			.certificate = &fixture_server, .only_tls12 = only_tls12 == 1};

		serve(setup);
		fixture_get(&f, &r[0], "/close");
		server_stop(&f.server);
		setup.port = f.target.port;
		server_start(&f.server, &setup);
		fixture_get(&f, &r[0], "/close");
		check(&r[0], NET_OK, 200);
		TEST_ASSERT_EQUAL_UINT64(0, net_client_stats(f.client).resumptions);
		fixture_close(&f);
		fixture_init(&f);
	}
}

/* ---- files that change ---- */

static void later(int64_t ms)
{
	f.clock_ahead_us += ms * 1000;
	fixture_turn(&f, 1);
}

static void test_a_token_file_that_changes(void)
{
	f.target.token_file = file(0, "old\n");
	serve((struct server_setup){.certificate = NULL});
	fixture_get(&f, &r[0], "/auth/old");
	check(&r[0], NET_OK, 200);
	file(0, "newer\n");
	/* not looked at all the time ... */
	fixture_get(&f, &r[0], "/auth/newer");
	check(&r[0], NET_OK, 401);
	/* ... but soon after a 401 */
	later(1001);
	fixture_get(&f, &r[0], "/auth/newer");
	check(&r[0], NET_OK, 200);
	/* and once a minute */
	file(0, "newest\n");
	later(CREDENTIALS_TOKEN_CHECK_MS);
	fixture_get(&f, &r[0], "/auth/newest");
	check(&r[0], NET_OK, 200);
	/* what cannot be used leaves what was there */
	file(0, " \n");
	later(CREDENTIALS_TOKEN_CHECK_MS);
	fixture_get(&f, &r[0], "/auth/newest");
	check(&r[0], NET_OK, 200);
	unlink(path[0]);
	later(CREDENTIALS_TOKEN_CHECK_MS);
	fixture_get(&f, &r[0], "/auth/newest");
	check(&r[0], NET_OK, 200);
}

static void test_a_client_certificate_that_changes(void)
{
	make("", -1, 10, &fixture_ca);
	f.target.certificate_file = file(0, fixture_user.certificate);
	f.target.key_file = file(1, fixture_user.key);
	/* TLS 1.2: there the server still knows the certificate when it resumes */
	serve((struct server_setup){.client_ca = fixture_ca.certificate, .only_tls12 = true});
	r[1].request.class = NET_WATCH;
	fixture_send(&f, &r[1], NET_GET, "/stall");
	for (int i = 0; i < 50 && r[1].body_size == 0; i++)
		fixture_turn(&f, 20);
	fixture_get(&f, &r[0], "/close");
	/* half of it: the old pair stays */
	file(0, made.certificate);
	later(CREDENTIALS_CHECK_MS);
	fixture_get(&f, &r[0], "/echo");
	has(&r[0], "client=CN=system:kube-scheduler ");
	fixture_get(&f, &r[0], "/close");
	file(1, made.key);
	later(CREDENTIALS_CHECK_MS);
	fixture_get(&f, &r[0], "/echo");
	has(&r[0], "client=CN=made ");
	TEST_ASSERT_EQUAL_UINT32(0, r[1].done);
	/* a second change: the watch that began before the first has to go */
	fixture_get(&f, &r[0], "/close");
	file(0, fixture_user.certificate);
	file(1, fixture_user.key);
	later(CREDENTIALS_CHECK_MS);
	fixture_get(&f, &r[0], "/echo");
	has(&r[0], "client=CN=system:kube-scheduler ");
	check(&r[1], NET_RESET, 200);
	TEST_ASSERT_EQUAL_STRING("the credentials changed twice", r[1].end.detail);
}

static void test_idle_connections_go_with_their_certificate(void)
{
	make("", -1, 10, &fixture_ca);
	f.target.certificate_file = file(0, fixture_user.certificate);
	f.target.key_file = file(1, fixture_user.key);
	serve((struct server_setup){.client_ca = fixture_ca.certificate, .only_tls12 = true});
	fixture_get(&f, &r[0], "/echo");
	has(&r[0], "connection=1 request=1 ");
	file(0, made.certificate);
	file(1, made.key);
	later(CREDENTIALS_CHECK_MS);
	/* the second connection that this needs makes it look; the first is idle then */
	for (int i = 0; i < 3; i++) {
		r[i].request.class = NET_LEASE;
		fixture_send(&f, &r[i], NET_GET, "/slow/200");
	}
	for (int i = 0; i < 3; i++)
		TEST_ASSERT_TRUE(fixture_wait(&f, &r[i]));
	fixture_turn(&f, 10);
	fixture_get(&f, &r[0], "/echo");
	has(&r[0], "client=CN=made ");
}

static void test_a_ca_that_changes(void)
{
	f.target.ca = TEXT_NONE;
	f.target.ca_file = file(0, fixture_other_ca.certificate);
	serve((struct server_setup){.certificate = NULL});
	refused("server certificate: it is not signed by the certificate authority");
	later(200);
	refused("server certificate: it is not signed by the certificate authority");
	file(0, fixture_ca.certificate);
	later(CREDENTIALS_CHECK_MS);
	fixture_get(&f, &r[0], "/close");
	check(&r[0], NET_OK, 200);
	/* several CAs in one file: both are trusted */
	char both[2 * SERVER_PEM_MAX];
	snprintf(both, sizeof(both), "%s%s", fixture_other_ca.certificate, fixture_ca.certificate);
	file(0, both);
	later(CREDENTIALS_CHECK_MS);
	fixture_get(&f, &r[0], "/close");
	check(&r[0], NET_OK, 200);
}

/* ---- memory ---- */

/* The sum that tls.c states: what open connections, handshakes and identities really take. */
static void test_memory_of_connections(void)
{
	uint64_t none, idle, used_max;

	f.target.connections = 8;
	f.target.certificate = text_of(fixture_user.certificate);
	f.target.key = text_of(fixture_user.key);
	serve((struct server_setup){.client_ca = fixture_ca.certificate});
	none = tls_fence()->budget.used;
	for (int i = 0; i < 8; i++) {
		r[i].request.class = NET_LEASE;
		fixture_send(&f, &r[i], NET_GET, "/slow/400");
	}
	for (int i = 0; i < 8; i++)
		TEST_ASSERT_TRUE(fixture_wait(&f, &r[i]));
	idle = tls_fence()->budget.used;
	used_max = tls_fence()->budget.used_max;
	TEST_ASSERT_EQUAL_UINT32(8, net_client_stats(f.client).open);
	printf("TLS memory: %llu for an identity, %llu for a connection, %llu at most for 8, %llu "
	       "fenced\n",
		(unsigned long long)none, (unsigned long long)(idle - none) / 8,
		(unsigned long long)used_max, (unsigned long long)tls_fence()->budget.capacity);
	TEST_ASSERT_EQUAL_UINT64(0, tls_fence()->budget.refused);
	TEST_ASSERT_LESS_THAN_UINT64(tls_fence()->budget.capacity, used_max);
}

/* A fence for one connection, and eight that want to be open: results, no crash, and recovery. */
static void test_a_fence_that_is_full(void)
{
	int ok = 0, failed = 0;

	f.target.connections = 8;
	f.tls_connections_max = 1;
	serve((struct server_setup){.certificate = NULL});
	/* What is there for handshakes of servers, of which there are none. */
	uint32_t taken = store_take(tls_fence(), 96 * 1024);
	TEST_ASSERT_NOT_EQUAL_UINT32(0, taken);
	for (int i = 0; i < 8; i++) {
		r[i].request.class = NET_LEASE;
		fixture_send(&f, &r[i], NET_GET, "/slow/300");
	}
	for (int i = 0; i < 8; i++) {
		TEST_ASSERT_TRUE(fixture_wait(&f, &r[i]));
		ok += r[i].end.result == NET_OK;
		failed += r[i].end.result != NET_OK;
	}
	TEST_ASSERT_GREATER_THAN_INT(0, ok);
	TEST_ASSERT_GREATER_THAN_UINT64(0, tls_fence()->budget.refused);
	store_give(tls_fence(), taken);
	later(IDLE_MAX_MS + 1);
	fixture_get(&f, &r[0], "/echo");
	check(&r[0], NET_OK, 200);
	(void)failed;
}

/* Every single allocation of a handshake fails once. */
static void test_every_size_of_fence(void)
{
	uint32_t ok = 0;

	fixture_serve(&f, &(struct server_setup){.certificate = &fixture_server});
	struct server server = f.server;
	for (uint32_t kept = 0; kept < 64 && ok < 3; kept++) {
		f.target.port = server.port;
		TEST_ASSERT_NOT_NULL_MESSAGE(fixture_open(&f), f.fault);
		/* all but `kept` kilobytes are taken by somebody else */
		uint32_t blocks[1024], count = 0,
				       reserve = store_take(tls_fence(), 1024 * (kept + 1));
		while ((blocks[count] = store_take(tls_fence(), 1024)) != 0)
			count++;
		while (count < ARRAY_COUNT(blocks) - 1 &&
			(blocks[count] = store_take(tls_fence(), 64)) != 0)
			count++;
		store_give(tls_fence(), reserve);
		fixture_get(&f, &r[0], "/close");
		ok += r[0].end.result == NET_OK;
		while (count > 0)
			store_give(tls_fence(), blocks[--count]);
		f.server.pid = 0;
		fixture_close(&f);
		fixture_init(&f);
	}
	f.server = server;
	TEST_ASSERT_EQUAL_UINT32(3, ok);
}

int main(void)
{
	fixture_make_certificates();
	UNITY_BEGIN();
	RUN_TEST(test_both_versions);
	RUN_TEST(test_tls_without_alternative_names_is_refused);
	RUN_TEST(test_tls_under_name_constraints_is_refused);
	RUN_TEST(test_names_and_addresses);
	RUN_TEST(test_another_ca);
	RUN_TEST(test_a_ca_of_the_same_name);
	RUN_TEST(test_a_leaf_is_no_ca);
	RUN_TEST(test_expired);
	RUN_TEST(test_not_valid_yet);
	RUN_TEST(test_tls_when_any_time_will_do_then_the_dates_are_told);
	RUN_TEST(test_tls_when_any_time_will_do_then_a_good_one_is_good_now);
	RUN_TEST(test_tls_when_any_time_will_do_then_all_else_is_proven);
	RUN_TEST(test_rsa);
	RUN_TEST(test_insecure);
	RUN_TEST(test_not_tls_at_all);
	RUN_TEST(test_client_certificate);
	RUN_TEST(test_client_certificate_is_missing_or_wrong);
	RUN_TEST(test_token);
	RUN_TEST(test_user_and_password);
	RUN_TEST(test_targets_that_cannot_work);
	RUN_TEST(test_resumption_with_tls13);
	RUN_TEST(test_resumption_with_tls12);
	RUN_TEST(test_one_full_handshake_for_all);
	RUN_TEST(test_a_ticket_that_the_server_forgot);
	RUN_TEST(test_a_token_file_that_changes);
	RUN_TEST(test_a_client_certificate_that_changes);
	RUN_TEST(test_idle_connections_go_with_their_certificate);
	RUN_TEST(test_a_ca_that_changes);
	RUN_TEST(test_memory_of_connections);
	RUN_TEST(test_a_fence_that_is_full);
	RUN_TEST(test_every_size_of_fence);
	return UNITY_END();
}
