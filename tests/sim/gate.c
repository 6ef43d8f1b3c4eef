/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gate: each request on its way into the apiserver. In a bad mood it is not let in, or let in and
 * the answer is lost; what was bound is judged.
 */
#include <stdio.h>

#include "sim/world.h"

static bool is_write(const struct apisim_request *request)
{
	return !text_is(request->method, TEXT("GET"));
}

static bool writes_claim(const struct apisim_request *request)
{
	return is_write(request) && text_contains(request->path, TEXT("/resourceclaims/"));
}

enum {
	EVERYWHERE = 4 /* of the moods below, the first ones */
};

static void turn_away(
	struct world *w, const struct apisim_request *request, struct apisim_answer *answer)
{
	static const struct {
		int status;
		const char *reason;
		uint32_t retry_after_s;
		struct text body;
	} moods[] = {
#define STATUS(code, reason, words)                                                   \
	TEXT("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":" \
	     "\"Failure\",\"message\":\"" words "\",\"reason\":\"" reason "\",\"code\":" code "}")
		{500, "InternalError", 0, STATUS("500", "InternalError", "etcdserver: no leader")},
		{503, "ServiceUnavailable", 0,
			STATUS("503", "ServiceUnavailable", "the server is shutting down")},
		{504, "Timeout", 0, STATUS("504", "Timeout", "the request did not finish in time")},
		{429, "TooManyRequests", 1,
			STATUS("429", "TooManyRequests", "too many requests, please try again")},
		{409, "Conflict", 0,
			STATUS("409", "Conflict",
				"Operation cannot be fulfilled: the object has been modified")},
		{410, "Expired", 0, STATUS("410", "Expired", "too old resource version: 1 (2)")},
		{504, "Timeout", 1,
			STATUS("504", "Timeout", "Too large resource version: 2, current: 1")},
	};
	uint32_t i = world_below(w, EVERYWHERE + (is_write(request) ? 1 : 2));

	/* What only writes meet, and what only reads. */
	if (i >= EVERYWHERE && !is_write(request))
		i++;

	*answer = (struct apisim_answer){.status = moods[i].status,
		.content_type = "application/json",
		.retry_after_s = moods[i].retry_after_s,
		.body = moods[i].body};
	w->counts.errors++;
}

/* "/api/v1/namespaces/NS/pods/NAME", and "/binding" or nothing */
static bool cut_pod(
	struct text path, struct text what_of_it, struct text *namespace, struct text *name)
{
	const struct text prefix = TEXT("/api/v1/namespaces/");
	struct text part;

	if (!text_starts(path, prefix))
		return false;
	path = text_from(path, prefix.size);
	return text_cut(&path, '/', namespace) && text_cut(&path, '/', &part) &&
		text_is_z(part, "pods") && text_cut(&path, '/', name) && text_is(path, what_of_it);
}

/*
 * Who is alone and has had an answer to all that it asked lately knows whom it has bound: it does
 * not bind one again.
 */
static void judge_refused(struct world *w, struct text namespace, struct text name)
{
	const struct registry *r = apisim_registry(w->api);
	char key[256];
	struct writer k;

	if (w->plan.schedulers > 1 || w->network.now_us < w->confused_until_us)
		return;
	writer_init(&k, key, sizeof(key));
	write_format(&k, "%.*s/%.*s", TEXT_ARGS(namespace), TEXT_ARGS(name));
	uint32_t pod = registry_find(r, RESOURCE_PODS, writer_text(&k));
	if (pod != 0 && revision_node(registry_revision(r, pod)).size > 0)
		world_found(w, "%s is bound again", key);
}

/* ---- who had to go for others ---- */

static struct sim_victim *victim_of(struct world *w, struct text name)
{
	for (uint32_t i = 0; i < w->victims_count; i++)
		if (text_is(name, text_of(w->victims[i].name)))
			return &w->victims[i];
	return NULL;
}

