/* SPDX-License-Identifier: GPL-2.0-only */
/* Progress on a terminal. */
#include "command/progress.h"

#include <inttypes.h>

void progress_init(struct progress *p, struct output *to, struct clock clock, bool wanted)
{
	*p = (struct progress){.to = to, .clock = clock, .wanted = wanted};
	if (wanted) /* what is done at once is not worth a line */
		p->due = mono_after_ms(clock_mono(&p->clock), PROGRESS_EVERY_US / CLOCK_MS_US);
}

void progress_tell(
	struct progress *p, const char *what, const char *name, uint64_t done, uint64_t total)
{
	if (!p->wanted)
		return;
	struct mono now = clock_mono(&p->clock);
	if (!mono_reached(now, p->due))
		return;
	p->due = mono_after_ms(now, PROGRESS_EVERY_US / CLOCK_MS_US);
	p->shown = true;
	output_z(p->to, "\r");
	output_format(p->to, "berth: %s %s: ", what, name);
	if (total > 0)
		output_format(p->to, "%" PRIu64 " %%", done * 100 / total);
	else
		output_format(p->to, "%" PRIu64 " MiB", done >> 20);
	output_z(p->to, "\x1b[K"); /* to the end of the line */
	output_flush(p->to);
}

void progress_clear(struct progress *p)
{
	if (!p->shown)
		return;
	p->shown = false;
	output_z(p->to, "\r\x1b[K");
	output_flush(p->to);
}
