/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Setting up: a target, a few lines and their memory for each extender; who cares for a pod.
 *
 * What is read of an answer is kept until it has come to its end, so each line has room for the
 * longest one: a name and now and then a reason for every node there can be. It is address space
 * until an answer needs it, and the line used last is used next.
 */
#include "extender/extender.h"

#include <sys/stat.h>

#include "base/url.h"
#include "extender/private.h"
#include "http/proxy.h"

static const struct scheduler_extender *config_at(const struct config_list *list, uint32_t i)
{
	return &CONFIG_LIST(*list, struct scheduler_extender)[i];
}

static struct net_target target_of(const struct scheduler_extender *config)
{
	static const struct scheduler_extender_tls none;
	const struct scheduler_extender_tls *tls = config->tls == NULL ? &none : config->tls;
	bool has_ca = tls->ca_data.size > 0 || tls->ca_file.size > 0;
	const char *fault;
	struct url url;
	CHECK(url_parse(config->url_prefix, false, &url, &fault)); /* looked at when it was read */
	struct net_target target = {.https = url.https,
		.host = url.host,
		.port = url.port,
		.path_prefix = url.path,
		.server_name = tls->server_name.size > 0 ? tls->server_name : TEXT_NONE,
		/* As upstream: who only says enableHTTPS does not ask who answers. */
		.insecure_skip_verify = tls->insecure || (config->enable_https && !has_ca),
		.ca = tls->ca_data.size > 0 ? tls->ca_data : TEXT_NONE,
		.certificate = tls->cert_data.size > 0 ? tls->cert_data : TEXT_NONE,
		.key = tls->key_data.size > 0 ? tls->key_data : TEXT_NONE,
		.connections = EXTENDER_LINES + (config->bind_verb.size > 0 ? EXTENDER_BINDS : 0),
		.connect_timeout_ms = extender_timeout_ms(config)};
	target.proxy = proxy_of_environment(&target, NULL);
	return target;
}

uint32_t extenders_streams(const struct config_list *list, bool tls_only)
{
	uint32_t streams = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		struct net_target target = target_of(config_at(list, i));
		streams += tls_only ? net_target_tls(&target) : target.connections;
	}
	return streams;
}

/* ---- sizes ---- */

static size_t answer_max(uint32_t nodes)
{
	return EXTENDER_ANSWER_LEAST + (size_t)nodes * EXTENDER_ANSWER_BY_NODE;
}

/* Tokens of an answer that names every node and says something about it. */
static size_t scratch_bytes(uint32_t nodes)
{
	return 256 * 1024 + (size_t)nodes * 192;
}

static size_t files_bytes(const struct scheduler_extender *config)
{
	const struct scheduler_extender_tls *tls = config->tls;
	return tls == NULL ? 0
			   : tls->ca_file.size + tls->cert_file.size + tls->key_file.size + 3 * 32;
}

static bool want_nodes(const struct config_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!config_at(list, i)->node_cache_capable)
			return true;
	return false;
}

size_t extenders_size(const struct config_list *list, uint32_t nodes)
{
	size_t by_node = sizeof(struct extender_word) + sizeof(uint32_t);
	size_t size = sizeof(struct extenders) + list->count * sizeof(struct extender) +
		list->count *
			(sizeof(struct extender_ask) + sizeof(struct extender_offers) +
				json_cut_size(EXTENDER_POD_MAX) + ((size_t)nodes + 1) * by_node +
				arena_span_size(EXTENDER_WHOLE_PODS_MAX) + 5 * 16) +
		scratch_bytes(nodes) + 4 * 16;
	if (list->count == 0)
		return 0;
	size += want_nodes(list) ? extender_nodes_size(nodes) : 0;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct net_target target = target_of(config_at(list, i));
		size += EXTENDER_LINES * (json_cut_size(answer_max(nodes)) + 16) +
			net_client_size(&target) + files_bytes(config_at(list, i));
	}
	return size;
}

/* ---- opening ---- */

static const char *file_of(struct arena *arena, struct text path)
{
	if (path.size == 0)
		return NULL;
	char *to = arena_take(arena, path.size + 1);
	CHECK(text_copy(path, to, path.size + 1));
	return to;
}

