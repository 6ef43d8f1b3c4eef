/* SPDX-License-Identifier: GPL-2.0-only */
/* Trouble: when which comes, and when it ends. */
#include "http/client_private.h"
#include "sim/world.h"

enum { TROUBLE_REST = 8 /* so many times longer between two of them while little happens */ };

static struct sim_process *some_process(struct world *w)
{
	struct sim_process *p = &w->processes[world_below(w, w->plan.schedulers)];

	return p->is_up && !p->inside && !p->is_dying ? p : NULL;
}

static int64_t some_time(struct world *w)
{
	static const uint32_t most_ms[] = {50, 1000, 8000, 20000, 60000};

	return (int64_t)(1 + world_below(w, most_ms[world_below(w, ARRAY_COUNT(most_ms))])) *
		CLOCK_MS_US;
}

static void silence(struct world *w, struct sim_process *p)
{
	uint32_t share = 1 + world_below(w, 100);

	for (uint32_t i = 1; i <= NETWORK_STREAMS; i++) {
		const struct network_stream *s = &w->network.streams[i];

		if (!s->taken || s->listens || &w->network.host[s->host] != p->host ||
			world_below(w, 100) >= share)
			continue;
		p->wires[i].deaf = world_below(w, 3) != 0;
		p->wires[i].mute = !p->wires[i].deaf || world_below(w, 2) == 0;
		w->counts.silences++;
	}
}

static void refuse_more(struct world *w, int64_t for_us)
{
	int64_t until = w->network.now_us + for_us;

	w->server.host->unreachable = true;
	if (w->outage_until_us < until)
		w->outage_until_us = until;
	w->counts.outages++;
}

/* What a server does that is about to stop in order: it answers what was asked, and no more. */
static void end_watches(struct world *w, struct sim_process *p)
{
	for (uint32_t i = 0; i < p->client->connection_count; i++) {
		const struct net_connection *c = &p->client->connections[i];

		if (!c->for_watch || !stream_is_open(&c->stream))
			continue;
		p->wires[c->stream.number].will_break = true;
		p->wires[c->stream.number].break_in = 0;
		w->counts.cuts++;
	}
	p->host->news = true;
}

static void stop_server(struct world *w, int64_t for_us)
{
	refuse_more(w, for_us);
	network_cut(w->server.host);
}

/* Nobody is back sooner than a lease is void. */
static void cut_power(struct world *w)
{
	int64_t off_us = (int64_t)(16 + world_below(w, 60)) * CLOCK_S_US;
	uint64_t unwritten = apisim_registry(w->api)->version - w->founded;

	if (unwritten > 100)
		unwritten = 100;
	refuse_more(w, off_us);
	network_power_off(w->server.host);
	apisim_lose(w->api, world_below(w, (uint32_t)unwritten + 1));
	if (w->life != NULL)
		life_look_again(w->life);
	w->lost_until_us = w->network.now_us + off_us + 60 * CLOCK_S_US;
	w->counts.losses++;
}

static void stand_still(struct world *w, struct sim_process *p, bool busy)
{
	p->pauses_busy = busy;
	if (!busy && world_below(w, 2) == 0) {
		p->paused_until_us = w->network.now_us + some_time(w);
		w->counts.pauses++;
	} else {
		p->pauses_in = 1 + world_below(w, busy ? 10 : 300);
		p->pause_us = some_time(w);
	}
}

static void strike(struct world *w, enum sim_trouble trouble, struct sim_process *p)
{
	const uint32_t confusing = 1 << SIM_CUTS | 1 << SIM_SILENCE | 1 << SIM_ERRORS |
		1 << SIM_HALF_ERRORS | 1 << SIM_SERVER_STOPS | 1 << SIM_CRASHES | 1 << SIM_STOPS |
		1 << SIM_POWER_CUTS;
	int64_t now = w->network.now_us;

	world_note(w, "trouble %u", (unsigned)trouble);
	if ((confusing >> trouble & 1) != 0)
		world_confuse(w);
	switch (trouble) {
	case SIM_CUTS:
		if (world_below(w, 6) == 0)
			network_cut(w->server.host);
		else
			network_cut_one(&w->network);
		w->counts.cuts++;
		break;
	case SIM_SILENCE:
		if (p != NULL)
			silence(w, p);
		break;
	case SIM_DELAYS:
		w->network.delay_us = w->plan.delay_us + world_below(w, 1500 * 1000);
		w->delay_until_us = now + some_time(w);
		break;
	case SIM_ERRORS:
	case SIM_HALF_ERRORS:
		w->error_share = 1 + world_below(w, 100);
		w->errors_until_us = now + some_time(w);
		break;
	case SIM_COMPACTIONS:
		apisim_compact(w->api);
		w->server.asleep = false;
		w->counts.compactions++;
		break;
	case SIM_SERVER_STOPS: stop_server(w, some_time(w)); break;
	case SIM_REFUSALS:
		refuse_more(w, some_time(w));
		if (p != NULL)
			end_watches(w, p);
		break;
	case SIM_POWER_CUTS: cut_power(w); break;
	case SIM_WALL_JUMPS:
		if (p != NULL)
			p->wall_us += ((int64_t)world_below(w, 7200) - 3600) * CLOCK_S_US;
		w->counts.jumps++;
		break;
	case SIM_CRASHES:
		if (p != NULL)
			p->dies_in = 1 + world_below(w, 300);
		w->counts.restarts++;
		break;
	case SIM_STOPS:
		if (p != NULL && p->dies_in == 0)
			scheduler_stop(p->scheduler);
		break;
	case SIM_PAUSES:
	case SIM_BUSY_PAUSES:
		if (p != NULL)
			stand_still(w, p, trouble == SIM_BUSY_PAUSES);
		break;
	default: break;
	}
}

static void heal(struct world *w)
{
	int64_t now = w->network.now_us;

	if (now >= w->delay_until_us)
		w->network.delay_us = w->plan.delay_us;
	if (now >= w->outage_until_us)
		w->server.host->unreachable = false;
}

void trouble_turn(struct world *w)
{
	uint32_t kind = world_below(w, SIM_TROUBLES);
	int64_t next = 1 + (int64_t)world_below(w, (uint32_t)(2 * w->plan.trouble_us));

	heal(w);
	if ((w->plan.troubles >> kind & 1) != 0)
		strike(w, (enum sim_trouble)kind, some_process(w));
	if (w->is_quiet)
		next *= TROUBLE_REST;
	w->trouble_us = w->network.now_us + next;
	/* The end of what lasts is looked for now and then. */
	if ((w->network.delay_us != w->plan.delay_us || w->server.host->unreachable) &&
		next > CLOCK_S_US)
		w->trouble_us = w->network.now_us + CLOCK_S_US;
}

void trouble_end(struct world *w)
{
	w->network.delay_us = w->plan.delay_us;
	w->network.slice = 0;
	w->server.host->unreachable = false;
	w->errors_until_us = w->outage_until_us = w->delay_until_us = 0;
	for (uint32_t i = 0; i < w->plan.schedulers; i++) {
		struct sim_process *p = &w->processes[i];

		p->dies_in = p->pauses_in = 0;
		p->paused_until_us = 0;
		for (uint32_t k = 1; k <= NETWORK_STREAMS; k++) {
			p->wires[k].will_break = false;
			p->wires[k].silent_in = UINT64_MAX;
		}
	}
	for (uint32_t k = 1; k <= NETWORK_STREAMS; k++)
		w->network.streams[k].lag_us = 0;
	world_note(w, "calm");
}
