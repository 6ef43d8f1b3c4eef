/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects of a dump, one by one: what it is, whether the picture wants it, what is wrong with it.
 *
 * What kube-scheduler would see of the same cluster decides what is left out: pods that have
 * finished (its watch does not select them) and kinds it does not watch. A name that comes twice
 * cannot come from one cluster; the last one counts, as it would in a stream of changes.
 */
#include "command/workload.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/budget.h"
#include "cache/feed.h"
#include "kube/object.h"
#include "kube/passing.h"
#include "kube/time.h"

enum { SUBJECT_MAX = 600 };

const struct json_want dump_list_want[] = {
	{"kind", NULL},
	{"apiVersion", NULL},
	{"lacks", NULL},
	{NULL, NULL},
};

size_t dump_size(const struct dump_limits *limits)
{
	return json_cut_size(DUMP_PIECE_MAX) + DUMP_SCRATCH + DUMP_INPUT +
		((size_t)limits->pods + 1) * sizeof(struct dump_pod) + 256;
}

void dump_init(struct dump *d, struct arena *arena, const struct dump_limits *limits,
	struct cache *cache, struct output *err, struct progress *progress)
{
	*d = (struct dump){.cache = cache, .err = err, .progress = progress, .limits = *limits};
	size_t cut_size = json_cut_size(DUMP_PIECE_MAX);
	d->cut = json_cut_init(arena_take_raw(arena, cut_size), cut_size, DUMP_PIECE_MAX);
	scratch_init(&d->scratch, arena_take_raw(arena, DUMP_SCRATCH), DUMP_SCRATCH);
	d->input = arena_take_raw(arena, DUMP_INPUT);
	d->pods = ARENA_ARRAY(arena, struct dump_pod, limits->pods + 1);
	d->changes_end = &d->changes;
}

/* ---- messages ---- */

static void dump_print_refusal(struct source *s, uint64_t line, const char *severity,
	const char *format, va_list args) PRINTF_LIKE(4, 0);
static void dump_print_refusal(
	struct source *s, uint64_t line, const char *severity, const char *format, va_list args)
{
	char text[OUTPUT_FORMAT_MAX];
	struct writer w;
	struct output *err = s->dump->err;
	writer_init(&w, text, sizeof(text));
	write_format_v(&w, format, args);
	if (w.overflowed)
		write_z(&w, "(message too long)");
	progress_clear(s->dump->progress);
	if (line > 0)
		output_format(err, "berth: %s:%" PRIu64 ": %s", s->name, line, severity);
	else
		output_format(err, "berth: %s: %s", s->name, severity);
	output_text(err, w.overflowed ? TEXT("(name too long)") : writer_text(&w));
	output_z(err, "\n");
	output_flush(err);
}

void dump_broken(struct source *s, uint64_t line, const char *format, ...)
{
	if (++s->dump->broken > DUMP_MESSAGES_MAX)
		return;
	va_list args;
	va_start(args, format);
	dump_print_refusal(s, line, "", format, args);
	va_end(args);
}

void dump_warn(struct source *s, uint64_t line, const char *format, ...)
{
	if (++s->dump->warnings > DUMP_MESSAGES_MAX)
		return;
	va_list args;
	va_start(args, format);
	dump_print_refusal(s, line, "warning: ", format, args);
	va_end(args);
}

enum dump_result dump_unreadable(struct source *s, uint64_t line, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	dump_print_refusal(s, line, "", format, args);
	va_end(args);
	return DUMP_UNREADABLE;
}

/* ---- what an object is ---- */

struct subject {
	struct source *source;
	uint64_t line;
	enum kube_kind kind;
	struct text kind_name;
	struct text namespace; /* "" when the kind has none */
	struct text name;
	struct json_value object;
	bool is_workload;
	char shown[SUBJECT_MAX]; /* "Pod default/web" */
};

static void dump_name_subject(struct subject *o)
{
	struct writer w;
	writer_init(&w, o->shown, sizeof(o->shown) - 1);
	write_text(&w, o->kind_name.size > 0 ? o->kind_name : TEXT("object"));
	if (o->name.size > 0) {
		write_char(&w, ' ');
		write_text(&w, o->namespace);
		if (o->namespace.size > 0)
			write_char(&w, '/');
		write_text(&w, o->name);
	} else {
		write_format(&w, " number %u", o->source->pieces);
	}
	o->shown[w.used] = '\0';
}

/* "policy" of "policy/v1", "" of "v1". */
static struct text dump_group_of(struct text api_version)
{
	size_t slash = text_find(api_version, '/');
	return slash == api_version.size ? TEXT("") : text_first(api_version, slash);
}

