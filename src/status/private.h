/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * status, private: an answer under way, and who makes its rows.
 */
#ifndef BERTH_STATUS_PRIVATE_H
#define BERTH_STATUS_PRIVATE_H

#include "json/json.h"
#include "status/status.h"

enum {
	STATUS_PIECE_MAX = 8 * 1024, /* one row has to fit */
	STATUS_LOOKS_MAX = 512,      /* rows that are passed over at a time */
	STATUS_PAUSE_MS = 100,       /* between two explanations */
	STATUS_HEALTH_CHECKS = 5,
	STATUS_HEALTH_KINDS = 3,
	STATUS_BOUNDS = 256 /* of histograms, as text; some 140 are in use */
};

struct status_answer;

/* Writes the next row, or passes some over. False: there is no more. */
typedef bool status_step_fn(struct status_answer *a, struct writer *w);

enum status_access {
	STATUS_FOR_HEALTH, /* as --authorization-always-allow-paths says */
	STATUS_FOR_METRICS,
	STATUS_FOR_PAGE, /* the page itself, which knows nothing */
	STATUS_FOR_API
};

struct status_route {
	const char *path; /* ends in '/': and all below */
	uint32_t methods; /* bits by enum net_method */
	enum status_access access;
	void (*answer)(struct status_answer *a);
	const char *words; /* for /berth/v1/; NULL: not listed */
};
extern const struct status_route status_routes[];
extern const size_t status_route_count;

struct status_review;

struct status_answer {
	struct status *status;
	struct net_exchange *exchange; /* NULL: free */
	const struct status_route *route;
	struct status_review *review; /* who asks is being found out */
	status_step_fn *step;         /* NULL: what is in the piece is all */
	uint32_t at, part, row, limit;
	uint64_t serial;
	bool any;           /* a row was written before */
	bool is_put_off;    /* to the next turn */
	bool listens;       /* to events: does not end */
	bool has_arrived;   /* with its body */
	bool waits;         /* until the apiserver may be asked about it */
	bool is_enough;     /* a step took long: the next one in the next piece */
	bool reads_pending; /* the table of pending.c */
	struct mono waits_since;
	size_t size, sent;
	char filter[128];
	char piece[STATUS_PIECE_MAX];
};

struct status_door {
	struct status *status;
	struct net_server *server; /* NULL: off */
	struct status_answer *answers;
	uint32_t answer_count;
	bool secure;
};

struct status_bound {
	double bound;
	uint8_t size; /* 0: nothing yet */
	char room[23];
};

struct process {
	int statm, files; /* -1: there is no /proc */
	uint64_t files_max, virtual_max_bytes;
};

enum update_state {
	UPDATE_NONE,
	UPDATE_COMES,
	UPDATE_ENDS,      /* all came, or no more does; the writer is to know */
	UPDATE_IS_WRITTEN /* and knows */
};
struct status_update {
	struct net *net;
	struct status_answer *from; /* NULL: it has its answer, or has gone */
	enum update_state state;
	bool answered;
	uint64_t bytes;
	struct net_timer timer;
};

struct status {
	struct status_setup setup;
	struct process process;
	struct scheduler *s;
	struct status_door secure, plain;
	struct tls_certificate *made; /* when none was given */
	struct mono started;
	struct wall started_at;
	struct access *access;
	struct authorities *authorities; /* of the secure door */
	bool failed;
	/* Health checks that were asked for: how often they failed and passed, and the last time.
	 */
	uint64_t checks[STATUS_HEALTH_KINDS][STATUS_HEALTH_CHECKS][2];
	bool passed[STATUS_HEALTH_KINDS][STATUS_HEALTH_CHECKS];

	struct mono turn; /* and what it has been spent of it */
	int64_t spent_us;
	struct mono rested; /* before, nothing more while pods wait */

