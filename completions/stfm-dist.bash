# Completion of stfm-dist for bash.

_stfm_dist()
{
	local word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]}
	local frameworks="tensorflow torch horovod mxnet jax"
	local i

	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$word")
			return
		fi
	done
	case $before in
	--ps)
		mapfile -t COMPREPLY < <(compgen -W "1 2 first" -- "$word")
		return
		;;
	--port)
		COMPREPLY=()
		return
		;;
	--gpus)
		mapfile -t COMPREPLY < <(compgen -W "divide all" -- "$word")
		return
		;;
	-o | --output)
		mapfile -t COMPREPLY < <(
			compgen -W "sh csh json env" -- "$word"
		)
		return
		;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "
			--ps --chief --no-chief --evaluator --mpi --gloo
			--gpus --port -o --output -h --help -V --version
		" -- "$word")
		return
	fi
	mapfile -t COMPREPLY < <(compgen -W "$frameworks" -- "$word")
}

complete -F _stfm_dist stfm-dist
