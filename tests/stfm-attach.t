#!/bin/sh
# stfm-attach where there is no Slurm: slurm-attach.t has the rest.
. "$(dirname "$0")/tap.sh"

export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/store"

refused "no store" "no store here" stfm-attach try/0
refused "no operand" "usage: stfm-attach" stfm-attach
refused "a rank that is none" "--rank: 'x' is not a whole number" \
	stfm-attach --rank x try/0
refused "options of the command need -- before it" "-l: no such option" \
	stfm-attach try/0 ls -l

mkdir -p results/1
printf '%s\n' epoch,loss 0,1 >results/1/1.csv
stfm-import -Q --finished results || exit 99
refused "no name where they are read" "no task matches" \
	stfm-attach - </dev/null

# In a step, beside no training.
refused_there() {
	sentence=$1 want=$2
	shift 2
	status "$sentence" 126 "$top/libexec/stfm-run" "$@"
	like "... and says so" "$want" "$(cat "$tap_dir/out")"
}
refused_there "no such job" "stfm-run: .*/nosuch" \
	attach "$PWD/nosuch" id 1 0 - true

done_testing