	struct status_bound bounds[STATUS_BOUNDS]; /* metrics.c writes it */
	struct page_span configuration_span;
	struct text configuration; /* JSON of what is in effect */
	char *words;               /* an explanation */
	size_t words_size;
	struct status_answer *words_of; /* who reads it; NULL: none */
	struct mono explained;
	char *body; /* of a what-if, one at a time */
	size_t body_size;
	const struct net_exchange *body_of; /* NULL: none */
	uint64_t what_ifs;

	struct page_span pending_span; /* struct status_pending */
	struct page_span loss_span;    /* struct status_loss */
	struct page_span loss_known_span;
	struct net_timer loss_timer;

	struct status_update update;
	struct net_timer beat, later, minute;
	struct status_counted {
		uint64_t bound, unschedulable, errors, lost, evicted;
	} counted; /* by the last sample of the history */
	uint32_t listeners;
	uint64_t answers[6]; /* by hundreds of the code */
};

static inline struct scheduler *status_scheduler(const struct status_answer *a)
{
	return a->status->s;
}

/* ---- status.c ---- */

/* A whole answer; up to NET_REPLY_COPIED bytes, or lent until the exchange is over. */
void status_reply(struct status_answer *a, uint16_t code, const char *type, struct text body);
void status_reply_with(struct status_answer *a, uint16_t code, const char *type,
	const char *headers, struct text body);
/* {"error":"..."} */
void status_refuse(struct status_answer *a, uint16_t code, const char *format, ...)
	PRINTF_LIKE(3, 4);
/* Row by row. The step may be called from now on. */
void status_stream(struct status_answer *a, const char *type, status_step_fn *step);
/* There may be more to write. */
void status_go_on(struct status_answer *a);
void status_route(struct status_answer *a);
/* Value of a parameter, unescaped, in `to`; TEXT_NONE: not there or broken. */
struct text status_parameter(
	const struct status_answer *a, const char *name, char *to, size_t size);
uint32_t status_number(const struct status_answer *a, const char *name, uint32_t otherwise);
extern const char status_json[], status_plain[];

/* ---- access.c ---- */

extern const char *const status_verbs[]; /* by enum net_method, in small letters */
struct access;
size_t access_size(void);
struct access *access_open(struct status *status, struct arena *arena);
void access_close(struct access *access);
/* Calls status_route() now or later, or refuses. */
void access_ask(struct status_answer *a);
/* The exchange is over. */
void access_forget(struct status_answer *a);

/* ---- authorities.c ---- */

struct authorities;
enum authority_words {
	AUTHORITY_NAMES,
	AUTHORITY_USERS,
	AUTHORITY_GROUPS,
	AUTHORITY_EXTRAS,
	AUTHORITY_UIDS
};
enum { AUTHORITY_WORDS = AUTHORITY_UIDS + 1 };
size_t authorities_size(void);
/* The secure door is open already. */
void authorities_open(struct status *status, struct arena *arena);
void authorities_close(struct authorities *authorities);
/* Names of headers in small letters. Good until the next turn. */
const struct options_words *authorities_words(
	const struct authorities *authorities, enum authority_words which);

/* ---- answers ---- */

void health_answer(struct status_answer *a);
extern const char metrics_type[];
void metrics_label(struct writer *w, char before, const char *name, struct text value);
void metrics_answer(struct status_answer *a);
void resources_answer(struct status_answer *a);
void slis_answer(struct status_answer *a);
void about_version(struct status_answer *a);
void about_statusz(struct status_answer *a);
void about_flagz(struct status_answer *a);
void about_configz(struct status_answer *a);
void about_api(struct status_answer *a);
void about_verbosity(struct status_answer *a);
void about_debug(struct status_answer *a);
void about_init(struct status *status);
size_t about_size(void);
void overview_answer(struct status_answer *a);
void overview_put(struct status *status, struct json_writer *j);
void nodes_answer(struct status_answer *a);
void node_answer(struct status_answer *a);
void pending_answer(struct status_answer *a);
void losses_answer(struct status_answer *a);
void better_answer(struct status_answer *a);
void headroom_answer(struct status_answer *a);
void history_answer(struct status_answer *a);
void history_events_answer(struct status_answer *a);
void pods_answer(struct status_answer *a);
void memory_answer(struct status_answer *a);
void decisions_answer(struct status_answer *a);
void decisions_put(const struct scheduler_metrics *metrics, const struct scheduler_record *record,
	struct json_writer *j);
