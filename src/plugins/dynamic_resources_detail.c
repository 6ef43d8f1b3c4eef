/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DynamicResources, for explanations: which claim waits for what on a node, which of its devices
 * were refused by what, and what would help.
 */
#include "plugins/dynamic_resources.h"

static void put_count(struct writer *out, uint32_t count, const char *what)
{
	if (count > 0)
		write_format(out, ", %u %s", (unsigned)count, what);
}

/* By what most of the devices were refused. */
static const char *help_of(const struct dra_why *why)
{
	const struct {
		uint32_t count;
		const char *help;
	} rows[] = {{why->pools_incomplete, "the driver to publish all slices of its pool"},
		{why->pools_invalid, "slices of the pool that do not contradict each other"},
		{why->selector, "a node with devices that the class and the request select"},
		{why->given, "other claims to give devices back, or more devices"},
		{why->taint, "a toleration of the taint, or the taint to go"},
		{why->counter, "claims to parts of the same device to end"},
		{why->capacity, "a smaller request, or shares to be given back"},
		{why->constraint, "devices whose attributes the constraints allow together"}};
	const char *help = "a node whose driver offers such devices";
	uint32_t most = 0;
	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (rows[i].count > most) {
			most = rows[i].count;
			help = rows[i].help;
		}
	return help;
}

/* True: the request alone is too much here. */
static bool put_devices_why(const struct dra_claim *claim, const struct dra_request *request,
	const struct dra_ask *ask, const struct dra_why *why, struct writer *out)
{
	write_format(out, "%sclaim %.*s, request %.*s%s%.*s: %u devices here",
		out->used == 0 ? "" : "; ", TEXT_ARGS(claim->name), TEXT_ARGS(request->name),
		request->is_list ? "/" : "", TEXT_ARGS(request->is_list ? ask->name : TEXT("")),
		(unsigned)why->devices);
	put_count(out, why->selector, "refused by selectors");
	put_count(out, why->given, "given to other claims");
	put_count(out, why->taint, "tainted");
	if (why->taint > 0)
		write_format(out, " (%.*s)", TEXT_ARGS(why->taint_key));
	put_count(out, why->counter, "without enough of a shared counter");
	put_count(out, why->capacity, "without enough capacity left");
	put_count(out, why->constraint, "refused by constraints");
	put_count(out, why->pools_incomplete, "pools incomplete");
	put_count(out, why->pools_invalid, "pools invalid");
	write_format(out, ", %u left", (unsigned)why->left);
	if (ask->mode == KUBE_DEVICES_EXACT)
		write_format(out, " of %lld wanted", (long long)ask->count);
	bool lacks = ask->mode == KUBE_DEVICES_ALL ? why->left == 0 : why->left < ask->count;
	if (lacks)
		write_format(out, "; helps: %s", help_of(why));
	return lacks;
}

/* True: one of its requests alone is too much, or there is no time to say. */
static bool put_claim_detail(struct cycle_state *d, struct devices_state *state,
	const struct dra_claim *claim, const struct cache_node *node, struct writer *out)
{
	bool lacks = false;
	for (uint32_t r = 0; r < claim->request_count; r++)
		for (uint32_t a = 0; a < claim->requests[r].ask_count; a++) {
			struct scratch_mark mark = scratch_mark(d->scratch);
			struct dra_why why = {0};
			struct dra_run run = state->run;
			if (state->detail_steps <= 0)
				return true;
			run.claims = claim;
			run.claim_count = 1;
			run.steps = state->detail_steps;
			run.why = &why;
			dra_look(&run, node, r, a);
			state->detail_steps = run.steps;
			lacks |= put_devices_why(
				claim, &claim->requests[r], &claim->requests[r].asks[a], &why, out);
			scratch_rewind(d->scratch, mark);
		}
	return lacks;
}

void devices_detail(struct cycle_state *d, const struct cache_view *view, struct writer *out)
{
	struct devices_state *state = d->state[PLUGIN_DYNAMIC_RESOURCES];
	struct dra_extended extended;
	if (state == NULL || !devices_extend(d, state, view->node, &extended))
		return;
	bool lacks = state->run.claim_count == 0 || extended.is_lacking;
	for (uint32_t i = 0; i < state->run.claim_count; i++)
		lacks |= put_claim_detail(d, state, &state->asked[i], view->node, out);
	for (uint32_t i = 0; i < state->claim_count; i++) {
		const struct kube_claim *facts = state->claims[i].facts;
		if (facts->allocated == 0)
			continue;
		bool here = facts->allocation.reach.selector == 0 ||
			dra_reaches(d->cache, facts, &facts->allocation.reach, view->node);
		lacks = true;
		write_format(out, "%sclaim %.*s has devices %s", out->used == 0 ? "" : "; ",
			TEXT_ARGS(cache_text(d->cache, facts->name)),
			here ? "of this node" : "that this node cannot reach");
	}
	if (!lacks)
		write_z(out,
			"; each is there, not all together; helps: fewer devices, or a node with "
			"more");
}
