#!/bin/sh
# stfm-import, each of its calls going wrong: the job is there whole or not at
# all, and nothing else is.
. "$(dirname "$0")/sweep.sh"

export SLURM_CONF=/nonexistent STFM_DIR="$disk/store"

for task in 1 2; do
	mkdir -p "results/7/$task"
	printf 'epoch,val_loss\n0,2\n1,%s\n' "$task" >"results/7/$task/$task.csv"
done
: >results/7/1/END
stfm-import -Q -J first results/7 || exit 99
import() { stfm-import -Q -J job --points points.csv results/7; }
printf 'task,lr\n1,0.1\n2,0.2\n' >points.csv

states() {
	stfm-status --no-refresh -o json "$1" |
		jq -c '.[] | [.task, .lr, .state, .cause, .best]'
}
fresh() { restore; }
template "$STFM_DIR"
import || exit 99
states job >want
is "as it should be" 2 "$(wc -l <want)"
restore

after() {
	[ ! -d "$STFM_DIR/jobs/job" ] || {
		stfm-check --store | sed 's/^/it is there, but /'
		# Of what could not be read nothing is said yet.
		states job | grep -v '"SUBMITTED"' | grep -vxF -f want |
			sed 's/^/made up: /'
	}
	[ "$rc" -ne 0 ] || [ -d "$STFM_DIR/jobs/job" ] ||
		echo "status 0, but it is not there"
}
again() {
	[ -d "$STFM_DIR/jobs/job" ] || import
}
holds() {
	[ -d "$STFM_DIR/jobs/job" ] || echo "it is not there in the end"
	stfm-watch -1Q 2>again.err
	stfm-status -o json job 2>again.err |
		jq -c '.[] | [.task, .lr, .state, .cause, .best]' |
		diff want - | sed 's/^/in the end: /'
	states first | grep -q FINISHED || echo "another was touched"
}

roots="-r $STFM_DIR -r $PWD/results"
sweep "stfm-import" "$kinds rename+" \
	stfm-import -Q -J job --points points.csv results/7

done_testing
