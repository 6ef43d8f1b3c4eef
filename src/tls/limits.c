/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits of a server's TLS, in Go's words for cipher suites and IANA's numbers for curves. What
 * there is: what vendor/mbedtls/mbedtls_config.h has switched on.
 *
 * Suites of TLS 1.2 and of 1.3 have names of their own: who names some of 1.2 alone has all of 1.3,
 * as with Go, where those cannot be chosen; who names some of 1.3 has these alone.
 */
#include <string.h>

#include <mbedtls/ssl.h>
#include <mbedtls/ssl_ciphersuites.h>

#include "tls/tls.h"

static bool is_of_1_3(const char *name)
{
	return strncmp(name, "TLS1-3-", 7) == 0;
}

/* "TLS1-3-AES-128-GCM-SHA256" is TLS_AES_128_GCM_SHA256. */
static void write_suite(struct writer *w, const char *name)
{
	write_z(w, "TLS_");
	for (name += is_of_1_3(name) ? 7 : 4; *name != '\0'; name++)
		write_char(w, *name == '-' ? '_' : *name);
}

static bool is_suite(struct text wanted, const char *name)
{
	char room[64];
	struct writer w;

	writer_init(&w, room, sizeof(room));
	write_suite(&w, name);
	/* Go had the names that end in POLY1305 before they got a SHA256. */
	return text_is(wanted, writer_text(&w)) ||
		(text_ends(wanted, TEXT("_POLY1305")) && text_starts(writer_text(&w), wanted));
}

static bool is_wanted_suite(const struct tls_limits *limits, const char *name, bool *of_1_3)
{
	bool found = false;

	for (uint32_t i = 0; i < limits->suite_count; i++)
		found = found || is_suite(limits->suites[i], name);
	*of_1_3 = is_of_1_3(name);
	return found;
}

static bool suite_is_there(struct text wanted)
{
	const int *id = mbedtls_ssl_list_ciphersuites();

	while (*id != 0 && !is_suite(wanted, mbedtls_ssl_get_ciphersuite_name(*id)))
		id++;
	return *id != 0;
}

static bool take_suites(
	struct tls_identity *identity, const struct tls_limits *limits, struct writer *fault)
{
	const int *ids = mbedtls_ssl_list_ciphersuites();
	bool of_1_3, any_of_1_3 = false;
	uint32_t count = 0;

	for (uint32_t i = 0; i < limits->suite_count; i++) {
		if (suite_is_there(limits->suites[i]))
			continue;
		write_format(fault, "--tls-cipher-suites: %.*s is not one of",
			TEXT_ARGS(limits->suites[i]));
		for (; *ids != 0; ids++) {
			write_char(fault, ' ');
			write_suite(fault, mbedtls_ssl_get_ciphersuite_name(*ids));
		}
		return false;
	}
	for (const int *id = ids; *id != 0; id++)
		any_of_1_3 = any_of_1_3 ||
			(is_wanted_suite(limits, mbedtls_ssl_get_ciphersuite_name(*id), &of_1_3) &&
				of_1_3);
	for (const int *id = ids; *id != 0; id++) {
		bool wanted =
			is_wanted_suite(limits, mbedtls_ssl_get_ciphersuite_name(*id), &of_1_3);

		if (wanted || (of_1_3 && !any_of_1_3)) {
			CHECK(count + 1 < ARRAY_COUNT(identity->suites));
			identity->suites[count++] = *id;
		}
	}
	identity->suites[count] = 0;
	mbedtls_ssl_conf_ciphersuites(&identity->config, identity->suites);
	return true;
}

static bool take_curves(
	struct tls_identity *identity, const struct tls_limits *limits, struct writer *fault)
{
	static const uint16_t there[] = {23, 24, 25, 29};
	uint32_t count = 0;

	for (uint32_t i = 0; i < limits->curve_count; i++) {
		uint64_t number = 0;
		bool known = false, again = false;

		bool is_number = text_to_u64(limits->curves[i], &number);
		for (uint32_t k = 0; k < ARRAY_COUNT(there); k++)
			known = known || (is_number && there[k] == number);
		if (!known) {
			write_format(fault,
				"--tls-curve-preferences: %.*s is not one of 23 (P-256), 24 "
				"(P-384), 25 (P-521), 29 (X25519)",
				TEXT_ARGS(limits->curves[i]));
			return false;
		}
		for (uint32_t k = 0; k < count; k++)
			again = again || identity->groups[k] == number;
		if (!again)
			identity->groups[count++] = (uint16_t)number;
	}
	identity->groups[count] = 0;
	mbedtls_ssl_conf_groups(&identity->config, identity->groups);
	return true;
}

bool tls_limit(struct tls_identity *identity, const struct tls_limits *limits, struct writer *fault)
{
	if (limits->tls_1_3)
		mbedtls_ssl_conf_min_tls_version(&identity->config, MBEDTLS_SSL_VERSION_TLS1_3);
	return (limits->suite_count == 0 || take_suites(identity, limits, fault)) &&
		(limits->curve_count == 0 || take_curves(identity, limits, fault));
}
