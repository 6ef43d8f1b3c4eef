/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arguments of Rules: read from a configuration, compiled and checked with it, and compiled
 * once more for good when the profile is made.
 */
#include "plugins/rules.h"

#include "base/hash.h"

enum {
	REFRESH_LEAST_US = 10 * 1000 * 1000,
	ERRORS_SIZE = 4096,
	KEEP_BYTES = 8192, /* of a program, and ... */
	KEEP_PER_BYTE = 64 /* ... for each byte of its source */
};

struct rule_config {
	struct text name;
	struct text filter;
	struct text score;
	struct text message;
	int32_t weight;
};
struct rules_config {
	struct config_list rules; /* struct rule_config */
	int64_t refresh_us;
	int32_t max_cost;
};

static const struct field rule_fields[] = {
	FIELD("name", FIELD_TEXT, offsetof(struct rule_config, name), NULL, 0),
	FIELD("filter", FIELD_TEXT, offsetof(struct rule_config, filter), NULL, 0),
	FIELD("score", FIELD_TEXT, offsetof(struct rule_config, score), NULL, 0),
	FIELD("message", FIELD_TEXT, offsetof(struct rule_config, message), NULL, 0),
	{.name = "weight",
		.type = FIELD_I32,
		.at = offsetof(struct rule_config, weight),
		.value = 1,
		.least = 1,
		.greatest = RULES_WEIGHT_MAX,
		.why = "not in valid range [1, 100]"},
};
static const struct fields rule_form = {
	.list = rule_fields, .count = ARRAY_COUNT(rule_fields), .size = sizeof(struct rule_config)};
static const struct field rules_fields[] = {
	FIELD("rules", FIELD_LIST, offsetof(struct rules_config, rules), &rule_form, RULES_MAX),
	FIELD("refresh", FIELD_DURATION, offsetof(struct rules_config, refresh_us), NULL, 0),
	{.name = "maxCost",
		.type = FIELD_I32,
		.at = offsetof(struct rules_config, max_cost),
		.value = 1000,
		.least = 10,
		.greatest = 100 * 1000,
		.why = "not in valid range [10, 100000]"},
};
static const struct fields rules_form = {.list = rules_fields,
	.count = ARRAY_COUNT(rules_fields),
	.size = sizeof(struct rules_config)};

/* ---- expressions ---- */

static const struct cel_program *compile_rule(bool has_now, struct text source,
	struct scratch *work, struct scratch *keep, struct writer *errors)
{
	return cel_compile(&rules_declarations[has_now], source, work, keep, errors);
}

/* Into scratch, to look at. */
static const struct cel_program *compile_to_see(bool has_now, struct text source,
	struct scratch *scratch, struct scratch *keep, struct writer *errors)
{
	size_t room = KEEP_BYTES + source.size * KEEP_PER_BYTE;
	void *block = scratch_take(scratch, room);
	if (block == NULL)
		return NULL;
	scratch_init(keep, block, room);
	return compile_rule(has_now, source, scratch, keep, errors);
}

static bool is_type(const struct cel_program *program, const char *const *names)
{
	for (; *names != NULL; names++)
		if (text_is_z(cel_result_type(program), *names))
			return true;
	return false;
}

/* ---- what an expression reads ---- */

struct rules_reading {
	uint32_t reads;
	enum rules_variable variable;
	struct kube_wanted *annotations;  /* string ids; hashes while it is only looked at */
	const struct args_making *making; /* NULL: it is only looked at */
	const char *fault;                /* why it cannot be known; of ... */
	struct text field;
	bool is_full;
};

/* From now on: what reads pods while they arrive asks for keys that end with a zero byte. */
static bool keep_of_pods(struct cache *cache, uint32_t index, struct text key)
{
	uint32_t handle = store_take(&cache->store, key.size + 1);
	if (handle == 0)
		return false;
	char *kept = store_at(&cache->store, handle);
	memcpy(kept, key.at, key.size);
	kept[key.size] = '\0';
	cache->pod_wants.annotations[1 + index].key = kept; /* behind that of bookmarks */
	return true;
}

