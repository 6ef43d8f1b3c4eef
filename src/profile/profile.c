/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which plugins a profile uses, where, in which order.
 *
 * What kube-scheduler does: it merges the file's MultiPoint list with the default one (disabled
 * names go, "*" empties, an enabled default is replaced where it stands, others come behind), then
 * expands it to each extension point: plugins that the point's own list names too come first, in
 * the order of that list; then those of MultiPoint that implement the point and are not disabled
 * for it; then the rest of the point's own list. A weight is the point's own, else MultiPoint's;
 * none or 0 is 1.
 *
 * What we do: the same, on ids. Two of its errors cannot happen here: the sum of weights of 32
 * bits cannot overflow, and every score plugin gets a weight.
 */
#include "profile/profile.h"

#include "plugins/fit.h"

struct used { /* a plugin in a list */
	struct text name;
	enum plugin_id id;
	int32_t weight;
};
struct used_list {
	struct used *list; /* in scratch */
	uint32_t count;
	uint32_t room;
};

struct making { /* one profile */
	const struct scheduler_profile *from;
	struct plugin_profile *to;
	struct used_list multi;           /* MultiPoint, merged */
	struct used_list own, from_multi; /* of one point */
	bool *placed;                     /* of MultiPoint's list */
	uint32_t queue_sorts;
	uint32_t binds;
	struct writer *fault;
};

/* The type of plugins of a point, for the words: preFilter is PreFilterPlugin. */
static void write_plugin_type(struct writer *out, enum plugin_point point)
{
	const char *field = scheduler_point_field(point);
	write_format(out, "%c%sPlugin", field[0] & ~0x20, field + 1);
}

static bool refuse_plugin(struct making *m, const char *before, struct text plugin,
	const char *middle, enum plugin_point point, const char *after)
{
	write_z(m->fault, before);
	config_write_quoted(m->fault, plugin);
	write_z(m->fault, middle);
	write_plugin_type(m->fault, point);
	write_z(m->fault, after);
	return false;
}

static bool refuse_twice(struct making *m, struct text plugin, enum plugin_point point)
{
	return refuse_plugin(m, "plugin ", plugin, " already registered as \"", point, "\"");
}

/* ---- what there is without a file ---- */

/* False: its feature is off, with which it does nothing. */
static bool profile_may_use(const struct feature_gates *gates, const struct plugin *plugin)
{
	return !plugin->needs_feature || feature_enabled(gates, plugin->feature);
}

static bool has_args(const struct config_list *args, enum plugin_id id)
{
	const struct scheduler_args *list = CONFIG_LIST(*args, struct scheduler_args);
	uint32_t i = 0;
	while (i < args->count && list[i].id != id)
		i++;
	return i < args->count;
}

/*
 * The default list of the release and its features, in its order; then what the profile has
 * arguments for that does nothing without.
 */
static uint32_t default_list(
	const struct feature_gates *gates, const struct config_list *args, enum plugin_id *list)
{
	uint32_t count = 0;
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++) {
		const struct plugin *plugin = plugins[id];
		bool is_default = (plugin->defaults >> gates->release & 1) != 0 ||
			(plugin->with_args && has_args(args, (enum plugin_id)id));
		if (!is_default || !profile_may_use(gates, plugin))
			continue;
		uint32_t at = count++;
		for (uint32_t n = plugin->earlier[gates->release]; n > 0 && at > 0; n--, at--)
			list[at] = list[at - 1];
		list[at] = (enum plugin_id)id;
	}
	return count;
}

void profile_defaults(struct cache *cache, struct plugin_profile *profile)
{
	const struct feature_choices none = {.given = {0}};
	struct feature_gates gates;
	feature_gates_set(&gates, &none, KUBE_RELEASE_DEFAULT);
	profile_defaults_with(cache, &gates, profile);
}

void profile_defaults_with(
	struct cache *cache, const struct feature_gates *gates, struct plugin_profile *profile)
{
	const struct args_making making = {.cache = cache, .gates = gates};
	const struct config_list none = {NULL, 0};
	enum plugin_id list[PLUGIN_COUNT];
	*profile = (struct plugin_profile){.gates = *gates};
	CHECK(intern_take(&cache->strings, TEXT(SCHEDULER_DEFAULT_NAME), &profile->scheduler_name));
	uint32_t count = default_list(&profile->gates, &none, list);
	for (uint32_t at = 0; at < PLUGIN_POINTS; at++)
		for (uint32_t i = 0; i < count; i++)
			if (plugin_has_point_in(
				    plugins[list[i]], (enum plugin_point)at, gates->release))
				plugin_use_at(profile, (enum plugin_point)at, list[i],
					at == PLUGIN_AT_SCORE ? plugins[list[i]]->weight : 0);
	CHECK(scheduler_args_make_all(&making, &none, profile) == ARGS_MADE);
}

