/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What random pods ask for, against the rules written down plainly.
 */
// deps: base/*.c json/*.c kube/*.c
#include "kube/requests_bed.h"

enum { KINDS = 4, CONTAINERS = 3 };

static const char *const kind_names[KINDS] = {"cpu", "memory", "hugepages-2Mi", "example.com/x"};

struct amounts { /* -1: not there; cpu in thousandths */
	int64_t of[KINDS];
};

struct plain_container {
	struct amounts asked, actual, allocated;
	bool sidecar, has_status;
};

struct plain_pod {
	struct plain_container main[CONTAINERS], init[CONTAINERS];
	int mains, inits;
	struct amounts pod, overhead, pod_actual, pod_allocated;
	bool has_pod_status, infeasible;
};

static uint64_t random_state = 0x2545f4914f6cdd1du;

static uint32_t random_below(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32) % below;
}

static struct amounts nothing(void)
{
	return (struct amounts){{-1, -1, -1, -1}};
}

static struct amounts random_amounts(uint32_t likely)
{
	struct amounts a = nothing();

	for (int k = 0; k < KINDS; k++)
		if (random_below(10) < likely)
			a.of[k] = random_below(4) == 0 ? 0 : (int64_t)random_below(5000);
	return a;
}

static struct amounts plus(struct amounts a, struct amounts b)
{
	for (int k = 0; k < KINDS; k++)
		if (b.of[k] >= 0)
			a.of[k] = a.of[k] < 0 ? b.of[k] : a.of[k] + b.of[k];
	return a;
}

static struct amounts larger(struct amounts a, struct amounts b)
{
	for (int k = 0; k < KINDS; k++)
		if (b.of[k] > a.of[k])
			a.of[k] = b.of[k];
	return a;
}

static struct amounts of_container(const struct plain_pod *pod, const struct plain_container *c,
	bool init, bool status, uint32_t defaults)
{
	struct amounts a = c->asked;

	if (status && c->has_status && (!init || c->sidecar)) {
		a = larger(c->actual, c->allocated);
		if (!pod->infeasible)
			a = larger(a, c->asked);
	}
	if (a.of[0] < 0 && (defaults & 1))
		a.of[0] = 100;
	if (a.of[1] < 0 && (defaults & 2))
		a.of[1] = INT64_C(200) * 1024 * 1024;
	return a;
}

static bool has_pod_level(const struct plain_pod *pod)
{
	return pod->pod.of[0] >= 0 || pod->pod.of[1] >= 0 || pod->pod.of[2] >= 0;
}

static struct amounts plain_sum(
	const struct plain_pod *pod, bool status, bool pod_level, uint32_t defaults)
{
	struct amounts sum = nothing(), sidecars = nothing(), peak = nothing();

	for (int i = 0; i < pod->mains; i++)
		sum = plus(sum, of_container(pod, &pod->main[i], false, status, defaults));
	for (int i = 0; i < pod->inits; i++) {
		struct amounts r = of_container(pod, &pod->init[i], true, status, defaults);

		if (pod->init[i].sidecar) {
			sum = plus(sum, r);
			sidecars = plus(sidecars, r);
			peak = larger(peak, sidecars);
		} else {
			peak = larger(peak, plus(r, sidecars));
		}
	}
	sum = larger(sum, peak);
	for (int k = 0; k < 3 && pod_level; k++) {
		int64_t amount = pod->pod.of[k];

		if (amount < 0)
			continue;
		if (status && pod->has_pod_status) {
			if (pod->infeasible)
				amount = 0;
			amount = amount > pod->pod_actual.of[k] ? amount : pod->pod_actual.of[k];
			amount = amount > pod->pod_allocated.of[k] ? amount
								   : pod->pod_allocated.of[k];
		}
		sum.of[k] = amount;
	}
	return plus(sum, pod->overhead);
}

static void append_amounts(size_t *at, const char *key, struct amounts a)
{
	const char *comma = "";

	append(at, "\"%s\":{", key);
	for (int k = 0; k < KINDS; k++) {
		if (a.of[k] < 0)
			continue;
		append(at, "%s\"%s\":\"%" PRId64 "%s\"", comma, kind_names[k], a.of[k],
			k == 0 ? "m" : "");
		comma = ",";
	}
	append(at, "}");
}

static void append_containers(
	size_t *at, const char *key, const struct plain_container *c, int count)
{
	append(at, "\"%s\":[", key);
	for (int i = 0; i < count; i++) {
		append(at, "%s{\"name\":\"%c%d\",%s\"resources\":{", i > 0 ? "," : "", key[0], i,
			c[i].sidecar ? "\"restartPolicy\":\"Always\"," : "");
		append_amounts(at, "requests", c[i].asked);
		append(at, "}}");
	}
	append(at, "]");
}

static void append_statuses(size_t *at, const char *key, const struct plain_container *c, int count)
{
	append(at, "\"%sStatuses\":[", key);
	for (int i = 0; i < count; i++) {
		append(at, "%s{\"name\":\"%c%d\"", i > 0 ? "," : "", key[0], i);
		if (c[i].has_status) {
			append(at, ",\"resources\":{");
			append_amounts(at, "requests", c[i].actual);
			append(at, "}");
		}
		append(at, ",");
		append_amounts(at, "allocatedResources", c[i].allocated);
		append(at, "}");
	}
	append(at, "]");
}

