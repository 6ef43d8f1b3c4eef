/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What VolumeBinding decided for a pod on a node, as its Reserve needs it: which claim gets which
 * volume, and whether a volume can be reached from the node.
 */
#ifndef BERTH_PLUGINS_VOLUME_CHOICE_H
#define BERTH_PLUGINS_VOLUME_CHOICE_H

#include "base/check.h"
#include "plugins/plugins.h"

/* A claim that waits for its first consumer, and what it gets. Both are object indexes. */
struct volume_choice {
	uint32_t claim;
	uint32_t pv; /* 0: the claim's class provisions a volume for the chosen node */
};

/*
 * What the pod's claims get on the node: volumes to bind first, then claims to provision, in
 * upstream's order of writing. count is 0 when every claim is bound already. To be called after
 * its pre_filter; any code but PLUGIN_SUCCESS is what the filter says about the node.
 * The list is good until the next filter or choice of the same decision.
 */
MUST_USE enum plugin_code volume_binding_choice(
	struct cycle_state *d, uint32_t node, const struct volume_choice **list, uint32_t *count);

enum volume_reach {
	VOLUME_REACHES,
	VOLUME_OUT_OF_REACH,
	VOLUME_UNTRANSLATABLE, /* named in a way that its CSI driver cannot know: *fault says why */
	VOLUME_NO_SCRATCH
};
/*
 * Does the node reach the volume, translated for its CSI driver where the node asks for that? As
 * the apiserver says, whatever is assumed. The fault is in upstream's words, in scratch.
 */
MUST_USE enum volume_reach volume_reach_of(const struct cache *cache, uint32_t pv, uint32_t node,
	struct scratch *scratch, const char **fault);

#endif
