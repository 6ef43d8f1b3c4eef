/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flags: kube-scheduler's of v1.36 with their defaults, those of older releases as far as
 * command lines may still have them, and our own.
 */
#include "config/options_private.h"

#define AT(member)    ((uint16_t)offsetof(struct options, member))
#define GIVEN(member) AT(given.member)
#define NOTHING(name, why)                                                         \
	{                                                                          \
		(name), 0, OPTION_NOTHING, OPTION_GROUP_NOTHING, 0, "VALUE", (why) \
	}
#define NOTHING_BOOL(name, why)                                                      \
	{                                                                            \
		(name), 0, OPTION_NOTHING_BOOL, OPTION_GROUP_NOTHING, 0, NULL, (why) \
	}

/* What has no effect, and why. */
#define WHY_COMPAT "nothing is stored that an older release would have to read"
#define WHY_HTTP2  "HTTP/1.1 is spoken"
#define WHY_SOCKET "a port is never shared"
#define WHY_LOG    "the log goes to standard error, unbuffered"
#define WHY_CLOUD  "cloud credentials are not used"
#define WHY_GO     "there is no Go runtime to profile"

const struct option option_table[] = {
	{"config", 0, OPTION_PATH, OPTION_GROUP_CLUSTER, GIVEN(config), "FILE",
		"KubeSchedulerConfiguration, YAML or JSON"},
	{"master", 0, OPTION_PATH, OPTION_GROUP_CLUSTER, AT(kubeconfig.master), "URL",
		"address of the apiserver, instead of the kubeconfig's"},
	{"kubeconfig", 0, OPTION_PATH, OPTION_GROUP_CLUSTER, GIVEN(kubeconfig), "FILE",
		"apiserver and credentials; else $KUBECONFIG, the pod's service account, k3s's "
		"file"},
	{"connections", 0, OPTION_COUNT, OPTION_GROUP_CLUSTER, AT(connections), "NUMBER",
		"to the apiserver, for bindings"},
	{"bind-pods-qps", 0, OPTION_REAL, OPTION_GROUP_CLUSTER, AT(bind_qps), "NUMBER",
		"maximum bindings per second, 0: no limit"},
	{"bind-pods-burst", 0, OPTION_I32, OPTION_GROUP_CLUSTER, AT(bind_burst), "NUMBER",
		"bindings that may come at once"},

	{"pod-max-in-unschedulable-pods-duration", 0, OPTION_DURATION, OPTION_GROUP_SCHEDULING,
		AT(unschedulable_max_us), "TIME",
		"maximum time a pod stays unschedulable before it is tried again"},
	{"write-config-to", 0, OPTION_PATH, OPTION_GROUP_SCHEDULING, AT(write_config_to), "FILE",
		"write the effective configuration and exit"},
	{"emulated-version", 0, OPTION_RELEASE, OPTION_GROUP_SCHEDULING, AT(release), "1.36|1.37",
		"release of Kubernetes whose behaviour is wanted"},
	{"feature-gates", 0, OPTION_FEATURES, OPTION_GROUP_SCHEDULING, AT(features), "GATES",
		"\"A=true,B=false\", those of kube-scheduler"},
	{"policy-config-file", 0, OPTION_PATH, OPTION_GROUP_SCHEDULING, GIVEN(policy_config_file),
		"FILE", "policy of releases before v1.23"},
	{"algorithm-provider", 0, OPTION_PATH, OPTION_GROUP_SCHEDULING, GIVEN(algorithm_provider),
		"NAME", "DefaultProvider or ClusterAutoscalerProvider, of releases before v1.22"},

	{"leader-elect", 0, OPTION_BOOL, OPTION_GROUP_ELECTION, GIVEN(election.elect), NULL,
		"schedule only while holding the lease"},
	{"leader-elect-lease-duration", 0, OPTION_DURATION, OPTION_GROUP_ELECTION,
		GIVEN(election.lease_duration_us), "TIME", "how long a lease lasts"},
	{"leader-elect-renew-deadline", 0, OPTION_DURATION, OPTION_GROUP_ELECTION,
		GIVEN(election.renew_deadline_us), "TIME", "how long renewing is tried"},
	{"leader-elect-retry-period", 0, OPTION_DURATION, OPTION_GROUP_ELECTION,
		GIVEN(election.retry_period_us), "TIME", "time between tries"},
	{"yield-to-others", 0, OPTION_BOOL, OPTION_GROUP_ELECTION, AT(yields), NULL,
		"stand by while another scheduler without the lease binds the same pods"},
	{"leader-elect-resource-lock", 0, OPTION_TEXT, OPTION_GROUP_ELECTION,
		GIVEN(election.resource_lock), "KIND", "kind of the lock"},
	{"leader-elect-resource-name", 0, OPTION_TEXT, OPTION_GROUP_ELECTION,
		GIVEN(election.resource_name), "NAME", "name of the lease"},
	{"leader-elect-resource-namespace", 0, OPTION_TEXT, OPTION_GROUP_ELECTION,
		GIVEN(election.resource_namespace), "NAME", "namespace of the lease"},

	{"bind-address", 0, OPTION_ADDRESS, OPTION_GROUP_SERVING, AT(bind_address), "IP",
		"where HTTPS listens; 0.0.0.0: all addresses, of IPv6 too"},
	{"secure-port", 0, OPTION_PORT, OPTION_GROUP_SERVING, AT(secure_port), "PORT",
		"of HTTPS, 0: off"},
	{"tls-cert-file", 0, OPTION_PATH, OPTION_GROUP_SERVING, AT(tls_cert_file), "FILE",
		"certificate and chain, PEM; self-signed if not set"},
	{"tls-private-key-file", 0, OPTION_PATH, OPTION_GROUP_SERVING, AT(tls_private_key_file),
		"FILE", "key of the certificate, PEM"},
	{"tls-sni-cert-key", 0, OPTION_WORDS, OPTION_GROUP_SERVING, AT(tls_named),
		"CERTIFICATE,KEY[:NAMES]",
		"for clients that ask for these names; ';' between several"},
	{"cert-dir", 0, OPTION_PATH, OPTION_GROUP_SERVING, AT(cert_dir), "FOLDER",
		"has kube-scheduler.crt and .key when no files are named; else they are made "
		"there"},
	{"tls-min-version", 0, OPTION_CHOICE, OPTION_GROUP_SERVING, AT(tls_min),
		"VersionTLS12|VersionTLS13", "minimum version of TLS"},
	{"tls-cipher-suites", 0, OPTION_WORDS, OPTION_GROUP_SERVING, AT(tls_suites), "NAMES",
		"no others; those of TLS 1.3 are limited where one of them is named"},
	{"tls-curve-preferences", 0, OPTION_WORDS, OPTION_GROUP_SERVING, AT(tls_curves), "NUMBERS",
		"no others, the first is preferred: 23, 24, 25 (P-256 ...), 29 (X25519)"},
	{"disabled-metrics", 0, OPTION_WORDS, OPTION_GROUP_SERVING, AT(metrics.disabled), "NAMES",
		"metrics that are not shown"},
	{"allow-metric-labels", 0, OPTION_RULES, OPTION_GROUP_SERVING, AT(metrics.rules),
		"METRIC,LABEL=VALUES", "values a label may have; others become \"unexpected\""},
	{"allow-metric-labels-manifest", 0, OPTION_PATH, OPTION_GROUP_SERVING, AT(metrics.manifest),
		"FILE", "YAML with more of them: \"METRIC,LABEL\": \"VALUES\""},
	{"show-hidden-metrics-for-version", 0, OPTION_TEXT, OPTION_GROUP_SERVING,
		AT(metrics.show_hidden_for), "VERSION",
		"the release before: metrics that are hidden since are shown"},
	{"http-port", 0, OPTION_PORT, OPTION_GROUP_SERVING, AT(http_port), "PORT",
		"plain HTTP without authentication, as 10251 was; 0: off"},
	{"http-address", 0, OPTION_ADDRESS, OPTION_GROUP_SERVING, AT(http_address), "IP",
		"where plain HTTP listens"},

	{"authentication-kubeconfig", 0, OPTION_PATH, OPTION_GROUP_ACCESS,
		AT(authentication_kubeconfig), "FILE",
		"cluster that reviews tokens and has the client CA"},
	{"authorization-kubeconfig", 0, OPTION_PATH, OPTION_GROUP_ACCESS,
		AT(authorization_kubeconfig), "FILE", "cluster that reviews access"},
	{"authentication-skip-lookup", 0, OPTION_BOOL, OPTION_GROUP_ACCESS,
		AT(authentication_skip_lookup), NULL, "do not read the client CA from the cluster"},
	{"authentication-tolerate-lookup-failure", 0, OPTION_BOOL, OPTION_GROUP_ACCESS,
		AT(authentication_tolerate_lookup_failure), NULL,
		"start even if it cannot be read"},
	{"authentication-token-webhook-cache-ttl", 0, OPTION_DURATION, OPTION_GROUP_ACCESS,
		AT(token_ttl_us), "TIME", "cache time of token reviews"},
	{"authorization-webhook-cache-authorized-ttl", 0, OPTION_DURATION, OPTION_GROUP_ACCESS,
		AT(authorized_ttl_us), "TIME", "cache time of 'authorized' responses"},
	{"authorization-webhook-cache-unauthorized-ttl", 0, OPTION_DURATION, OPTION_GROUP_ACCESS,
		AT(unauthorized_ttl_us), "TIME", "cache time of 'unauthorized' responses"},
	{"authorization-always-allow-paths", 0, OPTION_WORDS, OPTION_GROUP_ACCESS,
		AT(always_allow_paths), "PATHS",
		"served without authorization; a trailing '*' matches all below"},
	{"client-ca-file", 0, OPTION_PATH, OPTION_GROUP_ACCESS, AT(client_ca_file), "FILE",
		"CA of client certificates, PEM"},
	{"requestheader-client-ca-file", 0, OPTION_PATH, OPTION_GROUP_ACCESS,
		AT(requestheader_client_ca_file), "FILE", "CA of proxies' certificates, PEM"},
	{"requestheader-allowed-names", 0, OPTION_WORDS, OPTION_GROUP_ACCESS,
		AT(requestheader_allowed_names), "NAMES", "of proxies; none: any"},
	{"requestheader-username-headers", 0, OPTION_WORDS, OPTION_GROUP_ACCESS,
		AT(requestheader_username_headers), "NAMES", "in which proxies name the user"},
	{"requestheader-group-headers", 0, OPTION_WORDS, OPTION_GROUP_ACCESS,
		AT(requestheader_group_headers), "NAMES", "in which proxies name groups"},
	{"requestheader-extra-headers-prefix", 0, OPTION_WORDS, OPTION_GROUP_ACCESS,
		AT(requestheader_extra_prefixes), "NAMES", "of headers with more about the user"},
	{"requestheader-uid-headers", 0, OPTION_WORDS, OPTION_GROUP_ACCESS,
		AT(requestheader_uid_headers), "NAMES", "in which proxies give the user's uid"},
	{"page-access", 0, OPTION_CHOICE, OPTION_GROUP_ACCESS, AT(page),
		"review|loopback|open|token|nobody",
		"who may see the status page; review: who may list pods and nodes"},

	{"v", 'v', OPTION_I32, OPTION_GROUP_PROCESS, AT(verbosity), "LEVEL",
		"verbosity; 2: decisions, 3: attempts, 4: changes, 6: all"},
	{"vmodule", 0, OPTION_TEXT, OPTION_GROUP_PROCESS, AT(vmodule), "MODULE=LEVEL,...",
		"by module, the second word of a line; * and ? stand for others"},
	{"logging-format", 0, OPTION_FORM, OPTION_GROUP_PROCESS, AT(log_as_json), "text|json",
		"form of the log"},
	{"decision-log", 0, OPTION_TEXT, OPTION_GROUP_PROCESS, AT(decision_log), "stderr|FD",
		"a JSON object per decision and line, to a descriptor that is open; never waits"},
	{"memory", 0, OPTION_BYTES, OPTION_GROUP_PROCESS, AT(memory_bytes), "SIZE",
		"memory budget, which bounds the cluster; 'berth version' has the default"},
	{"nodes-max", 0, OPTION_COUNT, OPTION_GROUP_PROCESS, AT(nodes_max), "NUMBER",
		"maximum nodes, instead of what the budget allows"},
	{"pods-max", 0, OPTION_COUNT, OPTION_GROUP_PROCESS, AT(pods_max), "NUMBER", "maximum pods"},
	{"no-sandbox", 0, OPTION_BOOL, OPTION_GROUP_PROCESS, AT(no_sandbox), NULL,
		"keep all privileges of the process"},
	{"notice", 0, OPTION_PATH, OPTION_GROUP_PROCESS, AT(notice), "WORDS",
		"the page shows them among what is wrong; the appliance has them of berth.conf"},
	{"update-socket", 0, OPTION_BOOL, OPTION_GROUP_PROCESS, AT(update_socket), NULL,
		"updates that are put to the page go to standard input, as the appliance sets it"},
	{"version", 0, OPTION_VERSION, OPTION_GROUP_PROCESS, 0, NULL, "print the version and exit"},
	{"help", 'h', OPTION_HELP, OPTION_GROUP_PROCESS, 0, NULL, "this page"},

	{"kube-api-qps", 0, OPTION_REAL, OPTION_GROUP_DEPRECATED, GIVEN(qps), "NUMBER",
		"maximum pods tried per second; by default the apiserver limits"},
	{"kube-api-burst", 0, OPTION_I32, OPTION_GROUP_DEPRECATED, GIVEN(burst), "NUMBER",
		"pods that may be tried at once"},
	{"profiling", 0, OPTION_BOOL, OPTION_GROUP_DEPRECATED, AT(profiling), NULL, "serve /debug"},
	{"kube-api-content-type", 0, OPTION_TEXT, OPTION_GROUP_DEPRECATED, GIVEN(content_type),
		"TYPE", "JSON is spoken whatever it says"},
	{"contention-profiling", 0, OPTION_BOOL, OPTION_GROUP_DEPRECATED,
		GIVEN(contention_profiling), NULL, WHY_GO},

	{"port", 0, OPTION_PORT, OPTION_GROUP_OLDER, AT(http_port), "PORT", "--http-port"},
	{"address", 0, OPTION_ADDRESS, OPTION_GROUP_OLDER, AT(http_address), "IP",
		"--http-address"},
	{"lock-object-name", 0, OPTION_TEXT, OPTION_GROUP_OLDER, GIVEN(election.resource_name),
		"NAME", "--leader-elect-resource-name"},
	{"lock-object-namespace", 0, OPTION_TEXT, OPTION_GROUP_OLDER,
		GIVEN(election.resource_namespace), "NAME", "--leader-elect-resource-namespace"},
	{"scheduler-name", 0, OPTION_TEXT, OPTION_GROUP_OLDER, GIVEN(scheduler_name), "NAME",
		"profiles[0].schedulerName"},
	{"hard-pod-affinity-symmetric-weight", 0, OPTION_I32, OPTION_GROUP_OLDER,
		GIVEN(hard_weight), "WEIGHT", "InterPodAffinityArgs.hardPodAffinityWeight"},
	{"policy-configmap", 0, OPTION_TEXT, OPTION_GROUP_OLDER, GIVEN(policy_configmap), "NAME",
		"its policy.cfg is the policy; read once, at start"},
	{"policy-configmap-namespace", 0, OPTION_TEXT, OPTION_GROUP_OLDER,
		GIVEN(policy_configmap_namespace), "NAME", "where it is"},
	{"use-legacy-policy-config", 0, OPTION_BOOL, OPTION_GROUP_OLDER,
		GIVEN(legacy_policy_config), NULL,
		"--policy-config-file counts, also beside --policy-configmap"},

	NOTHING("min-compatibility-version", WHY_COMPAT),
	NOTHING_BOOL("emulation-forward-compatible", WHY_COMPAT),
	NOTHING("http2-max-streams-per-connection", WHY_HTTP2),
	NOTHING_BOOL("disable-http2-serving", WHY_HTTP2),
	NOTHING_BOOL("permit-port-sharing", WHY_SOCKET),
	NOTHING_BOOL("permit-address-sharing", WHY_SOCKET),
	NOTHING("log-flush-frequency", WHY_LOG),
	NOTHING_BOOL("log-text-split-stream", WHY_LOG),
	NOTHING("log-text-info-buffer-size", WHY_LOG),
	NOTHING_BOOL("log-json-split-stream", WHY_LOG),
	NOTHING("log-json-info-buffer-size", WHY_LOG),
	NOTHING_BOOL("logtostderr", WHY_LOG),
	NOTHING_BOOL("alsologtostderr", WHY_LOG),
	NOTHING("stderrthreshold", WHY_LOG),
	NOTHING("log-dir", WHY_LOG),
	NOTHING("log-file", WHY_LOG),
	NOTHING("log-file-max-size", WHY_LOG),
	NOTHING("log-backtrace-at", WHY_LOG),
	NOTHING_BOOL("add-dir-header", WHY_LOG),
	NOTHING_BOOL("one-output", WHY_LOG),
	NOTHING_BOOL("skip-headers", WHY_LOG),
	NOTHING_BOOL("skip-log-headers", WHY_LOG),
	NOTHING_BOOL("experimental-logging-sanitization", WHY_LOG),
	NOTHING("failure-domains", "topology keys are those that pods name"),
	NOTHING("google-json-key", WHY_CLOUD),
	NOTHING("azure-container-registry-config", WHY_CLOUD),
};

