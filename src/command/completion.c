/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * completion: what a shell may put behind the words of a command line. The scripts are a few lines:
 * they ask this binary, which looks at its table of commands.
 */
#include <string.h>

#include "command/command.h"
#include "command/flags.h"
#include "command/output.h"
#include "config/options.h"

static const struct {
	const char *shell, *script;
} scripts[] = {
	/* It makes three words of --flag=value. */
	{"bash",
		"_berth() {\n"
		"\tlocal IFS=$'\\n' before=(\"${COMP_WORDS[@]:1:COMP_CWORD-1}\")\n"
		"\t[ \"${before[*]: -1}\" != = ] || unset 'before[-1]'\n"
		"\tCOMPREPLY=($(compgen -W \"$(berth completion words \"${before[@]}\")\" -- "
		"\"${COMP_WORDS[COMP_CWORD]}\"))\n"
		"}\n"
		"complete -o default -F _berth berth\n"},
	{"zsh",
		"#compdef berth\n"
		"_berth() {\n"
		"\tlocal -a found\n"
		"\tcompset -P '--*='\n"
		"\tfound=(${(f)\"$(berth completion words \"${(@)words[2,CURRENT-1]}\" "
		"${IPREFIX%=})\"})\n"
		"\t(( $#found )) && compadd -a found || _files\n"
		"}\n"
		"if [ \"$funcstack[1]\" = _berth ]; then _berth; else compdef _berth berth; fi\n"},
	{"fish",
		"complete -c berth -f -a '(set -l t (commandline -ct); set -l f (string match -r "
		"-- \"^--.*=\" \"$t\"); set -l v (string replace -- \"$f\" \"\" \"$t\"); begin; "
		"berth completion words (commandline -opc)[2..-1] (string match -r -- "
		"\"^--[^=]*(?==)\" \"$t\") | string match -- $v\\* || __fish_complete_path $v; "
		"end | string replace -r -- ^ \"$f\")'\n"},
};

static void put_alternatives(struct output *out, const char *alternatives)
{
	struct text rest = text_of(alternatives), one;
	while (text_cut(&rest, '|', &one))
		if (one.at[0] >= 'a') /* "FD" stands for one */
			output_format(out, "%.*s\n", TEXT_ARGS(one));
}

static void put_names_of_commands(struct output *out)
{
	for (uint32_t i = 0; i < command_count; i++)
		output_format(out, "%s\n", commands[i]->name);
}

/* What its value may be, of the flag whose value comes behind this word; NULL: there is none. */
static const char *value_behind(const struct command *c, struct text word)
{
	struct text name = text_starts(word, TEXT("--")) ? text_from(word, 2) : TEXT("");
	for (uint32_t i = 0; i < c->flag_count; i++) {
		const struct flag *f = &c->flags[i];
		bool is_letter = word.size == 2 && word.at[0] == '-' && word.at[1] == f->letter;
		if (is_letter || text_is_z(name, f->name))
			return f->value;
	}
	return c == &run_command ? options_flag_value(name) : NULL;
}

/* Nothing, where a file's name may stand: the shell completes it. */
static void put_words(struct output *out, int argc, char **argv)
{
	const struct command *c = argc > 0 ? command_find(text_of(argv[0])) : NULL;
	if (argc == 0 || (argc == 1 && c != NULL && strcmp(c->name, "help") == 0))
		put_names_of_commands(out);
	if (c == NULL)
		return;
	const char *value = value_behind(c, text_of(argv[argc - 1]));
	if (value != NULL) {
		if (strchr(value, '|') != NULL)
			put_alternatives(out, value);
		return;
	}
	if (argc == 1 && c->words != NULL)
		put_alternatives(out, c->words);
	for (uint32_t i = 0; i < c->flag_count; i++)
		output_format(out, "--%s\n", c->flags[i].name);
	if (c != &run_command)
		return;
	for (uint32_t f = options_next_flag(OPTIONS_NO_FLAG); f != OPTIONS_NO_FLAG;
		f = options_next_flag(f))
		output_format(out, "--%s\n", options_flag_name(f));
}

int completion_run(const struct command_io *io, int argc, char **argv)
{
	struct output out;
	int words, status;
	output_init(&out, io->out);
	if (argc > 1 && strcmp(argv[1], "words") == 0) {
		put_words(&out, argc - 2, argv + 2);
		output_flush(&out);
		return COMMAND_DONE;
	}
	if (!command_begin(io, &completion_command, NULL, argc, argv, &words, &status))
		return status;
	for (size_t i = 0; words == 1 && i < ARRAY_COUNT(scripts); i++)
		if (strcmp(argv[1], scripts[i].shell) == 0)
			output_bytes(&out, text_of(scripts[i].script));
	if (out.used == 0)
		return command_misused(io, &completion_command,
			TEXT("completion needs a shell: bash, zsh or fish"));
	output_flush(&out);
	return out.error == 0 ? COMMAND_DONE : COMMAND_FAILED;
}

const struct command completion_command = {.name = "completion",
	.what = "a script that completes berth's words in a shell",
	.arguments = "bash|zsh|fish",
	.about = "Prints what a shell reads to complete commands, flags and their values.\n",
	.examples = "source <(berth completion bash)                # in ~/.bashrc\n"
		    "source <(berth completion zsh)                 # in ~/.zshrc\n"
		    "berth completion fish >~/.config/fish/completions/berth.fish\n",
	.words = "bash|zsh|fish",
	.run = completion_run};
