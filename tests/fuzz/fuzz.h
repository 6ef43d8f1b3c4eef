/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What libFuzzer calls: one input, and once at the beginning (fuzz.c, the same for all).
 */
#ifndef BERTH_TESTS_FUZZ_FUZZ_H
#define BERTH_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

#endif
