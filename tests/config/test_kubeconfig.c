/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kubeconfig: files of real installations, relative paths, the service account, --master, and the
 * one line that says what is wrong.
 */
// deps: config/kubeconfig.c config/file.c yaml/yaml.c yaml/memory.c yaml/scalar.c
// deps: base/base64.c base/url.c
// deps: base/*.c
// libs: yaml
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/poison.h"
#include "base/base64.h"
#include "config/kubeconfig.h"

enum { MEMORY = 4 << 20 };

static char folder[64];
static char path[128];
static char line[512];
static void *memory[2];
static struct arena arena;
static struct scratch scratch;
static struct kubeconfig config;
static struct kubeconfig_question question;
static struct writer fault;

void setUp(void)
{
	snprintf(folder, sizeof(folder), "build/kubeconfig.XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/config", folder);
	memory[0] = calloc(1, MEMORY);
	memory[1] = calloc(1, MEMORY);
	arena_init(&arena, memory[0], MEMORY);
	scratch_init(&scratch, memory[1], MEMORY);
	question = (struct kubeconfig_question){.path = path};
}

void tearDown(void)
{
	unlink(path);
	rmdir(folder);
	free(memory[0]);
	free(memory[1]);
}

static void write_file(const char *name, const char *content)
{
	FILE *file = fopen(name, "wb");

	TEST_ASSERT_NOT_NULL(file);
	fputs(content, file);
	fclose(file);
}

static bool load(void)
{
	writer_init(&fault, line, sizeof(line) - 1);
	bool loaded = kubeconfig_load(&config, &question, &arena, &scratch, &fault);
	line[fault.used] = '\0';
	return loaded;
}

static bool load_text(const char *content)
{
	write_file(path, content);
	return load();
}

static void is(const char *expected, struct text got)
{
	TEST_ASSERT_NOT_NULL(got.at);
	TEST_ASSERT_EQUAL_size_t(strlen(expected), got.size);
	TEST_ASSERT_EQUAL_INT(0, memcmp(expected, got.at, got.size));
}

#define PEM_BASE64 \
	"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUIKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo="
#define PEM_PLAIN "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
#define KEY_BASE64 \
	"LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0tCk1IY0MKLS0tLS1FTkQgRUMgUFJJVkFURSBLRVktLS0tLQo="

/* As k3s writes it, comments and all. */
static const char k3s[] = "apiVersion: v1\n"
			  "clusters:\n"
			  "- cluster:\n"
			  "    certificate-authority-data: " PEM_BASE64 "\n"
			  "    server: https://127.0.0.1:6443\n"
			  "  name: default\n"
			  "contexts:\n"
			  "- context:\n"
			  "    cluster: default\n"
			  "    user: default\n"
			  "  name: default\n"
			  "current-context: default\n"
			  "kind: Config\n"
			  "preferences: {}\n"
			  "users:\n"
			  "- name: default\n"
			  "  user:\n"
			  "    client-certificate-data: " PEM_BASE64 "\n"
			  "    client-key-data: " KEY_BASE64 "\n";

static void test_k3s(void)
{
	TEST_ASSERT_TRUE_MESSAGE(load_text(k3s), line);
	TEST_ASSERT_TRUE(config.server.https);
	is("127.0.0.1", config.server.host);
	TEST_ASSERT_EQUAL_UINT16(6443, config.server.port);
	is("", config.server.path);
	is(PEM_PLAIN, config.ca);
	is(PEM_PLAIN, config.certificate);
	TEST_ASSERT_TRUE(text_starts(config.key, TEXT("-----BEGIN EC PRIVATE KEY-----")));
	TEST_ASSERT_NULL(config.token.at);
	TEST_ASSERT_NULL(config.ca_file);
	TEST_ASSERT_FALSE(config.insecure_skip_tls_verify);
	TEST_ASSERT_FALSE(config.in_cluster);
	is("default", config.context);
}

#define HEAD                                                                                  \
	"kind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: k, user: " \
	"u}}]\n"
#define CLUSTER "clusters: [{name: k, cluster: {server: 'https://h:1'}}]\n"

