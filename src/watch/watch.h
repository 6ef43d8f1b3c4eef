/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * watch - what the apiserver has, told as a list and then as changes. One reflector per kind, all
 * the same code (watch/steps.c is the table of states); a kind is followed while it is wanted.
 *
 * Who listens (the sink) is told of every object at least once, in the order of the server, and
 * never has to know why a list comes again: what did not come between list_begin and list_end is
 * gone. Memory is fixed: a buffer for one object per kind, and the caller's scratch.
 */
#ifndef BERTH_WATCH_WATCH_H
#define BERTH_WATCH_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/scratch.h"
#include "kube/object.h"
#include "kube/passing.h"
#include "http/http.h"

enum {
	WATCH_PAGE = 500, /* objects of a page, where the server cannot stream its list */
	/* A watch is asked for 5 to 10 minutes, as client-go does, so that not all end at once. */
	WATCH_LASTS_MIN_S = 300,
	WATCH_LASTS_SPREAD_S = 300,
	/*
	 * Of pods and nodes, from a server that has sent no bookmark yet (it sends none while
	 * nothing changes): opening it again is what confirms the picture then.
	 */
	WATCH_VITAL_LASTS_S = 150,
	/* The server ends a watch by itself; one that is still there so much later is dead. */
	WATCH_LASTS_GRACE_S = 30,
	/*
	 * A server that has sent a bookmark sends one a minute: three missing ones are silence, and
	 * the watch is opened again where it was. From servers without bookmarks silence says
	 * nothing; there TCP's keep-alive (net/socket.c, a minute) and the grace above must do.
	 */
	WATCH_SILENCE_MS = 200 * 1000,
	WATCH_LIST_SILENCE_MS = 30 * 1000, /* between two bytes of a list */
	/*
	 * What client-go does: all kinds wait up to 30 s. What we do: of pods and nodes a picture
	 * that old is worth two requests in five seconds.
	 */
	WATCH_VITAL_BACKOFF_MS = 2500,
	WATCH_SHORT_MS = 1000, /* a watch that ends sooner did not work */
	/* So long without a word about a kind: is the server still where we are? */
	WATCH_DOUBT_MS = 10 * 60 * 1000,
	WATCH_ABSENT_MS = 60 * 1000,            /* what is not served is looked for again */
	WATCH_STREAM_AGAIN_MS = 30 * 60 * 1000, /* and so are streaming lists */
	WATCH_STUCK_MAX = 3,   /* odd answers in a row from the same place: list again */
	WATCH_EXPIRED_MAX = 2, /* lists that were too slow for their own pages: no pages then */
	WATCH_ERROR_MAX = 200,
	WATCH_FETCHES = 4, /* pods asked for by name, at a time: enough for thousands a second */
	WATCH_FETCH_MS = 10 * 1000 /* for one of them */
};

struct watch_object {
	enum kube_kind kind;
	enum kube_watch_type type; /* ADDED (also all of a list), MODIFIED or DELETED */
	struct json_value value;   /* good until the callback returns */
	const char *api_version;   /* "policy/v1beta1": as served */
};

/* An object that did not fit. A DELETED one must go by its name; of any other one some is known. */
struct watch_too_big {
	enum kube_kind kind;
	enum kube_watch_type type;
	struct text name; /* "namespace/name", "name"; TEXT_NONE: it was cut off before that */
	struct json_value value; /* what is left of it: watch_brief and what came before */
};

/* Keys that are there even when the rest of an object does not fit. */
extern const char *const watch_brief[];

/* What became of an object that was asked for by its name. */
enum watch_fetch_result {
	WATCH_FETCHED,
	WATCH_FETCH_GONE,
	WATCH_FETCH_UNREADABLE, /* it is there, too big or too odd for us */
	WATCH_FETCH_FAILED      /* no answer that says anything: later */
};

/* Callbacks come from inside net_poll() and watch_want(); they may call watch_want(). */
struct watch_sink {
	/* A list is asked for from its beginning; may be NULL. */
	void (*list_asked)(void *self, enum kube_kind kind);
	/* Without a list_end since the last one: that list is given up, this one takes its place.
	 */
	void (*list_begin)(void *self, enum kube_kind kind);
	/* False: refused, which is counted here and explained by the sink. */
	bool (*object)(void *self, const struct watch_object *object, struct scratch *scratch);
	void (*too_big)(void *self, const struct watch_too_big *object);
	void (*list_end)(void *self, enum kube_kind kind);
	/* Every wanted kind was told once; again when more kinds came to be wanted. */
	void (*synced)(void *self);
	/* `object` is NULL but for WATCH_FETCHED. May be NULL when watch_fetch() is never called.
	 */
	void (*fetched)(void *self, uint64_t tag, enum watch_fetch_result result,
		const struct watch_object *object, struct scratch *scratch);
	void *self;
};

