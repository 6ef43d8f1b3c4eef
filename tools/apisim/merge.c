/* SPDX-License-Identifier: GPL-2.0-only */
/* Merge patch and strategic merge patch. */
#include "apisim/merge.h"

/* ---- RFC 7386 ---- */

struct tree *merge_patch(struct tree *target, struct tree *patch, struct scratch *scratch)
{
	if (patch->type != JSON_OBJECT)
		return patch;
	if (target == NULL || target->type != JSON_OBJECT)
		target = tree_make(JSON_OBJECT, scratch);
	for (struct tree *p = patch->first, *next; p != NULL; p = next) {
		struct tree *old = tree_get_text(target, p->key);
		struct text key = p->key;

		next = p->next;
		if (p->type == JSON_NULL) {
			if (old != NULL)
				tree_take_child(target, old);
			continue;
		}
		tree_put(target, key, merge_patch(old, p, scratch));
	}
	return target;
}

/* ---- strategic ---- */

/* The lists that are merged, as the API's types declare them; any other list is replaced. */
static const struct merge_key {
	const char *kind; /* NULL: in all */
	const char *list;
	const char *key; /* "": of scalars, a set */
} merge_keys[] = {
	{"Service", "ports", "port"},
	{NULL, "conditions", "type"},
	{NULL, "containers", "name"},
	{NULL, "initContainers", "name"},
	{NULL, "ephemeralContainers", "name"},
	{NULL, "volumes", "name"},
	{NULL, "env", "name"},
	{NULL, "ports", "containerPort"},
	{NULL, "volumeMounts", "mountPath"},
	{NULL, "volumeDevices", "devicePath"},
	{NULL, "imagePullSecrets", "name"},
	{NULL, "hostAliases", "ip"},
	{NULL, "topologySpreadConstraints", "topologyKey"},
	{NULL, "schedulingGates", "name"},
	{NULL, "resourceClaims", "name"},
	{NULL, "resourceClaimStatuses", "name"},
	{NULL, "podIPs", "ip"},
	{NULL, "hostIPs", "ip"},
	{"Node", "addresses", "type"},
	{NULL, "ownerReferences", "uid"},
	{NULL, "finalizers", ""},
	{"Node", "podCIDRs", ""},
	{"CSINode", "drivers", "name"},
	{"ResourceClaim", "reservedFor", "uid"},
};

struct merging {
	struct scratch *scratch;
	struct text kind;
	const char *fault;
};

static const char *merge_key_of(const struct merging *m, struct text list)
{
	for (size_t i = 0; i < ARRAY_COUNT(merge_keys); i++)
		if (text_is_z(list, merge_keys[i].list) &&
			(merge_keys[i].kind == NULL || text_is_z(m->kind, merge_keys[i].kind)))
			return merge_keys[i].key;
	return NULL;
}

/* The text by which an element is known; TEXT_NONE when it has none. */
static struct text identity(const struct tree *element, const char *key)
{
	if (key[0] == '\0')
		return element->text;
	const struct tree *member = tree_get(element, key);

	return member == NULL ? TEXT_NONE : member->text;
}

static struct tree *find(const struct tree *list, const char *key, struct text wanted)
{
	if (list == NULL)
		return NULL;
	for (struct tree *c = list->first; c != NULL; c = c->next)
		if (text_is(identity(c, key), wanted))
			return c;
	return NULL;
}

static int32_t position(const struct tree *list, const char *key, struct text wanted)
{
	int32_t at = 0;

	if (list != NULL)
		for (const struct tree *c = list->first; c != NULL; c = c->next, at++)
			if (text_is(identity(c, key), wanted))
				return at;
	return -1;
}

static struct tree *merge_object(struct merging *m, struct tree *target, struct tree *patch);

/*
 * What kube-apiserver does with $setElementOrder: elements it names come in its order. The others,
 * which only the server knows, keep their order, and each stands before the first named one that
 * it stood before in the live list. `order` has identities: scalars, or objects with only a key.
 */
