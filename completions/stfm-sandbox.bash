# Completion of stfm-sandbox for bash.

_stfm_sandbox()
{
	local word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]}
	local i

	case $before in
	-N | --nodes | -g | --gpus-per-node | -c | --cpus-per-node)
		COMPREPLY=()
		return
		;;
	-o | --option)
		mapfile -t COMPREPLY < <(compgen -W "
			KillWait= MaxArraySize= MaxJobCount= MinJobAge=
			PartitionName= SlurmdTimeout=
		" -- "$word")
		return
		;;
	-d | --directory)
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		return
		;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "
			-N --nodes -g --gpus-per-node -c --cpus-per-node
			-o --option -d --directory --remove -Q --quiet
			-h --help -V --version
		" -- "$word")
		return
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		run)
			mapfile -t COMPREPLY < <(compgen -c -- "$word")
			return
			;;
		start | stop | status | env)
			COMPREPLY=()
			return
			;;
		esac
	done
	mapfile -t COMPREPLY < <(
		compgen -W "start stop status env run" -- "$word"
	)
}

complete -F _stfm_sandbox stfm-sandbox
