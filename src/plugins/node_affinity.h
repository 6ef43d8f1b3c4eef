/* SPDX-License-Identifier: GPL-2.0-only */
/* NodeAffinity: its arguments, as a configuration has them. */
#ifndef BERTH_PLUGINS_NODE_AFFINITY_H
#define BERTH_PLUGINS_NODE_AFFINITY_H

#include "plugins/plugins.h"

struct requirement_config {
	struct text key;
	struct text op;
	struct config_list values; /* struct text */
};
struct node_term_config {
	struct config_list expressions; /* struct requirement_config */
	struct config_list fields;      /* struct requirement_config */
};
struct preferred_nodes_config {
	int32_t weight;
	struct node_term_config term;
};
struct required_nodes_config {
	struct config_list terms; /* struct node_term_config */
};
struct node_affinity_config {                         /* v1.NodeAffinity */
	const struct required_nodes_config *required; /* NULL: not given */
	struct config_list preferred;                 /* struct preferred_nodes_config */
};
struct node_affinity_added_config {
	const struct node_affinity_config *added; /* NULL: not given */
};

extern const struct plugin_args node_affinity_arguments;

#endif
