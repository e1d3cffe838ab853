# What sweeps begin with whose every point needs a store of its own, with jobs
# that have run: they are made some at a time.  On top of sweep.sh and
# tests/jobs.sh:
#
#   $count           trainings of store N say in $count.N that they ran
#   $stores          the numbers of those that points have had since settle
#   $pool            how many are made at a time
#   next_store       what fresh does, unless the test defines it
#   remove_rest      at the end: those that no point has needed
#   settle_stores SECONDS OVER CHECK
#                    what settle does: let passes go over those of $stores
#                    until OVER is true of each, CHECK each, and remove them
#
# and calls what the test defines:
#
#   make_store       put jobs into $STFM_DIR, which is store $made
#   make_ready N...  have these end as they have to
#
# shellcheck shell=sh disable=SC2034,SC2154 # for the tests; sweep.sh gives it
. "$(dirname "$0")/sweep.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 2 -g 0 -c 512 -o MinJobAge=86400
export STFM_DIR count="$tap_dir/count"

pool=20 made=0 number=0 stores=
[ "$fault_size" != ci ] || pool=6
make_more() {
	first=$((made + 1)) last=$((made + ${FAULT_POOL:-$pool}))
	while [ $made -lt $last ]; do
		made=$((made + 1))
		STFM_DIR=$disk/store.$made
		make_store
	done
	# shellcheck disable=SC2046 # words
	make_ready $(seq $first $last)
}
next_store() {
	number=$((number + 1))
	[ $number -le $made ] || make_more
	STFM_DIR=$disk/store.$number place=$STFM_DIR
	roots="-r $STFM_DIR"
	stores="$stores $number"
}
fresh() {
	next_store
}
remove_rest() {
	while [ "$number" -lt "$made" ]; do
		number=$((number + 1))
		rm -rf "$disk/store.$number"
	done
}
are_over() {
	left=
	for number in $stores; do
		STFM_DIR=$disk/store.$number
		stfm-watch -1Q
		"$1" || left="$left $number"
	done
	stores=$left
	[ -z "$stores" ]
}
settle_stores() {
	at=$number all_stores=$stores
	poll "$1" are_over "$2" || echo "not over: $stores"
	for number in $all_stores; do
		STFM_DIR=$disk/store.$number
		"$3"
		rm -rf "$STFM_DIR"
	done
	number=$at stores=
}
