/* SPDX-License-Identifier: GPL-2.0-only */
/* From the words of a kubeconfig to those of a connection. */
#include "command/target.h"

#include "http/proxy.h"

struct net_target target_of_kubeconfig(const struct kubeconfig *config)
{
	struct net_target target = {.name = "apiserver",
		.https = config->server.https,
		.host = config->server.host,
		.port = config->server.port,
		.path_prefix = config->server.path,
		.server_name = config->tls_server_name,
		.insecure_skip_verify = config->insecure_skip_tls_verify,
		.ca = config->ca,
		.certificate = config->certificate,
		.key = config->key,
		.token = config->token,
		.ca_file = config->ca_file,
		.certificate_file = config->certificate_file,
		.key_file = config->key_file,
		.token_file = config->token_file,
		.headers = config->impersonation,
		.username = config->username,
		.password = config->password,
		.proxy = config->proxy};
	if (target.proxy.at == NULL)
		target.proxy = proxy_of_environment(&target, NULL);
	return target;
}
