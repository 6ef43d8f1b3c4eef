/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which constraints a pod has to be spread by, and what each of them counts.
 *
 * A pod with constraints of its own is spread by those. A pod without gets the profile's default
 * ones, with a selector worked out from who else serves the same purpose: the Services that
 * select the pod, and the controller that owns it. No such selector: no constraints.
 */
#include "plugins/spread_state.h"

/*
 * Of services each pair is a label of the pod. A pod with more labels that services select is
 * spread by the first ones: a preference of its own, which others do not feel.
 */
enum { SELECTOR_PAIRS_MAX = 256 };

/* A default selector: equality pairs, and one owner's requirements. */
struct purpose {
	struct kube_label pairs[SELECTOR_PAIRS_MAX];
	uint32_t pair_count;
	const struct kube_selecting *owner; /* ReplicaSet or StatefulSet, or NULL */
};

static void purpose_set(struct purpose *purpose, uint32_t key, uint32_t value)
{
	uint32_t i = 0;
	while (i < purpose->pair_count && purpose->pairs[i].key != key)
		i++;
	if (i == SELECTOR_PAIRS_MAX)
		return;
	purpose->pairs[i] = (struct kube_label){key, value};
	if (i == purpose->pair_count)
		purpose->pair_count++;
}

static void purpose_set_all(struct purpose *purpose, const struct kube_selecting *from)
{
	const struct kube_requirement *list =
		KUBE_AT(from, from->selector.requirements, struct kube_requirement);
	for (uint32_t i = 0; i < from->selector.requirements.count; i++)
		purpose_set(purpose, list[i].key, KUBE_AT(from, list[i].values, uint32_t)[0]);
}

static void purpose_of(const struct cycle_state *d, bool first_service, struct purpose *purpose)
{
	const struct cache *cache = d->cache;
	const struct kube_pod_template *class = d->pod.class;
	purpose->pair_count = 0;
	purpose->owner = NULL;
	const struct list *services = &cache->by_kind[KUBE_SERVICE];
	for (struct list *l = services->next; l != services; l = l->next) {
		const struct cache_object *object = LIST_OWNER(l, struct cache_object, link);
		const struct kube_selecting *service =
			(const struct kube_selecting *)(const void *)object->blob;
		if (object->namespace == class->namespace &&
			service->selector.requirements.count > 0 &&
			kube_selector_matches(service, &service->selector, d->pod.labels))
			purpose_set_all(purpose, service);
		if (first_service && purpose->pair_count > 0)
			return;
	}
	if (first_service)
		return;
	enum kube_kind kind = KUBE_NO_KIND;
	const struct kube_owner_ids by = kube_labels_owner(d->pod.labels);
	if (by.kind == cache->names.replication_controller && by.api_version == cache->names.v1)
		kind = KUBE_REPLICATION_CONTROLLER;
	else if (by.api_version != cache->names.apps_v1)
		return;
	else if (by.kind == cache->names.replica_set)
		kind = KUBE_REPLICA_SET;
	else if (by.kind == cache->names.stateful_set)
		kind = KUBE_STATEFUL_SET;
	if (kind == KUBE_NO_KIND)
		return;
	const struct kube_selecting *owner =
		cache_object_blob(cache, kind, class->namespace, by.name);
	if (owner == NULL || owner->selector.state != KUBE_SELECTOR_SET)
		return;
	if (kind == KUBE_REPLICATION_CONTROLLER)
		purpose_set_all(purpose, owner);
	else
		purpose->owner = owner;
}

static bool purpose_is_empty(const struct purpose *purpose)
{
	return purpose->pair_count == 0 &&
		(purpose->owner == NULL || purpose->owner->selector.requirements.count == 0);
}

/* ---- selectors into the query's one term ---- */

static void require_value(
	struct kube_build *b, struct kube_requirement *r, uint32_t key, uint32_t value)
{
	r->key = kube_build_id(b, key);
	r->op = KUBE_IN;
	kube_build_ids(b, &value, 1, &r->values);
}

static void copy_requirements(struct kube_build *b, struct kube_requirement *to, const void *blob,
	const struct kube_selector *from)
{
	const struct kube_requirement *list =
		KUBE_AT(blob, from->requirements, struct kube_requirement);
	for (uint32_t i = 0; i < from->requirements.count; i++) {
		to[i].key = kube_build_id(b, list[i].key);
		to[i].op = list[i].op;
		kube_build_ids(b, KUBE_AT(blob, list[i].values, uint32_t), list[i].values.count,
			&to[i].values);
	}
}

/* Returns how many requirements the selector has. */
static uint32_t select_by_purpose(
	struct kube_build *b, const struct purpose *purpose, struct kube_selector *selector)
{
	uint32_t owned = purpose->owner == NULL ? 0 : purpose->owner->selector.requirements.count;
	uint32_t count = purpose->pair_count + owned;
	selector->state = KUBE_SELECTOR_SET;
	struct kube_requirement *list =
		kube_build_array(b, sizeof(*list), count, &selector->requirements);
	if (list == NULL)
		return count;
	for (uint32_t i = 0; i < purpose->pair_count; i++)
		require_value(b, &list[i], purpose->pairs[i].key, purpose->pairs[i].value);
	if (owned > 0)
		copy_requirements(
			b, list + purpose->pair_count, purpose->owner, &purpose->owner->selector);
	return count;
}

