/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kubeconfig.
 *
 * What client-go does (tools/clientcmd): the context names a cluster and a user; text in the file
 * wins over paths, token over tokenFile; paths are relative to the file; credentials are used
 * for https only; --master replaces the server's address and keeps the rest; without both, the
 * pod's service account. What we do besides: refuse keys that are there twice, and fields whose
 * meaning we could not honour; and look where kubectl and k3s have their files.
 */
#include "config/kubeconfig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "config/file.h"
#include "yaml/yaml.h"

static const char service_account_folder[] = "/var/run/secrets/kubernetes.io/serviceaccount";

struct load {
	struct kubeconfig *to;
	const struct kubeconfig_question *question;
	struct arena *arena;
	struct scratch *scratch;
	struct writer *fault;
	const char *path;
};

/* "FILE:LINE: FIELD: what". */
static bool kubeconfig_fail(
	const struct load *load, uint32_t line, const char *field, const char *what)
{
	write_z(load->fault, load->path);
	if (line > 0)
		write_format(load->fault, ":%u", (unsigned)line);
	write_format(load->fault, ": %s%s%s", field, field[0] == '\0' ? "" : ": ", what);
	return false;
}

static bool fail_node(const struct load *load, const struct yaml_node *node, const char *where,
	const char *field, const char *what)
{
	char name[128];
	struct writer w;

	writer_init(&w, name, sizeof(name) - 1);
	write_format(&w, "%s.%s", where, field);
	name[w.used] = '\0';
	return kubeconfig_fail(load, node->line, name, what);
}

/* ---- memory ---- */

/* With a terminating zero behind it. */
static bool keep_value(const struct load *load, struct text t, struct text *kept)
{
	if (arena_left(load->arena) < t.size + 64)
		return kubeconfig_fail(load, 0, "", "no memory for what is in it");
	char *to = arena_take(load->arena, t.size + 1);
	if (t.size > 0)
		memcpy(to, t.at, t.size);
	*kept = (struct text){to, t.size};
	return true;
}

static bool keep_path(const struct load *load, struct text t, const char **kept)
{
	struct text folder = text_of(load->path), whole;
	char *joined;
	size_t slash = text_find_last(folder, '/');

	if (t.at[0] == '/' || slash == folder.size) {
		if (!keep_value(load, t, &whole))
			return false;
		*kept = whole.at;
		return true;
	}
	joined = scratch_take(load->scratch, slash + 1 + t.size);
	if (joined == NULL)
		return kubeconfig_fail(load, 0, "", "no memory for what is in it");
	memcpy(joined, folder.at, slash + 1);
	memcpy(joined + slash + 1, t.at, t.size);
	if (!keep_value(load, (struct text){joined, slash + 1 + t.size}, &whole))
		return false;
	*kept = whole.at;
	return true;
}

/* ---- fields ---- */

/* TEXT_NONE when it is not there, null, or empty. */
static bool get_text(const struct load *load, const struct yaml_node *map, const char *where,
	const char *field, struct text *value)
{
	const struct yaml_node *node = yaml_get(map, field);

	*value = TEXT_NONE;
	if (node == NULL || node->kind == YAML_NULL)
		return true;
	if (node->kind == YAML_LIST || node->kind == YAML_MAP)
		return fail_node(load, node, where, field, "must be text");
	if (text_find(node->text, '\0') < node->text.size)
		return fail_node(load, node, where, field, "has a zero byte in it");
	if (node->text.size > 0)
		*value = node->text;
	return true;
}

static bool keep_scalar(const struct load *load, const struct yaml_node *map, const char *where,
	const char *field, struct text *kept)
{
	struct text value;

	if (!get_text(load, map, where, field, &value))
		return false;
	return value.at == NULL || keep_value(load, value, kept);
}

static bool get_bool(const struct load *load, const struct yaml_node *map, const char *where,
	const char *field, bool *value)
{
	const struct yaml_node *node = yaml_get(map, field);
	char json[8];
	struct writer w;
	struct yaml_fault fault;

	*value = false;
	if (node == NULL || node->kind == YAML_NULL)
		return true;
	if (node->kind != YAML_BOOL)
		return fail_node(load, node, where, field, "must be true or false");
	writer_init(&w, json, sizeof(json));
	*value = yaml_write_json(node, &w, &fault) && text_is_z(writer_text(&w), "true");
	return true;
}

