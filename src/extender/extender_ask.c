/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One pod's way past its extenders: the pod is read, filters are asked in turn about the nodes that
 * are left, then all who give points at once; or those who have a say in whom it pushes off.
 *
 * What kube-scheduler sends of the pod is what its informer keeps: the whole object but for
 * managedFields. Ours keeps what scheduling needs, so the pod is read again, once for all of its
 * extenders, and its bytes go on as they came. That costs the apiserver one GET a pod, and no
 * memory for the pods that no extender cares for.
 */

#include "base/format.h"
#include "base/log.h"
#include "extender/private.h"

const struct json_want extender_want_metadata[] = {{"name", NULL}, {"generateName", NULL},
	{"namespace", NULL}, {"selfLink", NULL}, {"uid", NULL}, {"resourceVersion", NULL},
	{"generation", NULL}, {"creationTimestamp", NULL}, {"deletionTimestamp", NULL},
	{"deletionGracePeriodSeconds", NULL}, {"labels", NULL}, {"annotations", NULL},
	{"ownerReferences", NULL}, {"finalizers", NULL}, {NULL, NULL}};
static const struct json_want want_pod[] = {
	{"metadata", extender_want_metadata}, {"spec", NULL}, {"status", NULL}, {NULL, NULL}};

static struct extender_ask *ask_at(const struct extenders *x, uint32_t ask)
{
	CHECK(ask > 0);
	CHECK((x->asks_used >> (ask - 1) & 1) != 0);
	return &x->asks[ask - 1];
}

/* ---- errors ---- */

void extender_ask_fail(struct extender_ask *ask, const char *format, ...)
{
	struct writer w;
	va_list args;
	char room[EXTENDER_ERROR_MAX];
	va_start(args, format);
	size_t most = format_into(room, sizeof(room), format, args);
	va_end(args);
	if (most > sizeof(room))
		most = sizeof(room);
	writer_init(&w, ask->error, sizeof(ask->error));
	write_text(&w, text_utf8_first((struct text){room, most}, most));
	ask->error_size = w.used;
}

static void log_failure(const struct extender_ask *ask, const char *what)
{
	log_warn("extender", "answer", "%s=\"%.*s\"", what, (int)ask->error_size, ask->error);
}

/* ---- nodes ---- */

/* While victims are asked about they may go; the answer about them stays. */
static void hold_offers(struct extender_ask *ask, void (*hold)(struct intern *intern, uint32_t id))
{
	struct intern *strings = &ask->all->setup.cache->strings;
	for (uint32_t i = 0; i < ask->offers->count; i++)
		hold(strings, ask->offers->list[i].name);
	for (uint32_t i = 0; i < ask->offers->victim_count; i++) {
		const struct extender_victim *victim = &ask->offers->victims[i];
		hold(strings, victim->name);
		hold(strings, victim->namespace);
		if (victim->uid.high == CACHE_UID_TEXT)
			hold(strings, (uint32_t)victim->uid.low);
	}
}

static void give_nodes(struct extender_ask *ask)
{
	struct intern *strings = &ask->all->setup.cache->strings;
	for (uint32_t i = 1; i <= ask->words.top; i++)
		if (ask->words.of_node[i].verdict != EXTENDER_NOT_ASKED)
			intern_give(strings, ask->words.of_node[i].name);
	if (ask->offers_kept)
		hold_offers(ask, intern_give);
	ask->words.top = 0;
	ask->offers_kept = false;
	ask->offers->count = ask->offers->victim_count = 0;
}

/* Such as every apiserver wants them. */
static bool is_plain_name(struct text name)
{
	for (size_t i = 0; i < name.size; i++)
		if (name.at[i] <= ' ' || name.at[i] == '"' || name.at[i] == '\\' ||
			name.at[i] >= 0x7f)
			return false;
	return name.size > 0;
}

static void take_nodes(struct extender_ask *ask, const uint32_t *nodes, uint32_t count)
{
	struct cache *cache = ask->all->setup.cache;
	struct extender_words *words = &ask->words;
	uint32_t top = pool_top(&cache->nodes);
	CHECK(top <= ask->all->setup.nodes);
	words->top = top;
	memset(words->of_node, 0, ((size_t)top + 1) * sizeof(*words->of_node));
	words->reason_count = words->removed = 0;
	ask->reasons_size = ask->node_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t name = cache_node_at(cache, nodes[i])->name;
		if (!is_plain_name(cache_text(cache, name)))
			continue;
		intern_keep(&cache->strings, name);
		words->of_node[nodes[i]] =
			(struct extender_word){.name = name, .verdict = EXTENDER_KEPT};
		ask->nodes[ask->node_count++] = nodes[i];
	}
	words->kept = ask->node_count;
}

