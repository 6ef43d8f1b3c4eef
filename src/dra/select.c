/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selectors: expressions about one device. Each text is compiled once, and what it says of the
 * devices of a slice is remembered, two bits a device, until the slice is another one.
 */
#include <string.h>

#include "base/hash.h"
#include "cel/cel.h"
#include "dra/private.h"

enum {
	PROGRAMS = 64,           /* expressions that are kept compiled */
	VERDICTS_MOST = 1 << 16, /* slices, each for one expression */
	VERDICTS_OF_NODE = 8,
	VERDICT_WAYS = 4,      /* places where each may be */
	VERDICT_DEVICES = 128, /* of a slice; an apiserver takes no more */
	COMPILE_KEEP_MAX = 512 * 1024,
	COST_PER_STEP = 16,
	TEXT_SIZE = 1024,
	PATIENCES = 64 /* namespaces, by hash: what shares a place shares the patience */
};

enum said { SAID_NOTHING, SAID_NO, SAID_YES };

struct program {
	uint32_t expression;                /* string id, held */
	uint32_t handle;                    /* of the memory it lives in */
	const struct cel_program *compiled; /* NULL: it is wrong */
	uint64_t serial;                    /* never used twice */
	uint64_t used;
};

struct verdicts {
	uint64_t program; /* serial; 0: nothing is remembered here */
	uint32_t slice;
	uint32_t handle; /* of the slice's blob */
	uint64_t version;
	uint8_t said[VERDICT_DEVICES / 4];
};

struct dra {
	struct cache *cache;
	struct program programs[PROGRAMS];
	uint64_t serials;
	uint64_t clock;
	uint64_t compiled;
	uint64_t evaluated;
	struct {
		uint8_t given_up;  /* how often the patience is halved */
		uint8_t decisions; /* since */
	} patience[PATIENCES];
	struct page_span span;
	struct page_shedder shedder;
	struct verdicts *verdicts;
	uint32_t verdict_max;
	uint32_t verdict_count; /* a power of two; 0: no memory for any yet */
	struct dra_memory *memory;
};

static uint32_t verdicts_for(uint32_t nodes)
{
	uint32_t count = 1024;
	while (count < VERDICTS_MOST && count / VERDICTS_OF_NODE < nodes)
		count *= 2;
	return count;
}

size_t dra_size(uint32_t nodes)
{
	return sizeof(struct dra) + arena_span_size(verdicts_for(nodes) * sizeof(struct verdicts)) +
		dra_memory_size(nodes) + 64;
}

static bool forget_verdicts(void *self)
{
	struct dra *dra = self;
	if (dra->verdict_count == 0)
		return false;
	dra->verdict_count /= 2;
	if (dra->verdict_count < 64)
		dra->verdict_count = 0;
	page_span_shrink(&dra->span, dra->verdict_count * sizeof(struct verdicts));
	return true;
}

struct dra *dra_make(struct arena *arena, struct cache *cache, uint32_t nodes)
{
	struct dra *dra = arena_take(arena, sizeof(*dra));
	*dra = (struct dra){.cache = cache,
		.verdict_max = verdicts_for(nodes),
		.memory = dra_memory_make(arena, cache, nodes)};
	arena_take_span(arena, &dra->span, dra->verdict_max * sizeof(struct verdicts));
	dra->verdicts = (struct verdicts *)(void *)dra->span.base;
	if (arena->budget != NULL)
		page_budget_add_shedder(arena->budget, &dra->shedder, forget_verdicts, dra);
	return dra;
}

struct dra_seen *dra_seen_of(struct dra *dra, const struct dra_shape *shape)
{
	return dra_memory_row(dra->memory, shape);
}

