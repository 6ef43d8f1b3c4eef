/* SPDX-License-Identifier: GPL-2.0-only */
#include "kube/feature_gates.h"

#include "base/nearest.h"

enum feature_stage {
	STAGE_NONE, /* the release does not know it */
	STAGE_ALPHA,
	STAGE_BETA_OFF,
	STAGE_BETA,
	STAGE_GA,
	STAGE_LOCKED,  /* GA, and on for good */
	STAGE_OLD_OFF, /* deprecated */
	STAGE_OLD_ON,
	STAGE_OLD_LOCKED_OFF,
	STAGE_OLD_LOCKED_ON
};

#define ROW(name, in_1_36, in_1_37) {STAGE_##in_1_36, STAGE_##in_1_37},
static const uint8_t feature_stages[FEATURES][KUBE_RELEASES] = {FEATURE_ROWS(ROW)};
#undef ROW

/* One after the other: pointers to 279 names would have to be relocated. */
#define NAME(name, in_1_36, in_1_37) #name "\0"
static const char feature_names[] = FEATURE_ROWS(NAME);
#undef NAME

#define PAIR(feature, needed) {FEATURE_##feature, FEATURE_##needed},
static const struct {
	uint16_t feature;
	uint16_t needed;
} feature_needs[] = {FEATURE_NEEDS(PAIR)};
#undef PAIR

/* Gates that something here asks for. */
static const uint16_t features_followed[] = {FEATURE_DRAAdminAccess, FEATURE_DRAConsumableCapacity,
	FEATURE_DRADeviceBindingConditions, FEATURE_DRADeviceTaintRules, FEATURE_DRADeviceTaints,
	FEATURE_DRAExtendedResource, FEATURE_DRAFractionalCapacityRange,
	FEATURE_DRAPartitionableDevices, FEATURE_DRAPrioritizedList,
	FEATURE_DRAResourceClaimDeviceStatus, FEATURE_DRASchedulerFilterTimeout,
	FEATURE_NodeDeclaredFeatures, FEATURE_StorageCapacityScoring,
	FEATURE_TaintTolerationComparisonOperators, FEATURE_VolumeLimitScaling};

/* What does not exist here, and what would happen to those who count on it. */
static const struct {
	uint16_t feature;
	const char *why;
} features_lacking[] = {
	{FEATURE_GenericWorkload, "groups of pods are not known, their pods would be bound alone"},
	{FEATURE_GangScheduling, "groups of pods are not known, their pods would be bound alone"},
	{FEATURE_WorkloadAwarePreemption, "victims are chosen pod by pod, not by their groups"},
	{FEATURE_TopologyAwareWorkloadScheduling, "groups of pods are not placed together"},
	{FEATURE_CompositePodGroup, "groups of groups are not known"},
	{FEATURE_PodGroupPreemptionPolicy, "policies of groups would not be obeyed"},
	{FEATURE_DRAWorkloadResourceClaims, "claims of groups of pods are not known"},
	{FEATURE_DRADeviceTaintRules, "taints of devices by rules would not be obeyed"},
	{FEATURE_DRAListTypeAttributes, "lists in attributes of devices are not understood"},
	{FEATURE_DRANodeAllocatableResources, "devices are not counted as resources of nodes"},
	{FEATURE_DRADerivedAttributes, "derived attributes of devices are not understood"},
	{FEATURE_DRADeviceCompatibilityGroups, "compatibility of devices would not be obeyed"},
	{FEATURE_DRAOptionalNodeOperations, "operations of nodes on devices are not known"},
	{FEATURE_DRAPartitionableDevicesType, "types of partitions of devices are not known"},
	{FEATURE_InPlacePodVerticalScalingSchedulerPreemption,
		"pods that wait for a resize would not preempt others"},
	{FEATURE_CoordinatedLeaderElection, "whoever gets the lease leads, whatever its version"},
};

const char *feature_name(enum feature feature)
{
	const char *name = feature_names;
	CHECK(feature < FEATURES);
	for (uint32_t i = 0; i < feature; i++)
		name += strlen(name) + 1;
	return name;
}

