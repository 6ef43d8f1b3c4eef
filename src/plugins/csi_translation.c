/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the CSI drivers call volumes that were made before them.
 *
 * What kube-scheduler does: it writes a CSI volume with all attributes and asks that one.
 * What we do: only what decisions read is translated, the handle and the node affinity; and the
 * affinity is not rewritten but asked with the node's labels under the old keys, which is the
 * same as asking for the new keys.
 */
#include "plugins/csi_translation.h"

#include <stdarg.h>

#include "plugins/volume_priv.h"

struct csi_type {
	const char *plugin;
	const char *driver;
	const char *zone_key; /* NULL: node affinity needs no translation */
	bool switched;
};

static const struct csi_type csi_types[CSI_SOURCES] = {
	[KUBE_SOURCE_EBS] = {"kubernetes.io/aws-ebs", "ebs.csi.aws.com",
		"topology.ebs.csi.aws.com/zone", true},
	[KUBE_SOURCE_GCE] = {"kubernetes.io/gce-pd", "pd.csi.storage.gke.io",
		"topology.gke.io/zone", true},
	[KUBE_SOURCE_AZURE_DISK] = {"kubernetes.io/azure-disk", "disk.csi.azure.com", NULL, true},
	[KUBE_SOURCE_AZURE_FILE] = {"kubernetes.io/azure-file", "file.csi.azure.com", NULL, false},
	[KUBE_SOURCE_CINDER] = {"kubernetes.io/cinder", "cinder.csi.openstack.org",
		"topology.cinder.csi.openstack.org/zone", true},
	[KUBE_SOURCE_VSPHERE] = {"kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", NULL,
		false},
	[KUBE_SOURCE_PORTWORX] = {"kubernetes.io/portworx-volume", "pxd.portworx.com", NULL, true},
};

static uint32_t csi_find_name(const struct cache *cache, const char *name)
{
	uint32_t id = 0;
	if (name != NULL && !intern_find(&cache->strings, text_of(name), &id))
		id = 0;
	return id;
}

void csi_names_find(const struct cache *cache, struct csi_names *names)
{
	for (uint32_t i = 0; i < CSI_SOURCES; i++) {
		names->plugin[i] = csi_find_name(cache, csi_types[i].plugin);
		names->driver[i] = csi_find_name(cache, csi_types[i].driver);
		names->zone_key[i] = csi_find_name(cache, csi_types[i].zone_key);
	}
}

enum kube_volume_source csi_source_of_volume(uint32_t volume_kind)
{
	switch (volume_kind) {
	case KUBE_VOLUME_GCE: return KUBE_SOURCE_GCE;
	case KUBE_VOLUME_EBS: return KUBE_SOURCE_EBS;
	case KUBE_VOLUME_AZURE_DISK: return KUBE_SOURCE_AZURE_DISK;
	case KUBE_VOLUME_AZURE_FILE: return KUBE_SOURCE_AZURE_FILE;
	case KUBE_VOLUME_CINDER: return KUBE_SOURCE_CINDER;
	case KUBE_VOLUME_VSPHERE: return KUBE_SOURCE_VSPHERE;
	case KUBE_VOLUME_PORTWORX: return KUBE_SOURCE_PORTWORX;
	default: return KUBE_SOURCE_OTHER;
	}
}

enum kube_volume_source csi_source_of_provisioner(const struct csi_names *names, uint32_t id)
{
	for (uint32_t i = 0; id != 0 && i < CSI_SOURCES; i++) {
		if (names->plugin[i] == id)
			return (enum kube_volume_source)i;
	}
	return KUBE_SOURCE_OTHER;
}

bool csi_is_switched(enum kube_volume_source source)
{
	CHECK((uint32_t)source < CSI_SOURCES);
	return csi_types[source].switched;
}

/* ---- handles ---- */

