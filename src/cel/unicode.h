/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Classes of characters as patterns name them: \pL, \p{Lu}, \p{Greek}. The general categories with
 * Lu, Ll and Nd, and the scripts that are written most. For cel/ only.
 */
#ifndef BERTH_CEL_UNICODE_H
#define BERTH_CEL_UNICODE_H

#include "base/text.h"

/* The class of the name; 0: none that is known. With `folds` both cases of letters count. */
uint32_t cel_unicode_class(struct text name, bool folds);
bool cel_unicode_has(uint32_t class, uint32_t point);

#endif
