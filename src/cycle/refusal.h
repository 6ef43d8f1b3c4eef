/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Refusal: a plugin refuses the node of a pod after it was chosen.
 */
#ifndef BERTH_CYCLE_REFUSAL_H
#define BERTH_CYCLE_REFUSAL_H

#include "cycle/binding_points.h"
#include "cycle/cycle.h"

/*
 * What the refusal by points->rejector comes to, in upstream's words: of a rejection those for one
 * node, of an error those of the point ("Reserve", "Permit"). The message is in scratch.
 */
void cycle_refused(const struct binding_points *points, enum plugin_code code, const char *point,
	const struct plugin_reasons *why, struct scratch *scratch, struct schedule_result *result);
/* "0/1 nodes are available: 1 <reason>." */
struct text cycle_refusal_text(const struct plugin_reasons *why, struct scratch *scratch);
/* "running <point> plugin "<name>": <error>" */
struct text cycle_plugin_error(
	const char *point, const char *plugin, struct text error, struct scratch *scratch);

#endif
