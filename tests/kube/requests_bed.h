/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of pod requests stand on: a builder, and a pod as JSON text to decode.
 */
#ifndef BERTH_TESTS_KUBE_REQUESTS_BED_H
#define BERTH_TESTS_KUBE_REQUESTS_BED_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"
#include "kube/decode.h"
#include "kube/pod_requests.h"
#include "kube/resource_list.h"
#include "unity.h"

enum {
	ARENA_SIZE = 4 << 20,
	STORE_SIZE = 1 << 20,
	SCRATCH_SIZE = 4 << 20,
	STRINGS = 4096,
	JSON_SIZE = 256 << 10
};

static struct arena arena;
static struct store bytes;
static struct intern strings;
static struct scratch scratch;
static struct kube_build build;
static char json[JSON_SIZE];
static uint8_t *arena_block;
static uint8_t *store_block;
static uint8_t *scratch_block;

void setUp(void)
{
	memory_unseal();
	arena_block = memory_reserve(ARENA_SIZE);
	store_block = memory_reserve(STORE_SIZE);
	scratch_block = memory_reserve(SCRATCH_SIZE);
	arena_init(&arena, arena_block, ARENA_SIZE);
	store_init(&bytes, "strings", store_block, STORE_SIZE);
	intern_init(&strings, &arena, &bytes, STRINGS);
	scratch_init(&scratch, scratch_block, SCRATCH_SIZE);
	kube_build_init(&build, &strings, &scratch);
}

void tearDown(void)
{
	memory_release(arena_block, ARENA_SIZE);
	memory_release(store_block, STORE_SIZE);
	memory_release(scratch_block, SCRATCH_SIZE);
}

/* The pod in `json`, decoded into a class with so much scratch; NULL when it was refused. */
static struct kube_pod_template *decoded(size_t scratch_left)
{
	struct json_value pod;
	struct text piece = {json, strlen(json)};

	scratch_init(&scratch, scratch_block, SCRATCH_SIZE);
	TEST_ASSERT_EQUAL_INT_MESSAGE(JSON_PARSED, json_parse(piece, &scratch, &pod), json);
	if (scratch_left < scratch.size - scratch.used)
		scratch.size = scratch.used + scratch_left;
	kube_decode_begin(&build);
	struct kube_pod_template *class = kube_build_start(&build, sizeof(*class));
	if (class != NULL)
		kube_pod_requests(&build, pod, class);
	return (struct kube_pod_template *)(void *)kube_build_finish(&build);
}

/* Writes on behind *at. */
static void PRINTF_LIKE(2, 3) append(size_t *at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int size = vsnprintf(json + *at, JSON_SIZE - *at, format, args);
	va_end(args);
	TEST_ASSERT_TRUE(size > 0 && (size_t)size < JSON_SIZE - *at);
	*at += (size_t)size;
}

#endif
