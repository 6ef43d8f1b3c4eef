/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names: DNS messages, and the resolver against a name server that lies, is silent, or refuses; its
 * bytes and its time are the test's.
 */
// deps: net/dns.c net/resolve.c net/address.c base/*.c
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/dns.h"
#include "net/resolve.h"

enum { STREAMS = 64, DATAGRAM = 1500 };

/* ---- datagrams of the test ---- */

static struct stream {
	bool open;
	struct net_address to;
	uint8_t asked[4][DATAGRAM];
	size_t asked_size[4];
	uint32_t asks;
	char answer[DATAGRAM];
	size_t answer_size;
	bool failed;
} streams[STREAMS];
static uint32_t last, opened;
static bool unreachable;

static uint32_t fake_open(void *self, enum net_stream_kind kind, const struct net_address *to)
{
	(void)self;
	TEST_ASSERT_EQUAL_INT(NET_STREAM_UDP, kind);
	TEST_ASSERT_LESS_THAN_UINT32(STREAMS - 1, opened);
	last = ++opened;
	streams[last] = (struct stream){.open = true, .to = *to, .failed = unreachable};
	return last;
}

static enum net_stream_state fake_state(void *self, uint32_t stream)
{
	(void)self;
	TEST_ASSERT_TRUE(streams[stream].open);
	return streams[stream].failed ? NET_STREAM_FAILED : NET_STREAM_OPEN;
}

static struct text fake_received(void *self, uint32_t stream)
{
	(void)self;
	TEST_ASSERT_TRUE(streams[stream].open);
	return (struct text){streams[stream].answer, streams[stream].answer_size};
}

static void fake_drop(void *self, uint32_t stream, size_t size)
{
	(void)self;
	TEST_ASSERT_EQUAL_size_t(streams[stream].answer_size, size);
	streams[stream].answer_size = 0;
}

static size_t fake_send(void *self, uint32_t stream, const void *bytes, size_t size)
{
	struct stream *s = &streams[stream];

	(void)self;
	TEST_ASSERT_LESS_THAN_UINT32(4, s->asks);
	memcpy(s->asked[s->asks], bytes, size);
	s->asked_size[s->asks++] = size;
	return size;
}

static void fake_close(void *self, uint32_t stream)
{
	(void)self;
	TEST_ASSERT_TRUE(streams[stream].open);
	streams[stream].open = false;
}

static const struct net_bytes bytes = {.open = fake_open,
	.state = fake_state,
	.received = fake_received,
	.drop = fake_drop,
	.send = fake_send,
	.close = fake_close};

static struct resolve r;
static struct mono now;
static struct random randomness;
static char files[2][64];

static const char *file(int i, const char *content)
{
	snprintf(files[i], sizeof(files[i]), "build/resolve.%d.%d", i, (int)getpid());
	FILE *out = fopen(files[i], "w");
	TEST_ASSERT_NOT_NULL(out);
	fputs(content, out);
	fclose(out);
	return files[i];
}

static void start(const char *name, const char *hosts, const char *servers)
{
	opened = last = 0;
	unreachable = false;
	TEST_ASSERT_TRUE(
		resolve_init(&r, &bytes, entropy_seeded(&randomness), text_of(name), 6443));
	r.hosts_path = file(0, hosts);
	r.servers_path = file(1, servers);
	resolve_start(&r, now);
}

static enum resolve_step step(void)
{
	return resolve_step(&r, now);
}

void setUp(void)
{
	now = (struct mono){1000000};
	random_init(&randomness, 3);
	memset(files, 0, sizeof(files));
}

void tearDown(void)
{
	resolve_stop(&r);
	for (int i = 0; i < 2; i++)
		if (files[i][0] != '\0')
			unlink(files[i]);
	for (uint32_t i = 0; i < STREAMS; i++)
		TEST_ASSERT_FALSE(streams[i].open);
}

/* ---- answers ---- */

struct record {
	const char *name; /* NULL: a pointer to the question */
	uint16_t type;
	const char *data; /* address bytes, or an alias */
};

static size_t put_name(uint8_t *to, const char *name)
{
	uint8_t query[DNS_QUERY_MAX];
	size_t size = dns_ask(query, sizeof(query), 0, name, DNS_A);

	TEST_ASSERT_GREATER_THAN_size_t(0, size);
	memcpy(to, query + 12, size - 12 - 4);
	return size - 12 - 4;
}

