/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A request until its fate is known: sent, waited for, sent again. A victim has two.
 */
#include "base/log.h"
#include "bind/patcher_private.h"

enum { FIRST_WAIT_US = 10 * CLOCK_MS_US, WAIT_FACTOR = 5, JITTER_PART = 10 /* one tenth */ };

static const char status_end[] = "/status";

struct text patcher_pod_of(const char *path, size_t size, struct text *namespace)
{
	struct text rest = {path, size};
	struct text name = TEXT("");
	struct text part;

	*namespace = TEXT("");
	/* "", api, v1, namespaces, <namespace>, pods, <name>, status */
	for (uint32_t i = 0; i < 7 && text_cut(&rest, '/', &part); i++) {
		if (i == 4)
			*namespace = part;
		if (i == 6)
			name = part;
	}
	return name;
}

static enum net_flow on_body(struct net_request *request, struct text bytes)
{
	struct patcher_errand *errand = LIST_OWNER(request, struct patcher_errand, request);
	size_t room = sizeof(errand->answer) - errand->answer_size;

	if (request->answer.status < 300)
		return NET_MORE;
	if (bytes.size > room)
		bytes.size = room;
	memcpy(errand->answer + errand->answer_size, bytes.at, bytes.size);
	errand->answer_size += bytes.size;
	return NET_MORE;
}

static void wait_us(struct patcher_errand *errand, int64_t us)
{
	struct patcher *patcher = errand->patcher;

	patcher->stats.retried++;
	net_timer_arm(patcher->setup.net, &errand->timer,
		(struct mono){net_now(patcher->setup.net).us + us});
}

/* 10, 50, 250 ms, and up to a tenth more. */
static int64_t pause_us(struct patcher_errand *errand)
{
	int64_t us = FIRST_WAIT_US;

	for (uint32_t i = 1; i < errand->tries; i++)
		us *= WAIT_FACTOR;
	return us + random_below(&errand->patcher->random, (uint32_t)us / JITTER_PART + 1);
}

static void log_failed(const struct patcher_errand *errand, const char *fault)
{
	struct text namespace;
	struct text name = patcher_pod_of(errand->path, errand->path_size, &namespace);

	log_warn("bind", errand->is_victim ? "eviction-failed" : "status-failed",
		"pod=%.*s/%.*s step=%s tries=%u waits=%u error=\"%s\"", TEXT_ARGS(namespace),
		TEXT_ARGS(name), errand->step == PATCHER_PATCH ? "patch" : "delete",
		(unsigned)errand->tries, (unsigned)errand->waits, fault);
}

static void fail(struct patcher_errand *errand, const char *fault)
{
	log_failed(errand, fault);
	patcher_finish(errand, PATCHER_FAILED);
}

static void succeed(struct patcher_errand *errand)
{
	if (!errand->is_victim || errand->step == PATCHER_DELETE) {
		patcher_finish(errand, PATCHER_DONE);
		return;
	}
	errand->step = PATCHER_DELETE;
	errand->tries = errand->waits = 0;
	patcher_send(errand);
}

static void on_done(struct net_request *request)
{
	struct patcher_errand *errand = LIST_OWNER(request, struct patcher_errand, request);
	struct patcher_judged judged;

	if (request->answer.result == NET_CANCELLED) {
		errand->patcher->closing = true;
		return;
	}
	patcher_judge(errand, &judged);
	switch (judged.verdict) {
	case PATCHER_OK: succeed(errand); return;
	case PATCHER_NOT_FOUND: patcher_finish(errand, PATCHER_GONE); return;
	case PATCHER_LATER:
		if (errand->waits == PATCHER_WAITS)
			break;
		errand->waits++;
		errand->tries--; /* it was not one */
		if (judged.wait_ms > PATCHER_WAIT_MAX_MS)
			judged.wait_ms = PATCHER_WAIT_MAX_MS;
		wait_us(errand, judged.wait_ms * CLOCK_MS_US);
		return;
	case PATCHER_AGAIN:
		if (errand->tries == PATCHER_TRIES)
			break;
		wait_us(errand, pause_us(errand));
		return;
	case PATCHER_HOPELESS: break;
	}
	fail(errand, judged.fault);
}

static struct text body_of(const struct patcher_errand *errand)
{
	const struct patcher *patcher = errand->patcher;
	size_t at = errand->index - 1;

	if (errand->step == PATCHER_DELETE)
		return (struct text){patcher->delete_body, patcher->delete_size};
	if (errand->is_victim)
		return (struct text){
			patcher->victim_bodies + at * PATCHER_VICTIM_BODY_MAX, errand->body_size};
	return (struct text){patcher->patch_bodies + at * PATCHER_BODY_MAX, errand->body_size};
}

static bool may_send(const struct net_request *request)
{
	const struct patcher_errand *errand = LIST_OWNER(
		(struct net_request *)(uintptr_t)request, struct patcher_errand, request);
	const struct patcher_setup *setup = &errand->patcher->setup;

	return setup->may_write == NULL || setup->may_write(setup->self);
}

void patcher_send(struct patcher_errand *errand)
{
	bool patch = errand->step == PATCHER_PATCH;

	CHECK(errand->path_size > sizeof(status_end));
	CHECK(errand->tries < PATCHER_TRIES);
	if (errand->patcher->closing)
		return;
	errand->tries++;
	errand->is_started = true;
	errand->answer_size = 0;
	errand->request = (struct net_request){
		.class = errand->is_victim ? NET_BIND : NET_READ,
		.method = patch ? NET_PATCH : NET_DELETE,
		.path = {errand->path, errand->path_size - (patch ? 0 : strlen(status_end))},
		.content_type = patch ? TEXT("application/strategic-merge-patch+json") : TEXT_NONE,
		.body = body_of(errand),
		.timeout_ms = PATCHER_TOTAL_MS,
		.idle_timeout_ms = PATCHER_SILENCE_MS,
		.may_send = may_send,
		.on_body = on_body,
		.on_done = on_done,
	};
	net_send(errand->patcher->setup.client, &errand->request);
}

void patcher_try_again(struct net_timer *timer, struct mono now)
{
	struct patcher_errand *errand = LIST_OWNER(timer, struct patcher_errand, timer);

	(void)now;
	CHECK(!net_is_active(&errand->request));
	if (errand->patcher->closing)
		return;
	if (errand->is_doomed)
		fail(errand, "no request can be made of it");
	else
		patcher_send(errand);
}