static void test_paths_are_relative_to_the_file(void)
{
	char expected[160];

	TEST_ASSERT_TRUE_MESSAGE(
		load_text(HEAD "clusters: [{name: k, cluster: {server: 'https://h/p/q/', "
			       "certificate-authority: pki/ca.crt, tls-server-name: x}}]\n"
			       "users: [{name: u, user: {client-certificate: /etc/c.crt, "
			       "client-key: ../c.key, tokenFile: t}}]\n"),
		line);
	snprintf(expected, sizeof(expected), "%s/pki/ca.crt", folder);
	TEST_ASSERT_EQUAL_STRING(expected, config.ca_file);
	TEST_ASSERT_EQUAL_STRING("/etc/c.crt", config.certificate_file);
	snprintf(expected, sizeof(expected), "%s/../c.key", folder);
	TEST_ASSERT_EQUAL_STRING(expected, config.key_file);
	snprintf(expected, sizeof(expected), "%s/t", folder);
	TEST_ASSERT_EQUAL_STRING(expected, config.token_file);
	is("x", config.tls_server_name);
	is("/p/q", config.server.path);
	TEST_ASSERT_EQUAL_UINT16(443, config.server.port);
}

static void test_precedence(void)
{
	TEST_ASSERT_TRUE_MESSAGE(
		load_text(HEAD "clusters: [{name: k, cluster: {server: 'https://h:1', "
			       "certificate-authority: ca, certificate-authority-data: " PEM_BASE64
			       "}}]\nusers: [{name: u, user: {token: abc, tokenFile: t}}]\n"),
		line);
	TEST_ASSERT_NULL(config.ca_file);
	is(PEM_PLAIN, config.ca);
	is("abc", config.token);
	TEST_ASSERT_NULL(config.token_file);
}

static void test_context_by_name(void)
{
	static const char two[] = "current-context: a\n"
				  "contexts: [{name: a, context: {cluster: k, user: u}}, {name: b, "
				  "context: {cluster: l}}]\n"
				  "clusters: [{name: k, cluster: {server: 'https://k:1'}}, {name: "
				  "l, cluster: {server: 'https://l:2'}}]\n"
				  "users: [{name: u, user: {token: abc}}]\n";

	TEST_ASSERT_TRUE_MESSAGE(load_text(two), line);
	is("k", config.server.host);
	question.context = "b";
	TEST_ASSERT_TRUE_MESSAGE(load(), line);
	is("l", config.server.host);
	TEST_ASSERT_NULL(config.token.at);
	question.context = "z";
	TEST_ASSERT_FALSE(load());
	TEST_ASSERT_NOT_NULL(strstr(line, "--context: context \"z\" is not in the file"));
}

static void test_master(void)
{
	question.master = "https://[fd00::1]:7443";
	TEST_ASSERT_TRUE_MESSAGE(load_text(k3s), line);
	is("fd00::1", config.server.host);
	TEST_ASSERT_EQUAL_UINT16(7443, config.server.port);
	TEST_ASSERT_NOT_NULL(config.key.at);
	/* no scheme: as secure as the rest of the file asks for */
	question.master = "other:8443";
	TEST_ASSERT_TRUE_MESSAGE(load(), line);
	TEST_ASSERT_TRUE(config.server.https);
	/* a file without a server will do then */
	TEST_ASSERT_TRUE_MESSAGE(
		load_text(
			HEAD "clusters: [{name: k, cluster: {}}]\nusers: [{name: u, user: {}}]\n"),
		line);
	TEST_ASSERT_FALSE(config.server.https);
	question.path = NULL;
	question.master = "http://localhost:8080";
	TEST_ASSERT_TRUE_MESSAGE(load(), line);
	is("localhost", config.server.host);
	question.master = "ftp://x";
	TEST_ASSERT_FALSE(load());
	TEST_ASSERT_EQUAL_STRING(
		"--master: address: begins with neither https:// nor http://", line);
}

static void test_credentials_only_for_https(void)
{
	TEST_ASSERT_FALSE(
		load_text(HEAD "clusters: [{name: k, cluster: {server: 'http://h:8080'}}]\n"
			       "users: [{name: u, user: {token: abc, username: a}}]\n"));
	TEST_ASSERT_TRUE_MESSAGE(
		load_text(HEAD "clusters: [{name: k, cluster: {server: 'http://h:8080'}}]\n"
			       "users: [{name: u, user: {token: abc}}]\n"),
		line);
	TEST_ASSERT_FALSE(config.server.https);
	TEST_ASSERT_NULL(config.token.at);
}

