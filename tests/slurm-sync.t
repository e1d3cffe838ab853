#!/bin/sh
# stfm-submit --sync on a real Slurm: the points of a job changed while it runs.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 2 -g 0 -c 8
export STFM_DIR="$tap_dir/store" OUT="$tap_dir/out.d"
mkdir "$OUT"

# "slow" goes on until its file is there, "bad" fails the first time.
cat >train.sh <<'END'
#!/bin/sh
echo "$STFM_TASK $STFM_PARAM_lr $STFM_PARAM_seed" >>"$OUT/$STFM_JOB"
case $STFM_PARAM_lr in
slow) until [ -e "$OUT/end" ]; do sleep 0.1; done ;;
bad) exit $((STFM_ATTEMPT == 0)) ;;
esac
END
chmod +x train.sh

submit() {
	job=$1
	shift
	stfm-submit -J "$job" --gres=none "$@" -- ./train.sh
}
# What was trained: "0 0.1 1", a line each time.
trained() {
	sort -n "$OUT/$1"
}
# The ids of arrays are as they come.
arrays() {
	sed -E 's/arrays? [0-9, ]+$/array/'
}

## Points are added and dropped

# Six points.
sync_try() {
	submit try "$@" --except lr=0.2,seed=2 --except lr=bad,seed=2 \
		--except lr=bad,seed=3 lr=0.1,0.2,bad seed=1..3
}

submit try -Q lr=0.1,slow,bad seed=1,2
ok "two tasks are done, two run, two have failed" poll 20 reaches try FFRREE
cp -a "$STFM_DIR/jobs/try" "$tap_dir/before"
is "a dry run says what would be, and which" \
	"try: 3 new, 3 dropped (2 run), 3 as they are; nothing is queued
# dropped: try/2-3,5
# new: try/6-8
lr	seed
0.1	3
0.2	1
0.2	3" "$(sync_try --sync --dry-run)"
is "and changes nothing" "" "$(cd "$STFM_DIR/jobs/try" &&
	diff -rq . "$tap_dir/before" | grep -v -e /fold -e usage)"

cat >"$tap_dir/ask.sh" <<'END'
stfm-submit -J try --gres=none --sync "$@" lr=0.1,bad seed=1,2 -- ./train.sh
END
ask() {
	echo "$1" | timeout -k 1 60 script -qec "sh ../ask.sh $2" /dev/null \
		>asked
}
ask n
is "on a terminal it asks before it stops what runs" \
	"1 try: stop 2 running tasks, whose points are dropped?" \
	"$? $(grep -o '^try: stop.*?' asked)"
like "the answer no changes nothing" "try: nothing is changed" "$(cat asked)"
is "so that there is no change" "" "$(ls "$STFM_DIR/jobs/try/ext")"
ask n "--yes --dry-run"
is "a dry run does not ask" 0 "$(grep -c 'stop 2' asked)"
is "it is done" "try: 3 new, 3 dropped (2 run), 3 as they are; \
3 queued as Slurm array" "$(sync_try --sync | arrays)"
ok "what is dropped is stopped, what has failed stays, what is new is trained" \
	poll 20 reaches try FFTTEEFFF
is "that is why they were stopped" "dropped dropped null" \
	"$(row try 2 .cause) $(row try 3 .cause) $(row try 0 .cause)"
is "each task was trained once, with its point" "0 0.1 1
1 0.1 2
2 slow 1
3 slow 2
4 bad 1
5 bad 2
6 0.1 3
7 0.2 1
8 0.2 3" "$(trained try)"
is "the report, too, with the command" \
	"3 tasks new, 3 dropped by then stfm-submit -J try --gres=none --sync" \
	"$(stfm-report try | sed -n '/Changed/,/<.dl>/p' |
		grep -o '3 tasks new, .* then\|stfm-submit .* --sync' | xargs)"
like "the record says what was changed" \
	"^Changed .*: 3 tasks new, 3 dropped by then" \
	"$(stfm-status --record try)"
is "the store is sound" "" "$(stfm-check --store try | grep -v sound)"

## The same again

is "the same again changes nothing" "try: 0 new, 0 dropped, 6 as they are" \
	"$(sync_try --sync)"
