/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The page: files of src/status/page/, compressed when berth is built and sent as they are; a
 * client that does not take gzip is told so.
 */
#include "status/private.h"

#include "page.h" /* bytes */

struct file {
	const char *path;
	const char *type;
	const unsigned char *at;
	size_t size;
};

static const struct file files[] = {
	{"/", "text/html; charset=utf-8", page_html, sizeof(page_html)},
	{"/page.css", "text/css; charset=utf-8", page_css, sizeof(page_css)},
	{"/page.js", "text/javascript; charset=utf-8", page_js, sizeof(page_js)},
	{"/icon.svg", "image/svg+xml", page_svg, sizeof(page_svg)},
};

bool status_page_file(struct text path, const char **type, struct text *file)
{
	for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
		if (!text_is_z(path, files[i].path))
			continue;
		*type = files[i].type;
		*file = (struct text){(const char *)files[i].at, files[i].size};
		return true;
	}
	return false;
}

void page_answer(struct status_answer *a)
{
	const char *type;
	struct text file;
	struct text encodings = net_exchange_header(a->exchange, "accept-encoding", 0);
	if (encodings.at == NULL || !text_contains(encodings, TEXT("gzip"))) {
		status_reply(
			a, 406, status_plain, TEXT("the page is served compressed by gzip only\n"));
		return;
	}
	if (status_page_file(a->exchange->path, &type, &file))
		status_reply_with(
			a, 200, type, "Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n", file);
}
