#!/bin/sh
# What people look at is never wider than their terminal, whatever names,
# scripts and numbers of hyperparameters there are.  Notes on standard error are
# sentences, which a terminal wraps.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
export STFM_DIR="$tap_dir/here/store" TZ=UTC

awk 'BEGIN {
	print "epoch,training_loss_of_all_heads,val_loss"
	for (i = 1; i <= 40; i++)
		print i "," 2 / i "," 0.3 + (i - 24) * (i - 24) / 800
}' >curve.csv
long=a_job_with_a_name_that_somebody_gave_it_who_had_all_of_the_time_of_day
{
	echo "Traceback (most recent call last):"
	printf 'ValueError: 学習率が大きすぎます、%s\n' "$long $long $long"
} >log
"$fixture" store <<-EOD
	job|$long|note=学習率を変えた実験,another_long_value_without_any_blank|\
	learning_rate_of_the_encoder=1e-3|weight_decay_of_all_the_rest=0,0.1|\
	optimizer=adam,sgd_with_momentum|seed=1,2|a=1|b=2,3|c=4|d=5,6|epochs=40
	task|0|FINISHED|node=gpu-node-0001|start=-9000|end=-60|exit=0|array=77
	metrics|0|curve.csv
	task|1|ERROR|cause=exit 1|node=gpu-node-0002|start=-900|end=-60|exit=1|\
	array=77|log=$PWD/log
	metrics|1|curve.csv
	task|2|RUNNING|node=gpu-node-0003|start=-4000|limit=7200|\
	pace=95 100 110|epoch_time=-30|array=77
	metrics|2|curve.csv
	task|3|SUBMITTED|cause=(ReqNodeNotAvail)|array=77
	task|4|ERROR|cause=TIMEOUT|start=-900|end=-60|array=77|log=/no/such
	end
EOD

# The lines of a file that are wider than so many columns.
wider() {
	[ "$(wc -L <"$1")" -gt "$2" ] || return 0
	while IFS= read -r line; do
		[ "$(printf '%s\n' "$line" | wc -L)" -le "$2" ] ||
			printf '%s\n' "$line"
	done <"$1"
}

# A command fits every terminal.
fits() {
	for charset in braille ascii; do
		for columns in 40 60 80 120 200; do
			COLUMNS=$columns STFM_CHARSET=$charset TERM=xterm \
				"$@" >shown 2>notes
			echo "$?" >status
			[ -s shown ] || echo "nothing: $(cat status notes)"
			wider shown "$columns" | sed "s/^/$columns: /"
		done
	done >found
	is "$(echo "$*" | cut -c -66) fits" "" "$(head -n 5 found)"
}

status="stfm-status --no-refresh"
for view in "" "$long" "$long/0" "$long/1" "$long/2" "-e" "--by seed" \
	"--by -seed $long" "--cost" "--best 2 $long" "-l $long" \
	"--why $long" "--record $long"; do
	# shellcheck disable=SC2086 # words
	fits $status $view
done
for view in "$long" "$long/0" "--log -b 2 $long" "--layout one $long" \
	"--layout multi $long" "--layout spark $long" "--by all $long" \
	"--grid note,seed $long" "--hist $long" "--mean seed $long" \
	"-m training_loss_of_all_heads,val_loss $long/0" "--at 9 $long" \
	"curve.csv" "--x epoch curve.csv curve.csv"; do
	# shellcheck disable=SC2086 # words
	fits stfm-plot $view
done
fits stfm-log -e "$long"

# What commands report, and would do: one line a thing, but for a terminal.
terminal() {
	script -qec "stty cols $1 -opost; exec $2 2>notes" /dev/null </dev/null
}
reports() {
	for columns in 40 80 200; do
		terminal "$columns" "$*" >shown
		[ -s shown ] || echo "nothing: $(cat notes)"
		wider shown "$columns" | sed "s/^/$columns: /"
	done >found
	is "$(echo "$*" | cut -c -58) fits a terminal" "" "$(head -n 5 found)"
	COLUMNS=40 "$@" 2>/dev/null | tr -d '0-9a-z' >shown
	"$@" 2>/dev/null | tr -d '0-9a-z' | cmp - shown
	ok "and COLUMNS says nothing of it" [ "$?" = 0 ]
}
printf '#!/bin/sh\n' >train.sh
cat >submit <<-EOD
	#!/bin/sh
	SLURM_CONF=/nonexistent exec stfm-submit --dry-run -J "$long-2" \
		--comment "it's a comment with blanks" \
		--then "stfm-status $long | mail -s done $long@$long" \
		learning_rate_of_the_encoder=1e-3,1e-4 \
		weight_decay_of_all_the_rest=0,0.1 seed=1,2 -- ./train.sh
EOD
chmod +x train.sh submit
reports ./submit
reports stfm-restart --dry-run --resume "$long"
reports stfm-restart --dry-run --finished "$long"
reports stfm-stop --dry-run "$long"
reports stfm-stop --dry-run --remove "$long"
reports stfm-throttle "$long"
reports stfm-hold --dry-run "$long"
reports stfm-check --store "$long" nothing
reports stfm-sandbox status -d "$PWD/a_directory_of_a_longer_name"
is "points are words with tabs in what a program reads" \
	"$(printf '1e-3\t0\t1')" \
	"$(COLUMNS=40 ./submit | tail -n 8 | head -n 1)"

# A command of several lines is the same command, where it is copied.
sbatch_line() {
	sed -n '/^sbatch/,/[^\]$/p'
}
words_of() { # SHELL-WORDS: one a line, each submission's token alike
	eval "printf '%s\n' $1" | sed 's/stfm-[0-9a-z]*-c/stfm-ID-c/'
}
terminal 60 ./submit | sbatch_line >broken
ok "a command in several lines" [ "$(wc -l <broken)" -gt 9 ]
is "is the same command" "$(words_of "$(./submit | sbatch_line)")" \
	"$(words_of "$(cat broken)")"

# So is a path, which is one word of a shell again.
COLUMNS=40 stfm-status --no-refresh "$long/0" |
	sed -n '/^Metrics/,/[^\]$/{s/^Metrics *//;p}' >broken
ok "a path in several lines" [ "$(wc -l <broken)" -gt 1 ]
ok "is whole again" eval "test -f $(cat broken)"
terminal 40 "stfm-stop --dry-run --remove $long" | sed -n '/^  \//,$p' >broken
ok "what would be removed in several lines" [ "$(wc -l <broken)" -gt 1 ]
ok "is whole again, too" eval "test -d $(cat broken)"
echo x >>"$STFM_DIR/jobs/$long/job.json"
terminal 40 "stfm-check --store $long" |
	sed '/: damaged/{s/: damaged.*//;q}' >broken
ok "where damage is in several lines" [ "$(wc -l <broken)" -gt 1 ]
ok "is whole again as well" eval "test -f $(cat broken)"

# The pages, as man shows them at 80 columns.
if command -v mandoc >/dev/null; then
	for page in "$top"/man/*.[1-8]; do
		mandoc -O width=78 -T utf8 "$page" 2>&1 | col -bx |
			perl -CS -ne 'print if /.{81}/' >found
		is "${page##*/} fits" "" "$(cat found)"
	done
else
	skip "the pages fit" "there is no mandoc"
fi

done_testing
