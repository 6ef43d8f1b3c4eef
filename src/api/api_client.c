/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all calls share: the server, jitter, and the memory to read answers in.
 */
#include "api/api_private.h"

/* Slots of a pool keep the alignment that their size has. */
static size_t cutter_slot(void)
{
	return (json_cut_size(API_PIECE_MAX) + 15) / 16 * 16;
}

static void api_client_dump(const void *self)
{
	const struct api_client *client = self;

	check_print("server %s\n", client->is_away ? "away" : "answers");
	for (struct list *at = client->callers.next; at != &client->callers; at = at->next) {
		const struct api_caller *caller = LIST_OWNER(at, struct api_caller, link);

		check_print("%s: %u, unclear %u, repeated %llu\n", caller->name,
			(unsigned)caller->count, (unsigned)caller->unclear,
			(unsigned long long)caller->repeated);
	}
}

struct api_client *api_client_open(const struct api_setup *setup)
{
	struct api_client *client = arena_take(setup->arena, sizeof(*client));
	uint64_t seed = 1;

	CHECK(setup->answers_max > 0);
	client->setup = *setup;
	/* Without entropy jitter is merely the same for each start. */
	(void)setup->entropy.fill(setup->entropy.self, &seed, sizeof(seed));
	random_init(&client->random, seed);
	pool_init(&client->cuts, setup->arena, "answers", cutter_slot(), setup->answers_max);
	scratch_init(&client->scratch, arena_take_raw(setup->arena, API_SCRATCH), API_SCRATCH);
	list_init(&client->callers);
	check_register((struct check_dump){"api", api_client_dump, client});
	return client;
}

size_t api_client_size(uint32_t answers_max)
{
	return sizeof(struct api_client) + pool_size(cutter_slot(), answers_max) + API_SCRATCH +
		4 * 16;
}

void api_client_close(struct api_client *client)
{
	CHECK(list_is_empty(&client->callers));
	CHECK(pool_used(&client->cuts) == 0);
	budget_unregister(&client->cuts.budget);
	check_unregister(client);
}

struct net *api_client_net(const struct api_client *client)
{
	return client->setup.net;
}

struct scratch *api_client_scratch(struct api_client *client)
{
	return &client->scratch;
}
