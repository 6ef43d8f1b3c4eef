/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What watching has to know about each kind: where it is served, what is not asked for, how big an
 * object may be.
 */
#ifndef BERTH_WATCH_KINDS_H
#define BERTH_WATCH_KINDS_H

#include "kube/object.h"

enum {
	WATCH_SERVED_MAX = 4,
	/*
	 * Bytes of an object, thinned, that there is always room for. A node may name 50 images
	 * with many names each; a pod some dozens of containers. All other kinds are small: a name,
	 * labels, a selector.
	 */
	WATCH_PIECE_NODE = 128 * 1024,
	WATCH_PIECE_POD = 64 * 1024,
	WATCH_PIECE_OTHER = 24 * 1024,
	WATCH_PIECE_FETCHED = 24 * 1024, /* a pod that is asked for by name */
	/*
	 * What there may be, as long as it is read, while the budget has it: as much as an
	 * apiserver takes in one request, 1.5 MB for etcd and some for a proxy in front of it.
	 */
	WATCH_PIECE_MOST = 2 * 1024 * 1024,
	WATCH_PIECE_SLICE = 64 * 1024,
	WATCH_PIECE_CLAIM = 32 * 1024,
};

struct watch_kind {
	const char *served[WATCH_SERVED_MAX]; /* group versions, the newest first, then NULL */
	const char *selector;                 /* escaped, ready for the query; NULL: none */
	uint32_t piece_max;
	bool certain; /* every server has it, in the one version there is */
	bool spare;   /* who may not read it goes on as if there were none */
};

extern const struct watch_kind watch_kinds[KUBE_KINDS];

#endif