/* FIELD-data as PEM text, or FIELD as a path. */
static bool keep_pem(const struct load *load, const struct yaml_node *map, const char *where,
	const char *field, const char *data_field, struct text *pem, const char **file)
{
	struct text data, path;
	size_t size;

	if (!get_text(load, map, where, data_field, &data) ||
		!get_text(load, map, where, field, &path))
		return false;
	if (data.at == NULL)
		return path.at == NULL || keep_path(load, path, file);
	const struct yaml_node *node = yaml_get(map, data_field);
	char *decoded = scratch_take(load->scratch, base64_room(data));
	if (decoded == NULL)
		return kubeconfig_fail(load, 0, "", "no memory for what is in it");
	if (!base64_decode(data, decoded, &size))
		return fail_node(load, node, where, data_field, "is not base64");
	if (!text_contains((struct text){decoded, size}, TEXT("-----BEGIN ")))
		return fail_node(load, node, where, data_field,
			"is base64, but not of PEM (-----BEGIN ...)");
	return keep_value(load, (struct text){decoded, size}, pem);
}

/* What would change how or as whom we talk, and cannot be done. */
static bool kubeconfig_refuse(
	const struct load *load, const struct yaml_node *map, const char *where)
{
	static const struct {
		const char *field;
		const char *what;
	} refused[] = {
		{"exec",
			"credential plugins are not supported; use a client certificate, token or "
			"tokenFile"},
		{"auth-provider",
			"auth providers are not supported; use a client certificate, token or "
			"tokenFile"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
		const struct yaml_node *node = yaml_get(map, refused[i].field);

		if (node == NULL || node->kind == YAML_NULL ||
			(node->kind == YAML_TEXT && node->text.size == 0) ||
			((node->kind == YAML_LIST || node->kind == YAML_MAP) && node->count == 0))
			continue;
		return fail_node(load, node->key, where, refused[i].field, refused[i].what);
	}
	return true;
}

/* ---- cluster, user, context ---- */

static bool parse_server(
	struct load *load, struct text server, uint32_t line, const char *field, bool secure)
{
	struct text kept;
	const char *fault;

	if (!keep_value(load, server, &kept))
		return false;
	return url_parse(kept, secure, &load->to->server, &fault) ||
		kubeconfig_fail(load, line, field, fault);
}

static bool keep_proxy(const struct load *load, const struct yaml_node *cluster, const char *where)
{
	struct text *proxy = &load->to->proxy;
	struct url_proxy parsed;
	const char *fault = "unsupported scheme, must be http, https, or socks5";

	if (!keep_scalar(load, cluster, where, "proxy-url", proxy))
		return false;
	/* In the environment it may be without a scheme, here it may not. */
	return proxy->at == NULL ||
		(text_contains(*proxy, TEXT("://")) && url_parse_proxy(*proxy, &parsed, &fault)) ||
		fail_node(load, yaml_get(cluster, "proxy-url"), where, "proxy-url", fault);
}

static bool load_cluster(struct load *load, const struct yaml_node *cluster, const char *where)
{
	struct kubeconfig *to = load->to;
	struct text server;

	if (!kubeconfig_refuse(load, cluster, where) ||
		!get_text(load, cluster, where, "server", &server) ||
		!get_bool(load, cluster, where, "insecure-skip-tls-verify",
			&to->insecure_skip_tls_verify) ||
		!keep_scalar(load, cluster, where, "tls-server-name", &to->tls_server_name) ||
		!keep_proxy(load, cluster, where) ||
		!keep_pem(load, cluster, where, "certificate-authority",
			"certificate-authority-data", &to->ca, &to->ca_file))
		return false;
	bool has_ca = to->ca.at != NULL || to->ca_file != NULL;
	if (to->insecure_skip_tls_verify && has_ca)
		return fail_node(load, yaml_get(cluster, "insecure-skip-tls-verify"), where,
			"insecure-skip-tls-verify",
			"specifying a root certificates file with the insecure flag is not "
			"allowed");
	if (load->question->master != NULL)
		return true;
	if (server.at == NULL)
		return fail_node(load, cluster, where, "server",
			"is missing: the apiserver's address, https://HOST:PORT");
	const struct yaml_node *node = yaml_get(cluster, "server");
	char field[160];
	struct writer w;
	writer_init(&w, field, sizeof(field) - 1);
	write_format(&w, "%s.server", where);
	field[w.used] = '\0';
	return parse_server(
		load, server, node->line, field, has_ca || to->insecure_skip_tls_verify);
}

/* ---- impersonation ---- */

enum { IMPERSONATION_MAX = 8 * 1024 };

static bool is_header_value(struct text t)
{
	for (size_t i = 0; i < t.size; i++)
		if ((unsigned char)t.at[i] < ' ' || t.at[i] == 0x7f)
			return false;
	return true;
}

/* Names of headers have letters, digits and a few signs; the rest is escaped, as Go's client does.
 */
static void put_header_name(struct writer *w, struct text name)
{
	for (size_t i = 0; i < name.size; i++) {
		char c = name.at[i];
		bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			(c >= '0' && c <= '9') ||
			(c != '\0' && strchr("!#$&'*+-.^_`|~", c) != NULL);
		if (is_plain)
			write_char(w, c);
		else
			write_format(w, "%%%02X", (unsigned)(unsigned char)c);
	}
}

static bool put_impersonation(const struct load *load, const struct yaml_node *node,
	const char *where, const char *field, struct text name, struct writer *w)
{
	if (node->kind == YAML_LIST || node->kind == YAML_MAP || node->kind == YAML_NULL ||
		!is_header_value(node->text))
		return fail_node(load, node, where, field, "must be text of one line");
	write_z(w, "Impersonate-");
	put_header_name(w, name);
	write_z(w, ": ");
	write_text(w, node->text);
	write_z(w, "\r\n");
	return true;
}

static bool put_impersonations(const struct load *load, const struct yaml_node *list,
	const char *where, const char *field, struct text name, struct writer *w)
{
	if (list->kind != YAML_LIST)
		return fail_node(load, list, where, field, "must be a list");
	for (const struct yaml_node *one = list->first; one != NULL; one = one->next)
		if (!put_impersonation(load, one, where, field, name, w))
			return false;
	return true;
}

static bool put_extras(
	const struct load *load, const struct yaml_node *map, const char *where, struct writer *w)
{
	if (map->kind != YAML_MAP)
		return fail_node(load, map, where, "as-user-extra", "must be a map of lists");
	for (const struct yaml_node *one = map->first; one != NULL; one = one->next) {
		char room[512];
		struct writer name;
		writer_init(&name, room, sizeof(room));
		write_z(&name, "Extra-");
		write_text(&name, one->key->text);
		if (name.overflowed)
			return fail_node(load, one, where, "as-user-extra", "has too long a name");
		if (!put_impersonations(load, one, where, "as-user-extra", writer_text(&name), w))
			return false;
	}
	return true;
}

static bool is_something(const struct yaml_node *node)
{
	return node != NULL && node->kind != YAML_NULL &&
		!(node->kind == YAML_TEXT && node->text.size == 0) &&
		!((node->kind == YAML_LIST || node->kind == YAML_MAP) && node->count == 0);
}

static bool load_impersonation(
	const struct load *load, const struct yaml_node *user, const char *where)
{
	const struct yaml_node *as = yaml_get(user, "as"), *uid = yaml_get(user, "as-uid");
	const struct yaml_node *groups = yaml_get(user, "as-groups");
	const struct yaml_node *extra = yaml_get(user, "as-user-extra");
	char room[IMPERSONATION_MAX];
	struct writer w;

	writer_init(&w, room, sizeof(room));
	if (!is_something(as)) {
		if (is_something(uid) || is_something(groups) || is_something(extra))
			return fail_node(load, user, where, "as",
				"is missing: as-uid, as-groups and as-user-extra need it");
		return true;
	}
	if (!put_impersonation(load, as, where, "as", TEXT("User"), &w) ||
		(is_something(uid) &&
			!put_impersonation(load, uid, where, "as-uid", TEXT("Uid"), &w)) ||
		(is_something(groups) &&
			!put_impersonations(load, groups, where, "as-groups", TEXT("Group"), &w)) ||
		(is_something(extra) && !put_extras(load, extra, where, &w)))
		return false;
	if (w.overflowed)
		return fail_node(load, as, where, "as", "has groups and more of over 8 kB");
	return keep_value(load, writer_text(&w), &load->to->impersonation);
}

static bool load_user(struct load *load, const struct yaml_node *user, const char *where)
{
	struct kubeconfig *to = load->to;
	struct text token_file;

	if (!kubeconfig_refuse(load, user, where) ||
		!keep_scalar(load, user, where, "token", &to->token) ||
		!get_text(load, user, where, "tokenFile", &token_file) ||
		!keep_scalar(load, user, where, "username", &to->username) ||
		!keep_scalar(load, user, where, "password", &to->password) ||
		!keep_pem(load, user, where, "client-certificate", "client-certificate-data",
			&to->certificate, &to->certificate_file) ||
		!keep_pem(load, user, where, "client-key", "client-key-data", &to->key,
			&to->key_file))
		return false;
	if (to->token.at == NULL && token_file.at != NULL &&
		!keep_path(load, token_file, &to->token_file))
		return false;
	bool has_certificate = to->certificate.at != NULL || to->certificate_file != NULL;
	bool has_key = to->key.at != NULL || to->key_file != NULL;
	if (has_certificate && !has_key)
		return fail_node(
			load, user, where, "client-key", "is missing: client-certificate needs it");
	if (has_key && !has_certificate)
		return fail_node(
			load, user, where, "client-certificate", "is missing: client-key needs it");
	if (has_certificate && to->username.at != NULL)
		return fail_node(load, user, where, "username",
			"and a client certificate together: choose one");
	if ((to->token.at != NULL || to->token_file != NULL) && to->username.at != NULL)
		return fail_node(load, user, where, "username", "and a token together: choose one");
	if (to->username.at != NULL && to->password.at == NULL)
		to->password = TEXT("");
	return load_impersonation(load, user, where);
}

/* The element of LIST whose name is `name`; its member `inside` in *found. */
static bool find_named(const struct load *load, const struct yaml_node *root, const char *list,
	struct text name, const char *inside, const struct yaml_node **found, char *where,
	size_t where_size)
{
	const struct yaml_node *elements = yaml_get(root, list);
	struct text named;
	struct writer w;
	uint32_t index = 0;

	*found = NULL;
	if (elements == NULL || elements->kind == YAML_NULL)
		return true;
	if (elements->kind != YAML_LIST)
		return kubeconfig_fail(load, elements->line, list, "must be a list");
	for (const struct yaml_node *element = elements->first; element != NULL;
		element = element->next, index++) {
		writer_init(&w, where, where_size - 1);
		write_format(&w, "%s[%u]", list, (unsigned)index);
		where[w.used] = '\0';
		if (element->kind != YAML_MAP)
			return kubeconfig_fail(load, element->line, where, "must be a map");
		if (!get_text(load, element, where, "name", &named))
			return false;
		if (!text_is(named, name))
			continue;
		const struct yaml_node *node = yaml_get(element, inside);
		if (node == NULL || (node->kind != YAML_MAP && node->kind != YAML_NULL))
			return fail_node(load, element, where, inside, "must be a map");
		*found = node;
		write_format(&w, ".%s", inside);
		where[w.used] = '\0';
		return true;
	}
	return true;
}

static bool fail_unknown(const struct load *load, uint32_t line, const char *field,
	const char *what, struct text name)
{
	char words[160];
	struct writer w;

	writer_init(&w, words, sizeof(words) - 1);
	write_format(&w, "%s \"%.*s\" is not in the file", what, TEXT_ARGS(name));
	words[w.used] = '\0';
	return kubeconfig_fail(load, line, field, words);
}

static bool load_context(struct load *load, const struct yaml_node *root, struct text name,
	uint32_t line, const char *field)
{
	const struct yaml_node *context, *cluster, *user;
	struct text cluster_name, user_name;
	char where[64], inside[64];

	if (!find_named(load, root, "contexts", name, "context", &context, where, sizeof(where)))
		return false;
	if (context == NULL)
		return fail_unknown(load, line, field, "context", name);
	if (!keep_value(load, name, &load->to->context) ||
		!get_text(load, context, where, "cluster", &cluster_name) ||
		!get_text(load, context, where, "user", &user_name))
		return false;
	if (cluster_name.at == NULL)
		return fail_node(
			load, context, where, "cluster", "is missing: the name of one of clusters");
	if (!find_named(load, root, "clusters", cluster_name, "cluster", &cluster, inside,
		    sizeof(inside)))
		return false;
	if (cluster == NULL)
		return fail_unknown(
			load, yaml_get(context, "cluster")->line, where, "cluster", cluster_name);
	if (!load_cluster(load, cluster, inside))
		return false;
	if (user_name.at == NULL)
		return true;
	if (!find_named(load, root, "users", user_name, "user", &user, inside, sizeof(inside)))
		return false;
	if (user == NULL)
		return fail_unknown(
			load, yaml_get(context, "user")->line, where, "user", user_name);
	return load_user(load, user, inside);
}

/* ---- the file ---- */

static bool read_file(const struct load *load, struct text *content)
{
	struct stat st;
	const char *fault = "not a regular file";
	int fd = open(load->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return kubeconfig_fail(load, 0, "", strerror(errno));
	bool done = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		config_fd_read(fd, load->scratch, content, &fault);
	close(fd);
	return done || kubeconfig_fail(load, 0, "", fault);
}

static bool check_kind(const struct load *load, const struct yaml_node *root)
{
	struct text kind;

	if (root->kind != YAML_MAP)
		return kubeconfig_fail(load, root->line, "",
			"not a kubeconfig: it must be a map with clusters, contexts, users");
	if (!get_text(load, root, "kubeconfig", "kind", &kind))
		return false;
	if (kind.at != NULL && !text_is_z(kind, "Config"))
		return kubeconfig_fail(
			load, yaml_get(root, "kind")->line, "kind", "must be Config");
	return true;
}

static bool load_file(struct load *load)
{
	struct yaml_fault broken;
	struct yaml_node *root;
	struct text content, name;

	if (!read_file(load, &content))
		return false;
	enum yaml_result result = yaml_read(content, load->scratch, &root, &broken);
	if (result == YAML_BROKEN)
		return kubeconfig_fail(load, broken.line, "", broken.what);
	if (result == YAML_END || root->kind == YAML_NULL)
		return kubeconfig_fail(load, 0, "", "is empty");
	if (!check_kind(load, root))
		return false;
	if (load->question->context != NULL)
		return load_context(load, root, text_of(load->question->context), 0, "--context");
	if (!get_text(load, root, "kubeconfig", "current-context", &name))
		return false;
	if (name.at == NULL)
		return kubeconfig_fail(
			load, 0, "current-context", "is missing: the name of one of contexts");
	return load_context(
		load, root, name, yaml_get(root, "current-context")->line, "current-context");
}

/* ---- the service account of a pod ---- */

static bool folder_file(
	const struct load *load, const char *folder, const char *name, const char **path)
{
	char joined[512];
	struct text kept;
	struct writer w;

	writer_init(&w, joined, sizeof(joined));
	write_format(&w, "%s/%s", folder, name);
	if (w.overflowed || !keep_value(load, writer_text(&w), &kept))
		return false;
	*path = kept.at;
	if (access(kept.at, R_OK) == 0)
		return true;
	write_format(load->fault, "%s: %s", kept.at, strerror(errno));
	return false;
}

static const char *environment(const struct load *load, const char *name)
{
	const struct kubeconfig_question *question = load->question;
	return question->environment == NULL ? getenv(name) : question->environment(name);
}

static bool is_in_pod(const struct load *load)
{
	const char *host = environment(load, "KUBERNETES_SERVICE_HOST");
	const char *port = environment(load, "KUBERNETES_SERVICE_PORT");
	return host != NULL && port != NULL && host[0] != '\0' && port[0] != '\0';
}

static bool load_in_cluster(struct load *load)
{
	const struct kubeconfig_question *question = load->question;
	const char *folder = question->service_account_folder == NULL
		? service_account_folder
		: question->service_account_folder;
	const char *host = environment(load, "KUBERNETES_SERVICE_HOST"),
		   *port = environment(load, "KUBERNETES_SERVICE_PORT");
	char server[320];
	struct writer w;

	load->path = "KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT";
	if (!is_in_pod(load)) {
		write_z(load->fault,
			"no --kubeconfig, no --master, and not in a pod (KUBERNETES_SERVICE_HOST "
			"and "
			"KUBERNETES_SERVICE_PORT are not set): name a kubeconfig file");
		return false;
	}
	writer_init(&w, server, sizeof(server));
	bool bare_v6 = strchr(host, ':') != NULL;
	write_format(&w, "https://%s%s%s:%s", bare_v6 ? "[" : "", host, bare_v6 ? "]" : "", port);
	if (w.overflowed)
		return kubeconfig_fail(load, 0, "", "too long");
	load->to->in_cluster = true;
	return parse_server(load, writer_text(&w), 0, "server", true) &&
		folder_file(load, folder, "token", &load->to->token_file) &&
		folder_file(load, folder, "ca.crt", &load->to->ca_file);
}

/* ---- without --kubeconfig ---- */

/*
 * kubectl merges the files of the list; here the first that is there is taken whole, as nearly
 * always there is one.
 */
static bool find_in_environment(struct load *load)
{
	const char *list = environment(load, "KUBECONFIG");
	struct text rest = text_of(list), path, kept;

	while (list != NULL && text_cut(&rest, ':', &path)) {
		if (path.size == 0 || !keep_value(load, path, &kept))
			continue;
		load->path = kept.at;
		if (access(kept.at, F_OK) == 0)
			return true;
	}
	return false;
}

static bool load_found(struct load *load)
{
	const char *k3s = load->question->k3s_path;

	if (find_in_environment(load))
		return load_file(load);
	if (is_in_pod(load))
		return load_in_cluster(load);
	load->path = k3s == NULL ? "/etc/rancher/k3s/k3s.yaml" : k3s;
	if (access(load->path, F_OK) == 0)
		return load_file(load);
	write_format(load->fault,
		"no --kubeconfig, no --master, no clientConnection.kubeconfig, no file in "
		"$KUBECONFIG, not in a pod (KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT "
		"are not set), no %s: name a kubeconfig file",
		load->path);
	return false;
}

/* ---- all together ---- */

static void forget_credentials(struct kubeconfig *to)
{
	to->certificate = to->key = to->token = to->username = to->password = TEXT_NONE;
	to->certificate_file = to->key_file = to->token_file = NULL;
}

static bool load_all(struct kubeconfig *kubeconfig, const struct kubeconfig_question *question,
	struct arena *arena, struct scratch *scratch, struct writer *fault)
{
	struct load load = {.to = kubeconfig,
		.question = question,
		.arena = arena,
		.scratch = scratch,
		.fault = fault,
		.path = question->path};
	bool has_file = question->path != NULL && question->path[0] != '\0';

	*kubeconfig = (struct kubeconfig){.in_cluster = false};
	if (has_file && !load_file(&load))
		return false;
	if (!has_file && question->master == NULL && !question->search)
		return load_in_cluster(&load);
	if (!has_file && question->master == NULL && !load_found(&load))
		return false;
	if (question->master == NULL && kubeconfig->in_cluster)
		return true;
	bool secure = kubeconfig->ca.at != NULL || kubeconfig->ca_file != NULL ||
		kubeconfig->certificate.at != NULL || kubeconfig->certificate_file != NULL ||
		kubeconfig->insecure_skip_tls_verify;
	load.path = "--master";
	if (question->master != NULL &&
		!parse_server(&load, text_of(question->master), 0, "address", secure))
		return false;
	if (!kubeconfig->server.https)
		forget_credentials(kubeconfig);
	return true;
}

bool kubeconfig_load(struct kubeconfig *kubeconfig, const struct kubeconfig_question *question,
	struct arena *arena, struct scratch *scratch, struct writer *fault)
{
	struct scratch_mark mark = scratch_mark(scratch);
	bool loaded = load_all(kubeconfig, question, arena, scratch, fault);
	/* Keys and tokens, as they stood in the file. */
	explicit_bzero(scratch->base + mark.used, scratch->used - mark.used);
	scratch_rewind(scratch, mark);
	return loaded;
}