/* ---- steps ---- */

void extender_ask_finish(struct extender_ask *ask)
{
	for (uint32_t i = 0; i < ask->all->count; i++)
		extender_call_cancel(&ask->calls[i]);
	ask->step = EXTENDER_DONE;
	ask->all->setup.done(ask->all->setup.self, ask->index);
}

/* The next in turn that cares and has the verb; NULL: all were asked. */
static struct extender *next_in_turn(struct extender_ask *ask, enum extender_verb verb)
{
	struct extenders *x = ask->all;
	while (ask->next < x->count) {
		uint32_t i = ask->next++;
		if ((ask->care >> i & 1) != 0 && x->list[i].url_size[verb] > 0)
			return &x->list[i];
	}
	return NULL;
}

/* One node needs no points. */
static void ask_scores(struct extender_ask *ask)
{
	struct extender *e;
	ask->step = EXTENDER_SCORES;
	ask->next = 0;
	while (ask->node_count > 1 && (e = next_in_turn(ask, EXTENDER_SCORE)) != NULL)
		extender_call_begin(ask, e, EXTENDER_SCORE);
	if (ask->open == 0)
		extender_ask_finish(ask);
}

static void ask_next(struct extender_ask *ask)
{
	bool filters = ask->step == EXTENDER_FILTERS;
	bool any = filters && ask->node_count > 0;
	for (uint32_t i = 0; !filters && i < ask->offers->count; i++)
		any = any || ask->offers->list[i].chosen;
	struct extender *e =
		any ? next_in_turn(ask, filters ? EXTENDER_FILTER : EXTENDER_PREEMPT) : NULL;
	if (e != NULL)
		extender_call_begin(ask, e, filters ? EXTENDER_FILTER : EXTENDER_PREEMPT);
	else if (filters)
		ask_scores(ask);
	else
		extender_ask_finish(ask);
}

static void begin(struct extender_ask *ask, enum extender_step step)
{
	ask->step = step;
	ask->next = 0;
	ask_next(ask);
}

void extender_ask_heard(struct extender_ask *ask, struct extender_call *call, bool ok)
{
	CHECK(ask->open > 0);
	ask->open--;
	bool scores = ask->step == EXTENDER_SCORES;
	if (!ok) {
		bool ignored = scores || call->extender->config->ignorable;
		log_failure(ask, ignored ? "ignored" : "failed");
		if (!ignored) {
			extender_ask_finish(ask);
			return;
		}
		ask->error_size = 0;
	}
	if (!scores)
		ask_next(ask);
	else if (ask->open == 0)
		extender_ask_finish(ask);
}

/* ---- whole nodes ---- */

static bool wants_nodes(const struct extender_ask *ask)
{
	for (uint32_t i = 0; i < ask->all->count; i++) {
		const struct extender *e = &ask->all->list[i];
		if ((ask->care >> i & 1) != 0 && !e->config->node_cache_capable &&
			(e->url_size[EXTENDER_FILTER] > 0 || e->url_size[EXTENDER_SCORE] > 0))
			return true;
	}
	return false;
}

static void look(struct extender_ask *ask)
{
	ask->step = EXTENDER_LOOKS;
	ask->has_nodes = extender_nodes_take(ask->all->nodes);
	if (ask->has_nodes)
		begin(ask, EXTENDER_FILTERS);
}

void extender_asks_look(struct extenders *x, bool good)
{
	for (uint32_t i = 0; i < x->count; i++) {
		struct extender_ask *ask = &x->asks[i];
		if ((x->asks_used >> i & 1) == 0 || ask->step != EXTENDER_LOOKS)
			continue;
		if (good) {
			look(ask);
			continue;
		}
		extender_ask_fail(ask, "the nodes could not be read for extenders");
		extender_ask_finish(ask);
	}
}

static void give_whole_nodes(struct extender_ask *ask)
{
	if (ask->has_nodes)
		extender_nodes_give(ask->all->nodes);
	ask->has_nodes = false;
}

/* ---- the pod ---- */

static void begin_first(struct extender_ask *ask)
{
	if (ask->first == EXTENDER_PREEMPTS && extender_wants_whole_victims(ask))
		extender_victims_read(ask);
	else
		begin(ask, ask->first);
}

void extender_ask_preempts(struct extender_ask *ask)
{
	begin(ask, EXTENDER_PREEMPTS);
}

static void ask_read_pod(struct api_call *call, struct text json)
{
	LIST_OWNER(call, struct extender_ask, read)->read_json = json;
}

