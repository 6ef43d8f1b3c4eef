/* SPDX-License-Identifier: GPL-2.0-only */
/* What is answered, in the words of kube-apiserver. */
#include "apisim/api_private.h"

/* ---- Status ---- */

void apisim_write_status_object(struct json_writer *j, int status, const char *reason,
	const struct apisim_details *details, struct text message)
{
	json_open_object(j);
	json_member_z(j, "kind", "Status");
	json_member_z(j, "apiVersion", "v1");
	json_key(j, "metadata");
	json_open_object(j);
	json_close_object(j);
	json_member_z(j, "status", status < 400 ? "Success" : "Failure");
	if (message.size > 0)
		json_member_text(j, "message", message);
	if (reason != NULL)
		json_member_z(j, "reason", reason);
	if (details != NULL) {
		json_key(j, "details");
		json_open_object(j);
		if (details->name.size > 0)
			json_member_text(j, "name", details->name);
		if (details->group.size > 0)
			json_member_text(j, "group", details->group);
		if (details->kind.size > 0)
			json_member_text(j, "kind", details->kind);
		if (details->uid.size > 0)
			json_member_text(j, "uid", details->uid);
		if (details->causes > 0) {
			json_key(j, "causes");
			json_open_array(j);
		}
		for (uint32_t i = 0; i < details->causes; i++) {
			json_open_object(j);
			json_member_z(j, "reason", details->cause[i].reason);
			json_member_text(j, "message", details->cause[i].message);
			if (details->cause[i].field != NULL)
				json_member_z(j, "field", details->cause[i].field);
			json_close_object(j);
		}
		if (details->causes > 0)
			json_close_array(j);
		if (details->retry_after_s > 0)
			json_member_i64(j, "retryAfterSeconds", details->retry_after_s);
		json_close_object(j);
	}
	if (status != 200 || reason != NULL)
		json_member_i64(j, "code", status);
	json_close_object(j);
}

/* A text may take six times its size when it is escaped. */
static size_t room_for(const struct apisim_details *details, struct text message)
{
	size_t room = 512 + message.size * 6;

	if (details == NULL)
		return room;
	room += (details->name.size + details->uid.size) * 6 + 256;
	for (uint32_t i = 0; i < details->causes; i++)
		room += details->cause[i].message.size * 6 + 256;
	return room;
}

void apisim_status(struct apisim_call *call, int status, const char *reason,
	const struct apisim_details *details, struct text message)
{
	size_t room = room_for(details, message);
	char *to = scratch_take(&call->api->scratch, room);
	struct writer w;
	struct json_writer j;

	CHECK(to != NULL);
	writer_init(&w, to, room);
	json_write_init(&j, &w);
	apisim_write_status_object(&j, status, reason, details, message);
	write_char(&w, '\n');
	CHECK(!w.overflowed);
	call->answer->status = status;
	call->answer->body = writer_text(&w);
}

void apisim_plain(struct apisim_call *call, int status, struct text body)
{
	call->answer->status = status;
	call->answer->content_type = "text/plain; charset=utf-8";
	call->answer->body = body;
}

static struct text name_of(struct apisim_call *call, enum resource_number resource)
{
	const struct resource *row = &resources[resource];

	return apisim_print(
		call, "%s%s%s", row->plural, row->group[0] == '\0' ? "" : ".", row->group);
}

struct text apisim_resource_name(struct apisim_call *call)
{
	return name_of(call, call->resource);
}

static struct apisim_details details_of(enum resource_number resource, struct text name)
{
	return (struct apisim_details){.name = name,
		.group = text_of(resources[resource].group),
		.kind = text_of(resources[resource].plural)};
}

void apisim_not_found(struct apisim_call *call, enum resource_number resource, struct text name)
{
	struct apisim_details details = details_of(resource, name);

	apisim_status(call, 404, "NotFound", &details,
		apisim_print(call, "%.*s \"%.*s\" not found", TEXT_ARGS(name_of(call, resource)),
			TEXT_ARGS(name)));
}

void apisim_bad_request(struct apisim_call *call, struct text message)
{
	apisim_status(call, 400, "BadRequest", NULL, message);
}

