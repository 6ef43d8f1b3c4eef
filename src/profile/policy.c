/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policies.
 *
 * What kube-scheduler did: lists that are not there mean the defaults, empty ones nothing but what
 * is always on; a name counts once; the order is fixed; unknown fields were ignored,
 * and names of fields of extenders had any case.
 *
 * What we do: the result is a profile whose MultiPoint is empty and whose points name what they
 * have. NodeResourcesFit has one strategy: what is wanted besides has a plugin of its own, as it
 * had until v1.21. SelectorSpreadPriority is what it was until v1.19;
 * PodTopologySpread, which replaced it, has no default constraints beside it.
 */
#include "plugins/fit.h"
#include "plugins/shape.h"
#include "plugins/shape.h"
#include "plugins/spread_state.h"
#include "profile/policy_private.h"

#define AT(type, member) offsetof(struct type, member)
#define FIELDS(type, list)                                                        \
	{                                                                         \
		(list), ARRAY_COUNT(list), sizeof(struct type), NULL, false, true \
	}

enum { NAMES_MAX = 128, LABELS_MAX = PLUGIN_LABELS_MAX, ARGS_MAX = 5 };

/* ---- what a file says ---- */

struct policy_service_affinity {
	struct config_list labels;
};
struct policy_labels_presence {
	struct config_list labels;
	bool presence;
};
struct policy_predicate_argument {
	const struct policy_service_affinity *service_affinity;
	const struct policy_labels_presence *labels_presence;
};
struct policy_predicate {
	struct text name;
	const struct policy_predicate_argument *argument;
};
struct policy_service_anti_affinity {
	struct text label;
};
struct policy_label_preference {
	struct text label;
	bool presence;
};
struct policy_ratio {
	struct config_list shape;     /* struct config_shape_point */
	struct config_list resources; /* struct config_resource */
};
struct policy_priority_argument {
	const struct policy_service_anti_affinity *service_anti_affinity;
	const struct policy_label_preference *label_preference;
	const struct policy_ratio *ratio;
};
struct policy_priority {
	struct text name;
	int64_t weight;
	const struct policy_priority_argument *argument;
};
struct policy_file {
	struct text api_version;
	struct text kind;
	struct config_list predicates;
	struct config_list priorities;
	struct config_list extenders; /* struct scheduler_extender */
	int32_t hard_weight;
	bool check_all;
};

static const struct field affinity_list[] = {
	FIELD("labels", FIELD_TEXTS, AT(policy_service_affinity, labels), NULL, LABELS_MAX),
};
static const struct fields affinity_fields = FIELDS(policy_service_affinity, affinity_list);
static const struct field presence_list[] = {
	FIELD("labels", FIELD_TEXTS, AT(policy_labels_presence, labels), NULL, LABELS_MAX),
	FIELD("presence", FIELD_BOOL, AT(policy_labels_presence, presence), NULL, 0),
};
static const struct fields presence_fields = FIELDS(policy_labels_presence, presence_list);
static const struct field predicate_argument_list[] = {
	FIELD("serviceAffinity", FIELD_POINTER, AT(policy_predicate_argument, service_affinity),
		&affinity_fields, 0),
	FIELD("labelsPresence", FIELD_POINTER, AT(policy_predicate_argument, labels_presence),
		&presence_fields, 0),
};
static const struct fields predicate_argument_fields =
	FIELDS(policy_predicate_argument, predicate_argument_list);
static const struct field predicate_list[] = {
	FIELD("name", FIELD_TEXT, AT(policy_predicate, name), NULL, 0),
	FIELD("argument", FIELD_POINTER, AT(policy_predicate, argument), &predicate_argument_fields,
		0),
};
static const struct fields predicate_fields = FIELDS(policy_predicate, predicate_list);

static const struct field anti_affinity_list[] = {
	FIELD("label", FIELD_TEXT, AT(policy_service_anti_affinity, label), NULL, 0),
};
static const struct fields anti_affinity_fields =
	FIELDS(policy_service_anti_affinity, anti_affinity_list);
