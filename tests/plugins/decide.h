/* SPDX-License-Identifier: GPL-2.0-only */
/* Decisions about pods of the picture, for tests that build a whole cycle. */
#ifndef BERTH_TESTS_PLUGINS_DECIDE_H
#define BERTH_TESTS_PLUGINS_DECIDE_H

#include "cycle/cycle.h"

/* Where the pod goes, or the message; what is remembered and the slow way agree. Good until the
 * next call. */
const char *decide_in(struct cycle *cycle, uint32_t pod);

#endif