/* Other groups have kinds of the same name (a Service of Knative, for one). */
static enum kube_kind dump_kind_of(struct json_value object, struct text name)
{
	enum kube_kind kind = kube_kind_of(name);
	struct text version = json_text(json_get(object, "apiVersion"));
	if (kind == KUBE_NO_KIND || version.size == 0)
		return kind;
	bool same = text_is(
		dump_group_of(version), dump_group_of(text_of(kube_kinds[kind].api_version)));
	return same ? kind : KUBE_NO_KIND;
}

static bool is_list_kind(struct text kind)
{
	struct text item = text_first(kind, kind.size >= 4 ? kind.size - 4 : 0);
	return text_ends(kind, TEXT("List")) &&
		(item.size == 0 || kube_kind_of(item) != KUBE_NO_KIND);
}

void source_set_list_kind(struct source *s, struct text kind)
{
	s->list_kind[0] = '\0';
	if (text_ends(kind, TEXT("List")) &&
		!text_copy(text_first(kind, kind.size - 4), s->list_kind, sizeof(s->list_kind)))
		s->list_kind[0] = '\0';
}

static void count_skipped(struct dump *d, struct text kind)
{
	d->skipped++;
	for (uint32_t i = 0; i < d->skipped_kind_count; i++) {
		struct dump_skipped *skipped = &d->skipped_kinds[i];
		if (text_is_z(kind, skipped->kind)) {
			skipped->count++;
			return;
		}
	}
	if (d->skipped_kind_count == DUMP_SKIPPED_KINDS_MAX)
		return;
	struct dump_skipped *skipped = &d->skipped_kinds[d->skipped_kind_count];
	if (!text_copy(kind, skipped->kind, sizeof(skipped->kind)))
		return; /* counted all the same */
	skipped->count = 1;
	d->skipped_kind_count++;
}

/* ---- into the picture ---- */

static bool dump_is_there(const struct cache *cache, const struct subject *o)
{
	if (o->kind == KUBE_POD)
		return cache_find_pod(cache, o->namespace, o->name) != 0;
	if (o->kind == KUBE_NODE) {
		uint32_t node = cache_find_node(cache, o->name);
		return node != 0 && cache_node_at(cache, node)->facts != NULL;
	}
	uint32_t namespace = INTERN_EMPTY;
	uint32_t name;
	return intern_find(&cache->strings, o->namespace, &namespace) &&
		intern_find(&cache->strings, o->name, &name) &&
		cache_find_object(cache, o->kind, namespace, name) != 0;
}

static bool is_finished(const struct subject *o)
{
	struct text phase = json_text(json_path(o->object, "status.phase"));
	return o->kind == KUBE_POD &&
		(text_is(phase, TEXT("Succeeded")) || text_is(phase, TEXT("Failed")));
}

static bool dump_feed(struct subject *o, struct cache_fed *fed)
{
	struct dump *d = o->source->dump;
	struct scratch_mark mark = scratch_mark(&d->scratch);
	bool fed_well = cache_feed(d->cache, &d->scratch, o->kind, o->object, fed);
	scratch_rewind(&d->scratch, mark);
	return fed_well;
}

/*
 * Which capacity had no room: the one that refuses when the same is tried once more. NULL when it
 * was none of them, but a bound that no amount of memory moves.
 */
static const struct budget *find_full(struct subject *o)
{
	uint64_t refused[BUDGETS_MAX] = {0};
	uint32_t i = 0;
	struct cache_fed again;
	for (const struct budget *b = budget_first(); b != NULL; b = budget_next(b))
		refused[i++] = b->refused;
	(void)dump_feed(o, &again);
	i = 0;
	for (const struct budget *b = budget_first(); b != NULL; b = budget_next(b))
		if (b->refused != refused[i++])
			return b;
	return NULL;
}

/* False: stop. */
static bool no_room(struct subject *o)
{
	struct dump *d = o->source->dump;
	const struct budget *full = find_full(o);
	if (full == NULL) {
		dump_broken(o->source, o->line,
			"%s: refused: bigger than the fixed bounds of an object or a node allow",
			o->shown);
		return true;
	}
	d->full = true;
	(void)dump_unreadable(o->source, o->line,
		"%s: no room for more %s (%" PRIu64
		" %sare there); raise --memory, which is %" PRIu64 "Mi now",
		o->shown, full->name, full->used,
		text_is_z(TEXT("bytes"), full->unit) ? "bytes " : "", d->limits.memory_bytes >> 20);
	return false;
}