static const struct field preference_list[] = {
	FIELD("label", FIELD_TEXT, AT(policy_label_preference, label), NULL, 0),
	FIELD("presence", FIELD_BOOL, AT(policy_label_preference, presence), NULL, 0),
};
static const struct fields preference_fields = FIELDS(policy_label_preference, preference_list);
static const struct field ratio_list[] = {
	FIELD("shape", FIELD_LIST, AT(policy_ratio, shape), &shape_form, PLUGIN_SHAPE_MAX),
	FIELD("resources", FIELD_LIST, AT(policy_ratio, resources), &fit_resource_form,
		PLUGIN_RESOURCES_MAX),
};
static const struct fields ratio_fields = FIELDS(policy_ratio, ratio_list);
static const struct field priority_argument_list[] = {
	FIELD("serviceAntiAffinity", FIELD_POINTER,
		AT(policy_priority_argument, service_anti_affinity), &anti_affinity_fields, 0),
	FIELD("labelPreference", FIELD_POINTER, AT(policy_priority_argument, label_preference),
		&preference_fields, 0),
	FIELD("requestedToCapacityRatioArguments", FIELD_POINTER,
		AT(policy_priority_argument, ratio), &ratio_fields, 0),
};
static const struct fields priority_argument_fields =
	FIELDS(policy_priority_argument, priority_argument_list);
static const struct field priority_list[] = {
	FIELD("name", FIELD_TEXT, AT(policy_priority, name), NULL, 0),
	FIELD("weight", FIELD_I64, AT(policy_priority, weight), NULL, 0),
	FIELD("argument", FIELD_POINTER, AT(policy_priority, argument), &priority_argument_fields,
		0),
};
static const struct fields priority_fields = FIELDS(policy_priority, priority_list);

static const struct field file_list[] = {
	FIELD("apiVersion", FIELD_TEXT, AT(policy_file, api_version), NULL, 0),
	FIELD("kind", FIELD_TEXT, AT(policy_file, kind), NULL, 0),
	FIELD("predicates", FIELD_LIST, AT(policy_file, predicates), &predicate_fields, NAMES_MAX),
	FIELD("priorities", FIELD_LIST, AT(policy_file, priorities), &priority_fields, NAMES_MAX),
	FIELD("extenders", FIELD_LIST, AT(policy_file, extenders),
		&scheduler_policy_extender_fields, SCHEDULER_EXTENDERS_MAX),
	FIELD("hardPodAffinitySymmetricWeight", FIELD_I32, AT(policy_file, hard_weight), NULL, 0),
	FIELD("alwaysCheckAllPredicates", FIELD_BOOL, AT(policy_file, check_all), NULL, 0),
};
static const struct fields file_fields = FIELDS(policy_file, file_list);

/* ---- what it becomes ---- */

struct labels { /* of all rules of one sort */
	struct text list[LABELS_MAX];
	uint32_t count;
};

struct policy_making {
	struct reading *r;
	const struct policy_file *file;
	uint64_t predicates;                    /* bits, by index in the table */
	int64_t weights[POLICY_PRIORITIES_MAX]; /* of priorities, by index; 0: not wanted */
	struct fit_strategy_config *strategy;
	struct scheduler_profile *profile;
	struct scheduler_args *args;
	uint32_t arg_count;
	struct labels present, absent, together;
	struct labels present_preferred, absent_preferred, apart;
	struct scheduler_plugin lists[PLUGIN_POINTS][PLUGIN_COUNT]; /* what is enabled */
	uint32_t counts[PLUGIN_POINTS];
};

static uint32_t find_predicate(const struct policy_row *rows, uint32_t count, struct text name)
{
	uint32_t i = 0;
	while (i < count && !text_is_z(name, rows[i].name))
		i++;
	return i;
}

static void refuse_row(struct policy_making *m, const char *why, struct text name,
	const struct policy_row *rows, uint32_t count)
{
	struct nearest nearest;
	nearest_init(&nearest, name);
	for (uint32_t i = 0; i < count; i++)
		nearest_try(&nearest, rows[i].name);
	refuse_misnamed(m->r, "name", name, why, &nearest);
}