static enum csi_result csi_found(
	const struct cache *cache, struct text text, struct csi_handle *handle)
{
	*handle = (struct csi_handle){.text = text};
	if (!intern_find(&cache->strings, text, &handle->id))
		handle->id = 0;
	return CSI_OK;
}

/* Prints into scratch, with a terminating zero. NULL when there is no room. */
static PRINTF_LIKE(2, 3) const char *csi_print(struct scratch *scratch, const char *format, ...)
{
	size_t size;
	char *rest = scratch_take_rest(scratch, &size);
	if (rest == NULL)
		return NULL;
	struct writer w;
	writer_init(&w, rest, size);
	va_list args;
	va_start(args, format);
	write_format_v(&w, format, args);
	va_end(args);
	write_char(&w, '\0');
	scratch_keep(scratch, rest, w.overflowed ? 0 : w.used);
	return w.overflowed ? NULL : rest;
}

static enum csi_result csi_fail(struct csi_handle *handle, const char *fault)
{
	*handle = (struct csi_handle){.fault = fault};
	return fault == NULL ? CSI_FULL : CSI_FAILED;
}

/* "aws://<zone>/vol-1", "aws:///vol-1" or "vol-1" */
static enum csi_result csi_ebs_handle(const struct cache *cache, struct text name,
	struct scratch *scratch, struct csi_handle *handle)
{
	struct text scheme = TEXT("aws://");
	if (!text_starts(name, scheme))
		return csi_found(cache, name, handle);
	struct text path = text_from(name, scheme.size);
	path = text_from(path, text_find(path, '/'));
	path = text_first(path, text_find(path, '#'));
	path = text_first(path, text_find(path, '?'));
	while (path.size > 0 && path.at[0] == '/')
		path = text_from(path, 1);
	while (path.size > 0 && path.at[path.size - 1] == '/')
		path = text_first(path, path.size - 1);
	if (text_starts(path, TEXT("vol-")) && text_find(path, '/') == path.size)
		return csi_found(cache, path, handle);
	return csi_fail(handle,
		csi_print(scratch,
			"failed to translate Kubernetes ID to EBS Volume ID Invalid format for "
			"AWS volume (%.*s)",
			TEXT_ARGS(name)));
}

static enum csi_result csi_gce_print(const struct cache *cache, const char *places,
	struct text place, struct text disk, struct scratch *scratch, struct csi_handle *handle)
{
	const char *text = csi_print(scratch, "projects/UNSPECIFIED/%s/%.*s/disks/%.*s", places,
		TEXT_ARGS(place), TEXT_ARGS(disk));
	if (text == NULL)
		return CSI_FULL;
	return csi_found(cache, text_of(text), handle);
}

/* "{locale}-{region}" of "{locale}-{region}-{zone}"; TEXT_NONE for anything else. */
static struct text csi_gce_region(struct text zone)
{
	size_t dashes = 0;
	for (size_t i = 0; i < zone.size; i++)
		dashes += zone.at[i] == '-';
	return dashes == 2 ? text_first(zone, text_find_last(zone, '-')) : TEXT_NONE;
}

/* A disk in several zones lies in their region. */
static enum csi_result csi_gce_regional(const struct cache *cache, struct text zones,
	struct text disk, struct scratch *scratch, struct csi_handle *handle)
{
	struct text region = TEXT_NONE;
	struct text rest = zones;
	for (struct text zone; volume_cut_zone(&rest, &zone);) {
		struct text one = csi_gce_region(zone);
		if (one.at == NULL)
			return csi_fail(handle,
				csi_print(scratch,
					"failed to get region from zones: zone in unexpected "
					"format, "
					"expected: {locale}-{region}-{zone}, got: %.*s",
					TEXT_ARGS(zone)));
		if (region.at != NULL && !text_is(region, one))
			return csi_fail(handle,
				csi_print(scratch,
					"failed to get region from zones: multiple or no regions "
					"gotten from zones, got: map[%.*s:{} %.*s:{}]",
					TEXT_ARGS(region), TEXT_ARGS(one)));
		region = one;
	}
	return csi_gce_print(cache, "regions", region, disk, scratch, handle);
}

