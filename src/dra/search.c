/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The search: claim by claim, request by request, device by device, each the first that will do;
 * where there is none the one before is given up for its next. Frames stand for upstream's
 * recursion:
 *
 *	FRAME_CLAIM   behind it the next claim
 *	FRAME_LIST    a prioritized list, at one of its alternatives
 *	FRAME_PICK    one device of a request
 */
#include <string.h>

#include "dra/private.h"

enum frame_kind { FRAME_CLAIM, FRAME_LIST, FRAME_PICK };

struct place { /* of a device among the pools */
	uint32_t pool;
	uint32_t slice;
	uint32_t device;
};

struct position {
	uint32_t claim;
	uint32_t request;
	uint32_t ask;
	bool is_chosen; /* the alternative is */
	uint32_t nth;   /* device of the ask */
	struct place from;
};

struct frame {
	enum frame_kind kind;
	struct position at;
	bool all_exceed; /* FRAME_LIST: each alternative so far had too many results */
	/* FRAME_PICK: what is to be undone */
	bool is_taken;
	struct dra_pool *pool;
	uint32_t constraints;
	bool has_counters;
	struct scratch_mark before;
};

/* What an `All` is, and how many devices an ask takes. */
struct wanted {
	uint64_t count;
	struct place *all; /* NULL: an exact count */
};

struct constraint {
	const struct kube_device_constraint *facts;
	struct text attribute;
	const struct kube_attribute *first; /* KUBE_CONSTRAINT_MATCH: what all must have */
	uint32_t count;
	/* KUBE_CONSTRAINT_DISTINCT, by request: the latest one, as upstream remembers them */
	const struct kube_attribute **latest;
};

struct search {
	struct dra_run *run;
	const struct cache_node *node;
	struct dra_pools pools;
	struct wanted ***wanted; /* by claim, request, ask */
	struct constraint **constraints;
	struct dra_result *result;
	struct frame *frames;
	uint32_t depth;
	uint32_t room;
};

enum outcome { OUT_NONE, OUT_EXCEEDED, OUT_ERROR, OUT_TIMEOUT, OUT_DONE, OUT_GOES_ON };

static const struct dra_claim *search_claim(const struct search *s, const struct position *at)
{
	return &s->run->claims[at->claim];
}

static const struct dra_ask *ask_of(const struct search *s, const struct position *at)
{
	return &search_claim(s, at)->requests[at->request].asks[at->ask];
}

static const struct wanted *search_wanted(const struct search *s, const struct position *at)
{
	return &s->wanted[at->claim][at->request][at->ask];
}

static const struct kube_device *device_at(
	const struct search *s, const struct place *place, const struct dra_slice **slice)
{
	*slice = &s->pools.list[place->pool].slices[place->slice];
	return KUBE_AT((*slice)->facts, (*slice)->facts->devices, struct kube_device) +
		place->device;
}

/* ---- one device ---- */

static void count_why(uint32_t *counted)
{
	if (counted != NULL)
		++*counted;
}
#define WHY(s, what) count_why((s)->run->why == NULL ? NULL : &(s)->run->why->what)

/* Is the device taken already by this attempt: by which claims, and as a share? */
static void look_taken(const struct search *s, const struct dra_slice *slice,
	const struct kube_device *device, uint32_t claim, bool *any, bool *same_claim, bool *shared)
{
	*any = *same_claim = *shared = false;
	for (uint32_t c = 0; c < s->run->claim_count; c++)
		for (uint32_t i = 0; i < s->result->count[c]; i++) {
			const struct dra_pick *pick = &s->result->picks[c][i];
			if (pick->slice->facts != slice->facts || pick->device != device)
				continue;
			*shared = *shared || pick->is_shared;
			*any = *any || !pick->is_shared;
			*same_claim = *same_claim || (!pick->is_shared && c == claim);
		}
}