static bool write_urls(struct extender *e, struct writer *fault)
{
	const struct text verbs[EXTENDER_VERBS] = {e->config->filter_verb,
		e->config->prioritize_verb, e->config->preempt_verb, e->config->bind_verb};
	struct text prefix = e->config->url_prefix;
	while (prefix.size > 0 && prefix.at[prefix.size - 1] == '/')
		prefix.size--;
	for (uint32_t v = 0; v < EXTENDER_VERBS; v++) {
		struct writer w;
		if (verbs[v].size == 0)
			continue;
		writer_init(&w, e->url[v], sizeof(e->url[v]));
		write_text(&w, prefix);
		e->path_at = w.used;
		write_char(&w, '/');
		write_text(&w, verbs[v]);
		e->url_size[v] = w.used;
		if (w.overflowed) {
			write_format(fault, "extenders: urlPrefix and verb have more than %u bytes",
				(unsigned)EXTENDER_URL_MAX);
			return false;
		}
	}
	return true;
}

static bool intern_managed(struct extender *e, struct cache *cache, struct writer *fault)
{
	const struct config_list *list = &e->config->managed;
	CHECK(list->count <= SCHEDULER_MANAGED_MAX);
	for (uint32_t i = 0; i < list->count; i++)
		if (!intern_take(&cache->strings,
			    CONFIG_LIST(*list, struct scheduler_managed_resource)[i].name,
			    &e->managed[i])) {
			write_z(fault, "extenders: no room for managedResources");
			return false;
		}
	return true;
}

/*
 * The machine's authorities, where Go looks for them. They are kept in memory, so that only a list
 * of a size as boards have it will do; else the one that is needed has to be named.
 */
static bool find_authorities(struct net_target *target, struct writer *fault)
{
	static const char *const files[] = {"/etc/ssl/certs/ca-certificates.crt",
		"/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
		"/etc/pki/tls/cacert.pem", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
		"/etc/ssl/cert.pem"};
	bool has_ca = target->ca.at != NULL || target->ca_file != NULL;
	struct stat stats;
	uint32_t i = 0;
	if (net_target_tls(target) == 0 || target->insecure_skip_verify || has_ca)
		return true;
	while (i < ARRAY_COUNT(files) && stat(files[i], &stats) != 0)
		i++;
	if (i < ARRAY_COUNT(files) && stats.st_size <= EXTENDER_AUTHORITIES_MAX) {
		target->ca_file = files[i];
		return true;
	}
	write_format(fault,
		"%.*s: tlsConfig.caFile must name a file with the authority that signed the "
		"server's certificate",
		TEXT_ARGS(target->host));
	if (i < ARRAY_COUNT(files))
		write_format(fault, "; %s has %lld kB of them, more than are kept", files[i],
			(long long)stats.st_size / 1024);
	return false;
}

static bool open_one(
	struct extenders *x, const struct scheduler_extender *config, struct writer *fault)
{
	const struct extenders_setup *setup = &x->setup;
	struct extender *e = &x->list[x->count];
	size_t room = answer_max(setup->nodes);
	size_t size = json_cut_size(room);
	struct writer name;
	*e = (struct extender){.all = x, .config = config, .target = target_of(config)};
	writer_init(&name, e->name, sizeof(e->name) - 1);
	write_format(&name, "extender-%u",
		(unsigned)(config - CONFIG_LIST(*setup->list, struct scheduler_extender)));
	e->target.name = e->name;
	if (config->tls != NULL) {
		e->target.ca_file = file_of(setup->arena, config->tls->ca_file);
		e->target.certificate_file = file_of(setup->arena, config->tls->cert_file);
		e->target.key_file = file_of(setup->arena, config->tls->key_file);
	}
	if (!find_authorities(&e->target, fault))
		return false;
	list_init(&e->waiting);
	for (uint32_t i = 0; i < EXTENDER_LINES; i++)
		e->lines[i].cut = json_cut_init(arena_take_raw(setup->arena, size), size, room);
	if (!write_urls(e, fault) || !intern_managed(e, setup->cache, fault))
		return false;
	write_format(fault, "%.*s: ", TEXT_ARGS(config->url_prefix));
	e->client = net_client_open(setup->net, setup->arena, &e->target, fault);
	if (e->client == NULL)
		return false;
	fault->used = 0;
	extender_calls_open(e);
	x->count++;
	return true;
}

