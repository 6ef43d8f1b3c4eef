/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Binding a pod and deleting one.
 *
 * The binding carries the pod's uid, so that a pod that was deleted and made again under the same
 * name is not bound by a decision about its predecessor. It carries no resourceVersion: a pod that
 * changed a label since then is still the pod that was decided about.
 */
#include "bind/body.h"

#include "json/json.h"

void body_binding(const struct body_pod *pod, struct text node, struct writer *out)
{
	struct json_writer j;
	CHECK(node.size > 0);
	json_write_init(&j, out);
	json_open_object(&j);
	json_member_z(&j, "apiVersion", "v1");
	json_member_z(&j, "kind", "Binding");
	json_member_object(&j, "metadata");
	json_member_text(&j, "name", pod->name);
	json_member_text(&j, "namespace", pod->namespace);
	if (pod->uid.size > 0)
		json_member_text(&j, "uid", pod->uid);
	json_close_object(&j);
	json_member_object(&j, "target");
	json_member_z(&j, "kind", "Node");
	json_member_text(&j, "name", node);
	json_close_object(&j);
	json_close_object(&j);
}

void body_extender_binding(const struct body_pod *pod, struct text node, struct writer *out)
{
	struct json_writer j;
	json_write_init(&j, out);
	json_open_object(&j);
	json_member_text(&j, "PodName", pod->name);
	json_member_text(&j, "PodNamespace", pod->namespace);
	json_member_text(&j, "PodUID", pod->uid);
	json_member_text(&j, "Node", node);
	json_close_object(&j);
}

void body_delete(struct writer *out)
{
	struct json_writer j;
	json_write_init(&j, out);
	json_open_object(&j);
	json_member_z(&j, "apiVersion", "v1");
	json_member_z(&j, "kind", "DeleteOptions");
	json_close_object(&j);
}
