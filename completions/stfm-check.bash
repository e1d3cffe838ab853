# Completion of stfm-check for bash.

_stfm_check()
{
	local word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]}

	case $before in
	-d | --store)
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		return
		;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "
			-d --store --repair -Q --quiet -h --help -V --version
		" -- "$word")
	fi
}

complete -F _stfm_check stfm-check
