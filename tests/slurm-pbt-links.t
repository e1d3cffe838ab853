#!/bin/sh
# Population based training with symbolic links in the checkpoint directories.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 2 -g 0 -c 8
export STFM_DIR="$tap_dir/store"

# A training saves each epoch in a directory of its own.  It finds the newest
# one by a link, whose kind is the name of the job, and waits at epoch 6.
cat >train.sh <<'END'
#!/bin/sh
dir=$STFM_CHECKPOINT_DIR
epoch=0 score=0
if [ "$STFM_RESUME" = 1 ]; then
	read -r epoch score <"$dir/latest/saved"
	readlink "$dir/latest" >"$2/link.$STFM_TASK"
else
	echo epoch,score >"$STFM_METRICS"
	[ "$3" != scratch ] || mkdir "$2/scratch.$STFM_TASK"
fi
while [ "$epoch" -lt 8 ]; do
	until [ -e "$2/go" ] || [ "$epoch" -lt 6 ]; do sleep 0.2; done
	epoch=$((epoch + 1)) score=$((score + $1))
	case $3 in
	absolute) to=$dir/ck$epoch link=$to ;;
	resolved) to=$dir/ck$epoch link=$(realpath "$dir")/ck$epoch ;;
	relative) to=$dir/ck$epoch link=ck$epoch ;;
	scratch) to=$2/scratch.$STFM_TASK link=$to ;;
	esac
	mkdir -p "$to"
	echo "$epoch $score" >"$to/saved"
	ln -sfn "$link" "$dir/latest"
	echo "$epoch,$score" >>"$STFM_METRICS"
	sleep 0.3
done
END
chmod +x train.sh
submit() {
	mkdir "$1"
	stfm-submit -Q -J "$1" --gres=none --args=none --metric score \
		--goal max --pbt 3 --epochs 8 --search 4 x=int:0:50 \
		-- "$PWD/train.sh" "{x}" "$PWD/$1" "$1"
}

continued() {
	ls "$1"/link.*
}

## Links to checkpoints in the same directory

submit relative
ln -s store "$tap_dir/other-name"
STFM_DIR=$tap_dir/other-name submit resolved
submit absolute
for job in relative resolved absolute; do
	stfm-watch -Q -i 1 $job &
	ok "one continues from another one: $job" poll 60 continued $job
	: >$job/go
	wait $!
	is "all tasks are FINISHED: $job" "4 FINISHED" \
		"$(stfm-status --no-refresh -o tsv -c state $job | sed 1d |
			sort | uniq -c | xargs)"
done
for task in absolute/link.*; do
	like "an absolute link is to the copy" \
		"/checkpoint/00000${task##*.}/ck[0-9]+\$" "$(cat "$task")"
done
for task in resolved/link.*; do
	like "also if the store has another name" \
		"/checkpoint/00000${task##*.}/ck[0-9]+\$" "$(cat "$task")"
done
like "a relative one stays" "^ck[0-9]+\$" "$(cat relative/link.*)"

## Files behind a link

submit scratch
says_why() {
	grep -q "no better task that runs has a new checkpoint: files behind \
a symbolic link, such as .*/latest, do not count" \
		"$STFM_DIR"/jobs/scratch/log/*
}
ok "the log says that files elsewhere do not count" poll 60 says_why
like "so does --why" "no task continues from another one: none has a \
checkpoint, and files behind a symbolic link do not count; let the training \
save one below \\\$STFM_CHECKPOINT_DIR at least every 3 epochs" \
	"$(stfm-status --why scratch | tr -s '\n ' ' ')"
: >scratch/go
stfm-watch -Q -i 1 scratch
is "no task continues from another one" "" "$(ls scratch/link.* 2>/dev/null)"

done_testing