/* `pod` is the answer: the pod as it was. */
static void note_victim(struct world *w, struct text name, struct text pod)
{
	if (victim_of(w, name) != NULL || w->victims_count == SIM_VICTIMS)
		return;
	struct sim_victim *victim = &w->victims[w->victims_count++];
	scratch_reset(&w->scratch);
	struct text node = tree_text(tree_read(pod, &w->scratch), "spec.nodeName");
	CHECK(text_copy(name, victim->name, sizeof(victim->name)));
	CHECK(text_copy(node, victim->node, sizeof(victim->node)));
	w->counts.victims++;
}

static void note_event(struct world *w, const struct apisim_request *request)
{
	scratch_reset(&w->scratch);
	const struct tree *event = tree_read(request->body, &w->scratch);
	struct sim_victim *victim = victim_of(w, tree_text(event, "regarding.name"));

	if (victim != NULL && text_is_z(tree_text(event, "reason"), "Preempted"))
		victim->told = true;
}

static void follow_victims(
	struct world *w, const struct apisim_request *request, const struct apisim_answer *answer)
{
	struct text namespace, name;

	if (text_is_z(request->method, "POST") && answer->status == 201 &&
		text_ends(request->path, TEXT("/events")))
		note_event(w, request);
	if (text_is_z(request->method, "DELETE") && answer->status == 200 &&
		cut_pod(request->path, TEXT(""), &namespace, &name))
		note_victim(w, name, answer->body);
}

static void judge(
	struct world *w, const struct apisim_request *request, const struct apisim_answer *answer)
{
	struct text namespace, name;
	int status = answer->status;

	follow_victims(w, request, answer);
	if (status == 200 && writes_claim(request)) {
		struct text rest = request->path;

		while (text_cut(&rest, '/', &name) && !text_is(name, TEXT("resourceclaims")))
			;
		(void)text_cut(&rest, '/', &name);
		devices_judge(w, name);
		devices_asked(w, request, true);
	}
	if ((status != 201 && status != 409) || !text_is(request->method, TEXT("POST")) ||
		!cut_pod(request->path, TEXT("binding"), &namespace, &name))
		return;
	if (status == 409) {
		judge_refused(w, namespace, name);
		return;
	}
	scratch_reset(&w->scratch);
	const struct tree *binding = tree_read(request->body, &w->scratch);
	w->counts.bindings++;
	judge_binding(w, namespace, name, tree_text(binding, "target.name"));
}

void gate_ask(void *self, struct apisim *api, const struct apisim_request *request,
	struct apisim_answer *answer)
{
	struct world *w = self;
	bool moody = w->network.now_us < w->errors_until_us && !w->is_calm &&
		world_below(w, 100) < w->error_share;
	bool half = moody && is_write(request) && world_has(w, SIM_HALF_ERRORS) &&
		world_below(w, 2) == 0;

	w->counts.requests++;
	if (writes_claim(request))
		devices_asked(w, request, false);
	if (moody && !half && world_has(w, SIM_ERRORS)) {
		turn_away(w, request, answer);
	} else {
		apisim_ask(api, request, answer);
		judge(w, request, answer);
		if (half && answer->stream == 0) {
			world_note(w, "(and was %d)", answer->status);
			*answer = (struct apisim_answer){.status = 500,
				.content_type = "application/json",
				.body = TEXT("{\"kind\":\"Status\",\"apiVersion\":\"v1\","
					     "\"metadata\":{},\"status\":\"Failure\",\"message\":"
					     "\"etcdserver: request timed out\",\"code\":500}")};
		}
	}
	if (text_ends(request->path, TEXT("/binding")))
		world_look_soon(w);
	if (!text_contains(request->path, TEXT("/events")))
		world_note(w, "%.*s %.*s%s%.*s %d", TEXT_ARGS(request->method),
			TEXT_ARGS(request->path), request->query.size > 0 ? "?" : "",
			request->query.size < 60 ? (int)request->query.size : 60,
			request->query.at == NULL ? "" : request->query.at, answer->status);
}
