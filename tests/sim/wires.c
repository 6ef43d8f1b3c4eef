/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wires: the network as a process sees it. In front of tools/apisim/network.c stands what goes
 * wrong with a single connection: it breaks after so many bytes in either direction, or stays
 * open and carries nothing. Waiting returns at once and leaves behind until when it would have
 * taken: the world decides who goes on.
 */
#include "sim/world.h"

static struct sim_wire *wire_of(struct sim_process *p, uint32_t stream)
{
	CHECK(stream >= 1 && stream <= NETWORK_STREAMS);
	return &p->wires[stream];
}

/* Some connections are doomed from the start. */
static uint32_t wires_open(void *self, enum net_stream_kind kind, const struct net_address *to)
{
	struct sim_process *p = self;
	struct world *w = p->world;
	uint32_t stream = p->inner.open(p->inner.self, kind, to);

	if (stream == 0)
		return 0;
	*wire_of(p, stream) = (struct sim_wire){
		.break_in = UINT64_MAX, .break_out = UINT64_MAX, .silent_in = UINT64_MAX};
	if (world_has(w, SIM_SILENCE) && world_below(w, 16) == 0)
		wire_of(p, stream)->silent_in =
			world_below(w, world_below(w, 2) == 0 ? 500 : 20000);
	if (world_has(w, SIM_CUTS) && world_below(w, 4) == 0) {
		struct sim_wire *wire = wire_of(p, stream);
		uint32_t most = world_below(w, 2) == 0 ? 2000 : 100 * 1000;

		wire->will_break = true;
		if (world_below(w, 2) == 0)
			wire->break_in = world_below(w, most);
		else
			wire->break_out = world_below(w, most);
	}
	if (world_has(w, SIM_LAGS) && world_below(w, 4) == 0) {
		w->network.streams[stream].lag_us =
			(int64_t)world_below(w, 40 * 1000) * CLOCK_MS_US;
		w->counts.lags++;
	}
	return stream;
}

static uint32_t wires_listen(void *self, const struct net_address *at)
{
	struct sim_process *p = self;
	uint32_t stream = p->inner.listen(p->inner.self, at);

	if (stream != 0)
		*wire_of(p, stream) = (struct sim_wire){.silent_in = UINT64_MAX};
	return stream;
}

static uint32_t wires_accept(void *self, uint32_t listener, struct net_address *peer)
{
	struct sim_process *p = self;
	uint32_t stream = p->inner.accept(p->inner.self, listener, peer);

	if (stream != 0)
		*wire_of(p, stream) = (struct sim_wire){.silent_in = UINT64_MAX};
	return stream;
}

static bool is_broken(struct sim_process *p, uint32_t stream)
{
	const struct sim_wire *wire = wire_of(p, stream);

	return wire->will_break && (wire->break_in == 0 || wire->break_out == 0);
}

static enum net_stream_state wires_state(void *self, uint32_t stream)
{
	struct sim_process *p = self;
	enum net_stream_state state = p->inner.state(p->inner.self, stream);

	if (state == NET_STREAM_CONNECTING)
		return state;
	if (is_broken(p, stream))
		return NET_STREAM_FAILED;
	return wire_of(p, stream)->deaf && state != NET_STREAM_FAILED ? NET_STREAM_OPEN : state;
}

static const char *wires_fault(void *self, uint32_t stream)
{
	struct sim_process *p = self;

	return p->inner.fault(p->inner.self, stream);
}

static struct text wires_received(void *self, uint32_t stream)
{
	struct sim_process *p = self;
	const struct sim_wire *wire = wire_of(p, stream);
	struct text bytes = p->inner.received(p->inner.self, stream);

	if (wire->deaf)
		return text_first(bytes, 0);
	if (wire->will_break && bytes.size > wire->break_in)
		return text_first(bytes, (size_t)wire->break_in);
	return bytes;
}

