/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server of the tests: certificates made by mbedTLS, answers by path.
 */
#include "http/other_end.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <mbedtls/ecp.h>
#include <mbedtls/oid.h>
#include <mbedtls/pk.h>
#include <mbedtls/platform.h>
#include <mbedtls/ssl.h>
#include <mbedtls/ssl_ticket.h>
#include <mbedtls/x509_crt.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/check.h"
#include "base/entropy.h"
#include "tls/tls.h"

static int server_random(void *context, unsigned char *output, size_t size)
{
	(void)context;
	while (size > 0) {
		ssize_t got = getrandom(output, size > 256 ? 256 : size, 0);
		CHECK(got > 0);
		output += got;
		size -= (size_t)got;
	}
	return 0;
}

/* ---- certificates ---- */

/* Our mbedTLS cannot make RSA keys: berth never does. */
static void make_rsa_key(mbedtls_pk_context *key)
{
	char pem[SERVER_PEM_MAX];
	FILE *openssl = popen("openssl genrsa 2048 2>/dev/null", "r");

	CHECK(openssl != NULL);
	size_t size = fread(pem, 1, sizeof(pem) - 1, openssl);
	CHECK(pclose(openssl) == 0);
	pem[size] = '\0';
	CHECK(mbedtls_pk_parse_key(key, (const unsigned char *)pem, size + 1, NULL, 0,
		      server_random, NULL) == 0);
}

static void make_key(mbedtls_pk_context *key, bool rsa)
{
	mbedtls_pk_init(key);
	if (rsa) {
		make_rsa_key(key);
		return;
	}
	CHECK(mbedtls_pk_setup(key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY)) == 0);
	CHECK(mbedtls_ecp_gen_key(
		      MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(*key), server_random, NULL) == 0);
}

static void set_validity(mbedtls_x509write_cert *certificate, int from_days, int to_days)
{
	char from[32], to[32];
	struct tm tm;
	time_t at = time(NULL) + (time_t)from_days * 86400;

	strftime(from, sizeof(from), "%Y%m%d%H%M%S", gmtime_r(&at, &tm));
	at = time(NULL) + (time_t)to_days * 86400;
	strftime(to, sizeof(to), "%Y%m%d%H%M%S", gmtime_r(&at, &tm));
	CHECK(mbedtls_x509write_crt_set_validity(certificate, from, to) == 0);
}

static void set_names(mbedtls_x509write_cert *certificate, const char *names)
{
	mbedtls_x509_san_list list[4];
	uint8_t address[4][16];
	char copy[256], *rest = NULL;
	size_t count = 0;

	memset(list, 0, sizeof(list));
	snprintf(copy, sizeof(copy), "%s", names);
	for (char *word = strtok_r(copy, " ", &rest); word != NULL;
		word = strtok_r(NULL, " ", &rest)) {
		mbedtls_x509_subject_alternative_name *node = &list[count].node;
		bool v6 = strchr(word + 3, ':') != NULL;

		CHECK(count < ARRAY_COUNT(list));
		if (strncmp(word, "dns:", 4) == 0) {
			node->type = MBEDTLS_X509_SAN_DNS_NAME;
			node->san.unstructured_name.p = (unsigned char *)word + 4;
			node->san.unstructured_name.len = strlen(word + 4);
		} else {
			CHECK(inet_pton(v6 ? AF_INET6 : AF_INET, word + 3, address[count]) == 1);
			node->type = MBEDTLS_X509_SAN_IP_ADDRESS;
			node->san.unstructured_name.p = address[count];
			node->san.unstructured_name.len = v6 ? 16 : 4;
		}
		if (count > 0)
			list[count - 1].next = &list[count];
		count++;
	}
	if (count > 0)
		CHECK(mbedtls_x509write_crt_set_subject_alternative_name(certificate, list) == 0);
}

static void issuer_of(
	const struct server_certificate *issuer, char *name, size_t size, mbedtls_pk_context *key)
{
	mbedtls_x509_crt certificate;

	mbedtls_x509_crt_init(&certificate);
	mbedtls_pk_init(key);
	CHECK(mbedtls_x509_crt_parse(&certificate, (const unsigned char *)issuer->certificate,
		      strlen(issuer->certificate) + 1) == 0);
	CHECK(mbedtls_pk_parse_key(key, (const unsigned char *)issuer->key, strlen(issuer->key) + 1,
		      NULL, 0, server_random, NULL) == 0);
	CHECK(mbedtls_x509_dn_gets(name, size, &certificate.subject) > 0);
	mbedtls_x509_crt_free(&certificate);
}

