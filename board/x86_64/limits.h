/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a x86_64 board gives to berth, and what fits into it. Capacities are defaults of the command
 * line flags; every one is checked against the budget below.
 */
#ifndef BERTH_BOARD_LIMITS_H
#define BERTH_BOARD_LIMITS_H

/*
 * The biggest cluster Kubernetes supports, 5,000 nodes and 150,000 pods, in 64 MiB; and 8 MiB of
 * address space for what is rarely used to its end: explanations, odd objects, handshakes.
 */
#define LIMITS_MEMORY_BYTES (72ull << 20)

#define LIMITS_NODES_MAX    5000u
#define LIMITS_PODS_MAX     150000u

/* What one of each costs, all its tables and links included; the modules assert that they keep to
 * it. */
#define LIMITS_NODE_BYTES 1536ull
#define LIMITS_POD_BYTES  320ull

/*
 * What does not grow with the cluster: TLS and HTTP, a few connections with 16 kB in and 4 kB out
 * each and room for a handshake (2 MiB), stream buffers of the watches and one object at its
 * largest (2 MiB), events and bindings on their way (1 MiB), trace, log, status page (1 MiB).
 */
#define LIMITS_FIXED_BYTES (6ull << 20)

_Static_assert(LIMITS_FIXED_BYTES + LIMITS_NODES_MAX * LIMITS_NODE_BYTES +
			LIMITS_PODS_MAX * LIMITS_POD_BYTES <=
		LIMITS_MEMORY_BYTES,
	"the capacities of this board do not fit into its memory budget");

#endif
