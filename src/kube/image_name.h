/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of container images, as they are compared with the names a node reports.
 */
#ifndef BERTH_KUBE_IMAGE_NAME_H
#define BERTH_KUBE_IMAGE_NAME_H

#include "base/scratch.h"
#include "base/text.h"

/*
 * The name with ":latest" behind it when it has neither a tag nor a digest. The text is `name`
 * itself or lies in scratch; TEXT_NONE when scratch is full.
 */
struct text kube_image_name(struct scratch *scratch, struct text name);

#endif
