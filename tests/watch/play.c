/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers from a list. */
#include "watch/play.h"

#include <stdio.h>
#include <string.h>

#include <unity.h>

static void compare_path(const char *want, const char *path)
{
	struct text rest = text_of(want), part;

	while (text_cut(&rest, ' ', &part)) {
		bool not_there = part.size > 0 && part.at[0] == '!';
		struct text looked_for = not_there ? text_from(part, 1) : part;

		if (text_contains(text_of(path), looked_for) != not_there)
			continue;
		printf("asked for %s\nexpected %s\n", path, want);
		TEST_FAIL_MESSAGE("another request was expected");
	}
}

static void answer(void *self, struct fake_server *wire, const struct fake_request *request)
{
	uint32_t stream = request->stream;
	struct play *play = self;

	play->stream = stream;
	TEST_ASSERT_TRUE(text_copy(request->path, play->path, sizeof(play->path)));
	if (play->at == play->count) {
		play->extra++;
		return;
	}
	const struct play_scene *scene = &play->scenes[play->at];

	play->asked_us[play->at++] = wire->network.now_us;
	compare_path(scene->path, play->path);
	struct text body = text_of(scene->body == NULL ? "" : scene->body);

	switch (scene->act) {
	case PLAY_ANSWER:
		fake_server_reply(wire, stream, scene->status == 0 ? 200 : scene->status,
			scene->headers == NULL ? "" : scene->headers, body);
		break;
	case PLAY_RAW: fake_server_send(wire, stream, body); break;
	case PLAY_WATCH:
	case PLAY_ENDS:
	case PLAY_CUT:
		fake_server_open(wire, stream);
		if (body.size > 0)
			fake_server_chunk(wire, stream, body);
		if (scene->act == PLAY_ENDS)
			fake_server_finish(wire, stream);
		if (scene->act == PLAY_CUT)
			fake_server_cut(wire, stream);
		break;
	case PLAY_HANG: break;
	}
}

void play_start(struct play *play, struct bed *bed, const struct play_scene *scenes, uint32_t count)
{
	TEST_ASSERT_TRUE(count <= PLAY_SCENES_MAX);
	memset(play, 0, sizeof(*play));
	play->scenes = scenes;
	play->count = count;
	bed->wire.answer = answer;
	bed->wire.self = play;
}

int64_t play_between_ms(const struct play *play, uint32_t earlier, uint32_t later)
{
	TEST_ASSERT_TRUE(later < play->at);
	return (play->asked_us[later] - play->asked_us[earlier]) / CLOCK_MS_US;
}
