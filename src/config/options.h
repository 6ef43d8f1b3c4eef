/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of `berth run`: what the flags and the configuration file say, checked, merged, defaults
 * filled in. The flags are those of kube-scheduler, today's and those of older releases, and a few
 * of our own.
 *
 * What kube-scheduler does: a configuration file replaces the deprecated group of flags; flags
 * about leader election replace what the file says; '_' and '-' in names are the same. What we do
 * besides: what would have no effect here is accepted and told once.
 */
#ifndef BERTH_CONFIG_OPTIONS_H
#define BERTH_CONFIG_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/log.h"
#include "base/scratch.h"
#include "base/text.h"
#include "config/kubeconfig.h"
#include "kube/feature_gates.h"
#include "profile/scheduler_config.h"

enum { OPTIONS_WORDS_MAX = 32, OPTIONS_FLAGS_MAX = 192 };

struct options_words { /* of a flag that takes several, or comes several times */
	struct text list[OPTIONS_WORDS_MAX];
	uint32_t count;
};

/* --allow-metric-labels: values that a label of a metric may have; others are "unexpected". */
struct options_metric_rule {
	struct text metric, label;
	struct text values; /* "a,b" */
};
enum { OPTIONS_METRIC_RULES_MAX = 64 };
struct options_metrics {
	struct options_words disabled;
	struct options_metric_rule rules[OPTIONS_METRIC_RULES_MAX];
	uint32_t rule_count;
	const char *manifest; /* a file with more rules, read already */
	struct text show_hidden_for;
	bool show_hidden; /* metrics that the release is about to lose */
};

enum options_tls { OPTIONS_TLS_1_2, OPTIONS_TLS_1_3 };

/*
 * Who may see the status page: users who may list pods and nodes, by a review; besides, without
 * credentials, peers on this machine; all that reach the port; any user who is known; none.
 */
enum options_page {
	OPTIONS_PAGE_REVIEW,
	OPTIONS_PAGE_LOOPBACK,
	OPTIONS_PAGE_OPEN,
	OPTIONS_PAGE_TOKEN,
	OPTIONS_PAGE_NOBODY
};

/*
 * Paths and addresses are zero-terminated, NULL when there is none; a count or size of 0 means the
 * board's. Texts live in argv and in the scratch that was given, as those of `config` do.
 */
struct options {
	/* Leader election, client, profiles, extenders, backoff: the flags are in here already. */
	struct scheduler_config config;

	/* the cluster: for kubeconfig_load() */
	struct kubeconfig_question kubeconfig;
	double api_qps; /* 0: as fast as the apiserver takes it */
	int32_t api_burst;
	double bind_qps; /* bindings alone, as in v1.0; 0: no limit */
	int32_t bind_burst;

	/* HTTPS; without certificate one is made up */
	const char *bind_address;
	int32_t secure_port; /* 0: off */
	const char *cert_dir;
	const char *tls_cert_file;
	const char *tls_private_key_file;
	uint32_t tls_min;                            /* enum options_tls */
	struct options_words tls_suites, tls_curves; /* none: all that there are */
	struct options_words tls_named;              /* certificates for names */
	/* HTTP without authentication: /healthz and /metrics of older releases */
	const char *http_address;
	int32_t http_port; /* 0: off */
	bool profiling;    /* /debug */

	/* who may ask */
	const char *authentication_kubeconfig;
	const char *authorization_kubeconfig;
	const char *client_ca_file;
	const char *requestheader_client_ca_file;
	struct options_words requestheader_allowed_names;
	struct options_words requestheader_username_headers;
	struct options_words requestheader_group_headers;
	struct options_words requestheader_extra_prefixes;
	struct options_words requestheader_uid_headers;
	struct options_words always_allow_paths; /* a '*' at the end: and all below */
	bool authentication_skip_lookup;
	bool authentication_tolerate_lookup_failure;
	int64_t token_ttl_us;
	int64_t authorized_ttl_us;
	int64_t unauthorized_ttl_us;
	uint32_t page; /* enum options_page */

	/* scheduling */
	bool yields;                  /* to another scheduler that is at work */
	int64_t unschedulable_max_us; /* pods wait no longer without being tried again */
	struct feature_choices features;
	uint32_t release;            /* enum kube_release, as --emulated-version has it */
	const char *config_file;     /* where the configuration is from, for messages */
	const char *write_config_to; /* write it there and exit */
	bool file_is_broken;         /* it is to blame, not the flags */

	struct options_metrics metrics;

	/* this process */
	int32_t verbosity;
	const char *vmodule;
	struct log_modules log_modules; /* of it */
	bool log_as_json;
	bool no_sandbox;
	const char *notice; /* what else is wrong, for the page */
	bool update_socket; /* standard input leads to who writes updates */
	uint64_t memory_bytes;
	struct text decision_log; /* "stderr" or the number of a descriptor */
	uint32_t nodes_max;
	uint32_t pods_max;
	uint32_t connections; /* to the apiserver, for bindings */

	/* What the flags say that `config` says too; merged, not for reading. */
	struct options_given {
		const char *config;
		const char *kubeconfig;
		const char *policy_config_file;
		struct text policy_configmap, policy_configmap_namespace;
		bool legacy_policy_config; /* the file, whatever the ConfigMap is */
		const char *algorithm_provider;
		struct scheduler_leader_election election;
		struct text content_type;
		struct text scheduler_name;
		double qps;
		int32_t burst;
		int32_t hard_weight;
		bool contention_profiling;
		const char *values[OPTIONS_FLAGS_MAX];  /* as they were given last, for /flagz */
		uint32_t flags[OPTIONS_FLAGS_MAX / 32]; /* bits, by index in the table */
	} given;
};

enum options_result {
	OPTIONS_READY,
	OPTIONS_HELP,    /* --help: options_help() has the words */
	OPTIONS_VERSION, /* --version */
	OPTIONS_BROKEN,  /* the file; faults say why */
	OPTIONS_WRONG    /* flags, or both; faults say why */
};

struct options_question {
	int argc; /* argv[0] is not looked at */
	char *const *argv;
	struct scratch *scratch;      /* 4 MiB do; files that need more are a fault */
	struct config_faults *faults; /* all that is wrong with flags and files */
	struct config_faults *notes;  /* what is accepted and has no effect */
	/*
	 * For --policy-configmap: the object at the path of that cluster's apiserver, as JSON in
	 * `scratch`; or why not. NULL: the flag cannot be had.
	 */
	bool (*get)(const struct kubeconfig_question *cluster, const char *path,
		struct scratch *scratch, struct text *json, struct writer *fault);
};

/*
 * Reads flags and files. Print both lists by config_faults_print(list, TEXT("berth"), ...): faults
 * in files name their file.
 */
MUST_USE enum options_result options_load(
	struct options *options, const struct options_question *question);

/* Flags in the order of their names; OPTIONS_NO_FLAG: before the first, and behind the last. */
#define OPTIONS_NO_FLAG UINT32_MAX
uint32_t options_next_flag(uint32_t before);
const char *options_flag_name(uint32_t flag);
/* What stands for its value in the help, "a|b" or "FILE"; NULL: it takes none, or is none. */
const char *options_flag_value(struct text name);
/* What was given, else what is had without. Nothing in it is a secret: files are named. */
void options_show_flag(const struct options *options, uint32_t flag, struct writer *to);

/* All flags, in groups, with what they are in `defaults`; those without effect only if asked for.
 */
void options_help(const struct options *defaults, bool with_nothing, struct writer *out);
enum { OPTIONS_HELP_MAX = 24 * 1024 /* bytes of it */ };

#endif
