#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What each shell makes of its completion: the shell itself completes command lines, and what comes of them is compared.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/report.sh
built build/x86_64/berth
PATH=$PWD/build/x86_64:$PATH
export PATH
mkdir "$work/here" && : >"$work/here/pods.yaml"

# The line that is left after a tab, for lines that can go on in one way only.
lines=(
	'berth simu' 'berth simulate '
	'berth help pend' 'berth help pending '
	'berth completion z' 'berth completion zsh '
	'berth simulate --outp' 'berth simulate --output '
	'berth simulate pods.yaml --di' 'berth simulate pods.yaml --diff '
	'berth simulate --output j' 'berth simulate --output json '
	'berth simulate -o t' 'berth simulate -o table '
	'berth simulate --output=j' 'berth simulate --output=json '
	'berth simulate po' 'berth simulate pods.yaml '
	'berth simulate --config po' 'berth simulate --config pods.yaml '
	'berth simulate --config=po' 'berth simulate --config=pods.yaml '
	'berth run --page-acc' 'berth run --page-access '
	'berth run --page-access lo' 'berth run --page-access loopback '
	'berth run --page-access=lo' 'berth run --page-access=loopback '
	'berth run --decision-log s' 'berth run --decision-log stderr '
	'berth simulate --nonsuch' 'berth simulate --nonsuch'
)

# with_SHELL LINE: the line after the tab. bash and zsh are driven at a terminal, as by a person.
with_bash() {
	bash --norc -c '
		source <(berth completion bash)
		line=$1
		# readline makes words at = too
		read -ra COMP_WORDS <<<"${line//=/ = }"
		[[ $line == *" " || $line == *= ]] && COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_berth
		[ ${#COMPREPLY[@]} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
		[ ${#COMPREPLY[@]} -eq 1 ] || { echo "$line"; exit; }
		echo "${line%"${COMP_WORDS[COMP_CWORD]}"}${COMPREPLY[0]} "' _ "$1"
}
# A widget writes the line down.
with_zsh() {
	rm -f "$work/line" "$work/ready"
	WORK=$work LINE=$1 timeout 60 zsh -f -c '
		zmodload zsh/zpty
		zpty -b shell "zsh -f -i"
		zpty -w shell "PROMPT=; unsetopt beep; autoload -Uz compinit; compinit -u -D; source =(berth completion zsh)
			show() { print -r -- \"\$BUFFER\" >\$WORK/part; mv \$WORK/part \$WORK/line }
			zle -N show; bindkey \"^G\" show; bindkey \"^I\" complete-word; : >\$WORK/ready"
		until [[ -e $WORK/ready ]]; do sleep 0.05; done
		zpty -w -n shell "$LINE"$'"'\\t\\a'"'
		until [[ -e $WORK/line ]]; do sleep 0.05; done
		zpty -d shell'
	cat "$work/line"
}
with_fish() {
	LINE=$1 fish --no-config -c '
		berth completion fish | source
		set -l found (complete -C "$LINE" | string replace -r "\t.*" "")
		set -l last (string split -- " " $LINE)[-1]
		test (count $found) -eq 1; or begin; echo -- $LINE; exit; end
		echo -- (string sub -l (math (string length -- $LINE) - (string length -- "$last")) -- "$LINE")$found" "'
}
completes() {
	local wrong=0 i said
	for ((i = 0; i < ${#lines[@]}; i += 2)); do
		said=$(cd "$work/here" && "with_$1" "${lines[i]}")
		[ "$said" = "${lines[i + 1]}" ] || { echo "'${lines[i]}' becomes '$said', not '${lines[i + 1]}'"; wrong=1; }
	done
	return $wrong
}
for shell in bash zsh fish; do
	if command -v $shell >/dev/null; then
		claim "$shell completes commands, flags, values and files" completes $shell
	else
		skipped_unless "$shell completes commands, flags, values and files" could_be_root
	fi
done
all_of_fish() { fish --no-config -c 'berth completion fish | source; complete -C "berth "' | sort | diff - <(berth completion words | sort); }
if command -v fish >/dev/null; then
	claim 'and fish offers the commands, and no file among them' all_of_fish
fi
finish
