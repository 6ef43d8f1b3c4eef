/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * api - calls to the apiserver: a request is described as data, sent, its answer is judged, it
 * waits and is sent again as its policy says, and its caller hears one verdict.
 *
 *	api_call.c      the way of a call, as a table of states; when it is sent again
 *	api_answer.c    bytes of an answer to a Status, or to the object that was asked for
 *	api_judge.c     what an answer means: pure
 *	api_policies.c  timeout, tries and pauses of each kind of call, a row each
 *	api_path.c      where objects are: pure
 *
 * Nothing is allocated after api_client_open(): a call and the room for its body are its caller's.
 */
#ifndef BERTH_API_API_H
#define BERTH_API_API_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/list.h"
#include "base/pool.h"
#include "base/scratch.h"
#include "json/json.h"
#include "net/backoff.h"
#include "http/http.h"

enum {
	API_PATH_MAX = 512,         /* bytes of any path of valid names */
	API_MESSAGE_MAX = 1024,     /* of an error; a longer one is cut at a character */
	API_PIECE_MAX = 4096,       /* of an answer, thinned to what is read of it */
	API_WAIT_DEFAULT_MS = 1000, /* after a 429 that names no time */
	API_REPEATED_MAX = 4        /* statuses of one policy */
};

enum api_verdict {
	API_DONE,     /* it is as was asked for */
	API_GONE,     /* the object is not there, or another one has its name */
	API_CONFLICT, /* the object is not as the request takes it to be */
	API_RETRY,    /* nothing was done: the same request may be sent again */
	API_UNCLEAR,  /* it may have been done */
	API_REFUSED   /* nothing was done, and the same request would be answered the same */
};
enum { API_VERDICTS = API_REFUSED + 1 };

/* ---- policies ---- */

enum api_purpose {
	API_BINDING,
	API_BINDING_BY_EXTENDER,
	API_STATUS_PATCH,
	API_EVICTION_PATCH,
	API_EVICTION_DELETE,
	API_PLUGIN_CALL,
	API_EVENT,
	API_LEASE,
	API_REVIEW,
	API_CONFIG_READ,
	API_POD_READ,
	API_EXTENDER_QUESTION
};
enum { API_PURPOSES = API_EXTENDER_QUESTION + 1 };

struct api_policy {
	const char *name; /* for logs */
	enum net_class class;
	bool leaders_only;   /* sent only while may_write() allows it */
	bool head_is_enough; /* a 2xx is success, whatever becomes of the body */
	bool reads_success;  /* the body of a 2xx may be a Status that says otherwise */
	bool trusts_404;     /* also without a Status of reason NotFound */
	bool repeats_lost;   /* saying it twice does no harm: sent again when no answer came */
	bool verifies;       /* what is unclear, or in conflict, is read before it is sent again */
	bool is_foreign;     /* the server is no apiserver: the caller judges */
	int64_t timeout_ms;  /* of one request, with the time it waits to be sent; 0: the call's */
	int64_t silence_ms;  /* of the server, 0: no limit of its own */
	uint64_t answer_max; /* bytes */
	/* How often it fails for a while (429, 5xx, not sent) until it fails; 0: there is no end.
	 */
	uint32_t tries;
	uint32_t waits;      /* Retry-Afters obeyed beside the tries; 0: they are tries, too */
	uint32_t faults;     /* verified ones: how many 5xx are taken for a refusal */
	int64_t wait_max_ms; /* for a Retry-After */
	struct net_backoff backoff;
	uint16_t repeated[API_REPEATED_MAX]; /* statuses that mean API_RETRY here */
};
extern const struct api_policy api_policies[API_PURPOSES];

/* ---- what is shared by all calls ---- */

struct api_setup {
	struct net *net;
	struct net_client *server;
	struct arena *arena;
	struct entropy entropy; /* jitter */
	uint32_t answers_max;   /* being read at a time: of others only the head is believed */
	/*
	 * Do we still lead? Asked when a call that only leaders make is about to be sent, which may
	 * be long after it was started. NULL: always.
	 */
	bool (*may_write)(void *self);
	void *self;
};

struct api_client;

struct api_client *api_client_open(const struct api_setup *setup);
size_t api_client_size(uint32_t answers_max);
void api_client_close(struct api_client *client); /* CHECKs that there are no calls */
struct net *api_client_net(const struct api_client *client);
/* For reading an object, in its reader: what is taken goes back when that returns. */
struct scratch *api_client_scratch(struct api_client *client);

/* ---- callers ---- */

struct api_call;

struct api_caller {
	/* Set before api_caller_init(). */
	struct api_client *client;
	const char *name; /* in dumps */
	/* The call is over and no longer the engine's. From inside net_poll(); may start calls. */
	void (*done)(struct api_call *call, enum api_verdict verdict);
	/* NULL, or: there is an answer (of a write, not of its verification), before it counts. */
	void (*answered)(struct api_call *call, enum api_verdict verdict);
	/* Of servers that are none of Kubernetes': what the answer means. */
	enum api_verdict (*judge)(struct api_call *call);
	/* private */
	struct list link, calls;
	/* For all to read: now, and since the start. */
	uint32_t count, unclear;
	uint64_t repeated, doubted;
};

void api_caller_init(struct api_caller *caller);
void api_caller_close(struct api_caller *caller); /* cancels all its calls */

/* ---- a call ---- */

