/* SPDX-License-Identifier: GPL-2.0-only */
#include "cycle/timing.h"

#include "cycle/evaluation.h"

struct mono evaluation_start_point(const struct evaluation *e)
{
	return e->timer == NULL ? (struct mono){0} : clock_mono(e->timer->clock);
}

struct mono evaluation_start_plugin(const struct evaluation *e)
{
	return e->times_plugins ? clock_mono(e->timer->clock) : (struct mono){0};
}

void evaluation_took_point(const struct evaluation *e, enum plugin_point point,
	enum plugin_code code, struct mono *since)
{
	if (e->timer == NULL)
		return;
	struct mono now = clock_mono(e->timer->clock);
	e->timer->point(e->timer->self, (uint32_t)(e->d.profile - e->cycle->profiles), point, code,
		mono_since_us(now, *since));
	*since = now;
}

void evaluation_took_plugin(const struct evaluation *e, uint8_t plugin, enum plugin_point point,
	enum plugin_code code, struct mono *since)
{
	if (!e->times_plugins)
		return;
	struct mono now = clock_mono(e->timer->clock);
	e->timer->plugin(
		e->timer->self, (enum plugin_id)plugin, point, code, mono_since_us(now, *since));
	*since = now;
}
