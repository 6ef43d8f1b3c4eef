/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Credentials: texts, files, and files that changed.
 *
 * Kubernetes rotates client certificates, service account tokens and CAs by replacing files.
 * What client-go does: it looks again every minute (tokens) or five (certificates) and closes
 * every connection after a change. What we do: look when a connection is made, close idle
 * connections after a change, let requests and watches under way end by themselves.
 */
#include "http/credentials_private.h"

#include <unistd.h>

#include "base/base64.h"
#include "base/log.h"

static bool load_identity(struct credentials *c, uint32_t into, struct writer *fault)
{
	struct tls_pem pem = {.insecure_skip_verify = c->target->insecure_skip_verify,
		.any_time = c->target->any_time};

	return secret_identity_make(&c->identities[into], c->parts, &pem, fault);
}

enum credentials_news credentials_refresh(struct credentials *c, struct mono now)
{
	char line[256];
	struct writer fault;

	if (!c->secured ||
		mono_since_us(now, c->checked) < (int64_t)CREDENTIALS_CHECK_MS * CLOCK_MS_US)
		return CREDENTIALS_SAME;
	bool changed = secret_parts_changed(c->parts);
	if (changed && c->identities[1 - c->current].users > 0)
		return CREDENTIALS_BLOCKED;
	c->checked = now;
	if (!changed)
		return CREDENTIALS_SAME;
	writer_init(&fault, line, sizeof(line));
	if (!load_identity(c, 1 - c->current, &fault)) {
		log_warn("net", "certificates-not-reloaded", "target=%s fault=\"%.*s\"",
			c->target->name, TEXT_ARGS(writer_text(&fault)));
		return CREDENTIALS_SAME;
	}
	c->current = 1 - c->current;
	c->ticket.size = 0;
	log_info("net", "certificates-reloaded", "target=%s", c->target->name);
	return CREDENTIALS_CHANGED;
}

/* ---- the Authorization header ---- */

static bool is_token(struct text token)
{
	for (size_t i = 0; i < token.size; i++)
		if (token.at[i] <= ' ' || token.at[i] >= 0x7f)
			return false;
	return token.size > 0;
}

static bool set_bearer(
	struct credentials *c, struct text token, const char *whence, struct writer *fault)
{
	struct writer w;

	token = text_trim(token);
	if (!is_token(token)) {
		write_format(fault, "%s: empty, or with characters that no token has", whence);
		return false;
	}
	writer_init(&w, c->authorization, c->authorization_room);
	write_z(&w, "Bearer ");
	write_text(&w, token);
	if (w.overflowed) {
		write_format(fault, "%s: larger than %d bytes", whence, CREDENTIALS_TOKEN_MAX);
		return false;
	}
	c->authorization_size = w.used;
	return true;
}

static bool set_basic(struct credentials *c, struct writer *fault)
{
	char pair[512];
	struct writer plain, w;

	writer_init(&plain, pair, sizeof(pair));
	write_text(&plain, c->target->username);
	write_char(&plain, ':');
	write_text(&plain, c->target->password);
	writer_init(&w, c->authorization, c->authorization_room);
	write_z(&w, "Basic ");
	base64_write(writer_text(&plain), &w);
	explicit_bzero(pair, sizeof(pair));
	if (plain.overflowed || w.overflowed) {
		write_z(fault, "username and password: too long");
		return false;
	}
	c->authorization_size = w.used;
	return true;
}

static bool load_token(struct credentials *c, struct writer *fault)
{
	struct secret_file seen;
	/* Read behind the place where the header will stand, so that a bad file leaves the old one.
	 */
	char *at = c->authorization + c->authorization_room;
	int fd = secret_file_open(c->target->token_file, CREDENTIALS_TOKEN_MAX, &seen, fault);

	if (fd < 0)
		return false;
	bool good = secret_read(fd, at, (size_t)seen.size);
	close(fd);
	if (!good)
		write_format(fault, "%s: cannot be read", c->target->token_file);
	good = good &&
		set_bearer(c, (struct text){at, (size_t)seen.size}, c->target->token_file, fault);
	explicit_bzero(at, (size_t)seen.size);
	if (good)
		c->token = seen;
	return good;
}