_Static_assert(sizeof(struct options) <= UINT16_MAX, "places fit");
const uint32_t option_count = ARRAY_COUNT(option_table);
_Static_assert(ARRAY_COUNT(option_table) <= (size_t)OPTIONS_FLAGS_MAX, "each has its bit");

/* ---- help ---- */

static const char *const titles[OPTION_GROUPS] = {
	[OPTION_GROUP_CLUSTER] = "The cluster",
	[OPTION_GROUP_SCHEDULING] = "Scheduling",
	[OPTION_GROUP_ELECTION] = "Leader election; these win over the configuration file",
	[OPTION_GROUP_SERVING] = "Serving metrics, health and the status page",
	[OPTION_GROUP_ACCESS] = "Who may see them",
	[OPTION_GROUP_PROCESS] = "This process",
	[OPTION_GROUP_DEPRECATED] = "Deprecated: the configuration file wins over them",
	[OPTION_GROUP_OLDER] = "Of older releases, and what they mean",
	[OPTION_GROUP_NOTHING] = "Accepted without effect",
};

enum { HELP_COLUMN = 44 };

static void write_option_default(struct writer *out, const struct options *defaults, uint32_t flag)
{
	char value[128];
	struct writer w;
	writer_init(&w, value, sizeof(value));
	options_show_flag(defaults, flag, &w);
	struct text is = writer_text(&w);
	bool is_none = is.size == 0 || text_is(is, TEXT("0")) || text_is(is, TEXT("false")) ||
		text_is(is, TEXT("[]"));
	if (!is_none && option_table[flag].group < OPTION_GROUP_OLDER)
		write_format(out, " (default %.*s)", TEXT_ARGS(is));
}

