/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the files that read options: the table of flags.
 */
#ifndef BERTH_CONFIG_OPTIONS_PRIVATE_H
#define BERTH_CONFIG_OPTIONS_PRIVATE_H

#include "config/options.h"
#include "profile/fields.h"

enum option_type {
	OPTION_BOOL,     /* bool */
	OPTION_PATH,     /* const char *; an empty one is none */
	OPTION_ADDRESS,  /* const char *: an IP address */
	OPTION_TEXT,     /* struct text */
	OPTION_WORDS,    /* struct options_words: "a,b"; the first time instead of the default */
	OPTION_PORT,     /* int32_t: 0 to 65535 */
	OPTION_I32,      /* int32_t */
	OPTION_COUNT,    /* uint32_t: 1 and more */
	OPTION_REAL,     /* double */
	OPTION_DURATION, /* int64_t: microseconds */
	OPTION_BYTES,    /* uint64_t: "256Mi" */
	OPTION_CHOICE,   /* uint32_t: which of the alternatives in `value` */
	OPTION_FORM,     /* bool: json, not text */
	OPTION_FEATURES, /* struct feature_choices: "A=true,B=false" */
	OPTION_RELEASE,  /* uint32_t: enum kube_release */
	OPTION_RULES,    /* struct options_metrics: "metric,label=a,b" */
	OPTION_NOTHING,  /* has no effect: any value */
	OPTION_NOTHING_BOOL,
	OPTION_REFUSED, /* cannot be done: `help` says what to do */
	OPTION_HELP,
	OPTION_VERSION
};

enum option_group {
	OPTION_GROUP_CLUSTER,
	OPTION_GROUP_SCHEDULING,
	OPTION_GROUP_ELECTION,
	OPTION_GROUP_SERVING,
	OPTION_GROUP_ACCESS,
	OPTION_GROUP_PROCESS,
	OPTION_GROUP_DEPRECATED, /* a configuration file says it better, and instead */
	OPTION_GROUP_OLDER,      /* of releases that are gone */
	OPTION_GROUP_NOTHING,
	OPTION_GROUPS
};

struct option {
	const char *name;
	char letter;   /* 0: none */
	uint8_t type;  /* enum option_type */
	uint8_t group; /* enum option_group */
	uint16_t at;   /* in struct options */
	const char *value;
	const char *help;
};

enum { OPTIONS_WORDS_SIZE = 512 /* of a refusal that is put together */ };

extern const struct option option_table[];
extern const uint32_t option_count;

void options_defaults(struct options *options);
/* Flags only. */
enum options_result options_flags_read(
	struct options *options, const struct options_question *question);
/* The option at this place in struct options was on the command line. */
bool options_given(const struct options *options, size_t at);
/* The file, or what the flags say instead of one; then the flags that count in either case. */
/* One rule; false: what is wrong, in a few words. */
bool options_metric_rule(
	struct options_metrics *metrics, struct text key, struct text values, const char **fault);
/* The manifest of labels, and the release whose metrics are to be shown. */
bool options_metrics_check(struct options *options, const struct options_question *question);
bool options_merge(struct options *options, const struct options_question *question);

#endif
