# Completion of stfm-plot for bash.

_stfm_plot()
{
	local word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]}
	local words=

	case $before in
	-m | --metric | -i | --interval | --at | --mean | --grid | -w | --where | -n | --best | -y | --range | -s | \
		--smooth | --metrics-regex | -W | --width | -H | --height)
		COMPREPLY=()
		return
		;;
	--by) words=all ;;
	--x) words='epoch step time' ;;
	--goal) words='min max' ;;
	-t | --state) words='SUBMITTED RUNNING FINISHED ERROR STOPPED' ;;
	--layout) words='auto one multi spark' ;;
	-o | --output) words='text tsv gnuplot' ;;
	--charset) words='braille block ascii' ;;
	--color) words='always never auto' ;;
	-d | --store)
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		return
		;;
	esac
	if [[ -n $words ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "
			-m --metric --x --goal -t --state -w --where -n --best -l
			--log -y --range -s --smooth --metrics-regex --layout -o --output -W
			--width -H --height --grid --by --hist --at --mean
			-f --follow -i --interval --charset --color -d --store -h --help
			-V --version
		" -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}

complete -o filenames -F _stfm_plot stfm-plot
