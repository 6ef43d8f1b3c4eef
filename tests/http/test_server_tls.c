/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server on real sockets with TLS, asked by berth's own client from the same loop: who it is,
 * who asks, certificates that change, and what it costs.
 */
// deps: net/*.c tls/*.c http/*.c base/*.c tests/http/server_fixture.c
#include "unity.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/store.h"
#include "http/server_fixture.h"
#include "http/server_private.h"

void setUp(void)
{
	bed_init();
}

void tearDown(void)
{
	bed_close();
}

/* ---- certificates ---- */

static void test_a_certificate_made_in_memory_is_trusted_by_who_has_it(void)
{
	bed_serve();
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/x"));
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/y"));
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(bed_server).handshakes);
	TEST_ASSERT_EQUAL_UINT64(2, net_server_stats(bed_server).requests);
	bed_targets[1].ca = text_of(bed_other_own.certificate);
	static struct asked asked;
	bed_start(1, &asked, "/x");
	bed_finish(&asked);
	TEST_ASSERT_EQUAL_STRING("tls-failed", net_result_name(asked.end.result));
	TEST_ASSERT_EQUAL_STRING(
		"server certificate: it is not signed by the certificate authority",
		asked.end.detail);
	bed_turns(20);
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(bed_server).handshake_failures);
}

static void test_names_in_the_certificate(void)
{
	static struct asked asked;

	bed_serve();
	bed_targets[0].server_name = TEXT("localhost");
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	bed_targets[1].server_name = TEXT("::1");
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(1, "/"));
	bed_targets[2].server_name = TEXT("berth");
	bed_start(2, &asked, "/");
	bed_finish(&asked);
	TEST_ASSERT_EQUAL_STRING("server certificate: it is for another name", asked.end.detail);
}

static void test_clients_by_their_certificates(void)
{
	bed_setup.client_ca = text_of(bed_ca.certificate);
	bed_setup.proxy_ca = text_of(bed_other_ca.certificate);
	bed_serve();
	bed_targets[1].certificate = text_of(bed_user.certificate);
	bed_targets[1].key = text_of(bed_user.key);
	bed_targets[2].certificate = text_of(bed_proxy.certificate);
	bed_targets[2].key = text_of(bed_proxy.key);
	bed_targets[3].certificate = text_of(bed_stranger.certificate);
	bed_targets[3].key = text_of(bed_stranger.key);
	TEST_ASSERT_EQUAL_STRING("none cn=", bed_get(0, "/who"));
	TEST_ASSERT_EQUAL_STRING(
		"good cn=jane o=system:masters o=o, with a comma by-client-ca", bed_get(1, "/who"));
	TEST_ASSERT_EQUAL_STRING("good cn=front-proxy by-proxy-ca", bed_get(2, "/who"));
	TEST_ASSERT_EQUAL_STRING("bad cn=", bed_get(3, "/who"));
	/* the second time on the same connection as well */
	TEST_ASSERT_EQUAL_STRING(
		"good cn=jane o=system:masters o=o, with a comma by-client-ca", bed_get(1, "/who"));
}

/* What not everybody reads alike, or what there is no room for, is no name at all. */
static void test_names_that_are_none(void)
{
	static const char *const many[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11",
		"12", "13", "14", "15", "16", "17", NULL};
	static const char *const groups[] = {"system:masters\x01", NULL};
	static const char *const latin[] = {"syst\xe8mes", NULL};
	const struct tls_certificate_request wishes[] = {
		{.common_name = "jane", .organizations = many},
		{.common_name = "jane", .organizations = many + 1},
		{.common_name = "jane", .organizations = groups},
		{.common_name = "jane", .organizations = latin}, {.common_name = "ja\x7fne"}};
	static const char *const told[] = {"bad cn=",
		("good cn=jane o=2 o=3 o=4 o=5 o=6 o=7 o=8 o=9 o=10 o=11 o=12 o=13 o=14 o=15 o=16 "
		 "o=17 by-client-ca"),
		"bad cn=", "bad cn=", "bad cn="};

	bed_setup.client_ca = text_of(bed_ca.certificate);
	bed_serve();
	for (uint32_t i = 0; i < ARRAY_COUNT(wishes); i++) {
		static struct tls_certificate made;
		struct tls_certificate_request wish = wishes[i];
		struct writer fault;

		wish.days = 1;
		wish.for_client = true;
		wish.issuer = &bed_ca;
		writer_init(&fault, bed_fault, sizeof(bed_fault));
		TEST_ASSERT_TRUE(tls_certificate_make(bed_net, &wish, &made, &fault));
		bed_targets[0].certificate = text_of(made.certificate);
		bed_targets[0].key = text_of(made.key);
		TEST_ASSERT_EQUAL_STRING(told[i], bed_get(0, "/who"));
		net_client_close(bed_clients[0]);
		bed_clients[0] = NULL;
	}
}