static uint32_t select_by_rule(struct kube_build *b, const struct cycle_state *d,
	const struct kube_spread *rule, struct kube_selector *selector)
{
	const struct kube_pod_template *class = d->pod.class;
	selector->state = rule->selector.state;
	if (rule->selector.state != KUBE_SELECTOR_SET)
		return 0;
	const uint32_t *keys = KUBE_AT(class, rule->match_label_keys, uint32_t);
	uint32_t present = 0;
	uint32_t value;
	for (uint32_t i = 0; i < rule->match_label_keys.count; i++)
		present += kube_labels_get(d->pod.labels, keys[i], &value);
	uint32_t own = rule->selector.requirements.count;
	struct kube_requirement *list =
		kube_build_array(b, sizeof(*list), own + present, &selector->requirements);
	if (list == NULL)
		return own + present;
	copy_requirements(b, list, class, &rule->selector);
	uint32_t at = own;
	for (uint32_t i = 0; i < rule->match_label_keys.count; i++)
		if (kube_labels_get(d->pod.labels, keys[i], &value))
			require_value(b, &list[at++], keys[i], value);
	return own + present;
}

/* ---- queries ---- */

static void include_nodes(struct kube_build *b, const struct cycle_state *d,
	const struct spread_state *state, const struct kube_spread *rule, struct cache_query *query)
{
	const struct kube_pod_template *class = d->pod.class;
	query->honor_affinity = rule->node_affinity_policy == KUBE_POLICY_HONOR &&
		(class->node_selector.count > 0 || class->has_required_nodes != 0);
	query->honor_taints = rule->node_taints_policy == KUBE_POLICY_HONOR;
	if (query->honor_affinity != 0 || query->honor_taints != 0)
		query->class = d->pod.template_index;
	if (query->honor_affinity != 0 && class->is_for_node != 0)
		query->for_node = kube_build_id(b, d->pod.for_node);
	if (!state->require_all)
		return;
	uint32_t *keys = kube_build_array(b, sizeof(*keys), state->count, &query->required_keys);
	for (uint32_t i = 0; keys != NULL && i < state->count; i++)
		keys[i] = kube_build_id(b, state->constraints[i].rule.topology_key);
}

static struct cache_query *build_query(struct cycle_state *d, const struct spread_state *state,
	struct spread_constraint *constraint, const struct purpose *purpose)
{
	const struct kube_spread *rule = &constraint->rule;
	struct kube_build b;
	kube_build_init(&b, &d->cache->strings, d->scratch);
	struct cache_query *query = kube_build_start(&b, sizeof(*query));
	if (query == NULL)
		return NULL;
	/* Soft spreading by host counts the pods on the node itself, whatever its labels say. */
	bool by_node = rule->hard == 0 && rule->topology_key == d->cache->names.hostname;
	query->kind = CACHE_MATCH;
	query->topology_key = by_node ? CACHE_KEY_NODE : kube_build_id(&b, rule->topology_key);
	query->skip_deleting = !constraint->with_deleting;
	query->count_nodes = rule->hard;
	struct cache_term *term = kube_build_array(&b, sizeof(*term), 1, &query->terms);
	uint32_t requirements = 0;
	if (term != NULL) {
		kube_build_ids(&b, &d->pod.class->namespace, 1, &term->namespaces);
		requirements = purpose != NULL ? select_by_purpose(&b, purpose, &term->selector)
					       : select_by_rule(&b, d, rule, &term->selector);
		constraint->selects_all =
			term->selector.state == KUBE_SELECTOR_SET && requirements == 0;
		if (constraint->selects_all)
			query->terms.count = 0; /* counts no pod */
	}
	if (!by_node)
		include_nodes(&b, d, state, rule, query);
	return (struct cache_query *)(void *)kube_build_finish(&b);
}

bool spread_selects(const struct spread_constraint *constraint, const struct kube_labels *labels)
{
	if (constraint->selects_all)
		return true;
	const struct cache_term *term =
		KUBE_AT(constraint->query, constraint->query->terms, struct cache_term);
	return kube_selector_matches(constraint->query, &term->selector, labels);
}

/* ---- choosing the constraints ---- */

static void add_rule(struct spread_state *state, const struct kube_spread *rule, bool hard)
{
	if ((rule->hard != 0) == hard)
		state->constraints[state->count++].rule = *rule;
}

static void add_default(struct spread_state *state, const struct spread_default *c, bool hard)
{
	struct kube_spread rule = {.topology_key = c->topology_key,
		.max_skew = c->max_skew,
		.min_domains = c->min_domains,
		.hard = c->hard,
		.node_affinity_policy =
			c->ignores_affinity ? KUBE_POLICY_IGNORE : KUBE_POLICY_HONOR,
		.node_taints_policy = c->honors_taints ? KUBE_POLICY_HONOR : KUBE_POLICY_IGNORE};
	add_rule(state, &rule, hard);
}

