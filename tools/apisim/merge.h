/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Patches on trees. Both take the patch apart: its nodes become part of the result.
 *
 * A strategic merge patch merges objects member by member and some lists element by element, by
 * a key that the API's types name (conditions by type); null deletes; directives begin with $.
 */
#ifndef BERTH_TOOLS_APISIM_MERGE_H
#define BERTH_TOOLS_APISIM_MERGE_H

#include "apisim/tree.h"

/* RFC 7386. `target` may be NULL. */
struct tree *merge_patch(struct tree *target, struct tree *patch, struct scratch *scratch);

/*
 * NULL when the patch is malformed; then *fault says why. `kind` is that of the object: lists of
 * one name have different keys in different kinds.
 */
struct tree *merge_strategic(struct tree *target, struct tree *patch, struct text kind,
	struct scratch *scratch, const char **fault);

#endif
