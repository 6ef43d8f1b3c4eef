/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /flagz and /statusz, as text or as an object of config.k8s.io: the client says by its Accept
 * which of them it wants. YAML is written as JSON, which it contains.
 */
#include "status/private.h"

enum zpage_form { ZPAGE_NONE, ZPAGE_TEXT, ZPAGE_JSON, ZPAGE_YAML };

static const char zpage_component[] = "kube-scheduler";
static const char zpage_yaml[] = "application/yaml";

struct zpage_wish {
	enum zpage_form form;
	bool is_alpha; /* v1alpha1, not v1beta1 */
};

/* One clause: "application/json;v=v1alpha1;g=config.k8s.io;as=Flagz". */
static struct zpage_wish zpage_clause(struct text clause, const char *kind)
{
	static const struct zpage_wish none = {ZPAGE_NONE, false};
	struct zpage_wish wish = none;
	struct text part, version = TEXT(""), group = TEXT(""), as = TEXT("");
	(void)text_cut(&clause, ';', &part);
	part = text_trim(part);
	if (text_is(part, TEXT("text/plain")) || text_is(part, TEXT("text/*")) ||
		text_is(part, TEXT("*/*")))
		wish.form = ZPAGE_TEXT;
	else if (text_is(part, TEXT("application/json")) || text_is(part, TEXT("application/*")))
		wish.form = ZPAGE_JSON;
	else if (text_is(part, TEXT("application/yaml")))
		wish.form = ZPAGE_YAML;
	while (text_cut(&clause, ';', &part)) {
		part = text_trim(part);
		if (text_starts(part, TEXT("v=")))
			version = text_from(part, 2);
		else if (text_starts(part, TEXT("g=")))
			group = text_from(part, 2);
		else if (text_starts(part, TEXT("as=")))
			as = text_from(part, 3);
		else if (text_is(part, TEXT("q=0")) || text_is(part, TEXT("q=0.0")))
			return none;
	}
	wish.is_alpha = text_is(version, TEXT("v1alpha1"));
	if (wish.form == ZPAGE_TEXT)
		return version.size == 0 && group.size == 0 && as.size == 0 ? wish : none;
	bool is_known = text_is(group, TEXT("config.k8s.io")) && text_is_z(as, kind) &&
		(wish.is_alpha || text_is(version, TEXT("v1beta1")));
	return is_known ? wish : none;
}

/* The first that can be had, as upstream does. False: none, and the client was told. */
static bool zpage_negotiate(struct status_answer *a, const char *kind, struct zpage_wish *wish)
{
	struct text accept = text_trim(net_exchange_header(a->exchange, "accept", 0));
	struct text clause;
	*wish = (struct zpage_wish){ZPAGE_TEXT, false};
	if (accept.size == 0)
		return true;
	while (text_cut(&accept, ',', &clause)) {
		*wish = zpage_clause(text_trim(clause), kind);
		if (wish->form != ZPAGE_NONE)
			return true;
	}
	status_refuse(a, 406,
		"only the following media types are accepted: text/plain, "
		"application/json;v=v1beta1;g=config.k8s.io;as=%s, the same as "
		"application/yaml, and v=v1alpha1",
		kind);
	return false;
}

static const char *zpage_type(struct zpage_wish wish)
{
	return wish.form == ZPAGE_TEXT    ? status_plain
		: wish.form == ZPAGE_JSON ? status_json
					  : zpage_yaml;
}

static void zpage_head(struct writer *w, const char *page)
{
	write_format(w,
		"\n%s %s\nWarning: This endpoint is not meant to be machine parseable, has no "
		"formatting compatibility guarantees and is for debugging purposes only.\n",
		zpage_component, page);
}

static void zpage_object(struct json_writer *j, const char *kind, bool is_alpha)
{
	json_open_object(j);
	json_member_z(j, "kind", kind);
	json_member_z(
		j, "apiVersion", is_alpha ? "config.k8s.io/v1alpha1" : "config.k8s.io/v1beta1");
	json_member_object(j, "metadata");
	json_member_z(j, "name", zpage_component);
	json_close_object(j);
}

/* ---- /flagz ---- */

