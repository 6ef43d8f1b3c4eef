/* SPDX-License-Identifier: GPL-2.0-only */
/* Can a node reach a volume: what VolumeBinding's filter asks of bound volumes, for one of them. */
#include "plugins/csi_translation.h"
#include "plugins/volume_choice.h"
#include "plugins/volume_priv.h"

static enum volume_reach reach_if(bool reaches)
{
	return reaches ? VOLUME_REACHES : VOLUME_OUT_OF_REACH;
}

enum volume_reach volume_reach_of(const struct cache *cache, uint32_t pv, uint32_t node,
	struct scratch *scratch, const char **fault)
{
	const struct kube_pv *volume = volume_blob(cache, pv);
	const struct cache_node *at = cache_node_at(cache, node);
	const struct kube_labels *labels = cache_labels_at(cache, at->labels);
	enum kube_volume_source source = (enum kube_volume_source)volume->source;
	const struct kube_csi_node *csi_node = volume_csi_node(cache, at);
	struct csi_names names;
	*fault = NULL;
	if (!csi_is_switched(source) || csi_node == NULL)
		return reach_if(volume_reaches(cache, volume, labels));
	csi_names_find(cache, &names);
	if (names.plugin[source] == 0 ||
		!volume_id_in(csi_node, csi_node->migrated, names.plugin[source]))
		return reach_if(volume_reaches(cache, volume, labels));
	struct csi_handle handle;
	enum csi_result result = csi_pv_handle(cache, volume, scratch, &handle);
	if (result == CSI_FAILED) {
		*fault = handle.fault;
		return VOLUME_UNTRANSLATABLE;
	}
	struct csi_affinity affinity;
	bool reaches = false;
	csi_pv_affinity(cache, &names, volume, &affinity);
	if (result == CSI_OK)
		result = csi_pv_reaches(cache, volume, &affinity, labels, scratch, &reaches);
	return result == CSI_OK ? reach_if(reaches) : VOLUME_NO_SCRATCH;
}
