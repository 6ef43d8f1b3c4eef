_berth() {
	local IFS=$'\n'
	COMPREPLY=($(compgen -W "$(berth completion words "${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _berth berth
