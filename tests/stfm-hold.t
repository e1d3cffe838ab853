#!/bin/sh
# stfm-hold where there is no Slurm: slurm-hold.t has the rest.
. "$(dirname "$0")/tap.sh"

export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/store"

refused "no store" "no store here" stfm-hold try
refused "no operand" "usage: stfm-hold" stfm-hold
refused "a state that is none" "nonsense" stfm-hold -t nonsense try
refused "a condition that is none" "lr" stfm-hold -w lr try
refused "a format that is none" "yaml" stfm-hold -o yaml try

done_testing