static void put_in_order(
	struct tree *list, const struct tree *order, const struct tree *live, const char *key)
{
	struct tree named = {.type = JSON_ARRAY}, rest = {.type = JSON_ARRAY};
	struct tree sorted = {.type = JSON_ARRAY};

	for (const struct tree *o = order->first; o != NULL; o = o->next) {
		struct tree *element = find(list, key, identity(o, key));

		if (element != NULL)
			tree_append(&named, tree_take_child(list, element));
	}
	rest.first = list->first;
	rest.last = list->last;
	while (named.first != NULL || rest.first != NULL) {
		struct tree *from = named.first == NULL ? &rest : &named;

		if (named.first != NULL && rest.first != NULL) {
			int32_t a = position(live, key, identity(rest.first, key));
			int32_t b = position(live, key, identity(named.first, key));

			from = a >= 0 && b >= 0 && a < b ? &rest : &named;
		}
		tree_append(&sorted, tree_take_child(from, from->first));
	}
	list->first = sorted.first;
	list->last = sorted.last;
}

/* A list of the identities in order, which survives what happens to the elements. */
static struct tree *identities(struct merging *m, const struct tree *list, const char *key)
{
	struct tree *copy = tree_make(JSON_ARRAY, m->scratch);

	for (const struct tree *c = list->first; c != NULL; c = c->next) {
		struct tree *name = tree_make_text(identity(c, key), m->scratch);

		if (key[0] != '\0') {
			struct tree *element = tree_make(JSON_OBJECT, m->scratch);

			tree_put(element, text_of(key), name);
			name = element;
		}
		tree_append(copy, name);
	}
	return copy;
}

static struct tree *merge_list(
	struct merging *m, struct tree *target, struct tree *patch, const char *key)
{
	for (struct tree *p = patch->first, *next; p != NULL; p = next) {
		struct tree *old;
		struct text directive = tree_text(p, "$patch");

		next = p->next;
		if (text_is(directive, TEXT("replace"))) {
			tree_take_child(patch, p);
			return patch;
		}
		if (key[0] != '\0' && (p->type != JSON_OBJECT || identity(p, key).at == NULL)) {
			m->fault = "an element does not contain the declared merge key";
			return NULL;
		}
		old = find(target, key, identity(p, key));
		if (text_is(directive, TEXT("delete"))) {
			if (old != NULL)
				tree_take_child(target, old);
			continue;
		}
		tree_take_child(patch, p);
		if (old == NULL) {
			if (p->type == JSON_OBJECT)
				p = merge_object(m, tree_make(JSON_OBJECT, m->scratch), p);
			if (p == NULL)
				return NULL;
			tree_append(target, p);
		} else if (old->type == JSON_OBJECT && merge_object(m, old, p) == NULL) {
			return NULL;
		}
	}
	return target;
}

/* Each element of the patch must be in the order it names, in that order. */
static bool order_fits(const struct tree *order, const struct tree *patch, const char *key)
{
	int32_t last = -1;

	if (patch == NULL || patch->type != JSON_ARRAY)
		return true;
	for (const struct tree *p = patch->first; p != NULL; p = p->next) {
		int32_t at = position(order, key, identity(p, key));

		if (at < 0 && tree_get(p, "$patch") == NULL)
			return false;
		if (at >= 0 && at < last)
			return false;
		last = at >= 0 ? at : last;
	}
	return true;
}

static bool merge_list_member(struct merging *m, struct tree *target, struct text name,
	struct tree *patch, const struct tree *order)
{
	const char *key = merge_key_of(m, name);
	struct tree *list = tree_get_text(target, name);
	struct tree *live;

	if (order != NULL && (key == NULL || !order_fits(order, patch, key))) {
		m->fault = "the order in the patch list does not match the $setElementOrder list";
		return false;
	}
	if (list == NULL || list->type != JSON_ARRAY)
		list = tree_make(JSON_ARRAY, m->scratch);
	if (key == NULL) {
		tree_put(target, name, patch);
		return true;
	}
	live = identities(m, list, key);
	if (patch != NULL)
		list = merge_list(m, list, patch, key);
	if (list == NULL)
		return false;
	if (order != NULL)
		put_in_order(list, order, live, key);
	if (patch != NULL || tree_get_text(target, name) != NULL)
		tree_put(target, name, list);
	return true;
}

