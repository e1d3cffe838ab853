#!/bin/sh
# stfm-throttle where there is no Slurm: slurm-hold.t has the rest.
. "$(dirname "$0")/tap.sh"

export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/store"

refused "no store" "no store here" stfm-throttle try 2
refused "no operand" "usage: stfm-throttle" stfm-throttle
refused "three operands" "usage: stfm-throttle" stfm-throttle try 2 3

done_testing
