/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is asked of any plugin, by its table.
 */
#include "plugins/timer.h"

#define PLUGIN_POINTER(id, file) [PLUGIN_##id] = &plugin_##file,
const struct plugin *const plugins[PLUGIN_COUNT] = {PLUGIN_ROWS(PLUGIN_POINTER)};
#undef PLUGIN_POINTER

_Static_assert((int)PLUGIN_COUNT <= (int)PLUGIN_SET_MAX, "a set has room for every plugin");

struct plugin_pod plugin_pod_of(const struct cache *cache, uint32_t index)
{
	const struct cache_pod *pod = cache_pod_at(cache, index);
	const struct kube_pod_template *class = cache_template_of(cache, pod);
	return (struct plugin_pod){.index = index,
		.template_index = pod->class,
		.class = class,
		.labels = cache_labels_at(cache, pod->labels),
		.namespace_labels = cache_namespace_labels(cache, class->namespace),
		.name = cache_text(cache, pod->name),
		.uid = pod->uid,
		.for_node = pod->for_node};
}

enum plugin_id plugin_find(struct text name)
{
	uint32_t id = 0;
	while (id < PLUGIN_COUNT && !text_is_z(name, plugins[id]->name))
		id++;
	return (enum plugin_id)id;
}

bool plugin_has_point(const struct plugin *plugin, enum plugin_point point)
{
	CHECK(point < PLUGIN_POINTS);
	const bool has[PLUGIN_POINTS] = {
		[PLUGIN_AT_PRE_ENQUEUE] = plugin->pre_enqueue != NULL,
		[PLUGIN_AT_PRE_FILTER] = plugin->pre_filter != NULL,
		[PLUGIN_AT_FILTER] = plugin->filter != NULL,
		[PLUGIN_AT_POST_FILTER] = plugin->post_filter != NULL,
		[PLUGIN_AT_PRE_SCORE] = plugin->pre_score != NULL,
		[PLUGIN_AT_SCORE] = plugin->score != NULL,
		[PLUGIN_AT_RESERVE] = plugin->reserve != NULL,
		[PLUGIN_AT_PERMIT] = plugin->permit != NULL,
		[PLUGIN_AT_PRE_BIND] = plugin->pre_bind != NULL,
		[PLUGIN_AT_POST_BIND] = plugin->post_bind != NULL,
	};
	return has[point] || (plugin->points >> point & 1) != 0;
}

bool plugin_has_point_in(
	const struct plugin *plugin, enum plugin_point point, enum kube_release release)
{
	return plugin_has_point(plugin, point) ||
		(release >= KUBE_1_37 && (plugin->points_since_1_37 >> point & 1) != 0);
}

void plugin_use_at(
	struct plugin_profile *profile, enum plugin_point point, enum plugin_id id, int64_t weight)
{
	struct plugin_uses *uses = &profile->at[point];
	CHECK(!plugin_set_has(&uses->set, id));
	CHECK(uses->count < PLUGIN_COUNT);
	uses->list[uses->count++] = (struct plugin_use){(uint8_t)id, weight};
	plugin_set_add(&uses->set, id);
	plugin_set_add(&profile->used, id);
	if (plugins[id]->used != NULL)
		plugins[id]->used(profile);
}

/* ---- arguments ---- */

void plugin_args_place(struct plugin_profile *profile)
{
	size_t used = 0;
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++) {
		const struct plugin_args *args = plugins[id]->args;
		profile->args_at[id] = args == NULL ? 0 : (uint16_t)(used / 8 + 1);
		used += args == NULL ? 0 : (args->size + 7) / 8 * 8;
	}
	CHECK(used <= sizeof(profile->args));
	memset(profile->args, 0, sizeof(profile->args));
}

const char *args_path(struct args_path *path, const char *format, ...)
{
	struct writer w;
	va_list args;
	writer_init(&w, path->bytes, sizeof(path->bytes) - 1);
	va_start(args, format);
	write_format_v(&w, format, args);
	va_end(args);
	path->bytes[w.used] = '\0';
	return path->bytes;
}

bool args_intern(const struct args_making *m, struct text t, uint32_t *id)
{
	return intern_take(&m->cache->strings, t, id);
}

bool args_intern_list(
	const struct args_making *m, const struct config_list *from, uint32_t *to, uint32_t *count)
{
	const struct text *names = CONFIG_LIST(*from, struct text);
	for (*count = 0; *count < from->count; (*count)++)
		if (!args_intern(m, names[*count], &to[*count]))
			return false;
	return true;
}

/* ---- at start ---- */

static uint32_t plugin_point_count(const struct plugin *plugin)
{
	uint32_t count = 0;
	for (uint32_t point = 0; point < PLUGIN_POINTS; point++)
		count += plugin_has_point(plugin, (enum plugin_point)point);
	return count;
}

