# Completion of stfm-expand for bash.

_stfm_expand()
{
	local word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]}

	case $before in
	-o | --output)
		mapfile -t COMPREPLY < <(compgen -W \
			"tsv csv jsonl args env count" -- "$word")
		return
		;;
	--from-format)
		mapfile -t COMPREPLY < <(compgen -W "tsv csv jsonl" -- "$word")
		return
		;;
	-f | --spec | --from)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	-z | --zip | -x | --except | --when | -n | --samples | -s | --seed)
		COMPREPLY=()
		return
		;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "
			-z --zip -x --except --when -n --samples -s --seed
			-f --spec --from --from-format -o --output -0 --null
			--no-header -h --help -V --version
		" -- "$word")
	fi
}

complete -o filenames -F _stfm_expand stfm-expand
