/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Curves: points of P-256 and of Curve25519, in numbers of a fixed size.
 *
 * What mbedTLS does: coordinates are numbers of any length on its heap, and a handshake asks the
 * heap a hundred thousand times. What we do, through the hooks that it has for hardware: the steps
 * of a multiplication work on 256 bits in registers and on the stack. Everything around them - the
 * order of the steps, the blinding, the checks - stays its own, and so do the other curves.
 *
 * Coordinates are secrets. Nothing here branches on them or looks something up by them, but for
 * points at infinity, as in the original.
 */
#include "common.h"

#include <stdbool.h>
#include <string.h>

#include "mbedtls/ecp.h"

#include "ecp_internal_alt.h"

typedef mbedtls_mpi_uint limb;
typedef mbedtls_t_udbl twice;

enum {
	LIMB_BITS = 8 * sizeof(limb),
	LIMBS = 256 / LIMB_BITS,
	TABLE_MAX = 1 << (MBEDTLS_ECP_WINDOW_SIZE - 1) /* points with z = 1, at once */
};

struct number {
	limb at[LIMBS];
};

#if defined(MBEDTLS_HAVE_INT64)
#define NUMBER(d, c, b, a)         \
	{                          \
		{                  \
			a, b, c, d \
		}                  \
	}
#else
#define HALVES(n) (limb)(n), (limb)(UINT64_C(n) >> 32)
#define NUMBER(d, c, b, a)                                         \
	{                                                          \
		{                                                  \
			HALVES(a), HALVES(b), HALVES(c), HALVES(d) \
		}                                                  \
	}
#endif

struct prime {
	struct number p;
	limb folding; /* -1/p mod 2^64; its lower half serves limbs of 32 bits */
	int bits;
};
static const struct prime p256 = {
	NUMBER(0xffffffff00000001, 0, 0x00000000ffffffff, 0xffffffffffffffff), 1, 256};
static const struct prime p25519 = {
	NUMBER(0x7fffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffed),
	(limb)UINT64_C(0x86bca1af286bca1b), 255};
static const struct number one = NUMBER(0, 0, 0, 1);

/* ---- numbers below p ---- */

/* All ones for 1, and the compiler does not know that it is one of two. */
static limb mask_of(limb bit)
{
	limb mask = (limb)0 - bit;

	__asm__("" : "+r"(mask));
	return mask;
}

/* to = from - what; the borrow. */
static limb subtract(struct number *to, const struct number *from, const struct number *what)
{
	limb borrow = 0;

#pragma GCC unroll 4
	for (int i = 0; i < LIMBS; i++) {
		twice t = (twice)from->at[i] - what->at[i] - borrow;
		to->at[i] = (limb)t;
		borrow = (limb)(t >> LIMB_BITS) & 1;
	}
	return borrow;
}

/* Of a number below 2p, whose highest bit does not fit: what is left of it. */
static void reduce(const struct prime *m, struct number *x, limb high)
{
	struct number less;
	limb borrow = subtract(&less, x, &m->p);
	limb keep = mask_of(borrow & (high ^ 1));

#pragma GCC unroll 4
	for (int i = 0; i < LIMBS; i++)
		x->at[i] = (x->at[i] & keep) | (less.at[i] & ~keep);
}

static void add(
	const struct prime *m, struct number *to, const struct number *a, const struct number *b)
{
	limb carry = 0;

	for (int i = 0; i < LIMBS; i++) {
		twice t = (twice)a->at[i] + b->at[i] + carry;
		to->at[i] = (limb)t;
		carry = (limb)(t >> LIMB_BITS);
	}
	reduce(m, to, carry);
}

static void sub(
	const struct prime *m, struct number *to, const struct number *a, const struct number *b)
{
	limb below = mask_of(subtract(to, a, b));
	limb carry = 0;

	for (int i = 0; i < LIMBS; i++) {
		twice t = (twice)to->at[i] + (m->p.at[i] & below) + carry;
		to->at[i] = (limb)t;
		carry = (limb)(t >> LIMB_BITS);
	}
}

/* to = sum + a b + carry, as far as it fits; the rest of it. */
static inline limb times_add(limb *to, limb sum, limb a, limb b, limb carry)
{
	twice product = (twice)a * b;
	limb low = (limb)product, high = (limb)(product >> LIMB_BITS);

	low += carry;
	high += low < carry;
	low += sum;
	high += low < sum;
	*to = low;
	return high;
}

/*
 * Montgomery's product, to = a b / 2^256: after each limb of a as many p are added as make the
 * lowest limb zero. b is below p, a may be anything.
 */