/* Shares that this attempt took already, added up. */
static void add_taken(const struct search *s, const struct dra_slice *slice,
	const struct kube_device *device, struct quantity *taken)
{
	for (uint32_t c = 0; c < s->run->claim_count; c++)
		for (uint32_t i = 0; i < s->result->count[c]; i++) {
			const struct dra_pick *pick = &s->result->picks[c][i];
			if (pick->device != device || pick->slice->facts != slice->facts ||
				!pick->is_shared || pick->consumed == NULL)
				continue;
			for (uint32_t k = 0; k < device->capacities.count; k++)
				quantity_add(&taken[k], &pick->consumed[k]);
		}
}

static bool is_shared_device(
	const struct search *s, const struct dra_slice *slice, const struct kube_device *device)
{
	const struct kube_device_more *more = kube_device_more(slice->facts, device);
	return s->run->features.shares && more != NULL && more->is_shared != 0;
}

/* Room in the device's capacities; what a share takes goes to *consumed. */
static enum dra_verdict fits_capacity(struct search *s, const struct position *at,
	const struct dra_slice *slice, const struct kube_device *device, bool only_static,
	struct quantity **consumed)
{
	const struct dra_ask *ask = ask_of(s, at);
	bool shared = is_shared_device(s, slice, device);
	if (!s->run->features.shares || (!shared && ask->capacity_count == 0))
		return DRA_FITS;
	size_t count = (size_t)device->capacities.count + 1;
	struct quantity *taken = SCRATCH_ARRAY(s->run->scratch, struct quantity, count);
	struct quantity *asked = SCRATCH_ARRAY(s->run->scratch, struct quantity, count);
	if (s->run->scratch->overflowed)
		return dra_fail(s->run, "out of memory");
	for (uint32_t i = 0; i < count; i++)
		taken[i] = quantity_zero();
	if (!only_static) {
		dra_capacity_taken(s->run, slice->facts, device, taken);
		add_taken(s, slice, device, taken);
	}
	*consumed = asked;
	return dra_capacity_fits(
		s->run, search_claim(s, at), ask, slice->facts, device, taken, asked);
}

/* Selectors, and the device's own reach. */
static enum dra_verdict is_selectable(
	struct search *s, const struct position *at, const struct dra_slice *slice, uint32_t index)
{
	const struct kube_device *device =
		KUBE_AT(slice->facts, slice->facts->devices, struct kube_device) + index;
	const struct kube_device_more *more = kube_device_more(slice->facts, device);
	if (!s->run->features.binding_conditions && more != NULL && more->has_conditions != 0)
		return DRA_NONE;
	enum dra_verdict verdict =
		dra_selects(s->run, search_claim(s, at), ask_of(s, at), slice, index);
	if (verdict != DRA_FITS)
		return verdict;
	bool reached = slice->facts->per_device == 0 ||
		(more != NULL && dra_reaches(s->run->cache, slice->facts, &more->reach, s->node));
	return reached ? DRA_FITS : DRA_NONE;
}

static bool is_tolerated(const struct dra_ask *ask, const struct kube_taint *taint)
{
	if (taint->effect != KUBE_NO_SCHEDULE && taint->effect != KUBE_NO_EXECUTE)
		return true;
	for (uint32_t i = 0; i < ask->toleration_count; i++)
		if (kube_tolerates(&ask->tolerations[i], taint))
			return true;
	return false;
}

static bool rule_is_about(const struct kube_taint_rule *rule, const struct kube_slice *slice,
	const struct kube_device *device)
{
	return rule->has_selector != 0 && (rule->driver == 0 || rule->driver == slice->driver) &&
		(rule->pool == 0 || rule->pool == slice->pool) &&
		(rule->device == 0 || rule->device == device->name);
}

static bool note_taint(struct search *s, const struct kube_taint *taint)
{
	WHY(s, taint);
	if (s->run->why != NULL)
		s->run->why->taint_key = dra_text(s->run, taint->key);
	return false;
}