void events_answer(struct status_answer *a);
void events_beat(struct net_timer *timer, struct mono now);
void explain_answer(struct status_answer *a);
void what_if_answer(struct status_answer *a);
void dump_answer(struct status_answer *a);
void page_answer(struct status_answer *a);

/* ---- rows.c ---- */

/* "NoSchedule"; "": none, or an unknown one. */
const char *rows_effect(uint32_t effect);
/* "key":[used,allocatable] */
void rows_put_pair(struct json_writer *j, const char *key, int64_t used, int64_t allocatable);
/* Members of the node's row; `labels`: the key of one to be shown, or 0. */
void rows_put_node(
	const struct cache *cache, uint32_t index, uint32_t labels, struct json_writer *j);

/* An array, object after object: before the members of the next one; behind the last one. */
void rows_begin(struct status_answer *a, struct writer *w, struct json_writer *j);
bool rows_end(struct status_answer *a, struct writer *w);
void rows_put_rejectors(const struct queue_waits *waits, struct json_writer *j);
struct text rows_reason(const struct cache *cache, const struct cache_pod *p);
extern const char *const rows_queue_states[QUEUE_STATES];

/* ---- overview.c ---- */

/* What is summed over the nodes. */
enum overview_nodes { OVERVIEW_READY, OVERVIEW_NOT_READY, OVERVIEW_CORDONED, OVERVIEW_MISSING };
enum { OVERVIEW_NODES = OVERVIEW_MISSING + 1, OVERVIEW_NAMES = 4 };

struct overview_sums {
	int64_t requested[3], allocatable[3]; /* CPU, memory, pods of the nodes that are ready */
	uint32_t count[OVERVIEW_NODES];
	uint32_t first[OVERVIEW_NODES][OVERVIEW_NAMES]; /* node indexes */
};

void overview_sum(const struct cache *cache, struct overview_sums *sums);

/* ---- loss.c ---- */

size_t loss_size(void);
void loss_open(struct status *status);
void loss_put_summary(const struct status *status, struct json_writer *j);
void loss_answer(struct status_answer *a, uint32_t node);
/* A DaemonSet's, a mirror pod, or one that is going: it goes nowhere else. */
bool loss_needs_no_place(const struct cache *cache, const struct cache_pod *p);

/* ---- history.c ---- */

void history_open(struct status *status);
/* Members of the event. */
void history_put_event(const struct history_event *event, struct json_writer *j);

/* ---- pending.c ---- */

size_t pending_size(void);
void pending_open(struct status *status);

/* ---- node.c ---- */

/* "owner":"ReplicaSet/web-7d", when it is known. */
void status_put_owner(const struct cache *cache, const struct cache_pod *p, struct json_writer *j);

/* ---- explain.c ---- */

/* False: refused, another client reads one, or it was just now. */
bool explain_take_words(struct status_answer *a);
void explain_give_words(struct status_answer *a);
/* The explanation of the pod, into the words that were taken; false: they overflowed. */
bool explain_put(struct status *status, uint32_t pod, struct writer *w);
/* The words, or that they were too large, as the answer. */
void explain_send(struct status_answer *a, const struct writer *w);

/* ---- headroom.c ---- */

void headroom_put(struct status *status, uint32_t pod, struct json_writer *j);

/* ---- update.c ---- */

/* Whether standard input is a socket as the appliance gives it. */
bool update_has_writer(void);
void update_answer(struct status_answer *a);
void update_forget(struct status_answer *a);
void update_close(struct status *status);

/* ---- process.c ---- */

struct process_facts {
	double cpu_s;
	uint64_t resident_bytes, virtual_bytes, virtual_max_bytes;
	uint64_t files_open, files_max;
};
void process_open(struct process *process);
void process_close(const struct process *process);
void process_facts(const struct process *process, struct process_facts *facts);

#endif