/* A declaration that is forgotten would be a wrong answer of the fast way, and only there. */
static void check_table(const struct plugin *plugin, enum plugin_id id)
{
	bool scores = plugin->score != NULL;
	CHECK(plugin->name != NULL && plugin_find(text_of(plugin->name)) == id);
	CHECK(plugin_point_count(plugin) > 0);
	CHECK(plugin->weight >= 0);
	CHECK(!scores || plugin->weight > 0);
	CHECK(scores || (plugin->scores == NULL && plugin->add_scores == NULL));
	CHECK(scores || (!plugin->score_is_local && plugin->score_is_idle == NULL));
	CHECK(plugin->filter != NULL || (plugin->keep == NULL && plugin->rules == NULL));
	CHECK(plugin->filter != NULL || !plugin->filter_is_local);
	/* What is remembered by node cannot depend on a state of one decision. */
	CHECK(!plugin->filter_is_local || plugin->state_size == 0);
	CHECK(!plugin->score_is_local || plugin->score_state_size == 0);
	CHECK(!plugin->filter_is_local || (plugin->rules == NULL && plugin->pod_moved == NULL));
	CHECK(plugin->state_size == 0 || plugin->pre_filter != NULL);
	CHECK(plugin->score_state_size == 0 || plugin->pre_score != NULL);
	CHECK((plugin->pod_moved == NULL) == (plugin->pods_forgotten == NULL));
	CHECK(plugin->pod_moved == NULL || plugin->state_size > 0);
	/* The rows of the fast way normalise themselves, in the ways that they know. */
	CHECK((plugin->normalise_own != NULL) == (plugin->normalise == PLUGIN_NORMALISE_OWN));
	CHECK(!plugin->score_is_local || plugin->normalise != PLUGIN_NORMALISE_OWN);
	CHECK(plugin->normalise == PLUGIN_RAW || scores);
	CHECK(plugin->helps_beyond_hint == NULL || plugin->events != NULL);
	/* What is reserved can be given back, and a flight that nothing follows says nothing. */
	CHECK((plugin->reserve == NULL) == (plugin->unreserve == NULL));
	CHECK((plugin->pre_bind == NULL) == (plugin->pre_bind_pre_flight == NULL));
	CHECK(plugin->pre_bind != NULL || plugin->concerns == NULL);
	CHECK(plugin->permit != NULL || plugin->group == NULL);
	const struct plugin_args *args = plugin->args;
	CHECK(args == NULL || args->make != NULL || args->size == args->fields->size);
}

/* A plugin that rejects pods and registers nothing would leave them waiting for ever. */
static void check_events(const struct plugin *plugin)
{
	bool rejects = plugin->pre_enqueue != NULL || plugin->filter != NULL;
	CHECK(!rejects || plugin->events != NULL);
	for (const struct plugin_registration *r = plugin->events;
		r != NULL && r->kind != KUBE_NO_KIND; r++) {
		CHECK(r->kind < KUBE_KINDS);
		CHECK(r->actions != 0);
	}
}

void plugins_check(void)
{
	uint32_t holders = 0;
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++) {
		check_table(plugins[id], (enum plugin_id)id);
		check_events(plugins[id]);
		holders += plugins[id]->permit != NULL;
	}
	CHECK(holders <= PLUGIN_HOLDERS_MAX);
}

/* ---- state ---- */

void *plugin_take_state(struct cycle_state *d, enum plugin_id id)
{
	CHECK(plugins[id]->state_size > 0);
	d->state[id] = scratch_take(d->scratch, plugins[id]->state_size);
	return d->state[id];
}

void *plugin_take_score_state(struct cycle_state *d, enum plugin_id id)
{
	CHECK(plugins[id]->score_state_size > 0);
	d->score_state[id] = scratch_take(d->scratch, plugins[id]->score_state_size);
	return d->score_state[id];
}

/* ---- questions ---- */

enum plugin_code plugin_misses(const struct cache *cache, enum kube_kind kind, const char *what,
	struct text name, struct plugin_reasons *why)
{
	plugin_because_of(why, "%s \"%.*s\" %s", what, TEXT_ARGS(name),
		(cache->incomplete & PLUGIN_KIND(kind)) == 0
			? "not found"
			: "is not known: some objects of its kind could not be read or kept, see "
			  "the log of berth");
	return PLUGIN_UNRESOLVABLE;
}

enum plugin_id plugin_gate_of(const struct cache *cache, const struct plugin_profile *profile,
	uint32_t pod, struct plugin_reasons *why, const struct plugin_timer *timer)
{
	const struct plugin_uses *uses = &profile->at[PLUGIN_AT_PRE_ENQUEUE];
	struct mono since = plugin_timer_start(timer);
	for (uint32_t i = 0; i < uses->count; i++) {
		const struct plugin *plugin = plugins[uses->list[i].id];
		if (plugin->pre_enqueue == NULL)
			continue;
		enum plugin_code code = plugin->pre_enqueue(cache, pod, why);
		plugin_timer_took(timer, uses->list[i].id, PLUGIN_AT_PRE_ENQUEUE, code, &since);
		if (code != PLUGIN_SUCCESS)
			return (enum plugin_id)uses->list[i].id;
	}
	return PLUGIN_COUNT;
}

uint32_t plugin_kinds_of(const struct plugin_demand *pod)
{
	uint32_t kinds = 0;
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++)
		if (plugins[id]->kinds != NULL &&
			(pod->profile == NULL || plugin_set_has(&pod->profile->used, id)))
			kinds |= plugins[id]->kinds(pod);
	return kinds;
}

const char *plugin_help_for(const struct plugin *plugin, struct text message)
{
	for (const struct plugin_help *h = plugin->helps; h != NULL && h->reason != NULL; h++)
		if (text_contains(message, text_of(h->reason)))
			return h->help;
	return NULL;
}
