/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes, letters between them and a server, and the time they share. */
#include "lease/town.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

enum { TOWN_TURNS_MAX = 2000, TOWN_STEPS_MAX = 50 * 1000 * 1000 };

void town_init(struct town *town)
{
	memset(town, 0, sizeof(*town));
	town->now_us = CLOCK_S_US;
	for (uint32_t i = 0; i < TOWN_PROCESSES; i++) {
		town->processes[i].town = town;
		town->processes[i].rate_permille = 1000;
	}
	for (uint32_t i = 0; i < TOWN_LETTERS; i++)
		town->letters[i].at_us = INT64_MAX;
}

void town_free(struct town *town)
{
	for (uint32_t i = 0; i < TOWN_LETTERS; i++) {
		free(town->letters[i].bytes);
		town->letters[i].bytes = NULL;
		town->letters[i].at_us = INT64_MAX;
	}
}

bool town_is_stopped(const struct town *town, uint32_t process)
{
	return town->processes[process].stopped_until_us > town->now_us;
}

/* ---- letters ---- */

static void put(struct town *town, struct town_letter letter, struct text bytes)
{
	for (uint32_t i = 0; i < TOWN_LETTERS; i++) {
		if (town->letters[i].at_us != INT64_MAX)
			continue;
		letter.bytes = malloc(bytes.size + 1);
		TEST_ASSERT_NOT_NULL(letter.bytes);
		memcpy(letter.bytes, bytes.at, bytes.size);
		letter.bytes[bytes.size] = '\0';
		letter.size = bytes.size;
		town->letters[i] = letter;
		return;
	}
	TEST_FAIL_MESSAGE("too many letters");
}

static void put_answer(struct town *town, const struct town_request *request, struct text bytes)
{
	put(town,
		(struct town_letter){.at_us = town->now_us + town->answering.back_us,
			.back = true,
			.fate = town->answering,
			.process = request->process,
			.stream = request->stream,
			.life = request->life},
		bytes);
}

void town_reply_raw(struct town *town, const struct town_request *request, struct text bytes)
{
	put_answer(town, request, bytes);
}

void town_reply(struct town *town, const struct town_request *request, int status,
	const char *headers, struct text body)
{
	static char bytes[TOWN_REQUEST_MAX];
	int size = snprintf(bytes, sizeof(bytes),
		"HTTP/1.1 %d Whatever\r\nContent-Type: application/json\r\n%s"
		"Content-Length: %zu\r\n\r\n%.*s",
		status, headers, body.size, TEXT_ARGS(body));

	TEST_ASSERT_TRUE(size > 0 && (size_t)size < sizeof(bytes));
	put_answer(town, request, (struct text){bytes, (size_t)size});
}

static struct text header(const char *head, const char *name)
{
	const char *at = strstr(head, name);

	if (at == NULL)
		return TEXT_NONE;
	at += strlen(name);
	return (struct text){at, strcspn(at, "\r")};
}

static void arrive_there(struct town *town, const struct town_letter *letter)
{
	struct town_request request = {
		.process = letter->process, .stream = letter->stream, .life = letter->life};
	char *end = strstr(letter->bytes, "\r\n\r\n");

	request.method = (struct text){letter->bytes, strcspn(letter->bytes, " ")};
	request.path.at = letter->bytes + request.method.size + 1;
	request.path.size = strcspn(request.path.at, " ");
	request.content_type = header(letter->bytes, "Content-Type: ");
	request.body = (struct text){end + 4, letter->size - (size_t)(end + 4 - letter->bytes)};
	if (town->processes[letter->process].cut_off || letter->fate.lost)
		return;
	town->answering = letter->fate;
	town->answer(town->self, town, &request);
}

static void arrive_back(struct town *town, const struct town_letter *letter)
{
	struct town_process *p = &town->processes[letter->process];
	struct town_stream *s = &p->streams[letter->stream];

	if (p->cut_off || letter->fate.answer_lost || !s->taken || s->life != letter->life)
		return;
	p->news = true;
	if (letter->fate.cut) {
		s->state = NET_STREAM_FAILED;
		return;
	}
	TEST_ASSERT_TRUE(s->reply_size + letter->size <= sizeof(s->reply));
	memcpy(s->reply + s->reply_size, letter->bytes, letter->size);
	s->reply_size += letter->size;
}

