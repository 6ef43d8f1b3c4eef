_berth() {
	local IFS=$'\n' before=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
	[ "${before[*]: -1}" != = ] || unset 'before[-1]'
	COMPREPLY=($(compgen -W "$(berth completion words "${before[@]}")" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _berth berth
