/* SPDX-License-Identifier: GPL-2.0-only */
/* NodeResourcesFit, private: its score, which is a file of its own. */
#ifndef BERTH_PLUGINS_FIT_H
#define BERTH_PLUGINS_FIT_H

#include "plugins/plugins.h"

int64_t fit_score(struct cycle_state *d, uint32_t node);
void fit_scores(struct cycle_state *d, const uint32_t *nodes, uint32_t count, int64_t *scores);

#endif