static void mul(
	const struct prime *m, struct number *to, const struct number *a, const struct number *b)
{
	struct number sum = {{0}};
	limb high = 0;

	for (int i = 0; i < LIMBS; i++) {
		limb carry = 0, over, times;

#pragma GCC unroll 4
		for (int k = 0; k < LIMBS; k++)
			carry = times_add(&sum.at[k], sum.at[k], a->at[i], b->at[k], carry);
		high += carry;
		over = high < carry;
		times = sum.at[0] * m->folding;
		carry = times_add(&sum.at[0], sum.at[0], times, m->p.at[0], 0);
#pragma GCC unroll 3
		for (int k = 1; k < LIMBS; k++)
			carry = times_add(&sum.at[k - 1], sum.at[k], times, m->p.at[k], carry);
		high += carry;
		over += high < carry;
		sum.at[LIMBS - 1] = high;
		high = over;
	}
	*to = sum;
	reduce(m, to, high);
}

/* 1/x = x^(p - 2): the exponent is known to everybody. */
static void invert(const struct prime *m, struct number *x)
{
	struct number power = *x, exponent;

	subtract(&exponent, &m->p, &(struct number){{2}});
	for (int bit = m->bits - 1; bit-- > 0;) {
		mul(m, &power, &power, &power);
		if ((exponent.at[bit / LIMB_BITS] >> (bit % LIMB_BITS) & 1) != 0)
			mul(m, &power, &power, x);
	}
	*x = power;
}

static bool is_zero(const struct number *x)
{
	limb any = 0;

	for (int i = 0; i < LIMBS; i++)
		any |= x->at[i];
	return any == 0;
}

/* ---- formulas ---- */

enum { END, ADD, SUB, MUL };
enum { X, Y, Z, QX, QY, QZ = QY, D, R, S, T, U, A24 = U, VALUES };
struct step {
	uint8_t what, to, a, b;
};

static void follow(const struct prime *m, struct number *at, const struct step *step)
{
	for (; step->what != END; step++) {
		if (step->what == MUL)
			mul(m, &at[step->to], &at[step->a], &at[step->b]);
		else if (step->what == ADD)
			add(m, &at[step->to], &at[step->a], &at[step->b]);
		else
			sub(m, &at[step->to], &at[step->a], &at[step->b]);
	}
}

/* ---- from and to mbedTLS's numbers ---- */

static void fetch(struct number *to, const mbedtls_mpi *from)
{
	for (size_t i = 0; i < LIMBS; i++)
		to->at[i] = i < from->n ? from->p[i] : 0;
}

static int store(mbedtls_mpi *to, const struct number *from)
{
	int ret = mbedtls_mpi_grow(to, LIMBS);

	if (ret != 0)
		return ret;
	memset(to->p, 0, to->n * sizeof(limb));
	memcpy(to->p, from->at, sizeof(from->at));
	to->s = 1;
	return 0;
}

/* ---- which curves ---- */

unsigned char mbedtls_internal_ecp_grp_capable(const mbedtls_ecp_group *grp)
{
	return grp->id == MBEDTLS_ECP_DP_SECP256R1 || grp->id == MBEDTLS_ECP_DP_CURVE25519;
}

int mbedtls_internal_ecp_init(const mbedtls_ecp_group *grp)
{
	(void)grp;
	return 0;
}

void mbedtls_internal_ecp_free(const mbedtls_ecp_group *grp)
{
	(void)grp;
}

/* ---- P-256: x = X/Z^2, y = Y/Z^3 ---- */

/*
 * Montgomery's form of x is x r, with r = 2^256. A point stays the same when X is multiplied by
 * the square of some number, Y by its cube and Z by itself; 1/r is such a number. So Z needs no
 * work on its way in and out, X is divided by r and Y by r^2.
 */
static void fetch_point(struct number *at, const mbedtls_ecp_point *from)
{
	static const struct number r_inverse = NUMBER(
		0xfffffffe00000003, 0xfffffffd00000002, 0x00000001fffffffe, 0x0000000300000000);

	fetch(&at[X], &from->X);
	fetch(&at[Y], &from->Y);
	fetch(&at[Z], &from->Z);
	mul(&p256, &at[X], &at[X], &one);
	mul(&p256, &at[Y], &at[Y], &r_inverse);
}

static const struct number r_squared =
	NUMBER(0x00000004fffffffd, 0xfffffffffffffffe, 0xfffffffbffffffff, 0x0000000000000003);
