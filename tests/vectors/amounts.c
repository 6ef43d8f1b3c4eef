/* SPDX-License-Identifier: GPL-2.0-only */
#include "vectors/amounts.h"

#include <stdio.h>

#include "kube/quantity.h"

enum { AMOUNT_MAX = 1024 };

static bool amount_is(struct text in, const char *what, struct json_value want, int64_t got)
{
	int64_t value;
	if (json_i64(want, &value) && value == got)
		return true;
	printf("%.*s: %s: want %.*s, got %lld\n", TEXT_ARGS(in), what, TEXT_ARGS(json_raw(want)),
		(long long)got);
	return false;
}

static bool amount_prints(struct text in, const char *what, struct text want, struct text got)
{
	if (text_is(want, got))
		return true;
	printf("%.*s: %s: want %.*s, got %.*s\n", TEXT_ARGS(in), what, TEXT_ARGS(want),
		TEXT_ARGS(got));
	return false;
}

bool amounts_agree(struct json_value line)
{
	char canonical[AMOUNT_MAX];
	struct writer w;
	struct quantity q;
	struct text in = json_text(json_get(line, "in"));
	enum quantity_result result = quantity_parse(in, &q);
	struct json_value error = json_get(line, "error");
	if (result != QUANTITY_OK || json_type(error) == JSON_STRING)
		return amount_prints(
			in, "error", json_text(error), text_of(quantity_error(result)));
	writer_init(&w, canonical, sizeof(canonical));
	quantity_print_parsed(&q, in, &w);
	bool same = amount_is(in, "value", json_get(line, "value"), quantity_value(&q));
	same = amount_is(in, "milli", json_get(line, "milli"), quantity_milli(&q)) && same;
	return amount_prints(
		       in, "canonical", json_text(json_get(line, "canonical")), writer_text(&w)) &&
		same;
}