static enum csi_result csi_gce_handle(const struct cache *cache, struct text zones,
	struct text disk, struct scratch *scratch, struct csi_handle *handle)
{
	if (text_contains(zones, TEXT("__")))
		return csi_gce_regional(cache, zones, disk, scratch, handle);
	return csi_gce_print(cache, "zones", zones.size == 0 ? TEXT("UNSPECIFIED") : zones, disk,
		scratch, handle);
}

static enum csi_result csi_handle_of(const struct cache *cache, enum kube_volume_source source,
	uint32_t id, struct text zones, struct scratch *scratch, struct csi_handle *handle)
{
	CHECK(csi_types[source].driver != NULL);
	struct text name = cache_text(cache, id);
	if (source == KUBE_SOURCE_EBS)
		return csi_ebs_handle(cache, name, scratch, handle);
	if (source == KUBE_SOURCE_GCE)
		return csi_gce_handle(cache, zones, name, scratch, handle);
	*handle = (struct csi_handle){.text = name, .id = id};
	return CSI_OK;
}

enum csi_result csi_pv_handle(const struct cache *cache, const struct kube_pv *pv,
	struct scratch *scratch, struct csi_handle *handle)
{
	uint32_t zones = pv->labels_zone[0] != 0 ? pv->labels_zone[0] : pv->labels_zone[2];
	return csi_handle_of(cache, (enum kube_volume_source)pv->source, pv->handle,
		cache_text(cache, zones), scratch, handle);
}

enum csi_result csi_inline_handle(const struct cache *cache, const struct kube_volume *volume,
	struct scratch *scratch, struct csi_handle *handle)
{
	enum kube_volume_source source = csi_source_of_volume(volume->kind);
	return csi_handle_of(cache, source, volume->id, TEXT(""), scratch, handle);
}

/* ---- node affinity ---- */

/* Does some term ask for the key; and does it, or another one, name values for it? */
static bool csi_terms_ask(const struct kube_pv *pv, uint32_t key, bool *with_values)
{
	bool asked = false;
	*with_values = false;
	const struct kube_node_term *terms = KUBE_AT(pv, pv->node_terms, struct kube_node_term);
	for (uint32_t t = 0; t < pv->node_terms.count; t++) {
		const struct kube_requirement *r =
			KUBE_AT(pv, terms[t].expressions, struct kube_requirement);
		for (uint32_t i = 0; i < terms[t].expressions.count; i++) {
			if (r[i].key != key)
				continue;
			asked = true;
			*with_values = *with_values || r[i].values.count > 0;
		}
	}
	return asked;
}

void csi_pv_affinity(const struct cache *cache, const struct csi_names *names,
	const struct kube_pv *pv, struct csi_affinity *affinity)
{
	*affinity = (struct csi_affinity){.zones = TEXT("")};
	CHECK(pv->source < CSI_SOURCES);
	if (csi_types[pv->source].zone_key == NULL)
		return;
	affinity->zone_to = names->zone_key[pv->source];
	/* Today's labels win over beta ones, terms over the volume's own labels. */
	const struct cache_names *known = &cache->names;
	bool with_values;
	bool beta = false;
	if (!csi_terms_ask(pv, known->zone, &with_values)) {
		beta = csi_terms_ask(pv, known->beta_zone, &with_values) ||
			(pv->has_label_zone & 5) == 1;
	}
	uint32_t from = beta ? known->beta_zone : known->zone;
	csi_terms_ask(pv, from, &with_values);
	if (with_values)
		affinity->zone_from = from;
	else
		affinity->zones = cache_text(cache, pv->labels_zone[beta ? 0 : 2]);
	if (beta) {
		csi_terms_ask(pv, known->beta_region, &with_values);
		affinity->region_from = with_values ? known->beta_region : 0;
		affinity->region_to = known->region;
	}
}