/* ---- lists ---- */

static bool is_plugin_disabled(const struct scheduler_plugin_set *set, const char *name)
{
	const struct scheduler_plugin *list = CONFIG_LIST(set->disabled, struct scheduler_plugin);
	for (uint32_t i = 0; i < set->disabled.count; i++)
		if (text_is_z(list[i].name, name))
			return true;
	return false;
}

static bool take_list(struct used_list *list, uint32_t room, struct scratch *scratch)
{
	*list = (struct used_list){SCRATCH_ARRAY(scratch, struct used, room + 1), 0, room};
	return list->list != NULL;
}

static void append(struct used_list *list, struct text name, int32_t weight)
{
	enum plugin_id id = plugin_find(name);
	CHECK(list->count < list->room);
	CHECK(id < PLUGIN_COUNT); /* other names are refused when a file is read */
	list->list[list->count++] = (struct used){name, id, weight};
}

/* The last one counts; the others are appended by the merge and found out as registered twice. */
static uint32_t find_enabled(const struct scheduler_plugin_set *set, const char *name)
{
	const struct scheduler_plugin *list = CONFIG_LIST(set->enabled, struct scheduler_plugin);
	uint32_t i = set->enabled.count;
	while (i > 0 && !text_is_z(list[i - 1].name, name))
		i--;
	return i; /* one more than the index; 0: none */
}

/* The default list with what the file says. `placed` has room for the set's enabled ones. */
static void merge_multi_point(const struct scheduler_profile *profile,
	const struct feature_gates *gates, struct used_list *to, bool *placed)
{
	const struct scheduler_plugin_set *set = &profile->plugins.sets[SCHEDULER_MULTI_POINT];
	const struct scheduler_plugin *own = CONFIG_LIST(set->enabled, struct scheduler_plugin);
	enum plugin_id list[PLUGIN_COUNT];
	uint32_t count =
		is_plugin_disabled(set, "*") ? 0 : default_list(gates, &profile->args, list);
	for (uint32_t i = 0; i < count; i++) {
		const struct plugin *plugin = plugins[list[i]];
		uint32_t at = find_enabled(set, plugin->name);
		if (is_plugin_disabled(set, plugin->name))
			continue;
		append(to, text_of(plugin->name), at == 0 ? plugin->weight : own[at - 1].weight);
		if (at > 0)
			placed[at - 1] = true;
	}
	for (uint32_t i = 0; i < set->enabled.count; i++)
		if (!placed[i])
			append(to, own[i].name, own[i].weight);
}

static bool check_own_list(struct making *m, enum plugin_point point, const struct used_list *own)
{
	struct plugin_set seen = {{0}};
	for (uint32_t i = 0; i < own->count; i++) {
		const struct used *used = &own->list[i];
		if (!plugin_has_point_in(plugins[used->id], point, m->to->gates.release))
			return refuse_plugin(
				m, "plugin ", used->name, " does not extend ", point, " plugin");
		if (plugin_set_has(&seen, used->id))
			return refuse_twice(m, used->name, point);
		plugin_set_add(&seen, used->id);
	}
	return true;
}

static struct plugin_set used_set(const struct used_list *list)
{
	struct plugin_set set = {{0}};
	for (uint32_t i = 0; i < list->count; i++)
		plugin_set_add(&set, list->list[i].id);
	return set;
}

/* ---- one point ---- */

struct expansion {
	const struct used_list *own;
	struct plugin_set overrides; /* of MultiPoint, named by the point's own list too */
	struct used_list from_multi;
};

static bool expand(struct making *m, enum plugin_point point, struct expansion *e)
{
	const struct scheduler_plugin_set *set = &m->from->plugins.sets[point];
	const struct plugin_set named = used_set(e->own);
	struct plugin_set seen = {{0}};
	if (is_plugin_disabled(set, "*"))
		return true;
	for (uint32_t i = 0; i < m->multi.count; i++) {
		const struct used *used = &m->multi.list[i];
		if (!plugin_has_point_in(plugins[used->id], point, m->to->gates.release) ||
			is_plugin_disabled(set, plugins[used->id]->name))
			continue;
		if (plugin_set_has(&named, used->id)) {
			plugin_set_add(&e->overrides, used->id);
			continue;
		}
		if (plugin_set_has(&seen, used->id))
			return refuse_twice(m, used->name, point);
		plugin_set_add(&seen, used->id);
		e->from_multi.list[e->from_multi.count++] = *used;
	}
	return true;
}