int64_t dra_patience(struct dra *dra, uint32_t namespace, int64_t full)
{
	uint32_t at = hash_pair(namespace, 0) % PATIENCES;
	if (dra->patience[at].given_up > 0 && ++dra->patience[at].decisions > DRA_PATIENCE_BACK) {
		dra->patience[at].given_up--;
		dra->patience[at].decisions = 0;
	}
	return full >> dra->patience[at].given_up;
}

void dra_gave_up(struct dra *dra, uint32_t namespace)
{
	uint32_t at = hash_pair(namespace, 0) % PATIENCES;
	dra->patience[at].given_up += dra->patience[at].given_up < DRA_PATIENCE_MAX;
	dra->patience[at].decisions = 0;
}

uint64_t dra_compiled(const struct dra *dra)
{
	return dra->compiled;
}

uint64_t dra_evaluated(const struct dra *dra)
{
	return dra->evaluated;
}

/* ---- the device as expressions see it ---- */

struct seen {
	const struct dra_run *run;
	const struct kube_slice *slice;
	const struct kube_device *device;
	struct cel_semver *versions; /* by attribute */
	struct quantity *capacities; /* by capacity */
	uint32_t *first[2];          /* of attributes, of capacities: see first_of_domain() */
};

/* Attributes and capacities are looked at in the same way. */
static uint32_t parts_count(const struct seen *seen, bool capacity)
{
	return capacity ? seen->device->capacities.count : seen->device->attributes.count;
}

static struct text part_name(const struct seen *seen, bool capacity, uint32_t i)
{
	uint32_t id = capacity
		? KUBE_AT(seen->slice, seen->device->capacities, struct kube_capacity)[i].name
		: KUBE_AT(seen->slice, seen->device->attributes, struct kube_attribute)[i].name;
	return dra_text(seen->run, id);
}

static struct text part_domain(const struct seen *seen, bool capacity, uint32_t i)
{
	struct text name = part_name(seen, capacity, i);
	size_t slash = text_find(name, '/');
	return slash < name.size ? text_first(name, slash)
				 : dra_text(seen->run, seen->slice->driver);
}

/* The first part with the same domain stands for it: looked for once, however often it is asked. */
static uint32_t first_of_domain(const struct seen *seen, bool capacity, uint32_t i)
{
	uint32_t *known = &seen->first[capacity][i];
	if (*known == 0) {
		struct text domain = part_domain(seen, capacity, i);
		uint32_t k = 0;
		while (k < i && !text_is(part_domain(seen, capacity, k), domain))
			k++;
		*known = k + 1;
	}
	return *known - 1;
}

static struct text part_id(const struct seen *seen, bool capacity, uint32_t i)
{
	struct text name = part_name(seen, capacity, i);
	size_t slash = text_find(name, '/');
	return slash < name.size ? text_from(name, slash + 1) : name;
}

static struct cel_value part_value(const struct seen *seen, bool capacity, uint32_t i)
{
	if (capacity)
		return cel_quantity(&seen->capacities[i]);
	const struct kube_attribute *attribute =
		KUBE_AT(seen->slice, seen->device->attributes, struct kube_attribute) + i;
	struct cel_value value = CEL_VALUE_NULL;
	switch (attribute->kind) {
	case KUBE_ATTRIBUTE_STRING:
		return cel_string(dra_text(seen->run, (uint32_t)attribute->value));
	case KUBE_ATTRIBUTE_INT: return cel_int(attribute->value);
	case KUBE_ATTRIBUTE_BOOL: return cel_bool(attribute->value != 0);
	default:
		CHECK(cel_semver_value(dra_text(seen->run, (uint32_t)attribute->value),
			&seen->versions[i], &value)); /* see_device() */
		return value;
	}
}

/* ---- of one domain: `size` is twice the place of a part in it, and one more for capacities ----
 */

enum { NO_DOMAIN = UINT32_MAX / 2 };

static bool is_in_domain(const struct cel_value *of, uint32_t i)
{
	return first_of_domain(of->self, (of->size & 1) != 0, i) == of->size / 2;
}

