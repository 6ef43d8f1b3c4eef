/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access: who asks, as certificates, front proxies and the apiserver's reviews say it.
 *
 * As kube-scheduler has it: who is known is in group system:authenticated, but for a user whom a
 * proxy or a review calls anonymous; and a certificate without a common name names no user.
 */
#include <string.h>

#include "http/http.h"
#include "status/access_private.h"

struct groups {
	struct access_user *user;
	struct writer w;
	struct json_writer j;
	bool has_usual; /* system:authenticated is among them */
};

static void groups_begin(struct groups *g, struct access_user *user)
{
	*g = (struct groups){.user = user};
	user->is_master = user->is_anonymous = false;
	writer_init(&g->w, user->groups, sizeof(user->groups) - 1);
	json_write_init(&g->j, &g->w);
	json_open_array(&g->j);
}

static void groups_add(struct groups *g, struct text name)
{
	struct access_user *user = g->user;
	user->is_master = user->is_master || text_is_z(name, "system:masters");
	user->is_anonymous = user->is_anonymous || text_is_z(name, "system:unauthenticated");
	g->has_usual = g->has_usual || text_is_z(name, "system:authenticated");
	json_put_text(&g->j, name);
}

/* The name is there. False: there is no room for all of them. */
static bool groups_end(struct groups *g)
{
	struct access_user *user = g->user;
	user->is_anonymous = user->is_anonymous || strcmp(user->name, "system:anonymous") == 0;
	if (!g->has_usual && !user->is_anonymous)
		json_put_z(&g->j, "system:authenticated");
	json_close_array(&g->j);
	user->groups[g->w.used] = '\0';
	return !g->w.overflowed;
}

/* A zero inside would make it the shorter name of another user. */
static bool take_name(struct text name, struct access_user *user)
{
	return name.size > 0 && text_find(name, '\0') == name.size &&
		text_copy(name, user->name, sizeof(user->name));
}

/* A uid that is too long or has a zero inside is not half of it. */
static bool take_uid(struct text uid, struct access_user *user)
{
	return text_copy(uid, user->uid, sizeof(user->uid)) && strlen(user->uid) == uid.size;
}

/* ---- reviews ---- */

bool access_read_reviewed(struct json_value value, struct access_user *user)
{
	struct groups groups;
	struct json_value list = json_get(value, "groups");
	struct json_value extra = json_get(value, "extra");
	struct json_walk walk = json_walk(list);
	/* First: what had escapes is no JSON any more when it has been read. */
	bool fits =
		text_copy(json_type(extra) == JSON_OBJECT && json_count(extra) > 0 ? json_raw(extra)
										   : TEXT(""),
			user->extra, sizeof(user->extra)) &&
		take_uid(json_text(json_get(value, "uid")), user) &&
		take_name(json_text(json_get(value, "username")), user);
	groups_begin(&groups, user);
	while (json_walk_next(&walk))
		groups_add(&groups, json_text(walk.value));
	return fits && groups_end(&groups);
}

/* ---- front proxies ---- */

static const struct options_words *words_of(
	const struct status_answer *a, enum authority_words which)
{
	return authorities_words(a->status->authorities, which);
}

/* {"scopes":["a","b"]} of all headers with one of the prefixes; each name once. */
static bool read_extra(const struct status_answer *a, struct access_user *user)
{
	const struct options_words *prefixes = words_of(a, AUTHORITY_EXTRAS);
	struct writer w;
	struct json_writer j;
	struct text line;
	bool any = false;
	writer_init(&w, user->extra, sizeof(user->extra) - 1);
	json_write_init(&j, &w);
	json_open_object(&j);
	for (uint32_t n = 0; (line = net_exchange_line(a->exchange, n)).at != NULL; n++) {
		char key[256];
		struct writer k;
		struct text name = text_first(line, text_find(line, ':'));
		uint32_t p = 0;
		while (p < prefixes->count && !text_starts_folded(name, prefixes->list[p]))
			p++;
		if (p == prefixes->count)
			continue;
		bool again = false;
		for (uint32_t before = 0; before < n && !again; before++) {
			struct text other = net_exchange_line(a->exchange, before);
			again = text_is(text_first(other, text_find(other, ':')), name);
		}
		if (again)
			continue;
		writer_init(&k, key, sizeof(key));
		if (!net_unescape(text_from(name, prefixes->list[p].size), false, &k))
			return false;
		any = true;
		json_key_text(&j, writer_text(&k));
		json_open_array(&j);
		for (uint32_t m = n; (line = net_exchange_line(a->exchange, m)).at != NULL; m++)
			if (text_is(text_first(line, text_find(line, ':')), name))
				json_put_text(&j, text_from(line, name.size + 1));
		json_close_array(&j);
	}
	json_close_object(&j);
	user->extra[any ? w.used : 0] = '\0';
	return !w.overflowed;
}

/* The first of the headers that says something. */
static struct text first_header(const struct status_answer *a, enum authority_words which)
{
	const struct options_words *headers = words_of(a, which);
	struct text value = TEXT_NONE;
	char name[128];
	for (uint32_t i = 0; i < headers->count && value.size == 0; i++)
		if (text_copy(headers->list[i], name, sizeof(name)))
			value = net_exchange_header(a->exchange, name, 0);
	return value;
}

bool access_read_proxied(const struct status_answer *a, const struct tls_client_names *names,
	struct access_user *user)
{
	const struct options_words *allowed = words_of(a, AUTHORITY_NAMES);
	const struct options_words *headers = words_of(a, AUTHORITY_GROUPS);
	struct groups groups;
	struct text value;
	bool may = allowed->count == 0;
	char name[128];
	for (uint32_t i = 0; i < allowed->count && !may; i++)
		may = text_is(names->common_name, allowed->list[i]);
	if (!may || names->proof != TLS_PROOF_GOOD || !names->by_proxy_ca)
		return false;
	if (!take_name(first_header(a, AUTHORITY_USERS), user) ||
		!take_uid(first_header(a, AUTHORITY_UIDS), user))
		return false;
	groups_begin(&groups, user);
	for (uint32_t i = 0; i < headers->count; i++)
		for (uint32_t n = 0; text_copy(headers->list[i], name, sizeof(name)) &&
			(value = net_exchange_header(a->exchange, name, n)).at != NULL;
			n++)
			groups_add(&groups, value);
	return groups_end(&groups) && read_extra(a, user);
}

/* ---- certificates, and none ---- */

bool access_read_certificate(const struct tls_client_names *names, struct access_user *user)
{
	struct groups groups;
	if (names->proof != TLS_PROOF_GOOD || !names->by_client_ca ||
		!take_name(names->common_name, user))
		return false;
	user->uid[0] = user->extra[0] = '\0';
	groups_begin(&groups, user);
	for (uint32_t i = 0; i < names->organization_count; i++)
		groups_add(&groups, names->organizations[i]);
	return groups_end(&groups);
}

void access_read_nobody(struct access_user *user)
{
	struct groups groups;
	user->uid[0] = user->extra[0] = '\0';
	CHECK(text_copy(TEXT("system:anonymous"), user->name, sizeof(user->name)));
	groups_begin(&groups, user);
	groups_add(&groups, TEXT("system:unauthenticated"));
	CHECK(groups_end(&groups));
}

struct tls_digest access_user_digest(const struct access_user *user)
{
	const struct text texts[] = {text_of(user->name), text_of(user->uid), text_of(user->groups),
		text_of(user->extra)};
	return tls_digest(texts, ARRAY_COUNT(texts));
}