const char *feature_stage(enum kube_release release, enum feature feature)
{
	CHECK(feature < FEATURES && release < KUBE_RELEASES);
	switch ((enum feature_stage)feature_stages[feature][release]) {
	case STAGE_NONE: return NULL;
	case STAGE_ALPHA: return "ALPHA";
	case STAGE_BETA_OFF:
	case STAGE_BETA: return "BETA";
	case STAGE_GA:
	case STAGE_LOCKED: return "";
	default: return "DEPRECATED";
	}
}

static bool feature_is_in(const uint64_t *set, uint32_t feature)
{
	return (set[feature / 64] >> (feature % 64) & 1) != 0;
}

static void feature_put(uint64_t *set, uint32_t feature, bool in)
{
	uint64_t bit = UINT64_C(1) << (feature % 64);
	set[feature / 64] = in ? set[feature / 64] | bit : set[feature / 64] & ~bit;
}

/* ---- reading ---- */

/* FEATURES: none of the name; then the nearest one is found. */
static uint32_t feature_find(struct text name, struct nearest *nearest)
{
	const char *at = feature_names;
	nearest_init(nearest, name);
	for (uint32_t i = 0; i < FEATURES; i++) {
		if (text_is_z(name, at))
			return i;
		nearest_try(nearest, at);
		at += strlen(at) + 1;
	}
	return FEATURES;
}

static struct text feature_trim(struct text t)
{
	while (text_starts(t, TEXT(" ")))
		t = text_from(t, 1);
	while (text_ends(t, TEXT(" ")))
		t = text_first(t, t.size - 1);
	return t;
}

/* "kube:A=true" is "A=true"; other components have no gates here. */
static bool feature_component(struct text *pair, struct writer *fault)
{
	size_t colon = text_find(*pair, ':');
	if (colon == pair->size)
		return true;
	struct text component = feature_trim(text_first(*pair, colon));
	*pair = text_from(*pair, colon + 1);
	if (component.size == 0 || text_is_z(component, "kube"))
		return true;
	write_z(fault, "component not registered: ");
	write_text(fault, component);
	return false;
}

static bool feature_pair_read(
	struct feature_choices *choices, struct text pair, struct writer *fault)
{
	struct nearest nearest;
	bool on;
	if (!feature_component(&pair, fault))
		return false;
	size_t end = text_find(pair, '=');
	struct text name = feature_trim(text_first(pair, end));
	if (end == pair.size) {
		write_z(fault, "missing bool value for ");
		write_text(fault, name);
		return false;
	}
	struct text value = feature_trim(text_from(pair, end + 1));
	if (!text_to_bool(value, &on)) {
		write_z(fault, "invalid value of ");
		write_text(fault, name);
		write_char(fault, '=');
		write_text(fault, value);
		write_z(fault, ": must be true or false");
		return false;
	}
	uint32_t feature = feature_find(name, &nearest);
	if (feature == FEATURES) {
		write_z(fault, "unrecognized feature gate: ");
		write_text(fault, name);
		if (nearest.best != NULL)
			write_format(fault, ", did you mean \"%s\"?", nearest.best);
		return false;
	}
	feature_put(choices->given, feature, true);
	feature_put(choices->on, feature, on);
	return true;
}

bool feature_choices_read(struct feature_choices *choices, struct text pairs, struct writer *fault)
{
	struct text pair;
	while (text_cut(&pairs, ',', &pair))
		if (pair.size > 0 && !feature_pair_read(choices, pair, fault))
			return false;
	return true;
}

/* ---- what a choice means ---- */

static bool feature_default(uint32_t feature, enum kube_release release)
{
	switch ((enum feature_stage)feature_stages[feature][release]) {
	case STAGE_BETA:
	case STAGE_GA:
	case STAGE_LOCKED:
	case STAGE_OLD_ON:
	case STAGE_OLD_LOCKED_ON: return true;
	case STAGE_NONE:
	case STAGE_ALPHA:
	case STAGE_BETA_OFF:
	case STAGE_OLD_OFF:
	case STAGE_OLD_LOCKED_OFF: break;
	}
	return false;
}

static bool feature_is_locked(uint32_t feature, enum kube_release release)
{
	uint8_t stage = feature_stages[feature][release];
	return stage == STAGE_LOCKED || stage == STAGE_OLD_LOCKED_OFF ||
		stage == STAGE_OLD_LOCKED_ON;
}

