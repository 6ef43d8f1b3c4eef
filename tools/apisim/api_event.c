/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events, kept in the shape of events.k8s.io/v1 and served in both; and the reviews of tokens and
 * of access, which keep nothing.
 */
#include "apisim/api_private.h"

#include "kube/time.h"

enum {
	EVENT_NOTE_MAX = 1024,
	EVENT_WORD_MAX = 128 /* reason, action, instance */
};

/* ---- the two shapes ---- */

static const struct renaming {
	const char *core, *event;
} renamings[] = {
	{"involvedObject", "regarding"},
	{"message", "note"},
	{"source", "deprecatedSource"},
	{"firstTimestamp", "deprecatedFirstTimestamp"},
	{"lastTimestamp", "deprecatedLastTimestamp"},
	{"count", "deprecatedCount"},
	{"reportingComponent", "reportingController"},
};

static void rename_member(struct tree *event, const char *from, const char *to)
{
	struct tree *member = tree_get(event, from);

	if (member != NULL)
		member->key = text_of(to);
}

void apisim_event_to_core(struct tree *event, struct scratch *scratch)
{
	for (size_t i = 0; i < ARRAY_COUNT(renamings); i++)
		rename_member(event, renamings[i].event, renamings[i].core);
	if (tree_get(event, "reportingComponent") == NULL)
		tree_put_text(event, "reportingComponent", TEXT(""), scratch);
	if (tree_get(event, "reportingInstance") == NULL)
		tree_put_text(event, "reportingInstance", TEXT(""), scratch);
}

void apisim_event_from_core(struct tree *event, struct scratch *scratch)
{
	(void)scratch;
	for (size_t i = 0; i < ARRAY_COUNT(renamings); i++)
		rename_member(event, renamings[i].core, renamings[i].event);
}

/* ---- a new one ---- */

static void need(struct apisim_details *details, const struct tree *event, const char *field)
{
	if (tree_text(event, field).size == 0)
		apisim_cause(details, field, "FieldValueRequired", TEXT("Required value"));
}

static void bound(struct apisim_call *call, struct apisim_details *details,
	const struct tree *event, const char *field, size_t max)
{
	if (tree_text(event, field).size > max)
		apisim_cause(details, field, "FieldValueInvalid",
			apisim_print(
				call, "Invalid value: \"\": can have at most %zu characters", max));
}

/* Of the new group everything is required; the old one is let through as it is. */
static void validate_new(
	struct apisim_call *call, struct apisim_details *details, struct tree *event)
{
	struct text type = tree_text(event, "type");
	struct wall time;

	if (!kube_time_parse(tree_text(event, "eventTime"), &time))
		apisim_cause(details, "eventTime", "FieldValueRequired", TEXT("Required value"));
	need(details, event, "reportingController");
	need(details, event, "reportingInstance");
	need(details, event, "action");
	need(details, event, "reason");
	bound(call, details, event, "reportingInstance", EVENT_WORD_MAX);
	bound(call, details, event, "action", EVENT_WORD_MAX);
	bound(call, details, event, "reason", EVENT_WORD_MAX);
	bound(call, details, event, "note", EVENT_NOTE_MAX);
	if (!text_is(type, TEXT("Normal")) && !text_is(type, TEXT("Warning")))
		apisim_cause(details, "type", "FieldValueInvalid",
			apisim_print(call, "Invalid value: \"%.*s\": has invalid value",
				TEXT_ARGS(type)));
	if (tree_has(event, "series") && tree_i64(event, "series.count", 0) < 2)
		apisim_cause(details, "series.count", "FieldValueInvalid",
			TEXT("Invalid value: should be at least 2"));
}

/* What Go writes even when it is not set. */
static void complete(struct tree *event, struct scratch *scratch)
{
	static const struct {
		const char *key, *json;
	} members[] = {{"deprecatedSource", "{}"}, {"deprecatedFirstTimestamp", "null"},
		{"deprecatedLastTimestamp", "null"}, {"eventTime", "null"}};

	for (size_t i = 0; i < ARRAY_COUNT(members); i++)
		if (tree_get(event, members[i].key) == NULL)
			tree_put_raw(event, members[i].key, members[i].json, scratch);
}

bool apisim_event_new(struct apisim_call *call, struct tree *event)
{
	struct apisim_details details = {.causes = 0};
	struct text regarding, namespace = tree_text(event, "metadata.namespace");

	if (call->resource == RESOURCE_CORE_EVENTS)
		apisim_event_from_core(event, &call->api->scratch);
	else
		validate_new(call, &details, event);
	complete(event, &call->api->scratch);
	regarding = tree_text(event, "regarding.namespace");
	/* Of what is in no namespace it is told in "default". */
	if (!text_is(regarding, namespace) &&
		!(regarding.size == 0 &&
			(text_is(namespace, TEXT("default")) ||
				text_is(namespace, TEXT("kube-system")))))
		apisim_cause(&details, "involvedObject.namespace", "FieldValueInvalid",
			apisim_print(call,
				"Invalid value: \"%.*s\": does not match event.namespace",
				TEXT_ARGS(regarding)));
	if (details.causes == 0)
		return true;
	apisim_violates(call, "an event that is not valid: %s", details.cause[0].field);
	apisim_invalid(call, tree_text(event, "metadata.name"), &details);
	return false;
}

/* ---- reviews ---- */

static void answer_review(struct apisim_call *call, struct tree *review)
{
	call->answer->status = 201;
	call->answer->body = tree_print(review, &call->api->scratch);
}

static void review_token(struct apisim_call *call, struct tree *review)
{
	struct apisim *api = call->api;
	struct text token = tree_text(review, "spec.token");
	bool known = !api->no_access &&
		(api->token[0] == '\0' ? token.size > 0 : text_is_z(token, api->token));

	tree_put_raw(review, "status",
		known ? "{\"authenticated\":true,\"user\":{\"username\":\"apisim\",\"uid\":\"1\","
			"\"groups\":[\"system:authenticated\"]}}"
		      : "{\"user\":{},\"error\":\"[invalid bearer token, unknown]\"}",
		&api->scratch);
	answer_review(call, review);
}

static void review_access(struct apisim_call *call, struct tree *review)
{
	bool may = !call->api->no_access &&
		!text_is_z(tree_text(review, "spec.user"), "system:anonymous");

	tree_put_raw(review, "status",
		may ? "{\"allowed\":true,\"reason\":\"whoever is known may do everything here\"}"
		    : "{\"allowed\":false}",
		&call->api->scratch);
	answer_review(call, review);
}

bool apisim_review(struct apisim_call *call, struct text path)
{
	static const struct {
		const char *path, *kind;
		void (*answer)(struct apisim_call *call, struct tree *review);
	} reviews[] = {
		{"/apis/authentication.k8s.io/v1/tokenreviews", "TokenReview", review_token},
		{"/apis/authorization.k8s.io/v1/subjectaccessreviews", "SubjectAccessReview",
			review_access},
		{"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
			"SelfSubjectAccessReview", review_access},
	};

	for (size_t i = 0; i < ARRAY_COUNT(reviews); i++) {
		if (!text_is_z(path, reviews[i].path))
			continue;
		const char *fault;
		struct tree *review = tree_parse(
			call->request->body, call->api->cut, &call->api->scratch, &fault);

		if (review == NULL || review->type != JSON_OBJECT ||
			!text_is_z(tree_text(review, "kind"), reviews[i].kind))
			apisim_bad_request(call,
				apisim_print(call,
					"the object provided is unrecognized (must be of type %s)",
					reviews[i].kind));
		else
			reviews[i].answer(call, review);
		return true;
	}
	return false;
}
