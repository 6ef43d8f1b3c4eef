/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Poison: memory that may not be touched now, as AddressSanitizer sees it. Carving one block
 * hides overruns from sanitizers; this gives them back. Nothing at all in other builds.
 */
#ifndef BERTH_BASE_POISON_H
#define BERTH_BASE_POISON_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define POISON_WORKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISON_WORKS 1
#endif
#endif

#ifdef POISON_WORKS

#include <sanitizer/asan_interface.h>

/* For the few functions that keep their own marks inside poisoned memory. */
#define POISON_BLIND __attribute__((no_sanitize("address"), noinline))

static inline void poison_lay(const void *at, size_t size)
{
	__asan_poison_memory_region(at, size);
}
static inline void poison_lift(const void *at, size_t size)
{
	__asan_unpoison_memory_region(at, size);
}

#else

#define POISON_BLIND

static inline void poison_lay(const void *at, size_t size)
{
	(void)at;
	(void)size;
}
static inline void poison_lift(const void *at, size_t size)
{
	(void)at;
	(void)size;
}

#endif

#endif
