/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whole nodes, for extenders that keep none themselves (nodeCacheCapable: false).
 *
 * What kube-scheduler does: it has every node as it came in its memory, and sends those that are
 * left to each such extender for each pod.
 *
 * What we do: our picture keeps of a node what decides about pods, a tenth of it. So the nodes are
 * listed when such an extender is to be asked - from the apiserver's own memory
 * (resourceVersion=0), which costs it no look into etcd - and kept as text in one block that all
 * asks share: for a second as they are, and up to ten while others still use them. Nothing is
 * missing in them but managedFields, which upstream does not send either. The block takes memory of
 * the budget while they are used: nodes that find none are not offered to such extenders, which is
 * told; then --memory, or a capable extender, helps. The reserve, and as much again, is left to
 * others.
 */
#include "base/log.h"
#include "extender/private.h"

enum {
	FRESH_US = 1000 * 1000,
	SHARED_US = 10 * 1000 * 1000, /* while they are used */
	NODE_MAX = 1 << 20,
	LIST_MS = 30 * 1000,
	BYTES_BY_NODE = 64 * 1024 /* of address space, as long as there is much of it */
};

static const struct json_want want_node[] = {
	{"metadata", extender_want_metadata}, {"spec", NULL}, {"status", NULL}, {NULL, NULL}};
static const struct json_want want_list[] = {{"kind", NULL}, {NULL, NULL}};

struct node_text {
	uint32_t at, size; /* in bytes; size 0: none */
	uint32_t name;     /* string id, as it was then */
};

struct extender_nodes {
	struct extenders *all;
	struct net_request request;
	struct json_cut *cut;
	struct page_span bytes;
	size_t used;
	struct node_text *of_node;
	uint32_t users;
	uint32_t left_out;
	bool reading, good;
	struct mono read_at;
};

static size_t bytes_room(uint32_t nodes)
{
	size_t most = sizeof(void *) < 8 ? (size_t)64 << 20 : (size_t)1 << 30;
	size_t room = NODE_MAX + (size_t)nodes * BYTES_BY_NODE;
	return room < most ? room : most;
}

size_t extender_nodes_size(uint32_t nodes)
{
	return sizeof(struct extender_nodes) + json_cut_size(NODE_MAX) +
		arena_span_size(bytes_room(nodes)) +
		((size_t)nodes + 1) * sizeof(struct node_text) + 4 * 16;
}

struct extender_nodes *extender_nodes_open(struct extenders *x)
{
	struct arena *arena = x->setup.arena;
	struct extender_nodes *n = ARENA_ARRAY(arena, struct extender_nodes, 1);
	size_t size = json_cut_size(NODE_MAX);
	n->all = x;
	n->cut = json_cut_init(arena_take_raw(arena, size), size, NODE_MAX);
	arena_take_span(arena, &n->bytes, bytes_room(x->setup.nodes));
	n->of_node = ARENA_ARRAY(arena, struct node_text, (size_t)x->setup.nodes + 1);
	return n;
}

void extender_nodes_close(struct extender_nodes *n)
{
	net_cancel(&n->request);
}

/* ---- reading ---- */

static bool on_node(void *self, struct json_piece piece)
{
	struct extender_nodes *n = self;
	const struct cache *cache = n->all->setup.cache;
	char room[256 + 64];
	if (piece.kind == JSON_PIECE_ENVELOPE)
		return true;
	struct text name = json_scan_name(piece.text, room, sizeof(room));
	uint32_t node = name.size == 0 ? 0 : cache_find_node(cache, name);
	if (piece.kind != JSON_PIECE_TOO_BIG && (node == 0 || node > n->all->setup.nodes))
		return true; /* the watch has not told of it yet */
	if (piece.kind == JSON_PIECE_TOO_BIG || piece.text.size > n->bytes.size - n->used ||
		!page_span_reach_sparing(&n->bytes, n->used + piece.text.size)) {
		n->left_out++;
		return true;
	}
	memcpy(n->bytes.base + n->used, piece.text.at, piece.text.size);
	n->of_node[node] = (struct node_text){
		(uint32_t)n->used, (uint32_t)piece.text.size, cache_node_at(cache, node)->name};
	n->used += piece.text.size;
	return true;
}

static enum net_flow on_body(struct net_request *request, struct text bytes)
{
	struct extender_nodes *n = LIST_OWNER(request, struct extender_nodes, request);
	if (request->answer.status != 200)
		return NET_MORE;
	return json_cut_feed(n->cut, bytes) == JSON_CUT_MORE ? NET_MORE : NET_STOP;
}

static void on_done(struct net_request *request)
{
	struct extender_nodes *n = LIST_OWNER(request, struct extender_nodes, request);
	const struct net_answer *answer = &request->answer;
	n->reading = false;
	n->good = answer->result == NET_OK && answer->status == 200 && json_cut_end(n->cut);
	n->read_at = net_now(n->all->setup.net);
	if (n->left_out > 0)
		log_warn("extender", "nodes-left-out",
			"nodes=%u bytes=%zu: extenders that are not nodeCacheCapable do not see "
			"them; more --memory helps",
			(unsigned)n->left_out, n->used);
	extender_asks_look(n->all, n->good);
}

static void read_nodes(struct extender_nodes *n)
{
	n->reading = true;
	n->good = false;
	n->used = n->left_out = 0;
	memset(n->of_node, 0, ((size_t)n->all->setup.nodes + 1) * sizeof(*n->of_node));
	json_cut_start(n->cut, JSON_CUT_LIST, want_node, want_list, on_node, n);
	n->request = (struct net_request){
		.class = NET_READ,
		.method = NET_GET,
		.path = TEXT("/api/v1/nodes?resourceVersion=0"),
		.timeout_ms = LIST_MS,
		.on_body = on_body,
		.on_done = on_done,
	};
	net_send(n->all->setup.apiserver, &n->request);
}

/* ---- using ---- */

bool extender_nodes_take(struct extender_nodes *n)
{
	int64_t age_us = mono_since_us(net_now(n->all->setup.net), n->read_at);
	if (n->good && !n->reading && age_us <= (n->users > 0 ? SHARED_US : FRESH_US)) {
		n->users++;
		return true;
	}
	if (!n->reading && n->users == 0)
		read_nodes(n);
	return false;
}

void extender_nodes_give(struct extender_nodes *n)
{
	CHECK(n->users > 0);
	n->users--;
	if (n->users > 0 || n->reading)
		return;
	n->good = false; /* memory that is not needed is not kept */
	n->used = 0;
	page_span_shrink(&n->bytes, 0);
}

struct text extender_node_text(const struct extender_nodes *n, uint32_t node, uint32_t name)
{
	const struct node_text *t = &n->of_node[node];
	return t->name == name ? (struct text){(const char *)n->bytes.base + t->at, t->size}
			       : TEXT_NONE;
}
