/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options: flags and file put together.
 *
 * What kube-scheduler does: with --config the deprecated flags mean nothing; without it they make
 * the configuration. Flags about leader election count always. Its elector is made later and has
 * rules of its own, which are asked here, so that nothing starts that cannot go on.
 *
 * What we do: the same, but a --kubeconfig counts when the file names none: a person who gives both
 * means it.
 */
#include "base/chars.h"
#include "config/file.h"
#include "config/options_private.h"
#include "profile/policy.h"

#define JITTER_FACTOR 1.2 /* of the elector */

void options_defaults(struct options *o)
{
	*o = (struct options){
		.bind_address = "0.0.0.0",
		.release = KUBE_RELEASE_OPEN,
		.secure_port = 10259,
		.http_address = "127.0.0.1",
		.profiling = true,
		.authentication_tolerate_lookup_failure = true,
		.token_ttl_us = SCHEDULER_SECONDS(10),
		.authorized_ttl_us = SCHEDULER_SECONDS(10),
		.unauthorized_ttl_us = SCHEDULER_SECONDS(10),
		.unschedulable_max_us = SCHEDULER_SECONDS(300),
		.requestheader_username_headers = {{TEXT("x-remote-user")}, 1},
		.requestheader_group_headers = {{TEXT("x-remote-group")}, 1},
		.requestheader_extra_prefixes = {{TEXT("x-remote-extra-")}, 1},
		.always_allow_paths = {{TEXT("/healthz"), TEXT("/readyz"), TEXT("/livez")}, 3},
	};
	o->given.contention_profiling = true;
	o->given.policy_configmap_namespace = TEXT("kube-system");
}

static bool refuse_flag(const struct options_question *q, const char *flag, const char *what)
{
	config_fault(
		q->faults, (struct config_place){0, 0}, text_of(flag), "Invalid value: %s", what);
	return false;
}

/* ---- what has no effect ---- */

static void write_names(
	struct writer *out, const struct options *o, bool (*is)(const struct option *))
{
	bool first = true;
	for (uint32_t i = 0; i < option_count; i++) {
		if ((o->given.flags[i / 32] >> (i % 32) & 1) == 0 || !is(&option_table[i]))
			continue;
		write_format(out, "%s--%s", first ? "" : ", ", option_table[i].name);
		first = false;
	}
}

static void remark_flags(const struct options *o, const struct options_question *q,
	bool (*is)(const struct option *), const char *why)
{
	bool any = false;
	for (uint32_t i = 0; i < option_count; i++)
		any |= (o->given.flags[i / 32] >> (i % 32) & 1) != 0 && is(&option_table[i]);
	if (!any)
		return;
	struct writer *out = config_fault_begin(q->notes, (struct config_place){0, 0}, TEXT_NONE);
	write_names(out, o, is);
	write_z(out, why);
	config_fault_end(q->notes);
}

static bool is_nothing(const struct option *o)
{
	return o->group == OPTION_GROUP_NOTHING;
}

static bool is_deprecated(const struct option *o)
{
	static const uint16_t places[] = {offsetof(struct options, given.policy_config_file),
		offsetof(struct options, given.policy_configmap),
		offsetof(struct options, given.algorithm_provider),
		offsetof(struct options, given.scheduler_name),
		offsetof(struct options, given.hard_weight)};
	if (o->group == OPTION_GROUP_DEPRECATED)
		return true;
	for (size_t i = 0; i < ARRAY_COUNT(places); i++)
		if (o->at == places[i])
			return true;
	return false;
}

static bool is_kubeconfig(const struct option *o)
{
	return o->at == offsetof(struct options, given.kubeconfig);
}

/* ---- feature gates ---- */

static void remark_features(const struct options *o, const struct options_question *q)
{
	struct writer *out = NULL;
	for (uint32_t i = 0; i < FEATURES; i++) {
		if (!feature_is_idle(&o->features, (enum kube_release)o->release, (enum feature)i))
			continue;
		if (out == NULL)
			out = config_fault_begin(
				q->notes, (struct config_place){0, 0}, TEXT("--feature-gates"));
		else
			write_z(out, ", ");
		write_z(out, feature_name((enum feature)i));
	}
	if (out == NULL)
		return;
	write_z(out, ": no effect here");
	config_fault_end(q->notes);
}

typedef bool feature_fault(const struct feature_choices *choices, enum kube_release release,
	enum feature feature, struct writer *why);

