/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HTTP extenders in a KubeSchedulerConfiguration: fields, defaults, rules.
 *
 * What kube-scheduler does: it checks weights, managed resources and that one extender binds at
 * most; a URL that is none is found out by the first call, and who vouches for a server may be
 * known to the system. What we do: the same rules; the URL is looked at when the file is read, and
 * since there is no list of authorities here, the file has to name one.
 */
#include "base/url.h"
#include "kube/requirement.h"
#include "profile/scheduler_private.h"

#define AT(type, member) offsetof(struct type, member)
#define FIELDS(type, list, prepare)                                                     \
	{                                                                               \
		(list), ARRAY_COUNT(list), sizeof(struct type), (prepare), false, false \
	}

static const struct field managed_list[] = {
	FIELD("name", FIELD_TEXT, AT(scheduler_managed_resource, name), NULL, 0),
	FIELD("ignoredByScheduler", FIELD_BOOL,
		AT(scheduler_managed_resource, ignored_by_scheduler), NULL, 0),
};
static const struct fields managed_fields = FIELDS(scheduler_managed_resource, managed_list, NULL);

static const struct field tls_list[] = {
	FIELD("insecure", FIELD_BOOL, AT(scheduler_extender_tls, insecure), NULL, 0),
	FIELD("serverName", FIELD_TEXT, AT(scheduler_extender_tls, server_name), NULL, 0),
	FIELD("certFile", FIELD_TEXT, AT(scheduler_extender_tls, cert_file), NULL, 0),
	FIELD("keyFile", FIELD_TEXT, AT(scheduler_extender_tls, key_file), NULL, 0),
	FIELD("caFile", FIELD_TEXT, AT(scheduler_extender_tls, ca_file), NULL, 0),
	FIELD("certData", FIELD_BASE64, AT(scheduler_extender_tls, cert_data), NULL, 0),
	FIELD("keyData", FIELD_BASE64, AT(scheduler_extender_tls, key_data), NULL, 0),
	FIELD("caData", FIELD_BASE64, AT(scheduler_extender_tls, ca_data), NULL, 0),
};
static const struct fields tls_fields = FIELDS(scheduler_extender_tls, tls_list, NULL);

#define EXTENDER_FIELDS                                                                            \
	FIELD("urlPrefix", FIELD_TEXT, AT(scheduler_extender, url_prefix), NULL, 0),               \
		FIELD("filterVerb", FIELD_TEXT, AT(scheduler_extender, filter_verb), NULL, 0),     \
		FIELD("preemptVerb", FIELD_TEXT, AT(scheduler_extender, preempt_verb), NULL, 0),   \
		FIELD("prioritizeVerb", FIELD_TEXT, AT(scheduler_extender, prioritize_verb), NULL, \
			0),                                                                        \
		FIELD("weight", FIELD_I64, AT(scheduler_extender, weight), NULL, 0),               \
		FIELD("bindVerb", FIELD_TEXT, AT(scheduler_extender, bind_verb), NULL, 0),         \
		FIELD("enableHTTPS", FIELD_BOOL, AT(scheduler_extender, enable_https), NULL, 0),   \
		FIELD("tlsConfig", FIELD_POINTER, AT(scheduler_extender, tls), &tls_fields, 0),    \
		FIELD("nodeCacheCapable", FIELD_BOOL, AT(scheduler_extender, node_cache_capable),  \
			NULL, 0),                                                                  \
		FIELD("managedResources", FIELD_LIST, AT(scheduler_extender, managed),             \
			&managed_fields, SCHEDULER_MANAGED_MAX),                                   \
		FIELD("ignorable", FIELD_BOOL, AT(scheduler_extender, ignorable), NULL, 0)

static const struct field extender_list[] = {EXTENDER_FIELDS,
	FIELD("httpTimeout", FIELD_TIMEOUT, AT(scheduler_extender, timeout_us), NULL, 0)};

static const struct field policy_extender_list[] = {EXTENDER_FIELDS,
	FIELD("httpTimeout", FIELD_NANOS, AT(scheduler_extender, timeout_us), NULL, 0)};

static void prepare(void *to)
{
	*(struct scheduler_extender *)to =
		(struct scheduler_extender){.timeout_us = SCHEDULER_SECONDS(5)};
}

const struct fields scheduler_extender_fields = FIELDS(scheduler_extender, extender_list, prepare);

const struct fields scheduler_policy_extender_fields = {policy_extender_list,
	ARRAY_COUNT(policy_extender_list), sizeof(struct scheduler_extender), prepare, true, true};

