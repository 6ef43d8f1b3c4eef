/* SPDX-License-Identifier: GPL-2.0-only */
#include "cycle/evaluation.h"

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
