# Completion of stfm-status for bash.

_stfm_status()
{
	local word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]}
	local words=

	case $before in
	-t | --state) words='SUBMITTED RUNNING FINISHED ERROR STOPPED' ;;
	-o | --output) words='text tsv csv json jsonl latex' ;;
	--charset) words='ascii block braille' ;;
	--color) words='always never auto' ;;
	-s | --sort)
		words='best last task state epoch progress elapsed start end node'
		;;
	-w | --where | -n | --limit | -b | --best | --by | -i | --interval)
		COMPREPLY=()
		return
		;;
	-d | --store)
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		return
		;;
	*)
		[[ $word == -* ]] && words='
			-t --state -w --where -s --sort -n --limit -b --best --by --cost -e --errors -f --follow
			-i --interval -l --long --why -o --output --json
			--record --diff --refresh --no-refresh -d --store --charset --color
			-h --help -V --version'
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _stfm_status stfm-status
