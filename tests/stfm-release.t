#!/bin/sh
# stfm-release where there is no Slurm: slurm-hold.t has the rest.
. "$(dirname "$0")/tap.sh"

export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/store"

refused "no store" "no store here" stfm-release try
refused "no operand" "usage: stfm-release" stfm-release
refused "a state that is none" "nonsense" stfm-release -t nonsense try
refused "a condition that is none" "lr" stfm-release -w lr try
refused "a format that is none" "yaml" stfm-release -o yaml try

done_testing
