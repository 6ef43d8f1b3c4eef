/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Curves: vendor/mbedtls/curves.c against published results, and against what mbedTLS works out
 * by itself when it does not know that the curve is one of ours.
 */
// deps: base/*.c net/fence.c
// libs: mbedtls mongoose
#include <mongoose.h>
#include <string.h>
#include <unity.h>

/* The coordinates of a point */
#define MBEDTLS_ALLOW_PRIVATE_ACCESS
#include "mbedtls/ecp.h"

#include "mbedtls/library/ecp_internal_alt.h"

#include "base/memory.h"
#include "base/entropy.h"
#include "net/fence.h"

enum { REGION = 256 * 1024, ROUNDS = 60 };

static struct store store;
static uint8_t *region;
static struct random dice;
static mbedtls_ecp_group fast, slow; /* the same curve, with our steps and without */

/* Of sockets; they are another module's. */
uint64_t mg_millis(void);
uint64_t mg_millis(void)
{
	return 0;
}

void mg_random(void *bytes, size_t size)
{
	memset(bytes, 0, size);
}

static int roll(void *self, unsigned char *bytes, size_t size)
{
	(void)self;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)random_below(&dice, 256);
	return 0;
}

#define OK(call) TEST_ASSERT_EQUAL_INT(0, call)

void setUp(void)
{
	region = memory_reserve(REGION);
	TEST_ASSERT_NOT_NULL(region);
	store_init(&store, "test", region, REGION);
	fence_set(FENCE_MBEDTLS, &store);
	random_init(&dice, 20250 + (uint64_t)Unity.CurrentTestLineNumber);
	mbedtls_ecp_group_init(&fast);
	mbedtls_ecp_group_init(&slow);
}

static void take(mbedtls_ecp_group_id id)
{
	OK(mbedtls_ecp_group_load(&fast, id));
	OK(mbedtls_ecp_group_load(&slow, id));
	slow.id = MBEDTLS_ECP_DP_NONE;
	TEST_ASSERT_TRUE(mbedtls_internal_ecp_grp_capable(&fast));
	TEST_ASSERT_FALSE(mbedtls_internal_ecp_grp_capable(&slow));
}

void tearDown(void)
{
	mbedtls_ecp_group_free(&fast);
	mbedtls_ecp_group_free(&slow);
	TEST_ASSERT_EQUAL_UINT64(0, store.budget.used);
	fence_clear(FENCE_MBEDTLS);
	budget_unregister(&store.budget);
	memory_release(region, REGION);
}

static void read_hex(mbedtls_mpi *to, const char *digits)
{
	OK(mbedtls_mpi_read_string(to, 16, digits));
}

static void same_number(const mbedtls_mpi *a, const mbedtls_mpi *b)
{
	TEST_ASSERT_EQUAL_INT(0, mbedtls_mpi_cmp_mpi(a, b));
}

static void same_point(const mbedtls_ecp_point *a, const mbedtls_ecp_point *b)
{
	TEST_ASSERT_EQUAL_INT(0, mbedtls_ecp_point_cmp(a, b));
}

/* ---- multiplications ---- */

static void p256_gives(const char *times, const char *x, const char *y)
{
	mbedtls_mpi k, wanted;
	mbedtls_ecp_point r;

	mbedtls_mpi_init(&k);
	mbedtls_mpi_init(&wanted);
	mbedtls_ecp_point_init(&r);
	read_hex(&k, times);
	OK(mbedtls_ecp_mul(&fast, &r, &k, &fast.G, roll, NULL));
	read_hex(&wanted, x);
	same_number(&wanted, &r.X);
	read_hex(&wanted, y);
	same_number(&wanted, &r.Y);
	mbedtls_ecp_point_free(&r);
	mbedtls_mpi_free(&wanted);
	mbedtls_mpi_free(&k);
}

#define P256_X "6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296"

