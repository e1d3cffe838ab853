#!/bin/sh
# How often commands ask Slurm for the queue, and which logs a pass opens.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 1 -g 0
export STFM_DIR="$tap_dir/store"
[ "$STFM_SLURM" != text ] || skip_all "sdiag counts the calls of libslurm"

# asks COMMAND: how many listings of the queue slurmctld made for it.
asks() {
	sdiag -r >/dev/null
	"$@" >out.txt 2>&1 || echo "exit $?"
	sdiag | awk '/REQUEST_JOB_(USER_)?INFO / {
		sub(/.*count:/, ""); print $1
	}'
}

stfm-submit -Q --gres=none --args=none --begin=now+1hour -J try x=1..6 -- true
is "stfm-hold lists the queue before and after" 2 "$(asks stfm-hold try/1)"
is "so does stfm-release" 2 "$(asks stfm-release try/1)"
is "if nothing is to be held as well" 2 "$(asks stfm-hold -w 'x>9' try)"
is "so does stfm-stop" 2 "$(asks stfm-stop -y try/0-3)"
is "its tasks are stopped" "4 6" "$(
	stfm-status --no-refresh -o tsv try | sed 1d |
		sort | awk '/STOPPED/ { stopped++ } END { print stopped, NR }'
)"
is "and of one task" 2 "$(asks stfm-stop try/4)"
is "or all" 2 "$(asks stfm-stop -y try)"

## A pass over a search

# The fourth training waits until the file go allows its next epoch.
cat >train.sh <<'END'
#!/bin/sh
epoch=0
echo epoch,acc >"$STFM_METRICS"
while [ "$epoch" -lt 9 ]; do
	until [ "$1" -lt 4 ] || [ "$epoch" -lt "$(cat "$2")" ]; do
		sleep 0.1
	done
	epoch=$((epoch + 1))
	echo "$epoch,0.$1" >>"$STFM_METRICS"
done
END
chmod +x train.sh
# Which logs a pass opens, and how many listings of the queue it asks for.
pass() {
	asked=$(asks strace -f -o trace -e trace=open,openat \
		stfm-watch --once -Q grow)
	grep -o 'metrics/[0-9]*[.]csv' trace | xargs
	echo "$asked"
}
if [ -z "$SANITIZE" ] && strace -o /dev/null true 2>/dev/null; then
	echo 2 >go
	stfm-submit -Q -J grow --gres=none --args=none --epochs 9 \
		--metric acc --search --pruner asha,eta=9,first=1 x=1..4 \
		-- "$PWD/train.sh" "{x}" "$PWD/go"
	log=$STFM_DIR/jobs/grow/metrics/000003.csv
	poll 60 reaches grow FFFR
	for epochs in 3 6; do
		echo "$epochs" >go
		poll 60 grep -q "^$epochs," "$log"
		is "a pass opens the log that grew, and lists the queue once" \
			"metrics/000003.csv
1" "$(pass)"
		is "it knows epoch $epochs" "$epochs" "$(stfm-status \
			--no-refresh -o tsv -c epoch grow/3 | sed 1d)"
	done
else
	skip "the logs that a pass opens" "strace shows them"
fi
done_testing