static int store_point(mbedtls_ecp_point *to, struct number *at)
{
	static const struct number r_cubed = NUMBER(
		0x0000001800000001, 0x00000005fffffffc, 0xffffffedfffffff7, 0xfffffffd0000000a);

	mul(&p256, &at[X], &at[X], &r_squared);
	mul(&p256, &at[Y], &at[Y], &r_cubed);
	int ret = store(&to->X, &at[X]);
	if (ret == 0)
		ret = store(&to->Y, &at[Y]);
	if (ret == 0)
		ret = store(&to->Z, &at[Z]);
	return ret;
}

/* S = 4 X Y^2, R = 3 (X - Z^2) (X + Z^2), X' = R^2 - 2 S, Y' = R (S - X') - 8 Y^4, Z' = 2 Y Z */
static const struct step doubling[] = {
	{MUL, T, Z, Z},
	{SUB, S, X, T},
	{ADD, T, X, T},
	{MUL, T, S, T},
	{ADD, R, T, T},
	{ADD, R, R, T},
	{MUL, Z, Y, Z},
	{ADD, Z, Z, Z},
	{MUL, T, Y, Y},
	{ADD, T, T, T},
	{MUL, S, X, T},
	{ADD, S, S, S},
	{MUL, X, R, R},
	{SUB, X, X, S},
	{SUB, X, X, S},
	{SUB, S, S, X},
	{MUL, S, S, R},
	{MUL, T, T, T},
	{ADD, T, T, T},
	{SUB, Y, S, T},
	{END, 0, 0, 0},
};

int mbedtls_internal_ecp_double_jac(
	const mbedtls_ecp_group *grp, mbedtls_ecp_point *to, const mbedtls_ecp_point *from)
{
	struct number at[VALUES];

	(void)grp;
	fetch_point(at, from);
	follow(&p256, at, doubling);
	return store_point(to, at);
}

/* How far q, with z = 1, is away: U = QX Z^2 - X, R = QY Z^3 - Y */
static const struct step comparing[] = {
	{MUL, T, Z, Z},
	{MUL, U, T, QX},
	{SUB, U, U, X},
	{MUL, T, T, Z},
	{MUL, R, T, QY},
	{SUB, R, R, Y},
	{END, 0, 0, 0},
};
/* S = X U^2, X' = R^2 - U^3 - 2 S, Y' = R (S - X') - Y U^3, Z' = Z U */
static const struct step adding[] = {
	{MUL, Z, Z, U},
	{MUL, T, U, U},
	{MUL, S, X, T},
	{MUL, T, T, U},
	{MUL, X, R, R},
	{SUB, X, X, T},
	{SUB, X, X, S},
	{SUB, X, X, S},
	{SUB, S, S, X},
	{MUL, S, S, R},
	{MUL, T, T, Y},
	{SUB, Y, S, T},
	{END, 0, 0, 0},
};

int mbedtls_internal_ecp_add_mixed(const mbedtls_ecp_group *grp, mbedtls_ecp_point *to,
	const mbedtls_ecp_point *p, const mbedtls_ecp_point *q)
{
	struct number at[VALUES];

	(void)grp;
	if (mbedtls_mpi_cmp_int(&p->Z, 0) == 0)
		return mbedtls_ecp_copy(to, q);
	if (mbedtls_mpi_cmp_int(&q->Z, 0) == 0)
		return mbedtls_ecp_copy(to, p);
	if (mbedtls_mpi_cmp_int(&q->Z, 1) != 0)
		return MBEDTLS_ERR_ECP_BAD_INPUT_DATA;
	fetch_point(at, p);
	fetch(&at[QX], &q->X);
	fetch(&at[QY], &q->Y);
	mul(&p256, &at[QX], &at[QX], &r_squared);
	mul(&p256, &at[QY], &at[QY], &r_squared);
	follow(&p256, at, comparing);
	if (!is_zero(&at[U]))
		follow(&p256, at, adding);
	else if (is_zero(&at[R]))
		follow(&p256, at, doubling);
	else
		return mbedtls_ecp_set_zero(to);
	return store_point(to, at);
}

/* U = 1/Z: X' = X U^2, Y' = Y U^3. Dividing by r at the end leaves Montgomery's form. */
static const struct step normalizing[] = {
	{MUL, T, U, U},
	{MUL, X, X, T},
	{MUL, T, T, U},
	{MUL, Y, Y, T},
	{END, 0, 0, 0},
};