static void read_annotation(struct rules_reading *r, struct text key)
{
	bool is_pod = r->variable == RULES_POD;
	struct kube_wanted *to = &r->annotations[is_pod ? KUBE_ANNOTATED_POD : KUBE_ANNOTATED_NODE];
	uint32_t id;
	if (r->is_full)
		return;
	if (r->making == NULL) {
		id = hash_bytes(key.at, key.size);
	} else if (!args_intern(r->making, key, &id)) {
		r->is_full = true;
		return;
	}
	for (uint32_t i = 0; i < to->count; i++)
		if (to->keys[i] == id)
			return;
	r->is_full = to->count == KUBE_WANTED_MAX ||
		(is_pod && r->making != NULL && !keep_of_pods(r->making->cache, to->count, key));
	if (!r->is_full)
		to->keys[to->count++] = id;
}

static void note_read(void *self, struct text field, struct text key)
{
	struct rules_reading *r = self;
	if (r->variable == RULES_NOW) {
		r->reads |= RULES_READ_NOW;
		return;
	}
	uint32_t reads = field.at == NULL ? UINT32_MAX : rules_field_reads(r->variable, field);
	if (reads == UINT32_MAX) {
		r->fault = "must be read field by field, as in pod.labels";
		r->field = text_of(r->variable == RULES_POD ? "pod" : "node");
		return;
	}
	r->reads |= reads;
	if (!rules_field_is_keyed(r->variable, field))
		return;
	if (key.at == NULL) {
		r->fault = "must be read by keys that stand in the rule, as in "
			   "node.annotations['example.com/rack']";
		r->field = field;
	} else if (text_is_z(field, "annotations")) {
		read_annotation(r, key);
	}
}

static void read_program(struct rules_reading *r, const struct cel_program *program)
{
	for (uint32_t v = 0; v < RULES_VARIABLES; v++) {
		r->variable = (enum rules_variable)v;
		cel_each_read(program, v, note_read, r);
	}
}

/* ---- checking ---- */

/* The byte at that line and column of the text, both from 1. */
static size_t offset_of(struct text t, uint64_t line, uint64_t column)
{
	size_t at = 0;
	for (; line > 1 && at < t.size; at++)
		line -= t.at[at] == '\n';
	for (; column > 1 && at < t.size; column--)
		do
			at++;
		while (at < t.size && ((unsigned char)t.at[at] & 0xc0) == 0x80);
	return at;
}

/* A number up to ':' off the front. */
static bool take_place_number(struct text *rest, uint64_t *number)
{
	struct text part;
	return text_cut(rest, ':', &part) && text_to_u64(part, number);
}

/* Each "ERROR: <input>:LINE:COLUMN: words" of the compiler's, at its place in the file. */
static void report_errors(
	struct args_report *report, const char *path, struct text source, struct text errors)
{
	struct text line;
	while (text_cut(&errors, '\n', &line)) {
		static const char head[] = "ERROR: <input>:";
		uint64_t at[2] = {1, 1};
		size_t start = 0;
		while (start < line.size && !text_starts(text_from(line, start), text_of(head)))
			start++;
		if (start == line.size)
			continue;
		struct text rest = text_from(line, start + strlen(head));
		bool is_placed = rest.at[0] != '-';
		if (is_placed &&
			(!take_place_number(&rest, &at[0]) || !take_place_number(&rest, &at[1])))
			continue;
		report->refuse_in(report, path, source, offset_of(source, at[0], at[1]),
			text_trim(is_placed ? rest : text_from(rest, strlen("-1:0: "))));
	}
}

struct rules_checking {
	struct args_report *report;
	const struct rules_config *config;
	struct kube_wanted *annotations;
	uint32_t index;
};

static const char *rule_path(
	const struct rules_checking *c, const char *field, struct args_path *to)
{
	return args_path(to, "rules[%u].%s", c->index, field);
}

