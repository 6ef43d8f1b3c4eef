/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The well-known strings.
 */
#include "cache/names.h"

void cache_names_init(struct cache_names *names, struct intern *strings)
{
#define CACHE_NAME_INTERN(name, text) CHECK(intern_take(strings, TEXT(text), &names->name));
	CACHE_NAMES(CACHE_NAME_INTERN)
#undef CACHE_NAME_INTERN
}