/* True when the row is to be used. */
static bool check_row(struct policy_making *m, const struct policy_row *row)
{
	if (row->fate == POLICY_NOTHING)
		remark(m->r, "name", row->what);
	return row->fate == POLICY_MAPPED;
}

static void add_labels(struct policy_making *m, struct labels *to, const struct config_list *from)
{
	const struct text *labels = CONFIG_LIST(*from, struct text);
	for (uint32_t i = 0; i < from->count; i++) {
		if (to->count == LABELS_MAX) {
			refuse(m->r, "argument", "at most %u labels are possible",
				(unsigned)LABELS_MAX);
			return;
		}
		to->list[to->count++] = labels[i];
	}
}

/* The row of a rule with an argument, whatever its name is, unless it is that of another rule. */
static uint32_t find_custom(
	const struct policy_row *rows, uint32_t count, struct text name, const char *custom)
{
	uint32_t i = find_predicate(rows, count, name);
	return i == count && custom != NULL ? find_predicate(rows, count, text_of(custom)) : i;
}

/* ---- predicates ---- */

static void take_labels(struct policy_making *m, const struct policy_predicate_argument *argument)
{
	if (argument->service_affinity != NULL)
		add_labels(m, &m->together, &argument->service_affinity->labels);
	else if (argument->labels_presence->presence)
		add_labels(m, &m->present, &argument->labels_presence->labels);
	else
		add_labels(m, &m->absent, &argument->labels_presence->labels);
}

static void take_predicate(struct policy_making *m, const struct policy_predicate *p)
{
	const struct policy_predicate_argument *argument = p->argument;
	uint32_t count = argument == NULL
		? 1
		: (argument->service_affinity != NULL) + (argument->labels_presence != NULL);
	const char *custom = argument == NULL        ? NULL
		: argument->service_affinity != NULL ? POLICY_SERVICE_AFFINITY
						     : POLICY_LABELS_PRESENCE;
	uint32_t i = find_custom(policy_predicates, policy_predicate_count, p->name, custom);
	if (count != 1)
		refuse(m->r, "argument", "exactly 1 predicate argument is required, numArgs: %u",
			count);
	else if (i == policy_predicate_count)
		refuse_row(m, "predicate type not found", p->name, policy_predicates,
			policy_predicate_count);
	else if (check_row(m, &policy_predicates[i])) {
		const char *name = policy_predicates[i].name;
		m->predicates |= UINT64_C(1) << i;
		if (custom != NULL && strcmp(name, custom) == 0)
			take_labels(m, argument);
		else if (strcmp(name, POLICY_LABELS_PRESENCE) == 0 ||
			strcmp(name, POLICY_SERVICE_AFFINITY) == 0)
			remark(m->r, "name", "has no effect without its argument");
	}
}

static void take_predicates(struct policy_making *m)
{
	const struct policy_predicate *list =
		CONFIG_LIST(m->file->predicates, struct policy_predicate);
	const struct yaml_node *node = yaml_get(m->r->root, "predicates");
	bool is_given = node != NULL && node->kind != YAML_NULL;
	for (uint32_t i = 0; i < policy_predicate_count; i++)
		if (policy_predicates[i].always || (!is_given && policy_predicates[i].by_default))
			m->predicates |= UINT64_C(1) << i;
	size_t before = reading_enter(m->r, "predicates");
	for (uint32_t i = 0; i < m->file->predicates.count; i++) {
		size_t here = reading_enter_index(m->r, i);
		take_predicate(m, &list[i]);
		reading_leave(m->r, here);
	}
	reading_leave(m->r, before);
}

/* ---- priorities ---- */

static void take_weight(struct policy_making *m, uint32_t i, int64_t weight)
{
	if (weight <= 0 || weight > INT32_MAX / 100)
		refuse_i64(m->r, "weight", weight,
			"should have a positive weight applied to it or it has overflown");
	else if (weight > m->weights[i])
		m->weights[i] = weight;
}