/* As the choices have it, AllAlpha and AllBeta among them, legal or not. */
static bool feature_chosen(
	const struct feature_choices *choices, enum kube_release release, uint32_t feature)
{
	uint8_t stage = feature_stages[feature][release];
	if (feature_is_in(choices->given, feature))
		return feature_is_in(choices->on, feature);
	if (stage == STAGE_ALPHA && feature_is_in(choices->given, FEATURE_AllAlpha))
		return feature_is_in(choices->on, FEATURE_AllAlpha);
	if ((stage == STAGE_BETA || stage == STAGE_BETA_OFF) &&
		feature_is_in(choices->given, FEATURE_AllBeta))
		return feature_is_in(choices->on, FEATURE_AllBeta);
	return feature_default(feature, release);
}

static const char *feature_lack(uint32_t feature)
{
	for (size_t i = 0; i < ARRAY_COUNT(features_lacking); i++)
		if (features_lacking[i].feature == feature)
			return features_lacking[i].why;
	return NULL;
}

/* The first gate that it needs and that is off; FEATURES: none. */
static uint32_t feature_unmet(
	const struct feature_choices *choices, enum kube_release release, uint32_t feature)
{
	for (size_t i = 0; i < ARRAY_COUNT(feature_needs); i++)
		if (feature_needs[i].feature == feature &&
			feature_stages[feature_needs[i].needed][release] != STAGE_NONE &&
			!feature_chosen(choices, release, feature_needs[i].needed))
			return feature_needs[i].needed;
	return FEATURES;
}

static void gates_write_unknown(
	struct writer *why, const char *name, bool on, enum kube_release release)
{
	if (release == KUBE_1_37)
		write_format(why, "unrecognized feature gate: %s; it went with v1.37", name);
	else
		write_format(why,
			"cannot set feature gate %s to %s, feature is PreAlpha at emulated "
			"version 1.36, min compatibility version 1.35",
			name, on ? "true" : "false");
}

static bool is_refused_by(const struct feature_choices *choices, enum kube_release release,
	uint32_t feature, struct writer *why)
{
	const char *name = feature_name((enum feature)feature);
	bool on = feature_chosen(choices, release, feature);
	bool usual = feature_default(feature, release);
	if (feature_stages[feature][release] == STAGE_NONE) {
		if (feature_is_in(choices->given, feature))
			gates_write_unknown(why, name, on, release);
		return feature_is_in(choices->given, feature);
	}
	if (on != usual && feature_is_locked(feature, release)) {
		write_format(why, "cannot set feature gate %s to %s, feature is locked to %s", name,
			on ? "true" : "false", usual ? "true" : "false");
		return true;
	}
	const char *lack = feature_lack(feature);
	if (on && !usual && lack != NULL) {
		write_format(why, "cannot switch %s on: %s", name, lack);
		return true;
	}
	return false;
}

static bool is_unmet_by(const struct feature_choices *choices, enum kube_release release,
	uint32_t feature, struct writer *why)
{
	if (!feature_chosen(choices, release, feature))
		return false;
	uint32_t unmet = feature_unmet(choices, release, feature);
	if (unmet == FEATURES)
		return false;
	write_format(why, "%s is enabled, but depends on features that are disabled: [%s]",
		feature_name((enum feature)feature), feature_name((enum feature)unmet));
	return true;
}

typedef bool feature_rule(const struct feature_choices *choices, enum kube_release release,
	uint32_t feature, struct writer *why);

/* Of an open release every one that may come has to break the rule; the newest one's words count.
 */
static bool feature_breaks(feature_rule *rule, const struct feature_choices *choices,
	enum kube_release release, uint32_t feature, struct writer *why)
{
	size_t before = why->used;
	CHECK(feature < FEATURES);
	if (release != KUBE_RELEASE_OPEN)
		return rule(choices, release, feature, why);
	for (uint32_t r = 0; r < KUBE_RELEASES; r++) {
		why->used = before;
		if (!rule(choices, (enum kube_release)r, feature, why))
			return false;
	}
	return true;
}