static bool taints_allow(struct search *s, const struct dra_ask *ask, const struct dra_slice *slice,
	const struct kube_device *device)
{
	const struct kube_device_more *more = kube_device_more(slice->facts, device);
	if (!s->run->features.taints)
		return true;
	for (uint32_t i = 0; more != NULL && i < more->taints.count; i++) {
		const struct kube_taint *taint =
			KUBE_AT(slice->facts, more->taints, struct kube_taint) + i;
		if (!is_tolerated(ask, taint))
			return note_taint(s, taint);
	}
	struct list *rules = &s->run->cache->by_kind[KUBE_TAINT_RULE];
	if (!s->run->features.taint_rules)
		return true;
	for (struct list *l = rules->next; l != rules; l = l->next) {
		const struct cache_object *object = LIST_OWNER(l, struct cache_object, link);
		const struct kube_taint_rule *rule = (const void *)object->blob;
		if (!dra_step(s->run, 1))
			return false;
		if (rule_is_about(rule, slice->facts, device) && !is_tolerated(ask, &rule->taint))
			return note_taint(s, &rule->taint);
	}
	return true;
}

/* ---- constraints ---- */

static bool constraint_is_about(
	const struct search *s, const struct constraint *c, const struct position *at)
{
	const struct dra_claim *claim = search_claim(s, at);
	const struct dra_request *request = &claim->requests[at->request];
	const uint32_t *names = KUBE_AT(claim->facts, c->facts->requests, uint32_t);
	for (uint32_t i = 0; i < c->facts->requests.count; i++) {
		struct text name = dra_text(s->run, names[i]);
		size_t slash = text_find(name, '/');
		if (text_is(name, request->name) ||
			(request->is_list && slash < name.size &&
				text_is(text_first(name, slash), request->name) &&
				text_is(text_from(name, slash + 1), request->asks[at->ask].name)))
			return true;
	}
	return c->facts->requests.count == 0;
}

static bool same_attribute(const struct kube_attribute *a, const struct kube_attribute *b)
{
	return a->kind == b->kind && a->value == b->value;
}

static bool constraint_add(struct search *s, struct constraint *c, const struct position *at,
	const struct dra_slice *slice, const struct kube_device *device)
{
	if (!constraint_is_about(s, c, at))
		return true;
	const struct kube_attribute *attribute =
		dra_attribute(s->run, slice->facts, device, c->attribute);
	if (attribute == NULL)
		return false;
	if (c->facts->kind == KUBE_CONSTRAINT_MATCH) {
		if (c->count == 0)
			c->first = attribute;
		else if (attribute->kind == KUBE_ATTRIBUTE_UNKNOWN ||
			!same_attribute(attribute, c->first))
			return false;
		c->count++;
		return true;
	}
	uint32_t requests = search_claim(s, at)->request_count;
	for (uint32_t i = 0; c->count > 0 && i < requests; i++)
		if (c->latest[i] != NULL && same_attribute(attribute, c->latest[i]))
			return false;
	c->latest[at->request] = attribute;
	c->count++;
	return true;
}

static void constraint_remove(struct search *s, struct constraint *c, const struct position *at)
{
	if (!constraint_is_about(s, c, at))
		return;
	c->count--;
	if (c->facts->kind == KUBE_CONSTRAINT_DISTINCT)
		c->latest[at->request] = NULL;
}

/* ---- taking and giving up ---- */

static void give_up(struct search *s, struct frame *f)
{
	if (!f->is_taken)
		return;
	struct constraint *constraints = s->constraints[f->at.claim];
	const struct dra_pick *pick =
		&s->result->picks[f->at.claim][--s->result->count[f->at.claim]];
	for (uint32_t i = f->constraints; i > 0; i--)
		constraint_remove(s, &constraints[i - 1], &f->at);
	if (f->has_counters)
		dra_counters_give(s->run, f->pool, pick->slice->facts, pick->device);
	f->is_taken = false;
	scratch_rewind(s->run->scratch, f->before);
}

