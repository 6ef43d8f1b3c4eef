/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scalars of YAML: what a plain word is, by the rules of the YAML reader that Kubernetes uses.
 */
#ifndef BERTH_YAML_SCALAR_H
#define BERTH_YAML_SCALAR_H

#include <stdbool.h>

#include "yaml/yaml.h"

/* `tag` may be NULL. False when the tag is unknown or the text cannot be what it says. */
MUST_USE bool yaml_scalar_kind(struct text t, const char *tag, bool plain, enum yaml_kind *kind);

/* As a string of JSON, which one of YAML is too. */
void yaml_write_quoted(struct text t, struct writer *out);

/* As JSON. For null, booleans and numbers only; false for .inf and .nan. */
MUST_USE bool yaml_scalar_write(enum yaml_kind kind, struct text t, struct writer *out);

#endif
