/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selectors of any shape on any labels: the bytes choose keys, operators and values, good and bad
 * ones. What the decoder makes of them must match what the rule says, worked out here on the texts.
 */
// deps: base/*.c json/*.c kube/*.c
// deps: tests/fuzz/fuzz.c
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "kube/decode.h"
#include "kube/kube.h"

enum {
	STRINGS_MAX = 256,
	STORE_SIZE = 64 * 1024,
	ARENA_SIZE = 256 * 1024,
	SCRATCH_SIZE = 32 * 1024,
	KEYS = 5,
	VALUES = 9,
	OPERATORS = 8,
	EXPRESSIONS_MAX = 4,
	EXPRESSION_VALUES_MAX = 3
};

static const struct {
	const char *text;
	bool is_valid;
} keys[KEYS] = {{"a", true}, {"b", true}, {"x.y/c", true}, {"d e", false}, {"/f", false}},
  values[VALUES] = {{"", true}, {"u", true}, {"v", true}, {"5", true}, {"10", true}, {"007", true},
	  {"x y", false}, {"-7", false}, {"V-", false}};
static const char *const operators[OPERATORS] = {
	"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "in", ""};
enum { IN, NOT_IN, EXISTS, DOES_NOT_EXIST, GT, LT };

struct expression {
	uint8_t key, op, count;
	uint8_t values[EXPRESSION_VALUES_MAX];
};

static struct question {
	const uint8_t *at, *end;
	uint8_t labels[KEYS];  /* value plus one; 0: lacks it */
	uint8_t matches[KEYS]; /* matchLabels; the same */
	struct expression expressions[EXPRESSIONS_MAX];
	uint32_t count;
} q;

struct head {
	struct kube_blob blob;
	struct kube_selector selector;
	struct kube_node_term term;
};

static _Alignas(16) uint8_t arena_block[ARENA_SIZE], scratch_block[SCRATCH_SIZE];
static struct intern strings;

static uint8_t take(uint32_t below)
{
	return q.at < q.end ? (uint8_t)(*q.at++ % below) : 0;
}

static void draw(void)
{
	for (uint32_t k = 0; k < KEYS; k++)
		q.labels[k] = take(VALUES + 1);
	for (uint32_t k = 0; k < KEYS; k++)
		q.matches[k] = take(3) == 1 ? 1 + take(VALUES) : 0;
	q.count = take(EXPRESSIONS_MAX + 1);
	for (uint32_t i = 0; i < q.count; i++) {
		struct expression *e = &q.expressions[i];
		e->key = take(KEYS);
		e->op = take(OPERATORS);
		e->count = take(EXPRESSION_VALUES_MAX + 1);
		for (uint32_t v = 0; v < e->count; v++)
			e->values[v] = take(VALUES);
	}
}

/* ---- the rule ---- */

static bool number_of(uint32_t value, int64_t *number)
{
	return text_to_i64(text_of(values[value].text), number);
}

static bool is_valid(const struct expression *e, bool of_node)
{
	int64_t number;
	bool ok = keys[e->key].is_valid && e->op <= (of_node ? LT : DOES_NOT_EXIST);

	for (uint32_t v = 0; v < e->count; v++)
		ok = ok && values[e->values[v]].is_valid;
	if (e->op == IN || e->op == NOT_IN)
		return ok && e->count > 0;
	if (e->op == EXISTS || e->op == DOES_NOT_EXIST)
		return ok && e->count == 0;
	return ok && e->count == 1 && number_of(e->values[0], &number);
}

static bool is_met(const struct expression *e)
{
	int64_t has = 0, wants = 0;
	uint32_t label = q.labels[e->key];
	bool among = false;

	for (uint32_t v = 0; v < e->count; v++)
		among |= label == e->values[v] + 1u;
	switch (e->op) {
	case IN: return among;
	case NOT_IN: return !among;
	case EXISTS: return label != 0;
	case DOES_NOT_EXIST: return label == 0;
	default: break;
	}
	if (label == 0 || !number_of(label - 1, &has) || !number_of(e->values[0], &wants))
		return false;
	return e->op == GT ? has > wants : has < wants;
}

/* ---- as JSON, and what the decoder makes of it ---- */

static void write_labels(struct writer *w, const uint8_t *of)
{
	write_char(w, '{');
	for (uint32_t k = 0, n = 0; k < KEYS; k++)
		if (of[k] != 0)
			write_format(w, "%s\"%s\":\"%s\"", n++ > 0 ? "," : "", keys[k].text,
				values[of[k] - 1].text);
	write_char(w, '}');
}

static void write_expressions(struct writer *w)
{
	write_z(w, "\"matchExpressions\":[");
	for (uint32_t i = 0; i < q.count; i++) {
		const struct expression *e = &q.expressions[i];
		write_format(w, "%s{\"key\":\"%s\",\"operator\":\"%s\",\"values\":[",
			i > 0 ? "," : "", keys[e->key].text, operators[e->op]);
		for (uint32_t v = 0; v < e->count; v++)
			write_format(w, "%s\"%s\"", v > 0 ? "," : "", values[e->values[v]].text);
		write_z(w, "]}");
	}
	write_char(w, ']');
}

static struct json_value parse(struct writer *w, struct scratch *scratch)
{
	struct json_value root;

	CHECK(!w->overflowed);
	CHECK(json_parse(writer_text(w), scratch, &root) == JSON_PARSED);
	return root;
}

static void compare(const struct head *head, const struct kube_labels *labels)
{
	const struct kube_node_match node = {&strings, labels, 0, 0};
	bool good = true, met = true, good_node = true;

	for (uint32_t k = 0; k < KEYS; k++)
		if (q.matches[k] != 0) {
			good = good && keys[k].is_valid && values[q.matches[k] - 1].is_valid;
			met = met && q.labels[k] == q.matches[k];
		}
	bool met_node = q.count > 0;
	for (uint32_t i = 0; i < q.count; i++) {
		good = good && is_valid(&q.expressions[i], false);
		good_node = good_node && is_valid(&q.expressions[i], true);
		met = met && is_met(&q.expressions[i]);
		met_node = met_node && is_met(&q.expressions[i]);
	}
	CHECK((head->selector.state == KUBE_SELECTOR_SET) == good);
	CHECK((head->selector.error == 0) == good);
	CHECK(kube_selector_matches(head, &head->selector, labels) == (good && met));
	CHECK((head->term.error == 0) == good_node);
	CHECK(kube_node_term_matches(head, &head->term, &node) == (good_node && met_node));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char texts[3][2048];
	static struct arena arena;
	static struct store store;
	struct kube_build b;
	struct scratch scratch;
	struct writer w[3];

	if (arena.base == NULL) {
		arena_init(&arena, arena_block, sizeof(arena_block));
		store_init(&store, "fuzz", arena_take(&arena, STORE_SIZE), STORE_SIZE);
		intern_init(&strings, &arena, &store, STRINGS_MAX);
	}
	q.at = data;
	q.end = data + size;
	draw();
	for (uint32_t i = 0; i < 3; i++)
		writer_init(&w[i], texts[i], sizeof(texts[i]));
	write_labels(&w[0], q.labels);
	write_z(&w[1], "{\"matchLabels\":");
	write_labels(&w[1], q.matches);
	write_char(&w[1], ',');
	write_expressions(&w[1]);
	write_char(&w[1], '}');
	write_char(&w[2], '{');
	write_expressions(&w[2]);
	write_char(&w[2], '}');

	scratch_init(&scratch, scratch_block, sizeof(scratch_block));
	kube_build_init(&b, &strings, &scratch);
	struct json_value selector = parse(&w[1], &scratch), term = parse(&w[2], &scratch);
	struct kube_labels *labels = kube_labels_build(&b, parse(&w[0], &scratch), "labels");
	struct head *head = kube_build_start(&b, sizeof(*head));
	CHECK(labels != NULL && head != NULL);
	kube_selector_build(&b, selector, &head->selector);
	kube_node_term_build_at(&b, term, NULL, 0, &head->term);
	head = (struct head *)(void *)kube_build_finish(&b);
	CHECK(head != NULL);
	compare(head, labels);
	kube_blob_drop(&head->blob, &strings);
	kube_blob_drop(&labels->blob, &strings);
	CHECK(pool_used(&strings.strings) == 0);
	return 0;
}