static enum dra_verdict add_constraints(struct search *s, struct frame *f,
	const struct dra_slice *slice, const struct kube_device *device, bool must)
{
	const struct dra_claim *claim = search_claim(s, &f->at);
	uint32_t count = claim->facts == NULL ? 0 : claim->facts->constraints.count;
	struct constraint *constraints = s->constraints[f->at.claim];
	for (f->constraints = 0; f->constraints < count; f->constraints++) {
		if (constraint_add(s, &constraints[f->constraints], &f->at, slice, device))
			continue;
		WHY(s, constraint);
		for (; f->constraints > 0; f->constraints--)
			constraint_remove(s, &constraints[f->constraints - 1], &f->at);
		if (!must)
			return DRA_NONE;
		return dra_fail(s->run,
			"claim %.*s/%.*s, request %.*s: cannot add device " DRA_DEVICE
			" because a claim constraint would not be satisfied",
			TEXT_ARGS(claim->namespace), TEXT_ARGS(claim->name),
			TEXT_ARGS(ask_of(s, &f->at)->name),
			DRA_DEVICE_ARGS(s->run, slice->facts, device));
	}
	return DRA_FITS;
}

/* Counters of the device, where it is not a further share of one that has them already. */
static bool take_counters(struct search *s, struct frame *f, const struct dra_slice *slice,
	const struct kube_device *device, bool is_in_use)
{
	const struct kube_device_more *more = kube_device_more(slice->facts, device);
	f->has_counters = false;
	if (more == NULL || more->consumes.count == 0)
		return true;
	if (!s->run->features.counters)
		return false;
	if (is_in_use)
		return true;
	f->has_counters = dra_counters_take(s->run, f->pool, slice->facts, device);
	if (!f->has_counters)
		WHY(s, counter);
	return f->has_counters;
}

static bool is_in_use(const struct search *s, const struct position *at, const struct place *place)
{
	const struct dra_slice *slice;
	const struct kube_device *device = device_at(s, place, &slice);
	bool given, given_share, taken, taken_here, taken_share;
	dra_look_given(s->run, slice->facts, device->name, &given, &given_share);
	look_taken(s, slice, device, at->claim, &taken, &taken_here, &taken_share);
	return ask_of(s, at)->admin ? taken_here : given || taken;
}

/* The selectable device becomes one of the claim's, or not. */
static enum dra_verdict take_device(
	struct search *s, struct frame *f, const struct place *place, bool must)
{
	const struct dra_slice *slice;
	const struct kube_device *device = device_at(s, place, &slice);
	const struct dra_ask *ask = ask_of(s, &f->at);
	bool shared = is_shared_device(s, slice, device);
	bool given, given_share, taken, taken_here, taken_share;
	f->pool = &s->pools.list[place->pool];
	dra_look_given(s->run, slice->facts, device->name, &given, &given_share);
	look_taken(s, slice, device, f->at.claim, &taken, &taken_here, &taken_share);
	struct quantity *consumed = NULL;
	if (!take_counters(s, f, slice, device, shared && (given_share || taken_share)))
		return DRA_NONE;
	enum dra_verdict verdict = taints_allow(s, ask, slice, device) ? DRA_FITS : DRA_NONE;
	f->constraints = 0;
	if (verdict == DRA_FITS)
		verdict = add_constraints(s, f, slice, device, must);
	if (verdict == DRA_FITS) {
		verdict = fits_capacity(s, &f->at, slice, device, false, &consumed);
		if (verdict == DRA_NONE)
			WHY(s, capacity);
		for (; verdict != DRA_FITS && f->constraints > 0; f->constraints--)
			constraint_remove(
				s, &s->constraints[f->at.claim][f->constraints - 1], &f->at);
	}
	if (verdict != DRA_FITS) {
		if (f->has_counters)
			dra_counters_give(s->run, f->pool, slice->facts, device);
		return verdict;
	}
	uint32_t *count = &s->result->count[f->at.claim];
	s->result->picks[f->at.claim][(*count)++] = (struct dra_pick){.request = f->at.request,
		.ask = f->at.ask,
		.slice = slice,
		.device = device,
		.is_shared = shared,
		.consumed = shared ? consumed : NULL};
	f->is_taken = true;
	return DRA_FITS;
}

/* ---- one device after the other ---- */

