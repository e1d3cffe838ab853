#!/bin/sh
# stfm-hold, each of its calls going wrong: what it said to have held is held,
# what is held was ordered, asking again holds the rest, and nothing else is
# touched.
. "$(dirname "$0")/sweep.sh"

stfm-sandbox start -Q -N 1 -g 0 -c 4 -o MinJobAge=10 -d "$tap_dir/slurm" ||
	exit 99
at_exit 'stfm-sandbox stop -Q -d "$tap_dir/slurm"'
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
export STFM_DIR
foreign=$(sbatch --parsable --begin=now+1hour --wrap true) || exit 99

# A job of three waiting tasks, in a store of its own for each point.
number=0 fault_cap=600 harmless=$table
fresh() {
	number=$((number + 1))
	STFM_DIR=$disk/store.$number place=$STFM_DIR
	roots="-r $STFM_DIR"
	rm -rf "$disk/store.$((number - 1))"
	scancel -n job
	stfm-submit -Q --begin=now+1hour --gres=none -J job x=1,2,3 -- true
}
held() {
	squeue -h -r -o '%j %r' | grep -c '^job JobHeldUser$'
}
states() {
	stfm-status --no-refresh -o json job |
		jq -r '.[] | "\(.state) \(.cause)"' | sort | uniq -c |
		awk '{ $1 = $1; printf "%s; ", $0 }'
}

after() {
	ordered=$(find "$STFM_DIR/jobs/job/ctl" -name 'order.*' | wc -l)
	held=$(held)
	[ "$held" -eq 3 ] || [ "$held" -eq 0 ] || echo "$held tasks are held"
	[ "$held" -eq 0 ] || [ "$ordered" -gt 0 ] || echo "held without an order"
	if [ "$rc" -eq 0 ]; then
		[ "$held" -eq 3 ] || echo "status 0, but $held tasks are held"
	fi
	case $(states) in
	*"held by you"*) [ "$held" -eq 3 ] || echo "not held: $(states)" ;;
	esac
}
again() { stfm-hold -Q job; }
holds() {
	stfm-watch -1Q || echo "watch: status $?"
	[ "$(held)" -eq 3 ] || echo "$(held) tasks are held in the end"
	stfm-watch -1Q || echo "watch: status $?"
	[ "$(states)" = "3 SUBMITTED (held by you); " ] ||
		echo "in the end: $(states)"
}
settle() {
	[ "$(squeue -h -j "$foreign" -o %r)" != JobHeldUser ] ||
		echo "a job that is not ours was touched"
}

sweep stfm-hold "$kinds" stfm-hold -Q job

done_testing
