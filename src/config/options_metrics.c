/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which metrics are shown, and which values their labels may have: kube-scheduler's
 * --allow-metric-labels, --allow-metric-labels-manifest and --show-hidden-metrics-for-version.
 */
#include "config/file.h"
#include "config/options_private.h"
#include "yaml/yaml.h"

static bool is_metric_name(struct text t)
{
	for (size_t i = 0; i < t.size; i++) {
		char c = t.at[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
		if (!is_letter && c != ':' && (i == 0 || c < '0' || c > '9'))
			return false;
	}
	return t.size > 0;
}

bool options_metric_rule(
	struct options_metrics *metrics, struct text key, struct text values, const char **fault)
{
	struct text metric = text_trim(text_first(key, text_find(key, ',')));
	struct text label = text_trim(text_from(
		key, text_find(key, ',') < key.size ? text_find(key, ',') + 1 : key.size));
	*fault = "of the form METRIC,LABEL=VALUE,VALUE";
	if (!is_metric_name(metric) || !is_metric_name(label))
		return false;
	*fault = "fewer: at most 64 pairs of a metric and a label are possible";
	if (metrics->rule_count == OPTIONS_METRIC_RULES_MAX)
		return false;
	metrics->rules[metrics->rule_count++] = (struct options_metric_rule){metric, label, values};
	return true;
}

static bool refuse_manifest(const struct options_question *q, const char *what)
{
	config_fault(q->faults, (struct config_place){0, 0}, TEXT("--allow-metric-labels-manifest"),
		"Invalid value: %s", what);
	return false;
}

static bool read_manifest(struct options *o, const struct options_question *q)
{
	struct text bytes;
	struct yaml_node *root;
	struct yaml_fault fault;
	const char *why;
	if (o->metrics.manifest == NULL)
		return true;
	if (!config_file_read(o->metrics.manifest, q->scratch, &bytes, &why))
		return refuse_manifest(q, why);
	if (yaml_read(bytes, q->scratch, &root, &fault) != YAML_DOCUMENT || root->kind != YAML_MAP)
		return refuse_manifest(q, "must be a map of \"METRIC,LABEL\" to \"VALUE,VALUE\"");
	for (const struct yaml_node *m = root->first; m != NULL; m = m->next)
		if (m->kind != YAML_TEXT ||
			!options_metric_rule(&o->metrics, m->key->text, m->text, &why))
			return refuse_manifest(
				q, m->kind != YAML_TEXT ? "values must be texts" : why);
	return true;
}

bool options_metrics_check(struct options *o, const struct options_question *q)
{
	/* While the release is open it may become either. */
	bool may_be_1_36 = o->release != KUBE_1_37;
	bool may_be_1_37 = o->release != KUBE_1_36;
	struct text version = o->metrics.show_hidden_for;
	bool right = read_manifest(o, q);
	if (version.size == 0)
		return right;
	o->metrics.show_hidden = (may_be_1_37 && text_is_z(version, "1.36")) ||
		(may_be_1_36 && text_is_z(version, "1.35"));
	if (o->metrics.show_hidden)
		return right;
	config_fault(q->faults, (struct config_place){0, 0},
		TEXT("--show-hidden-metrics-for-version"),
		"Invalid value: must be omitted or have the value '%s': only the release before is "
		"possible",
		may_be_1_37 ? "1.36" : "1.35");
	return false;
}