static size_t make_answer(uint8_t *to, const uint8_t *query, size_t query_size, uint8_t code,
	const struct record *records, uint32_t count)
{
	size_t used = query_size;

	memcpy(to, query, query_size);
	to[2] = 0x81;
	to[3] = (uint8_t)(0x80 | code);
	to[7] = (uint8_t)count;
	for (uint32_t i = 0; i < count; i++) {
		if (records[i].name == NULL) {
			to[used++] = 0xc0;
			to[used++] = 12;
		} else {
			used += put_name(to + used, records[i].name);
		}
		const uint8_t fixed[] = {0, (uint8_t)records[i].type, 0, 1, 0, 0, 0, 60, 0, 0};
		memcpy(to + used, fixed, sizeof(fixed));
		used += sizeof(fixed);
		size_t size = records[i].type == DNS_A ? 4 : records[i].type == DNS_AAAA ? 16 : 0;
		if (size > 0)
			memcpy(to + used, records[i].data, size);
		else
			size = put_name(to + used, records[i].data);
		to[used - 1] = (uint8_t)size;
		used += size;
	}
	return used;
}

static void answer(uint32_t question, uint8_t code, const struct record *records, uint32_t count)
{
	struct stream *s = &streams[last];

	TEST_ASSERT_EQUAL_UINT32(2, s->asks);
	s->answer_size = make_answer((uint8_t *)s->answer, s->asked[question],
		s->asked_size[question], code, records, count);
}

static void is(uint32_t i, const char *expected)
{
	char text[NET_ADDRESS_TEXT_MAX];
	struct writer w;

	TEST_ASSERT_LESS_THAN_UINT32(r.count, i);
	writer_init(&w, text, sizeof(text));
	net_address_write(&w, &r.addresses[i]);
	TEST_ASSERT_TRUE_MESSAGE(text_is_z(writer_text(&w), expected), expected);
}

static const struct record a1 = {NULL, DNS_A, "\x0a\0\0\1"}, a2 = {NULL, DNS_A, "\x0a\0\0\2"};
static const struct record aaaa = {NULL, DNS_AAAA, "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"};

/* ---- the resolver ---- */

static void test_literals_and_hosts(void)
{
	start("10.1.2.3", "", "");
	TEST_ASSERT_EQUAL_INT(RESOLVE_DONE, step());
	is(0, "10.1.2.3:6443");
	start("Server.Local",
		"# x\n10.0.0.9 other # server.local\n \t10.0.0.1\tother server.local\nbad "
		"server.local\n"
		"fd00::1 SERVER.local\n10.0.0.1 server.local",
		"");
	TEST_ASSERT_EQUAL_INT(RESOLVE_DONE, step());
	TEST_ASSERT_EQUAL_UINT32(2, r.count);
	is(0, "10.0.0.1:6443");
	is(1, "[fd00::1]:6443");
	TEST_ASSERT_EQUAL_UINT32(0, opened);
	TEST_ASSERT_FALSE(resolve_init(&r, &bytes, entropy_seeded(&randomness), TEXT(""), 1));
	TEST_ASSERT_FALSE(resolve_init(&r, &bytes, entropy_seeded(&randomness), TEXT("a b"), 1));
	TEST_ASSERT_FALSE(resolve_init(&r, &bytes, entropy_seeded(&randomness), TEXT(".a"), 1));
}

static void test_both_families(void)
{
	struct record two[] = {a1, a2};

	start("api.example", "", "nameserver 10.9.9.9\n");
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	TEST_ASSERT_EQUAL_UINT16(53, streams[last].to.port);
	answer(1, 0, &aaaa, 1);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	answer(0, 0, two, 2);
	TEST_ASSERT_EQUAL_INT(RESOLVE_DONE, step());
	TEST_ASSERT_EQUAL_UINT32(3, r.count);
	is(0, "[fd00::1]:6443");
	is(1, "10.0.0.1:6443");
	is(2, "10.0.0.2:6443");
	/* asked anew: what is gone is gone, and an unchanged address is there once */
	resolve_start(&r, now);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	answer(0, 0, &a2, 1);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	answer(1, 0, NULL, 0);
	TEST_ASSERT_EQUAL_INT(RESOLVE_DONE, step());
	TEST_ASSERT_EQUAL_UINT32(1, r.count);
	is(0, "10.0.0.2:6443");
}

static void test_aliases(void)
{
	struct record chain[] = {{NULL, DNS_CNAME, "b.example"},
		{"B.example", DNS_CNAME, "c.example"}, {"x.example", DNS_A, "\1\2\3\4"},
		{"c.example", DNS_A, "\x0a\0\0\5"}};

	start("a.example", "", "nameserver 10.9.9.9\n");
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	answer(0, 0, chain, 4);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	answer(1, 0, NULL, 0);
	TEST_ASSERT_EQUAL_INT(RESOLVE_DONE, step());
	TEST_ASSERT_EQUAL_UINT32(1, r.count);
	is(0, "10.0.0.5:6443");
}