static bool refuse_features(
	const struct options *o, const struct options_question *q, feature_fault *is_faulty)
{
	char why[OPTIONS_WORDS_SIZE];
	bool right = true;
	for (uint32_t i = 0; i < FEATURES; i++) {
		struct writer w;
		writer_init(&w, why, sizeof(why) - 1);
		if (!is_faulty(&o->features, (enum kube_release)o->release, (enum feature)i, &w))
			continue;
		why[w.used] = '\0';
		config_fault(
			q->faults, (struct config_place){0, 0}, TEXT("--feature-gates"), "%s", why);
		right = false;
	}
	return right;
}

static bool check_features(const struct options *o, const struct options_question *q)
{
	if (!refuse_features(o, q, feature_is_refused) || !refuse_features(o, q, feature_is_unmet))
		return false;
	remark_features(o, q);
	return true;
}

/* ---- leader election ---- */

static void merge_election(struct options *o)
{
	static const struct {
		uint16_t from, to;
		uint16_t size;
	} members[] = {
#define MEMBER(name)                                                   \
	{offsetof(struct options, given.election.name),                \
		offsetof(struct options, config.leader_election.name), \
		sizeof(((struct scheduler_leader_election *)0)->name)}
		MEMBER(elect),
		MEMBER(lease_duration_us),
		MEMBER(renew_deadline_us),
		MEMBER(retry_period_us),
		MEMBER(resource_lock),
		MEMBER(resource_name),
		MEMBER(resource_namespace),
#undef MEMBER
	};
	for (size_t i = 0; i < ARRAY_COUNT(members); i++)
		if (options_given(o, members[i].from))
			memcpy((char *)o + members[i].to, (char *)o + members[i].from,
				members[i].size);
}

/* What the file's rules do not say; a file is checked by them already. */
static bool check_election(const struct options *o, const struct options_question *q)
{
	const struct scheduler_leader_election *e = &o->config.leader_election;
	if (!e->elect)
		return true;
	if (e->lease_duration_us <= 0)
		return refuse_flag(q, "--leader-elect-lease-duration", "must be greater than zero");
	if (e->renew_deadline_us <= 0)
		return refuse_flag(q, "--leader-elect-renew-deadline", "must be greater than zero");
	if (e->retry_period_us <= 0)
		return refuse_flag(q, "--leader-elect-retry-period", "must be greater than zero");
	if (e->lease_duration_us <= e->renew_deadline_us)
		return refuse_flag(q, "--leader-elect-lease-duration",
			"leaseDuration must be greater than renewDeadline");
	if ((double)e->renew_deadline_us <= JITTER_FACTOR * (double)e->retry_period_us)
		return refuse_flag(q, "--leader-elect-renew-deadline",
			"renewDeadline must be greater than retryPeriod*JitterFactor (1.2)");
	if (!text_is_z(e->resource_lock, "leases"))
		return refuse_flag(
			q, "--leader-elect-resource-lock", "resourceLock value must be \"leases\"");
	if (e->resource_name.size == 0)
		return refuse_flag(q, "--leader-elect-resource-name", "must not be empty");
	if (e->resource_namespace.size == 0)
		return refuse_flag(q, "--leader-elect-resource-namespace", "must not be empty");
	return true;
}

/* ---- with a file ---- */

static const char *zero_terminated(struct scratch *scratch, struct text t)
{
	char *at = t.size == 0 ? NULL : scratch_take(scratch, t.size + 1);
	if (at != NULL)
		memcpy(at, t.at, t.size);
	return at;
}

static bool refuse_file(
	struct options *o, const struct options_question *q, const char *file, const char *why)
{
	o->file_is_broken = true;
	config_fault(q->faults, (struct config_place){0, 0}, text_of(file), "%s", why);
	return false;
}

static bool read_config(struct options *o, const struct options_question *q)
{
	struct text bytes;
	const char *fault;
	const char *file = o->given.config;
	o->config_file = file;
	if (!config_file_read(file, q->scratch, &bytes, &fault))
		return refuse_file(o, q, file, fault);
	q->faults->source = q->notes->source = text_of(file);
	enum scheduler_config_result result =
		scheduler_config_read_on(bytes, q->scratch, &o->config, q->faults, q->notes);
	q->faults->source = q->notes->source = TEXT_NONE;
	if (result == SCHEDULER_CONFIG_FULL)
		return refuse_file(o, q, file, "takes more than 4 MiB when it is read");
	remark_flags(o, q, is_deprecated, ": no effect: --config is given");
	const char *own = zero_terminated(q->scratch, o->config.client_connection.kubeconfig);
	if (own != NULL)
		remark_flags(o, q, is_kubeconfig,
			": no effect: the configuration has clientConnection.kubeconfig");
	o->kubeconfig.path = own != NULL ? own : o->given.kubeconfig;
	o->profiling = o->config.enable_profiling;
	o->file_is_broken = result != SCHEDULER_CONFIG_OK;
	return !o->file_is_broken;
}