static const char *service_environment(const char *name)
{
	return strcmp(name, "KUBERNETES_SERVICE_HOST") == 0    ? "fd00::a"
		: strcmp(name, "KUBERNETES_SERVICE_PORT") == 0 ? "443"
							       : NULL;
}

static const char *empty_environment(const char *name)
{
	(void)name;
	return NULL;
}

static void test_in_cluster(void)
{
	char file[160];

	question = (struct kubeconfig_question){
		.environment = service_environment, .service_account_folder = folder};
	TEST_ASSERT_FALSE(load());
	TEST_ASSERT_NOT_NULL(strstr(line, "/token: No such file or directory"));
	snprintf(file, sizeof(file), "%s/token", folder);
	write_file(file, "t");
	snprintf(file, sizeof(file), "%s/ca.crt", folder);
	write_file(file, "c");
	TEST_ASSERT_TRUE_MESSAGE(load(), line);
	unlink(file);
	TEST_ASSERT_EQUAL_STRING(file, config.ca_file);
	snprintf(file, sizeof(file), "%s/token", folder);
	unlink(file);
	TEST_ASSERT_EQUAL_STRING(file, config.token_file);
	is("fd00::a", config.server.host);
	TEST_ASSERT_TRUE(config.in_cluster);
	TEST_ASSERT_TRUE(config.server.https);
	question.environment = empty_environment;
	TEST_ASSERT_FALSE(load());
	TEST_ASSERT_EQUAL_STRING_LEN("no --kubeconfig, no --master, and not in a pod", line, 46);
}

static char listed[512]; /* $KUBECONFIG */

static const char *kubectl_environment(const char *name)
{
	return strcmp(name, "KUBECONFIG") == 0 ? listed : NULL;
}

static const char *crowded_environment(const char *name)
{
	const char *found = kubectl_environment(name);
	return found != NULL ? found : service_environment(name);
}

static void test_search(void)
{
	char file[160], token[160], ca[160];

	snprintf(file, sizeof(file), "%s/found.yaml", folder);
	snprintf(token, sizeof(token), "%s/token", folder);
	snprintf(ca, sizeof(ca), "%s/ca.crt", folder);
	write_file(file, HEAD CLUSTER "users: [{name: u, user: {token: abc}}]\n");
	write_file(token, "t");
	write_file(ca, "c");
	snprintf(listed, sizeof(listed), ":%s/none:%s", folder, file);
	question = (struct kubeconfig_question){.environment = crowded_environment,
		.service_account_folder = folder,
		.k3s_path = file,
		.search = true};
	TEST_ASSERT_TRUE_MESSAGE(load(), line); /* $KUBECONFIG comes before the pod */
	TEST_ASSERT_FALSE(config.in_cluster);
	is("abc", config.token);
	listed[0] = '\0';
	TEST_ASSERT_TRUE_MESSAGE(load(), line); /* the pod before k3s */
	TEST_ASSERT_TRUE(config.in_cluster);
	TEST_ASSERT_EQUAL_STRING(token, config.token_file);
	question.environment = kubectl_environment;
	TEST_ASSERT_TRUE_MESSAGE(load(), line);
	TEST_ASSERT_FALSE(config.in_cluster);
	is("abc", config.token);
	unlink(file);
	TEST_ASSERT_FALSE(load());
	TEST_ASSERT_NOT_NULL(strstr(line, "no file in $KUBECONFIG, not in a pod"));
	TEST_ASSERT_NOT_NULL(strstr(line, "/found.yaml: name a kubeconfig file"));
	unlink(token);
	unlink(ca);
}

static void refuses(const char *content, const char *what)
{
	char expected[512];

	TEST_ASSERT_FALSE_MESSAGE(load_text(content), content);
	snprintf(expected, sizeof(expected), "%s%s", path, what);
	TEST_ASSERT_EQUAL_STRING(expected, line);
}

#define BEHIND "clusters:\n- name: k\n  cluster: {server: 'https://h', proxy-url: '"