void server_make_certificate(struct server_certificate *made, const struct server_name *name,
	const struct server_certificate *issuer)
{
	mbedtls_x509write_cert certificate;
	mbedtls_pk_context key, issuer_key;
	char subject[128], issued_by[128];
	unsigned char serial[8];

	/* No client is open now; the next one sets its fence again. */
	mbedtls_platform_set_calloc_free(calloc, free);
	make_key(&key, name->rsa);
	snprintf(subject, sizeof(subject), "CN=%s", name->common);
	snprintf(issued_by, sizeof(issued_by), "%s", subject);
	mbedtls_pk_init(&issuer_key);
	if (issuer != NULL)
		issuer_of(issuer, issued_by, sizeof(issued_by), &issuer_key);
	mbedtls_x509write_crt_init(&certificate);
	mbedtls_x509write_crt_set_version(&certificate, MBEDTLS_X509_CRT_VERSION_3);
	mbedtls_x509write_crt_set_md_alg(&certificate, MBEDTLS_MD_SHA256);
	mbedtls_x509write_crt_set_subject_key(&certificate, &key);
	mbedtls_x509write_crt_set_issuer_key(&certificate, issuer == NULL ? &key : &issuer_key);
	CHECK(mbedtls_x509write_crt_set_subject_name(&certificate, subject) == 0);
	CHECK(mbedtls_x509write_crt_set_issuer_name(&certificate, issued_by) == 0);
	server_random(NULL, serial, sizeof(serial));
	serial[0] &= 0x7f;
	CHECK(mbedtls_x509write_crt_set_serial_raw(&certificate, serial, sizeof(serial)) == 0);
	CHECK(mbedtls_x509write_crt_set_basic_constraints(&certificate, issuer == NULL, -1) == 0);
	/* not critical: permitted are the names below example.com */
	if (name->constrained)
		CHECK(mbedtls_x509write_crt_set_extension(&certificate, "\x55\x1d\x1e", 3, 0,
			      (const unsigned char *)"\x30\x11\xa0\x0f\x30\x0d\x82\x0b"
						     "example.com",
			      19) == 0);
	set_validity(&certificate, name->from_days, name->to_days);
	set_names(&certificate, name->names);
	CHECK(mbedtls_x509write_crt_pem(&certificate, (unsigned char *)made->certificate,
		      sizeof(made->certificate), server_random, NULL) == 0);
	CHECK(mbedtls_pk_write_key_pem(&key, (unsigned char *)made->key, sizeof(made->key)) == 0);
	mbedtls_x509write_crt_free(&certificate);
	mbedtls_pk_free(&key);
	mbedtls_pk_free(&issuer_key);
}

/* ---- a connection ---- */

struct peer {
	struct server *server;
	const struct server_setup *setup;
	int fd;
	bool secure;
	mbedtls_ssl_context ssl;
	uint32_t connection, request;
	char head[16 * 1024];
	size_t head_size; /* bytes read, the next request may have begun */
};

struct shared {
	mbedtls_ssl_config config;
	mbedtls_x509_crt certificate, client_ca;
	mbedtls_pk_context key;
	mbedtls_ssl_ticket_context tickets;
};

static int bio_send(void *self, const unsigned char *bytes, size_t size)
{
	ssize_t sent = send(*(int *)self, bytes, size, MSG_NOSIGNAL);
	return sent < 0 ? MBEDTLS_ERR_SSL_INTERNAL_ERROR : (int)sent;
}

static int bio_receive(void *self, unsigned char *to, size_t size)
{
	ssize_t got = recv(*(int *)self, to, size, 0);
	return got < 0 ? MBEDTLS_ERR_SSL_INTERNAL_ERROR : (int)got;
}

static void say(struct peer *peer, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0) {
		int sent = peer->secure
			? mbedtls_ssl_write(&peer->ssl, (const unsigned char *)at, size)
			: (int)send(peer->fd, at, size, MSG_NOSIGNAL);
		if (sent <= 0)
			_exit(0);
		at += sent;
		size -= (size_t)sent;
	}
}