/*
 * Where an object is: "/api/v1", "default", "pods", "web-0", "status". Without a namespace:
 * TEXT_NONE; without a name: where such objects are made; without a subresource: NULL.
 */
struct api_object {
	const char *group; /* "/api/v1", "/apis/events.k8s.io/v1" */
	struct text namespace;
	const char *resource;
	struct text name;
	const char *subresource;
};
/* False, and nothing written: a name cannot be part of a path. */
MUST_USE bool api_path_write(const struct api_object *object, struct writer *out);

/* What is read of an answer of 200, 201 or so: a whole object, thinned. */
struct api_reader {
	const struct json_want *want;
	/* The text is in the cutter: of the call's own if it has one, else good until it returns.
	 */
	void (*object)(struct api_call *call, struct text json);
	struct json_cut *cut; /* NULL: one for up to API_PIECE_MAX bytes */
};

struct api_request {
	enum api_purpose purpose;
	enum net_method method;
	struct api_object object;
	/* Instead of the object's: a path as it is, good until the call is over. */
	struct text path;
	struct text content_type; /* TEXT_NONE: application/json */
	/* Good until the call is over, or written by `write` into `room`, which is. */
	struct text body;
	bool (*write)(const void *self, struct writer *out); /* false: it cannot be said */
	const void *self;
	char *room;
	size_t room_size;
	/* Or bytes that are made when they are sent, see net_request. */
	size_t (*copy)(const struct net_request *request, size_t from, char *to, size_t size);
	struct api_reader reader;
	/*
	 * Verification reads the object (without its subresource). The reader calls
	 * api_call_judge(): API_DONE, API_GONE, or API_RETRY when the object is as before.
	 */
	struct api_reader verify;
	struct net_client *server; /* NULL: the client's */
	int64_t timeout_ms;        /* where the policy has none */
};

enum api_state {
	API_FREE,
	API_SENT,
	API_PAUSED,        /* then it is sent again */
	API_VERIFYING,     /* the object is being read */
	API_VERIFY_PAUSED, /* then it is read */
	API_ENDING         /* done() is called in the next turn */
};
enum { API_STATES = API_ENDING + 1 };

/* What was read of a Status. */
struct api_status {
	bool is_there;
	bool is_failure;
	bool is_not_found;
	bool is_uid_mismatch;
	int32_t retry_after_s; /* 0: not said */
};

struct api_call {
	struct net_request request; /* its answer is good in done() */
	struct net_timer timer;
	struct list link;
	struct api_caller *caller;
	const struct api_policy *policy;
	enum api_state state;
	enum api_verdict verdict;
	enum net_method method;
	struct net_client *server; /* NULL: the client's */
	struct api_reader reader, verify;
	struct text content_type, body;
	size_t (*copy)(const struct net_request *request, size_t from, char *to, size_t size);
	int64_t timeout_ms;
	struct text path_text; /* what is asked for, mostly in `path` */
	const char *settled_message;
	bool may_be_done; /* an answer so far left that open */
	bool is_conflict; /* it was refused, and that is verified before it is believed */
	bool is_stranded; /* it waits because the server was away */
	bool is_settled;  /* `settled` is known from elsewhere */
	enum api_verdict settled;
	uint32_t sends, tries, waits, faults;
	int64_t wait_ms; /* asked for by the last answer; -1: not */
	struct net_backoff backoff;
	struct mono sent_at;
	/* of the answer that comes in */
	uint32_t cut;            /* 0: none taken */
	struct json_cut *cutter; /* NULL: nothing came */
	bool is_read;            /* nothing more is read of it */
	bool has_object, is_judged, is_too_big;
	enum api_verdict judged;
	struct api_status status;
	size_t object_size, message_size; /* of `path` without a subresource, of `message` */
	char path[API_PATH_MAX];
	char message[API_MESSAGE_MAX];
};

/*
 * Describes, and sends in the next turn of the loop; done() is never called from inside. A request
 * that cannot be made (names that are none, a body that does not fit) ends as API_REFUSED.
 */
void api_call_start(
	struct api_call *call, struct api_caller *caller, const struct api_request *request);
void api_call_cancel(struct api_call *call); /* done() is not called; harmless when it is over */
/*
 * It is known otherwise what became of it (API_DONE, API_GONE). Ends a call that waits, in the next
 * turn; one that is being answered only if the answer leaves it open.
 */
void api_call_settle(struct api_call *call, enum api_verdict verdict, const char *message);
static inline bool api_call_is_over(const struct api_call *call)
{
	return call->state == API_FREE;
}
static inline struct text api_call_message(const struct api_call *call)
{
	return (struct text){call->message, call->message_size};
}

/* ---- for readers and judges ---- */

void api_call_judge(struct api_call *call, enum api_verdict verdict);
/* Of a server; an error of its own words stays. */
void api_call_keep_message(struct api_call *call, struct text message);
void api_call_explain(struct api_call *call, const char *format, ...) PRINTF_LIKE(2, 3);

/* ---- pure ---- */

/* `wait_ms`: what the answer asks for, at most as the policy allows; -1: nothing. */
enum api_verdict api_answer_means(const struct api_policy *policy, const struct net_answer *answer,
	const struct api_status *status, int64_t *wait_ms);
/* Was the request, for certain, not carried out? */
bool api_answer_is_refusal(const struct net_answer *answer);
struct kube_status;
struct api_status api_status_of(const struct kube_status *status);

#endif
