/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to api*.c: one request on its way, and who does what with it.
 *
 *	api.c            where a request goes
 *	api_answer.c     Status objects, objects
 *	api_discovery.c  what is served
 *	api_list.c       get, list, watch: streams
 *	api_write.c      bodies, names; create
 *	api_change.c     update, patch, delete
 *	api_pod.c        what is peculiar to pods: defaults, binding, ending
 *	api_event.c      events, and reviews of access
 */
#ifndef BERTH_TOOLS_APISIM_API_PRIVATE_H
#define BERTH_TOOLS_APISIM_API_PRIVATE_H

#include "apisim/api.h"

enum {
	API_LINE_HEAD_MAX = 512,
	API_CAUSES_MAX = 16,
	/* Releases with which something came. */
	API_KNOWS_STREAMING_LISTS =
		27, /* and refuses them; before, it did not see what was asked */
	API_OFFERS_STREAMING_LISTS = 32,
	API_COUNTS_PODS_CHANGES = 33, /* metadata.generation of pods */
	API_PODS_KNOW_THEIR_ZONE = 35
};

enum api_verb { API_GET, API_POST, API_PUT, API_PATCH, API_DELETE };

enum api_stream_kind { API_LIST, API_WATCH };

struct api_stream {
	bool taken;
	enum api_stream_kind kind;
	enum resource_number resource;
	struct selection selection;
	/* A snapshot: revisions, held from item_at on. */
	uint32_t items; /* store handle of an array; 0: none */
	uint32_t item_count, item_at;
	bool head_due, tail_due;
	uint64_t list_version;
	uint64_t remaining; /* of a page: how many more there are */
	uint32_t last;      /* of a page: the revision it ends with, held; 0: the list ends */
	/* A watch. */
	uint64_t next; /* version of the change to look at next */
	bool bookmarks, initial_end_due;
	struct mono ends, bookmark;
	bool last_words; /* the stream ends behind the line */
	/* The line being given. */
	uint32_t line; /* store handle; 0: none */
	uint32_t line_size, line_at;
};

struct api {
	struct registry registry;
	struct json_cut *cut;
	struct scratch scratch;
	struct clock clock;
	struct random random;
	struct api_counts counts;
	struct api_stream streams[API_STREAMS_MAX + 1];
	char token[256];
	uint32_t release;
	bool streaming_lists, no_access;
	uint32_t throttle, throttle_retry_s;
	char violations[API_VIOLATIONS_KEPT][API_VIOLATION_MAX];
	void (*on_violation)(void *self, const char *text);
	void *self;
};

struct api_call {
	struct api *api;
	const struct api_request *request;
	struct api_answer *answer;
	enum api_verb verb;
	enum resource_number resource; /* as asked for */
	enum resource_number stored;
	struct text namespace, name, subresource; /* "" when there is none */
};

/* Details of a Status. */
struct api_details {
	struct text name, group, kind, uid;
	uint32_t retry_after_s;
	uint32_t causes;
	struct {
		const char *reason;
		struct text message;
		const char *field;
	} cause[API_CAUSES_MAX];
};

/* ---- api.c ---- */

/* What the cluster's own machinery does is not counted. */
static inline void api_count(const struct api_call *call, uint64_t *what)
{
	if (!call->request->inside)
		(*what)++;
}

struct text api_query(const struct api_call *call, const char *key); /* TEXT_NONE: not there */
bool api_query_true(const struct api_call *call, const char *key);
void api_violates(struct api_call *call, const char *format, ...) PRINTF_LIKE(2, 3);
struct text api_key(struct api_call *call, struct text namespace, struct text name);
struct wall api_wall(const struct api_call *call);
/* A printed text, in the scratch. */
struct text api_print(struct api_call *call, const char *format, ...) PRINTF_LIKE(2, 3);

/* ---- api_answer.c ---- */

void api_plain(struct api_call *call, int status, struct text body);
void api_status(struct api_call *call, int status, const char *reason,
	const struct api_details *details, struct text message);
struct text api_resource_name(struct api_call *call); /* "leases.coordination.k8s.io" */
/* The usual ones; `details` name the object. */
void api_not_found(struct api_call *call, enum resource_number resource, struct text name);
void api_bad_request(struct api_call *call, struct text message);
void api_conflict(struct api_call *call, struct text name, struct text why);
void api_unknown(struct api_call *call, struct text message); /* 500 without a reason */
void api_invalid(struct api_call *call, struct text name, struct api_details *details);
void api_cause(
	struct api_details *details, const char *field, const char *reason, struct text message);
/* The same of what is no resource. */
void api_invalid_of(struct api_call *call, struct text kind, struct text group, struct text name,
	struct api_details *details);
void api_no_room(struct api_call *call);
void api_deleted(struct api_call *call, uint32_t revision);
void api_object(struct api_call *call, int status, uint32_t revision);
/* The object as it is served: with kind and apiVersion or, in a list, without. */
struct text api_render(struct api *api, enum resource_number resource, uint32_t revision,
	bool whole, uint64_t version);
void api_write_status_object(struct json_writer *j, int status, const char *reason,
	const struct api_details *details, struct text message);

/* ---- api_discovery.c ---- */

/* False: there is nothing at that path. */
bool api_discover(struct api_call *call, struct text path);

/* ---- api_list.c ---- */

void api_get(struct api_call *call);
void api_list(struct api_call *call);
void api_watch(struct api_call *call);

/* ---- api_write.c ---- */

struct tree *api_body(struct api_call *call, const char *kind);  /* NULL: answered */
struct tree *api_parse(struct api_call *call, const char *kind); /* the same, of any kind */
void api_no_such_format(struct api_call *call, const char *accepted);
void api_make(struct api_call *call, struct tree *object);
struct text api_print_time(struct api_call *call, struct wall time);
bool api_has_generation(const struct api_call *call);
void api_create(struct api_call *call);

/* ---- api_change.c ---- */

void api_update(struct api_call *call);
void api_patch(struct api_call *call);
void api_delete(struct api_call *call);
/*
 * Stores the object, a change of `old` (0: new). The revision it has then; 0: answered, for lack
 * of room. What is as it was makes no change.
 */
uint32_t api_commit(struct api_call *call, struct tree *object, uint32_t old);
bool api_remove(struct api_call *call, uint32_t old, struct tree *object);
struct tree *api_read(struct api_call *call, uint32_t revision);
/* The uid and version that the request insists on. */
bool api_preconditions(struct api_call *call, uint32_t old, struct text uid, struct text version);
bool api_make_namespace(struct api *api, struct text name);

/* ---- api_pod.c ---- */

bool api_pod_new(struct api_call *call, struct tree *pod); /* false: answered */
void api_bind(struct api_call *call);
/* True when the pod is to go on for its grace period; then it is answered. */
bool api_pod_ends(struct api_call *call, uint32_t *old, const struct tree *options);

/* ---- api_event.c ---- */

bool api_event_new(struct api_call *call, struct tree *event); /* false: answered */
void api_event_to_core(struct tree *event, struct scratch *scratch);
void api_event_from_core(struct tree *event, struct scratch *scratch);
bool api_review(struct api_call *call, struct text path); /* false: not one */

#endif
