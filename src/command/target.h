/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Target: the apiserver of a kubeconfig, as net/ wants to be told of it.
 */
#ifndef BERTH_COMMAND_TARGET_H
#define BERTH_COMMAND_TARGET_H

#include "config/kubeconfig.h"
#include "http/http.h"

/* Texts stay the kubeconfig's. How many connections there may be is left to the caller. */
struct net_target target_of_kubeconfig(const struct kubeconfig *config);

#endif