static void test_a_proxy(void)
{
	TEST_ASSERT_TRUE_MESSAGE(
		load_text(HEAD BEHIND "socks5://u:p@proxy:9'}\nusers: [{name: u, user: {}}]\n"),
		line);
	is("socks5://u:p@proxy:9", config.proxy);
	TEST_ASSERT_TRUE_MESSAGE(load_text(HEAD BEHIND "'}\nusers: [{name: u, user: {}}]\n"), line);
	TEST_ASSERT_NULL(config.proxy.at);
	refuses(HEAD BEHIND "ftp://p'}\n",
		":6: clusters[0].cluster.proxy-url: unsupported scheme, must be http, https, or "
		"socks5");
	refuses(HEAD BEHIND "proxy:3128'}\n",
		":6: clusters[0].cluster.proxy-url: unsupported scheme, must be http, https, or "
		"socks5");
	refuses(HEAD BEHIND "http://p:x'}\n",
		":6: clusters[0].cluster.proxy-url: has a port that is not a number from 1 to "
		"65535");
}

static void test_what_cannot_be_done_is_said(void)
{
	refuses(HEAD CLUSTER "users:\n- name: u\n  user:\n    exec:\n      command: aws\n",
		":8: users[0].user.exec: credential plugins are not supported; use a client "
		"certificate, token or tokenFile");
	refuses(HEAD CLUSTER "users:\n- name: u\n  user: {auth-provider: {name: oidc}}\n",
		":7: users[0].user.auth-provider: auth providers are not supported; use a client "
		"certificate, token or tokenFile");
	/* what is there but says nothing is no obstacle */
	TEST_ASSERT_TRUE_MESSAGE(
		load_text(HEAD CLUSTER
			"users: [{name: u, user: {exec: null, as: '', as-groups: []}}]\n"),
		line);
}

static void test_acting_as_somebody_else(void)
{
	TEST_ASSERT_TRUE_MESSAGE(
		load_text(HEAD CLUSTER
			"users:\n- name: u\n  user:\n    token: t\n"
			"    as: jane\n    as-uid: '7'\n    as-groups: [dev, \"a b\"]\n"
			"    as-user-extra: {example.com/scopes: [x, y]}\n"),
		line);
	is("Impersonate-User: jane\r\nImpersonate-Uid: 7\r\nImpersonate-Group: dev\r\n"
	   "Impersonate-Group: a b\r\nImpersonate-Extra-example.com%2Fscopes: x\r\n"
	   "Impersonate-Extra-example.com%2Fscopes: y\r\n",
		config.impersonation);
	TEST_ASSERT_TRUE_MESSAGE(
		load_text(HEAD CLUSTER "users: [{name: u, user: {token: t}}]\n"), line);
	TEST_ASSERT_EQUAL(0, config.impersonation.size);
}

/* What ends up in a head may not begin another one. */
static void test_nobody_is_smuggled_into_a_head(void)
{
	refuses(HEAD CLUSTER "users:\n- name: u\n  user: {as: \"a\\r\\nX: y\"}\n",
		":7: users[0].user.as: must be text of one line");
	refuses(HEAD CLUSTER "users:\n- name: u\n  user: {as: a, as-groups: [\"b\\n\"]}\n",
		":7: users[0].user.as-groups: must be text of one line");
	refuses(HEAD CLUSTER "users:\n- name: u\n  user: {as-groups: [b]}\n",
		":7: users[0].user.as: is missing: as-uid, as-groups and as-user-extra need it");
	refuses(HEAD CLUSTER "users:\n- name: u\n  user: {as: a, as-groups: b}\n",
		":7: users[0].user.as-groups: must be a list");
	TEST_ASSERT_TRUE_MESSAGE(load_text(HEAD CLUSTER "users:\n- name: u\n  user: {as: a, "
							"as-user-extra: {\"k\\r\\n: z\": [v]}}\n"),
		line);
	is("Impersonate-User: a\r\nImpersonate-Extra-k%0D%0A%3A%20z: v\r\n", config.impersonation);
}

