/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring of what happened. */
#include "scheduler/history.h"

#include <string.h>

#include "base/check.h"

enum { RECORD_UNIT = 8, SAMPLES_SHARE = 2 };

const char *const history_kind_names[HISTORY_KINDS] = {
	"scheduled", "unschedulable", "error", "preemption", "lost", "unbound", "node"};

/* In the ring, its texts behind it, rounded up to RECORD_UNIT. */
struct history_record {
	uint64_t serial;
	int64_t at_us;
	uint32_t took_us;
	uint32_t feasible;
	uint16_t size;   /* of all of it */
	uint16_t before; /* size of the one before it */
	uint16_t pod;
	uint16_t node;
	uint16_t words;
	uint16_t kind;
};

size_t history_size(size_t bytes)
{
	return bytes == 0 ? 0
			  : arena_span_size(bytes) +
			arena_span_size(HISTORY_MINUTES * sizeof(struct history_sample));
}

void history_init(struct history *h, struct arena *arena, size_t bytes)
{
	size_t most = bytes / SAMPLES_SHARE / sizeof(struct history_sample);
	*h = (struct history){.capacity = 0};
	if (bytes == 0)
		return;
	h->minutes = most < HISTORY_MINUTES ? (uint32_t)most : HISTORY_MINUTES;
	size_t samples = h->minutes * sizeof(struct history_sample);
	h->capacity = (bytes - samples) / RECORD_UNIT * RECORD_UNIT;
	arena_take_span(arena, &h->span, h->capacity);
	arena_take_span(arena, &h->sample_span, samples);
}

/* ---- events ---- */

static struct history_record *record_at(const struct history *h, size_t at)
{
	return (struct history_record *)(void *)(h->span.base + at);
}

static void drop_oldest(struct history *h)
{
	h->first += record_at(h, h->first)->size;
	if (h->first == h->end)
		h->first = h->end = 0;
	h->oldest++;
}

static bool ring_is_empty(const struct history *h)
{
	return h->oldest > h->serial || h->serial == 0;
}

/* Does the oldest stand where the next one shall? It is behind what this lap has written. */
static bool ring_meets(const struct history *h, size_t size)
{
	return !ring_is_empty(h) && h->first >= h->next && h->end > 0 && h->first < h->next + size;
}

/* Where so many bytes may be written; false: there is no memory at all. */
static bool make_place(struct history *h, size_t size)
{
	if (h->next + size > h->capacity || !page_span_reach(&h->span, h->next + size)) {
		/* What is left of the last lap behind here goes, and a new lap begins. */
		while (!ring_is_empty(h) && h->end > 0 && h->first >= h->next)
			drop_oldest(h);
		h->end = h->next;
		h->next = 0;
		if (h->end == 0 || size > h->span.held)
			return false;
	}
	while (ring_meets(h, size))
		drop_oldest(h);
	return true;
}

static uint16_t clip(struct text *text, size_t most)
{
	*text = text_utf8_first(*text, most);
	return (uint16_t)text->size;
}

void history_append(struct history *h, const struct history_event *event)
{
	struct text pod = event->pod, node = event->node, words = event->words;
	struct history_record record = {.serial = h->serial + 1,
		.at_us = event->at.us,
		.took_us = event->took_us,
		.feasible = event->feasible,
		.kind = (uint16_t)event->kind,
		.pod = clip(&pod, HISTORY_NAME_MAX),
		.node = clip(&node, HISTORY_NAME_MAX),
		.words = clip(&words, HISTORY_WORDS_MAX)};
	size_t size = sizeof(record) + pod.size + node.size + words.size;
	size = (size + RECORD_UNIT - 1) / RECORD_UNIT * RECORD_UNIT;
	record.size = (uint16_t)size;
	record.before = (uint16_t)h->latest;
	if (size > h->capacity || !make_place(h, size))
		return;
	struct writer w;
	writer_init(&w, h->span.base + h->next, size);
	write_bytes(&w, &record, sizeof(record));
	write_text(&w, pod);
	write_text(&w, node);
	write_text(&w, words);
	if (ring_is_empty(h)) {
		h->first = h->next;
		h->oldest = record.serial;
		h->end = 0;
	}
	h->serial = record.serial;
	h->latest = record.size;
	h->next += size;
	if (h->serial - h->oldest >= HISTORY_EVENTS)
		drop_oldest(h);
}