static void write_pod(const struct plain_pod *pod)
{
	size_t at = 0;

	append(&at, "{\"spec\":{");
	append_containers(&at, "containers", pod->main, pod->mains);
	append(&at, ",");
	append_containers(&at, "initContainers", pod->init, pod->inits);
	append(&at, ",");
	append_amounts(&at, "overhead", pod->overhead);
	append(&at, ",\"resources\":{");
	append_amounts(&at, "requests", pod->pod);
	append(&at, "}},\"status\":{");
	append_statuses(&at, "container", pod->main, pod->mains);
	append(&at, ",");
	append_statuses(&at, "initContainer", pod->init, pod->inits);
	append(&at, ",");
	append_amounts(&at, "allocatedResources", pod->pod_allocated);
	if (pod->has_pod_status) {
		append(&at, ",\"resources\":{");
		append_amounts(&at, "requests", pod->pod_actual);
		append(&at, "}");
	}
	append(&at, ",\"conditions\":[{\"type\":\"PodResizePending\",\"reason\":\"%s\"}]}}",
		pod->infeasible ? "Infeasible" : "Deferred");
}

static struct plain_pod random_pod(void)
{
	struct plain_pod pod = {
		.mains = (int)random_below(CONTAINERS + 1),
		.inits = (int)random_below(2) * (int)random_below(CONTAINERS + 1),
		.pod = nothing(),
		.overhead = nothing(),
		.pod_actual = random_amounts(4),
		.pod_allocated = random_amounts(4),
		.has_pod_status = random_below(2) == 0,
		.infeasible = random_below(4) == 0,
	};
	bool status = random_below(2) == 0;

	if (random_below(3) == 0)
		pod.overhead = random_amounts(4);
	if (random_below(3) == 0)
		pod.pod = random_amounts(5);
	for (int i = 0; i < 2 * CONTAINERS; i++) {
		struct plain_container *c =
			i < CONTAINERS ? &pod.main[i] : &pod.init[i - CONTAINERS];

		c->asked = random_amounts(7);
		c->actual = random_amounts(5);
		c->allocated = random_amounts(5);
		c->has_status = status && random_below(4) != 0;
		c->sidecar = i >= CONTAINERS && random_below(2) == 0;
	}
	return pod;
}

static void check_resources(
	const struct kube_blob *blob, const struct kube_resources *r, struct amounts expected)
{
	int scalars = 0;

	TEST_ASSERT_EQUAL_INT64_MESSAGE(
		expected.of[0] < 0 ? 0 : expected.of[0], r->cpu_milli, json);
	TEST_ASSERT_EQUAL_INT64_MESSAGE(
		expected.of[1] < 0 ? 0 : expected.of[1], r->memory_bytes, json);
	TEST_ASSERT_EQUAL_UINT32((expected.of[0] >= 0) | (expected.of[1] >= 0) << 1, r->names);
	for (int k = 2; k < KINDS; k++) {
		const struct kube_scalar *at = KUBE_AT(blob, r->scalars, struct kube_scalar);
		uint32_t id = 0;

		if (expected.of[k] < 0)
			continue;
		TEST_ASSERT_TRUE(intern_find(&strings, text_of(kind_names[k]), &id));
		uint32_t i = 0;
		while (i < r->scalars.count && at[i].name != id)
			i++;
		TEST_ASSERT_LESS_THAN_UINT32_MESSAGE(r->scalars.count, i, json);
		TEST_ASSERT_EQUAL_INT64_MESSAGE(expected.of[k], at[i].value, json);
		scalars++;
	}
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(scalars, r->scalars.count, json);
}

static void test_random_pods_against_the_rules(void)
{
	for (int round = 0; round < 20000; round++) {
		struct plain_pod pod = random_pod();

		write_pod(&pod);
		struct kube_pod_template *class = decoded(SCRATCH_SIZE);
		TEST_ASSERT_NOT_NULL_MESSAGE(class, json);
		struct amounts used = plain_sum(&pod, true, true, 0);
		uint32_t defaults = 3;
		if (has_pod_level(&pod))
			defaults = (uint32_t)((used.of[0] < 0) | (used.of[1] < 0) << 1);
		struct amounts nonzero = plain_sum(&pod, true, true, defaults);

		check_resources(&class->blob, &class->fit, plain_sum(&pod, false, true, 0));
		check_resources(&class->blob, &class->used, used);
		check_resources(&class->blob, &class->score, plain_sum(&pod, false, false, 3));
		TEST_ASSERT_EQUAL_INT64_MESSAGE(
			nonzero.of[0] < 0 ? 0 : nonzero.of[0], class->used_nonzero_cpu_milli, json);
		TEST_ASSERT_EQUAL_INT64_MESSAGE(nonzero.of[1] < 0 ? 0 : nonzero.of[1],
			class->used_nonzero_memory_bytes, json);
		kube_blob_drop(&class->blob, &strings);
	}
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&strings.strings));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_random_pods_against_the_rules);
	return UNITY_END();
}
