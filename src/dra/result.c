/* SPDX-License-Identifier: GPL-2.0-only */
/* An allocation as the apiserver gets it: status.allocation of a claim. */
#include <string.h>

#include "base/hash.h"
#include "dra/private.h"
#include "json/json.h"

static void put_raw(
	const struct dra_run *run, struct json_writer *j, const char *key, uint32_t json)
{
	if (json == 0)
		return;
	json_key(j, key);
	json_put_raw(j, dra_text(run, json));
}

static void put_request_name(
	const struct dra_claim *claim, const struct dra_pick *pick, struct json_writer *j)
{
	const struct dra_request *request = &claim->requests[pick->request];
	char bytes[512];
	struct writer w;
	writer_init(&w, bytes, sizeof(bytes));
	write_text(&w, request->name);
	if (request->is_list) {
		write_char(&w, '/');
		write_text(&w, request->asks[pick->ask].name);
	}
	json_put_text(j, writer_text(&w));
}

/* One of its own for each share of a claim: made of the claim's uid and the share's place. */
static void put_share(const struct dra_run *run, const struct dra_claim *claim, uint32_t place,
	struct json_writer *j)
{
	struct text uid = claim->facts == NULL ? claim->name : dra_text(run, claim->facts->uid);
	uint32_t h[4];
	char bytes[40];
	struct writer w;
	for (uint32_t i = 0; i < 4; i++)
		h[i] = hash_more(hash_bytes(uid.at, uid.size), place * 4 + i + 1);
	writer_init(&w, bytes, sizeof(bytes));
	write_format(&w, "%08x-%04x-4%03x-%04x-%04x%08x", (unsigned)h[0], (unsigned)(h[1] >> 16),
		(unsigned)(h[1] & 0xfff), (unsigned)(0x8000 | (h[2] >> 18)),
		(unsigned)(h[2] & 0xffff), (unsigned)h[3]);
	json_key(j, "shareID");
	json_put_text(j, writer_text(&w));
}

static void put_consumed(
	const struct dra_run *run, const struct dra_pick *pick, struct json_writer *j)
{
	const struct kube_capacity *capacities =
		KUBE_AT(pick->slice->facts, pick->device->capacities, struct kube_capacity);
	if (pick->consumed == NULL || pick->device->capacities.count == 0)
		return;
	json_member_object(j, "consumedCapacity");
	for (uint32_t i = 0; i < pick->device->capacities.count; i++) {
		char bytes[160];
		struct writer w;
		writer_init(&w, bytes, sizeof(bytes));
		quantity_print(&pick->consumed[i], &w);
		json_key_text(j, dra_text(run, capacities[i].name));
		json_put_text(j, writer_text(&w));
	}
	json_close_object(j);
}

static void put_result(const struct dra_run *run, const struct dra_claim *claim,
	const struct dra_pick *pick, uint32_t place, struct json_writer *j)
{
	const struct dra_ask *ask = &claim->requests[pick->request].asks[pick->ask];
	const struct kube_slice *slice = pick->slice->facts;
	const struct kube_device_more *more = kube_device_more(slice, pick->device);
	json_open_object(j);
	json_key(j, "request");
	put_request_name(claim, pick, j);
	json_member_text(j, "driver", dra_text(run, slice->driver));
	json_member_text(j, "pool", dra_text(run, slice->pool));
	json_member_text(j, "device", dra_text(run, pick->device->name));
	if (ask->admin)
		json_member_bool(j, "adminAccess", true);
	put_raw(run, j, "tolerations", ask->tolerations_json);
	if (run->features.binding_conditions && more != NULL) {
		put_raw(run, j, "bindingConditions", more->conditions);
		put_raw(run, j, "bindingFailureConditions", more->failures);
	}
	if (pick->is_shared)
		put_share(run, claim, place, j);
	put_consumed(run, pick, j);
	json_close_object(j);
}

/* ---- configuration ---- */

/* Which alternative was taken, by request; 0 where there are none. */
struct chosen {
	const struct dra_claim *claim;
	uint32_t *ask;
};

