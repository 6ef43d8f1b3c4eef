/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as quantities, one a line: no crash, the printed form reads as the same value (where
 * a suffix exists for it), and sums do not depend on the order.
 */
// deps: base/*.c kube/quantity.c kube/quantity_big.c kube/quantity_parse.c kube/quantity_print.c
// deps: tests/fuzz/fuzz.c
#include "fuzz/fuzz.h"
#include "kube/quantity.h"

enum { LINES_MAX = 8 /* more would be more of the same */ };

static void check_printed(const struct quantity *q)
{
	char text[256];
	struct writer out;
	struct quantity again;

	/* decimal exponents have no end, unlike suffixes */
	struct quantity exact = *q;
	exact.format = QUANTITY_DECIMAL_EXPONENT;
	writer_init(&out, text, sizeof(text));
	quantity_print(&exact, &out);
	CHECK(!out.overflowed);
	CHECK(quantity_parse(writer_text(&out), &again) == QUANTITY_OK);
	CHECK(quantity_compare(q, &again) == 0);

	writer_init(&out, text, sizeof(text));
	quantity_print(q, &out);
	CHECK(!out.overflowed);
	CHECK(quantity_parse(writer_text(&out), &again) == QUANTITY_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text rest = {(const char *)bytes, size};
	struct text line;
	struct quantity sum = quantity_zero();
	struct quantity reverse = quantity_zero();
	struct quantity largest = quantity_zero();
	uint32_t count = 0;

	while (count < LINES_MAX && text_cut(&rest, '\n', &line)) {
		struct quantity q;
		struct quantity other = reverse;

		if (quantity_parse(line, &q) != QUANTITY_OK) {
			CHECK(quantity_is_zero(&q));
			continue;
		}
		count++;
		check_printed(&q);
		(void)quantity_value(&q);
		(void)quantity_milli(&q);
		quantity_add(&sum, &q);
		reverse = q;
		quantity_add(&reverse, &other);
		CHECK(quantity_compare(&sum, &reverse) == 0);
		(void)quantity_value(&sum);
		(void)quantity_milli(&sum);
		quantity_max(&largest, &q);
		CHECK(quantity_compare(&largest, &q) >= 0);
	}
	return 0;
}
