/* SPDX-License-Identifier: GPL-2.0-only */
/* What is served: versions, groups, resources; and who is asked. */
#include "apisim/api_private.h"

/* Newer releases say more. */
static void write_version(struct json_writer *j, uint32_t release)
{
	char number[16], git[32];
	struct writer n, g;

	writer_init(&n, number, sizeof(number));
	write_u64(&n, release);
	writer_init(&g, git, sizeof(git));
	write_format(&g, "v1.%u.4-apisim", (unsigned)release);
	json_open_object(j);
	json_member_z(j, "major", "1");
	json_member_text(j, "minor", writer_text(&n));
	json_member_text(j, "gitVersion", writer_text(&g));
	json_member_z(j, "gitCommit", "");
	json_member_z(j, "gitTreeState", "");
	json_member_z(j, "buildDate", "1970-01-01T00:00:00Z");
	json_member_z(j, "goVersion", "");
	json_member_z(j, "compiler", "");
	json_member_z(j, "platform", "linux");
	json_close_object(j);
}

/* Served, but nothing of it is kept. */
static const struct {
	const char *group, *plural, *kind, *singular;
} reviews[] = {
	{"authentication.k8s.io", "tokenreviews", "TokenReview", "tokenreview"},
	{"authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview",
		"subjectaccessreview"},
	{"authorization.k8s.io", "selfsubjectaccessreviews", "SelfSubjectAccessReview",
		"selfsubjectaccessreview"},
};

static void write_resource(struct json_writer *j, const char *name, const char *singular,
	bool namespaced, const char *kind, const char *verbs)
{
	struct text rest = text_of(verbs), verb;

	json_open_object(j);
	json_member_z(j, "name", name);
	json_member_z(j, "singularName", singular);
	json_member_bool(j, "namespaced", namespaced);
	json_member_z(j, "kind", kind);
	json_key(j, "verbs");
	json_open_array(j);
	while (text_cut(&rest, ' ', &verb))
		json_put_text(j, verb);
	json_close_array(j);
}

static void write_row(struct json_writer *j, const struct resource *row)
{
	bool namespaced = (row->traits & RESOURCE_NAMESPACED) != 0;
	char name[96];
	struct writer w;

	write_resource(j, row->plural, row->singular, namespaced, row->kind,
		"create delete get list patch update watch");
	if (row->short_name != NULL) {
		json_key(j, "shortNames");
		json_open_array(j);
		json_put_z(j, row->short_name);
		json_close_array(j);
	}
	json_close_object(j);
	if ((row->traits & RESOURCE_HAS_STATUS) != 0) {
		writer_init(&w, name, sizeof(name) - 1);
		write_format(&w, "%s/status", row->plural);
		name[w.used] = '\0';
		write_resource(j, name, "", namespaced, row->kind, "get patch update");
		json_close_object(j);
	}
	if (row == &resources[RESOURCE_PODS]) {
		write_resource(j, "pods/binding", "", true, "Binding", "create");
		json_close_object(j);
	}
}

static bool has_review(struct text group, struct text version)
{
	for (size_t i = 0; i < ARRAY_COUNT(reviews); i++)
		if (text_is_z(group, reviews[i].group) && text_is(version, TEXT("v1")))
			return true;
	return false;
}

static bool write_resources(
	struct json_writer *j, struct text group, struct text version, uint32_t release)
{
	char name[128];
	struct writer w;