/* The next candidate from f->at.from on; it is left behind it. DRA_NONE: there is no more. */
static enum dra_verdict next_device(struct search *s, struct frame *f)
{
	struct place *at = &f->at.from;
	for (; at->pool < s->pools.count; at->pool++, at->slice = at->device = 0) {
		struct dra_pool *pool = &s->pools.list[at->pool];
		if (pool->is_incomplete || pool->is_invalid)
			continue;
		for (; at->slice < pool->slice_count; at->slice++, at->device = 0) {
			const struct dra_slice *slice = &pool->slices[at->slice];
			while (at->device < slice->facts->devices.count) {
				struct place place = *at;
				at->device++;
				if (!dra_step(s->run, 1))
					return DRA_TIMEOUT;
				f->before = scratch_mark(s->run->scratch);
				WHY(s, devices);
				if (is_in_use(s, &f->at, &place)) {
					WHY(s, given);
					continue;
				}
				enum dra_verdict verdict =
					is_selectable(s, &f->at, slice, place.device);
				if (verdict == DRA_NONE)
					WHY(s, selector);
				if (verdict == DRA_FITS)
					verdict = take_device(s, f, &place, false);
				if (verdict != DRA_NONE)
					return verdict;
				scratch_rewind(s->run->scratch, f->before);
			}
		}
	}
	return DRA_NONE;
}

/* Its frame is on top; goes on with what comes behind. */
static enum outcome take_next(struct search *s, struct frame *f)
{
	const struct wanted *wanted = search_wanted(s, &f->at);
	enum dra_verdict verdict;
	if (wanted->all == NULL) {
		verdict = next_device(s, f);
	} else if (f->all_exceed) { /* tried: of All there is no other choice */
		verdict = DRA_NONE;
	} else {
		f->all_exceed = true;
		f->before = scratch_mark(s->run->scratch);
		bool used = is_in_use(s, &f->at, &wanted->all[f->at.nth]);
		if (used)
			WHY(s, given);
		verdict = used ? DRA_NONE : take_device(s, f, &wanted->all[f->at.nth], true);
	}
	if (s->run->steps < 0 && verdict != DRA_ERROR)
		verdict = DRA_TIMEOUT;
	return verdict == DRA_FITS     ? OUT_GOES_ON
		: verdict == DRA_NONE  ? OUT_NONE
		: verdict == DRA_ERROR ? OUT_ERROR
				       : OUT_TIMEOUT;
}

static struct frame *push(struct search *s, enum frame_kind kind, const struct position *at)
{
	CHECK(s->depth < s->room);
	struct frame *f = &s->frames[s->depth++];
	*f = (struct frame){.kind = kind, .at = *at};
	return f;
}

/*
 * One step down from *at, which is where to go on when OUT_GOES_ON is returned; anything else is
 * what it came to.
 */
static enum outcome go_down(struct search *s, struct position *at)
{
	if (!dra_step(s->run, 1))
		return OUT_TIMEOUT;
	if (at->claim >= s->run->claim_count)
		return OUT_DONE;
	const struct dra_claim *claim = search_claim(s, at);
	if (at->request >= claim->request_count) {
		push(s, FRAME_CLAIM, at);
		*at = (struct position){.claim = at->claim + 1};
		return OUT_GOES_ON;
	}
	const struct dra_request *request = &claim->requests[at->request];
	if (request->is_list && !at->is_chosen) {
		push(s, FRAME_LIST, at)->all_exceed = true;
		at->is_chosen = true;
		at->ask = 0;
		return OUT_GOES_ON;
	}
	const struct wanted *wanted = search_wanted(s, at);
	if (wanted->all != NULL && wanted->count == 0)
		return OUT_NONE;
	if (at->nth >= wanted->count) {
		*at = (struct position){.claim = at->claim, .request = at->request + 1};
		return OUT_GOES_ON;
	}
	if (s->result->count[at->claim] + wanted->count - at->nth > DRA_RESULTS_MAX)
		return OUT_EXCEEDED;
	struct frame *f = push(s, FRAME_PICK, at);
	enum outcome outcome = take_next(s, f);
	if (outcome != OUT_GOES_ON) {
		s->depth--;
		return outcome;
	}
	struct place behind = f->at.from;
	*at = f->at;
	at->nth++;
	at->from = wanted->all == NULL ? behind : (struct place){0, 0, 0};
	return OUT_GOES_ON;
}