static void say_z(struct peer *peer, const char *text)
{
	say(peer, text, strlen(text));
}

static int hear(struct peer *peer, char *to, size_t size)
{
	int got = peer->secure ? mbedtls_ssl_read(&peer->ssl, (unsigned char *)to, size)
			       : (int)recv(peer->fd, to, size, 0);
	return got;
}

static void answer(struct peer *peer, int status, const char *headers, const char *body)
{
	char head[512];

	snprintf(head, sizeof(head), "HTTP/1.1 %d X\r\n%sContent-Length: %zu\r\n\r\n", status,
		headers, strlen(body));
	size_t size = strlen(head), body_size = strlen(body);
	char *all = malloc(size + body_size);
	memcpy(all, head, size);
	memcpy(all + size, body, body_size);
	say(peer, all, size + body_size);
	free(all);
}

static void answer_size(struct peer *peer, size_t left, bool chunked)
{
	char head[128], part[8192];

	memset(part, 'x', sizeof(part));
	if (chunked)
		snprintf(
			head, sizeof(head), "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n");
	else
		snprintf(head, sizeof(head), "HTTP/1.1 200 X\r\nContent-Length: %zu\r\n\r\n", left);
	say_z(peer, head);
	while (left > 0) {
		size_t size = left < sizeof(part) ? left : sizeof(part);
		if (chunked) {
			snprintf(head, sizeof(head), "%zx\r\n", size);
			say_z(peer, head);
		}
		say(peer, part, size);
		if (chunked)
			say_z(peer, "\r\n");
		left -= size;
	}
	if (chunked)
		say_z(peer, "0\r\n\r\n");
}

static _Noreturn void quit(struct peer *peer, bool in_order)
{
	if (peer->secure && in_order && mbedtls_ssl_is_handshake_over(&peer->ssl) == 1)
		mbedtls_ssl_close_notify(&peer->ssl);
	shutdown(peer->fd, SHUT_WR);
	/* Until the client has gone, lest a reset overtakes what was said. */
	if (in_order)
		while (recv(peer->fd, peer->head, sizeof(peer->head), 0) > 0)
			;
	__sync_fetch_and_sub(&peer->server->counts->open, 1);
	_exit(0);
}

static void header(const struct peer *peer, const char *name, char *to, size_t size)
{
	const char *at = strstr(peer->head, name);

	snprintf(to, size, "-");
	if (at == NULL)
		return;
	at += strlen(name);
	snprintf(to, size, "%.*s", (int)strcspn(at, "\r"), at);
}

static void echo(struct peer *peer, size_t body_size)
{
	char text[1024], token[256], agent[128], name[128] = "-", host[128], proxy[256];

	header(peer, "\nAuthorization: ", token, sizeof(token));
	header(peer, "Proxy-Authorization: ", proxy, sizeof(proxy));
	header(peer, "User-Agent: ", agent, sizeof(agent));
	header(peer, "Host: ", host, sizeof(host));
	if (peer->secure && mbedtls_ssl_get_peer_cert(&peer->ssl) != NULL)
		mbedtls_x509_dn_gets(
			name, sizeof(name), &mbedtls_ssl_get_peer_cert(&peer->ssl)->subject);
	snprintf(text, sizeof(text),
		"connection=%u request=%u method=%.*s auth=%s client=%s body=%zu agent=%s host=%s "
		"tls=%s proxy-auth=%s\n",
		peer->connection, peer->request, (int)strcspn(peer->head, " "), peer->head, token,
		name, body_size, agent, host,
		peer->secure ? mbedtls_ssl_get_version(&peer->ssl) : "-", proxy);
	answer(peer, 200, "", text);
}

static void authorize(struct peer *peer, const char *wanted)
{
	char token[256], expected[512];

	header(peer, "Authorization: ", token, sizeof(token));
	snprintf(expected, sizeof(expected), "Bearer %s", wanted);
	if (strcmp(token, expected) == 0)
		answer(peer, 200, "", "welcome");
	else
		answer(peer, 401, "", "who are you");
}

