/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Feature gates, as kube-scheduler's --feature-gates names them, and the releases whose behaviour
 * can be asked for by --emulated-version.
 *
 * What kube-scheduler does: it knows one list of gates, with a default for each release; what is
 * not in it, what is locked, and what lacks another gate, is refused. What we do: the same, and a
 * gate whose feature does not exist here is refused when it is switched on.
 */
#ifndef BERTH_KUBE_FEATURE_GATES_H
#define BERTH_KUBE_FEATURE_GATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/text.h"
#include "kube/feature_table.h"

enum kube_release {
	KUBE_1_36,
	KUBE_1_37,
	KUBE_RELEASES,
	KUBE_RELEASE_OPEN = KUBE_RELEASES, /* not chosen */
	KUBE_RELEASE_DEFAULT = KUBE_1_37   /* where nothing else says which */
};

#define FEATURE_ID(name, in_1_36, in_1_37) FEATURE_##name,
enum feature { FEATURE_ROWS(FEATURE_ID) FEATURES };
#undef FEATURE_ID

enum { FEATURE_WORDS = (FEATURES + 63) / 64 };

/* What was asked for. All zero: nothing. */
struct feature_choices {
	uint64_t given[FEATURE_WORDS];
	uint64_t on[FEATURE_WORDS];
};

/* What is on. */
struct feature_gates {
	enum kube_release release;
	uint64_t on[FEATURE_WORDS];
};

static inline bool feature_enabled(const struct feature_gates *gates, enum feature feature)
{
	CHECK(feature < FEATURES);
	return (gates->on[feature / 64] >> (feature % 64) & 1) != 0;
}

static inline bool feature_is_given(const struct feature_choices *choices, enum feature feature)
{
	return (choices->given[feature / 64] >> (feature % 64) & 1) != 0;
}

const char *feature_name(enum feature feature);
/* As kube-scheduler's metric has it: "ALPHA", "BETA", "" (GA), "DEPRECATED"; NULL: not known. */
const char *feature_stage(enum kube_release release, enum feature feature);

/* Reads "A=true,B=false"; a later choice replaces an earlier one. False with what is wrong. */
MUST_USE bool feature_choices_read(
	struct feature_choices *choices, struct text pairs, struct writer *fault);

/*
 * Why kube-scheduler of that release, or we, could not start with what is chosen about the gate;
 * of an open release, why neither could. False: it is all right.
 */
bool feature_is_refused(const struct feature_choices *choices, enum kube_release release,
	enum feature feature, struct writer *why);
/* The same of gates that are on although one is off which they need: when none is refused. */
bool feature_is_unmet(const struct feature_choices *choices, enum kube_release release,
	enum feature feature, struct writer *why);
/* Chosen otherwise than it is by default, and nothing here depends on it. */
bool feature_is_idle(
	const struct feature_choices *choices, enum kube_release release, enum feature feature);

/* Defaults of the release, and the choices that it knows and allows. */
void feature_gates_set(struct feature_gates *gates, const struct feature_choices *choices,
	enum kube_release release);

const char *kube_release_name(enum kube_release release); /* "1.36" */
/* "1.36", "kube=1.36", or several, of which only kube is ours. False with what is wrong. */
MUST_USE bool kube_release_read(
	struct text versions, enum kube_release *release, struct writer *fault);

#endif
