/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tests of most plugins ask a picture (tests/plugins/picture.h) about the pod default/p.
 */
#ifndef BERTH_TESTS_PLUGINS_QUESTIONS_H
#define BERTH_TESTS_PLUGINS_QUESTIONS_H

#include "plugins/plugins.h"

/*
 * What the plugin's prefilter and filter say about the node: "fits", "skip", or the
 * code and the reasons. Its rules must agree.
 */
const char *questions_verdict(enum plugin_id id, const char *node);
/*
 * "raw raw -> normalised normalised" of the nodes n1, n2 ...; "skip" or "error" when prescore
 * says so. What it adds to totals must agree.
 */
const char *questions_scores(enum plugin_id id);

#endif