static void chosen_name(const struct chosen *chosen, uint32_t request, struct writer *w)
{
	const struct dra_request *of = &chosen->claim->requests[request];
	write_text(w, of->name);
	if (of->is_list) {
		write_char(w, '/');
		write_text(w, of->asks[chosen->ask[request]].name);
	}
}

static const struct kube_device_class *chosen_class(const struct chosen *chosen, uint32_t request)
{
	const struct dra_request *of = &chosen->claim->requests[request];
	return of->ask_count == 0 ? NULL : of->asks[chosen->ask[request]].class;
}

/* The requests of the class; 1.37: none when it is all of them, which means the same. */
static void put_class_requests(const struct dra_run *run, const struct chosen *chosen,
	const struct kube_device_class *class, struct json_writer *j)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < chosen->claim->request_count; i++)
		count += chosen_class(chosen, i) == class;
	if (run->features.names_device && count == chosen->claim->request_count)
		return;
	json_member_array(j, "requests");
	for (uint32_t i = 0; i < chosen->claim->request_count; i++) {
		char bytes[512];
		struct writer w;
		if (chosen_class(chosen, i) != class)
			continue;
		writer_init(&w, bytes, sizeof(bytes));
		chosen_name(chosen, i, &w);
		json_put_text(j, writer_text(&w));
	}
	json_close_array(j);
}

static void put_class_configs(
	const struct dra_run *run, const struct chosen *chosen, struct json_writer *j)
{
	for (uint32_t i = 0; i < chosen->claim->request_count; i++) {
		const struct kube_device_class *class = chosen_class(chosen, i);
		uint32_t before = 0;
		while (before < i && chosen_class(chosen, before) != class)
			before++;
		if (class == NULL || before < i)
			continue;
		const struct kube_device_config *configs =
			KUBE_AT(class, class->configs, struct kube_device_config);
		for (uint32_t k = 0; k < class->configs.count; k++) {
			json_open_object(j);
			json_member_z(j, "source", "FromClass");
			put_class_requests(run, chosen, class, j);
			put_raw(run, j, "opaque", configs[k].opaque);
			json_close_object(j);
		}
	}
}

static bool config_names(const struct dra_run *run, const struct chosen *chosen,
	const struct kube_device_config *config, uint32_t request)
{
	const uint32_t *names = KUBE_AT(chosen->claim->facts, config->requests, uint32_t);
	char bytes[512];
	struct writer w;
	writer_init(&w, bytes, sizeof(bytes));
	chosen_name(chosen, request, &w);
	for (uint32_t i = 0; i < config->requests.count; i++) {
		struct text name = dra_text(run, names[i]);
		if (text_is(name, chosen->claim->requests[request].name) ||
			text_is(name, writer_text(&w)))
			return true;
	}
	return false;
}

static void put_claim_config(const struct dra_run *run, const struct chosen *chosen,
	const struct kube_device_config *config, struct json_writer *j)
{
	const uint32_t *names = KUBE_AT(chosen->claim->facts, config->requests, uint32_t);
	uint32_t matched = 0;
	for (uint32_t i = 0; i < chosen->claim->request_count; i++)
		matched += config_names(run, chosen, config, i);
	if (config->requests.count > 0 && matched == 0)
		return;
	bool is_for_all = config->requests.count == 0 ||
		(run->features.names_device && matched == chosen->claim->request_count);
	json_open_object(j);
	json_member_z(j, "source", "FromClaim");
	if (!is_for_all) {
		json_member_array(j, "requests");
		for (uint32_t i = 0; i < config->requests.count; i++)
			json_put_text(j, dra_text(run, names[i]));
		json_close_array(j);
	}
	put_raw(run, j, "opaque", config->opaque);
	json_close_object(j);
}

static void put_configs(
	const struct dra_run *run, const struct chosen *chosen, struct json_writer *j)
{
	const struct kube_claim *facts = chosen->claim->facts;
	json_member_array(j, "config");
	put_class_configs(run, chosen, j);
	const struct kube_device_config *configs =
		facts == NULL ? NULL : KUBE_AT(facts, facts->configs, struct kube_device_config);
	for (uint32_t i = 0; facts != NULL && i < facts->configs.count; i++)
		put_claim_config(run, chosen, &configs[i], j);
	json_close_array(j);
}