static void deliver(struct town *town)
{
	for (;;) {
		struct town_letter *first = &town->letters[0];

		for (uint32_t i = 1; i < TOWN_LETTERS; i++)
			if (town->letters[i].at_us < first->at_us)
				first = &town->letters[i];
		if (first->at_us > town->now_us)
			return;
		struct town_letter letter = *first;

		first->bytes = NULL;
		first->at_us = INT64_MAX;
		if (letter.back)
			arrive_back(town, &letter);
		else
			arrive_there(town, &letter);
		free(letter.bytes);
	}
}

/* ---- streams ---- */

static struct town_stream *at(void *self, uint32_t stream)
{
	struct town_process *p = self;

	TEST_ASSERT_TRUE(stream >= 1 && stream <= TOWN_STREAMS);
	TEST_ASSERT_TRUE(p->streams[stream].taken);
	return &p->streams[stream];
}

static uint32_t town_open(void *self, enum net_stream_kind kind, const struct net_address *to)
{
	struct town_process *p = self;

	(void)to;
	TEST_ASSERT_EQUAL_INT(NET_STREAM_TCP, kind);
	for (uint32_t i = 1; i <= TOWN_STREAMS; i++) {
		struct town_stream *s = &p->streams[i];

		if (s->taken)
			continue;
		s->taken = true;
		s->life++;
		s->asked_size = s->reply_size = s->reply_at = 0;
		s->state = p->refuses ? NET_STREAM_FAILED
			: p->cut_off  ? NET_STREAM_CONNECTING
				      : NET_STREAM_OPEN;
		p->news = true;
		return i;
	}
	return 0;
}

static uint32_t town_listen(void *self, const struct net_address *to)
{
	(void)self;
	(void)to;
	return 0;
}

static uint32_t town_accept(void *self, uint32_t listener, struct net_address *peer)
{
	(void)self;
	(void)listener;
	(void)peer;
	return 0;
}

static enum net_stream_state town_state(void *self, uint32_t stream)
{
	return at(self, stream)->state;
}

static const char *town_fault(void *self, uint32_t stream)
{
	(void)self;
	(void)stream;
	return "refused by the test";
}

static struct text town_received(void *self, uint32_t stream)
{
	const struct town_stream *s = at(self, stream);

	return (struct text){s->reply + s->reply_at, s->reply_size - s->reply_at};
}

static void town_drop(void *self, uint32_t stream, size_t size)
{
	struct town_stream *s = at(self, stream);

	s->reply_at += size;
	TEST_ASSERT_TRUE(s->reply_at <= s->reply_size);
	if (s->reply_at == s->reply_size)
		s->reply_at = s->reply_size = 0;
}

/* True once head and body are there. */
static bool is_whole(const struct town_stream *s)
{
	const char *end = strstr(s->asked, "\r\n\r\n");
	const char *length = strstr(s->asked, "Content-Length: ");
	size_t body = 0;

	if (end == NULL)
		return false;
	if (length != NULL && length < end)
		body = (size_t)strtoul(length + 16, NULL, 10);
	return s->asked_size == (size_t)(end + 4 - s->asked) + body;
}

static size_t town_take(void *self, uint32_t stream, const void *bytes, size_t size)
{
	struct town_process *p = self;
	struct town *town = p->town;
	struct town_stream *s = at(self, stream);
	struct town_letter letter = {
		.process = (uint32_t)(p - town->processes), .stream = stream, .life = s->life};

	if (s->state != NET_STREAM_OPEN)
		return 0;
	TEST_ASSERT_TRUE(s->asked_size + size < sizeof(s->asked));
	memcpy(s->asked + s->asked_size, bytes, size);
	s->asked_size += size;
	s->asked[s->asked_size] = '\0';
	if (!is_whole(s))
		return size;
	if (town->fate != NULL)
		letter.fate = town->fate(town->self, town, letter.process);
	letter.at_us = town->now_us + letter.fate.there_us;
	put(town, letter, (struct text){s->asked, s->asked_size});
	s->asked_size = 0;
	return size;
}

