/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory has two phases. While MEMORY_SETUP lasts, arenas may take and libraries may malloc.
 * memory_seal() ends it: from then on a malloc of libc is counted, and aborts when the process
 * runs with memory_seal_is_deadly(true) (tests, simulator, debug builds).
 *
 * In the static binary memory_malloc.c defines malloc and its family over one fixed block;
 * hosted builds and tests keep libc's malloc so that the sanitizers work.
 */
#ifndef BERTH_BASE_MEMORY_H
#define BERTH_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum memory_phase { MEMORY_SETUP, MEMORY_SEALED };

enum memory_phase memory_phase(void);
void memory_seal(void);
#ifdef BERTH_TEST
void memory_unseal(void); /* tests and simulator: a new instance is set up */
#endif
void memory_seal_is_deadly(bool deadly);

/* Called by memory_malloc.c for each request that comes after the seal. */
void memory_late_request(size_t size);
uint64_t memory_late_requests(void);

/* Bytes that are malloc'ed now, block headers included (0 where malloc is not ours). */
size_t memory_malloc_used(void);
struct budget;
void memory_malloc_is(const struct budget *budget); /* memory_malloc.c says that it is there */

/*
 * Takes `size` bytes of zeroed address space from the system; pages cost nothing until they
 * are touched. NULL when the system refuses. Only while MEMORY_SETUP.
 */
void *memory_reserve(size_t size);
void memory_release(void *block, size_t size);

size_t memory_page_size(void);

#endif