static bool has_configs(const struct chosen *chosen)
{
	if (chosen->claim->facts != NULL && chosen->claim->facts->configs.count > 0)
		return true;
	for (uint32_t i = 0; i < chosen->claim->request_count; i++)
		if (chosen_class(chosen, i) != NULL && chosen_class(chosen, i)->configs.count > 0)
			return true;
	return false;
}

/* ---- where the devices can be reached ---- */

static const struct kube_reach *reach_of(const struct dra_pick *pick)
{
	const struct kube_slice *slice = pick->slice->facts;
	const struct kube_device_more *more = kube_device_more(slice, pick->device);
	return slice->per_device != 0 && more != NULL ? &more->reach : &slice->reach;
}

static bool is_local(const struct dra_pick *picks, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct kube_device_more *more =
			kube_device_more(picks[i].slice->facts, picks[i].device);
		if (reach_of(&picks[i])->node_name != 0 ||
			(more != NULL && more->binds_to_node != 0))
			return true;
	}
	return false;
}

/* The requirements of all selectors, each once. False: there are none. */
static bool put_merged(const struct dra_run *run, const struct dra_pick *picks, uint32_t count,
	const char *member, struct json_writer *j)
{
	struct text put[64];
	uint32_t put_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct json_value selector;
		uint32_t json = reach_of(&picks[i])->selector;
		if (json == 0 ||
			json_parse(dra_text(run, json), run->scratch, &selector) != JSON_PARSED)
			continue;
		struct json_walk terms = json_walk(json_get(selector, "nodeSelectorTerms"));
		if (!json_walk_next(&terms))
			continue;
		struct json_walk walk = json_walk(json_get(terms.value, member));
		while (json_walk_next(&walk)) {
			uint32_t k = 0;
			while (k < put_count && !text_is(put[k], json_raw(walk.value)))
				k++;
			if (k < put_count || put_count == ARRAY_COUNT(put))
				continue;
			if (put_count == 0) {
				json_member_array(j, member);
			}
			put[put_count++] = json_raw(walk.value);
			json_put_raw(j, json_raw(walk.value));
		}
	}
	if (put_count > 0)
		json_close_array(j);
	return put_count > 0;
}

static bool has_selector(const struct dra_pick *picks, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (reach_of(&picks[i])->selector != 0)
			return true;
	return false;
}

static void put_node_selector(const struct dra_run *run, const struct dra_pick *picks,
	uint32_t count, const struct cache_node *node, struct json_writer *j)
{
	bool local = is_local(picks, count);
	if (!local && !has_selector(picks, count))
		return;
	json_member_object(j, "nodeSelector");
	json_member_array(j, "nodeSelectorTerms");
	json_open_object(j);
	if (local) {
		kube_node_term_put(j, dra_text(run, node->name));
	} else {
		struct scratch_mark mark = scratch_mark(run->scratch);
		(void)put_merged(run, picks, count, "matchFields", j);
		(void)put_merged(run, picks, count, "matchExpressions", j);
		scratch_rewind(run->scratch, mark);
	}
	json_close_object(j);
	json_close_array(j);
	json_close_object(j);
}

void dra_write_allocation(const struct dra_run *run, const struct dra_claim *claim,
	const struct dra_pick *picks, uint32_t count, const struct cache_node *node,
	struct writer *out)
{
	struct json_writer j;
	struct scratch_mark mark = scratch_mark(run->scratch);
	struct chosen chosen = {.claim = claim,
		.ask = SCRATCH_ARRAY(run->scratch, uint32_t, (size_t)claim->request_count + 1)};
	for (uint32_t i = 0; chosen.ask != NULL && i < count; i++)
		chosen.ask[picks[i].request] = picks[i].ask;
	json_write_init(&j, out);
	json_open_object(&j);
	json_member_object(&j, "devices");
	json_member_array(&j, "results");
	for (uint32_t i = 0; i < count; i++)
		put_result(run, claim, &picks[i], i, &j);
	json_close_array(&j);
	if (chosen.ask != NULL && has_configs(&chosen))
		put_configs(run, &chosen, &j);
	json_close_object(&j);
	put_node_selector(run, picks, count, node, &j);
	json_close_object(&j);
	scratch_rewind(run->scratch, mark);
}
