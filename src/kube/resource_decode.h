/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to kube/: what decoders of dynamic resources share.
 */
#ifndef BERTH_KUBE_RESOURCE_DECODE_H
#define BERTH_KUBE_RESOURCE_DECODE_H

#include "kube/decode.h"
#include "kube/resource.h"

/* The value as it stands in the object, interned; 0 when absent. */
uint32_t kube_read_json(struct kube_build *b, struct json_value v);
/* nodeName, nodeSelector and allNodes of an object. */
void kube_reach_build(struct kube_build *b, struct json_value v, struct kube_reach *reach);
/* A nodeSelector. */
void kube_reach_selector(struct kube_build *b, struct json_value v, struct kube_reach *reach);
/* [{cel: {expression}}] as ids; 0 for what is not CEL. */
void kube_selectors_build(struct kube_build *b, struct json_value v, struct kube_span *span);
/* [{requests, opaque}] */
void kube_device_configs_build(struct kube_build *b, struct json_value v, struct kube_span *span);
/* {name: quantity} */
void kube_amounts_build(
	struct kube_build *b, struct json_value v, struct kube_span *span, const char *field);

#endif
