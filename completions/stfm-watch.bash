# Completion of stfm-watch for bash.

_stfm_watch()
{
	local word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]}

	case $before in
	-d | --store)
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		return
		;;
	-i | --interval)
		COMPREPLY=()
		return
		;;
	--on)
		mapfile -t COMPREPLY < <(compgen -W \
			"finished error best stalled late" -- "$word")
		return
		;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "
			-d --store -i --interval --on -1 --once -Q --quiet -h --help -V
			--version
		" -- "$word")
	fi
}

complete -F _stfm_watch stfm-watch