static void ask_pod_done(struct api_call *call, enum api_verdict verdict)
{
	struct extender_ask *ask = LIST_OWNER(call, struct extender_ask, read);

	if (ask->step == EXTENDER_READS_VICTIMS) {
		extender_victim_done(ask, verdict);
		return;
	}
	if (verdict == API_DONE && ask->read_json.at != NULL) {
		ask->pod_json = ask->read_json;
		if (ask->first == EXTENDER_FILTERS && wants_nodes(ask))
			look(ask);
		else
			begin_first(ask);
		return;
	}
	if (verdict == API_DONE)
		extender_ask_fail(ask,
			"the pod has more than %u bytes, which is too much for "
			"extenders",
			(unsigned)EXTENDER_POD_MAX);
	else
		extender_ask_fail(ask, "the pod could not be read for its extenders: %s, code %u",
			net_result_name(call->request.answer.result),
			(unsigned)call->request.answer.status);
	extender_ask_finish(ask);
}

void extender_asks_open(struct extenders *x)
{
	x->reads = (struct api_caller){
		.client = x->setup.api, .name = "pods for extenders", .done = ask_pod_done};
	api_caller_init(&x->reads);
}

void extender_ask_read(struct extender_ask *ask, struct text path)
{
	ask->read_json = TEXT_NONE;
	api_call_start(&ask->read, &ask->all->reads,
		&(struct api_request){.purpose = API_POD_READ,
			.method = NET_GET,
			.path = path,
			.reader = {want_pod, ask_read_pod, ask->cut}});
}

/* ---- what callers do ---- */

uint32_t extender_ask(struct extenders *x, const struct extender_order *order)
{
	const struct kube_pod_template *class =
		cache_template_of(x->setup.cache, cache_pod_at(x->setup.cache, order->pod));
	CHECK(extenders_have_turn(x, class));
	uint32_t i = (uint32_t)__builtin_ctz(~x->asks_used);
	struct extender_ask *ask = &x->asks[i];
	x->asks_used |= UINT32_C(1) << i;
	CHECK(order->path.size <= sizeof(ask->path));
	memcpy(ask->path, order->path.at, order->path.size);
	ask->path_size = order->path.size;
	ask->all = x;
	ask->index = i + 1;
	ask->error_size = 0;
	ask->first = order->nodes == NULL ? EXTENDER_PREEMPTS : EXTENDER_FILTERS;
	ask->heard = extenders_heard(x, class);
	ask->care = 0;
	for (uint32_t verb = 0; verb < EXTENDER_VERBS; verb++)
		ask->care |= extenders_for(x, class, (enum extender_verb)verb);
	take_nodes(ask, order->nodes, order->node_count);
	ask->step = EXTENDER_READS;
	extender_ask_read(ask, (struct text){ask->path, ask->path_size});
	return ask->index;
}

struct extender_offers *extender_offers(struct extenders *x, uint32_t ask)
{
	return ask_at(x, ask)->offers;
}

void extender_ask_victims(struct extenders *x, uint32_t index)
{
	struct extender_ask *ask = ask_at(x, index);
	CHECK(!ask->offers_kept);
	hold_offers(ask, intern_keep);
	ask->offers_kept = true;
	ask->first = EXTENDER_PREEMPTS;
	if (ask->step == EXTENDER_DONE)
		begin_first(ask);
}

void extender_give_turn(struct extenders *x, uint32_t index)
{
	ask_at(x, index)->heard = 0;
}

void extender_end(struct extenders *x, uint32_t index)
{
	struct extender_ask *ask = ask_at(x, index);
	api_call_cancel(&ask->read);
	for (uint32_t i = 0; i < x->count; i++)
		extender_call_cancel(&ask->calls[i]);
	give_nodes(ask);
	ask->whole.used = 0;
	page_span_shrink(&ask->whole.span, 0);
	give_whole_nodes(ask);
	x->asks_used &= ~(UINT32_C(1) << (index - 1));
	/* What waits for the last user of old ones is woken by this alone. */
	for (uint32_t i = 0; x->nodes != NULL && i < x->count; i++)
		if ((x->asks_used >> i & 1) != 0 && x->asks[i].step == EXTENDER_LOOKS)
			look(&x->asks[i]);
}

const struct extender_words *extender_words(const struct extenders *x, uint32_t ask)
{
	return &ask_at(x, ask)->words;
}

struct text extender_error(const struct extenders *x, uint32_t ask)
{
	const struct extender_ask *a = ask_at(x, ask);
	return (struct text){a->error, a->error_size};
}