static void put_plugin(struct making *m, enum plugin_point point, const struct used *used)
{
	int64_t weight = used->weight == 0 ? 1 : used->weight;
	m->queue_sorts += point == PLUGIN_AT_QUEUE_SORT;
	m->binds += point == PLUGIN_AT_BIND;
	if (!profile_may_use(&m->to->gates, plugins[used->id]))
		return;
	plugin_use_at(
		m->to, (enum plugin_point)point, used->id, point == PLUGIN_AT_SCORE ? weight : 0);
}

static bool make_point(struct making *m, enum plugin_point point)
{
	const struct scheduler_plugin_set *set = &m->from->plugins.sets[point];
	const struct scheduler_plugin *from = CONFIG_LIST(set->enabled, struct scheduler_plugin);
	struct used_list own = m->own;
	struct expansion e = {.own = &own, .from_multi = m->from_multi};
	for (uint32_t i = 0; i < set->enabled.count; i++)
		append(&own, from[i].name, from[i].weight);
	if (!check_own_list(m, point, &own) || !expand(m, point, &e))
		return false;
	for (uint32_t i = 0; i < own.count; i++)
		if (plugin_set_has(&e.overrides, own.list[i].id))
			put_plugin(m, point, &own.list[i]);
	for (uint32_t i = 0; i < e.from_multi.count; i++)
		put_plugin(m, point, &e.from_multi.list[i]);
	for (uint32_t i = 0; i < own.count; i++)
		if (!plugin_set_has(&e.overrides, own.list[i].id))
			put_plugin(m, point, &own.list[i]);
	return true;
}

/* ---- extenders ---- */

/*
 * Resources that extenders count themselves take the place of the profile's own ignored ones, if
 * there are any.
 */
static enum profile_result ignore_managed(const struct profile_memory *memory,
	const struct config_list *extenders, struct plugin_profile *profile, struct writer *fault)
{
	const struct scheduler_extender *list = CONFIG_LIST(*extenders, struct scheduler_extender);
	struct fit_args *fit = PLUGIN_ARGS_OF(profile, FIT, fit_args);
	uint32_t count = 0;
	for (uint32_t e = 0; e < extenders->count; e++) {
		const struct scheduler_managed_resource *managed =
			CONFIG_LIST(list[e].managed, struct scheduler_managed_resource);
		for (uint32_t i = 0; i < list[e].managed.count; i++) {
			if (!managed[i].ignored_by_scheduler)
				continue;
			if (count == PLUGIN_IGNORED_MAX) {
				write_format(fault, "extenders ignore more than %u resources",
					(unsigned)PLUGIN_IGNORED_MAX);
				return PROFILE_REFUSED;
			}
			if (!intern_take(
				    &memory->cache->strings, managed[i].name, &fit->ignored[count]))
				return PROFILE_FULL;
			fit->ignored_count = ++count;
		}
	}
	return PROFILE_OK;
}

/* ---- one profile ---- */

/* What a scheduler of v1.36 does not know. */
static bool check_release(struct making *m)
{
	const struct scheduler_plugin_set *set =
		&m->from->plugins.sets[PLUGIN_AT_POD_GROUP_POST_FILTER];
	if (m->to->gates.release >= KUBE_1_37 || set->enabled.count + set->disabled.count == 0)
		return true;
	write_format(m->fault, "unknown field \"%s\"; it came with v1.37",
		scheduler_point_field(PLUGIN_AT_POD_GROUP_POST_FILTER));
	return false;
}

static bool make_uses(struct making *m)
{
	if (!check_release(m))
		return false;
	merge_multi_point(m->from, &m->to->gates, &m->multi, m->placed);
	for (uint32_t point = 0; point < PLUGIN_POINTS; point++)
		if (!make_point(m, (enum plugin_point)point))
			return false;
	const char *what = NULL;
	if (m->queue_sorts != 1)
		what = "only one queue sort plugin required for profile with scheduler name ";
	else if (m->binds == 0)
		what = "at least one bind plugin is needed for profile with scheduler name ";
	if (what == NULL)
		return true;
	write_z(m->fault, what);
	config_write_quoted(m->fault, m->from->name);
	if (m->queue_sorts != 1)
		write_format(m->fault, ", but got %u", m->queue_sorts);
	return false;
}

static enum profile_result make_all_args(const struct profile_memory *memory, struct making *m)
{
	const struct args_making making = {
		memory->cache, memory->arena, memory->scratch, &m->to->gates, m->fault};
	switch (scheduler_args_make_all(&making, &m->from->args, m->to)) {
	case ARGS_MADE: return PROFILE_OK;
	case ARGS_REFUSED: return PROFILE_REFUSED;
	case ARGS_FULL: break;
	}
	return PROFILE_FULL;
}

