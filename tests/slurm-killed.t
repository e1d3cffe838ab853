#!/bin/sh
# A command that is killed while it waits for Slurm leaves nothing behind that
# keeps its standard output open: x=$(stfm-watch --once) and cron would wait.
. "$(dirname "$0")/tap.sh"

# Whoever asks Slurm waits for its answer longer than this test takes.
begin_slurm -N 1 -g 0 -o MessageTimeout=900
export STFM_DIR="$tap_dir/store" STFM_SLURM_TIMEOUT=900 STFM_SBATCH_TIMEOUT=900

# What makes each command ask Slurm: those that only show do where no table is
# there to be shown.
asks() {
	find "$STFM_DIR"/jobs/*/fold -type f -delete
	case $1 in
	stfm) set -- "$1" status ;;
	stfm-attach) set -- "$1" runs/2 -- true ;;
	stfm-check) set -- "$1" ;;
	stfm-checkpoints) set -- "$1" ;;
	stfm-hold) set -- "$1" waits/0 ;;
	stfm-import) set -- "$1" --slurm -J theirs "$theirs" ;;
	stfm-nodes) set -- "$1" ;;
	stfm-plot) set -- "$1" -f runs ;;
	stfm-release) set -- "$1" waits/2 ;;
	stfm-report) set -- "$1" runs ;;
	stfm-restart) set -- "$1" --finished over/0 ;;
	stfm-status) set -- "$1" ;;
	stfm-stop) set -- "$1" runs/0 ;;
	stfm-submit) set -- "$1" --gres=none -J new i=1 -- true ;;
	stfm-tensorboard) set -- "$1" -t running runs ;;
	stfm-throttle) set -- "$1" runs 2 ;;
	stfm-watch) set -- "$1" --once ;;
	*) return 1 ;;
	esac
	exec "$@"
}
without_slurm="stfm-ask stfm-dist stfm-expand stfm-log stfm-sandbox stfm-set"

stfm-submit -Q --gres=none -J runs --args=none i=1..3 -- \
	sh -c 'echo epoch,loss >"$STFM_METRICS"; exec sleep 600'
stfm-submit -Q --gres=none -J over i=1,2 -- true
stfm-submit -Q --gres=none -b now+1hour -J waits i=1..4 -- true
stfm-hold -Q waits/2,3
theirs=$(sbatch --parsable -H -a 1-2 -o /dev/null --wrap true)
reaches() {
	stfm-watch --once -Q
	[ "$(stfm-status --no-refresh -o tsv "$1" | sed 1d | cut -f 4 |
		sort -u)" = "$2" ]
}
ok "a job runs" poll 20 reaches runs RUNNING
ok "another is over" poll 20 reaches over FINISHED

slurmctld=$(cat "$tap_dir/slurm/run/slurmctld.pid")
at_exit "kill -CONT $slurmctld 2>/dev/null"
kill -STOP "$slurmctld"

# Kill a command once it has a child, which is the one that asks.
kill_asking() {
	mkfifo "$1.out"
	{
		cat >/dev/null
		: >"$1.eof"
	} <"$1.out" &
	asks "$1" >"$1.out" 2>&1 &
	pid=$!
	poll 20 pgrep -P "$pid" && kill -9 "$pid"
}

for source in "$top"/bin/*.c; do
	name=$(basename "$source" .c)
	case " $without_slurm " in
	*" $name "*) continue ;;
	esac
	ok "$name is killed while it asks Slurm" kill_asking "$name"
	ok "$name: its reader sees the end" poll 10 test -e "$name.eof"
done

kill -CONT "$slurmctld"
done_testing
