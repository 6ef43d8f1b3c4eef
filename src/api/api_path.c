/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where objects are.
 *
 * Names come from the apiserver and go back to it, yet a path is made of them, so they are not
 * believed: "..", or "a/binding", would ask for something else than was meant. Escaping does not
 * help there, since the apiserver looks at the path after it unescaped it. What kube-scheduler's
 * client refuses (empty, ".", "..", and '/' or '%' anywhere) is refused here too; the rest is
 * escaped as Go escapes a segment.
 */
#include "api/api.h"

static bool is_path_segment(struct text t)
{
	return t.size > 0 && !text_is_z(t, ".") && !text_is_z(t, "..") &&
		text_find(t, '/') == t.size && text_find(t, '%') == t.size;
}

static void write_path_segment(struct text segment, struct writer *out)
{
	write_percent_encoded(out, segment, "$&+:=@");
}

bool api_path_write(const struct api_object *object, struct writer *out)
{
	bool is_namespaced = object->namespace.at != NULL;
	bool is_one = object->name.at != NULL;

	CHECK(object->group != NULL);
	CHECK(object->resource != NULL);
	CHECK(object->subresource == NULL || is_one);
	if ((is_namespaced && !is_path_segment(object->namespace)) ||
		(is_one && !is_path_segment(object->name)))
		return false;
	write_z(out, object->group);
	if (is_namespaced) {
		write_z(out, "/namespaces/");
		write_path_segment(object->namespace, out);
	}
	write_char(out, '/');
	write_z(out, object->resource);
	if (is_one) {
		write_char(out, '/');
		write_path_segment(object->name, out);
	}
	if (object->subresource != NULL) {
		write_char(out, '/');
		write_z(out, object->subresource);
	}
	return true;
}
