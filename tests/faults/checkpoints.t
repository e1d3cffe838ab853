#!/bin/sh
# stfm-checkpoints that removes, each of its calls going wrong: what it keeps is
# whole at any moment, and what it has begun to remove does not look so.
. "$(dirname "$0")/sweep.sh"

export SLURM_CONF=/nonexistent STFM_DIR="$disk/store"
kept=$STFM_DIR/jobs/job/checkpoint

for task in 0 1 2; do
	mkdir -p "results/$task"
	printf 'epoch,val_loss\n0,2\n' >"results/$task/$task.csv"
done
stfm-import -Q -J job --finished results || exit 99
for task in 0 1 2; do
	mkdir "$kept/00000$task"
	for n in 1 2; do
		for part in index data-00000-of-00001; do
			echo "$n" >"$kept/00000$task/ckpt-$n.$part"
		done
		mkdir "$kept/00000$task/saved-$n"
		echo "$n" >"$kept/00000$task/saved-$n/saved_model.pb"
		find "$kept/00000$task" -name "*-$n*" \
			-exec touch -d "2026-01-0$n" {} +
		touch -d "2026-01-0$n" "$kept/00000$task/saved-$n/saved_model.pb"
	done
done

fresh() { restore; }
template "$STFM_DIR"

# The newest are there, and of the others the index with its data or no index.
look() {
	for task in 0 1 2; do
		for n in 1 2; do
			at=$kept/00000$task
			if [ -e "$at/ckpt-$n.index" ]; then
				[ -s "$at/ckpt-$n.data-00000-of-00001" ] ||
					echo "half of $task/ckpt-$n is there"
			elif [ $n = 2 ]; then
				echo "$task/ckpt-2 is gone"
			fi
			[ ! -d "$at/saved-$n" ] ||
				[ -s "$at/saved-$n/saved_model.pb" ] ||
				echo "half of $task/saved-$n is there"
		done
		[ -e "$at/saved-2" ] || echo "$task/saved-2 is gone"
	done
}
left() {
	find "$kept" -name '*-1*.index' -o -name 'saved-1'
}
after() {
	look
	[ "$rc" -ne 0 ] || left | sed 's/^/status 0, but still there: /'
}
again() { stfm-checkpoints -y --keep-last 1 job >again.out; }
holds() {
	look
	left | sed 's/^/still there: /'
}

roots="-r $STFM_DIR/jobs/job/checkpoint -r $STFM_DIR/trash"
without="write+ link+ fsync+ short late ENOSPC EDQUOT"
sweep "stfm-checkpoints" "$kinds rename+" \
	stfm-checkpoints -y --keep-last 1 -o tsv job

done_testing