static void check_expression(const struct rules_checking *c, const char *field, struct text source,
	const char *const *types, const char *wanted)
{
	struct scratch *scratch = c->report->scratch;
	struct args_path path;
	struct scratch keep;
	struct writer errors;
	char bytes[ERRORS_SIZE];
	if (source.size == 0)
		return;
	(void)rule_path(c, field, &path);
	if (source.size > RULES_SOURCE_MAX) {
		c->report->refuse(c->report, path.bytes, "Too long: may not be more than %u bytes",
			(unsigned)RULES_SOURCE_MAX);
		return;
	}
	struct scratch_mark mark = scratch_mark(scratch);
	writer_init(&errors, bytes, sizeof(bytes));
	const struct cel_program *program =
		compile_to_see(c->config->refresh_us > 0, source, scratch, &keep, &errors);
	struct rules_reading r = {.annotations = c->annotations};
	if (program != NULL)
		read_program(&r, program);
	else if (errors.used == 0)
		c->report->refuse(c->report, path.bytes, "is too large to be compiled");
	else
		report_errors(c->report, path.bytes, source, writer_text(&errors));
	if (program != NULL && !is_type(program, types))
		c->report->refuse(c->report, path.bytes, "must be %s, not of type %.*s", wanted,
			TEXT_ARGS(cel_result_type(program)));
	if (r.fault != NULL)
		c->report->refuse(c->report, path.bytes, "%.*s %s", TEXT_ARGS(r.field), r.fault);
	if (r.is_full)
		c->report->refuse(c->report, path.bytes,
			"reads more annotations of pods or of nodes than the %u that all rules "
			"together may read",
			(unsigned)KUBE_WANTED_MAX);
	scratch_rewind(scratch, mark);
}

static bool is_rule_name(struct text t)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	bool is = t.size > 0 && t.size <= RULES_NAME_MAX;
	for (size_t i = 0; i < t.size && is; i++)
		is = memchr(letters, t.at[i], sizeof(letters) - 1) != NULL;
	return is;
}

static bool is_message(struct text t)
{
	bool is = t.size <= RULES_MESSAGE_MAX && text_is_utf8(t);
	for (size_t i = 0; i < t.size && is; i++)
		is = (unsigned char)t.at[i] >= 0x20 && t.at[i] != 0x7f;
	return is;
}

static void check_names(const struct rules_checking *c)
{
	const struct rule_config *rules = CONFIG_LIST(c->config->rules, struct rule_config);
	const struct rule_config *rule = &rules[c->index];
	struct args_report *report = c->report;
	struct args_path path;
	if (!is_rule_name(rule->name))
		report->refuse_text(report, rule_path(c, "name", &path), rule->name,
			"must be 1 to 63 letters, digits, '-', '_' or '.'");
	for (uint32_t i = 0; i < c->index; i++)
		if (text_is(rules[i].name, rule->name)) {
			report->refuse_duplicate(report, rule_path(c, "name", &path), rule->name);
			break;
		}
	if (!is_message(rule->message))
		report->refuse_text(report, rule_path(c, "message", &path), rule->message,
			"must be one line of at most 256 bytes");
	if (rule->message.size > 0 && rule->filter.size == 0)
		report->refuse(
			report, rule_path(c, "message", &path), "has no effect without a filter");
	if (rule->filter.size == 0 && rule->score.size == 0)
		report->refuse(report, rule_path(c, "filter", &path),
			"Required value: a rule has a filter, a score, or both");
}

