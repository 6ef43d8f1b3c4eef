/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking the API. */
#include "apisim/desk.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>

#include <unity.h>

enum { DESK_MEMORY = 24 << 20, DESK_TREES = 16 << 20 };

static struct mono desk_mono(void *self)
{
	return (struct mono){((struct desk *)self)->now_us};
}

static struct wall desk_wall(void *self)
{
	return (struct wall){INT64_C(1794996000) * CLOCK_S_US + ((struct desk *)self)->now_us};
}

static void on_violation(void *self, const char *text)
{
	(void)text;
	((struct desk *)self)->told++;
}

struct clock desk_clock(struct desk *desk)
{
	return (struct clock){desk_mono, desk_wall, desk};
}

void desk_open(struct desk *desk, uint32_t history)
{
	desk_open_release(desk, history, 0, NULL);
}

void desk_open_release(struct desk *desk, uint32_t history, uint32_t release, const char *token)
{
	memset(desk, 0, sizeof(*desk));
	if (token != NULL)
		snprintf(desk->authorization, sizeof(desk->authorization), "Bearer %s", token);
	desk->size = APISIM_MEMORY_MIN + DESK_MEMORY;
	desk->block = malloc(desk->size);
	desk->memory = malloc(DESK_TREES);
	TEST_ASSERT_NOT_NULL(desk->block);
	TEST_ASSERT_NOT_NULL(desk->memory);
	scratch_init(&desk->scratch, desk->memory, DESK_TREES);
	desk->api = apisim_init(&(struct apisim_setup){.block = desk->block,
		.size = desk->size,
		.history = history,
		.release = release,
		.token = token == NULL ? TEXT("") : text_of(token),
		.clock = desk_clock(desk),
		.seed = 1,
		.on_violation = on_violation,
		.self = desk});
}

void desk_close(struct desk *desk)
{
	/* Lifts the poison of the scratch memory. */
	struct arena whole;

	arena_init(&whole, desk->block, desk->size);
	free(desk->block);
	arena_init(&whole, desk->memory, DESK_TREES);
	free(desk->memory);
}

static void read_stream(struct desk *desk, uint32_t stream)
{
	struct writer w;

	/* In small steps, so that lines are cut. */
	for (;;) {
		size_t room = DESK_BODY_MAX - desk->body_size;

		TEST_ASSERT_TRUE(room > 0);
		writer_init(&w, desk->body + desk->body_size, room < 999 ? room : 999);
		desk->stream_is = apisim_stream_read(desk->api, stream, &w);
		desk->body_size += w.used;
		if (desk->stream_is != APISIM_STREAM_MORE)
			break;
	}
	desk->body[desk->body_size] = '\0';
}

static int ask(
	struct desk *desk, const char *method, const char *path, const char *type, const char *body)
{
	struct text whole = text_of(path);
	size_t at = text_find(whole, '?');
	struct apisim_request request = {.method = text_of(method),
		.path = text_first(whole, at),
		.query = at < whole.size ? text_from(whole, at + 1) : TEXT(""),
		.content_type = body == NULL ? TEXT("") : text_of(type),
		.accept = TEXT("application/json"),
		.authorization = text_of(desk->authorization),
		.user_agent = TEXT("desk"),
		.body = body == NULL ? TEXT("") : text_of(body)};

	apisim_ask(desk->api, &request, &desk->answer);
	desk->body_size = 0;
	if (desk->answer.stream != 0) {
		read_stream(desk, desk->answer.stream);
		return desk->answer.status;
	}
	TEST_ASSERT_TRUE(text_copy(desk->answer.body, desk->body, sizeof(desk->body)));
	desk->body_size = desk->answer.body.size;
	return desk->answer.status;
}

int desk_ask(struct desk *desk, const char *method, const char *path, const char *body)
{
	return ask(desk, method, path, "application/json", body);
}

int desk_patch(struct desk *desk, const char *type, const char *path, const char *body)
{
	return ask(desk, "PATCH", path, type, body);
}

void desk_listen(struct desk *desk, uint32_t stream)
{
	desk->body_size = 0;
	read_stream(desk, stream);
}

const char *desk_value(struct desk *desk, const char *dotted)
{
	static char value[4096];

	scratch_reset(&desk->scratch);
	struct tree *tree = tree_read((struct text){desk->body, desk->body_size}, &desk->scratch);
	TEST_ASSERT_NOT_NULL_MESSAGE(tree, desk->body);
	const struct tree *found = tree_path(tree, dotted);
	if (found == NULL)
		return "";
	struct text text = found->type == JSON_OBJECT || found->type == JSON_ARRAY
		? tree_print(found, &desk->scratch)
		: found->text;
	TEST_ASSERT_TRUE(text_copy(text, value, sizeof(value)));
	return value;
}

bool desk_has(const struct desk *desk, const char *part)
{
	return text_contains((struct text){desk->body, desk->body_size}, text_of(part));
}

uint32_t desk_lines(const struct desk *desk)
{
	uint32_t lines = 0;

	for (size_t i = 0; i < desk->body_size; i++)
		lines += desk->body[i] == '\n';
	return lines;
}