static _Noreturn void wait_for_ever(void)
{
	for (;;)
		pause();
}

static void misbehave(struct peer *peer, const char *path)
{
	if (strcmp(path, "/drop") == 0 || (strcmp(path, "/drop-reused") == 0 && peer->request > 1))
		quit(peer, false);
	if (strcmp(path, "/half") == 0 || strcmp(path, "/stall") == 0) {
		say_z(peer, "HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\n0123456789");
		if (strcmp(path, "/half") == 0)
			quit(peer, true);
		wait_for_ever();
	}
	if (strcmp(path, "/hang") == 0)
		wait_for_ever();
	if (strcmp(path, "/garbage") == 0)
		say_z(peer, "SSH-2.0-OpenSSH_9.2\r\n");
	if (strcmp(path, "/big-head") == 0)
		for (say_z(peer, "HTTP/1.1 200 X\r\nA: ");;)
			say_z(peer,
				"012345678901234567890123456789012345678901234567890123456789012345"
				"6789");
	if (strncmp(path, "/to-", 4) == 0) {
		say_z(peer, "HTTP/1.1 200 X\r\n\r\nto the end");
		quit(peer, strcmp(path, "/to-end") == 0);
	}
	answer(peer, 200, "", "fine");
}

/* ---- a proxy ---- */