static void wires_drop(void *self, uint32_t stream, size_t size)
{
	struct sim_process *p = self;
	struct sim_wire *wire = wire_of(p, stream);

	p->inner.drop(p->inner.self, stream, size);
	if (wire->silent_in != UINT64_MAX && !wire->deaf) {
		wire->deaf = wire->silent_in <= size;
		wire->silent_in -= wire->deaf ? wire->silent_in : size;
		p->world->counts.silences += wire->deaf;
		if (wire->deaf)
			world_confuse(p->world);
	}
	if (!wire->will_break)
		return;
	wire->break_in -= size;
	if (wire->break_in == 0) {
		p->world->counts.cuts++;
		world_confuse(p->world);
		p->host->news = true;
	}
}

/* What only a leader may send, and only when it has seen what the one before it did. */
static bool is_order(struct text bytes)
{
	struct text line = text_first(bytes, bytes.size < 300 ? bytes.size : 300);
	line = text_first(line, text_find(line, '\r'));
	return (text_starts(line, TEXT("POST /api/v1/namespaces/")) &&
		       text_contains(line, TEXT("/binding"))) ||
		text_starts(line, TEXT("DELETE /api/v1/namespaces/")) ||
		text_starts(line, TEXT("PATCH /api/v1/persistentvolumes/")) ||
		(text_starts(line, TEXT("PATCH /api/v1/namespaces/")) &&
			text_contains(line, TEXT("/persistentvolumeclaims/")));
}

static void look(struct sim_process *p, struct text bytes)
{
	const struct scheduler *s = p->scheduler;

	if (s == NULL || s->lease == NULL || !is_order(bytes))
		return;
	struct text line = text_first(bytes, text_find(bytes, '\r'));
	if (!lease_holds(s->lease, process_now(p)))
		world_found(p->world, "scheduler %u does not lead and sends %.*s",
			(unsigned)p->number, TEXT_ARGS(line));
	if (s->leader.barrier != 0 || watch_stats(s->watch, KUBE_POD).lists <= p->lists)
		world_found(p->world,
			"scheduler %u has not listed pods since it leads and sends %.*s",
			(unsigned)p->number, TEXT_ARGS(line));
}

static size_t wires_send(void *self, uint32_t stream, const void *bytes, size_t size)
{
	struct sim_process *p = self;
	struct sim_wire *wire = wire_of(p, stream);

	if (p->is_dying || wire->mute)
		return size; /* gone */
	look(p, (struct text){bytes, size});
	if (wire->will_break && size > wire->break_out)
		size = (size_t)wire->break_out;
	size = p->inner.send(p->inner.self, stream, bytes, size);
	if (!wire->will_break)
		return size;
	wire->break_out -= size;
	if (wire->break_out == 0) {
		p->world->counts.cuts++;
		world_confuse(p->world);
		p->host->news = true;
	}
	return size;
}

static size_t wires_unsent(void *self, uint32_t stream)
{
	struct sim_process *p = self;

	return p->inner.unsent(p->inner.self, stream);
}

static void wires_end(void *self, uint32_t stream)
{
	struct sim_process *p = self;

	p->inner.end(p->inner.self, stream);
}

static void wires_close(void *self, uint32_t stream)
{
	struct sim_process *p = self;

	p->inner.close(p->inner.self, stream);
}

static void wires_wait(void *self, int64_t timeout_us)
{
	struct sim_process *p = self;

	p->asleep = !p->host->news && timeout_us != 0;
	p->host->news = false;
	p->due_us = timeout_us < 0
		? INT64_MAX
		: p->world->network.now_us + 1 + timeout_us * 1000000 / (1000000 + p->rate_ppm);
}

struct net_bytes wires_bytes(struct sim_process *p)
{
	p->inner = network_bytes(p->host);
	return (struct net_bytes){.open = wires_open,
		.listen = wires_listen,
		.accept = wires_accept,
		.state = wires_state,
		.fault = wires_fault,
		.received = wires_received,
		.drop = wires_drop,
		.send = wires_send,
		.unsent = wires_unsent,
		.end = wires_end,
		.close = wires_close,
		.wait = wires_wait,
		.self = p};
}