void credentials_refresh_token(struct credentials *c, struct mono now)
{
	char line[256];
	struct writer fault;
	int64_t pause_ms = c->token_doubted ? 1000 : CREDENTIALS_TOKEN_CHECK_MS;

	if (c->target->token_file == NULL || c->target->token.at != NULL ||
		mono_since_us(now, c->token_checked) < pause_ms * CLOCK_MS_US)
		return;
	c->token_checked = now;
	c->token_doubted = false;
	if (!secret_file_changed(c->target->token_file, &c->token))
		return;
	writer_init(&fault, line, sizeof(line));
	if (load_token(c, &fault))
		log_info("net", "token-reloaded", "target=%s", c->target->name);
	else
		log_warn("net", "token-not-reloaded", "target=%s fault=\"%.*s\"", c->target->name,
			TEXT_ARGS(writer_text(&fault)));
}

/* ---- start ---- */

static size_t authorization_room(const struct net_target *target)
{
	if (target->token.at != NULL)
		return target->token.size + sizeof("Bearer ");
	if (target->token_file != NULL)
		return CREDENTIALS_TOKEN_MAX + sizeof("Bearer ");
	return target->username.at == NULL ? 0 : 1024;
}

static size_t authorization_memory(const struct net_target *target)
{
	bool from_file = target->token.at == NULL && target->token_file != NULL;

	return authorization_room(target) + (from_file ? CREDENTIALS_TOKEN_MAX : 0);
}

size_t credentials_size(const struct net_target *target)
{
	return authorization_memory(target) + 16;
}

/* A password must not travel in the clear, so without https there are no credentials at all. */
static bool init_authorization(struct credentials *c, struct writer *fault)
{
	const struct net_target *target = c->target;

	if (!target->https)
		return true;
	if (target->token.at != NULL)
		return set_bearer(c, target->token, "token", fault);
	if (target->token_file != NULL)
		return load_token(c, fault);
	return target->username.at == NULL || set_basic(c, fault);
}

static bool init_identity(struct credentials *c, struct text proxy, struct writer *fault)
{
	const struct net_target *target = c->target;
	struct secret_part *parts = c->parts;
	bool has_ca = secret_part_set(&parts[SECRET_CA], target->ca, target->ca_file);
	bool has_certificate = secret_part_set(
		&parts[SECRET_CERTIFICATE], target->certificate, target->certificate_file);
	bool has_key = secret_part_set(&parts[SECRET_KEY], target->key, target->key_file);

	c->secured = target->https || proxy.at != NULL;
	if (!c->secured)
		return true;
	if (!tls_peer_set(&c->peer,
		    proxy.at != NULL                         ? proxy
			    : target->server_name.at != NULL ? target->server_name
							     : target->host)) {
		write_z(fault, "the server's name is not one that a certificate can have");
		return false;
	}
	if (has_certificate != has_key) {
		write_z(fault,
			has_key ? "a client key without a client certificate"
				: "a client certificate without a client key");
		return false;
	}
	if (target->insecure_skip_verify && has_ca) {
		write_z(fault,
			"specifying a root certificates file with the insecure flag is not "
			"allowed");
		return false;
	}
	if (!target->insecure_skip_verify && !has_ca) {
		write_z(fault,
			"no certificate authority is named to verify the server with "
			"(certificate-authority)");
		return false;
	}
	if (target->insecure_skip_verify)
		log_warn("net", "server-not-verified",
			"target=%s insecure-skip-tls-verify is set: anybody on the way can read "
			"and change everything",
			target->name);
	return load_identity(c, 0, fault);
}

bool credentials_init(struct credentials *c, struct arena *arena, const struct net_target *target,
	struct text proxy, struct mono now, struct writer *fault)
{
	c->target = target;
	c->checked = c->token_checked = now;
	c->authorization_room = authorization_room(target);
	if (c->authorization_room > 0)
		c->authorization = arena_take(arena, authorization_memory(target));
	return init_authorization(c, fault) && init_identity(c, proxy, fault);
}

void credentials_close(struct credentials *c)
{
	tls_identity_drop(&c->identities[0]);
	tls_identity_drop(&c->identities[1]);
}