static uint32_t names_count(const struct cel_value *of)
{
	uint32_t count = 0;
	if (of->size / 2 == NO_DOMAIN)
		return 0;
	for (uint32_t i = 0; i < parts_count(of->self, (of->size & 1) != 0); i++)
		count += is_in_domain(of, i);
	return count;
}

static void names_at(
	const struct cel_value *of, uint32_t index, struct cel_value *key, struct cel_value *value)
{
	bool capacity = (of->size & 1) != 0;
	uint32_t i = 0;
	while (!is_in_domain(of, i) || index-- > 0)
		i++;
	*key = cel_string(part_id(of->self, capacity, i));
	*value = part_value(of->self, capacity, i);
}

static bool names_find(
	const struct cel_value *of, const struct cel_value *key, struct cel_value *value)
{
	bool capacity = (of->size & 1) != 0;
	if (of->size / 2 == NO_DOMAIN || key->kind != CEL_STRING)
		return false;
	for (uint32_t i = 0; i < parts_count(of->self, capacity); i++) {
		if (!text_is((struct text){key->text, key->size}, part_id(of->self, capacity, i)) ||
			!is_in_domain(of, i))
			continue;
		*value = part_value(of->self, capacity, i);
		return true;
	}
	return false;
}

static const struct cel_host names_host = {names_count, names_at, names_find};

/* ---- of all domains: `size` is 1 for capacities ---- */

static uint32_t parts_domain_count(const struct cel_value *of)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < parts_count(of->self, of->size != 0); i++)
		count += first_of_domain(of->self, of->size != 0, i) == i;
	return count;
}

static void parts_domain_at(
	const struct cel_value *of, uint32_t index, struct cel_value *key, struct cel_value *value)
{
	uint32_t i = 0;
	while (first_of_domain(of->self, of->size != 0, i) != i || index-- > 0)
		i++;
	*key = cel_string(part_domain(of->self, of->size != 0, i));
	*value = cel_host_map(&names_host, of->self, i * 2 + of->size);
}

/* A domain that is not there is an empty map. */
static bool parts_domain_find(
	const struct cel_value *of, const struct cel_value *key, struct cel_value *value)
{
	uint32_t count = parts_count(of->self, of->size != 0);
	uint32_t i = 0;
	while (i < count &&
		!(key->kind == CEL_STRING &&
			text_is((struct text){key->text, key->size},
				part_domain(of->self, of->size != 0, i))))
		i++;
	*value = cel_host_map(&names_host, of->self, (i == count ? NO_DOMAIN : i) * 2 + of->size);
	return true;
}

static const struct cel_host domains_host = {
	parts_domain_count, parts_domain_at, parts_domain_find};

/* ---- the device ---- */

/* Of 1.36, and of 1.37, where an attribute may be anything that can be looped over, too. */
#define DEVICE_FIELDS(value)                                                                 \
	{                                                                                    \
		{"driver", "string"}, {"attributes", "map(string, map(string, " value "))"}, \
			{"capacity", "map(string, map(string, kubernetes.Quantity))"},       \
			{"allowMultipleAllocations", "bool"},                                \
	}
enum { DEVICE_FIELDS_COUNT = 4 };
static const struct cel_field device_fields[][DEVICE_FIELDS_COUNT] = {
	DEVICE_FIELDS("any"), DEVICE_FIELDS("dyn")};

static uint32_t seen_device_count(const struct cel_value *of)
{
	(void)of;
	return DEVICE_FIELDS_COUNT;
}

static void seen_device_at(
	const struct cel_value *of, uint32_t index, struct cel_value *key, struct cel_value *value)
{
	const struct seen *seen = of->self;
	const struct kube_device_more *more = kube_device_more(seen->slice, seen->device);
	*key = cel_string(text_of(device_fields[0][index].name));
	switch (index) {
	case 0: *value = cel_string(dra_text(seen->run, seen->slice->driver)); break;
	case 1: *value = cel_host_map(&domains_host, seen, 0); break;
	case 2: *value = cel_host_map(&domains_host, seen, 1); break;
	default: *value = cel_bool(more != NULL && more->is_shared != 0);
	}
}

