#!/bin/sh
# --parallel over several arrays: shares are by size, stfm-watch moves what an
# array no longer needs to the others, and never more than N tasks run at once.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 0 -c 12 -o MaxArraySize=10
export STFM_DIR="$tap_dir/store"

arrays() {
	stfm-submit --dry-run --gres=none -J shares "$@" -- true |
		grep -o ' --array=[^ ]*' | cut -d= -f2 | paste -sd' '
}
is "shares are by size" "0-9%3 0-1%1" "$(arrays --parallel 4 i=1..12)"
is "with the rest to the largest" "0-9%2 0-9%2 0-9%1 0-4%1" \
	"$(arrays --parallel 6 i=1..35)"
is "one each at least" "0-9%1 0-9%1 0-1%1" "$(arrays --parallel 3 i=1..22)"
is "none has more than it has tasks" "0-9%9 0-0%1" \
	"$(arrays --parallel 10 i=1..11)"

# Each task runs until its file is there.
cat >wait.sh <<END
#!/bin/sh
until [ -e "$PWD/go.\$1" ] || [ -e "$PWD/go" ]; do sleep 0.1; done
END
chmod +x wait.sh
running() {
	squeue -h -r -n "$1" -t running -o %i | wc -l
}
runs() {
	[ "$(running "$1")" -eq "$2" ]
}
# tend JOB MOST: a pass of the watcher; more than MOST at once is noted
tend() {
	stfm-watch --once -Q "$1"
	now=$(running "$1")
	[ "$now" -le "$2" ] || echo "$1: $now at once" >>too-many
}
tend_runs() {
	tend "$1" "$2"
	runs "$1" "$3"
}
has_throttle() {
	tend "$1" "$2"
	squeue -h -n "$1" -t pending -o %K | grep -q "%$3\$"
}
over() {
	tend "$1" "$2"
	stfm-status --no-refresh -o tsv "$1" >table
	[ "$(grep -c FINISHED table)" -eq "$3" ]
}

# Slurm is asked through its library, or its commands.
for STFM_SLURM in library text; do
	export STFM_SLURM
	rm -f go*
	how="job-$STFM_SLURM"
	stfm-submit -Q --gres=none -J "$how" --parallel 4 i=0..11 -- \
		./wait.sh {i}
	ok "$STFM_SLURM: as many run as may" poll 20 runs "$how" 4
	touch go.10 go.11
	ok "the share of an array that ended is moved" \
		poll 30 has_throttle "$how" 4 4
	ok "and used" poll 30 tend_runs "$how" 4 4
	touch go
	ok "all end" poll 60 over "$how" 4 12

	# What is queued again begins with the room that there is.
	rm go
	how="again-$STFM_SLURM"
	stfm-submit -Q --gres=none -J "$how" --parallel 3 i=0..6 -- \
		./wait.sh {i}
	ok "as many run of another" poll 20 runs "$how" 3
	stfm-stop -Q "$how/0,1,3-6"
	ok "one is left" poll 30 tend_runs "$how" 3 1
	ok "stopped tasks are queued again when they have ended" \
		poll 30 stfm-restart -Q "$how/0,1,3-6"
	ok "a restart uses the room beside it" poll 30 tend_runs "$how" 3 3
	touch go.2
	ok "and what the other leaves" poll 30 has_throttle "$how" 3 3
	ok "as it may" poll 30 tend_runs "$how" 3 3
	touch go
	ok "which ends, too" poll 60 over "$how" 3 7
done
unset STFM_SLURM
is "never more at once than may" "" "$(cat too-many 2>none)"

# Arrays of a restart have their shares by size.
stfm-submit -Q --gres=none -J sized --parallel 6 i=1..22 -- ./wait.sh {i}
ok "arrays of several sizes end" poll 60 over sized 6 22
rm go
stfm-restart -Q --finished sized
shares() {
	number='\([0-9]*\).*'
	job="s/.*ArrayJobId=${number}ArrayTaskThrottle=$number/\1 \2/p"
	scontrol show job -o | sed -n "/JobName=sized /$job" |
		sort -un | tail -n 3 | cut -d ' ' -f 2 | xargs
}
is "a restart gives shares by size" "3 2 1" "$(shares)"
touch go
ok "and ends" poll 60 over sized 6 22
## Slurm says nothing for a moment

stfm-submit -Q --gres=none -J now --parallel 2 i=1..5 --args=none -- \
	sleep 600
poll 30 runs now 2
stfm-throttle -Q now 1
like "--why knows the limit all the same" \
	"^now/2-4 waits: the job has reached its limit of running tasks" \
	"$(COLUMNS=200 stfm-status --why now)"
stfm-stop -Q now

done_testing