static void test_an_authority_in_both_lists(void)
{
	bed_setup.client_ca = bed_setup.proxy_ca = text_of(bed_ca.certificate);
	bed_serve();
	bed_targets[0].certificate = text_of(bed_user.certificate);
	bed_targets[0].key = text_of(bed_user.key);
	TEST_ASSERT_EQUAL_STRING(
		"good cn=jane o=system:masters o=o, with a comma by-client-ca by-proxy-ca",
		bed_get(0, "/who"));
}

static void test_a_server_certificate_is_none_of_a_client(void)
{
	bed_setup.client_ca = text_of(bed_own.certificate);
	bed_serve();
	bed_targets[0].certificate = text_of(bed_own.certificate);
	bed_targets[0].key = text_of(bed_own.key);
	TEST_ASSERT_EQUAL_STRING("bad cn=", bed_get(0, "/who"));
}

static void test_new_authorities_while_it_runs(void)
{
	struct writer fault;

	bed_setup.client_ca = text_of(bed_ca.certificate);
	bed_serve();
	for (uint32_t i = 0; i < 3; i++) {
		bed_targets[i].certificate = text_of(bed_user.certificate);
		bed_targets[i].key = text_of(bed_user.key);
	}
	TEST_ASSERT_EQUAL_STRING_LEN("good", bed_get(0, "/who"), 4);
	writer_init(&fault, bed_fault, sizeof(bed_fault));
	TEST_ASSERT_FALSE(net_server_trust(bed_server, TEXT("rubbish"), TEXT_NONE, &fault));
	TEST_ASSERT_EQUAL_STRING_LEN("certificate authority of clients: not PEM", bed_fault, 41);
	TEST_ASSERT_EQUAL_STRING_LEN("good", bed_get(1, "/who"), 4);
	TEST_ASSERT_TRUE(
		net_server_trust(bed_server, text_of(bed_other_ca.certificate), TEXT_NONE, &fault));
	TEST_ASSERT_EQUAL_STRING_LEN("bad", bed_get(2, "/who"), 3);
	/* those who came before keep what they had been told */
	TEST_ASSERT_EQUAL_STRING_LEN("good", bed_get(1, "/who"), 4);
}

static void write_file(const char *path, const char *text)
{
	char other[128];
	FILE *file;

	snprintf(other, sizeof(other), "%s.new", path);
	file = fopen(other, "w");
	TEST_ASSERT_NOT_NULL(file);
	TEST_ASSERT_GREATER_OR_EQUAL_INT(0, fputs(text, file));
	TEST_ASSERT_EQUAL_INT(0, fclose(file));
	TEST_ASSERT_EQUAL_INT(0, rename(other, path));
}

static void test_files_that_change(void)
{
	char folder[] = "build/server.XXXXXX", certificate[64], key[64];

	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(certificate, sizeof(certificate), "%s/tls.crt", folder);
	snprintf(key, sizeof(key), "%s/tls.key", folder);
	write_file(certificate, bed_own.certificate);
	write_file(key, bed_own.key);
	bed_setup.certificate = bed_setup.key = TEXT_NONE;
	bed_setup.certificate_file = certificate;
	bed_setup.key_file = key;
	bed_serve();
	bed_targets[1].ca = bed_targets[2].ca = text_of(bed_other_own.certificate);
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	/* half of the pair is new: the old pair serves on */
	write_file(certificate, bed_other_own.certificate);
	bed_clock_ahead_us += 11 * CLOCK_S_US;
	bed_turn(1000);
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	write_file(key, bed_other_own.key);
	bed_clock_ahead_us += 11 * CLOCK_S_US;
	bed_turn(1000);
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(1, "/"));
	/* who was connected before stays */
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	TEST_ASSERT_EQUAL_UINT64(2, net_server_stats(bed_server).handshakes);
	TEST_ASSERT_EQUAL_INT(0, unlink(certificate) + unlink(key) + rmdir(folder));
	bed_clock_ahead_us += 11 * CLOCK_S_US;
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(2, "/"));
}

