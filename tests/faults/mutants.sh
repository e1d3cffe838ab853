#!/bin/sh
# Show that the tests bite: break a copy of the tree in one place after the
# other, and see whether something fails.
#
#	mutants.sh [PATCH...]	what "make mutants" calls; all by default
#
# Each patch in tests/faults/mutants begins with what it breaks, the test that
# has to catch it, and the variables that test is run with.  One that no longer
# applies or builds is a failure, as is one that nothing catches, or whose test
# ends without saying what is wrong, or fails with nothing broken.  FAULTS=ci
# takes every eighth of them.  JOBS copies of the tree are broken at once (as
# many as there are processors); all patches of one test go to the same copy.
#
# Files that end in .sed change what must not matter.  They name the file that
# sed(1) edits and the tests that have to pass nevertheless.

here=$(cd "$(dirname "$0")" && pwd -P) || exit 2
top=$(cd "$here/../.." && pwd -P) || exit 2
all=$top/build/mutants
[ $# -gt 0 ] || set -- "$here"/mutants/*.patch "$here"/mutants/*.sed
# Several at once: each runs this script for its patches.
if [ -z "${MUTANTS_JOB:-}" ]; then
	rm -rf "$all"
	mkdir -p "$all" || exit 2
	jobs=${JOBS:-$(nproc)} number=0
	for patch; do
		number=$((number + 1))
		[ "${FAULTS:-}" != ci ] || [ $((number % 8)) -eq 1 ] || continue
		job=$(sed -n '/^#* *\(test\|survives\):/{p;q;}' "$patch" | cksum)
		echo "$patch" >>"$all/list.$((${job%% *} % jobs))"
	done
	for list in "$all"/list.*; do
		# shellcheck disable=SC2046 # names without blanks
		MUTANTS_JOB=${list##*.} "$0" $(cat "$list") &
	done
	wait
	cat "$all"/*/table | sort >"$all/table"
	awk -F '\t' -v all="$(cat "$all"/list.* | wc -l)" '
	{ good += $3 ~ /^(caught|passes)/ } END {
		printf "%d mutants passed, %d failed\n", good, all - good
		exit all == 0 || good != all
	}' "$all/table"
	exit
fi
all=$all/$MUTANTS_JOB
tree=$all/tree log=$all/log table=$all/table sound=$all/sound
mkdir -p "$tree" || exit 2
(cd "$top" && git ls-files -z --cached --others --exclude-standard |
	xargs -0 cp --parents -t "$tree") || exit 2
cd "$tree" || exit 2
: >"$table"
: >"$sound"
export STFM_BIN_DIR="$tree/bin"

build() {
	# shellcheck disable=SC2086 # a unit test, where that is what catches it
	make -s all fault-tools $1 >"$log" 2>&1
}
header() {
	sed -n "s/^#* *$1: *//p" "$patch"
}

# run [PATIENCE]: for what a broken one does not do, nobody need wait long.
run() {
	(
		eval "export FAULTS=ci FAULT_MOST=40 FAULT_FIRST=1 $with"
		TEST_SECONDS=1200 TEST_PATIENCE=$1 tests/run.sh "$test" \
			>"$log" 2>"$log.err"
	)
}

# Whether the test passes where nothing is broken, and tests something there; it
# is run once for all.
is_sound() {
	grep -qxF "$test $with" "$sound" && return
	unit=
	case $test in *.t) ;; *) unit=$test ;; esac
	build "$unit" && run && grep -q '^ok' "$log" &&
		echo "$test $with" >>"$sound"
}

# What became of one mutant, in words: "caught by ..." is good.
try() {
	test=$(header test) with=$(header with)
	is_sound || {
		echo "FAILS ANYWAY: $test $with"
		return
	}
	patch -s -F0 -p1 --no-backup-if-mismatch <"$patch" >"$log" 2>&1 || {
		echo "DOES NOT APPLY"
		return
	}
	unit=
	case $test in *.t) ;; *) unit=$test ;; esac
	if ! build "$unit"; then
		echo "DOES NOT BUILD"
	elif run 0; then
		echo "NOT CAUGHT by $test $with"
	elif said=$(sed -n '/^not ok/{s/^not ok[ 0-9]*- *//p;q;}' "$log") &&
		[ -n "$said" ]; then
		echo "caught by ${test##*/}: $said"
	else
		echo "BREAKS DOWN: $test $with"
	fi
	patch -s -R -p1 --no-backup-if-mismatch <"$patch" >"$log" 2>&1 || exit 2
}

# What became of an edit that has to change nothing.
survive() {
	edited=$(header file)
	for test in $(header survives); do
		sed -E -f "$patch" "$top/$edited" >"$edited"
		if cmp -s "$top/$edited" "$edited"; then
			echo "DOES NOT APPLY"
		elif ! build; then
			echo "DOES NOT BUILD"
		elif with='' && ! run; then
			echo "MATTERS: $test: $(sed -n '/^not ok/{p;q;}' "$log")"
		else
			continue
		fi
		break
	done | grep . || echo "passes, as it must"
	cp -p "$top/$edited" "$edited"
	touch "$edited"
}

build unit || {
	cat "$log"
	exit 2
}
for patch; do
	name=${patch##*/}
	case $name in
	*.sed) became=$(survive) ;;
	*) became=$(try) ;;
	esac
	printf '%s\t%s\t%s\n' "${name%.*}" "$(header what)" "$became" |
		tee -a "$table"
done
