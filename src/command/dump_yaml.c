/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * YAML of a dump: each document as a tree, each object of it as JSON through the same cutter that
 * reads JSON.
 *
 * A document is held whole, at about ten times its size, in address space that is as large as the
 * budget and given back afterwards. Dumps of large clusters had better be JSON.
 */
#include <string.h>

#include "base/memory.h"
#include "command/dump_private.h"
#include "command/sniff.h"
#include "yaml/yaml.h"

enum {
	TEXT_SHARE = 8,      /* the file may have an eighth of the budget */
	OBJECT_MAX = 4 << 20 /* JSON of one object, nothing left out yet */
};

struct reading {
	struct source *source;
	struct text text;
	struct scratch scratch;
	char *object;
};

static bool dump_yaml_on_piece(void *self, struct json_piece piece)
{
	(void)dump_piece(self, piece); /* no room: dump.full says so */
	return false;
}

/* False: stop. */
static bool read_object(struct reading *r, const struct yaml_node *node)
{
	struct source *s = r->source;
	struct writer w;
	struct yaml_fault fault = {0};
	s->piece_line = node->line;
	writer_init(&w, r->object, OBJECT_MAX);
	if (!yaml_write_json(node, &w, &fault)) {
		s->pieces++;
		dump_broken(s, fault.line, "%s", fault.what);
		return true;
	}
	if (w.overflowed) {
		s->pieces++;
		dump_broken(s, node->line, "object number %u: more than %d KiB", s->pieces,
			OBJECT_MAX >> 10);
		return true;
	}
	json_cut_start(s->dump->cut, JSON_CUT_LINES, kube_any_want, NULL, dump_yaml_on_piece, s);
	if (json_cut_feed(s->dump->cut, writer_text(&w)) == JSON_CUT_BROKEN) {
		s->pieces++;
		dump_broken(s, node->line, "object number %u: %s", s->pieces,
			json_cut_fault(s->dump->cut));
	}
	return !s->dump->full;
}

static bool dump_yaml_read_document(struct reading *r, const struct yaml_node *root)
{
	struct source *s = r->source;
	const struct yaml_node *items = yaml_get(root, "items");
	const struct yaml_node *kind = yaml_get(root, "kind");
	s->pieces = 0;
	source_set_list_kind(s, TEXT_NONE);
	if (root->kind == YAML_NULL)
		return true;
	if (root->kind != YAML_MAP && root->kind != YAML_LIST) {
		dump_broken(s, root->line,
			"%s where an object should be: neither JSON nor YAML "
			"of Kubernetes",
			yaml_kind_name(root->kind));
		return true;
	}
	if (root->kind == YAML_MAP && items == NULL)
		return read_object(r, root);
	if (root->kind == YAML_LIST)
		items = root;
	else if (kind != NULL)
		source_set_list_kind(s, kind->text);
	for (const struct yaml_node *item = items->first; item != NULL; item = item->next)
		if (!read_object(r, item))
			return false;
	return true;
}

static enum dump_result read_documents(struct reading *r, struct yaml_reader *yaml)
{
	struct source *s = r->source;
	for (;;) {
		struct yaml_node *root;
		struct yaml_fault fault = {0};
		struct scratch_mark mark = scratch_mark(&r->scratch);
		enum yaml_result result = yaml_next(yaml, &r->scratch, &root, &fault);
		if (result == YAML_END)
			return DUMP_READ;
		if (result == YAML_BROKEN && r->scratch.overflowed)
			return dump_unreadable(s, fault.line,
				"too much YAML at once; JSON needs less, or raise --memory");
		if (result == YAML_BROKEN)
			return dump_unreadable(s, fault.line, "not YAML: %s", fault.what);
		if (!dump_yaml_read_document(r, root))
			return DUMP_FULL;
		scratch_rewind(&r->scratch, mark);
	}
}

/* The rest of the file, all of it. False: too large, or a read failed. */
static bool read_text(struct reading *r, char *to, size_t room)
{
	struct source *s = r->source;
	size_t used = 0;
	do {
		struct text left = source_left(s);
		if (left.size > room - used)
			return false;
		memcpy(to + used, left.at, left.size);
		used += left.size;
		s->start = s->end;
	} while (source_fill(s));
	r->text = (struct text){to, used};
	return s->error == 0;
}

static enum dump_result read_in(struct reading *r, char *block, size_t size)
{
	struct source *s = r->source;
	size_t room = size / TEXT_SHARE;
	if (!read_text(r, block + OBJECT_MAX, room))
		return s->error != 0 ? DUMP_READ
				     : dump_unreadable(s, s->line,
					       "more than %zu MiB of YAML; JSON has no such bound, "
					       "or raise --memory",
					       room >> 20);
	r->object = block;
	scratch_init(&r->scratch, block + OBJECT_MAX + room, size - room);
	struct yaml_reader *yaml = yaml_open(r->text, &r->scratch);
	if (yaml == NULL)
		return dump_unreadable(s, s->line, "no memory to read YAML");
	enum dump_result result = read_documents(r, yaml);
	yaml_close(yaml);
	return result;
}

enum dump_result dump_read_yaml(struct source *s)
{
	struct reading r = {.source = s};
	size_t size = (size_t)s->dump->limits.memory_bytes;
	char *block = memory_reserve(size + OBJECT_MAX);
	if (block == NULL)
		return dump_unreadable(s, s->line, "no memory to read YAML");
	enum dump_result result = read_in(&r, block, size);
	memory_release(block, size + OBJECT_MAX);
	return result;
}
