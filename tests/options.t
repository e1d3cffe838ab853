#!/bin/sh
# The help, the manual page and the completions of a command know the same
# options; every command has a page, completions and a test; every option is
# used in an example of its page.
. "$(dirname "$0")/tap.sh"

# Options are compared as sorted lines such as "-z --zip NAMES" and "--when X";
# the name of the value is left out where it is not known.

# A row may have several, parted by commas, before two blanks.  The help of
# stfm-submit has groups, and all of it is asked for.
from_help() {
	{ "$1" --help=all 2>/dev/null || "$1" --help; } |
		sed -nE '/^  (-.,|    --)/{s/^ +//;s/  .*//;p;}' |
		awk -F ', ' '{
		for (i = 1; i <= NF; i++) {
			n = split($i, word, " ")
			sub(/^--[^[]*/, "& ", word[1])
			sub(/ $/, "", word[1])
			printf "%s%s%s", word[1], (n > 1 ? " " word[2] : ""),
				(word[1] ~ /^--/ ? "\n" : " ")
		}
	}' | sort
}

# Each .It Fl line of the page; an option may be named with its letter.
from_page() {
	awk '
	/^\.It Fl / {
		letter = long = value = ""
		for (i = 2; i <= NF; i++) {
			if ($i == "Fl" && $(i + 1) ~ /^-./)
				long = "-" $(++i)
			else if ($i == "Fl")
				letter = "-" $(++i)
			else if ($i == "Ar" && value ~ /[A-Z]$/)
				break # a second word
			else if (long && $i ~ /^O[oc]$/)
				value = value ($i == "Oo" ? "[" : "]")
			else if (long && $i !~ /^(Ar|Ns|,)$/)
				value = value $i
		}
		sub(/^=/, "", value)
		line = letter " " long " " value
		gsub(/^ | $/, "", line)
		print line
	}' "$1" | sort
}

from_fish() {
	sed -nE "/^complete /p" "$1" | awk '{
		letter = long = ""
		for (i = 2; i <= NF; i++) {
			if ($i == "-s" || $i == "-o")
				letter = "-" $++i
			else if ($i == "-l")
				long = "--" $++i
		}
		line = letter " " long
		gsub(/^ | $/, "", line)
		if (line != "")
			print line
	}' | sort -u
}

# The words that the shell itself offers where an option may stand.
offered_by_bash() {
	bash --norc -c '
	source "$1" || exit
	COMP_WORDS=("$2" "$3") COMP_CWORD=1 COMP_LINE="$2 $3" COMP_POINT=999
	COMP_TYPE=9 COMP_KEY=9
	spec=$(complete -p "$2") || exit
	function=$(sed "s/.*-F \([^ ]*\).*/\1/" <<<"$spec")
	"$function" "$2" "$3" "$2"
	printf "%s\n" "${COMPREPLY[@]}"' bash "$1" "$2" "$3" 2>&1 |
		sed 's/[ =]*$//' | sort -u
}

offered_by_fish() {
	fish --no-config -c 'source $argv[1]; complete -C "$argv[2] $argv[3]"' \
		"$1" "$2" "$3" 2>&1 | cut -f 1 | grep '^-' | sort -u
}

# What _arguments is given, taken by a function of that name.
offered_by_zsh() {
	zsh -f -c '
	_arguments() {
		while [[ $1 == -[nswWCRSAOM] ]]; do
			[[ $1 == -[AOM] ]] && shift
			shift
		done
		print -rl -- "$@"
		return 1
	}
	_describe() { :; }
	compdef() { :; }
	service=$2 words=($2 -) CURRENT=2
	fpath=("${1:h}" $fpath)
	autoload -Uz "${1:t}"
	"${1:t}"' zsh "$1" "$2" 2>&1 |
		sed -nE 's/^(\([^)]*\))?\*?(--?[a-zA-Z0-9][a-z0-9-]*).*/\2/p' |
		sort -u
}

names() {
	sed 's/ [^-].*//; s/ *$//' | tr ' ' '\n' | sort -u
}