static bool dump_put(struct subject *o)
{
	struct dump *d = o->source->dump;
	bool is_double = dump_is_there(d->cache, o);
	/* Of a claim that a cluster has nothing changes: it keeps its volume. */
	if (is_double && o->kind == KUBE_PVC && d->asked_order > 0)
		return true;
	struct cache_fed fed;
	bool fed_well = dump_feed(o, &fed);
	/* A pod of the same version is taken for the same: in a file that is not certain. */
	if (fed_well && is_double && o->kind == KUBE_POD && fed.put == CACHE_UNCHANGED) {
		(void)cache_unfeed(d->cache, o->kind, o->namespace, o->name);
		fed_well = dump_feed(o, &fed);
	}
	if (!fed_well && fed.decoded == KUBE_MALFORMED) {
		dump_broken(o->source, o->line, "%s: %s: %s", o->shown, fed.fault_field,
			fed.fault_reason);
		return true;
	}
	if (!fed_well)
		return no_room(o);
	d->objects += !is_double;
	if (is_double && fed.put != CACHE_UNCHANGED && d->asked_order == 0) {
		d->doubles++;
		dump_warn(o->source, o->line, "%s is given more than once; the last one counts",
			o->shown);
	}
	if (o->kind == KUBE_POD) {
		struct wall created = {0};
		struct text time = json_text(json_path(o->object, "metadata.creationTimestamp"));
		if (!kube_time_parse(time, &created))
			created = (struct wall){0};
		d->pods[fed.index] =
			(struct dump_pod){.created_us = created.us, .order = d->order++};
	}
	return true;
}

/* ---- the pod that is to be explained ---- */

/*
 * Takes the pod off its node: in the piece, spec.nodeName becomes a member that is not read. The
 * piece is canonical, so the key stands right before its value.
 */
static bool take_off(struct subject *o, struct text piece)
{
	static const char key[] = "\"nodeName\":";
	struct dump *d = o->source->dump;
	struct json_value node = json_path(o->object, "spec.nodeName");
	struct text raw = json_raw(node);
	size_t before = sizeof(key) - 1;
	if (json_type(node) != JSON_STRING || raw.size == 2)
		return false;
	if (raw.at == NULL || (size_t)(raw.at - piece.at) < before ||
		memcmp(raw.at - before, key, before) != 0)
		return false;
	char *at = (char *)(uintptr_t)(raw.at - before);
	if (!text_copy(text_first(text_from(raw, 1), raw.size - 2), d->was_on, sizeof(d->was_on)))
		memcpy(d->was_on, "?", 2);
	memcpy(at, "\"was on::\":", before);
	return true;
}

static bool is_wanted_pending(const struct subject *o)
{
	const struct dump *d = o->source->dump;
	return o->kind == KUBE_POD && d->pending_name.size > 0 &&
		text_is(o->name, d->pending_name) && text_is(o->namespace, d->pending_namespace);
}

/* ---- one piece ---- */

static bool dump_parse(struct subject *o, struct text piece)
{
	struct dump *d = o->source->dump;
	scratch_reset(&d->scratch);
	if (json_parse(piece, &d->scratch, &o->object) == JSON_PARSED)
		return true;
	dump_broken(o->source, o->line, "object number %u: more than %d values", o->source->pieces,
		JSON_TOKENS_MAX);
	return false;
}

static void dump_identify(struct subject *o)
{
	struct source *s = o->source;
	o->kind_name = json_text(json_get(o->object, "kind"));
	if (o->kind_name.size == 0)
		o->kind_name = text_of(s->list_kind);
	o->kind = dump_kind_of(o->object, o->kind_name);
	o->name = json_text(json_path(o->object, "metadata.name"));
	o->namespace = json_text(json_path(o->object, "metadata.namespace"));
	if (o->kind != KUBE_NO_KIND && !kube_kinds[o->kind].namespaced)
		o->namespace = TEXT("");
	else if (o->kind != KUBE_NO_KIND && o->namespace.size == 0)
		o->namespace = TEXT("default");
	dump_name_subject(o);
}

