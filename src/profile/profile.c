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
#include "profile/profile_private.h"

enum { USED_MAX = 128 /* plugins in a list of a file, and the default ones */ };

struct used { /* a plugin in a list */
	struct text name;
	enum plugin_id id;
	int32_t weight;
};
struct used_list {
	struct used list[USED_MAX];
	uint32_t count;
};

struct making { /* one profile */
	const struct scheduler_profile *from;
	struct plugin_profile *to;
	struct used_list multi; /* MultiPoint, merged */
	uint32_t queue_sorts;
	uint32_t binds;
	struct writer *fault;
};

/* The type of plugins of a point, for the words: preFilter is PreFilterPlugin. */
static void write_type(struct writer *out, enum scheduler_point point)
{
	const char *field = scheduler_point_field(point);
	write_format(out, "%c%sPlugin", field[0] & ~0x20, field + 1);
}

static bool refuse_plugin(struct making *m, const char *before, struct text plugin,
	const char *middle, enum scheduler_point point, const char *after)
{
	write_z(m->fault, before);
	config_write_quoted(m->fault, plugin);
	write_z(m->fault, middle);
	write_type(m->fault, point);
	write_z(m->fault, after);
	return false;
}

static bool refuse_twice(struct making *m, struct text plugin, enum scheduler_point point)
{
	return refuse_plugin(m, "plugin ", plugin, " already registered as \"", point, "\"");
}

/* ---- lists ---- */

static bool is_disabled(const struct scheduler_plugin_set *set, const char *name)
{
	const struct scheduler_plugin *list = CONFIG_LIST(set->disabled, struct scheduler_plugin);
	for (uint32_t i = 0; i < set->disabled.count; i++)
		if (text_is_z(list[i].name, name))
			return true;
	return false;
}

static void append(struct used_list *list, struct text name, int32_t weight)
{
	enum plugin_id id = plugin_find(name);
	CHECK(list->count < USED_MAX);
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

static void merge_multi_point(const struct scheduler_plugin_set *set, struct used_list *to)
{
	const struct scheduler_plugin *own = CONFIG_LIST(set->enabled, struct scheduler_plugin);
	uint64_t placed = 0;
	for (uint32_t id = 0; id < PLUGIN_COUNT && !is_disabled(set, "*"); id++) {
		const char *name = plugins[id]->name;
		uint32_t at = find_enabled(set, name);
		if (!profile_is_default((enum plugin_id)id) || is_disabled(set, name))
			continue;
		append(to, text_of(name), at == 0 ? plugins[id]->weight : own[at - 1].weight);
		if (at > 0)
			placed |= UINT64_C(1) << (at - 1);
	}
	for (uint32_t i = 0; i < set->enabled.count; i++)
		if ((placed >> i & 1) == 0)
			append(to, own[i].name, own[i].weight);
}

static bool check_own_list(
	struct making *m, enum scheduler_point point, const struct used_list *own)
{
	struct plugin_set seen = {{0}};
	for (uint32_t i = 0; i < own->count; i++) {
		const struct used *used = &own->list[i];
		if (!profile_implements(used->id, point))
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

static bool expand(struct making *m, enum scheduler_point point, struct expansion *e)
{
	const struct scheduler_plugin_set *set = &m->from->plugins.sets[point];
	const struct plugin_set named = used_set(e->own);
	struct plugin_set seen = {{0}};
	if (is_disabled(set, "*"))
		return true;
	for (uint32_t i = 0; i < m->multi.count; i++) {
		const struct used *used = &m->multi.list[i];
		if (!profile_implements(used->id, point) ||
			is_disabled(set, plugins[used->id]->name))
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

static void put(struct making *m, enum scheduler_point point, const struct used *used)
{
	int64_t weight = used->weight == 0 ? 1 : used->weight;
	m->queue_sorts += point == SCHEDULER_QUEUE_SORT;
	m->binds += point == SCHEDULER_BIND;
	if (used->id == PLUGIN_NODE_DECLARED_FEATURES &&
		!feature_enabled(&m->to->gates, FEATURE_NodeDeclaredFeatures))
		return;
	plugin_use_at(
		m->to, (enum plugin_point)point, used->id, point == SCHEDULER_SCORE ? weight : 0);
}

static bool make_point(struct making *m, enum scheduler_point point)
{
	const struct scheduler_plugin_set *set = &m->from->plugins.sets[point];
	const struct scheduler_plugin *from = CONFIG_LIST(set->enabled, struct scheduler_plugin);
	struct used_list own = {.count = 0};
	for (uint32_t i = 0; i < set->enabled.count; i++)
		append(&own, from[i].name, from[i].weight);
	struct expansion e = {.own = &own};
	if (!check_own_list(m, point, &own) || !expand(m, point, &e))
		return false;
	for (uint32_t i = 0; i < own.count; i++)
		if (plugin_set_has(&e.overrides, own.list[i].id))
			put(m, point, &own.list[i]);
	for (uint32_t i = 0; i < e.from_multi.count; i++)
		put(m, point, &e.from_multi.list[i]);
	for (uint32_t i = 0; i < own.count; i++)
		if (!plugin_set_has(&e.overrides, own.list[i].id))
			put(m, point, &own.list[i]);
	return true;
}

/* ---- one profile ---- */

static bool make_uses(struct making *m)
{
	merge_multi_point(&m->from->plugins.sets[SCHEDULER_MULTI_POINT], &m->multi);
	for (uint32_t point = 0; point < SCHEDULER_POINTS; point++)
		if (!make_point(m, (enum scheduler_point)point))
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

static enum profile_result make(const struct profile_memory *memory, struct making *m,
	const struct scheduler_config *config)
{
	*m->to = (struct plugin_profile){0};
	const struct config_optional *own = &m->from->percentage_of_nodes;
	m->to->check_all = m->from->check_all;
	m->to->gates = config->gates;
	m->to->percentage_of_nodes = own->given ? own->value : config->percentage_of_nodes.value;
	if (!intern_take(&memory->cache->strings, m->from->name, &m->to->scheduler_name))
		return PROFILE_FULL;
	enum profile_result result = profile_set_all_args(memory, &m->from->args, m->to, m->fault);
	if (result == PROFILE_OK)
		result = profile_ignore_managed(memory, &config->extenders, m->to, m->fault);
	if (result == PROFILE_OK && !make_uses(m))
		result = PROFILE_REFUSED;
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
		result = make(memory, &m, config);
		if (result != PROFILE_REFUSED)
			fault->used = before;
	}
	return result;
}

/* ---- written out ---- */

static bool write_out(struct scheduler_plugin_set *set, struct scratch *scratch)
{
	static const struct scheduler_plugin all = {.name = {"*", 1}};
	struct used_list merged = {.count = 0};
	merge_multi_point(set, &merged);
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
		if (!write_out(&profiles[i].plugins.sets[SCHEDULER_MULTI_POINT], scratch))
			return false;
	*written_out = *config;
	written_out->profiles = (struct config_list){profiles, count};
	return true;
}