static bool seen_device_find(
	const struct cel_value *of, const struct cel_value *key, struct cel_value *value)
{
	for (uint32_t i = 0; key->kind == CEL_STRING && i < DEVICE_FIELDS_COUNT; i++) {
		struct cel_value name;
		if (!text_is_z((struct text){key->text, key->size}, device_fields[0][i].name))
			continue;
		seen_device_at(of, i, &name, value);
		return true;
	}
	return false;
}

static const struct cel_host device_host = {seen_device_count, seen_device_at, seen_device_find};
static const struct cel_object objects[] = {
	{"kubernetes.DRADevice", device_fields[0], DEVICE_FIELDS_COUNT},
	{"kubernetes.DRADevice", device_fields[1], DEVICE_FIELDS_COUNT}};
static const struct cel_field variables[] = {{"device", "kubernetes.DRADevice"}};

/* ---- programs ---- */

/* NULL with the errors in run->error, or out of scratch. It lives in `keep`. */
static const struct cel_program *compile(
	struct dra_run *run, uint32_t expression, struct scratch *keep)
{
	const struct cel_declarations declarations = {.variables = variables,
		.variables_count = ARRAY_COUNT(variables),
		.objects = &objects[run->features.names_device],
		.objects_count = 1};
	char bytes[TEXT_SIZE];
	struct writer errors;
	writer_init(&errors, bytes, sizeof(bytes));
	const struct cel_program *program =
		cel_compile(&declarations, dra_text(run, expression), run->scratch, keep, &errors);
	struct text type = program == NULL ? TEXT_NONE : cel_result_type(program);
	if (program == NULL)
		(void)dra_fail(run, "%.*s", TEXT_ARGS(writer_text(&errors)));
	else if (text_is_z(type, "bool") ||
		text_is_z(type, run->features.names_device ? "dyn" : "any"))
		return program;
	else
		(void)dra_fail(run, "must evaluate to bool or the unknown type, not %.*s",
			TEXT_ARGS(type));
	return NULL;
}

/* Compiled twice: to see how much memory it takes, and into just that. */
static const struct cel_program *compile_to_keep(
	struct dra_run *run, uint32_t expression, uint32_t *handle)
{
	struct scratch_mark mark = scratch_mark(run->scratch);
	size_t room = dra_text(run, expression).size * 64 + 8192;
	void *block = scratch_take(run->scratch, room < COMPILE_KEEP_MAX ? room : COMPILE_KEEP_MAX);
	if (block == NULL)
		return NULL;
	struct scratch keep;
	scratch_init(&keep, block, room < COMPILE_KEEP_MAX ? room : COMPILE_KEEP_MAX);
	if (compile(run, expression, &keep) == NULL) {
		const char *error = run->error;
		struct text said = error == NULL ? TEXT_NONE : text_of(error);
		char bytes[TEXT_SIZE];
		struct writer w;
		writer_init(&w, bytes, sizeof(bytes));
		write_text(&w, text_first(said, said.size < TEXT_SIZE ? said.size : TEXT_SIZE - 1));
		scratch_rewind(run->scratch, mark);
		(void)dra_fail(run, "%.*s", TEXT_ARGS(writer_text(&w)));
		return NULL;
	}
	size_t size = keep.used + 32;
	scratch_rewind(run->scratch, mark);
	*handle = store_take_aligned(&run->cache->store, size, 16);
	if (*handle == 0)
		return NULL;
	scratch_init(&keep, store_at(&run->cache->store, *handle), size);
	const struct cel_program *program = compile(run, expression, &keep);
	CHECK(program != NULL || run->scratch->overflowed);
	if (program == NULL)
		store_give(&run->cache->store, *handle);
	return program;
}