	if (!resource_group_served(group, version, release) && !has_review(group, version))
		return false;
	writer_init(&w, name, sizeof(name));
	write_text(&w, group);
	write_z(&w, group.size > 0 ? "/" : "");
	write_text(&w, version);
	json_open_object(j);
	json_member_z(j, "kind", "APIResourceList");
	if (group.size > 0)
		json_member_z(j, "apiVersion", "v1");
	json_member_text(j, "groupVersion", writer_text(&w));
	json_key(j, "resources");
	json_open_array(j);
	for (uint32_t i = 1; i < RESOURCES; i++)
		if (text_is_z(group, resources[i].group) &&
			text_is_z(version, resources[i].version) && resource_is_served(i, release))
			write_row(j, &resources[i]);
	for (size_t i = 0; i < ARRAY_COUNT(reviews); i++) {
		if (!text_is_z(group, reviews[i].group))
			continue;
		write_resource(j, reviews[i].plural, reviews[i].singular, false, reviews[i].kind,
			"create");
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
	return true;
}

static void write_group_version(struct json_writer *j, const char *group, const char *version)
{
	char name[128];
	struct writer w;

	writer_init(&w, name, sizeof(name));
	write_format(&w, "%s/%s", group, version);
	json_open_object(j);
	json_member_text(j, "groupVersion", writer_text(&w));
	json_member_z(j, "version", version);
	json_close_object(j);
}

/* The i-th row is served, and the first of its group (or of its group and version). */
static bool is_first(uint32_t i, bool of_version, uint32_t release)
{
	if (resources[i].group[0] == '\0' || !resource_is_served(i, release))
		return false;
	for (uint32_t k = 1; k < i; k++)
		if (resource_is_served(k, release) &&
			strcmp(resources[i].group, resources[k].group) == 0 &&
			(!of_version || strcmp(resources[i].version, resources[k].version) == 0))
			return false;
	return true;
}

static void write_group(struct json_writer *j, const char *group, uint32_t release, bool whole)
{
	const char *preferred = NULL;

	json_open_object(j);
	if (whole) {
		json_member_z(j, "kind", "APIGroup");
		json_member_z(j, "apiVersion", "v1");
	}
	json_member_z(j, "name", group);
	json_key(j, "versions");
	json_open_array(j);
	for (uint32_t i = 1; i < RESOURCES; i++) {
		if (strcmp(resources[i].group, group) != 0 || !is_first(i, true, release))
			continue;
		preferred = preferred == NULL ? resources[i].version : preferred;
		write_group_version(j, group, resources[i].version);
	}
	if (preferred == NULL)
		write_group_version(j, group, "v1");
	json_close_array(j);
	json_key(j, "preferredVersion");
	write_group_version(j, group, preferred == NULL ? "v1" : preferred);
	json_close_object(j);
}

static void write_groups(struct json_writer *j, uint32_t release)
{
	json_open_object(j);
	json_member_z(j, "kind", "APIGroupList");
	json_member_z(j, "apiVersion", "v1");
	json_key(j, "groups");
	json_open_array(j);
	for (uint32_t i = 1; i < RESOURCES; i++)
		if (is_first(i, false, release))
			write_group(j, resources[i].group, release, false);
	for (size_t i = 0; i < ARRAY_COUNT(reviews); i++)
		if (i == 0 || strcmp(reviews[i].group, reviews[i - 1].group) != 0)
			write_group(j, reviews[i].group, release, false);
	json_close_array(j);
	json_close_object(j);
}

static void write_core(struct json_writer *j)
{
	json_open_object(j);
	json_member_z(j, "kind", "APIVersions");
	json_key(j, "versions");
	json_open_array(j);
	json_put_z(j, "v1");
	json_close_array(j);
	json_key(j, "serverAddressByClientCIDRs");
	json_open_array(j);
	json_close_array(j);
	json_close_object(j);
}

/* Below /apis: GROUP or GROUP/VERSION. */
static bool write_below(struct json_writer *j, struct text path, uint32_t release)
{
	struct text group = text_first(path, text_find(path, '/'));

	if (group.size == 0)
		return false;
	if (group.size < path.size)
		return write_resources(j, group, text_from(path, group.size + 1), release);
	for (size_t i = 0; i < ARRAY_COUNT(reviews); i++)
		if (text_is_z(group, reviews[i].group)) {
			write_group(j, reviews[i].group, release, true);
			return true;
		}
	for (uint32_t i = 1; i < RESOURCES; i++)
		if (text_is_z(group, resources[i].group) && is_first(i, false, release)) {
			write_group(j, resources[i].group, release, true);
			return true;
		}
	return false;
}

static bool write_discovery(struct json_writer *j, struct text path, uint32_t release)
{
	if (text_is(path, TEXT("/version")))
		write_version(j, release);
	else if (text_is(path, TEXT("/api")))
		write_core(j);
	else if (text_is(path, TEXT("/apis")))
		write_groups(j, release);
	else if (text_is(path, TEXT("/api/v1")))
		return write_resources(j, TEXT(""), TEXT("v1"), release);
	else if (text_starts(path, TEXT("/apis/")))
		return write_below(j, text_from(path, strlen("/apis/")), release);
	else
		return false;
	return true;
}

bool apisim_discover(struct apisim_call *call, struct text path)
{
	struct writer w;
	struct json_writer j;
	size_t room;

	if (text_ends(path, TEXT("/")))
		path = text_first(path, path.size - 1);
	if (text_is(path, TEXT("/healthz")) || text_is(path, TEXT("/livez")) ||
		text_is(path, TEXT("/readyz"))) {
		apisim_plain(call, 200, TEXT("ok"));
		return true;
	}
	char *to = scratch_take_rest(&call->api->scratch, &room);
	CHECK(to != NULL);
	writer_init(&w, to, room);
	json_write_init(&j, &w);
	bool is_known = write_discovery(&j, path, call->api->release);
	scratch_keep(&call->api->scratch, to, is_known ? w.used : 0);
	if (!is_known)
		return false;
	CHECK(!w.overflowed);
	call->answer->status = 200;
	call->answer->body = writer_text(&w);
	return true;
}