static void test_published_multiples_of_p256(void)
{
	take(MBEDTLS_ECP_DP_SECP256R1);
	p256_gives("1", P256_X, "4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5");
	p256_gives("2", "7CF27B188D034F7E8A52380304B51AC3C08969E277F21B35A60B48FC47669978",
		"07775510DB8ED040293D9AC69F7430DBBA7DADE63CE982299E04B79D227873D1");
	p256_gives("18EBBB95EED0E13",
		"339150844EC15234807FE862A86BE77977DBFB3AE3D96F4C22795513AEAAB82F",
		"B1C14DDFDC8EC1B2583F51E85A5EB3A155840F2034730E9B5ADA38B674336A21");
	/* one less than the order: the generator, mirrored */
	p256_gives("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632550", P256_X,
		"B01CBD1C01E58065711814B583F061E9D431CCA994CEA1313449BF97C840AE0A");
}

/* RFC 7748, section 5: what is secret has its bits set, of what is public the highest is dropped.
 */
static void x25519(uint8_t out[32], const uint8_t secret[32], const uint8_t public[32])
{
	uint8_t s[32], p[32];
	mbedtls_mpi k;
	mbedtls_ecp_point u, r;

	memcpy(s, secret, 32);
	memcpy(p, public, 32);
	s[0] &= 248;
	s[31] = (uint8_t)((s[31] & 127) | 64);
	p[31] &= 127;
	mbedtls_mpi_init(&k);
	mbedtls_ecp_point_init(&u);
	mbedtls_ecp_point_init(&r);
	OK(mbedtls_mpi_read_binary_le(&k, s, 32));
	OK(mbedtls_mpi_read_binary_le(&u.X, p, 32));
	OK(mbedtls_mpi_lset(&u.Z, 1));
	OK(mbedtls_ecp_mul(&fast, &r, &k, &u, roll, NULL));
	OK(mbedtls_mpi_write_binary_le(&r.X, out, 32));
	mbedtls_ecp_point_free(&r);
	mbedtls_ecp_point_free(&u);
	mbedtls_mpi_free(&k);
}

static void from_hex(uint8_t to[32], const char *digits)
{
	mbedtls_mpi n;

	mbedtls_mpi_init(&n);
	read_hex(&n, digits);
	OK(mbedtls_mpi_write_binary(&n, to, 32));
	mbedtls_mpi_free(&n);
}

static void x25519_gives(const char *secret, const char *public, const char *wanted)
{
	uint8_t s[32], p[32], w[32], out[32];

	from_hex(s, secret);
	from_hex(p, public);
	from_hex(w, wanted);
	x25519(out, s, p);
	TEST_ASSERT_EQUAL_MEMORY(w, out, 32);
}

static void test_published_multiples_of_curve25519(void)
{
	uint8_t k[32] = {9}, u[32] = {9}, wanted[32], out[32];

	take(MBEDTLS_ECP_DP_CURVE25519);
	x25519_gives("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
		"e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
		"c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552");
	x25519_gives("4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
		"e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
		"95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957");
	for (int i = 0; i < 1000; i++) {
		x25519(out, k, u);
		memcpy(u, k, 32);
		memcpy(k, out, 32);
		if (i == 0) {
			from_hex(wanted,
				"422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079");
			TEST_ASSERT_EQUAL_MEMORY(wanted, k, 32);
		}
	}
	from_hex(wanted, "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51");
	TEST_ASSERT_EQUAL_MEMORY(wanted, k, 32);
}

/* Chains of points, each the last one times something. */
static void chain(mbedtls_ecp_group_id id)
{
	mbedtls_mpi k;
	mbedtls_ecp_point p, r;

	take(id);
	mbedtls_mpi_init(&k);
	mbedtls_ecp_point_init(&p);
	mbedtls_ecp_point_init(&r);
	OK(mbedtls_ecp_copy(&p, &fast.G));
	for (int i = 0; i < ROUNDS; i++) {
		OK(mbedtls_ecp_gen_privkey(&fast, &k, roll, NULL));
		OK(mbedtls_ecp_mul(&fast, &r, &k, &p, roll, NULL));
		OK(mbedtls_ecp_mul(&slow, &p, &k, &p, roll, NULL));
		same_point(&p, &r);
	}
	mbedtls_ecp_point_free(&r);
	mbedtls_ecp_point_free(&p);
	mbedtls_mpi_free(&k);
}

static void test_p256_is_as_mbedtls_has_it(void)
{
	chain(MBEDTLS_ECP_DP_SECP256R1);
}

static void test_curve25519_is_as_mbedtls_has_it(void)
{
	chain(MBEDTLS_ECP_DP_CURVE25519);
}