static int connect_to(uint16_t port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

static _Noreturn void relay(struct peer *peer, int fd)
{
	char part[4096];
	int got = 1;

	while (got > 0) {
		struct pollfd polled[] = {
			{.fd = peer->fd, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
		bool pending = peer->secure && mbedtls_ssl_get_bytes_avail(&peer->ssl) > 0;
		poll(polled, 2, pending ? 0 : -1);
		if (polled[1].revents != 0) {
			got = (int)recv(fd, part, sizeof(part), 0);
			if (got > 0)
				say(peer, part, (size_t)got);
		}
		if (got > 0 && (pending || polled[0].revents != 0)) {
			got = hear(peer, part, sizeof(part));
			if (got > 0)
				CHECK(send(fd, part, (size_t)got, MSG_NOSIGNAL) == got);
		}
	}
	close(fd);
	quit(peer, true);
}

static _Noreturn void tunnel(struct peer *peer, const char *target)
{
	char shown[512], wanted[512];
	const char *colon = strrchr(target, ':');

	header(peer, "Proxy-Authorization: ", shown, sizeof(shown));
	snprintf(wanted, sizeof(wanted), "Basic %s", peer->setup->proxy_user);
	if (peer->setup->proxy_user != NULL && strcmp(shown, wanted) != 0) {
		answer(peer, 407, "", "who are you");
		quit(peer, true);
	}
	int fd = colon == NULL ? -1 : connect_to((uint16_t)strtoul(colon + 1, NULL, 10));
	if (fd < 0) {
		answer(peer, 502, "", "nobody there");
		quit(peer, true);
	}
	say_z(peer, "HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n");
	relay(peer, fd);
}

static void hear_all(struct peer *peer, void *to, size_t size)
{
	for (size_t used = 0; used < size;) {
		ssize_t got = recv(peer->fd, (char *)to + used, size - used, 0);
		if (got <= 0)
			quit(peer, true);
		used += (size_t)got;
	}
}

static void socks_password(struct peer *peer)
{
	uint8_t size;
	char user[256] = "", password[256] = "", both[600];

	say(peer, "\5\2", 2);
	hear_all(peer, &size, 1);
	CHECK(size == 1);
	hear_all(peer, &size, 1);
	hear_all(peer, user, size);
	hear_all(peer, &size, 1);
	hear_all(peer, password, size);
	snprintf(both, sizeof(both), "%s:%s", user, password);
	bool good = strcmp(both, peer->setup->proxy_user) == 0;
	say(peer, good ? "\1\0" : "\1\1", 2);
	if (!good)
		quit(peer, true);
}

static _Noreturn void serve_socks(struct peer *peer)
{
	uint8_t head[4], size, methods[256], name[256], port[2];

	hear_all(peer, head, 2);
	CHECK(head[0] == 5);
	hear_all(peer, methods, head[1]);
	if (peer->setup->proxy_user != NULL) {
		if (memchr(methods, 2, head[1]) == NULL) {
			say(peer, "\5\377", 2);
			quit(peer, true);
		}
		socks_password(peer);
	} else {
		say(peer, "\5\0", 2);
	}
	hear_all(peer, head, 4);
	CHECK(head[0] == 5 && head[1] == 1 && head[2] == 0);
	size = head[3] == 1 ? 4 : 16;
	if (head[3] == 3)
		hear_all(peer, &size, 1);
	hear_all(peer, name, size);
	hear_all(peer, port, 2);
	int fd = connect_to((uint16_t)(port[0] << 8 | port[1]));
	say(peer, fd < 0 ? "\5\5\0\1\0\0\0\0\0\0" : "\5\0\0\1\177\0\0\1\0\120", 10);
	if (fd < 0)
		quit(peer, true);
	relay(peer, fd);
}

static void respond(struct peer *peer, const char *path, size_t body_size)
{
	if (strncmp(peer->head, "CONNECT ", 8) == 0)
		tunnel(peer, path);
	if (strcmp(path, "/echo") == 0 || strncmp(path, "http://", 7) == 0) {
		echo(peer, body_size);
	} else if (strncmp(path, "/size/", 6) == 0 || strncmp(path, "/chunked/", 9) == 0) {
		answer_size(peer, strtoul(strchr(path + 1, '/') + 1, NULL, 10), path[1] == 'c');
	} else if (strncmp(path, "/slow/", 6) == 0) {
		poll(NULL, 0, (int)strtol(path + 6, NULL, 10));
		answer(peer, 200, "", "slow");
	} else if (strncmp(path, "/auth/", 6) == 0) {
		authorize(peer, path + 6);
	} else if (strcmp(path, "/retry-after") == 0) {
		answer(peer, 429, "Retry-After: 7\r\n", "not now");
	} else if (strcmp(path, "/close") == 0) {
		answer(peer, 200, "Connection: close\r\n", "bye");
		quit(peer, true);
	} else if (strcmp(path, "/close-later") == 0) {
		answer(peer, 200, "", "bye");
		quit(peer, true);
	} else {
		misbehave(peer, path);
	}
}

/* The next request's head and body; false when the client has gone. */
static bool read_request(struct peer *peer, char *path, size_t path_size, size_t *body_size)
{
	char *end, value[32];

	peer->head[peer->head_size] = '\0';
	while ((end = strstr(peer->head, "\r\n\r\n")) == NULL) {
		int got = hear(peer, peer->head + peer->head_size,
			sizeof(peer->head) - 1 - peer->head_size);
		if (got <= 0)
			return false;
		peer->head_size += (size_t)got;
		peer->head[peer->head_size] = '\0';
	}
	header(peer, "Content-Length: ", value, sizeof(value));
	*body_size = strtoul(value, NULL, 10);
	size_t left = *body_size, more = peer->head_size - (size_t)(end + 4 - peer->head);
	char sink[4096];
	left -= more < left ? more : left;
	while (left > 0) {
		int got = hear(peer, sink, left < sizeof(sink) ? left : sizeof(sink));
		if (got <= 0)
			return false;
		left -= (size_t)got;
	}
	peer->head_size = 0;
	const char *start = strchr(peer->head, ' ') + 1;
	snprintf(path, path_size, "%.*s", (int)strcspn(start, " "), start);
	return true;
}

static _Noreturn void serve(
	struct server *server, struct shared *shared, const struct server_setup *setup, int fd)
{
	static struct peer peer;
	bool secure = setup->certificate != NULL;
	char path[256];
	size_t body_size;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	peer.server = server;
	peer.setup = setup;
	peer.fd = fd;
	peer.secure = secure;
	peer.connection = __sync_add_and_fetch(&server->counts->connections, 1);
	uint32_t open = __sync_add_and_fetch(&server->counts->open, 1);
	if (open > server->counts->open_max)
		server->counts->open_max = open;
	if (setup->socks)
		serve_socks(&peer);
	if (secure) {
		mbedtls_ssl_init(&peer.ssl);
		CHECK(mbedtls_ssl_setup(&peer.ssl, &shared->config) == 0);
		mbedtls_ssl_set_bio(&peer.ssl, &peer.fd, bio_send, bio_receive, NULL);
		if (mbedtls_ssl_handshake(&peer.ssl) != 0)
			quit(&peer, true);
	}
	while (read_request(&peer, path, sizeof(path), &body_size)) {
		peer.request++;
		__sync_fetch_and_add(&server->counts->requests, 1);
		respond(&peer, path, body_size);
	}
	quit(&peer, true);
}

/* ---- the server ---- */

static void make_shared(struct shared *shared, const struct server_setup *setup)
{
	const struct server_certificate *own = setup->certificate;
	static struct arena arena;
	size_t size = tls_setup_size(8);

	/* The client that this process was forked from may have set TLS up already. */
	tls_teardown();
	arena_init(&arena, calloc(1, size), size);
	tls_setup(&arena, 8, entropy_system());
	mbedtls_ssl_config_init(&shared->config);
	mbedtls_x509_crt_init(&shared->certificate);
	mbedtls_x509_crt_init(&shared->client_ca);
	mbedtls_pk_init(&shared->key);
	mbedtls_ssl_ticket_init(&shared->tickets);
	CHECK(mbedtls_x509_crt_parse(&shared->certificate, (const unsigned char *)own->certificate,
		      strlen(own->certificate) + 1) == 0);
	CHECK(mbedtls_pk_parse_key(&shared->key, (const unsigned char *)own->key,
		      strlen(own->key) + 1, NULL, 0, server_random, NULL) == 0);
	CHECK(mbedtls_ssl_config_defaults(&shared->config, MBEDTLS_SSL_IS_SERVER,
		      MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT) == 0);
	mbedtls_ssl_conf_rng(&shared->config, server_random, NULL);
	CHECK(mbedtls_ssl_conf_own_cert(&shared->config, &shared->certificate, &shared->key) == 0);
	if (setup->client_ca != NULL) {
		CHECK(mbedtls_x509_crt_parse(&shared->client_ca,
			      (const unsigned char *)setup->client_ca,
			      strlen(setup->client_ca) + 1) == 0);
		mbedtls_ssl_conf_ca_chain(&shared->config, &shared->client_ca, NULL);
		mbedtls_ssl_conf_authmode(&shared->config, MBEDTLS_SSL_VERIFY_REQUIRED);
	}
	if (setup->only_tls12)
		mbedtls_ssl_conf_max_tls_version(&shared->config, MBEDTLS_SSL_VERSION_TLS1_2);
	CHECK(mbedtls_ssl_ticket_setup(&shared->tickets, server_random, NULL,
		      MBEDTLS_CIPHER_AES_256_GCM, 86400) == 0);
	mbedtls_ssl_conf_session_tickets_cb(&shared->config, mbedtls_ssl_ticket_write,
		mbedtls_ssl_ticket_parse, &shared->tickets);
}

static _Noreturn void run(struct server *server, const struct server_setup *setup, int listener)
{
	static struct shared shared;

	setpgid(0, 0);
	/* A test that dies takes its servers along. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_IGN);
	if (setup->certificate != NULL)
		make_shared(&shared, setup);
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		if (fd < 0)
			continue;
		if (setup->no_handshake)
			continue;
		if (fork() == 0) {
			close(listener);
			serve(server, &shared, setup, fd);
		}
		close(fd);
	}
}

void server_start(struct server *server, const struct server_setup *setup)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(setup->port)};
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* The processes of the server before this one may not have gone yet. */
	int tries = 200;
	while (bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0) {
		CHECK(errno == EADDRINUSE);
		CHECK(tries-- > 0);
		poll(NULL, 0, 10);
	}
	CHECK(listen(listener, 64) == 0);
	CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
	server->port = ntohs(address.sin_port);
	server->counts = mmap(NULL, sizeof(*server->counts), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(server->counts != MAP_FAILED);
	fflush(NULL);
	server->pid = fork();
	CHECK(server->pid >= 0);
	if (server->pid == 0)
		run(server, setup, listener);
	setpgid(server->pid, server->pid);
	close(listener);
}

void server_stop(struct server *server)
{
	if (server->pid <= 0)
		return;
	kill(-server->pid, SIGKILL);
	waitpid(server->pid, NULL, 0);
	munmap((void *)(uintptr_t)server->counts, sizeof(*server->counts));
	server->pid = 0;
}