struct watch; /* all reflectors */

struct watch_setup {
	struct net *net;
	/* Needs one watch connection for each kind that is wanted at a time. */
	struct net_client *client;
	struct entropy entropy; /* jitter, length of watches */
	struct arena *arena;
	struct scratch
		*scratch; /* shared with others, empty or not; given back after each object */
	struct watch_sink sink;
	uint32_t kinds; /* those that may ever be wanted: WATCH_KIND() of each */
	/* What is kept of pods; NULL: kube_pod_want. It may still grow before they are wanted. */
	const struct json_want *pod_want;
	/*
	 * The first list of each kind comes as a page over a connection that is there, before the
	 * watch has shaken hands for its own: a handshake costs more than a small list. A kind that
	 * has more than one page is streamed as ever.
	 */
	bool page_first;
};
#define WATCH_KIND(kind) (UINT32_C(1) << (kind))
#define WATCH_ALL_KINDS  (WATCH_KIND(KUBE_KINDS) - WATCH_KIND(KUBE_NO_KIND + 1))

/* Nothing is asked before watch_want(). At most one at a time per process (its panic report). */
struct watch *watch_init(const struct watch_setup *setup);
size_t watch_size(uint32_t kinds); /* arena bytes; a part of the buffers is never touched */
/* Address space besides, in an arena that is counted: for objects as large as they may be. */
size_t watch_space(uint32_t kinds);
void watch_close(struct watch *watch);

/* Begins, or ends at once. The objects of a kind that is wanted no more stay as they are. */
void watch_want(struct watch *watch, enum kube_kind kind, bool wanted);
/* A kind that is wanted, from its beginning. What we know of it stays as doubtful as it is. */
void watch_list_anew(struct watch *watch, enum kube_kind kind);

/*
 * Asks for a pod by its name, beside its watch; sink.fetched() says what became of it. What the
 * watch tells in between may be older or newer. False: WATCH_FETCHES are under way, or no request
 * can be made of the name.
 */
MUST_USE bool watch_fetch(
	struct watch *watch, struct text namespace, struct text name, uint64_t tag);
bool watch_may_fetch(const struct watch *watch);
/* All that are under way; fetched() is not called for them. */
void watch_fetch_cancel(struct watch *watch);
/* A list of the kind is being told. */
bool watch_is_listing(const struct watch *watch, enum kube_kind kind);

/* Told once to its end since it was wanted, or known not to be served. */
bool watch_is_synced(const struct watch *watch, enum kube_kind kind);
/*
 * When the server last confirmed what we know of the kind: by a list that ended, by an event or a
 * bookmark, or by taking up a watch from where we were. MONO of 0: never.
 */
struct mono watch_confirmed(const struct watch *watch, enum kube_kind kind);
/*
 * When a list ended or a bookmark came. Behind a watch that was only taken up, and behind an event,
 * there may be more that happened long ago.
 */
struct mono watch_caught_up(const struct watch *watch, enum kube_kind kind);
/* The server was away and has not listed the kind again yet: what we know may have been lost there.
 */
bool watch_is_in_doubt(const struct watch *watch, enum kube_kind kind);

struct watch_stats {
	const char *state; /* "off", "discover", "absent", "stream", "list", "follow", "probe" */
	bool waiting;      /* before it asks (again) */
	bool synced;
	int64_t waits_ms;
	const char *api_version; /* "" as long as it is unknown */
	struct text version;     /* resource version to go on from; good until the next turn */
	uint64_t objects;        /* told, lists included */
	uint64_t refused;        /* malformed, too big, no room */
	uint64_t lists;          /* begun */
	uint64_t follows;        /* watches opened to go on from a version */
	uint64_t failures;       /* attempts that did not work */
	const char *error;       /* the last one; "" when there was none since it works */
};
/* Zeroes for a kind that was not among those of the setup. */
struct watch_stats watch_stats(const struct watch *watch, enum kube_kind kind);

#endif
