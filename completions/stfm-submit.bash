# Completion of stfm-submit for bash.

_stfm_submit()
{
	local word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]}

	case $before in
	-J | --job-name | --description | -z | --zip | --except | --when | --samples | --seed | --parallel | --metric | --metrics | --metrics-regex | --max-tasks | --snapshot | --queue-rest | --signal-before | --max-fail | --retry-oom | --retry-time)
		COMPREPLY=()
		return
		;;
	-f | --spec | --from)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	--args)
		mapfile -t COMPREPLY < <(compgen -W "long space hydra none positional" -- "$word")
		return
		;;
	--signal)
		mapfile -t COMPREPLY < <(compgen -W "USR1 USR2 TERM INT HUP QUIT" -- "$word")
		return
		;;
	--goal)
		mapfile -t COMPREPLY < <(compgen -W "min max" -- "$word")
		return
		;;
	--epochs)
		mapfile -t COMPREPLY < <(compgen -W "N NAME" -- "$word")
		return
		;;
	--store)
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		return
		;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "
			-J --job-name --description -f --spec --from -z --zip --except
			--when --samples --seed --args --parallel --metric --goal
			--metrics --metrics-regex --epochs --max-tasks --store --dry-run --parsable -Q
			--quiet --no-check --snapshot --no-snapshot --queue-rest --requeue
			--signal-before --signal --max-fail --canary --retry-oom --retry-time
			--avoid-bad-nodes
			-h --help -V --version
		" -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}

complete -F _stfm_submit stfm-submit