static void write_option(struct writer *out, const struct options *defaults, uint32_t flag)
{
	const struct option *o = &option_table[flag];
	size_t start = out->used;
	if (o->letter == '\0')
		write_format(out, "      --%s", o->name);
	else
		write_format(out, "  -%c, --%s", o->letter, o->name);
	if (o->value != NULL && o->group != OPTION_GROUP_NOTHING)
		write_format(out, " %s", o->value);
	size_t width = out->used - start;
	if (width >= HELP_COLUMN) {
		write_char(out, '\n');
		width = 0;
	}
	write_format(out, "%*s %s", (int)(HELP_COLUMN - width), "", o->help);
	write_option_default(out, defaults, flag);
	write_char(out, '\n');
}

void options_help(const struct options *defaults, bool with_nothing, struct writer *out)
{
	uint32_t groups = with_nothing ? OPTION_GROUPS : OPTION_GROUP_NOTHING;
	for (uint32_t group = 0; group < groups; group++) {
		write_format(out, "%s%s:\n", group == 0 ? "" : "\n", titles[group]);
		for (uint32_t i = 0; i < option_count; i++)
			if (option_table[i].group == group &&
				(with_nothing || option_table[i].type != OPTION_REFUSED))
				write_option(out, defaults, i);
	}
}
