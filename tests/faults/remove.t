#!/bin/sh
# stfm-stop --remove, each of its calls going wrong: a job is there whole or
# not at all, the others are not touched, and nothing stays behind for good.
. "$(dirname "$0")/sweep.sh"

begin_slurm -N 1 -g 0 -c 4
export STFM_DIR="$disk/store"

for job in job other; do
	stfm-submit -Q --gres=none -J $job x=1,2 -- \
		sh -c 'echo epoch,loss >"$STFM_METRICS"' || exit 99
done
stfm-watch -Q -i 1 job other || exit 99
ln -s "$STFM_DIR/jobs/other" "$STFM_DIR/jobs/job/metrics/link"

fresh() { restore; }
files() {
	(cd "$1" && find . -type f ! -name '.t.*' ! -path './fold/*' \
		! -path './run/*' ! -path './pack/*' -exec cksum {} + | sort -k 3)
	facts_of "$1"
}
template "$STFM_DIR"
files "$STFM_DIR/jobs/job" >whole
files "$STFM_DIR/jobs/other" >other

# It is whole, or it is not there.
after() {
	if [ -d "$STFM_DIR/jobs/job" ]; then
		files "$STFM_DIR/jobs/job" | cmp -s whole - ||
			echo "it is there in part"
		[ "$rc" -eq 0 ] && echo "status 0, but it is there"
	fi
	files "$STFM_DIR/jobs/other" | cmp -s other - || echo "another was touched"
}
again() {
	[ ! -d "$STFM_DIR/jobs/job" ] || stfm-stop -y -Q --remove job
}
holds() {
	[ ! -e "$STFM_DIR/jobs/job" ] || echo "it is still there"
	files "$STFM_DIR/jobs/other" | cmp -s other - || echo "another was touched"
	stfm-stop -y -Q --remove other || echo "the next: status $?"
	# The trash is emptied an hour later, by a pass.
	find "$STFM_DIR/jobs" -mindepth 1 |
		sed 's/^/left in the end: /'
}

roots="-r $STFM_DIR"
without="fsync+ write+ link+"
# Facts that are packed, or not, and a new table, when the job goes anyway.
harmless="/pack/|$table"
sweep "stfm-stop --remove" "$kinds rename+" stfm-stop -y -Q --remove job

done_testing
