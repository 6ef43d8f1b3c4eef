/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Health: /healthz, /livez and /readyz, word for word as kube-scheduler's.
 *
 * leaderElection passes always, as it does there: who stands by is well. Ours has one check more,
 * `picture`: while a pod is unknown nothing is bound, and while a node is, nothing is bound to it;
 * nor on a picture that the apiserver has not confirmed for minutes. People should know.
 */
#include "status/private.h"

enum check_id { CHECK_PING, CHECK_ELECTION, CHECK_SHUTDOWN, CHECK_SYNC, CHECK_PICTURE };
enum { CHECKS = CHECK_PICTURE + 1 };
_Static_assert((int)CHECKS == (int)STATUS_HEALTH_CHECKS, "one for each");
enum kind { HEALTHZ, LIVEZ, READYZ };
enum { EXCLUDES_MAX = 16, EXCLUDE_MAX = 64, LIST_MAX = 5 };

static const char *const kinds[STATUS_HEALTH_KINDS] = {"healthz", "livez", "readyz"};
static const char *const names[CHECKS] = {
	"ping", "leaderElection", "shutdown", "sched-handler-sync", "picture"};

/* NULL: it is well. */
static const char *fault_of(const struct scheduler *s, enum check_id id)
{
	if (id == CHECK_SHUTDOWN && scheduler_is_stopping(s))
		return "process is shutting down";
	/* Who stands by and never had a reason to list the pods is as ready as can be. */
	if (id == CHECK_SYNC &&
		(SCHEDULER_VITAL_KINDS & scheduler_kinds_wanted(s) & ~scheduler_kinds_known(s)) !=
			0)
		return "handlers are not fully synchronized";
	if (id == CHECK_PICTURE && scheduler_kinds_damaged(s) != 0)
		return "the picture of the cluster is incomplete";
	if (id == CHECK_PICTURE && scheduler_state(s) == SCHEDULER_STALE)
		return "the picture of the cluster was not confirmed for too long";
	return NULL;
}

struct checks {
	enum kind kind;
	enum check_id list[LIST_MAX];
	uint32_t count;
};

static struct checks checks_of(const struct scheduler *s, struct text path)
{
	struct checks c = {.kind = HEALTHZ};
	bool elects = s->lease != NULL;
	if (text_starts(path, TEXT("/livez"))) {
		c.kind = LIVEZ;
		c.list[c.count++] = CHECK_PING;
	} else if (text_starts(path, TEXT("/readyz"))) {
		c.kind = READYZ;
		if (elects)
			c.list[c.count++] = CHECK_ELECTION;
		c.list[c.count++] = CHECK_SHUTDOWN;
		c.list[c.count++] = CHECK_SYNC;
		c.list[c.count++] = CHECK_PICTURE;
	} else {
		c.list[c.count++] = elects ? CHECK_ELECTION : CHECK_PING;
	}
	return c;
}

static const char *try_check(struct status *status, const struct checks *c, enum check_id id)
{
	const char *fault = fault_of(status->s, id);
	status->passed[c->kind][id] = fault == NULL;
	status->checks[c->kind][id][fault == NULL]++;
	return fault;
}

/* ---- ?exclude ---- */

struct excludes {
	char room[EXCLUDES_MAX][EXCLUDE_MAX];
	struct text list[EXCLUDES_MAX]; /* sorted, without doubles */
	uint32_t count;
	uint32_t used; /* bits */
};

static void health_exclude(struct excludes *x, struct text name)
{
	uint32_t at = 0;
	while (at < x->count && text_compare(x->list[at], name) < 0)
		at++;
	if (x->count == EXCLUDES_MAX || (at < x->count && text_is(x->list[at], name)))
		return;
	memmove(&x->list[at + 1], &x->list[at], (x->count - at) * sizeof(x->list[0]));
	x->list[at] = name;
	x->count++;
}

static void read_excludes(struct excludes *x, struct text query)
{
	struct text part;
	uint32_t room = 0;
	x->count = x->used = 0;
	while (room < EXCLUDES_MAX && text_cut(&query, '&', &part)) {
		struct writer w;
		writer_init(&w, x->room[room], EXCLUDE_MAX);
		if (!text_starts(part, TEXT("exclude=")) ||
			!net_unescape(text_from(part, 8), true, &w) || w.used == 0)
			continue;
		health_exclude(x, writer_text(&w));
		room++;
	}
}

static bool is_excluded(struct excludes *x, const char *name)
{
	for (uint32_t i = 0; i < x->count; i++) {
		if (!text_is_z(x->list[i], name))
			continue;
		x->used |= UINT32_C(1) << i;
		return true;
	}
	return false;
}

