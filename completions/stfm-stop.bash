# Completion of stfm-stop for bash.

_stfm_stop()
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
			-t --state -w --where --remove --dry-run -f --force -Q --quiet
			-d --store -h --help -V --version
		" -- "$word")
	fi
}

complete -F _stfm_stop stfm-stop