/* What came to nothing below; OUT_GOES_ON: *at is tried instead. */
static enum outcome go_up(struct search *s, enum outcome outcome, struct position *at)
{
	struct frame *f = &s->frames[s->depth - 1];
	if (f->kind == FRAME_CLAIM) {
		s->depth--;
		return outcome == OUT_EXCEEDED ? OUT_NONE : outcome;
	}
	if (f->kind == FRAME_LIST) {
		const struct dra_request *request =
			&search_claim(s, &f->at)->requests[f->at.request];
		bool is_last = f->at.ask + 1 >= request->ask_count;
		if (outcome != OUT_EXCEEDED)
			f->all_exceed = false;
		if (!is_last) {
			f->at.ask++;
			*at = f->at;
			at->is_chosen = true;
			return OUT_GOES_ON;
		}
		s->depth--;
		return f->all_exceed ? OUT_EXCEEDED : OUT_NONE;
	}
	give_up(s, f);
	if (outcome == OUT_NONE)
		outcome = take_next(s, f);
	if (outcome != OUT_GOES_ON) {
		s->depth--;
		return outcome;
	}
	*at = f->at;
	at->nth++;
	return OUT_GOES_ON;
}

static enum outcome search_run(struct search *s)
{
	struct position at = {0};
	enum outcome outcome = OUT_GOES_ON;
	while (outcome != OUT_DONE) {
		if (outcome == OUT_GOES_ON)
			outcome = go_down(s, &at);
		else if (s->depth > 0 && outcome != OUT_ERROR && outcome != OUT_TIMEOUT)
			outcome = go_up(s, outcome, &at);
		else
			break; /* nothing is given back: the error is in scratch */
	}
	return outcome;
}

/* ---- before the search ---- */

static enum dra_verdict refuse_ask(struct search *s, const struct dra_claim *claim,
	const struct dra_ask *ask, const char *what)
{
	return dra_fail(s->run, "claim %.*s/%.*s, request %.*s: %s", TEXT_ARGS(claim->namespace),
		TEXT_ARGS(claim->name), TEXT_ARGS(ask->name), what);
}

static enum dra_verdict refuse_pool(struct search *s, const struct dra_claim *claim,
	const struct dra_ask *ask, const struct dra_pool *pool)
{
	return dra_fail(s->run,
		"claim %.*s/%.*s, request %.*s: asks for all devices, but resource pool "
		"%.*s/%.*s is currently %s",
		TEXT_ARGS(claim->namespace), TEXT_ARGS(claim->name), TEXT_ARGS(ask->name),
		TEXT_ARGS(dra_text(s->run, pool->driver)), TEXT_ARGS(dra_text(s->run, pool->pool)),
		pool->is_incomplete ? "being updated" : "invalid");
}

/* Which devices are all: up to one more than a claim can have. */
static enum dra_verdict find_all(struct search *s, const struct position *at, struct wanted *wanted)
{
	wanted->count = 0;
	wanted->all = SCRATCH_ARRAY(s->run->scratch, struct place, DRA_RESULTS_MAX + 1);
	if (wanted->all == NULL)
		return dra_fail(s->run, "out of memory");
	for (uint32_t p = 0; p < s->pools.count; p++) {
		const struct dra_pool *pool = &s->pools.list[p];
		if (pool->is_incomplete || pool->is_invalid)
			return refuse_pool(s, search_claim(s, at), ask_of(s, at), pool);
		for (uint32_t l = 0; l < pool->slice_count; l++)
			for (uint32_t i = 0; i < pool->slices[l].facts->devices.count; i++) {
				struct place place = {p, l, i};
				struct quantity *consumed = NULL;
				const struct dra_slice *slice;
				struct scratch_mark mark = scratch_mark(s->run->scratch);
				const struct kube_device *device = device_at(s, &place, &slice);
				if (!dra_step(s->run, 1))
					return DRA_TIMEOUT;
				enum dra_verdict verdict = is_selectable(s, at, slice, i);
				if (verdict == DRA_FITS)
					verdict = fits_capacity(s, at, slice, device,
						s->run->features.names_device, &consumed);
				if (verdict == DRA_ERROR)
					return verdict;
				scratch_rewind(s->run->scratch, mark);
				if (verdict == DRA_FITS && wanted->count <= DRA_RESULTS_MAX)
					wanted->all[wanted->count++] = place;
			}
	}
	return DRA_FITS;
}