/* a->at: the flag that was written last, + 1; a->part: the form. */
static bool flagz_step(struct status_answer *a, struct writer *w)
{
	const struct options *o = a->status->setup.options;
	bool is_text = a->part == ZPAGE_TEXT;
	uint32_t flag = options_next_flag(a->at == 0 ? OPTIONS_NO_FLAG : a->at - 1);
	char room[1024];
	struct writer value;
	struct json_writer j;
	writer_init(&value, room, sizeof(room));
	json_write_init(&j, w);
	if (!a->any && is_text) {
		zpage_head(w, "flagz");
	} else if (!a->any) {
		zpage_object(&j, "Flagz", a->row == 1);
		write_z(w, ",\"flags\":{");
	}
	if (flag == OPTIONS_NO_FLAG) {
		write_z(w, is_text ? "" : "}}\n");
		return false;
	}
	options_show_flag(o, flag, &value);
	struct text shown = writer_text(&value); /* as far as there is room */
	if (is_text) {
		write_format(w, "%s=%.*s\n", options_flag_name(flag), TEXT_ARGS(shown));
	} else {
		json_write_init(&j, w);
		write_z(w, a->any ? "," : "");
		json_put_text(&j, text_of(options_flag_name(flag)));
		write_char(w, ':');
		json_write_init(&j, w);
		json_put_text(&j, shown);
	}
	a->any = true;
	a->at = flag + 1;
	return true;
}

void about_flagz(struct status_answer *a)
{
	struct zpage_wish wish;
	if (!zpage_negotiate(a, "Flagz", &wish))
		return;
	a->part = wish.form;
	a->row = wish.is_alpha;
	status_stream(a, zpage_type(wish), flagz_step);
}

/* ---- /statusz ---- */

static const char *const zpage_binary_version = "1.37.0";

static const char *zpage_emulation(const struct status *status)
{
	return kube_release_name(scheduler_release(status->s));
}

static bool zpage_lists(const struct status_route *route)
{
	return !text_ends(text_of(route->path), TEXT("/"));
}

static void statusz_text(const struct status *status, int64_t up_s, struct writer *w)
{
	static const char *const days[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
	static const char *const months[] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	struct wall_date d = wall_date(status->started_at);
	int64_t day = status->started_at.us / CLOCK_S_US / 86400;
	zpage_head(w, "statusz");
	write_format(w,
		"\nStarted: %s %s %2d %02d:%02d:%02d UTC %d\nUp: %lld hr %02lld min %02lld sec\n"
		"Binary version: %s\nEmulation version: %s\n",
		days[day % 7], months[d.month - 1], d.day, d.hour, d.minute, d.second, d.year,
		(long long)(up_s / 3600), (long long)(up_s / 60 % 60), (long long)(up_s % 60),
		zpage_binary_version, zpage_emulation(status));
	write_format(w, "Berth: " BERTH_VERSION "\nState: %s\nSandbox: %s\nPaths:",
		scheduler_wait_name(scheduler_state(status->s)),
		status->setup.sandbox == NULL ? "none" : status->setup.sandbox);
	for (size_t i = 0; i < status_route_count; i++)
		if (zpage_lists(&status_routes[i]))
			write_format(w, " %s", status_routes[i].path);
	write_char(w, '\n');
}

static void statusz_object(
	const struct status *status, int64_t up_s, bool is_alpha, struct writer *w)
{
	struct wall_date d = wall_date(status->started_at);
	char started[32];
	struct writer s;
	struct json_writer j;
	writer_init(&s, started, sizeof(started));
	write_format(&s, "%04d-%02d-%02dT%02d:%02d:%02dZ", d.year, d.month, d.day, d.hour, d.minute,
		d.second);
	json_write_init(&j, w);
	zpage_object(&j, "Statusz", is_alpha);
	json_member_text(&j, "startTime", writer_text(&s));
	json_member_i64(&j, "uptimeSeconds", up_s);
	json_member_z(&j, "goVersion", "");
	json_member_z(&j, "binaryVersion", zpage_binary_version);
	json_member_z(&j, "emulationVersion", zpage_emulation(status));
	json_member_array(&j, "paths");
	for (size_t i = 0; i < status_route_count; i++)
		if (zpage_lists(&status_routes[i]))
			json_put_text(&j, text_of(status_routes[i].path));
	json_close_array(&j);
	json_close_object(&j);
	write_char(w, '\n');
}

void about_statusz(struct status_answer *a)
{
	const struct status *status = a->status;
	int64_t up_s = mono_since_us(net_now(status->setup.net), status->started) / CLOCK_S_US;
	struct zpage_wish wish;
	struct writer w;
	if (!zpage_negotiate(a, "Statusz", &wish))
		return;
	writer_init(&w, a->piece, sizeof(a->piece));
	if (wish.form == ZPAGE_TEXT)
		statusz_text(status, up_s, &w);
	else
		statusz_object(status, up_s, wish.is_alpha, &w);
	status_reply(a, 200, zpage_type(wish), writer_text(&w));
}
