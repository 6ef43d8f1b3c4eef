/* SPDX-License-Identifier: GPL-2.0-only */
#include "plugins/timer.h"

struct mono plugin_timer_start(const struct plugin_timer *timer)
{
	return timer == NULL ? (struct mono){0} : clock_mono(timer->clock);
}

void plugin_timer_took(const struct plugin_timer *timer, uint8_t plugin, uint32_t timed,
	enum plugin_code code, struct mono *since)
{
	if (timer == NULL)
		return;
	struct mono now = clock_mono(timer->clock);
	timer->plugin(timer->self, (enum plugin_id)plugin, timed, code, mono_since_us(now, *since));
	*since = now;
}