static void test_faults(void)
{
	refuses("a: [\n", ":2: did not find expected node content");
	refuses("", ": is empty");
	refuses("- a\n", ":1: not a kubeconfig: it must be a map with clusters, contexts, users");
	refuses("kind: Pod\n", ":1: kind: must be Config");
	refuses("kind: Config\n", ": current-context: is missing: the name of one of contexts");
	refuses("current-context: x\n", ":1: current-context: context \"x\" is not in the file");
	refuses("current-context: x\ncurrent-context: y\n",
		":2: the key \"current-context\" is there twice, first in line 1");
	refuses("current-context: x\ncontexts: {}\n", ":2: contexts: must be a list");
	refuses("current-context: x\ncontexts:\n- a\n", ":3: contexts[0]: must be a map");
	refuses("current-context: x\ncontexts:\n- name: x\n",
		":3: contexts[0].context: must be a map");
	refuses("current-context: x\ncontexts:\n- name: x\n  context: {user: u}\n",
		":4: contexts[0].context.cluster: is missing: the name of one of clusters");
	refuses(HEAD, ":3: contexts[0].context: cluster \"k\" is not in the file");
	refuses(HEAD CLUSTER, ":3: contexts[0].context: user \"u\" is not in the file");
	refuses(HEAD "clusters: [{name: k, cluster: {}}]\n",
		":4: clusters[0].cluster.server: is missing: the apiserver's address, "
		"https://HOST:PORT");
	refuses(HEAD "clusters: [{name: k, cluster: {server: [a]}}]\n",
		":4: clusters[0].cluster.server: must be text");
	refuses(HEAD "clusters: [{name: k, cluster: {server: 'https://'}}]\n",
		":4: clusters[0].cluster.server: has no host");
	refuses(HEAD "clusters: [{name: k, cluster: {server: 'https://h', "
		     "insecure-skip-tls-verify: maybe}}]\n",
		":4: clusters[0].cluster.insecure-skip-tls-verify: must be true or false");
	refuses(HEAD "clusters: [{name: k, cluster: {server: 'https://h', "
		     "insecure-skip-tls-verify: true, "
		     "certificate-authority: x}}]\n",
		":4: clusters[0].cluster.insecure-skip-tls-verify: specifying a root certificates "
		"file with the insecure "
		"flag is not allowed");
	refuses(HEAD "clusters: [{name: k, cluster: {server: 'https://h', "
		     "certificate-authority-data: '***'}}]\n",
		":4: clusters[0].cluster.certificate-authority-data: is not base64");
	refuses(HEAD "clusters: [{name: k, cluster: {server: 'https://h', "
		     "certificate-authority-data: 'YWJj'}}]\n",
		":4: clusters[0].cluster.certificate-authority-data: is base64, but not of PEM "
		"(-----BEGIN ...)");
	refuses(HEAD CLUSTER "users: [{name: u, user: {client-certificate: x}}]\n",
		":5: users[0].user.client-key: is missing: client-certificate needs it");
	refuses(HEAD CLUSTER "users: [{name: u, user: {client-key: x}}]\n",
		":5: users[0].user.client-certificate: is missing: client-key needs it");
	refuses(HEAD CLUSTER "users: [{name: u, user: {token: \"a\\0b\"}}]\n",
		":5: users[0].user.token: has a zero byte in it");
	unlink(path);
	TEST_ASSERT_FALSE(load());
	TEST_ASSERT_NOT_NULL(strstr(line, "config: No such file or directory"));
	question.path = folder;
	TEST_ASSERT_FALSE(load());
	TEST_ASSERT_NOT_NULL(strstr(line, ": not a regular file"));
}

/* Each line of a file with all that is read, with a list in place of its text. */
static void test_every_field_must_be_text(void)
{
	static const char *const lines[] = {"kind: Config", "current-context: c",
		"contexts:", "- name: c", "  context:", "    cluster: k", "    user: u",
		"clusters:", "- name: k", "  cluster:", "    server: https://h",
		"    tls-server-name: s", "    certificate-authority: ca", "users:", "- name: u",
		"  user:", "    token: t", "    tokenFile: f", "    username: n", "    password: p",
		"    client-certificate: cc", "    client-key: ck"};
	uint32_t refused = 0;
	for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
		char content[1024], place[32], field[64];
		struct writer w;
		const char *colon = strchr(lines[i], ':');
		if (colon[1] == '\0')
			continue;
		writer_init(&w, content, sizeof(content) - 1);
		for (size_t k = 0; k < ARRAY_COUNT(lines); k++)
			write_format(&w, "%.*s%s\n",
				(int)(k == i ? colon - lines[k] + 1 : (int)strlen(lines[k])),
				lines[k], k == i ? " [x]" : "");
		content[w.used] = '\0';
		TEST_ASSERT_FALSE_MESSAGE(load_text(content), lines[i]);
		snprintf(place, sizeof(place), ":%u: ", (unsigned)i + 1);
		snprintf(field, sizeof(field), "%.*s: must be text",
			(int)(colon - lines[i] - (long)strspn(lines[i], "- ")),
			lines[i] + strspn(lines[i], "- "));
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(line, place), line);
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(line, field), line);
		refused++;
	}
	TEST_ASSERT_EQUAL(16, refused);
}

