#!/bin/sh
# Every command explains itself, whatever is missing around it.
. "$(dirname "$0")/tap.sh"

version=$(sed -n 's/^#define STFM_VERSION "\(.*\)"/\1/p' \
	"$top/lib/base/version.h")
seconds=2
[ -z "$SANITIZE" ] || seconds=20

# No home, no terminal, no configuration of Slurm: nothing to hold on to.
bare() {
	env -i PATH="$bin:/usr/bin:/bin" HOME= SLURM_CONF=/nonexistent \
		timeout "$seconds" "$@"
}

# The examples are the indented lines between the name and the usage.
examples_in() {
	sed '/^usage:/,$d' "$1" | grep -c '^  '
}

for source in "$top"/bin/*.c; do
	name=$(basename "$source" .c)

	bare "$name" --help >help 2>err
	is "$name --help exits with 0" 0 $?
	is "$name --help says nothing else" "" "$(cat err)"
	like "$name --help begins with its name" \
		"^$name - .*[^.]$" "$(head -n 1 help)"
	ok "$name --help shows three examples" test "$(examples_in help)" -ge 3
	like "$name --help goes on with its usage" \
		"^usage: +$name" "$(cat help)"
	# These have more options than a small screen has rows.
	rows=24
	case $name in
	stfm-nodes) rows=32 ;;
	stfm-plot | stfm-status | stfm-submit) rows=40 ;;
	esac
	ok "$name --help fits a screen of $rows rows" \
		test "$(wc -l <help)" -le "$rows"
	is "$name --help fits a screen of 80 columns" "" \
		"$(grep -E '.{81}' help)"
	is "$name -h is the same" "$(cat help)" "$(bare "$name" -h 2>&1)"

	is "$name --version" "$name $version" \
		"$(bare "$name" --version 2>&1 | head -n 1)"
	is "$name -V is the same" "$(bare "$name" --version)" \
		"$(bare "$name" -V 2>&1)"

	[ "$name" = stfm-submit ] ||
		refused "$name --help takes no value" "takes no value" \
			bare "$name" --help=all
	refused "$name refuses an option it does not have" "$name: " \
		bare "$name" --nosuch
	# What is not its own, stfm-submit leaves to sbatch.
	[ "$name" = stfm-submit ] && continue
	refused "$name refuses a letter it does not have" \
		"$name: -?: no such option (try: $name --help)" \
		bare "$name" '-?'
	refused "$name says how to find the options" \
		"$name: --nosuch: no such option (try: $name --help)" \
		bare "$name" --nosuch
	refused "$name guesses what was meant" "did you mean --help" \
		bare "$name" --hepl
done

# What people type who know another program.
while IFS='|' read -r words said; do
	# shellcheck disable=SC2086 # words
	refused "$words" "$said" bare $words
done <<'END'
stfm-submit --dry-run -n 20 lr=uniform:0:1 -- true|write --samples N
stfm-expand -n 20 lr=uniform:0:1|-n: no such option (write --samples N)
stfm-ask --samples 3 lr=uniform:0:1|no such option (write -n N)
stfm-submit --lr=0.1 -- true|(write hyperparameters without dashes: lr=0.1)
stfm-expand --lr=0.1|(write hyperparameters without dashes: lr=0.1)
stfm-ask --lr=0.1|(write hyperparameters without dashes: lr=0.1)
stfm-expand lr=[0.1,0.2]|values need no brackets: write lr=0.1,0.2
stfm-expand lr=range(3)|range(3): write lr=0..2
stfm-expand lr=1:10|1:10: write lr=1..10
stfm-expand lr=1e-5-1e-1|write lr=loguniform:1e-5:1e-1 to draw
stfm-submit --mem 8 lr=0.1 -- true|write --mem=8G
stfm-status -o png a|stfm-plot -o png or -o svg draws pictures
stfm-report -o png a|-o: no such option (write stfm-report JOB > report.html)
stfm-status --top 3 a|write -n 5 for the newest jobs, -b 5 for the best tasks
stfm-plot --top=3 a|write -b 5 for the best tasks
stfm-report --top 3 a|write -n 5 for the rows, --curves 5 for the curves
stfm-log --tail 3 a|write -n N
stfm-status --tail 3 a|write -f to follow, or stfm-log -n 5 for the output
END

# The help of stfm-submit has groups.
stfm-submit --help >help
stfm-submit --help=all >all
groups=$(sed -n 's/^\([a-z]*\):$/\1/p' help)
is "the groups" "points search script slurm results failures job" \
	"$(echo "$groups" | xargs)"
is "every line of the short help is in the long one" "" \
	"$(grep -vxF -f all help)"
is "a group is what the long one has of it" \
	"$(sed '1,/^points:$/d; s/^/ /; /^ *-h, --help/,$d; s/^ //' all)" \
	"$(for group in $groups; do stfm-submit --help="$group"; done |
		sed 1d)"
is "a search has a group" "search sampler guess from-results until gpu-hours \
pbt pruner" "$(stfm-submit --help=search |
	sed -n 's/^ *--\([a-z-]*\).*/\1/p' | xargs)"
is "all of it fits 80 columns" "" "$(grep -E '.{81}' all)"
for word in STFM_METRICS '{task}' '{@}' '-p ' '-t ' '--gres=' '--mem=' '-c '; do
	ok "the short help has $word" grep -qF -e "$word" help
done
verbs='read|pair|leave|set|draw|seed|refuse|pass|copy|run|start|use|show|queue'
verbs="$verbs|limit|give|wait|skip|choose|say|record|requeue|signal|stop|retry"
verbs="$verbs|exclude|name|describe|print|add|try|learn|continue|end"
is "each option has one line that begins with a verb" "" \
	"$(grep -E '^ +-' all | sed 's/^ *[^ ]*.*  //' | grep -vwE "^($verbs)")"
refused "a group that is none" \
	"stfm-submit: --help=lunch: no such group (points, search, script," \
	stfm-submit --help=lunch
mkdir .stfm && echo '{' >.stfm/config.json
ok "a group is shown although the defaults are wrong" \
	stfm-submit --help=slurm

done_testing
