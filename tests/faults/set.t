#!/bin/sh
# stfm-set, each of its calls going wrong: the job has the old settings or the
# new ones, and can be read in any case.
. "$(dirname "$0")/sweep.sh"

export SLURM_CONF=/nonexistent STFM_DIR="$disk/store"

for task in 1 2; do
	mkdir -p "results/7/$task"
	printf 'epoch,val_loss,val_acc\n0,2,0.1\n1,%s,0.%s\n' "$task" "$task" \
		>"results/7/$task/$task.csv"
	: >"results/7/$task/END"
done
stfm-import -Q -J job results/7 || exit 99
stfm-watch -1Q job 2>"$tap_dir/none"

best() {
	stfm-status --no-refresh -o json job |
		jq -r '.[] | "\(.task) \(.state) \(.metric) \(.best)"' | xargs
}
old="0 FINISHED val_loss 1 1 FINISHED val_loss 2"
new="0 FINISHED val_acc 0.1 1 FINISHED val_acc 0.2"
is "as it was" "$old" "$(best)"
template "$STFM_DIR"
fresh() { restore; }

# The settings are there as a whole or not at all; the values follow them.
after() {
	stfm-check --store | grep -v 'note: left over' | sed 's/^/said: /'
	set=$(stfm-set job)
	case $set in
	"job: --metric val_acc") ;;
	"job: the metric is chosen by its log")
		[ "$rc" -ne 0 ] || echo "status 0, but not set" ;;
	*) echo "settings: $set" ;;
	esac
}
again() {
	[ "$rc" -eq 0 ] || stfm-set -Q -m val_acc job
}
holds() {
	stfm-watch -1Q job 2>again.err
	now=$(best)
	[ "$now" = "$new" ] || echo "in the end: $now"
	changes=$(ls "$STFM_DIR/jobs/job/change" | wc -l)
	[ "$changes" -eq 1 ] || echo "in the end: $changes changes"
}

roots="-r $STFM_DIR -r $PWD/results" harmless=$table
sweep stfm-set "$kinds rename+" stfm-set -Q -m val_acc job

done_testing