static void drop_program(struct dra *dra, struct program *program)
{
	if (program->expression == 0)
		return;
	if (program->compiled != NULL)
		store_give(&dra->cache->store, program->handle);
	intern_give(&dra->cache->strings, program->expression);
	*program = (struct program){0};
}

/* NULL: it is wrong (run->error says how), or there is no memory for it (NULL). */
static const struct program *program_of(struct dra_run *run, uint32_t expression)
{
	struct dra *dra = run->dra;
	struct program *oldest = &dra->programs[0];
	run->error = NULL;
	for (uint32_t i = 0; i < PROGRAMS; i++) {
		struct program *program = &dra->programs[i];
		if (program->expression == expression) {
			program->used = ++dra->clock;
			return program;
		}
		if (program->used < oldest->used)
			oldest = program;
	}
	uint32_t handle = 0;
	const struct cel_program *compiled = compile_to_keep(run, expression, &handle);
	dra->compiled++;
	if (compiled == NULL)
		return NULL;
	drop_program(dra, oldest);
	intern_keep(&dra->cache->strings, expression);
	*oldest = (struct program){.expression = expression,
		.handle = handle,
		.compiled = compiled,
		.serial = ++dra->serials,
		.used = ++dra->clock};
	return oldest;
}

/* ---- evaluation ---- */

/* Every attribute must be one that can be shown, whether it is asked for or not. */
static bool see_device(struct dra_run *run, struct seen *seen)
{
	const struct kube_device *device = seen->device;
	const struct kube_attribute *attributes =
		KUBE_AT(seen->slice, device->attributes, struct kube_attribute);
	const struct kube_capacity *capacities =
		KUBE_AT(seen->slice, device->capacities, struct kube_capacity);
	seen->versions = SCRATCH_ARRAY(
		run->scratch, struct cel_semver, (size_t)device->attributes.count + 1);
	seen->capacities =
		SCRATCH_ARRAY(run->scratch, struct quantity, (size_t)device->capacities.count + 1);
	seen->first[0] =
		SCRATCH_ARRAY(run->scratch, uint32_t, (size_t)device->attributes.count + 1);
	seen->first[1] =
		SCRATCH_ARRAY(run->scratch, uint32_t, (size_t)device->capacities.count + 1);
	if (run->scratch->overflowed)
		return false;
	for (uint32_t i = 0; i < device->attributes.count; i++) {
		struct cel_value value;
		struct text name = dra_text(run, attributes[i].name);
		if (attributes[i].kind == KUBE_ATTRIBUTE_UNKNOWN) {
			(void)dra_fail(run, "attribute %.*s: unsupported attribute value",
				TEXT_ARGS(name));
			return false;
		}
		if (attributes[i].kind == KUBE_ATTRIBUTE_VERSION &&
			!cel_semver_value(dra_text(run, (uint32_t)attributes[i].value),
				&seen->versions[i], &value)) {
			(void)dra_fail(run, "attribute %.*s: parse semantic version: %.*s",
				TEXT_ARGS(name),
				TEXT_ARGS(dra_text(run, (uint32_t)attributes[i].value)));
			return false;
		}
	}
	for (uint32_t i = 0; i < device->capacities.count; i++)
		seen->capacities[i] = kube_amount_of(&run->cache->strings, capacities[i].value);
	return true;
}

static enum dra_verdict judge_value(
	struct dra_run *run, const struct cel_value *value, struct writer *out)
{
	if (value->kind == CEL_BOOL)
		return value->truth ? DRA_FITS : DRA_NONE;
	if (value->kind == CEL_ERROR) {
		cel_print_error(value, out);
		if (run->features.names_device &&
			text_starts(writer_text(out), TEXT("no such key:")))
			write_z(out,
				". consider using CEL optional chaining (.? followed by orValue()) "
				"or guarding the check with has() for optional fields");
	} else {
		write_z(out, "CEL result could not be converted to bool: ");
		cel_print(value, out);
	}
	return DRA_ERROR;
}