static void test_a_certificate_for_a_name(void)
{
	char folder[] = "build/server.XXXXXX", certificate[64], key[64], rule[160];
	struct text named;

	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(certificate, sizeof(certificate), "%s/tls.crt", folder);
	snprintf(key, sizeof(key), "%s/tls.key", folder);
	snprintf(rule, sizeof(rule), "%s,%s:*.x,LocalHost", certificate, key);
	write_file(certificate, bed_other_own.certificate);
	write_file(key, bed_other_own.key);
	named = text_of(rule);
	bed_setup.named = &named;
	bed_setup.named_count = 1;
	bed_serve();
	bed_targets[1].ca = bed_targets[2].ca = text_of(bed_other_own.certificate);
	bed_targets[1].server_name = TEXT("localhost");
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(1, "/"));
	/* half of the pair is new: what was there is shown on */
	write_file(certificate, bed_own.certificate);
	bed_clock_ahead_us += 11 * CLOCK_S_US;
	bed_targets[2].server_name = TEXT("localhost");
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(2, "/"));
	write_file(key, bed_own.key);
	bed_clock_ahead_us += 11 * CLOCK_S_US;
	bed_turn(1000);
	bed_targets[3].server_name = TEXT("localhost");
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(3, "/"));
	TEST_ASSERT_EQUAL_INT(0, unlink(certificate) + unlink(key) + rmdir(folder));
}

/* ---- what cannot be opened ---- */

static void refused_as(const char *words)
{
	bed_try_to_serve();
	TEST_ASSERT_NULL(bed_server);
	TEST_ASSERT_EQUAL_STRING_LEN(words, bed_fault, strlen(words));
}

static void test_servers_that_cannot_be(void)
{
	bed_setup.key = text_of(bed_other_own.key);
	refused_as("server key: it does not belong to the server certificate");
	bed_setup.key = TEXT_NONE;
	refused_as("https needs a certificate and its key");
	bed_setup.key_file = "/nowhere/tls.key";
	refused_as("/nowhere/tls.key: No such file");
	bed_setup.key = text_of(bed_own.key);
	bed_setup.certificate = TEXT("no certificate");
	refused_as("server certificate: not PEM");
	bed_setup.certificate = text_of(bed_own.certificate);
	bed_setup.proxy_ca = TEXT("no certificate");
	refused_as("certificate authority of front proxies: not PEM");
	bed_setup.proxy_ca = TEXT_NONE;
	TEST_ASSERT_TRUE(net_address_parse(TEXT("192.0.2.1"), 99, &bed_setup.address));
	refused_as("cannot listen on 192.0.2.1:99: ");
}

static void test_a_certificate_needs_a_name_that_fits(void)
{
	char long_name[600];
	struct tls_certificate made;
	struct writer fault;

	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	writer_init(&fault, bed_fault, sizeof(bed_fault));
	TEST_ASSERT_FALSE(tls_certificate_make(bed_net,
		&(struct tls_certificate_request){.common_name = long_name}, &made, &fault));
	TEST_ASSERT_EQUAL_STRING("", made.key);
}

/* ---- bodies and streams over TLS ---- */

static void test_a_big_answer_and_a_big_body(void)
{
	static struct asked asked;

	bed_serve();
	bed_start(0, &asked, "/big");
	bed_finish(&asked);
	TEST_ASSERT_EQUAL_UINT64(sizeof(bed_big), asked.end.body_size);
	bed_start(0, &asked, "/body");
	net_cancel(&asked.request);
	asked.request.method = NET_POST;
	asked.request.body = (struct text){bed_big, 60 * 1024};
	net_send(bed_clients[0], &asked.request);
	bed_finish(&asked);
	TEST_ASSERT_EQUAL_UINT16(200, asked.end.status);
	TEST_ASSERT_EQUAL_UINT64(60 * 1024, asked.end.body_size);
	TEST_ASSERT_EQUAL_UINT32(0, bed_cut);
}

static enum net_flow pause_body(struct net_request *request, struct text part)
{
	(void)bed_on_body(request, part);
	return NET_PAUSE;
}

static void test_a_stalled_reader_costs_no_memory_and_is_cut_in_the_end(void)
{
	static struct asked asked;
	uint64_t used, stalled_at;

	bed_setup.stall_timeout_ms = 5000;
	bed_serve();
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	bed_start(0, &asked, "/stream");
	asked.request.on_body = pause_body;
	asked.request.timeout_ms = 0;
	for (uint32_t i = 0; i < 200; i++)
		bed_turn(2000);
	stalled_at = bed_produced;
	used = tls_fence()->budget.used;
	TEST_ASSERT_GREATER_THAN_UINT64(0, stalled_at);
	TEST_ASSERT_NOT_NULL(bed_stream);
	for (uint32_t i = 0; i < 200; i++) {
		net_exchange_want_room(bed_stream);
		bed_turn(100);
	}
	TEST_ASSERT_EQUAL_UINT64(stalled_at, bed_produced);
	TEST_ASSERT_EQUAL_UINT64(used, tls_fence()->budget.used);
	/* others are served meanwhile */
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(1, "/"));
	bed_clock_ahead_us += 6 * CLOCK_S_US;
	bed_turn(1000);
	TEST_ASSERT_NULL(bed_stream);
	TEST_ASSERT_EQUAL_UINT32(1, bed_cut);
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(bed_server).timeouts);
	net_cancel(&asked.request);
}

