/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace: the ring. */
#include "base/trace.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/check.h"

_Static_assert((TRACE_RECORDS & (TRACE_RECORDS - 1)) == 0, "the place in the ring is a mask");
_Static_assert(TRACE_PRINTED <= TRACE_RECORDS, "only what is kept can be printed");

static struct {
	struct trace_record records[TRACE_RECORDS];
	uint64_t count;
	struct mono now;
} ring;

void trace_now(struct mono now)
{
	ring.now = now;
}

void trace(const char *what, uint32_t a, uint32_t b)
{
	ring.records[ring.count % TRACE_RECORDS] = (struct trace_record){ring.now.us, what, a, b};
	ring.count++;
}

void trace_reset(void)
{
	ring.count = 0;
	ring.now = (struct mono){0};
}

uint64_t trace_count(void)
{
	return ring.count;
}

bool trace_get(uint32_t back, struct trace_record *record)
{
	if (back >= TRACE_RECORDS || back >= ring.count)
		return false;
	*record = ring.records[(ring.count - 1 - back) % TRACE_RECORDS];
	return true;
}

void trace_print(void)
{
	struct trace_record record;
	check_print("trace (%" PRIu64 " records, the newest last):\n", ring.count);
	for (uint32_t back = TRACE_PRINTED; back-- > 0;) {
		if (!trace_get(back, &record))
			continue;
		check_print("  %" PRId64 ".%06d %s %" PRIu32 " %" PRIu32 "\n",
			record.us / CLOCK_S_US, (int)(record.us % CLOCK_S_US),
			record.what == NULL ? "(none)" : record.what, record.a, record.b);
	}
}
