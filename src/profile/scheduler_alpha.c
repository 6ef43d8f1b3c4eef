/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KubeSchedulerConfiguration v1alpha1 and v1alpha2, rewritten as v1 says it.
 *
 * What kube-scheduler did: v1alpha2 (v1.18, v1.19) has profiles, and fields at the top for what
 * are arguments and plugins today: preemption, and how long volumes are waited for. v1alpha1 (v1.10
 * to v1.18) has one profile, spread over the top: its name, its plugins, and where they come from,
 * a provider or a policy. Locks were endpoints or ConfigMaps.
 *
 * What we do: those fields become what they are today, in every profile. Lists of plugins are
 * v1beta1's. A policy stays a file of its own, which a flag names.
 */
#include "plugins/args.h"
#include "profile/arguments.h"
#include "profile/scheduler_private.h"

#define AT(type, member) offsetof(struct type, member)

/* ---- fields ---- */

static const struct field algorithm_list[] = {
	FIELD("provider", FIELD_TEXT, AT(scheduler_algorithm, provider), NULL, 0),
	FIELD("policy", FIELD_NODE, AT(scheduler_algorithm, policy), NULL, 0),
};
const struct fields scheduler_algorithm_fields = {algorithm_list, ARRAY_COUNT(algorithm_list),
	sizeof(struct scheduler_algorithm), NULL, false, false};

/* ---- plugins ---- */

static void alpha_append(
	struct reading *r, struct config_list *list, const char *name, int32_t weight)
{
	struct scheduler_plugin *to =
		SCRATCH_ARRAY(r->scratch, struct scheduler_plugin, list->count + 1);
	if (to == NULL)
		return;
	if (list->count > 0)
		memcpy(to, list->items, list->count * sizeof(*to));
	to[list->count] = (struct scheduler_plugin){text_of(name), weight};
	*list = (struct config_list){to, list->count + 1};
}

static void put_plugins(
	struct reading *r, const struct scheduler_alpha *alpha, struct scheduler_plugins *to)
{
	if (alpha->disable_preemption)
		alpha_append(r, &to->sets[PLUGIN_AT_POST_FILTER].disabled,
			plugin_default_preemption.name, 0);
	if (!text_is_z(alpha->algorithm.provider, "ClusterAutoscalerProvider"))
		return;
	struct scheduler_plugin_set *score = &to->sets[PLUGIN_AT_SCORE];
	alpha_append(r, &score->disabled, "NodeResourcesLeastAllocated", 0);
	alpha_append(r, &score->enabled, "NodeResourcesMostAllocated", 1);
}

/* The profile that v1alpha1 has at the top, and what counts for each. */
void scheduler_alpha_profiles(struct reading *r, struct scheduler_file *file)
{
	const struct scheduler_alpha *alpha = &file->alpha;
	struct config_list *profiles = &file->config.profiles;
	struct scheduler_profile *to = SCRATCH_ARRAY(
		r->scratch, struct scheduler_profile, profiles->count == 0 ? 1 : profiles->count);
	if (to == NULL)
		return;
	if (profiles->count > 0)
		memcpy(to, profiles->items, profiles->count * sizeof(*to));
	else
		to[profiles->count++] = (struct scheduler_profile){
			.name = alpha->name, .plugins = alpha->plugins, .args = alpha->args};
	for (uint32_t i = 0; i < profiles->count; i++)
		put_plugins(r, alpha, &to[i].plugins);
	profiles->items = to;
}

/* ---- arguments ---- */

/* Its values, if the profile has none of its own for the plugin; NULL: it has, or no memory. */
static void *added_args(struct reading *r, struct scheduler_profile *profile, enum plugin_id plugin)
{
	const struct scheduler_args *own = CONFIG_LIST(profile->args, struct scheduler_args);
	uint32_t count = profile->args.count;
	for (uint32_t i = 0; i < count; i++)
		if (own[i].id == plugin)
			return NULL;
	struct scheduler_args *to = SCRATCH_ARRAY(r->scratch, struct scheduler_args, count + 1);
	if (to == NULL)
		return NULL;
	if (count > 0)
		memcpy(to, own, count * sizeof(*to));
	profile->args = (struct config_list){to, count + 1};
	return scheduler_args_defaults(plugin, r->scratch, &to[count]);
}

void scheduler_alpha_args(
	struct reading *r, const struct scheduler_alpha *alpha, struct scheduler_profile *profile)
{
	if (alpha->hard_weight.given) {
		struct inter_pod_affinity_args *args =
			added_args(r, profile, PLUGIN_INTER_POD_AFFINITY);
		if (args != NULL)
			args->hard_weight = alpha->hard_weight.value;
	}
	if (alpha->bind_timeout.given) {
		struct volume_binding_config *args = added_args(r, profile, PLUGIN_VOLUME_BINDING);
		if (args != NULL)
			args->bind_timeout_seconds = alpha->bind_timeout.value;
	}
}

/* ---- the rest ---- */

/* Endpoints and ConfigMaps were locks, too. */
static void check_alpha_lock(struct reading *r, struct text *lock)
{
	if (lock->size > 0 && !text_is_z(*lock, "leases"))
		remark(r, "leaderElection.resourceLock", "is a lease");
	*lock = TEXT_NONE;
}

void scheduler_alpha_check(struct reading *r, struct scheduler_file *file)
{
	const struct scheduler_alpha *alpha = &file->alpha;
	struct text provider = alpha->algorithm.provider;
	check_alpha_lock(r, &file->config.leader_election.resource_lock);
	if (alpha->algorithm.policy != NULL)
		refuse(r, "algorithmSource.policy",
			"is for --policy-config-file or --policy-configmap");
	if (provider.size > 0 && !text_is_z(provider, "DefaultProvider") &&
		!text_is_z(provider, "ClusterAutoscalerProvider"))
		refuse_unsupported(r, "algorithmSource.provider", provider,
			"\"DefaultProvider\", \"ClusterAutoscalerProvider\"");
	if (alpha->hard_weight.given &&
		(alpha->hard_weight.value < 0 || alpha->hard_weight.value > 100))
		refuse_i64(r, "hardPodAffinitySymmetricWeight", alpha->hard_weight.value,
			"not in valid range [0-100]");
	if (alpha->bind_timeout.given && alpha->bind_timeout.value < 0)
		refuse_i64(r, "bindTimeoutSeconds", alpha->bind_timeout.value,
			"invalid BindTimeoutSeconds, should not be a negative value");
	if (alpha->failure_domains.size > 0)
		remark(r, "failureDomains", "has no effect");
}
