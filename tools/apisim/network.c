/* SPDX-License-Identifier: GPL-2.0-only */
/* Two pipes for each connection, and a clock. */
#include "apisim/network.h"

enum { NETWORK_TURN_US = 20, NETWORK_OTHERS_MAX = 100 };

void network_init(struct network *n, struct arena *arena, uint64_t seed, int64_t wall_us)
{
	memset(n, 0, sizeof(*n));
	n->now_us = 1000;
	n->wall_us = wall_us;
	random_init(&n->random, seed);
	for (uint32_t i = 1; i <= NETWORK_STREAMS; i++)
		n->streams[i].pipe = arena_take_raw(arena, NETWORK_PIPE);
}

size_t network_size(void)
{
	return (size_t)NETWORK_STREAMS * (NETWORK_PIPE + 16);
}

static struct network_stream *at(struct network *n, uint32_t stream)
{
	CHECK(stream >= 1 && stream <= NETWORK_STREAMS && n->streams[stream].taken);
	return &n->streams[stream];
}

static struct network *of(void *self)
{
	return ((struct network_host *)self)->network;
}

static uint32_t take(struct network_host *host)
{
	struct network *n = host->network;

	for (uint32_t i = 1; i <= NETWORK_STREAMS; i++) {
		char *pipe = n->streams[i].pipe;

		if (n->streams[i].taken)
			continue;
		n->streams[i] = (struct network_stream){.taken = true,
			.host = (uint8_t)(host - n->host),
			.state = NET_STREAM_OPEN,
			.pipe = pipe};
		n->top = i > n->top ? i : n->top;
		return i;
	}
	return 0;
}

/* Something may arrive then. */
static void expect(struct network *n, int64_t due_us)
{
	n->next_us = due_us < n->next_us ? due_us : n->next_us;
}

static int64_t flight(struct network *n)
{
	return n->now_us + n->delay_us +
		(n->jitter_us == 0 ? 0 : random_below(&n->random, (uint32_t)n->jitter_us));
}

/* ---- the interface ---- */

static uint32_t find_listener(const struct network *n, const struct net_address *to)
{
	for (uint32_t i = 1; i <= n->top; i++) {
		const struct network_stream *s = &n->streams[i];
		const struct network_host *host = &n->host[s->host];

		if (s->taken && s->listens && s->port == to->port && !host->unreachable &&
			host->address.family == to->family &&
			memcmp(host->address.bytes, to->bytes, sizeof(to->bytes)) == 0)
			return i;
	}
	return 0;
}

static uint32_t network_open(void *self, enum net_stream_kind kind, const struct net_address *to)
{
	struct network_host *host = self;
	struct network *n = host->network;
	uint32_t near = take(host), far, listener = find_listener(n, to);

	if (near == 0)
		return 0;
	n->streams[near].state = NET_STREAM_FAILED;
	host->news = true;
	if (kind != NET_STREAM_TCP || listener == 0 || host->unreachable)
		return near;
	far = take(&n->host[n->streams[listener].host]);
	if (far == 0)
		return near;
	n->streams[near].state = NET_STREAM_CONNECTING;
	n->streams[near].peer = far;
	n->streams[near].due_us = flight(n);
	expect(n, n->streams[near].due_us);
	n->streams[far].peer = near;
	n->streams[far].listener = listener;
	n->host[n->streams[far].host].news = true;
	return near;
}

static uint32_t network_listen(void *self, const struct net_address *at_address)
{
	struct network *n = of(self);
	uint32_t stream = take(self);

	if (stream != 0) {
		n->streams[stream].listens = true;
		n->streams[stream].port = at_address->port;
	}
	return stream;
}

static uint32_t network_accept(void *self, uint32_t listener, struct net_address *peer)
{
	struct network *n = of(self);

	for (uint32_t i = 1; i <= n->top; i++) {
		struct network_stream *s = &n->streams[i];

		if (!s->taken || s->listener != listener)
			continue;
		s->listener = 0;
		*peer = s->peer == 0 ? (struct net_address){.family = 4}
				     : n->host[n->streams[s->peer].host].address;
		peer->port = (uint16_t)(1024 + i);
		return i;
	}
	return 0;
}

static enum net_stream_state network_state(void *self, uint32_t stream)
{
	return at(of(self), stream)->state;
}

static const char *network_fault(void *self, uint32_t stream)
{
	(void)self;
	(void)stream;
	return "cut in the simulated network";
}

static struct text network_received(void *self, uint32_t stream)
{
	const struct network_stream *s = at(of(self), stream);

