#!/bin/sh
# Tasks that Slurm starts once more: one that the search has stopped, and one
# that has failed and is stopped in its second run.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 1 -g 0 -c 32 -o KillWait=2
export STFM_DIR="$tap_dir/store"
cat >train.sh <<'EOF'
#!/bin/sh
[ "$1$SLURM_RESTART_COUNT" != 0 ] || exit 3
printf 'epoch,acc\n1,0.%s\n2,0.9\n' "$1" >"$STFM_METRICS"
exec sleep 600
EOF
chmod +x train.sh
stfm-submit -Q -J job --requeue --gres=none --args=none --mem 1M --epochs 9 \
	--metric acc --pruner asha,first=1 x=9,1,3,2,4,5,6,0 \
	-- "$PWD/train.sh" "{x}"
causes() {
	stfm-status --no-refresh -o json job |
		jq -r '.[] | "\(.task) \(.state) \(.cause)"' |
		sed 's/ null$//'
}
pruned() {
	stfm-watch -1Q job
	[ "$(causes | grep -c 'STOPPED pruned')" -ge 5 ]
}
ok "most tasks are pruned" poll 60 pruned
id=$(array_of job)_2
want=$(causes | grep '^2 ')
ended() {
	squeue -h -j "$id" -t all | grep -q CA
}
ok "one is cancelled" poll 20 ended
gone() {
	scontrol update jobid="$id" starttime=now 2>"$tap_dir/none"
	[ -z "$(squeue -h -j "$id" 2>"$tap_dir/none")" ]
}
# If Slurm cannot start it yet, its status is another one.
turned_away() {
	scontrol requeue "$id" 2>"$tap_dir/none"
	poll 20 gone
	scontrol show job "$id" | grep -q ' ExitCode=75:0'
}
ok "Slurm starts it again, but it ends at once" poll 60 turned_away
is "it did not train" 1 "$(facts job '000002*.S' | wc -w)"
stfm-watch -1Q job
is "and says why it was stopped, as before" "$want" \
	"$(causes | grep '^2 ')"
is "stfm-restart leaves it alone, but not the one that failed" \
	"job: 1 task would be queued again: 7" \
	"$(stfm-restart --dry-run job 2>&1)"

# No pass sees the second run of this task before it is over.
id=$(array_of job)_7
is "one has failed" "7 ERROR exit 3" "$(causes | grep '^7 ')"
scontrol requeue "$id"
again() {
	scontrol update jobid="$id" starttime=now 2>"$tap_dir/none"
	[ -n "$(facts job '000007.0.1.E*')" ]
}
ok "Slurm starts it again, and its run asks to stop" poll 60 again
stfm-watch -1Q job
like "it says why it was stopped" "7 STOPPED pruned at epoch 1: 0 is 8th of 8" \
	"$(causes | grep '^7 ')"

# The requests of a job that is over are packed.
finish() {
	stfm-stop -Qy job 2>"$tap_dir/none"
	stfm-watch -1Q job
	! causes | grep -q 'RUNNING\|SUBMITTED'
}
ok "all tasks are over" poll 30 finish
want=$(causes)
touch -d "1 hour ago" "$STFM_DIR"/jobs/job/ctl/stop.*
stfm-watch -1Q job
is "the requests of the search are packed" 1 \
	"$(ls "$STFM_DIR"/jobs/job/pack/s.*.jsonl | wc -l)"
scontrol requeue "$id"
for _ in 1 2 3; do
	stfm-watch -1Q job
done
ok "a packed task that Slurm starts again is cancelled, or ends at once" \
	poll 30 gone
stfm-watch -1Q job
is "and all say what they did before" "$want" "$(causes)"

# The table is lost, and so are the reasons in three lines of the pack.
restarts() {
	stfm-restart --dry-run job 2>&1
}
want=$(restarts)
sed -i '2,4s/pruned/prunEd/' "$STFM_DIR"/jobs/job/pack/s.*.jsonl
rm "$STFM_DIR"/jobs/job/fold/*
stfm-watch -1Q job 2>"$tap_dir/err"
is "a pass names each damaged line once" \
	"2 $(printf ':%d: damaged (its checksum does not fit) ' 2 3 4)" \
	"$? $(sed 's/.*jsonl//' "$tap_dir/err" | tr '\n' ' ')"
lost="pruned at epoch ?: the record of the reason is damaged"
is "it is known that the search has stopped these tasks" 3 \
	"$(causes | grep -c " STOPPED $lost$")"
is "so a restart leaves them alone, as before" "$want" "$(restarts)"

done_testing
