#!/bin/sh
# stfm-attach, each of its calls going wrong: the command runs once at most, in
# the task that was meant, and the training goes on whatever becomes of it.
. "$(dirname "$0")/sweep.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 1 -g 0 -c 4
export STFM_DIR="$disk/store" COUNT="$tap_dir/count" ran="$tap_dir/ran" number=0
stfm-submit -Q --gres=none --usage=no -J job x=1,2 -- \
	sh -c 'echo "$$" >>"$COUNT.$STFM_TASK"; exec sleep 7200' || exit 99
trains() {
	[ -s "$COUNT.0" ] && [ -s "$COUNT.1" ] && reaches job RR
}
poll 60 trains || exit 99
place=$STFM_DIR roots="-r $STFM_DIR" fault_cap=450 harmless=$table
# shellcheck disable=SC2034 # sweep.sh reads it
known_damage="starts libexec/stfm-run-.*, which is not there"
fresh() {
	number=$((number + 1))
	# Its first use puts stfm-run there.
	rm -rf "$STFM_DIR/libexec" "$STFM_DIR/jobs/job/fold"
}
# How often the command of this point, or the second try of it, has run.
runs() {
	grep -cx "$1 job/1" "$ran"
}
after() {
	[ "$rc" -ne 0 ] || [ "$(runs $number)" -eq 1 ] ||
		echo "status 0, but ran $(runs $number) times"
}
again() { ./attach again; }
holds() {
	[ "$(runs again$number)" -eq 1 ] || echo "did not run again"
	[ "$(states job)" = RR ] || echo "states: $(states job)"
}
settle() {
	sort "$ran" | uniq -d | sed 's/^/ran twice: /'
	grep -v ' job/1$' "$ran" | sed 's/^/elsewhere: /'
	for task in 0 1; do
		[ "$(wc -l <"$COUNT.$task")" -eq 1 ] &&
			kill -0 "$(cat "$COUNT.$task")" ||
			echo "the training of task $task does not go on"
	done
}
# It has the environment of the training, not ours.
cat >attach <<'EOF'
#!/bin/sh
exec stfm-attach job/1 -- \
	sh -c 'echo "$1 $STFM_JOB/$STFM_TASK" >>"$2"' - "$1$number" "$ran"
EOF
chmod +x attach
: >"$ran"
sample "kill alone"
sweep stfm-attach "$kinds" ./attach

stfm-stop -y -Q job
done_testing
