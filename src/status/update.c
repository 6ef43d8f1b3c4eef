/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PUT /berth/v1/update: a signed update on its way from a client to the process that writes it.
 *
 * The appliance's first process gives us a socket of packets as standard input; at its other end
 * `berth update -` runs as root, one for each update. So here nothing is judged and no disk is
 * waited for: bytes go on as that process takes them, from the answer's own piece of memory, and
 * the client is held back meanwhile. An empty packet is the end, also of an update that was cut
 * off. The words that come back begin with the code of the answer.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "status/private.h"

enum {
	PACKET = 4 * 1024, /* half a piece: what the server still has in hand fits behind it */
	LOOK_MS = 10,
	SAID_MAX = 512
};

bool update_has_writer(void)
{
	int type = 0;
	socklen_t size = sizeof(type);
	return getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
		type == SOCK_SEQPACKET;
}

/* False: not now. Where nothing is at the other end any more it is as good as taken. */
static bool send_packet(struct text bytes)
{
	return send(STDIN_FILENO, bytes.at, bytes.size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ||
		(errno != EAGAIN && errno != EINTR);
}

/* False: nothing was said yet. The writer's end is an answer, too. */
static bool hear_writer(char said[SAID_MAX], struct text *words)
{
	ssize_t size = recv(STDIN_FILENO, said, SAID_MAX, MSG_DONTWAIT);
	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	*words = size > 0 ? (struct text){said, (size_t)size}
			  : TEXT("503 there is nothing that would write it");
	return true;
}

/* What the client learns. What it still has to send is not wanted any more. */
static void update_reply(struct status_update *update, struct text words)
{
	struct status_answer *a = update->from;
	uint64_t code;
	if (!text_to_u64(text_first(words, 3), &code) || words.size < 4 || code < 200 || code > 599)
		code = 500;
	words = text_trim(text_from(words, words.size < 4 ? words.size : 4));
	log_info("status", "update", "status=%u bytes=%llu answer=\"%.*s\"", (unsigned)code,
		(unsigned long long)update->bytes, TEXT_ARGS(words));
	update->from = NULL;
	update->answered = true;
	if (a == NULL)
		return;
	if (code >= 300) {
		status_refuse(a, (uint16_t)code, "%.*s", TEXT_ARGS(words));
		return;
	}
	memmove(a->piece, words.at, words.size);
	a->piece[words.size] = '\n';
	status_reply(a, (uint16_t)code, status_plain, (struct text){a->piece, words.size + 1});
}

/* As far as the writer takes it. */
static void update_pass_on(struct status_update *update)
{
	struct status_answer *a = update->from;
	if (a == NULL) {
		update->state = UPDATE_ENDS;
		return;
	}
	if (a->size >= (a->has_arrived ? 1 : PACKET) &&
		send_packet((struct text){a->piece, a->size}))
		a->size = 0;
	if (a->has_arrived && a->size == 0)
		update->state = UPDATE_ENDS;
	else if (a->exchange->holds_body && a->size == 0)
		net_exchange_take_body(a->exchange);
}

static void update_turn(struct net_timer *timer, struct mono now)
{
	struct status_update *update = LIST_OWNER(timer, struct status_update, timer);
	char said[SAID_MAX];
	struct text words;
	if (!update->answered && hear_writer(said, &words))
		update_reply(update, words);
	if (update->state == UPDATE_COMES)
		update_pass_on(update);
	if (update->state == UPDATE_ENDS && send_packet(TEXT("")))
		update->state = UPDATE_IS_WRITTEN;
	if (update->state == UPDATE_IS_WRITTEN && update->answered)
		update->state = UPDATE_NONE;
	else
		net_timer_arm(update->net, timer, mono_after_ms(now, LOOK_MS));
}

static void update_on_body(struct net_exchange *e, struct text bytes)
{
	struct status_update *update = e->user;
	struct status_answer *a = update->from;
	if (a == NULL || a->exchange != e || bytes.size > sizeof(a->piece) - a->size)
		return;
	memcpy(a->piece + a->size, bytes.at, bytes.size);
	a->size += bytes.size;
	update->bytes += bytes.size;
	if (a->size >= PACKET && send_packet((struct text){a->piece, a->size}))
		a->size = 0;
	e->holds_body = a->size >= PACKET;
}

void update_answer(struct status_answer *a)
{
	struct status_update *update = &a->status->update;
	char said[SAID_MAX];
	struct text words;
	if (!a->status->setup.options->update_socket) {
		status_refuse(a, 501,
			"this is not the appliance: berth is updated here as it was installed");
		return;
	}
	if (update->state != UPDATE_NONE) {
		status_refuse(a, 503, "another update is under way; retry");
		return;
	}
	if (hear_writer(said, &words) && words.at != said) {
		status_refuse(a, 503, "there is nothing that would write it");
		return;
	}
	*update = (struct status_update){
		.from = a, .net = a->status->setup.net, .state = UPDATE_COMES};
	net_timer_init(&update->timer, update_turn);
	net_timer_arm(update->net, &update->timer, net_now(update->net));
	a->size = 0;
	a->exchange->user = update;
	a->exchange->on_body = update_on_body;
	if (!a->has_arrived)
		net_exchange_take_body(a->exchange);
}

void update_forget(struct status_answer *a)
{
	if (a->status->update.from == a)
		a->status->update.from = NULL;
}

void update_close(struct status *status)
{
	if (status->update.state != UPDATE_NONE)
		net_timer_disarm(&status->update.timer);
}