/* ---- without ---- */

static bool is_from_configmap(const struct options *o)
{
	return o->given.policy_configmap.size > 0 && !o->given.legacy_policy_config;
}

/* The one profile there is, as older flags want it; a policy's own weight counts more. */
static bool make_profile(struct options *o, const struct options_question *q)
{
	bool is_named = options_given(o, offsetof(struct options, given.scheduler_name));
	bool is_weighted = options_given(o, offsetof(struct options, given.hard_weight)) &&
		o->given.policy_config_file == NULL && !is_from_configmap(o);
	const struct scheduler_profile *from =
		CONFIG_LIST(o->config.profiles, struct scheduler_profile);
	struct scheduler_profile *profile = SCRATCH_ONE(q->scratch, struct scheduler_profile);
	struct scheduler_args *args =
		SCRATCH_ARRAY(q->scratch, struct scheduler_args, from->args.count + 1);
	if (profile == NULL || args == NULL)
		return refuse_flag(q, "--scheduler-name", "no memory for a profile");
	*profile = *from;
	if (is_named)
		profile->name = o->given.scheduler_name;
	if (profile->name.size == 0)
		return refuse_flag(q, "--scheduler-name", "must not be empty");
	if (is_weighted) {
		uint32_t count = from->args.count;
		if (count > 0)
			memcpy(args, from->args.items, count * sizeof(*args));
		struct inter_pod_affinity_args *values = scheduler_args_defaults(
			PLUGIN_INTER_POD_AFFINITY, q->scratch, &args[count]);
		if (values == NULL)
			return refuse_flag(q, "--scheduler-name", "no memory for a profile");
		values->hard_weight = o->given.hard_weight;
		profile->args = (struct config_list){args, count + 1};
	}
	if (o->given.hard_weight < 0 || o->given.hard_weight > 100)
		return refuse_flag(
			q, "--hard-pod-affinity-symmetric-weight", "not in valid range [0, 100]");
	o->config.profiles = (struct config_list){profile, 1};
	return true;
}

static bool is_object_name(struct text t)
{
	for (size_t i = 0; i < t.size; i++)
		if (!char_is_lower(t.at[i]) && !char_is_digit(t.at[i]) && t.at[i] != '-' &&
			t.at[i] != '.')
			return false;
	return t.size > 0 && t.size <= 253;
}

/* False: the fault was said. */
static bool read_configmap(struct options *o, const struct options_question *q, struct text *bytes)
{
	char words[OPTIONS_WORDS_SIZE];
	struct writer w;
	struct text json, name = o->given.policy_configmap,
			  namespace = o->given.policy_configmap_namespace;
	struct yaml_node *object;
	struct yaml_fault fault;
	char *path = scratch_take(q->scratch, sizeof(words)); /* zeroed */
	if (path == NULL || q->get == NULL || !is_object_name(name) || !is_object_name(namespace))
		return refuse_flag(q, "--policy-configmap", "must name a ConfigMap");
	writer_init(&w, path, sizeof(words));
	write_format(&w, "/api/v1/namespaces/%.*s/configmaps/%.*s%c", TEXT_ARGS(namespace),
		TEXT_ARGS(name), '\0');
	writer_init(&w, words, sizeof(words) - 1);
	memset(words, 0, sizeof(words));
	o->config_file = path;
	if (!q->get(&o->kubeconfig, path, q->scratch, &json, &w))
		return refuse_file(o, q, path, words);
	/* JSON is YAML. */
	const struct yaml_node *data = NULL;
	if (yaml_read(json, q->scratch, &object, &fault) == YAML_DOCUMENT)
		data = yaml_get(object, "data");
	const struct yaml_node *policy = yaml_get(data, "policy.cfg");
	if (policy != NULL)
		*bytes = policy->text;
	return bytes->size > 0 ||
		refuse_file(o, q, path, "missing policy config map value at key \"policy.cfg\"");
}