static void rules_args_check(struct args_report *report, const void *of)
{
	static const char *const truths[] = {"bool", "dyn", "any", NULL};
	static const char *const numbers[] = {"int", "uint", "double", "dyn", "any", NULL};
	const struct rules_config *config = of;
	const struct rule_config *rules = CONFIG_LIST(config->rules, struct rule_config);
	struct kube_wanted annotations[KUBE_ANNOTATED] = {{.count = 0}};
	struct rules_checking c = {report, config, annotations, 0};
	int64_t weights = 0;
	if (config->refresh_us != 0 && config->refresh_us < REFRESH_LEAST_US)
		report->refuse(report, "refresh", "Invalid value: must be at least 10s");
	for (; c.index < config->rules.count; c.index++) {
		check_names(&c);
		check_expression(&c, "filter", rules[c.index].filter, truths, "true or false");
		check_expression(&c, "score", rules[c.index].score, numbers, "a number");
		weights += rules[c.index].score.size > 0 ? rules[c.index].weight : 0;
	}
	if (weights > RULES_WEIGHTS_MAX)
		report->refuse(report, "rules",
			"Invalid value: the weights of scores add up to "
			"%lld, at most %u are possible",
			(long long)weights, (unsigned)RULES_WEIGHTS_MAX);
}

/* ---- making ---- */

/* Compiled twice: to see how much memory it takes, and into just that. It stays for ever. */
static const struct cel_program *compile_for_good(
	const struct args_making *m, bool has_now, struct text source)
{
	struct scratch_mark mark = scratch_mark(m->scratch);
	struct scratch keep;
	struct writer errors;
	char bytes[ERRORS_SIZE];
	writer_init(&errors, bytes, sizeof(bytes));
	bool is_right = compile_to_see(has_now, source, m->scratch, &keep, &errors) != NULL;
	size_t size = is_right ? keep.used + 32 : 0;
	scratch_rewind(m->scratch, mark);
	uint32_t handle = is_right ? store_take_aligned(&m->cache->store, size, 16) : 0;
	if (handle == 0)
		return NULL;
	scratch_init(&keep, store_at(&m->cache->store, handle), size);
	return compile_rule(has_now, source, m->scratch, &keep, &errors);
}

static bool keep_words(const struct args_making *m, struct text from, struct text *to)
{
	uint32_t id;
	if (!args_intern(m, from, &id))
		return false;
	*to = cache_text(m->cache, id);
	return true;
}

static bool keep_program(const struct args_making *m, bool has_now, struct text source,
	const struct cel_program **to, uint32_t *reads)
{
	struct rules_reading r = {.annotations = m->cache->annotations, .making = m};
	if (source.size == 0)
		return true;
	*to = compile_for_good(m, has_now, source);
	if (*to != NULL)
		read_program(&r, *to);
	*reads |= r.reads;
	return *to != NULL && !r.is_full;
}

static enum args_result rules_args_make(const struct args_making *m, const void *of, void *made)
{
	const struct rules_config *config = of;
	const struct rule_config *from = CONFIG_LIST(config->rules, struct rule_config);
	struct rules_args *to = made;
	to->cost_max = config->max_cost;
	to->refresh_us = config->refresh_us;
	if (config->rules.count == 0)
		return ARGS_MADE;
	uint32_t handle =
		store_take_aligned(&m->cache->store, config->rules.count * sizeof(struct rule), 16);
	if (handle == 0)
		return ARGS_FULL;
	struct rule *rules = store_at(&m->cache->store, handle);
	bool has_now = config->refresh_us > 0;
	for (uint32_t i = 0; i < config->rules.count; i++) {
		rules[i] = (struct rule){.weight = from[i].weight};
		uint32_t of_score = 0;
		if (!keep_words(m, from[i].name, &rules[i].name) ||
			!keep_words(m, from[i].message, &rules[i].message) ||
			!keep_program(
				m, has_now, from[i].filter, &rules[i].filter, &rules[i].reads) ||
			!keep_program(m, has_now, from[i].score, &rules[i].score, &of_score))
			return ARGS_FULL;
		to->reads |= rules[i].reads | of_score;
		to->has_filters |= rules[i].filter != NULL;
		to->has_scores |= rules[i].score != NULL;
	}
	to->rules = rules;
	to->count = config->rules.count;
	return ARGS_MADE;
}

const struct plugin_args rules_arguments = {.fields = &rules_form,
	.check = rules_args_check,
	.size = sizeof(struct rules_args),
	.make = rules_args_make};
