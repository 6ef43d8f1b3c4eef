/* SPDX-License-Identifier: GPL-2.0-only */
/* A broken invariant ends in abort(), so that the fuzzer keeps the input. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "base/check.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	check_on_failure(abort);
	return 0;
}
