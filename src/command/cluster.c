/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of an apiserver, page by page, cut while they arrive as those of files are. */
#include "command/cluster.h"

#include "base/log.h"
#include "command/ask.h"
#include "command/dump_private.h"
#include "kube/passing.h"
#include "watch/kinds.h"

enum { CLUSTER_PAGE = 500, TOKEN_MAX = 4096, REASON_MAX = 512 };

struct reading {
	struct source source;
	struct ask *ask;
	struct text continues; /* in `token`; TEXT_NONE: that was the last page */
	bool is_whole;         /* the end of the list has come */
	char token[TOKEN_MAX];
	char reason_room[REASON_MAX];
	struct writer reason;
};

static void cluster_read_envelope(struct reading *r, struct text piece)
{
	struct json_value root;
	struct kube_status status;
	struct kube_list_meta meta;
	scratch_reset(&r->source.dump->scratch);
	if (json_parse(piece, &r->source.dump->scratch, &root) != JSON_PARSED)
		return;
	if (kube_status_decode(root, &status)) {
		write_text(&r->reason, status.message);
		return;
	}
	kube_list_meta_decode(root, &meta);
	r->is_whole = meta.continue_token.size <= sizeof(r->token);
	if (!r->is_whole || meta.continue_token.size == 0)
		return;
	memcpy(r->token, meta.continue_token.at, meta.continue_token.size);
	r->continues = (struct text){r->token, meta.continue_token.size};
}

static bool cluster_on_piece(void *self, struct json_piece piece)
{
	struct reading *r = self;
	if (piece.kind != JSON_PIECE_ENVELOPE)
		return dump_piece(&r->source, piece);
	cluster_read_envelope(r, piece.text);
	return false;
}

static bool cluster_take(void *self, const struct net_answer *answer, struct text bytes)
{
	struct reading *r = self;
	struct dump *d = r->source.dump;
	if (r->is_whole || r->reason.used > 0)
		return true; /* a line feed */
	if (json_cut_feed(d->cut, bytes) == JSON_CUT_BROKEN)
		write_format(
			&r->reason, "%u, not JSON: %s", answer->status, json_cut_fault(d->cut));
	progress_tell(d->progress, "reading", r->source.name, r->source.pieces, 0);
	return !d->full;
}

/* One page; the status, 0 when there was none. */
static uint16_t cluster_read_page(
	struct reading *r, const char *version, const char *plural, const char *selector)
{
	char path[TOKEN_MAX * 3];
	struct writer w;
	writer_init(&w, path, sizeof(path));
	write_format(&w, "%s%s/%s?limit=%d", strchr(version, '/') == NULL ? "/api/" : "/apis/",
		version, plural, CLUSTER_PAGE);
	if (selector != NULL)
		write_format(&w, "&%s", selector);
	if (r->continues.size > 0) {
		write_z(&w, "&continue=");
		write_percent_encoded(&w, r->continues, "");
	}
	writer_init(&r->reason, r->reason_room, sizeof(r->reason_room));
	r->continues = TEXT_NONE;
	r->is_whole = false;
	json_cut_start(r->source.dump->cut, JSON_CUT_LIST, kube_any_want, kube_list_want,
		cluster_on_piece, r);
	return ask_stream(r->ask, writer_text(&w), cluster_take, r, &r->reason);
}

/* False: it could not be read, and a line about it was printed. */
static bool cluster_read_kind(struct reading *r, const char *const *versions, const char *plural,
	const char *kind, const char *selector)
{
	uint16_t status = 404;
	r->source.name = plural;
	r->source.is_list = true;
	r->source.pieces = 0;
	r->continues = TEXT_NONE;
	source_set_list_kind(&r->source, TEXT_NONE);
	(void)!text_copy(text_of(kind), r->source.list_kind, sizeof(r->source.list_kind));
	for (uint32_t i = 0; status == 404 && i < WATCH_SERVED_MAX && versions[i] != NULL; i++)
		do
			status = cluster_read_page(r, versions[i], plural, selector);
		while (status == 200 && r->is_whole && r->continues.size > 0);
	if (r->source.dump->full)
		return false;
	if ((status == 200 && r->is_whole) || status == 404)
		return true;
	if (r->reason.used == 0)
		write_format(&r->reason, "the apiserver answered %u", status);
	return false;
}

/* Pods and nodes there must be; of what else may not be read, none is assumed. */
static bool cluster_read_all(struct reading *r)
{
	static const char *const classes[WATCH_SERVED_MAX] = {"scheduling.k8s.io/v1"};
	struct dump *d = r->source.dump;
	for (uint32_t kind = KUBE_POD; kind <= KUBE_KINDS; kind++) {
		const struct watch_kind *row = kind < KUBE_KINDS ? &watch_kinds[kind] : NULL;
		bool ok = row == NULL
			? cluster_read_kind(r, classes, "priorityclasses", "PriorityClass", NULL)
			: cluster_read_kind(r, row->served, kube_kinds[kind].plural,
				  kube_kinds[kind].kind, row->selector);
		if (ok)
			continue;
		if (d->full)
			return false;
		if (kind == KUBE_POD || kind == KUBE_NODE) {
			(void)dump_unreadable(
				&r->source, 0, "%.*s", TEXT_ARGS(writer_text(&r->reason)));
			return false;
		}
		if (row == NULL || !row->spare)
			dump_warn(&r->source, 0, "%.*s; it is as if there were none",
				TEXT_ARGS(writer_text(&r->reason)));
	}
	return true;
}

bool cluster_read(struct dump *d, const char *kubeconfig)
{
	struct reading r = {.source = {.dump = d, .name = kubeconfig, .at = d->input}};
	const struct kubeconfig_question question = {.path = kubeconfig};
	log_set_level(LOG_ERROR); /* what matters of it is printed here */
	writer_init(&r.reason, r.reason_room, sizeof(r.reason_room));
	r.ask = ask_open_cluster(&question, &r.reason);
	if (r.ask == NULL) { /* what is wrong begins with the file's name */
		output_format(d->err, "berth: %.*s\n", TEXT_ARGS(writer_text(&r.reason)));
		return false;
	}
	bool ok = cluster_read_all(&r);
	ask_close(r.ask);
	return ok;
}

enum kube_release cluster_release(const char *kubeconfig)
{
	char words[REASON_MAX];
	enum kube_release release = KUBE_RELEASE_DEFAULT;
	const struct kubeconfig_question question = {.path = kubeconfig};
	struct writer reason;
	struct json_value root;
	if (kubeconfig == NULL)
		return release;
	log_set_level(LOG_ERROR); /* what is wrong is said when the cluster is read */
	writer_init(&reason, words, sizeof(words));
	struct ask *ask = ask_open_cluster(&question, &reason);
	if (ask == NULL)
		return release;
	if (ask_stream(ask, TEXT("/version"), NULL, NULL, &reason) == 200 &&
		json_parse(ask->json, &ask->scratch, &root) == JSON_PARSED)
		(void)!kube_release_decode(root, &release);
	ask_close(ask);
	return release;
}