static void take_ratio(struct policy_making *m, const struct policy_ratio *ratio)
{
	struct fit_ratio_config *kept = SCRATCH_ONE(m->r->scratch, struct fit_ratio_config);
	size_t before = reading_enter(m->r, "argument.requestedToCapacityRatioArguments");
	struct args_reading reading;
	struct args_report *report = args_report_on(&reading, m->r);
	shape_check(report, "", &ratio->shape);
	fit_weights_check(report, "", &ratio->resources);
	reading_leave(m->r, before);
	if (kept == NULL)
		return;
	kept->shape = ratio->shape;
	m->strategy->ratio = kept;
	if (ratio->resources.count > 0)
		m->strategy->resources = ratio->resources;
}

/* Of several with such an argument the weights must be the same: one plugin does it for all. */
static void take_custom(struct policy_making *m, const struct policy_priority *p, uint32_t i)
{
	const struct policy_label_preference *preference = p->argument->label_preference;
	struct labels *to = preference == NULL ? &m->apart
		: preference->presence         ? &m->present_preferred
					       : &m->absent_preferred;
	const struct config_list one = {preference == NULL
			? &p->argument->service_anti_affinity->label
			: &preference->label,
		1};
	uint32_t before = preference == NULL
		? m->apart.count
		: m->present_preferred.count + m->absent_preferred.count;
	if (before > 0 && m->weights[i] != p->weight * before)
		refuse_i64(m->r, "weight", p->weight,
			"differs from that of another priority with the same argument");
	take_weight(m, i, p->weight * (before + 1));
	add_labels(m, to, &one);
}

static const char *custom_of(const struct policy_priority_argument *argument)
{
	if (argument == NULL)
		return NULL;
	if (argument->ratio != NULL)
		return POLICY_RATIO;
	return argument->label_preference != NULL ? POLICY_LABEL_PREFERENCE
						  : POLICY_SERVICE_ANTI_AFFINITY;
}

static void refuse_bare(struct policy_making *m, const char *name)
{
	if (strcmp(name, POLICY_RATIO) == 0)
		refuse_missing(m->r, "argument.requestedToCapacityRatioArguments", "a shape");
	else
		refuse_missing(m->r, "argument", "a label");
}

/* A row with an argument is not used without it. */
static bool is_bare(const char *name, const char *custom)
{
	static const char *const names[] = {
		POLICY_RATIO, POLICY_LABEL_PREFERENCE, POLICY_SERVICE_ANTI_AFFINITY};
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (strcmp(name, names[i]) == 0)
			return custom == NULL || strcmp(name, custom) != 0;
	return false;
}

static void take_priority(struct policy_making *m, const struct policy_priority *p)
{
	const struct policy_priority_argument *argument = p->argument;
	uint32_t count = argument == NULL ? 1
					  : (argument->service_anti_affinity != NULL) +
			(argument->label_preference != NULL) + (argument->ratio != NULL);
	const char *custom = custom_of(argument);
	uint32_t i = find_custom(policy_priorities, policy_priority_count, p->name, custom);
	const char *name = i < policy_priority_count ? policy_priorities[i].name : "";
	bool is_custom = custom != NULL && strcmp(name, custom) == 0;
	if (count != 1)
		refuse(m->r, "argument", "exactly 1 priority argument is required, numArgs: %u",
			count);
	else if (i == policy_priority_count)
		refuse_row(m, "priority type not found", p->name, policy_priorities,
			policy_priority_count);
	else if (is_bare(name, custom))
		refuse_bare(m, name);
	else if (is_custom && argument->ratio == NULL)
		take_custom(m, p, i);
	else if (check_row(m, &policy_priorities[i]))
		take_weight(m, i, p->weight);
	if (count == 1 && argument != NULL && argument->ratio != NULL)
		take_ratio(m, argument->ratio);
}