/* One inverse does for all: that of the product. */
int mbedtls_internal_ecp_normalize_jac_many(
	const mbedtls_ecp_group *grp, mbedtls_ecp_point *points[], size_t count)
{
	struct number at[VALUES], upto[TABLE_MAX], rest; /* products of the first ones */
	int ret = 0;

	(void)grp;
	if (count > TABLE_MAX)
		return MBEDTLS_ERR_ECP_BAD_INPUT_DATA;
	for (size_t i = 0; i < count; i++) {
		fetch(&upto[i], &points[i]->Z);
		if (i > 0)
			mul(&p256, &upto[i], &upto[i], &upto[i - 1]);
	}
	rest = upto[count - 1];
	if (is_zero(&rest))
		return MBEDTLS_ERR_MPI_NOT_ACCEPTABLE;
	invert(&p256, &rest);
	for (size_t i = count; i-- > 0 && ret == 0;) {
		fetch_point(at, points[i]);
		at[U] = rest;
		if (i > 0)
			mul(&p256, &at[U], &rest, &upto[i - 1]);
		mul(&p256, &rest, &rest, &at[Z]);
		follow(&p256, at, normalizing);
		mul(&p256, &at[X], &at[X], &one);
		mul(&p256, &at[Y], &at[Y], &one);
		ret = store(&points[i]->X, &at[X]);
		if (ret == 0)
			ret = store(&points[i]->Y, &at[Y]);
		if (ret == 0)
			ret = store(&points[i]->Z, &one);
	}
	return ret;
}

int mbedtls_internal_ecp_normalize_jac(const mbedtls_ecp_group *grp, mbedtls_ecp_point *point)
{
	return mbedtls_internal_ecp_normalize_jac_many(grp, &point, 1);
}

/* ---- Curve25519: x = X/Z ---- */

/*
 * (X:Z) becomes 2 (X:Z), and (QX:QZ) becomes (X:Z) + (QX:QZ), whose difference is D. X and Z may
 * both be multiplied by the same: so what comes in is taken for Montgomery's form as it is, and
 * goes out as such.
 */
static const struct step climbing[] = {
	{ADD, R, X, Z},
	{SUB, S, X, Z},
	{ADD, T, QX, QZ},
	{SUB, QX, QX, QZ},
	{MUL, T, T, S},
	{MUL, QX, QX, R},
	{SUB, QZ, QX, T},
	{ADD, QX, QX, T},
	{MUL, QX, QX, QX},
	{MUL, QZ, QZ, QZ},
	{MUL, QZ, QZ, D},
	{MUL, R, R, R},
	{MUL, S, S, S},
	{MUL, X, R, S},
	{SUB, R, R, S},
	{MUL, Z, R, A24},
	{ADD, Z, Z, S},
	{MUL, Z, Z, R},
	{END, 0, 0, 0},
};

int mbedtls_internal_ecp_double_add_mxz(const mbedtls_ecp_group *grp, mbedtls_ecp_point *doubled,
	mbedtls_ecp_point *sum, const mbedtls_ecp_point *p, const mbedtls_ecp_point *q,
	const mbedtls_mpi *difference)
{
	/* 2^256 is 38 */
	static const struct number r_is_38_squared = NUMBER(0, 0, 0, 38 * 38);
	struct number at[VALUES] = {[A24] = NUMBER(0, 0, 0, 121666 * 38)};
	int ret;

	(void)grp;
	fetch(&at[X], &p->X);
	fetch(&at[Z], &p->Z);
	fetch(&at[QX], &q->X);
	fetch(&at[QZ], &q->Z);
	fetch(&at[D], difference);
	mul(&p25519, &at[D], &at[D], &r_is_38_squared);
	follow(&p25519, at, climbing);
	if ((ret = store(&doubled->X, &at[X])) == 0 && (ret = store(&doubled->Z, &at[Z])) == 0 &&
		(ret = store(&sum->X, &at[QX])) == 0)
		ret = store(&sum->Z, &at[QZ]);
	return ret;
}

int mbedtls_internal_ecp_normalize_mxz(const mbedtls_ecp_group *grp, mbedtls_ecp_point *point)
{
	struct number x, z;

	(void)grp;
	fetch(&x, &point->X);
	fetch(&z, &point->Z);
	if (is_zero(&z))
		return MBEDTLS_ERR_MPI_NOT_ACCEPTABLE;
	invert(&p25519, &z);
	mul(&p25519, &x, &x, &z);
	mul(&p25519, &x, &x, &one);
	int ret = store(&point->X, &x);
	return ret == 0 ? store(&point->Z, &one) : ret;
}