static void test_two_ways_to_say_who_one_is(void)
{
	refuses(HEAD CLUSTER "users: [{name: u, user: {username: a, client-certificate: c, "
			     "client-key: k}}]\n",
		":5: users[0].user.username: and a client certificate together: choose one");
	refuses(HEAD CLUSTER "users: [{name: u, user: {username: a, token: t}}]\n",
		":5: users[0].user.username: and a token together: choose one");
	refuses(HEAD CLUSTER "users: [{name: u, user: {username: a, tokenFile: t}}]\n",
		":5: users[0].user.username: and a token together: choose one");
}

static void test_a_file_that_is_too_big(void)
{
	FILE *file = fopen(path, "wb");
	TEST_ASSERT_NOT_NULL(file);
	for (uint32_t i = 0; i <= KUBECONFIG_FILE_MAX / 16; i++)
		fputs("# nothing here.\n", file);
	fclose(file);
	TEST_ASSERT_FALSE(load());
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(line, "larger than 1 MiB"), line);
}

static void test_insecure(void)
{
	TEST_ASSERT_TRUE_MESSAGE(load_text(HEAD "clusters: [{name: k, cluster: {server: 'h:1', "
						"insecure-skip-tls-verify: true}}]\n"
						"users: [{name: u, user: {username: a}}]\n"),
		line);
	TEST_ASSERT_TRUE(config.insecure_skip_tls_verify);
	TEST_ASSERT_TRUE(config.server.https);
	is("a", config.username);
	is("", config.password);
}

static void test_json_is_yaml(void)
{
	TEST_ASSERT_TRUE_MESSAGE(
		load_text("{\"kind\":\"Config\",\"current-context\":\"c\",\"contexts\":[{\"name\":"
			  "\"c\","
			  "\"context\":{\"cluster\":\"k\"}}],\"clusters\":[{\"name\":\"k\","
			  "\"cluster\":{\"server\":\"https://h\"}}]}"),
		line);
}

static void test_too_little_memory_is_a_fault(void)
{
	write_file(path, k3s);
	for (size_t size = 1024; size < 64 * 1024; size += 512) {
		arena_init(&arena, memory[0], 8 * 1024);
		scratch_init(&scratch, memory[1], size);
		if (load())
			return;
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(line, ": "), line);
	}
	TEST_FAIL_MESSAGE("never enough");
}

static void test_too_little_arena_is_a_fault(void)
{
	write_file(path, k3s);
	for (size_t size = 16; size < 8 * 1024; size += 64) {
		arena_init(&arena, memory[0], size);
		scratch_init(&scratch, memory[1], MEMORY);
		if (load())
			return;
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(line, "no memory"), line);
	}
	TEST_FAIL_MESSAGE("never enough");
}

static void test_urls(void)
{
	static const struct {
		const char *url;
		bool good, https;
		const char *host;
		uint16_t port;
		const char *path;
	} cases[] = {
		{"https://a", true, true, "a", 443, ""},
		{"http://a", true, false, "a", 80, ""},
		{"a:1", true, false, "a", 1, ""},
		{"https://a:65535/", true, true, "a", 65535, ""},
		{"https://a/b/c//", true, true, "a", 443, "/b/c"},
		{"https://[::1]", true, true, "::1", 443, ""},
		{"https://[fe80::1%2]:6443/x", true, true, "fe80::1%2", 6443, "/x"},
		{"https://", false, false, "", 0, ""},
		{"https:///x", false, false, "", 0, ""},
		{"https://:443", false, false, "", 0, ""},
		{"https://a:0", false, false, "", 0, ""},
		{"https://a:65536", false, false, "", 0, ""},
		{"https://a:x", false, false, "", 0, ""},
		{"https://a:", false, false, "", 0, ""},
		{"https://::1", false, false, "", 0, ""},
		{"https://[::1", false, false, "", 0, ""},
		{"https://[::1]x", false, false, "", 0, ""},
		{"https://[[]", false, false, "", 0, ""},
		{"a]b", false, false, "", 0, ""},
		{"https://u:p@a", false, false, "", 0, ""},
		{"https://a?b", false, false, "", 0, ""},
		{"https://a#b", false, false, "", 0, ""},
		{"https://a b", false, false, "", 0, ""},
		{"unix:///x", false, false, "", 0, ""},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct url url;
		const char *why = NULL;

		TEST_ASSERT_EQUAL_INT_MESSAGE(cases[i].good,
			url_parse(text_of(cases[i].url), false, &url, &why), cases[i].url);
		if (!cases[i].good) {
			TEST_ASSERT_NOT_NULL_MESSAGE(why, cases[i].url);
			continue;
		}
		TEST_ASSERT_EQUAL_INT_MESSAGE(cases[i].https, url.https, cases[i].url);
		TEST_ASSERT_TRUE_MESSAGE(text_is_z(url.host, cases[i].host), cases[i].url);
		TEST_ASSERT_EQUAL_UINT16_MESSAGE(cases[i].port, url.port, cases[i].url);
		TEST_ASSERT_TRUE_MESSAGE(text_is_z(url.path, cases[i].path), cases[i].url);
	}
}

