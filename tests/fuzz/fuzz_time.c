/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as a time and as a duration: what is read prints as something that reads the same.
 */
// deps: base/*.c kube/time.c kube/duration.c
// deps: tests/fuzz/fuzz.c
#include "fuzz/fuzz.h"
#include "kube/time.h"

static void check_time(struct text t)
{
	char text[KUBE_TIME_SIZE];
	struct writer out;
	struct wall time, again;

	if (!kube_time_parse(t, &time)) {
		CHECK(time.us == 0);
		return;
	}
	writer_init(&out, text, sizeof(text) - 1);
	kube_time_print_micro(time, &out);
	CHECK(!out.overflowed);
	CHECK(kube_time_parse(writer_text(&out), &again));
	/* an offset can lead out of the years that are printed */
	int64_t moved = time.us > again.us ? time.us - again.us : again.us - time.us;
	CHECK(moved < INT64_C(86400) * CLOCK_S_US);
	CHECK(moved == 0 || out.at[0] == '0' || out.at[0] == '9');
}

static void check_duration(struct text t)
{
	char text[64];
	struct writer out;
	int64_t us, again;

	if (!kube_duration_parse(t, &us))
		return;
	writer_init(&out, text, sizeof(text));
	kube_duration_print(us, &out);
	CHECK(!out.overflowed);
	CHECK(kube_duration_parse(writer_text(&out), &again));
	CHECK(us == again);
}

static void check_any_number(struct text t)
{
	char text[64];
	struct writer out;
	int64_t us = 0;

	memcpy(&us, t.at, t.size < sizeof(us) ? t.size : sizeof(us));
	writer_init(&out, text, KUBE_TIME_SIZE - 1);
	kube_time_print_micro((struct wall){us}, &out);
	CHECK(!out.overflowed);
	writer_init(&out, text, sizeof(text));
	kube_duration_print(us, &out);
	CHECK(!out.overflowed);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text t = {(const char *)bytes, size};

	check_time(t);
	check_duration(t);
	if (size > 0)
		check_any_number(t);
	return 0;
}