static void take_priorities(struct policy_making *m)
{
	const struct policy_priority *list =
		CONFIG_LIST(m->file->priorities, struct policy_priority);
	const struct yaml_node *node = yaml_get(m->r->root, "priorities");
	bool is_given = node != NULL && node->kind != YAML_NULL;
	for (uint32_t i = 0; i < policy_priority_count && !is_given; i++)
		if (policy_priorities[i].by_default)
			m->weights[i] = policy_priorities[i].weight;
	size_t before = reading_enter(m->r, "priorities");
	for (uint32_t i = 0; i < m->file->priorities.count; i++) {
		size_t here = reading_enter_index(m->r, i);
		take_priority(m, &list[i]);
		reading_leave(m->r, here);
	}
	reading_leave(m->r, before);
}

static int64_t weight_of(const struct policy_making *m, const char *priority)
{
	uint32_t i = find_predicate(policy_priorities, policy_priority_count, text_of(priority));
	CHECK(i < policy_priority_count);
	return m->weights[i];
}

/* ---- arguments ---- */

static void choose_strategy(struct policy_making *m)
{
	bool least = weight_of(m, "LeastRequestedPriority") > 0;
	bool most = weight_of(m, "MostRequestedPriority") > 0;
	m->strategy->type = weight_of(m, POLICY_RATIO) > 0 ? TEXT("RequestedToCapacityRatio")
		: most && !least                           ? TEXT("MostAllocated")
							   : TEXT("LeastAllocated");
}

static struct config_list list_of(const struct labels *labels)
{
	return (struct config_list){labels->list, labels->count};
}

/* The next arguments of the profile, by default; NULL: out of scratch. */
static void *add_args(struct policy_making *m, enum plugin_id id)
{
	struct scheduler_args *args = &m->args[m->arg_count];
	CHECK(m->arg_count < ARGS_MAX);
	void *values = scheduler_args_defaults(id, m->r->scratch, args);
	m->arg_count += values != NULL;
	return values;
}

/* Behind the others, where a rule asks for them. */
static void make_label_args(struct policy_making *m)
{
	struct node_label_config *labels = NULL;
	struct service_affinity_config *services = NULL;
	if (m->present.count + m->absent.count + m->present_preferred.count +
			m->absent_preferred.count >
		0)
		labels = add_args(m, PLUGIN_NODE_LABEL);
	if (m->together.count + m->apart.count > 0)
		services = add_args(m, PLUGIN_SERVICE_AFFINITY);
	if (labels != NULL)
		*labels = (struct node_label_config){
			.present = list_of(&m->present),
			.absent = list_of(&m->absent),
			.present_preferred = list_of(&m->present_preferred),
			.absent_preferred = list_of(&m->absent_preferred),
		};
	if (services != NULL)
		*services = (struct service_affinity_config){
			.together = list_of(&m->together), .apart = list_of(&m->apart)};
}

static void make_policy_args(struct policy_making *m)
{
	int32_t hard_weight = m->file->hard_weight;
	choose_strategy(m);
	struct fit_config *fit = add_args(m, PLUGIN_FIT);
	struct spread_config *spread = add_args(m, PLUGIN_SPREAD);
	struct inter_pod_affinity_args *affinity = add_args(m, PLUGIN_INTER_POD_AFFINITY);
	if (fit != NULL)
		fit->strategy = m->strategy;
	if (spread != NULL)
		spread->defaulting_type = TEXT("List");
	if (affinity != NULL && hard_weight != 0)
		affinity->hard_weight = hard_weight;
	if (hard_weight < 0 || hard_weight > 100)
		refuse_i64(m->r, "hardPodAffinitySymmetricWeight", hard_weight,
			"must be in the range 1-100");
	make_label_args(m);
	m->profile->args = (struct config_list){m->args, m->arg_count};
	m->profile->check_all = m->file->check_all;
}

/* ---- lists of plugins ---- */

/* Named twice it stands once, with the greater weight. */
static void enable(
	struct policy_making *m, enum plugin_point point, const char *name, int64_t weight)
{
	struct scheduler_plugin *list = m->lists[point];
	uint32_t i = 0;
	while (i < m->counts[point] && !text_is_z(list[i].name, name))
		i++;
	CHECK(i < PLUGIN_COUNT);
	if (i == m->counts[point]) {
		list[i] = (struct scheduler_plugin){text_of(name), 0};
		m->counts[point]++;
	}
	if (weight > list[i].weight)
		list[i].weight = (int32_t)weight;
}

