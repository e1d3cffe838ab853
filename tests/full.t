#!/bin/sh
# Output that is lost, on a full disk, does not go unnoticed.
. "$(dirname "$0")/tap.sh"

sandbox=$tap_dir/sandbox
at_exit 'stfm-sandbox stop -Q -d "$sandbox"'
ok "a sandbox starts" stfm-sandbox start -Q -d "$sandbox"
eval "$(stfm-sandbox env -d "$sandbox")"
printf 'epoch,loss\n0,3\n1,2\n2,1\n' >curve.csv
export STFM_DIR="$PWD/store"
ok "a job is there to talk about" \
	stfm-submit -J small --gres=none a=1,2 -- sleep 100

ok "and one that runs" \
	stfm-submit -J runs --gres=none --args=none a=1 -- sleep 1000

# What makes each command print something.
normal() {
	case $1 in
	stfm) stfm ;;
	stfm-attach) stfm-attach --dry-run runs ;;
	stfm-check) damaged_store "$2" && stfm-check -d "$2" ;;
	stfm-checkpoints) stfm-checkpoints ;;
	stfm-ask) stfm-ask lr=1,2 ;;
	stfm-dist) SLURM_JOB_ID=1 SLURM_JOB_NODELIST=localhost stfm-dist jax ;;
	stfm-expand) stfm-expand lr=0.1,0.01 ;;
	stfm-hold) stfm-hold --dry-run small ;;
	stfm-import)
		mkdir -p found/0
		: >found/0/END
		stfm-import --dry-run found
		;;
	stfm-log) stfm-log --path small/0 ;;
	stfm-nodes) stfm-nodes ;;
	stfm-plot) stfm-plot curve.csv ;;
	stfm-release) stfm-release --dry-run small ;;
	stfm-report) stfm-report small ;;
	stfm-restart) stfm-restart small ;;
	stfm-set) stfm-set small ;;
	stfm-sandbox) stfm-sandbox status -d "$sandbox" ;;
	stfm-status) stfm-status ;;
	stfm-stop) stfm-stop --dry-run small ;;
	stfm-submit) stfm-submit --dry-run --gres=none a=1,2 -- true ;;
	stfm-tensorboard)
		for a in "" .1 .2 .3; do
			mkdir -p "store/jobs/small/checkpoint/000000$a"
			: >"store/jobs/small/checkpoint/000000$a/tfevents.1"
		done
		stfm-tensorboard -o sh small
		;;
	stfm-throttle) stfm-throttle small ;;
	stfm-watch) STFM_DIR=$PWD/$2 stfm-watch --interval 1 news ;;
	*) echo "tests/full.t does not know how to make it print" ;;
	esac
}

# A store in which the watcher finds news.
fresh_store() {
	rm -rf "$1"
	STFM_DIR=$PWD/$1 stfm-submit -J news --gres=none a=1 -- true
}

damaged_store() {
	mkdir -p "$1/jobs"
}

closed() {
	"$@" >&-
}

to_full() {
	"$@" >/dev/full
}

is_there() {
	stfm-log --path small/0 >none && stfm-log --path runs >none
}
mkdir -p store/jobs/small/checkpoint/000000
echo >store/jobs/small/checkpoint/000000/a.pt
poll 60 is_there 2>none || echo "small/0 has no log" >&2

for source in "$top"/bin/*.c; do
	name=$(basename "$source" .c)
	for option in --help --version; do
		refused "$name $option notices a full disk" \
			"$name: standard output: No space left" \
			to_full "$name" $option
	done
	refused "$name --help notices a closed standard output" \
		"$name: standard output: " closed "$name" --help

	[ "$name" = stfm-watch ] && fresh_store first >/dev/null
	ok "$name has something to print" \
		test -n "$(normal "$name" first 2>&1 | tee printed)"
	ok "$name can be made to print" \
		sh -c '! grep "does not know" printed'
	[ "$name" = stfm-watch ] && fresh_store second >/dev/null
	refused "$name notices a full disk" \
		"$name: standard output: No space left" \
		to_full normal "$name" second
done

refused "more than a buffer full" "stfm-expand: standard output: No space" \
	to_full stfm-expand i=1..100000

done_testing