is "there is one extension" 1 "$(ls "$STFM_DIR/jobs/try/ext")"
is "without --sync the failed one is queued, but not what was dropped" \
	"try: 5 done; 1 queued again" "$(sync_try)"
ok "it is trained again" poll 20 reaches try FFTTFEFFF
is "a restart leaves out what was dropped" "try: nothing to restart" \
	"$(stfm-restart --dry-run try 2>&1)"
refused "other points are not the same" "change its points with --sync" \
	submit try lr=0.1 seed=1

## What was dropped is wanted again

: >"$OUT/end"
is "it is the task that it was" \
	"try: 1 new, 3 dropped, 2 wanted again, 3 as they are; \
3 queued as Slurm array" "$(submit try --sync lr=0.1,slow seed=1..3 | arrays)"
ok "and is trained now" poll 20 reaches try FFFFFEFFFF
is "nothing was renumbered" "2 slow 1
2 slow 1
3 slow 2
3 slow 2
9 slow 3" "$(trained try | grep slow)"

## What cannot be done

refused "another name of a hyperparameter" \
	"other hyperparameters (lr wd now, lr seed then)" \
	submit try --sync lr=0.1 wd=1
refused "another command" "another command" stfm-submit -J try --gres=none \
	--sync lr=0.1 seed=1 -- ./train.sh more
refused "another option" \
	"the job has another --epochs (3 now, none then): --sync changes" \
	submit try --sync --epochs 3 lr=0.1 seed=1
refused "points that ask Slurm for what they need" "@mem and other" \
	submit try --sync lr=0.1 seed=1 @mem=1G,2G
refused "no job" "nosuch: no such job: submit it without --sync" \
	submit nosuch --sync lr=0.1
refused "no name" "name the job with -J" \
	stfm-submit --gres=none --sync lr=0.1 -- ./train.sh
is "nothing of it was stored" "try" "$(ls "$STFM_DIR/jobs")"
is "nor recorded" "1
2" "$(ls "$STFM_DIR/jobs/try/ext")"

## Slurm refuses a part of it

part() {
	submit part --no-check --zip @partition,seed lr=bad "$@" 2>err
}
part -Q @partition=main,short seed=1,2
submit late -Q -p short lr=0.1 seed=1
ok "one is done" poll 20 reaches late F
ok "two tasks have failed" poll 20 reaches part EE
scontrol update partitionname=short state=inactive
part --parsable @partition=main,short seed=1,2 >out
is "the same command again does a part" 1 $?
like "what is queued is told to programs" '^part	[0-9]+$' "$(cat out)"
is "and to people what is not" "stfm-submit: part: 0 done; 1 queued again
stfm-submit: Slurm refuses: Required partition not available (inactive or drain)
stfm-submit: part: 1 task is not queued again, and is what it was: 1
stfm-submit: part: queued all the same: Slurm array $(cut -f 2 out)" \
	"$(cat err)"
ok "so it is" poll 20 reaches part FE
part --parsable @partition=main,short seed=1,2 >out
is "where nothing is queued that is an error" "2 " "$? $(cat out)"
submit late --no-check --sync -p short lr=0.1 seed=1,2 >out 2>err
is "--sync ends in the same way" \
	"2 late: 1 new, 0 dropped, 1 as it is" "$? $(cat out)"
is "and says what becomes of what is new" \
	"stfm-submit: late: 1 task waits to be queued: stfm-watch does that, \
or the same command again" "$(tail -1 err)"
scontrol update partitionname=short state=up

## The record of the last change is damaged

sed -i 's/"first":/"first" :/' "$STFM_DIR/jobs/try/ext/2/ext.json"
stfm-status try >told 2>&1
like "the job cannot be read, and what helps is said" \
	"ext/2/ext.json: damaged .*stfm-check --repair try" \
	"$(tr '\n' ' ' <told)"
stfm-check --store --repair try >told
like "it is made again" "ext/2/ext.json: moved aside, and made again" \
	"$(cat told)"
