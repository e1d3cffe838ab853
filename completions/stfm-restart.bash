# Completion of stfm-restart for bash.

_stfm_restart()
{
	local word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]}

	case $before in
	-t | --state | -w | --where)
		COMPREPLY=()
		return
		;;
	-d | --store)
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		return
		;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "
			-t --state -w --where --resume --dry-run -f --force -Q --quiet
			-d --store -h --help -V --version
		" -- "$word")
	fi
}

complete -F _stfm_restart stfm-restart