# What the page $2 shows of the command $1 in its EXAMPLES: a line for each time
# it is called, up to its "--" or where the shell goes on.
calls_in() {
	awk '
	/^\.Sh / { inside = $2 == "EXAMPLES" }
	inside && /^\.Bd / { shown = 1; next }
	/^\.Ed/ { shown = 0 }
	shown && (more || /^\$ /) {
		line = more ? line $0 : substr($0, 3)
		more = sub(/\\e$/, "", line)
		if (!more)
			print line
	}' "$2" | sed "s/\\\\&//g; s/\\\\-/-/g; s/'[^']*'/X/g" |
		awk -v name="$1" '{
		gsub(/\|\||&&|[|;&()<>`]/, "\n")
		n = split($0, parts, "\n")
		for (i = 1; i <= n; i++)
			if (match(parts[i], "(^|[ \t=\"])" name " ")) {
				call = substr(parts[i], RSTART + RLENGTH)
				sub(/(^| )-- .*/, "", call)
				print call
			}
	}'
}

# The options of a help as above, such as "-n --lines LINES", that none of the
# calls uses.  Letters are also found behind others that take no value.
used_by_none() {
	awk '
	function used(letter, long,    i) {
		for (i = 1; i <= n; i++)
			if (word[i] == long || index(word[i], long "=") == 1 ||
			    letter && word[i] ~ "^-[" flags "]*" letter)
				return 1
		return 0
	}
	FILENAME == ARGV[1] {
		letter = long = ""
		for (i = 1; i <= NF; i++)
			if ($i ~ /^--/)
				long = $i
			else if ($i ~ /^-/)
				letter = substr($i, 2)
		if ($NF ~ /^-/)
			flags = flags letter
		sub(/\[.*/, "", long)
		longs[long] = letter
		next
	}
	{
		for (i = 1; i <= NF; i++)
			word[++n] = $i
	}
	END {
		for (long in longs)
			if (long !~ /^--(help|version)$/ &&
			    !used(longs[long], long))
				print long
	}' "$1" "$2" | sort
}

# stfm-stop needs a Slurm to be tested, so its test is slurm-stop.t.
has_test() {
	[ -f "$top/tests/$1.t" ] || [ -f "$top/tests/slurm-${1#stfm-}.t" ]
}

for source in "$top"/bin/*.c; do
	name=$(basename "$source" .c)
	page=$top/man/$name.1
	to_bash=$top/completions/$name.bash
	to_zsh=$top/completions/_$name
	to_fish=$top/completions/$name.fish

	for file in "$page" "$to_bash" "$to_zsh" "$to_fish"; do
		ok "$name has ${file#"$top/"}" test -f "$file"
	done
	ok "$name has a test" has_test "$name"

	from_help "$name" >help
	ok "$name has options" grep -q -- '^-h --help' help
	names <help >all
	grep '^--' all >long

	is "$name: the page has the options of the help" \
		"$(cat help)" "$(from_page "$page" 2>&1)"
	is "$name: the page is about what the help says" \
		"$("$name" --help | sed -n '1s/^[^ ]* - //p')" \
		"$(sed -n 's/^\.Nd //p' "$page" 2>&1)"
	is "$name: bash offers the options of the help" "$(cat long)" \
		"$(offered_by_bash "$to_bash" "$name" --)"
	is "$name: zsh offers the options of the help" "$(cat all)" \
		"$(offered_by_zsh "$to_zsh" "$name")"
	is "$name: fish knows the options of the help" \
		"$(sed 's/ [^-].*//' help | sort)" \
		"$(from_fish "$to_fish" 2>&1)"
	is "$name: fish offers the options of the help" "$(cat all)" \
		"$(offered_by_fish "$to_fish" "$name" -)"
	calls_in "$name" "$page" >calls
	is "$name: the page has an example of every option" "" \
		"$(used_by_none help calls)"
	ok "$name: the letters are in the completion for bash" \
		sh -c 'grep "^-[^-]" "$1" | while read -r letter; do
			grep -qwe "$letter" "$2" || { echo "$letter"; exit 1; }
		done' sh all "$to_bash"
done

# The letters of stfm-submit are those of sbatch, and stfm-sandbox has its own.
for source in "$top"/bin/*.c; do
	name=$(basename "$source" .c)
	case $name in stfm-submit | stfm-sandbox) continue ;; esac
	"$name" --help | sed -nE 's/^  -(.), --([a-z-]+).*/\1 \2/p'
done | sort -u >letters
is "a letter means the same in every command" "0 null
1 once
H height
J job-name
Q quiet
W width
b best
c columns
d store
e errors
f follow
h help
i interval
l long
m metric
n limit
n lines
o output
p partitions
s sort
t state
v verbose
w where
y range
y yes" "$(LC_ALL=C sort letters)"
is "stfm-submit has letters of sbatch" "J job-name
Q quiet
V version
h help
y yes" "$(stfm-submit --help=all | sed -nE 's/^  -(.), --([a-z-]+).*/\1 \2/p' |
	LC_ALL=C sort)"

done_testing
