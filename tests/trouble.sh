#!/bin/sh
# Trouble with Slurm at random moments, and a table of what there was: what
# "make trouble" calls, which tests/faults/TROUBLE has from the last time.
#
#	ROUNDS	how many (default 200)
#	SEED	what chance follows
#	LANES	so many side by side (default 4)
#
# Of a hundred rounds and more, some have to be such that Slurm forgot a job and
# gave its id to another one: else nothing was tried of what is worst.

top=$(cd "$(dirname "$0")/.." && pwd -P) || exit 2
out=$top/build/trouble
ROUNDS=${ROUNDS:-200} LANES=${LANES:-4} SEED=${SEED:-$(date +%s)}
export ROUNDS LANES SEED
rm -rf "$out"
mkdir -p "$out" || exit 2
began=$(date +%s)
rc=0
seq "$LANES" | xargs -P "$LANES" -I @ env LANE=@ \
	TALLY="$out/tally.@" TROUBLE_LOG="$out/round" sh -c \
	'sh "$0" >"$1/lane.$LANE" 2>"$1/said.$LANE"' \
	"$top/tests/slurm-trouble.t" "$out" || rc=1
grep -h -A 12 '^# failed' "$out"/said.* | cut -c 1-200

passed=$(cat "$out"/lane.* | grep -c '^ok - round')
failed=$(cat "$out"/lane.* | grep -c '^not ok - round')
echo "$(date -u +%Y-%m-%d), of $(git -C "$top" describe --always), SEED=$SEED"
echo
echo "$ROUNDS rounds in $LANES lanes: $passed passed, $failed failed," \
	"in $(($(date +%s) - began)) seconds"
cat "$out"/tally.* | awk '
	NF == 2 { sum[$1] += $2 }
	NF == 4 { n[$1] += $2; bound[$1] = $4
		if ($3 > most[$1]) most[$1] = $3 }
	END {
		printf "%6d trainings, none twice\n", sum["trainings"]
		printf "%6d jobs that Slurm forgot, their ids given away\n",
			sum["given_away"]
		printf "%6d rounds with a task excused: it was forgotten\n",
			sum["rounds_forgotten"]
		printf "%6d tasks LOST by that, %d ended otherwise, %d held\n",
			sum["lost"], sum["excused"], sum["held"]
		printf "%6d jobs of earlier rounds that Slurm took up again\n",
			sum["came_back"]
		printf "\n%-8s %6s %10s %10s\n", "command", "times", "longest",
			"may take"
		for (a in n)
			printf "%-8s %6d %7d ms %7d ms\n", a, n[a], most[a],
				bound[a] | "sort"
	}'
[ "$passed" -eq "$ROUNDS" ] && [ "$failed" -eq 0 ] || rc=1
away=$(cat "$out"/tally.* |
	awk '$1 == "given_away" { n += $2 } END { print n + 0 }')
if [ "$ROUNDS" -ge 100 ] && [ "$away" -eq 0 ]; then
	echo "trouble.sh: no id was given to another job" >&2
	rc=1
fi
exit $rc
