/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DefaultBinder: the binding is written to the apiserver. That is done outside the engine for every
 * pod, so there is nothing to do here.
 */
#include "plugins/plugins.h"

const struct plugin plugin_default_binder = {.name = "DefaultBinder",
	.defaults = PLUGIN_IN_ALL,
	.in_every_policy = true,
	.points = PLUGIN_AT(BIND)};
