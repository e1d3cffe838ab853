#!/bin/sh
# lib/search decides as Optuna does, and its densities are those of Optuna, as
# tests/data/search/record.py has recorded them.
. "$(dirname "$0")/tap.sh"

build=$top/build/plain
[ -z "$SANITIZE" ] || build=$top/build/sanitize
replay=$build/tests/search-replay
data=$top/tests/data/search

events=0
for file in "$data"/*.tsv; do
	name=$(basename "$file" .tsv)
	pruner=${name%,*}
	"$replay" "$pruner" <"$file" >out
	is "$name: each decision is Optuna's" "" "$(diff "$file" out)"
	events=$((events + $(wc -l <"$file") - 1))
done
ok "these are thousands of decisions" test "$events" -gt 2000
is "each file has trials that are stopped" "" \
	"$(grep -L 'stop$' "$data"/*.tsv)"

# The fourth column is not read.
file=$data/asha,eta=4,first=1,goal=min,plain.tsv
cut -f 1-3 "$file" | sed 's/$/	?/' |
	"$replay" asha,eta=4,first=1,goal=min >out
is "what was decided before does not matter" "" "$(diff "$file" out)"

decisions() {
	"$replay" "$1" <events | sed 1d | cut -f 4 | xargs
}
# Where stfm differs: of equal values the first trial's is better, and nothing
# is stopped at a rung with fewer than eta values.
printf '%s\t1\t%s\t-\n' trial value 0 1 1 2 2 1 3 1 >events
is "Optuna's rules" "go stop go go" \
	"$(decisions asha,eta=2,first=1,epochs=4)"
is "those of stfm" "go stop stop stop" \
	"$(decisions stfm,asha,eta=2,first=1,epochs=4)"
is "with eta 3 nothing is stopped before three values are there" \
	"go go stop stop" \
	"$(decisions stfm,asha,eta=3,first=1,epochs=4)"

printf '%s\t1\t%s\t-\n' task objective 0 1 1 -inf 2 0.5 3 inf >events
is "for Optuna an infinity is a value like others" "go go stop stop" \
	"$(decisions asha,eta=2,first=1,epochs=4)"
is "for stfm it is worse than any number" "go stop go stop" \
	"$(decisions stfm,asha,eta=2,first=1,epochs=4)"

dims="real:0:1 log:1e-5:1e-1 whole:1:10000 logwhole:16:65536 choice:3"
for file in "$data"/density-*; do
	# shellcheck disable=SC2086 # words
	cut -f 1-5 "$file" | "$replay" density $dims >out
	is "$(basename "$file"): the densities are Optuna's" "10 within 1e-9" \
		"$(sed '1,/^$/d' "$file" | cut -f 6 | paste - out | awk '
		{ d = $1 - $2; if (d < 0) d = -d; if (d < 1e-9) n++ }
		END { print n + 0, "within 1e-9" }')"
done

refused "no such pruner" "'ashb': no such pruner" "$replay" ashb
refused "Optuna's rules for median" "write stfm, before" "$replay" median
refused "an eta of 1" "eta" "$replay" asha,eta=1
refused "a first rung at epoch 0" "first" "$replay" asha,first=0

done_testing
