#!/bin/sh
# The partitions of a real Slurm, as the completions learn of them.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 2
complete=$(dirname "$bin")/libexec/stfm-complete
kept=$HOME/.cache/stfm/partitions

partitions() {
	"$complete" partitions "$1" stfm-submit | xargs
}
kept_has() {
	grep -qx "$1" "$kept"
}
is "at first Slurm is asked" "main short" "$(partitions '')"
ok "its answer is kept" kept_has short

sed -i 's/^short$/kept/' "$kept"
is "then what is kept is told" "main kept" "$(partitions '')"
touch -d '20 minutes ago' "$kept"
is "also when it is old" "main kept" "$(partitions '')"
ok "and Slurm is asked meanwhile" poll 30 kept_has short
is "the next time it is told" "short" "$(partitions sh)"

(SLURM_CONF=$PWD/other.conf && export SLURM_CONF && partitions '') >other
is "what is kept of another Slurm is not told" "" "$(cat other)"
is "neither the other way round" "main short" "$(partitions '')"

stfm-sandbox stop -Q -d "$tap_dir/slurm"
touch -d '20 minutes ago' "$kept"
is "without an answer the old one stays" "main short" "$(partitions '')"
ok "and is not asked for at once again" \
	[ -z "$(find "$kept" -mmin +5)" ]

done_testing