static enum dra_verdict prepare_ask(
	struct search *s, const struct position *at, struct wanted *wanted)
{
	const struct dra_claim *claim = search_claim(s, at);
	const struct dra_ask *ask = ask_of(s, at);
	for (uint32_t i = 0; i < ask->selector_count; i++)
		if (ask->selectors[i] == 0)
			return dra_fail(s->run,
				"claim %.*s/%.*s, request %.*s, selector #%u: CEL expression empty "
				"(unsupported selector type?)",
				TEXT_ARGS(claim->namespace), TEXT_ARGS(claim->name),
				TEXT_ARGS(ask->name), (unsigned)i);
	if (!s->run->features.admin_access && ask->has_admin)
		return refuse_ask(
			s, claim, ask, "admin access is requested, but the feature is disabled");
	if (ask->class == NULL)
		return refuse_ask(s, claim, ask, "could not retrieve device class");
	const uint32_t *of_class = KUBE_AT(ask->class, ask->class->selectors, uint32_t);
	for (uint32_t i = 0; i < ask->class->selectors.count; i++)
		if (of_class[i] == 0)
			return refuse_ask(s, claim, ask, "CEL expression of the class is empty");
	if (ask->mode == KUBE_DEVICES_ALL)
		return find_all(s, at, wanted);
	if (ask->mode != KUBE_DEVICES_EXACT)
		return dra_fail(s->run,
			"claim %.*s/%.*s, request %.*s: unsupported count mode %.*s",
			TEXT_ARGS(claim->namespace), TEXT_ARGS(claim->name), TEXT_ARGS(ask->name),
			TEXT_ARGS(ask->mode_text));
	wanted->count = ask->count < 0 ? 0 : (uint64_t)ask->count;
	return DRA_FITS;
}

static enum dra_verdict prepare_constraints(struct search *s, uint32_t index)
{
	const struct dra_claim *claim = &s->run->claims[index];
	uint32_t count = claim->facts == NULL ? 0 : claim->facts->constraints.count;
	s->constraints[index] =
		SCRATCH_ARRAY(s->run->scratch, struct constraint, (size_t)count + 1);
	const struct kube_device_constraint *facts = count == 0
		? NULL
		: KUBE_AT(claim->facts, claim->facts->constraints, struct kube_device_constraint);
	for (uint32_t i = 0; s->constraints[index] != NULL && i < count; i++) {
		if (facts[i].kind == KUBE_CONSTRAINT_UNKNOWN)
			return dra_fail(s->run,
				"claim %.*s/%.*s, constraint #%u: empty constraint (unsupported "
				"constraint type?)",
				TEXT_ARGS(claim->namespace), TEXT_ARGS(claim->name), (unsigned)i);
		s->constraints[index][i] = (struct constraint){.facts = &facts[i],
			.attribute = dra_text(s->run, facts[i].attribute),
			.latest = SCRATCH_ARRAY(s->run->scratch, const struct kube_attribute *,
				(size_t)claim->request_count + 1)};
	}
	return s->run->scratch->overflowed ? dra_fail(s->run, "out of memory") : DRA_FITS;
}