/* Where a plugin takes part when it is a priority, else. */
#define POLICY_SCORING   (PLUGIN_AT(PRE_SCORE) | PLUGIN_AT(SCORE))
#define POLICY_FILTERING (~(POLICY_SCORING | PLUGIN_AT(PLACEMENT_SCORE)))

static void enable_at(
	struct policy_making *m, const struct plugin *plugin, uint32_t points, int64_t weight)
{
	for (uint32_t point = 0; point < PLUGIN_POINTS; point++)
		if ((points >> point & 1) != 0 &&
			plugin_has_point(plugin, (enum plugin_point)point))
			enable(m, (enum plugin_point)point, plugin->name,
				point == PLUGIN_AT_SCORE ? weight : 0);
}

/* The plugin of a priority whose strategy NodeResourcesFit does not have; else those of the row. */
static const char *plugins_of(const struct policy_making *m, const struct policy_row *row)
{
	static const struct {
		const char *priority, *type, *plugin;
	} rows[] = {
		{"LeastRequestedPriority", "LeastAllocated", "NodeResourcesLeastAllocated"},
		{"MostRequestedPriority", "MostAllocated", "NodeResourcesMostAllocated"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (strcmp(row->name, rows[i].priority) == 0 &&
			!text_is_z(m->strategy->type, rows[i].type))
			return rows[i].plugin;
	return row->what;
}

static void enable_row(struct policy_making *m, const struct policy_row *row, int64_t weight)
{
	struct text rest = text_of(plugins_of(m, row));
	struct text name;
	while (text_cut(&rest, ' ', &name)) {
		enum plugin_id id = plugin_find(name);
		CHECK(id < PLUGIN_COUNT);
		enable_at(m, plugins[id], weight > 0 ? POLICY_SCORING : POLICY_FILTERING, weight);
	}
}

static void make_plugins(struct policy_making *m)
{
	static const struct scheduler_plugin all = {.name = {"*", 1}};
	m->profile->plugins.sets[SCHEDULER_MULTI_POINT].disabled = (struct config_list){&all, 1};
	for (uint32_t i = 0; i < policy_predicate_count; i++)
		if ((m->predicates >> i & 1) != 0)
			enable_row(m, &policy_predicates[i], 0);
	for (uint32_t i = 0; i < policy_priority_count; i++)
		if (m->weights[i] > 0)
			enable_row(m, &policy_priorities[i], m->weights[i]);
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++)
		if (plugins[id]->in_every_policy)
			enable_at(m, plugins[id], POLICY_FILTERING, 0);
	for (uint32_t point = 0; point < PLUGIN_POINTS; point++)
		m->profile->plugins.sets[point].enabled =
			(struct config_list){m->lists[point], m->counts[point]};
}

/* ---- all together ---- */

static bool check_policy_type(struct reading *r)
{
	const struct yaml_node *kind = yaml_get(r->root, "kind");
	const struct yaml_node *version = yaml_get(r->root, "apiVersion");
	if (r->root->kind != YAML_MAP)
		refuse(r, "", "must be an object of kind Policy, found %s",
			yaml_kind_name(r->root->kind));
	else if (kind != NULL && kind->text.size > 0 && !text_is_z(kind->text, "Policy"))
		refuse_unsupported(r, "kind", kind->text, "\"Policy\"");
	else if (version != NULL && version->text.size > 0 && !text_is_z(version->text, "v1") &&
		!text_is_z(version->text, SCHEDULER_CONFIG_VERSION))
		refuse_unsupported(
			r, "apiVersion", version->text, "\"v1\", \"" SCHEDULER_CONFIG_VERSION "\"");
	else
		return true;
	return false;
}

static void make_policy(struct policy_making *m, struct scheduler_config *config)
{
	scheduler_config_defaults(config);
	*m->profile = *CONFIG_LIST(config->profiles, struct scheduler_profile);
	struct scheduler_args args;
	const struct fit_config *fit = scheduler_args_defaults(PLUGIN_FIT, m->r->scratch, &args);
	if (fit == NULL)
		return;
	*m->strategy = *fit->strategy;
	take_predicates(m);
	take_priorities(m);
	make_policy_args(m);
	make_plugins(m);
	config->profiles = (struct config_list){m->profile, 1};
	config->extenders = m->file->extenders;
	scheduler_extenders_check(m->r, &config->extenders);
}

enum scheduler_config_result policy_read_on(struct text bytes, struct scratch *scratch,
	struct scheduler_config *config, struct config_faults *faults, struct config_faults *notes)
{
	struct reading *r;
	uint32_t before = config_faults_count(faults);
	enum scheduler_config_result parsed =
		scheduler_read_begin(bytes, scratch, config, faults, notes, &r);
	struct policy_file *file = SCRATCH_ONE(scratch, struct policy_file);
	struct policy_making *m = SCRATCH_ONE(scratch, struct policy_making);
	if (parsed != SCHEDULER_CONFIG_OK)
		return parsed;
	if (scratch->overflowed)
		return SCHEDULER_CONFIG_FULL;
	*m = (struct policy_making){.r = r,
		.file = file,
		.strategy = SCRATCH_ONE(scratch, struct fit_strategy_config),
		.profile = SCRATCH_ONE(scratch, struct scheduler_profile),
		.args = SCRATCH_ARRAY(scratch, struct scheduler_args, ARGS_MAX)};
	if (!check_policy_type(r))
		return SCHEDULER_CONFIG_BROKEN;
	fields_read(r, r->root, &file_fields, file);
	if (scratch->overflowed)
		return SCHEDULER_CONFIG_FULL;
	make_policy(m, config);
	if (scratch->overflowed)
		return SCHEDULER_CONFIG_FULL;
	return config_faults_count(faults) == before ? SCHEDULER_CONFIG_OK
						     : SCHEDULER_CONFIG_BROKEN;
}

bool policy_is(struct text bytes, struct scratch *scratch)
{
	struct scratch_mark mark = scratch_mark(scratch);
	struct yaml_node *root = NULL;
	struct yaml_fault fault;
	bool is = yaml_read(bytes, scratch, &root, &fault) == YAML_DOCUMENT;
	const struct yaml_node *kind = is ? yaml_get(root, "kind") : NULL;
	is = kind != NULL && text_is_z(kind->text, "Policy");
	scratch_rewind(scratch, mark);
	return is;
}

enum scheduler_config_result policy_or_config_read(struct text bytes, struct scratch *scratch,
	struct scheduler_config *config, struct config_faults *faults, struct config_faults *notes)
{
	config_faults_init(faults);
	config_faults_init(notes);
	return policy_is(bytes, scratch)
		? policy_read_on(bytes, scratch, config, faults, notes)
		: scheduler_config_read_on(bytes, scratch, config, faults, notes);
}

/* ---- providers ---- */

bool policy_provider(struct text name, struct scheduler_config *config)
{
	static const struct config_resource resources[] = {{{"cpu", 3}, 1}, {{"memory", 6}, 1}};
	static const struct fit_strategy_config most = {
		.type = {"MostAllocated", 13}, .resources = {resources, ARRAY_COUNT(resources)}};
	static const struct fit_config fit = {.strategy = &most};
	static const struct scheduler_args args = {
		.plugin = {"NodeResourcesFit", 16}, .id = PLUGIN_FIT, .values = &fit};
	static const struct scheduler_profile profile = {
		.name = {SCHEDULER_DEFAULT_NAME, sizeof(SCHEDULER_DEFAULT_NAME) - 1},
		.args = {&args, 1}};
	if (text_is_z(name, "ClusterAutoscalerProvider"))
		config->profiles = (struct config_list){&profile, 1};
	else if (!text_is_z(name, "DefaultProvider"))
		return false;
	return true;
}
