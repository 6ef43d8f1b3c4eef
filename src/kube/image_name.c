/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of container images.
 *
 * What kube-scheduler does: a colon behind the last slash means that there is a tag (or a digest:
 * "repo@sha256:..."); a colon before it belongs to the registry's port. Nothing else is looked
 * at: "alpine" does not become "docker.io/library/alpine", and node names are compared literally.
 *
 * What we do: the same.
 */
#include "kube/image_name.h"

#include <string.h>

struct text kube_image_name(struct scratch *scratch, struct text name)
{
	static const char tag[] = ":latest";
	size_t colon = text_find_last(name, ':');
	size_t slash = text_find_last(name, '/');

	if (colon < name.size && (slash == name.size || colon > slash))
		return name;

	size_t size = name.size + sizeof(tag) - 1;
	char *tagged = scratch_take(scratch, size);
	if (tagged == NULL)
		return TEXT_NONE;
	if (name.size > 0)
		memcpy(tagged, name.at, name.size);
	memcpy(tagged + name.size, tag, sizeof(tag) - 1);
	return (struct text){tagged, size};
}
