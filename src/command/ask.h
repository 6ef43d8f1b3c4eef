/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ask: questions to a berth that runs, over its port, with the credentials of a kubeconfig. What it
 * answers may come from anybody: nothing of it is taken for granted.
 *
 * Where it is: --server, $BERTH_SERVER, else port 10259 of this machine. Whose word it is: the CA
 * of the kubeconfig (k3s signs the certificate that berth serves there), or --ca. A certificate
 * that neither has signed is not refused, since berth makes one for itself where it has none; but
 * then no token is sent, and a line says so.
 */
#ifndef BERTH_COMMAND_ASK_H
#define BERTH_COMMAND_ASK_H

#include "base/arena.h"
#include "command/command.h"
#include "command/flags.h"
#include "command/output.h"
#include "config/kubeconfig.h"
#include "http/http.h"
#include "json/json.h"

struct ask_flags {
	const char *server;
	const char *kubeconfig;
	const char *ca;
	bool insecure;
};

/* Of a struct of flags that has them as `ask`. */
#define ASK_FLAGS(type)                                                              \
	{"server", 0, FLAG_TEXT, offsetof(type, ask.server), "URL",                  \
		"else $BERTH_SERVER, https://127.0.0.1:10259"},                      \
		{"kubeconfig", 0, FLAG_TEXT, offsetof(type, ask.kubeconfig), "FILE", \
			"credentials, and the CA of its certificate"},               \
		{"ca", 0, FLAG_TEXT, offsetof(type, ask.ca), "FILE",                 \
			"CA of its certificate, or that itself, PEM"},               \
	{                                                                            \
		"insecure", 0, FLAG_BOOL, offsetof(type, ask.insecure), NULL,        \
			"send credentials without verifying its certificate"         \
	}

/* "NS/NAME", "NAME", and as kubectl has them "pod/NAME" with the namespace beside it. */
struct ask_pod {
	struct text namespace, name;
};
MUST_USE bool ask_pod_named(const char *word, const char *namespace, struct ask_pod *pod);

enum {
	ASK_MEMORY = 96 << 20, /* address space: answers about large clusters are long */
	ASK_SETUP = 16 << 20,  /* of it: connections, kubeconfig */
	ASK_CONNECTIONS = 6    /* as a browser has */
};

/* Bytes of an answer as they come. False: no more of them. */
typedef bool ask_take_fn(void *self, const struct net_answer *answer, struct text bytes);

struct ask {
	struct output err;
	const struct ask_flags *flags;
	const char *server;
	struct url url;
	struct arena arena;
	struct scratch scratch; /* the caller's */
	struct kubeconfig kubeconfig;
	bool has_kubeconfig;
	bool is_unproven; /* the certificate was not signed by whom we know */
	struct net_bytes bytes;
	struct net *net;
	struct net_client *client;
	struct net_request request;
	struct json_cut *cut;
	struct text body; /* sent with POST; none: GET */
	struct text json;
	ask_take_fn *take; /* of bytes, in place of `json`; NULL: none */
	void *self;
	bool done;
	uint32_t streams;
	size_t size; /* of the block that this lies in */
};

/*
 * NULL: an error was printed. `streams`: of the caller, besides; with some of them it may ask for
 * answers that do not end, too (NET_WATCH).
 */
struct ask *ask_open(const struct command_io *io, const struct ask_flags *flags,
	uint64_t memory_bytes, uint32_t streams);
/*
 * GET; canonical JSON, good until the next one; `opens` is '{' or '[': what it must be. False:
 * a line about it was printed.
 */
MUST_USE bool ask_get(struct ask *ask, struct text path, char opens, struct text *json);
/* One line on err, about the server. */
void ask_complain(struct ask *ask, struct text fault);
void ask_close(struct ask *ask);

/* Of a cluster's apiserver, for ask_stream(). NULL: `fault` says why. */
struct ask *ask_open_cluster(const struct kubeconfig_question *cluster, struct writer *fault);
/* GET; the status, 0 with a line in `fault`. take NULL: canonical JSON in ask->json. */
uint16_t ask_stream(
	struct ask *ask, struct text path, ask_take_fn *take, void *self, struct writer *fault);
/* One object of a cluster's apiserver, before anything else runs; for struct options_question. */
bool ask_cluster(const struct kubeconfig_question *cluster, const char *path,
	struct scratch *scratch, struct text *json, struct writer *fault);

#endif
