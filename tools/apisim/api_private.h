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
	APISIM_LINE_HEAD_MAX = 512,
	APISIM_CAUSES_MAX = 16,
	/* Releases with which something came. */
	APISIM_KNOWS_STREAMING_LISTS =
		27, /* and refuses them; before, it did not see what was asked */
	APISIM_OFFERS_STREAMING_LISTS = 32,
	APISIM_COUNTS_PODS_CHANGES = 33, /* metadata.generation of pods */
	APISIM_PODS_KNOW_THEIR_ZONE = 35
};

enum apisim_verb { APISIM_GET, APISIM_POST, APISIM_PUT, APISIM_PATCH, APISIM_DELETE };

enum apisim_stream_kind { APISIM_LIST, APISIM_WATCH };

struct apisim_stream {
	bool taken;
	enum apisim_stream_kind kind;
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

struct apisim {
	struct registry registry;
	struct json_cut *cut;
	struct scratch scratch;
	struct clock clock;
	struct random random;
	struct apisim_counts counts;
	struct apisim_stream streams[APISIM_STREAMS_MAX + 1];
	char token[256];
	uint32_t release;
	bool streaming_lists, no_access;
	uint32_t throttle, throttle_retry_s;
	char violations[APISIM_VIOLATIONS_KEPT][APISIM_VIOLATION_MAX];
	void (*on_violation)(void *self, const char *text);
	void *self;
};

struct apisim_call {
	struct apisim *api;
	const struct apisim_request *request;
	struct apisim_answer *answer;
	enum apisim_verb verb;
	enum resource_number resource; /* as asked for */
	enum resource_number stored;
	struct text namespace, name, subresource; /* "" when there is none */
};

/* Details of a Status. */
struct apisim_details {
	struct text name, group, kind, uid;
	uint32_t retry_after_s;
	uint32_t causes;
	struct {
		const char *reason;
		struct text message;
		const char *field;
	} cause[APISIM_CAUSES_MAX];
};

/* ---- api.c ---- */

/* What the cluster's own machinery does is not counted. */
static inline void apisim_count(const struct apisim_call *call, uint64_t *what)
{
	if (!call->request->inside)
		(*what)++;
}

struct text apisim_query(
	const struct apisim_call *call, const char *key); /* TEXT_NONE: not there */
bool apisim_query_true(const struct apisim_call *call, const char *key);
void apisim_violates(struct apisim_call *call, const char *format, ...) PRINTF_LIKE(2, 3);
struct text apisim_key(struct apisim_call *call, struct text namespace, struct text name);
struct wall apisim_wall(const struct apisim_call *call);
/* A printed text, in the scratch. */
struct text apisim_print(struct apisim_call *call, const char *format, ...) PRINTF_LIKE(2, 3);

/* ---- api_answer.c ---- */

void apisim_plain(struct apisim_call *call, int status, struct text body);
void apisim_status(struct apisim_call *call, int status, const char *reason,
	const struct apisim_details *details, struct text message);
struct text apisim_resource_name(struct apisim_call *call); /* "leases.coordination.k8s.io" */
/* The usual ones; `details` name the object. */
void apisim_not_found(struct apisim_call *call, enum resource_number resource, struct text name);
void apisim_bad_request(struct apisim_call *call, struct text message);
void apisim_conflict(struct apisim_call *call, struct text name, struct text why);
void apisim_unknown(struct apisim_call *call, struct text message); /* 500 without a reason */
void apisim_invalid(struct apisim_call *call, struct text name, struct apisim_details *details);
void apisim_cause(
	struct apisim_details *details, const char *field, const char *reason, struct text message);
/* The same of what is no resource. */
void apisim_invalid_of(struct apisim_call *call, struct text kind, struct text group,
	struct text name, struct apisim_details *details);
void apisim_no_room(struct apisim_call *call);
void apisim_deleted(struct apisim_call *call, uint32_t revision);
void apisim_object(struct apisim_call *call, int status, uint32_t revision);
/* The object as it is served: with kind and apiVersion or, in a list, without. */
struct text apisim_render(struct apisim *api, enum resource_number resource, uint32_t revision,
	bool whole, uint64_t version);
void apisim_write_status_object(struct json_writer *j, int status, const char *reason,
	const struct apisim_details *details, struct text message);

/* ---- api_discovery.c ---- */

/* False: there is nothing at that path. */
bool apisim_discover(struct apisim_call *call, struct text path);

/* ---- api_list.c ---- */

void apisim_get(struct apisim_call *call);
void apisim_list(struct apisim_call *call);
void apisim_watch(struct apisim_call *call);

/* ---- api_write.c ---- */

struct tree *apisim_body(struct apisim_call *call, const char *kind);  /* NULL: answered */
struct tree *apisim_parse(struct apisim_call *call, const char *kind); /* the same, of any kind */
void apisim_no_such_format(struct apisim_call *call, const char *accepted);
void apisim_make(struct apisim_call *call, struct tree *object);
struct text apisim_print_time(struct apisim_call *call, struct wall time);
bool apisim_has_generation(const struct apisim_call *call);
void apisim_create(struct apisim_call *call);

/* ---- api_change.c ---- */

void apisim_update(struct apisim_call *call);
void apisim_patch(struct apisim_call *call);
void apisim_delete(struct apisim_call *call);
/*
 * Stores the object, a change of `old` (0: new). The revision it has then; 0: answered, for lack
 * of room. What is as it was makes no change.
 */
uint32_t apisim_commit(struct apisim_call *call, struct tree *object, uint32_t old);
bool apisim_remove(struct apisim_call *call, uint32_t old, struct tree *object);
struct tree *apisim_read(struct apisim_call *call, uint32_t revision);
/* The uid and version that the request insists on. */
bool apisim_preconditions(
	struct apisim_call *call, uint32_t old, struct text uid, struct text version);
bool apisim_make_namespace(struct apisim *api, struct text name);

/* ---- api_pod.c ---- */

bool apisim_pod_new(struct apisim_call *call, struct tree *pod); /* false: answered */
void apisim_bind(struct apisim_call *call);
/* True when the pod is to go on for its grace period; then it is answered. */
bool apisim_pod_ends(struct apisim_call *call, uint32_t *old, const struct tree *options);

/* ---- api_event.c ---- */

bool apisim_event_new(struct apisim_call *call, struct tree *event); /* false: answered */
void apisim_event_to_core(struct tree *event, struct scratch *scratch);
void apisim_event_from_core(struct tree *event, struct scratch *scratch);
bool apisim_review(struct apisim_call *call, struct text path); /* false: not one */

#endif
