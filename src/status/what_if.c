/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What if there were this pod? It is put into the picture as one that is only imagined, decided
 * about and taken out again within one call: no change is logged, so the queue never sees it, and
 * nothing is written. What is remembered of classes and counts may stay as long as there is room;
 * it is right for others as well.
 */
#include "kube/quantity.h"
#include "status/private.h"
#include "yaml/yaml.h"

struct wish {
	struct status_answer *a;
	struct scratch *scratch;
	struct yaml_node *root;
	struct kube_build build;
	struct kube_pod pod;
	struct json_value value;
	enum json_parse_result parsed;
	char name[320];
};

static bool read_tree(struct wish *wish)
{
	const struct status *status = wish->a->status;
	const struct text body = {status->body, status->body_size};
	struct yaml_fault fault = {0};
	enum yaml_result result = yaml_read(body, wish->scratch, &wish->root, &fault);
	if (result == YAML_DOCUMENT && wish->root->kind == YAML_MAP)
		return true;
	if (result == YAML_DOCUMENT)
		status_refuse(wish->a, 400, "line 1: not an object");
	else if (result == YAML_END)
		status_refuse(wish->a, 400, "line 1: no document");
	else
		status_refuse(wish->a, 400, "line %u: %s", (unsigned)fault.line, fault.what);
	return false;
}

struct place {
	struct text field;
	uint32_t depth;
	uint32_t line;
};

/* What a list of amounts has for a quantity and is none. */
static const struct yaml_node *broken_amount(const struct yaml_node *amounts)
{
	struct quantity quantity;
	const struct yaml_node *amount = amounts->kind == YAML_MAP ? amounts->first : NULL;
	while (amount != NULL && quantity_parse(amount->text, &quantity) == QUANTITY_OK)
		amount = amount->next;
	return amount;
}

/*
 * Where the field is, or as far as it is there. Of a list the decoder does not say which element
 * it was: the first, unless an amount of another cannot be read. True: it can be no other.
 */
static bool find_place(
	const struct yaml_node *node, struct text rest, uint32_t depth, struct place *place)
{
	struct text part;
	char key[64];
	for (const struct yaml_node *n = node->kind == YAML_LIST ? node->first : NULL; n != NULL;
		n = n->next)
		if (find_place(n, rest, depth, place))
			return true;
	if (node->kind == YAML_LIST)
		return false;
	if (!text_cut(&rest, '.', &part)) {
		const struct yaml_node *broken = text_ends(place->field, TEXT(".requests")) ||
				text_ends(place->field, TEXT(".limits"))
			? broken_amount(node)
			: NULL;
		if (broken != NULL)
			place->line = broken->key->line;
		return broken != NULL;
	}
	const struct yaml_node *member =
		text_copy(part, key, sizeof(key)) ? yaml_get(node, key) : NULL;
	if (member == NULL)
		return false;
	if (depth >= place->depth) {
		place->depth = depth + 1;
		place->line = member->key->line;
	}
	return find_place(member, rest, depth + 1, place);
}

static uint32_t line_of(const struct yaml_node *root, const char *field)
{
	struct place place = {.field = text_of(field), .line = root->line};
	(void)find_place(root, place.field, 0, &place);
	return place.line;
}

static bool what_if_on_piece(void *self, struct json_piece piece)
{
	struct wish *wish = self;
	if (piece.kind == JSON_PIECE_LINE)
		wish->parsed = json_parse(piece.text, wish->scratch, &wish->value);
	return false;
}

static bool read_json(struct wish *wish)
{
	struct scratch *scratch = wish->scratch;
	struct yaml_fault fault = {0};
	size_t size = json_cut_size(2 * STATUS_BODY_MAX);
	char *to = scratch_take(scratch, 2 * STATUS_BODY_MAX);
	void *block = scratch_take(scratch, size);
	struct writer w;
	if (block == NULL) {
		status_refuse(wish->a, 413, "the pod is too large for a what-if request");
		return false;
	}
	writer_init(&w, to, 2 * STATUS_BODY_MAX);
	if (!yaml_write_json(wish->root, &w, &fault)) {
		status_refuse(wish->a, 400, "line %u: %s", (unsigned)fault.line, fault.what);
		return false;
	}
	struct json_cut *cut = json_cut_init(block, size, 2 * STATUS_BODY_MAX);
	wish->parsed = JSON_PARSE_BROKEN;
	json_cut_start(cut, JSON_CUT_LINES, kube_pod_want, NULL, what_if_on_piece, wish);
	enum json_cut_result result = json_cut_feed(cut, writer_text(&w));
	if (wish->parsed == JSON_PARSED)
		return true;
	if (wish->parsed == JSON_PARSE_FULL || w.overflowed)
		status_refuse(wish->a, 413, "the pod is too large for a what-if request");
	else
		status_refuse(wish->a, 400, "line 1: %s",
			result == JSON_CUT_BROKEN ? json_cut_fault(cut) : "not an object");
	return false;
}

