#!/bin/sh
# A Slurm that takes fewer tasks than a job has: the rest is queued later, by
# whoever watches, once each.
. "$(dirname "$0")/tap.sh"

. "$top/tests/dbd.sh"
SLURM_CONF=$dbd/slurm.conf sacctmgr -Qi add qos few \
	MaxSubmitJobsPerUser=5 >/dev/null
SLURM_CONF=$dbd/slurm.conf sacctmgr -Qi add qos strict MaxWall=10 \
	Flags=DenyOnLimit >/dev/null

# shellcheck disable=SC2154,SC2086 # of dbd.sh: words
begin_slurm -N 2 -g 0 -c 8 $accounts \
	-o AccountingStorageEnforce=limits -o MaxJobCount=30 -o MinJobAge=2 \
	-o "PartitionName=few Nodes=ALL QOS=few State=UP" \
	-o "PartitionName=strict Nodes=ALL QOS=strict State=UP"
export STFM_DIR="$tap_dir/store" OUT="$tap_dir/out.d"
mkdir "$OUT"

cat >train.sh <<'END'
#!/bin/sh
echo "$STFM_JOB $STFM_TASK $STFM_ATTEMPT" >>"$OUT/trained"
while [ -e "$OUT/wait" ]; do sleep 0.1; done
END
chmod +x train.sh

submit() {
	stfm-submit --gres=none --args=none "$@"
}
trained() {
	grep -c "^$1 " "$OUT/trained"
}
twice() {
	sort "$OUT/trained" | uniq -d
}
causes() {
	stfm-status --no-refresh -o jsonl "$1" | jq -r '.cause // empty' |
		sort | uniq -c | awk '{ $1 = $1; print }'
}
in_queue() {
	squeue -h -r -n "$1" | wc -l
}

## A time limit above that of the QOS

status "more time than the QOS allows is refused" 2 sh -c \
	'stfm-submit --gres=none -p strict -t 20 -J wall i=1 -- ./train.sh \
		>out 2>err'
like "with where that limit is shown" "QOSMaxWallDurationPerJobLimit.*: \
stfm-nodes --accounts shows the limits of your account and QOS$" "$(cat err)"
is "and not with the limit of the partition" "" "$(grep sinfo err)"

## A limit of the QOS, less than an array

touch "$OUT/wait"
status "what does not fit waits" 75 sh -c \
	'stfm-submit --gres=none -p few -J qos i=1..15 -- ./train.sh \
		>out 2>err'
is "which limit it is, and who queues the rest" \
	"stfm-submit: qos: Slurm takes no more jobs at present \
(QOSMaxSubmitJobPerUserLimit)
stfm-submit: qos: 10 tasks are not queued yet: run stfm-watch to queue them \
as room appears, or stfm-submit --queue-rest qos" "$(cat err)"
is "as much as fits is queued" 5 "$(in_queue qos)"
like "which is said as ever" \
	'^qos: 5 tasks queued as Slurm arrays? [0-9]+(, [0-9]+)*$' "$(cat out)"
stfm-watch --once
like "the rest says why it waits" \
	'^10 \(not queued yet: QOSMaxSubmitJobPerUserLimit\)$' "$(causes qos)"
status "asking again queues no more" 75 stfm-submit -Q --queue-rest qos
is "of course" 5 "$(in_queue qos)"
tries=$(find "$STFM_DIR/jobs/qos/sub" -name '*.try.*' | wc -l)
poll 60 sh -c '[ "$(squeue -h -r -n qos -t running | wc -l)" -eq 5 ]'
for _ in 1 2 3; do stfm-watch --once; done
is "a watcher does not ask all the time" "$tries" \
	"$(find "$STFM_DIR/jobs/qos/sub" -name '*.try.*' | wc -l)"
is "a look at it tells what the same command would queue" \
	"qos: 0 done, 5 running, 10 waiting; 10 of them would be queued" \
	"$(stfm-submit --gres=none -p few -J qos --dry-run i=1..15 -- \
		./train.sh)"
rm "$OUT/wait"
# Four watchers, and somebody who is impatient, all at once.
pids=
for _ in 1 2 3; do
	stfm-watch -Q -i 1 qos &
	pids="$pids $!"
done
stfm-submit -Q --queue-rest qos 2>err
# shellcheck disable=SC2086 # pids
wait $pids
ok "watchers queue all of it" stfm-watch -Q -i 1 qos
is "each task once" "15 " "$(trained qos) $(twice)"

## A stop takes what is not queued yet

touch "$OUT/wait"
submit -Q -p few -J half i=1..12 -- ./train.sh 2>err
ok "stopping" stfm-stop -Q half
rm "$OUT/wait"
poll 20 sh -c '[ "$(squeue -h -n half | wc -l)" -eq 0 ]'
stfm-watch --once
is "stops also what is not queued" "12 STOPPED" \
	"$(stfm-status -o jsonl half | jq -r .state | sort | uniq -c |
		awk '{ $1 = $1; print }')"
is "and nothing of it comes later" 0 "$(stfm-watch --once; in_queue half)"

## A restart that does not fit