static void test_base64(void)
{
	static const struct {
		const char *text;
		const char *plain; /* NULL: broken */
	} cases[] = {{"", ""}, {"YQ==", "a"}, {"YWI=", "ab"}, {"YWJj", "abc"},
		{"YW\nJj\r\n", "abc"}, {"YWJjZA==", "abcd"}, {"YQ", NULL}, {"YQ=", NULL},
		{"Y", NULL}, {"YQ===", NULL}, {"=", NULL}, {"YQ==YQ==", NULL}, {"YW-j", NULL},
		{"YW j", NULL}, {"Y===", NULL}};
	char plain[64];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		size_t size = 0;
		bool good = base64_decode(text_of(cases[i].text), plain, &size);

		TEST_ASSERT_EQUAL_INT_MESSAGE(cases[i].plain != NULL, good, cases[i].text);
		if (!good)
			continue;
		TEST_ASSERT_EQUAL_size_t_MESSAGE(strlen(cases[i].plain), size, cases[i].text);
		TEST_ASSERT_EQUAL_INT_MESSAGE(
			0, memcmp(cases[i].plain, plain, size), cases[i].text);
	}
}

static bool is_in_scratch(const char *part)
{
	const char *at = memory[1];
	size_t size = strlen(part);

	poison_lift(at, MEMORY);
	for (size_t i = 0; i + size <= MEMORY; i++)
		if (memcmp(at + i, part, size) == 0)
			return true;
	return false;
}

/* Other files are read into the same memory, and may fail and be printed. */
static void test_nothing_of_it_is_left_behind(void)
{
	struct text key;

	TEST_ASSERT_TRUE(load_text(k3s));
	key = config.key;
	TEST_ASSERT_GREATER_THAN_size_t(20, key.size);
	TEST_ASSERT_FALSE(is_in_scratch("BEGIN EC PRIVATE KEY"));
	TEST_ASSERT_FALSE(is_in_scratch(KEY_BASE64));
	TEST_ASSERT_EQUAL_size_t(0, scratch.used);
	TEST_ASSERT_FALSE(load_text("users: [{name: u, user: {token: s3cret}}]\n"));
	TEST_ASSERT_FALSE(is_in_scratch("s3cret"));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_k3s);
	RUN_TEST(test_paths_are_relative_to_the_file);
	RUN_TEST(test_precedence);
	RUN_TEST(test_context_by_name);
	RUN_TEST(test_master);
	RUN_TEST(test_credentials_only_for_https);
	RUN_TEST(test_in_cluster);
	RUN_TEST(test_search);
	RUN_TEST(test_a_proxy);
	RUN_TEST(test_what_cannot_be_done_is_said);
	RUN_TEST(test_acting_as_somebody_else);
	RUN_TEST(test_nobody_is_smuggled_into_a_head);
	RUN_TEST(test_faults);
	RUN_TEST(test_every_field_must_be_text);
	RUN_TEST(test_two_ways_to_say_who_one_is);
	RUN_TEST(test_a_file_that_is_too_big);
	RUN_TEST(test_insecure);
	RUN_TEST(test_json_is_yaml);
	RUN_TEST(test_too_little_memory_is_a_fault);
	RUN_TEST(test_too_little_arena_is_a_fault);
	RUN_TEST(test_urls);
	RUN_TEST(test_base64);
	RUN_TEST(test_nothing_of_it_is_left_behind);
	return UNITY_END();
}
