/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looking at 16 bytes at once: the only place of berth that knows vector instructions. SSE2 and
 * NEON belong to their baselines (x86-64, AArch64); everything else takes words of 8 bytes.
 */
#ifndef BERTH_JSON_SCAN_H
#define BERTH_JSON_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>

/* Index of the first of 16 bytes that is '"', '\\', a control or not ASCII; 16 if none is. */
static inline uint32_t scan_special(const char *at)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)at);
	/* signed: bytes from 0x80 are negative and so below 0x20 as well */
	__m128i odd = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20));

	odd = _mm_or_si128(odd, _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
	odd = _mm_or_si128(odd, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
	return (uint32_t)__builtin_ctz((unsigned)_mm_movemask_epi8(odd) | 0x10000u);
}

/* Index of the first of 16 bytes that is no space; 16 if all are. */
static inline uint32_t scan_spaces(const char *at)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)at);
	unsigned spaces = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')));

	return (uint32_t)__builtin_ctz(~spaces);
}

#elif defined(__ARM_NEON) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>

/* Four bits per byte; NEON has no movemask. */
static inline uint32_t scan_first(uint8x16_t hits)
{
	uint8x8_t nibbles = vshrn_n_u16(vreinterpretq_u16_u8(hits), 4);
	uint64_t bits = vget_lane_u64(vreinterpret_u64_u8(nibbles), 0);

	return bits == 0 ? 16 : (uint32_t)__builtin_ctzll(bits) / 4;
}

static inline uint32_t scan_special(const char *at)
{
	uint8x16_t v = vld1q_u8((const uint8_t *)at);
	uint8x16_t odd = vcltq_s8(vreinterpretq_s8_u8(v), vdupq_n_s8(0x20));

	odd = vorrq_u8(odd, vceqq_u8(v, vdupq_n_u8('"')));
	odd = vorrq_u8(odd, vceqq_u8(v, vdupq_n_u8('\\')));
	return scan_first(odd);
}

static inline uint32_t scan_spaces(const char *at)
{
	return scan_first(vmvnq_u8(vceqq_u8(vld1q_u8((const uint8_t *)at), vdupq_n_u8(' '))));
}

#else

#define SCAN_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t scan_word(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Not zero when some byte is 0; which one is not asked, so byte order does not matter. */
static inline uint64_t scan_zero(uint64_t word)
{
	return (word - SCAN_EACH(1)) & ~word & SCAN_EACH(0x80);
}

static inline uint32_t scan_special(const char *at)
{
	for (uint32_t i = 0; i < 16; i += 8) {
		uint64_t w = scan_word(at + i);
		uint64_t odd = scan_zero(w ^ SCAN_EACH('"')) | scan_zero(w ^ SCAN_EACH('\\')) |
			((w - SCAN_EACH(0x20)) & ~w & SCAN_EACH(0x80)) | (w & SCAN_EACH(0x80));

		if (odd == 0)
			continue;
		while (at[i] != '"' && at[i] != '\\' && (uint8_t)at[i] - 0x20u < 0x60u)
			i++;
		return i;
	}
	return 16;
}

static inline uint32_t scan_spaces(const char *at)
{
	uint32_t i = 0;

	while (i < 16 && at[i] == ' ')
		i++;
	return i;
}

#endif
#endif
