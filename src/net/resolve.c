/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resolve: a small stub resolver.
 *
 * What libc's does: blocks, allocates, and reads the same two files. What we do: ask for A and
 * AAAA at once over one connected UDP socket with random ids, two seconds for each server in
 * turn, the search domains of /etc/resolv.conf for names with fewer dots than `ndots`. No cache:
 * an answer is kept for as long as its addresses answer, and asked for again when they do not.
 */
#include "net/resolve.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "net/dns.h"

enum { RESOLVE_LINE_MAX = 1024, DNS_PORT = 53 };

/* ---- small text files, line by line, without stdio ---- */

struct lines {
	int fd;
	size_t left; /* of RESOLVE_FILE_MAX */
	size_t used, size;
	char buffer[RESOLVE_LINE_MAX];
};

static bool lines_open(struct lines *lines, const char *path)
{
	lines->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	lines->left = RESOLVE_FILE_MAX;
	lines->used = lines->size = 0;
	return lines->fd >= 0;
}

static void lines_fill(struct lines *lines)
{
	size_t room;

	memmove(lines->buffer, lines->buffer + lines->used, lines->size - lines->used);
	lines->size -= lines->used;
	lines->used = 0;
	room = sizeof(lines->buffer) - lines->size;
	room = room < lines->left ? room : lines->left;
	ssize_t got = room == 0 ? 0 : read(lines->fd, lines->buffer + lines->size, room);
	if (got > 0) {
		lines->size += (size_t)got;
		lines->left -= (size_t)got;
	}
}

/* Without comment and outer white space. Of a line that is too long the rest is a line of its own.
 */
static bool lines_next(struct lines *lines, struct text *line)
{
	struct text rest = {lines->buffer + lines->used, lines->size - lines->used};
	size_t end = text_find(rest, '\n');

	if (end == rest.size) {
		lines_fill(lines);
		rest = (struct text){lines->buffer, lines->size};
		end = text_find(rest, '\n');
	}
	if (rest.size == 0) {
		close(lines->fd);
		return false;
	}
	lines->used += end < rest.size ? end + 1 : end;
	*line = text_first(rest, end);
	*line = text_first(*line, text_find(*line, '#'));
	*line = text_trim(*line);
	return true;
}

static bool word_next(struct text *rest, struct text *word)
{
	size_t end = 0;

	*rest = text_trim(*rest);
	while (end < rest->size && rest->at[end] != ' ' && rest->at[end] != '\t')
		end++;
	*word = text_first(*rest, end);
	*rest = text_from(*rest, end);
	return end > 0;
}

/* ---- /etc/hosts ---- */

static bool same_host(struct text a, const char *name)
{
	if (a.size != strlen(name))
		return false;
	for (size_t i = 0; i < a.size; i++) {
		char x = a.at[i] >= 'A' && a.at[i] <= 'Z' ? (char)(a.at[i] + 32) : a.at[i];
		char y = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 32) : name[i];
		if (x != y)
			return false;
	}
	return true;
}

static void add_address(struct resolve *r, struct net_address address)
{
	address.port = r->port;
	for (uint32_t i = 0; i < r->count; i++)
		if (net_address_is(&r->addresses[i], &address))
			return;
	if (r->count < RESOLVE_ADDRESSES_MAX)
		r->addresses[r->count++] = address;
}

static bool find_in_hosts(struct resolve *r)
{
	struct lines lines;
	struct text line, word;
	struct net_address address, found[RESOLVE_ADDRESSES_MAX];
	uint32_t count = 0;

	if (!lines_open(&lines, r->hosts_path))
		return false;
	while (lines_next(&lines, &line)) {
		if (!word_next(&line, &word) || !net_address_parse(word, r->port, &address))
			continue;
		while (word_next(&line, &word))
			if (same_host(word, r->name) && count < RESOLVE_ADDRESSES_MAX)
				found[count++] = address;
	}
	if (count == 0)
		return false;
	r->count = 0;
	for (uint32_t i = 0; i < count; i++)
		add_address(r, found[i]);
	return true;
}

/* ---- /etc/resolv.conf ---- */

static void take_search(struct resolve *r, struct text line)
{
	struct writer w;
	struct text word;

	writer_init(&w, r->search, sizeof(r->search));
	r->search_count = 0;
	while (r->search_count < RESOLVE_SEARCH_MAX && word_next(&line, &word)) {
		if (word.size + 1 > w.size - w.used)
			break;
		write_text(&w, word);
		write_char(&w, '\0');
		r->search_count++;
	}
}