/* On DRA_ERROR run->error has the expression's own error, or is NULL when there is no memory. */
static enum dra_verdict evaluate(struct dra_run *run, const struct cel_program *program,
	const struct kube_slice *slice, const struct kube_device *device)
{
	char bytes[TEXT_SIZE];
	struct writer out;
	struct scratch_mark mark = scratch_mark(run->scratch);
	struct seen seen = {.run = run, .slice = slice, .device = device};
	writer_init(&out, bytes, sizeof(bytes));
	run->error = NULL;
	if (!see_device(run, &seen))
		return DRA_ERROR;
	const struct cel_value value = cel_host_map(&device_host, &seen, 0);
	uint64_t cost = 0;
	struct cel_value result = cel_evaluate(program, &value, CEL_COST_MAX, run->scratch, &cost);
	enum dra_verdict verdict = judge_value(run, &result, &out);
	scratch_rewind(run->scratch, mark);
	if (run->dra != NULL)
		run->dra->evaluated++;
	run->steps -= (int64_t)(cost / COST_PER_STEP);
	if (verdict == DRA_ERROR)
		(void)dra_fail(run, "%.*s", TEXT_ARGS(writer_text(&out)));
	return verdict;
}

/* ---- what was said before ---- */

/* NULL: there is no memory. What it said of another slice, or for another expression, is gone. */
static struct verdicts *verdicts_of(
	struct dra_run *run, const struct program *program, uint32_t slice)
{
	struct dra *dra = run->dra;
	const struct cache_object *object =
		pool_at(&run->cache->objects, cache_slice_at(run->cache, slice)->object);
	uint32_t wanted = 64;
	while (wanted < dra->verdict_max && wanted < pool_used(&run->cache->devices.slices) * 8)
		wanted *= 2;
	if (dra->verdict_count < wanted &&
		page_span_reach(&dra->span, wanted * sizeof(struct verdicts))) {
		memset(dra->verdicts, 0, wanted * sizeof(struct verdicts));
		dra->verdict_count = wanted;
	}
	if (dra->verdict_count == 0)
		return NULL;
	uint32_t hash = hash_pair((uint32_t)program->serial, slice);
	struct verdicts *set = &dra->verdicts[hash & (dra->verdict_count - VERDICT_WAYS)];
	struct verdicts *v = &set[hash >> 30];
	for (uint32_t i = 0; i < VERDICT_WAYS; i++) {
		if (set[i].program == program->serial && set[i].slice == slice) {
			v = &set[i];
			break;
		}
		if (set[i].program == 0)
			v = &set[i];
	}
	if (v->program != program->serial || v->slice != slice || v->handle != object->handle ||
		v->version != object->version)
		*v = (struct verdicts){.program = program->serial,
			.slice = slice,
			.handle = object->handle,
			.version = object->version};
	return v;
}

static enum dra_verdict ask_program(struct dra_run *run, const struct program *program,
	const struct dra_slice *slice, uint32_t device)
{
	const struct kube_device *list =
		KUBE_AT(slice->facts, slice->facts->devices, struct kube_device);
	struct verdicts *v =
		device < VERDICT_DEVICES ? verdicts_of(run, program, slice->slice) : NULL;
	uint32_t shift = device % 4 * 2;
	enum said said = v == NULL ? SAID_NOTHING : (enum said)(v->said[device / 4] >> shift & 3);
	if (said != SAID_NOTHING)
		return said == SAID_YES ? DRA_FITS : DRA_NONE;
	enum dra_verdict verdict = evaluate(run, program->compiled, slice->facts, &list[device]);
	if (v != NULL && verdict != DRA_ERROR)
		v->said[device / 4] |=
			(uint8_t)((verdict == DRA_FITS ? SAID_YES : SAID_NO) << shift);
	return verdict;
}