bool history_older(const struct history *h, struct history_walk *walk, struct history_event *event)
{
	size_t at = walk->at;
	size_t size = h->latest;
	if (ring_is_empty(h) || (walk->serial != 0 && walk->serial <= h->oldest))
		return false;
	if (walk->serial == 0)
		at = h->next;
	else
		size = record_at(h, at)->before;
	if (at == 0)
		at = h->end;
	at -= size;
	const struct history_record *r = record_at(h, at);
	const char *texts = (const char *)(r + 1);
	*walk = (struct history_walk){r->serial, (uint32_t)at};
	*event = (struct history_event){.serial = r->serial,
		.at = {r->at_us},
		.kind = (enum history_kind)r->kind,
		.took_us = r->took_us,
		.feasible = r->feasible,
		.pod = {texts, r->pod},
		.node = {texts + r->pod, r->node},
		.words = {texts + r->pod + r->node, r->words}};
	return true;
}

uint64_t history_events(const struct history *h)
{
	return ring_is_empty(h) ? 0 : h->serial - h->oldest + 1;
}

struct wall history_oldest(const struct history *h)
{
	return (struct wall){ring_is_empty(h) ? 0 : record_at(h, h->first)->at_us};
}

/* ---- samples ---- */

/* Octaves of a microsecond, in steps: at most a fifth too much. */
void history_count_decision(struct history *h, int64_t took_us)
{
	uint32_t us = took_us < 1 ? 1 : took_us < INT32_MAX ? (uint32_t)took_us : INT32_MAX;
	uint32_t octave = 31 - (uint32_t)__builtin_clz(us);
	uint32_t step = octave >= 2 ? us >> (octave - 2) & 3 : us << (2 - octave) & 3;
	uint32_t at = octave * HISTORY_STEPS + step;
	h->took[at < HISTORY_SCALE ? at : HISTORY_SCALE - 1]++;
}

/* The upper end of the step that so many of a hundred do not exceed; 0: there were none. */
static uint32_t percentile(const struct history *h, uint64_t total, uint32_t percent)
{
	uint64_t wanted = (total * percent + 99) / 100;
	uint64_t so_far = 0;
	for (uint32_t at = 0; total > 0 && at < HISTORY_SCALE; at++) {
		so_far += h->took[at];
		if (so_far >= wanted)
			return ((HISTORY_STEPS + at % HISTORY_STEPS + 1) << (at / HISTORY_STEPS)) /
				HISTORY_STEPS;
	}
	return 0;
}

void history_sample_put(struct history *h, struct history_sample sample)
{
	uint64_t total = 0;
	for (uint32_t at = 0; at < HISTORY_SCALE; at++)
		total += h->took[at];
	sample.p50_us = percentile(h, total, 50);
	sample.p99_us = percentile(h, total, 99);
	memset(h->took, 0, sizeof(h->took));
	if (h->minutes == 0)
		return;
	size_t at = h->samples % h->minutes;
	if (!page_span_reach(&h->sample_span, (at + 1) * sizeof(sample)))
		return;
	memcpy(h->sample_span.base + at * sizeof(sample), &sample, sizeof(sample));
	h->samples++;
}

const struct history_sample *history_sample_at(const struct history *h, uint32_t back)
{
	if (back >= h->samples || back >= h->minutes)
		return NULL;
	size_t at = (h->samples - 1 - back) % h->minutes;
	return (const struct history_sample *)(const void *)(h->sample_span.base +
		at * sizeof(struct history_sample));
}