bool feature_is_refused(const struct feature_choices *choices, enum kube_release release,
	enum feature feature, struct writer *why)
{
	return feature_breaks(is_refused_by, choices, release, feature, why);
}

bool feature_is_unmet(const struct feature_choices *choices, enum kube_release release,
	enum feature feature, struct writer *why)
{
	return feature_breaks(is_unmet_by, choices, release, feature, why);
}

bool feature_is_idle(
	const struct feature_choices *choices, enum kube_release release, enum feature feature)
{
	CHECK(feature < FEATURES);
	for (size_t i = 0; i < ARRAY_COUNT(features_followed); i++)
		if (features_followed[i] == feature)
			return false;
	if (!feature_is_in(choices->given, feature))
		return false;
	if (release != KUBE_RELEASE_OPEN)
		return feature_is_in(choices->on, feature) != feature_default(feature, release);
	for (uint32_t r = 0; r < KUBE_RELEASES; r++)
		if (feature_stages[feature][r] != STAGE_NONE &&
			feature_is_in(choices->on, feature) !=
				feature_default(feature, (enum kube_release)r))
			return true;
	return false;
}

void feature_gates_set(struct feature_gates *gates, const struct feature_choices *choices,
	enum kube_release release)
{
	CHECK(release < KUBE_RELEASES);
	*gates = (struct feature_gates){.release = release};
	for (uint32_t i = 0; i < FEATURES; i++) {
		bool is_fixed =
			feature_stages[i][release] == STAGE_NONE || feature_is_locked(i, release);
		feature_put(gates->on, i,
			is_fixed ? feature_default(i, release)
				 : feature_chosen(choices, release, i));
	}
}

/* ---- releases ---- */

static const char release_names[KUBE_RELEASES][8] = {"1.36", "1.37"};

const char *kube_release_name(enum kube_release release)
{
	CHECK(release < KUBE_RELEASES);
	return release_names[release];
}

/* "1.36", and of the rest only zeros. */
static bool version_read(struct text version, enum kube_release *release, struct writer *fault)
{
	struct text number;
	uint64_t part[3] = {0, 0, 0};
	uint32_t count = 0;
	struct text rest = text_starts(version, TEXT("v")) ? text_from(version, 1) : version;
	while (text_cut(&rest, '.', &number)) {
		if (count == ARRAY_COUNT(part) || !text_to_u64(number, &part[count])) {
			count = 0;
			break;
		}
		count++;
	}
	const char *what = NULL;
	if (count == 0)
		what = "could not parse ";
	else if (count == 1)
		what = "illegal version string ";
	if (what != NULL) {
		write_z(fault, what);
		write_format(fault, "\"%.*s\"", (int)version.size, version.at);
		write_z(fault, count == 0 ? " as version" : "");
		return false;
	}
	if (part[2] != 0) {
		write_z(fault, "patch version not allowed, got: kube=");
		write_text(fault, version);
		return false;
	}
	for (uint32_t r = 0; r < KUBE_RELEASES; r++)
		if (part[0] == 1 && part[1] == 36 + r) {
			*release = (enum kube_release)r;
			return true;
		}
	write_format(fault, "emulation version %llu.%llu is not between [%s, %s]",
		(unsigned long long)part[0], (unsigned long long)part[1], release_names[0],
		release_names[KUBE_RELEASES - 1]);
	return false;
}

bool kube_release_read(struct text versions, enum kube_release *release, struct writer *fault)
{
	struct text version;
	bool is_given = false;
	while (text_cut(&versions, ',', &version)) {
		size_t end = text_find(version, '=');
		if (version.size == 0)
			continue;
		struct text component =
			end == version.size ? TEXT("kube") : feature_trim(text_first(version, end));
		if (end < version.size)
			version = text_from(version, end + 1);
		if (!text_is_z(component, "kube")) {
			write_z(fault, "component not registered: ");
			write_text(fault, component);
			return false;
		}
		enum kube_release before = *release;
		if (!version_read(feature_trim(version), release, fault))
			return false;
		if (is_given) {
			write_format(fault, "duplicate version flag, kube=%s and kube=%s",
				release_names[before], release_names[*release]);
			return false;
		}
		is_given = true;
	}
	return true;
}
