/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tests/compat.md, read: every predicate, priority and flag that it names is tried and becomes what
 * it says; none that there is, is missing; and the rows of each release are complete.
 */
// deps: base/*.c yaml/*.c json/*.c kube/*.c cache/*.c plugins/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
#include "config/options_private.h"
#include "profile/policy_private.h"

#include "profile/scheduler_fixture.h"

enum { PAGE_BYTES = 64 * 1024, CELLS = 4 };

static char page[PAGE_BYTES];
static struct text lines;

struct row {
	struct text cells[CELLS];
	uint32_t count;
};

static void open_page(void)
{
	FILE *file = fopen("tests/compat.md", "rb");
	TEST_ASSERT_NOT_NULL(file);
	size_t size = fread(page, 1, sizeof(page), file);
	fclose(file);
	TEST_ASSERT_LESS_THAN_size_t(sizeof(page), size);
	lines = (struct text){page, size};
}

static struct text trimmed(struct text t)
{
	while (text_starts(t, TEXT(" ")))
		t = text_from(t, 1);
	while (text_ends(t, TEXT(" ")))
		t = text_first(t, t.size - 1);
	return t;
}

static void open_section(const char *title)
{
	struct text line;
	open_page();
	while (text_cut(&lines, '\n', &line))
		if (text_starts(line, TEXT("## ")) && text_is_z(text_from(line, 3), title))
			return;
	TEST_FAIL_MESSAGE(title);
}

/* The next row of the section's table, without its head. */
static bool next_row(struct row *row)
{
	struct text line;
	while (text_cut(&lines, '\n', &line) && !text_starts(line, TEXT("## "))) {
		if (!text_starts(line, TEXT("| ")) || text_ends(line, TEXT("| |")))
			continue;
		struct text rest = text_first(text_from(line, 1), line.size - 2);
		struct text cell;
		row->count = 0;
		while (text_cut(&rest, '|', &cell)) {
			TEST_ASSERT_LESS_THAN_UINT32(CELLS, row->count);
			row->cells[row->count++] = trimmed(cell);
		}
		return true;
	}
	return false;
}

static const char *z(struct text t)
{
	static char words[512];
	snprintf(words, sizeof(words), "%.*s", TEXT_ARGS(t));
	return words;
}

static struct text word_of(const struct row *row)
{
	return row->cells[row->count - 1];
}

/* ---- rules of policies ---- */

static const struct {
	const char *name;
	const char *value;
} arguments[] = {
	{"labelsPresence", "{labels: [a], presence: true}"},
	{"serviceAffinity", "{labels: [a]}"},
	{"requestedToCapacityRatioArguments", "{shape: [{utilization: 0, score: 1}]}"},
	{"labelPreference", "{label: a, presence: true}"},
	{"serviceAntiAffinity", "{label: a}"},
};

/* ", argument: {...}" when the cell has a name in backticks. */
static void write_argument(struct writer *w, struct text cell)
{
	size_t start = text_find(cell, '`');
	if (start == cell.size)
		return;
	struct text name = text_from(cell, start + 1);
	name = text_first(name, text_find(name, '`'));
	for (size_t i = 0; i < ARRAY_COUNT(arguments); i++)
		if (text_is_z(name, arguments[i].name))
			write_format(
				w, ", argument: {%s: %s}", arguments[i].name, arguments[i].value);
}

static void try_rule(const struct row *row, const char *list, struct text name)
{
	char file[512];
	struct writer w;
	writer_init(&w, file, sizeof(file) - 1);
	bool is_any = text_starts(name, TEXT("any name"));
	bool is_predicate = strcmp(list, "predicates") == 0;
	write_format(&w, "kind: Policy\n%s: []\n%s: [{name: %.*s",
		is_predicate ? "priorities" : "predicates", list,
		TEXT_ARGS(is_any ? TEXT("Mine") : name));
	write_z(&w, is_predicate ? "" : ", weight: 3");
	write_argument(&w, row->cells[0]);
	write_z(&w, "}]\n");
	file[w.used] = '\0';
	scratch_reset(&scratch);
	config_faults_init(&faults);
	config_faults_init(&notes);
	enum scheduler_config_result result =
		policy_read_on(text_of(file), &scratch, &config, &faults, &notes);
	TEST_ASSERT_EQUAL_STRING_MESSAGE("", print(&faults), file);
	TEST_ASSERT_EQUAL_MESSAGE(SCHEDULER_CONFIG_OK, result, file);
	TEST_ASSERT_EQUAL_MESSAGE(text_is_z(word_of(row), "told"), notes.count > 0, file);
}

static bool takes_part(enum plugin_point point, struct text name)
{
	const struct scheduler_profile *profile =
		CONFIG_LIST(config.profiles, struct scheduler_profile);
	const struct config_list *enabled = &profile->plugins.sets[point].enabled;
	const struct scheduler_plugin *list = CONFIG_LIST(*enabled, struct scheduler_plugin);
	for (uint32_t i = 0; i < enabled->count; i++)
		if (text_is(list[i].name, name))
			return true;
	return false;
}

static uint32_t parts_of(enum plugin_point point)
{
	const struct scheduler_profile *profile =
		CONFIG_LIST(config.profiles, struct scheduler_profile);
	return profile->plugins.sets[point].enabled.count;
}

/* The plugins before the ';' take part, and no others than the `always` ones. */
static void check_rule(const struct row *row, enum plugin_point point, uint32_t always)
{
	struct text rest = text_first(row->cells[1], text_find(row->cells[1], ';'));
	struct text name;
	uint32_t count = always;
	if (text_is_z(word_of(row), "told"))
		rest = TEXT_NONE;
	while (text_cut(&rest, ',', &name)) {
		name = trimmed(name);
		TEST_ASSERT_TRUE_MESSAGE(takes_part(point, name), z(name));
		count += !text_is_z(name, "TaintToleration") &&
			!text_is_z(name, "NodeUnschedulable");
		count += point == PLUGIN_AT_SCORE && text_is_z(name, "TaintToleration");
	}
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(count, parts_of(point), z(row->cells[0]));
}