# Tasks that have ended count until Slurm forgets them.
poll 40 sh -c '[ -z "$(squeue -h -t all)" ]'
touch "$OUT/wait"
status "a restart waits as well" 75 sh -c 'stfm-restart half >out 2>err'
like "and says so" "half: 7 of them wait to be queued" "$(cat err)"
is "its tasks have their attempt" "12" \
	"$(stfm-status -o jsonl half | jq -r .attempt | grep -c 1)"
refused "they are not restarted twice" "half/11: still waits" \
	stfm-restart half/11
rm "$OUT/wait"
ok "the watcher queues it" stfm-watch -Q -i 1 half
is "each task once" "12 " "$(grep -c 'half .* 1$' "$OUT/trained") $(twice)"

## A restart of which Slurm takes a part, and then no more

# It goes on to refuse because the partition is drained behind the first array
# that was taken.
poll 40 sh -c '[ -z "$(squeue -h -t all)" ]'
real=$(command -v sbatch)
mkdir drain
cat >drain/sbatch <<END
#!/bin/sh
"$real" "\$@" || exit
scontrol update partitionname=few state=drain
END
chmod +x drain/sbatch
touch "$OUT/wait"
status "what is refused is not kept for later" 1 sh -c \
	'PATH="$PWD/drain:$PATH" stfm-restart --finished half >out 2>err'
scontrol update partitionname=few state=up
is "what is queued is said" "half: 3 tasks queued again: 0-2" "$(cat out)"
like "and why the others are not" \
	'^stfm-restart: Slurm refuses: Required partition not available' \
	"$(head -1 err)"
is "which they are, and what became of them" \
	"stfm-restart: half: 9 tasks are not queued, and are what they were: \
3-11; queued again: 0-2, as Slurm array $(squeue -h -n half -o %F | sort -u)" \
	"$(tail -1 err)"
chunks=$STFM_DIR/jobs/half/sub
is "the half that is queued stays" "0 1 2" \
	"$(stfm-status -o jsonl half | jq -r 'select(.attempt == 2) | .task' |
		xargs)"
is "the other halves are withdrawn" "withdrawn withdrawn" \
	"$(cd "$chunks" && grep -l '"withdrawn":' -- *.claim |
		sed 's/.*/withdrawn/' | xargs)"
is "their tasks are what they were" "9 FINISHED 1" \
	"$(stfm-status -o jsonl half | jq -r 'select(.attempt == 1) |
		"\(.state) \(.attempt)"' | uniq -c | awk '{ $1 = $1; print }')"
rm "$OUT/wait"
ok "the first half trains" timeout 600 stfm-watch -Q -i 1 half
is "no other" 3 "$(grep -c '^half .* 2$' "$OUT/trained")"
poll 40 sh -c '[ -z "$(squeue -h -t all)" ]'
stfm-restart -Q --finished half/3-11 2>err
ok "what was withdrawn can be restarted" timeout 600 stfm-watch -Q -i 1 half
is "each task once" "9 " "$(grep -c '^half .* 3$' "$OUT/trained") $(twice)"

## One array is refused, and another is behind it

scontrol update partitionname=few state=inactive
submit -Q -J blk --no-check --zip @partition,@time,i @partition=main,few,main \
	@time=4,4,6 i=1..3 -- ./train.sh 2>err
is "each that is not queued says why" \
	"(not queued yet: Slurm refuses: Required partition not available \
(inactive or drain))
(not queued yet: behind blk/1, which Slurm refuses: Required partition not \
available (inactive or drain))" \
	"$(stfm-watch --once blk
	stfm-status -o jsonl blk | jq -r .cause | tail -2)"
like "--why names what to stop, and what queues the rest" \
	'queued after blk/1, which.*stfm-watch then queues.* stfm-stop blk/1$' \
	"$(stfm-status --why blk/2 | xargs)"
stfm-stop -Q blk/1
is "then nothing refuses it" "not queued yet" \
	"$(stfm-status -o jsonl blk/2 | jq -r .cause)"
ok "the rest is queued" stfm-submit -Q --queue-rest blk
scontrol update partitionname=few state=up
stfm-stop -Q blk

## MaxJobCount

poll 40 sh -c '[ -z "$(squeue -h -t all)" ]'
touch "$OUT/wait"
status "a full Slurm" 75 sh -c \
	'stfm-submit -Q --gres=none -J full i=1..40 -- ./train.sh 2>err'
like "says which limit it is" 'at present \(MaxJobCount\)' "$(cat err)"
stfm-submit --gres=none --parsable -J more i=1..40 -- true >out 2>err
is "nothing fits: so it is said to programs" "75 more	" "$? $(cat out)"
stfm-stop -Q --remove -y more
status "the same again is no other" 75 sh -c \
	'stfm-submit --gres=none -J full i=1..40 -- ./train.sh >out 2>err'
like "it counts what waits" '^full: 0 done, .*waiting$' "$(cat out)"
like "and says once what is left" '^stfm-submit: full: .* wait to be queued' \
	"$(cat err)"
ok "most of what fits is queued" test "$(in_queue full)" -gt 20
is "in few arrays" "ok" "$(ls "$STFM_DIR"/jobs/full/sub/*.claim | wc -l |
	awk '{ print $1 < 15 ? "ok" : $1 }')"
rm "$OUT/wait"
ok "the watcher queues all of it" stfm-watch -Q -i 1 full
is "each task once" "40 " "$(trained full) $(twice)"

done_testing