static bool what_if_decode(struct wish *wish)
{
	const struct yaml_node *kind = yaml_get(wish->root, "kind");
	struct kube_build *b = &wish->build;
	if (kind == NULL || !text_is_z(kind->text, "Pod")) {
		status_refuse(wish->a, 400, "line %u: kind: must be Pod",
			(unsigned)(kind != NULL ? kind->line : wish->root->line));
		return false;
	}
	kube_build_init(b, &wish->a->status->s->cache.strings, wish->scratch);
	switch (kube_pod_decode(b, wish->value, &wish->pod)) {
	case KUBE_OK: return true;
	case KUBE_FULL:
		status_refuse(wish->a, 507, "not enough memory for the pod; raise --memory");
		return false;
	case KUBE_MALFORMED: break;
	}
	status_refuse(wish->a, 400, "line %u: %s: %s",
		(unsigned)line_of(wish->root, b->fault_field), b->fault_field, b->fault_reason);
	return false;
}

/* Nobody's name, so that a pod that is there can be asked about as well. */
static void make_it_wait(struct wish *wish)
{
	struct kube_pod *pod = &wish->pod;
	struct writer w;
	writer_init(&w, wish->name, sizeof(wish->name));
	write_text(&w, pod->meta.name);
	write_format(&w, " (what if %llu)", (unsigned long long)++wish->a->status->what_ifs);
	pod->meta.name = writer_text(&w);
	pod->meta.uid = writer_text(&w);
	pod->meta.resource_version = TEXT("1");
	if (pod->meta.namespace.size == 0)
		pod->meta.namespace = TEXT("default");
	pod->meta.deleting = false;
	pod->node_name = pod->nominated_node_name = TEXT_NONE;
	pod->phase = TEXT("Pending");
	pod->has_start_time = false;
	pod->condition_count = 0;
	pod->disruption_target = 0;
}

static bool needs_more_kinds(const struct scheduler *s, const struct kube_pod_template *class)
{
	const struct kube_volume *list = KUBE_AT(class, class->volumes, struct kube_volume);
	for (uint32_t i = 0; i < class->volumes.count; i++)
		if ((list[i].kind == KUBE_VOLUME_CLAIM || list[i].kind == KUBE_VOLUME_EPHEMERAL) &&
			(scheduler_kinds_known(s) & WATCH_KIND(KUBE_PVC)) == 0)
			return true;
	return false;
}

static void what_if_decide(struct wish *wish)
{
	struct scheduler *s = wish->a->status->s;
	struct cache *cache = &s->cache;
	uint32_t pod = 0;
	enum cache_result result = cache_put_imagined_pod(cache, &wish->pod, &pod);
	if (result != CACHE_OK || pod == 0)
		status_refuse(wish->a, 507, "the cache is full; raise --memory");
	else if (cycle_profile_of(&s->cycle, pod) == NULL)
		status_refuse(wish->a, 400, "line %u: spec.schedulerName: no profile has this name",
			(unsigned)line_of(wish->root, "spec.schedulerName"));
	else if (needs_more_kinds(s, cache_template_of(cache, cache_pod_at(cache, pod))))
		status_refuse(
			wish->a, 409, "claims are not watched until a pod with a claim exists");
	else
		explain_reply(wish->a, pod);
	if (result == CACHE_OK && pod != 0)
		(void)cache_remove_pod(cache, pod);
}

void what_if_answer(struct status_answer *a)
{
	struct wish wish = {.a = a, .scratch = &a->status->s->scratch};
	struct scratch_mark mark = scratch_mark(wish.scratch);
	if ((scheduler_kinds_known(a->status->s) & SCHEDULER_VITAL_KINDS) !=
		SCHEDULER_VITAL_KINDS) {
		status_refuse(a, 503, "the initial lists are not complete yet");
		return;
	}
	if (!explain_take_words(a))
		return;
	if (read_tree(&wish) && read_json(&wish) && what_if_decode(&wish)) {
		make_it_wait(&wish);
		what_if_decide(&wish);
	}
	scratch_rewind(wish.scratch, mark);
}
