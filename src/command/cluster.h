/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cluster as it is now, read over its API into the picture like a dump. Nothing but GET is sent.
 */
#ifndef BERTH_COMMAND_CLUSTER_H
#define BERTH_COMMAND_CLUSTER_H

#include "command/dump.h"

/* Of the apiserver; the default one without a kubeconfig, and when there is no answer. */
enum kube_release cluster_release(const char *kubeconfig);
/*
 * All kinds that a decision may depend on, and priority classes. False: what was wrong was printed
 * on dump->err. What may not be read is a warning, but for pods and nodes.
 */
MUST_USE bool cluster_read(struct dump *d, const char *kubeconfig);

#endif
