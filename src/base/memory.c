/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory's phase, and address space from the system. */
#include "base/memory.h"

#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/budget.h"
#include "base/check.h"
#include "base/poison.h"

static struct {
	enum memory_phase phase;
	bool deadly;
	uint64_t late_requests;
	const struct budget *malloc_budget;
} memory;

enum memory_phase memory_phase(void)
{
	return memory.phase;
}

void memory_seal(void)
{
	CHECK(memory.phase == MEMORY_SETUP);
	memory.phase = MEMORY_SEALED;
}

#ifdef BERTH_TEST
void memory_unseal(void)
{
	memory.phase = MEMORY_SETUP;
}
#endif

void memory_seal_is_deadly(bool deadly)
{
	memory.deadly = deadly;
}

void memory_late_request(size_t size)
{
	CHECK(memory.phase == MEMORY_SEALED);
	memory.late_requests++;
	if (!memory.deadly)
		return;
	check_print("malloc of %zu bytes after the seal\n", size);
	CHECK_NEVER("malloc after the seal");
}

uint64_t memory_late_requests(void)
{
	return memory.late_requests;
}

size_t memory_malloc_used(void)
{
	return memory.malloc_budget == NULL ? 0 : (size_t)memory.malloc_budget->used;
}

void memory_malloc_is(const struct budget *budget)
{
	memory.malloc_budget = budget;
}

void *memory_reserve(size_t size)
{
	CHECK(memory.phase == MEMORY_SETUP);
	CHECK(size > 0);
	void *block = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (block == MAP_FAILED)
		return NULL;
	/*
	 * Where huge pages are always on, the first byte of a pool would cost 2 MB. A kernel that
	 * knows no huge pages refuses this, which is just as well.
	 */
	(void)madvise(block, size, MADV_NOHUGEPAGE);
	return block;
}

void memory_release(void *block, size_t size)
{
	poison_lift(block, size);
	CHECK(munmap(block, size) == 0);
}

size_t memory_page_size(void)
{
	size_t size = getauxval(AT_PAGESZ);
	CHECK(size > 0);
	return size;
}
