/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who wants what of a call.
 *
 * What kube-scheduler does: client-go sends 429 and 5xx with a Retry-After again, ten times, for
 * everybody. On top of it a status patch is tried four times (10, 50, 250 ms between them) after
 * 409, 500, 503 and when the port is closed, an event twelve times, 10 s apart. All else is an
 * error at once.
 *
 * What we do: the same, and what follows from knowing whether a request was carried out. A binding
 * is never guessed about: it has no end until its fate is certain. A status patch says the same
 * twice, so it is repeated after silence as well; a deletion is not, since another pod may have the
 * name by then. Volumes are followed by what the watch shows, so nothing unclear is sent again.
 * Events share one pause, and a lease and its timers are its own matter: one try each, here.
 */
#include "api/api.h"

enum { S = 1000, KB = 1024 };

/* An order of binding waits long, up to half a minute between two tries. */
#define PATIENT                                                                               \
	{                                                                                     \
		.first_ms = 100, .max_ms = 20 * S, .reset_ms = 3600 * S, .jitter_percent = 50 \
	}
/* As client-go's retry.DefaultBackoff. */
#define BRIEF                                                                     \
	{                                                                         \
		.first_ms = 10, .max_ms = 250, .factor = 5, .reset_ms = 3600 * S, \
		.jitter_percent = 10                                              \
	}

const struct api_policy api_policies[API_PURPOSES] = {
	/* At most once: verified by a GET; ten 5xx with the pod seen unbound are a refusal. */
	[API_BINDING] = {.name = "binding",
		.class = NET_BIND,
		.leaders_only = true,
		.reads_success = true,
		.verifies = true,
		.timeout_ms = 30 * S,
		.answer_max = 64 * KB,
		.faults = 10,
		.wait_max_ms = 60 * S,
		.backoff = PATIENT},
	/*
	 * It binds by some other client, so its refusal, too, may come after the deed; asked twice
	 * at most. The class that may have every connection: they are all for it.
	 */
	[API_BINDING_BY_EXTENDER] = {.name = "binding by extender",
		.class = NET_LEASE,
		.leaders_only = true,
		.verifies = true,
		.is_foreign = true,
		.answer_max = 64 * KB,
		.faults = 2,
		.wait_max_ms = 60 * S,
		.backoff = PATIENT},
	/* Below bindings: people read it, nothing waits for it. */
	[API_STATUS_PATCH] = {.name = "status patch",
		.class = NET_READ,
		.leaders_only = true,
		.head_is_enough = true,
		.repeats_lost = true,
		.timeout_ms = 60 * S,
		.silence_ms = 10 * S,
		.tries = 4,
		.waits = 10,
		.wait_max_ms = 30 * S,
		.backoff = BRIEF,
		.repeated = {409, 500, 503}},
	/* Beside bindings: a pod of higher priority waits for the room. */
	[API_EVICTION_PATCH] = {.name = "eviction patch",
		.class = NET_BIND,
		.leaders_only = true,
		.head_is_enough = true,
		.repeats_lost = true,
		.timeout_ms = 60 * S,
		.silence_ms = 10 * S,
		.tries = 4,
		.waits = 10,
		.wait_max_ms = 30 * S,
		.backoff = BRIEF,
		.repeated = {409, 500, 503}},
	[API_EVICTION_DELETE] = {.name = "eviction",
		.class = NET_BIND,
		.leaders_only = true,
		.head_is_enough = true,
		.timeout_ms = 60 * S,
		.silence_ms = 10 * S,
		.tries = 4,
		.waits = 10,
		.wait_max_ms = 30 * S,
		.backoff = BRIEF},
	/* The order of writes is the caller's, and so are its waits: requests are few at a time. */
	[API_PLUGIN_CALL] = {.name = "call of a plugin",
		.class = NET_BIND,
		.leaders_only = true,
		.head_is_enough = true,
		.timeout_ms = 60 * S,
		.silence_ms = 10 * S,
		.tries = 1,
		.wait_max_ms = 60 * S,
		.backoff = PATIENT},
	/* 401: tokens are renewed; 404 of a patch: it has expired, signed or not. */
	[API_EVENT] = {.name = "event",
		.class = NET_EVENT,
		.trusts_404 = true,
		.timeout_ms = 30 * S,
		.answer_max = 1024 * KB,
		.tries = 1,
		.wait_max_ms = 600 * S,
		.backoff = PATIENT,
		.repeated = {401}},
	/* The lease's renewals go before all other calls. */
	[API_LEASE] = {.name = "lease",
		.class = NET_LEASE,
		.trusts_404 = true,
		.answer_max = 2 * 1024 * KB,
		.tries = 1,
		.wait_max_ms = 600 * S,
		.backoff = PATIENT},
	/* A person waits for it, and may ask again. */
	[API_REVIEW] = {.name = "review",
		.class = NET_READ,
		.timeout_ms = 10 * S,
		.answer_max = 64 * KB,
		.tries = 1,
		.wait_max_ms = 60 * S,
		.backoff = PATIENT},
	[API_CONFIG_READ] = {.name = "configuration read",
		.class = NET_READ,
		.timeout_ms = 10 * S,
		.answer_max = 1024 * KB,
		.tries = 1,
		.wait_max_ms = 60 * S,
		.backoff = PATIENT},
	/* It comes back to be scheduled: what people read must not hold it up. */
	[API_POD_READ] = {.name = "pod read",
		.class = NET_BIND,
		.timeout_ms = 10 * S,
		.tries = 1,
		.wait_max_ms = 60 * S,
		.backoff = PATIENT},
	/* Questions change nothing, and each extender has its own timeout. */
	[API_EXTENDER_QUESTION] = {.name = "extender question",
		.class = NET_LEASE,
		.is_foreign = true,
		.tries = 2,
		.wait_max_ms = 60 * S,
		.backoff = {.first_ms = 1, .max_ms = 1, .reset_ms = S}},
};