static void take_options(struct resolve *r, struct text line)
{
	struct text word;
	uint64_t ndots;

	while (word_next(&line, &word))
		if (text_starts(word, TEXT("ndots:")) && text_to_u64(text_from(word, 6), &ndots))
			r->ndots = ndots > 15 ? 15 : (uint32_t)ndots;
}

static void read_servers(struct resolve *r)
{
	struct lines lines;
	struct text line, word;

	r->server_count = r->search_count = 0;
	r->ndots = 1;
	if (lines_open(&lines, r->servers_path)) {
		while (lines_next(&lines, &line)) {
			if (!word_next(&line, &word))
				continue;
			if (text_is_z(word, "nameserver") &&
				r->server_count < RESOLVE_SERVERS_MAX) {
				if (word_next(&line, &word) &&
					net_address_parse(
						word, DNS_PORT, &r->servers[r->server_count]))
					r->server_count++;
			} else if (text_is_z(word, "search") || text_is_z(word, "domain")) {
				take_search(r, line);
			} else if (text_is_z(word, "options")) {
				take_options(r, line);
			}
		}
	}
	/* As libc: without a server there may be one on this machine. */
	if (r->server_count == 0 && net_address_parse(TEXT("127.0.0.1"), DNS_PORT, &r->servers[0]))
		r->server_count = 1;
}

/* ---- forms of the name ---- */

static uint32_t dots_in(const char *name)
{
	uint32_t dots = 0;

	for (; *name != '\0'; name++)
		dots += *name == '.';
	return dots;
}

/* Candidate i: the name alone comes first if it has dots enough, else last. False: no more. */
static bool next_candidate(struct resolve *r)
{
	uint32_t count = r->name[strlen(r->name) - 1] == '.' ? 0 : r->search_count;
	uint32_t alone = dots_in(r->name) >= r->ndots ? 0 : count;
	struct writer w;

	for (; r->candidate <= count; r->candidate++) {
		writer_init(&w, r->asked, sizeof(r->asked) - 1);
		write_z(&w, r->name);
		if (r->candidate != alone) {
			uint32_t index = r->candidate - (r->candidate > alone ? 1 : 0);
			const char *domain = r->search;
			while (index-- > 0)
				domain += strlen(domain) + 1;
			write_char(&w, '.');
			write_z(&w, domain);
		}
		if (w.overflowed)
			continue;
		r->asked[w.used] = '\0';
		r->candidate++;
		r->tries = 0;
		return true;
	}
	return false;
}

/* ---- asking ---- */

static void close_stream(struct resolve *r)
{
	if (r->stream != 0)
		r->bytes->close(r->bytes->self, r->stream);
	r->stream = 0;
}

static enum resolve_step resolve_fail(struct resolve *r, const char *fault)
{
	resolve_stop(r);
	r->fault = fault;
	return RESOLVE_FAILED;
}

static const uint16_t types[2] = {DNS_A, DNS_AAAA};

/* A new socket for each try: a new source port besides new ids. */
static bool resolve_ask(struct resolve *r, struct mono now)
{
	uint8_t query[DNS_QUERY_MAX];

	close_stream(r);
	r->due = mono_after_ms(now, RESOLVE_TRY_MS);
	r->known[0] = r->known[1] = r->answered[0] = r->answered[1] = false;
	if (!r->entropy.fill(r->entropy.self, r->ids, sizeof(r->ids)))
		return false;
	r->ids[1] = r->ids[1] == r->ids[0] ? (uint16_t)(r->ids[1] + 1) : r->ids[1];
	r->stream = r->bytes->open(
		r->bytes->self, NET_STREAM_UDP, &r->servers[r->tries % r->server_count]);
	if (r->stream == 0)
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		size_t size = dns_ask(query, sizeof(query), r->ids[i], r->asked, types[i]);
		if (size == 0)
			return false;
		(void)r->bytes->send(r->bytes->self, r->stream, query, size);
	}
	return true;
}

/* The next try of this candidate, or of the next one. */
static enum resolve_step ask_next_server(struct resolve *r, struct mono now, bool next_name)
{
	if (!next_name && ++r->tries >= RESOLVE_TRIES_MAX && r->tries >= r->server_count)
		return resolve_fail(r, "no name server answered");
	if (next_name && !next_candidate(r))
		return resolve_fail(r, "the name is not known");
	/* What cannot be asked now counts as silence. */
	(void)resolve_ask(r, now);
	return RESOLVE_WAIT;
}

