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
	-o | --output)
		mapfile -t COMPREPLY < <(compgen -W "text tsv csv json jsonl" \
			-- "$word")
		return
		;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "
			-d --store --repair -Q --quiet --config -v --verbose
			-o --output -h --help -V --version
		" -- "$word")
	fi
}

complete -F _stfm_check stfm-check
