#!/bin/sh
# Run the fault sweeps and print how many points there were, of which kind.
#
#	all.sh [TEST...]	what "make faults" calls
#	all.sh -l		the table of the last run again
#
# FAULTS has names of sweeps ("release throttle"), and how many points of each
# kind are tried, 28 if nothing is said: an hour, more than 10,000 points.  "ci"
# is a small sample; "all" is every call, for which a day may be too short, and
# in sweeps that set fault_cap so many of a kind, spread over all calls.
#
# prove's words come first, then the table, which is what tests/faults/RESULTS
# has.  The exit status is prove's, or 1 where a whole run has tried fewer
# than $least points, or a whole sample fewer than $few: a sweep that finds
# nothing to try has proved nothing.

here=$(cd "$(dirname "$0")" && pwd -P) || exit 2
cd "$here/../.." || exit 2
mkdir -p build/faults
FAULT_TABLE=$PWD/build/faults/table
FAULTS=${FAULTS:-}
export FAULT_TABLE FAULTS TEST_SECONDS
least=5000
few=300

# Program, kind, calls there are, points tried, points that went wrong.
summary() {
	echo "$(date -u -r "$FAULT_TABLE" +%Y-%m-%d), of $(git describe --always)"
	sort "$FAULT_TABLE" | awk -F '\t' '
		BEGIN {
			printf "\n%-24s %-8s %8s %8s %8s\n", "program", "kind", "calls",
				"points", "wrong"
		}
		{
			printf "%-24s %-8s %8d %8d %8d\n", $1, $2, $3, $4, $5
			calls += $3; points += $4; wrong += $5
			program[$1] += $4; kind[$2] += $4
		}
		END {
			printf "%-24s %-8s %8d %8d %8d\n", "all", "", calls, points, wrong
			for (p in program)
				printf "%d points of %s\n", program[p], p | "sort -rn"
			close("sort -rn")
			for (k in kind)
				printf "%d points of kind %s\n", kind[k], k | "sort -rn"
			close("sort -rn")
			printf "%d points passed, %d failed\n", points - wrong, wrong
		}'
}

if [ "${1:-}" = -l ]; then
	summary
	exit
fi
: >"$FAULT_TABLE"
size=28
for word in $FAULTS; do
	case $word in
	ci | all | [0-9]*) size=$word ;;
	*) set -- "$@" "tests/faults/$word.t" ;;
	esac
done
FAULTS=$size
hours=2
[ "$size" != all ] || hours=48
TEST_SECONDS=${TEST_SECONDS:-$((hours * 3600))}
rc=0
whole=
[ $# -gt 0 ] || {
	# These take longest, so they begin first.
	set -- tests/faults/population.t tests/faults/power.t tests/faults/search.t
	for test in tests/faults/*.t; do
		case " $* " in
		*" $test "*) ;;
		*) set -- "$@" "$test" ;;
		esac
	done
	whole=${FAULT_KIND:-all}
}
# shellcheck disable=SC2086 # words of a command
${PROVE:-prove --exec tests/run.sh -j2} "$@" || rc=$?
echo
summary
tried=$(awk -F '\t' '{ n += $4 } END { print n + 0 }' "$FAULT_TABLE")
[ "$FAULTS" != ci ] || least=$few
if [ "$whole" = all ] && [ "$tried" -lt $least ]; then
	echo "all.sh: $tried points, fewer than $least" >&2
	rc=1
fi
exit $rc