static void test_silence_and_the_next_server(void)
{
	start("a.example", "",
		"nameserver 10.9.9.1\n; x\nnameserver fd00::53\nnameserver nonsense\n");
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	TEST_ASSERT_EQUAL_UINT8(4, streams[last].to.family);
	uint8_t first_id[2] = {streams[last].asked[0][0], streams[last].asked[0][1]};
	now = mono_after_ms(now, RESOLVE_TRY_MS - 1);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	TEST_ASSERT_EQUAL_UINT32(1, opened);
	TEST_ASSERT_EQUAL_INT64(now.us + 1000, resolve_due(&r).us);
	now = mono_after_ms(now, 1);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	TEST_ASSERT_EQUAL_UINT32(2, opened);
	TEST_ASSERT_EQUAL_UINT8(6, streams[last].to.family);
	TEST_ASSERT_NOT_EQUAL(0, memcmp(first_id, streams[last].asked[0], 2));
	now = mono_after_ms(now, RESOLVE_TRY_MS);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	now = mono_after_ms(now, RESOLVE_TRY_MS);
	TEST_ASSERT_EQUAL_INT(RESOLVE_FAILED, step());
	TEST_ASSERT_EQUAL_STRING("no name server answered", r.fault);
	TEST_ASSERT_EQUAL_UINT32(3, opened);
	TEST_ASSERT_FALSE(r.running);
}

static void test_half_an_answer_is_good_in_the_end(void)
{
	start("a.example", "", "nameserver 10.9.9.1\n");
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	answer(0, 0, &a1, 1);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	now = mono_after_ms(now, RESOLVE_TRY_MS);
	TEST_ASSERT_EQUAL_INT(RESOLVE_DONE, step());
	is(0, "10.0.0.1:6443");
}

static void test_refusals_and_closed_ports(void)
{
	start("a.example", "", "nameserver 10.9.9.1\nnameserver 10.9.9.2\n");
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	answer(0, 2, NULL, 0);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	TEST_ASSERT_EQUAL_UINT32(2, opened);
	answer(0, 0, &a1, 1);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	answer(1, 0, NULL, 0);
	TEST_ASSERT_EQUAL_INT(RESOLVE_DONE, step());
	start("a.example", "", "");
	unreachable = true;
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	TEST_ASSERT_EQUAL_UINT8(127, streams[last].to.bytes[0]);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	TEST_ASSERT_EQUAL_INT(RESOLVE_FAILED, step());
}

static void unknown(void)
{
	answer(0, 3, NULL, 0);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	answer(1, 3, NULL, 0);
}

static void asks_for(const char *name)
{
	uint8_t expected[DNS_QUERY_MAX];
	size_t size = dns_ask(expected, sizeof(expected), 0, name, DNS_A);

	TEST_ASSERT_EQUAL_size_t(size, streams[last].asked_size[0]);
	TEST_ASSERT_EQUAL_INT_MESSAGE(
		0, memcmp(expected + 2, streams[last].asked[0] + 2, size - 2), name);
}

static void test_search_domains(void)
{
	static const char servers[] = "nameserver 10.9.9.1\nsearch default.svc.cluster.local "
				      "svc.cluster.local\noptions ndots:5\n";

	start("kubernetes.default", "", servers);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	asks_for("kubernetes.default.default.svc.cluster.local");
	unknown();
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	asks_for("kubernetes.default.svc.cluster.local");
	unknown();
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	asks_for("kubernetes.default");
	unknown();
	TEST_ASSERT_EQUAL_INT(RESOLVE_FAILED, step());
	TEST_ASSERT_EQUAL_STRING("the name is not known", r.fault);
	/* an absolute name, and one with dots enough, go first as they are */
	start("kubernetes.default.", "", servers);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	asks_for("kubernetes.default");
	unknown();
	TEST_ASSERT_EQUAL_INT(RESOLVE_FAILED, step());
	start("a.b", "", "nameserver 10.9.9.1\nsearch x y\n");
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	asks_for("a.b");
	unknown();
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	asks_for("a.b.x");
	unknown();
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	asks_for("a.b.y");
	resolve_stop(&r);
}

