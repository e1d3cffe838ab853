#!/bin/sh
# stfm-run once the time of its task is nearly up, each of its calls and of
# scontrol's going wrong: no epoch is trained twice, and none is left out.
. "$(dirname "$0")/pool.sh"

# What a training that was killed has left.
at_exit 'pkill -f "$tap_dir/told"'

# Commands whose tasks come to a runner of ours, which goes wrong as the plan
# for its store says; the next time there is no plan.
mkdir "$tap_dir/libexec"
cp -r "$bin" "$tap_dir/bin"
PATH=$tap_dir/bin:$PATH
cat >"$tap_dir/libexec/stfm-run" <<END
#!/bin/sh
runner=$(cd "$bin/../libexec" && pwd -P)/stfm-run
store=\${1%/jobs/*}
number=\${store##*.}
mv "$tap_dir/plan.\$number" "$tap_dir/taken.\$number" 2>/dev/null ||
	exec "\$runner" "\$@"
read -r words <"$tap_dir/taken.\$number"
exec $fault -z -a "$tap_dir/told.\$number" \$words -r "\$store" \\
	-o "$tap_dir/met.\$number" "\$runner" "\$@"
END
chmod +x "$tap_dir/libexec/stfm-run"

# Two epochs; the first run has time for one.
cat >train.sh <<'END'
#!/bin/sh
saved=$STFM_CHECKPOINT_DIR/epoch
epoch=0
[ "$STFM_RESUME" = 0 ] || epoch=$(cat "$saved")
[ "$epoch" -gt 0 ] || echo epoch,loss >"$STFM_METRICS"
echo "$epoch" >>"$1"
echo "$epoch,0.5" >>"$STFM_METRICS"
echo $((epoch + 1)) >"$saved"
[ "$epoch" -eq 0 ] || exit 0
mkfifo "$2.pipe"
# A nap would pass at once; and who is killed cannot end what it has begun.
timeout 20 cat "$2.pipe" &
trap "kill $!; exit 0" USR1
: >"$2"
kill -USR1 "$PPID"
wait
END
chmod +x train.sh

fresh() {
	number=$((number + 1))
	STFM_DIR=$disk/store.$number place=$STFM_DIR
	stores="$stores $number"
}
strike() {
	echo "$(words_of) -n $n" >"$tap_dir/plan.$number"
	stfm-submit -Q --usage=no --gres=none -J job -t 10 --requeue=3 \
		--epochs 2 x=1 -- \
		"$PWD/train.sh" "$tap_dir/count.$number" "$tap_dir/told.$number" \
		>"$tap_dir/out" 2>"$tap_dir/said" || exit 99
	poll 30 cp "$tap_dir/met.$number" "$tap_dir/hit"
}

# As Slurm goes on by itself, sooner, and as the user who looks at it.
hurry() {
	squeue -h -t PD -o '%i %r' | while read -r id why; do
		grep -qx "$id" "$tap_dir/hurried" || [ "$why" != BeginTime ] || {
			echo "$id" >>"$tap_dir/hurried"
			scontrol update jobid="$id" starttime=now+2
		}
	done
}
: >"$tap_dir/hurried"
is_over() {
	hurry
	state=$(stfm-status --no-refresh -o json job | jq -r '.[].state')
	case $state in
	FINISHED) return 0 ;;
	ERROR) stfm-restart -Q --resume job ;;
	esac
	return 1
}
check_store() {
	trained=$(tr '\n' ' ' <"$tap_dir/count.$number")
	[ "$trained" != "0 1 " ] || return 0
	echo "store.$number: trained: $trained"
	find "$STFM_DIR/jobs/job/run" "$STFM_DIR/jobs/job/sub" \
		-type f -printf '%f '
	echo
}
settle() {
	settle_stores 100 is_over check_store
}

harmless=/run/ # what is said of it stands in the output of the task
at_work='/(run|usage)/' most=${FAULT_MOST:-3}
kinds=${kinds% memory memory+}
sample "kill alone late EIO ESTALE EROFS+"
sweep "stfm-run, requeue" "$kinds" true

done_testing
