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
		stfm-check --store | grep -v 'note: left over' |
			sed 's/^/it is there, but /'
		# Of what could not be read nothing is said yet, or that it is so.
		said=
		[ "$rc" -ne 75 ] || stfm-status --no-refresh job |
			grep -Eq '^job/[01]  log not read: ' && said=',null]$'
		states job | grep -v '"SUBMITTED"' | grep -vxF -f want |
			grep -v "${said:-^$}" | sed 's/^/made up: /'
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

roots="-r $STFM_DIR -r $PWD/results" harmless=$table
sweep "stfm-import" "$kinds rename+" \
	stfm-import -Q -J job --points points.csv results/7

# ---- jobs of Slurm's ----

stfm-sandbox start -Q -N 1 -g 0 -d "$tap_dir/slurm" || exit 99
at_exit 'stfm-sandbox stop -Q -d "$tap_dir/slurm"'
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
array=$(sbatch --parsable --hold -J theirs -a 3,5 --wrap true) || exit 99
import() { stfm-import -Q --slurm -J job "$array"; }
waits() {
	stfm-status -o json job |
		jq -r '.[] | "\(.task_id) \(.slurm_id) \(.state) \(.cause)"'
}
waiting="3 ${array}_3 SUBMITTED (JobHeldUser)
5 ${array}_5 SUBMITTED (JobHeldUser)"

after() {
	[ ! -d "$STFM_DIR/jobs/job" ] || {
		stfm-check --store | grep -v 'note: left over' |
			sed 's/^/it is there, but /'
		# Of what Slurm was not asked, nothing is said yet.
		stfm-status --no-refresh -o json job |
			jq -r '.[] | "\(.state) \(.cause)"' |
			grep -vE '^SUBMITTED (null|\(JobHeldUser\))$' |
			sed 's/^/made up: /'
	}
	[ "$rc" -ne 0 ] || [ -d "$STFM_DIR/jobs/job" ] ||
		echo "status 0, but it is not there"
}
holds() {
	stfm-watch -1Q job || echo "watch: status $?"
	[ "$(waits)" = "$waiting" ] || waits | sed 's/^/in the end: /'
	[ "$(squeue -h -r -t PENDING | wc -l)" -eq 2 ] || squeue
	stfm-import --slurm -J again "$array" 2>again.err &&
		echo "it was imported twice"
	states first | grep -q FINISHED || echo "another was touched"
}

# What cannot be removed is put aside by the next.
at_work='/[.]new[.]alone$'
roots="-r $STFM_DIR" fault_cap=600
sample "kill EIO ENOSPC memory" 3
sweep "stfm-import --slurm" "$kinds rename+" \
	stfm-import -Q --slurm -J job "$array"

done_testing