static bool take_lists(struct making *m, struct scratch *scratch)
{
	const struct scheduler_plugin_set *sets = m->from->plugins.sets;
	uint32_t multi = sets[SCHEDULER_MULTI_POINT].enabled.count;
	uint32_t most = 0;
	for (uint32_t point = 0; point < PLUGIN_POINTS; point++)
		if (sets[point].enabled.count > most)
			most = sets[point].enabled.count;
	m->placed = SCRATCH_ARRAY(scratch, bool, multi + 1);
	return m->placed != NULL && take_list(&m->multi, PLUGIN_COUNT + multi, scratch) &&
		take_list(&m->own, most, scratch) &&
		take_list(&m->from_multi, PLUGIN_COUNT + multi, scratch);
}

static enum profile_result assemble_profile(const struct profile_memory *memory, struct making *m,
	const struct scheduler_config *config)
{
	*m->to = (struct plugin_profile){0};
	const struct config_optional *own = &m->from->percentage_of_nodes;
	m->to->check_all = m->from->check_all;
	m->to->gates = config->gates;
	m->to->percentage_of_nodes = own->given ? own->value : config->percentage_of_nodes.value;
	if (!intern_take(&memory->cache->strings, m->from->name, &m->to->scheduler_name))
		return PROFILE_FULL;
	struct scratch_mark mark = scratch_mark(memory->scratch);
	if (!take_lists(m, memory->scratch)) {
		scratch_rewind(memory->scratch, mark);
		return PROFILE_FULL;
	}
	enum profile_result result = make_all_args(memory, m);
	if (result == PROFILE_OK)
		result = ignore_managed(memory, &config->extenders, m->to, m->fault);
	if (result == PROFILE_OK && !make_uses(m))
		result = PROFILE_REFUSED;
	scratch_rewind(memory->scratch, mark);
	return result;
}

enum profile_result profiles_build(const struct profile_memory *memory,
	const struct scheduler_config *config, struct plugin_profile *profiles,
	struct writer *fault)
{
	const struct scheduler_profile *from =
		CONFIG_LIST(config->profiles, struct scheduler_profile);
	enum profile_result result = PROFILE_OK;
	CHECK(config->profiles.count > 0);
	for (uint32_t i = 0; i < config->profiles.count && result == PROFILE_OK; i++) {
		struct making m = {.from = &from[i], .to = &profiles[i], .fault = fault};
		size_t before = fault->used;
		write_format(fault, "creating profile for scheduler name %.*s",
			CONFIG_SHOWN(from[i].name));
		write_format(fault, from[i].line > 0 ? " (line %u): " : ": ", from[i].line);
		result = assemble_profile(memory, &m, config);
		if (result != PROFILE_REFUSED)
			fault->used = before;
	}
	return result;
}

/* ---- written out ---- */

static bool write_profile(struct scheduler_profile *profile, const struct feature_gates *gates,
	struct scratch *scratch)
{
	struct scheduler_plugin_set *set = &profile->plugins.sets[SCHEDULER_MULTI_POINT];
	static const struct scheduler_plugin all = {.name = {"*", 1}};
	struct used_list merged;
	bool *placed = SCRATCH_ARRAY(scratch, bool, set->enabled.count + 1);
	if (placed == NULL || !take_list(&merged, PLUGIN_COUNT + set->enabled.count, scratch))
		return false;
	merge_multi_point(profile, gates, &merged, placed);
	struct scheduler_plugin *list =
		SCRATCH_ARRAY(scratch, struct scheduler_plugin, merged.count + 1);
	if (list == NULL)
		return false;
	for (uint32_t i = 0; i < merged.count; i++)
		list[i] = (struct scheduler_plugin){merged.list[i].name, merged.list[i].weight};
	set->enabled = (struct config_list){list, merged.count};
	set->disabled = (struct config_list){&all, 1};
	return true;
}

bool profiles_write_out(const struct scheduler_config *config, struct scratch *scratch,
	struct scheduler_config *written_out)
{
	uint32_t count = config->profiles.count;
	struct scheduler_profile *profiles =
		SCRATCH_ARRAY(scratch, struct scheduler_profile, count);
	if (profiles == NULL)
		return false;
	memcpy(profiles, config->profiles.items, count * sizeof(*profiles));
	for (uint32_t i = 0; i < count; i++)
		if (!write_profile(&profiles[i], &config->gates, scratch))
			return false;
	*written_out = *config;
	written_out->profiles = (struct config_list){profiles, count};
	return true;
}