static void check_rules(const char *title, const char *list, enum plugin_point point,
	uint32_t always, const struct policy_row *rows, uint32_t row_count)
{
	struct row row;
	uint64_t met = 0;
	open_section(title);
	while (next_row(&row)) {
		struct text rest = row.cells[0];
		struct text name;
		while (text_cut(&rest, ',', &name)) {
			name = trimmed(name);
			try_rule(&row, list, name);
			check_rule(&row, point, always);
			for (uint32_t i = 0; i < row_count; i++)
				met |= (uint64_t)text_is_z(name, rows[i].name) << i;
		}
	}
	for (uint32_t i = 0; i < row_count; i++)
		TEST_ASSERT_TRUE_MESSAGE((met >> i & 1) != 0, rows[i].name);
}

static void test_predicates(void)
{
	check_rules("Policies: predicates", "predicates", PLUGIN_AT_FILTER, 4, policy_predicates,
		policy_predicate_count);
}

static void test_priorities(void)
{
	check_rules("Policies: priorities", "priorities", PLUGIN_AT_SCORE, 0, policy_priorities,
		policy_priority_count);
}

/* ---- versions of configurations ---- */

static void try_version(struct text version, bool is_refused)
{
	char file[256];
	bool is_short = text_find(version, '/') == version.size;
	snprintf(file, sizeof(file), "apiVersion: %s%.*s\nkind: KubeSchedulerConfiguration\n",
		is_short ? SCHEDULER_CONFIG_GROUP "/" : "", TEXT_ARGS(version));
	TEST_ASSERT_EQUAL_MESSAGE(is_refused ? SCHEDULER_CONFIG_BROKEN : SCHEDULER_CONFIG_OK,
		read_text(text_of(file)), file);
}

static void test_versions(void)
{
	struct row row;
	uint32_t versions = 0;
	open_section("Configurations");
	while (next_row(&row)) {
		struct text rest = row.cells[0];
		struct text name;
		if (text_find(rest, ' ') < text_find(rest, ',') || text_is_z(rest, "extenders"))
			continue; /* about a field */
		while (text_cut(&rest, ',', &name)) {
			try_version(trimmed(name), text_is_z(word_of(&row), "refused"));
			versions++;
		}
	}
	TEST_ASSERT_EQUAL_UINT32(6, versions);
}

/* ---- flags ---- */

static const struct option *option_of(struct text name)
{
	TEST_ASSERT_TRUE_MESSAGE(text_starts(name, TEXT("--")), z(name));
	for (uint32_t i = 0; i < option_count; i++)
		if (text_is_z(text_from(name, 2), option_table[i].name))
			return &option_table[i];
	TEST_FAIL_MESSAGE(z(name));
	return NULL;
}

static void test_flags(void)
{
	struct row row;
	uint32_t older = 0;
	open_section("Flags that are gone in v1.36");
	while (next_row(&row)) {
		struct text rest = row.cells[0];
		struct text name;
		while (text_cut(&rest, ',', &name)) {
			const struct option *o = option_of(trimmed(name));
			TEST_ASSERT_EQUAL_MESSAGE(text_is_z(word_of(&row), "told"),
				o->group == OPTION_GROUP_NOTHING, o->name);
			TEST_ASSERT_EQUAL_MESSAGE(text_is_z(word_of(&row), "refused"),
				o->type == OPTION_REFUSED, o->name);
			older += o->group == OPTION_GROUP_OLDER;
		}
	}
	for (uint32_t i = 0; i < option_count; i++)
		older -= option_table[i].group == OPTION_GROUP_OLDER;
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(0, older, "a flag of older releases is not on the page");
}

/* ---- rows of releases ---- */

static bool is_word(struct text word)
{
	static const char *const words[] = {
		"same", "mapped", "told", "refused", "other", "not yet", "not ours"};
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		if (text_is_z(word, words[i]))
			return true;
	return false;
}

static void test_rows_of_releases(void)
{
	static const struct {
		const char *title;
		const char *first;
		uint32_t count;
	} releases[] = {{"v1.0", "3", 49}, {"v1.3", "0", 33}, {"v1.12", "1", 55},
		{"v1.17", "2", 21}, {"v1.20", "4", 22}};
	for (size_t i = 0; i < ARRAY_COUNT(releases); i++) {
		struct row row;
		uint32_t number = 0;
		open_section(releases[i].title);
		while (next_row(&row)) {
			char wanted[16];
			snprintf(wanted, sizeof(wanted), "%s.%u", releases[i].first, ++number);
			TEST_ASSERT_EQUAL_STRING(wanted, z(row.cells[0]));
			TEST_ASSERT_EQUAL_UINT32_MESSAGE(4, row.count, wanted);
			TEST_ASSERT_TRUE_MESSAGE(is_word(word_of(&row)), wanted);
			TEST_ASSERT_TRUE_MESSAGE(row.cells[2].size > 0 ||
					text_is_z(word_of(&row), "same") ||
					text_starts(word_of(&row), TEXT("not")),
				wanted);
		}
		TEST_ASSERT_EQUAL_UINT32(releases[i].count, number);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_predicates);
	RUN_TEST(test_priorities);
	RUN_TEST(test_versions);
	RUN_TEST(test_flags);
	RUN_TEST(test_rows_of_releases);
	return UNITY_END();
}