static bool merge_directive(
	struct merging *m, struct tree *target, struct tree *p, const struct tree *patch)
{
	struct text from = TEXT("$deleteFromPrimitiveList/");

	if (text_starts(p->key, from)) {
		struct tree *list = tree_get_text(target, text_from(p->key, from.size));

		for (const struct tree *c = p->first; c != NULL; c = c->next) {
			struct tree *old = find(list, "", c->text);

			if (old != NULL)
				tree_take_child(list, old);
		}
		return true;
	}
	if (text_starts(p->key, TEXT("$setElementOrder/"))) {
		struct text name = text_from(p->key, strlen("$setElementOrder/"));

		/* With a list of the patch it is applied there. */
		if (tree_get_text(patch, name) != NULL)
			return true;
		return merge_list_member(m, target, name, NULL, p);
	}
	if (text_is(p->key, TEXT("$retainKeys"))) {
		for (struct tree *c = target->first, *next; c != NULL; c = next) {
			next = c->next;
			if (find(p, "", c->key) == NULL)
				tree_take_child(target, c);
		}
		return true;
	}
	m->fault = "unknown directive";
	return text_is(p->key, TEXT("$patch"));
}

static const struct tree *order_of(struct merging *m, const struct tree *patch, struct text name)
{
	char key[JSON_KEY_MAX + 32];
	struct writer w;

	(void)m;
	writer_init(&w, key, sizeof(key));
	write_z(&w, "$setElementOrder/");
	write_text(&w, name);
	return w.overflowed ? NULL : tree_get_text(patch, writer_text(&w));
}

static bool merge_member(
	struct merging *m, struct tree *target, struct tree *p, const struct tree *patch)
{
	struct tree *old = tree_get_text(target, p->key);
	struct text key = p->key;

	if (p->type == JSON_NULL) {
		if (old != NULL)
			tree_take_child(target, old);
		return true;
	}
	if (p->type == JSON_ARRAY)
		return merge_list_member(m, target, key, p, order_of(m, patch, key));
	if (p->type == JSON_OBJECT) {
		if (old == NULL || old->type != JSON_OBJECT)
			old = tree_make(JSON_OBJECT, m->scratch);
		p = merge_object(m, old, p);
		if (p == NULL)
			return false;
	}
	tree_put(target, key, p);
	return true;
}

static struct tree *merge_object(struct merging *m, struct tree *target, struct tree *patch)
{
	struct text directive = tree_text(patch, "$patch");
	struct tree members = *patch;

	if (text_is(directive, TEXT("replace"))) {
		tree_take(patch, "$patch");
		return patch;
	}
	if (text_is(directive, TEXT("delete")))
		return tree_make(JSON_OBJECT, m->scratch);
	/* Directives look the patch's members up, so these are taken out of a shallow copy. */
	for (struct tree *p = members.first, *next; p != NULL; p = next) {
		next = p->next;
		if (p->key.size > 0 && p->key.at[0] == '$')
			if (!merge_directive(m, target, p, patch))
				return NULL;
	}
	for (struct tree *p = members.first, *next; p != NULL; p = next) {
		struct tree *copy = tree_make(p->type, m->scratch);

		next = p->next;
		if (p->key.size > 0 && p->key.at[0] == '$')
			continue;
		*copy = *p;
		copy->next = NULL;
		if (!merge_member(m, target, copy, patch))
			return NULL;
	}
	return target;
}

struct tree *merge_strategic(struct tree *target, struct tree *patch, struct text kind,
	struct scratch *scratch, const char **fault)
{
	struct merging m = {.scratch = scratch, .kind = kind};
	struct tree *merged = NULL;

	if (patch->type == JSON_OBJECT)
		merged = merge_object(&m, target, patch);
	else
		m.fault = "a patch must be an object";
	*fault = m.fault;
	return merged;
}