	return (struct text){s->pipe + s->from, s->here};
}

static void network_drop(void *self, uint32_t stream, size_t size)
{
	struct network *n = of(self);
	struct network_stream *s = at(n, stream);

	CHECK(size <= s->here);
	s->size -= size;
	s->from = s->size == 0 ? 0 : s->from + size;
	s->here -= size;
	if (s->peer != 0 && size > 0 && s->full)
		n->host[n->streams[s->peer].host].news = true;
	s->full &= size == 0;
}

static size_t network_send(void *self, uint32_t stream, const void *bytes, size_t size)
{
	struct network *n = of(self);
	const struct network_stream *s = at(n, stream);

	if (s->state != NET_STREAM_OPEN || s->peer == 0)
		return 0;
	struct network_stream *peer = at(n, s->peer);
	size_t room = NETWORK_PIPE - peer->size;
	peer->full |= size > room;
	size = size < room ? size : room;
	if (size == 0)
		return 0;
	if (peer->from + peer->size + size > NETWORK_PIPE) {
		memmove(peer->pipe, peer->pipe + peer->from, peer->size);
		peer->from = 0;
	}
	memcpy(peer->pipe + peer->from + peer->size, bytes, size);
	if (peer->size == peer->here)
		peer->due_us = flight(n) + peer->lag_us;
	peer->size += size;
	expect(n, peer->due_us);
	n->bytes += size;
	return size;
}

static size_t network_unsent(void *self, uint32_t stream)
{
	at(of(self), stream);
	return 0;
}

static void network_end(void *self, uint32_t stream)
{
	struct network *n = of(self);
	const struct network_stream *s = at(n, stream);

	if (s->peer == 0)
		return;
	at(n, s->peer)->end_sent = true;
	expect(n, n->now_us);
}

static void close_stream(struct network *n, uint32_t stream)
{
	struct network_stream *s = at(n, stream);

	if (s->peer != 0) {
		struct network_stream *peer = at(n, s->peer);

		/* As the system does: bytes that nobody read turn the close into a reset. */
		peer->end_sent = true;
		peer->cut_sent |= s->size > 0;
		peer->peer = 0;
		expect(n, n->now_us);
		n->host[peer->host].news = true;
	}
	s->taken = false;
	for (uint32_t i = 1; s->listens && i <= n->top; i++)
		if (n->streams[i].taken && n->streams[i].listener == stream)
			close_stream(n, i);
	while (n->top > 0 && !n->streams[n->top].taken)
		n->top--;
}

static void network_close(void *self, uint32_t stream)
{
	close_stream(of(self), stream);
}

/* ---- time ---- */

/* Most streams are silent most of the time. */
static bool may_have_news(const struct network_stream *s)
{
	return s->taken &&
		(s->state == NET_STREAM_CONNECTING ||
			(s->state == NET_STREAM_OPEN && (s->size > s->here || s->end_sent)));
}

static bool is_silent(const struct network *n, const struct network_stream *s)
{
	return n->host[s->host].silent ||
		(s->peer != 0 && n->host[n->streams[s->peer].host].silent);
}

/* True when something has changed for the reader. */
static bool deliver(struct network *n, struct network_stream *s)
{
	size_t more = s->size - s->here;

	if (is_silent(n, s) || s->listens)
		return false;
	if (s->state == NET_STREAM_CONNECTING) {
		if (n->now_us < s->due_us)
			return false;
		s->state = s->peer == 0 ? NET_STREAM_FAILED : NET_STREAM_OPEN;
		return true;
	}
	if (n->now_us < s->due_us)
		more = 0;
	size_t slice = n->host[s->host].slice > 0 ? n->host[s->host].slice : n->slice;

	if (slice > 0 && more > slice)
		more = slice;
	s->here += more;
	if (s->here == s->size && s->end_sent) {
		s->state = s->cut_sent ? NET_STREAM_FAILED : NET_STREAM_ENDED;
		return true;
	}
	return more > 0;
}

static void deliver_all(struct network *n)
{
	n->next_us = INT64_MAX;
	for (uint32_t i = 1; i <= n->top; i++) {
		struct network_stream *s = &n->streams[i];

		if (!may_have_news(s))
			continue;
		if (deliver(n, s))
			n->host[s->host].news = true;
		/* Who is silent may speak at any moment. */
		if (may_have_news(s))
			expect(n, is_silent(n, s) ? n->now_us : s->due_us);
	}
}

