/* SPDX-License-Identifier: GPL-2.0-only */
/* About berth itself: version, configuration, flags, what there is under /berth/v1/. */
#include "base/log.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "profile/scheduler_write.h"
#include "status/private.h"
#include "yaml/yaml.h"

enum {
	/* A configuration file has a MiB at most; with all that is had by default, as JSON. */
	ABOUT_CONFIGURATION_MAX = 8 << 20,
	ABOUT_SCRATCH = 64 << 20 /* address space while that is made */
};

size_t about_size(void)
{
	return arena_span_size(ABOUT_CONFIGURATION_MAX);
}

static void keep_configuration(
	struct status *status, const struct yaml_node *root, struct scratch *scratch)
{
	struct yaml_fault fault;
	struct writer json;
	size_t size;
	char *room = scratch_take_rest(scratch, &size);
	writer_init(&json, room, size < ABOUT_CONFIGURATION_MAX ? size : ABOUT_CONFIGURATION_MAX);
	write_z(&json, "{\"componentconfig\":");
	bool whole = yaml_write_json(root, &json, &fault);
	write_z(&json, "}\n");
	if (!whole || json.overflowed || !page_span_reach(&status->configuration_span, json.used))
		return;
	memcpy(status->configuration_span.base, json.at, json.used);
	status->configuration =
		(struct text){(const char *)status->configuration_span.base, json.used};
}

/* The effective configuration as `berth check-config` prints it, as JSON. Memory is not sealed. */
void about_init(struct status *status)
{
	struct scratch scratch;
	struct scheduler_config config;
	struct yaml_node *root;
	struct yaml_fault fault;
	struct writer yaml;
	size_t size;
	arena_take_span(status->setup.arena, &status->configuration_span, ABOUT_CONFIGURATION_MAX);
	void *block = memory_reserve(ABOUT_SCRATCH);
	if (block == NULL)
		return;
	scratch_init(&scratch, block, ABOUT_SCRATCH);
	if (profiles_write_out(&status->setup.options->config, &scratch, &config)) {
		char *room = scratch_take_rest(&scratch, &size);
		writer_init(&yaml, room, size / 4);
		scheduler_config_write(&config, &yaml);
		scratch_keep(&scratch, room, yaml.used);
		if (!yaml.overflowed &&
			yaml_read(writer_text(&yaml), &scratch, &root, &fault) == YAML_DOCUMENT)
			keep_configuration(status, root, &scratch);
	}
	memory_release(block, ABOUT_SCRATCH);
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
		status_refuse(a, 501,
			"there is no Go runtime to profile: `perf record -g -p PID` shows where "
			"time goes, /metrics what each extension point took, "
			"/berth/v1/memory where memory is, and SIGUSR2 logs cache and queue");
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
