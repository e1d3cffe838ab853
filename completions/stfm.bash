# What the completions of stfm's commands share in bash.
#
# _stfm_table COMMAND OPERANDS TABLE describes a command.  A line of the table
# is an option, by its letter, its name or both, and what its value can be:
# nothing for an option without one, - for anything, or choices parted by "|":
# words, @files, @dirs, @commands, and @WHAT for what stfm-complete answers.
# OPERANDS are such choices too.  A line that begins with "." is completed but
# not offered, and one of choices alone is for long options that are not here.

declare -gA _stfm_options _stfm_operands

_stfm_table()
{
	_stfm_operands[$1]=$2
	_stfm_options[$1]=$3
	complete -F _stfm "$1"
}

# stfm-complete stands below libexec/ beside the commands.
_stfm_ask()
{
	local at

	at=$(type -P stfm-status) && at=$(readlink -f -- "$at") || return
	at=${at%/*}/../libexec
	[[ -d $at/stfm ]] && at=$at/stfm
	"$at/stfm-complete" "$@" 2>/dev/null
}

# The words up to the cursor, whole: bash cuts them at = : and @ as well.
_stfm_split()
{
	local line=${COMP_LINE:0:COMP_POINT} part i

	words=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		part=${COMP_WORDS[i]}
		if ((i == 0)) || [[ $line == [[:space:]]* || -z $line ]]; then
			line=${line#"${line%%[![:space:]]*}"}
			words+=('')
		fi
		((i == COMP_CWORD)) && part=$line
		words[-1]+=$part
		line=${line#"$part"}
	done
}

# A word as the shell reads it back.
_stfm_quote()
{
	local i

	quoted=
	for ((i = 0; i < ${#1}; i++)); do
		[[ ${1:i:1} == [A-Za-z0-9_.,/=@%+:-] ]] || quoted+=\\
		quoted+=${1:i:1}
	done
}

# Add candidates, without what stands before the part that bash replaces.
_stfm_add()
{
	local quoted candidate IFS=
	local -a list=("${@/#/$head}")

	list=("${list[@]#"$cut"}")
	if [[ -z $quote && ${list[*]} == *[!A-Za-z0-9_.,/=@%+:-]* ]]; then
		for candidate in "${list[@]}"; do
			_stfm_quote "$candidate"
			COMPREPLY+=("$quoted")
		done
	else
		COMPREPLY+=("${list[@]}")
	fi
}

_stfm_offer()
{
	local choice
	local -a each list

	IFS='|' read -ra each <<<"$1"
	for choice in "${each[@]}"; do
		list=()
		case $choice in
		-) ;;
		@files | @dirs | @commands)
			[[ $choice != @commands ]] &&
				compopt -o filenames 2>/dev/null
			mapfile -t list < <(compgen "-${choice:1:1}" -- "$word")
			COMPREPLY+=("${list[@]}")
			;;
		@*)
			[[ $choice == @where ]] &&
				compopt -o nospace 2>/dev/null
			mapfile -t list < <(
				_stfm_ask "${choice#@}" "$word" "${words[@]}"
			)
			_stfm_add "${list[@]%%$'\t'*}"
			;;
		"$word"*)
			_stfm_add "$choice"
			;;
		esac
	done
}

# The choices for the value of the option before; all options; what else.
_stfm_look_up()
{
	local item value hit known
	local -a row

	while read -ra row; do
		hit='' value='' known=''
		for item in "${row[@]}"; do
			case $item in
			-?*)
				known=1
				[[ $item == "$before" ]] && hit=1
				[[ ${row[0]} == . ]] || names+=("$item")
				;;
			*) value=$item ;;
			esac
		done
		[[ -n $hit && -n $value ]] && choices=$value
		[[ -z $known && -n $value ]] && others=$value
	done <<<"${_stfm_options[$command]}"
}

_stfm()
{
	local word before head='' cut quote='' replaced=$2 command=${1##*/}
	local choices='' others=''
	local -a words names

	COMPREPLY=()
	_stfm_split
	word=${words[-1]}
	unset 'words[-1]'
	before=${words[-1]}
	words+=("${COMP_WORDS[@]:COMP_CWORD+1}")
	if [[ $word == [\"\']* ]]; then
		quote=${word:0:1}
		word=${word:1}
	else
		word=${word//\\/}
		replaced=${replaced//\\/}
	fi
	cut=${word%"$replaced"}
	if [[ $word == --*=* ]]; then
		before=${word%%=*}
		head=$before=
		word=${word#*=}
	fi
	_stfm_look_up
	if [[ -n $choices ]]; then
		_stfm_offer "$choices"
	elif [[ -z $head && $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "${names[*]}" -- "$word")
		[[ $word == --?* ]] && _stfm_offer "$others"
	elif [[ -z $head ]]; then
		_stfm_offer "${_stfm_operands[$command]}"
	fi
	return 0
}

# stfm itself: the name of a command, and then what that command completes.
_stfm_commands='
	ask attach check checkpoints dist expand hold import log nodes plot
	release report restart sandbox set status stop submit tensorboard throttle watch
	help
'
_stfm_here=${BASH_SOURCE[0]%/*}

_stfm_main()
{
	local sub=${COMP_WORDS[1]} rest file spec

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		rest=$_stfm_commands
		[[ $2 == -* ]] && rest='-h --help -V --version'
		mapfile -t COMPREPLY < <(compgen -W "$rest" -- "$2")
	elif [[ $sub == help ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$_stfm_commands" -- "$2")
	elif [[ " "${_stfm_commands//[[:space:]]/ }" " == *" $sub "* ]]; then
		for file in "$_stfm_here/stfm-$sub"{,.bash}; do
			[[ -f $file ]] && ! complete -p "stfm-$sub" \
				&>/dev/null && . "$file"
		done
		spec=$(complete -p "stfm-$sub" 2>/dev/null) || return
		spec=${spec#*-F }
		rest=${COMP_LINE#"${COMP_WORDS[0]}"}
		rest=stfm-$sub${rest#*"$sub"}
		((COMP_POINT += ${#rest} - ${#COMP_LINE}))
		COMP_LINE=$rest
		COMP_WORDS=("stfm-$sub" "${COMP_WORDS[@]:2}")
		((COMP_CWORD -= 1))
		"${spec%% *}" "stfm-$sub" "$2" "$3"
	fi
}
complete -F _stfm_main stfm
