/* SPDX-License-Identifier: GPL-2.0-only */
#include "cel/world.h"

/* ---- the device: domain -> name -> value ---- */

struct item {
	const char *domain; /* one of `domains`: real ones are told apart by a number */
	const char *name;
	struct cel_value value;
};

static struct quantity memory;
static struct cel_semver version;
static struct item items[8];
static const char *const domains[] = {"gpu.example.com", "other.example.com"};

static uint32_t names_count(const struct cel_value *of)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < ARRAY_COUNT(items); i++)
		count += items[i].domain != NULL &&
			(items[i].value.kind == CEL_QUANTITY) == (of->self != items) &&
			of->size < ARRAY_COUNT(domains) && items[i].domain == domains[of->size];
	return count;
}

static bool names_walk(const struct cel_value *of, uint32_t index, const struct cel_value *find,
	struct cel_value *key, struct cel_value *value)
{
	for (uint32_t i = 0; i < ARRAY_COUNT(items); i++) {
		if (items[i].domain == NULL || of->size >= ARRAY_COUNT(domains) ||
			(items[i].value.kind == CEL_QUANTITY) != (of->self != items) ||
			items[i].domain != domains[of->size])
			continue;
		if (find != NULL ? find->kind == CEL_STRING &&
					text_is_z((struct text){find->text, find->size},
						items[i].name)
				 : index-- == 0) {
			*key = cel_string(text_of(items[i].name));
			*value = items[i].value;
			return true;
		}
	}
	return false;
}

static void names_at(
	const struct cel_value *of, uint32_t index, struct cel_value *key, struct cel_value *value)
{
	CHECK(names_walk(of, index, NULL, key, value));
}

static bool names_find(
	const struct cel_value *of, const struct cel_value *key, struct cel_value *value)
{
	struct cel_value found;

	return names_walk(of, 0, key, &found, value);
}

static const struct cel_host names_host = {names_count, names_at, names_find};

static uint32_t domains_count(const struct cel_value *of)
{
	(void)of;
	return ARRAY_COUNT(domains);
}

static void domains_at(
	const struct cel_value *of, uint32_t index, struct cel_value *key, struct cel_value *value)
{
	*key = cel_string(text_of(domains[index]));
	*value = cel_host_map(&names_host, of->self, index);
}

/* A domain that is not there is an empty map, as for real devices. */
static bool domains_find(
	const struct cel_value *of, const struct cel_value *key, struct cel_value *value)
{
	uint32_t at = 0;

	while (at < ARRAY_COUNT(domains) &&
		!(key->kind == CEL_STRING &&
			text_is_z((struct text){key->text, key->size}, domains[at])))
		at++;
	*value = cel_host_map(&names_host, of->self, at);
	return true;
}

static const struct cel_host domains_host = {domains_count, domains_at, domains_find};

static const char *const device_names[] = {
	"driver", "attributes", "capacity", "allowMultipleAllocations"};

static uint32_t device_count(const struct cel_value *of)
{
	(void)of;
	return 4;
}

static void device_at(
	const struct cel_value *of, uint32_t index, struct cel_value *key, struct cel_value *value)
{
	(void)of;
	*key = cel_string(text_of(device_names[index]));
	switch (index) {
	case 0: *value = cel_string(TEXT("gpu.example.com")); break;
	case 1: *value = cel_host_map(&domains_host, items, 0); break;
	case 2: *value = cel_host_map(&domains_host, &memory, 0); break;
	default: *value = cel_bool(false);
	}
}

static bool device_find(
	const struct cel_value *of, const struct cel_value *key, struct cel_value *value)
{
	for (uint32_t i = 0; i < 4 && key->kind == CEL_STRING; i++) {
		struct cel_value name;

		if (!text_is_z((struct text){key->text, key->size}, device_names[i]))
			continue;
		device_at(of, i, &name, value);
		return true;
	}
	return false;
}

static const struct cel_host device_host = {device_count, device_at, device_find};

/* ---- a list that lives elsewhere ---- */

static uint32_t numbers_count(const struct cel_value *of)
{
	return of->size;
}

static void numbers_at(
	const struct cel_value *of, uint32_t index, struct cel_value *key, struct cel_value *value)
{
	(void)of;
	*key = CEL_VALUE_NULL;
	*value = cel_int(index + 1);
}