/* As Go quotes them; what is not plain ASCII would need more than it is worth. */
static void write_unknown(const struct excludes *x, struct writer *w)
{
	bool any = false;
	for (uint32_t i = 0; i < x->count; i++) {
		if ((x->used >> i & 1) != 0)
			continue;
		write_z(w,
			any ? ",\""
			    : "warn: some health checks cannot be excluded: no matches for \"");
		for (size_t k = 0; k < x->list[i].size; k++) {
			char c = x->list[i].at[k];
			if (c == '"' || c == '\\')
				write_char(w, '\\');
			write_char(w, c >= ' ' && c < 127 ? c : '?');
		}
		write_char(w, '"');
		any = true;
	}
	if (any)
		write_char(w, '\n');
}

/* ---- answers ---- */

static void answer_all(struct status_answer *a, const struct checks *c)
{
	struct excludes x;
	struct writer w;
	bool failed = false;
	read_excludes(&x, a->exchange->query);
	writer_init(&w, a->piece, sizeof(a->piece));
	for (uint32_t i = 0; i < c->count; i++) {
		const char *name = names[c->list[i]];
		if (is_excluded(&x, name)) {
			write_format(&w, "[+]%s excluded: ok\n", name);
			continue;
		}
		bool bad = try_check(a->status, c, c->list[i]) != NULL;
		failed = failed || bad;
		write_format(&w, bad ? "[-]%s failed: reason withheld\n" : "[+]%s ok\n", name);
	}
	write_unknown(&x, &w);
	write_format(&w, "%s check %s\n", kinds[c->kind], failed ? "failed" : "passed");
	bool verbose = net_query_find(a->exchange->query, "verbose").at != NULL;
	status_reply(a, failed ? 500 : 200, status_plain,
		failed || verbose ? writer_text(&w) : TEXT("ok"));
}

static void answer_one(struct status_answer *a, const struct checks *c, struct text name)
{
	for (uint32_t i = 0; i < c->count; i++) {
		if (!text_is_z(name, names[c->list[i]]))
			continue;
		const char *fault = try_check(a->status, c, c->list[i]);
		struct writer w;
		writer_init(&w, a->piece, sizeof(a->piece));
		if (fault == NULL)
			write_z(&w, "ok");
		else
			write_format(&w, "internal server error: %s\n", fault);
		status_reply(a, fault == NULL ? 200 : 500, status_plain, writer_text(&w));
		return;
	}
	status_reply(a, 404, status_plain, TEXT("404 page not found\n"));
}

void health_answer(struct status_answer *a)
{
	struct text path = text_from(a->exchange->path, 1);
	struct checks c = checks_of(a->status->s, a->exchange->path);
	struct text which;
	(void)text_cut(&path, '/', &which);
	if (path.at == NULL)
		answer_all(a, &c);
	else
		answer_one(a, &c, path);
}

/* ---- /metrics/slis ---- */

/* What was never asked for has no line. Rows: the states, then how often. */
static bool sli_step(struct status_answer *a, struct writer *w)
{
	static const char *const heads[] = {
		"# HELP kubernetes_healthcheck [STABLE] The latest result.\n"
		"# TYPE kubernetes_healthcheck gauge\n",
		"# HELP kubernetes_healthchecks_total [STABLE] All results.\n"
		"# TYPE kubernetes_healthchecks_total counter\n"};
	const struct status *status = a->status;
	uint32_t kind = a->row / CHECKS, id = a->row % CHECKS;
	if (a->row == 0)
		write_z(w, heads[a->part]);
	const uint64_t *counts = status->checks[kind][id];
	for (uint32_t result = 0; result <= a->part; result++) {
		if (a->part == 0 ? counts[0] + counts[1] == 0 : counts[result] == 0)
			continue;
		write_z(w,
			a->part == 0 ? "kubernetes_healthcheck" : "kubernetes_healthchecks_total");
		metrics_label(w, '{', "name", text_of(names[id]));
		if (a->part == 1)
			metrics_label(
				w, ',', "status", result == 1 ? TEXT("success") : TEXT("error"));
		metrics_label(w, ',', "type", text_of(kinds[kind]));
		write_format(w, "} %llu\n",
			(unsigned long long)(a->part == 1 ? counts[result]
							  : status->passed[kind][id]));
	}
	if (++a->row < STATUS_HEALTH_KINDS * CHECKS)
		return true;
	a->row = 0;
	return ++a->part < 2;
}

void slis_answer(struct status_answer *a)
{
	status_stream(a, metrics_type, sli_step);
}