ok "all tasks are what they were" reaches try FFFFFEFFFF
like "what was dropped has to be said again" \
	"^try: 0 new, 3 dropped, 2 wanted again, 4 as they are" \
	"$(submit try --sync lr=0.1,slow seed=1..3 2>&1)"
ok "nothing of it trains once more" reaches try FFFFFEFFFF

## Two at once, and one that was interrupted

: >"$OUT/two"
submit two -Q lr=0.1 seed=1
ok "it is done" poll 20 reaches two F
for seed in 2 3 4 5; do
	(
		submit two -Q --sync lr=0.1 seed=1,$seed 2>"$tap_dir/err.$seed"
		echo $? >"$tap_dir/rc.$seed"
	) &
done
wait
is "each is done, or told that somebody else was first" "" \
	"$(cat "$tap_dir"/rc.? | grep -v -e '^0$' -e '^75$')"
is "those have an extension each" "$(cat "$tap_dir"/rc.? | grep -c '^0$')" \
	"$(ls "$STFM_DIR/jobs/two/ext" | wc -l)"
over() {
	stfm-watch --once -Q "$1"
	! states "$1" | grep -q '[SR]'
}
ok "it ends" poll 20 over two
is "nothing was trained twice" "" "$(trained two | cut -d' ' -f1 | uniq -d)"

## What waits for the success of a job whose points change

rm -f "$OUT/end"
submit ci -Q lr=0.1,slow seed=1,2
ok "two tasks are done, two run" poll 20 reaches ci FFRR
submit told -Q --after ci:ok lr=0.1 seed=1
like "Slurm waits for all of them" "^afterok:" "$(squeue -h -n told -o %E)"
submit ci -Q --sync lr=0.1 seed=1,2
ok "those that run are dropped" poll 20 reaches ci FFTT
ok "all that is wanted is done, and the next begins" poll 20 reaches told F
submit fails -Q lr=0.1,bad seed=1
ok "a task has failed" poll 20 reaches fails FE
submit fails -Q --sync lr=0.1 seed=1
submit next -Q --after fails:ok lr=0.1 seed=1
ok "when it is dropped, no success of it is waited for" poll 20 reaches next F
submit runs -Q lr=slow seed=1,2
ok "a job runs" poll 20 reaches runs RR
submit runs -Q --sync lr=slow seed=1
ok "a part of it is dropped" poll 20 reaches runs RT
submit later -Q --after runs:ok lr=0.1 seed=1
is "for which Slurm could wait, but in vain" "" "$(squeue -h -n later -o %E)"
: >"$OUT/end"
ok "the rest ends" poll 20 reaches runs FT
over later
queued_and_done() {
	stfm-watch -Q --once later && reaches later F
}
ok "and a watcher lets go what waits" poll 20 queued_and_done

## With --yes nobody is asked

rm -f "$OUT/end"
cat >"$tap_dir/ask.sh" <<'END'
stfm-submit -J sure --gres=none --sync "$@" lr=0.1 seed=1 -- ./train.sh
END
submit sure -Q lr=0.1,slow seed=1
ok "one task runs" poll 20 reaches sure FR
ask n -y
like "the point of what runs is dropped" "0 new, 1 dropped .1 runs" \
	"$(cat asked)"
ok "and it is stopped" poll 20 reaches sure FT

## Points are added after the code was edited

submit edit -Q lr=0.1 seed=1
ok "the only task is done" poll 20 reaches edit F
echo '# edited' >>train.sh
refused "other code has to be chosen" \
	"train.sh has changed since the code of edit was copied: give \
--new-code to queue its tasks with the new code, or --old-code" \
	submit edit --sync lr=0.1 seed=1,2
refused "both at once" "give one of them" \
	submit edit --sync --new-code --old-code lr=0.1 seed=1,2
refused "a new job has no other code" \
	"nosuch: no such job: submit it without --new-code" \
	submit nosuch --new-code lr=0.1
ok "nothing was copied" test ! -e "$STFM_DIR/jobs/edit/change"
is "a dry run says what would be copied" \
	"edit: would copy the code again: train.sh
edit: 1 new, 0 dropped, 1 as it is; nothing is queued" \
	"$(submit edit --sync --new-code --dry-run lr=0.1 seed=1,2 | head -2)"
