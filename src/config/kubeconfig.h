/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kubeconfig: where the apiserver is, whom to trust and who we are, from a kubeconfig file, from
 * the service account of a pod, or from a bare address; as client-go finds it.
 *
 * It is read at start, before the memory is sealed. What it asks for and berth cannot do (exec
 * plugins, auth providers) is a fault, not something left out in silence.
 */
#ifndef BERTH_CONFIG_KUBECONFIG_H
#define BERTH_CONFIG_KUBECONFIG_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/scratch.h"
#include "base/text.h"
#include "base/url.h"

enum { KUBECONFIG_FILE_MAX = 1024 * 1024 };

struct kubeconfig {
	struct url server;
	/* PEM text, or the path of a file to watch; never both. Not there: TEXT_NONE, NULL. */
	struct text ca, certificate, key, token;
	const char *ca_file, *certificate_file, *key_file, *token_file;
	struct text tls_server_name;
	struct text username, password;
	struct text proxy;         /* TEXT_NONE: what the environment says */
	struct text impersonation; /* headers of each request, each line with its CR LF */
	bool insecure_skip_tls_verify;
	bool in_cluster;
	struct text context; /* its name; TEXT_NONE without a file */
};

struct kubeconfig_question {
	const char *path;    /* --kubeconfig, or NULL */
	const char *context; /* NULL: the file's current-context */
	const char *master;  /* --master, or NULL */
	/*
	 * Without path and master: $KUBECONFIG, the service account of the pod, k3s's own file,
	 * what comes first; false: the service account and nothing else.
	 */
	bool search;
	/* The world; NULL: getenv(), /var/run/secrets/kubernetes.io/serviceaccount */
	const char *(*environment)(const char *name);
	const char *service_account_folder;
	const char *k3s_path; /* NULL: /etc/rancher/k3s/k3s.yaml */
};

/*
 * Strings are copied to the arena (less than twice the file's size). False with one line in
 * `fault`: file, line, field, what is wrong, what would be right.
 */
MUST_USE bool kubeconfig_load(struct kubeconfig *kubeconfig,
	const struct kubeconfig_question *question, struct arena *arena, struct scratch *scratch,
	struct writer *fault);

#endif