bool network_deliver(struct network *n)
{
	bool news = false;

	if (n->now_us >= n->next_us)
		deliver_all(n);
	for (uint32_t i = 0; i < n->hosts; i++)
		news |= n->host[i].news;
	return news;
}

static int64_t next_arrival(const struct network *n)
{
	int64_t next = INT64_MAX;

	for (uint32_t i = 1; i <= n->top; i++) {
		const struct network_stream *s = &n->streams[i];
		bool waits = s->state == NET_STREAM_CONNECTING ||
			(s->state == NET_STREAM_OPEN && s->size > s->here);

		if (s->taken && waits && s->due_us > n->now_us && s->due_us < next)
			next = s->due_us;
	}
	return next;
}

void network_pass(struct network *n, int64_t us)
{
	int64_t next = n->next_us > n->now_us ? n->next_us : next_arrival(n);
	int64_t end = n->now_us + (us > 0 ? us : 1);

	n->now_us = next < end ? next : end;
}

static void network_wait(void *self, int64_t timeout_us)
{
	struct network_host *host = self;
	struct network *n = host->network;
	int64_t next = INT64_MAX;

	n->waits++;
	network_deliver(n);
	for (uint32_t round = 0; host->leads && n->others != NULL; round++) {
		bool others_have_news = false;

		next = n->others(n->self);
		network_deliver(n);
		for (uint32_t i = 0; i < n->hosts; i++)
			others_have_news |= n->host[i].news && &n->host[i] != host;
		if (!others_have_news || host->news || round == NETWORK_OTHERS_MAX)
			break;
	}
	if (host->news || timeout_us == 0) {
		host->news = false;
		n->now_us += host->leads ? NETWORK_TURN_US : 0;
		return;
	}
	if (!host->leads)
		return;
	if (timeout_us < 0)
		timeout_us = CLOCK_S_US;
	if (next - n->now_us < timeout_us)
		timeout_us = next - n->now_us;
	network_pass(n, timeout_us);
}

/* ---- trouble ---- */

void network_cut_stream(struct network *n, uint32_t stream)
{
	struct network_stream *s = at(n, stream);

	if (s->listens)
		return;
	if (s->peer != 0) {
		at(n, s->peer)->end_sent = at(n, s->peer)->cut_sent = true;
		at(n, s->peer)->peer = 0;
	}
	s->peer = 0;
	s->end_sent = s->cut_sent = true;
	expect(n, n->now_us);
	n->cuts++;
}

void network_cut(struct network_host *host)
{
	struct network *n = host->network;

	for (uint32_t i = 1; i <= n->top; i++)
		if (n->streams[i].taken && &n->host[n->streams[i].host] == host)
			network_cut_stream(n, i);
}

void network_power_off(struct network_host *host)
{
	struct network *n = host->network;

	network_cut(host);
	for (uint32_t i = 1; i <= n->top; i++) {
		struct network_stream *s = &n->streams[i];

		if (!s->taken || s->listens || s->peer != 0 || &n->host[s->host] == host)
			continue;
		s->size = s->here;
		expect(n, n->now_us);
	}
}

void network_cut_one(struct network *n)
{
	uint32_t first = n->top == 0 ? 0 : random_below(&n->random, n->top);

	for (uint32_t i = 0; i < n->top; i++) {
		uint32_t stream = 1 + (first + i) % n->top;

		if (!n->streams[stream].taken || n->streams[stream].peer == 0)
			continue;
		network_cut_stream(n, stream);
		return;
	}
}

/* ---- */

struct network_host *network_host(struct network *n, struct net_address address, bool leads)
{
	struct network_host *host = &n->host[n->hosts];

	CHECK(n->hosts < NETWORK_HOSTS);
	n->hosts++;
	*host = (struct network_host){.network = n, .address = address, .leads = leads};
	return host;
}

struct net_bytes network_bytes(struct network_host *host)
{
	return (struct net_bytes){.open = network_open,
		.listen = network_listen,
		.accept = network_accept,
		.state = network_state,
		.fault = network_fault,
		.received = network_received,
		.drop = network_drop,
		.send = network_send,
		.unsent = network_unsent,
		.end = network_end,
		.close = network_close,
		.wait = network_wait,
		.self = host};
}

static struct mono network_mono(void *self)
{
	return (struct mono){((struct network *)self)->now_us};
}

static struct wall network_wall(void *self)
{
	const struct network *n = self;

	return (struct wall){n->wall_us + n->now_us};
}

struct clock network_clock(struct network *n)
{
	return (struct clock){.mono = network_mono, .wall = network_wall, .self = n};
}
