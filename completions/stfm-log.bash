# Completion of stfm-log for bash.

_stfm_log()
{
	local word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]}

	case $before in
	-t | --state)
		mapfile -t COMPREPLY < <(compgen -W \
			"SUBMITTED RUNNING FINISHED ERROR STOPPED" -- "$word")
		return
		;;
	-n | --lines)
		mapfile -t COMPREPLY < <(compgen -W all -- "$word")
		return
		;;
	--grep | --attempt | -w | --where)
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
			-f --follow -n --lines --grep -e --errors --attempt
			--path --raw -t --state -w --where -Q --quiet -d --store
			-h --help -V --version
		" -- "$word")
	fi
}

complete -F _stfm_log stfm-log
