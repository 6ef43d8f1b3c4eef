/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Canonical JSON of any size as YAML for people: maps and lists in blocks, texts without quotes
 * where they stay texts.
 */
#ifndef BERTH_COMMAND_YAML_OUT_H
#define BERTH_COMMAND_YAML_OUT_H

#include "command/output.h"

void yaml_out(struct text json, struct output *out);

#endif
