/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests that look at one object after the other: each is dropped before the next is decoded.
 */
#ifndef BERTH_TESTS_KUBE_ONE_OBJECT_H
#define BERTH_TESTS_KUBE_ONE_OBJECT_H

#include "kube/fixture.h"

#include "kube/full_objects.h"

static struct kube_object object;

void setUp(void)
{
	fixture_start();
	memset(&object, 0, sizeof(object));
}

static void drop(void)
{
	fixture_drop(&object);
	memset(&object, 0, sizeof(object));
}

void tearDown(void)
{
	drop();
	fixture_end();
}

/* The facts of an object; the one before is dropped. */
static const void *decode(enum kube_kind kind, const char *json)
{
	drop();
	object = fixture_decode(kind, json);
	return object.blob;
}

static const void *decode_full(enum kube_kind kind)
{
	TEST_ASSERT_EQUAL(kind, full_objects[kind - 1].kind);
	return decode(kind, full_objects[kind - 1].json);
}

#define META "{\"metadata\":{\"name\":\"x\"}"

#endif
