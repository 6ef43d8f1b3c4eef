/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as certificates and keys. Byte 0 chooses: as they are, or as the content of PEM (then
 * what is inside is reached at once); whose they are. The rest is certificate, zero byte, key.
 *
 * Whatever comes: an identity or a line that says what is wrong, and all memory of the fence back.
 */
// deps: base/*.c net/*.c tls/*.c http/*.c base/base64.c
// deps: tests/fuzz/fuzz.c
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/store.h"
#include "fuzz/fuzz.h"
#include "net/net_private.h"
#include "tls/secret.h"
#include "tls/tls.h"

enum { INPUT_MAX = 8192, ARENA_SIZE = 1 << 20, ROOM = 2 * INPUT_MAX };

static _Alignas(16) uint8_t arena_block[ARENA_SIZE];
static char rooms[2][ROOM];
static struct random seeded;

static void wrap(struct text *t, const char *kind, char *room)
{
	struct writer w;

	writer_init(&w, room, ROOM);
	write_format(&w, "-----BEGIN %s-----\n", kind);
	for (struct text rest = *t; rest.size > 0;) {
		size_t line = rest.size < 48 ? rest.size : 48;

		base64_write(text_first(rest, line), &w);
		write_char(&w, '\n');
		rest = text_from(rest, line);
	}
	write_format(&w, "-----END %s-----\n", kind);
	CHECK(!w.overflowed);
	*t = writer_text(&w);
}

static bool load(struct text from, struct text *pem, struct writer *fault)
{
	struct secret_file seen;

	return secret_pem_load(from, NULL, &seen, pem, fault);
}

static void make(uint8_t choice, struct text certificate, struct text key)
{
	struct tls_identity identity = {.made = false};
	struct tls_pem pem = {
		.server = (choice & 2) != 0, .insecure_skip_verify = (choice & 4) != 0};
	struct writer fault;
	char line[256];

	writer_init(&fault, line, sizeof(line));
	bool own = pem.server || (choice & 8) == 0;
	bool made = ((choice & 8) == 0 || load(certificate, &pem.ca, &fault)) &&
		(!own ||
			(load(certificate, &pem.certificate, &fault) &&
				load(key, &pem.key, &fault))) &&
		tls_identity_make(&identity, &pem, &fault);
	CHECK(made == identity.made);
	CHECK(made || fault.used > 0 || fault.overflowed);
	CHECK(text_find(writer_text(&fault), '\n') == fault.used);
	if (made)
		tls_identity_drop(&identity);
	secret_pem_give(&pem.ca);
	secret_pem_give(&pem.certificate);
	secret_pem_give(&pem.key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;
	static struct arena arena;

	if (!ready) {
		arena_init(&arena, arena_block, sizeof(arena_block));
		random_init(&seeded, 1);
		tls_setup(&arena, 2, entropy_seeded(&seeded));
		ready = true;
	}
	if (size < 2 || size > INPUT_MAX)
		return 0;
	uint64_t before = tls_fence()->budget.used;
	struct text certificate = {(const char *)data + 1, size - 1};
	struct text key = certificate; /* files with both are usual */
	size_t zero = text_find(certificate, '\0');
	if ((data[0] & 16) != 0 && zero < certificate.size) {
		key = text_from(certificate, zero + 1);
		certificate = text_first(certificate, zero);
	}
	if ((data[0] & 1) != 0) {
		wrap(&certificate, "CERTIFICATE", rooms[0]);
		wrap(&key, "EC PRIVATE KEY", rooms[1]);
	}
	make(data[0], certificate, key);
	CHECK(tls_fence()->budget.used == before);
	return 0;
}
