#!/bin/sh
# Let libFuzzer at the targets of tests/fuzz, two at a time, and print a table.
#
#	fuzz.sh DIRECTORY SECONDS TARGET...	programs are in the directory
#
# Each begins with tests/fuzz/corpus/TARGET and what earlier runs have kept in
# DIRECTORY/TARGET.corpus; from nothing, SEED makes it try the same again.  It
# ends with 1 when one found something: an input that crashes, hangs, takes
# 2 GiB, leaks, or breaks what must hold; it is kept in DIRECTORY and belongs
# into the corpus once the cause is mended.

seeds=$(cd "${0%/*}" && pwd)/fuzz/corpus

# One target; what it says goes to its log.
one() {
	mkdir -p "$1/$3.corpus"
	rm -f "$1/$3"-*-*
	"$1/$3" -max_total_time="$2" -max_len=4096 -timeout=100 \
		-rss_limit_mb=2048 -malloc_limit_mb=1024 -print_final_stats=1 \
		-artifact_prefix="$1/$3-" -verbosity=1 -seed="${SEED:-0}" \
		"$1/$3.corpus" "$seeds/$3" >"$1/$3.log" 2>&1 </dev/null
	echo "$?" >"$1/$3.status"
}

# A line of the table.
row() {
	awk -v target="$2" '
	/INITED|#.* cov:/ {
		for (i = 1; i < NF; i++)
			if ($i == "cov:") {
				cov = $(i + 1)
				if (first == "")
					first = cov
			}
	}
	/^stat::number_of_executed_units/ { runs = $2 }
	/^stat::average_exec_per_sec/ { rate = $2 }
	/^stat::new_units_added/ { added = $2 }
	/^Done [0-9]+ runs/ { done = 1 }
	END {
		printf "%-10s %10d %8d %9d %9d %6d  %s\n", target, runs,
			rate, cov, cov - first, added,
			done ? "nothing" : "FOUND"
	}' "$1/$2.log"
	[ "$(cat "$1/$2.status")" -eq 0 ] && return
	sed -En '/does not hold|ERROR:|SUMMARY:|runtime error/s/^/# /p' \
		"$1/$2.log"
	for row_file in "$1/$2"-*-*; do
		[ ! -e "$row_file" ] || echo "# kept: $row_file"
	done
	false
}

if [ "$1" = --one ]; then
	shift
	one "$@"
	exit 0
fi
directory=$1
seconds=$2
shift 2
export LC_ALL=C.UTF-8 ASAN_OPTIONS=detect_stack_use_after_return=1
printf '%s\n' "$@" |
	xargs -P "${JOBS:-2}" -I TARGET \
		"$0" --one "$directory" "$seconds" TARGET
printf '%-10s %10s %8s %9s %9s %6s  %s\n' \
	TARGET RUNS RUNS/S COVERAGE NEW INPUTS CRASHES
found=0
for target; do
	row "$directory" "$target" || found=1
done
exit $found