static size_t town_unsent(void *self, uint32_t stream)
{
	(void)self;
	(void)stream;
	return 0;
}

static void town_close(void *self, uint32_t stream)
{
	at(self, stream)->taken = false;
}

static void town_wait(void *self, int64_t timeout_us)
{
	struct town_process *p = self;

	p->wait_us = p->news ? 0 : timeout_us;
	p->news = false;
}

struct net_bytes town_bytes(struct town *town, uint32_t process)
{
	return (struct net_bytes){.open = town_open,
		.listen = town_listen,
		.accept = town_accept,
		.state = town_state,
		.fault = town_fault,
		.received = town_received,
		.drop = town_drop,
		.send = town_take,
		.unsent = town_unsent,
		.close = town_close,
		.wait = town_wait,
		.self = &town->processes[process]};
}

static struct mono town_mono(void *self)
{
	const struct town_process *p = self;

	return (struct mono){p->town->now_us * p->rate_permille / 1000};
}

static struct wall town_wall(void *self)
{
	const struct town_process *p = self;

	return (struct wall){
		INT64_C(1790000000) * CLOCK_S_US + p->town->now_us + p->wall_offset_us};
}

struct clock town_clock(struct town *town, uint32_t process)
{
	return (struct clock){
		.mono = town_mono, .wall = town_wall, .self = &town->processes[process]};
}

/* ---- time ---- */

/* Until it would sleep. */
static void turn(struct town_process *p)
{
	uint32_t turns = 0;

	do {
		TEST_ASSERT_TRUE_MESSAGE(turns++ < TOWN_TURNS_MAX, "the loop does not rest");
		net_poll(p->net, -1);
	} while (p->wait_us == 0);
	/* By its own clock, and not before. */
	p->wake_us = p->wait_us < 0
		? INT64_MAX
		: p->town->now_us + (p->wait_us * 1000 + p->rate_permille - 1) / p->rate_permille;
}

static void turn_all(struct town *town)
{
	for (uint32_t i = 0; i < TOWN_PROCESSES; i++) {
		struct town_process *p = &town->processes[i];

		if (p->net == NULL || town_is_stopped(town, i))
			continue;
		if (p->news || p->wake_us <= town->now_us)
			turn(p);
	}
}

static int64_t next_us(const struct town *town)
{
	int64_t next = INT64_MAX;

	for (uint32_t i = 0; i < TOWN_PROCESSES; i++) {
		const struct town_process *p = &town->processes[i];
		int64_t due = p->wake_us;

		if (p->net == NULL)
			continue;
		if (town_is_stopped(town, i))
			due = p->stopped_until_us;
		else if (p->news)
			due = town->now_us;
		next = due < next ? due : next;
	}
	for (uint32_t i = 0; i < TOWN_LETTERS; i++)
		next = town->letters[i].at_us < next ? town->letters[i].at_us : next;
	return next;
}

void town_run(struct town *town, int64_t ms)
{
	int64_t until = town->now_us + ms * CLOCK_MS_US;

	/* Somebody may have been told something from outside. */
	for (uint32_t i = 0; i < TOWN_PROCESSES; i++)
		town->processes[i].wake_us = town->now_us;
	for (;;) {
		TEST_ASSERT_TRUE_MESSAGE(town->steps++ < TOWN_STEPS_MAX, "time stands still");
		turn_all(town);
		deliver(town);
		if (town->look != NULL)
			town->look(town->self, town);
		int64_t next = next_us(town);

		if (next >= until)
			break;
		if (next > town->now_us)
			town->now_us = next;
	}
	town->now_us = until;
	turn_all(town);
	if (town->look != NULL)
		town->look(town->self, town);
}