static bool read_policy(struct options *o, const struct options_question *q)
{
	struct text bytes = TEXT_NONE;
	const char *fault;
	const char *file = o->given.policy_config_file;
	if (is_from_configmap(o)) {
		if (!read_configmap(o, q, &bytes))
			return false;
		file = o->config_file;
	} else {
		o->config_file = file;
		if (!config_file_read(file, q->scratch, &bytes, &fault))
			return refuse_file(o, q, file, fault);
	}
	q->faults->source = q->notes->source = text_of(file);
	enum scheduler_config_result result =
		policy_read_on(bytes, q->scratch, &o->config, q->faults, q->notes);
	q->faults->source = q->notes->source = TEXT_NONE;
	if (result == SCHEDULER_CONFIG_FULL)
		return refuse_file(o, q, file, "needs more memory than a policy may");
	o->file_is_broken = result != SCHEDULER_CONFIG_OK;
	return !o->file_is_broken;
}

/* A policy wins over a provider. */
static bool read_older(struct options *o, const struct options_question *q)
{
	scheduler_config_defaults(&o->config);
	if (o->given.policy_config_file != NULL || is_from_configmap(o))
		return read_policy(o, q);
	const char *provider = o->given.algorithm_provider;
	return provider == NULL || policy_provider(text_of(provider), &o->config) ||
		refuse_flag(q, "--algorithm-provider",
			"not registered; there were DefaultProvider and "
			"ClusterAutoscalerProvider");
}

static bool make_config(struct options *o, const struct options_question *q)
{
	o->kubeconfig.path = o->given.kubeconfig;
	bool right = read_older(o, q);
	struct scheduler_client_connection *c = &o->config.client_connection;
	c->limited = o->given.qps > 0;
	if (c->limited)
		c->qps = o->given.qps;
	if (o->given.burst != 0)
		c->burst = o->given.burst;
	if (c->burst < 0)
		return refuse_flag(q, "--kube-api-burst", "must be non-negative");
	if (o->given.content_type.size > 0)
		c->content_type = o->given.content_type;
	c->kubeconfig = text_of(o->given.kubeconfig);
	o->config.enable_profiling = o->profiling;
	o->config.enable_contention_profiling = o->given.contention_profiling;
	return right && make_profile(o, q);
}

/* ---- all together ---- */

static bool check_pair(const struct options *o, const struct options_question *q)
{
	if ((o->tls_cert_file == NULL) == (o->tls_private_key_file == NULL))
		return true;
	return o->tls_cert_file == NULL
		? refuse_flag(q, "--tls-cert-file", "must go with --tls-private-key-file")
		: refuse_flag(q, "--tls-private-key-file", "must go with --tls-cert-file");
}

static bool check_rest(struct options *o, const struct options_question *q)
{
	bool right = check_pair(o, q);
	right &= check_features(o, q);
	right &= options_metrics_check(o, q);
	if (o->bind_qps < 0)
		right = refuse_flag(q, "--bind-pods-qps", "must be non-negative");
	if (o->bind_burst < 0)
		right = refuse_flag(q, "--bind-pods-burst", "must be non-negative");
	if (o->verbosity < 0)
		right = refuse_flag(q, "--v", "must be non-negative");
	if (o->vmodule != NULL && !log_modules_of(text_of(o->vmodule), &o->log_modules))
		right = refuse_flag(q, "--vmodule", "must be up to 8 of MODULE=LEVEL, with commas");
	return right;
}

bool options_merge(struct options *o, const struct options_question *q)
{
	o->kubeconfig.search = true;
	bool right = o->given.config != NULL ? read_config(o, q) : make_config(o, q);
	feature_gates_set(&o->config.gates, &o->features,
		o->release == KUBE_RELEASE_OPEN ? KUBE_RELEASE_DEFAULT
						: (enum kube_release)o->release);
	if (right) {
		merge_election(o);
		right = check_election(o, q);
	}
	const struct scheduler_client_connection *c = &o->config.client_connection;
	o->api_qps = c->limited ? c->qps : 0;
	o->api_burst = c->limited ? c->burst : 0;
	if (o->api_qps > 0 && o->api_burst == 0)
		o->api_burst = 10; /* as its client has it */
	if (o->bind_qps > 0 && o->bind_burst == 0)
		o->bind_burst = 20;
	remark_flags(o, q, is_nothing, ": no effect here");
	return check_rest(o, q) && right;
}

enum options_result options_load(struct options *o, const struct options_question *q)
{
	config_faults_init(q->faults);
	config_faults_init(q->notes);
	options_defaults(o);
	enum options_result read = options_flags_read(o, q);
	if (read == OPTIONS_HELP || read == OPTIONS_VERSION)
		return read;
	bool merged = options_merge(o, q);
	config_faults_sort(q->faults);
	config_faults_sort(q->notes);
	if (read == OPTIONS_READY && merged)
		return OPTIONS_READY;
	return read == OPTIONS_READY && o->file_is_broken ? OPTIONS_BROKEN : OPTIONS_WRONG;
}
