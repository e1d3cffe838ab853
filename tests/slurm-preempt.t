#!/bin/sh
# Trainings that srun starts, on a real Slurm that needs their place.  At the
# begin of the grace time Slurm signals only the steps of a job.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 1 -c 4 -o PreemptType=preempt/partition_prio \
	-o PreemptMode=REQUEUE -o KillWait=5
export STFM_DIR="$tap_dir/store"
scontrol update partitionname=short prioritytier=10 || exit 99

logged() {
	grep -q "$3" "$STFM_DIR/jobs/$1/log/$(array_of "$1")_$2.log"
}
preempt() {
	scontrol update partitionname=main gracetime="$1" || exit 99
	sbatch -Q -p short -c 4 -t 5 --wrap "sleep 600" -o /dev/null || exit 99
}
# Slurm lets a requeued task wait for two minutes.
hurry() {
	squeue -h -j "$(array_of "$1")_0" -o %T | grep -q PENDING &&
		scontrol update jobid="$(array_of "$1")_0" starttime=now+2
}
begin() {
	stfm-submit -Q --gres=none -c 4 -J "$@"
	poll 20 logged "$1" 0 "it trains" || exit 99
}

# It saves and ends with 0 when it is told, as many do.
cat >train.sh <<'END2'
#!/bin/sh
saved=$STFM_CHECKPOINT_DIR/saved
trap ': >"$saved"; exit 0' TERM
[ -e "$saved" ] && exit
echo it trains
while :; do sleep 0.1; done
END2
# It hears nothing of it, and ends when it has trained.
cat >last.sh <<'END2'
#!/bin/sh
echo it trains
until [ -e "$STFM_CHECKPOINT_DIR/../../go" ]; do sleep 0.1; done
END2
chmod +x train.sh last.sh

begin step on=1 -- srun ./train.sh
preempt 3
ok "a step that ends with 0 when it is told has not finished" \
	poll 60 reaches step S
is "it is told at the begin, and the task waits for its end" \
	'000000.0.0.E0 ' "$(facts step '*.[EQ]*')"
scancel -p short --me
poll 20 hurry step || exit 99
ok "its next run finishes" poll 30 reaches step F

begin script --requeue -t 60 on=1 -- sh -c 'srun ./train.sh'
preempt 300
ok "a step of a script makes room at once if it may be requeued" \
	poll 30 has_facts script '*.[EQ]*' '000000.0.0.Q '
ok "and waits again" poll 20 reaches script S
scancel -p short --me
poll 20 hurry script || exit 99
ok "until it finishes" poll 30 reaches script F

begin last on=1 -- ./last.sh
preempt 300
poll 20 sh -c 'scontrol show job "$1" | grep -q " PreemptTime=2"' - \
	"$(array_of last)" || exit 99
: >"$STFM_DIR/jobs/last/go"
ok "what is no step and ends in the grace time has finished" \
	poll 20 reaches last F
scancel -p short --me

scontrol update partitionname=main preemptmode=cancel || exit 99
begin cancelled on=1 -- srun ./train.sh
preempt 3
ok "where Slurm cancels what it preempts" poll 60 reaches cancelled E
is "that is the error" PREEMPTED "$(row cancelled 0 .cause)"

done_testing
