/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PreBind with VolumeBinding over a wire: an apiserver that keeps volumes and claims and takes
 * patches of them, and a picture (tests/plugins/picture.h) that shows them when the test says so,
 * as a watch would.
 */
#ifndef BERTH_TESTS_BIND_PRE_BIND_BED_H
#define BERTH_TESTS_BIND_PRE_BIND_BED_H

#include "bind/pre_bind.h"
#include "plugins/picture.h"
#include "plugins/volume_bind.h"
#include "plugins/volume_choice.h"
#include "apisim/fake_server.h"

enum {
	BED_OBJECTS = 64,
	BED_SEEN_MAX = 256,
	BED_TOLD_MAX = 64,
	BED_ORDERS = 6, /* more than there are calls at a time */
	BED_CONNECTIONS = 8,
	BED_TAGS = 4096
};

/* "" is not there. */
struct bed_object {
	bool there, is_volume;
	uint64_t version, shown; /* the picture has this version; 0: it has none */
	char name[64];
	char uid[64];
	char claim[64], claim_namespace[64], claim_uid[64], claim_version[32]; /* of a volume */
	char marked[32]; /* bound-by-controller */
	char host[64];   /* the one node that reaches it */
	char source[256];
	char selected[64]; /* of a claim */
	char volume[64];
	bool complete, annotated;
};

enum bed_way {
	BED_WORKS,
	BED_SAYS,       /* status, headers, body; nothing is done */
	BED_LIES,       /* the same, but it is done */
	BED_CUTS,       /* the connection breaks, nothing is done */
	BED_DONE_CUTS,  /* it is done, then the connection breaks */
	BED_SILENT,     /* nothing is done, nothing is said */
	BED_DONE_SILENT /* it is done */
};
struct bed_plan {
	enum bed_way way;
	int status;
	const char *headers, *body;
};

struct bed_seen {
	int64_t at_us;
	char line[512]; /* "PATCH /api/..." */
	char type[64];
	char body[4096];
};

struct bed_order {
	bool taken;
	uint32_t run;
	struct binding_points points;
};

struct bed_told {
	uint64_t tag;
	bool ok;
	char message[API_MESSAGE_MAX + 1];
	int64_t at_us;
};

struct bed {
	struct fake_server wire;
	uint8_t *memory;
	struct arena arena;
	struct net *net;
	struct net_client *client;
	struct random random;
	struct api_client *api;
	struct pre_bind *pre_bind;
	struct binding_waiting waiting;
	struct bed_order orders[BED_ORDERS + 1];
	struct bed_object objects[BED_OBJECTS];
	uint32_t object_count;
	uint64_t version; /* the newest */
	uint64_t bytes;   /* of the empty picture */
	uint32_t strings;
	const struct bed_plan *plans; /* of the requests to come; then all works */
	uint32_t plan_count;
	struct bed_plan (*choose)(struct bed *bed); /* without plans; may be NULL */
	void (*on_told)(struct bed *bed, const struct bed_told *told);
	struct bed_seen seen[BED_SEEN_MAX];
	uint32_t seen_count;
	struct bed_told told[BED_TOLD_MAX];
	uint32_t told_count;
	uint32_t told_tags[BED_TAGS]; /* how often */
	bool stands_by;               /* and may write nothing */
	const char *served;           /* the version that all kinds have; NULL: the newest */
	/* Requests and results, when there is no more room; pods are not assumed on their nodes. */
	bool forgets;
};

extern struct bed bed;

/* With a class "slow" that waits for consumers, nodes a and b, and pods of both tests' making. */
void bed_start(uint64_t seed);
void bed_stop(void);
void bed_close_pre_bind(void);

/* Objects of the apiserver, shown at once. host: "" for all nodes. */
struct bed_object *bed_volume(const char *name, const char *host);
struct bed_object *bed_claim(const char *name);
/* A pod with the claims, pending; one name, or "x,y". */
void bed_pod(const char *name, const char *claims);
struct bed_object *bed_find(bool is_volume, const char *name);
void bed_change(struct bed_object *object); /* somebody wrote it */
void bed_show(struct bed_object *object);   /* the watch tells what it is by now */
void bed_delete(struct bed_object *object); /* and the watch tells that */
/* What the controllers do: the claim is bound to the volume, and shown so. */
void bed_bind(const char *claim, const char *volume);

/* What the pod's claims get on the node, by the plugin; its code and reasons when not success. */
enum plugin_code bed_choose_in(const char *namespace, const char *pod, const char *node,
	const struct volume_choice **list, uint32_t *count);
enum plugin_code bed_choose(
	const char *pod, const char *node, const struct volume_choice **list, uint32_t *count);
/* Chosen, and reserved; what Reserve says, and its reasons. */
enum plugin_code bed_reserve(
	const char *namespace, uint64_t tag, const char *pod, const char *node);
/* Reserved, and begun; false: there is no room, and all is undone. */
bool bed_try(uint64_t tag, const char *pod, const char *node);
bool bed_try_in(const char *namespace, uint64_t tag, const char *pod, const char *node);
void bed_cancel(uint64_t tag);
/* Both have to do. */
void bed_begin(uint64_t tag, const char *pod, const char *node, int64_t timeout_ms);
void bed_run(int64_t ms);
void bed_plans(const struct bed_plan *plans, uint32_t count);
/* It was told once, and so. */
void bed_expect(uint64_t tag, bool ok, const char *message);
/* Nothing is assumed, nobody holds anything. */
void bed_expect_clean(void);

#define BED_CONFLICT(kind, name)                                                             \
	"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\"," \
	"\"message\":\"Operation cannot be fulfilled on " kind " \\\"" name                  \
	"\\\": the object has been modified; please apply your changes to the latest "       \
	"version and try again\",\"reason\":\"Conflict\",\"code\":409}"

#endif