void apisim_conflict(struct apisim_call *call, struct text name, struct text why)
{
	struct apisim_details details = details_of(call->resource, name);

	apisim_status(call, 409, "Conflict", &details,
		apisim_print(call, "Operation cannot be fulfilled on %.*s \"%.*s\": %.*s",
			TEXT_ARGS(apisim_resource_name(call)), TEXT_ARGS(name), TEXT_ARGS(why)));
}

void apisim_unknown(struct apisim_call *call, struct text message)
{
	apisim_status(call, 500, NULL, NULL, message);
}

void apisim_no_room(struct apisim_call *call)
{
	apisim_unknown(call, TEXT("etcdserver: mvcc: database space exceeded"));
}

void apisim_cause(
	struct apisim_details *details, const char *field, const char *reason, struct text message)
{
	if (details->causes == APISIM_CAUSES_MAX)
		return;
	details->cause[details->causes].field = field;
	details->cause[details->causes].reason = reason;
	details->cause[details->causes].message = message;
	details->causes++;
}

/* `Pod "x" is invalid: spec.a: Required value`, or all of them in brackets. */
void apisim_invalid_of(struct apisim_call *call, struct text kind, struct text group,
	struct text name, struct apisim_details *details)
{
	struct text all = TEXT("");

	for (uint32_t i = 0; i < details->causes; i++)
		all = apisim_print(call, "%.*s%s%s: %.*s", TEXT_ARGS(all), i > 0 ? ", " : "",
			details->cause[i].field, TEXT_ARGS(details->cause[i].message));
	if (details->causes > 1)
		all = apisim_print(call, "[%.*s]", TEXT_ARGS(all));
	details->name = name;
	details->group = group;
	details->kind = kind;
	if (group.size > 0)
		kind = apisim_print(call, "%.*s.%.*s", TEXT_ARGS(kind), TEXT_ARGS(group));
	apisim_status(call, 422, "Invalid", details,
		apisim_print(call, "%.*s \"%.*s\" is invalid: %.*s", TEXT_ARGS(kind),
			TEXT_ARGS(name), TEXT_ARGS(all)));
}

void apisim_invalid(struct apisim_call *call, struct text name, struct apisim_details *details)
{
	apisim_invalid_of(call, text_of(resources[call->resource].kind),
		text_of(resources[call->resource].group), name, details);
}

/* ---- objects ---- */

struct text apisim_render(struct apisim *api, enum resource_number resource, uint32_t revision,
	bool whole, uint64_t version)
{
	const struct revision *state = registry_revision(&api->registry, revision);
	struct scratch *scratch = &api->scratch;
	struct text json = revision_json(state);
	struct writer w;

	if (resource == RESOURCE_CORE_EVENTS) {
		struct tree *event = tree_read(json, scratch);

		CHECK(event != NULL);
		apisim_event_to_core(event, scratch);
		json = tree_print(event, scratch);
	}
	size_t room = json.size + 256;
	char *to = scratch_take(scratch, room);
	CHECK(to != NULL);
	writer_init(&w, to, room);
	write_char(&w, '{');
	if (whole) {
		write_format(&w, "\"kind\":\"%s\",\"apiVersion\":\"", resources[resource].kind);
		resource_api_version(resource, &w);
		write_z(&w, "\",");
	}
	if (version != 0 && version != state->version && resource != RESOURCE_CORE_EVENTS) {
		write_bytes(&w, json.at + 1, state->version_at - 1);
		write_u64(&w, version);
		write_text(&w, text_from(json, state->version_at + state->version_size));
	} else {
		write_text(&w, text_from(json, 1));
	}
	CHECK(!w.overflowed);
	return writer_text(&w);
}

void apisim_object(struct apisim_call *call, int status, uint32_t revision)
{
	call->answer->status = status;
	call->answer->body = apisim_render(call->api, call->resource, revision, true, 0);
}

/* What DELETE answers when the object is gone and is not shown. */
void apisim_deleted(struct apisim_call *call, uint32_t revision)
{
	const struct revision *state = registry_revision(&call->api->registry, revision);
	struct apisim_details details = details_of(call->resource, revision_name(state));
	struct tree *object = apisim_read(call, revision);

	details.uid = tree_text(object, "metadata.uid");
	apisim_status(call, 200, NULL, &details, TEXT(""));
}