/* A public value that no honest end sends: nothing comes out, rather than zero. */
static void test_a_point_without_order_is_refused(void)
{
	mbedtls_ecp_point p;

	take(MBEDTLS_ECP_DP_CURVE25519);
	mbedtls_ecp_point_init(&p);
	OK(mbedtls_mpi_lset(&p.X, 5));
	OK(mbedtls_mpi_lset(&p.Z, 0));
	TEST_ASSERT_NOT_EQUAL(0, mbedtls_internal_ecp_normalize_mxz(&fast, &p));
	mbedtls_ecp_point_free(&p);
}

/* ---- steps of P-256 ---- */

static mbedtls_ecp_point a, b, sum, wanted;
static mbedtls_mpi two;

static void open_steps(void)
{
	mbedtls_mpi k;

	take(MBEDTLS_ECP_DP_SECP256R1);
	mbedtls_ecp_point_init(&a);
	mbedtls_ecp_point_init(&b);
	mbedtls_ecp_point_init(&sum);
	mbedtls_ecp_point_init(&wanted);
	mbedtls_mpi_init(&two);
	mbedtls_mpi_init(&k);
	OK(mbedtls_mpi_lset(&two, 2));
	OK(mbedtls_ecp_gen_privkey(&slow, &k, roll, NULL));
	OK(mbedtls_ecp_mul(&slow, &a, &k, &slow.G, roll, NULL));
	OK(mbedtls_ecp_gen_privkey(&slow, &k, roll, NULL));
	OK(mbedtls_ecp_mul(&slow, &b, &k, &slow.G, roll, NULL));
	mbedtls_mpi_free(&k);
}

static void close_steps(void)
{
	mbedtls_ecp_point_free(&a);
	mbedtls_ecp_point_free(&b);
	mbedtls_ecp_point_free(&sum);
	mbedtls_ecp_point_free(&wanted);
	mbedtls_mpi_free(&two);
}

/* The same point, written with another z. */
static void rewrite(mbedtls_ecp_point *p, const mbedtls_mpi *z)
{
	mbedtls_mpi power;

	mbedtls_mpi_init(&power);
	OK(mbedtls_mpi_mul_mpi(&power, z, z));
	OK(mbedtls_mpi_mul_mpi(&p->X, &p->X, &power));
	OK(mbedtls_mpi_mod_mpi(&p->X, &p->X, &fast.P));
	OK(mbedtls_mpi_mul_mpi(&power, &power, z));
	OK(mbedtls_mpi_mul_mpi(&p->Y, &p->Y, &power));
	OK(mbedtls_mpi_mod_mpi(&p->Y, &p->Y, &fast.P));
	OK(mbedtls_mpi_copy(&p->Z, z));
	mbedtls_mpi_free(&power);
}

static void add_with_z(const mbedtls_mpi *z)
{
	mbedtls_mpi one;

	mbedtls_mpi_init(&one);
	OK(mbedtls_mpi_lset(&one, 1));
	OK(mbedtls_ecp_muladd(&slow, &wanted, &one, &a, &one, &b));
	OK(mbedtls_ecp_copy(&sum, &a));
	rewrite(&sum, z);
	OK(mbedtls_internal_ecp_add_mixed(&fast, &sum, &sum, &b));
	OK(mbedtls_internal_ecp_normalize_jac(&fast, &sum));
	same_point(&wanted, &sum);
	OK(mbedtls_ecp_mul(&slow, &wanted, &two, &a, roll, NULL));
	OK(mbedtls_ecp_copy(&sum, &a));
	rewrite(&sum, z);
	OK(mbedtls_internal_ecp_double_jac(&fast, &sum, &sum));
	OK(mbedtls_internal_ecp_normalize_jac(&fast, &sum));
	same_point(&wanted, &sum);
	/* what is added is the same point: it is doubled */
	OK(mbedtls_ecp_copy(&sum, &a));
	rewrite(&sum, z);
	OK(mbedtls_internal_ecp_add_mixed(&fast, &sum, &sum, &a));
	OK(mbedtls_internal_ecp_normalize_jac(&fast, &sum));
	same_point(&wanted, &sum);
	/* or its opposite: nothing is left */
	OK(mbedtls_ecp_copy(&sum, &a));
	OK(mbedtls_mpi_sub_mpi(&sum.Y, &fast.P, &sum.Y));
	rewrite(&sum, z);
	OK(mbedtls_internal_ecp_add_mixed(&fast, &sum, &sum, &a));
	TEST_ASSERT_TRUE(mbedtls_ecp_is_zero(&sum));
	mbedtls_mpi_free(&one);
}