/* ---- rules ---- */

/* Of a domain that is not Kubernetes' own, and still valid behind the "requests." of quotas. */
static bool is_extended_name(struct text name)
{
	char quota[320];
	struct writer w;
	if (text_find(name, '/') == name.size || text_contains(name, TEXT("kubernetes.io/")) ||
		text_starts(name, TEXT("requests.")))
		return false;
	writer_init(&w, quota, sizeof(quota));
	write_z(&w, "requests.");
	write_text(&w, name);
	return !w.overflowed && kube_is_qualified_name(writer_text(&w));
}

static bool is_managed_before(
	const struct scheduler_extender *list, uint32_t extender, uint32_t resource)
{
	struct text name =
		CONFIG_LIST(list[extender].managed, struct scheduler_managed_resource)[resource]
			.name;
	for (uint32_t e = 0; e <= extender; e++) {
		const struct scheduler_managed_resource *managed =
			CONFIG_LIST(list[e].managed, struct scheduler_managed_resource);
		uint32_t count = e == extender ? resource : list[e].managed.count;
		for (uint32_t i = 0; i < count; i++)
			if (text_is(managed[i].name, name))
				return true;
	}
	return false;
}

static void check_managed(
	struct reading *r, const struct scheduler_extender *list, uint32_t extender)
{
	const struct config_list *managed = &list[extender].managed;
	size_t before = reading_enter(r, "managedResources");
	for (uint32_t i = 0; i < managed->count; i++) {
		struct text name = CONFIG_LIST(*managed, struct scheduler_managed_resource)[i].name;
		size_t here = reading_enter_index(r, i);
		if (require_label_name(r, "name", name) && !is_extended_name(name))
			refuse_text(r, "name", name, "is an invalid extended resource name");
		if (is_managed_before(list, extender, i))
			refuse_text(r, "name", name, "duplicate extender managed resource name");
		reading_leave(r, here);
	}
	reading_leave(r, before);
}

static void check_tls(struct reading *r, const struct scheduler_extender_tls *tls)
{
	if (tls == NULL)
		return;
	size_t before = reading_enter(r, "tlsConfig");
	bool has_ca = tls->ca_file.size > 0 || tls->ca_data.size > 0;
	bool has_cert = tls->cert_file.size > 0 || tls->cert_data.size > 0;
	bool has_key = tls->key_file.size > 0 || tls->key_data.size > 0;
	if (tls->insecure && has_ca)
		refuse(r, "insecure",
			"Invalid value: true: specifying a root certificates file with the "
			"insecure flag is not allowed");
	if (has_cert && !has_key)
		refuse_missing(r, "keyFile", "goes with certFile and certData");
	if (has_key && !has_cert)
		refuse_missing(r, "certFile", "goes with keyFile and keyData");
	reading_leave(r, before);
}

static void check_url(struct reading *r, const struct scheduler_extender *e)
{
	const struct scheduler_extender_tls *tls = e->tls;
	struct url url;
	const char *fault;
	if (e->url_prefix.size == 0)
		refuse_missing(r, "urlPrefix", "http://HOST:PORT/PATH");
	else if (!url_parse(e->url_prefix, false, &url, &fault))
		refuse_text(r, "urlPrefix", e->url_prefix, fault);
	else if (url.https && !e->enable_https &&
		(tls == NULL ||
			(!tls->insecure && tls->ca_file.size == 0 && tls->ca_data.size == 0)))
		refuse_missing(r, "tlsConfig.caFile", "who vouches for the server, or enableHTTPS");
}

void scheduler_extenders_check(struct reading *r, const struct config_list *extenders)
{
	const struct scheduler_extender *list = CONFIG_LIST(*extenders, struct scheduler_extender);
	uint32_t binders = 0;
	size_t before = reading_enter(r, "extenders");
	for (uint32_t i = 0; i < extenders->count; i++) {
		size_t here = reading_enter_index(r, i);
		check_url(r, &list[i]);
		if (list[i].prioritize_verb.size > 0 && list[i].weight <= 0)
			refuse_i64(r, "weight", list[i].weight,
				"must have a positive weight applied to it");
		binders += list[i].bind_verb.size > 0;
		check_managed(r, list, i);
		check_tls(r, list[i].tls);
		reading_leave(r, here);
	}
	if (binders > 1)
		refuse(r, "",
			"Invalid value: \"found %u extenders implementing bind\": only one "
			"extender can implement bind",
			binders);
	reading_leave(r, before);
}