static const struct cel_host numbers_host = {.count = numbers_count, .at = numbers_at};

/* ---- */

static const struct cel_field device_fields[] = {{"driver", "string"},
	{"attributes", "map(string, map(string, any))"},
	{"capacity", "map(string, map(string, kubernetes.Quantity))"},
	{"allowMultipleAllocations", "bool"}};
static const struct cel_object objects[] = {
	{"kubernetes.DRADevice", device_fields, ARRAY_COUNT(device_fields)}};
static const struct cel_field fields[] = {{"device", "kubernetes.DRADevice"}, {"i", "int"},
	{"u", "uint"}, {"d", "double"}, {"s", "string"}, {"y", "bytes"}, {"t", "bool"},
	{"x", "dyn"}, {"numbers", "list(int)"}, {"many", "list(int)"}};
static const struct cel_declarations declarations = {.variables = fields,
	.variables_count = ARRAY_COUNT(fields),
	.objects = objects,
	.objects_count = ARRAY_COUNT(objects)};
static struct cel_value variables[ARRAY_COUNT(fields)];

static void world_add(uint32_t at, const char *domain, const char *name, struct cel_value value)
{
	items[at] = (struct item){domain, name, value};
}

void world_init(struct world *w)
{
	static _Alignas(16) uint8_t work[WORLD_WORK];
	static _Alignas(16) uint8_t keep[WORLD_KEEP];
	static _Alignas(16) uint8_t scratch[WORLD_SCRATCH];
	struct cel_value value;

	*w = (struct world){.declarations = &declarations, .variables = variables};
	scratch_init(&w->work, work, sizeof(work));
	scratch_init(&w->keep, keep, sizeof(keep));
	scratch_init(&w->scratch, scratch, sizeof(scratch));
	CHECK(quantity_parse(TEXT("16Gi"), &memory) == QUANTITY_OK);
	CHECK(cel_semver_value(TEXT("1.6.0"), &version, &value));
	world_add(0, domains[0], "model", cel_string(TEXT("a1")));
	world_add(1, domains[0], "cores", cel_int(4));
	world_add(2, domains[0], "ecc", cel_bool(true));
	world_add(3, domains[0], "driverVersion", value);
	world_add(4, domains[0], "memory", cel_quantity(&memory));
	world_add(5, domains[1], "x", cel_int(1));
	variables[0] = cel_host_map(&device_host, items, 0);
	variables[1] = cel_int(7);
	variables[2] = cel_uint(8);
	variables[3] = cel_double(1.5);
	variables[4] = cel_string(TEXT("text"));
	variables[5] = (struct cel_value){.kind = CEL_BYTES, .size = 3, .text = "abc"};
	variables[6] = cel_bool(true);
	variables[7] = cel_int(9);
	variables[8] = cel_host_list(&numbers_host, NULL, 5);
	variables[9] = cel_host_list(&numbers_host, NULL, 10000);
}

const struct cel_program *world_compile(struct world *w, struct text source)
{
	struct writer out;
	const struct cel_program *program;

	writer_init(&out, w->text, sizeof(w->text) - 1);
	scratch_reset(&w->keep);
	program = cel_compile(w->declarations, source, &w->work, &w->keep, &out);
	CHECK(w->work.used == 0);
	w->text[out.used] = '\0';
	return program;
}

const char *world_answer(struct world *w, struct text source, uint64_t cost_max, uint64_t *cost)
{
	static char text[sizeof(w->text) + 16];
	const struct cel_program *program = world_compile(w, source);
	struct writer out;
	struct cel_value value;

	writer_init(&out, text, sizeof(text) - 1);
	if (program == NULL) {
		CHECK(w->keep.used == 0);
		write_z(&out, "refused: ");
		write_z(&out, w->text);
	} else {
		scratch_reset(&w->scratch);
		value = cel_evaluate(program, w->variables, cost_max, &w->scratch, cost);
		write_z(&out, value.kind == CEL_ERROR ? "error: " : "");
		cel_print(&value, &out);
	}
	text[out.used] = '\0';
	return out.overflowed ? "(too long to print)" : text;
}