static void choose_constraints(
	const struct cycle_state *d, struct spread_state *state, bool hard, bool own)
{
	const struct spread_args *args = PLUGIN_ARGS(d->profile, SPREAD, spread_args);
	if (own) {
		const struct kube_spread *list =
			KUBE_AT(d->pod.class, d->pod.class->spread, struct kube_spread);
		for (uint32_t i = 0; i < d->pod.class->spread.count; i++)
			add_rule(state, &list[i], hard);
		return;
	}
	if (!args->is_list) {
		const struct spread_default by_host = {
			.topology_key = d->cache->names.hostname, .max_skew = 3, .min_domains = 1};
		const struct spread_default by_zone = {
			.topology_key = d->cache->names.zone, .max_skew = 5, .min_domains = 1};
		add_default(state, &by_host, hard);
		add_default(state, &by_zone, hard);
		return;
	}
	for (uint32_t i = 0; i < args->constraint_count; i++)
		add_default(state, &args->constraints[i], hard);
}

static bool parse_fault(struct cycle_state *d, const struct kube_selector *selector)
{
	struct text error = cache_text(d->cache, selector->error);
	char *copy = scratch_take(d->scratch, error.size + 1);
	d->error = "invalid selector of a topology spread constraint";
	if (copy != NULL && text_copy(error, copy, error.size + 1))
		d->error = copy;
	return false;
}

/* The queries of all chosen constraints, each holding references; false and none held else. */
static bool build_queries(
	struct cycle_state *d, struct spread_state *state, bool own, const struct purpose *purpose)
{
	bool built = true;
	uint32_t done = 0;
	for (; done < state->count && built; done++) {
		struct spread_constraint *constraint = &state->constraints[done];
		if (own && constraint->rule.selector.state == KUBE_SELECTOR_INVALID) {
			built = parse_fault(d, &constraint->rule.selector);
			break;
		}
		constraint->query = build_query(d, state, constraint, purpose);
		built = constraint->query != NULL;
	}
	if (built)
		return true;
	for (uint32_t i = 0; i < done; i++)
		if (state->constraints[i].query != NULL)
			kube_blob_drop(&state->constraints[i].query->blob, &d->cache->strings);
	return false;
}

bool spread_rules(struct cycle_state *d, bool hard, struct spread_state *state)
{
	const struct kube_pod_template *class = d->pod.class;
	bool own = class->spread.count > 0;
	uint32_t most = own ? class->spread.count : PLUGIN_CONSTRAINTS_MAX;
	struct purpose *purpose = own ? NULL : SCRATCH_ONE(d->scratch, struct purpose);
	state->constraints = SCRATCH_ARRAY(d->scratch, struct spread_constraint, most);
	d->error = "no room for topology spread constraints";
	if (d->scratch->overflowed)
		return false;
	if (!own) {
		purpose_of(d, false, purpose);
		if (purpose_is_empty(purpose)) {
			d->error = NULL;
			return true;
		}
	}
	choose_constraints(d, state, hard, own);
	state->require_all = hard || own || PLUGIN_ARGS(d->profile, SPREAD, spread_args)->is_list;
	if (!build_queries(d, state, own, purpose))
		return false;
	d->error = NULL;
	return true;
}

bool spread_constraints(struct cycle_state *d, bool hard, struct spread_state *state)
{
	if (!spread_rules(d, hard, state))
		return false;
	bool counted = true;
	for (uint32_t i = 0; i < state->count; i++) {
		struct spread_constraint *constraint = &state->constraints[i];
		/* Every query is handed over, even when nothing can be counted any more. */
		counted = cache_tally(d->cache, constraint->query, d->way, d->scratch,
				  &constraint->tally) &&
			counted;
		constraint->self = spread_selects(constraint, d->pod.labels);
	}
	if (!counted)
		d->error = "no room to count the pods of a topology spread constraint";
	return counted;
}

bool spread_kin(struct cycle_state *d, struct spread_constraint *c)
{
	const struct spread_state alone = {.count = 1};
	struct purpose *purpose = SCRATCH_ONE(d->scratch, struct purpose);
	d->error = "no room to count the pods of a service";
	if (purpose == NULL)
		return false;
	purpose_of(d, c->first_service, purpose);
	if (!purpose_is_empty(purpose)) {
		c->query = build_query(d, &alone, c, purpose);
		if (c->query == NULL ||
			!cache_tally(d->cache, c->query, d->way, d->scratch, &c->tally))
			return false;
	}
	d->error = NULL;
	return true;
}

uint32_t spread_kinds_of_kin(const struct plugin_demand *pod)
{
	if (pod->profile == NULL || pod->labels == NULL || pod->labels->pairs.count == 0)
		return 0; /* nothing selects it */
	return PLUGIN_KIND(KUBE_SERVICE) | PLUGIN_KIND(KUBE_REPLICATION_CONTROLLER) |
		PLUGIN_KIND(KUBE_REPLICA_SET) | PLUGIN_KIND(KUBE_STATEFUL_SET);
}