/* Without memory for more than this decision: compiled each time. */
static enum dra_verdict ask_once(struct dra_run *run, uint32_t expression,
	const struct dra_slice *slice, uint32_t device, bool *compiles)
{
	const struct kube_device *list =
		KUBE_AT(slice->facts, slice->facts->devices, struct kube_device);
	struct scratch_mark mark = scratch_mark(run->scratch);
	size_t room = dra_text(run, expression).size * 64 + 8192;
	void *block = scratch_take(run->scratch, room);
	struct scratch keep;
	*compiles = false;
	if (block == NULL)
		return DRA_ERROR;
	scratch_init(&keep, block, room);
	const struct cel_program *program = compile(run, expression, &keep);
	*compiles = program != NULL;
	if (program == NULL)
		return DRA_ERROR;
	enum dra_verdict verdict = evaluate(run, program, slice->facts, &list[device]);
	if (verdict != DRA_ERROR)
		scratch_rewind(run->scratch, mark);
	return verdict;
}

/* ---- all selectors ---- */

static enum dra_verdict fail_selector(struct dra_run *run, const struct dra_claim *claim,
	const struct kube_device_class *class, uint32_t number, const struct dra_slice *slice,
	uint32_t device, bool compiles)
{
	const struct kube_device *list =
		KUBE_AT(slice->facts, slice->facts->devices, struct kube_device);
	const char *error = run->error == NULL ? "out of memory" : run->error;
	char of[512];
	char on[512];
	struct writer w;
	writer_init(&w, of, sizeof(of));
	if (class != NULL)
		write_format(&w, "class %.*s", TEXT_ARGS(dra_text(run, class->name)));
	else
		write_format(
			&w, "claim %.*s/%.*s", TEXT_ARGS(claim->namespace), TEXT_ARGS(claim->name));
	struct text subject = writer_text(&w);
	writer_init(&w, on, sizeof(on));
	if (run->features.names_device && compiles)
		write_format(&w, " on device " DRA_DEVICE,
			DRA_DEVICE_ARGS(run, slice->facts, &list[device]));
	return dra_fail(run, "%.*s: selector #%u%.*s: CEL %s error: %s", TEXT_ARGS(subject),
		(unsigned)number, TEXT_ARGS(writer_text(&w)), compiles ? "runtime" : "compile",
		error);
}

static enum dra_verdict ask_all(struct dra_run *run, const struct dra_claim *claim,
	const struct kube_device_class *class, const uint32_t *expressions, uint32_t count,
	const struct dra_slice *slice, uint32_t device)
{
	for (uint32_t i = 0; i < count; i++) {
		bool compiles = true;
		enum dra_verdict verdict;
		const struct program *program = NULL;
		if (run->dra != NULL) {
			program = program_of(run, expressions[i]);
			compiles = program != NULL || run->error == NULL;
		}
		if (program != NULL)
			verdict = ask_program(run, program, slice, device);
		else
			verdict = !compiles
				? DRA_ERROR
				: ask_once(run, expressions[i], slice, device, &compiles);
		if (verdict == DRA_ERROR)
			return fail_selector(run, claim, class, i, slice, device, compiles);
		if (verdict != DRA_FITS)
			return verdict;
	}
	return DRA_FITS;
}

enum dra_verdict dra_selects(struct dra_run *run, const struct dra_claim *claim,
	const struct dra_ask *ask, const struct dra_slice *slice, uint32_t device)
{
	const uint32_t *of_class = KUBE_AT(ask->class, ask->class->selectors, uint32_t);
	enum dra_verdict verdict = ask_all(
		run, claim, ask->class, of_class, ask->class->selectors.count, slice, device);
	return verdict != DRA_FITS
		? verdict
		: ask_all(run, claim, NULL, ask->selectors, ask->selector_count, slice, device);
}
