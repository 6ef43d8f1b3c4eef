/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What plugins keep for a pod on its way to its node: a block of the cache's store each, so that it
 * counts in the one budget and takes nothing from a pod for which nothing is kept.
 */
#include "plugins/plugins.h"

struct plugin_block {
	uint32_t next;
	uint32_t id;
};
_Static_assert(sizeof(struct plugin_block) == 8, "what is kept behind it stays aligned");

static struct plugin_block *plugin_block_at(const struct plugin_binding *b, uint32_t handle)
{
	return store_at(&b->cache->store, handle);
}

void *plugin_keep(struct plugin_binding *b, enum plugin_id id, size_t size)
{
	CHECK(id < PLUGIN_COUNT);
	CHECK(plugin_kept(b, id) == NULL);
	uint32_t handle = store_take(&b->cache->store, sizeof(struct plugin_block) + size);
	if (handle == 0)
		return NULL;
	struct plugin_block *block = plugin_block_at(b, handle);
	*block = (struct plugin_block){b->kept, id};
	b->kept = handle;
	memset(block + 1, 0, size);
	return block + 1;
}

void *plugin_kept(const struct plugin_binding *b, enum plugin_id id)
{
	for (uint32_t at = b->kept; at != 0; at = plugin_block_at(b, at)->next)
		if (plugin_block_at(b, at)->id == id)
			return plugin_block_at(b, at) + 1;
	return NULL;
}

void plugin_release(struct plugin_binding *b)
{
	while (b->kept != 0) {
		uint32_t handle = b->kept;
		struct plugin_block *block = plugin_block_at(b, handle);
		if (plugins[block->id]->release != NULL)
			plugins[block->id]->release(b, block + 1);
		b->kept = block->next;
		store_give(&b->cache->store, handle);
	}
}