/* Numbers where a carry or a borrow is all that there is, and any others. */
static void test_steps_with_every_kind_of_z(void)
{
	static const char *const odd[] = {"1", "2", "3", "FFFFFFFFFFFFFFFF", "10000000000000000",
		"100000000000000000000000000000000000000000000000000000000",
		"FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFE",
		"FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFD",
		"FFFFFFFF00000000FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
		"7FFFFFFF800000008000000000000000000000007FFFFFFFFFFFFFFFFFFFFFFF",
		"8000000000000000000000000000000000000000000000000000000000000000",
		"FFFFFFFEFFFFFFFFFFFFFFFFFFFFFFFF000000000000000000000001"};
	mbedtls_mpi z;

	open_steps();
	mbedtls_mpi_init(&z);
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		read_hex(&z, odd[i]);
		add_with_z(&z);
	}
	for (int i = 0; i < ROUNDS; i++) {
		OK(mbedtls_ecp_gen_privkey(&slow, &z, roll, NULL));
		add_with_z(&z);
	}
	mbedtls_mpi_free(&z);
	close_steps();
}

static void test_points_at_infinity(void)
{
	mbedtls_ecp_point nothing;

	open_steps();
	mbedtls_ecp_point_init(&nothing);
	OK(mbedtls_ecp_set_zero(&nothing));
	OK(mbedtls_internal_ecp_add_mixed(&fast, &sum, &nothing, &b));
	same_point(&b, &sum);
	OK(mbedtls_internal_ecp_add_mixed(&fast, &sum, &a, &nothing));
	same_point(&a, &sum);
	/* the second one must have z = 1 */
	OK(mbedtls_ecp_copy(&sum, &b));
	rewrite(&sum, &two);
	TEST_ASSERT_NOT_EQUAL(0, mbedtls_internal_ecp_add_mixed(&fast, &sum, &a, &sum));
	mbedtls_ecp_point_free(&nothing);
	close_steps();
}

static void test_many_are_normalized_as_each_by_itself(void)
{
	mbedtls_ecp_point points[8];
	mbedtls_ecp_point *list[9];
	mbedtls_mpi z;

	open_steps();
	mbedtls_mpi_init(&z);
	for (size_t i = 0; i < 8; i++) {
		list[i] = &points[i];
		mbedtls_ecp_point_init(&points[i]);
		OK(mbedtls_ecp_copy(&points[i], i % 2 == 0 ? &a : &b));
		OK(mbedtls_ecp_gen_privkey(&slow, &z, roll, NULL));
		rewrite(&points[i], &z);
	}
	OK(mbedtls_internal_ecp_normalize_jac_many(&fast, list, 8));
	for (size_t i = 0; i < 8; i++)
		same_point(i % 2 == 0 ? &a : &b, &points[i]);
	list[8] = &a;
	TEST_ASSERT_NOT_EQUAL(0, mbedtls_internal_ecp_normalize_jac_many(&fast, list, 9));
	OK(mbedtls_mpi_lset(&points[3].Z, 0));
	TEST_ASSERT_NOT_EQUAL(0, mbedtls_internal_ecp_normalize_jac_many(&fast, list, 8));
	for (size_t i = 0; i < 8; i++)
		mbedtls_ecp_point_free(&points[i]);
	mbedtls_mpi_free(&z);
	close_steps();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_published_multiples_of_p256);
	RUN_TEST(test_published_multiples_of_curve25519);
	RUN_TEST(test_p256_is_as_mbedtls_has_it);
	RUN_TEST(test_curve25519_is_as_mbedtls_has_it);
	RUN_TEST(test_a_point_without_order_is_refused);
	RUN_TEST(test_steps_with_every_kind_of_z);
	RUN_TEST(test_points_at_infinity);
	RUN_TEST(test_many_are_normalized_as_each_by_itself);
	return UNITY_END();
}