/* The node stands in one of the zones; *any says whether one is named at all. */
static bool csi_in_zones(const struct cache *cache, const struct csi_affinity *affinity,
	const struct kube_labels *node_labels, bool *any)
{
	uint32_t value = 0;
	bool has =
		affinity->zone_to != 0 && kube_labels_get(node_labels, affinity->zone_to, &value);
	bool found = false;
	*any = false;
	struct text rest = affinity->zones;
	for (struct text zone; volume_cut_zone(&rest, &zone);) {
		if (zone.size == 0)
			continue;
		*any = true;
		found = found || (has && text_is(zone, cache_text(cache, value)));
	}
	return found;
}

/* Gives the label `from` the value that `to` has on the node, or takes it away. */
static void csi_relabel(struct kube_label *pairs, uint32_t *count, uint32_t from, uint32_t to,
	const struct kube_labels *node_labels)
{
	if (from == 0)
		return;
	uint32_t at = 0;
	while (at < *count && pairs[at].key < from)
		at++;
	bool there = at < *count && pairs[at].key == from;
	uint32_t value = 0;
	if (to == 0 || !kube_labels_get(node_labels, to, &value)) {
		if (there)
			memmove(&pairs[at], &pairs[at + 1], (--*count - at) * sizeof(*pairs));
		return;
	}
	if (!there)
		memmove(&pairs[at + 1], &pairs[at], ((*count)++ - at) * sizeof(*pairs));
	pairs[at] = (struct kube_label){from, value};
}

/* The node's labels as the untranslated terms should see them. NULL without room. */
static const struct kube_labels *csi_labels(const struct csi_affinity *affinity,
	const struct kube_labels *node_labels, struct scratch *scratch)
{
	uint32_t count = node_labels == NULL ? 0 : node_labels->pairs.count;
	struct kube_labels *labels = scratch_take(
		scratch, sizeof(*labels) + ((size_t)count + 2) * sizeof(struct kube_label));
	if (labels == NULL)
		return NULL;
	struct kube_label *pairs = (struct kube_label *)(void *)(labels + 1);
	if (count > 0)
		memcpy(pairs, KUBE_AT(node_labels, node_labels->pairs, struct kube_label),
			count * sizeof(*pairs));
	csi_relabel(pairs, &count, affinity->zone_from, affinity->zone_to, node_labels);
	csi_relabel(pairs, &count, affinity->region_from, affinity->region_to, node_labels);
	labels->pairs = (struct kube_span){sizeof(*labels), count};
	return labels;
}

/* Every term also asks for the zone, which the node meets; so a term without words matches. */
static bool csi_empty_term(const struct kube_pv *pv)
{
	const struct kube_node_term *terms = KUBE_AT(pv, pv->node_terms, struct kube_node_term);
	for (uint32_t i = 0; i < pv->node_terms.count; i++) {
		if (terms[i].empty)
			return true;
	}
	return pv->node_terms.count == 0;
}

enum csi_result csi_pv_reaches(const struct cache *cache, const struct kube_pv *pv,
	const struct csi_affinity *affinity, const struct kube_labels *node_labels,
	struct scratch *scratch, bool *reaches)
{
	bool zones_added;
	bool in_zones = csi_in_zones(cache, affinity, node_labels, &zones_added);
	if (zones_added && (!in_zones || csi_empty_term(pv))) {
		*reaches = in_zones;
		return CSI_OK;
	}
	struct scratch_mark mark = scratch_mark(scratch);
	const struct kube_labels *labels = csi_labels(affinity, node_labels, scratch);
	if (labels != NULL)
		*reaches = volume_reaches(cache, pv, labels);
	scratch_rewind(scratch, mark);
	return labels == NULL ? CSI_FULL : CSI_OK;
}