static void test_answers_of_somebody_else(void)
{
	struct stream *s;

	start("a.example", "", "nameserver 10.9.9.1\n");
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	s = &streams[last];
	answer(0, 0, &a1, 1);
	s->answer[0] ^= 1; /* another id */
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	answer(0, 0, &a1, 1);
	s->answer[13] ^= 1; /* another name */
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	answer(0, 0, &a1, 1);
	s->answer[2] &= 0x7f; /* a question */
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	answer(0, 0, &(struct record){"b.example", DNS_A, "\1\2\3\4"}, 1);
	TEST_ASSERT_EQUAL_INT(RESOLVE_WAIT, step());
	TEST_ASSERT_EQUAL_UINT32(0, r.count);
	answer(1, 0, &aaaa, 1);
	TEST_ASSERT_EQUAL_INT(RESOLVE_DONE, step());
	TEST_ASSERT_EQUAL_UINT32(1, r.count);
}

/* ---- messages ---- */

static void test_names_in_questions(void)
{
	uint8_t query[DNS_QUERY_MAX];
	char name[300];

	TEST_ASSERT_EQUAL_size_t(12 + 3 + 4, dns_ask(query, sizeof(query), 1, "a", DNS_A));
	TEST_ASSERT_EQUAL_size_t(12 + 3 + 4, dns_ask(query, sizeof(query), 1, "a.", DNS_A));
	TEST_ASSERT_EQUAL_size_t(0, dns_ask(query, sizeof(query), 1, "", DNS_A));
	TEST_ASSERT_EQUAL_size_t(0, dns_ask(query, sizeof(query), 1, ".", DNS_A));
	TEST_ASSERT_EQUAL_size_t(0, dns_ask(query, sizeof(query), 1, "a..b", DNS_A));
	TEST_ASSERT_EQUAL_size_t(0, dns_ask(query, sizeof(query) - 1, 1, "a", DNS_A));
	memset(name, 'x', sizeof(name));
	name[63] = '\0';
	TEST_ASSERT_GREATER_THAN_size_t(0, dns_ask(query, sizeof(query), 1, name, DNS_A));
	name[63] = 'x';
	name[64] = '\0';
	TEST_ASSERT_EQUAL_size_t(0, dns_ask(query, sizeof(query), 1, name, DNS_A));
	for (size_t i = 0; i < sizeof(name); i++)
		name[i] = i % 2 == 1 ? '.' : 'x';
	name[253] = '\0';
	TEST_ASSERT_GREATER_THAN_size_t(0, dns_ask(query, sizeof(query), 1, name, DNS_A));
	name[253] = '.';
	name[255] = '\0';
	TEST_ASSERT_EQUAL_size_t(0, dns_ask(query, sizeof(query), 1, name, DNS_A));
}

static void test_messages_cut_off_and_looped(void)
{
	uint8_t query[DNS_QUERY_MAX], message[DATAGRAM];
	struct record records[] = {
		{NULL, DNS_CNAME, "b.example"}, {"b.example", DNS_A, "\1\2\3\4"}};
	struct net_address found[2];
	size_t size = dns_ask(query, sizeof(query), 0x1234, "a.example", DNS_A);
	size_t full = make_answer(message, query, size, 0, records, 2);
	uint32_t count = 0;

	TEST_ASSERT_EQUAL_INT(DNS_FOUND,
		dns_read((struct text){(char *)message, full}, 0x1234, "A.EXAMPLE.", DNS_A, found,
			2, &count));
	TEST_ASSERT_EQUAL_UINT32(1, count);
	for (size_t cut = 0; cut < full; cut++) {
		char *copy = malloc(cut + 1);
		memcpy(copy, message, cut);
		count = 0;
		TEST_ASSERT_EQUAL_INT(DNS_BROKEN,
			dns_read((struct text){copy, cut}, 0x1234, "a.example", DNS_A, found, 2,
				&count));
		free(copy);
	}
	/* a name that points at itself */
	message[size] = 0xc0;
	message[size + 1] = (uint8_t)size;
	count = 0;
	TEST_ASSERT_EQUAL_INT(DNS_BROKEN,
		dns_read((struct text){(char *)message, full}, 0x1234, "a.example", DNS_A, found, 2,
			&count));
	/* no room is not a fault */
	full = make_answer(message, query, size, 0, &a1, 1);
	TEST_ASSERT_EQUAL_INT(DNS_UNKNOWN,
		dns_read((struct text){(char *)message, full}, 0x1234, "a.example", DNS_A, found, 0,
			&count));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_literals_and_hosts);
	RUN_TEST(test_both_families);
	RUN_TEST(test_aliases);
	RUN_TEST(test_silence_and_the_next_server);
	RUN_TEST(test_half_an_answer_is_good_in_the_end);
	RUN_TEST(test_refusals_and_closed_ports);
	RUN_TEST(test_search_domains);
	RUN_TEST(test_answers_of_somebody_else);
	RUN_TEST(test_names_in_questions);
	RUN_TEST(test_messages_cut_off_and_looped);
	return UNITY_END();
}