/* ---- memory ---- */

/* As many connections as the fence was made for, with certificates on both sides. */
static void test_the_fence_is_large_enough_for_all_at_once(void)
{
	static struct asked asked[BED_CLIENTS][3];
	uint64_t refused = tls_fence()->budget.refused;

	bed_setup.client_ca = text_of(bed_ca.certificate);
	bed_setup.connections_max = 12;
	bed_serve();
	for (uint32_t i = 0; i < BED_CLIENTS; i++) {
		bed_targets[i].certificate = text_of(bed_user.certificate);
		bed_targets[i].key = text_of(bed_user.key);
		bed_targets[i].connections = 3;
		for (uint32_t j = 0; j < 3; j++) {
			bed_start(i, &asked[i][j], "/stream");
			net_cancel(&asked[i][j].request);
			asked[i][j].request.class = NET_LEASE;
			asked[i][j].request.on_body = pause_body;
			net_send(bed_clients[i], &asked[i][j].request);
		}
	}
	bed_turns(1000);
	TEST_ASSERT_EQUAL_UINT64(12, net_server_stats(bed_server).handshakes);
	TEST_ASSERT_EQUAL_UINT32(12, net_server_stats(bed_server).busy);
	TEST_ASSERT_EQUAL_UINT64(refused, tls_fence()->budget.refused);
	char line[120];
	snprintf(line, sizeof(line), "24 connections, 12 of each side: %u of %u bytes, at most %u",
		(unsigned)tls_fence()->budget.used, (unsigned)tls_fence()->budget.capacity,
		(unsigned)tls_fence()->budget.used_max);
	TEST_MESSAGE(line);
}

/* ---- numbers, for people ---- */

static void test_what_it_costs(void)
{
	static struct asked asked[BED_CLIENTS];
	struct clock system = clock_system();
	uint64_t before, one;
	uint32_t answered = 0;
	char line[160];

	bed_serve();
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	before = tls_fence()->budget.used;
	int64_t since = clock_mono(&system).us;
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(1, "/"));
	int64_t handshake_us = clock_mono(&system).us - since;
	one = tls_fence()->budget.used - before;
	/* The client's half: what goes when he goes. */
	before = tls_fence()->budget.used;
	net_client_close(bed_clients[1]);
	bed_clients[1] = NULL;
	uint64_t client_half = before - tls_fence()->budget.used;
	for (uint32_t i = 0; i < 10; i++)
		bed_turn(1000);
	since = clock_mono(&system).us;
	for (uint32_t round = 0; round < 500; round++) {
		for (uint32_t i = 2; i < BED_CLIENTS; i++)
			bed_start(i, &asked[i], "/");
		for (uint32_t i = 2; i < BED_CLIENTS; i++) {
			bed_finish(&asked[i]);
			answered += asked[i].end.status == 200;
		}
	}
	int64_t took_us = clock_mono(&system).us - since;
	TEST_ASSERT_EQUAL_UINT32(1000, answered);
	snprintf(line, sizeof(line),
		"both ends in one thread: connection with handshake %lld us, %u requests/s over "
		"TLS; fence: %u bytes of client, %u of server; place %u bytes",
		(long long)handshake_us, (unsigned)(INT64_C(1000) * CLOCK_S_US / took_us),
		(unsigned)client_half, (unsigned)(one - client_half),
		(unsigned)sizeof(struct server_connection));
	TEST_MESSAGE(line);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_certificate_made_in_memory_is_trusted_by_who_has_it);
	RUN_TEST(test_names_in_the_certificate);
	RUN_TEST(test_clients_by_their_certificates);
	RUN_TEST(test_names_that_are_none);
	RUN_TEST(test_an_authority_in_both_lists);
	RUN_TEST(test_a_server_certificate_is_none_of_a_client);
	RUN_TEST(test_new_authorities_while_it_runs);
	RUN_TEST(test_files_that_change);
	RUN_TEST(test_a_certificate_for_a_name);
	RUN_TEST(test_servers_that_cannot_be);
	RUN_TEST(test_a_certificate_needs_a_name_that_fits);
	RUN_TEST(test_a_big_answer_and_a_big_body);
	RUN_TEST(test_a_stalled_reader_costs_no_memory_and_is_cut_in_the_end);
	RUN_TEST(test_the_fence_is_large_enough_for_all_at_once);
	RUN_TEST(test_what_it_costs);
	return UNITY_END();
}
