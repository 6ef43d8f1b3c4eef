/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any bytes as each of the small grammars: addresses, URLs, base64, segments of paths, numbers,
 * characters, names of images. What is read prints as something that reads the same.
 */
// deps: base/*.c net/address.c http/server_text.c base/url.c base/base64.c
// deps: api/api_path.c kube/image_name.c
// deps: tests/fuzz/fuzz.c
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/base64.h"
#include "base/url.h"
#include "fuzz/fuzz.h"
#include "kube/image_name.h"
#include "net/bytes.h"
#include "http/server.h"

enum { TEXT_MAX = 512, ROOM = 4 * TEXT_MAX };

static char room[2][ROOM];

static void check_address(struct text t)
{
	struct net_address address, again;
	struct writer w;

	if (!net_address_parse(t, 443, &address))
		return;
	CHECK(address.family == 4 || address.family == 6);
	writer_init(&w, room[0], NET_ADDRESS_TEXT_MAX);
	net_address_write(&w, &address);
	CHECK(!w.overflowed);
	struct text host = text_first(writer_text(&w), w.used - strlen(":443"));
	CHECK(text_ends(writer_text(&w), TEXT(":443")));
	if (address.family == 6)
		host = text_first(text_from(host, 1), host.size - 2);
	CHECK(net_address_parse(host, 443, &again));
	CHECK(net_address_is(&address, &again));
}

static void check_url(struct text t)
{
	struct url url, again;
	struct writer w;
	const char *fault = NULL;

	if (!url_parse(t, true, &url, &fault)) {
		CHECK(fault != NULL);
		return;
	}
	bool six = text_find(url.host, ':') < url.host.size;
	writer_init(&w, room[0], ROOM);
	write_format(&w, six ? "%s://[%.*s]:%u%.*s" : "%s://%.*s:%u%.*s",
		url.https ? "https" : "http", TEXT_ARGS(url.host), (unsigned)url.port,
		TEXT_ARGS(url.path));
	CHECK(!w.overflowed);
	CHECK(url_parse(writer_text(&w), false, &again, &fault));
	CHECK(url.https == again.https && url.port == again.port);
	CHECK(text_is(url.host, again.host) && text_is(url.path, again.path));
	CHECK(!text_ends(url.path, TEXT("/")));
}

static void check_proxy(struct text t)
{
	char plain[URL_PROXY_NAME_MAX];
	struct url_proxy proxy;
	struct writer w;
	const char *fault = NULL;

	if (!url_parse_proxy(t, &proxy, &fault)) {
		CHECK(fault != NULL);
		return;
	}
	CHECK(proxy.kind != URL_PROXY_NONE && proxy.host.size > 0 && proxy.port > 0);
	CHECK((proxy.user.at == NULL) == (proxy.password.at == NULL));
	writer_init(&w, plain, sizeof(plain));
	CHECK(url_write_decoded(&w, proxy.user) && !w.overflowed);
	w.used = 0;
	CHECK(url_write_decoded(&w, proxy.password) && !w.overflowed);
}

static void check_base64(struct text t)
{
	struct writer w;
	size_t size, again;

	writer_init(&w, room[0], ROOM);
	base64_write(t, &w);
	CHECK(!w.overflowed);
	CHECK(base64_decode(writer_text(&w), room[1], &size));
	CHECK(text_is(t, (struct text){room[1], size}));
	char *decoded = malloc(base64_room(t));
	if (base64_decode(t, decoded, &size)) {
		CHECK(size <= base64_room(t));
		writer_init(&w, room[0], ROOM);
		base64_write((struct text){decoded, size}, &w);
		CHECK(base64_decode(writer_text(&w), room[1], &again));
		CHECK(size == again && memcmp(decoded, room[1], size) == 0);
	}
	free(decoded);
}

static void check_segment(struct text t)
{
	const struct text path = TEXT("/api/v1/namespaces/");
	struct api_object object = {"/api/v1", TEXT_NONE, "namespaces", t, NULL};
	struct writer w, back;

	writer_init(&w, room[0], ROOM);
	if (t.at == NULL)
		return;
	if (!api_path_write(&object, &w)) {
		CHECK(w.used == 0);
		return;
	}
	CHECK(!w.overflowed);
	struct text segment = text_from(writer_text(&w), path.size);
	for (size_t i = 0; i < segment.size; i++)
		CHECK(segment.at[i] > ' ' && segment.at[i] < 0x7f &&
			strchr("/?#\"<>\\", segment.at[i]) == NULL);
	writer_init(&back, room[1], ROOM);
	CHECK(net_unescape(segment, false, &back));
	CHECK(text_is(t, writer_text(&back)));
}

static void check_query(struct text t)
{
	struct writer w;
	struct text found = net_query_find(t, "a");

	CHECK(found.at == NULL || found.size <= t.size);
	CHECK(text_find(found, '&') == found.size);
	writer_init(&w, room[0], t.size);
	if (net_unescape(t, true, &w))
		CHECK(w.used <= t.size);
}

static void check_number(struct text t)
{
	char z[TEXT_MAX + 1];
	char *end;
	int64_t value;
	uint64_t positive;

	CHECK(text_copy(t, z, sizeof(z)));
	if (text_to_i64(t, &value)) {
		errno = 0;
		CHECK(value == strtoll(z, &end, 10) && *end == '\0' && errno == 0);
	}
	if (text_to_u64(t, &positive)) {
		errno = 0;
		CHECK(positive == strtoull(z, &end, 10) && *end == '\0' && errno == 0);
	}
}

static void check_characters(struct text t)
{
	struct text rest = t, part;
	size_t size, parts = 0;

	while (rest.size > 0 && (size = text_utf8_next(rest)) > 0)
		rest = text_from(rest, size);
	CHECK(text_is_utf8(t) == (rest.size == 0));
	for (rest = t; text_cut(&rest, ',', &part); parts += part.size + 1)
		CHECK(text_find(part, ',') == part.size);
	CHECK(parts == t.size + 1);
	part = text_trim(t);
	CHECK(text_is(part, text_trim(part)) && text_contains(t, part));
}

static void check_image(struct text t)
{
	static _Alignas(16) char block[2 * ROOM];
	struct scratch scratch;

	scratch_init(&scratch, block, sizeof(block));
	struct text name = kube_image_name(&scratch, t);
	CHECK(name.at != NULL && text_starts(name, t));
	CHECK(name.size == t.size || text_is_z(text_from(name, t.size), ":latest"));
	CHECK(text_is(name, kube_image_name(&scratch, name)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0 || size > TEXT_MAX)
		return 0;
	/* a block of its own, so that reading beyond it is seen */
	char *copy = malloc(size);
	memcpy(copy, data, size);
	struct text t = {copy, size};
	check_address(t);
	check_url(t);
	check_proxy(t);
	check_base64(t);
	check_segment(t);
	check_query(t);
	check_number(t);
	check_characters(t);
	check_image(t);
	free(copy);
	return 0;
}