struct extenders *extenders_open(const struct extenders_setup *setup, struct writer *fault)
{
	struct arena *arena = setup->arena;
	struct extenders *x = ARENA_ARRAY(arena, struct extenders, 1);
	x->setup = *setup;
	extender_asks_open(x);
	CHECK(setup->list->count <= SCHEDULER_EXTENDERS_MAX);
	x->list = ARENA_ARRAY(arena, struct extender, setup->list->count);
	x->asks = ARENA_ARRAY(arena, struct extender_ask, setup->list->count);
	for (uint32_t ignorable = 0; ignorable < 2; ignorable++)
		for (uint32_t i = 0; i < setup->list->count; i++) {
			const struct scheduler_extender *config = config_at(setup->list, i);
			if (config->ignorable == (ignorable == 1) && !open_one(x, config, fault)) {
				extenders_close(x);
				return NULL;
			}
		}
	for (uint32_t i = 0; i < setup->list->count; i++) {
		struct extender_ask *ask = &x->asks[i];
		size_t size = json_cut_size(EXTENDER_POD_MAX);
		ask->cut = json_cut_init(arena_take_raw(arena, size), size, EXTENDER_POD_MAX);
		ask->nodes = ARENA_ARRAY(arena, uint32_t, (size_t)setup->nodes + 1);
		ask->words.of_node =
			ARENA_ARRAY(arena, struct extender_word, (size_t)setup->nodes + 1);
		ask->offers = ARENA_ARRAY(arena, struct extender_offers, 1);
		arena_take_span(arena, &ask->whole.span, EXTENDER_WHOLE_PODS_MAX);
	}
	if (want_nodes(setup->list))
		x->nodes = extender_nodes_open(x);
	size_t size = scratch_bytes(setup->nodes);
	scratch_init(&x->scratch, arena_take_raw(arena, size), size);
	return x;
}

void extenders_close(struct extenders *x)
{
	for (uint32_t i = 0; i < x->setup.list->count; i++)
		if ((x->asks_used >> i & 1) != 0)
			extender_end(x, i + 1);
	if (x->nodes != NULL)
		extender_nodes_close(x->nodes);
	api_caller_close(&x->reads);
	for (uint32_t i = 0; i < x->count; i++) {
		api_caller_close(&x->list[i].caller);
		net_client_close(x->list[i].client);
	}
}

/* ---- who cares ---- */

static bool cares(const struct extender *e, const struct kube_pod_template *class)
{
	const uint32_t *mentioned = KUBE_AT(class, class->mentioned, uint32_t);
	if (e->config->managed.count == 0)
		return true;
	for (uint32_t i = 0; i < class->mentioned.count; i++)
		for (uint32_t m = 0; m < e->config->managed.count; m++)
			if (mentioned[i] == e->managed[m])
				return true;
	return false;
}

uint32_t extenders_for(
	const struct extenders *x, const struct kube_pod_template *class, enum extender_verb verb)
{
	uint32_t bits = 0;
	for (uint32_t i = 0; i < x->count; i++)
		if (x->list[i].url_size[verb] > 0 && cares(&x->list[i], class))
			bits |= UINT32_C(1) << i;
	return bits;
}

uint32_t extenders_heard(const struct extenders *x, const struct kube_pod_template *class)
{
	return extenders_for(x, class, EXTENDER_FILTER) | extenders_for(x, class, EXTENDER_SCORE) |
		extenders_for(x, class, EXTENDER_PREEMPT);
}

/* There is an ask for each extender, so one is free whenever an extender is that asks are about. */
bool extenders_have_turn(const struct extenders *x, const struct kube_pod_template *class)
{
	uint32_t heard = extenders_heard(x, class);
	for (uint32_t i = 0; i < x->count; i++)
		if ((x->asks_used >> i & 1) != 0 && (x->asks[i].heard & heard) != 0)
			return false;
	return true;
}

bool extenders_binder(const struct extenders *x, const struct kube_pod_template *class,
	struct extender_binder *binder)
{
	uint32_t bits = extenders_for(x, class, EXTENDER_BIND);
	if (bits == 0)
		return false;
	const struct extender *e = &x->list[__builtin_ctz(bits)]; /* there is one at most */
	*binder = (struct extender_binder){.client = e->client,
		.url = extender_url(e, EXTENDER_BIND),
		.path = text_from(extender_url(e, EXTENDER_BIND), e->path_at),
		.timeout_ms = extender_timeout_ms(e->config),
		.ignorable = e->config->ignorable};
	return true;
}

struct extenders_stats extenders_stats(const struct extenders *x)
{
	struct extenders_stats stats = x->stats;
	stats.asks = (uint32_t)__builtin_popcount(x->asks_used);
	return stats;
}