static enum dra_verdict prepare_claim(struct search *s, uint32_t index)
{
	const struct dra_claim *claim = &s->run->claims[index];
	struct position at = {.claim = index};
	uint64_t least_of_claim = 0;
	s->wanted[index] =
		SCRATCH_ARRAY(s->run->scratch, struct wanted *, (size_t)claim->request_count + 1);
	for (; s->wanted[index] != NULL && at.request < claim->request_count; at.request++) {
		const struct dra_request *request = &claim->requests[at.request];
		struct wanted *wanted = SCRATCH_ARRAY(
			s->run->scratch, struct wanted, (size_t)request->ask_count + 1);
		uint64_t least = INT64_MAX;
		s->wanted[index][at.request] = wanted;
		for (at.ask = 0; wanted != NULL && at.ask < request->ask_count; at.ask++) {
			enum dra_verdict verdict = prepare_ask(s, &at, &wanted[at.ask]);
			if (verdict != DRA_FITS)
				return verdict;
			if (wanted[at.ask].count < least)
				least = wanted[at.ask].count;
		}
		least_of_claim += least;
	}
	/* Its own frame, one for each list, and for each device that it can have or try. */
	s->room += claim->request_count + DRA_RESULTS_MAX + 2;
	if (s->run->scratch->overflowed)
		return dra_fail(s->run, "out of memory");
	if (least_of_claim > DRA_RESULTS_MAX)
		return dra_fail(s->run,
			"claim %.*s/%.*s: number of requested devices %llu exceeds the claim limit "
			"of %u",
			TEXT_ARGS(claim->namespace), TEXT_ARGS(claim->name),
			(unsigned long long)least_of_claim, (unsigned)DRA_RESULTS_MAX);
	return prepare_constraints(s, index);
}

static enum dra_verdict prepare_search(struct search *s)
{
	size_t claims = (size_t)s->run->claim_count + 1;
	s->wanted = SCRATCH_ARRAY(s->run->scratch, struct wanted **, claims);
	s->constraints = SCRATCH_ARRAY(s->run->scratch, struct constraint *, claims);
	if (s->run->scratch->overflowed)
		return dra_fail(s->run, "out of memory");
	if (!dra_pools_gather(s->run, s->node, &s->pools))
		return s->run->steps < 0 ? DRA_TIMEOUT : dra_fail(s->run, "out of memory");
	for (uint32_t i = 0; i < s->pools.count; i++)
		if (s->pools.list[i].set_count > 0 && !s->pools.list[i].is_invalid &&
			!dra_counters_ready(s->run, &s->pools.list[i]))
			return dra_fail(s->run, "out of memory");
	for (uint32_t i = 0; i < s->run->claim_count; i++) {
		enum dra_verdict verdict = prepare_claim(s, i);
		if (verdict != DRA_FITS)
			return verdict;
	}
	s->frames = SCRATCH_ARRAY(s->run->scratch, struct frame, (size_t)s->room + 1);
	return s->frames == NULL ? dra_fail(s->run, "out of memory") : DRA_FITS;
}

enum dra_verdict dra_allocate(
	struct dra_run *run, const struct cache_node *node, struct dra_result *result)
{
	struct search s = {.run = run, .node = node, .result = result};
	size_t claims = (size_t)run->claim_count + 1;
	run->error = NULL;
	result->count = SCRATCH_ARRAY(run->scratch, uint32_t, claims);
	result->picks = scratch_take_array(run->scratch, claims, sizeof(*result->picks));
	if (run->scratch->overflowed)
		return dra_fail(run, "out of memory");
	enum dra_verdict verdict = prepare_search(&s);
	if (verdict != DRA_FITS)
		return verdict;
	switch (search_run(&s)) {
	case OUT_DONE: return DRA_FITS;
	case OUT_ERROR: return DRA_ERROR;
	case OUT_TIMEOUT: return DRA_TIMEOUT;
	default: break;
	}
	for (uint32_t i = 0; i < s.pools.count; i++)
		if (s.pools.list[i].is_invalid)
			return DRA_INVALID;
	return DRA_NONE;
}

void dra_look(
	struct dra_run *run, const struct cache_node *node, uint32_t request, uint32_t alternative)
{
	struct dra_result result = {.count = SCRATCH_ARRAY(run->scratch, uint32_t, 2),
		.picks = scratch_take_array(run->scratch, 2, sizeof(*result.picks))};
	struct search s = {.run = run, .node = node, .result = &result};
	struct frame f = {.kind = FRAME_PICK,
		.at = {.request = request, .ask = alternative, .is_chosen = true}};
	CHECK(run->why != NULL && run->claim_count == 1);
	if (run->scratch->overflowed || prepare_search(&s) != DRA_FITS)
		return;
	for (; next_device(&s, &f) == DRA_FITS; give_up(&s, &f))
		run->why->left++;
}