ok "and copies nothing" test ! -e "$STFM_DIR/jobs/edit/change"
is "the old code is not copied" \
	"edit: 1 new, 0 dropped, 1 as it is; 1 queued as Slurm array" \
	"$(submit edit --sync --old-code lr=0.1 seed=1,2 | arrays)"
is "the new code is" "edit: copied the code again: train.sh
edit: 1 new, 0 dropped, 2 as they are; 1 queued as Slurm array" \
	"$(submit edit --sync --new-code lr=0.1 seed=1..3 | arrays)"
ok "all are done" poll 20 reaches edit FFF
copies() {
	for task in 0 1 2; do
		stfm-status "$1/$task" | sed -n 's/^Code  *//p' | cut -c 1-6
	done
}
is "what is new ran the new code" "copy 0
copy 1" "$(copies edit | uniq | cut -d, -f1)"
is "with it nothing differs" "edit: 3 done; nothing to queue" \
	"$(submit edit lr=0.1 seed=1..3)"
is "there is one newer copy" 1 "$(ls "$STFM_DIR/jobs/edit/change")"
echo '# edited again' >>train.sh
submit edit -Q --old-code lr=0.1 seed=1..3
is "the same command with the old code queues nothing" 0 $?
is "with the new code it copies the code" \
	"edit: copied the code again: train.sh
edit: 3 done; nothing to queue" "$(submit edit --new-code lr=0.1 seed=1..3)"

## The throttle may be that of the submission or the present one

submit narrow -Q --parallel 1 lr=0.1 seed=1
stfm-throttle -Q narrow 2
ok "the present throttle is no difference" \
	submit narrow -Q --sync --parallel 2 lr=0.1 seed=1,2
ok "nor is that of the submission" \
	submit narrow -Q --sync --parallel 1 lr=0.1 seed=1..3
is "neither changes the throttle" "narrow: at most 2 tasks at once" \
	"$(stfm-throttle narrow)"
ok "a command without --sync may have it, too" \
	submit narrow -Q --dry-run --parallel 2 lr=0.1 seed=1..3
while read -r value option; do
	# shellcheck disable=SC2086 # words
	refused "another one is: $value" "another --parallel ($value now, 1 \
then; stfm-throttle narrow $value changes it)" \
		submit narrow --sync $option lr=0.1 seed=1..3
done <<'END'
3 --parallel 3
none
END

## The canary is not dropped before it has passed

rm -f "$OUT/end"
submit bird -Q --canary lr=slow,0.1 seed=1
ok "others wait for the first task" poll 20 reaches bird RS
for option in --sync --dry-run; do
	refused "which then stays, with $option" \
		"bird: --sync would drop task 0, the canary" \
		submit bird --canary --sync "$option" lr=0.1 seed=1,2
done
is "nothing of that is recorded" "" "$(ls "$STFM_DIR/jobs/bird/ext")"
submit bird -Q --canary --sync lr=slow,0.1 seed=1,2
is "what is not the canary can be changed" "1" "$(ls "$STFM_DIR/jobs/bird/ext")"
: >"$OUT/end"
ok "when it has passed all begin" poll 20 reaches bird FFFF
submit bird -Q --canary --sync lr=0.1 seed=1,2
ok "and it can be dropped" test -e "$STFM_DIR/jobs/bird/ext/2"

# ---- a store that only a newer one may write to ----

body='{"v":2,"min_read":1,"min_write":2'
crc=$(printf %s "$body" | "$top/tests/crc32c.sh")
printf '%s,"c":"%s"}\n' "$body" "$crc" >"$STFM_DIR/FORMAT"
before=$(find "$STFM_DIR" -type f -printf '%p %T@\n' | sort)
arrays=$(squeue -h -t all -o %A | sort -u)
refused "nothing is changed in it" "newer stfm" \
	submit two --sync lr=0.1 seed=7
refused "no job is added" "newer stfm" submit three lr=0.1 seed=7
is "its files are as they were" "$before" \
	"$(find "$STFM_DIR" -type f -printf '%p %T@\n' | sort)"
is "nothing was queued" "$arrays" "$(squeue -h -t all -o %A | sort -u)"

done_testing
