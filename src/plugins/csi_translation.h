/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to plugins/: volume types that were once part of Kubernetes and are served by CSI
 * drivers now. Upstream goes on as if such a volume had been written for the driver; so its
 * driver, its handle and its node affinity have to be translated.
 */
#ifndef BERTH_PLUGINS_CSI_TRANSLATION_H
#define BERTH_PLUGINS_CSI_TRANSLATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/scratch.h"
#include "cache/cache.h"
#include "kube/volume.h"

enum { CSI_SOURCES = KUBE_SOURCE_PORTWORX + 1 };

/* Ids of names as far as anybody in the picture uses them; else 0. Index: kube_volume_source. */
struct csi_names {
	uint32_t plugin[CSI_SOURCES];   /* "kubernetes.io/aws-ebs" */
	uint32_t driver[CSI_SOURCES];   /* "ebs.csi.aws.com" */
	uint32_t zone_key[CSI_SOURCES]; /* "topology.ebs.csi.aws.com/zone" */
};
void csi_names_find(const struct cache *cache, struct csi_names *names);

/* The type of an in-line volume (enum kube_volume_kind); KUBE_SOURCE_OTHER: no driver took over. */
enum kube_volume_source csi_source_of_volume(uint32_t volume_kind);
/* The type that a class's provisioner made before; KUBE_SOURCE_OTHER for every other name. */
enum kube_volume_source csi_source_of_provisioner(const struct csi_names *names, uint32_t id);
/* Is the type one of the five that nodes treat as CSI? The other two were never switched over. */
bool csi_is_switched(enum kube_volume_source source);

enum csi_result {
	CSI_OK,
	CSI_FAILED, /* the volume is named in a way that the driver cannot know */
	CSI_FULL    /* scratch is exhausted */
};

struct csi_handle {
	struct text text;
	uint32_t id;       /* of the text; 0 when nothing else uses it */
	const char *fault; /* with CSI_FAILED, in upstream's words; in scratch */
};

/* The handle by which the driver knows a volume of a type other than KUBE_SOURCE_OTHER and _CSI. */
MUST_USE enum csi_result csi_pv_handle(const struct cache *cache, const struct kube_pv *pv,
	struct scratch *scratch, struct csi_handle *handle);
MUST_USE enum csi_result csi_inline_handle(const struct cache *cache,
	const struct kube_volume *volume, struct scratch *scratch, struct csi_handle *handle);

/*
 * How the node affinity changes: zones are asked for by the driver's own label key, beta regions
 * by today's. Either the terms name zones already, under zone_from; or the zones that the
 * volume's labels name are added to every term.
 */
struct csi_affinity {
	uint32_t zone_from;   /* 0: no term names zones */
	uint32_t zone_to;     /* the driver's key; 0 when no node has it */
	uint32_t region_from; /* 0: regions stay as they are */
	uint32_t region_to;
	struct text zones; /* to be added, joined by "__"; empty: none */
};
void csi_pv_affinity(const struct cache *cache, const struct csi_names *names,
	const struct kube_pv *pv, struct csi_affinity *affinity);
/* As volume_reaches(), of the translated volume. CSI_FULL leaves *reaches alone. */
MUST_USE enum csi_result csi_pv_reaches(const struct cache *cache, const struct kube_pv *pv,
	const struct csi_affinity *affinity, const struct kube_labels *node_labels,
	struct scratch *scratch, bool *reaches);

#endif