/* True when it is an object of a kind that the picture knows. */
static bool is_for_picture(struct subject *o)
{
	struct source *s = o->source;
	struct kube_status status;
	if (json_type(o->object) != JSON_OBJECT) {
		dump_broken(s, o->line, "number %u is not an object", s->pieces);
		return false;
	}
	dump_identify(o);
	o->is_workload = o->name.size > 0 && !s->dump->cache->is_imagining &&
		workload_is_one(o->kind_name, o->object, s->dump->asked_order > 0);
	if (o->kind != KUBE_NO_KIND || o->is_workload)
		return true;
	if (o->kind_name.size == 0) {
		dump_broken(s, o->line, "%s has no kind%s", o->shown,
			s->is_list ? ", and its list names none before its items" : "");
	} else if (kube_status_decode(o->object, &status)) {
		dump_broken(s, o->line, "an answer of the API instead of objects: %.*s",
			TEXT_ARGS(status.message));
	} else if (is_list_kind(o->kind_name) && s->is_list) {
		dump_broken(s, o->line, "%.*s inside of a list: give each list as a file",
			TEXT_ARGS(o->kind_name));
	} else if (is_list_kind(o->kind_name)) {
		dump_broken(s, o->line, "%.*s with more than %d KiB before its items",
			TEXT_ARGS(o->kind_name), DUMP_INPUT >> 10);
	} else {
		count_skipped(s->dump, o->kind_name);
	}
	return false;
}

bool dump_piece(struct source *s, struct json_piece piece)
{
	struct subject o = {.source = s, .line = s->piece_line};
	struct dump *d = s->dump;
	s->pieces++;
	if (piece.kind == JSON_PIECE_TOO_BIG) {
		char name[SUBJECT_MAX];
		struct text known = json_scan_name(piece.text, name, sizeof(name));
		dump_broken(s, o.line, "object %.*s (number %u): more than %d KiB that matter",
			TEXT_ARGS(known), s->pieces, DUMP_PIECE_MAX >> 10);
		return true;
	}
	if (!dump_parse(&o, piece.text) || !is_for_picture(&o))
		return true;
	if (is_finished(&o)) {
		d->finished++;
		(void)cache_unfeed(d->cache, o.kind, o.namespace, o.name);
		return true;
	}
	if (o.is_workload)
		workload_keep(s, o.kind_name, piece.text);
	if (o.is_workload && (o.kind == KUBE_NO_KIND || o.kind == KUBE_POD || o.kind == KUBE_PVC))
		return true;
	if (is_wanted_pending(&o)) {
		d->was_on[0] = '\0';
		while (take_off(&o, piece.text))
			if (!dump_parse(&o, piece.text))
				return true;
		dump_identify(&o);
	}
	return dump_put(&o);
}

/* ---- the end ---- */

static void tell_skipped(struct dump *d)
{
	if (d->skipped == 0)
		return;
	output_z(d->err, "berth: skipped kinds that do not matter here:");
	for (uint32_t i = 0; i < d->skipped_kind_count; i++)
		output_format(d->err, "%s %s (%u)", i == 0 ? "" : ",", d->skipped_kinds[i].kind,
			d->skipped_kinds[i].count);
	if (d->skipped_kind_count == DUMP_SKIPPED_KINDS_MAX)
		output_z(d->err, ", ...");
	output_z(d->err, "\n");
}

/* Pods on nodes that are not in the dump: what they use cannot be counted. */
static void tell_ghosts(struct dump *d)
{
	uint32_t told = 0;
	for (uint32_t i = pool_next(&d->cache->nodes, 0); i != 0;
		i = pool_next(&d->cache->nodes, i)) {
		const struct cache_node *node = cache_node_at(d->cache, i);
		if (node->facts != NULL || node->sums.pods == 0)
			continue;
		d->warnings++;
		if (told++ >= DUMP_MESSAGES_MAX)
			continue;
		const struct cache_pod *pod = cache_pod_at(d->cache, node->first_pod);
		output_format(d->err,
			"berth: warning: node %.*s is not in the dump; pods on it count nowhere: "
			"%.*s/%.*s",
			TEXT_ARGS(cache_text(d->cache, node->name)),
			TEXT_ARGS(
				cache_text(d->cache, cache_template_of(d->cache, pod)->namespace)),
			TEXT_ARGS(cache_text(d->cache, pod->name)));
		if (node->sums.pods > 1)
			output_format(d->err, " and %u more", node->sums.pods - 1);
		output_z(d->err, "\n");
	}
	if (told > DUMP_MESSAGES_MAX)
		output_format(d->err, "berth: warning: %u more nodes are not in the dump\n",
			told - DUMP_MESSAGES_MAX);
}

void dump_end(struct dump *d)
{
	workload_expand(d);
	progress_clear(d->progress);
	if (d->broken > DUMP_MESSAGES_MAX)
		output_format(d->err, "berth: %u more objects are broken\n",
			d->broken - DUMP_MESSAGES_MAX);
	if (d->warnings > DUMP_MESSAGES_MAX)
		output_format(d->err, "berth: %u more warnings like these\n",
			d->warnings - DUMP_MESSAGES_MAX);
	tell_ghosts(d);
	tell_skipped(d);
	output_flush(d->err);
}