static enum resolve_step begin_question(struct resolve *r, struct mono now)
{
	struct net_address address;

	if (net_address_parse(text_of(r->name), r->port, &address)) {
		r->count = 0;
		add_address(r, address);
		resolve_stop(r);
		return RESOLVE_DONE;
	}
	if (find_in_hosts(r)) {
		resolve_stop(r);
		return RESOLVE_DONE;
	}
	read_servers(r);
	r->candidate = 0;
	return ask_next_server(r, now, true);
}

/* The first answer replaces what was known before, the second one adds to it. */
static void take_found(struct resolve *r, const struct net_address *found, uint32_t count)
{
	if (!r->known[0] && !r->known[1])
		r->count = 0;
	for (uint32_t i = 0; i < count; i++)
		add_address(r, found[i]);
}

/* One datagram, which may answer either question. */
static enum dns_result read_datagram(struct resolve *r, struct text message)
{
	struct net_address found[RESOLVE_ADDRESSES_MAX];
	enum dns_result result = DNS_BROKEN;
	uint32_t count = 0;

	for (uint32_t i = 0; i < 2 && result == DNS_BROKEN; i++) {
		if (r->answered[i])
			continue;
		result = dns_read(message, r->ids[i], r->asked, types[i], found,
			RESOLVE_ADDRESSES_MAX, &count);
		if (result == DNS_BROKEN)
			continue;
		r->answered[i] = true;
		if (result == DNS_FOUND) {
			take_found(r, found, count);
			r->known[i] = true;
		}
	}
	return result;
}

static bool receive(struct resolve *r, bool *refused)
{
	struct text message = r->bytes->received(r->bytes->self, r->stream);
	enum dns_result result;

	if (message.size == 0)
		return false;
	result = message.size > DNS_ANSWER_MAX ? DNS_BROKEN : read_datagram(r, message);
	r->bytes->drop(r->bytes->self, r->stream, message.size);
	*refused = *refused || result == DNS_REFUSED;
	return true;
}

enum resolve_step resolve_step(struct resolve *r, struct mono now)
{
	bool refused = false;

	if (r->asked[0] == '\0')
		return begin_question(r, now);
	while (r->stream != 0 && receive(r, &refused))
		;
	if (r->answered[0] && r->answered[1]) {
		if (r->known[0] || r->known[1]) {
			resolve_stop(r);
			return RESOLVE_DONE;
		}
		return ask_next_server(r, now, !refused);
	}
	bool dead = r->stream == 0 ||
		r->bytes->state(r->bytes->self, r->stream) == NET_STREAM_FAILED ||
		r->bytes->state(r->bytes->self, r->stream) == NET_STREAM_ENDED;
	if (!refused && !dead && !mono_reached(now, r->due))
		return RESOLVE_WAIT;
	if (r->known[0] || r->known[1]) {
		resolve_stop(r);
		return RESOLVE_DONE;
	}
	return ask_next_server(r, now, false);
}

/* ---- start and stop ---- */

bool resolve_init(struct resolve *r, const struct net_bytes *bytes, struct entropy entropy,
	struct text name, uint16_t port)
{
	uint8_t query[DNS_QUERY_MAX];
	struct net_address address;

	*r = (struct resolve){.bytes = bytes,
		.entropy = entropy,
		.hosts_path = "/etc/hosts",
		.servers_path = "/etc/resolv.conf",
		.port = port,
		.due = MONO_NEVER};
	if (name.size == 0 || text_find(name, '\0') < name.size ||
		!text_copy(name, r->name, sizeof(r->name)))
		return false;
	for (size_t i = 0; i < name.size; i++)
		if (name.at[i] <= ' ' || name.at[i] >= 0x7f)
			return false;
	if (net_address_parse(name, port, &address)) {
		add_address(r, address);
		return true;
	}
	sandbox_reads(r->hosts_path);
	sandbox_reads(r->servers_path);
	return dns_ask(query, sizeof(query), 0, r->name, DNS_A) > 0;
}

void resolve_start(struct resolve *r, struct mono now)
{
	close_stream(r);
	r->running = true;
	r->due = now;
	r->asked[0] = '\0';
	r->fault = "";
}

void resolve_stop(struct resolve *r)
{
	close_stream(r);
	r->running = false;
	r->due = MONO_NEVER;
}
