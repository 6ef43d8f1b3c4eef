/* SPDX-License-Identifier: GPL-2.0-only */
/* About berth itself: version, configuration, flags, what there is under /berth/v1/. */
#include "base/log.h"
#include "profile/profile.h"
#include "profile/scheduler_write.h"
#include "status/private.h"
#include "yaml/yaml.h"

static void keep_configuration(struct status *status, const struct yaml_node *root)
{
	struct yaml_fault fault;
	struct writer json;
	size_t size;
	char *room = scratch_take_rest(&status->s->scratch, &size);
	writer_init(&json, room, size < STATUS_CONFIGURATION_MAX ? size : STATUS_CONFIGURATION_MAX);
	write_z(&json, "{\"componentconfig\":");
	bool whole = yaml_write_json(root, &json, &fault);
	write_z(&json, "}\n");
	if (!whole || json.overflowed)
		return;
	char *kept = arena_take_raw(status->setup.arena, json.used);
	memcpy(kept, json.at, json.used);
	status->configuration = (struct text){kept, json.used};
}

/* The effective configuration as `berth check-config` prints it, as JSON. Memory is not sealed. */
void about_init(struct status *status)
{
	struct scratch *scratch = &status->s->scratch;
	struct scratch_mark mark = scratch_mark(scratch);
	struct scheduler_config config;
	struct yaml_node *root;
	struct yaml_fault fault;
	struct writer yaml;
	size_t size;
	if (profiles_write_out(&status->setup.options->config, scratch, &config)) {
		char *room = scratch_take_rest(scratch, &size);
		writer_init(&yaml, room, size);
		scheduler_config_write(&config, &yaml);
		scratch_keep(scratch, room, yaml.used);
		if (!yaml.overflowed &&
			yaml_read(writer_text(&yaml), scratch, &root, &fault) == YAML_DOCUMENT)
			keep_configuration(status, root);
	}
	scratch_rewind(scratch, mark);
}

void about_version(struct status_answer *a)
{
	struct writer w;
	struct json_writer j;
	writer_init(&w, a->piece, sizeof(a->piece));
	json_write_init(&j, &w);
	json_open_object(&j);
	json_member_z(&j, "gitVersion", "v" BERTH_VERSION);
	json_member_z(&j, "program", "berth");
	json_member_z(&j, "board", BERTH_BOARD);
	json_member_z(&j, "compiler", __VERSION__);
	json_close_object(&j);
	write_char(&w, '\n');
	status_reply(a, 200, status_json, writer_text(&w));
}

static void about_begin(struct status_answer *a, const char *name, struct writer *w)
{
	writer_init(w, a->piece, sizeof(a->piece));
	/* As kube-scheduler's begin. */
	write_format(w,
		"\nberth %s\nWarning: This endpoint is not meant to be machine parseable, has no "
		"formatting compatibility guarantees and is for debugging purposes only.\n\n",
		name);
}

void about_statusz(struct status_answer *a)
{
	struct writer w;
	const struct status *status = a->status;
	struct wall_date d = wall_date(status->started_at);
	about_begin(a, "statusz", &w);
	write_format(&w,
		"Started: %04d-%02d-%02dT%02d:%02d:%02dZ\nUp: %lld s\n"
		"Binary version: " BERTH_VERSION "\nEmulation version: %s\nState: %s\n"
		"Sandbox: %s\n\nPaths:",
		d.year, d.month, d.day, d.hour, d.minute, d.second,
		(long long)(mono_since_us(net_now(status->setup.net), status->started) /
			CLOCK_S_US),
		kube_release_name(scheduler_release(status->s)),
		scheduler_wait_name(scheduler_state(status->s)),
		status->setup.sandbox == NULL ? "none" : status->setup.sandbox);
	for (size_t i = 0; i < status_route_count; i++)
		if (!text_ends(text_of(status_routes[i].path), TEXT("/")))
			write_format(&w, " %s", status_routes[i].path);
	write_char(&w, '\n');
	status_reply(a, 200, status_plain, writer_text(&w));
}

static void put_flag(struct writer *w, const char *name, const char *value)
{
	write_format(w, "%s=%s\n", name, value == NULL ? "" : value);
}
static void about_put_number(struct writer *w, const char *name, int64_t value)
{
	write_format(w, "%s=%lld\n", name, (long long)value);
}

/* Those that decide how this process behaves; names of files, nothing of what is in them. */
void about_flagz(struct status_answer *a)
{
	const struct options *o = a->status->setup.options;
	const struct scheduler_limits *l = &a->status->s->setup.limits;
	static const char *const pages[] = {"review", "loopback", "open", "token", "nobody"};
	struct writer w;
	about_begin(a, "flagz", &w);
	put_flag(&w, "bind-address", o->bind_address);
	put_flag(&w, "client-ca-file", o->client_ca_file);
	put_flag(&w, "config", o->config_file);
	put_flag(&w, "http-address", o->http_address);
	about_put_number(&w, "http-port", o->http_port);
	put_flag(&w, "leader-elect", o->config.leader_election.elect ? "true" : "false");
	about_put_number(&w, "memory", (int64_t)o->memory_bytes);
	about_put_number(&w, "nodes-max", l->cache.nodes);
	put_flag(&w, "page-access", pages[o->page % 5]);
	about_put_number(&w, "pods-max", l->cache.pods);
	put_flag(&w, "profiling", o->profiling ? "true" : "false");
	about_put_number(&w, "secure-port", o->secure_port);
	put_flag(&w, "tls-cert-file", o->tls_cert_file);
	put_flag(&w, "tls-private-key-file", o->tls_private_key_file);
	about_put_number(&w, "v", o->verbosity);
	status_reply(a, 200, status_plain, writer_text(&w));
}

void about_configz(struct status_answer *a)
{
	struct text json = a->status->configuration;
	if (json.size == 0)
		status_refuse(a, 404, "the configuration is too large to be shown");
	else
		status_reply(a, 200, status_json, json);
}

/* ---- /debug, as far as it has a meaning here ---- */

static bool is_debugged(struct status_answer *a)
{
	if (a->status->setup.options->profiling)
		return true;
	status_refuse(a, 404, "--profiling=false");
	return false;
}

/* PUT of a level, until the next start. */
void about_verbosity(struct status_answer *a)
{
	struct text body = text_trim((struct text){a->status->body, a->status->body_size});
	struct writer w;
	int64_t level;
	if (!is_debugged(a))
		return;
	if (!text_to_i64(body, &level) || level < INT32_MIN || level > INT32_MAX) {
		status_refuse(a, 400, "the verbosity must be a number");
		return;
	}
	log_set_level(log_level_of((int32_t)level));
	writer_init(&w, a->piece, sizeof(a->piece));
	write_format(&w, "successfully set klog.logging.verbosity to %lld", (long long)level);
	status_reply(a, 200, status_plain, writer_text(&w));
}

void about_debug(struct status_answer *a)
{
	if (is_debugged(a))
		status_refuse(a, 404, "there is no Go runtime to profile; use perf");
}

/* The table of routes is the documentation. */
void about_api(struct status_answer *a)
{
	struct writer w;
	struct json_writer j;
	writer_init(&w, a->piece, sizeof(a->piece));
	json_write_init(&j, &w);
	json_open_object(&j);
	for (size_t i = 0; i < status_route_count; i++)
		if (status_routes[i].words != NULL)
			json_member_z(&j, status_routes[i].path, status_routes[i].words);
	json_close_object(&j);
	write_char(&w, '\n');
	status_reply(a, text_is_z(a->exchange->path, "/berth/v1/") ? 200 : 404, status_json,
		writer_text(&w));
}
