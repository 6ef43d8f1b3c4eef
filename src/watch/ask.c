/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Paths and queries of all requests. Versions and tokens came over the wire and go back escaped.
 *
 * What client-go does: a list with resourceVersion=0, which the server answers from its cache, be
 * it an old one. What we do: lists without a version, which are the newest there is. The picture
 * cannot go back in time then, whichever server of several answers.
 */
#include "watch/reflector.h"

static void write_group(const struct watch_reflector *r, struct writer *path)
{
	const char *version = reflector_api_version(r);

	/* The core group has no name. */
	write_z(path, strchr(version, '/') == NULL ? "/api/" : "/apis/");
	write_z(path, version);
}

static void write_kind(const struct watch_reflector *r, struct writer *path)
{
	write_group(r, path);
	write_char(path, '/');
	write_z(path, reflector_plural(r));
	write_char(path, '?');
	if (r->row->selector != NULL) {
		write_z(path, r->row->selector);
		write_char(path, '&');
	}
}

static void write_watch(struct watch_reflector *r, struct writer *path)
{
	uint32_t lasts_s =
		WATCH_LASTS_MIN_S + random_below(&r->watch->random, WATCH_LASTS_SPREAD_S + 1);

	if ((r->kind == KUBE_POD || r->kind == KUBE_NODE) && !r->bookmarks)
		lasts_s = WATCH_VITAL_LASTS_S;
	write_kind(r, path);
	write_format(
		path, "watch=true&allowWatchBookmarks=true&timeoutSeconds=%u", (unsigned)lasts_s);
	r->request.timeout_ms = ((int64_t)lasts_s + WATCH_LASTS_GRACE_S) * 1000;
}

void watch_ask_discover(struct watch_reflector *r, struct writer *path)
{
	write_group(r, path);
	r->request.idle_timeout_ms = WATCH_LIST_SILENCE_MS;
}

void watch_ask_stream(struct watch_reflector *r, struct writer *path)
{
	write_watch(r, path);
	write_z(path, "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
	r->request.idle_timeout_ms = WATCH_LIST_SILENCE_MS;
}

void watch_ask_page(struct watch_reflector *r, struct writer *path)
{
	write_kind(r, path);
	if (!r->whole)
		write_format(path, "limit=%d", WATCH_PAGE);
	if (r->token_size > 0) {
		write_z(path, "&continue=");
		write_text(path, (struct text){r->token, r->token_size});
	}
	r->request.idle_timeout_ms = WATCH_LIST_SILENCE_MS;
}

void watch_ask_follow(struct watch_reflector *r, struct writer *path)
{
	write_watch(r, path);
	write_z(path, "&resourceVersion=");
	write_percent_encoded(path, reflector_version(r), "");
	r->request.idle_timeout_ms = r->bookmarks ? WATCH_SILENCE_MS : 0;
}

void watch_ask_probe(struct watch_reflector *r, struct writer *path)
{
	write_kind(r, path);
	write_z(path, "limit=1");
	r->request.idle_timeout_ms = WATCH_LIST_SILENCE_MS;
}
